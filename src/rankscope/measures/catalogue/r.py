"""Recall: at a cutoff, capped, and of the whole list."""

from __future__ import annotations

import numpy as np

from rankscope.arrays import Bools, ExactNumbers, Floats, Ints
from rankscope.measures.exact import quotient
from rankscope.measures.record import Measure


def recall(relevant: Bools, total: Ints) -> Floats:
    """Share of the topic's relevant documents that the list holds."""
    return np.count_nonzero(relevant, axis=-1) / total


def capped_recall(relevant: Bools, total: Ints, *, cutoff: int) -> Floats:
    """Share of what a list of `cutoff` documents could hold at best."""
    return np.count_nonzero(relevant, axis=-1) / np.minimum(total, cutoff)


def exact_recall(relevant: Bools, total: Ints) -> ExactNumbers:
    """As recall, never rounded."""
    return quotient(np.count_nonzero(relevant, axis=-1), total)


def exact_capped_recall(relevant: Bools, total: Ints, *, cutoff: int) -> ExactNumbers:
    """As capped_recall, never rounded."""
    return quotient(np.count_nonzero(relevant, axis=-1), np.minimum(total, cutoff))


R = Measure(
    name="R",
    kernel=recall,
    exact=exact_recall,
    formula=r"\frac{1}{R} \sum_{i=1}^{k} r_i",
    user_model="Wants every relevant document and reads k.",
    bounds=(0.0, 1.0),
    cutoff_rule="required",
    improves="grades",
    reference="vanrijsbergen1979",
    oracle="pytrec_eval:recall",
    trec=(None, "recall_{}"),
)

R_cap = Measure(
    name="R_cap",
    kernel=capped_recall,
    exact=exact_capped_recall,
    formula=r"\frac{1}{\min(R, k)} \sum_{i=1}^{k} r_i",
    user_model="Wants every relevant document that k ranks can hold.",
    bounds=(0.0, 1.0),
    cutoff_rule="required",
    improves="grades",
    reference="thakur2021beir",
    oracle="none: the slow twin",
    note="Some tools print this as recall.",
)

SetR = Measure(
    name="SetR",
    kernel=recall,
    exact=exact_recall,
    formula=r"\frac{1}{R} \sum_{i=1}^{n} r_i",
    user_model="Wants every relevant document and reads the whole list.",
    bounds=(0.0, 1.0),
    cutoff_rule="none",
    improves="grades",
    reference="vanrijsbergen1979",
    oracle="pytrec_eval:set_recall",
    trec=("set_recall", None),
)
