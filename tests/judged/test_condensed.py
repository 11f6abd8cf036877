"""Condensed lists: unjudged documents taken out, as trec_eval -J does."""

import numpy as np
import pytest

import rankscope as rs
from rankscope.cli import main

QRELS = {"1": {"a": 1, "b": 0, "c": 2, "n": -1}, "2": {"d": 1}}
RUNS = {
    "holes": {"1": ["x", "a", "y", "n", "b", "z", "c"], "2": ["u", "v"]},
    "full": {"1": ["a", "b", "c"], "2": ["d"]},
}


@pytest.mark.filterwarnings("ignore::rankscope.DataWarning")
def test_lists_close_up_where_unjudged_documents_were():
    judged = rs.load(QRELS, RUNS, unjudged="condensed", keep_docs=True, keep_ties=True)
    ids = judged.documents.ids
    lists = [[ids[n] for n in row if n >= 0] for row in judged.documents.number[0]]
    assert lists == [["a", "b", "c"], []]
    assert judged.code[0].tolist() == [judged.code[1].tolist()[0], [0, 0, 0]]
    assert (judged.code != 1).all()
    assert all((code != 1).all() for code in judged.extremes)
    assert "unjudged:condensed" in rs.evaluate(judged, "AP").signature_stems[0]
    part = rs.load(QRELS, RUNS, unjudged="condensed", keep_docs=2)
    assert part.documents.number.shape[-1] >= 2
    read = rs.explain(signature=rs.evaluate(judged, "AP").signature_stems[0])
    assert "--unjudged condensed" in read[0].again


def test_depth_counts_documents_before_they_are_taken_out():
    with pytest.warns(rs.DataWarning, match="score too high beside the others"):
        judged = rs.load(QRELS, RUNS, unjudged="condensed", depth=2)
    assert np.count_nonzero(judged.code[0, 0]) == 1


@pytest.mark.filterwarnings("ignore::rankscope.DataWarning")
def test_streams_and_the_command_line_take_it_too(tmp_path, capsys):
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 0\n")
    (tmp_path / "run").write_text("1 Q0 x 1 9 r\n1 Q0 a 2 8 r\n")
    files = [str(tmp_path / name) for name in ("qrels", "run")]
    assert main(["evaluate", *files, "-m", "RR", "--unjudged", "condensed"]) == 0
    assert "1.0000" in capsys.readouterr().out
    stream = rs.stream(*files, unjudged="condensed")
    assert rs.evaluate(stream, "RR").matrix("RR").tolist() == [[1.0]]


@pytest.mark.filterwarnings("ignore::rankscope.DataWarning")
def test_orders_of_ties_keep_as_many_documents_as_each_has_judged_above_the_cut():
    """Of two documents with one score the list has room for one: the judged one at best, the other one at worst."""
    qrels = {"1": {"a": 1, "c": 2}, "2": {"a": 1}}
    runs = {"tied": {"1": {"a": 3.0, "b": 1.0, "c": 1.0}, "2": {"a": 3.0, "b": 1.0}}, "other": {"1": ["c"], "2": ["x"]}}
    rules = {"unjudged": "condensed", "depth": 2}
    judged = rs.load(qrels, runs, keep_ties=True, **rules)
    best, worst = judged.extremes
    assert (np.count_nonzero(best[0, 0]), np.count_nonzero(worst[0, 0])) == (2, 1)
    for ties in ("best", "worst"):
        again = rs.evaluate(rs.load(qrels, runs, ties=ties, **rules), ["AP", "nDCG@10"])
        np.testing.assert_array_equal(rs.evaluate(judged.with_ties(ties), ["AP", "nDCG@10"]).value, again.value)


@pytest.mark.filterwarnings("ignore::rankscope.DataWarning")
def test_bounds_of_unjudged_documents_need_them():
    topics = [str(t) for t in range(8)]
    qrels = {t: {"a": 1, "b": 0} for t in topics}
    runs = {"one": {t: ["x", "a", "b"] for t in topics}, "two": {t: ["a", "y", "b"] for t in topics}}
    judged = rs.load(qrels, runs, unjudged="condensed", keep_docs=True)
    with pytest.raises(rs.InputError, match="taken out of the lists, and bounds are over their grades"):
        rs.bounds(judged, "P@2")
    with pytest.raises(rs.InputError, match="taken out"):
        rs.judge_next(judged, measure="P@2")
    found = rs.compare(judged, "one", "two", measure="P@2", workers=1)
    assert found.unjudged is None
    assert "taken out of the lists" in str(next(one.reason for one in found.not_repeated if one.axis == "unjudged"))
    page = rs.report(judged, measures=["P@2", "RR"]).html
    assert "Unjudged documents:" not in page
    assert "judged@" not in page
    assert "Unjudged documents taken out of lists: 33% of each run." in page
    assert "unjudged documents are taken out of the lists, which close up" in page
