"""Scores computed elsewhere: tables, rows, other tools' results; spoiled ones."""

from collections import namedtuple

import numpy as np
import polars as pl
import pytest

from rankscope import InputError
from rankscope.io.score_tables import read_scores

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


def test_a_column_named_system_tells_that_rows_are_systems(tmp_path):
    (tmp_path / "s.csv").write_text("run,7,8\nbm25,0.5,0.1\ndense,0.25,NA\n")
    same(read_scores(tmp_path / "s.csv"))
    same(read_scores(tmp_path / "s.csv", transposed=True))
    assert read_scores(tmp_path / "s.csv").measure == "score"


@pytest.mark.parametrize("corner", ["AP", ""])
def test_what_a_row_is_has_to_be_told(tmp_path, corner):
    """A matrix of systems by topics would be read as one of topics by systems, with numbers that look right."""
    (tmp_path / "s.csv").write_text(f"{corner},7,8\nbm25,0.5,0.1\ndense,0.25,NaN\n")
    with pytest.raises(InputError, match=r"2 rows and 2 columns of scores.*\n.*transposed=True.*transposed=False"):
        read_scores(tmp_path / "s.csv")
    same(read_scores(tmp_path / "s.csv", transposed=True))
    turned = read_scores(tmp_path / "s.csv", transposed=False)
    assert turned.systems == ("7", "8")
    assert turned.topics == ("bm25", "dense")


@pytest.mark.parametrize("transposed", [None, False, True])
def test_a_matrix_without_ids_loses_no_system(tmp_path, transposed):
    """Scores of the first system are no ids of topics."""
    (tmp_path / "s.csv").write_text("run1,run2\n0.5,0.25\n0,0.125\n")
    with pytest.raises(InputError, match="the first column, 'run1', holds scores"):
        read_scores(tmp_path / "s.csv", transposed=transposed)


def test_an_index_of_pandas_holds_ids():
    pandas = pytest.importorskip("pandas")
    columns = {"bm25": [0.5, 0.1], "dense": [0.25, None]}
    same(read_scores(pandas.DataFrame(columns, index=pandas.Index(["7", "8"], name="qid"))))
    same(read_scores(pandas.DataFrame(columns, index=[7, 8]), transposed=False))
    same(read_scores(pandas.DataFrame({"topic": [7, 8], **columns}, index=[1, 0])))
    with pytest.raises(InputError, match="without a name, does not tell"):
        read_scores(pandas.DataFrame(columns, index=[7, 8]))


def test_long_file_with_several_measures(tmp_path):
    (tmp_path / "s.csv").write_text(LONG)
    same(read_scores(str(tmp_path / "s.csv"), measure="AP"))
    with pytest.raises(InputError, match=r"(?s)scores of 2 measures.*choose one of AP, P@5"):
        read_scores(tmp_path / "s.csv")


def test_what_programs_hold_in_hand():
    same(read_scores({"bm25": {"7": 0.5, "8": 0.1}, "dense": {"7": 0.25}}))
    pytrec = {"bm25": {"7": {"map": 0.5}, "8": {"map": 0.1}}, "dense": {"7": {"map": 0.25}}}
    same(read_scores(pytrec))
    assert read_scores(pytrec).measure == "map"
    row = namedtuple("Metric", "query_id measure value")  # as ir_measures gives them
    same(read_scores({"bm25": [row("7", "AP", 0.5), row("8", "AP", 0.1)], "dense": [row("7", "AP", 0.25)]}))
    frame = pl.DataFrame({"topic": ["7", "8"], "bm25": [0.5, 0.1], "dense": [0.25, None]})
    same(read_scores(frame))
    same(read_scores(frame.lazy()))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "holds no table"),
        ("topic,a\n", "holds no table"),
        ("topic,a\n7,x\n8,inf\n", "2:.*'x'.*\n.*3:.*'inf'"),
        ("topic,a\n7\n", "1 field, expected 2"),
        ("topic,a,a\n7,1,2\n", "'a' twice among the columns"),
        ("topic,a\n7,1\n7,2\n", "'7' twice among the rows"),
        ("system,topic,value\na,7,1\na,7,2\n", "a has topic 7 twice"),
        ("topic,a\n7,1_0\n8,²\n", "2:.*'1_0'.*\n.*3:.*'²'"),
        ("topic,a,\n7,1,2\n,1,2\n", "no name for one of the columns\n.*no name for one of the rows"),
        ('\ntopic,a\n\n7,x\n\n"8\n9",y\n\n7,1,2\n', "9: 3 fields"),  # lines of the file, blank ones and all
        ('\ntopic,a\n\n7,x\n\n"8\n9",y\n\n10,z\n', "4:.*'x'.*\n.*6:.*'y'.*\n.*9:.*'z'"),
        ("topic,a\n7," + "1" * 140_000 + "\n", "2: cannot be read as delimited text"),
    ],
)
def test_spoiled(tmp_path, text, said):
    (tmp_path / "s.csv").write_text(text)
    with pytest.raises(InputError, match=said):
        read_scores(tmp_path / "s.csv")


def test_published_matrices_are_not_guessed(data):
    """Systems in rows, or no ids of topics at all: both were read as something else."""
    for path in sorted((data / "score-matrices").glob("*.csv.gz")):
        said = "does not tell which of them are systems" if path.name.startswith("newbestsub") else "holds scores"
        with pytest.raises(InputError, match=said):
            read_scores(path)
    table = read_scores(data / "score-matrices" / "newbestsub-R04.csv.gz", transposed=True)
    assert (table.measure, *table.value.shape) == ("AP", 110, 249)


def test_scores_whose_squares_are_no_numbers(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text("topic,a,b\nt1,1e160,1\nt2,0,1\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"scores.csv:2: score 1e160 is beyond 1e\+100"):
        read_scores(path)
