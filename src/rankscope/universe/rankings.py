"""All possible rankings of a depth, as arrays that measures can score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankscope.arrays import FIRST_GRADE, Codes, Exact, Floats, Ints
from rankscope.errors import InputError, Problem
from rankscope.measures import Lists, Measure
from rankscope.measures.attainable import LIMIT, Levels, attainable, deepest

EXACTLY = 2**12  # so many scores are computed in fractions, where a measure has them; more would take too long
_BLOCK = 1 << 20  # cells scored at a time
_GRADES = 253  # codes of one byte


@dataclass(frozen=True, slots=True, eq=False)
class Universe:
    """All rankings of `depth` documents over grades 0 to c that a topic allows, in lexicographic order.

    available  documents that the topic has of each grade 1 to c; those of grade 0 never run out
    level      (lists, depth) grades by rank
    """

    depth: int
    grades: int
    available: tuple[int, ...]
    level: Levels

    def __len__(self) -> int:
        return len(self.level)

    @property
    def number(self) -> Ints:
        """Each list read as a number in base c + 1, first rank first: ascending."""
        weight = (self.grades + 1) ** np.arange(self.depth - 1, -1, -1)
        return self.level @ weight

    @property
    def code(self) -> Codes:
        """Grade codes, as a collection has them."""
        return self.level + np.uint8(FIRST_GRADE)

    def lists(self, rows: Any = slice(None)) -> Lists:
        """These rankings, or some of them, for measures; as many judged documents of grade 0 as a list can hold."""
        pool = np.array([self.depth, *self.available], np.int64)
        return Lists(self.level[rows] + np.uint8(FIRST_GRADE), np.arange(self.grades + 1.0), pool)

    def scores(self, measure: Measure) -> Floats:
        """(lists) scores of a measure."""
        step = max(1, _BLOCK // self.depth)
        parts = [measure.compute(self.lists(slice(at, at + step))) for at in range(0, len(self), step)]
        scores = np.concatenate(parts)
        if not np.isfinite(scores).all():
            at = int((~np.isfinite(scores)).argmax())
            raise InputError(f"{measure} gives {scores[at]} for the ranking {written(self.level[at])}",
                             "its scores must be finite numbers")  # fmt: skip
        return scores

    def exact_scores(self, measure: Measure) -> Exact | None:
        """The same as whole numbers and fractions, where the measure has them and they are not too many."""
        if measure.exact is None or len(self) > EXACTLY:
            return None
        try:
            return measure.exact_scores(self.lists())
        except InputError:  # these parameters have no exact form
            return None


def rankings(depth: int, grades: int = 1, recall_base: int | Sequence[int] | None = None) -> Universe:
    """All rankings of `depth` documents over grades 0 to `grades`.

    recall_base  how many documents the topic has of each grade 1 to c (one number where c is 1): rankings that hold
                 more are left out. By default `depth` of each, so that all are there

    >>> rankings(2, 2, [2, 1]).level.tolist()
    [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2], [2, 0], [2, 1]]
    """
    problems = [
        Problem(f"{name}={value!r}: expected a whole number from 1 to {most}")
        for name, value, most in (("depth", depth, deepest(2)), ("grades", grades, _GRADES))
        if not _whole(value) or not 1 <= value <= most
    ]
    if problems:
        raise InputError(problems)
    if (grades + 1) ** depth > LIMIT:
        wide = max(c for c in range(1, _GRADES + 1) if (c + 1) ** depth <= LIMIT)
        raise InputError(
            f"rankings of {depth} documents over grades 0 to {grades}, {(grades + 1) ** depth} of them, are too many",
            f"up to {LIMIT} are enumerated: take a depth from 1 to {deepest(grades + 1)}, or grades from 1 to {wide}",
        )
    counts = _counts(depth, grades, recall_base)
    return Universe(depth, grades, counts, attainable(depth, [min(depth, one) for one in counts]))


def written(level: Any) -> str:
    """A ranking as a person writes it: 0110, with commas where grades have two digits."""
    grades = [int(grade) for grade in level]
    return ("" if max(grades, default=0) < 10 else ",").join(map(str, grades))


def _counts(depth: int, grades: int, given: int | Sequence[int] | None) -> tuple[int, ...]:
    if given is None:
        return (depth,) * grades
    counts = tuple(given) if isinstance(given, Sequence) else (given,)
    if len(counts) != grades or not all(_whole(one) and one >= 0 for one in counts) or not sum(counts):
        expected = "a whole number from 1" if grades == 1 else f"{grades} whole numbers from 0, not all 0"
        raise InputError(f"recall_base={given!r}: expected {expected}",
                         "it says how many documents of each grade above 0 the topic has")  # fmt: skip
    return tuple(int(one) for one in counts)


def _whole(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)
