"""RBP and its residual as cwl_eval computes them.

cwl_eval scores gains in the order it is given, so the lists are put in trec_eval's order here, by plain Python. It
pads or cuts every list to 1000 ranks and rescales the weights to sum to 1, where ours go on for ever: a difference of
p^1000, which is nothing for the p used here.
"""

from __future__ import annotations

import gzip
import math
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
import strategies
from cwl.ruler.measures.cwl_rbp import RBPCWLMetric
from cwl.ruler.ranking import Ranking
from hypothesis import given, settings

import rankscope as rs

pytestmark = pytest.mark.filterwarnings("ignore::rankscope.DataWarning")

ATOL = 1e-9
Grades = Mapping[str, float]


class RBP(RBPCWLMetric):
    """RBP's weights are the same for every list; cwl_eval formats them for its log each time it makes them."""

    def __init__(self, p: float) -> None:
        super().__init__(p)
        self.residuals = True
        empty = Ranking("", [], [])
        weights, stops = super().w_vector(empty), super().l_vector(empty)
        self.w_vector = lambda ranking, worse_case=True: weights
        self.l_vector = lambda ranking, worse_case=True: stops


def ranked(docs: Mapping[str, float]) -> list[str]:
    """Documents by score, then by id, both descending."""
    return sorted(docs, key=lambda doc: (docs[doc], doc.encode()), reverse=True)


def check(qrels: Mapping[str, Grades], runs: Mapping[str, dict], judged: rs.Judged, measures: Mapping) -> None:
    """measures: {ours: (p, gain of a grade)}."""
    scores = rs.evaluate(judged, [*measures, *(f"RBPResidual(p={p})" for p, _ in measures.values())])
    metrics = [(RBP(p), gain) for p, gain in measures.values()]
    theirs = np.empty((2, len(measures), len(judged.systems), len(judged.topics)))
    for name, run in runs.items():
        for t, topic in enumerate(judged.topics):
            found = [qrels[topic].get(doc) for doc in ranked(run.get(topic, {}))]
            for m, (metric, gain) in enumerate(metrics):
                gains = [math.nan if grade is None else gain(grade) for grade in found]
                score = metric.measure(Ranking(topic, gains, [1.0] * len(gains)))
                theirs[:, m, judged.system(name), t] = score, metric.residual_expected_utility
    for m, (measure, (p, _)) in enumerate(measures.items()):
        np.testing.assert_allclose(scores.of(rs.measure(measure)), theirs[0, m], rtol=0, atol=ATOL, err_msg=measure)
        np.testing.assert_allclose(
            scores.of(rs.measure(f"RBPResidual(p={p})")), theirs[1, m], rtol=0, atol=ATOL, err_msg=measure
        )


def read(path: Path, value: int) -> dict[str, dict[str, float]]:
    """A run or judgments, as text."""
    found: dict[str, dict[str, float]] = {}
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            fields = line.split()
            found.setdefault(fields[0], {})[fields[2]] = float(fields[value])
    return found


def test_every_run_of_the_real_collections(on_disk):
    qrels = read(on_disk.qrels, 3)
    judged = rs.load(on_disk.qrels, on_disk.runs, undefined="zero")
    runs = dict(zip(judged.systems, (read(path, 4) for path in on_disk.files()), strict=True))
    top = max(grade for docs in qrels.values() for grade in docs.values())
    measures = {
        "RBP(p=0.5)": (0.5, lambda grade: float(grade >= 1)),
        "RBP(p=0.95, rel=2)": (0.95, lambda grade: float(grade >= 2)),
        'RBP(p=0.8, gain="linear")': (0.8, lambda grade: max(grade, 0) / top),
    }
    check(qrels, runs, judged, measures)


@settings(max_examples=1500)
@given(strategies.collections())
def test_random_collections(collection):
    qrels = {topic: docs for topic, docs in collection.qrels.items() if docs}
    top = max(0.0, *(grade for docs in qrels.values() for grade in docs.values()))
    measures = {
        "RBP": (0.8, lambda grade: float(grade >= 1)),
        "RBP(p=0.3, rel=0.5)": (0.3, lambda grade: float(grade >= 0.5)),
        'RBP(p=0.95, gain="linear")': (0.95, lambda grade: max(grade, 0) / (top or 1)),
        'RBP(gain="exp")': (0.8, lambda grade: (2 ** max(grade, 0) - 1) / 2**top),
    }
    check(qrels, collection.runs, rs.load(collection.qrels, collection.runs, undefined="zero"), measures)
