"""Saddlepoint approximations against the distributions that they stand in for."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtr
from scipy.stats import binom

from rankscope.statistics import Resampling, bootstrap_test, randomisation_interval, randomisation_test
from rankscope.statistics.draws import sign_flips
from rankscope.statistics.pairs import gaffke, saddlepoint
from rankscope.statistics.pairs.one_sided import BOUNDED, BOUNDED_LARGE, one_sided, simultaneous_reach

RNG = np.random.default_rng(7)


@pytest.mark.parametrize("deviations", [0.0, 0.3, 1.0, 2.0, 4.0, 8.0])
@pytest.mark.parametrize("side", [1, -1])
def test_sign_flips_on_a_grid(deviations: float, side: int) -> None:
    weights = RNG.integers(1, 6, 2000)
    total = int(weights.sum())
    observed = int(deviations * np.sqrt(np.square(weights).sum()))
    observed = side * (observed + (observed - total) % 2)
    exact = sign_flips.beyond(sign_flips.subset_sums(weights), observed, 1)
    got = saddlepoint.flipped_tail(0.1 * weights, 0.1 * observed, span=0.2)
    assert got == pytest.approx(exact, rel=1e-5)
    if deviations == 0:  # half of the sums are not below 0: without the correction for the grid it would be one half
        assert abs(exact - 0.5) > 1e-3


def test_sign_flips_off_a_grid() -> None:
    """Against all 2^n sums of two halves, for as many terms as can be counted."""
    values = RNG.normal(size=30)
    counted = sign_flips.exact_by_halves(np.abs(values), 8.0, 0.0, 1)
    assert saddlepoint.flipped_tail(values, 8.0) == pytest.approx(counted, rel=0.01)  # of 30 terms


@pytest.mark.parametrize("shift", [-0.05, 0.0, 0.02, 0.1, 0.3])
@pytest.mark.parametrize("bound", [3.0, 4.0, 40.0])
def test_race(monkeypatch: pytest.MonkeyPatch, shift: float, bound: float) -> None:
    monkeypatch.setattr(gaffke, "MOST_STATES", 1 << 40)
    d = np.clip(RNG.choice([-2.0, -1, 0, 0, 0, 1, 2], 1500) + shift, -3, 3)
    exact = gaffke.worst_case_pvalue(d[:, None], np.array([bound]))[0]
    assert saddlepoint.worst_case_tail(d[d != 0], bound) == pytest.approx(exact, rel=1e-11)


@pytest.mark.parametrize("bound", [1.0, 1.001, 2.0, 40.0, 4000.0])
@pytest.mark.parametrize(("losses", "size"), [(0, 0.5), (1, 0.99), (1, 1.0), (2, 0.9), (3, 1.0), (10, 0.99)])
def test_few_large_losses_decide_a_far_tail(
    monkeypatch: pytest.MonkeyPatch, bound: float, losses: int, size: float
) -> None:
    """The formula of Lugannani and Rice is off by some per cent here: the integral is as exact as the race."""
    monkeypatch.setattr(gaffke, "MOST_STATES", 1 << 40)
    d = np.repeat([0.1, -0.1], [600, 400]) * np.random.default_rng(losses).uniform(0.5, 1.5, 1000)
    d[:losses] = -size
    exact = gaffke.worst_case_pvalue(d[:, None], np.array([bound]))[0]
    assert saddlepoint.worst_case_tail(d, bound) == pytest.approx(exact, rel=1e-11)
    monkeypatch.setattr(saddlepoint, "_NODES", 0)
    formula = saddlepoint.worst_case_tail(d, bound)
    assert formula == pytest.approx(exact, rel=0.1)
    if losses in (1, 2, 3) and bound == 1:
        assert formula != pytest.approx(exact, rel=0.003)


@pytest.mark.parametrize("mean", [-0.002, 0.002, 0.01])
def test_neighbours_of_many_values_are_put_together(monkeypatch: pytest.MonkeyPatch, mean: float) -> None:
    monkeypatch.setattr(gaffke, "MOST_STATES", 1 << 40)
    d = np.random.default_rng(3).normal(mean, 0.2, 10_000).clip(-1, 1)
    d[:3] = -0.99
    assert len(np.unique(d)) > 2 * saddlepoint._GROUPS
    exact = gaffke.worst_case_pvalue(d[:, None], np.array([1.0]))[0]
    assert saddlepoint.worst_case_tail(d, 1.0) == pytest.approx(exact, rel=1e-10)
    monkeypatch.setattr(saddlepoint, "_GROUPS", d.size)
    assert saddlepoint.worst_case_tail(d, 1.0) == pytest.approx(exact, rel=1e-10)


def test_tails_of_very_many_values() -> None:
    """The mean of exp(-S / bound) over S > 0 belongs to the tail, also where its factors are beyond all doubles."""
    d = np.random.default_rng(3).normal(0.001, 0.2, 200_000).clip(-0.99, 0.99)
    total, deviation = float(d.sum()), float(np.sqrt(d @ d))
    got = saddlepoint.worst_case_tail(d, 1.0)
    below = float(ndtr(-total / deviation))
    skewness = 2 * float((d**3).sum()) / deviation**3
    z = total / deviation
    density = np.exp(-z * z / 2) / np.sqrt(2 * np.pi)
    edgeworth = below - skewness / 6 * (z * z - 1) * density
    assert got == pytest.approx(edgeworth + density / deviation, rel=2e-3)  # the density at 0, times the bound
    assert got != pytest.approx(edgeworth, rel=0.01)


def test_gaffke_switches_by_the_number_of_states() -> None:
    d = RNG.choice([-1.0, 1], (1, 5000))
    d[0, :2050] = 1.0
    tested = one_sided(d, test="bounded", bound=2.0)
    assert tested.method == BOUNDED_LARGE
    assert not tested.exact
    assert one_sided(d[:, :2000], test="bounded", bound=2.0).method == BOUNDED
    many = np.stack([d[0, :4900], np.where(np.arange(4900) < 40, d[0, :4900], 0.0)])
    assert gaffke.is_large(many.T).tolist() == [True, False]
    apart = [float(gaffke.worst_case_pvalue(row[:, None], np.array([2.0]))[0]) for row in many]
    assert gaffke.worst_case_pvalue(many.T, np.full(2, 2.0)).tolist() == apart


def test_randomisation_switches_by_the_number_of_differences() -> None:
    a = RNG.random(saddlepoint.LARGE + 500)
    b = a + RNG.normal(0.004, 0.2, a.size)
    large, small = randomisation_test(a, b), randomisation_test(a[:5000], b[:5000])
    assert large.method == "randomisation, saddlepoint approximation"
    assert not large.exact
    assert large.resampling is None
    assert "10,000 random sign flips" in small.method
    drawn = randomisation_test(a, b, exact=False, resampling=Resampling(20_000))
    assert "20,000 random" in drawn.method
    assert large.pvalue == pytest.approx(drawn.pvalue, abs=4 * drawn.error)
    one_way = [randomisation_test(a, b, alternative=side).pvalue for side in ("greater", "less")]
    assert sum(one_way) == pytest.approx(1, abs=1e-6)
    assert 2 * min(one_way) == pytest.approx(large.pvalue, rel=1e-9)
    turned = randomisation_test(b, a)
    assert turned.pvalue == large.pvalue


def test_few_terms_that_decide_the_sum_are_drawn() -> None:
    values = np.full(saddlepoint.LARGE + 1, 1e-6)
    assert saddlepoint.many(values)
    values[:20] = 1.0
    assert not saddlepoint.many(values)
    assert not saddlepoint.many(values[:100])
    assert not saddlepoint.many(np.zeros(20_000))


def test_interval_holds_what_the_test_does_not_reject() -> None:
    a = RNG.random(saddlepoint.LARGE + 2000)
    b = a + RNG.normal(0.01, 0.2, a.size)
    interval = randomisation_interval(a, b)
    assert interval.method == "randomisation, saddlepoint approximation"
    for end, side in ((interval.lower, "greater"), (interval.upper, "less")):
        assert randomisation_test(a, b - end, alternative=side).pvalue == pytest.approx(0.025, rel=1e-6)
    drawn = randomisation_interval(a, b, exact=False)
    assert (interval.lower, interval.upper) == pytest.approx((drawn.lower, drawn.upper), abs=2e-4)


def test_band_of_many_topics() -> None:
    """Normal sums beyond `LARGE` topics give what sign flips give below."""
    steps = RNG.normal(size=(6, saddlepoint.LARGE + 1)).cumsum(axis=0)
    many = simultaneous_reach(steps, 0.95)
    few = simultaneous_reach(steps[:, :-1], 0.95)
    assert many != few
    assert many == pytest.approx(few, rel=0.02)
    assert simultaneous_reach(steps, 0.95) == many


def test_sums_in_bunches_are_drawn():
    """400 differences of 1 decide, and 10,100 of some 1e-7 do not fill the gaps: a smooth tail would be off by 12 %."""
    rng = np.random.default_rng(1)
    small = rng.choice([-1, 1], 10_100) * 1e-7 * rng.uniform(0.9, 1.1, 10_100)
    d = np.concatenate([np.repeat([1.0, -1.0], [222, 178]), small])
    assert saddlepoint.many(d)
    assert saddlepoint.bunched(np.abs(d))
    assert "random sign flips" in randomisation_test(np.zeros(d.size), d, resampling=Resampling(10)).method
    for even in (rng.normal(0, 0.1, 12_000), 1 / rng.integers(1, 11, 12_000) - 1 / rng.integers(1, 11, 12_000)):
        assert not saddlepoint.bunched(np.abs(even))
    on_a_grid = rng.integers(-3, 4, 12_000) / 10
    assert not saddlepoint.bunched(np.abs(on_a_grid), 0.2)
    assert saddlepoint.bunched(np.abs(on_a_grid))


@pytest.mark.parametrize("share", [0.006, 0.01, 0.05])
@pytest.mark.parametrize("values", [(0.4, 1.0), (0.44, 1.0), (0.0, 0.6)])
def test_samples_of_two_values(values, share):
    """The first step of Newton's method goes far beyond the saddlepoint; samples of two values lie on a grid."""
    n, few = 40_000, Resampling(10)
    d = np.where(np.arange(n) < n * (1 - share), *values)
    corrected = values[0] == 0 and share == 0.05  # enough topics decide, on a grid whose step is that of the sums
    assert ("random samples" in bootstrap_test(np.zeros(n), d, variant="shift", resampling=few).method) != corrected
    assert "random samples" in bootstrap_test(np.zeros(n), d, resampling=few).method
    tail = saddlepoint.drawn_tail(d - d.mean(), 0.0, values[1] - values[0])
    high = np.count_nonzero(d == values[1])
    assert tail == pytest.approx(binom.sf(high - 1, n, high / n), rel=1e-4)
    far = saddlepoint.drawn_tail(d - d.mean(), float(d.sum()), values[1] - values[0])
    assert far == pytest.approx(binom.sf(2 * high - 1, n, high / n) if values[0] == 0 else 0.0, rel=1e-3, abs=1e-200)


def test_interval_where_few_differences_from_the_mean_decide():
    d = np.concatenate([np.random.default_rng(1).normal(0.1, 0.001, 20_000), np.ones(5)])
    assert saddlepoint.many(d)
    assert "random sign flips" in randomisation_interval(np.zeros(d.size), d, resampling=Resampling(100)).method
