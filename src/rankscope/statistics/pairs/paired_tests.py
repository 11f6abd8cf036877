"""Tests of two systems on the same topics: differences are b - a. None decides: the threshold is the reader's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from rankscope.arrays import Floats, Ints
from rankscope.errors import InputError, Problem, plural
from rankscope.kernels import cpu
from rankscope.parallel import Client
from rankscope.parallel import on as on_cluster
from rankscope.results import Result
from rankscope.statistics import arguments
from rankscope.statistics.draws import sign_flips
from rankscope.statistics.draws.bootstrap import Bars, BootstrapVariant
from rankscope.statistics.draws.canonical_order import canonical
from rankscope.statistics.draws.resampling import Resampling, drawn, integer_columns, over_blocks, resampling_of
from rankscope.statistics.equality import error, tie_groups
from rankscope.statistics.pairs.differences import Differences, pvalue, same_on_all
from rankscope.statistics.pairs.intervals import (
    ConfidenceInterval,
    bootstrap_interval_of,
    randomisation_interval_of,
    t_interval_of,
)

MOST_RANKS = 2000
EXACT_RANKS = 500  # signed ranks of so many topics have their exact distribution within a moment


Alternative: TypeAlias = Literal["two-sided", "greater", "less"]
"""What speaks against the null hypothesis: b and a differ, b is greater than a, b is less than a."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedTest(Result):
    """A test of two systems on the same topics; `differences` are b - a by topic, and no part of its other forms."""

    method: str
    alternative: Alternative = "two-sided"
    pvalue: float
    n_topics: int
    differences: Differences = field(repr=False, compare=False)

    def to_dict(self) -> dict[str, Any]:
        """All fields but the differences, as plain Python values: method and alternative first, p value last."""
        fields = Result.to_dict(self)
        del fields["differences"]
        last = {name: fields.pop(name) for name in ("pvalue", "n_topics")}
        return {**fields, **last}


@dataclass(frozen=True, slots=True, kw_only=True)
class TTest(PairedTest):
    """Student's t of the mean difference b - a; `statistic` is t."""

    difference: float
    sd: float
    statistic: float
    df: int

    def confidence_interval(self, level: float = 0.95) -> ConfidenceInterval:
        """Student's interval for the mean of b - a, both ends: `t_interval`."""
        return t_interval_of(self.differences, level)


@dataclass(frozen=True, slots=True, kw_only=True)
class WilcoxonTest(PairedTest):
    """Sums of the ranks of positive and of negative differences b - a; `statistic` is z of the first, uncorrected."""

    plus: float
    minus: float
    statistic: float
    zeros: int  # topics left out because both systems score the same
    ties: int  # topics whose absolute difference another topic shares


@dataclass(frozen=True, slots=True, kw_only=True)
class SignTest(PairedTest):
    """On how many topics b scores higher (`plus`), lower (`minus`) and the same; `statistic` is the first."""

    plus: int
    minus: int
    zeros: int

    @property
    def statistic(self) -> int:
        """Topics on which b scores higher."""
        return self.plus


@dataclass(frozen=True, slots=True, kw_only=True)
class ResampledTest(PairedTest):
    """A test of the mean difference b - a by resampling; `error` is the standard error of a sampled p value."""

    difference: float
    error: float
    exact: bool
    resampling: Resampling | None  # None where nothing was drawn

    @property
    def statistic(self) -> float:
        """The mean difference."""
        return self.difference


@dataclass(frozen=True, slots=True, kw_only=True)
class RandomisationTest(ResampledTest):
    """Fisher's randomisation test of the mean difference b - a."""

    def confidence_interval(self, level: float = 0.95) -> ConfidenceInterval:
        """The shifts that the test does not reject, both ends: `randomisation_interval`."""
        return randomisation_interval_of(self.differences, level=level, resampling=self.resampling)


@dataclass(frozen=True, slots=True, kw_only=True)
class BootstrapTest(ResampledTest):
    """The paired bootstrap test of the mean difference b - a."""

    def confidence_interval(self, level: float = 0.95) -> ConfidenceInterval:
        """The BCa interval of the same resamples, both ends: `bootstrap_interval`."""
        return bootstrap_interval_of(self.differences, level=level, resampling=self.resampling)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AllPairs(Result):
    """Differences of means and p values, uncorrected, of all pairs: column minus row, systems x systems."""

    systems: tuple[str, ...]
    difference: Floats
    pvalue: Floats  # 1 on the diagonal
    n_topics: int
    exact: bool
    method: str
    resampling: Resampling | None

    def columns(self) -> dict[str, list[Any]]:
        """One row per pair: a, b, the difference b - a and its p value."""
        first, second = np.triu_indices(len(self.systems), 1)
        return {
            "a": [self.systems[i] for i in first.tolist()],
            "b": [self.systems[i] for i in second.tolist()],
            "difference": self.difference[first, second].tolist(),
            "pvalue": self.pvalue[first, second].tolist(),
        }

    def remarks(self) -> list[str]:
        return [f"{self.method}; {plural(self.n_topics, 'topic')}; p values are not corrected"]


def t_test(
    a: ArrayLike, b: ArrayLike, *, alternative: Alternative = "two-sided", topics: Sequence[str] | None = None
) -> TTest:
    """Student's t for paired samples (Student 1908): is the mean of b - a zero?

    alternative  "two-sided", "greater" (the mean of b - a is above 0) or "less"

    A difference that is the same on every topic is an error: there is no variance to hold it against.

    >>> print(t_test([0.3, 0.6, 0.4], [0.5, 0.7, 0.4]))
    method              alternative  difference      sd  statistic  df  pvalue  n_topics
    Student's paired t  two-sided        0.1000  0.1000     1.7321   2  0.2254         3
    """
    from scipy.special import stdtr

    check_alternative(alternative)
    d = Differences.of(a, b, topics=topics).varied()
    df = d.n_topics - 1
    t = d.mean / (d.sd / sqrt(d.n_topics))
    p = 2 * stdtr(df, -abs(t)) if alternative == "two-sided" else stdtr(df, -t if alternative == "greater" else t)
    return TTest(
        method="Student's paired t",
        alternative=alternative,
        difference=d.mean,
        sd=d.sd,
        statistic=t,
        df=df,
        pvalue=pvalue(float(p)),
        n_topics=d.n_topics,
        differences=d,
    )


def check_alternative(alternative: Alternative) -> None:
    """Refuse what is no alternative."""
    if alternative not in get_args(Alternative):
        raise InputError(f"alternative={alternative!r}", "alternative is two-sided, greater or less")


def _tail(d: Differences, alternative: Alternative) -> int:
    """The side of `d.values` that speaks for the alternative: 1 the upper, -1 the lower, 0 both."""
    return {"two-sided": 0, "greater": d.sign, "less": -d.sign}[alternative]


def wilcoxon(
    a: ArrayLike,
    b: ArrayLike,
    *,
    method: Literal["auto", "exact", "normal"] = "auto",
    correction: bool = False,
    alternative: Alternative = "two-sided",
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
    check_alternative(alternative)
    d = Differences.of(a, b, topics=topics)
    if not d.values.any():
        return WilcoxonTest(
            method="signed ranks: all differences are zero", alternative=alternative, plus=0, minus=0, statistic=0,
            zeros=d.n_topics, ties=0, pvalue=1.0, n_topics=d.n_topics, differences=d,
        )  # fmt: skip
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
    tail = {"two-sided": 0, "greater": 1, "less": -1}[alternative]
    if method == "exact" and m > MOST_RANKS:
        raise InputError(f"the exact distribution of {m} signed ranks takes too long", 'ask for method="normal"')
    if method == "exact" or (method == "auto" and m <= EXACT_RANKS):
        variant, p = "signed ranks, exact", sign_flips.exact_on_grid(twice, 2 * above - total, tail)
    else:
        from scipy.special import ndtr

        shift = 0.5 / sd * correction
        p = pvalue(float(ndtr(shift - tail * z) if tail else 2 * ndtr(-max(0.0, abs(z) - shift))))
        variant = "signed ranks, normal" + ", continuity corrected" * correction
    return WilcoxonTest(
        method=variant,
        alternative=alternative,
        plus=above / 2,
        minus=(total - above) / 2,
        statistic=z,
        zeros=d.zeros,
        ties=int(sizes[sizes > 1].sum()),
        pvalue=p,
        n_topics=d.n_topics,
        differences=d,
    )


def sign_test(
    a: ArrayLike, b: ArrayLike, *, alternative: Alternative = "two-sided", topics: Sequence[str] | None = None
) -> SignTest:
    """The sign test (Arbuthnott 1710; Fisher 1925): is b higher as often as lower? Exact, zeros dropped.

    >>> sign_test([0.3, 0.6, 0.4], [0.5, 0.7, 0.4]).pvalue
    0.5
    """
    check_alternative(alternative)
    d = Differences.of(a, b, topics=topics)
    above, below = int((d.values > 0).sum()), int((d.values < 0).sum())
    if d.sign < 0:
        above, below = below, above
    return SignTest(
        method="sign test, exact binomial, zeros dropped" if above + below else "sign test: all differences are zero",
        alternative=alternative,
        plus=above,
        minus=below,
        zeros=d.zeros,
        pvalue=even_odds(above, below, alternative),
        n_topics=d.n_topics,
        differences=d,
    )


def even_odds(above: int, below: int, alternative: Alternative = "two-sided") -> float:
    """Exact binomial p of a fair coin; 1 where it was never tossed."""
    from scipy.special import bdtr

    if alternative != "two-sided":
        return pvalue(float(bdtr(below if alternative == "greater" else above, above + below, 0.5)))
    return 1.0 if above == below else pvalue(2 * float(bdtr(min(above, below), above + below, 0.5)))


def randomisation_test(
    a: ArrayLike,
    b: ArrayLike,
    *,
    resampling: Resampling | None = None,
    exact: bool | None = None,
    alternative: Alternative = "two-sided",
    workers: int | None = None,
    client: Client = None,
    topics: Sequence[str] | None = None,
) -> RandomisationTest:
    """Fisher's randomisation test (Fisher 1935; Smucker, Allan and Carterette 2007): flip the sign of each difference.

    p is the share of all sign flips whose mean is at least as far from 0 as the one observed, ties included; with
    alternative="greater" or "less", at least as far above or below.
    It is exact where it can be: by counting all 2^n flips up to 40 differences other than 0, and by a table of all
    sums where the differences lie on a grid (P@10, RR@10, scores of four decimals). Otherwise flips are drawn and
    p = (b + 1) / (B + 1). `exact=False` always draws; `exact=True` refuses to. The method says which it was.

    >>> randomisation_test([0.3, 0.6, 0.4], [0.5, 0.7, 0.4]).pvalue
    0.5
    """
    resampling = resampling_of(resampling)
    check_alternative(alternative)
    d = Differences.of(a, b, topics=topics)
    sizes, errors = d.magnitudes()
    observed, off = float(d.values.sum()), float(errors.sum())
    tail = _tail(d, alternative)
    p: float | None = None
    method = "randomisation"
    if not sizes.size:
        p, method = 1.0, "randomisation: all differences are zero"
    elif exact is not False:
        m = sizes.size
        on = sign_flips.affordable_grid(sizes, errors) if m > 20 else None
        if on is not None:
            weights, step = on
            p, method = (
                sign_flips.exact_on_grid(weights, round(observed / step), tail),
                f"{method}, exact on a grid of {step:.6g}",
            )
        elif m <= sign_flips.MOST_HALVED:
            p, method = (
                sign_flips.exact_by_halves(sizes, observed, off, tail),
                f"{method}, exact over 2^{d.n_topics} sign flips",
            )
        elif exact:
            raise InputError(
                f"{m} differences on no common grid: their 2^{m} sign flips are too many to count",
                "exact=False draws some of them",
            )
    counted = p is not None
    if p is None:
        with on_cluster(client):
            p = sign_flips.sampled(sizes, observed, off, resampling, workers, tail)
        method = f"{method}, {drawn(resampling, 'sign flips')}"
    return RandomisationTest(
        difference=d.mean,
        pvalue=p,
        error=0.0 if counted else _error(p, resampling),
        n_topics=d.n_topics,
        exact=counted,
        method=method,
        alternative=alternative,
        resampling=None if counted else resampling,
        differences=d,
    )


def bootstrap_test(
    a: ArrayLike,
    b: ArrayLike,
    *,
    variant: BootstrapVariant = "studentised",
    resampling: Resampling | None = None,
    workers: int | None = None,
    client: Client = None,
    topics: Sequence[str] | None = None,
) -> BootstrapTest:
    """The paired bootstrap test (Efron and Tibshirani 1993, chapter 16; Sakai 2006): topics drawn with replacement.

    Differences are shifted to mean 0 and resampled. "studentised" compares the t of each sample with the t observed,
    as Sakai does; "shift" compares the means. p = (b + 1) / (B + 1). A sample of one topic repeated has no t: it
    counts as extreme unless its mean is 0.
    """
    resampling = resampling_of(resampling)
    d = Differences.of(a, b, topics=topics).varied()
    bars = Bars.of(d.values[:, None], np.array([d.size]), np.array([d.error]), variant)
    summed = [bars.values] if bars.t is None else [bars.values, bars.squares]  # only t asks for squares
    units, shift = integer_columns(np.concatenate(summed, axis=1), d.n_topics)
    sums_of = resampling.kernels.drawn_sums

    def extreme(trials: tuple[int, int]) -> int:
        sums = np.ldexp(sums_of(units, resampling.seed, *trials), -shift)
        return int(np.count_nonzero(bars.reached(sums[:, :1], sums[:, -1:])))

    blocks = over_blocks(
        extreme, resampling, resampling.kernels.block(sign_flips.block(d.n_topics), d.n_topics, 2), workers, client
    )
    p = float(resampling.pvalue(np.asarray(sum(blocks)))) if bars.least[0] > 0 else 1.0
    return BootstrapTest(
        difference=d.mean,
        pvalue=p,
        error=_error(p, resampling),
        n_topics=d.n_topics,
        exact=False,
        method=f"bootstrap, {variant}, {drawn(resampling, 'samples')}",
        resampling=resampling,
        differences=d,
    )


def resampled(seed: int, first: int, trials: int, topics: int) -> Ints:
    """Topics drawn with replacement, (trials, topics), trials numbered from first."""
    return cpu.drawn(seed, first, trials, topics)


def _error(p: float, resampling: Resampling) -> float:
    return sqrt(p * (1 - p) / resampling.resamples)


def t_all_pairs(
    matrix: ArrayLike, *, systems: Sequence[str] | None = None, topics: Sequence[str] | None = None
) -> AllPairs:
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
    method = "Student's paired t"
    return _all_pairs(mean, p, order, names, n, exact=True, method=method, resampling=None)


def randomisation_all_pairs(
    matrix: ArrayLike,
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
    counts = np.zeros((count, count), np.int64)
    for part in over_blocks(extreme, taken, size, workers, client):
        counts += part
    p = counts / 2.0**n if every else resampling.pvalue(counts)
    np.fill_diagonal(p, 1.0)
    mean = ordered.mean(axis=0)[:, None] - ordered.mean(axis=0)
    what = f"exact over 2^{n} sign flips" if every else drawn(resampling, "sign flips")
    method = f"randomisation, {what}, shared by all pairs"
    return _all_pairs(mean, p, order, names, n, exact=every, method=method, resampling=None if every else resampling)


def _names(systems: Sequence[str] | None, count: int) -> tuple[str, ...]:
    return tuple(f"system {s}" for s in range(count)) if systems is None else tuple(systems)


def _all_pairs(
    mean: Floats,
    p: Floats,
    order: Ints,
    names: tuple[str, ...],
    n_topics: int,
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
        n_topics=n_topics,
        exact=exact,
        method=method,
        resampling=resampling,
    )
