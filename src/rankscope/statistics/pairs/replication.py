"""Probability that a verdict repeats on a new sample of topics.

The predictive distribution of t on new topics: differences are taken as normal, mean and variance as unknown and
without a prior opinion. Then the new mean, given the old one, is normal about it with both sampling errors (Geisser
1993), and the old and the new standard deviation are off by independent chi-squared factors. Sanderson and Zobel (2005)
and Voorhees (2009) measure the same by splitting topics.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, inf, sqrt

import numpy as np
from numpy.typing import ArrayLike

from rankscope import arguments
from rankscope.arrays import Floats
from rankscope.results import Result
from rankscope.statistics.equality import difference
from rankscope.statistics.pairs.clusters import Units
from rankscope.statistics.score_arrays import score_pair
from rankscope.statistics.special import ndtr, stdtr, stdtrit

GOAL = 0.9  # probability that the number of topics is planned for
MOST = 1_000_000  # new topics, beyond which no number is named
ASSUMPTIONS = (
    "new topics come from the same population, independently, with lists and judgments of the same kind",
    "differences are near enough to normal for t",
    "all true differences are equally plausible beforehand; a pair picked for its large difference repeats less often",
)
_NODES = 81  # of the distribution of a standard deviation
_TINY = 37.0  # densities below exp of minus this add nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class Replication(Result):
    """Probabilities for a new sample of topics from the same population.

    same_sign      that the mean difference has the same sign
    shown          that t shows the same system to be better, two-sided p below alpha
    lower, upper   of `shown`: its values at the ends of the interval of the true difference
    opposite       that t shows the other system to be better
    goal_topics    new topics for which `shown` is 0.9; None where no number gives that
    limit          what `shown` comes to with unlimited topics
    n_topics       topics of the new sample
    """

    same_sign: float
    shown: float
    lower: float
    upper: float
    opposite: float
    goal_topics: int | None
    limit: float
    alpha: float
    level: float
    n_topics: int
    method: str = "predictive t"

    @property
    def none_shown(self) -> float:
        """Probability that t shows no difference."""
        return max(0.0, 1 - self.shown - self.opposite)

    def remarks(self) -> list[str]:
        """What is assumed."""
        return [f"Assumed: {assumption}." for assumption in ASSUMPTIONS]


def replication(
    a: ArrayLike,
    b: ArrayLike,
    *,
    clusters: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    n_topics: int | None = None,
    alpha: float = 0.05,
    level: float | None = None,
    topics: Sequence[str] | None = None,
) -> Replication:
    """Would the verdict on a and b repeat on new topics? Sign and significance, by the predictive distribution of t.

    n_topics  topics of the new sample; as many as these unless told otherwise
    clusters, weights  as of `clustered_t_test`: the new sample then has clusters and weights like these
    level     of the interval of the true difference, at whose ends `lower` and `upper` are; 1 - alpha unless told

    What is assumed is printed below the table. docs/validity-topics.md has what was predicted and what happened.

    >>> repeat = replication([0.3, 0.6, 0.4, 0.2, 0.1], [0.5, 0.7, 0.4, 0.5, 0.3])
    >>> round(repeat.same_sign, 3), round(repeat.shown, 3)
    (0.955, 0.566)
    """
    values, errors = difference(*score_pair(a, b, topics=topics))
    return replication_of(Units.of(values, errors, clusters, weights), n_topics=n_topics, alpha=alpha, level=level)


def replication_of(
    units: Units, *, n_topics: int | None = None, alpha: float = 0.05, level: float | None = None
) -> Replication:
    """`replication` of units that are known."""
    arguments.alpha(alpha)
    level = 1 - alpha if level is None else arguments.level(level)
    n = units.n_topics
    new = n if n_topics is None else arguments.whole_number("n_topics", n_topics, 2)
    error, df = units.varied().robust()
    t = abs(units.mean) / error
    limit = float(stdtr(df, t))
    shown, opposite = (predicted(side * t, df, new / n, alpha) for side in (1, -1))
    reach = stdtrit(df, (1 + level) / 2)
    lower, upper = (shown_if(t + side * reach, df, new / n, alpha) for side in (-1, 1))
    return Replication(
        same_sign=float(stdtr(df, t / sqrt(1 + n / new))), shown=shown, lower=lower, upper=upper, opposite=opposite,
        goal_topics=_topics_for(GOAL, t, df, n, alpha), limit=limit, alpha=alpha, level=level, n_topics=new,
    )  # fmt: skip


def predicted(t: float, df: float, ratio: float, alpha: float) -> float:
    """Probability that a new sample with `ratio` times as many topics has t beyond the critical value, above 0."""
    new_df = max(1.0, (df + 1) * ratio - 1)
    critical = _critical(new_df, alpha)
    (old, old_share), (new, new_share) = _deviations(df), _deviations(new_df)
    true = 1 / old[:, None]  # true standard deviation, over the one observed
    beyond = ndtr((t - critical * new * true / sqrt(ratio)) / (true * sqrt(1 + 1 / ratio)))
    return float(old_share @ beyond @ new_share)


def shown_if(t: float, df: float, ratio: float, alpha: float) -> float:
    """Probability that a new sample shows a difference above 0 if the true one is t standard errors of the old."""
    new_df = max(1.0, (df + 1) * ratio - 1)
    new, share = _deviations(new_df)
    return float(ndtr(t * sqrt(ratio) - _critical(new_df, alpha) * new) @ share)


def _critical(df: float, alpha: float) -> float:
    """t beyond which two-sided p is below alpha."""
    return -stdtrit(df, max(alpha / 2, 1e-100))


def _deviations(df: float) -> tuple[Floats, Floats]:
    """Ratios of an observed to the true standard deviation, and the probability of each: a chi-squared on a grid."""
    half = df / 2
    low, high = -_TINY / half - 1, 1.0
    while high - np.exp(high) + 1 > -_TINY / half:
        high += 0.5
    low = max(low, -8 / sqrt(half) * (1 + 4 / sqrt(half)))
    high = min(high, 8 / sqrt(half))
    grid = np.linspace(low, high, _NODES)  # of the logarithm of chi-squared over its degrees of freedom
    density = np.exp(half * (grid - np.exp(grid) + 1))
    return np.exp(grid / 2), density / density.sum()


def _topics_for(goal: float, t: float, df: float, n: int, alpha: float) -> int | None:
    """The least number of new topics whose predicted probability reaches the goal."""
    if float(stdtr(df, t)) <= goal or predicted(t, df, MOST / n, alpha) < goal:
        return None
    low, high = 1.0, 2.0
    while predicted(t, df, high / n, alpha) < goal:
        low, high = high, high * 2
    while ceil(high) - ceil(low) > 1 and high - low > 1e-6 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if predicted(t, df, middle / n, alpha) < goal else (low, middle)
    return min(MOST, ceil(high)) if high < inf else None
