"""The studentised range: upper tail for many values at once, and its quantiles.

The range of k standard normal values over an independent estimate of their standard deviation. Both integrals are
taken with the trapezoidal rule, which converges geometrically for these integrands, and for the tail itself, so that
small p values keep their digits.
"""

from __future__ import annotations

from functools import lru_cache
from math import ceil, log2

import numpy as np

from rankscope.arrays import Floats

_Z, _U = 129, 257  # nodes of the inner and the outer integral; 4 times as many where df is small, and the outer wide
_LOST = 37.0  # exp(-37) is below the rounding of 1
_MANY = 200  # values of q from which the tail is interpolated
_NODES = 48  # points of an interpolating polynomial
_WORK = 1 << 21  # elements of an intermediate array


def tail(q: Floats, k: int, df: float) -> Floats:
    """P(studentised range of k means with df degrees of freedom >= q); df may be infinite.

    Within 1e-9 of the true value; where there are many values, most are interpolated, see `_interpolated`.
    """
    q = np.asarray(q, np.float64)
    flat, back = np.unique(np.abs(q), return_inverse=True)
    if len(flat) <= _MANY:
        return _direct(flat, k, df)[back].reshape(q.shape)
    return _interpolated(flat, k, df)[back].reshape(q.shape)


@lru_cache(maxsize=256)
def quantile(p: float, k: int, df: float) -> float:
    """The q that is exceeded with probability 1 - p."""
    from scipy.optimize import brentq

    high = 4.0
    while tail(np.array([high]), k, df)[0] > 1 - p:
        high *= 2
    return float(brentq(lambda q: tail(np.array([q]), k, df)[0] - (1 - p), 0.0, high, xtol=1e-12))


def _interpolated(q: Floats, k: int, df: float) -> Floats:
    """The tail at many sorted values, from polynomials through Chebyshev points of its logarithm.

    Spans are halves of halves of a power of two, so that matrices of one shape share their polynomials.
    """
    return _on_span(q, 0.0, 2.0 ** ceil(log2(q[-1])), k, df)


def _on_span(q: Floats, low: float, high: float, k: int, df: float) -> Floats:
    if len(q) <= _NODES:
        return _direct(q, k, df) if len(q) else q
    middle, half = (low + high) / 2, (high - low) / 2
    series = _series(low, high, k, df)
    if series is not None:
        probability: Floats = np.exp(np.polynomial.chebyshev.chebval((q - middle) / half, series))
        return np.minimum(probability, 1.0)
    cut = int(np.searchsorted(q, middle))
    return np.concatenate([_on_span(q[:cut], low, middle, k, df), _on_span(q[cut:], middle, high, k, df)])


@lru_cache(maxsize=1024)
def _series(low: float, high: float, k: int, df: float) -> Floats | None:
    """The polynomial of a span, if it agrees with direct evaluation at points between its own to 1e-11."""
    middle, half = (low + high) / 2, (high - low) / 2
    x = np.cos(np.pi * (np.arange(_NODES) + 0.5) / _NODES)
    at = _direct(middle + half * x, k, df)
    if at.min() <= 1e-300:
        return None
    series: Floats = 2 / _NODES * np.cos(np.arccos(x) * np.arange(_NODES)[:, None]) @ np.log(at)
    series[0] /= 2
    between = np.cos(np.pi * np.arange(0, _NODES, 3) / _NODES)
    check = _direct(middle + half * between, k, df)
    fits = np.abs(np.exp(np.polynomial.chebyshev.chebval(between, series)) / check - 1).max() < 1e-11
    return series if fits else None


def _direct(q: Floats, k: int, df: float) -> Floats:
    if np.isinf(df):
        step = max(1, _WORK // _Z)
        return np.concatenate([_normal_tail(q[i : i + step], k) for i in range(0, len(q), step)])
    step = max(1, _WORK // (_Z * _U * 4))
    return np.concatenate([_over_scale(q[i : i + step], k, df) for i in range(0, len(q), step)])


def _over_scale(q: Floats, k: int, df: float) -> Floats:
    """Integral over u = log s, s the estimated standard deviation: its density times the tail of the range at q s."""
    from scipy.special import gammaln

    nodes = _U if df > 8 else 4 * _U
    centre = -0.5 * np.log1p(q**2 / (2 * df))  # where the density times exp(-(q s)^2 / 4) is largest
    wide = np.sqrt(3 * _LOST / df) if df > 3 * _LOST else _LOST / df + 0.5
    low, high = centre - wide, np.sqrt(2 * _LOST / df) if df > 100 else 0.5 * np.log(4 * _LOST / df + 4)
    u = low[:, None] + (high - low)[:, None] * np.linspace(0, 1, nodes)
    log_density = np.log(2.0) + df / 2 * np.log(df / 2) - gammaln(df / 2) + df * u - df / 2 * np.exp(2 * u)
    values = np.exp(log_density) * _normal_tail((q[:, None] * np.exp(u)).ravel(), k).reshape(u.shape)
    values[:, [0, -1]] /= 2
    probability: Floats = np.minimum(values.sum(axis=1) * (high - low) / (nodes - 1), 1.0)
    return probability


def _normal_tail(w: Floats, k: int) -> Floats:
    """P(range of k standard normal values >= w), integrated over z, the least of them."""
    from scipy.special import ndtr

    low = -w / 2 - 9.0
    z = low[:, None] + (9.0 - low)[:, None] * np.linspace(0, 1, _Z)
    above = ndtr(-z)  # P(a value is above z)
    beyond = ndtr(-z - w[:, None])
    with np.errstate(divide="ignore", under="ignore"):
        not_all_within = -np.expm1((k - 1) * np.log1p(-np.minimum(beyond / above, 1.0)))
        values = np.exp(-(z**2) / 2 + (k - 1) * np.log(above)) * not_all_within
    probability: Floats = np.minimum(k / np.sqrt(2 * np.pi) * values.sum(axis=1) * (9.0 - low) / (_Z - 1), 1.0)
    return probability
