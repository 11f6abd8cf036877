"""Axioms of a difference structure, checked for all rankings by enumeration.

Ferrante, Ferro and Losiouk, "How do interval scales help us with better understanding IR evaluation measures?", 2020,
Definition 1. By their Theorem 1 an interval scale follows from the axioms.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from rankscope.arguments import one_of
from rankscope.arrays import Bools, Ints
from rankscope.errors import InputError, plural
from rankscope.measures import Measure
from rankscope.measures.attainable import dense
from rankscope.measures.exact import dense_ranks
from rankscope.measures.names import single_measure
from rankscope.results import Result
from rankscope.universe.rankings import Universe, rankings, written

Order: TypeAlias = Literal["set", "rank"]
AXIOMS = {
    "i": "differences are weakly ordered: any two compare, and the order is transitive",
    "ii": "of two differences the larger one is the smaller one backwards",
    "iii": "adjacent differences that are no larger add up to one that is no larger",
    "iv": "a difference no larger than another fits into it from both ends",
}
MOST = 32  # rankings: the third axiom looks at six of them at a time


class Axiom(NamedTuple):
    """Whether an axiom holds; if not, the rankings that show it, a, b, ... as in the definition."""

    name: str
    holds: bool
    rankings: tuple[tuple[int, ...], ...] = ()

    @property
    def words(self) -> str:
        """The axiom where it holds, else the counterexample."""
        if self.holds:
            return AXIOMS[self.name]
        return "fails for " + ", ".join(map(written, self.rankings))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DifferenceStructure(Result):
    """The four axioms of Definition 1, each looked at for all rankings.

    order     whose rankings are told apart: "rank" all lists, "set" lists with the same documents taken as one
    measure   whose differences are compared, None for the lengths of intervals on the order
    elements  (elements, depth) the rankings, from the worst to the best on the order
    """

    order: Order
    measure: Measure | None
    universe: Universe
    elements: Ints
    axioms: tuple[Axiom, ...]

    @property
    def holds(self) -> bool:
        """Whether it is a difference structure."""
        return all(axiom.holds for axiom in self.axioms)

    def __getitem__(self, name: str) -> Axiom:
        return next(axiom for axiom in self.axioms if axiom.name == name)

    def table(self) -> tuple[list[str], list[list[str]]]:
        rows = [[axiom.name, "holds" if axiom.holds else "fails", axiom.words] for axiom in self.axioms]
        return ["axiom", "decision", "since"], rows

    def heading(self) -> str:
        lengths = f"lengths of intervals on the {self.order}-based order"
        what = f"differences of {self.measure}" if self.measure else lengths
        kind = "rankings" if self.order == "rank" else "sets"
        documents = plural(self.universe.depth, "document")
        verdict = "a difference structure" if self.holds else "no difference structure"
        return f"{what}, all {len(self.elements)} {kind} of {documents}, grades 0 to {self.universe.grades}: {verdict}"

    def text_columns(self) -> int:
        return 3

    def columns(self) -> dict[str, list[Any]]:
        """One row per axiom."""
        return {
            "axiom": [axiom.name for axiom in self.axioms],
            "holds": [axiom.holds for axiom in self.axioms],
            "counterexample": [", ".join(map(written, axiom.rankings)) for axiom in self.axioms],
        }

    def to_dict(self) -> dict[str, Any]:
        return {
            "order": self.order,
            "measure": None if self.measure is None else str(self.measure),
            "depth": self.universe.depth,
            "grades": self.universe.grades,
            "elements": len(self.elements),
            "holds": self.holds,
            "axioms": [
                {"axiom": axiom.name, "holds": axiom.holds, "rankings": list(map(list, axiom.rankings))}
                for axiom in self.axioms
            ],
        }


def difference_structure(
    depth: int,
    *,
    grades: int = 1,
    order: Order = "rank",
    measure: str | Measure | None = None,
    recall_base: int | Sequence[int] | None = None,
) -> DifferenceStructure:
    """The axioms of Definition 1, checked for all rankings of `depth` documents, at most 32 of them.

    order        "set" or "rank", the total orders of Ferrante, Ferro and Losiouk (2020)
    measure      compare its differences instead of the lengths of intervals on the order
    recall_base  as in `rankings`

    The length of an interval is counted: the rankings between its ends on the order, and its better end.

    >>> difference_structure(3).holds, difference_structure(3, measure="RR").holds
    (True, False)
    """
    one_of("order", order, ("set", "rank"))
    universe = rankings(depth, grades, recall_base)
    elements = np.asarray(universe.level, np.int64)
    if order == "set":
        elements = np.unique(-np.sort(-elements, axis=1), axis=0)
    if len(elements) > MOST:
        raise InputError(f"{len(elements)} rankings are too many to look at six of them at a time",
                         f"up to {MOST} are looked at: take a smaller depth, or fewer grades")  # fmt: skip
    scored = None if measure is None else single_measure(measure).at_depth(depth)
    difference = _lengths(elements, order) if scored is None else _differences(scored, universe, elements)
    relation = difference[:, :, None, None] <= difference[None, None, :, :]
    return DifferenceStructure(
        order=order,
        measure=scored,
        universe=universe,
        elements=elements,
        axioms=tuple(
            Axiom(name, at is None, () if at is None else tuple(tuple(elements[i].tolist()) for i in at))
            for name, at in axioms_of(relation).items()
        ),
    )


def _lengths(elements: Ints, order: Order) -> Ints:
    """Signed lengths of intervals: 0 from a ranking to itself, positive to a better one."""
    worse = np.array([[_precedes(a, b, order) for b in elements] for a in elements])  # [a, b]: a before b
    upto = worse | np.eye(len(elements), dtype=np.bool_)
    # rankings u with a <= u <= b, less one; nothing lies between where b is the worse one
    inside = upto.astype(np.int64) @ upto.astype(np.int64)
    length = np.where(worse, inside - 1, 0)
    return length - length.T


def _precedes(a: Ints, b: Ints, order: Order) -> bool:
    """Equation (4): the lower degree at the first rank that differs; (1): fewer of the highest degree that differs."""
    if order == "set":
        top = int(max(a.max(), b.max()))
        a, b = (np.array([np.count_nonzero(x == degree) for degree in range(top, 0, -1)]) for x in (a, b))
    apart = np.flatnonzero(a != b)
    return bool(len(apart) and a[apart[0]] < b[apart[0]])


def _differences(measure: Measure, universe: Universe, elements: Ints) -> Ints:
    """Differences of scores by their places among all differences, equal where equal; doubtful ones are an error."""
    rows = np.searchsorted(universe.number, elements @ universe.digits)
    exact = universe.exact_scores(measure)
    if exact is not None:
        differences = exact[rows][None, :] - exact[rows][:, None]
        return dense_ranks(differences.ravel()).reshape(differences.shape)
    scores = universe.scores(measure)[rows]
    gaps = scores[None, :] - scores[:, None]
    places, _, _ = dense(gaps.ravel(), universe.depth, f"{measure}, differences", float(np.abs(scores).max()))
    return places.astype(np.int64).reshape(gaps.shape)


def axioms_of(relation: Bools) -> dict[str, tuple[int, ...] | None]:
    """For each axiom None where it holds, else the elements that break it, in the definition's order of names.

    relation  (n, n, n, n): [a, b, c, d] says that the difference from a to b is no larger than that from c to d; any
              relation, as nothing is taken for granted here
    """
    looks: dict[str, Callable[[Bools], tuple[int, ...] | None]] = {
        "i": _weak_order, "ii": _backwards, "iii": _monotone, "iv": _solvable,
    }  # fmt: skip
    return {name: look(relation) for name, look in looks.items()}


def _weak_order(relation: Bools) -> tuple[int, ...] | None:
    n = len(relation)
    flat = relation.reshape(n * n, n * n)
    steps = flat.astype(np.float32)
    for wrong in (~(flat | flat.T), (steps @ steps > 0) & ~flat):
        if wrong.any():
            return tuple(int(i) for at in np.argwhere(wrong)[0] for i in divmod(int(at), n))
    return None


def _backwards(relation: Bools) -> tuple[int, ...] | None:
    """Counterexample a, b, c, d to: ab <= cd implies dc <= ba."""
    return _first(relation & ~relation.transpose(3, 2, 1, 0))


def _monotone(relation: Bools) -> tuple[int, ...] | None:
    """Counterexample a, b, c, a', b', c' to: ab <= a'b' and bc <= b'c' imply ac <= a'c'."""
    n = len(relation)
    sums = relation.transpose(0, 2, 1, 3).reshape(n * n, n * n)  # [a a', c c']
    for b in range(n):
        for other in range(n):
            left, right = relation[:, b, :, other].ravel(), relation[b, :, other, :].ravel()
            wrong = ~sums[np.ix_(left, right)]
            if wrong.any():
                at, to = np.argwhere(wrong)[0]
                a, a_other = divmod(int(np.flatnonzero(left)[at]), n)
                c, c_other = divmod(int(np.flatnonzero(right)[to]), n)
                return a, b, c, a_other, other, c_other
    return None


def _solvable(relation: Bools) -> tuple[int, ...] | None:
    """Counterexample a, b, c, d to: aa <= cd <= ab implies d' and d'' with ad' and d''b as large as cd."""
    n = len(relation)
    same = relation & relation.transpose(2, 3, 0, 1)
    from_a, to_b = np.any(same, axis=1), np.any(same, axis=0)  # [a, c, d] and [b, c, d]
    null = relation[np.arange(n), np.arange(n)]  # [a, c, d]: aa <= cd
    fits = null[:, None] & relation.transpose(2, 3, 0, 1)  # [a, b, c, d]
    return _first(fits & ~(from_a[:, None, :, :] & to_b[None, :, :, :]))


def _first(wrong: Bools) -> tuple[int, ...] | None:
    return tuple(np.argwhere(wrong)[0].tolist()) if wrong.any() else None
