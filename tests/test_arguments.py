from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rankscope import arguments
from rankscope.errors import InputError


@pytest.mark.parametrize("value", [1, 7, np.int8(3), np.uint64(9)])
def test_whole_numbers_of_python_and_numpy_are_taken(value: Any) -> None:
    assert arguments.whole_number("depth", value) == int(value)
    assert type(arguments.whole_number("depth", value)) is int


@pytest.mark.parametrize("value", [0, -1, 1.0, True, "3", None, np.float64(2), float("nan")])
def test_what_is_no_whole_number_is_named_with_the_range(value: Any) -> None:
    with pytest.raises(InputError) as error:
        arguments.whole_number("depth", value, 1, 1000, otherwise="None for all")
    (problem,) = error.value.problems
    assert problem.cause == f"depth={value!r}"
    assert problem.cure == "depth is a whole number from 1 to 1,000, or None for all"


def test_both_ends_of_a_range_belong_to_it() -> None:
    assert [arguments.whole_number("k", k, 2, 3) for k in (2, 3)] == [2, 3]
    assert [arguments.number("x", x, -1, 1) for x in (-1, 1)] == [-1.0, 1.0]
    for wrong in (1, 4):
        with pytest.raises(InputError):
            arguments.whole_number("k", wrong, 2, 3)


@pytest.mark.parametrize("value", [0, 1, -0.1, 1.5, True, "0.5", None, float("nan"), float("inf")])
def test_shares_exclude_both_ends_and_what_is_no_number(value: Any) -> None:
    with pytest.raises(InputError, match=r"p is between 0 and 1$"):
        arguments.share("p", value)


@pytest.mark.parametrize(
    ("check", "cure"),
    [
        (lambda: arguments.alpha(1), "alpha is between 0 and 1, such as 0.05"),
        (lambda: arguments.level(0), "level is between 0 and 1, such as 0.95"),
        (lambda: arguments.positive("scale", 0), "scale is a number above 0"),
        (lambda: arguments.positive("scale", 21, 20), "scale is a number above 0, at most 20"),
        (lambda: arguments.positive("scale", float("inf")), "scale is a number above 0"),
        (lambda: arguments.number("tau", 2, -1, 1), "tau is a number from -1 to 1"),
        (lambda: arguments.number("rel", "1"), "rel is a number"),
        (lambda: arguments.one_of("ties", "x", ("trec", "rank")), "ties is one of trec, rank"),
        (lambda: arguments.one_of("ties", None, ("trec", "rank")), "ties is one of trec, rank"),
        (lambda: arguments.some_of("tests", [], ("t", "sign")), "tests are t, sign"),
        (lambda: arguments.some_of("tests", 3, ("t", "sign")), "tests are t, sign"),
        (lambda: arguments.some_of("tests", ["t", "w"], ("t", "sign")), "tests are t, sign"),
    ],
)
def test_cures_say_what_is_expected(check: Any, cure: str) -> None:
    with pytest.raises(InputError) as error:
        check()
    assert [problem.cure for problem in error.value.problems] == [cure]


def test_values_come_back_in_plain_types() -> None:
    assert type(arguments.share("p", np.float32(0.5))) is float
    assert type(arguments.number("x", 2)) is float
    assert arguments.some_of("tests", ["t", "t", "sign"], ("t", "sign")) == ("t", "sign")
    assert arguments.one_of("ties", "rank", ("trec", "rank")) == "rank"


def test_the_nearest_choice_is_offered() -> None:
    with pytest.raises(InputError, match=r"tests: 'sgin' is unknown; did you mean sign\?"):
        arguments.some_of("tests", "sgin", ("t", "sign"))


def test_everything_wrong_is_said_at_once() -> None:
    with pytest.raises(InputError) as error:
        arguments.at_once(lambda: arguments.alpha(2), lambda: 1, lambda: arguments.whole_number("depth", 0))
    assert [problem.cause for problem in error.value.problems] == ["alpha=2", "depth=0"]
    arguments.at_once(lambda: arguments.alpha(0.1))
