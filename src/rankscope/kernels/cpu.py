"""Blocks of resamples, drawn and reduced on the processors; cuda.py has the same for a graphics card.

Values are whole numbers, in int64 or in float64, with so few bits that their sums are exact in any order. Trials are
numbered from first, and every draw is a function of (seed, trial, topic, position).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankscope import kernels
from rankscope.arrays import AnyInts, Bools, Floats, Ints
from rankscope.kernels import drawn as drawn
from rankscope.kernels import times as times
from rankscope.kernels.pure import centred_squares as centred_squares
from rankscope.kernels.shapes import PRODUCT, EightBytes
from rankscope.kernels.ties import settled

_TRIALS = 64  # samples of a matrix product
_ROW = 256  # trials from which on whole rows of them are copied
_PICKED = 1 << 16  # preferences that are picked at a time


def block(size: int, cells: int, results: int = 1) -> int:
    """Trials of a block: as many as asked for."""
    return max(1, size)


def permuted_ranges(values: Ints, seed: int, first: int, trials: int) -> Ints:
    """Largest less least column sum of each trial, the values of every row of (topics, systems) shuffled."""
    sums = kernels.permuted_sums(values, seed, first, trials)
    ranges: Ints = sums.max(axis=1) - sums.min(axis=1)
    return ranges


def permuted_pairs(values: Ints, seed: int, first: int, trials: int) -> Ints:
    """The largest absolute sum over topics of any pair of (topics, systems, systems), labels shuffled in each topic."""
    topics, count, _ = values.shape
    rows = values.reshape(topics, -1)
    a, b = np.triu_indices(count, 1)
    labels = np.broadcast_to(np.arange(count, dtype=np.int64), (topics, count))
    shuffled = kernels.shuffled(labels, seed, first, trials)
    sums = np.zeros((len(a), trials), np.int64)
    if trials < _ROW:  # few trials at a time of many topics: a step for each topic would cost more than its numbers
        step = max(1, _PICKED // len(a))
        for start in range(0, topics, step):
            some = rows[start : start + step]
            begins = (np.arange(len(some)) * count * count)[:, None]
            for trial, names in enumerate(shuffled[:, start : start + step]):
                sums[:, trial] += some.ravel().take((names * count + begins)[:, a] + names[:, b]).sum(axis=0)
    else:
        by_topic = np.ascontiguousarray(shuffled.transpose(1, 2, 0))  # trials last
        for t in range(topics):  # whole rows of trials are copied, which is faster than to pick
            at = (by_topic[t] * count)[a]
            at += by_topic[t][b]
            sums += rows[t].take(at)
    largest: Ints = np.abs(sums).max(axis=0)
    return largest


def flips(seed: int | None, first: int, trials: int, topics: int) -> Bools:
    """Signs that are flipped, (trials, topics): a coin for each; without a seed, the bits of the trial's number."""
    if seed is None:
        return (np.arange(first, first + trials)[:, None] >> np.arange(topics) & 1).astype(np.bool_)
    return kernels.flips(seed, first, trials, topics)


def normals(seed: int, first: int, trials: int, columns: int) -> Floats:
    """Standard normal numbers, (trials, columns), by the transformation of Box and Muller (1958)."""
    keys = kernels.draw_keys(seed, np.arange(first, first + trials)[:, None], np.arange(columns))
    radius = np.sqrt(-2 * np.log((kernels.draws(keys, 0) + 1.0) / 2.0**32))
    return np.asarray(radius * np.cos(2 * np.pi / 2.0**32 * kernels.draws(keys, 1)))


def flipped_sums(values: NDArray[EightBytes], seed: int | None, first: int, trials: int) -> NDArray[EightBytes]:
    """Sums of (topics, columns) over the topics whose sign is flipped, (trials, columns)."""
    return products(flips(seed, first, trials, len(values)).astype(values.dtype), values)


def drawn_sums(values: NDArray[EightBytes], seed: int, first: int, trials: int) -> NDArray[EightBytes]:
    """Sums of (topics, columns) over topics drawn with replacement, (trials, columns)."""
    if values.shape[1] <= 2:  # to pick and add is faster than to count
        at = drawn(seed, first, trials, len(values))
        return np.stack([column[at].sum(axis=1) for column in np.ascontiguousarray(values.T)], axis=1)
    return times(seed, first, trials, len(values)).astype(values.dtype, copy=False) @ values


def flipped_pairs(values: Floats, slack: float, seed: int | None, first: int, trials: int) -> Ints:
    """Number of flips that leave the sums of two systems of (topics, systems) as far apart as they are, or farther.

    Sums up to slack less far apart count; (systems, systems), filled above the diagonal.
    """
    topics, count = values.shape
    total = values.sum(axis=0)
    bar = np.abs(total[:, None] - total) - slack
    sums = np.ascontiguousarray(values.T) @ (1.0 - 2.0 * flips(seed, first, trials, topics).T)
    reached_count = np.zeros((count, count), np.int64)
    room, beyond = np.empty_like(sums), np.empty(sums.shape, np.bool_)
    for i in range(count - 1):
        apart = np.subtract(sums[i + 1 :], sums[i], out=room[i + 1 :])
        np.abs(apart, out=apart)
        extremes = np.greater_equal(apart, bar[i, i + 1 :, None], out=beyond[i + 1 :])
        reached_count[i, i + 1 :] = np.bitwise_count(np.packbits(extremes, axis=1)).sum(axis=1)
    return reached_count


def drawn_pairs(
    values: Floats, squares: Floats, bar: Floats, t: tuple[Floats, Floats] | None, seed: int, first: int, trials: int
) -> Ints:
    """Number of samples of topics that reach each pair's bar; values and their squares are (topics, pairs).

    The absolute mean is held against the bar. With t, a variance and a least size of each pair, that is done for
    squares: mean^2 * variance against bar * the sample's variance, and against the least.
    """
    n, pairs = values.shape
    often = times(seed, first, trials, n)
    counts = np.zeros(pairs, np.int64)
    width = max(1, PRODUCT // (_TRIALS * n))
    for start in range(0, pairs, width):
        tile = slice(start, start + width)
        sums = products(often, values[:, tile])
        beside = sums if t is None else products(often, squares[:, tile])
        limits = None if t is None else (t[0][tile], t[1][tile])
        counts[tile] = np.count_nonzero(reached(sums, beside, n, bar[tile], limits), axis=0)
    return counts


def reached(sums: Floats, squares: Floats, n: int, bar: Floats, t: tuple[Floats, Floats] | None) -> Bools:
    """Whether samples of n topics, by their sums of values and of squares, reach the bar: what `drawn_pairs` counts."""
    means = sums / n
    if t is None:
        return np.abs(means) >= bar
    variance, least = t
    size = means * means
    spread = (squares - n * size) / (n - 1)
    return size * variance >= np.maximum(bar * spread, least)


def drawn_steps(
    values: Floats, a: AnyInts, b: AnyInts, bar: Floats, extra: float, seed: int, first: int, trials: int
) -> AnyInts:
    """Number of samples of topics that reach the bar of each pair by the pair itself or by one before it.

    values are (topics, systems), `a` and `b` number the systems of each pair. A sample of n topics gives a pair
    size / (spread + extra): size is the square of the sum D* of its n differences, each less the pair's mean difference
    in the data, and spread n times the sum of their squares, less size. With extra = n (n - 1) s^2 this is
    mean^2 / (variance + s^2) of the sample, up to a factor of n - 1 that is the same for all.
    """
    return kernels.stepped(times(seed, first, trials, len(values)), values, a, b, bar, extra)


def halved_concordance(values: Floats, tolerance: float, seed: int, first: int, trials: int) -> Ints:
    """Pairs of systems by their means on two random halves of the topics, (4, trials).

    Those that both order alike, that they order differently, that tie on the first half, that tie on the second; ties
    are chains within the tolerance (`ties.settled`). values are upper and lower bits of the scores, as `half_means`
    takes them.
    """
    means = half_means(values, halves(seed, first, trials, len(values)))
    return np.stack(kernels.concordance(*(settled(each, tolerance) for each in means)))


def halves(seed: int, first: int, trials: int, topics: int) -> Floats:
    """Ones for the topics of the first half, (trials, topics): the floor(topics / 2) with the smallest keys."""
    keys = kernels.draw_keys(seed, np.arange(first, first + trials)[:, None], np.arange(topics))
    half = topics // 2
    border = np.partition(keys, half - 1, axis=1)[:, half - 1 : half]
    return (keys <= border).astype(np.float64)  # keys of one trial are all different


def half_means(values: Floats, half: Floats) -> tuple[Floats, Floats]:
    """Means of the systems over the topics of a half and over the others, (trials, systems) each.

    values are (topics, 2 systems), upper and lower bits of each score, whose sums are exact.
    """
    topics = len(values)
    first = products(half, values)
    second = values.sum(axis=0) - first
    return together(first) / (topics // 2), together(second) / (topics - topics // 2)


def together(parts: Floats) -> Floats:
    """Upper and lower bits of each column put together again, rounded once."""
    upper, lower = np.split(parts, 2, axis=-1)
    return np.asarray(upper + lower)


def products(left: NDArray[EightBytes], right: NDArray[EightBytes]) -> NDArray[EightBytes]:
    """left @ right, in pieces so small that the library's own threads, which get in the way of ours, sleep on."""
    rows, terms = left.shape[-2:]
    piece = PRODUCT // max(1, terms * right.shape[-1])
    if piece < 1:
        return left @ right
    full, shape = rows // piece * piece, left.shape[:-2]
    most = left[..., :full, :].reshape(*shape, -1, piece, terms) @ right[..., None, :, :]
    return np.concatenate(
        [most.reshape(*shape, full, right.shape[-1]), left[..., full:, :] @ right],
        axis=-2,
    )
