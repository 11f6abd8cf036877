"""Contents of the page from a collection: lists for the explorer, up to a limit, and what was left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import gcd
from typing import Any

import numpy as np

from rankscope.arguments import whole_number
from rankscope.arrays import FIRST_GRADE, Ints
from rankscope.errors import InputError
from rankscope.figures.theme import relevance_steps
from rankscope.formatting import minus_signs, plain
from rankscope.io.paths import seeds
from rankscope.judged import Judged
from rankscope.measures import Scores
from rankscope.preferences.gains import Gains
from rankscope.preferences.ordering import RULES, Ordering, ordering_for
from rankscope.reporting.chapters import TOPICS
from rankscope.reporting.packing import packed_array, packed_json
from rankscope.statistics.equality import PRECISION

DEPTH = 100
SYSTEMS, LISTS = 250, 150_000
"""What a page holds of each, at most."""
CELLS, NAMED = 24_000_000, 4_000_000
"""Ranks that it holds in all: with their grades, and with their documents' ids."""
CHOOSABLE = 2000  # systems of a leaderboard that one can be chosen from: the page holds all their pairs
WHOLE = 2**53  # whole numbers beyond it are not exact in a browser


@dataclass(frozen=True, slots=True, eq=False)
class PageLists:
    """Rows of the systems and topics that are in the page, down to which rank, and what is not.

    named     ranks down to which documents have their ids; 0 where these are not known
    left_out  sentences
    """

    judged: Judged
    systems: tuple[int, ...]
    topics: tuple[int, ...]
    depth: int
    named: int
    left_out: tuple[str, ...]

    @property
    def names(self) -> list[str]:
        """Names of the systems."""
        return [self.judged.systems[s] for s in self.systems]

    def codes(self) -> Any:
        """(systems, topics, ranks) grade codes."""
        return self.judged.code[np.ix_(self.systems, self.topics)][..., : self.depth]


def page_lists(judged: Judged, order: Sequence[str], depth: int = DEPTH) -> PageLists:
    """As much as a page can hold; systems in this order, the first of which stay."""
    whole_number("depth", depth)
    left_out = []
    if repeats := [*seeds(order)]:
        left_out.append(
            f"{len(repeats)} runs such as {repeats[0]} and {repeats[1]} are repeats by their names. This page shows "
            "each run as a system; rank, compare and across take repeats as one system."
        )
    rows = [judged.system(name) for name in order]
    if len(rows) > SYSTEMS:
        left_out.append(f"The explorer holds the first {SYSTEMS} of {len(rows):,} systems.")
    rows, topics = rows[:SYSTEMS], range(len(judged.topics))
    most = max(1, min(TOPICS, LISTS // len(rows)))
    if len(topics) > most:
        left_out.append(f"The explorer holds the first {most:,} of {len(topics):,} topics.")
    topics = topics[:most]
    lists, loaded = len(rows) * len(topics), judged.code.shape[-1]
    deepest = min(depth, loaded)
    ranks = max(1, min(deepest, CELLS // lists))
    if ranks < deepest:
        left_out.append(f"The explorer holds the first {ranks} ranks of each list, not {deepest}.")
    elif ranks < loaded:
        left_out.append(f"The explorer holds the first {ranks} of up to {loaded:,} ranks; scores are of whole lists.")
    kept = 0 if judged.documents is None else judged.documents.number.shape[-1]
    named_ranks = min(kept, ranks, max(1, NAMED // lists))
    if 0 < named_ranks < ranks:
        left_out.append(f"Documents have their ids down to rank {named_ranks}; below it, grades alone.")
    return PageLists(judged, tuple(rows), tuple(topics), ranks, named_ranks, tuple(left_out))


def orders(lists: PageLists, first: Gains, measured: dict[str, Any]) -> tuple[list[Ordering], list[str]]:
    """The orders that a reader can choose from, `first` before all others; and why some are not there.

    measured  the gains of the measure that decides
    """
    judged = lists.judged
    positive = [float(grade) for grade in judged.grades if grade > 0]
    choices: list[tuple[Gains, float | None]] = [(first, None), ("thresholds", None)]
    ordering_for(judged, *choices[0], lists.depth)  # an order that was asked for is there, or an error
    choices += [(measured["gains"], measured.get("rel")), ("binary", judged.rules.rel)]
    choices += [("binary", grade) for grade in positive[:8]]
    if len(positive) > 1:
        choices += [("linear", None), ("exp", None)]
    offered: dict[tuple[int, ...], Ordering] = {}
    missing = []
    for chosen, rel in choices:
        try:
            order = ordering_for(judged, chosen, rel, lists.depth)
        except InputError as error:
            missing.append(f"The order by gains {chosen} is not offered: {error.problems[0].cause}.")
            continue
        if order.gain is not None and order.gain.most * lists.depth >= WHOLE:
            missing.append(f"The order by {order.words} is not offered: these are too large for a browser.")
        else:
            offered.setdefault(_key(order), order)
    return list(offered.values()), list(dict.fromkeys(missing))


def _key(order: Ordering) -> tuple[int, ...]:
    """Key of an order, equal for equal orders."""
    if order.gain is None:
        return (-1, *order.firsts.tolist())
    table = order.gain.table
    return tuple((table // max(1, gcd(*table.tolist()))).tolist())


def _who(order: Ordering) -> str:
    """Words after "no metric" for the metrics that an order binds."""
    if order.gain is not None:
        return "that sums these gains, each times a weight that is never negative and never grows with rank,"
    return "that keeps the two rules" if order.binds == RULES else "of this binary relevance that keeps the two rules"


def _order(order: Ordering, codes: int) -> dict[str, Any]:
    """An order as the page computes and words it; `codes` is how many codes there are."""
    table = None if order.gain is None else order.gain.table.tolist()
    shares = order.share(np.arange(codes)).tolist()
    steps = relevance_steps(shares)
    return {
        "name": minus_signs(order.short),
        "mark": order.mark,
        "binds": order.binds,
        "who": _who(order),
        "first": min(order.first, codes),
        "firsts": order.firsts.tolist(),
        "table": table,
        "shade": [steps.get(share, -1) + 1 for share in shares],
    }


def facts(lists: PageLists, scores: Scores, offered: Sequence[Ordering]) -> dict[str, Any]:
    """Facts for the explorer beside the large arrays, as plain values."""
    judged = lists.judged
    names = [judged.topics[t] for t in lists.topics]
    return {
        "systems": list(map(plain, lists.names)),
        "topics": list(map(plain, names)),
        "byName": _places(names, names),
        "byNumber": _places([(int(n), n) if n.isdecimal() else None for n in names], names),
        "depth": lists.depth,
        "named": lists.named,
        "width": judged.code.dtype.itemsize,
        "grades": judged.grades.tolist(),
        "available": judged.available[list(lists.topics)].tolist(),
        "undefined": judged.rules.undefined,
        "missing": judged.rules.missing,
        "orders": [_order(order, FIRST_GRADE + len(judged.grades)) for order in offered],
        "measures": list(scores.labels),
        "rounding": PRECISION,
    }


def page_slices(lists: PageLists, slices: Mapping[str, Sequence[str]]) -> list[dict[str, Any]]:
    """Slices with topics in the page: name, and rows of the topics there."""
    row = {lists.judged.topics[t]: place for place, t in enumerate(lists.topics)}
    rows = {plain(name): [row[topic] for topic in topics if topic in row] for name, topics in slices.items()}
    return [{"name": name, "topics": places} for name, places in rows.items() if places]


def blocks(lists: PageLists, scores: Scores) -> dict[str, str]:
    """The large arrays, packed: grade codes, scores, and which document stands where."""
    at = [scores.systems.index(name) for name in lists.names]
    arrays = {
        "codes": packed_array(lists.codes()),
        "scores": packed_array(scores.value[:, at][:, :, list(lists.topics)]),
    }
    if lists.named:
        ids, places = documents(lists)
        goes_on = lists.judged.retrieved[list(lists.systems)][:, list(lists.topics)] > lists.named
        arrays |= {"ids": packed_json(ids), "places": packed_array(places), "deeper": packed_array(goes_on)}
    return arrays


def documents(lists: PageLists) -> tuple[list[list[str]], Any]:
    """Ids of each topic, most retrieved first, and (systems, topics, ranks) places among them from 1, 0 for none."""
    known = lists.judged.documents
    assert known is not None
    ids: list[list[str]] = []
    places = np.zeros((len(lists.systems), len(lists.topics), lists.named), np.uint32)
    for t, topic in enumerate(lists.topics):
        number = known.number[list(lists.systems), topic, : lists.named]
        numbers, inverse, count = np.unique(number, return_inverse=True, return_counts=True)
        count[numbers < 0] = len(lists.systems) * lists.named + 1  # what is padding gets place 0
        by_count = np.argsort(-count, kind="stable")
        place: Ints = np.empty(len(numbers), np.int64)
        place[by_count] = np.arange(len(numbers)) + (0 if numbers[0] < 0 else 1)
        places[:, t] = place[inverse.reshape(number.shape)]
        ids.append([plain(known.ids[n]) for n in numbers[by_count].tolist() if n >= 0])
    return ids, places.astype(np.uint16) if places.max(initial=0) < 2**16 else places


def _places(keys: Sequence[Any], names: Sequence[str]) -> list[int]:
    """The place of each name in the order of keys; -1 where there is no key."""
    places = [-1] * len(names)
    for place, row in enumerate(sorted((r for r, key in enumerate(keys) if key is not None), key=lambda r: keys[r])):
        places[row] = place
    return places
