"""Step-down MaxT by bootstrap: its literal twin, all samples of few topics, invariance, degenerate pairs."""

import sys
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from rankscope.kernels import cpu, pure
from rankscope.statistics import Resampling, bootstrap_max_t, randomisation_test, randomised_hsd
from rankscope.statistics.draws.canonical_order import canonical_order
from rankscope.statistics.draws.exact_sums import FixedPoint
from rankscope.statistics.equality import PRECISION, equal
from rankscope.statistics.families.bootstrap_max_t import MODERATION
from rankscope.statistics.families.comparisons import pairs_of

grid = st.sampled_from([0.0, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0])


def matrices(elements=grid, topics=(2, 8), systems=(2, 5)):
    shapes = st.tuples(st.integers(*topics), st.integers(*systems))
    return shapes.flatmap(lambda shape: arrays.arrays(np.float64, shape, elements=elements))


def statistic(differences, mean, v0):
    """The moderated t of differences whose true mean is `mean`."""
    below = differences.var(ddof=1) + v0
    above = abs(differences.mean() - mean)
    if above < 1e-12:
        return 0.0
    return above * np.sqrt(len(differences)) / np.sqrt(below) if below > 1e-24 else np.inf


def stepped(observed, samples):
    """Adjusted p values from statistics of the data (pairs) and of samples (samples, pairs), word by word."""
    p = {}
    lowest = 0.0
    for pair in sorted(range(len(observed)), key=lambda k: -observed[k]):
        smaller = [k for k in range(len(observed)) if observed[k] <= observed[pair] * (1 + 1e-9)]
        reached = sum(max(sample[k] for k in smaller) >= observed[pair] * (1 - 1e-9) for sample in samples)
        lowest = max(lowest, reached)
        p[pair] = lowest
    return [p[k] for k in range(len(observed))]


def literal(x, samples):
    """Counts of the definition, over the samples given as lists of topics."""
    first, second = pairs_of(x.shape[1])
    d = [x[:, i] - x[:, j] for i, j in zip(first, second, strict=True)]
    v0 = MODERATION * np.mean([one.var(ddof=1) for one in d])
    observed = [statistic(one, 0.0, v0) for one in d]
    return np.array(stepped(observed, [[statistic(one[list(s)], one.mean(), v0) for one in d] for s in samples]))


@settings(max_examples=60, deadline=None)
@given(matrices(), st.integers(0, 99))
def test_literal_twin(x, seed):
    resampling = Resampling(70, seed)
    order = canonical_order(FixedPoint.of(x, 4 * len(x)).units, [str(s) for s in range(x.shape[1])])[0]
    want = literal(x[order], cpu.drawn(seed, 0, 70, len(x)))
    got = bootstrap_max_t(x, resampling=resampling)
    assert_allclose(got.pvalue, np.maximum((want + 1) / 71, 0.5 ** (len(x) - 1)))


def test_statistic_is_the_moderated_t():
    x = np.random.default_rng(1).random((20, 4))
    got = bootstrap_max_t(x, resampling=Resampling(50))
    d = x[:, got.second] - x[:, got.first]
    v = d.var(axis=0, ddof=1)
    assert_allclose(got.statistic, d.mean(axis=0) / np.sqrt((v + MODERATION * v.mean()) / 20))
    assert_allclose(got.difference, d.mean(axis=0))


def test_against_every_sample_of_few_topics():
    """All 5^5 samples of five topics give the exact probabilities; drawn samples are within 4.5 standard errors."""
    x = np.array([[0.9, 0.1, 0.2], [0.8, 0.3, 0.1], [0.7, 0.2, 0.4], [0.9, 0.5, 0.3], [0.6, 0.1, 0.2]])
    share = literal(x, list(product(range(5), repeat=5))) / 5**5
    assert 0.001 < share.min() < 0.05
    got = bootstrap_max_t(x, resampling=Resampling(20_000, 3))
    error = np.sqrt(share * (1 - share) / 20_000)
    assert (np.abs(got.pvalue - np.maximum(share, 0.5**4)) <= 4.5 * error + 1 / 20_001).all()


@settings(max_examples=30, deadline=None)
@given(matrices(topics=(3, 9), systems=(3, 6)), st.randoms(use_true_random=False))
def test_order_of_systems_and_topics_does_not_matter(x, random):
    names = [f"s{i}" for i in range(x.shape[1])]
    one = bootstrap_max_t(x, resampling=Resampling(60), systems=names)
    by_system, by_topic = list(range(x.shape[1])), list(range(len(x)))
    random.shuffle(by_system)
    random.shuffle(by_topic)
    other = bootstrap_max_t(x[by_topic][:, by_system], resampling=Resampling(60), systems=[names[s] for s in by_system])
    assert_array_equal(one.matrix()[np.ix_(by_system, by_system)], other.matrix())


@pytest.mark.parametrize("shape", [(50, 30), (7, 3), (300, 4)])
def test_workers_and_blocks_do_not_matter(shape, monkeypatch):
    where = sys.modules["rankscope.statistics.families.bootstrap_max_t"]  # the function has the module's name
    x = np.random.default_rng(2).random(shape).round(2)
    want = bootstrap_max_t(x, resampling=Resampling(1000, 5), workers=1).pvalue
    assert_array_equal(bootstrap_max_t(x, resampling=Resampling(1000, 5), workers=3).pvalue, want)
    for trials in (1, 63, 100, 2000):
        monkeypatch.setattr(where, "_TRIALS", trials)
        assert_array_equal(bootstrap_max_t(x, resampling=Resampling(1000, 5)).pvalue, want)
    monkeypatch.setattr(cpu, "PRODUCT", 1)
    monkeypatch.setattr(pure, "_SQUARES", 1)
    monkeypatch.setattr(where, "_ROOM", 1)
    assert_array_equal(bootstrap_max_t(x, resampling=Resampling(1000, 5)).pvalue, want)


def test_numpy_twin_of_the_compiled_loop():
    compiled = pytest.importorskip("rankscope.kernels.compiled")
    rng = np.random.default_rng(4)
    for topics, systems, trials, extra in ((2, 2, 1, 1e9), (7, 5, 33, 1e9), (60, 12, 70, 1e12), (60, 70, 300, 1e11)):
        values = rng.integers(0, 2**20, (topics, systems)).astype(np.float64)
        values[:, 1] = values[:, 0] + rng.integers(-2, 3, topics)  # nearly the same, and constant but for roundings
        first, second = pairs_of(systems)
        often = cpu.times(9, 3, trials, topics)
        bar = np.sort(rng.random(len(first)))
        got, want = (module.stepped(often, values, first, second, bar, extra) for module in (compiled, pure))
        assert_array_equal(got, want)
        assert trials == 1 or 0 < want.sum() < want.size * trials
        with pytest.raises(ValueError, match="do not fit"):
            compiled.stepped(often, values, first, second + systems, bar, extra)
        if len(bar) > 1:
            with pytest.raises(ValueError, match="do not fit"):  # bars ascend
                compiled.stepped(often, values, first, second, bar[::-1], extra)


@settings(max_examples=150, deadline=None)
@given(st.data(), st.integers(2, 30), st.integers(2, 9), st.integers(1, 300), st.integers(0, 2**32 - 1), st.booleans())
def test_numpy_twin_of_bounds_that_are_hard(data, topics, systems, trials, seed, many):
    """Scores of very different size, samples that are the data themselves, topics drawn very often, equal bars.

    many: as many topics are compared, without the bounds of a few.
    """
    compiled = pytest.importorskip("rankscope.kernels.compiled")
    rng = np.random.default_rng(seed)
    values = np.rint(rng.normal(size=(topics, systems)) * 2.0 ** rng.integers(0, 40, (1, systems)))
    if data.draw(st.booleans()):  # one topic decides
        values[0] += np.rint(2.0**40 * rng.normal(size=systems))
    first, second = (each[rng.permutation(len(each))] for each in pairs_of(systems))
    spread = topics * cpu.centred_squares(values, first, second).sum(axis=0)
    extra = float(spread.mean()) * 10.0 ** data.draw(st.integers(-12, 2)) + 1e-3
    often = cpu.times(seed, 0, trials, topics)
    often[0] = 1.0
    often[-1] = 0.0
    often[-1, 0] = topics
    size = 10.0 ** data.draw(st.integers(-6, 3))
    bar = np.sort(rng.choice(np.append(rng.exponential(size, 5), [0.0, -1.0]), len(first)))
    want = pure.stepped(often, values, first, second, bar, extra)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiled, "_STEPS_TOPICS", 1 if many else 1024)
        patch.setattr(compiled, "_STEPS_SQUARES", 1 << data.draw(st.integers(0, 21)))
        assert_array_equal(compiled.stepped(often, values, first, second, bar, extra), want)


def test_same_on_every_topic():
    """Identical systems have p = 1; a difference that never varies has the p value of the sign flips."""
    x = np.random.default_rng(6).random((12, 1)) + np.array([0.0, 0.0, 0.25])
    got = bootstrap_max_t(x, resampling=Resampling(999))
    assert got.pvalue.tolist() == [1.0, 1 / 1000, 1 / 1000]
    few = bootstrap_max_t(x[:5], resampling=Resampling(999))
    assert few.pvalue.tolist() == [1.0, 0.0625, 0.0625]
    assert randomisation_test(x[:5, 0], x[:5, 2]).pvalue == 0.0625
    assert np.isinf(few.statistic[1:]).all()


def test_one_pair_without_variance_among_others():
    x = np.random.default_rng(6).random((30, 3))
    x = np.column_stack([x, x[:, 0], x[:, 0] + 0.1])
    matrix = bootstrap_max_t(x, resampling=Resampling(999)).matrix()
    assert matrix[0, 3] == 1
    assert 0 < matrix[0, 4] < 1
    assert_array_equal(matrix[0, 1:3], matrix[3, 1:3])  # the same scores, the same p values


def test_not_below_the_step_before():
    x = np.random.default_rng(3).random((25, 6)) + np.linspace(0, 0.3, 6)
    got = bootstrap_max_t(x, resampling=Resampling(500))
    order = np.argsort(-np.abs(got.statistic))
    assert (np.diff(got.pvalue[order]) >= 0).all()
    assert got.pvalue.min() < 0.05 < got.pvalue.max()


def family(rng, topics):
    """Ten variants of one engine and an outsider, all of the same true mean; the outsider's differences vary most."""
    ease = rng.beta(1.2, 2.5, (topics, 1))
    return np.hstack([ease + 0.02 * rng.normal(size=(topics, 10)), rng.beta(1.2, 2.5, (topics, 1))])


def test_holds_for_a_family_and_an_outsider():
    """At 5 % over 200 collections: at most 5 % and chance, where randomised HSD is far beyond."""
    rejected = dict.fromkeys(("bootstrap", "hsd"), 0)
    for seed in range(200):
        x = family(np.random.default_rng([7, seed]), 30)
        rejected["bootstrap"] += bool(bootstrap_max_t(x, resampling=Resampling(199, seed)).below(0.05 + 1e-9))
        rejected["hsd"] += bool(randomised_hsd(x, resampling=Resampling(199, seed)).below(0.05 + 1e-9))
    most = stats.binom.ppf(1 - 1e-4, 200, 0.05)
    assert rejected["bootstrap"] <= most < rejected["hsd"]


def test_normal_limit_of_many_topics(monkeypatch):
    """The same p values as from samples, up to chance; a pair that rests on few topics keeps the samples."""
    where = sys.modules["rankscope.statistics.families.bootstrap_max_t"]
    rng = np.random.default_rng(7)
    x = rng.beta(2, 3, (3000, 5)) + rng.random((3000, 1)) + np.array([0.0, 0.005, 0.01, 0.02, 0.02])
    drawn = Resampling(4_000, 3)
    sampled = bootstrap_max_t(x, resampling=drawn)
    monkeypatch.setattr(where, "LIMIT", 1000)
    names = [f"s{i}" for i in range(5)]
    limit = bootstrap_max_t(x, resampling=drawn, systems=names)
    assert "limit" not in sampled.method
    assert limit.method == "step-down bootstrap MaxT, normal limit"
    spread = np.sqrt(2 * sampled.pvalue * (1 - sampled.pvalue) / drawn.resamples)
    assert (np.abs(limit.pvalue - sampled.pvalue) <= 5 * spread + 1e-4).all()
    assert sampled.pvalue.max() > 0.1  # neither all pairs differ
    assert sampled.pvalue.min() < 0.01  # nor none
    turned = bootstrap_max_t(x[::-1, ::-1], resampling=drawn, systems=names[::-1]).matrix()[::-1, ::-1]
    assert_array_equal(limit.matrix(), turned)
    assert_array_equal(bootstrap_max_t(x, resampling=drawn, systems=names, workers=1).pvalue, limit.pvalue)
    few = x[:, :1] + np.where(np.arange(3000) < 300, 0.1, 0.0)[:, None] * rng.choice([-1, 1], (3000, 1))
    assert "limit" not in bootstrap_max_t(np.hstack([x[:, :1], few]), resampling=Resampling(99)).method


def test_a_pair_that_is_equal_on_paper_has_p_1():
    """Each score of the second system is within the rounding of the first's; their sums are further apart than that."""
    a = np.array([0.9, 0.8, 0.7, 0.6])
    scores = np.column_stack([a, a * (1 + 1.9 * PRECISION), a[::-1]])
    assert equal(scores[:, 0], scores[:, 1]).all()
    result = bootstrap_max_t(scores, resampling=Resampling(200))
    assert (result.statistic[0], result.pvalue[0]) == (0, 1)
