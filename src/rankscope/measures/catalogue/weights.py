"""Attention to ranks, and sums over ranks: what several measures share."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from rankscope.arrays import Bools, Floats, Ints


def ranks(depth: int) -> Floats:
    """1, 2, ..., depth."""
    return np.arange(1, depth + 1, dtype=np.float64)


def geometric(depth: int, p: float) -> Floats:
    """(1 - p) p^(i-1): a reader who goes on with probability p. Sums to 1 over all ranks."""
    return (1 - p) * p ** np.arange(depth, dtype=np.float64)


def logarithmic(depth: int, base: float | None = None) -> Floats:
    """1 / log2(i + 1), or 1 / max(1, log_base i) where a base is given. The sum has no bound."""
    if base is None:
        return 1 / np.log2(ranks(depth) + 1)
    return 1 / np.maximum(1.0, np.log(ranks(depth)) / math.log(base))


def rank_sum(x: Floats) -> Floats:
    """Sum over ranks, from the first to the last.

    Always in this order, so that a score has the same bits whatever other lists are in the array.
    """
    if not x.shape[-1]:
        return np.zeros(x.shape[:-1])
    total: Floats = np.add.accumulate(x, axis=-1)[..., -1]
    return total


class Hits(NamedTuple):
    """Relevant documents of lists, which are few: list after list, best rank first.

    row     the list, all lists numbered in one row
    rank    from 1
    number  how many relevant documents the list has down to this one
    shape   of the lists
    """

    row: Ints
    rank: Ints
    number: Ints
    shape: tuple[int, ...]

    def each(self, values: Any) -> Any:
        """Values of lists, or of topics that all of them share, one per relevant document."""
        return np.broadcast_to(values, self.shape).reshape(-1)[self.row]

    def sum(self, values: Floats) -> Floats:
        """Values of relevant documents, added up in each list from the first rank to the last."""
        total: Any = np.bincount(self.row, values, math.prod(self.shape))
        return np.asarray(total, np.float64).reshape(self.shape)


def hits(relevant: Bools) -> Hits:
    """Relevant documents of lists, ranks last."""
    shape = relevant.shape[:-1]
    row, place = np.divmod(np.flatnonzero(relevant), max(1, relevant.shape[-1]))
    first = np.searchsorted(row, np.arange(math.prod(shape)))
    return Hits(row, place + 1, np.arange(1, len(row) + 1) - first[row], shape)
