"""Precision: at a cutoff, and of the whole list."""

from __future__ import annotations

import numpy as np

from rankscope.arrays import Bools, ExactNumbers, Floats, Ints
from rankscope.measures.exact import quotient
from rankscope.measures.record import Measure


def precision(relevant: Bools, *, cutoff: int) -> Floats:
    """Share of the first `cutoff` ranks that are relevant; ranks past the end of the list are not."""
    return np.count_nonzero(relevant, axis=-1) / cutoff


def set_precision(relevant: Bools, retrieved: Ints) -> Floats:
    """Share of the list that is relevant; 0 for an empty list."""
    return np.count_nonzero(relevant, axis=-1) / np.maximum(retrieved, 1)


def relative_set_precision(relevant: Bools, retrieved: Ints, total: Ints) -> Floats:
    """Share of the relevant documents that a list of this length could hold; 0 for an empty list."""
    return np.count_nonzero(relevant, axis=-1) / np.maximum(np.minimum(retrieved, total), 1)


def exact_precision(relevant: Bools, *, cutoff: int) -> ExactNumbers:
    """As precision, never rounded."""
    return quotient(np.count_nonzero(relevant, axis=-1), cutoff)


def exact_set_precision(relevant: Bools, retrieved: Ints) -> ExactNumbers:
    """As set_precision, never rounded."""
    return quotient(np.count_nonzero(relevant, axis=-1), np.maximum(retrieved, 1))


P = Measure(
    name="P",
    kernel=precision,
    exact=exact_precision,
    formula=r"\frac{1}{k} \sum_{i=1}^{k} r_i",
    user_model="Reads exactly k documents and likes every relevant one equally.",
    bounds=(0.0, 1.0),
    cutoff_rule="required",
    improves="grades",
    reference="vanrijsbergen1979",
    oracle="pytrec_eval:P",
    trec=(None, "P_{}"),
    note="Lists shorter than k still divide by k, as in trec_eval.",
)

SetP = Measure(
    name="SetP",
    kernel=set_precision,
    exact=exact_set_precision,
    formula=r"\frac{1}{n} \sum_{i=1}^{n} r_i",
    user_model="Reads the whole list.",
    bounds=(0.0, 1.0),
    cutoff_rule="none",
    improves="grades",
    breaks_ipso="it divides by the length of the list: one more non-relevant document, nothing to IPSO, lowers it",
    reference="vanrijsbergen1979",
    oracle="pytrec_eval:set_P",
    trec=("set_P", None),
)

SetRelP = Measure(
    name="SetRelP",
    kernel=relative_set_precision,
    formula=r"\frac{1}{\min(n, R)} \sum_{i=1}^{n} r_i",
    user_model="Reads the whole list and wants as many relevant documents as it could hold.",
    bounds=(0.0, 1.0),
    cutoff_rule="none",
    improves="grades",
    breaks_ipso="it divides by the length of the list: one more non-relevant document, nothing to IPSO, lowers it",
    reference="buckley2005trec_eval",
    oracle="pytrec_eval:set_relative_P",
    trec=("set_relative_P", None),
    note="ir_measures writes SetP(relative=True).",
)
