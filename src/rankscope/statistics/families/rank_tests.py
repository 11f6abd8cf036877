"""Tests of many systems on ranks, and comparisons of all pairs of mean ranks after them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rankscope.arrays import Floats
from rankscope.errors import InputError, plural
from rankscope.results import Result
from rankscope.statistics.equality import midranks
from rankscope.statistics.families.tukey_hsd import TukeyHSD, by_studentised_range
from rankscope.statistics.score_arrays import score_matrix


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RankTest(Result):
    """Whether systems differ at all, by their ranks, and Tukey-type comparisons of all pairs of mean ranks.

    `tied` is the sum of t^3 - t over groups of t equal scores; the statistic is corrected for it.
    """

    method: str
    n_topics: int
    systems: tuple[str, ...]
    mean_ranks: Floats
    statistic: float
    df: int
    pvalue: float
    tied: int
    comparisons: TukeyHSD

    def columns(self) -> dict[str, list[Any]]:
        """One row per system: its mean rank."""
        return {"system": list(self.systems), "mean_rank": self.mean_ranks.tolist()}

    def heading(self) -> str:
        test = f"chi-square {self.statistic:.4g}, df {self.df}, p {self.pvalue:.4g}"
        return f"{self.method}; {plural(self.n_topics, 'topic')}; {test}"


def kruskal_wallis(matrix: ArrayLike, *, systems: Sequence[str] | None = None, level: float = 0.95) -> RankTest:
    """Kruskal and Wallis's (1952) test: all scores ranked together, topics not taken into account.

    matrix is topics x systems. Pairs of mean ranks are compared by the studentised range with infinite degrees of
    freedom and the variance N(N+1)/12 - sum(t^3 - t)/(12(N-1)), as MATLAB's multcompare does after kruskalwallis.
    """
    scores = score_matrix(matrix, systems=systems)
    topics, total = len(scores), scores.size
    ranks, tied = midranks(scores.reshape(1, -1))
    mean_ranks = ranks.reshape(scores.shape).mean(axis=0)
    variance = total * (total + 1) / 12 - float(tied[0]) / (12 * (total - 1))
    if tied[0] == total**3 - total:
        raise InputError("all scores are equal: there is nothing to rank", "compare systems that differ somewhere")
    statistic = topics * float(np.square(mean_ranks - (total + 1) / 2).sum()) / variance
    return _tested("Kruskal-Wallis, unblocked", statistic, mean_ranks, int(tied[0]), variance, topics, systems, level)


def friedman(matrix: ArrayLike, *, systems: Sequence[str] | None = None, level: float = 0.95) -> RankTest:
    """Friedman's (1937) test: systems ranked within each topic, corrected for ties.

    matrix is topics x systems. Pairs of mean ranks are compared by the studentised range with infinite degrees of
    freedom and the variance of the ranks as tied, as MATLAB's multcompare does after friedman; without ties that is
    `nemenyi`.
    """
    scores = score_matrix(matrix, systems=systems)
    topics, count = scores.shape
    ranks, tied = midranks(scores)
    mean_ranks = ranks.mean(axis=0)
    spread = float(np.square(ranks - (count + 1) / 2).sum())
    if spread == 0:
        raise InputError("all systems are equal on every topic", "compare systems that differ somewhere")
    variance = spread / (topics * (count - 1))
    statistic = topics * float(np.square(mean_ranks - (count + 1) / 2).sum()) / variance
    method = "Friedman, blocked by topic"
    return _tested(method, statistic, mean_ranks, int(tied.sum()), variance, topics, systems, level)


def nemenyi(matrix: ArrayLike, *, systems: Sequence[str] | None = None, level: float = 0.95) -> TukeyHSD:
    """Nemenyi's (1963) comparisons of all pairs of mean ranks within topics, as Demsar (2006) recommends them.

    The variance is k(k+1)/12, whatever the ties; `friedman(...).comparisons` corrects it for them.
    """
    scores = score_matrix(matrix, systems=systems)
    topics, count = scores.shape
    return by_studentised_range(
        midranks(scores)[0].mean(axis=0),
        standard_error=float(np.sqrt(count * (count + 1) / (12 * topics))),
        df=np.inf,
        n_topics=topics,
        systems=systems,
        level=level,
        method="Nemenyi, mean ranks within topics",
    )


def _tested(
    method: str,
    statistic: float,
    mean_ranks: Floats,
    tied: int,
    variance: float,
    topics: int,
    systems: Sequence[str] | None,
    level: float,
) -> RankTest:
    from scipy.special import chdtrc

    comparisons = by_studentised_range(
        mean_ranks,
        standard_error=float(np.sqrt(variance / topics)),
        df=np.inf,
        n_topics=topics,
        systems=systems,
        level=level,
        method=f"Tukey on mean ranks after {method}",
    )
    df = len(mean_ranks) - 1
    return RankTest(
        method=method,
        n_topics=topics,
        systems=comparisons.systems,
        mean_ranks=mean_ranks,
        statistic=statistic,
        df=df,
        pvalue=float(chdtrc(df, statistic)),
        tied=tied,
        comparisons=comparisons,
    )
