"""Pairs of rankings counted by class: dynamic programmes, in whole numbers and in doubles."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import comb, gcd, lcm, log2, prod
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from rankscope.arrays import Bools, Floats, Ints
from rankscope.errors import InputError
from rankscope.progress import Progress, staged

Number: TypeAlias = int | Fraction | float

DENSE = 256  # the largest gain, in units, up to which all running differences are kept, reachable or not
MOST_UPDATES = 3e7  # of a dictionary of running differences, where they are far apart; about a minute
MOST_BYTES = 1 << 30
MOST_SECONDS = 600
_BYTES_A_SECOND = 3.5e8  # what shifts, products and sums of long numbers do here, measured
_CELLS_A_SECOND = 1.5e8  # likewise of arrays of doubles


class Shares(NamedTuple):
    """Pairs of rankings by class, the first against the second: numbers of them, or shares."""

    equal: Number
    non_inferior: Number
    non_superior: Number
    non_separable: Number

    @property
    def separable(self) -> Number:
        return self.non_inferior + self.non_superior

    @property
    def total(self) -> Number:
        return self.equal + self.separable + self.non_separable


def closed_form(k: int) -> Shares:
    """Ordered pairs of binary rankings of k documents by class.

    A pair is a walk: where the first ranking has a document more it steps up. It is equal or non-inferior where the
    walk never falls below 0; of 2k half-steps there are C(2k+1, k) such walks.

    >>> closed_form(1)
    Shares(equal=2, non_inferior=1, non_superior=1, non_separable=0)
    """
    equal, no_worse = 2**k, comb(2 * k + 1, k)
    return Shares(equal, no_worse - equal, no_worse - equal, 4**k - 2 * no_worse + equal)


class RandomLists(NamedTuple):
    """Two rankings by chance: gains in whole units, ascending, and (ranks, gains) whole weights of each in both.

    base  0 where sums of gains are compared. By thresholds it is the largest depth + 1, and each grade is worth a
          number whose digits in that base, lowest first, are 1 for every threshold that the grade reaches: so the
          digits of the running difference are the differences of counts at all thresholds
    """

    gain: list[int]
    first: Any
    second: Any
    base: int = 0


def random_lists(gains: tuple[Fraction, ...] | None, first: Any, second: Any) -> RandomLists:
    """Pairs of rankings with (..., ranks, grades) weights; by grade thresholds where there are no gains.

    Grades that gain the same are one.

    >>> random_lists(None, np.ones((9, 4)), np.ones((9, 4))).gain
    [0, 1, 11, 111]
    """
    if gains is None:
        depth, levels = first.shape[-2:]
        digits = [sum((depth + 1) ** t for t in range(level)) for level in range(levels)]
        return RandomLists(digits, first, second, depth + 1)
    units = whole_units(gains)
    gain = sorted(set(units))
    at = [[grade for grade, unit in enumerate(units) if unit == g] for g in gain]
    merged = [np.stack([weight[..., rows].sum(axis=-1) for rows in at], axis=-1) for weight in (first, second)]
    return RandomLists(gain, merged[0], merged[0] if first is second else merged[1])


def whole_units(worth: tuple[Fraction, ...]) -> list[int]:
    """Gains as whole numbers of the largest unit that they and their differences have."""
    unit = lcm(*(gain.denominator for gain in worth))
    gains = [int((gain - worth[0]) * unit) for gain in worth]
    common = gcd(*gains) or 1
    if gains[-1] // common >= 2**40:
        from rankscope.preferences.gains import shown

        raise InputError(f"the gains {', '.join(map(shown, worth))} have too many digits", "round them")
    return [gain // common for gain in gains]


def exactly(depths: tuple[int, ...], lists: RandomLists, progress: Progress = None) -> Iterator[Shares]:
    """Weights of the classes, in whole numbers."""
    gain, first, second, base = lists
    dense = base > 0 or gain[-1] <= DENSE
    (_affordable if dense else _reachable)(depths, lists)
    walk = _packed if dense else _sparse
    there, back = staged(progress, 1, 1) if first is not second else (progress, None)
    up = walk(depths, lists, there)
    down = up if first is second else walk(depths, RandomLists(gain, second, first, base), back)
    still = total = 1
    for k in range(1, depths[-1] + 1):
        a, b = first[k - 1], second[k - 1]
        still, total = still * int(a @ b), total * int(a.sum() * b.sum())
        if k in up:
            yield Shares(still, up[k] - still, down[k] - still, total - up[k] - down[k] + still)


def _packed(depths: tuple[int, ...], lists: RandomLists, progress: Progress = None) -> dict[int, int]:
    """Weight of all pairs where the first ranking is never behind, by depth.

    The weights of all running differences lie side by side in one long number, `width` bits each: a document of
    either ranking is a few shifts and sums. Differences below 0 fall off its end; by thresholds, those with a digit
    that would fall below 0 are masked.
    """
    gain, first, second, base = lists
    width = _width(first, second)
    masks = _masks(width // 8, base, len(gain)) if base else []
    never_behind, state = {}, 1
    for k in range(1, depths[-1] + 1):
        ahead = 0
        for g, w in zip(gain, first[k - 1].tolist(), strict=True):
            ahead += (state if w == 1 else state * w) << (g * width)
        state = 0
        for j, (g, w) in enumerate(zip(gain, second[k - 1].tolist(), strict=True)):
            kept = ahead & masks[j] if masks else ahead
            state += (kept if w == 1 else kept * w) >> (g * width)
        if k in depths:
            never_behind[k] = _folded(state, width)
        _tell(progress, k, depths[-1])
    return never_behind


def _masks(size: int, base: int, levels: int) -> list[int]:
    """By level: ones over the fields, of so many bytes, whose digits below that level are all above 0."""
    masks = []
    for level in range(levels):
        fields = b"\xff" * size
        for digit in range(levels - 1):
            fields = (bytes(len(fields)) if digit < level else fields) + fields * (base - 1)
        masks.append(int.from_bytes(fields, "little"))
    return masks


def _width(first: Any, second: Any) -> int:
    """Bits that the weight of all pairs needs, in whole bytes."""
    return 8 * -(-prod((first.sum(axis=1) * second.sum(axis=1)).tolist()).bit_length() // 8)


def _folded(state: int, width: int) -> int:
    """The sum of all fields of a long number, by halves."""
    fields = -(-state.bit_length() // width)
    while fields > 1:
        fields = -(-fields // 2)
        half = fields * width
        state = (state >> half) + (state & ((1 << half) - 1))
    return state


def _sparse(depths: tuple[int, ...], lists: RandomLists, progress: Progress = None) -> dict[int, int]:
    """The same for sums of gains with many decimals: only differences that occur are kept."""
    gain, first, second, _ = lists
    never_behind, state = {}, {0: 1}
    for k in range(1, depths[-1] + 1):
        ahead: dict[int, int] = {}
        for g, w in zip(gain, first[k - 1].tolist(), strict=True):
            for at, n in state.items():
                ahead[at + g] = ahead.get(at + g, 0) + n * w
        state = {}
        for g, w in zip(gain, second[k - 1].tolist(), strict=True):
            for at, n in ahead.items():
                if at >= g:
                    state[at - g] = state.get(at - g, 0) + n * w
        if k in depths:
            never_behind[k] = sum(state.values())
        _tell(progress, k, depths[-1])
    return never_behind


def _affordable(depths: tuple[int, ...], lists: RandomLists) -> None:
    """Refuse what memory or time do not allow, with the estimates."""
    k, (gain, first, second, base) = depths[-1], lists
    size = (k * gain[-1] + 1) * sum(log2(a * b) for a, b in zip(first.sum(axis=1), second.sum(axis=1), strict=True)) / 8
    numbers = 4 + (len(gain) if base else 0)  # masks are as long as the weights
    seconds = k * size * len(gain) * (2 if base else 1) * (1 if first is second else 2) / _BYTES_A_SECOND
    if numbers * size > MOST_BYTES or seconds > MOST_SECONDS:
        raise InputError(
            f"exact shares at depth {k}{_states(k, lists)} would take about {numbers * size / 2**30:.1f} GiB and "
            f"{seconds / 60:.0f} minutes",
            "choose a smaller depth, or in Python exact=False: doubles, which say what they lose",
        )


def _states(depth: int, lists: RandomLists) -> str:
    """The number of states of a dynamic programme by thresholds, for an error."""
    if not lists.base:
        return ""
    thresholds = len(lists.gain) - 1
    return f", with {depth + 1}^{thresholds} differences of counts at {thresholds} grade thresholds,"


def _reachable(depths: tuple[int, ...], lists: RandomLists) -> None:
    """Refuse gains whose running differences grow too many, by listing them without their weights."""
    gain = np.array(lists.gain, np.int64)
    state, updates = np.zeros(1, np.int64), 0
    for k in range(1, depths[-1] + 1):
        ahead = _different(np.add.outer(state, gain))
        state = _different(np.subtract.outer(ahead, gain))
        state = state[state >= 0]
        updates += 2 * len(ahead) * len(gain)
        if updates > MOST_UPDATES:
            raise InputError(
                f"these gains have {len(state)} different running sums at rank {k} of {depths[-1]}, too many to follow",
                f"round the gains, or take a depth below {k}",
            )


def _different(values: Ints) -> Ints:
    """Different values, ascending; numpy's unique takes several times as long for whole numbers."""
    ascending = np.sort(values, axis=None)
    return ascending[np.append(True, ascending[1:] != ascending[:-1])]


def in_doubles(depths: tuple[int, ...], lists: RandomLists, progress: Progress = None) -> tuple[list[Shares], float]:
    """Shares over (topics, ranks, gains) frequencies, topics equally likely, and a bound on their error."""
    if too_large := refusal(depths[-1], lists):
        raise too_large
    gain, first, second, base = lists
    k, width, topics = depths[-1], (depths[-1] + 1) * gain[-1] + 1, len(first)
    block = max(1, (1 << 22) // width)
    sums = np.zeros((len(depths), 3))  # equal, no worse, no better
    starts = range(0, topics, block)
    for start, stage in zip(starts, staged(progress, *([1.0] * len(starts))), strict=True):
        a, b = first[start : start + block], second[start : start + block]
        still = np.cumprod((a * b).sum(axis=-1), axis=1)
        sums[:, 0] += still[:, [d - 1 for d in depths]].sum(axis=0)
        ahead = _never_behind(depths, RandomLists(gain, a, b, base), stage)
        sums[:, 1] += ahead
        sums[:, 2] += ahead if first is second else _never_behind(depths, RandomLists(gain, b, a, base), None)
    equal, up, down = (sums / topics).T.tolist()
    shares = [Shares(e, max(0.0, u - e), max(0.0, d - e), max(0.0, 1 - u - d + e))
              for e, u, d in zip(equal, up, down, strict=True)]  # fmt: skip
    # All terms are positive, so each operation adds at most one unit of rounding to a relative error: a product and a
    # sum a gain of either ranking, its frequency, then the sums over differences and topics. Three such sums make a
    # share, and what falls below the smallest double is less than any of that.
    roundings = k * (2 * len(gain) + 6) + width + topics
    return shares, 3.03 * roundings * 2.0**-53


def refusal(k: int, lists: RandomLists) -> InputError | None:
    """The error for shares in doubles that take too much memory or time; None where they do not."""
    gain, first, second, base = lists
    width = (k + 1) * gain[-1] + 1
    seconds = len(first) * k * width * len(gain) * (1 if first is second else 2) / _CELLS_A_SECOND
    if 24 * width <= MOST_BYTES and seconds <= MOST_SECONDS:
        return None
    what = "have too many running differences" if 24 * width > MOST_BYTES else f"take {seconds / 60:.0f} minutes"
    if base:
        return InputError(f"shares at depth {k}{_states(k, lists)} {what}", "take a smaller depth or fewer grades")
    return InputError(
        f"gains of up to {gain[-1]} units at depth {k} {what}", "round the gains, or take a smaller depth"
    )


def _never_behind(depths: tuple[int, ...], lists: RandomLists, progress: Progress) -> Floats:
    """(depths) sum over topics of the probability that the first ranking is never behind."""
    gain, first, second, base = lists
    most, last = gain[-1], depths[-1]
    state = np.zeros((len(first), (last + 1) * most + 1))
    state[:, 0] = 1
    masks = _reaching(base, len(gain)) if base else None
    never_behind = []
    for k in range(1, last + 1):
        size = (k - 1) * most + 1
        ahead = np.zeros((len(first), size + most))
        for j, g in enumerate(gain):
            ahead[:, g : g + size] += first[:, k - 1, j, None] * state[:, :size]
        size += most
        state[:, :size] = 0
        for j, g in enumerate(gain):
            kept = ahead[:, g:] if masks is None else ahead[:, g:] * masks[j][g:size]
            state[:, : size - g] += second[:, k - 1, j, None] * kept
        if k in depths:
            never_behind.append(state[:, :size].sum())
        _tell(progress, k, last)
    return np.array(never_behind)


def _tell(progress: Progress, k: int, last: int) -> None:
    """Progress after rank k: each rank has as many more differences as the one before, so cost grows by its square."""
    if progress is not None:
        progress((k / last) ** 2)


def _reaching(base: int, levels: int) -> list[Bools]:
    """By level: whether the digits below that level are all above 0, for all numbers of levels - 1 digits."""
    number = np.arange(base ** (levels - 1))
    masks = [np.ones(len(number), np.bool_)]
    for level in range(1, levels):
        masks.append(masks[-1] & (number // base ** (level - 1) % base > 0))
    return masks


def with_at_most(limit: int, depths: tuple[int, ...]) -> dict[int, Shares]:
    """Pairs by class where neither ranking holds more relevant documents than the limit."""
    by_depth = {}
    ways = np.zeros((limit + 1, limit + 1), object)  # [a, b]: pairs with a and b so far, the first never behind
    ways[0, 0] = 1
    behind = np.triu_indices(limit + 1, 1)
    for k in range(1, depths[-1] + 1):
        more = ways.copy()
        more[1:] += ways[:-1]
        more[:, 1:] += ways[:, :-1]
        more[1:, 1:] += ways[:-1, :-1]
        more[behind] = 0
        ways = more
        if k in depths:
            equal = sum(comb(k, r) for r in range(min(k, limit) + 1))
            ahead = int(ways.sum()) - equal
            by_depth[k] = Shares(equal, ahead, ahead, equal * equal - 2 * ahead - equal)
    return by_depth
