"""The noncentral t distribution, which power and the interval of Cohen's d rest on."""

from __future__ import annotations

from math import sqrt

import numpy as np

from rankscope.arrays import Floats

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(16)


def noncentral_t(t: float, df: int, noncentrality: float) -> float:
    """Probability of a value up to t: of (z + noncentrality) / s, z normal and s the root of chi-square over df.

    The mean over s of the normal probability of t s - noncentrality, by Gauss-Legendre on short panels. It holds in
    the far tails, where `scipy.special.nctdtr` (1.17) answers NaN.

    >>> round(noncentral_t(2.0, 10, 1.0), 6), noncentral_t(-2.6, 248, 15.8) < 1e-60
    (0.807612, True)
    """
    from scipy.special import ndtr

    reach = 14 / sqrt(2 * df)
    low, high = max(-1.0, -reach), reach
    edges = np.linspace(low, high, 49)
    if t != 0:  # short panels where t s crosses the noncentrality
        crossing = (noncentrality + np.linspace(-10, 10, 41)) / t - 1
        edges = np.unique(np.concatenate([edges, crossing[(crossing > low) & (crossing < high)]]))
    x, density = _nodes(edges, df)
    return float((ndtr(t * (1 + x) - noncentrality) * density).sum() / density.sum())


def spreads(df: int, panels: int = 8) -> tuple[Floats, Floats]:
    """Values of s / sigma, s the standard deviation of a normal sample with df degrees of freedom, and their shares.

    The sum of f(values) times the shares is the mean of a smooth f over samples, by Gauss-Legendre.

    >>> values, shares = spreads(9)
    >>> round(float((values**2 * shares).sum()), 9)
    1.0
    """
    reach = 14 / sqrt(2 * df)
    x, density = _nodes(np.linspace(max(-1.0, -reach), reach, panels + 1), df)
    return 1 + x, density / density.sum()


def _nodes(edges: Floats, df: int) -> tuple[Floats, Floats]:
    """Nodes of s - 1 on panels with these edges, and their weights: probabilities, but for a common factor."""
    half = np.diff(edges)[:, None] / 2
    x = np.maximum((edges[:-1, None] + half * (1 + _NODES)).ravel(), -1 + 1e-15)
    density = np.exp((df - 1) * np.log1p(x) - df * (x + x * x / 2)) * (half * _WEIGHTS).ravel()
    return x, density
