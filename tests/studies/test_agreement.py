"""IPSO beside metrics over all pairs of systems: one pair at a time, and what must be true of any collection."""

from dataclasses import replace
from itertools import combinations, pairwise

import numpy as np
import pytest
from scipy.stats import ttest_rel

import rankscope as rs
from rankscope.errors import InputError
from rankscope.simulation import embedded
from rankscope.statistics import sign_test, wilcoxon
from rankscope.studies import agreement, separability
from rankscope.studies.agreement import AS_IN_THE_PAPER, BOTH_NO, BOTH_YES, CATEGORIES, METRIC_NO, METRIC_YES

pytestmark = pytest.mark.filterwarnings("ignore::rankscope.errors.DataWarning")
METRICS = ("P", "RR", "AP", "nDCG", "RBP(p=0.8)")


@pytest.fixture(scope="module")
def judged():
    qrels, runs = embedded()
    return rs.load(qrels, runs)


def slow_tests(a, b):
    """p of t, signed ranks and sign test; 1 where nothing differs."""
    count = int(np.count_nonzero(np.abs(a - b) > 1e-12))
    if not count:
        return {"t": 1.0, "wilcoxon": 1.0, "sign": 1.0}
    return {
        "t": float(ttest_rel(a, b).pvalue) if np.ptp(a - b) > 1e-12 else 2 * 0.5 ** len(a),
        "wilcoxon": wilcoxon(b, a).pvalue,
        "sign": sign_test(b, a).pvalue,
    }


def test_one_pair_at_a_time(judged):
    got = agreement(judged, METRICS, depths=(5, 10))
    category = got.categories()
    for d, depth in enumerate(got.depths):
        scores = rs.evaluate(judged, [f"{m}@{depth}" if "(" not in m else f"RBP(p=0.8)@{depth}" for m in METRICS])
        for i, (a, b) in enumerate(combinations(range(len(judged.systems)), 2)):
            names = judged.systems[a], judged.systems[b]
            ipso = rs.ipso(judged, *names, depth=depth)
            assert got.ipso[d, i] == pytest.approx(ipso.pvalue, rel=1e-12)
            for m in range(len(METRICS)):
                kept = ~np.isnan(scores.value[m]).any(axis=0)
                p = slow_tests(scores.value[m, a][kept], scores.value[m, b][kept])
                for t, test in enumerate(got.tests):
                    assert got.pvalue[m, d, t, i] == pytest.approx(p[test], rel=1e-9)
                    metric, other = p[test] < 0.05, ipso.pvalue < 0.05
                    wanted = {
                        (True, True): "Both: Yes",
                        (False, False): "Both: No",
                        (True, False): "Metric: Yes",
                        (False, True): "Metric: No",
                    }[bool(metric), bool(other)]
                    assert CATEGORIES[category[m, d, t, i]] == wanted


@pytest.mark.filterwarnings("ignore::rankscope.DataWarning")
def test_compare_and_the_figure_give_a_pair_the_same_p(judged):
    got = rs.studies.agreement(judged, {"AP": "AP@10", "P": "P@10"}, depths=[10], tests=["wilcoxon"])
    pairs = list(combinations(sorted(judged.systems), 2))
    for m, name in enumerate(["AP@10", "P@10"]):
        for i, (a, b) in enumerate(pairs):
            one = rs.compare(judged, a, b, measure=name, test="wilcoxon", others=False).effect
            assert "exact" in one.method
            assert got.pvalue[m, 0, 0, i] == pytest.approx(one.pvalue, rel=1e-12)


def test_separability_topic_by_topic(judged):
    got = separability(judged, depths=(3, 10))
    for d, depth in enumerate(got.depths):
        count = [0, 0, 0]
        for a, b in combinations(judged.systems, 2):
            for outcome in rs.ipso(judged, a, b, depth=depth).outcome.tolist():
                count[{0: 0, 1: 1, 2: 1, 3: 2}[outcome]] += 1
        assert got.counts[d].tolist() == count


def test_the_triangle(judged):
    got = agreement(judged, METRICS, depths=(10,))
    table = got.triangle("P", 10, "t").columns()
    count = len(judged.systems)
    assert len(table["first"]) == count * (count - 1) // 2
    mean = dict(zip(judged.systems, rs.evaluate(judged, "P@10").mean().value[0].tolist(), strict=True))
    ranked = [table["first"][0], *table["second"][: count - 1]]
    assert [*zip(table["first_rank"][: count - 1], table["second_rank"][: count - 1], strict=True)] == [
        (1, r) for r in range(2, count + 1)
    ]
    assert all(mean[a] >= mean[b] - 1e-12 for a, b in pairwise(ranked))
    where = {frozenset(p): i for i, p in enumerate(combinations(judged.systems, 2))}
    category = got.categories()[0, 0, 0]
    for a, b, said in zip(table["first"], table["second"], table["category"], strict=True):
        assert said == CATEGORIES[category[where[frozenset((a, b))]]]
    stricter = got.triangle("P", 10, "t", alpha=0.001).columns()["category"]
    assert stricter.count("Both: Yes") <= table["category"].count("Both: Yes")


@pytest.fixture(scope="module")
def trec8(data):
    return rs.load(data / "trec8-adhoc" / "qrels.gz", data / "trec8-adhoc" / "runs")


def test_separability_of_trec8(trec8):
    """Table 3's findings hold: equal pairs fall with depth, non-separable ones rise, separable ones are the most."""
    got = separability(trec8)
    assert got.depths == (5, 10, 15, 20, 50, 100)
    assert (got.counts.sum(axis=1) == 118 * 117 // 2 * 50).all()
    equal, apart, mixed = got.share.T
    assert (np.diff(equal) < 0).all()
    assert (np.diff(mixed) > 0).all()
    assert (apart > 0.5).all()
    # near the printed shares of Robust 2004, another collection of the same kind
    np.testing.assert_allclose(got.share[1], [0.0833, 0.7466, 0.1701], atol=0.04)


@pytest.mark.slow
def test_figure_7_on_trec8(trec8):
    got = agreement(trec8, AS_IN_THE_PAPER, workers=2)
    share = np.stack([(got.categories() == c).mean(axis=-1) for c in range(4)], axis=-1)
    np.testing.assert_allclose(share.sum(axis=-1), 1)
    assert share[..., :2].sum(axis=-1).min() > 0.75  # "a minimum of three quarters of all system pairs"
    assert share[..., :2].sum(axis=-1).max() > 0.9
    yes = share[..., [BOTH_YES, METRIC_YES]].sum(axis=-1)
    assert (yes[:, :, 0] > yes[:, :, 2]).all()  # t has more power than the sign test
    for m, metric in enumerate(got.measures):
        if metric != "RR":  # "Both: Yes" tends to grow with depth
            assert (share[m, 2, :, BOTH_YES] > share[m, 0, :, BOTH_YES]).all(), metric
    # IPSO's verdict does not depend on the metric
    ipso = share[..., [BOTH_YES, METRIC_NO]].sum(axis=-1)
    np.testing.assert_allclose(ipso, np.broadcast_to(ipso[:1, :, :1], ipso.shape))
    assert got.opposed.max() == 0  # none of these is significant for both, the other way round


def test_figure_8_on_trec8(trec8):
    """Significant pairs are far apart in rank, the others near."""
    table = agreement(trec8, ["P"], depths=(10,), tests=("t",)).triangle("P", 10).columns()
    apart = {name: [] for name in CATEGORIES}
    for a, b, said in zip(table["first_rank"], table["second_rank"], table["category"], strict=True):
        apart[said].append(b - a)
    mean = {name: np.mean(gaps) for name, gaps in apart.items()}
    assert mean["Both: No"] < min(mean["Metric: Yes"], mean["Metric: No"])
    assert max(mean["Metric: Yes"], mean["Metric: No"]) < mean["Both: Yes"]


def test_one_two_and_four_workers(judged):
    one, two, four = (agreement(judged, METRICS, depths=(5, 10, 20), workers=w).to_dict() for w in (1, 2, 4))
    assert one == two == four


def test_systems_that_are_the_same_have_p_1():
    qrels = {str(t): {"a": 1, "b": 0} for t in range(6)}
    good, bad = (dict.fromkeys(qrels, docs) for docs in (["a", "b"], ["b", "a"]))
    got = agreement(rs.load(qrels, {"x": good, "y": good, "z": bad}), ["RR", "P"], depths=(2,))
    assert got.pvalue[0, 0, :, 0].tolist() == [1.0, 1.0, 1.0]
    assert got.pvalue[0, 0, :, 1].tolist() == [2 / 2**6] * 3  # the same difference on every topic: that of sign flips
    assert (got.ipso[0] == [1.0, 2 / 2**6, 2 / 2**6]).all()


def test_checkpoints_are_taken_up(judged, tmp_path):
    whole = agreement(judged, METRICS, depths=(5, 10), checkpoints=tmp_path / "k")
    again = agreement(judged, METRICS, depths=(5, 10), checkpoints=tmp_path / "k")
    assert whole.to_dict() == again.to_dict() == agreement(judged, METRICS, depths=(5, 10)).to_dict()


def test_bad_input(judged):
    with pytest.raises(InputError, match=r"depth=1000000(.|\n)*depth is a whole number from 1 to 100"):
        agreement(judged, ["P"], depths=(10**6, 5))
    with pytest.raises(InputError, match="depth='ten'"):
        separability(judged, depths=["ten"])
    with pytest.raises(InputError, match="no depths"):
        separability(judged, depths=[])
    with pytest.raises(InputError, match=r"tests: 'anova' is unknown(.|\n)*tests are t, wilcoxon, sign"):
        agreement(judged, ["P"], tests=("anova",))
    with pytest.raises(InputError, match="alpha"):
        agreement(judged, ["P"], alpha=1)
    with pytest.raises(InputError, match="no metrics"):
        agreement(judged, [])
    got = agreement(judged, ["P"], depths=(5,))
    with pytest.raises(InputError, match="no depth 7"):
        got.triangle("P", 7)
    lone = rs.load({"1": {"a": 1}}, {"r": {"1": ["a"]}, "s": {"1": ["b"]}})
    with pytest.raises(InputError, match="at least 2"):
        agreement(lone, ["P"])


def test_metrics_as_users_name_them(judged):
    """One name alone, at its own cutoff; with a cutoff it stays as it is, without one it is cut at each depth."""
    alone = agreement(judged, "nDCG@10", tests="t")
    assert (alone.measures, alone.depths, alone.tests) == (("nDCG@10",), (10,), ("t",))
    np.testing.assert_array_equal(alone.pvalue[0, 0], agreement(judged, "nDCG", depths=10, tests="t").pvalue[0, 0])
    both = agreement(judged, ["P@10", "P", "Rprec"], depths=(5, 10))
    np.testing.assert_array_equal(both.pvalue[0, 0], both.pvalue[0, 1])  # P@10 whatever the depth of IPSO
    np.testing.assert_array_equal(both.pvalue[0, 1], both.pvalue[1, 1])
    assert (both.pvalue[1, 0] != both.pvalue[1, 1]).any()
    np.testing.assert_array_equal(both.pvalue[2, 0], both.pvalue[2, 1])  # it takes no cutoff
    assert agreement(judged, ["P@10", "P"]).depths == (5, 10, 20, 50)
    assert agreement(judged, rs.measure("AP@20")).depths == (20,)


def test_opposite_directions_are_no_agreement(judged):
    """Pairs that both tests find significant, one for the first system and the other for the second."""
    got = agreement(judged, METRICS, depths=(5, 10))
    turned = replace(got, toward=-got.toward)
    category = got.categories()
    both, neither = (np.mean(category == c, axis=-1) for c in (BOTH_YES, BOTH_NO))
    assert got.opposed.max() == 0 < both.max()
    np.testing.assert_allclose(got.alike, both + neither)
    np.testing.assert_allclose(turned.alike, neither)
    lowest, highest = (f"{100 * f(turned.alike):.2f} %" for f in (np.min, np.max))
    assert lowest in turned.summary()
    assert highest in turned.summary()


def test_results_show_themselves(judged):
    got = agreement(judged, METRICS, depths=(5, 10))
    assert got.to_frame().height == len(METRICS) * 2 * 3
    assert len(got.figures()["bars"]["share"]) == len(METRICS) * 2 * 3 * 4
    assert "a metric and IPSO agree on" in str(got)
    assert got.to_frame("separability").height == 2
