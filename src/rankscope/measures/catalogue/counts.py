"""Plain counts, summed over topics."""

from __future__ import annotations

import numpy as np

from rankscope.arrays import Bools, Floats, Ints
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


def num_q(retrieved: Ints) -> Ints:
    """1 for each topic."""
    return np.ones_like(retrieved)


def num_nonrel_judged_ret(nonrelevant: Bools) -> Ints:
    """Documents in the list that are judged and not relevant."""
    counts: Ints = np.count_nonzero(nonrelevant, axis=-1)
    return counts


def set_utility(
    relevant: Bools,
    retrieved: Ints,
    total: Ints,
    *,
    found: float = 1.0,
    noise: float = -1.0,
    missed: float = 0.0,
    rejected: float = 0.0,
    docs: int = 0,
) -> Floats:
    """Worth of the list as a set: so much per document that is relevant or not, in the list or not."""
    hits = np.count_nonzero(relevant, axis=-1)
    others = docs + hits - retrieved - total
    return np.asarray(found * hits + noise * (retrieved - hits) + missed * (total - hits) + rejected * others)


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

NumQ = Measure(
    name="NumQ",
    kernel=num_q,
    formula="1",
    user_model="Counts topics.",
    bounds=(0.0, float("inf")),
    needs="nothing",
    cutoff_rule="none",
    aggregate="sum",
    improves="grades",
    reference="buckley2005trec_eval",
    oracle="ir_measures:NumQ",
    trec=("num_q", None),
    note="All judged topics; trec_eval without -c counts those that the run has, too.",
)

NumNonRelJudgedRet = Measure(
    name="NumNonRelJudgedRet",
    kernel=num_nonrel_judged_ret,
    formula=r"\sum_{i} [\, 0 \le \text{grade of } i < rel \,]",
    user_model="Counts.",
    bounds=(0.0, float("inf")),
    needs="nothing",
    aggregate="sum",
    breaks_ipso="it counts documents that are not relevant",
    reference="buckley2005trec_eval",
    oracle="trec_eval 10:num_nonrel_judged_ret",
    trec=("num_nonrel_judged_ret", None),
    note="A negative grade counts as unjudged here, as in trec_eval.",
)

utility = Measure(
    name="utility",
    kernel=set_utility,
    formula=r"u_1 h + u_2 (n - h) + u_3 (R - h) + u_4 (D + h - n - R), \quad h = \sum_{i} r_i",
    user_model="Gains and loses so much by every document, relevant or not, retrieved or not.",
    bounds=(float("-inf"), float("inf")),
    needs="nothing",
    cutoff_rule="none",
    breaks_ipso="by default it subtracts 1 for every document that is not relevant, nothing to IPSO",
    reference="buckley2005trec_eval",
    oracle="trec_eval 10:utility",
    trec=("utility", None),
    note="found, noise, missed and rejected are trec_eval's four coefficients in their order; docs is its -N, the "
    "number of documents in the collection.",
)
