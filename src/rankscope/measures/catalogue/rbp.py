"""Rank-biased precision, and how much of it the judgments leave open."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from rankscope.arrays import Bools, ExactNumbers, Floats, Ints
from rankscope.measures.catalogue.weights import geometric, rank_sum
from rankscope.measures.exact import in_powers, over
from rankscope.measures.record import Measure


def rbp(gain: Floats, *, p: float = 0.8) -> Floats:
    """Expected gain of a reader who goes on with probability p; the list goes on without gain for ever."""
    return rank_sum(gain * geometric(gain.shape[-1], p))


def exact_rbp(gain: Any, *, unit: int, p: Fraction = Fraction(4, 5)) -> ExactNumbers:
    """As rbp, never rounded: with p = a/b, the list read as a number whose places are worth a^(i-1) b^(n-i)."""
    a, b, depth = p.numerator, p.denominator, gain.shape[-1]
    return over((b - a) * in_powers(gain, a, b, depth), b**depth * unit)


def rbp_residual(unjudged: Bools, retrieved: Ints, *, p: float = 0.8) -> Floats:
    """Residual of RBP: what it would gain if all unjudged documents and all after the list had full gain."""
    beyond = p ** np.arange(unjudged.shape[-1] + 1.0)  # weight of all that follows rank 0, 1, ...
    return rank_sum(unjudged * geometric(unjudged.shape[-1], p)) + beyond[retrieved]


RBP = Measure(
    name="RBP",
    kernel=rbp,
    exact=exact_rbp,
    formula=r"(1-p) \sum_{i \ge 1} g_i \, p^{i-1}",
    user_model="After every document the reader goes on with probability p.",
    bounds=(0.0, 1.0),
    needs="gain",
    gain="binary",
    gain_parameters=("rel", "gain", "gains", "max_rel"),
    within=(("p", (0, 1)),),
    improves="grades",
    reference="moffat2008rbp",
    oracle="cwl_eval:RBP",
    note='Binary at rel=1 by default; gain="linear" takes grade / largest grade of all judgments, trec_eval 10 takes '
    "grade / largest grade of the topic.",
)

RBPResidual = Measure(
    name="RBPResidual",
    kernel=rbp_residual,
    formula=r"(1-p) \sum_{i \text{ unjudged}} p^{i-1} + p^n",
    user_model="The reader of RBP, wondering how much better the list may really be.",
    bounds=(0.0, 1.0),
    needs="nothing",
    within=(("p", (0, 1)),),
    improves="grades",
    breaks_ipso="it counts unjudged documents, which for IPSO are as good as not relevant",
    reference="moffat2008rbp",
    oracle="cwl_eval:RBP residual",
    note="trec_eval 10 prints 0 where no retrieved document is unjudged; the tail p^n belongs to it all the same.",
)
