"""Two systems by name, or as runs in hand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rankscope.errors import InputError
from rankscope.io import is_path, system_name
from rankscope.judged import Judged, load


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """What two systems are compared on, what they are called, and their lists with ties at best and at worst."""

    source: Any
    a: str
    b: str
    ties: Mapping[str, Judged] | None


def paired(source: Any, a: Any, b: Any, ties: Mapping[str, Judged] | None = None, *, depth: int | None = None) -> Pair:
    """Two names of systems in the source; or, where they are runs, the runs joined with the judgments that source is.

    Runs may be files, dictionaries, frames, ranx' Run or ir_measures' rows, as `load` takes them.

    depth  how deep lists that are read here are looked at
    """
    if isinstance(a, str) and isinstance(b, str) and not _files(source, a, b):
        return Pair(source, a, b, ties)
    if isinstance(source, Judged):
        raise InputError("runs beside lists that were loaded", "name two of the systems, or give the judgments first")
    source, a, b = (list(given) if isinstance(given, Iterator) else given for given in (source, a, b))  # read thrice
    names = _named(a, "A"), _named(b, "B")
    if names[0] == names[1]:
        names = f"{names[0]} (A)", f"{names[1]} (B)"
    runs = dict(zip(names, (a, b), strict=True))
    tried = {how: load(source, runs, ties=how, depth=depth) for how in ("best", "worst")} if ties is None else ties
    return Pair(load(source, runs, keep_docs=True, depth=depth), *names, tried)


def _files(source: Any, a: str, b: str) -> bool:
    """Whether two names are those of files, beside judgments."""
    return not isinstance(source, Judged) and is_path(source) and Path(a).is_file() and Path(b).is_file()


def _named(run: Any, otherwise: str) -> str:
    if is_path(run):
        return system_name(Path(run))
    name = getattr(run, "name", None)  # ranx' runs have one
    return name if isinstance(name, str) and name else otherwise
