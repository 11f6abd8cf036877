"""IPSO of graded lists: the closure of the two rules, written out; independent counts; and whom the order binds."""

import json
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest

import rankscope as rs
from rankscope.measures import MEASURES, measure
from rankscope.preferences import LABELS, all_pairs, ipso_of, path, serps
from rankscope.preferences.classes import EQUAL, NON_INFERIOR, NON_SEPARABLE, NON_SUPERIOR, PREFERENCE

pytestmark = pytest.mark.filterwarnings("ignore::rankscope.errors.DataWarning")
GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "ipso_grades.json").read_text())["entries"]


def entries(kind):
    return [pytest.param(e, id=e["id"]) for e in GOLDEN if e["kind"] == kind]


def every_list(k, grades):
    return np.array(list(product(range(grades + 1), repeat=k)))


def classes_of_all(k, grades, gains=None):
    """(lists, lists) class of the row's list against the column's."""
    lists = every_list(k, grades)
    return path(lists[:, None], lists[None], gains=gains)[..., -1]


def rule_1(s1, s2):
    """Every element of s1 is greater than or equal to the corresponding element of s2."""
    return all(x >= y for x, y in zip(s1, s2, strict=True))


def rule_2(s1, s2):
    """s2 is s1 after one element was swapped rightwards with one of strictly lower relevance."""
    for i, j in combinations(range(len(s1)), 2):
        swapped = list(s1)
        swapped[i], swapped[j] = swapped[j], swapped[i]
        if s1[i] > s1[j] and swapped == list(s2):
            return True
    return False


def closure(k, grades):
    """(lists, lists) whether the row's list is non-inferior to the column's by any number of steps of the two rules."""
    lists = every_list(k, grades).tolist()
    reached = np.array([[rule_1(a, b) or rule_2(a, b) for b in lists] for a in lists])
    while True:
        further = (reached.astype(np.float32) @ reached.astype(np.float32)) > 0
        if (further == reached).all():
            return reached
        reached = further


@pytest.mark.parametrize(("k", "grades"), [(1, 3), (2, 3), (3, 1), (3, 2), (3, 3), (4, 1), (4, 2), (4, 3)])
def test_the_order_is_the_closure_of_the_two_rules(k, grades):
    reached = closure(k, grades)
    up, down = reached, reached.T
    expected = np.select([up & down, up, down], [EQUAL, NON_INFERIOR, NON_SUPERIOR], NON_SEPARABLE)
    np.testing.assert_array_equal(classes_of_all(k, grades), expected)


@pytest.mark.parametrize("entry", entries("thresholds_universe"))
def test_golden_universe(entry):
    found = classes_of_all(entry["k"], entry["grades"])
    assert len(found) == entry["lists"]
    assert np.count_nonzero(found == EQUAL) == entry["equal"]
    assert np.count_nonzero(PREFERENCE[found]) == entry["separable"]
    assert np.count_nonzero(found == NON_SEPARABLE) == entry["non_separable"]
    sums = classes_of_all(entry["k"], entry["grades"], gains="linear")
    assert np.count_nonzero(PREFERENCE[sums]) == entry["separable_by_linear_gains"]
    # sums order every pair that the rules order, the same way
    assert (PREFERENCE[sums] == PREFERENCE[found])[PREFERENCE[found] != 0].all()


@pytest.fixture(scope="module")
def collections(data):
    """By name, lists to rank 20."""
    return {name: rs.load(data / name / "qrels.gz", data / name / "runs", depth=20)
            for name in ("dl19-passage", "trec-covid-r5")}  # fmt: skip


@pytest.mark.parametrize("entry", entries("thresholds_collection"))
def test_golden_collections(entry, collections):
    judged = collections[entry["collection"]]
    for prefix, gains in (("", None), ("linear_", "linear")):
        found = all_pairs(judged, "ipso", depth=entry["k"], gains=gains)
        assert (len(found.systems), len(found.topics)) == (entry["systems"], entry["topics"])
        equal, ni, ns, mixed = found.counts.sum(axis=0).tolist()
        assert equal == entry[f"{prefix}equal"]
        assert ni + ns == entry[f"{prefix}separable"]
        assert mixed == entry[f"{prefix}non_separable"]


# ---- whom the orders bind -------------------------------------------------------------------------


def rbp_max(grades, p=0.8, most=2):
    """RBP of the best document so far, for ever: better documents, and better ones earlier, never lower it."""
    best = np.maximum.accumulate(np.asarray(grades) / most)
    stop = (1 - p) * p ** np.arange(len(best))
    stop[-1] /= 1 - p  # nothing better comes after the last
    return float(best @ stop)


def test_rules_leave_free_what_sums_order():
    """The examples of docs/methods/ipso.md."""
    assert [LABELS[c] for c in path([1, 1], [0, 2], gains="linear").tolist()] == ["ni", "ni"]
    assert (rbp_max([1, 1]), rbp_max([0, 2])) == pytest.approx((0.5, 0.8))
    assert [LABELS[c] for c in path([1, 1], [0, 2]).tolist()] == ["ni", "**"]
    assert [LABELS[c] for c in path([2, 0], [1, 1], gains="linear").tolist()] == ["ni", "ni"]
    two, ones = measure("AP@2").score(np.array([[2.0, 0.0], [1.0, 1.0]]), [[2.0, 1.0, 1.0, 0.0]] * 2).tolist()
    assert two < ones
    assert [LABELS[c] for c in path([2, 0], [1, 1]).tolist()] == ["ni", "**"]
    assert "Every metric to this depth that keeps Rules 1 and 2" in str(ipso_of([2, 0], [1, 1]))
    assert "Every metric to this depth that sums this gain" in str(ipso_of([2, 0], [1, 1], gains="linear"))


def reversed_topics(judged, name, value, kept):
    """Pairs of lists that the order separates one way and the scores the other way; (pairs, topics)."""
    scores = rs.evaluate(judged, name)
    at = [scores.topics.index(topic) for topic in kept.topics]
    score = scores.value[0][:, at]
    first, second = score[kept.first], score[kept.second]
    near = 1e-12 * np.maximum(np.abs(first), np.abs(second))
    apart = np.where(np.abs(first - second) <= near, 0, np.sign(second - first))
    return np.isfinite(apart) & (apart * value < 0)


@pytest.mark.parametrize("collection", ["dl19-passage", "trec-covid-r5"])
def test_no_measure_that_keeps_the_rules_reverses_a_separable_topic(collection, data):
    """Every measure of the library, on lists cut at rank 10, so that none sees more than the order does."""
    folder = data / collection
    judged = rs.load(folder / "qrels.gz", folder / "runs", depth=10)
    kept = all_pairs(judged, "ipso")
    tried = {}
    for record in MEASURES.values():
        for one in [] if record.breaks_ipso else cut(record):
            tried[str(one)] = int(np.count_nonzero(reversed_topics(judged, one, kept.value, kept)))
    assert len(tried) > 40
    assert not any(tried.values())
    # sums of grades promise less: AP reverses some of what they separate
    sums = all_pairs(judged, "ipso", gains="linear")
    share = np.count_nonzero(reversed_topics(judged, measure("AP@10"), sums.value, sums)) / np.count_nonzero(sums.value)
    assert share == pytest.approx({"dl19-passage": 0.0335, "trec-covid-r5": 0.0255}[collection], abs=1e-4)


def test_q_breaks_the_rules_where_grades_below_rel_have_gain():
    """A relevant document counts with the gain found so far, so a grade below rel helps if it stands before it."""
    better, worse = [0, 0, 0, 2, 1], [0, 0, 0, 1, 2]
    assert LABELS[path(better, worse)[-1]] == "ni"
    pool = [[2.0, 1.0, 0.0, 0.0, 0.0]] * 2
    lists = np.array([better, worse], float)
    # the one relevant document: (1 + 2) / (4 + 3) against (1 + 3) / (5 + 3)
    assert measure("Q(rel=2)").score(lists, pool).tolist() == pytest.approx([3 / 7, 4 / 8])
    one, other = measure("Q").score(lists, pool).tolist()
    assert one > other


def cut(record):
    """The measure at rank 10, with other thresholds and gains where it takes them."""
    base = record if record.cutoff_rule == "none" else record @ (0.5 if record.cutoff_rule == "recall" else 10)
    found = [base]
    binary = {"gain": "binary"} if "gain" in record.values else {}  # beside graded gains rel has no effect
    for given in ({"rel": 2, **binary}, {"gain": "linear"}, {"gain": "exp"}):
        if given.keys() <= record.values.keys():
            found.append(base(**given))
    return found


def test_a_pair_of_graded_lists_in_words():
    text = serps([("2,0", "1,1")]).to_text("full")
    assert text.splitlines()[4].split() == [
        "rank",
        "A",
        "B",
        *["B", "-", "A", "at", "1"],
        *["B", "-", "A", "at", "2"],
        "class",
    ]
    assert text.splitlines()[6].split() == ["2", "0", "1", "1", "-1", "**"]
    assert "Order: counts of documents at every grade threshold (1, 2).\n  Every metric" in text
    assert "sums of gain (linear, the grade itself)" in serps([("2,0", "1,1")], gains="linear").to_text("full")
    wide = serps([("1,2,3,4,5,6", "6,5,4,3,2,1")])
    assert "B - A, least" in str(wide)
    assert [int(x) for x in wide.ahead(0)["B - A, most"]] == [1, 2, 3, 2, 1, 0]
    assert "Order: counts of documents of grade 1 or more." in serps([("10", "01")]).to_text("full")
