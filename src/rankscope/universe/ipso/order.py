"""IPSO over all rankings of a depth: its Hasse diagram, and the grid of all pairs.

Moffat and Mackenzie (2024), Figures 1 to 3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rankscope.arrays import Ints
from rankscope.errors import InputError, plural
from rankscope.measures import Measure
from rankscope.measures.names import single_measure
from rankscope.preferences.classes import LABELS, NON_INFERIOR, NON_SUPERIOR, Classes
from rankscope.progress import Progress, heard
from rankscope.results import Result
from rankscope.universe.answers import Answered
from rankscope.universe.grade_gains import GradeGains, Worth, worth_of
from rankscope.universe.rankings import MOST_EXACT, Universe, rankings, written
from rankscope.universe.score_ranks import placed

_GRID = 64  # rankings a side of a grid that is printed whole
_ROWS = 256  # rankings of the order that are looked at together


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Hasse(Answered):
    """Hasse diagram of IPSO (Figure 1): the pairs of rankings with no other in between.

    lower, upper  rows of rankings, upper right above lower
    height        (rankings) steps of the longest way up from the ranking without gain
    """

    universe: Universe
    worth: Worth
    lower: Ints
    upper: Ints
    height: Ints

    def nodes(self) -> dict[str, list[Any]]:
        """One row per ranking: ranking, height, relevant documents; lowest first."""
        order = np.lexsort((np.arange(len(self.universe)), self.height))
        return {
            "ranking": [written(self.universe.level[row]) for row in order],
            "height": self.height[order].tolist(),
            "relevant": np.count_nonzero(self.universe.level[order], axis=1).tolist(),
        }

    def columns(self) -> dict[str, list[Any]]:
        """One row per arrow: upper, lower."""
        names = [written(row) for row in self.universe.level]
        return {"upper": [names[i] for i in self.upper.tolist()], "lower": [names[i] for i in self.lower.tolist()]}

    def to_dict(self) -> dict[str, Any]:
        about = {"depth": self.universe.depth, "gains": self.worth.plain}
        return {**about, "nodes": self.nodes(), "arrows": self.columns()}

    QUESTION = "Which ranking is right above which?"
    READING = (
        "A ranking is at least as good as each one right below it under every metric that IPSO binds.",
        "Two rankings without a way down from one to the other are left free: metrics may prefer either.",
    )

    def answer(self) -> str:
        """Number of rankings and height of the order."""
        nodes = self.nodes()["ranking"]
        return (
            f"IPSO orders {plural(len(nodes), 'ranking')} of {plural(self.universe.depth, 'document')} in "
            f"{plural(int(self.height.max()), 'step')} from the worst, {nodes[0]}, to the best, {nodes[-1]}."
        )

    def table(self) -> tuple[list[str], list[list[str]]]:
        below: dict[str, list[str]] = {}
        columns = self.columns()
        for upper, lower in zip(columns["upper"], columns["lower"], strict=True):
            below.setdefault(upper, []).append(lower)
        nodes = self.nodes()
        rows = [[name, str(height), " ".join(below.get(name, []))]
                for name, height in zip(nodes["ranking"][::-1], nodes["height"][::-1], strict=True)]  # fmt: skip
        return ["ranking", "height", "is right above"], rows

    def heading(self) -> str:
        return f"IPSO {self.worth.words}" if self.worth.words else ""

    def text_columns(self) -> int:
        return 3


def hasse(depth: int = 3, *, grades: int = 1, gains: GradeGains = None, progress: Progress = None) -> Hasse:
    """The Hasse diagram of IPSO over all rankings of k documents; up to 4096 of them.

    grades, gains  as in `separability`
    progress       hears which share of the work is done, as in `progress=Bar()`

    >>> print(hasse(3))
    IPSO orders 8 rankings of 3 documents in 6 steps from the worst, 000, to the
      best, 111.
    <BLANKLINE>
    ranking  height  is right above
    111      6       110
    110      5       101
    101      4       011 100
    100      3       010
    011      3       010
    010      2       001
    001      1       000
    000      0
    <BLANKLINE>
    Next: to_text("full") has all numbers, to_text("explain") how to read them.
    """
    universe, worth = universe_of_pairs(depth, grades, gains)
    above = worth.no_worse(universe.level)
    np.fill_diagonal(above, False)
    same = above & above.T
    if same.any():
        raise InputError("grades that gain the same make rankings equal", "give gains that rise")
    strict = above.astype(np.float32)
    covers = np.zeros_like(above)
    starts = range(0, len(above), _ROWS)
    for start in heard(iter(starts), len(starts), progress):
        rows = slice(start, start + _ROWS)
        covers[rows] = above[rows] & (strict[rows] @ strict == 0)  # none in between
    upper, lower = np.nonzero(covers)
    height = np.zeros(len(universe), np.int64)
    for high, low in zip(upper.tolist(), lower.tolist(), strict=True):  # what is better comes later
        height[high] = max(height[high], height[low] + 1)
    return Hasse(universe=universe, worth=worth, lower=lower, upper=upper, height=height)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OrderGrid(Result):
    """Figures 2 and 3: all pairs of rankings, in the order of two measures, best first.

    rows, columns_  (rankings) which ranking stands in each row and column
    classes         (rankings, rankings) of the row's ranking against the column's: 0 ==, 1 ni, 2 ns, 3 **
    tau             Kendall's tau of the two orders, rankings that tie in the order of their numbers, as in the paper
    tau_b           of the scores
    """

    measures: tuple[str, str]
    universe: Universe
    worth: Worth
    rows: Ints
    columns_: Ints
    classes: Classes
    tau: float
    tau_b: float

    @property
    def counts(self) -> dict[str, int]:
        """Cells of each class."""
        size = np.bincount(self.classes.ravel(), minlength=len(LABELS)).tolist()
        return dict(zip(LABELS, size, strict=True))

    @property
    def names(self) -> tuple[list[str], list[str]]:
        """Rankings of the rows and of the columns."""
        level = self.universe.level
        return [written(level[i]) for i in self.rows], [written(level[i]) for i in self.columns_]

    def columns(self) -> dict[str, list[Any]]:
        """One row per cell: row, column, class."""
        rows, columns = self.names
        return {
            "row": [name for name in rows for _ in columns],
            "column": columns * len(rows),
            "class": [LABELS[c] for c in self.classes.ravel().tolist()],
        }

    def to_dict(self) -> dict[str, Any]:
        rows, columns = self.names
        return {
            "measures": list(self.measures),
            "depth": self.universe.depth,
            "gains": self.worth.plain,
            "rows": rows,
            "columns": columns,
            "cells": [[LABELS[c] for c in row] for row in self.classes.tolist()],
            "counts": self.counts,
            "tau": self.tau,
            "tau_b": self.tau_b,
        }

    def table(self) -> tuple[list[str], list[list[str]]]:
        rows, columns = self.names
        if len(rows) > _GRID:
            return ["class", "cells"], [[label, str(count)] for label, count in self.counts.items()]
        cells = [[name, *(LABELS[c] for c in row)] for name, row in zip(rows, self.classes.tolist(), strict=True)]
        return ["", *columns], cells

    def heading(self) -> str:
        rows, columns = self.measures
        heading = f"rows by {rows}, columns by {columns}, best first; tau {self.tau:.4f}, tau-b {self.tau_b:.4f}"
        return heading + (f"\nclasses {self.worth.words}" if self.worth.words else "")

    def text_columns(self) -> int:
        return 1


def order_grid(
    depth: int = 3,
    rows: str | Measure = "RBP(p=0.5)",
    columns: str | Measure | None = None,
    *,
    grades: int = 1,
    gains: GradeGains = None,
) -> OrderGrid:
    """All pairs of rankings of k documents by class, rows in the order of one measure, columns in that of another.

    columns        the measure of the rows by default
    grades, gains  as in `separability`

    >>> grid = order_grid(6, "AP", "nDCG")
    >>> grid.counts, round(grid.tau, 3)
    ({'==': 64, 'ni': 1652, 'ns': 1652, '**': 728}, 0.976)
    """
    from rankscope.statistics.correlations.kendall import tau

    universe, worth = universe_of_pairs(depth, grades, gains)
    measures = [single_measure(measure).at_depth(depth) for measure in (rows, rows if columns is None else columns)]
    by = placed(universe, measures).measures
    ascending = [np.argsort(place, kind="stable") for place in by]  # ties by the number that a ranking writes
    above = worth.no_worse(universe.level)
    at = np.ix_(ascending[0][::-1], ascending[1][::-1])
    classes = NON_INFERIOR * (~above.T).astype(np.uint8) + NON_SUPERIOR * (~above).astype(np.uint8)  # who is ahead
    standing = [np.argsort(order).astype(np.float64) for order in ascending]
    return OrderGrid(
        measures=(str(measures[0]), str(measures[1])),
        universe=universe,
        worth=worth,
        rows=ascending[0][::-1],
        columns_=ascending[1][::-1],
        classes=classes[at],
        tau=tau(*standing).a,
        tau_b=tau(*(place.astype(np.float64) for place in by)).b,
    )


def universe_of_pairs(depth: int, grades: int, gains: GradeGains) -> tuple[Universe, Worth]:
    """All rankings of a depth and their order, refused where the pairs are too many to compare."""
    worth = worth_of(grades, gains)
    universe = rankings(depth, worth.grades)
    if len(universe) > MOST_EXACT:
        size = len(universe) ** 2
        raise InputError(
            f"{len(universe)} rankings have {size:.2g} pairs, about {size * 10 / 2**30:.0f} GiB to hold",
            f"pairs of up to {MOST_EXACT} rankings are looked at, k = 12 where relevance is binary; for their numbers "
            "at any depth there is separability()",
        )
    return universe, worth
