"""Analysis of variance: golden values, statsmodels, effect sizes by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.testing import assert_allclose

from rankscope.errors import InputError
from rankscope.statistics.families.anova import anova_one_way, anova_two_way

GOLDEN: dict[str, Any] = {
    e["id"]: e["expected"]
    for e in json.loads((Path(__file__).parents[2] / "golden" / "stats.json").read_text())["entries"]
}
A = np.array(GOLDEN["A"]["matrix"])


def test_two_way_golden():
    want, got = GOLDEN["A_two_way"], anova_two_way(A)
    for name in ("systems", "topics"):
        effect = got.effect(name)
        assert_allclose(effect.ss, want[f"SS_{name}"], rtol=1e-9)
        assert_allclose(effect.statistic, want[f"F_{name}"], rtol=1e-9)
        assert_allclose(effect.pvalue, want[f"p_{name}"], rtol=1e-9)
        assert effect.df == want[f"df_{name}"]
    assert_allclose((got.ss_error, got.ms_error), (want["SS_error"], want["MS_error"]), rtol=1e-9)
    assert got.df_error == want["df_error"]


def test_one_way_golden():
    want, got = GOLDEN["A_one_way"], anova_one_way(A)
    effect = got.effect("systems")
    found = (effect.ss, got.ss_error, got.ms_error, effect.statistic, effect.pvalue)
    assert_allclose(found, [want[k] for k in ("SS_systems", "SS_error", "MS_error", "F", "p")], rtol=1e-9)
    assert (effect.df, got.df_error) == (want["df_systems"], want["df_error"])


def test_effect_sizes_by_hand():
    # scores 0 1 / 2 5: means of systems 1, 3; of topics 0.5, 3.5; grand mean 2
    # SS systems 2 (1 + 1) = 4, topics 2 (2.25 + 2.25) = 9, error 4 * 0.25 = 1, each with one degree of freedom
    got = anova_two_way([[0, 1], [2, 5]])
    systems = got.effect("systems")
    assert (systems.ss, got.effect("topics").ss, got.ss_error, got.ss_total) == pytest.approx((4, 9, 1, 14))
    assert systems.eta2 == pytest.approx(4 / 14)
    assert systems.partial_eta2 == pytest.approx(4 / 5)
    assert systems.omega2 == pytest.approx((4 - 1) / (14 + 1))
    assert systems.partial_omega2 == pytest.approx((4 - 1) / (4 + (4 - 1) * 1))  # SS + (N - df) MS error


def test_sakai_book(data):
    # elinor 0.4.0 prints SS 0.1083, 1.0293, 0.8317; F 2.475, 2.475; p 0.098, 0.009
    got = anova_two_way(np.loadtxt(data / "sakai-book" / "scores.csv", delimiter=",", skiprows=1, usecols=(1, 2, 3)))
    systems, topics = got.effect("systems"), got.effect("topics")
    assert_allclose((systems.ss, topics.ss, got.ss_error), (0.1083, 1.0293, 0.8317), atol=6e-5)
    assert_allclose((systems.statistic, systems.pvalue, topics.pvalue), (2.475, 0.098, 0.009), atol=6e-4)


@pytest.mark.slow
def test_against_statsmodels():
    """statsmodels 0.15: anova_lm of an ordinary least squares fit."""
    sm = pytest.importorskip("statsmodels.api")
    ols = pytest.importorskip("statsmodels.formula.api").ols
    scores = np.random.default_rng(1).random((12, 5))
    t, s = np.indices(scores.shape)
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"y": scores.ravel(), "t": t.ravel().astype(str), "s": s.ravel().astype(str)})
    two = sm.stats.anova_lm(ols("y ~ C(s) + C(t)", frame).fit())
    got = anova_two_way(scores)
    for name, row in (("systems", "C(s)"), ("topics", "C(t)")):
        effect = got.effect(name)
        assert_allclose(
            (effect.ss, effect.statistic, effect.pvalue), two.loc[row, ["sum_sq", "F", "PR(>F)"]].astype(float)
        )
    one = sm.stats.anova_lm(ols("y ~ C(s)", frame).fit()).loc["C(s)"]
    effect = anova_one_way(scores).effect("systems")
    assert_allclose((effect.ss, effect.statistic, effect.pvalue), one[["sum_sq", "F", "PR(>F)"]].astype(float))


@given(arrays.arrays(np.float64, (6, 4), elements=st.floats(-5, 5, width=16)), st.randoms())
def test_sums_of_squares_add_up_in_any_order(scores, random):
    columns = scores - scores.mean(axis=0)
    left = columns - columns.mean(axis=1, keepdims=True)
    if np.abs(left).max() < 1e-12:  # scores of few digits: an error that is not 0 is far larger
        with pytest.raises(InputError, match="no variance is left"):
            anova_two_way(scores)
        return
    got = anova_two_way(scores)
    assert got.ss_total == pytest.approx(np.square(scores - scores.mean()).sum())
    mixed = scores[random.sample(range(6), 6)][:, random.sample(range(4), 4)]
    assert anova_two_way(mixed).effect("systems").pvalue == pytest.approx(got.effect("systems").pvalue, abs=1e-12)


@pytest.mark.parametrize("scores", [np.full((4, 3), 0.3), np.add.outer(np.arange(4), [0.1, 0.2, 0.3])])
def test_no_error_left(scores):
    with pytest.raises(InputError, match="no variance is left"):
        anova_two_way(scores)


def test_one_way_without_error():
    with pytest.raises(InputError, match="systems explain every score"):
        anova_one_way([[0.1, 0.2], [0.1, 0.2]])


@pytest.mark.parametrize(
    ("scores", "says"),
    [([[0.1, 0.2]], "1 topic"), ([[0.1], [0.2]], "1 system"), ([[0.1, np.nan], [0.2, 0.3]], "topic 0, system 'b'")],
)
def test_bad_input(scores, says):
    names = ["a", "b"][: len(scores[0])]
    with pytest.raises(InputError, match=says):
        anova_two_way(scores, systems=names)


def test_prints_itself():
    text = str(anova_two_way(A))
    assert text.startswith("two-way ANOVA, systems and topics; 10 topics x 5 systems")
    assert anova_two_way(A).to_frame().height == 4
    assert "<table>" in anova_two_way(A)._repr_html_()
