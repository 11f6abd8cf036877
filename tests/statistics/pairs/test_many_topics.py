"""Paired tests of many topics: as exact as the digits they print, by the rules of docs/conventions.md."""

from __future__ import annotations

from collections.abc import Callable
from math import exp, lgamma, log
from typing import Any

import numpy as np
import pytest
from scipy import stats

from rankscope.errors import InputError
from rankscope.statistics import (
    Resampling,
    bootstrap_interval,
    bootstrap_test,
    randomisation_interval,
    randomisation_test,
    sign_test,
    t_interval,
    t_test,
    wilcoxon,
)
from rankscope.statistics.pairs import saddlepoint
from rankscope.statistics.pairs.differences import Differences
from rankscope.statistics.pairs.intervals import _all_samples

SIZES = [12_000, pytest.param(1_000_000, marks=pytest.mark.slow)]


def scores(n: int, law: str) -> tuple[np.ndarray, np.ndarray]:
    """Two systems that differ by some two standard errors."""
    rng = np.random.default_rng(n)
    if law == "grid":
        a = rng.integers(0, 11, n) / 10
        step = rng.choice([-1, 0, 0, 0, 1], n) + (rng.random(n) < 1.5 / np.sqrt(n))
        return a, np.clip(a + step / 10, 0, 1)
    a = rng.beta(2, 3, n)
    return a, a + rng.exponential(0.1, n) - 0.1 + 0.2 / np.sqrt(n)


def coin(heads: int, tosses: int) -> float:
    """Chance of at most so many heads: the largest term times a series."""
    term = total = 1.0
    for k in range(heads, 0, -1):
        term *= k / (tosses - k + 1)
        total += term
        if term < 1e-18 * total:
            break
    return total * exp(lgamma(tosses + 1) - lgamma(heads + 1) - lgamma(tosses - heads + 1) - tosses * log(2))


@pytest.mark.parametrize("law", ["grid", pytest.param("skewed", marks=pytest.mark.slow)])
@pytest.mark.parametrize("n", SIZES)
def test_each_paired_test(n: int, law: str) -> None:
    a, b = scores(n, law)
    d = np.round(b - a, 9)
    above, below = int((d > 0).sum()), int((d < 0).sum())
    assert t_test(a, b).pvalue == pytest.approx(stats.ttest_rel(b, a).pvalue, rel=1e-9)
    # terms of lgamma are some 10^7, of which 16 digits are known
    assert sign_test(a, b).pvalue == pytest.approx(2 * coin(min(above, below), above + below), rel=1e-8)
    assert wilcoxon(a, b).method == "signed ranks, normal"
    assert wilcoxon(a, b).pvalue == pytest.approx(stats.wilcoxon(d, method="approx").pvalue, rel=1e-9)
    # near Student's, but for the skewness of samples, and for sums on a grid that tie with the data
    for test in (randomisation_test, bootstrap_test):
        result = test(a, b)
        assert result.pvalue == pytest.approx(t_test(a, b).pvalue, rel=0.1)
        assert (result.exact, result.error, result.resampling) == ("exact" in result.method, 0, None)
    assert bootstrap_test(a, b).method == "bootstrap, studentised, Edgeworth expansion"
    assert bootstrap_test(a, b, variant="shift").method == "bootstrap, shift, saddlepoint approximation"
    interval = t_interval(a, b)
    for ends in (bootstrap_interval(a, b), randomisation_interval(a, b)):
        assert (ends.lower, ends.upper) == pytest.approx(
            (interval.lower, interval.upper), abs=0.02 * (interval.upper - interval.lower)
        )


@pytest.mark.parametrize("deviations", [-3, -1, 0, 0.5, 2, 4])
def test_samples_on_a_grid(deviations: float) -> None:
    """Against the distribution of the sums of all samples."""
    d = np.random.default_rng(5).choice([0.0, 0, 0, 1, 2, -1, 5], 3000)
    means, share = _all_samples(Differences.of(np.zeros(d.size), d))  # type: ignore[misc]
    total = round(d.sum() + deviations * d.std() * np.sqrt(d.size))
    exact = 1 - share[np.searchsorted(np.rint(means * d.size), total) - 1]
    assert saddlepoint.drawn_tail(d, float(total), 1.0) == pytest.approx(exact, rel=1e-5)
    at = means[np.searchsorted(share, 1 - exact)]
    assert saddlepoint.drawn_quantile(d, 1 - exact) == pytest.approx(at, abs=1 / d.size)


@pytest.mark.parametrize("law", ["grid", "skewed"])
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("variant", ["studentised", "shift"])
def test_formulas_agree_with_draws(law: str, alternative: Any, variant: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Within 4 standard errors of 20,000 draws, where they would not stand in yet."""
    monkeypatch.setattr(saddlepoint, "LARGE", 1000)
    monkeypatch.setattr(saddlepoint, "STEADY", 100)
    a, b = scores(1500, law)
    test: Callable[..., Any] = lambda **more: bootstrap_test(  # noqa: E731
        a, b, alternative=alternative, variant=variant, resampling=Resampling(20_000), **more
    )
    got, expected = test(), test(exact=False)
    assert "20,000 random samples" in expected.method
    assert "random" not in got.method
    assert abs(got.pvalue - expected.pvalue) <= 4 * expected.error
    swapped = bootstrap_test(b, a, variant=variant)
    assert swapped.pvalue == bootstrap_test(a, b, variant=variant).pvalue


def test_few_topics_that_decide_are_drawn() -> None:
    a = np.zeros(12_000)
    b = np.where(np.arange(12_000) < 300, 0.1, 0.0) * np.resize([1, -1, 1], 12_000)
    assert "random samples" in bootstrap_test(a, b, resampling=Resampling(9)).method
    with pytest.raises(InputError, match="exact=False"):
        bootstrap_test(a, b, exact=True)
