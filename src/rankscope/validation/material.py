"""Material of the checks: the joined lists in several orders, and facts from the raw columns of each run."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import numpy as np

from rankscope import io, kernels
from rankscope.arrays import Bools, Codes, Floats, Ints, decoded
from rankscope.errors import DataWarning
from rankscope.judged import Judged, load
from rankscope.judged.sources import InMemory, Names, Path_, Runs, find_sources
from rankscope.measures import evaluate, measure
from rankscope.parallel import available_workers, map_units

TOP = 10  # what a reader sees, and where most published measures are cut
POOLED = 100  # a usual pool depth

P = ParamSpec("P")
Result = TypeVar("Result")


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


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidationMaterial:
    """A collection, opened for looking at."""

    qrels: Path_ | InMemory
    sources: dict[str, Path | InMemory]
    formats: dict[str, Any]
    judged: Judged
    facts: tuple[Facts, ...]
    rel_given: bool
    workers: int
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

    def again(self, systems: Sequence[str], **rules: Any) -> Judged:
        """Some of the runs, joined by other rules."""
        runs = {name: self.sources[name] for name in systems}
        return quietly(load, self.qrels, runs, rel=self.rel, workers=self.workers, **self.formats, **rules)

    def scores(self, judged: Judged, *, rel: float | None = None) -> tuple[Floats, Floats]:
        """AP and P@10, (S, T) each, at the threshold of this validation or another one."""
        return headline(judged, self.rel if rel is None else rel)


def open_material(
    qrels: Path_ | InMemory, runs: Runs, *, rel: float | None, names: Names, run_format: str | None,
    qrels_format: str | None, workers: int | None,
) -> ValidationMaterial:  # fmt: skip
    """Read and join everything once."""
    qrels, runs = _kept(qrels), _kept(runs)
    workers = available_workers() if workers is None else workers
    formats: dict[str, Any] = {"run_format": run_format, "qrels_format": qrels_format}
    judged = quietly(load, qrels, runs, rel=rel, names=names, keep_docs=True, workers=workers, **formats)
    # named by path, which costs nothing: the names that were asked for are known by now
    sources = dict(zip(judged.systems, (source.run for source in find_sources(runs, names)), strict=True))
    numbers = _Numbers.of(judged)

    def look(system: int) -> Facts:
        return _facts(_columns(sources[judged.systems[system]], run_format), judged, system, numbers)

    facts = tuple(map_units(look, range(len(sources)), workers=workers, kind="shared"))
    ap, p = headline(judged, judged.rules.rel)
    return ValidationMaterial(
        qrels=qrels, sources=sources, formats=formats, judged=judged, facts=facts, rel_given=rel is not None,
        workers=workers, ap=ap, p=p,
    )  # fmt: skip


def quietly(call: Callable[P, Result], *args: P.args, **kwargs: P.kwargs) -> Result:
    """Result of a call, its DataWarning suppressed: the findings report the same."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return call(*args, **kwargs)


def headline(judged: Judged, rel: float) -> tuple[Floats, Floats]:
    """AP and P@10, (S, T) each, NaN where a topic has no relevant document."""
    ap, p = quietly(evaluate, judged, [measure("AP")(rel=rel), measure(f"P@{TOP}")(rel=rel)]).value
    return ap, p


def mean(values: Floats, where: Bools | bool = True) -> Floats:
    """(S,) means over topics, leaving out what is undefined or not wanted; NaN where nothing is left."""
    kept = ~np.isnan(values) & where
    count = np.count_nonzero(kept, axis=-1)
    total: Floats = np.where(kept, values, 0.0).sum(axis=-1) / np.where(count, count, np.nan)
    return total


def reordered(judged: Judged, code: Sequence[Codes]) -> Judged:
    """The collection loaded with another order of lists."""
    return replace(judged, code=np.stack(code), documents=None, extremes=None)


def _kept(source: Any) -> Any:
    """A source that can be read more than once."""
    if isinstance(source, Mapping):
        return {key: _kept(value) for key, value in source.items()}
    return list(source) if isinstance(source, Iterator) else source


def _columns(source: Path | InMemory, run_format: str | None) -> io.RunColumns:
    return io.read_run(source, run_format) if isinstance(source, Path) else io.run_from(source)


@dataclass(frozen=True, slots=True)
class _Numbers:
    """Numbers of topics and documents in a Judged."""

    topic: dict[str, int]
    doc: dict[str, int]

    @classmethod
    def of(cls, judged: Judged) -> _Numbers:
        assert judged.documents is not None
        return cls(
            {name: n for n, name in enumerate(judged.topics)}, {name: n for n, name in enumerate(judged.documents.ids)}
        )


def _facts(run: io.RunColumns, judged: Judged, system: int, numbers: _Numbers) -> Facts:
    assert judged.documents is not None
    topic, extra = _found(run.text, run.topic, numbers.topic)
    known = topic >= 0
    row, (doc, _) = topic[known], _found(run.text, run.doc[known], numbers.doc)
    at = row, _places(judged.documents.number[system], row, doc, len(numbers.doc))
    _, topics, depth = judged.code.shape
    score = np.full((topics, depth), np.nan)
    score[at] = run.score[known]
    rank = None if run.rank is None else run.rank[known]
    order = np.tile(np.arange(depth), (topics, 1)) if rank is None else _by_rank(rank, at, score.shape)
    top = slice(None), slice(0, TOP)
    differs = (order != np.arange(depth))[top] & ~np.isnan(score[top])
    moved = np.take_along_axis(score, order, axis=1)[top]
    return Facts(
        extra_topics=extra,
        extra_documents=int(np.count_nonzero(~known)),
        tied=_tied(score[:, :POOLED]),
        any_tie=bool((score[:, 1:] == score[:, :-1]).any()),
        colliding=_colliding(score),
        first_rank=None if rank is None else float(rank.min()),
        rank_differs=differs.any(axis=1),
        rank_contradicts=(differs & (moved != score[top])).any(axis=1),
        by_rank=np.take_along_axis(judged.code[system], order, axis=1),
    )


def _found(text: Any, spans: Any, numbers: dict[str, int]) -> tuple[Ints, int]:
    """The number of each id, -1 for those without, and how many ids have none."""
    code, heads = kernels.intern(text, spans)
    known = np.array([numbers.get(name, -1) for name in decoded(text, spans[heads])], np.int64)
    return known[code], int(np.count_nonzero(known < 0))


def _places(number: np.ndarray[Any, Any], topic: Ints, doc: Ints, docs: int) -> Ints:
    """At which rank, from 0, each document stands in the list of its topic."""
    here = np.nonzero(number >= 0)
    key = here[0] * docs + number[here]
    by_key = np.argsort(key)
    rows: Ints = here[1][by_key[np.searchsorted(key[by_key], topic * docs + doc)]]
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
