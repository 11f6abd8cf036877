"""IPSO: the paper's rows, a literal twin in fractions, and what a user meets."""

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankscope as rs
from rankscope.errors import DataWarning, InputError
from rankscope.preferences import LABELS, ipso_of, path, serps
from rankscope.preferences.classes import first_advantage, groups_of, rows_in_order, separability_lost
from rankscope.preferences.serps import METRICS
from rankscope.statistics.pairs.difference_tests import even_odds

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "ipso.json").read_text())["entries"]
UNIVERSE = {"table2", "tau", "tau_b"}  # counts over all possible lists: another room's
COLUMNS = {"RR": "RR", "Prec": "Prec", "RBP_0_5": "RBP(0.5)", "RBP_0_8": "RBP(0.8)", "AP": "AP", "NDCG": "NDCG"}


def entries(*kinds):
    return [pytest.param(e, id=e["id"]) for e in GOLDEN if e["kind"] in kinds]


def literal(a, b):
    """Algorithm 1 of the paper, for every depth, in fractions of the typed decimals."""
    ahead, up, down, labels = Fraction(0), False, False, []
    for x, y in zip(a, b, strict=True):
        ahead += Fraction(str(x)) - Fraction(str(y))
        up, down = up or ahead > 0, down or ahead < 0
        labels.append("**" if up and down else "ni" if up else "ns" if down else "==")
    return labels


def literal_counts(a, b):
    """The same with counts at every threshold in place of the sum."""
    thresholds, up, down, labels = {x for x in (*a, *b) if x > 0}, False, False, []
    for depth in range(1, len(a) + 1):
        for g in thresholds:
            ahead = sum(x >= g for x in a[:depth]) - sum(y >= g for y in b[:depth])
            up, down = up or ahead > 0, down or ahead < 0
        labels.append("**" if up and down else "ni" if up else "ns" if down else "==")
    return labels


def labels(paths):
    return [LABELS[c] for c in paths.tolist()]


def bits(text):
    return [int(c) for c in text]


def test_every_kind_of_golden_entry_is_known():
    here = {"topic_row", "graded_pair", "sign_test", "grid", "nonseparable_pair", "pair", "row_order", "counts"}
    assert {e["kind"] for e in GOLDEN} == here | UNIVERSE


@pytest.mark.parametrize("entry", entries("topic_row", "graded_pair", "pair"))
def test_golden_paths(entry):
    given, expected = entry["inputs"], entry["expected"]
    a, b = (given.get(f"S{i}", given.get(f"Sys{s}")) for i, s in ((1, "A"), (2, "B")))
    got = path(bits(a), bits(b)) if isinstance(a, str) else path(a, b, gains="linear")
    assert labels(got) == expected["path"]
    if entry["id"].startswith("sec38"):  # the paper's own examples come out the same by thresholds
        assert labels(path(a, b)) == expected["path"]
    assert LABELS[int(got[-1])] == expected.get("outcome", expected["path"][-1])
    if "group" in expected:
        assert groups_of(got) == expected["group"]
        row = serps([(a, b)]).to_dict()["pairs"][0]
        for name, value in expected["differences"].items():  # A - B in Figure 5; ours are B - A
            assert row[COLUMNS[name]] == pytest.approx(-value, abs=entry["tolerance"])


@pytest.mark.parametrize("entry", entries("grid"))
def test_golden_grid(entry):
    rows, columns = entry["inputs"]["rows"], entry["inputs"]["columns"]
    got = [[LABELS[int(path(bits(r), bits(c))[-1])] for c in columns] for r in rows]
    assert got == entry["expected"]["cells"]
    flat = [c for row in got for c in row]
    assert {k: flat.count(v) for k, v in (("equal", "=="), ("ni", "ni"), ("ns", "ns"), ("nonsep", "**"))} == entry[
        "expected"
    ]["counts"]


@pytest.mark.parametrize("entry", entries("nonseparable_pair"))
def test_golden_freedom_of_metrics(entry):
    a, b = (bits(entry["inputs"][s]) for s in ("S1", "S2"))
    assert LABELS[int(path(a, b)[-1])] == "**"
    pool = [[1.0] * 3 + [0.0] * 3] * 2
    phi = (5**0.5 - 1) / 2
    names = {"Prec": "P@3", "RBP8": "RBP(p=0.8)", "AP": "AP@3", "NDCG": "nDCG@3", "Succ": "Success@3",
             "RBPphi": f"RBP(p={phi!r})", "RR": "RR", "RBP5": "RBP(p=0.5)"}  # fmt: skip
    for name, ours in names.items():
        got = rs.measure(ours).score(np.array([a, b], float), pool)
        assert got.tolist() == pytest.approx(
            [entry["expected"][f"scores_S{i}"][name] for i in (1, 2)], abs=entry["tolerance"]
        )


@pytest.mark.parametrize("entry", entries("row_order"))
def test_golden_row_order(entry):
    rows = entry["inputs"]["rows"]
    topics = tuple(str(r["topic"]) for r in rows)
    found = ipso_of([bits(r["SysA"]) for r in rows], [bits(r["SysB"]) for r in rows])
    order = [int(topics[i]) for i in rows_in_order(found.path, topics)]
    assert order == entry["expected"].get("order", entry["expected"].get("topics"))
    shown = serps([(r["SysA"], r["SysB"]) for r in rows], topics).columns()
    assert [int(t) for t in shown["topic"]] == order
    assert set(METRICS) <= set(shown)


@pytest.mark.parametrize("entry", entries("counts"))
def test_golden_swing(entry):
    """81 v 109 + 36 and 81 + 36 v 109, from 249 lists of the five groups."""
    examples = {1: ("011", "100"), 2: ("0", "1"), 3: ("0", "0"), 4: ("1", "0"), 5: ("100", "011")}
    pairs = [examples[g + 1] for g, n in enumerate(entry["inputs"]["groups"]) for _ in range(n)]
    got = ipso_of(*([bits(p[side].ljust(3, "0")) for p in pairs] for side in (0, 1)))
    assert got.counts[-1].tolist() == entry["inputs"]["groups"]
    assert len(got.topics) == entry["expected"]["topics"]
    nonseparable = got.counts[-1, [0, 4]].sum()
    assert nonseparable == entry["expected"]["nonseparable"]
    assert [side[:2] for side in got.swing] == [(81, 109 + 36), (81 + 36, 109)]
    assert got.pvalue == pytest.approx(0.04985144161687, abs=1e-12)
    assert [side[2] for side in got.swing] == pytest.approx([2.475327702748e-05, 0.6415752278066], abs=1e-12)


@pytest.mark.parametrize("entry", entries("sign_test"))
def test_golden_sign_tests(entry):
    got = even_odds(entry["inputs"]["ns"], entry["inputs"]["ni"])
    assert got == pytest.approx(entry["expected"]["p_two_tailed"], abs=entry["tolerance"])


GAINS = (0, 1, 0.1, 0.2, 0.3, 0.7, 0.8, 1.1, 2.5)


@st.composite
def two_lists(draw, gains=GAINS):
    n = draw(st.integers(1, 12))
    return [draw(st.lists(st.sampled_from(gains), min_size=n, max_size=n)) for _ in range(2)]


@given(two_lists() | two_lists((0, 1)))
def test_paths_are_those_of_the_literal_loop(lists):
    a, b = lists
    assert labels(path(a, b, gains="linear")) == literal(a, b)
    got = path(a, b)
    assert labels(got) == literal_counts(a, b)
    if {*a, *b} <= {0, 1}:
        assert labels(got) == literal(a, b)
    swapped = {"ni": "ns", "ns": "ni"}
    assert labels(path(b, a)) == [swapped.get(c, c) for c in labels(got)]
    apart = [i + 1 for i, c in enumerate(labels(got)) if c != "=="]
    mixed = [i + 1 for i, c in enumerate(labels(got)) if c == "**"]
    rank, leader = first_advantage(got)
    assert rank == (apart[0] if apart else 0)
    assert leader == (0 if not apart else {"ni": -1, "ns": 1}[labels(got)[apart[0] - 1]])  # a rank has one better grade
    assert separability_lost(got) == (mixed[0] if mixed else 0)


def test_decimals_are_as_typed():
    for a, b in (([0.1, 0.2], [0.3, 0]), ([0.8, 0.2], [1.0, 0.0])):
        assert labels(path(a, b, gains="linear")) == ["ns", "ns"]
        assert labels(path(np.array(a, np.float32), np.array(b, np.float32), gains="linear")) == ["ns", "ns"]
        assert labels(path(a, b)) == ["ns", "**"]  # two documents of little worth against one: no rule orders them
    assert labels(path(["0.1", "0.2"], ["0.30", "0"], gains="linear")) == ["ns", "ns"]
    assert labels(path([0.1] * 3 + [0], [0, 0, 0, 0.3], gains="linear")) == ["ni"] * 4
    third = Fraction(1, 3)
    assert labels(path([third] * 3, [1, 0, 0], gains="linear")) == ["ns"] * 3
    assert labels(path([1, 1, 0], [0, 3, 0], gains={1: 0.5, 3: 1})) == ["ni"] * 3
    assert labels(path([3, 0], [1, 3], gains="binary")) == ["==", "ns"]
    with pytest.raises(InputError, match=r"gains='sum' is unknown\n.*thresholds, binary"):
        path([1], [0], gains="sum")


QRELS = {"1": {"a": 1, "b": 2, "c": 0}, "2": {"a": 2, "d": 1}, "3": {"x": 0}, "4": {"e": 2}}
RUNS = {
    "one": {"1": ["a", "b", "c"], "2": ["d", "a"], "3": ["x"], "4": ["e"]},
    "other": {"1": ["b", "c", "a"], "2": ["a", "u"], "3": ["u"]},
}


def loaded(**rules):
    return rs.load(QRELS, RUNS, **rules)


def test_a_collection_by_hand():
    with pytest.warns(DataWarning, match="missing from runs"):
        judged = loaded()
    with pytest.warns(DataWarning, match="without relevant documents, left out: 1 of 4"):
        got = rs.ipso(judged, "one", "other", depth=2, gains={1: 0.5, 2: 1})
    # topic 1: 0.5 1.5 v 1 1; topic 2: 0.5 1.5 v 1 1; topic 4: 1 v an empty list
    assert got.topics == ("1", "2", "4")
    assert [labels(row) for row in got.path] == [["ns", "**"], ["ns", "**"], ["ni", "ni"]]
    assert got.counts.tolist() == [[0, 2, 0, 1, 0], [2, 0, 0, 1, 0]]
    assert got.pvalues.tolist() == [1.0, 1.0]
    assert [side[:2] for side in got.swing] == [(0, 3), (2, 1)]
    assert got.order.words == "sums of gain (0 -> 0, 1 -> 0.5, 2 -> 1)"
    assert "Every metric to this depth that sums this gain times a weight" in str(got)
    rows = got.to_frame()
    assert rows["topic"].to_list() == ["1", "2", "4"]
    assert rows["ahead_first"].to_list() == ["other", "other", "one"]
    assert rows["favours"].to_list() == [None, None, "one"]
    assert rows["separability_lost"].to_list() == [2, 2, None]
    assert got.by_depth()["** after ns"].to_list() == [0, 2]
    assert "Sign test, other ahead on 0 and one on 1: p = 1.0000." in str(got)
    assert json.loads(json.dumps(got.to_dict()))["depths"][1]["** after ns"] == 2


@pytest.mark.filterwarnings("ignore::rankscope.errors.DataWarning")
def test_rules_of_the_collection_hold():
    assert rs.ipso(loaded(missing="drop"), "one", "other", depth=2, gains="linear").topics == ("1", "2")
    assert len(rs.ipso(loaded(undefined="zero"), "one", "other", depth=2, gains="linear").topics) == 4
    assert rs.ipso(loaded(rel=2), "one", "other", gains="binary").topics == ("1", "2", "4")
    binary = rs.ipso(loaded(), "one", "other", depth=2, rel=2)
    assert [labels(row) for row in binary.path] == [["ns", "ns"], ["ns", "ns"], ["ni", "ni"]]
    assert binary.order.words == "counts of documents of grade 2 or more"
    assert "Every metric of this binary relevance" in str(binary)
    exponential = rs.ipso(loaded(), "one", "other", depth=2, gains="exp")
    assert labels(exponential.path[0]) == ["ns", "**"]
    plain = rs.load({"1": {"a": 1, "b": 0}}, {"x": {"1": ["a", "b"]}, "y": {"1": ["b", "a"]}})
    assert labels(rs.ipso(plain, "x", "y").path[0]) == ["ni", "ni"]
    signatures = {rs.ipso(plain, "x", "y", gains=gains).signature for gains in (None, "thresholds", "binary")}
    assert len(signatures) == 1  # for binary judgments all orders are one


@pytest.mark.filterwarnings("ignore::rankscope.errors.DataWarning")
def test_thresholds_are_the_default():
    got = rs.ipso(loaded(), "one", "other", depth=2)
    # topic 1: 1 2 v 2 0; topic 2: 1 2 v 2 and unjudged; topic 4: 2 v an empty list
    assert [labels(row) for row in got.path] == [["ns", "**"], ["ns", "**"], ["ni", "ni"]]
    assert got.order.words == "counts of documents at every grade threshold (1, 2)"
    assert got.signature.startswith("IPSO@2|order:thresholds|")
    assert "Every metric to this depth that keeps Rules 1 and 2" in str(got)
    assert got.to_dict()["binds"].startswith("every metric")
    assert (rs.ipso(loaded(), "one", "other", depth=2, gains="thresholds").path == got.path).all()
    assert rs.ipso(loaded(rel=0), "one", "other", depth=2).order.names == ("0", "1", "2")  # 0 is relevant there
    many = rs.load({"1": {f"d{i}": i / 10 for i in range(12)}}, {"x": {"1": ["d3"]}, "y": {"1": ["d2"]}})
    assert rs.ipso(many, "x", "y").order.words.endswith("threshold (0.1, 0.2, ..., 1.1: 11)")


@pytest.mark.filterwarnings("ignore::rankscope.errors.DataWarning")
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"gains": "thresholds", "rel": 2}, "rel=2 has no effect with gains='thresholds'"),
        ({"gains": {1: 1}}, "nothing is said of grade 2"),
        ({"gains": {1: 2, 2: 1}}, r"grade 2 has less \(1\) than grade 1 \(2\)"),
        ({"gains": {1: -1, 2: 1}}, "not negative"),
        ({"gains": {1: "x", 2: 1}}, "is no gain"),
        ({"gains": "ideal"}, "thresholds, binary, linear, exp"),
        ({"gains": 3}, "gains=3"),
        ({"gains": "linear", "rel": 2}, "rel goes with"),
        ({"gains": {1: 1e-18, 2: 1e3}}, "round the gains"),
        ({"gains": "binary", "depth": 4}, "depth is a whole number from 1 to 3"),
        ({"gains": "binary", "depth": 0}, "depth=0"),
        ({"gains": "binary", "a": "oen"}, "did you mean one"),
        ({"gains": "binary", "rel": 3}, "no topic is left"),
        ({"rel": "2"}, "rel is a number"),
        ({"rel": float("nan")}, "rel is a number"),
        ({"gains": "linear", "rel": "2"}, "rel='2' has no effect"),
    ],
)
def test_bad_input(options, message):
    with pytest.raises(InputError, match=message):
        rs.ipso(loaded(), **({"a": "one", "b": "other"} | options))


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        ([1, 0], [1, 0, 1], "lists of 2 and 3 gains.*\n.*equally long"),
        ([1, float("nan")], [1, 0], "nan is no gain"),
        ([1, -1], [1, 0], "-1 is no gain"),
        (1, [1], "axis of ranks"),
        ([[1, 0], [1]], [[1, 0], [1, 1]], "lists of different lengths"),
        (np.zeros((3, 4)), np.zeros((2, 4)), r"arrays of \(3, 4\) and \(2, 4\) gains"),
        ([], [], "lists of 0 gains"),
        ([None, -1], [1, 0], "None is no gain\n-1 is no gain"),
        ("10x", "101", "x is no gain"),
    ],
)
def test_bad_lists(a, b, message):
    with pytest.raises(InputError, match=message):
        path(a, b)


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ([([float("nan")], [1]), ("1x", "y")], "pair 1: nan is no gain\npair 2: '1x' is.*\npair 2: 'y' is"),
        ([("1", "0", "1")], "a pair is two lists"),
        ([([[1, 0]], [1])], "one axis"),
        ([], "no pairs of lists"),
    ],
)
def test_bad_bare_lists(pairs, message):
    with pytest.raises(InputError, match=message):
        serps(pairs)
    with pytest.raises(InputError, match="2 topics for 1 pair"):
        serps([("1", "0")], ["a", "b"])


def test_bare_lists_of_any_kind():
    for a, b in (([True, False], [False, True]), (np.array([1, 0]), np.array([0, 1])), ("10", [0, 1.0])):
        assert serps([(a, b)]).columns()["path"] == ["nini"]


def test_what_a_notebook_shows():
    """The gain map and the test stand beside the table; sentences about nothing are left out."""
    got = ipso_of([1, 0], [0, 1])
    for words in (
        "1 topic, 0 left out",
        "counts of documents of grade 1 or more",
        "p value is the same at every",
    ):
        assert words in str(got)
        assert words in got._repr_html_()
    assert "non-separable topics" not in str(got)
    assert "If the 1 undecided topic went to A: 0 against 1" in str(ipso_of([1, 0, 0], [0, 1, 1]))


def test_frames_can_be_stacked():
    import polars as pl

    frames = [ipso_of(a, [0, 1, 1]).to_frame() for a in ([0, 1, 1], [1, 0, 0])]
    assert pl.concat(frames)["separability_lost"].to_list() == [None, 3]


@pytest.mark.parametrize("call", [rs.ipso, rs.lexiprecision, rs.rpp, rs.preferences.all_pairs])
def test_a_warning_names_the_line_that_called(call):
    judged = rs.load({"1": {"a": 1}, "2": {"a": 0}}, {"x": {"1": ["a"], "2": ["a"]}, "y": {"1": ["b"], "2": ["b"]}})
    with pytest.warns(DataWarning, match="left out: 1 of 2") as told:
        call(judged, *(["ipso"] if call is rs.preferences.all_pairs else ["x", "y"]))
    assert told[0].filename == __file__


def test_lists_without_relevance_are_a_tie():
    got = ipso_of([0, 0, 0], [0, 0, 0])
    assert (labels(got.path[0]), got.pvalue) == (["=="] * 3, 1.0)
