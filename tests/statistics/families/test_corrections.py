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
from rankscope.statistics.families.corrections import (
    adjust,
    benjamini_hochberg,
    benjamini_yekutieli,
    bonferroni,
    hochberg,
    holm,
)

ENTRY: dict[str, Any] = next(
    e
    for e in json.loads((Path(__file__).parents[2] / "golden" / "stats.json").read_text())["entries"]
    if e["id"] == "A_corrections"
)
METHODS = {
    "bonferroni": (bonferroni, "bonferroni"),
    "holm": (holm, "holm"),
    "hochberg": (hochberg, "simes-hochberg"),
    "benjamini-hochberg": (benjamini_hochberg, "fdr_bh"),
    "benjamini-yekutieli": (benjamini_yekutieli, "fdr_by"),
}
pvalues = st.lists(st.floats(0, 1), min_size=1, max_size=30)


@pytest.mark.parametrize("method", ["bonferroni", "holm"])
def test_golden(method):
    got = adjust(ENTRY["inputs"]["p_values"], method)
    assert_allclose(got.adjusted, ENTRY["expected"][method], rtol=1e-9)


@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=40)
@given(p=pvalues)
def test_against_statsmodels(method, p):
    """statsmodels 0.15: multipletests."""
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    call, name = METHODS[method]
    got = call(p)
    assert got.method == method
    assert_allclose(got.adjusted, multitest.multipletests(p, method=name)[1], rtol=1e-12, atol=1e-300)


@given(p=pvalues, random=st.randoms())
def test_order_of_the_family_does_not_matter(p, random):
    order = random.sample(range(len(p)), len(p))
    for method in METHODS:
        whole = adjust(p, method).adjusted
        assert (adjust([p[i] for i in order], method).adjusted == whole[order]).all()
        assert (whole >= np.asarray(p)).all()


def test_the_family_is_printed():
    got = holm([0.01, 0.04], family=["a - b", "a - c"])
    assert str(got).splitlines()[0] == "holm over a family of 2"
    assert "a - c" in str(got)
    assert got.to_frame().columns == ["hypothesis", "pvalue", "adjusted"]


def test_bad_input():
    with pytest.raises(InputError, match="baseline: p = nan"):
        holm([0.01, np.nan], family=["a", "baseline"])
    with pytest.raises(InputError, match=r"hypothesis 1: p = 1\.2"):
        bonferroni([1.2])
    with pytest.raises(InputError, match="1 names for 2 p values"):
        hochberg([0.1, 0.2], family=["a"])
    with pytest.raises(InputError, match="empty"):
        holm([])
    with pytest.raises(InputError, match="'sidak' is unknown"):
        adjust([0.1], "sidak")  # type: ignore[arg-type]
