"""Mean difference of two systems on the same topics, with interval and test."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from rankscope import arguments
from rankscope.arrays import Floats
from rankscope.comparisons.exact_differences import scores_to_test
from rankscope.comparisons.scored import Scored
from rankscope.errors import plural
from rankscope.formatting import bounds
from rankscope.statistics import Resampling
from rankscope.statistics.equality import merged_sentence
from rankscope.statistics.pairs.differences import Differences
from rankscope.statistics.pairs.intervals import randomisation_interval_of, t_interval_of, topics_to_flip
from rankscope.statistics.pairs.paired_tests import (
    PairedTest,
    SignTest,
    WilcoxonTest,
    randomisation_test_of,
    sign_test_of,
    t_test_of,
    wilcoxon_of,
)

Test: TypeAlias = Literal["t", "randomisation", "wilcoxon", "sign"]
TESTS: dict[Test, str] = {
    "t": "Student's paired t",
    "randomisation": "randomisation test",
    "wilcoxon": "Wilcoxon's signed ranks",
    "sign": "sign test",
}
_CALLS: dict[Test, Callable[..., PairedTest]] = {
    "t": t_test_of, "randomisation": randomisation_test_of, "wilcoxon": wilcoxon_of, "sign": sign_test_of,
}  # fmt: skip

SAME = "no difference on any topic"
CONSTANT = "the difference is the same on every topic, so there is no variance for an interval"
TOO_FEW = "the topics have too few sign flips for an interval at this level"
STAND_IN = f"{CONSTANT} or a t test; the randomisation test stands in for Student's"


@dataclass(frozen=True, slots=True)
class Effect:
    """The mean of b - a over topics, its interval, and a test of the hypothesis that there is none.

    lower, upper     ends of the interval; both are the difference where there is none: see `ends`
    lean             1 where the test leans to b, -1 to a, 0 to none; one of signs or ranks may lean against the mean
    won, lost, tied  topics where b scores higher, lower, the same
    remark           where the test or the interval asked for could not be had, or doubles do not show a difference
    error            how far the mean may be from what it is on paper
    merged           topics tied because rounding can explain that their scores differ as doubles
    exactly          topics won or lost by exact scores alone: doubles do not show a difference
    """

    difference: float
    lower: float
    upper: float
    level: float
    test: Test
    pvalue: float
    method: str
    lean: int
    n_topics: int
    won: int
    lost: int
    tied: int
    remark: str = ""
    error: float = 0.0
    merged: int = 0
    exactly: int = 0

    @property
    def ends(self) -> tuple[float | None, float | None]:
        """Ends of the interval; None where the difference is the same on every topic, and there is no interval."""
        return (self.lower, self.upper) if self.lower < self.upper else (None, None)

    @property
    def interval(self) -> str:
        """The interval as a cell of a table; "none" where there is none."""
        return bounds(self.lower, self.upper) if self.lower < self.upper else "none"


def interval_level(alpha: float, level: float | None) -> float:
    """The level of intervals: `level`, or 1 - alpha where it is None. Both lie between 0 and 1.

    >>> interval_level(0.01, None), interval_level(0.01, 0.9)
    (0.99, 0.9)
    """
    arguments.alpha(alpha)
    if level is None:
        return 1 - alpha
    arguments.level(level)
    return level


@dataclass(frozen=True, slots=True)
class PairedScores:
    """Scores of two systems on the same topics, and their differences, for several tests.

    exactly  topics on which only exact scores show a difference
    """

    a: Floats
    b: Floats
    exactly: int
    differences: Differences

    @classmethod
    def of(cls, a: Floats, b: Floats, exactly: int = 0) -> PairedScores:
        return cls(a, b, exactly, Differences.of(a, b))


@dataclass(frozen=True, slots=True)
class Procedure:
    """Procedure of a comparison: the test, the level of the interval, resamples and workers."""

    test: Test = "t"
    level: float = 0.95
    resampling: Resampling | None = None
    workers: int | None = None

    def __post_init__(self) -> None:
        arguments.one_of("test", self.test, TESTS)
        arguments.level(self.level)

    def effect(self, a: Floats, b: Floats, *, exactly: int = 0) -> Effect:
        """Difference b - a of the means, with interval and test.

        exactly  on how many topics only exact scores show a difference, to be said

        The interval belongs to the test: Student's with t, the inverted test with randomisation. Wilcoxon's and the
        sign test speak of signs and ranks, not of a mean; beside them stands Student's. Two systems that score the
        same on every topic have p = 1. A difference that is the same on every topic leaves Student nothing to go by:
        the p of sign flips takes the place of his, and the remark says so.
        """
        return self.effect_on(PairedScores.of(a, b, exactly))

    def effect_on(self, scores: PairedScores) -> Effect:
        """`effect` of scores whose differences are known."""
        d, exactly = scores.differences, scores.exactly
        won, lost = (int(np.count_nonzero(side * d.sign * d.values > 0)) for side in (1, -1))
        error = d.error
        mean = d.mean if d.size > error else 0.0
        pvalue, method, lean, remark = 1.0, SAME, 0, ""
        lower = upper = mean
        if won or lost:
            flips = self.test == "randomisation"
            drawn: dict[str, Any] = {"resampling": self.resampling, "workers": self.workers} if flips else {}
            result = _CALLS[self.test](d, (scores.a, scores.b), **drawn)
            pvalue, method, lean = result.pvalue, result.method, int(np.sign(mean))
            if isinstance(result, WilcoxonTest | SignTest):  # which may lean against the mean
                lean = int(np.sign(result.plus - result.minus))
            if d.constant:
                remark = STAND_IN if self.test == "t" else CONSTANT
            elif flips and d.n_topics < topics_to_flip(self.level):
                lower, upper, remark = -np.inf, np.inf, TOO_FEW
            elif flips:
                inverted = randomisation_interval_of(d, level=self.level, **drawn)
                lower, upper = inverted.lower, inverted.upper
            else:
                student = t_interval_of(d, level=self.level)
                lower, upper = student.lower, student.upper
        return Effect(
            difference=mean, lower=lower, upper=upper, level=self.level, test=self.test, pvalue=pvalue, method=method,
            lean=lean, n_topics=d.n_topics, won=won, lost=lost, tied=d.n_topics - won - lost,
            remark="; ".join(filter(None, [remark, close_scores(exactly, d.merged)])),
            error=error, merged=d.merged, exactly=exactly,
        )  # fmt: skip

    def effect_of(self, scored: Scored, first: int = 0, second: int = 1) -> Effect:
        """The effect of the second system against the first, by exact scores where doubles are too close."""
        return self.effect_on(paired_scores(scored, first, second))


def paired_scores(scored: Scored, first: int = 0, second: int = 1) -> PairedScores:
    """Scores of two systems for tests of their difference."""
    return PairedScores.of(*scores_to_test(scored, first, second))


def close_scores(exactly: int, merged: int) -> str:
    """Note on topics whose scores are closer than doubles can show, or than rounding can explain."""
    shown = f"{plural(exactly, 'topic')}: the scores differ by less than doubles can show, and were compared exactly"
    return "; ".join(filter(None, [shown * (exactly > 0), merged_sentence(merged, "topic")]))
