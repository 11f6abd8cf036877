"""A quick look at validity on real scores, topics resampled; docs/validity-real.md and validity-gate.md have tables."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from rankscope.comparisons import gate
from rankscope.io.score_tables import ScoreTable
from rankscope.statistics import (
    pilot_variance,
    power,
    sign_test,
    t_interval,
    t_test,
    tau,
    topics_for_power,
    wilcoxon,
)

pytestmark = pytest.mark.slow
NULLS = 400


@pytest.fixture(scope="module")
def robust(data: Path) -> np.ndarray:
    """AP of Robust 2004, topics x systems, without the quarter of the systems that has the lowest means."""
    lines = gzip.decompress((data / "score-matrices" / "newbestsub-R04.csv.gz").read_bytes()).decode().splitlines()
    scores = np.array([[float(v) for v in line.split(",")[1:]] for line in lines[1:]]).T
    return scores[:, np.sort(np.argsort(-scores.mean(axis=0), kind="stable")[:83])]


def differences(scores: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Of a pair of systems, shifted to mean 0 over the population."""
    i, j = rng.choice(scores.shape[1], 2, replace=False)
    d = scores[:, i] - scores[:, j]
    return d - d.mean()


def test_tests_of_ranks_and_signs_do_not_test_means(robust: np.ndarray) -> None:
    """250 topics, equal means: t keeps its level, Wilcoxon and the sign test do not, and are not said to."""
    rng = np.random.default_rng(1)
    counts = np.zeros(3)
    covered = 0
    for _ in range(NULLS):
        d = rng.choice(differences(robust, rng), 250)
        zero = np.zeros(250)
        counts += [test(d, zero).pvalue <= 0.05 for test in (t_test, wilcoxon, sign_test)]
        interval = t_interval(zero, d)
        covered += interval.lower <= 0 <= interval.upper
    rates = counts / NULLS
    assert rates[0] <= stats.binom.ppf(1 - 1e-4, NULLS, 0.05) / NULLS
    assert rates[1] > 0.09
    assert rates[2] > 0.2
    assert covered >= stats.binom.ppf(1e-4, NULLS, 0.95)


def test_fiellers_interval_is_short_for_real_systems(data: Path) -> None:
    """20 of the systems of TREC-8, AP and P@10: it covers the tau of all of them less often than 95 %."""
    means = []
    for measure in ("ap", "p10"):
        raw = gzip.decompress((data / "score-matrices" / f"urbano-adhoc8_{measure}.csv.gz").read_bytes()).decode()
        means.append(np.array([[float(v) for v in line.split(",")] for line in raw.splitlines()[1:]]).mean(axis=0))
    x, y = means
    rng, target, hits = np.random.default_rng(2), tau(x, y).b, 0
    for _ in range(NULLS):
        chosen = rng.choice(len(x), 20, replace=False)
        lower, upper = tau(x[chosen], y[chosen]).interval()
        hits += lower <= target <= upper
    assert 0.8 < hits / NULLS < 0.93


def test_the_chance_of_a_miss_that_a_gate_prints_is_right_on_average(robust: np.ndarray) -> None:
    """A true loss of 0.03, 50 topics: about two of three gates report no regression, and that is what they print."""
    rng = np.random.default_rng(3)
    missed, printed = 0, []
    topics = tuple(map(str, range(50)))
    for _ in range(NULLS):
        value = np.stack([np.full(50, 0.5), 0.5 + rng.choice(differences(robust, rng) - 0.03, 50)])
        found = gate(ScoreTable("AP", ("old", "new"), topics, value, "scores"), "old", "new")
        missed += found.outcome != "regression"
        printed.append(found.checks[0].chances[2].missed)
        assert found.checks[0].chances[2].loss == pytest.approx(0.03)
    assert 0.6 < missed / NULLS < 0.78
    assert np.mean(printed) == pytest.approx(missed / NULLS, abs=0.08)


def test_plans_from_real_pilots_reach_their_power(robust: np.ndarray) -> None:
    """25 topics: more than half of the plans fall short with the pilot's sd, a quarter with an assurance of 0.8."""
    rng = np.random.default_rng(4)
    short = np.zeros(2)
    for _ in range(NULLS):
        d = differences(robust, rng)
        sample = rng.choice(d, 25)
        pilot = pilot_variance(np.stack([sample, 0 * sample], axis=1))
        plans = [topics_for_power(difference=0.05, sd=sd) for sd in (pilot.sd, pilot)]
        short += [power(n_topics=plan.n_topics, difference=0.05, sd=d.std()).power < 0.8 for plan in plans]
    assert short[0] / NULLS > 0.5
    assert short[1] / NULLS < 0.34
