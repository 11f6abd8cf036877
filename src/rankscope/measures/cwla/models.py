"""User models: how far down a list people read.

A model gives the chance C(i) to go on from rank i to the next, the share W(i) of all attention that rank i gets, and
the chance L(i) that rank i is the last one viewed. Each of the three gives the other two by way of V(i), the chance
that rank i is viewed at all: V(1) = 1, V(i+1) = V(i) C(i), L(i) = V(i) - V(i+1), W(i) = V(i) / V+ with V+ the sum of V.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np

from rankscope import arguments
from rankscope.arrays import Floats
from rankscope.measures.catalogue.weights import logarithmic, ranks
from rankscope.measures.cwla.infinite_sums import lerch, sum_of_fourths
from rankscope.measures.cwla.measure import INSQ_FORMULA, INSQ_WORDS, INST_FORMULA, INST_WORDS
from rankscope.measures.record import Part

Tail: TypeAlias = Literal["truncate", "stop", "infinite"]

_DEEPEST = 1_000_000


class UserModel(Part):
    """A way to read a list. A subclass defines `continuation` or `seen`, and what becomes of a list without end.

    static     C does not depend on gains: any aggregation that no gain lowers then gives a score that no gain lowers
    impatient  no C(i) rises when a gain does, so that more gain means stopping sooner, or as late
    unit       gains have to lie in [0, 1]; otherwise they only must not be negative
    horizon    the last rank that anybody reads, None where there is none
    endless    people stop at last where documents without gain go on for ever, and V+ is finite
    needs_gain C(1) is 0/0 in a list without gain, which then scores 0 by any aggregation
    closed     known in closed form on documents without gain, so that lists need not be filled up
    tail       what follows the list where nobody says: see `Metric`
    gain       how grades become gains where nobody says
    """

    __slots__ = ()

    words: ClassVar[str]
    formula: ClassVar[str]
    static: ClassVar[bool] = False
    impatient: ClassVar[bool] = False
    unit: ClassVar[bool] = True
    endless: bool = True
    horizon: int | None = None
    needs_gain: ClassVar[bool] = False
    closed: ClassVar[bool] = True
    tail: ClassVar[Tail] = "infinite"
    gain: ClassVar[str] = "linear"

    def continuation(self, gain: Floats) -> Floats:
        """C(i), ranks last; (ranks) alone where the model is static. 0 where rank i is never reached."""
        seen = self.seen(gain)
        return np.divide(seen[..., 1:], seen[..., :-1], out=np.zeros_like(seen[..., 1:]), where=seen[..., :-1] > 0)

    def seen(self, gain: Floats) -> Floats:
        """V(i) for all ranks and the one after them."""
        go_on = self.continuation(gain)
        seen = np.ones((*go_on.shape[:-1], go_on.shape[-1] + 1))
        np.multiply.accumulate(go_on, axis=-1, out=seen[..., 1:])
        return seen

    def weight(self, gain: Floats, tail: Tail | None = None) -> Floats:
        """W(i); sums to 1 over the ranks given, or over all ranks there are if the tail is infinite."""
        seen, depth = self.seen(gain), np.array(gain.shape[-1])
        total = seen[..., :-1].sum(axis=-1)
        if (tail or self.tail) == "infinite":
            total = total + self.views(depth, np.array(np.inf), seen[..., -1], gain.sum(axis=-1))
        weights: Floats = seen[..., :-1] / total[..., None]
        return weights

    def last(self, gain: Floats, tail: Tail | None = None) -> Floats:
        """L(i); sums to 1 over the ranks given if the tail is "stop", else to what stops within them."""
        seen = self.seen(gain)
        last: Floats = seen[..., :-1] - seen[..., 1:]
        if (tail or self.tail) == "stop" and last.shape[-1]:
            last[..., -1] = seen[..., -2]
        return last

    # documents without gain from rank start + 1 to end, which may be infinite; seen is V(start + 1), gained the gain
    # down to start

    @abstractmethod
    def after(self, start: Any, end: Any, seen: Any, gained: Any) -> Floats:
        """V(end + 1)."""

    @abstractmethod
    def views(self, start: Any, end: Any, seen: Any, gained: Any) -> Floats:
        """Sum of V(i) over them."""

    @abstractmethod
    def inverse(self, start: Any, end: Any, seen: Any, gained: Any) -> Floats:
        """Sum of L(i) / i over them."""


# models that look at ranks alone


class _Static(UserModel):
    __slots__ = ()

    static: ClassVar[bool] = True
    unit: ClassVar[bool] = False

    @abstractmethod
    def curve(self, depth: int) -> Floats:
        """V(1), ..., V(depth + 1)."""

    def seen(self, gain: Floats) -> Floats:
        return self.curve(gain.shape[-1])


class Finite(_Static):
    """Nobody reads beyond a certain rank."""

    __slots__ = ()

    @abstractmethod
    def full_curve(self) -> Floats:
        """V(i) down to the last rank that anybody reads."""

    @property
    def horizon(self) -> int:  # type: ignore[override]
        return self.full_curve().size

    def curve(self, depth: int) -> Floats:
        curve, seen = self.full_curve(), np.zeros(depth + 1)
        seen[: curve.size] = curve[: depth + 1]
        return seen

    def after(self, start: Any, end: Any, seen: Any, gained: Any) -> Floats:
        return np.append(self.full_curve(), 0.0)[self._within(end)]

    def views(self, start: Any, end: Any, seen: Any, gained: Any) -> Floats:
        return self._between(self.full_curve(), start, end)

    def inverse(self, start: Any, end: Any, seen: Any, gained: Any) -> Floats:
        curve = np.append(self.full_curve(), 0.0)
        return self._between((curve[:-1] - curve[1:]) / ranks(curve.size - 1), start, end)

    def _between(self, values: Floats, start: Any, end: Any) -> Floats:
        below = np.append(np.add.accumulate(values[::-1])[::-1], 0.0)  # sums of all that follows rank 0, 1, ...
        return below[self._within(start)] - below[self._within(end)]

    def _within(self, rank: Any) -> Any:
        return np.minimum(rank, self.full_curve().size).astype(np.int64)


@dataclass(frozen=True, slots=True)
class Precision(Finite):
    """Reads exactly k documents."""

    k: int = 10
    name: ClassVar[str] = "Precision"
    words: ClassVar[str] = "Reads exactly k documents."
    formula: ClassVar[str] = r"C(i) = 1 \text{ for } i < k, \text{ else } 0"

    def __post_init__(self) -> None:
        _check_depth(self)

    def full_curve(self) -> Floats:
        return np.ones(self.k)


@dataclass(frozen=True, slots=True)
class DCG(Finite):
    """Reads at most k documents, with interest falling as the logarithm of the rank: scaled DCG."""

    k: int = 10
    name: ClassVar[str] = "DCG"
    words: ClassVar[str] = "Reads at most k documents, fewer and fewer people as 1 / log2(i + 1)."
    formula: ClassVar[str] = r"C(i) = \log_2 (i+1) / \log_2 (i+2) \text{ for } i < k, \text{ else } 0"

    def __post_init__(self) -> None:
        _check_depth(self)

    def full_curve(self) -> Floats:
        return logarithmic(self.k)


@dataclass(frozen=True, slots=True)
class RBP(_Static):
    """Goes on with probability p after every document."""

    p: float = 0.8
    name: ClassVar[str] = "RBP"
    words: ClassVar[str] = "After every document the reader goes on with probability p."
    formula: ClassVar[str] = "C(i) = p"

    def __post_init__(self) -> None:
        arguments.share("p of RBP", self.p)

    def curve(self, depth: int) -> Floats:
        return self._power(np.arange(depth + 1))

    def after(self, start: Any, end: Any, seen: Any, gained: Any) -> Floats:
        return self._power(end)

    def views(self, start: Any, end: Any, seen: Any, gained: Any) -> Floats:
        return (self._power(start) - self._power(end)) / (1 - self.p)

    def inverse(self, start: Any, end: Any, seen: Any, gained: Any) -> Floats:
        return self._from(start) - self._from(end)

    def _power(self, rank: Any) -> Floats:
        rank = np.asarray(rank, np.float64)
        # numpy squares where the exponent is the one number 2, which can differ from pow in the last bit
        return np.power(float(self.p), np.atleast_1d(rank)).reshape(rank.shape)

    def _from(self, rank: Any) -> Floats:
        """Sum of L(i) / i over all ranks after this one."""
        rank = np.asarray(rank, np.float64)
        known, where = np.unique(rank, return_inverse=True)
        values = np.zeros_like(known)
        finite = np.isfinite(known)
        values[finite] = (1 - self.p) * self._power(known[finite]) * lerch(known[finite] + 1, self.p)
        return values[where].reshape(rank.shape)


class _Inverse(UserModel):
    """Goes on with probability (1 - 1/x)^2, where x grows by 1 with every document without gain."""

    __slots__ = ()

    @abstractmethod
    def _x(self, rank: Any, gained: Any) -> Any:
        """x at this rank."""

    def after(self, start: Any, end: Any, seen: Any, gained: Any) -> Floats:
        x = self._x(start, gained)
        share = x / (x + (end - start))
        return np.asarray(seen * share * share)

    def views(self, start: Any, end: Any, seen: Any, gained: Any) -> Floats:
        from scipy.special import zeta

        x = self._x(start, gained)
        return np.asarray(seen * x * x * (zeta(2, x) - zeta(2, self._x(end, gained))))

    def inverse(self, start: Any, end: Any, seen: Any, gained: Any) -> Floats:
        all_after = seen * self._all_after(start, self._x(start, gained))
        if np.all(np.isinf(end)):
            return np.asarray(all_after)
        return all_after - self.after(start, end, seen, gained) * self._all_after(end, self._x(end, gained))

    @staticmethod
    def _all_after(rank: Any, x: Any) -> Any:
        """Sum of L(i) / i over all ranks after this one for a reader who sees the next; V falls as (x / (x + m))^2."""
        first = rank + 1.0  # summed by parts: V(first) / first less the sum over i > first of V(i) / (i (i - 1))
        return 1 / first - x * x * sum_of_fourths(x + 1, first + 1)


@dataclass(frozen=True, slots=True)
class INSQ(_Inverse, _Static):
    """Wants about T relevant documents and is never any wiser: goes on with ((i + 2T - 1) / (i + 2T))^2."""

    T: float = 2.25
    name: ClassVar[str] = "INSQ"
    words: ClassVar[str] = INSQ_WORDS
    formula: ClassVar[str] = INSQ_FORMULA

    def __post_init__(self) -> None:
        arguments.positive("T of INSQ", self.T)

    def curve(self, depth: int) -> Floats:
        return np.square(2.0 * self.T / (2.0 * self.T + np.arange(depth + 1.0)))

    def _x(self, rank: Any, gained: Any) -> Any:
        return rank + 2.0 * self.T


# models that look at gains


@dataclass(frozen=True, slots=True)
class INST(_Inverse):
    """Wants gain T and knows how much is missing."""

    T: float = 2.25
    name: ClassVar[str] = "INST"
    words: ClassVar[str] = INST_WORDS
    formula: ClassVar[str] = INST_FORMULA
    impatient: ClassVar[bool] = True

    def __post_init__(self) -> None:
        arguments.positive("T of INST", self.T, above=0.5)  # below, C could leave [0, 1]

    def continuation(self, gain: Floats) -> Floats:
        x = self._x(ranks(gain.shape[-1]), np.add.accumulate(gain, axis=-1))
        return np.asarray((1 - 1 / x) ** 2)

    def _x(self, rank: Any, gained: Any) -> Any:
        return rank + (2.0 * self.T - gained)


@dataclass(frozen=True, slots=True)
class AP(UserModel):
    """Goes on in proportion to what is still to come; after the last gain, 0/0, nobody goes on."""

    name: ClassVar[str] = "AP"
    words: ClassVar[str] = "Stops at documents with gain only, at rank i as often as gain / i."
    formula: ClassVar[str] = r"C(i) = \sum_{j > i} (g_j / j) \Big/ \sum_{j \ge i} (g_j / j), \; 0/0 = 0"
    needs_gain: ClassVar[bool] = True
    unit: ClassVar[bool] = False

    def seen(self, gain: Floats) -> Floats:
        seen = np.zeros((*gain.shape[:-1], gain.shape[-1] + 1))
        shares = gain / ranks(gain.shape[-1])
        np.add.accumulate(shares[..., ::-1], axis=-1, out=seen[..., -2::-1])
        total = seen[..., :1].copy()
        np.divide(seen, total, out=seen, where=total > 0)
        seen[..., 0] = 1.0  # of a list without gain the first document is seen
        return seen

    def after(self, start: Any, end: Any, seen: Any, gained: Any) -> Floats:
        return np.where(end > start, 0.0, seen)

    def views(self, start: Any, end: Any, seen: Any, gained: Any) -> Floats:
        return np.where(end > start, seen, 0.0)

    def inverse(self, start: Any, end: Any, seen: Any, gained: Any) -> Floats:
        return self.views(start, end, seen, gained) / (start + 1.0)


class _Tireless(UserModel):
    """Never stops at a document without gain."""

    __slots__ = ()

    impatient: ClassVar[bool] = True
    endless: bool = False
    tail: ClassVar[Tail] = "truncate"

    def after(self, start: Any, end: Any, seen: Any, gained: Any) -> Floats:
        return np.asarray(seen + 0.0 * end)

    def views(self, start: Any, end: Any, seen: Any, gained: Any) -> Floats:
        return np.asarray(seen * (end - start))

    def inverse(self, start: Any, end: Any, seen: Any, gained: Any) -> Floats:
        return np.zeros(np.broadcast(seen, end).shape)


@dataclass(frozen=True, slots=True)
class ERR(_Tireless):
    """Is satisfied by a document with a probability that is its gain, and then stops."""

    name: ClassVar[str] = "ERR"
    words: ClassVar[str] = "Each document satisfies with probability g, and then the reader stops."
    formula: ClassVar[str] = "C(i) = 1 - g_i"
    gain: ClassVar[str] = "exp"

    def continuation(self, gain: Floats) -> Floats:
        return 1 - gain


@dataclass(frozen=True, slots=True)
class RR(_Tireless):
    """Stops at the first document with any gain."""

    name: ClassVar[str] = "RR"
    words: ClassVar[str] = "Stops at the first document that has gain."
    formula: ClassVar[str] = r"C(i) = 1 \text{ where } g_i = 0, \text{ else } 0"
    unit: ClassVar[bool] = False

    def continuation(self, gain: Floats) -> Floats:
        return (gain <= 0).astype(np.float64)


def _check_depth(model: Precision | DCG) -> None:
    arguments.whole_number(f"k of {model.name}", model.k, 1, _DEEPEST)


_KNOWN: tuple[type[UserModel], ...] = (Precision, DCG, RBP, INST, AP, ERR, RR, INSQ)
MODELS: dict[str, type[UserModel]] = {model.name: model for model in _KNOWN} | {"SDCG": DCG}
"""Models by the name that users type; scaled DCG is DCG's reader."""
