"""Correlation after average precision: agreement of two orders that weighs the top more."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rankscope.arrays import Bools, Floats, Ints
from rankscope.errors import InputError
from rankscope.parallel import Client, map_units, on
from rankscope.results import Result
from rankscope.statistics.correlations.kendall import vectors
from rankscope.statistics.equality import PRECISION, merged, merged_sentence, places

_CELLS = 1 << 21  # comparisons of pairs of systems that are held at a time


@dataclass(frozen=True, slots=True, kw_only=True)
class TauAP(Result):
    """Correlation after average precision, which weighs disagreement at the top more; walks the estimate's order.

    `a` is for accuracy, the expectation over random breaking of ties; `b` is for agreement, symmetric, where only
    what stands above a group of ties counts. Without ties both directions of `a` are Yilmaz, Aslam and Robertson's.
    """

    a: float
    a_swapped: float  # walks the reference
    b_one_way: float
    b_swapped: float
    n_systems: int
    merged: int = 0  # values that differ as doubles from one that they tie with

    @property
    def symmetric(self) -> float:
        """Mean of both directions of `a`."""
        return (self.a + self.a_swapped) / 2

    @property
    def b(self) -> float:
        """tauAP_b: mean of both directions."""
        return (self.b_one_way + self.b_swapped) / 2

    def columns(self) -> dict[str, list[Any]]:
        """One row per variant, a and b: both directions, and their mean."""
        return {
            "tau_ap": ["a", "b"],
            "walks_the_estimate": [self.a, self.b_one_way],
            "walks_the_reference": [self.a_swapped, self.b_swapped],
            "symmetric": [self.symmetric, self.b],
        }

    def remarks(self) -> list[str]:
        return [merged_sentence(self.merged, "system")]


def tau_ap(reference: ArrayLike, estimate: ArrayLike, *, tolerance: float = PRECISION) -> TauAP:
    """tau_AP of an estimate with a reference (Yilmaz, Aslam and Robertson, SIGIR 2008), higher scores first.

    Ties as in Urbano and Marrero (ICTIR 2017): tauAP_a is the expectation over random orders within ties, tauAP_b
    divides by what stands above a group and skips the first. They give tauAP_a for a reference without ties; one
    with ties is broken at random too, here.

    >>> round(tau_ap([4, 3, 2, 1], [4, 3, 1, 2]).a, 6)
    0.777778
    """
    x_values, y_values = vectors(reference, estimate, tolerance)
    first, second = _groups(x_values, 0), _groups(y_values, 0)
    a, b = _walk(first, second)
    a_swapped, b_swapped = _walk(second, first)
    return TauAP(
        a=a,
        a_swapped=a_swapped,
        b_one_way=b,
        b_swapped=b_swapped,
        n_systems=len(x_values),
        merged=merged(reference, tolerance) + merged(estimate, tolerance),
    )


def tau_aps(
    x: ArrayLike, y: ArrayLike, *, tolerance: float = PRECISION, workers: int | None = None, client: Client = None
) -> Floats:
    """tauAP_b of each row of x with the same row of y, rows x systems in, one value per row out: `tau_ap(...).b`.

    It is symmetric and 1 for rankings that are the same, ties included; NaN where a row of either ties all systems.
    """
    x_values, y_values = np.asarray(x, np.float64), np.asarray(y, np.float64)
    if x_values.ndim != 2 or x_values.shape != y_values.shape or x_values.shape[1] < 2:
        raise InputError(
            f"shapes {x_values.shape} and {y_values.shape}", "give rows x systems twice, at least two systems"
        )
    step = max(1, _CELLS // x_values.shape[1] ** 2)
    blocks = [slice(start, start + step) for start in range(0, len(x_values), step)]

    def block(part: slice) -> Floats:
        return _walks(x_values[part], y_values[part], tolerance)

    with on(client):
        return np.concatenate([np.empty(0), *map_units(block, blocks, workers=workers)])


def tau_aps_without(x: ArrayLike, y: ArrayLike) -> Floats:
    """`tau_aps` of each row without its first system, without its second, and so on: rows x systems.

    NaN where those that are left tie. Counts of what stands above are taken one down, nothing is sorted again.
    """
    x_values, y_values = np.asarray(x, np.float64), np.asarray(y, np.float64)
    step = max(1, _CELLS // max(1, x_values.shape[-1] ** 2) // 4)
    blocks = [slice(start, start + step) for start in range(0, len(x_values), step)]
    return np.concatenate(
        [np.empty((0, x_values.shape[-1])), *(_without(x_values[part], y_values[part]) for part in blocks)]
    )


def _without(x: Floats, y: Floats) -> Floats:
    """tauAP_b of rows without each system."""
    x_values, y_values = (_above(_groups(values)) for values in (x, y))
    both = x_values & y_values
    alike = np.count_nonzero(both, axis=2)
    others = ~np.eye(x.shape[1], dtype=np.bool_)
    share = np.zeros(x.shape)
    with np.errstate(invalid="ignore", divide="ignore"):
        for higher in (x_values, y_values):
            # (rows, left out, system): what stands above a system once another is left out
            above = np.count_nonzero(higher, axis=2)[:, None, :] - higher.swapaxes(1, 2)
            rightly = alike[:, None, :] - both.swapaxes(1, 2)
            below = (above > 0) & others
            share += np.where(below, rightly / above, 0.0).sum(axis=2) / np.count_nonzero(below, axis=2)
    return share - 1


def _above(groups: Ints) -> Bools:
    """(rows, i, j) whether j stands above i."""
    small = groups.astype(np.int16 if groups.shape[1] < 1 << 15 else np.int64)  # four times as many at a time
    return np.asarray(np.less(small[:, None, :], small[:, :, None]))


def _counts_above(groups: Ints) -> Ints:
    """(rows, i) how many stand above i."""
    rows, count = groups.shape
    at = groups + (count + 1) * np.arange(rows)[:, None]
    size = np.bincount(at.ravel() + 1, minlength=rows * (count + 1)).reshape(rows, -1)  # of each group, one place on
    return np.take_along_axis(np.cumsum(size, axis=1), groups, axis=1)


def _groups(values: Floats, tolerance: float = PRECISION) -> Ints:
    """Number of the group of ties each value is in, along the last axis, from 0 for the largest values."""
    return places(-values, tolerance)


def _walk(reference: Ints, estimate: Ints) -> tuple[float, float]:
    """tauAP_a and one direction of tauAP_b, down the estimate's groups."""
    n = len(estimate)
    size = np.bincount(estimate)
    above = np.cumsum(size) - size  # how many stand above each group
    higher = estimate[None, :] < estimate[:, None]  # j stands above i
    alike = higher & (reference[None, :] < reference[:, None])
    undecided = higher & (reference[None, :] == reference[:, None])
    strictly = np.bincount(estimate, alike.sum(axis=1))
    by_chance = strictly + np.bincount(estimate, undecided.sum(axis=1)) / 2
    share = 0.0  # over ranks 2 to n: expected share of what stands above that is rightly there
    for g, (t, p) in enumerate(zip(size.tolist(), above.tolist(), strict=True)):
        within = np.arange(t)  # how many of the own group stand above
        ranks = p + within
        seen = ranks > 0
        share += float(((by_chance[g] / t + within / 2)[seen] / ranks[seen]).sum())
    below = slice(1, None)
    share_b = float((strictly[below] / above[below]).sum() / (n - size[0]))
    return 2 * share / (n - 1) - 1, 2 * share_b - 1


def _walks(x: Floats, y: Floats, tolerance: float) -> Floats:
    """tauAP_b of rows."""
    first, second = (_groups(values, tolerance) for values in (x, y))
    alike = (_above(first) & _above(second)).sum(axis=2, dtype=np.int32)
    share = np.zeros(len(x))
    with np.errstate(invalid="ignore", divide="ignore"):
        for groups in (first, second):
            above = _counts_above(groups)
            below = above > 0  # not of the first group
            share += np.where(below, alike / above, 0.0).sum(axis=1) / np.count_nonzero(below, axis=1)
    return np.where((first.max(axis=1) > 0) & (second.max(axis=1) > 0), share - 1, np.nan)
