"""Tests of many pairs at once agree with those of one pair; aligned draws are those of the places."""

from itertools import combinations

import numpy as np
import pytest

from rankscope import InputError
from rankscope.kernels import shuffled
from rankscope.statistics import (
    Resampling,
    randomised_hsd,
    randomised_hsd_preferences,
    sign_test,
    split_halves,
    t_test,
)
from rankscope.statistics.equality import difference
from rankscope.statistics.pairs.paired_tests import resampled
from rankscope.statistics.pairs.pairwise import bootstrap_of_pairs, sign_of_pairs, t_of_pairs

MATRIX = np.round(np.random.default_rng(2).random((9, 5)), 1)  # ties are common, and so are decimals
PAIRS = list(combinations(range(5), 2))
DIFFERENCES = np.array([MATRIX[:, i] - MATRIX[:, j] for i, j in PAIRS])


def test_t_and_sign():
    np.testing.assert_allclose(t_of_pairs(DIFFERENCES), [t_test(MATRIX[:, j], MATRIX[:, i]).pvalue for i, j in PAIRS])
    signs = [sign_test(MATRIX[:, j], MATRIX[:, i]).pvalue for i, j in PAIRS]
    np.testing.assert_array_equal(sign_of_pairs(DIFFERENCES), signs)


@pytest.mark.parametrize("kind", ["studentised", "shift"])
def test_bootstrap(kind):
    resampling = Resampling(300, 4)
    want = []
    for d in DIFFERENCES:
        w, count = d - d.mean(), 0
        for trial in range(300):
            sample = w[resampled(4, trial, 1, 9)[0]]
            mean = abs(sample.mean())
            if kind == "shift":
                count += mean >= abs(d.mean()) - 1e-12
            else:
                count += mean * d.std(ddof=1) >= abs(d.mean()) * sample.std(ddof=1) - 1e-12
        want.append((count + 1) / 301)
    for workers in (1, 2, 4):
        np.testing.assert_allclose(
            bootstrap_of_pairs(DIFFERENCES, resampling=resampling, variant=kind, workers=workers), want
        )


def test_many_blocks_and_tiles():
    rng = np.random.default_rng(1)
    d = rng.normal(0.2, 1, (700, 30))
    resampling = Resampling(1500, 8)
    whole = bootstrap_of_pairs(d, resampling=resampling, workers=2)
    some = [0, 1, 350, 698, 699]
    np.testing.assert_array_equal(bootstrap_of_pairs(d[some], resampling=resampling, workers=1), whole[some])


def test_no_difference_and_no_variance():
    a = np.array([[0.3, 0.3, 0.3], [0.9, 0.6, 0.5], [0.1 + 0.2, 0.3, 0.3], [0.4, 0.5, 0.0]])
    b = np.array([[0.3, 0.3, 0.3], [0.4, 0.1, 0.0], [0.3, 0.3, 0.3], [0.3, 0.3, 0.3]])
    d, errors = difference(a, b)
    for found in (t_of_pairs(d, errors=errors), bootstrap_of_pairs(d, errors=errors, resampling=Resampling(20))):
        np.testing.assert_array_equal(np.isnan(found), [False, True, False, False])
        assert found[[0, 2]].tolist() == [1, 1]
    assert sign_of_pairs(d).tolist() == [1, 0.25, 1, 1]


def test_bad_input():
    for given, said in (([1.0], "pairs x topics"), ([[1.0]], "two topics"), ([[1.0, np.nan]], "pair 0, topic 1")):
        with pytest.raises(InputError, match=said):
            t_of_pairs(given)
    with pytest.raises(InputError, match="studentised or shift"):
        bootstrap_of_pairs(DIFFERENCES, resampling=Resampling(5), variant="t")


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
