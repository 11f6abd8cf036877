"""IPSO over the topics of a collection: groups, counts, the sign test at every depth, and what could swing it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from rankscope.arrays import Floats, Ints
from rankscope.errors import plural
from rankscope.formatting import p_value, probability
from rankscope.judged import Judged
from rankscope.judged.two_systems import two_systems
from rankscope.preferences.classes import (
    EQUAL,
    GROUPS,
    LABELS,
    NON_INFERIOR,
    NON_SEPARABLE,
    NON_SUPERIOR,
    PREFERENCE,
    Classes,
    favoured,
    first_advantage,
    groups_of,
    path_of,
    rows_in_order,
    separability_lost,
)
from rankscope.preferences.gains import Gains
from rankscope.preferences.ordering import Ordering, ordering_for, plain_ordering
from rankscope.preferences.selection import chosen, counted, depth_of
from rankscope.results import Result, frame, records
from rankscope.statistics.pairs.difference_tests import even_odds

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ipso(Result):
    """IPSO classes of system a against system b, by topic and depth.

    path     (topics, depths) codes into `classes.LABELS`
    order    by what lists were ordered, and which metrics that binds
    left_out topics that were not compared, for want of a relevant document or a list
    signature  how the classes were computed, in one line
    counts   (depths, 5) topics in each section of Figure 5, had the lists been compared down to that depth
    """

    systems: tuple[str, str]
    topics: tuple[str, ...]
    path: Classes
    order: Ordering
    left_out: int
    signature: str
    counts: Ints = field(init=False)

    @property
    def depth(self) -> int:
        """Ranks that were compared."""
        return self.path.shape[-1]

    @property
    def outcome(self) -> Classes:
        """Class of each topic at the full depth."""
        return self.path[:, -1]

    @property
    def sign(self) -> Ints:
        """(topics) 1 where b cannot be worse at the full depth (ns), -1 where a cannot (ni), 0 where equal or free."""
        return PREFERENCE[self.outcome].astype(np.int64)

    @property
    def group(self) -> Ints:
        """Section of Figure 5 of each topic, 1 to 5."""
        return groups_of(self.path)

    def __post_init__(self) -> None:
        """Count once what many properties and sentences ask for."""
        leader = first_advantage(self.path)[1]
        mixed = self.path == NON_SEPARABLE
        sections = [
            mixed & (leader > 0)[:, None],
            self.path == NON_SUPERIOR,
            self.path == EQUAL,
            self.path == NON_INFERIOR,
            mixed & (leader < 0)[:, None],
        ]
        counts = np.stack([np.count_nonzero(section, axis=0) for section in sections], axis=-1)
        object.__setattr__(self, "counts", counts)

    @property
    def pvalues(self) -> Floats:
        """p of the sign test of ns against ni at each depth: exact, two-sided, == and ** left out."""
        return even_odds(self.counts[:, 1], self.counts[:, 3])

    @property
    def pvalue(self) -> float:
        """p at the full depth."""
        return float(self.pvalues[-1])

    @property
    def swing(self) -> tuple[tuple[int, int, float], tuple[int, int, float]]:
        """(ns, ni, p) at the full depth if every non-separable topic went to a, and if every one went to b."""
        _, ns, _, ni, _ = self.counts[-1].tolist()
        mixed = len(self.topics) - ns - ni - int(self.counts[-1, 2])
        return (ns, ni + mixed, float(even_odds(ns, ni + mixed))), (ns + mixed, ni, float(even_odds(ns + mixed, ni)))

    def columns(self) -> dict[str, list[Any]]:
        """One row per topic, in the order of Figure 5."""
        rank, leader = first_advantage(self.path)
        lost, group = separability_lost(self.path), self.group
        rows = rows_in_order(self.path, self.topics)
        ahead_first, favours = favoured(leader, self.systems), favoured(self.sign, self.systems)
        return {
            "topic": [self.topics[r] for r in rows],
            "group": [int(group[r]) for r in rows],
            "class": [LABELS[self.outcome[r]] for r in rows],
            "favours": [favours[r] for r in rows],
            "first_advantage": [int(rank[r]) or None for r in rows],
            "ahead_first": [ahead_first[r] for r in rows],
            "separability_lost": [int(lost[r]) or None for r in rows],
            "path": ["".join(LABELS[c] for c in self.path[r].tolist()) for r in rows],
        }

    def column_types(self) -> dict[str, Any]:
        """Types of columns that may hold nothing but nulls."""
        return {"first_advantage": int, "ahead_first": str, "separability_lost": int}

    def by_depth(self) -> pl.DataFrame:
        """One row per depth: topics in each class, and p of the sign test there."""
        return frame(self._by_depth())

    def _by_depth(self) -> dict[str, list[Any]]:
        counts = self.counts
        named = {label: counts[:, g].tolist() for g, label in enumerate(GROUPS)}
        return {"depth": list(range(1, self.depth + 1)), **named, "pvalue": self.pvalues.tolist()}

    def summary(self) -> dict[str, Any]:
        """Everything but the topics, in plain Python."""
        return {
            "systems": list(self.systems),
            "depth": self.depth,
            "order": self.order.words,
            "binds": self.order.binds,
            "left_out": self.left_out,
            "signature": self.signature,
            "pvalue": self.pvalue,
            "swing": [dict(zip(("ns", "ni", "pvalue"), side, strict=True)) for side in self.swing],
            "depths": records(self._by_depth()),
        }

    def to_dict(self) -> dict[str, Any]:
        """Everything, in plain Python."""
        return {**self.summary(), "topics": records(self.columns())}

    def table(self) -> tuple[list[str], list[list[str]]]:
        """One row per section of Figure 5."""
        a, b = self.systems
        words = (f"undecided, {b} first (** after ns)", f"{b} ahead (ns)", "equal (==)", f"{a} ahead (ni)",
                 f"undecided, {a} first (** after ni)")  # fmt: skip
        return ["group", "topics"], [[name, str(n)] for name, n in zip(words, self.counts[-1].tolist(), strict=True)]

    def heading(self) -> str:
        """Heading of the table: systems, depth, topics and order."""
        a, b = self.systems
        what = f"IPSO of {a} (A) and {b} (B) to depth {self.depth}"
        return f"{what}; {counted(self.topics, self.left_out)}; {self.order.words}"

    def remarks(self) -> list[str]:
        """Remarks below the table: the sign test, its range over undecided topics, its dependence on the depth."""
        a, b = self.systems
        _, ns, _, ni, _ = self.counts[-1].tolist()
        (_, most, p_a), (least, _, p_b) = self.swing
        lines = [f"Sign test, {b} ahead on {ns} and {a} on {ni}: {p_value(self.pvalue)}."]
        if most > ni:
            lines.append(
                f"If the {plural(most - ni, 'undecided topic')} went to {a}: {ns} against {most}, {p_value(p_a)}; "
                f"if to {b}: {least} against {ni}, {p_value(p_b)}."
            )
        return [*lines, _over_depths(self.pvalues), self.order.meaning]


def ipso(
    source: Judged | Any,
    a: Any,
    b: Any,
    *,
    depth: int | None = None,
    gains: Gains = None,
    rel: float | None = None,
    **rules: Any,
) -> Ipso:
    """Innate pairwise order of two systems on each topic: the one that every metric that keeps two rules must follow.

    A list is non-inferior (ni) to another down to a depth when, for every grade and every rank down to the depth, it
    has at least as many documents of that grade or a higher one: then no metric that prefers better documents, and
    prefers them earlier, can score it lower. It is non-superior (ns) the other way round, equal (==) when both,
    non-separable (**) when neither.

    source, a, b  lists and the names of two systems; or judgments and two runs, as `load` takes them
    depth  ranks to compare; all that were loaded by default
    gains  "thresholds", the order above, by default. "linear", "exp", "binary" or {grade: gain} compare sums of gains
           instead. Such an order separates more lists, and binds metrics that sum this gain times a non-increasing
           weight of the rank alone. For binary judgments all are one
    rel    the lowest relevant grade for binary gains; by default that of the collection
    rules  those of `load`, for runs that are read here, such as ties="rank"

    Moffat and Mackenzie (2024). The test counts topics; it says nothing of how much better a system is.
    """
    judged, a, b = two_systems(source, a, b, **rules)
    depth = depth_of(judged, depth)
    order = ordering_for(judged, gains, rel, depth)
    lists = chosen(judged, (a, b), depth, order.first)
    return Ipso(
        systems=(a, b),
        topics=lists.topics,
        path=path_of(lists.code[0], lists.code[1], order),
        order=order,
        left_out=lists.n_left_out,
        signature="|".join([f"IPSO@{depth}", order.mark, *judged.rules.signature()]),
    )


def ipso_of(a: Any, b: Any, gains: Gains = None) -> Ipso:
    """`ipso` of plain arrays of grades, (topics, ranks) or (ranks), exact for typed decimals.

    >>> print(ipso_of([1, 0, 0], [0, 1, 1]).to_dict()["topics"][0]["class"])
    **
    """
    (first, second), order = plain_ordering((a, b), gains)
    paths = path_of(first, second, order)
    paths = paths.reshape(-1, paths.shape[-1])
    topics = tuple(map(str, range(1, len(paths) + 1)))
    signature = f"IPSO@{paths.shape[-1]}|{order.mark}"
    return Ipso(systems=("A", "B"), topics=topics, path=paths, order=order, left_out=0, signature=signature)


def sentence(paths: Classes, a: str = "A", b: str = "B") -> str:
    """The outcome for one pair in one sentence: who is ahead at the last rank, and at which ranks each came ahead.

    >>> sentence(np.array([0, 2, 3], np.uint8))
    'Metrics may disagree on A and B to depth 3: B is ahead first, at rank 2, and A at rank 3.'
    >>> sentence(np.array([0, 2, 2], np.uint8))
    'B is ahead of A to depth 3, from rank 2 on.'
    """
    (rank, leader), lost = first_advantage(paths), int(separability_lost(paths))
    ahead, other = (b, a) if leader > 0 else (a, b)
    if lost and lost == rank:
        return f"Metrics may disagree on {a} and {b} to depth {len(paths)}, from rank {lost} on."
    if lost:
        first = f"{ahead} is ahead first, at rank {int(rank)}, and {other} at rank {lost}"
        return f"Metrics may disagree on {a} and {b} to depth {len(paths)}: {first}."
    if rank:
        return f"{ahead} is ahead of {other} to depth {len(paths)}, from rank {int(rank)} on."
    return f"{a} and {b} are equal to depth {len(paths)}."


def _over_depths(pvalues: Floats) -> str:
    """Dependence of p on the depth, in words."""
    low, high = int(np.argmin(pvalues)), int(np.argmax(pvalues))
    if low == high:  # the first of equals
        return "The p value is the same at every depth."
    return (
        f"The p value depends on the depth: the smallest is {probability(float(pvalues[low]))} at depth {low + 1}, the "
        f"largest {probability(float(pvalues[high]))} at depth {high + 1}."
    )
