"""Tails of sums of many independent terms, by the saddlepoint formula of Lugannani and Rice (1980).

It stands in where to draw, or to count, would take longer than all else: it costs some ten passes over the terms, and
nothing is drawn. The relative error of a tail is of the order of 1 / terms or less, also far out, where normal
approximations are wrong by orders of magnitude. Sums on a grid are corrected for it (Daniels 1987, International
Statistical Review 55, second continuity correction).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import exp, inf, log, pi, sinh, sqrt

import numpy as np

from rankscope.arrays import Floats, Ints
from rankscope.statistics.pairs.differences import pvalue
from rankscope.statistics.special import ndtr, stdtr, stdtrit

LARGE = 10_000  # topics beyond which nothing is drawn for a test of two systems
EVEN = 300  # terms of one size that vary as much: below, a few terms decide the sum, and it is drawn after all
STEADY = 1000  # the same for samples with replacement, whose own variance varies
WORDS = "saddlepoint approximation"
_BUNCHED = log(1e-4)  # size of a characteristic function, away from 0, from which on sums lie in bunches
_STEPS = 100  # of Newton's method, which takes some five
_GROUPS = 4096  # of terms that are alike, where there are very many
_NODES, _AT_ONCE = 1 << 25, 16  # of an integral, times terms; nodes that are added up at a time
_FADED = -40.0  # the logarithm of what is left out
_SURE = 36.0  # exp(-36) is 2e-16
_CENTRE = 1e-3  # standard deviations around the mean in which two large terms of the formula would cancel


def many(values: Floats) -> bool:
    """Whether the formula stands in: more than `LARGE` terms other than 0, of which no few decide the sum."""
    squares = np.square(values / max(float(np.abs(values).max(initial=0.0)), np.finfo(np.float64).tiny))
    return bool(np.count_nonzero(values) > LARGE and squares.sum() ** 2 >= EVEN * np.square(squares).sum())


def steady(values: Floats) -> bool:
    """Whether a formula stands in for samples of the values: more than `LARGE`, of which no few decide the sum."""
    squares = np.square((values - values.mean()) / max(float(np.ptp(values)), np.finfo(np.float64).tiny))
    return bool(values.size > LARGE and squares.sum() ** 2 >= STEADY * np.square(squares).sum())


def bunched(sizes: Floats, span: float = 0.0) -> bool:
    """Whether sums of the sizes, the sign of each a coin toss, lie in bunches that the formula would smooth over.

    So they do where most of what varies is of one size, or of few with a common divisor, and the other terms are too
    small to fill the gaps. A grid of sums with this span is corrected for, and does not count.
    """
    terms, count = np.unique(sizes, return_counts=True)
    return any(
        float(count @ np.log(np.maximum(np.abs(np.cos(pi * terms / step)), 1e-300))) > _BUNCHED
        for step in _steps(terms, count, span / 2)
    )


def samples_bunched(values: Floats, span: float = 0.0) -> bool:
    """The same for sums of the values drawn with replacement."""
    terms, count = np.unique(values, return_counts=True)
    apart = terms - terms[count.argmax()]
    return any(
        values.size * log(max(abs(count @ np.exp(2j * pi * apart / step)) / values.size, 1e-300)) > _BUNCHED
        for step in _steps(np.abs(apart), count, span)
    )


def _steps(sizes: Floats, count: Ints, known: float) -> Iterator[float]:
    """Steps of a grid near which sums may lie: sizes that have a twentieth of all squares, and parts of such sizes.

    known  the step of a grid that all sizes lie on, which is left out, or 0
    """
    squares = count * np.square(sizes)
    place = np.rint(sizes * (100 / float(sizes.max()))).astype(np.int64)
    by_place, number = np.bincount(place, squares), np.bincount(place, count)
    for at in np.flatnonzero(by_place >= 0.05 * squares.sum()).tolist():
        for part in (1, 2, 3):
            step = sqrt(by_place[at] / number[at]) / part
            if abs(known / step - round(known / step)) > 1e-6 or not round(known / step):
                yield step


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

    There are values above and below 0, and none below -bound. The chance is an integral of the moment generating
    function along a line in the complex plane (Daniels 1987), which is added up through the saddlepoint: the formula of
    Lugannani and Rice is its first term, and off by some per cent where a few terms are much larger than all others.
    Where the bound is so much larger than the sum that this is as good as never below 0, even with densities tilted by
    exp(-sum / bound), the chance is the mean of exp(-sum / bound).
    """
    share = values / bound
    if float(share.min()) > -1:
        tilted = share / (1 + share)
        total = float(tilted.sum())
        # Chernoff's bound: the sum of tilted variables is below 0 with a chance of exp(-_SURE) at the most
        if total > 4 * _SURE * -float(tilted.min()) and total * total > 4 * _SURE * float(tilted @ tilted):
            return exp(-float(np.log1p(share).sum()))
    return _exponential_tail(np.append(share, -1.0))


def _exponential_tail(values: Floats) -> float:
    """Chance that the sum of values, some of each sign and none beyond 1, times exponential variables is at most 0."""
    terms, count, second = _grouped(values)
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
    tail = _along_line(terms, count, second, t)
    if tail is None:
        w = sqrt(max(0.0, 2 * float(count @ np.log1p(-t * terms))))
        u = abs(t) * sqrt(float(count @ np.square(terms / (1 - t * terms))))
        skewness = 2 * float(count @ terms**3) / float(count @ np.square(terms)) ** 1.5
        tail = _upper(w, u, skewness / 6 if t <= 0 else -skewness / 6)
    return min(1.0, tail if t <= 0 else 1 - tail)


def _grouped(values: Floats) -> tuple[Floats, Ints, Floats]:
    """Values, how many of each there are, and sums of squares about them; neighbours of very many are put together."""
    terms, count = np.unique(values, return_counts=True)
    if len(terms) <= 2 * _GROUPS:
        return terms, count, np.zeros(len(terms))
    group = ((terms - terms[0]) * (_GROUPS / (terms[-1] - terms[0]))).astype(np.int64)
    start = np.flatnonzero(np.diff(group, prepend=-1))
    number = np.add.reduceat(count, start)
    mean = np.add.reduceat(count * terms, start) / number
    apart = terms - np.repeat(mean, np.diff(start, append=len(terms)))
    return mean, number, np.add.reduceat(count * np.square(apart), start)


def _along_line(terms: Floats, count: Ints, second: Floats, t: float) -> float | None:
    """The tail beyond 0, on the side where it is the smaller, by the trapezoidal rule; None where that takes too long.

    The line runs through the saddlepoint t, or past the pole at 0. The rule converges geometrically: the step is a
    sixth of the way to the next singularity, which leaves exp(-12 pi), and 0.7 standard deviations of the tilted sum,
    which leaves exp(-40).
    """
    deviation = sqrt(float(count @ np.square(terms / (1 - t * terms))))
    side = -1 if t <= 0 else 1
    at = side * max(abs(t), 0.5 / deviation)
    step = min(0.7 / deviation, min(abs(at), at - 1 / float(terms[0]), 1 / float(terms[-1]) - at) / 6)
    tilt = 1 / (1 - at * terms)
    scaled = terms * tilt
    spread = at * at * float(second @ np.square(tilt)) / 2
    height = -float(count @ np.log1p(-at * terms)) + spread
    total, first = 0.0, 0
    while first * len(terms) < _NODES:
        y = step * np.arange(first, first + _AT_ONCE)
        turned = y[:, None] * scaled
        exponent = -0.5 * (np.log1p(np.square(turned)) @ count) + 1j * (np.arctan(turned) @ count)
        if second.any():
            s = at + 1j * y[:, None]
            exponent += np.square(s / (1 - s * terms)) @ second / 2 - spread
        nodes = np.exp(exponent) / (side * (at + 1j * y))
        total += float(nodes.real.sum()) - (float(nodes[0].real) / 2 if first == 0 else 0.0)
        first += _AT_ONCE
        if exponent[-1].real < _FADED:
            return max(0.0, exp(height) * total * step / pi)
    return None


def _upper(w: float, u: float, centre: float) -> float:
    """Lugannani and Rice's tail beyond w >= 0; `centre` is the limit of 1 / u - 1 / w at 0."""
    further = centre if w < _CENTRE else 1 / u - 1 / w
    return max(0.0, float(ndtr(-w)) + exp(-w * w / 2) / sqrt(2 * pi) * further)


def flipped_shift(values: Floats, tail: float, weights: Floats | float = 1.0) -> float:
    """The shift at which `flipped_tail` of the values less it, for their own sum, is `tail`: below the mean.

    weights  what each value is shifted by for a shift of 1
    """
    total = float(np.sum(weights)) if isinstance(weights, np.ndarray) else values.size * weights
    mean = float(values.sum()) / total
    reach = float(np.sqrt(np.square(values - mean * weights).sum())) / total
    target = log(tail)

    def excess(shift: float) -> float:
        rest = values - shift * weights
        return log(max(flipped_tail(rest, float(rest.sum())), 1e-300)) - target

    return _secants(excess, mean - reach, mean - 2 * reach)


def _secants(excess: Callable[[float], float], first: float, second: float) -> float:
    """Root of the logarithm of a tail less another, which is smooth, and nearly a parabola."""
    at, off = (first, second), (excess(first), excess(second))
    for _ in range(_STEPS):
        if abs(off[1]) <= 1e-8 or at[0] == at[1] or off[0] == off[1]:  # more is lost to rounding
            break
        following = at[1] - off[1] * (at[1] - at[0]) / (off[1] - off[0])
        at, off = (at[1], following), (off[1], excess(following))
    return at[1]


def drawn_tail(values: Floats, total: float, span: float = 0.0) -> float:
    """Chance that the sum of as many of the values, drawn with replacement, is at least `total`; span as above."""
    mean, middle = float(values.mean()), total - span / 2
    bar = middle - values.size * mean
    if bar < 0:
        return 1 - _drawn_beyond(mean - values, -bar, span)
    return _drawn_beyond(values - mean, bar, span)


def drawn_pvalue(values: Floats, tail: int, span: float = 0.0) -> float:
    """p of the values' own sum among those of samples of the values about their mean, as `flipped_pvalue`."""
    total = float(values.sum())
    centred = values - total / values.size
    if tail:
        return pvalue(drawn_tail(tail * centred, tail * total, span))
    return pvalue(drawn_tail(centred, abs(total), span) + drawn_tail(-centred, abs(total), span))


def _drawn_beyond(values: Floats, bar: float, span: float) -> float:
    """`drawn_tail` of values whose mean is 0, and a sum at or above 0."""
    n, most = values.size, float(values.max())
    second = float(values @ values) / n
    if bar >= n * most:
        return 0.0
    t, low, high = bar / n / second, 0.0, inf
    for _ in range(_STEPS):
        weight = np.exp(t * (values - most))
        total = float(weight.sum())
        slope = float(values @ weight) / total
        variance = float(np.square(values - slope) @ weight) / total
        gap = bar / n - slope
        low, high = (t, high) if gap >= 0 else (low, t)
        step = gap / variance if variance > 0 else inf
        following = t + step if low < t + step < high else (low + min(high, 2 * t)) / 2
        if abs(step) <= 1e-9 * t or following == t:
            break
        t = following
    w = sqrt(max(0.0, 2 * (t * bar - n * (log(total / n) + t * most))))
    u = sqrt(n * variance) * (2 / span * sinh(span * t / 2) if span else t)
    return _upper(w, u, -float(values @ np.square(values)) / n / second**1.5 / sqrt(n) / 6)


def drawn_quantile(values: Floats, share: float) -> float:
    """The mean below which so large a share of the means of samples with replacement lie."""
    if share < 0.5:
        return -drawn_quantile(-values, 1 - share)
    n, mean = values.size, float(values.mean())
    reach, target = float(values.std()) / sqrt(n), log(1 - share)

    def excess(deviations: float) -> float:
        return log(max(drawn_tail(values, n * (mean + deviations * reach)), 1e-300)) - target

    at = stdtrit(n - 1, share)
    return mean + reach * _secants(excess, at, at + 0.1)


def studentised_pvalue(values: Floats, t: float, tail: int) -> float:
    """p of an observed t among those of samples with replacement, in the direction of `tail`, or both ways (0).

    The tail of Student's t, corrected by the Edgeworth expansion to the order of 1 / n for the skewness and kurtosis of
    the values (Hall 1992, section 2.6); as a factor whose logarithm is expanded, so that far tails stay above 0.
    """
    if tail:
        return pvalue(_studentised_beyond(values, tail * t, tail))
    return pvalue(_studentised_beyond(values, abs(t), 1) + _studentised_beyond(values, abs(t), -1))


def _studentised_beyond(values: Floats, t: float, sign: int) -> float:
    """Chance that t of a sample of the values, or of their opposites, is at least t."""
    if t < 0:
        return 1 - _studentised_beyond(values, -t, -sign)
    n = values.size
    centred = values - values.mean()
    centred /= sqrt(float(centred @ centred) / n)
    skewness = sign * float(centred @ np.square(centred)) / n / sqrt(n)
    kurtosis = (float(np.square(centred) @ np.square(centred)) / n - 3) / n
    student, x = float(stdtr(n - 1, -t)), t * sqrt(n / (n - 1))
    if student == 0:
        return 0.0
    density = exp(-x * x / 2) / sqrt(2 * pi) / student
    first = density * skewness * (2 * x * x + 1) / 6
    second = density * x * (kurtosis * (x * x - 3) / 12 - skewness**2 * (x**4 + 2 * x * x - 3) / 18)
    return student * exp(-first - second - first * first / 2)
