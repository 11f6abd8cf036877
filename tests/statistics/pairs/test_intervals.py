"""Intervals for the mean difference: golden values, scipy 1.17, inversion of the test, coverage."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from rankscope.errors import InputError
from rankscope.kernels import cpu
from rankscope.statistics.draws import sign_flips
from rankscope.statistics.draws.resampling import Resampling
from rankscope.statistics.pairs.differences import Differences
from rankscope.statistics.pairs.intervals import bootstrap_interval, randomisation_interval, t_interval
from rankscope.statistics.pairs.paired_tests import randomisation_test

stats = pytest.importorskip("scipy.stats")

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "stats.json").read_text(encoding="utf-8"))["entries"]
MATRIX = np.array(GOLDEN[0]["expected"]["matrix"])
BOOTSTRAPS = [e for e in GOLDEN if e["kind"] == "bootstrap_ci"]
INTERVALS = [t_interval, bootstrap_interval, randomisation_interval]


def percentile(a: Any, b: Any, **options: Any) -> Any:
    return bootstrap_interval(b, a, variant="percentile", **options)


@pytest.mark.parametrize("entry", BOOTSTRAPS, ids=[e["id"] for e in BOOTSTRAPS])
def test_golden_percentiles(entry: dict[str, Any]) -> None:
    inputs, expected = entry["inputs"], entry["expected"]
    a, b = MATRIX[:, inputs["i"]], MATRIX[:, inputs["j"]]
    exact = percentile(a, b, level=inputs["level"])
    assert exact.exact
    assert_allclose([exact.lower, exact.upper], [expected["lower"], expected["upper"]], rtol=0, atol=1e-12)
    assert exact.difference == pytest.approx(expected["mean"], abs=1e-12)
    drawn = percentile(a, b, level=inputs["level"], exact=False)
    assert not drawn.exact
    assert_allclose([drawn.lower, drawn.upper], [exact.lower, exact.upper], rtol=0, atol=entry["tolerance"])


def test_all_samples_by_enumeration() -> None:
    d = np.array([0.1, -0.2, 0.4, 0.3, 0.3])
    means = np.sort([np.mean(sample) for sample in product(d, repeat=5)])
    got = percentile(d, np.zeros(5), level=0.8)
    # the 313th and the 2813th of 3125: the smallest means whose cumulative probability reaches 0.1 and 0.9
    assert_allclose([got.lower, got.upper], means[[312, 2812]], rtol=0, atol=1e-12)


def test_t_interval_equals_scipy() -> None:
    a, b = MATRIX[:, 0], MATRIX[:, 3]
    theirs = stats.ttest_rel(a, b).confidence_interval(0.9)
    got = t_interval(b, a, level=0.9)
    assert_allclose([got.lower, got.upper], [theirs.low, theirs.high], rtol=1e-9)


def test_bca_agrees_with_scipy() -> None:
    rng = np.random.default_rng(1)
    d = rng.exponential(size=40) - 0.7
    theirs = stats.bootstrap((d,), np.mean, n_resamples=20_000, method="BCa", rng=rng).confidence_interval
    got = bootstrap_interval(np.zeros(40), d, resampling=Resampling(20_000))
    assert_allclose([got.lower, got.upper], [theirs.low, theirs.high], rtol=0, atol=0.02)
    plain = percentile(d, np.zeros(40), resampling=Resampling(20_000))
    assert got.lower > plain.lower  # a long right tail moves both ends to the right
    assert got.upper > plain.upper


def test_bca_exact_and_drawn_agree() -> None:
    rng = np.random.default_rng(2)
    a, b = np.round(rng.beta(1, 4, size=(2, 50)), 2)
    exact, drawn = (bootstrap_interval(b, a, exact=e, resampling=Resampling(20_000)) for e in (True, False))
    assert_allclose([exact.lower, exact.upper], [drawn.lower, drawn.upper], rtol=0, atol=0.005)


@pytest.mark.parametrize("seed", range(5))
def test_the_randomisation_interval_inverts_the_test(seed: int) -> None:
    a, b = np.random.default_rng(seed).normal(size=(2, 9))
    got = randomisation_interval(b, a, level=0.9)
    assert got.exact
    for end, outwards in ((got.lower, -1), (got.upper, 1)):
        assert randomisation_test(b, a - end - outwards * 1e-6).pvalue <= 0.1
        assert randomisation_test(b, a - end + outwards * 1e-6).pvalue > 0.1


def test_the_drawn_randomisation_interval_is_near_the_exact_one_and_students() -> None:
    a, b = np.random.default_rng(6).normal(size=(2, 18))
    exact, drawn = (randomisation_interval(b, a, exact=e, resampling=Resampling(20_000)) for e in (True, False))
    student = t_interval(b, a)
    assert_allclose([drawn.lower, drawn.upper], [exact.lower, exact.upper], rtol=0, atol=0.05)
    assert_allclose([student.lower, student.upper], [exact.lower, exact.upper], rtol=0, atol=0.15)


@pytest.mark.parametrize("interval", [*INTERVALS, percentile])
def test_order_swap_workers_and_blocks(interval: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(7)
    a, b = rng.random((2, 30))
    got, turned = interval(a, b), interval(b, a)
    assert (turned.lower, turned.upper, turned.difference) == (-got.upper, -got.lower, -got.difference)
    assert got.lower < got.difference < got.upper
    order = rng.permutation(30)
    assert interval(a[order], b[order]) == got
    assert got.method in str(got)
    if interval is not t_interval:
        monkeypatch.setattr(sign_flips, "CELLS", 1000)
        assert interval(a, b, workers=3) == got


def test_ends_are_means_of_samples_to_the_last_digit() -> None:
    """Sums by fractions, rounded once, and divided."""
    rng = np.random.default_rng(8)
    for values in (rng.beta(1, 2, (150, 2)).round(2), rng.beta(1, 2, (97, 2)) * 1e-3):
        d = Differences.of(*values.T[::-1]).values.tolist()
        resampling = Resampling(500, 3)
        means = [float(sum(Fraction(d[t]) for t in row)) / len(d) for row in cpu.drawn(3, 0, 500, len(d))]
        found = bootstrap_interval(*values.T[::-1], resampling=resampling, exact=False)
        assert all(np.abs(np.array(means) - end).min() <= np.spacing(abs(end)) for end in (found.lower, found.upper))
        flipped = [[v for v, f in zip(d, row, strict=True) if f] for row in cpu.flips(3, 0, 500, len(d))]
        means = [float(sum(map(Fraction, part))) / len(part) for part in flipped]
        found = randomisation_interval(*values.T[::-1], resampling=resampling)
        assert all(np.abs(np.array(means) - end).min() <= np.spacing(abs(end)) for end in (found.lower, found.upper))


def test_what_is_refused() -> None:
    a, b = MATRIX[:, 0], MATRIX[:, 1]
    for interval in INTERVALS:
        with pytest.raises(InputError, match="has no variance"):
            interval(a, a + 0.1)
        with pytest.raises(InputError, match="level is between 0 and 1"):
            interval(a, b, level=95)
    with pytest.raises(InputError, match="variant is one of percentile, bca"):
        bootstrap_interval(b, a, variant="basic")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="it takes 6 topics"):
        randomisation_interval(b[:5], a[:5])
    assert randomisation_interval(b[:6], a[:6]).lower == pytest.approx((a - b)[:6].min())
    with pytest.raises(InputError, match="too few for level"):
        randomisation_interval(np.tile(b, 3), np.tile(a, 3), resampling=Resampling(20))
    with pytest.raises(InputError, match="too many to take all"):
        randomisation_interval(np.tile(b, 3), np.tile(a, 3), exact=True)
    with pytest.raises(InputError, match="no common grid"):
        bootstrap_interval(np.zeros(9), np.sqrt(np.arange(9)), exact=True)


def test_intervals_cover_about_as_often_as_they_say() -> None:
    rng = np.random.default_rng(8)
    few = Resampling(399)
    missed = dict.fromkeys(("t", "percentile", "bca", "flips"), 0)
    for _ in range(300):
        a, b = rng.normal(size=(2, 25))
        for name, got in (
            ("t", t_interval(b, a)),
            ("percentile", percentile(a, b, resampling=few)),
            ("bca", bootstrap_interval(b, a, resampling=few)),
            ("flips", randomisation_interval(b, a, resampling=few)),
        ):
            missed[name] += not got.lower <= 0 <= got.upper
    # 15 expected, sd 3.8; the percentile bootstrap of 25 topics is a little short
    assert all(4 <= count <= 32 for count in missed.values()), missed
