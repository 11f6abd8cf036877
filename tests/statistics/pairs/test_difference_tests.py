"""Tests of many pairs at once agree with those of one pair; aligned draws are those of the places."""

from itertools import combinations

import numpy as np
import pytest

from rankscope import InputError
from rankscope.kernels import shuffled
from rankscope.kernels.cpu import drawn
from rankscope.statistics import (
    Resampling,
    randomised_hsd,
    randomised_hsd_preferences,
    sign_test,
    split_halves,
    t_test,
    wilcoxon,
)
from rankscope.statistics.equality import difference
from rankscope.statistics.pairs.difference_tests import (
    bootstrap_tests,
    paired_tests,
    sign_tests,
    t_tests,
    wilcoxon_tests,
)

MATRIX = np.round(np.random.default_rng(2).random((9, 5)), 1)  # ties are common, and so are decimals
PAIRS = list(combinations(range(5), 2))
DIFFERENCES = np.array([MATRIX[:, i] - MATRIX[:, j] for i, j in PAIRS])


def test_t_and_sign():
    np.testing.assert_allclose(
        t_tests(DIFFERENCES).pvalue, [t_test(MATRIX[:, j], MATRIX[:, i]).pvalue for i, j in PAIRS]
    )
    signs = [sign_test(MATRIX[:, j], MATRIX[:, i]).pvalue for i, j in PAIRS]
    np.testing.assert_array_equal(sign_tests(DIFFERENCES).pvalue, signs)


@pytest.mark.parametrize("kind", ["studentised", "shift"])
def test_bootstrap(kind):
    resampling = Resampling(300, 4)
    want = []
    for d in DIFFERENCES:
        w, count = d - d.mean(), 0
        for trial in range(300):
            sample = w[drawn(4, trial, 1, 9)[0]]
            mean = abs(sample.mean())
            if kind == "shift":
                count += mean >= abs(d.mean()) - 1e-12
            else:
                count += mean * d.std(ddof=1) >= abs(d.mean()) * sample.std(ddof=1) - 1e-12
        want.append((count + 1) / 301)
    for workers in (1, 2, 4):
        np.testing.assert_allclose(
            bootstrap_tests(DIFFERENCES, resampling=resampling, variant=kind, workers=workers).pvalue, want
        )


def test_many_blocks_and_tiles():
    rng = np.random.default_rng(1)
    d = rng.normal(0.2, 1, (700, 30))
    resampling = Resampling(1500, 8)
    together = bootstrap_tests(d, resampling=resampling, workers=2).pvalue
    some = [0, 1, 350, 698, 699]
    np.testing.assert_array_equal(bootstrap_tests(d[some], resampling=resampling, workers=1).pvalue, together[some])


def test_no_difference_and_no_variance():
    a = np.array([[0.3, 0.3, 0.3], [0.9, 0.6, 0.5], [0.1 + 0.2, 0.3, 0.3], [0.4, 0.5, 0.0]])
    b = np.array([[0.3, 0.3, 0.3], [0.4, 0.1, 0.0], [0.3, 0.3, 0.3], [0.3, 0.3, 0.3]])
    d, errors = difference(a, b)
    t, bootstrap = t_tests(d, errors=errors), bootstrap_tests(d, errors=errors, resampling=Resampling(20))
    for tested in (t, bootstrap, sign_tests(d), wilcoxon_tests(d, errors=errors)):
        assert tested.pvalue[:3].tolist() == [1, 0.25, 1]
    assert t.statistic[:3].tolist() == [0, -np.inf, 0]


def test_signed_ranks_of_many_pairs():
    rng = np.random.default_rng(4)
    for topics in (5, 19, 40):
        a, b = rng.integers(1, 7, (2, 60, topics)) / 10
        a = np.where(rng.random(a.shape) < 0.3, np.nextafter(a, 1), a)  # as sums of tenths come out
        values, errors = difference(a, b)
        tested = paired_tests(values, "wilcoxon", errors=errors)
        for row in range(len(values)):
            one = wilcoxon(a[row], b[row])
            assert one.method == "signed ranks, exact"
            assert tested.pvalue[row] == pytest.approx(one.pvalue, rel=1e-10)
            assert (tested.plus[row], tested.minus[row]) == (one.plus, one.minus)
    assert wilcoxon_tests(np.zeros((2, 6))).pvalue.tolist() == [1.0, 1.0]
    many = rng.normal(0.1, 1, (2, 501))  # more than have their exact distribution, there and here
    tested = paired_tests(many, "wilcoxon")
    for row, d in enumerate(many):
        one = wilcoxon(np.zeros(501), d)
        assert one.method == "signed ranks, normal"
        assert tested.pvalue[row] == pytest.approx(one.pvalue, rel=1e-10)


def test_bad_input():
    for given, said in (([1.0], "pairs x topics"), ([[1.0]], "two topics"), ([[1.0, np.nan]], "pair 0, topic 1")):
        with pytest.raises(InputError, match=said):
            t_tests(given)
    with pytest.raises(InputError, match="studentised, shift"):
        bootstrap_tests(DIFFERENCES, resampling=Resampling(5), variant="t")


def test_aligned_permutations():
    """Scores, and the preferences that their differences are, see the same permutations: those of the places."""
    resampling = Resampling(80, 6)
    place = np.tile(np.arange(5), (9, 1))
    largest = []
    for order in shuffled(place, 6, 0, 80):
        means = np.take_along_axis(MATRIX, order, axis=1).mean(axis=0)
        largest.append(means.max() - means.min())
    by_score = randomised_hsd(MATRIX, resampling=resampling, aligned=True)
    np.testing.assert_allclose(by_score.largest, np.sort(largest), atol=1e-14)
    by_preference = randomised_hsd_preferences(
        MATRIX[:, None] - MATRIX[:, :, None], resampling=resampling, aligned=True
    )
    np.testing.assert_allclose(by_preference.largest, np.sort(largest), atol=1e-14)
    np.testing.assert_array_equal(by_preference.pvalue, by_score.pvalue)


def test_aligned_halves():
    resampling = Resampling(30, 6)
    one, other = np.arange(9.0)[:, None] ** [[1, 2]], np.random.default_rng(3).random((9, 2))
    both = split_halves(np.hstack([one, other]), resampling=resampling, aligned=True)
    for part, matrix in ((slice(0, 2), one), (slice(2, 4), other)):
        alone = split_halves(matrix, resampling=resampling, aligned=True)
        np.testing.assert_allclose(alone.first, both.first[:, part], atol=1e-14)
        np.testing.assert_allclose(alone.second, both.second[:, part], atol=1e-14)
