"""Averages over judges, as trec_eval prints them for qrels_jg: each judge's score of a topic, then their mean.

trec_eval's map_avgjg, P_avgjg and Rprec_mult_avgjg sum a measure over the judgment groups of a topic, a group without
relevant documents counting 0, and divide by the number of groups.
"""

from __future__ import annotations

import numpy as np
import pytest

import rankscope as rs
from rankscope.measures.judge_averages import evaluate_judges

pytestmark = pytest.mark.filterwarnings("ignore::rankscope.errors.DataWarning")


def test_by_hand(tmp_path):
    """Topic 1: AP is 1 under ann (a first), 1/2 under bob (b second), 0 under carl, who has no relevant document."""
    path = tmp_path / "qrels_jg"
    path.write_text("1 ann a 1\n1 ann b 0\n1 bob a 0\n1 bob b 1\n1 carl a 0\n2 ann a 1\n")
    run = {"1": {"a": 2.0, "b": 1.0}, "2": {"a": 1.0}}
    scores = evaluate_judges(rs.load_judges(path, run), ["AP", "P@2"])
    by_topic = dict(zip(scores.topics, scores.of("AP")[0].tolist(), strict=True))
    assert by_topic == pytest.approx({"1": (1 + 1 / 2 + 0) / 3, "2": 1.0})
    assert scores.of("P@2")[0, scores.topics.index("1")] == pytest.approx((1 / 2 + 1 / 2 + 0) / 3)


def test_on_the_files_of_trec_eval(data, tmp_path):
    """Two groups made of trec_eval's test judgments; each group scored by trec_eval (pytrec_eval), then averaged."""
    pytrec_eval = pytest.importorskip("pytrec_eval")
    folder = data / "trec-eval-test"
    judges = {"all": {}, "odd": {}}
    for line in (folder / "qrels.test").read_text().splitlines():
        topic, _, doc, grade = line.split()
        judges["all"].setdefault(topic, {})[doc] = int(grade)
        flipped = int(grade) if int(doc[-1], 36) % 2 else 0
        judges["odd"].setdefault(topic, {})[doc] = flipped
    path = tmp_path / "qrels_jg"
    rows = [(t, j, d, g) for j, topics in judges.items() for t, docs in topics.items() for d, g in docs.items()]
    path.write_text("".join(f"{t} {j} {d} {g}\n" for t, j, d, g in rows))
    run = {}
    for line in (folder / "results.test").read_text().splitlines():
        topic, _, doc, _, score, _ = line.split()
        run.setdefault(topic, {})[doc] = float(score)
    names = {"AP": "map", "P@10": "P_10", "Rprec": "Rprec"}
    loaded = rs.load_judges(path, run, score_dtype="float32")
    scores = evaluate_judges(loaded, list(names))
    for ours, theirs in names.items():
        per_judge = [
            pytrec_eval.RelevanceEvaluator(judgments, {theirs.replace("_", ".", 1)}).evaluate(run)
            for judgments in judges.values()
        ]
        expected = {topic: np.mean([each[topic][theirs] for each in per_judge]) for topic in per_judge[0]}
        found = dict(zip(scores.topics, scores.of(ours)[0].tolist(), strict=True))
        assert {topic: found[topic] for topic in expected} == pytest.approx(expected, abs=1e-9)
