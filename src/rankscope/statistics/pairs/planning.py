"""Power and topic set size, from a standard deviation or from a pilot.

The standard deviation of a pilot is an estimate: planned with as it stands, half of the plans or more have less power
than they say (Browne 1995). A plan from a pilot therefore takes an upper confidence limit of it, so that the power is
reached with a given assurance, the probability over pilots (Kieser and Wassmer 1996).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import exp, lgamma, sqrt
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from rankscope import arguments
from rankscope.errors import InputError, are, argument, plural
from rankscope.layout import Block, Layer, Table, Toned
from rankscope.results import Layered, Result
from rankscope.statistics.equality import error
from rankscope.statistics.pairs.noncentral_t import noncentral_t
from rankscope.statistics.score_arrays import score_matrix
from rankscope.statistics.special import stdtrit

MOST_TOPICS = 10_000_000
ASSURANCE = 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerPlan(Layered):
    """Topics, and the power they give Student's paired t test, two-sided, for a true mean difference.

    `sd` is the one planned with: the one given, or the limit that the sd of a pilot's population does not exceed with
    the assurance, which is then that of the power. `assurance` is None where sd was given as known.
    """

    method: str = "paired t, two-sided"
    difference: float
    sd: float
    alpha: float
    n_topics: int
    power: float
    assurance: float | None = None

    def remarks(self) -> list[str]:
        power = f"shows a true mean difference of {self.difference:g} with probability {self.power:.2f}"
        test = f"one pair, two-sided, significance level {self.alpha:g}"
        sentence = f"With {plural(self.n_topics, 'topic')}, Student's paired t test {power} ({test})."
        return [sentence, *_on_the_pilot(self.sd, self.assurance, "power")]

    def blocks(self, layer: Layer) -> list[Block]:
        fewer = "a larger difference or less power needs fewer topics"
        return _blocks(self, layer, f"judge so many topics, then rankscope compare; {fewer}.")


@dataclass(frozen=True, slots=True, kw_only=True)
class WidthPlan(Layered):
    """Topics, and the width that Student's interval for the mean difference then has on average.

    `sd` and `assurance` as of a `PowerPlan`.
    """

    method: str = "Student's interval, expected width"
    wanted: float
    sd: float
    level: float
    n_topics: int
    width: float
    assurance: float | None = None

    def remarks(self) -> list[str]:
        interval = f"the {100 * self.level:g} % interval of the mean difference is {self.width:.4f} wide on average"
        topics = plural(self.n_topics, "topic")
        return [f"With {topics} {interval}.", *_on_the_pilot(self.sd, self.assurance, "width")]

    def blocks(self, layer: Layer) -> list[Block]:
        return _blocks(
            self, layer, "judge so many topics, then rankscope compare; a wider interval needs fewer topics."
        )


def _on_the_pilot(sd: float, assurance: float | None, promised: str) -> list[str]:
    """Remark on the pilot behind a plan; none where the standard deviation was given as known."""
    if assurance is None:
        return []
    limit = f"The plan takes {sd:.4f} as the standard deviation of differences"
    whose = "an upper limit for the average pair of the pilot's systems; another pair can vary more"
    reached = f"About {100 * assurance:g} % of such pilots lead to a plan that reaches its {promised}."
    return [f"{limit}: {whose}.", reached]


def _blocks(plan: PowerPlan | WidthPlan, layer: Layer, after: str) -> list[Block]:
    """The number of topics first, then what it rests on."""
    answer, *pilot = plan.remarks()
    if layer == "short":
        return [Block("", [Toned(answer, "strong")]), Block("", [*pilot, f"Next: {after}"])]
    return [
        Block(
            "How many topics does the comparison need?",
            [answer],
            [
                "The fewest topics that reach the goal, if the true standard deviation is the one planned with.",
                "The plan assumes that topics are a random sample of those that the systems will meet.",
            ],
        ),
        Block(
            "What does the plan rest on?",
            [Table(*plan.table(), left=plan.text_columns()), *pilot],
            [
                "sd: standard deviation, over topics, of the difference between two systems.",
                "The sd of a pilot is an estimate, so the plan takes an upper limit of it; assurance is the share of "
                "pilots for which that is enough.",
            ],
        ),
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class PilotVariance(Result):
    """Estimate from a pilot: `variance` of a topic's difference of two systems, and its root `sd`.

    Hand the pilot to the plans as their `sd`: they take its uncertainty into account.
    """

    method: str = "residual of topics + systems, doubled"
    variance: float
    sd: float
    residual: float  # variance within a system once topics and systems are taken out; half of `variance`
    n_topics: int
    n_systems: int
    log_variance: float  # by the jackknife over topics
    log_error: float  # its standard error

    def sd_limit(self, assurance: float = ASSURANCE) -> float:
        """The limit that the sd of the population does not exceed, with this assurance (a one-sided confidence limit).

        Student's limit for the logarithm of the variance, from the pseudo-values of the jackknife that leaves out one
        topic at a time (Miller 1968). Differences of scores have heavier tails than normal ones: the usual limit by
        the chi-square distribution is too low for them (docs/validity-gate.md).
        """
        reach = stdtrit(self.n_topics - 1, arguments.share("assurance", assurance)) * self.log_error
        return exp(min((self.log_variance + reach) / 2, 700.0))  # beyond, no number of topics is enough anyway


def pilot_variance(
    matrix: ArrayLike, *, topics: Sequence[str] | None = None, systems: Sequence[str] | None = None
) -> PilotVariance:
    """Variance of differences from a topics x systems matrix, by the residual of the two-way layout (Sakai 2016).

    Twice the residual variance is the variance of b - a averaged over all pairs of systems; with two systems it is
    that of their differences.
    """
    scores = score_matrix(matrix, topics=topics, systems=systems)
    n, m = scores.shape
    residuals = scores - scores.mean(axis=1, keepdims=True) - scores.mean(axis=0) + scores.mean()
    errors = error(scores)
    if (np.abs(residuals) <= errors + errors.mean(axis=1, keepdims=True) + errors.mean(axis=0) + errors.mean()).all():
        raise InputError("systems differ by the same amount on every topic: there is no variance to plan with")
    if n < 3:
        raise InputError(f"{are(n, 'topic')} too few for a pilot", "give at least 3 topics")
    shares = (residuals**2).sum(axis=1)  # of each topic in the sum of squares
    total = float(shares.sum())
    without = (total - shares * n / (n - 1)) / ((n - 2) * (m - 1))  # the residual variance without each topic
    residual = total / ((n - 1) * (m - 1))
    if without.min() <= 32 * error(residual):  # what a difference of squares leaves of 0
        raise InputError("all but one topic of the pilot have the same differences", "give a pilot of more topics")
    pseudo = n * np.log(2 * residual) - (n - 1) * np.log(2 * without)
    return PilotVariance(
        variance=2 * residual, sd=sqrt(2 * residual), residual=residual, n_topics=n, n_systems=m,
        log_variance=float(pseudo.mean()), log_error=float(pseudo.std(ddof=1)) / sqrt(n),
    )  # fmt: skip


Spread: TypeAlias = float | PilotVariance


def power(
    *, n_topics: int, difference: float, sd: Spread, alpha: float = 0.05, assurance: float = ASSURANCE
) -> PowerPlan:
    """Probability that Student's paired t finds a true mean difference at level alpha, by the noncentral t.

    sd         of a topic's difference, not of a system's scores: a number that is known, or a pilot
    assurance  probability, over pilots, that the power is at least as high as said; for a known sd there is none

    Both tails count, as two-sided tests reject in both.

    >>> round(power(n_topics=50, difference=0.05, sd=0.15).power, 4)
    0.6371
    """
    arguments.whole_number("n_topics", n_topics, 2)
    spread, assured = _planned(sd, assurance)
    effect = abs(_other_than_zero(difference)) / spread
    value = _power(n_topics, effect, arguments.alpha(alpha))
    return PowerPlan(
        n_topics=int(n_topics), power=value, difference=difference, sd=spread, alpha=alpha, assurance=assured
    )


def topics_for_power(
    *, difference: float, sd: Spread, power: float = 0.8, alpha: float = 0.05, assurance: float = ASSURANCE
) -> PowerPlan:
    """The fewest topics that give Student's paired t the wanted power for a true mean difference (Sakai 2016).

    sd, assurance  as for `power`: with a pilot, the share of pilots whose plan reaches the power
    """
    spread, assured = _planned(sd, assurance)
    effect = abs(_other_than_zero(difference)) / spread
    arguments.alpha(alpha)
    arguments.share("power", power)
    n_topics = _fewest_topics(lambda n: _power(n, effect, alpha) >= power)
    value = _power(n_topics, effect, alpha)
    return PowerPlan(n_topics=n_topics, power=value, difference=difference, sd=spread, alpha=alpha, assurance=assured)


def detectable_difference(
    *, n_topics: int, sd: Spread, power: float = 0.8, alpha: float = 0.05, assurance: float = ASSURANCE
) -> PowerPlan:
    """The smallest true mean difference that Student's paired t finds with the wanted power.

    sd, assurance  as for `power`
    """
    arguments.whole_number("n_topics", n_topics, 2)
    spread, assured = _planned(sd, assurance)
    arguments.alpha(alpha)
    if arguments.share("power", power) <= alpha:
        raise InputError(
            argument("power", power),
            f"{argument('power')} is above {argument('alpha', alpha)}, which chance alone gives",
        )
    effect = smallest(lambda each: _power(n_topics, each, alpha) >= power, 1.0)
    value = _power(n_topics, effect, alpha)
    return PowerPlan(
        n_topics=int(n_topics), power=value, difference=effect * spread, sd=spread, alpha=alpha, assurance=assured
    )


def topics_for_width(*, width: float, sd: Spread, level: float = 0.95, assurance: float = ASSURANCE) -> WidthPlan:
    """The fewest topics with which Student's interval for the mean difference is at most so wide on average.

    sd, assurance  as for `power`

    Width is from end to end. The sd of a sample is below the true one on average, by the factor that Sakai's topic
    set size design (2016) takes into account.
    """
    arguments.positive("width", width)
    spread, assured = _planned(sd, assurance)
    arguments.level(level)
    n_topics = _fewest_topics(lambda n: _width(n, spread, level) <= width)
    return WidthPlan(
        n_topics=n_topics,
        width=_width(n_topics, spread, level),
        wanted=width,
        sd=spread,
        level=level,
        assurance=assured,
    )


def _planned(sd: Spread, assurance: float) -> tuple[float, float | None]:
    """The sd to plan with, and the assurance that the population's is no larger; None of an sd that is known."""
    arguments.share("assurance", assurance)
    return (
        (sd.sd_limit(assurance), assurance) if isinstance(sd, PilotVariance) else (arguments.positive("sd", sd), None)
    )


def _power(n_topics: int, effect: float, alpha: float) -> float:
    df, noncentrality = n_topics - 1, effect * sqrt(n_topics)
    bar = stdtrit(df, 1 - alpha / 2)
    # by symmetry the far side of the upper bar is the near side of the lower one with the effect turned round
    return min(1.0, noncentral_t(-bar, df, -noncentrality) + noncentral_t(-bar, df, noncentrality))


def _width(n_topics: int, sd: float, level: float) -> float:
    df = n_topics - 1
    shrink = sqrt(2 / df) * exp(lgamma(n_topics / 2) - lgamma(df / 2))  # expected sd of a sample, in true ones
    return 2 * stdtrit(df, (1 + level) / 2) * shrink * sd / sqrt(n_topics)


def _fewest_topics(enough: Callable[[int], bool]) -> int:
    n_topics = fewest(enough, 2, MOST_TOPICS)
    if n_topics is None:
        raise InputError(f"more than {MOST_TOPICS:,} topics", "ask for less: a larger difference or a wider interval")
    return n_topics


def fewest(enough: Callable[[int], bool], first: int, most: int) -> int | None:
    """The fewest that are enough, more than half of the first that is tried; None where that takes more than `most`."""
    low, high = first // 2, first
    while not enough(high):
        low, high = high, 2 * high
        if high > most:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def smallest(enough: Callable[[float], bool], first: float) -> float:
    """The smallest number above 0 that is enough: doubled from the first, then halved to the last digit."""
    low, high = 0.0, first
    while not enough(high):
        low, high = high, 2 * high
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _other_than_zero(difference: float) -> float:
    if not np.isfinite(difference) or difference == 0:
        raise InputError(argument("difference", difference), "the difference to find is a number other than 0")
    return float(difference)
