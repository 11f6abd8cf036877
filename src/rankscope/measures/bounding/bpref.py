"""Bpref: unjudged documents count only once they are judged, so each of them can push either way.

With m relevant and l not relevant among the n unjudged, R and min(R, N) are settled, and by exchanging neighbours the
score is highest if the relevant ones come first and the others last, and lowest the other way round. Where every grade
is relevant or not, l = n - m, and n + 1 candidates per side decide. What Bpref sums, min(non-relevant above, R) at
each relevant document, has three stretches for each m: as counted, counted with a shift, and R. Where they meet is
looked up, so that all m together take about as long as a few evaluations.

A negative grade, where the scale has one, leaves a document out of Bpref altogether. Then the ends are bounded: the
highest as if unjudged documents that are not relevant stood nowhere in the list yet counted in N, the lowest as if
they stood there yet did not count. Where the topic has R + n judged non-relevant documents, N does not matter, and
both are attained.
"""

from __future__ import annotations

import numpy as np

from rankscope.arrays import Bools, Floats, Ints
from rankscope.measures.bounding.exchange import scores_with
from rankscope.measures.bounding.possible_grades import Classes, Range, all_exact, unjudged
from rankscope.measures.bounding.rank_sums import at, running
from rankscope.measures.inputs import MeasureInputs
from rankscope.measures.record import Measure


def bpref(lists: MeasureInputs, measure: Measure, kinds: Classes) -> Range:
    """Range of Bpref by exchange; bounded where grades can be negative."""
    table = BprefTable(lists, measure)
    negative = bool((lists.grades < 0).any())
    between = bool(((lists.grades >= 0) & (lists.grades < measure.values["rel"])).any())
    if not (negative and between):  # a document that is not relevant counts always, or never
        lower, upper = table.lowest(between, between), table.highest(between, between)
        ends = scores_with(lists, measure, kinds, (lower.argmin(axis=-1), upper.argmax(axis=-1)))
        return Range(*ends, all_exact(lists))
    lower, upper = table.lowest(True, False).min(axis=-1), table.highest(False, True).max(axis=-1)
    attained = table.non >= table.total + table.n
    return Range(np.maximum(lower, 0.0), upper, attained, "bounded: as if a document could hurt without counting in N")


class BprefTable:
    """Running sums over the first 0, 1, ... ranks of each list, and at which rank its counts reach a number."""

    def __init__(self, lists: MeasureInputs, measure: Measure) -> None:
        relevant, missed = (lists.input(name, measure) for name in ("relevant", "nonrelevant"))
        new = unjudged(lists)
        self.n = np.count_nonzero(new, axis=-1)
        self.total, self.non = (
            np.broadcast_to(lists.input(name, measure), self.n.shape) for name in ("total", "total_nonrelevant")
        )
        above, place = (np.add.accumulate(x, axis=-1, dtype=np.int64) for x in (missed, new))
        self.relevant_above, self.open = running(relevant), running(new)
        self.hurt, self.hurt_both, self.open_hurt = (
            running(x) for x in (relevant * above, relevant * (above + place), new * above)
        )
        self.missed_at, self.open_at, self.either_at = (_reached(x) for x in (missed, new, missed | new))
        self.m = np.arange(int(self.n.max(initial=0)) + 1)
        self.R = self.total[..., None] + self.m
        self.left = self.n[..., None] - self.m

    def highest(self, stand: bool, count: bool) -> Floats:
        """Scores with the first m relevant; whether the others stand in the list, and whether they count in N."""
        turn = at(self.open_at, self.m + 1)  # here the first one that is not relevant
        capped = at(self.missed_at, self.R)
        full = np.minimum(capped, at(self.either_at, self.R + self.m)) if stand else capped
        shift = np.minimum(turn, full) if stand else full
        judged = at(self.hurt, shift) + at(self.hurt_both, full) - at(self.hurt_both, shift)
        judged -= self.m * (at(self.relevant_above, full) - at(self.relevant_above, shift))
        judged += self.R * (self.relevant_above[..., -1:] - at(self.relevant_above, full))
        own = np.minimum(turn, capped)
        opened = at(self.open_hurt, own) + self.R * (self.m - at(self.open, own))
        return self._scores(judged + opened, count, -np.inf)

    def lowest(self, stand: bool, count: bool) -> Floats:
        """Scores with the last m relevant, likewise."""
        others = self.left if stand else np.zeros_like(self.left)
        turn = at(self.open_at, others + 1)  # from here on no more of them
        capped = at(self.missed_at, self.R - others)
        full = np.maximum(capped, at(self.either_at, self.R)) if stand else capped
        shift = np.minimum(turn, full)
        judged = at(self.hurt_both, shift) + at(self.hurt, full) - at(self.hurt, shift)
        judged += others * (at(self.relevant_above, full) - at(self.relevant_above, shift))
        judged += self.R * (self.relevant_above[..., -1:] - at(self.relevant_above, full))
        start = at(self.open_at, self.left + 1)  # here the first relevant one
        own = np.maximum(start, capped)
        opened = at(self.open_hurt, own) - at(self.open_hurt, start)
        opened += others * (at(self.open, own) - at(self.open, start))
        opened += self.R * (self.n[..., None] - at(self.open, own))
        return self._scores(judged + opened, count, np.inf)

    def _scores(self, hurt: Ints, count: bool, impossible: float) -> Floats:
        non = self.non[..., None] + (self.left if count else 0)
        most = np.maximum(np.minimum(self.R, non), 1)
        scores = (self.relevant_above[..., -1:] + self.m - hurt / most) / np.maximum(self.R, 1)
        return np.where(self.left >= 0, scores, impossible)


def _reached(x: Bools) -> Ints:
    """Number of ranks before the count of x reaches 0, 1, ...; all ranks where it never does."""
    depth = x.shape[-1]
    table: Ints = np.full((*x.shape[:-1], depth + 2), depth, np.int64)
    table[..., 0] = 0
    where = np.nonzero(x)
    table[(*where[:-1], np.add.accumulate(x, axis=-1, dtype=np.int64)[where])] = where[-1]
    return table
