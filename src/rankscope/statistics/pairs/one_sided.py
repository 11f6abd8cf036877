"""Is a mean difference above 0, or below? Many columns of differences at once, and one band over all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import ceil, sqrt
from typing import Literal, TypeAlias, get_args

import numpy as np

from rankscope.arrays import Bools, Floats, Ints
from rankscope.errors import InputError, are, plural
from rankscope.statistics.draws import sign_flips
from rankscope.statistics.draws.resampling import Resampling, drawn, over_blocks, resampling_of
from rankscope.statistics.equality import difference, error
from rankscope.statistics.pairs.differences import same_on_all
from rankscope.statistics.pairs.gaffke import worst_case_pvalue

OneSidedTest: TypeAlias = Literal["bounded", "t", "randomisation", "betting"]
STAKES = 2.0 ** -np.arange(6)  # shares of the purse, of which a betting test takes the mean result
BOUNDED = "Gaffke's test of bounded differences"
STUDENT = "one-sided paired t tests"
BETTING = "betting on bounded differences"
_ROOM = 1 << 21  # elements of an intermediate array
_LEAST = float(np.finfo(np.float64).tiny)  # a p value is never 0


@dataclass(frozen=True, slots=True, eq=False)
class OneSided:
    """p values of each column: `above` speaks for a mean above 0, `below` for one below, where it is small.

    tied    columns without any difference: p is 1 both ways
    alike   columns whose difference is the same on every topic, and not 0
    """

    mean: Floats
    above: Floats
    below: Floats
    tied: Bools
    alike: Bools
    exact: bool
    method: str


def one_sided(
    differences: Floats,
    *,
    test: OneSidedTest,
    bound: Floats | float | None = None,
    resampling: Resampling | None = None,
    exact: bool | None = None,
    workers: int | None = None,
) -> OneSided:
    """One-sided tests of the mean of every column of differences (..., topics, columns).

    "bounded"        for differences known to lie within -bound and bound: Gaffke's test (statistics.bounded), which
                     adds one topic to those there are, lost by as much as is possible. No distribution is known for
                     which it claims too much, rare large losses included; proved it is for some only.
    "t"              Student's t. Where the difference is the same on every topic t has no variance to go by, and the
                     least p value of that many sign flips, 2^-topics, stands in for it.
    "randomisation"  sign flips, the same for all columns: all 2^topics where they are no more than the resamples; for
                     one matrix whose columns lie on a grid the exact distribution; otherwise drawn.
                     `exact=False` never takes the table of a grid.
    "betting"        for bounded differences, too: a purse of 1 is staked on each topic in turn at even terms
                     (Waudby-Smith and Ramdas 2024), and p is 1 over what is left of it in the end, in the mean over six
                     stakes. The only one that is proved for every distribution, at a great cost of power.

    Each difference is known as well as a score of its size; one that is 0 on paper is 0.
    """
    if test not in get_args(OneSidedTest):
        raise InputError(f"test={test!r} is unknown", f"test is one of {', '.join(get_args(OneSidedTest))}")
    n = differences.shape[-2]
    if n < 2:
        raise InputError(plural(n, "topic"), "a test needs at least two topics")
    d, errors = differences, error(differences)
    mean = d.mean(axis=-2)
    mean[np.abs(mean) <= errors.mean(axis=-2)] = 0.0
    tied: Bools = np.asarray(~d.any(axis=-2))
    alike: Bools = same_on_all(d, errors, axis=-2) & ~tied
    method = {"bounded": BOUNDED, "t": STUDENT, "betting": BETTING}.get(test, "sign flips")
    certain = True
    if test == "t":
        above, below = _student(d, mean, tied | alike)
    elif test in ("bounded", "betting"):
        reach = _checked_bound(d, bound)
        above, below = (_worst_case if test == "bounded" else _betting)(d, reach)
    else:
        resampling = resampling_of(resampling)
        pvalues = None if exact is False or d.ndim != 2 or 2**n <= resampling.resamples else _on_grids(d, errors)
        if pvalues is None:
            above, below, certain = _flipped(d, errors, resampling, workers)
            method += f", {f'all 2^{n}' if certain else drawn(resampling, 'ones')}"
        else:
            (above, below), method = pvalues, f"{method}, exact on a grid"
    above, below = (np.where(tied, 1.0, np.clip(p, _LEAST, 1.0)) for p in (above, below))
    return OneSided(mean, above, below, tied, alike, certain, method)


def _student(d: Floats, mean: Floats, flat: Bools) -> tuple[Floats, Floats]:
    from scipy.special import stdtr

    n = d.shape[-2]
    t = mean / np.where(flat, 1.0, standard_error(d, mean))
    above, below = (np.where(flat, np.where(side > 0, 0.5**n, 1.0), stdtr(n - 1, -side)) for side in (t, -t))
    return above, below


def most_of_all_pairs(values: Ints) -> tuple[Floats, Bools] | None:
    """The largest one-sided p value by t over the columns, for all pairs of systems; values (systems, topics, columns).

    [i, j] is for i above j; with it whether the mean of i is nowhere below that of j, and somewhere above. Since sums
    of whole numbers are exact, this takes a product of matrices a column; None where the numbers are too large for it.
    """
    from scipy.special import stdtr

    systems, n, columns = values.shape
    if float(np.abs(values).max(initial=0)) ** 2 * 4 * n * n >= 2**53:
        return None
    least = np.full((systems, systems), np.inf)  # the largest p value is that of the smallest t
    alike, above, below = np.zeros((3, systems, systems), np.bool_)
    step = max(1, _ROOM // (systems * max(systems, n)))
    for start in range(0, columns, step):
        x = np.ascontiguousarray(np.moveaxis(values[..., start : start + step], -1, 0), np.float64)
        sums, products = x.sum(axis=-1), x @ np.swapaxes(x, 1, 2)
        own = np.diagonal(products, axis1=1, axis2=2)
        total = sums[:, :, None] - sums[:, None, :]
        squares = own[:, :, None] + own[:, None, :] - 2 * products
        spread = n * squares - total * total  # n^2 (n - 1) times the squared error of the mean
        with np.errstate(divide="ignore", invalid="ignore"):  # infinite where all topics are alike
            t = total * np.sqrt((n - 1) / spread)
        t[squares == 0] = -np.inf
        np.minimum(least, t.min(axis=0), out=least)
        alike |= ((spread == 0) & (total > 0)).any(axis=0)
        above |= (total > 0).any(axis=0)
        below |= (total < 0).any(axis=0)
    p = np.maximum(stdtr(n - 1, -least), np.where(alike, 0.5**n, _LEAST))
    return p, above & ~below


def standard_error(d: Floats, mean: Floats) -> Floats:
    """Of the mean of each column."""
    n = d.shape[-2]
    rest = d - mean[..., None, :]
    return np.sqrt(np.einsum("...tc,...tc->...c", rest, rest) / (n - 1) / n)


def _checked_bound(d: Floats, bound: Floats | float | None) -> Floats:
    """Of each column."""
    if bound is None:
        raise InputError("no bound of the differences", "this test needs to know between what they lie")
    reach = np.broadcast_to(np.asarray(bound, np.float64), d.shape[-1:])
    most = np.abs(d).max(axis=tuple(range(d.ndim - 1)))
    if (difference(reach, most)[0] > 0).any():
        raise InputError("a difference is larger than its bound", "give a bound that no difference can pass")
    return reach


def _worst_case(d: Floats, reach: Floats) -> tuple[Floats, Floats]:
    columns = np.moveaxis(d, -2, 0)
    shape = columns.shape[1:]
    flat, ends = columns.reshape(len(columns), -1), np.broadcast_to(reach, shape).ravel()
    return worst_case_pvalue(flat, ends).reshape(shape), worst_case_pvalue(-flat, ends).reshape(shape)


def _betting(d: Floats, reach: Floats) -> tuple[Floats, Floats]:
    x = np.clip(d / reach, -1.0, 1.0)
    return _purse(x), _purse(-x)


def _purse(x: Floats) -> Floats:
    """1 over the purse in the end: its mean is at most 1 where that of x is at most 0, so p < a at most so often."""
    with np.errstate(divide="ignore"):  # everything staked and lost
        left = np.stack([np.log1p(stake * x).sum(axis=-2) for stake in STAKES])
        return 1 / np.exp(np.minimum(left, 700)).mean(axis=0)  # e^700 is about the largest float


def _on_grids(d: Floats, errors: Floats) -> tuple[Floats, Floats] | None:
    """Exact p values where all columns lie on grids and the tables of all sums are small enough."""
    tables, steps = [], 0.0
    for column, known in zip(d.T, errors.T, strict=True):
        on = sign_flips.affordable_grid(np.abs(column[column != 0]), known[column != 0])
        if on is None:
            return None
        steps += float(np.cumsum(np.sort(on[0].astype(np.float64))).sum())
        if steps > sign_flips.MOST_STEPS:
            return None
        tables.append((on[0], round(float(column.sum()) / on[1])))
    p = np.ones((2, len(tables)))
    for c, (weights, observed) in enumerate(tables):
        share = sign_flips.subset_sums(weights)
        at = (int(weights.sum()) + observed) // 2  # flipped sum = 2 * subset - total
        p[:, c] = share[at:].sum(), share[: at + 1].sum()
    return p[0], p[1]


def _flipped(d: Floats, errors: Floats, resampling: Resampling, workers: int | None) -> tuple[Floats, Floats, bool]:
    """p values from sign flips that all columns share, and whether these are all there are."""
    n = d.shape[-2]
    flips = sign_flips.FlipUnits.of(d, 2 * n, errors.sum(axis=-2).ravel())
    units = np.moveaxis(flips.units, -2, 0).reshape(n, -1)
    observed = units.sum(axis=0)

    def reached(sums: Floats) -> Floats:
        high = np.count_nonzero(sums >= observed - flips.slack, axis=0)
        return np.stack([high, np.count_nonzero(sums <= observed + flips.slack, axis=0)])

    count = np.zeros((2, units.shape[1]))
    every, blocks = _over_flips(units, resampling, workers, reached)
    for part in blocks:
        count += part
    p = count / 2.0**n if every else resampling.pvalue(count.astype(np.int64))
    shape = (*d.shape[:-2], d.shape[-1])
    return p[0].reshape(shape), p[1].reshape(shape), every


def _over_flips(
    units: Floats, resampling: Resampling, workers: int | None, use: Callable[[Floats], Floats]
) -> tuple[bool, Iterator[Floats]]:
    """Whether all flips are taken, and what use() makes of the sums (trials, columns) of each block of them."""
    n, columns = units.shape
    every = n < 62 and 2**n <= resampling.resamples

    def work(part: tuple[int, int]) -> Floats:
        first, trials = part
        if every:
            flipped: Bools = (np.arange(first, first + trials)[:, None] >> np.arange(n)) & 1 == 1
        else:
            flipped = sign_flips.signs(resampling.seed, first, trials, n)
        return use((1.0 - 2.0 * flipped) @ units)

    taken = Resampling(2**n, resampling.seed) if every else resampling
    return every, over_blocks(work, taken, sign_flips.CELLS // max(n, columns), workers)


def simultaneous_reach(
    d: Floats, level: float, *, resampling: Resampling | None = None, workers: int | None = None
) -> float:
    """How many standard errors of its mean a band reaches that holds all columns' true means at once.

    d is (topics, columns), each with some variance. The quantile of the largest |t| over columns when the signs of
    the centred differences are flipped, topic by topic (max-t; Westfall and Young 1993), and never below Student's.
    """
    from scipy.special import stdtrit

    resampling = resampling_of(resampling)
    n = d.shape[0]
    rest = d - d.mean(axis=0)
    rest /= np.sqrt(np.square(rest).sum(axis=0))
    every, blocks = _over_flips(rest, resampling, workers, lambda sums: np.square(sums).max(axis=1))
    share = np.concatenate(list(blocks))
    number = ceil(level * (share.size if every else share.size + 1) - 1e-9)
    if number > share.size:
        raise InputError(f"{are(share.size, 'resample')} too few for level {level:g}", "ask for more resamples")
    largest = float(np.partition(share, number - 1)[number - 1])
    left = n - largest
    t = sqrt((n - 1) * largest / left) if left > 1e-12 * n else float("inf")
    return max(t, float(stdtrit(n - 1, (1 + level) / 2)))
