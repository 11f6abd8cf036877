"""Letters for groups that cannot be told apart, and intervals for ranks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.testing import assert_array_equal

from rankscope.errors import InputError
from rankscope.statistics.draws.resampling import Resampling
from rankscope.statistics.families import groups as module
from rankscope.statistics.families.groups import bootstrap_rank_intervals, letters, rank_intervals
from rankscope.statistics.families.tukey_hsd import tukey_hsd


def symmetric(count, random):
    p = np.ones((count, count))
    for i in range(count):
        for j in range(i):
            p[i, j] = p[j, i] = random.random()
    return p


def test_letters_by_hand():
    # a chain: neighbours alike, ends apart
    p = np.array([[1, 0.5, 0.01], [0.5, 1, 0.3], [0.01, 0.3, 1]])
    got = letters(p, 0.05, systems=["x", "y", "z"])
    assert got.letters == ("a", "ab", "b")
    assert got.groups == (("x", "y"), ("y", "z"))
    # with means, the best comes first
    got = letters(p, 0.05, systems=["x", "y", "z"], location=[0.1, 0.2, 0.3])
    assert got.letters == ("b", "ab", "a")
    assert [row[0] for row in got.table()[1]] == ["z", "y", "x"]


def test_all_alike_and_all_apart():
    assert letters(np.ones((3, 3))).letters == ("a", "a", "a")
    assert letters(np.zeros((3, 3))).letters == ("a", "b", "c")


@given(st.integers(2, 12), st.randoms(use_true_random=False), st.floats(0.05, 0.95))
def test_letters_say_what_the_p_values_say(count, random, alpha):
    p = symmetric(count, random)
    given_letters = [set(word) for word in letters(p, alpha).letters]
    for i in range(count):
        assert given_letters[i]
        for j in range(i):
            assert bool(given_letters[i] & given_letters[j]) == (p[i, j] >= alpha)


def test_more_groups_than_letters():
    got = letters(np.zeros((80, 80)))
    assert len(set(got.letters)) == 80
    assert got.letters[:3] == ("a", "b", "c")
    assert got.letters[26:28] == ("aa", "ab")
    assert letters(np.zeros((40, 40))).letters[26] == "A"
    # chained over the end of the alphabet, words stay apart
    near = np.abs(np.subtract.outer(np.arange(80), np.arange(80))) <= 1
    assert letters(near * 1.0).letters[27] == "aa ab"


@pytest.mark.slow
def test_letters_after_tukey_are_few():
    """Differences decide alone, so groups are runs of neighbours: never more than systems."""
    scores = np.random.default_rng(1).normal(0, 0.1, (50, 129)) + np.linspace(0, 0.4, 129)
    compared = tukey_hsd(scores)
    got = letters(compared, 0.05)
    assert len(got.groups) <= 129
    ranked = [got.systems[s] for s in got.ranked]
    for group in got.groups:
        assert list(group) == ranked[ranked.index(group[0]) : ranked.index(group[-1]) + 1]


def test_rank_intervals_by_hand():
    scores = np.random.default_rng(2).normal(0, 0.01, (20, 4)) + np.array([0.9, 0.5, 0.5, 0.1])
    got = rank_intervals(tukey_hsd(scores, systems=list("abcd")))
    assert got.lower.tolist() == [1, 2, 2, 4]
    assert got.upper.tolist() == [1, 3, 3, 4]
    assert got.simultaneous
    assert "all at once" in str(got)


@pytest.mark.slow
def test_rank_intervals_cover_the_true_ranks():
    rng = np.random.default_rng(3)
    true = np.array([0.5, 0.45, 0.4, 0.4])
    missed = 0
    for _ in range(200):
        got = rank_intervals(tukey_hsd(rng.normal(0, 0.1, (30, 4)) + true))
        # equal systems may have any rank of theirs
        missed += not ((got.lower <= [1, 2, 4, 4]).all() and (got.upper >= [1, 2, 3, 3]).all())
    assert missed <= 20  # at most 10 expected


def test_bootstrap_rank_intervals_by_hand():
    # b beats a on one topic of three, which outweighs the others: a wins in 8 of 27 resamples (b never drawn)
    scores = np.array([[0.6, 0.5], [0.6, 0.5], [0.0, 0.9]])
    got = bootstrap_rank_intervals(scores, resampling=Resampling(2000), level=0.5)
    assert got.rank.tolist() == [2, 1]
    assert got.lower.tolist() == [1, 1]  # 8 / 27 is more than a quarter
    assert got.upper.tolist() == [2, 2]
    got = bootstrap_rank_intervals(scores, resampling=Resampling(2000), level=0.3)
    assert (got.lower.tolist(), got.upper.tolist()) == ([2, 1], [2, 1])


@settings(max_examples=30)
@given(
    arrays.arrays(np.float64, (6, 4), elements=st.sampled_from([0.0, 0.1, 0.2, 0.3, 0.7])),
    st.randoms(),
    st.integers(1, 3),
    st.sampled_from([1, 40, 1 << 21]),
)
def test_bootstrap_order_workers_and_blocks_do_not_matter(scores, random, workers, room):
    rows, columns = random.sample(range(6), 6), random.sample(range(4), 4)
    resampling = Resampling(60, seed=5)
    names = ["a", "b", "c", "d"]  # which tell apart what the scores do not
    want = bootstrap_rank_intervals(scores, resampling=resampling, workers=1, systems=names)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_ROOM", room)
        mixed = scores[rows][:, columns]
        mixed_names = [names[c] for c in columns]
        got = bootstrap_rank_intervals(mixed, resampling=resampling, workers=workers, systems=mixed_names)
    assert_array_equal(got.lower, want.lower[columns])
    assert_array_equal(got.upper, want.upper[columns])
    assert_array_equal(got.rank, want.rank[columns])


def test_bad_input():
    with pytest.raises(InputError, match="alpha=0"):
        letters(np.ones((2, 2)), 0)
    with pytest.raises(InputError, match="shape"):
        letters(np.ones((2, 3)))
    with pytest.raises(InputError, match="not between 0 and 1"):
        letters(np.array([[1, np.nan], [np.nan, 1]]))
    with pytest.raises(InputError, match="not symmetric"):
        letters(np.array([[1, 0.2], [0.3, 1]]))
    with pytest.raises(InputError, match="places or names"):
        letters(np.ones((2, 2)), location=[0.1])
    with pytest.raises(InputError, match="level=2"):
        bootstrap_rank_intervals([[0.1, 0.2], [0.2, 0.2]], level=2)
    with pytest.raises(InputError, match="1 topic"):
        bootstrap_rank_intervals([[0.1, 0.2]])


def test_prints_itself():
    got = letters(np.ones((2, 2)), systems=["a", "b"])
    assert str(got).startswith("p values as given; alpha 0.05")
    assert got.to_frame().columns == ["system", "letters"]
    got = bootstrap_rank_intervals([[0.1, 0.2], [0.2, 0.2]], resampling=Resampling(20))
    assert "20 resamples, seed 42" in str(got)
    assert got.to_frame().columns == ["system", "rank", "lower", "upper"]
