"""Random effects over collections: golden values, literal twins from the papers, statsmodels, calibration."""

from __future__ import annotations

import json
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rankscope.errors import InputError
from rankscope.statistics import random_effects
from rankscope.statistics.replications.random_effects import averaged, predictive
from rankscope.statistics.special import ndtr

scipy_stats = pytest.importorskip("scipy.stats")
GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "collections.json").read_text())["entries"]
SETS = [entry for entry in GOLDEN if entry["kind"] == "meta_analysis"]
VARIANTS = {"DL": "dersimonian-laird", "REML": "reml", "PM": "paule-mandel"}
INTERVALS = {"normal": "normal", "HK": "hartung-knapp", "HK_max1": "truncated"}


def close(ours: Any, golden: Any, entry: dict[str, Any]) -> None:
    assert ours == pytest.approx(golden, abs=entry["tolerance"], rel=1e-6)


@pytest.mark.parametrize("entry", SETS, ids=lambda entry: entry["id"])
def test_golden_fixed_effect_and_heterogeneity(entry):
    expected = entry["expected"]
    result = random_effects(**entry["inputs"], weighting="precision", variant="fixed", interval="normal")
    assert (len(result.effects), len(result.effects) - 1) == (expected["k"], expected["Q_df"])
    fixed = expected["fixed"]
    close([result.q, result.q_pvalue, result.i2], [expected[name] for name in ("Q", "Q_p", "I2")], entry)
    close(result.q / (expected["k"] - 1), expected["H2"], entry)
    close([result.difference, result.standard_error, result.pvalue], [fixed[n] for n in ("mean", "se", "p")], entry)
    close([result.lower, result.upper], fixed["ci"], entry)
    close(result.weights.tolist(), fixed["weights"], entry)


@pytest.mark.parametrize("name", VARIANTS)
@pytest.mark.parametrize("entry", SETS, ids=lambda entry: entry["id"])
def test_golden_random_effects(entry, name):
    expected = entry["expected"]["random"][name]
    for kind, interval in INTERVALS.items():
        result = random_effects(**entry["inputs"], weighting="precision", variant=VARIANTS[name], interval=interval)
        close([result.tau2, result.difference], [expected["tau2"], expected["mean"]], entry)
        close(result.weights.tolist(), expected["weights"], entry)
        close([result.standard_error, result.pvalue], [expected[kind]["se"], expected[kind]["p"]], entry)
        close([result.lower, result.upper], expected[kind]["ci"], entry)
        if kind == "HK":
            close(result.standard_error**2 * (1 / (result.variances + result.tau2)).sum(), expected[kind]["q"], entry)
        for less, prediction in expected["prediction"].items():
            if prediction is None or prediction["df"] < 1:
                continue
            ends = prediction[f"se_{kind}"]
            close(result.prediction(df=prediction["df"]), tuple(ends), entry)
            if less == "t_k-2":
                close([result.prediction_lower, result.prediction_upper], ends, entry)
        typical = (len(result.effects) - 1) * (1 / result.variances).sum()
        typical /= (1 / result.variances).sum() ** 2 - (1 / result.variances**2).sum()
        close(result.tau2 / (result.tau2 + typical), expected["I2_from_tau2"], entry)
        for left, row in zip(
            result.leave_one_out() if len(result.effects) > 2 else (), expected.get("leave_one_out", ()), strict=False
        ):
            close([left.tau2, left.difference], [row["tau2"], row["mean"]], entry)
            close([left.lower, left.upper], row[f"{kind}_ci"], entry)


def twin_of_paule_mandel(y: list[float], v: list[float]) -> float:
    """The root of Q(tau2) = k - 1 (Paule and Mandel 1982, equation 8), by halving."""

    def squares(tau2: float) -> float:
        w = [1 / (each + tau2) for each in v]
        mean = sum(a * b for a, b in zip(w, y, strict=True)) / sum(w)
        return sum(a * (b - mean) ** 2 for a, b in zip(w, y, strict=True)) - (len(y) - 1)

    low, high = 0.0, 1.0
    if squares(low) <= 0:
        return 0.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if squares(middle) > 0 else (low, middle)
    return low


def test_literal_twins_of_paule_mandel_and_hartung_knapp():
    rng = np.random.default_rng(5)
    for k in (2, 3, 8):
        y, v = rng.normal(0, 0.05, k), rng.uniform(1e-5, 1e-3, k)
        result = random_effects(y, v, weighting="precision")
        tau2 = twin_of_paule_mandel(y.tolist(), v.tolist())
        w = [1 / (each + tau2) for each in v]
        mean = sum(a * b for a, b in zip(w, y, strict=True)) / sum(w)
        q = sum(a * (b - mean) ** 2 for a, b in zip(w, y, strict=True)) / (k - 1)
        assert result.tau2 == pytest.approx(tau2, abs=1e-12)
        assert result.standard_error == pytest.approx(sqrt(q / sum(w)))
        assert result.pvalue == pytest.approx(2 * scipy_stats.t.sf(abs(mean) / sqrt(q / sum(w)), k - 1))


def test_equal_weights_are_students_t_of_the_effects():
    for entry in SETS:
        result = random_effects(**entry["inputs"])
        theirs = scipy_stats.ttest_1samp(entry["inputs"]["effects"], 0)
        ends = theirs.confidence_interval()
        assert (result.statistic, result.pvalue) == pytest.approx((theirs.statistic, theirs.pvalue))
        assert (result.lower, result.upper) == pytest.approx((ends.low, ends.high))


def test_the_prediction_interval_is_the_quantile_of_its_confidence_distribution():
    """By drawing, as the papers do it: tau2 from a drawn chi-square, then the mean, then the next true effect."""
    entry = next(each for each in SETS if each["id"] == "random_k5_null")["inputs"]
    y, v = np.array(entry["effects"]), np.array(entry["variances"])
    rng = np.random.default_rng(11)
    drawn = []
    for target in rng.chisquare(len(y) - 1, 4000):
        low, high = 0.0, 1.0
        for _ in range(60):
            middle = (low + high) / 2
            w = 1 / (v + middle)
            squares = (w * (y - (w * y).sum() / w.sum()) ** 2).sum()
            low, high = (middle, high) if squares > target else (low, middle)
        centre = y.mean() + rng.normal() * sqrt((low + v.mean()) / len(y))
        drawn.append(centre + rng.normal() * sqrt(low))
    result = random_effects(y, v)
    ends = np.quantile(drawn, [0.025, 0.975])
    assert [result.prediction_lower, result.prediction_upper] == pytest.approx(ends, abs=0.15 * (ends[1] - ends[0]))
    mean, spread = predictive(y, v)
    for end, p in ((result.prediction_lower, 0.025), (result.prediction_upper, 0.975)):
        assert float(ndtr((end - mean) / spread).mean()) == pytest.approx(p, abs=1e-9)


@pytest.mark.parametrize("variant", ["dersimonian-laird", "paule-mandel"])
def test_statsmodels_agrees(variant):
    combine = pytest.importorskip("statsmodels.stats.meta_analysis").combine_effects
    method = {"dersimonian-laird": "chi2", "paule-mandel": "iterated"}[variant]
    for entry in SETS:
        scale = 100.0  # in per cent: the iteration of statsmodels stops by absolute tolerances
        y, v = scale * np.array(entry["inputs"]["effects"]), scale**2 * np.array(entry["inputs"]["variances"])
        ours = random_effects(y, v, weighting="precision", variant=variant)
        if ours.tau2 == 0:  # statsmodels does not truncate it
            continue
        theirs = combine(y, v, method_re=method, use_t=True, **({"atol": 1e-7} if method == "iterated" else {}))
        assert ours.tau2 == pytest.approx(theirs.tau2, rel=1e-6)
        assert ours.difference == pytest.approx(theirs.mean_effect_re, rel=1e-6)
        assert ours.standard_error == pytest.approx(theirs.sd_eff_w_re_hksj, rel=1e-6)


@pytest.mark.parametrize("sizes", [(50,) * 7, (20, 20, 20, 20, 20, 20, 3000)])
def test_equal_weights_keep_their_level_where_weights_by_precision_do_not(sizes):
    rng = np.random.default_rng(8)
    n, experiments, tau = np.array(sizes), 4000, 0.03
    y = rng.normal(0, tau, (experiments, len(n))) + rng.normal(0, 0.2, (experiments, len(n))) / np.sqrt(n)
    v = 0.04 * rng.chisquare(n - 1, (experiments, len(n))) / (n - 1) / n
    rates = {}
    for weights in ("equal", "precision"):
        average = averaged(y, v, weights)
        rates[weights] = np.mean(np.abs(average.mean / average.standard_error) > scipy_stats.t.ppf(0.975, len(n) - 1))
    assert rates["equal"] <= 0.05 + 4 * sqrt(0.05 * 0.95 / experiments)
    assert (rates["precision"] > 0.15) == (len(set(sizes)) > 1)


@pytest.mark.parametrize(
    ("effects", "variances", "words"),
    [
        ([0.1], [0.01], "1 collection is too few"),
        ([0.1, 0.2], [0.01], "differ in shape"),
        ([0.1, 0.2], [0.01, 0.0], "c2: effect 0.2, variance 0"),
        ([0.1, float("nan")], [0.01, 0.1], "c2: effect nan"),
    ],
)
def test_bad_input_is_named(effects, variances, words):
    with pytest.raises(InputError, match=words):
        random_effects(effects, variances)


def test_names_and_choices_are_checked():
    with pytest.raises(InputError, match="name all collections"):
        random_effects([0.1, 0.2], [0.1, 0.1], collections=["one"])
    with pytest.raises(InputError, match="variant"):
        random_effects([0.1, 0.2], [0.1, 0.1], variant="dl")  # type: ignore[arg-type]
