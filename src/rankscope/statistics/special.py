"""Distribution functions of Student's t, Fisher's F, the fair coin and the normal, and Student's quantile.

They are those of scipy.special, by the same names, whose import alone takes as long as it takes to read and score two
runs. Accurate to 1e-12 of themselves, tails included.
"""

from __future__ import annotations

from functools import lru_cache
from math import atanh, erfc, exp, gamma, inf, isnan, lgamma, log, log1p, pi, sqrt

import numpy as np
from numpy.typing import ArrayLike

from rankscope.arrays import Bools, Floats

_STEPS = 10_000  # of a continued fraction, which takes some ten
_LOOK = 3  # steps after which it is seen which values have converged
_CHUNK = 1 << 13  # values that a processor keeps at hand
_TOSSES = 1000  # of a coin, up to which counts are exact
# Γ(a + 1/2) / Γ(a) = sqrt(a) times this series in 1/a (Tricomi and Erdélyi 1951)
_RATIO = (1.0, -1 / 8, 1 / 128, 5 / 1024, -21 / 32768, -399 / 262144, 869 / 4194304)
_CLOSED = 80.0  # up to this a, gamma functions of doubles are good and do not overflow


def stdtr(df: float, t: ArrayLike) -> Floats:
    """Distribution function of Student's t.

    >>> round(float(stdtr(1, 1)), 14)  # Cauchy's
    0.75
    """
    value = np.asarray(t, np.float64)
    tail = _student_tail(df, np.abs(value))
    return np.where(value > 0, 1 - tail, tail)


def fdtrc(df: float, df_error: float, f: float) -> float:
    """Chance that Fisher's F is more than f: the incomplete beta function of df_error / (df_error + df f).

    Its factor x^a y^b / B(a, b) is the exponential of a deviance, in which no large numbers cancel (Loader 2000).

    >>> round(fdtrc(2, 4, 1), 14)  # (1 + f / 2) to the power of -2
    0.44444444444444
    """
    if not 0 < f < inf:
        return f if isnan(f) else float(f <= 0)
    a, b = df_error / 2, df / 2
    deviance = (a + b) * log1p(b * (f - 1) / (a + b)) - b * log(f)
    stirling = _stirling(a + b) - _stirling(a) - _stirling(b)
    front = exp(stirling - deviance) * sqrt(a * b / (2 * pi * (a + b)))
    excess = np.asarray([a * b * (f - 1) / (a + b * f)])
    if f >= 1:
        return front * float(_continued_fraction(a, b, np.asarray([a / (a + b * f)]), excess)[0])
    return 1 - front * float(_continued_fraction(b, a, np.asarray([b * f / (a + b * f)]), -excess)[0])


@lru_cache(maxsize=1024)
def stdtrit(df: float, p: float) -> float:
    """Quantile of Student's t: Newton's method on the logarithms of t and of its tail, which converges from above."""
    tail = min(p, 1 - p)
    if not 0 < tail < 0.5:
        return {0.0: -inf, 0.5: 0.0, 1.0: inf}.get(p, float("nan"))
    t = sqrt(-2 * log(2 * tail))  # no less than the normal's
    for _ in range(100):
        share = float(_student_tail(df, np.asarray(t)))
        density = exp(-(df + 1) / 2 * log(1 + t * t / df)) * _gamma_ratio(df / 2) / sqrt(pi * df)
        step = log(share / tail) * share / (t * density)
        t *= exp(step)
        if abs(step) < 1e-9:  # the next would be its square
            break
    return t if p > 0.5 else -t


def bdtr(k: ArrayLike, n: ArrayLike) -> Floats:
    """Chance of at most k heads in n tosses of a fair coin: exact, and rounded once, up to 1,000 tosses."""
    heads, tosses = np.broadcast_arrays(np.asarray(k, np.int64), np.asarray(n, np.int64))
    chances = [
        _at_most(n)[k] if n <= _TOSSES else _of_many_tosses(k, n)
        for k, n in zip(heads.ravel().tolist(), tosses.ravel().tolist(), strict=True)
    ]
    return np.array(chances, np.float64).reshape(heads.shape)


def _of_many_tosses(k: int, n: int) -> float:
    """Chance of at most k heads: that of the last one, by Stirling's series (Loader 2000), times a sum of ratios."""
    if not 0 <= k < n:
        return float(k >= n)
    low = min(k, n - 1 - k)
    if not low:
        tail = 0.5**n
    else:
        away = (n - 2 * low) / n
        deviance = n * (away * atanh(away) + 0.5 * log1p(-away * away))
        stirling = _stirling(n) - _stirling(low) - _stirling(n - low)
        i = np.arange(min(low, int(12 * sqrt(n))))
        ratios = np.cumprod((low - i) / (n - low + 1 + i))
        tail = exp(stirling - deviance) * sqrt(n / (2 * pi * low * (n - low))) * (1 + float(ratios.sum()))
    return tail if k == low else 1 - tail


def _stirling(n: float) -> float:
    """log n! less Stirling's formula for it."""
    if n < 16:
        return lgamma(n + 1) - (n + 0.5) * log(n) + n - 0.5 * log(2 * pi)
    return (1 / 12 - (1 / 360 - (1 / 1260 - 1 / (1680 * n * n)) / (n * n)) / (n * n)) / n


def ndtr(x: ArrayLike) -> Floats:
    """Distribution function of the normal."""
    value = np.asarray(x, np.float64)
    return np.array([erfc(-each / sqrt(2)) / 2 for each in value.ravel().tolist()]).reshape(value.shape)


@lru_cache(maxsize=1024)
def _at_most(tosses: int) -> tuple[float, ...]:
    """Chances of at most 0, 1, ... heads."""
    ways = total = 1
    chances = [1 / 2**tosses]
    for k in range(1, tosses + 1):
        ways = ways * (tosses - k + 1) // k
        total += ways
        chances.append(total / 2**tosses)
    return tuple(chances)


def _student_tail(df: float, t: Floats) -> Floats:
    """Chance of more than t, t >= 0: half the incomplete beta function of df/(df + t²), with a = df/2 and b = 1/2."""
    a, root = df / 2, t.ravel() / sqrt(df)
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        far = root > 1e7  # where the square of root is all
        logarithm = np.where(far, 2 * np.log(root), np.log1p(np.where(far, 0.0, root) ** 2))
        x, y = np.exp(-logarithm), -np.expm1(-logarithm)
    front = np.exp(-a * logarithm) * np.sqrt(y) * (_gamma_ratio(a) / (2 * sqrt(pi)))  # x^a y^b / (2 B(a, b))
    excess = (a + 0.5) * y - 0.5
    beyond: Bools = excess >= 0
    tail = np.empty_like(root)
    for start in range(0, root.size, _CHUNK):
        chunk = np.arange(start, min(start + _CHUNK, root.size))
        out, near = chunk[beyond[chunk]], chunk[~beyond[chunk]]
        tail[out] = front[out] * _continued_fraction(a, 0.5, x[out], excess[out])
        tail[near] = 0.5 - front[near] * _continued_fraction(0.5, a, y[near], -excess[near])
    return tail.reshape(t.shape)


def _gamma_ratio(a: float) -> float:
    """Γ(a + 1/2) / Γ(a)."""
    if a <= _CLOSED:
        return gamma(a + 0.5) / gamma(a)
    return sqrt(a) * sum(c / a**k for k, c in enumerate(_RATIO))


def _continued_fraction(a: float, b: float, x: Floats, excess: Floats) -> Floats:
    """I_x(a, b) B(a, b) / (x^a (1-x)^b), for `excess` = a - (a + b) x >= 0 (DiDonato and Morris 1992, equation 9).

    By Lentz's method in the form of Thompson and Barnett (1986). Each value goes on until it has converged itself, so
    that it does not depend on those beside it.
    """
    fraction = np.empty_like(x)
    at, square, value = np.arange(x.size), x * x, a * (1 + excess) / (a + 1)
    c, d = value.copy(), np.zeros_like(value)
    for n in range(1, _STEPS):
        if not at.size:
            break
        left, right = a + 2 * n - 1, (a + n) / (a + 2 * n + 1)
        above = (a + n - 1) * (a + b + n - 1) * n * (b - n) / left**2 * square
        below = n + right * (1 + 2 * n) + (n * (b - n) / left - n * right) * x + right * excess
        d, c = 1 / (below + above * d), below + above / c
        change = c * d
        value *= change
        if n % _LOOK == 0 and (ready := np.abs(change - 1) < 1e-15).any():
            fraction[at[ready]] = value[ready]
            at, going = at[~ready], (x, square, excess, value, c, d)
            x, square, excess, value, c, d = (each[~ready] for each in going)
    fraction[at] = value
    return 1 / fraction
