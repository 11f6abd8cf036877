"""Conversion of a run or of judgments from one format to another."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from rankscope import kernels
from rankscope.arrays import Text, decoded
from rankscope.errors import InputError, Problem, plural, spoken_options
from rankscope.formatting import visible
from rankscope.io.column_names import ColumnNames, checked_columns_argument
from rankscope.io.columns import FileKind, QrelsColumns, RunColumns
from rankscope.io.datasets import PREFIX, read_dataset
from rankscope.io.files import PathLike, read_text
from rankscope.io.formats import Format, Reading, write
from rankscope.io.paths import single, system_name
from rankscope.outputs import check_apart, check_output


@dataclass(frozen=True, slots=True)
class Converted:
    """Result of a conversion: format read, format written, and what the new format cannot hold."""

    kind: FileKind
    rows: int
    source: str
    target: str
    lost: tuple[str, ...]

    def __str__(self) -> str:
        what = plural(self.rows, "line") + " of a run" if self.kind == "run" else plural(self.rows, "judgment")
        lines = [f"Wrote {what} as {self.target}; read as {self.source}."]
        return "\n".join(map(visible, [*lines, *(f"Not kept: {part}." for part in self.lost)]))


def convert(
    source: PathLike,
    target: PathLike,
    *,
    kind: FileKind | None = None,
    source_format: str | None = None,
    target_format: str | None = None,
    columns: ColumnNames | None = None,
    tag: str | None = None,
    force: bool = False,
) -> Converted:
    """Convert `source` to `target`; formats are detected from the content and the ending unless they are named."""
    reading = Reading(source_format, checked_columns_argument(columns))
    check_output(target, force=force)
    check_apart({"the target": target}, [] if str(source).startswith(PREFIX) else [source])
    rows, format, kind = _read(source, kind, reading)
    _refuse_repeats(rows)
    written = write(target, rows, target_format, tag=system_name(source) if tag is None else tag)
    words = "ir_datasets" if format is None else format.words
    return Converted(kind, len(rows.topic), words, written.words, tuple(_lost(rows, kind, format, written)))


def _read(
    source: PathLike, kind: FileKind | None, reading: Reading
) -> tuple[RunColumns | QrelsColumns, Format | None, FileKind]:
    """Columns, their format (None for a data set) and kind."""
    if str(source).startswith(PREFIX):
        return read_dataset(str(source))[0], None, "qrels"
    path = single(source, "convert one at a time")
    text, place = read_text(path), str(path)
    if kind is not None:
        return *_columns(text, kind, place, reading), kind
    able: list[tuple[RunColumns | QrelsColumns, Format, FileKind]] = []
    errors: list[InputError] = []
    kinds: tuple[FileKind, FileKind] = ("run", "qrels")
    for each in kinds:
        try:
            able.append((*_columns(text, each, place, reading), each))
        except InputError as error:
            errors.append(error)
    if len(able) == 1:
        return able[0]
    if able:
        cure = "say --run or --qrels" if spoken_options() else "say kind='run' or kind='qrels'"
        raise InputError(Problem("could be a run or judgments", cure, place))
    # an error about single lines is more helpful than one about all lines
    raise next((error for error in errors if not re.search("no line has|on every line", str(error))), errors[0])


def _columns(text: Text, kind: FileKind, place: str, reading: Reading) -> tuple[RunColumns | QrelsColumns, Format]:
    format = reading.of(text, kind, place)
    return format.columns(text, kind, place, names=reading.columns), format


def _refuse_repeats(columns: RunColumns | QrelsColumns) -> None:
    """Refuse a document twice in a topic, which some formats can hold and others not."""
    topic, doc = (kernels.intern(columns.text, spans)[0] for spans in (columns.topic, columns.doc))
    pairs, count = np.unique(topic * (len(doc) + 1) + doc, return_counts=True)
    if twice := int(np.count_nonzero(count > 1)):
        row = int(np.flatnonzero(topic * (len(doc) + 1) + doc == pairs[count > 1][0])[-1])
        which, where = decoded(columns.text, np.stack([columns.doc[row], columns.topic[row]]))
        appear = f"{plural(twice, 'document')} appear{'s' * (twice == 1)}"
        cause = f"{appear} twice in a topic, such as {which!r} in topic {where!r}"
        raise InputError(Problem(cause, "mend the file first", columns.place))


def _lost(columns: RunColumns | QrelsColumns, kind: FileKind, source: Format | None, target: Format) -> list[str]:
    """Parts of the source that the target format cannot hold."""
    lost = []
    if isinstance(columns, RunColumns) and (columns.rank is None or not np.array_equal(columns.score, -columns.rank)):
        if not target.scores:
            lost.append("scores: only the order is kept")
        if columns.rank is not None and not target.ranks:
            lost.append("the rank column")
    if source is not None and kind in source.columns_lost:
        elsewhere, here = source.columns_lost[kind]
        lost.append(here if target is source else elsewhere)
    if isinstance(columns, QrelsColumns) and columns.ungraded:
        lost.append(f"{plural(columns.ungraded, 'judgment')} without a grade")
    return lost
