"""Measures over subtopics: what a list covers, and how often it repeats itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rankscope.arrays import Bools, Floats, Ints
from rankscope.measures.catalogue.weights import logarithmic, rank_sum, ranks
from rankscope.measures.record import Measure


def alpha_dcg(covered: Bools, subtopic_total: Ints, *, cutoff: int, alpha: float = 0.5) -> Floats:
    """Novelty down the list, discounted by logarithms, as a share of that of documents that cover all subtopics."""
    return _of_full_documents(covered, subtopic_total, alpha, cutoff, logarithmic)


def alpha_ndcg(covered: Bools, ideal_covered: Bools, *, alpha: float = 0.5) -> Floats:
    """Novelty down the list, discounted by logarithms, as a share of that of the greedy ideal list."""
    return _of_ideal(covered, ideal_covered, alpha, logarithmic)


def err_ia(covered: Bools, subtopic_total: Ints, *, cutoff: int, alpha: float = 0.5) -> Floats:
    """As alpha_dcg, discounted by ranks."""
    return _of_full_documents(covered, subtopic_total, alpha, cutoff, _reciprocal)


def nerr_ia(covered: Bools, ideal_covered: Bools, *, alpha: float = 0.5) -> Floats:
    """As alpha_ndcg, discounted by ranks."""
    return _of_ideal(covered, ideal_covered, alpha, _reciprocal)


def nrbp(covered: Bools, subtopic_total: Ints, *, alpha: float = 0.5, beta: float = 0.5) -> Floats:
    """Novelty for a reader who goes on with probability beta, as a share of the most there could be."""
    gain = novelty(covered, alpha)
    most = _n_subtopics(subtopic_total) / (1 - (1 - alpha) * beta)
    return rank_sum(gain * _powers(gain.shape[-1], beta)) / most


def nnrbp(covered: Bools, ideal_covered: Bools, *, alpha: float = 0.5, beta: float = 0.5) -> Floats:
    """As nrbp, as a share of the greedy ideal list's."""
    return _of_ideal(covered, ideal_covered, alpha, lambda depth: _powers(depth, beta))


def precision_ia(covered: Bools, subtopic_total: Ints, *, cutoff: int) -> Floats:
    """Precision at the cutoff, averaged over subtopics."""
    return np.count_nonzero(covered, axis=(-2, -1)) / (_n_subtopics(subtopic_total) * cutoff)


def ap_ia(covered: Bools, subtopic_total: Ints) -> Floats:
    """Average precision, averaged over subtopics."""
    hits = np.moveaxis(np.add.accumulate(covered, axis=-2, dtype=np.float64), -2, -1)
    precision = rank_sum(hits / ranks(hits.shape[-1]) * np.moveaxis(covered, -2, -1))
    of_subtopic = precision / np.maximum(subtopic_total, 1)
    return np.asarray(np.add.accumulate(of_subtopic, axis=-1)[..., -1] / _n_subtopics(subtopic_total))


def subtopic_recall(covered: Bools, subtopic_total: Ints) -> Floats:
    """Share of the subtopics that some document of the list covers."""
    return np.count_nonzero(covered.any(axis=-2), axis=-1) / _n_subtopics(subtopic_total)


def novelty(covered: Bools, alpha: float) -> Floats:
    """Gain of each document: 1 for each subtopic that it covers, times 1 - alpha for each time that it was covered."""
    before = np.add.accumulate(covered, axis=-2, dtype=np.int64) - covered
    gain: Floats = np.add.accumulate((1 - alpha) ** before * covered, axis=-1)[..., -1]
    return gain


def _n_subtopics(subtopic_total: Ints) -> Ints:
    """Subtopics with a relevant document."""
    count: Ints = np.count_nonzero(subtopic_total, axis=-1)
    return count


def _of_full_documents(
    covered: Bools, subtopic_total: Ints, alpha: float, cutoff: int, weights: Callable[[int], Floats]
) -> Floats:
    gain = novelty(covered, alpha)
    full = rank_sum(_powers(cutoff, 1 - alpha) * weights(cutoff))
    return rank_sum(gain * weights(gain.shape[-1])) / (_n_subtopics(subtopic_total) * full)


def _of_ideal(covered: Bools, ideal_covered: Bools, alpha: float, weights: Callable[[int], Floats]) -> Floats:
    gain, best = novelty(covered, alpha), novelty(ideal_covered, alpha)
    return rank_sum(gain * weights(gain.shape[-1])) / rank_sum(best * weights(best.shape[-1]))


def _reciprocal(depth: int) -> Floats:
    return 1 / ranks(depth)


def _powers(depth: int, base: float) -> Floats:
    return np.asarray(base ** np.arange(depth, dtype=np.float64))


_GAIN = r"g_i = \sum_s r_{is} (1 - \alpha)^{\#\{j < i : r_{js}\}}"
_GREEDY = (
    "The normalising list is greedy, ties by the higher document id, as in ndeval; a better one may score above 1."
)
_WITHIN = (("alpha", (-1e-300, 1 + 1e-15)), ("beta", (0, 1)))


def _record(name: str, kernel: Any, formula: str, user_model: str, reference: str, **fields: Any) -> Measure:
    return Measure(
        name=name, kernel=kernel, formula=formula, user_model=user_model, bounds=(0.0, fields.pop("highest", 1.0)),
        reference=reference, oracle=f"pyndeval:{name}",
        breaks_ipso="it needs grades by subtopic; IPSO knows one grade per document", **fields,
    )  # fmt: skip


alpha_DCG = _record(
    "alpha_DCG", alpha_dcg, _GAIN + r", \quad \sum_{i \le k} \frac{g_i}{\log_2 (i+1)} \Big/ \text{the same for "
    r"documents with all subtopics}", "Wants all subtopics, and is bored by a subtopic that was there before.",
    "clarke2008novelty", cutoff_rule="required", within=_WITHIN,
)  # fmt: skip
alpha_nDCG = _record(
    "alpha_nDCG", alpha_ndcg, _GAIN + r", \quad \sum_{i \le k} \frac{g_i}{\log_2 (i+1)} \Big/ \text{the same for the "
    r"greedy ideal list}", "The reader of alpha_DCG, who asks for what the judged documents allow.",
    "clarke2008novelty", highest=float("inf"), within=_WITHIN, note=_GREEDY,
)  # fmt: skip
ERR_IA = _record(
    "ERR_IA", err_ia, _GAIN + r", \quad \sum_{i \le k} \frac{g_i}{i} \Big/ \text{the same for documents with all "
    r"subtopics}", "Has one of the subtopics in mind, and stops when it is covered.",
    "chapelle2011intent", cutoff_rule="required", within=_WITHIN,
    note="Every cutoff is divided by the number of subtopics; ndeval does not do it at cutoff 1.",
)  # fmt: skip
nERR_IA = _record(
    "nERR_IA", nerr_ia, _GAIN + r", \quad \sum_{i \le k} \frac{g_i}{i} \Big/ \text{the same for the greedy ideal list}",
    "The reader of ERR_IA, who asks for what the judged documents allow.",
    "chapelle2011intent", highest=float("inf"), within=_WITHIN, note=_GREEDY,
)  # fmt: skip
NRBP = _record(
    "NRBP", nrbp, _GAIN + r", \quad \frac{1 - (1-\alpha) \beta}{n} \sum_i g_i \beta^{i-1}",
    "Goes on with probability beta, and is bored by a subtopic that was there before.",
    "clarke2009nrbp", cutoff_rule="none", within=_WITHIN,
)  # fmt: skip
nNRBP = _record(
    "nNRBP", nnrbp, _GAIN + r", \quad \sum_i g_i \beta^{i-1} \Big/ \text{the same for the greedy ideal list}",
    "The reader of NRBP, who asks for what the judged documents allow.",
    "clarke2009nrbp", cutoff_rule="none", highest=float("inf"), within=_WITHIN, note=_GREEDY,
)  # fmt: skip
P_IA = _record(
    "P_IA", precision_ia, r"\frac{1}{n k} \sum_s \sum_{i \le k} r_{is}",
    "Has one of the subtopics in mind, any with equal chance, and reads k documents.",
    "agrawal2009diversifying", cutoff_rule="required",
)  # fmt: skip
AP_IA = _record(
    "AP_IA", ap_ia, r"\frac{1}{n} \sum_s AP_s", "The reader of AP, who has one of the subtopics in mind.",
    "agrawal2009diversifying", cutoff_rule="none", note="ndeval's MAP-IA.",
)  # fmt: skip
StRecall = _record(
    "StRecall", subtopic_recall, r"\frac{1}{n} \sum_s \max_{i \le k} r_{is}", "Wants every subtopic once.",
    "zhai2003beyond",
)  # fmt: skip

SUBTOPICS = (alpha_nDCG, alpha_DCG, ERR_IA, nERR_IA, NRBP, nNRBP, AP_IA, P_IA, StRecall)
