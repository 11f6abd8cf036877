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
}


TWINS_ELSEWHERE = {
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
