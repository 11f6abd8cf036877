"""Rising pairs: the C loop, its numpy twin, and the definition."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankscope import kernels
from rankscope.kernels import pure


def literal(first, second=None):
    n = len(first)
    return sum(first[i] < first[j] and (second is None or second[i] < second[j]) for j in range(n) for i in range(j))


@settings(max_examples=100)
@given(st.integers(0, 2**32 - 1), st.sampled_from([0, 1, 2, 15, 16, 17, 33, 64, 100, 200]),
       st.sampled_from([1, 2, 7, 1000, 2**40]), st.sampled_from([1, 2, 3, 26, 2**20]))  # fmt: skip
def test_twins(seed, n, values, levels):
    rng = np.random.default_rng(seed)
    first, second = rng.integers(0, values, n), rng.integers(0, levels, n)
    if seed % 2:
        first = np.sort(first)
    for f, s in ((first, None), (first, second), (first, first)):
        before = f.copy()
        expected = literal(f.tolist(), None if s is None else s.tolist())
        assert kernels.rising_pairs(f, s) == pure.rising_pairs(f, s) == expected
        np.testing.assert_array_equal(f, before)


def test_numbers_too_wide_for_one_key():
    rng = np.random.default_rng(1)
    first, second = rng.integers(0, 2**45, 60), rng.integers(0, 2**20, 60)
    assert kernels.rising_pairs(first, second) == literal(first.tolist(), second.tolist())


def test_the_loop_refuses_what_does_not_fit():
    core = pytest.importorskip("rankscope.kernels._core", reason="the compiled core was not built")
    key, tree = np.arange(4), np.zeros(3, np.int64)
    with pytest.raises(ValueError, match="do not fit"):
        core.rising_pairs(key, 5, 0, 0, np.empty_like(key), tree[:1])
    with pytest.raises(ValueError, match="do not fit"):
        core.rising_pairs(key, 4, 1, 2, np.empty_like(key), tree[:1])
    with pytest.raises(ValueError, match="do not fit"):
        core.rising_pairs(np.array([3]), 1, 2, 2, np.empty(1, np.int64), tree)
    with pytest.raises(ValueError, match="do not fit"):  # times 8 it would be 32 again
        core.rising_pairs(key, 2**61 + 4, 0, 0, np.empty_like(key), tree[:1])
