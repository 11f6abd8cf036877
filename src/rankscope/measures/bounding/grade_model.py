"""Probable grades of unjudged documents: those of judged documents at similar ranks in the same two lists.

As in bootstrapped nDCG (Fröbe, Gienapp, Potthast and Hagen 2023) an unjudged document draws its grade from judged
documents of its topic. Here they are documents of the same stratum: the band of ranks in the first list, and that in
the second. A topic has few of them, so the shares of grades are drawn first: over all topics, then of the topic, each
from its posterior distribution. So draws also differ by what the judgments leave open about the shares (proper
imputation, Rubin 1987), and the spread of a difference over draws is an interval. It assumes that unjudged documents
are like judged ones at the same ranks. How often it holds, and where it does not: docs/validity-holes.md.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankscope.arrays import FIRST_GRADE, PADDING, Bools, Floats, Ints
from rankscope.measures.inputs import MeasureInputs

BANDS = (3, 10, 30, 100, 300)
"""Ranks at which bands end; the last one has no end."""
STRENGTH = 5.0
"""Documents with the shares of all topics that join those of a topic."""
FEW = 10
"""Judged documents of a stratum below which its shares are hardly known."""
_BANDS = len(BANDS) + 2  # the last is that of documents which a list does not hold
_FIRST, _SECOND = np.divmod(np.arange(_BANDS**2), _BANDS)
_ALIKE = 2 * np.minimum(_FIRST, _SECOND) + (np.maximum(_FIRST, _SECOND) == _BANDS - 1)
"""Strata with the same better band, whichever list it is of, held by one list or by both."""


@dataclass(slots=True, eq=False)
class GradeModel:
    """Grades of the judged documents of two lists.

    count  (T, strata, grades) judged documents
    depth  ranks of the lists
    share  (D, strata, grades) draws of the shares of grades over all topics
    """

    count: Floats
    depth: int
    share: Floats

    @classmethod
    def of(cls, lists: MeasureInputs, number: NDArray[np.int32]) -> GradeModel:
        """The grades of judged documents in lists (2, T, K), with the documents' numbers; no shares yet."""
        s, t, r = np.nonzero(lists.code != PADDING)
        code, names = lists.code[s, t, r].astype(np.int64), number[s, t, r].astype(np.int64)
        size, depth = int(names.max(initial=0)) + 1, lists.code.shape[-1]
        keys, first, doc = np.unique(t * size + names, return_index=True, return_inverse=True)
        rank = np.full((2, len(keys)), depth)
        rank[s, doc] = r
        count = np.zeros((lists.code.shape[1], _BANDS**2, len(lists.grades)))
        judged = code[first] >= FIRST_GRADE
        place = stratum(rank, depth)[judged]
        np.add.at(count, (keys[judged] // size, place, code[first][judged] - FIRST_GRADE), 1)
        return cls(count, depth, np.empty((0, *count.shape[1:])))

    def draw_shares(self, draws: int, seed: int) -> None:
        """Draw the shares of grades over all topics; strata that are alike weigh as one document."""
        total = self.count.sum(axis=0)
        alike = np.zeros((2 * _BANDS, total.shape[-1]))
        np.add.at(alike, _ALIKE, total)
        overall = total.sum(axis=0) + 0.5  # no grade is impossible
        alike += 0.5 * overall / overall.sum()
        alike /= alike.sum(axis=-1, keepdims=True)
        self.share = dirichlet(np.broadcast_to(total + alike[_ALIKE], (draws, *total.shape)), [seed, 0, 1])

    def drawn(self, topic: int, rank: Ints, uniform: Floats, seed: int) -> Ints:
        """(D, documents) codes of documents with ranks (2, documents), from uniform numbers of that shape."""
        here, place = np.unique(stratum(rank, self.depth), return_inverse=True)
        share = dirichlet(self.count[topic, here] + STRENGTH * self.share[:, here], [seed, topic, 2])
        limits = np.cumsum(share, axis=-1)[:, place, :-1]
        codes: Ints = FIRST_GRADE + (uniform[..., None] >= limits).sum(axis=-1)
        return codes

    def hardly_known(self, rank: Ints) -> Bools:
        """Which documents with ranks (2, documents) are of a stratum with few judged documents."""
        few: Bools = self.count.sum(axis=(0, 2))[stratum(rank, self.depth)] < FEW
        return few


def stratum(rank: Ints, depth: int) -> Ints:
    """Number of the stratum from ranks (2, documents), from 0; `depth` where a list does not hold the document."""
    band = np.where(rank >= depth, _BANDS - 1, np.searchsorted(BANDS, rank, side="right"))
    place: Ints = band[0] * _BANDS + band[1]
    return place


def dirichlet(parameters: Floats, seed: list[int]) -> Floats:
    """Random shares with Dirichlet distributions of these parameters, which lie along the last axis."""
    gamma = np.random.default_rng(seed).standard_gamma(parameters) + np.finfo(float).tiny
    shares: Floats = gamma / gamma.sum(axis=-1, keepdims=True)
    return shares
