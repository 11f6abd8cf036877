"""Every function that reads judgments and runs takes the rules of `load`, and refuses them where nothing is read."""

from functools import partial

import pytest

import rankscope as rs
from rankscope.preferences import ipso_unjudged
from rankscope.simulation import embedded
from rankscope.statistics import Resampling

FEW = Resampling(50)
PAIR = "lexical-2", "hybrid-1"
RULES = {"ties": "worst", "names": "path"}
pytestmark = pytest.mark.filterwarnings("ignore::rankscope.DataWarning")

PAIRS = {
    "compare": partial(rs.compare, others=False, workers=1),
    "gate": rs.gate,
    "ipso": rs.ipso,
    "ipso_unjudged": ipso_unjudged,
    "dominance": partial(rs.dominance, depth=5, gains="linear", workers=1, resampling=FEW),
    "lexiprecision": rs.lexiprecision,
    "lexirecall": rs.lexirecall,
    "rpp": rs.rpp,
}
MANY = {
    "evaluate": partial(rs.evaluate, measures=["AP"]),
    "bounds": partial(rs.bounds, measures=["AP"]),
    "rank": partial(rs.rank, resampling=FEW, workers=1),
    "plan": partial(rs.plan, difference=0.05),
    "metrics": partial(rs.metrics, measures=["AP", "RR"], studies=["consistency"], resampling=FEW, workers=1),
}


def files():
    qrels, runs = embedded()
    return qrels, [path for name in PAIR for path in runs if path.stem == name]


@pytest.mark.parametrize("name", PAIRS)
def test_two_systems(name):
    qrels, runs = files()
    judged = rs.load(qrels, dict(zip(PAIR, runs, strict=True)), ties="worst", keep_docs=True)
    expected = PAIRS[name](judged, *PAIR)
    assert PAIRS[name](qrels, *runs, ties="worst").to_dict() == expected.to_dict()
    assert PAIRS[name](qrels, *runs).to_dict() != expected.to_dict()
    refused(partial(PAIRS[name], judged, *PAIR))


@pytest.mark.parametrize("name", MANY)
def test_many_systems(name):
    qrels, runs = files()
    judged = rs.load(qrels, runs, **RULES)
    assert MANY[name](qrels, runs, **RULES).to_dict() == MANY[name](judged).to_dict()
    refused(partial(MANY[name], judged))


def refused(call):
    with pytest.raises(rs.InputError, match="runs or rules beside lists"):
        call(ties="rank")
    with pytest.raises(TypeError, match="there is no argument 'metric'"):
        call(metric="AP")
