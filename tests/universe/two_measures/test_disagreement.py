"""Disagreement between measures: the golden tables, brute force over all pairs, and what is refused."""

import itertools
import json
import math
from dataclasses import replace
from fractions import Fraction
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankscope import InputError, measure, universe
from rankscope.measures.attainable import dense
from rankscope.progress import staged
from rankscope.universe.cost import memory_needed
from rankscope.universe.rankings import comparable_rankings
from rankscope.universe.score_ranks import complete_measures, isotone, placed, smallest_step
from rankscope.universe.two_measures.concordant_pairs import compared
from rankscope.universe.two_measures.disagreement import PAPER

OURS = {"SN-DCG": "SN_DCG", "SN-AP": "SN_AP", "Prec": "P", "NDCG": "nDCG", "Recall": "R", "RBP0.5": "RBP(p=0.5)",
        "RBP0.85": "RBP(p=0.85)", "RBP0.95": "RBP(p=0.95)"}  # fmt: skip
GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "jones.json").read_text())["entries"]


def entries(*kinds):
    marks = {"k12_counts": [pytest.mark.slow]}
    return [
        pytest.param(entry, id=entry["id"], marks=marks.get(entry["id"], ()))
        for entry in GOLDEN
        if entry["kind"] in kinds
    ]


@pytest.mark.parametrize("entry", entries("disagreement_matrix"))
def test_golden_matrices(entry):
    inputs, expected = entry["inputs"], entry["expected"]
    names = [OURS.get(name, name) for name in inputs["metrics"]]
    found = universe.disagreement(names, depth=inputs["k"], recall_base=inputs["R"])
    assert found.pairs == expected["unordered_pairs"]
    np.testing.assert_array_equal(found.either, expected["any"])
    np.testing.assert_array_equal(found.strict, expected["strict"])


@pytest.mark.parametrize("entry", entries("disagreement_counts"))
def test_golden_counts(entry):
    names = sorted({name for pair in entry["expected"]["counts"] for name in pair.split("|")})
    found = universe.disagreement([OURS.get(name, name) for name in names], depth=entry["inputs"]["k"])
    assert found.pairs == entry["expected"]["unordered_pairs"]
    assert len(found.universe) == entry["expected"]["lists"]
    for pair, expected in entry["expected"]["counts"].items():
        a, b = map(names.index, pair.split("|"))
        assert (found.strict[a, b], found.either[a, b]) == (expected["strict"], expected["any"])


def test_printed_in_the_paper():
    by_id = {entry["id"]: entry for entry in GOLDEN}
    expected = by_id["k10_universe"]["expected"]
    found = universe.disagreement(["AP", "DCG"])
    assert len(found.universe) == expected["lists"]
    assert found.pairs == expected["unordered_pairs"] == expected["ordered_pairs"] // 2
    printed = by_id["k10_AP_DCG_printed"]
    assert found.share[0, 1] == pytest.approx(printed["expected"]["any_pct"], abs=printed["tolerance"])
    tie = by_id["ap_tie_example"]
    pool = [1] * tie["inputs"]["R"] + [0] * 4
    scores = measure("AP").exact_scores([tie["inputs"]["A"], tie["inputs"]["B"]], [pool, pool]).tolist()
    assert scores == [Fraction(1, 10)] * 2
    assert list(map(float, scores)) == [tie["expected"]["AP_A"], tie["expected"]["AP_B"]]


# the definitions, one pair at a time


def lists(k, grades, available, empty):
    every = itertools.product(range(grades + 1), repeat=k)
    fits = [v for v in every if all(v.count(g) <= n for g, n in enumerate(available, 1))]
    return [v for v in fits if empty or any(v)]


def value(name, v, available):
    """Scores by the formulas, written anew for binary lists; graded ones by the measure itself."""
    k, n = len(v), sum(v)
    if max(v, default=0) > 1 or len(available) > 1:
        pool = [0] * k + [g for g, count in enumerate(available, 1) for _ in range(count)]
        return float(measure(name).score(v, pool))
    sp = sum((Fraction(sum(v[: i + 1]), i + 1) for i in range(k) if v[i]), Fraction(0))
    dcg = sum(v[i] / math.log2(i + 2) for i in range(k))
    ideal = [sum(1 / math.log2(i + 2) for i in range(m)) for m in range(k + 1)]
    p = Fraction(name[6:-1]) if name.startswith("RBP") else Fraction(0)
    return {
        "AP": sp / available[0], "SP": sp, "SN_AP": sp / max(n, 1), "P": n, "R": Fraction(n, available[0]),
        "RR": Fraction(1, v.index(1) + 1) if n else 0, "DCG": dcg, "SDCG": dcg / ideal[k],
        "nDCG": dcg / ideal[min(k, available[0])], "SN_DCG": dcg / ideal[n] if n else 0.0,
    }.get(name, sum((v[i] * (1 - p) * p**i for i in range(k)), Fraction(0)))  # fmt: skip


def sign(x, y):
    exact = not isinstance(x, float)
    return 0 if (x == y if exact else abs(x - y) < 1e-9) else 1 if x > y else -1


def nonseparable(v, w):
    """At some grade threshold and rank v has more documents, at another w."""
    ahead = [
        sum(x >= grade for x in v[: i + 1]) - sum(x >= grade for x in w[: i + 1])
        for grade in range(1, max(*v, *w) + 1)
        for i in range(len(v))
    ]
    return any(x > 0 for x in ahead) and any(x < 0 for x in ahead)


def brute(names, k, grades=1, available=None, empty=False):
    available = available or (k,) * grades
    rows = lists(k, grades, available, empty)
    scores = [[value(name, v, available) for v in rows] for name in names]
    size = (len(names), len(names))
    out = {
        key: np.zeros(size, int) for key in ("strict", "either", "tied", "strict_nonseparable", "either_nonseparable")
    }
    pairs = 0
    for x, y in itertools.combinations(range(len(rows)), 2):
        pairs += 1
        free = nonseparable(rows[x], rows[y])
        signs = [sign(one[x], one[y]) for one in scores]
        for i, j in itertools.permutations(range(len(names)), 2):
            opposite, differ = signs[i] * signs[j] < 0, signs[i] != signs[j]
            out["strict"][i, j] += opposite
            out["either"][i, j] += differ
            out["tied"][i, j] += signs[i] == 0 and signs[j] != 0
            out["strict_nonseparable"][i, j] += opposite and free
            out["either_nonseparable"][i, j] += differ and free
    return pairs, out


def agrees(found, pairs, out):
    assert found.pairs == pairs
    for key, matrix in out.items():
        np.testing.assert_array_equal(getattr(found, key), matrix, err_msg=key)


@pytest.mark.parametrize(("k", "r", "empty"), [(1, None, True), (4, None, True), (5, None, False), (5, 2, True),
                                               (5, 9, False), (6, 1, True), (6, 4, False)])  # fmt: skip
def test_binary_against_brute_force(k, r, empty):
    found = universe.disagreement(PAPER, depth=k, recall_base=r, empty=empty)
    agrees(found, *brute(PAPER, k, available=(r or k,), empty=empty))


@pytest.mark.parametrize(("k", "grades", "base", "empty"), [(3, 3, None, False), (4, 2, None, True),
                                                            (4, 2, (1, 2), False), (3, 2, (0, 3), True)])  # fmt: skip
def test_graded_against_brute_force(k, grades, base, empty):
    names = ["nDCG", "DCG(dcg='exp-log2')", "ERR", "AP", "RR"]
    found = universe.disagreement(names, depth=k, grades=grades, recall_base=base, empty=empty)
    agrees(found, *brute(names, k, grades, base, empty))


@pytest.mark.slow
def test_four_grades_of_six_documents():
    names = ["nDCG", "ERR", "AP"]
    found = universe.disagreement(names, depth=6, grades=3, empty=True)
    rows = np.array(list(itertools.product(range(4), repeat=6)))
    pool = [0] * 6 + [1] * 6 + [2] * 6 + [3] * 6
    signs = []
    for name in names:
        score = measure(name).score(rows, np.tile(pool, (len(rows), 1)))
        apart = score[:, None] - score[None]
        signs.append(np.where(np.abs(apart) < 1e-11, 0, np.sign(apart)).astype(np.int8))
    assert signs[0].size == 4**12  # 16.7 million ordered pairs
    for i, j in itertools.combinations(range(3), 2):
        assert found.either[i, j] == np.count_nonzero(signs[i] != signs[j]) // 2
        assert found.strict[i, j] == np.count_nonzero(signs[i] * signs[j] < 0) // 2
        assert found.tied[i, j] == np.count_nonzero((signs[i] == 0) & (signs[j] != 0)) // 2


@settings(max_examples=100)
@given(st.integers(0, 2**32 - 1), st.integers(2, 40), st.integers(1, 8), st.integers(1, 8))
def test_pairs_by_two_columns(seed, n, p, q):
    rng = np.random.default_rng(seed)
    a, b = dense(rng.integers(0, p, n) / 3, 1, "a")[0], dense(rng.integers(0, q, n) / 7, 1, "b")[0]
    x, y = np.triu_indices(n, 1)
    one, other = np.sign(a[x] - a[y]), np.sign(b[x] - b[y])
    counts = compared(a, b)
    assert sum(counts) == len(x)
    assert counts.strict == np.count_nonzero(one * other < 0)
    assert counts.tied_first == np.count_nonzero((one == 0) & (other != 0))
    assert counts.tied_second == np.count_nonzero((one != 0) & (other == 0))
    assert counts.differ == np.count_nonzero(one != other)


@pytest.mark.slow
def test_blocks_are_the_rankings_in_order():
    for args in ((3,), (16,), (16, 1, 3), (17, 1, 15, True), (40, 1, 2), (5, 3, (1, 0, 2)), (9, 3, (2, 9, 9), True)):
        where = comparable_rankings(*args)
        level = where.level
        number = [int("".join(map(str, row)), where.grades + 1) for row in level.tolist()]
        assert len(level) == len(where)
        assert number == sorted(set(number))
        assert all(((level == g).sum(axis=1) <= n).all() for g, n in enumerate(where.available, 1))
        assert (level[0].any()) != where.empty


def test_measures_that_differ_by_a_factor_agree():
    found = universe.disagreement(["DCG", "nDCG", "SDCG", "AP", "SP", "P", "R"], depth=8)
    assert not found.either[:3, :3].any()
    assert found.either[3, 4] == found.either[5, 6] == 0
    assert found.either[0, 3] > 0


def test_the_rules_of_ipso_leave_only_nonseparable_pairs_to_disagree_on():
    found = universe.disagreement(depth=9)
    names = [str(m) for m in found.measures]
    obey = [i for i, m in enumerate(found.measures) if not m.breaks_ipso]
    assert [names[i] for i in range(13) if i not in obey] == ["SN_DCG", "SN_AP"]
    assert [i for i, fine in enumerate(found.isotone) if fine] == obey
    within = np.ix_(obey, obey)
    np.testing.assert_array_equal(found.strict_nonseparable[within], found.strict[within])
    ap, sn_ap, rr = names.index("AP"), names.index("SN_AP"), names.index("RR")
    assert found.strict_nonseparable[ap, sn_ap] < found.strict[ap, sn_ap]
    assert found.either_nonseparable[ap, rr] < found.either[ap, rr]
    assert "SN_DCG, SN_AP prefer some ranking" in found.to_text("full")


@pytest.mark.parametrize(("depth", "grades"), [(4, 2), (5, 2), (3, 3)])
def test_graded_rankings_leave_rule_keeping_measures_only_nonseparable_pairs(depth, grades):
    """By sums of grades AP would prefer inferior rankings, such as 11 to 20."""
    names = ["AP", "AP(rel=2)", "nDCG", "RR", "P", "P(rel=2)", "RBP(p=0.8)", "gRBP(p=0.5)", "RBP_max", "ERR",
             "R", "Q", "SBTO", "RBTO"]  # fmt: skip
    found = universe.disagreement(names, depth=depth, grades=grades)
    assert [str(m) for m in found.measures if m.breaks_ipso] == ["Q"]  # on longer graded lists than these
    assert all(found.isotone)
    np.testing.assert_array_equal(found.strict_nonseparable, found.strict)
    assert "every strict disagreement is between rankings that IPSO cannot separate by grade thresholds: counted" in (
        found.remarks()
    )


def test_what_is_proved_where_nothing_is_counted():
    found = universe.disagreement(["AP", "DCG", "SN_AP"], depth=13)
    assert found.isotone == (True, True, False)
    assert found.strict_nonseparable[0, 1] == found.strict[0, 1] > 0
    assert found.strict_nonseparable[0, 2] == found.either_nonseparable[0, 1] == -1
    assert found.columns()["strict_nonseparable"][1] is None
    assert "theorem" in found.to_text("full")


@pytest.mark.parametrize(("grades", "base"), [(1, None), (1, 3), (2, None)])
def test_isotone_is_what_all_pairs_say(grades, base):
    where = comparable_rankings(5, grades, base)
    level = where.level.astype(int)
    counts = np.concatenate([np.cumsum(level >= grade, axis=1) for grade in range(1, grades + 1)], axis=1)
    below = (counts[:, None] <= counts[None]).all(axis=2)
    rng = np.random.default_rng(5)
    columns = [*placed(where, [measure(m) for m in ("AP", "RR", "SN_AP", "DCG")]).measures]
    columns += [rng.integers(0, 40, len(where)).astype(np.int32) for _ in range(3)]
    for place in columns:
        assert isotone(where, place) == bool((place[:, None] <= place[None])[below].all())


def test_doubles_and_fractions_agree(monkeypatch):
    names = ["AP", "SN_AP", "RBP(p=0.85)", "RR", "P"]
    exactly = universe.disagreement(names, depth=9)
    assert all(exactly.exact)
    monkeypatch.setattr(import_module("rankscope.universe.rankings"), "MOST_EXACT", 1)
    rounded = universe.disagreement(names, depth=9)
    assert rounded.exact == (True, True, False, True, True)  # steps of RBP are not known
    np.testing.assert_array_equal(exactly.either, rounded.either)
    np.testing.assert_array_equal(exactly.strict, rounded.strict)


STEPS = [
    (name, grades, base)
    for grades, base in ((1, None), (1, 3), (2, (2, 3)))
    for name in ("AP", "SP", "SN_AP", "RR", "P", "P@3", "P@40", "R", "Success", "AP(rel=2)", "R(rel=2)")
    if grades == 2 or "rel=2" not in name  # else no document is relevant
]


@pytest.mark.parametrize(("name", "grades", "base"), STEPS)
def test_no_two_scores_are_closer_than_the_smallest_step(name, grades, base):
    where = comparable_rankings(6, grades, base, empty=True)
    found = complete_measures(name, 6)[0]
    scores = sorted(set(found.exact_scores(where.inputs(where.level)).tolist()))
    step = Fraction(1, round(1 / smallest_step(found, where)))
    assert min(b - a for a, b in itertools.pairwise(scores)) >= step
    assert smallest_step(measure("DCG"), where) == 0


def test_scores_closer_than_doubles_are_not_taken_for_ties():
    with pytest.raises(InputError, match=r"RBP\(p=0\.001\).*differ by less than doubles can hold"):
        universe.disagreement(["RBP(p=0.001)", "AP"], depth=13)
    with pytest.raises(InputError, match=r"RBP\(p=0\.1\).*cannot be told in doubles"):
        universe.disagreement(["RBP(p=0.1)", "AP"], depth=16)
    assert universe.disagreement(["RBP(p=0.001)", "RBP(p=0.1)"], depth=12).either.max() == 0  # fractions can tell


def test_a_measure_of_ones_own(own):
    def last(relevant):
        depth = relevant.shape[-1]
        return np.where(relevant.any(axis=-1), depth - relevant[..., ::-1].argmax(axis=-1), np.nan)

    own(last, name="Last")
    found = universe.disagreement(["Last", "RR"], depth=13)
    assert found.isotone == (False, True)
    assert found.strict_nonseparable[0, 1] == -1
    with pytest.raises(InputError, match="Last has no score for 1 of 16 rankings: 0000"):
        universe.disagreement(["Last", "RR"], depth=4, empty=True)


def test_rankings_of_a_large_universe_are_named(own):
    def odd(relevant):
        return np.where(relevant.sum(axis=-1) == 17, np.nan, relevant.sum(axis=-1))

    own(odd, name="Odd")
    text = "Odd has no score for 1 of 131071 rankings: 11111111111111111"
    with pytest.raises(InputError, match=text):
        universe.disagreement(["Odd", "RR"], depth=17)


def test_everything_wrong_is_said_at_once():
    with pytest.raises(InputError) as caught:
        universe.disagreement(["AP", "Nonsense"], depth=0, grades=300)
    text = str(caught.value)
    assert "depth is a whole number from 1 to 64" in text
    assert "grades is a whole number from 1 to 253" in text
    assert "Nonsense" in text


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"depth": 65}, "depth=65"),
        ({"depth": True}, "depth=True"),
        ({"recall_base": 0}, "recall_base is a whole number from 1"),
        ({"recall_base": -1}, "recall_base=-1"),
        ({"grades": 2, "recall_base": 3}, "recall_base is 2 whole numbers from 0 to 1,000,000,000, not all 0"),
        ({"depth": 1}, "there is no pair to compare"),
        ({"measures": ["AP"]}, "1 measure: nothing can disagree with it"),
        ({"depth": 40}, r"about [\d.]+ GiB of memory and \d+ \w+ are needed"),
        (
            {"depth": 64},
            r"all 1\.84e\+19 rankings .* about 2\.3e\+12 GiB of memory and over a million years are needed",
        ),
        ({"depth": 64, "grades": 253}, "over a million years are needed"),
        ({"grades": 254}, "grades is a whole number from 1 to 253"),
        ({"depth": 20, "memory": 1 << 20}, "0.0 GiB are there"),
        ({"depth": 5, "measures": ["AP(rel=2)", "RR"]}, "31 of 31 rankings: 00001, 00010"),
    ],
)
def test_what_is_refused(arguments, text):
    with pytest.raises(InputError, match=text):
        universe.disagreement(**({"measures": ["AP", "DCG"]} | arguments))


def test_rankings_in_words():
    words = comparable_rankings(3, 2).words()
    assert words.startswith("all 26 rankings of k = 3 documents, grades 0 to 2 (3 of each above 0), ")
    words = comparable_rankings(3, 2, (1, 2), True).words()
    assert ", grades 0 to 2 (1 of grade 1, 2 of grade 2), with the one" in words


def test_the_highest_grade_is_a_grade():
    """Codes of grades have one byte: a grade too high would come round as no document at all."""
    where = comparable_rankings(1, 253, empty=True)
    score = measure("DCG").compute(where.inputs(where.level))
    np.testing.assert_array_equal(score, np.arange(254.0))


def test_shares_of_more_pairs_than_a_hundredth_of_what_whole_numbers_hold():
    found = universe.disagreement(["AP", "DCG"], depth=4)
    where = comparable_rankings(30)
    half = np.full((2, 2), where.pairs // 2)  # times 100 it is beyond 64 bits
    many = replace(found, universe=where, either=half, strict=half)
    assert many.share[0, 1] == many.columns()["strict_percent"][0] == pytest.approx(50)


def test_notes_say_who_prefers_an_inferior_ranking_and_by_what():
    found = universe.disagreement(["SN_AP", "DCG"], depth=4)
    assert "SN_AP prefers some ranking that IPSO calls inferior" in found.remarks()
    found = universe.disagreement(["AP", "SN_AP", "DCG"], depth=3, grades=2)
    assert "SN_AP prefers some ranking that IPSO calls inferior by grade thresholds" in found.remarks()
    found = universe.disagreement(["AP", "DCG"], depth=1, empty=True)
    assert "1 pair;" in found.heading()
    assert str(found).startswith("No two of these measures order any pair of rankings differently.\n")


def test_progress_rises_to_the_end():
    heard = []
    universe.disagreement(["AP", "DCG", "RR"], depth=16, progress=heard.append, workers=1)
    assert heard == sorted(heard)
    assert heard[-1] == pytest.approx(1)
    assert list(staged(None, 1, 2)) == [None, None]


def test_workers_change_nothing():
    one, two = (universe.disagreement(["AP", "DCG", "RR"], depth=15, workers=n) for n in (1, 3))
    np.testing.assert_array_equal(one.either, two.either)


def test_estimates_grow_with_the_universe():
    assert memory_needed(comparable_rankings(24), 2, 2) < 8 << 30
    assert memory_needed(comparable_rankings(24), 2, 2) > 15 * memory_needed(comparable_rankings(20), 2, 2) / 2


def test_shapes():
    found = universe.disagreement(["AP", "DCG", "RR"], depth=6)
    frame = found.to_frame()
    assert frame.height == 3
    assert frame["any"].to_list() == [int(found.either[i, j]) for i, j in ((0, 1), (0, 2), (1, 2))]
    assert json.loads(json.dumps(found.to_dict()))["pairs"] == 1953
    assert found.to_markdown().count("\n") == 9
    assert r"\% of pairs & AP & DCG & RR \\" in found.to_latex()
    assert "<table>" in found._repr_html_()


def test_measures_that_break_the_rules_are_named_beside_separability():
    """The sentence on IPSO is about metrics that keep its rules."""
    found = universe.disagreement(["DCG", "SN_DCG", "SN_AP"], depth=6)
    assert found.breaking == ["SN_DCG", "SN_AP"]
    assert "differently, ties by one alone included." in found.answer()
    beside = universe.separability(6)
    assert beside.answer().endswith("even metrics that keep IPSO's rules may disagree.")
    assert beside.answer(["SN_AP"]).endswith("may disagree; SN_AP does not always keep them.")
    assert beside.answer(found.breaking).endswith("may disagree; SN_DCG and SN_AP do not always keep them.")
