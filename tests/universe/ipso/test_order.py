"""IPSO itself, what it leaves free, and the orders of positions: golden values and literal twins."""

import itertools
import json
from fractions import Fraction
from math import comb, sqrt
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from marks import slow

from rankscope import InputError, measure
from rankscope.preferences import LABELS, lexiprecision_of, path
from rankscope.universe import (
    PositionOrders,
    flips,
    freedom,
    hasse,
    order_grid,
    position_orders,
    possible_users,
    separability,
)
from rankscope.universe.ipso.order import universe_of_pairs
from rankscope.universe.ipso.polynomial_roots import roots, sign_at

FOLDER = Path(__file__).parents[2] / "golden"
GOLDEN = {entry["id"]: entry for entry in json.loads((FOLDER / "ipso.json").read_text())["entries"]}
FERRANTE = {entry["id"]: entry for entry in json.loads((FOLDER / "ferrante.json").read_text())["entries"]}
LEXI = {entry["id"]: entry for entry in json.loads((FOLDER / "lexi.json").read_text())["entries"]}


def no_worse(a, b):
    """At least as much gain down to every rank."""
    return all(sum(a[: i + 1]) >= sum(b[: i + 1]) for i in range(len(a)))


def no_worse_at_thresholds(a, b):
    """At least as many documents of at least every grade, down to every rank."""
    return all(no_worse([x >= g for x in a], [x >= g for x in b]) for g in range(1, max(*a, *b) + 1))


def binary(k):
    return ["".join(row) for row in itertools.product("01", repeat=k)]


def digits(text):
    return [int(c) for c in text]


# Figure 1


def test_figure_1():
    """One arrow for each neighbour; 100 and 011 are the only two without a way between them."""
    arrows = hasse(3).columns()
    assert set(zip(arrows["upper"], arrows["lower"], strict=True)) == {
        ("111", "110"), ("110", "101"), ("101", "100"), ("101", "011"), ("100", "010"), ("011", "010"),
        ("010", "001"), ("001", "000"),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("k", "gains"), [(4, [0, 1]), (3, [0, 1, 2]), (2, [0, 0.2, 0.8, 1]), (3, [0, 1, 3]), (1, [0, 1])], ids=str
)
def test_covering_relations_by_definition(k, gains):
    exact = [Fraction(str(g)) for g in gains]
    rows = list(itertools.product(range(len(gains)), repeat=k))
    lists = {"".join(map(str, row)): [exact[g] for g in row] for row in rows}
    below = {(a, b) for a in lists for b in lists if a != b and no_worse(lists[a], lists[b])}
    covers = {(a, b) for a, b in below if not any((a, c) in below and (c, b) in below for c in lists)}
    found = hasse(k, gains=gains)
    arrows = found.columns()
    assert set(zip(arrows["upper"], arrows["lower"], strict=True)) == covers
    heights = dict(zip(found.nodes()["ranking"], found.nodes()["height"], strict=True))
    assert all(heights[a] > heights[b] for a, b in below)
    assert all(h == 0 or h == 1 + max(heights[b] for a, b in covers if a == name) for name, h in heights.items())


@pytest.mark.parametrize(("k", "grades"), [(3, 2), (2, 3), (4, 2)])
def test_covering_relations_by_thresholds(k, grades):
    rows = {"".join(map(str, row)): row for row in itertools.product(range(grades + 1), repeat=k)}
    below = {(a, b) for a in rows for b in rows if a != b and no_worse_at_thresholds(rows[a], rows[b])}
    covers = {(a, b) for a, b in below if not any((a, c) in below and (c, b) in below for c in rows)}
    found = hasse(k, grades=grades)
    arrows = found.columns()
    assert set(zip(arrows["upper"], arrows["lower"], strict=True)) == covers
    assert "\nIPSO by grade thresholds.\n" in str(found)
    assert found.to_dict()["gains"] == "thresholds"


@pytest.mark.parametrize(("k", "grades"), [(2, 2), (3, 2), (4, 2), (3, 3), (4, 3), (2, 4)])
def test_thresholds_are_the_closure_of_the_two_rules(k, grades):
    """Rule 1: a document becomes more relevant. Rule 2: a more relevant one changes places with one above it."""
    rows = list(itertools.product(range(grades + 1), repeat=k))
    at = {row: i for i, row in enumerate(rows)}
    reached = np.eye(len(rows), dtype=bool)
    for row in rows:
        for i in range(k):
            better = [(*row[:i], g, *row[i + 1 :]) for g in range(row[i] + 1, grades + 1)]
            for j in range(i + 1, k):
                if row[j] > row[i]:
                    better.append((*row[:i], row[j], *row[i + 1 : j], row[i], *row[j + 1 :]))
            for one in better:
                reached[at[one], at[row]] = True
    for middle in range(len(rows)):  # Warshall
        reached |= reached[:, middle, None] & reached[middle]
    rankings, worth = universe_of_pairs(k, grades, "thresholds")
    np.testing.assert_array_equal(worth.no_worse(rankings.level), reached)


@pytest.mark.parametrize("k", [4, 6, 8])
def test_steps_of_single_units_are_the_arrows(k):
    """For binary rankings: a relevant document moved up one rank, or added at the last."""
    steps = set()
    for a in binary(k):
        if a.endswith("0"):
            steps.add((a[:-1] + "1", a))
        steps |= {(a[:i] + "10" + a[i + 2 :], a) for i in range(k - 1) if a[i : i + 2] == "01"}
    arrows = hasse(k).columns()
    assert set(zip(arrows["upper"], arrows["lower"], strict=True)) == steps


def test_hasse_shows_itself_and_refuses():
    found = hasse(3)
    assert found.to_frame().columns == ["upper", "lower"]
    assert found.to_dict()["nodes"]["relevant"] == [0, 1, 1, 2, 1, 2, 2, 3]
    assert "<td" in found._repr_html_()
    with pytest.raises(InputError, match="k = 12 where relevance is binary"):
        hasse(13)
    with pytest.raises(InputError, match="make rankings equal"):
        hasse(2, gains=[0, 0, 1])


# Figures 2 and 3


def test_figure_2():
    entry = GOLDEN["fig2_grid"]
    found = order_grid(entry["inputs"]["k"])
    assert found.names == (entry["inputs"]["rows"], entry["inputs"]["columns"])
    assert found.to_dict()["cells"] == entry["expected"]["cells"]
    counts = entry["expected"]["counts"]
    assert found.counts == {"==": counts["equal"], "ni": counts["ni"], "ns": counts["ns"], "**": counts["nonsep"]}


PANES = {"a_rbp5_rbp5": ("RBP(p=0.5)",) * 2, "b_rbp5_ndcg": ("RBP(p=0.5)", "nDCG"),
         "c_ap_rbp5": ("AP", "RBP(p=0.5)"), "d_ap_ndcg": ("AP", "nDCG")}  # fmt: skip


@pytest.mark.parametrize("pane", PANES)
@pytest.mark.parametrize("entry", ["fig3_tau_k6", "fig3_tau_k6_printed"])
def test_figure_3(entry, pane):
    found = order_grid(6, *PANES[pane])
    assert found.tau == pytest.approx(GOLDEN[entry]["expected"][pane], abs=GOLDEN[entry]["tolerance"])
    assert found.counts["**"] == separability(6).counts[0].non_separable


def test_figure_3_tau_b():
    entry = GOLDEN["fig3_tau_b_k6"]
    for name, expected in entry["expected"].items():
        pane = next(measures for pane, measures in PANES.items() if pane.endswith(name))
        assert order_grid(6, *pane).tau_b == pytest.approx(expected, abs=entry["tolerance"])


def test_grid_one_cell_at_a_time():
    found = order_grid(4, "AP", "P")
    columns = found.columns()
    for a, b, label in zip(columns["row"], columns["column"], columns["class"], strict=True):
        assert LABELS[path(digits(a), digits(b))[-1]] == label
    for names, name in zip(found.names, ("AP@4", "P@4"), strict=True):
        scores = [measure(name).score(digits(one), [0] * 4 + [1] * 4) for one in names]
        assert scores == sorted(scores, reverse=True)


def test_graded_grid():
    by_thresholds = order_grid(3, "gRBP(p=0.5)", "AP", grades=2)
    assert by_thresholds.counts["**"] == separability(3, grades=2).counts[0].non_separable
    columns = by_thresholds.columns()
    for a, b, label in zip(columns["row"], columns["column"], columns["class"], strict=True):
        ahead, behind = no_worse_at_thresholds(digits(a), digits(b)), no_worse_at_thresholds(digits(b), digits(a))
        assert label == {(1, 1): "==", (1, 0): "ni", (0, 1): "ns", (0, 0): "**"}[ahead, behind]
    assert "classes by grade thresholds" in str(by_thresholds)
    found = order_grid(2, "gRBP(p=0.5)", grades=3, gains=[0, 0.1, 0.2, 0.3])
    assert found.counts["**"] == separability(2, gains=[0, 0.1, 0.2, 0.3]).counts[0].non_separable
    assert found.to_frame().height == 256
    assert "tau" in str(order_grid(7))
    assert "cells" in str(order_grid(7))


@pytest.mark.parametrize("gains", ["thresholds", *slow([0, 1, 2, 3], [0, 0.2, 0.8, 1])])
def test_all_pairs_of_six_graded_documents(gains):
    """16.7 million ordered pairs, against the dynamic programme."""
    rankings, worth = universe_of_pairs(6, 3, gains)
    above = worth.no_worse(rankings.level)
    both = int((above & above.T).sum())
    counts = separability(6, grades=3, gains=gains).counts[0]
    assert counts == (both, int(above.sum()) - both, int(above.sum()) - both, int((~above & ~above.T).sum()))


# Table 1

NAMES = {
    "Prec@3": "P@3", "RBP(0.8)@3": "RBP(p=0.8)@3", "AP@3": "AP@3", "NDCG@3": "nDCG@3", "Succ@3": "Success@3",
    "RBP((sqrt(5)-1)/2)@3": f"RBP(p={(sqrt(5) - 1) / 2!r})@3", "RR@3": "RR@3", "RBP(0.5)@3": "RBP(p=0.5)@3",
}  # fmt: skip


def test_table_1():
    expected = GOLDEN["table1"]["expected"]
    found = freedom(list(NAMES.values()), 3)
    signs = dict(zip(found.measures, found.sign[:, 0].tolist(), strict=True))
    for side, sign in (("less", 1), ("equal", 0), ("greater", -1)):
        assert [NAMES[name] for name in expected[side]] == [name for name, one in signs.items() if one == sign]
    assert ["".join(map(str, row)) for row in (found.first[0], found.second[0])] == ["100", "011"]


def test_table_1_scores():
    entry = GOLDEN["table1"]
    ours = dict(zip(["Prec", "RBP8", "AP", "NDCG", "Succ", "RBPphi", "RR", "RBP5"], NAMES.values(), strict=True))
    for ranking, scores in (("100", "scores_S1"), ("011", "scores_S2")):
        for name, expected in entry["expected"][scores].items():
            found = measure(ours[name]).score(digits(ranking), [0, 0, 0, 1, 1, 1])
            assert found == pytest.approx(expected, abs=entry["tolerance"])


def test_freedom_of_all_pairs_one_by_one():
    k, names = 5, ["P", "AP", "RBP(p=0.8)", "nDCG", "RR"]
    found = freedom(names, k)
    pairs = [
        (a, b)
        for b, a in itertools.combinations(binary(k), 2)
        if not no_worse(digits(a), digits(b)) and not no_worse(digits(b), digits(a))
    ]
    columns = found.columns()
    assert set(zip(columns["first"], columns["second"], strict=True)) == set(pairs)
    assert len(found.first) == len(pairs) == separability(k).counts[0].non_separable // 2
    for a, b, name, sign in zip(*columns.values(), strict=True):
        one, other = (measure(name).score(digits(x), [0] * k + [1] * k) for x in (a, b))
        assert sign == (0 if abs(one - other) < 1e-12 else np.sign(other - one))
    assert found.disputed.sum() == sum(
        {1, -1} <= set(found.sign[:, j].tolist()) for j in range(len(pairs))
    )  # fmt: skip
    assert sum(map(sum, zip(*list(found.counts().values())[1:], strict=True))) == len(names) * len(pairs)
    assert "ordered both ways" in str(found)


def test_freedom_of_graded_rankings():
    """Pairs that sums of grades would call decided are left free, and measures order some of them both ways."""
    found = freedom(["AP", "gRBP(p=0.5)", "RBP_max"], 3, grades=2)
    rows = list(itertools.product(range(3), repeat=3))
    free = [(a, b) for b, a in itertools.combinations(rows, 2)
            if not no_worse_at_thresholds(a, b) and not no_worse_at_thresholds(b, a)]  # fmt: skip
    pairs = zip(found.first.tolist(), found.second.tolist(), strict=True)
    assert sorted((tuple(a), tuple(b)) for a, b in pairs) == sorted(free)
    decided_by_sums = [no_worse(a, b) or no_worse(b, a) for a, b in zip(found.first, found.second, strict=True)]
    assert np.array(decided_by_sums)[found.disputed].any()
    assert "77 non-separable pairs by grade thresholds" in str(found)
    assert len(freedom("AP", 3, grades=2, gains="linear").first) == 47


def test_no_freedom_on_separable_pairs():
    """A measure that follows the rules orders them as IPSO does, at any length."""
    rng = np.random.default_rng(3)
    for _ in range(20):
        a, b = rng.integers(0, 2, (2, 40))
        kind = LABELS[path(a, b)[-1]]
        scores = [[measure(f"{name}@40").score(x, [0] * 40 + [1] * 40) for x in (a, b)]
                  for name in ("RBP(p=0.9)", "P", "AP", "nDCG")]  # fmt: skip
        assert kind == "**" or all(second <= first for first, second in scores) == (kind in ("ni", "=="))


def test_freedom_bad_input():
    with pytest.raises(InputError, match="no measure is given"):
        freedom([], 3)
    with np.errstate(all="ignore"), pytest.raises(InputError, match="has no score"):
        freedom(_undefined(), 2)


def _undefined():
    from dataclasses import replace

    return replace(measure("AP"), name="Odd", kernel=lambda relevant, total: relevant[..., 0] / 0.0, exact=None)


# Persistence


def test_golden_ratio():
    found = flips("100", "011")
    assert found.roots == found.flips == ((sqrt(5) - 1) / 2,)
    assert found.preferred == (-1, 1)
    assert found.innate == "non-separable from"


def test_threshold_of_ferrante():
    """Section 4.3 of Ferrante et al.: the root of p^3 + 2p = 1, printed 0.454."""
    inputs = FERRANTE["sec43_counterexample"]["inputs"]
    (root,) = flips(inputs["s"], inputs["r"]).flips
    assert root == pytest.approx(FERRANTE["sec43_counterexample"]["expected"]["gRBP_threshold"], abs=1e-14)
    assert root == pytest.approx(FERRANTE["sec43_threshold_printed"]["expected"]["p"], abs=0.001)


def sturm(coefficients, low, high):
    """How many different roots lie in (low, high], by Sturm's chain in fractions."""

    def trimmed(p):
        while p and p[-1] == 0:
            p = p[:-1]
        return p

    chain = [trimmed([Fraction(c) for c in coefficients])]
    chain.append(trimmed([i * c for i, c in enumerate(chain[0])][1:]))
    while chain[-1]:
        rest = chain[-2]
        while len(rest) >= len(chain[-1]):
            factor, offset = rest[-1] / chain[-1][-1], len(rest) - len(chain[-1])
            rest = trimmed([c - (factor * chain[-1][i - offset] if i >= offset else 0) for i, c in enumerate(rest)])
        chain.append([-c for c in rest])

    def changes(x):
        signs = [s for p in chain[:-1] if (s := sign_at(p, Fraction(x)))]
        return sum(a != b for a, b in itertools.pairwise(signs))

    return changes(low) - changes(high)


@settings(max_examples=300)
@given(st.lists(st.integers(-3, 3), min_size=1, max_size=9).filter(any))
def test_roots_against_sturm(coefficients):
    """As many roots as Sturm counts, each within half a unit in the last place."""
    found = roots(coefficients)
    lowest = next(i for i, c in enumerate(coefficients) if c)
    inner = coefficients[lowest:]
    while sum(inner) == 0:  # Sturm needs ends that are no roots
        inner = [int(c) for c in np.polydiv(inner[::-1], [1, -1])[0][::-1].round()]
    assert len(found) == (sturm(inner, 0, 1) if len(inner) > 1 else 0)
    ends = [Fraction(0), *(Fraction(root.nearest) for root in found), Fraction(1)]
    for i, root in enumerate(found):
        ulp = Fraction(np.nextafter(root.nearest, 1)) - Fraction(root.nearest)
        low, high = Fraction(root.nearest) - ulp / 2, Fraction(root.nearest) + ulp / 2
        assert sign_at(inner, low) == 0 or sign_at(inner, high) == 0 or sturm(inner, low, high) == 1
        below, above = (sign_at(inner, (ends[j] + ends[j + 1]) / 2) for j in (i, i + 1))
        assert root.crosses == (below != above)


@pytest.mark.parametrize(
    ("coefficients", "expected"),
    [
        ([1, -2], [(0.5, True)]),
        ([1, -4, 4], [(0.5, False)]),
        ([-1, 6, -12, 8], [(0.5, True)]),
        ([-1, 6, -11, 6], [(1 / 3, True), (0.5, True)]),
        ([3, -21, 34, -16], [((9 - sqrt(33)) / 16, True), ((9 + sqrt(33)) / 16, True)]),  # (x - 1)(-16x^2 + 18x - 3)
        ([0, 0, 1], []),
        ([0], []),
        ([1, -1], []),
        ([1, -8, 16, 0, 0], [(0.25, False)]),
    ],
)
def test_roots_by_hand(coefficients, expected):
    assert [(root.nearest, root.crosses) for root in roots(coefficients)] == [
        (pytest.approx(x, rel=1e-15), crosses) for x, crosses in expected
    ]


@settings(max_examples=60)
@given(st.integers(1, 9).flatmap(lambda k: st.tuples(*[st.lists(st.integers(0, 2), min_size=k, max_size=k)] * 2)))
def test_flips_say_what_rbp_does(pair):
    """Between the roots RBP prefers what is said, and separable pairs never flip."""
    a, b = pair
    found = flips(a, b)
    for low, high, preferred in zip(*found.columns().values(), strict=True):
        p = (Fraction(low) + Fraction(high)) / 2
        one, other = (sum(g * p**i for i, g in enumerate(x)) for x in (a, b))
        assert preferred == (one < other) - (one > other)
    if found.innate != "non-separable from":
        assert found.flips == ()


def test_flips_of_long_lists():
    rng = np.random.default_rng(1)
    rng.integers(0, 2, 140)
    a, b = rng.integers(0, 2, 100), rng.integers(0, 2, 100)
    found = flips(a, b)
    assert found.roots == pytest.approx((0.6328954008213626, 0.8751650104239126, 0.9707792993520341), rel=1e-15)
    dense = np.linspace(0.001, 0.999, 20001)
    signs = np.sign(np.polyval((a - b)[::-1], dense))
    assert np.count_nonzero(np.diff(signs)) == 3


def test_flips_show_themselves():
    found = flips([0.1, 0.2, 0], [0, 0, 0.3])
    assert str(found).startswith("0.1,0.2,0 is non-inferior to 0,0,0.3")
    assert flips("100", "011").to_frame()["to"].to_list() == [(sqrt(5) - 1) / 2, 1.0]
    assert json.loads(json.dumps(flips("10", "10").to_dict()))["stretches"]["preferred"] == [0]
    with pytest.raises(InputError, match="1 to 1000 gains"):
        flips([[1, 0]], [[0, 1]])
    with pytest.raises(InputError, match="equally long"):
        flips("1", "11")


# Figure 1 of Diaz (2023)


@pytest.mark.parametrize(("n", "m"), [(12, 5), (7, 1), (6, 6), (9, 3)])
def test_positions_one_by_one(n, m):
    found = PositionOrders(n, m)
    every = list(itertools.combinations(range(1, n + 1), m))  # lexicographic: the best first
    assert found.lexiprecision_places == len(every)
    assert [found.positions(i) for i in range(len(every))] == every
    assert found.positions(-1) == every[-1]
    assert [found.tied(p) for p in range(1, n - m + 2)] == [
        sum(row[0] == p for row in every) for p in range(1, n - m + 2)
    ]
    assert found.rr_places == len({row[0] for row in every})
    assert found.to_frame()["rr_place"].to_list() == [row[0] - 1 for row in every]


def test_places_are_lexiprecision():
    """A better place is what sgnLP prefers."""
    found = PositionOrders(6, 3)
    for a, b in itertools.combinations(range(found.lexiprecision_places), 2):
        one, other = (np.isin(np.arange(1, 7), found.positions(i)).astype(int) for i in (a, b))
        assert lexiprecision_of(one, other).sign.tolist() == [-1]


def test_figure_1_of_lexiprecision():
    """n - 4 places for m = 5, and the ends of both columns as they are drawn."""
    entry = LEXI["rl1_value_count"]
    counted = PositionOrders(entry["inputs"]["n"], entry["inputs"]["m"])
    assert counted.rr_places == entry["expected"]["distinct_p1"]
    assert counted.lexiprecision_places == entry["expected"]["distinct_position_vectors"]
    n = 50_000
    found = position_orders(n, 5)
    assert found.rr_places == n - 4
    assert found.positions(0) == (1, 2, 3, 4, 5)
    assert found.positions(comb(n - 1, 4) - 1) == (1, n - 3, n - 2, n - 1, n)
    assert found.positions(comb(n - 1, 4)) == (2, 3, 4, 5, 6)
    assert found.positions(-2) == (n - 5, n - 3, n - 2, n - 1, n)
    assert found.positions(-1) == (n - 4, n - 3, n - 2, n - 1, n)
    assert str(found).splitlines()[1].split() == ["(1,*,*,*,*)", str(comb(n - 1, 4)), "(1,2,3,4,5)"]
    assert found.to_dict()["lexiprecision_places"] == str(comb(n, 5))


def test_positions_bad_input():
    for n, m in ((3, 4), (0, 0), (5, True), (10**6, 2)):
        with pytest.raises(InputError, match=r"(relevant|documents) is a whole number from 1 to"):
            PositionOrders(n, m)
    with pytest.raises(InputError, match="place is a whole number from -10 to 9"):
        PositionOrders(5, 2).positions(10)
    with pytest.raises(InputError, match="more than 1000"):
        PositionOrders(100, 5).columns()


def _to_each_user(positions):
    """What a ranking is worth to the user of every non-empty set of its relevant documents, the best served first."""
    m = len(positions)
    sets = [chosen for size in range(1, m + 1) for chosen in itertools.combinations(positions, size)]
    assert len(sets) == 2**m - 1
    return sorted((Fraction(1, min(chosen)) for chosen in sets), reverse=True)


@pytest.mark.parametrize("sizes", [(5, 1), (6, 2), *slow((7, 3), (7, 4)), (6, 6)])
def test_possible_users_by_all_sets(sizes):
    n, m = sizes
    """Section 3.4 of Diaz: the first difference over 2^m - 1 users is the one that lexiprecision finds."""
    arrangements = list(itertools.combinations(range(1, n + 1), m))
    for p, q in itertools.product(arrangements, repeat=2):
        found = possible_users(p, q)
        one, other = _to_each_user(p), _to_each_user(q)
        assert found.utilities() == (one, other)
        gap = next(((user, b - a) for user, (a, b) in enumerate(zip(one, other, strict=True), 1) if a != b), None)
        decided = found.decided
        assert (decided and (decided[0], decided[2])) == gap
        gains = np.array([[rank in ranks for rank in range(1, n + 1)] for ranks in (p, q)], np.int64)
        lexi = lexiprecision_of(*gains)
        assert float(lexi.difference[0]) == pytest.approx(float(gap[1]) if gap else 0.0)
        assert int(lexi.level[0]) == (decided[1] if decided else 0)


def test_possible_users_of_other_input():
    for first, second, cause in [
        ((2, 1), (1, 2), r"positions=\[2, 1\]"), ((), (), r"positions=\[\]"), ((0, 1), (1, 2), r"positions=\[0, 1\]"),
        ((1, 2), (1,), "2 and 1 relevant documents"), (range(1, 18), range(1, 18), "give 1 to 16 rising ranks"),
    ]:  # fmt: skip
        with pytest.raises(InputError, match=cause):
            possible_users(first, second)
    found = possible_users((1, 3), (2, 3))
    assert found.to_frame().columns == ["user", "level", "first", "second", "difference"]
    assert found.to_dict()["difference"] == [-0.5, -0.5, 0.0]
