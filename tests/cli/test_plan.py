"""`rankscope plan`: what `rs.plan` says of the pilot, and what is refused."""

import json

import pytest
from snapshots import check_short, check_snapshot

import rankscope as rs
from rankscope.cli import main

pytestmark = pytest.mark.filterwarnings("ignore::rankscope.DataWarning")


def test_numbers_are_those_of_the_call(capsys):
    qrels, runs = rs.simulation.embedded()
    assert main(["plan", str(qrels), *map(str, runs), "--difference", "0.05", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    del shown["rankscope"]
    assert shown == json.loads(json.dumps(rs.plan(qrels, runs, difference=0.05).to_dict()))
    assert main(["plan", str(qrels), *map(str, runs), "--width", "0.05", "--level", "0.9", "--csv"]) == 0
    assert str(rs.plan(qrels, runs, width=0.05, level=0.9).n_topics) in capsys.readouterr().out


@pytest.mark.parametrize(
    ("more", "cause"),
    [
        (["QRELS", "--difference", "0.05"], "no runs"),
        (["--difference", "0.05"], "give judgments and runs"),
        (["QRELS", "RUNS", "-m", "AP", "RR", "--difference", "0.05"], "a plan is for the one measure"),
        (["QRELS", "RUNS", "--difference", "0"], "a number other than 0"),
        (["QRELS", "RUNS", "--difference", "0.05", "--alpha", "2"], "alpha is between 0 and 1"),
    ],
)
def test_bad_input(more, cause, capsys):
    qrels, runs = rs.simulation.embedded()
    words = {"QRELS": [str(qrels)], "RUNS": list(map(str, runs))}
    assert main(["plan", *(word for arg in more for word in words.get(arg, [arg]))]) == 2
    assert cause in capsys.readouterr().err


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("goal", ["difference", "width"])
def test_snapshot(goal, width, capsys, monkeypatch):
    """What people read, on the embedded collection."""
    qrels, runs = rs.simulation.embedded()
    monkeypatch.setenv("COLUMNS", str(width))
    call = ["plan", str(qrels), *map(str, runs), f"--{goal}", "0.05"]
    assert main(call) == 0
    out = capsys.readouterr().out
    check_short(
        out, width=width, verdict="test shows a true mean" if goal == "difference" else "topics the 95 % interval"
    )
    check_snapshot(f"plan-{goal}-{width}", out)
    assert main([*call, "--explain"]) == 0
    check_snapshot(f"plan-{goal}-explain-{width}", capsys.readouterr().out)


@pytest.mark.parametrize("width", [80, 120])
def test_the_answer_on_real_data(data, width, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(width))
    folder = data / "dl19-passage"
    assert main(["plan", str(folder / "qrels.gz"), str(folder / "runs"), "--difference", "0.05"]) == 0
    check_short(capsys.readouterr().out, width=width, verdict="With 153 topics, Student's paired t test shows")
