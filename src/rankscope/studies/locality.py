"""Whether the next relevant document tells what the last one left open.

Correlation and regression of differences of RR across recall levels, also of those that earlier levels tie and of their
signs, and agreement with a masked first level (Diaz 2023, Figure 7, section 3.6 and Table 2).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rankscope import arguments, kernels
from rankscope.arguments import Checks
from rankscope.arrays import UNJUDGED, Floats, Ints
from rankscope.errors import InputError, quietly
from rankscope.judged import Judged
from rankscope.parallel import Client
from rankscope.preferences.all_pairs import Method
from rankscope.preferences.recall_levels import LATE
from rankscope.statistics.equality import tied_pairs
from rankscope.studies.base import Study, Table, extent, joined, percent, threshold
from rankscope.studies.candidates import Measures, Source, StudyMaterial, asked_of, material
from rankscope.studies.checkpoints import Arrays
from rankscope.studies.preference_lists import comparable, facts, relevant_code
from rankscope.studies.recall_level_ranks import RecallLevelRanks
from rankscope.studies.runner import Run, Tell, shaped

_LEVEL = "RR_i is the reciprocal rank of the i-th relevant document."


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Regression:
    """Least squares of what level 1, 2, ... says on the differences of RR at the levels that follow it.

    coefficients  (targets, predictors)
    standardised  (targets, predictors) the same where all have variance 1
    explained     (targets) R^2
    n_topics, pairs  (targets) topics, and pairs of lists, that a regression is made of
    """

    coefficients: Floats
    standardised: Floats
    explained: Floats
    n_topics: Ints
    pairs: Ints

    def columns(self) -> dict[str, list[Any]]:
        """One row per target."""
        predictors = self.coefficients.shape[1]
        return {
            "level": list(range(1, len(self.explained) + 1)),
            **{f"next {j + 1}": self.coefficients[:, j].tolist() for j in range(predictors)},
            **{f"beta {j + 1}": self.standardised[:, j].tolist() for j in range(predictors)},
            "R2": self.explained.tolist(),
            "n_topics": self.n_topics.tolist(),
            "pairs": self.pairs.tolist(),
        }

    def points(self) -> dict[str, list[Any]]:
        """One row per coefficient, as it is drawn."""
        t, p = np.indices(self.coefficients.shape)
        return {
            "level": (t.ravel() + 1).tolist(),
            "next": (p.ravel() + 1).tolist(),
            "coefficient": self.coefficients.ravel().tolist(),
            "standardised": self.standardised.ravel().tolist(),
            "R2": self.explained[t.ravel()].tolist(),
        }


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Locality(Study):
    """Relation of recall levels: correlations, regressions, and orders that later levels predict.

    correlation  (levels, levels) Pearson's, of the differences of RR_i and RR_j over all pairs of lists on topics
                 that have so many relevant documents
    plain        regression of the difference of RR_i on those of the next levels
    cascaded     the same over pairs of lists that all levels before i tie
    sign         regression of the sign of the difference of RR_i
    masked       pairs of lists with different RR
    by_rest      how many of these the recall levels from the second on order alike, lexicographically
    by_level     (levels - 1) how many of these level 2, 3, ... alone orders alike; a tie is a miss
    by_candidate how many of these a metric or method orders alike that does not see the first relevant document
    """

    correlation: Floats
    plain: Regression
    cascaded: Regression
    sign: Regression
    masked: int
    by_rest: int
    by_level: Ints
    by_candidate: Mapping[str, int]
    settings: Mapping[str, Any]
    name: str = "locality"

    def tables(self) -> dict[str, Table]:
        """masked: agreement with the masked first level. correlation: one row per level.

        regression, cascaded and sign: one row per target.
        """
        s = self.settings
        size = f"{extent(s)}{threshold(s)}"
        count = len(self.correlation)
        names = ["sgnLP from level 2 on", *(f"RR_{i}" for i in range(2, count + 1)), *self.by_candidate]
        agreeing = [self.by_rest, *self.by_level.tolist(), *self.by_candidate.values()]
        predictors = self.plain.coefficients.shape[1]
        unseen = " To metrics and methods the first relevant document is an unjudged one." if self.by_candidate else ""
        least = f"on those of the {predictors} next levels (beta: of variables with variance 1); {size}. {_LEVEL}"
        return {
            "masked": Table(
                values={
                    "predictor": names,
                    "agreeing": agreeing,
                    "pairs": [self.masked] * len(names),
                    "share": [count_alike / self.masked if self.masked else None for count_alike in agreeing],
                },
                caption=f"Pairs of lists with different RR that are ordered alike without the first relevant document; "
                f"{size}. {_LEVEL}" + unseen,
            ),
            "correlation": Table(
                values={
                    "level": list(range(1, count + 1)),
                    **{f"RR_{j + 1}": self.correlation[:, j].tolist() for j in range(count)},
                },
                caption=f"Pearson's correlation of differences of RR_i between two lists on one topic; {size}. "
                f"{_LEVEL}",
                left=0,
            ),
            "regression": Table(
                values=self.plain.columns(), caption=f"Least squares of differences of RR_i {least}", left=0
            ),
            "cascaded": Table(
                values=self.cascaded.columns(),
                caption=f"Least squares, over pairs of lists that all levels before i tie, of differences of RR_i "
                f"{least}",
                left=0,
            ),
            "sign": Table(
                values=self.sign.columns(),
                caption=f"Least squares of signs of differences of RR_i {least.replace('those', 'differences')}",
                left=0,
            ),
        }

    def figures(self) -> dict[str, dict[str, list[Any]]]:
        """correlation (Figure 7a), regression (Figure 7b), and the two that the text speaks of, one row per point."""
        i, j = np.tril_indices(len(self.correlation), -1)
        return {
            "correlation": {
                "level": (i + 1).tolist(),
                "other": (j + 1).tolist(),
                "correlation": self.correlation[i, j].tolist(),
            },
            "regression": self.plain.points(),
            "cascaded": self.cascaded.points(),
            "sign": self.sign.points(),
        }

    def summary(self) -> str:
        """Findings in sentences."""
        lines = []
        if self.masked:
            lines.append(
                "With the first relevant document masked, the other relevant documents order "
                f"{percent(self.by_rest / self.masked)} of the {self.masked:,} pairs of lists with different RR as "
                "RR does."
            )
            if len(self.by_level):
                share = percent(int(self.by_level[0]) / self.masked)
                lines.append(f"The second relevant document alone orders {share} of them so.")
        near = np.diagonal(self.correlation, 1)
        if near.size and np.isfinite(near).all():
            far = self.correlation[0, -1]
            lines.append(
                f"Differences of RR at neighbouring recall levels have a correlation of {near.min():.2f} to "
                f"{near.max():.2f}; at levels 1 and {len(self.correlation)} it is {far:.2f}."
            )
        return joined(lines) or "No pair of lists differs in RR."


def locality(
    source: Source | StudyMaterial,
    measures: Measures | None = None,
    methods: Method | Sequence[Method] = (),
    *,
    n_levels: int = 8,
    targets: int = 4,
    predictors: int = 4,
    depth: int | None = None,
    checkpoints: str | Path | None = None,
    progress: Tell | None = None,
    workers: int | None = None,
    client: Client = None,
) -> Locality:
    """Prediction of a recall level's preference by the levels that follow it (Diaz 2023, section 3.6 and Table 2).

    source      lists, or their material
    measures, methods, depth  as for `material`: do they order lists as RR does, when the first relevant document of
                every list is taken for an unjudged one? Recall levels need none of them
    n_levels    recall levels that are correlated, 2 or more
    targets     levels 1, 2, ... whose differences of RR are predicted
    predictors  by so many levels after each

    Every pair of lists counts in both directions, so nothing depends on which system is named first and no intercept
    is needed. An unretrieved document has RR_i = 0; levels that a topic does not have are left out.
    """
    with Checks() as check:
        n_levels = check(arguments.whole_number, "n_levels", n_levels, 2)
        targets = check(arguments.whole_number, "targets", targets)
        predictors = check(arguments.whole_number, "predictors", predictors)
        run = check(Run, checkpoints, progress, workers, client)
    judged, measures, methods, depth = asked_of(source, measures, methods, depth)
    base = comparable(judged)
    studied = _blind(base, measures, methods, depth, workers) if measures is not None or methods else None
    candidates = () if studied is None else studied.candidates
    settings = {
        **facts(judged, base), "candidates": {candidate.name: candidate.signature for candidate in candidates},
        "n_levels": n_levels, "targets": targets, "predictors": predictors,
    }  # fmt: skip
    if candidates:
        with quietly():
            reference = material(base, "RR", workers=workers)
        truth = reference.preferred(reference.candidates[0])

    def work(unit: str, _: int) -> Arrays:
        if unit != _LEVELS:
            assert studied is not None
            preferred = studied.preferred(studied.of(unit))
            return {"alike": np.array(np.count_nonzero((preferred == truth) & (truth != 0)))}
        ranks = RecallLevelRanks.of(base)
        masked, by_rest, by_level = _masked(ranks, n_levels)
        arrays = {
            "correlation": _correlations(_products(ranks, n_levels), n_levels),
            "masked": np.array(masked), "by_rest": np.array(by_rest), "by_level": by_level,
        }  # fmt: skip
        for name, way in _WAYS.items():
            result = _regression(ranks, targets, predictors, way)
            arrays |= {f"{name} {field.name}": getattr(result, field.name) for field in fields(Regression)}
        return arrays

    def finish(units: dict[str, Arrays]) -> Locality:
        levels = units.get(_LEVELS)
        if levels is None:
            raise InputError("recall levels were not looked at", "let the study go on")
        ways: dict[str, Any] = {
            name: Regression(**{field.name: levels[f"{name} {field.name}"] for field in fields(Regression)})
            for name in _WAYS
        }
        return Locality(
            correlation=levels["correlation"],
            masked=int(levels["masked"]),
            by_rest=int(levels["by_rest"]),
            by_level=levels["by_level"],
            by_candidate={unit: int(arrays["alike"]) for unit, arrays in units.items() if unit != _LEVELS},
            settings=settings,
            **ways,
        )

    square, each = (targets, predictors), (targets,)
    shapes = {"coefficients": (float, *square), "standardised": (float, *square), "explained": (float, *each),
              "n_topics": (int, *each), "pairs": (int, *each)}  # fmt: skip
    of_levels = shaped(
        correlation=(float, n_levels, n_levels), masked=(int,), by_rest=(int,), by_level=(int, n_levels - 1),
        **{f"{name} {array}": shape for name in _WAYS for array, shape in shapes.items()},
    )  # fmt: skip
    of_candidate = shaped(alike=(int,))
    units = [_LEVELS, *(candidate.name for candidate in candidates)]
    return run.conduct(
        "locality", units, work, finish, settings=settings,
        fits=lambda unit, arrays: (of_levels if unit == _LEVELS else of_candidate)(unit, arrays),
    )  # fmt: skip


def _products(ranks: RecallLevelRanks, levels: int) -> Floats:
    """Sums over ordered pairs of lists of products of differences, (deepest, levels, levels).

    Number k is over topics with at least k + 1 relevant documents. Over all ordered pairs of n lists the products
    (x_a - x_b)(y_a - y_b) sum to 2 (n sum xy - sum x sum y): pairs need not be formed.
    """
    reciprocal = ranks.reciprocal(levels)
    centred = reciprocal - reciprocal.mean(axis=1, keepdims=True)
    by_topic = 2 * reciprocal.shape[1] * np.einsum("tsi,tsj->tij", centred, centred)
    exists = np.arange(levels)[:, None] < ranks.total
    return np.einsum("kt,tij->kij", exists.astype(np.float64), by_topic)


def _correlations(products: Floats, levels: int) -> Floats:
    """(levels, levels) of each two levels over the topics that have both."""
    i, j = np.indices((levels, levels))
    both = products[np.maximum(i, j)]
    at = both[i, j, i, j]
    size = np.sqrt(both[i, j, i, i] * both[i, j, j, j])
    return np.divide(at, size, out=np.full(at.shape, np.nan), where=size > 0)


class _Sums(NamedTuple):
    """Over ordered pairs of lists: squares of what is predicted, its products with what predicts, products of that."""

    total: float
    cross: Floats
    square: Floats
    pairs: int


def _regression(
    ranks: RecallLevelRanks, targets: int, predictors: int, way: Callable[[Ints, Floats, int], _Sums]
) -> Regression:
    """Least squares from sums; NaN where the levels that predict do not vary independently."""
    coefficients, explained = np.full((targets, predictors), np.nan), np.full(targets, np.nan)
    standardised, topics, pairs = coefficients.copy(), np.zeros(targets, np.int64), np.zeros(targets, np.int64)
    rank, reciprocal = ranks.upto(targets + predictors), ranks.reciprocal(targets + predictors)
    for i in range(targets):
        deep_enough = ranks.total > i + predictors
        deepest = i + 1 + predictors
        total, cross, square, pairs[i] = way(rank[deep_enough, :, : i + 1], reciprocal[deep_enough, :, :deepest], i)
        topics[i] = np.count_nonzero(deep_enough)
        if total > 0 and np.linalg.matrix_rank(square) == predictors:
            coefficients[i] = np.linalg.solve(square, cross)
            standardised[i] = coefficients[i] * np.sqrt(np.diagonal(square) / total)
            explained[i] = coefficients[i] @ cross / total
    return Regression(
        coefficients=coefficients, standardised=standardised, explained=explained, n_topics=topics, pairs=pairs
    )


def _plain(rank: Ints, reciprocal: Floats, i: int) -> _Sums:
    """Differences of RR_i, every pair of lists on a topic: see `_products`."""
    return _within(np.repeat(np.arange(len(rank)), rank.shape[1]), reciprocal.reshape(-1, reciprocal.shape[-1]), i)


def _cascaded(rank: Ints, reciprocal: Floats, i: int) -> _Sums:
    """Differences of RR_i, pairs of lists that have the same ranks at all levels before it."""
    topic = np.repeat(np.arange(len(rank)), rank.shape[1])
    alike = np.column_stack([topic, rank[..., :i].reshape(len(topic), i)])
    group = np.unique(alike, axis=0, return_inverse=True)[1].ravel()
    return _within(group, reciprocal.reshape(-1, reciprocal.shape[-1]), i)


def _sign(rank: Ints, reciprocal: Floats, i: int) -> _Sums:
    """Signs of differences of RR_i.

    Over ordered pairs sign(x_a - x_b)(y_a - y_b) sums to 2 sum y_a (lists below a - lists above a).
    """
    topics, systems, _ = rank.shape
    place = (np.arange(topics)[:, None] * (2 * LATE) + rank[..., i]).ravel()  # topics one after the other
    ordered, start = np.sort(place), np.repeat(np.arange(topics) * systems, systems)
    better = np.searchsorted(ordered, place, "left") - start
    worse = start + systems - np.searchsorted(ordered, place, "right")
    ahead = (worse - better).reshape(topics, systems).astype(np.float64)
    plain = _plain(rank, reciprocal, i)
    by = reciprocal[..., i + 1 :]
    tied = 2 * int(tied_pairs(rank[..., i]).sum())
    total = topics * systems * (systems - 1) - tied
    return _Sums(float(total), 2 * np.einsum("ts,tsj->j", ahead, by), plain.square, plain.pairs)


def _within(group: Ints, reciprocal: Floats, i: int) -> _Sums:
    """Over ordered pairs of lists of one group: n sums of squares about its mean, twice."""
    count = np.bincount(group)
    mean = np.stack([np.bincount(group, column) for column in reciprocal.T], axis=1) / count[:, None]
    centred = reciprocal - mean[group]
    sums = 2 * (centred * count[group][:, None]).T @ centred
    return _Sums(float(sums[i, i]), sums[i + 1 :, i], sums[i + 1 :, i + 1 :], int((count * (count - 1) // 2).sum()))


def _blind(
    base: Judged, measures: Measures | None, methods: Method | Sequence[Method], depth: int | None, workers: int | None
) -> StudyMaterial:
    """The candidates on lists whose first relevant document is taken for an unjudged one."""
    relevant = base.code >= relevant_code(base)
    first = np.zeros_like(relevant)
    np.put_along_axis(first, relevant.argmax(axis=-1, keepdims=True), relevant.any(axis=-1, keepdims=True), axis=-1)
    code = np.where(first, np.asarray(UNJUDGED, base.code.dtype), base.code)
    with quietly():
        return material(replace(base, code=code, extremes=None), measures, methods, depth=depth, workers=workers)


def _masked(ranks: RecallLevelRanks, levels: int) -> tuple[int, int, Ints]:
    """Pairs of lists with different RR, and how many of them later levels order alike, together and one by one."""
    rank = ranks.upto(levels)
    first = _late_last(rank[..., 0])
    pairs = first.shape[1] * (first.shape[1] - 1) // 2

    def alike(other: Ints) -> tuple[int, int]:
        same, _, tied, _ = kernels.concordance(first, _late_last(other))
        return int(same.sum()), int(pairs * len(first) - tied.sum())

    by_rest, masked = alike(ranks.places_from(1))
    return masked, by_rest, np.array([alike(rank[..., i])[0] for i in range(1, levels)], np.int64)


def _late_last(rank: Ints) -> Floats:
    """Ranks as doubles, those after everything as a number that doubles tell from the others."""
    return np.ascontiguousarray(np.minimum(rank, LATE), np.float64)


_LEVELS = "recall levels"  # the unit that looks at no candidate
_WAYS: dict[str, Callable[[Ints, Floats, int], _Sums]] = {"plain": _plain, "cascaded": _cascaded, "sign": _sign}
