"""Intervals for the mean difference of two systems on the same topics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil, floor, inf, nan, sqrt
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from rankscope import arguments
from rankscope.arrays import Floats
from rankscope.errors import InputError, are
from rankscope.parallel import Client
from rankscope.parallel import on as on_cluster
from rankscope.results import Result
from rankscope.statistics.draws import sign_flips
from rankscope.statistics.draws.exact_sums import FixedPoint
from rankscope.statistics.draws.resampling import Resampling, drawn, over_blocks, resampling_of
from rankscope.statistics.pairs import saddlepoint
from rankscope.statistics.pairs.difference_tests import TAILS
from rankscope.statistics.pairs.differences import Alternative, Differences, grid
from rankscope.statistics.special import stdtrit

MOST_CELLS = 1 << 21  # of an exact bootstrap distribution on a grid
MOST_SUBSETS = 20  # topics whose subsets are all taken
_REACHED = 1e-12  # rounding of a cumulative probability


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfidenceInterval(Result):
    """An interval for the mean of b - a that covers it with probability `level`; one end may be infinite."""

    method: str
    difference: float
    lower: float
    upper: float
    level: float
    n_topics: int
    exact: bool
    resampling: Resampling | None  # None where nothing was drawn


def t_interval(
    a: ArrayLike,
    b: ArrayLike,
    *,
    level: float = 0.95,
    alternative: Alternative = "two-sided",
    topics: Sequence[str] | None = None,
) -> ConfidenceInterval:
    """Student's interval: the mean difference and t standard errors (Student 1908).

    alternative  "greater" leaves the upper end infinite, "less" the lower: the interval of a one-sided test

    >>> print(t_interval([0.3, 0.6, 0.4], [0.5, 0.7, 0.4]))
    method       difference    lower   upper   level  n_topics  exact
    Student's t      0.1000  -0.1484  0.3484  0.9500         3    yes
    """
    return t_interval_of(Differences.of(a, b, topics=topics), level=level, alternative=alternative)


def t_interval_of(d: Differences, *, level: float = 0.95, alternative: Alternative = "two-sided") -> ConfidenceInterval:
    """`t_interval` of differences that are known."""
    tails = tail_share(level, alternative)
    d.varied()
    reach = student_reach(d, 1 - 2 * tails)
    return _interval(d, (d.size - reach, d.size + reach), level, alternative, "Student's t", None)


def student_reach(d: Differences, level: float) -> float:
    """Half the width of Student's interval; NaN where the difference is the same on every topic."""
    return nan if d.constant else stdtrit(d.n_topics - 1, (1 + level) / 2) * d.sd / sqrt(d.n_topics)


def tail_share(level: float, alternative: Alternative) -> float:
    """The share of samples whose interval ends beyond the mean, on each side that has an end."""
    arguments.level(level)
    return (1 - level) / (2 if arguments.one_of("alternative", alternative, TAILS) == "two-sided" else 1)


def _interval(
    d: Differences,
    ends: Sequence[float],
    level: float,
    alternative: Alternative,
    method: str,
    resampling: Resampling | None,
) -> ConfidenceInterval:
    """An interval for b - a from the ends for the values; infinite on the side that the alternative leaves open."""
    lower, upper = d.turned(*ends)
    return ConfidenceInterval(
        difference=d.mean,
        lower=lower if alternative != "less" else -inf,
        upper=upper if alternative != "greater" else inf,
        level=level,
        n_topics=d.n_topics,
        exact=resampling is None,
        method=method,
        resampling=resampling,
    )


def bootstrap_interval(
    a: ArrayLike,
    b: ArrayLike,
    *,
    variant: Literal["percentile", "bca"] = "bca",
    level: float = 0.95,
    alternative: Alternative = "two-sided",
    resampling: Resampling | None = None,
    exact: bool | None = None,
    workers: int | None = None,
    client: Client = None,
    topics: Sequence[str] | None = None,
) -> ConfidenceInterval:
    """Quantiles of the mean over samples of topics with replacement (Efron and Tibshirani 1993, chapters 13 and 14).

    "percentile" takes the quantiles of the level asked for, "bca" those corrected for bias and acceleration; a
    quantile is the smallest mean whose cumulative probability reaches it. Where differences lie on a grid the
    distribution over all n^n samples is computed, otherwise samples are drawn; but beyond 10,000 topics, unless a few
    decide the mean, quantiles are those of a saddlepoint approximation. `exact=False` always draws, `exact=True`
    refuses to, and to approximate. `alternative` as of `t_interval`.

    Both are short with few topics: on real scores intervals of level 0.95 cover 84 to 90 % at 10 topics and 88 to 92 %
    at 20 (docs/validity-real.md). Below 50 topics take `t_interval`.
    """
    arguments.one_of("variant", variant, ("percentile", "bca"))
    tails = tail_share(level, alternative)
    resampling = resampling_of(resampling)
    d = Differences.of(a, b, topics=topics).varied()
    every = None if exact is False else _all_samples(d)
    if exact and every is None:
        raise InputError(f"{d.n_topics} differences on no common grid", "exact=False draws samples")
    if every is None and exact is None and saddlepoint.steady(d.values):
        shares = tails, 1 - tails
        if variant == "bca":
            shares = _corrected(d, 1 - saddlepoint.drawn_tail(d.values, d.size * d.n_topics), *shares)
        ends = [saddlepoint.drawn_quantile(d.values, share) for share in shares]
        method = f"bootstrap, {'BCa' if variant == 'bca' else variant}, {saddlepoint.WORDS}"
        return replace(_interval(d, ends, level, alternative, method, None), exact=False)
    if every is None:
        means = np.sort(_means(d, resampling, workers, client))
        share = np.arange(1, means.size + 1) / means.size
    else:
        means, share = every
    low, high = tails, 1 - tails
    if variant == "bca":
        below, most = np.searchsorted(means, [d.size - d.error, d.size + d.error])
        low, high = _corrected(d, float(share[below - 1] * (below > 0) + share[most - 1]) / 2, low, high)
    at = np.searchsorted(share, [low - _REACHED, high - _REACHED])
    how = drawn(resampling, "samples") if every is None else f"exact over {d.n_topics}^{d.n_topics} samples"
    return _interval(
        d,
        means[np.minimum(at, means.size - 1)].tolist(),
        level,
        alternative,
        f"bootstrap, {'BCa' if variant == 'bca' else variant}, {how}",
        resampling if every is None else None,
    )


def _means(d: Differences, resampling: Resampling, workers: int | None, client: Client) -> Floats:
    """Means of samples of topics."""
    fixed = FixedPoint.of(d.values[:, None], d.n_topics, integers=True)
    sums_of = resampling.kernels.drawn_sums

    def work(trials: tuple[int, int]) -> Floats:
        return fixed.numbers(sums_of(fixed.units, resampling.seed, *trials)[:, 0]) / d.n_topics

    size = resampling.kernels.block(sign_flips.block(d.n_topics), d.n_topics)
    return np.concatenate(list(over_blocks(work, resampling, size, workers, client)))


def _all_samples(d: Differences) -> tuple[Floats, Floats] | None:
    """Every mean that a sample can have and the cumulative probability, where differences lie on a grid."""
    on = grid(d.values, d.errors)
    if on is None:
        return None
    steps, step = on
    span = int(steps.max() - steps.min())
    cells = d.n_topics * span + 1
    if cells > MOST_CELLS:
        return None
    single = np.bincount(steps - steps.min(), minlength=span + 1) / d.n_topics
    size = 1 << (cells - 1).bit_length()
    share = np.fft.irfft(np.fft.rfft(single, size) ** d.n_topics, size)[:cells]  # the n-fold convolution
    means = (np.arange(cells) + d.n_topics * int(steps.min())) * step / d.n_topics
    return means, np.cumsum(np.maximum(share, 0))


def _corrected(d: Differences, middle: float, low: float, high: float) -> tuple[float, float]:
    """The shares whose quantiles BCa takes, from the bias (the share of means below the mean) and the acceleration."""
    from scipy.special import ndtr, ndtri

    away = d.values - d.size
    acceleration = float((away**3).sum() / (6 * (away**2).sum() ** 1.5))
    bias = ndtri(min(max(middle, 1e-9), 1 - 1e-9))
    z = bias + ndtri(np.array([low, high]))
    shares = ndtr(bias + z / (1 - acceleration * z))
    return float(shares[0]), float(shares[1])


def topics_to_flip(level: float) -> int:
    """Topics from which on sign flips can reject anything at 1 - level.

    >>> topics_to_flip(0.95)
    6
    """
    return ceil(1 - np.log2(1 - level) - _REACHED)


def randomisation_interval(
    a: ArrayLike,
    b: ArrayLike,
    *,
    level: float = 0.95,
    alternative: Alternative = "two-sided",
    resampling: Resampling | None = None,
    exact: bool | None = None,
    workers: int | None = None,
    client: Client = None,
    topics: Sequence[str] | None = None,
) -> ConfidenceInterval:
    """All shifts that the randomisation test does not reject at 1 - level; `alternative` as of `t_interval`.

    Flipping a set of signs makes the sum of d - shift no smaller just where the mean of d over that set is at most
    the shift, so the ends are order statistics of the means of random sets of topics (Hartigan 1969). All sets are
    taken up to 20 topics, drawn beyond; beyond 10,000 differences the saddlepoint approximation of the test is inverted
    instead. Too few topics for the level, such as 5 for 0.95, are an error.
    """
    d = Differences.of(a, b, topics=topics)
    with on_cluster(client):
        return randomisation_interval_of(
            d, level=level, alternative=alternative, resampling=resampling, exact=exact, workers=workers
        )


def randomisation_interval_of(
    d: Differences,
    *,
    level: float = 0.95,
    alternative: Alternative = "two-sided",
    resampling: Resampling | None = None,
    exact: bool | None = None,
    workers: int | None = None,
) -> ConfidenceInterval:
    """`randomisation_interval` of differences that are known."""
    tails = tail_share(level, alternative)
    resampling = resampling_of(resampling)
    d.varied()
    needed = topics_to_flip(1 - 2 * tails)
    if d.n_topics < needed:
        raise InputError(
            f"{d.n_topics} topics have too few sign flips for level {level:g}",
            f"it takes {needed} topics, or a lower level",
        )
    every = d.n_topics <= MOST_SUBSETS and exact is not False
    if exact and not every:
        raise InputError(f"2^{d.n_topics} sign flips are too many to take all", "exact=False draws some of them")
    if exact is None and saddlepoint.many(d.values - d.values.mean()):  # about the shifts near the ends
        shifts = (sign * saddlepoint.flipped_shift(sign * d.values, tails) for sign in (1, -1))
        method = f"randomisation, {saddlepoint.WORDS}"
        return replace(_interval(d, tuple(shifts), level, alternative, method, None), exact=False)
    taken, seed = (resampling.of(2**d.n_topics - 1), None) if every else (resampling, resampling.seed)
    number = floor(tails * (taken.resamples + 1) + _REACHED)
    ends = [-inf, inf]
    if number:
        means = _subset_means(d, taken, seed, workers)
        empty = np.isnan(means)  # no sign flipped: as extreme as the data, whatever the shift
        sides = (np.where(empty, -inf, side) for side in (means, -means))
        ends = [
            sign * float(np.partition(side, number - 1)[number - 1]) for sign, side in zip((1, -1), sides, strict=True)
        ]
    if not np.isfinite(ends).all():
        cause = f"{are(resampling.resamples, 'resample')} too few for level {level:g}"
        raise InputError(cause, "ask for more resamples")
    how = f"exact over 2^{d.n_topics} sign flips" if every else drawn(resampling, "sign flips")
    return _interval(d, ends, level, alternative, f"randomisation, {how}", None if every else resampling)


def _subset_means(d: Differences, resampling: Resampling, seed: int | None, workers: int | None) -> Floats:
    """Mean difference of each set of topics, NaN of an empty one; without a seed, of all sets but that."""
    fixed = FixedPoint.of(d.values[:, None], d.n_topics, integers=True)
    columns = np.concatenate([fixed.units, np.ones_like(fixed.units)], axis=1)
    sums_of = resampling.kernels.flipped_sums

    def work(trials: tuple[int, int]) -> Floats:
        first, number = trials
        sums, count = sums_of(columns, seed, first + (seed is None), number).T
        return np.divide(fixed.numbers(sums), count, out=np.full(number, np.nan), where=count > 0)

    size = resampling.kernels.block(sign_flips.block(d.n_topics), d.n_topics, 2)
    return np.concatenate(list(over_blocks(work, resampling, size, workers)))
