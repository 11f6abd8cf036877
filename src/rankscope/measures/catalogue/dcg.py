"""Discounted cumulative gain: plain, and over what it could be at best."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from rankscope import arguments
from rankscope.arguments import one_of
from rankscope.arrays import Floats, Ints
from rankscope.measures.catalogue.weights import logarithmic, rank_sum
from rankscope.measures.inputs import LARGEST_GAIN
from rankscope.measures.record import Measure

_GAINS = {"log2": "grade", "exp-log2": "exponential"}


def dcg(gain: Floats, *, dcg: str = "log2", base: float | None = None) -> Floats:
    """Sum of gains, each discounted by the logarithm of its rank."""
    return rank_sum(gain * logarithmic(gain.shape[-1], base))


def ndcg(gain: Floats, ideal: Floats, *, dcg: str = "log2", base: float | None = None) -> Floats:
    """DCG over that of the best possible list, made from all judged documents of the topic."""
    gain, ideal = _summable(gain, ideal)
    best = rank_sum(ideal * logarithmic(ideal.shape[-1], base))
    return rank_sum(gain * logarithmic(gain.shape[-1], base)) / best


def scaled_dcg(gain: Floats, *, cutoff: int, base: float | None = None) -> Floats:
    """DCG over that of `cutoff` documents of full gain."""
    return rank_sum(gain * logarithmic(gain.shape[-1], base)) / rank_sum(logarithmic(cutoff, base))


def self_normalised_dcg(gain: Floats, *, dcg: str = "log2", base: float | None = None) -> Floats:
    """DCG over that of the same documents in the best order; 0 where none has gain."""
    gain, _ = _summable(gain, gain)
    best = rank_sum(-np.sort(-gain, axis=-1) * logarithmic(gain.shape[-1], base))
    return rank_sum(gain * logarithmic(gain.shape[-1], base)) / np.where(best > 0, best, 1.0)


def ndcg_at_relevant(gain: Floats, ideal: Floats) -> Floats:
    """nDCG at the rank of each relevant document, averaged over all of the topic; those not found count at the end."""
    so_far, best = _cumulated(*_summable(gain, ideal))
    found, all_of_them = (np.count_nonzero(gains > 0, axis=-1) for gains in (gain, ideal))
    here = np.where(gain > 0, (so_far / best)[..., : gain.shape[-1]], 0.0)
    return (rank_sum(here) + (all_of_them - found) * (so_far / best)[..., -1]) / all_of_them


def ndcg_at_levels(gain: Floats, ideal: Floats, retrieved: Ints) -> Floats:
    """nDCG at each rank where the ideal list goes down to another gain, and at the end of a longer list, averaged."""
    so_far, best = _cumulated(*_summable(gain, ideal))
    ratio, n_relevant = so_far / best, np.count_nonzero(ideal > 0, axis=-1)
    last = (ideal > 0) & (ideal != np.append(ideal[..., 1:], np.zeros_like(ideal[..., :1]), axis=-1))
    at_levels = rank_sum(np.where(last, ratio[..., : ideal.shape[-1]], 0.0))
    longer = retrieved > n_relevant + 1
    return (at_levels + np.where(longer, ratio[..., -1], 0.0)) / (np.count_nonzero(last, axis=-1) + longer)


def _cumulated(gain: Floats, ideal: Floats) -> tuple[Floats, Floats]:
    """DCG at each rank, of the list and of the ideal one, both as long as the longer of the two, and not empty."""
    depth = max(gain.shape[-1], ideal.shape[-1], 1)
    weights = logarithmic(depth)

    def running(gains: Floats) -> Floats:
        filled = np.zeros((*gains.shape[:-1], depth))
        filled[..., : gains.shape[-1]] = gains
        return np.add.accumulate(filled * weights, axis=-1)

    return running(gain), running(ideal)


def _summable(gain: Floats, ideal: Floats) -> tuple[Floats, Floats]:
    """Both times a power of 2 in rows whose sums could be beyond all numbers, so that their ratio can be computed."""
    if ideal.max(initial=0.0) < LARGEST_GAIN:
        return gain, ideal
    scale = np.where(ideal.max(axis=-1, keepdims=True, initial=0.0) < LARGEST_GAIN, 1.0, 2.0**-500)
    return gain * scale, ideal * scale


def _gain(values: Mapping[str, Any]) -> str:
    """The gain that dcg= asks for; the discount is base='s business."""
    one_of("dcg", values["dcg"], _GAINS)
    _check_base(values)
    return _GAINS[values["dcg"]]


def _share_of_gain(values: Mapping[str, Any]) -> str:
    _check_base(values)
    return "linear"


def _check_base(values: Mapping[str, Any]) -> None:
    if values["base"] is not None:
        arguments.positive("base", values["base"], above=1)


_DCG = r"\sum_{i} \frac{g_i}{\log_2 (i+1)}"

DCG = Measure(
    name="DCG",
    kernel=dcg,
    formula=_DCG,
    user_model="Collects gain down the list, with interest falling as the logarithm of the rank.",
    bounds=(0.0, float("inf")),
    needs="gain",
    gain=_gain,
    improves="grades",
    reference="jarvelin2002cumulated",
    oracle="none: the slow twin",
    note='dcg="exp-log2" takes 2^grade - 1 as gain; base=b discounts by max(1, log_b i) as first published.',
)

nDCG = Measure(
    name="nDCG",
    kernel=ndcg,
    formula=_DCG + r" \Big/ \text{the same sum for the ideal list}",
    user_model="Collects gain as in DCG, as a share of what the ideal list gives.",
    bounds=(0.0, 1.0),
    needs="gain",
    gain=_gain,
    reference="jarvelin2002cumulated",
    oracle="pytrec_eval:ndcg",
    trec=("ndcg", "ndcg_cut_{}"),
    note="The ideal list comes from the judgments, never from what was retrieved; nDCG@k cuts it at k too.",
)

SDCG = Measure(
    name="SDCG",
    kernel=scaled_dcg,
    formula=r"\sum_{i=1}^{k} \frac{g_i}{\log_2 (i+1)} \Big/ \sum_{i=1}^{k} \frac{g_{max}}{\log_2 (i+1)}",
    user_model="Collects gain as in DCG, as a share of what k documents of full gain give.",
    bounds=(0.0, 1.0),
    needs="gain",
    cutoff_rule="required",
    gain=_share_of_gain,
    improves="grades",
    gain_parameters=("gains", "max_rel"),
    reference="moffat2013seven",
    oracle="cwl_eval:NDCG-k",
    note="g_max is max_rel or the largest gain of the collection. cwl-eval calls it NDCG.",
)

SN_DCG = Measure(
    name="SN_DCG",
    kernel=self_normalised_dcg,
    formula=_DCG + r" \Big/ \text{the same sum with the list in its best order}",
    user_model="Collects gain as in DCG, as a share of what the best order of the same list gives.",
    bounds=(0.0, 1.0),
    needs="gain",
    gain=_gain,
    breaks_ipso="it divides by what the list itself holds: one more relevant document can lower it",
    reference="moffat2013seven",
    oracle="none: the slow twin",
    note="Only order counts: a list whose gains fall scores 1, however little it holds; 0 where it holds none.",
)

ndcg_rel = Measure(
    name="ndcg_rel",
    kernel=ndcg_at_relevant,
    formula=r"\frac{1}{R} \sum_{d \text{ relevant}} \mathrm{nDCG}@\mathrm{rank}(d), \quad "
    r"\mathrm{rank}(d) = \infty \text{ where } d \text{ is not found}",
    user_model="Stops at a relevant document, any with equal chance, and judges by nDCG so far.",
    bounds=(0.0, 1.0),
    needs="gain",
    cutoff_rule="none",
    breaks_ipso="with several grades, one more document of a low grade counts at its own rank, above higher grades, "
    "where nDCG is lower than at the end",
    reference="buckley2005trec_eval",
    oracle="trec_eval 10:ndcg_rel",
    trec=("ndcg_rel", None),
)

Rndcg = Measure(
    name="Rndcg",
    kernel=ndcg_at_levels,
    formula=r"\text{mean of nDCG}@b \text{ over the ranks } b \text{ where a grade of the ideal list ends, and over "
    r"the list's own end}",
    user_model="Reads as many documents as there are of the best grade, of the two best, and so on.",
    bounds=(0.0, 1.0),
    needs="gain",
    cutoff_rule="none",
    breaks_ipso="a list longer than the ideal one has one more rank that counts: one more document moves the score",
    reference="buckley2005trec_eval",
    oracle="trec_eval 10:Rndcg",
    trec=("Rndcg", None),
    note="As in trec_eval, the end of the list counts where the list is longer than the ideal one by two documents or "
    "more.",
)
