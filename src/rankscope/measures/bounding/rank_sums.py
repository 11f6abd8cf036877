"""Sums and look-ups along ranks that several arguments share."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankscope.arrays import Floats


def running(x: Any) -> Any:
    """Sums over the first 0, 1, ... ranks; counts stay whole numbers."""
    kind = np.int64 if x.dtype.kind in "biu" else np.float64
    sums = np.zeros((*x.shape[:-1], x.shape[-1] + 1), kind)
    np.add.accumulate(x, axis=-1, dtype=kind, out=sums[..., 1:])
    return sums


def after(x: Any) -> Any:
    """Sums over all ranks but the first 1, 2, ..., all; what is added is not subtracted again."""
    sums = np.zeros(x.shape, np.float64)
    np.add.accumulate(x[..., :0:-1], axis=-1, out=sums[..., -2::-1])
    return sums


def at(x: Any, index: Any) -> Any:
    """x[..., index], a place of its own for every list; places past either end are the ends."""
    lead = np.broadcast_shapes(np.shape(index)[:-1], x.shape[:-1])
    index = np.broadcast_to(np.clip(index, 0, x.shape[-1] - 1), (*lead, np.shape(index)[-1]))
    return np.take_along_axis(np.broadcast_to(x, (*lead, x.shape[-1])), index, axis=-1)


def share(numerator: Any, denominator: Any) -> Floats:
    """Part of a whole, 0 where there is none."""
    out = np.zeros(np.broadcast_shapes(np.shape(numerator), np.shape(denominator)))
    result: Floats = np.divide(numerator, denominator, out=out, where=denominator > 0)
    return result
