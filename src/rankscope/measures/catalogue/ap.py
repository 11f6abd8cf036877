"""Average precision, its parts, and precision at R."""

from __future__ import annotations

import numpy as np

from rankscope.arrays import Bools, ExactNumbers, Floats, Ints
from rankscope.measures.catalogue.weights import rank_sum, ranks
from rankscope.measures.exact import harmonic, quotient
from rankscope.measures.record import Measure


def sum_of_precisions(relevant: Bools) -> Floats:
    """Precision at each relevant document of the list, summed."""
    precision = np.add.accumulate(relevant, axis=-1, dtype=np.float64)
    precision /= ranks(relevant.shape[-1])
    precision *= relevant
    return rank_sum(precision)


def average_precision(relevant: Bools, total: Ints) -> Floats:
    """Precision at each relevant document, over all relevant documents of the topic, found or not."""
    return sum_of_precisions(relevant) / total


def self_normalised_ap(relevant: Bools) -> Floats:
    """Mean precision over the relevant documents that the list holds; 0 where it holds none."""
    return sum_of_precisions(relevant) / np.maximum(np.count_nonzero(relevant, axis=-1), 1)


def r_precision(relevant: Bools, total: Ints) -> Floats:
    """Precision at rank R."""
    within = np.arange(relevant.shape[-1]) < total[..., None]
    return np.count_nonzero(relevant & within, axis=-1) / total


def exact_sum_of_precisions(relevant: Bools) -> ExactNumbers:
    """As sum_of_precisions, never rounded."""
    return harmonic(np.add.accumulate(relevant, axis=-1, dtype=np.int64) * relevant)


def exact_average_precision(relevant: Bools, total: Ints) -> ExactNumbers:
    """As average_precision, never rounded."""
    return quotient(exact_sum_of_precisions(relevant), total)


def exact_self_normalised_ap(relevant: Bools) -> ExactNumbers:
    """As self_normalised_ap, never rounded."""
    return quotient(exact_sum_of_precisions(relevant), np.maximum(np.count_nonzero(relevant, axis=-1), 1))


def exact_r_precision(relevant: Bools, total: Ints) -> ExactNumbers:
    """As r_precision, never rounded."""
    within = np.arange(relevant.shape[-1]) < total[..., None]
    return quotient(np.count_nonzero(relevant & within, axis=-1), total)


AP = Measure(
    name="AP",
    kernel=average_precision,
    exact=exact_average_precision,
    formula=r"\frac{1}{R} \sum_{i} r_i \frac{1}{i} \sum_{j \le i} r_j",
    user_model="Stops at a relevant document, any of the R with equal chance, and judges by the precision so far.",
    bounds=(0.0, 1.0),
    improves="swaps",
    reference="buckley2000evaluating",
    oracle="pytrec_eval:map",
    trec=("map", "map_cut_{}"),
    note="AP@k divides by R, as trec_eval's map_cut does, not by min(R, k).",
)

SP = Measure(
    name="SP",
    kernel=sum_of_precisions,
    exact=exact_sum_of_precisions,
    formula=r"\sum_{i} r_i \frac{1}{i} \sum_{j \le i} r_j",
    user_model="Adds up the precision at every relevant document of the list.",
    bounds=(0.0, float("inf")),
    reference="moffat2013seven",
    oracle="none: the slow twin",
    note="Sum of precisions: AP times R.",
    improves="grades",
)

SN_AP = Measure(
    name="SN_AP",
    kernel=self_normalised_ap,
    exact=exact_self_normalised_ap,
    formula=r"\sum_{i} r_i \frac{1}{i} \sum_{j \le i} r_j \Big/ \sum_{i} r_i",
    user_model="Stops at a relevant document of the list, any with equal chance, and judges by the precision so far.",
    bounds=(0.0, 1.0),
    breaks_ipso="it divides by what the list itself holds: one more relevant document can lower it",
    reference="moffat2013seven",
    oracle="none: the slow twin",
    note="AP over the relevant documents of the list instead of all; 0 where the list holds none.",
    improves="swaps",
)

Rprec = Measure(
    name="Rprec",
    kernel=r_precision,
    exact=exact_r_precision,
    formula=r"\frac{1}{R} \sum_{i=1}^{R} r_i",
    user_model="Reads as many documents as there are relevant ones.",
    bounds=(0.0, 1.0),
    cutoff_rule="none",
    improves="swaps",
    reference="buckley2000evaluating",
    oracle="pytrec_eval:Rprec",
    trec=("Rprec", None),
)
