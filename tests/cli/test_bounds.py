"""evaluate --bounds, as a user meets it."""

import csv
import io
import json

import pytest
from snapshots import check_short

from rankscope.cli import main
from rankscope.simulation import embedded

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
    assert out.splitlines()[:5] == [
        "Whatever grades unjudged documents have, the mean P@2 of good is between 0.2500",
        "  and 0.7500.",
        "",
        "system                      P@2                       AP",
        "good    0.2500 [0.2500, 0.7500]  0.5000 [0.5000, 0.6250]",
    ]
    assert "outside" not in out
    full = told("-m", "P@2", "AP", "--bounds", "--full")[1]
    assert "good    0.2500  0.2500  0.7500" in full
    assert "good    0.5000  0.5000  0.6250" in full
    assert "How were the ranges found?\n  P@2: exact\n  AP: exact\n" in full
    outside = "Ranges that are not exact, or that the mean can lie outside of: Bpref."
    assert outside in told("-m", "AP", "Bpref", "--bounds")[1]


def test_answer_says_whether_the_leader_can_change(tmp_path, capsys):
    """The second run leads where its lower end is above the upper end of the first, and not where ranges meet."""
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 0\n1 0 c 0\n")
    (tmp_path / "low").write_text("1 Q0 b 1 2 x\n1 Q0 c 2 1 x\n")
    (tmp_path / "high").write_text("1 Q0 a 1 2 x\n1 Q0 b 2 1 x\n")
    (tmp_path / "open").write_text("1 Q0 z 1 2 x\n1 Q0 a 2 1 x\n")

    def said(*runs):
        assert main(["evaluate", *(str(tmp_path / name) for name in ("qrels", *runs)), "-m", "P@1", "--bounds"]) == 0
        return " ".join(capsys.readouterr().out.split("\n\n")[0].split())

    assert said("low", "high") == "high has the highest mean P@1, whatever grades unjudged documents have."
    assert said("low", "high", "open") == (
        "The ranges alone do not show which system is best on mean P@1: those of 2 of 3 systems reach 1.0000, the "
        "highest lower end."
    )


@pytest.mark.parametrize("columns", [80, 120])
def test_one_screen(columns, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(columns))
    qrels, runs = embedded()
    assert main(["evaluate", str(qrels), *map(str, runs), "--bounds"]) == 0
    check_short(
        capsys.readouterr().out,
        width=columns,
        verdict="The ranges alone do not show which system is best on mean AP(rel=1): those of 8",
    )


def test_by_topic(told):
    _, out, _ = told("-m", "AP", "--bounds", "-q")
    assert out.splitlines()[:4] == [
        "system  topic   lower      AP   upper",
        "good    1      1.0000  1.0000  1.0000",
        "good    2      0.0000  0.0000  0.2500",
        "good    3           -       -       -",
    ]
    assert out.splitlines()[5] == "May unjudged documents change which system leads?"  # the evidence of the means


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
