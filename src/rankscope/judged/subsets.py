"""Collections with fewer judgments, fewer topics or fewer systems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from operator import itemgetter

import numpy as np

from rankscope.arrays import FIRST_GRADE, UNJUDGED, Bools, Codes, Ints
from rankscope.errors import InputError, Problem, did_you_mean
from rankscope.judged.model import Judged, Pooled


@dataclass(frozen=True, slots=True, eq=False)
class Thinner:
    """Takes judgments away from a collection loaded with `keep_docs=True`.

    cell      where a judged document stands in a list: places in the codes, laid end to end
    judgment  which of the pool's judgments it is that counts there
    """

    judged: Judged
    cell: Ints
    judgment: Ints

    @classmethod
    def of(cls, judged: Judged) -> Thinner:
        """Find each judged document in all lists, once for all that is taken away later."""
        one_grade(judged)
        documents = judged.known_documents()
        pool = documents.pool
        number = {name: n for n, name in enumerate(documents.ids)}
        count = len(number) + 1
        doc = np.fromiter((number.get(name, count - 1) for name in pool.docs), np.int64, len(pool.docs))
        key = pool.topic * count + doc
        order = np.argsort(key, kind="stable")
        cell = np.flatnonzero(judged.code >= FIRST_GRADE)
        topic = cell // judged.code.shape[-1] % len(judged.topics)
        wanted = topic * count + documents.number.ravel()[cell]
        at = np.searchsorted(key[order], wanted)
        return cls(judged, cell, order[at])

    def thinned(self, kept: Bools) -> Judged:
        """The collection with these of the pool's judgments alone, (J).

        The others become unjudged in every list and are no longer available; lists keep their order.
        """
        pool = pool_of(self.judged)
        assert self.judged.documents is not None
        if kept.shape != pool.topic.shape:
            raise InputError(f"{kept.size} marks for {len(pool.topic)} judgments", "mark every judgment of the pool")
        code: Codes = self.judged.code.copy()
        code.reshape(-1)[self.cell[~kept[self.judgment]]] = UNJUDGED
        available = np.zeros_like(self.judged.available)
        np.add.at(available, (pool.topic[kept], pool.code[kept] - FIRST_GRADE), 1)
        docs = tuple(name for name, here in zip(pool.docs, kept.tolist(), strict=True) if here)
        fewer = replace(self.judged.documents, pool=Pooled(pool.topic[kept], docs, pool.code[kept]))
        return replace(self.judged, code=code, available=available, documents=fewer, extremes=None)


def pool_of(judged: Judged) -> Pooled:
    """All judgments of a collection, where its documents were kept."""
    return judged.known_documents(0).pool


def one_grade(judged: Judged) -> None:
    """Refuse judgments by subtopic where a document has to have one grade."""
    if judged.subtopics is not None:
        raise InputError("this needs one grade per document, and the judgments have one per subtopic",
                         "give judgments without subtopics")  # fmt: skip


def with_topics(judged: Judged, rows: Sequence[int] | Ints) -> Judged:
    """The collection on these topics alone, given by their rows, in this order."""
    at = np.asarray(rows, np.int64)
    documents = judged.documents
    if documents is not None:
        place = np.full(len(judged.topics), -1)
        place[at] = np.arange(len(at))
        topic = place[documents.pool.topic]
        kept = np.flatnonzero(topic >= 0)
        docs = tuple(documents.pool.docs[row] for row in kept.tolist())
        pool = Pooled(topic[kept], docs, documents.pool.code[kept])
        documents = replace(documents, number=documents.number[:, at], pool=pool)
    topics = itemgetter(*at.tolist())(judged.topics) if len(at) > 1 else tuple(judged.topics[t] for t in at.tolist())
    return replace(
        judged, topics=topics, code=judged.code[:, at], available=judged.available[at], documents=documents,
        extremes=None, subtopics=None if judged.subtopics is None else judged.subtopics.at(slice(None), at),
    )  # fmt: skip


def with_systems(judged: Judged, systems: Sequence[str]) -> Judged:
    """The collection with these systems alone, in this order."""
    check_systems(systems, judged.systems)
    if tuple(systems) == judged.systems:
        return judged
    rows = rows_of(systems, judged.systems)
    documents, extremes = judged.documents, judged.extremes
    if documents is not None:
        documents = replace(documents, number=documents.number[rows])
    if extremes is not None:
        extremes = extremes[0][rows], extremes[1][rows]
    subtopics = None if judged.subtopics is None else judged.subtopics.at(rows, slice(None))
    return replace(
        judged, systems=tuple(systems), code=judged.code[rows], documents=documents, extremes=extremes,
        subtopics=subtopics,
    )  # fmt: skip


def check_systems(names: Sequence[str], known: Sequence[str]) -> None:
    """Refuse names that are of no known system, all at once."""
    problems = [
        Problem(f"no system is named {name!r}", did_you_mean(name, known))
        for name in dict.fromkeys(names)
        if name not in known
    ]
    if problems:
        raise InputError(problems)


def rows_of(names: Sequence[str], known: Sequence[str]) -> list[int]:
    """Places of names among known ones, which are distinct."""
    rows = {name: row for row, name in enumerate(known)}
    return [rows[name] for name in names]
