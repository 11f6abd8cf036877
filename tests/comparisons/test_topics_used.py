"""The number of topics in a signature is the number used, reasons for leaving topics out are told apart, and the lowest
relevant grade is shown wherever grades leave a choice."""

import numpy as np
import pytest

import rankscope as rs
from rankscope.comparisons import compare, gate, rank
from rankscope.measures import MEASURES, evaluate, measure
from rankscope.measures.explanations.explain import with_example_cutoff
from rankscope.measures.explanations.signatures import read_signature
from rankscope.reporting.assembling import assembled
from rankscope.studies.candidates import material

pytestmark = pytest.mark.filterwarnings("ignore::rankscope.DataWarning")

TOPICS = 9


@pytest.fixture(scope="module")
def judged():
    """Of 9 topics the last has no relevant document, b lacks the first two, c the second."""
    docs = [f"d{i}" for i in range(4)]
    qrels = {str(t): {d: (t + i) % 3 if t < TOPICS - 1 else 0 for i, d in enumerate(docs)} for t in range(TOPICS)}
    lacking = {"a": (), "b": (0, 1), "c": (1,)}
    runs = {
        name: {
            str(t): {d: float((i * (t + shift)) % 5 + i / 10) for i, d in enumerate(docs)}
            for t in range(TOPICS)
            if t not in lacking[name]
        }
        for shift, name in enumerate(lacking, 1)
    }
    return rs.load(qrels, runs, missing="drop")


def n_of(signature):
    return next(part for part, _ in read_signature(signature).parts if part.startswith("n:"))


def test_the_signature_counts_the_topics_used(judged):
    # evaluate: each system on its own topics; the pair and the three on those that all of them have
    assert n_of(evaluate(judged, "AP").signature("AP")) == "n:6-8"
    found = compare(judged, "a", "b", measure="AP")
    assert (found.effect.n_topics, n_of(found.scored.signature)) == (6, "n:6")
    assert n_of(found.to_dict()["signature"]) == "n:6"
    assert n_of(compare(judged, "a", "c", measure="AP").scored.signature) == "n:7"
    assert n_of(rank(judged, measure="AP").signature) == "n:6"
    assert n_of(rank(judged, measure="AP", systems=["a", "c"]).to_dict()["signature"]) == "n:7"
    assert n_of(gate(judged, "a", "c", measure="AP", allow_missing=True).signature) == "n:7"
    table = {name: {str(t): 0.1 * t for t in range(9) if (name, t) != ("y", 3)} for name in "xy"}
    assert n_of(compare(table, "x", "y").scored.signature) == "n:8"


def test_studies_count_the_topics_that_all_metrics_have(judged):
    studied = material(judged, ["AP", "Judged@5"], methods=["sgnLP"])
    assert len(studied.topics) == 6
    assert {n_of(candidate.signature) for candidate in studied.candidates} == {"n:6"}
    assert {n_of(text) for text in studied.settings()["candidates"].values()} == {"n:6"}
    assert studied.notes[0] == "2 of 9 topics left out: a run lacks them"
    binary = material(judged, ["AP", "P@5"])
    assert binary.notes == (studied.notes[0], "1 of 9 topics left out: no metric is defined there")


def test_reasons_are_told_apart(judged):
    found = compare(judged, "a", "b", measure="AP")
    assert found.scored.reasons == {"lacking": 2, "relevant": 1}
    assert found.to_dict()["left_out_because"] == {"lacking": 2, "relevant": 1}
    assert "3 topics left out: 2 which a run lacks, 1 without relevant documents." in str(found)
    said = "3 left out: 2 which a run lacks, 1 without relevant documents"
    assert said in found.paragraph()
    assert said in rank(judged, measure="AP", systems=["a", "b"]).caption()
    gated = gate(judged, "a", "b", measure="AP", allow_missing=True)
    assert "3 topics left out: 2 which a run lacks, 1 without relevant documents." in gated.notes()
    assert gated.to_dict()["left_out_because"] == {"lacking": 2, "relevant": 1}
    # scores know it as well as lists do
    scores = evaluate(judged, ["AP", "nDCG@3", "Judged@3"])
    assert compare(scores, "a", "b", measure="nDCG@3").scored.reasons == {"lacking": 2, "gain": 1}
    assert compare(scores, "a", "b", measure="Judged@3").scored.reasons == {"lacking": 2}
    assert "2 topics left out, which a run lacks." in str(compare(scores, "a", "b", measure="Judged@3"))


def test_scores_with_missing_lists_do_not_pass_the_gate(judged):
    with pytest.raises(rs.InputError, match="2 of 9 topics lack a score"):
        gate(evaluate(judged, "AP"), "a", "b")
    assert gate(evaluate(judged, "AP"), "a", "b", allow_missing=True).left_out == 3


def test_the_lowest_relevant_grade_is_shown_where_there_is_a_choice(judged):
    assert measure("AP").label([0, 1]) == "AP"
    assert measure("AP").label([0, 1, 2]) == "AP(rel=1)"
    assert measure("AP(rel=2)").label([0, 1, 2]) == "AP(rel=2)"
    assert measure("RBP(p=0.8)@10").label([0, 1, 2]) == "RBP(p=0.8,rel=1)@10"
    assert measure('RBP(p=0.8,gain="linear")').label([0, 1, 2]) == 'RBP(p=0.8,gain="linear")'
    assert measure("nDCG@10").label([0, 1, 2]) == "nDCG@10"
    assert measure("Judged@10").label([0, 1, 2]) == "Judged@10"
    scores = evaluate(judged, ["AP", "nDCG@3"])
    assert scores.labels == ("AP(rel=1)", "nDCG@3")
    assert (scores.of("AP(rel=1)") == scores.of("AP"))[0, :8].all()  # what is read can be typed
    found = compare(judged, "a", "c", measure="nDCG@3")
    metrics = {o.name for o in found.repetitions if o.axis == "metric"}
    assert {"AP(rel=1)", "P(rel=1)@10", "RBP(p=0.8,rel=1)", "nDCG@10", "ERR@20"} <= metrics
    assert "AP(rel=1)" not in {o.name for o in compare(judged, "a", "c", measure="AP(rel=1)").repetitions}
    assert rank(judged, measure="nDCG@3", also=["RR"], systems=["a", "c"]).table()[0][-1] == "RR(rel=1)"
    assert compare(judged, "a", "c", measure="AP").measure == "AP(rel=1)"


@pytest.mark.parametrize("name", [*MEASURES, "Interval(AP@5)", 'INST(gain="binary")'])
def test_what_is_shown_reads_back(name):
    plain = with_example_cutoff(MEASURES[name] if name in MEASURES else measure(name))
    shown = plain.label(np.array([0.0, 1.0, 2.0]))
    assert measure(shown).label(np.array([0.0, 1.0, 2.0])) == shown
    lists = [[0, 2, 1, 0, 1], [1, 0, 0, 2, 0]]
    np.testing.assert_array_equal(measure(shown).score(lists), plain.score(lists))


def test_the_report_shows_topics_used_and_thresholds(judged):
    pytest.importorskip("jinja2")
    scores = evaluate(judged, ["AP", "RR"])
    html = assembled(judged, scores, ranking=rank(scores, measure="AP", also=["RR"])).html
    assert "AP|rel:1|ties:trec|missing:drop|undefined:drop|n:6|" in html
    assert "n:6-8" not in html
    assert "AP(rel=1)" in html
    assert "RR(rel=1)" in html


@pytest.fixture
def files():
    qrels, runs = rs.simulation.embedded()
    return [str(qrels), *map(str, runs)]


def test_scales_name_the_metric_that_was_computed(files):
    judged = rs.load(files[0], files[1:])
    for metrics in ({"AP": measure("AP")}, ["AP"], {"AP": "AP"}):
        assert rs.studies.scales(judged, metrics, depth=4).measures == ("AP@4",)
    assert rs.studies.scales(judged, {"mine": "AP"}, depth=4).measures == ("mine",)
    card = rs.metrics(judged, measures=["AP"], methods=(), studies=["scales"])
    assert card.studied["scales"].measures == ("AP@10",)
