"""Differences of two systems, topic by topic, in an order that does not depend on how they were given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import fsum, gcd, lcm
from sys import float_info
from typing import Any

import numpy as np

from rankscope.arrays import Bools, Floats, Ints
from rankscope.errors import InputError
from rankscope.statistics import checks

ROUNDING = 1e-12  # differences that are this close, relative to the largest score, are the same on paper
_LARGEST_DENOMINATOR = 10_000


@dataclass(frozen=True, slots=True)
class Differences:
    """a - b by topic, ascending, turned round where the mean is below 0: swapping a and b changes a sign only."""

    values: Floats
    sign: int  # -1 where turned round
    tolerance: float

    @classmethod
    def of(cls, a: Any, b: Any, *, topics: Sequence[str] | None = None) -> Differences:
        """Of two vectors of scores on the same topics; what is 0 but for rounding is 0."""
        first, second = checks.pair(a, b, topics=topics)
        tolerance = ROUNDING * float(max(np.abs(first).max(), np.abs(second).max()))
        given = first - second
        given = np.sort(np.where(np.abs(given) <= tolerance, 0.0, given))
        turned = np.sort(0.0 - given)
        total = fsum(given)
        if total == 0:
            apart = np.flatnonzero(given != turned)
            total = float(given[apart[0]] - turned[apart[0]]) if apart.size else 0.0
        return cls(given, 1, tolerance) if total >= 0 else cls(turned, -1, tolerance)

    @property
    def n(self) -> int:
        """Topics."""
        return self.values.size

    @property
    def size(self) -> float:
        """The mean difference, its sign left out."""
        return fsum(self.values) / self.n

    @property
    def mean(self) -> float:
        """The mean of a - b."""
        return self.sign * self.size

    @property
    def sd(self) -> float:
        """Standard deviation of the differences (n - 1 below)."""
        return float(np.std(self.values, ddof=1))

    @property
    def zeros(self) -> int:
        """Topics on which a and b score the same."""
        return int(np.count_nonzero(self.values == 0))

    @property
    def constant(self) -> bool:
        """Whether a and b differ by the same amount on every topic."""
        return bool(self.values[-1] - self.values[0] <= self.tolerance)

    def varied(self) -> Differences:
        """The same; an error where all differences are equal, so that there is no variance to judge them by."""
        if self.constant:
            amount = f"{self.sign * self.values[0]:.6g}"
            raise InputError(
                f"the difference is {amount} on all {self.n} topics: it has no variance",
                "the sign test and the randomisation test need none",
            )
        return self

    def turned(self, lower: float, upper: float) -> tuple[float, float]:
        """The ends of an interval for the values as ends for a - b."""
        return (lower, upper) if self.sign > 0 else (0.0 - upper, 0.0 - lower)

    def magnitudes(self) -> Floats:
        """Absolute differences other than 0, ascending."""
        sizes = np.sort(np.abs(self.values))
        return sizes[sizes > 0]


def tie_groups(ascending: Floats, tolerance: float) -> Ints:
    """The number of each value's group; neighbours no further apart than the tolerance are in one.

    >>> tie_groups(np.array([0.1, 0.3, 0.3 + 1e-16]), 1e-12).tolist()
    [0, 1, 1]
    """
    apart: Bools = np.diff(ascending) > tolerance
    return np.concatenate([np.zeros(min(1, ascending.size), np.int64), np.cumsum(apart)])


def grid(values: Floats, tolerance: float) -> tuple[Ints, float] | None:
    """The values as whole multiples of one step, and the step; None where there is no such step with few digits.

    Scores that are fractions (P@10, RR@10), or that were rounded to a few decimals, have one.

    >>> grid(np.array([0.1, 0.3, 0.1 + 0.2 - 0.8]), 1e-12)
    (array([ 1,  3, -5]), 0.1)
    """
    sizes = np.unique(np.abs(values))
    sizes = sizes[sizes > 0]
    if not sizes.size:
        return np.zeros(values.size, np.int64), 1.0
    for unit in (1.0, float(sizes[0])):  # fractions as they are, or of the smallest of them
        step = _common_step(sizes, unit, tolerance)
        if step is not None:
            wide = np.rint(values / step).astype(np.int64)
            common = int(np.gcd.reduce(wide))
            return wide // common, step * common
    return None


def _common_step(sizes: Floats, unit: float, tolerance: float) -> float | None:
    above, below = 0, 1
    for size in sizes.tolist():
        near = Fraction(size / unit).limit_denominator(_LARGEST_DENOMINATOR)
        if near == 0 or abs(float(near) * unit - size) > tolerance:
            return None
        above, below = gcd(above, near.numerator), lcm(below, near.denominator)
        if below > 1 << 40:
            return None
    step = unit * above / below if above else unit / below
    exact = np.abs(np.rint(sizes / step) * step - sizes) <= tolerance
    return step if exact.all() else None


def pvalue(probability: float) -> float:
    """A p value: at most 1, and where it is too small for a float the smallest there is, for it is never 0."""
    return min(1.0, max(probability, float_info.min))


def between(value: float, name: str) -> float:
    """A share strictly between 0 and 1: a level, a significance level, a power."""
    if not _number(value) or not 0 < value < 1:
        raise InputError(f"{name}={value!r}", f"{name} lies between 0 and 1")
    return float(value)


def positive(value: float, name: str) -> float:
    """A finite number above 0."""
    if not (_number(value) and np.isfinite(value) and value > 0):
        raise InputError(f"{name}={value!r}", f"{name} is a number above 0")
    return float(value)


def _number(value: Any) -> bool:
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
