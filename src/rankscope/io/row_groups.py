"""Sizes of the row groups of a Parquet file, which polars does not report.

The footer is a struct in Thrift's compact protocol: see the format's parquet.thrift, FileMetaData and RowGroup.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

_TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = 1, 2, 3, 7, 8, 9, 10, 11, 12
_FOOT = 8  # bytes at the end: the footer's length, and PAR1
_GROUPS, _UNPACKED, _PACKED = 4, 2, 6  # the fields of a file that is asked for its groups, and of a group for its bytes


def largest_group(path: Path) -> int:
    """Bytes on disk of the largest row group; 0 where that cannot be seen."""
    try:
        with path.open("rb") as file:
            end = file.seek(0, 2)
            file.seek(end - _FOOT)
            length = int.from_bytes(file.read(4), "little")
            file.seek(end - _FOOT - length)
            groups = _Footer(file.read(length)).struct().get(_GROUPS, [])
        return max((int(group.get(_PACKED) or group[_UNPACKED]) for group in groups), default=0)
    except (OSError, ValueError, LookupError, TypeError, AttributeError):  # whoever reads it will say what is wrong
        return 0


class _Footer:
    """Values in Thrift's compact protocol, from first to last; structs by the numbers of their fields."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    def struct(self) -> dict[int, Any]:
        fields: dict[int, Any] = {}
        number = 0
        while head := self._byte():
            step, kind = head >> 4, head & 15
            number = number + step if step else self._integer()
            fields[number] = kind == _TRUE if kind in (_TRUE, _FALSE) else self._value(kind)
        return fields

    def _value(self, kind: int) -> Any:
        if kind == _STRUCT:
            return self.struct()
        if kind in (_LIST, _SET):
            head = self._byte()
            count = head >> 4 if head >> 4 < 15 else self._unsigned()
            return [self._value(head & 15) for _ in range(count)]
        if kind == _MAP:
            count = self._unsigned()
            kinds = self._byte() if count else 0
            return [(self._value(kinds >> 4), self._value(kinds & 15)) for _ in range(count)]
        if kind == _BINARY:
            return self._skipped(self._unsigned())
        if kind == _DOUBLE:
            return self._skipped(8)
        return self._byte() if kind in (_TRUE, _FALSE, _BYTE) else self._integer()

    def _skipped(self, count: int) -> None:
        self._at += count

    def _byte(self) -> int:
        self._at += 1
        return self._data[self._at - 1]

    def _unsigned(self) -> int:
        value = shift = 0
        while (byte := self._byte()) >= 128:
            value |= (byte & 127) << shift
            shift += 7
        return value | byte << shift

    def _integer(self) -> int:
        value = self._unsigned()
        return (value >> 1) ^ -(value & 1)
