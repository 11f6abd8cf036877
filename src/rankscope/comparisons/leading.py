"""The lead of a ranking with one choice made otherwise: another metric, other grades, another order of ties."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import inf
from typing import Literal, TypeAlias

import numpy as np

from rankscope.arrays import Floats
from rankscope.comparisons.leaderboard import Leaderboard
from rankscope.comparisons.scored import Scored, ScoredLists, cutoff_of, scored
from rankscope.errors import InputError, quietly
from rankscope.judged.subsets import with_systems
from rankscope.measures.bounding.joint import joint_ends
from rankscope.measures.bounding.run import ends_of
from rankscope.statistics.equality import PRECISION, places

Axis: TypeAlias = Literal["metric", "unjudged", "ties"]
RANKS, CELLS = 100, 10_000_000
"""Ranks that a measure looks at, and documents in all lists, up to which pairs of systems are bounded jointly."""


@dataclass(frozen=True, slots=True)
class LeadRepetition:
    """Whether the leader of a ranking has the highest mean with one choice made otherwise. No test is made.

    axis    "metric": another metric; "unjudged": grades of unjudged documents that are worst for the leader and best
            for each other system; "ties": tied documents in the order that is worst for the leader and best for others
    name    of the choice
    mean    of the leader
    rivals  systems with a higher mean than the leader, the highest first; for unjudged documents also with an equal one
    means   of the rivals
    leads   largest lead of each rival over all grades of unjudged documents, each of which has one grade in both lists;
            None where each system was bounded by itself
    tied    how many other systems have the same mean as the leader
    attained  whether every rival has a higher or equal mean with some grades, or order of ties; else none is excluded
    """

    axis: Axis
    name: str
    mean: float
    rivals: tuple[str, ...]
    means: tuple[float, ...]
    leads: tuple[float, ...] | None = None
    attained: bool = True
    tied: int = 0

    @property
    def holds(self) -> bool:
        """Whether the leader still has the highest mean."""
        return not self.rivals


def lead_repetitions(
    lists: ScoredLists, ranking: Leaderboard, *, workers: int | None = None
) -> tuple[LeadRepetition, ...]:
    """The lead under further measures, bounds of unjudged documents and orders of ties, as far as they are known."""
    further = zip(ranking.also, ranking.also_mean, strict=True)
    rows = [_repetition(ranking, "metric", name, means, means) for name, means in further if not np.isnan(means).any()]
    with quietly():  # said of the ranking
        rows += _of_lists(lists, ranking, workers)
    return tuple(rows)


def _of_lists(lists: ScoredLists, ranking: Leaderboard, workers: int | None) -> Iterator[LeadRepetition]:
    table = scored(lists, lists.scores.measures[0])
    judged, record = table.judged, table.record
    if judged is None or record is None:
        return
    order = [table.systems.index(name) for name in ranking.systems]
    try:
        lower, upper = (ends[0][order][:, table.at].mean(axis=1) for ends in ends_of(judged, [record], workers)[:2])
        if not (np.isnan(lower).any() or np.isnan(upper).any()):
            row = _repetition(ranking, "unjudged", "worst for the leader, best for the other", lower, upper)
            yield _jointly(row, table, ranking.systems[0], workers)
    except InputError:
        pass  # the measure has no bounds
    if judged.extremes is None:
        return
    worst, best = table, table
    if not all(np.array_equal(code, judged.code) for code in judged.extremes):
        worst, best = (scored(judged.with_ties(ties), record) for ties in ("worst", "best"))
    low, high = (means.value.mean(axis=0)[order] for means in (worst, best))
    yield _repetition(ranking, "ties", "worst for the leader, best for the other", low, high)


def _jointly(row: LeadRepetition, table: Scored, leader: str, workers: int | None) -> LeadRepetition:
    """The rivals that could lead where a document has one grade in both lists, where that takes little time."""
    judged, record = table.judged, table.record
    assert judged is not None
    assert record is not None
    if (cutoff_of(record) or inf) > RANKS or len(row.rivals) * judged.code[0].size > CELLS:
        return replace(row, attained=row.holds)
    leads, exact = {}, True
    for rival in row.rivals:
        ends = joint_ends(with_systems(judged, (leader, rival)), record, workers)
        highest = float(table.mean(ends.upper[table.at]))
        if not highest < -PRECISION:  # NaN: not known
            leads[rival] = highest
            exact &= bool(ends.exact[table.at].all())
    order = sorted(leads, key=lambda rival: -leads[rival])
    means = dict(zip(row.rivals, row.means, strict=True))
    return replace(
        row, rivals=tuple(order), means=tuple(means[r] for r in order), leads=tuple(leads[r] for r in order),
        attained=exact,
    )  # fmt: skip


def _repetition(ranking: Leaderboard, axis: Axis, name: str, own: Floats, others: Floats) -> LeadRepetition:
    """A repetition from means in the order of the ranking: those of the leader, and those of all others."""
    means = np.append(own[:1], others[1:])
    place = places(means)
    ahead = place >= place[0] if axis == "unjudged" else place > place[0]
    ahead[0] = False
    rivals = sorted(np.flatnonzero(ahead).tolist(), key=lambda s: (-place[s], s))
    return LeadRepetition(
        axis, name, float(means[0]), tuple(ranking.systems[s] for s in rivals), tuple(means[rivals].tolist()),
        tied=int((place == place[0]).sum()) - 1,
    )  # fmt: skip
