"""Sums over topics that come out the same in whatever order topics came, and whoever adds them up."""

from __future__ import annotations

import math

import numpy as np

from rankscope.arrays import Floats, Ints


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

    (topics, systems) in, (topics, 2 systems) out; `together` puts the two together again.
    """
    upper = _upper_bits(values)
    return np.concatenate([upper, _upper_bits(values - upper)], axis=1)


def _upper_bits(values: Floats) -> Floats:
    """The values to so many bits below the largest of their column that no sum of all rows is rounded."""
    shift = 52 - np.frexp(np.abs(values).max(axis=0, initial=0.0))[1] - math.ceil(math.log2(max(len(values), 2)))
    return np.ldexp(np.rint(np.ldexp(values, shift)), -shift)


def weighted_parts(weights: Floats, values: Floats) -> Floats:
    """weights @ what `summable` gave, without any rounding; weights are whole and add up to the rows at most.

    In pieces so small that the library's own threads, which get in the way of ours, sleep on.
    """
    piece = 2**18 // values.size
    if piece < 1:
        return weights @ values
    full = len(weights) // piece * piece
    most = weights[:full].reshape(-1, piece, len(values)) @ values
    return np.concatenate([most.reshape(full, values.shape[1]), weights[full:] @ values])


def together(parts: Floats) -> Floats:
    """Upper and lower bits of each column put together again, rounded once."""
    upper, lower = np.split(parts, 2, axis=-1)
    return np.asarray(upper + lower)
