"""Gains of documents for which a ratio of two sums is largest: the numpy twin of _ratio.c."""

from __future__ import annotations

import numpy as np

from rankscope.arrays import Bools, Floats, Ints


def largest_ratio(
    coefficient: Floats, there: Bools, base: Floats, floor: Floats, gain: Floats, have: Ints, ideal: Floats
) -> tuple[Ints, Floats]:
    """Of each document (T, D) in how many layers of gain it is where the ratio is largest; and that ratio (T).

    Layer l gives m_l documents the gain x_l, those with the largest coefficients c, and m_l falls with l. The ratio is
    (base + sum x_l U(m_l)) / (floor + sum x_l I(have_l + m_l)), U the sums of the largest c, and 0 without a divisor.

    coefficient, there  (T, D) of each document, where there is one
    base, floor         (T) what is settled above and below
    gain, have          (L) and (L, T) gain of each layer, and how many documents have it already
    ideal               I(0), I(1), ... up to the largest of have + D

    By the method of Dinkelbach (1967): a ratio is beaten where some m make sum x_l (U(m_l) - ratio I(have_l + m_l))
    larger. A ratio below 0 has the best m_l all equal.

    >>> one_layer = np.array([[0.5, 0.1]]), np.array([[True, True]]), np.zeros(1), np.zeros(1), np.ones(1)
    >>> level, ratio = largest_ratio(*one_layer, np.zeros((1, 1), np.int64), np.array([0, 1.0, 1.5]))
    >>> level.tolist(), ratio.tolist()
    ([[1, 0]], [0.5])
    """
    n = np.count_nonzero(there, axis=-1)
    order = np.argsort(np.where(there, -coefficient, np.inf), axis=-1, kind="stable")[:, : int(n.max(initial=0))]
    best = np.zeros((len(n), order.shape[-1] + 1))
    np.add.accumulate(np.take_along_axis(np.where(there, coefficient, 0.0), order, axis=-1), axis=-1, out=best[:, 1:])
    place, rows = np.arange(best.shape[-1]), np.arange(len(n))
    cost = [ideal[each[:, None] + place] for each in have]
    reach = np.zeros((len(gain), len(n)), np.int64)

    def ratio(rows: Ints, reach: Ints) -> Floats:
        above = base[rows] + sum(x * best[rows, r] for x, r in zip(gain, reach, strict=True))
        below = floor[rows] + sum(x * c[rows, r] for x, c, r in zip(gain, cost, reach, strict=True))
        return np.divide(above, below, out=np.zeros(len(rows)), where=below > 0)

    largest = ratio(rows, reach)
    while len(gain) and rows.size:
        target = largest[rows, None]
        possible = place <= n[rows, None]
        worth = [np.where(possible, best[rows] - target * c[rows], -np.inf) for c in cost]
        tried = np.minimum.accumulate(np.stack([w.argmax(axis=-1) for w in worth]), axis=0)
        if (below := np.flatnonzero(target[:, 0] < 0)).size:
            together = sum(x * w[below] for x, w in zip(gain, worth, strict=True))
            tried[:, below] = np.argmax(together, axis=-1)
        better = ratio(rows, tried)
        improved = better > target[:, 0]
        rows = rows[improved]  # the others have their largest ratio
        reach[:, rows], largest[rows] = tried[:, improved], better[improved]
    level = np.zeros(coefficient.shape, np.int64)
    np.put_along_axis(level, order, np.count_nonzero(place[:-1] < reach[..., None], axis=0), axis=-1)
    return level, largest
