"""Analysis of variance of topics x systems scores: how much is due to systems, to topics, and to neither."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rankscope.arrays import Floats
from rankscope.errors import InputError, plural
from rankscope.results import Result
from rankscope.statistics.equality import no_variance
from rankscope.statistics.score_arrays import score_matrix
from rankscope.statistics.special import fdtrc


@dataclass(frozen=True, slots=True, kw_only=True)
class AnovaTerm:
    """One source of variance: sum of squares, degrees of freedom, F test and effect sizes.

    `eta2` is the share of the total sum of squares; `partial_eta2` and `partial_omega2` compare with the error alone,
    the last without the bias of the first two (Olejnik and Algina 2003); omega can be negative where F is below 1.
    """

    name: str
    ss: float
    df: int
    ms: float
    statistic: float  # F
    pvalue: float
    eta2: float
    partial_eta2: float
    omega2: float
    partial_omega2: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Anova(Result):
    """A table of analysis of variance."""

    method: str
    n_topics: int
    n_systems: int
    effects: tuple[AnovaTerm, ...]
    ss_error: float
    df_error: int
    ms_error: float
    ss_total: float

    def effect(self, name: str) -> AnovaTerm:
        """The source of variance of that name: systems, or topics."""
        for term in self.effects:
            if term.name == name:
                return term
        raise InputError(f"no effect {name!r}", f"effects are {', '.join(e.name for e in self.effects)}")

    def columns(self) -> dict[str, list[Any]]:
        """One row per source of variance; empty cells are None."""
        fields = ("ss", "df", "ms", "statistic", "pvalue", "eta2", "partial_eta2", "omega2", "partial_omega2")
        columns: dict[str, list[Any]] = {"source": [*(e.name for e in self.effects), "error", "total"]}
        for field in fields:
            columns[field] = [*(getattr(e, field) for e in self.effects), None, None]
        columns["ss"][-2:] = self.ss_error, self.ss_total
        columns["df"][-2:] = self.df_error, self.n_topics * self.n_systems - 1
        columns["ms"][-2] = self.ms_error
        return columns

    def heading(self) -> str:
        return f"{self.method}; {plural(self.n_topics, 'topic')} x {plural(self.n_systems, 'system')}"


def anova_two_way(matrix: ArrayLike, *, systems: Sequence[str] | None = None) -> Anova:
    """Systems and topics as the two factors, without replication: the error is what neither explains.

    matrix is topics x systems. This is the layout of Tague-Sutcliffe and Blustein (1995) for TREC runs.
    """
    scores = score_matrix(matrix, systems=systems)
    topics, count = scores.shape
    centred = scores - scores.mean()
    by_system, by_topic = centred.mean(axis=0), centred.mean(axis=1)
    ss = {"systems": topics * float(by_system @ by_system), "topics": count * float(by_topic @ by_topic)}
    df = {"systems": count - 1, "topics": topics - 1}
    residual = centred - by_system - by_topic[:, None]
    return _table("two-way ANOVA, systems and topics", scores, ss, df, residual, (count - 1) * (topics - 1))


def anova_one_way(matrix: ArrayLike, *, systems: Sequence[str] | None = None) -> Anova:
    """Systems as the only factor, as if each had been given topics of its own.

    matrix is topics x systems. Scores on the same topics go together, so for them `anova_two_way` is the right one;
    this is what tools compute that do not know about topics.
    """
    scores = score_matrix(matrix, systems=systems)
    topics, count = scores.shape
    centred = scores - scores.mean()
    by_system = centred.mean(axis=0)
    ss = {"systems": topics * float(by_system @ by_system)}
    residual = centred - by_system
    return _table("one-way ANOVA, systems", scores, ss, {"systems": count - 1}, residual, count * (topics - 1))


def _table(
    method: str, scores: Floats, ss: dict[str, float], df: dict[str, int], residual: Floats, df_error: int
) -> Anova:
    topics, count = scores.shape
    ss_error = float(np.square(residual).sum())
    if no_variance(ss_error, scores):
        what = " and ".join(ss)
        raise InputError(f"{what} explain every score: no variance is left to compare with", "nothing is to be tested")
    ms_error = ss_error / df_error
    total = sum(ss.values()) + ss_error
    effects = []
    for name, value in ss.items():
        f = value / df[name] / ms_error
        beyond = value - df[name] * ms_error
        effects.append(
            AnovaTerm(
                name=name,
                ss=value,
                df=df[name],
                ms=value / df[name],
                statistic=f,
                pvalue=fdtrc(df[name], df_error, f),
                eta2=value / total,
                partial_eta2=value / (value + ss_error),
                omega2=beyond / (total + ms_error),
                partial_omega2=beyond / (beyond + scores.size * ms_error),
            )
        )
    return Anova(
        method=method,
        n_topics=topics,
        n_systems=count,
        effects=tuple(effects),
        ss_error=ss_error,
        df_error=df_error,
        ms_error=ms_error,
        ss_total=total,
    )
