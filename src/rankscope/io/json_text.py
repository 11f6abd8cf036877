"""JSON: objects of objects, objects of lists, and JSON lines."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import numpy as np

from rankscope import kernels
from rankscope.arguments import is_number
from rankscope.arrays import Floats, Ints, Spans, Text, cut, joined, size
from rankscope.errors import InputError, Problem
from rankscope.io.columns import FileKind, QrelsColumns, RunColumns, encoded, ranked_rows
from rankscope.io.problems import Listed
from rankscope.io.tables import DIALECTS, qrels_from_frame, run_from_frame

TOPIC_KEYS = tuple(dict.fromkeys(name for d in DIALECTS for name in d.topic))
LIST_KEYS = ("doc_ids", "docs", "documents", "ranking", "results", "retrieved", "items")
KEYS = {*TOPIC_KEYS, *LIST_KEYS, *(n for d in DIALECTS for n in (*d.doc, *d.grade, *d.score)), "rank"}
_ALIKE: tuple[set[type], ...] = ({str}, {int}, {float}, {int, float}, set())  # what a column of rows may hold
_SHAPES = '{"topic": {"document": score}} or {"topic": ["document", ...]}'


def is_json(text: Text, kind: FileKind) -> bool:
    """Whether a text starts as one JSON object, or as a list, of which the reader says what it can read."""
    start = text[: min(size(text), 1 << 16)].tobytes().lstrip(b" \t\r\n")
    if start[:1] == b"{":
        return not is_json_lines(text, kind)
    return re.match(rb'\[\s*[\[{"]', start) is not None


def is_json_lines(text: Text, _kind: FileKind) -> bool:
    """Whether a text holds one JSON object per line, rather than one object."""
    start = text[: min(size(text), 1 << 20)].tobytes().strip()
    if start[:1] != b"{":
        return False
    line, _, others = start.partition(b"\n")
    if others:
        try:
            json.loads(line)
        except (ValueError, RecursionError):
            return False
        return True
    # one line: is its first key the name of a column, or a topic?
    first = re.match(rb'\{\s*"([^"]*)"\s*:\s*[^{\s]', line)
    return first is not None and first[1].decode("utf-8", "replace") in KEYS


def read_json_run(text: Text, place: str) -> RunColumns:
    """A run as one JSON object: of objects with scores, or of ranked lists."""
    text, topic, doc, value, lists = _read_object(text, place, "score")
    rank = value if lists else None
    return RunColumns(place, text, topic, doc, -value if lists else value, rank)


def read_json_qrels(text: Text, place: str) -> QrelsColumns:
    """Judgments as one JSON object of objects."""
    text, topic, doc, value, lists = _read_object(text, place, "grade")
    if lists:
        raise InputError(Problem("lists of documents without grades", f"give {_SHAPES.split(' or ')[0]}", place))
    return QrelsColumns(place, text, topic, doc, value)


def read_json_lines_run(text: Text, place: str) -> RunColumns:
    """A run as JSON lines: one ranked list per line, or one row per line."""
    lines = _lines(text, place)
    if any(_list_key(value) is None for _, value in lines):
        return run_from_frame(_frame(lines, place), place, line=_numbers(lines))
    topics: list[bytes] = []
    docs: list[bytes] = []
    ranks: list[int] = []
    numbers: list[int] = []
    problems: list[Problem] = []
    for number, line in lines:
        topic_key = next((k for k in TOPIC_KEYS if k in line), None)
        if topic_key is None:
            cause = f"no topic among the keys {', '.join(map(repr, line))}"
            problems.append(Problem(cause, f"name it {' or '.join(TOPIC_KEYS[:2])}", place, number))
            continue
        topic, bad = encoded(line[topic_key], "topic", place)
        problems += [replace(problem, line=number) for problem in bad]
        for rank, doc in enumerate(line[_list_key(line) or ""], 1):
            raw, bad = encoded(doc, f"topic {line[topic_key]!r}: document", place)
            problems += [replace(problem, line=number) for problem in bad]
            topics.append(topic)
            docs.append(raw)
            ranks.append(rank)
            numbers.append(number)
    if problems:
        raise InputError(problems)
    ids, spans = joined(topics + docs)
    rank_column = np.array(ranks, np.float64)
    line_column = np.array(numbers, np.int64)
    return RunColumns(place, ids, spans[: len(topics)], spans[len(topics) :], -rank_column, rank_column, line_column)


def read_json_lines_qrels(text: Text, place: str) -> QrelsColumns:
    """Judgments as JSON lines, one row per line."""
    lines = _lines(text, place)
    return qrels_from_frame(_frame(lines, place), place, line=_numbers(lines))


def write_json(columns: RunColumns | QrelsColumns, _tag: str) -> bytes:
    """{topic: {document: value}}; ids that are no UTF-8 go out as escapes and come back as they were."""
    value = columns.score if isinstance(columns, RunColumns) else columns.grade
    out: dict[str, dict[str, float | int]] = {}
    for topic, doc, number in zip(*_labels(columns), value.tolist(), strict=True):
        out.setdefault(topic, {})[doc] = int(number) if number == int(number) else number
    return (json.dumps(out) + "\n").encode()


def write_json_lines(columns: RunColumns | QrelsColumns, _tag: str) -> bytes:
    """A run as JSON lines, one ranked list per line."""
    if isinstance(columns, QrelsColumns):
        raise InputError("ranked lists hold no grades", "write judgments as TREC text, JSON, CSV or Parquet")
    out: dict[str, list[str]] = {}
    topics, docs = _labels(columns)
    for row in ranked_rows(columns)[0].tolist():
        out.setdefault(topics[row], []).append(docs[row])
    return b"".join(json.dumps({"query_id": t, "doc_ids": d}).encode() + b"\n" for t, d in out.items())


def _labels(columns: RunColumns | QrelsColumns) -> tuple[list[str], list[str]]:
    def strings(spans: Spans) -> list[str]:
        return [raw.decode("utf-8", "surrogateescape") for raw in cut(columns.text, spans)]

    return strings(columns.topic), strings(columns.doc)


def _read_object(text: Text, place: str, what: str) -> tuple[Text, Spans, Spans, Floats, bool]:
    body = _decoded(text, place)
    plain = kernels.scan_json(text)
    if plain is None:
        text, plain = _slow_object(body, place, what)
    topic, doc, value, lists = plain
    if not len(value):
        raise InputError(Problem("is empty", f"give {_SHAPES}", place))
    return text, topic, doc, value, lists


def _slow_object(body: str, place: str, what: str) -> tuple[Text, tuple[Spans, Spans, Floats, bool]]:
    """As `_read_object` by the json module: reads any valid JSON, and lists the problems."""
    outer = _loads(body, place)
    problems: list[Problem] = []
    topics: list[bytes] = []
    docs: list[bytes] = []
    values: list[float] = []
    kinds = set()
    if not isinstance(outer, _Pairs):
        raise InputError(Problem(f"holds {_name(outer)}, expected an object", f"give {_SHAPES}", place))
    for topic, inner in outer:
        raw, bad = encoded(topic, "topic", place)
        problems += bad
        kinds.add(type(inner))
        if isinstance(inner, _Pairs):
            rows = list(inner)
        elif isinstance(inner, list):
            rows = [(doc, rank) for rank, doc in enumerate(inner, 1)]
        else:
            problems.append(Problem(f'key "{topic}": {_name(inner)}, expected an object', f"give {_SHAPES}", place))
            continue
        for doc, value in rows:
            raw_doc, bad = encoded(doc, f'key "{topic}": document', place)
            problems += bad
            if not is_number(value):
                cause = f'key "{topic}" / "{doc}": {what} {json.dumps(value, default=str)[:80]} is no finite number'
                problems.append(Problem(cause, f"give every {what} as a number", place))
                continue
            topics.append(raw)
            docs.append(raw_doc)
            values.append(float(value))
    if len(kinds) > 1 and not problems:
        problems.append(Problem("topics hold objects here and lists there", f"give {_SHAPES}", place))
    if problems:
        raise InputError(problems)
    ids, spans = joined(topics + docs)
    return ids, (spans[: len(topics)], spans[len(topics) :], np.array(values), list in kinds)


class _Pairs(list[tuple[str, Any]]):
    """A JSON object with every key it has, repeated ones included."""


def _loads(body: str, place: str, line: int | None = None) -> Any:
    try:
        return json.loads(body, object_pairs_hook=_Pairs)
    except json.JSONDecodeError as error:
        cause = f"invalid JSON at offset {error.pos}, column {error.colno}: {error.msg[0].lower()}{error.msg[1:]}"
        raise InputError(Problem(cause, "mend the file or write it again", place, line or error.lineno)) from None
    except ValueError as error:  # more digits than Python reads
        raise InputError(Problem(f"invalid JSON: {error}", "mend the file or write it again", place, line)) from None
    except RecursionError:
        raise InputError(Problem("JSON nested too deep", f"give {_SHAPES}", place, line)) from None


def _decoded(text: Text, place: str) -> str:
    raw = text[: size(text)].tobytes()
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        cause = f"byte {raw[error.start]:#04x} at offset {error.start} is no UTF-8"
        line = raw[: error.start].count(b"\n") + 1
        raise InputError(Problem(cause, "JSON is UTF-8: save the file so", place, line)) from None


def _lines(text: Text, place: str) -> list[tuple[int, dict[str, Any]]]:
    """Number and object of every line that is not blank, or all that is wrong with them."""
    objects: list[tuple[int, dict[str, Any]]] = []
    problems = Listed()
    for number, line in enumerate(_decoded(text, place).split("\n"), 1):
        if not line.strip():
            continue
        try:
            value = _loads(line, place, number)
        except InputError as error:
            problems.add(error.problems)
            continue
        if isinstance(value, _Pairs):
            objects.append((number, {k: dict(v) if isinstance(v, _Pairs) else v for k, v in value}))
        else:
            problems.add([Problem(f"{_name(value)}, expected an object", "give one object per line", place, number)])
    if problems:
        raise InputError(problems.all())
    return objects


def _numbers(lines: list[tuple[int, dict[str, Any]]]) -> Ints:
    return np.array([number for number, _ in lines], np.int64)


def _list_key(line: dict[str, Any]) -> str | None:
    return next((k for k in LIST_KEYS if isinstance(line.get(k), list)), None)


def _frame(lines: list[tuple[int, dict[str, Any]]], place: str) -> Any:
    """Rows of JSON lines as a frame."""
    import polars as pl

    if not lines:
        raise InputError(Problem("is empty", "give one row per line", place))
    names = list(dict.fromkeys(key for _, line in lines for key in line))
    values = {name: [line.get(name) for _, line in lines] for name in names}
    columns = {}
    for key, column in values.items():
        name = key.encode("utf-8", "backslashreplace").decode()  # half a character names no column
        kinds = {type(value) for value in column if value is not None}
        dtype = None if kinds in _ALIKE else pl.Object  # or they would be made alike, whatever they are
        try:
            columns[name] = pl.Series(column, dtype=dtype, strict=False)
        except (TypeError, pl.exceptions.PolarsError, UnicodeEncodeError):
            columns[name] = pl.Series(column, dtype=pl.Object)
    return pl.DataFrame(columns)


def _name(value: object) -> str:
    if isinstance(value, _Pairs):
        return "an object"
    return {list: "a list", str: "text", bool: "true or false", type(None): "null"}.get(type(value), "a number")
