"""RBP and its residual, and user models with all that follows from them, as cwl_eval computes them.

cwl_eval scores gains in the order it is given, so the lists are put in trec_eval's order here, by plain Python. It
pads or cuts every list to 1000 ranks and rescales the weights to sum to 1, where ours go on for ever: a difference of
p^1000, which is nothing for the p used here. For user models that is no difference at all: expected gain by document is
ours with tail="stop", in all with tail="truncate", both @1000.
"""

from __future__ import annotations

import gzip
import math
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
import strategies
from cwl.ruler.measures.cwl_ap import APCWLMetric
from cwl.ruler.measures.cwl_dcg import NDCGCWLMetric
from cwl.ruler.measures.cwl_insq import INSQCWLMetric
from cwl.ruler.measures.cwl_inst import INSTCWLMetric
from cwl.ruler.measures.cwl_metrics import CWLMetric
from cwl.ruler.measures.cwl_nerr import NERReq8CWLMetric
from cwl.ruler.measures.cwl_precision import PrecisionCWLMetric
from cwl.ruler.measures.cwl_rbp import RBPCWLMetric
from cwl.ruler.measures.cwl_rr import RRCWLMetric
from cwl.ruler.ranking import Ranking
from hypothesis import given, settings

import rankscope as rs
from rankscope.measures import MeasureInputs
from rankscope.measures.cwla import Metric

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


@pytest.mark.slow
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


# user models


def fixed(metric: CWLMetric, depth: int) -> CWLMetric:
    """A metric whose C is the same for every list, made once."""
    c = metric.c_vector(Ranking("", [], [], max_n=depth))
    metric.c_vector = lambda ranking, worse_case=True: c
    return metric


def models(depth: int) -> dict[str, CWLMetric]:
    return {
        "Precision(k=10)": fixed(PrecisionCWLMetric(10), depth),
        "DCG(k=10)": fixed(NDCGCWLMetric(10), depth),
        "SDCG(k=20)": fixed(NDCGCWLMetric(20), depth),
        "RBP(p=0.8)": fixed(RBPCWLMetric(0.8), depth),
        "RBP(p=0.99)": fixed(RBPCWLMetric(0.99), depth),
        "INSQ(T=2.25)": fixed(INSQCWLMetric(2.25), depth),
        "INST(T=2.25)": INSTCWLMetric(2.25),
        "INST(T=1)": INSTCWLMetric(1.0),
        "RR": RRCWLMetric(),
    }


def check_models(
    judged: rs.Judged, qrels: Mapping[str, Grades], runs: Mapping[str, dict], metrics: Mapping, depth: int
):
    """Expected gain by document and in all, and documents viewed, of every list."""
    top = max(grade for docs in qrels.values() for grade in docs.values())
    gain = np.take(
        MeasureInputs(judged.code, judged.grades, judged.available).gain_table(rs.measure("CWLA")), judged.code
    )
    theirs = {name: np.empty((5, *gain.shape[:2])) for name in metrics}
    for name, run in runs.items():
        for t, topic in enumerate(judged.topics):
            found = [qrels[topic].get(doc) for doc in ranked(run.get(topic, {}))]
            gains = [math.nan if grade is None else max(grade, 0) / top for grade in found]
            ranking = Ranking(topic, gains, [1.0] * len(gains), max_n=depth)
            for model, metric in metrics.items():
                metric.measure(ranking)
                theirs[model][:, judged.system(name), t] = metric.get_scores()
    for model, (rate, total, _, _, items) in theirs.items():
        viewed = Metric(model, "ERG", "truncate").documents(gain, depth)
        np.testing.assert_allclose(viewed, items, rtol=1e-9, atol=ATOL, err_msg=model)
        asked = [f'CWLA(model="{model}",agg="{agg}",tail="{tail}",gain="linear")@{depth}'
                 for agg, tail in (("ERG", "stop"), ("ETG", "truncate"))]  # fmt: skip
        scores = rs.evaluate(judged, asked)
        np.testing.assert_allclose(scores.value, [rate, total], rtol=1e-9, atol=ATOL, err_msg=model)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "step"), [("dl19-passage", 2), ("trec8-adhoc", 6)])
def test_user_models_on_real_collections(data, name, step):
    folder = data / name
    files = sorted((folder / "runs").iterdir())[::step]
    qrels = read(folder / "qrels.gz", 3)
    judged = rs.load(folder / "qrels.gz", files, undefined="zero")
    runs = dict(zip(judged.systems, (read(path, 4) for path in files), strict=True))
    check_models(judged, qrels, runs, models(1000), 1000)
    # AP takes cwl_eval a tenth of a second a list of 1000; ERR's reader is forced to stop, as ours with tail="stop"
    check_models(judged, qrels, runs, {"AP": APCWLMetric()}, 50)
    forced = NERReq8CWLMetric(30)
    stopped = rs.evaluate(
        judged, [f'CWLA(model="ERR",agg="{agg}",tail="stop",gain="linear")@30' for agg in ("ERG", "ETG")]
    )
    top = max(grade for docs in qrels.values() for grade in docs.values())
    for run, docs in runs.items():
        for t, topic in enumerate(judged.topics):
            found = [qrels[topic].get(doc) for doc in ranked(docs.get(topic, {}))]
            gains = [math.nan if grade is None else max(grade, 0) / top for grade in found]
            forced.measure(Ranking(topic, gains, [1.0] * len(gains), max_n=30))
            want = forced.expected_utility, forced.expected_total_utility
            np.testing.assert_allclose(stopped.value[:, judged.system(run), t], want, rtol=0, atol=ATOL)
