"""Posterior distribution of a difference, given the scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from rankscope import arguments, kernels
from rankscope.arrays import Floats
from rankscope.parallel import Client, on
from rankscope.results import Result
from rankscope.statistics.draws import sign_flips
from rankscope.statistics.draws.resampling import Resampling, drawn, over_blocks, resampling_of
from rankscope.statistics.pairs.differences import Differences
from rankscope.statistics.pairs.intervals import student_reach
from rankscope.statistics.special import stdtr


@dataclass(frozen=True, slots=True, kw_only=True)
class Posterior(Result):
    """Posterior probabilities of the mean of b - a, and the central interval that holds `level` of them."""

    method: str
    difference: float
    lower: float
    upper: float
    level: float
    margin: float
    above_zero: float
    above_margin: float
    within_margin: float
    below_margin: float  # below -margin
    n_topics: int
    resampling: Resampling | None  # None where nothing was drawn


def posterior(
    a: ArrayLike,
    b: ArrayLike,
    *,
    margin: float = 0.0,
    variant: Literal["student", "bootstrap"] = "student",
    level: float = 0.95,
    resampling: Resampling | None = None,
    workers: int | None = None,
    client: Client = None,
    topics: Sequence[str] | None = None,
) -> Posterior:
    """Probability that b is better than a, better by more than the margin, and within it.

    "student": normal differences with the reference prior 1/variance, whose posterior of the mean is Student's t
    around the mean observed (Jeffreys 1961; Carterette 2015 for retrieval). "bootstrap": topics weighted at random,
    uniformly over all weightings (Rubin 1981), which assumes no shape; it cannot leave the range of the data.
    """
    arguments.one_of("variant", variant, ("student", "bootstrap"))
    arguments.number("margin", margin, 0)
    arguments.level(level)
    d = Differences.of(a, b, topics=topics).varied()
    if variant == "student":
        scale = d.sd / sqrt(d.n_topics)

        def above(edge: float) -> float:
            return float(stdtr(d.n_topics - 1, (d.mean - edge) / scale))

        def below(edge: float) -> float:
            return float(stdtr(d.n_topics - 1, (edge - d.mean) / scale))

        reach = student_reach(d, level)
        lower, upper = d.mean - reach, d.mean + reach
        method = "Student's t, reference prior"
        used = None
    else:
        used = resampling_of(resampling)
        with on(client):
            means = d.sign * np.sort(_weighted_means(d, used, workers))

        def above(edge: float) -> float:
            return float(np.mean(means > edge))

        def below(edge: float) -> float:
            return float(np.mean(means < edge))

        lower, upper = np.quantile(means, [(1 - level) / 2, (1 + level) / 2]).tolist()
        method = f"Bayesian bootstrap, {drawn(used, 'weightings')}"
    return Posterior(
        difference=d.mean,
        lower=lower,
        upper=upper,
        level=level,
        margin=float(margin),
        above_zero=above(0.0),
        above_margin=above(margin),
        within_margin=max(0.0, 1 - above(margin) - below(-margin)) if margin else 0.0,
        below_margin=below(-margin),
        n_topics=d.n_topics,
        method=method,
        resampling=used,
    )


def _weighted_means(d: Differences, resampling: Resampling, workers: int | None) -> Floats:
    """Means under weights drawn uniformly from all that sum to 1: exponential variates, divided by their sum."""

    def work(trials: tuple[int, int]) -> Floats:
        first, number = trials
        keys = kernels.draw_keys(resampling.seed, np.arange(first, first + number)[:, None], np.arange(d.n_topics))
        weight = -np.log((kernels.draws(keys, 0) + 0.5) / 2.0**32)
        return np.einsum("ij,j->i", weight, d.values) / weight.sum(axis=1)

    return np.concatenate(list(over_blocks(work, resampling, sign_flips.block(d.n_topics), workers)))
