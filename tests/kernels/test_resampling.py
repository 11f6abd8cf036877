"""The kernels of resampling: C against numpy, the shuffle's fairness, independence of how trials are cut up."""

from itertools import permutations
from math import factorial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from rankscope.kernels import pure


@pytest.fixture(scope="module")
def compiled():
    return pytest.importorskip("rankscope.kernels.compiled", reason="the compiled core was not built")


@pytest.fixture(params=["compiled", "pure"], scope="module")
def kernels(request):
    if request.param == "pure":
        return pure
    return pytest.importorskip("rankscope.kernels.compiled", reason="the compiled core was not built")


SEEDS = st.integers(0, 2**64 - 1)


@settings(max_examples=150)
@given(SEEDS, st.integers(0, 2**40), st.integers(0, 6), st.integers(0, 70))
def test_flips_twins(compiled, seed, first, trials, topics):
    np.testing.assert_array_equal(*(module.flips(seed, first, trials, topics) for module in (compiled, pure)))


@settings(max_examples=100)
@given(SEEDS, st.integers(0, 2**40), st.integers(1, 6), st.integers(1, 600))
def test_topics_drawn_twins(compiled, seed, first, trials, topics):
    size = seed, first, trials, topics
    np.testing.assert_array_equal(compiled.drawn(*size), pure.drawn(*size))
    np.testing.assert_array_equal(compiled.times(*size), pure.times(*size))
    with pytest.raises(ValueError, match="do not fit"):
        compiled._core.drawn(*size, True, np.empty((trials, topics + 1), np.int64))


@settings(max_examples=150)
@given(st.data(), SEEDS, st.integers(0, 2**40), st.integers(0, 6))
def test_permuted_sums_twins(compiled, data, seed, first, trials):
    topics, systems = data.draw(st.integers(1, 9)), data.draw(st.integers(1, 9))
    cell = st.integers(-(2**55), 2**55)
    rows = data.draw(
        st.lists(st.lists(cell, min_size=systems, max_size=systems), min_size=topics, max_size=topics),
    )
    values = np.array(rows, np.int64)
    got = [m.permuted_sums(values, seed, first, trials) for m in (compiled, pure)]
    np.testing.assert_array_equal(*got)
    np.testing.assert_array_equal(got[0].sum(axis=1), np.full(trials, values.sum()))


@pytest.mark.parametrize("systems", [2, 3, 7, 8, 9, 33, 110, 257])
def test_permuted_sums_twins_in_real_sizes(compiled, systems):
    values = np.random.default_rng(systems).integers(0, 2**40, (49, systems))
    np.testing.assert_array_equal(compiled.permuted_sums(values, 42, 5, 20), pure.permuted_sums(values, 42, 5, 20))


@pytest.mark.parametrize("systems", [1, 2, 3, 8, 9, 110])
def test_shuffled_twins(compiled, systems):
    values = np.random.default_rng(systems).random((13, systems))
    found = compiled.shuffled(values, 2**63 + 1, 5, 20)
    np.testing.assert_array_equal(found, pure.shuffled(values, 2**63 + 1, 5, 20))
    np.testing.assert_array_equal(np.sort(found, axis=2), np.broadcast_to(np.sort(values, axis=1), found.shape))


@settings(max_examples=200)
@given(st.data())
def test_concordance_twins(compiled, data):
    rows, n = data.draw(st.integers(0, 4)), data.draw(st.integers(1, 12))
    grid = st.integers(0, 5).map(lambda i: i / 10)
    cells = st.lists(st.one_of(grid, st.floats(-1, 1)), min_size=rows * n, max_size=rows * n)
    x, y = (np.array(data.draw(cells)).reshape(rows, n) for _ in range(2))
    for one, other in zip(compiled.concordance(x, y), pure.concordance(x, y), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("n", [2, 5, 31, 64, 110, 129, 300])
def test_concordance_counts_like_scipy(kernels, n):
    rng = np.random.default_rng(n)
    x, y = rng.integers(0, n, (3, n)).astype(float), rng.integers(0, n, (3, n)).astype(float)
    alike, apart, tied_x, tied_y = kernels.concordance(x, y)
    pairs = n * (n - 1) // 2
    for r in range(3):
        under = np.sqrt((pairs - tied_x[r]) * (pairs - tied_y[r]))
        if under > 0:
            assert (alike[r] - apart[r]) / under == pytest.approx(stats.kendalltau(x[r], y[r]).statistic, abs=1e-12)


@pytest.mark.parametrize("systems", [3, 4])
@pytest.mark.parametrize("seed", [0, 42, 2**63])
def test_every_permutation_is_as_likely(kernels, systems, seed):
    """One topic whose values are powers of ten show the permutation; chi-square over all of them."""
    trials = 24_000
    values = 10 ** np.arange(systems)[None, :]
    found = kernels.permuted_sums(values, seed, 0, trials)
    expected = {tuple(10 ** np.array(order)) for order in permutations(range(systems))}
    seen, counts = np.unique(found, axis=0, return_counts=True)
    assert {tuple(row) for row in seen.tolist()} == expected
    assert len(counts) == factorial(systems)
    assert stats.chisquare(counts).pvalue > 1e-4


@pytest.mark.parametrize("seed", [0, 42])
def test_topics_are_shuffled_independently(kernels, seed):
    """Two topics of three systems: all 36 pairs of permutations are as likely."""
    values = np.array([[1, 10, 100], [1000, 10_000, 100_000]])
    found = kernels.permuted_sums(values, seed, 0, 36_000)
    _, counts = np.unique(found, axis=0, return_counts=True)
    assert len(counts) == 36
    assert stats.chisquare(counts).pvalue > 1e-4


@pytest.mark.parametrize("seed", [0, 42])
def test_trials_are_shuffled_independently(kernels, seed):
    """Successive trials: all 36 pairs of permutations are as likely."""
    found = kernels.permuted_sums(np.array([[0, 1, 2]]), seed, 0, 36_000)
    code = found @ np.array([9, 3, 1])
    _, counts = np.unique(np.stack([code[0::2], code[1::2]]), axis=1, return_counts=True)
    assert len(counts) == 36
    assert stats.chisquare(counts).pvalue > 1e-4


@settings(max_examples=60)
@given(st.lists(st.integers(1, 9), min_size=1, max_size=6), SEEDS)
def test_any_split_of_the_trials_gives_the_same_rows(kernels, sizes, seed):
    values = np.arange(35).reshape(5, 7) ** 2
    whole = kernels.permuted_sums(values, seed, 0, sum(sizes))
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]]).tolist()
    parts = [kernels.permuted_sums(values, seed, first, size) for first, size in zip(starts, sizes, strict=True)]
    np.testing.assert_array_equal(np.concatenate(parts), whole)


def test_draws_are_uniform():
    """Means, bits and pairs of neighbouring topics, trials and positions."""
    keys = pure.draw_keys(42, np.arange(300)[:, None], np.arange(100))
    found = np.stack([pure.draws(keys, position) for position in range(4)])
    assert stats.kstest(found.ravel()[:20_000] / 2**32, "uniform").pvalue > 1e-4
    bits = np.unpackbits(found.view(np.uint8)).reshape(-1, 32).mean(axis=0)
    assert abs(bits - 0.5).max() < 5 * 0.5 / np.sqrt(found.size)
    unit = found / 2**32 - 0.5
    for axis in range(3):
        one, other = (
            np.take(unit, range(*r), axis).ravel() for r in ((0, unit.shape[axis] - 1), (1, unit.shape[axis]))
        )
        assert abs((one * other).mean()) < 5 / 12 / np.sqrt(one.size)
    assert len(np.unique(keys)) == keys.size


def test_seeds_differ():
    values = np.arange(40).reshape(4, 10)
    sums = [pure.permuted_sums(values, seed, 0, 50) for seed in (0, 1, 2, 2**64 - 1)]
    assert all((a != b).any() for a in sums for b in sums if a is not b)
