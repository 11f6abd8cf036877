"""Differences of two systems topic by topic, under the metric that decides and others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from rankscope.arrays import Floats
from rankscope.comparisons.scored import Scored, scored_apart
from rankscope.comparisons.sensitivity import PALETTE
from rankscope.errors import InputError, Problem, quietly
from rankscope.judged.subsets import with_topics
from rankscope.measures import Measure, Scores, parse
from rankscope.statistics.equality import difference


def topic_differences(
    compared: Scored, measures: Sequence[str | Measure] | None = None, rows: Sequence[int] | None = None
) -> tuple[tuple[str, ...], Floats]:
    """B - A on each topic of the lists under several measures: their names, and (measures, topics) differences.

    measures  the one that decides and those of `PALETTE`, unless given; those that cannot be computed are left out
    rows      of the topics, all unless given
    """
    if compared.judged is None or compared.record is None:
        raise InputError("differences of other measures", "they need lists: compare what `load` returns")
    judged = compared.judged if rows is None else with_topics(replace(compared.judged, documents=None), rows)
    names: list[str] = []
    value, reasons = [], []
    with quietly():  # said when systems were compared
        for scores in scored_apart(judged, parse([compared.record, *PALETTE] if measures is None else list(measures))):
            if isinstance(scores, Scores):
                names += map(str, scores.measures)
                value.append(scores.value)
            else:
                reasons.append(Problem(scores[1], "name a measure that can be computed"))
    if not value:
        raise InputError(reasons or [Problem("no measures", "name at least one")])
    pairs = np.concatenate(value)
    differences, _ = difference(pairs[:, 0], pairs[:, 1])
    return tuple(names), differences
