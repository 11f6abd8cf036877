"""Conversion of a run or of judgments from one format to another."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rankscope import kernels
from rankscope.arrays import decoded
from rankscope.errors import InputError, Problem, plural
from rankscope.io.columns import QrelsColumns, RunColumns
from rankscope.io.datasets import PREFIX, read_dataset
from rankscope.io.files import PathLike, expand, read_text, system_name
from rankscope.io.formats import FORMATS, detect, reader_of, write
from rankscope.io.tables import FileKind


@dataclass(frozen=True, slots=True)
class Converted:
    """Result of a conversion: format read, format written, and what the new format cannot hold."""

    kind: FileKind
    rows: int
    source: str
    target: str
    lost: tuple[str, ...]

    def __str__(self) -> str:
        what = "a run" if self.kind == "run" else "judgments"
        lines = [f"{what}, {plural(self.rows, 'row')}, read as {self.source}, written as {self.target}"]
        return "\n".join([*lines, *(f"lost: {part}" for part in self.lost)])


def convert(
    source: PathLike,
    target: PathLike,
    *,
    kind: FileKind | None = None,
    source_format: str | None = None,
    target_format: str | None = None,
    tag: str | None = None,
    force: bool = False,
) -> Converted:
    """Convert `source` to `target`; formats are detected from the content and the ending unless they are named."""
    if Path(target).exists() and not force:
        raise InputError(Problem("exists already", "choose another file, or --force to write over it", str(target)))
    columns, words, kind = _read(source, kind, source_format)
    _refuse_repeats(columns)
    name = write(target, columns, target_format, tag=system_name(source) if tag is None else tag)
    return Converted(kind, len(columns.topic), words, FORMATS[name].words, tuple(_lost(columns, words, name)))


def _read(
    source: PathLike, kind: FileKind | None, format_name: str | None
) -> tuple[RunColumns | QrelsColumns, str, FileKind]:
    if str(source).startswith(PREFIX):
        return read_dataset(str(source))[0], "ir_datasets", "qrels"
    path = expand([source])
    if len(path) != 1:
        raise InputError(Problem(f"{len(path)} files", "convert one at a time", str(source)))
    text, place = read_text(path[0]), str(path[0])
    kind = kind or _kind(text, place, format_name)
    name = format_name or detect(text, kind, place)
    columns: RunColumns | QrelsColumns = reader_of(name, kind)(text, place)
    return columns, FORMATS[name].words, kind


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


def _kind(text: np.ndarray, place: str, format_name: str | None) -> FileKind:
    """Whether a file can only be a run or only judgments."""
    able: list[FileKind] = []
    errors: list[InputError] = []
    for kind in ("run", "qrels"):
        try:
            reader_of(format_name or detect(text, kind, place), kind)(text, place)
            able.append(kind)
        except InputError as error:
            errors.append(error)
    if len(able) == 1:
        return able[0]
    if able:
        raise InputError(Problem("could be a run or judgments", "say --run or --qrels", place))
    # an error about single lines is more helpful than one about all lines
    raise next((error for error in errors if not re.search("no line has|on every line", str(error))), errors[0])


def _lost(columns: RunColumns | QrelsColumns, source: str, target: str) -> list[str]:
    """Parts of the source that the target format cannot hold."""
    lost = []
    trec = source == FORMATS["trec"].words
    if isinstance(columns, RunColumns):
        scores = columns.rank is None or not np.array_equal(columns.score, -columns.rank)
        if target in ("msmarco", "jsonl") and scores:
            lost.append("scores: only the order is kept")
        if columns.rank is not None and target == "json" and scores:
            lost.append("the rank column")
        if trec:
            lost.append("the Q0 and tag columns" if target != "trec" else "the tags: all are now the one given")
    elif trec:
        lost.append("the iteration column" if target != "trec" else "the iterations: all are now 0")
    return lost
