"""Results of bounding: lowest and highest scores over all grades that unjudged documents could have."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rankscope.arrays import Bools, Floats
from rankscope.measures.record import Measure
from rankscope.measures.scores import Means, Scores, number
from rankscope.results import Result

OUTSIDE = "the score itself can lie outside: unjudged documents have no grade there"
ROUNDING = 1e-12
_PARTIAL = {"nonrelevant", "pooled"}  # inputs of measures that tell unjudged documents from those that are not relevant


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BoundMeans(Result):
    """Means over topics of the lowest and highest scores, (M, S), beside those of the scores themselves."""

    means: Means
    lower: Floats
    upper: Floats
    how: tuple[str, ...]

    def columns(self) -> dict[str, list[Any]]:
        """Columns measure, system, lower, value, upper, n_topics, how; one row per measure and system."""
        means = self.means.columns()
        return {
            "measure": means["measure"],
            "system": means["system"],
            "lower": self.lower.ravel().tolist(),
            "value": means["value"],
            "upper": self.upper.ravel().tolist(),
            "n_topics": means["n_topics"],
            "how": [how for how in self.how for _ in self.means.systems],
        }

    def to_dict(self) -> dict[str, dict[str, dict[str, float]]]:
        """{system: {measure: {lower, value, upper}}}, in plain Python floats."""
        ends = np.stack([self.lower, self.means.value, self.upper], axis=-1)
        return {
            system: {str(m): _ends(ends[i, s]) for i, m in enumerate(self.means.measures)}
            for s, system in enumerate(self.means.systems)
        }

    def table(self) -> tuple[list[str], list[list[str]]]:
        return _header(["system"], self.means.labels), [
            [name, *_cells(self.means.measures, self.lower[:, s], self.means.value[:, s], self.upper[:, s])]
            for s, name in enumerate(self.means.systems)
        ]

    def text_columns(self) -> int:
        return 1


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Bounds(Result):
    """Lowest and highest score by measure, system and topic, (M, S, T), over all grades unjudged documents could have.

    scores  the scores themselves, unjudged documents taken as not relevant
    exact   whether some assignment of grades attains both ends
    method  what was done for each measure where it is not exact, else ""

    NaN where the score is, and where no bound is known.
    """

    scores: Scores
    lower: Floats
    upper: Floats
    exact: Bools
    method: tuple[str, ...]

    def __post_init__(self) -> None:
        for array in (self.lower, self.upper, self.exact):
            array.setflags(write=False)

    @property
    def how(self) -> tuple[str, ...]:
        """For each measure "exact", or how its scores were bounded where they are not; and if these can lie outside."""
        ways = ("exact" if exact.all() else method for exact, method in zip(self.exact, self.method, strict=True))
        value = self.scores.value
        beyond: Bools = (value < self.lower - ROUNDING) | (value > self.upper + ROUNDING)
        return tuple(
            f"{way}; {OUTSIDE}" if outside.any() or _PARTIAL & {*measure.inputs} else way
            for way, outside, measure in zip(ways, beyond, self.scores.measures, strict=True)
        )

    def mean(self, how: str = "arithmetic") -> BoundMeans:
        """Means of lowest, actual and highest scores over the same topics; counts are summed.

        They are attained where each topic's are: lists of different topics share no document's grade.
        """
        kind: Any = how
        means = self.scores.mean(kind)
        lower, upper = (replace(self.scores, value=_like(x, self.scores)).mean(kind) for x in (self.lower, self.upper))
        # where a topic has no bound, the mean has none
        some = ~np.isnan(self.scores.value)
        open_ = (np.isnan(self.lower) & some).any(axis=-1)
        return BoundMeans(
            means=means,
            lower=np.where(open_, np.nan, lower.value),
            upper=np.where(open_, np.nan, upper.value),
            how=self.how,
        )

    def columns(self) -> dict[str, list[Any]]:
        """Columns measure, system, topic, lower, value, upper, how; None where a topic was left out or has no bound."""
        scores = self.scores.columns()
        method = np.array(self.method, dtype=object)[:, None, None]
        return {
            "measure": scores["measure"],
            "system": scores["system"],
            "topic": scores["topic"],
            "lower": _plain(self.lower),
            "value": scores["value"],
            "upper": _plain(self.upper),
            "how": np.where(self.exact, "exact", method).ravel().tolist(),
        }

    def column_types(self) -> dict[str, Any]:
        return {"lower": float, "value": float, "upper": float}

    def to_dict(self) -> dict[str, dict[str, dict[str, dict[str, float]]]]:
        """{system: {topic: {measure: {lower, value, upper}}}}, in plain Python floats, without topics left out."""
        scores = self.scores
        ends = np.stack([self.lower, scores.value, self.upper], axis=-1)
        return {
            system: {
                topic: {
                    str(m): _ends(ends[i, s, t])
                    for i, m in enumerate(scores.measures)
                    if not math.isnan(scores.value[i, s, t])
                }
                for t, topic in enumerate(scores.topics)
            }
            for s, system in enumerate(scores.systems)
        }

    def metrics(self) -> dict[str, float]:
        """Means over topics, named system.measure.lower, system.measure.value and system.measure.upper."""
        return self.mean().metrics()

    def table(self) -> tuple[list[str], list[list[str]]]:
        measures, scores = self.scores.measures, self.scores
        return _header(["system", "topic"], scores.labels), [
            [system, topic, *_cells(measures, self.lower[:, s, t], scores.value[:, s, t], self.upper[:, s, t])]
            for s, system in enumerate(scores.systems)
            for t, topic in enumerate(scores.topics)
        ]

    def text_columns(self) -> int:
        return 2

    def __str__(self) -> str:
        return str(self.mean())

    def _repr_html_(self) -> str:
        return self.mean()._repr_html_()


def _ends(ends: Floats) -> dict[str, float]:
    return dict(zip(("lower", "value", "upper"), ends.tolist(), strict=True))


def _like(ends: Floats, scores: Scores) -> Floats:
    """Lowest or highest scores, NaN where the scores are."""
    return np.where(np.isnan(scores.value), np.nan, ends)


def _plain(values: Floats) -> list[float | None]:
    return [None if math.isnan(v) else v for v in values.ravel().tolist()]


def _header(left: list[str], labels: tuple[str, ...]) -> list[str]:
    return [*left, *(word for label in labels for word in ("lower", label, "upper"))]


def _cells(measures: tuple[Measure, ...], lower: Floats, value: Floats, upper: Floats) -> list[str]:
    return [
        number(v, m) for m, *three in zip(measures, lower, value, upper, strict=True) for v in three
    ]  # fmt: skip
