"""The same numbers as pytrec_eval, which is trec_eval 9 in process.

Two rules of trec_eval 9 are not our defaults and are chosen here: scores are compared as 32-bit floats, and a topic
without relevant documents scores 0. IPrec is asked for with trec_eval 9's rounding of recall levels.
"""

from __future__ import annotations

import gzip
import math
import random
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import pytrec_eval
import strategies
from hypothesis import given, settings
from hypothesis import strategies as st

import rankscope as rs

pytestmark = pytest.mark.filterwarnings("ignore::rankscope.DataWarning")

AS_TREC_EVAL_9 = {"score_dtype": "float32", "undefined": "zero"}
CUTOFFS = (1, 2, 3, 5, 10, 20, 100, 1000)
RECALL = (0.0, 0.1, 0.2, 0.25, 0.3, 0.33, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
SQUARED_BETA = {1: 1.0, 2: 0.5}  # trec_eval's parameter of set_F; a different one for each level of relevance
ATOL = 1e-12


@cache
def measures(rel: int) -> dict[str, rs.Measure]:
    """trec_eval's names of the measures both have, with our measures."""
    own = f"(rel={rel})"
    plain = {
        "map": f"AP{own}", "Rprec": f"Rprec{own}", "recip_rank": f"RR{own}", "bpref": f"Bpref{own}", "ndcg": "nDCG",
        "infAP": f"infAP{own}", "set_P": f"SetP{own}", "set_recall": f"SetR{own}",
        "set_F": f"SetF(beta={math.sqrt(SQUARED_BETA[rel])!r}, rel={rel})",
        "num_ret": "NumRet", "num_rel": f"NumRel{own}", "num_rel_ret": f"NumRelRet{own}",
    }  # fmt: skip
    families = {
        "map_cut": f"AP{own}",
        "P": f"P{own}",
        "recall": f"R{own}",
        "success": f"Success{own}",
        "ndcg_cut": "nDCG",
    }
    cut = {f"{theirs}_{k}": f"{ours}@{k}" for theirs, ours in families.items() for k in CUTOFFS}
    recall = {f"iprec_at_recall_{x:.2f}": f'IPrec(rounding="trec_eval-9", rel={rel})@{x}' for x in RECALL}
    return {theirs: rs.measure(ours) for theirs, ours in (plain | cut | recall).items()}


@cache
def wanted(rel: int) -> frozenset[str]:
    """The same measures as pytrec_eval wants to be asked."""
    cutoffs, recall = ",".join(map(str, CUTOFFS)), ",".join(map(str, RECALL))
    families = {name.rpartition("_")[0] for name in measures(rel) if name[-1].isdigit()} - {"iprec_at_recall"}
    cut = {f"{family}.{cutoffs}" for family in families} | {f"iprec_at_recall.{recall}"}
    plain = {name for name in measures(rel) if not name[-1].isdigit()} - {"set_F"}
    return frozenset(plain | cut | {f"set_F.{SQUARED_BETA[rel]}"})


class Oracle:
    """pytrec_eval for one set of judgments and one level of relevance, with a row for every judged topic."""

    def __init__(self, qrels: Mapping[str, Mapping[str, int]], rel: int) -> None:
        self.qrels = {topic: docs for topic, docs in qrels.items() if docs}
        self.rel = rel
        self.names = [*measures(rel)]
        # it crashes on a topic with nothing but negative grades
        asked = {topic: docs for topic, docs in self.qrels.items() if max(docs.values()) >= 0}
        self.evaluator = pytrec_eval.RelevanceEvaluator(asked, wanted(rel), relevance_level=rel)

    def table(self, run: Mapping[str, Mapping[str, float]], topics: tuple[str, ...]) -> np.ndarray:
        """(measures, topics)"""
        rows = self.evaluator.evaluate(run)
        return np.array([[*self._row(topic, rows, run)] for topic in topics]).T

    def _row(self, topic: str, rows: Mapping[str, Mapping[str, float]], run: Mapping[str, object]) -> Iterator[float]:
        if topic in rows:
            # the precision of an empty list at recall 0 is 0/0 there
            yield from (0.0 if math.isnan(rows[topic][name]) else rows[topic][name] for name in self.names)
        else:
            relevant = sum(grade >= self.rel for grade in self.qrels[topic].values())
            counts = {"num_rel": relevant, "num_ret": len(run.get(topic, ()))}
            yield from (counts.get(name, 0.0) for name in self.names)


def assert_same(scores: rs.Scores, system: int, theirs: np.ndarray) -> None:
    ours = scores.value[:, system]
    away = np.abs(ours - theirs)
    m, t = np.unravel_index(away.argmax(), away.shape)  # a NaN is the largest
    assert away[m, t] <= ATOL, (
        f"{scores.measures[m]} of {scores.systems[system]} in topic {scores.topics[t]!r}: "
        f"ours {ours[m, t]!r}, theirs {theirs[m, t]!r}"
    )


def check(qrels: Mapping[str, Mapping[str, int]], runs: Mapping[str, dict], judged: rs.Judged) -> None:
    """Every score of every run, at both levels of relevance."""
    for rel in (1, 2):
        scores, oracle = rs.evaluate(judged, measures(rel).values()), Oracle(qrels, rel)
        for name, run in runs.items():
            assert_same(scores, judged.system(name), oracle.table(run, judged.topics))


def read_run(path: Path) -> dict[str, dict[str, float]]:
    run: dict[str, dict[str, float]] = {}
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            topic, _, doc, _, score, _ = line.split()
            run.setdefault(topic, {})[doc] = float(score)
    return run


def read_qrels(path: Path) -> dict[str, dict[str, int]]:
    qrels: dict[str, dict[str, int]] = {}
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            topic, _, doc, grade = line.split()
            qrels.setdefault(topic, {})[doc] = int(grade)
    return qrels


@pytest.mark.slow
def test_every_run_of_the_real_collections(on_disk):
    judged = rs.load(on_disk.qrels, on_disk.runs, **AS_TREC_EVAL_9)
    runs = dict(zip(judged.systems, map(read_run, on_disk.files()), strict=True))
    check(read_qrels(on_disk.qrels), runs, judged)


@pytest.mark.slow
def test_geometric_means_of_the_real_collections(on_disk):
    qrels = read_qrels(on_disk.qrels)
    scores = rs.evaluate(rs.load(on_disk.qrels, on_disk.runs, **AS_TREC_EVAL_9), ["AP", "Bpref"])
    ours = scores.mean("geometric").value
    oracle = pytrec_eval.RelevanceEvaluator(qrels, {"gm_map", "gm_bpref"})
    for system, path in enumerate(on_disk.files()):
        rows = oracle.evaluate(read_run(path))
        for measure, name in enumerate(("gm_map", "gm_bpref")):
            logs = [rows[topic][name] if topic in rows else math.log(1e-5) for topic in qrels]
            theirs = pytrec_eval.compute_aggregated_measure(name, logs)
            assert ours[measure, system] == pytest.approx(theirs, abs=ATOL, rel=0)


@settings(max_examples=2000)
@given(strategies.collections(grades=strategies.INTEGER_GRADES))
def test_random_collections(collection):
    check(collection.qrels, collection.runs, rs.load(collection.qrels, collection.runs, **AS_TREC_EVAL_9))


@settings(max_examples=1500)
@given(strategies.collections(grades=(0, 1), systems=1, depth=25))
def test_random_binary_collections(collection):
    check(collection.qrels, collection.runs, rs.load(collection.qrels, collection.runs, **AS_TREC_EVAL_9))


@settings(max_examples=500)
@given(strategies.collections(grades=strategies.INTEGER_GRADES), st.integers(0, 2**32))
def test_random_files(tmp_path_factory, collection, seed):
    """As text, lines in any order, which goes another way through the kernels than dictionaries do."""
    shuffle = random.Random(seed).shuffle

    def write(name, lines):
        shuffle(lines)
        path = tmp_path_factory.getbasetemp() / name
        path.write_text("\n".join(lines), encoding="utf-8")
        return path

    qrels = write("q", [f"{t} 0 {d} {g}" for t, docs in collection.qrels.items() for d, g in docs.items()])
    runs = {
        name: write(name, [f"{t}\tQ0 {d} 1 {s!r} x" for t, docs in run.items() for d, s in docs.items()])
        for name, run in collection.runs.items()
    }
    check(collection.qrels, collection.runs, rs.load(qrels, runs, **AS_TREC_EVAL_9))


def both(qrels, run, ours, theirs, **rules):
    """Our score and pytrec_eval's, of the one topic."""
    (topic,) = qrels
    scores = rs.evaluate(rs.load(qrels, {"a": run}, **rules), ours)
    return scores.value.item(), pytrec_eval.RelevanceEvaluator(qrels, {theirs}).evaluate(run)[topic][theirs]


def test_scores_are_doubles_unless_asked():
    # 16777217 is the first whole number that is no 32-bit float; trec_eval 9 sees a tie and takes "b" first
    qrels, run = {"t": {"a": 1, "b": 0}}, {"t": {"a": 16777217.0, "b": 16777216.0}}
    assert both(qrels, run, "RR", "recip_rank") == (1, 0.5)
    assert both(qrels, run, "RR", "recip_rank", score_dtype="float32") == (0.5, 0.5)


def test_topics_without_relevant_documents_are_left_out_unless_asked():
    qrels, run = {"t": {"a": 0}}, {"t": {"a": 1.0}}
    ours, theirs = both(qrels, run, "AP", "map")
    assert math.isnan(ours)
    assert theirs == 0
    assert both(qrels, run, "AP", "map", undefined="zero") == (0, 0)


def test_recall_levels_are_rounded_as_in_trec_eval_10_unless_asked():
    # of 2 relevant documents a share of 0.6 is 1.2: one document in trec_eval 10, two in trec_eval 9
    qrels = {"t": {"a": 1, "b": 1}}
    run = {"t": {"x": 3.0, "a": 2.0}}
    assert both(qrels, run, "IPrec@0.6", "iprec_at_recall_0.60") == (0.5, 0)
    assert both(qrels, run, 'IPrec(rounding="trec_eval-9")@0.6', "iprec_at_recall_0.60") == (0, 0)


@pytest.mark.parametrize(("measure", "theirs"), [("Bpref", "bpref"), ("infAP", "infAP")])
@pytest.mark.parametrize("grade", [-1, -2])
def test_negative_grades_are_unjudged_for_bpref_and_infap(measure, theirs, grade):
    qrels = {"t": {"n": grade, "a": 1, "b": 0, "c": 0, "d": 1}}
    run = {"t": {"n": 5.0, "b": 4.0, "a": 3.0}}
    ours, oracle = both(qrels, run, measure, theirs)
    assert ours == pytest.approx(oracle, abs=ATOL)
    judged_not_relevant = rs.evaluate(rs.load({"t": qrels["t"] | {"n": 0}}, run), measure).value.item()
    assert ours != pytest.approx(judged_not_relevant)
