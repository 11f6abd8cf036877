"""Effect sizes with intervals: raw, standardised, and as a probability."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

from numpy.typing import ArrayLike

from rankscope import arguments
from rankscope.results import Result
from rankscope.statistics.pairs.differences import Differences
from rankscope.statistics.pairs.intervals import t_interval
from rankscope.statistics.pairs.noncentral_t import noncentral_t


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectSize(Result):
    """One effect size and an interval for it."""

    name: str
    value: float
    lower: float
    upper: float
    level: float
    n_topics: int
    method: str  # of the interval


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectSizes(Result):
    """The three effect sizes of one comparison."""

    mean_difference: EffectSize
    cohen_dz: EffectSize
    superiority: EffectSize

    def columns(self) -> dict[str, list[Any]]:
        """One row per effect size."""
        rows = [e.columns() for e in (self.mean_difference, self.cohen_dz, self.superiority)]
        return {name: [row[name][0] for row in rows] for name in rows[0]}


def mean_difference(
    a: ArrayLike, b: ArrayLike, *, level: float = 0.95, topics: Sequence[str] | None = None
) -> EffectSize:
    """The mean of b - a in units of the scores, with Student's interval."""
    interval = t_interval(a, b, level=level, topics=topics)
    return EffectSize(
        name="mean difference",
        value=interval.difference,
        lower=interval.lower,
        upper=interval.upper,
        level=level,
        n_topics=interval.n_topics,
        method=interval.method,
    )


def cohen_dz(a: ArrayLike, b: ArrayLike, *, level: float = 0.95, topics: Sequence[str] | None = None) -> EffectSize:
    """Cohen's d for paired samples (Cohen 1988): the mean difference in standard deviations of the differences.

    The interval holds the noncentralities under which the t observed is not extreme (Cumming and Finch 2001).
    """
    arguments.level(level)
    d = Differences.of(a, b, topics=topics).varied()
    value = d.size / d.sd
    t, df = value * sqrt(d.n_topics), d.n_topics - 1
    lower = _noncentrality(t, df, (1 + level) / 2) / sqrt(d.n_topics)
    upper = _noncentrality(t, df, (1 - level) / 2) / sqrt(d.n_topics)
    lower, upper = d.turned(lower, upper)
    return EffectSize(
        name="Cohen's d_z",
        value=d.sign * value,
        lower=lower,
        upper=upper,
        level=level,
        n_topics=d.n_topics,
        method="noncentral t",
    )


def _noncentrality(t: float, df: int, share: float) -> float:
    """The noncentrality under which this share of values is below t."""
    from scipy.optimize import brentq

    def excess(noncentrality: float) -> float:
        return noncentral_t(t, df, noncentrality) - share

    reach = 1.0
    while excess(t - reach) < 0 or excess(t + reach) > 0:
        reach *= 2
    return float(brentq(excess, t - reach, t + reach, xtol=1e-15, rtol=1e-15))


def superiority(a: ArrayLike, b: ArrayLike, *, level: float = 0.95, topics: Sequence[str] | None = None) -> EffectSize:
    """Probability that b scores higher than a on a topic, half of the ties added (McGraw and Wong 1992; Vargha 2000).

    The interval is Wilson's (1927) for a proportion; with ties, which vary less than wins and losses, it is wide.

    >>> print(superiority([0.3, 0.6, 0.4, 0.1], [0.5, 0.7, 0.4, 0.2]))
    name                         value   lower   upper   level  n_topics          method
    probability of superiority  0.8750  0.3958  0.9868  0.9500         4  Wilson's score
    """
    from scipy.special import ndtri

    arguments.level(level)
    d = Differences.of(a, b, topics=topics)
    wins = float((d.sign * d.values > 0).sum() + d.zeros / 2)
    share, z2 = wins / d.n_topics, float(ndtri((1 + level) / 2)) ** 2
    centre = (share + z2 / (2 * d.n_topics)) / (1 + z2 / d.n_topics)
    reach = sqrt(z2 * (share * (1 - share) / d.n_topics + z2 / (4 * d.n_topics**2))) / (1 + z2 / d.n_topics)
    return EffectSize(
        name="probability of superiority",
        value=share,
        lower=max(0.0, centre - reach),
        upper=min(1.0, centre + reach),
        level=level,
        n_topics=d.n_topics,
        method="Wilson's score",
    )


def effect_sizes(
    a: ArrayLike, b: ArrayLike, *, level: float = 0.95, topics: Sequence[str] | None = None
) -> EffectSizes:
    """The mean difference, Cohen's d_z and the probability of superiority, each with its interval."""
    return EffectSizes(
        mean_difference=mean_difference(a, b, level=level, topics=topics),
        cohen_dz=cohen_dz(a, b, level=level, topics=topics),
        superiority=superiority(a, b, level=level, topics=topics),
    )
