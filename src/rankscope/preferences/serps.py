"""Bare result lists, without a collection: their IPSO relationship beside six metrics, laid out as in Figure 5."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from rankscope.arguments import Checks
from rankscope.arrays import Floats
from rankscope.errors import InputError, Problem, output, plural
from rankscope.formatting import p_value
from rankscope.layout import Block, Layer, Table, Tone, Toned
from rankscope.measures import measure
from rankscope.preferences.classes import (
    AHEAD,
    EQUAL,
    LABELS,
    LEGEND,
    NON_INFERIOR,
    NON_SEPARABLE,
    NON_SUPERIOR,
    PREFERENCE,
    Classes,
    favoured,
    first_advantage,
    path_of,
    rows_in_order,
    separability_lost,
)
from rankscope.preferences.gains import EQUALLY_LONG, Gains, exact_lists, shown
from rankscope.preferences.ipso import Ipso, sentence
from rankscope.preferences.ordering import Ordering, plain_ordering
from rankscope.progress import heard, staged
from rankscope.results import Layered, records

METRICS = {
    "RR": "RR",
    "Prec": "P@{}",
    "RBP(0.5)": "RBP(p=0.5)",
    "RBP(0.8)": "RBP(p=0.8)",
    "AP": "AP",
    "NDCG": "nDCG@{}",
}
"""Columns of Figure 5, and their measures where as many documents are relevant as a list has ranks."""

MOST = 5  # thresholds with a column each
_SHOWN = 10  # ranks or pairs in the short layer
_TONES: dict[str, Tone] = {"equal": "undecided", "A ahead": "holds", "B ahead": "changes", "undecided": "undecided"}
_EXPLAINED = (
    "What it is: the list that has been ahead at some rank so far, while the other one never was.",
    "How to read it: once each list has been ahead somewhere, the pair is undecided from there on.",
)
_BINDING = (
    "What it is: Rule 1 says that a better document at the same rank never lowers a score. Rule 2 says that a better "
    "document that moves up never lowers a score.",
    "How to read it: a metric that breaks one of the rules may score the list that is ahead lower.",
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Serps(Layered):
    """Pairs of bare result lists.

    lists        the grades of a and of b in each pair
    order        by what they were ordered, as `gains` asked for
    differences  (pairs, 6) metric of b less that of a, where Figure 5 has a less b; None where lists are graded
    """

    topics: tuple[str, ...]
    lists: tuple[tuple[tuple[Fraction, ...], tuple[Fraction, ...]], ...]
    paths: tuple[Classes, ...]
    order: Ordering
    gains: Gains
    differences: Floats | None

    @property
    def alike(self) -> Ipso | None:
        """The pairs as topics of one comparison, where all lists are equally long."""
        if len({len(path) for path in self.paths}) != 1:
            return None
        depth = len(self.paths[0])
        return Ipso(
            systems=("A", "B"), topics=self.topics, path=np.stack(self.paths), order=self.order, left_out=0,
            signature=f"IPSO@{depth}|{self.order.mark}",
        )  # fmt: skip

    def rows(self) -> list[int]:
        """Rows as Figure 5 has them; as given where lists differ in length."""
        comparison = self.alike
        return list(range(len(self.topics))) if comparison is None else rows_in_order(comparison.path, self.topics)

    def columns(self) -> dict[str, list[Any]]:
        """One row per pair, in the order of Figure 5."""
        rows = self.rows()
        columns: dict[str, list[Any]] = {
            "topic": [self.topics[r] for r in rows],
            "A": [_written(*self.lists[r]) for r in rows],
            "B": [_written(*self.lists[r][::-1]) for r in rows],
            "path": ["".join(LABELS[c] for c in self.paths[r].tolist()) for r in rows],
            "class": [LABELS[int(self.paths[r][-1])] for r in rows],
            "favours": favoured([PREFERENCE[self.paths[r][-1]] for r in rows], ("A", "B")),
        }
        if self.differences is not None:
            columns |= {name: [float(self.differences[r, m]) for r in rows] for m, name in enumerate(METRICS)}
        return columns

    def to_dict(self) -> dict[str, Any]:
        """Everything, in plain Python."""
        pairs = records(self.columns())
        for row, pair in zip(self.rows(), pairs, strict=True):
            (rank, leader), lost = first_advantage(self.paths[row]), int(separability_lost(self.paths[row]))
            pair["path"] = [LABELS[c] for c in self.paths[row].tolist()]
            pair["first_advantage"] = int(rank) or None
            pair["ahead_first"] = favoured([leader], ("A", "B"))[0]
            pair["separability_lost"] = lost or None
        summary = self.alike
        over = {} if summary is None or len(pairs) < 2 else {"over_pairs": _summary(summary)}
        return {"order": self.order.words, "binds": self.order.binds, "pairs": pairs, **over}

    def ahead(self, pair: int) -> dict[str, list[Fraction]]:
        """B - A down to each rank, in documents or in gain: how far B is ahead; where thresholds are many, extremes."""
        (first, second), order = plain_ordering(self.lists[pair], self.gains)
        unit = 1 if order.gain is None else order.gain.unit
        ahead = [np.cumsum(b - a) for (a, b), _ in order.summed(np.stack([first, second]))]
        names = ["B - A"] if len(ahead) == 1 else [f"B - A at {name}" for name in order.names]
        if len(ahead) > MOST:
            ahead = [np.min(ahead, axis=0), np.max(ahead, axis=0)]
            names = ["B - A, least", "B - A, most"]
        return {name: [Fraction(x, unit) for x in row.tolist()] for name, row in zip(names, ahead, strict=True)}

    def table(self) -> tuple[list[str], list[list[str]]]:
        """One row per pair; of a single pair, one row per rank."""
        if len(self.topics) == 1:
            return self._by_rank()
        columns = self.columns()
        del columns["class"], columns["favours"]
        rows = [[_cell(c) for c in row] for row in zip(*columns.values(), strict=True)]
        return list(columns), rows

    def _by_rank(self) -> tuple[list[str], list[list[str]]]:
        a, b = self.lists[0]
        ahead = self.ahead(0)
        columns = zip(a, b, *ahead.values(), strict=True)
        rows = [
            [str(rank), *map(shown, row), LABELS[c]]
            for rank, (row, c) in enumerate(zip(columns, self.paths[0].tolist(), strict=True), 1)
        ]
        return ["rank", "A", "B", *ahead, "class"], rows

    def blocks(self, layer: Layer) -> list[Block]:
        """Printed blocks: who is ahead; then the ranks of one pair, or one row per pair."""
        if len(self.topics) == 1:
            return self._pair_blocks(layer)
        ends = [int(path[-1]) for path in self.paths]
        equal, ni, ns, mixed = map(ends.count, (EQUAL, NON_INFERIOR, NON_SUPERIOR, NON_SEPARABLE))
        verdict = f"B is ahead on {ns} of {len(self.topics)} pairs, A on {ni}; equal on {equal}, undecided on {mixed}."
        summary = self.alike
        test = [] if summary is None else [f"Sign test of {ns} against {ni}: {p_value(summary.pvalue)}."]
        header, rows = self.table()
        header = [METRICS.get(name, name).partition("@")[0].replace("p=", "") for name in header]  # within 80 columns
        if layer == "short":
            ahead = [AHEAD[int(self.paths[r][-1])] for r in self.rows()]
            shown = [[*row[:3], Toned(word, _TONES[word])] for row, word in zip(rows, ahead, strict=True)]
            table = Table(["topic", "A", "B", "outcome"], shown[:_SHOWN], left=4)
            outcome = [self.order.outcome("the list that is ahead" if ni + ns else "")] if ni + ns + mixed else []
            more = [f"{len(rows) - _SHOWN} more pairs: {output('full')}"] if len(rows) > _SHOWN else []
            return [Block("", [Toned(verdict, "strong"), *test]), Block("Who is ahead?", [table, *more]),
                    Block("", [*outcome, _next()])]  # fmt: skip
        metrics = tuple(range(len(header) - 1, 3, -1))
        return [
            Block("", [Toned(verdict, "strong"), *test]),
            Block("Who is ahead at each rank?", [Table(header, rows, left=4, optional=metrics), LEGEND], _EXPLAINED),
            Block("Which metrics does this bind?", self._bound(), _BINDING),
        ]

    def _pair_blocks(self, layer: Layer) -> list[Block]:
        header, rows = self.table()
        more = []
        if layer == "short":
            words = [AHEAD[c] for c in self.paths[0].tolist()]
            header = [*header[:-1], "so far"]
            rows = [[*row[:-1], Toned(word, _TONES[word])] for row, word in zip(rows, words, strict=True)]
            more = [f"Ranks {_SHOWN + 1} to {len(rows)}: {output('full')}"] if len(rows) > _SHOWN else []
            rows = rows[:_SHOWN]
        else:
            more = [LEGEND]
        blocks = [
            Block("", [Toned(sentence(self.paths[0]), "strong")]),
            Block("Who is ahead down to each rank?", [Table(header, rows, left=0), *more], _EXPLAINED),
        ]
        metrics = self._metrics()
        if layer == "short":
            end = int(self.paths[0][-1])
            outcome = [] if end == EQUAL else [self.order.outcome({NON_INFERIOR: "A", NON_SUPERIOR: "B"}.get(end, ""))]
            return [*blocks, Block("", [*outcome, *metrics, _next()])]
        if metrics:
            blocks.append(Block("What do six metrics say?", metrics, [
                "What it is: the score of B minus that of A, for metrics of binary relevance (Figure 5 of the paper).",
                "How to read it: above 0 the metric scores B higher. Where the lists are undecided, signs may differ.",
            ]))  # fmt: skip
        return [*blocks, Block("Which metrics does this bind?", self._bound(), _BINDING)]

    def _metrics(self) -> list[str]:
        """B - A of six metrics in one line; none for graded lists."""
        if self.differences is None:
            return []
        each = zip(METRICS.values(), self.differences[0].tolist(), strict=True)
        scores = ", ".join(f"{name.partition('@')[0]} {_cell(value)}" for name, value in each)
        return [f"B - A, with {plural(len(self.lists[0][0]), 'relevant document')} in all: {scores}"]

    def _bound(self) -> list[str]:
        return [f"Order: {self.order.words}.", self.order.meaning]


def serps(
    pairs: Sequence[tuple[Any, Any]],
    topics: Sequence[str] | None = None,
    gains: Gains = None,
    *,
    progress: Callable[[float], Any] | None = None,
) -> Serps:
    """Compare pairs of bare result lists: texts such as "1011" or "2,0,1", or grades.

    gains     as for `ipso`: "thresholds" by default, every value above 0 being one; "linear" sums the values themselves
    progress  hears which share of the work is done, as in `progress=Bar()`

    AP divides by the depth and NDCG by the gain of a list of ones, as in Figure 5: no recall base enters.

    >>> serps([("1000010000", "1000000010")]).to_dict()["pairs"][0]["class"]
    'ni'
    """
    names = tuple(map(str, range(1, len(pairs) + 1))) if topics is None else tuple(topics)
    if len(names) != len(pairs):
        raise InputError(f"{len(names)} topics for {len(pairs)} pairs of lists", "name each pair, or none")
    problems: list[Problem] = []
    lists = []
    reading, ordering, scoring = staged(progress, 1, 3, 4)  # as long as they take, roughly
    for name, pair in heard(zip(names, pairs, strict=True), len(pairs), reading):
        try:
            lists.append(read_pair(pair))
        except InputError as error:
            place = f"pair {name}" if len(pairs) > 1 else ""
            problems += [Problem(p.cause, p.cure, place) for p in error.problems]
    if problems or not lists:
        raise InputError(problems or [Problem("no pairs of lists", "give two lists, or a file of them")])
    ends = np.cumsum([len(grades) for pair in lists for grades in pair])
    (code,), order = plain_ordering([[grade for pair in lists for grades in pair for grade in grades]], gains)
    codes = np.split(code, ends[:-1])
    coded = zip(codes[::2], codes[1::2], strict=True)
    paths = tuple(heard((path_of(a, b, order) for a, b in coded), len(lists), ordering))
    differences = _differences(lists, scoring)
    return Serps(topics=names, lists=tuple(lists), paths=paths, order=order, gains=gains, differences=differences)


def _next() -> str:
    return f"Next: rankscope compare QRELS A B does this for all topics; {output('full')} has more."


def read_pair(pair: Sequence[Any]) -> tuple[tuple[Fraction, ...], tuple[Fraction, ...]]:
    """Two lists of grades, equally long; all that is wrong with them is said at once."""
    if len(pair) != 2:
        raise InputError(f"{len(pair)} lists", "a pair is two lists")
    with Checks() as check:
        a, b = (check(read_list, grades) for grades in pair)
    if len(a) != len(b):
        raise InputError(f"lists of {len(a)} and {len(b)} documents", EQUALLY_LONG)
    return a, b


def read_list(grades: Any) -> tuple[Fraction, ...]:
    """A list of grades: a text of zeros and ones, comma-separated numbers, or numbers.

    >>> read_list("0.8,0.2") == (Fraction(4, 5), Fraction(1, 5))
    True
    """
    cure = 'write a list as 1011, or with commas between grades, as in "2,0,1"'
    if isinstance(grades, str):
        text = grades.strip()
        if re.fullmatch("[01]+", text):
            return tuple(map(Fraction, map(int, text)))
        parts = [part.strip() for part in text.split(",")]
        if "," not in text or not all(re.fullmatch(r"\d+(\.\d*)?|\.\d+", part) for part in parts):
            raise InputError(f"{grades!r} is no list of grades", cure)
        return tuple(map(Fraction, parts))
    (gains,), unit = exact_lists(grades)
    if gains.ndim > 1:
        raise InputError(f"a list with {gains.ndim} axes", "a list of grades has one axis, that of ranks")
    return tuple(Fraction(gain, unit) for gain in gains.tolist())


def _differences(
    lists: Sequence[tuple[tuple[Fraction, ...], tuple[Fraction, ...]]], progress: Callable[[float], Any] | None
) -> Floats | None:
    if any(gain not in (0, 1) for pair in lists for serp in pair for gain in serp):
        return None
    rows = (metric_differences(np.array([a], np.float64), np.array([b], np.float64)) for a, b in lists)
    return np.concatenate(list(heard(rows, len(lists), progress)))


def metric_differences(a: Any, b: Any) -> Floats:
    """(pairs, 6) each metric of Figure 5, b - a (the figure has a - b), from relevance by rank, (pairs, ranks)."""
    both = np.stack([a, b]).astype(np.float64)
    pairs, depth = both.shape[1:]
    pool = np.tile([1.0] * depth + [0.0] * depth, (pairs, 1))
    scores = [measure(name.format(depth)).score(both, pool) for name in METRICS.values()]
    return np.stack([b - a for a, b in scores], axis=-1)


def _summary(ipso: Ipso) -> dict[str, Any]:
    plain = ipso.to_dict()
    return {key: plain[key] for key in ("depth", "pvalue", "swing", "depths")}


def _written(gains: tuple[Fraction, ...], other: tuple[Fraction, ...]) -> str:
    """A list as one would type it, with commas where either list of the pair needs them."""
    return ("" if {*gains, *other} <= {0, 1} else ",").join(map(shown, gains))


def _cell(value: Any) -> str:
    if isinstance(value, str):
        return value
    return f"{value + 0.0:.2f}" if abs(value) >= 0.005 else "0.00"
