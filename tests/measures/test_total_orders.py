"""Total-order measures and exact scores: the paper's tables, the orders by enumeration, identities, real lists."""

import json
import math
import warnings
from fractions import Fraction
from functools import cmp_to_key
from itertools import combinations_with_replacement, product
from pathlib import Path

import numpy as np
import pytest
import strategies
from hypothesis import given, settings
from hypothesis import strategies as st

import rankscope as rs
from rankscope import InputError, measure
from rankscope.measures import MEASURES, MeasureInputs
from rankscope.measures.explanations.signatures import read_signature
from rankscope.simulation import embedded
from rankscope.statistics import taus

GOLDEN = Path(__file__).parents[1] / "golden"
FERRANTE = json.loads((GOLDEN / "ferrante.json").read_text())["entries"]
NAN = float("nan")


def entries(*kinds):
    return [
        pytest.param(e["inputs"], e["expected"], e["tolerance"], id=e["id"]) for e in FERRANTE if e["kind"] in kinds
    ]


def digits(text):
    return [int(digit) for digit in text]


def exactly(name, grades, available=None):
    return measure(name).exact_scores(grades, available).tolist()


def placed(name, lists, c):
    """Exact scores of lists on a scale of degrees 0 to c, all of which the topic has."""
    return exactly(name, lists, [*range(c + 1)] * 12)


# the paper's numbers


@pytest.mark.parametrize(("inputs", "expected", "tolerance"), entries("sbto_table", "rbto_table"))
def test_tables(inputs, expected, tolerance):
    (name,) = {"SBTO", "RBTO"} & set(expected)
    lists = [digits(run) for run in inputs["runs_in_order"]]
    assert placed(f"{name}(c={inputs['c']})@{inputs['N']}", lists, inputs["c"]) == expected[name]
    assert placed(f"{name}@{inputs['N']}", lists, inputs["c"]) == expected[name]
    assert expected.get("size", len(lists)) == len(lists)
    assert tolerance == 0


@pytest.mark.parametrize(("inputs", "expected", "tolerance"), entries("sbto"))
def test_degrees_are_sorted_downwards(inputs, expected, tolerance):
    assert exactly(f"SBTO(c={inputs['c']})@{inputs['N']}", inputs["runs"]) == expected["SBTO"]


@pytest.mark.parametrize(("inputs", "expected", "tolerance"), entries("rbto"))
def test_beyond_64_bits(inputs, expected, tolerance):
    run, best = digits(inputs["run"]), [inputs["c"]] * inputs["N"]
    name = f"RBTO@{inputs['N']}"
    assert exactly(name, [run, best]) == [int(expected["RBTO"]), int(expected["maximum"])]
    assert measure(name).score(run) == float(expected["RBTO"])  # the nearest double
    assert exactly(f"RBTO(share=True)@{inputs['N']}", best) == 1


@pytest.mark.parametrize(("inputs", "expected", "tolerance"), entries("linear_transformation"))
def test_linear_transformations(inputs, expected, tolerance):
    n, c = inputs["N"], inputs["c"]
    lists = list(product(range(c + 1), repeat=n))
    pool = [0] * n + [degree for degree in range(1, c + 1) for _ in range(n)]
    if "RB" in inputs:
        lists = [run for run in lists if sum(run) <= inputs["RB"]]
        pool = [0] * n + [1] * inputs["RB"]
    for name, line in expected.items():
        called = f"gRBP(p={inputs['p']},max_rel={c})" if name == "gRBP" else f"{name}@{n}"
        order = f"RBTO(c={c})@{n}" if name == "gRBP" else f"SBTO(c={c})@{n}"
        scores, places = exactly(called, lists, pool), exactly(order, lists, pool)
        (alpha,) = {Fraction(score) / place for score, place in zip(scores, places, strict=True) if place}
        assert float(alpha) == pytest.approx(line["alpha"], abs=tolerance)
        assert {score for score, place in zip(scores, places, strict=True) if not place} == {line["beta"]}


@pytest.mark.parametrize(("inputs", "expected", "tolerance"), entries("counterexample"))
def test_section_4_3(inputs, expected, tolerance):
    threshold = expected.get("gRBP_threshold", expected.get("p"))
    r, s = inputs.get("r", [1, 0, 2, 0, 1]), inputs.get("s", [1, 1, 0, 0, 0])
    # p is typed as a fraction on either side of the root of 1 + 2p^2 + p^4 = 1 + p
    for p, greater in ((threshold - tolerance, False), (threshold + tolerance, True)):
        one, other = exactly(f"gRBP(p={Fraction(p).limit_denominator(10**12)})", [r, s])
        assert (one > other) == greater
    for name, call in {"RBTO": "RBTO@5", "DCG2": "DCG(base=2)", "ERR": "ERR", "RB_AP": "SP"}.items():
        for which, run in (("r", r), ("s", s)):
            if f"{name}_{which}" in expected:
                found = measure(f"{call[:-2]}(c=2)@5" if name == "RBTO" else _on_scale(call)).score(run)
                assert float(found) == pytest.approx(expected[f"{name}_{which}"], abs=tolerance)
    assert measure("RBTO@5").order_keys([r, s]).tolist() == [0, 1]


def _on_scale(call):
    return "ERR(max_rel=2)" if call == "ERR" else call


# the orders, by enumeration


def set_before(r, s):
    """Equation (1): fewer documents of the highest degree in which they differ."""
    for degree in sorted({*r, *s}, reverse=True):
        if r.count(degree) != s.count(degree):
            return r.count(degree) - s.count(degree)
    return 0


def rank_before(r, s):
    """Equation (4): the lower degree at the first rank where they differ."""
    return next((a - b for a, b in zip(r, s, strict=True) if a != b), 0)


def slow_sbto(run):
    """Equation (3), the elements in descending order."""
    n = len(run)
    return sum(math.comb(d + n - j, n - j + 1) for j, d in enumerate(sorted(run, reverse=True), 1))


@pytest.mark.parametrize(("n", "c"), [(1, 1), (1, 4), (3, 2), (4, 3), (6, 1), (5, 2)])
def test_places_in_the_set_based_order(n, c):
    every = sorted(combinations_with_replacement(range(c + 1), n), key=cmp_to_key(set_before))
    assert placed(f"SBTO@{n}", every, c) == list(range(len(every)))
    assert placed(f"SBTO@{n}", every, c) == [slow_sbto(run) for run in every]
    assert placed(f"SBTO(share=True)@{n}", every, c) == [Fraction(i, len(every) - 1) for i in range(len(every))]


@pytest.mark.parametrize(("n", "c"), [(1, 1), (1, 4), (3, 2), (4, 3), (6, 1)])
def test_places_in_the_rank_based_order(n, c):
    every = sorted(product(range(c + 1), repeat=n), key=cmp_to_key(rank_before))
    assert placed(f"RBTO@{n}", every, c) == list(range(len(every)))
    assert placed(f"RBTO(share=True)@{n}", every, c) == [Fraction(i, len(every) - 1) for i in range(len(every))]


@given(strategies.gains(depth=9), st.integers(1, 12))
def test_any_grades(grades, cutoff):
    """Degrees number the grades above 0 that occur; unjudged and negative ones, and ranks past the end, are lowest."""
    scale = sorted({grade for grade in grades.ravel().tolist() if grade > 0}) or [1.0]
    degree = [[scale.index(g) + 1 if g > 0 else 0 for g in row] for row in grades.tolist()]
    runs = [(row + [0] * cutoff)[:cutoff] for row in degree]
    judged = [-1.0, -0.5, 0.0, *scale] * 9
    base = len(scale) + 1
    assert exactly(f"RBTO@{cutoff}", grades, judged) == [int("".join(map(str, run)), base) for run in runs]
    assert exactly(f"SBTO@{cutoff}", grades, judged) == [slow_sbto(run) for run in runs]


def test_shorter_lists_are_filled_up():
    assert exactly("RBTO@5", [[1, 1, 0], [1, 0, 1]]) == exactly("RBTO@5", [[1, 1, 0, 0, 0], [1, 0, 1, 0, 0]])
    assert exactly("RBTO@2", [1, 1, 1]) == 3
    assert exactly("SBTO@2", [1, 1, 1]) == 2


# weights


def test_weights_of_the_paper():
    lists = list(product(range(3), repeat=4))
    w1, w2, w3 = (placed(f"RBTO{gains}@4", lists, 2) for gains in ("", "(gains={1:2,2:4})", "(gains={1:1,2:3})"))
    assert w2 == [2 * place for place in w1]
    assert w3 == [sum({0: 0, 1: 1, 2: 3}[d] * 3 ** (3 - i) for i, d in enumerate(run)) for run in lists]
    run = [2, 1, 0, 1]
    assert float(measure("DCG(gains={1:5,2:10},base=10)").score(run)) == 10 + 5 + 5
    stop = [1023 / 1024, 0, 31 / 1024]  # of grade 2, 0 and 1 in ERR with 0, 5, 10
    by_hand = stop[0] + (1 - stop[0]) * stop[2] / 2 + (1 - stop[0]) * (1 - stop[2]) * stop[2] / 4
    assert float(measure("ERR(gains={1:5,2:10})").score(run)) == pytest.approx(by_hand, rel=1e-14)


def test_a_collection_of_more_grades_read_as_binary():
    assert exactly("SBTO(gains={1:0,2:1})@3", [2, 1, 0]) == 1
    assert exactly("RBTO(gains={1:0,2:1})@3", [2, 1, 0]) == 4


# identities

binary = strategies.gains(grades=(0.0, 1.0), unjudged=False, depth=9)


@given(binary, st.integers(1, 9), st.integers(9, 30))
def test_binary_set_measures_are_affine_in_sbto(grades, k, relevant):
    pool = [0] * 9 + [1] * relevant
    places = exactly(f"SBTO@{k}", grades, pool)
    assert exactly(f"P@{k}", grades, pool) == [Fraction(place, k) for place in places]
    assert exactly(f"R@{k}", grades, pool) == [Fraction(place, relevant) for place in places]
    assert exactly(f"F@{k}", grades, pool) == [Fraction(2 * place, k + relevant) for place in places]
    assert exactly(f"gP@{k}", grades, pool) == exactly(f"P@{k}", grades, pool)
    assert exactly(f"gR@{k}", grades, pool) == exactly(f"R@{k}", grades, pool)


@given(binary, st.integers(1, 12))
def test_rbp_of_one_half_is_affine_in_rbto(grades, k):
    pool = [0, 1] * 9
    places = exactly(f"RBTO@{k}", grades, pool)
    assert exactly(f"RBP(p=0.5)@{k}", grades, pool) == [Fraction(place, 2**k) for place in places]


@given(st.integers(1, 5), st.integers(1, 12), st.data())
def test_graded_rbp_is_affine_in_rbto(c, k, data):
    grades = data.draw(strategies.gains(grades=tuple(range(c + 1)), depth=9))
    pool = [*range(c + 1)] * 9
    places = exactly(f"RBTO@{k}", grades, pool)
    assert exactly(f"gRBP(p=1/{c + 1})@{k}", grades, pool) == [Fraction(place, (c + 1) ** k) for place in places]


@given(strategies.gains(grades=(0.0, 1.0, 2.0, 3.0), depth=9), st.integers(1, 12))
def test_generalised_measures_by_hand(grades, k):
    pool = [0.0, 1.0, 2.0, 3.0] * 9
    found = [sum(Fraction(g) for g in row[:k] if g > 0) for row in grades.tolist()]
    assert exactly(f"gP@{k}", grades, pool) == [gain / (3 * k) for gain in found]
    assert exactly(f"gR@{k}", grades, pool) == [gain / (3 * 54) for gain in found]
    assert exactly(f"gR(gains={{1:0.1,2:0.2,3:1}})@{k}", grades, pool) == [
        sum({1: Fraction(1, 10), 2: Fraction(1, 5), 3: 1}.get(g, 0) for g in row[:k]) / (9 * Fraction(13, 10))
        for row in grades.tolist()
    ]
    for name in ("gP", "gR"):
        called = f"{name}@{k}"
        np.testing.assert_allclose(measure(called).score(grades, pool), np.array(exactly(called, grades, pool), float))


# exact forms of the others

EXACT = [name if m.cutoff_rule != "required" else f"{name}@4" for name, m in MEASURES.items() if m.exact]
EXACT += ["RBP(p=0.85)@4", 'RBP(gain="linear")', "F(beta=0.3)@4", "AP(rel=2)@4", 'ERR(gain="linear")@4', "gRBP(p=2/3)"]
POOL = [*strategies.GRADES] * 12
WHOLE = [grade for grade in POOL if grade % 1 == 0]


@pytest.mark.parametrize("name", EXACT)
@settings(max_examples=40)
@given(data=st.data())
def test_exact_scores_are_what_doubles_round(name, data):
    whole = name == "ERR"  # 2^0.5 is no fraction
    grades = data.draw(strategies.gains(grades=[g for g in strategies.GRADES if not whole or g % 1 == 0], depth=9))
    pool = WHOLE if whole else POOL
    exact = measure(name).exact_scores(grades, pool)
    assert all(isinstance(score, int | Fraction) for score in exact.tolist())
    np.testing.assert_allclose(exact.astype(float), measure(name).score(grades, pool), rtol=1e-13, atol=1e-15)


def slow_rbp(gains, p):
    return (1 - p) * sum((g * p**i for i, g in enumerate(gains)), Fraction(0))


def slow_ap(relevant, total):
    return sum((Fraction(sum(relevant[: i + 1]), i + 1) for i, r in enumerate(relevant) if r), Fraction(0)) / total


def slow_err(chances):
    score, reached = Fraction(0), Fraction(1)
    for i, resampling in enumerate(chances, 1):
        score += reached * resampling / i
        reached *= 1 - resampling
    return score


@given(strategies.gains(grades=(0.0, 1.0, 2.0, 3.0), unjudged=False, depth=30))
def test_exact_scores_against_slow_twins(grades):
    pool = [0.0, 1.0, 2.0, 3.0] * 30
    rows = [[int(g) for g in row] for row in grades.tolist()]
    for p in ("0.8", "0.85", "0.123456789", "1/3"):
        assert exactly(f"RBP(p={p})", grades, pool) == [slow_rbp([g > 0 for g in row], Fraction(p)) for row in rows]
        assert exactly(f"gRBP(p={p})", grades, pool) == [
            slow_rbp([Fraction(g, 3) for g in row], Fraction(p)) for row in rows
        ]
    assert exactly("AP", grades, pool) == [slow_ap([g > 0 for g in row], 90) for row in rows]
    assert exactly("ERR", grades, pool) == [slow_err([Fraction(2**g - 1, 8) for g in row]) for row in rows]


def test_gains_beyond_64_bits():
    huge = [1e30, 2e30, 3e30]  # 10^30 has no double, but the user typed it
    gains = {1: huge[0], 2: huge[1], 3: huge[2]}
    run = [3, 0, 1, 2]
    one = MEASURES["RBTO"](gains=gains) @ 4
    assert one.exact_scores(run) == 10**30 * (3 * 64 + 4 + 2)
    assert float(one.score(run)) == float(10**30 * 198)
    assert (MEASURES["gP"](gains=gains) @ 4).exact_scores(run) == Fraction(1, 2)
    assert measure("RBP")(p=0.5, gain="linear", gains=gains).exact_scores([3]) == Fraction(1, 2)


def test_decimals_that_add_up():
    # 0.1 + 0.2 against 0.3: a tie, though the doubles differ
    one, other = [0.1, 0.2, 0], [0.3, 0, 0]
    assert measure("gP@3").order_keys([one, other]).tolist() == [0, 0]


def test_order_keys():
    keys = measure("P@2").order_keys([[[1, 0], [0, 0]], [[1, 1], [1, 1]], [[0, 1], [1, 0]]])
    assert keys.tolist() == [[0, -1], [1, 1], [0, 0]]  # by topic; the second has nothing relevant in the first list
    assert keys.dtype == np.int64
    assert measure("P@2").order_keys([1, 0]) == 0
    assert measure("P@2").order_keys(np.empty((0, 3, 4))).shape == (0, 3)


@pytest.mark.filterwarnings("ignore::rankscope.DataWarning")
def test_rules_of_a_collection():
    qrels = {"1": {"a": 2, "b": 1}, "2": {"a": 0}, "3": {"a": 2}}
    runs = {"x": {"1": {"b": 1.0}, "2": {"a": 1.0}}, "y": {"1": {"a": 1.0}, "3": {"a": 1.0}}}
    judged = rs.load(qrels, runs, rel=2)
    assert measure("P@1").exact_scores(judged).tolist() == [[0, None, 0], [1, None, 1]]
    judged = rs.load(qrels, runs, missing="drop", undefined="zero")
    assert measure("P@1").exact_scores(judged).tolist() == [[1, 0, None], [1, None, 1]]
    assert measure("SBTO@1").order_keys(judged).tolist() == [[0, 0, -1], [1, -1, 0]]
    scores = rs.evaluate(judged, "SBTO@1").of(measure("SBTO@1"))
    np.testing.assert_array_equal(scores, measure("SBTO@1").exact_scores(judged).astype(float))


# what doubles lose


def test_what_doubles_lose():
    first, second = [1, *[0] * 60, 1], [1, *[0] * 61]
    name = "RBTO@62"
    assert exactly(name, [first, second]) == [2**61 + 1, 2**61]
    assert measure(name).order_keys([first, second]).tolist() == [1, 0]
    np.testing.assert_array_equal(measure(name).score([first, second]), [2.0**61] * 2)


def test_outgrowing_doubles():
    run = [2, *[0] * 999]
    for depth in (1000, 400):  # beyond doubles, and where their squares are
        with pytest.raises(InputError, match=rf"RBTO\(c=2\)@{depth}: a score is above 2.500(.|\n)*share=True"):
            measure(f"RBTO(c=2)@{depth}").score(run)
    assert float(measure("RBTO(c=1)@500").score([1])) == 2.0**499
    assert exactly("RBTO(c=2)@1000", run) == 2 * 3**999
    assert float(measure("RBTO(c=2,share=True)@1000").score(run)) == 2 / 3
    # 300 grades at 1000 ranks: C(1300, 300) - 1 places
    assert exactly("SBTO(c=300)@1000", [300] * 1000) == math.comb(1300, 300) - 1


# bad input


@pytest.mark.parametrize(
    ("name", "run", "said"),
    [
        ("RBTO(c=1)@3", [2, 1, 0], "grades 1, 2 do not fit a scale of c=1"),
        ("SBTO(c=2)@3", [3, 0, 0], "grades 3 do not fit a scale of c=2"),
        ("SBTO(c=2)@3", [0.5, 1, 0], "whole grades from 0 to 2"),
        ("RBTO(c=1,gains={1:1,2:3})@3", [2, 1, 0], "weights 1, 3 do not fit a scale of c=1"),
        ("RBTO(c=0)@3", [1], "a whole number from 1"),
        ("RBTO(c=1.5)@3", [1], "a whole number from 1"),
        ("RBTO(gains={1:-1})@3", [1], "a gain is not negative"),
        ("RBTO(share=1)@3", [1], "expected True or False"),
        ("RBTO(rel=2)@3", [1], "RBTO has no parameter 'rel'"),
        ("RBTO", [1], "RBTO needs a cutoff"),
        ("gRBP(p=3/2)", [1], "expected a number between 0 and 1"),
        ("gRBP(p=1/0)", [1], "is no measure"),
        ("RBTO(c=1/2)@3", [1], "a whole number from 1"),
        ("gP(max_rel=1)@2", [2, 0], "a grade of 2 is above max_rel=1"),
    ],
)
def test_bad_input(name, run, said):
    with pytest.raises(InputError, match=said.replace("(", r"\(")):
        measure(name).score(run)


def test_measures_without_an_exact_form():
    with pytest.raises(InputError, match="DCG has no exact form"):
        measure("DCG").exact_scores([1, 0])
    with pytest.raises(InputError, match=r"ERR has no exact form: 2\^grade is no fraction"):
        measure("ERR").exact_scores([0.5, 1])
    with pytest.raises(InputError, match="P needs a cutoff"):
        MEASURES["P"].exact_scores([1])


def test_fractions_go_there_and_back():
    assert str(measure("gRBP(p=1/3)@5")) == "gRBP(p=1/3)@5"
    assert str(measure("gRBP(p=2/4)")) == "gRBP(p=1/2)"
    assert measure("gRBP(p=1/2)") == measure("gRBP(p=0.5)")
    assert measure("RBP(p=1/3)").score([1, 0]) == measure("RBP")(p=1 / 3).score([1, 0])


def test_the_scale_is_in_the_signature():
    lists = MeasureInputs.from_grades([[2, 1, 0]])
    assert measure("RBTO@3").signature(lists) == ["RBTO@3", "gain:degree/2"]
    assert measure("SBTO(c=4)@3").signature(lists) == ["SBTO(c=4)@3", "gain:degree/4"]
    found = read_signature("RBTO@3|gain:degree/2|n:49")
    assert found.parts[1] == ("gain:degree/2", "gain is the number of the grade on its scale, 1 to 2, else 0")


# 118 runs of TREC-8; the tables of the paper are tested with the studies


@pytest.fixture(scope="module")
def trec8(data):
    folder = data / "trec8-adhoc"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rs.DataWarning)
        judged = rs.load(folder / "qrels.gz", sorted((folder / "runs").iterdir()), depth=250)
    assert judged.code.shape == (118, 50, 250)
    return judged


def name_of(text):
    return text if "(" in text or text == "AP" else f"{text}@250"


def topic_by_topic(judged, one, other):
    keys = [measure(name_of(name)).order_keys(judged).T for name in (one, other)]
    return taus(*keys, tolerance=0)


@pytest.mark.parametrize(("one", "other"), [("RBP(p=0.5)", "RBTO"), ("P", "SBTO"), ("R", "SBTO"), ("F", "SBTO")])
def test_interval_scales_order_alike(trec8, one, other):
    np.testing.assert_array_equal(measure(name_of(one)).order_keys(trec8), measure(name_of(other)).order_keys(trec8))
    assert topic_by_topic(trec8, one, other).tolist() == [1.0] * 50


def test_doubles_lose_some_pairs(trec8):
    """Why the test above takes exact keys."""
    doubles = rs.evaluate(trec8, "RBP(p=0.5)").value[0].T
    found = taus(doubles, measure("RBTO@250").order_keys(trec8).T, tolerance=0).mean()
    assert found == pytest.approx(0.99993, abs=1e-5)


# lexiprecision as an interval scale


def lexicographic(a, b):
    """Lexiprecision, literally: the first recall level whose positions differ; one that is not found comes last."""
    ends = [[rank for rank, hit in enumerate(one, 1) if hit] + [math.inf] * len(one) for one in (a, b)]
    return next(((q > p) - (q < p) for p, q in zip(*ends, strict=True) if p != q), 0)


@pytest.mark.parametrize("k", [1, 2, 3, 4, 6])
def test_lpto_is_the_place_by_lexiprecision(k):
    """Among all lists with at most R relevant documents, sorted by the definition of lexiprecision."""
    for total in range(1, k + 3):
        lists = [run for run in product((0, 1), repeat=k) if sum(run) <= total]
        ordered = sorted(lists, key=cmp_to_key(lexicographic))
        pool = [1] * total + [0] * k
        assert exactly(f"LPTO@{k}", ordered, pool) == list(range(len(lists)))
        top = len(lists) - 1
        assert exactly(f"LPTO(share=True)@{k}", ordered, pool) == [Fraction(i, top) for i in range(top + 1)]
        # the same order as RBTO's; the same steps only where no list is ruled out but the best one
        by_rank = exactly(f"RBTO@{k}", ordered, pool)
        assert by_rank == sorted(by_rank)
        assert (by_rank == list(range(len(lists)))) == (total >= k - 1)
        # which is what Interval finds by enumeration
        assert exactly(f"Interval(RBTO@{k})", ordered, pool) == list(range(len(lists)))


def test_lpto_by_hand():
    # R = 2, k = 4, relevant at ranks 2 and 4. Before it come four that have no relevant document at rank 2 (0000, 0001,
    # 0010, 0011), and one that has it there and none at rank 4 (0100)
    assert exactly("LPTO@4", [0, 1, 0, 1], [1, 1, 0, 0]) == 5
    # one relevant document: k + 1 - p, an interval scale of the expected search length
    assert exactly("LPTO@9", np.eye(9, dtype=int), [1, *[0] * 8]) == [9, 8, 7, 6, 5, 4, 3, 2, 1]
    # a list that ends is filled up; a threshold counts
    assert exactly("LPTO@4", [0, 1], [1, 1, 0]) == exactly("LPTO@4", [0, 1, 0, 0], [1, 1, 0, 0, 0]) == 4
    assert exactly("LPTO(rel=2)@3", [1, 2, 0], [1, 2, 0]) == exactly("LPTO@3", [0, 1, 0], [1, 0, 0]) == 2
    with pytest.raises(InputError, match="LPTO needs a cutoff"):
        measure("LPTO").score([1, 0])


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(st.booleans(), min_size=40, max_size=40), min_size=2, max_size=5), st.integers(0, 30))
def test_lpto_orders_deep_lists_as_lexiprecision(lists, unretrieved):
    """At depths where lists cannot be enumerated, by the closed form of each difference."""
    pool = [1] * (1 + max(map(sum, lists)) + unretrieved) + [0] * 40
    scores = exactly("LPTO@40", np.array(lists, int), pool)
    for one, a in zip(lists, scores, strict=True):
        for other, b in zip(lists, scores, strict=True):
            assert (a > b) - (a < b) == lexicographic(one, other)
    deep = exactly("LPTO(share=True)@1000", [1] * 40 + [0] * 960, [1] * 40 + [0] * 960)
    assert deep == 1


@pytest.mark.parametrize("total", [1, 2, 3, 5])
def test_scale_of_lpto(total):
    """Ratio, a special case of interval, on the lists that a topic allows; RBTO is ordinal there."""
    scale = rs.universe.scale
    assert scale("LPTO@5", order="rank", recall_base=total).label == "ratio"
    assert scale("RBTO@5", order="rank", recall_base=total).label == ("ratio" if total >= 4 else "ordinal")


def test_lpto_on_lists_of_a_collection():
    """Every pair of systems on every topic as lexiprecision has it, whole lists of an embedded collection."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rs.DataWarning)
        judged = rs.load(*embedded())
    keys = measure(f"LPTO@{judged.code.shape[-1]}").order_keys(judged)
    hits = (judged.code >= 2 + np.searchsorted(judged.grades, 1)).astype(int)
    for a in range(len(judged.systems)):
        for b in range(a):
            sign = np.sign(keys[a] - keys[b])
            assert sign.tolist() == [lexicographic(*lists) for lists in zip(hits[a], hits[b], strict=True)]
    assert len({*keys.ravel().tolist()}) > 2
