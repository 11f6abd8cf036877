"""All measures of ir_measures against its providers, on random collections without ties."""

from __future__ import annotations

import ir_measures
import numpy as np
import pytest

import rankscope as rs

pytestmark = pytest.mark.filterwarnings("ignore")

BY_TOPIC = [
    "AP",
    "AP@10",
    "AP(rel=2)",
    "nDCG",
    "nDCG@10",
    "P@5",
    "P(rel=2)@10",
    "R@10",
    "RR",
    "RR@5",
    "Rprec",
    "Bpref",
    "Success@5",
    "infAP",
    "SetP",
    "SetR",
    "SetF",
    "SetAP",
    "NumRet",
    "NumRel",
    "NumRelRet",
    "NumQ",
    "Judged@10",
    "Compat",
    "Compat(p=0.8)",
    "Compat(normalize=False)",
    "Accuracy",
    "Accuracy@10",
    "Accuracy(rel=2)",
    "RBP(rel=1)",
    "RBP(rel=1,p=0.5)",
    "BPM(max_rel=3)@10",
    "BPM(T=1.5,max_rel=3)@10",
    "NERR8(max_rel=3)@10",
    "NERR9(max_rel=3)@10",
    "NERR10(max_rel=3)",
    "NERR10(p=0.5,max_rel=3)",
    "SDCG(max_rel=3)@10",
    "SDCG(min_rel=1,max_rel=3)@10",
    "BPM(min_rel=1,max_rel=3)@10",
    "NERR8(min_rel=2,max_rel=3)@10",
    "NERR9(min_rel=0,max_rel=3)@10",
    "NERR10(p=0.5,min_rel=1,max_rel=3)",
    "nDCG(judged_only=False)@10",
]
OURS = {"RBP(rel=1)": "RBP(p=0.8)", "RBP(rel=1,p=0.5)": "RBP(p=0.5)"}
ELSEWHERE = {
    "INST": "cwl_eval stops at rank 1000: tests/differential/test_cwl_eval.py",
    "INSQ": "cwl_eval stops at rank 1000: tests/differential/test_cwl_eval.py",
    "NERR11": "cwl_eval stops at rank 1000: below, to what that leaves open",
    "ERR": "gdeval needs Perl and rounds to five decimals: the slow twin",
    "IPrec": "pytrec_eval is trec_eval 9, which rounds recall levels otherwise: below",
    **dict.fromkeys(("alpha_nDCG", "alpha_DCG", "ERR_IA", "nERR_IA", "NRBP", "nNRBP", "AP_IA", "P_IA", "StRecall"),
                    "pyndeval: tests/measures/test_subtopics.py"),
}  # fmt: skip


@pytest.fixture(scope="module")
def collection():
    """Grades -1 to 3, topics that the run lacks, unjudged documents, and a topic without relevant ones."""
    rng = np.random.default_rng(29)
    qrels, run = {}, {}
    for topic in map(str, range(25)):
        docs = [f"d{n}" for n in range(80)]
        grades = rng.choice([-1, 0, 0, 0, 1, 2, 3], 50) if topic != "3" else np.zeros(50, int)
        qrels[topic] = dict(zip(docs[:50], map(int, grades), strict=True))
        if topic not in ("7", "8"):
            some = rng.permutation(docs)[: rng.integers(5, 60)].tolist()
            run[topic] = {doc: float(score) for doc, score in zip(some, 1 + rng.permutation(len(some)), strict=True)}
    return qrels, run


def theirs(measure, qrels, run):
    return {m.query_id: m.value for m in ir_measures.iter_calc([ir_measures.parse_measure(str(measure))], qrels, run)}


@pytest.mark.parametrize("name", BY_TOPIC)
def test_by_topic(collection, name):
    qrels, run = collection
    told = theirs(name, qrels, run)
    scores = rs.evaluate(rs.load(qrels, run, undefined="zero"), OURS.get(name, name))
    own = dict(zip(scores.topics, scores.value[0, 0].tolist(), strict=True))
    compared = [topic for topic in told if topic in run and topic != "3"]
    assert len(compared) > 15
    assert [own[t] for t in compared] == pytest.approx([told[t] for t in compared], abs=1e-9)


@pytest.mark.parametrize("name", ["nDCG(judged_only=True)@10", "AP(rel=2, judged_only=True)", "P(judged_only=True)@5"])
def test_judged_only_is_a_rule_of_loading(collection, name):
    """The same numbers from lists that are loaded without unjudged documents, and the error says so."""
    qrels, run = collection
    with pytest.raises(rs.InputError, match="unjudged='condensed'"):
        rs.measure(name)
    plain = name.replace("judged_only=True", "judged_only=False")
    told = theirs(name, qrels, run)
    scores = rs.evaluate(rs.load(qrels, run, undefined="zero", unjudged="condensed"), plain)
    own = dict(zip(scores.topics, scores.value[0, 0].tolist(), strict=True))
    compared = [topic for topic in told if topic in run and topic != "3"]
    assert [own[t] for t in compared] == pytest.approx([told[t] for t in compared], abs=1e-9)


def test_relative_set_precision(collection):
    qrels, run = collection
    told = theirs("SetP(relative=True)", qrels, run)
    scores = rs.evaluate(rs.load(qrels, run, undefined="zero"), "SetRelP")
    own = dict(zip(scores.topics, scores.value[0, 0].tolist(), strict=True))
    assert [own[t] for t in run] == pytest.approx([told[t] for t in run], abs=1e-9)


def test_interpolated_precision_of_trec_eval_9(collection):
    qrels, run = collection
    told = theirs("IPrec@0.5", qrels, run)
    scores = rs.evaluate(rs.load(qrels, run, undefined="zero"), 'IPrec(rounding="trec_eval-9")@0.5')
    own = dict(zip(scores.topics, scores.value[0, 0].tolist(), strict=True))
    assert [own[t] for t in run] == pytest.approx([told[t] for t in run], abs=1e-9)


def test_nerr11_up_to_what_rank_1000_leaves_open(collection):
    """cwl_eval's readers all stop at rank 1000, ours go on: theirs is higher, by less than 0.3 % of itself."""
    qrels, run = collection
    told = theirs("NERR11(max_rel=3)", qrels, run)
    scores = rs.evaluate(rs.load(qrels, run, undefined="zero"), "NERR11(max_rel=3)")
    for topic, own in zip(scores.topics, scores.value[0, 0].tolist(), strict=True):
        if topic in run and topic != "3":
            assert own - 1e-12 <= told[topic] <= own * 1.003


def test_every_measure_is_compared():
    """Every measure that ir_measures registers, without its other names."""
    known = {measure.NAME for measure in ir_measures.measures.registry.values()}
    compared = {rs.measure(OURS.get(name, name)).name for name in BY_TOPIC}
    assert known - compared == set(ELSEWHERE)
