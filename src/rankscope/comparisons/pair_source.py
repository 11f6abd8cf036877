"""Two systems by name, or as runs in hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rankscope.errors import InputError
from rankscope.io import is_path, system_name
from rankscope.judged import Judged, load


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """What two systems are compared on, and what they are called."""

    source: Any
    a: str
    b: str


def paired(source: Any, a: Any, b: Any, read: Callable[[Any, dict[str, Any]], Judged] = load) -> Pair:
    """Two names of systems in the source; or, where they are runs, the runs joined with the judgments that source is.

    Runs may be files, dictionaries, frames, ranx' Run or ir_measures' rows, as `load` takes them.

    read  joins judgments and runs by name
    """
    if isinstance(a, str) and isinstance(b, str) and not _files(source, a, b):
        return Pair(source, a, b)
    if isinstance(source, Judged):
        raise InputError("runs beside lists that were loaded", "name two of the systems, or give the judgments first")
    names = _named(a, "A"), _named(b, "B")
    if names[0] == names[1]:
        names = f"{names[0]} (A)", f"{names[1]} (B)"
    return Pair(read(source, dict(zip(names, (a, b), strict=True))), *names)


def _files(source: Any, a: str, b: str) -> bool:
    """Whether two names are those of files, beside judgments."""
    return not isinstance(source, Judged) and is_path(source) and Path(a).is_file() and Path(b).is_file()


def _named(run: Any, otherwise: str) -> str:
    if is_path(run):
        return system_name(Path(run))
    name = getattr(run, "name", None)  # ranx' runs have one
    return name if isinstance(name, str) and name else otherwise
