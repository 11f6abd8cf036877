"""Two lists of every topic, and the unjudged documents of either: each has one grade, wherever it stands."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rankscope.arrays import FIRST_GRADE, UNJUDGED, Bools, Codes, Floats, Ints
from rankscope.measures.bounding.possible_grades import knows_recall_base, scored
from rankscope.measures.inputs import MeasureInputs
from rankscope.measures.record import Measure

_NEAR = 32  # ranks down to which documents are found in the other list by looking at all of them


@dataclass(frozen=True, eq=False)
class OpenPair:
    """Two lists of every topic, and the unjudged documents of either, U at most.

    lists    codes (2, T, K), the list of a first
    number   (2, T, ranks) names of the documents, as numbers; ranks are none where names are not known
    turned   the same pair the other way round, which looks documents up for both; None: this one does
    """

    lists: MeasureInputs
    number: NDArray[np.int32]
    turned: OpenPair | None = None

    @classmethod
    def of(cls, lists: MeasureInputs, number: NDArray[np.int32] | None) -> OpenPair:
        """Documents that are unjudged in either list; `number` is None where no name is known."""
        return cls(lists, np.empty((*lists.code.shape[:2], 0), np.int32) if number is None else number)

    @property
    def seen(self) -> int:
        """Ranks down to which names are known."""
        return self.number.shape[-1]

    @cached_property
    def hidden(self) -> Ints:
        """(T) unjudged documents that have no known name: one that both lists hold counts as two."""
        return np.count_nonzero(self.lists.code[..., self.seen :] == UNJUDGED, axis=(0, 2))

    @property
    def rank(self) -> Ints:
        """(2, T, U) rank of each document in each list, from 0; K where the list does not hold it."""
        return self._documents[0]

    @property
    def there(self) -> Bools:
        """(T, U) whether there is such a document."""
        return self._documents[1]

    @cached_property
    def _documents(self) -> tuple[Ints, Bools]:
        """`rank` and `there`."""
        if self.turned is not None:
            rank, there = self.turned._documents
            return rank[::-1], there
        _, topics, depth = self.lists.code.shape
        new = self.lists.code == UNJUDGED
        side, t, r = np.nonzero(new[..., : self.seen])
        size = int(self.number.max(initial=0)) + 1
        keys, doc = np.unique(t * size + self.number[side, t, r].astype(np.int64), return_inverse=True)
        topic = keys // size
        known = np.bincount(topic, minlength=topics)
        slot = np.arange(len(keys)) - np.searchsorted(topic, np.arange(topics))[topic]
        hidden = np.count_nonzero(new[..., self.seen :], axis=-1)
        count = known + hidden.sum(axis=0)
        rank = np.full((2, topics, int(count.max(initial=0))), depth, np.int64)
        rank[side, t, slot[doc]] = r
        for at, first in ((0, known), (1, known + hidden[0])):
            t, r = np.nonzero(new[at, :, self.seen :])
            place = np.arange(len(t)) - np.searchsorted(t, np.arange(topics))[t]
            rank[at, t, first[t] + place] = r + self.seen
        return rank, np.arange(rank.shape[-1]) < count[:, None]

    def elsewhere(self, depth: int) -> Ints:
        """(2, T, depth) rank at which the other list has the unjudged document; `depth` where not down to there."""
        if self.turned is not None:
            return self.turned.elsewhere(depth)[::-1]
        if depth not in self._elsewhere:
            self._elsewhere[depth] = self._looked_up(depth)
        return self._elsewhere[depth]

    @cached_property
    def _elsewhere(self) -> dict[int, Ints]:
        return {}

    def _looked_up(self, depth: int) -> Ints:
        new = self.lists.code[..., :depth] == UNJUDGED
        ranks = np.full(new.shape, depth, np.int64)
        if depth > _NEAR:
            a, b = (np.minimum(rank, depth) for rank in self.rank)
            for side, own, other in ((0, a, b), (1, b, a)):
                t, u = np.nonzero(own < depth)
                ranks[side, t, own[t, u]] = other[t, u]
            return ranks
        a, b = self.number[..., :depth]
        t, at_a, at_b = np.nonzero((a[:, :, None] == b[:, None]) & new[0, :, : a.shape[-1], None])
        ranks[0, t, at_a], ranks[1, t, at_b] = at_b, at_a
        return ranks

    def swapped(self) -> OpenPair:
        """The same with a in place of b."""
        lists = MeasureInputs(self.lists.code[::-1], self.lists.grades, self.lists.available)
        return OpenPair(lists, self.number[::-1], self)

    def on(self, topics: Bools | Ints) -> OpenPair:
        """The same on some topics, with their documents where they have been looked up."""
        lists = MeasureInputs(self.lists.code[:, topics], self.lists.grades, self.lists.available[topics])
        part = OpenPair(lists, self.number[:, topics])
        if "_documents" in self.__dict__:
            rank, there = self._documents
            part.__dict__["_documents"] = rank[:, topics], there[topics]
        return part

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
