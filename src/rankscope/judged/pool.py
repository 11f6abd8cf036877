"""The pool: judgments indexed for the join with runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rankscope import kernels
from rankscope.arrays import FIRST_GRADE, Floats, Ids, Ints, decoded
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

_NARROW = 1 << 16


@dataclass(frozen=True, slots=True)
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
    columns, rel, read_as, comments = judgments(qrels, reading)
    data_set: tuple[str, float] | None = known_data_set(columns.place)
    if rel != 1:  # an ir_datasets id, whose measures say so
        data_set = columns.place, rel
    empty = sum(not docs for docs in qrels.values()) if isinstance(qrels, Mapping) else 0
    topic, heads = kernels.intern(columns.text, columns.topic)
    grades, grade = _distinct(columns.grade)
    if len(grades) > 65_000:
        raise InputError(Problem(f"{len(grades)} distinct grades", "round the grades", columns.place))
    code = grade.astype(np.int64) + FIRST_GRADE
    value = np.concatenate([np.zeros(FIRST_GRADE), grades])
    topics = columns.topic[heads]
    index = kernels.index(columns.text, topics, columns.doc, topic, code, value)
    kept = ~index.repeated
    twice = columns.subtopics_named or not kept.all()  # else there can be no subtopics, and nothing to look for
    documents = by_subtopic(columns, topic, first=first) if twice else None
    if not kept.all() and not first and documents is None:
        raise InputError(repeats(columns))
    available = _counts(topic[kept], grade[kept], (len(topics), len(grades)))
    pool = Pool(
        tuple(decoded(columns.text, topics)),
        grades,
        available,
        index,
        columns.place,
        empty,
        columns.ungraded,
        rel,
        read_as,
        data_set,
        comments,
    )
    return pool if documents is None else _pool_of_subtopics(columns, topic, documents, pool)


def _distinct(grade: Floats) -> tuple[Floats, Ints]:
    """The distinct grades, ascending, and the place of each judgment's grade among them."""
    lowest, highest = grade.min(initial=0.0), grade.max(initial=0.0)
    if highest - lowest < _NARROW:  # whole numbers of a narrow range, as a rule, are counted and not sorted
        step = (grade - lowest).astype(np.int64)
        if (step + lowest == grade).all():
            here = np.bincount(step) > 0
            return np.flatnonzero(here) + lowest, (np.cumsum(here) - 1)[step]
    grades, place = np.unique(grade, return_inverse=True)
    return grades, place


def _counts(topic: Ints, grade: Ints, shape: tuple[int, int]) -> Ints:
    """Judgments of each topic and grade."""
    counts: Ints = np.bincount(topic * shape[1] + grade, minlength=shape[0] * shape[1]).reshape(shape)
    return counts


def _pool_of_subtopics(columns: QrelsColumns, topic: Ints, documents: Documents, plain_pool: Pool) -> Pool:
    """A pool whose codes are patterns of grades by subtopic; the grade of a document is its highest."""
    row, pattern, patterns = documents
    best = patterns.best()
    grades, grade = np.unique(best, return_inverse=True)
    value = np.concatenate([np.zeros(FIRST_GRADE), best])
    topics = columns.topic[kernels.intern(columns.text, columns.topic)[1]]
    index = kernels.index(columns.text, topics, columns.doc[row], topic[row], pattern + FIRST_GRADE, value)
    available = _counts(topic[row], np.ravel(grade)[pattern], (len(topics), len(grades)))
    plain = np.concatenate([np.arange(FIRST_GRADE), np.ravel(grade) + FIRST_GRADE])
    return replace(plain_pool, grades=grades, available=available, index=index, patterns=patterns, plain=plain)


def pooled(pool: Pool) -> Pooled:
    """All judgments that count, in input order."""
    index, kept = pool.index, ~pool.index.repeated
    if pool.plain is not None:
        return Pooled(index.topic, Ids(index.text, index.docs), pool.plain[index.code])
    if kept.all():  # as a rule: nothing to copy
        return Pooled(index.topic, Ids(index.text, index.docs), index.code)
    return Pooled(index.topic[kept], Ids(index.text, index.docs[kept]), index.code[kept])


def judgments(qrels: Path_ | InMemory, reading: Reading) -> tuple[QrelsColumns, float, str, tuple[str, ...]]:
    """Judgments, the grade from which they count as relevant, what they were read as, and comment lines."""
    if isinstance(qrels, QrelsColumns):
        return qrels, 1, "columns", ()
    if not is_path(qrels):
        return qrels_from(qrels, columns=reading.columns), 1, source_kind(qrels), ()
    if str(qrels).startswith(PREFIX):
        columns, rel = read_dataset(str(qrels))
        return columns, rel, f"ir_datasets (relevant from grade {rel})", ()
    path = single(qrels, "give one judgments file")
    text, format, comments = read_with_comments(path, "qrels", reading)
    return format.columns(text, "qrels", str(path), names=reading.columns), 1, format.words, comments
