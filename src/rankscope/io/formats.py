"""The formats of files, each with all that readers, writers and streams have to know of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, TypeAlias

from rankscope.arrays import Text
from rankscope.errors import InputError, Problem
from rankscope.io import msmarco, tables, trec
from rankscope.io.blocks import Edge, last_line, last_record, last_topic
from rankscope.io.column_names import ColumnNames, choose, plain
from rankscope.io.columns import FileKind, QrelsColumns, RunColumns
from rankscope.io.files import COMPRESSED, PathLike, Scratch, first_line, read_text, zstd
from rankscope.outputs import write_output

Reader: TypeAlias = Callable[..., Any]
Hear: TypeAlias = Callable[[int], None]

FRAMES = 32 << 20  # bytes that polars takes when it is first used


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Format:
    """A file format.

    words        what it is called in messages
    run, qrels   reader of each kind of file; None where the format holds none
    write        writer of columns, which is told the tag of a run; None where there is none
    endings      endings of files that are written in it
    detects      whether a file of a kind shows this format; None for text without a header, which fields tell
    folders      whether a folder of such files is one table
    named        whether columns have names, of which readers are told those that the user gave
    tags         reader of the tags of a run; None where it has none

    Reading block by block:

    edge         where a block ends: start of what may go on after it; None where a file has no parts
    pieces       in how many pieces a block becomes columns, which take more room than the text
    headed       whether the first line is a header, to be put before every piece
    comments     whether lines that begin with # are comments
    fused        whether the kernels read and order TREC lines in one pass
    guessed      whether the meaning of columns is guessed from their numbers, and looked at again in each block
    rows         reader of some rows of a file at a time
    frames       whether polars reads it

    Conversion:

    scores, ranks  whether runs keep scores, and ranks beside scores
    columns_lost   by kind of file, columns that other formats do not hold, and what becomes of them in this one
    """

    words: str
    run: Reader | None = None
    qrels: Reader | None = None
    write: Callable[[Any, str], bytes] | None = None
    endings: tuple[str, ...] = ()
    detects: Callable[[Text, FileKind], bool] | None = None
    folders: bool = False
    named: bool = False
    tags: Callable[[Text, str], list[str]] | None = None
    edge: Edge | None = None
    pieces: int = 1
    headed: bool = False
    comments: bool = False
    fused: bool = False
    guessed: bool = False
    rows: Callable[[Path, int, Hear | None, ColumnNames | None], Iterator[tuple[RunColumns, bool]]] | None = None
    frames: bool = False
    scores: bool = True
    ranks: bool = True
    columns_lost: Mapping[FileKind, tuple[str, str]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The name by which users ask for it."""
        return next(name for name, format in FORMATS.items() if format is self)

    def columns(self, text: Text, kind: FileKind, place: str, after: int = 0, names: ColumnNames | None = None) -> Any:
        """Columns of a run or of judgments, which the format is known to hold.

        after  bytes of the file that were left out after its header
        names  names of columns that the user gave
        """
        reader = self.run if kind == "run" else self.qrels
        assert reader is not None
        if self.named and names:
            reader = partial(reader, columns=names)
        try:
            return reader(text, place, after) if self.headed else reader(text, place)
        except RecursionError:
            raise InputError(Problem(f"{self.words} nested too deep", "check how it was written", place)) from None


def _later(module: str, name: str) -> Reader:
    """A function of a module that is imported when it is first called: most files are TREC text."""

    def called(*args: Any, **settings: Any) -> Any:
        return getattr(import_module(f"rankscope.io.{module}"), name)(*args, **settings)

    return called


def _starting(marks: tuple[bytes, ...], detects: Reader) -> Callable[[Text, FileKind], bool]:
    """A test of content, made only where the first line has one of these marks."""

    def detected(text: Text, kind: FileKind) -> bool:
        line = first_line(text)
        return any(mark in line for mark in marks) and bool(detects(text, kind))

    return detected


def _delimited(words: str, separator: str, ending: str) -> Format:
    return Format(
        words=words, endings=(ending,), detects=partial(tables.has_header, separator=separator),
        run=partial(tables.read_delimited, kind="run", separator=separator),
        qrels=partial(tables.read_delimited, kind="qrels", separator=separator),
        write=partial(tables.write_delimited, separator=separator),
        edge=last_record, pieces=4, headed=True, frames=True, named=True,
    )  # fmt: skip


def _msmarco(layout: str) -> Format:
    ranks_alone = layout == "msmarco"
    return Format(
        words=f"MS MARCO ({' '.join(msmarco.LAYOUTS[layout])})", run=partial(msmarco.read, layout=layout),
        write=msmarco.write if ranks_alone else None, endings=(".msmarco",) if ranks_alone else (),
        edge=last_topic, pieces=4, comments=True, guessed=True, scores=not ranks_alone,
    )  # fmt: skip


FORMATS: dict[str, Format] = {
    "trec": Format(
        words="TREC text", run=trec.run_columns, qrels=trec.qrels_columns, write=trec.write,
        endings=("", ".txt", ".run", ".trec", ".res", ".qrels"), tags=trec.tags, edge=last_topic, comments=True,
        fused=True,
        columns_lost={
            "run": ("the Q0 and tag columns", "the tags: all are now the one given"),
            "qrels": ("the iteration column", "the iterations: all are now 0"),
        },
    ),
    "nuggets": Format(
        words="nugget assignments", run=_later("nuggets", "read_run"), qrels=_later("nuggets", "read_qrels"),
        endings=(".jl",), detects=_starting((b"nuggets",), _later("nuggets", "is_nuggets")),
    ),
    "json": Format(
        words="JSON", run=_later("json_text", "read_json_run"), qrels=_later("json_text", "read_json_qrels"),
        write=_later("json_text", "write_json"), endings=(".json",),
        detects=_starting((b"{", b"["), _later("json_text", "is_json")), ranks=False, named=True,
    ),
    "jsonl": Format(
        words="JSON lines", run=_later("json_text", "read_json_lines_run"),
        qrels=_later("json_text", "read_json_lines_qrels"), write=_later("json_text", "write_json_lines"),
        endings=(".jsonl", ".ndjson"), detects=_starting((b"{",), _later("json_text", "is_json_lines")),
        edge=last_line, pieces=16, frames=True, scores=False, named=True,
    ),
    "csv": _delimited("CSV with a header", ",", ".csv"),
    "tsv": _delimited("TSV with a header", "\t", ".tsv"),
    "parquet": Format(
        words="Parquet", run=partial(tables.read_parquet, kind="run"), qrels=partial(tables.read_parquet, kind="qrels"),
        write=tables.write_parquet, endings=(".parquet", ".pq"), detects=tables.is_parquet_text, folders=True,
        rows=tables.parquet_pieces, frames=True, named=True,
    ),
    "letor": Format(
        words="LETOR lines", qrels=_later("letor", "read_qrels"), endings=(".letor",),
        detects=_starting((b"qid:",), _later("letor", "is_letor")),
    ),
    **{layout: _msmarco(layout) for layout in msmarco.LAYOUTS},
}  # fmt: skip


def format_of(name: str, kind: FileKind | Literal["write"]) -> Format:
    """The format of this name, if it can be read as this kind of file, or written."""
    if name in FORMATS and getattr(FORMATS[name], kind) is not None:
        return FORMATS[name]
    able = ", ".join(n for n, format in FORMATS.items() if getattr(format, kind) is not None)
    if kind == "write":
        raise InputError(f"{name!r} is no format to write", f"what can be written: {able}")
    what = "runs" if kind == "run" else "judgments"
    raise InputError(f"{name!r} is no format of {what}", f"{what} can be {able}")


@dataclass(frozen=True, slots=True)
class Reading:
    """How files are read: the name of their format, or None where the content shows it, and names of columns."""

    format: str | None = None
    columns: ColumnNames | None = None

    def of(self, text: Text, kind: FileKind, place: str) -> Format:
        """The format of a text."""
        if self.format is not None:
            return format_of(self.format, kind)
        if self.columns is not None:
            named = {plain(n) for v in self.columns.values() for n in ([v] if isinstance(v, str) else v)}
            for separator, name in ((",", "csv"), ("\t", "tsv")):
                header = tables.header_names(text, separator)
                if len(header) > 1 and named & {plain(column) for column in header}:
                    return FORMATS[name]
        return detect(text, kind, place)


def detect(text: Text, kind: FileKind, place: str) -> Format:
    """The format that a file's content shows. What fits nothing is left to TREC's reader to explain."""
    for format in FORMATS.values():
        if format.detects is not None and format.detects(text, kind):
            return format if getattr(format, kind) is not None else format_of(format.name, kind)
    if tables.has_header(text, kind, separator=";"):
        cure = "separate them by commas or tabs"
        raise InputError(Problem("columns are separated by semicolons", cure, place, 1))
    names = tables.header_names(text, ",")
    if len(names) > 2 and " " not in "".join(names) and not any(name.lstrip("-")[:1].isdigit() for name in names):
        choose(names, kind, place)  # a table whose names of columns are not known: the error says how to name them
    layout = msmarco.detect(text, place) if kind == "run" else None
    if layout is None or not trec.looks_like_qrels(text):
        return FORMATS[layout or "trec"]
    readings = f"a run ({' '.join(msmarco.LAYOUTS[layout])}) or as judgments (topic iteration document grade)"
    raise InputError(Problem(f"can be read as {readings}", f"say which: run format {layout}, or give a run", place))


def read(
    path: PathLike, kind: FileKind, reading: Reading | None = None, scratch: Scratch | None = None
) -> tuple[Text, Format]:
    """A file's bytes and its format: the one named, or what its content shows."""
    return read_with_comments(path, kind, reading, scratch)[:2]


def read_with_comments(
    path: PathLike, kind: FileKind, reading: Reading | None = None, scratch: Scratch | None = None
) -> tuple[Text, Format, tuple[str, ...]]:
    """A file's bytes without its comment lines, its format, and the first of these lines."""
    text = read_text(path, scratch)

    def format_shown(content: Text) -> Format:
        return (reading or Reading()).of(content, kind, str(path))

    plain, comments = trec.comments_apart(text)
    if comments and (format := format_shown(plain)).comments:
        return plain, format, comments
    return text, format_shown(text), ()


def row_format(path: Path, format_name: str | None) -> Format | None:
    """The format of a file that is read some rows at a time, None for text; pipes are not opened for it."""
    return FORMATS["parquet"] if format_name in (None, "parquet") and tables.is_parquet(path) else None


def reading_takes(path: Path, most: int) -> int:
    """Bytes that reading a file block by block takes beside the blocks, once polars is imported where it is needed.

    most  bytes that may be set aside for a row group of a table, which is read whole
    """
    endings = {ending.lower() for ending in path.suffixes}
    table = row_format(path, None)
    if table is None and not any(format.frames and endings & {*format.endings} for format in FORMATS.values()):
        return 0
    import polars  # noqa: F401  what it takes is seen by the caller

    return FRAMES + (0 if table is None else tables.row_group_takes(path, most))


def write(path: PathLike, columns: RunColumns | QrelsColumns, name: str | None, *, tag: str) -> Format:
    """Write columns in a format, by name or by the file's ending, and compress as the ending says."""
    path = Path(path)
    packed = path.suffix.lower() if path.suffix.lower() in COMPRESSED else ""
    ending = Path(path.stem).suffix.lower() if packed else path.suffix.lower()
    if name is None:
        name = next((n for n, format in FORMATS.items() if format.write and ending in format.endings), "trec")
    format = format_of(name, "write")
    assert format.write is not None
    data = _PACK[packed](format.write(columns, tag))
    write_output(path, data)
    return format


_PACK: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": lambda data: bytes(import_module("gzip").compress(data, mtime=0)),  # the same content gives the same bytes
    ".bz2": lambda data: bytes(import_module("bz2").compress(data)),
    ".xz": lambda data: bytes(import_module("lzma").compress(data)),
    ".zst": lambda data: zstd().ZstdCompressor().compress(data),
}
