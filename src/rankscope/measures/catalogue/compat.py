"""Compatibility: the overlap of a list with the best list that is most like it."""

from __future__ import annotations

import numpy as np

from rankscope.arrays import Floats, Ints
from rankscope.measures.catalogue.weights import rank_sum, ranks
from rankscope.measures.record import Measure


def compatibility(gain: Floats, ideal: Floats, retrieved: Ints, *, p: float = 0.95, normalize: bool = True) -> Floats:
    """Rank-biased overlap of the list with the ideal one in which documents of a grade stand as they do in the list.

    A document is in both lists from the later of its two ranks on. Both ranks follow from grades alone.
    """
    n_relevant = np.count_nonzero(ideal > 0, axis=-1)
    depth = int(max(gain.shape[-1], ideal.shape[-1]))
    shared_from = np.zeros(gain.shape, np.int64)
    for level in np.unique(ideal[ideal > 0]):
        here = gain == level
        place = np.count_nonzero(ideal > level, axis=-1)[..., None] + np.add.accumulate(here, axis=-1, dtype=np.int64)
        shared_from = np.where(here, np.maximum(place, np.arange(1, gain.shape[-1] + 1)), shared_from)
    shared = np.zeros((*gain.shape[:-1], depth + 1))
    at = np.nonzero(shared_from)
    np.add.at(shared, (*at[:-1], shared_from[at]), 1.0)
    overlap = np.add.accumulate(shared, axis=-1)[..., 1:]
    weight = p ** np.arange(depth) * (np.arange(depth) < np.maximum(retrieved, n_relevant)[..., None])
    score = rank_sum(weight * overlap / ranks(depth))
    if normalize:
        return score / rank_sum(weight * np.minimum(ranks(depth), n_relevant[..., None]) / ranks(depth))
    return score / rank_sum(weight)


Compat = Measure(
    name="Compat",
    kernel=compatibility,
    formula=r"\sum_{i=1}^{d} p^{i-1} \frac{|L_i \cap I_i|}{i} \Big/ \sum_{i=1}^{d} p^{i-1} \frac{|I_i|}{i}, \quad "
    r"d = \max(n, |I|)",
    user_model="Compares the first i documents with the best i, and goes on with probability p.",
    bounds=(0.0, 1.0),
    needs="gain",
    cutoff_rule="none",
    within=(("p", (0, 1)),),
    breaks_ipso="the overlap is measured down to the end of the list: one more document, nothing to IPSO, moves it",
    reference="clarke2021compatibility",
    oracle="ir_measures:Compat",
    note="Of the ideal lists it takes the one most like the list: within a grade, documents stand as the list has "
    "them, and those that it lacks come last.",
)
