"""Tests of two systems on the same topics. All are two-sided, and none decides: the threshold is the reader's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any, Literal

import numpy as np

from rankscope.arrays import Floats, Ints
from rankscope.errors import InputError, Problem, plural
from rankscope.formatting import probability, score
from rankscope.kernels import cpu
from rankscope.parallel import Client
from rankscope.parallel import on as on_cluster
from rankscope.results import Result
from rankscope.statistics import arguments
from rankscope.statistics.draws import sign_flips
from rankscope.statistics.draws.bootstrap import Bars, BootstrapVariant
from rankscope.statistics.draws.canonical_order import canonical
from rankscope.statistics.draws.resampling import Resampling, drawn, over_blocks, resampling_of, whole
from rankscope.statistics.equality import error, tie_groups
from rankscope.statistics.pairs.differences import Differences, pvalue, same_on_all

MOST_RANKS = 2000
EXACT_RANKS = 500  # signed ranks of so many topics have their exact distribution within a moment


@dataclass(frozen=True, slots=True, kw_only=True)
class TTest(Result):
    """Student's t of the mean difference b - a."""

    difference: float
    sd: float
    t: float
    df: int
    pvalue: float
    n: int
    method: str = "Student's paired t"

    def table(self) -> tuple[list[str], list[list[str]]]:
        """One row."""
        cells = [score(self.difference), score(self.sd), score(self.t), f"{self.df}", probability(self.pvalue)]
        return ["test", "difference", "sd", "t", "df", "p", "topics"], [[self.method, *cells, f"{self.n}"]]


@dataclass(frozen=True, slots=True, kw_only=True)
class WilcoxonTest(Result):
    """Sums of the ranks of positive and of negative differences."""

    plus: float
    minus: float
    z: float  # of the sum for positive differences, uncorrected
    zeros: int  # topics left out because both systems score the same
    ties: int  # topics whose absolute difference another topic shares
    pvalue: float
    n: int
    method: str

    def table(self) -> tuple[list[str], list[list[str]]]:
        """One row."""
        sums = [f"{self.plus:g}", f"{self.minus:g}", f"{self.zeros}", f"{self.ties}", probability(self.pvalue)]
        header = ["test", "W+", "W-", "zeros", "ties", "p", "topics"]
        return header, [[self.method, *sums, f"{self.n}"]]


@dataclass(frozen=True, slots=True, kw_only=True)
class SignTest(Result):
    """How often b scores higher, lower and the same."""

    plus: int
    minus: int
    zeros: int
    pvalue: float
    n: int
    method: str = "sign test, exact binomial, zeros dropped"

    def table(self) -> tuple[list[str], list[list[str]]]:
        """One row."""
        counts = [f"{self.plus}", f"{self.minus}", f"{self.zeros}", probability(self.pvalue), f"{self.n}"]
        return ["test", "b higher", "a higher", "same", "p", "topics"], [[self.method, *counts]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ResampledTest(Result):
    """A test of the mean difference b - a by resampling; `error` is the standard error of a sampled p value."""

    difference: float
    pvalue: float
    error: float
    n: int
    exact: bool
    method: str
    resampling: Resampling | None  # None where nothing was drawn

    def table(self) -> tuple[list[str], list[list[str]]]:
        """One row."""
        cells = [score(self.difference), probability(self.pvalue), probability(self.error), f"{self.n}"]
        return ["test", "difference", "p", "error of p", "topics"], [[self.method, *cells]]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AllPairs(Result):
    """Differences of means and p values, uncorrected, of all pairs: column minus row, systems x systems."""

    systems: tuple[str, ...]
    difference: Floats
    pvalue: Floats  # 1 on the diagonal
    n: int
    exact: bool
    method: str
    resampling: Resampling | None

    def table(self) -> tuple[list[str], list[list[str]]]:
        """A row a pair."""
        rows = [
            [self.systems[i], self.systems[j], score(self.difference[i, j]), probability(self.pvalue[i, j])]
            for i in range(len(self.systems))
            for j in range(i + 1, len(self.systems))
        ]
        return ["a", "b", "difference", "p"], rows

    def __str__(self) -> str:
        return f"{Result.__str__(self)}\n{self.method}; {plural(self.n, 'topic')}; p values are not corrected"


def t_test(a: Any, b: Any, *, topics: Sequence[str] | None = None) -> TTest:
    """Student's t for paired samples (Student 1908): is the mean of b - a zero?

    A difference that is the same on every topic is an error: there is no variance to hold it against.

    >>> print(t_test([0.3, 0.6, 0.4], [0.5, 0.7, 0.4]))
    test                difference      sd       t  df       p  topics
    Student's paired t      0.1000  0.1000  1.7321   2  0.2254       3
    """
    from scipy.special import stdtr

    d = Differences.of(a, b, topics=topics).varied()
    t = d.mean / (d.sd / sqrt(d.n))
    return TTest(difference=d.mean, sd=d.sd, t=t, df=d.n - 1, pvalue=pvalue(float(2 * stdtr(d.n - 1, -abs(t)))), n=d.n)


def wilcoxon(
    a: Any,
    b: Any,
    *,
    method: Literal["auto", "exact", "normal"] = "auto",
    correction: bool = False,
    topics: Sequence[str] | None = None,
) -> WilcoxonTest:
    """The signed-rank test (Wilcoxon 1945): zeros dropped, equal absolute differences share their mean rank.

    Its hypothesis is that differences are symmetric around 0, not that two means are equal (docs/validity-real.md).

    The exact p is conditional on the ranks as they are, ties included; "auto" takes it up to 500 differences and
    the normal approximation, its variance corrected for ties, beyond. The continuity correction is for the normal
    approximation. Where all differences are zero p is 1, and the method says so.
    """
    if method not in ("auto", "exact", "normal"):
        raise InputError(f"method={method!r}", "method is auto, exact or normal")
    d = Differences.of(a, b, topics=topics)
    if not d.values.any():
        said = "signed ranks: all differences are zero"
        return WilcoxonTest(plus=0, minus=0, z=0, zeros=d.n, ties=0, pvalue=1.0, n=d.n, method=said)
    order = np.lexsort((d.errors, np.abs(d.values)))[d.zeros :]
    values = d.sign * d.values[order]
    group = tie_groups(np.abs(values), d.errors[order])
    sizes = np.bincount(group)
    last = np.cumsum(sizes)
    twice = (2 * last - sizes + 1)[group]  # twice the mean rank is whole
    m, total = values.size, int(twice.sum())
    above = int(twice[values > 0].sum())
    sd = sqrt(float(m * (m + 1) * (2 * m + 1) / 24 - (sizes**3 - sizes).sum() / 48))
    z = (above - total / 2) / 2 / sd
    if method == "exact" and m > MOST_RANKS:
        raise InputError(f"the exact distribution of {m} signed ranks takes too long", 'ask for method="normal"')
    if method == "exact" or (method == "auto" and m <= EXACT_RANKS):
        said, p = "signed ranks, exact", sign_flips.exact_on_grid(twice, 2 * above - total)
    else:
        from scipy.special import ndtr

        away = max(0.0, abs(z) - 0.5 / sd * correction)
        said, p = "signed ranks, normal" + ", continuity corrected" * correction, pvalue(float(2 * ndtr(-away)))
    return WilcoxonTest(
        plus=above / 2,
        minus=(total - above) / 2,
        z=z,
        zeros=d.zeros,
        ties=int(sizes[sizes > 1].sum()),
        pvalue=p,
        n=d.n,
        method=said,
    )


def sign_test(a: Any, b: Any, *, topics: Sequence[str] | None = None) -> SignTest:
    """The sign test (Arbuthnott 1710; Fisher 1925): is b higher as often as lower? Exact, zeros dropped.

    >>> sign_test([0.3, 0.6, 0.4], [0.5, 0.7, 0.4]).pvalue
    0.5
    """
    d = Differences.of(a, b, topics=topics)
    above, below = int((d.values > 0).sum()), int((d.values < 0).sum())
    if d.sign < 0:
        above, below = below, above
    said = {} if above + below else {"method": "sign test: all differences are zero"}
    return SignTest(plus=above, minus=below, zeros=d.zeros, pvalue=even_odds(above, below), n=d.n, **said)


def even_odds(above: int, below: int) -> float:
    """Two-sided exact binomial p of a fair coin; 1 where it was never tossed."""
    if above == below:
        return 1.0
    from scipy.special import bdtr

    return pvalue(2 * float(bdtr(min(above, below), above + below, 0.5)))


def randomisation_test(
    a: Any,
    b: Any,
    *,
    resampling: Resampling | None = None,
    exact: bool | None = None,
    workers: int | None = None,
    client: Client = None,
    topics: Sequence[str] | None = None,
) -> ResampledTest:
    """Fisher's randomisation test (Fisher 1935; Smucker, Allan and Carterette 2007): flip the sign of each difference.

    p is the share of all sign flips whose mean is at least as far from 0 as the one observed, ties included.
    It is exact where it can be: by counting all 2^n flips up to 40 differences other than 0, and by a table of all
    sums where the differences lie on a grid (P@10, RR@10, scores of four decimals). Otherwise flips are drawn and
    p = (b + 1) / (B + 1). `exact=False` always draws; `exact=True` refuses to. The method says which it was.

    >>> randomisation_test([0.3, 0.6, 0.4], [0.5, 0.7, 0.4]).pvalue
    0.5
    """
    resampling = resampling_of(resampling)
    d = Differences.of(a, b, topics=topics)
    sizes, errors = d.magnitudes()
    observed, off = float(d.values.sum()), float(errors.sum())
    p: float | None = None
    said = "randomisation"
    if not sizes.size:
        p, said = 1.0, "randomisation: all differences are zero"
    elif exact is not False:
        m = sizes.size
        on = sign_flips.affordable_grid(sizes, errors) if m > 20 else None
        if on is not None:
            weights, step = on
            p, said = (
                sign_flips.exact_on_grid(weights, round(observed / step)),
                f"{said}, exact on a grid of {step:.6g}",
            )
        elif m <= sign_flips.MOST_HALVED:
            p, said = sign_flips.exact_by_halves(sizes, observed, off), f"{said}, exact over 2^{d.n} sign flips"
        elif exact:
            raise InputError(
                f"{m} differences on no common grid: their 2^{m} sign flips are too many to count",
                "exact=False draws some of them",
            )
    if p is not None:
        return ResampledTest(difference=d.mean, pvalue=p, error=0.0, n=d.n, exact=True, method=said, resampling=None)
    with on_cluster(client):
        p = sign_flips.sampled(sizes, observed, off, resampling, workers)
    return ResampledTest(
        difference=d.mean,
        pvalue=p,
        error=_error(p, resampling),
        n=d.n,
        exact=False,
        method=f"{said}, {drawn(resampling, 'sign flips')}",
        resampling=resampling,
    )


def bootstrap_test(
    a: Any,
    b: Any,
    *,
    kind: BootstrapVariant = "studentised",
    resampling: Resampling | None = None,
    workers: int | None = None,
    client: Client = None,
    topics: Sequence[str] | None = None,
) -> ResampledTest:
    """The paired bootstrap test (Efron and Tibshirani 1993, chapter 16; Sakai 2006): topics drawn with replacement.

    Differences are shifted to mean 0 and resampled. "studentised" compares the t of each sample with the t observed,
    as Sakai does; "shift" compares the means. p = (b + 1) / (B + 1). A sample of one topic repeated has no t: it
    counts as extreme unless its mean is 0.
    """
    resampling = resampling_of(resampling)
    d = Differences.of(a, b, topics=topics).varied()
    bars = Bars.of(d.values[:, None], np.array([d.size]), np.array([d.error]), kind)
    summed = [bars.values] if bars.t is None else [bars.values, bars.squares]  # only t asks for squares
    units, shift = whole(np.concatenate(summed, axis=1), d.n)
    sums_of = resampling.kernels.drawn_sums

    def extreme(trials: tuple[int, int]) -> int:
        sums = np.ldexp(sums_of(units, resampling.seed, *trials), -shift)
        return int(np.count_nonzero(bars.reached(sums[:, :1], sums[:, -1:])))

    blocks = over_blocks(extreme, resampling, resampling.kernels.block(sign_flips.block(d.n), d.n, 2), workers, client)
    p = float(resampling.pvalue(np.asarray(sum(blocks)))) if bars.least[0] > 0 else 1.0
    return ResampledTest(
        difference=d.mean,
        pvalue=p,
        error=_error(p, resampling),
        n=d.n,
        exact=False,
        method=f"bootstrap, {kind}, {drawn(resampling, 'samples')}",
        resampling=resampling,
    )


def resampled(seed: int, first: int, trials: int, topics: int) -> Ints:
    """Topics drawn with replacement, (trials, topics), trials numbered from first."""
    return cpu.drawn(seed, first, trials, topics)


def _error(p: float, resampling: Resampling) -> float:
    return sqrt(p * (1 - p) / resampling.resamples)


def t_all_pairs(matrix: Any, *, systems: Sequence[str] | None = None, topics: Sequence[str] | None = None) -> AllPairs:
    """Student's paired t for all pairs of a topics x systems matrix, uncorrected.

    A pair whose difference is the same on every topic is an error that names it.
    """
    from scipy.special import stdtr

    scores = arguments.scores(matrix, topics=topics, systems=systems)
    names = _names(systems, scores.shape[1])
    n, count = scores.shape
    ordered, order = canonical(scores)
    columns = np.ascontiguousarray(ordered.T)
    known = error(columns)
    mean, t = np.zeros((count, count)), np.zeros((count, count))
    flat = []
    for i in range(count - 1):
        d = columns[i] - columns[i + 1 :]
        constant = same_on_all(d, known[i] + known[i + 1 :])
        mean[i, i + 1 :] = d.mean(axis=1)
        d -= mean[i, i + 1 :, None]
        flat += [(order[i], order[i + 1 + j]) for j in np.flatnonzero(constant).tolist()]
        d[constant] = 1.0
        t[i, i + 1 :] = mean[i, i + 1 :] / np.sqrt(np.einsum("ij,ij->i", d, d) / (n - 1) / n)
    if flat:
        cure = "leave one of them out, or test by randomisation_all_pairs"
        cause = "{} and {} differ by the same amount on every topic"
        raise InputError([Problem(cause.format(*sorted((names[i], names[j]))), cure) for i, j in flat])
    p = np.eye(count)
    upper = np.triu_indices(count, 1)
    p[upper] = np.maximum(2 * stdtr(n - 1, -np.abs(t[upper])), np.finfo(np.float64).tiny)
    said = "Student's paired t"
    return _all_pairs(mean, p, order, names, n, exact=True, method=said, resampling=None)


def randomisation_all_pairs(
    matrix: Any,
    *,
    resampling: Resampling | None = None,
    workers: int | None = None,
    client: Client = None,
    systems: Sequence[str] | None = None,
    topics: Sequence[str] | None = None,
) -> AllPairs:
    """The randomisation test for all pairs of a topics x systems matrix, which share their sign flips; uncorrected.

    All 2^n flips are taken where they are no more than the resamples asked for. Systems that score the same on
    every topic have p = 1.
    """
    resampling = resampling_of(resampling)
    scores = arguments.scores(matrix, topics=topics, systems=systems)
    names = _names(systems, scores.shape[1])
    n, count = scores.shape
    ordered, order = canonical(scores)
    exact = sign_flips.FlipUnits.of(ordered, 2 * n, 2 * float(error(ordered).sum(axis=0).max()))
    every = n < 62 and 2**n <= resampling.resamples
    taken, seed = (resampling.of(2**n), None) if every else (resampling, resampling.seed)
    reached = resampling.kernels.flipped_pairs

    def extreme(trials: tuple[int, int]) -> Ints:
        return reached(exact.units, exact.slack, seed, *trials)

    size = resampling.kernels.block(min(256, sign_flips.CELLS // max(n, count)), n * count, count)
    found = np.zeros((count, count), np.int64)
    for part in over_blocks(extreme, taken, size, workers, client):
        found += part
    p = found / 2.0**n if every else resampling.pvalue(found)
    np.fill_diagonal(p, 1.0)
    mean = ordered.mean(axis=0)[:, None] - ordered.mean(axis=0)
    what = f"exact over 2^{n} sign flips" if every else drawn(resampling, "sign flips")
    said = f"randomisation, {what}, shared by all pairs"
    return _all_pairs(mean, p, order, names, n, exact=every, method=said, resampling=None if every else resampling)


def _names(systems: Sequence[str] | None, count: int) -> tuple[str, ...]:
    return tuple(f"system {s}" for s in range(count)) if systems is None else tuple(systems)


def _all_pairs(
    mean: Floats,
    p: Floats,
    order: Ints,
    names: tuple[str, ...],
    n: int,
    *,
    exact: bool,
    method: str,
    resampling: Resampling | None,
) -> AllPairs:
    """From upper triangles in canonical order to full matrices in the order given."""
    mean, p = np.triu(mean, 1), np.triu(p, 1)
    back = np.empty_like(order)
    back[order] = np.arange(order.size)
    at = np.ix_(back, back)
    return AllPairs(
        systems=names,
        difference=(mean.T - mean)[at] + 0.0,
        pvalue=(p + p.T + np.eye(order.size))[at],
        n=n,
        exact=exact,
        method=method,
        resampling=resampling,
    )
