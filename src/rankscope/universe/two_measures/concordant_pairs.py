"""All pairs of places by two measures, and by a feature beside them, in n log n steps."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from rankscope import kernels
from rankscope.arrays import Bools, Ints
from rankscope.measures.attainable import Places
from rankscope.statistics.equality import pairs_within


class Compared(NamedTuple):
    """Pairs of rankings by how two measures order them."""

    alike: int  # in the same way
    strict: int  # in opposite ways
    tied_first: int  # by the second alone
    tied_second: int  # by the first alone
    tied_both: int

    @property
    def differ(self) -> int:
        """Pairs that are ordered differently, including ties by one measure alone."""
        return self.strict + self.tied_first + self.tied_second


def compared(a: Places, b: Places) -> Compared:
    """All pairs by two columns of places, in n log n steps: sorted by one, the rising pairs of the other are counted.

    >>> compared(np.array([0, 1, 1, 2]), np.array([0, 2, 1, 1]))
    Compared(alike=3, strict=1, tied_first=1, tied_second=1, tied_both=0)
    """
    n, wide = len(a), int(b.max()) + 1
    ties_a, ties_b = tied(a), tied(b)
    if a is b or np.array_equal(a, b):
        return Compared(n * (n - 1) // 2 - ties_a, 0, 0, 0, ties_a)
    key = a.astype(np.int64)
    key *= wide
    key += wide - 1
    key -= b
    key.sort()  # by a upwards, within it by b downwards: no pair that ties by a rises by b
    both = _tied_neighbours(key[1:] == key[:-1])
    key %= wide
    np.subtract(wide - 1, key, out=key)
    alike = kernels.rising_pairs(key)
    strict = n * (n - 1) // 2 - ties_a - ties_b + both - alike
    return Compared(alike, strict, ties_a - both, ties_b - both, both)


class WithFeature(NamedTuple):
    """Pairs that two measures order differently, by which measure prefers more of a feature."""

    first: int
    second: int
    tied: int  # the feature is the same


def with_feature(a: Places, b: Places, f: Places) -> WithFeature:
    """Count the pairs of `WithFeature`: exact, in n log n log(values of the feature) steps.

    A measure prefers more of the feature where both rise and the other measure does not: all pairs that rise by both
    less those that rise by all three.
    """
    wide, levels = int(b.max()) + 1, int(f.max()) + 1
    down = wide - 1 - b
    _, falling, feature = _sorted(a, down, f)
    three = kernels.rising_pairs(wide - 1 - falling, feature)
    # pairs of one value of the feature: in one sequence, where no two of different values rise
    feature, first, falling = _sorted(f, a, down)
    same = (feature[1:] == feature[:-1]) & (first[1:] == first[:-1]) & (falling[1:] == falling[:-1])
    both = _tied_neighbours(same)
    within = kernels.rising_pairs((levels - 1 - feature) * wide + (wide - 1 - falling))
    return WithFeature(
        compared(f, a).alike - three,
        compared(f, b).alike - three,
        tied(f) - within - both,
    )


def _sorted(*columns: Places) -> list[Ints]:
    """Columns of numbers that are not negative, sorted by the first, then the second, then the third."""
    widths = [int(column.max()) + 1 for column in columns]
    if math.prod(widths) >= 1 << 62:
        order = np.lexsort(columns[::-1])
        return [column[order].astype(np.int64) for column in columns]
    key = np.zeros(len(columns[0]), np.int64)  # one number for all is sorted several times faster
    for column, width in zip(columns, widths, strict=True):
        key *= width
        key += column
    key.sort()
    ordered: list[Ints] = []
    for width in widths[::-1]:
        ordered.append(key % width)
        key //= width
    return ordered[::-1]


def tied(places: Places) -> int:
    """Pairs of equal place; counted by place, which for millions of them is faster than sorting."""
    return int(pairs_within(np.bincount(places)).sum())


def _tied_neighbours(same: Bools) -> int:
    """Pairs of equal values among sorted ones, from which of them equal the one before."""
    first = np.flatnonzero(np.append(True, ~same))
    return int(pairs_within(np.diff(first, append=len(same) + 1)).sum())
