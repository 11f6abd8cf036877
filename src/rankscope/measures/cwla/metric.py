"""A metric is a user model with an aggregation: the sum over ranks of L(i) A(i)."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property, lru_cache
from typing import Any, TypeVar, get_args

import numpy as np

from rankscope.arguments import one_of
from rankscope.arrays import Floats, Ints
from rankscope.errors import InputError
from rankscope.measures.catalogue.weights import rank_sum
from rankscope.measures.cwla.aggregations import AGGREGATIONS, Aggregation, FunctionAggregation
from rankscope.measures.cwla.custom_models import custom_model
from rankscope.measures.cwla.models import MODELS, Tail, UserModel
from rankscope.measures.cwla.paper import CONSTANT, OTHER
from rankscope.measures.record import Part

PartT = TypeVar("PartT", bound=Part)

TAILS = {
    "truncate": "ranks past the end do not exist, and who has not stopped by then counts nothing",
    "stop": "whoever comes to the end stops there",
    "infinite": "documents without gain follow for ever",
}
"""What becomes of readers who come to the end of a list."""


def user_model(what: Any) -> UserModel:
    """A user model from its text, as in 'RBP(p=0.8)' or 'C(1,0.5)'; models are given back as they are.

    >>> str(user_model("Precision@5"))
    'Precision(k=5)'
    """
    return what if isinstance(what, UserModel) else _read_model(_text(what, "user model"))


def aggregation(what: Any) -> Aggregation:
    """An aggregation from its text, as in 'PE(beta=0.5)', or from a function of gains that gives A(i)."""
    if isinstance(what, Aggregation):
        return what
    return FunctionAggregation(what) if callable(what) else _read_aggregation(_text(what, "aggregation"))


@dataclass(frozen=True, slots=True)
class Metric:
    """A user model and an aggregation, each an object or its text.

    tail  what becomes of readers at the end of a list: "truncate", "stop" or "infinite"; the model's own if None, but
          never infinite with a function for an aggregation

    >>> float(Metric("RBP(p=0.5)", "max").score([0, 1, 0]))
    0.5
    """

    model: UserModel
    aggregation: Aggregation
    tail: Tail

    def __init__(self, model: Any = "RBP(p=0.8)", agg: Any = "ERG", tail: Tail | None = None) -> None:
        reader, gets = user_model(model), aggregation(agg)
        object.__setattr__(self, "model", reader)
        object.__setattr__(self, "aggregation", gets)
        object.__setattr__(self, "tail", tail or (reader.tail if gets.closed else "truncate"))
        one_of("tail", self.tail, get_args(Tail))
        if reader.static and gets.static:
            raise InputError(CONSTANT.format(reader.name if reader.name in MODELS else reader), OTHER)
        if self.tail == "infinite" and not (reader.endless and gets.closed):
            why = "never stops at documents without gain" if reader.closed else "says nothing of what follows the list"
            who = f"{reader}'s reader {why}" if not reader.endless else f"{gets} says nothing of what follows the list"
            raise InputError(f'{who}, so tail="infinite" has no value', 'tail is "truncate" or "stop" here')

    @property
    def monotone(self) -> bool:
        """Whether it is proven that no score falls when a gain rises. False where it is not, or not known.

        A static model has fixed L and V+, and the sum of L(i) A(i) rises with A. An impatient model stops the sooner
        the more gain there is; A(i) = 1/i is then the larger, and more than what counts for those who never stop.
        """
        by_gain = self.model.static and self.aggregation.monotone
        return by_gain or (self.model.impatient and self.aggregation.static)

    def score(self, gains: Any, depth: Any = None) -> Floats:
        """Scores of gains (..., ranks).

        depth  how many ranks there are, whole or by list; those past the array have no gain. By default the array's
        """
        return _score(View.of(self, checked(gains, self.model), depth), self.aggregation)

    def documents(self, gains: Any, depth: Any = None) -> Floats:
        """V+ of gains (..., ranks): the documents viewed on average. Depth is as in `score`."""
        gain = checked(gains, self.model)
        return np.broadcast_to(View.of(self, gain, depth).depth, gain.shape[:-1]).astype(np.float64)

    def of_lists(self, gain: Floats, end: Any) -> Floats:
        """Scores of gains that hold nothing past the end of each list, as measures have them."""
        return _score(View.filled(self, gain, end), self.aggregation)

    def __str__(self) -> str:
        return f"{self.model}_{self.aggregation}"


class View:
    """Lists as a reader goes through them: rank by rank down to the last gain, then what has none, in one step.

    Scores are then the same to the last bit however long the array is in which a list stands.
    """

    def __init__(self, metric: Metric, gain: Floats, end: Any) -> None:
        self.model, self.tail, self.gain = metric.model, metric.tail, gain[..., : metric.model.horizon]
        self.closed = metric.model.closed and metric.aggregation.closed
        # the last rank there is, (...) or one for all
        self.end = np.asarray(np.inf if self.tail == "infinite" else end)

    @classmethod
    def of(cls, metric: Metric, gain: Floats, depth: Any) -> View:
        """Cut at the depth."""
        end = np.asarray(gain.shape[-1] if depth is None else depth)
        if end.dtype.kind not in "iu" or (end < 0).any():
            raise InputError(f"depth={depth!r} is no number of ranks", "depth is a whole number from 0")
        if (end < gain.shape[-1]).any():
            gain = np.where(np.arange(gain.shape[-1]) < end[..., None], gain, 0.0)
        return cls.filled(metric, gain, end)

    @classmethod
    def filled(cls, metric: Metric, gain: Floats, end: Any) -> View:
        """Filled up with documents without gain where they are not known in closed form."""
        missing = int(np.max(end, initial=0)) - gain.shape[-1]
        if missing > 0 and not (metric.model.closed and metric.aggregation.closed):
            gain = np.pad(gain, [(0, 0)] * (gain.ndim - 1) + [(0, missing)])
        return cls(metric, gain, end)

    @cached_property
    def seen(self) -> Floats:
        return self.model.seen(self.gain)

    @cached_property
    def start(self) -> Ints:
        """(...) rank of the last gain, 0 if there is none; the end where nothing is known in closed form."""
        depth = self.gain.shape[-1]
        if not self.closed:
            return np.broadcast_to(np.minimum(self.end, depth).astype(np.int64), self.gain.shape[:-1])
        if not depth:
            return np.zeros(self.gain.shape[:-1], np.int64)
        some = self.gain > 0
        return np.where(some.any(axis=-1), depth - np.argmax(some[..., ::-1], axis=-1), 0)

    @cached_property
    def left(self) -> Floats:
        """(...) V of the rank after the last gain."""
        return at(self.seen, self.start)

    @cached_property
    def gained(self) -> Floats:
        return rank_sum(self.gain)

    @cached_property
    def never(self) -> Any:
        """(...) chance not to have stopped by the end, V(end + 1)."""
        return 0.0 if self.tail == "infinite" else self.model.after(*self._tail_arguments)

    @cached_property
    def depth(self) -> Any:
        """(...) V+, the documents viewed on average."""
        if self.model.static:
            return self.model.views(0, self.end, 1.0, 0.0)
        return self.upto(self.seen[..., :-1]) + self.model.views(*self._tail_arguments)

    @cached_property
    def inverse(self) -> Any:
        """(...) sum of L(i) / i after the last gain."""
        return self.model.inverse(*self._tail_arguments)

    @property
    def _tail_arguments(self) -> tuple[Any, Any, Any, Any]:
        return self.start, self.end, self.left, self.gained

    def upto(self, values: Floats) -> Floats:
        """Sums down to the last gain."""
        if not values.shape[-1]:
            return np.zeros(self.start.shape)
        return np.where(self.start > 0, at(np.add.accumulate(values, axis=-1), np.maximum(self.start - 1, 0)), 0.0)

    def total(self, values: Floats, constant: Any, inverse: Any) -> Floats:
        """Sum of L(i) A(i), where A goes on as constant + inverse / i."""
        last = self.seen[..., :-1] - self.seen[..., 1:]
        total = self.upto(last * values) + (self.left - self.never) * constant
        if np.any(inverse):
            total = total + self.inverse * inverse
        if self.tail == "stop":
            own = at(values, np.maximum(self.start - 1, 0)) if values.shape[-1] else 0.0
            after = constant + inverse / np.maximum(self.end, 1)
            total = total + np.where(self.end > 0, self.never * np.where(self.end > self.start, after, own), 0.0)
        return total


def _score(view: View, gets: Aggregation) -> Floats:
    if gets.steady and view.tail != "truncate":  # all stop at last: summed by parts, nothing cancels
        total = rank_sum(view.seen[..., :-1] * gets.steps(view.gain))
    else:
        total = view.total(gets.values(view.gain), *gets.beyond(view.gain))
    if gets.per_view:  # 0 where there is no document to view
        depth = np.broadcast_to(view.depth, total.shape)
        total = np.divide(total, depth, out=np.zeros_like(total), where=depth > 0)
    if gets.static and view.model.needs_gain:
        total = np.where(view.gained > 0, total, 0.0)  # C(1) is 0/0 without gain; nothing found scores 0
    return total


def checked(gains: Any, model: UserModel) -> Floats:
    """Gains as an array that the model can use."""
    try:
        gain = np.asarray(gains, np.float64)
    except (TypeError, ValueError):
        raise InputError("gains are not an array of numbers", "give lists of one length, one number per rank") from None
    if gain.ndim == 0:
        raise InputError("a list needs an axis of ranks", "give at least a one-dimensional array")
    low, high = float(gain.min(initial=0.0)), float(gain.max(initial=0.0))
    if not low >= 0 or not high <= (1 if model.unit else np.inf) or not np.isfinite(high):
        wrong = low if not low >= 0 else high
        allowed = "in [0, 1]" if model.unit else "from 0 and finite"
        raise InputError(f"a gain is {wrong:g}: gains for {model} have to be {allowed}", "map grades to gains first")
    return gain


def at(values: Floats, index: Ints) -> Floats:
    """(...) the value at each list's own place; values may be (ranks) alone."""
    if values.ndim == 1:
        return values[index]
    return np.take_along_axis(np.broadcast_to(values, (*index.shape, values.shape[-1])), index[..., None], -1)[..., 0]


# text


def _text(what: Any, role: str) -> str:
    if not isinstance(what, str):
        raise InputError(f"{what!r} is no {role}", f"give the {role} as text or as an object")
    return what


@lru_cache(256)
def _read_model(text: str) -> UserModel:
    name, numbers, parameters = _call(text, "user model", "RBP(p=0.8)")
    if name in ("C", "W", "L"):
        if parameters:
            raise InputError(f"{text!r}: {name} takes numbers without names", f"write {name}(0.5,0.3,0.2)")
        return custom_model(name, numbers)  # type: ignore[arg-type]
    return _part_from(text, name, numbers, parameters, MODELS, "user model")


@lru_cache(256)
def _read_aggregation(text: str) -> Aggregation:
    return _part_from(text, *_call(text, "aggregation", "PE(beta=0.5)"), AGGREGATIONS, "aggregation")


def _part_from(
    text: str, name: str, numbers: list[float], parameters: dict[str, Any], known: Mapping[str, type[PartT]], role: str
) -> PartT:
    folded = {key.lower(): key for key in known}
    name = name if name in known else folded.get(name.lower(), name)
    if name not in known:
        from difflib import get_close_matches

        near = [folded[key] for key in get_close_matches(name.lower(), folded, 3, 0.5)]
        cure = f"did you mean {', '.join(near)}? " if near else ""
        raise InputError(f"no {role} is named {name!r}", f"{cure}known are {', '.join(known)}")
    takes = tuple(field.name for field in fields(known[name]))  # type: ignore[arg-type]
    if len(numbers) > len(takes) or set(parameters) - set(takes) or set(takes[: len(numbers)]) & set(parameters):
        cure = f"{name} takes {', '.join(takes)}" if takes else f"{name} takes no parameters"
        raise InputError(f"{text!r} has parameters that {name} has not", cure)
    return known[name](*numbers, **parameters)


def _call(text: str, role: str, example: str) -> tuple[str, list[float], dict[str, Any]]:
    """Name, numbers and named parameters; 'Precision@5' is 'Precision(5)'."""
    unreadable = InputError(f"{text!r} is no {role}", f"write it as in {example}")
    try:
        node = ast.parse(text.strip(), mode="eval").body
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult) and isinstance(node.left, ast.Name):
            return node.left.id, [ast.literal_eval(node.right)], {}
        if isinstance(node, ast.Name):
            return node.id, [], {}
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            raise unreadable
        numbers = [ast.literal_eval(argument) for argument in node.args]
        named = {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in node.keywords}
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        raise unreadable from None
    return node.func.id, numbers, named
