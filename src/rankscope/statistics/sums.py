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
    """The values with so few bits that no sum of as many as there are rows is ever rounded, whoever adds them up."""
    largest = float(np.abs(values).max(initial=0.0)) or 1.0
    shift = 52 - math.frexp(largest)[1] - math.ceil(math.log2(max(len(values), 2)))
    return np.ldexp(np.rint(np.ldexp(values, shift)), -shift)


def weighted_sums(weights: Floats, values: Floats) -> Floats:
    """weights @ values, in pieces so small that the library's own threads, which get in the way of ours, sleep on."""
    piece = 2**18 // values.size
    if piece < 1:
        return weights @ values
    whole = len(weights) // piece * piece
    most = weights[:whole].reshape(-1, piece, len(values)) @ values
    return np.concatenate([most.reshape(whole, values.shape[1]), weights[whole:] @ values])
