"""Names for the arrays that travel between rooms. Axes are S systems, T topics, K ranks, always in this order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
AnyInts: TypeAlias = NDArray[np.signedinteger[Any]]
"""Whole numbers of any width, such as four bytes where there are many."""
Bools: TypeAlias = NDArray[np.bool_]
Hashes: TypeAlias = NDArray[np.uint64]
Codes: TypeAlias = NDArray[np.unsignedinteger[Any]]
"""Grade codes: PADDING, UNJUDGED, or FIRST_GRADE + index into the distinct grades, ascending."""
Text: TypeAlias = NDArray[np.uint8]
"""Bytes of a file, or ids laid end to end, followed by PAD zero bytes."""
ExactNumbers: TypeAlias = NDArray[np.object_]
"""Whole numbers and fractions of Python: scores that were never rounded."""
Spans: TypeAlias = NDArray[np.int64]
"""(rows, 2): start and length of each id in a Text."""

PADDING, UNJUDGED, FIRST_GRADE = 0, 1, 2
PAD = 64
_PACKED = 1 << 18  # ids that are copied at a time


def padded(data: bytes | bytearray | memoryview) -> Text:
    """The bytes as a Text."""
    text = np.empty(len(data) + PAD, np.uint8)
    text[: len(data)] = np.frombuffer(data, np.uint8)
    text[len(data) :] = 0
    return text


def size(text: Text) -> int:
    """Bytes of a Text without its padding."""
    return text.size - PAD


def cut(text: Text, spans: Spans) -> list[bytes]:
    """The ids as bytes."""
    raw = text.tobytes()
    return [raw[start:stop] for start, stop in _edges(spans)]


def decoded(text: Text, spans: Spans) -> list[str]:
    """The ids as strings; what is no UTF-8 survives as surrogate escapes."""
    if len(spans) * PAD < text.size:  # few ids of a long text
        text, spans = packed(text, spans)
    raw = text.tobytes()
    if raw.isascii():  # one decoding for all is several times faster
        letters = raw.decode("ascii")
        return [letters[start:stop] for start, stop in _edges(spans)]
    return [raw[start:stop].decode("utf-8", "surrogateescape") for start, stop in _edges(spans)]


def packed(text: Text, spans: Spans) -> tuple[Text, Spans]:
    """A text that holds these ids alone, end to end, and their spans in it."""
    length = spans[:, 1]
    start = np.cumsum(length) - length
    total = int(length.sum())
    packed_text = np.zeros(total + PAD, np.uint8)
    width = int(length.max(initial=0))
    even = 0 < width <= PAD and width * len(spans) <= 4 * total  # ids of about one length: as rows of a table
    table = np.ndarray((text.size - width + 1, width), np.uint8, np.ascontiguousarray(text), strides=(1, 1))
    for first in range(0, len(spans), _PACKED):  # in parts: an index takes eight times the room of what it copies
        part = slice(first, first + _PACKED)
        if even:
            ids = table[spans[part, 0]][np.arange(width) < length[part, None]]
            packed_text[start[first] : start[first] + len(ids)] = ids
            continue
        at = np.repeat(spans[part, 0] - start[part], length[part])
        begin = int(start[first])
        at += np.arange(begin, begin + len(at))
        packed_text[begin : begin + len(at)] = text[at]
    return packed_text, np.stack([start, length], axis=1)


class Ids(Sequence[str]):
    """Ids in a text, decoded when they are first looked at."""

    def __init__(self, text: Text, spans: Spans) -> None:
        self._text, self._spans = text, spans
        self._ids: tuple[str, ...] | None = None

    @property
    def decoded(self) -> tuple[str, ...]:
        if self._ids is None:
            self._ids = tuple(decoded(self._text, self._spans))
        return self._ids

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[str, ...]: ...
    def __getitem__(self, index: int | slice) -> str | tuple[str, ...]:
        return self.decoded[index]

    def __len__(self) -> int:
        return len(self._spans)

    def __iter__(self) -> Iterator[str]:
        return iter(self.decoded)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and self.decoded == tuple(other)

    def __hash__(self) -> int:
        return hash(self.decoded)


def _edges(spans: Spans) -> Iterator[tuple[int, int]]:
    return zip(spans[:, 0].tolist(), (spans[:, 0] + spans[:, 1]).tolist(), strict=True)


def joined(ids: list[bytes]) -> tuple[Text, Spans]:
    """Ids laid end to end, and their spans."""
    length = np.fromiter(map(len, ids), np.int64, len(ids))
    start = np.cumsum(length) - length
    return padded(b"".join(ids)), np.stack([start, length], axis=1)
