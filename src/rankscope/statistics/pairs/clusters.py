"""Tests and intervals of two systems on topics that come in clusters, or that have weights.

Variants of a query, turns of a session and requests of a user are not independent. Here the cluster is the unit that
was drawn: differences b - a are added up by cluster, and signs are flipped, samples drawn and variances taken by
cluster. Without clusters every topic is one; without weights every topic weighs the same. The mean is that over topics,
each with its weight, so that a cluster counts by the weight of its topics.

Bell and McCaffrey 2002 is in Survey Methodology 28; Cameron, Gelbach and Miller 2008 in the Review of Economics and
Statistics 90(3), 414-427.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations_with_replacement
from math import comb, factorial, inf, sqrt
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from rankscope.arguments import one_of
from rankscope.arrays import Floats, Ints
from rankscope.errors import InputError, plural
from rankscope.parallel import Client
from rankscope.parallel import on as on_cluster
from rankscope.results import Result
from rankscope.statistics.draws import sign_flips
from rankscope.statistics.draws.exact_sums import FixedPoint, exact_sum
from rankscope.statistics.draws.resampling import Resampling, drawn, over_blocks, resampling_of
from rankscope.statistics.equality import difference
from rankscope.statistics.pairs import saddlepoint
from rankscope.statistics.pairs.difference_tests import check_alternative, constant_pvalue
from rankscope.statistics.pairs.differences import LEAST, Alternative, Differences, pvalue, same_on_all
from rankscope.statistics.pairs.intervals import MOST_SUBSETS, ConfidenceInterval, bootstrap_interval, tail_share
from rankscope.statistics.pairs.paired_tests import randomisation_test_of
from rankscope.statistics.score_arrays import score_pair
from rankscope.statistics.special import stdtr, stdtrit

RobustVariant: TypeAlias = Literal["CR0", "CR1", "CR2"]
FlipVariant: TypeAlias = Literal["mean", "studentised"]
WORDS: dict[RobustVariant, str] = {
    "CR0": "cluster-robust t, CR0",
    "CR1": "cluster-robust t, CR1",
    "CR2": "cluster-robust t, CR2 (Bell and McCaffrey 2002)",
}
MOST_SAMPLES = 100_000  # samples of clusters, their order left out, up to which all are taken
_SAME_T = 1e-9  # t ratios are quotients of sums that cancel


@dataclass(frozen=True)
class Units:
    """Differences b - a of topics, added up by cluster; without clusters every topic is one.

    sums     weight x difference, summed by cluster
    errors   how far each sum may be from what it is on paper
    weights  sum of the weights of each cluster
    squares  sum of their squares
    spread   squared standard error of the mean if topics were independent and weighed the same
    """

    sums: Floats
    errors: Floats
    weights: Floats
    squares: Floats
    spread: float
    n_topics: int

    @classmethod
    def of(
        cls, values: Floats, errors: Floats, clusters: ArrayLike | None = None, weights: ArrayLike | None = None
    ) -> Units:
        """Differences of topics, each with its error, by cluster and weight."""
        n = values.size
        weight = np.ones(n) if weights is None else checked_weights(weights, n)
        parts = [values, errors, weight] if weights is None else [weight * values, weight * errors, weight, weight**2]
        mean = exact_sum(parts[0]) / exact_sum(weight)
        variance = float(weight @ np.square(values - mean)) / float(weight.sum()) * n / max(1, n - 1)
        if clusters is not None:
            code, count = cluster_codes(clusters, n)
            parts = [np.bincount(code, part, count).astype(np.float64, copy=False) for part in parts]
        sums, errors, total = parts[:3]
        squares = parts[-1]  # where all weigh 1, they are their own squares
        if not total.all():  # clusters without weight are left out
            sums, errors, total, squares = (part[total > 0] for part in (sums, errors, total, squares))
        turned = sums if mean >= 0 else -sums  # a swap of a and b changes signs only
        order = np.lexsort((total, turned))  # whatever the order of the topics
        return cls(sums[order], errors[order], total[order], squares[order], variance / n, n)

    @property
    def n_clusters(self) -> int:
        """Clusters."""
        return self.sums.size

    @cached_property
    def mean(self) -> float:
        """The weighted mean of b - a over topics."""
        total = exact_sum(self.sums)
        return total / exact_sum(self.weights) if abs(total) > exact_sum(self.errors) else 0.0

    @property
    def error(self) -> float:
        """Largest rounding error of the mean."""
        return exact_sum(self.errors) / exact_sum(self.weights)

    @property
    def residuals(self) -> Floats:
        """Sums of the clusters less what the mean explains."""
        return self.sums - self.weights * self.mean

    @property
    def constant(self) -> bool:
        """Whether the mean difference is the same in every cluster, so that there is no variance between them."""
        return bool(same_on_all(self.sums / self.weights, self.errors / self.weights))

    def varied(self) -> Units:
        """The same; an error where the mean difference is the same in every cluster."""
        if self.constant:
            each = self.n_clusters == self.n_topics
            where = f"on all {self.n_topics} topics" if each else f"in all {self.n_clusters} clusters"
            raise InputError(
                f"the difference is {self.mean:.6g} {where}: it has no variance",
                "the sign test and the randomisation test need none",
            )
        return self

    @property
    def differences(self) -> Differences:
        """Sums of the clusters, as differences whose signs can be flipped."""
        return Differences.of_values(self.sums, self.errors)

    @property
    def cluster_means(self) -> Differences:
        """Means of the clusters, each of which counts the same, for tests of signs and ranks."""
        return Differences.of_values(self.sums / self.weights, self.errors / self.weights)

    def pseudo_values(self) -> Floats:
        """One value per cluster, whose mean is the mean: influence of the cluster on it, to first order."""
        return self.mean + self.residuals * (self.n_clusters / float(self.weights.sum()))

    def robust(self, variant: RobustVariant = "CR2") -> tuple[float, float]:
        """Standard error of the mean, and the degrees of freedom of t.

        CR2 corrects each cluster so that the variance is unbiased where topics are independent, and has Satterthwaite's
        degrees of freedom (Bell and McCaffrey 2002): few and unequal clusters have fewer than clusters - 1.
        """
        if variant == "CR2":
            return self._corrected
        total, count = float(self.weights.sum()), self.n_clusters
        scale = count / (count - 1) if variant == "CR1" else 1.0
        return sqrt(scale * float(np.square(self.residuals).sum())) / total, count - 1

    @cached_property
    def _corrected(self) -> tuple[float, float]:
        """`robust` of CR2."""
        total, squares = float(self.weights.sum()), np.square(self.residuals)
        u, q = self.weights / total, self.squares
        every = float(q.sum())
        left = q - 2 * u * q + u * u * every  # variance of a residual where topics are independent
        factor = q / left
        # the quadratic form has the matrix F (D - u q' - q u' + Q u u') F, whose traces are sums over clusters
        trace = float((factor * left).sum())
        first, mixed, second = (float((factor * x).sum()) for x in (u * u, u * q, q * q))
        inner = 2 * first * second + 2 * mixed * mixed + (every * first) ** 2 - 4 * every * first * mixed
        diagonal = float((factor**2 * (q * q + 2 * q * (every * u * u - 2 * u * q))).sum())
        return sqrt(float((factor * squares).sum())) / total, trace * trace / (diagonal + inner)

    @property
    def alike_clusters(self) -> float:
        """Clusters of equal weight whose mean would be as precise if all topics of a cluster had one difference."""
        squares = np.square(self.weights / self.weights.max())
        return float(squares.sum() ** 2 / np.square(squares).sum())

    @property
    def design_effect(self) -> float:
        """Variance of the mean by clusters and weights, over that of as many independent topics of equal weight."""
        return self.robust()[0] ** 2 / self.spread if self.spread > 0 else 1.0

    @property
    def effective_topics(self) -> float:
        """Independent topics of equal weight whose mean would be as precise."""
        return self.n_topics / self.design_effect if self.design_effect > 0 else float(self.n_topics)


def checked_weights(weights: ArrayLike, n_topics: int) -> Floats:
    """One weight per topic, finite, none below 0 and not all 0; scaled so that their mean is 1."""
    weight = np.asarray(weights, np.float64)
    if weight.shape != (n_topics,):
        raise InputError(f"{weight.size} weights for {plural(n_topics, 'topic')}", "give one weight per topic")
    if wrong := np.flatnonzero(~np.isfinite(weight) | (weight < 0)).tolist():
        raise InputError(
            f"{plural(len(wrong), 'weight')} that {'is' if len(wrong) == 1 else 'are'} negative or no finite number, "
            f"the first {weight[wrong[0]]:g}",
            "weights are numbers from 0",
        )
    largest = float(weight.max(initial=0.0))
    if np.count_nonzero(weight) < 2:
        raise InputError(
            "the weights sum to 0" if largest == 0 else "one topic has all the weight",
            "give at least two topics a weight above 0",
        )
    weight = weight / largest
    return weight / float(weight.mean())


def cluster_codes(clusters: ArrayLike, n_topics: int) -> tuple[Ints, int]:
    """A number from 0 for the cluster of each topic, and how many clusters there are; at least two."""
    labels = np.asarray(clusters)
    if labels.shape != (n_topics,):
        raise InputError(f"{labels.size} clusters for {plural(n_topics, 'topic')}", "name the cluster of every topic")
    names, code = np.unique(labels, return_inverse=True)
    if names.size < 2:
        raise InputError("all topics are in one cluster", "a test needs at least two clusters")
    return code.astype(np.int64, copy=False), int(names.size)


def _units(
    a: ArrayLike, b: ArrayLike, clusters: ArrayLike | None, weights: ArrayLike | None, topics: Sequence[str] | None
) -> Units:
    return Units.of(*difference(*score_pair(a, b, topics=topics)), clusters, weights)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusteredTest(Result):
    """A test of the mean difference b - a whose unit is the cluster.

    design_effect     variance of the mean, over that of as many independent topics of equal weight
    effective_topics  independent topics whose mean would be as precise
    """

    method: str
    alternative: Alternative = "two-sided"
    difference: float
    statistic: float
    pvalue: float
    n_topics: int
    n_clusters: int
    design_effect: float
    effective_topics: float
    units: Units = field(repr=False, compare=False)

    def to_dict(self) -> dict[str, Any]:
        """All fields but the sums of clusters, as plain Python values."""
        fields = Result.to_dict(self)
        del fields["units"]
        return fields


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusteredTTest(ClusteredTest):
    """Cluster-robust t of the mean difference; `standard_error` is that of the mean."""

    standard_error: float
    df: float

    def confidence_interval(self, level: float = 0.95) -> ConfidenceInterval:
        """The mean difference and t standard errors; one end is infinite for a one-sided test."""
        return robust_interval(self.units, self.standard_error, self.df, level, self.alternative, self.method)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusteredRandomisation(ClusteredTest):
    """Randomisation test that flips the sign of whole clusters."""

    exact: bool
    resampling: Resampling | None  # None where nothing was drawn


def clustered_t_test(
    a: ArrayLike,
    b: ArrayLike,
    clusters: ArrayLike | None = None,
    *,
    weights: ArrayLike | None = None,
    variant: RobustVariant = "CR2",
    alternative: Alternative = "two-sided",
    topics: Sequence[str] | None = None,
) -> ClusteredTTest:
    """Cluster-robust t of the mean of b - a (Bell and McCaffrey 2002; Cameron, Gelbach and Miller 2008).

    clusters  the cluster of each topic; every topic is its own where there are none
    weights   one number from 0 per topic, such as its traffic; all the same where there are none
    variant   "CR2" with Satterthwaite's degrees of freedom; "CR0" and "CR1" with clusters - 1

    Without clusters and weights, CR1 and CR2 are Student's paired t. A mean difference that is the same in every
    cluster leaves no variance to go by: t is infinite, and p is that of sign flips of clusters.

    >>> test = clustered_t_test([0.1, 0.2, 0.3, 0.4, 0.5, 0.6], [0.2, 0.4, 0.3, 0.6, 0.4, 0.6], [1, 1, 2, 2, 3, 3])
    >>> round(test.pvalue, 4), test.n_clusters, round(test.df, 2)
    (0.3828, 3, 2.0)
    """
    one_of("variant", variant, WORDS)
    return clustered_t_of(_units(a, b, clusters, weights, topics), variant=variant, alternative=alternative)


def clustered_t_of(
    units: Units, *, variant: RobustVariant = "CR2", alternative: Alternative = "two-sided"
) -> ClusteredTTest:
    """`clustered_t_test` of units that are known."""
    tail = check_alternative(alternative)
    error, df = units.robust(variant)
    mean, method = units.mean, WORDS[variant]
    if units.constant:
        error, statistic = 0.0, float(np.copysign(inf, mean)) if mean else 0.0
        p = float(constant_pvalue(np.asarray(mean), units.n_clusters, tail))
        method = f"sign flips of clusters in place of {method}: the difference is the same in every cluster"
    else:
        statistic = mean / error
        beyond = float(stdtr(df, -abs(statistic)))
        p = max(LEAST, 2 * beyond if not tail else beyond if tail * statistic >= 0 else 1 - beyond)
    return ClusteredTTest(
        method=method, alternative=alternative, difference=mean, statistic=statistic, pvalue=p,
        standard_error=error, df=df, **_counts(units),
    )  # fmt: skip


def _counts(units: Units) -> dict[str, Any]:
    return {
        "n_topics": units.n_topics, "n_clusters": units.n_clusters, "design_effect": units.design_effect,
        "effective_topics": units.effective_topics, "units": units,
    }  # fmt: skip


def robust_interval(
    units: Units,
    error: float,
    df: float,
    level: float = 0.95,
    alternative: Alternative = "two-sided",
    method: str = WORDS["CR2"],
) -> ConfidenceInterval:
    """The mean difference and t robust standard errors."""
    tails = tail_share(level, alternative)
    return _interval(units.varied(), stdtrit(df, 1 - tails) * error, level, alternative, method)


def _interval(
    units: Units,
    reach: float | Sequence[float],
    level: float,
    alternative: Alternative,
    method: str,
    resampling: Resampling | None = None,
    exact: bool = True,
) -> ConfidenceInterval:
    lower, upper = (units.mean - reach, units.mean + reach) if isinstance(reach, float) else reach
    return ConfidenceInterval(
        difference=units.mean, lower=lower if alternative != "less" else -inf,
        upper=upper if alternative != "greater" else inf, level=level, n_topics=units.n_topics,
        exact=exact and resampling is None, method=method, resampling=resampling,
    )  # fmt: skip


def clustered_randomisation_test(
    a: ArrayLike,
    b: ArrayLike,
    clusters: ArrayLike | None = None,
    *,
    weights: ArrayLike | None = None,
    variant: FlipVariant = "mean",
    resampling: Resampling | None = None,
    alternative: Alternative = "two-sided",
    workers: int | None = None,
    client: Client = None,
    topics: Sequence[str] | None = None,
) -> ClusteredRandomisation:
    """Randomisation test that flips the signs of whole clusters (Cameron, Gelbach and Miller 2008).

    variant  what is compared with the flips: the "mean" over topics, whose p is exact where clusters are symmetric
             about 0 whatever their sizes; or the "studentised" t with CR1

    All 2^clusters flips are counted up to 40 clusters ("studentised": 20), drawn beyond; p = (b + 1) / (B + 1) then.
    Two-sided p is at least 2 / 2^clusters: fewer than six clusters cannot be below 0.05. It is just that where the mean
    difference is the same in every cluster, and not 0.

    >>> a, b = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6], [0.2, 0.4, 0.3, 0.6, 0.4, 0.6]
    >>> clustered_randomisation_test(a, b, [1, 1, 2, 2, 3, 3]).pvalue
    0.5
    """
    one_of("variant", variant, ("mean", "studentised"))
    units = _units(a, b, clusters, weights, topics)
    with on_cluster(client):
        return clustered_flips_of(
            units, variant=variant, resampling=resampling, alternative=alternative, workers=workers
        )


def clustered_flips_of(
    units: Units,
    *,
    variant: FlipVariant = "mean",
    resampling: Resampling | None = None,
    alternative: Alternative = "two-sided",
    workers: int | None = None,
) -> ClusteredRandomisation:
    """`clustered_randomisation_test` of units that are known."""
    resampling = resampling_of(resampling)
    tail = check_alternative(alternative)
    statistic = units.mean
    if units.constant:
        p, taken, exact = float(constant_pvalue(np.asarray(units.mean), units.n_clusters, tail)), None, True
        name = "randomisation" if variant == "mean" else "randomisation, studentised"
        flips = f", exact over 2^{units.n_clusters} sign flips" if units.mean else ": all differences are zero"
        method = f"{name}{flips}, by cluster"
        if variant == "studentised":
            statistic = float(np.copysign(inf, units.mean)) if units.mean else 0.0
    elif variant == "mean":
        tested = randomisation_test_of(
            units.differences, ([], []), resampling=resampling, alternative=alternative, workers=workers
        )
        p, taken, exact, method = tested.pvalue, tested.resampling, tested.exact, f"{tested.method}, by cluster"
    else:
        statistic = units.mean / units.robust("CR1")[0]
        p, exact = _studentised(units, resampling, tail, workers)
        taken = None if exact else resampling
        flips = f"exact over 2^{units.n_clusters} sign flips" if exact else drawn(resampling, "sign flips")
        method = f"randomisation, studentised, {flips}, by cluster"
    return ClusteredRandomisation(
        method=method, alternative=alternative, difference=units.mean, statistic=statistic, pvalue=p, exact=exact,
        resampling=taken, **_counts(units),
    )  # fmt: skip


def _studentised(units: Units, resampling: Resampling, tail: int, workers: int | None) -> tuple[float, bool]:
    """p of t among its flips, and whether all were taken.

    A flip changes two sums: those of the clusters, and those times the weights.
    """
    every = units.n_clusters <= MOST_SUBSETS
    taken = resampling.of(2**units.n_clusters) if every else resampling
    squares, weights = float(np.square(units.sums).sum()), float(np.square(units.weights).sum())
    total = float(units.weights.sum())

    def ratios(sums: Floats) -> Floats:
        mean = sums[:, 0] / total
        rest = np.maximum(squares - 2 * mean * sums[:, 1] + mean * mean * weights, 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(mean == 0, 0.0, mean / np.sqrt(rest))

    columns = np.stack([units.sums, units.sums * units.weights], axis=1)
    bar = float(ratios(columns.sum(axis=0)[None])[0])
    bar -= _SAME_T * abs(bar) if tail >= 0 else -_SAME_T * abs(bar)

    def extreme(sums: Floats) -> int:
        t = ratios(sums)
        return int(np.count_nonzero(tail * t >= tail * bar if tail else np.abs(t) >= abs(bar) * (1 - _SAME_T)))

    count = sum(sign_flips.over_flips(extreme, columns, taken, workers, every=every)[1])
    return (pvalue(count / 2**units.n_clusters) if every else float(resampling.pvalue(np.asarray(count)))), every


def clustered_randomisation_interval_of(
    units: Units, *, level: float = 0.95, resampling: Resampling | None = None, workers: int | None = None
) -> ConfidenceInterval:
    """All shifts of the mean that flips of whole clusters do not reject.

    The flips of a set of clusters make the sum of the differences less the shift no smaller just where the mean over
    that set is at most the shift; so the ends are order statistics of the means of random sets (Hartigan 1969).
    """
    tails, resampling = tail_share(level, "two-sided"), resampling_of(resampling)
    if saddlepoint.many(units.varied().residuals):
        lower = saddlepoint.flipped_shift(units.sums, tails, units.weights)
        upper = -saddlepoint.flipped_shift(-units.sums, tails, units.weights)
        method = f"randomisation, {saddlepoint.WORDS}, by cluster"
        return _interval(units, (lower, upper), level, "two-sided", method, exact=False)
    count = units.n_clusters
    every = count <= MOST_SUBSETS
    taken, seed = (resampling.of(2**count - 1), None) if every else (resampling, resampling.seed)
    fixed = FixedPoint.of(np.stack([units.sums, units.weights], axis=1), count, columns=True, integers=True)
    sums_of = resampling.kernels.flipped_sums

    def work(trials: tuple[int, int]) -> Floats:
        first, number = trials
        sums, weights = fixed.numbers(sums_of(fixed.units, seed, first + (seed is None), number)).T
        return np.divide(sums, weights, out=np.full(number, np.nan), where=weights > 0)

    size = resampling.kernels.block(sign_flips.block(count), count, 2)
    means = np.concatenate(list(over_blocks(work, taken, size, workers)))
    place = int(tails * (taken.resamples + 1) + 1e-12)
    empty = np.isnan(means)
    ends = [-inf, inf]
    if place:
        ends = [
            sign * float(np.partition(np.where(empty, -inf, sign * means), place - 1)[place - 1]) for sign in (1, -1)
        ]
    how = f"exact over 2^{count} sign flips" if every else drawn(resampling, "sign flips")
    return _interval(
        units, ends, level, "two-sided", f"randomisation, {how}, by cluster", None if every else resampling
    )


def clustered_bootstrap_interval(
    a: ArrayLike,
    b: ArrayLike,
    clusters: ArrayLike | None = None,
    *,
    weights: ArrayLike | None = None,
    level: float = 0.95,
    resampling: Resampling | None = None,
    workers: int | None = None,
    client: Client = None,
    topics: Sequence[str] | None = None,
) -> ConfidenceInterval:
    """Percentile interval of the mean over samples of whole clusters with replacement (Davison and Hinkley 1997, 3.8).

    A sample has as many clusters as the data, and its mean is that over the topics of the clusters drawn. All samples
    are taken where these are few (up to 9 clusters), drawn otherwise. With few clusters the interval is short.
    """
    units = _units(a, b, clusters, weights, topics)
    with on_cluster(client):
        return clustered_bootstrap_of(units, level=level, resampling=resampling, workers=workers)


def clustered_bootstrap_of(
    units: Units, *, level: float = 0.95, resampling: Resampling | None = None, workers: int | None = None
) -> ConfidenceInterval:
    """`clustered_bootstrap_interval` of units that are known."""
    tails, resampling = tail_share(level, "two-sided"), resampling_of(resampling)
    count = units.varied().n_clusters
    if saddlepoint.steady(values := units.pseudo_values()):
        ends = bootstrap_interval(np.zeros(count), values, variant="percentile", level=level, resampling=resampling)
        method = f"{ends.method}, by cluster"
        return _interval(units, (ends.lower, ends.upper), level, "two-sided", method, exact=False)
    every = comb(2 * count - 1, count) <= MOST_SAMPLES
    if every:
        means, share = all_samples(units)
        how = f"exact over {count}^{count} samples"
    else:
        fixed = FixedPoint.of(np.stack([units.sums, units.weights], axis=1), count, columns=True, integers=True)
        sums_of = resampling.kernels.drawn_sums

        def work(trials: tuple[int, int]) -> Floats:
            sums, weights = fixed.numbers(sums_of(fixed.units, resampling.seed, *trials)).T
            return sums / weights

        size = resampling.kernels.block(sign_flips.block(count), count)
        means = np.sort(np.concatenate(list(over_blocks(work, resampling, size, workers))))
        share = np.arange(1, means.size + 1) / means.size
        how = drawn(resampling, "samples")
    at = np.minimum(np.searchsorted(share, [tails - 1e-12, 1 - tails - 1e-12]), means.size - 1)
    method = f"bootstrap, percentile, {how}, by cluster"
    return _interval(units, means[at].tolist(), level, "two-sided", method, None if every else resampling)


def all_samples(units: Units) -> tuple[Floats, Floats]:
    """The mean of every sample of as many clusters with replacement, ascending, and the cumulative probability."""
    count = units.n_clusters
    drawn_units = np.array(list(combinations_with_replacement(range(count), count)), np.int64)
    times = np.stack([np.count_nonzero(drawn_units == g, axis=1) for g in range(count)], axis=1)
    ways = factorial(count) / np.prod(np.array([factorial(k) for k in range(count + 1)], np.float64)[times], axis=1)
    means = (times @ units.sums) / (times @ units.weights)
    order = np.argsort(means, kind="stable")
    return means[order], np.cumsum(ways[order]) / float(count) ** count
