"""A plan is what the statistics say of the pilot, from lists, scores and paths."""

import pytest

import rankscope as rs
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


def test_one_goal(files):
    for goal in ({}, {"difference": 0.05, "width": 0.05}):
        with pytest.raises(rs.InputError, match="a difference or for a width"):
            rs.plan(*files, **goal)
