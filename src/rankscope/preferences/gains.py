"""From grades to gains that can be summed and compared without rounding."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import lcm
from typing import Any, TypeAlias

import numpy as np

from rankscope.arguments import number
from rankscope.arrays import FIRST_GRADE, Floats, Ints
from rankscope.errors import InputError, Problem, argument, typed
from rankscope.judged import Judged

Gains: TypeAlias = str | Mapping[Any, Any] | None
"""A gain map: {grade: gain}, "binary", "linear" (gain is the grade), "exp" (2^grade - 1), or nothing. For IPSO also
"thresholds", its default: no gain at all."""

LIMIT = 2**62  # sums beyond it would not fit
EQUALLY_LONG = "lists that are compared are equally long: fill the shorter one up with 0"
THRESHOLDS = "thresholds"
_NAMED = ("binary", "linear", "exp")


@dataclass(frozen=True, slots=True, eq=False)
class GainMap:
    """Gains as whole numbers of 1 / unit, so that 0.1 + 0.2 is 0.3.

    table  of each grade code
    most   the largest: of a grade that is judged, or of a higher one that a map names, which others could have
    words  how grades became gains
    mark   the same, for a signature
    """

    table: Ints
    most: int
    unit: int
    words: str
    mark: str

    @property
    def binary(self) -> bool:
        """Whether there is but one gain besides 0."""
        return len(np.unique(self.table[self.table > 0])) <= 1

    @property
    def first(self) -> int:
        """The lowest code with a gain; gains never fall, so all codes from there on have one."""
        return int(np.searchsorted(self.table > 0, True))


def gain_map(judged: Judged, gains: Gains, rel: float | None, depth: int) -> GainMap:
    """The gain of every grade code; unjudged documents and grades below 1 that are not named have none."""
    if gains is None:
        gains = _unnamed(judged, rel)
    check_rel(gains, rel)
    return map_of(judged.grades, gains, lowest_relevant(judged, rel) if gains == "binary" else None, depth)


def check_rel(gains: Gains, rel: float | None) -> None:
    """Refuse a lowest relevant grade for gains that are not binary."""
    if rel is not None and gains != "binary":
        raise InputError(f"{argument('rel', rel)} has no effect with {argument('gains', gains)}",
                         f"{argument('rel')} goes with {argument('gains', 'binary')}")  # fmt: skip


def map_of(grades: Floats, gains: Gains, least: float | None, depth: int) -> GainMap:
    """The gain of the codes of these grades, ascending; `least` is the lowest relevant one, for binary gains."""
    if gains == "binary":
        assert least is not None
        values = [Fraction(int(grade >= least)) for grade in grades.tolist()]
        words, mark = f"binary, relevant from grade {least:g}", f"gain:binary|rel:{least:g}"
    elif isinstance(gains, str):
        values, words = _by_formula(grades, gains)
        mark = f"gain:{gains}"
    elif isinstance(gains, Mapping):
        named, values = _by_map(grades, gains)
        words = ", ".join(f"{grade:g} -> {shown(value)}" for grade, value in zip(named, values, strict=True))
        mark = "gain:" + ",".join(f"{grade:g}={shown(value)}" for grade, value in zip(named, values, strict=True))
    else:
        raise InputError(
            argument("gains", gains),
            f"gains are {', '.join(map(repr, _NAMED))} or a map such as {typed({1: 0.5, 2: 1})}",
        )
    table, unit = whole_numbers([Fraction(0)] * FIRST_GRADE + values, depth)
    return GainMap(table[: FIRST_GRADE + len(grades)], int(table.max()), unit, words, mark)


def lowest_relevant(judged: Judged, rel: float | None) -> float:
    """The lowest relevant grade; by default that of the collection."""
    return number("rel", judged.rules.rel if rel is None else rel)


def whole_numbers(values: list[Fraction], terms: int) -> tuple[Ints, int]:
    """Values as whole numbers of 1 / unit, and the unit; refused where a sum of so many could overflow."""
    unit = lcm(*(value.denominator for value in values))
    scaled = [value.numerator * (unit // value.denominator) for value in values]
    if max(scaled, default=0) * max(1, terms) >= LIMIT:
        raise InputError(
            f"gains need {len(str(unit)) - 1} decimals, and {terms} of them sum to {float(max(values)) * terms:g}",
            "sums must stay below 2^62 of the smallest decimal: round the gains",
        )
    return np.array(scaled, np.int64), unit


def exact(value: Any) -> Fraction:
    """A number as it was typed: 0.1 is a tenth.

    >>> exact(0.1) + exact("0.2") == exact(0.3)
    True
    """
    if isinstance(value, Fraction | Decimal | int) and not isinstance(value, bool):
        return Fraction(value)
    return Fraction(value if isinstance(value, str) else str(value))


def exact_lists(*lists: Any) -> tuple[list[Ints], int]:
    """Plain arrays of gains, ranks last, in whole numbers of 1 / unit, and the unit."""
    arrays = [_as_array(values) for values in lists]
    depths = {array.shape[-1] for array in arrays}
    if len(depths) > 1:
        raise InputError(f"lists of {' and '.join(str(a.shape[-1]) for a in arrays)} gains", EQUALLY_LONG)
    if depths == {0}:
        raise InputError("lists of 0 gains", "give each list at least one")
    try:
        np.broadcast_shapes(*(array.shape for array in arrays))
    except ValueError:
        raise InputError(
            f"arrays of {' and '.join(str(a.shape) for a in arrays)} gains", "give as many lists on both sides, or one"
        ) from None
    known = [np.unique(array, return_inverse=True) for array in arrays]
    values = [_gains(distinct.tolist()) for distinct, _ in known]
    table, unit = whole_numbers([v for group in values for v in group], depths.pop())
    lists_of_units, start = [], 0
    for array, (distinct, at) in zip(arrays, known, strict=True):
        lists_of_units.append(table[start : start + len(distinct)][at.reshape(array.shape)])
        start += len(distinct)
    return lists_of_units, unit


def _as_array(values: Any) -> Any:
    if isinstance(values, str):
        values = list(values)
    try:
        array = np.asarray(values)
    except ValueError:  # numpy's word for lists of unequal length
        raise InputError("lists of different lengths", EQUALLY_LONG) from None
    if array.dtype in (np.float16, np.float32):  # as it is shown, not as it is stored
        array = array.astype(str).astype(np.float64)
    if array.dtype.kind in "USO":
        array = np.array(_gains(array.ravel().tolist()), object).reshape(array.shape)
    if array.ndim == 0:
        raise InputError("a list needs an axis of ranks", "give at least a one-dimensional array")
    return array.astype(np.int64) if array.dtype.kind == "b" else array


def _gains(values: list[Any]) -> list[Fraction]:
    """Each as an exact number; all that are no gains are named at once."""
    gains, wrong = [], {}
    for value in values:
        try:
            gains.append(exact(value))
        except (ValueError, TypeError, ZeroDivisionError, OverflowError):
            wrong[str(value)] = value
            continue
        if gains[-1] < 0:
            wrong[str(value)] = value
    if wrong:
        raise InputError(
            [Problem(f"{value_text} is no gain", "a gain is a finite number from 0") for value_text in wrong]
        )
    return gains


def _unnamed(judged: Judged, rel: float | None) -> Gains:
    """Gains where no map is given: binary; graded judgments without `rel` are refused."""
    positive = judged.grades[judged.grades > 0]
    if rel is None and len(positive) > 1:
        raise InputError(
            f"the judgments are graded ({', '.join(f'{g:g}' for g in judged.grades[:8])}) and grades cannot be summed",
            f'say what each is worth: {argument("gains", {1: 0.5, 2: 1})}, "linear" (gain is the grade), "exp" '
            f'(2^grade - 1), or "binary" (1 from grade {judged.rules.rel:g} on)',
        )
    return "binary"


def _by_formula(grades: Floats, name: str) -> tuple[list[Fraction], str]:
    if name not in _NAMED:
        raise InputError(
            f"{argument('gains', name)} is unknown",
            f"gains are one of {', '.join(_NAMED)}, or a map such as {typed({1: 0.5, 2: 1})}",
        )
    positive = [max(exact(grade), Fraction(0)) for grade in grades.tolist()]
    if name == "linear":
        return positive, "linear, the grade itself"
    odd = [g for g in positive if g.denominator != 1 or g > 60]
    if odd:
        raise InputError(
            f"2^{float(odd[0]):g} - 1 is no decimal that can be summed exactly",
            f"give a map such as {typed({1: 0.5, 2: 1})}",
        )
    return [Fraction(2 ** int(g) - 1) for g in positive], "exp, 2^grade - 1"


def _by_map(judged: Floats, table: Mapping[Any, Any]) -> tuple[list[float], list[Fraction]]:
    """Grades that are judged, and higher ones that the map names; and their gains."""
    problems = []
    gains: dict[float, Fraction] = {}
    for grade, gain in table.items():
        try:
            gains[float(grade)] = exact(gain)
        except (ValueError, TypeError, ZeroDivisionError, OverflowError):
            problems.append(Problem(f"gains: {grade!r}: {gain!r} is no gain", "a gain map takes grades to numbers"))
    for grade, value in gains.items():
        if value < 0:
            problems.append(Problem(f"gains: grade {grade:g} has the gain {float(value):g}", "a gain is not negative"))
    known = [float(g) for g in judged.tolist()]
    missing = [g for g in known if g > 0 and g not in gains]
    if missing and not problems:
        named = ", ".join(f"{g:g}" for g in missing)
        problems.append(Problem(f"gains: nothing is said of grade {named}", "name every grade above 0"))
    grades = [*known, *sorted(g for g in gains if g > max(known, default=-np.inf))]
    values = [gains.get(g, Fraction(0)) for g in grades]
    for low, high, less, more in zip(grades, grades[1:], values, values[1:], strict=False):
        if more < less and not problems:
            problems.append(
                Problem(f"gains: grade {high:g} has less ({float(more):g}) than grade {low:g} ({float(less):g})",
                        "gains do not fall as grades rise")
            )  # fmt: skip
    if problems:
        raise InputError(problems)
    return grades, values


def shown(value: Fraction) -> str:
    """A gain as one would type it."""
    return str(value.numerator) if value.denominator == 1 else f"{float(value):.15g}"
