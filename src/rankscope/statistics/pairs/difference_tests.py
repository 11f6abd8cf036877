"""Paired tests of many pairs of systems at once: differences b - a, one row per pair and one column per topic.

`t_test` and the other tests of two systems are the case of one row. Differences may come from scores or from
preferences that have none. `errors` says how far each may be from what it is on paper, as `equality.difference` gives
it; by default each is known as well as a score of its size. p values are not corrected for the number of pairs.

Two rules hold in every test. A row without any difference has p = 1, whatever the alternative. In a row whose
difference is the same on every topic and not 0, all sign flips but one (two-sided: two) are less extreme, so the
tests by signs, ranks and flips have p = 2^-topics (two-sided: twice that); t and the bootstrap have no variance to go
by, and this p stands in for theirs.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from rankscope.arguments import one_of
from rankscope.arrays import Bools, Floats, Ints
from rankscope.errors import InputError
from rankscope.parallel import Client
from rankscope.statistics.draws import sign_flips
from rankscope.statistics.draws.bootstrap import Bars, BootstrapVariant
from rankscope.statistics.draws.exact_sums import FixedPoint
from rankscope.statistics.draws.resampling import Resampling, over_blocks
from rankscope.statistics.equality import error, midranks
from rankscope.statistics.pairs.differences import LEAST, Alternative, same_on_all
from rankscope.statistics.special import bdtr, ndtr, stdtr

PairTest: TypeAlias = Literal["t", "wilcoxon", "sign"]
WORDS: dict[str, str] = {"t": "Student's paired t", "wilcoxon": "signed ranks", "sign": "sign test"}
TAILS = {"two-sided": 0, "greater": 1, "less": -1}
EXACT_RANKS = 500  # signed ranks of so many topics have their exact distribution within a moment
_TRIALS = 512  # samples of a block
_DRAWS = 1 << 22  # topics drawn in a block


@dataclass(frozen=True, slots=True, eq=False)
class RowTests:
    """p values of the rows, and what they were tested by: above 0 where it speaks for b."""

    statistic: Floats
    pvalue: Floats


@dataclass(frozen=True, slots=True, eq=False)
class SignedRanks(RowTests):
    """Wilcoxon's test: `statistic` is z, without a correction for continuity."""

    plus: Floats  # sum of the ranks of positive differences
    minus: Floats
    twice: Floats  # (pairs, topics) ranks, doubled so that they are whole; 0 of topics without a difference
    exact: Bools


def paired_tests(differences: ArrayLike, test: PairTest, *, errors: Floats | None = None) -> RowTests:
    """The test of that name of each row, two-sided."""
    one_of("test", test, WORDS)
    if test == "sign":
        return sign_tests(differences)
    return (t_tests if test == "t" else wilcoxon_tests)(differences, errors=errors)


def t_tests(
    differences: ArrayLike, *, errors: Floats | None = None, alternative: Alternative = "two-sided"
) -> RowTests:
    """Student's paired t (Student 1908) of each row; (..., topics) differences. `statistic` is t.

    t is infinite where the difference is the same on every topic, and not 0.
    """
    return RowTests(*student(differences, errors, check_alternative(alternative)))


def student(differences: ArrayLike, errors: Floats | None, *tails: int) -> tuple[Floats, ...]:
    """t of each row, then the p values of each tail, as `t_tests` has them."""
    d, errors = _rows(differences, errors)
    n = d.shape[-1]
    exponent = np.frexp(np.abs(d).max(axis=-1, keepdims=True))[1]  # squares of tiny differences would be 0
    scaled = np.ldexp(d, -exponent)
    mean, constant = scaled.mean(axis=-1), same_on_all(d, errors)
    t = mean / (np.where(constant, 1.0, scaled.std(axis=-1, ddof=1)) / sqrt(n))
    beyond = stdtr(n - 1, -np.abs(t))
    pvalues = []
    for tail in tails:
        p = np.where(tail * t < 0, 1 - beyond, beyond) if tail else 2 * beyond
        pvalues.append(_with_constant(p, mean, constant, n, tail))
    return np.where(constant, np.where(mean == 0, 0.0, np.copysign(np.inf, mean)), t), *pvalues


def sign_tests(differences: ArrayLike, *, alternative: Alternative = "two-sided") -> RowTests:
    """The sign test of each row: exact binomial, topics without a difference dropped.

    `statistic` is the number of topics that b wins, less those that it loses.
    """
    d, _ = _rows(differences, None)
    above, below = (np.count_nonzero(side, axis=1) for side in (d > 0, d < 0))
    return RowTests((above - below).astype(np.float64), even_odds(above, below, alternative))


def even_odds(above: ArrayLike, below: ArrayLike, alternative: Alternative = "two-sided") -> Floats:
    """Exact binomial p of a fair coin, so many times above and below; 1 where it was never tossed."""
    tail = check_alternative(alternative)
    up, down = np.asarray(above, np.int64), np.asarray(below, np.int64)
    if tail:
        return np.maximum(bdtr(down if tail > 0 else up, up + down), LEAST)
    return np.where(up == down, 1.0, np.clip(2 * bdtr(np.minimum(up, down), up + down), LEAST, 1.0))


def wilcoxon_tests(
    differences: ArrayLike,
    *,
    errors: Floats | None = None,
    alternative: Alternative = "two-sided",
    method: Literal["auto", "exact", "normal"] = "auto",
    correction: bool = False,
) -> SignedRanks:
    """The signed-rank test (Wilcoxon 1945) of each row: zeros dropped, equal sizes share their mean rank.

    "auto" takes the exact distribution, conditional on the ranks as they are, up to 500 differences other than 0, and
    the normal approximation, its variance corrected for ties, beyond; `correction` is for continuity, and is of the
    normal approximation.
    """
    tail = check_alternative(alternative)
    d, errors = _rows(differences, errors)
    zeros = np.count_nonzero(d == 0, axis=1)
    ranks, tied = midranks(np.abs(d), errors)
    m = d.shape[1] - zeros
    twice = np.where(d != 0, np.rint(2 * (ranks - zeros[:, None])), 0.0)  # zeros rank below all others, left out
    cubes = tied - (zeros.astype(np.float64) ** 3 - zeros)
    plus, minus = (np.where(side, twice, 0.0).sum(axis=1) / 2 for side in (d > 0, d < 0))
    some = m > 0
    sd = np.sqrt(np.where(some, m * (m + 1.0) * (2 * m + 1) / 24 - cubes / 48, 1.0))
    z = (plus - minus) / 2 / sd
    shift = 0.5 / sd * correction
    p = ndtr(shift - tail * z) if tail else 2 * ndtr(-np.maximum(0.0, np.abs(z) - shift))
    constant = same_on_all(d, errors) & some & (method == "auto")
    p = np.where(constant, constant_pvalue(plus - minus, d.shape[1], tail), p)
    exact = some & (m <= {"auto": EXACT_RANKS, "exact": d.shape[1], "normal": 0}[method])
    shares: dict[int, Floats] = {}  # ranks 1 to m have one distribution
    for row in np.flatnonzero(exact & ~constant).tolist():
        away, count = round(2 * float(plus[row] - minus[row])), int(m[row])
        if cubes[row]:
            p[row] = sign_flips.exact_on_grid(twice[row][twice[row] > 0].astype(np.int64), away, tail)
            continue
        if count not in shares:
            shares[count] = sign_flips.subset_sums(np.arange(1, count + 1))
        p[row] = sign_flips.beyond(shares[count], away // 2, tail)
    p = np.where(some, np.clip(p, LEAST, 1.0), 1.0)
    return SignedRanks(z, p, plus, minus, twice, exact | constant)


def bootstrap_tests(
    differences: ArrayLike,
    *,
    resampling: Resampling,
    variant: BootstrapVariant = "studentised",
    errors: Floats | None = None,
    alternative: Alternative = "two-sided",
    workers: int | None = None,
    client: Client = None,
) -> RowTests:
    """The paired bootstrap test of each row, as `bootstrap_test`; `statistic` is the mean difference.

    Draws go with the topics as they stand, so that all rows share them, and differences on the same topics do, too.
    """
    tail = check_alternative(alternative)
    one_of("variant", variant, ("studentised", "shift"))
    d, errors = _rows(differences, errors)
    pairs, n = d.shape
    bars = Bars.of(np.ascontiguousarray((-d if tail < 0 else d).T), errors.mean(axis=1), variant)
    kernels, seed = resampling.kernels, resampling.seed
    counts = np.zeros(pairs, np.int64)
    if tail:
        fixed = FixedPoint.of(np.concatenate([bars.values, bars.squares], axis=1), n, columns=True)

        def extreme(trials: tuple[int, int]) -> Ints:
            sums = fixed.numbers(kernels.drawn_sums(fixed.units, seed, *trials))
            return np.count_nonzero(bars.at_least(sums[:, :pairs], sums[:, pairs:]), axis=0)
    else:
        bar, t = bars.two_sided()

        def extreme(trials: tuple[int, int]) -> Ints:
            return kernels.drawn_pairs(bars.values, bars.squares, bar, t, seed, *trials)

    size = kernels.block(min(_TRIALS, _DRAWS // n), n * pairs, n)
    for part in over_blocks(extreme, resampling, size, workers, client):
        counts += part
    p = np.where((bars.least > 0) | (tail != 0), resampling.pvalue(counts), 1.0)
    mean = d.mean(axis=1)
    return RowTests(mean, _with_constant(p, mean, same_on_all(d, errors), n, tail))


def check_alternative(alternative: Alternative) -> int:
    """The tail of an alternative: 0 both, 1 the upper, -1 the lower; an error where there is none of that name."""
    return TAILS[one_of("alternative", alternative, TAILS)]


def constant_pvalue(mean: Floats, n_topics: int, tail: int) -> Floats:
    """p of a difference that is the same on every topic: that of sign flips, and 1 where the difference is 0."""
    speaks = mean != 0 if not tail else tail * mean > 0
    return np.where(speaks, max(0.5 ** (n_topics - (not tail)), LEAST), 1.0)


def _with_constant(p: Floats, mean: Floats, constant: Bools, n_topics: int, tail: int) -> Floats:
    """p values with those of constant rows by the rule for them."""
    return np.where(constant, constant_pvalue(mean, n_topics, tail), np.clip(p, LEAST, 1.0))


def _rows(differences: ArrayLike, errors: Floats | None) -> tuple[Floats, Floats]:
    d = np.asarray(differences, np.float64)
    if d.ndim < 2 or d.shape[-1] < 2 or not len(d):
        raise InputError(f"differences have shape {d.shape}", "give pairs x topics, at least two topics")
    if not np.isfinite(d).all():
        *pair, topic = np.argwhere(~np.isfinite(d))[0].tolist()
        place = ", ".join(map(str, pair))
        raise InputError(f"pair {place}, topic {topic}: the difference is {d[(*pair, topic)]}", "leave the topic out")
    return d, error(d) if errors is None else errors
