"""Attributes of topics: a table with one row per topic."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

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

    def cells(self, column: str, topics: Sequence[str]) -> Sequence[str]:
        """Cells of a column, one per topic of these; "" where the table lacks a topic."""
        cells = self.columns[column]
        if topics == self.topics:
            return cells
        cell = dict(zip(self.topics, cells, strict=True))
        return [cell.get(topic, "") for topic in topics]


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
    columns = _plain_columns(text)
    if columns is not None:
        return _from_columns(*columns, str(source))
    return _from_rows(delimited(source, _CURE, text), str(source))


def _plain_columns(text: str) -> tuple[list[str], list[list[str]], Sequence[int]] | None:
    """Header, columns and lines of delimited text without quotes, whose lines have as many fields; None otherwise."""
    text = text.removesuffix("\n")
    head, body = text.partition("\n")[::2]
    separator = "\t" if "\t" in head else ","
    width = head.count(separator) + 1
    if not body or width == 1 or '"' in text or "\r" in text:
        return None
    raw = np.frombuffer(body.encode() + b"\n", np.uint8)
    ends = np.flatnonzero(raw == ord("\n"))
    marks = raw[(raw == ord(separator)) | (raw == ord("\n"))]
    if len(marks) != len(ends) * width or (marks[width - 1 :: width] != ord("\n")).any():
        return None
    if max(int(np.diff(ends).max(initial=ends[0])), len(head)) > csv.field_size_limit():
        return None
    fields = body.replace("\n", separator).split(separator)
    return head.split(separator), [fields[i::width] for i in range(width)], range(2, len(ends) + 2)


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
    (_, header), *body = rows or [(0, [])]
    check_widths(header, body, place)
    return _from_columns(header, list(zip(*(row for _, row in body), strict=True)), [line for line, _ in body], place)


def _from_columns(header: list[str], columns: Sequence[Sequence[str]], lines: Sequence[int], place: str) -> TopicTable:
    """The table of columns; `lines` are those of the rows in the file."""
    if not lines or len(header) < 2:
        raise InputError(Problem("holds no table of topics", _CURE, place))
    at = next((header.index(name) for name in TOPIC_COLUMNS if name in header), 0)
    problems = [
        Problem(f"column {name!r} twice" if name else "a column without a name", "give each column one name", place)
        for name in dict.fromkeys(header)
        if header.count(name) > 1 or not name
    ]
    topics = tuple(columns[at])
    if len(set(topics)) < len(topics):
        first: dict[str, int] = {}
        for topic, line in zip(topics, lines, strict=True):
            if first.setdefault(topic, line) != line:
                cause = f"topic {topic!r} twice, first on line {first[topic]}"
                problems.append(Problem(cause, "keep one row per topic", place, line))
    if problems:
        raise InputError(problems)
    return TopicTable(topics, {name: _known(columns[i]) for i, name in enumerate(header) if i != at}, place)


def _known(cells: Sequence[str]) -> list[str]:
    """Cells without spaces around them; "" where there is no value."""
    stripped = list(map(str.strip, cells))
    return stripped if NO_VALUE.isdisjoint(stripped) else ["" if cell in NO_VALUE else cell for cell in stripped]


def _cell(value: Any) -> str:
    if value is None or value != value:  # NaN
        return ""
    return value if isinstance(value, str) else json.dumps(value) if isinstance(value, dict | list) else str(value)
