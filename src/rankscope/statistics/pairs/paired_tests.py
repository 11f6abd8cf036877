"""Tests of two systems on the same topics: differences are b - a. None decides: the threshold is the reader's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from rankscope.arguments import one_of
from rankscope.errors import InputError
from rankscope.parallel import Client
from rankscope.parallel import on as on_cluster
from rankscope.results import Result
from rankscope.statistics.draws import sign_flips
from rankscope.statistics.draws.bootstrap import BootstrapVariant
from rankscope.statistics.draws.resampling import Resampling, drawn, resampling_of
from rankscope.statistics.pairs import saddlepoint
from rankscope.statistics.pairs.difference_tests import (
    bootstrap_tests,
    check_alternative,
    sign_tests,
    t_tests,
    wilcoxon_tests,
)
from rankscope.statistics.pairs.differences import Alternative, Differences, grid
from rankscope.statistics.pairs.intervals import (
    ConfidenceInterval,
    bootstrap_interval,
    randomisation_interval,
    t_interval,
)

Pair: TypeAlias = tuple[ArrayLike, ArrayLike]
"""Scores of a and of b."""
MOST_RANKS = 2000  # signed ranks whose exact distribution can be asked for


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedTest(Result):
    """A test of two systems on the same topics; `scores` are those of a and b, and no part of its other forms."""

    method: str
    alternative: Alternative = "two-sided"
    pvalue: float
    n_topics: int
    scores: Pair = field(repr=False, compare=False)

    def to_dict(self) -> dict[str, Any]:
        """All fields but the scores, as plain Python values: method and alternative first, p value last."""
        fields = Result.to_dict(self)
        del fields["scores"]
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
        """Student's interval for the mean of b - a, `t_interval`; one end is infinite for a one-sided test."""
        return t_interval(*self.scores, level=level, alternative=self.alternative)


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
    """Numbers of topics on which b scores higher (`plus`), lower (`minus`) and the same; `statistic` is the first."""

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
        """Shifts that are not rejected, `randomisation_interval`; one end is infinite for a one-sided test."""
        return randomisation_interval(
            *self.scores, level=level, resampling=self.resampling, alternative=self.alternative
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class BootstrapTest(ResampledTest):
    """The paired bootstrap test of the mean difference b - a."""

    def confidence_interval(self, level: float = 0.95) -> ConfidenceInterval:
        """The BCa interval of the same resamples, `bootstrap_interval`; one end is infinite for a one-sided test."""
        return bootstrap_interval(*self.scores, level=level, resampling=self.resampling, alternative=self.alternative)


def t_test(
    a: ArrayLike, b: ArrayLike, *, alternative: Alternative = "two-sided", topics: Sequence[str] | None = None
) -> TTest:
    """Student's t for paired samples (Student 1908), a test that the mean of b - a is 0.

    alternative  "two-sided", "greater" (the mean of b - a is above 0) or "less"

    A difference that is the same on every topic leaves no variance to go by: t is infinite, and p is that of sign
    flips. Without any difference t is 0 and p is 1.

    >>> print(t_test([0.3, 0.6, 0.4], [0.5, 0.7, 0.4]))
    method              alternative  difference      sd  statistic  df  pvalue  n_topics
    Student's paired t  two-sided        0.1000  0.1000     1.7321   2  0.2254         3
    """
    return t_test_of(Differences.of(a, b, topics=topics), (a, b), alternative=alternative)


def t_test_of(d: Differences, scores: Pair, *, alternative: Alternative = "two-sided") -> TTest:
    """`t_test` of differences that are known."""
    tested = t_tests(d.values[None], errors=d.errors[None], alternative=d.turned_alternative(alternative))
    return TTest(
        method=_method("Student's paired t", d),
        alternative=alternative,
        difference=d.mean,
        sd=0.0 if d.constant else d.sd,
        statistic=d.sign * float(tested.statistic[0]) + 0.0,
        df=d.n_topics - 1,
        pvalue=float(tested.pvalue[0]),
        n_topics=d.n_topics,
        scores=scores,
    )


def _method(name: str, d: Differences, how: str = "") -> str:
    """The method of a test of the mean: what stands in for it where there is no variance, else how p was found."""
    if not d.values.any():
        return f"{name}: all differences are zero"
    return f"randomisation in place of {name}: the difference is the same on every topic" if d.constant else name + how


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
    return wilcoxon_of(
        Differences.of(a, b, topics=topics), (a, b), method=method, correction=correction, alternative=alternative
    )


def wilcoxon_of(
    d: Differences,
    scores: Pair,
    *,
    method: Literal["auto", "exact", "normal"] = "auto",
    correction: bool = False,
    alternative: Alternative = "two-sided",
) -> WilcoxonTest:
    """`wilcoxon` of differences that are known."""
    one_of("method", method, ("auto", "exact", "normal"))
    m = d.n_topics - d.zeros
    if method == "exact" and m > MOST_RANKS:
        raise InputError(f"the exact distribution of {m} signed ranks takes too long", 'ask for method="normal"')
    tested = wilcoxon_tests(
        d.values[None],
        errors=d.errors[None],
        alternative=d.turned_alternative(alternative),
        method=method,
        correction=correction,
    )
    plus, minus = (float(tested.plus[0]), float(tested.minus[0]))[:: d.sign]
    sizes = np.unique(tested.twice[tested.twice > 0], return_counts=True)[1]
    used = ", exact" if tested.exact[0] else ", normal" + ", continuity corrected" * correction
    return WilcoxonTest(
        method="signed ranks" + (used if m else ": all differences are zero"),
        alternative=alternative,
        plus=plus,
        minus=minus,
        statistic=d.sign * float(tested.statistic[0]) + 0.0,
        zeros=d.zeros,
        ties=int(sizes[sizes > 1].sum()),
        pvalue=float(tested.pvalue[0]),
        n_topics=d.n_topics,
        scores=scores,
    )


def sign_test(
    a: ArrayLike, b: ArrayLike, *, alternative: Alternative = "two-sided", topics: Sequence[str] | None = None
) -> SignTest:
    """The sign test (Arbuthnott 1710; Fisher 1925) that b is higher as often as lower. Exact, zeros dropped.

    >>> sign_test([0.3, 0.6, 0.4], [0.5, 0.7, 0.4]).pvalue
    0.5
    """
    return sign_test_of(Differences.of(a, b, topics=topics), (a, b), alternative=alternative)


def sign_test_of(d: Differences, scores: Pair, *, alternative: Alternative = "two-sided") -> SignTest:
    """`sign_test` of differences that are known."""
    plus, minus = (int(np.count_nonzero(side)) for side in (d.sign * d.values > 0, d.sign * d.values < 0))
    return SignTest(
        method="sign test" + (", exact binomial, zeros dropped" if plus + minus else ": all differences are zero"),
        alternative=alternative,
        plus=plus,
        minus=minus,
        zeros=d.zeros,
        pvalue=float(sign_tests(d.values[None], alternative=d.turned_alternative(alternative)).pvalue[0]),
        n_topics=d.n_topics,
        scores=scores,
    )


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
    p = (b + 1) / (B + 1); but beyond 10,000 differences other than 0, unless a few decide the sum or sums lie in
    bunches, a saddlepoint approximation stands in, whose error is far below that of 10,000 resamples. `exact=False`
    always draws; `exact=True` refuses to. The method says which it was.

    >>> randomisation_test([0.3, 0.6, 0.4], [0.5, 0.7, 0.4]).pvalue
    0.5
    """
    d = Differences.of(a, b, topics=topics)
    with on_cluster(client):
        return randomisation_test_of(
            d, (a, b), resampling=resampling, exact=exact, alternative=alternative, workers=workers
        )


def randomisation_test_of(
    d: Differences,
    scores: Pair,
    *,
    resampling: Resampling | None = None,
    exact: bool | None = None,
    alternative: Alternative = "two-sided",
    workers: int | None = None,
) -> RandomisationTest:
    """`randomisation_test` of differences that are known."""
    resampling = resampling_of(resampling)
    tail = check_alternative(d.turned_alternative(alternative))
    sizes, errors = d.magnitudes()
    observed, off = float(d.values.sum()), float(errors.sum())
    p: float | None = None
    method, counted = "randomisation", True
    if not sizes.size:
        p, method = 1.0, f"{method}: all differences are zero"
    elif exact is not False:
        m = sizes.size
        on = grid(sizes, errors) if m > 20 else None
        if on is not None and sign_flips.affordable(on[0]):
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
        elif saddlepoint.many(sizes) and not saddlepoint.bunched(sizes, span := 2 * on[1] if on is not None else 0.0):
            p = saddlepoint.flipped_pvalue(sizes, observed, tail, span)
            method, counted = f"{method}, {saddlepoint.WORDS}", False
    drawn_at_random = p is None
    if p is None:
        p = sign_flips.sampled(sizes, observed, off, resampling, workers, tail)
        method = f"{method}, {drawn(resampling, 'sign flips')}"
    return RandomisationTest(
        difference=d.mean,
        pvalue=p,
        error=_error(p, resampling) if drawn_at_random else 0.0,
        n_topics=d.n_topics,
        exact=counted and not drawn_at_random,
        method=method,
        alternative=alternative,
        resampling=resampling if drawn_at_random else None,
        scores=scores,
    )


def bootstrap_test(
    a: ArrayLike,
    b: ArrayLike,
    *,
    variant: BootstrapVariant = "studentised",
    alternative: Alternative = "two-sided",
    resampling: Resampling | None = None,
    exact: bool | None = None,
    workers: int | None = None,
    client: Client = None,
    topics: Sequence[str] | None = None,
) -> BootstrapTest:
    """The paired bootstrap test (Efron and Tibshirani 1993, chapter 16; Sakai 2006): topics drawn with replacement.

    Differences are shifted to mean 0 and resampled. "studentised" compares the t of each sample with the t observed,
    as Sakai does; "shift" compares the means; with alternative="greater" or "less", in that direction alone.
    p = (b + 1) / (B + 1). A sample of one topic repeated has no t: its t counts as infinite unless its mean is 0. A
    difference that is the same on every topic leaves nothing to resample, and has the p of sign flips. Beyond 10,000
    topics, unless a few decide the sum or sums lie in bunches, nothing is drawn: a saddlepoint approximation ("shift")
    or an Edgeworth expansion ("studentised") of all samples stands in. `exact=False` always draws; `exact=True` refuses
    to, and to approximate. The method says which it was.
    """
    one_of("variant", variant, ("studentised", "shift"))
    resampling = resampling_of(resampling)
    d = Differences.of(a, b, topics=topics)
    if exact and not d.constant:
        raise InputError(f"all samples of {d.n_topics} topics are too many to count", "exact=False draws some of them")
    turned = d.turned_alternative(alternative)
    drawn_at_random = not d.constant and (exact is False or not saddlepoint.steady(d.values))
    span = 0.0
    if not d.constant and not drawn_at_random:
        if variant == "shift":
            on = grid(d.values, d.errors)
            span = 0.0 if on is None else on[1]
            drawn_at_random = saddlepoint.samples_bunched(d.values, span)
        else:  # t of two values lies on a grid, which the expansion does not know
            drawn_at_random = bool(np.isin(d.values, (d.values.min(), d.values.max())).all())
    how = f", {drawn(resampling, 'samples')}"
    if drawn_at_random or d.constant:
        tested = bootstrap_tests(
            d.values[None],
            errors=d.errors[None],
            resampling=resampling,
            variant=variant,
            alternative=turned,
            workers=workers,
            client=client,
        )
        p = float(tested.pvalue[0])
    elif variant == "studentised":
        t = d.mean / d.sd * sqrt(d.n_topics)
        p, how = saddlepoint.studentised_pvalue(d.values, abs(t), check_alternative(turned)), ", Edgeworth expansion"
    else:
        p, how = saddlepoint.drawn_pvalue(d.values, check_alternative(turned), span), f", {saddlepoint.WORDS}"
    return BootstrapTest(
        method=_method(f"bootstrap, {variant}", d, how),
        alternative=alternative,
        difference=d.mean,
        pvalue=p,
        error=_error(p, resampling) if drawn_at_random else 0.0,
        n_topics=d.n_topics,
        exact=d.constant,
        resampling=resampling if drawn_at_random else None,
        scores=(a, b),
    )


def _error(p: float, resampling: Resampling) -> float:
    return sqrt(p * (1 - p) / resampling.resamples)
