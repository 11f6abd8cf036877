"""Average precision, its parts, and precision at R."""

from __future__ import annotations

import numpy as np

from rankscope.arrays import Bools, ExactNumbers, Floats, Ints
from rankscope.measures.catalogue.weights import hits
from rankscope.measures.exact import harmonic, quotient
from rankscope.measures.record import Measure

LEAST = 1e-5  # what a score counts at least in trec_eval's geometric means


def sum_of_precisions(relevant: Bools) -> Floats:
    """Precision at each relevant document of the list, summed."""
    found = hits(relevant)
    return found.sum(found.number / found.rank)


def average_precision(relevant: Bools, total: Ints) -> Floats:
    """Precision at each relevant document, over all relevant documents of the topic, found or not."""
    return sum_of_precisions(relevant) / total


def self_normalised_ap(relevant: Bools) -> Floats:
    """Mean precision over the relevant documents that the list holds; 0 where it holds none."""
    return sum_of_precisions(relevant) / np.maximum(np.count_nonzero(relevant, axis=-1), 1)


def capped_ap(relevant: Bools, total: Ints, *, cutoff: int) -> Floats:
    """Precision at each relevant document down to the cutoff, over as many as could stand there."""
    return sum_of_precisions(relevant) / np.minimum(total, cutoff)


def set_ap(relevant: Bools, retrieved: Ints, total: Ints) -> Floats:
    """Precision of the whole list times its recall."""
    hits = np.count_nonzero(relevant, axis=-1).astype(np.float64)
    return hits * hits / (np.maximum(retrieved, 1) * total)


def smoothed_ap(relevant: Bools, total: Ints) -> Floats:
    """Logarithm of the odds of AP, one relevant and one missed document added."""
    precisions = sum_of_precisions(relevant)
    return np.log((1 + precisions) / (1 + total - precisions))


def log_ap(relevant: Bools, total: Ints) -> Floats:
    """Logarithm of AP, which counts as 0.00001 where it is less."""
    return np.log(np.maximum(average_precision(relevant, total), LEAST))


def precision_at_multiple(relevant: Bools, total: Ints, *, mult: float = 1.0) -> Floats:
    """Precision at the rank that is so many times R, rounded as trec_eval does."""
    rank = np.floor(mult * total + 0.9)
    within = np.arange(relevant.shape[-1]) < rank[..., None]
    return np.count_nonzero(relevant & within, axis=-1) / np.maximum(rank, 1)


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

AP_cap = Measure(
    name="AP_cap",
    kernel=capped_ap,
    formula=r"\frac{1}{\min(R, k)} \sum_{i=1}^{k} r_i \frac{1}{i} \sum_{j \le i} r_j",
    user_model="The reader of AP, who asks for no more relevant documents than k ranks can hold.",
    bounds=(0.0, 1.0),
    cutoff_rule="required",
    improves="swaps",
    reference="thakur2021beir",
    oracle="none: the slow twin",
    note="Recommender tools print this as MAP@k; AP@k divides by R.",
)

SetAP = Measure(
    name="SetAP",
    kernel=set_ap,
    formula=r"\frac{1}{n R} \left( \sum_{i=1}^{n} r_i \right)^2",
    user_model="Reads the whole list in any order: precision times recall.",
    bounds=(0.0, 1.0),
    cutoff_rule="none",
    improves="grades",
    breaks_ipso="it divides by the length of the list: one more non-relevant document, nothing to IPSO, lowers it",
    reference="buckley2005trec_eval",
    oracle="pytrec_eval:set_map",
    trec=("set_map", None),
)

yaap = Measure(
    name="yaap",
    kernel=smoothed_ap,
    formula=r"\ln \frac{1 + S}{1 + R - S}, \quad S = \sum_{i} r_i \frac{1}{i} \sum_{j \le i} r_j",
    user_model="The reader of AP, whose scores are spread out near 0 and 1.",
    bounds=(float("-inf"), float("inf")),
    cutoff_rule="none",
    improves="swaps",
    reference="robertson2012smoothing",
    oracle="trec_eval 10:yaap",
    trec=("yaap", None),
    note="Robertson's smoothed AP. It orders the lists of one topic as AP does; no relevant document found gives "
    "-ln(1 + R).",
)

gm_map = Measure(
    name="gm_map",
    kernel=log_ap,
    formula=r"\ln \max(AP, 10^{-5})",
    user_model="The reader of AP, where topics that go badly weigh most.",
    bounds=(float(np.log(LEAST)), 0.0),
    cutoff_rule="none",
    aggregate="geometric",
    improves="swaps",
    reference="robertson2006gmap",
    oracle="trec_eval 10:gm_map",
    trec=("gm_map", None),
    note="The score of a topic is a logarithm; over topics evaluate prints e to the mean, the geometric mean of AP. "
    "Tests compare the means of logarithms, so a difference of d says that the geometric means have the ratio e^d.",
)

Rprec_mult = Measure(
    name="Rprec_mult",
    kernel=precision_at_multiple,
    formula=r"\frac{1}{c} \sum_{i=1}^{c} r_i, \quad c = \lfloor m R + 0.9 \rfloor",
    user_model="Reads m times as many documents as there are relevant ones.",
    bounds=(0.0, 1.0),
    cutoff_rule="none",
    improves="swaps",
    within=(("mult", (0, float("inf"))),),
    reference="buckley2005trec_eval",
    oracle="trec_eval 10:Rprec_mult",
    note="mult=1 is Rprec. trec_eval's Rprec_mult prints ten multiples, 0.2 to 2.0.",
)
