"""The pool: judgments indexed for the join with runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rankscope import io, kernels
from rankscope.arrays import FIRST_GRADE, Floats, Ids, Ints, decoded
from rankscope.errors import InputError, Problem
from rankscope.judged.model import Pooled
from rankscope.judged.sources import InMemory, Path_


@dataclass(frozen=True, slots=True)
class Pool:
    """Judgments: topics, grades, counts of documents by grade, and the index that runs are looked up in."""

    topics: tuple[str, ...]
    grades: Floats
    available: Ints
    index: Any
    place: str
    empty: int  # topics given without any judgment
    rel: float  # from which grade the source counts documents as relevant
    read_as: str


def read_pool(qrels: Path_ | InMemory, format_name: str | None, *, first: bool) -> Pool:
    columns, rel, read_as = _judgments(qrels, format_name)
    empty = sum(not docs for docs in qrels.values()) if isinstance(qrels, Mapping) else 0
    topic, heads = kernels.intern(columns.text, columns.topic)
    grades, grade = np.unique(columns.grade, return_inverse=True)
    if len(grades) > 65_000:
        raise InputError(Problem(f"{len(grades)} distinct grades", "round the grades", columns.place))
    code = grade.astype(np.int64) + FIRST_GRADE
    value = np.concatenate([np.zeros(FIRST_GRADE), grades])
    topics = columns.topic[heads]
    index = kernels.index(columns.text, topics, columns.doc, topic, code, value)
    kept = ~index.repeated
    if not kept.all() and not first:
        if read_as == io.FORMATS["trec"].words:
            raise InputError(io.qrels_problems(columns.text, columns.place))
        raise InputError(repeats(columns))
    available = np.zeros((len(topics), len(grades)), np.int64)
    np.add.at(available, (topic[kept], grade[kept]), 1)
    return Pool(tuple(decoded(columns.text, topics)), grades, available, index, columns.place, empty, rel, read_as)


def pooled(pool: Pool) -> Pooled:
    """All judgments that count, in input order."""
    index, kept = pool.index, ~pool.index.repeated
    return Pooled(index.topic[kept], Ids(index.text, index.docs[kept]), index.code[kept])


def _judgments(qrels: Path_ | InMemory, format_name: str | None) -> tuple[io.QrelsColumns, float, str]:
    """Judgments, the grade from which they count as relevant, and what they were read as."""
    if not io.is_path(qrels):
        return io.qrels_from(qrels), 1, io.source_kind(qrels)
    if str(qrels).startswith(io.PREFIX):
        columns, rel = io.read_dataset(str(qrels))
        return columns, rel, f"ir_datasets (relevant from grade {rel})"
    path = _single(qrels)
    text, name = io.read(path, "qrels", format_name)
    return io.reader_of(name, "qrels")(text, str(path)), 1, io.FORMATS[name].words


def repeats(columns: io.QrelsColumns | io.RunColumns, first_row: int = 1) -> list[Problem]:
    """Problems of rows that repeat a document of their topic.

    Rows are named by their lines where those are known, else numbered from first_row.
    """
    topic, doc = (kernels.intern(columns.text, spans)[0] for spans in (columns.topic, columns.doc))
    _, first, back = np.unique(topic * (len(doc) + 1) + doc, return_index=True, return_inverse=True)
    before = first[back]
    later = np.flatnonzero(before != np.arange(len(doc)))[:1000]
    topics, docs = decoded(columns.text, columns.topic[later]), decoded(columns.text, columns.doc[later])
    cure = "keep the first of each repeated document with duplicates=first"

    def repeat(row: int, topic: str, doc: str) -> Problem:
        cause = f"document {doc!r} appears twice in topic {topic!r}"
        if columns.line is None:
            cause = f"row {row + first_row}: {cause} (first in row {before[row] + first_row})"
            return Problem(cause, cure, columns.place)
        there = int(columns.line[before[row]])
        return Problem(f"{cause} (first at line {there})", cure, columns.place, int(columns.line[row]))

    return [repeat(*repeated) for repeated in zip(later.tolist(), topics, docs, strict=True)]


def _single(path: Path_) -> Path:
    files = io.expand([path])
    if len(files) != 1:
        raise InputError(Problem(f"{len(files)} files", "give one judgments file", str(path)))
    return files[0]
