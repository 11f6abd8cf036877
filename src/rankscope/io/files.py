"""Content of files and pipes, decompressed."""

from __future__ import annotations

import bz2
import lzma
import os
import stat
import threading
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from io import FileIO
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from rankscope.arguments import extra
from rankscope.arrays import PAD, Text, padded, size
from rankscope.errors import InputError, Problem
from rankscope.io.memory import refuse_beyond_memory
from rankscope.io.remote import RemoteFile, RemotePath, located
from rankscope.parallel import Aside, map_units

PathLike: TypeAlias = str | os.PathLike[str]

COMPRESSED = (".gz", ".bz2", ".xz", ".zst")

# what each kind of compressed file starts with, and what unpacks it
_MAGIC = {"gzip": b"\x1f\x8b", "bzip2": b"BZh", "xz": b"\xfd7zXZ\x00", "zstd": b"\x28\xb5\x2f\xfd"}
_UNPACKERS: dict[str, Callable[[], Any]] = {
    "gzip": lambda: zlib.decompressobj(31),
    "bzip2": bz2.BZ2Decompressor,
    "xz": lzma.LZMADecompressor,
    "zstd": lambda: zstd().ZstdDecompressor().decompressobj(),
}
PARQUET = b"PAR1"  # both ends of a file of Parquet
BOM = b"\xef\xbb\xbf"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")  # every other byte of Latin letters and digits is then 0
ONCE = "a pipe can be read only once: write it to a file first"
_HEAD = 16
_READ = 1 << 15  # compressed bytes at a time: there must be room for what comes out of them
_LARGE, _PART = 64 << 20, 16 << 20  # bytes


def zstd() -> Any:
    """The package that reads and writes zstd, an extra."""
    return extra("zstandard", Problem("zstd needs the package zstandard", 'pip install "rankscope[zstd]"'))


def first_line(text: Text) -> bytes:
    """The first line that is not blank."""
    return text[: min(size(text), 1 << 16)].tobytes().lstrip(b" \t\r\n").split(b"\n", 1)[0].rstrip(b"\r")


def longest_line(text: Text) -> int:
    """Bytes of the longest line."""
    ends = np.flatnonzero(text[: size(text)] == ord("\n"))
    return int(np.diff(ends, prepend=-1, append=size(text)).max()) - 1


class Scratch(threading.local):
    """Room for one file, used again by the next that the same thread reads: fresh memory costs as much as reading."""

    def __init__(self) -> None:
        self.bytes = np.empty(0, np.uint8)
        self.ahead: tuple[Path, Aside[Text]] | None = None  # a file that another thread is reading already

    def __reduce__(self) -> tuple[type[Scratch], tuple[()]]:
        return Scratch, ()  # it goes to another process empty

    def room(self, size: int) -> Text:
        if self.bytes.size < size:
            self.bytes = np.empty(size + size // 4, np.uint8)
        return self.bytes[:size]


class _Pipes:
    """Content of pipes and remote files by path; None where they are read only once."""

    kept: dict[Path, Text] | None = None


@contextmanager
def pipes_kept() -> Iterator[None]:
    """Keep the content of pipes, which can be read only once, and of remote files, which are fetched once."""
    before = _Pipes.kept
    _Pipes.kept = {} if before is None else before
    try:
        yield
    finally:
        _Pipes.kept = before


def refuse_shared_pipes(paths: Iterable[PathLike]) -> None:
    """Refuse one pipe named twice: each reader would get a part of it."""
    pipes: dict[tuple[int, int], list[str]] = {}
    for path in paths:
        try:
            about = Path(path).stat()
        except (OSError, ValueError):  # whoever reads it will say so
            continue
        if stat.S_ISFIFO(about.st_mode) or stat.S_ISSOCK(about.st_mode):
            pipes.setdefault((about.st_dev, about.st_ino), []).append(os.fspath(path))
    problems = [
        Problem(f"one pipe for {len(names)} files ({', '.join(names)})", ONCE, names[0])
        for names in pipes.values()
        if len(names) > 1
    ]
    if problems:
        raise InputError(problems)


@contextmanager
def unchanged(path: Path) -> Iterator[None]:
    """Refuse a file that was written while it was read, by its number, size and time stamp before and after."""
    before = _state(path)
    yield
    if before is not None and _state(path) != before:
        raise InputError(Problem("was written to while it was read", "read it once it is complete", str(path)))


def _state(path: Path) -> tuple[int, int, int] | None:
    """What tells one state of a file from another; None of pipes, and of files elsewhere."""
    try:
        about = None if isinstance(path, RemotePath) else path.stat()
    except OSError:  # whoever reads it will say so
        return None
    return (about.st_ino, about.st_size, about.st_mtime_ns) if about and stat.S_ISREG(about.st_mode) else None


def dry(path: Path) -> Problem:
    """Problem of an empty pipe, which may have been read before."""
    cure = "check what fills it, and that it was not read before: a pipe can be read only once"
    return Problem("nothing comes out of this pipe", cure, str(path))


def read_text(path: PathLike, scratch: Scratch | None = None) -> Text:
    """The file's bytes, unpacked if its content says it is compressed; in the scratch until that is used again."""
    path = located(path)
    if _Pipes.kept is not None and path in _Pipes.kept:
        return _Pipes.kept[path].copy()
    if scratch is not None and scratch.ahead is not None and scratch.ahead[0] == path:
        return scratch.ahead[1].result()
    if path.is_dir():
        from rankscope.io.tables import one_table  # polars comes in with it

        return padded(one_table(path))
    try:
        with unchanged(path), path.open("rb", buffering=0) as file:
            refuse_device(file, path)
            start = file.read(8)  # no seeking back: it may be a pipe
            kind = packed_as(start)
            text = _plain(start, file, scratch) if kind is None else padded(Unpacked(kind, file, start).read())
            pipe = stat.S_ISFIFO(_about(file).st_mode)
    except InputError as error:  # a missing extra, or too much content
        raise InputError(Problem(error.problems[0].cause, error.problems[0].cure, str(path))) from None
    except (OSError, EOFError, zlib.error, lzma.LZMAError, ValueError) as error:
        raise InputError(unreadable(path, error)) from error
    refuse_utf16(text, path)
    # a byte order mark says how the file is encoded; it is no part of the first id
    text = text[len(BOM) :] if text[: len(BOM)].tobytes() == BOM else text
    if pipe and not size(text):
        raise InputError(dry(path))
    if (pipe or isinstance(path, RemotePath)) and _Pipes.kept is not None:
        _Pipes.kept[path] = text.copy()
    return text


def read_one(path: PathLike, cure: str = "name a file") -> Text:
    """Bytes of one file, as `read_text`; a folder is refused."""
    if not os.fspath(path):
        raise InputError(Problem("an empty path", cure, repr(os.fspath(path))))
    if located(path).is_dir():
        raise InputError(Problem("is a folder", cure, str(path)))
    return read_text(path)


def _about(file: FileIO | RemoteFile) -> os.stat_result:
    return file.about() if isinstance(file, RemoteFile) else os.fstat(file.fileno())


def _plain(start: bytes, file: FileIO | RemoteFile, scratch: Scratch | None) -> Text:
    """A file that is not compressed, read straight into the array; it may be longer than it said."""
    room = _about(file).st_size + len(start) + PAD
    if room > _LARGE:
        refuse_beyond_memory(room)
    text = np.empty(room, np.uint8) if scratch is None else scratch.room(room)
    filled = len(start)
    text[:filled] = np.frombuffer(start, np.uint8)
    if room > _LARGE and hasattr(os, "preadv") and isinstance(file, FileIO) and stat.S_ISREG(_about(file).st_mode):
        filled = _side_by_side(text[: room - PAD - len(start)], file)
    while got := file.readinto(text[filled:].data):
        filled += got
        if filled + PAD > text.size:
            if filled > _LARGE:
                refuse_beyond_memory(2 * text.size)
            text = np.concatenate([text, np.empty(text.size, np.uint8)])
    text[filled:] = 0
    return text[: filled + PAD]


def _side_by_side(text: Text, file: FileIO) -> int:
    """A large file, read by several threads: most of the time goes into fresh memory, not into the file."""

    def part(start: int) -> int:
        return os.preadv(file.fileno(), [text[start : start + _PART].data], start)

    filled = 0
    starts = range(0, text.size, _PART)
    for start, got in zip(starts, map_units(part, starts, workers=None, kind="shared"), strict=True):
        if start == filled:  # what follows a short read is read again, in turn
            filled += got
    file.seek(filled)
    return filled


def refuse_device(file: FileIO | RemoteFile, path: Path | RemotePath) -> None:
    """Refuse what has no end, such as /dev/zero."""
    if stat.S_ISCHR(_about(file).st_mode):
        raise InputError(Problem("is a device", "name a file or a pipe", str(path)))


def packed_as(start: bytes) -> str | None:
    """Compression of a file by its first bytes, None where it is not compressed."""
    return next((kind for kind, magic in _MAGIC.items() if start.startswith(magic)), None)


def refuse_utf16(text: Text, path: Path) -> None:
    """Refuse text in UTF-16."""
    if text[:2].tobytes() in _UTF16 and not text[: min(_HEAD, size(text))].all():
        raise InputError(Problem("UTF-16 text", "save it as UTF-8", str(path)))


class Unpacked:
    """Content of a compressed file, decompressed in small steps."""

    def __init__(self, kind: str, file: Any, start: bytes) -> None:
        self._kind, self._file, self._data = kind, file, start
        self._most = _READ >> 3 if kind == "zstd" else _READ  # of zstd, all that comes out of them comes at once
        self._stream = _UNPACKERS[kind]()
        self._ready = b""

    def read(self) -> bytes:
        """All of it; refused where memory is too small for it."""
        parts, total = [], 0
        while part := self._next(_LARGE):
            parts.append(part)
            total += len(part)
            if total > _LARGE:
                refuse_beyond_memory(total)
        return b"".join(parts)

    def readinto(self, room: memoryview) -> int:
        """Fill the room as far as one step goes; 0 at the end."""
        if not self._ready:
            self._ready = self._next(len(room))
        taken = self._ready[: len(room)]
        room[: len(taken)] = taken
        self._ready = self._ready[len(taken) :]
        return len(taken)

    def _next(self, most: int) -> bytes:
        """The next bytes, b"" at the end of the file; a truncated stream or trailing data is an error."""
        try:
            return self._step(most)
        except (InputError, MemoryError):
            raise
        except Exception as error:  # each kind has its own idea of what to raise
            raise DamagedError(self._kind, error) from error

    def _step(self, most: int) -> bytes:
        while True:
            if self._stream.eof:
                following = self._stream.unused_data.lstrip(b"\0")  # xz may be padded
                while not following and (more := self._file.read(self._most)):
                    following = more.lstrip(b"\0")
                if not following:
                    return b""
                self._stream, self._data = _UNPACKERS[self._kind](), following
            if not self._data and getattr(self._stream, "needs_input", True):
                self._data = self._file.read(self._most)
            data, self._data = self._data, b""
            if self._kind == "zstd":  # it gives all that it can
                out = self._stream.decompress(data)
            else:
                out = self._stream.decompress(data, most)
                self._data = getattr(self._stream, "unconsumed_tail", b"")
            if out:
                return bytes(out)
            if not data and not self._stream.eof and getattr(self._stream, "needs_input", True):
                raise EOFError("ended before the end of the stream")


class DamagedError(ValueError):
    """A compressed file is damaged or truncated."""

    def __init__(self, kind: str, error: Exception) -> None:
        super().__init__(f"damaged or truncated {kind} file ({str(error).rstrip('.').lower()})")


def unreadable(path: Path, error: Exception) -> Problem:
    """Problem of a file that cannot be read."""
    if isinstance(error, FileNotFoundError):
        return Problem("no such file", "check the path", str(path))
    if isinstance(error, DamagedError):
        return Problem(str(error), "fetch or write it again", str(path))
    reason = getattr(error, "strerror", None) or str(error)
    return Problem(f"cannot be read ({reason.lower()})", "check the path and its permissions", str(path))
