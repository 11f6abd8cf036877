"""Lexiprecision, lexirecall and recall-paired preference: golden pairs, literal twins, bounds of cut lists."""

import json
from fractions import Fraction
from itertools import combinations
from math import log2
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankscope as rs
from rankscope.errors import DataWarning, InputError
from rankscope.preferences import (
    LABELS,
    ipso_of,
    lexiprecision_of,
    lexirecall_of,
    rpp_of,
)

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "lexi.json").read_text())["entries"]
WEIGHTS = {"uniform": lambda i: Fraction(1), "inverse": lambda i: Fraction(1, i), "dcg": lambda i: 1 / log2(i + 1)}


def gains_at(ranks, depth):
    return [int(i + 1 in ranks) for i in range(depth)]


UNIVERSE = {"tie_probability", "eq1", "counts"}  # over all possible rankings: another room's


def test_every_kind_of_golden_entry_is_known():
    assert {e["kind"] for e in GOLDEN} == {"pair", "printed"} | UNIVERSE


@pytest.mark.parametrize("entry", [pytest.param(e, id=e["id"]) for e in GOLDEN if e["kind"] == "pair"])
def test_golden_pairs(entry):
    p, q, m = (entry["inputs"][k] for k in ("p", "p_prime", "m"))
    # the paper's preferences are positive for its first ranking, pi; ours for the second: signs are turned here
    expected, near = entry["expected"], {"abs": entry["tolerance"]}
    depth = max([*p, *q, 1])
    a, b = gains_at(p, depth), gains_at(q, depth)
    got = lexiprecision_of(a, b, total=m)
    assert got.sign.tolist() == [-expected["sgnLP"]]
    assert got.level.tolist() == [expected["i_star"] or 0]
    assert got.difference.tolist() == pytest.approx([-expected["rrLP"]], **near)
    for side, name in enumerate(("", "_prime")):
        assert got.reciprocal_ranks[side][0].tolist() == pytest.approx(expected[f"RR_i{name}"], **near)
        lengths = [None if x != x else x for x in got.search_lengths[side][0].tolist()]
        assert lengths == expected[f"ESL_i{name}"]
    assert lexirecall_of(a, b, total=m).sign.tolist() == [-expected["sgnLR"]]
    for weights, name in (("uniform", "RPP"), ("inverse", "RPP_inverse"), ("dcg", "RPP_dcg")):
        assert rpp_of(a, b, total=m, weights=weights).value.tolist() == pytest.approx([-expected[name]], **near)
    other = lexiprecision_of(b, a, total=m)
    assert (other.sign == -got.sign).all()
    assert (other.difference == -got.difference).all()


@pytest.mark.parametrize("entry", [pytest.param(e, id=e["id"]) for e in GOLDEN if e["kind"] == "printed"])
def test_golden_figure_4(entry):
    """The paper prints what is positive for the second of the two rankings."""
    given, expected, near = entry["inputs"], entry["expected"], {"abs": entry["tolerance"]}
    p, q = ([{"n": 1000, "n-1": 999}.get(x, x) for x in given[side]] for side in ("p", "p_prime"))
    got = lexiprecision_of(gains_at(p, 1000), gains_at(q, 1000), total=given["m"])
    assert got.sign[0] == expected["sgnLP_as_printed"]
    assert got.difference[0] == pytest.approx(expected["rrLP_as_printed"], **near)
    for sides, name in ((got.reciprocal_ranks, "delta_RR1"), (got.search_lengths, "delta_ESL1")):
        assert sides[1][0, 0] - sides[0][0, 0] == expected[name]


# ---- literal twins --------------------------------------------------------------------------------

NEVER = float("inf")


def positions(relevant, total):
    found = [i + 1 for i, r in enumerate(relevant) if r]
    return found + [NEVER] * (total - len(found))


def sign(p, q):
    """1 where the second is earlier."""
    return (p > q) - (p < q)


def literal_lexi(p, q, *, last=False):
    levels = list(enumerate(zip(p, q, strict=True), 1))
    for i, (x, y) in reversed(levels) if last else levels:
        if x != y:
            return sign(x, y), i, (1 / y if y < NEVER else 0) - (1 / x if x < NEVER else 0)
    return 0, 0, 0


def literal_rpp(p, q, weights):
    total = sum(WEIGHTS[weights](i + 1) for i in range(len(p)))
    return sum(WEIGHTS[weights](i + 1) * sign(x, y) for i, (x, y) in enumerate(zip(p, q, strict=True))) / (total or 1)


@st.composite
def topics(draw, grades=(0, 1), depth=9):
    n = draw(st.integers(1, depth))
    a, b = (draw(st.lists(st.sampled_from(grades), min_size=n, max_size=n)) for _ in range(2))
    return a, b, draw(st.integers(0, 3))


@given(topics())
def test_twins(topic):
    a, b, more = topic
    m = max(sum(a), sum(b)) + more
    p, q = positions(a, m), positions(b, m)
    for got, last in ((lexiprecision_of(a, b, total=m), False), (lexirecall_of(a, b, total=m), True)):
        expected, level, difference = literal_lexi(p, q, last=last)
        assert (got.sign[0], got.level[0]) == (expected, level)
        assert got.difference[0] == pytest.approx(difference, abs=1e-15)
    for weights in WEIGHTS:
        expected = float(literal_rpp(p, q, weights))
        got = rpp_of(a, b, total=m, weights=weights).value[0]
        assert got == pytest.approx(expected, abs=1e-12)
        if weights != "dcg":
            assert np.sign(got) == np.sign(literal_rpp(p, q, weights))  # ties of fractions are ties
    # dominance over recall levels is IPSO of the whole lists
    assert lexiprecision_of(a, b, total=m).dominance[0] == ipso_of(a, b).outcome[0]


def test_weights_that_cancel_are_a_tie():
    # levels 2, 3 and 6 of 6 with weights 1/2 - 1/3 - 1/6; the others tie
    p, q = [1, 3, 6, 8, 9, 12], [1, 4, 5, 8, 9, 11]
    got = rpp_of(gains_at(p, 12), gains_at(q, 12), total=6, weights="inverse")
    assert got.value.tolist() == [0.0]


@given(topics())
def test_what_lexicographic_preferences_never_do(topic):
    a, b, _ = topic
    precision, recall = lexiprecision_of(a, b), lexirecall_of(a, b)
    rr = [float(rs.measure("RR").score(x, [1.0] * 10 + [0.0] * 10)) for x in (a, b)]
    if rr[0] != rr[1]:
        assert precision.sign[0] == np.sign(rr[1] - rr[0])
        assert precision.difference[0] == pytest.approx(rr[1] - rr[0])
    if sum(a) != sum(b):
        assert recall.sign[0] == np.sign(sum(b) - sum(a))
    assert (precision.sign[0] == 0) == (a == b) == (recall.sign[0] == 0)


@given(topics((0, 1, 2, 3)), st.sampled_from(list(WEIGHTS)))
def test_graded_preferences(topic, weights):
    a, b, more = topic
    totals = {g: max(sum(x >= g for x in side) for side in (a, b)) + more for g in (1, 2, 3)}
    each = {
        g: literal_rpp(positions([x >= g for x in a], n), positions([x >= g for x in b], n), weights)
        for g, n in totals.items()
    }
    expected = sum(n * each[g] for g, n in totals.items()) / (sum(totals.values()) or 1)
    got = rpp_of(a, b, weights=weights, total=totals, graded=True)
    assert got.value[0] == pytest.approx(float(expected), abs=1e-12)


def test_grades_are_not_forgotten():
    # the same ranks, other grades: a binary comparison ties, the graded one does not
    judged = rs.load({"t": {"x": 2, "y": 1, "n": 0}}, {"a": {"t": ["x", "n", "y"]}, "b": {"t": ["y", "n", "x"]}})
    assert rs.rpp(judged, "a", "b").value.tolist() == [0.0]
    got = rs.rpp(judged, "a", "b", graded=True)  # grade 1: two ties; grade 2: one win of a; 1 of 3 levels
    assert got.value.tolist() == pytest.approx([-1 / 3])
    assert got.relevant == "relevant from grade 1, graded by thresholds 1, 2"


# ---- lists that were cut --------------------------------------------------------------------------


def continuations(relevant, total, room):
    """Positions for every way to place the unretrieved documents in `room` further ranks, or never."""
    found = [i + 1 for i, r in enumerate(relevant) if r]
    for count in range(total - len(found) + 1):
        for more in combinations(range(len(relevant) + 1, len(relevant) + room + 1), count):
            yield found + list(more) + [NEVER] * (total - len(found) - count)


@settings(max_examples=60)
@given(topics(depth=4))
def test_bounds_are_those_of_all_continuations(topic):
    a, b, more = topic
    m = max(sum(a), sum(b)) + min(more, 2)
    ways = [(p, q) for p in continuations(a, m, m + 1) for q in continuations(b, m, m + 1)]
    for got, last in ((lexiprecision_of(a, b, total=m), False), (lexirecall_of(a, b, total=m), True)):
        signs = [literal_lexi(p, q, last=last)[0] for p, q in ways]
        assert (got.lowest[0], got.highest[0]) == (min(signs), max(signs))
    for weights in WEIGHTS:
        values = [float(literal_rpp(p, q, weights)) for p, q in ways]
        got = rpp_of(a, b, total=m, weights=weights)
        assert got.lowest[0] == pytest.approx(min(values), abs=1e-12)
        assert got.highest[0] == pytest.approx(max(values), abs=1e-12)


def test_a_short_list_against_a_long_one():
    judged = rs.load({"t": {"r": 1, "s": 1}}, {"a": {"t": ["r"]}, "b": {"t": ["n", "m", "r", "o", "s"]}})
    got = rs.lexirecall(judged, "a", "b")
    assert (got.sign[0], got.lowest[0], got.highest[0]) == (1, -1, 1)  # s could be a's second document
    assert "1 of 1 verdicts could change" in str(got)
    levels = got.by_level()
    assert levels["ESL_a"].to_list() == [1, None]
    assert levels["RR_b"].to_list() == pytest.approx([1 / 3, 1 / 5])
    assert got.to_frame().columns == [
        "topic",
        "sign",
        "favours",
        "level",
        "difference",
        "lowest",
        "highest",
        "dominance",
    ]
    assert LABELS[int(got.dominance[0])] == "**"


# ---- collections ----------------------------------------------------------------------------------

QRELS = {"1": {"a": 1, "b": 2}, "2": {"a": 2}, "3": {"x": 0}}
RUNS = {"one": {"1": ["a", "b"], "2": ["u", "a"], "3": ["x"]}, "other": {"1": ["b", "u"]}}


def test_a_collection_by_hand():
    with pytest.warns(DataWarning):
        judged = rs.load(QRELS, RUNS)
    with pytest.warns(DataWarning, match="left out: 1 of 3"):
        got = rs.lexiprecision(judged, "one", "other")
    assert got.topics == ("1", "2")
    assert got.sign.tolist() == [-1, -1]
    assert got.columns()["favours"] == ["one", "one"]
    assert got.level.tolist() == [2, 1]
    assert got.difference.tolist() == [-0.5, -0.5]
    with pytest.warns(DataWarning):
        value = rs.rpp(judged, "one", "other").value
    assert value.tolist() == [-0.5, -1.0]
    with pytest.warns(DataWarning):
        got = rs.rpp(judged, "one", "other", rel=2)
    assert got.value.tolist() == [1.0, -1.0]
    assert got.columns()["favours"] == ["other", "one"]


@pytest.mark.filterwarnings("ignore::rankscope.errors.DataWarning")
@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda j: rs.lexiprecision(j, "one", "othr"), "did you mean other"),
        (lambda j: rs.lexirecall(j, "one", "other", depth=9), "beyond what was loaded"),
        (lambda j: rs.rpp(j, "one", "other", weights="log"), "one of uniform, inverse, dcg"),
        (lambda j: rs.rpp(j, "one", "other", rel="2"), "rel is a number"),
        (lambda j: lexiprecision_of([1, 0], [1, 0, 1]), "equally long"),
        (lambda j: rpp_of([1, 1], [1, 0], total=1), "total is 1"),
        (lambda j: lexiprecision_of([1, 0], [0, 0], total=1.5), "total is a whole number"),
        (lambda j: lexiprecision_of([1, 0], [0, 0], total=[1, 2]), "total is a whole number"),
        (lambda j: rpp_of([1, 2], [0, 1], graded=True, total=3), "total is a map"),
        (lambda j: rpp_of([1, 2], [0, 1], graded=True, total={0: 3}), "above 0"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(InputError, match=message):
        call(rs.load(QRELS, RUNS))


def test_thresholds_between_gains_are_their_own():
    # from 0.1 on: 1 v 2, of 3; from 0.25 on: 1 v -, of 2; from 0.3 on: 1 v -, of 1: (1 + 1 + 1) / (3 + 2 + 1)
    got = rpp_of([0.3, 0], [0, 0.1], graded=True, total={0.1: 3, 0.25: 2, 0.3: 1})
    assert got.value.tolist() == [-0.5]


def test_weights_of_very_many_documents():
    """Sums of whole weights would not fit eight bytes: a share of nearly nothing is for a."""
    got = rpp_of([1, 0], [0, 1], total=200_000, weights="dcg")
    assert -got.value[0] == pytest.approx(1 / sum(1 / log2(i + 1) for i in range(1, 200_001)), rel=1e-9)
