"""Step-down MaxT by bootstrap over topics: all pairs of systems, however alike or unlike these are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from rankscope.arrays import AnyInts, Floats, Ints
from rankscope.kernels.cpu import centred_squares, normals
from rankscope.parallel import Client, check_workers
from rankscope.statistics.draws.canonical_order import canonical_order
from rankscope.statistics.draws.exact_sums import FixedPoint
from rankscope.statistics.draws.resampling import Resampling, over_blocks, resampling_of
from rankscope.statistics.equality import STATISTIC, error
from rankscope.statistics.families.comparisons import Comparisons, named, pairs_of
from rankscope.statistics.score_arrays import score_matrix

MODERATION = 0.1  # of the mean variance of all pairs, added to the variance of each
LIMIT = 20_000  # topics that every pair rests on, from which sums of samples are drawn from their normal limit
_TRIALS = 2560  # samples of a block at the most
_DRAWS = 1 << 20  # topics drawn in a block
_ROOM = 1 << 18  # elements of an intermediate array

Block: TypeAlias = Callable[[tuple[int, int]], AnyInts]


def bootstrap_max_t(
    matrix: ArrayLike,
    *,
    resampling: Resampling | None = None,
    systems: Sequence[str] | None = None,
    workers: int | None = None,
    client: Client = None,
    progress: Callable[[float], Any] | None = None,
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

    From `LIMIT` topics on, the sums of a sample are not added up topic by topic, but drawn from the normal distribution
    with their means and covariances, to which they tend; the method says so. That is the rule where every pair rests on
    so many topics: (sum d^2)^2 / sum d^4 over its differences d, with the moderation added to sum d^2, is the number of
    topics for differences of one size, and smaller where a few topics have most of the difference.

    progress hears which share of the samples is drawn, as in `progress=Bar()`
    """
    scores = score_matrix(matrix, systems=systems)
    topics, count = scores.shape
    resampling = resampling_of(resampling)
    names = named(systems, count)
    fixed = FixedPoint.of(scores, 4 * topics, errors=2 * error(scores).sum(axis=0).max())
    units = fixed.units
    observed = _Observed.of(units, fixed.slack / 2)
    by_limit = observed.rests_on >= LIMIT
    reached = _reached(observed, units, names, resampling, workers, client, progress)
    pvalue, size_of_t = np.empty(len(reached)), np.empty(len(reached))
    pvalue[observed.order] = np.maximum.accumulate(resampling.pvalue(reached)[::-1])[::-1]
    size_of_t[observed.order] = np.sqrt((topics - 1) * observed.share)
    del observed, reached  # of many pairs, each array counts
    first, second = pairs_of(count)
    difference = scores.mean(axis=0)
    difference = difference[second] - difference[first]
    return Comparisons(
        systems=names,
        method="step-down bootstrap MaxT" + (", normal limit" if by_limit else ""),
        n_topics=topics,
        location=scores.mean(axis=0),
        first=first,
        second=second,
        difference=difference,
        pvalue=np.maximum(pvalue, 0.5 ** (topics - 1)),
        statistic=np.copysign(size_of_t, difference),
        resampling=resampling,
    )


@dataclass(frozen=True, slots=True)
class _Observed:
    """The data as `kernels.drawn_steps` takes a sample: share = t^2 / (topics - 1) of each pair, moderated, ascending.

    order     number of each pair in the order of `pairs_of`; four bytes, for pairs may be many
    bar       what a sample must reach to count as being as large
    scale     what sizes are divided by: topics times the sum of squares about the mean, and extra; nothing below LIMIT
    rests_on  topics that the pair with the fewest rests on, as `bootstrap_max_t` counts; 0 below LIMIT
    """

    order: AnyInts
    first: AnyInts
    second: AnyInts
    share: Floats
    bar: Floats
    extra: float
    scale: Floats
    rests_on: float

    @classmethod
    def of(cls, units: Floats, slack: float) -> _Observed:
        topics, count = units.shape
        total = units.sum(axis=0)
        first, second = (numbers.astype(np.int32) for numbers in pairs_of(count))
        width = max(1, _ROOM // topics)
        scale, fourth = np.empty(len(first)), np.zeros(len(first) if topics >= LIMIT else 0)
        for start in range(0, len(first), width):
            part = slice(start, start + width)
            squares = centred_squares(units, first[part], second[part])
            scale[part] = squares.sum(axis=0) * topics
            if topics >= LIMIT:
                fourth[part] = np.square(squares, out=squares).sum(axis=0)
        # fsum does not depend on the order of pairs
        extra = MODERATION * fsum(scale) / len(scale)
        scale += extra
        fewest = float(topics if topics >= LIMIT else 0)
        if topics >= LIMIT and (some := fourth > 0).any():
            fewest = (np.square(scale[some] / topics) / fourth[some]).min(initial=fewest)
        apart = total[first]
        apart -= total[second]
        np.abs(apart, out=apart)
        apart[apart <= slack] = 0.0
        share = np.square(apart, out=apart)
        with np.errstate(divide="ignore", invalid="ignore"):
            np.divide(share, scale, out=share, where=share > 0)
        order = np.argsort(share, kind="stable").astype(np.int32)
        share, scale = share[order], scale[order] if fewest >= LIMIT else np.empty(0)
        bar = share.copy()
        if extra > 0:
            bar *= 1 - STATISTIC
            root = share / extra
            np.sqrt(root, out=root)
            root *= 4 * slack
            bar -= root
            del root
            np.maximum.accumulate(bar, out=bar)  # as its shares ascend, whatever the last digits are
        return cls(order, first[order], second[order], share, bar, extra, scale, fewest)


def _reached(
    observed: _Observed,
    units: Floats,
    names: tuple[str, ...],
    resampling: Resampling,
    workers: int | None,
    client: Client,
    progress: Callable[[float], Any] | None,
) -> Ints:
    """Number of samples in which the largest statistic of each pair and those before it is as large as the pair's."""
    topics, count = units.shape
    pairs = len(observed.order)
    if not observed.extra > 0:
        return np.where(observed.bar > 0, 0, resampling.resamples)
    if observed.rests_on >= LIMIT:
        block, size = _from_limit(observed, units, names, resampling), _ROOM // pairs
    else:
        block = _from_samples(observed, units, names, resampling)
        size = min(_TRIALS, _DRAWS // topics, -(-resampling.resamples // check_workers(workers)))
        size = resampling.kernels.block(size, topics * pairs, topics + count)
    reached = np.zeros(pairs, np.int64)
    for counts in over_blocks(block, resampling, size, workers, client, progress):
        reached += counts
    # statistics equal on paper share the larger count, in whatever order they were sorted
    new = np.flatnonzero(np.concatenate([[True], observed.share[:-1] < observed.bar[1:]]))
    if new.size < pairs:
        reached = np.repeat(np.maximum.reduceat(reached, new), np.diff(new, append=pairs))
    return reached


def _from_samples(observed: _Observed, units: Floats, names: tuple[str, ...], resampling: Resampling) -> Block:
    """Counts of samples of topics; they do not depend on the order of topics and systems."""
    rows = np.ascontiguousarray(units[canonical_order(units, names)[0]])
    steps, seed = resampling.kernels.drawn_steps, resampling.seed
    first, second, bar, extra = observed.first, observed.second, observed.bar, observed.extra
    return lambda part: steps(rows, first, second, bar, extra, seed, *part)


def _from_limit(observed: _Observed, units: Floats, names: tuple[str, ...], resampling: Resampling) -> Block:
    """Counts of samples whose sums are drawn from their normal limit."""
    total = units.sum(axis=0)
    systems = np.array(sorted(range(len(names)), key=lambda s: (total[s], names[s])))  # however they were given
    centred = units[:, systems] - total[systems] / len(units)
    share, direction = np.linalg.eigh(centred.T @ centred)
    root = np.sqrt(np.maximum(share, 0.0))[:, None] * direction.T
    place = np.argsort(systems)
    a, b, bar, scale = place[observed.first], place[observed.second], observed.bar, observed.scale

    def block(part: tuple[int, int]) -> Ints:
        sums = normals(resampling.seed, *part, len(root)) @ root
        shares = np.square(sums[:, a] - sums[:, b])
        shares /= scale
        np.maximum.accumulate(shares, axis=1, out=shares)
        count: Ints = np.count_nonzero(shares >= bar, axis=0)
        return count

    return block
