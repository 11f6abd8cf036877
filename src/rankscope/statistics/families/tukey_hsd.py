"""Tukey's honestly significant difference: all pairs of systems, with one error rate for all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rankscope import arguments
from rankscope.arrays import Floats
from rankscope.statistics.equality import no_variance
from rankscope.statistics.families.anova import Anova, anova_one_way, anova_two_way
from rankscope.statistics.families.comparisons import Comparisons, named, pairs_of
from rankscope.statistics.families.studentised_range import quantile, tail
from rankscope.statistics.score_arrays import score_matrix
from rankscope.statistics.special import fdtrc


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TukeyHSD(Comparisons):
    """All pairs by the studentised range, with intervals that hold for all pairs at once.

    `statistic` is q, |difference| / standard_error; `critical` is exceeded by chance in a share 1 - level of families.
    """

    lower: Floats
    upper: Floats
    level: float
    critical: float
    standard_error: float  # of one mean, or mean rank
    df: float  # of the error; may be infinite

    def _more(self) -> dict[str, list[Any]]:
        return {"lower": self.lower.tolist(), "upper": self.upper.tolist()}

    def heading(self) -> str:
        return f"{Comparisons.heading(self)}; {self.level:.4g} simultaneous intervals"


def tukey_hsd(matrix: ArrayLike, *, systems: Sequence[str] | None = None, level: float = 0.95) -> TukeyHSD:
    """Tukey's HSD blocked by topic: the error is what remains after systems and topics.

    matrix is topics x systems. Carterette (2012) describes it for retrieval experiments; Tague-Sutcliffe and
    Blustein (1995) used it for TREC-3.
    """
    return _after(anova_two_way(matrix, systems=systems), "Tukey HSD blocked by topic", matrix, systems, level)


def tukey_hsd_one_way(matrix: ArrayLike, *, systems: Sequence[str] | None = None, level: float = 0.95) -> TukeyHSD:
    """Tukey's HSD for independent samples, as if each system had been given topics of its own.

    For scores on the same topics it loses most of the power, since differences between topics count as error:
    use `tukey_hsd`. It is here because other tools report it.
    """
    return _after(anova_one_way(matrix, systems=systems), "Tukey HSD one-way, unpaired", matrix, systems, level)


def by_studentised_range(
    location: Floats,
    *,
    standard_error: float,
    df: float,
    n_topics: int,
    systems: Sequence[str] | None,
    level: float,
    method: str,
) -> TukeyHSD:
    """All pairs of means, or mean ranks, that share one standard error."""
    arguments.level(level)
    count = len(location)
    first, second = pairs_of(count)
    difference = location[second] - location[first]
    q = np.abs(difference) / standard_error
    critical = quantile(level, count, df)
    return TukeyHSD(
        systems=named(systems, count),
        method=method,
        n_topics=n_topics,
        location=location,
        first=first,
        second=second,
        difference=difference,
        pvalue=tail(q, count, df),
        statistic=q,
        lower=difference - critical * standard_error,
        upper=difference + critical * standard_error,
        level=level,
        critical=critical,
        standard_error=standard_error,
        df=df,
    )


def tukey_kramer(groups: Mapping[str, Floats]) -> tuple[float, float, list[tuple[str, str, float, float]]]:
    """One-way analysis of variance of groups of unlike sizes: F, its p, and first, second, difference and p of pairs.

    Pairs by the studentised range with the standard error of Kramer (1956). NaN and no pairs where fewer than two
    groups have values, or these vary in none.
    """
    filled = {name: values for name, values in groups.items() if len(values)}
    pooled = np.concatenate([np.empty(0), *filled.values()])
    df, df_groups = len(pooled) - len(filled), len(filled) - 1
    within = sum(float(np.square(values - values.mean()).sum()) for values in filled.values())
    if df_groups < 1 or df < 1 or no_variance(within, pooled):
        return float("nan"), float("nan"), []
    error = within / df
    f = sum(len(x) * float(x.mean() - pooled.mean()) ** 2 for x in filled.values()) / df_groups / error
    pairs = list(combinations(filled.items(), 2))
    difference = np.array([x.mean() - y.mean() for (_, x), (_, y) in pairs])
    q = np.abs(difference) / np.sqrt([error / 2 * (1 / len(x) + 1 / len(y)) for (_, x), (_, y) in pairs])
    pvalue = tail(q, len(filled), float(df))
    names = [(a, b) for (a, _), (b, _) in pairs]
    return (
        f,
        fdtrc(df_groups, df, f),
        [(a, b, d, p) for (a, b), d, p in zip(names, difference.tolist(), pvalue.tolist(), strict=True)],
    )


def _after(table: Anova, method: str, matrix: ArrayLike, systems: Sequence[str] | None, level: float) -> TukeyHSD:
    return by_studentised_range(
        score_matrix(matrix, systems=systems).mean(axis=0),
        standard_error=float(np.sqrt(table.ms_error / table.n_topics)),
        df=float(table.df_error),
        n_topics=table.n_topics,
        systems=systems,
        level=level,
        method=method,
    )
