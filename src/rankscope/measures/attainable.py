"""Attainable lists: all lists that a topic allows, and which of their scores are equal."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rankscope.arrays import Bools, Floats, Ints
from rankscope.errors import InputError

Levels: TypeAlias = NDArray[np.unsignedinteger[Any]]
"""(lists, K): 0 for a document without gain, j for one of the j-th level above."""

Places: TypeAlias = NDArray[np.int32]
"""(lists): 0 for the lowest score, equal where scores are equal."""

LIMIT = 2**20
"""So many lists are enumerated at most."""

_DIGITS = 16 * float(np.finfo(np.float64).eps)  # what two sums of 16 numbers lose at the worst
_DOUBT = 16.0  # differences up to so many times that are neither rounding nor clearly more


def count(depth: int, counts: Sequence[int]) -> int:
    """Number of lists of `depth` documents with at most counts[j - 1] documents of level j.

    >>> count(3, [3]), count(3, [1]), count(2, [1, 1])
    (8, 4, 7)
    """
    ways = [1]  # ways[n]: lists of n documents, all of the levels so far
    for most in counts:
        longest = min(depth, len(ways) - 1 + most)
        ways = [
            sum(ways[n - m] * comb(n, m) for m in range(min(n, most) + 1) if n - m < len(ways))
            for n in range(longest + 1)
        ]
    return sum(number * comb(depth, n) for n, number in enumerate(ways))


def attainable(depth: int, counts: Sequence[int]) -> Levels:
    """All lists of `depth` documents with at most counts[j - 1] of level j, in lexicographic order.

    Documents without gain (level 0) never run out. The caller keeps their number within LIMIT.

    >>> attainable(2, [1]).tolist()
    [[0, 0], [0, 1], [1, 0]]
    """
    levels = len(counts) + 1
    kind = np.uint8 if levels <= 256 else np.uint16
    lists = np.zeros((1, 0), kind)
    # documents of each level that the rest of a list can hold; no more than depth, and in few bytes
    few = np.int8 if depth < 128 else np.int64
    left: NDArray[np.integer[Any]] = np.array([[min(depth, most) for most in (depth, *counts)]], few)
    for _ in range(depth):
        last: Levels = np.tile(np.arange(levels, dtype=kind), len(lists))
        lists = np.column_stack([np.repeat(lists, levels, axis=0), last])
        fits = left.ravel() > 0  # as many cells as new lists: what each takes its last document from
        left = np.repeat(left, levels, axis=0)
        left.ravel()[last + levels * np.arange(len(left))] -= 1
        lists, left = lists[fits], left[fits]
    return lists


def deepest(levels: int) -> int:
    """Largest depth at which all lists over `levels` levels can be enumerated.

    >>> deepest(2), deepest(4)
    (20, 10)
    """
    depth = 0
    while levels ** (depth + 1) <= LIMIT:
        depth += 1
    return depth


def certain_signs(difference: Floats, size: float, depth: int) -> tuple[Ints, Bools]:
    """Signs of differences between scores up to `size`, and which of them doubles cannot decide.

    What rounding explains is 0; what is a little more than that is in doubt. How far apart the scores of all lists
    up to LIMIT are for the measures of this package is in decisions/0036.
    """
    noise = _noise(size, depth)
    gap = np.abs(difference)
    sign = np.where(gap <= noise, 0, np.sign(difference)).astype(np.int64)
    return sign, (gap > noise) & (gap < apart(size, depth))


def apart(size: float, depth: int) -> float:
    """Smallest distance between scores that doubles tell apart with certainty."""
    return _DOUBT * _noise(size, depth)


def _noise(size: float, depth: int) -> float:
    return _DIGITS * max(1.0, depth / 16) * size


def distinct(scores: Floats, depth: int, what: str) -> Floats:
    """The different values among scores, ascending, each the lowest of those that are equal."""
    _, order, ties = dense(scores, depth, what)
    return np.delete(scores[order], ties + 1)


def dense(values: Floats, depth: int, what: str, size: float | None = None) -> tuple[Places, Ints, Ints]:
    """Numbers as places, what rounding explains being equal; with the ascending order and where in it ties are.

    size  of the largest score, where the numbers are differences of scores; by default that of the numbers
    """
    order = np.argsort(values)
    gap = np.diff(values[order])
    if size is None:
        size = float(np.abs(values[order[[0, -1]]]).max()) if len(values) else 0.0
    close = np.flatnonzero(gap < apart(size, depth)) if size else np.arange(len(gap))
    sign, doubt = certain_signs(gap[close], size, depth)
    if doubt.any():
        at = close[int(doubt.argmax())]
        raise doubtful(what, float(values[order[at]]), float(values[order[at + 1]]))
    ties = close[sign == 0]
    del gap, close
    rises = np.ones(len(values), np.int32)
    rises[:1] = 0
    rises[ties + 1] = 0
    places = np.empty(len(values), np.int32)
    places[order] = np.cumsum(rises, dtype=np.int32)
    return places, order, ties


def doubtful(what: str, first: float, second: float, cure: str = "take shorter lists") -> InputError:
    """InputError for two scores that doubles cannot tell apart."""
    return InputError(
        f"{what}: whether {first!r} and {second!r} are one score or two cannot be told in doubles",
        cure,
    )
