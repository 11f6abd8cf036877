"""A plan is what the statistics say of the pilot, from lists, scores and paths, and on the command line."""

import json

import pytest

import rankscope as rs
from rankscope.cli import main
from rankscope.statistics import pilot_variance, topics_for_power, topics_for_width

pytestmark = pytest.mark.filterwarnings("ignore::rankscope.DataWarning")


@pytest.fixture(scope="module")
def files():
    return rs.simulation.embedded()


@pytest.fixture(scope="module")
def pilot(files):
    return pilot_variance(rs.evaluate(*files, "nDCG@10").matrix("nDCG@10"))


def test_is_what_the_statistics_say(files, pilot):
    for_power = topics_for_power(difference=0.05, sd=pilot, power=0.9, alpha=0.01)
    for_width = topics_for_width(width=0.05, sd=pilot, level=0.99)
    judged = rs.load(*files)
    for source in ((judged,), (rs.evaluate(judged, "nDCG@10"),), files):
        assert rs.plan(*source, difference=0.05, power=0.9, alpha=0.01).to_dict() == for_power.to_dict()
        assert rs.plan(*source, width=0.05, alpha=0.01).to_dict() == for_width.to_dict()
    one_engine = rs.plan(judged, difference=0.05, systems=["dense-2", "dense-3"])
    assert one_engine.to_dict() != rs.plan(judged, difference=0.05).to_dict()


def test_on_the_command_line(files, pilot, capsys):
    qrels, runs = files
    assert main(["plan", str(qrels), *map(str, runs), "--difference", "0.05", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    del shown["rankscope"]
    assert shown == json.loads(json.dumps(topics_for_power(difference=0.05, sd=pilot).to_dict()))
    assert main(["plan", str(qrels), *map(str, runs), "--width", "0.05", "--level", "0.9", "--csv"]) == 0
    assert str(topics_for_width(width=0.05, sd=pilot, level=0.9).n_topics) in capsys.readouterr().out


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
def test_bad_input(files, more, cause, capsys):
    qrels, runs = files
    words = {"QRELS": [str(qrels)], "RUNS": list(map(str, runs))}
    assert main(["plan", *(word for arg in more for word in words.get(arg, [arg]))]) == 2
    assert cause in capsys.readouterr().err


def test_one_goal(files):
    for goal in ({}, {"difference": 0.05, "width": 0.05}):
        with pytest.raises(rs.InputError, match="a difference or for a width"):
            rs.plan(*files, **goal)
