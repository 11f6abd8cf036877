"""What kind of number a measure gives, against the definitions written out and the golden values."""

import itertools
import json
import math
import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankscope as rs
from rankscope import InputError, measure, universe
from rankscope.measures import MeasureInputs
from rankscope.measures.attainable import LIMIT, attainable, certain_signs, count, deepest, distinct
from rankscope.measures.explanations.bibliography import entries
from rankscope.measures.names import MEASURES, single_measure
from rankscope.universe.grade_gains import worth_of
from rankscope.universe.one_measure import scales
from rankscope.universe.one_measure.scales import AGAINST, FOR
from rankscope.universe.rankings import rule_steps, single_steps

GOLDEN = [
    entry
    for entry in json.loads((Path(__file__).parents[2] / "golden" / "ferrante.json").read_text())["entries"]
    if entry["kind"] == "scale"
]


def ours(inputs):
    """Our measure for the paper's: generalised ones, weighted as the entry says."""
    name, gain = inputs["measure"].split(" on ")[0], inputs["gain"]
    weights = {} if gain == list(range(len(gain))) else {"gains": dict(enumerate(gain[1:], 1))}
    if match := re.fullmatch(r"gRBP\(p=(.*)\)", name):
        return measure("gRBP")(p=Fraction(match[1]), **weights)
    if match := re.fullmatch(r"DCG\(b=(.*)\)", name):
        return measure("DCG")(base=int(match[1]))
    if name == "P" and inputs["c"] > 1:
        name = "gP"
    return single_measure(name)


@pytest.mark.parametrize("entry", GOLDEN, ids=lambda entry: entry["id"])
def test_golden_scales(entry):
    inputs, expected = entry["inputs"], entry["expected"]
    n, c = inputs["N"], inputs["c"]
    base = inputs["RB"] if c == 1 and inputs["RB"] >= n else None
    order = inputs["framework"].split("-")[0]
    found = universe.scale(ours(inputs), depth=n, grades=c, order=order, recall_base=base)
    assert found.label == ("neither" if expected["scale"] == "none" else expected["scale"])
    assert found.monotone == expected["weakly_monotone"]
    assert (found.label in ("ratio", "interval", "ordinal")) == expected["ordinal"]
    assert (found.label in ("ratio", "interval")) == expected["interval"]
    if "alpha" in expected:
        assert found.slope == pytest.approx(expected["alpha"], abs=entry["tolerance"])
        assert found.constant == pytest.approx(expected["beta"], abs=entry["tolerance"])
    if "witness" in expected:
        low, high = found.counterexample
        assert before(low.ranking, high.ranking, order)
        assert low.score >= high.score
        theirs = expected["witness"]
        assert before(theirs["r"], theirs["s"], order)
        # a topic with that recall base: of weights 0, 1, 2 one document has grade 2, the others grade 1
        pool = [0] * n + [1] * inputs["RB"] if c == 1 else [0] * n + [1] * 5 + [2]
        if ours(inputs).name == "AP" and c > 1:
            pool += [1]  # seven documents there, a gain of seven elsewhere
        if inputs["RB"] > 1 and max(theirs["r"].count(2), theirs["s"].count(2)) <= 1:
            scores = ours(inputs).at_depth(n).score([theirs["r"], theirs["s"]], pool)
            assert scores == pytest.approx([theirs["M_r"], theirs["M_s"]], abs=1e-12)


def before(r, s, order):
    """Whether the paper puts r strictly below s: its equations (1) and (4), and Algorithm 1 of the IPSO paper, at
    every grade threshold or of sums of grades."""
    r, s = list(r), list(s)
    if order == "set":
        different = [j for j in range(max(r + s), -1, -1) if r.count(j) != s.count(j)]
        return bool(different) and r.count(different[0]) < s.count(different[0])
    if order == "rank":
        k = next((i for i in range(len(r)) if r[i] != s[i]), None)
        return k is not None and r[k] < s[k]
    if order == "sums":
        return r != s and all(sum(r[:i]) <= sum(s[:i]) for i in range(1, len(r) + 1))
    return r != s and all(
        sum(x >= g for x in r[:i]) <= sum(x >= g for x in s[:i])
        for g in range(1, max(r + s) + 1)
        for i in range(1, len(r) + 1)
    )


def slow(name, n, c, order, counts):
    """The label, from all pairs and the words of the definitions."""
    lists = [v for v in itertools.product(range(c + 1), repeat=n)
             if all(v.count(j) <= counts[j - 1] for j in range(1, c + 1))]  # fmt: skip
    pool = [0] * n + [j for j in range(1, c + 1) for _ in range(counts[j - 1])]
    scores = {v: float(measure_of(name).at_depth(n).score(v, pool)) for v in lists}

    def less(x, y):
        return x < y - 1e-11

    pairs = [(r, s) for r in lists for s in lists if before(r, s, order)]
    if order == "ipso":
        if any(less(scores[s], scores[r]) for r, s in pairs):
            return "neither"
        return "strictly isotone" if all(less(scores[r], scores[s]) for r, s in pairs) else "isotone"
    # r precedes s or is its like, if and only if M(r) <= M(s)
    same = [(r, s) for r in lists for s in lists if not before(r, s, order) and not before(s, r, order)]
    if not all(less(scores[r], scores[s]) for r, s in pairs) or any(less(scores[r], scores[s]) for r, s in same):
        return "neither"
    classes = sorted({round(scores[v], 11) for v in lists})  # ordinal, so classes and scores go together
    steps = [b - a for a, b in itertools.pairwise(classes)]
    if max(steps) - min(steps) > 1e-9:
        return "ordinal"
    return "ratio" if abs(classes[0]) < 1e-11 else "interval"


def measure_of(name):
    return single_measure(name)


SLOW = ["AP", "RBP(p=0.5)", "RBP(p=0.3)", "RBP(p=0.8)", "nDCG", "DCG(base=2)", "ERR", "RR", "P", "R", "Success", "Q",
        "SBTO", "RBTO", 'gRBP(p=0.25)', "gP", "SN_AP", "RBPResidual", "Interval(AP)"]  # fmt: skip


@pytest.mark.parametrize("order", ["set", "rank", "ipso"])
@pytest.mark.parametrize("name", SLOW)
@pytest.mark.parametrize(("n", "c", "counts"), [(1, 1, [1]), (4, 1, [4]), (4, 1, [2]), (5, 1, [9]), (3, 2, [3, 3]),
                                                (3, 2, [2, 1]), (2, 3, [2, 2, 2])])  # fmt: skip
def test_against_the_definitions(name, n, c, counts, order):
    found = universe.scale(name if "@" in name else measure_of(name).at_depth(n), depth=n, grades=c,
                           order=order, recall_base=counts)  # fmt: skip
    assert found.label == slow(name, n, c, order, counts)
    _is_a_counterexample(found)


def _is_a_counterexample(found):
    """What is shown against a better label is true of the measure."""
    scores = [example.score for example in found.counterexample]
    rankings = [example.ranking for example in found.counterexample]
    if len(scores) == 2:
        low, high = rankings
        if before(low, high, found.order):
            assert scores[0] >= scores[1] - 1e-12
        else:
            assert found.order == "set"
            assert sorted(low) == sorted(high)
            assert scores[0] != scores[1]
    elif len(scores) == 4:
        assert found.label == "ordinal"
        assert abs((scores[1] - scores[0]) - (scores[3] - scores[2])) > 1e-12
    else:
        assert (found.label == "interval") == (len(scores) == 1)
        assert found.label in ("interval", "ratio", "strictly isotone")
    text = str(found)
    assert found.label in text
    assert found.reason in " ".join(text.split())


@pytest.mark.parametrize(("steps", "order"), [(single_steps, "sums"), (rule_steps, "ipso")])
@pytest.mark.parametrize(
    ("depth", "grades", "base"), [(4, 1, None), (5, 1, 2), (3, 2, None), (4, 2, None), (3, 3, None), (2, 4, None)]
)
def test_neighbours_stand_for_all_pairs(depth, grades, base, steps, order):
    """Pairs one step apart bring every comparable pair with them, by Warshall's closure: decisions 35 and 68."""
    all_of = universe.rankings(depth, grades, base)
    low, high = scales._neighbours(all_of, steps)
    reached = np.zeros((len(all_of),) * 2, bool)
    reached[low, high] = True
    for middle in range(len(all_of)):
        reached |= reached[:, middle, None] & reached[middle]
    expected = [[before(r, s, order) for s in all_of.level.tolist()] for r in all_of.level.tolist()]
    np.testing.assert_array_equal(reached, expected)


@pytest.mark.parametrize("name", [name for name, record in MEASURES.items() if not record.breaks_ipso])
@pytest.mark.parametrize(("depth", "grades"), [(4, 2), (3, 3)])
def test_thresholds_bind_every_measure_that_keeps_the_rules(name, depth, grades):
    """Sums of grades do not: AP prefers 11 to 20, ERR 02 to 11."""
    record = MEASURES[name] @ 0.1 if name == "IPrec" else MEASURES[name]
    assert universe.scale(record, depth=depth, grades=grades, order="ipso").monotone


def test_sums_of_grades_do_not_bind_every_measure():
    for name in ("AP", "P", "ERR", "Q", "SBTO"):
        assert not universe.scale(name, depth=4, grades=2, order="ipso", gains="linear").monotone


def test_gains_decide_the_partial_order():
    # with gains 0, 1, 3 a list 20 has more than 11 from the first rank on; with 0, 2, 3 it has less at the second
    ordered = scales._comparable(universe.rankings(2, 2), worth_of(2, [0, 1, 3]))
    pairs = {(universe.rankings(2, 2).level[a].tobytes(), universe.rankings(2, 2).level[b].tobytes())
             for a, b in zip(*ordered, strict=True)}  # fmt: skip
    assert (b"\1\1", b"\2\0") in pairs
    found = universe.scale("gP(gains={1:2,2:3})@2", grades=2, order="ipso", gains="linear")
    assert found.label == "neither"  # 11 gains more than 20, which sums of grades put above it
    assert "IPSO partial order by sums of the gains 0, 1, 2" in " ".join(str(found).split())
    found = universe.scale("gP(gains={1:2,2:3})@2", grades=2, order="ipso")
    assert found.label == "isotone"  # counts at both thresholds do not
    assert found.to_dict()["gains"] == "thresholds"
    assert universe.scale("gP(gains={1:2,2:3})@2", grades=2, order="ipso", gains=[0, 2, 3]).label == "isotone"
    assert universe.scale("gP(gains={1:0.2,2:0.3})@2", grades=2, order="ipso", gains=[0, 0.2, 0.3]).label == "isotone"


def test_a_little_above_the_bound_short_lists_are_still_ordinal():
    # the root of p + p^2 + ... + p^(N-1) = 1 is 0.518790 at N = 5 and 0.502017 at N = 8
    for depth, root in ((5, 0.518790), (8, 0.502017)):
        assert universe.scale(f"RBP(p={root - 1e-5})", depth=depth).label == "ordinal"
        found = universe.scale(f"RBP(p={root + 1e-5})", depth=depth)
        assert found.label == "neither"
        assert "not ordinal for p > G/(G+1) = 0.5, for all depths together" in found.theorem


@pytest.mark.parametrize(
    ("name", "order", "grades", "says"),
    [
        ("P", "set", 1, "interval scale where relevance is binary"),
        ("gP", "set", 2, "not even ordinal where there are more than two grades"),
        ("gR", "set", 1, "interval scale where relevance is binary"),
        ("SBTO", "set", 3, "SBTO is an interval scale"),
        ("RBTO", "rank", 3, "RBTO is an interval scale"),
        ("AP", "rank", 1, "not even ordinal"),
        ("RBP(p=0.5)", "rank", 1, "an interval scale at p = G/(G+1) = 0.5"),
        ("RBP(p=0.4)", "rank", 1, "ordinal, not an interval scale, for p < G/(G+1) = 0.5"),
        ('RBP(p=0.5,gain="exp")', "rank", 1, "an interval scale at p = G/(G+1) = 0.5"),  # gains 0 and 1/2
        ("gRBP(p=0.25)", "rank", 3, "an interval scale at p = G/(G+1) = 0.25"),
        ("gRBP(p=0.25,gains={1:1,2:3})", "rank", 2, "ordinal, not an interval scale at p = G/(G+1) = 0.25"),
        ("gRBP(p=0.2,gains={1:2,2:3})", "rank", 2, "ordinal, not an interval scale, for p < G/(G+1) = 0.25"),
        ("RBP(p=0.5)", "rank", 2, ""),  # grades 1 and 2 gain the same
        ("nDCG", "rank", 1, ""),
        ("AP", "ipso", 1, ""),
        ("Interval(AP@3)", "rank", 1, ""),
    ],
)  # fmt: skip
def test_theorems(name, order, grades, says):
    found = universe.scale(name, depth=3, grades=grades, order=order).theorem
    assert says in found
    assert bool(found) == bool(says)


def test_theorem_and_decision_agree_where_they_should():
    """At or below the bound the theorem is true of each depth, so every decision must agree."""
    for c in (1, 2, 3):
        for p in (Fraction(1, c + 1), Fraction(1, c + 2), Fraction(1, 2 * c + 2)):
            found = universe.scale(measure("gRBP")(p=p), depth=4, grades=c)
            assert found.label == ("ratio" if p == Fraction(1, c + 1) else "ordinal")
            assert ("is an interval scale" in found.theorem) == (found.label == "ratio")


def test_a_third_in_doubles_is_a_third():
    assert universe.scale(f"gRBP(p={1 / 3!r})", depth=4, grades=2).label == "ratio"
    assert universe.scale(f"gRBP(p={1 / 3!r})", depth=10, grades=2).label == "ratio"  # beyond exact scores


def test_deep_universes_are_decided_too():
    for name, order, label in (
        ("RBP(p=0.5)", "rank", "ratio"), ("P", "set", "ratio"), ("AP", "ipso", "strictly isotone"),
        ("RR", "ipso", "isotone"), ("nDCG", "rank", "neither"),
    ):  # fmt: skip
        found = universe.scale(name, depth=14, order=order)
        assert (found.label, found.exact, len(found.universe)) == (label, False, 2**14)


def test_a_measure_of_ones_own(own):
    @own(bounds=(0, 10))
    def Shifted(relevant):
        """Twice the number of relevant documents and one."""
        return 2.0 * relevant.sum(axis=-1) + 1

    found = universe.scale("Shifted", depth=4, order="set")
    assert (found.label, found.slope, found.constant) == ("interval", 2.0, 1.0)
    assert found.reason == "the lowest ranking 0000 scores 1, not 0"
    assert universe.scale("Shifted", depth=4, order="ipso").label == "isotone"

    @own
    def Last(relevant):
        return relevant[..., -1] * 1.0

    found = universe.scale("Last", depth=3, order="ipso")
    assert found.label == "neither"
    assert found.reason.endswith("but scores lower")


def test_what_doubles_cannot_tell_is_not_guessed(own):
    @own
    def Near(relevant):
        return relevant.any(axis=-1) + relevant.sum(axis=-1) * 3e-14

    with pytest.raises(InputError, match="cannot be told in doubles"):
        universe.scale("Near", depth=4, order="set")
    with pytest.raises(InputError, match="cannot be told in doubles"):
        measure("Interval(Near@4)").score([1, 0, 0, 0], [0, 0, 0, 1, 1, 1, 1])

    def told_exactly(relevant):
        count = np.count_nonzero(relevant, axis=-1).astype(object)
        return (count > 0).astype(object) + count * Fraction(3, 10**14)

    own(name="Told", exact=told_exactly)(lambda relevant: measure("Near").kernel(relevant))
    found = universe.scale("Told", depth=4, order="set")
    assert (found.label, found.exact) == ("ordinal", True)

    @own
    def Rounded(relevant):
        return relevant @ (0.1 * np.arange(1, relevant.shape[-1] + 1))

    # 0.1 + 0.2 is 0.3: 110 and 001 tie
    assert universe.scale("Rounded", depth=3, order="rank").label == "neither"
    assert len(distinct(measure("Rounded").score(list(itertools.product([0, 1], repeat=3)), [0, 1] * 3), 3, "")) == 7


def test_no_number_is_refused(own):
    @own
    def Hole(relevant):
        return 1 / relevant.sum(axis=-1)

    with pytest.raises(InputError, match="Hole has no score for 1 of 8 rankings: 000"):
        universe.scale("Hole", depth=3)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"depth": 21}, "depth is a whole number from 1 to 20"),
        ({"depth": 0}, "depth is a whole number from 1 to 20"),
        ({"depth": 2.0}, "depth is a whole number"),
        ({"depth": True}, "depth is a whole number"),
        ({"depth": 3, "grades": 0}, "grades is a whole number from 1 to 253"),
        ({"depth": 13, "grades": 2}, "take a depth from 1 to 12, or grades from 1 to 1"),
        ({"depth": 4, "grades": 40}, "take a depth from 1 to 3, or grades from 1 to 31"),
        ({"order": "best"}, "order='best' is unknown\n1 problem; order is one of set, rank, ipso"),
        ({"depth": 3, "recall_base": 0}, "recall_base is a whole number from 1"),
        ({"depth": 3, "recall_base": -1}, "recall_base is a whole number from 1"),
        ({"depth": 3, "recall_base": [1, 1]}, "recall_base is a whole number from 1"),
        (
            {"depth": 3, "grades": 2, "recall_base": 4},
            "recall_base is 2 whole numbers from 0 to 1,000,000,000, not all 0",
        ),
        ({"depth": 3, "gains": [0, 1]}, "gains have no effect on the rank-based order"),
        ({"depth": 3, "order": "ipso", "gains": [0, 0]}, "expected 2 rising numbers"),
        ({"depth": 3, "order": "ipso", "gains": [0, math.nan]}, "nan is no gain"),
        ({"depth": 8, "grades": 2, "order": "ipso", "gains": [0, 1, 3]}, "up to 4096 are"),
    ],
)
def test_spoiled_input(given, says):
    with pytest.raises(InputError) as error:
        universe.scale("AP", **given)
    assert says in str(error.value)


def test_one_measure_is_asked_for():
    with pytest.raises(InputError, match="names 2 measures"):
        universe.scale("P@[5,10]")
    with pytest.raises(InputError, match="needs a cutoff"):
        universe.scale("IPrec", depth=3)
    assert len(universe.scale("AP@3").universe) == 8
    assert len(universe.scale("AP").universe) == 32
    assert universe.scale("P@2", depth=4, order="set").label == "neither"  # looks at two of four ranks


def test_enumeration():
    assert count(3, [3]) == len(attainable(3, [3])) == 8
    for depth, counts in ((4, [2]), (3, [1, 2]), (3, [0, 3]), (2, [1, 1, 1]), (5, [5, 1])):
        expected = [list(v) for v in itertools.product(range(len(counts) + 1), repeat=depth)
                    if all(v.count(j) <= most for j, most in enumerate(counts, 1))]  # fmt: skip
        assert attainable(depth, counts).tolist() == expected
        assert count(depth, counts) == len(expected)
    assert count(300, [300]) == 2**300
    assert [deepest(levels) for levels in (2, 3, 4, 5)] == [20, 12, 10, 8]
    assert 2 ** deepest(2) == LIMIT
    assert universe.rankings(1, 253).inputs(universe.rankings(1, 253).level).code.max() == 255
    assert universe.scale("gP@1", depth=1, grades=253, order="set").label == "ratio"
    all_of = universe.rankings(4, 2)
    assert all_of.number.tolist() == list(range(81))
    inputs = all_of.inputs(all_of.level)
    assert isinstance(inputs, MeasureInputs)
    assert inputs.code.min() == 2


@settings(max_examples=50)
@given(st.lists(st.integers(-1000, 1000), min_size=1, max_size=30), st.floats(1e-6, 1e6))
def test_equal_scores_are_found_under_rounding(values, size):
    noisy = np.array([value * size * (1 + at % 3 * 2e-16) for at, value in enumerate(values)])
    assert len(distinct(noisy, 10, "")) == len(set(values))


def test_signs():
    sign, doubt = certain_signs(np.array([0.0, 1e-15, 1e-14, 1e-13, -1e-15, -1e-11]), 1.0, 10)
    assert sign.tolist() == [0, 0, 1, 1, 0, -1]
    assert doubt.tolist() == [False, False, True, False, False, False]


def test_results_show_themselves():
    found = rs.universe.scale("AP", depth=5)
    words = " ".join(str(found).split())
    assert (
        "scale neither interval nor ordinal because 00100 (0.0666667) is above 00011 (0.13) but scores lower" in words
    )
    assert "permits the number of cases and the mode; not median, mean, t test" in words
    assert "disputed" in words
    assert max(map(len, str(found).splitlines())) <= 80
    for key in (*FOR, *AGAINST):
        assert key in entries()
    assert "Comment on \u201cTowards Meaningful Statements" in words
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["scale"] == "neither"
    assert found.to_frame().columns == ["what", "says"]
    assert "<table>" in found._repr_html_()
    assert universe.scale("RBP(p=0.5)", depth=3).to_dict()["slope"] == 0.125


def test_no_theorem_for_measures_cut_above_the_end():
    """P@3 of five documents is no P of the paper: it cannot tell 00001 from 00000."""
    for name, order in (("P", "set"), ("SBTO", "set"), ("RBTO", "rank"), ("RBP(p=0.5)", "rank")):
        assert "is an interval scale" in universe.scale(f"{name}@5", depth=5, order=order).theorem
        short = universe.scale(f"{name}@3", depth=5, order=order)
        assert (short.label, short.theorem) == ("neither", "")


def test_gains_that_are_no_numbers():
    with pytest.raises(InputError, match="'a' is no gain"):
        universe.scale("AP", depth=3, order="ipso", gains=[0, "a"])
