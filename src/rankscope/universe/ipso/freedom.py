"""Non-separable pairs: how metrics order them, and the persistence at which RBP changes the order.

Moffat and Mackenzie (2024), Table 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from math import nextafter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankscope.arrays import Bools
from rankscope.errors import InputError, plural
from rankscope.measures import Measure
from rankscope.preferences.classes import WORDS, path
from rankscope.preferences.gains import exact_lists, shown
from rankscope.progress import Progress, heard
from rankscope.results import Result
from rankscope.universe.answers import Answered
from rankscope.universe.grade_gains import GradeGains
from rankscope.universe.ipso.order import universe_of_pairs
from rankscope.universe.ipso.polynomial_roots import roots
from rankscope.universe.rankings import written
from rankscope.universe.score_ranks import measures_at, placed

MOST_RANKS = 1000
_BETTER = {-1: "the first", 0: "neither", 1: "the second"}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Freedom(Answered):
    """Table 1: how measures order pairs of rankings that IPSO leaves free.

    first, second  (pairs, ranks) rankings; the first has the higher grade at the first rank where they differ
    sign           (measures, pairs) 1 where the second scores higher, 0 for a tie, -1 where the first does
    by             by what IPSO left them free; empty where rankings are binary
    """

    measures: tuple[str, ...]
    first: NDArray[np.uint8]
    second: NDArray[np.uint8]
    sign: NDArray[np.int8]
    by: str = ""

    def counts(self) -> dict[str, list[Any]]:
        """One row per measure: on how many pairs the first ranking scores less, the same, more."""
        return {
            "measure": list(self.measures),
            "less": np.count_nonzero(self.sign > 0, axis=1).tolist(),
            "equal": np.count_nonzero(self.sign == 0, axis=1).tolist(),
            "greater": np.count_nonzero(self.sign < 0, axis=1).tolist(),
        }

    @property
    def disputed(self) -> Bools:
        """(pairs) whether one of the measures prefers the first ranking and another the second."""
        return np.logical_and((self.sign > 0).any(axis=0), (self.sign < 0).any(axis=0))

    def columns(self) -> dict[str, list[Any]]:
        """One row per pair and measure: first, second, measure, sign."""
        pairs = [(written(a), written(b)) for a, b in zip(self.first, self.second, strict=True)]
        return {
            "first": [a for a, _ in pairs for _ in self.measures],
            "second": [b for _, b in pairs for _ in self.measures],
            "measure": list(self.measures) * len(pairs),
            "sign": self.sign.T.ravel().tolist(),
        }

    def to_dict(self) -> dict[str, Any]:
        return {"pairs": len(self.first), "by": self.by, "disputed": int(self.disputed.sum()),
                "counts": self.counts(), "rows": self.columns()}  # fmt: skip

    QUESTION = "How do measures order the rankings that IPSO leaves free?"
    READING = (
        "On how many of these pairs the first ranking scores less, the same, or more than the second.",
        "The first ranking has the higher grade at the first rank where the two differ.",
    )

    def answer(self) -> str:
        """How many of the free pairs measures order both ways."""
        disputed, pairs = int(self.disputed.sum()), plural(len(self.first), "pair")
        if len(self.first) == 1:
            a, b = written(self.first[0]), written(self.second[0])
            return f"IPSO leaves {a} and {b} free, and measures order them {'both ways' if disputed else 'one way'}."
        return f"IPSO leaves {pairs} of rankings free. Measures order {disputed:,} of them both ways."

    def table(self) -> tuple[list[str], list[list[str]]]:
        if len(self.first) == 1:
            a, b = written(self.first[0]), written(self.second[0])
            rows = [
                [f"M({a}) {relation} M({b})",
                 ", ".join(name for name, sign in zip(self.measures, self.sign[:, 0], strict=True) if sign == wanted)]
                for relation, wanted in (("<", 1), ("=", 0), (">", -1))
            ]  # fmt: skip
            return ["ordering", "measures"], rows
        counts = self.counts()
        return list(counts), [list(map(str, row)) for row in zip(*counts.values(), strict=True)]

    def heading(self) -> str:
        if len(self.first) == 1:
            return ""
        free = f"non-separable pairs {self.by}".rstrip()
        return f"{len(self.first)} {free}, {int(self.disputed.sum())} of them ordered both ways"

    def text_columns(self) -> int:
        return 2 if len(self.first) == 1 else 1


def freedom(
    measures: str | Measure | Sequence[str | Measure],
    depth: int = 3,
    *,
    grades: int = 1,
    gains: GradeGains = None,
    progress: Progress = None,
) -> Freedom:
    """Order by measures of all pairs of rankings of k documents that IPSO leaves free; by default Table 1's one pair.

    grades, gains  as in `separability`
    progress       hears which share of the measures is done, as in `progress=Bar()`

    A persistence p of RBP stands for all numbers that round to that double: where a pair flips at one of them, it ties.

    >>> print(freedom(["P", "RBP(p=0.8)", "AP", "nDCG", "Success", "RBP(p=0.6180339887498949)", "RR", "RBP(p=0.5)"]))
    IPSO leaves 100 and 011 free, and measures order them both ways.
    <BLANKLINE>
    ordering         measures
    M(100) < M(011)  P@3, RBP(p=0.8)@3, AP@3, nDCG@3
    M(100) = M(011)  Success@3, RBP(p=0.6180339887498949)@3
    M(100) > M(011)  RR@3, RBP(p=0.5)@3
    <BLANKLINE>
    Next: to_text("full") has all numbers, to_text("explain") how to read them.
    """
    universe, worth = universe_of_pairs(depth, grades, gains)
    above = worth.no_worse(universe.level)
    second, first = np.nonzero(np.triu(~above & ~above.T))  # rankings are in lexicographic order
    cut = measures_at(measures, depth)
    sign = np.zeros((len(cut), len(first)), np.int8)
    for row, measure in enumerate(heard(iter(cut), len(cut), progress)):
        place, *nearby = placed(universe, [measure, *_rounded_to(measure)]).measures
        sign[row] = np.sign(place[second] - place[first])
        for other in nearby:
            sign[row][np.sign(other[second] - other[first]) == -sign[row]] = 0
    level, names = universe.level, tuple(map(str, cut))
    return Freedom(measures=names, first=level[first], second=level[second], sign=sign, by=worth.words)


def _rounded_to(measure: Measure) -> tuple[Measure, ...]:
    """RBP at both ends of the numbers that round to the double p; no measure but RBP has any."""
    p = measure.values.get("p")
    if measure.name not in ("RBP", "gRBP") or not isinstance(p, float) or not 0 < p < 1:
        return ()
    return tuple(measure(p=(Fraction(p) + Fraction(nextafter(p, end))) / 2) for end in (0.0, 1.0))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Flips(Result):
    """Order of two rankings by RBP, as its persistence p goes from 0 to 1.

    roots      in (0, 1) where both score the same, ascending, each the nearest double
    crossings  whether the order changes at each; else it is a tie at that p alone
    preferred  between them, one more than roots: 1 the second ranking, -1 the first; 0 where they never differ
    innate     what IPSO says of them by sums of these gains, which bind RBP: no root unless they are non-separable
    """

    first: tuple[str, ...]
    second: tuple[str, ...]
    innate: str
    roots: tuple[float, ...]
    crossings: tuple[bool, ...]
    preferred: tuple[int, ...]

    @property
    def flips(self) -> tuple[float, ...]:
        """The values of p at which the order changes."""
        return tuple(p for p, crosses in zip(self.roots, self.crossings, strict=True) if crosses)

    def differences(self, persistences: Sequence[float]) -> list[float]:
        """RBP of the second ranking minus that of the first at each persistence: (1 - p) times the sum of d_i p^i."""
        d = [float(Fraction(y) - Fraction(x)) for x, y in zip(self.first, self.second, strict=True)]
        return [(1 - p) * reduce(lambda total, term: total * p + term, reversed(d), 0.0) for p in persistences]

    def columns(self) -> dict[str, list[Any]]:
        """One row per stretch of p: from, to, preferred (1 for the second ranking, -1 for the first, 0)."""
        ends = [0.0, *self.roots, 1.0]
        return {"from": ends[:-1], "to": ends[1:], "preferred": list(self.preferred)}

    def to_dict(self) -> dict[str, Any]:
        return {"first": list(self.first), "second": list(self.second), "innate": self.innate,
                "roots": list(self.roots), "flips": list(self.flips), "stretches": self.columns()}  # fmt: skip

    def table(self) -> tuple[list[str], list[list[str]]]:
        columns = self.columns()
        rows = [[f"{low:.10g}", f"{high:.10g}", _BETTER[sign]]
                for low, high, sign in zip(*columns.values(), strict=True)]  # fmt: skip
        return ["p from", "to", "RBP prefers"], rows

    def heading(self) -> str:
        a, b = (("" if max(map(len, row)) == 1 else ",").join(row) for row in (self.first, self.second))
        return f"{a} is {self.innate} {b}"

    def text_columns(self) -> int:
        return 0


def flips(first: Any, second: Any) -> Flips:
    """Persistence values at which RBP changes the order of two rankings.

    RBP(second) - RBP(first) is (1 - p) times a polynomial in p whose coefficients are differences of gains. Its roots
    in (0, 1) are separated by Descartes' rule of signs in whole numbers, so that none is missed and none made up, and
    each is given as the nearest double.

    first, second  gains by rank, equally many, up to 1000; decimals are what was typed

    >>> print(flips("100", "011"))
    100 is non-separable from 011
          p from            to  RBP prefers
               0  0.6180339887    the first
    0.6180339887             1   the second
    """
    (a, b), unit = exact_lists(first, second)
    if a.ndim != 1 or not 1 <= len(a) <= MOST_RANKS:
        raise InputError(f"arrays of shape {a.shape}", f"give two lists of 1 to {MOST_RANKS} gains")
    coefficients = (b - a).tolist()
    ties = roots(coefficients)
    preferred = [next((int(np.sign(c)) for c in coefficients if c), 0)]  # near p = 0 the first difference decides
    for root in ties:
        preferred.append(-preferred[-1] if root.crosses else preferred[-1])
    return Flips(
        first=tuple(shown(Fraction(g, unit)) for g in a.tolist()),
        second=tuple(shown(Fraction(g, unit)) for g in b.tolist()),
        innate=WORDS[int(path(a, b, gains="linear")[-1])],
        roots=tuple(root.nearest for root in ties),
        crossings=tuple(root.crosses for root in ties),
        preferred=tuple(preferred),
    )
