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
