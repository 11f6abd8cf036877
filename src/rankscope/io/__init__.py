"""Files, frames, dictionaries and the objects of other tools to plain columns, and back. Ids are bytes throughout."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankscope.io.columns import QrelsColumns as QrelsColumns, RunColumns as RunColumns
from rankscope.io.datasets import PREFIX, read_dataset
from rankscope.io.files import PathLike
from rankscope.io.column_names import ColumnNames, checked_columns_argument
from rankscope.io.formats import FORMATS as FORMATS, Format as Format, Reading, read, write
from rankscope.io.objects import qrels_from, run_from
from rankscope.io.paths import expand as expand, is_path as is_path, system_name as system_name
from rankscope.lazy import lazily

if TYPE_CHECKING:
    from rankscope.io.conversion import Converted as Converted, convert as convert
    from rankscope.io.score_tables import ScoreTable as ScoreTable, read_scores as read_scores
else:
    __getattr__, __dir__, __all__ = lazily(
        __name__,
        {"conversion": "Converted convert", "score_tables": "ScoreTable read_scores"},
        "FORMATS Format QrelsColumns RunColumns expand is_path read_qrels read_run system_name write_qrels write_run",
    )


def read_run(source: Any, format: str | None = None, columns: ColumnNames | None = None) -> RunColumns:
    """A run as columns, rows in the order of the source: a file, or a dictionary, a frame, ... as `load` takes them.

    The format of a file is detected from its content unless it is named, and so are its columns.

    >>> rows = [{"search": "red shoes", "sku": "A7", "points": 2.5}]
    >>> import polars as pl
    >>> len(read_run(pl.DataFrame(rows), columns={"topic": "search", "document": "sku", "score": "points"}).doc)
    1
    """
    columns = checked_columns_argument(columns)
    if not is_path(source):
        return source if isinstance(source, RunColumns) else run_from(source, columns=columns)
    text, detected = read(source, "run", Reading(format, columns))
    run: RunColumns = detected.columns(text, "run", str(source), names=columns)
    return run


def read_qrels(source: Any, format: str | None = None, columns: ColumnNames | None = None) -> QrelsColumns:
    """Judgments as columns, rows in the order of the source, which is what `load` takes: see `read_run`."""
    columns = checked_columns_argument(columns)
    if not is_path(source):
        return source if isinstance(source, QrelsColumns) else qrels_from(source, columns=columns)
    if str(source).startswith(PREFIX):
        return read_dataset(str(source))[0]
    text, detected = read(source, "qrels", Reading(format, columns))
    qrels: QrelsColumns = detected.columns(text, "qrels", str(source), names=columns)
    return qrels


def write_run(path: PathLike, run: Any, format: str | None = None, *, tag: str = "rankscope") -> None:
    """Write a run (columns, a dictionary, a frame, ...); format and compression follow the file's ending."""
    write(path, read_run(run), format, tag=tag)


def write_qrels(path: PathLike, qrels: Any, format: str | None = None) -> None:
    """Write judgments (columns, a dictionary, a frame, ...); format and compression follow the file's ending."""
    write(path, read_qrels(qrels), format, tag="")
