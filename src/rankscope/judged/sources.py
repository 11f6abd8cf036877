"""Sources of runs, and the names of systems."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

from rankscope import io, kernels
from rankscope.arrays import decoded
from rankscope.errors import InputError, Problem

Path_: TypeAlias = str | os.PathLike[str]
InMemory: TypeAlias = Any  # a dictionary, a frame, a ranx Run or Qrels, rows of ir_measures: see io.objects
Runs: TypeAlias = Any  # Path_, Sequence[Path_], InMemory, or {name: Path_ or InMemory}
Names: TypeAlias = Literal["file", "tag", "path"]


@dataclass(frozen=True, slots=True)
class Source:
    """A system's name and where its run is."""

    name: str
    run: Path | InMemory

    @property
    def place(self) -> str:
        return str(self.run) if isinstance(self.run, Path) else self.name


def find_sources(runs: Runs, names: Names) -> list[Source]:
    """All runs with their names, which are distinct."""
    if names not in get_args(Names):
        raise InputError(f"names={names!r} is unknown", f"names is one of {', '.join(get_args(Names))}")
    if isinstance(runs, Mapping):
        sources = _named(runs)
    elif io.is_path(runs) or (isinstance(runs, Sequence) and all(map(io.is_path, runs))):
        paths = io.expand([runs] if isinstance(runs, str | os.PathLike) else runs)
        sources = [Source(_name(path, names), path) for path in paths]
    else:
        sources = [Source(str(getattr(runs, "name", None) or "run"), runs)]
    if not sources:
        raise InputError("no runs", "give at least one run")
    by_name: dict[str, list[str]] = {}
    for source in sources:
        by_name.setdefault(source.name, []).append(source.place)
    alike = [
        Problem(f"{len(places)} systems are named {name!r}: {', '.join(places)}",
                "rename a file, name systems by their tag or path (names=tag, names=path), or give each file once")
        for name, places in by_name.items() if len(places) > 1
    ]  # fmt: skip
    if alike:
        raise InputError(alike)
    return sources


def _named(runs: Mapping[str, Any]) -> list[Source]:
    """{name: path or run}, or one bare run {topic: {document: score}} or {topic: [document, ...]}."""
    if not all(map(_is_run, runs.values())):
        return [Source("run", runs)]
    return [Source(name, _one(run) if io.is_path(run) else run) for name, run in runs.items()]


def _one(path: Path_) -> Path:
    files = io.expand([path])
    if len(files) != 1:
        raise InputError(Problem(f"{len(files)} files under one name", "name each file", str(path)))
    return files[0]


def _is_run(value: Any) -> bool:
    """Whether it is a whole run, not what a run holds for one topic."""
    if isinstance(value, Mapping):
        return any(isinstance(inner, Mapping | list | tuple) for inner in value.values())
    if isinstance(value, list | tuple):
        return bool(value) and hasattr(value[0], "query_id")
    return True


def _name(path: Path, names: Names) -> str:
    if names == "path":
        return os.fspath(path.with_name(io.system_name(path)))
    if names == "file":
        return io.system_name(path)
    text, format = io.read(path, "run")
    if format != "trec":
        cause = f"{io.FORMATS[format].words} has no tags"
        raise InputError(Problem(cause, "name systems by file or path (names=file, names=path)", str(path)))
    spans = kernels.scan(text, 6)
    if spans is None or not len(spans):
        raise InputError(io.run_problems(text, str(path)))
    _, heads = kernels.intern(text, spans[:, 5])
    tags = decoded(text, spans[heads, 5])
    if len(tags) > 1:
        cause = f"{len(tags):,} different tags ({', '.join(map(repr, tags[:3]))}{', ...' * (len(tags) > 3)})"
        raise InputError(Problem(cause, "a file holds one run; name systems by file", str(path)))
    return tags[0]
