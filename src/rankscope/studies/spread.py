"""Several samples as one band: mean, spread and range."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankscope.arrays import Floats


def mean(values: Floats) -> Floats:
    """Means over the last axis, of what is defined there."""
    count = np.count_nonzero(~np.isnan(values), axis=-1)
    total: Floats = np.where(np.isnan(values), 0.0, values).sum(axis=-1) / np.where(count, count, np.nan)
    return total


def sd(values: Floats) -> Floats:
    """Standard deviations over the last axis (n - 1 below), of what is defined there; NaN for fewer than two."""
    count = np.count_nonzero(~np.isnan(values), axis=-1)
    apart = np.where(np.isnan(values), 0.0, values - mean(values)[..., None])
    spread: Floats = np.sqrt((apart**2).sum(axis=-1) / np.where(count > 1, count - 1, np.nan))
    return spread


def bands(values: Floats, name: str) -> dict[str, list[Any]]:
    """Columns of mean, spread and range over the samples, which are the last axis; the others laid end to end."""
    rows = values.reshape(-1, values.shape[-1])
    none = np.isnan(rows).all(axis=1)
    return {
        name: mean(rows).tolist(),
        "sd": sd(rows).tolist(),
        "lowest": np.where(none, np.nan, np.where(np.isnan(rows), np.inf, rows).min(axis=1)).tolist(),
        "highest": np.where(none, np.nan, np.where(np.isnan(rows), -np.inf, rows).max(axis=1)).tolist(),
        "samples": np.count_nonzero(~np.isnan(rows), axis=1).tolist(),
    }
