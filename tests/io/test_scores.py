"""Scores computed elsewhere: tables, rows, other tools' results; spoiled ones."""

from collections import namedtuple

import numpy as np
import polars as pl
import pytest

from rankscope import InputError
from rankscope.io.scores import read_scores

WIDE = "topic,bm25,dense\n7,0.5,0.25\n8,0.1,\n"
LONG = "measure,system,topic,value\nAP,bm25,7,0.5\nAP,dense,7,0.25\nAP,bm25,8,0.1\nP@5,bm25,7,0.9\n"


def same(table):
    assert table.systems == ("bm25", "dense")
    assert table.topics == ("7", "8")
    np.testing.assert_equal(table.value, [[0.5, 0.1], [0.25, np.nan]])


def test_wide_file(tmp_path):
    (tmp_path / "s.csv").write_text(WIDE)
    table = read_scores(tmp_path / "s.csv")
    same(table)
    assert table.measure == "score"


def test_wide_file_with_systems_in_rows(tmp_path):
    (tmp_path / "s.csv").write_text("AP,7,8\nbm25,0.5,0.1\ndense,0.25,NaN\n")
    table = read_scores(tmp_path / "s.csv", transposed=True)
    same(table)
    assert table.measure == "AP"


def test_long_file_with_several_measures(tmp_path):
    (tmp_path / "s.csv").write_text(LONG)
    same(read_scores(str(tmp_path / "s.csv"), measure="AP"))
    with pytest.raises(InputError, match=r"(?s)scores of 2 measures.*choose one of AP, P@5"):
        read_scores(tmp_path / "s.csv")


def test_own_csv_is_read_back(tmp_path):
    import rankscope as rs
    from rankscope.cli import main

    qrels, runs = rs.simulation.embedded()
    out = tmp_path / "scores.csv"
    assert main(["evaluate", str(qrels), *map(str, runs), "-m", "AP", "-q", "--csv", "-o", str(out)]) == 0
    table = read_scores(out)
    with pytest.warns(rs.DataWarning):
        scores = rs.evaluate(rs.load(qrels, runs), "AP")
    np.testing.assert_equal(table.value, scores.of("AP"))


def test_what_programs_hold_in_hand():
    same(read_scores({"bm25": {"7": 0.5, "8": 0.1}, "dense": {"7": 0.25}}))
    pytrec = {"bm25": {"7": {"map": 0.5}, "8": {"map": 0.1}}, "dense": {"7": {"map": 0.25}}}
    same(read_scores(pytrec))
    assert read_scores(pytrec).measure == "map"
    row = namedtuple("Metric", "query_id measure value")  # as ir_measures gives them
    same(read_scores({"bm25": [row("7", "AP", 0.5), row("8", "AP", 0.1)], "dense": [row("7", "AP", 0.25)]}))
    same(read_scores(pl.DataFrame({"topic": ["7", "8"], "bm25": [0.5, 0.1], "dense": [0.25, None]})))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "holds no table"),
        ("topic,a\n", "holds no table"),
        ("topic,a\n7,x\n8,inf\n", "2:.*'x'.*\n.*3:.*'inf'"),
        ("topic,a\n7\n", "1 fields, expected 2"),
        ("topic,a,a\n7,1,2\n", "'a' twice among the columns"),
        ("topic,a\n7,1\n7,2\n", "'7' twice among the rows"),
        ("system,topic,value\na,7,1\na,7,2\n", "a has topic 7 twice"),
    ],
)
def test_spoiled(tmp_path, text, said):
    (tmp_path / "s.csv").write_text(text)
    with pytest.raises(InputError, match=said):
        read_scores(tmp_path / "s.csv")
