"""Power and topic set size, against statsmodels 0.15 and simulation."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from rankscope.errors import InputError
from rankscope.statistics.pairs.gate_outcomes import MOST_TOPICS, deciding_chance, topics_to_decide
from rankscope.statistics.pairs.intervals import t_interval
from rankscope.statistics.pairs.noncentral_t import noncentral_t
from rankscope.statistics.pairs.paired_tests import t_test
from rankscope.statistics.pairs.planning import (
    PilotVariance,
    detectable_difference,
    fewest,
    pilot_variance,
    power,
    topics_for_power,
    topics_for_width,
)

stats = pytest.importorskip("scipy.stats")


@pytest.mark.parametrize("topics", [2, 5, 50, 249])
@pytest.mark.parametrize("effect", [0.05, 0.3, 1.0, -0.5])
@pytest.mark.parametrize("alpha", [0.01, 0.05])
def test_power_equals_statsmodels(topics: int, effect: float, alpha: float) -> None:
    theirs = pytest.importorskip("statsmodels.stats.power").TTestPower().power(effect, topics, alpha)
    if np.isnan(theirs):  # scipy's far tail is NaN there; the power is 1 but for that tail
        theirs = stats.nct.sf(stats.t.isf(alpha / 2, topics - 1), topics - 1, effect * np.sqrt(topics))
    assert power(n_topics=topics, difference=effect * 0.2, sd=0.2, alpha=alpha).power == pytest.approx(theirs, rel=1e-7)


def test_the_noncentral_t_equals_scipy_and_is_never_nan() -> None:
    rng = np.random.default_rng(5)
    for _ in range(200):
        df, noncentrality, t = int(rng.integers(1, 500)), rng.uniform(-8, 8), rng.uniform(-10, 10)
        theirs = stats.nct.cdf(t, df, noncentrality)
        if np.isfinite(theirs):
            assert noncentral_t(t, df, noncentrality) == pytest.approx(theirs, rel=1e-8, abs=1e-11)
    for df in (1, 9, 10**6):
        for t in (-1e3, 0.0, 2.0, 1e3):
            for noncentrality in (-1e3, 0.0, 1e3):
                assert 0 <= noncentral_t(t, df, noncentrality) <= 1
    assert noncentral_t(2.0, 10**7, 1.0) == pytest.approx(stats.norm.cdf(1.0), abs=1e-6)


@pytest.mark.parametrize(("effect", "wanted"), [(0.1, 0.8), (0.25, 0.9), (0.5, 0.8), (1.5, 0.95), (10, 0.5)])
def test_topics_are_the_fewest(effect: float, wanted: float) -> None:
    plan = topics_for_power(difference=effect, sd=1, power=wanted)
    assert plan.power >= wanted
    assert plan.n_topics == 2 or power(n_topics=plan.n_topics - 1, difference=effect, sd=1).power < wanted


def test_topics_equal_statsmodels() -> None:
    theirs = pytest.importorskip("statsmodels.stats.power").TTestPower().solve_power(0.2, power=0.8, alpha=0.05)
    assert topics_for_power(difference=0.02, sd=0.1).n_topics == int(np.ceil(theirs))


def test_topics_are_near_the_textbook_formula() -> None:
    # ((z(0.025) + z(0.2)) / effect)^2 + z(0.025)^2 / 2, with effect 0.1 / sqrt(0.5): 394.4
    assert topics_for_power(difference=0.1, sd=np.sqrt(0.5)).n_topics == 395


def test_the_detectable_difference_is_the_inverse() -> None:
    plan = detectable_difference(n_topics=50, sd=0.2)
    assert plan.power == pytest.approx(0.8, abs=1e-9)
    assert topics_for_power(difference=plan.difference * 1.0001, sd=0.2).n_topics == 50


def test_power_by_simulation() -> None:
    rng = np.random.default_rng(1)
    found = [t_test(np.zeros(20), rng.normal(0.5, 1, size=20)).pvalue <= 0.05 for _ in range(400)]
    assert np.mean(found) == pytest.approx(power(n_topics=20, difference=0.5, sd=1).power, abs=0.1)


def test_width_is_the_fewest_and_right_on_average() -> None:
    plan = topics_for_width(width=1.0, sd=1.0)
    rng = np.random.default_rng(2)
    widths = []
    for _ in range(400):
        got = t_interval(np.zeros(plan.n_topics), rng.normal(size=plan.n_topics))
        widths.append(got.upper - got.lower)
    assert plan.width <= 1.0
    assert np.mean(widths) == pytest.approx(plan.width, abs=0.03)
    # 4 z(0.025)^2 = 15.4 by the normal distribution with known sd; Student's t asks for a few more
    assert plan.n_topics == 18
    assert topics_for_width(width=plan.width, sd=1.0).n_topics == 18
    assert topics_for_width(width=plan.width * 0.999, sd=1.0).n_topics == 19


def test_the_pilot_is_the_mean_variance_of_all_pairs() -> None:
    rng = np.random.default_rng(3)
    matrix = rng.normal(size=(30, 6)) + rng.normal(size=(30, 1)) + np.arange(6)
    pilot = pilot_variance(matrix)
    pairs = [np.var(matrix[:, i] - matrix[:, j], ddof=1) for i, j in combinations(range(6), 2)]
    assert pilot.variance == pytest.approx(np.mean(pairs))
    assert (pilot.n_topics, pilot.n_systems) == (30, 6)
    two = pilot_variance(matrix[:, :2])
    assert two.sd == pytest.approx(np.std(matrix[:, 0] - matrix[:, 1], ddof=1))
    assert topics_for_power(difference=0.5, sd=pilot.sd).n_topics > 30


def test_the_limit_of_a_pilot_is_the_jackknifes() -> None:
    """Against leaving out every topic in turn, on the variances of all pairs."""
    rng = np.random.default_rng(6)
    matrix = rng.normal(size=(12, 4)) + rng.normal(size=(12, 1)) + np.arange(4)

    def log_variance(rows: np.ndarray) -> float:
        return float(np.log(np.mean([np.var(rows[:, i] - rows[:, j], ddof=1) for i, j in combinations(range(4), 2)])))

    all_topics = log_variance(matrix)
    pseudo = [12 * all_topics - 11 * log_variance(np.delete(matrix, t, axis=0)) for t in range(12)]
    for assurance in (0.5, 0.8, 0.99):
        limit = np.mean(pseudo) + stats.t.ppf(assurance, 11) * np.std(pseudo, ddof=1) / np.sqrt(12)
        assert pilot_variance(matrix).sd_limit(assurance) == pytest.approx(np.exp(limit / 2))


def _pilots(draw: Callable[[np.random.Generator], np.ndarray], count: int = 600) -> Iterator[PilotVariance]:
    rng = np.random.default_rng(8)
    for _ in range(count):
        yield pilot_variance(np.stack([draw(rng), np.zeros(25)], axis=1))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("draw", "sd", "most"),
    [
        (lambda rng: rng.normal(size=25), 1.0, 0.20),
        (lambda rng: rng.laplace(size=25), np.sqrt(2), 0.26),  # kurtosis 6
    ],
)
def test_plans_from_a_pilot_reach_their_power_as_often_as_assured(
    draw: Callable[[np.random.Generator], np.ndarray], sd: float, most: float
) -> None:
    """600 pilots: a share of 0.2 has a standard error of 0.016. With the pilot's sd as it is, about half fall short."""
    short, before = [], []
    for pilot in _pilots(draw):
        plan = topics_for_power(difference=0.3, sd=pilot, power=0.8)
        assert plan.assurance == 0.8
        short.append(power(n_topics=plan.n_topics, difference=0.3, sd=sd).power < 0.8)
        naive = topics_for_power(difference=0.3, sd=pilot.sd, power=0.8)
        assert naive.assurance is None
        before.append(power(n_topics=naive.n_topics, difference=0.3, sd=sd).power < 0.8)
    assert np.mean(short) <= most + 3 * 0.016
    assert np.mean(before) > 0.45


def test_every_plan_takes_a_pilot() -> None:
    pilot = pilot_variance(np.random.default_rng(9).random((25, 3)))
    limit = pilot.sd_limit(0.9)
    assert limit > pilot.sd_limit(0.8) > pilot.sd
    known = {"sd": limit}
    assured = {"sd": pilot, "assurance": 0.9}
    for plan, given in (
        (power, {"n_topics": 50, "difference": 0.1}),
        (topics_for_power, {"difference": 0.1}),
        (detectable_difference, {"n_topics": 50}),
        (topics_for_width, {"width": 0.1}),
    ):
        found = plan(**given, **assured)
        assert found == replace(plan(**given, **known), assurance=0.9)
        assert found.table()[0][-1] == "assurance"
        assert "90 % of such pilots lead to a plan" in str(found)
        assert max(map(len, found.to_text("full").splitlines())) <= 80


def test_plans_print() -> None:
    for plan in (
        power(n_topics=50, difference=0.05, sd=0.2),
        topics_for_width(width=0.1, sd=0.2),
        pilot_variance(np.random.default_rng(4).random((5, 3))),
    ):
        assert plan.method in plan.to_markdown()


def test_what_is_refused() -> None:
    with pytest.raises(InputError, match="n_topics is a whole number from 2"):
        power(n_topics=1, difference=0.1, sd=0.1)
    with pytest.raises(InputError, match="a number other than 0"):
        topics_for_power(difference=0.0, sd=0.1)
    with pytest.raises(InputError, match="sd is a number above 0"):
        topics_for_power(difference=0.1, sd=0.0)
    with pytest.raises(InputError, match="power is between 0 and 1"):
        topics_for_power(difference=0.1, sd=0.1, power=80)
    with pytest.raises(InputError, match="more than 10,000,000 topics"):
        topics_for_power(difference=1e-6, sd=1.0)
    with pytest.raises(InputError, match="power is above alpha"):
        detectable_difference(n_topics=50, sd=0.1, power=0.01)
    with pytest.raises(InputError, match="width is a number above 0"):
        topics_for_width(width=-1, sd=0.1)
    with pytest.raises(InputError, match="no variance to plan with"):
        pilot_variance(np.arange(6.0).reshape(3, 2))
    with pytest.raises(InputError, match="2 topics are too few for a pilot"):
        pilot_variance(np.array([[0.1, 0.2], [0.3, 0.1]]))
    with pytest.raises(InputError, match="all but one topic of the pilot"):
        pilot_variance(np.array([[0.1, 0.2], [0.1, 0.2], [0.1, 0.2], [0.5, 0.1]]))
    with pytest.raises(InputError, match="assurance is between 0 and 1"):
        topics_for_power(difference=0.1, sd=0.1, assurance=80)
    wild = pilot_variance(np.array([[0.0, 1e-3], [0.0, 0.0], [0.0, 1.0]]))
    with pytest.raises(InputError, match="more than 10,000,000 topics"):
        topics_for_power(difference=0.1, sd=wild, assurance=0.999999)


def test_a_plan_says_what_it_promises():
    known = topics_for_power(difference=0.05, sd=0.2)
    assert known.remarks() == [
        f"With {known.n_topics} topics, Student's paired t test shows a true mean difference of 0.05 with probability "
        f"{known.power:.2f} (one pair, two-sided, significance level 0.05)."
    ]
    pilot = np.random.default_rng(3).normal(size=(25, 2))
    plan = topics_for_width(width=0.5, sd=pilot_variance(pilot), assurance=0.9)
    assert plan.remarks()[-1] == "About 90 % of such pilots lead to a plan that reaches its width."


@pytest.mark.parametrize("seed", range(8))
def test_topics_to_decide_are_those_of_the_whole_search(seed):
    """The search with fewer points of quadrature is only where the other one starts."""
    rng = np.random.default_rng(seed)
    known = {
        "difference": float(rng.normal(0, 0.01)),
        "sd": float(rng.uniform(0.02, 0.3)),
        "n_topics": int(rng.integers(5, 500)),
        "margin": float(rng.choice([0.0, 0.005, 0.05])),
    }
    whole = fewest(lambda n: deciding_chance(n, **known) >= 0.8, 8, MOST_TOPICS)
    assert topics_to_decide(0.8, **known) == whole
