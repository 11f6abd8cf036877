"""Shares of equal, separable and non-separable pairs: golden values, all pairs one by one, and real collections."""

import itertools
import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankscope as rs
from rankscope import InputError
from rankscope.errors import DataWarning
from rankscope.universe import Shares, expected_separability, separability
from rankscope.universe.ipso import pair_counts
from rankscope.universe.ipso.pair_counts import closed_form

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "ipso.json").read_text())["entries"]
TABLE2 = [entry for entry in GOLDEN if entry["kind"] == "table2"]


def compare(s1, s2):
    """Algorithm 1 of Moffat and Mackenzie (2024), line by line."""
    cumul, been_neg, been_pos = 0, False, False
    for one, other in zip(s1, s2, strict=True):
        cumul = cumul + one
        cumul = cumul - other
        been_neg |= cumul < 0
        been_pos |= cumul > 0
    return {(True, True): "**", (False, True): "ni", (True, False): "ns", (False, False): "=="}[been_neg, been_pos]


def by_pairs(lists, weight_of=lambda a, b: 1, kind=compare):
    """Every ordered pair, one by one."""
    found = {"==": 0, "ni": 0, "ns": 0, "**": 0}
    for a, b in itertools.product(lists, repeat=2):
        found[kind(a, b)] += weight_of(a, b)
    return Shares(*found.values())


@pytest.mark.parametrize("entry", TABLE2, ids=lambda entry: entry["id"])
def test_table_2(entry):
    expected, k = entry["expected"], entry["inputs"]["k"]
    found = separability(k)
    share = found.at(k)
    for name, ours in (("equal", share.equal), ("separable", share.separable), ("nonseparable", share.non_separable)):
        assert 100 * float(ours) == pytest.approx(expected[f"{name}_pct"], abs=entry["tolerance"])
    if "equal" in expected:
        counts = found.counts[0]
        assert counts[0] == int(expected["equal"])
        assert counts.separable == int(expected["separable"])
        assert counts.non_separable == int(expected["nonseparable"])


def test_what_table_2_should_print():
    """Printed 32.81 at k = 10, and k = 20, 50 and 100 from a sample that was not fair."""
    found = separability([5, 10, 15, 20, 50, 100])
    rows = [[f"{100 * float(x):.2f}" for x in (s.equal, s.separable, s.non_separable)] for s in found.shares]
    assert rows == [
        ["3.12", "83.98", "12.89"], ["0.10", "67.08", "32.82"], ["0.00", "55.97", "44.02"],
        ["0.00", "48.95", "51.05"], ["0.00", "31.52", "68.48"], ["0.00", "22.43", "77.57"],
    ]  # fmt: skip


def test_a_thousand_ranks_three_ways():
    """Closed form, dynamic programme in whole numbers, doubles within their bound."""
    closed = separability([5, 100, 1000])
    exact = separability([5, 100, 1000], probabilities=0.5)
    doubles = separability([5, 100, 1000], exact=False)
    assert closed.shares == exact.shares
    assert exact.exact
    assert closed.exact
    assert 0 < doubles.error < 1e-11
    for one, other in zip(closed.shares, doubles.shares, strict=True):
        assert max(abs(float(a) - b) for a, b in zip(one, other, strict=True)) <= doubles.error


def test_closed_form_is_the_dynamic_programme():
    depths = range(1, 201)
    assert separability(depths).shares == separability(depths, probabilities=0.5).shares


@pytest.mark.parametrize("k", range(1, 7))
def test_binary_pairs_one_by_one(k):
    assert closed_form(k) == by_pairs(list(itertools.product((0, 1), repeat=k)))
    assert separability(k).counts == (closed_form(k),)


GAINS = [[0, 1, 2], [0, 0.2, 0.8, 1], [0, 1, 3, 7], [0, 0, 1], [0.5, 1, 1.5], [0, 0.1, 0.2, 0.3], [0, 1.0001, 299.7]]


@pytest.mark.parametrize("gains", GAINS, ids=str)
@pytest.mark.parametrize("k", [1, 2, 3])
def test_graded_pairs_one_by_one(gains, k):
    lists = list(itertools.product([Fraction(str(g)) for g in gains], repeat=k))
    assert separability(k, gains=gains).counts[0] == by_pairs(lists)
    assert separability(k, grades=len(gains) - 1, gains=gains).counts[0] == by_pairs(lists)


def test_gains_by_name():
    assert separability(4, grades=2, gains="linear").counts == separability(4, gains=[0, 1, 2]).counts
    assert separability(4, grades=2, gains="linear").counts[0] == by_pairs(list(itertools.product(range(3), repeat=4)))
    assert separability(3, grades=3, gains="exp").counts == separability(3, gains=[0, 1, 3, 7]).counts
    assert separability(3, grades=2, gains="binary").counts == separability(3, gains=[0, 1, 1]).counts
    assert separability(3, grades=2, gains={1: 0.5, 2.0: "1"}).counts == separability(3, gains=[0, 1, 2]).counts


def compare_at_thresholds(s1, s2):
    """Algorithm 1 at every grade threshold: who was ahead at one of them was ahead."""
    kinds = {compare([x >= g for x in s1], [x >= g for x in s2]) for g in range(1, max(*s1, *s2, 1) + 1)}
    return "==" if kinds == {"=="} else next(iter(kinds - {"=="})) if len(kinds - {"=="}) == 1 else "**"


GRADED = json.loads((Path(__file__).parents[2] / "golden" / "ipso_grades.json").read_text())["entries"]


@pytest.mark.parametrize(
    "entry", [entry for entry in GRADED if entry["kind"] == "thresholds_universe"], ids=lambda entry: entry["id"]
)
def test_graded_pairs_by_thresholds(entry):
    k, grades = entry["k"], entry["grades"]
    found = separability(k, grades=grades)
    (counts,) = found.counts
    assert counts.total == entry["lists"] ** 2
    for name in ("equal", "separable", "non_separable"):
        assert getattr(counts, name) == entry[name]
    by_sums = separability(k, grades=grades, gains="linear").counts[0]
    assert by_sums.separable == entry["separable_by_linear_gains"]
    if grades > 1:
        assert found.how == f"all rankings over grades 0 to {grades}, equally likely; by grade thresholds"
        assert found.to_dict()["gains"] == "thresholds"


@pytest.mark.parametrize("grades", [1, 2, 3, 4])
@pytest.mark.parametrize("k", [1, 2, 3])
def test_graded_pairs_by_thresholds_one_by_one(k, grades):
    expected = by_pairs(list(itertools.product(range(grades + 1), repeat=k)), kind=compare_at_thresholds)
    assert separability(k, grades=grades, gains="thresholds").counts[0] == expected
    deeper = separability([k, k + 3], grades=grades)  # from one pass
    assert deeper.counts[0] == expected
    doubles = separability([k, k + 3], grades=grades, exact=False)
    for exact, rounded in zip(deeper.shares, doubles.shares, strict=True):
        assert max(abs(float(a) - b) for a, b in zip(exact, rounded, strict=True)) <= doubles.error


@settings(max_examples=25)
@given(st.data())
def test_probabilities_by_thresholds_one_by_one(data):
    grades, k = data.draw(st.integers(1, 3)), data.draw(st.integers(1, 3))
    weights = st.lists(
        st.lists(st.integers(0, 5), min_size=grades + 1, max_size=grades + 1).filter(any), min_size=k, max_size=k
    )
    first, second = ([[Fraction(w, sum(row)) for w in row] for row in data.draw(weights)] for _ in range(2))

    def probability_of(a, b):
        both = Fraction(1)
        for i in range(k):
            both *= first[i][a[i]] * second[i][b[i]]
        return both

    expected = by_pairs(list(itertools.product(range(grades + 1), repeat=k)), probability_of, compare_at_thresholds)
    given = {"grades": grades, "probabilities": first, "against": second}
    assert separability(k, **given).counts[0] == expected
    doubles = separability(k, **given, exact=False)
    assert max(abs(float(a) - b) for a, b in zip(expected, doubles.counts[0], strict=True)) <= doubles.error


def test_table_2_for_grades():
    """As docs/papers.md has it, at k = 5, 10, 20, 50 and 100."""
    printed = {
        (2, "thresholds"): "60.78, 39.47, 24.43, 12.60, 7.56",
        (2, "linear"): "72.42, 53.51, 38.49, 24.60, 17.46",
        (3, "thresholds"): "48.69, 28.29, 15.71, 6.98, 3.73",
        (3, "linear"): "66.07, 48.07, 34.45, 21.97, 15.57",
    }
    for (grades, gains), row in printed.items():
        depths = [5, 10, 20, 50, 100][: 4 if grades == 3 else 5]  # the last takes seconds
        found = separability(depths, grades=grades, gains=gains, exact=False)
        assert [f"{100 * s.separable:.2f}" for s in found.shares] == row.split(", ")[: len(depths)]


def test_thresholds_separate_less_than_any_sum_of_gains():
    found = separability(range(1, 13), grades=3)
    for gains in ("linear", "exp", [0, 1, 2, 10], [0, 5, 6, 7]):
        for counts, by_sums in zip(found.counts, separability(range(1, 13), grades=3, gains=gains).counts, strict=True):
            assert counts.equal == by_sums.equal
            assert counts.separable <= by_sums.separable


def test_thresholds_with_stated_limits():
    with pytest.raises(InputError, match=r"501\^3 differences of counts at 3 grade thresholds, .* GiB and \d+ minutes"):
        separability(500, grades=3)
    with pytest.raises(InputError, match=r"1001\^3 differences of counts at 3 grade thresholds, have too many"):
        separability(1000, grades=3, exact=False)
    with pytest.raises(InputError, match=r"3401\^2 differences .* take \d+ minutes"):
        separability(3400, grades=2, exact=False)


def test_dense_and_sparse_agree():
    """Gains of up to 256 units lie in one long number, others in a dictionary."""
    units = [0, 1, 5, 254]
    lists = pair_counts.random_lists(tuple(map(Fraction, units)), *[np.ones((12, 4), object)] * 2)
    assert pair_counts._packed((3, 12), lists) == pair_counts._sparse((3, 12), lists)


@settings(max_examples=40)
@given(st.data())
def test_probabilities_one_by_one(data):
    """Any odds of both rankings, binary or graded."""
    grades, k = data.draw(st.integers(2, 3)), data.draw(st.integers(1, 3))
    weights = st.lists(
        st.lists(st.integers(0, 5), min_size=grades, max_size=grades).filter(any), min_size=k, max_size=k
    )
    first, second = ([[Fraction(w, sum(row)) for w in row] for row in data.draw(weights)] for _ in range(2))
    gains = [0, 1, 4][:grades]

    def probability_of(a, b):
        both = Fraction(1)
        for i in range(k):
            both *= first[i][gains.index(a[i])] * second[i][gains.index(b[i])]
        return both

    expected = by_pairs(list(itertools.product(gains, repeat=k)), probability_of)
    found = separability(k, gains=gains, probabilities=first, against=second)
    assert found.counts[0] == expected
    doubles = separability(k, gains=gains, probabilities=first, against=second, exact=False)
    assert max(abs(float(a) - b) for a, b in zip(expected, doubles.counts[0], strict=True)) <= doubles.error


def test_probabilities_as_typed():
    assert separability(2, probabilities=[0.1, 0.3]).at(2).equal == Fraction(82, 100) * Fraction(58, 100)
    third = [1 / 3] * 3  # decimals that do not quite add up to 1
    assert separability(2, grades=2, probabilities=[third, third]).at(2) == separability(2, grades=2).at(2)


@pytest.mark.parametrize("empty", [True, False])
@pytest.mark.parametrize("base", [1, 2, 3, 5, 9])
def test_recall_base_one_by_one(base, empty):
    found = separability([3, 5], recall_base=base, empty=empty)
    for k, counts in zip(found.depths, found.counts, strict=True):
        lists = [one for one in itertools.product((0, 1), repeat=k) if (not empty) <= sum(one) <= base]
        assert counts == by_pairs(lists)


def test_jones_universe():
    """1023 rankings of ten documents, as in Jones et al. (2015): 1,046,529 ordered pairs, of them 1023 equal."""
    counts = separability(10, empty=False).counts[0]
    assert counts.total == 1023**2
    assert counts.equal == 1023
    assert counts.non_separable == 344168


def test_graded_depth_with_stated_limits(monkeypatch):
    with pytest.raises(InputError, match=r"GiB and \d+ minutes"):
        separability(50_000, grades=3, gains="linear")
    with pytest.raises(InputError, match="exact=False"):
        separability(2000, probabilities=[1 / (i + 3) for i in range(2000)])
    monkeypatch.setattr(pair_counts, "MOST_UPDATES", 1e5)
    with pytest.raises(InputError, match="different running sums at rank"):
        separability(200, gains=[0, 0.123457, 0.333331, 0.55559, 1])
    assert separability(2000, grades=2, gains="linear", exact=False).error < 1e-10


@pytest.mark.parametrize(
    ("given", "match"),
    [
        ({"depth": 0}, "depth is a whole number from 1 to 100,000"),
        ({"depth": []}, "no depth is given"),
        ({"depth": [3, True, 2.5]}, "depth=True\ndepth=2.5\n"),
        ({"depth": 3, "grades": 0}, "grades=0"),
        ({"depth": 3, "gains": [0, 2, 1]}, "none below"),
        ({"depth": 3, "gains": [0, "x"]}, "'x' is no gain"),
        ({"depth": 3, "gains": {0.5: 2}}, "expected whole grades from 0"),
        ({"depth": 3, "gains": {2: 1}}, "'nothing' is no gain"),
        ({"depth": 3, "gains": "log"}, "gains='log' is unknown\n1 problem; gains are one of thresholds, linear"),
        ({"depth": 3, "gains": 2}, "names are thresholds, linear, exp, binary"),
        ({"depth": 3, "grades": 3, "gains": [0, 1, 2]}, "3 gains for grades 0 to 3"),
        ({"depth": 3, "probabilities": 1.5}, "3 problems"),
        ({"depth": 3, "probabilities": [0.5]}, "names 1 ranks"),
        ({"depth": 1, "grades": 2, "probabilities": [[0.5, 0.4, 0.2]]}, "add up to 1"),
        ({"depth": 1, "against": 0.5}, "needs probabilities"),
        ({"depth": 3, "rel": 1}, "rel=1 has no effect"),
        ({"depth": 3, "recall_base": 0}, "recall_base=0"),
        ({"depth": 3, "grades": 2, "recall_base": 1}, "need binary rankings"),
        ({"depth": 100_000, "recall_base": 9000}, "minutes"),
    ],
    ids=str,
)
def test_bad_input(given, match):
    with pytest.raises(InputError, match=match):
        separability(**given)


def test_shows_itself():
    found = separability([3, 10])
    assert "non-separable %" in str(found)
    assert found.to_frame().columns == ["k", "equal", "non_inferior", "non_superior", "separable", "non_separable"]
    assert found.to_frame()["non_separable"].to_list() == [2 / 64, 344168 / 4**10]
    row = json.loads(json.dumps(found.to_dict()))["depths"][0]
    assert row["exactly"]["non_inferior"] == "27"
    assert row["exactly"]["of"] == "64"
    assert "<td>" in found._repr_html_()
    long = separability(9000).to_dict()["depths"][0]["exactly"]["of"]  # more digits than str() of an int gives
    assert len(long) == 5419
    with pytest.raises(InputError, match="depths are 3, 10"):
        found.at(4)


@pytest.fixture(scope="module")
def collection():
    qrels = {f"t{t}": {f"d{i}": int((i * (t + 3)) % 4 == 0) + 2 * int(i == t) for i in range(12)} for t in range(4)}
    runs = {
        f"s{s}": {t: {f"d{(i * (2 * s + 1) + s) % 12}": float(12 - i) for i in range(8 - 3 * s)} for t in qrels}
        for s in range(3)
    }
    return rs.load(qrels, runs)


def literal_models(judged, k, gain_of, kind):
    """Odds by rank, odds by rank and topic, and observed pairs, written out."""
    codes = judged.code[:, :, :k].astype(int)
    gain = [0, 0, *(gain_of(grade) for grade in judged.grades)]
    lists = [[[gain[c] for c in codes[s, t]] for s in range(len(judged.systems))] for t in range(len(judged.topics))]
    levels = sorted(set(gain))

    def expected(odds):
        return by_pairs(
            list(itertools.product(levels, repeat=k)),
            lambda a, b: np.prod([odds[i][a[i]] * odds[i][b[i]] for i in range(k)], dtype=object),
            kind,
        )

    def odds_of(some):
        return [{g: Fraction(sum(one[i] == g for one in some), len(some)) for g in levels} for i in range(k)]

    by_topic = [expected(odds_of(topic)) for topic in lists]
    observed = {"==": 0, "ni": 0, "ns": 0, "**": 0}
    for topic in lists:
        for a, b in itertools.combinations(topic, 2):
            observed[kind(a, b)] += 1
    return (
        expected(odds_of([one for topic in lists for one in topic])),
        Shares(*(sum(parts) / len(by_topic) for parts in zip(*by_topic, strict=True))),
        Shares(*(Fraction(n, sum(observed.values())) for n in observed.values())),
    )


@pytest.mark.parametrize(
    ("gains", "gain_of", "kind"),
    [
        ("binary", lambda g: int(g >= 1), compare),
        pytest.param("linear", int, compare, marks=pytest.mark.slow),
        (None, int, compare_at_thresholds),
    ],
)
def test_of_a_collection(collection, gains, gain_of, kind):
    k = 3
    found = expected_separability(collection, k, gains=gains)
    ranks, topics, observed = literal_models(collection, k, gain_of, kind)
    for name, literal in (("odds by rank", ranks), ("odds by rank and topic", topics), ("observed", observed)):
        assert found.models[name][0] == pytest.approx([float(x) for x in literal], abs=1e-12)
    assert collection.grades.tolist() == [0, 1, 2, 3]
    coins = separability(k, grades=1 if gains == "binary" else 3, gains=gains)
    assert found.models["fair coins"][0] == pytest.approx([float(x) for x in coins.shares[0]], abs=1e-12)
    assert separability(k, probabilities=collection, gains=gains).counts[0] == ranks
    assert found.pairs == 12
    assert found.heading().startswith("12 pairs of lists over 4 topics")
    assert found.to_frame().shape == (4, 5)
    assert json.loads(json.dumps(found.to_dict()))["rows"][0]["model"] == "fair coins"


def test_of_a_collection_bad_input(collection):
    with pytest.raises(InputError, match="beyond what was loaded"):
        expected_separability(collection, 100, gains="binary")
    with pytest.raises(InputError, match="against, empty cannot go with a collection"):
        separability(3, probabilities=collection, gains="binary", against=0.5, empty=False)
    alone = rs.load({"t": {"d": 1}}, {"only": {"t": {"d": 1.0}}})
    with pytest.raises(InputError, match="one system has no pairs"):
        expected_separability(alone, 1)


def test_default_depths_are_those_that_can_be_counted(monkeypatch):
    docs = {f"d{i}": i % 4 for i in range(60)}
    runs = {name: {"t": {f"d{i}": (i * step) % 61 for i in range(60)}} for name, step in (("a", 7), ("b", 11))}
    judged = rs.load({"t": docs}, runs)
    assert expected_separability(judged).depths == (5, 10, 15, 20, 50)
    monkeypatch.setattr(pair_counts, "MOST_BYTES", 24 * 30**3)
    found = expected_separability(judged)
    assert found.depths == (5, 10, 15, 20)
    assert "every grade threshold (1, 2, 3)" in found.heading()
    with pytest.raises(InputError, match=r"51\^3 differences of counts at 3 grade thresholds"):
        expected_separability(judged, 50)


def test_topics_left_out_are_said_once():
    judged = rs.load({"t": {"d": 1}, "u": {"d": 0}}, {s: {t: {"d": 1.0} for t in "tu"} for s in "ab"})
    with pytest.warns(DataWarning, match="1 of 2") as said:
        found = expected_separability(judged, [1])
    assert len(said) == 1
    assert found.n_topics == 1


def test_real_lists_are_more_separable_than_chance(data):
    """Table 3 on part of its collection: what the paper's text says of it."""
    judged = rs.load(data / "robust04-part" / "qrels.gz", data / "robust04-part" / "runs")
    found = expected_separability(judged, gains="binary")
    assert found.depths == (5, 10, 15, 20, 50, 100)
    for at in range(len(found.depths)):
        coins, ranks, topics, observed = (shares[at] for shares in found.models.values())
        assert coins.non_separable > ranks.non_separable > topics.non_separable > observed.non_separable
        assert observed.equal > topics.equal > ranks.equal
