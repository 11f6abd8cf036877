"""IPSO where judgments are missing: what holds whatever the unjudged documents are worth.

A document that both systems retrieved has one grade, known or not. At any threshold it counts 1 or 0, so while it
stands in one of two prefixes and not in the other it can move the difference of their counts one way only: up where b
ranks it higher, down where a does, and the more the higher its grade. So one choice of the unknown grades is the best
for a at every threshold and every depth at once (the highest grade for what a ranks higher, none for what b does), and
its opposite the worst. a can be non-inferior if and only if the best choice makes it so: any other choice has, at each
threshold and depth, at least that difference b - a. Likewise it is certainly non-inferior if and only if the worst one
does. The same holds for the sums of a gain map, with the largest gain in place of the highest grade.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from rankscope.arrays import UNJUDGED, Bools, Ints
from rankscope.judged import Judged, load
from rankscope.judged.two_systems import two_systems
from rankscope.preferences.classes import favoured
from rankscope.preferences.gains import Gains
from rankscope.preferences.ordering import Ordering, ordering_for
from rankscope.preferences.selection import chosen, counted, depth_of
from rankscope.results import Result

VERDICTS = ("open", "certainly equal", "certainly ni", "certainly ns", "certainly **")
OPEN, SURELY_EQUAL, SURELY_NI, SURELY_NS, SURELY_MIXED = range(5)
SIGNS = np.array([0, 0, -1, 1, 0])  # by verdict: positive for b


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class UnjudgedIpso(Result):
    """IPSO of a against b that holds for any grades of the unjudged documents, by topic and depth.

    verdict         (topics, depths) codes into VERDICTS
    may_be_ni       (topics, depths) some gains of the unjudged documents make a non-inferior to b
    may_be_ns       likewise non-superior
    """

    systems: tuple[str, str]
    topics: tuple[str, ...]
    verdict: Ints
    may_be_ni: Bools
    may_be_ns: Bools
    order: Ordering
    left_out: int
    signature: str

    @property
    def depth(self) -> int:
        """Ranks that were compared."""
        return self.verdict.shape[-1]

    @property
    def sign(self) -> Ints:
        """(topics) 1 where the verdict is certainly for b (ns) at the full depth, -1 where for a (ni), else 0."""
        return SIGNS[self.verdict[:, -1]]

    @property
    def counts(self) -> Ints:
        """(depths, 5) topics with each verdict."""
        return np.stack([np.count_nonzero(self.verdict == v, axis=0) for v in range(len(VERDICTS))], axis=-1)

    def columns(self) -> dict[str, list[Any]]:
        """One row per topic, at the full depth; `favours` where the verdict is certain."""
        return {
            "topic": list(self.topics),
            "verdict": [VERDICTS[v] for v in self.verdict[:, -1].tolist()],
            "favours": favoured(self.sign, self.systems),
            "may_be_ni": self.may_be_ni[:, -1].tolist(),
            "may_be_ns": self.may_be_ns[:, -1].tolist(),
        }

    def table(self) -> tuple[list[str], list[list[str]]]:
        """One row per verdict."""
        counts = self.counts[-1].tolist()
        return ["whatever is unjudged", "topics"], [[v, str(n)] for v, n in zip(VERDICTS, counts, strict=True)]

    def text_columns(self) -> int:
        """Columns of the table that are text."""
        return 1

    def heading(self) -> str:
        """Heading of the table: systems, depth, topics and order."""
        a, b = self.systems
        what = f"IPSO of {a} against {b} to depth {self.depth} under missing judgments"
        return f"{what}; {counted(self.topics, self.left_out)}; {self.order.words}"

    def remarks(self) -> list[str]:
        """Remarks below the table: grades allowed for unjudged documents, and metrics that are bound."""
        highest = self.order.names[-1] if self.order.gain is None else "the largest gain"
        return [f"Unjudged documents may have any grade, from none to {highest}.", self.order.meaning]


def ipso_unjudged(
    source: Judged | Any,
    a: Any,
    b: Any,
    *,
    depth: int | None = None,
    gains: Gains = None,
    rel: float | None = None,
    **rules: Any,
) -> UnjudgedIpso:
    """Classify topics as ordered, not ordered or open by IPSO, over all grades that unjudged documents could have.

    Each unjudged document may have any grade up to the highest of the collection, or any gain up to the largest of
    the map, the same in both lists. Lists must have been loaded with `keep_docs=True`. Options are those of `ipso`.
    Exact at every depth.
    """
    judged, a, b = two_systems(source, a, b, read=partial(load, keep_docs=True), **rules)
    depth = depth_of(judged, depth)
    documents = judged.known_documents(depth)
    order = ordering_for(judged, gains, rel, depth)
    lists = chosen(judged, (a, b), depth, order.first)
    rows = [judged.system(a), judged.system(b)]
    number = documents.number[np.array(rows)[:, None], lists.at][..., :depth].astype(np.int64)
    for_a, for_b = _swings(number, lists.code == UNJUDGED)
    known = [(second - first, most) for (first, second), most in order.summed(lists.code)]
    least, most = (
        [np.cumsum(difference + gain * swing, axis=-1) for difference, gain in known] for swing in (-for_a, for_b)
    )
    verdict, may_ni, may_ns = verdicts(np.stack(least), np.stack(most))
    return UnjudgedIpso(
        systems=(a, b),
        topics=lists.topics,
        verdict=verdict,
        may_be_ni=may_ni,
        may_be_ns=may_ns,
        order=order,
        left_out=lists.n_left_out,
        signature="|".join([f"IPSO@{depth}", order.mark, *judged.rules.signature()]),
    )


def verdicts(least: Ints, most: Ints) -> tuple[Ints, Bools, Bools]:
    """Verdict at each depth, and whether ni and ns are possible.

    least, most  (thresholds, ..., depths) the least and the largest running difference b - a
    """
    surely_ni, may_ni = (np.logical_and.accumulate((d <= 0).all(axis=0), axis=-1) for d in (most, least))
    surely_ns, may_ns = (np.logical_and.accumulate((d >= 0).all(axis=0), axis=-1) for d in (least, most))
    verdict = np.full(may_ni.shape, OPEN)
    verdict[~may_ni & ~may_ns] = SURELY_MIXED
    verdict[surely_ni] = SURELY_NI
    verdict[surely_ns] = SURELY_NS
    verdict[surely_ni & surely_ns] = SURELY_EQUAL
    return verdict, may_ni, may_ns


def _swings(number: Ints, unjudged: Bools) -> tuple[Ints, Ints]:
    """(topics, ranks) how many more unjudged documents can count for a, and for b, from each rank on.

    A document counts from the rank of the list that has it higher, and no longer from that of the other.
    """
    _, topics, depth = number.shape
    sizes = int(number.max(initial=0)) + 1
    positions = []
    for side in (0, 1):
        t, rank = np.nonzero(unjudged[side])
        key = t * sizes + number[side, t, rank]
        order = np.argsort(key)
        positions.append((key[order], t[order], rank[order]))
    return _moves(positions, topics, depth), _moves(positions[::-1], topics, depth)


def _moves(positions: Sequence[tuple[Ints, Ints, Ints]], topics: int, depth: int) -> Ints:
    """Steps of the number of documents that the first list has and the second has not."""
    (key, t, rank), (others, _, other_rank) = positions
    late = np.full(len(key), depth)
    if len(others):
        at = np.minimum(np.searchsorted(others, key), len(others) - 1)
        late = np.where(others[at] == key, other_rank[at], depth)
    ahead = rank < late
    steps = np.zeros((topics, depth + 1), np.int64)
    np.add.at(steps, (t[ahead], rank[ahead]), 1)
    np.add.at(steps, (t[ahead], late[ahead]), -1)
    return steps[:, :depth]
