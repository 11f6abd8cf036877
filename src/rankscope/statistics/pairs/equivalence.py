"""Tests of equivalence and non-inferiority, with a margin named in advance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rankscope import arguments
from rankscope.results import Result
from rankscope.statistics.equality import difference
from rankscope.statistics.pairs.difference_tests import RowTests, t_tests
from rankscope.statistics.pairs.differences import Differences
from rankscope.statistics.pairs.intervals import student_reach


@dataclass(frozen=True, slots=True, kw_only=True)
class Equivalence(Result):
    """Two one-sided tests: the difference is above -margin, and below margin.

    `lower` and `upper` bound the mean of b - a at level 1 - 2 alpha: p is below alpha just where both lie strictly
    within the margin. They are NaN where the difference is the same on every topic, and p is then that of sign flips.
    """

    method: str = "two one-sided paired t tests"
    difference: float
    margin: float
    pvalue_above: float  # against a difference of -margin or less
    pvalue_below: float  # against a difference of margin or more
    pvalue: float  # the larger of the two
    lower: float
    upper: float
    alpha: float
    n_topics: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NonInferiority(Result):
    """One one-sided test: the difference is above -margin; `lower` bounds it from below at level 1 - alpha."""

    method: str = "one-sided paired t test"
    difference: float
    margin: float
    statistic: float  # t
    df: int
    pvalue: float
    lower: float
    alpha: float
    n_topics: int


def equivalence(
    a: ArrayLike, b: ArrayLike, margin: float, *, alpha: float = 0.05, topics: Sequence[str] | None = None
) -> Equivalence:
    """Test whether the mean of b - a lies between -margin and margin (Schuirmann 1987). Symmetric in a and b.

    The null hypothesis is that it does not: a small p speaks for equivalence. alpha sets the level of the bounds.
    """
    arguments.positive("margin", margin)
    arguments.share("2 alpha", 2 * arguments.alpha(alpha))
    d = Differences.of(a, b, topics=topics)
    pvalue_above, pvalue_below = (float(_above(d, margin, sign).pvalue[0]) for sign in (1, -1))
    reach = student_reach(d, 1 - 2 * alpha)
    return Equivalence(
        difference=d.mean,
        margin=margin,
        pvalue_above=pvalue_above,
        pvalue_below=pvalue_below,
        pvalue=max(pvalue_above, pvalue_below),
        lower=d.mean - reach,
        upper=d.mean + reach,
        alpha=alpha,
        n_topics=d.n_topics,
    )


def non_inferiority(
    a: ArrayLike, b: ArrayLike, margin: float, *, alpha: float = 0.05, topics: Sequence[str] | None = None
) -> NonInferiority:
    """Test whether b is worse than a by less than the margin. A small p says so; it does not say that b is better."""
    arguments.positive("margin", margin)
    arguments.share("2 alpha", 2 * arguments.alpha(alpha))
    d = Differences.of(a, b, topics=topics)
    tested = _above(d, margin, 1)
    return NonInferiority(
        difference=d.mean,
        margin=margin,
        statistic=float(tested.statistic[0]),
        df=d.n_topics - 1,
        pvalue=float(tested.pvalue[0]),
        lower=d.mean - student_reach(d, 1 - 2 * alpha),
        alpha=alpha,
        n_topics=d.n_topics,
    )


def _above(d: Differences, margin: float, sign: int) -> RowTests:
    """Student's one-sided test that the mean of b - a, or of a - b where the sign is -1, is above -margin."""
    values, errors = difference(np.full(d.n_topics, -margin), sign * d.sign * d.values)
    return t_tests(values[None], errors=(errors + d.errors)[None], alternative="greater")
