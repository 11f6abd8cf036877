"""Names for the arrays that travel between rooms. Axes are S systems, T topics, K ranks, always in this order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
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
    raw = text.tobytes()
    if raw.isascii():  # one decoding for all is several times faster
        letters = raw.decode("ascii")
        return [letters[start:stop] for start, stop in _edges(spans)]
    return [raw[start:stop].decode("utf-8", "surrogateescape") for start, stop in _edges(spans)]


def _edges(spans: Spans) -> Iterator[tuple[int, int]]:
    return zip(spans[:, 0].tolist(), (spans[:, 0] + spans[:, 1]).tolist(), strict=True)


def joined(ids: list[bytes]) -> tuple[Text, Spans]:
    """Ids laid end to end, and their spans."""
    length = np.fromiter(map(len, ids), np.int64, len(ids))
    start = np.cumsum(length) - length
    return padded(b"".join(ids)), np.stack([start, length], axis=1)
