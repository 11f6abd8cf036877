"""Effect sizes and their intervals."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from rankscope.errors import InputError
from rankscope.statistics.pairs.effect_sizes import cohen_dz, effect_sizes, mean_difference, superiority
from rankscope.statistics.pairs.intervals import t_interval
from rankscope.statistics.pairs.noncentral_t import noncentral_t
from rankscope.statistics.pairs.paired_tests import t_test

stats = pytest.importorskip("scipy.stats")
A = np.array([0.42, 0.12, 0.66, 0.35, 0.08, 0.51, 0.77, 0.23, 0.59, 0.31])
B = np.array([0.38, 0.20, 0.61, 0.35, 0.02, 0.47, 0.70, 0.30, 0.52, 0.25])


def test_the_raw_difference_has_students_interval() -> None:
    raw, interval = mean_difference(B, A), t_interval(B, A)
    assert (raw.value, raw.lower, raw.upper) == (interval.difference, interval.lower, interval.upper)


@pytest.mark.parametrize("shift", [0.0, -0.05, 0.5])
def test_cohen_by_its_definition(shift: float) -> None:
    d = A + shift - B
    got = cohen_dz(B, A + shift)
    assert got.value == pytest.approx(d.mean() / d.std(ddof=1))
    t = t_test(B, A + shift).statistic
    ends = stats.nct.cdf(t, 9, np.sqrt(10) * np.array([got.lower, got.upper]))
    assert_allclose(ends, [0.975, 0.025], rtol=0, atol=1e-9)


@pytest.mark.parametrize("topics", [2, 3, 20, 200])
@pytest.mark.parametrize("shift", [0.0, 0.3, 5.0, 1000.0])
@pytest.mark.parametrize("level", [0.5, 0.95, 0.9999])
def test_the_ends_of_cohen_are_where_they_should_be(topics: int, shift: float, level: float) -> None:
    """However far away the ends lie: the noncentral t there has the probabilities asked for."""
    a = np.random.default_rng(topics).normal(shift, 1, topics)
    got = cohen_dz(np.zeros(topics), a, level=level)
    t, ends = abs(got.value) * np.sqrt(topics), np.sqrt(topics) * np.array([got.lower, got.upper])
    if got.value < 0:
        ends = -ends[::-1]
    shares = [noncentral_t(t, topics - 1, end) for end in ends.tolist()]
    assert_allclose(shares, [(1 + level) / 2, (1 - level) / 2], rtol=0, atol=1e-12)


def test_the_interval_of_cohen_agrees_with_the_t_test() -> None:
    p = t_test(B, A).pvalue
    assert cohen_dz(B, A, level=1 - p).lower == pytest.approx(0, abs=1e-6)


def test_superiority_by_hand() -> None:
    # 7 higher, 2 lower, 1 the same: 7.5 of 10; without ties Wilson's interval as scipy has it
    assert superiority(B, A).value == 0.75
    got = superiority(np.array([-1.0] * 8 + [20, 20]), np.arange(10.0))
    theirs = stats.binomtest(8, 10).proportion_ci(method="wilson")
    assert_allclose([got.value, got.lower, got.upper], [0.8, theirs.low, theirs.high], rtol=1e-9)
    assert superiority(A, A).value == 0.5


def test_swapping_turns_everything_round() -> None:
    one, other = effect_sizes(B, A), effect_sizes(A, B)
    assert (one.cohen_dz.lower, one.cohen_dz.upper) == (-other.cohen_dz.upper, -other.cohen_dz.lower)
    assert one.superiority.value == 1 - other.superiority.value
    assert one.superiority.lower == pytest.approx(1 - other.superiority.upper)
    order = np.random.default_rng(1).permutation(10)
    assert effect_sizes(B[order], A[order]) == one
    assert len(one.table()[1]) == 3
    assert "Cohen's d_z" in str(one)


def test_a_constant_difference_is_refused() -> None:
    for effect in (mean_difference, cohen_dz, effect_sizes):
        with pytest.raises(InputError, match=r"the difference is -0\.1 on all 10 topics"):
            effect(A, A - 0.1)
    assert superiority(A, A + 0.1).value == 1.0
    with pytest.raises(InputError, match="level is between"):
        superiority(B, A, level=1)


@pytest.mark.slow
def test_intervals_of_cohen_cover() -> None:
    rng = np.random.default_rng(2)
    missed = 0
    for _ in range(300):
        got = cohen_dz(np.zeros(20), rng.normal(0.4, 1, size=20))
        missed += not got.lower <= 0.4 <= got.upper
    assert 4 <= missed <= 30
