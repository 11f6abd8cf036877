"""Sign flips: how the sum of differences is distributed when every sign is a coin toss.

`tail` is 0 for both ways, 1 for sums at least as large as the one observed, -1 for sums at most as large.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from rankscope.arrays import Floats, Ints
from rankscope.statistics.draws.exact_sums import FixedPoint
from rankscope.statistics.draws.resampling import Block, Resampling, over_blocks
from rankscope.statistics.pairs.differences import grid, pvalue

CELLS = 1 << 20  # draws held at a time by a worker
MOST_HALVED = 40  # flips of so many topics are counted exactly, whatever the differences
MOST_STEPS = 1 << 28  # additions that an exact table on a grid may take
MOST_SUMS = 1 << 23  # entries it may have


def block(topics: int) -> int:
    """Trials in a block of bounded size."""
    return max(1, CELLS // topics)


def subset_sums(weights: Ints) -> Floats:
    """Probability of each sum, from 0 to the total, when every weight is in with probability one half.

    >>> subset_sums(np.array([1, 2])).tolist()
    [0.25, 0.25, 0.25, 0.25]
    """
    share = np.zeros(int(weights.sum()) + 1)
    share[0], top = 1.0, 0
    for weight in np.sort(weights).tolist():  # the smallest first keep the table short for long
        share[: top + 1] *= 0.5
        moved = share[: top + 1].copy()
        top += weight
        share[weight : top + 1] += moved
    return share


def exact_on_grid(weights: Ints, observed: int, tail: int = 0) -> float:
    """p: probability that the flipped sum of whole weights is at least as far from 0 as observed."""
    if observed == 0 and not tail:
        return 1.0
    step = int(np.gcd.reduce(weights))  # ranks without ties are twice whole numbers: half the table
    return beyond(subset_sums(weights // step), observed // step, tail)


def beyond(shares: Floats, observed: int, tail: int = 0) -> float:
    """p of a flipped sum, by `subset_sums` of its weights; the flipped sum is 2 * subset - total."""
    total = shares.size - 1
    if tail:  # flipped sums are symmetric around 0
        return pvalue(float(shares[(total + tail * observed + 1) // 2 :].sum()))
    return pvalue(2 * float(shares[(total + abs(observed) + 1) // 2 :].sum())) if observed else 1.0


def exact_by_halves(sizes: Floats, observed: float, error: float, tail: int = 0) -> float:
    """p over all flips, counted by the sums of two halves (Horowitz and Sahni 1974).

    Sums are known to within the error. 2^(n/2) sums of each half are enough to count how many of the 2^n are at least
    as far from 0 as observed.
    """
    units, bar = _units_and_bar(sizes, observed, error, tail)
    if bar <= 0 and not tail:
        return 1.0
    first, second = (np.sort(_all_sums(part)) for part in (units[::2], units[1::2]))
    least = np.searchsorted(second, bar - first[::-1], "left")
    return float((1 if tail else 2) * (second.size - least).sum() / 2.0**sizes.size)


def _units_and_bar(sizes: Floats, observed: float, error: float, tail: int) -> tuple[Floats, float]:
    """Sizes in whole units, and what a sum of theirs must reach, in the direction of the tail."""
    fixed = FixedPoint.of(np.append(sizes, observed), sizes.size + 1, errors=error)
    total = fixed.units[-1]
    return fixed.units[:-1], (tail * total if tail else abs(total)) - fixed.slack


def _all_sums(values: Floats) -> Floats:
    sums = np.zeros(1)
    for value in values.tolist():
        sums = np.concatenate([sums - value, sums + value])
    return sums


def sampled(
    sizes: Floats, observed: float, error: float, resampling: Resampling, workers: int | None, tail: int = 0
) -> float:
    """p from random flips, the observed signs counted among them; sums are known to within the error."""
    units, bar = _units_and_bar(sizes, observed, error, tail)

    def extreme(sums: Floats) -> int:
        return int(np.count_nonzero((-tail * sums if tail else np.abs(sums)) >= bar))

    return float(resampling.pvalue(np.asarray(sum(over_flips(extreme, units[:, None], resampling, workers)[1]))))


def over_flips(
    use: Callable[[Floats], Block], values: Floats, resampling: Resampling, workers: int | None, *, every: bool = False
) -> tuple[bool, Iterator[Block]]:
    """Results of use() on the flipped sums (trials, columns) of the values (topics, columns), block by block.

    every  take all 2^topics flips where they are no more than the resamples; whether they were comes first
    """
    topics, columns = values.shape
    every = every and topics < 62 and 2**topics <= resampling.resamples
    taken, seed = (resampling.of(2**topics), None) if every else (resampling, resampling.seed)
    kernels, total = resampling.kernels, values.sum(axis=0)

    def work(trials: tuple[int, int]) -> Block:
        return use(total - 2 * kernels.flipped_sums(values, seed, *trials))

    size = kernels.block(CELLS // max(topics, columns), topics, columns)
    return every, over_blocks(work, taken, size, workers)


def affordable(steps: Ints) -> bool:
    """Whether a table of all sums of whole steps is small enough."""
    reached = np.cumsum(np.sort(steps.astype(np.float64)))
    return bool(reached.sum() <= MOST_STEPS and reached[-1] <= MOST_SUMS)


def affordable_grid(sizes: Floats, errors: Floats) -> tuple[Ints, float] | None:
    """The grid of the differences, where a table of all sums on it is small enough."""
    steps = grid(sizes, errors)
    return steps if steps is not None and affordable(steps[0]) else None
