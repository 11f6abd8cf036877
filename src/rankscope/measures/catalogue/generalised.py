"""Precision, recall and rank-biased precision of gains: what graded judgments make of the binary measures."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from rankscope.arrays import ExactNumbers, Floats
from rankscope.measures.catalogue.rbp import exact_rbp, rbp
from rankscope.measures.catalogue.weights import rank_sum
from rankscope.measures.exact import over, quotient, whole_sum
from rankscope.measures.record import Measure


def generalised_precision(gain: Floats, *, cutoff: int) -> Floats:
    """Gain of the first `cutoff` ranks over that of as many documents of full gain."""
    return rank_sum(gain) / cutoff


def exact_generalised_precision(gain: Any, *, cutoff: int, unit: int) -> ExactNumbers:
    """As generalised_precision, never rounded."""
    return over(whole_sum(gain), cutoff * unit)


def generalised_recall(gain: Floats, recall_base: Floats) -> Floats:
    """Gain of the list over all gain of the topic, which is not itself divided by the largest."""
    return rank_sum(gain) / recall_base


def exact_generalised_recall(gain: Any, recall_base: ExactNumbers, *, unit: int) -> ExactNumbers:
    """As generalised_recall, never rounded."""
    return quotient(whole_sum(gain), recall_base * unit)


def generalised_rbp(gain: Floats, *, p: float = 0.8) -> Floats:
    """RBP of gains over the largest."""
    return rbp(gain, p=p)


def exact_generalised_rbp(gain: Any, *, unit: int, p: Fraction = Fraction(4, 5)) -> ExactNumbers:
    """As generalised_rbp, never rounded."""
    return exact_rbp(gain, unit=unit, p=p)


_GAINS = "g_max is max_rel or the largest gain of the collection; gains={1:1,2:3} are other weights than the grades. "

gP = Measure(
    name="gP",
    kernel=generalised_precision,
    exact=exact_generalised_precision,
    formula=r"\frac{1}{k} \sum_{i=1}^{k} \frac{g_i}{g_{max}}",
    user_model="Reads exactly k documents and likes each for its gain.",
    bounds=(0.0, 1.0),
    needs="gain",
    cutoff_rule="required",
    gain="linear",
    improves="grades",
    gain_parameters=("gains", "max_rel"),
    reference="kekalainen2002graded",
    oracle="none: the slow twin",
    note=_GAINS + "P where grades are 0 and 1.",
)

gR = Measure(
    name="gR",
    kernel=generalised_recall,
    exact=exact_generalised_recall,
    formula=r"\frac{1}{\sum_{d} g(d)} \sum_{i=1}^{k} \frac{g_i}{g_{max}}, \quad d \text{ all judged documents}",
    user_model="Wants all gain of the topic and reads k documents.",
    bounds=(0.0, float("inf")),
    needs="gain",
    cutoff_rule="required",
    gain="linear",
    improves="grades",
    gain_parameters=("gains", "max_rel"),
    reference="kekalainen2002graded",
    oracle="none: the slow twin",
    note=_GAINS + "As Ferrante, Ferro and Losiouk (2020) print it: at most 1 / g_max. With gains up to 1, as in "
    "gains={1:0.5,2:1}, it is the share of all gain, as first published. R where grades are 0 and 1.",
)  # fmt: skip

gRBP = Measure(
    name="gRBP",
    kernel=generalised_rbp,
    exact=exact_generalised_rbp,
    formula=r"\frac{1-p}{g_{max}} \sum_{i \ge 1} g_i \, p^{i-1}",
    user_model="The reader of RBP, who likes each document for its gain.",
    bounds=(0.0, 1.0),
    needs="gain",
    gain="linear",
    improves="grades",
    gain_parameters=("gains", "max_rel"),
    within=(("p", (0, 1)),),
    reference="sakai2008incomplete",
    oracle="cwl_eval:RBP",
    note=_GAINS + 'RBP(gain="linear") under its own name. p may be a fraction: gRBP(p=1/3).',
)
