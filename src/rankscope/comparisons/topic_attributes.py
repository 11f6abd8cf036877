"""Attributes of topics: slices, clusters and weights, from a table or computed from judgments, lists and scores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import compress
from typing import Any

import numpy as np

from rankscope.arguments import whole_number
from rankscope.arrays import Bools, Floats, Ints
from rankscope.comparisons.scored import Design, Scored
from rankscope.errors import InputError, Problem, argument, plural, warn
from rankscope.io.score_tables import is_decimal
from rankscope.io.topic_tables import TopicTable, read_topics
from rankscope.judged import Judged
from rankscope.measures.record import several_grades

QUANTILES = 4  # slices of a numeric column
CATEGORIES = 6  # distinct numbers up to which each is a slice of its own
MISSING = "missing"
MOST_SLICES = 50
OF_SCORES = "mean score of the systems compared"


def _relevant(table: Scored, judged: Judged) -> Floats:
    counts = judged.available[:, judged.grades >= _lowest(judged)].sum(axis=1)
    return np.asarray(counts[table.at], np.float64)


def _lowest(judged: Judged) -> float:
    """The lowest relevant grade, which is above 0."""
    return max(judged.rules.rel, np.nextafter(0.0, 1.0))


COMPUTED: dict[str, tuple[str, Callable[[Scored, Judged], Floats]]] = {
    "relevant": ("number of relevant documents", _relevant),
    "judged": (
        "number of judged documents",
        lambda table, judged: np.asarray(judged.available.sum(axis=1)[table.at], np.float64),
    ),
    "length": ("mean length of the lists", lambda table, judged: judged.retrieved.mean(axis=0)[table.at]),
    "difficulty": (OF_SCORES, lambda table, judged: table.value.mean(axis=1)),
}
"""Attributes that need no table, by name; those of judgments and lists need lists."""


@dataclass(frozen=True, eq=False)
class Attribute:
    """An attribute of each topic that is compared.

    values    distinct values as text, in the order of the topics
    code      place of each topic's value among these; -1 where it has none
    computed  values as numbers, where they were computed
    """

    name: str
    values: Sequence[str]
    code: Ints
    computed: Floats | None = None

    @cached_property
    def numbers(self) -> Floats | None:
        """Values as numbers, NaN where there is none; None where some value is no number."""
        if self.computed is not None:
            return self.computed
        if not all(map(is_decimal, self.values)):
            return None
        return np.array([*map(float, self.values), np.nan])[self.code]

    @property
    def missing(self) -> Bools:
        """Topics without a value."""
        return np.asarray(self.code < 0, np.bool_)

    def slices(self, quantiles: int) -> tuple[list[str], Ints]:
        """Names of slices in their order, and the slice of each topic; -1 where it has no value."""
        if self.numbers is None:
            order = sorted(range(len(self.values)), key=self.values.__getitem__)
            return [self.values[i] for i in order], np.array([*np.argsort(order), -1])[self.code]
        known = self.numbers[~self.missing]
        distinct = np.unique(known)
        if distinct.size <= CATEGORIES:
            cuts, names = distinct, [f"{value:.6g}" for value in distinct.tolist()]
        else:  # equal numbers are never apart
            cuts = np.unique(np.quantile(known, np.arange(1, quantiles) / quantiles, method="inverted_cdf"))
            parts = np.split(distinct, np.searchsorted(distinct, cuts, side="right"))
            ends = [(f"{part[0]:.4g}", f"{part[-1]:.4g}") for part in parts if part.size]
            names = [low if low == high else f"{low} to {high}" for low, high in ends]
        return names, np.where(self.missing, -1, np.searchsorted(cuts, self.numbers, side="left"))


@dataclass(frozen=True, slots=True, eq=False)
class TopicPlan:
    """How topics enter a comparison: the table of their attributes, and the columns for clusters and weights."""

    table: TopicTable | None = None
    clusters: str | None = None
    weights: str | None = None

    @classmethod
    def of(cls, table: Any = None, clusters: str | None = None, weights: str | None = None) -> TopicPlan:
        """The plan, with its table read."""
        return cls(None if table is None else read_topics(table), clusters, weights)

    def meaning(self, scores: Scored, name: str) -> str:
        """What a computed attribute is, in words; empty for a column of the table."""
        if self.table is not None and name in self.table.columns:
            return ""
        judged = scores.judged
        if name == "relevant" and judged is not None and several_grades(judged.grades):
            least = judged.grades[judged.grades >= _lowest(judged)].min(initial=np.inf)
            return f"number of documents of grade {least if np.isfinite(least) else judged.rules.rel:g} or more"
        return COMPUTED[name][0]

    def attribute(self, scores: Scored, name: str, role: str) -> Attribute:
        """The attribute of that name on the topics of the scores; an error that names those that are there."""
        if self.table is not None and name in self.table.columns:
            return self._from_table(self.table, scores, name)
        known = list(self.table.columns) if self.table is not None else []
        computed = [each for each in COMPUTED if scores.judged is not None or each == "difficulty"]
        if name in computed:
            judged: Any = scores.judged
            numbers = np.asarray(COMPUTED[name][1](scores, judged), np.float64)
            values, code = np.unique(numbers, return_inverse=True)
            return Attribute(name, list(map(str, values.tolist())), code, numbers)
        there = f"the table has {', '.join(known)}; " if known else ""
        cure = f"{there}computed are {', '.join(computed)}"
        if self.table is None:
            cure += f"; other attributes need a table ({argument('topics_table')})"
        raise InputError(f"{argument(role, name)}: no attribute of topics has that name", cure)

    @staticmethod
    def _from_table(table: TopicTable, scores: Scored, name: str) -> Attribute:
        cells = table.of(name, scores.topics)
        if not cells.values:
            here, there = (", ".join(names[:3]) for names in (scores.topics, table.topics))
            raise InputError(
                Problem(f"no topic of the scores has a value in column {name!r}",
                        f"the scores have topics such as {here}, the table such as {there}", table.place)
            )  # fmt: skip
        return Attribute(name, cells.values, cells.code)

    def applied(self, scores: Scored) -> Scored:
        """The scores with the cluster and the weight of each topic; topics of weight 0 are left out."""
        if self.clusters is None and self.weights is None:
            return scores
        weights = None if self.weights is None else self._weights(scores, self.weights)
        if weights is not None and not weights.all():
            keep = weights > 0
            gone = tuple(compress(scores.topics, ~keep))
            scores = replace(
                scores, topics=tuple(compress(scores.topics, keep)), value=scores.value[keep], at=scores.at[keep],
                left_out=(*scores.left_out, *gone), reasons={**scores.reasons, "weight": len(gone)},
            )  # fmt: skip
            weights = weights[keep]
        clusters = None if self.clusters is None else self._clusters(scores, self.clusters)
        return replace(scores, design=Design(self, clusters, weights))

    def _clusters(self, scores: Scored, name: str) -> Ints:
        attribute = self.attribute(scores, name, "clusters")
        code = attribute.code
        if count := int(np.count_nonzero(attribute.missing)):
            warn(f"{plural(count, 'topic')} without a value of {name!r}: each is a cluster of its own", stacklevel=3)
            code = code.copy()
            code[attribute.missing] = len(attribute.values) + np.arange(count)
        return code

    def _weights(self, scores: Scored, name: str) -> Floats:
        attribute = self.attribute(scores, name, "weights")
        if attribute.numbers is None:
            wrong = next(value for value in attribute.values if not is_decimal(value))
            raise InputError(f"{argument('weights', name)}: {wrong!r} is no number", "weights are numbers from 0")
        problems = []
        for rows, cause, cure in (
            (attribute.missing, "without a weight", "give every topic a weight; 0 leaves it out"),
            (attribute.numbers < 0, "with a negative weight", "weights are numbers from 0"),
        ):
            if rows.any():
                first = scores.topics[int(np.flatnonzero(rows)[0])]
                count = plural(int(np.count_nonzero(rows)), "topic")
                problems.append(Problem(f"{argument('weights', name)}: {count} {cause}, first {first!r}", cure))
        if not problems and np.count_nonzero(attribute.numbers) < 2:
            cause = "the weights sum to 0" if not attribute.numbers.any() else "one topic has all the weight"
            problems.append(Problem(f"{argument('weights', name)}: {cause}", "give several topics a weight above 0"))
        if problems:
            raise InputError(problems)
        return attribute.numbers

    def slices(self, scores: Scored, by: str, quantiles: int = QUANTILES) -> dict[str, Ints]:
        """Rows of topics by value of an attribute; numbers by quantiles. Those without a value are named "missing"."""
        whole_number("quantiles", quantiles, 2, MOST_SLICES)
        attribute = self.attribute(scores, by, "by")
        names, code = attribute.slices(quantiles)
        if count := int(np.count_nonzero(code < 0)):
            warn(f"{plural(count, 'topic')} without a value of {by!r}, in a slice of their own: missing", stacklevel=3)
            names = [*names, MISSING]  # the last, which -1 takes
        place = {name: i for i, name in enumerate(dict.fromkeys(sorted(names, key=MISSING.__eq__)))}  # each name once
        if len(place) > MOST_SLICES:
            raise InputError(
                f"{argument('by', by)}: {len(place):,} values on {len(scores.topics):,} topics, {MOST_SLICES} slices "
                "are the most",
                "choose a column with fewer values; numbers are cut at quantiles by themselves",
            )
        group = np.array([place[name] for name in names])[code]
        return {name: np.flatnonzero(group == i) for name, i in place.items()}
