"""Kappa and alpha against scikit-learn and krippendorff, and what must hold of any agreement."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import rankscope as rs
from rankscope.statistics import cohen_kappa, krippendorff_alpha
from rankscope.statistics.rater_agreement import SCALES, WEIGHTS


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("variant", WEIGHTS)
def test_kappa_is_that_of_scikit_learn(seed, variant):
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(seed)
    x, y = rng.integers(0, rng.integers(2, 6), (2, rng.integers(5, 80)))
    grades = list(range(6))  # scikit-learn weighs by places in this list, which are the grades here
    weights = None if variant == "none" else variant
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = metrics.cohen_kappa_score(x, y, labels=grades, weights=weights)
    assert cohen_kappa(x, y, variant=variant).statistic == pytest.approx(expected, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("variant", SCALES)
def test_alpha_is_that_of_krippendorff(seed, variant):
    krippendorff = pytest.importorskip("krippendorff")
    rng = np.random.default_rng(seed)
    ratings = rng.integers(0, 4, (rng.integers(2, 6), 40)).astype(float) / rng.integers(1, 4)
    ratings[rng.random(ratings.shape) < 0.2] = np.nan
    expected = krippendorff.alpha(ratings, level_of_measurement=variant, value_domain=None)
    assert krippendorff_alpha(ratings, variant=variant).statistic == pytest.approx(expected, abs=1e-12)


@settings(max_examples=50)
@given(arrays(np.int64, st.integers(2, 30), elements=st.integers(0, 3)), st.sampled_from(WEIGHTS))
def test_a_judge_agrees_with_itself(ratings, variant):
    expected = 1.0 if len(set(ratings.tolist())) > 1 else np.nan
    assert cohen_kappa(ratings, ratings, variant=variant).statistic == pytest.approx(expected, nan_ok=True)
    alpha = krippendorff_alpha(np.stack([ratings, ratings])).statistic
    assert alpha == pytest.approx(expected, nan_ok=True)


@settings(max_examples=30)
@given(arrays(np.float64, (3, 12), elements=st.sampled_from([0.0, 1.0, 2.0, np.nan])), st.permutations([0, 1, 2]))
def test_the_order_of_raters_changes_nothing(ratings, order):
    if ((~np.isnan(ratings)).sum(axis=0) < 2).all():
        return
    for variant in SCALES:
        ours, again = (krippendorff_alpha(r, variant=variant).statistic for r in (ratings, ratings[order]))
        assert ours == pytest.approx(again, abs=1e-12, nan_ok=True)


def test_bad_ratings_are_refused():
    with pytest.raises(rs.InputError, match="3 and 2 ratings"):
        cohen_kappa([0, 1, 2], [0, 1])
    with pytest.raises(rs.InputError, match="item 1 is nan"):
        cohen_kappa([0, np.nan], [0, 1])
    with pytest.raises(rs.InputError, match="no unit has two ratings"):
        krippendorff_alpha([[1, np.nan], [np.nan, 2]])
    with pytest.raises(rs.InputError, match="at least two raters"):
        krippendorff_alpha([[1, 2]])
