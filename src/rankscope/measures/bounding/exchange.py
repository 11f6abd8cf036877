"""Binary scores that rise when a relevant document moves up.

With m of the n unjudged documents relevant, R is settled, and by exchanging neighbours the score is highest if they
are the first m and lowest if they are the last m. So n + 1 candidates per side decide; documents past the cutoff only
swell R: all are relevant at the lowest, none at the highest. For AP, infAP and Rprec the best m comes from running
sums, which take as long as one evaluation; otherwise every m is scored.

AP: a relevant document that moves up from rank j to i, with f relevant above i and B between, changes the sum by
(f + 1)/i - (f + 1 + B)/j, and each of the B that it passes, at a rank l < j, adds 1/l.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from rankscope.arrays import Bools, Floats, Ints
from rankscope.measures.bounding.possible_grades import Classes, Range, all_exact, filled, scored, unjudged, within
from rankscope.measures.bounding.rank_sums import after, at, running, share
from rankscope.measures.catalogue.bpref import EPSILON
from rankscope.measures.catalogue.weights import ranks
from rankscope.measures.inputs import MeasureInputs
from rankscope.measures.record import Measure

Counts: TypeAlias = tuple[Ints, Ints]
"""How many unjudged documents are relevant at the lowest score (the last ones) and the highest (the first ones)."""


def by_swaps(lists: MeasureInputs, measure: Measure, kinds: Classes) -> Range:
    """Lowest and highest scores over every number m of relevant unjudged documents."""
    n = np.count_nonzero(unjudged(lists) & within(lists, measure), axis=-1)
    available = np.broadcast_to(lists.available, (*n.shape, len(lists.grades)))
    lower, upper = np.full(n.shape, np.inf), np.full(n.shape, -np.inf)
    for m in range(int(n.max(initial=0)) + 1):
        some = n >= m
        part = MeasureInputs(lists.code[some], lists.grades, available[some])
        low, high = scores_with(part, measure, kinds, (np.array([m]), np.array([m])))
        lower[some], upper[some] = np.minimum(lower[some], low), np.maximum(upper[some], high)
    return Range(lower, upper, all_exact(lists))


def by_running_sums(
    pick: Callable[[MeasureInputs, Measure], Counts],
) -> Callable[[MeasureInputs, Measure, Classes], Range]:
    """As `by_swaps`, where running sums give the best m."""

    def ranged(lists: MeasureInputs, measure: Measure, kinds: Classes) -> Range:
        return Range(*scores_with(lists, measure, kinds, pick(lists, measure)), all_exact(lists))

    return ranged


def scores_with(lists: MeasureInputs, measure: Measure, kinds: Classes, relevant: Counts) -> tuple[Floats, Floats]:
    """Scores with the last m unjudged documents relevant, and with the first m."""
    inside = within(lists, measure)
    new = unjudged(lists) & inside
    place = np.add.accumulate(new, axis=-1, dtype=np.int64)
    last, first = (np.asarray(m)[..., None] for m in relevant)
    n = place[..., -1:] if place.shape[-1] else np.zeros((*place.shape[:-1], 1), np.int64)
    low = filled(lists, (place > n - last) | ~inside, kinds.worst, kinds.best)
    high = filled(lists, (place <= first) & inside, kinds.worst, kinds.best)
    return scored(low, measure), scored(high, measure)


def average_precision(lists: MeasureInputs, measure: Measure) -> Counts:
    """AP is a sum of (1 + found above)/i."""
    depth = lists.cut(measure).shape[-1]
    return _linear(lists, measure, 1 / ranks(depth), 1 / ranks(depth))


def self_normalised_ap(lists: MeasureInputs, measure: Measure) -> Counts:
    """SN_AP is AP where the topic has no relevant documents but those of the list, down to the cutoff."""
    seen = lists.cut(measure)
    n_relevant = np.count_nonzero(lists.input("relevant", measure), axis=-1)
    available = np.zeros((*n_relevant.shape, len(lists.grades)), np.int64)
    available[..., -1] = n_relevant
    return average_precision(MeasureInputs(seen, lists.grades, available), measure)


def inferred_ap(lists: MeasureInputs, measure: Measure) -> Counts:
    """infAP, where no document is pooled but not judged: all i - 1 above rank i are relevant or not.

    The weight (i-1)/(i-1+2e)/i of what was found above falls from rank 2 on, and above rank 1 nothing was found.
    """
    i = ranks(lists.code.shape[-1])
    weight = (i - 1) / (i - 1 + 2 * EPSILON)
    return _linear(lists, measure, (1 + EPSILON * weight) / i, weight / i)


def _linear(lists: MeasureInputs, measure: Measure, own: Floats, above: Floats) -> Counts:
    """Best m for a sum over relevant ranks of own_i + above_i * (relevant documents above i), over R."""
    relevant, new, n, past, total = relevance_counts(lists, measure)
    relevant_above, place = running(relevant)[..., :-1], running(new)  # column r counts the first r ranks
    base = ((own + above * relevant_above) * relevant).sum(axis=-1)[..., None]
    # what a document adds by itself and to judged documents below it
    alone = own + above * relevant_above + after(above * relevant)
    first = base + running((alone + above * place[..., :-1]) * new)
    last = running(((alone + after(above * new)) * new)[..., ::-1])[..., ::-1] + base
    left = n[..., None] - place
    high = share(first, total[..., None] + place).argmax(axis=-1)[..., None]
    low = share(last, (total + past)[..., None] + left).argmin(axis=-1)[..., None]
    return at(left, low)[..., 0], at(place, high)[..., 0]


def r_precision(lists: MeasureInputs, measure: Measure) -> Counts:
    """Rprec looks up what stands above rank R + m."""
    relevant, new, n, _, total = relevance_counts(lists, measure)
    m = np.arange(relevant.shape[-1] + 1)
    wanted = total[..., None] + m
    relevant_above, open_ = at(running(relevant), wanted), at(running(new), wanted)
    possible = m <= n[..., None]
    high = np.where(possible, share(relevant_above + np.minimum(open_, m), wanted), -np.inf)
    low = np.where(possible, share(relevant_above + np.maximum(0, open_ - n[..., None] + m), wanted), np.inf)
    return low.argmin(axis=-1), high.argmax(axis=-1)


def relevance_counts(lists: MeasureInputs, measure: Measure) -> tuple[Bools, Bools, Ints, Ints, Ints]:
    """Relevant and unjudged ranks within the cutoff, how many unjudged there and past it, and R."""
    inside = within(lists, measure)
    new = unjudged(lists)
    past = np.count_nonzero(new & ~inside, axis=-1)
    new = new[..., inside]
    n = np.count_nonzero(new, axis=-1)
    total = np.broadcast_to(lists.total(measure), n.shape)
    return lists.input("relevant", measure), new, n, past, total
