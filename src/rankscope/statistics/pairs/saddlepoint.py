"""Tails of sums of many independent terms, by the saddlepoint formula of Lugannani and Rice (1980).

It stands in where to draw, or to count, would take longer than all else: it costs some ten passes over the terms, and
nothing is drawn. The relative error of a tail is of the order of 1 / terms or less, also far out, where normal
approximations are wrong by orders of magnitude. Sums on a grid are corrected for it (Daniels 1987, International
Statistical Review 55, second continuity correction).
"""

from __future__ import annotations

from math import exp, log, pi, sinh, sqrt

import numpy as np

from rankscope.arrays import Floats
from rankscope.statistics.pairs.differences import pvalue
from rankscope.statistics.special import ndtr

LARGE = 10_000  # topics beyond which nothing is drawn for a test of two systems
EVEN = 300  # terms of one size that vary as much: below, a few terms decide the sum, and it is drawn after all
WORDS = "saddlepoint approximation"
_STEPS = 100  # of Newton's method, which takes some five
_CENTRE = 1e-3  # standard deviations around the mean in which two large terms of the formula would cancel


def many(values: Floats) -> bool:
    """Whether the formula stands in: more than `LARGE` terms other than 0, of which no few decide the sum."""
    squares = np.square(values / max(float(np.abs(values).max(initial=0.0)), np.finfo(np.float64).tiny))
    return bool(np.count_nonzero(values) > LARGE and squares.sum() ** 2 >= EVEN * np.square(squares).sum())


def flipped_tail(values: Floats, total: float, span: float = 0.0) -> float:
    """Chance that the sum of the values, the sign of each a coin toss, is at least `total`.

    span  between two neighbouring sums where they lie on a grid, else 0
    """
    scale = float(np.abs(values).max())
    sizes, middle, span = np.abs(values) / scale, (total - span / 2) / scale, span / scale
    bar = abs(middle)
    if bar >= sizes.sum():
        return float(middle < 0)
    t = bar / float(sizes @ sizes)
    for _ in range(_STEPS):  # from below: the derivative is concave
        slope = np.tanh(t * sizes)
        variance = float(sizes @ (sizes * (1 - slope * slope)))
        if not variance > 0:
            return float(middle < 0)
        step = (bar - float(sizes @ slope)) / variance
        t += step
        if abs(step) <= 1e-12 * t:
            break
    log_mean = -0.5 * float(np.log1p(-np.square(np.minimum(np.tanh(t * sizes), 1 - 1e-16))).sum())
    w = sqrt(max(0.0, 2 * (t * bar - log_mean)))
    u = sqrt(variance) * (2 / span * sinh(span * t / 2) if span else t)
    tail = _upper(w, u, 0.0)
    return tail if middle > 0 else 1 - tail


def flipped_pvalue(values: Floats, observed: float, tail: int, span: float = 0.0) -> float:
    """p of an observed sum among those of random signs, in the direction of `tail`, or both ways where that is 0."""
    if tail:
        return pvalue(flipped_tail(values, tail * observed, span))
    return pvalue(2 * flipped_tail(values, abs(observed), span))


def worst_case_tail(values: Floats, bound: float) -> float:
    """Chance that the sum of the values, times exponential variables, is at most bound times another one.

    There are values above and below 0, and none below -bound. One variable that is larger than all others makes most of
    a far tail, where the formula would be off by some per cent. So it is taken out: with S the sum of the others, the
    chance is that of S <= 0 and the mean of exp(-S / bound) over S > 0, a tail of tilted exponential variables.
    """
    if float(values.min()) <= -bound * (1 - 1e-9):  # not alone
        return _exponential_tails(np.append(values, -bound))[0]
    share = values / bound
    above = _exponential_tails(values / (1 + share))[1]
    tilted = exp(min(700.0, log(above) - float(np.log1p(share).sum()))) if above else 0.0
    return min(1.0, _exponential_tails(values)[0] + tilted)


def _exponential_tails(values: Floats) -> tuple[float, float]:
    """Chances that the sum of values, some of each sign, times exponential variables is at most 0, and above 0."""
    terms, count = np.unique(values / np.abs(values).max(), return_counts=True)
    low, high = 1 / float(terms[0]), 1 / float(terms[-1])
    t = 0.0
    for _ in range(_STEPS):
        parts = terms / (1 - t * terms)
        slope, variance = float(count @ parts), float(count @ np.square(parts))
        low, high = (t, high) if slope < 0 else (low, t)
        following = t - slope / variance
        following = following if low < following < high else (low + high) / 2
        done = abs(following - t) <= 1e-13 * abs(following)
        t = following
        if done:
            break
    w = sqrt(max(0.0, 2 * float(count @ np.log1p(-t * terms))))
    u = abs(t) * sqrt(float(count @ np.square(terms / (1 - t * terms))))
    skewness = 2 * float(count @ terms**3) / float(count @ np.square(terms)) ** 1.5
    tail = _upper(w, u, skewness / 6 if t <= 0 else -skewness / 6)
    return (tail, 1 - tail) if t <= 0 else (1 - tail, tail)


def _upper(w: float, u: float, centre: float) -> float:
    """Lugannani and Rice's tail beyond w >= 0; `centre` is the limit of 1 / u - 1 / w at 0."""
    further = centre if w < _CENTRE else 1 / u - 1 / w
    return max(0.0, float(ndtr(-w)) + exp(-w * w / 2) / sqrt(2 * pi) * further)


def flipped_shift(values: Floats, tail: float) -> float:
    """The shift at which `flipped_tail` of the values less it, for their own sum, is `tail`: below the mean."""
    mean, n = float(values.mean()), values.size
    reach = float(values.std()) / sqrt(n)
    target = log(tail)

    def excess(shift: float) -> float:
        rest = values - shift
        return log(max(flipped_tail(rest, float(rest.sum())), 1e-300)) - target

    first, second = mean - reach, mean - 2 * reach
    at, off = (first, second), (excess(first), excess(second))
    for _ in range(_STEPS):  # secants: the logarithm of the tail is smooth, and nearly a parabola
        shift = at[1] - off[1] * (at[1] - at[0]) / (off[1] - off[0])
        at, off = (at[1], shift), (off[1], excess(shift))
        if abs(off[1]) <= 1e-9 or at[0] == at[1]:
            break
    return at[1]
