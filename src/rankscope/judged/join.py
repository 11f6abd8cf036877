"""From files or dictionaries to Judged."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np

from rankscope import io, kernels
from rankscope.arrays import FIRST_GRADE, Codes, Floats, Ints, Text, cut, decoded, padded, size
from rankscope.errors import DataWarning, InputError, Problem
from rankscope.judged.model import Documents, Duplicates, Judged, Missing, Rules, ScoreType, TieRule, Undefined
from rankscope.kernels import Order, Ordered
from rankscope.parallel import available_workers, map_units

Path_: TypeAlias = str | os.PathLike[str]
InMemory: TypeAlias = Any  # a dictionary, a frame, a ranx Run or Qrels, rows of ir_measures: see io.objects
Runs: TypeAlias = Any  # Path_, Sequence[Path_], InMemory, or {name: Path_ or InMemory}
Names: TypeAlias = Literal["file", "tag", "path"]

_SPLIT = 4 << 20  # bytes of text below which a part of a file is not worth a thread
_ROWS = 100_000  # or rows


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
        ties=ties, score_dtype=score_dtype, depth=depth, missing=missing, undefined=undefined, duplicates=duplicates
    )
    workers = available_workers() if workers is None else workers
    pool, sources = _both(
        lambda: _pool(qrels, qrels_format, first=duplicates == "first"), lambda: _sources(runs, names)
    )
    rel = pool.rel if rel is None else rel
    rules = replace(rules, rel=int(rel) if rel == rel // 1 else rel)
    order = rules.order(wide=len(pool.grades) > 254, docs=keep_docs)
    # one file a thread; or, where there are fewer files than threads, one part of a file
    spread = len(sources) >= workers

    def read(source: Source) -> _Ranked | InputError:
        try:
            return _ranked(source, run_format, pool, order, 1 if spread else workers)
        except InputError as error:
            return error

    hear = (lambda source: done(source.name)) if done else None
    read_all = list(map_units(read, sources, workers=workers if spread else 1, done=hear))
    ranked = [r for r in read_all if isinstance(r, _Ranked)]
    problems = [p for r in read_all if isinstance(r, InputError) for p in r.problems]
    if problems:
        raise InputError(problems)
    notes = _notes(sources, ranked, pool, missing)
    if notes:
        warnings.warn("\n".join(notes), DataWarning, stacklevel=2)
    return _assembled(sources, ranked, pool, rules, notes)


def _both(one: Callable[[], _Pool], other: Callable[[], list[Source]]) -> tuple[_Pool, list[Source]]:
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


@dataclass(frozen=True, slots=True)
class _Pool:
    """The judgments: labels, counts and the index that runs are looked up in."""

    topics: tuple[str, ...]
    grades: Floats
    available: Ints
    index: Any
    place: str
    empty: int  # topics given without any judgment
    rel: float  # from which grade the source counts documents as relevant
    read_as: str


def _pool(qrels: Path_ | InMemory, given: str | None, *, first: bool) -> _Pool:
    columns, rel, read_as = _judgments(qrels, given)
    empty = sum(not docs for docs in qrels.values()) if isinstance(qrels, Mapping) else 0
    topic, heads = kernels.intern(columns.text, columns.topic)
    grades, grade = np.unique(columns.grade, return_inverse=True)
    if len(grades) > 65_000:
        raise InputError(Problem(f"{len(grades)} distinct grades", "round the grades", columns.place))
    code = grade.astype(np.int64) + FIRST_GRADE
    value = np.concatenate([np.zeros(FIRST_GRADE), grades])
    topics = columns.topic[heads]
    index = kernels.index(columns.text, topics, columns.doc, topic, code, value)
    kept = ~index.repeated
    if not kept.all() and not first:
        if read_as == io.FORMATS["trec"].words:
            raise InputError(io.qrels_problems(columns.text, columns.place))
        raise InputError([_repeated(columns, row) for row in np.flatnonzero(index.repeated)[:1000].tolist()])
    available = np.zeros((len(topics), len(grades)), np.int64)
    np.add.at(available, (topic[kept], grade[kept]), 1)
    return _Pool(tuple(decoded(columns.text, topics)), grades, available, index, columns.place, empty, rel, read_as)


def _judgments(qrels: Path_ | InMemory, given: str | None) -> tuple[io.QrelsColumns, float, str]:
    """Judgments, the grade from which they count as relevant, and what they were read as."""
    if not io.is_path(qrels):
        return io.qrels_from(qrels), 1, io.words(qrels)
    if str(qrels).startswith(io.PREFIX):
        columns, rel = io.read_dataset(str(qrels))
        return columns, rel, f"ir_datasets (relevant from grade {rel})"
    path = _single(qrels)
    text, name = io.read(path, "qrels", given)
    return io.known(name, "qrels")(text, str(path)), 1, io.FORMATS[name].words


def _repeated(columns: io.QrelsColumns | io.RunColumns, row: int) -> Problem:
    topic, doc = decoded(columns.text, np.stack([columns.topic[row], columns.doc[row]]))
    cause = f"row {row}: document {doc!r} appears twice in topic {topic!r}"
    return Problem(cause, "keep the first of each repeated document with duplicates=first", columns.place)


def _single(path: Path_) -> Path:
    found = io.expand([path])
    if len(found) != 1:
        raise InputError(Problem(f"{len(found)} files", "give one judgments file", str(path)))
    return found[0]


@dataclass(frozen=True, slots=True)
class Source:
    """A system's name and where its run is."""

    name: str
    run: Path | InMemory

    @property
    def place(self) -> str:
        return str(self.run) if isinstance(self.run, Path) else self.name


def _sources(runs: Runs, names: Names) -> list[Source]:
    """Every run with its name, no two alike."""
    if isinstance(runs, Mapping):
        sources = _named(runs)
    elif io.is_path(runs) or (isinstance(runs, Sequence) and all(map(io.is_path, runs))):
        paths = io.expand([runs] if isinstance(runs, str | os.PathLike) else runs)
        sources = [Source(_name(path, names), path) for path in paths]
    else:
        sources = [Source(str(getattr(runs, "name", None) or "run"), runs)]
    if not sources:
        raise InputError("no runs", "give at least one run")
    by_name: dict[str, list[str]] = {}
    for source in sources:
        by_name.setdefault(source.name, []).append(source.place)
    alike = [
        Problem(f"{len(places)} systems are named {name!r}: {', '.join(places)}",
                "rename a file, name systems by their tag or path (names=tag, names=path), or give each file once")
        for name, places in by_name.items() if len(places) > 1
    ]  # fmt: skip
    if alike:
        raise InputError(alike)
    return sources


def _named(runs: Mapping[str, Any]) -> list[Source]:
    """{name: path or run}, or one bare run {topic: {document: score}} or {topic: [document, ...]}."""
    if not all(map(_is_run, runs.values())):
        return [Source("run", runs)]
    return [Source(name, io.expand([run])[0] if io.is_path(run) else run) for name, run in runs.items()]


def _is_run(value: Any) -> bool:
    """Whether it is a whole run, not what a run holds for one topic."""
    if isinstance(value, Mapping):
        return any(isinstance(inner, Mapping | list | tuple) for inner in value.values())
    if isinstance(value, list | tuple):
        return bool(value) and hasattr(value[0], "query_id")
    return True


def _name(path: Path, names: Names) -> str:
    if names == "path":
        return os.fspath(path.with_name(io.system_name(path)))
    if names == "file":
        return io.system_name(path)
    if names != "tag":
        raise InputError(f"names={names!r} is unknown", "names is one of file, tag, path")
    text = io.read_text(path)
    spans = kernels.scan(text, 6)
    if spans is None or not len(spans):
        raise InputError(io.run_problems(text, str(path)))
    _, heads = kernels.intern(text, spans[:, 5])
    tags = decoded(text, spans[heads, 5])
    if len(tags) > 1:
        cause = f"{len(tags)} different tags ({', '.join(map(repr, tags[:3]))}...)"
        raise InputError(Problem(cause, "a file holds one run; name systems by file", str(path)))
    return tags[0]


@dataclass(frozen=True, slots=True)
class _Ranked:
    """One run, joined and ordered: its judged topics, how many codes each has, and the codes."""

    topic: Ints
    length: Ints
    code: Codes
    unjudged_topics: int
    dropped: int
    read_as: str
    docs: list[bytes] | None


def _ranked(source: Source, given: str | None, pool: _Pool, order: Order, workers: int) -> _Ranked:
    columns: io.RunColumns | None = None
    if isinstance(source.run, Path):
        text, name = io.read(source.run, "run", given)
        read_as = io.FORMATS[name].words
        if name != "trec":
            columns = io.known(name, "run")(text, source.place)
    else:
        read_as = io.words(source.run)
        columns = io.run_from(source.run, source.name)
    if columns is None:  # TREC text is read and joined in one go
        text, parts = _ranked_text(text, source.place, pool, order, workers)
    else:
        text, parts = columns.text, _ranked_columns(columns, pool, order, workers)
    topic = np.concatenate([p.topic for p in parts])
    known = topic >= 0
    if not known.any():
        here = _first_topics(text, parts) if columns is None else decoded(text, columns.topic[:3])
        raise InputError(_nothing_in_common(here, source.place, pool))
    return _Ranked(
        topic[known],
        np.concatenate([p.length for p in parts])[known],
        np.concatenate([p.code for p in parts]),
        int(np.count_nonzero(~known)),
        sum(p.dropped for p in parts),
        read_as,
        [raw for p in parts if p.docs is not None for raw in cut(text, p.docs)] if order.docs else None,
    )


def _ranked_text(text: Text, place: str, pool: _Pool, order: Order, workers: int) -> tuple[Text, list[Ordered]]:
    grouped, parts = text, _ordered_parts(text, pool, order, workers)
    if parts and _scattered(parts):
        grouped = _regrouped(text, parts)
        parts = _ordered_parts(grouped, pool, order, workers)
    if not parts or not any(p.lines for p in parts):
        ranks, first = order.ties is kernels.Ties.RANK, order.first
        raise InputError(io.run_problems(text, place, ranks=ranks, first=first))
    return grouped, parts


def _ordered_parts(text: Text, pool: _Pool, order: Order, workers: int) -> list[Ordered] | None:
    """The run in parts that begin and end with a topic; None where something is wrong."""
    end = size(text)
    wanted = max(1, min(workers, end // _SPLIT))
    edges = [0, *(kernels.topic_edge(text, end * i // wanted) for i in range(1, wanted)), end]
    spans = [(a, b) for a, b in pairwise(edges) if a < b]

    def part(span: tuple[int, int]) -> Ordered | None:
        return kernels.order_text(text, *span, pool.index, order)

    parts = list(map_units(part, spans, workers=workers))
    whole = [p for p in parts if p is not None]
    return whole if len(whole) == len(parts) else None


def _scattered(parts: list[Ordered]) -> bool:
    """Whether a topic has lines in more than one place (or, once in a blue moon, two topics share a hash)."""
    hashes = np.sort(np.concatenate([p.hash for p in parts]))
    return bool((hashes[1:] == hashes[:-1]).any())


def _regrouped(text: Text, parts: list[Ordered]) -> Text:
    """The same lines with those of a topic together, topics and lines otherwise in their order."""
    body = text[: size(text)].tobytes()
    starts = np.concatenate([p.start for p in parts]).tolist()
    groups: dict[bytes, list[bytes]] = {}
    for start, stop in zip(starts, [*starts[1:], len(body)], strict=True):
        lines = body[start:stop]
        topic = lines.replace(b"\t", b" ").lstrip(b" ").split(b" ", 1)[0]
        groups.setdefault(topic, []).append(lines if lines.endswith(b"\n") else lines + b"\n")
    return padded(b"".join(lines for group in groups.values() for lines in group))


def _ranked_columns(run: io.RunColumns, pool: _Pool, order: Order, workers: int) -> list[Ordered]:
    if order.ties is kernels.Ties.RANK and run.rank is None:
        raise InputError(Problem("has no ranks to break ties by", "choose another rule for ties", run.place))
    topic, heads = kernels.intern(run.text, run.topic)
    together = bool((topic[1:] >= topic[:-1]).all())  # as most runs come: nothing to move
    by_topic = slice(None) if together else np.argsort(topic, kind="stable")
    first = np.searchsorted(topic[by_topic], np.arange(len(heads) + 1))
    found = kernels.find_topics(run.text, run.topic[heads], pool.index)
    docs, scores = run.doc[by_topic], run.score[by_topic]
    ranks = None if run.rank is None else run.rank[by_topic]

    def part(span: tuple[int, int]) -> Ordered | None:
        start, stop = span
        rows = slice(first[start], first[stop])
        edges = first[start : stop + 1] - first[start]
        rank = None if ranks is None else ranks[rows]
        return kernels.order_rows(run.text, docs[rows], scores[rows], rank, found[start:stop], edges, pool.index, order)

    wanted = max(1, min(workers, len(run.doc) // _ROWS))
    edges = [len(heads) * i // wanted for i in range(wanted + 1)]
    parts = list(map_units(part, list(pairwise(edges)), workers=workers))
    whole = [p for p in parts if p is not None]
    if len(whole) < len(parts):
        pairs = topic * (len(run.doc) + 1) + kernels.intern(run.text, run.doc)[0]
        later = np.setdiff1d(np.arange(len(pairs)), np.unique(pairs, return_index=True)[1])
        raise InputError([_repeated(run, row) for row in later[:1000].tolist()])
    return whole


def _first_topics(text: Text, parts: list[Ordered]) -> list[str]:
    body = text[: size(text)].tobytes()
    starts = np.concatenate([p.start for p in parts])[:3].tolist()
    return [body[s:].split(None, 1)[0].decode("utf-8", "backslashreplace") for s in starts]


def _nothing_in_common(here: list[str], place: str, pool: _Pool) -> Problem:
    cause = (
        f"no topic in common with {pool.place}: here {', '.join(map(repr, here))}, "
        f"there {', '.join(map(repr, pool.topics[:3]))}"
    )
    return Problem(cause, "check that runs and judgments belong together", place)


def _notes(sources: list[Source], ranked: list[_Ranked], pool: _Pool, missing: Missing) -> tuple[str, ...]:
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


def _assembled(
    sources: list[Source], ranked: list[_Ranked], pool: _Pool, rules: Rules, notes: tuple[str, ...]
) -> Judged:
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
