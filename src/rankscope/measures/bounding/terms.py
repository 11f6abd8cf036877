"""Sums over relevant documents, each term between two numbers: a bound where no shorter argument is known.

A score (1/R) sum of r_i t_i with low_i <= t_i <= high_i, whatever the grades, is at most the largest of
(sum of high over judged relevant documents + sum of the a largest high of unjudged ones) / (R + a), over all a, and at
least the same with the a smallest low, documents past the cutoff in R. Nothing says that one assignment gives all these
terms at once, so the bounds may not be attained.
"""

from __future__ import annotations

import numpy as np

from rankscope.arrays import Bools, Floats, Ints
from rankscope.measures.bounding.exchange import by_running_sums, by_swaps, inferred_ap, relevance_counts
from rankscope.measures.bounding.possible_grades import Classes, Range, filled, no_range, unjudged
from rankscope.measures.bounding.rank_sums import share
from rankscope.measures.catalogue.bpref import EPSILON
from rankscope.measures.catalogue.weights import ranks
from rankscope.measures.inputs import MeasureInputs
from rankscope.measures.record import Measure


def q_measure(lists: MeasureInputs, measure: Measure, kinds: Classes) -> Range:
    """Q by exchange where all relevant documents gain the same and others nothing; else term by term.

    There Q is AP with i + beta g min(i, R) for the rank, which grows with it. With more grades it does not always
    rise when a document moves up: 0 100 1 scores above 1 100 0, whose first term is small against the ideal.
    """
    beta = measure.values["beta"]
    if len(kinds) == 2 and not kinds.gain[0] and beta >= 0:
        return by_swaps(lists, measure, kinds)
    if beta < 0 or not kinds.ordered:
        return no_range(lists, "unknown: gain and relevance disagree, or beta < 0")
    relevant, new, *_ = relevance_counts(lists, measure)
    depth = new.shape[-1]
    gain = np.add.accumulate(lists.input("gain", measure), axis=-1)
    relevant_down, place = (np.add.accumulate(x, axis=-1, dtype=np.float64) for x in (relevant, new))
    everywhere = np.ones(lists.code.shape[-1], np.bool_)
    least, most = (_ideal(filled(lists, x, kinds.worst, kinds.best), measure, depth) for x in (~everywhere, everywhere))
    own = kinds.gain[kinds.relevant].min() - kinds.gain.min()
    few = relevant_down + new + beta * (gain + kinds.gain.min() * place + own * new)
    many = relevant_down + place + beta * (gain + kinds.gain.max() * place)
    low = few / (ranks(depth) + beta * most)
    high = np.minimum(many / (ranks(depth) + beta * least), 1.0)  # never above the ideal
    return _ends(lists, measure, low, high)


def _ideal(lists: MeasureInputs, measure: Measure, depth: int) -> Floats:
    ideal = lists.input("ideal", measure)
    best = np.zeros((*ideal.shape[:-1], depth))
    best[..., : ideal.shape[-1]] = ideal[..., :depth]
    return np.add.accumulate(best, axis=-1)


def inferred(lists: MeasureInputs, measure: Measure, kinds: Classes) -> Range:
    """infAP by exchange; term by term where a negative grade may leave a document out of the estimate."""
    if len(kinds) == 2 and not (lists.grades < 0).any():
        return by_running_sums(inferred_ap)(lists, measure, kinds)
    relevant, new = lists.input("relevant", measure), unjudged(lists)
    relevant_above, nonrelevant_above, place = (
        np.add.accumulate(x, axis=-1, dtype=np.float64) - x
        for x in (relevant, lists.input("nonrelevant", measure), new)
    )
    i = ranks(new.shape[-1])

    def term(relevant: Floats, nonrelevant: Floats) -> Floats:
        return (1 + (i - 1) * (relevant + EPSILON) / (relevant + nonrelevant + 2 * EPSILON)) / i

    low, high = term(relevant_above, nonrelevant_above + place), term(relevant_above + place, nonrelevant_above)
    return _ends(lists, measure, low, high)


def _ends(lists: MeasureInputs, measure: Measure, low: Floats, high: Floats) -> Range:
    relevant, new, n, past, total = relevance_counts(lists, measure)
    lower = _extreme(low, relevant, new, total + past)
    upper = _extreme(-high, relevant, new, total)
    how = "bounded: each term of the sum between its own ends"
    return Range(lower, -upper, (n + past) == 0, how)


def _extreme(term: Floats, relevant: Bools, new: Bools, total: Ints) -> Floats:
    """Least (sum of judged terms + the a least of the open ones) / (total + a)."""
    base = (term * relevant).sum(axis=-1)[..., None]
    least = np.sort(np.where(new, term, np.inf), axis=-1)
    sums = np.concatenate([base, base + np.add.accumulate(least, axis=-1)], axis=-1)
    totals = total[..., None] + np.arange(sums.shape[-1])
    return share(sums, totals).min(axis=-1)
