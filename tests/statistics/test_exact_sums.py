"""Sums of many values are those of math.fsum, to the last bit."""

from math import fsum

import numpy as np
import pytest

from rankscope.statistics.draws.exact_sums import exact_sum

RNG = np.random.default_rng(3)
N = 12_000
CASES = {
    "normal": RNG.normal(size=N),
    "of all sizes": RNG.normal(size=N) * 10.0 ** RNG.integers(-300, 290, N),
    "tenths": RNG.integers(-10, 11, N) / 10,
    "with the smallest double": np.append(RNG.normal(size=N), 5e-324),
    "all tiny": np.full(N, 5e-324),
    "cancelling": np.concatenate([RNG.normal(size=N)] * 2) * np.repeat([1.0, -1.0], N),
    "nothing": np.zeros(N),
    "large": np.full(N, 1e303),
    "few": RNG.normal(size=7),
    "none": np.empty(0),
}


@pytest.mark.parametrize("name", CASES)
def test_as_fsum(name):
    assert exact_sum(CASES[name]) == fsum(CASES[name])


def test_values_are_left_alone():
    values = CASES["normal"].copy()
    exact_sum(values)
    np.testing.assert_array_equal(values, CASES["normal"])


def test_sums_beyond_all_numbers_end():
    assert exact_sum(np.full(N, np.inf)) == np.inf
    with pytest.raises(OverflowError):
        exact_sum(np.tile([1e308, 1e308, -1e308], N))
