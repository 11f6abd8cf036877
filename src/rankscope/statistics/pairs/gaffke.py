"""Gaffke's exact test that the mean of a bounded quantity is above 0.

Take flat Dirichlet weights over what was observed and one value more, the worst that is possible: p is the chance that
the weighted mean is at most 0 (Gaffke 2005, Mathematical Methods of Statistics 14; Learned-Miller and Thomas 2019,
arXiv:1905.06208). Where all values are bound, 0 or -bound, it is the sign test.

If the mean is at most 0, p is at most alpha in no more than a share alpha of samples: that is proved for samples of one
(Markov's inequality) and for distributions on two values (the binomial test). For all others it is a conjecture, which
no simulation, published or ours, has contradicted.
"""

from __future__ import annotations

import numpy as np

from rankscope.arrays import Bools, Floats
from rankscope.statistics.pairs.saddlepoint import worst_case_tail

MOST_STATES = 1 << 22  # of a race, gains times losses: beyond, p is an integral through the saddlepoint
_CELLS = 1 << 15  # of a race: its arrays stay in a core's own cache
_NEXT_TO_NONE = float(np.finfo(np.float64).tiny)  # a stage that takes no time, but can be divided by


def worst_case_pvalue(d: Floats, bound: Floats) -> Floats:
    """p that the mean of each column of d (topics, columns) is above 0, where no value can be below -bound (columns).

    Dirichlet weights are shares of exponential times, so the weighted mean is at most 0 where the positive values, each
    times an exponential, take no longer in all than the negative ones and the worst one. That is a race of two runners
    over stages of these mean lengths. Exponential times forget how long they have lasted, so that the first runner, in
    a stage of mean a, is through before the second, in one of mean b, with probability b / (a + b), whatever went
    before. All states of the race then have their chances by sums and products of positive numbers: right to the last
    digits, however small p is. A value of 0 is a stage that takes no time.

    States are as many as gains times losses. Columns with more than `MOST_STATES` (`is_large`) have an integral through
    the saddlepoint instead, whose cost is a few passes over the topics.
    """
    large = is_large(d)
    if large.any():
        p = np.empty(d.shape[1])
        p[large] = [worst_case_tail(d[:, c][d[:, c] != 0], float(bound[c])) for c in np.flatnonzero(large).tolist()]
        p[~large] = worst_case_pvalue(d[:, ~large], bound[~large])
        return p
    gains, losses = _stages(d), _stages(np.vstack([-d, bound]))
    p = np.empty(d.shape[1])
    step = max(1, _CELLS // max(1, len(gains)))
    for start in range(0, len(p), step):
        part = slice(start, start + step)
        p[part] = _first_home(_used(gains[:, part]), np.maximum(_used(losses[:, part]), _NEXT_TO_NONE))
    return p


def is_large(d: Floats) -> Bools:
    """Columns of d (topics, columns) whose race has too many states to follow them all."""
    return np.asarray(np.count_nonzero(d > 0, axis=0) * np.count_nonzero(d < 0, axis=0) > MOST_STATES)


def _stages(values: Floats) -> Floats:
    """Positive values of each column, the largest first; 0 below, which is a stage that takes no time."""
    return np.sort(np.maximum(values, 0.0), axis=0)[::-1]


def _used(stages: Floats) -> Floats:
    """Without those that take no time in any column."""
    return np.ascontiguousarray(stages[: np.count_nonzero(stages.any(axis=1))])


def _first_home(a: Floats, b: Floats) -> Floats:
    """Probability that the stages a (stages, columns) are finished before the stages b."""
    m, n = len(a), len(b)
    if not m:
        return np.ones(a.shape[1])
    back = b[::-1]
    home = np.zeros(a.shape[1])
    at = np.zeros((m + 1, a.shape[1]))  # by stages done by the first; all those of one diagonal of the race at once
    at[0] = 1.0
    for done in range(m + n - 1):
        low, high = max(0, done - n + 1), min(done, m - 1) + 1  # both are still on their way
        own, other = a[low:high], back[n - 1 - done + low : n - 1 - done + high]
        share = at[low:high] / (own + other)
        np.multiply(share, own, out=at[low:high])
        share *= other
        at[low + 1 : high + 1] += share
        if high == m:
            home += at[m]
            at[m] = 0.0
    return home
