"""evaluate --bounds, as a user meets it."""

import csv
import io
import json

import pytest

from rankscope.cli import main

QRELS = "1 0 a 1\n1 0 b 0\n2 0 a 1\n2 0 c 0\n3 0 a 0\n"
# on topic 1 relevant, open; on topic 2 not relevant, open; topic 3 has nothing relevant and is left out
RUN = "1 Q0 a 1 2 x\n1 Q0 z 2 1 x\n2 Q0 c 1 2 x\n2 Q0 z 2 1 x\n3 Q0 z 1 1 x\n"


@pytest.fixture
def told(tmp_path, capsys):
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "good.run").write_text(RUN)

    def run(*options):
        code = main(["evaluate", str(tmp_path / "qrels"), str(tmp_path / "good.run"), *options])
        return code, *capsys.readouterr()

    return run


def test_table(told):
    code, out, _ = told("-m", "P@2", "AP", "--bounds")
    assert code == 0
    assert out.splitlines()[:2] == [
        "system   lower     P@2   upper   lower      AP   upper",
        "good    0.2500  0.2500  0.7500  0.5000  0.5000  0.6250",
    ]
    assert out.splitlines()[-3:] == ["lower and upper", "P@2: exact", "AP: exact"]


def test_by_topic(told):
    _, out, _ = told("-m", "AP", "--bounds", "-q")
    assert out.splitlines()[:4] == [
        "system  topic   lower      AP   upper",
        "good    1      1.0000  1.0000  1.0000",
        "good    2      0.0000  0.0000  0.2500",
        "good    3           -       -       -",
    ]


def test_csv_and_json(told):
    _, out, _ = told("-m", "AP", "--bounds", "--csv")
    assert list(csv.DictReader(io.StringIO(out))) == [
        {
            "measure": "AP",
            "system": "good",
            "lower": "0.5",
            "value": "0.5",
            "upper": "0.625",
            "n_topics": "2",
            "how": "exact",
        }
    ]
    _, out, _ = told("-m", "AP", "--bounds", "--json", "-q")
    got = json.loads(out)
    assert got["means"] == [
        {"measure": "AP", "system": "good", "lower": 0.5, "value": 0.5, "upper": 0.625, "n_topics": 2, "how": "exact"}
    ]
    assert got["scores"][1:] == [
        {"measure": "AP", "system": "good", "topic": "2", "lower": 0.0, "value": 0.0, "upper": 0.25, "how": "exact"},
        {"measure": "AP", "system": "good", "topic": "3", "lower": None, "value": None, "upper": None, "how": "exact"},
    ]


def test_trec_columns_are_refused(told):
    code, out, err = told("-m", "AP", "--bounds", "--trec")
    assert (code, out) == (2, "")
    assert "trec_eval's columns have no place for bounds" in err
    assert "--csv or --json" in err


def test_without_bounds_nothing_changes(told):
    _, out, _ = told("-m", "AP", "--csv")
    assert out == "measure,system,value,n_topics\nAP,good,0.5,2\n"
