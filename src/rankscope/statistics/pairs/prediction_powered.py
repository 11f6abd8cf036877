"""Prediction-powered inference: a mean difference from few human labels and many of a machine.

People have judged some topics, a machine all of them. The difference b - a of two systems is known under both judges on
the first, and under the machine alone on the others. The estimate is the mean under people, moved by as much as the
machine's mean on their topics is off from its mean on all topics, times a weight (Angelopoulos, Bates, Fannjiang,
Jordan and Zrnic 2023, arXiv:2301.09633). The weight that makes the interval shortest is that of PPI++ (Angelopoulos,
Duchi and Zrnic 2023, arXiv:2311.01453). Whatever the machine's errors are, they cancel on average: the machine can
shorten the interval, and cannot move its centre away from the truth.

People may also have judged single pairs of topic and document, drawn at random from those of the machine. Where a
measure is a sum over ranks, each human label stands for several pairs, most of which were not drawn (Horvitz and
Thompson 1952). So does the machine's label of the same pair; how far these labels are off from all of the machine's is
known.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import ceil, isfinite, sqrt
from statistics import NormalDist
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from rankscope import arguments
from rankscope.arrays import Bools, Floats
from rankscope.errors import InputError, plural
from rankscope.formatting import bounds, p_value, score
from rankscope.results import Result
from rankscope.statistics.pairs.difference_tests import t_tests
from rankscope.statistics.special import ndtr, stdtr, stdtrit

Variant: TypeAlias = Literal["ppi++", "ppi", "human"]
Interval: TypeAlias = Literal["student", "normal"]
FEWEST = 5  # topics with human labels, below which nothing is claimed
POWER = 0.8  # chance with which further labels are to decide
WIDER = 1.02  # times the interval of human labels alone: what machine labels may cost where they do not help


class Powered(NamedTuple):
    """Estimates of rows: each an array of one value per row.

    weight   of the machine's labels: 0 leaves them out, 1 trusts them as they are
    df       degrees of freedom of the standard error; infinite for a normal interval
    """

    estimate: Floats
    error: Floats
    weight: Floats
    df: Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class PredictionPowered(Result):
    """The mean difference b - a under the human judge, from human and machine labels.

    difference    estimate of the mean over all topics under the human judge
    weight        of the machine's labels: 0 leaves them out, 1 trusts them as they are
    human         mean, lower and upper end from the human labels alone
    machine       mean under the machine, on all topics
    bias          mean of the human difference less the machine's, on the topics that both judged
    bias_pvalue   of the hypothesis that the machine's errors are the same for both systems
    more          further topics for people to judge, of those that the machine has judged, at which a difference of
                  this size would be shown; None where it is shown, or would not be with all of them
    settles       further units at which some difference is shown with a chance of 80 %, see `to_settle`; None likewise
    variance      of the estimate with k units judged by people: the first number plus the second over k. The third is
                  the part of it that no error of the machine changes. None for pairs without `squares`
    unit          what people judged: "topic", or "pair" of a topic and a document
    n_labelled    units that people judged; `n_unlabelled` those of the machine alone
    """

    method: str
    difference: float
    lower: float
    upper: float
    level: float
    pvalue: float
    weight: float
    df: float
    human: tuple[float, float, float]
    machine: float
    bias: float
    bias_pvalue: float
    more: int | None = None
    settles: int | None = None
    variance: tuple[float, float, float] | None = None
    n_labelled: int
    n_unlabelled: int
    unit: Literal["topic", "pair"] = "topic"

    def columns(self) -> dict[str, list[Any]]:
        """One row."""
        mean, lower, upper = self.human
        row = {name: value for name, value in Result.to_dict(self).items() if name not in ("human", "variance")}
        return {k: [v] for k, v in (row | {"human": mean, "human_lower": lower, "human_upper": upper}).items()}

    def remarks(self) -> list[str]:
        mean, lower, upper = self.human
        level = f"{100 * self.level:g} %"
        alone = f"Human labels alone: {score(mean)}, {level} interval {bounds(lower, upper)}."
        return [alone, *self.warnings(), *self.plan()]

    def warnings(self) -> list[str]:
        """Warning where the machine's errors differ between the two systems."""
        if self.bias_pvalue >= 1 - self.level:
            return []
        who = "the second" if self.bias < 0 else "the first"
        return [
            f"The machine's errors differ between the two systems: it favours {who} by {score(abs(self.bias))} "
            f"({p_value(self.bias_pvalue)}). The estimate corrects for it; the machine's mean alone does not."
        ]

    def plan(self) -> list[str]:
        """How many more topics or pairs people would have to judge, and what that assumes."""
        if self.pvalue < 1 - self.level or self.variance is None:
            return []
        every = f"Human labels for all {self.unit}s that the machine has judged"
        lines = []
        if self.more is not None:
            lines = [f"Human labels for {plural(self.more, 'more topic')} would show a difference of this size."]
        elif self.unit == "topic":
            lines = [f"{every} would not show so small a difference."]
        if self.settles is None and lines and self.more is None:
            return lines
        if self.settles is None:
            return [*lines, f"{every} show some difference with a chance below {100 * POWER:g} %: add topics."]
        return [*lines, f"Human labels for {plural(self.settles, f'more {self.unit}')} show some difference with a "
                        f"chance of about {100 * POWER:g} %. That is an average over the true differences that the "
                        "labels leave open."]  # fmt: skip

    def to_settle(self, margin: float) -> int | None:
        """Further units for people to judge so that the interval lies above -margin or below 0 with a chance of 80 %.

        Labels are added, and none is taken back. So the next estimate is taken for normal about this one, with the
        variance that further labels take away; that averages over all true differences, none of them likelier than
        another beforehand. The variance that is left is uncertain as well: normal about the predicted one, and not
        below what no error of the machine changes. The machine's weight stays. None where labels of all units do not
        suffice.
        """
        if self.variance is None:
            return None
        n, total = self.n_labelled, self.n_labelled + self.n_unlabelled
        floor, shrinking, least = self.variance
        now, tiny = floor + shrinking / n, float(np.finfo(np.float64).tiny)

        def decides(labels: int) -> bool:
            then = floor + shrinking / labels
            moves = sqrt(max(tiny, now - then))
            if self.unit == "pair":  # of the same topics
                spread = 2 / self.df * (now**2 - then**2)
            else:
                spread = then**2 * (2 / max(1, n - 2) - 2 / (labels - 2))
            left = _above(least, then, sqrt(max(tiny, spread)))
            reach = _quantile(self.unit, labels, self.df, self.level) * np.sqrt(left)
            regression = ndtr((np.minimum(-reach, reach - margin) - self.difference) / moves)
            return bool((regression + ndtr((self.difference + margin - reach) / moves)).mean() >= POWER)

        return _fewest(decides, n, total)


def prediction_powered(
    labelled: ArrayLike,
    predicted: ArrayLike,
    unlabelled: ArrayLike,
    *,
    variant: Variant = "ppi++",
    interval: Interval = "student",
    level: float = 0.95,
    clipped: bool = True,
) -> PredictionPowered:
    """Mean difference of two systems under the human judge, from few human and many machine labels.

    labelled    differences b - a under the human judge, one per topic that people judged
    predicted   the same under the machine, on the same topics
    unlabelled  differences under the machine on topics that people did not judge
    variant     "ppi++" weighs the machine by how well it predicts people, "ppi" has weight 1, "human" weight 0
    interval    "student": Student's t, with the degrees of freedom that estimated weight and variances leave
                (Satterthwaite 1946), at most 2 % wider than that of human labels alone. "normal": as published and as
                ppi-python computes it, which covers too rarely with few topics (docs/validity-ppi.md)
    clipped     whether the weight is kept between 0 and 1

    >>> people, machine = [0.1, 0.3, 0.2, 0.0, 0.4], [0.2, 0.3, 0.1, 0.1, 0.5]
    >>> result = prediction_powered(people, machine, [0.3, 0.1, 0.2, 0.4, 0.0, 0.3])
    >>> round(result.difference, 4), round(result.weight, 2)
    (0.1898, 0.44)
    """
    arguments.one_of("variant", variant, ("ppi++", "ppi", "human"))
    arguments.one_of("interval", interval, ("student", "normal"))
    arguments.level(level)
    y, f, u = (_vector(name, v) for name, v in zip(("labelled", "predicted", "unlabelled"),
                                                   (labelled, predicted, unlabelled), strict=True))  # fmt: skip
    if len(y) != len(f):
        raise InputError(f"{len(y)} human and {len(f)} machine labels", "give both for every labelled topic")
    if len(y) < FEWEST:
        raise InputError(f"{plural(len(y), 'topic')} with human labels", f"give at least {FEWEST}")
    if not len(u):
        raise InputError("no topic has a machine label alone", "compare the systems under the human judge")
    parts = powered(y[None], f[None], u[None], variant=variant, interval=interval, clipped=clipped, level=level)
    human = powered(y[None], f[None], u[None], variant="human", interval=interval, level=level)
    estimate, error, weight, df = (float(part[0]) for part in parts)
    reach = float(_reach(parts, level)[0])
    own = float(human.estimate[0]), float(_reach(human, level)[0])
    bias = t_tests((y - f)[None])
    names = {"ppi++": "PPI++", "ppi": "PPI", "human": "human labels alone"}
    how = "Student's t" if interval == "student" else "normal"
    result = PredictionPowered(
        method=f"prediction-powered inference ({names[variant]}), {how}", difference=estimate, lower=estimate - reach,
        upper=estimate + reach, level=level, pvalue=_pvalue(estimate, error, df), weight=weight, df=df,
        human=(own[0], own[0] - own[1], own[0] + own[1]),
        machine=float(np.concatenate([f, u]).mean()), bias=float((y - f).mean()), bias_pvalue=float(bias.pvalue[0]),
        n_labelled=len(y), n_unlabelled=len(u),
    )  # fmt: skip
    slope = weight * (1 + len(y) / len(u))
    rest = float(np.var(y - slope * f, ddof=min(2, len(y) - 1)))
    spread = slope**2 * float(np.var(np.concatenate([f, u]), ddof=1)) / (len(y) + len(u))
    return _planned(replace(result, variance=(spread, rest, spread)))


def prediction_powered_pairs(
    labelled: ArrayLike, predicted: ArrayLike, machine: ArrayLike, *, n_pairs: tuple[int, int],
    squares: tuple[float, float, float] | None = None, level: float = 0.95,
) -> PredictionPowered:  # fmt: skip
    """Mean difference of two systems under the human judge, from human labels of some pairs of topic and document.

    The measure is a sum over ranks of gains times weights that no grade changes, as P@10, DCG@10 and RBP are. People
    judged pairs drawn at random from those that the machine judged, each with the same chance, whatever its topic. All
    three arrays have one difference b - a per topic:

    labelled   under people, where only the pairs that they judged gain something
    predicted  under the machine, where only the same pairs gain something
    machine    under the machine, with all its pairs
    n_pairs    how many pairs people judged, and how many the machine judged
    squares    sums over the pairs that people judged, where h and m are what a pair adds to a difference under people
               and under the machine: of h * h, h * m and m * m. With them the result says how many more pairs decide

    The interval is Student's, with topics as a sample, and at most 2 % wider than that of human labels alone.

    >>> people, same, machine = [0.1, 0.0, 0.2, 0.0, 0.1], [0.1, 0.0, 0.2, 0.1, 0.1], [0.1, 0.2, 0.3, 0.2, 0.1]
    >>> round(prediction_powered_pairs(people, same, machine, n_pairs=(30, 90)).difference, 4)
    0.12
    """
    arguments.level(level)
    y, f, u = (_vector(name, v) for name, v in zip(("labelled", "predicted", "machine"),
                                                   (labelled, predicted, machine), strict=True))  # fmt: skip
    if not len(y) == len(f) == len(u):
        raise InputError(f"{len(y)}, {len(f)} and {len(u)} differences", "give all three for every topic")
    if len(y) < FEWEST:
        raise InputError(f"{plural(len(y), 'topic')}", f"give at least {FEWEST}")
    judged, total = n_pairs
    if not 0 < judged < total:
        raise InputError(
            f"people judged {judged} of {total} pairs", "give some pairs of people, and more of the machine"
        )
    share = judged / total
    y, f = y / share, f / share
    own = powered(y[None], f[None], u[None], variant="human")
    parts = _line(y[None], (f - u)[None], at=np.zeros(1), spread=np.zeros(1), df=1, most=1.0, clipped=True, level=level)
    estimate, error, weight, df = (float(part[0]) for part in parts)
    reach, alone = (float(_reach(each, level)[0]) for each in (parts, own))
    mean = float(own.estimate[0])
    result = PredictionPowered(
        method="prediction-powered inference (PPI++ of pairs), Student's t", difference=estimate,
        lower=estimate - reach, upper=estimate + reach, level=level, pvalue=_pvalue(estimate, error, df),
        weight=weight, df=df,
        human=(mean, mean - alone, mean + alone), machine=float(u.mean()), bias=float((y - f).mean()),
        bias_pvalue=float(t_tests((y - f)[None]).pvalue[0]), n_labelled=judged, n_unlabelled=total - judged,
        unit="pair",
    )  # fmt: skip
    if squares is None:
        return result
    n = len(y)
    people, product, machines = (float(each) for each in squares)
    noise = (people - 2 * weight * product + weight**2 * machines) / share / n  # of drawing pairs, times k / (all - k)
    (trusted, shared), (_, rest) = np.cov(weight * u, y - weight * f) * (n - 1) / (n - 2)
    wrong = max(0.0, rest - (1 - share) / share * noise)  # of what the machine gets wrong, were all pairs judged
    known = max(0.0, float(trusted + 2 * shared))
    return _planned(replace(result, variance=((known + wrong - noise) / n, total * noise / n, known / n)))


def powered(
    y: Floats, f: Floats, u: Floats, *, variant: Variant, interval: Interval = "student", clipped: bool = True,
    level: float = 0.95, ddof: int = 0,
) -> Powered:  # fmt: skip
    """Estimates of rows: (rows, n) human and machine labels of the same topics, (rows, N) of the machine alone.

    ddof  of the variances of a normal interval: 0 as ppi-python has them
    """
    n, others = y.shape[1], u.shape[1]
    weight = np.full(len(y), float(variant == "ppi"))
    if variant == "ppi++":
        if interval == "student":
            return _regression(y, f, u, clipped, level)
        covariance = (y * (f - f.mean(axis=1, keepdims=True))).mean(axis=1)
        under = (1 + n / others) * np.concatenate([f, u], axis=1).var(axis=1, ddof=1)
        weight = np.divide(covariance, under, out=np.zeros(len(y)), where=under > 0)
        weight = np.clip(weight, 0.0, 1.0) if clipped else weight
    estimate = y.mean(axis=1) + weight * (u.mean(axis=1) - f.mean(axis=1))
    rest = y - weight[:, None] * f
    if interval == "normal":
        square = rest.var(axis=1, ddof=ddof) / n + weight**2 * u.var(axis=1, ddof=ddof) / others
        return Powered(estimate, np.sqrt(square), weight, np.full(len(y), np.inf))
    first, second = rest.var(axis=1, ddof=1) / n, weight**2 * u.var(axis=1, ddof=1) / others
    square, df = _satterthwaite(first, n - 1, second, others - 1)
    return Powered(estimate, np.sqrt(square), weight, df)


def _regression(y: Floats, f: Floats, u: Floats, clipped: bool, level: float) -> Powered:
    """PPI++ as a regression of human on machine labels, read at the machine's mean on all topics.

    The slope takes a degree of freedom, and its error and that of the machine's mean are parts of the variance. Human
    labels alone stand where the interval would be wider than theirs by more than 2 %. The shorter of the two would be
    chosen by its luck, and cover too rarely.
    """
    n, others = y.shape[1], u.shape[1]
    both = np.concatenate([f, u], axis=1)
    spread = both.var(axis=1, ddof=1) / (n + others)
    return _line(y, f, both.mean(axis=1), spread, n + others - 1, 1 + n / others, clipped, level)


def _line(
    y: Floats, f: Floats, at: Floats, spread: Floats, df: float, most: float, clipped: bool, level: float
) -> Powered:  # fmt: skip
    """Regression of y on f, (rows, n), read `at` a value of f whose variance is `spread`; slopes from 0 to `most`."""
    n = y.shape[1]
    centred = f - f.mean(axis=1, keepdims=True)
    squares = np.square(centred).sum(axis=1)
    slope = np.divide((y * centred).sum(axis=1), squares, out=np.zeros(len(y)), where=squares > 0)
    slope = np.clip(slope, 0.0, most) if clipped else slope
    estimate = y.mean(axis=1) + slope * (at - f.mean(axis=1))
    away = np.square(f.mean(axis=1) - at)
    leverage = np.divide(away, squares, out=np.zeros(len(y)), where=squares > 0)
    first = (y - slope[:, None] * f).var(axis=1) * n / (n - 2) * (1 / n + leverage)
    square, freedom = _satterthwaite(first, n - 2, slope**2 * spread, df)
    tuned = Powered(estimate, np.sqrt(square), slope / most, freedom)
    alone = powered(y, f, f, variant="human")
    helps: Bools = np.asarray(_reach(tuned, level) <= WIDER * _reach(alone, level))
    return Powered(*(np.where(helps, ours, theirs) for ours, theirs in zip(tuned, alone, strict=True)))


def _satterthwaite(first: Floats, df: float, second: Floats, df_second: float) -> tuple[Floats, Floats]:
    """Sum of two variances, and its degrees of freedom."""
    total = first + second
    under = first**2 / df + second**2 / max(1, df_second)
    return total, np.divide(total**2, under, out=np.full(len(total), float(df)), where=under > 0)


def _reach(parts: Powered, level: float) -> Floats:
    """Half of each interval."""
    tenths = np.floor(10 * parts.df + 1e-6) / 10  # a little wide, and few to compute
    rounded, back = np.unique(tenths, return_inverse=True)
    quantile = [
        stdtrit(df, (1 + level) / 2) if isfinite(df) else NormalDist().inv_cdf((1 + level) / 2)
        for df in rounded.tolist()
    ]
    return np.array(quantile)[back] * parts.error


def _pvalue(estimate: float, error: float, df: float) -> float:
    """Two-sided p value of the hypothesis that the difference is 0."""
    if error == 0:
        return 1.0 if estimate == 0 else float(np.finfo(np.float64).tiny)
    z = abs(estimate) / error
    p = 2 * float(stdtr(df, -z)) if isfinite(df) else 2 * NormalDist().cdf(-z)
    return max(p, float(np.finfo(np.float64).tiny))


def _planned(result: PredictionPowered) -> PredictionPowered:
    """The result with the numbers of further labels, where it shows no difference."""
    if abs(result.difference) > result.upper - result.difference or result.variance is None:
        return result
    floor, shrinking, _ = result.variance

    def shown(labels: int) -> bool:
        quantile = _quantile(result.unit, labels, result.df, result.level)
        return abs(result.difference) > quantile * sqrt(floor + shrinking / labels)

    total = result.n_labelled + result.n_unlabelled
    more = _fewest(shown, result.n_labelled, total) if result.unit == "topic" else None
    return replace(result, more=more, settles=result.to_settle(0.0))


def _quantile(unit: str, labels: int, df: float, level: float) -> float:
    """Student's quantile once people have judged so many units: topics are a sample, and pairs of the same topics."""
    return float(stdtrit(max(1, labels - 2) if unit == "topic" else df, (1 + level) / 2))


def _above(least: float, mean: float, sd: float, points: int = 40) -> Floats:
    """Quantiles of a normal distribution, cut off below."""
    normal = NormalDist(mean, sd)
    below = min(normal.cdf(least), 1 - 1e-12)
    shares = below + (1 - below) * (np.arange(points) + 0.5) / points
    return np.maximum(least, [normal.inv_cdf(share) for share in shares.tolist()])


def _fewest(enough: Callable[[int], bool], n: int, total: int) -> int | None:
    """How many more than n are enough, n + 1 to `total`; None where all are not."""
    if not enough(total):
        return None
    low, high = n, total
    while high - low > 1:
        middle = ceil((low + high) / 2)
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high - n


def _vector(name: str, values: ArrayLike) -> Floats:
    array = np.asarray(values, np.float64)
    if array.ndim != 1:
        raise InputError(f"{name} has shape {array.shape}", "give one difference per topic")
    if not np.isfinite(array).all():
        at = int(np.flatnonzero(~np.isfinite(array))[0])
        raise InputError(f"{name}: the difference of topic {at} is {array[at]}", "leave the topic out")
    return array
