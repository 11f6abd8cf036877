"""Scores that doubles cannot tell apart, compared as the fractions they are, where the lists are known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import copysign
from typing import Any

import numpy as np

from rankscope.arrays import Floats, Ints
from rankscope.comparisons.scored import Scored
from rankscope.errors import InputError
from rankscope.judged.subsets import with_systems, with_topics
from rankscope.measures.exact import dense_ranks
from rankscope.statistics.equality import PRECISION, error, places

_GUARD = 32 * PRECISION  # beyond this share of their scores, differences have the sign that doubles give them
_LEAST = float(np.finfo(np.float64).smallest_subnormal)


def scores_to_test(table: Scored, first: int, second: int) -> tuple[Floats, Floats, int]:
    """Scores of two systems for tests of their difference, and on how many topics only exact scores show one.

    Where the doubles of a topic are so close that rounding might decide, and the measure has exact scores, 0 and the
    exact difference stand in for the two scores: 0 and 0 where they are equal on paper. A difference that is too small
    for a double is the smallest there is.
    """
    a, b = table.value[:, first], table.value[:, second]
    near = np.flatnonzero(np.abs(b - a) <= error(a, _GUARD) + error(b, _GUARD))
    exact = _exact_scores(table, (first, second), near)
    if exact is None:
        return a, b, 0
    at, scores = exact
    differences = np.zeros(len(at))
    for row, (first_score, second_score) in enumerate(zip(*scores.tolist(), strict=True)):
        if first_score is not second_score:  # equal fractions are mostly one object
            differences[row] = _nearest(second_score - first_score)
    hidden = np.abs(b - a)[at] <= error(a[at]) + error(b[at])
    a, b = a.copy(), b.copy()
    a[at], b[at] = 0.0, differences
    return a, b, int(np.count_nonzero(hidden & (differences != 0)))


def best_first(table: Scored) -> list[int]:
    """The systems by their means, the highest first; means that doubles cannot tell apart by exact scores.

    Systems of equal means go by name, so that their order does not depend on how they were given.
    """
    place = places(table.mean())
    if table.design is not None and table.design.weights is not None:  # a weighted mean has no exact form
        return sorted(range(len(place)), key=lambda s: (-place[s], table.systems[s]))
    within = np.zeros(len(place), np.int64)
    for group in np.flatnonzero(np.bincount(place) > 1).tolist():
        tied = np.flatnonzero(place == group)
        exact = _exact_scores(table, tied.tolist(), np.arange(len(table.topics)))
        if exact is not None:
            within[tied] = dense_ranks(exact[1].sum(axis=1))
    return sorted(range(len(place)), key=lambda s: (-place[s], -within[s], table.systems[s]))


def _exact_scores(table: Scored, systems: Sequence[int], topics: Ints) -> tuple[Ints, Any] | None:
    """Those of the topics whose lists differ, and exact scores there, systems x topics; None where there are none."""
    judged, record = table.judged, table.record
    if judged is None or record is None or record.exact is None or not topics.size:
        return None
    lists = with_systems(replace(judged, documents=None, extremes=None), [table.systems[s] for s in systems])
    lists = with_topics(lists, table.at[topics])
    differ = np.flatnonzero((lists.code != lists.code[:1]).any(axis=(0, 2)))
    if not differ.size:
        return None
    try:
        return topics[differ], record.exact_scores(with_topics(lists, differ))
    except InputError:  # some grades have no exact form, as fractions in 2^grade
        return None


def _nearest(difference: Any) -> float:
    """The double nearest to an exact difference, but 0 for 0 alone."""
    return float(difference) or (copysign(_LEAST, difference) if difference else 0.0)
