"""One answer for one situation: no difference at all, and a difference that is the same on every topic.

Every procedure of two systems is called here; the rule is in docs/conventions.md.
"""

import inspect

import numpy as np
import pytest

from rankscope import statistics
from rankscope.comparisons import compare, gate
from rankscope.comparisons.effect import TESTS, Procedure
from rankscope.errors import InputError
from rankscope.io import ScoreTable
from rankscope.statistics import Resampling
from rankscope.statistics.pairs.one_sided import one_sided

FEW = Resampling(40, 3)
N = 7
A = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7])
B = A + 0.2
BOTH = np.stack([A, B], axis=1)

TESTS_OF_TWO = {  # two-sided p of two vectors
    "t_test": lambda a, b: statistics.t_test(a, b),
    "wilcoxon": lambda a, b: statistics.wilcoxon(a, b),
    "sign_test": lambda a, b: statistics.sign_test(a, b),
    "randomisation_test": lambda a, b: statistics.randomisation_test(a, b),
    "bootstrap_test": lambda a, b: statistics.bootstrap_test(a, b, resampling=FEW),
    "bootstrap_test, shift": lambda a, b: statistics.bootstrap_test(a, b, variant="shift", resampling=FEW),
    "clustered_t_test": lambda a, b: statistics.clustered_t_test(a, b),
    "clustered_t_test, CR0": lambda a, b: statistics.clustered_t_test(a, b, variant="CR0"),
    "clustered_randomisation_test": lambda a, b: statistics.clustered_randomisation_test(a, b),
    "clustered_randomisation_test, studentised": lambda a, b: statistics.clustered_randomisation_test(
        a, b, variant="studentised"
    ),
    "repeated_runs": lambda a, b: statistics.repeated_runs(a[:, None], b[:, None]),
    "repeated_runs, three and two": lambda a, b: statistics.repeated_runs(
        np.stack([a] * 3, axis=1), np.stack([b] * 2, axis=1)
    ),
    "repeated_all_pairs": lambda a, b: statistics.repeated_all_pairs({"a": np.stack([a] * 3, axis=1), "b": b[:, None]}),
    "t_all_pairs": lambda a, b: statistics.t_all_pairs(np.stack([a, b], axis=1)),
    "randomisation_all_pairs": lambda a, b: statistics.randomisation_all_pairs(np.stack([a, b], axis=1)),
    **{f"compare, {test}": lambda a, b, test=test: Procedure(test).effect(a, b) for test in TESTS},
}
FAMILIES = {  # p values that are not those of one pair by itself
    "max_t": statistics.max_t,
    "step_down_max_t": statistics.step_down_max_t,
    "closed_testing": statistics.closed_testing,
    "bootstrap_max_t": statistics.bootstrap_max_t,
    "randomised_hsd": statistics.randomised_hsd,
}
NO_VARIANCE = {
    "t_interval": lambda a, b: statistics.t_interval(a, b),
    "bootstrap_interval": lambda a, b: statistics.bootstrap_interval(a, b, resampling=FEW),
    "randomisation_interval": lambda a, b: statistics.randomisation_interval(a, b),
    "mean_difference": lambda a, b: statistics.mean_difference(a, b),
    "cohen_dz": lambda a, b: statistics.cohen_dz(a, b),
    "effect_sizes": lambda a, b: statistics.effect_sizes(a, b),
    "posterior": lambda a, b: statistics.posterior(a, b),
    "clustered_bootstrap_interval": lambda a, b: statistics.clustered_bootstrap_interval(a, b, resampling=FEW),
    "replication": lambda a, b: statistics.replication(a, b),
}
OTHER = {"equivalence", "non_inferiority", "superiority"}


def test_every_procedure_of_two_systems_is_here():
    public = [getattr(statistics, name) for name in statistics.__all__]
    of_two = {f.__name__ for f in public if {"a", "b"} <= set(inspect.signature(f).parameters)}
    called = {name.split(",")[0] for name in [*TESTS_OF_TWO, *NO_VARIANCE]} | OTHER
    assert of_two <= called


@pytest.mark.parametrize("name", TESTS_OF_TWO)
@pytest.mark.parametrize("turned", [False, True])
def test_the_p_of_sign_flips(name, turned):
    a, b = (B, A) if turned else (A, B)
    assert float(np.ravel(TESTS_OF_TWO[name](a, b).pvalue)[0]) == 2 / 2**N


@pytest.mark.parametrize("name", TESTS_OF_TWO)
@pytest.mark.parametrize("n", [40, 600])
def test_nothing_is_drawn_or_approximated(name, n):
    a = np.linspace(0, 0.5, n)
    assert float(np.ravel(TESTS_OF_TWO[name](a, a + 0.25).pvalue)[0]) == 2 / 2**n


@pytest.mark.parametrize("name", TESTS_OF_TWO)
def test_no_difference_has_p_of_one(name):
    assert float(np.ravel(TESTS_OF_TWO[name](A, A).pvalue)[0]) == 1
    assert float(np.ravel(TESTS_OF_TWO[name](np.array([0.3, 0.5]), np.array([0.1 + 0.2, 0.5])).pvalue)[0]) == 1


@pytest.mark.parametrize("variant", ["mean", "studentised"])
@pytest.mark.parametrize("n", [4, 60])
def test_clusters_of_unequal_sizes(n, variant):
    """The same mean difference in each cluster: nothing is drawn, and p is that of flips of clusters."""
    clusters = np.repeat(np.arange(n), 1 + np.arange(n) % 3)
    a = np.linspace(0, 0.5, clusters.size)
    flips = statistics.clustered_randomisation_test(a, a + 0.2, clusters, variant=variant, resampling=FEW)
    assert flips.pvalue == statistics.clustered_t_test(a, a + 0.2, clusters).pvalue == 2 / 2**n
    assert (flips.exact, flips.resampling) == (True, None)
    assert flips.method.endswith(f"exact over 2^{n} sign flips, by cluster")
    assert flips.statistic == (np.inf if variant == "studentised" else pytest.approx(0.2))
    for alternative, p in (("greater", 0.5**n), ("less", 1)):
        chosen = {"variant": variant, "alternative": alternative}
        assert statistics.clustered_randomisation_test(a, a + 0.2, clusters, **chosen).pvalue == p
    with pytest.raises(InputError, match=rf"the difference is 0\.2 in all {n} clusters: it has no variance"):
        statistics.clustered_bootstrap_interval(a, a + 0.2, clusters)


def test_runs_that_are_the_same_and_runs_that_vary():
    same = statistics.repeated_runs(np.stack([A] * 3, axis=1), np.stack([B] * 3, axis=1))
    assert (same.statistic, same.standard_error, same.runs_variance) == (np.inf, 0, 0)
    assert np.isnan([same.lower, same.upper]).all()
    assert same.method.startswith("randomisation in place of")
    varied = statistics.repeated_runs(np.stack([A, A + 0.05], axis=1), B[:, None])
    assert varied.topics_variance == 0
    assert varied.runs_variance == pytest.approx(0.05**2 / 4)
    assert varied.df == 1
    assert varied.lower < 0.175 < varied.upper


@pytest.mark.parametrize("test", ["t", "randomisation", "bounded", "betting"])
def test_one_sided(test):
    rows = np.array([np.full(N, 0.2), np.full(N, -0.2), np.zeros(N)])
    got = one_sided(rows, test=test, bound=0.2)
    assert got.alike.tolist() == [True, True, False]
    assert got.tied.tolist() == [False, False, True]
    assert got.above[2] == got.below[2] == 1
    assert (got.above[:2].tolist(), got.below[:2].tolist()) == (got.below[1::-1].tolist(), got.above[1::-1].tolist())
    if test == "betting":  # the mean over stakes
        assert got.above[0] > 0.5**N
    else:
        assert got.above[:2].tolist() == pytest.approx([0.5**N, 1])


@pytest.mark.parametrize("test", ["t", "randomisation"])
@pytest.mark.parametrize("exact", [None, False])
def test_one_sided_beside_a_row_that_varies(test, exact):
    rows = np.stack([np.full(40, 0.2), np.full(40, -0.2), np.random.default_rng(1).normal(size=40)])
    got = one_sided(rows, test=test, exact=exact, resampling=FEW)
    assert got.above[:2].tolist() == got.below[1::-1].tolist() == [0.5**40, 1]


def scores(n, difference):
    first = np.linspace(0.2, 0.7, n)
    value = np.stack([first, first + difference])
    return ScoreTable("AP", ("old", "new"), tuple(f"t{i}" for i in range(n)), value, "scores")


@pytest.mark.parametrize(
    ("n", "difference", "outcome"),
    [
        (6, 0.0, "pass"), (6, -0.005, "pass"), (6, 0.1, "pass"), (6, -0.02, "regression"),
        (5, 0.0, "inconclusive"), (5, 0.1, "inconclusive"), (5, -0.02, "inconclusive"),
    ],
)  # fmt: skip
def test_gate(n, difference, outcome):
    """p of sign flips, one-sided: below 0.025 from six topics on."""
    got = gate(scores(n, difference), "old", "new", margin=0.01)
    assert got.outcome == outcome
    (row,) = got.to_dict()["checks"]
    assert (row["lower"], row["upper"]) == (None, None)
    assert row["topics_that_settle"] == (6 if n == 5 else None)
    assert "on every topic" in row["reason"]
    assert "no interval" in str(got)
    for text in (got.to_text("full"), got.to_markdown(), got.to_latex()):
        assert "Student" not in text
        assert f"[{difference:.4f}" not in text.replace("$-$", "-")
    assert row["reason"][1:] in got.to_text("full", width=500)
    if n == 5:
        assert "give at least 6 topics" in str(got)


def test_gate_without_a_margin():
    assert gate(scores(12, 0.0), "old", "new", margin=0).outcome == "inconclusive"
    assert gate(scores(12, 0.1), "old", "new", margin=0).outcome == "pass"


def test_compare():
    for difference, p in ((0.0, 1.0), (0.125, 2 / 2**12)):
        got = compare(scores(12, difference), "old", "new").to_dict()
        assert (got["lower"], got["upper"], got["pvalue"]) == (None, None, p)
        made = compare(scores(12, difference), "old", "new")
        assert all(f"[{difference:.4f}" not in text for text in (made.to_markdown(), made.to_latex()))


@pytest.mark.parametrize("name", FAMILIES)
def test_families(name):
    """p by permutation or bootstrap, as of every other pair; t is infinite where it has no variance."""
    got = FAMILIES[name](BOTH, resampling=FEW)
    assert 0 < got.pvalue[0] < 0.1
    assert FAMILIES[name](np.stack([A, A], axis=1), resampling=FEW).pvalue[0] == 1
    assert got.statistic.tolist() == (got.difference.tolist() if name == "randomised_hsd" else [np.inf])


def test_equivalence():
    """Shifted by the margin, a constant difference is a constant difference."""
    for a, b in ((A, B), (B, A), (A, A)):
        got = statistics.equivalence(a, b, 0.3)
        assert got.pvalue == got.pvalue_above == got.pvalue_below == 0.5**N
        assert np.isnan([got.lower, got.upper]).all()
    assert statistics.equivalence(A, B, 0.1).pvalue == 1
    assert statistics.non_inferiority(A, B, 0.1).pvalue == 0.5**N
    assert statistics.non_inferiority(B, A, 0.1).pvalue == 1
    assert statistics.non_inferiority(B, A, 0.2).pvalue == 1  # just the margin, as far as rounding lets one see


@pytest.mark.parametrize("name", NO_VARIANCE)
def test_intervals_have_nothing_to_go_by(name):
    with pytest.raises(InputError, match=r"the difference is 0\.2 on all 7 topics: it has no variance"):
        NO_VARIANCE[name](A, B)
    assert statistics.superiority(A, B).value == 1
