"""Attributes of topics: a table with one row per topic."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rankscope.errors import InputError, Problem
from rankscope.io.score_tables import (
    NO_VALUE,
    TOPIC_COLUMNS,
    check_widths,
    delimited,
    file_text,
    frame_rows,
)
from rankscope.io.tables import is_frame

_CURE = "give a table with a header: a column topic, then one column per attribute (CSV, TSV or JSON lines)"


@dataclass(frozen=True, slots=True, eq=False)
class TopicTable:
    """Attributes of topics as text, one list per column; "" where a topic has none."""

    topics: tuple[str, ...]
    columns: Mapping[str, Sequence[str]]
    place: str


def read_topics(source: Any) -> TopicTable:
    """Attributes of topics from a file or from data in memory.

    source  a CSV or TSV file, JSON lines, a polars or pandas frame: a column `topic` (or the first column) and one per
            attribute; or {attribute: {topic: value}}

    >>> read_topics({"type": {"7": "how-to", "8": "name"}}).columns
    {'type': ['how-to', 'name']}
    """
    if isinstance(source, TopicTable):
        return source
    if isinstance(source, Mapping):
        return _from_mapping(source)
    if is_frame(source):
        return _from_rows(frame_rows(source), "frame of topics")
    if not isinstance(source, str) and not hasattr(source, "__fspath__"):
        raise InputError(f"attributes of topics cannot be read from a {type(source).__name__}", _CURE)
    text = file_text(source, _CURE)
    if text.lstrip().startswith("{"):
        return _from_rows(_json_lines(text, str(source)), str(source))
    return _from_rows(delimited(source, _CURE, text), str(source))


def _from_mapping(source: Mapping[Any, Any]) -> TopicTable:
    if not source or not all(isinstance(column, Mapping) for column in source.values()):
        raise InputError("attributes of topics are no mappings", "give {attribute: {topic: value}}")
    topics = tuple(dict.fromkeys(str(topic) for column in source.values() for topic in column))
    columns = {}
    for name, column in source.items():
        cells = {str(topic): _cell(value) for topic, value in column.items()}
        columns[str(name)] = [cells.get(topic, "") for topic in topics]
    return TopicTable(topics, columns, "attributes of topics")


def _json_lines(text: str, place: str) -> list[tuple[int, list[str]]]:
    """Header and rows of one JSON object per line."""
    objects: list[tuple[int, dict[str, Any]]] = []
    problems = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            row = None
        if isinstance(row, dict):
            objects.append((number, row))
        else:
            problems.append(Problem("no JSON object", 'write {"topic": ..., ...} on each line', place, number))
    if problems:
        raise InputError(problems)
    header = list(dict.fromkeys(name for _, row in objects for name in row))
    return [(0, header), *((number, [_cell(row.get(name)) for name in header]) for number, row in objects)]


def _from_rows(rows: list[tuple[int, list[str]]], place: str) -> TopicTable:
    if len(rows) < 2 or len(rows[0][1]) < 2:
        raise InputError(Problem("holds no table of topics", _CURE, place))
    (_, header), *body = rows
    check_widths(header, body, place)
    at = next((header.index(name) for name in TOPIC_COLUMNS if name in header), 0)
    problems = [
        Problem(f"column {name!r} twice" if name else "a column without a name", "give each column one name", place)
        for name in dict.fromkeys(header)
        if header.count(name) > 1 or not name
    ]
    first: dict[str, int] = {}
    for line, row in body:
        if row[at] in first:
            cause = f"topic {row[at]!r} twice, first on line {first[row[at]]}"
            problems.append(Problem(cause, "keep one row per topic", place, line))
        first.setdefault(row[at], line)
    if problems:
        raise InputError(problems)
    columns = list(zip(*(row for _, row in body), strict=True))
    named = {name: _known(columns[i]) for i, name in enumerate(header) if i != at}
    return TopicTable(tuple(columns[at]), named, place)


def _known(cells: Sequence[str]) -> list[str]:
    """Cells without spaces around them; "" where there is no value."""
    return ["" if (text := cell.strip()) in NO_VALUE else text for cell in cells]


def _cell(value: Any) -> str:
    if value is None or value != value:  # NaN
        return ""
    return value if isinstance(value, str) else json.dumps(value) if isinstance(value, dict | list) else str(value)
