"""Number of topics for a comparison, from a pilot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rankscope.comparisons.effect import interval_level
from rankscope.comparisons.scored import lists_of_runs, scored
from rankscope.errors import InputError
from rankscope.judged import Judged
from rankscope.judged.sources import Runs
from rankscope.measures import Measure, Scores
from rankscope.statistics import pilot_variance, topics_for_power, topics_for_width
from rankscope.statistics.pairs.planning import ASSURANCE, PowerPlan, WidthPlan


def plan(
    source: Judged | Scores | Any,
    runs: Runs = None,
    *,
    difference: float | None = None,
    width: float | None = None,
    measure: str | Measure | None = None,
    systems: Sequence[str] | None = None,
    power: float = 0.8,
    alpha: float = 0.05,
    level: float | None = None,
    assurance: float = ASSURANCE,
    **rules: Any,
) -> PowerPlan | WidthPlan:
    """Topics that find a true mean difference of two systems, or bound it within a width (Sakai 2016).

    source, runs  the pilot: lists (`load`), scores (`evaluate`), whatever `read_scores` reads; or judgments and runs
    difference    the true mean difference that Student's paired t test shall find with this power at alpha
    width         of Student's interval of this level for the mean difference, from end to end, on average
    measure       the one that will decide (nDCG@10 for lists)
    systems       only these systems of the pilot: variants of one engine differ less than engines
    level         of the interval; 1 - alpha unless given
    assurance     share of pilots whose plan reaches the power or the width
    rules         those of `load`, for runs that are read here, such as ties="rank" or rel=2

    Give either the difference or the width.
    """
    level = interval_level(alpha, level)
    if (difference is None) == (width is None):
        raise InputError("a plan is for a difference or for a width", "give one of difference and width")
    pilot = scored(lists_of_runs(source, runs, rules), measure, systems)
    sd = pilot_variance(pilot.value, topics=pilot.topics, systems=pilot.systems)
    if width is not None:
        return topics_for_width(width=width, sd=sd, level=level, assurance=assurance)
    assert difference is not None
    return topics_for_power(difference=difference, sd=sd, power=power, alpha=alpha, assurance=assurance)
