"""Runs larger than memory: read, joined and scored a block of topics at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from rankscope import kernels
from rankscope.arrays import Codes, Ints
from rankscope.errors import InputError, Problem, argument, plural
from rankscope.io.column_names import ColumnNames, checked_columns_argument
from rankscope.io.files import Scratch
from rankscope.io.formats import Reading, format_of, reading_takes
from rankscope.io.memory import in_bytes, resident, size_text
from rankscope.io.trec import COMMENTS
from rankscope.judged.join import both, counted_notes, ignored_topics
from rankscope.judged.model import Duplicates, Judged, Missing, Rules, ScoreType, TieRule, Undefined, Unjudged
from rankscope.judged.pool import Pool, read_pool
from rankscope.judged.ranked import Ranked, rank_run
from rankscope.judged.reading_progress import Hear, Reporter
from rankscope.judged.run_blocks import Room, ranked_blocks
from rankscope.judged.sources import InMemory, Names, Path_, Runs, Source, find_sources
from rankscope.kernels import Order
from rankscope.parallel import check_workers

_LEAST = 8 << 20  # bytes to work with, at least
# of what there is, a block of text gets one share: two are held, and regrouping one takes eight more; numpy twice that
_SHARES = 12 if kernels.KIND == "compiled" else 24
_ROW = 200  # bytes that a row of a table takes, in its frame, as columns and in order
_OTHER = 24  # bytes that a topic without judgments takes while its block is compared with those before
_CELLS = 1 << 19  # cells scored at a time, at most: arrays of a few megabytes


@dataclass(frozen=True, slots=True)
class Portion:
    """Lists of one system on some topics, of about the same length."""

    stream: RunStream
    system: int
    topic: Ints  # rows of the collection
    start: Ints  # of each list in `code`
    length: Ints
    code: Codes

    def judged(self) -> Judged:
        """A collection of one system and these topics."""
        return Judged(
            (self.stream.systems[self.system],), tuple(self.stream.topics[t] for t in self.topic.tolist()),
            self._dense()[None], self.stream.grades, self.stream.available[self.topic], self.stream.rules,
        )  # fmt: skip

    def _dense(self) -> Codes:
        depth = max(1, int(self.length.max(initial=0)))
        first, last = int(self.start[0]), int(self.start[-1])
        together = bool((np.diff(self.start) == depth).all())
        if together and (self.length == depth).all():  # as most runs come: nothing to move
            return self.code[first : last + depth].reshape(-1, depth).view()
        dense = np.zeros((len(self.topic), depth), self.code.dtype)
        at = np.repeat(self.start - (np.cumsum(self.length) - self.length), self.length) + np.arange(self.length.sum())
        dense[np.arange(depth) < self.length[:, None]] = self.code[at]
        return dense


class RunStream:
    """Runs that are joined with judgments block by block, when they are iterated over: see `stream`.

    `systems`, `topics`, `grades`, `available` and `rules` are those of `Judged`; the lists themselves are never held
    together. `notes`, `read_as`, `ignored` and `retrieved` are known once all portions have been gone through.
    """

    def __init__(
        self,
        sources: list[Source],
        pool: Pool,
        rules: Rules,
        memory: int,
        reading: Reading,
        workers: int,
        progress: Hear | None = None,
    ) -> None:
        self.systems = tuple(source.name for source in sources)
        self.topics, self.grades, self.available, self.rules = pool.topics, pool.grades, pool.available, rules
        self.memory, self.workers = memory, workers
        self._sources, self._pool, self._reading, self._progress = sources, pool, reading, progress
        self.retrieved = np.zeros((len(sources), len(pool.topics)), np.int64)
        self.notes: tuple[str, ...] = ()
        self.read_as = ""
        self.ignored: Mapping[str, int] = {}

    def portions(self, *, reserved: int = 0, arrays: int = 12) -> Iterator[list[Portion]]:
        """All lists, a few portions at a time; topics that a run lacks are empty lists.

        reserved  bytes that the caller allocates meanwhile
        arrays    number of arrays of doubles that the caller computes from a portion

        Raises InputError, with everything that is wrong, after the last run.
        """
        room = self._room(reserved, arrays)
        order = self.rules.order(self.grades)
        facts: list[Ranked] = []
        problems: list[Problem] = []
        if self._pool.patterns is not None:
            cause = "judgments by subtopic: their runs are not read block by block"
            raise InputError(Problem(cause, f"leave out {argument('memory')}", self._pool.place))
        self.retrieved[:] = 0
        reporter = Reporter(self._sources, self._progress)
        for s, source in enumerate(self._sources):
            fact: Ranked | None = None
            try:
                for run in self._blocks(source, order, room, reporter.of(source)):
                    self._refuse_deep(run, source, room)
                    self.retrieved[s, run.topic] = run.length
                    fact = self._counts(s, fact, run)
                    if not problems:
                        yield list(self._cut(s, run.topic, run.length, run.code, room.cells))
                assert fact is not None, "a run without lines is an error"
                facts.append(fact)
            except InputError as error:
                problems += error.problems
            if not problems:
                lacking = np.flatnonzero(self.retrieved[s] == 0)
                none = np.zeros(len(lacking), np.int64)
                yield list(self._cut(s, lacking, none, order.codes(0), room.cells))
        if problems:
            raise InputError(problems)
        reporter.end(self._sources[-1])
        self.notes = counted_notes(self._sources, facts, self._pool, self.rules.missing)
        self.ignored = ignored_topics(self._sources, facts)
        self.read_as = f"judgments {self._pool.read_as}; runs {', '.join(dict.fromkeys(run.read_as for run in facts))}"

    def _blocks(self, source: Source, order: Order, room: Room, read: Callable[[int], None] | None) -> Iterator[Ranked]:
        if isinstance(source.run, Path):
            return ranked_blocks(source.run, self._reading, self._pool, order, self.workers, room, read)
        # what is in memory already is no larger than memory
        return iter([rank_run(source, self._reading, self._pool, order, self.workers, Scratch())])

    def _refuse_deep(self, run: Ranked, source: Source, room: Room) -> None:
        """Refuse a list that is too long to be scored at once."""
        deepest = int(run.length.max(initial=0))
        if deepest > room.deepest:
            topic = self.topics[int(run.topic[run.length.argmax()])]
            most = f"{room.deepest:,} are the most that this memory can score"
            cause = f"topic {topic!r} has {deepest:,} documents, and {most}"
            cure = f"cut lists by {argument('depth')}, ask for fewer measures at a time, or give more memory"
            raise InputError(Problem(cause, cure, source.place))

    def _counts(self, system: int, before: Ranked | None, run: Ranked) -> Ranked:
        """Counts of a run after another block; nothing else of the block is kept."""
        return replace(
            run, topic=run.topic[:0].copy(), length=self.retrieved[system], code=run.code[:0].copy(),
            unjudged_topics=run.unjudged_topics + (before.unjudged_topics if before else 0),
            dropped=run.dropped + (before.dropped if before else 0), wide=run.wide + (before.wide if before else 0),
            comments=((before.comments if before else ()) + run.comments)[:COMMENTS],
            judged=run.judged or (before is not None and before.judged),
        )  # fmt: skip

    def _cut(self, system: int, topic: Ints, length: Ints, code: Codes, cells: int) -> Iterator[Portion]:
        """Portions of at most so many cells, or of one list; short lists are not padded for long ones."""
        start = np.cumsum(length) - length
        by_length = np.argsort(length, kind="stable")
        topic, start, length = topic[by_length], start[by_length], length[by_length]
        first = 0
        while first < len(topic):
            fit = length[first : first + 1 + cells // max(1, int(length[first]))]  # no more than these, as lengths grow
            within = np.arange(1, len(fit) + 1) * np.maximum(fit, 1) <= cells
            last = first + max(1, int(np.count_nonzero(within)))
            here = slice(first, last)
            yield Portion(self, system, topic[here], start[here], length[here], code)
            first = last

    def _room(self, reserved: int, arrays: int) -> Room:
        """Room for blocks in the memory that is left."""
        files = [source.run for source in self._sources if isinstance(source.run, Path)]
        most = (self.memory - resident() - reserved) // 2  # smaller blocks are no slower
        reading = max((reading_takes(path, most) for path in files), default=0)
        taken = resident() + reserved + reading + self.retrieved.nbytes
        left = self.memory - taken
        if left < _LEAST:
            limit = argument("memory", size_text(self.memory).replace(" ", ""))
            cause = f"{limit} is too little: {size_text(taken)} are taken by the process, {{}}"
            what = f"the judgments of {plural(len(self.topics), 'topic')} and the scores"
            if reading:
                what += f"; {size_text(reading)} of them are set aside for polars, and for a row group of Parquet"
            raise InputError(cause.format(what), f"give at least {size_text(taken + _LEAST)}")
        double = 8 * arrays * self.workers
        cells = max(1, min(_CELLS, left // 4 // double))
        return Room(
            text=left // _SHARES,
            rows=left // (2 * _ROW),
            cells=cells,
            others=left // 4 // _OTHER,
            memory=self.memory,
            taken=taken,
            share=_SHARES,
            deepest=left // 2 // double,
        )

    def __getattr__(self, name: str) -> Any:
        if name in _OF_JUDGED:
            raise InputError(
                f"a stream holds no {name}: its lists are read and let go",
                "take evaluate(stream, measures), or load(...) where everything fits in memory",
            )
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __repr__(self) -> str:
        contents = f"{plural(len(self.systems), 'system')}, {plural(len(self.topics), 'topic')}"
        return f"<Stream: {contents}, within {size_text(self.memory)}>"


_OF_JUDGED = {field.name for field in fields(Judged)} | {"system"}


def stream(
    qrels: Path_ | InMemory,
    runs: Runs,
    *,
    memory: int | str = "2GiB",
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
    workers: int | None = None,
    progress: Hear | None = None,
) -> RunStream:
    """Runs that are larger than memory, for `evaluate`: the same scores as with `load`, bit for bit.

    memory    what the whole process may take, in bytes or as in "2GiB" or "500MB"; judgments and scores have to fit
              in it, and the lines of any one topic in a twelfth of what is left
    progress  called with a `ReadingProgress` after each block, such as a `Bar()`

    Judgments are read at once, runs block by block when they are scored: text as it comes, from a pipe or compressed
    too, Parquet some rows at a time. Lines of a topic have to stand together where a file is larger than a block; if
    they do not, the error says where. All else is as in `load`, but that systems cannot be named by their tags.

    >>> from rankscope.measures import evaluate
    >>> scores = evaluate(stream({"7": {"a": 1, "b": 0}}, {"7": {"b": 2.5, "a": 1.5}}), "RR")
    >>> scores.value.tolist()
    [[[0.5]]]
    """
    rules = Rules(
        ties=ties, score_dtype=score_dtype, depth=depth, rel=1 if rel is None else rel, missing=missing,
        undefined=undefined, duplicates=duplicates, unjudged=unjudged,
    )  # fmt: skip
    allowed, workers, columns = in_bytes(memory), check_workers(workers), checked_columns_argument(columns)
    if run_format is not None:
        format_of(run_format, "run")
    if names == "tag":
        raise InputError(f"{argument('names', 'tag')} reads every run to its end first", "name systems by file or path")
    sources, pool = both(
        lambda: find_sources(runs, names, columns),
        lambda: read_pool(qrels, Reading(qrels_format, columns), first=duplicates == "first"),
        qrels,
    )
    rules = replace(rules, data_set=pool.data_set)
    if rel is None:
        rules = replace(rules, rel=pool.rel, documented=True)
    return RunStream(sources, pool, rules, allowed, Reading(run_format, columns), workers, progress)
