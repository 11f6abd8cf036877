"""Does an effect differ between groups of topics? A test of interaction, and estimates drawn to their mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rankscope.arrays import Floats, Ints
from rankscope.results import Result
from rankscope.statistics.replications.random_effects import paule_mandel, pooled
from rankscope.statistics.special import fdtrc


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
        method="Welch's F", statistic=f, df=k - 1, df_error=df_error, pvalue=fdtrc(k - 1, df_error, f), groups=k
    )


def hotelling_interaction(estimates: ArrayLike, influences: ArrayLike) -> Interaction | None:
    """Hotelling's T² for groups that share units; None where there are too few units, or a group never varies.

    estimates   (groups,)
    influences  (units, groups): what each unit adds to each estimate beyond its mean; they sum to 0
    """
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
        method="Hotelling's T²", statistic=f, df=k - 1, df_error=df_error, pvalue=fdtrc(k - 1, df_error, f),
        groups=k,
    )  # fmt: skip


def profile_interaction(means: ArrayLike, influences: Sequence[Floats], units: Sequence[Ints]) -> Interaction | None:
    """ANOVA-type F of the hypothesis that systems differ by the same in all groups (Brunner, Dette and Munk 1997).

    means       (groups, systems)
    influences  for each group, (units, systems): what each unit adds to the means beyond them; they sum to 0
    units       for each group, which units these are; a unit may be in several groups

    Groups may have different variances, and systems may correlate in any way; there may be more systems than units, for
    Box's degrees of freedom have Srivastava's (2005) unbiased estimates. None where nothing varies. With two groups of
    different topics and two systems it is Welch's t test of their differences.

    >>> d = [0.1, 0.3, 0.2, 0.5], [0.0, 0.1, -0.1]
    >>> x = [np.stack([np.zeros(len(v)), np.array(v)], axis=1) for v in d]
    >>> influences = [(v - v.mean(axis=0)) / len(v) for v in x]
    >>> test = profile_interaction([v.mean(axis=0) for v in x], influences, [np.arange(4), np.arange(4, 7)])
    >>> round(test.pvalue, 4)  # scipy.stats.ttest_ind(*d, equal_var=False)
    0.0459
    """
    mean = np.asarray(means, np.float64)
    k, systems = mean.shape
    mean = mean - mean.mean(axis=1, keepdims=True)
    between = float(np.square(mean - mean.mean(axis=0)).sum())
    own = [part - part.mean(axis=1, keepdims=True) for part in influences]
    every = np.unique(np.concatenate(units))
    if every.size == sum(part.size for part in units):  # no unit in two groups
        covariances = [part.T @ part * (len(part) / (len(part) - 1)) for part in own]
        products = np.array([[float((a * b).sum()) for b in covariances] for a in covariances])
        traces = [float(np.trace(part)) for part in covariances]
        trace = (1 - 1 / k) * sum(traces)
        lack = (1 - 1 / k) ** 2 * sum(products[i, i] / (len(part) - 1) for i, part in enumerate(own))
        for i, part in enumerate(own):
            products[i, i] = _square_trace(products[i, i], traces[i], len(part) - 1)
        squares = float(((np.eye(k) - 1 / k) ** 2 * products).sum())
    else:
        joint = np.zeros((every.size, k, systems))
        for i, part in enumerate(own):
            joint[np.searchsorted(every, units[i]), i] = part
        joint -= joint.mean(axis=1, keepdims=True)
        flat = joint.reshape(every.size, -1)
        scale = every.size / (every.size - 1)
        trace = float(np.square(flat).sum()) * scale
        gram = flat.T @ flat if flat.shape[1] < every.size else flat @ flat.T
        plain = float(np.square(gram).sum()) * scale**2
        lack = plain / (every.size - 1)
        squares = _square_trace(plain, trace, every.size - 1)
    if not trace > 0:
        return None
    squares = max(squares, trace**2 / ((k - 1) * (systems - 1)))
    df, df_error, f = trace**2 / squares, trace**2 / lack, between / trace
    return Interaction(
        method="ANOVA-type F", statistic=f, df=df, df_error=df_error, pvalue=fdtrc(df, df_error, f), groups=k
    )


def _square_trace(squares: float, trace: float, df: int) -> float:
    """Unbiased estimate of tr(C²) for a normal sample, from tr(S²) and tr(S) of its covariance (Srivastava 2005)."""
    return max(0.0, (squares - trace**2 / df) * df**2 / ((df - 1) * (df + 2)))


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
