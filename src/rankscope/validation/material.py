"""Material of the checks: the joined lists, and facts from the raw columns of each run, other orders among them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from rankscope import io, kernels
from rankscope.arrays import Bools, Codes, Floats, Ints, Spans, padded, size
from rankscope.errors import quietly
from rankscope.io.column_names import ColumnNames
from rankscope.io.columns import rows_of
from rankscope.io.trec import run_columns
from rankscope.judged import Judged, load
from rankscope.judged.join import joined_runs
from rankscope.judged.model import ALL_RANKS, Rules
from rankscope.judged.pool import Pool
from rankscope.judged.ranked import Lines, documents_of, ranked_columns
from rankscope.judged.sources import InMemory, Names, Path_, Runs
from rankscope.kernels import Order
from rankscope.measures import Measure, evaluate, measure

TOP = 10  # what a reader sees, and where most published measures are cut
POOLED = 100  # a usual pool depth
_PIECE = 8 << 20  # bytes of text whose fields are looked at at a time
_FIRST = 1000  # topics in which runs that are alike are alike


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """Facts from the columns of one run, by judged topic."""

    extra_topics: int  # topics that were not judged
    extra_documents: int
    tied: float  # share of neighbours in the first 100 with equal scores
    any_tie: bool  # anywhere in the run
    colliding: int  # neighbours whose scores differ, but not as 32-bit floats
    first_rank: float | None  # the smallest rank; None without a rank column
    rank_differs: Bools  # other documents, or in another order, in the first 10 by rank
    rank_contradicts: Bools  # and equal scores do not explain it
    by_rank: Codes  # (T, K) codes in the order of the rank column
    single: Codes | None  # (T, K) codes in the order of 32-bit floats; None where no scores collide
    lists_changed: int  # lists with documents in another order then


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidationMaterial:
    """A collection with the facts that the checks use."""

    judged: Judged
    facts: tuple[Facts, ...]
    rel_given: bool
    ap: Floats  # (S, T) NaN where undefined
    p: Floats  # (S, T) P@10
    source: str = ""  # path or address of the judgments, empty where they have none

    @property
    def systems(self) -> tuple[str, ...]:
        return self.judged.systems

    @property
    def rel(self) -> float:
        """The grade from which on a document is relevant."""
        return self.judged.rules.rel

    @property
    def ap_name(self) -> str:
        return "AP" if self.rel == 1 else f"AP(rel={self.rel:g})"

    def p_name(self, depth: int = TOP) -> str:
        return f"P@{depth}" if self.rel == 1 else f"P(rel={self.rel:g})@{depth}"

    def by_name(self) -> list[tuple[str, Facts]]:
        """Each run with what its columns say."""
        return list(zip(self.systems, self.facts, strict=True))

    def means(self, system: int) -> tuple[float, float]:
        """Mean AP and P@10 of a run."""
        return float(mean(self.ap[system])), float(mean(self.p[system]))

    def scores(self, judged: Judged, *, rel: float | None = None) -> tuple[Floats, Floats]:
        """AP and P@10, (S, T) each, at the threshold of this validation or another one."""
        return headline(judged, self.rel if rel is None else rel)


def open_material(
    qrels: Path_ | InMemory, runs: Runs, *, rel: float | None, names: Names, run_format: str | None,
    qrels_format: str | None, workers: int | None, columns: ColumnNames | None = None, keep_docs: bool = False,
    **reading: Any,
) -> ValidationMaterial:  # fmt: skip
    """The lists joined, and each run looked at in the same reading.

    keep_docs  which document stands at each rank, as `load` keeps it
    reading    `client` and `done` of `load`
    """
    qrels, runs = rereadable(qrels), rereadable(runs)
    settings: dict[str, Any] = {
        "names": names, "run_format": run_format, "qrels_format": qrels_format, "columns": columns,
        "workers": workers, **reading,
    }  # fmt: skip
    with quietly():
        judged, looks = joined_runs(
            qrels, runs, Rules(rel=1 if rel is None else rel), documented=rel is None,
            docs=ALL_RANKS if keep_docs else TOP, keep_docs=keep_docs, keep_ties=True, look=_look, **settings,
        )  # fmt: skip
        if not keep_docs and len({look.first_lists for look in looks}) < len(looks):
            # runs may be alike: whole lists tell
            judged = load(qrels, runs, rel=rel, keep_docs=True, keep_ties=True, **settings)
    facts = tuple(look.facts(code) for look, code in zip(looks, judged.code, strict=True))
    ap, p = headline(judged, judged.rules.rel)
    source = str(qrels) if isinstance(qrels, str | Path) else ""
    return ValidationMaterial(judged=judged, facts=facts, rel_given=rel is not None, ap=ap, p=p, source=source)


def alike(judged: Judged, depth: int | None = None) -> list[list[str]]:
    """Groups of two runs or more that have the same documents in all topics, down to a depth."""
    if judged.documents is None:
        return []  # it was seen that there are none
    groups: dict[bytes, list[str]] = {}
    for name, number in zip(judged.systems, judged.documents.number, strict=True):
        groups.setdefault(number[:, :depth].tobytes(), []).append(name)
    return [group for group in groups.values() if len(group) > 1]


def headline(judged: Judged, rel: float) -> tuple[Floats, Floats]:
    """AP and P@10, (S, T) each, NaN where a topic has no relevant document."""
    ap, p = scores(judged, measure("AP")(rel=rel), measure(f"P@{TOP}")(rel=rel))
    return ap, p


def scores(judged: Judged, *measures: Measure) -> Floats:
    """(M, S, T) scores, NaN where undefined, which the findings say."""
    with quietly():
        return evaluate(judged, measures).value


def mean(values: Floats, where: Bools | bool = True) -> Floats:
    """(S,) means over topics, leaving out what is undefined or not wanted; NaN where nothing is left."""
    kept = ~np.isnan(values) & where
    count = np.count_nonzero(kept, axis=-1)
    total: Floats = np.where(kept, values, 0.0).sum(axis=-1) / np.where(count, count, np.nan)
    return total


def reordered(judged: Judged, code: Sequence[Codes]) -> Judged:
    """The collection loaded with another order of lists."""
    return replace(judged, code=np.stack(code), documents=None, extremes=None)


def rereadable(source: Any) -> Any:
    """A source that can be read more than once."""
    if isinstance(source, Mapping):
        return {key: rereadable(value) for key, value in source.items()}
    return list(source) if isinstance(source, Iterator) else source


@dataclass(frozen=True, slots=True, kw_only=True)
class _Look:
    """What the lines of a run show."""

    extra_topics: int
    extra_documents: int
    neighbours: int  # in the first 100
    first_rank: float | None
    unsteady: list[_Unsteady]
    first_lists: bytes  # documents at the top of the lists of the first judged topics

    def facts(self, code: Codes) -> Facts:
        """Facts of the run, whose lists are code (T, K)."""
        differs, contradicts = np.zeros((2, len(code)), np.bool_)
        colliding = sum(lists.colliding for lists in self.unsteady)
        by_rank, single = (code.copy() if wanted else code for wanted in (self.unsteady, colliding))
        for lists in self.unsteady:
            ranks = lists.by_rank.shape[1]
            differs[lists.topics], contradicts[lists.topics] = lists.differs, lists.contradicts
            by_rank[lists.topics, :ranks] = lists.by_rank
            if lists.single is not None:
                single[lists.topics, :ranks] = lists.single
        tied = sum(lists.tied for lists in self.unsteady)
        return Facts(
            extra_topics=self.extra_topics,
            extra_documents=self.extra_documents,
            tied=tied / self.neighbours if self.neighbours else 0.0,
            any_tie=any(lists.any_tie for lists in self.unsteady),
            colliding=colliding,
            first_rank=self.first_rank,
            rank_differs=differs,
            rank_contradicts=contradicts,
            by_rank=by_rank,
            single=single if colliding else None,
            lists_changed=sum(lists.changed for lists in self.unsteady),
        )


def _look(lines: Lines) -> _Look:
    """A look at a run.

    Lists whose lines stand by falling scores and rising ranks, as most do, have no more to tell; the others are put in
    order.
    """
    topic, length = (np.concatenate([getattr(part, name) for part in lines.parts]) for name in ("topic", "length"))
    known = topic >= 0
    lowest = float(np.min([part.lowest_rank for part in lines.parts]))  # NaN where any is
    return _Look(
        extra_topics=int(np.count_nonzero(~known)),
        extra_documents=sum(part.lines for part in lines.parts) - int(length.sum()),
        neighbours=int(np.maximum(np.minimum(length[known], POOLED) - 1, 0).sum()),
        first_rank=lowest if np.isfinite(lowest) else None,
        unsteady=[_Unsteady.of(*rows, lines.pool) for rows in _unsteady_rows(lines, topic, ranks=not np.isnan(lowest))],
        first_lists=_first_lists(lines, topic[known], np.minimum(length[known], lines.docs)),
    )


def _first_lists(lines: Lines, topic: Ints, length: Ints) -> bytes:
    """Documents at the top of the lists of the first judged topics, which differ where two runs do, as a rule."""
    docs = documents_of(lines.text, lines.parts)
    lists = np.flatnonzero(topic < _FIRST)
    lists = lists[np.argsort(topic[lists])]
    start, count = (np.cumsum(length) - length)[lists], np.minimum(length[lists], TOP)
    rows = np.repeat(start - np.cumsum(count) + count, count) + np.arange(int(count.sum()))
    text, spans = kernels.packed(lines.text, docs.spans[docs.number[rows]])
    return b"".join([topic[lists].tobytes(), count.tobytes(), spans.tobytes(), text.tobytes()])


def _unsteady_rows(lines: Lines, topic: Ints, *, ranks: bool) -> Iterator[tuple[io.RunColumns, Ints]]:
    """Rows of judged topics whose lines stand in another order than that of scores and ranks, and their topics.

    Lines of text some at a time, for spans of all fields take several times as much.
    """
    bits = np.concatenate([part.apart for part in lines.parts if part.apart is not None])
    apart = (topic >= 0) & (bits > 0 if ranks else bits & kernels.SCORES_APART > 0)
    if not apart.any():
        return
    if lines.columns is not None:
        row_topic = _judged_topics(lines.columns, lines.pool)
        among = np.zeros(len(lines.pool.topics) + 1, np.bool_)  # the last is for topics without judgments
        among[topic[apart]] = True
        rows = np.flatnonzero(among[row_topic])
        yield rows_of(lines.columns, rows), row_topic[rows]
        return
    start = np.concatenate([part.start for part in lines.parts])
    stop = np.append(start[1:], size(lines.text))
    edges = np.stack([start, stop])[:, apart]
    piece = np.cumsum(edges[1] - edges[0]) // _PIECE
    for part in np.split(edges, np.flatnonzero(np.diff(piece)) + 1, axis=1):
        together = part[0, 1:] == part[1, :-1]
        starts, stops = part[0, np.append(True, ~together)], part[1, np.append(~together, True)]
        text = b"".join(lines.text.data[a:b] for a, b in zip(starts.tolist(), stops.tolist(), strict=True))
        columns = run_columns(padded(text), lines.place)
        yield columns if ranks else replace(columns, rank=None), _judged_topics(columns, lines.pool)


def _judged_topics(run: io.RunColumns, pool: Pool) -> Ints:
    """Number of each row's topic, -1 without judgments."""
    topic, heads = kernels.intern(run.text, run.topic)
    numbers: Ints = kernels.find_topics(run.text, run.topic[heads], pool.index)[topic]
    return numbers


@dataclass(frozen=True, slots=True, kw_only=True)
class _Unsteady:
    """Lists of some topics, (topics, ranks), put in order."""

    topics: Ints
    by_rank: Codes  # codes in the order of the rank column
    differs: Bools  # (topics,) another document by rank among the first ones
    contradicts: Bools  # (topics,) and equal scores do not explain it
    tied: int  # neighbours with equal scores in the first 100
    any_tie: bool
    colliding: int
    single: Codes | None
    changed: int

    @classmethod
    def of(cls, run: io.RunColumns, row_topic: Ints, pool: Pool) -> _Unsteady:
        """The lists of the rows of a run, whose topics are judged."""
        order = Rules().order(pool.grades, docs=ALL_RANKS)
        row_doc, first = kernels.intern(run.text, run.doc)
        heads = run.doc[first]
        list_topic, rank_in_list, docs, codes = _ordered(run, heads, pool, order)
        row = _rows(row_doc, row_topic, list_topic, docs)
        topics = np.unique(row_topic)
        list_row = np.searchsorted(topics, list_topic)
        here = np.zeros((len(topics), int(rank_in_list.max()) + 1), codes.dtype)
        here[list_row, rank_in_list] = codes
        place: Ints = np.empty(len(row_topic), np.int64)
        place[row] = rank_in_list
        at = np.searchsorted(topics, row_topic), place
        score = np.full(here.shape, np.nan)
        score[at] = run.score
        ranks = np.arange(here.shape[1])
        by_rank = np.tile(ranks, (len(here), 1)) if run.rank is None else _by_rank(run.rank, at, score.shape)
        differs = (by_rank != ranks)[:, :TOP] & ~np.isnan(score[:, :TOP])
        contradicts = differs & (np.take_along_axis(score, by_rank[:, :TOP], axis=1) != score[:, :TOP])
        colliding, single, changed = _colliding(score), None, 0
        if colliding:
            *_, docs_single, codes_single = _ordered(run, heads, pool, replace(order, single=True))
            single = np.zeros_like(here)
            single[list_row, rank_in_list] = codes_single
            changed = len(np.unique(list_topic[docs_single != docs]))
        return cls(
            topics=topics,
            by_rank=np.take_along_axis(here, by_rank, axis=1),
            differs=differs.any(axis=1),
            contradicts=contradicts.any(axis=1),
            tied=_ties(score[:, :POOLED]),
            any_tie=_ties(score) > 0,
            colliding=colliding,
            single=single,
            changed=changed,
        )


def _ties(score: Floats) -> int:
    """Number of neighbours with equal scores."""
    return int(np.count_nonzero(score[:, 1:] == score[:, :-1]))


def _ordered(run: io.RunColumns, heads: Spans, pool: Pool, order: Order) -> tuple[Ints, Ints, Ints, Codes]:
    """The run in order: topic and rank, from 0, of each document of a judged topic, its number and its code.

    heads  the documents of the run by number, each once
    """
    parts = ranked_columns(run, pool, order, 1)
    topic, length = (np.concatenate([getattr(part, name) for part in parts]) for name in ("topic", "length"))
    topic, length = topic[topic >= 0], length[topic >= 0]
    rank = np.arange(int(length.sum())) - np.repeat(np.cumsum(length) - length, length)
    docs = documents_of(run.text, parts)
    number = kernels.intern(run.text, np.concatenate([heads, docs.spans]))[0][len(heads) :]
    return np.repeat(topic, length), rank, number[docs.number], np.concatenate([part.code for part in parts])


def _rows(row_doc: Ints, row_topic: Ints, topic: Ints, docs: Ints) -> Ints:
    """Rows of the run that documents of topics come from: a topic has a document in one row."""
    end = len(row_doc)
    key = row_topic * end + row_doc
    by_key = np.argsort(key)
    rows: Ints = by_key[np.searchsorted(key, topic * end + docs, sorter=by_key)]
    return rows


def _by_rank(rank: Floats, at: tuple[Ints, Ints], shape: tuple[int, ...]) -> Ints:
    """(T, K) where to find, in trec_eval's order, what the rank column puts first, second, ...; then by line."""
    turn = np.full(shape, len(rank))  # the end of the lists comes last
    turn[at[0][by := np.argsort(rank, kind="stable")], at[1][by]] = np.arange(len(rank))
    return np.argsort(turn, axis=1, kind="stable")


def _colliding(score: Floats) -> int:
    with np.errstate(over="ignore", under="ignore"):  # beyond 32 bits they collide at infinity and at 0
        single = score.astype(np.float32)
    both = (single[:, 1:] == single[:, :-1]) & (score[:, 1:] != score[:, :-1])
    return int(np.count_nonzero(both))
