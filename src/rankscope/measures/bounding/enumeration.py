"""Enumeration of all assignments of grades: exact for any measure, where there are few."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations_with_replacement, product
from math import comb

import numpy as np

from rankscope.arrays import FIRST_GRADE, UNJUDGED, Bools, Floats, Ints
from rankscope.measures.bounding.possible_grades import Classes, knows_recall_base, unjudged, within
from rankscope.measures.inputs import MeasureInputs
from rankscope.measures.record import Measure

LIMIT = 1024
"""So many assignments of one list are enumerated at most."""

_CELLS = 1 << 21  # of lists at a time


def assignments(lists: MeasureInputs, measure: Measure, kinds: Classes) -> Ints:
    """Number of assignments of grades that the measure could tell apart, by list; not exact above LIMIT.

    Past the cutoff only the numbers of documents count, and these only where the measure knows of a recall base.
    """
    return capped_assignments(len(kinds), *_open(lists, measure))


def capped_assignments(most: int, inside: Ints, past: Ints) -> Ints:
    """Number of assignments of so many grades to documents whose place counts and others that are merely counted."""
    ordered, loose = (range(int(n.max(initial=0)) + 1) for n in (inside, past))
    return _capped(most ** min(n, 64) for n in ordered)[inside] * _capped(comb(n + most - 1, n) for n in loose)[past]


def enumerated(lists: MeasureInputs, measure: Measure, kinds: Classes, which: Bools) -> tuple[Floats, Floats]:
    """Lowest and highest score of the lists that `which` names, NaN for the others."""
    lower, upper = np.full((2, *which.shape), np.nan)
    inside, past = _open(lists, measure)
    code = lists.code[..., within(lists, measure)]
    available = np.broadcast_to(lists.available, (*which.shape, len(lists.grades)))
    for n, m in {(int(a), int(b)) for a, b in zip(inside[which], past[which], strict=True)}:
        every = all_assignments(kinds.code, n, m)
        grades, counts = every[:, :n], _counts(every, len(lists.grades))
        group = np.nonzero(which & (inside == n) & (past == m))
        step = max(1, _CELLS // max(1, len(grades) * max(1, code.shape[-1])))
        for start in range(0, len(group[0]), step):
            at = tuple(axis[start : start + step] for axis in group)
            assigned = np.repeat(code[at][:, None], len(grades), axis=1)
            # an open document's place is the same in every copy of its list
            row, rank = (axis.reshape(len(assigned), n) for axis in np.nonzero(assigned[:, 0] == UNJUDGED))
            assigned[row, :, rank] = grades.T
            full = MeasureInputs(assigned, lists.grades, available[at][:, None] + counts)
            scores = np.where(full.defined(measure), measure.compute(full), 0.0)
            lower[at], upper[at] = np.fmin.reduce(scores, axis=1), np.fmax.reduce(scores, axis=1)
    return lower, upper


def _capped(numbers: Iterable[int]) -> Ints:
    """Numbers that may be astronomical, where all that counts is whether they are too large."""
    return np.array([min(number, LIMIT + 1) for number in numbers], np.int64)


def _open(lists: MeasureInputs, measure: Measure) -> tuple[Ints, Ints]:
    """Unjudged documents within the cutoff, and those past it that could matter."""
    new, seen = unjudged(lists), within(lists, measure)
    inside, past = (np.count_nonzero(new & x, axis=-1) for x in (seen, ~seen))
    return inside, past * knows_recall_base(measure)


def all_assignments(codes: Ints, inside: int, past: int) -> Ints:
    """Codes of the open documents, one row per assignment: those within the cutoff first, then those past it."""
    ordered = list(product(codes.tolist(), repeat=inside))
    loose = list(combinations_with_replacement(codes.tolist(), past))
    return np.array([a + b for a in ordered for b in loose], np.int64).reshape(len(ordered) * len(loose), -1)


def _counts(every: Ints, scale: int) -> Ints:
    """How many documents of each grade an assignment makes."""
    return (every[:, :, None] == np.arange(FIRST_GRADE, FIRST_GRADE + scale)).sum(axis=1)
