"""Sums without end over the ranks below a list, vectorised over where they begin."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np

from rankscope.arrays import Floats

_FIRST = 24  # terms that are summed one by one before Euler and Maclaurin's formula takes over
_BERNOULLI = (1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132)  # B_2k / 2k


def lerch(a: Floats, p: float) -> Floats:
    """Sum over m from 0 of p^m / (a + m), for p between 0 and 1, by Euler and Maclaurin's formula.

    Its integral is an exponential one. (scipy has no Lerch transcendent, and its hyp2f1 gives NaN as a grows.)
    """
    total = np.zeros_like(a)
    for m in range(_FIRST):
        total += p**m / (a + m)
    fall, y = -math.log(p), a + _FIRST
    derivative = [np.ones_like(a)]
    for k in range(1, 2 * len(_BERNOULLI)):
        derivative.append(derivative[-1] / y + fall**k / math.factorial(k))
    added = 0.5 + sum(b * derivative[2 * k + 1] for k, b in enumerate(_BERNOULLI))
    return np.asarray(total + p**_FIRST * (_scaled_exp1(fall * y) + added / y))


def _scaled_exp1(x: Floats) -> Floats:
    """exp(x) E_1(x); where exp would overflow, by the asymptotic series."""
    from scipy.special import exp1

    near = np.minimum(x, 700.0)
    far = np.maximum(x, 700.0)
    series = sum((-1) ** k * math.factorial(k) / far ** (k + 1) for k in range(6))
    return np.asarray(np.where(x < 700, np.exp(near) * exp1(near), series))


def sum_of_fourths(x: Any, i: Any) -> Floats:
    """Sum over m from 0 of 1 / ((x + m)^2 (i + m) (i + m - 1)), for x above 0 and i above 1.

    Its closed form in digamma and zeta functions cancels: 8 digits are lost at i = 1000, x = 1004.5.
    """
    x, i = np.broadcast_arrays(np.asarray(x, np.float64), np.asarray(i, np.float64))
    total = np.zeros_like(x)
    for m in range(_FIRST):
        total += 1 / ((x + m) * (x + m) * ((i + m) * (i + m - 1)))
    y, r = x + _FIRST, i + _FIRST
    return np.asarray(total + _integral(y, r) + _ends(1 / y, 1 / y, 1 / r, 1 / (r - 1)))


def _ends(*roots: Floats) -> Floats:
    """Terms that Euler and Maclaurin's formula adds to the integral over m from 0 of a product of 1 / (1/root + m).

    Derivatives of such a product are complete symmetric sums of the roots, times the product.
    """
    symmetric = [np.ones_like(roots[0]), *(np.zeros_like(roots[0]) for _ in range(2 * len(_BERNOULLI) - 1))]
    product = np.ones_like(roots[0])
    for root in roots:
        product = product * root
        for k in range(1, len(symmetric)):
            symmetric[k] = symmetric[k] + root * symmetric[k - 1]
    added = 0.5 + sum(b * symmetric[2 * k + 1] for k, b in enumerate(_BERNOULLI))
    return np.asarray(product * added)


def _integral(y: Floats, r: Floats) -> Floats:
    """Integral over m from 0 of 1 / ((y + m)^2 (r + m) (r + m - 1)).

    With y + m = y / u and r + m = y (r/y)^t / u, all is smooth in t from 0 to 1 however far y and r are apart, and
    there is nothing to cancel, as there is among the logarithms of the closed form.
    """
    exponent = np.log(r / y)
    flat = np.abs(exponent) < 1e-9
    exponent = np.where(flat, 1e-9, exponent)
    span, total = np.expm1(exponent), np.zeros_like(y)
    for t, weight in zip(*_nodes(), strict=True):
        u = np.where(flat, t, np.expm1(exponent * t) / span)
        total += weight * u * u / (y + (r - 1 - y) * u)
    return np.asarray(total * np.where(flat, 1.0, exponent / span) / (y * y))


@cache
def _nodes() -> tuple[list[float], list[float]]:
    """Gauss and Legendre's, on [0, 1]."""
    nodes, weights = np.polynomial.legendre.leggauss(24)
    return ((nodes + 1) / 2).tolist(), (weights / 2).tolist()
