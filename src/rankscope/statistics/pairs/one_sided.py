"""One-sided tests of mean differences, both directions, of many rows at once; and one band over all of them."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, sqrt
from typing import Literal, TypeAlias, get_args

import numpy as np

from rankscope.arguments import one_of
from rankscope.arrays import Bools, Floats, Ints
from rankscope.errors import InputError, are, plural
from rankscope.statistics.draws import sign_flips
from rankscope.statistics.draws.exact_sums import FixedPoint
from rankscope.statistics.draws.resampling import Resampling, drawn, resampling_of
from rankscope.statistics.equality import difference, error
from rankscope.statistics.pairs import saddlepoint
from rankscope.statistics.pairs.difference_tests import constant_pvalue, student
from rankscope.statistics.pairs.differences import LEAST, same_on_all
from rankscope.statistics.pairs.gaffke import is_large, worst_case_pvalue
from rankscope.statistics.special import stdtrit

OneSidedTest: TypeAlias = Literal["bounded", "t", "randomisation", "betting"]
STAKES = 2.0 ** -np.arange(6)  # shares of the purse, of which a betting test takes the mean result
BOUNDED = "Gaffke's test of bounded differences"
BOUNDED_LARGE = f"{BOUNDED}, {saddlepoint.WORDS}"
STUDENT = "one-sided paired t tests"
BETTING = "betting on bounded differences"


@dataclass(frozen=True, slots=True, eq=False)
class OneSided:
    """p values of each row: `above` speaks for a mean above 0, `below` for one below, where it is small.

    tied    rows without any difference: p is 1 both ways
    alike   rows whose difference is the same on every topic, and not 0
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
    """One-sided tests of the mean of every row of differences (..., rows, topics).

    "bounded"        for differences known to lie within -bound and bound: Gaffke's test (statistics.gaffke), which
                     adds one topic to those there are, lost by as much as is possible. No distribution is known for
                     which it claims too much, rare large losses included; proved it is for some only.
    "t"              Student's t: `difference_tests.t_tests`
    "randomisation"  sign flips, the same for all rows: all 2^topics where they are no more than the resamples; for
                     one matrix whose rows lie on a grid the exact distribution; otherwise drawn.
                     `exact=False` never takes the table of a grid.
    "betting"        for bounded differences, too: a purse of 1 is staked on each topic in turn at even terms
                     (Waudby-Smith and Ramdas 2024), and p is 1 over what is left of it in the end, in the mean over six
                     stakes. The only one that is proved for every distribution, at a great cost of power.

    Each difference is known as well as a score of its size; one that is 0 on paper is 0.
    """
    one_of("test", test, get_args(OneSidedTest))
    n = differences.shape[-1]
    if n < 2:
        raise InputError(plural(n, "topic"), "a test needs at least two topics")
    d, errors = differences, error(differences)
    mean = d.mean(axis=-1)
    mean[np.abs(mean) <= errors.mean(axis=-1)] = 0.0
    tied: Bools = np.asarray(~d.any(axis=-1))
    alike: Bools = same_on_all(d, errors) & ~tied
    method = {"bounded": BOUNDED, "t": STUDENT, "betting": BETTING}.get(test, "sign flips")
    certain = True
    if test == "t":
        _, above, below = student(d, errors, 1, -1)
    elif test in ("bounded", "betting"):
        reach = _checked_bound(d, bound)
        above, below = (_worst_case if test == "bounded" else _betting)(d, reach)
        if test == "bounded" and is_large(np.moveaxis(d, -1, 0)).any():
            method, certain = BOUNDED_LARGE, False
    else:
        resampling = resampling_of(resampling)
        pvalues = None if exact is False or d.ndim != 2 or 2**n <= resampling.resamples else _on_grids(d, errors)
        if pvalues is None:
            above, below, certain = _flipped(d, errors, resampling, workers)
            method += f", {f'all 2^{n}' if certain else drawn(resampling, 'ones')}"
        else:
            (above, below), method = pvalues, f"{method}, exact on a grid"
        above, below = (np.where(alike, constant_pvalue(mean, n, tail), p) for p, tail in ((above, 1), (below, -1)))
    above, below = (np.where(tied, 1.0, np.clip(p, LEAST, 1.0)) for p in (above, below))
    return OneSided(mean, above, below, tied, alike, certain, method)


def standard_error(d: Floats, mean: Floats) -> Floats:
    """Standard error of the mean of each row."""
    n = d.shape[-1]
    residual = d - mean[..., None]
    return np.sqrt(np.einsum("...t,...t->...", residual, residual) / (n - 1) / n)


def _checked_bound(d: Floats, bound: Floats | float | None) -> Floats:
    """Bound of the differences of each row, checked against them."""
    if bound is None:
        raise InputError("no bound of the differences", "this test needs to know between what they lie")
    reach = np.broadcast_to(np.asarray(bound, np.float64), d.shape[-2:-1])
    most = np.abs(d).max(axis=(*range(d.ndim - 2), d.ndim - 1))
    if (difference(reach, most)[0] > 0).any():
        raise InputError("a difference is larger than its bound", "give a bound that no difference can pass")
    return reach


def _worst_case(d: Floats, reach: Floats) -> tuple[Floats, Floats]:
    shape = d.shape[:-1]
    columns, ends = np.ascontiguousarray(d.reshape(-1, d.shape[-1]).T), np.broadcast_to(reach, shape).ravel()
    return worst_case_pvalue(columns, ends).reshape(shape), worst_case_pvalue(-columns, ends).reshape(shape)


def _betting(d: Floats, reach: Floats) -> tuple[Floats, Floats]:
    x = np.clip(d / reach[:, None], -1.0, 1.0)
    return _purse(x), _purse(-x)


def _purse(x: Floats) -> Floats:
    """p value of a betting test: 1 over the final wealth, whose mean is at most 1 where the mean of x is at most 0."""
    with np.errstate(divide="ignore"):  # everything staked and lost
        left = np.stack([np.log1p(stake * x).sum(axis=-1) for stake in STAKES])
        return 1 / np.exp(np.minimum(left, 700)).mean(axis=0)  # e^700 is about the largest float


def _on_grids(d: Floats, errors: Floats) -> tuple[Floats, Floats] | None:
    """Exact p values where all rows lie on grids and the tables of all sums are small enough."""
    tables, steps = [], 0.0
    for row, row_errors in zip(d, errors, strict=True):
        row_grid = sign_flips.affordable_grid(np.abs(row[row != 0]), row_errors[row != 0])
        if row_grid is None:
            return None
        steps += float(np.cumsum(np.sort(row_grid[0].astype(np.float64))).sum())
        if steps > sign_flips.MOST_STEPS:
            return None
        tables.append((sign_flips.subset_sums(row_grid[0]), round(float(row.sum()) / row_grid[1])))
    above, below = (np.array([sign_flips.beyond(*table, tail) for table in tables]) for tail in (1, -1))
    return above, below


def _flipped(d: Floats, errors: Floats, resampling: Resampling, workers: int | None) -> tuple[Floats, Floats, bool]:
    """p values from sign flips that all rows share, and whether these are all there are."""
    n = d.shape[-1]
    fixed = FixedPoint.of(d.reshape(-1, n).T, 2 * n, errors=errors.sum(axis=-1).ravel())
    observed = fixed.units.sum(axis=0)

    def reached(sums: Floats) -> Ints:
        high = np.count_nonzero(sums >= observed - fixed.slack, axis=0)
        return np.stack([high, np.count_nonzero(sums <= observed + fixed.slack, axis=0)])

    every, blocks = sign_flips.over_flips(reached, fixed.units, resampling, workers, every=True)
    count = np.sum(list(blocks), axis=0)
    above, below = count / 2.0**n if every else resampling.pvalue(count)
    return above.reshape(d.shape[:-1]), below.reshape(d.shape[:-1]), every


def simultaneous_reach(
    d: Floats, level: float, *, resampling: Resampling | None = None, workers: int | None = None
) -> float:
    """Half-width, in standard errors, of a band that holds the true means of all rows at once.

    d is (rows, topics), each with some variance. The quantile of the largest |t| over rows when the signs of the
    centred differences are flipped, topic by topic (max-t; Westfall and Young 1993), and never below Student's. Beyond
    `saddlepoint.LARGE` topics the sums of flipped differences are drawn from what they tend to, a normal distribution
    with the same covariances.
    """
    resampling = resampling_of(resampling)
    n = d.shape[1]
    if n > saddlepoint.LARGE:
        return max(_normal_reach(d, level, resampling), stdtrit(n - 1, (1 + level) / 2))
    centred = d.T - d.mean(axis=1)
    fixed = FixedPoint.of(centred / np.sqrt(np.square(centred).sum(axis=0)), n)
    every, blocks = sign_flips.over_flips(
        lambda sums: np.square(fixed.numbers(sums)).max(axis=1), fixed.units, resampling, workers, every=True
    )
    largest = _quantile(np.concatenate(list(blocks)), level, every)
    left = n - largest
    t = sqrt((n - 1) * largest / left) if left > 1e-12 * n else float("inf")
    return max(t, stdtrit(n - 1, (1 + level) / 2))


def _normal_reach(d: Floats, level: float, resampling: Resampling) -> float:
    """The quantile of the largest of normal variables that are correlated as the rows of d."""
    value, vector = np.linalg.eigh(np.atleast_2d(np.corrcoef(d)))
    root = vector * np.sqrt(np.maximum(value, 0.0))
    normal = np.random.default_rng([resampling.seed, resampling.resamples]).standard_normal
    return _quantile(np.abs(normal((resampling.resamples, len(d))) @ root.T).max(axis=1), level, False)


def _quantile(values: Floats, level: float, every: bool) -> float:
    """The quantile of what was drawn, the data counted as one more draw unless it is everything."""
    number = ceil(level * (values.size if every else values.size + 1) - 1e-9)
    if number > values.size:
        raise InputError(f"{are(values.size, 'resample')} too few for level {level:g}", "ask for more resamples")
    return float(np.partition(values, number - 1)[number - 1])
