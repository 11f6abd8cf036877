"""Equivalence and non-inferiority, against one-sided t tests of scipy 1.17 and statsmodels 0.15."""

from __future__ import annotations

import numpy as np
import pytest

from rankscope.errors import InputError
from rankscope.statistics.pairs.equivalence import equivalence, non_inferiority
from rankscope.statistics.pairs.intervals import t_interval

stats = pytest.importorskip("scipy.stats")
A = np.array([0.42, 0.12, 0.66, 0.35, 0.08, 0.51, 0.77, 0.23, 0.59, 0.31])
B = np.array([0.38, 0.20, 0.61, 0.35, 0.02, 0.47, 0.70, 0.30, 0.52, 0.25])


@pytest.mark.parametrize("margin", [0.01, 0.05, 0.2])
def test_two_one_sided_t_tests(margin: float) -> None:
    above = stats.ttest_1samp(A - B, -margin, alternative="greater")
    below = stats.ttest_1samp(A - B, margin, alternative="less")
    got = equivalence(B, A, margin)
    assert got.pvalue_above == pytest.approx(above.pvalue, rel=1e-9)
    assert got.pvalue_below == pytest.approx(below.pvalue, rel=1e-9)
    assert got.pvalue == max(got.pvalue_above, got.pvalue_below)
    one = non_inferiority(B, A, margin)
    assert (one.statistic, one.pvalue) == (pytest.approx(above.statistic), pytest.approx(above.pvalue, rel=1e-9))


def test_equal_to_statsmodels() -> None:
    weightstats = pytest.importorskip("statsmodels.stats.weightstats")
    p, above, below = weightstats.ttost_paired(A, B, -0.06, 0.06)
    got = equivalence(B, A, 0.06)
    assert (got.pvalue, got.pvalue_above, got.pvalue_below) == pytest.approx((p, above[1], below[1]), rel=1e-9)


@pytest.mark.parametrize("margin", np.linspace(0.02, 0.12, 11))
def test_p_and_bounds_say_the_same(margin: float) -> None:
    got = equivalence(B, A, margin, alpha=0.1)
    assert (got.pvalue < 0.1) == (-margin < got.lower and got.upper < margin)
    interval = t_interval(B, A, level=0.8)
    assert (got.lower, got.upper) == pytest.approx((interval.lower, interval.upper))
    one = non_inferiority(B, A, margin, alpha=0.1)
    assert one.lower == pytest.approx(got.lower)
    assert (one.pvalue < 0.1) == (one.lower > -margin)


def test_equivalence_is_symmetric_and_non_inferiority_is_not() -> None:
    assert equivalence(B, A, 0.05).pvalue == equivalence(A, B, 0.05).pvalue
    assert non_inferiority(B, A, 0.05).pvalue < non_inferiority(A, B, 0.05).pvalue


@pytest.mark.parametrize("test", [equivalence, non_inferiority])
def test_margins_and_levels_are_checked(test: object) -> None:
    assert callable(test)
    for margin in (-0.05, 0.0, float("nan"), float("inf")):
        with pytest.raises(InputError, match="margin is a number above 0"):
            test(A, B, margin)
    with pytest.raises(InputError, match="2 alpha is between"):
        test(A, B, 0.05, alpha=0.5)
    assert "margin" in str(test(A, B, 0.05))


def test_false_positives_at_the_edge_of_the_margin() -> None:
    rng = np.random.default_rng(3)
    rejected = sum(equivalence(np.zeros(30), rng.normal(1, 1, size=30), 1.0).pvalue <= 0.05 for _ in range(400))
    assert 7 <= rejected <= 34  # 20 expected, sd 4.4
