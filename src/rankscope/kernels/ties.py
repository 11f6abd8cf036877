"""Ties of rounded numbers: chains of neighbours within their errors. `statistics.equality` says why."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from rankscope.arrays import Bools, Floats

_CELLS = 1 << 13  # values sorted at a time: what a processor keeps at hand


def joined(ascending: ArrayLike, errors: Floats) -> Bools:
    """For all values along the last axis but the first, whether the one before is equal on paper."""
    with np.errstate(over="ignore"):  # infinite is far enough
        gap = np.diff(ascending, axis=-1)
    return np.asarray(gap <= errors[..., 1:] + errors[..., :-1])


def settled(scores: Floats, tolerance: float) -> Floats:
    """The scores, those of a chain along the last axis made one double, its least; each is off by this share of itself.

    Only rows with such scores cost more than to be sorted.
    """
    if not scores.size or tolerance == 0:
        return scores
    rows = scores.reshape(-1, scores.shape[-1])
    step = max(1, _CELLS // rows.shape[1])
    near = [_near(rows[start : start + step], tolerance) for start in range(0, len(rows), step)]
    at = np.flatnonzero(np.concatenate(near))
    if not at.size:
        return scores
    settled_rows, chosen = rows.copy(), rows[at]
    order = np.argsort(chosen, axis=1, kind="stable")
    ascending = np.take_along_axis(chosen, order, axis=1)
    opens = np.ones(chosen.shape, np.bool_)
    opens[:, 1:] = ~joined(ascending, tolerance * np.abs(ascending))
    least = np.maximum.accumulate(np.where(opens, np.arange(chosen.shape[1]), 0), axis=1)
    np.put_along_axis(chosen, order, np.take_along_axis(ascending, least, axis=1), axis=1)
    settled_rows[at] = chosen
    return settled_rows.reshape(scores.shape)


def _near(rows: Floats, tolerance: float) -> Bools:
    """Mask of the rows with values that differ as doubles but are equal on paper."""
    ascending = np.sort(rows, axis=1)
    chained = joined(ascending, tolerance * np.abs(ascending))
    chained &= ascending[:, 1:] != ascending[:, :-1]
    return np.asarray(chained.any(axis=1))
