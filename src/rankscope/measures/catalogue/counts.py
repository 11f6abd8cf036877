"""Plain counts, summed over topics."""

from __future__ import annotations

import numpy as np

from rankscope.arrays import Bools, Ints
from rankscope.measures.record import Measure


def num_ret(retrieved: Ints) -> Ints:
    """Documents in the list."""
    return retrieved


def num_rel(relevant: Bools, total: Ints) -> Ints:
    """Relevant documents of the topic."""
    return np.broadcast_to(total, relevant.shape[:-1])


def num_rel_ret(relevant: Bools) -> Ints:
    """Relevant documents in the list."""
    counts: Ints = np.count_nonzero(relevant, axis=-1)
    return counts


NumRet = Measure(
    name="NumRet",
    kernel=num_ret,
    formula="n",
    user_model="Counts.",
    bounds=(0.0, float("inf")),
    needs="nothing",
    aggregate="sum",
    improves="grades",
    breaks_ipso="it counts documents, relevant or not",
    reference="buckley2005trec_eval",
    oracle="pytrec_eval:num_ret",
    trec=("num_ret", None),
)

NumRel = Measure(
    name="NumRel",
    kernel=num_rel,
    formula="R",
    user_model="Counts.",
    bounds=(0.0, float("inf")),
    needs="nothing",
    cutoff_rule="none",
    aggregate="sum",
    improves="grades",
    reference="buckley2005trec_eval",
    oracle="pytrec_eval:num_rel",
    trec=("num_rel", None),
)

NumRelRet = Measure(
    name="NumRelRet",
    kernel=num_rel_ret,
    formula=r"\sum_{i} r_i",
    user_model="Counts.",
    bounds=(0.0, float("inf")),
    needs="nothing",
    aggregate="sum",
    improves="grades",
    reference="buckley2005trec_eval",
    oracle="pytrec_eval:num_rel_ret",
    trec=("num_rel_ret", None),
)
