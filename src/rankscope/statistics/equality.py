"""Equality of scores on paper: the one rule for every test, rank correlation and order.

A score is a sum of up to as many terms as a list has ranks, or a mean of such sums, and it is rounded on the way.
0.1 + 0.2 and 0.3 are one score and two doubles. So a double v stands for every number within `PRECISION` times |v|:

- two scores are equal on paper where these ranges meet, |a - b| <= PRECISION (|a| + |b|): each pair by its own size;
- a difference b - a, and a sum or mean of differences, is known to within the sum of the errors of its terms;
- groups of ties are chains: sorted, neighbours that are equal are in one group. Equality within a tolerance is not
  transitive, so the ends of a chain may be further apart than two equal scores.

PRECISION is 2^-45, 128 units in the last place of 1. A sum of n terms other than 0, none negative, each with two
roundings of its own, and one division is off by at most (n + 2) 2^-53 of itself (Higham, "Accuracy and Stability of
Numerical Algorithms", 2002, section 4.2): so no tie of sums of up to 254 terms is ever split, however unlucky the
roundings; a mean over topics has one more per topic. Roundings are of either sign, and the largest error of AP on the
lists of TREC-8 is 6 units. Real differences below 2^-44 of a score are merged, which `merged` counts; scores that need
more have exact keys (`Measure.order_keys`). Below 2^-1022 doubles have fewer digits than others, and those that differ
there count as different. A sum of terms of both signs may be close to 0 by cancellation: its error is that of its
terms, not its own, so whoever subtracts calls `difference`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from rankscope.arrays import Bools, Floats, Ints
from rankscope.errors import plural
from rankscope.kernels import ties
from rankscope.kernels.ties import joined

PRECISION = 2.0**-45
STATISTIC = 1e-10  # of t statistics: what differences of sums of squares may lose of PRECISION by cancellation


def error(values: ArrayLike, tolerance: float = PRECISION) -> Floats:
    """Largest rounding error of each value: its distance from the value on paper."""
    errors: Floats = tolerance * np.abs(np.asarray(values, np.float64))
    return errors


def equal(a: ArrayLike, b: ArrayLike) -> Bools:
    """Whether two scores are the same on paper.

    >>> equal([0.1 + 0.2, 2.0**-60, 0.0], [0.3, 2.0**-61, 2.0**-60]).tolist()
    [True, False, False]
    """
    return difference(a, b)[0] == 0


def difference(a: ArrayLike, b: ArrayLike) -> tuple[Floats, Floats]:
    """b - a, 0 where they are equal on paper, and the error of each difference.

    >>> difference([0.3, 0.25], [0.1 + 0.2, 0.5])[0].tolist()
    [0.0, 0.25]
    """
    first, second = np.asarray(a, np.float64), np.asarray(b, np.float64)
    errors = error(first) + error(second)
    apart = second - first
    same = np.abs(apart) <= errors
    return np.where(same, 0.0, apart), np.where(same, 0.0, errors)


def no_variance(squares: float, values: Floats) -> bool:
    """Whether a sum of squares of residuals of these values is 0 on paper: a residual has the errors of four values."""
    return squares <= values.size * float(4 * error(np.abs(values).max())) ** 2


def tie_groups(ascending: Floats, errors: Floats) -> Ints:
    """The number of each value's group along the last axis; neighbours that are equal on paper are in one.

    >>> values = np.array([0.1, 0.3, 0.1 + 0.2])
    >>> tie_groups(values, error(values)).tolist()
    [0, 1, 1]
    """
    groups = np.zeros(ascending.shape, np.int64)
    np.cumsum(~joined(ascending, errors), axis=-1, out=groups[..., 1:])
    return groups


def settled(values: ArrayLike, tolerance: float = PRECISION) -> Floats:
    """The values, those that are equal on paper along the last axis made one double: the least of each chain.

    What compares them afterwards needs no tolerance. Only rows with such values cost more than to be sorted.

    >>> settled([0.1 + 0.2, 0.5, 0.3]).tolist()
    [0.3, 0.5, 0.3]
    """
    return ties.settled(np.asarray(values, np.float64), tolerance)


def merged(values: ArrayLike, tolerance: float = PRECISION) -> int:
    """Number of values, along the last axis, that differ as doubles from one that they equal on paper.

    >>> merged([0.1 + 0.2, 0.5, 0.3, 0.3])
    1
    """
    return int(np.count_nonzero(settled(values, tolerance) != np.asarray(values, np.float64)))


def places(values: ArrayLike, tolerance: float = PRECISION) -> Ints:
    """Place of each value along the last axis, 0 the lowest, the same where equal on paper.

    >>> places([0.3, 0.1, 0.1 + 0.2]).tolist()
    [1, 0, 1]
    """
    scores = settled(values, tolerance)
    order = np.argsort(scores, axis=-1, kind="stable")
    ascending = np.take_along_axis(scores, order, axis=-1)
    place = np.empty(scores.shape, np.int64)
    np.put_along_axis(place, order, tie_groups(ascending, np.zeros(scores.shape)), axis=-1)
    return place


def tied_pairs(values: ArrayLike) -> Ints:
    """Pairs of equal values along the last axis; scores that may be rounded are settled first.

    >>> tied_pairs([[1, 2, 1, 1], [1, 2, 3, 4]]).tolist()
    [3, 0]
    """
    ascending = np.sort(values, axis=-1)
    opens = np.ones(ascending.shape, np.bool_)
    opens[..., 1:] = ascending[..., 1:] != ascending[..., :-1]
    first = np.flatnonzero(opens)  # of every group of equal values
    pairs = np.zeros(ascending.shape[:-1], np.int64)
    np.add.at(pairs.reshape(-1), first // max(1, ascending.shape[-1]), pairs_within(np.diff(first, append=opens.size)))
    return pairs


def pairs_within(sizes: Ints) -> Ints:
    """Pairs within groups of these sizes, each: n (n - 1) / 2.

    >>> pairs_within(np.array([3, 1, 0])).tolist()
    [3, 0, 0]
    """
    return sizes * (sizes - 1) // 2


def midranks(values: Floats | Ints, errors: ArrayLike | None = None) -> tuple[Floats, Floats]:
    """Ranks along the last axis, 1 for the least, equal values sharing their mean rank; and sum(t^3 - t) of the ties.

    Neighbours that are equal on paper share a rank; `errors` of the values, where these are differences of others.
    """
    by_value = errors is None or np.ndim(errors) < 2
    errors = error(values) if errors is None else np.broadcast_to(errors, values.shape)
    rows, n = values.shape
    order = np.argsort(values, axis=1, kind="stable") if by_value else np.lexsort((errors, values), axis=1)
    ordered = np.take_along_axis(values, order, axis=1)
    new = np.ones((rows, n), np.bool_)
    new[:, 1:] = ~joined(ordered, np.take_along_axis(errors, order, axis=1))
    starts = np.flatnonzero(new)
    size = np.diff(np.append(starts, rows * n))
    shared = np.repeat((starts % n) + (size + 1) / 2, size).reshape(rows, n)
    ranks = np.empty((rows, n))
    np.put_along_axis(ranks, order, shared, axis=1)
    cubes = size.astype(np.float64) ** 3 - size
    tied: Floats = np.bincount(starts // n, weights=cubes, minlength=rows).astype(np.float64)
    return ranks, tied


def best_first(values: ArrayLike, names: Sequence[str]) -> list[int]:
    """Indices of the values from the highest to the lowest; values equal on paper are ordered by name.

    >>> best_first([0.3, 0.5, 0.1 + 0.2], ["c", "b", "a"])
    [1, 2, 0]
    """
    place = places(values).tolist()
    return sorted(range(len(place)), key=lambda i: (-place[i], names[i]))


def merged_sentence(count: int, what: str) -> str:
    """Note on the number of merged values; empty where none were.

    >>> merged_sentence(2, "topic")
    '2 topics: scores that differ by less than rounding can explain count as equal'
    """
    return (
        f"{plural(count, what)}: scores that differ by less than rounding can explain count as equal" if count else ""
    )
