"""Files that are written whole or not at all: a temporary file beside them, then a rename."""

from __future__ import annotations

import errno
import os
import re
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import combinations
from pathlib import Path
from typing import IO

from rankscope.errors import FileError, Problem, argument

_LONGEST = 50  # characters of a file's name in that of its temporary file
_ENDING = 8  # of these, at most, for the ending
_RANDOM = 8  # bytes of chance in the name of a temporary file
ABANDONED = 3600
"""Seconds after which a temporary file that nobody has written to counts as left behind."""
ANOTHER_FILE = "choose another file"
UNFINISHED = ".part"
"""Ending of a file that is being written; what is left of a process that was killed has it, too."""


def write_whole(
    path: str | os.PathLike[str], content: bytes | Callable[[IO[bytes]], object], *, follow: bool = True
) -> None:
    """Write a file completely, or leave everything as it was and raise OSError.

    A link goes on pointing to its file, and the file keeps its permissions. Pipes and devices, which cannot be
    renamed, are written to as they are.

    content  bytes, or a function that writes them to a file
    follow   False to put a regular file in the place of a link, pipe, device or socket: for files that no user named
    """
    target = Path(os.path.realpath(path) if follow else path)

    def fill(file: IO[bytes]) -> None:
        file.write(content) if isinstance(content, bytes) else content(file)

    if follow and target.exists() and not target.is_file():
        with target.open("wb") as file:
            fill(file)
        return
    unfinished = _unfinished(target)
    opened = unfinished.open("xb")  # never one that is there already, nor through a link
    try:
        with opened as file:
            if target.is_file() and not target.is_symlink():
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


def write_output(
    path: str | os.PathLike[str],
    content: bytes | Callable[[IO[bytes]], object],
    *,
    follow: bool = True,
    cure: str = ANOTHER_FILE,
) -> Path:
    """The same, but what the system refuses is a FileError, with the path and this cure."""
    path = Path(path)
    with refused_writes(path, cure):
        write_whole(path, content, follow=follow)
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


def check_output(path: str | os.PathLike[str], *, force: bool) -> None:
    """Refuse, before any work, a file that could not be written afterwards. Nothing is changed.

    What a killed process left of the same file an hour ago or earlier is removed.

    force  whether a file that exists may be written over
    """
    check_named(path)
    path = Path(path)
    if path.is_dir():
        raise FileError(Problem("is a folder", "name a file", str(path)))
    if path.is_file() and not force:
        raise FileError(
            Problem("exists already", f"choose another file, or {argument('force', True)} to write over it", str(path))
        )
    if path.is_file() or not path.exists():
        target = Path(os.path.realpath(path))
        with refused_writes(path):
            unfinished = _unfinished(target)
            unfinished.open("xb").close()
            unfinished.unlink()
        remove_unfinished(target.parent, re.escape(_cut(target)))


def check_append(path: str | os.PathLike[str]) -> None:
    """Refuse, before any work, a file that nothing could be appended to afterwards."""
    path = Path(path)
    with refused_writes(path):
        if path.exists():
            path.open("ab").close() if path.is_file() or path.is_dir() else None
        elif not path.parent.is_dir():
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))


def check_named(path: str | os.PathLike[str]) -> None:
    """Refuse an empty name, which would be that of the current folder, and a dash, which is no file to most people."""
    if not os.fspath(path):
        raise FileError("an output has no name", "name a file or a folder; . is the current folder")
    if os.fspath(path) == "-":
        raise FileError("an output is named -", "results go to stdout where no file is named; ./- is a file")


def check_apart(outputs: Mapping[str, str | os.PathLike[str]], inputs: Iterable[str | os.PathLike[str]]) -> None:
    """Refuse outputs that are inputs, through links too, and two outputs of one name. Pipes and devices may be both.

    outputs  by what they are called, such as --plot
    """
    problems = []
    read = [identity for path in inputs if (identity := _identity(path)) is not None]
    for path in outputs.values():
        check_named(path)
        if _identity(path) in read:
            problems.append(Problem("is an input, and would be written over", "choose another file", str(path)))
    for (first, path), (second, other) in combinations(outputs.items(), 2):
        if _is_special(path) or _is_special(other):
            continue
        same = os.path.realpath(path) == os.path.realpath(other) or _identity(path) == _identity(other) is not None
        if same:
            problems.append(Problem(f"{first} and {second} are the same file", "name two files", str(path)))
    if problems:
        raise FileError(problems)


def _identity(path: str | os.PathLike[str]) -> tuple[int, int] | None:
    """Disk and number of a regular file, by whatever name; None where there is none. A dash is standard input."""
    try:
        status = os.fstat(0) if os.fspath(path) == "-" else Path(path).stat()
    except (OSError, ValueError):
        return None
    return (status.st_dev, status.st_ino) if stat.S_ISREG(status.st_mode) else None


def _is_special(path: str | os.PathLike[str]) -> bool:
    """Whether this is a pipe, a device or a socket."""
    path = Path(path)
    return path.exists() and not path.is_file() and not path.is_dir()


@contextmanager
def refused_writes(path: Path, cure: str = ANOTHER_FILE) -> Iterator[None]:
    """What the system refuses to write to a path, as the FileError that says so."""
    try:
        yield
    except OSError as error:
        cause = f"cannot be written ({(error.strerror or str(error)).lower()})"
        raise FileError(Problem(cause, cure, str(path))) from error


def remove_unfinished(folder: Path, ours: str) -> None:
    """Remove what killed processes left of files that they were writing: what is older than an hour.

    Whether a process is running says nothing where others write to the same disk, from another machine or container.

    ours  a pattern of the names of these files: of no others is anything removed
    """
    for path in folder.glob(f"*{UNFINISHED}"):
        part = re.fullmatch(rf"(.+)\.[0-9a-f]{{{2 * _RANDOM}}}{re.escape(UNFINISHED)}", path.name, re.DOTALL)
        if part and re.fullmatch(ours, part[1]):
            with suppress(OSError):
                if time.time() - path.stat(follow_symlinks=False).st_mtime > ABANDONED:
                    path.unlink()


def _unfinished(path: Path) -> Path:
    """The temporary file beside a file. Nobody can know its name before: others could put a link there."""
    if path.exists() and not os.access(path, os.W_OK):  # a rename would not ask
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    return path.with_name(f"{_cut(path)}.{os.urandom(_RANDOM).hex()}{UNFINISHED}")


def _cut(path: Path) -> str:
    """Name of a file, cut before its ending if it is long."""
    ending = path.suffix[:_ENDING]
    return path.stem[: _LONGEST - len(ending)] + ending
