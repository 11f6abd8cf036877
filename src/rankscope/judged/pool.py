"""The pool: judgments indexed for the join with runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from rankscope import kernels
from rankscope.arrays import FIRST_GRADE, Floats, Ids, Ints, Text, decoded
from rankscope.errors import InputError, Problem
from rankscope.io.columns import QrelsColumns
from rankscope.io.datasets import PREFIX, known_data_set, read_dataset
from rankscope.io.formats import Reading, read_with_comments
from rankscope.io.objects import qrels_from, source_kind
from rankscope.io.paths import is_path, single
from rankscope.io.problems import repeats
from rankscope.judged.model import Pooled
from rankscope.judged.sources import InMemory, Path_
from rankscope.judged.subtopics import Documents, Patterns, by_subtopic

_NARROW, _LOOK = 1 << 16, 1 << 15


@dataclass(frozen=True, slots=True, eq=False)
class Pool:
    """Judgments: topics, grades, counts of documents by grade, and the index that runs are looked up in."""

    topics: tuple[str, ...]
    grades: Floats
    available: Ints
    index: Any
    place: str
    empty: int  # topics given without any judgment
    ungraded: int  # judgments given without a grade
    rel: float  # from which grade the source counts documents as relevant
    read_as: str
    data_set: tuple[str, float] | None  # its name and documented threshold, where they are known
    comments: tuple[str, ...] = ()  # the first comment lines of the file
    patterns: Patterns | None = None  # grades by subtopic; the codes of the index are then patterns
    plain: Ints | None = None  # code of the highest grade of each of these codes

    @property
    def levels(self) -> Floats:
        """Grade of each code, ascending: of patterns the highest."""
        return self.grades if self.patterns is None else self.patterns.best()


def read_pool(qrels: Path_ | InMemory, reading: Reading, *, first: bool) -> Pool:
    source = _opened(qrels, reading)
    text, place, scanned = source.text, source.place, None if source.text is None else kernels.scan_qrels(source.text)
    columns = None
    if text is None or scanned is None or not len(scanned[1]):  # no TREC text, or something is wrong with it
        columns = source.columns()
        text, place = columns.text, columns.place
        topic, heads = kernels.intern(text, columns.topic)
        topics, docs, grade = columns.topic[heads], columns.doc, columns.grade
    else:
        topics, topic, docs, grade = scanned
    data_set: tuple[str, float] | None = known_data_set(place)
    if source.rel != 1:  # an ir_datasets id, whose measures say so
        data_set = place, source.rel
    empty = sum(not judged for judged in qrels.values()) if isinstance(qrels, Mapping) else 0
    grades, code = _distinct(grade)
    if len(grades) > 65_000:
        raise InputError(Problem(f"{len(grades)} distinct grades", "round the grades", place))
    code += FIRST_GRADE
    value = np.concatenate([np.zeros(FIRST_GRADE), grades])
    index = kernels.index(text, topics, docs, topic, code, value)
    twice, documents = bool(index.repeated.any()), None
    if twice or (columns is not None and columns.subtopics_named):  # else there can be no subtopics
        columns = columns or source.columns()
        documents = by_subtopic(columns, topic, first=first)
        if twice and not first and documents is None:
            raise InputError(repeats(columns))
    kept = ~index.repeated if twice else slice(None)
    available = _counts(topic[kept], code[kept], (len(topics), len(grades)))
    pool = Pool(
        tuple(decoded(text, topics)),
        grades,
        available,
        index,
        place,
        empty,
        0 if columns is None else columns.ungraded,
        source.rel,
        source.read_as,
        data_set,
        source.comments,
    )
    return pool if columns is None or documents is None else _pool_of_subtopics(columns, topic, documents, pool)


def _distinct(grade: Floats) -> tuple[Floats, Ints]:
    """The distinct grades, ascending, and the place of each judgment's grade among them."""
    lowest, highest = grade.min(initial=0.0), grade.max(initial=0.0)
    if highest - lowest < _NARROW:  # whole numbers of a narrow range, as a rule, are counted and not sorted
        here, place = np.zeros(int(highest - lowest) + 1, np.bool_), np.empty(len(grade), np.int64)
        for start in range(0, len(grade), _LOOK):  # some at a time: fresh memory takes longer than the arithmetic
            part = grade[start : start + _LOOK]
            step = (part - lowest).astype(np.int64)
            if (step + lowest != part).any():
                break
            here[step] = True
            place[start : start + _LOOK] = step
        else:
            return np.flatnonzero(here) + lowest, place if here.all() else (np.cumsum(here) - 1)[place]
    grades, place = np.unique(grade, return_inverse=True)
    return grades, place.astype(np.int64)


def _counts(topic: Ints, code: Ints, shape: tuple[int, int]) -> Ints:
    """Judgments of each topic and grade."""
    width = shape[1] + FIRST_GRADE
    cell = topic * width
    cell += code
    return np.bincount(cell, minlength=shape[0] * width).reshape(-1, width)[:, FIRST_GRADE:].copy()


def _pool_of_subtopics(columns: QrelsColumns, topic: Ints, documents: Documents, plain_pool: Pool) -> Pool:
    """A pool whose codes are patterns of grades by subtopic; the grade of a document is its highest."""
    row, pattern, patterns = documents
    best = patterns.best()
    grades, grade = np.unique(best, return_inverse=True)
    value = np.concatenate([np.zeros(FIRST_GRADE), best])
    topics = columns.topic[kernels.intern(columns.text, columns.topic)[1]]
    index = kernels.index(columns.text, topics, columns.doc[row], topic[row], pattern + FIRST_GRADE, value)
    plain = np.concatenate([np.arange(FIRST_GRADE), np.ravel(grade) + FIRST_GRADE])
    available = _counts(topic[row], plain[pattern + FIRST_GRADE], (len(topics), len(grades)))
    return replace(plain_pool, grades=grades, available=available, index=index, patterns=patterns, plain=plain)


def pooled(pool: Pool) -> Pooled:
    """All judgments that count, in input order."""
    index, kept = pool.index, ~pool.index.repeated
    if pool.plain is not None:
        return Pooled(index.topic, Ids(index.text, index.docs), pool.plain[index.code])
    if kept.all():  # as a rule: nothing to copy
        return Pooled(index.topic, Ids(index.text, index.docs), index.code)
    return Pooled(index.topic[kept], Ids(index.text, index.docs[kept]), index.code[kept])


class _Opened(NamedTuple):
    """Judgments that are about to be read.

    columns   reads them as columns
    rel       grade from which they count as relevant
    read_as   what they are read as
    text      TREC text, where they are that
    """

    columns: Callable[[], QrelsColumns]
    rel: float
    read_as: str
    comments: tuple[str, ...] = ()
    text: Text | None = None
    place: str = ""


def _opened(qrels: Path_ | InMemory, reading: Reading) -> _Opened:
    if isinstance(qrels, QrelsColumns):
        return _Opened(lambda: qrels, 1, "columns")
    if not is_path(qrels):
        return _Opened(lambda: qrels_from(qrels, columns=reading.columns), 1, source_kind(qrels))
    if str(qrels).startswith(PREFIX):
        columns, rel = read_dataset(str(qrels))
        return _Opened(lambda: columns, rel, f"ir_datasets (relevant from grade {rel})")
    place = str(path := single(qrels, "give one judgments file"))
    text, format, comments = read_with_comments(path, "qrels", reading)

    def as_columns() -> QrelsColumns:
        columns: QrelsColumns = format.columns(text, "qrels", place, names=reading.columns)
        return columns

    return _Opened(as_columns, 1, format.words, comments, text if format.fused else None, place)


def judgments(qrels: Path_ | InMemory, reading: Reading) -> tuple[QrelsColumns, float, str]:
    """Judgments, the grade from which they count as relevant, and what they were read as."""
    source = _opened(qrels, reading)
    return source.columns(), source.rel, source.read_as
