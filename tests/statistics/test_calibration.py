"""A quick look at validity: rejections of true nulls and coverage, within generous bounds of chance.

The full table is docs/validity.md, made by scripts/validity.py.
"""

import math

import numpy as np
import pytest
from scipy import stats

from rankscope.statistics import Resampling, adjust, t_all_pairs, tau, tau_aps, tau_over_systems, tau_over_topics
from rankscope.statistics.correlations.tau_intervals import mean_intervals, tau_ap_intervals
from rankscope.statistics.families import max_t, randomised_hsd, rank_tests, tukey_hsd
from rankscope.statistics.pairs import effect_sizes, equivalence, intervals, paired_tests, posterior

NULLS, TOPICS, B = 300, 30, 199


def normal(rng, systems):
    return rng.normal(size=(TOPICS, 1)) + rng.normal(size=(TOPICS, systems))


def discrete(rng, systems):
    return rng.binomial(10, np.broadcast_to(rng.beta(1.2, 2.0, (TOPICS, 1)), (TOPICS, systems))) / 10


def tied(rng, systems):
    resampling = np.clip(rng.beta(1.0, 1.2, (TOPICS, 1)), 0.02, 0.999)
    rank = rng.geometric(np.broadcast_to(resampling, (TOPICS, systems)))
    return np.where(rank <= 10, 1 / rank, 0.0)


POPULATIONS = {"normal": normal, "discrete": discrete, "tied": tied}


def rate(decide, make, systems=2, nulls=NULLS, seed=1):
    """How many nulls of the population are decided so."""
    rng = np.random.default_rng([seed, systems])
    return sum(bool(decide(make(rng, systems), Resampling(B, seed=i))) for i in range(nulls))


def at_most(count, alpha, nulls=NULLS):
    """No more than chance explains, once in ten thousand tests."""
    assert count <= stats.binom.ppf(1 - 1e-4, nulls, alpha)


def about(count, alpha, nulls=NULLS):
    at_most(count, alpha, nulls)
    assert count >= stats.binom.ppf(1e-4, nulls, alpha)


TESTS = {
    "t": lambda x, c: paired_tests.t_test(*x.T).pvalue,
    "wilcoxon": lambda x, c: paired_tests.wilcoxon(*x.T).pvalue,
    "sign": lambda x, c: paired_tests.sign_test(*x.T).pvalue,
    "randomisation": lambda x, c: paired_tests.randomisation_test(*x.T, resampling=c, exact=False, workers=1).pvalue,
    "exact randomisation": lambda x, c: paired_tests.randomisation_test(*x.T, resampling=c, workers=1).pvalue,
    "bootstrap": lambda x, c: paired_tests.bootstrap_test(*x.T, resampling=c, workers=1).pvalue,
}


@pytest.mark.slow
@pytest.mark.parametrize("population", POPULATIONS)
@pytest.mark.parametrize("name", TESTS)
def test_false_positives_of_two_systems(name, population):
    count = rate(lambda x, c: TESTS[name](x, c) <= 0.05, POPULATIONS[population])
    (at_most if name == "sign" else about)(count, 0.05)  # the sign test has few p values, so it stays below


@pytest.mark.parametrize("resamples", [19, 99, 199])
def test_the_level_is_exact_however_few_the_resamples(resamples):
    """alpha (B + 1) is whole: what docs/validity.md says of small B."""
    rng = np.random.default_rng(resamples)
    count = 0
    for i in range(400):
        resampling = Resampling(resamples, seed=i)
        count += (
            paired_tests.randomisation_test(*normal(rng, 2).T, resampling=resampling, exact=False, workers=1).pvalue
            <= 0.05
        )
    about(count, 0.05, 400)


def preferred(x, resampling):
    """Who wins on each topic, a fifth of the pairs turned round: preferences that come from no score."""
    order = np.sign(x[:, None, :] - x[:, :, None])
    turned = np.triu(np.where(np.random.default_rng(resampling.seed).random(order.shape) < 0.2, -1.0, 1.0), 1)
    both = turned + turned.transpose(0, 2, 1)
    return randomised_hsd.randomised_hsd_preferences(order * both, resampling=resampling, workers=1).pvalue


def t_pvalues(x):
    return t_all_pairs(x).pvalue


FAMILIES = {  # p values of all pairs
    "holm": lambda x, c: adjust(t_pvalues(x), "holm").adjusted,
    "hochberg": lambda x, c: adjust(t_pvalues(x), "hochberg").adjusted,
    "kruskal": lambda x, c: rank_tests.kruskal_wallis(x).comparisons.pvalue,
    "friedman": lambda x, c: rank_tests.friedman(x).comparisons.pvalue,
    "nemenyi": lambda x, c: rank_tests.nemenyi(x).pvalue,
    "randomised HSD": lambda x, c: randomised_hsd.randomised_hsd(x, resampling=c, exact=False, workers=1).pvalue,
    "preferences": preferred,
    "MaxT": lambda x, c: max_t.max_t(x, resampling=c, workers=1).pvalue,
    "step-down MaxT": lambda x, c: max_t.step_down_max_t(x, resampling=c, workers=1).pvalue,
    "closed testing": lambda x, c: max_t.closed_testing(x, resampling=c, workers=1).pvalue,
}


@pytest.mark.slow
@pytest.mark.parametrize("population", POPULATIONS)
@pytest.mark.parametrize("name", FAMILIES)
def test_family_wise_false_positives(name, population):
    nulls, systems = 150, 4
    count = rate(lambda x, c: FAMILIES[name](x, c).min() <= 0.05, POPULATIONS[population], systems, nulls)
    at_most(count, 0.05, nulls)
    if name in ("randomised HSD", "preferences", "MaxT", "step-down MaxT", "closed testing"):
        assert count > 0


@pytest.mark.parametrize("name", ["holm", "hochberg", "randomised HSD", "step-down MaxT", "closed testing"])
def test_family_wise_false_positives_where_some_systems_differ(name):
    """Two pairs of equals far apart: only these two may be rejected wrongly, and all others should be."""
    nulls, found = 150, {"equal": 0, "different": 0}
    rng = np.random.default_rng(8)
    for i in range(nulls):
        x = normal(rng, 4) + np.array([0.0, 0.0, 2.0, 2.0])
        p = FAMILIES[name](x, Resampling(B, seed=i))
        equal = np.array([True, False, False, False, False, True])  # 01 02 03 12 13 23
        found["equal"] += bool(p[equal].min() <= 0.05)
        found["different"] += bool(p[~equal].max() <= 0.05)
    at_most(found["equal"], 0.05, nulls)
    assert found["different"] > 0.9 * nulls
    if name != "randomised HSD":  # which measures equals by what the others vary
        assert found["equal"] > 0


def test_false_discovery_rate_where_some_systems_differ():
    rng, shares = np.random.default_rng(9), []
    for _ in range(NULLS):
        x = normal(rng, 4) + np.array([0.0, 0.0, 2.0, 2.0])
        rejected = adjust(t_pvalues(x), "benjamini-hochberg").adjusted <= 0.05
        shares.append(rejected[[0, 5]].sum() / max(1, rejected.sum()))
    assert np.mean(shares) <= 0.05


def test_tukey_holds_its_family():
    about(rate(lambda x, c: tukey_hsd.tukey_hsd(x).pvalue.min() <= 0.2, normal, systems=5, nulls=40), 0.2, 40)


def test_no_correction_is_seen():
    """The bounds of this file would notice: ten uncorrected t tests are wrong far too often."""
    count = rate(lambda x, c: t_pvalues(x).min() <= 0.05, normal, systems=5)
    assert count > stats.binom.ppf(1 - 1e-4, NULLS, 0.05)


INTERVALS = {
    "t": lambda x, c: intervals.t_interval(*x.T),
    "percentile": lambda x, c: intervals.bootstrap_interval(
        *x.T, variant="percentile", resampling=c, exact=False, workers=1
    ),
    "bca": lambda x, c: intervals.bootstrap_interval(*x.T, variant="bca", resampling=c, exact=False, workers=1),
    "randomisation": lambda x, c: intervals.randomisation_interval(*x.T, resampling=c, exact=False, workers=1),
    "posterior": lambda x, c: posterior.posterior(*x.T),
}


@pytest.mark.parametrize("population", POPULATIONS)
@pytest.mark.parametrize("name", INTERVALS)
def test_coverage(name, population):
    def misses(x, c):
        got = INTERVALS[name](x, c)
        return not got.lower - 1e-12 <= 0 <= got.upper + 1e-12

    count = rate(misses, POPULATIONS[population])
    # bootstrap intervals are a little short at 30 topics, which docs/validity.md measures
    at_most(count, 0.08 if name in ("percentile", "bca") else 0.05)
    assert count > 0


def test_coverage_of_effect_sizes():
    def misses(got, true):
        return not got.lower - 1e-12 <= true <= got.upper + 1e-12

    at_most(rate(lambda x, c: misses(effect_sizes.cohen_dz(*x.T), 0.0), normal, nulls=60), 0.05, 60)
    for make in POPULATIONS.values():
        at_most(rate(lambda x, c: misses(effect_sizes.superiority(*x.T), 0.5), make), 0.05)


def test_equivalence_at_its_border():
    count = rate(lambda x, c: equivalence.non_inferiority(x[:, 1], x[:, 0] - 0.5, 0.5).pvalue <= 0.05, normal)
    about(count, 0.05)
    count = rate(lambda x, c: equivalence.equivalence(x[:, 1], x[:, 0] + 0.5, 0.5).pvalue <= 0.05, normal)
    at_most(count, 0.05)


@pytest.mark.parametrize("true", [0.3, 0.7])
def test_tau_intervals_over_systems(true):
    rng = np.random.default_rng(2)
    rho = math.sin(math.pi * true / 2)
    missed = {"fieller": 0, "bootstrap": 0}
    for i in range(NULLS):
        x = rng.normal(size=40)
        y = rho * x + math.sqrt(1 - rho**2) * rng.normal(size=40)
        lower, upper = tau(x, y).interval()
        missed["fieller"] += not lower <= true <= upper
        got = tau_over_systems(x, y, resampling=Resampling(B, seed=i), workers=1)
        missed["bootstrap"] += not got.lower <= true <= got.upper
    at_most(missed["fieller"], 0.05)
    at_most(missed["bootstrap"], 0.10)


def test_tau_interval_over_topics():
    """Many topics and little noise: percentiles hold the tau between the true means, reflected ones less often."""
    rng = np.random.default_rng(3)
    missed = {"percentile": 0, "basic": 0}
    for i in range(100):
        x = rng.normal(size=12)
        y = 0.7 * x + 0.7 * rng.normal(size=12)
        sample = [means + rng.normal(scale=0.5, size=(60, 12)) for means in (x, y)]
        for kind in missed:
            got = tau_over_topics(*sample, resampling=Resampling(B, seed=i), variant=kind, workers=1)
            missed[kind] += not got.lower - 1e-12 <= tau(x, y).b <= got.upper + 1e-12
    at_most(missed["percentile"], 0.10, 100)
    at_most(missed["basic"], 0.25, 100)


@pytest.mark.parametrize("true", [0.0, 0.5, 0.8])
def test_tau_ap_intervals_over_systems(true):
    """Fisher's z with the jackknife's error holds the population's tau_AP at least as often as the level says."""
    rng = np.random.default_rng(4)
    rho = math.sin(math.pi * true / 2)

    def drawn(rows, systems):
        x = rng.normal(size=(rows, systems))
        return x, rho * x + math.sqrt(1 - rho**2) * rng.normal(size=(rows, systems))

    population = float(tau_aps(*drawn(20, 1000)).mean())
    for systems in (20, 40):
        lower, upper = tau_ap_intervals(*drawn(4 * NULLS, systems))
        missed = np.count_nonzero((lower > population) | (upper < population))
        at_most(missed, 0.05, 4 * NULLS)
        assert missed > 0.005 * 4 * NULLS  # nor is it so wide that it says nothing
        assert (np.abs([lower, upper]) < 1).all()


@pytest.mark.parametrize(("mean", "topics", "missing"), [(0.5, 20, 0.05), (0.8, 50, 0.055), (0.95, 50, 0.07)])
def test_intervals_of_mean_correlations(mean, topics, missing):
    """Means of skewed correlations: never beyond 1, and missed less often than by Student's interval alone."""
    rng = np.random.default_rng(5)
    high = (1 + mean) / 2
    rows = 2 * rng.beta(12 * high, 12 * (1 - high), size=(4000, topics)) - 1
    lower, upper = mean_intervals(rows)
    missed = np.count_nonzero((lower > mean) | (upper < mean))
    at_most(missed, missing, len(rows))
    reach = stats.t.ppf(0.975, topics - 1) * rows.std(axis=1, ddof=1) / math.sqrt(topics)
    assert missed <= np.count_nonzero(np.abs(rows.mean(axis=1) - mean) > reach)
    assert (upper < 1).all()
