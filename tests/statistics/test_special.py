"""Distribution functions beside those of scipy, and in closed form."""

from fractions import Fraction
from itertools import accumulate
from math import atan, pi

import numpy as np
import pytest
import scipy.special

from rankscope.statistics import special

DEGREES = (1, 2, 3, 4.5, 7, 49, 159, 160, 161, 248, 999, 5000, 1_000_000)


@pytest.mark.parametrize("df", DEGREES)
def test_student(df):
    t = np.concatenate([10.0 ** np.linspace(-5, 3, 400), [0.0, 1.0, np.sqrt(df / (df - 0.5))]])
    for sign in (1, -1):
        expected = scipy.special.stdtr(df, sign * t)
        known = expected > 1e-290
        # of 1 degree, scipy's own error near 0 is larger: see the closed form below
        np.testing.assert_allclose(
            special.stdtr(df, sign * t)[known], expected[known], rtol=1e-10 if df == 1 else 1e-12
        )


def test_students_of_one_and_two_degrees_in_closed_form():
    for t in (-1e9, -40.0, -1.0, -1e-7, 0.0, 1e-7, 0.3, 2.0):
        cauchy = atan(-1 / t) / pi if t < -1 else 0.5 + atan(t) / pi
        assert float(special.stdtr(1, t)) == pytest.approx(cauchy, rel=1e-14)
        assert float(special.stdtr(2, t)) == pytest.approx(0.5 + t / (2 * np.sqrt(2 + t * t)), rel=1e-13, abs=1e-16)


def test_infinite_t():
    assert special.stdtr(9, [-np.inf, np.inf]).tolist() == [0.0, 1.0]
    assert np.isnan(special.stdtr(9, np.nan))


@pytest.mark.parametrize("df", DEGREES)
def test_quantiles_of_student(df):
    for p in (1e-12, 0.0001, 0.025, 0.3, 0.5, 0.6, 0.9, 0.975, 0.9995, 1 - 1e-9):
        assert special.stdtrit(df, p) == pytest.approx(scipy.special.stdtrit(df, p), rel=1e-11)
    assert (special.stdtrit(df, 0.0), special.stdtrit(df, 1.0)) == (-np.inf, np.inf)


@pytest.mark.parametrize("tosses", [0, 1, 2, 7, 250, 1000, 1001, 20_000])
def test_fair_coin(tosses):
    heads = np.unique(np.linspace(0, tosses, 50).astype(int))
    np.testing.assert_allclose(special.bdtr(heads, tosses), scipy.special.bdtr(heads, tosses, 0.5), rtol=1e-10)
    ways = accumulate(range(1, tosses + 1), lambda ways, k: ways * (tosses - k + 1) // k, initial=1)
    totals = list(accumulate(ways))
    expected = [float(Fraction(totals[k], 2**tosses)) for k in heads.tolist()]
    np.testing.assert_allclose(
        special.bdtr(heads, tosses), expected, rtol=1e-12, atol=1e-320
    )  # fewer digits below 1e-308


def test_normal():
    x = np.linspace(-37, 9, 500)
    np.testing.assert_allclose(special.ndtr(x), scipy.special.ndtr(x), rtol=1e-12)
    assert float(special.ndtr(0.0)) == 0.5


@pytest.mark.parametrize("df_error", [0.7, 3, 20.5, 160, 5000, 1_000_000])
def test_f(df_error):
    for df in (0.3, 1, 2, 3.7, 9, 40):
        for f in (1e-6, 0.03, 0.5, 0.999, 1.0, 1.001, 1.7, 4.0, 12.0, 100.0):
            expected = float(scipy.special.fdtrc(df, df_error, f))
            if expected > 1e-250:
                # of a million degrees, scipy's own error is larger: see the closed form below
                assert special.fdtrc(df, df_error, f) == pytest.approx(expected, rel=1e-9 if df_error > 1e5 else 1e-12)


def test_f_in_closed_form():
    for df_error in (1.0, 6.0, 1e3, 1e6):
        for f in (1e-3, 1.0, 2.5, 40.0, 300.0):
            expected = np.exp(-df_error / 2 * np.log1p(2 * f / df_error))  # of two degrees above
            assert special.fdtrc(2, df_error, f) == pytest.approx(expected, rel=1e-13)
            base = np.exp(-df_error / 2 * np.log1p(4 * f / df_error))
            four = base * (1 + df_error / 2 * 4 * f / (df_error + 4 * f))
            assert special.fdtrc(4, df_error, f) == pytest.approx(four, rel=1e-13)
    assert [special.fdtrc(2, 4, f) for f in (-1.0, 0.0, np.inf)] == [1.0, 1.0, 0.0]
    assert np.isnan(special.fdtrc(2, 4, np.nan))
