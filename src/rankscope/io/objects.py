"""Runs and judgments in memory: dictionaries, frames, and the objects of other tools."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rankscope.errors import InputError, Problem
from rankscope.io import columns as plain_columns
from rankscope.io import tables
from rankscope.io.column_names import ColumnNames
from rankscope.io.columns import QrelsColumns, RunColumns


def run_from(source: Any, place: str = "run", columns: ColumnNames | None = None) -> RunColumns:
    """A run from a dictionary, a frame, a ranx Run, or rows such as ir_measures' ScoredDoc."""
    source = _plain(source)
    if isinstance(source, Mapping):
        return plain_columns.run_from_dict(source, place)
    if tables.is_frame(source):
        return tables.run_from_frame(source, place, columns=columns)
    return plain_columns.run_from_rows(_rows(source, "score", place), place)


def qrels_from(source: Any, place: str = "qrels", columns: ColumnNames | None = None) -> QrelsColumns:
    """Judgments from a dictionary, a frame, a ranx Qrels, or rows such as ir_measures' Qrel."""
    source = _plain(source)
    if isinstance(source, Mapping):
        return plain_columns.qrels_from_dict(source, place)
    if tables.is_frame(source):
        return tables.qrels_from_frame(source, place, columns=columns)
    return plain_columns.qrels_from_rows(_rows(source, "relevance", place), place)


def source_kind(source: Any) -> str:
    """Name of a source's type, for reports."""
    if _is_ranx(source):
        return f"ranx {type(source).__name__}"
    if tables.is_frame(source):
        return f"{type(source).__module__.split('.')[0]} frame"
    return "dictionary" if isinstance(source, Mapping) else "rows"


def _is_ranx(source: Any) -> bool:
    return type(source).__module__.split(".")[0] == "ranx" and hasattr(source, "to_dict")


def _plain(source: Any) -> Any:
    return source.to_dict() if _is_ranx(source) else source


def _rows(source: Any, what: str, place: str) -> list[Any]:
    rows = list(source) if isinstance(source, Iterable) and not isinstance(source, str | bytes) else None
    if rows is None or any(not all(hasattr(row, a) for a in ("query_id", "doc_id", what)) for row in rows[:1]):
        kind = type(source).__name__ if not rows else f"{type(source).__name__} of {type(rows[0]).__name__}"
        cause = f"a {kind} cannot be read"
        cure = f"give a file, a dictionary, a frame, or rows with query_id, doc_id and {what}"
        raise InputError(Problem(cause, cure, place))
    return rows
