"""Thresholds of a paired bootstrap test, one per pair of systems."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from rankscope.arrays import Bools, Floats
from rankscope.statistics.draws.exact_sums import FixedPoint
from rankscope.statistics.equality import PRECISION

BootstrapVariant: TypeAlias = Literal["studentised", "shift"]


@dataclass(frozen=True, slots=True)
class Bars:
    """Differences shifted to mean 0, their squares (topics, pairs), and what the samples of each pair must reach.

    Sums of either are exact in float64, whoever adds them up and in whatever order.
    """

    values: Floats
    squares: Floats
    mean: Floats
    error: Floats  # of the mean
    variance: Floats | None  # None where means are compared, and not t

    @classmethod
    def of(cls, differences: Floats, error: Floats, variant: BootstrapVariant) -> Bars:
        """Thresholds from (topics, pairs) differences whose means are known to within the errors."""
        mean = differences.mean(axis=0)
        centred = differences - mean
        fixed = [FixedPoint.of(terms, len(terms), columns=True) for terms in (centred, centred**2)]
        values, squares = (each.numbers(each.units) for each in fixed)
        error = error + fixed[0].numbers(fixed[0].slack) / len(values)  # of values about a mean, which are on no grid
        return cls(values, squares, mean, error, np.var(centred, axis=0, ddof=1) if variant == "studentised" else None)

    @property
    def least(self) -> Floats:
        """Least absolute mean of a sample that counts as being as large; 0 where the mean is 0 on paper."""
        return np.maximum(np.abs(self.mean) - self.error, 0.0)

    def two_sided(self) -> tuple[Floats, tuple[Floats, Floats] | None]:
        """Thresholds for `kernels.cpu.drawn_pairs`: of means, or of t with its terms, both squared."""
        if self.variance is None:
            return self.least, None
        # the mean of a sample is 0 on paper below the error
        return self.least**2 * (1 - 4 * PRECISION), (self.variance, self.variance * self.error**2)

    def at_least(self, sums: Floats, squares: Floats) -> Bools:
        """Mask (trials, pairs) of samples with as large a mean, or t, by their sums of values and of squares."""
        n, low = len(self.values), self.mean - self.error
        means = sums / n
        if self.variance is None:
            return means >= low
        spread = np.maximum(squares - n * means**2, 0.0) / (n - 1)
        means = np.where(np.abs(means) <= self.error, 0.0, means)
        bar = low * np.abs(low) * (1 - np.sign(low) * 4 * PRECISION)
        return means * np.abs(means) * self.variance >= bar * spread
