"""Systems of several runs: literal twins, calibration beside a naive test, variance components of a known model."""

from __future__ import annotations

import numpy as np
import pytest

from rankscope.errors import InputError
from rankscope.statistics import repeated_all_pairs, repeated_runs, t_test, variance_components

scipy_stats = pytest.importorskip("scipy.stats")


def drawn(rng, topics=40, runs=4, run=0.03, residual=0.1, mean=0.0):
    """Scores of a system: a topic's own, a run's own, and what is left."""
    parts = rng.normal(0, 0.1, (topics, 1)) + rng.normal(0, run, runs) + rng.normal(0, residual, (topics, runs))
    return 0.5 + mean + parts


def test_a_literal_twin():
    rng = np.random.default_rng(2)
    a, b = drawn(rng, runs=3), drawn(rng, runs=5, mean=0.1)
    n = len(a)
    d = [sum(b[t]) / 5 - sum(a[t]) / 3 for t in range(n)]
    mean = sum(d) / n
    parts = [sum((x - mean) ** 2 for x in d) / (n - 1) / n]
    bottom = parts[0] ** 2 / (n - 1)
    for scores in (a, b):
        runs = scores.shape[1]
        by_run = [sum(scores[:, r]) / n for r in range(runs)]
        by_topic = [sum(scores[t]) / runs for t in range(n)]
        overall = sum(by_run) / runs
        residual = sum(
            (scores[t, r] - by_run[r] - by_topic[t] + overall) ** 2 for t in range(n) for r in range(runs)
        ) / ((n - 1) * (runs - 1))
        between = sum((x - overall) ** 2 for x in by_run) / (runs - 1)
        if between > residual / n:
            parts.append((between - residual / n) / runs)
            bottom += (between / runs) ** 2 / (runs - 1) + (residual / n / runs) ** 2 / ((n - 1) * (runs - 1))
    result = repeated_runs(a, b)
    assert len(parts) == 3  # runs of both systems add to the variance
    assert result.standard_error == pytest.approx(sum(parts) ** 0.5)
    assert result.df == pytest.approx(max(2, sum(parts) ** 2 / bottom))
    assert result.pvalue == pytest.approx(2 * scipy_stats.t.sf(abs(mean) / sum(parts) ** 0.5, result.df))
    assert repeated_all_pairs({"a": a, "b": b}).pvalue[0] == pytest.approx(result.pvalue)


def test_one_run_each_is_the_paired_t():
    rng = np.random.default_rng(3)
    a, b = drawn(rng, runs=1), drawn(rng, runs=1)
    assert repeated_runs(a, b).pvalue == pytest.approx(t_test(a[:, 0], b[:, 0]).pvalue)
    assert repeated_all_pairs({"a": a, "b": b}).pvalue[0] == pytest.approx(t_test(a[:, 0], b[:, 0]).pvalue)


def test_the_level_is_kept_where_averaged_scores_exceed_it():
    rng = np.random.default_rng(6)
    found = naive = 0
    for _ in range(600):
        a, b = drawn(rng, topics=60), drawn(rng, topics=60)
        found += repeated_runs(a, b).pvalue < 0.05
        naive += t_test(a.mean(axis=1), b.mean(axis=1)).pvalue < 0.05
    assert found <= 50 < naive  # 30 expected; above 50 once in four thousand


def test_components_of_a_known_model():
    rng = np.random.default_rng(1)
    systems = {}
    topic = rng.normal(0, 0.2, (3000, 1))
    for name in range(40):
        own = rng.normal(0, 0.05) + topic + rng.normal(0, 0.1, (3000, 1))
        systems[str(name)] = own + rng.normal(0, 0.03, 5) + rng.normal(0, 0.08, (3000, 5))
    parts = variance_components(systems)
    assert parts.topic == pytest.approx(0.04, rel=0.1)
    assert parts.system_topic == pytest.approx(0.01, rel=0.05)
    assert parts.residual == pytest.approx(0.0064, rel=0.05)
    assert parts.run == pytest.approx(0.0009, rel=0.4)
    assert parts.system == pytest.approx(0.0025, rel=0.7)


def test_bad_input_is_named():
    with pytest.raises(InputError, match="topics x runs"):
        repeated_runs([0.1, 0.2], [0.1, 0.2])
    with pytest.raises(InputError, match="2 and 3 topics"):
        repeated_runs([[0.1], [0.2]], [[0.1], [0.2], [0.3]])
    with pytest.raises(InputError, match="two runs or more"):
        variance_components({"a": [[0.1], [0.2]], "b": [[0.1], [0.3]]})
