"""All pairs: the same as pair by pair, rankings of systems, and the paper's table of ties and significance."""

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
import strategies
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import rankscope as rs
from rankscope import kernels
from rankscope.errors import DataWarning, InputError
from rankscope.preferences import all_pairs
from rankscope.preferences.votes import borda
from rankscope.statistics import Resampling, anova_two_way
from rankscope.statistics.equality import error

pytestmark = pytest.mark.filterwarnings("ignore::rankscope.errors.DataWarning")
GOLDEN = {
    e["id"]: e for e in json.loads((Path(__file__).parents[1] / "golden" / "lexi_dl19.json").read_text())["entries"]
}

ONE_BY_ONE = {
    "ipso": lambda j, a, b, k: rs.ipso(j, a, b, depth=k).outcome,
    "sgnLP": lambda j, a, b, k: rs.lexiprecision(j, a, b, depth=k).sign,
    "rrLP": lambda j, a, b, k: rs.lexiprecision(j, a, b, depth=k).difference,
    "lexirecall": lambda j, a, b, k: rs.lexirecall(j, a, b, depth=k).sign,
    "rpp": lambda j, a, b, k: rs.rpp(j, a, b, depth=k).value,
}


@settings(max_examples=120)
@given(strategies.collections(fewest=2, systems=4), st.integers(1, 12), st.sampled_from(["drop", "zero"]))
def test_all_pairs_are_the_pairs_one_by_one(made, depth, undefined):
    judged = rs.load(made.qrels, made.runs, undefined=undefined)
    assume(strategies.has_relevant(judged))
    depth = min(depth, judged.code.shape[-1])
    for method, alone in ONE_BY_ONE.items():
        got = all_pairs(judged, method, depth=depth, workers=2)
        rows = got.classes if method == "ipso" else got.value
        for row, (a, b) in zip(rows, combinations(judged.systems, 2), strict=True):
            np.testing.assert_array_equal(row, alone(judged, a, b, depth), err_msg=method)
        square = got.square()
        np.testing.assert_array_equal(square, -square.transpose(0, 2, 1))
        a, b = judged.systems[:2]
        np.testing.assert_array_equal(got.between(b, a), -got.between(a, b))
        np.testing.assert_allclose(got.scores(), square.sum(axis=1).T / (len(judged.systems) - 1), atol=1e-15)


@settings(max_examples=60)
@given(strategies.collections(fewest=2, systems=3), st.sampled_from(["uniform", "inverse", "dcg"]))
def test_graded_methods(made, weights):
    judged = rs.load(made.qrels, made.runs)
    assume(strategies.has_relevant(judged))
    gains, pairs = (
        {g: round(g * 0.3, 1) for g in judged.grades.tolist() if g > 0}, list(combinations(judged.systems, 2))
    )  # fmt: skip
    for how in ("binary", "linear", gains):
        got = all_pairs(judged, "ipso", gains=how)
        for row, (a, b) in zip(got.classes, pairs, strict=True):
            np.testing.assert_array_equal(row, rs.ipso(judged, a, b, gains=how).outcome)
        assert got.counts.sum() == got.classes.size
    got = all_pairs(judged, "rpp", weights=weights, graded=True)
    for row, (a, b) in zip(got.value, pairs, strict=True):
        np.testing.assert_allclose(row, rs.rpp(judged, a, b, weights=weights, graded=True).value, atol=1e-15)


def test_votes_by_hand():
    runs = {
        "x": {"1": ["a", "n"], "2": ["n", "a"]},
        "y": {"1": ["n", "a"], "2": ["n", "a"]},
        "z": {"1": ["n"], "2": ["m"]},
    }
    judged = rs.load({"1": {"a": 1, "n": 0}, "2": {"a": 1, "n": 0}}, runs)
    got = all_pairs(judged, "sgnLP")
    assert got.value.dtype == np.int8
    assert got.value.tolist() == [[-1, 0], [-1, -1], [-1, -1]]
    assert got.level.tolist() == [[1, 0], [1, 1], [1, 1]]
    assert got.ties.tolist() == [1, 0, 0]
    assert got.scores().tolist() == [[1, 0.5], [0, 0.5], [-1, -1]]
    mean = got.ranking()
    assert mean.systems == ("x", "y", "z")
    assert mean.points.tolist() == [0.75, 0.25, -1]
    count = got.ranking("borda")  # topic 1: 2, 1, 0 systems below; topic 2: 1.5, 1.5, 0
    assert count.points.tolist() == [1.75, 1.25, 0]
    assert "share the mean of their ranks" in str(count)
    assert got.to_frame()["for_first"].to_list() == [1, 2, 2]
    assert got.to_frame()["for_second"].to_list() == [0, 0, 0]
    assert got.to_frame()["favours"].to_list() == ["x", "x", "y"]
    assert "16.67 % of all comparisons are ties" in str(got)
    assert got.between("x", "x").tolist() == [0, 0]
    tied = all_pairs(judged, "sgnLP", systems=["y", "x"], rel=1).ranking()
    assert tied.rank.tolist() == [1, 2]


def test_systems_that_tie_share_their_ranks():
    scores = np.array([[0.1 + 0.2], [0.3], [0.3], [-1.0]])
    midway = borda(scores, error(scores))
    np.testing.assert_array_equal(midway[:, 0], [2, 2, 2, 0])
    judged = rs.load({"1": {"a": 1}}, {name: {"1": ["a"]} for name in "uvw"})
    for how in ("mean", "borda"):
        assert all_pairs(judged, "rpp").ranking(how).rank.tolist() == [2, 2, 2]


def test_any_number_of_workers(monkeypatch):
    rng = np.random.default_rng(1)
    docs = [f"d{i}" for i in range(30)]
    qrels = {str(t): {d: int(rng.integers(0, 3)) for d in docs[:20]} for t in range(17)}
    runs = {f"s{s}": {str(t): rng.permutation(docs).tolist() for t in range(17)} for s in range(6)}
    judged = rs.load(qrels, runs)
    tried = [(method, {}) for method in ONE_BY_ONE] + [("ipso", {"gains": {1: 0.1, 2: 0.3}})]
    for method, options in tried:
        one, many = (all_pairs(judged, method, workers=w, **options) for w in (1, 3))
        np.testing.assert_array_equal(one.value, many.value)
        with monkeypatch.context() as patch:
            for name in ("relevant_ranks", "pair_classes", "pair_classes_graded", "pair_levels", "pair_votes"):
                patch.setattr(kernels, name, getattr(kernels.pure, name))
            np.testing.assert_array_equal(one.value, all_pairs(judged, method, **options).value)
    scores = all_pairs(judged, "sgnLP").scores()
    assert anova_two_way(scores.T).n_topics == 17


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "lexi"}, "one of ipso, sgnLP, rrLP, lexirecall, rpp"),
        ({"method": "ipso", "gains": "sum"}, "gains='sum' is unknown"),
        ({"method": "sgnLP", "gains": "binary"}, "gains has no effect on sgnLP"),
        ({"method": "sgnLP", "graded": True}, "graded has no effect on sgnLP"),
        ({"method": "sgnLP", "weights": "dcg"}, "weights has no effect on sgnLP"),
        ({"method": "rpp", "weights": "x"}, "one of uniform"),
        ({"method": "rpp", "systems": ["x", "w"]}, "no system is named 'w'"),
        ({"method": "rpp", "systems": ["x"]}, "name at least two"),
        ({"method": "rpp", "depth": 3}, "from 1 to 2"),
    ],
)
def test_bad_input(options, message):
    judged = rs.load({"1": {"a": 1, "b": 2}}, {"x": {"1": ["a", "b"]}, "y": {"1": ["b"]}})
    with pytest.raises(InputError, match=message):
        all_pairs(judged, **options)
    with pytest.raises(InputError, match="has no classes"):
        _ = all_pairs(judged, "rpp").counts
    with pytest.raises(InputError, match=r"no system is named 'xx'\n.*did you mean x"):
        all_pairs(judged, "rpp").between("xx", "y")
    with pytest.raises(InputError, match="one of mean, borda"):
        all_pairs(judged, "rpp").ranking("mc4")


# ---- deep-pass (2019) -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def deep(data):
    folder = data / "dl19-passage"
    return rs.load(folder / "qrels.gz", folder / "runs", rel=2)


def share(hits):
    return 100 * np.count_nonzero(hits) / hits.size


def test_table_2_masked_agreement(deep):
    entry = GOLDEN["table2"]
    full = all_pairs(deep, "sgnLP", rel=1)
    first = full.level == 1
    ranks = kernels.pure.relevant_ranks(deep.code, 2 + int(np.searchsorted(deep.grades, 1)), 1000, 1000, 0, 43)
    masked = kernels.Ranks(
        np.concatenate([ranks.rank[..., 1:], np.full((*ranks.rank.shape[:2], 1), ranks.late, ranks.rank.dtype)], -1),
        np.maximum(ranks.used - 1, 0),
        None,
    )
    level, difference = kernels.pure.pair_levels(masked, last=False, difference=True)
    agreed = full.value == -np.sign(level).T  # kernels are positive for the first list
    next_ = (full.value == -np.sign(difference).T) & (np.abs(level).T == 1)
    for got, name in ((agreed[first], "sgnLP_suffix_pct"), (next_[first], "deltaRR2_pct")):
        assert share(got) == pytest.approx(entry["expected"][name], abs=entry["tolerance"])


def test_table_3_ties(deep):
    entry = GOLDEN["table3"]
    got = all_pairs(deep, "sgnLP")
    assert got.value.shape == (666, 43)
    assert share(got.value == 0) == pytest.approx(entry["expected"]["lexiprecision_pct"], abs=entry["tolerance"])
    assert share(got.level != 1) == pytest.approx(entry["expected"]["RR_pct"], abs=entry["tolerance"])


def test_table_4b_bonferroni(deep):
    entry = GOLDEN["table4b"]
    from scipy.stats import ttest_1samp

    signs = np.array(all_pairs(deep, "sgnLP").columns()["pvalue"])
    assert share(signs < 0.05 / 666) == pytest.approx(entry["expected"]["sgnLP_binomial_pct"], abs=entry["tolerance"])
    value = all_pairs(deep, "rrLP").value
    some = value[(value != 0).any(axis=1)]
    p = np.ones(len(value))
    p[(value != 0).any(axis=1)] = ttest_1samp(some, 0, axis=1).pvalue
    assert share(p < 0.05 / 666) == pytest.approx(entry["expected"]["rrLP_t_pct"], abs=entry["tolerance"])


def test_table_4a_randomised_hsd(deep):
    entry = GOLDEN["table4a"]
    resampling = Resampling(2000, seed=1)
    for method, strict, name in (
        ("sgnLP", False, "sgnLP_pct_ge"),
        ("sgnLP", True, "sgnLP_pct_strict"),
        ("rrLP", False, "rrLP_pct"),
    ):
        found = all_pairs(deep, method).hsd(resampling=resampling, strict=strict)
        assert 100 * found.below(0.05) / 666 == pytest.approx(entry["expected"][name], abs=entry["tolerance"])


def test_ipso_significance_on_a_real_collection(deep):
    """Share of pairs that the sign test of IPSO at depth 10 tells apart, measured independently: 59.3 %."""
    p = np.array(all_pairs(deep, "ipso", depth=10, gains="binary").columns()["pvalue"])
    assert share(p < 0.05) == pytest.approx(59.3, abs=0.5)


def test_topics_that_are_left_out_are_told():
    judged = rs.load({"1": {"a": 1}, "2": {"a": 0}}, {"x": {"1": ["a"], "2": ["a"]}, "y": {"1": ["b"], "2": ["b"]}})
    with pytest.warns(DataWarning, match="left out: 1 of 2"):
        got = all_pairs(judged, "rpp")
    assert (got.topics, got.left_out) == (("1",), 1)


def test_no_grade_is_relevant():
    """Topics are kept where `undefined="zero"` was chosen; all lists are then alike, graded or not."""
    judged = rs.load({"1": {"a": 1}}, {"x": {"1": ["a"]}, "y": {"1": ["b"]}}, undefined="zero")
    for graded in (False, True):
        assert all_pairs(judged, "rpp", graded=graded, rel=5).value.tolist() == [[0.0]]
        assert rs.rpp(judged, "x", "y", graded=graded, rel=5).value.tolist() == [0.0]


def test_ties_of_ipso_are_of_two_kinds():
    runs = {"x": {"1": ["a", "n", "n2"], "2": ["n"]}, "y": {"1": ["n", "a", "b"], "2": ["n"]}}
    text = str(all_pairs(rs.load({"1": {"a": 1, "b": 1}, "2": {"a": 1}}, runs), "ipso"))
    assert "100.00 % of all comparisons are ties: 50.00 % are equal (==), 50.00 % non-separable (**)" in text
