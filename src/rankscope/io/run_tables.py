"""Tables that hold several runs, named in a column."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rankscope.arrays import padded
from rankscope.errors import InputError, Problem
from rankscope.io.column_names import ColumnNames, run_column
from rankscope.io.files import COMPRESSED, PathLike, Unpacked, packed_as, read_text
from rankscope.io.tables import LONGEST_HEADER, frame_names, header_names, is_frame, table_of

_SEPARATORS = {".csv": ",", ".tsv": "\t"}


def runs_of_frame(frame: Any, columns: ColumnNames | None, place: str = "run") -> dict[str, Any]:
    """Frames of the runs that a frame names in a column, in order of appearance; none where it holds one run."""
    if not is_frame(frame):
        return {}
    column = run_column(frame_names(frame), columns)
    if column is None:
        return {}
    import polars as pl

    if isinstance(frame, pl.LazyFrame):
        frame = frame.collect()
    values = frame[column].unique(maintain_order=True).to_list() if isinstance(frame, pl.DataFrame) else (
        frame[column].unique().tolist()
    )  # fmt: skip
    if any(value is None or value != value for value in values):
        raise InputError(Problem(f"column {column!r} is null on some row", "name the run of every row", place))
    if len(values) < 2:
        return {}
    if isinstance(frame, pl.DataFrame):
        return {str(value): frame.filter(pl.col(column) == value) for value in values}
    return {str(value): frame[frame[column] == value] for value in values}


def runs_of_file(path: Path, columns: ColumnNames | None) -> dict[str, Any]:
    """As `runs_of_frame`, for a file of CSV, TSV or Parquet by its ending; names of columns are read first."""
    endings = [ending.lower() for ending in path.suffixes]
    ending = next((ending for ending in reversed(endings) if ending not in COMPRESSED), "")
    if not isinstance(path, Path) or not path.is_file() or ending not in (*_SEPARATORS, ".parquet", ".pq"):
        return {}
    format = "parquet" if ending not in _SEPARATORS else ending[1:]
    try:
        if format == "parquet":
            from rankscope.io.parquet_metadata import mapped, read_metadata

            with mapped(path) as data:
                names = read_metadata(data, str(path)).names
        else:
            names = header_names(padded(_head(path)), _SEPARATORS[ending])
    except (InputError, OSError, ValueError, EOFError):  # whoever reads all of it will say so
        return {}
    if run_column(names, columns) is None:
        return {}
    return runs_of_frame(table_of(read_text(path), format, str(path)), columns, str(path))


def _head(path: PathLike) -> bytes:
    """The first bytes of a file, as many as the names of columns may take."""
    with Path(path).open("rb", buffering=0) as file:
        start = file.read(8)
        kind = packed_as(start)
        if kind is None:
            return start + file.read(LONGEST_HEADER)
        room = bytearray(LONGEST_HEADER)
        return bytes(room[: Unpacked(kind, file, start).readinto(memoryview(room))])
