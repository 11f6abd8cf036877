"""Tukey's HSD, blocked and one-way, and the studentised range under it."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from rankscope.errors import InputError
from rankscope.statistics.families.studentised_range import quantile, tail
from rankscope.statistics.families.tukey_hsd import tukey_hsd, tukey_hsd_one_way

GOLDEN: dict[str, Any] = {
    e["id"]: e["expected"]
    for e in json.loads((Path(__file__).parents[2] / "golden" / "stats.json").read_text())["entries"]
}
A = np.array(GOLDEN["A"]["matrix"])


def trec8(data: Path) -> np.ndarray:
    """AP of the 129 runs of the TREC-8 ad hoc track on 50 topics."""
    with gzip.open(data / "score-matrices" / "newbestsub-AH99.csv.gz", "rt") as file:
        rows = [line.rstrip("\n").split(",")[1:] for line in file][1:]
    return np.array(rows, np.float64).T


@pytest.mark.parametrize(("entry", "test"), [("A_tukey_two_way", tukey_hsd), ("A_tukey_one_way", tukey_hsd_one_way)])
def test_golden(entry, test):
    got = test(A)
    assert [(w["i"], w["j"]) for w in GOLDEN[entry]] == list(zip(got.first.tolist(), got.second.tolist(), strict=True))
    assert_allclose(got.difference, [-w["diff"] for w in GOLDEN[entry]], atol=1e-12)
    assert_allclose(got.statistic, [w["q"] for w in GOLDEN[entry]], rtol=1e-9)
    assert_allclose(got.pvalue, [w["p"] for w in GOLDEN[entry]], rtol=1e-8)


def test_one_way_is_scipys():
    """scipy 1.17: scipy.stats.tukey_hsd, with its intervals."""
    stats = pytest.importorskip("scipy.stats")
    want, got = stats.tukey_hsd(*A.T), tukey_hsd_one_way(A, level=0.9)
    interval = want.confidence_interval(0.9)
    at = got.second, got.first
    assert_allclose(got.pvalue, want.pvalue[at], atol=1e-8)
    assert_allclose(got.lower, interval.low[at], atol=1e-8)
    assert_allclose(got.upper, interval.high[at], atol=1e-8)


@pytest.mark.parametrize("df", [1, 3, 36, 6272, np.inf])
@pytest.mark.parametrize("k", [2, 5, 129])
def test_tail_against_scipy(k, df):
    """scipy 1.17: scipy.stats.studentized_range."""
    stats = pytest.importorskip("scipy.stats")
    q = np.array([0.0, 0.7, 2.5, 6.0, 11.0])
    assert_allclose(tail(q, k, df), stats.studentized_range.sf(q, k, df), atol=1e-5 if df == 1 else 1e-8)


@pytest.mark.parametrize("df", [1, 4, 50, 5000])
def test_tail_of_two_is_students_t(df):
    # the range of two is |x - y|, so q / sqrt(2) is |t|; small p values keep their digits
    stats = pytest.importorskip("scipy.stats")
    q = np.array([0.3, 2.0, 9.0, 30.0])
    assert_allclose(tail(q, 2, df), 2 * stats.t.sf(q / np.sqrt(2), df), rtol=1e-10)


@pytest.mark.slow
@pytest.mark.parametrize("df", [2, 40, 6272, np.inf])
def test_many_at_once_are_as_each(df):
    q = np.random.default_rng(3).exponential(3, 1000)
    together, some = tail(q, 30, df), np.arange(0, 1000, 97)
    assert_allclose(together[some], tail(q[some], 30, df), rtol=1e-9)
    order = np.argsort(q)
    assert (np.diff(together[order]) <= 1e-12).all()


def test_quantile():
    # 3.578 for 3 means and 20 degrees of freedom, as tables print it
    assert quantile(0.95, 3, 20) == pytest.approx(3.578, abs=5e-4)
    assert tail(np.array([quantile(0.99, 7, 12)]), 7, 12)[0] == pytest.approx(0.01, abs=1e-10)


@pytest.mark.slow
def test_trec8_pairs(data):
    """The paper finds 3,320 of 8,256 pairs at depth 250; depth 1000 gives 3,423, and the unpaired test 1,786."""
    scores = trec8(data)
    blocked = tukey_hsd(scores)
    assert len(blocked.pvalue) == 8256
    assert abs(blocked.below(0.05) - 3423) <= 2
    assert abs(tukey_hsd_one_way(scores).below(0.05) - 1786) <= 2
    excluded = (blocked.lower > 0) | (blocked.upper < 0)
    assert (excluded == (blocked.pvalue < 0.05)).all()


def test_order_of_systems_and_topics_does_not_matter():
    rng = np.random.default_rng(5)
    scores = rng.random((9, 6))
    columns = rng.permutation(6)
    got, mixed = tukey_hsd(scores).matrix(), tukey_hsd(scores[rng.permutation(9)][:, columns]).matrix()
    assert_allclose(mixed, got[np.ix_(columns, columns)], rtol=1e-9)


@pytest.mark.slow
def test_blocked_test_keeps_its_error_rate_and_its_power():
    """50 topics, 4 systems, topic sd 0.25, residual sd 0.1: family-wise error, and power for a shift of 0.06."""
    rng = np.random.default_rng(7)
    false = found = unpaired = 0
    for _ in range(200):
        scores = rng.normal(0, 0.25, (50, 1)) + rng.normal(0, 0.1, (50, 4))
        false += tukey_hsd(scores).pvalue.min() < 0.05
        scores[:, 0] += 0.06
        found += tukey_hsd(scores).pvalue.min() < 0.05
        unpaired += tukey_hsd_one_way(scores).pvalue.min() < 0.05
    assert 1 <= false <= 22  # 10 expected, sd 3.1
    assert found > 120
    assert unpaired < 15


@pytest.mark.parametrize("scores", [np.full((4, 3), 0.3), [[0.1, 0.2], [0.3, 0.4]]])
def test_nothing_left_to_compare_with(scores):
    with pytest.raises(InputError, match="no variance is left"):
        tukey_hsd(scores)


def test_bad_level():
    with pytest.raises(InputError, match=r"level=1\.5"):
        tukey_hsd(A, level=1.5)


def test_prints_family_and_method():
    got = tukey_hsd(A, systems=list("vwxyz"))
    text = str(got)
    assert "Tukey HSD blocked by topic; 10 topics; family: all 10 pairs of 5 systems; 0.95 simultaneous" in text
    assert got.family[0] == "w - v"
    assert got.to_frame().columns == ["first", "second", "difference", "lower", "upper", "statistic", "pvalue"]
