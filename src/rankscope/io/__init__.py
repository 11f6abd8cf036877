"""Files, frames, dictionaries and the objects of other tools to plain columns, and back. Ids are bytes throughout."""

from __future__ import annotations

import os
from typing import Any

from rankscope.io.columns import QrelsColumns, RunColumns, appended, rows_of, with_own_text
from rankscope.io.conversion import Converted, convert
from rankscope.io.datasets import PREFIX, read_dataset
from rankscope.io.files import PathLike, Scratch, expand, pipes_kept, read_text, refuse_shared_pipes, system_name
from rankscope.io.formats import FORMATS, detect, read, reader_of, write
from rankscope.io.objects import qrels_from, run_from, source_kind
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
    "pipes_kept",
    "qrels_from",
    "qrels_problems",
    "read",
    "read_dataset",
    "read_qrels",
    "read_run",
    "read_scores",
    "read_text",
    "reader_of",
    "refuse_shared_pipes",
    "rows_of",
    "run_from",
    "run_problems",
    "source_kind",
    "system_name",
    "with_own_text",
    "write",
    "write_qrels",
    "write_run",
]


def read_run(path: PathLike, format: str | None = None) -> RunColumns:
    """A run file as columns, rows in file order; the format is detected from the content unless it is named."""
    text, name = read(path, "run", format)
    run: RunColumns = reader_of(name, "run")(text, str(path))
    return run


def read_qrels(path: PathLike, format: str | None = None) -> QrelsColumns:
    """A judgments file as columns, rows in file order; the format is detected from the content unless it is named."""
    text, name = read(path, "qrels", format)
    qrels: QrelsColumns = reader_of(name, "qrels")(text, str(path))
    return qrels


def write_run(path: PathLike, run: Any, format: str | None = None, *, tag: str = "rankscope") -> None:
    """Write a run (columns, a dictionary, a frame, ...); format and compression follow the file's ending."""
    write(path, run if isinstance(run, RunColumns) else run_from(run), format, tag=tag)


def write_qrels(path: PathLike, qrels: Any, format: str | None = None) -> None:
    """Write judgments (columns, a dictionary, a frame, ...); format and compression follow the file's ending."""
    write(path, qrels if isinstance(qrels, QrelsColumns) else qrels_from(qrels), format)


def is_path(source: object) -> bool:
    """Whether a source is the name of a file or data set, rather than data in memory."""
    return isinstance(source, str | os.PathLike)
