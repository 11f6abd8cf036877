"""Tests and intervals by cluster: golden values, literal twins, and what they are without clusters and weights."""

import json
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from rankscope.errors import InputError
from rankscope.statistics import (
    Resampling,
    bootstrap_max_t,
    clustered_bootstrap_interval,
    clustered_hsd,
    clustered_randomisation_test,
    clustered_t_test,
    randomisation_interval,
    randomised_hsd,
    t_test,
)
from rankscope.statistics.equality import difference
from rankscope.statistics.pairs.clusters import Units, all_samples, clustered_randomisation_interval_of

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "clusters.json").read_text(encoding="utf-8"))["entries"]
ENTRIES = pytest.mark.parametrize("entry", GOLDEN, ids=lambda entry: entry["id"])


def inputs(entry):
    clusters = entry["inputs"]["clusters"]
    d = np.concatenate([np.asarray(c, np.float64) for c in clusters])
    label = np.repeat(np.arange(len(clusters)), [len(c) for c in clusters])
    share = 1 / np.bincount(label)[label]
    return np.zeros_like(d), d, label, share


def close(value, expected):
    assert value == pytest.approx(expected, rel=1e-9, abs=1e-9)


@ENTRIES
def test_cluster_robust_t_equals_the_golden_values(entry):
    zero, d, label, share = inputs(entry)
    expected = entry["expected"]
    for variant, numbers in expected["cluster_robust"].items():
        test = clustered_t_test(zero, d, label, variant=variant)
        interval = test.confidence_interval()
        values = test.standard_error, test.statistic, test.df, test.pvalue, [interval.lower, interval.upper]
        for value, key in zip(values, ("se", "t", "df", "p", "ci"), strict=True):
            close(value, numbers[key])
    means = clustered_t_test(zero, d, label, weights=share, variant="CR1")
    numbers = expected["t_of_cluster_means"]
    ends = means.confidence_interval()
    close(
        [means.difference, means.standard_error, means.statistic, means.pvalue, means.df, ends.lower, ends.upper],
        [*(numbers[k] for k in ("mean", "se", "t", "p", "df")), *numbers["ci"]],
    )
    assert (test.n_topics, test.n_clusters) == (expected["n"], expected["clusters"])
    assert np.bincount(label).tolist() == expected["sizes"]
    close([test.difference, means.difference], [expected["mean"], expected["mean_of_cluster_means"]])
    naive = t_test(zero, d)
    alone = clustered_t_test(zero, d)
    close([alone.statistic, alone.df, alone.pvalue], [naive.statistic, naive.df, naive.pvalue])
    close([alone.statistic, alone.df, alone.pvalue], [expected["naive_t"][key] for key in ("t", "df", "p")])


@ENTRIES
def test_sign_flips_of_clusters_equal_the_golden_values(entry):
    zero, d, label, share = inputs(entry)
    flips = entry["expected"]["sign_flip"]
    for alternative in ("two_sided", "greater", "less"):
        word = alternative.replace("_", "-")
        plain = clustered_randomisation_test(zero, d, label, alternative=word)
        assert plain.exact
        close(plain.pvalue, flips["mean"][f"p_{alternative}"])
        close(plain.pvalue, flips["mean"][alternative] / flips["mean"]["of"])
        means = clustered_randomisation_test(zero, d, label, weights=share, alternative=word)
        close(means.pvalue, flips["mean_of_cluster_means"][f"p_{alternative}"])
    close(
        clustered_randomisation_test(zero, d, label, variant="studentised").pvalue,
        flips["studentised_CR1"]["p_two_sided"],
    )


@pytest.mark.parametrize("entry", [e for e in GOLDEN if "bootstrap" in e["expected"]], ids=lambda entry: entry["id"])
def test_samples_of_clusters_equal_the_golden_values(entry):
    zero, d, label, share = inputs(entry)
    for weights, name in ((None, "mean"), (share, "mean_of_cluster_means")):
        numbers = entry["expected"]["bootstrap"][name]
        interval = clustered_bootstrap_interval(zero, d, label, weights=weights)
        assert interval.exact
        close([interval.lower, interval.upper], numbers["percentile_95"])
        means, share_of = all_samples(Units.of(*difference(zero, d), label, weights))
        chance = np.diff(share_of, prepend=0.0)
        expectation = float(chance @ means)
        close([expectation, np.sqrt(chance @ np.square(means - expectation))], [numbers["expectation"], numbers["se"]])


def literal_cr2(d, label, weights):
    """CR2 by matrices: the adjustment makes the variance of each residual sum right where topics are independent."""
    n, total = d.size, weights.sum()
    theta = weights @ d / total
    project = np.eye(n) - np.outer(np.ones(n), weights) / total
    rows = []
    for g in np.unique(label):
        own = np.where(label == g, weights, 0.0)
        residual = own @ project
        rows.append(np.sqrt((own @ own) / (residual @ residual)) * residual)
    p = np.stack(rows)
    inner = p @ p.T
    return np.sqrt(np.square(p @ d).sum()) / total, np.trace(inner) ** 2 / np.trace(inner @ inner), theta


def test_weighted_cluster_robust_t_equals_its_matrices():
    rng = np.random.default_rng(3)
    for _ in range(5):
        label = rng.integers(0, 9, 40)
        weights = rng.gamma(1.0, size=40)
        d = rng.normal(size=40)
        error, df, theta = literal_cr2(d, label, weights / weights.mean())
        test = clustered_t_test(np.zeros(40), d, label, weights=weights)
        close([test.standard_error, test.df, test.difference], [error, df, theta])


def test_studentised_flips_equal_a_loop_over_all_patterns():
    rng = np.random.default_rng(5)
    label, d = np.repeat(np.arange(7), [1, 2, 3, 4, 1, 2, 6]), rng.normal(0.3, 1, 19)
    sums, sizes = np.bincount(label, d), np.bincount(label)

    def ratio(s):
        mean = s.sum() / sizes.sum()
        return mean / np.sqrt(np.square(s - sizes * mean).sum())

    ratios = np.array([ratio(np.array(signs) * sums) for signs in product((-1, 1), repeat=7)])
    for alternative, count in (
        ("two-sided", np.count_nonzero(np.abs(ratios) >= abs(ratio(sums)) - 1e-9)),
        ("greater", np.count_nonzero(ratios >= ratio(sums) - 1e-9)),
        ("less", np.count_nonzero(ratios <= ratio(sums) + 1e-9)),
    ):
        test = clustered_randomisation_test(np.zeros(19), d, label, variant="studentised", alternative=alternative)
        assert test.pvalue == count / 128


def test_interval_of_flips_holds_just_the_shifts_that_flips_do_not_reject():
    rng = np.random.default_rng(8)
    label, d = rng.integers(0, 10, 30), rng.normal(0.2, 1, 30)
    units = Units.of(*difference(np.zeros(30), d), label)
    ends = clustered_randomisation_interval_of(units)
    for shift, inside in ((ends.lower + 1e-6, True), (ends.lower - 1e-6, False), (ends.upper + 1e-6, False)):
        sums = units.sums - shift * units.weights
        flipped = np.array([np.dot(signs, sums) for signs in product((-1, 1), repeat=units.n_clusters)])
        tail = min(np.mean(flipped >= sums.sum() - 1e-12), np.mean(flipped <= sums.sum() + 1e-12))
        assert (tail > 0.025) == inside
    plain = randomisation_interval(np.zeros(12), d[:12])
    alone = clustered_randomisation_interval_of(Units.of(*difference(np.zeros(12), d[:12])))
    close([alone.lower, alone.upper], [plain.lower, plain.upper])


def test_neither_the_order_of_topics_nor_workers_nor_the_unit_of_weights_change_a_drawn_result():
    rng = np.random.default_rng(9)
    a, b, label, weights = rng.random(300), rng.random(300), rng.integers(0, 60, 300), rng.random(300)
    order = rng.permutation(300)

    def results(a, b, label, weights, workers):
        more = {"resampling": Resampling(500), "workers": workers}
        return (
            clustered_randomisation_test(a, b, label, weights=weights, **more).pvalue,
            clustered_bootstrap_interval(a, b, label, weights=weights, **more).lower,
        )

    first = results(a, b, label, weights, 1)
    close(results(a[order], b[order], label[order], 7 * weights[order], 2), first)
    assert results(a, b, label, weights, 2) == first
    turned = clustered_bootstrap_interval(b, a, label, weights=weights, resampling=Resampling(500))
    close(-turned.upper, first[1])


def test_design_effect_counts_copies_of_a_topic_as_one():
    rng = np.random.default_rng(2)
    d = rng.normal(0.1, 1, 30)
    copies = np.repeat(d, 4)
    test = clustered_t_test(np.zeros(120), copies, np.repeat(np.arange(30), 4))
    single = t_test(np.zeros(30), d)
    close([test.statistic, test.pvalue], [single.statistic, single.pvalue])
    assert test.effective_topics == pytest.approx(30, rel=0.04)  # n - 1 of the naive variance
    equal = clustered_t_test(np.zeros(30), d)
    close([equal.design_effect, equal.effective_topics], [1, 30])
    weights = np.repeat([1.0, 9.0], 15)
    kish = weights.sum() ** 2 / np.square(weights).sum()
    spread = np.tile([1.0, -1.0, 1.0, -1.0, 1.0], 6)
    assert clustered_t_test(np.zeros(30), spread, weights=weights).effective_topics == pytest.approx(kish, rel=0.08)


def test_hsd_of_clusters_permutes_whole_clusters():
    rng = np.random.default_rng(4)
    matrix, label = rng.random((12, 3)), np.repeat(np.arange(4), 3)
    hsd = clustered_hsd(matrix, label, systems=["a", "b", "c"])
    sums = np.stack([matrix[label == g].sum(axis=0) for g in range(4)])
    ranges = []
    from itertools import permutations

    for orders in product(permutations(range(3)), repeat=4):
        total = sum(row[list(order)] for row, order in zip(sums, orders, strict=True))
        ranges.append(np.ptp(total))
    means = matrix.mean(axis=0)
    for i, j, p, d in zip(hsd.first, hsd.second, hsd.pvalue, hsd.difference, strict=True):
        assert d == pytest.approx(means[j] - means[i])
        assert p == pytest.approx(np.mean(np.array(ranges) >= 12 * abs(means[j] - means[i]) - 1e-9))
    alone, plain = clustered_hsd(matrix, resampling=Resampling(200)), randomised_hsd(matrix, resampling=Resampling(200))
    assert alone.pvalue.tolist() == plain.pvalue.tolist()
    assert hsd.n_topics == 12


def test_bad_clusters_and_weights_are_refused():
    a, b = np.zeros(4), np.array([0.1, 0.3, 0.2, 0.5])
    for more, words in (
        ({"clusters": [1, 1, 1, 1]}, "one cluster"),
        ({"clusters": [1, 2]}, "2 clusters for 4 topics"),
        ({"weights": [1, -1, 1, 1]}, "negative"),
        ({"weights": [0, 0, 0, 0]}, "sum to 0"),
        ({"weights": [0, 0, 3, 0]}, "one topic has all the weight"),
        ({"weights": [1, 1, np.nan, 1]}, "no finite number"),
        ({"weights": [1, 2]}, "2 weights for 4 topics"),
    ):
        with pytest.raises(InputError, match=words):
            clustered_t_test(a, b, **more)


def test_a_constant_difference_has_the_p_of_flips():
    test = clustered_t_test(np.zeros(12), np.full(12, 0.1), np.repeat(np.arange(6), 2))
    assert test.pvalue == 2 / 2**6
    assert np.isinf(test.statistic)
    with pytest.raises(InputError, match="no variance"):
        test.confidence_interval()
    assert clustered_t_test(np.zeros(4), np.zeros(4), [1, 1, 2, 2]).pvalue == 1


def test_bootstrap_of_clusters_ranks_like_that_of_cluster_means_where_sizes_are_equal():
    from rankscope.statistics.families.clustered_hsd import cluster_matrix

    rng = np.random.default_rng(1)
    matrix, label = rng.random((60, 4)), np.repeat(np.arange(20), 3)
    means = np.stack([matrix[label == g].mean(axis=0) for g in range(20)])
    rows = cluster_matrix(matrix, label)
    np.testing.assert_allclose(np.sort(rows, axis=0), np.sort(means, axis=0))
    a, b = (bootstrap_max_t(m, resampling=Resampling(200)).pvalue for m in (rows, means))
    np.testing.assert_allclose(a, b)
