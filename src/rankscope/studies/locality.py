"""Whether the next relevant document tells what the last one left open.

Correlation and regression of differences of RR across recall levels, and agreement with a masked first level (Diaz
2023, Figure 7 and Table 2).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankscope import kernels
from rankscope.arrays import Floats, Ints
from rankscope.errors import InputError
from rankscope.judged import Judged
from rankscope.preferences.levels import LATE
from rankscope.studies.base import Study, Table, percent
from rankscope.studies.levels import AllLevels
from rankscope.studies.preferring import comparable, facts


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Locality(Study):
    """How much one recall level says of another.

    correlation   (levels, levels) Pearson's, of the differences of RR_i and RR_j over all pairs of lists on topics
                  that have so many relevant documents
    coefficients  (targets, predictors) of the regression of the difference of RR_i on those of the next levels
    standardised  (targets, predictors) the same where all differences have variance 1
    explained     (targets) R^2 of each regression
    fitted        (targets) topics that a regression is made of
    masked        pairs of lists with different RR
    by_rest       how many of these the recall levels from the second on order alike, lexicographically
    by_level      (levels - 1) how many of these level 2, 3, ... alone orders alike; a tie is a miss
    """

    correlation: Floats
    coefficients: Floats
    standardised: Floats
    explained: Floats
    fitted: Ints
    masked: int
    by_rest: int
    by_level: Ints
    settings: Mapping[str, Any]
    name: str = "locality"

    def tables(self) -> dict[str, Table]:
        """masked: agreement with the masked first level. correlation: a row a level. regression: a row a target."""
        s = self.settings
        whole = f"{s['systems']} systems, {s['topics']} topics, relevant from grade {s['relevant_from']:g}"
        count = len(self.correlation)
        rest = ["sgnLP from level 2 on", *(f"RR_{i}" for i in range(2, count + 1))]
        agreeing = [self.by_rest, *self.by_level.tolist()]
        predictors = self.coefficients.shape[1]
        return {
            "masked": Table(
                values={
                    "predictor": rest,
                    "agreeing": agreeing,
                    "pairs": [self.masked] * len(rest),
                    "share": [one / self.masked if self.masked else None for one in agreeing],
                },
                caption=f"Pairs of lists with different RR that are ordered alike without the first relevant document; "
                f"{whole}.",
            ),
            "correlation": Table(
                values={
                    "level": list(range(1, count + 1)),
                    **{f"RR_{j + 1}": self.correlation[:, j].tolist() for j in range(count)},
                },
                caption=f"Pearson's correlation of differences of RR_i between two lists on one topic; {whole}.",
                left=0,
            ),
            "regression": Table(
                values={
                    "level": list(range(1, len(self.explained) + 1)),
                    **{f"next {j + 1}": self.coefficients[:, j].tolist() for j in range(predictors)},
                    **{f"beta {j + 1}": self.standardised[:, j].tolist() for j in range(predictors)},
                    "R2": self.explained.tolist(),
                    "topics": self.fitted.tolist(),
                },
                caption=f"Least squares of differences of RR_i on those of the {predictors} next levels, beta where "
                f"all have variance 1; {whole}.",
                left=0,
            ),
        }

    def figures(self) -> dict[str, dict[str, list[Any]]]:
        """correlation (Figure 7a) and regression (Figure 7b), a row a point."""
        i, j = np.tril_indices(len(self.correlation), -1)
        t, p = np.indices(self.coefficients.shape)
        return {
            "correlation": {
                "level": (i + 1).tolist(),
                "other": (j + 1).tolist(),
                "correlation": self.correlation[i, j].tolist(),
            },
            "regression": {
                "level": (t.ravel() + 1).tolist(),
                "next": (p.ravel() + 1).tolist(),
                "coefficient": self.coefficients.ravel().tolist(),
                "standardised": self.standardised.ravel().tolist(),
                "R2": self.explained[t.ravel()].tolist(),
            },
        }

    def summary(self) -> str:
        """What was found, in plain sentences."""
        lines = []
        if self.masked:
            second = f", level 2 alone of {percent(int(self.by_level[0]) / self.masked)}" if len(self.by_level) else ""
            lines.append(
                "With the first relevant document masked, the others tell the order of "
                f"{percent(self.by_rest / self.masked)} of the {self.masked} pairs of lists with different RR{second}."
            )
        near = np.diagonal(self.correlation, 1)
        if near.size and np.isfinite(near).all():
            far = self.correlation[0, -1]
            lines.append(
                f"Differences of RR at neighbouring levels correlate by {near.min():.2f} to {near.max():.2f}, at "
                f"levels 1 and {len(self.correlation)} by {far:.2f}."
            )
        return "\n".join(lines) or "No pair of lists differs in RR."


def locality(judged: Judged, *, levels: int = 8, targets: int = 4, predictors: int = 4) -> Locality:
    """Does the next recall level say what a tied one does not (Diaz 2023, section 3.6 and Table 2)?

    levels      recall levels that are correlated, 2 or more
    targets     levels 1, 2, ... whose differences of RR are predicted
    predictors  by so many levels after each

    Every pair of lists counts in both directions, so nothing depends on which system is named first and no intercept
    is needed. An unretrieved document has RR_i = 0; levels that a topic does not have are left out.
    """
    for name, value, least in (("levels", levels, 2), ("targets", targets, 1), ("predictors", predictors, 1)):
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
            raise InputError(f"{name}={value!r}", f"{name} is a whole number from {least}")
    base = comparable(judged)
    ranks = AllLevels.of(base)
    products, topics = _products(ranks, max(levels, targets + predictors))
    coefficients, standardised, explained = _regressions(products, targets, predictors)
    masked, by_rest, by_level = _masked(ranks, levels)
    return Locality(
        correlation=_correlations(products, levels),
        coefficients=coefficients,
        standardised=standardised,
        explained=explained,
        fitted=topics[predictors : predictors + targets],
        masked=masked,
        by_rest=by_rest,
        by_level=by_level,
        settings={**facts(judged, base), "levels": levels, "targets": targets, "predictors": predictors},
    )


def _products(ranks: AllLevels, levels: int) -> tuple[Floats, Ints]:
    """Sums over ordered pairs of lists of products of differences, (deepest, levels, levels), and numbers of topics.

    Number k is over topics with at least k + 1 relevant documents. Over all ordered pairs of n lists the products
    (x_a - x_b)(y_a - y_b) sum to 2 (n sum xy - sum x sum y): pairs need not be formed.
    """
    reciprocal = ranks.reciprocal(levels)
    centred = reciprocal - reciprocal.mean(axis=1, keepdims=True)
    by_topic = 2 * reciprocal.shape[1] * np.einsum("tsi,tsj->tij", centred, centred)
    there = np.arange(levels)[:, None] < ranks.total
    return np.einsum("kt,tij->kij", there.astype(np.float64), by_topic), np.count_nonzero(there, axis=1)


def _correlations(products: Floats, levels: int) -> Floats:
    """(levels, levels) of each two levels over the topics that have both."""
    i, j = np.indices((levels, levels))
    both = products[np.maximum(i, j)]
    at = both[i, j, i, j]
    size = np.sqrt(both[i, j, i, i] * both[i, j, j, j])
    return np.divide(at, size, out=np.full(at.shape, np.nan), where=size > 0)


def _regressions(products: Floats, targets: int, predictors: int) -> tuple[Floats, Floats, Floats]:
    """Coefficients, plain and standardised, and R^2; NaN where the levels that predict do not vary independently."""
    coefficients, explained = np.full((targets, predictors), np.nan), np.full(targets, np.nan)
    standardised = coefficients.copy()
    for i in range(targets):
        sums = products[i + predictors]
        by = slice(i + 1, i + 1 + predictors)
        total, cross, square = sums[i, i], sums[by, i], sums[by, by]
        if total > 0 and np.linalg.matrix_rank(square) == predictors:
            coefficients[i] = np.linalg.solve(square, cross)
            standardised[i] = coefficients[i] * np.sqrt(np.diagonal(square) / total)
            explained[i] = coefficients[i] @ cross / total
    return coefficients, standardised, explained


def _masked(ranks: AllLevels, levels: int) -> tuple[int, int, Ints]:
    """Pairs of lists with different RR, and how many of them later levels order alike, together and one by one."""
    upto = ranks.upto(levels)
    first = _late_last(upto[..., 0])
    pairs = first.shape[1] * (first.shape[1] - 1) // 2

    def alike(other: Ints) -> tuple[int, int]:
        same, _, tied, _ = kernels.concordance(first, _late_last(other), 0.5)
        return int(same.sum()), int(pairs * len(first) - tied.sum())

    by_rest, masked = alike(ranks.places_from(1))
    return masked, by_rest, np.array([alike(upto[..., i])[0] for i in range(1, levels)], np.int64)


def _late_last(rank: Ints) -> Floats:
    """Ranks as doubles, those after everything as a number that doubles tell from the others."""
    return np.ascontiguousarray(np.minimum(rank, LATE), np.float64)
