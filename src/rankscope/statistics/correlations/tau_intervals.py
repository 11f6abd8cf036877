"""Intervals of rank correlations: of Kendall's tau by the bootstrap; of tau_AP and of means after Fisher's z.

On the scale of z = atanh(r) correlations have no end, and a standard error s is s / (1 - r^2) there; ends of intervals
come back by tanh, so none is beyond 1 or -1 (Fisher 1921). Coverage is in tests/statistics/test_calibration.py.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from statistics import NormalDist
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from rankscope import arguments
from rankscope.arrays import Floats
from rankscope.errors import InputError
from rankscope.kernels import cpu
from rankscope.parallel import Client
from rankscope.results import Result
from rankscope.statistics.correlations.kendall import ROWS, tau, taus_of_rows, vectors
from rankscope.statistics.correlations.tau_ap import tau_aps, tau_aps_without
from rankscope.statistics.draws.exact_sums import canonical_topics, summable
from rankscope.statistics.draws.resampling import Resampling, over_blocks, resampling_of
from rankscope.statistics.equality import PRECISION
from rankscope.statistics.score_arrays import score_matrix
from rankscope.statistics.special import stdtrit


@dataclass(frozen=True, slots=True, kw_only=True)
class TauInterval(Result):
    """A bootstrap interval for tau-b: over topics or over systems, as `over` says."""

    over: Literal["topics", "systems"]
    variant: Literal["basic", "percentile"]
    tau: float  # tau-b
    lower: float
    upper: float
    level: float
    undefined: int  # resamples in which everything tied; left out
    resampling: Resampling
    taus: Floats = field(repr=False)

    def columns(self) -> dict[str, list[Any]]:
        """One row."""
        return {**Result.columns(self), "resamples": [self.resampling.resamples], "seed": [self.resampling.seed]}


def tau_over_topics(
    x: ArrayLike,
    y: ArrayLike,
    *,
    resampling: Resampling,
    variant: Literal["basic", "percentile"] = "basic",
    level: float = 0.95,
    workers: int | None = None,
    client: Client = None,
) -> TauInterval:
    """Bootstrap interval of tau-b between the mean scores of two matrices, topics x systems, over their topics.

    Both have the same topics, which are drawn together. Noise in mean scores lowers tau, and resampling adds as much
    noise again: "percentile" takes quantiles of the resampled taus, which are too low where few topics make means
    noisy, "basic" reflects them at the observed tau. Neither is exact for the tau between true means, see
    docs/validity.md: with 20 topics read both as a measure of spread only.
    """
    x_values, y_values = score_matrix(x), score_matrix(y)
    resampling = resampling_of(resampling)
    arguments.one_of("variant", variant, ("basic", "percentile"))
    arguments.level(level)
    if x_values.shape != y_values.shape:
        raise InputError(f"matrices of {x_values.shape} and {y_values.shape}", "give the same topics and systems twice")
    x_values, y_values = map(summable, canonical_topics(x_values, y_values))
    topics = len(x_values)
    observed = tau(cpu.together(x_values.sum(axis=0)) / topics, cpu.together(y_values.sum(axis=0)) / topics).b

    def block(part: tuple[int, int]) -> Floats:
        times = cpu.times(resampling.seed, *part, topics)
        means = (cpu.together(cpu.products(times, values)) / topics for values in (x_values, y_values))
        return taus_of_rows(*means)

    resampled = np.concatenate(list(over_blocks(block, resampling, ROWS, workers, client)))
    return _interval(observed, resampled, resampling, level, "topics", variant)


def tau_over_systems(
    x: ArrayLike,
    y: ArrayLike,
    *,
    resampling: Resampling,
    level: float = 0.95,
    workers: int | None = None,
    client: Client = None,
) -> TauInterval:
    """Bootstrap percentile interval of tau-b of two vectors, over systems.

    A system drawn twice ties with itself in both vectors; tau-b leaves such pairs out.
    """
    x_values, y_values = vectors(x, y, PRECISION)
    resampling = resampling_of(resampling)
    arguments.level(level)
    order = np.lexsort((y_values, x_values))
    x_values, y_values = x_values[order], y_values[order]

    def block(part: tuple[int, int]) -> Floats:
        drawn = cpu.drawn(resampling.seed, *part, len(x_values))
        return taus_of_rows(x_values[drawn], y_values[drawn], tolerance=0)

    resampled = np.concatenate(list(over_blocks(block, resampling, ROWS, workers, client)))
    return _interval(tau(x_values, y_values, tolerance=0).b, resampled, resampling, level, "systems", "percentile")


def tau_ap_intervals(x: ArrayLike, y: ArrayLike, *, level: float = 0.95) -> tuple[Floats, Floats]:
    """Lower and upper ends for tauAP_b of each row of x with the same row of y, over systems.

    The standard error is the jackknife's (Tukey 1958): how far tau_AP moves without each system. A little wide below
    100 systems; no width at 1, NaN where a row ties all systems, or would without one of them.
    """
    arguments.level(level)
    correlation, without = tau_aps(x, y), tau_aps_without(x, y)
    n = without.shape[1]
    apart = without - without.mean(axis=1, keepdims=True)
    error = np.sqrt((n - 1) / n * np.square(apart).sum(axis=1))
    return after_fisher(correlation, NormalDist().inv_cdf((1 + level) / 2) * error)


def mean_intervals(rows: Floats, *, level: float = 0.95) -> tuple[Floats, Floats]:
    """Lower and upper ends for the mean of each row of correlations, by Student's t; NaN is left out.

    Covers more often than Student's interval without Fisher's z, above all near 1; there it covers less often than the
    level says where topics are few. No width where all are 1, NaN below two values.
    """
    arguments.level(level)
    here = ~np.isnan(rows)
    count = np.count_nonzero(here, axis=1)
    n = np.where(count > 1, count, 2)
    mean = np.where(here, rows, 0.0).sum(axis=1) / n
    apart = np.where(here, rows - mean[:, None], 0.0)
    quantile = np.array([stdtrit(df, (1 + level) / 2) for df in (n - 1).tolist()])
    reach = quantile * np.sqrt(np.square(apart).sum(axis=1) / (n - 1) / n)
    lower, upper = after_fisher(mean, reach)
    return np.where(count > 1, lower, np.nan), np.where(count > 1, upper, np.nan)


def basic_intervals(observed: Floats, resampled: Floats, *, level: float = 0.95) -> tuple[Floats, Floats]:
    """Lower and upper ends for each correlation by the basic bootstrap: one row of resampled each, NaN left out."""
    low, high = np.nanquantile(resampled, [(1 - level) / 2, (1 + level) / 2], axis=1)
    return np.maximum(-1.0, 2 * observed - high), np.minimum(1.0, 2 * observed - low)


def after_fisher(correlation: Floats, reach: Floats) -> tuple[Floats, Floats]:
    """tanh(atanh(r) -+ reach / (1 - r^2)); r itself at 1 and -1."""
    inside = np.abs(correlation) < 1
    r = np.where(inside, correlation, 0.0)
    z, half = np.arctanh(r), reach / (1 - r**2)
    lower, upper = (np.where(inside, np.tanh(end), correlation) for end in (z - half, z + half))
    return lower, upper


def _interval(
    observed: float,
    resampled: Floats,
    resampling: Resampling,
    level: float,
    over: Literal["topics", "systems"],
    variant: Literal["basic", "percentile"],
) -> TauInterval:
    defined = resampled[~np.isnan(resampled)]
    if not len(defined):
        raise InputError("no resample orders the systems", "give more of what is resampled")
    lower, upper = np.quantile(defined, [(1 - level) / 2, (1 + level) / 2])
    if variant == "basic":
        (lower,), (upper,) = basic_intervals(np.array([observed]), defined[None], level=level)
    undefined = len(resampled) - len(defined)
    return TauInterval(
        tau=observed,
        lower=float(lower),
        upper=float(upper),
        level=level,
        over=over,
        variant=variant,
        undefined=undefined,
        resampling=resampling,
        taus=resampled,
    )
