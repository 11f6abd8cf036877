"""Dominance: one claim for every static rank-weighted metric at once.

A metric that sums gain times a weight which depends on the rank alone, and never grows with it, is a sum of the gains
down to each rank j times the drop of the weight after j, which is not negative. So where the mean gain down to j of B
is at least that of A for every j <= k, B is at least as good in the mean under every such metric cut at k; and where
each of these k differences is shown to be above 0, so is every such metric's: an intersection-union test (Berger 1982),
whose p value is the largest of the k one-sided ones, without a further correction.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from rankscope import arguments
from rankscope.arrays import Bools, Floats
from rankscope.judged import Judged
from rankscope.judged.two_systems import two_systems
from rankscope.parallel import Client, map_units, on
from rankscope.preferences.dominance_arguments import DominanceQuestion, Normalise
from rankscope.preferences.dominance_results import Dominance, DominanceMatrix
from rankscope.preferences.gains import Gains
from rankscope.statistics.draws.resampling import Resampling
from rankscope.statistics.pairs.one_sided import (
    OneSidedTest,
    one_sided,
    simultaneous_reach,
    standard_error,
)
from rankscope.statistics.special import stdtrit

_CELLS = 1 << 21  # differences held at a time


def dominance(
    source: Judged | Any,
    a: Any,
    b: Any,
    *,
    depth: int,
    gains: Gains = None,
    rel: float | None = None,
    normalise: Normalise | None = None,
    equal_weights_to: int = 1,
    test: OneSidedTest = "bounded",
    level: float = 0.95,
    resampling: Resampling | None = None,
    workers: int | None = None,
    client: Client = None,
    **rules: Any,
) -> Dominance:
    """Test whether the mean of b is higher than that of a under every static rank-weighted metric cut at `depth`.

    source, a, b  lists and the names of two systems; or judgments and two runs, as `load` takes them
    gains      "binary", "linear" (the grade), "exp" (2^grade - 1), or a map of grades to gains that names every grade
               above 0 and never falls; judgments of one grade above 0 need none, others need this or rel
    rel        the lowest relevant grade, for binary gain; by default the one chosen on loading
    normalise  "recall base" divides the gains of a topic by its number of documents with gain, so that the claim is
               about R@k and the like; {topic: factor} multiplies them
    equal_weights_to  asks about fewer metrics: those that weigh ranks 1 to this one the same
    test       "bounded" (Gaffke's) goes by what a topic can lose at most, and claims too much for no distribution that
               was tried; "t" and "randomisation" (sign flips) do where losses are rare and large; "betting" is the one
               that is proved for every distribution, and claims little (docs/validity-dominance.md)
    level      of the bands
    resampling  of the sign flips: for the band over all ranks, and for the randomisation test
    rules      those of `load`, for runs that are read here, such as ties="rank"

    Topics without a document that has gain are left out, and a topic that a run lacks is an empty list, unless other
    rules were chosen on loading.
    """
    arguments.level(level)
    judged, a, b = two_systems(source, a, b, **rules)
    question = DominanceQuestion.of(judged, (a, b), depth, gains, rel, normalise, equal_weights_to)
    resampling = resampling or Resampling()
    first, second = question.reached
    d = question.differences(first, second)
    with on(client):
        tested = one_sided(d, test=test, bound=question.bound, resampling=resampling, workers=workers)
        bands = _bands(d, tested.mean, tested.tied | tested.alike, level, resampling, workers)
    return Dominance(
        systems=(a, b),
        covers=question.covers,
        ranks=question.ranks,
        difference=tested.mean,
        lower=bands[0],
        upper=bands[1],
        lower_all=bands[2],
        upper_all=bands[3],
        level=level,
        pvalues=tested.above,
        pvalues_reverse=tested.below,
        tied=tuple(question.ranks[tested.tied].tolist()),
        alike=tuple(question.ranks[tested.alike].tolist()),
        n_topics=question.n,
        left_out=question.left_out,
        method=tested.method,
        exact=tested.exact,
        resampling=resampling,
        rules=question.rules,
    )


def dominance_all_pairs(
    judged: Judged,
    *,
    depth: int,
    gains: Gains = None,
    rel: float | None = None,
    normalise: Normalise | None = None,
    equal_weights_to: int = 1,
    test: OneSidedTest = "bounded",
    resampling: Resampling | None = None,
    workers: int | None = None,
    client: Client = None,
) -> DominanceMatrix:
    """`dominance` for all pairs of systems: universal p values, systems x systems, uncorrected.

    Sign flips of the randomisation test are shared by all pairs, and drawn unless all of them can be taken.
    """
    question = DominanceQuestion.of(judged, judged.systems, depth, gains, rel, normalise, equal_weights_to)
    with on(client):
        pvalue, ahead, method = _one_by_one(question, test, resampling, workers)
    return DominanceMatrix(
        systems=judged.systems,
        covers=question.covers,
        pvalue=pvalue,
        ahead=ahead,
        n_topics=question.n,
        left_out=question.left_out,
        method=method,
        rules=question.rules,
    )


def _one_by_one(
    question: DominanceQuestion, test: OneSidedTest, resampling: Resampling | None, workers: int | None
) -> tuple[Floats, Bools, str]:
    """Universal p values of all pairs, who is ahead, and by which method: one system and some others at a time."""
    count, method = len(question.reached), ""
    pvalue, ahead = np.ones((count, count)), np.zeros((count, count), np.bool_)
    step = max(1, _CELLS // max(1, question.reached[0].size))
    units = [(i, j, min(j + step, count)) for i in range(count) for j in range(i + 1, count, step)]
    test_some = partial(one_sided, test=test, bound=question.bound, resampling=resampling, exact=False, workers=1)

    def work(unit: tuple[int, int, int]) -> tuple[Floats, Floats, Any, Any, str]:
        i, start, stop = unit
        tested = test_some(question.differences(question.reached[i], question.reached[start:stop]))
        up, down = (tested.mean > 0).any(axis=-1), (tested.mean < 0).any(axis=-1)
        return tested.above.max(axis=-1), tested.below.max(axis=-1), up & ~down, down & ~up, tested.method

    for (i, start, stop), part in zip(units, map_units(work, units, workers=workers), strict=True):
        pvalue[i, start:stop], pvalue[start:stop, i], ahead[i, start:stop], ahead[start:stop, i], method = part
    return pvalue, ahead, method


def _bands(
    d: Floats, mean: Floats, flat: Bools, level: float, resampling: Resampling, workers: int | None
) -> tuple[Floats, Floats, Floats, Floats]:
    """Lower and upper ends at each rank, then over all ranks; NaN where topics do not vary."""
    n = d.shape[1]
    error = np.where(flat, np.nan, standard_error(d, mean))
    here = stdtrit(n - 1, (1 + level) / 2) * error
    if flat.all():
        return mean - here, mean + here, mean - here, mean + here
    everywhere = simultaneous_reach(d[~flat], level, resampling=resampling, workers=workers) * error
    return mean - here, mean + here, mean - everywhere, mean + everywhere
