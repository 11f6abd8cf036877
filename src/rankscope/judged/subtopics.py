"""Judgments of documents by subtopic: a second coordinate beside the one grade that most measures see.

A document of a topic has a grade for each subtopic that it was judged for. Documents with the same grades are one
pattern, so lists keep one number per cell: the pattern of the document, which a table turns into grades by subtopic.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rankscope import kernels
from rankscope.arrays import FIRST_GRADE, Bools, Codes, Floats, Ints, cut
from rankscope.errors import InputError, Problem
from rankscope.io.columns import QrelsColumns, lines_of

_MOST_CELLS = 1 << 26  # grades of documents by subtopic


@dataclass(frozen=True, slots=True, eq=False)
class Patterns:
    """Grades by subtopic of all judged documents.

    grade   (P, N) grade of each pattern for the subtopics of its topic, numbered by first appearance; NaN where not
            judged. Patterns are in the order of their highest grades
    topic   (D) topic of each judged document, documents of a topic by id, the highest first
    pattern (D) its pattern
    """

    grade: Floats
    topic: Ints
    pattern: Ints

    def best(self) -> Floats:
        """(P) highest grade of each pattern: the one grade that other measures see."""
        return np.fmax.reduce(self.grade, axis=-1)


@dataclass(frozen=True, slots=True, eq=False)
class Subtopics:
    """Patterns of the documents in lists: `code` (S, T, K), PADDING, UNJUDGED or FIRST_GRADE + a pattern.

    extremes  the same with tied documents in the order of their highest grades, best first and worst first
    """

    code: Codes
    patterns: Patterns
    extremes: tuple[Codes, Codes] | None = None

    def at(self, systems: slice | list[int], topics: slice | Ints) -> Subtopics:
        """Those of some systems and topics; topics are numbered anew."""
        n_topics = self.code.shape[1]
        place = np.full(n_topics, -1)
        rows = np.arange(n_topics)[topics]
        place[rows] = np.arange(len(rows))
        topic = place[self.patterns.topic]
        kept = topic >= 0
        fewer = Patterns(self.patterns.grade, topic[kept], self.patterns.pattern[kept])
        ends = None
        if self.extremes is not None:
            best, worst = self.extremes
            ends = best[systems][:, topics], worst[systems][:, topics]
        return Subtopics(self.code[systems][:, topics], fewer, ends)

    def with_ties(self, best: bool) -> Subtopics:
        """Those of the lists with ties at their best or at their worst."""
        assert self.extremes is not None, "the runs were loaded with their ties"
        return Subtopics(self.extremes[0 if best else 1], self.patterns)


class Documents(NamedTuple):
    """Judged documents: the rows of the judgments that stand for them, one each; their patterns; and all grades."""

    row: Ints
    pattern: Ints
    patterns: Patterns


def by_subtopic(columns: QrelsColumns, topic: Ints, *, first: bool) -> Documents | None:
    """Judged documents and their grades by subtopic.

    None where the judgments have no subtopics: in TREC text, where no document has two values of the second column.
    """
    if columns.subtopic is None or not len(topic):
        return None
    doc = kernels.intern(columns.text, columns.doc)[0]
    key = topic * (int(doc.max()) + 1) + doc
    _, rows, document = np.unique(key, return_index=True, return_inverse=True)
    document = np.ravel(document)
    if len(rows) == len(topic) and not columns.subtopics_named:
        return None
    subtopic = kernels.intern(columns.text, columns.subtopic)[0]
    pairs = np.unique(document * (int(subtopic.max()) + 1) + subtopic)
    if len(pairs) == len(rows) and not columns.subtopics_named:  # repeated judgments, and no second subtopic
        return None
    if not first:
        _refuse_repeated(document, subtopic, columns)
    number = _numbered(topic, subtopic)
    count = int(number.max()) + 1
    if len(rows) * count > _MOST_CELLS:
        cause = f"{count:,} values of the second column in one topic, and documents judged more than once"
        raise InputError(Problem(cause, "give subtopics there, or 0 and each document once", columns.place))
    grade = np.full((len(rows), int(number.max()) + 1), np.nan)
    late_first = slice(None, None, -1)  # so that the first of repeated judgments is the one that counts
    grade[document[late_first], number[late_first]] = columns.grade[late_first]
    patterns, pattern = np.unique(np.where(np.isnan(grade), -np.inf, grade), axis=0, return_inverse=True)
    names = cut(columns.text, columns.doc[rows])
    by_id = np.array(sorted(range(len(rows)), key=lambda n: (-int(topic[rows[n]]), names[n]), reverse=True), np.int64)
    upwards = np.argsort(patterns.max(axis=1), kind="stable")  # codes ascend with grades, as plain ones do
    pattern, patterns = np.argsort(upwards)[np.ravel(pattern)], patterns[upwards]
    if len(patterns) > 65_000:
        raise InputError(Problem(f"{len(patterns)} distinct grades by subtopic", "round the grades", columns.place))
    table = np.where(np.isinf(patterns), np.nan, patterns)
    order = np.argsort(rows, kind="stable")  # rows in the order of the source, patterns beside them
    return Documents(rows[order], pattern[order], Patterns(table, topic[rows[by_id]], pattern[by_id]))


def _refuse_repeated(document: Ints, subtopic: Ints, columns: QrelsColumns) -> None:
    """Refuse a document that is judged twice for one subtopic."""
    key = document * (int(subtopic.max()) + 1) + subtopic
    _, head, of = np.unique(key, return_index=True, return_inverse=True)
    if len(head) == len(key):
        return
    row = int(np.flatnonzero(head[np.ravel(of)] != np.arange(len(key)))[0])
    lines = lines_of(columns)
    topic, doc = (cut(columns.text, spans[row : row + 1])[0].decode("utf-8", "backslashreplace")
                  for spans in (columns.topic, columns.doc))  # fmt: skip
    cause = f"document {doc!r} appears twice in topic {topic!r} for one subtopic"
    line = None if lines is None else int(lines[row])
    raise InputError(Problem(cause, "give each judgment once", columns.place, line))


def _numbered(topic: Ints, subtopic: Ints) -> Ints:
    """Number of each row's subtopic among those of its topic, by first appearance."""
    key = topic * (int(subtopic.max()) + 1) + subtopic
    _, head, of = np.unique(key, return_index=True, return_inverse=True)
    order = np.lexsort((head, topic[head]))
    start = np.searchsorted(topic[head][order], topic[head][order])
    place = np.empty(len(head), np.int64)
    place[order] = np.arange(len(head)) - start
    return place[np.ravel(of)]


def relevant_by_subtopic(patterns: Patterns, rel: float) -> Bools:
    """(codes, N) whether a document of each code is relevant for each subtopic."""
    with np.errstate(invalid="ignore"):
        relevant = patterns.grade >= rel
    return np.concatenate([np.zeros((FIRST_GRADE, relevant.shape[1]), np.bool_), relevant])
