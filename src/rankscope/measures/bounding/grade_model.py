"""Probable grades of unjudged documents: those of judged documents at similar ranks that as many systems hold.

As in bootstrapped nDCG (Fröbe, Gienapp, Potthast and Hagen 2023) an unjudged document draws its grade from judged
documents of its topic. Here they are documents of the same stratum: a band of ranks, and whether one system holds the
document or several. A topic has few of them, so `STRENGTH` documents with the grades of the stratum over all topics
join them. Nothing says that unjudged documents are like judged ones. The spread of drawn grades is no confidence
interval: where judgments were hidden, it held the difference by all judgments far too rarely (docs/validity-holes.md).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankscope.arrays import FIRST_GRADE, PADDING, Floats, Ints
from rankscope.measures.inputs import MeasureInputs

BANDS = (3, 10, 30, 100, 300)
"""Ranks at which bands end; the last one has no end."""
STRENGTH = 5.0
"""Documents of the stratum over all topics that join those of a topic."""


@dataclass(frozen=True, slots=True, eq=False)
class GradeModel:
    """Probabilities of grades by topic and stratum, (T, strata, grades)."""

    share: Floats

    @classmethod
    def of(cls, lists: MeasureInputs, number: NDArray[np.int32]) -> GradeModel:
        """The grades of judged documents in lists (S, T, K), with the documents' numbers."""
        s, t, r = np.nonzero(lists.code != PADDING)
        code, names = lists.code[s, t, r].astype(np.int64), number[s, t, r].astype(np.int64)
        size = int(names.max(initial=0)) + 1
        keys, first, doc, held = np.unique(t * size + names, return_index=True, return_inverse=True, return_counts=True)
        best = np.full(len(keys), lists.code.shape[-1])
        np.minimum.at(best, doc, r)
        judged = code[first] >= FIRST_GRADE
        count = np.zeros((lists.code.shape[1], 2 * len(BANDS) + 2, len(lists.grades)))
        np.add.at(count, (keys[judged] // size, stratum(best, held)[judged], code[first][judged] - FIRST_GRADE), 1)
        overall = count.sum(axis=0) + 0.5  # no grade is impossible
        overall /= overall.sum(axis=-1, keepdims=True)
        share = count + STRENGTH * overall
        return cls(share / share.sum(axis=-1, keepdims=True))

    def probabilities(self, topic: int, best: Ints, held: Ints) -> Floats:
        """(documents, grades) of documents whose best rank, from 0, and number of systems are these."""
        shares: Floats = self.share[topic, stratum(best, held)]
        return shares


def stratum(best: Ints, held: Ints) -> Ints:
    """Band of the best rank, and whether one system holds the document or several."""
    band: Ints = np.searchsorted(BANDS, np.asarray(best), side="right") * 2 + (np.asarray(held) > 1)
    return band


def drawn(shares: Floats, uniform: Floats) -> Ints:
    """Codes of grades, (draws, documents), from uniform numbers."""
    limits = np.cumsum(shares, axis=-1)[..., :-1]
    codes: Ints = FIRST_GRADE + (uniform[..., None] >= limits).sum(axis=-1)
    return codes
