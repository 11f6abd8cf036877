"""Plain counts, summed over topics."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankscope.arrays import Bools, Floats, Ints
from rankscope.measures.record import Kernel, Measure


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


def _count(name: str, kernel: Kernel, formula: str, trec: str, **fields: Any) -> Measure:
    """A count that is summed over topics."""
    defaults = {"user_model": "Counts.", "improves": "grades", "oracle": f"pytrec_eval:{trec}"}
    return Measure(
        name=name, kernel=kernel, formula=formula, bounds=(0.0, float("inf")), needs="nothing", aggregate="sum",
        reference="buckley2005trec_eval", trec=(trec, None), **(defaults | fields),
    )  # fmt: skip


NumRet = _count("NumRet", num_ret, "n", "num_ret", breaks_ipso="it counts documents, relevant or not")
NumRel = _count("NumRel", num_rel, "R", "num_rel", cutoff_rule="none")
NumRelRet = _count("NumRelRet", num_rel_ret, r"\sum_{i} r_i", "num_rel_ret")
NumQ = _count(
    "NumQ", num_q, "1", "num_q", user_model="Counts topics.", cutoff_rule="none", oracle="ir_measures:NumQ",
    note="All judged topics; trec_eval without -c counts those that the run has, too.",
)  # fmt: skip
NumNonRelJudgedRet = _count(
    "NumNonRelJudgedRet", num_nonrel_judged_ret, r"\sum_{i} [\, 0 \le \text{grade of } i < rel \,]",
    "num_nonrel_judged_ret", improves="", breaks_ipso="it counts documents that are not relevant",
    oracle="trec_eval 10:num_nonrel_judged_ret", note="A negative grade counts as unjudged here, as in trec_eval.",
)  # fmt: skip

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
