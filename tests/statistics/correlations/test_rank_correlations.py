"""Agreement of rankings: golden values, outside tools, slow twins from the papers, properties."""

import gzip
import json
import math
import warnings
from itertools import combinations, permutations, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

from rankscope.errors import DataWarning, InputError
from rankscope.statistics import (
    Resampling,
    agreement_rate,
    consistency,
    kruskal_wallis,
    randomised_hsd,
    split_halves,
    swap_rate,
    t_interval,
    tau,
    tau_ap,
    tau_aps,
    tau_over_systems,
    tau_over_topics,
    taus,
    tukey_hsd,
)
from rankscope.statistics.correlations.tau_ap import tau_aps_without
from rankscope.statistics.correlations.tau_intervals import mean_intervals, tau_ap_intervals

GOLDEN = {e["id"]: e for e in json.loads((Path(__file__).parents[2] / "golden" / "stats.json").read_text())["entries"]}
A = np.array(GOLDEN["A"]["expected"]["matrix"])
FEW = Resampling(300, seed=7)

# The three data sets of ircor's tests (Urbano, R package of 2019, commit 6335f56), and what its tests expect of them.
IRCOR = [
    (
        [0.897, 0.372, 0.908, 0.898, 0.661, 0.062, 0.177, 0.384, 0.498, 0.992],
        [0.82, 0.406, 0.817, 0.953, 0.673, 0.073, 0.364, 0.547, 0.589, 0.988],
        {"tau": 0.9111, "a": 0.8889, "b": 0.9398, "ap": 0.8519, "ap_a": 0.7454, "ap_sym": 0.8333, "ap_b": 0.7321},
    ),
    (
        [0.266, 0.573, 0.202, 0.945, 0.629, 0.206, 0.687, 0.77, 0.718, 0.38],
        [0.263, 0.843, 0.728, 0.928, 0.08, 0.114, 0.467, 0.641, 0.973, 0.644],
        {"tau": 0.2889, "a": 0.3333, "b": 0.3765, "ap": 0.2504, "ap_a": 0.2692, "ap_sym": 0.2880, "ap_b": 0.297},
    ),
    (
        [0.185, 0.573, 0.944, 0.129, 0.468, 0.553, 0.761, 0.405, 0.976, 0.445],
        [0.845, 0.272, 0.275, 0.924, 0.605, 0.334, 0.162, 0.872, 0.018, 0.25],
        {"tau": -0.6889, "a": -0.6222, "b": -0.6510, "ap": -0.6971, "ap_a": -0.5558, "ap_sym": -0.668, "ap_b": -0.7047},
    ),
]
GRID = st.integers(0, 4).map(lambda i: i / 10)
VECTORS = st.integers(2, 7).flatmap(lambda n: st.tuples(*[st.lists(GRID, min_size=n, max_size=n)] * 2))


def test_golden_tau():
    entry = GOLDEN["tau_b_1"]
    got, expected = tau(**entry["inputs"]), entry["expected"]
    assert (got.concordant, got.discordant, got.only_x, got.only_y) == tuple(expected[k] for k in "PQTU")
    assert got.both == 0
    assert got.a == pytest.approx(expected["tau_a"], abs=entry["tolerance"])
    assert got.b == pytest.approx(expected["tau_b"], abs=entry["tolerance"])
    assert got.interval() == pytest.approx(tuple(expected["ci95"].values()), abs=entry["tolerance"])


def test_golden_tau_ap():
    entry = GOLDEN["tau_ap_1"]
    got, expected = tau_ap(**entry["inputs"]), entry["expected"]
    assert got.a == got.b_one_way == pytest.approx(expected["tau_ap"], abs=entry["tolerance"])
    assert got.a_swapped == got.b_swapped == pytest.approx(expected["tau_ap_swapped"], abs=entry["tolerance"])
    assert got.symmetric == got.b == pytest.approx(expected["symmetric"], abs=entry["tolerance"])
    assert tau(entry["inputs"]["reference"], entry["inputs"]["estimate"]).a == pytest.approx(expected["tau"], abs=1e-12)


def test_golden_consistency():
    entry = GOLDEN["A_consistency"]
    got, expected = consistency(A), entry["expected"]
    assert got.n_splits == expected["subsets"]
    assert got.mean == pytest.approx(expected["mean_tau"], abs=entry["tolerance"])
    assert (got.lowest, got.highest) == pytest.approx((expected["min"], expected["max"]), abs=entry["tolerance"])
    drawn = consistency(A, resampling=Resampling(4000))
    assert drawn.mean == pytest.approx(got.mean, abs=4 * got.taus.std() / math.sqrt(4000))


@pytest.mark.parametrize(("x", "y", "expected"), IRCOR)
def test_ircor(x, y, expected):
    x_ties, y_ties = np.round(x, 1), np.round(y, 1)
    got = {
        "tau": tau(x, y).b,
        "a": tau(x, y_ties).a,
        "b": tau(x_ties, y_ties).b,
        "ap": tau_ap(x, y).a,
        "ap_a": tau_ap(x, y_ties).a,
        "ap_sym": tau_ap(x, y).b,
        "ap_b": tau_ap(x_ties, y_ties).b,
    }
    assert got == pytest.approx(expected, abs=6e-5)
    assert tau_ap(y_ties, x_ties).b == pytest.approx(expected["ap_b"], abs=6e-5)


@given(VECTORS)
def test_tau_b_is_scipys(pair):
    x, y = pair
    assume(len(set(x)) > 1 and len(set(y)) > 1)
    assert tau(x, y).b == pytest.approx(stats.kendalltau(x, y).statistic, abs=1e-12)


@given(st.integers(1, 5), st.data())
def test_many_taus_are_single_ones(rows, data):
    pairs = data.draw(st.lists(st.tuples(*[st.lists(GRID, min_size=5, max_size=5)] * 2), min_size=rows, max_size=rows))
    x, y = (np.array([pair[side] for pair in pairs]) for side in (0, 1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        got = taus(x, y)
        np.testing.assert_array_equal(taus(x, y, workers=1), got)
    for one, other, b, a in zip(x, y, got, taus(x, y, variant="a"), strict=True):
        if np.ptp(one) and np.ptp(other):
            assert (b, a) == pytest.approx((tau(one, other).b, tau(one, other).a), abs=1e-15)
        else:
            assert np.isnan(b)
            assert a == 0


def test_one_vector_goes_with_every_row():
    x = np.random.default_rng(3).random((300, 12))
    np.testing.assert_array_equal(taus(x[0], x), [tau(x[0], row).b for row in x])
    np.testing.assert_array_equal(taus(x, x[0]), taus(x[0], x))


def test_undefined_rows_are_said():
    with pytest.warns(DataWarning, match="1 of 2 rows tie all systems"):
        assert np.isnan(taus([[1, 2, 3], [1, 1, 1]], [1, 2, 3])).tolist() == [False, True]


def test_sums_equal_on_paper_tie():
    assert tau([0.1 + 0.2, 0.3, 0.5], [1, 2, 3]).only_x == 1
    assert tau([3e-20 + 6e-20, 9e-20, 20e-20], [1, 2, 3]).only_x == 1  # the tolerance is relative
    assert tau([0.1 + 0.2, 0.3, 0.5], [1, 2, 3], tolerance=0).only_x == 0
    assert tau_ap([1, 2, 3], [0.1 + 0.2, 0.3, 0.5]).a == tau_ap([1, 2, 3], [0.3, 0.3, 0.5]).a


def test_fieller():
    # golden README, after Chen and Sakai: n = 39; width falls with the level, no width at tau = 1
    one = tau(np.arange(39), np.concatenate([np.arange(20)[::-1], np.arange(20, 39)]))
    half = stats.norm.ppf(0.975) * math.sqrt(0.437 / 35)
    assert one.interval() == pytest.approx((math.tanh(math.atanh(one.b) - half), math.tanh(math.atanh(one.b) + half)))
    assert one.interval(0.8)[0] > one.interval(0.95)[0]
    assert tau(range(9), range(9)).interval() == (1.0, 1.0)
    with pytest.raises(InputError, match="4 values"):
        tau(range(4), [1, 0, 2, 3]).interval()


def literal_tau_ap(reference, estimate):
    """Yilmaz, Aslam and Robertson: of what stands above each item of the estimate, the share that is rightly there."""
    order = sorted(range(len(estimate)), key=lambda i: -estimate[i])
    shares = [
        sum(reference[j] > reference[i] for j in order[:rank]) / rank for rank, i in enumerate(order) if rank
    ]  # rank items stand above
    return 2 * sum(shares) / (len(order) - 1) - 1


def broken(values):
    """Every order that breaks the ties of the values, as scores without ties."""
    groups = [[i for i, v in enumerate(values) if v == level] for level in sorted(set(values))]
    for orders in product(*(list(permutations(group)) for group in groups)):
        scores = {item: place for place, item in enumerate(i for order in orders for i in order)}
        yield [scores[i] for i in range(len(values))]


@settings(max_examples=60)
@given(st.integers(2, 5).flatmap(lambda n: st.tuples(*[st.lists(GRID, min_size=n, max_size=n)] * 2)))
def test_tau_ap_a_is_the_mean_over_broken_ties(pair):
    reference, estimate = pair
    assume(len(set(reference)) > 1 and len(set(estimate)) > 1)
    values = [literal_tau_ap(r, e) for r in broken(reference) for e in broken(estimate)]
    got = tau_ap(reference, estimate)
    assert got.a == pytest.approx(np.mean(values), abs=1e-12)
    assert got.a_swapped == pytest.approx(tau_ap(estimate, reference).a, abs=1e-15)


def literal_tau_ap_b(reference, estimate):
    """Urbano and Marrero: only what stands above the whole group of an item; items of the first group have nothing."""
    shares = []
    for i, own in enumerate(estimate):
        above = [j for j, other in enumerate(estimate) if other > own]
        if above:
            shares.append(sum(reference[j] > reference[i] for j in above) / len(above))
    return 2 * sum(shares) / len(shares) - 1


@given(VECTORS)
def test_tau_ap_b_by_its_definition(pair):
    reference, estimate = pair
    assume(len(set(reference)) > 1 and len(set(estimate)) > 1)
    got = tau_ap(reference, estimate)
    assert got.b_one_way == pytest.approx(literal_tau_ap_b(reference, estimate), abs=1e-12)
    assert got.b == pytest.approx(tau_ap(estimate, reference).b, abs=1e-15)


@given(st.permutations(range(7)), st.permutations(range(7)))
def test_tau_ap_without_ties(reference, estimate):
    got = tau_ap(reference, estimate)
    assert got.a == got.b_one_way == pytest.approx(literal_tau_ap(reference, estimate), abs=1e-12)
    assert tau_ap(reference, [-v for v in reference]).a == -1
    assert tau_ap(reference, reference).a == pytest.approx(1)


def test_split_halves_are_halves():
    x = np.random.default_rng(5).random((9, 6))
    first, second = split_halves(x, resampling=FEW)
    np.testing.assert_allclose((4 * first + 5 * second) / 9, np.broadcast_to(x.mean(axis=0), first.shape), atol=1e-12)
    means = {tuple(np.round(m, 9)) for m in first}
    subsets = [tuple(np.round(x[list(s)].mean(axis=0), 9)) for s in combinations(range(9), 4)]
    assert means <= set(subsets)
    assert len(means) > 100  # 300 of 126 subsets, almost all met


def test_every_topic_is_as_often_in_the_first_half():
    n, trials = 10, 20_000
    first, _ = split_halves(np.eye(n), resampling=Resampling(trials))
    counts = np.rint(first.sum(axis=0) * (n // 2))
    assert abs(counts - trials / 2).max() < 4.5 * math.sqrt(trials) / 2
    together = ((first[:, 0] > 0) & (first[:, 1] > 0)).sum()  # 5/10 * 4/9
    assert together == pytest.approx(trials * 2 / 9, abs=4.5 * math.sqrt(trials * 2 / 9 * 7 / 9))


@pytest.mark.parametrize("seed", range(4))
def test_splits_do_not_depend_on_workers_or_order(seed):
    rng = np.random.default_rng(seed)
    x = rng.random((21, 9)) if seed % 2 else rng.integers(0, 11, (21, 9)) / 10
    first, second = split_halves(x, resampling=FEW)
    topics, systems = rng.permutation(21), rng.permutation(9)
    again = split_halves(x[topics][:, systems], resampling=FEW, workers=1)
    np.testing.assert_array_equal(again.first, first[:, systems])
    np.testing.assert_array_equal(again.second, second[:, systems])
    fewer = split_halves(x, resampling=Resampling(70, seed=7))
    np.testing.assert_array_equal(fewer.first, first[:70])
    one, other = consistency(x, resampling=FEW), consistency(x[topics][:, systems], resampling=FEW, workers=3)
    np.testing.assert_array_equal(one.taus, other.taus)
    np.testing.assert_array_equal(one.taus, taus(first, second))


def test_swap_rates_by_hand():
    # system 0 always leads system 1 by 0.1; system 2 is the first topic's and loses everywhere else
    x = np.array([[0.5, 0.4, 0.9], [0.5, 0.4, 0.0], [0.5, 0.4, 0.0], [0.5, 0.4, 0.0]])
    got = swap_rate(x, resampling=FEW, edges=[0, 0.1, 0.2])
    first, second = split_halves(x, resampling=FEW)
    swaps = sum(
        ((first[:, i] - first[:, j]) * (second[:, i] - second[:, j]) < -1e-12).sum() for i, j in [(0, 2), (1, 2)]
    )
    assert got.swaps.sum() == swaps
    assert got.pairs.sum() == 3 * 300
    assert got.ties.sum() == 0
    assert got.pairs[0] + got.pairs[1] >= 300  # 0.5 - 0.4 is 0.1, whatever doubles say
    assert got.pairs[0] == (np.abs(first[:, [0, 1]] - first[:, [2]]) < 0.1 - 1e-9).sum()
    again = swap_rate(x[::-1], resampling=FEW, edges=[0, 0.1, 0.2], workers=1)
    assert again.swaps.tolist() == got.swaps.tolist()
    assert got.overall == pytest.approx(swaps / 900)


def test_needed_difference():
    rng = np.random.default_rng(1)
    x = rng.random(12) / 5 + rng.normal(0.3, 0.1, (60, 12))
    got = swap_rate(x, resampling=FEW)
    needed = got.needed(0.05)
    assert needed is not None
    assert np.nanmax(got.rates[got.edges >= needed]) <= 0.05
    assert got.needed(-1.0) is None


def test_agreement_rate():
    assert agreement_rate([3, 2, 1, 1], [3, 1, 2, 2]) == pytest.approx((3 + 1) / 6)
    assert agreement_rate([1, 2, 3], [1, 2, 3]) == 1


def test_bootstrap_intervals():
    rng = np.random.default_rng(11)
    quality = np.linspace(0, 0.5, 15)
    x, y = (quality + rng.normal(0, 0.4, (50, 15)) for _ in range(2))
    over = tau_over_topics(x, y, resampling=FEW)
    assert over.lower < over.tau < over.upper
    mixed = rng.permutation(50)
    again = tau_over_topics(x[mixed], y[mixed], resampling=FEW, workers=1)
    assert (again.lower, again.upper) == (over.lower, over.upper)
    np.testing.assert_array_equal(again.taus, over.taus)

    shifted = tau_over_topics(x, y, resampling=FEW, variant="percentile")
    assert over.lower == pytest.approx(2 * over.tau - shifted.upper)
    assert over.upper == pytest.approx(min(1.0, 2 * over.tau - shifted.lower))

    systems = tau_over_systems(x.mean(axis=0), y.mean(axis=0), resampling=FEW)
    assert systems.lower < systems.tau < systems.upper
    assert systems.over == "systems"
    turned = rng.permutation(15)
    assert tau_over_systems(x.mean(axis=0)[turned], y.mean(axis=0)[turned], resampling=FEW).lower == systems.lower


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: tau([1, 2], [1, 2, 3]), "2 and 3 values"),
        (lambda: tau([1, 2], [1, np.nan]), "second vector, system 1: the value is nan"),
        (lambda: tau([1, 1], [1, 2]), "the first vector tie at 1.0"),
        (lambda: tau([1], [1]), "1 system"),
        (lambda: tau([[1, 2]], [[1, 2]]), "more than one axis"),
        (lambda: tau_ap([1, 2, 3], [5, 5, 5]), "the second vector tie"),
        (lambda: taus([[1, 2]], [[1, 2, 3]]), "shapes"),
        (lambda: taus(np.ones((2, 3)), np.ones((4, 3))), "2 and 4 rows"),
        (lambda: taus([1, 2], [1, np.inf]), "row 0, system 1"),
        (lambda: taus([1, 2], [1, 2], variant="c"), "variant='c'"),
        (lambda: consistency(np.eye(30)), "155117520 splits"),
        (lambda: consistency(np.ones((4, 3))), "no split orders"),
        (lambda: consistency([[1, 2]]), "1 topic"),
        (lambda: split_halves([[1], [2]], resampling=FEW), "1 system"),
        (lambda: swap_rate(A, resampling=FEW, edges=[0.2, 0.1]), "edges"),
        (lambda: swap_rate(np.ones((4, 3)), resampling=FEW), "no two systems differ"),
        (lambda: tau_over_topics(A, A[1:], resampling=FEW), "the same topics and systems"),
        (lambda: tau_over_topics(A, A, resampling=FEW, level=95), "level=95"),
        (lambda: tau_over_topics(A, A, resampling=FEW, variant="bca"), "variant='bca'"),
    ],
)
@pytest.mark.filterwarnings("ignore::rankscope.errors.DataWarning")
def test_refused(call, message):
    with pytest.raises(InputError, match=message):
        call()


def test_results_show_themselves():
    shown = [tau(A[0], A[1]), tau_ap(A[0], A[1]), consistency(A), swap_rate(A, resampling=FEW)]
    shown += [tau_over_systems(A[0], A[1], resampling=FEW)]
    for one in shown:
        assert len(str(one).splitlines()) > 1
        assert "<table>" in one._repr_html_()


def test_real_scores_against_scipy(data):
    """TREC-8, 129 systems: AP, P@10 and RR order them as scipy says; split halves as a loop over scipy says."""
    means, matrices = {}, {}
    for name in ("ap", "p10", "rr"):
        with gzip.open(data / "score-matrices" / f"urbano-adhoc8_{name}.csv.gz", "rt") as file:
            matrices[name] = np.genfromtxt(file, delimiter=",", skip_header=1)
        means[name] = matrices[name].mean(axis=0)
    for one, other in combinations(means, 2):
        # P@10 and RR tie on paper where doubles differ: scipy is given rounded means
        expected = stats.kendalltau(means[one].round(10), means[other].round(10)).statistic
        assert tau(means[one], means[other]).b == pytest.approx(expected, abs=1e-12)
    first, second = split_halves(matrices["p10"], resampling=FEW)
    expected = [stats.kendalltau(*pair).statistic for pair in zip(first.round(10), second.round(10), strict=True)]
    np.testing.assert_allclose(taus(first, second), expected, atol=1e-12)


@given(st.integers(0, 2**32), st.integers(3, 8))
def test_tau_ap_without_each_system(seed, systems):
    """Left out one at a time, and everything counted again."""
    rng = np.random.default_rng(seed)
    x, y = rng.integers(0, 4, (2, 5, systems)) / 10
    got = tau_aps_without(x, y)
    for left_out in range(systems):
        rest = np.arange(systems) != left_out
        np.testing.assert_allclose(got[:, left_out], tau_aps(x[:, rest], y[:, rest]), atol=1e-12)


def test_intervals_after_fisher():
    lower, upper = mean_intervals(np.array([[1.0, 1.0, 1.0], [0.5, np.nan, 0.7], [0.5, np.nan, np.nan]]))
    assert (lower[0], upper[0]) == (1, 1)
    # mean 0.6, standard error 0.1, t of one degree of freedom 12.706: atanh(0.6) = ln 2, and 1 - 0.36 below
    half = 12.706204736 * 0.1 / 0.64
    assert (lower[1], upper[1]) == pytest.approx((math.tanh(math.log(2) - half), math.tanh(math.log(2) + half)))
    assert np.isnan([lower[2], upper[2]]).all()
    x, y = np.array([[1.0, 2, 3, 4, 5], [5, 4, 3, 2, 1]]), np.array([[1.0, 2, 3, 4, 5], [1, 2, 3, 5, 4]])
    lower, upper = tau_ap_intervals(x, y)
    assert (lower[0], upper[0]) == (1, 1)
    assert -1 <= lower[1] < tau_aps(x, y)[1] < upper[1] < 1
    with pytest.raises(InputError, match="level is between"):
        mean_intervals(x, level="a")


@pytest.mark.parametrize("level", ["a", None, 95, True])
def test_levels_of_the_wrong_kind(level):
    x, y = [1.0, 2, 3, 4, 5, 6], [1.0, 3, 2, 4, 6, 5]
    matrix = np.random.default_rng(0).random((6, 4))
    for call in (
        lambda: tau(x, y).interval(level),
        lambda: tau_over_systems(x, y, resampling=FEW, level=level),
        lambda: tau_over_topics(matrix, matrix, resampling=FEW, level=level),
        lambda: tukey_hsd(matrix, level=level),
        lambda: t_interval(y, x, level=level),
        lambda: kruskal_wallis(matrix, level=level),
    ):
        with pytest.raises(InputError, match="level is between 0 and 1"):
            call()


def test_chance_of_the_wrong_kind():
    matrix = np.random.default_rng(0).random((6, 4))
    for call in (
        lambda: split_halves(matrix, resampling=20),
        lambda: consistency(matrix, resampling=20),
        lambda: swap_rate(matrix, resampling=20),
        lambda: tau_over_topics(matrix, matrix, resampling=20),
        lambda: randomised_hsd(matrix, resampling=20, exact=False),
    ):
        with pytest.raises(InputError, match=r"resampling=20\n(.|\n)*resampling is a Resampling\(resamples, seed\)"):
            call()
    with pytest.raises(InputError, match="resamples='x'\nseed=-1\n2 problems"):
        Resampling("x", -1)
