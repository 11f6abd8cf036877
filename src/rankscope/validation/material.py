"""What the checks look at: the joined lists in several orders, and what the raw columns of each run say."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import numpy as np

from rankscope import io, kernels
from rankscope.arrays import Bools, Codes, Floats, Ints, decoded
from rankscope.errors import DataWarning
from rankscope.judged import Judged, load
from rankscope.judged.join import Names, Path_, RunDict, Runs
from rankscope.measures import evaluate
from rankscope.parallel import available_workers, map_units

TOP = 10  # what a reader sees, and where most published measures are cut
POOLED = 100  # a usual pool depth

P = ParamSpec("P")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What the columns of one run say, by judged topic."""

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
class Material:
    """A collection, opened for looking at."""

    qrels: Path_ | RunDict
    sources: dict[str, Path | RunDict]
    judged: Judged
    facts: tuple[Facts, ...]
    rel: float
    workers: int
    ap: Floats  # (S, T) NaN where undefined
    p: Floats  # (S, T) P@10

    @property
    def systems(self) -> tuple[str, ...]:
        return self.judged.systems

    @property
    def ap_name(self) -> str:
        return "AP" if self.rel == 1 else f"AP(rel={self.rel:g})"

    @property
    def p_name(self) -> str:
        return f"P@{TOP}" if self.rel == 1 else f"P(rel={self.rel:g})@{TOP}"

    def by_name(self) -> list[tuple[str, Facts]]:
        """Each run with what its columns say."""
        return list(zip(self.systems, self.facts, strict=True))

    def means(self, system: int) -> tuple[float, float]:
        """Mean AP and P@10 of a run."""
        return float(mean(self.ap[system])), float(mean(self.p[system]))

    def again(self, systems: Sequence[str], **rules: Any) -> Judged:
        """Some of the runs, joined by other rules."""
        return quietly(load, self.qrels, {name: self.sources[name] for name in systems}, workers=self.workers, **rules)

    def scores(self, judged: Judged, *, rel: float | None = None) -> tuple[Floats, Floats]:
        """AP and P@10, (S, T) each, at the threshold of this validation or another one."""
        return headline(judged, self.rel if rel is None else rel)


def open_material(qrels: Path_ | RunDict, runs: Runs, *, rel: float, names: Names, workers: int | None) -> Material:
    """Read and join everything once."""
    workers = available_workers() if workers is None else workers
    judged = quietly(load, qrels, runs, names=names, keep_docs=True, workers=workers)
    sources = dict(zip(judged.systems, _each(runs), strict=True))
    numbers = _Numbers.of(judged)

    def look(system: int) -> Facts:
        return _facts(_columns(sources[judged.systems[system]]), judged, system, numbers)

    facts = tuple(map_units(look, range(len(sources)), workers=workers))
    ap, p = headline(judged, rel)
    return Material(
        qrels=qrels, sources=sources, judged=judged, facts=facts, rel=rel, workers=workers, ap=ap, p=p
    )  # fmt: skip


def quietly(call: Callable[P, Result], *args: P.args, **kwargs: P.kwargs) -> Result:
    """What the call gives, without its DataWarning: the findings say it themselves."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return call(*args, **kwargs)


def headline(judged: Judged, rel: float) -> tuple[Floats, Floats]:
    """AP and P@10, (S, T) each, NaN where a topic has no relevant document."""
    ap, p = quietly(evaluate, judged, [f"AP(rel={rel:g})", f"P(rel={rel:g})@{TOP}"]).value
    return ap, p


def mean(values: Floats, where: Bools | bool = True) -> Floats:
    """(S,) means over topics, leaving out what is undefined or not wanted; NaN where nothing is left."""
    kept = ~np.isnan(values) & where
    count = np.count_nonzero(kept, axis=-1)
    total: Floats = np.where(kept, values, 0.0).sum(axis=-1) / np.where(count, count, np.nan)
    return total


def reordered(judged: Judged, code: Sequence[Codes]) -> Judged:
    """The same lists in another order."""
    return replace(judged, code=np.stack(code), documents=None)


def _each(runs: Any) -> list[Path | RunDict]:
    """The file or dictionary of every system, in the order of load()."""
    if not isinstance(runs, Mapping):
        return [*io.expand([runs] if isinstance(runs, str | os.PathLike) else runs)]
    inner = [topic for run in runs.values() if isinstance(run, Mapping) for topic in run.values()]
    if inner and not any(isinstance(topic, Mapping) for topic in inner):
        return [runs]
    return [one for run in runs.values() for one in ([run] if isinstance(run, Mapping) else io.expand([run]))]


def _columns(source: Path | RunDict) -> io.RunColumns:
    return io.run_from_dict(source) if isinstance(source, Mapping) else io.read_run(source)


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
    score = np.full(judged.code.shape[1:], np.nan)
    score[at] = run.score[known]
    rank = None if run.rank is None else run.rank[known]
    order = np.broadcast_to(np.arange(score.shape[1]) if rank is None else _by_rank(rank, at, score.shape), score.shape)
    top = slice(None), slice(0, TOP)
    differs = (order != np.arange(score.shape[1]))[top] & ~np.isnan(score[top])
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
    found: Ints = here[1][by_key[np.searchsorted(key[by_key], topic * docs + doc)]]
    return found


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
