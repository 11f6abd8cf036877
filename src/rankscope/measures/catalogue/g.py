"""Buckley's G: gains discounted by what has been missed so far, not by rank."""

from __future__ import annotations

import numpy as np

from rankscope.arrays import Bools, Floats, Ints
from rankscope.measures.catalogue.weights import rank_sum
from rankscope.measures.record import Measure


def normalised_gain(gain: Floats, ideal: Floats) -> Floats:
    """Gains over log2 of 2 plus what an ideal list would have gained more by then, of all gains of the topic."""
    behind = np.add.accumulate(_costs(gain, ideal) - gain, axis=-1)
    with_gain = gain > 0
    return rank_sum(np.divide(gain, np.log2(2 + behind), out=np.zeros_like(gain), where=with_gain)) / rank_sum(ideal)


def binary_gain(relevant: Bools, total: Ints) -> Floats:
    """1 over log2 of 2 plus the non-relevant documents above, averaged over the relevant documents of the topic."""
    above = np.add.accumulate(~relevant, axis=-1, dtype=np.float64)
    return rank_sum(relevant / np.log2(2 + above)) / total


def _costs(gain: Floats, ideal: Floats) -> Floats:
    """Gain of the ideal list at each rank of the list, at least 1."""
    depth = gain.shape[-1]
    best = np.zeros((*ideal.shape[:-1], depth))
    best[..., : min(depth, ideal.shape[-1])] = ideal[..., :depth]
    return np.maximum(best, 1.0)


G = Measure(
    name="G",
    kernel=normalised_gain,
    formula=r"\sum_i \frac{g_i}{\log_2 (2 + \sum_{j \le i} (\max(1, g^*_j) - g_j))} \Big/ \sum_j g^*_j, \quad "
    r"g^* \text{ the ideal list}",
    user_model="Forgives a late document where nearly all that could come before it did.",
    bounds=(0.0, float("inf")),
    needs="gain",
    cutoff_rule="none",
    breaks_ipso="with several grades, high gains late in a list make up for what was missed, and a later rank counts "
    "for more than an earlier one",
    reference="buckley2005trec_eval",
    oracle="trec_eval 10:G",
    trec=("G", None),
)

binG = Measure(
    name="binG",
    kernel=binary_gain,
    formula=r"\frac{1}{R} \sum_i \frac{r_i}{\log_2 (2 + \sum_{j < i} (1 - r_j))}",
    user_model="Counts the non-relevant documents above each relevant one.",
    bounds=(0.0, 1.0),
    cutoff_rule="none",
    improves="swaps",
    reference="buckley2005trec_eval",
    oracle="trec_eval 10:binG",
    trec=("binG", None),
)
