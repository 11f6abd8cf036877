"""Ranks at every recall level of all lists."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankscope import kernels
from rankscope.arrays import FIRST_GRADE, Floats, Ints
from rankscope.judged import Judged
from rankscope.preferences.recall_levels import LATE
from rankscope.studies.preference_lists import relevant_code


@dataclass(frozen=True, slots=True, eq=False)
class RecallLevelRanks:
    """Rank at which each list finds its i-th relevant document.

    rank   (T, S, levels) LATE where unretrieved
    total  (T) how many relevant documents there are: a level beyond it does not exist
    """

    rank: Ints
    total: Ints

    @classmethod
    def of(cls, judged: Judged) -> RecallLevelRanks:
        first, depth = relevant_code(judged), judged.code.shape[-1]
        total = judged.available[:, first - FIRST_GRADE :].sum(axis=1)
        most = min(depth, int(total.max(initial=0)))
        ranks = kernels.relevant_ranks(np.ascontiguousarray(judged.code), first, depth, most, 0, len(total))
        retrieved = np.arange(most) < ranks.used[..., None]
        return cls(np.where(retrieved, ranks.rank[..., :most].astype(np.int64), LATE), total)

    def reciprocal(self, levels: int) -> Floats:
        """(T, S, levels) RR_i of the first levels, 0 where unretrieved."""
        rank = self.upto(levels)
        reciprocals: Floats = np.where(rank < LATE, 1.0 / rank, 0.0)
        return reciprocals

    def upto(self, levels: int) -> Ints:
        """(T, S, levels) ranks of the first levels, filled up with LATE."""
        missing = max(0, levels - self.rank.shape[-1])
        return np.pad(self.rank[..., :levels], ((0, 0), (0, 0), (0, missing)), constant_values=LATE)

    def places_from(self, level: int) -> Ints:
        """(T, S) where a list stands in its topic by its ranks from a level on, best first; equal lists share it.

        The level counts from 0: 0 is lexiprecision's order.
        """
        topics, systems, most = self.rank.shape
        suffix = self.rank[..., level:].reshape(topics * systems, max(0, most - level))
        topic = np.repeat(np.arange(topics), systems)
        order = np.lexsort((*suffix.T[::-1], topic))
        step = np.zeros(len(order), np.int64)
        step[1:] = (suffix[order[1:]] != suffix[order[:-1]]).any(axis=1)  # only compared within a topic
        place = np.empty(len(order), np.int64)
        place[order] = np.cumsum(step)
        return place.reshape(topics, systems)
