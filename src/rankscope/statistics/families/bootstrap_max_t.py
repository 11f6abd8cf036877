"""Step-down MaxT by bootstrap over topics: all pairs of systems, however alike or unlike these are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum

import numpy as np
from numpy.typing import ArrayLike

from rankscope.arrays import Floats, Ints
from rankscope.kernels.cpu import centred_squares
from rankscope.parallel import Client
from rankscope.statistics.draws.canonical_order import canonical_order
from rankscope.statistics.draws.exact_sums import FixedPoint
from rankscope.statistics.draws.resampling import Resampling, over_blocks, resampling_of
from rankscope.statistics.equality import STATISTIC
from rankscope.statistics.families.comparisons import Comparisons, named, pairs_of
from rankscope.statistics.score_arrays import score_matrix

MODERATION = 0.1  # of the mean variance of all pairs, added to the variance of each
_TRIALS = 512  # samples of a block
_ROOM = 1 << 22  # elements of an intermediate array


def bootstrap_max_t(
    matrix: ArrayLike,
    *,
    resampling: Resampling | None = None,
    systems: Sequence[str] | None = None,
    workers: int | None = None,
    client: Client = None,
) -> Comparisons:
    """Step-down MaxT by bootstrap over topics (Romano and Wolf 2005), with moderated t statistics.

    matrix is topics x systems. Topics are drawn with replacement, the same for all systems, so the correlations between
    systems stay what they are; differences are shifted to mean 0. The statistic of a pair is its mean difference over
    sqrt((v + v0) / topics): v is the variance of the pair's differences, in each sample anew, and v0 a tenth of the
    mean variance of all pairs, a constant (Tusher, Tibshirani and Chu 2001 call its root the exchangeability factor). A
    pair's p value is the share of samples in which the largest statistic of this pair and of those with a smaller one
    reaches what the pair has in the data, and no p value is below that of a larger statistic. None is below
    2^(1 - topics), the smallest of any test by the signs of differences. A pair that scores the same on every topic has
    p = 1.
    """
    scores = score_matrix(matrix, systems=systems)
    topics, count = scores.shape
    resampling = resampling_of(resampling)
    names = named(systems, count)
    units = FixedPoint.of(scores, 4 * topics).units
    units = np.ascontiguousarray(units[canonical_order(units, names)[0]])
    first, second = pairs_of(count)
    observed = _Observed.of(units, first, second)
    order = np.argsort(observed.share, kind="stable")
    ordered_first, ordered_second, share, bar = first[order], second[order], observed.share[order], observed.bar[order]
    steps, seed, extra = resampling.kernels.drawn_steps, resampling.seed, observed.extra

    reached = np.where(bar > 0, 0, resampling.resamples)
    if extra > 0:

        def block(part: tuple[int, int]) -> Ints:
            return steps(units, ordered_first, ordered_second, bar, extra, seed, *part)

        size = resampling.kernels.block(_TRIALS, topics * len(first), topics + count)
        reached = np.sum(list(over_blocks(block, resampling, size, workers, client)), axis=0)
        # statistics equal on paper share the larger count, in whatever order they were sorted
        new = np.concatenate([[True], share[:-1] < bar[1:]])
        reached = np.maximum.reduceat(reached, np.flatnonzero(new))[np.cumsum(new) - 1]
    pvalue = np.empty(len(order))
    pvalue[order] = np.maximum.accumulate(resampling.pvalue(reached)[::-1])[::-1]
    difference = scores.mean(axis=0)
    difference = difference[second] - difference[first]
    return Comparisons(
        systems=names,
        method="step-down bootstrap MaxT",
        n_topics=topics,
        location=scores.mean(axis=0),
        first=first,
        second=second,
        difference=difference,
        pvalue=np.maximum(pvalue, 0.5 ** (topics - 1)),
        statistic=np.copysign(np.sqrt((topics - 1) * observed.share), difference),
        resampling=resampling,
    )


@dataclass(frozen=True, slots=True)
class _Observed:
    """The data as `kernels.drawn_steps` takes a sample: share = t^2 / (topics - 1) of each pair, moderated."""

    share: Floats
    bar: Floats  # what a sample must reach to count as being as large
    extra: float

    @classmethod
    def of(cls, units: Floats, first: Ints, second: Ints) -> _Observed:
        topics = len(units)
        total = units.sum(axis=0)
        width = max(1, _ROOM // topics)
        parts = [slice(start, start + width) for start in range(0, len(first), width)]
        spread = np.concatenate([centred_squares(units, first[p], second[p]).sum(axis=0) for p in parts]) * topics
        # fsum does not depend on the order of pairs
        extra = MODERATION * fsum(spread) / len(spread)
        slack = 4.0 * topics  # sums equal on paper are no further apart
        apart = np.abs(total[first] - total[second])
        apart[apart <= slack] = 0.0
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.where(apart > 0, np.square(apart) / (spread + extra), 0.0)
            bar = np.where(apart > 0, share * (1 - STATISTIC) - 4 * slack * np.sqrt(share / extra), 0.0)
        return cls(share, bar if extra > 0 else share, extra)
