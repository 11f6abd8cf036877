"""Does an effect differ between groups of topics? A test of interaction, and estimates drawn to their mean."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rankscope.arrays import Floats
from rankscope.results import Result
from rankscope.statistics.replications.random_effects import paule_mandel, pooled


@dataclass(frozen=True, slots=True, kw_only=True)
class Interaction(Result):
    """Test of the hypothesis that the true effect is the same in all groups; `statistic` is F."""

    method: str
    statistic: float
    df: float
    df_error: float
    pvalue: float
    groups: int


def welch_interaction(estimates: ArrayLike, errors: ArrayLike, df: ArrayLike) -> Interaction:
    """Welch's F (Welch 1951) for estimates of independent groups, each with its standard error and its df.

    >>> round(welch_interaction([0.1, 0.3, 0.2], [0.05, 0.1, 0.04], [9, 14, 20]).pvalue, 4)
    0.1526
    """
    from scipy.special import fdtrc

    estimate, error, own = (np.asarray(x, np.float64) for x in (estimates, errors, df))
    k = estimate.size
    weight = 1 / error**2
    share = weight / weight.sum()
    middle = float(share @ estimate)
    lack = float((np.square(1 - share) / own).sum())
    between = float(weight @ np.square(estimate - middle)) / (k - 1)
    f = between / (1 + 2 * (k - 2) / (k * k - 1) * lack)
    df_error = (k * k - 1) / (3 * lack)
    return Interaction(
        method="Welch's F", statistic=f, df=k - 1, df_error=df_error, pvalue=float(fdtrc(k - 1, df_error, f)), groups=k
    )


def hotelling_interaction(estimates: ArrayLike, influences: ArrayLike) -> Interaction | None:
    """Hotelling's T² for groups that share units; None where there are too few units, or a group never varies.

    estimates   (groups,)
    influences  (units, groups): what each unit adds to each estimate beyond its mean; they sum to 0
    """
    from scipy.special import fdtrc

    estimate, influence = np.asarray(estimates, np.float64), np.asarray(influences, np.float64)
    units, k = influence.shape
    contrast = influence[:, 1:] - influence[:, :1]
    apart = estimate[1:] - estimate[0]
    covariance = contrast.T @ contrast * (units / (units - 1))
    df_error = units - 1 - (k - 1) + 1
    if df_error < 1 or np.linalg.matrix_rank(covariance) < k - 1:
        return None
    t2 = float(apart @ np.linalg.solve(covariance, apart))
    f = t2 * df_error / ((units - 1) * (k - 1))
    return Interaction(
        method="Hotelling's T²", statistic=f, df=k - 1, df_error=df_error, pvalue=float(fdtrc(k - 1, df_error, f)),
        groups=k,
    )  # fmt: skip


def shrunken(estimates: ArrayLike, errors: ArrayLike) -> tuple[Floats, float]:
    """Estimates drawn to their mean by how uncertain they are, and the variance between groups.

    Empirical Bayes (Efron and Morris 1975): true effects of groups are taken as a normal sample, whose variance is
    Paule and Mandel's (1982). With no variance beyond the errors all estimates are one.

    >>> values, between = shrunken([0.1, 0.3, 0.2], [0.2, 0.2, 0.2])
    >>> values.round(4).tolist(), between
    ([0.2, 0.2, 0.2], 0.0)
    """
    estimate, variance = np.asarray(estimates, np.float64), np.square(np.asarray(errors, np.float64))
    between = float(paule_mandel(estimate, variance))
    middle = float(pooled(estimate, variance, between).mean)
    return middle + (estimate - middle) * between / (variance + between), between
