"""Many systems on topics that come in clusters, or that have weights."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rankscope.arrays import Floats
from rankscope.parallel import Client
from rankscope.statistics.draws.resampling import Resampling
from rankscope.statistics.families.randomised_hsd import RandomisedHSD, randomised_hsd
from rankscope.statistics.pairs.clusters import checked_weights, cluster_codes
from rankscope.statistics.score_arrays import score_matrix


def clustered_hsd(
    matrix: ArrayLike,
    clusters: ArrayLike | None = None,
    *,
    weights: ArrayLike | None = None,
    resampling: Resampling | None = None,
    systems: Sequence[str] | None = None,
    workers: int | None = None,
    client: Client = None,
    progress: Callable[[float], Any] | None = None,
) -> RandomisedHSD:
    """Randomised Tukey HSD by cluster: systems change places on all topics of a cluster at once (Carterette 2012).

    matrix    topics x systems
    clusters  the cluster of each topic; every topic is its own where there are none
    weights   one number from 0 per topic; all the same where there are none
    """
    scores = score_matrix(matrix, systems=systems)
    sums, total = _cluster_sums(scores, clusters, weights)
    hsd = randomised_hsd(
        sums, resampling=resampling, systems=systems, workers=workers, client=client, progress=progress
    )
    scale = len(sums) / total
    return replace(
        hsd, method=f"{hsd.method}, by cluster" if clusters is not None else hsd.method, n_topics=len(scores),
        location=hsd.location * scale, difference=hsd.difference * scale, statistic=hsd.statistic * scale,
        largest=hsd.largest * scale,
    )  # fmt: skip


def cluster_matrix(matrix: Floats, clusters: ArrayLike | None = None, weights: ArrayLike | None = None) -> Floats:
    """One row per cluster, one column per system: pseudo-values, whose means are the weighted means over topics.

    A pseudo-value is the mean and the first-order influence of the cluster on it. Means of clusters of equal size are
    their own pseudo-values.
    """
    sums, total = _cluster_sums(matrix, clusters, weights)
    weight = _cluster_sums(np.ones((len(matrix), 1)), clusters, weights)[0]
    mean = sums.sum(axis=0) / total
    return np.asarray(mean + (sums - weight * mean) * (len(sums) / total))


def _cluster_sums(matrix: Floats, clusters: ArrayLike | None, weights: ArrayLike | None) -> tuple[Floats, float]:
    """Weighted sums of each column by cluster, and the sum of the weights."""
    n = len(matrix)
    weight = np.ones(n) if weights is None else checked_weights(weights, n)
    weighted = matrix * weight[:, None]
    if clusters is None:
        return weighted[weight > 0], float(weight.sum())
    code, count = cluster_codes(clusters, n)
    sums = np.stack([np.bincount(code, column, count) for column in weighted.T], axis=1).astype(np.float64)
    return sums[np.bincount(code, weight, count) > 0], float(weight.sum())
