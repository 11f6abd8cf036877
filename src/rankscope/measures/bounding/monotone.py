"""Scores that a better grade never lowers: the ends are the worst and the best grade for all."""

from __future__ import annotations

import numpy as np

from rankscope.measures.bounding.possible_grades import Classes, Range, all_exact, filled, no_range, scored, within
from rankscope.measures.inputs import MeasureInputs
from rankscope.measures.record import Measure


def by_grades(lists: MeasureInputs, measure: Measure, kinds: Classes) -> Range:
    """Lowest where documents within the cutoff are worst and those past it best, which swell the recall base alone.

    For ERR: d/dg_i = P(reached i) (1/i - sum over k > i of P(stops at k | went on) / k), and as the reader stops
    once at most, at k > i, the sum is below 1/i. For F: with f found of R, (f + 1)/(b R + b + k) >= f/(b R + k), as
    b f <= b R + k; the same holds for recall with k = 0.
    """
    inside = within(lists, measure)
    lower = scored(filled(lists, ~inside, kinds.worst, kinds.best), measure)
    upper = scored(filled(lists, inside, kinds.worst, kinds.best), measure)
    return Range(lower, upper, all_exact(lists))


def rank_biased(lists: MeasureInputs, measure: Measure, kinds: Classes) -> Range:
    """RBP, whose reader goes on past the end of the list: there nothing may follow, or the best for ever.

    The width is then the residual of Moffat and Zobel (2008).
    """
    ends = by_grades(lists, measure, kinds)
    beyond = float(measure.values["p"]) ** lists.input("retrieved", measure).astype(float)
    return Range(ends.lower, ends.upper + kinds.gain[-1] * beyond, ends.exact)


def steps(lists: MeasureInputs, measure: Measure, kinds: Classes) -> Range:
    """Interval(...) of a score with one level of gain that a better grade raises and that knows no recall base.

    With more documents of that level available more scores are attainable, so a list has more of them below it, even
    if the documents stand past the cutoff: lowest where all are worst, highest where all are best. With more levels
    a better grade would take a document from one to give it to another.
    """
    low, high = (filled(lists, best, kinds.worst, kinds.best) for best in (False, True))
    return Range(scored(low, measure), scored(high, measure), all_exact(lists))


def any_step(lists: MeasureInputs, measure: Measure, kinds: Classes) -> Range:
    """Interval(...) of any other score, from 0 to one less than the number of lists.

    Which scores are attainable depends on the grades; there are never more of them than lists.
    """
    levels = 1 + np.count_nonzero(kinds.relevant | (kinds.gain > 0))
    with np.errstate(over="ignore"):
        most = np.float64(levels) ** int(measure.cutoff or 0) - 1
    if not np.isfinite(most):
        return no_range(lists, "unknown: too many attainable scores to count")
    shape = lists.code.shape[:-1]
    how = "bounded: from no step to one less than there are lists of so many levels of gain"
    return Range(np.zeros(shape), np.full(shape, most), ~all_exact(lists), how)
