"""How many topics are enough: power and topic set size, from a variance or from a pilot."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import exp, lgamma, sqrt
from typing import Any

import numpy as np

from rankscope.errors import InputError
from rankscope.results import Shown
from rankscope.statistics import checks
from rankscope.statistics.differences import ROUNDING, between, positive
from rankscope.statistics.digits import probability, score
from rankscope.statistics.noncentral import noncentral_t

MOST_TOPICS = 10_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerPlan(Shown):
    """Topics, and the power they give Student's paired t test, two-sided, for a true mean difference."""

    topics: int
    power: float
    difference: float
    sd: float
    alpha: float
    method: str = "Student's paired t, two-sided"

    def table(self) -> tuple[list[str], list[list[str]]]:
        """One row."""
        cells = [score(self.difference), score(self.sd), f"{self.alpha:g}", f"{self.topics}", probability(self.power)]
        return ["plan", "difference", "sd", "alpha", "topics", "power"], [[self.method, *cells]]


@dataclass(frozen=True, slots=True, kw_only=True)
class WidthPlan(Shown):
    """Topics, and the width that Student's interval for the mean difference then has on average."""

    topics: int
    width: float
    wanted: float
    sd: float
    level: float
    method: str = "Student's interval, expected width"

    def table(self) -> tuple[list[str], list[list[str]]]:
        """One row."""
        cells = [score(self.wanted), score(self.sd), f"{self.level:g}", f"{self.topics}", score(self.width)]
        return ["plan", "wanted width", "sd", "level", "topics", "width"], [[self.method, *cells]]


@dataclass(frozen=True, slots=True, kw_only=True)
class PilotVariance(Shown):
    """What a pilot says of the differences of two systems: `variance` of a topic's difference and its root `sd`."""

    variance: float
    sd: float
    residual: float  # variance within a system once topics and systems are taken out; half of `variance`
    topics: int
    systems: int
    method: str = "residual of topics + systems, doubled"

    def table(self) -> tuple[list[str], list[list[str]]]:
        """One row."""
        cells = [score(self.residual), score(self.variance), score(self.sd), f"{self.topics}", f"{self.systems}"]
        header = ["pilot", "residual variance", "variance of differences", "sd", "topics", "systems"]
        return header, [[self.method, *cells]]


def pilot_variance(
    matrix: Any, *, topics: Sequence[str] | None = None, systems: Sequence[str] | None = None
) -> PilotVariance:
    """Variance of differences from a topics x systems matrix, by the residual of the two-way layout (Sakai 2016).

    Twice the residual variance is the variance of a - b averaged over all pairs of systems. Hand its `sd` to the
    plans; with two systems it is the sd of their differences.
    """
    scores = checks.scores(matrix, topics=topics, systems=systems)
    n, m = scores.shape
    rest = scores - scores.mean(axis=1, keepdims=True) - scores.mean(axis=0) + scores.mean()
    if np.abs(rest).max() <= ROUNDING * np.abs(scores).max():
        raise InputError("systems differ by the same amount on every topic: there is no variance to plan with")
    residual = float((rest**2).sum() / ((n - 1) * (m - 1)))
    return PilotVariance(variance=2 * residual, sd=sqrt(2 * residual), residual=residual, topics=n, systems=m)


def power(*, topics: int, difference: float, sd: float, alpha: float = 0.05) -> PowerPlan:
    """Probability that Student's paired t finds a true mean difference at level alpha, by the noncentral t.

    sd is that of a topic's difference, not of a system's scores. Both tails count, as two-sided tests reject in both.

    >>> print(power(topics=50, difference=0.05, sd=0.15))
    plan                           difference      sd  alpha  topics   power
    Student's paired t, two-sided      0.0500  0.1500   0.05      50  0.6371
    """
    _count(topics)
    effect = abs(_other_than_zero(difference)) / positive(sd, "sd")
    value = _power(topics, effect, between(alpha, "alpha"))
    return PowerPlan(topics=int(topics), power=value, difference=difference, sd=sd, alpha=alpha)


def topics_for_power(*, difference: float, sd: float, power: float = 0.8, alpha: float = 0.05) -> PowerPlan:
    """The fewest topics that give Student's paired t the wanted power for a true mean difference (Sakai 2016)."""
    effect = abs(_other_than_zero(difference)) / positive(sd, "sd")
    between(alpha, "alpha")
    between(power, "power")
    topics = _fewest(lambda n: _power(n, effect, alpha) >= power)
    return PowerPlan(topics=topics, power=_power(topics, effect, alpha), difference=difference, sd=sd, alpha=alpha)


def detectable_difference(*, topics: int, sd: float, power: float = 0.8, alpha: float = 0.05) -> PowerPlan:
    """The smallest true mean difference that Student's paired t finds with the wanted power."""
    _count(topics)
    positive(sd, "sd")
    between(alpha, "alpha")
    if between(power, "power") <= alpha:
        raise InputError(f"power={power!r}", f"power is above alpha={alpha:g}, which chance alone gives")
    low, high = 0.0, 1.0
    while _power(topics, high, alpha) < power:
        low, high = high, 2 * high
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (low, middle) if _power(topics, middle, alpha) >= power else (middle, high)
    return PowerPlan(topics=int(topics), power=_power(topics, high, alpha), difference=high * sd, sd=sd, alpha=alpha)


def topics_for_width(*, width: float, sd: float, level: float = 0.95) -> WidthPlan:
    """The fewest topics with which Student's interval for the mean difference is at most so wide on average.

    Width is from end to end. The sd of a sample is below the true one on average, by the factor that Sakai's topic
    set size design (2016) takes into account.
    """
    positive(width, "width")
    positive(sd, "sd")
    between(level, "level")
    topics = _fewest(lambda n: _width(n, sd, level) <= width)
    return WidthPlan(topics=topics, width=_width(topics, sd, level), wanted=width, sd=sd, level=level)


def _power(topics: int, effect: float, alpha: float) -> float:
    from scipy.special import stdtrit

    df, noncentrality = topics - 1, effect * sqrt(topics)
    bar = float(stdtrit(df, 1 - alpha / 2))
    # by symmetry the far side of the upper bar is the near side of the lower one with the effect turned round
    return min(1.0, noncentral_t(-bar, df, -noncentrality) + noncentral_t(-bar, df, noncentrality))


def _width(topics: int, sd: float, level: float) -> float:
    from scipy.special import stdtrit

    df = topics - 1
    shrink = sqrt(2 / df) * exp(lgamma(topics / 2) - lgamma(df / 2))  # expected sd of a sample, in true ones
    return 2 * float(stdtrit(df, (1 + level) / 2)) * shrink * sd / sqrt(topics)


def _fewest(enough: Callable[[int], bool]) -> int:
    low, high = 1, 2
    while not enough(high):
        low, high = high, 2 * high
        if high > MOST_TOPICS:
            raise InputError(
                f"more than {MOST_TOPICS:,} topics", "ask for less: a larger difference or a wider interval"
            )
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _count(topics: int) -> None:
    if not isinstance(topics, int | np.integer) or topics < 2:
        raise InputError(f"topics={topics!r}", "topics is a whole number from 2")


def _other_than_zero(difference: float) -> float:
    if not np.isfinite(difference) or difference == 0:
        raise InputError(f"difference={difference!r}", "the difference to find is a number other than 0")
    return float(difference)
