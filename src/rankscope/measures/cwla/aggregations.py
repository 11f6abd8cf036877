"""Aggregations: what a reader who stops at rank i has got out of the list."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rankscope.arguments import is_number
from rankscope.arrays import Floats
from rankscope.errors import InputError
from rankscope.measures.catalogue.weights import rank_sum, ranks
from rankscope.measures.record import Part


class Aggregation(Part):
    """A(i) of gains. Documents without gain that follow rank n have A(i) = constant + inverse / i.

    static     A does not depend on gains; it then falls with rank
    monotone   no A(i) falls when a gain rises
    steady     A stays as it is on documents without gain
    per_view   divided by V+, the documents viewed on average
    closed     known for documents that follow the list
    """

    __slots__ = ()

    words: ClassVar[str]
    formula: ClassVar[str]
    static: ClassVar[bool] = False
    monotone: ClassVar[bool] = True
    steady: ClassVar[bool] = False
    per_view: ClassVar[bool] = False
    closed: ClassVar[bool] = True

    @abstractmethod
    def values(self, gain: Floats) -> Floats:
        """A(i), ranks last, not yet divided by V+; (ranks) alone where it is static."""

    def steps(self, gain: Floats) -> Floats:
        """A(i) - A(i-1)."""
        return np.diff(self.values(gain), axis=-1, prepend=0.0)

    def beyond(self, gain: Floats) -> tuple[Any, Any]:
        """Constant and inverse, of shape (...) or plain numbers."""
        return 0.0, 0.0


@dataclass(frozen=True, slots=True)
class ETG(Aggregation):
    """Expected total gain: all gain down to the last document."""

    name: ClassVar[str] = "ETG"
    words: ClassVar[str] = "all gain so far"
    formula: ClassVar[str] = r"A(i) = \sum_{j \le i} g_j"
    steady: ClassVar[bool] = True

    def values(self, gain: Floats) -> Floats:
        return np.add.accumulate(gain, axis=-1)

    def steps(self, gain: Floats) -> Floats:
        return gain

    def beyond(self, gain: Floats) -> tuple[Any, Any]:
        return rank_sum(gain), 0.0


@dataclass(frozen=True, slots=True)
class ERG(ETG):
    """Expected rate of gain: as ETG, over the number of documents viewed on average."""

    name: ClassVar[str] = "ERG"
    words: ClassVar[str] = "all gain so far, over the documents viewed on average"
    formula: ClassVar[str] = r"A(i) = \frac{1}{V^+} \sum_{j \le i} g_j"
    per_view: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class Average(Aggregation):
    """Average gain of the documents viewed."""

    name: ClassVar[str] = "avg"
    words: ClassVar[str] = "the average gain so far"
    formula: ClassVar[str] = r"A(i) = \frac{1}{i} \sum_{j \le i} g_j"

    def values(self, gain: Floats) -> Floats:
        average = np.add.accumulate(gain, axis=-1)
        average /= ranks(gain.shape[-1])
        return average

    def beyond(self, gain: Floats) -> tuple[Any, Any]:
        return 0.0, rank_sum(gain)


@dataclass(frozen=True, slots=True)
class Maximum(Aggregation):
    """Gain of the best document viewed."""

    name: ClassVar[str] = "max"
    words: ClassVar[str] = "the best document so far"
    formula: ClassVar[str] = r"A(i) = \max_{j \le i} g_j"
    steady: ClassVar[bool] = True

    def values(self, gain: Floats) -> Floats:
        return np.maximum.accumulate(gain, axis=-1)

    def beyond(self, gain: Floats) -> tuple[Any, Any]:
        return gain.max(axis=-1, initial=0.0), 0.0


@dataclass(frozen=True, slots=True)
class Final(Aggregation):
    """Gain of the last document viewed."""

    name: ClassVar[str] = "fin"
    words: ClassVar[str] = "the last document alone"
    formula: ClassVar[str] = "A(i) = g_i"

    def values(self, gain: Floats) -> Floats:
        return gain


@dataclass(frozen=True, slots=True)
class PeakEnd(Aggregation):
    """Peak and end: beta parts of the best and 1 - beta of the last document."""

    beta: float = 0.5
    name: ClassVar[str] = "PE"
    words: ClassVar[str] = "beta parts of the best document so far and 1 - beta of the last"
    formula: ClassVar[str] = r"A(i) = \beta \max_{j \le i} g_j + (1 - \beta) g_i"

    def __post_init__(self) -> None:
        if not is_number(self.beta) or not 0 <= self.beta <= 1:
            raise InputError(f"PE(beta={self.beta!r}): beta is a share from 0 to 1")

    def values(self, gain: Floats) -> Floats:
        best = np.maximum.accumulate(gain, axis=-1)
        best *= self.beta
        best += (1 - self.beta) * gain
        return best

    def beyond(self, gain: Floats) -> tuple[Any, Any]:
        return self.beta * gain.max(axis=-1, initial=0.0), 0.0


@dataclass(frozen=True, slots=True)
class Reciprocal(Aggregation):
    """ERR's aggregation: the fewer documents the better, whatever they are."""

    name: ClassVar[str] = "ERR"
    words: ClassVar[str] = "one over the rank of the last document"
    formula: ClassVar[str] = "A(i) = 1/i"
    static: ClassVar[bool] = True

    def values(self, gain: Floats) -> Floats:
        return 1 / ranks(gain.shape[-1])

    def beyond(self, gain: Floats) -> tuple[Any, Any]:
        return 0.0, 1.0


@dataclass(frozen=True, slots=True)
class FunctionAggregation(Aggregation):
    """A(i) as a function of gains (..., ranks), giving an array of the same shape."""

    function: Callable[[Floats], Any]
    name: ClassVar[str] = "given"
    words: ClassVar[str] = "as the function given says"
    formula: ClassVar[str] = "A(i) as a function of the gains"
    monotone: ClassVar[bool] = False
    closed: ClassVar[bool] = False
    typed: ClassVar[bool] = False

    def values(self, gain: Floats) -> Floats:
        return by_rank(self.function, gain, self)

    def __str__(self) -> str:
        return f"A({getattr(self.function, '__name__', 'function')})"


def by_rank(function: Callable[[Floats], Any], gain: Floats, who: Part) -> Floats:
    """Values of a user's function of gains: an array of the same shape, or of (ranks) alone."""
    values = np.asarray(function(gain), np.float64)
    if values.shape not in (gain.shape, gain.shape[-1:]):
        raise InputError(f"{who} gave an array of shape {values.shape} for gains of shape {gain.shape}",
                         "it has to give a number for every rank")  # fmt: skip
    return values


AGGREGATIONS: dict[str, type[Aggregation]] = {
    kind.name: kind for kind in (ERG, ETG, Average, Maximum, Final, PeakEnd, Reciprocal)
}
"""Aggregations by the name that users type."""
