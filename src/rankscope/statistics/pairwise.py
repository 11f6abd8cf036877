"""Paired tests of many pairs of systems at once, from their differences: pairs x topics in, one p value a pair out.

Two-sided and uncorrected. Differences may come from scores or from preferences that have none. A pair without any
difference has p = 1; one whose difference is the same on every topic has no variance to hold it against, and NaN.
"""

from __future__ import annotations

from math import ceil, log2
from typing import Any, Literal

import numpy as np

from rankscope.arrays import Bools, Floats, Ints
from rankscope.errors import InputError
from rankscope.parallel import available_workers, map_units
from rankscope.statistics.differences import ROUNDING
from rankscope.statistics.paired import even_odds, resampled
from rankscope.statistics.resampling import Resampling

_TRIALS = 64  # samples of a matrix product
_PRODUCT = 1 << 18  # multiplications of one


def t_of_pairs(differences: Any, *, size: float | None = None) -> Floats:
    """Student's paired t (Student 1908) of each pair.

    size  the largest score behind the differences, to tell what is 0 but for rounding; by default that of these
    """
    from scipy.special import stdtr

    d, tolerance = _checked(differences, size)
    n = d.shape[1]
    mean = d.mean(axis=1)
    sd = d.std(axis=1, ddof=1)
    flat = np.ptp(d, axis=1) <= tolerance
    t = np.abs(mean) / (np.where(flat, 1.0, sd) / np.sqrt(n))
    p = np.maximum(2 * stdtr(n - 1, -t), np.finfo(np.float64).tiny)
    return _settled(p, flat, mean, tolerance)


def sign_of_pairs(differences: Any, *, size: float | None = None) -> Floats:
    """The sign test of each pair: exact binomial, topics without a difference dropped."""
    d, tolerance = _checked(differences, size)
    counts = np.stack([np.count_nonzero(side, axis=1) for side in (d > tolerance, d < -tolerance)], axis=1)
    distinct, where = np.unique(counts, axis=0, return_inverse=True)
    p = np.array([even_odds(above, below) for above, below in distinct.tolist()])
    return p[np.ravel(where)]


def bootstrap_of_pairs(
    differences: Any,
    *,
    chance: Resampling,
    kind: Literal["studentised", "shift"] = "studentised",
    size: float | None = None,
    workers: int | None = None,
) -> Floats:
    """The paired bootstrap test of each pair, as `bootstrap_test`; all pairs share the topics drawn.

    Draws go with the topics as they stand, so differences on the same topics share their samples too.
    """
    if kind not in ("studentised", "shift"):
        raise InputError(f"kind={kind!r}", "kind is studentised or shift")
    d, tolerance = _checked(differences, size)
    pairs, n = d.shape
    mean = d.mean(axis=1)
    flat = np.ptp(d, axis=1) <= tolerance
    centred = d - mean[:, None]
    variance = np.var(centred, axis=1, ddof=1)
    bar = np.maximum(np.abs(mean) - tolerance, 0.0)
    # sums of so few bits are exact, whoever adds them up and in whatever order
    values, squares = _exact(centred.T, n), _exact(np.square(centred).T, n)
    threads = available_workers() if workers is None else workers
    width = max(1, _PRODUCT // (_TRIALS * n))
    tiles = [slice(start, start + width) for start in range(0, pairs, width)]
    found = np.zeros(pairs, np.int64)
    for first, trials in chance.blocks(16 * _TRIALS):
        drawn = resampled(chance.seed, first, trials, n) + n * np.arange(trials)[:, None]
        times = np.bincount(drawn.ravel(), minlength=n * trials).reshape(-1, n).astype(np.float64)

        def extreme(tile: slice, times: Floats = times) -> Ints:
            means = _sums(times, values[:, tile]) / n
            if kind == "shift":
                return np.count_nonzero(np.abs(means) >= bar[tile], axis=0)
            # t of a sample against the t observed, both squared; the sample's mean is 0 on paper below the tolerance
            size2 = np.square(means)
            spread = (_sums(times, squares[:, tile]) - n * size2) / (n - 1)
            needed = np.square(bar[tile]) * (1 - 2 * ROUNDING) * spread
            least = variance[tile] * tolerance**2
            return np.count_nonzero(size2 * variance[tile] >= np.maximum(needed, least), axis=0)

        for tile, part in zip(tiles, map_units(extreme, tiles, workers=threads), strict=True):
            found[tile] += part
    p = np.where(bar > 0, chance.pvalue(found), 1.0)
    return _settled(p, flat, mean, tolerance)


def _sums(times: Floats, values: Floats) -> Floats:
    """times @ values, in pieces so small that the library's own threads, which get in the way of ours, sleep on."""
    whole = len(times) // _TRIALS * _TRIALS
    most = times[:whole].reshape(-1, _TRIALS, times.shape[1]) @ values
    return np.concatenate([most.reshape(whole, values.shape[1]), times[whole:] @ values])


def _checked(differences: Any, size: float | None) -> tuple[Floats, float]:
    d = np.asarray(differences, np.float64)
    if d.ndim != 2 or d.shape[1] < 2 or not len(d):
        raise InputError(f"differences have shape {d.shape}", "give pairs x topics, at least two topics")
    if not np.isfinite(d).all():
        pair, topic = np.argwhere(~np.isfinite(d))[0].tolist()
        raise InputError(f"pair {pair}, topic {topic}: the difference is {d[pair, topic]}", "leave the topic out")
    tolerance = ROUNDING * (float(np.abs(d).max()) if size is None else size)
    return np.where(np.abs(d) <= tolerance, 0.0, d), tolerance


def _settled(p: Floats, flat: Bools, mean: Floats, tolerance: float) -> Floats:
    """1 where there is no difference at all, NaN where it is the same on every topic."""
    return np.where(flat, np.where(np.abs(mean) <= tolerance, 1.0, np.nan), p)


def _exact(values: Floats, terms: int) -> Floats:
    """The values with so few bits that no sum of so many is rounded; in columns, each with a unit of its own."""
    exponent = np.frexp(np.abs(values).max(axis=0, keepdims=True))[1]
    shift = 52 - exponent - ceil(log2(max(2, terms)))
    rounded: Floats = np.ldexp(np.rint(np.ldexp(values, shift)), -shift)
    return rounded
