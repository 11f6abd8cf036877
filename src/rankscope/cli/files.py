"""Files that a command reads and files that it writes: never the same ones."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from glob import iglob
from pathlib import Path

INPUTS = (
    "qrels", "runs", "what", "baseline", "candidate", "source", "scores", "slices", "lists", "properties", "plugin",
    "study", "judges", "groups", "topics_table", "trec_run", "repeats", "mapping", "judge", "collections", "holes",
)  # fmt: skip
OUTPUTS = {"output": "-o", "target": "OUT", "plot": "--plot", "summary": "--summary", "checkpoint": "--checkpoint"}
"""Arguments of commands that name files; a test holds that every argument of a command is known to be one, or none."""


def check_files(args: argparse.Namespace) -> None:
    """Refuse, before any work, outputs without a name, outputs that are inputs, and two outputs of one name."""
    from rankscope.outputs import check_apart, check_append

    outputs = {shown: path for name, shown in OUTPUTS.items() if (path := getattr(args, name, None)) is not None}
    exists = any(path and Path(path).is_file() for path in outputs.values())
    check_apart(outputs, _inputs(args) if exists else ())
    if getattr(args, "summary", None) is not None:
        check_append(args.summary)


def _inputs(args: argparse.Namespace) -> Iterator[str | Path]:
    """All files that may be read: those of folders and patterns, too."""
    for name in INPUTS:
        values = getattr(args, name, None) or []
        values = [] if values is True else values  # --holes without a file
        for value in [values] if isinstance(values, str) else values:
            if name == "judges" and not Path(value).exists():  # NAME=FILE
                yield value.partition("=")[2]
            if name in ("baseline", "candidate") and not Path(value).exists():  # runs/bge of runs/bge@1.gz
                yield from Path(value).parent.glob("*")
            several = name == "collections" or (args.command == "across" and name == "what")
            yield from _collections(Path(value)) if several else _meant(value)


def _meant(value: str) -> Iterator[str | Path]:
    """Files of a path, a folder or a pattern."""
    path = Path(value)
    if path.is_dir():
        yield from path.rglob("*") if path.suffix.lower() == ".parquet" else path.iterdir()
    elif value == "-" or path.exists():
        yield value
    else:
        yield from iglob(value, recursive=True)


def _collections(path: Path) -> Iterator[str | Path]:
    """Files that are read of folders of collections, of MTEB's results, or of a table, and the table itself.

    What is wrong with them the command says.
    """
    from rankscope.errors import InputError
    from rankscope.io.collection_folders import find_collections, listed_collections, mteb_files, read_table

    if path.is_dir() and (results := [file for _, _, file in mteb_files(path)]):
        yield from results
        return
    try:
        if path.is_dir():
            files = find_collections([path])
        elif path.is_file():
            yield path
            header, rows = read_table(path)
            files = listed_collections(path, rows) if {"collection", "qrels", "runs"} <= {*header} else []
        else:
            return
    except InputError:
        return
    for each in files:
        yield from each.runs.values()
        if each.qrels is not None:
            yield each.qrels
