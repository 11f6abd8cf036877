"""Paths: the files that they mean, and the names of systems."""

from __future__ import annotations

import glob
import os
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from rankscope.errors import InputError, Problem
from rankscope.io.files import COMPRESSED, PathLike, unreadable
from rankscope.io.formats import FORMATS
from rankscope.io.remote import RemotePath, located

_SEED = re.compile(r"(.+)@[0-9]+", re.DOTALL)
_NO_RUN_NAMES = ("README", "LICENSE", "LICENCE", "CHANGELOG", "NOTES", "MAKEFILE")
_NO_RUN_ENDINGS = (".md", ".rst", ".pdf", ".html", ".htm", ".py", ".sh", ".ipynb", ".png", ".svg", ".log", ".zip",
                   ".tar", ".yaml", ".yml", ".toml")  # fmt: skip


def is_path(source: object) -> bool:
    """Whether a source is the name of a file or data set, rather than data in memory."""
    return isinstance(source, str | os.PathLike)


def expand(paths: Iterable[PathLike]) -> list[Path]:
    """Files meant by paths, folders (every file in them that is not hidden) and glob patterns, each sorted.

    A folder that is named as a Parquet file is one, in parts.
    """
    files: list[Path] = []
    problems: list[Problem] = []
    for path in paths:
        try:
            files += _meant(path)
        except InputError as error:
            problems += error.problems
        except OSError as error:
            problems.append(unreadable(located(path), error))
    if problems:
        raise InputError(problems)
    return files


def single(path: PathLike, cure: str) -> Path:
    """The one file that is meant by a path or pattern."""
    files = expand([path])
    if len(files) != 1:
        raise InputError(Problem(f"{len(files)} files", cure, str(path)))
    return files[0]


def _meant(pattern: PathLike) -> list[Path]:
    """Files of one path, folder or pattern."""
    if not os.fspath(pattern):  # a variable of the shell that is not set, and no reason to read this folder
        raise InputError(Problem("an empty path", "name a file", repr(os.fspath(pattern))))
    path = located(pattern)
    if isinstance(path, RemotePath) and path.is_pattern():
        return _some(path.matches(), pattern)
    if path.is_dir():
        inside = sorted(p for p in path.iterdir() if p.is_file() and not p.name.startswith("."))
        if not inside:
            raise InputError(Problem("folder without files", "name a file, or a folder that has some", str(path)))
        if any(file.name.endswith((".res.gz", ".res")) for file in inside):  # what PyTerrier saves beside runs
            inside = [file for file in inside if file.name not in ("aggregated.csv", "perquery.csv")]
        _refuse_others(inside)
        table = any(path.suffix.lower() in format.endings for format in FORMATS.values() if format.folders)
        return [path] if table else inside
    if path.exists():
        return [path]
    if any(c in str(pattern) for c in "*?["):
        return _some([Path(p) for p in glob.glob(os.fspath(pattern), recursive=True) if Path(p).is_file()], pattern)
    raise InputError(Problem("no such file", "check the path", str(path)))


def _refuse_others(inside: Sequence[Path]) -> None:
    """Refuse a folder in which some files are plainly no runs, such as a README."""
    others = [file for file in inside if file.stem.upper() in _NO_RUN_NAMES or file.suffix.lower() in _NO_RUN_ENDINGS]
    if not others or len(others) == len(inside):
        return
    endings = Counter("".join(file.suffixes[-2:]) for file in inside if file not in others)
    ending = endings.most_common(1)[0][0]
    pattern = inside[0].parent / (f"*{ending}" if ending else "[!R]*")
    more = f" and {len(others) - 1} more" if len(others) > 1 else ""
    raise InputError(
        Problem(f"is no run{more}", f"name the runs of this folder by a pattern: {pattern}", str(others[0]))
    )


def _some(matches: Sequence[Path], pattern: PathLike) -> list[Path]:
    """Files that match a pattern, sorted, at least one."""
    if not matches:
        raise InputError(Problem("no file matches this pattern", "check the pattern", str(pattern)))
    return sorted(matches)


def system_name(path: PathLike) -> str:
    """The file's name without the endings of its compression and of its format.

    >>> system_name("runs/KIS.S1.10.gz"), system_name("bm25.run.gz"), system_name("dense.parquet")
    ('KIS.S1.10', 'bm25', 'dense')
    """
    name = located(path).name
    formats = {ending for format in FORMATS.values() for ending in format.endings if ending}
    for endings in (COMPRESSED, formats):
        stem, ending = os.path.splitext(name)
        if ending.lower() in endings and stem:
            name = stem
    return name


def seeds(runs: Iterable[str], apart: Iterable[str] = ()) -> dict[str, str]:
    """{run: system} of runs that are seeds of one system by their names: two or more such as bge@1 and bge@2.

    apart  names that are asked for: a run that is named itself is no repeat

    >>> seeds(["bm25", "bge@1", "bge@2", "e5@7"])
    {'bge@1': 'bge', 'bge@2': 'bge'}
    """
    alone = {*apart}
    stems = {run: match[1] for run in runs if run not in alone and (match := _SEED.fullmatch(run))}
    counts = Counter(stems.values())
    return {run: stem for run, stem in stems.items() if counts[stem] > 1}
