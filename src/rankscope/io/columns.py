"""Runs and judgments as plain columns, and columns from dictionaries and rows in memory."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from rankscope import kernels
from rankscope.arguments import is_number, is_whole
from rankscope.arrays import Floats, Ints, Spans, Text, cut, joined, padded, size
from rankscope.errors import InputError, Problem

FileKind: TypeAlias = Literal["run", "qrels"]


@dataclass(frozen=True, slots=True, eq=False)
class RunColumns:
    """A run, one row per retrieved document.

    place    the source
    line     line of each row in the source, where known
    as_read  whether the text is that of the source, so that the places of ids tell their lines
    """

    place: str
    text: Text
    topic: Spans
    doc: Spans
    score: Floats
    rank: Floats | None
    line: Ints | None = None
    as_read: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class QrelsColumns:
    """Judgments, one row per judged document, as in `RunColumns`.

    ungraded  rows of the source without a grade, which are left out: their documents are unjudged
    subtopic  the subtopic of each row, or the second column of TREC text, which may be one
    subtopics_named  whether the source calls them subtopics
    """

    place: str
    text: Text
    topic: Spans
    doc: Spans
    grade: Floats
    line: Ints | None = None
    as_read: bool = False
    ungraded: int = 0
    subtopic: Spans | None = None
    subtopics_named: bool = False


def lines_of(columns: RunColumns | QrelsColumns) -> Ints | None:
    """The line of each row in its source; None where it has none."""
    if columns.line is not None or not columns.as_read:
        return columns.line
    return np.searchsorted(np.flatnonzero(columns.text == ord("\n")), columns.topic[:, 0]) + 1


def rows_of(run: RunColumns, rows: slice | Ints) -> RunColumns:
    """Some rows of a run."""
    rank = None if run.rank is None else run.rank[rows]
    line = None if run.line is None else run.line[rows]
    return RunColumns(run.place, run.text, run.topic[rows], run.doc[rows], run.score[rows], rank, line)


def with_own_text(run: RunColumns) -> RunColumns:
    """A run copied to a text that holds its ids alone."""
    text, spans = joined(cut(run.text, run.topic) + cut(run.text, run.doc))
    return replace(run, text=text, topic=spans[: len(run.doc)], doc=spans[len(run.doc) :])


def appended(run: RunColumns, more: RunColumns) -> RunColumns:
    """Two runs concatenated."""
    offset = np.array([size(run.text), 0])
    return RunColumns(
        run.place, np.concatenate([run.text[: size(run.text)], more.text]),
        np.concatenate([run.topic, more.topic + offset]), np.concatenate([run.doc, more.doc + offset]),
        np.concatenate([run.score, more.score]),
        None if run.rank is None or more.rank is None else np.concatenate([run.rank, more.rank]),
        None if run.line is None or more.line is None else np.concatenate([run.line, more.line]),
    )  # fmt: skip


def ranked_rows(run: RunColumns) -> tuple[Ints, Ints]:
    """Rows by topic, in order of first appearance, then in trec_eval's order; and the rank of each in its topic."""
    topic = kernels.intern(run.text, run.topic)[0]
    docs, scores = cut(run.text, run.doc), run.score.tolist()
    by_score = np.array(sorted(range(len(docs)), key=lambda row: (scores[row], docs[row]), reverse=True), np.int64)
    rows = by_score[np.argsort(topic[by_score], kind="stable")]
    lengths = np.bincount(topic)
    return rows, np.arange(1, len(rows) + 1) - np.repeat(np.cumsum(lengths) - lengths, lengths)


def run_from_dict(run: Mapping[str, Any], place: str = "run") -> RunColumns:
    """A run given as {topic: {document: score}} or {topic: [document, ...]}, best first."""
    if run and all(isinstance(inner, Sequence) and not isinstance(inner, str | bytes) for inner in run.values()):
        return _from_lists(run, place)
    text, topic, doc, score = _from_dict(run, place, "score")
    return RunColumns(place, text, topic, doc, score, None)


class SubtopicRow(NamedTuple):
    """A judgment by subtopic."""

    query_id: str
    subtopic_id: str
    doc_id: str
    relevance: float


def qrels_from_dict(qrels: Mapping[Any, Any], place: str = "qrels") -> QrelsColumns:
    """Judgments given as {topic: {document: grade}}, or {topic: {subtopic: {document: grade}}}.

    Documents whose grade is None or NaN are unjudged, and counted.
    """
    inner = [docs for docs in qrels.values() if isinstance(docs, Mapping)]
    if any(isinstance(value, Mapping) for docs in inner for value in docs.values()):
        rows = [SubtopicRow(topic, subtopic, doc, grade) for topic, subtopics in qrels.items()
                for subtopic, docs in subtopics.items() for doc, grade in docs.items()]  # fmt: skip
        return qrels_from_rows(rows, place)
    return _graded(place, *_from_dict(qrels, place, "grade"))


def run_from_rows(rows: Iterable[Any], place: str = "run") -> RunColumns:
    """A run given as things with query_id, doc_id and score, such as ir_measures' ScoredDoc."""
    text, topic, doc, score = _from_rows(rows, place, "score")
    return RunColumns(place, text, topic, doc, score, None)


def qrels_from_rows(rows: Iterable[Any], place: str = "qrels") -> QrelsColumns:
    """Judgments given as things with query_id, doc_id and relevance, such as ir_measures' Qrel.

    `subtopic_id` is the subtopic; `iteration` may be one, as the second column of TREC text.
    """
    rows = list(rows)
    judgments = _graded(place, *_from_rows(rows, place, "relevance"))
    word = next((word for word in ("subtopic_id", "iteration") if rows and hasattr(rows[0], word)), None)
    if word is None or judgments.ungraded:
        return judgments
    return with_subtopics(judgments, (str(getattr(row, word)) for row in rows), named=word == "subtopic_id")


def with_subtopics(judgments: QrelsColumns, names: Iterable[str], *, named: bool) -> QrelsColumns:
    """Judgments with the subtopic of each row; whether the source calls them so."""
    ids = [encoded(name, "subtopic", judgments.place)[0] for name in names]
    text, spans = joined([judgments.text[: size(judgments.text)].tobytes(), *ids])
    return replace(judgments, text=text, subtopic=spans[1:], subtopics_named=named)


def _graded(place: str, text: Text, topic: Spans, doc: Spans, grade: Floats) -> QrelsColumns:
    """Judgments without those that have no grade, which are counted."""
    graded = ~np.isnan(grade)
    if not graded.any():
        raise InputError(Problem("no document has a grade", "give at least one grade", place))
    if graded.all():
        return QrelsColumns(place, text, topic, doc, grade)
    missing = int(np.count_nonzero(~graded))
    return QrelsColumns(place, text, topic[graded], doc[graded], grade[graded], ungraded=missing)


def _from_dict(lists: Mapping[Any, Any], place: str, what: str) -> tuple[Text, Spans, Spans, Floats]:
    columns = _quick(lists)
    if columns is None:
        lists = _with_text_ids(lists, place)
        columns = _quick(lists)
    if columns is None:  # some value is not valid: read value by value, which lists the problems
        columns = _literal(lists, place, what)
    if not len(columns[3]):
        raise InputError(Problem("is empty", f"give at least one {what}", place))
    return columns


def _quick(lists: Mapping[Any, Any]) -> tuple[Text, Spans, Spans, Floats] | None:
    """Columns of dictionaries in which every id is text and every value a finite number; None where they are not."""
    docs: list[Any] = []
    values: list[Any] = []
    counts: list[int] = []
    try:
        for inner in lists.values():
            docs.extend(inner)
            values.extend(inner.values())
            counts.append(len(inner))
        return _laid(list(lists), counts, docs, values)
    except (AttributeError, TypeError):
        return None


def _with_text_ids(lists: Mapping[Any, Any], place: str) -> Mapping[Any, Any]:
    """The same with ids that are whole numbers as text, as in frames; 7 beside '7' is refused."""

    def text(inner: Mapping[Any, Any], what: str) -> Mapping[Any, Any]:
        if not any(is_whole(name) for name in inner):
            return inner
        named = {str(int(name)) if is_whole(name) else name: value for name, value in inner.items()}
        if len(named) < len(inner):
            twice = next(name for name in inner if is_whole(name) and str(int(name)) in inner)
            cause = f"{what} {int(twice)} as a number and as text"
            raise InputError(Problem(cause, "write ids in one way", place))
        return named

    lists = text(lists, "topic")
    if any(isinstance(inner, Mapping) and any(map(is_whole, inner)) for inner in lists.values()):
        lists = {t: text(d, f"topic {t!r}: document") if isinstance(d, Mapping) else d for t, d in lists.items()}
    return lists


def _from_lists(lists: Mapping[Any, Sequence[Any]], place: str) -> RunColumns:
    ranked = {topic: dict(enumerate(docs, 1)) for topic, docs in lists.items()}
    docs = [doc for inner in ranked.values() for doc in inner.values()]
    ranks = [float(rank) for inner in ranked.values() for rank in inner]
    columns = _laid(list(lists), [len(inner) for inner in ranked.values()], docs, ranks)
    if columns is None and any(map(is_whole, (*lists, *docs))):
        named = _with_text_ids(lists, place)
        return _from_lists({t: [str(int(d)) if is_whole(d) else d for d in named[t]] for t in named}, place)
    if columns is None:
        problems = [p for topic in lists for p in encoded(topic, "topic", place)[1]]
        problems += [p for t, ds in lists.items() for d in ds for p in encoded(d, f"topic {t!r}: document", place)[1]]
        raise InputError(problems)
    if not docs:
        raise InputError(Problem("is empty", "give at least one document", place))
    text, topic, doc, rank = columns
    return RunColumns(place, text, topic, doc, -rank, rank)


def _from_rows(rows: Iterable[Any], place: str, what: str) -> tuple[Text, Spans, Spans, Floats]:
    problems: list[Problem] = []
    topics, docs, values = [], [], []
    for n, row in enumerate(rows):
        topic, bad = encoded(row.query_id, f"row {n}: query_id", place)
        problems += bad
        doc, bad = encoded(row.doc_id, f"row {n}: doc_id", place)
        problems += bad
        topics.append(topic)
        docs.append(doc)
        values.append(_checked(getattr(row, what), f"row {n}", what, place, problems))
    if problems:
        raise InputError(problems)
    if not values:
        raise InputError(Problem("is empty", "give at least one row", place))
    text, spans = joined(topics + docs)
    return text, spans[: len(topics)], spans[len(topics) :], np.array(values)


def _laid(
    topics: list[Any], counts: list[int], docs: list[Any], values: list[Any]
) -> tuple[Text, Spans, Spans, Floats] | None:
    """Columns from ids that are all strings and numbers that are all finite; None where they are not."""
    number = np.array(values) if values else np.empty(0)
    if number.ndim != 1 or number.dtype.kind not in "iuf" or not np.isfinite(number).all():
        return None
    try:
        raw_topics, topic_length = _end_to_end(topics)
        raw_docs, doc_length = _end_to_end(docs)
    except (TypeError, UnicodeEncodeError):
        return None
    topic_spans = np.stack([np.cumsum(topic_length) - topic_length, topic_length], axis=1)
    start = np.cumsum(doc_length) - doc_length + len(raw_topics)
    topic = np.repeat(topic_spans, counts, axis=0)
    return padded(raw_topics + raw_docs), topic, np.stack([start, doc_length], axis=1), number.astype(np.float64)


def _end_to_end(ids: list[Any]) -> tuple[bytes, np.ndarray[Any, np.dtype[np.int64]]]:
    letters = "".join(ids)
    if letters.isascii():
        return letters.encode("ascii"), np.fromiter(map(len, ids), np.int64, len(ids))
    raw = [name.encode("utf-8", "surrogateescape") for name in ids]
    return b"".join(raw), np.fromiter(map(len, raw), np.int64, len(raw))


def _literal(lists: Mapping[Any, Any], place: str, what: str) -> tuple[Text, Spans, Spans, Floats]:
    """Columns value by value; one InputError lists all values that cannot be read."""
    topics: list[bytes] = []
    docs: list[bytes] = []
    values: list[float] = []
    problems: list[Problem] = []
    for topic, inner in lists.items():
        if not isinstance(inner, Mapping):
            cause = f"topic {topic!r} has {_kind(inner)}, expected a dictionary of {what}s"
            problems.append(Problem(cause, f"give {{topic: {{document: {what}}}}}", place))
            continue
        raw_topic, bad = encoded(topic, "topic", place)
        problems += bad
        for doc, value in inner.items():
            raw_doc, bad = encoded(doc, f"topic {topic!r}: document", place)
            problems += bad
            topics.append(raw_topic)
            docs.append(raw_doc)
            values.append(_checked(value, f"topic {topic!r}, document {doc!r}", what, place, problems))
    if problems:
        raise InputError(problems)
    text, spans = joined(topics + docs)
    return text, spans[: len(topics)], spans[len(topics) :], np.array(values)


def _checked(value: Any, where: str, what: str, place: str, problems: list[Problem]) -> float:
    if is_number(value) or isinstance(value, bool):
        return float(value)
    if what in ("grade", "relevance") and (
        value is None or (isinstance(value, float | np.floating) and value != value)
    ):
        return math.nan  # a judge that failed
    problems.append(Problem(f"{where}: {what} {value!r} is no finite number", f"give every {what} as a number", place))
    return 0.0


def encoded(name: Any, what: str, place: str) -> tuple[bytes, list[Problem]]:
    """An id as bytes, and the problems with it."""
    if isinstance(name, bytes):
        return name, []
    if is_whole(name):
        return str(int(name)).encode(), []
    if isinstance(name, str):
        try:
            return name.encode("utf-8", "surrogateescape"), []
        except UnicodeEncodeError:
            return b"", [Problem(f"{what} {name!r} holds a lone surrogate", "give valid text or bytes", place)]
    cure = "ids are strings: 7, '7' and '07' would not be told apart otherwise"
    return b"", [Problem(f"{what} {name!r} is {_kind(name)}, expected a string", cure, place)]


def _kind(value: object) -> str:
    name = type(value).__name__
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"
