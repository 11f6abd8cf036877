"""Theorems on measures and the total orders, for all depths together."""

from __future__ import annotations

import math

from rankscope.arrays import FIRST_GRADE, Floats
from rankscope.measures import Measure
from rankscope.measures.catalogue.interval import Interval
from rankscope.universe.rankings import Universe

_SET = ("P", "R", "F", "SetP", "SetR", "SetF", "gP", "gR")
_SOURCE = "Ferrante, Ferro and Losiouk 2020"


def theorem(measure: Measure, universe: Universe, order: str) -> str:
    """The verdict of the paper for this measure, or nothing; it need not be that at one depth.

    The paper's measures look at whole lists, so nothing is said of one that is cut above their end.
    """
    cut_short = measure.cutoff is not None and measure.cutoff < universe.depth
    if isinstance(measure, Interval) or order == "ipso" or cut_short:
        return ""
    verdict = _on_sets(measure, universe) if order == "set" else _on_ranks(measure, universe)
    return f"{verdict} ({_SOURCE})" if verdict else ""


def _on_sets(measure: Measure, universe: Universe) -> str:
    if measure.name == "SBTO" and measure.values.get("gains") is None:
        return "SBTO is an interval scale for any depth and any grades"
    if measure.name not in _SET:
        return ""
    if universe.grades == 1:
        return f"{measure.name} is an interval scale where relevance is binary"
    if measure.name in ("gP", "gR"):
        return f"{measure.name} is not even ordinal where there are more than two grades, once lists are long enough"
    return ""


def _on_ranks(measure: Measure, universe: Universe) -> str:
    if measure.name == "RBTO" and measure.values.get("gains") is None:
        return "RBTO is an interval scale for any depth and any grades"
    if measure.name in ("AP", "DCG", "ERR"):
        return f"{measure.name} is not even ordinal, once lists are long enough"
    if measure.name not in ("RBP", "gRBP"):
        return ""
    gains = universe.inputs(universe.level[:1]).gain_table(measure)[FIRST_GRADE:]
    gap = _smallest_gap(gains)
    if not gap:
        return ""  # grades that gain the same: the theorem asks for gains that rise
    bound, p = gap / (gap + 1), float(measure.values["p"])
    if math.isclose(p, bound, rel_tol=1e-12):
        even = math.isclose(bound, 1 / (universe.grades + 1), rel_tol=1e-12)
        kind = "an interval scale" if even else "ordinal, not an interval scale"
        return f"{measure.name} is {kind} at p = G/(G+1) = {bound:.6g}"
    if p < bound:
        return f"{measure.name} is ordinal, not an interval scale, for p < G/(G+1) = {bound:.6g}"
    return (
        f"{measure.name} is not ordinal for p > G/(G+1) = {bound:.6g}, for all depths together: "
        "a little above it short lists still are"
    )


def _smallest_gap(gains: Floats) -> float:
    """G: the smallest step between neighbouring gains over the largest gain; 0 where one does not rise."""
    step = float((gains[1:] - gains[:-1]).min())
    return max(0.0, step / float(gains[-1])) if gains[-1] > 0 else 0.0
