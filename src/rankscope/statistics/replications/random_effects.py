"""Mean effect over collections whose true effects differ: random effects, heterogeneity, the next collection.

Collection i has the effect y_i with the variance v_i of its own sampling of topics. Its true effect is one of a
population of collections with the mean mu and the variance tau2, so that y_i has the variance v_i + tau2.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import nan, sqrt
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from rankscope import arguments
from rankscope.arrays import Bools, Floats
from rankscope.errors import InputError, Problem, are, plural
from rankscope.results import Result
from rankscope.statistics import equality
from rankscope.statistics.special import ndtr, stdtr, stdtrit

Variant: TypeAlias = Literal["paule-mandel", "reml", "dersimonian-laird", "fixed"]
Interval: TypeAlias = Literal["hartung-knapp", "truncated", "normal"]
Weighting: TypeAlias = Literal["equal", "precision"]
VARIANTS: dict[Variant, str] = {
    "paule-mandel": "Paule and Mandel (1982)",
    "reml": "restricted maximum likelihood",
    "dersimonian-laird": "DerSimonian and Laird (1986)",
    "fixed": "one true effect, no heterogeneity",
}
INTERVALS: dict[Interval, str] = {
    "hartung-knapp": "Hartung and Knapp (2001)",
    "truncated": "Hartung and Knapp, never shorter than without heterogeneity",
    "normal": "normal, which is too short for few collections",
}
STAND_IN = "randomisation in place of Student's t: the difference is the same on every collection"
NORMAL = 1e9  # degrees of freedom of Student's t that is the normal
_STEPS = 500  # of an iteration that takes some ten
_NORMALS = 199  # values of tau2 that its confidence distribution is made of
_GRID = 400  # values of tau2 at which the restricted likelihood is looked at first


class Pooled(NamedTuple):
    """Weighted means over the last axis: the mean, weights 1 / (v + tau2), their sum, sum of weighted squares."""

    mean: Floats
    weights: Floats
    total: Floats
    squares: Floats


def pooled(effects: Floats, variances: Floats, tau2: ArrayLike) -> Pooled:
    """Means of effects, (..., collections), by the weights 1 / (v + tau2), and the weighted squares about them."""
    weights = 1 / (variances + np.asarray(tau2, np.float64)[..., None])
    total = weights.sum(axis=-1)
    mean = (weights * effects).sum(axis=-1) / total
    squares = (weights * np.square(effects - mean[..., None])).sum(axis=-1)
    return Pooled(mean, weights, total, squares)


def paule_mandel(effects: Floats, variances: Floats, target: Floats | None = None) -> Floats:
    """tau2 at which the weighted squares equal a target, k - 1 by default: their expectation; 0 where they are smaller.

    The squares fall with tau2, and they are convex, so that Newton's steps from 0 ascend to the one root (DerSimonian
    and Kacker 2007).
    """
    goal = np.asarray(effects.shape[-1] - 1 if target is None else target, np.float64)
    tau2 = np.zeros(np.broadcast_shapes(effects.shape[:-1], goal.shape))
    for _ in range(_STEPS):
        mean, weights, _, squares = pooled(effects, variances, tau2)
        slope = np.square(weights * (effects - mean[..., None])).sum(axis=-1)
        step = np.where(squares > goal, (squares - goal) / np.where(slope > 0, slope, 1.0), 0.0)
        tau2 = tau2 + step
        if not (step > 1e-15 * tau2).any():
            break
    return tau2


def dersimonian_laird(effects: Floats, variances: Floats) -> Floats:
    """tau2 by the method of moments, no less than 0: (Q - df) / (sum w - sum w^2 / sum w), with w = 1 / v."""
    fixed = pooled(effects, variances, np.zeros(effects.shape[:-1]))
    spread = fixed.total - np.square(fixed.weights).sum(axis=-1) / fixed.total
    return np.asarray(np.maximum(0.0, (fixed.squares - (effects.shape[-1] - 1)) / spread))


def reml(effects: Floats, variances: Floats) -> Floats:
    """tau2 at the maximum of the restricted likelihood, tau2 >= 0.

    The likelihood may have several maxima: it is looked at on a grid first, and its slope's root beside the best value
    is halved down to the last digits.
    """
    most = 10 * float(np.ptp(effects) ** 2 + variances.max())
    grid = np.concatenate([[0.0], np.geomspace(1e-9 * most, most, _GRID)])
    values = pooled(effects, variances, grid)
    likelihood = 0.5 * np.log(values.weights).sum(axis=-1) - 0.5 * np.log(values.total) - 0.5 * values.squares
    best = int(np.argmax(likelihood))
    low, high = grid[max(0, best - 1)], grid[min(_GRID, best + 1)]
    if best == 0 and _slope(effects, variances, 0.0) <= 0:
        return np.asarray(0.0)
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if _slope(effects, variances, middle) > 0 else (low, middle)
    return np.asarray(low)


def _slope(effects: Floats, variances: Floats, tau2: float) -> float:
    """Slope of the restricted likelihood in tau2."""
    mean, weights, total, _ = pooled(effects, variances, np.asarray(tau2))
    squared = np.square(weights)
    return float((squared * np.square(effects - mean)).sum() - total + squared.sum() / total) / 2


_TAU2: dict[Variant, Callable[[Floats, Floats], Floats]] = {
    "paule-mandel": paule_mandel,
    "reml": reml,
    "dersimonian-laird": dersimonian_laird,
    "fixed": lambda effects, _: np.zeros(effects.shape[:-1]),
}


class Average(NamedTuple):
    """Mean of effects over the last axis with its standard error, degrees of freedom, tau2 and weights."""

    mean: Floats
    standard_error: Floats
    df: float
    tau2: Floats
    weights: Floats


def averaged(
    effects: Floats, variances: Floats, weighting: Weighting, variant: Variant = "paule-mandel",
    interval: Interval = "hartung-knapp",
) -> Average:  # fmt: skip
    """Means of effects, (..., collections), as `random_effects` has them; the arrays may hold many experiments."""
    count = effects.shape[-1]
    tau2 = _TAU2[variant](effects, variances)
    if weighting == "equal":
        mean, shares = effects.mean(axis=-1), np.full(effects.shape, 1 / count)
        expected = (variances + tau2[..., None]).mean(axis=-1) / count
        observed = effects.var(axis=-1, ddof=1) / count
    else:
        mean, precisions, total, squares = pooled(effects, variances, tau2)
        shares, expected = precisions / total[..., None], 1 / total
        observed = squares / (count - 1) / total
    squared = {"normal": expected, "hartung-knapp": observed, "truncated": np.maximum(expected, observed)}[interval]
    return Average(mean, np.sqrt(squared), NORMAL if interval == "normal" else count - 1, tau2, shares)


def predictive(effects: Floats, variances: Floats) -> tuple[Floats, Floats]:
    """Means and standard deviations of the normals whose mixture predicts the next true effect, (..., normals).

    The weighted squares at the true tau2 are a chi-square with k - 1 degrees of freedom. So each quantile of it gives
    a tau2, and all of them together its confidence distribution (Iyer, Wang and Mathew 2004; Nagashima, Noma and
    Furukawa 2019). With a tau2 the next true effect lies about the plain mean of the effects.
    """
    from scipy.special import chdtri

    count = effects.shape[-1]
    targets = chdtri(count - 1, (np.arange(_NORMALS) + 0.5) / _NORMALS)
    tau2 = paule_mandel(effects[..., None, :], variances[..., None, :], targets)
    spread = np.sqrt(tau2 * (1 + 1 / count) + variances.mean(axis=-1)[..., None] / count)
    return np.broadcast_to(effects.mean(axis=-1)[..., None], spread.shape), spread


def _quantile_of_mixture(mean: float, spreads: Floats, p: float) -> float:
    """Quantile of normals with one mean, mixed in equal parts: halving, from an interval that holds it."""
    low, high = mean - 10 * float(spreads.max()), mean + 10 * float(spreads.max())
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if float(ndtr((middle - mean) / spreads).mean()) < p else (low, middle)
    return (low + high) / 2


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RandomEffects(Result):
    """The mean of the true effects of a population of collections, and how much they differ.

    effects, variances  of each collection, the variance that of the effect: s^2 / n
    weights             of each collection in the mean; their sum is 1
    difference          the mean effect, with its standard error, interval, t and p value
    tau2                variance of the true effects over collections
    q, q_pvalue         Cochran's (1954) test of one true effect for all collections
    i2                  share of the variance of the effects that sampling of topics does not explain (Higgins and
                        Thompson 2002)
    prediction_lower, prediction_upper  ends of the interval that holds the true effect of the next collection; NaN for
                        two collections with weights by precision
    """

    method: str
    weighting: Weighting
    variant: Variant
    interval: Interval
    collections: tuple[str, ...]
    effects: Floats
    variances: Floats
    weights: Floats
    difference: float
    standard_error: float
    statistic: float
    df: float
    pvalue: float
    lower: float
    upper: float
    level: float
    tau2: float
    q: float
    q_pvalue: float
    i2: float
    prediction_lower: float
    prediction_upper: float

    @property
    def tau(self) -> float:
        """Standard deviation of the true effects over collections."""
        return sqrt(self.tau2)

    def prediction(self, *, df: int | None = None) -> tuple[float, float]:
        """Ends of the interval mean +- t sqrt(tau2 + se^2) for the true effect of the next collection.

        It takes tau2 for known, and is too short for that reason unless tau2 is large beside the variances.

        df  of Student's t: the number of collections less 2 unless given (Higgins, Thompson and Spiegelhalter 2009)
        """
        return _prediction(self.difference, self.standard_error, self.tau2, df or len(self.effects) - 2, self.level)

    def leave_one_out(self) -> tuple[RandomEffects, ...]:
        """The same without each collection in turn; at least three are needed."""
        if len(self.effects) < 3:
            raise InputError("2 collections, of which one would be left out", "give at least three")
        chosen: Any = {name: getattr(self, name) for name in ("weighting", "variant", "interval", "level")}
        return tuple(
            random_effects(
                np.delete(self.effects, i),
                np.delete(self.variances, i),
                collections=self.collections[:i] + self.collections[i + 1 :],
                **chosen,
            )
            for i in range(len(self.effects))
        )

    def columns(self) -> dict[str, list[Any]]:
        """One row per collection: its effect, the standard error of the effect, and its weight."""
        return {
            "collection": list(self.collections),
            "difference": self.effects.tolist(),
            "standard_error": np.sqrt(self.variances).tolist(),
            "weight": self.weights.tolist(),
        }

    def heading(self) -> str:
        ends = f"{100 * self.level:g} % interval [{self.lower:.4f}, {self.upper:.4f}]"
        ends = "no interval" if np.isnan(self.lower) else ends
        return f"{self.method}; mean {self.difference:.4f}, {ends}, p {self.pvalue:.4g}"

    def remarks(self) -> list[str]:
        spread = f"tau {self.tau:.4f}, I2 {self.i2:.3f}, Q {self.q:.4g} (p {self.q_pvalue:.4g})"
        if np.isnan(self.prediction_lower):
            return [spread]
        return [f"{spread}; next collection [{self.prediction_lower:.4f}, {self.prediction_upper:.4f}]"]


def random_effects(
    effects: ArrayLike,
    variances: ArrayLike,
    *,
    collections: Sequence[str] | None = None,
    weighting: Weighting = "equal",
    variant: Variant = "paule-mandel",
    interval: Interval = "hartung-knapp",
    level: float = 0.95,
) -> RandomEffects:
    """Mean of the true effects of a population of collections, of which these are a sample.

    effects, variances  one of each per collection; the variance of an effect is s^2 / n, of n topics
    weighting           "equal", the plain mean, whose test and interval hold whatever the numbers of topics (Ibragimov
                        and Mueller 2010); or "precision", 1 / (v + tau2), which find too much where a few collections
                        have most topics
    variant             how tau2 is estimated: "paule-mandel", "reml" or "dersimonian-laird"; "fixed" takes it as 0
    interval            "hartung-knapp", by Student's t and the spread that the effects have (Hartung and Knapp 2001);
                        "truncated", the same and never shorter than variances and tau2 make it; "normal" as in many
                        tools, which is too short for few collections

    With equal weights, Hartung and Knapp's test is Student's t of the effects, and the prediction interval takes into
    account that tau2 is estimated (Nagashima, Noma and Furukawa 2019). With weights by precision it is that of Higgins,
    Thompson and Spiegelhalter (2009), with k - 2 degrees of freedom. Effects that are the same on every collection
    leave no spread to go by: t is infinite, p is that of sign flips, and the ends of Hartung and Knapp's interval are
    NaN.

    >>> print(random_effects([0.03, 0.01, 0.05], [0.0004, 0.0001, 0.0009], collections=["dev", "test", "web"]))
    equal weights, interval of Hartung and Knapp (2001); mean 0.0300, 95 % interval [-0.0197, 0.0797], p 0.1217
    collection  difference  standard_error  weight
    dev             0.0300          0.0200  0.3333
    test            0.0100          0.0100  0.3333
    web             0.0500          0.0300  0.3333
    tau 0.0043, I2 0.058, Q 2.122 (p 0.346); next collection [-0.0630, 0.1230]
    """
    arguments.one_of("weighting", weighting, ("equal", "precision"))
    arguments.one_of("variant", variant, VARIANTS)
    arguments.one_of("interval", interval, INTERVALS)
    arguments.level(level)
    y, v, names = _checked(effects, variances, collections)
    mean, standard_error, df, tau2, shares = averaged(y, v, weighting, variant, interval)
    m, se, squares = float(mean), float(standard_error), float(pooled(y, v, np.asarray(0.0)).squares)
    t = m / se if se > 0 else float(np.copysign(np.inf, m)) if m else 0.0
    reach, pvalue, stand_in = student(df, (1 + level) / 2) * se, two_sided(t, df), ""
    if interval == "hartung-knapp" and m and equality.no_variance(float(np.square(y - y.mean()).sum()), y):
        # no spread to go by: one of the 2^k ways to flip signs is as extreme (docs/conventions.md)
        se, t, reach, pvalue, stand_in = nan, float(np.copysign(np.inf, m)), nan, 2 * 0.5 ** len(y), f"; {STAND_IN}"
    if weighting == "equal":
        spreads = predictive(y, v)[1]
        lower, upper = (_quantile_of_mixture(m, spreads, p) for p in ((1 - level) / 2, (1 + level) / 2))
    else:
        lower, upper = _prediction(m, se, float(tau2), len(y) - 2, level)
    weighted = "equal weights" if weighting == "equal" else f"weights by precision, tau2 of {VARIANTS[variant]}"
    return RandomEffects(
        method=f"{weighted}, interval of {INTERVALS[interval]}{stand_in}", weighting=weighting, variant=variant,
        interval=interval, collections=names, effects=y, variances=v, weights=shares, difference=m,
        standard_error=se, statistic=t, df=df,
        pvalue=pvalue, lower=m - reach, upper=m + reach, level=level, tau2=float(tau2), q=squares,
        q_pvalue=_chi_square_tail(len(y) - 1, squares),
        i2=max(0.0, 1 - (len(y) - 1) / squares) if squares > 0 else 0.0, prediction_lower=lower, prediction_upper=upper,
    )  # fmt: skip


def student(df: float, p: float) -> float:
    """Quantile of Student's t; the normal's from `NORMAL` degrees of freedom on."""
    if df < NORMAL:
        return stdtrit(df, p)
    from statistics import NormalDist

    return NormalDist().inv_cdf(p)


def two_sided(t: float, df: float) -> float:
    """Two-sided p value of t, never 0."""
    tail = float(ndtr(-abs(t))) if df >= NORMAL else float(stdtr(df, -abs(t)))
    return max(2 * tail, float(np.finfo(np.float64).tiny))


def _prediction(mean: float, standard_error: float, tau2: float, df: int, level: float) -> tuple[float, float]:
    if df < 1:
        return nan, nan
    reach = stdtrit(df, (1 + level) / 2) * sqrt(tau2 + standard_error**2)
    return mean - reach, mean + reach


def _chi_square_tail(df: int, value: float) -> float:
    from scipy.special import chdtrc

    return float(chdtrc(df, value))


def _checked(
    effects: ArrayLike, variances: ArrayLike, collections: Sequence[str] | None
) -> tuple[Floats, Floats, tuple[str, ...]]:
    y, v = np.asarray(effects, np.float64), np.asarray(variances, np.float64)
    if y.ndim != 1 or v.shape != y.shape:
        raise InputError("effects and variances differ in shape", "give one of each per collection")
    if len(y) < 2:
        raise InputError(f"{are(len(y), 'collection')} too few for a mean over collections", "give at least two")
    names = tuple(f"c{i + 1}" for i in range(len(y))) if collections is None else tuple(collections)
    if len(names) != len(y):
        raise InputError(f"{len(names)} names of {plural(len(y), 'collection')}", "name all collections or none")
    wrong: Bools = np.asarray(~(np.isfinite(y) & np.isfinite(v) & (v > 0)), np.bool_)
    if wrong.any():
        cure = "an effect is a number, and its variance one above 0: leave the collection out"
        raise InputError(
            [Problem(f"{names[i]}: effect {y[i]:g}, variance {v[i]:g}", cure) for i in np.flatnonzero(wrong)]
        )
    return y, v, names
