"""Sign flips: how the sum of differences is distributed when every sign is a coin toss."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log2
from typing import Any

import numpy as np

from rankscope.arrays import Bools, Floats, Ints
from rankscope.kernels import cpu
from rankscope.statistics.draws.resampling import Resampling, over_blocks
from rankscope.statistics.pairs.differences import grid, pvalue

CELLS = 1 << 20  # draws held at a time by a worker
MOST_HALVED = 40  # flips of so many topics are counted exactly, whatever the differences
MOST_STEPS = 1 << 28  # additions that an exact table on a grid may take
MOST_SUMS = 1 << 23  # entries it may have


@dataclass(frozen=True, slots=True)
class FlipUnits:
    """Numbers as multiples of a small unit, few enough bits that sums in float64 are exact in any order.

    Sums that are equal on paper differ by at most `slack` units, of each column where there are several.
    """

    units: Floats
    slack: Any

    @classmethod
    def of(cls, values: Floats, terms: int, error: Any) -> FlipUnits:
        """For differences of two sums of so many of the values, each sum known to within the error."""
        largest = float(np.abs(values).max(initial=0.0))
        exponent = int(np.frexp(largest)[1])
        shift = 52 - ceil(log2(terms)) - exponent if terms > 1 else 51 - exponent
        return cls(np.rint(np.ldexp(values, shift)), 2 * (terms + np.ldexp(error, shift)))


def signs(seed: int, first: int, trials: int, topics: int) -> Bools:
    """Which signs are flipped, (trials, topics), trials numbered from first."""
    return cpu.flips(seed, first, trials, topics)


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
    """p: probability that the flipped sum of whole weights is at least as far from 0 as observed.

    tail  0 both ways; 1 at least as large as observed; -1 at most as large
    """
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
    """p over all flips, counted by the sums of two halves (Horowitz and Sahni 1974); `tail` as of `exact_on_grid`.

    Sums are known to within the error. 2^(n/2) sums of each half are enough to count how many of the 2^n are at least
    as far from 0 as observed.
    """
    exact = FlipUnits.of(np.append(sizes, observed), sizes.size + 1, error)
    bar = (tail * exact.units[-1] if tail else abs(exact.units[-1])) - exact.slack
    if bar <= 0 and not tail:
        return 1.0
    first, second = (np.sort(_all_sums(part)) for part in (exact.units[:-1:2], exact.units[1:-1:2]))
    least = np.searchsorted(second, bar - first[::-1], "left")
    return float((1 if tail else 2) * (second.size - least).sum() / 2.0**sizes.size)


def _all_sums(values: Floats) -> Floats:
    sums = np.zeros(1)
    for value in values.tolist():
        sums = np.concatenate([sums - value, sums + value])
    return sums


def sampled(
    sizes: Floats, observed: float, error: float, resampling: Resampling, workers: int | None, tail: int = 0
) -> float:
    """p from random flips, the observed signs counted among them; sums are known to within the error."""
    exact = FlipUnits.of(np.append(sizes, observed), sizes.size + 1, error)
    units, bar = exact.units[:-1], (tail * exact.units[-1] if tail else abs(exact.units[-1])) - exact.slack
    flipped = resampling.kernels.flipped_sums
    size = resampling.kernels.block(block(units.size), units.size)

    def extreme(trials: tuple[int, int]) -> int:
        sums = 2 * flipped(units[:, None], resampling.seed, *trials) - units.sum()
        return int(np.count_nonzero((tail * sums if tail else np.abs(sums)) >= bar))

    return float(resampling.pvalue(np.asarray(sum(over_blocks(extreme, resampling, size, workers)))))


def affordable_grid(sizes: Floats, errors: Floats) -> tuple[Ints, float] | None:
    """The grid of the differences, where a table of all sums on it is small enough."""
    steps = grid(sizes, errors)
    if steps is None:
        return None
    reached = np.cumsum(np.sort(steps[0].astype(np.float64)))
    return steps if reached.sum() <= MOST_STEPS and reached[-1] <= MOST_SUMS else None
