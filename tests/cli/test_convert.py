"""rankscope convert, as a user meets it."""

import json
from functools import partial

import pytest
from commands import command

RUN = "7 Q0 a 1 2.5 tag\n7 Q0 b 2 1.5 tag\n"
QRELS = "7 0 a 1\n7 0 b 0\n"


@pytest.fixture
def convert(tmp_path):
    (tmp_path / "run.txt").write_text(RUN)
    (tmp_path / "qrels.txt").write_text(QRELS)

    call = partial(command("convert"), cwd=tmp_path)

    call.folder = tmp_path
    return call


def test_what_was_done_and_lost_is_said(convert):
    done = convert("run.txt", "run.json")
    assert done.returncode == 0
    assert done.stdout == ""
    assert done.stderr.splitlines() == [
        "Wrote 2 lines of a run as JSON; read as TREC text.",
        "Not kept: the rank column.",
        "Not kept: the Q0 and tag columns.",
    ]
    assert json.loads((convert.folder / "run.json").read_text()) == {"7": {"a": 2.5, "b": 1.5}}
    assert "Not kept: scores: only the order is kept." in convert("run.txt", "run.jsonl.gz").stderr
    assert convert("run.txt", "copy.txt").stderr.splitlines()[1:] == ["Not kept: the tags: all are now the one given."]
    assert (convert.folder / "copy.txt").read_text() == RUN.replace("tag", "run")


def test_judgments(convert):
    assert convert("qrels.txt", "qrels.csv").stderr.startswith(
        "Wrote 2 judgments as CSV with a header; read as TREC text."
    )
    assert (convert.folder / "qrels.csv").read_text().splitlines()[0] == '"query_id","doc_id","relevance"'
    assert convert("qrels.csv", "back.txt").returncode == 0
    assert (convert.folder / "back.txt").read_text() == QRELS


def test_what_could_be_either_has_to_be_said(convert):
    convert("run.txt", "run.json")
    done = convert("run.json", "run2.txt")
    assert done.returncode == 2
    assert "run.json: could be a run or judgments" in done.stderr
    assert convert("run.json", "run2.txt", "--run").returncode == 0


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["run.txt", "qrels.txt"], "qrels.txt: exists already"),
        (["none.txt", "x.json"], "none.txt: no such file"),
        (["run.txt", "no/x.json"], "no/x.json: cannot be written"),
        (["run.txt", "x.json", "--to", "xml"], "'xml' is no format to write"),
        (["run.txt", "x.json", "--from", "parquet", "--run"], "run.txt: damaged Parquet file"),
        (["qrels.txt", "x.jsonl"], "ranked lists hold no grades"),
    ],
)
def test_bad_input(convert, args, message):
    done = convert(*args)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_a_document_twice_is_not_lost_on_the_way(convert):
    (convert.folder / "twice.txt").write_text(RUN + "7 Q0 a 3 0.5 tag\n")
    done = convert("twice.txt", "twice.json")
    assert done.returncode == 2
    assert "1 document appears twice in a topic, such as 'a' in topic '7'" in done.stderr


def test_the_nearer_reading_is_told(convert):
    (convert.folder / "bad.txt").write_text(RUN + "7 Q0 c 3\n")
    assert "bad.txt:3: 4 fields, expected 6" in convert("bad.txt", "x.json").stderr


def test_overwriting_on_request(convert):
    assert convert("run.txt", "qrels.txt", "--force").returncode == 0
