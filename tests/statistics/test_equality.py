"""Scores that are equal on paper, and scores that only look alike."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rankscope.statistics import (
    agreement_rate,
    consistency,
    sign_test,
    t_test,
    tau,
    tau_ap,
    tau_aps,
    taus,
    wilcoxon,
)
from rankscope.statistics.correlations.rbo import tied_ranking
from rankscope.statistics.equality import (
    PRECISION,
    best_first,
    difference,
    equal,
    error,
    joined,
    merged,
    midranks,
    places,
    settled,
    tie_groups,
)
from rankscope.statistics.pairs.difference_tests import sign_tests, t_tests

HALVINGS = 2.0 ** -np.arange(1.0, 121)
NEXT = np.nextafter

values = st.lists(
    st.one_of(
        st.integers(0, 12).map(lambda i: i / 10),
        st.integers(0, 12).map(lambda i: sum([0.1] * i)),
        st.floats(-1e3, 1e3, allow_subnormal=False),
        st.integers(0, 40).map(lambda k: 1 + 2.0**-k),
        st.integers(0, 300).map(lambda k: 2.0**-k),
    ),
    min_size=2,
    max_size=12,
)


def chains(row):
    """The definition, slowly: places by sorted neighbours whose exact ranges meet."""
    distinct = sorted(set(row))
    place, number = {distinct[0]: 0}, 0
    for below, above in pairwise(distinct):
        room = Fraction(PRECISION) * (abs(Fraction(below)) + abs(Fraction(above)))
        number += Fraction(above) - Fraction(below) > room
        place[above] = number
    return [place[value] for value in row]


@given(values)
def test_places_are_chains_of_neighbours(row):
    assert places(row).tolist() == chains(row)


@given(values, st.integers(-300, 300), st.randoms())
def test_scale_and_order_change_nothing(row, power, random):
    order = random.sample(range(len(row)), len(row))
    least = min((abs(value) for value in row if value), default=1.0)
    assume(np.frexp(least)[1] + power > -970)  # below, doubles have fewer digits
    moved = np.ldexp(np.array(row)[order], power)
    np.testing.assert_array_equal(places(moved), places(row)[order])


@given(values)
def test_settled_values_need_no_tolerance(row):
    fixed = settled(row)
    same = np.array(chains(row))
    np.testing.assert_array_equal(fixed[:, None] == fixed, same[:, None] == same)
    np.testing.assert_array_equal(settled(fixed), fixed)
    assert set(fixed.tolist()) <= set(row)
    assert merged(row) == np.count_nonzero(fixed != np.array(row))


@given(st.lists(values.filter(lambda row: len(row) >= 5).map(lambda row: row[:5]), min_size=1, max_size=300))
def test_rows_are_settled_one_by_one(rows):
    np.testing.assert_array_equal(settled(rows), [settled(row) for row in rows])
    np.testing.assert_array_equal(places(rows), [places(row) for row in rows])


def test_typed_decimals_are_equal():
    assert equal(0.1 + 0.2, 0.3)
    assert equal(sum([0.1] * 10), 1.0)
    assert equal(1 - 0.9, 0.1)
    assert not equal(0.3, 0.3 + 1e-12)
    assert difference(0.3, 0.1 + 0.2) == (0.0, 0.0)


def test_each_pair_is_judged_by_its_own_size():
    assert not equal(HALVINGS[1:], HALVINGS[:-1]).any()
    assert not equal([1.0, 0.0, 5e-324, 1e300], [1e-300, 5e-324, 1e-323, 1e-300]).any()
    assert places([1e300, 1e-300, 5e-324, 0.0, -5e-324, -1e300]).tolist() == [5, 4, 3, 2, 1, 0]
    assert places([1e308, -1e308, 1.7e308]).tolist() == [1, 0, 2]  # whose differences have no double


def test_worst_sum_of_254_terms_ties():
    """Roundings that all go one way: every term is lost but for its share of the first."""
    terms = np.concatenate([[1.0], np.full(253, 2.0**-53)])
    forwards, backwards = np.add.accumulate(terms)[-1], np.add.accumulate(terms[::-1])[-1]
    assert forwards != backwards
    assert equal(forwards, backwards)


def test_chains_join_what_is_further_apart():
    step = 1.5 * PRECISION
    chain = 1 + step * np.arange(4)
    assert not equal(chain[0], chain[-1])
    assert places(chain).tolist() == [0, 0, 0, 0]
    assert tie_groups(chain, error(chain)).tolist() == [0, 0, 0, 0]
    assert joined(chain, np.zeros(4)).tolist() == [False] * 3


def test_no_values():
    assert settled([]).size == places([]).size == merged([]) == 0


def test_tau_of_powers_of_two_with_their_order():
    assert tau(HALVINGS, -np.arange(1, 121)).b == 1.0
    assert tau(HALVINGS, HALVINGS).a == 1.0
    assert agreement_rate(HALVINGS, HALVINGS) == 1.0
    assert tau(HALVINGS, -HALVINGS).a == -1.0
    assert taus(HALVINGS[None], HALVINGS[None], variant="a").tolist() == [1.0]


def test_tau_ap_tells_powers_of_two_apart():
    turned = HALVINGS.copy()
    turned[100:] = turned[100:][::-1]
    assert tau_ap(HALVINGS, turned).b < 1
    assert tau_aps(HALVINGS[None], turned[None])[0] == pytest.approx(tau_ap(HALVINGS, turned).b)


def test_ranks_of_powers_of_two():
    assert midranks(HALVINGS[None])[0][0].tolist() == list(range(120, 0, -1))
    assert len(tied_ranking(dict(enumerate(HALVINGS.tolist())))) == 120


def test_halves_keep_systems_of_all_sizes_apart():
    """Each system scores half of the one before on every topic: every split orders all of them alike."""
    assert consistency(np.array([[1.0], [0.75], [0.5], [0.875]]) * HALVINGS).lowest == 1.0


def test_halves_tie_what_is_equal_on_paper():
    """A system that scores high on one topic and low on the others; a tie on the low ones is still a tie."""
    scores = np.array([[1.0, 1.0, 0.2], [0.1 + 0.2, 0.3, 0.1], [1e-6, 1e-6, 0.3], [2e-6, 2e-6, 0.4]])
    for split in consistency(scores).taus:
        assert split in (1.0, -1.0)


def test_merged_values_are_counted_and_said():
    assert tau([0.1 + 0.2, 0.3, 0.5], [1, 2, 3]).merged == 1
    assert "1 system: scores that differ by less than rounding can explain count as equal" in str(
        tau([0.1 + 0.2, 0.3, 0.5], [1, 2, 3])
    )
    assert tau([0.3, 0.3, 0.5], [1, 2, 3]).merged == 0
    assert "rounding" not in str(tau([0.3, 0.3, 0.5], [1, 2, 3]))
    assert tau_ap([0.1 + 0.2, 0.3, 0.5], [1, 2, 3]).merged == 1
    assert tau([0.1 + 0.2, 0.3, 0.5], [1, 2, 3], tolerance=0).merged == 0


@pytest.mark.parametrize("test", [sign_test, wilcoxon])  # a sum of differences is known as its largest term is
def test_a_large_score_of_one_topic_hides_no_difference_of_another(test):
    a = np.array([1.0, 3e-14, 5e-14, 7e-14, 9e-14, 8e-14])
    b = np.array([0.5, 1e-14, 2e-14, 3e-14, 1e-14, 2e-14])
    assert test(a, b).pvalue == 2 / 2**6


@given(values.filter(lambda row: len(row) >= 4), st.integers(-400, 400))
def test_tests_of_two_systems_do_not_depend_on_the_scale(row, power):
    """No squares or sums overflow or vanish, no tolerance is absolute."""
    a, b = np.array(row), np.array(row[::-1])[: len(row)] * 0.75 + 0.25
    moved = np.ldexp(a, power), np.ldexp(b, power)
    assume(all(np.frexp(v)[1] + power > -900 for v in np.abs([*a, *b]) if v))
    for test in (sign_test, wilcoxon, t_test):
        assert test(*moved).pvalue == test(a, b).pvalue


def test_each_pair_of_systems_is_judged_by_its_own_scores():
    """The same differences beside large scores and alone: p values are those of the pair by itself."""
    rng = np.random.default_rng(3)
    small = rng.random((12, 2)) * 1e-14
    d, errors = difference(np.stack([small[:, 1], rng.random(12)]), np.stack([small[:, 0], rng.random(12)]))
    alone = t_test(small[:, 1], small[:, 0]).pvalue
    assert t_tests(d, errors=errors).pvalue[0] == pytest.approx(alone)
    assert sign_tests(d).pvalue[0] == sign_test(small[:, 1], small[:, 0]).pvalue


def test_equal_differences_of_unlike_scores_tie():
    """0.9 - 0.8, 0.3 - 0.2 and 0.1 are three doubles, and one difference."""
    found = wilcoxon([0.8, 0.2, 0.0, 0.2], [0.9, 0.3, 0.1, 0.9])
    assert (found.ties, found.plus) == (3, 10.0)


@given(values)
def test_best_first_goes_by_name_where_scores_are_equal(row):
    names = [f"s{i}" for i in range(len(row))]
    order = best_first(row, names)
    place = places(row)
    assert [(-place[i], names[i]) for i in order] == sorted((-p, name) for p, name in zip(place, names, strict=True))
