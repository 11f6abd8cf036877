"""Metadata of Parquet files, read with care before polars reads the file.

polars believes what a file claims: a count of -1 values makes it ask for 2^61 bytes, which ends the process. So all
counts, sizes and places that it will use are checked against the file first: those of the footer, and those of the
pages of the columns that are read. Names and numbers of fields: parquet.thrift of the format, in Thrift's compact
protocol.
"""

from __future__ import annotations

import mmap
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from rankscope.errors import InputError, Problem
from rankscope.io.files import PARQUET
from rankscope.io.memory import refuse_beyond_memory

DEEPEST = 32  # levels of columns within columns
_LEVELS = 16  # of structs within structs: there are 7 in the format
_FOOT = 8  # bytes at the end: the length of the footer, and PARQUET
_TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = 1, 2, 3, 7, 8, 9, 10, 11, 12
_DATA, _INDEX, _DICTIONARY, _DATA_V2 = range(4)
_ENCODINGS = range(10)
_HEADER = 5, 7, 8  # fields of a page's header that have the header of data, of a dictionary and of data of version 2


@dataclass(frozen=True, slots=True)
class Chunk:
    """The pages of one column in one row group: where they are, and how many values they hold."""

    start: int
    stop: int
    values: int
    unpacked: int


@dataclass(frozen=True, slots=True)
class RowGroup:
    """Rows of a row group, and the chunks of each column by its name; a nested column has several."""

    rows: int
    chunks: dict[str, list[Chunk]]


@dataclass(frozen=True, slots=True)
class Metadata:
    """Names of the columns, and the row groups."""

    names: list[str]
    groups: list[RowGroup]

    @property
    def rows(self) -> int:
        return sum(group.rows for group in self.groups)


class _DamageError(ValueError):
    """What is wrong with a file."""


@contextmanager
def mapped(path: Path) -> Iterator[memoryview]:
    """Bytes of a file, read as they are needed."""
    with path.open("rb") as file:
        if not file.seek(0, 2):
            yield memoryview(b"")
            return
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content, memoryview(content) as data:
            yield data


def read_metadata(data: memoryview, place: str) -> Metadata:
    """The checked metadata of a Parquet file; InputError where it is damaged."""
    with _refused(place):
        return _metadata(data)


def check_pages(data: memoryview, metadata: Metadata, columns: Collection[str], place: str) -> None:
    """Refuse a file where a page of these columns claims more than there is, or more than memory holds."""
    with _refused(place):
        unpacked = 0
        for group in metadata.groups:
            for chunk in (chunk for name in columns for chunk in group.chunks[name]):
                unpacked += _check_chunk(data, chunk) + 8 * chunk.values
    refuse_beyond_memory(unpacked, place)


@contextmanager
def _refused(place: str) -> Iterator[None]:
    try:
        yield
    except (_DamageError, IndexError) as error:
        cause = str(error) if isinstance(error, _DamageError) else "it ends too early"
        raise InputError(Problem(f"damaged Parquet file ({cause})", "write it again", place)) from None


def _damaged(cause: str) -> NoReturn:
    raise _DamageError(cause)


def _metadata(data: memoryview) -> Metadata:
    if len(data) < len(PARQUET) + _FOOT or bytes(data[-4:]) != PARQUET:
        _damaged("it does not end as Parquet does")
    end = len(data) - _FOOT
    start = end - int.from_bytes(data[end : end + 4], "little")
    if start < len(PARQUET):
        _damaged("its footer is longer than the file")
    footer = _Thrift(data, start, end).struct()
    schema = _structs(footer, 2)
    names, leaves = _columns(schema)
    groups = [_group(group, names, leaves, start) for group in _structs(footer, 4)]
    if sum(group.rows for group in groups) != _count(footer, 3):
        _damaged("its row groups do not add up to its rows")
    return Metadata(names, groups)


def _columns(schema: list[dict[int, Any]]) -> tuple[list[str], list[tuple[int, bool]]]:
    """Names of the columns below the root; of every leaf its column, and whether it has one value per row."""
    names: list[str] = []
    leaves: list[tuple[int, bool]] = []
    left: list[tuple[int, bool]] = []  # of each open level, the children to come, and whether its rows are single
    for number, element in enumerate(schema):
        children = _count(element, 5) if 5 in element else 0
        if not number:
            left.append((children, True))
            continue
        while left and not left[-1][0]:
            left.pop()
        if not left:
            _damaged("a column belongs to nothing")
        count, single = left[-1]
        left[-1] = count - 1, single
        if len(left) == 1:
            name = element.get(4)
            if not isinstance(name, bytes):
                _damaged("a column has no name")
            names.append(name.decode("utf-8", "replace"))
        single = single and element.get(3) in (0, 1)
        if not children:
            leaves.append((len(names) - 1, single))
        elif len(left) >= DEEPEST:
            _damaged(f"columns within columns on more than {DEEPEST} levels")
        else:
            left.append((children, single))
    if any(children for children, _ in left):
        _damaged("columns are missing from its schema")
    return names, leaves


def _group(group: dict[int, Any], names: list[str], leaves: list[tuple[int, bool]], stop: int) -> RowGroup:
    chunks: dict[str, list[Chunk]] = {name: [] for name in names}
    columns, rows = _structs(group, 1), _count(group, 3)
    if len(columns) != len(leaves):
        _damaged("a row group has other columns than the file")
    for column, (name, single) in zip(columns, leaves, strict=True):
        about = column.get(3)
        if not isinstance(about, dict):
            _damaged("a column has no metadata")
        values, packed, start = _count(about, 5), _count(about, 7), _count(about, 9)
        if 11 in about:  # the dictionary stands before the data
            start = min(start, _count(about, 11) or start)
        if start < len(PARQUET) or start + packed > stop:
            _damaged("a column lies outside of the file")
        if single and values != rows:
            _damaged(f"a column has {values} values for {rows} rows")
        chunks[names[name]].append(Chunk(start, start + packed, values, _count(about, 6)))
    return RowGroup(rows, chunks)


def _check_chunk(data: memoryview, chunk: Chunk) -> int:
    """Bytes that the pages of a chunk have when unpacked."""
    at, values, unpacked = chunk.start, 0, 0
    while at < chunk.stop and values < chunk.values:
        reader = _Thrift(data, at, chunk.stop)
        page = reader.struct()
        packed, size, kind = _count(page, 3), _count(page, 2), _count(page, 1)
        at = reader.at + packed
        if at > chunk.stop:
            _damaged("a page is longer than its column")
        unpacked += size
        if kind == _INDEX:
            continue
        header = page.get(_HEADER[{_DATA: 0, _DICTIONARY: 1, _DATA_V2: 2}.get(kind, 0)])
        if kind > _DATA_V2 or not isinstance(header, dict):
            _damaged("a page is of no kind")
        count = _count(header, 1)
        if _count(header, 4 if kind == _DATA_V2 else 2) not in _ENCODINGS:
            _damaged("a page has no encoding")
        if kind == _DICTIONARY:
            if count > size:
                _damaged("a dictionary has more values than bytes")
            continue
        values += count
        if kind == _DATA_V2 and _count(header, 5) + _count(header, 6) > min(packed, size):
            _damaged("levels of a page are longer than the page")
    if values != chunk.values:
        _damaged("the pages of a column do not add up to its values")
    return unpacked


def _count(fields: dict[int, Any], number: int) -> int:
    value = fields.get(number)
    if type(value) is not int or not 0 <= value < 1 << 62:
        _damaged("a number is missing or out of range")
    return value


def _structs(fields: dict[int, Any], number: int) -> list[dict[int, Any]]:
    value = fields.get(number)
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        _damaged("a list is missing")
    return value


class _Thrift:
    """Values in Thrift's compact protocol, from first to last; structs by the numbers of their fields."""

    def __init__(self, data: memoryview, start: int, stop: int) -> None:
        self._data, self.at, self._stop = data, start, stop

    def struct(self, level: int = 0) -> dict[int, Any]:
        if level > _LEVELS:
            _damaged(f"structs within structs on more than {_LEVELS} levels")
        fields: dict[int, Any] = {}
        number = 0
        while head := self._byte():
            step, kind = head >> 4, head & 15
            number = number + step if step else self._integer()
            fields[number] = kind == _TRUE if kind in (_TRUE, _FALSE) else self._value(kind, level)
        return fields

    def _value(self, kind: int, level: int) -> Any:
        if kind == _STRUCT:
            return self.struct(level + 1)
        if kind in (_LIST, _SET):
            head = self._byte()
            count = self._fits(head >> 4 if head >> 4 < 15 else self._unsigned())
            return [self._value(head & 15, level + 1) for _ in range(count)]
        if kind == _MAP:
            count = self._fits(self._unsigned())
            kinds = self._byte() if count else 0
            return [(self._value(kinds >> 4, level + 1), self._value(kinds & 15, level + 1)) for _ in range(count)]
        if kind == _BINARY:
            return self._bytes(self._unsigned())
        if kind == _DOUBLE:
            return self._bytes(8)
        if kind in (_TRUE, _FALSE, _BYTE):
            return self._byte()
        if kind in (4, 5, 6):
            return self._integer()
        return _damaged("a value is of no type")

    def _fits(self, count: int) -> int:
        """A count of items, each of which takes a byte at least."""
        if count > self._stop - self.at:
            _damaged("a list is longer than the file")
        return count

    def _bytes(self, count: int) -> bytes:
        self._fits(count)
        self.at += count
        return bytes(self._data[self.at - count : self.at])

    def _byte(self) -> int:
        if self.at >= self._stop:
            _damaged("it ends too early")
        self.at += 1
        return self._data[self.at - 1]

    def _unsigned(self) -> int:
        value = 0
        for shift in range(0, 70, 7):
            byte = self._byte()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
        return _damaged("a number has too many bytes")

    def _integer(self) -> int:
        value = self._unsigned()
        return (value >> 1) ^ -(value & 1)
