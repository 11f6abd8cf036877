"""Files that are written whole or not at all: a temporary file beside them, then a rename."""

from __future__ import annotations

import errno
import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import get_ident
from typing import IO

from rankscope.errors import InputError, Problem

_LONGEST = 50  # characters of a file's name in that of its temporary file
_ENDING = 8  # of these, at most, for the ending
ABANDONED = 3600
"""Seconds after which a temporary file that nobody has written to counts as left behind."""
UNFINISHED = ".part"
"""Ending of a file that is being written; what is left of a process that was killed has it, too."""


def write_whole(path: str | os.PathLike[str], content: bytes | Callable[[IO[bytes]], object]) -> None:
    """Write a file completely, or leave everything as it was and raise OSError.

    A link goes on pointing to its file, and the file keeps its permissions. Pipes and devices, which cannot be
    renamed, are written to as they are.

    content  bytes, or a function that writes them to a file
    """
    target = Path(os.path.realpath(path))

    def fill(file: IO[bytes]) -> None:
        file.write(content) if isinstance(content, bytes) else content(file)

    if target.exists() and not target.is_file():
        with target.open("wb") as file:
            fill(file)
        return
    unfinished = _unfinished(target)
    try:
        with unfinished.open("wb") as file:
            if target.exists():
                with suppress(OSError):  # of file systems without permissions
                    unfinished.chmod(target.stat().st_mode & 0o7777)
            fill(file)
            file.flush()
            os.fsync(file.fileno())  # a full disk may be noticed here, and not before
        unfinished.replace(target)
    except BaseException:
        with suppress(OSError):
            unfinished.unlink()
        raise


def write_output(path: str | os.PathLike[str], content: bytes | Callable[[IO[bytes]], object]) -> Path:
    """The same of a file that a user has named: whole, or an InputError that says why not."""
    path = Path(path)
    with refused_writes(path):
        write_whole(path, content)
    return path


def append_output(path: str | os.PathLike[str], content: bytes) -> None:
    """Content at the end of a file that a user has named, all of it or nothing."""
    path = Path(path)
    with refused_writes(path), path.open("ab", buffering=0) as file:
        size = path.stat().st_size if path.is_file() else None
        rest = memoryview(content)
        try:
            while rest:
                rest = rest[file.write(rest) :]
        except OSError:
            if size is not None:
                file.truncate(size)
            raise


def check_output(path: str | os.PathLike[str], *, force: bool, cure: str = "force=True") -> None:
    """Refuse, before any work, a file that could not be written afterwards. Nothing is changed.

    force  whether a file that exists may be written over
    cure   how to say that it may; a command says --force
    """
    path = Path(path)
    if path.is_dir():
        raise InputError(Problem("is a folder", "name a file", str(path)))
    if path.is_file() and not force:
        raise InputError(Problem("exists already", f"choose another file, or {cure} to write over it", str(path)))
    if path.is_file() or not path.exists():
        with refused_writes(path):
            unfinished = _unfinished(Path(os.path.realpath(path)))
            unfinished.open("wb").close()
            unfinished.unlink()


@contextmanager
def refused_writes(path: Path) -> Iterator[None]:
    """What the system refuses to write to a path, as the InputError that says so."""
    try:
        yield
    except OSError as error:
        cause = f"cannot be written ({(error.strerror or str(error)).lower()})"
        raise InputError(Problem(cause, "choose another file", str(path))) from error


def remove_unfinished(folder: Path, ours: str) -> None:
    """Remove what killed processes left of files that they were writing: what is older than an hour.

    Whether a process is running says nothing where others write to the same disk, from another machine or container.

    ours  a pattern of the names of these files: of no others is anything removed
    """
    for path in folder.glob(f"*{UNFINISHED}"):
        part = re.fullmatch(rf"(.+)\.[0-9]{{1,9}}-[0-9]+{re.escape(UNFINISHED)}", path.name)
        if part and re.fullmatch(ours, part[1]):
            with suppress(OSError):
                if time.time() - path.stat().st_mtime > ABANDONED:
                    path.unlink()


def _unfinished(path: Path) -> Path:
    """The temporary file beside a file: no other writer has its name, which is cut before the ending if it is long."""
    if path.exists() and not os.access(path, os.W_OK):  # a rename would not ask
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    ending = path.suffix[:_ENDING]
    name = path.stem[: _LONGEST - len(ending)] + ending
    return path.with_name(f"{name}.{os.getpid()}-{get_ident()}{UNFINISHED}")
