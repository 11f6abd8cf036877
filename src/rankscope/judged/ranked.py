"""One run, joined with the judgments and put in order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rankscope import kernels
from rankscope.arrays import FIRST_GRADE, Bools, Codes, Ints, Spans, Text, decoded, padded, size
from rankscope.errors import InputError, Problem
from rankscope.io.columns import RunColumns
from rankscope.io.files import Scratch
from rankscope.io.formats import Reading, read_with_comments
from rankscope.io.objects import run_from, source_kind
from rankscope.io.problems import RunProblems, count_lines, repeats, run_ids
from rankscope.io.trec import six_fields
from rankscope.judged.pool import Pool
from rankscope.judged.sources import Source
from rankscope.kernels import NumberedDocs, Order, Ordered
from rankscope.parallel import map_units

_SPLIT = 4 << 20  # bytes of text below which a part of a file is not worth a thread
_ROWS = 100_000  # or rows
_LOOK = 1 << 20  # bytes looked through at a time where something is wrong: what was seen takes many times as much
_SHOWN = 1 << 16  # bytes of a line in which its topic is looked for


class NumberedDocuments(NamedTuple):
    """Documents of a run: the number of each row of its lists, in order of first appearance, and the id of each number.

    text, spans  the ids
    """

    number: NDArray[np.int32]
    text: Text
    spans: Spans


@dataclass(frozen=True, slots=True, eq=False)
class Ranked:
    """One run, joined and ordered: its judged topics, how many codes each has, and the codes.

    docs      the documents, where they are kept
    judged    whether any document is, as none is where ids are written otherwise
    extremes  codes with ties at their best and at their worst, where these are kept and differ from the codes
    lengths   (2, topics) how many codes each has there, of which fewer or more may be taken out where lists are cut
    removed   unjudged documents that were taken out of the lists
    facts     what a look at the run gave, where one was asked for
    wide      lines of which fields after the sixth were ignored
    comments  the first comment lines
    """

    topic: Ints
    length: Ints
    code: Codes
    unjudged_topics: int
    dropped: int
    read_as: str
    docs: NumberedDocuments | None
    judged: bool
    extremes: tuple[Codes, Codes] | None = None
    lengths: Ints | None = None
    facts: Any = None
    wide: int = 0
    comments: tuple[str, ...] = ()
    removed: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Lines:
    """A run that was joined: its text, or its columns where it is not read from lines of text, and its parts.

    docs  ranks whose documents the parts have
    """

    text: Text
    columns: RunColumns | None
    parts: list[Ordered]
    docs: int
    place: str
    pool: Pool


Look: TypeAlias = Callable[[Lines], Any]


def rank_run(
    source: Source,
    reading: Reading,
    pool: Pool,
    order: Order,
    workers: int,
    scratch: Scratch,
    look: Look | None = None,
    keep_docs: bool = True,
) -> Ranked:
    """A run joined with the pool, in ranked order; nothing of it stays in the scratch.

    look  is called with the lines of the run, while they are here; it has the ids of documents, kept or not
    """
    columns: RunColumns | None = None
    wide, comments = 0, tuple[str, ...]()
    if isinstance(source.run, Path):
        text, format, comments = read_with_comments(source.run, "run", reading, scratch)
        read_as = format.words
        if not format.fused:
            columns = format.columns(text, "run", source.place, names=reading.columns)
    else:
        read_as = source_kind(source.run)
        columns = run_from(source.run, source.name, reading.columns)
    if columns is None:
        text, parts, wide = _ranked_text(text, source.place, pool, order, workers)
    else:
        text, parts = columns.text, ranked_columns(columns, pool, order, workers)
    kept_text = text if order.docs and keep_docs else None
    run = replace(joined_parts(parts, read_as, kept_text, order.least), wide=wide, comments=comments)
    if not len(run.topic):
        here = first_topics(text, parts) if columns is None else decoded(text, columns.topic[:3])
        raise NothingInCommon(nothing_in_common(here, source.place, pool))
    if look is None:
        return run
    return replace(run, facts=look(Lines(text, columns, parts, order.docs, source.place, pool)))


def joined_parts(parts: list[Ordered], read_as: str, text: Text | None = None, least: int = 0) -> Ranked:
    """The parts of a run concatenated; topics without judgments are counted and left out.

    text   the run's, where its documents are kept
    least  lowest code that is kept; lists close up where others are taken out
    """
    topic = _end_to_end([p.topic for p in parts])
    known = topic >= 0
    code = _end_to_end([p.code for p in parts])
    extremes: tuple[Codes, Codes] | None = None
    if parts[0].extremes is not None:
        best, worst = np.concatenate([p.extremes for p in parts if p.extremes is not None], axis=1)
        extremes = None if (best == code).all() and (worst == code).all() else (best, worst)
    length = _end_to_end([p.length for p in parts])[known]
    lengths = None if extremes is None else np.stack([length, length])
    judged = int(code.max(initial=0)) >= FIRST_GRADE
    removed = 0
    docs = None if text is None else documents_of(text, parts)
    if least:
        kept, ends = code >= least, np.append(0, np.cumsum(length))
        removed = int(np.count_nonzero(~kept))
        docs = None if docs is None else _in_order(docs, kept)
        if extremes is not None:
            best, worst = (row >= least for row in extremes)
            lengths = np.stack([_kept_of(best, ends), _kept_of(worst, ends)])
            extremes = extremes[0][best], extremes[1][worst]
        length = _kept_of(kept, ends)
        code = code[kept]
    return Ranked(
        topic[known],
        length,
        code,
        int(np.count_nonzero(~known)),
        sum(p.dropped for p in parts),
        read_as,
        None if text is None or docs is None else NumberedDocuments(docs.number, *kernels.packed(text, docs.spans)),
        judged,
        extremes,
        lengths,
        removed=removed,
    )


def _kept_of(kept: Bools, ends: Ints) -> Ints:
    """How many of each list are kept; lists are laid end to end, and end there."""
    return np.diff(np.append(0, np.cumsum(kept))[ends])


def _end_to_end(arrays: list[NDArray[Any]]) -> NDArray[Any]:
    """The arrays concatenated; one alone is not copied."""
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)


def documents_of(text: Text, parts: list[Ordered]) -> NumberedDocs:
    """Documents of the rows of all parts."""
    docs = [part.docs for part in parts if part.docs is not None]
    if len(docs) == 1:
        return docs[0]
    spans = np.concatenate([each.spans for each in docs])
    number, first = kernels.intern(text, spans)
    of_part = np.split(number.astype(np.int32), np.cumsum([len(each.spans) for each in docs])[:-1])
    rows = [of_spans[each.number] for of_spans, each in zip(of_part, docs, strict=True)]
    return NumberedDocs(np.concatenate(rows), spans[first])


def _in_order(docs: NumberedDocs, kept: Bools) -> NumberedDocs:
    """Documents of the rows that are kept, numbered in order of first appearance."""
    old, first, number = np.unique(docs.number[kept], return_index=True, return_inverse=True)
    order = np.argsort(first)
    new = np.empty(len(old), np.int32)
    new[order] = np.arange(len(old))
    return NumberedDocs(new[number], docs.spans[old[order]])


def _ranked_text(text: Text, place: str, pool: Pool, order: Order, workers: int) -> tuple[Text, list[Ordered], int]:
    grouped, parts, wide = grouped_parts(text, pool, order, workers)
    if not parts or not any(p.lines for p in parts):
        problems = problems_of(place, order)
        add_problems(grouped, problems, pool, order)
        raise InputError(problems.all() or [_endless(place)])
    return grouped, parts, wide


def problems_of(place: str, order: Order) -> RunProblems:
    """The problems of a run that is put in this order, none yet."""
    return RunProblems(place, ranks=order.ties is kernels.TieOrder.RANK, first=order.first)


def add_problems(text: Text, problems: RunProblems, pool: Pool, order: Order) -> None:
    """Add the problems of a text, looked for in the parts of whole topics that the kernels refuse."""
    end, edges = size(text), [0]
    while edges[-1] < end:
        edges.append(kernels.topic_edge(text, edges[-1] + _LOOK) if edges[-1] + _LOOK < end else end)
    spans = list(pairwise(edges))
    refused = [kernels.order_text(text, *span, pool.index, order) is None for span in spans]
    if end > _LOOK and not any(refused):  # a document twice in a topic whose lines are scattered
        problems.add_repeats(repeats(run_ids(text, problems.place)), count_lines(text))
        return
    for (start, stop), bad in zip(spans, refused, strict=True):
        part = padded(text[start:stop].data)
        if bad or end <= _LOOK:
            problems.add(part)
        else:
            problems.skip(count_lines(part), blank=not (part[: size(part)] > ord(" ")).any())


def grouped_parts(text: Text, pool: Pool, order: Order, workers: int) -> tuple[Text, list[Ordered] | None, int]:
    """The run in parts of whole topics, with its text; parts are None where a line is not valid.

    Fields after the sixth are ignored, as in trec_eval; the last number says on how many lines.
    """
    wide, parts = 0, _ordered_parts(text, pool, order, workers)
    if parts is None:
        cut, wide = six_fields(text)
        if wide:
            text, parts = cut, _ordered_parts(cut, pool, order, workers)
    if not parts or not _scattered(parts):
        return text, parts, wide
    grouped = _regrouped(text, parts)
    parts = _ordered_parts(grouped, pool, order, workers)
    return text if parts is None else grouped, parts, wide


def _ordered_parts(text: Text, pool: Pool, order: Order, workers: int) -> list[Ordered] | None:
    """The run in parts that begin and end with a topic; None where a line is not valid."""
    end = size(text)
    wanted = max(1, min(workers, end // _SPLIT))
    edges = [0, *(kernels.topic_edge(text, end * i // wanted) for i in range(1, wanted)), end]
    spans = [(a, b) for a, b in pairwise(edges) if a < b]

    def part(span: tuple[int, int]) -> Ordered | None:
        return kernels.order_text(text, *span, pool.index, order)

    parts = list(map_units(part, spans, workers=workers, kind="shared"))
    valid = [p for p in parts if p is not None]
    return valid if len(valid) == len(parts) else None


def _scattered(parts: list[Ordered]) -> bool:
    """Whether the lines of a topic are scattered (or two topics share a hash)."""
    hashes = np.sort(np.concatenate([p.hash for p in parts]))
    return bool((hashes[1:] == hashes[:-1]).any())


def _regrouped(text: Text, parts: list[Ordered]) -> Text:
    """The lines grouped by topic, otherwise in their order."""
    body = text[: size(text)].tobytes()
    starts = np.concatenate([p.start for p in parts]).tolist()
    groups: dict[bytes, list[bytes]] = {}
    for start, stop in zip(starts, [*starts[1:], len(body)], strict=True):
        lines = body[start:stop]
        topic = lines.replace(b"\t", b" ").lstrip(b" ").split(b" ", 1)[0]
        groups.setdefault(topic, []).append(lines if lines.endswith(b"\n") else lines + b"\n")
    return padded(b"".join(lines for group in groups.values() for lines in group))


def ranked_columns(run: RunColumns, pool: Pool, order: Order, workers: int, first_row: int = 1) -> list[Ordered]:
    """The run in parts of whole topics. Rows are numbered from first_row where something is said of one."""
    if order.ties is kernels.TieOrder.RANK and run.rank is None:
        raise InputError(Problem("has no ranks to break ties by", "choose another rule for ties", run.place))
    topic, heads = kernels.intern(run.text, run.topic)
    together = bool((topic[1:] >= topic[:-1]).all())  # as most runs come: nothing to move
    by_topic = slice(None) if together else np.argsort(topic, kind="stable")
    first = np.searchsorted(topic[by_topic], np.arange(len(heads) + 1))
    judged_topics = kernels.find_topics(run.text, run.topic[heads], pool.index)
    docs, scores = run.doc[by_topic], run.score[by_topic]
    ranks = None if run.rank is None else run.rank[by_topic]

    def part(span: tuple[int, int]) -> Ordered | None:
        start, stop = span
        rows = slice(first[start], first[stop])
        edges = first[start : stop + 1] - first[start]
        rank = None if ranks is None else ranks[rows]
        return kernels.order_rows(
            run.text, docs[rows], scores[rows], rank, judged_topics[start:stop], edges, pool.index, order
        )

    wanted = max(1, min(workers, len(run.doc) // _ROWS))
    edges = [len(heads) * i // wanted for i in range(wanted + 1)]
    parts = list(map_units(part, list(pairwise(edges)), workers=workers, kind="shared"))
    valid = [p for p in parts if p is not None]
    if len(valid) < len(parts):
        raise InputError(repeats(run, first_row) or [_endless(run.place)])
    return valid


def _endless(place: str) -> Problem:
    """Problem of a run that the kernels refuse, and in which nothing else is wrong."""
    return Problem("an id of 4 GiB or more", "give shorter ids", place)


def first_topics(text: Text, parts: list[Ordered]) -> list[str]:
    """Up to three of the topics, for a message."""
    starts = np.concatenate([p.start for p in parts])[:3].tolist()
    lines = [text[s : min(s + _SHOWN, size(text))].tobytes() for s in starts]
    return [line.split(None, 1)[0].decode("utf-8", "backslashreplace") for line in lines]


class NothingInCommon(InputError):
    """A run and judgments that share no topic."""


def nothing_in_common(here: list[str], place: str, pool: Pool) -> Problem:
    """Problem of a run without any judged topic, with examples of its topics."""
    cause = (
        f"no topic in common with {pool.place}: here {', '.join(map(repr, here))}, "
        f"there {', '.join(map(repr, pool.topics[:3]))}"
    )
    cure = "check that runs and judgments belong together"
    if {topic.lstrip("0") for topic in here} & {topic.lstrip("0") for topic in pool.topics}:
        cure = "write topics with the same number of leading zeros in both: ids are text, and '07' is not '7'"
    return Problem(cause, cure, place)
