"""The metric map: two systems under many measures."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import rankscope as rs
from rankscope.comparisons import metric_map


@pytest.fixture(scope="module")
def judged():
    return rs.load(*rs.simulation.embedded())


def test_against_a_slow_twin(judged):
    from scipy.stats import ttest_rel

    found = metric_map(judged, "lexical-3", "hybrid-1", persistence=(0.5, 0.9), depths=(1, 20), ladder=("AP",))
    relevant = judged.code >= 2 + np.searchsorted(judged.grades, 1)
    has = judged.available[:, np.searchsorted(judged.grades, 1) :].sum(axis=1) > 0
    a, b = (relevant[judged.systems.index(name)][has] for name in found.systems)
    for cell in found.grid:
        p, k = cell.persistence, cell.depth
        weight = (1 - p) * p ** np.arange(k)
        one, other = a[:, :k] @ weight, b[:, :k] @ weight
        assert cell.effect.difference == pytest.approx((other - one).mean())
        pvalue = ttest_rel(other, one).pvalue
        assert cell.effect.pvalue == pytest.approx(pvalue)
        side = "B ahead" if (other - one).mean() > 0 else "A ahead"
        assert cell.outcome == (f"{side}, significant" if pvalue < 0.05 else side)
    assert sum(found.counts().values()) == 3  # both settings at depth 1 are one
    assert [cell.measure for cell in found.ladder] == ["AP"]


def test_of_the_other_order_is_its_mirror(judged):
    given = {"persistence": (0.3, 0.95), "depths": (2, 100), "ladder": ()}
    one = metric_map(judged, "lexical-3", "hybrid-1", **given)
    other = metric_map(judged, "hybrid-1", "lexical-3", **given)
    turned = {"A": "B", "B": "A", "e": "e"}
    assert [turned[p.outcome[0]] + p.outcome[1:] for p in one.grid] == [p.outcome for p in other.grid]
    assert_allclose(one.columns()["difference"], -np.array(other.columns()["difference"]))
    twice = metric_map(judged, "lexical-3", "hybrid-1", persistence=(0.3, 0.3, 0.95), depths=(2, 2, 100), ladder=())
    assert twice.columns() == one.columns()
    same = metric_map(judged, "hybrid-1", "hybrid-1", **given)
    assert {p.outcome for p in same.grid} == {"equal"}


def test_says_what_is_wrong(judged):
    with pytest.raises(rs.InputError, match="from 1 to 100"):
        metric_map(judged, "lexical-3", "hybrid-1", depths=(0, 1000))
    with pytest.raises(rs.InputError, match="alpha"):
        metric_map(judged, "lexical-3", "hybrid-1", alpha=2)
    with pytest.raises(rs.InputError, match="no system is named"):
        metric_map(judged, "lexical-3", "hybrid-9")


@pytest.mark.filterwarnings("ignore::rankscope.errors.DataWarning")  # one topic has no relevant document
def test_level_of_intervals_is_one_minus_alpha(judged):
    wide, usual = (
        metric_map(judged, "lexical-3", "hybrid-1", persistence=(0.5,), depths=(10,), alpha=alpha).grid[0].effect
        for alpha in (0.01, 0.05)
    )
    expected = rs.statistics.t_interval(*_scores(judged), level=0.99)
    assert (wide.lower, wide.upper) == pytest.approx((expected.lower, expected.upper))
    assert wide.upper - wide.lower > usual.upper - usual.lower


def _scores(judged):
    matrix = rs.evaluate(judged, "RBP(p=0.5)@10").matrix("RBP(p=0.5)@10")
    scored = matrix[~np.isnan(matrix).any(axis=1)]
    return (scored[:, judged.system(name)] for name in ("lexical-3", "hybrid-1"))
