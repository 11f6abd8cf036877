"""One shape of results: each has every form, and goes through pickle and copy unchanged."""

from __future__ import annotations

import copy
import importlib
import inspect
import json
import math
import pickle
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from cases import CASES

from rankscope.errors import speaking
from rankscope.results import Layered, Result, plain

ROOMS = (
    "statistics", "preferences", "universe", "studies", "simulation", "figures", "measures", "validation",
    "comparisons", "reporting",
)  # fmt: skip

# classes that public functions give and that are no results, and why
OTHERS = {
    "Chart": "a figure",
    "Collection": "a collection",
    "Figure": "how a figure is drawn",
    "Halves": "material for other functions",
    "Judged": "a collection",
    "Measure": "a measure",
    "Model": "what a collection is drawn from",
    "Page": "a page of HTML",
    "StudyMaterial": "material for studies",
    "Universe": "all rankings",
}


def functions() -> Iterator[Callable[..., Any]]:
    for room in ROOMS:
        module = importlib.import_module(f"rankscope.{room}")
        yield from filter(inspect.isfunction, (getattr(module, name) for name in module.__all__))


def test_public_functions_give_results():
    classes = {getattr(inspect.getmodule(f), str(f.__annotations__.get("return")), None) for f in functions()}
    ours = {c for c in classes if inspect.isclass(c) and c.__module__.startswith("rankscope.")}
    assert len(ours) > 50
    assert {c.__name__ for c in ours if not issubclass(c, Result)} == set(OTHERS)


RESULTS = {name: case for name, case in CASES.items() if name.count(".") < 2}  # methods give plain arrays


@pytest.mark.parametrize("name", sorted(RESULTS))
def test_every_form(name):
    result = RESULTS[name].call()
    assert isinstance(result, Result)
    columns = result.columns()
    assert columns
    assert len({len(column) for column in columns.values()}) == 1
    assert result.to_frame().columns == list(columns)
    json.dumps(result.to_dict())
    numbers = result.metrics()
    assert all(isinstance(key, str) and isinstance(value, float | int) for key, value in numbers.items())
    header, rows = result.table()
    assert all(len(row) == len(header) for row in rows)
    assert str(result)
    assert "| ---" in result.to_markdown()
    assert r"\begin{tabular}" in result.to_latex()


@pytest.mark.parametrize("name", sorted(RESULTS))
def test_python_speaks_of_methods_and_commands_of_options(name):
    """A layer says how to ask for more: by `to_text("full")` in Python, by `--full` in a command, never by both."""
    result = RESULTS[name].call()
    if not isinstance(result, Layered):
        return
    for layer in ("short", "full", "explain"):
        assert not re.findall(r"(?<!\S)--[a-z]+", result.to_text(layer))
        with speaking({}):
            assert not re.findall(r"to_\w+\(|deciding\(", result.to_text(layer))


def keys(value: Any) -> Iterator[tuple[str, Any]]:
    """Every key of nested dictionaries, with what it holds."""
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ():
        yield from keys(inner)
    if isinstance(value, dict):
        yield from value.items()


def number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


@pytest.mark.parametrize("name", sorted(RESULTS))
def test_one_word_per_thing(name):
    result = RESULTS[name].call()
    for key, value in [*keys(result.to_dict()), *((key, column[0]) for key, column in result.columns().items())]:
        assert key not in ("p", "better", "n"), key
        assert not key.startswith("p_"), key
        if key in ("topics", "systems"):
            assert not number(value), key
        if key.startswith("n_") or key == "left_out":
            assert type(value) is int, key
        if key == "test" and isinstance(value, str):
            assert " " not in value, value
        if key == "favours":
            assert value is None or isinstance(value, str), value


@pytest.mark.parametrize("name", sorted(RESULTS))
def test_pickle_and_copy(name):
    result = RESULTS[name].call()
    for twin in (pickle.loads(pickle.dumps(result)), copy.copy(result), copy.deepcopy(result)):
        assert type(twin) is type(result)
        assert same(plain(twin), plain(result))
        assert str(twin) == str(result)


def same(a: Any, b: Any) -> bool:
    """Whether two plain values are equal, NaN to NaN."""
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(map(same, a, b))
    return a == b or (isinstance(a, float) and math.isnan(a) and math.isnan(b))
