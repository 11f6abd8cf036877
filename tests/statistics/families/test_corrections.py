"""Corrections over a family: golden values, statsmodels, properties."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from rankscope.errors import InputError
from rankscope.statistics import adjust, letters, randomised_hsd, rank_intervals, t_all_pairs

ENTRY: dict[str, Any] = next(
    e
    for e in json.loads((Path(__file__).parents[2] / "golden" / "stats.json").read_text())["entries"]
    if e["id"] == "A_corrections"
)
METHODS = {
    "bonferroni": "bonferroni",
    "holm": "holm",
    "hochberg": "simes-hochberg",
    "benjamini-hochberg": "fdr_bh",
    "benjamini-yekutieli": "fdr_by",
}
pvalues = st.lists(st.floats(0, 1), min_size=1, max_size=30)


@pytest.mark.parametrize("method", ["bonferroni", "holm"])
def test_golden(method):
    got = adjust(ENTRY["inputs"]["p_values"], method)
    assert_allclose(got.adjusted, ENTRY["expected"][method], rtol=1e-9)


@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=40)
@given(p=pvalues)
@pytest.mark.slow
def test_against_statsmodels(method, p):
    """statsmodels 0.15: multipletests."""
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    got = adjust(p, method)
    assert got.method == method
    assert_allclose(got.adjusted, multitest.multipletests(p, method=METHODS[method])[1], rtol=1e-12, atol=1e-300)


@given(p=pvalues, random=st.randoms())
def test_order_of_the_family_does_not_matter(p, random):
    order = random.sample(range(len(p)), len(p))
    for method in METHODS:
        whole = adjust(p, method).adjusted
        assert (adjust([p[i] for i in order], method).adjusted == whole[order]).all()
        assert (whole >= np.asarray(p)).all()


def test_the_family_is_printed():
    got = adjust([0.01, 0.04], "holm", family=["a - b", "a - c"])
    assert str(got).splitlines()[0] == "holm over a family of 2"
    assert "a - c" in str(got)
    assert got.to_frame().columns == ["hypothesis", "pvalue", "adjusted"]


def test_bad_input():
    with pytest.raises(InputError, match="baseline: p = nan"):
        adjust([0.01, np.nan], "holm", family=["a", "baseline"])
    with pytest.raises(InputError, match=r"hypothesis 1: p = 1\.2"):
        adjust([1.2], "bonferroni")
    with pytest.raises(InputError, match="1 names for 2 p values"):
        adjust([0.1, 0.2], "hochberg", family=["a"])
    with pytest.raises(InputError, match="empty"):
        adjust([], "holm")
    with pytest.raises(InputError, match="method='sidak' is unknown"):
        adjust([0.1], "sidak")  # type: ignore[arg-type]


def test_comparisons_come_back_corrected():
    """One result for all pairs: as tested, corrected, and as letters and intervals of ranks take it."""
    matrix = np.random.default_rng(3).random((15, 4))
    matrix[:, 3] += 1
    alone = t_all_pairs(matrix, systems=list("abcd"))
    assert "not corrected for the number of pairs" in str(alone)
    got = adjust(alone, "holm")
    np.testing.assert_array_equal(got.pvalue, adjust(alone.pvalue, "holm").adjusted)
    assert got.method == "Student's paired t, holm"
    assert "not corrected" not in str(got)
    assert letters(got).groups == letters(got.matrix(), location=got.location, systems=got.systems).groups
    assert rank_intervals(got).lower.tolist() == [2, 2, 2, 1]
    with pytest.raises(InputError, match="not corrected"):
        rank_intervals(alone)
    with pytest.raises(InputError, match="hold for all pairs already"):
        adjust(randomised_hsd(matrix), "holm")
