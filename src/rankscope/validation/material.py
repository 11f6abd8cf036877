"""Material of the checks: the joined lists, and facts from the raw columns of each run, other orders among them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rankscope import io, kernels
from rankscope.arrays import Bools, Codes, Floats, Ints, Spans
from rankscope.errors import quietly
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
        with quietly():
            judged = load(
                qrels, runs, rel=rel, names=names, keep_docs=True, keep_ties=True, run_format=run_format,
                qrels_format=qrels_format, workers=workers,
            )  # fmt: skip
    sources = [source.run for source in find_sources(runs, "path")]  # named by path, which costs nothing
    pool = read_pool(qrels, qrels_format, first=False)
    codes = judged.code

    def look(system: int) -> Facts:
        return _facts(io.read_run(sources[system], run_format), codes[system], pool)

    facts = tuple(map_units(look, range(len(sources)), workers=workers, kind="shared"))
    ap, p = headline(judged, judged.rules.rel)
    return ValidationMaterial(judged=judged, facts=facts, rel_given=rel is not None, ap=ap, p=p)


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


def _facts(run: io.RunColumns, code: Codes, pool: Pool) -> Facts:
    """Facts of a run; code (T, K) is its lists."""
    topic, heads = kernels.intern(run.text, run.topic)
    judged_topic = kernels.find_topics(run.text, run.topic[heads], pool.index)
    row_topic = judged_topic[topic]
    known = row_topic >= 0
    order = Rules().order(wide=len(pool.grades) > 254, docs=ALL_RANKS)
    list_topic, rank_in_list, docs, _ = _ordered(run, pool, order)
    row = _rows(run, row_topic, list_topic, docs)
    place: Ints = np.empty(len(row_topic), np.int64)
    place[row] = rank_in_list
    at = row_topic[known], place[known]
    score = np.full(code.shape, np.nan)
    score[at] = run.score[known]
    rank = None if run.rank is None else run.rank[known]
    ranks = np.arange(code.shape[1])
    by_rank = np.tile(ranks, (len(code), 1)) if rank is None else _by_rank(rank, at, score.shape)
    top = slice(None), slice(0, TOP)
    differs = (by_rank != ranks)[top] & ~np.isnan(score[top])
    moved = np.take_along_axis(score, by_rank, axis=1)[top]
    colliding, single, changed = _colliding(score), None, 0
    if colliding:
        *_, docs_single, codes_single = _ordered(run, pool, replace(order, single=True))
        single = np.zeros_like(code)
        single[list_topic, rank_in_list] = codes_single
        changed = len(np.unique(list_topic[docs_single[:, 0] != docs[:, 0]]))
    return Facts(
        extra_topics=int(np.count_nonzero(judged_topic < 0)),
        extra_documents=int(np.count_nonzero(~known)),
        tied=_tied(score[:, :POOLED]),
        any_tie=bool((score[:, 1:] == score[:, :-1]).any()),
        colliding=colliding,
        first_rank=None if rank is None else float(rank.min()),
        rank_differs=differs.any(axis=1),
        rank_contradicts=(differs & (moved != score[top])).any(axis=1),
        by_rank=np.take_along_axis(code, by_rank, axis=1),
        single=single,
        lists_changed=changed,
    )


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


def _tied(score: Floats) -> float:
    pairs = int(np.count_nonzero(~np.isnan(score[:, 1:])))
    return int(np.count_nonzero(score[:, 1:] == score[:, :-1])) / pairs if pairs else 0.0


def _colliding(score: Floats) -> int:
    with np.errstate(over="ignore", under="ignore"):  # beyond 32 bits they collide at infinity and at 0
        single = score.astype(np.float32)
    both = (single[:, 1:] == single[:, :-1]) & (score[:, 1:] != score[:, :-1])
    return int(np.count_nonzero(both))
