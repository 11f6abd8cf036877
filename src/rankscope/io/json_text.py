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
from rankscope.errors import InputError, Problem, argument
from rankscope.io.column_names import ROLES, ColumnNames, is_known, known_column
from rankscope.io.columns import FileKind, QrelsColumns, RunColumns, encoded, ranked_rows
from rankscope.io.nested_json import LISTS, Row, item_rows, list_key, mteb_lists, tool_rows
from rankscope.io.problems import Listed
from rankscope.io.tables import from_table, qrels_from_frame, run_from_frame

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
    key = "" if first is None else first[1].decode("utf-8", "replace")
    return key in LISTS or any(is_known(role, key) for role in ROLES)


def read_json_run(text: Text, place: str, columns: ColumnNames | None = None) -> RunColumns:
    """A run as one JSON object: of objects with scores, or of ranked lists; or in the shape of another tool."""
    plain = kernels.scan_json(text)
    if plain is None and (rows := _tool_rows(text, "run", place, columns)) is not None:
        return rows
    text, topic, doc, value, lists, _ = _read_object(text, plain, place, "score")
    rank = value if lists else None
    return RunColumns(place, text, topic, doc, -value if lists else value, rank)


def read_json_qrels(text: Text, place: str, columns: ColumnNames | None = None) -> QrelsColumns:
    """Judgments as one JSON object of objects, or in the shape of another tool."""
    plain = kernels.scan_json(text)
    if plain is None and (rows := _tool_rows(text, "qrels", place, columns)) is not None:
        return rows
    text, topic, doc, value, lists, ungraded = _read_object(text, plain, place, "grade")
    if lists:
        raise InputError(Problem("lists of documents without grades", f"give {_SHAPES.split(' or ')[0]}", place))
    return QrelsColumns(place, text, topic, doc, value, ungraded=ungraded)


def _tool_rows(text: Text, kind: FileKind, place: str, columns: ColumnNames | None) -> Any:
    """Columns of JSON in the shape of another tool; None where its shape is not known."""
    rows = tool_rows(_plain(_loads(_decoded(text, place), place)), kind, place, columns)
    if rows is None:
        return None
    return from_table(_frame(list(enumerate(rows)), place), kind, place, columns=_flat(rows, columns))


def _flat(rows: list[Row], columns: ColumnNames | None) -> ColumnNames | None:
    """Names of columns for rows of which the topic was found before."""
    if columns is None or "topic" not in columns or not rows or "topic" not in rows[0]:
        return columns
    return {**columns, "topic": "topic"}


def read_json_lines_run(text: Text, place: str, columns: ColumnNames | None = None) -> RunColumns:
    """A run as JSON lines: one ranked list per line, of ids or of objects, or one row per line."""
    lines = _lines(text, place)
    if any(_list_key(value) is None for _, value in lines):
        lines, columns = _rows(lines, "run", place, columns)
        return run_from_frame(_frame(lines, place), place, line=_numbers(lines), columns=columns)
    topics: list[bytes] = []
    docs: list[bytes] = []
    ranks: list[int] = []
    numbers: list[int] = []
    problems: list[Problem] = []
    for number, line in lines:
        topic_key = known_column("topic", list(line), place, columns)
        if topic_key is None:
            cause = f"no topic among the keys {', '.join(map(repr, line))}"
            problems.append(
                Problem(cause, f"name it query_id, or give its name by {argument('columns')}", place, number)
            )
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


def read_json_lines_qrels(text: Text, place: str, columns: ColumnNames | None = None) -> QrelsColumns:
    """Judgments as JSON lines, one row or one topic with the list of its judgments per line."""
    lines, columns = _rows(_lines(text, place), "qrels", place, columns)
    return qrels_from_frame(_frame(lines, place), place, line=_numbers(lines), columns=columns)


def _rows(
    lines: list[tuple[int, Row]], kind: FileKind, place: str, columns: ColumnNames | None
) -> tuple[list[tuple[int, Row]], ColumnNames | None]:
    """Lines with their lists laid out, one row per document, and the names of their columns."""
    problems = Listed()
    rows: list[tuple[int, Row]] = []
    nested = any(list_key(line) is not None for _, line in lines)
    for number, line in lines:
        try:
            rows += [(number, row) for row in item_rows(line, kind, place, columns)]
        except InputError as error:
            problems.add([replace(problem, line=number) for problem in error.problems])
    if problems:
        raise InputError(problems.all())
    return rows, _flat([row for _, row in rows], columns) if nested else columns


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


def _read_object(text: Text, plain: Any, place: str, what: str) -> tuple[Text, Spans, Spans, Floats, bool, int]:
    """Text, spans of topics and documents, values, whether they are ranked lists, and the number of missing grades.

    plain  what the kernels read, None where they cannot
    """
    body = _decoded(text, place)
    ungraded = 0
    if plain is None:
        text, plain, ungraded = _slow_object(body, place, what)
    topic, doc, value, lists = plain
    if not len(value):
        raise InputError(Problem("is empty", f"give {_SHAPES}", place))
    return text, topic, doc, value, lists, ungraded


def _slow_object(body: str, place: str, what: str) -> tuple[Text, tuple[Spans, Spans, Floats, bool], int]:
    """As `_read_object` by the json module: reads any valid JSON, and lists the problems."""
    outer = _loads(body, place)
    if isinstance(outer, _Pairs) and (lists := mteb_lists(_plain(outer), place)) is not None:
        outer = _Pairs(
            (topic, _Pairs(docs.items()) if isinstance(docs, dict) else docs) for topic, docs in lists.items()
        )
    ungraded = 0
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
            if value is None and what == "grade":
                ungraded += 1
                continue
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
    return ids, (spans[: len(topics)], spans[len(topics) :], np.array(values), list in kinds), ungraded


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
            objects.append((number, _plain(value)))
        else:
            problems.add([Problem(f"{_name(value)}, expected an object", "give one object per line", place, number)])
    if problems:
        raise InputError(problems.all())
    return objects


def _numbers(lines: list[tuple[int, dict[str, Any]]]) -> Ints:
    return np.array([number for number, _ in lines], np.int64)


def _list_key(line: Row) -> str | None:
    """The key of a list of ids."""
    return next((k for k in LISTS if isinstance(line.get(k), list) and list_key(line) is None), None)


def _plain(value: Any) -> Any:
    """Objects as dictionaries, at every depth."""
    if isinstance(value, _Pairs):
        return {name: _plain(part) for name, part in value}
    return [_plain(part) for part in value] if isinstance(value, list) else value


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
