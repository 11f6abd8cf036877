"""User models that the user gives by their C, W or L."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np

from rankscope.arguments import is_number
from rankscope.arrays import Floats
from rankscope.errors import InputError, Problem
from rankscope.measures.cwla.aggregations import by_rank
from rankscope.measures.cwla.models import Finite, Tail, UserModel
from rankscope.measures.record import parameter_text

CurveKind: TypeAlias = Literal["C", "W", "L"]

_SLACK = 1e-9  # how far a given vector may be from summing to 1
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Vector(Finite):
    """C, W or L by rank, as the user gives it; nobody goes on from ranks beyond."""

    kind: CurveKind
    values: tuple[float, ...]
    name: ClassVar[str] = "given"
    words: ClassVar[str] = "Reads as the numbers given for the ranks say; nobody goes on beyond them."
    formula: ClassVar[str] = "C(i), W(i) or L(i) as given"

    def __post_init__(self) -> None:
        if not self.values or not all(map(is_number, self.values)):
            shown = ",".join(map(str, self.values))
            raise InputError(f"{self.kind}({shown}) is no user model", "give finite numbers, as in C(1,0)")
        _seen_from(self.kind, np.array(self.values, np.float64))

    def full_curve(self) -> Floats:
        return _seen_from(self.kind, np.array(self.values, np.float64))

    def __str__(self) -> str:
        return f"{self.kind}({','.join(map(parameter_text, self.values))})"


@dataclass(frozen=True, slots=True)
class Function(UserModel):
    """C, W or L as a function of gains (..., ranks), giving an array of the same shape or (ranks) alone."""

    kind: CurveKind
    function: Callable[[Floats], Any]
    name: ClassVar[str] = "given"
    words: ClassVar[str] = "Reads as the function given says."
    formula: ClassVar[str] = "C(i), W(i) or L(i) as a function of the gains"
    unit: ClassVar[bool] = False
    closed: ClassVar[bool] = False
    tail: ClassVar[Tail] = "truncate"
    typed: ClassVar[bool] = False

    @property
    def endless(self) -> bool:  # type: ignore[override]
        return self.kind != "C"  # W and L sum to 1 within the list

    def seen(self, gain: Floats) -> Floats:
        values = by_rank(self.function, gain, self)
        return np.broadcast_to(_seen_from(self.kind, values), (*gain.shape[:-1], gain.shape[-1] + 1))

    def after(self, start: Any, end: Any, seen: Any, gained: Any) -> Floats:
        return np.asarray(seen)

    def views(self, start: Any, end: Any, seen: Any, gained: Any) -> Floats:
        return np.zeros(np.shape(seen))

    def inverse(self, start: Any, end: Any, seen: Any, gained: Any) -> Floats:
        return np.zeros(np.shape(seen))

    def __str__(self) -> str:
        return f"{self.kind}({getattr(self.function, '__name__', 'function')})"


def custom_model(kind: CurveKind, what: Sequence[float] | Floats | Callable[[Floats], Any]) -> UserModel:
    """A user model from its "C", "W" or "L": numbers by rank, or a function of gains, ranks last.

    >>> str(custom_model("W", [0.5, 0.3, 0.2]))
    'W(0.5,0.3,0.2)'
    """
    if kind not in ("C", "W", "L"):
        raise InputError(f"a user model is not given by {kind!r}", "give C, W or L")
    if callable(what):
        return Function(kind, what)
    try:
        values = tuple(float(value) for value in what)
    except (TypeError, ValueError):
        raise InputError(f"{kind} is given as {what!r}", "give one number per rank, or a function of gains") from None
    return Vector(kind, values)


def _seen_from(kind: CurveKind, values: Floats) -> Floats:
    """V(1), ..., V(ranks + 1) from C, W or L, checked."""
    seen = np.ones((*values.shape[:-1], values.shape[-1] + 1))
    if not values.shape[-1]:
        return seen
    problems = list(_wrong(kind, values))
    if problems:
        raise InputError(problems)
    values = np.clip(values, 0, 1)
    if kind == "C":
        np.multiply.accumulate(values, axis=-1, out=seen[..., 1:])
    elif kind == "W":
        seen[..., :-1] = values / values[..., :1]
        seen[..., -1] = 0.0
    else:
        seen[..., -2::-1] = np.add.accumulate(values[..., ::-1], axis=-1)
        seen[..., -1] = 0.0
        seen /= seen[..., :1].copy()
    return seen


def _wrong(kind: CurveKind, values: Floats) -> Sequence[Problem]:
    """Problems of numbers that cannot be C, W or L of a user model."""
    problems = []
    outside = ~((values >= -_ROUNDING) & (values <= 1 + _ROUNDING))
    if outside.any():
        at = tuple(np.argwhere(outside)[0])
        what = {"C": "a continuation probability", "W": "a weight", "L": "a probability to stop"}[kind]
        problems.append(Problem(f"{kind}({at[-1] + 1}) is {values[at]:g}: {what} lies in [0, 1]"))
    if kind == "W":
        rises = np.diff(values, axis=-1) > _ROUNDING
        if rises.any():
            at = tuple(np.argwhere(rises)[0])
            after = values[(*at[:-1], at[-1] + 1)]
            problems.append(Problem(f"W({at[-1] + 2}) is {after:g} after W({at[-1] + 1}) of {values[at]:g}: "
                                 "weights never increase with rank"))  # fmt: skip
    if kind != "C":
        sums = values.sum(axis=-1)
        if not (np.abs(sums - 1) <= _SLACK).all():
            off = float(np.ravel(sums)[np.argmax(np.abs(np.ravel(sums) - 1))])
            problems.append(Problem(f"{kind} sums to {off:g} over {values.shape[-1]} ranks: it has to sum to 1"))
    return problems
