"""Text of a file block by block, decompressed; the next block is read while the current one is used."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from io import FileIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np

from rankscope import kernels
from rankscope.arrays import PAD, Text, size
from rankscope.errors import InputError, Problem
from rankscope.io.files import (
    BOM,
    DamagedError,
    Unpacked,
    dry,
    packed_as,
    refuse_device,
    refuse_utf16,
    unchanged,
    unreadable,
)
from rankscope.io.trec import comments_apart

if TYPE_CHECKING:
    from concurrent.futures import Future

Result = TypeVar("Result")
Edge: TypeAlias = Callable[[Text], int]
"""Where the last piece of a text begins, which may go on after its end; 0 where all of it is one piece."""

_NEAR = 1 << 12  # bytes before the end that are searched first
_RECORD = 1 << 18  # bytes that a row of a table may have, line ends within quotation marks and all
_LF, _QUOTE = b"\n", ord('"')


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """A block of a file's text, valid until the next is requested; `ended` where it is the last.

    cut     the text fills all room and is one piece, which goes on after it
    packed  the file is compressed
    """

    text: Text
    ended: bool
    cut: bool = False
    packed: bool = False


def text_blocks(
    path: Path, room: int, edge: Callable[[Text, bool], Edge], read: Callable[[int], None] | None = None
) -> Iterator[Block]:
    """The file in blocks of at most so many bytes, in two buffers of that size.

    edge  given the first text and whether it is all there is, tells where blocks are to end
    read  hears how many bytes of the file have been used, after each block
    """
    with unchanged(path):
        yield from _text_blocks(path, room, edge, read)


def _text_blocks(
    path: Path, room: int, edge: Callable[[Text, bool], Edge], read: Callable[[int], None] | None
) -> Iterator[Block]:
    coming: Future[tuple[int, bool]] | None = None
    file = None
    try:
        plain = path.open("rb", buffering=0)
        file = _Counted(plain)
        refuse_device(plain, path)
        start = file.read(8)  # no seeking back: it may be a pipe
        kind = packed_as(start)
        source = file if kind is None else Unpacked(kind, file, start)
        here, other = np.empty(room + PAD, np.uint8), np.empty(0, np.uint8)
        filled = 0 if kind else len(start)
        here[:filled] = np.frombuffer(start[:filled], np.uint8)
        filled, ended = _fill(source, here, filled)
        refuse_utf16(here[: filled + PAD], path)
        if ended and not filled and path.is_fifo():
            raise InputError(dry(path))
        if here[: len(BOM)].tobytes() == BOM:
            here[: filled - len(BOM)] = here[len(BOM) : filled]
            filled -= len(BOM)
        ends = edge(_closed(here, filled), ended)
        while True:
            stop, used = filled if ended else ends(here[: filled + PAD]), file.count
            if ended or not stop:
                yield Block(_closed(here, filled), ended, not ended, kind is not None)
                if read is not None:
                    read(used)
                break
            if not other.size:
                other = np.empty(room + PAD, np.uint8)
            carried = filled - stop
            other[:carried] = here[stop:filled]
            coming = _aside(_fill, source, other, carried)
            yield Block(_closed(here, stop), ended, packed=kind is not None)
            if read is not None:
                read(used)
            (filled, ended), here, other = coming.result(), other, here
    except InputError as error:
        raise InputError([replace(p, place=p.place or str(path)) for p in error.problems]) from None
    except (OSError, DamagedError) as error:
        raise InputError(unreadable(path, error)) from error
    except MemoryError as error:
        cause = f"{room} bytes at once are more than this machine has"
        raise InputError(Problem(cause, "allow less memory", str(path))) from error
    finally:
        if file is not None and coming is not None:  # it may still wait for a pipe, and nobody should wait for it
            coming.add_done_callback(lambda _: file.close())
        elif file is not None:
            file.close()


def _aside(work: Callable[..., Result], *arguments: Any) -> Future[Result]:
    """Future of work done by a daemon thread, which does not delay the end of the program."""
    from concurrent.futures import Future

    result: Future[Result] = Future()

    def run() -> None:
        try:
            result.set_result(work(*arguments))
        except BaseException as error:
            result.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return result


def _closed(buffer: Text, stop: int) -> Text:
    """The buffer up to `stop` as a Text."""
    buffer[stop : stop + PAD] = 0
    return buffer[: stop + PAD]


def _fill(source: Any, buffer: Text, filled: int) -> tuple[int, bool]:
    """Fill the buffer from `filled` on; returns how far it is filled, and whether the file has ended."""
    room = buffer.size - PAD
    while filled < room:
        got = source.readinto(buffer[filled:room].data)
        if not got:
            return filled, True
        filled += got
    return filled, False


class _Counted:
    """A file or pipe that counts the bytes read from it."""

    def __init__(self, file: FileIO) -> None:
        self._file, self.count = file, 0
        self.close = file.close

    def read(self, most: int) -> bytes:
        data = self._file.read(most) or b""
        self.count += len(data)
        return data

    def readinto(self, room: memoryview) -> int:
        got = self._file.readinto(room) or 0
        self.count += got
        return got


def last_line(text: Text) -> int:
    """Start of the last line, which may go on after the end of the text."""
    end, near = size(text), _NEAR
    while True:
        start = max(0, end - near)
        line_end = text[start:end].tobytes().rfind(_LF)
        if line_end >= 0 or not start:
            return start + line_end + 1 if line_end >= 0 else 0
        near *= 8


def last_record(text: Text) -> int:
    """Start of the last record, where quoted fields may contain line ends."""
    end = last_line(text)
    start = max(0, end - _RECORD)
    before = sum(
        int(np.count_nonzero(text[at : min(at + _RECORD, start)] == _QUOTE)) for at in range(0, start, _RECORD)
    )
    near = text[start:end]
    within = (before + np.cumsum(near == _QUOTE)) % 2 == 1
    closed = np.flatnonzero((near == _LF[0]) & ~within)
    if closed.size:
        return start + int(closed[-1]) + 1
    return end if start else 0  # an unmatched quotation mark further up is ignored


def last_topic(text: Text) -> int:
    """Start of the lines of the last topic; the topic is the first field of a line that is no comment."""
    text = comments_apart(text)[0]
    end, near = last_line(text), _NEAR
    while end:
        start = max(0, end - near)
        edge = _edge(text, start, end)
        if edge < end:
            while (after := _edge(text, edge, end)) < end:
                edge = after
            return edge
        if not start:
            break
        near *= 8
    return 0 if text[:end].tobytes().strip() else end


def _edge(text: Text, start: int, end: int) -> int:
    """The first line from start on, but for the very first, that has another topic than the line before it."""
    before = min(start, 1)  # to see whether start is the start of a line
    return start - before + kernels.topic_edge(text[start - before : end + PAD], before)
