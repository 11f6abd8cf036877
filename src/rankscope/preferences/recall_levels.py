"""Recall levels: at which rank each list finds its i-th relevant document.

An unretrieved relevant document comes after everything, and two of them tie; `bounds` shows what else could be true
of lists that were cut.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankscope import kernels
from rankscope.arguments import whole_number
from rankscope.arrays import FIRST_GRADE, PADDING, Codes, Floats, Ints
from rankscope.errors import InputError
from rankscope.judged import Judged
from rankscope.preferences.classes import Classes
from rankscope.preferences.gains import exact_lists, lowest_relevant
from rankscope.preferences.selection import SelectedLists

LATE = 2**40  # a rank after everything


@dataclass(frozen=True, slots=True, eq=False)
class Levels:
    """Ranks of the relevant documents of two lists, (topics, levels) each, LATE where unretrieved or there is none.

    total   (topics) how many relevant documents there are
    length  (2, topics) how many documents the lists hold
    """

    a: Ints
    b: Ints
    total: Ints
    length: Ints

    def bounds(self) -> tuple[tuple[Ints, Ints], tuple[Ints, Ints]]:
        """The ranks (of a, of b) that are worst for b, and those that are best, however the lists may go on.

        At best for a list its unretrieved documents follow right after its end, at worst they never come.
        """
        early = [self._early(side) for side in (0, 1)]
        return (early[0], self.b), (self.a, early[1])

    def _early(self, side: int) -> Ints:
        ranks = (self.a, self.b)[side]
        level = np.arange(1, ranks.shape[-1] + 1)
        open_ = (ranks == LATE) & (level <= self.total[:, None])
        retrieved = np.count_nonzero(ranks < LATE, axis=-1)[:, None]
        return np.where(open_, self.length[side][:, None] + level - retrieved, ranks)

    def classes(self) -> Classes:
        """Dominance over all recall levels, in IPSO's classes; where one list dominates, every weighting agrees."""
        ahead, behind = (self.a < self.b).any(axis=-1), (self.a > self.b).any(axis=-1)
        return np.asarray(kernels.A_AHEAD * ahead + kernels.B_AHEAD * behind, np.uint8)

    def reciprocal(self) -> tuple[Floats, Floats]:
        """RR_i of both lists, (topics, levels); NaN where the topic has no such level."""
        is_level = np.arange(self.a.shape[-1]) < self.total[:, None]
        a, b = (np.where(is_level, np.where(r < LATE, 1.0 / r, 0.0), np.nan) for r in (self.a, self.b))
        return a, b

    def search_length(self) -> tuple[Floats, Floats]:
        """ESL_i of both lists, (topics, levels); NaN where unretrieved."""
        a, b = (np.where(r < LATE, r.astype(np.float64), np.nan) for r in (self.a, self.b))
        return a, b


def levels_of(lists: SelectedLists, first: int) -> Levels:
    """Recall levels of two systems' lists; codes from `first` on are relevant."""
    total = lists.available[:, first - FIRST_GRADE :].sum(axis=1)
    depth = lists.code.shape[-1]
    length = np.count_nonzero(lists.code != PADDING, axis=-1)
    a, b = _ranks(lists.all_codes, first, depth, int(total.max(initial=0)))
    return Levels(a, b, total, length)


def plain_levels(a: Any, b: Any, total: Any) -> Levels:
    """Recall levels of plain arrays of gains, ranks last: relevant is what has one.

    total defaults to the larger number of relevant documents in the two lists.
    """
    (first, second), _ = exact_lists(a, b)
    depth = first.shape[-1]
    first, second = (np.broadcast_to(x, np.broadcast_shapes(first.shape, second.shape)) for x in (first, second))
    code = (np.stack([first, second]).reshape(2, -1, depth) > 0).astype(np.uint8)
    retrieved = np.count_nonzero(code, axis=-1)
    known = retrieved.max(axis=0) if total is None else _totals(total, retrieved.shape[1])
    if (known < retrieved).any():
        t = int(np.argmax((known < retrieved).any(axis=0)))
        raise InputError(
            f"a list has {int(retrieved[:, t].max())} relevant documents, but total is {int(known[t])}",
            "total counts all relevant documents of the topic",
        )
    a, b = _ranks(code, 1, depth, int(known.max(initial=0)))
    return Levels(a, b, known.copy(), np.full(retrieved.shape, depth))


def if_lists_went_on(lowest: NDArray[Any], highest: NDArray[Any]) -> str:
    """Number of signs that depend on the depth at which the lists were cut, in words."""
    open_ = int(np.count_nonzero(lowest != highest))
    return f"{open_} of {len(lowest)} verdicts could change if the lists went on"


def _totals(total: Any, topics: int) -> Ints:
    """Relevant documents of each topic, from one number or one for each."""
    totals = np.asarray(total)
    if totals.dtype.kind not in "iu" or totals.size not in (1, topics) or (totals < 0).any():
        whole_number("total", total, 0, otherwise="" if topics == 1 else f"{topics} of them, one for each topic")
    return np.broadcast_to(totals.astype(np.int64).ravel(), topics)


def relevant_from(judged: Judged, rel: float | None) -> tuple[int, str, str]:
    """The lowest code that is relevant; that in words; and for a signature."""
    least = lowest_relevant(judged, rel)
    first = FIRST_GRADE + int(np.searchsorted(judged.grades, least))
    return first, f"relevant from grade {least:g}", f"rel:{least:g}"


def _ranks(code: Codes, first: int, depth: int, levels: int) -> tuple[Ints, Ints]:
    relevant = kernels.relevant_ranks(code, first, depth, min(depth, levels), 0, code.shape[1])
    width = min(relevant.rank.shape[-1], levels)
    ranks = np.full((2, code.shape[1], levels), LATE)
    used = np.arange(width) < relevant.used.T[..., None]
    np.copyto(ranks[..., :width], relevant.rank[..., :width].transpose(1, 0, 2), where=used)
    return ranks[0], ranks[1]
