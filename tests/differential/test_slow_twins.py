"""Slow twins: every measure once more as plain loops from its definition, one list at a time.

Most of these have no outside tool that takes fractional grades, and some have none at all.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
import strategies
from hypothesis import given, settings

import rankscope as rs
from rankscope.measures import MEASURES

pytestmark = pytest.mark.filterwarnings("ignore::rankscope.DataWarning")


class List(NamedTuple):
    """Grades down a list, None for unjudged; grades of all judged documents of the topic; largest of all topics."""

    found: Sequence[float | None]
    pool: Sequence[float]
    top: float

    def cut(self, k: int) -> List:
        return self._replace(found=self.found[:k])

    def relevant(self, rel: float) -> list[bool]:
        return [grade is not None and grade >= rel for grade in self.found]

    def total(self, rel: float) -> int:
        return sum(grade >= rel for grade in self.pool)


Twin = Callable[[List], float]
Gain = Callable[[float], float]


def share(part: float, whole: float) -> float:
    """NaN, which is undefined, where there is no whole."""
    return part / whole if whole else math.nan


def precision(x: List, k: int, rel: float = 1) -> float:
    return share(sum(x.relevant(rel)[:k]) / k, x.total(rel) > 0)


def recall(x: List, k: int, rel: float = 1) -> float:
    return share(sum(x.relevant(rel)[:k]), x.total(rel))


def capped_recall(x: List, k: int, rel: float = 1) -> float:
    return share(sum(x.relevant(rel)[:k]), min(k, x.total(rel)))


def f(precision: float, recall: float, beta: float = 1) -> float:
    if precision == 0:
        return 0.0
    return (1 + beta**2) * precision * recall / (beta**2 * precision + recall)


def set_precision(x: List, rel: float = 1) -> float:
    return precision(x, len(x.found) or 1, rel)


def set_recall(x: List, rel: float = 1) -> float:
    return recall(x, len(x.found), rel)


def average_precision(x: List, rel: float = 1) -> float:
    hits = x.relevant(rel)
    return share(sum(sum(hits[: i + 1]) / (i + 1) for i in range(len(hits)) if hits[i]), x.total(rel))


def r_precision(x: List, rel: float = 1) -> float:
    return recall(x, x.total(rel), rel)


def reciprocal_rank(x: List, rel: float = 1) -> float:
    for i, hit in enumerate(x.relevant(rel), 1):
        if hit:
            return 1 / i
    return share(0, x.total(rel))


def success(x: List, k: int, rel: float = 1) -> float:
    return share(float(any(x.relevant(rel)[:k])), x.total(rel) > 0)


def half_up(number: float) -> int:
    return math.floor(Fraction(number) + Fraction(1, 2))


def as_trec_eval_9(number: float) -> int:
    return int(number + 0.9)  # in doubles, as there


def interpolated_precision(x: List, level: float, rel: float = 1, rounded: Callable[[float], int] = half_up) -> float:
    wanted = rounded(level * x.total(rel))
    hits = x.relevant(rel)
    reached = [sum(hits[:i]) / i for i in range(1, len(hits) + 1) if sum(hits[:i]) >= wanted]
    return share(max(reached, default=0.0), x.total(rel) > 0)


def bpref(x: List, rel: float = 1) -> float:
    total, others = x.total(rel), sum(0 <= grade < rel for grade in x.pool)
    score, above = 0.0, 0
    for grade in x.found:
        if grade is None or (grade < 0 and grade < rel):
            continue
        if grade >= rel:
            score += 1 - min(above, total) / min(others, total) if above else 1
        else:
            above += 1
    return share(score, total)


def inferred_ap(x: List, rel: float = 1) -> float:
    score, hits, misses, unseen = 0.0, 0, 0, 0
    for i, grade in enumerate(x.found, 1):
        if grade is not None and grade >= rel:
            expected = (hits + misses + unseen) / i * (hits + 1e-5) / (hits + misses + 2e-5)
            score += 1 / i + (expected if i > 1 else 0)
            hits += 1
        elif grade is not None:
            misses += grade >= 0
            unseen += grade < 0
    return share(score, x.total(rel))


def gains(x: List, gain: Gain) -> list[float]:
    return [0.0 if grade is None else gain(grade) for grade in x.found]


def ideal(x: List, gain: Gain) -> list[float]:
    return sorted((gain(grade) for grade in x.pool), reverse=True)


def linear(grade: float) -> float:
    return max(grade, 0.0)


def exponential(grade: float) -> float:
    return 2 ** max(grade, 0.0) - 1


def mapped(table: dict[float, float], then: Gain = linear) -> Gain:
    return lambda grade: then(table.get(grade, grade))


def discounted(values: Sequence[float], base: float | None = None) -> float:
    if base is None:
        return sum(value / math.log2(i + 1) for i, value in enumerate(values, 1))
    return sum(value / max(1.0, math.log(i) / math.log(base)) for i, value in enumerate(values, 1))


def dcg(x: List, gain: Gain = linear, base: float | None = None) -> float:
    return discounted(gains(x, gain), base) if any(ideal(x, gain)) else math.nan


def ndcg(x: List, gain: Gain = linear, base: float | None = None, k: int | None = None) -> float:
    return share(discounted(gains(x, gain)[:k], base), discounted(ideal(x, gain)[:k], base))


def err(x: List, gain: Gain = exponential, scale: float | None = None) -> float:
    """gain / scale is the chance to be satisfied."""
    scale = 2**x.top if scale is None else scale
    score, going = 0.0, 1.0
    for i, value in enumerate(gains(x, gain), 1):
        score += going * value / scale / i
        going *= 1 - value / scale
    return score if any(ideal(x, gain)) else math.nan


def rbp(x: List, p: float = 0.8, gain: Gain = lambda grade: grade >= 1, scale: float = 1) -> float:
    score = sum((1 - p) * p**i * value / (scale or 1) for i, value in enumerate(gains(x, gain)))
    return score if any(ideal(x, gain)) else math.nan


def rbp_residual(x: List, p: float = 0.8) -> float:
    return sum((1 - p) * p**i for i, grade in enumerate(x.found) if grade is None) + p ** len(x.found)


def q_measure(x: List, beta: float = 1, rel: float = 1, gain: Gain = linear) -> float:
    hits, own, best = x.relevant(rel), gains(x, gain), ideal(x, gain)
    ratios = [
        (sum(hits[:i]) + beta * sum(own[:i])) / (i + beta * sum(best[:i]))
        for i in range(1, len(hits) + 1)
        if hits[i - 1]
    ]
    return share(sum(ratios), x.total(rel))


def judged(x: List) -> float:
    return sum(grade is not None for grade in x.found) / len(x.found) if x.found else 0.0


def average_precision_over(x: List, k: int, rel: float = 1) -> float:
    return average_precision(x.cut(k), rel) * x.total(rel) / (min(k, x.total(rel)) or 1)


def set_ap(x: List, rel: float = 1) -> float:
    return share(set_precision(x, rel) * set_recall(x, rel), x.total(rel) > 0)


def nugget_recall(x: List, okay: float, halves: bool) -> float:
    """Vital nuggets have grade 4, okay ones 2; their parts have 3 and 1, and count where halves do."""
    worth = {4: 1.0, 2: okay} | ({3: 1.0, 1: okay} if halves else {})
    found, possible = (sum(worth.get(grade, 0.0) for grade in grades) for grades in (x.found, x.pool))
    return math.nan if max(x.pool, default=0) <= 0 else found / (possible or 1)


def relative_set_precision(x: List, rel: float = 1) -> float:
    return share(sum(x.relevant(rel)) / (min(len(x.found), x.total(rel)) or 1), x.total(rel) > 0)


def smoothed_ap(x: List, rel: float = 1) -> float:
    score, total = average_precision(x, rel), x.total(rel)
    return math.log((1 + score * total) / (1 + total - score * total)) if total else math.nan


def logarithm(score: float) -> float:
    return math.log(max(score, 1e-5)) if not math.isnan(score) else math.nan


def precision_at_multiple(x: List, mult: float, rel: float = 1) -> float:
    return precision(x, as_trec_eval_9(mult * x.total(rel)) or len(x.found) + 10**9, rel)


def mean_interpolated_precision(x: List, levels: Sequence[float], rel: float = 1) -> float:
    return sum(interpolated_precision(x, level, rel) for level in levels) / len(levels)


def positive(x: List) -> list[float]:
    return sorted((grade for grade in x.pool if grade > 0), reverse=True)


def grades_of(x: List) -> list[float]:
    return [max(grade or 0.0, 0.0) for grade in x.found]


def running_dcg(gain: Sequence[float], k: int) -> float:
    return sum(g / math.log2(i + 1) for i, g in enumerate(gain[:k], 1))


def normalised_gain(x: List) -> float:
    best, behind, score = positive(x), 0.0, 0.0
    for i, gain in enumerate(grades_of(x)):
        behind += max(1.0, best[i] if i < len(best) else 0.0) - gain
        score += gain / math.log2(2 + behind) if gain else 0.0
    return share(score, sum(best))


def binary_gain(x: List, rel: float = 1) -> float:
    hits = x.relevant(rel)
    return share(sum(1 / math.log2(2 + hits[:i].count(False)) for i in range(len(hits)) if hits[i]), x.total(rel))


def ndcg_at_relevant(x: List) -> float:
    best, gain = positive(x), grades_of(x)
    if not best:
        return math.nan
    at = [i + 1 for i in range(len(gain)) if gain[i]]
    at += [max(len(gain), len(best))] * (len(best) - len(at))
    return sum(running_dcg(gain, k) / running_dcg(best, k) for k in at) / len(best)


def ndcg_at_levels(x: List) -> float:
    best, gain = positive(x), grades_of(x)
    if not best:
        return math.nan
    at = [k for k in range(1, len(best) + 1) if k == len(best) or best[k] != best[k - 1]]
    at += [len(gain)] * (len(gain) > len(best) + 1)
    return sum(running_dcg(gain, k) / running_dcg(best, k) for k in at) / len(at)


def utility(x: List, rel: float, worth: Sequence[float], docs: int) -> float:
    hits = sum(x.relevant(rel))
    missed = x.total(rel) - hits
    counts = hits, len(x.found) - hits, missed, docs - len(x.found) - missed
    return sum(each * number for each, number in zip(worth, counts, strict=True))


def accuracy(x: List, rel: float = 1) -> float:
    hits = x.relevant(rel)
    pairs = [(i < j) for i in range(len(hits)) for j in range(len(hits)) if hits[i] and not hits[j]]
    score = sum(pairs) / len(pairs) if pairs else float(any(hits))
    return share(score, x.total(rel) > 0)


def compatibility(x: List, p: float, normalize: bool = True) -> float:
    listed = [(grade if grade is not None else 0.0, n) for n, grade in enumerate(x.found)]
    missing = list(x.pool)
    for grade in x.found:
        if grade is not None:
            missing.remove(grade)
    both = [*listed, *((grade, len(listed) + n) for n, grade in enumerate(missing))]
    best = sorted((document for document in both if document[0] > 0), key=lambda document: -document[0])

    def overlap(a: list[tuple[float, int]], b: list[tuple[float, int]]) -> float:
        depth = max(len(listed), len(best))
        return sum(p ** (i - 1) * len({*a[:i]} & {*b[:i]}) / i for i in range(1, depth + 1))

    depth = max(len(listed), len(best))
    weights = overlap(best, best) if normalize else sum(p**i for i in range(depth))
    return share(overlap(listed, best), weights) if best else math.nan


def rate_of_gain(x: List, go_on: Callable[[int], float], depth: int, top: float | None = None) -> float:
    """Gain by document viewed, of a reader who goes on from rank i with a chance that a document satisfies, too."""
    gain = [g / (top or x.top) for g in grades_of(x)[:depth]] if x.top else []
    gain += [0.0] * (depth - len(gain))
    seen, viewed, gained = 1.0, 0.0, 0.0
    for i, g in enumerate(gain, 1):
        viewed, gained = viewed + seen, gained + seen * g
        seen *= go_on(i) * (1 - g)
    return share(gained / viewed, bool(positive(x)))


def rate_of_gain_for_ever(x: List, goal: int) -> float:
    """INSQ's reader, satisfied by gains: readers at rank i below the list are as 1/(i + 2T - 1)^2, of zeta(2)."""
    gain = [g / x.top for g in grades_of(x)] if x.top else []
    seen, viewed, gained = 1.0, 0.0, 0.0
    for i, g in enumerate(gain, 1):
        viewed, gained = viewed + seen, gained + seen * g
        seen *= ((i + 2 * goal - 1) / (i + 2 * goal)) ** 2 * (1 - g)
    first = len(gain) + 2 * goal
    below = math.pi**2 / 6 - math.fsum(1 / m**2 for m in range(1, first))
    return share(gained / (viewed + seen * first**2 * below), bool(positive(x)))


def bejewelled(x: List, k: int, goal: float) -> float:
    collected = 0.0
    for i in range(1, k + 1):
        collected += grades_of(x)[i - 1] / x.top if i <= len(x.found) and x.top else 0.0
        if collected >= goal or i == k:
            return share(collected / i, bool(positive(x)))
    raise AssertionError


ODD = {-1.0: 1.0, 1.0: 0.0, 2.0: 1.5, 0.5: 4.0}
WRITTEN = "{-1:1,1:0,2:1.5,0.5:4}"

TWINS: dict[str, Twin] = {
    "P@3": lambda x: precision(x, 3),
    "P(rel=0.25)@10": lambda x: precision(x, 10, 0.25),
    "R@3": lambda x: recall(x, 3),
    "R(rel=2)@20": lambda x: recall(x, 20, 2),
    "R_cap@3": lambda x: capped_recall(x, 3),
    "R_cap(rel=0.5)@10": lambda x: capped_recall(x, 10, 0.5),
    "F@3": lambda x: f(precision(x, 3), recall(x, 3)),
    "F(beta=2, rel=1.5)@5": lambda x: f(precision(x, 5, 1.5), recall(x, 5, 1.5), 2),
    "SetP(rel=0.1)": lambda x: set_precision(x, 0.1),
    "SetR": set_recall,
    "SetF(beta=0.5)": lambda x: f(set_precision(x), set_recall(x), 0.5),
    "AP(rel=0)": lambda x: average_precision(x, 0),
    "AP(rel=0.5)@4": lambda x: average_precision(x.cut(4), 0.5),
    "Rprec(rel=0.25)": lambda x: r_precision(x, 0.25),
    "RR": reciprocal_rank,
    "RR(rel=1.5)@5": lambda x: reciprocal_rank(x.cut(5), 1.5),
    "Success@1": lambda x: success(x, 1),
    "Success(rel=2)@3": lambda x: success(x, 3, 2),
    "IPrec@0": lambda x: interpolated_precision(x, 0),
    "IPrec@0.3": lambda x: interpolated_precision(x, 0.3),
    "IPrec(rel=0.5)@0.5": lambda x: interpolated_precision(x, 0.5, 0.5),
    "IPrec@1.0": lambda x: interpolated_precision(x, 1.0),
    'IPrec(rounding="trec_eval-9")@0.3': lambda x: interpolated_precision(x, 0.3, rounded=as_trec_eval_9),
    "Bpref": bpref,
    "Bpref(rel=0.5)": lambda x: bpref(x, 0.5),
    "infAP": inferred_ap,
    "infAP(rel=0.5)": lambda x: inferred_ap(x, 0.5),
    "DCG": dcg,
    "DCG@3": lambda x: dcg(x.cut(3)),
    'DCG(dcg="exp-log2")': lambda x: dcg(x, exponential),
    "DCG(base=2)": lambda x: dcg(x, base=2),
    "DCG(base=10)@5": lambda x: dcg(x.cut(5), base=10),
    f"DCG(gains={WRITTEN})": lambda x: dcg(x, mapped(ODD)),
    "nDCG": ndcg,
    "nDCG@3": lambda x: ndcg(x, k=3),
    'nDCG(dcg="exp-log2")@4': lambda x: ndcg(x, exponential, k=4),
    "nDCG(base=3)": lambda x: ndcg(x, base=3),
    f"nDCG(gains={WRITTEN})@5": lambda x: ndcg(x, mapped(ODD), k=5),
    f'nDCG(dcg="exp-log2", base=10, gains={WRITTEN})': lambda x: ndcg(x, mapped(ODD, exponential), base=10),
    "ERR": err,
    "ERR@3": lambda x: err(x.cut(3)),
    "ERR(max_rel=4)@20": lambda x: err(x.cut(20), scale=16),
    'ERR(gain="linear", max_rel=5)': lambda x: err(x, linear, 5),
    "ERR(gains={1:0,2:1}, max_rel=3)": lambda x: err(x, mapped({1: 0, 2: 1}, exponential), 8),
    "RBP": rbp,
    "RBP(p=0.5, rel=0.25)@3": lambda x: rbp(x.cut(3), 0.5, lambda grade: grade >= 0.25),
    'RBP(p=0.95, gain="linear")': lambda x: rbp(x, 0.95, linear, x.top),
    'RBP(gain="exp")@5': lambda x: rbp(x.cut(5), 0.8, exponential, 2**x.top),
    f'RBP(gain="linear", max_rel=4, gains={WRITTEN})': lambda x: rbp(x, 0.8, mapped(ODD), 4),
    "RBPResidual": rbp_residual,
    "RBPResidual(p=0.5)@3": lambda x: rbp_residual(x.cut(3), 0.5),
    "Q": q_measure,
    "Q(beta=0.5)@3": lambda x: q_measure(x.cut(3), 0.5),
    "Q(beta=10, rel=2)": lambda x: q_measure(x, 10, 2),
    f"Q(gains={WRITTEN})": lambda x: q_measure(x, gain=mapped(ODD)),
    "Judged": judged,
    "Judged@3": lambda x: judged(x.cut(3)),
    "NumRet": lambda x: len(x.found),
    "NumRet@3": lambda x: len(x.found[:3]),
    "NumRel(rel=0.5)": lambda x: x.total(0.5),
    "NumRelRet": lambda x: sum(x.relevant(1)),
    "NumRelRet(rel=0.1)@3": lambda x: sum(x.cut(3).relevant(0.1)),
    "AP_cap@3": lambda x: average_precision_over(x, 3),
    "SetAP(rel=0.5)": lambda x: set_ap(x, 0.5),
    "SetRelP": relative_set_precision,
    "yaap": smoothed_ap,
    "gm_map": lambda x: logarithm(average_precision(x)),
    "gm_bpref(rel=0.5)": lambda x: logarithm(bpref(x, 0.5)),
    "Rprec_mult(mult=0.4)": lambda x: precision_at_multiple(x, 0.4),
    "Rprec_mult(mult=2,rel=0.5)": lambda x: precision_at_multiple(x, 2, 0.5),
    "IPrec_avg": lambda x: mean_interpolated_precision(x, [level / 10 for level in range(11)]),
    'IPrec_avg(levels="0.25,0.75")': lambda x: mean_interpolated_precision(x, [0.25, 0.75]),
    "G": normalised_gain,
    "binG(rel=0.5)": lambda x: binary_gain(x, 0.5),
    "ndcg_rel": ndcg_at_relevant,
    "Rndcg": ndcg_at_levels,
    "utility": lambda x: utility(x, 1, (1, -1, 0, 0), 0),
    "utility(rel=0.5,found=2,noise=-3,missed=-1,docs=99)": lambda x: utility(x, 0.5, (2, -3, -1, 0), 99),
    "unj@3": lambda x: sum(grade is None or grade < 0 for grade in x.found[:3]) / 3,
    "NuggetRecall": lambda x: nugget_recall(x, okay=0, halves=False),
    'NuggetRecall(nuggets="weighted",strict=False)': lambda x: nugget_recall(x, okay=0.5, halves=True),
    "NumQ": lambda x: 1,
    "NumNonRelJudgedRet": lambda x: sum(grade is not None and 0 <= grade < 1 for grade in x.found),
    "Accuracy": accuracy,
    "Accuracy(rel=0.5)@3": lambda x: accuracy(x.cut(3), 0.5),
    "Compat": lambda x: compatibility(x, 0.95),
    "Compat(p=0.5,normalize=False)": lambda x: compatibility(x, 0.5, normalize=False),
    "NERR8@3": lambda x: rate_of_gain(x, lambda i: 1.0, 3),
    "NERR9@20": lambda x: rate_of_gain(x, lambda i: i / (i + 1), 20),
    "NERR10(p=0.6)": lambda x: rate_of_gain(x, lambda i: 0.6, 100),
    "NERR11(T=1)": lambda x: rate_of_gain_for_ever(x, 1),
    "BPM@4": lambda x: bejewelled(x, 4, 1),
    "BPM(T=1.5)@9": lambda x: bejewelled(x, 9, 1.5),
}


TWINS_ELSEWHERE = {
    "test_subtopics.py": {"alpha_nDCG", "alpha_DCG", "ERR_IA", "nERR_IA", "NRBP", "nNRBP", "AP_IA", "P_IA", "StRecall"},
    "test_cwla.py": {"CWLA", "INST", "INSQ"},
    "test_total_orders.py": {"SBTO", "RBTO", "LPTO", "gP", "gR", "gRBP"},
    "test_disagreement_measures.py": {"SP", "SN_AP", "SN_DCG", "SDCG"},
}


def test_every_measure_has_a_twin():
    for file, names in TWINS_ELSEWHERE.items():
        text = (Path(__file__).parents[1] / "measures" / file).read_text()
        assert [name for name in names if name not in text] == []
    elsewhere = set().union(*TWINS_ELSEWHERE.values())
    assert {rs.measure(name).name for name in TWINS} | elsewhere == {m.name for m in MEASURES.values() if m.oracle}


def assert_same(ours: np.ndarray, lists: Sequence[List]) -> None:
    """ours: (measures, lists), NaN where a measure is undefined."""
    theirs = np.array([[twin(one) for one in lists] for twin in TWINS.values()], np.float64)
    for name, own, twin in zip(TWINS, ours, theirs, strict=True):
        np.testing.assert_allclose(own, twin, rtol=0, atol=1e-12, err_msg=name)


@settings(max_examples=2000)
@given(strategies.collections())
def test_random_collections(collection):
    scores = rs.evaluate(rs.load(collection.qrels, collection.runs), TWINS)
    top = max(0.0, *(grade for docs in collection.qrels.values() for grade in docs.values()))
    for system, run in enumerate(collection.runs.values()):
        lists = []
        for topic in scores.topics:
            grades, docs = collection.qrels[topic], run.get(topic, {})
            order = sorted(docs, key=lambda doc: (docs[doc], doc.encode()), reverse=True)
            lists.append(List([grades.get(doc) for doc in order], [*grades.values()], top))
        assert_same(scores.value[:, system], lists)


@settings(max_examples=1000)
@given(strategies.gains())
def test_random_arrays(gains):
    """Without a collection: what is not in the list is not there."""
    rows = [[None if math.isnan(grade) else grade for grade in row] for row in gains.tolist()]
    pools = [[grade for grade in row if grade is not None] for row in rows]
    top = max([0.0, *(grade for pool in pools for grade in pool)])
    scores = np.array([rs.measure(name).score(gains) for name in TWINS])
    assert_same(scores, [List(row, pool, top) for row, pool in zip(rows, pools, strict=True)])
