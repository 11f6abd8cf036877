"""Average precision, and precision at R."""

from __future__ import annotations

import numpy as np

from rankscope.arrays import Bools, Floats, Ints
from rankscope.measures.record import Measure
from rankscope.measures.weights import rank_sum, ranks


def average_precision(relevant: Bools, total: Ints) -> Floats:
    """Precision at each relevant document, over all relevant documents of the topic, found or not."""
    found = np.add.accumulate(relevant, axis=-1, dtype=np.float64)
    found /= ranks(relevant.shape[-1])
    found *= relevant
    return rank_sum(found) / total


def r_precision(relevant: Bools, total: Ints) -> Floats:
    """Precision at rank R."""
    within = np.arange(relevant.shape[-1]) < total[..., None]
    return np.count_nonzero(relevant & within, axis=-1) / total


AP = Measure(
    name="AP",
    kernel=average_precision,
    formula=r"\frac{1}{R} \sum_{i} r_i \frac{1}{i} \sum_{j \le i} r_j",
    user_model="Stops at a relevant document, any of the R with equal chance, and judges by the precision so far.",
    bounds=(0.0, 1.0),
    reference="buckley2000evaluating",
    oracle="pytrec_eval:map",
    trec=("map", "map_cut_{}"),
    note="AP@k divides by R, as trec_eval's map_cut does, not by min(R, k).",
)

Rprec = Measure(
    name="Rprec",
    kernel=r_precision,
    formula=r"\frac{1}{R} \sum_{i=1}^{R} r_i",
    user_model="Reads as many documents as there are relevant ones.",
    bounds=(0.0, 1.0),
    cutoff_rule="none",
    reference="buckley2000evaluating",
    oracle="pytrec_eval:Rprec",
    trec=("Rprec", None),
)
