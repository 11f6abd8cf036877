"""Bounds of the difference of two systems, jointly: lowest and highest score of b less that of a on every topic.

Every unjudged document of either list has one grade, in both lists and in the topic's recall base. Documents that
neither list holds stay as they are judged.
"""

from __future__ import annotations

import numpy as np

from rankscope.arrays import FIRST_GRADE, UNJUDGED, Bools, Floats, Ints
from rankscope.judged import Judged
from rankscope.measures.bounding import difference as arguments
from rankscope.measures.bounding.enumeration import LIMIT, all_assignments, capped_assignments
from rankscope.measures.bounding.monotone import any_step
from rankscope.measures.bounding.open_pair import OpenPair
from rankscope.measures.bounding.possible_grades import (
    LOCAL,
    Classes,
    Range,
    all_exact,
    classes,
    knows_recall_base,
    no_range,
    refuse_condensed,
    with_zero,
)
from rankscope.measures.bounding.run import BY_SUBTOPIC, OF_JUDGING, READ_ON, measures_judging, score_range
from rankscope.measures.catalogue.ap import AP
from rankscope.measures.catalogue.bpref import infAP
from rankscope.measures.catalogue.interval import Interval
from rankscope.measures.catalogue.iprec import IPrec
from rankscope.measures.catalogue.q import Q
from rankscope.measures.inputs import MeasureInputs
from rankscope.measures.record import Measure
from rankscope.measures.scoring import blocks
from rankscope.parallel import map_units

SEPARATE = "bounded: each list by itself, where both lists hold more documents than all grades were tried for"
TWICE = "bounded: names of documents were not kept, so one in both lists counts as two"

_FALL = (AP.kernel, IPrec.kernel, infAP.kernel, Q.kernel)
"""Kernels whose scores never rise with relevant documents that the list does not hold."""

_CELLS = 1 << 21  # of lists at a time


def joint_ends(judged: Judged, measure: Measure, workers: int | None = None) -> Range:
    """Lowest and highest difference of two systems' scores, second less first, by topic (T).

    judged   two systems; documents that were not kept are taken for different ones in the two lists
    measure  with its lowest relevant grade, as `Scores.measures` has it
    """
    refuse_condensed(judged)
    code, grades, available = judged.code, judged.grades, judged.available
    if judged.subtopics is not None and "covered" in measure.inputs:
        return no_range(MeasureInputs(code[0], grades, available), BY_SUBTOPIC)
    number = None if judged.documents is None else judged.documents.number

    def ends(topics: slice) -> Range:
        lists = with_zero(MeasureInputs(code[:, topics], grades, available[topics]))
        return difference_range(OpenPair.of(lists, None if number is None else number[:, topics]), measure)

    units = [topics for systems, topics in blocks(code.shape) if systems.start == 0]
    parts = list(map_units(ends, units, workers=workers))
    if not parts:
        empty = np.empty(0)
        return Range(empty, empty, np.empty(0, np.bool_))
    lower, upper, exact = (
        np.concatenate([getattr(part, name) for part in parts]) for name in ("lower", "upper", "exact")
    )
    how = next((part.how for part in parts if part.how), "")
    return Range(lower, upper, exact, how, any(part.beyond for part in parts))


def difference_range(pair: OpenPair, measure: Measure) -> Range:
    """Lowest and highest difference by the argument that holds, then by enumeration where that is not exact."""
    topics = MeasureInputs(pair.lists.code[1], pair.lists.grades, pair.lists.available)
    if measures_judging(measure):
        return no_range(topics, OF_JUDGING)
    kinds = classes(pair.lists, measure)
    if not (pair.lists.code == UNJUDGED).any() and measure.kernel not in READ_ON:
        difference = pair.difference(np.zeros(pair.there.shape, np.int64), measure)
        return Range(difference, difference, all_exact(topics))
    (upper, top), (lower, bottom) = (_highest(each, measure, kinds) for each in (pair, pair.swapped()))
    exact = top & bottom & pair.known(measure)
    ends = Range(-lower, upper, exact, "" if exact.all() else TWICE if pair.hidden.any() else SEPARATE)
    if exact.all() or measure.kernel in READ_ON:
        return ends
    if not (few := ~exact & pair.known(measure)).any():
        return ends
    few &= _assignments(pair, measure, kinds) <= LIMIT
    low, high = _enumerated(pair, measure, kinds, few)
    return Range(
        np.where(few, low, ends.lower),
        np.where(few, high, ends.upper),
        exact | few,
        ends.how if (~exact & ~few).any() else "",
    )


def _highest(pair: OpenPair, measure: Measure, kinds: Classes) -> tuple[Floats, Bools]:
    """Highest difference, and where it is attained; never wider than each list by itself."""
    argument = arguments.ARGUMENTS.get(measure.kernel)
    interval = isinstance(measure, Interval)  # its kernel is that of the measure within
    rises = measure.improves == "grades" and kinds.ordered and {*measure.inputs} <= LOCAL
    if interval or (argument and not (kinds.ordered or len(kinds) == 1)):
        argument = None
    elif argument is None and rises and measure.kernel not in READ_ON:
        argument = arguments.monotone
    past_the_end = argument is arguments.additive and measure.kernel in READ_ON
    if argument is not None:
        highest, attained = argument(pair, measure, kinds)
        if attained.all() and not past_the_end:  # each list by itself can tell no more
            return highest, attained
    lower, upper, exact = _by_itself(pair, measure, kinds)
    outer = upper[1] - lower[0]
    if argument is None:
        return outer, exact
    if past_the_end:
        return highest + arguments.past_the_end(pair, measure, kinds, upper[1]), attained
    return np.where(attained | np.isnan(outer), highest, np.minimum(highest, outer)), attained


def _by_itself(pair: OpenPair, measure: Measure, kinds: Classes) -> tuple[Floats, Floats, Bools]:
    """Ends of each list (2, T) by itself, whatever the grades of the other's documents; whether neither is open."""
    absent = pair.there & (pair.rank == pair.lists.code.shape[-1])
    more = np.count_nonzero(absent, axis=-1)  # documents that only the other list holds
    none = pair.n == 0
    if not knows_recall_base(measure):
        ends = score_range(pair.lists, measure)
        return ends.lower, ends.upper, none
    lows, highs = [], []
    for code in (kinds.worst, kinds.best):
        available = np.broadcast_to(pair.lists.available, (*more.shape, len(pair.lists.grades))).copy()
        available[..., code - FIRST_GRADE] += more
        ends = score_range(MeasureInputs(pair.lists.code, pair.lists.grades, available), measure)
        lows.append(ends.lower)
        highs.append(ends.upper)
    lower, upper = np.minimum(*lows), np.maximum(*highs)
    if isinstance(measure, Interval):
        widest = any_step(pair.lists, measure, kinds)
        lower, upper = np.where(more > 0, widest.lower, lower), np.where(more > 0, widest.upper, upper)
    elif measure.kernel not in (*_FALL, *arguments.ARGUMENTS):
        least, most = measure.bounds if np.isfinite(measure.bounds).all() else (np.nan, np.nan)
        lower, upper = np.where(more > 0, least, lower), np.where(more > 0, most, upper)
    return lower, upper, none


def _assignments(pair: OpenPair, measure: Measure, kinds: Classes) -> Ints:
    """(T) assignments of grades that the measure could tell apart; not exact above LIMIT."""
    inside, past = _counts(pair, measure)
    return capped_assignments(len(kinds), inside, past)


def _counts(pair: OpenPair, measure: Measure) -> tuple[Ints, Ints]:
    """(T) documents that the measure sees in either list, and others that could matter."""
    seen = pair.inside(measure).any(axis=0)
    inside = np.count_nonzero(seen, axis=-1)
    return inside, (pair.n - inside) * knows_recall_base(measure)


def _enumerated(pair: OpenPair, measure: Measure, kinds: Classes, which: Bools) -> tuple[Floats, Floats]:
    """Lowest and highest difference over all assignments on the topics that `which` names, NaN elsewhere."""
    lower, upper = np.full((2, *which.shape), np.nan)
    inside, past = _counts(pair, measure)
    seen = pair.inside(measure).any(axis=0)
    # those that are seen first, then the others, then slots without a document
    order = np.argsort(np.where(seen, 0, np.where(pair.there, 1, 2)), axis=-1, kind="stable")
    for n, m in {(int(a), int(b)) for a, b in zip(inside[which], past[which], strict=True)}:
        grades = all_assignments(kinds.code, n, m)
        group = np.flatnonzero(which & (inside == n) & (past == m))
        step = max(1, _CELLS // max(1, len(grades) * 2 * pair.lists.code.shape[-1]))
        for start in range(0, len(group), step):
            t = group[start : start + step]
            codes = np.full((len(grades), len(t), order.shape[-1]), kinds.worst)
            np.put_along_axis(codes, np.broadcast_to(order[t], codes.shape)[..., : n + m], grades[:, None, :], axis=-1)
            differences = pair.on(t).difference(np.stack([codes, codes], axis=1), measure)
            lower[t], upper[t] = differences.min(axis=0), differences.max(axis=0)
    return lower, upper
