"""Paired tests of all pairs of systems, each p value for its pair alone; `adjust` corrects them for their number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rankscope.arrays import Floats, Ints
from rankscope.parallel import Client
from rankscope.statistics import equality
from rankscope.statistics.draws import sign_flips
from rankscope.statistics.draws.canonical_order import canonical_order
from rankscope.statistics.draws.exact_sums import FixedPoint
from rankscope.statistics.draws.resampling import Resampling, over_blocks, resampling_of
from rankscope.statistics.families.comparisons import Comparisons, named, pairs_of
from rankscope.statistics.pairs.difference_tests import RowTests, constant_pvalue, t_tests
from rankscope.statistics.pairs.differences import same_on_all
from rankscope.statistics.score_arrays import score_matrix

_CELLS = 1 << 21  # differences held at a time


def t_all_pairs(
    matrix: ArrayLike, *, systems: Sequence[str] | None = None, topics: Sequence[str] | None = None
) -> Comparisons:
    """Student's paired t for all pairs of a topics x systems matrix, uncorrected."""
    scores = score_matrix(matrix, topics=topics, systems=systems)
    ordered = np.ascontiguousarray(scores[canonical_order(scores)[0]].T)
    first, second = pairs_of(len(ordered))
    width = max(1, _CELLS // len(scores))
    blocks: list[RowTests] = []
    for start in range(0, len(first), width):
        part = slice(start, start + width)
        d, errors = equality.difference(ordered[first[part]], ordered[second[part]])
        blocks.append(t_tests(d, errors=errors))
    pvalue, statistic = (np.concatenate([getattr(b, name) for b in blocks]) for name in ("pvalue", "statistic"))
    return _uncorrected(ordered, systems, pvalue, statistic, method="Student's paired t")


def randomisation_all_pairs(
    matrix: ArrayLike,
    *,
    resampling: Resampling | None = None,
    workers: int | None = None,
    client: Client = None,
    systems: Sequence[str] | None = None,
    topics: Sequence[str] | None = None,
) -> Comparisons:
    """The randomisation test for all pairs of a topics x systems matrix, which share their sign flips; uncorrected.

    All 2^topics flips are taken where they are no more than the resamples asked for.
    """
    resampling = resampling_of(resampling)
    scores = score_matrix(matrix, topics=topics, systems=systems)
    n, count = scores.shape
    by_topic, by_system = canonical_order(scores)
    ordered = scores[by_topic][:, by_system]
    fixed = FixedPoint.of(ordered, 2 * n, errors=2 * equality.error(ordered).sum(axis=0).max())
    every = n < 62 and 2**n <= resampling.resamples
    taken, seed = (resampling.of(2**n), None) if every else (resampling, resampling.seed)
    reached = resampling.kernels.flipped_pairs

    def extreme(trials: tuple[int, int]) -> Ints:
        return reached(fixed.units, fixed.slack, seed, *trials)

    size = resampling.kernels.block(min(256, sign_flips.CELLS // max(n, count)), n * count, count)
    counts = np.zeros((count, count), np.int64)
    for part in over_blocks(extreme, taken, size, workers, client):
        counts += part
    place = np.argsort(by_system)
    counts = (counts + counts.T)[np.ix_(place, place)][pairs_of(count)]
    by_name = ordered[:, place].T
    return _uncorrected(
        by_name,
        systems,
        counts / 2.0**n if every else _with_constant(resampling.pvalue(counts), by_name),
        None,
        method=f"randomisation, {f'all 2^{n}' if every else 'random'} sign flips, shared by all pairs",
        resampling=None if every else resampling,
    )


def _with_constant(pvalue: Floats, scores: Floats) -> Floats:
    """p values of all pairs, with those of differences that are the same on every topic by the rule for them."""
    corrected = []
    for i in range(len(scores) - 1):
        d, errors = equality.difference(scores[i], scores[i + 1 :])
        corrected.append(np.where(same_on_all(d, errors), constant_pvalue(d[:, 0], d.shape[1], 0), np.nan))
    of_constant = np.concatenate(corrected)
    return np.where(np.isnan(of_constant), pvalue, of_constant)


def _uncorrected(
    scores: Floats, systems: Sequence[str] | None, pvalue: Floats, statistic: Floats | None, **fields: Any
) -> Comparisons:
    """Comparisons of all pairs; scores are systems x topics, and the statistic is the difference unless given."""
    first, second = pairs_of(len(scores))
    location = scores.mean(axis=1)
    difference = location[second] - location[first]
    return Comparisons(
        systems=named(systems, len(scores)),
        n_topics=scores.shape[1],
        location=location,
        first=first,
        second=second,
        difference=difference,
        statistic=difference if statistic is None else statistic,
        pvalue=pvalue,
        corrected=False,
        **fields,
    )
