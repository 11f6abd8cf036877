"""How well two orders of the same systems agree: Kendall's tau, tau_AP, splits of the topics, swaps.

Scores that are equal on paper tie: values closer than `tolerance`, relative to the largest magnitude, are one.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations, islice
from statistics import NormalDist
from typing import Any, Literal, NamedTuple

import numpy as np

from rankscope.arrays import Floats, Ints
from rankscope.errors import DataWarning, InputError
from rankscope.kernels import concordance, draw_keys, draws
from rankscope.parallel import available_workers, map_units
from rankscope.results import Shown
from rankscope.statistics import checks
from rankscope.statistics.resampling import Resampling, over_blocks

TOLERANCE = 1e-12
MOST_SPLITS = 200_000
EDGES = tuple(hundredth / 100 for hundredth in range(21))
_ALONE = 50_000_000  # comparisons that one thread makes in some 25 ms
_CELLS = 1 << 21  # comparisons of pairs of systems that are held at a time
_ROWS = 64  # trials a unit of work: arrays so small that memory is used again, not asked for


@dataclass(frozen=True, slots=True, kw_only=True)
class Tau(Shown):
    """Kendall's tau of two vectors, from counts of pairs."""

    concordant: int  # P
    discordant: int  # Q
    only_x: int  # T: tied in x alone
    only_y: int  # U: tied in y alone
    both: int
    n: int

    @property
    def pairs(self) -> int:
        return self.n * (self.n - 1) // 2

    @property
    def a(self) -> float:
        """(P - Q) / all pairs."""
        return (self.concordant - self.discordant) / self.pairs

    @property
    def b(self) -> float:
        """(P - Q) / sqrt((P + Q + T)(P + Q + U)), Kendall's correction for ties."""
        ordered = self.concordant + self.discordant
        return (self.concordant - self.discordant) / math.sqrt((ordered + self.only_x) * (ordered + self.only_y))

    @property
    def agreement(self) -> float:
        """Share of the pairs that both order alike or both tie."""
        return (self.concordant + self.both) / self.pairs

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """tanh(atanh(tau-b) -+ z sqrt(0.437 / (n - 4))), after Fieller, Hartley and Pearson (1957).

        Made for bivariate normal values without many ties and |tau| below about 0.8; at tau = 1 it has no width.
        """
        _check_level(level)
        if self.n < 5:
            raise InputError(f"{self.n} values", "Fieller's interval needs at least five; use a bootstrap")
        if abs(self.b) >= 1:
            return self.b, self.b
        half = NormalDist().inv_cdf((1 + level) / 2) * math.sqrt(0.437 / (self.n - 4))
        return math.tanh(math.atanh(self.b) - half), math.tanh(math.atanh(self.b) + half)

    def table(self) -> tuple[list[str], list[list[str]]]:
        header = ["tau", "a", "b", "alike", "apart", "tied in x", "tied in y", "in both", "n"]
        counts = [self.concordant, self.discordant, self.only_x, self.only_y, self.both, self.n]
        return header, [["Kendall", f"{self.a:.4f}", f"{self.b:.4f}", *map(str, counts)]]


@dataclass(frozen=True, slots=True, kw_only=True)
class TauInterval(Shown):
    """A bootstrap interval for tau-b: over topics or over systems, as `over` says."""

    tau: float
    lower: float
    upper: float
    level: float
    over: Literal["topics", "systems"]
    kind: Literal["basic", "percentile"]
    undefined: int  # resamples in which everything tied; left out
    chance: Resampling
    taus: Floats = field(repr=False)

    def table(self) -> tuple[list[str], list[list[str]]]:
        header = ["tau-b", "value", "lower", "upper", "level", "resampled", "resamples", "seed"]
        numbers = [f"{self.tau:.4f}", f"{self.lower:.4f}", f"{self.upper:.4f}", f"{self.level:g}"]
        return header, [
            [f"bootstrap, {self.kind}", *numbers, self.over, str(self.chance.resamples), str(self.chance.seed)]
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class TauAP(Shown):
    """Correlation after average precision, which weighs disagreement at the top more; walks the estimate's order.

    `a` is for accuracy, the expectation over random breaking of ties; `b` is for agreement, symmetric, where only
    what stands above a group of ties counts. Without ties both directions of `a` are Yilmaz, Aslam and Robertson's.
    """

    a: float
    a_swapped: float  # walks the reference
    b_one_way: float
    b_swapped: float
    n: int

    @property
    def symmetric(self) -> float:
        """Mean of both directions of `a`."""
        return (self.a + self.a_swapped) / 2

    @property
    def b(self) -> float:
        """tauAP_b: mean of both directions."""
        return (self.b_one_way + self.b_swapped) / 2

    def table(self) -> tuple[list[str], list[list[str]]]:
        rows = [
            ["a", f"{self.a:.4f}", f"{self.a_swapped:.4f}", f"{self.symmetric:.4f}"],
            ["b", f"{self.b_one_way:.4f}", f"{self.b_swapped:.4f}", f"{self.b:.4f}"],
        ]
        return ["tau_AP", "walks the estimate", "walks the reference", "symmetric"], rows


class Halves(NamedTuple):
    """Mean scores on two halves of the topics, trials x systems each."""

    first: Floats
    second: Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class Consistency(Shown):
    """tau-b between the orders of the systems on two halves of the topics, over many splits."""

    mean: float
    lowest: float
    highest: float
    splits: int
    undefined: int  # splits on which a half ties all systems; left out
    chance: Resampling | None  # None: every split there is
    taus: Floats = field(repr=False)

    def table(self) -> tuple[list[str], list[list[str]]]:
        how = "all" if self.chance is None else f"random, seed {self.chance.seed}"
        numbers = [f"{self.mean:.4f}", f"{self.lowest:.4f}", f"{self.highest:.4f}", str(self.splits)]
        return ["consistency", "mean tau-b", "lowest", "highest", "splits", "which"], [["halves", *numbers, how]]


@dataclass(frozen=True, slots=True, kw_only=True)
class SwapRates(Shown):
    """How often the second half of the topics turns a pair of systems around, by its difference on the first.

    Bin i holds differences from edges[i] up to, and without, edges[i + 1]; the last has no end.
    """

    edges: Floats
    pairs: Ints  # of systems, over all splits
    swaps: Ints  # the order turned around
    ties: Ints  # no difference on the second half
    topics: int  # in a half
    chance: Resampling

    @property
    def rates(self) -> Floats:
        """Swaps / pairs; NaN where no pair fell into the bin."""
        return np.divide(self.swaps, self.pairs, out=np.full(len(self.pairs), np.nan), where=self.pairs > 0)

    @property
    def overall(self) -> float:
        return float(self.swaps.sum() / self.pairs.sum())

    def needed(self, rate: float = 0.05) -> float | None:
        """The smallest edge from which on every bin swaps at most at this rate, or None."""
        wrong = np.flatnonzero(self.rates > rate)
        first = 0 if not len(wrong) else int(wrong[-1]) + 1
        return float(self.edges[first]) if first < len(self.edges) and self.pairs[first:].any() else None

    def table(self) -> tuple[list[str], list[list[str]]]:
        rows = [
            [f"{edge:g}", str(pairs), str(swaps), str(ties), f"{rate:.4f}" if pairs else ""]
            for edge, pairs, swaps, ties, rate in zip(
                self.edges.tolist(), self.pairs.tolist(), self.swaps.tolist(), self.ties.tolist(), self.rates.tolist(),
                strict=True,
            )
        ]  # fmt: skip
        return ["difference from", "pairs", "swaps", "ties", "rate"], rows


def tau(x: Any, y: Any, *, tolerance: float = TOLERANCE) -> Tau:
    """Kendall's tau of two vectors, one value a system; a vector of equal values is refused.

    >>> tau([1, 2, 3, 4], [1, 3, 2, 4]).a == (5 - 1) / 6
    True
    """
    one, other = _vectors(x, y, tolerance)
    counts = _counts(one[None], other[None], tolerance)
    return Tau(**{name: int(values[0]) for name, values in counts.items()}, n=len(one))


def agreement_rate(x: Any, y: Any, *, tolerance: float = TOLERANCE) -> float:
    """Share of the pairs of systems that both vectors order alike, or both tie.

    >>> agreement_rate([3, 2, 1], [3, 1, 2]) == 2 / 3
    True
    """
    return tau(x, y, tolerance=tolerance).agreement


def taus(
    x: Any,
    y: Any,
    *,
    variant: Literal["a", "b"] = "b",
    tolerance: float = TOLERANCE,
    workers: int | None = None,
) -> Floats:
    """Kendall's tau of each row of x with the same row of y: rows x systems in, one tau a row out.

    One vector goes with every row of the other. tau-b is NaN for a row of equal values, with one warning a call.
    """
    one, other = np.atleast_2d(np.asarray(x, np.float64)), np.atleast_2d(np.asarray(y, np.float64))
    if one.ndim != 2 or other.ndim != 2 or one.shape[1] != other.shape[1]:
        raise InputError(f"shapes {np.shape(x)} and {np.shape(y)}", "give rows x systems twice, of the same systems")
    if len(one) != len(other) and 1 not in (len(one), len(other)):
        raise InputError(f"{len(one)} and {len(other)} rows", "give as many rows twice, or one vector")
    if one.shape[1] < 2:
        raise InputError(f"{one.shape[1]} system", "an order needs at least two systems")
    if variant not in ("a", "b"):
        raise InputError(f"variant={variant!r}", "there are tau a and tau b")
    for values in (one, other):
        if not np.isfinite(values).all():
            row, system = np.argwhere(~np.isfinite(values))[0].tolist()
            raise InputError(f"row {row}, system {system}: the score is {values[row, system]}", "give it a score")
    rows = max(len(one), len(other))
    one, other = (np.broadcast_to(values, (rows, values.shape[1])) for values in (one, other))

    def block(part: slice) -> Floats:
        return _taus(one[part], other[part], tolerance, variant)

    blocks = [slice(start, start + _ROWS) for start in range(0, rows, _ROWS)]
    threads = _threads(workers, rows, one.shape[1])
    values = np.concatenate([np.empty(0), *map_units(block, blocks, workers=threads)])
    _warn(int(np.isnan(values).sum()), rows, "rows")
    return values


def tau_over_topics(
    x: Any,
    y: Any,
    *,
    chance: Resampling,
    kind: Literal["basic", "percentile"] = "basic",
    level: float = 0.95,
    tolerance: float = TOLERANCE,
    workers: int | None = None,
) -> TauInterval:
    """Bootstrap interval of tau-b between the mean scores of two matrices, topics x systems, over their topics.

    Both have the same topics, which are drawn together. Noise in mean scores lowers tau, and resampling adds as much
    noise again: "percentile" takes quantiles of the resampled taus, which are too low where few topics make means
    noisy, "basic" reflects them at the observed tau. Neither is exact for the tau between true means, see
    docs/validity.md: with 20 topics read both as a measure of spread only.
    """
    one, other = checks.scores(x), checks.scores(y)
    if kind not in ("basic", "percentile"):
        raise InputError(f"kind={kind!r}", "kind is basic or percentile")
    _check_level(level)
    if one.shape != other.shape:
        raise InputError(f"matrices of {one.shape} and {other.shape}", "give the same topics and systems twice")
    one, other = map(_exact, _canonical(one, other))
    topics = len(one)
    observed = tau(one.sum(axis=0) / topics, other.sum(axis=0) / topics, tolerance=tolerance).b

    def block(part: tuple[int, int]) -> Floats:
        drawn = _drawn(chance, part, topics) + topics * np.arange(part[1])[:, None]
        times = np.bincount(drawn.ravel(), minlength=topics * part[1]).reshape(-1, topics).astype(np.float64)
        return _taus(_sums(times, one) / topics, _sums(times, other) / topics, tolerance, "b")

    found = np.concatenate(list(over_blocks(block, chance, _ROWS, workers)))
    return _interval(observed, found, chance, level, "topics", kind)


def tau_over_systems(
    x: Any,
    y: Any,
    *,
    chance: Resampling,
    level: float = 0.95,
    tolerance: float = TOLERANCE,
    workers: int | None = None,
) -> TauInterval:
    """Bootstrap percentile interval of tau-b of two vectors, over systems: how far would tau move with others?

    A system drawn twice ties with itself in both vectors; tau-b leaves such pairs out.
    """
    one, other = _vectors(x, y, tolerance)
    _check_level(level)
    order = np.lexsort((other, one))
    one, other = one[order], other[order]

    def block(part: tuple[int, int]) -> Floats:
        drawn = _drawn(chance, part, len(one))
        return _taus(one[drawn], other[drawn], tolerance, "b")

    found = np.concatenate(list(over_blocks(block, chance, _ROWS, workers)))
    return _interval(tau(one, other, tolerance=tolerance).b, found, chance, level, "systems", "percentile")


def tau_ap(reference: Any, estimate: Any, *, tolerance: float = TOLERANCE) -> TauAP:
    """tau_AP of an estimate with a reference (Yilmaz, Aslam and Robertson, SIGIR 2008), higher scores first.

    Ties as in Urbano and Marrero (ICTIR 2017): tauAP_a is the expectation over random orders within ties, tauAP_b
    divides by what stands above a group and skips the first. They give tauAP_a for a reference without ties; one
    with ties is broken at random too, here.

    >>> round(tau_ap([4, 3, 2, 1], [4, 3, 1, 2]).a, 6)
    0.777778
    """
    one, other = _vectors(reference, estimate, tolerance)
    first, second = _groups(one, tolerance), _groups(other, tolerance)
    if not (first.any() and second.any()):
        raise InputError("neighbouring values all tie", "lower the tolerance")
    a, b = _walk(first, second)
    a_swapped, b_swapped = _walk(second, first)
    return TauAP(a=a, a_swapped=a_swapped, b_one_way=b, b_swapped=b_swapped, n=len(one))


def tau_aps(x: Any, y: Any, *, tolerance: float = TOLERANCE) -> Floats:
    """tauAP_b of each row of x with the same row of y, rows x systems in, one value a row out: `tau_ap(...).b`.

    It is symmetric and 1 for rankings that are the same, ties included; NaN where a row of either ties all systems.
    """
    one, other = np.asarray(x, np.float64), np.asarray(y, np.float64)
    if one.ndim != 2 or one.shape != other.shape or one.shape[1] < 2:
        raise InputError(f"shapes {one.shape} and {other.shape}", "give rows x systems twice, at least two systems")
    step = max(1, _CELLS // one.shape[1] ** 2)
    blocks = [slice(start, start + step) for start in range(0, len(one), step)]
    return np.concatenate([np.empty(0), *(_walks(one[part], other[part], tolerance) for part in blocks)])


def split_halves(matrix: Any, *, chance: Resampling, aligned: bool = False, workers: int | None = None) -> Halves:
    """Mean scores of the systems on two random halves of the topics, for each trial.

    The first half has floor(n / 2) of the n topics. Topics are put into an order of their own first, so the halves
    do not depend on the order they come in. `aligned` leaves them as they are, so that matrices of the same topics
    share their halves.
    """
    scores = checks.scores(matrix)
    values = _exact(scores if aligned else _canonical(scores)[0])

    def block(part: tuple[int, int]) -> Halves:
        return _halves(values, _random_half(chance, part, len(values)))

    blocks = list(over_blocks(block, chance, _ROWS, _threads(workers, chance.resamples, values.shape[1])))
    return Halves(np.concatenate([b.first for b in blocks]), np.concatenate([b.second for b in blocks]))


def consistency(
    matrix: Any,
    *,
    chance: Resampling | None = None,
    tolerance: float = TOLERANCE,
    workers: int | None = None,
) -> Consistency:
    """Mean tau-b between the orders of the systems on two halves of the topics.

    Without chance, over all C(n, floor(n / 2)) splits, as long as there are at most 200,000 of them (20 topics).
    """
    values = _exact(*_canonical(checks.scores(matrix)))
    topics = len(values)

    def tau_of(half: Floats) -> Floats:
        return _taus(*_halves(values, half), tolerance, "b")

    if chance is None:
        count = math.comb(topics, topics // 2)
        if count > MOST_SPLITS:
            raise InputError(f"{topics} topics have {count} splits", "pass chance=Resampling(...) to draw some")
        found = np.concatenate([tau_of(half) for half in _all_halves(topics)])
    else:
        drawn, threads = chance, _threads(workers, chance.resamples, values.shape[1])
        blocks = over_blocks(lambda part: tau_of(_random_half(drawn, part, topics)), drawn, _ROWS, threads)
        found = np.concatenate(list(blocks))
    defined = found[~np.isnan(found)]
    undefined = len(found) - len(defined)
    _warn(undefined, len(found), "splits")
    if not len(defined):
        raise InputError("no split orders the systems", "give systems that differ")
    return Consistency(
        mean=float(defined.mean()),
        lowest=float(defined.min()),
        highest=float(defined.max()),
        splits=len(found),
        undefined=undefined,
        chance=chance,
        taus=found,
    )


def swap_rate(
    matrix: Any,
    *,
    chance: Resampling,
    edges: Sequence[float] = EDGES,
    tolerance: float = TOLERANCE,
    workers: int | None = None,
) -> SwapRates:
    """How often two halves of the topics order two systems differently, by the difference on the first half.

    Voorhees and Buckley (SIGIR 2002), in bins of 0.01 as there; pairs without a difference on the first half have no
    order to turn around and are left out. `SwapRates.needed` is the difference from which swaps stay rare.
    """
    values = _exact(*_canonical(checks.scores(matrix)))
    bounds = np.asarray(edges, np.float64)
    if bounds.ndim != 1 or not len(bounds) or not (bounds[0] >= 0 and (np.diff(bounds) > 0).all()):
        raise InputError(f"edges={edges!r}", "edges ascend from 0 or more")
    i, j = np.tril_indices(values.shape[1], -1)
    near = tolerance * float(np.abs(values).max(initial=0.0))

    def block(part: tuple[int, int]) -> Ints:
        first, second = (m[:, i] - m[:, j] for m in _halves(values, _random_half(chance, part, len(values))))
        ordered = (np.abs(first) > near) & (np.abs(first) >= bounds[0] - near)
        place = np.searchsorted(bounds, np.abs(first[ordered]) + near, "right") - 1
        tied = np.abs(second[ordered]) <= near
        swapped = ~tied & (first[ordered] * second[ordered] < 0)
        size = len(bounds)
        return np.stack([np.bincount(place[chosen], minlength=size) for chosen in (slice(None), swapped, tied)])

    rows = max(1, 2_000_000 // max(1, len(i)))
    pairs, swaps, ties = sum(over_blocks(block, chance, rows, workers), np.zeros((3, len(bounds)), np.int64))
    if not pairs.sum():
        raise InputError(
            "no two systems differ by as much as the first edge", "give systems that differ, or more edges"
        )
    return SwapRates(edges=bounds, pairs=pairs, swaps=swaps, ties=ties, topics=len(values) // 2, chance=chance)


def _vectors(x: Any, y: Any, tolerance: float) -> tuple[Floats, Floats]:
    """Two vectors of one value a system, neither of them constant."""
    vectors = np.asarray(x, np.float64), np.asarray(y, np.float64)
    if any(v.ndim != 1 for v in vectors):
        raise InputError("values have more than one axis", "give one value a system; `taus` takes many rows")
    if len(vectors[0]) != len(vectors[1]):
        raise InputError(f"{len(vectors[0])} and {len(vectors[1])} values", "give both a value for every system")
    if len(vectors[0]) < 2:
        raise InputError(f"{len(vectors[0])} system", "an order needs at least two systems")
    for name, values in zip(("first", "second"), vectors, strict=True):
        if not np.isfinite(values).all():
            at = int(np.flatnonzero(~np.isfinite(values))[0])
            raise InputError(f"the {name} vector, system {at}: the value is {values[at]}", "give it a value")
        if np.ptp(_scaled(values[None])) <= tolerance:
            raise InputError(f"all values of the {name} vector tie at {values[0]}", "a constant orders nothing")
    return vectors


def _threads(workers: int | None, rows: int, systems: int) -> int:
    """As many as asked for; unasked, one where the work is done before others have got going."""
    if workers is not None:
        return workers
    return available_workers() if rows * systems**2 > _ALONE else 1


def _check_level(level: float) -> None:
    if not 0 < level < 1:
        raise InputError(f"level={level!r}", "a level lies between 0 and 1, as 0.95 does")


def _warn(undefined: int, total: int, what: str) -> None:
    if undefined:
        message = f"{undefined} of {total} {what} tie all systems, where tau-b is undefined; they are NaN"
        warnings.warn(message, DataWarning, stacklevel=3)


def _scaled(values: Floats) -> Floats:
    """Each row times a power of two, exactly, so that its largest magnitude is between 1/2 and 1."""
    exponent = np.frexp(np.abs(values).max(axis=1, keepdims=True))[1]
    return np.ldexp(values, -exponent)


def _counts(x: Floats, y: Floats, tolerance: float) -> dict[str, Ints]:
    alike, apart, tied_x, tied_y = concordance(_scaled(x), _scaled(y), tolerance)
    pairs = x.shape[1] * (x.shape[1] - 1) // 2
    both = alike + apart + tied_x + tied_y - pairs
    return {
        "concordant": alike, "discordant": apart, "only_x": tied_x - both, "only_y": tied_y - both, "both": both,
    }  # fmt: skip


def _taus(x: Floats, y: Floats, tolerance: float, variant: str) -> Floats:
    """tau of each row, NaN where tau-b is undefined."""
    alike, apart, tied_x, tied_y = concordance(_scaled(x), _scaled(y), tolerance)
    pairs = x.shape[1] * (x.shape[1] - 1) // 2
    if variant == "a":
        return (alike - apart) / pairs
    under = np.sqrt((pairs - tied_x).astype(np.float64) * (pairs - tied_y))
    return np.divide(alike - apart, under, out=np.full(len(x), np.nan), where=under > 0)


def _interval(
    observed: float,
    found: Floats,
    chance: Resampling,
    level: float,
    over: Literal["topics", "systems"],
    kind: Literal["basic", "percentile"],
) -> TauInterval:
    defined = found[~np.isnan(found)]
    if not len(defined):
        raise InputError("no resample orders the systems", "give more of what is resampled")
    lower, upper = np.quantile(defined, [(1 - level) / 2, (1 + level) / 2]).tolist()
    if kind == "basic":
        lower, upper = max(-1.0, 2 * observed - upper), min(1.0, 2 * observed - lower)
    undefined = len(found) - len(defined)
    return TauInterval(
        tau=observed,
        lower=lower,
        upper=upper,
        level=level,
        over=over,
        kind=kind,
        undefined=undefined,
        chance=chance,
        taus=found,
    )


def _groups(values: Floats, tolerance: float) -> Ints:
    """Number of the group of ties each value is in, from 0 for the largest values."""
    order = np.argsort(-values, kind="stable")
    steps = -np.diff(_scaled(values[None])[0, order]) > tolerance
    groups = np.empty(len(values), np.int64)
    groups[order] = np.concatenate([[0], np.cumsum(steps)])
    return groups


def _walk(reference: Ints, estimate: Ints) -> tuple[float, float]:
    """tauAP_a and one direction of tauAP_b, down the estimate's groups."""
    n = len(estimate)
    size = np.bincount(estimate)
    above = np.cumsum(size) - size  # how many stand above each group
    higher = estimate[None, :] < estimate[:, None]  # j stands above i
    alike = higher & (reference[None, :] < reference[:, None])
    undecided = higher & (reference[None, :] == reference[:, None])
    strictly = np.bincount(estimate, alike.sum(axis=1))
    by_chance = strictly + np.bincount(estimate, undecided.sum(axis=1)) / 2
    share = 0.0  # over ranks 2 to n: expected share of what stands above that is rightly there
    for g, (t, p) in enumerate(zip(size.tolist(), above.tolist(), strict=True)):
        within = np.arange(t)  # how many of the own group stand above
        ranks = p + within
        seen = ranks > 0
        share += float(((by_chance[g] / t + within / 2)[seen] / ranks[seen]).sum())
    below = slice(1, None)
    share_b = float((strictly[below] / above[below]).sum() / (n - size[0]))
    return 2 * share / (n - 1) - 1, 2 * share_b - 1


def _walks(x: Floats, y: Floats, tolerance: float) -> Floats:
    """tauAP_b of rows."""
    first, second = (_group_rows(values, tolerance) for values in (x, y))
    one, other = (groups[:, None, :] < groups[:, :, None] for groups in (first, second))  # j stands above i
    alike = np.count_nonzero(one & other, axis=2)
    share = np.zeros(len(x))
    with np.errstate(invalid="ignore", divide="ignore"):
        for higher in (one, other):
            above = np.count_nonzero(higher, axis=2)
            below = above > 0  # not of the first group
            share += np.where(below, alike / above, 0.0).sum(axis=1) / np.count_nonzero(below, axis=1)
    return np.where((first.max(axis=1) > 0) & (second.max(axis=1) > 0), share - 1, np.nan)


def _group_rows(values: Floats, tolerance: float) -> Ints:
    """`_groups` of each row."""
    order = np.argsort(-values, axis=1, kind="stable")
    steps = -np.diff(np.take_along_axis(_scaled(values), order, axis=1), axis=1) > tolerance
    groups = np.zeros(values.shape, np.int64)
    np.put_along_axis(groups, order, np.pad(np.cumsum(steps, axis=1), ((0, 0), (1, 0))), axis=1)
    return groups


def _canonical(*matrices: Floats) -> list[Floats]:
    """Matrices of the same topics and systems, topics in an order that does not depend on how they came."""
    systems = _lexical(np.concatenate([np.sort(matrix, axis=0) for matrix in matrices]))
    topics = _lexical(np.concatenate([matrix[:, systems] for matrix in matrices], axis=1).T)
    return [matrix[topics] for matrix in matrices]


def _lexical(keys: Floats) -> Ints:
    """The columns in order of their first key, then their second, and so on."""
    order = np.argsort(keys[0], kind="stable")
    first = keys[0, order]
    return order if (first[1:] > first[:-1]).all() else np.lexsort(keys[::-1])


def _exact(values: Floats) -> Floats:
    """The values with so few bits that no sum of as many as there are rows is ever rounded, whoever adds them up."""
    largest = float(np.abs(values).max(initial=0.0)) or 1.0
    shift = 52 - math.frexp(largest)[1] - math.ceil(math.log2(max(len(values), 2)))
    return np.ldexp(np.rint(np.ldexp(values, shift)), -shift)


def _drawn(chance: Resampling, part: tuple[int, int], n: int) -> Ints:
    """Numbers below n, trials x n, each of its own draw."""
    keys = draw_keys(chance.seed, np.arange(part[0], part[0] + part[1])[:, None], np.arange(n))
    return ((draws(keys, 0).astype(np.uint64) * np.uint64(n)) >> np.uint64(32)).astype(np.int64)


def _random_half(chance: Resampling, part: tuple[int, int], topics: int) -> Floats:
    """Ones for the topics of the first half, trials x topics: those with the smallest keys."""
    keys = draw_keys(chance.seed, np.arange(part[0], part[0] + part[1])[:, None], np.arange(topics))
    half = topics // 2
    border = np.partition(keys, half - 1, axis=1)[:, half - 1 : half]
    return (keys <= border).astype(np.float64)  # keys of one trial are all different


def _all_halves(topics: int) -> Iterator[Floats]:
    """Ones for the topics of the first half, block by block, for every split there is."""
    splits = combinations(range(topics), topics // 2)
    while block := list(islice(splits, 4096)):
        half = np.zeros((len(block), topics))
        half[np.arange(len(block))[:, None], np.array(block)] = 1.0
        yield half


def _sums(weights: Floats, values: Floats) -> Floats:
    """weights @ values, in pieces so small that the library's own threads, which get in the way of ours, sleep on."""
    piece = 2**18 // values.size
    if piece < 1:
        return weights @ values
    whole = len(weights) // piece * piece
    most = weights[:whole].reshape(-1, piece, len(values)) @ values
    return np.concatenate([most.reshape(whole, values.shape[1]), weights[whole:] @ values])


def _halves(values: Floats, half: Floats) -> Halves:
    topics = len(values)
    first = _sums(half, values)
    return Halves(first / (topics // 2), (values.sum(axis=0) - first) / (topics - topics // 2))
