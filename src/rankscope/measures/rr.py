"""The first relevant document: its reciprocal rank, and whether there is one."""

from __future__ import annotations

import numpy as np

from rankscope.arrays import Bools, Floats
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


RR = Measure(
    name="RR",
    kernel=reciprocal_rank,
    formula=r"\frac{1}{\min \{ i : r_i = 1 \}}",
    user_model="Needs one relevant document and reads until it is found.",
    bounds=(0.0, 1.0),
    reference="kantor2000trec5",
    oracle="pytrec_eval:recip_rank",
    trec=("recip_rank", None),
    note="Uncut by default; MS MARCO reports RR@10.",
)

Success = Measure(
    name="Success",
    kernel=success,
    formula=r"\max_{i \le k} r_i",
    user_model="Needs one relevant document among the first k.",
    bounds=(0.0, 1.0),
    cutoff_rule="required",
    reference="jones2015features",
    oracle="pytrec_eval:success",
    trec=(None, "success_{}"),
    note="Also called HIT or hit rate; some tools print it as recall.",
)
