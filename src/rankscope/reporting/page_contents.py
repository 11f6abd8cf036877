"""What of a collection the page holds: lists for the explorer, as many as go, and what was left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd
from typing import Any

import numpy as np

from rankscope.arguments import whole_number
from rankscope.arrays import FIRST_GRADE, Ints
from rankscope.errors import InputError
from rankscope.judged import Judged
from rankscope.measures import Scores
from rankscope.preferences.gains import Gains
from rankscope.preferences.ordering import RULES, Ordering, ordering_for
from rankscope.reporting.packing import packed_array, packed_json, plain
from rankscope.statistics.equality import PRECISION

DEPTH = 100
SYSTEMS, TOPICS, LISTS = 250, 7000, 150_000
"""What a page holds of each, at most."""
CELLS, NAMED = 24_000_000, 4_000_000
"""Ranks that it holds in all: with their grades, and with their documents' ids."""
WHOLE = 2**53  # whole numbers beyond it are not exact in a browser


@dataclass(frozen=True, slots=True, eq=False)
class Held:
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
        """Of the systems."""
        return [self.judged.systems[s] for s in self.systems]

    def codes(self) -> Any:
        """(systems, topics, ranks) grade codes."""
        return self.judged.code[np.ix_(self.systems, self.topics)][..., : self.depth]


def held(judged: Judged, order: Sequence[str], depth: int = DEPTH) -> Held:
    """As much as a page can hold; systems in this order, the first of which stay."""
    whole_number("depth", depth)
    said = []
    rows = [judged.system(name) for name in order]
    if len(rows) > SYSTEMS:
        said.append(f"The explorer holds the first {SYSTEMS} of {len(rows):,} systems.")
    rows, topics = rows[:SYSTEMS], range(len(judged.topics))
    most = max(1, min(TOPICS, LISTS // len(rows)))
    if len(topics) > most:
        said.append(f"The explorer holds the first {most:,} of {len(topics):,} topics.")
    topics = topics[:most]
    lists, loaded = len(rows) * len(topics), judged.code.shape[-1]
    wanted = min(depth, loaded)
    kept = max(1, min(wanted, CELLS // lists))
    if kept < wanted:
        said.append(f"The explorer holds the first {kept} ranks of each list, not {wanted}.")
    elif kept < loaded:
        said.append(f"The explorer holds the first {kept} of up to {loaded:,} ranks; scores are of whole lists.")
    named = 0 if judged.documents is None else max(1, min(kept, NAMED // lists))
    if judged.documents is not None and named < kept:
        said.append(f"Documents have their ids down to rank {named}; below it, grades alone.")
    return Held(judged, tuple(rows), tuple(topics), kept, named, tuple(said))


def orders(whole: Held, first: Gains, measured: dict[str, Any]) -> tuple[list[Ordering], list[str]]:
    """The orders that a reader can choose from, `first` before all others; and why some are not there.

    measured  the gains of the measure that decides
    """
    judged = whole.judged
    positive = [float(grade) for grade in judged.grades if grade > 0]
    choices: list[tuple[Gains, float | None]] = [(first, None), ("thresholds", None)]
    ordering_for(judged, *choices[0], whole.depth)  # an order that was asked for is there, or an error
    choices += [(measured["gains"], measured.get("rel")), ("binary", judged.rules.rel)]
    choices += [("binary", grade) for grade in positive[:8]]
    if len(positive) > 1:
        choices += [("linear", None), ("exp", None)]
    made: dict[tuple[int, ...], Ordering] = {}
    missing = []
    for chosen, rel in choices:
        try:
            one = ordering_for(judged, chosen, rel, whole.depth)
        except InputError as error:
            missing.append(f"The order by gains {chosen} is not offered: {error.problems[0].cause}.")
            continue
        if one.gain is not None and one.gain.most * whole.depth >= WHOLE:
            missing.append(f"The order by {one.words} is not offered: these are too large for a browser.")
        else:
            made.setdefault(_key(one), one)
    return list(made.values()), list(dict.fromkeys(missing))


def _key(order: Ordering) -> tuple[int, ...]:
    """The same for orders that are one."""
    if order.gain is None:
        return (-1, *order.firsts.tolist())
    table = order.gain.table
    return tuple((table // max(1, gcd(*table.tolist()))).tolist())


def _who(order: Ordering) -> str:
    """Which metrics an order binds, after "no metric"."""
    if order.gain is not None:
        return "that sums these gains, each times a weight that is never negative and never grows with rank,"
    return "that keeps the two rules" if order.binds == RULES else "of this binary relevance that keeps the two rules"


def _order(order: Ordering, codes: int) -> dict[str, Any]:
    """An order as the page computes and words it; `codes` is how many codes there are."""
    table = None if order.gain is None else order.gain.table.tolist()
    return {
        "name": order.short,
        "mark": order.mark,
        "binds": order.binds,
        "who": _who(order),
        "first": min(order.first, codes),
        "firsts": order.firsts.tolist(),
        "table": table,
        "share": [round(share, 6) for share in order.share(np.arange(codes)).tolist()],
    }


def facts(whole: Held, scores: Scores, offered: Sequence[Ordering]) -> dict[str, Any]:
    """What the explorer knows beside the large arrays, as plain values."""
    judged = whole.judged
    names = [judged.topics[t] for t in whole.topics]
    return {
        "systems": list(map(plain, whole.names)),
        "topics": list(map(plain, names)),
        "byName": _places(names, names),
        "byNumber": _places([(int(n), n) if n.isdecimal() else None for n in names], names),
        "depth": whole.depth,
        "named": whole.named,
        "width": judged.code.dtype.itemsize,
        "grades": judged.grades.tolist(),
        "available": judged.available[list(whole.topics)].tolist(),
        "undefined": judged.rules.undefined,
        "missing": judged.rules.missing,
        "orders": [_order(one, FIRST_GRADE + len(judged.grades)) for one in offered],
        "measures": list(scores.labels),
        "rounding": PRECISION,
    }


def blocks(whole: Held, scores: Scores) -> dict[str, str]:
    """The large arrays, packed: grade codes, scores, and which document stands where."""
    at = [scores.systems.index(name) for name in whole.names]
    found = {
        "codes": packed_array(whole.codes()),
        "scores": packed_array(scores.value[:, at][:, :, list(whole.topics)]),
    }
    if whole.named:
        ids, places = documents(whole)
        found |= {"ids": packed_json(ids), "places": packed_array(places)}
    return found


def documents(whole: Held) -> tuple[list[list[str]], Any]:
    """Ids of each topic, most retrieved first, and (systems, topics, ranks) places among them from 1, 0 for none."""
    known = whole.judged.documents
    assert known is not None
    ids: list[list[str]] = []
    places = np.zeros((len(whole.systems), len(whole.topics), whole.named), np.uint32)
    for t, topic in enumerate(whole.topics):
        number = known.number[list(whole.systems), topic, : whole.named]
        found, inverse, count = np.unique(number, return_inverse=True, return_counts=True)
        count[found < 0] = len(whole.systems) * whole.named + 1  # what is padding gets place 0
        by_count = np.argsort(-count, kind="stable")
        place: Ints = np.empty(len(found), np.int64)
        place[by_count] = np.arange(len(found)) + (0 if found[0] < 0 else 1)
        places[:, t] = place[inverse.reshape(number.shape)]
        ids.append([plain(known.ids[n]) for n in found[by_count].tolist() if n >= 0])
    return ids, places.astype(np.uint16) if places.max(initial=0) < 2**16 else places


def _places(keys: Sequence[Any], names: Sequence[str]) -> list[int]:
    """The place of each name in the order of keys; -1 where there is no key."""
    found = [-1] * len(names)
    for place, row in enumerate(sorted((r for r, key in enumerate(keys) if key is not None), key=lambda r: keys[r])):
        found[row] = place
    return found
