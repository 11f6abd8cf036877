"""One result of every kind that has figures, made once."""

import warnings

import numpy as np
import pytest
from drawings import FEW

import rankscope as rs
from rankscope import studies, universe
from rankscope.comparisons import metric_map
from rankscope.judged.subsets import Thinner, pool_of, with_systems, with_topics
from rankscope.preferences import dominance_all_pairs, serps
from rankscope.simulation.embedded_collection import embedded_judges
from rankscope.statistics import t_all_pairs, variance_components

METRICS = ["AP", "nDCG@10", "P@10", "RR"]


@pytest.fixture(scope="session")
def judged():
    return rs.load(*rs.simulation.embedded(), keep_docs=True, keep_ties=True)


def replayed(judged):
    """A replay of some of the judgments, which are hidden first."""
    pair = with_systems(judged, ("lexical-1", "lexical-3"))
    kept = np.arange(len(pool_of(pair).docs)) % 4 > 0
    later, _ = rs.simulation.embedded()
    return rs.judge_next(Thinner.of(pair).thinned(kept), measure="P@5", judge=later, budget=60, resampling=FEW)


@pytest.fixture(scope="session")
def results(judged):
    """By type."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rs.DataWarning)
        similarity = studies.similarity(judged, METRICS, depth=10, workers=1)
        consistency = studies.consistency(judged, METRICS, depth=10, resampling=FEW, workers=1)
        power = studies.discriminative_power(judged, METRICS, depth=10, resampling=FEW, workers=1)
        scores = rs.evaluate(judged, "nDCG@10").of("nDCG@10")
        disagreement = universe.disagreement(["AP", "DCG", "P"], depth=5)
        collections = {f"collection-{i}": with_topics(judged, range(i, len(judged.topics), 3)) for i in range(3)}
        complete = scores[:, np.isfinite(scores[0])].T
        parts = ("scale", "power", "consistency", "ties", "agreement")
        comparison = rs.compare(judged, "lexical-3", "hybrid-1", measure="nDCG@10", by="relevant", workers=1)
        bounds = rs.bounds(judged, ["nDCG@10", "RR"])
        every = [
            comparison,
            comparison.slices,
            rs.gate(judged, "lexical-3", "hybrid-1", measure="nDCG@10", by="relevant", also=["AP"]),
            bounds,
            bounds.mean(),
            replayed(judged),
            rs.ipso(judged, "lexical-3", "hybrid-1", depth=10, gains="linear"),
            serps([("1011", "0111"), ("0000", "1000"), ("1010", "0100")]),
            rs.dominance(judged, "lexical-3", "hybrid-1", depth=10, gains="linear", workers=1),
            dominance_all_pairs(judged, depth=10, gains="linear", workers=1),
            metric_map(judged, "lexical-3", "hybrid-1", persistence=(0.5, 0.8), depths=(1, 10)),
            rs.rank(judged, measure="nDCG@10", workers=1),
            rs.evaluate(judged, ["nDCG@10", "AP", "RR", "Judged@10", *(f"IPrec@{i / 10:g}" for i in range(11))]),
            t_all_pairs(complete, systems=judged.systems),
            rs.across(collections, "lexical-3", "hybrid-1", measure="nDCG@10", resampling=FEW, workers=1),
            rs.across(collections, measure="nDCG@10", resampling=FEW, workers=1),
            variance_components({"first": complete[:, :3], "second": complete[:, 3:5]}),
            studies.agreement(judged, ["P", "nDCG"], depths=[5, 10], workers=1),
            similarity,
            consistency,
            power,
            studies.alternatives(similarity, consistency, power, canonical="AP@10"),
            studies.scales(judged, ["AP", "nDCG@5", "P@5"], depth=5, workers=1),
            studies.metrics(judged, measures=METRICS, studies=parts, resampling=FEW, workers=1),
            studies.incompleteness(judged, METRICS, fractions=(0.9, 0.5), resampling=FEW.of(2), workers=1),
            studies.removal(judged, fractions=(0.5, 0.9), resampling=FEW.of(2), workers=1),
            studies.ties(judged, fractions=(0.5, 1.0), resampling=FEW.of(2), workers=1),
            studies.locality(judged),
            studies.judges(*rs.simulation.embedded(), embedded_judges(), resampling=FEW),
            studies.separability(judged, workers=1),
            universe.separability([5, 10]),
            universe.expected_separability(judged, [5, 10], gains="binary"),
            universe.hasse(3),
            universe.order_grid(3, "RBP(p=0.5)", "RBP(p=0.8)"),
            disagreement,
            universe.buckets(disagreement, {"top-weighted": ["AP", "DCG"], "bounded": ["AP", "P"]}),
            universe.frequencies(judged, ["AP", "DCG", "P"], depth=5),
            universe.freedom(["AP", "DCG", "P", "RR"], 4),
            universe.flips("10010", "01101"),
            universe.features(["AP", "DCG", "P"], depth=5),
            universe.tie_curve(1000, (5, 10), range(1, 50)),
        ]
    return {type(one): one for one in every}
