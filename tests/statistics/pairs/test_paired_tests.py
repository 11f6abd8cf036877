"""Tests of two systems: golden values, scipy 1.17, exact counts, and what must not change a result."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal

from rankscope.errors import InputError
from rankscope.kernels.cpu import drawn
from rankscope.statistics import randomisation_all_pairs, t_all_pairs
from rankscope.statistics.draws import sign_flips
from rankscope.statistics.draws.resampling import Resampling
from rankscope.statistics.equality import error
from rankscope.statistics.pairs.differences import Differences, grid
from rankscope.statistics.pairs.intervals import bootstrap_interval, randomisation_interval, t_interval
from rankscope.statistics.pairs.paired_tests import (
    bootstrap_test,
    randomisation_test,
    sign_test,
    t_test,
    wilcoxon,
)

stats = pytest.importorskip("scipy.stats")

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "stats.json").read_text(encoding="utf-8"))["entries"]
BY_ID = {e["id"]: e for e in GOLDEN}
FEW = Resampling(999, 7)
TESTS = [t_test, wilcoxon, sign_test, randomisation_test, bootstrap_test]


def golden_pairs() -> list[Any]:
    found = []
    for entry in GOLDEN:
        inputs = entry["inputs"]
        if entry["kind"] == "paired_tests":
            matrix = np.array(BY_ID[inputs["matrix"]]["expected"]["matrix"])
            found.append(
                pytest.param(matrix[:, inputs["i"]], matrix[:, inputs["j"]], entry["expected"], id=entry["id"])
            )
        elif entry["kind"] == "paired_vectors":
            found.append(pytest.param(np.array(inputs["a"]), np.array(inputs["b"]), entry["expected"], id=entry["id"]))
    return found


def tenths(topics: int | st.SearchStrategy[int]) -> st.SearchStrategy[tuple[np.ndarray, np.ndarray]]:
    """Scores with one decimal: ties and zeros abound, and none is exact in binary."""
    sizes = st.just(topics) if isinstance(topics, int) else topics
    return sizes.flatmap(lambda n: st.tuples(*[arrays(np.int64, n, elements=st.integers(0, 10))] * 2)).map(
        lambda two: (two[0] / 10, two[1] / 10)
    )


def all_flips(d: list[int]) -> float:
    """The slow twin: every sign flip in whole numbers."""
    bar = abs(sum(d))
    sums = [abs(sum(s * x for s, x in zip(signs, d, strict=True))) for signs in product((-1, 1), repeat=len(d))]
    return sum(total >= bar for total in sums) / len(sums)


@pytest.mark.parametrize(("a", "b", "expected"), golden_pairs())
def test_golden_values(a: np.ndarray, b: np.ndarray, expected: dict[str, Any]) -> None:
    t, w, sign, flip = (expected[name] for name in ("t", "wilcoxon", "sign", "randomisation"))
    got = t_test(b, a)
    assert_allclose(
        [got.difference, got.sd, got.statistic, got.df, got.pvalue],
        [t["mean_diff"], t["sd_diff"], t["t"], t["df"], t["p"]],
        rtol=1e-9,
        atol=1e-12,
    )
    ranks = wilcoxon(b, a)
    assert (ranks.plus, ranks.minus, ranks.n_topics - ranks.zeros) == (w["W_plus"], w["W_minus"], w["n_nonzero"])
    assert ranks.pvalue == w["p_exact"]
    assert abs(ranks.statistic) == pytest.approx(abs(w["z"]), rel=1e-9)
    assert wilcoxon(b, a, method="normal").pvalue == pytest.approx(w["p_normal"], rel=1e-9)
    assert wilcoxon(b, a, method="normal", correction=True).pvalue == pytest.approx(w["p_normal_cc"], rel=1e-9)
    signs = sign_test(b, a)
    assert (signs.plus, signs.minus, signs.zeros) == (sign["plus"], sign["minus"], sign["zero"])
    assert signs.pvalue == pytest.approx(sign["p"], rel=1e-12)
    flipped = randomisation_test(b, a)
    assert flipped.exact
    assert flipped.pvalue * flip["total"] == flip["count"]


def test_t_by_hand() -> None:
    # differences 1, 2, 3: mean 2, sd 1, t = 2 * sqrt(3)
    assert t_test([0, 0, 0], [1, 2, 3]).statistic == pytest.approx(2 * np.sqrt(3))


@given(tenths(st.integers(2, 30)))
@settings(max_examples=60)
def test_equal_to_scipy(two: tuple[np.ndarray, np.ndarray]) -> None:
    a, b = two
    d = np.rint(10 * (a - b))
    above, below = int((d > 0).sum()), int((d < 0).sum())
    if above + below:
        assert sign_test(b, a).pvalue == pytest.approx(stats.binomtest(above, above + below).pvalue, rel=1e-12)
        ours = wilcoxon(b, a, method="normal", correction=True)
        theirs = stats.wilcoxon(d, method="asymptotic", correction=True)
        assert ours.pvalue == pytest.approx(theirs.pvalue, rel=1e-9)
    if d.std() > 0:
        assert t_test(b, a).pvalue == pytest.approx(stats.ttest_rel(a, b).pvalue, rel=1e-9)


def test_exact_ranks_without_ties_equal_scipy() -> None:
    rng = np.random.default_rng(3)
    for n in (5, 20, 60):
        a, b = rng.normal(size=(2, n)) + np.array([[0.3], [0]])
        assert wilcoxon(b, a).pvalue == pytest.approx(stats.wilcoxon(a, b, method="exact").pvalue, rel=1e-9)


def test_flips_equal_scipy_exact_permutation_test() -> None:
    rng = np.random.default_rng(4)
    a, b = rng.normal(size=(2, 10))

    def mean(x: np.ndarray, y: np.ndarray, axis: int) -> np.ndarray:
        return np.mean(x - y, axis=axis)

    theirs = stats.permutation_test((a, b), mean, permutation_type="samples", n_resamples=np.inf, vectorized=True)
    assert randomisation_test(b, a).pvalue == pytest.approx(theirs.pvalue, rel=1e-12)


def test_the_sakai_book(data: Path) -> None:
    scores = np.genfromtxt(data / "sakai-book" / "scores.csv", delimiter=",", skip_header=1)[:, 1:]
    x, y = scores[:, 0], scores[:, 1]
    exact = randomisation_test(y, x)
    assert exact.pvalue == pytest.approx(0.06592, abs=5e-6)
    assert exact.pvalue == all_flips([int(v) for v in np.rint(10 * (x - y))[x != y]])
    drawn = randomisation_test(y, x, exact=False, resampling=Resampling(50_000))
    assert abs(drawn.pvalue - exact.pvalue) < 4 * drawn.error
    assert abs(randomisation_all_pairs(scores).pvalue[0] - exact.pvalue) < 4 * 0.0025


@given(tenths(st.integers(2, 10)))
def test_both_exact_ways_equal_enumeration(two: tuple[np.ndarray, np.ndarray]) -> None:
    a, b = two
    expected = all_flips(np.rint(10 * (a - b)).astype(int).tolist())
    d = Differences.of(b, a)
    (sizes, errors), observed = d.magnitudes(), float(d.values.sum())
    assert randomisation_test(b, a).pvalue == expected
    if sizes.size:
        on = sign_flips.affordable_grid(sizes, errors)
        assert on is not None
        assert sign_flips.exact_on_grid(on[0], round(observed / on[1])) == pytest.approx(expected, rel=1e-12)
        assert sign_flips.exact_by_halves(sizes, observed, errors.sum()) == expected


@pytest.mark.parametrize("scale", [1.0, 1e-9, 3e5, 1 / 7])
def test_a_grid_of_any_step(scale: float) -> None:
    rng = np.random.default_rng(5)
    a, b = scale / rng.integers(1, 11, 60), scale / rng.integers(1, 11, 60)  # RR@10
    exact = randomisation_test(b, a)
    assert "on a grid" in exact.method
    assert exact.pvalue == pytest.approx(randomisation_test(b / scale, a / scale).pvalue, rel=1e-9)
    drawn = randomisation_test(b, a, exact=False, resampling=Resampling(20_000))
    assert abs(drawn.pvalue - exact.pvalue) < 4 * drawn.error


def test_no_grid_where_there_is_none() -> None:
    values = np.random.default_rng(6).normal(size=30)
    assert grid(values, error(values)) is None
    rounded = np.round(values, 4)
    assert grid(rounded, error(rounded)) is not None
    with pytest.raises(InputError, match="too many to count"):
        randomisation_test(np.zeros(50), np.sqrt(np.arange(50)), exact=True)


def test_halves_agree_with_draws() -> None:
    a, b = np.random.default_rng(7).normal(size=(2, 34))
    exact, drawn = randomisation_test(b, a), randomisation_test(b, a, exact=False)
    assert exact.exact
    assert not drawn.exact
    assert drawn.resampling == Resampling()
    assert abs(drawn.pvalue - exact.pvalue) < 4 * drawn.error


@given(tenths(st.integers(2, 25)), st.randoms(use_true_random=False))
@settings(max_examples=25)
def test_order_and_swap_change_nothing(two: tuple[np.ndarray, np.ndarray], random: Any) -> None:
    a, b = two
    order = list(range(len(a)))
    random.shuffle(order)
    for test in (
        wilcoxon,
        sign_test,
        randomisation_test,
        lambda a, b: randomisation_test(b, a, exact=False, resampling=FEW),
        lambda a, b: bootstrap_test(b, a, resampling=FEW),
        lambda a, b: bootstrap_test(b, a, resampling=FEW, variant="shift"),
        t_test,
    ):
        p = test(a, b).pvalue
        assert 0 < p <= 1
        assert test(b, a).pvalue == p
        assert test(a[order], b[order]) == test(a, b)


@pytest.mark.parametrize("workers", [1, 2, 5])
@pytest.mark.parametrize("cells", [1, 700, 1 << 20])
def test_workers_and_blocks_change_nothing(workers: int, cells: int, monkeypatch: pytest.MonkeyPatch) -> None:
    matrix = np.random.default_rng(8).random((23, 6))
    a, b = matrix[:, 0], matrix[:, 1]

    def results() -> list[Any]:
        return [
            randomisation_test(b, a, exact=False, resampling=FEW, workers=workers).pvalue,
            bootstrap_test(b, a, resampling=FEW, workers=workers).pvalue,
            bootstrap_test(b, a, resampling=FEW, workers=workers, variant="shift").pvalue,
            randomisation_all_pairs(matrix, resampling=FEW, workers=workers).pvalue.tolist(),
        ]

    workers, given_workers = 1, workers
    expected = results()
    workers = given_workers
    monkeypatch.setattr(sign_flips, "CELLS", cells)
    assert results() == expected


def test_seeds_matter_and_are_remembered() -> None:
    a, b = np.random.default_rng(9).random((2, 60))
    one, other = (randomisation_test(b, a, resampling=Resampling(2000, seed)) for seed in (1, 2))
    assert one.pvalue != other.pvalue
    assert one.resampling == Resampling(2000, 1)
    assert "seed 1" in str(one)


def test_bootstrap_shift_by_hand() -> None:
    # differences 0 and 2: shifted -1 and 1; of the four samples two have |mean| 1, the observed mean
    got = bootstrap_test([0, 0], [0, 2], variant="shift", resampling=Resampling(20_000))
    assert got.pvalue == pytest.approx(0.5, abs=4 * got.error)
    # both of these repeat one topic, so they have no t and count; the other two have mean 0
    assert bootstrap_test([0, 0], [0, 2], resampling=Resampling(20_000)).pvalue == got.pvalue


def test_bootstrap_agrees_with_t_on_many_topics() -> None:
    a, b = np.random.default_rng(10).normal(size=(2, 200))
    for kind in ("studentised", "shift"):
        assert bootstrap_test(b, a, variant=kind).pvalue == pytest.approx(t_test(b, a).pvalue, abs=0.03)  # type: ignore[arg-type]


def test_all_pairs_equal_one_pair_at_a_time() -> None:
    matrix = np.random.default_rng(11).integers(0, 11, (12, 5)) / 10
    t, flip = t_all_pairs(matrix), randomisation_all_pairs(matrix)  # 2^12 flips are fewer than the resamples
    assert flip.resampling is None
    for pair, (i, j) in enumerate(zip(t.first.tolist(), t.second.tolist(), strict=True)):
        student = t_test(matrix[:, i], matrix[:, j])
        assert t.pvalue[pair] == pytest.approx(student.pvalue, rel=1e-9)
        assert t.statistic[pair] == pytest.approx(student.statistic, rel=1e-9)
        assert t.difference[pair] == pytest.approx(student.difference, abs=1e-12)
        assert flip.difference[pair] == pytest.approx(t.difference[pair], abs=1e-12)
        assert flip.pvalue[pair] == randomisation_test(matrix[:, i], matrix[:, j]).pvalue
    assert len(t.table()[1]) == 10
    assert "not corrected" in str(flip)


def test_all_pairs_drawn_are_near_the_exact_ones() -> None:
    matrix = np.random.default_rng(12).integers(0, 11, (40, 6)) / 10
    drawn = randomisation_all_pairs(matrix)
    assert drawn.resampling == Resampling()
    for i, j, p in zip(drawn.first, drawn.second, drawn.pvalue, strict=True):
        exact = randomisation_test(matrix[:, i], matrix[:, j])
        assert exact.exact
        assert abs(p - exact.pvalue) < 4.5 * np.sqrt(exact.pvalue / 10_000)


@given(st.randoms(use_true_random=False))
@settings(max_examples=10)
def test_order_of_systems_and_topics_changes_nothing(random: Any) -> None:
    matrix = np.random.default_rng(13).integers(0, 6, (30, 7)) / 5
    rows, columns = random.sample(range(30), 30), random.sample(range(7), 7)
    for test in (t_all_pairs, lambda m: randomisation_all_pairs(m, resampling=FEW)):
        given_order, other = test(matrix), test(matrix[np.ix_(rows, columns)])
        at = np.ix_(columns, columns)
        assert_array_equal(other.matrix(), given_order.matrix()[at])
        assert_allclose(other.location, given_order.location[columns], rtol=0, atol=1e-15)


def test_ties_that_floats_lose() -> None:
    # 0.3 - 0.2, 0.2 - 0.1 and 0.1 are one difference on paper and three in binary
    a, b = [0.3, 0.2, 0.1, 0.1], [0.2, 0.1, 0.0, 0.2]
    assert wilcoxon(b, a).ties == 4
    assert randomisation_test(b, a).pvalue == 10 / 16
    assert sign_test([0.3, 0.0], [0.1 + 0.2, 1.0]).zeros == 1


def test_p_is_never_zero() -> None:
    ones = 1 + np.random.default_rng(16).integers(0, 2, 1500) / 10
    for test in (t_test, wilcoxon, sign_test, randomisation_test):
        assert 0 < test(ones, np.zeros(1500)).pvalue < 1e-200, test


def test_tables_on_a_grid_are_bounded() -> None:
    sizes = np.append(np.arange(1, 25) / 10_000, 5000.0)  # a table of 50 million sums
    assert sign_flips.affordable_grid(sizes, np.full(sizes.shape, 1e-9)) is None
    assert randomisation_test(np.zeros(25), sizes).pvalue == 2 / 2**25


@pytest.mark.parametrize("test", TESTS)
def test_no_difference_at_all(test: Any) -> None:
    got = test([0.1, 0.2, 0.3], [0.1, 0.2, 0.3])
    assert got.pvalue == 1
    assert "all differences are zero" in got.method


@pytest.mark.parametrize("test", TESTS)
def test_a_constant_difference(test: Any) -> None:
    """All tests have the p of sign flips, whichever way round and for all alternatives."""
    a, b = np.array([0.2, 0.3, 0.4]), np.array([0.3, 0.4, 0.5])
    sides = ("two-sided", "greater", "less")
    assert [test(a, b, alternative=side).pvalue for side in sides] == [0.25, 0.125, 1]
    assert [test(b, a, alternative=side).pvalue for side in sides] == [0.25, 1, 0.125]


def test_a_constant_difference_is_said() -> None:
    a, b = np.array([0.2, 0.3, 0.4]), np.array([0.3, 0.4, 0.5])
    for got in (t_test(a, b), bootstrap_test(a, b)):
        assert got.method.startswith("randomisation in place of ")
        with pytest.raises(InputError, match=r"the difference is 0\.1 on all 3 topics: it has no variance"):
            got.confidence_interval()
    assert t_test(b, a).statistic == -np.inf
    assert randomisation_all_pairs(np.stack([a, a], axis=1)).pvalue.tolist() == [1]


@pytest.mark.parametrize("test", TESTS)
def test_bad_input_is_one_clear_sentence(test: Any) -> None:
    with pytest.raises(InputError, match="topic 't2', system 'the second system': the score is nan"):
        test([0.1, 0.2], [0.1, np.nan], topics=["t1", "t2"])
    with pytest.raises(InputError, match="2 and 3 scores"):
        test([0.1, 0.2], [0.1, 0.2, 0.3])
    with pytest.raises(InputError, match="at least two topics"):
        test([0.1], [0.2])


def test_choices_are_checked() -> None:
    with pytest.raises(InputError, match="method is one of auto, exact, normal"):
        wilcoxon([2, 4], [1, 2], method="both")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="variant is one of studentised, shift"):
        bootstrap_test([2, 4], [1, 2], variant="both")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="takes too long"):
        wilcoxon(np.zeros(2001), np.arange(2001.0) + 1, method="exact")
    with pytest.raises(InputError, match="system"):
        randomisation_all_pairs([[1.0], [2.0]])


def test_many_ranks_are_normal() -> None:
    a = np.random.default_rng(14).normal(size=600)
    assert "normal" in wilcoxon(np.zeros(600), a).method
    exact = wilcoxon(np.zeros(600), a, method="exact")
    assert exact.pvalue == pytest.approx(wilcoxon(np.zeros(600), a).pvalue, abs=1e-3)


@pytest.mark.parametrize("test", TESTS)
def test_results_print_and_say_how(test: Any) -> None:
    got = test([0.5, 0.7, 0.4], [0.3, 0.6, 0.45])
    assert got.method in str(got)
    assert "<td>3</td>" in got._repr_html_()


def test_false_positives_are_as_rare_as_promised() -> None:
    rng = np.random.default_rng(15)
    rejected = dict.fromkeys(("t", "ranks", "signs", "flips", "bootstrap"), 0)
    for _ in range(400):
        a, b = np.round(rng.beta(2, 5, size=(2, 25)), 2)
        rejected["t"] += t_test(b, a).pvalue <= 0.05
        rejected["ranks"] += wilcoxon(b, a).pvalue <= 0.05
        rejected["signs"] += sign_test(b, a).pvalue <= 0.05
        rejected["flips"] += randomisation_test(b, a).pvalue <= 0.05
        rejected["bootstrap"] += bootstrap_test(b, a, resampling=Resampling(399)).pvalue <= 0.05
    # 400 nulls at 0.05: 20 expected, sd 4.4; signs and ranks are discrete and stay below
    assert all(count <= 34 for count in rejected.values()), rejected
    assert all(rejected[name] >= 7 for name in ("t", "flips", "bootstrap")), rejected


@pytest.mark.parametrize("n", [8, 30])
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_alternatives_equal_scipys(n: int, alternative: Any) -> None:
    """scipy takes the first minus the second, so that its first is b."""
    rng = np.random.default_rng(n)
    for shift in (-0.2, 0.0, 0.2):
        a, b = rng.random(n), rng.random(n) + shift
        theirs = stats.ttest_rel(b, a, alternative=alternative)
        ours = t_test(a, b, alternative=alternative)
        assert_allclose((ours.statistic, ours.pvalue), (theirs.statistic, theirs.pvalue), rtol=1e-9)
        want = stats.wilcoxon(b, a, alternative=alternative, method="exact").pvalue
        assert wilcoxon(a, b, alternative=alternative).pvalue == pytest.approx(want, rel=1e-9)
        want = stats.wilcoxon(b, a, alternative=alternative, method="asymptotic", correction=False).pvalue
        assert wilcoxon(a, b, alternative=alternative, method="normal").pvalue == pytest.approx(want, rel=1e-9)
        wins = int((b > a).sum())
        want = stats.binomtest(wins, n, alternative=alternative).pvalue
        assert sign_test(a, b, alternative=alternative).pvalue == pytest.approx(want, rel=1e-9)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_the_randomisation_test_has_alternatives(alternative: Any) -> None:
    rng = np.random.default_rng(3)
    for steps in (None, 10):
        for shift in (-0.3, 0.0, 0.3):
            d = rng.normal(shift, 1, 10) if steps is None else np.rint(rng.normal(shift, 1, 10) * steps) / steps
            sums = np.array(
                [sum(s * x for s, x in zip(signs, d, strict=True)) for signs in product((-1, 1), repeat=10)]
            )
            extreme = {"greater": sums >= d.sum() - 1e-9, "less": sums <= d.sum() + 1e-9}
            extreme["two-sided"] = np.abs(sums) >= abs(d.sum()) - 1e-9
            want = extreme[alternative].mean()
            got = randomisation_test(np.zeros(10), d, alternative=alternative)
            assert got.exact
            assert got.pvalue == pytest.approx(want, rel=1e-12)
            drawn = randomisation_test(np.zeros(10), d, alternative=alternative, exact=False)
            assert drawn.pvalue == pytest.approx(want, abs=0.02)
    grid = rng.integers(-3, 5, 30) / 10  # more than are counted by halves
    greater, less, both = (
        randomisation_test(np.zeros(30), grid, alternative=side).pvalue for side in ("greater", "less", "two-sided")
    )
    assert 2 * min(greater, less) == pytest.approx(both)
    drawn = randomisation_test(np.zeros(30), grid, alternative=alternative, exact=False).pvalue
    assert drawn == pytest.approx({"greater": greater, "less": less, "two-sided": both}[alternative], abs=0.02)


def test_an_unknown_alternative_is_refused() -> None:
    for test in TESTS:
        with pytest.raises(InputError, match="alternative is one of two-sided, greater, less"):
            test([0.1, 0.2], [0.2, 0.4], alternative="larger")  # type: ignore[operator]


def test_confidence_intervals_are_those_of_the_interval_functions() -> None:
    a, b = np.random.default_rng(1).random((2, 12))
    few = Resampling(200, 5)
    assert t_test(a, b).confidence_interval(0.9) == t_interval(a, b, level=0.9)
    assert randomisation_test(a, b).confidence_interval() == randomisation_interval(a, b)
    by_bootstrap = bootstrap_test(a, b, resampling=few).confidence_interval()
    assert by_bootstrap == bootstrap_interval(a, b, resampling=few)


@pytest.mark.parametrize("alternative", ["greater", "less"])
def test_one_sided_intervals_are_scipys(alternative: Any) -> None:
    """One end is infinite, there and here."""
    a, b = np.random.default_rng(2).random((2, 15))
    ours = t_test(a, b, alternative=alternative)
    theirs = stats.ttest_rel(b, a, alternative=alternative)
    for level in (0.95, 0.4):
        got, want = ours.confidence_interval(level), theirs.confidence_interval(level)
        assert_allclose((got.lower, got.upper), (want.low, want.high), rtol=1e-9)
    for test in (randomisation_test, bootstrap_test):
        one = test(a, b, alternative=alternative).confidence_interval(0.95)
        both = test(a, b).confidence_interval(0.9)
        assert (one.lower, one.upper) == ((both.lower, np.inf) if alternative == "greater" else (-np.inf, both.upper))


@pytest.mark.parametrize("alternative", ["greater", "less"])
@pytest.mark.parametrize("topics", [8, 12])
def test_one_sided_randomisation_intervals_hold_what_is_not_rejected(alternative: Any, topics: int) -> None:
    a, b = np.random.default_rng(topics).normal(size=(2, topics))
    interval = randomisation_test(a, b, alternative=alternative).confidence_interval(0.9)
    end = interval.lower if alternative == "greater" else interval.upper
    for inside, shift in ((True, 1e-3), (False, -1e-3)):
        moved = a + end + (shift if alternative == "greater" else -shift)
        assert (randomisation_test(moved, b, alternative=alternative).pvalue > 0.1) == inside


@pytest.mark.parametrize("variant", ["studentised", "shift"])
def test_one_sided_bootstrap_tests_are_their_literal_twin(variant: Any) -> None:
    rng = np.random.default_rng(17)
    for shift in (-0.3, 0.0, 0.3):
        a, b = np.round(rng.random(9), 1), np.round(rng.random(9) + shift, 1)
        order = Differences.of(a, b)
        d = order.sign * order.values
        centred, observed = d - d.mean(), d.mean() / (d.std(ddof=1) if variant == "studentised" else 1)
        counts = {"greater": 0, "less": 0}
        for trial in range(400):
            sample = centred[drawn(5, trial, 1, 9)[0]]
            mean = sample.mean() if abs(sample.mean()) > 1e-12 else 0.0
            sd = sample.std(ddof=1) if variant == "studentised" else 1.0
            value = mean / sd if sd > 1e-12 else np.inf * mean if mean else 0.0
            counts["greater"] += value >= observed - 1e-12
            counts["less"] += value <= observed + 1e-12
        for side, count in counts.items():
            got = bootstrap_test(a, b, alternative=side, variant=variant, resampling=Resampling(400, 5))  # type: ignore[arg-type]
            assert got.pvalue == (count + 1) / 401
            assert got.alternative == side
            turned: Any = {"greater": "less", "less": "greater"}[side]
            assert (
                bootstrap_test(b, a, alternative=turned, variant=variant, resampling=Resampling(400, 5)).pvalue
                == got.pvalue
            )
