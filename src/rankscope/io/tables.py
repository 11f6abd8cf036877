"""Tables with named columns: frames, Parquet, and delimited text with a header."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO, StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rankscope.arrays import Bools, Floats, Ints, Spans, Text, cut, joined, padded, size
from rankscope.errors import InputError, Problem
from rankscope.io.column_names import IDS, ColumnNames, choose, plain, refuse_doubled
from rankscope.io.columns import FileKind, QrelsColumns, RunColumns, with_subtopics
from rankscope.io.files import PARQUET, first_line, unchanged, unreadable
from rankscope.io.remote import copied

if TYPE_CHECKING:
    import polars as pl


_LARGEST_GROUP = 128 << 20  # bytes on disk: parquet-mr, which Spark writes by, has the largest row groups
_GROUP_TAKES = 1.25  # bytes in memory of each byte on disk
LONGEST_HEADER = 1 << 16  # bytes of the names of columns of delimited text
NO_GRADE = ("", "null", "none", "nan", "na", "n/a")  # grades of a judge that gave none, as text
_TEXT = "give ids as text: 7, 7.0 and '07' would not be told apart otherwise"


def is_frame(source: object) -> bool:
    """Whether it is a polars or pandas frame, without importing either."""
    return type(source).__module__.split(".")[0] in ("polars", "pandas") and hasattr(type(source), "columns")


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """Names of a table's rows in problems: their lines, or row numbers counted from `first`."""

    place: str
    first: int
    line: Ints | None

    def problem(self, row: int, cause: str, cure: str) -> Problem:
        if self.line is None:
            return Problem(f"row {row + self.first}: {cause}", cure, self.place)
        return Problem(cause, cure, self.place, int(self.line[row]))


def run_from_frame(
    frame: Any,
    place: str = "run",
    first_row: int = 0,
    line: Ints | None = None,
    columns: ColumnNames | None = None,
) -> RunColumns:
    """A run from a polars or pandas frame; `line` on which each row stands in a file, else rows are numbered."""
    text, topic, doc, value, rank, _ = _columns(frame, "run", _Rows(place, first_row, line), columns)
    if value is None:
        assert rank is not None
        value = -rank
    return RunColumns(place, text, topic, doc, value, rank, line)


SUBTOPIC = ("subtopic", "subtopic_id")
"""Names of a column of subtopics."""


def qrels_from_frame(
    frame: Any,
    place: str = "qrels",
    first_row: int = 0,
    line: Ints | None = None,
    columns: ColumnNames | None = None,
) -> QrelsColumns:
    """Judgments from a polars or pandas frame, as `run_from_frame` reads a run; rows without a grade are counted."""
    text, topic, doc, value, _, kept = _columns(frame, "qrels", _Rows(place, first_row, line), columns)
    assert value is not None
    if kept is None:
        judgments = QrelsColumns(place, text, topic, doc, value, line)
        word = next((word for word in SUBTOPIC if word in frame_names(frame)), None)
        return judgments if word is None else with_subtopics(judgments, map(str, frame[word]), named=True)
    line = None if line is None else line[kept]
    return QrelsColumns(place, text, topic[kept], doc[kept], value[kept], line, ungraded=int(np.count_nonzero(~kept)))


def _columns(
    frame: Any, kind: FileKind, rows: _Rows, columns: ColumnNames | None
) -> tuple[Text, Spans, Spans, Floats | None, Floats | None, Bools | None]:
    """Text, spans of topics and documents, values, ranks, and which judgments have a grade: None where all have."""
    import polars as pl

    chosen = choose(frame_names(frame), kind, rows.place, columns)
    table = _polars(frame, chosen.names)
    if not table.height:
        raise InputError(Problem("has no rows", "check how it was made", rows.place))
    problems: list[Problem] = []
    # a topic's rows mostly follow each other: its id is taken once a stretch
    column = table[chosen.topic]
    stretches = None if column.dtype == pl.Object else column.rle().struct.unnest()
    values = None if stretches is None else stretches["value"]
    topics, topic_length = _ids(column, rows, problems, values)
    docs, doc_length = _ids(table[chosen.doc], rows, problems)
    graded = _graded(table[chosen.value]) if kind == "qrels" and chosen.value is not None else None
    value, rank = (
        None if c is None else _numbers(table[c], rows, problems, graded) for c in (chosen.value, chosen.rank)
    )
    if graded is not None and not graded.any():
        problems.append(Problem(f"no row has a {chosen.value}", "check how it was made", rows.place))
    if problems:
        raise InputError(sorted(problems, key=lambda problem: problem.line or 0))
    topic = _spans(topic_length, 0)
    if stretches is not None:
        topic = np.repeat(topic, stretches["len"].to_numpy(), axis=0)
    return padded(topics + docs), topic, _spans(doc_length, len(topics)), value, rank, graded


def _graded(column: pl.Series) -> Bools | None:
    """Which rows have a grade; None where all have. A judge that failed leaves null, or text such as None or NaN."""
    import polars as pl

    if column.dtype == pl.Object:
        missing = pl.Series([value is None for value in column.to_list()])
    else:
        missing = column.is_null()
    if column.dtype == pl.String:
        missing = missing | column.str.strip_chars().str.to_lowercase().is_in(NO_GRADE)
    elif column.dtype.is_float():
        missing = missing | column.is_nan()
    return (~missing.fill_null(True)).to_numpy() if missing.any() else None


def frame_names(frame: Any) -> list[str]:
    """Names of the columns of a frame."""
    lazy = hasattr(frame, "collect_schema")
    return [str(name) for name in (frame.collect_schema().names() if lazy else frame.columns)]


def _spans(lengths: np.ndarray[Any, Any], start: int) -> Spans:
    length = lengths.astype(np.int64)
    return np.stack([np.cumsum(length) - length + start, length], axis=1)


def _polars(frame: Any, wanted: list[str]) -> pl.DataFrame:
    import polars as pl

    if isinstance(frame, pl.LazyFrame):
        return frame.select(wanted).collect()
    if isinstance(frame, pl.DataFrame):
        return frame.select(wanted)
    # pandas: through plain lists, so that neither pyarrow nor a common string type is needed
    return pl.DataFrame({name: _pandas_column(frame[name]) for name in wanted})


def _pandas_column(column: Any) -> Any:
    import polars as pl

    if column.dtype.kind in "iufb" and isinstance(column.dtype, np.dtype):
        return pl.Series(column.to_numpy())
    values = [None if gone else value for value, gone in zip(column.tolist(), column.isna().tolist(), strict=True)]
    try:
        return pl.Series(values, strict=False)
    except (TypeError, pl.exceptions.PolarsError, UnicodeEncodeError):
        return pl.Series(values, dtype=pl.Object)


def _ids(
    column: pl.Series, rows: _Rows, problems: list[Problem], values: pl.Series | None = None
) -> tuple[bytes, np.ndarray[Any, Any]]:
    """Ids of a column, or of those values of it, laid end to end, and their lengths in bytes."""
    import polars as pl

    none = b"", np.empty(0, np.int64)
    if column.null_count():
        problems += [
            rows.problem(row, f"column {column.name!r} is null", "give every row its ids")
            for row in column.is_null().arg_true().to_list()[:1000]
        ]
        return none
    if values is not None:
        column = values.alias(column.name)
    if column.dtype == pl.Categorical or column.dtype == pl.Enum or column.dtype.is_integer():
        column = column.cast(pl.String)
    if column.dtype == pl.String:
        if column[0] == column[-1]:  # perhaps a literal, for which join of polars 1 takes too little room
            column = column.gather(np.arange(len(column)))
        return column.str.join("").item().encode(), column.str.len_bytes().to_numpy()
    if column.dtype in (pl.Binary, pl.Object):
        raw = [_encoded(value) for value in column.to_list()]
        if all(name is not None for name in raw):
            text, spans = joined([name for name in raw if name is not None])
            return text[: size(text)].tobytes(), spans[:, 1]
        odd = [row for row, name in enumerate(raw) if name is None]
        problems += [rows.problem(row, f"{column.name} {column[row]!r} is no text", _TEXT) for row in odd[:1000]]
        return none
    cause = f"column {column.name!r} holds {column.dtype}, expected text"
    problems.append(Problem(cause, _TEXT, rows.place))
    return none


def _encoded(value: object) -> bytes | None:
    if isinstance(value, bytes):
        return value
    try:
        return value.encode("utf-8", "surrogateescape") if isinstance(value, str) else None
    except UnicodeEncodeError:  # half a character
        return None


def _numbers(column: pl.Series, rows: _Rows, problems: list[Problem], needed: Bools | None = None) -> Floats:
    """A column of finite numbers; text is read as decimal numbers. `needed` where not all rows have to hold one."""
    import polars as pl

    if column.dtype == pl.Object:
        import json

        values = column.to_list()
        column = pl.Series(column.name, [v if isinstance(v, str) else json.dumps(v, default=str) for v in values])
    if column.dtype == pl.String:
        numbers = column.str.strip_chars().cast(pl.Float64, strict=False)
    elif column.dtype.is_numeric() or column.dtype == pl.Null:
        numbers = column.cast(pl.Float64)
    else:
        cause = f"column {column.name!r} holds {column.dtype}, expected numbers"
        problems.append(Problem(cause, f"give {column.name!r} as numbers", rows.place))
        return np.empty(0)
    odd = (numbers.is_null() | ~numbers.is_finite().fill_null(False)).to_numpy()
    wrong = np.flatnonzero(odd if needed is None else odd & needed).tolist()
    problems += [
        rows.problem(row, f"{column.name} {column[row]!r} is no finite number", f"give every {column.name} as a number")
        for row in wrong[:1000]
    ]
    return numbers.to_numpy()


def has_header(text: Text, kind: FileKind, *, separator: str) -> bool:
    """Whether the first line names the columns of a table."""
    names = header_names(text, separator)
    if len(names) < 2:
        return False
    try:
        choose(names, kind, "")
    except InputError as error:
        # a header it is, even if it can be read in two ways or lacks a column: that is for the reader to say
        return "can be read as" in str(error) or len(IDS & {plain(name) for name in names}) > 0
    return True


def header_names(text: Text, separator: str) -> list[str]:
    """Fields of the first line, taken as names of columns."""
    return [name.strip().strip('"') for name in first_line(text).decode("utf-8", "replace").split(separator)]


def from_table(
    table: pl.DataFrame, kind: FileKind, place: str, line: Ints | None = None, columns: ColumnNames | None = None
) -> Any:
    """Columns of a run or of judgments from a frame."""
    make = run_from_frame if kind == "run" else qrels_from_frame
    return make(table, place, line=line, columns=columns)


def read_delimited(
    text: Text, place: str, after: int = 0, *, kind: FileKind, separator: str, columns: ColumnNames | None = None
) -> Any:
    """Columns of delimited text with a header."""
    table, line = _delimited(text, separator, place, after)
    return from_table(table, kind, place, line, columns)


def table_of(text: Text, format: str, place: str) -> pl.DataFrame:
    """All columns of a file that holds a table: csv, tsv or parquet."""
    import polars as pl

    if format != "parquet":
        return _delimited(text, "," if format == "csv" else "\t", place, 0)[0]
    data = text[: size(text)].data
    columns = checked_columns(data, None, place)
    with reading(place):
        return pl.read_parquet(BytesIO(data), columns=columns)


def write_delimited(columns: RunColumns | QrelsColumns, _tag: str, *, separator: str) -> bytes:
    """Delimited text with a header."""
    return to_table(columns, binary=False).write_csv(separator=separator, quote_style="non_numeric").encode()


def _delimited(text: Text, separator: str, place: str, after: int) -> tuple[pl.DataFrame, Ints | None]:
    """Delimited text with a header, every column as text, and the line of each row; blank lines are no rows.

    after  so many bytes of the file were left out after the header
    """
    import polars as pl

    raw = text[: size(text)].tobytes()
    try:
        raw.decode("utf-8")
        header = raw.lstrip(b"\r\n").split(b"\n", 1)[0].rstrip(b"\r")
        if len(header) > LONGEST_HEADER:
            cause = f"a header of {len(header):,} bytes, where {LONGEST_HEADER:,} are the most"
            raise InputError(Problem(cause, "keep the columns that are needed", place, 1))
        refuse_doubled(header.decode("utf-8").replace('"', "").split(separator), place, 1)
        table = pl.read_csv(BytesIO(raw), separator=separator, infer_schema=False)
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        at = error.start if line == 1 else after + error.start
        cause = f"byte {raw[error.start]:#04x} at offset {at} is no UTF-8"
        raise InputError(Problem(cause, "save the file as UTF-8", place, line)) from None
    except BaseException as error:
        if not _of_polars(error):
            raise
        cause = f"cannot be read as delimited text ({str(error).splitlines()[0]})"
        raise InputError(
            Problem(cause, "give every line the fields of the header", place, _odd_line(raw, separator))
        ) from None
    at_line = _lines_of(raw, separator, table.height)
    if any(column.null_count() for column in table):
        filled = ~table.select(pl.all_horizontal(pl.all().is_null())).to_series()
        table, at_line = table.filter(filled), None if at_line is None else at_line[filled.to_numpy()]
    return table, at_line


def _lines_of(raw: bytes, separator: str, rows: int) -> Ints | None:
    """The line of each row below the header, blank lines being rows, too; None where that cannot be told."""
    blank = raw[: len(raw) - len(raw.lstrip(b"\r\n"))].count(b"\n")
    if raw.count(b"\n") + (not raw.endswith(b"\n")) == blank + 1 + rows:
        return np.arange(rows) + blank + 2
    import csv

    reader = csv.reader(StringIO(raw.decode("utf-8"), newline=""), delimiter=separator)  # line ends within quotes
    starts = [1]
    try:
        for _ in reader:
            starts.append(reader.line_num + 1)
    except csv.Error:
        return None
    return np.array(starts[blank + 1 : -1], np.int64) if len(starts) == blank + 2 + rows else None


def _odd_line(raw: bytes, separator: str) -> int | None:
    """The first line that has another number of fields than the header."""
    import csv

    rows = csv.reader(StringIO(raw.decode("utf-8"), newline=""), delimiter=separator)
    try:
        header = len(next(rows))
        return next((rows.line_num for row in rows if row and len(row) != header), None)
    except (csv.Error, StopIteration):
        return None


def read_parquet(text: Text, place: str, *, kind: FileKind, columns: ColumnNames | None = None) -> Any:
    """Columns of a Parquet file."""
    import polars as pl

    data = text[: size(text)].data
    names = checked_columns(data, kind, place, columns)
    with reading(place):
        table = pl.read_parquet(BytesIO(data), columns=names)
    return from_table(table, kind, place, columns=columns)


def checked_columns(
    data: memoryview, kind: FileKind | None, place: str, columns: ColumnNames | None = None
) -> list[str]:
    """The columns of a Parquet file that a kind of file is read from, or all, whose metadata polars can be given."""
    from rankscope.io.parquet_metadata import check_pages, read_metadata

    metadata = read_metadata(data, place)
    names = metadata.names if kind is None else choose(metadata.names, kind, place, columns).names
    check_pages(data, metadata, names, place)
    return names


@contextmanager
def reading(place: str) -> Iterator[None]:
    """What polars finds wrong with a file, as the InputError that says so.

    The lines that a panic prints before cannot be kept back: they go to file descriptor 2, of the whole process.
    """
    try:
        yield
    except BaseException as error:
        if not (_of_polars(error) or isinstance(error, OSError)):
            raise
        raise InputError(_damaged(error, place)) from None


def _of_polars(error: BaseException) -> bool:
    """Whether it is an error of polars, or a panic, which is no Exception."""
    import polars as pl

    return isinstance(error, pl.exceptions.PolarsError) or type(error).__name__ == "PanicException"


def write_parquet(columns: RunColumns | QrelsColumns, _tag: str) -> bytes:
    """A Parquet file."""
    out = BytesIO()
    to_table(columns, binary=True).write_parquet(out)
    return out.getvalue()


def is_parquet_text(text: Text, _kind: FileKind) -> bool:
    """Whether bytes start as a Parquet file does."""
    return text[: len(PARQUET)].tobytes() == PARQUET


def is_parquet(path: Path) -> bool:
    """Whether it is a folder, or a file that starts as Parquet does; pipes are not asked: they are read only once."""
    if not path.is_file():
        return path.is_dir()
    try:
        with path.open("rb") as file:
            return file.read(len(PARQUET)) == PARQUET
    except OSError:  # whoever reads it will say so
        return False


def row_group_takes(path: Path, most: int) -> int:
    """Bytes that a row group takes while some of its rows are read: a cautious estimate, as nothing tells its size.

    A row group is no larger than its file, and the usual writers make none of more than 128 MiB. Where there is room
    for `most`, larger ones are counted, too.
    """
    try:
        largest = max(part.stat().st_size for part in parts_of(path))
    except (InputError, OSError):  # whoever reads it will say so
        return 0
    return int(min(_GROUP_TAKES * largest, max(_GROUP_TAKES * _LARGEST_GROUP, most)))


def parts_of(path: Path) -> list[Path]:
    """The files of a table in a folder, hidden ones and those of an underscore left out; or the file that it is."""
    if not path.is_dir():
        return [path]
    parts = sorted(p for p in path.iterdir() if p.is_file() and p.name[0] not in "._")
    if not parts:
        raise InputError(Problem("folder without files", "name a folder with the parts of a table", str(path)))
    return parts


def one_table(path: Path) -> bytes:
    """A folder of Parquet files as one file."""
    import polars as pl

    from rankscope.io.parquet_metadata import mapped

    out = BytesIO()
    tables: list[pl.DataFrame] = []
    for part in parts_of(path):
        with unchanged(part), copied(part) as file, reading(str(part)), mapped(file) as data:
            checked_columns(data, None, str(part))
            table = pl.read_parquet(file)
            tables.append(table.select(tables[0].columns) if tables else table)  # in the order of the first
    with reading(str(path)):
        pl.concat(tables, how="vertical_relaxed").write_parquet(out)
    return out.getvalue()


def parquet_pieces(
    path: Path, rows: int, read: Callable[[int], None] | None = None, columns: ColumnNames | None = None
) -> Iterator[tuple[RunColumns, bool]]:
    """The run in a Parquet file or a folder of them, so many rows at a time, and whether they are the last.

    read  hears how many bytes have been used, taking rows to be alike
    """
    import polars as pl

    from rankscope.io.parquet_metadata import mapped

    before, used, place = 0, 0, str(path)
    parts = parts_of(path)
    for part in parts:
        with unchanged(part), copied(part) as file:
            with reading(str(part)), mapped(file) as data:
                table = pl.scan_parquet(file, glob=False).select(checked_columns(data, "run", str(part), columns))
                height = int(table.select(pl.len()).collect().item())
            for first in range(0, height, rows):
                last = part == parts[-1] and first + rows >= height
                with reading(str(part)):
                    piece = table.slice(first, rows).collect()
                yield run_from_frame(piece, place, before + first, columns=columns), last
                if read is not None:
                    read(used + file.stat().st_size * min(first + rows, height) // height)
            before, used = before + height, used + file.stat().st_size
    if not before:
        raise InputError(Problem("has no rows", "check how it was made", place))


def _damaged(error: BaseException, place: str) -> Problem:
    if isinstance(error, OSError) and error.filename is not None:
        return unreadable(Path(place), error)
    cause = next(iter(str(error).splitlines()), type(error).__name__)
    return Problem(f"damaged Parquet file ({cause})", "write it again", place)


def to_table(columns: RunColumns | QrelsColumns, *, binary: bool) -> pl.DataFrame:
    """Columns as a frame in the dialect of ir_measures; ids that are no UTF-8 need `binary`."""
    import polars as pl

    def ids(spans: Spans) -> pl.Series:
        raw = cut(columns.text, spans)
        try:
            return pl.Series([name.decode("utf-8") for name in raw], dtype=pl.String)
        except UnicodeDecodeError:
            if binary:
                return pl.Series(raw, dtype=pl.Binary)
            cause = "an id is no UTF-8 and cannot be written in this format"
            raise InputError(cause, "write TREC text, JSON or Parquet") from None

    value = columns.score if isinstance(columns, RunColumns) else columns.grade
    table = {"query_id": ids(columns.topic), "doc_id": ids(columns.doc)}
    if isinstance(columns, RunColumns):
        table |= {"score": pl.Series(value)} | ({} if columns.rank is None else {"rank": pl.Series(columns.rank)})
    else:
        table |= {"relevance": pl.Series(value)}
    return pl.DataFrame(table)
