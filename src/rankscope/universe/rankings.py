"""All possible rankings of a depth, as arrays that measures can score."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from rankscope.arrays import FIRST_GRADE, Codes, ExactNumbers, Floats, Ints
from rankscope.errors import InputError, Problem
from rankscope.measures import Measure, MeasureInputs
from rankscope.measures.attainable import LIMIT, Levels, attainable, deepest

EXACTLY = 2**12  # so many scores are computed in fractions, where a measure has them; more would take too long
_BLOCK = 1 << 20  # cells scored at a time
MOST_GRADES = 255 - FIRST_GRADE  # codes of one byte


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

    def lists(self, rows: Any = slice(None)) -> MeasureInputs:
        """These rankings, or some of them, for measures; as many judged documents of grade 0 as a list can hold."""
        pool = np.array([self.depth, *self.available], np.int64)
        return MeasureInputs(self.level[rows] + np.uint8(FIRST_GRADE), np.arange(self.grades + 1.0), pool)

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

    def exact_scores(self, measure: Measure) -> ExactNumbers | None:
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
    if problems := out_of_range(depth=(depth, deepest(2)), grades=(grades, MOST_GRADES)):
        raise InputError(problems)
    if (grades + 1) ** depth > LIMIT:
        wide = max(c for c in range(1, MOST_GRADES + 1) if (c + 1) ** depth <= LIMIT)
        raise InputError(
            f"rankings of {depth} documents over grades 0 to {grades}, {(grades + 1) ** depth} of them, are too many",
            f"up to {LIMIT} are enumerated: take a depth from 1 to {deepest(grades + 1)}, or grades from 1 to {wide}",
        )
    counts = counts_of(depth, grades, recall_base)
    return Universe(depth, grades, counts, attainable(depth, [min(depth, one) for one in counts]))


def written(level: Any) -> str:
    """A ranking as a person writes it: 0110, with commas where grades have two digits."""
    grades = [int(grade) for grade in level]
    return ("" if max(grades, default=0) < 10 else ",").join(map(str, grades))


def counts_of(depth: int, grades: int, given: int | Sequence[int] | None) -> tuple[int, ...]:
    """Documents that the topic has of each grade above 0, checked; `depth` of each by default."""
    if given is None:
        return (depth,) * grades
    counts = tuple(given) if isinstance(given, Sequence) else (given,)
    if len(counts) != grades or not all(whole(one) and one >= 0 for one in counts) or not sum(counts):
        expected = "a whole number from 1" if grades == 1 else f"{grades} whole numbers from 0, not all 0"
        raise InputError(f"recall_base={given!r}: expected {expected}",
                         "it says how many documents of each grade above 0 the topic has")  # fmt: skip
    return tuple(int(one) for one in counts)


def single_steps(table: Any, base: int, depth: int) -> Iterator[tuple[Any, Any]]:
    """Values of rankings beside those of the rankings right above them by sums of grades, from a table by the numbers
    that rankings write.

    Right above is a unit of grade moved up one rank, or added at the last. With sums of grades s_i to each rank, a
    ranking is any s with 0 <= s_i - s_(i-1) <= c, and the order is that of all s_i at once. Between two of them there
    is always a way of single steps s_i + 1 (decisions/0035), so what rises on these pairs rises on all.

    >>> [(low.ravel().tolist(), high.ravel().tolist()) for low, high in single_steps(np.arange(4), 2, 2)]
    [([1], [2]), ([0, 2], [1, 3])]
    """
    for i in range(depth - 1):
        cube = table.reshape(base**i, base, base, -1)
        yield cube[:, :-1, 1:], cube[:, 1:, :-1]
    last = table.reshape(-1, base)
    yield last[:, :-1], last[:, 1:]


def rule_steps(table: Any, base: int, depth: int) -> Iterator[tuple[Any, Any]]:
    """Values of rankings beside those of rankings that a rule puts above them, likewise.

    Rule 1 of Moffat and Mackenzie (2024): a grade more at one rank. Rule 2: two documents exchanged, the better one now
    first. These steps bring the order by grade thresholds with them (decisions/0068); binary rankings need fewer.

    >>> [(low.ravel().tolist(), high.ravel().tolist()) for low, high in rule_steps(np.arange(9), 3, 2)][2:]
    [([1], [3]), ([2], [6]), ([5], [7])]
    """
    if base == 2:
        yield from single_steps(table, base, depth)
        return
    for i in range(depth):
        cube = table.reshape(base**i, base, -1)
        yield cube[:, :-1], cube[:, 1:]
    for i, j in combinations(range(depth), 2):
        cube = table.reshape(base**i, base, base ** (j - i - 1), base, -1)
        for low, high in combinations(range(base), 2):
            yield cube[:, low, :, high], cube[:, high, :, low]


def whole(value: Any) -> bool:
    """Whether this is a whole number; True and False are none."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def out_of_range(**given: tuple[Any, int]) -> list[Problem]:
    """A problem for each argument, given with the most it may be, that is no whole number from 1 to that."""
    return [
        Problem(f"{name}={value!r}: expected a whole number from 1 to {most}")
        for name, (value, most) in given.items()
        if not whole(value) or not 1 <= value <= most
    ]
