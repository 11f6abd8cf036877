"""A measure's scale and properties in a few words, for `rankscope explain`."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial

from rankscope.errors import InputError
from rankscope.measures import Measure
from rankscope.measures.catalogue.interval import ON_MEANS
from rankscope.universe.one_measure.properties import PROPERTIES, Properties, properties
from rankscope.universe.one_measure.scales import (
    AGAINST,
    DEPTH,
    DISPUTED,
    FOR,
    ORDERS,
    PERMITS,
    Order,
    Scale,
    key_of,
    scale,
)

_SHORT = {"bounded": "bnd", "monotone": "mono", "convergent": "conv", "top-weighted": "top", "localised": "loc",
          "complete": "comp", "realisable": "real"}  # fmt: skip
_NAMES = {"set": "set-based order", "rank": "rank-based order", "ipso": "IPSO partial order"}


def facts(measure: Measure) -> dict[str, str]:
    """Scale and properties, each in a few lines; empty where nothing can be said."""
    by_heading: dict[str, str] = {}
    scales = [scale for order in ORDERS if (scale := _scale(measure, order)) is not None]
    if scales:
        lines = [
            f"{_NAMES[scale.order]}: {scale.label}"
            + (f", since {scale.reason}" if scale.reason else "")
            + (f"; theorem: {scale.theorem}" if scale.theorem else "")
            for scale in scales
        ]
        dispute = f"{DISPUTED} For it: {_works(FOR)}. Against it: {_works(AGAINST)}."
        by_heading["scale"] = "\n".join([f"over all binary rankings of {DEPTH} documents", *lines, dispute])
        labels = dict.fromkeys(scale.label for scale in scales)
        by_heading["permits"] = "\n".join([
            "Some hold that the scale decides which statistics make sense. To them it permits:",
            *(f"{label}: {PERMITS[label]}" for label in labels),
            f"For compare and rank this means: {ON_MEANS}",
        ])  # fmt: skip
    if known := _properties(measure):
        broken = [f"not {finding.name}: {finding.words}" for finding in known.findings if not finding.holds]
        upto = f"up to k = {known.depth} and R = {known.recall_base}: {', '.join(known.holding) or 'none'}"
        by_heading["properties"] = "\n".join([upto, *broken])
    return by_heading


def columns() -> dict[str, Callable[[Measure], str]]:
    """Columns of a table of measures: their scale on each order, and an x for each property."""
    scales = {order: partial(_label, order=order) for order in ORDERS}
    return scales | {_SHORT[name]: partial(_mark, name=name) for name in PROPERTIES}


def _label(measure: Measure, *, order: Order) -> str:
    decision = _scale(measure, order)
    return "-" if decision is None else decision.label


def _mark(measure: Measure, *, name: str) -> str:
    known = _properties(measure)
    return "-" if known is None else "x" * known[name].holds


@cache
def _scale(measure: Measure, order: Order) -> Scale | None:
    """The scale among short binary rankings; none where a measure has no score for some of them."""
    try:
        return scale(measure.at_depth(DEPTH), depth=DEPTH, order=order)
    except InputError:
        return None


@cache
def _properties(measure: Measure) -> Properties | None:
    try:
        return properties(measure)
    except InputError:
        return None


def _works(keys: tuple[str, ...]) -> str:
    return ", ".join(map(key_of, keys))
