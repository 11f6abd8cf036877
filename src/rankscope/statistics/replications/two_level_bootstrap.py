"""Bootstrap in two levels: collections are drawn, and from each of them its topics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rankscope import arguments, kernels
from rankscope.arrays import Floats
from rankscope.errors import InputError, Problem, are
from rankscope.kernels.cpu import normals, times
from rankscope.parallel import Client
from rankscope.results import Result
from rankscope.statistics.draws.resampling import Resampling, over_blocks, resampling_of

NORMAL_FROM = 1000  # topics of a collection from which the mean of a sample is drawn from its normal limit
_DRAWS = 1 << 20  # topics drawn in a block


@dataclass(frozen=True, slots=True, kw_only=True)
class TwoLevelBootstrap(Result):
    """Percentile interval of the plain mean over collections of their mean differences."""

    method: str
    difference: float
    lower: float
    upper: float
    level: float
    n_collections: int
    resampling: Resampling


def two_level_bootstrap(
    differences: Sequence[ArrayLike],
    *,
    level: float = 0.95,
    resampling: Resampling | None = None,
    workers: int | None = None,
    client: Client = None,
) -> TwoLevelBootstrap:
    """Interval of the mean effect: collections drawn with replacement, then the topics of each that was drawn.

    differences  b - a on the topics of each collection

    The statistic is the plain mean over collections. With few collections the interval is too short, as every
    bootstrap of few units is: three collections drawn with replacement are one collection three times in a ninth of
    all samples. Collections of `NORMAL_FROM` topics or more have the means of their samples drawn from their normal
    limit.
    """
    arguments.level(level)
    parts = [np.asarray(part, np.float64) for part in differences]
    _check(parts)
    drawn = resampling_of(resampling)
    count = len(parts)
    means = np.array([part.mean() for part in parts])
    size = max(1, _DRAWS // max(min(len(part), NORMAL_FROM) for part in parts) // count)

    def block(trials: tuple[int, int]) -> Floats:
        first, number = trials
        often = times(drawn.seed, first, number, count)
        sums = np.zeros(number)
        for c, part in enumerate(parts):
            for copy in range(1, int(often[:, c].max()) + 1):
                rows = np.flatnonzero(often[:, c] >= copy)
                sums[rows] += _sample_means(part, _stream(drawn.seed, c, copy), first + rows)
        return sums / count

    samples = np.concatenate(list(over_blocks(block, drawn, size, workers, client)))
    lower, upper = np.quantile(samples, [(1 - level) / 2, (1 + level) / 2]).tolist()
    return TwoLevelBootstrap(
        method="two-level bootstrap, percentile interval", difference=float(means.mean()), lower=lower, upper=upper,
        level=level, n_collections=count, resampling=drawn,
    )  # fmt: skip


def _stream(seed: int, collection: int, copy: int) -> int:
    """The seed of the draws of topics for one copy of a collection."""
    return int(kernels.draw_keys(seed, np.array([collection + 1]), np.array([copy]))[0])


def _sample_means(part: Floats, seed: int, trials: np.ndarray[tuple[int, ...], np.dtype[np.int64]]) -> Floats:
    """Means of topics drawn with replacement, one for each of these trials."""
    n = len(part)
    if n >= NORMAL_FROM:
        first = int(trials[0])
        spread = float(part.std()) / np.sqrt(n)
        return part.mean() + spread * normals(seed, first, int(trials[-1]) - first + 1, 1)[trials - first, 0]
    keys = kernels.draw_keys(seed, trials[:, None], np.arange(n))
    at = (kernels.draws(keys, 0).astype(np.uint64) * np.uint64(n)) >> np.uint64(32)
    return np.asarray(part[at.astype(np.int64)].mean(axis=1))


def _check(parts: Sequence[Floats]) -> None:
    if len(parts) < 2:
        raise InputError(f"{are(len(parts), 'collection')} too few to draw from", "give at least two")
    problems = []
    for c, part in enumerate(parts):
        if part.ndim != 1 or len(part) < 2 or not np.isfinite(part).all():
            cause = f"collection {c + 1} has no list of two or more finite differences"
            problems.append(Problem(cause, "give one difference per topic"))
    if problems:
        raise InputError(problems)
