"""The door for pytrec_eval: same call, same dictionaries as the real package."""

import random

import pytest

from rankscope.errors import InputError
from rankscope.integrations import pytrec_eval as ours

pytrec_eval = pytest.importorskip("pytrec_eval")


@pytest.fixture(scope="module")
def collection():
    """Judgments with negative grades and a topic without relevant documents; a run with ties and unknown topics."""
    draw = random.Random(1)
    qrels = {f"q{i}": {f"d{draw.randrange(60)}": draw.choice([0, 0, 1, 2, -1]) for _ in range(20)} for i in range(12)}
    run = {f"q{i}": {f"d{draw.randrange(60)}": round(draw.random(), 1) for _ in range(40)} for i in range(3, 14)}
    return qrels | {"q99": {"d1": 0}, "empty": {}}, run | {"q99": {"d1": 1.0, "d2": 0.5}, "empty": {"d1": 1.0}}


@pytest.mark.parametrize("level", [1, 2])
def test_every_measure_is_the_same(collection, level):
    named = {"ndcg_cut.3,7", "P_7", "iprec_at_recall.0.2,0.45"}
    measures = {*ours.supported_measures, *named} & {*pytrec_eval.supported_measures, *named}
    qrels, run = collection
    expected = pytrec_eval.RelevanceEvaluator(qrels, measures, relevance_level=level).evaluate(run)
    actual = ours.RelevanceEvaluator(qrels, measures, relevance_level=level).evaluate(run)
    assert len(ours.supported_measures) >= 20
    assert actual.keys() == expected.keys()
    for topic, values in expected.items():
        assert actual[topic] == pytest.approx(values, abs=1e-12)


def test_nicknames_have_what_is_supported(collection):
    qrels, run = collection
    expected = pytrec_eval.RelevanceEvaluator(qrels, {"official"}).evaluate(run)["q5"]
    actual = ours.RelevanceEvaluator(qrels, {"official"}).evaluate(run)["q5"]
    assert expected.keys() - actual.keys() == {"runid"}
    assert ours.RelevanceEvaluator(qrels, {"set"}).evaluate(run)["q5"].keys() >= {"set_P", "num_ret"}


def test_what_pytrec_eval_refuses_is_refused():
    for package in (ours, pytrec_eval):
        with pytest.raises(ValueError, match="unsupported measure xyz"):
            package.RelevanceEvaluator({"q": {"d": 1}}, {"xyz"})
        assert package.RelevanceEvaluator({"q": {"d": 1}}, {"map"}).evaluate({}) == {}
    with pytest.raises(InputError, match="judged_docs_only_flag"):
        ours.RelevanceEvaluator({"q": {"d": 1}}, {"map"}, judged_docs_only_flag=True)
