"""The measures of Moffat (2013) and Jones et al. (2015): definitions as slow twins, disagreement counts, an oracle."""

import json
import math
from itertools import product
from pathlib import Path

import numpy as np
import pytest
import strategies
from cwl.ruler.measures.cwl_dcg import NDCGCWLMetric
from cwl.ruler.ranking import Ranking
from hypothesis import given
from hypothesis import strategies as st

from rankscope import DataWarning, InputError, measure
from rankscope.measures.names import resolve

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "jones.json").read_text())["entries"]
OURS = {
    "DCG": "DCG@{k}", "SP": "SP@{k}", "SN-DCG": "SN-DCG@{k}", "SN-AP": "SN-AP@{k}", "Prec": "Prec@{k}",
    "NDCG": "nDCG@{k}", "SDCG": "SDCG@{k}", "RR": "RR@{k}", "Recall": "Recall@{k}", "AP": "AP@{k}",
    "RBP0.5": "RBP(p=0.5)@{k}", "RBP0.85": "RBP(p=0.85)@{k}", "RBP0.95": "RBP(p=0.95)@{k}",
}  # fmt: skip


def discounts(n):
    return sum(1 / math.log2(i + 1) for i in range(1, n + 1))


def slow(r, k, relevant):
    """Every measure by its definition, from relevances r of a list and R."""
    r = (r + [0] * k)[:k]
    n = sum(r)
    dcg = sum(x / math.log2(i + 1) for i, x in enumerate(r, 1))
    precisions = sum(sum(r[:i]) / i for i, x in enumerate(r, 1) if x)
    return {
        "DCG": dcg,
        "SDCG": dcg / discounts(k),
        "NDCG": dcg / discounts(min(k, relevant)),
        "SN-DCG": dcg / discounts(n) if n else 0,
        "SP": precisions,
        "AP": precisions / relevant,
        "SN-AP": precisions / n if n else 0,
        "Prec": n / k,
        "Recall": n / relevant,
        "RR": 1 / (r.index(1) + 1) if n else 0,
        "RBP0.5": sum(x * 0.5**i for i, x in enumerate(r, 1)),
        "RBP0.85": 0.15 * sum(x * 0.85 ** (i - 1) for i, x in enumerate(r, 1)),
        "RBP0.95": 0.05 * sum(x * 0.95 ** (i - 1) for i, x in enumerate(r, 1)),
    }


@given(st.lists(st.sampled_from([0, 1]), max_size=9), st.integers(1, 12), st.integers(9, 15))
def test_definitions(r, k, relevant):
    for name, expected in slow(r, k, relevant).items():
        ours = OURS[name].format(k=k)
        assert float(measure(ours).score(r, [0] * 9 + [1] * relevant)) == pytest.approx(expected, abs=1e-12), name


@pytest.mark.parametrize("entry", [e for e in GOLDEN if e["kind"] == "disagreement_matrix"], ids=lambda e: e["id"])
def test_disagreement(entry):
    """Signs of differences over all pairs of binary lists, exact where the measure is, else by tolerance."""
    k, expected = entry["inputs"]["k"], entry["expected"]
    lists = np.array([run for run in product([0, 1], repeat=k) if any(run)])
    pool = [0] * k + [1] * entry["inputs"]["R"]
    signs = [_signs(measure(OURS[name].format(k=k)), lists, pool) for name in entry["inputs"]["metrics"]]
    first, second = np.triu_indices(len(lists), 1)
    assert len(first) == expected["unordered_pairs"]
    signs = [sign[first, second] for sign in signs]
    assert [[int(np.count_nonzero(a != b)) for b in signs] for a in signs] == expected["any"]
    assert [[int(np.count_nonzero(a * b < 0)) for b in signs] for a in signs] == expected["strict"]


def _signs(one, lists, pool):
    scores = one.score(lists, pool) if one.exact is None else one.order_keys(lists, pool).astype(float)
    difference = scores[:, None] - scores
    return np.where(np.abs(difference) < 1e-9, 0, np.sign(difference)).astype(np.int8)


@pytest.mark.parametrize("entry", [e for e in GOLDEN if e["kind"] == "pair"], ids=lambda e: e["id"])
def test_the_tie_of_ap(entry):
    pool = [0] * 4 + [1] * entry["inputs"]["R"]
    lists = [entry["inputs"]["A"], entry["inputs"]["B"]]
    expected = [entry["expected"]["AP_A"], entry["expected"]["AP_B"]]
    np.testing.assert_allclose(measure("AP").score(lists, pool), expected, rtol=0, atol=entry["tolerance"])
    assert (len(set(measure("AP").order_keys(lists, pool).tolist())) == 1) == entry["expected"]["tied"]


def test_nothing_found():
    pool = [0, 0, 1, 2]
    for name in ("SP", "SN_AP", "SN_DCG", "SDCG@2", "HIT@2", "Recall@2"):
        assert float(measure(name).score([0, 0], pool)) == 0.0


def test_graded_lists_by_hand():
    # gains 1, 0, 2 of a largest 2: DCG is 1 + 2 / 2
    run, best = [1, 0, 2], 2 + 1 / math.log2(3)
    assert float(measure("SN_DCG").score(run)) == pytest.approx(2 / best)
    assert float(measure("SDCG@3").score(run)) == pytest.approx(1 / discounts(3))
    assert float(measure("SDCG@5").score(run)) == pytest.approx(1 / discounts(5))
    assert float(measure("SDCG(max_rel=4)@3").score(run)) == pytest.approx(1 / 2 / discounts(3))
    assert float(measure('SN_DCG(dcg="exp-log2")').score(run)) == pytest.approx(2.5 / (3 + 1 / math.log2(3)))
    # no discount down to rank 2 with base 2
    assert float(measure("SN_DCG(base=2)").score(run)) == pytest.approx((1 + 2 / math.log2(3)) / 3)
    assert float(measure("SDCG(base=2)@3").score(run)) == pytest.approx(
        (0.5 + 1 / math.log2(3)) / (2 + 1 / math.log2(3))
    )
    assert float(measure("SN_AP(rel=2)").score(run)) == pytest.approx(1 / 3)


@given(strategies.gains(grades=(0.0, 1.0, 2.0, 3.0), unjudged=False, systems=1, depth=9), st.integers(1, 9))
def test_sdcg_is_what_cwl_eval_calls_ndcg(grades, k):
    (row,) = grades.tolist()
    padded = [grade / 3 for grade in row] + [0.0] * 12
    theirs = NDCGCWLMetric(k).measure(Ranking("", padded, [1.0] * len(padded)))
    pool = [0.0, 1.0, 2.0, 3.0] * 9
    assert float(measure(f"SDCG@{k}").score(row, pool)) == pytest.approx(theirs, abs=1e-9)


@pytest.mark.parametrize(
    ("text", "ours"),
    [("SN-AP", "SN_AP"), ("SN-AP@10", "SN_AP@10"), ("SN-DCG@5", "SN_DCG@5"), ("sn-dcg", "SN_DCG"), ("Prec@10", "P@10"),
     ("sdcg@10", "SDCG@10"), ("HIT@10", "Success@10"), ("Recall@10", "R@10"), ("sn_ap", "SN_AP")],
)  # fmt: skip
def test_spellings_of_the_papers(text, ours):
    assert [str(found.measure) for found in resolve(text)] == [ours]


def test_ndcg_of_the_paper_is_ours():
    with pytest.warns(DataWarning, match="cwl-eval"):
        assert str(measure("NDCG@10")) == "nDCG@10"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("SDCG", "SDCG needs a cutoff"),
        ("SDCG(max_rel=1)@3", "a grade of 2 is above max_rel=1"),
        ("SDCG(gains={2:-1})@3", "a gain is not negative"),
        ("SN_DCG(base=1)", "base is a number above 1"),
        ("SDCG(base=1)@3", "base is a number above 1"),
        ("SN_AP(p=1)", "SN_AP has no parameter 'p'"),
    ],
)
def test_bad_input(name, said):
    with pytest.raises(InputError, match=said):
        measure(name).score([2, 1])
