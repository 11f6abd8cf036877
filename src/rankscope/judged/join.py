"""From files or things in memory to Judged."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from rankscope.arrays import Codes, Ints
from rankscope.errors import DataWarning, InputError
from rankscope.io import known
from rankscope.judged.model import Documents, Duplicates, Judged, Missing, Rules, ScoreType, TieRule, Undefined
from rankscope.judged.pool import Pool, read_pool
from rankscope.judged.ranked import Ranked, rank_run
from rankscope.judged.sources import InMemory, Names, Path_, Runs, Source, find_sources
from rankscope.parallel import available_workers, map_units


def load(
    qrels: Path_ | InMemory,
    runs: Runs,
    *,
    ties: TieRule = "trec",
    score_dtype: ScoreType = "float64",
    depth: int | None = None,
    rel: float | None = None,
    missing: Missing = "zero",
    undefined: Undefined = "drop",
    duplicates: Duplicates = "error",
    names: Names = "file",
    run_format: str | None = None,
    qrels_format: str | None = None,
    keep_docs: bool = False,
    workers: int | None = None,
    done: Callable[[str], None] | None = None,
) -> Judged:
    """Join runs with judgments.

    qrels      a judgments file, `irds:<id>` for a data set of ir_datasets, or judgments in memory:
               {topic: {document: grade}}, a polars or pandas frame, a ranx Qrels, ir_measures' Qrel rows
    runs       run files, folders and glob patterns, one or several; or a run in memory: {topic: {document: score}},
               {topic: [document, ...]}, a frame, a ranx Run, ir_measures' ScoredDoc rows; or {name: file or run}
    names      systems are named after the "file", its "tag" column (TREC text) or its whole "path"
    run_format, qrels_format  one of io.FORMATS; by default the content of each file shows it
    keep_docs  keep which document stands at each rank
    workers    threads; all processors by default. The result is the same for any number
    done       called with a system's name when it has been read

    The other choices are those of `Rules`. What is left out or filled is said in one DataWarning and kept in
    `notes`. Raises InputError, with everything that is wrong, when the input cannot be used.

    >>> judged = load({"7": {"a": 1, "b": 0}}, {"7": {"b": 2.5, "a": 1.5}})
    >>> judged
    <Judged: 1 systems, 1 topics, depth 2, grades 0, 1>
    """
    rules = Rules(
        ties=ties, score_dtype=score_dtype, depth=depth, rel=1 if rel is None else rel, missing=missing,
        undefined=undefined, duplicates=duplicates,
    )  # fmt: skip
    if workers is not None and (not isinstance(workers, int) or workers < 1):
        raise InputError(f"workers={workers!r}", "workers is a whole number from 1, or None for all processors")
    workers = available_workers() if workers is None else workers
    if run_format is not None:
        known(run_format, "run")
    pool, sources = _both(
        lambda: read_pool(qrels, qrels_format, first=duplicates == "first"), lambda: find_sources(runs, names)
    )
    if rel is None:
        rules = replace(rules, rel=pool.rel)
    order = rules.order(wide=len(pool.grades) > 254, docs=keep_docs)
    # one file a thread; or, where there are fewer files than threads, one part of a file
    spread = len(sources) >= workers

    def read(source: Source) -> Ranked | InputError:
        try:
            return rank_run(source, run_format, pool, order, 1 if spread else workers)
        except InputError as error:
            return error

    hear = (lambda source: done(source.name)) if done else None
    read_all = list(map_units(read, sources, workers=workers if spread else 1, done=hear))
    ranked = [r for r in read_all if isinstance(r, Ranked)]
    problems = [p for r in read_all if isinstance(r, InputError) for p in r.problems]
    if problems:
        raise InputError(problems)
    notes = _notes(sources, ranked, pool, missing)
    if notes:
        warnings.warn("\n".join(notes), DataWarning, stacklevel=2)
    return _assembled(sources, ranked, pool, rules, notes)


def _both(one: Callable[[], Pool], other: Callable[[], list[Source]]) -> tuple[Pool, list[Source]]:
    """What both give, or all that is wrong with either."""
    try:
        pool = one()
    except InputError as error:
        try:
            other()
        except InputError as second:
            raise InputError([*error.problems, *second.problems]) from None
        raise
    return pool, other()


def _notes(sources: list[Source], ranked: list[Ranked], pool: Pool, missing: Missing) -> tuple[str, ...]:
    notes = []
    lacking = {s.name: len(pool.topics) - int((r.length > 0).sum()) for s, r in zip(sources, ranked, strict=True)}
    lacking = {name: n for name, n in lacking.items() if n}
    if lacking:
        done = "scored as empty lists" if missing == "zero" else "left out"
        notes.append(f"judged topics missing from runs, {done}: {_counted(lacking)} of {len(pool.topics)}")
    extra = {s.name: r.unjudged_topics for s, r in zip(sources, ranked, strict=True) if r.unjudged_topics}
    if extra:
        notes.append(f"topics of runs without judgments, ignored: {_counted(extra)}")
    dropped = {s.name: r.dropped for s, r in zip(sources, ranked, strict=True) if r.dropped}
    if dropped:
        notes.append(f"repeated documents, first of each kept: {_counted(dropped)}")
    if pool.empty:
        notes.append(f"topics without any judgment, left out: {pool.empty} in {pool.place}")
    if repeats := int(np.count_nonzero(pool.index.repeated)):
        notes.append(f"repeated judgments, first of each kept: {repeats} in {pool.place}")
    return tuple(notes)


def _counted(counts: dict[str, int], shown: int = 5) -> str:
    """Counts by name, those that agree told once."""
    if len(counts) > 1 and len(set(counts.values())) == 1:
        return f"{next(iter(counts.values()))} in each of {len(counts)} runs"
    parts = [f"{n} in {name}" for name, n in list(counts.items())[:shown]]
    rest = len(counts) - shown
    return ", ".join(parts) + (f" and some in {rest} more runs" if rest > 0 else "")


def _assembled(sources: list[Source], ranked: list[Ranked], pool: Pool, rules: Rules, notes: tuple[str, ...]) -> Judged:
    systems, topics = len(sources), len(pool.topics)
    depth = max(int(r.length.max(initial=0)) for r in ranked)
    code: Codes = np.zeros((systems, topics, depth), ranked[0].code.dtype)
    kept = any(r.docs is not None for r in ranked)
    number = np.full(code.shape, -1, np.int32) if kept else None
    ids: dict[bytes, int] = {}
    for s, run in enumerate(ranked):
        _spread(code[s], run.topic, run.length, run.code)
        if number is not None and run.docs is not None:
            numbers = [ids.setdefault(raw, len(ids)) for raw in run.docs]
            _spread(number[s], run.topic, run.length, np.array(numbers, np.int32))
    documents = None
    if number is not None:
        documents = Documents(tuple(raw.decode("utf-8", "surrogateescape") for raw in ids), number)
    names = tuple(source.name for source in sources)
    kinds = dict.fromkeys(run.read_as for run in ranked)
    read_as = f"judgments: {pool.read_as}; runs: {', '.join(kinds)}"
    return Judged(names, pool.topics, code, pool.grades, pool.available, rules, notes, read_as, documents)


def _spread(out: np.ndarray[Any, Any], topic: Ints, length: Ints, flat: np.ndarray[Any, Any]) -> None:
    """Lists laid end to end into their rows of a dense array."""
    depth = out.shape[-1]
    if (length == depth).all():
        out[topic] = flat.reshape(-1, depth)
        return
    rows = out[topic]
    rows[np.arange(depth) < length[:, None]] = flat
    out[topic] = rows
