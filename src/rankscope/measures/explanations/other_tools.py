"""Scores on a collection of what other tools compute under the name of a measure."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from rankscope.arrays import Floats
from rankscope.errors import InputError, quietly
from rankscope.judged import Judged
from rankscope.measures.explanations.variants import RULES, Rule, Variant, variants
from rankscope.measures.inputs import MeasureInputs
from rankscope.measures.names import MEASURES
from rankscope.measures.record import Measure
from rankscope.measures.scores import Scores
from rankscope.measures.scoring import evaluate
from rankscope.statistics.equality import difference, equal

Others: TypeAlias = Mapping[tuple[str, str], Judged]
"""A collection under other options, by option and value."""


class OtherToolScore(NamedTuple):
    """Score on a collection of what some tools compute under the name of a measure.

    call       how to ask for it here, or ""
    mean       mean over systems and topics
    swapped    pairs of systems that change order against the measure that was asked for
    requested  whether it is the measure that was asked for
    """

    who: str
    what: str
    call: str
    mean: float
    swapped: int | None
    requested: bool


def readings(
    measure: Measure, judged: Judged, others: Callable[[], Others], fewest: int | None = None
) -> tuple[OtherToolScore, ...]:
    """The measure as asked for, as other tools compute it, and under rules that change its number here.

    others  reads the collection under other options, if that is wanted
    fewest  rules are left out where there are so many readings without them
    """
    of_tools = _readings(measure, judged)
    if fewest is not None and len(of_tools) >= fewest:
        return tuple(of_tools)
    return (*of_tools, *_rules(measure, judged, others()))


def _readings(measure: Measure, judged: Judged) -> list[OtherToolScore]:
    lists = MeasureInputs(judged.code, judged.grades, judged.available)
    known = [(v, m) for v, m in variants(measure) if m is None or m == measure or _fits(m, lists)]
    if measure not in [equivalent for _, equivalent in known]:
        known = [(Variant("as asked", "", None), measure), *known]
    means = _means(judged, [equivalent for _, equivalent in known if equivalent is not None])
    return [
        OtherToolScore(v.who, v.what, "", math.nan, None, False)
        if m is None
        else OtherToolScore(v.who, v.what, _call(m), *_against(means[m], means[measure]), m == measure)
        for v, m in known
    ]


def _fits(measure: Measure, lists: MeasureInputs) -> bool:
    """Whether a measure can be had here: one with the largest grade fixed may not."""
    try:
        measure.signature(lists)
        lists.gain_table(measure)
    except InputError:
        return False
    return True


def _rules(measure: Measure, judged: Judged, others: Others) -> list[OtherToolScore]:
    """Rules that give another number on this collection."""
    if measure.aggregate == "sum":
        return []
    base = _means(judged, [measure])[measure]
    scores = []
    for rule in RULES:
        values = _under(rule, measure, judged, others)
        if values is not None and not (equal(values, base) | np.isnan(values) & np.isnan(base)).all():
            call = "" if rule.value == "one" else f"{rule.option}={rule.value}"
            who = rule.who if rule.who.startswith("(") else f"rule of {rule.who}"  # not all of them have the measure
            scores.append(OtherToolScore(who, rule.what, call, *_against(values, base), False))
    return scores


def _under(rule: Rule, measure: Measure, judged: Judged, others: Others) -> Floats | None:
    """Means under a rule, where it can be had and makes sense."""
    key = (rule.option, rule.value)
    if key in others:
        return _means(others[key], [measure])[measure]
    if key == ("undefined", "one"):
        return _ones(judged, measure) if measure.name == "nDCG" else None
    if rule.option not in ("undefined", "missing"):
        return None
    choice: dict[str, Any] = {rule.option: rule.value}
    return _means(replace(judged, rules=replace(judged.rules, **choice)), [measure])[measure]


def _means(judged: Judged, measures: list[Measure]) -> dict[Measure, Floats]:
    """(S) means by measure."""
    scores = _quietly(judged, measures)
    rows = dict(zip(scores.measures, scores.mean().value, strict=True))
    return {measure: rows[measure.relevant_from(judged.rules.rel)] for measure in measures}


def _ones(judged: Judged, measure: Measure) -> Floats:
    values = _quietly(judged, [measure]).value[0]
    return np.where(np.isnan(values), 1.0, values).mean(axis=-1)


def _quietly(judged: Judged, measures: list[Measure]) -> Scores:
    with quietly():  # what is left out is in the table
        return evaluate(judged, measures)


def _against(values: Floats, base: Floats) -> tuple[float, int]:
    """The mean over systems, and the pairs of systems that these values put in the other order than the base."""
    return float(values.mean()), swapped(values, base)


def swapped(first: Floats, second: Floats) -> int:
    """Number of pairs of systems that two rows of means order differently; ties do not count."""
    order = [np.sign(difference(row[:, None], row)[0]) for row in (first, second)]
    return int(np.count_nonzero(order[0] * order[1] < 0)) // 2


def _call(measure: Measure) -> str:
    """Name of the measure in our notation, "" where it has none."""
    known = MEASURES.get(measure.name)
    return str(measure) if known is not None and known.kernel == measure.kernel else ""
