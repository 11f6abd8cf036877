"""Orders of graded rankings: by counts at every grade threshold, or by sums of gains."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from rankscope.arguments import whole_number
from rankscope.arrays import Bools, Ints
from rankscope.errors import InputError, Problem, argument, typed
from rankscope.universe.ipso.pair_counts import whole_units
from rankscope.universe.rankings import MOST_GRADES

GradeGains: TypeAlias = str | Sequence[Any] | Mapping[Any, Any] | None
"""Of grades 0 to c: "thresholds" (also None), "linear", "exp", "binary", a number for each, or {grade: gain}."""

_NAMES = ("thresholds", "linear", "exp", "binary")


class Worth(NamedTuple):
    """Grades 0 to c, and what each is worth.

    gains  None where rankings are compared by thresholds: for every grade from 1 on, by how many documents of at least
           that grade they hold down to each rank. That order is what the two rules of Moffat and Mackenzie (2024)
           bring with them, and so binds every metric that keeps them. Sums of gains order more pairs, and bind the
           metrics that sum these gains with weights that do not grow down the ranking
    """

    grades: int
    gains: tuple[Fraction, ...] | None

    @property
    def binary(self) -> bool:
        """Whether there are two grades that differ in worth: then both orders are one."""
        return self.grades == 1 and (self.gains is None or self.gains[0] < self.gains[1])

    @property
    def words(self) -> str:
        """The order in words, for a heading; empty where rankings are binary."""
        from rankscope.preferences.gains import shown

        if self.gains is None:
            return "" if self.grades == 1 else "by grade thresholds"
        return "" if self.plain == ["0", "1"] else f"by sums of the gains {', '.join(map(shown, self.gains))}"

    @property
    def plain(self) -> str | list[str]:
        """The gains as one would type them."""
        from rankscope.preferences.gains import shown

        return "thresholds" if self.gains is None else [shown(gain) for gain in self.gains]

    def sums(self, level: Any) -> list[Ints]:
        """Running sums that order rankings, (rankings, ranks) each, of (rankings, ranks) grades.

        >>> [sums.tolist() for sums in Worth(2, None).sums(np.array([[0, 2, 1]]))]
        [[[0, 1, 2]], [[0, 1, 1]]]
        """
        if self.gains is None:
            return [np.cumsum(level >= grade, axis=1, dtype=np.int64) for grade in range(1, self.grades + 1)]
        return [np.cumsum(np.array(whole_units(self.gains), np.int64)[level], axis=1)]

    def no_worse(self, level: Any) -> Bools:
        """(rankings, rankings) whether the row's ranking is equal or non-inferior to the column's."""
        above = np.ones((len(level), len(level)), np.bool_)
        for sums in self.sums(level):
            for down_to_rank in sums.T:
                above &= down_to_rank[:, None] >= down_to_rank
        return above


def worth_of(grades: int, gains: GradeGains) -> Worth:
    """Grades and gains as they were given, checked.

    >>> worth_of(2, "exp").plain
    ['0', '1', '3']
    """
    if gains is None or isinstance(gains, str):
        return Worth(whole_number("grades", grades, 1, MOST_GRADES), _named(grades, gains))
    if isinstance(gains, Mapping):
        known = {g for g in gains if isinstance(g, int | float) and g in range(MOST_GRADES + 1)}
        if known != set(gains):
            raise InputError(
                f"{argument('gains', dict(gains))}: expected whole grades from 0 to {MOST_GRADES}",
                f"as in {typed({1: 0.5})}",
            )
        gains = [gains.get(grade, 0 if grade == 0 else "nothing") for grade in range(int(max(known, default=0)) + 1)]
    elif not isinstance(gains, Sequence | np.ndarray):
        raise InputError(f"{argument('gains', gains)}: expected a number for each grade from 0 on, or a name",
                         f"names are {', '.join(_NAMES)}")  # fmt: skip
    from rankscope.preferences.gains import exact

    problems, values = [], []
    for gain in gains:
        try:
            values.append(exact(gain))
        except (ValueError, TypeError, OverflowError, ZeroDivisionError):
            problems.append(Problem(f"gains: {gain!r} is no gain", "a gain is a finite number from 0"))
    if not problems and (len(values) < 2 or values[0] < 0 or values != sorted(values)):
        problems = [
            Problem(f"{argument('gains', list(gains))}: expected two or more numbers from 0, none below the one before")
        ]
    if not problems and grades not in (1, len(values) - 1):
        problems = [Problem(f"{len(values)} gains for grades 0 to {grades}", "give one per grade")]
    if problems:
        raise InputError(problems)
    return Worth(len(values) - 1, tuple(values))


def _named(grades: int, name: str | None) -> tuple[Fraction, ...] | None:
    if name is None or name == "thresholds":
        return None
    if name not in _NAMES:
        raise InputError(
            f"{argument('gains', name)} is unknown", f"gains are one of {', '.join(_NAMES)}, or one number per grade"
        )
    every = range(grades + 1)
    gains = {"linear": every, "exp": [2**grade - 1 for grade in every], "binary": [min(grade, 1) for grade in every]}
    return tuple(map(Fraction, gains[name]))
