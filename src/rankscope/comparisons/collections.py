"""Several collections: from folders, tables, frames and dictionaries; systems matched by their names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from rankscope.arrays import Floats
from rankscope.comparisons.repeats import settled, systems_of
from rankscope.comparisons.scored import FEWEST, Scored, scored
from rankscope.errors import InputError, Problem, argument, did_you_mean, plural, quietly
from rankscope.io import is_path
from rankscope.io.collection_folders import (
    CollectionFiles,
    ScoreRows,
    find_collections,
    is_mteb_results,
    listed_collections,
    read_mteb,
    read_table,
    score_rows,
)
from rankscope.io.score_tables import ScoreTable, read_scores
from rankscope.io.tables import is_frame
from rankscope.judged import Judged, load
from rankscope.measures import Measure, Scores

SOURCES = (
    "name folders of collections, a table of them, a file or frame of scores with a column collection, or give a "
    "dictionary of collections"
)


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A collection, or a system, that is not used, and why."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True, eq=False)
class Collection:
    """A collection before it is read: its runs by the names that systems have here, and what reads some of them."""

    name: str
    runs: tuple[str, ...]
    read: Callable[[Sequence[str]], Any]
    place: str
    measure: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class MeansTable:
    """Means only: systems x collections, NaN where there is none."""

    systems: tuple[str, ...]
    collections: tuple[str, ...]
    value: Floats
    measure: str


@dataclass(frozen=True, slots=True, eq=False)
class RunScores:
    """Scores of the runs of some systems on one collection.

    scored  one column per run
    runs    runs of each system
    """

    name: str
    scored: Scored
    runs: Mapping[str, Sequence[str]]

    def of(self, system: str) -> Floats:
        """Scores of a system, topics x runs."""
        columns = [self.scored.systems.index(run) for run in self.runs[system]]
        return self.scored.value[:, columns]


def collections_of(
    source: Any, *, mapping: Any = None, measure: str | None = None, rules: Mapping[str, Any] | None = None
) -> tuple[list[Collection] | MeansTable, list[LeftOut]]:
    """Collections of a source, and those that cannot be used."""
    given = dict(rules or {})
    if isinstance(source, Mapping):
        return _named([_in_memory(str(name), each) for name, each in source.items()], mapping), []
    if is_frame(source):
        frame = source.collect() if hasattr(source, "collect") else source
        names = [str(name) for name in frame.columns]
        records = frame.to_dicts() if hasattr(frame, "to_dicts") else frame.to_dict("records")
        return _from_rows(score_rows(names, list(enumerate(records, 1)), "frame"), "frame", mapping, measure)
    paths = [source] if is_path(source) else list(source) if isinstance(source, Sequence) else []
    if not paths or not all(is_path(path) for path in paths):
        raise InputError(f"collections cannot be read from a {type(source).__name__}", SOURCES)
    return _from_paths([Path(path) for path in paths], mapping, measure, given)


def _from_paths(
    paths: list[Path], mapping: Any, measure: str | None, rules: dict[str, Any]
) -> tuple[list[Collection] | MeansTable, list[LeftOut]]:
    if len(paths) == 1 and paths[0].is_dir() and is_mteb_results(paths[0]):
        return _from_rows(read_mteb(paths[0]), str(paths[0]), mapping, measure)
    if len(paths) == 1 and paths[0].is_file():
        header, rows = read_table(paths[0])
        if not {"collection", "qrels", "runs"} <= set(header):
            return _from_rows(score_rows(header, list(rows), str(paths[0])), str(paths[0]), mapping, measure)
        files = listed_collections(paths[0], rows)
    else:
        files = find_collections(paths)
    seen: dict[str, CollectionFiles] = {}
    problems = []
    for each in files:
        other = seen.setdefault(str(each.qrels.resolve()) if each.qrels else each.place, each)
        if other is not each:
            problems.append(Problem(f"{each.name} is the same collection as {other.name}", "name it once", each.place))
    if problems:
        raise InputError(problems)
    left_out = [LeftOut(each.name, each.lacks) for each in files if each.lacks]
    return _named([_of_files(each, rules) for each in files if not each.lacks], mapping), left_out


def _of_files(files: CollectionFiles, rules: Mapping[str, Any]) -> Collection:
    def read(runs: Sequence[str]) -> Judged:
        return load(files.qrels, {name: path for name, path in files.runs.items() if name in runs}, **rules)

    return Collection(files.name, tuple(files.runs), read, files.place, files.measure)


def _in_memory(name: str, source: Any) -> Collection:
    """A collection that is lists, scores, a pair of judgments and runs, or whatever `read_scores` reads."""
    measure = None
    if isinstance(source, tuple) and len(source) == 2:
        source = load(*source)
    if not isinstance(source, Judged | Scores | ScoreTable):
        source = read_scores(source)
    if isinstance(source, ScoreTable):
        measure = source.measure
    elif isinstance(source, Scores):
        measure = source.labels[0] if len(source.labels) == 1 else None
    return Collection(name, source.systems, lambda runs: source, name, measure)


def _from_rows(
    rows: ScoreRows | None, place: str, mapping: Any, measure: str | None
) -> tuple[list[Collection] | MeansTable, list[LeftOut]]:
    if rows is None:
        cure = "give columns collection, system, topic, value, or without topic for means; or collection, qrels, runs"
        raise InputError(Problem("no collections can be read from its columns", cure, place))
    if not rows.means:
        collections = []
        for name, by_system in rows.scores.items():
            table = read_scores(by_system, measure=rows.measures.get(name, measure))
            collections.append(_in_memory(name, replace(table, place=f"{place}, {name}")))
        return _named(collections, mapping), []
    kinds = set(rows.measures.values())
    if len(kinds) > 1:
        raise InputError(Problem(f"means of {', '.join(sorted(kinds))}", "give means of one measure", place))
    renamed = {
        name: {_name(name, system, _renames(mapping)): value[""] for system, value in by_system.items()}
        for name, by_system in rows.scores.items()
    }
    systems = tuple(dict.fromkeys(system for by_system in renamed.values() for system in by_system))
    value = np.array([[by_system.get(system, np.nan) for by_system in renamed.values()] for system in systems])
    return MeansTable(systems, tuple(renamed), value, next(iter(kinds), measure or "score")), []


def _named(collections: list[Collection], mapping: Any) -> list[Collection]:
    """Collections with runs under the names that the mapping gives them; two of one name are refused."""
    names = [each.name for each in collections]
    if doubled := sorted({name for name in names if names.count(name) > 1}):
        raise InputError(
            [Problem(f"two collections are named {name!r}", "give each a name of its own") for name in doubled]
        )
    if mapping is None:
        return collections
    renames = _renames(mapping)
    used: set[tuple[str, str]] = set()
    result = []
    for each in collections:
        new = {run: _name(each.name, run, renames) for run in each.runs}
        used |= {key for run in each.runs for key in ((each.name, run), ("", run)) if key in renames}
        if len(set(new.values())) < len(new):
            twice = sorted({name for name in new.values() if list(new.values()).count(name) > 1})
            cause = f"{argument('mapping')} names two runs {', '.join(twice)}"
            raise InputError(Problem(cause, "give each run a name of its own", each.place))
        old = {name: run for run, name in new.items()}

        def read(runs: Sequence[str], each: Collection = each, old: Mapping[str, str] = old) -> Any:
            back = {old[name]: name for name in runs}
            return _renamed(each.read(list(back)), back)

        result.append(replace(each, runs=tuple(new.values()), read=read))
    if unknown := [key for key in renames if key not in used]:
        raise InputError([
            Problem(f"{argument('mapping')}: {f'{place} has ' if place else 'there is '}no run {run!r}",
                    did_you_mean(run, {name for each in collections for name in each.runs if place in ("", each.name)}))
            for place, run in unknown
        ])  # fmt: skip
    return result


def _renamed(source: Any, names: Mapping[str, str]) -> Any:
    return replace(source, systems=tuple(names.get(name, name) for name in source.systems))


def _renames(mapping: Any) -> dict[tuple[str, str], str]:
    """New names by collection and run; the collection is "" where it is any."""
    if mapping is None:
        return {}
    if isinstance(mapping, Mapping):
        return {(str(c), str(run)): str(name) for c, names in mapping.items() for run, name in names.items()}
    header, rows = read_table(Path(mapping))
    if not {"run", "system"} <= set(header):
        cure = "name the columns run, system, and perhaps collection"
        raise InputError(Problem(f"columns {', '.join(header)}", cure, str(mapping), 1))
    return {(row.get("collection", ""), row["run"]): row["system"] for _, row in rows}


def _name(collection: str, run: str, renames: Mapping[tuple[str, str], str]) -> str:
    return renames.get((collection, run), renames.get(("", run), run))


def run_scores(
    collections: Sequence[Collection],
    systems: Sequence[str] | None,
    measure: str | Measure | None,
    *,
    repeats: Any = None,
    standardised: bool = False,
    progress: Callable[[float], Any] | None = None,
) -> tuple[list[RunScores], list[LeftOut]]:
    """Scores of systems on each collection that has all of them, or of all systems; others are left out, with why."""
    result: list[RunScores] = []
    left_out: list[LeftOut] = []
    known = {system for each in collections for system in systems_of(each.runs, repeats)}
    if missing := [name for name in systems or () if name not in known]:
        raise InputError(
            [Problem(f"no collection has a system {name!r}", did_you_mean(name, known)) for name in missing]
        )
    for at, each in enumerate(collections, 1):
        by_system = systems_of(each.runs, repeats)
        lacking = [name for name in systems or () if name not in by_system]
        if lacking:
            left_out.append(LeftOut(each.name, f"no run of {' or of '.join(lacking)}"))
            continue
        wanted = {name: by_system[name] for name in systems or by_system}
        runs = [run for names in wanted.values() for run in names]
        with quietly():
            table = scored(each.read(runs), _measure(each, measure), runs)
        if len(table.topics) < FEWEST:
            reason = f"{plural(len(table.topics), 'topic')} with scores of all systems, and {FEWEST} are the least"
            left_out.append(LeftOut(each.name, reason))
        else:
            result.append(RunScores(each.name, table, wanted))
        if progress is not None:
            progress(at / len(collections))
    _check(result, left_out, systems, standardised)
    return result, left_out


def repeats_of(collections: Sequence[Collection] | MeansTable, repeats: Any, systems: Sequence[str] | None) -> Any:
    """`repeats` as it was given, else by the names of the runs of all collections, as `settled` says."""
    runs = [collections.systems] if isinstance(collections, MeansTable) else [each.runs for each in collections]
    return settled(dict.fromkeys(run for names in runs for run in names), repeats, systems)


def _measure(collection: Collection, measure: str | Measure | None) -> str | Measure | None:
    """The measure that was asked for, or that of a table of collections; scores have one measure themselves."""
    return collection.measure if measure is None else measure


def _check(
    scores: Sequence[RunScores], left_out: Sequence[LeftOut], systems: Sequence[str] | None, standardised: bool
) -> None:
    """Refuse what no mean over collections can be taken of."""
    reasons = "".join(f"; {each.name}: {each.reason}" for each in left_out)
    if len(scores) < 2:
        of = f" with {' and '.join(systems)}" if systems else ""
        cure = "give at least two collections; rankscope compare compares two systems on one"
        raise InputError(f"{plural(len(scores), 'collection')}{of}{reasons}", cure)
    kinds = {each.scored.measure for each in scores}
    if len(kinds) > 1 and not standardised:
        cure = f"name one measure for all, or use {argument('standardised', True)} for effects in standard deviations"
        raise InputError(f"collections have different measures: {', '.join(sorted(kinds))}", cure)
    for i, one in enumerate(scores):
        for other in scores[:i]:
            same = one.scored.topics == other.scored.topics and one.scored.systems == other.scored.systems
            if same and np.array_equal(one.scored.value, other.scored.value):
                cause = f"{other.name} and {one.name} hold the same scores on the same topics"
                raise InputError(cause, "name each collection once")
