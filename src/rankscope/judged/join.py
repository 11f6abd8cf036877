"""Loading: runs joined with judgments, from files or from memory, to `Judged`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from rankscope import kernels
from rankscope.arrays import PAD, Ids, padded, size
from rankscope.errors import InputError, Problem, plural, warn
from rankscope.io.column_names import ColumnNames, checked_columns_argument
from rankscope.io.files import Scratch, read_text, refuse_shared_pipes
from rankscope.io.formats import Reading, format_of
from rankscope.io.paths import is_path
from rankscope.io.trec import COMMENTS
from rankscope.judged.model import (
    ALL_RANKS,
    Documents,
    Duplicates,
    Judged,
    Missing,
    Rules,
    ScoreType,
    TieRule,
    Undefined,
    Unjudged,
)
from rankscope.judged.pool import Pool, pooled, read_pool
from rankscope.judged.ranked import Look, NothingInCommon, Ranked, rank_run
from rankscope.judged.sources import InMemory, Names, Path_, Runs, Source, find_sources
from rankscope.judged.subtopics import Subtopics
from rankscope.parallel import Aside, Client, check_workers, elsewhere, map_units, on

_WAITING = 1 << 20  # documents of runs that are numbered together
TAKEN_OUT = "unjudged documents taken out of lists"  # the beginning of a note
_UNEQUAL = 0.05  # difference between shares of unjudged documents that matters
_NAMED = 3  # runs without a judged topic that are named one by one
_MANY = 50  # documents of a run that are hardly all unjudged by chance


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
    unjudged: Unjudged = "keep",
    names: Names = "file",
    run_format: str | None = None,
    qrels_format: str | None = None,
    columns: ColumnNames | None = None,
    keep_docs: bool | int = False,
    keep_ties: bool = False,
    workers: int | None = None,
    client: Client = None,
    done: Callable[[str], None] | None = None,
) -> Judged:
    """Join runs with judgments.

    qrels      a judgments file, `irds:<id>` for a data set of ir_datasets, or judgments in memory:
               {topic: {document: grade}}, a polars or pandas frame, a ranx Qrels, ir_measures' Qrel rows
    runs       run files, folders and glob patterns, one or several; or a run in memory: {topic: {document: score}},
               {topic: [document, ...]}, a frame, a ranx Run, ir_measures' ScoredDoc rows; or {name: file or run}
    names      systems are named after the "file", its "tag" column (TREC text) or its whole "path"
    run_format, qrels_format  one of io.FORMATS; by default the content of each file shows it
    columns    names of columns of tables by role (topic, document, grade, score, rank, run), where they are not known:
               {"topic": "search", "document": "sku"}; a sequence of names where files differ
    keep_docs  keep which document stands at each rank; a number: at so many ranks of each list
    keep_ties  keep the lists with tied documents in their most and in their least favourable order, too
    workers    threads; all processors by default. The result is the same for any number
    client     a Dask cluster for the run files, whose workers see them by the same paths
    done       called with a system's name when it has been read

    The other choices are those of `Rules`. What is left out or filled is said in one DataWarning and kept in
    `notes`. Raises InputError, with everything that is wrong, when the input cannot be used.

    >>> judged = load({"7": {"a": 1, "b": 0}}, {"7": {"b": 2.5, "a": 1.5}})
    >>> judged
    <Judged: 1 system, 1 topic, depth 2, grades 0, 1>
    """
    rules = Rules(
        ties=ties, score_dtype=score_dtype, depth=depth, rel=1 if rel is None else rel, missing=missing,
        undefined=undefined, duplicates=duplicates, unjudged=unjudged,
    )  # fmt: skip
    docs = ALL_RANKS if keep_docs is True else int(keep_docs)
    return joined_runs(
        qrels, runs, rules, documented=rel is None, names=names, run_format=run_format, qrels_format=qrels_format,
        columns=columns, docs=docs, keep_docs=docs > 0, keep_ties=keep_ties, workers=workers, client=client, done=done,
    )[0]  # fmt: skip


def joined_runs(
    qrels: Path_ | InMemory,
    runs: Runs,
    rules: Rules,
    *,
    documented: bool,
    names: Names = "file",
    run_format: str | None = None,
    qrels_format: str | None = None,
    columns: ColumnNames | None = None,
    docs: int = 0,
    keep_docs: bool = False,
    keep_ties: bool = False,
    workers: int | None = None,
    client: Client = None,
    done: Callable[[str], None] | None = None,
    look: Look | None = None,
) -> tuple[Judged, list[Any]]:
    """The lists of `load`, and what a look at each run gave.

    documented  whether documents are relevant from the grade that the judgments name, instead of that of the rules
    docs        ranks whose documents are known; the look has them, and they are kept where keep_docs says so
    """
    workers, columns = check_workers(workers), checked_columns_argument(columns)
    if rules.unjudged == "condensed" and docs:
        docs = ALL_RANKS  # those at the first ranks are known once lists have closed up
    if run_format is not None:
        format_of(run_format, "run")
    scratch = Scratch()

    def open_sources() -> list[Source]:
        sources = find_sources(runs, names, columns)
        if workers > 1 and len(sources) == 1 and isinstance(sources[0].run, Path):  # while the judgments are read
            scratch.ahead = sources[0].run, Aside(partial(read_text, sources[0].run))
        return sources

    first = rules.duplicates == "first"
    try:
        sources, pool = both(open_sources, lambda: read_pool(qrels, Reading(qrels_format, columns), first=first), qrels)
    finally:
        if scratch.ahead is not None:
            scratch.ahead[1].wait()
    rules = replace(rules, data_set=pool.data_set)
    if documented:
        rules = replace(rules, rel=pool.rel, documented=True)
    order = rules.order(pool.levels, docs=docs, extremes=keep_ties, apart=look is not None)
    # one file per thread or per task of a cluster; or, where there are fewer files than threads, one part of a file
    far = client is not None or elsewhere()
    spread = far or len(sources) >= workers

    def read(source: Source) -> Ranked | InputError:
        try:
            if far and isinstance(source.run, Path) and not source.run.exists():
                cure = "put runs where every worker of the cluster sees them by the same path"
                raise InputError(Problem("cannot be seen by a worker", cure, str(source.run)))
            return rank_run(
                source, Reading(run_format, columns), pool, order, 1 if spread else workers, scratch, look, keep_docs
            )
        except InputError as error:
            return error

    hear = (lambda source: done(source.name)) if done else None
    shape = len(sources), len(pool.topics)
    code = _Dense(shape, order.codes(0).dtype, fill=0)
    extremes: list[_Dense] = []  # where ties matter in some run
    documents = _DocumentNumbers(_Dense(shape, np.dtype(np.int32), fill=-1, ranks=docs))
    facts: list[Ranked] = []
    problems: list[Problem] = []
    strange: list[Problem] = []  # of runs that share no topic with the judgments
    if far:  # a worker need not stand in this folder
        sources = [
            replace(source, run=source.run.absolute()) if isinstance(source.run, Path) else source for source in sources
        ]
    with on(client):
        for s, run in enumerate(map_units(read, sources, workers=workers if spread else 1, done=hear)):
            if isinstance(run, InputError):
                (strange if isinstance(run, NothingInCommon) else problems).extend(run.problems)
                continue
            code.put(s, run, run.code)  # at once, so that no run is held twice
            if run.extremes is not None and not extremes:
                extremes = [code.copy(), code.copy()]
            for n, dense in enumerate(extremes):
                if run.extremes is None or run.lengths is None:
                    dense.put(s, run, run.code)
                else:
                    dense.put(s, replace(run, length=run.lengths[n]), run.extremes[n])
            if run.docs is not None:
                documents.add(s, run)
            # a view of the codes would keep all
            facts.append(replace(run, code=run.code[:0].copy(), docs=None, extremes=None, lengths=None))
    if strange or problems:
        raise InputError([*problems, *_shortened(strange, len(sources))])

    def plain(dense: _Dense) -> Any:
        """Codes of grades, where those of the join are patterns of grades by subtopic."""
        if pool.plain is None:
            return dense.array
        return pool.plain.astype(np.uint8 if len(pool.grades) <= 254 else np.uint16)[dense.array]

    notes = counted_notes(sources, facts, pool, rules.missing)
    warn(*notes, stacklevel=3)
    best, worst = extremes or (code, code)
    ends = (best.array, worst.array) if keep_ties else None
    subtopics = None if pool.patterns is None else Subtopics(code.array, pool.patterns, ends)
    judged = Judged(
        tuple(source.name for source in sources), pool.topics, plain(code), pool.grades, pool.available, rules, notes,
        f"judgments {pool.read_as}; runs {', '.join(dict.fromkeys(run.read_as for run in facts))}",
        Documents(documents.ids(), documents.number.array, pooled(pool)) if keep_docs else None,
        ignored_topics(sources, facts), (plain(best), plain(worst)) if keep_ties else None,
        comments_of(sources, facts, pool), subtopics,
    )  # fmt: skip
    return judged, [run.facts for run in facts]


class _Dense:
    """Systems x topics x ranks, as deep as the longest list so far, or the first ranks of lists."""

    def __init__(self, shape: tuple[int, int], dtype: np.dtype[Any], fill: int, ranks: int = ALL_RANKS) -> None:
        self.fill, self.ranks = fill, ranks
        self.array = np.full((*shape, 0), fill, dtype)

    def copy(self) -> _Dense:
        copied = _Dense(self.array.shape[:2], self.array.dtype, self.fill, self.ranks)
        copied.array = self.array.copy()
        return copied

    def put(self, system: int, run: Ranked, flat: np.ndarray[Any, Any]) -> None:
        """A run's lists, laid end to end, into their rows."""
        length = np.minimum(run.length, self.ranks)
        longest = int(length.max(initial=0))
        if longest > self.array.shape[-1]:
            self._deepen(longest)
        depth = self.array.shape[-1]
        if (length == depth).all():
            self.array[system, run.topic] = flat.reshape(-1, depth)
            return
        rows = np.full((len(length), depth), self.fill, self.array.dtype)
        rows[np.arange(depth) < length[:, None]] = flat
        self.array[system, run.topic] = rows

    def _deepen(self, depth: int) -> None:
        shape = (*self.array.shape[:2], depth)
        # zeros take memory only when they are written over
        deeper = np.zeros(shape, self.array.dtype) if self.fill == 0 else np.full(shape, self.fill, self.array.dtype)
        deeper[..., : self.array.shape[-1]] = self.array
        self.array = deeper


class _DocumentNumbers:
    """Numbers of documents over runs, in order of first appearance."""

    def __init__(self, number: _Dense) -> None:
        self.number = number
        self._text, self._spans = padded(b""), np.empty((0, 2), np.int64)  # ids of the documents that have numbers
        self._waiting: list[tuple[int, Ranked]] = []

    def add(self, system: int, run: Ranked) -> None:
        """The documents of a run; numbered once lists hold more of them than are known, so that cost stays linear."""
        self._waiting.append((system, run))
        rows = sum(len(run.docs.number) for _, run in self._waiting if run.docs is not None)
        if rows >= max(_WAITING, len(self._spans)):
            self._number()
            self._text, self._spans = kernels.packed(self._text, self._spans)

    def ids(self) -> Ids:
        """All ids."""
        self._number()
        return Ids(self._text, self._spans)

    def _number(self) -> None:
        runs = [(system, run, run.docs) for system, run in self._waiting if run.docs is not None]
        texts = [self._text, *(docs.text for *_, docs in runs)]
        starts = np.cumsum([0, *map(size, texts)]).tolist()
        text = np.concatenate([*(text[: size(text)] for text in texts), np.zeros(PAD, np.uint8)])
        lists = [self._spans, *(docs.spans for *_, docs in runs)]
        spans = np.concatenate([spans + np.array([start, 0]) for spans, start in zip(lists, starts[:-1], strict=True)])
        number, first = kernels.intern(text, spans)
        number, ends = number.astype(np.int32), np.cumsum([len(spans) for spans in lists])
        for (system, run, docs), part in zip(runs, np.split(number, ends[:-1])[1:], strict=True):
            self.number.put(system, run, part[docs.number])
        self._text, self._spans, self._waiting = text, spans[first], []


def both(
    open_sources: Callable[[], list[Source]], pool: Callable[[], Pool], qrels: Path_ | InMemory
) -> tuple[list[Source], Pool]:
    """Sources and pool, or one InputError with the problems of both, those of the judgments first."""
    try:
        sources = open_sources()
    except InputError as error:
        try:
            pool()
        except InputError as first:
            raise InputError([*first.problems, *error.problems]) from None
        raise
    runs = [source.run for source in sources if isinstance(source.run, Path)]
    refuse_shared_pipes([*([qrels] if is_path(qrels) else []), *runs])
    return sources, pool()


def _shortened(strange: list[Problem], total: int) -> list[Problem]:
    """Problems of runs that share no topic with the judgments: each one where they are few, else the first for all."""
    if len(strange) <= _NAMED:
        return strange
    first, count = strange[0], len(strange)
    return [replace(first, cause=f"{first.cause} ({count:,} of {total:,} runs have none in common)", count=count)]


def counted_notes(sources: list[Source], ranked: list[Ranked], pool: Pool, missing: Missing) -> tuple[str, ...]:
    """Notes on what was left out, filled or skipped, with counts."""
    notes = []
    lacking = {s.name: len(pool.topics) - int((r.length > 0).sum()) for s, r in zip(sources, ranked, strict=True)}
    lacking = {name: n for name, n in lacking.items() if n}
    if lacking:
        done = "scored as empty lists" if missing == "zero" else "left out"
        notes.append(
            f"judged topics missing from runs, {done}: {_counted(lacking)}, of {plural(len(pool.topics), 'topic')}"
        )
    if extra := ignored_topics(sources, ranked):
        notes.append(f"topics of runs without judgments, ignored: {_counted(extra)}")
    if unknown := [s.name for s, r in zip(sources, ranked, strict=True) if not r.judged and r.length.sum() >= _MANY]:
        others = f" and {plural(len(unknown) - 5, 'more run')}" if len(unknown) > 5 else ""
        notes.append(f"no document is judged (are ids written as in the judgments?): {', '.join(unknown[:5])}{others}")
    dropped = {s.name: r.dropped for s, r in zip(sources, ranked, strict=True) if r.dropped}
    if dropped:
        notes.append(f"repeated documents, first of each kept: {_counted(dropped)}")
    if wide := {s.name: r.wide for s, r in zip(sources, ranked, strict=True) if r.wide}:
        notes.append(f"fields after the sixth, ignored as in trec_eval: lines, {_counted(wide)}")
    if commented := comments_of(sources, ranked, pool):
        counts = _counted({name: len(lines) for name, lines in commented.items()}, known=COMMENTS)
        notes.append(f"comment lines, read over: {counts}")
    if any(r.removed for r in ranked):
        shares = [r.removed / max(1, r.removed + int(r.length.sum())) for r in ranked]
        least, most = f"{min(shares):.0%}", f"{max(shares):.0%}"
        said = f"{TAKEN_OUT}: {f'{least} of each run' if least == most else f'{least} to {most} of a run'}"
        if max(shares) - min(shares) > _UNEQUAL:
            said += "; runs with more of them score too high beside the others (Sakai 2008)"
        notes.append(said)
    if pool.patterns is not None:
        most = pool.patterns.grade.shape[1]
        notes.append(f"judgments have up to {plural(most, 'subtopic')}; a measure without subtopics takes the highest "
                     "grade of a document")  # fmt: skip
    if pool.empty:
        notes.append(f"topics without any judgment, left out: {pool.empty} in {pool.place}")
    if pool.ungraded:
        notes.append(f"judgments without a grade, taken as unjudged: {pool.ungraded:,} in {pool.place}")
    if repeats := int(np.count_nonzero(pool.index.repeated)):
        notes.append(f"repeated judgments, first of each kept: {repeats} in {pool.place}")
    return tuple(notes)


def comments_of(sources: list[Source], ranked: list[Ranked], pool: Pool) -> dict[str, tuple[str, ...]]:
    """Comment lines by system, and of the judgments by their place, where there are some."""
    runs = {s.name: r.comments for s, r in zip(sources, ranked, strict=True) if r.comments}
    return ({pool.place: pool.comments} if pool.comments else {}) | runs


def ignored_topics(sources: list[Source], ranked: list[Ranked]) -> dict[str, int]:
    """Number of topics without judgments by system, where there are some."""
    return {s.name: r.unjudged_topics for s, r in zip(sources, ranked, strict=True) if r.unjudged_topics}


def _counted(counts: dict[str, int], shown: int = 5, known: int | None = None) -> str:
    """Counts by name, in words; equal counts are merged. None is known to be more than `known`."""

    def number(count: int) -> str:
        return "at least " * (count == known) + f"{count:,}"

    if len(counts) > 1 and len(set(counts.values())) == 1:
        return f"{number(next(iter(counts.values())))} in each of {len(counts):,} runs"
    parts = [f"{number(n)} in {name}" for name, n in list(counts.items())[:shown]]
    more = len(counts) - shown
    return ", ".join(parts) + (f" and some in {plural(more, 'more run')}" if more > 0 else "")
