"""Scores of systems on topics, and their means."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from rankscope.arrays import Bools, Floats, Ints
from rankscope.errors import InputError
from rankscope.measures.names import measure as named
from rankscope.measures.record import Measure
from rankscope.results import Result, frame
from rankscope.version import __version__

if TYPE_CHECKING:
    import polars as pl

FLOOR = 1e-5  # what trec_eval puts for smaller values before it takes a geometric mean


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Means(Result):
    """One value a measure and system, (M, S), and over how many topics it was taken."""

    measures: tuple[Measure, ...]
    labels: tuple[str, ...]
    systems: tuple[str, ...]
    value: Floats
    topics: Ints
    how: str
    signatures: tuple[str, ...]

    def to_frame(self) -> pl.DataFrame:
        """Columns measure, system, value, topics."""
        return frame(self.columns())

    def columns(self) -> dict[str, list[Any]]:
        m, s = self.value.shape
        return {
            "measure": [str(x) for x in self.measures for _ in range(s)],
            "system": list(self.systems) * m,
            "value": self.value.ravel().tolist(),
            "topics": self.topics.ravel().tolist(),
        }

    def to_dict(self) -> dict[str, dict[str, float]]:
        """{system: {measure: value}}, in plain Python floats."""
        return {
            system: {str(m): float(self.value[i, s]) for i, m in enumerate(self.measures)}
            for s, system in enumerate(self.systems)
        }

    def table(self) -> tuple[list[str], list[list[str]]]:
        rows = [
            [name, *(number(self.value[i, s], m) for i, m in enumerate(self.measures))]
            for s, name in enumerate(self.systems)
        ]
        return ["system", *self.labels], rows


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scores(Result):
    """Scores by measure, system and topic, (M, S, T); NaN where a topic was left out for that measure.

    labels     names for tables: with the lowest relevant grade where the grades leave a choice
    lacking    (S, T) lists that a run lacks and that the rules leave out
    undefined  (M, T) topics that have nothing for the measure, such as no relevant document
    """

    measures: tuple[Measure, ...]
    labels: tuple[str, ...]
    systems: tuple[str, ...]
    topics: tuple[str, ...]
    value: Floats
    made: tuple[str, ...]  # how each measure's scores were made: the signature without n and version
    lacking: Bools
    undefined: Bools

    def __post_init__(self) -> None:
        self.value.setflags(write=False)

    def of(self, measure: str | Measure) -> Floats:
        """(S, T) scores of one measure."""
        found: Floats = self.value[self.at(measure)]
        return found

    def matrix(self, measure: str | Measure) -> Floats:
        """(topics, systems) scores of one measure, as statistics want them: topics that no system lacks."""
        values = self.of(measure).T
        return values[~np.isnan(values).any(axis=1)]

    def at(self, measure: str | Measure) -> int:
        """Where a measure's scores are, however it is spelt."""
        wanted = named(measure)
        # where the collection has a threshold of its own, AP was scored as AP(rel=2), say; and AP may be read AP(rel=1)
        likely = [
            m for m, label in zip(self.measures, self.labels, strict=True)
            if wanted in (m, replace(m, given=tuple(g for g in m.given if g[0] != "rel"))) or str(wanted) == label
        ]  # fmt: skip
        if wanted not in self.measures and len(likely) == 1:
            wanted = likely[0]
        if wanted not in self.measures:
            raise InputError(f"no scores of {measure}", f"there are {', '.join(map(str, self.measures))}")
        return self.measures.index(wanted)

    def signature(self, measure: str | Measure) -> str:
        """How the numbers of a measure were made, in one line."""
        at = self.at(measure)
        counts = sorted({int(n) for n in np.count_nonzero(~np.isnan(self.value[at]), axis=-1)})
        return signed(self.made[at], str(counts[0]) if len(counts) == 1 else f"{counts[0]}-{counts[-1]}")

    def mean(self, how: Literal["arithmetic", "geometric"] = "arithmetic") -> Means:
        """Means over the topics that were not left out; counts are summed.

        The geometric mean takes values below 0.00001 as that, as trec_eval's gm_map does.
        """
        if how not in ("arithmetic", "geometric"):
            raise InputError(f"mean {how!r} is unknown", "a mean is arithmetic or geometric")
        here = ~np.isnan(self.value)
        topics = np.count_nonzero(here, axis=-1)
        value = np.array([
            [_together(self.value[m, s, here[m, s]], measure, how) for s in range(len(self.systems))]
            for m, measure in enumerate(self.measures)
        ]).reshape(topics.shape)  # fmt: skip
        signatures = tuple(self.signature(m) + ("|mean:geometric" if how == "geometric" else "") for m in self.measures)
        return Means(
            measures=self.measures, labels=self.labels, systems=self.systems, value=value, topics=topics, how=how,
            signatures=signatures,
        )  # fmt: skip

    def columns(self) -> dict[str, list[Any]]:
        m, s, t = self.value.shape
        return {
            "measure": [str(x) for x in self.measures for _ in range(s * t)],
            "system": [x for x in self.systems for _ in range(t)] * m,
            "topic": list(self.topics) * (m * s),
            "value": [None if math.isnan(v) else v for v in self.value.ravel().tolist()],
        }

    def to_frame(self) -> pl.DataFrame:
        """Columns measure, system, topic, value; null where a topic was left out."""
        return frame(self.columns())

    def to_dict(self) -> dict[str, dict[str, dict[str, float]]]:
        """{system: {topic: {measure: value}}}, in plain Python floats, without what was left out."""
        return {
            system: {
                topic: {str(m): float(v) for m, v in zip(self.measures, self.value[:, s, t], strict=True) if v == v}
                for t, topic in enumerate(self.topics)
            }
            for s, system in enumerate(self.systems)
        }

    def table(self) -> tuple[list[str], list[list[str]]]:
        rows = [
            [system, topic, *(number(self.value[i, s, t], m) for i, m in enumerate(self.measures))]
            for s, system in enumerate(self.systems)
            for t, topic in enumerate(self.topics)
        ]
        return ["system", "topic", *self.labels], rows

    def __str__(self) -> str:
        return str(self.mean())

    def _repr_html_(self) -> str:
        return self.mean()._repr_html_()


def signed(made: str, topics: int | str) -> str:
    """A signature: how numbers were made, and over how many topics."""
    return f"{made}|n:{topics}|rankscope:{__version__}"


def number(value: float, measure: Measure) -> str:
    """A score as it is shown: four decimals, counts without, '-' where there is none."""
    if math.isnan(value):
        return "-"
    return f"{value:.0f}" if measure.aggregate == "sum" else f"{value:.4f}"


def _together(values: Floats, measure: Measure, how: str) -> float:
    if measure.aggregate == "sum":
        return math.fsum(values)
    if not len(values):
        return math.nan
    if how == "geometric":
        return math.exp(math.fsum(np.log(np.maximum(values, FLOOR))) / len(values))
    return math.fsum(values) / len(values)  # exactly rounded, so the order of topics cannot matter
