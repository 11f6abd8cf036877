"""Files, frames, dictionaries and the objects of other tools to plain columns, and back. Ids are bytes throughout."""

from __future__ import annotations

import os
from typing import Any

from rankscope.io.columns import QrelsColumns, RunColumns, appended, kept, rows_of
from rankscope.io.conversion import Converted, convert
from rankscope.io.datasets import PREFIX, read_dataset
from rankscope.io.files import PathLike, Scratch, expand, pipes_kept, read_text, refuse_shared_pipes, system_name
from rankscope.io.formats import FORMATS, detect, known, read, write
from rankscope.io.objects import qrels_from, run_from, words
from rankscope.io.problems import qrels_problems, run_problems
from rankscope.io.score_tables import ScoreTable, read_scores

__all__ = [
    "FORMATS",
    "PREFIX",
    "Converted",
    "QrelsColumns",
    "RunColumns",
    "ScoreTable",
    "Scratch",
    "appended",
    "convert",
    "detect",
    "expand",
    "is_path",
    "kept",
    "known",
    "pipes_kept",
    "qrels_from",
    "qrels_problems",
    "read",
    "read_dataset",
    "read_qrels",
    "read_run",
    "read_scores",
    "read_text",
    "refuse_shared_pipes",
    "rows_of",
    "run_from",
    "run_problems",
    "system_name",
    "words",
    "write",
    "write_qrels",
    "write_run",
]


def read_run(path: PathLike, format: str | None = None) -> RunColumns:
    """A run file as columns, rows in file order. The format shows in the content unless it is given."""
    text, name = read(path, "run", format)
    run: RunColumns = known(name, "run")(text, str(path))
    return run


def read_qrels(path: PathLike, format: str | None = None) -> QrelsColumns:
    """A judgments file as columns, rows in file order. The format shows in the content unless it is given."""
    text, name = read(path, "qrels", format)
    qrels: QrelsColumns = known(name, "qrels")(text, str(path))
    return qrels


def write_run(path: PathLike, run: Any, format: str | None = None, *, tag: str = "rankscope") -> None:
    """Write a run (columns, a dictionary, a frame, ...); format and compression follow the file's ending."""
    write(path, run if isinstance(run, RunColumns) else run_from(run), format, tag=tag)


def write_qrels(path: PathLike, qrels: Any, format: str | None = None) -> None:
    """Write judgments (columns, a dictionary, a frame, ...); format and compression follow the file's ending."""
    write(path, qrels if isinstance(qrels, QrelsColumns) else qrels_from(qrels), format)


def is_path(given: object) -> bool:
    """Whether it names a file or data set, rather than being the thing itself."""
    return isinstance(given, str | os.PathLike)
