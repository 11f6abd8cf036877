"""Finding files, opening them whatever compressed them, and naming systems after them."""

from __future__ import annotations

import bz2
import glob
import gzip
import lzma
import os
import stat
import threading
import zlib
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from io import FileIO
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from rankscope.arrays import PAD, Text, padded, size
from rankscope.errors import InputError, Problem
from rankscope.parallel import available_workers, map_units

PathLike: TypeAlias = str | os.PathLike[str]

COMPRESSED = (".gz", ".bz2", ".xz", ".zst")
ENDINGS = (".txt", ".run", ".trec", ".res")

# what a file starts with, what opens it, what closes it again
_PACKERS: tuple[tuple[bytes, str, Callable[[bytes], bytes]], ...] = (
    (b"\x1f\x8b", "gzip", gzip.decompress),
    (b"BZh", "bzip2", lambda data: _streams(data, bz2.BZ2Decompressor)),
    (b"\xfd7zXZ\x00", "xz", lambda data: _streams(data, lzma.LZMADecompressor)),
    (b"\x28\xb5\x2f\xfd", "zstd", lambda data: _streams(data, zstd().ZstdDecompressor().decompressobj)),
)
_BOM = b"\xef\xbb\xbf"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")  # every other byte of Latin letters and digits is then 0
_HEAD = 16
_LARGE, _PART = 64 << 20, 16 << 20  # bytes


def zstd() -> Any:
    """The package that reads and writes zstd, an extra."""
    try:
        import zstandard
    except ImportError:
        raise InputError("zstd needs the package zstandard", 'pip install "rankscope[zstd]"') from None
    return zstandard


def expand(paths: Iterable[PathLike]) -> list[Path]:
    """Files meant by paths, folders (every file in them that is not hidden) and glob patterns, each sorted."""
    found: list[Path] = []
    problems: list[Problem] = []
    for given in paths:
        try:
            found += _meant(given)
        except InputError as error:
            problems += error.problems
        except OSError as error:
            problems.append(_unreadable(Path(given), error))
    if problems:
        raise InputError(problems)
    return found


def _meant(given: PathLike) -> list[Path]:
    """Files that one path, folder or pattern means."""
    path = Path(given)
    if path.is_dir():
        inside = sorted(p for p in path.iterdir() if p.is_file() and not p.name.startswith("."))
        if not inside:
            raise InputError(Problem("folder without files", "name a folder with run files", str(path)))
        return inside
    if path.exists():
        return [path]
    if any(c in str(given) for c in "*?["):
        matches = sorted(Path(p) for p in glob.glob(os.fspath(given), recursive=True) if Path(p).is_file())
        if not matches:
            raise InputError(Problem("no file matches this pattern", "check the pattern", str(given)))
        return matches
    raise InputError(Problem("no such file", "check the path", str(path)))


def system_name(path: PathLike) -> str:
    """The file's name without its compression and run endings.

    >>> system_name("runs/KIS.S1.10.gz"), system_name("bm25.run.gz"), system_name("dense.txt")
    ('KIS.S1.10', 'bm25', 'dense')
    """
    name = Path(path).name
    for endings in (COMPRESSED, ENDINGS):
        stem, ending = os.path.splitext(name)
        if ending.lower() in endings and stem:
            name = stem
    return name


class Scratch(threading.local):
    """Room for one file, used again by the next that the same thread reads: fresh memory costs as much as reading."""

    def __init__(self) -> None:
        self.bytes = np.empty(0, np.uint8)
        self.ahead: tuple[Path, Future[Text]] | None = None  # a file that another thread is reading already

    def room(self, size: int) -> Text:
        if self.bytes.size < size:
            self.bytes = np.empty(size + size // 4, np.uint8)
        return self.bytes[:size]


def read_text(path: PathLike, scratch: Scratch | None = None) -> Text:
    """The file's bytes, unpacked if its content says it is compressed; in the scratch until that is used again."""
    path = Path(path)
    if scratch is not None and scratch.ahead is not None and scratch.ahead[0] == path:
        return scratch.ahead[1].result()
    try:
        with path.open("rb", buffering=0) as file:
            start = file.read(8)  # no seeking back: it may be a pipe
            packer = next((p for p in _PACKERS if start.startswith(p[0])), None)
            text = _plain(start, file, scratch) if packer is None else padded(_unpack(start + file.read(), *packer[1:]))
    except InputError as error:  # a missing extra
        raise InputError(Problem(error.problems[0].cause, error.problems[0].cure, str(path))) from None
    except (OSError, EOFError, zlib.error, lzma.LZMAError, ValueError) as error:
        raise InputError(_unreadable(path, error)) from error
    if text[:2].tobytes() in _UTF16 and not text[: min(_HEAD, size(text))].all():
        raise InputError(Problem("UTF-16 text", "save it as UTF-8", str(path)))
    # a byte order mark says how the file is encoded; it is no part of the first id
    return text[len(_BOM) :] if text[: len(_BOM)].tobytes() == _BOM else text


def _plain(start: bytes, file: FileIO, scratch: Scratch | None) -> Text:
    """A file that is not compressed, read straight into the array; it may be longer than it said."""
    room = os.fstat(file.fileno()).st_size + len(start) + PAD
    text = np.empty(room, np.uint8) if scratch is None else scratch.room(room)
    filled = len(start)
    text[:filled] = np.frombuffer(start, np.uint8)
    if room > _LARGE and hasattr(os, "preadv") and stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        filled = _side_by_side(text[: room - PAD - len(start)], file)
    while got := file.readinto(text[filled:].data):
        filled += got
        if filled + PAD > text.size:
            text = np.concatenate([text, np.empty(text.size, np.uint8)])
    text[filled:] = 0
    return text[: filled + PAD]


def _side_by_side(text: Text, file: FileIO) -> int:
    """A large file, read by several threads: most of the time goes into fresh memory, not into the file."""

    def part(start: int) -> int:
        return os.preadv(file.fileno(), [text[start : start + _PART].data], start)

    filled = 0
    starts = range(0, text.size, _PART)
    for start, got in zip(starts, map_units(part, starts, workers=available_workers()), strict=True):
        if start == filled:  # what follows a short read is read again, in turn
            filled += got
    file.seek(filled)
    return filled


def _unpack(data: bytes, kind: str, unpack: Callable[[bytes], bytes]) -> bytes:
    try:
        return unpack(data)
    except InputError:
        raise
    except Exception as error:  # each packer has its own idea of what to raise
        raise _DamagedError(kind, error) from error


def _streams(data: bytes, opened: Callable[[], Any]) -> bytes:
    """All streams of a file, one after the other; what is cut short or follows the last is an error."""
    parts = []
    while data:
        stream = opened()
        parts.append(stream.decompress(data))
        if not stream.eof:
            raise EOFError("ended before the end of the stream")
        data = stream.unused_data.lstrip(b"\0")  # xz may be padded
    return b"".join(parts)


class _DamagedError(ValueError):
    def __init__(self, kind: str, error: Exception) -> None:
        super().__init__(f"damaged or truncated {kind} file ({str(error).rstrip('.').lower()})")


def _unreadable(path: Path, error: Exception) -> Problem:
    if isinstance(error, FileNotFoundError):
        return Problem("no such file", "check the path", str(path))
    if isinstance(error, _DamagedError):
        return Problem(str(error), "fetch or write it again", str(path))
    reason = getattr(error, "strerror", None) or str(error)
    return Problem(f"cannot be read ({reason.lower()})", "check the path and its permissions", str(path))
