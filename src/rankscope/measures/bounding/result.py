"""Between which values scores lie, whatever the missing judgments would say."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rankscope.arrays import Bools, Floats
from rankscope.measures.record import Measure
from rankscope.measures.scores import Means, Scores, number
from rankscope.results import Result, frame

if TYPE_CHECKING:
    import polars as pl

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
        given = self.means.columns()
        return {
            "measure": given["measure"],
            "system": given["system"],
            "lower": self.lower.ravel().tolist(),
            "value": given["value"],
            "upper": self.upper.ravel().tolist(),
            "topics": given["topics"],
            "how": [how for how in self.how for _ in self.means.systems],
        }

    def to_frame(self) -> pl.DataFrame:
        """Columns measure, system, lower, value, upper, topics, how."""
        return frame(self.columns())

    def table(self) -> tuple[list[str], list[list[str]]]:
        return _header(["system"], self.means.labels), [
            [name, *_cells(self.means.measures, self.lower[:, s], self.means.value[:, s], self.upper[:, s])]
            for s, name in enumerate(self.means.systems)
        ]


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
        outside = [bool(one.any()) for one in beyond]
        return tuple(
            f"{way}; {OUTSIDE}" if there or _PARTIAL & {*measure.inputs} else way
            for way, there, measure in zip(ways, outside, self.scores.measures, strict=True)
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
        given = self.scores.columns()
        method = np.array(self.method, dtype=object)[:, None, None]
        return {
            "measure": given["measure"],
            "system": given["system"],
            "topic": given["topic"],
            "lower": _plain(self.lower),
            "value": given["value"],
            "upper": _plain(self.upper),
            "how": np.where(self.exact, "exact", method).ravel().tolist(),
        }

    def to_frame(self) -> pl.DataFrame:
        """Columns measure, system, topic, lower, value, upper, how; null where a topic was left out."""
        return frame(self.columns())

    def table(self) -> tuple[list[str], list[list[str]]]:
        measures, scores = self.scores.measures, self.scores
        return _header(["system", "topic"], scores.labels), [
            [system, topic, *_cells(measures, self.lower[:, s, t], scores.value[:, s, t], self.upper[:, s, t])]
            for s, system in enumerate(scores.systems)
            for t, topic in enumerate(scores.topics)
        ]

    def __str__(self) -> str:
        return str(self.mean())

    def _repr_html_(self) -> str:
        return self.mean()._repr_html_()


def _like(ends: Floats, scores: Scores) -> Floats:
    """Ends over the topics that the scores have."""
    return np.where(np.isnan(scores.value), np.nan, ends)


def _plain(values: Floats) -> list[float | None]:
    return [None if math.isnan(v) else v for v in values.ravel().tolist()]


def _header(left: list[str], labels: tuple[str, ...]) -> list[str]:
    return [*left, *(word for label in labels for word in ("lower", label, "upper"))]


def _cells(measures: tuple[Measure, ...], lower: Floats, value: Floats, upper: Floats) -> list[str]:
    return [
        number(v, m) for m, *three in zip(measures, lower, value, upper, strict=True) for v in three
    ]  # fmt: skip
