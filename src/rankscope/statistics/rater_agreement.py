"""Agreement of raters beyond chance: Cohen's kappa of two raters, Krippendorff's alpha of any number.

Both are computed from tables of counts, and tables of several topics are added up. So one function serves the data and
all bootstrap samples of their topics at once.

Cohen 1960 is in Educational and Psychological Measurement 20, Cohen 1968 in Psychological Bulletin 70(4), 213-220;
Krippendorff 2004 is the second edition of his book Content Analysis.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from rankscope.arguments import one_of
from rankscope.arrays import Floats, Ints
from rankscope.errors import InputError
from rankscope.results import Result

Weights: TypeAlias = Literal["none", "linear", "quadratic"]
Scale: TypeAlias = Literal["nominal", "ordinal", "interval"]
WEIGHTS: tuple[Weights, ...] = ("none", "linear", "quadratic")
SCALES: tuple[Scale, ...] = ("nominal", "ordinal", "interval")


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterAgreement(Result):
    """Agreement beyond chance: 1 where raters always agree, 0 where they agree as often as by chance.

    NaN where it is undefined: every rating is the same.

    variant  weights of Cohen's kappa, or the scale of Krippendorff's alpha
    ratings  how many pairs of ratings, or units with two ratings or more, it rests on
    """

    statistic: float
    variant: str
    ratings: int


def cohen_kappa(x: ArrayLike, y: ArrayLike, *, variant: Weights = "none") -> RaterAgreement:
    """Kappa of two raters (Cohen 1960), weighted as in Cohen (1968): one rating of each per item.

    variant  "none" counts every disagreement alike, "linear" by the difference of the two grades, "quadratic" by its
             square. The grades themselves are the scale, so that gaps and fractions count as what they are.

    >>> round(cohen_kappa([0, 1, 2, 2], [0, 1, 1, 2]).statistic, 4)
    0.6364
    """
    one_of("variant", variant, WEIGHTS)
    first, second = _ratings(x, "x"), _ratings(y, "y")
    if len(first) != len(second):
        raise InputError(f"{len(first)} and {len(second)} ratings", "give both raters' grade of every item")
    values, table = confusion(first, second)
    statistic = float(kappas(table[None], values, values, variant)[0])
    return RaterAgreement(statistic=statistic, variant=variant, ratings=len(first))


def krippendorff_alpha(ratings: ArrayLike, *, variant: Scale = "ordinal") -> RaterAgreement:
    """Alpha of any number of raters (Krippendorff 2004): raters x units, NaN where a rater has not rated a unit.

    Units with fewer than two ratings are left out. The values that occur are the categories of the ordinal scale.

    >>> round(krippendorff_alpha([[0, 1, 2, 2], [0, 1, 1, 2]], variant="nominal").statistic, 4)
    0.6667
    """
    one_of("variant", variant, SCALES)
    array = np.asarray(ratings, np.float64)
    if array.ndim != 2 or len(array) < 2:
        raise InputError(f"ratings of shape {array.shape}", "give raters x units, at least two raters")
    if np.isinf(array).any():
        raise InputError("an infinite rating", "give finite grades, and NaN where there is none")
    values, counts = value_counts(array)
    rated = int(np.count_nonzero(counts.sum(axis=1) > 1))
    if not rated:
        raise InputError("no unit has two ratings", "give units that two raters have rated")
    statistic = float(alphas(coincidences(counts).sum(axis=0)[None], values, variant)[0])
    return RaterAgreement(statistic=statistic, variant=variant, ratings=rated)


def confusion(first: Floats, second: Floats) -> tuple[Floats, Ints]:
    """The values of two raters together, and how often each pair of them occurs: rows are the first rater's."""
    values, index = np.unique(np.concatenate([first, second]), return_inverse=True)
    pair = index[: len(first)] * len(values) + index[len(first) :]
    return values, np.bincount(pair, minlength=len(values) ** 2).reshape(len(values), -1)


def kappas(tables: Floats | Ints, first: Floats, second: Floats, variant: Weights) -> Floats:
    """Kappa of each table of counts, (B, m, n), of raters with these values; NaN where chance alone agrees always."""
    apart = np.abs(first[:, None] - second[None, :])
    cost = (apart > 0).astype(np.float64) if variant == "none" else apart if variant == "linear" else apart**2
    total = tables.sum(axis=(1, 2)).astype(np.float64)
    rows, columns = tables.sum(axis=2), tables.sum(axis=1)
    observed = np.einsum("bij,ij->b", tables, cost)
    expected = np.einsum("bi,ij,bj->b", rows, cost, columns, optimize=True)
    return 1 - np.divide(observed * total, expected, out=np.full(len(total), np.nan), where=expected > 0)


def value_counts(ratings: Floats) -> tuple[Floats, Ints]:
    """The values that occur, and how many raters gave each of them, (units, values); NaN is no rating."""
    known = ~np.isnan(ratings)
    values, index = np.unique(ratings[known], return_inverse=True)
    counts = np.zeros((ratings.shape[1], len(values)), np.int64)
    np.add.at(counts, (np.nonzero(known)[1], index), 1)
    return values, counts


def coincidences(counts: Ints) -> Floats:
    """Coincidence matrix of each unit, (units, values, values): pairs of its ratings, each rating counted once."""
    ratings = counts.sum(axis=1)
    pairs: Floats = counts[:, :, None].astype(np.float64) * counts[:, None, :]
    diagonal = np.arange(counts.shape[1])
    pairs[:, diagonal, diagonal] -= counts
    pairs[ratings > 1] /= (ratings[ratings > 1] - 1)[:, None, None]
    pairs[ratings < 2] = 0.0
    return pairs


def alphas(tables: Floats, values: Floats, variant: Scale) -> Floats:
    """Alpha of each coincidence matrix, (B, v, v); NaN where only one value occurs."""
    margin = tables.sum(axis=2)
    total = margin.sum(axis=1)
    if variant == "ordinal":  # values that do not occur are between no two others
        below = np.cumsum(margin, axis=1) - margin / 2
        cost = np.square(below[:, :, None] - below[:, None, :])
    else:
        apart = np.abs(values[:, None] - values[None, :])
        one = apart**2 if variant == "interval" else (apart > 0).astype(np.float64)
        cost = np.broadcast_to(one, tables.shape)
    observed = (tables * cost).sum(axis=(1, 2))
    expected = np.einsum("bi,bij,bj->b", margin, cost, margin, optimize=True)
    return 1 - np.divide(observed * (total - 1), expected, out=np.full(len(total), np.nan), where=expected > 0)


def _ratings(values: Any, name: str) -> Floats:
    array = np.asarray(values, np.float64)
    if array.ndim != 1 or not len(array):
        raise InputError(f"{name} has shape {array.shape}", "give one grade per item")
    if not np.isfinite(array).all():
        at = int(np.flatnonzero(~np.isfinite(array))[0])
        raise InputError(f"{name}: the rating of item {at} is {array[at]}", "leave out items that one has not rated")
    return array
