"""Sources of runs, and the names of systems."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

from rankscope.arguments import one_of
from rankscope.errors import InputError, Problem, argument
from rankscope.io.column_names import ColumnNames
from rankscope.io.formats import read
from rankscope.io.paths import expand, is_path, single, system_name
from rankscope.io.run_tables import runs_of_file, runs_of_frame
from rankscope.judged.model import Judged, Rules

Path_: TypeAlias = str | os.PathLike[str]
InMemory: TypeAlias = Any  # a dictionary, a frame, a ranx Run or Qrels, rows of ir_measures: see io.objects
Runs: TypeAlias = Any  # Path_, Sequence[Path_], InMemory, or {name: Path_ or InMemory}
Names: TypeAlias = Literal["file", "tag", "path"]
RULES = (
    *(field.name for field in fields(Rules) if field.name not in ("documented", "data_set")),
    "names", "run_format", "qrels_format", "columns",
)  # fmt: skip
"""What functions that read judgments and runs pass on to `load`."""


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """A system's name and where its run is."""

    name: str
    run: Path | InMemory

    @property
    def place(self) -> str:
        return str(self.run) if isinstance(self.run, Path) else self.name


def runs_beside_lists() -> InputError:
    """The error where there are runs, or rules of reading them, beside what was made of runs before."""
    cure = "give judgments and runs; or the lists or scores alone, and systems by their names"
    return InputError("runs or rules beside lists or scores", cure)


def check_rules(rules: Mapping[str, Any], *, read: bool) -> None:
    """Refuse what is no rule of `load`, and rules where no runs are read."""
    for word in rules:
        if word not in RULES:
            raise TypeError(f"there is no argument {word!r}; rules of `load` are {', '.join(RULES)}")
    if rules and not read:
        raise runs_beside_lists()


def check_runs(source: Any, runs: Runs, rules: Mapping[str, Any]) -> None:
    """Refuse runs or rules beside lists that were loaded, and anything else without runs."""
    check_rules(rules, read=not isinstance(source, Judged))
    if isinstance(source, Judged):
        if runs is not None:
            raise runs_beside_lists()
    elif runs is None:
        raise InputError("no runs", "give judgments and runs, by their paths or in memory, or lists that were loaded")


def find_sources(runs: Runs, names: Names, columns: ColumnNames | None = None) -> list[Source]:
    """All runs with their names, which are distinct. A table with a column of runs holds several."""
    one_of("names", names, get_args(Names))
    if isinstance(runs, Mapping):
        sources = _named(runs)
    elif is_path(runs) or (isinstance(runs, Sequence) and all(map(is_path, runs))):
        paths = expand([runs] if isinstance(runs, str | os.PathLike) else runs)
        tables = {path: runs_of_file(path, columns) for path in paths}
        sources = [
            source
            for path in paths
            for source in (
                [Source(_name(path, names), path)]
                if not tables[path]
                else [Source(name, frame) for name, frame in tables[path].items()]
            )
        ]
    elif several := runs_of_frame(runs, columns):
        sources = [Source(name, frame) for name, frame in several.items()]
    else:
        sources = [Source(str(getattr(runs, "name", None) or "run"), runs)]
    if not sources:
        raise InputError("no runs", "give at least one run")
    by_name: dict[str, list[str]] = {}
    for source in sources:
        by_name.setdefault(source.name, []).append(source.place)
    alike = [
        Problem(f"{len(places)} systems are named {name!r}: {', '.join(places)}",
                f"rename a file, name systems by their tag or path ({_by('tag', 'path')}), or give each file once")
        for name, places in by_name.items() if len(places) > 1
    ]  # fmt: skip
    if alike:
        raise InputError(alike)
    return sources


def _by(*names: Names) -> str:
    """How to name systems otherwise."""
    return ", ".join(argument("names", name) for name in names)


def _named(runs: Mapping[str, Any]) -> list[Source]:
    """{name: path or run}, or one bare run {topic: {document: score}} or {topic: [document, ...]}."""
    if not all(map(_is_run, runs.values())):
        return [Source("run", runs)]
    return [
        Source(name, single(run, "give one file for each name") if is_path(run) else run) for name, run in runs.items()
    ]


def _is_run(value: Any) -> bool:
    """Whether it is a whole run, not what a run holds for one topic."""
    if isinstance(value, Mapping):
        return any(isinstance(inner, Mapping | list | tuple) for inner in value.values())
    if isinstance(value, list | tuple):
        return bool(value) and hasattr(value[0], "query_id")
    return True


def _name(path: Path, names: Names) -> str:
    if names == "path":
        return os.fspath(path.with_name(system_name(path)))
    if names == "file":
        return system_name(path)
    text, format = read(path, "run")
    if format.tags is None:
        cause = f"{format.words} has no tags"
        raise InputError(Problem(cause, f"name systems by file or path ({_by('file', 'path')})", str(path)))
    tags = format.tags(text, str(path))
    if len(tags) > 1:
        cause = f"{len(tags):,} different tags ({', '.join(map(repr, tags[:3]))}{', ...' * (len(tags) > 3)})"
        raise InputError(Problem(cause, "a file holds one run; name systems by file", str(path)))
    return tags[0]
