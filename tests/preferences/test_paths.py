"""Judgments and two runs, as files and in memory, are taken where lists are."""

from functools import partial

import pytest

import rankscope as rs
from rankscope import InputError
from rankscope.preferences import dominance, ipso, ipso_unjudged, lexiprecision, lexirecall, rpp

CALLS = {
    "ipso": ipso,
    "ipso_unjudged": ipso_unjudged,
    "dominance": partial(dominance, depth=5, gains="linear", workers=1),
    "lexiprecision": lexiprecision,
    "lexirecall": lexirecall,
    "rpp": rpp,
}
PAIR = "lexical-2", "hybrid-1"
pytestmark = pytest.mark.filterwarnings("ignore::rankscope.DataWarning")


@pytest.fixture(scope="module")
def files():
    qrels, runs = rs.simulation.embedded()
    return qrels, *(path for name in PAIR for path in runs if path.stem == name)


@pytest.mark.parametrize("name", CALLS)
def test_preferences(name, files):
    call = CALLS[name]
    qrels, *runs = files
    expected = call(rs.load(qrels, runs, keep_docs=True), *PAIR).to_dict()
    assert call(*files).to_dict() == expected
    assert call(*map(str, files)).to_dict() == expected


def test_dictionaries_are_named_a_and_b():
    a, b = {"7": ["d1", "d2", "d3"]}, {"7": ["d3", "d2", "d1"]}
    result = ipso({"7": {"d1": 0, "d3": 1}}, a, b)
    assert (result.systems, result.sign.tolist()) == (("A", "B"), [1])


@pytest.mark.parametrize("name", CALLS)
def test_what_is_wrong_is_said_with_its_place(name, files, tmp_path):
    call = CALLS[name]
    qrels, a, b = files
    with pytest.raises(InputError, match=r"nowhere\.run: no such file"):
        call(qrels, a, tmp_path / "nowhere.run")
    (tmp_path / "bad.run").write_text("101 Q0 d1 1 high x\n")
    with pytest.raises(InputError, match=r"bad\.run:1"):
        call(qrels, a, tmp_path / "bad.run")
    judged = rs.load(qrels, [a, b], keep_docs=True)
    with pytest.raises(InputError, match="runs or rules beside lists"):
        call(judged, a, b)
    with pytest.raises(InputError, match="did you mean lexical-2"):
        call(judged, "lexical2", "hybrid-1")


def test_bounds(files):
    qrels, *runs = files
    expected = rs.bounds(rs.load(qrels, runs), ["AP", "nDCG@10"])
    assert rs.bounds(qrels, runs, ["AP", "nDCG@10"]).to_dict() == expected.to_dict()
    with pytest.raises(InputError, match="give judgments, runs and measures"):
        rs.bounds(qrels, runs)
    with pytest.raises(InputError, match="runs or rules beside lists"):
        rs.bounds(rs.load(qrels, runs), runs, "AP")
