"""Sums over topics that come out the same in whatever order topics came, and whoever adds them up."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, fsum, isfinite, log2
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rankscope.arrays import Floats, Ints

_FEW = 10_000  # values that `math.fsum` adds up as fast
_HIGHEST = 1000  # exponent beyond which sums of upper bits might overflow


@dataclass(frozen=True, slots=True)
class FixedPoint:
    """Numbers as whole multiples of 2^-shift, with so few bits that no sum of so many of them is rounded.

    units  whole numbers: float64 of at most 52 bits, or int64 of at most 62
    shift  one for all numbers, or one per column
    slack  units by which two sums that are equal on paper may differ
    """

    units: Any
    shift: Any
    slack: Any

    @classmethod
    def of(
        cls,
        values: Floats,
        terms: int,
        *,
        integers: bool = False,
        columns: bool = False,
        finest: int = 10_000,
        errors: ArrayLike = 0.0,
    ) -> FixedPoint:
        """The values with as many bits as sums of so many terms leave room for.

        integers  int64 instead of float64
        columns   a shift for each column instead of one for all
        finest    the largest shift: with 50, values up to 1 that are equal on paper mostly have the same units
        errors    of a sum of so many terms, as `equality` gives them

        >>> FixedPoint.of(np.array([[0.5, 3.0], [0.25, 1.0]]), 2, columns=True).shift.tolist()
        [51, 49]
        """
        exponent = np.frexp(np.abs(values).max(axis=0 if columns else None, initial=0.0))[1].astype(np.int64)
        shift = np.minimum((62 if integers else 52) - exponent - ceil(log2(max(2, terms))), finest)
        units = np.rint(np.ldexp(values, shift))
        return cls(units.astype(np.int64) if integers else units, shift, 2 * (terms + np.ldexp(errors, shift)))

    def numbers(self, sums: Any) -> Floats:
        """Sums of units as the numbers that they stand for."""
        return np.asarray(np.ldexp(np.asarray(sums, np.float64), -self.shift))


def exact_sum(values: Floats) -> float:
    """The sum, rounded once, as `math.fsum` gives it; of many values by passes over the array, which need no lock.

    In each pass the upper bits of all values are added up, so few that no sum is rounded; what is left goes on.

    >>> exact_sum(np.array([1e16, 1.0, -1e16] * 20_000))
    20000.0
    """
    parts: list[float] = []
    bits = ceil(log2(max(2, values.size)))
    while values.size > _FEW:
        largest = max(float(values.max()), -float(values.min()))
        if not largest:
            return fsum(parts)
        exponent = int(np.frexp(largest)[1]) + bits
        if not isfinite(largest) or exponent > _HIGHEST:
            break
        border = np.ldexp(1.5, exponent)  # what is added to it keeps its upper bits
        upper = values + border
        upper -= border
        parts.append(float(upper.sum()))
        values = np.subtract(values, upper, out=upper)
    return fsum([*parts, *values.tolist()])


def canonical_topics(*matrices: Floats) -> list[Floats]:
    """Matrices of the same topics and systems, topics in an order that does not depend on how they came."""
    systems = _lexical(np.concatenate([np.sort(matrix, axis=0) for matrix in matrices]))
    topics = _lexical(np.concatenate([matrix[:, systems] for matrix in matrices], axis=1).T)
    return [matrix[topics] for matrix in matrices]


def _lexical(keys: Floats) -> Ints:
    """The columns in order of their first key, then their second, and so on."""
    order = np.argsort(keys[0], kind="stable")
    first = keys[0, order]
    return order if (first[1:] > first[:-1]).all() else np.lexsort(keys[::-1])


def summable(values: Floats) -> Floats:
    """Each column in two, upper and lower bits: sums of as many as there are rows are never rounded in either.

    (topics, systems) in, (topics, 2 systems) out; `kernels.cpu.together` puts the two together again.
    """
    upper = _upper_bits(values)
    return np.concatenate([upper, _upper_bits(values - upper)], axis=1)


def _upper_bits(values: Floats) -> Floats:
    """The values to so many bits below the largest of their column that no sum of all rows is rounded."""
    fixed = FixedPoint.of(values, len(values), columns=True)
    return fixed.numbers(fixed.units)
