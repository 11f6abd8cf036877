"""Calls with a clearly better second system, one for every public function that compares systems."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import rankscope as rs
from rankscope import comparisons, preferences, simulation, studies, universe
from rankscope import statistics as st

RESAMPLING = st.Resampling(200)
SYSTEMS = ("a-worse", "b-better")
TOPICS = tuple(f"t{i}" for i in range(12))
WORSE = np.linspace(0.1, 0.5, len(TOPICS))
BETTER = WORSE + np.linspace(0.2, 0.3, len(TOPICS))
CLUSTERS = [i // 2 for i in range(len(TOPICS))]
RUNS = np.array([0.0, 0.01, -0.02])  # what each of three runs adds to the scores of a system
MATRIX = np.stack([WORSE, BETTER], axis=1)
LISTS = ([0, 0, 1, 1], [1, 1, 0, 0])
"""Gains of a list of each system."""


def collection() -> rs.Judged:
    """On every topic the second system has its relevant documents two ranks higher."""
    qrels = {topic: {"r1": 1, "r2": 1, "n1": 0, "n2": 0} for topic in TOPICS}
    orders = (["n1", "n2", "r1", "r2"], ["r1", "r2", "n1", "n2"])
    runs = {
        name: {topic: {doc: float(9 - rank) for rank, doc in enumerate(order)} for topic in TOPICS}
        for name, order in zip(SYSTEMS, orders, strict=True)
    }
    return rs.load(qrels, runs, keep_docs=True)


JUDGED = collection()
SCORES = rs.evaluate(JUDGED, "AP")
COMPARISON = rs.compare(JUDGED, *SYSTEMS, measure="AP", resampling=RESAMPLING)


class Case(NamedTuple):
    """A call with a clearly better second system, and numbers that have a sign beyond those that are found by name."""

    call: Callable[[], Any]
    numbers: Callable[[Any], Any] = lambda _: []


def paired(function: Callable[..., Any], **more: Any) -> Case:
    return Case(lambda: function(WORSE, BETTER, **more))


def listed(function: Callable[..., Any], numbers: Callable[[Any], Any] = lambda _: [], **more: Any) -> Case:
    return Case(lambda: function(*LISTS, **more), numbers)


def systems(function: Callable[..., Any], numbers: Callable[[Any], Any] = lambda _: [], **more: Any) -> Case:
    return Case(lambda: function(JUDGED, *SYSTEMS, **more), numbers)


def matrix(function: Callable[..., Any], **more: Any) -> Case:
    return Case(lambda: function(MATRIX, systems=SYSTEMS, **more))


def truth() -> simulation.Truth:
    model = simulation.Model(families={"s": (0.5, 2.0)})
    return simulation.truth(model, "nDCG@10", n_topics=2000)


CASES = {
    "compare": systems(rs.compare, measure="AP", resampling=RESAMPLING),
    "gate": systems(rs.gate, measure="AP"),
    "rank": Case(
        lambda: rs.rank(JUDGED, measure="AP", baseline="a-worse", resampling=RESAMPLING),
        lambda board: [effect.difference for effect in board.against.effects if effect is not None],
    ),
    "comparisons.deciding": Case(lambda: rs.comparisons.deciding(COMPARISON)),
    "across": Case(
        lambda: rs.across(
            {c: {s: dict(zip(TOPICS, v * f, strict=True)) for s, v in zip(SYSTEMS, MATRIX.T, strict=True)}
             for c, f in (("one", 1.0), ("two", 0.99), ("three", 0.98))},
            *SYSTEMS, resampling=RESAMPLING,
        ),
        lambda result: [result.average.difference, *(row.estimate for row in result.rows)],
    ),
    "dominance": systems(rs.dominance, depth=4, resampling=RESAMPLING),
    "ipso": systems(rs.ipso),
    "lexiprecision": systems(rs.lexiprecision),
    "lexirecall": systems(rs.lexirecall),
    "rpp": systems(rs.rpp),
    "preferences.all_pairs": Case(
        lambda: preferences.all_pairs(JUDGED, "rrLP"),
        lambda result: [result.between(*SYSTEMS), result.square()[:, 0, 1], np.diff(result.scores(), axis=0)],
    ),
    "preferences.Preferences.between": Case(lambda: preferences.all_pairs(JUDGED, "ipso").between(*SYSTEMS)),
    "preferences.dominance_all_pairs": Case(
        lambda: preferences.dominance_all_pairs(JUDGED, depth=4, resampling=RESAMPLING),
        lambda result: result.ahead[0, 1] if result.ahead.ndim == 2 else result.ahead,
    ),
    "preferences.ipso_of": listed(preferences.ipso_of),
    "preferences.ipso_unjudged": systems(preferences.ipso_unjudged),
    "preferences.lexiprecision_of": listed(preferences.lexiprecision_of),
    "preferences.lexirecall_of": listed(preferences.lexirecall_of),
    "preferences.rpp_of": listed(preferences.rpp_of),
    "preferences.serps": Case(lambda: preferences.serps([LISTS])),
    "comparisons.metric_map": systems(comparisons.metric_map, persistence=(0.5, 0.8), ladder=("AP", "nDCG@10")),
    "simulation.Truth.difference": Case(lambda: truth().difference("s-1", "s-2")[0]),
    "studies.agreement": Case(lambda: studies.agreement(JUDGED, ["AP"], depths=[4])),
    "studies.discriminative_power": Case(
        lambda: studies.discriminative_power(JUDGED, ["AP"], resampling=st.Resampling(99))
    ),
    "statistics.bootstrap_interval": paired(st.bootstrap_interval, resampling=RESAMPLING),
    "statistics.bootstrap_max_t": matrix(st.bootstrap_max_t, resampling=RESAMPLING),
    "statistics.bootstrap_test": paired(st.bootstrap_test, resampling=RESAMPLING),
    "statistics.closed_testing": matrix(st.closed_testing, resampling=RESAMPLING),
    "statistics.clustered_bootstrap_interval": paired(st.clustered_bootstrap_interval, clusters=CLUSTERS),
    "statistics.clustered_hsd": matrix(st.clustered_hsd, clusters=CLUSTERS, resampling=RESAMPLING),
    "statistics.clustered_randomisation_test": paired(st.clustered_randomisation_test, clusters=CLUSTERS),
    "statistics.clustered_t_test": paired(st.clustered_t_test, clusters=CLUSTERS),
    "statistics.cohen_dz": paired(st.cohen_dz),
    "statistics.effect_sizes": paired(st.effect_sizes),
    "statistics.equivalence": paired(st.equivalence, margin=0.1),
    "statistics.friedman": matrix(st.friedman),
    "statistics.kruskal_wallis": matrix(st.kruskal_wallis),
    "statistics.max_t": matrix(st.max_t, resampling=RESAMPLING, baseline="a-worse"),
    "statistics.mean_difference": paired(st.mean_difference),
    "statistics.nemenyi": matrix(st.nemenyi),
    "statistics.non_inferiority": paired(st.non_inferiority, margin=0.1),
    "statistics.posterior": Case(
        lambda: st.posterior(WORSE, BETTER), lambda result: [result.above_zero - 0.5, result.above_margin - 0.5]
    ),
    "statistics.repeated_all_pairs": Case(
        lambda: st.repeated_all_pairs({"a-worse": WORSE[:, None] + RUNS, "b-better": BETTER[:, None] + RUNS})
    ),
    "statistics.repeated_runs": Case(lambda: st.repeated_runs(WORSE[:, None] + RUNS, BETTER[:, None] + RUNS)),
    "statistics.randomisation_all_pairs": matrix(st.randomisation_all_pairs, resampling=RESAMPLING),
    "statistics.randomisation_interval": paired(st.randomisation_interval, resampling=RESAMPLING),
    "statistics.randomisation_test": paired(st.randomisation_test, resampling=RESAMPLING),
    "statistics.randomised_hsd": matrix(st.randomised_hsd, resampling=RESAMPLING),
    "statistics.randomised_hsd_preferences": Case(
        lambda: st.randomised_hsd_preferences(
            np.broadcast_to(np.array([[0.0, 1.0], [-1.0, 0.0]]), (len(TOPICS), 2, 2)),
            systems=SYSTEMS, resampling=RESAMPLING,
        ),
        lambda result: result.location[1] - result.location[0],
    ),
    "statistics.replication": Case(lambda: st.replication(WORSE, BETTER), lambda result: result.same_sign - 0.5),
    "statistics.sign_test": Case(lambda: st.sign_test(WORSE, BETTER), lambda result: result.plus - result.minus),
    "statistics.step_down_max_t": matrix(st.step_down_max_t, resampling=RESAMPLING),
    "statistics.superiority": Case(
        lambda: st.superiority(WORSE, BETTER), lambda result: [result.value - 0.5, result.lower - 0.5]
    ),
    "statistics.t_all_pairs": matrix(st.t_all_pairs),
    "statistics.t_interval": paired(st.t_interval),
    "statistics.t_test": paired(st.t_test),
    "statistics.tukey_hsd": matrix(st.tukey_hsd),
    "statistics.tukey_hsd_one_way": matrix(st.tukey_hsd_one_way),
    "statistics.wilcoxon": Case(lambda: st.wilcoxon(WORSE, BETTER), lambda result: result.plus - result.minus),
    "universe.flips": listed(universe.flips),
    "universe.possible_users": Case(
        lambda: universe.possible_users((3, 4), (1, 2)),
        lambda users: [float(users.decided[2]), *users.columns()["difference"]],
    ),
}  # fmt: skip
