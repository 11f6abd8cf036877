"""Effect of two systems that are one or several runs each."""

from __future__ import annotations

from dataclasses import replace

from rankscope.arrays import Floats
from rankscope.comparisons.effect import Effect, Procedure
from rankscope.errors import InputError, argument
from rankscope.statistics import repeated_runs
from rankscope.statistics.replications.repeated_runs import run_variance

ONE_RUN = "a system of one run stands for itself: nothing is said about its further runs"


def effect_of_runs(a: Floats, b: Floats, procedure: Procedure) -> Effect:
    """The mean of b - a over topics and runs; scores are topics x runs.

    Runs that differ no more than topics explain add nothing: then it is the effect of the scores averaged over runs.
    """
    if procedure.test != "t":
        cure = f"leave out {argument('test', procedure.test)}, or compare one run with one run"
        raise InputError("systems of several runs are tested by Student's t over topics and runs", cure)
    averaged = procedure.effect(a.mean(axis=1), b.mean(axis=1))
    if not (averaged.won or averaged.lost) or not sum(run_variance(part).added for part in (a, b)):
        return averaged
    result = repeated_runs(a, b, level=procedure.level)
    return replace(
        averaged, lower=result.lower, upper=result.upper, pvalue=result.pvalue,
        method=f"{result.method}, {result.df:.1f} degrees of freedom",
    )  # fmt: skip
