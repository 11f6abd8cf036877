"""C/W/L/A: a user model decides how far is read, an aggregation what that was worth.

A score rises with every gain if the model is static, and in the cases that `Metric.monotone` proves. Besides:

INST with ETG. With x_i = i + 2T - (gain down to i), C(i) = (1 - 1/x_i)^2, and x_i > 1. The gain that a reader at
rank i can still expect is at most f(x_i), f(x) = x^2/(2x-1), its value if all that follows has gain 1: with g next,
g + C f at x + 1 - g rises with g, and is f(x) at g = 1. One more unit of gain at rank k costs the sum over j >= k of
2 V(j+1) f(x_j) / (x_j (x_j - 1)), each term less than L(j)/2: at most V(k)/2 of the V(k) that it brings. This counts
everybody, so it does not hold for lists that are truncated.

ERR with ETG. One more unit at rank k changes the total by V(k) ((S_k + g_k)(1 - q) + q - H), S_k the gain down to k, q
the chance to stop below k, and H the gain to be expected there. From the last rank up H <= q: if H' <= q' holds one
rank below, q - H >= g (1 - g)(1 - q'). Where all stop at the end, the change is V(k) (1 - q).

ERG divides ETG by the documents viewed, and impatient readers view the fewer the more they find.

Where a model reads for ever (RBP, INSQ and INST with an infinite tail), what it meets past the end of the list may have
any gain too.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from rankscope.arrays import FIRST_GRADE, Floats
from rankscope.measures.bounding.exchange import scores_with, self_normalised_ap
from rankscope.measures.bounding.monotone import by_grades
from rankscope.measures.bounding.possible_grades import Classes, Range, all_exact, filled, no_range, within
from rankscope.measures.bounding.rank_sums import at, share
from rankscope.measures.catalogue.ap import SN_AP
from rankscope.measures.catalogue.weights import ranks
from rankscope.measures.cwla import Metric
from rankscope.measures.cwla.aggregations import ETG, Average
from rankscope.measures.cwla.models import AP, ERR, INSQ, INST, RBP, UserModel
from rankscope.measures.inputs import MeasureInputs
from rankscope.measures.record import Measure

_TERMS = "bounded: reading and what it finds each between their own ends"
_DEEPEST = 10_000  # ranks that are laid out for a bound


def pair(lists: MeasureInputs, measure: Measure, kinds: Classes) -> Range:
    """Any model with any aggregation."""
    values = measure.values
    return _ranged(lists, measure, kinds, Metric(values["model"], values["agg"], values["tail"]))


def inst(lists: MeasureInputs, measure: Measure, kinds: Classes) -> Range:
    """INST under its own name."""
    return _ranged(lists, measure, kinds, Metric(INST(float(measure.values["T"])), "ERG"))


def insq(lists: MeasureInputs, measure: Measure, kinds: Classes) -> Range:
    """INSQ under its own name."""
    return _ranged(lists, measure, kinds, Metric(INSQ(float(measure.values["T"])), "ERG"))


def unknown(lists: MeasureInputs, measure: Measure, kinds: Classes) -> Range:
    """Readers who go on past the end of the list, and for whom nothing is proved."""
    return replace(no_range(lists, "unknown: what follows the end of the list counts, too"), beyond=True)


def _ranged(lists: MeasureInputs, measure: Measure, kinds: Classes, metric: Metric) -> Range:
    model, unit = metric.model, float(kinds.gain.max()) <= 1
    endless = metric.tail == "infinite" and isinstance(model, RBP | INSQ | INST)
    if metric.monotone or (unit and _rises(metric)):
        ends = by_grades(lists, measure, kinds)
        if not endless:
            return ends
        upper, exact = _read_on(lists, measure, kinds, metric)
        how = "" if exact else "bounded: as if all that follows the list had full gain, or were met at once"
        return Range(ends.lower, upper, all_exact(lists) & exact, how, not exact)
    if isinstance(model, AP) and metric.aggregation.monotone:
        return _in_proportion(lists, measure, kinds, metric)
    if model.impatient and unit and metric.aggregation.monotone:
        return _between(lists, measure, kinds, metric, endless)
    return no_range(lists, f"unknown: nothing is known of {metric}", endless)


def _rises(metric: Metric) -> bool:
    """Whether the score rises with every gain by the proofs for INST and ERR with ETG above."""
    total = isinstance(metric.aggregation, ETG)
    return total and (isinstance(metric.model, ERR) or (isinstance(metric.model, INST) and metric.tail != "truncate"))


def _gains(lists: MeasureInputs, measure: Measure, kinds: Classes) -> tuple[Floats, Floats]:
    """Gains with all documents at their worst, and at their best."""
    inside = within(lists, measure)
    return (
        filled(lists, ~inside, kinds.worst, kinds.best).input("gain", measure),
        filled(lists, inside, kinds.worst, kinds.best).input("gain", measure),
    )


def _read_on(lists: MeasureInputs, measure: Measure, kinds: Classes, metric: Metric) -> tuple[Floats, bool]:
    """Highest score with the best documents past the end for ever, and whether it is just that."""
    model, gets, best = metric.model, metric.aggregation, float(kinds.gain[-1])
    gain = _gains(lists, measure, kinds)[1]
    n = np.asarray(lists.input("retrieved", measure))
    total_gain = gain.sum(axis=-1)
    if isinstance(model, INST):
        seen = np.broadcast_to(model.seen(gain), (*gain.shape[:-1], gain.shape[-1] + 1))
        left = at(seen, n[..., None])[..., 0]
        if not isinstance(gets, ETG):  # A(i) = 1/i: whoever goes on stops at the next rank at the earliest
            return _inside(metric, gain, n) + left / (n + 1), False
        x = n + 2 * model.T - total_gain
        viewed = left * x**2 / (2 * x - 1)
        view = np.arange(gain.shape[-1]) < n[..., None]
        total = (seen[..., :-1] * gain).sum(axis=-1) + viewed
        depth = (seen[..., :-1] * view).sum(axis=-1) + viewed
        return (total / depth if gets.per_view else total), best == 1
    left = np.asarray(model.after(0, n, 1.0, 0.0))
    inside = _inside(metric, gain, n)
    if isinstance(gets, ETG):
        total = inside + left * total_gain + best * model.views(n, np.inf, left, 0.0)
        return (total / model.views(0, np.inf, 1.0, 0.0) if gets.per_view else total), True
    if isinstance(gets, Average):
        return inside + best * left + (total_gain - n * best) * model.inverse(n, np.array(np.inf), left, 0.0), True
    return inside + best * left, True  # the next document is the best so far, and the last


def _inside(metric: Metric, gain: Floats, n: Any) -> Floats:
    """Sum of L(i) A(i) over the list itself."""
    gets = ETG() if isinstance(metric.aggregation, ETG) else metric.aggregation
    return Metric(metric.model, gets, "truncate").of_lists(gain, n)


def _in_proportion(lists: MeasureInputs, measure: Measure, kinds: Classes, metric: Metric) -> Range:
    """AP's reader: sum of w_i A(i) over sum of w_i, w_i = g_i/i, or w_i = g_i with the average gain so far for ERG.

    With w_i and A(i) each between their own ends, the largest ratio is found as for nDCG: w_i is highest where A(i)
    beats the ratio, else lowest. If A looks at no gain, that is an assignment.
    """
    gets, i = metric.aggregation, ranks(lists.cut(measure).shape[-1])
    if gets.per_view and len(kinds) == 2 and not kinds.gain[0]:
        return _self_normalised(lists, measure, kinds)
    low, high = _gains(lists, measure, kinds)
    values = [(Average() if gets.per_view else gets).values(gain) for gain in (low, high)]
    light, heavy = (gain if gets.per_view else gain / i for gain in (low, high))
    lower, upper = -_largest(light, heavy, -values[0]), _largest(light, heavy, values[1])
    lower = np.where(light.sum(axis=-1) > 0, lower, 0.0)
    return Range(lower, upper, all_exact(lists) & gets.static, _TERMS)


def _self_normalised(lists: MeasureInputs, measure: Measure, kinds: Classes) -> Range:
    """AP_ERG with one level of gain is SN_AP times that gain."""
    gain = lists.gain_table(measure)
    binary = np.where(np.arange(gain.size) < FIRST_GRADE, np.arange(gain.size), FIRST_GRADE + (gain > 0))
    code = binary.astype(lists.code.dtype)[lists.code]
    picked = self_normalised_ap(
        MeasureInputs(code, np.array([0.0, 1.0]), np.zeros(2, np.int64)), replace(SN_AP, cutoff=measure.cutoff)
    )
    return Range(*scores_with(lists, measure, kinds, picked), all_exact(lists))


def _largest(light: Floats, heavy: Floats, value: Floats) -> Floats:
    """Largest weighted mean of values, weights between light and heavy; 0 where there is no weight."""
    value = np.broadcast_to(value, heavy.shape)
    best = share((heavy * value).sum(axis=-1), heavy.sum(axis=-1))
    while True:
        weight = np.where(value > best[..., None], heavy, light)
        better = share((weight * value).sum(axis=-1), weight.sum(axis=-1))
        improved = (weight.sum(axis=-1) > 0) & (better > best)
        if not improved.any():
            return best
        best = np.where(improved, better, best)


def _between(lists: MeasureInputs, measure: Measure, kinds: Classes, metric: Metric, endless: bool) -> Range:
    """An impatient reader: V(i) and A(i) each between their values with all documents worst and all best.

    The sum of L(i) A(i) is that of V(i) (A(i) - A(i-1)), less what those count who never stop.
    """
    gets, best = metric.aggregation, float(kinds.gain[-1])
    n = np.asarray(lists.input("retrieved", measure))
    end = n if measure.cutoff is None or endless else np.full(n.shape, int(measure.cutoff))
    low, high = _gains(lists, measure, kinds)
    missing = int(end.max(initial=0)) - low.shape[-1]
    if missing > _DEEPEST:
        return no_range(lists, f"unknown: deeper than {_DEEPEST} ranks")
    if missing > 0:
        low, high = (np.pad(x, [(0, 0)] * (x.ndim - 1) + [(0, missing)]) for x in (low, high))
    many, few = (_seen(metric.model, gain) for gain in (low, high))  # the worse, the more are seen
    lower = _sum(np.minimum, many, few, low, end, metric)
    upper = _sum(np.maximum, many, few, high, end, metric)
    if endless:
        left = [at(x, end[..., None])[..., 0] for x in (many, few)]
        floor = np.broadcast_to(gets.beyond(low)[0], n.shape) - _value(gets.values(low), end)
        lower = lower + np.minimum(left[0] * floor, left[1] * floor)
        upper = upper + left[0] * np.maximum(best - _value(gets.values(high), end), 0.0)
    if gets.per_view:
        view = np.arange(low.shape[-1]) < end[..., None]
        most, least = ((x[..., :-1] * view).sum(axis=-1) for x in (many, few))
        lower, upper = lower / np.maximum(most, 1), upper / np.maximum(least, 1)  # somebody sees the first document
    upper = upper if isinstance(gets, ETG) and not gets.per_view else np.minimum(upper, best)
    return Range(np.maximum(lower, 0.0), np.maximum(upper, 0.0), all_exact(lists) & False, _TERMS, endless)


def _sum(pick: Any, many: Floats, few: Floats, gain: Floats, end: Any, metric: Metric) -> Floats:
    """Extreme of the sum down to the end."""
    values = np.broadcast_to(metric.aggregation.values(gain), gain.shape)
    step = np.diff(values, axis=-1, prepend=0.0) * (np.arange(gain.shape[-1]) < end[..., None])
    total: Floats = pick(many[..., :-1] * step, few[..., :-1] * step).sum(axis=-1)
    if metric.tail != "truncate":
        return total
    last = _value(values, end)
    return total + pick(-at(many, end[..., None])[..., 0] * last, -at(few, end[..., None])[..., 0] * last)


def _seen(model: UserModel, gain: Floats) -> Floats:
    return np.broadcast_to(model.seen(gain), (*gain.shape[:-1], gain.shape[-1] + 1))


def _value(values: Floats, end: Any) -> Floats:
    """A at the end, 0 for an empty list."""
    if not values.shape[-1]:
        return np.zeros(end.shape)
    return np.where(end > 0, at(values, end[..., None] - 1)[..., 0], 0.0)
