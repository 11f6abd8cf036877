"""Two systems without a metric: IPSO by grade thresholds, dominance with the gains of the metric, preferences."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rankscope.arrays import FIRST_GRADE, Floats
from rankscope.comparisons.effect import Effect, Procedure, Test
from rankscope.comparisons.scored import cutoff_of
from rankscope.errors import InputError, reason
from rankscope.judged import Judged
from rankscope.measures import Measure
from rankscope.measures.inputs import MeasureInputs
from rankscope.preferences import Dominance, Ipso, dominance, ipso
from rankscope.preferences.all_pairs import pair_preferences
from rankscope.preferences.gains import Gains

DEPTH = 10  # of IPSO and dominance, for a measure without a cutoff
_NAMES = {"grade": "linear", "linear": "linear", "exponential": "exp", "exp": "exp"}


@dataclass(frozen=True, slots=True)
class Preference:
    """One method's preference for b over a, topic by topic, and its test."""

    name: str
    what: str
    effect: Effect


@dataclass(frozen=True, slots=True, eq=False)
class WithoutMetric:
    """IPSO, dominance and preferences of two systems, without a choice of metric.

    dominance  None where the gains of the metric cannot be summed exactly; `no_dominance` is the reason then
    """

    ipso: Ipso
    dominance: Dominance | None
    preferences: tuple[Preference, ...]
    default_depth: bool  # the depth is `DEPTH`: neither the user nor the cutoff of the measure says it
    no_dominance: str = ""

    @property
    def counts(self) -> tuple[int, int, int, int]:
        """Topics on which a is non-inferior, on which b is, equal ones, and those that are non-separable."""
        top, ns, equal, ni, bottom = self.ipso.counts[-1].tolist()
        return ni, ns, equal, top + bottom

    def dominance_pvalue(self, verdict: int) -> float:
        """p value of dominance in the direction of a verdict, 1 for b or -1 for a; NaN where it was not tested."""
        if self.dominance is None:
            return math.nan
        return self.dominance.pvalue if verdict > 0 else self.dominance.pvalue_reverse


def without_metric(
    judged: Judged,
    a: str,
    b: str,
    measure: Measure,
    procedure: Procedure,
    *,
    depth: int | None,
    gains: Gains,
) -> WithoutMetric:
    """IPSO, dominance and preferences of two systems.

    depth  of IPSO and dominance; None for the cutoff of the measure, or 10 where it has none
    gains  by what IPSO orders lists; dominance has the gains of the measure
    """
    default_depth = depth is None and cutoff_of(measure) is None
    depth = min(cutoff_of(measure) or DEPTH, judged.code.shape[-1]) if depth is None else depth
    by_recall = pair_preferences(judged, a, b, rel=relevant_from(judged, measure), workers=procedure.workers)
    tests: tuple[tuple[str, str, Floats, Test], ...] = (
        ("RPP", "mean share of recall levels ahead", by_recall.rpp, "t"),
        ("sgnLP", "lexiprecision, sign", by_recall.sgn_lp, "sign"),
        ("rrLP", "lexiprecision, difference of RR", by_recall.rr_lp, "t"),
        ("sgnLR", "lexirecall, sign", by_recall.sgn_lr, "sign"),
    )
    tested, no_dominance = None, ""
    try:
        tested = dominance(
            judged,
            a,
            b,
            depth=depth,
            **gains_of(judged, measure),
            level=procedure.level,
            resampling=procedure.resampling,
            workers=procedure.workers,
        )
    except InputError as error:  # grades whose sums are beyond whole numbers: the comparison goes on
        no_dominance = reason(error)
    return WithoutMetric(
        ipso=ipso(judged, a, b, depth=depth, gains=gains),
        dominance=tested,
        preferences=tuple(
            Preference(name, what, replace(procedure, test=test).effect(np.zeros_like(value), value))
            for name, what, value, test in tests
        ),
        default_depth=default_depth,
        no_dominance=no_dominance,
    )


def gains_of(judged: Judged, measure: Measure) -> dict[str, Any]:
    """Gains of the metric up to a factor, by name where they have one, as arguments of preferences."""
    takes_gain = {"gain", "ideal"} & set(measure.inputs)
    if not takes_gain or measure.gain_kind == "binary":
        return {"gains": "binary", "rel": relevant_from(judged, measure)}
    if measure.values.get("gains") is None and measure.gain_kind in _NAMES:
        return {"gains": _NAMES[measure.gain_kind]}
    table = MeasureInputs(judged.code[:, :0], judged.grades, judged.available).gain_table(measure)[FIRST_GRADE:]
    return {"gains": dict(zip(judged.grades.tolist(), table.tolist(), strict=True))}


def relevant_from(judged: Judged, measure: Measure) -> float:
    """The lowest grade that is relevant to the metric, or to the collection."""
    return float(dict(measure.settings).get("rel", judged.rules.rel))
