"""Differences of two systems, topic by topic, in an order that does not depend on how they were given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm
from sys import float_info
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from rankscope.arrays import Bools, Floats, Ints
from rankscope.errors import InputError
from rankscope.statistics.draws.exact_sums import exact_sum
from rankscope.statistics.equality import difference
from rankscope.statistics.score_arrays import score_pair

Alternative: TypeAlias = Literal["two-sided", "greater", "less"]
"""What speaks against the null hypothesis: b and a differ, b is greater than a, b is less than a."""

LEAST = float_info.min  # a p value is never 0
_LARGEST_DENOMINATOR = 10_000


@dataclass(frozen=True, slots=True)
class Differences:
    """b - a by topic, ascending, turned round where the mean is below 0: swapping a and b changes a sign only.

    errors  how far each may be from what it is on paper: its own scores decide, and 0 on paper is 0
    merged  topics whose scores differ as doubles and are equal on paper
    total   sum of the values, rounded once
    error   largest rounding error of the mean: its distance from the mean on paper
    """

    values: Floats
    errors: Floats
    sign: int  # -1 where turned round
    merged: int
    total: float
    error: float

    @classmethod
    def of(cls, a: ArrayLike, b: ArrayLike, *, topics: Sequence[str] | None = None) -> Differences:
        """Differences of two vectors of scores on the same topics; what is 0 but for rounding is 0."""
        first, second = score_pair(a, b, topics=topics)
        values, errors = difference(first, second)
        return cls.of_values(values, errors, int(np.count_nonzero((values == 0) & (first != second))))

    @classmethod
    def of_values(cls, values: Floats, errors: Floats, merged: int = 0) -> Differences:
        """Differences that are known, each with its error."""
        total = exact_sum(values)
        side = total
        if side == 0:
            upright, turned = np.sort(values), np.sort(0.0 - values)
            apart = np.flatnonzero(upright != turned)
            side = float(upright[apart[0]] - turned[apart[0]]) if apart.size else 0.0
        sign = 1 if side >= 0 else -1
        ordered = _ascending(values if sign > 0 else 0.0 - values, errors)
        return cls(*ordered, sign, merged, abs(total), exact_sum(errors) / values.size)

    @property
    def n_topics(self) -> int:
        """Topics."""
        return self.values.size

    @property
    def size(self) -> float:
        """The mean difference, its sign left out."""
        return self.total / self.n_topics

    @property
    def mean(self) -> float:
        """The mean of b - a."""
        return self.sign * self.size

    @property
    def sd(self) -> float:
        """Standard deviation of the differences (n - 1 below)."""
        exponent = int(np.frexp(np.abs(self.values).max())[1])  # squares of tiny differences would be 0
        return float(np.ldexp(np.std(np.ldexp(self.values, -exponent), ddof=1), exponent))

    @property
    def zeros(self) -> int:
        """Topics on which a and b score the same."""
        return int(np.count_nonzero(self.values == 0))

    @property
    def constant(self) -> bool:
        """Whether a and b differ by the same amount on every topic: one that is within the errors of all."""
        return bool(same_on_all(self.values, self.errors))

    def varied(self) -> Differences:
        """The same; an error where all differences are equal, so that there is no variance to judge them by."""
        if self.constant:
            amount = f"{self.sign * self.values[0]:.6g}"
            raise InputError(
                f"the difference is {amount} on all {self.n_topics} topics: it has no variance",
                "the sign test and the randomisation test need none",
            )
        return self

    def turned_alternative(self, alternative: Alternative) -> Alternative:
        """The alternative that the values, as they are turned, speak for."""
        turned: dict[str, Alternative] = {"greater": "less", "less": "greater"}
        return turned.get(alternative, alternative) if self.sign < 0 else alternative

    def turned(self, lower: float, upper: float) -> tuple[float, float]:
        """The ends of an interval for the values as ends for b - a."""
        return (lower, upper) if self.sign > 0 else (0.0 - upper, 0.0 - lower)

    def magnitudes(self) -> tuple[Floats, Floats]:
        """Absolute differences other than 0, ascending, and their errors."""
        sizes = np.abs(self.values)
        order = np.lexsort((self.errors, sizes))[np.count_nonzero(sizes == 0) :]
        return sizes[order], self.errors[order]


def _ascending(values: Floats, errors: Floats) -> tuple[Floats, Floats]:
    """Values and errors, in the order of the values, equal ones by their errors."""
    pairs = np.empty(values.size, np.complex128)  # sorted by real parts, then by imaginary ones, without an index
    pairs.real, pairs.imag = values, errors
    pairs.sort()
    return pairs.real.copy(), pairs.imag.copy()


def same_on_all(values: Floats, errors: Floats, axis: int = -1) -> Bools:
    """Whether one number is within the errors of all values along an axis."""
    return np.asarray((values - errors).max(axis=axis) <= (values + errors).min(axis=axis))


def grid(values: Floats, errors: Floats) -> tuple[Ints, float] | None:
    """The values as whole multiples of one step, and the step; None where there is no such step with few digits.

    Scores that are fractions (P@10, RR@10), or that were rounded to a few decimals, have one.

    >>> grid(np.array([0.1, 0.3, 0.1 + 0.2 - 0.8]), np.full(3, 1e-15))
    (array([ 1,  3, -5]), 0.1)
    """
    sizes, at = np.unique(np.abs(values), return_index=True)
    known = errors[at[sizes > 0]]
    sizes = sizes[sizes > 0]
    if not sizes.size:
        return np.zeros(values.size, np.int64), 1.0
    least = float(sizes[0])
    for unit, off in ((1.0, 0.0), (least, float(known[0]) / least)):  # fractions as they are, or of the smallest
        step = _common_step(sizes, unit, known + off * sizes)
        if step is not None:
            wide = np.rint(values / step).astype(np.int64)
            common = int(np.gcd.reduce(wide))
            return wide // common, step * common
    return None


def _common_step(sizes: Floats, unit: float, errors: Floats) -> float | None:
    above, below = 0, 1
    for size, error in zip(sizes.tolist(), errors.tolist(), strict=True):
        near = Fraction(size / unit).limit_denominator(_LARGEST_DENOMINATOR)
        if near == 0 or abs(float(near) * unit - size) > error:
            return None
        above, below = gcd(above, near.numerator), lcm(below, near.denominator)
        if below > 1 << 40:
            return None
    step = unit * above / below if above else unit / below
    exact = np.abs(np.rint(sizes / step) * step - sizes) <= errors
    return step if exact.all() else None


def pvalue(probability: float) -> float:
    """A p value: at most 1, and where it is too small for a float the smallest there is, for it is never 0."""
    return min(1.0, max(probability, LEAST))
