"""Mean scores by slice of topics, and weighted means."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rankscope.arrays import Floats
from rankscope.comparisons.scored import Scored, ScoredLists, population, scored
from rankscope.comparisons.topic_attributes import QUANTILES, TopicPlan
from rankscope.errors import InputError, argument, output, plural, quietly
from rankscope.judged import Judged
from rankscope.layout import Block, Layer, Table
from rankscope.measures import Scores
from rankscope.results import Layered

ALL = "all topics"
MOST_ROWS = 16  # of the short layer


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SliceMeans(Layered):
    """Mean scores of systems on slices of topics.

    slices    names; the first is all topics
    value     (measures, slices, systems) means; NaN where no topic of a slice has a score
    n_topics  (measures, slices) topics that have a score of every system
    """

    measures: tuple[str, ...]
    systems: tuple[str, ...]
    slices: tuple[str, ...]
    value: Floats
    n_topics: Any
    by: str | None
    weights: str | None

    def columns(self) -> dict[str, list[Any]]:
        """One row per slice and system."""
        rows = [(k, s) for k in range(len(self.slices)) for s in range(len(self.systems))]
        columns: dict[str, list[Any]] = {
            "slice": [self.slices[k] for k, _ in rows],
            "n_topics": [int(self.n_topics[:, k].max()) for k, _ in rows],
            "system": [self.systems[s] for _, s in rows],
        }
        for m, name in enumerate(self.measures):
            columns[name] = [None if np.isnan(v := self.value[m, k, s]) else float(v) for k, s in rows]
        return columns

    def table(self) -> tuple[list[str], list[list[str]]]:
        """One row per slice and system, as text."""
        columns = self.columns()
        header = [self.by or "topics", "topics" if self.by else "n", "system", *self.measures]
        rows = zip(*columns.values(), strict=True)
        return header, [
            [*map(str, row[:3]), *("-" if value is None else f"{value:.4f}" for value in row[3:])] for row in rows
        ]

    def text_columns(self) -> int:
        return 3

    def blocks(self, layer: Layer) -> list[Block]:
        header, rows = self.table()
        shown = rows[:MOST_ROWS] if layer == "short" else rows
        notes = [f"{plural(len(rows) - len(shown), 'more row')}: {output('full')}."] if len(shown) < len(rows) else []
        if self.weights is not None:
            notes.append(population(self.weights))
        compare = f"rankscope compare with {argument('by')} tests whether a difference depends on the slice."
        return [
            Block("" if layer == "short" else "What are the mean scores by slice?", [Table(header, shown, left=3)], [
                "One row per slice of topics and system; one column per measure. Higher is better.",
                "Slices differ in difficulty: compare systems within a slice, not one system across slices.",
            ]),
            Block("", [*notes, *([f"Next: {compare}"] if self.by else [])]),
        ]  # fmt: skip


def slice_means(
    source: Judged | None,
    scores: Scores,
    *,
    topics_table: Any = None,
    by: str | None = None,
    quantiles: int = QUANTILES,
    weights: str | None = None,
) -> SliceMeans:
    """Mean scores of all topics and of each slice.

    source  the lists behind the scores, for attributes that are computed from them
    topics_table, by, quantiles, weights  attributes of topics, as of `compare`
    """
    if by is None and weights is None:
        raise InputError("neither slices nor weights", f"name a column with {argument('by')} or {argument('weights')}")
    plan = TopicPlan.of(topics_table, None, weights)
    tables: list[Scored] = []
    for measure in scores.measures:
        lists = scores if source is None else ScoredLists(source, scores)
        tables.append(plan.applied(scored(lists, measure)))
    rows = {} if by is None else plan.slices(tables[0], by, quantiles)
    groups = {ALL: None, **{name: tables[0].at[part] for name, part in rows.items()}}
    value = np.full((len(tables), len(groups), len(scores.systems)), np.nan)
    counts = np.zeros(value.shape[:2], np.int64)
    with quietly():
        for m, table in enumerate(tables):
            for k, at in enumerate(groups.values()):
                part = table if at is None else table.at_rows(np.flatnonzero(np.isin(table.at, at)))
                counts[m, k] = len(part.topics)
                if part.topics:
                    value[m, k] = part.mean()
    return SliceMeans(
        measures=tuple(table.measure for table in tables), systems=scores.systems, slices=tuple(groups), value=value,
        n_topics=counts, by=by, weights=weights,
    )  # fmt: skip
