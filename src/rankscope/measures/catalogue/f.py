"""The F measure: precision and recall in one."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from rankscope.arrays import Bools, ExactNumbers, Floats, Ints
from rankscope.measures.exact import objects, quotient
from rankscope.measures.record import Measure


def f_at(relevant: Bools, total: Ints, *, cutoff: int, beta: float = 1.0) -> Floats:
    """Weighted harmonic mean of P@k and R@k; 0 when nothing relevant is found."""
    return (1 + beta**2) * np.count_nonzero(relevant, axis=-1) / (beta**2 * total + cutoff)


def set_f(relevant: Bools, retrieved: Ints, total: Ints, *, beta: float = 1.0) -> Floats:
    """Weighted harmonic mean of SetP and SetR."""
    return (1 + beta**2) * np.count_nonzero(relevant, axis=-1) / (beta**2 * total + retrieved)


def exact_f_at(relevant: Bools, total: Ints, *, cutoff: int, beta: Fraction = Fraction(1)) -> ExactNumbers:
    """As f_at, never rounded."""
    hits = objects(np.count_nonzero(relevant, axis=-1))
    return quotient(hits * (1 + beta**2), objects(total) * beta**2 + cutoff)


def exact_set_f(relevant: Bools, retrieved: Ints, total: Ints, *, beta: Fraction = Fraction(1)) -> ExactNumbers:
    """As set_f, never rounded."""
    hits = objects(np.count_nonzero(relevant, axis=-1))
    return quotient(hits * (1 + beta**2), objects(total) * beta**2 + objects(retrieved))


_FORMULA = r"\frac{(1 + \beta^2) P R}{\beta^2 P + R}"

F = Measure(
    name="F",
    kernel=f_at,
    exact=exact_f_at,
    formula=_FORMULA,
    user_model="Reads k documents and cares beta times as much for recall as for precision.",
    bounds=(0.0, 1.0),
    cutoff_rule="required",
    improves="grades",
    reference="vanrijsbergen1979",
    oracle="none: the slow twin",
)

SetF = Measure(
    name="SetF",
    kernel=set_f,
    exact=exact_set_f,
    formula=_FORMULA,
    user_model="Reads the whole list and cares beta times as much for recall as for precision.",
    bounds=(0.0, 1.0),
    cutoff_rule="none",
    improves="grades",
    breaks_ipso="it divides by the length of the list: one more non-relevant document, nothing to IPSO, lowers it",
    reference="vanrijsbergen1979",
    oracle="pytrec_eval:set_F",
    trec=("set_F", None),
    note="trec_eval's parameter of set_F stands for beta squared.",
)
