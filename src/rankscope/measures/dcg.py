"""Discounted cumulative gain, plain and normalised."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rankscope.arrays import Floats
from rankscope.errors import InputError
from rankscope.measures.record import Measure
from rankscope.measures.weights import logarithmic, rank_sum

_GAINS = {"log2": "grade", "exp-log2": "exponential"}


def dcg(gain: Floats, *, dcg: str = "log2", base: float | None = None) -> Floats:
    """Sum of gains, each discounted by the logarithm of its rank."""
    return rank_sum(gain * logarithmic(gain.shape[-1], base))


def ndcg(gain: Floats, ideal: Floats, *, dcg: str = "log2", base: float | None = None) -> Floats:
    """DCG over that of the best possible list, made from all judged documents of the topic."""
    best = rank_sum(ideal * logarithmic(ideal.shape[-1], base))
    return rank_sum(gain * logarithmic(gain.shape[-1], base)) / best


def _gain(values: Mapping[str, Any]) -> str:
    """The gain that dcg= asks for; the discount is base='s business."""
    if values["dcg"] not in _GAINS:
        raise InputError(f"dcg={values['dcg']!r} is unknown", f"dcg is one of {', '.join(_GAINS)}")
    if values["base"] is not None and not values["base"] > 1:
        raise InputError(f"base={values['base']!r} is no base of a discount", "base is a number above 1")
    return _GAINS[values["dcg"]]


_DCG = r"\sum_{i} \frac{g_i}{\log_2 (i+1)}"

DCG = Measure(
    name="DCG",
    kernel=dcg,
    formula=_DCG,
    user_model="Collects gain down the list, with interest falling as the logarithm of the rank.",
    bounds=(0.0, float("inf")),
    needs="gain",
    gain=_gain,
    reference="jarvelin2002cumulated",
    oracle="none: the slow twin",
    note='dcg="exp-log2" takes 2^grade - 1 as gain; base=b discounts by max(1, log_b i) as first published.',
)

nDCG = Measure(
    name="nDCG",
    kernel=ndcg,
    formula=_DCG + r" \Big/ \text{the same sum for the ideal list}",
    user_model="As DCG, as a share of what was possible.",
    bounds=(0.0, 1.0),
    needs="gain",
    gain=_gain,
    reference="jarvelin2002cumulated",
    oracle="pytrec_eval:ndcg",
    trec=("ndcg", "ndcg_cut_{}"),
    note="The ideal list comes from the judgments, never from what was retrieved; nDCG@k cuts it at k too.",
)
