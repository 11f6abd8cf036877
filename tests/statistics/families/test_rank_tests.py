"""Kruskal-Wallis, Friedman, Nemenyi and comparisons of mean ranks."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.testing import assert_allclose

from rankscope.errors import InputError
from rankscope.statistics.equality import midranks
from rankscope.statistics.families.rank_tests import friedman, kruskal_wallis, nemenyi

GOLDEN: dict[str, Any] = {
    e["id"]: e["expected"]
    for e in json.loads((Path(__file__).parents[2] / "golden" / "stats.json").read_text())["entries"]
}
A = np.array(GOLDEN["A"]["matrix"])


def test_kruskal_golden():
    want, got = GOLDEN["A_kruskal"], kruskal_wallis(A)
    assert_allclose((got.statistic, got.pvalue), (want["H"], want["p"]), rtol=1e-9)
    assert_allclose(got.mean_ranks, want["mean_ranks"])
    assert (got.df, got.tied) == (want["df"], want["sum_t3_minus_t"])


def test_kruskal_comparisons_golden():
    got = kruskal_wallis(A).comparisons
    assert_allclose(got.difference, [-w["diff"] for w in GOLDEN["A_kruskal_tukey"]], atol=1e-12)
    assert_allclose(got.pvalue, [w["p"] for w in GOLDEN["A_kruskal_tukey"]], rtol=1e-9)


def test_friedman_golden():
    want, got = GOLDEN["A_friedman"], friedman(A)
    assert_allclose((got.statistic, got.pvalue), (want["chi2"], want["p"]), rtol=1e-9)
    assert_allclose(got.mean_ranks, want["mean_ranks"])
    assert got.df == want["df"]


@given(arrays.arrays(np.float64, (8, 4), elements=st.sampled_from([0.0, 0.1, 0.2, 0.5, 0.7, 1.0])))
def test_against_scipy(scores):
    """scipy 1.17: scipy.stats.kruskal, friedmanchisquare and rankdata."""
    stats = pytest.importorskip("scipy.stats")
    assert_allclose(midranks(scores)[0], stats.rankdata(scores, axis=1))
    if np.ptp(scores) > 0:
        want = stats.kruskal(*scores.T)
        got = kruskal_wallis(scores)
        assert_allclose((got.statistic, got.pvalue), (want.statistic, want.pvalue), rtol=1e-9, atol=1e-12)
    if np.ptp(scores, axis=1).any():
        want = stats.friedmanchisquare(*scores.T)
        got = friedman(scores)
        assert_allclose((got.statistic, got.pvalue), (want.statistic, want.pvalue), rtol=1e-9, atol=1e-12)


def test_nemenyi_is_friedmans_without_ties():
    scores = np.random.default_rng(2).random((15, 6))
    assert_allclose(nemenyi(scores).pvalue, friedman(scores).comparisons.pvalue, rtol=1e-9)
    # Demsar (2006), 14 data sets and 4 classifiers: the critical difference is 2.569 sqrt(4 * 5 / (6 * 14)) = 1.25
    got = nemenyi(scores[:14, :4])
    assert got.critical * got.standard_error == pytest.approx(1.25, abs=0.005)


def test_sums_of_decimals_tie():
    assert midranks(np.array([[0.1 + 0.2, 0.3, 0.0]]))[0].tolist() == [[2.5, 2.5, 1.0]]


def test_trec8_pairs(data):
    """The paper finds 1,824 of 8,256 pairs at depth 250; depth 1000 gives 1,877."""
    with gzip.open(data / "score-matrices" / "newbestsub-AH99.csv.gz", "rt") as file:
        scores = np.array([line.rstrip("\n").split(",")[1:] for line in file][1:], np.float64).T
    got = kruskal_wallis(scores).comparisons
    assert len(got.pvalue) == 8256
    assert abs(got.below(0.05) - 1877) <= 2


@pytest.mark.parametrize("test", [lambda x: friedman(x).comparisons, nemenyi, lambda x: kruskal_wallis(x).comparisons])
def test_order_does_not_matter(test):
    rng = np.random.default_rng(5)
    scores = rng.integers(0, 5, (9, 6)) / 10
    columns = rng.permutation(6)
    mixed = test(scores[rng.permutation(9)][:, columns]).matrix()
    assert_allclose(mixed, test(scores).matrix()[np.ix_(columns, columns)], rtol=1e-9)


def test_family_wise_error():
    rng = np.random.default_rng(11)
    nulls = [rng.exponential(1, (30, 5)) for _ in range(300)]
    assert 3 <= sum(friedman(x).pvalue < 0.05 for x in nulls) <= 28  # 15 expected, sd 3.8
    assert 3 <= sum(nemenyi(x).pvalue.min() < 0.05 for x in nulls) <= 28
    assert 3 <= sum(kruskal_wallis(x).comparisons.pvalue.min() < 0.05 for x in nulls) <= 28


def test_bad_input():
    with pytest.raises(InputError, match="all scores are equal"):
        kruskal_wallis(np.full((3, 3), 0.2))
    with pytest.raises(InputError, match="equal on every topic"):
        friedman(np.repeat([[0.1], [0.2], [0.3]], 3, axis=1))
    with pytest.raises(InputError, match="1 system"):
        nemenyi([[0.1], [0.2]])


def test_prints_itself():
    text = str(friedman(A, systems=list("vwxyz")))
    assert text.startswith("Friedman, blocked by topic; 10 topics; chi-square 17.47, df 4, p 0.001568")
    assert friedman(A).to_frame().columns == ["system", "mean_rank"]
