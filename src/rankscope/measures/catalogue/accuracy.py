"""Accuracy: how often a relevant document stands above one that is not."""

from __future__ import annotations

import numpy as np

from rankscope.arrays import Bools, Floats, Ints
from rankscope.measures.record import Measure


def pairs_in_order(relevant: Bools, retrieved: Ints) -> Floats:
    """Share of the pairs of a relevant and another document of the list that have the relevant one first."""
    depth = relevant.shape[-1]
    listed = np.arange(depth) < retrieved[..., None]
    above = np.add.accumulate(listed & ~relevant, axis=-1, dtype=np.float64)
    hits = np.count_nonzero(relevant, axis=-1)
    pairs = hits * (retrieved - hits)
    wrong = np.add.reduce(above * relevant, axis=-1)  # whole numbers: exact in any order
    return np.where(hits > 0, 1 - wrong / np.maximum(pairs, 1), 0.0)


Accuracy = Measure(
    name="Accuracy",
    kernel=pairs_in_order,
    formula=r"\frac{1}{h (n - h)} \sum_{i < j} r_i (1 - r_j), \quad h = \sum_{i} r_i",
    user_model="Compares two documents of the list, one relevant and one not, and wants the relevant one first.",
    bounds=(0.0, 1.0),
    improves="swaps",
    breaks_ipso="it divides by what the list itself holds: one more relevant document at the end lowers it",
    reference="macavaney2022irmeasures",
    oracle="ir_measures:Accuracy",
    note="0 where the list holds no relevant document, 1 where it holds nothing else; ir_measures leaves the first "
    "kind of topic out and divides by 0 in the second.",
)
