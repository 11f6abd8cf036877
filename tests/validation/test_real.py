"""The oddities that the notes on the real collections list are found: one test a kind."""

from functools import cache

import numpy as np
import pytest

from rankscope.validation import validate

pytestmark = pytest.mark.slow


@cache
def _validated(folder, runs):
    return {finding.kind: finding for finding in validate(folder / "qrels.gz", folder / runs)}


@pytest.fixture
def found(data):
    """The findings of a collection, by kind."""
    return lambda collection, runs="runs": _validated(data / collection, runs)


def shares(finding, name):
    return {system: numbers[name] for system, numbers in finding.numbers["runs"].items()}


def test_tied_scores(found):
    tied = shares(found("trec8-adhoc")["tied-scores"], "tied")
    listed = {"UB99SW": 0.92, "Scai8Adhoc": 0.66, "mds08a1": 0.48, "UB99T": 0.45, "uwmt8a0": 0.39, "surffal2": 0.20}
    assert {name: round(share, 2) for name, share in tied.items()} == listed
    assert found("trec8-adhoc")["tied-scores"].systems[0] == "UB99SW"

    tied = shares(found("trec-covid-r5")["tied-scores"], "tied")
    listed = {"DoRA_NO_Judgments_6k": 0.94, "rk_ir_bdl_trf_brx_lm": 0.60, "BioInfo-run5": 0.30}
    assert {name: round(tied[name], 2) for name in listed} == listed
    others = [share for name, share in tied.items() if name.startswith("DoRA") and name not in listed]
    assert len(others) == 6
    assert (round(min(others), 2), round(max(others), 2)) == (0.37, 0.67)
    assert sum(round(share, 2) == 0.28 for name, share in tied.items() if name.startswith("BRPHJ")) == 3

    assert shares(found("dl19-passage")["tied-scores"], "tied") == {"test1": pytest.approx(0.47, abs=0.005)}
    tied = shares(found("recsys-ml1m-time")["tied-scores"], "tied")
    assert tied["optimalobservedantiprecision"] == 1
    assert round(tied["smootheditemaverage"], 2) == 0.22


def test_the_tied_runs_have_what_ties_can_do_to_them(found):
    numbers = found("trec8-adhoc")["tied-scores"].numbers["runs"]["UB99SW"]
    for measure in ("AP", "P@10"):
        assert numbers[f"{measure}_worst"] < numbers[measure] < numbers[f"{measure}_best"]


@pytest.mark.parametrize(
    ("collection", "topics", "runs", "most"),
    [
        ("trec8-adhoc", 50, 72, 3),
        ("trec-covid-r5", 50, None, 38),
        ("dl19-passage", 43, 14, None),
        ("robust04-part", 165, 11, None),
    ],
)
def test_rank_against_score(found, collection, topics, runs, most):
    finding = found(collection)["rank-against-score"]
    differ = shares(finding, "n_topics")
    assert runs is None or len(differ) == runs
    assert most is None or sum(count > topics / 2 for count in differ.values()) == most


def test_a_run_whose_ranks_tell_another_story(found):
    finding = found("trec-covid-r5")["rank-against-score"]
    assert finding.severity == "high"
    assert finding.systems[0] == "uogTrDPH_QE_RF_SB_B"
    assert finding.numbers["runs"]["uogTrDPH_QE_RF_SB_B"]["topics_against_scores"] == 50


@pytest.mark.parametrize("collection", ["trec8-adhoc", "robust04-part"])
def test_ranks_start_at_0_or_1(found, collection):
    assert set(found(collection)["rank-start"].numbers["starts"]) == {"0", "1"}


@pytest.mark.parametrize(
    ("collection", "pairs"),
    [
        ("trec8-adhoc", [("Dm8TFbn", "Dm8TFidf"), ("Mer8Adtd1", "Mer8Adtd2"), ("isa25t", "isa50t")]),
        ("trec-covid-r5", [("DoRA_MSMARCO_1k", "DoRA_NO_Judgments_1k"), ("xj4wang_run1", "xj4wang_run3")]),
    ],
)
def test_the_same_lists_under_two_names(found, collection, pairs):
    both = [found(collection)[kind].numbers["groups"] for kind in ("identical-runs", "same-first-10")]
    groups = [tuple(sorted(group)) for groups in both for group in groups]
    assert sorted(groups) == sorted(pairs)


@pytest.mark.parametrize("collection", ["dl19-passage", "robust04-part", "core17-queryvariants", "recsys-ml1m-time"])
def test_no_lists_are_called_the_same_elsewhere(found, collection):
    assert not {"identical-runs", "same-first-10"} & set(found(collection))


def test_negative_grades(found):
    assert found("trec-covid-r5")["negative-grades"].numbers["judgments"] == 2
    for collection in ("trec8-adhoc", "dl19-passage", "recsys-ml1m-time"):
        assert "negative-grades" not in found(collection)


def test_short_runs(found):
    assert set(found("trec-covid-r5")["short-runs"].systems) == {"uab.base", "uab.idf"}
    short = shares(found("dl19-passage")["short-runs"], "documents")
    assert (short["ICT-BERT2"], short["ICT-CKNRM_B"], short["ICT-CKNRM_B50"]) == (20, 20, 50)
    assert "short-runs" not in found("trec8-adhoc")


@pytest.mark.parametrize(
    ("collection", "runs", "shortest"),
    [
        ("trec8-adhoc", ["isa25t", "isa50t"], 65),
        ("robust04-part", ["new_atire-bm25L", "new_indri-bm25", "new_indri-fdm", "new_indri-lm"], 63),
        ("dl19-passage", ["TUA1-1", "idst_bert_pr1"], 5),
        ("core17-queryvariants", ["KIS.S1.5"], 5),
        ("trec-covid-r5", ["fc3-qrel-hidden"], 1),
    ],
)
def test_short_lists(found, collection, runs, shortest):
    lengths = shares(found(collection)["short-lists"], "shortest")
    assert min(lengths.values()) == shortest
    assert {lengths[name] for name in runs} == {shortest}


def test_other_thresholds(found):
    for runs in ("runs", "runs-later"):
        assert found("dl19-passage", runs)["another-threshold"].numbers["rel"] == 2
    ratings = found("recsys-ml1m-time")["another-threshold"].numbers
    assert (ratings["rel"], ratings["topics_lost"]) == (4, 21)
    for collection in ("trec8-adhoc", "trec-covid-r5", "robust04-part", "core17-queryvariants"):
        assert "another-threshold" not in found(collection)


def test_topics_without_relevant_documents(data):
    folder = data / "recsys-ml1m-time"
    kinds = {f.kind: f for f in validate(folder / "qrels.gz", folder / "runs", rel=4)}
    assert kinds["topics-without-relevant-documents"].numbers["n_topics"] == 21
    assert "another-threshold" not in kinds


def test_unjudged_documents(found):
    worst = {
        "trec8-adhoc": ("surffal2", 0.118), "trec-covid-r5": ("uogTrDPH_QE_RF_SB_B", 0.234),
        "core17-queryvariants": ("TTS.S1.5", 0.022),
    }  # fmt: skip
    for collection, (name, judged) in worst.items():
        finding = found(collection)["unjudged-documents-at-10"]
        assert finding.severity == "high"
        assert finding.systems[0] == name
        assert shares(finding, "unjudged")[name] == pytest.approx(1 - judged, abs=5e-4)
    open_ = shares(found("recsys-ml1m-time")["unjudged-documents-at-10"], "unjudged")
    assert len(open_) == 18
    assert np.mean(list(open_.values())) == pytest.approx(1 - 0.186, abs=5e-4)
    for collection, runs in (("dl19-passage", "runs"), ("dl19-passage", "runs-later"), ("robust04-part", "runs")):
        assert "unjudged-documents-at-10" not in found(collection, runs)


def test_score_collisions_change_the_order_as_trec_eval_9_would(found):
    finding = found("trec8-adhoc")["score-collisions"]
    assert finding.systems[0] == "uwmt8a0"
    assert finding.numbers["runs"]["uwmt8a0"]["AP"] != finding.numbers["runs"]["uwmt8a0"]["AP_float32"]


def test_no_topics_are_missing_from_any_run(found):
    for collection in ("trec8-adhoc", "dl19-passage", "trec-covid-r5", "robust04-part", "core17-queryvariants"):
        assert not {"missing-topics", "topics-without-judgments"} & set(found(collection))
