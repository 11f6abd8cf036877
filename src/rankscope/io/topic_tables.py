"""Attributes of topics: a table with one row per topic."""

from __future__ import annotations

import csv
import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np

from rankscope import kernels
from rankscope.arrays import Ints, Spans, Text, decoded, padded, size
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
class Column(Sequence[str]):
    """Cells of a column, one per topic, as text; "" where there is no value.

    values  distinct values in order of first appearance
    code    place of each cell's value among these; -1 where there is none
    """

    values: Sequence[str]
    code: Ints

    @classmethod
    def of(cls, cells: Collection[str]) -> Column:
        """The column of these cells."""
        values = [value for value in dict.fromkeys(cells) if value]
        place = {"": -1, **{value: i for i, value in enumerate(values)}}
        return cls(values, np.fromiter(map(place.__getitem__, cells), np.int64, len(cells)))

    @classmethod
    def of_text(cls, text: Text, spans: Spans) -> Column:
        """The column of cells in a text; each value is decoded once."""
        number, first = kernels.intern(text, spans)
        here = spans[first, 1] > 0
        return cls(decoded(text, spans[first[here]]), np.where(here, np.cumsum(here) - 1, -1)[number])

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        return list(self)[index]

    def __len__(self) -> int:
        return len(self.code)

    def __iter__(self) -> Iterator[str]:
        return map([*self.values, ""].__getitem__, self.code.tolist())

    def known(self) -> Column:
        """Cells without spaces around them; "" where a cell says that there is no value."""
        stripped = list(map(str.strip, self.values))
        if stripped == self.values and NO_VALUE.isdisjoint(stripped):
            return self
        shown = self.of(["" if value in NO_VALUE else value for value in stripped])
        return Column(shown.values, np.append(shown.code, -1)[self.code])

    def at(self, rows: Ints) -> Column:
        """Cells of these rows, which may be -1: no cell."""
        code = np.append(self.code, -1)[rows]
        found, first = np.unique(code, return_index=True)
        order = found[np.argsort(first)]
        order = order[order >= 0]
        place = np.full(len(self.values) + 1, -1)
        place[order] = np.arange(len(order))
        return Column([self.values[i] for i in order.tolist()], place[code])


@dataclass(frozen=True, slots=True, eq=False)
class TopicTable:
    """Attributes of topics as text, by the names of their columns."""

    topics: tuple[str, ...]
    columns: Mapping[str, Column]
    place: str

    def of(self, column: str, topics: Sequence[str]) -> Column:
        """A column with one cell per topic of these; "" where the table lacks a topic."""
        cells = self.columns[column]
        if topics == self.topics:
            return cells
        row = {topic: i for i, topic in enumerate(self.topics)}
        return cells.at(np.fromiter((row.get(topic, -1) for topic in topics), np.int64, len(topics)))


def read_topics(source: Any) -> TopicTable:
    """Attributes of topics from a file or from data in memory.

    source  a CSV or TSV file, JSON lines, a polars or pandas frame: a column `topic` (or the first column) and one per
            attribute; or {attribute: {topic: value}}

    >>> list(read_topics({"type": {"7": "how-to", "8": "name"}}).of("type", ("8", "9", "7")))
    ['name', '', 'how-to']
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


def _plain_columns(text: str) -> tuple[list[str], list[Column], Sequence[int]] | None:
    """Header, columns and lines of delimited text without quotes, whose lines have as many fields; None otherwise."""
    head, body = text.removesuffix("\n").partition("\n")[::2]
    separator = "\t" if "\t" in head else ","
    width = head.count(separator) + 1
    if not body or width == 1 or '"' in text or "\r" in text:
        return None
    raw = padded(body.encode())
    raw[size(raw)] = ord("\n")
    ends = np.flatnonzero((raw == ord(separator)) | (raw == ord("\n")))
    closing = raw[ends] == ord("\n")
    lines = int(np.count_nonzero(closing))
    if len(ends) != lines * width or not closing[width - 1 :: width].all():
        return None
    starts = np.append(0, ends[:-1] + 1)
    if max(int((ends[width - 1 :: width] - starts[::width]).max()), len(head)) > csv.field_size_limit():
        return None
    cells = np.stack([starts, ends - starts], axis=1).reshape(lines, width, 2)
    columns = [Column.of_text(raw, np.ascontiguousarray(cells[:, i])) for i in range(width)]
    return head.split(separator), columns, range(2, lines + 2)


def _from_mapping(source: Mapping[Any, Any]) -> TopicTable:
    if not source or not all(isinstance(column, Mapping) for column in source.values()):
        raise InputError("attributes of topics are no mappings", "give {attribute: {topic: value}}")
    topics = tuple(dict.fromkeys(str(topic) for column in source.values() for topic in column))
    columns = {}
    for name, column in source.items():
        cells = {str(topic): _cell(value) for topic, value in column.items()}
        columns[str(name)] = Column.of([cells.get(topic, "") for topic in topics])
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
    columns = [Column.of(cells) for cells in zip(*(row for _, row in body), strict=True)]
    return _from_columns(header, columns, [line for line, _ in body], place)


def _from_columns(header: list[str], columns: Sequence[Column], lines: Sequence[int], place: str) -> TopicTable:
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
    if len(columns[at].values) + (columns[at].code < 0).any() < len(topics):
        first: dict[str, int] = {}
        for topic, line in zip(topics, lines, strict=True):
            if first.setdefault(topic, line) != line:
                cause = f"topic {topic!r} twice, first on line {first[topic]}"
                problems.append(Problem(cause, "keep one row per topic", place, line))
    if problems:
        raise InputError(problems)
    return TopicTable(topics, {name: columns[i].known() for i, name in enumerate(header) if i != at}, place)


def _cell(value: Any) -> str:
    if value is None or value != value:  # NaN
        return ""
    return value if isinstance(value, str) else json.dumps(value) if isinstance(value, dict | list) else str(value)
