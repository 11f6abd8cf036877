"""Two lists of every topic, and the unjudged documents of either: each has one grade, wherever it stands."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rankscope.arrays import FIRST_GRADE, UNJUDGED, Bools, Codes, Floats, Ints
from rankscope.measures.bounding.possible_grades import knows_recall_base, scored
from rankscope.measures.inputs import MeasureInputs
from rankscope.measures.record import Measure


@dataclass(frozen=True, slots=True, eq=False)
class OpenPair:
    """Two lists of every topic, and the unjudged documents of either, U at most.

    lists   codes (2, T, K), the list of a first
    rank    (2, T, U) rank of each document in each list, from 0; K where the list does not hold it
    there   (T, U) whether there is such a document
    hidden  (T) how many of them have no known name: one that both lists hold counts as two
    seen    ranks down to which names are known
    """

    lists: MeasureInputs
    rank: Ints
    there: Bools
    hidden: Ints
    seen: int

    @classmethod
    def of(cls, lists: MeasureInputs, number: NDArray[np.int32] | None) -> OpenPair:
        """Documents that are unjudged in either list; `number` (2, T, ranks) has their names, as numbers."""
        code = lists.code
        _, topics, depth = code.shape
        names = np.empty((2, topics, 0), np.int32) if number is None else number
        seen = names.shape[-1]
        new = code == UNJUDGED
        side, t, r = np.nonzero(new[..., :seen])
        size = int(names.max(initial=0)) + 1
        keys, doc = np.unique(t * size + names[side, t, r].astype(np.int64), return_inverse=True)
        topic = keys // size
        known = np.bincount(topic, minlength=topics)
        slot = np.arange(len(keys)) - np.searchsorted(topic, np.arange(topics))[topic]
        hidden = np.count_nonzero(new[..., seen:], axis=-1)
        count = known + hidden.sum(axis=0)
        rank = np.full((2, topics, int(count.max(initial=0))), depth, np.int64)
        rank[side, t, slot[doc]] = r
        for at, first in ((0, known), (1, known + hidden[0])):
            t, r = np.nonzero(new[at, :, seen:])
            place = np.arange(len(t)) - np.searchsorted(t, np.arange(topics))[t]
            rank[at, t, first[t] + place] = r + seen
        there = np.arange(rank.shape[-1]) < count[:, None]
        return cls(lists, rank, there, hidden.sum(axis=0), seen)

    def swapped(self) -> OpenPair:
        """The same with a in place of b."""
        lists = MeasureInputs(self.lists.code[::-1], self.lists.grades, self.lists.available)
        return replace(self, lists=lists, rank=self.rank[::-1])

    def on(self, topics: Bools | Ints) -> OpenPair:
        """The same on some topics."""
        lists = MeasureInputs(self.lists.code[:, topics], self.lists.grades, self.lists.available[topics])
        return OpenPair(lists, self.rank[:, topics], self.there[topics], self.hidden[topics], self.seen)

    def shown(self, measure: Measure, code: int) -> OpenPair:
        """The same with this grade for the last documents, which the measure sees in neither list."""
        width = int(np.flatnonzero(self.inside(measure).any(axis=(0, 1))).max(initial=-1)) + 1
        available = self.lists.available.copy()
        available[:, code - FIRST_GRADE] += np.count_nonzero(self.there[:, width:], axis=-1)
        lists = MeasureInputs(self.lists.code, self.lists.grades, available)
        return replace(self, lists=lists, rank=self.rank[..., :width], there=self.there[:, :width])

    @property
    def n(self) -> Ints:
        """(T) unjudged documents."""
        return np.count_nonzero(self.there, axis=-1)

    def inside(self, measure: Measure) -> Bools:
        """(2, T, U) whether the measure sees the document in each list."""
        return self.rank < self.lists.cut(measure).shape[-1]

    def known(self, measure: Measure) -> Bools:
        """(T) whether all documents that could matter have a name, so that none is counted twice."""
        cut = self.lists.cut(measure).shape[-1]
        return (self.hidden == 0) | (cut <= self.seen and not knows_recall_base(measure))

    def scores(self, codes: Ints, measure: Measure) -> Floats:
        """(..., 2, T) scores with these codes (T, U) for the documents.

        Codes (..., 2, T, U) may give a document another one in the list of a than in that of b; what the topic has is
        then that of b.
        """
        sides = np.stack([codes, codes]) if codes.ndim == 2 else codes
        code: Codes = np.repeat(self.lists.cut(measure)[None], int(np.prod(sides.shape[:-3], dtype=int)), axis=0)
        flat = sides.reshape(len(code), *sides.shape[-3:])
        inside = self.inside(measure)
        for side in (0, 1):
            t, u = np.nonzero(inside[side])
            code[:, side, t, self.rank[side, t, u]] = flat[:, side, t, u]
        grade = np.arange(FIRST_GRADE, FIRST_GRADE + len(self.lists.grades))
        more = np.stack([np.count_nonzero((flat[:, 1] == g) & self.there, axis=-1) for g in grade], axis=-1)
        full = MeasureInputs(code, self.lists.grades, (self.lists.available + more)[:, None])
        return scored(full, measure).reshape(sides.shape[:-1])

    def difference(self, codes: Ints, measure: Measure) -> Floats:
        """(..., T) score of b less that of a, with these codes."""
        scores = self.scores(codes, measure)
        difference: Floats = scores[..., 1, :] - scores[..., 0, :]
        return difference
