"""Paired tests of many pairs of systems at once, from their differences: pairs x topics in, one p value per pair out.

Two-sided and uncorrected. Differences may come from scores or from preferences that have none. A pair without any
difference has p = 1; one whose difference is the same on every topic has no variance to hold it against, and NaN.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from rankscope.arrays import Bools, Floats, Ints
from rankscope.errors import InputError
from rankscope.parallel import Client
from rankscope.statistics.draws.bootstrap import Bars, BootstrapVariant
from rankscope.statistics.draws.resampling import Resampling, over_blocks
from rankscope.statistics.equality import error
from rankscope.statistics.pairs.differences import same_on_all
from rankscope.statistics.pairs.paired_tests import even_odds

_TRIALS = 512  # samples of a block


def t_of_pairs(differences: ArrayLike, *, errors: Floats | None = None) -> Floats:
    """Student's paired t (Student 1908) of each pair.

    errors  of the differences, as `equality.difference` gives them with those of scores; by default each is known as
            well as a score of its size
    """
    from scipy.special import stdtr

    d, known = _checked(differences, errors)
    n = d.shape[1]
    mean = d.mean(axis=1)
    sd = d.std(axis=1, ddof=1)
    flat = same_on_all(d, known)
    t = np.abs(mean) / (np.where(flat, 1.0, sd) / np.sqrt(n))
    p = np.maximum(2 * stdtr(n - 1, -t), np.finfo(np.float64).tiny)
    return _settled(p, flat, mean, known)


def sign_of_pairs(differences: ArrayLike) -> Floats:
    """The sign test of each pair: exact binomial, topics without a difference dropped."""
    d, _ = _checked(differences, None)
    counts = np.stack([np.count_nonzero(side, axis=1) for side in (d > 0, d < 0)], axis=1)
    distinct, where = np.unique(counts, axis=0, return_inverse=True)
    p = np.array([even_odds(above, below) for above, below in distinct.tolist()])
    return p[np.ravel(where)]


def bootstrap_of_pairs(
    differences: ArrayLike,
    *,
    resampling: Resampling,
    variant: BootstrapVariant = "studentised",
    errors: Floats | None = None,
    workers: int | None = None,
    client: Client = None,
) -> Floats:
    """The paired bootstrap test of each pair, as `bootstrap_test`; all pairs share the topics drawn.

    Draws go with the topics as they stand, so differences on the same topics share their samples too.
    """
    d, known = _checked(differences, errors)
    pairs, n = d.shape
    mean = d.mean(axis=1)
    flat = same_on_all(d, known)
    bars = Bars.of(np.ascontiguousarray(d.T), mean, known.mean(axis=1), variant)
    reached = resampling.kernels.drawn_pairs

    def extreme(trials: tuple[int, int]) -> Ints:
        return reached(bars.values, bars.squares, bars.bar, bars.t, resampling.seed, *trials)

    counts = np.zeros(pairs, np.int64)
    for part in over_blocks(extreme, resampling, resampling.kernels.block(_TRIALS, n * pairs, pairs), workers, client):
        counts += part
    p = np.where(bars.least > 0, resampling.pvalue(counts), 1.0)
    return _settled(p, flat, mean, known)


def _checked(differences: ArrayLike, errors: Floats | None) -> tuple[Floats, Floats]:
    d = np.asarray(differences, np.float64)
    if d.ndim != 2 or d.shape[1] < 2 or not len(d):
        raise InputError(f"differences have shape {d.shape}", "give pairs x topics, at least two topics")
    if not np.isfinite(d).all():
        pair, topic = np.argwhere(~np.isfinite(d))[0].tolist()
        raise InputError(f"pair {pair}, topic {topic}: the difference is {d[pair, topic]}", "leave the topic out")
    return d, error(d) if errors is None else errors


def _settled(p: Floats, flat: Bools, mean: Floats, known: Floats) -> Floats:
    """1 where there is no difference at all, NaN where it is the same on every topic."""
    return np.where(flat, np.where(np.abs(mean) <= known.mean(axis=1), 1.0, np.nan), p)
