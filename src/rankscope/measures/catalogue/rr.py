"""The first relevant document: its reciprocal rank, and whether there is one."""

from __future__ import annotations

import numpy as np

from rankscope.arrays import Bools, ExactNumbers, Floats
from rankscope.measures.exact import objects, quotient
from rankscope.measures.record import Measure


def reciprocal_rank(relevant: Bools) -> Floats:
    """1 / rank of the first relevant document, 0 without one."""
    if not relevant.shape[-1]:
        return np.zeros(relevant.shape[:-1])
    first = relevant.argmax(axis=-1)
    return relevant.any(axis=-1) / (first + 1.0)


def success(relevant: Bools) -> Floats:
    """1 when there is a relevant document, else 0."""
    return np.asarray(relevant.any(axis=-1), np.float64)


def exact_reciprocal_rank(relevant: Bools) -> ExactNumbers:
    """As reciprocal_rank, never rounded."""
    if not relevant.shape[-1]:
        return objects(np.zeros(relevant.shape[:-1], np.int64))
    return quotient(relevant.any(axis=-1).astype(np.int64), relevant.argmax(axis=-1) + 1)


def exact_success(relevant: Bools) -> ExactNumbers:
    """As success, in whole numbers."""
    return objects(relevant.any(axis=-1).astype(np.int64))


RR = Measure(
    name="RR",
    kernel=reciprocal_rank,
    exact=exact_reciprocal_rank,
    formula=r"\frac{1}{\min \{ i : r_i = 1 \}}",
    user_model="Needs one relevant document and reads until it is found.",
    bounds=(0.0, 1.0),
    improves="grades",
    reference="kantor2000trec5",
    oracle="pytrec_eval:recip_rank",
    trec=("recip_rank", None),
    note="Uncut by default; MS MARCO reports RR@10.",
)

Success = Measure(
    name="Success",
    kernel=success,
    exact=exact_success,
    formula=r"\max_{i \le k} r_i",
    user_model="Needs one relevant document among the first k.",
    bounds=(0.0, 1.0),
    cutoff_rule="required",
    improves="grades",
    reference="jones2015features",
    oracle="pytrec_eval:success",
    trec=(None, "success_{}"),
    note="Also called HIT or hit rate; some tools print it as recall.",
)
