"""From preferences of topics to a ranking of systems."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rankscope.arguments import one_of
from rankscope.arrays import Floats
from rankscope.formatting import score
from rankscope.layout import text_table
from rankscope.results import Result
from rankscope.statistics.equality import error, midranks

_TIES = "systems whose points are equal but for rounding share the mean of their ranks"
_HOW = {
    "mean": "mean over topics of the mean preference over all other systems",
    "borda": "mean over topics of the systems that rank lower by their mean preference, and half of those that tie",
}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PreferenceRanking(Result):
    """Systems, best first. `rank` may have halves: systems that tie share the mean of their ranks."""

    systems: tuple[str, ...]
    points: Floats
    rank: Floats
    how: str
    tie_rule: str = _TIES

    def columns(self) -> dict[str, list[Any]]:
        """One row per system, best first; systems that tie in the order they came in."""
        return {"system": list(self.systems), "rank": self.rank.tolist(), "points": self.points.tolist()}

    def table(self) -> tuple[list[str], list[list[str]]]:
        rows = zip(self.systems, self.rank.tolist(), self.points.tolist(), strict=True)
        return ["system", "rank", "points"], [[name, f"{rank:g}", score(points)] for name, rank, points in rows]

    def __str__(self) -> str:
        return f"{self.how}; {self.tie_rule}\n{text_table(*self.table())}"


def ranking(scores: Floats, errors: Floats, systems: tuple[str, ...], how: str) -> PreferenceRanking:
    """Systems by their (systems, topics) scores, each known to within its error."""
    one_of("how", how, _HOW)
    points, known = scores.mean(axis=1), errors.mean(axis=1)
    if how == "borda":
        points = borda(scores, errors).mean(axis=1)
        known = error(points)
    rank = len(systems) - borda(points[:, None], known[:, None])[:, 0]
    order = np.argsort(rank, kind="stable")
    named = tuple(systems[s] for s in order.tolist())
    return PreferenceRanking(systems=named, points=points[order], rank=rank[order], how=_HOW[how])


def borda(scores: Floats, errors: Floats) -> Floats:
    """(systems, topics) for each score those below it on the topic, and half of the others that equal it.

    >>> scores = np.array([[0.3], [0.1 + 0.2], [0.5], [0.0]])
    >>> borda(scores, error(scores)).T.tolist()
    [[1.5, 1.5, 3.0, 0.0]]
    """
    return midranks(scores.T, errors.T)[0].T - 1
