"""nDCG: gain found over the gain of the ideal list, both of which an unjudged document may raise.

With gains x of the unjudged documents the score is N(x)/D(x), N linear and D, the largest of many linear sums, convex.

Lowest. N/D is quasi-concave, so its minimum over a box lies at a corner: each gain is the lowest or the highest. With
m highest D is settled, and N is least if they are the last m; documents past the cutoff cost N nothing.

Highest. With the gains as a multiset D is settled, and N is greatest if they stand in falling order. Cut into layers
v_1 < v_2 < ..., with m_t unjudged documents of gain v_t or more and a_t judged ones,
    N = const + sum_t (v_t - v_t-1) U(m_t),    D = sum_t (v_t - v_t-1) C(a_t + m_t),
U summing the discounts at the first m unjudged ranks and C those of the first m ranks. For a ratio L to beat
(Dinkelbach 1967), N - L D is a sum over layers, each with its own m_t. As a_t falls with t, one more document costs
higher layers more, so the best m_t falls with t too (Topkis 1978): the layers agree on an assignment, found one by one.
Each round beats the last ratio or proves it, and there are finitely many: exact.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TypeAlias

import numpy as np

from rankscope.arrays import FIRST_GRADE, UNJUDGED, Floats, Ints
from rankscope.errors import InputError
from rankscope.measures.bounding.possible_grades import Classes, Range, all_exact, scored, unjudged, within
from rankscope.measures.bounding.rank_sums import at, running, share
from rankscope.measures.catalogue.weights import logarithmic
from rankscope.measures.inputs import LARGEST_GAIN, MeasureInputs
from rankscope.measures.record import Measure

Layers: TypeAlias = list[tuple[float, Ints]]
"""Of gain, from the second lowest up: how much, and how many judged documents have it."""


def ndcg(lists: MeasureInputs, measure: Measure, kinds: Classes) -> Range:
    """Over the gain of the topic's best documents."""
    return _ranged(
        lists, measure, kinds, lists.available, np.count_nonzero(unjudged(lists)[..., ~within(lists, measure)], axis=-1)
    )


def self_normalised(lists: MeasureInputs, measure: Measure, kinds: Classes) -> Range:
    """SN_DCG: over the gain of the list's own documents, down to the cutoff."""
    seen = lists.cut(measure)
    codes = range(FIRST_GRADE, FIRST_GRADE + len(lists.grades))
    have = np.stack([np.count_nonzero(seen == code, axis=-1) for code in codes], axis=-1)
    return _ranged(lists, measure, kinds, have, np.zeros(seen.shape[:-1], np.int64))


def _ranged(lists: MeasureInputs, measure: Measure, kinds: Classes, available: Ints, beyond: Ints) -> Range:
    """Ends with so many documents of each grade for the ideal list, and so many unjudged ones past the cutoff.

    The list is read once: column r of every array below speaks of the unjudged documents down to rank r.
    """
    inside = within(lists, measure)
    past = beyond[..., None]
    seen = lists.code[..., inside]
    new = seen == UNJUDGED
    place = running(new)
    n = place[..., -1:]
    layers = np.append(kinds.gain[0], np.diff(kinds.gain))  # of gain, from the lowest
    table = lists.gain_table(measure)[FIRST_GRADE:]
    if table.max(initial=0.0) >= LARGEST_GAIN:
        raise InputError(f"{measure}: a gain of {table.max():g} is too large for bounds", "map grades by its gains")
    judged = [available[..., table >= gain].sum(axis=-1)[..., None] for gain in kinds.gain]
    ideal = ideal_discounts(measure, int((judged[0] + n + past).max(initial=0)))
    discount = logarithmic(new.shape[-1], measure.values["base"])
    open_ = running(new * discount)
    least_gain = (lists.input("gain", measure) * discount).sum(axis=-1)[..., None] + layers[0] * open_[..., -1:]
    floor = layers[0] * ideal[judged[0] + n + past]
    above = list(zip(layers[1:].tolist(), judged[1:], strict=True))

    last = n - place + past
    gain = least_gain + layers[1:].sum() * (open_[..., -1:] - open_)
    cost = floor + sum(layer * ideal[have + last] for layer, have in above)
    worst = share(gain, cost).argmin(axis=-1)[..., None]
    rank = np.arange(new.shape[-1])
    hidden = np.count_nonzero(unjudged(lists)[..., ~inside], axis=-1)[..., None]

    def graded(codes: Ints, counts: list[tuple[int, Ints]]) -> Floats:
        """Scores with these codes for the unjudged documents, and so many more documents of each code."""
        code = np.where(new, codes.astype(seen.dtype), seen)
        available = np.broadcast_to(lists.available, (*code.shape[:-1], len(lists.grades))).copy()
        for grade_code, count in counts:
            available[..., grade_code - FIRST_GRADE] += count[..., 0]
        return scored(MeasureInputs(code, lists.grades, available), measure)

    higher = at(n - place, worst) + hidden
    lower = graded(
        np.where(rank >= worst, kinds.best, kinds.worst),
        [(kinds.best, higher), (kinds.worst, n + hidden - higher)],
    )
    down = _highest(open_, place, least_gain, floor, above, ideal)
    reached = [n + hidden, *(at(place, r) for r in down), np.zeros_like(n)]  # documents of a layer's gain or more
    upper = graded(
        kinds.code[sum((rank < r).astype(np.int64) for r in down)],
        [(code, more - less) for code, (more, less) in zip(kinds.code.tolist(), pairwise(reached), strict=True)],
    )
    return Range(lower, upper, all_exact(lists))


def _highest(open_: Floats, place: Ints, least_gain: Floats, floor: Floats, above: Layers, ideal: Floats) -> Ints:
    """(layers, ..., 1) down to which rank each layer of gain reaches where the ratio is highest."""
    target = share(least_gain, floor + sum(layer * ideal[have] for layer, have in above))
    down = np.zeros((len(above), *least_gain.shape), np.int64)
    while True:
        reach = np.stack([
            np.argmax(open_ - target * ideal[have + place], axis=-1)[..., None] for _, have in above
        ])  # fmt: skip
        reach = np.minimum.accumulate(reach, axis=0)  # ties may fall either way
        gain = least_gain + sum(layer * at(open_, r) for (layer, _), r in zip(above, reach, strict=True))
        cost = floor + sum(layer * ideal[have + at(place, r)] for (layer, have), r in zip(above, reach, strict=True))
        better = share(gain, cost)
        improved = better > target
        down = np.where(improved, reach, down)
        if not improved.any():
            return down
        target = np.where(improved, better, target)


def ideal_discounts(measure: Measure, most: int) -> Floats:
    """Discounts of the first 0, 1, ..., most ranks together, not counted past the cutoff."""
    discount = logarithmic(most, measure.values["base"])
    if measure.cutoff is not None:
        discount[int(measure.cutoff) :] = 0.0
    return np.append(0.0, np.add.accumulate(discount))
