"""Systems that are several runs each, such as training with several seeds: tests and variance components.

A system is a topics x runs array of scores. Runs are a sample, as topics are: a verdict holds for further runs of the
same systems, and for further topics.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf, nan, sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rankscope import arguments
from rankscope.arrays import Floats
from rankscope.errors import InputError, Problem, are, plural
from rankscope.results import Result
from rankscope.statistics import equality
from rankscope.statistics.families.comparisons import Comparisons, pairs_of
from rankscope.statistics.pairs.difference_tests import t_tests
from rankscope.statistics.pairs.differences import Differences
from rankscope.statistics.replications.random_effects import two_sided
from rankscope.statistics.special import stdtrit

METHOD = "Student's t over topics and runs"


class RunVariance(NamedTuple):
    """Variance that runs of a system add to its mean, and what Satterthwaite's degrees of freedom divide by.

    single    variance of the mean of a single run over runs, without what topics explain; no less than 0
    residual  variance of a score that neither its topic nor its run explains
    added     single / number of runs
    bottom    sum of squared terms of `added`, each over its degrees of freedom
    df        number of runs less 1 where runs add something, else infinite
    """

    single: float
    residual: float
    added: float
    bottom: float
    df: float = inf


def run_variance(scores: Floats) -> RunVariance:
    """Variance by the runs of a system, scores topics x runs; 0 for a system of one run, which stands for itself."""
    topics, runs = scores.shape
    if runs == 1:
        return RunVariance(0.0, 0.0, 0.0, 0.0)
    apart = scores - scores.mean(axis=1, keepdims=True)
    if equality.no_variance(float(np.square(apart).sum()), scores):
        return RunVariance(0.0, 0.0, 0.0, 0.0)
    means = scores.mean(axis=0)
    rest = apart - means + scores.mean()
    residual = float(np.square(rest).sum()) / ((topics - 1) * (runs - 1))
    between = float(means.var(ddof=1))
    single = between - residual / topics
    if single <= 0:
        return RunVariance(0.0, residual, 0.0, 0.0)
    bottom = (between / runs) ** 2 / (runs - 1) + (residual / topics / runs) ** 2 / ((topics - 1) * (runs - 1))
    return RunVariance(single, residual, single / runs, bottom, runs - 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatedRuns(Result):
    """Mean of b - a over topics and runs, with its interval and a test that takes both for samples.

    topics_variance, runs_variance  parts of the variance of the difference: by the sampling of topics, of runs
    df                              Satterthwaite's
    """

    method: str
    difference: float
    standard_error: float
    statistic: float
    df: float
    pvalue: float
    lower: float
    upper: float
    level: float
    n_topics: int
    runs_a: int
    runs_b: int
    topics_variance: float
    runs_variance: float


def repeated_runs(a: ArrayLike, b: ArrayLike, *, level: float = 0.95) -> RepeatedRuns:
    """Test of two systems that are several runs each, on the same topics: Student's t over topics and runs.

    a, b  scores, topics x runs; the numbers of runs may differ

    The variance of the difference of means is that over topics, of scores averaged over runs, and the variance of each
    system's runs by their number, less what topics explain of it; degrees of freedom are Satterthwaite's (1946). A
    system of one run stands for itself: then the test says nothing about its further runs. A difference that is the
    same on every topic, of runs that add nothing, leaves no variance to go by: t is infinite, p is that of sign flips,
    and the ends of the interval are NaN.

    >>> a = [[0.1, 0.2, 0.1], [0.3, 0.4, 0.4], [0.2, 0.3, 0.2], [0.5, 0.5, 0.6]]
    >>> b = [[0.3, 0.2, 0.3], [0.5, 0.6, 0.4], [0.3, 0.4, 0.4], [0.6, 0.8, 0.7]]
    >>> result = repeated_runs(a, b)
    >>> round(result.difference, 4), round(result.df, 2), round(result.pvalue, 4)
    (0.1417, 2, 0.0169)
    """
    arguments.level(level)
    first, second = (_scores(part, name) for part, name in ((a, "a"), (b, "b")))
    if len(first) != len(second):
        raise InputError(f"{len(first)} and {len(second)} topics", "give both systems on the same topics")
    n = len(first)
    d = Differences.of(first.mean(axis=1), second.mean(axis=1))
    by_topics = 0.0 if d.constant else d.sd**2 / n
    runs = [run_variance(part) for part in (first, second)]
    by_runs = sum(part.added for part in runs)
    mean, error = d.mean, sqrt(by_topics + by_runs)
    df = degrees(by_topics, n, runs)
    method = METHOD
    if d.constant and not by_runs:
        tested = t_tests(d.values[None], errors=d.errors[None])
        t, pvalue, reach = d.sign * float(tested.statistic[0]), float(tested.pvalue[0]), nan
        method = f"randomisation in place of {METHOD}: the difference is the same on every topic"
        if not d.values.any():
            method = f"{METHOD}: all differences are zero"
    else:
        t, reach = mean / error, stdtrit(df, (1 + level) / 2) * error
        pvalue = two_sided(t, df)
    return RepeatedRuns(
        method=method, difference=mean, standard_error=error, statistic=t, df=df, pvalue=pvalue,
        lower=mean - reach, upper=mean + reach, level=level, n_topics=n, runs_a=first.shape[1], runs_b=second.shape[1],
        topics_variance=by_topics, runs_variance=by_runs,
    )  # fmt: skip


def degrees(by_topics: float, n_topics: int, runs: Sequence[RunVariance]) -> float:
    """Satterthwaite's degrees of freedom of a variance over topics with those of runs added.

    They are no fewer than the smallest number that any part has.
    """
    bottom = by_topics**2 / (n_topics - 1) + sum(part.bottom for part in runs)
    least = min([float(n_topics - 1), *(part.df for part in runs)])
    return max(least, (by_topics + sum(part.added for part in runs)) ** 2 / bottom) if bottom > 0 else least


def repeated_all_pairs(repeated: Mapping[str, ArrayLike]) -> Comparisons:
    """Student's t over topics and runs for all pairs of systems, each topics x runs; uncorrected."""
    parts = {name: _scores(part, name) for name, part in repeated.items()}
    if len(parts) < 2:
        raise InputError(f"{are(len(parts), 'system')} too few", "a comparison needs at least two")
    if len({len(part) for part in parts.values()}) > 1:
        raise InputError("systems have different numbers of topics", "give all systems on the same topics")
    runs = [run_variance(part) for part in parts.values()]
    means = np.stack([part.mean(axis=1) for part in parts.values()])
    n = means.shape[1]
    first, second = pairs_of(len(means))
    location = means.mean(axis=1)
    pvalue, statistic = np.ones(len(first)), np.zeros(len(first))
    for at, (i, j) in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
        d, errors = equality.difference(means[i], means[j])
        both = (runs[i], runs[j])
        if not sum(part.added for part in both):
            test = t_tests(d[None], errors=errors[None])
            pvalue[at], statistic[at] = test.pvalue[0], test.statistic[0]
            continue
        by_topics = float(d.var(ddof=1)) / n
        t = float(d.mean()) / sqrt(by_topics + sum(part.added for part in both))
        pvalue[at], statistic[at] = two_sided(t, degrees(by_topics, n, both)), t
    return Comparisons(
        systems=tuple(parts), method=METHOD, n_topics=n, location=location, first=first,
        second=second, difference=location[second] - location[first], statistic=statistic, pvalue=pvalue,
        corrected=False, resampling=None,
    )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class VarianceComponents(Result):
    """Variances of a single score by their sources, none below 0.

    system         of the means of systems
    topic          of topics, the same for all systems
    system_topic   of the effect of a topic on one system
    run            of the mean of one run of a system, as by its seed
    residual       what is left: of a run on a topic
    """

    systems: tuple[str, ...]
    runs: tuple[int, ...]
    n_topics: int
    system: float
    topic: float
    system_topic: float
    run: float
    residual: float

    def components(self) -> dict[str, float]:
        """The variances by their sources, as tables and figures name them."""
        names = ("system", "topic", "system by topic", "run", "run by topic")
        return dict(zip(names, (self.system, self.topic, self.system_topic, self.run, self.residual), strict=True))

    def columns(self) -> dict[str, list[Any]]:
        """One row per source: its variance, standard deviation, and share of the sum."""
        parts = self.components()
        total = sum(parts.values())
        return {
            "source": list(parts),
            "variance": list(parts.values()),
            "deviation": [sqrt(part) for part in parts.values()],
            "share": [part / total if total else 0.0 for part in parts.values()],
        }

    def heading(self) -> str:
        runs = plural(sum(self.runs), "run")
        return f"variance of scores by source; {plural(len(self.systems), 'system')}, {runs}, {self.n_topics} topics"


def variance_components(repeated: Mapping[str, ArrayLike]) -> VarianceComponents:
    """Variance components of systems that are several runs each, on the same topics, by the method of moments.

    repeated  scores, topics x runs, by name of the system; at least two systems, and one of them with at least two runs
    """
    parts = {name: _scores(part, name) for name, part in repeated.items()}
    counts = tuple(part.shape[1] for part in parts.values())
    if len(parts) < 2 or max(counts, default=1) < 2:
        cause = f"{are(len(parts), 'system')} given, with {max(counts, default=0)} runs at the most"
        raise InputError(cause, "give two systems, one of them with two runs or more")
    if len({len(part) for part in parts.values()}) > 1:
        raise InputError("systems have different numbers of topics", "give all systems on the same topics")
    s, n, df = len(parts), len(next(iter(parts.values()))), sum(counts) - len(counts)
    cells = np.stack([part.mean(axis=1) for part in parts.values()])  # systems x topics
    residual = run = 0.0
    for part in parts.values():
        means = part.mean(axis=0)
        rest = part - means - part.mean(axis=1, keepdims=True) + part.mean()
        residual += float(np.square(rest).sum()) / ((n - 1) * df)
        run += float(np.square(means - means.mean()).sum()) / df
    run = max(0.0, run - residual / n)
    share = float(np.mean([1 / count for count in counts]))
    means, by_topic = cells.mean(axis=1), cells.mean(axis=0)
    rest = cells - means[:, None] - by_topic + cells.mean()
    together = float(np.square(rest).sum()) / ((s - 1) * (n - 1))
    return VarianceComponents(
        systems=tuple(parts), runs=counts, n_topics=n,
        system=max(0.0, float(means.var(ddof=1)) - run * share - together / n),
        topic=max(0.0, float(by_topic.var(ddof=1)) - together / s),
        system_topic=max(0.0, together - residual * share), run=run, residual=residual,
    )  # fmt: skip


def _scores(part: ArrayLike, name: str) -> Floats:
    scores = np.asarray(part, np.float64)
    if scores.ndim != 2 or scores.shape[0] < 2 or scores.shape[1] < 1 or not np.isfinite(scores).all():
        cause = f"{name} has no topics x runs array of finite scores, with two topics or more"
        raise InputError(Problem(cause, "give one row per topic, and one column per run"))
    return scores
