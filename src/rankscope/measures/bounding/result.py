"""Results of bounding: lowest and highest scores over all grades that unjudged documents could have."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rankscope.arrays import Bools, Floats
from rankscope.errors import output
from rankscope.layout import Block, Layer, Table, Toned
from rankscope.measures.record import Measure
from rankscope.measures.scores import Means, Scores, number, shared_signatures
from rankscope.results import Layered, Result

OUTSIDE = "the score itself can lie outside: unjudged documents have no grade there"
ROUNDING = 1e-12
MOST_ROWS, FIRST_ROWS = 9, 8  # systems that the short layer shows all of, and the first ones of more
_PARTIAL = {"nonrelevant", "pooled"}  # inputs of measures that tell unjudged documents from those that are not relevant


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BoundMeans(Layered):
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

    def to_markdown(self) -> str:
        """The whole table as GitHub shows it."""
        return Result.to_markdown(self)

    def answer(self, at: int = 0) -> str:
        """Whether one system has the highest mean whatever grades unjudged documents have, in one sentence.

        Ranges are of each system by itself. Systems share unjudged documents, so that some of the ends cannot occur
        together.

        at  index of the measure
        """
        lower, upper, label = self.lower[at], self.upper[at], self.means.labels[at]
        if np.isnan(lower).any() or np.isnan(upper).any():
            return f"No range of {label} is known over all grades that unjudged documents could have."
        if len(lower) == 1:
            return (
                f"Whatever grades unjudged documents have, the mean {label} of {self.means.systems[0]} is between "
                f"{lower[0]:.4f} and {upper[0]:.4f}."
            )
        first = int(np.argmax(lower))
        near = int(np.count_nonzero(upper >= lower[first] - ROUNDING)) - 1
        if near == 0:
            leader = self.means.systems[first]
            return f"{leader} has the highest mean {label}, whatever grades unjudged documents have."
        return (
            f"The ranges alone do not show which system is best on mean {label}: those of {near + 1} of {len(lower)} "
            f"systems reach {lower[first]:.4f}, the highest lower end."
        )

    def blocks(self, layer: Layer) -> list[Block]:
        return self._short() if layer == "short" else self._full()

    def _short(self) -> list[Block]:
        """The answer, and one row per system, the first ones by the first measure where there are many."""
        means = self.means
        shown, more = list(range(len(means.systems))), []
        if len(shown) > MOST_ROWS:
            from rankscope.statistics.equality import best_first

            shown = best_first(np.nan_to_num(means.value[0], nan=-math.inf), means.systems)[:FIRST_ROWS]
            by = f"the {FIRST_ROWS} best by {means.labels[0]} are shown"
            more = [f"{len(means.systems):,} systems, {by}; {output('full')} shows all of them."]
        rows = [
            [means.systems[s], *(
                f"{number(means.value[i, s], m)} {_range(m, self.lower[i, s], self.upper[i, s])}"
                for i, m in enumerate(means.measures)
            )]
            for s in shown
        ]  # fmt: skip
        header = ["system", *means.labels]
        inexact = [label for label, how in zip(means.labels, self.how, strict=True) if how != "exact"]
        notes = (
            [f"Ranges that are not exact, or that the mean can lie outside of: {', '.join(inexact)}."]
            if inexact
            else []
        )
        return [
            Block("", [Toned(self.answer(), "strong")]),
            Block("", [Table(header, rows, optional=range(len(header) - 1, 1, -1)), *more]),
            Block(
                "",
                [
                    *means.notes(),
                    "In brackets: the lowest and the highest mean over all grades that unjudged documents could have. "
                    "The mean itself takes them as not relevant.",
                    *notes,
                    f"Next: judge more documents where ranges are wide; {output('full')} says how they were found.",
                ],
            ),
        ]

    def _full(self) -> list[Block]:
        """All means with their ranges, one table per measure, the best first, and how both were computed."""
        from rankscope.statistics.equality import best_first

        means = self.means
        ranges = [
            Block(
                f"How far could the mean {label} move?",
                [Table(
                    ["system", "mean", "lower", "upper"],
                    [[means.systems[s], *(number(x[i, s], m) for x in (means.value, self.lower, self.upper))]
                     for s in best_first(np.nan_to_num(means.value[i], nan=-math.inf), means.systems)],
                )],
                [
                    "lower and upper: the lowest and the highest mean over all grades that unjudged documents could "
                    "have.",
                    "The mean itself takes unjudged documents as not relevant, unless the measure has another rule.",
                ],
            )
            for i, (label, m) in enumerate(zip(means.labels, means.measures, strict=True))
        ]  # fmt: skip
        return [
            Block("May unjudged documents change which system leads?", [self.answer(), *means.notes()], [
                "Each system has a range of means; ranges that do not meet cannot change places.",
                "Ranges that meet may: each one is found by itself, so not all ends need to happen together.",
            ]),
            *ranges,
            Block("How were the ranges found?", [
                f"{label}: {how}" for label, how in zip(means.labels, self.how, strict=True)
            ], [
                "exact: some grades of the unjudged documents attain each end.",
                "bounded: the exact range lies within the one that is shown. none: there is no range.",
            ]),
            Block("How were the means computed?", shared_signatures(means.signatures), [
                "A signature: the measure, its settings, and the rules for ties, missing topics and topics without "
                "relevant documents.",
                "Two numbers with the same signature can be compared.",
            ]),
        ]  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Bounds(Layered):
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

    def blocks(self, layer: Layer) -> list[Block]:
        """Blocks of the means."""
        return self.mean().blocks(layer)

    def to_markdown(self) -> str:
        """The whole table as GitHub shows it, one row per system and topic."""
        return Result.to_markdown(self)

    def _repr_html_(self) -> str:
        return self.mean()._repr_html_()


def _range(measure: Measure, lower: float, upper: float) -> str:
    return f"[{number(lower, measure)}, {number(upper, measure)}]"


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
