"""Several judgments of one collection: a folder of files, files by name, or a table with a column of judges."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from rankscope import kernels
from rankscope.arrays import Spans, decoded, size
from rankscope.errors import InputError, Problem, warn
from rankscope.io import tables
from rankscope.io.columns import QrelsColumns
from rankscope.io.datasets import PREFIX, read_dataset
from rankscope.io.files import read_text
from rankscope.io.formats import FORMATS, Reading, read
from rankscope.io.objects import qrels_from
from rankscope.io.paths import expand, is_path, system_name

WHOLE = Reading()  # formats and columns as the content shows them
COLUMNS = ("judge", "annotator", "assessor", "rater")
"""Names of the column of a table that holds the judge."""


def read_judges(source: Any, reading: Reading = WHOLE) -> dict[str, QrelsColumns]:
    """Judgments by the name of their judge.

    source  a folder, whose files are one judge each; files, or "NAME=FILE"; one file with the judge in its second
            column (TREC text) or in a column "judge" (CSV, TSV, Parquet); a frame with such a column;
            {judge: whatever `read_qrels` takes}; or a sequence of these
    """
    judges: dict[str, QrelsColumns] = {}
    problems: list[Problem] = []
    for name, columns in _each(source, reading, problems):
        if name in judges:
            cure = "rename a file, or give every judge a name of its own, as in NAME=FILE"
            cause = f"two judges are named {name!r}: {judges[name].place} and {columns.place}"
            problems.append(Problem(cause, cure))
        judges[name] = columns
    if problems:
        raise InputError(problems)
    if not judges:
        raise InputError("no judges", "name a folder or files of judgments")
    return judges


def _each(source: Any, reading: Reading, problems: list[Problem]) -> Iterable[tuple[str, QrelsColumns]]:
    """Judges one by one; what is wrong with some is kept, so that all of it is said at once."""
    in_folder = is_path(source) and Path(str(source)).is_dir()
    parts: list[tuple[str | None, Any]]
    if isinstance(source, Mapping):
        parts = [(str(name), judgments) for name, judgments in source.items()]
    elif is_path(source) or tables.is_frame(source):
        parts = _named(source)
    else:
        source = list(source)
        in_folder = any(is_path(each) and Path(str(each)).is_dir() for each in source)
        parts = [part for each in source for part in _named(each)]
    skipped = []
    for name, judgments in parts:
        try:
            read_here = by_judge(judgments, reading) if name is None else {name: _one(judgments, reading, name)}
        except InputError as error:
            if in_folder and is_path(judgments) and _holds_something_else(judgments, error):
                skipped.append(Path(judgments).name)
                continue
            cure = "a judge is a file of judgments: leave runs out of the folder of judges"
            problems += [replace(p, cure=cure) if "looks like a run" in p.cause else p for p in error.problems]
            continue
        yield from read_here.items()
    if skipped:
        warn(f"files in the folder of judges that hold no judgments, left out: {', '.join(skipped)}", stacklevel=4)


def _holds_something_else(path: Any, error: InputError) -> bool:
    """Whether a file that cannot be read as judgments is documentation or another table, and no damaged judge."""
    causes = " ".join(problem.cause for problem in error.problems)
    if "no columns for a judgments table" in causes:
        return True
    if "looks like a run" in causes:
        return False
    text = read_text(path)
    lines = [line.split() for line in text[: min(size(text), 1 << 16)].tobytes().split(b"\n") if line.strip()]
    like = sum(len(fields) == 4 and fields[3].replace(b".", b"").lstrip(b"-").isdigit() for fields in lines)
    return bool(lines) and 2 * like < len(lines)


def _named(source: Any) -> list[tuple[str | None, Any]]:
    """Names and sources; None where the content of the source names its judges."""
    if not is_path(source):
        return [(None, source)]
    text = str(source)
    if text.startswith(PREFIX) or Path(text).exists() or "=" not in text:
        if text.startswith(PREFIX):
            return [(text.removeprefix(PREFIX), text)]
        folder = Path(text)
        if folder.is_dir():
            inside = sorted(path for path in folder.iterdir() if path.is_file() and not path.name.startswith("."))
            return [(system_name(path), path) for path in inside]
        files = expand([source])
        return [(system_name(path), path) for path in files] if len(files) > 1 else [(None, files[0])]
    name, _, path = text.partition("=")
    return [(name, path)]


def _one(source: Any, reading: Reading, name: str) -> QrelsColumns:
    """One judge's judgments, from all that holds judgments."""
    if not is_path(source):
        return source if isinstance(source, QrelsColumns) else qrels_from(source, name, columns=reading.columns)
    if str(source).startswith(PREFIX):
        return read_dataset(str(source))[0]
    text, detected = read(source, "qrels", reading)
    columns: QrelsColumns = detected.columns(text, "qrels", str(source), names=reading.columns)
    return columns


def by_judge(source: Any, reading: Reading = WHOLE) -> dict[str, QrelsColumns]:
    """Judgments of one file or table by judge, where a column names several; else all under the name of the file."""
    if not is_path(source):
        if tables.is_frame(source):
            return _frame(source, "judgments", reading)
        return {"judgments": qrels_from(source, columns=reading.columns)}
    if str(source).startswith(PREFIX):
        return {str(source): read_dataset(str(source))[0]}
    text, detected = read(source, "qrels", reading)
    place, name = str(source), system_name(source)
    if detected is FORMATS["trec"]:
        columns: QrelsColumns = detected.columns(text, "qrels", place, names=reading.columns)
        spans = kernels.scan(text, 4)
        assert spans is not None  # the lines were read a moment ago
        return _split(columns, spans[:, 1], name)
    if detected.name in ("csv", "tsv", "parquet"):
        return _frame(tables.table_of(text, detected.name, place), place, reading, name)
    return {name: detected.columns(text, "qrels", place, names=reading.columns)}


def _split(columns: QrelsColumns, judge: Spans, name: str) -> dict[str, QrelsColumns]:
    """Rows by the judge that a column names; all under one name where the column is the same throughout."""
    number, heads = kernels.intern(columns.text, judge)
    if len(heads) == 1:
        return {name: columns}
    return {
        each: rows_of(columns, np.flatnonzero(number == n))
        for n, each in enumerate(decoded(columns.text, judge[heads]))
    }


def rows_of(columns: QrelsColumns, rows: Any) -> QrelsColumns:
    """Some rows of judgments."""
    line = None if columns.line is None else columns.line[rows]
    return replace(columns, topic=columns.topic[rows], doc=columns.doc[rows], grade=columns.grade[rows], line=line)


def _frame(frame: Any, place: str, reading: Reading, name: str = "judgments") -> dict[str, QrelsColumns]:
    """Rows of a frame by judge."""
    import polars as pl

    names = [str(column) for column in getattr(frame, "columns", ())]
    column = next((each for each in COLUMNS if each in names), None)
    if column is None:
        return {name: tables.qrels_from_frame(frame, place, columns=reading.columns)}
    table = frame.collect() if isinstance(frame, pl.LazyFrame) else frame
    if not isinstance(table, pl.DataFrame):  # pandas
        return {
            str(judge): tables.qrels_from_frame(part, place, columns=reading.columns)
            for judge, part in table.groupby(column, sort=False)
        }
    return {
        str(part[column][0]): tables.qrels_from_frame(part, place, columns=reading.columns)
        for part in table.partition_by(column, maintain_order=True)
    }
