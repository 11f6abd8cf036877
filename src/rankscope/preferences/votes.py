"""From preferences of topics to a ranking of systems."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rankscope.arrays import Floats
from rankscope.errors import InputError
from rankscope.results import Shown, frame, text_table
from rankscope.statistics.digits import score

if TYPE_CHECKING:
    import polars as pl

SAME = 1e-12  # scores closer than this are equal
_TIES = "systems whose points are equal to within 1e-12 share the mean of their ranks"
_HOW = {
    "mean": "mean over topics of the mean preference over all other systems",
    "borda": "mean over topics of the systems that rank lower by their mean preference, and half of those that tie",
}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ranking(Shown):
    """Systems, best first. `rank` may have halves: systems that tie share the mean of their ranks."""

    systems: tuple[str, ...]
    points: Floats
    rank: Floats
    how: str
    tie_rule: str = _TIES

    def columns(self) -> dict[str, list[Any]]:
        """A row a system, best first; systems that tie in the order they came in."""
        return {"system": list(self.systems), "rank": self.rank.tolist(), "points": self.points.tolist()}

    def to_frame(self) -> pl.DataFrame:
        """A row a system, best first: system, rank, points."""
        return frame(self.columns())

    def table(self) -> tuple[list[str], list[list[str]]]:
        rows = zip(self.systems, self.rank.tolist(), self.points.tolist(), strict=True)
        return ["system", "rank", "points"], [[name, f"{rank:g}", score(points)] for name, rank, points in rows]

    def __str__(self) -> str:
        return f"{self.how}; {self.tie_rule}\n{text_table(*self.table())}"


def ranking(scores: Floats, systems: tuple[str, ...], how: str) -> Ranking:
    """Systems by their (systems, topics) scores."""
    if how not in _HOW:
        raise InputError(f"how={how!r} is unknown", f"how is one of {', '.join(_HOW)}")
    points = scores.mean(axis=1) if how == "mean" else borda(scores).mean(axis=1)
    rank = len(systems) - borda(points[:, None])[:, 0]
    order = np.argsort(rank, kind="stable")
    named = tuple(systems[s] for s in order.tolist())
    return Ranking(systems=named, points=points[order], rank=rank[order], how=_HOW[how])


def borda(scores: Floats) -> Floats:
    """(systems, topics) for each score those below it on the topic, and half of the others that equal it.

    >>> borda(np.array([[0.3], [0.1 + 0.2], [0.5], [0.0]])).T.tolist()
    [[1.5, 1.5, 3.0, 0.0]]
    """
    count = len(scores)
    order = np.argsort(scores, axis=0, kind="stable")
    ascending = np.take_along_axis(scores, order, axis=0)
    place = np.broadcast_to(np.arange(count)[:, None], scores.shape)
    opens = np.ones(scores.shape, np.bool_)
    opens[1:] = np.diff(ascending, axis=0) > SAME
    closes = np.ones(scores.shape, np.bool_)
    closes[:-1] = opens[1:]
    start = np.maximum.accumulate(np.where(opens, place, 0), axis=0)
    stop = np.minimum.accumulate(np.where(closes, place, count)[::-1], axis=0)[::-1]
    points = np.empty(scores.shape)
    np.put_along_axis(points, order, (start + stop) / 2, axis=0)
    return points
