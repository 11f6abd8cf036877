"""One direction: positive means for the second system, in every public function that takes two or compares all pairs.

Each function is called with a clearly better second system. Numbers of the result that have a sign are positive, and
`favours` names the second system; the same holds for what figures of the result draw. The functions are found by their
signatures, so that a new one without a case fails.
"""

from __future__ import annotations

import dataclasses
import importlib
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from cases import CASES, Case, paired

import rankscope as rs
from rankscope import figures
from rankscope.results import Result

ROOMS = (
    "statistics", "preferences", "universe", "studies", "simulation", "figures", "measures", "judged", "io",
    "validation", "comparisons", "reporting",
)  # fmt: skip

# pairs of parameters that name two systems, or their lists or scores
TWO = (("a", "b"), ("baseline", "candidate"), ("first", "second"))

# fields and properties whose sign says which system is better
SIGNED = frozenset({
    "advantage", "ahead", "change", "cohen_dz", "difference", "differences", "highest", "leader", "lower", "lowest",
    "mean_difference", "preference", "preferred", "q", "sign", "sum", "sums", "t", "toward", "upper", "value", "z",
})  # fmt: skip

# functions of two systems or of all pairs whose result has no direction, and why
UNDIRECTED = {
    "preferences.path": "classes of IPSO, in the words of the paper: no number with a sign",
    "studies.Similarity.of": "agreement of two measures",
    "statistics.anova_one_way": "one test of all systems together",
    "statistics.anova_two_way": "one test of all systems together",
    "statistics.bootstrap_rank_intervals": "ranks of systems",
    "statistics.consistency": "agreement of two halves of the topics",
    "statistics.leave_one_out": "agreement of two halves of the topics",
    "statistics.pilot_variance": "a variance",
    "statistics.split_halves": "agreement of two halves of the topics",
    "statistics.swap_rate": "a share of swaps",
}


def takes_two(parameters: Any) -> bool:
    return any(one in parameters and other in parameters for one, other in TWO)


def compares(function: Callable[..., Any]) -> bool:
    """Whether a function takes two systems, or all of them at once."""
    parameters = inspect.signature(function).parameters
    name = function.__name__
    return takes_two(parameters) or "matrix" in parameters or "all_pairs" in name or name == "serps"


def candidates() -> dict[str, Callable[..., Any]]:
    """Public functions and methods that compare systems, by their shortest names."""
    named: dict[str, Callable[..., Any]] = {}
    seen = set()
    for room in ("rankscope", *(f"rankscope.{room}" for room in ROOMS)):
        module = importlib.import_module(room)
        for name in module.__all__:
            thing = getattr(module, name)
            if id(thing) in seen:
                continue
            seen.add(id(thing))
            short = f"{room}.{name}".removeprefix("rankscope.")
            if inspect.isfunction(thing) and compares(thing):
                named[short] = thing
            elif inspect.isclass(thing):
                for key, method in vars(thing).items():
                    if inspect.isfunction(method) and key[0] != "_" and takes_two(inspect.signature(method).parameters):
                        named[f"{short}.{key}"] = method
    return named


def attributes(result: Any) -> Iterator[tuple[str, Any]]:
    """Fields and properties of a result."""
    for field in dataclasses.fields(result):
        yield field.name, getattr(result, field.name)
    for name in SIGNED | {"favours"}:
        if isinstance(getattr(type(result), name, None), property):
            yield name, getattr(result, name)


def signed(result: Any, path: str = "") -> Iterator[tuple[str, np.ndarray[Any, Any]]]:
    """Numbers with a sign, by where they are; of a square of all pairs, the cell (first, second)."""
    if isinstance(result, list | tuple):
        for i, item in enumerate(result):
            yield from signed(item, f"{path}[{i}]")
    elif dataclasses.is_dataclass(result) and not isinstance(result, rs.Measure | rs.Judged | rs.Scores):
        for name, value in attributes(result):
            if name in SIGNED and value is not None and not dataclasses.is_dataclass(value):
                numbers = np.asarray(value, dtype=float)
                square = numbers.ndim >= 2 and numbers.shape[-2:] == (2, 2)
                yield f"{path}.{name}", numbers[..., 0, 1] if square else numbers
            else:
                yield from signed(value, f"{path}.{name}")
        for name, column in result.columns().items() if isinstance(result, Result) else ():
            if name in SIGNED and all(isinstance(value, float | int) for value in column):
                yield f"{path}.columns.{name}", np.asarray(column, dtype=float)
    elif isinstance(result, float | int | np.ndarray) and not path:
        yield "result", np.asarray(result, dtype=float)


def favoured(result: Any) -> Iterator[Any]:
    """Whom a result and its table name as better."""
    if dataclasses.is_dataclass(result):
        for name, value in attributes(result):
            if name == "favours":
                yield from [value] if isinstance(value, str) or value is None else value
    if isinstance(result, Result):
        yield from result.columns().get("favours", ())


def drawn(result: Any) -> Iterator[tuple[str, np.ndarray[Any, Any]]]:
    """Numbers with a sign that figures of a result draw, and 1 or -1 for whom their outcomes name."""
    for figure in figures.names(result) if isinstance(result, Result) else ():
        columns = result.plot(figure).table
        for name in SIGNED & columns.keys():
            numbers = [value for value in columns[name] if value is not None]
            if all(isinstance(value, float | int) for value in numbers):
                yield f"{figure}: {name}", np.asarray(numbers, dtype=float)
        if "outcome" in columns and "first" not in columns:  # figures of all pairs put the better system first
            named = [
                1 if "B ahead" in str(outcome) else -1 for outcome in columns["outcome"] if "ahead" in str(outcome)
            ]
            yield f"{figure}: outcome", np.asarray(named, dtype=float)


def wrong_direction(case: Case) -> list[str]:
    """What in the result of a call does not speak for the second system."""
    result = case.call()
    numbers = dict(signed(result))
    more = case.numbers(result)
    for i, number in enumerate(more if isinstance(more, list) else [more]):
        numbers[f"number {i}"] = np.asarray(number, float)
    shown = numbers | dict(drawn(result))
    wrong = [f"{name} = {value}" for name, value in shown.items() if (value < 0).any()]
    if not any((value > 0).any() for value in numbers.values()):
        wrong.append(f"no number with a sign is positive: {sorted(numbers)}")
    wrong += [f"favours {name}" for name in favoured(result) if name not in ("b-better", "B")]
    return wrong


def test_every_function_has_a_case():
    functions = set(candidates())
    assert not functions - set(CASES) - set(UNDIRECTED), "name a case, or why there is no direction"
    assert set(UNDIRECTED) <= functions
    assert not set(CASES) & set(UNDIRECTED)


@pytest.mark.parametrize("name", sorted(CASES))
def test_positive_means_for_the_second(name):
    assert not wrong_direction(CASES[name])


@dataclass
class Planted:
    difference: float
    favours: str | None


def test_a_planted_reversal_is_caught():
    def reverse(a, b):
        return Planted(float(np.mean(a - b)), "a-worse")

    def right(a, b):
        return Planted(float(np.mean(b - a)), "b-better")

    def silent(a, b):
        return Planted(0.0, None)

    assert compares(reverse)
    assert not wrong_direction(paired(right))
    assert len(wrong_direction(paired(reverse))) == 3  # the number, no other number, the name
    assert len(wrong_direction(paired(silent))) == 2
