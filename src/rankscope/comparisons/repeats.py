"""Systems that are several runs: which runs belong to which system, and how much runs vary."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rankscope.errors import InputError, Problem, argument, did_you_mean, plural, warn
from rankscope.io.collection_folders import read_table
from rankscope.io.paths import seeds
from rankscope.layout import Block, Table
from rankscope.statistics.replications.repeated_runs import VarianceComponents

APART = "none"  # each run is a system


def settled(runs: Iterable[str], repeats: Any, systems: Iterable[str] | None = None, apart: Iterable[str] = ()) -> Any:
    """`repeats` as it was given; where it was not, {run: system} by the names of the runs, and a warning says so.

    systems  those that are compared, None for all; where none of them is several runs, nothing is warned of
    apart    further names that are asked for, such as that of a baseline
    """
    if repeats is not None:
        return repeats
    wanted = None if systems is None else {*systems}
    by_run = seeds(runs, (*(wanted or ()), *apart))
    if by_run and (wanted is None or not wanted.isdisjoint(by_run.values())):
        first, second, *_ = by_run
        system, n_systems = by_run[first], len({*by_run.values()})
        systems = f"one system, {system}" if n_systems == 1 else f"{n_systems} systems, such as {system}"
        cure = f"{argument('repeats', APART)} makes each run a system"
        warn(f"{len(by_run)} runs such as {first} and {second} are repeats of {systems}, by their names; {cure}",
             stacklevel=4)  # fmt: skip
    return by_run


def systems_of(runs: Sequence[str], repeats: Any) -> dict[str, list[str]]:
    """Runs of each system, in the order of the runs.

    repeats  None, by names such as bge@1 and bge@2; "none": each run is a system; a separator such as "@", before whose
             last occurrence the name of the system stands; a regular expression with one group, which is that name,
             as in "(.*)-seed[0-9]+"; {run: system}; or a CSV file with the columns run and system

    >>> systems_of(["bm25", "bge@1", "bge@2"], "@")
    {'bm25': ['bm25'], 'bge': ['bge@1', 'bge@2']}
    """
    name_of = _names(repeats, runs)
    systems: dict[str, list[str]] = {}
    for run in runs:
        systems.setdefault(name_of(run), []).append(run)
    return systems


def _names(repeats: Any, runs: Sequence[str]) -> Any:
    if repeats == APART:
        return lambda run: run
    if repeats is None:
        repeats = seeds(runs)
    if isinstance(repeats, Mapping):
        return lambda run: repeats.get(run, run)
    if isinstance(repeats, Path) or (isinstance(repeats, str) and repeats.lower().endswith((".csv", ".tsv"))):
        table = _table(Path(repeats), runs)
        return lambda run: table.get(run, run)
    if not isinstance(repeats, str) or not repeats:
        raise InputError(argument("repeats", repeats), _cure())
    if "(" not in repeats:
        return lambda run: run.rpartition(repeats)[0] or run
    try:
        pattern = re.compile(repeats)
    except re.error as error:
        raise InputError(f"{argument('repeats', repeats)} is no regular expression ({error})", _cure()) from error
    if pattern.groups != 1:
        raise InputError(f"{argument('repeats', repeats)} has {pattern.groups} groups, not one", _cure())

    def named(run: str) -> str:
        match = pattern.fullmatch(run)
        return run if match is None else match[1] or run

    return named


def _cure() -> str:
    return (
        f"{argument('repeats')} is none, a separator such as @, an expression with one group such as "
        "(.*)-seed[0-9]+, or a table with the columns run and system"
    )


def _table(path: Path, runs: Sequence[str]) -> dict[str, str]:
    header, rows = read_table(path)
    if not {"run", "system"} <= set(header):
        raise InputError(Problem(f"columns {', '.join(header)}", "name the columns run and system", str(path), 1))
    unknown = [(line, row["run"]) for line, row in rows if row["run"] not in runs]
    if unknown and len(unknown) == len(rows):
        raise InputError(
            [Problem(f"no run is named {name!r}", did_you_mean(name, runs), str(path), line) for line, name in unknown]
        )
    return {row["run"]: row["system"] for _, row in rows}


def components_block(components: VarianceComponents) -> Block:
    """Where the variance of scores comes from."""
    columns = components.columns()
    rows = [
        [source, f"{deviation:.4f}", f"{100 * share:.1f} %"]
        for source, deviation, share in zip(columns["source"], columns["deviation"], columns["share"], strict=True)
    ]
    runs = ", ".join(
        f"{name}: {plural(n, 'run')}" for name, n in zip(components.systems[:4], components.runs, strict=False)
    )
    return Block(
        "How much do runs vary?",
        [Table(["source", "standard deviation", "share of variance"], rows), f"{runs}."],
        ["Standard deviation of a single score by its sources, over all topics. A run is one repeat of a system, such "
         "as one seed.",
         "A verdict takes runs and topics for samples. Where runs vary as much as systems, more runs are needed."],
    )  # fmt: skip
