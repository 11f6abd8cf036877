"""Material of the checks: the joined lists, and facts from the raw columns of each run, other orders among them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from rankscope import io, kernels
from rankscope.arrays import Bools, Codes, Floats, Ints, Spans, cut, padded, size
from rankscope.errors import quietly
from rankscope.io.columns import rows_of
from rankscope.io.files import Scratch
from rankscope.io.formats import read
from rankscope.judged import Judged, load
from rankscope.judged.model import ALL_RANKS, Rules
from rankscope.judged.pool import Pool, read_pool
from rankscope.judged.ranked import ranked_columns
from rankscope.judged.sources import InMemory, Names, Path_, Runs, find_sources
from rankscope.kernels import Order
from rankscope.measures import Measure, evaluate, measure
from rankscope.parallel import available_workers, map_units

TOP = 10  # what a reader sees, and where most published measures are cut
POOLED = 100  # a usual pool depth
_PIECE = 8 << 20  # bytes of text whose fields are looked at at a time


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
    qrels_format: str | None, workers: int | None, judged: Judged | None = None,
) -> ValidationMaterial:  # fmt: skip
    """The lists joined, and each run looked at once.

    judged  the same lists, where `load` has joined them by its default rules with keep_docs=True and keep_ties=True
    """
    qrels, runs = rereadable(qrels), rereadable(runs)
    workers = available_workers() if workers is None else workers
    if judged is None or not _by_default_rules(judged):

        def lists(keep_docs: bool | int) -> Judged:
            with quietly():
                return load(
                    qrels, runs, rel=rel, names=names, keep_docs=keep_docs, keep_ties=True, run_format=run_format,
                    qrels_format=qrels_format, workers=workers,
                )  # fmt: skip

        judged = lists(TOP)
        if alike(judged, TOP):  # whether the rest of the lists is the same, too, is asked of these alone
            judged = lists(True)
    sources = [source.run for source in find_sources(runs, "path")]  # named by path, which costs nothing
    pool = read_pool(qrels, qrels_format, first=False)
    codes = judged.code

    scratch = Scratch()

    def look(system: int) -> Facts:
        source, code = sources[system], codes[system]
        facts = _facts(_pieces(source, run_format, scratch), code, pool)
        if facts is None:
            facts = _facts(iter([io.read_run(source, run_format)]), code, pool)
        assert facts is not None  # one piece has the whole of every topic
        return facts

    facts = tuple(map_units(look, range(len(sources)), workers=workers, kind="shared"))
    ap, p = headline(judged, judged.rules.rel)
    return ValidationMaterial(judged=judged, facts=facts, rel_given=rel is not None, ap=ap, p=p)


def alike(judged: Judged, depth: int | None = None) -> list[list[str]]:
    """Groups of two runs or more that have the same documents in all topics, down to a depth."""
    assert judged.documents is not None
    groups: dict[bytes, list[str]] = {}
    for name, number in zip(judged.systems, judged.documents.number, strict=True):
        groups.setdefault(number[:, :depth].tobytes(), []).append(name)
    return [group for group in groups.values() if len(group) > 1]


def _by_default_rules(judged: Judged) -> bool:
    rules = replace(judged.rules, rel=1, documented=False)
    return rules == Rules() and judged.extremes is not None and judged.documents is not None


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


def _pieces(source: Any, run_format: str | None, scratch: Scratch) -> Iterator[io.RunColumns]:
    """The columns of a run: of lines of text some at a time, for spans of all fields take several times as much."""
    if not isinstance(source, Path):
        yield io.read_run(source, run_format)
        return
    text, format = read(source, "run", run_format, scratch)
    start, end = 0, size(text)
    while format.fused and end - start > 2 * _PIECE:
        stop = kernels.topic_edge(text, start + _PIECE)
        yield format.columns(padded(text[start:stop].data), "run", str(source))
        start = stop
    yield format.columns(padded(text[start:end].data) if start else text, "run", str(source))


def _facts(pieces: Iterator[io.RunColumns], code: Codes, pool: Pool) -> Facts | None:
    """Facts of a run, from its pieces; code (T, K) is its lists. None where the lines of a topic are in two pieces.

    Lists whose lines stand together, by falling scores and rising ranks, as most do, have no more to tell; the others
    are put in order.
    """
    seen, others = np.zeros(len(code), np.bool_), set[bytes]()
    extra_topics = extra_documents = neighbours = 0
    first_rank = np.inf
    unsteady: list[_Unsteady] = []
    for run in pieces:
        topic, heads = kernels.intern(run.text, run.topic)
        judged_topic = kernels.find_topics(run.text, run.topic[heads], pool.index)
        known = judged_topic >= 0
        new = cut(run.text, run.topic[heads[~known]])
        if seen[judged_topic[known]].any() or not others.isdisjoint(new):
            return None
        seen[judged_topic[known]] = True
        others.update(new)
        length = np.bincount(topic, minlength=len(heads))
        extra_topics += len(new)
        extra_documents += int(length[~known].sum())
        neighbours += int(np.maximum(np.minimum(length[known], POOLED) - 1, 0).sum())
        if run.rank is not None:
            ranks = run.rank if known.all() else run.rank[known[topic]]
            first_rank = min(first_rank, float(ranks.min(initial=np.inf)))
        apart = known & ~_steady(run, topic, len(heads))
        if apart.any():
            rows = np.flatnonzero(apart[topic])
            unsteady.append(_Unsteady.of(rows_of(run, rows), judged_topic[topic[rows]], code, pool))
    differs, contradicts = np.zeros((2, len(code)), np.bool_)
    by_rank, single = (code.copy() if wanted else code for wanted in (unsteady, any(u.colliding for u in unsteady)))
    for lists in unsteady:
        differs[lists.topics], contradicts[lists.topics] = lists.differs.any(axis=1), lists.contradicts.any(axis=1)
        by_rank[lists.topics] = lists.by_rank
        if lists.single is not None:
            single[lists.topics] = lists.single
    return Facts(
        extra_topics=extra_topics,
        extra_documents=extra_documents,
        tied=sum(lists.equal(POOLED) for lists in unsteady) / neighbours if neighbours else 0.0,
        any_tie=any(lists.equal(None) for lists in unsteady),
        colliding=sum(lists.colliding for lists in unsteady),
        first_rank=None if np.isinf(first_rank) else first_rank,
        rank_differs=differs,
        rank_contradicts=contradicts,
        by_rank=by_rank,
        single=single if any(lists.colliding for lists in unsteady) else None,
        lists_changed=sum(lists.changed for lists in unsteady),
    )


def _steady(run: io.RunColumns, topic: Ints, count: int) -> Bools:
    """Whether the lines of each topic stand together, with falling scores, as 32-bit floats, too, and rising ranks."""
    with np.errstate(over="ignore", under="ignore"):
        single = run.score.astype(np.float32)
    steady = single[1:] < single[:-1]
    if run.rank is not None:
        steady &= run.rank[1:] >= run.rank[:-1]
    same = topic[1:] == topic[:-1]
    unsteady = np.bincount(topic[1:][same & ~steady], minlength=count) > 0
    starts = topic[np.concatenate([[True], ~same])] if len(topic) else topic
    together: Bools = np.bincount(starts, minlength=count) < 2
    return together & ~unsteady


@dataclass(frozen=True, slots=True, kw_only=True)
class _Unsteady:
    """Lists of some topics, (topics, ranks), put in order."""

    topics: Ints
    score: Floats  # NaN beyond the end of a list
    by_rank: Codes  # codes in the order of the rank column
    differs: Bools  # of the first ranks: another document by rank
    contradicts: Bools  # and equal scores do not explain it
    colliding: int
    single: Codes | None
    changed: int

    @classmethod
    def of(cls, run: io.RunColumns, row_topic: Ints, code: Codes, pool: Pool) -> _Unsteady:
        """The lists of the rows of a run; code (T, K) is those of all topics."""
        order = Rules().order(wide=len(pool.grades) > 254, docs=ALL_RANKS)
        list_topic, rank_in_list, docs, _ = _ordered(run, pool, order)
        row = _rows(run, row_topic, list_topic, docs)
        topics = np.unique(row_topic)
        list_row = np.searchsorted(topics, list_topic)
        place: Ints = np.empty(len(row_topic), np.int64)
        place[row] = rank_in_list
        at = np.searchsorted(topics, row_topic), place
        here = code[topics]
        score = np.full(here.shape, np.nan)
        score[at] = run.score
        ranks = np.arange(here.shape[1])
        by_rank = np.tile(ranks, (len(here), 1)) if run.rank is None else _by_rank(run.rank, at, score.shape)
        differs = (by_rank != ranks)[:, :TOP] & ~np.isnan(score[:, :TOP])
        colliding, single, changed = _colliding(score), None, 0
        if colliding:
            *_, docs_single, codes_single = _ordered(run, pool, replace(order, single=True))
            single = np.zeros_like(here)
            single[list_row, rank_in_list] = codes_single
            changed = len(np.unique(list_topic[docs_single[:, 0] != docs[:, 0]]))
        return cls(
            topics=topics,
            score=score,
            by_rank=np.take_along_axis(here, by_rank, axis=1),
            differs=differs,
            contradicts=differs & (np.take_along_axis(score, by_rank, axis=1)[:, :TOP] != score[:, :TOP]),
            colliding=colliding,
            single=single,
            changed=changed,
        )

    def equal(self, depth: int | None) -> int:
        """Number of neighbours with equal scores down to a depth."""
        score = self.score[:, :depth]
        return int(np.count_nonzero(score[:, 1:] == score[:, :-1]))


def _ordered(run: io.RunColumns, pool: Pool, order: Order) -> tuple[Ints, Ints, Spans, Codes]:
    """The run in order: topic and rank, from 0, of each document of a judged topic, its span and its code."""
    parts = ranked_columns(run, pool, order, 1)
    topic, length = (np.concatenate([getattr(part, name) for part in parts]) for name in ("topic", "length"))
    topic, length = topic[topic >= 0], length[topic >= 0]
    rank = np.arange(int(length.sum())) - np.repeat(np.cumsum(length) - length, length)
    docs = np.concatenate([part.docs for part in parts if part.docs is not None])
    return np.repeat(topic, length), rank, docs, np.concatenate([part.code for part in parts])


def _rows(run: io.RunColumns, row_topic: Ints, topic: Ints, docs: Spans) -> Ints:
    """Rows of the run that documents of topics come from: topics may share a span, but a topic has it in one row."""
    end = len(run.text)
    key = row_topic * end + run.doc[:, 0]
    by_key = np.argsort(key)
    rows: Ints = by_key[np.searchsorted(key, topic * end + docs[:, 0], sorter=by_key)]
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
