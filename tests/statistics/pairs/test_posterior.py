"""Posterior probabilities of a difference."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rankscope.errors import InputError
from rankscope.statistics.draws import sign_flips
from rankscope.statistics.draws.resampling import Resampling
from rankscope.statistics.pairs.intervals import t_interval
from rankscope.statistics.pairs.paired_tests import t_test
from rankscope.statistics.pairs.posterior import posterior

stats = pytest.importorskip("scipy.stats")
A = np.array([0.42, 0.12, 0.66, 0.35, 0.08, 0.51, 0.77, 0.23, 0.59, 0.31])
B = np.array([0.38, 0.20, 0.61, 0.35, 0.02, 0.47, 0.70, 0.30, 0.52, 0.25])


def test_students_posterior_mirrors_the_t_test() -> None:
    got, test, interval = posterior(B, A), t_test(B, A), t_interval(B, A)
    assert got.above_zero == pytest.approx(1 - test.pvalue / 2)
    assert (got.lower, got.upper) == pytest.approx((interval.lower, interval.upper))
    frozen = stats.t(9, loc=test.difference, scale=test.sd / np.sqrt(10))
    wide = posterior(B, A, margin=0.01)
    assert wide.above_margin == pytest.approx(frozen.sf(0.01))
    assert wide.below_margin == pytest.approx(frozen.cdf(-0.01))
    assert wide.within_margin == pytest.approx(frozen.cdf(0.01) - frozen.cdf(-0.01))


def test_students_posterior_by_simulation() -> None:
    # variance from scaled inverse chi-square, then the mean given the variance
    rng, d = np.random.default_rng(1), A - B
    variance = 9 * d.var(ddof=1) / rng.chisquare(9, 100_000)
    means = rng.normal(d.mean(), np.sqrt(variance / 10))
    assert posterior(B, A, margin=0.02).above_margin == pytest.approx((means > 0.02).mean(), abs=0.006)


def test_the_bayesian_bootstrap_by_hand() -> None:
    # two topics with differences 0 and 1: the weight of the second is uniform on [0, 1]
    got = posterior([0.0, 0.0], [0.0, 1.0], margin=0.3, variant="bootstrap", resampling=Resampling(40_000))
    assert got.above_margin == pytest.approx(0.7, abs=0.01)
    assert got.above_zero == 1.0
    assert (got.lower, got.upper) == pytest.approx((0.025, 0.975), abs=0.005)


def test_both_kinds_agree_on_many_topics() -> None:
    a, b = np.random.default_rng(2).normal(size=(2, 300))
    student, weighted = (posterior(b, a, margin=0.05, variant=k) for k in ("student", "bootstrap"))  # type: ignore[arg-type]
    assert weighted.above_zero == pytest.approx(student.above_zero, abs=0.02)
    assert weighted.within_margin == pytest.approx(student.within_margin, abs=0.02)


@pytest.mark.parametrize("kind", ["student", "bootstrap"])
def test_order_swap_workers_and_blocks(kind: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    got, turned = posterior(B, A, margin=0.01, variant=kind), posterior(A, B, margin=0.01, variant=kind)
    assert turned.above_margin == pytest.approx(got.below_margin, abs=1e-12)
    assert turned.within_margin == pytest.approx(got.within_margin, abs=1e-12)
    assert got.above_margin + got.within_margin + got.below_margin == pytest.approx(1)
    order = np.random.default_rng(3).permutation(10)
    assert posterior(B[order], A[order], margin=0.01, variant=kind) == got
    monkeypatch.setattr(sign_flips, "CELLS", 100)
    assert posterior(B, A, margin=0.01, variant=kind, workers=3) == got
    assert got.method in str(got)


def test_what_is_refused() -> None:
    with pytest.raises(InputError, match="margin is a number from 0"):
        posterior(B, A, margin=-0.1)
    with pytest.raises(InputError, match="variant is one of student, bootstrap"):
        posterior(B, A, variant="beta")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="has no variance"):
        posterior(A, A)
