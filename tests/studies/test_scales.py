"""Scales in practice: what the paper proves, significance by the tests themselves, steps beside scores."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import kendalltau

import rankscope as rs
from rankscope.errors import InputError
from rankscope.simulation import embedded
from rankscope.statistics import kruskal_wallis, tukey_hsd
from rankscope.studies import scales

pytestmark = pytest.mark.filterwarnings("ignore::rankscope.errors.DataWarning")
METRICS = ("P@5", "AP@5", "RBP(p=0.5)@5", "RBP(p=0.2)@5", "RBP(p=0.8)@5")
TREC8 = {e["id"]: e for e in json.loads((Path(__file__).parents[1] / "golden" / "trec8.json").read_text())["entries"]}


@pytest.fixture(scope="module")
def judged():
    qrels, runs = embedded()
    return rs.load(qrels, runs)


@pytest.fixture(scope="module")
def binary(judged):
    """The same lists with grades above 0 taken together."""
    pool, qrels = rs.load(*embedded(), keep_docs=True).documents.pool, {}
    for t, doc, code in zip(pool.topic, pool.docs, pool.code, strict=True):
        qrels.setdefault(judged.topics[t], {})[doc] = int(judged.grades[code - 2] > 0)
    return rs.load(qrels, embedded()[1])


def test_what_the_paper_proves(binary):
    got = scales(binary, METRICS)
    label = {metric: got.scale_of(metric) for metric in got.measures}
    assert label == {
        "P@5": "ratio",
        "AP@5": "neither",
        "RBP(p=0.5)@5": "ratio",
        "RBP(p=0.2)@5": "ordinal",
        "RBP(p=0.8)@5": "neither",
    }
    assert [got.suits(m) for m in ("P@5", "RBP(p=0.2)@5", "AP@5")] == [(True, True), (True, False), (False, False)]
    by_set, by_rank = got.verdicts["P@5"]
    assert (by_set.label, by_rank.label) == ("ratio", "neither")
    assert "interval scale" in by_set.theorem


def test_a_binary_metric_is_judged_on_binary_rankings(judged):
    """Grades 0 to 3, and relevant from 2 on: P is an interval scale all the same, nDCG has all grades to order."""
    got = scales(rs.load(*embedded(), rel=2), ["P@5", "nDCG@5", "Interval(P@5)"])
    assert [got.scale_of(m) for m in got.measures] == ["ratio", "neither", "ratio"]
    assert [got.verdicts[m][0].grades for m in got.measures] == [1, 3, 1]


def test_significance_is_that_of_the_tests(judged):
    got = scales(judged, [*METRICS, "Rprec"])
    scores = rs.evaluate(judged, [*METRICS, *(f"Interval({m})" for m in METRICS), "Rprec"])
    for i, metric in enumerate(METRICS):
        for marks, name in ((got.significant, metric), (got.steps, f"Interval({metric})")):
            matrix = scores.matrix(name)
            np.testing.assert_array_equal(marks[i, 0], kruskal_wallis(matrix).comparisons.pvalue < 0.05)
            np.testing.assert_array_equal(marks[i, 1], tukey_hsd(matrix).pvalue < 0.05)
        plain, steps = (scores.matrix(name).mean(axis=0).round(12) for name in (metric, f"Interval({metric})"))
        assert got.tau[i] == pytest.approx(kendalltau(plain, steps).statistic)
    assert not got.defined[-1]
    assert np.isnan(got.tau[-1])
    assert "has no depth" in got.why_not["Rprec"]
    row = got.show().rows()[-1]
    assert row["ANOVA, Interval"] is None


def test_an_interval_scale_is_its_own_interval_version(binary):
    """Steps of P are P times the depth on topics that can fill the list, and so for RBP: nothing changes."""
    full = [t for t, n in enumerate(binary.available[:, 1].tolist()) if n >= 5]
    few = rs.judged.with_topics(binary, full)
    got = scales(few, ["P@5", "RBP(p=0.5)@5"])
    np.testing.assert_array_equal(got.significant, got.steps)
    np.testing.assert_allclose(got.tau, 1)


def test_shares_of_trec8(data):
    """Tables 3 and 4 of the paper, on all but eleven of its runs."""
    judged = rs.load(data / "trec8-adhoc" / "qrels.gz", data / "trec8-adhoc" / "runs", depth=250)
    got = scales(judged, ["P@250", "RBP(p=0.5)@250", "AP@250"], workers=2)
    for share, name in zip(got.share, ("sig_P", "sig_RBP5", "sig_AP"), strict=True):
        wanted, tolerance = TREC8[name]["expected"], TREC8[name]["tolerance"]
        assert share[0] == pytest.approx(wanted["kruskal_wallis_share"], abs=tolerance)
        assert share[1] == pytest.approx(wanted["tukey_two_way_share"], abs=tolerance)
    assert not got.defined.any()  # 2^250 rankings are not enumerated
    assert "enumerated" in got.why_not["P@250"]


def test_an_interval_version_stands_for_itself(judged):
    got = scales(judged, ["Interval(RR@4)"], documents=4)
    assert got.why_not["Interval(RR@4)"] == "it counts steps already"
    assert not got.defined[0]


def test_one_two_and_four_workers(judged, tmp_path):
    one, two, four = (scales(judged, METRICS, workers=w).to_dict() for w in (1, 2, 4))
    assert one == two == four
    kept = [scales(judged, [*METRICS, "Rprec"], checkpoints=tmp_path / "k").to_dict() for _ in range(2)]
    assert kept[0] == kept[1]


def test_bad_input(judged):
    for wrong in ({"alpha": 0}, {"depth": 0}, {"documents": 2.5}):
        with pytest.raises(InputError, match=next(iter(wrong))):
            scales(judged, ["P@5"], **wrong)
    lone = rs.load({"1": {"a": 1}, "2": {"a": 1}}, {"r": {"1": ["a"], "2": ["a"]}, "s": {"1": ["a"], "2": ["a"]}})
    with pytest.raises(InputError, match="the same score"):
        scales(lone, ["RR@5"])


def test_results_show_themselves(judged):
    got = scales(judged, METRICS)
    assert set(got.tables()) == {"significance", "scales"}
    assert len(got.figures()["significance"]["share"]) == len(METRICS) * 4
    assert "is disputed" in str(got)
    assert got.to_frame("scales").height == 2 * len(METRICS)
