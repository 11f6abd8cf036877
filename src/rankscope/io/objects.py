"""Whatever a Python program holds in hand: dictionaries, frames, and the objects of other tools, as they are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rankscope.errors import InputError, Problem
from rankscope.io import columns, tables
from rankscope.io.columns import QrelsColumns, RunColumns


def run_from(given: Any, place: str = "run") -> RunColumns:
    """A run from a dictionary, a frame, a ranx Run, or rows such as ir_measures' ScoredDoc."""
    given = _plain(given)
    if isinstance(given, Mapping):
        return columns.run_from_dict(given, place)
    if tables.is_frame(given):
        return tables.run_from_frame(given, place)
    return columns.run_from_rows(_rows(given, "score", place), place)


def qrels_from(given: Any, place: str = "qrels") -> QrelsColumns:
    """Judgments from a dictionary, a frame, a ranx Qrels, or rows such as ir_measures' Qrel."""
    given = _plain(given)
    if isinstance(given, Mapping):
        return columns.qrels_from_dict(given, place)
    if tables.is_frame(given):
        return tables.qrels_from_frame(given, place)
    return columns.qrels_from_rows(_rows(given, "relevance", place), place)


def words(given: Any) -> str:
    """What it is, for people."""
    if _is_ranx(given):
        return f"ranx {type(given).__name__}"
    if tables.is_frame(given):
        return f"{type(given).__module__.split('.')[0]} frame"
    return "dictionary" if isinstance(given, Mapping) else "rows"


def _is_ranx(given: Any) -> bool:
    return type(given).__module__.split(".")[0] == "ranx" and hasattr(given, "to_dict")


def _plain(given: Any) -> Any:
    return given.to_dict() if _is_ranx(given) else given


def _rows(given: Any, what: str, place: str) -> list[Any]:
    rows = list(given) if isinstance(given, Iterable) and not isinstance(given, str | bytes) else None
    if rows is None or any(not all(hasattr(row, a) for a in ("query_id", "doc_id", what)) for row in rows[:1]):
        kind = type(given).__name__ if not rows else f"{type(given).__name__} of {type(rows[0]).__name__}"
        cause = f"a {kind} cannot be read"
        cure = f"give a file, a dictionary, a frame, or rows with query_id, doc_id and {what}"
        raise InputError(Problem(cause, cure, place))
    return rows
