"""Mean difference of two systems on the same topics, with interval and test."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf, isfinite
from typing import Any, Literal, TypeAlias

import numpy as np

from rankscope import arguments
from rankscope.arrays import Floats
from rankscope.comparisons.exact_differences import scores_to_test
from rankscope.comparisons.scored import Design, Sample, Scored
from rankscope.errors import InputError, argument, plural
from rankscope.formatting import bounds
from rankscope.statistics import Resampling, repeated_runs
from rankscope.statistics.equality import difference, merged_sentence
from rankscope.statistics.pairs.clusters import (
    Units,
    clustered_flips_of,
    clustered_randomisation_interval_of,
    clustered_t_of,
)
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
from rankscope.statistics.replications.repeated_runs import run_variance
from rankscope.statistics.score_arrays import score_pair

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

CLUSTERED: dict[Test, str] = {
    "t": "cluster-robust t",
    "randomisation": "randomisation test by cluster",
    "wilcoxon": "Wilcoxon's signed ranks of cluster means",
    "sign": "sign test of cluster means",
}
WEIGHTED: dict[Test, str] = {"t": "robust t of the weighted mean", "randomisation": "weighted randomisation test"}
SAME = "no difference on any topic"
CONSTANT = "the difference is the same on every topic, so there is no variance for an interval"
CONSTANT_CLUSTERS = "the mean difference is the same in every cluster, so there is no variance for an interval"
TOO_FEW = "the topics have too few sign flips for an interval at this level"
STAND_IN = f"{CONSTANT} or a t test; the randomisation test stands in for Student's"
UNEQUAL = (
    "{units} are of unequal {what}, where the robust t may reject too often or too rarely: sign flips of {units} "
    "stand in for it"
)


@dataclass(frozen=True, slots=True)
class Effect:
    """The mean of b - a over topics, its interval, and a test of the hypothesis that there is none.

    lower, upper     ends of the interval; infinite or both the difference where there is none: see `ends`
    lean             1 where the test leans to b, -1 to a, 0 to none; one of signs or ranks may lean against the mean
    won, lost, tied  topics where b scores higher, lower, the same
    remark           where the test or the interval asked for could not be had, or doubles do not show a difference
    error            how far the mean may be from what it is on paper
    merged           topics tied because rounding can explain that their scores differ as doubles
    exactly          topics won or lost by exact scores alone: doubles do not show a difference
    n_clusters       clusters that topics are in; 0 where every topic is its own
    design_effect    variance of the mean over that of independent topics of equal weight; None without a design
    unequal          in what clusters or topics differ so much that sign flips stand in for the robust t
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
    n_clusters: int = 0
    design_effect: float | None = None
    unequal: Literal["", "size", "weight"] = ""

    @property
    def sample(self) -> Sample:
        """Units of the test, and whether they are enough for a verdict."""
        flipped = self.design_effect is not None and self.test == "randomisation"
        return Sample(self.n_units, "cluster" if self.n_clusters else "topic", self.unequal, flipped)

    @property
    def stand_in(self) -> str:
        """That sign flips stand in for the robust t, as a sentence; empty where they do not."""
        stands = self.unequal and self.test == "t" and not self.constant
        return f"{UNEQUAL.format(units=f'{self.sample.unit}s', what=self.unequal).capitalize()}." if stands else ""

    @property
    def n_units(self) -> int:
        """Independent units that the test rests on: clusters, or topics."""
        return self.n_clusters or self.n_topics

    @property
    def effective_topics(self) -> float:
        """Independent topics of equal weight whose mean would be as precise."""
        return self.n_topics / (self.design_effect or 1.0)

    @property
    def test_name(self) -> str:
        """The test in words."""
        test: Test = "randomisation" if self.unequal and self.test == "t" else self.test
        if self.n_clusters:
            return CLUSTERED[test]
        return TESTS[test] if self.design_effect is None else WEIGHTED[test]

    @property
    def ends(self) -> tuple[float | None, float | None]:
        """Ends of the interval; None where there is none, such as where the difference is the same on every topic."""
        return (self.lower, self.upper) if self.lower < self.upper and isfinite(self.lower) else (None, None)

    @property
    def constant(self) -> bool:
        """Whether there is no interval because the difference is the same on every topic, or in every cluster."""
        return not self.lower < self.upper

    @property
    def drawn(self) -> str:
        """By which random draws p was counted, in words; empty where it is exact or has a formula."""
        counted = re.search(r"[\d,]+ random [a-z ]+", self.method)
        return counted[0] if counted else ""

    @property
    def interval(self) -> str:
        """The interval as a cell of a table; "none" where there is none."""
        return "none" if self.ends[0] is None else bounds(self.lower, self.upper)


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


@dataclass(frozen=True)
class PairedScores:
    """Scores of two systems on the same topics, and their differences, for several tests.

    values   b - a by topic, 0 where they are equal on paper
    errors   how far each difference may be from what it is on paper
    exactly  topics on which only exact scores show a difference
    units    differences by cluster and weight, where topics have any
    clustered  whether topics are in clusters
    unequal  in what clusters or topics differ so much that sign flips stand in for the robust t
    runs     scores of both, topics x runs, where a system is several runs; a and b are then means over runs
    """

    a: Floats
    b: Floats
    values: Floats
    errors: Floats
    exactly: int
    units: Units | None = None
    clustered: bool = False
    unequal: Literal["", "size", "weight"] = ""
    runs: tuple[Floats, Floats] | None = None

    @classmethod
    def of(cls, a: Floats, b: Floats, exactly: int = 0, design: Design | None = None) -> PairedScores:
        first, second = score_pair(a, b)
        values, errors = difference(first, second)
        if design is None:
            return cls(first, second, values, errors, exactly)
        units = Units.of(values, errors, design.clusters, design.weights)
        return cls(first, second, values, errors, exactly, units, design.clusters is not None, design.unequal)

    @cached_property
    def differences(self) -> Differences:
        """Differences whose order does not depend on that of the topics."""
        return Differences.of_values(self.values, self.errors, self.merged)

    @cached_property
    def merged(self) -> int:
        """Topics whose scores differ as doubles and are equal on paper."""
        return int(np.count_nonzero((self.values == 0) & (self.a != self.b)))

    @property
    def won_and_lost(self) -> tuple[int, int]:
        """Topics on which b scores higher, and lower."""
        return int(np.count_nonzero(self.values > 0)), int(np.count_nonzero(self.values < 0))

    def all_units(self) -> Units:
        """Differences as units of a test; every topic is one where there are no clusters."""
        return self.units or Units.of(self.values, self.errors)


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
        if scores.runs is not None and scores.units is not None:
            raise InputError("systems of several runs beside clusters or weights of topics", "leave out one of them")
        if scores.units is not None:
            return self._clustered(scores, scores.units)
        if scores.runs is not None:
            return effect_of_runs(*scores.runs, self)
        d, exactly = scores.differences, scores.exactly
        won, lost = scores.won_and_lost
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

    def _clustered(self, scores: PairedScores, units: Units) -> Effect:
        """`effect_on` of topics in clusters, or with weights.

        Clusters of unequal size, or topics of unequal weight, have the test and the interval of sign flips in place of
        the robust t. Sizes and weights decide that, and not the scores: decisions/0120.
        """
        clustered, unequal = scores.clustered, scores.unequal
        if not clustered and self.test not in WEIGHTED:
            raise InputError(
                f"{TESTS[self.test]} counts signs or ranks, which have no weights",
                f"choose {argument('test', 't')} or {argument('test', 'randomisation')}",
            )
        n_topics, (won, lost) = scores.values.size, scores.won_and_lost
        mean = units.mean
        lower = upper = mean
        pvalue, method, lean, remark = 1.0, SAME, 0, ""
        if won or lost:
            drawn: dict[str, Any] = {"resampling": self.resampling, "workers": self.workers}
            lean = int(np.sign(mean))
            if self.test == "t" and (units.constant or not unequal):
                tested: Any = clustered_t_of(units)
            elif self.test in WEIGHTED:
                tested = clustered_flips_of(units, **drawn)
            else:
                tested = _CALLS[self.test](units.cluster_means, ([], []))
                lean = int(np.sign(tested.plus - tested.minus))
            pvalue, method = tested.pvalue, tested.method
            if not clustered:
                method = method.replace(", by cluster", "").replace("cluster-robust", "robust")
            if units.constant:
                remark = CONSTANT_CLUSTERS
            else:
                unit = "cluster" if clustered else "topic"
                flips = bool(unequal) or self.test == "randomisation"
                if unequal and self.test == "t":
                    remark = UNEQUAL.format(units=f"{unit}s", what=unequal)
                lower, upper = robust_ends(units, self, flips=flips)
                if not isfinite(lower):
                    remark = "; ".join(filter(None, [remark, TOO_FEW.replace("topic", unit)]))
        return Effect(
            difference=mean, lower=lower, upper=upper, level=self.level, test=self.test, pvalue=pvalue, method=method,
            lean=lean, n_topics=n_topics, won=won, lost=lost, tied=n_topics - won - lost,
            remark="; ".join(filter(None, [remark, close_scores(scores.exactly, scores.merged)])), error=units.error,
            merged=scores.merged, exactly=scores.exactly, n_clusters=units.n_clusters if clustered else 0,
            design_effect=units.design_effect, unequal=unequal,
        )  # fmt: skip

    def effect_of(self, scored: Scored, first: int = 0, second: int = 1) -> Effect:
        """The effect of the second system against the first, by exact scores where doubles are too close."""
        return self.effect_on(paired_scores(scored, first, second))


def paired_scores(scored: Scored, first: int = 0, second: int = 1) -> PairedScores:
    """Scores of two systems for tests of their difference."""
    pair = PairedScores.of(*scores_to_test(scored, first, second), scored.design)
    return replace(pair, runs=(scored.runs[first], scored.runs[second])) if scored.runs else pair


def robust_ends(units: Units, procedure: Procedure, *, flips: bool) -> tuple[float, float]:
    """Interval of a mean by cluster and weight, of sign flips or of the robust t; infinite where flips are too few."""
    if not flips:
        ends = clustered_t_of(units).confidence_interval(procedure.level)
    elif units.n_clusters < topics_to_flip(procedure.level):
        return -inf, inf
    else:
        ends = clustered_randomisation_interval_of(
            units, level=procedure.level, resampling=procedure.resampling, workers=procedure.workers
        )
    return ends.lower, ends.upper


ONE_RUN = "a system of one run stands for itself: nothing is said about its further runs"


def effect_of_runs(a: Floats, b: Floats, procedure: Procedure) -> Effect:
    """The mean of b - a over topics and runs; scores are topics x runs.

    Runs that differ no more than topics explain add nothing: then it is the effect of the scores averaged over runs.
    """
    if procedure.test != "t":
        cure = f"leave out {argument('test', procedure.test)}, or compare one run with one run"
        raise InputError("systems of several runs are tested by Student's t over topics and runs", cure)
    averaged = procedure.effect(a.mean(axis=1), b.mean(axis=1))
    counts = a.shape[1], b.shape[1]
    notes = [averaged.remark, f"scores are means over {counts[0]} and {counts[1]} runs, which are tested as repeats"]
    remark = "; ".join(filter(None, [*notes, ONE_RUN if min(counts) == 1 else ""]))
    if not (averaged.won or averaged.lost) or not sum(run_variance(part).added for part in (a, b)):
        return replace(averaged, remark=remark)
    result = repeated_runs(a, b, level=procedure.level)
    return replace(
        averaged, lower=result.lower, upper=result.upper, pvalue=result.pvalue, remark=remark,
        method=f"{result.method}, {result.df:.1f} degrees of freedom",
    )  # fmt: skip


def close_scores(exactly: int, merged: int) -> str:
    """Note on topics whose scores are closer than doubles can show, or than rounding can explain."""
    shown = f"{plural(exactly, 'topic')}: the scores differ by less than doubles can show, and were compared exactly"
    return "; ".join(filter(None, [shown * (exactly > 0), merged_sentence(merged, "topic")]))
