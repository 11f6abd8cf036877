"""Randomised HSD on scores and on preferences, MaxT, closed testing."""

from __future__ import annotations

import json
from itertools import permutations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.testing import assert_allclose, assert_array_equal

from rankscope import kernels
from rankscope.errors import InputError
from rankscope.kernels import cpu
from rankscope.statistics.draws.canonical_order import canonical_order
from rankscope.statistics.draws.resampling import Resampling
from rankscope.statistics.families import max_t as max_t_module
from rankscope.statistics.families import randomised_hsd as randomised_hsd_module
from rankscope.statistics.families.max_t import closed_testing, max_t, step_down_max_t
from rankscope.statistics.families.randomised_hsd import randomised_hsd, randomised_hsd_preferences

GOLDEN: dict[str, Any] = {
    e["id"]: e["expected"]
    for e in json.loads((Path(__file__).parents[2] / "golden" / "stats.json").read_text())["entries"]
}
SMALL = np.array(GOLDEN["A_small"]["matrix"])
WANT = GOLDEN["A_randomised_tukey"]

grid = st.sampled_from([0.0, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0])
smooth = st.floats(0, 1)


def matrices(elements=grid, topics=(2, 7), systems=(2, 5)):
    shapes = st.tuples(st.integers(*topics), st.integers(*systems))
    return shapes.flatmap(lambda shape: arrays.arrays(np.float64, shape, elements=elements))


def test_all_permutations_golden():
    got, strict = randomised_hsd(SMALL), randomised_hsd(SMALL, strict=True)
    assert got.n_permutations == WANT[0]["total"]
    assert got.count.tolist() == [w["count_ge"] for w in WANT]
    assert strict.count.tolist() == [w["count_gt"] for w in WANT]
    assert_allclose(got.pvalue, [w["p"] for w in WANT], rtol=1e-12)
    assert_allclose(strict.pvalue, [w["p_strict"] for w in WANT], rtol=1e-12)
    assert got.resampling is None
    assert "all 7,776 permutations; ties counted" in str(got)


def test_drawn_permutations_agree_with_all():
    resampling = Resampling(20_000, seed=3)
    for strict in (False, True):
        want = randomised_hsd(SMALL, strict=strict).pvalue
        got = randomised_hsd(SMALL, strict=strict, exact=False, resampling=resampling).pvalue
        assert_allclose(got, want, atol=4.5 * 0.5 / np.sqrt(20_000))


def test_two_systems_are_sign_flips():
    # differences 1, 2, 3 of either sign: |sum| is 6, 4, 2 or 0, each twice of 8 signs (0: 1 + 2 - 3 and its opposite)
    scores = np.array([[0.1, 0.0], [0.2, 0.0], [0.0, 0.3]])
    assert randomised_hsd(scores).pvalue[0] == 1.0
    scores[2] = 0.3, 0.0
    assert randomised_hsd(scores).pvalue[0] == pytest.approx(2 / 8)


@settings(max_examples=25)
@given(matrices(topics=(2, 3), systems=(2, 3)))
def test_all_permutations_by_brute_force(scores):
    tenths = np.rint(scores * 10).astype(int)
    ranges = []
    for chosen in product(*(list(permutations(row)) for row in tenths.tolist())):
        sums = np.sum(chosen, axis=0)
        ranges.append(sums.max() - sums.min())
    got = randomised_hsd(scores)
    sums = tenths.sum(axis=0)
    want = [(np.array(ranges) >= abs(sums[i] - sums[j])).sum() for i, j in zip(got.first, got.second, strict=True)]
    assert got.count.tolist() == want


def test_sakai_book(data):
    """0.304, 0.105, 0.893 were found with 200,000 permutations and ties counted, so give or take 0.002 for each."""
    scores = np.loadtxt(data / "sakai-book" / "scores.csv", delimiter=",", skiprows=1, usecols=(1, 2, 3))
    got = randomised_hsd(scores, systems=["X", "Y", "Z"], resampling=Resampling(200_000, seed=1))
    assert_allclose(got.pvalue, [0.304, 0.105, 0.893], atol=0.006)
    # X against Y alone: the exact sign-flip p
    assert randomised_hsd(scores[:, :2]).pvalue[0] == pytest.approx(0.06592, abs=5e-6)


@settings(max_examples=30)
@given(matrices(), st.randoms(), st.integers(1, 40), st.integers(1, 3))
def test_order_workers_and_blocks_do_not_matter(scores, random, block, workers):
    topics, systems = scores.shape
    rows, columns = random.sample(range(topics), topics), random.sample(range(systems), systems)
    resampling = Resampling(60, seed=9)
    mixed = scores[rows][:, columns]
    want = randomised_hsd(scores, exact=False, resampling=resampling, workers=1).matrix()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(randomised_hsd_module, "_block", lambda cells: block)
        got = randomised_hsd(mixed, exact=False, resampling=resampling, workers=workers).matrix()
    assert_array_equal(got, want[np.ix_(columns, columns)])


@settings(max_examples=20)
@given(
    matrices(st.one_of(smooth, grid), systems=(2, 4)), st.randoms(), st.integers(1, 3), st.sampled_from([100, 1 << 19])
)
def test_max_t_order_workers_and_blocks_do_not_matter(scores, random, workers, room):
    topics, systems = scores.shape
    rows, columns = random.sample(range(topics), topics), random.sample(range(systems), systems)
    resampling = Resampling(40, seed=9)
    for test in (max_t, step_down_max_t, closed_testing):
        want = test(scores, resampling=resampling, workers=1).matrix()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(max_t_module, "_ROOM", room)
            got = test(scores[rows][:, columns], resampling=resampling, workers=workers).matrix()
        assert_array_equal(got, want[np.ix_(columns, columns)])


def test_no_p_value_is_0_or_nan():
    scores = np.add.outer(np.arange(30) / 100, [0.0, 0.5])  # always the same difference
    for test in (randomised_hsd, max_t, step_down_max_t, closed_testing):
        got = test(scores, resampling=Resampling(99))
        assert got.pvalue[0] == pytest.approx(1 / 100)
    equal = np.full((3, 3), 0.4)
    for test in (randomised_hsd, max_t, step_down_max_t, closed_testing):
        assert (test(equal, resampling=Resampling(9)).pvalue == 1).all()
    assert max_t(scores, resampling=Resampling(9)).statistic[0] == np.inf


def test_critical_difference():
    scores = np.random.default_rng(0).random((12, 6)) + np.linspace(0, 0.5, 6)
    for got in (randomised_hsd(scores, resampling=Resampling(500)), randomised_hsd(SMALL)):
        for alpha in (0.02, 0.1, 0.2):
            assert got.below(alpha) == np.count_nonzero(np.abs(got.difference) > got.critical(alpha) + 1e-12)
    assert randomised_hsd(scores, resampling=Resampling(10)).critical(0.01) == np.inf


def test_shuffles_are_those_of_the_sums():
    rng = np.random.default_rng(4)
    values = rng.integers(-(2**40), 2**40, (7, 9))
    rows = kernels.shuffled(values, 11, 5, 20)
    assert_array_equal(rows.sum(axis=1), kernels.permuted_sums(values, 11, 5, 20))
    names = kernels.shuffled(np.broadcast_to(np.arange(9), (7, 9)), 11, 5, 20)
    assert_array_equal(np.take_along_axis(values[None], names, axis=2), rows)


def test_preferences_from_scores_are_the_scores():
    rng = np.random.default_rng(6)
    scores = rng.integers(0, 8, (12, 4)) / 8
    preferences = scores[:, None, :] - scores[:, :, None]
    resampling = Resampling(4000, seed=2)
    want = randomised_hsd(scores, resampling=resampling)
    got = randomised_hsd_preferences(preferences, resampling=resampling)
    assert_allclose(got.difference, want.difference, atol=1e-12)
    assert_allclose(got.pvalue, want.pvalue, atol=0.05)  # the same distribution, other draws


def test_preferences_by_hand():
    # two systems, three topics, always the second: |mean| is 1 for 2 of 8 signs
    preferences = np.array([[[0, 1], [-1, 0]]] * 3)
    got = randomised_hsd_preferences(preferences, resampling=Resampling(4000), systems=["a", "b"])
    assert got.pvalue[0] == pytest.approx(0.25, abs=0.03)
    assert got.difference[0] == 1
    assert got.location.tolist() == [-1, 1]


@settings(max_examples=30)
@given(matrices(topics=(2, 6), systems=(2, 4)), st.randoms(), st.integers(1, 3), st.integers(1, 300))
def test_preferences_in_any_order(scores, random, workers, room):
    topics, systems = scores.shape
    preferences = np.sign(scores[:, None, :] - scores[:, :, None])
    rows, columns = random.sample(range(topics), topics), random.sample(range(systems), systems)
    resampling = Resampling(50, seed=9)
    want = randomised_hsd_preferences(preferences, resampling=resampling, workers=1).matrix()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(randomised_hsd_module, "_ROOM", room)
        mixed = preferences[rows][:, columns][:, :, columns]
        got = randomised_hsd_preferences(mixed, resampling=resampling, workers=workers).matrix()
    assert_array_equal(got, want[np.ix_(columns, columns)])


@given(matrices(smooth), st.randoms())
def test_canonical_order(scores, random):
    topics, systems = scores.shape
    mixed = scores[random.sample(range(topics), topics)][:, random.sample(range(systems), systems)]
    (a, b), (c, d) = canonical_order(scores), canonical_order(mixed)
    assert_array_equal(scores[a][:, b], mixed[c][:, d])


def published(data: Path, what: str) -> np.ndarray:
    return np.loadtxt(data / "permtest" / f"pvalues-{what}")


@pytest.mark.parametrize("measure", ["map", "ndcg"])
def test_max_t_and_closed_testing_as_published(data, measure):
    """PermTest, commit 28542b1, 10,000 permutations. What it calls MaxT is the step-down procedure."""
    scores = np.loadtxt(data / "permtest" / f"matrix.{measure}").T
    resampling, error = Resampling(5_000, seed=1), 4.5 * np.sqrt(0.25 / 5_000 + 0.25 / 10_000)
    against = step_down_max_t(scores, baseline=0, resampling=resampling)
    assert_allclose(against.pvalue, published(data, f"MaxT.{measure}")[0, 1:], atol=error)
    pairs = step_down_max_t(scores, resampling=resampling)
    assert_allclose(pairs.pvalue, published(data, f"MaxTPairWise.{measure}")[pairs.first, pairs.second], atol=error)
    closed = closed_testing(scores, baseline=0, resampling=resampling)
    assert_allclose(closed.pvalue, published(data, f"ClosedTest.{measure}")[0, 1:], atol=error)
    assert (max_t(scores, resampling=resampling).pvalue >= pairs.pvalue).all()
    assert len(against.family) == 3
    assert against.family[0] == "1 - 0"
    assert against.baseline == "0"


def test_max_t_by_enumeration():
    """Three systems on four topics: the largest |t| of all 6^4 permutations, by scipy's t (scipy 1.17)."""
    stats = pytest.importorskip("scipy.stats")
    scores = np.random.default_rng(8).random((4, 3))
    pairs = [(0, 1), (0, 2), (1, 2)]

    def statistics(x):
        return np.array([abs(stats.ttest_rel(x[:, i], x[:, j]).statistic) for i, j in pairs])

    null = [statistics(np.array(rows)) for rows in product(*(list(permutations(r)) for r in scores.tolist()))]
    largest, seen = np.max(null, axis=1), statistics(scores)
    want = [(largest >= t * (1 - 1e-9)).mean() for t in seen]
    got = max_t(scores, resampling=Resampling(20_000))
    assert_allclose(np.abs(got.statistic), seen, rtol=1e-9)
    assert_allclose(got.pvalue, want, atol=4.5 * 0.5 / np.sqrt(20_000))


@pytest.mark.slow
def test_family_wise_error():
    """Nulls with skewed, tied scores: any pair at 0.05 in about 5 of 100.

    Each null has a seed of its own: 99 permutations used again and again would share their luck.
    """
    rng = np.random.default_rng(12)
    nulls = [np.floor(rng.exponential(2, (12, 1)) + rng.exponential(2, (12, 4))) / 10 for _ in range(300)]
    for test in (randomised_hsd, max_t, step_down_max_t):
        false = sum(test(x, resampling=Resampling(99, i), workers=1).pvalue.min() <= 0.05 for i, x in enumerate(nulls))
        assert 4 <= false <= 28  # 15 expected, sd 3.8
    closed = [closed_testing(x[:, :3], resampling=Resampling(99, i), workers=1) for i, x in enumerate(nulls)]
    assert sum(one.pvalue.min() <= 0.05 for one in closed) <= 28


def test_closed_testing_keeps_its_error_where_some_systems_differ():
    """Two equal systems and a much better one: the equal pair is below 0.05 in about 5 of 100."""
    rng = np.random.default_rng(13)
    false = 0
    for seed in range(300):
        scores = rng.normal(0, 0.1, (15, 3)) + np.array([0, 0, 1])
        false += closed_testing(scores, resampling=Resampling(99, seed), workers=1).pvalue[0] <= 0.05
    assert false <= 28


def test_bad_input():
    with pytest.raises(InputError, match="1 system"):
        randomised_hsd([[0.1], [0.2]])
    with pytest.raises(InputError, match="1 topic"):
        max_t([[0.1, 0.2]])
    with pytest.raises(InputError, match="topic 1, system 'b'"):
        randomised_hsd([[0.1, 0.2], [0.3, np.nan]], systems=["a", "b"])
    with pytest.raises(InputError, match="closed testing of 7 systems"):
        closed_testing(np.eye(7))
    with pytest.raises(InputError, match="'z' is no system"):
        max_t(SMALL, baseline="z", systems=["a", "b", "c"])
    with pytest.raises(InputError, match="baseline 3 is no system"):
        max_t(SMALL, baseline=3)
    with pytest.raises(InputError, match="too many"):
        randomised_hsd(np.eye(9), exact=True)
    with pytest.raises(InputError, match="compare all pairs"):
        max_t(SMALL, baseline=0, resampling=Resampling(9)).matrix()


@pytest.mark.parametrize(
    ("preferences", "says"),
    [
        (np.zeros((3, 2)), "shape"),
        (np.zeros((1, 2, 2)), "at least two topics"),
        (np.ones((2, 2, 2)), "the other way round"),
        (np.full((2, 2, 2), np.nan), "the preference is nan"),
    ],
)
def test_bad_preferences(preferences, says):
    with pytest.raises(InputError, match=says):
        randomised_hsd_preferences(preferences)


def test_counts_are_printed_whole():
    """Not as 1e+04, nor as 1.235e+04."""
    preferences = np.zeros((4, 3, 3))
    found = randomised_hsd_preferences(preferences, resampling=Resampling(12_345))
    assert found.count.tolist() == [12_345] * 3
    assert [row[3] for row in found.table()[1]] == ["12345"] * 3


def test_prints_method_seed_and_family():
    text = str(randomised_hsd(SMALL, exact=False, resampling=Resampling(50, seed=7)))
    assert "randomised Tukey HSD; 5 topics; family: all 3 pairs of 3 systems; 50 permutations, seed 7" in text
    text = str(max_t(SMALL, baseline="b", systems=["a", "b", "c"], resampling=Resampling(50)))
    assert "family: the 2 pairs below; baseline b; 50 resamples, seed 42" in text


@pytest.mark.parametrize(("n_topics", "n_systems"), [(2, 2), (50, 3), (301, 5)])
def test_preferences_of_few_trials_at_a_time(n_topics: int, n_systems: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """With many topics, a block has few trials, and numbers are picked instead of copied: the same sums."""
    score = np.random.default_rng(n_topics).integers(0, 9, (n_topics, n_systems))
    over = score[:, :, None] - score[:, None, :]
    monkeypatch.setattr(cpu, "_PICKED", 40)
    largest = []
    for row in (1, 10**9):
        monkeypatch.setattr(cpu, "_ROW", row)
        largest.append(cpu.permuted_pairs(over, 7, 3, 25).tolist())
    assert largest[0] == largest[1]
