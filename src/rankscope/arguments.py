"""Checks of arguments: each returns the value, or raises InputError with what is wrong and what is expected.

Numbers may be Python's or numpy's; True and False are no numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from numbers import Integral, Real
from types import TracebackType
from typing import Any, ParamSpec, TypeVar, cast

from rankscope.errors import InputError, Problem, argument

Choice = TypeVar("Choice", bound=str)
Checked = TypeVar("Checked")
Passed = ParamSpec("Passed")
_SUCH_AS = {"alpha": 0.05, "level": 0.95, "power": 0.8}


def is_whole(value: object) -> bool:
    """Whether this is a whole number."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def is_number(value: object) -> bool:
    """Whether this is a finite number, which a double can hold."""
    try:
        return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)
    except OverflowError:  # a whole number beyond all doubles
        return False


def whole_number(name: str, value: Any, least: int = 1, most: int | None = None, *, otherwise: str = "") -> int:
    """A whole number in a range; `otherwise` names in the cure what else the caller takes.

    >>> whole_number("workers", 0, otherwise="None for all processors")
    Traceback (most recent call last):
    rankscope.errors.InputError: workers=0
    1 problem; workers is a whole number from 1, or None for all processors
    """
    if not is_whole(value) or value < least or (most is not None and value > most):
        up_to = "" if most is None else f" to {most:,}"
        _refuse(name, value, f"a whole number from {least}{up_to}", otherwise)
    return int(value)


def number(name: str, value: Any, least: float = -math.inf, most: float = math.inf, *, otherwise: str = "") -> float:
    """A finite number in a range, ends included.

    >>> number("margin", -1, 0)
    Traceback (most recent call last):
    rankscope.errors.InputError: margin=-1
    1 problem; margin is a number from 0
    """
    if not is_number(value) or not least <= value <= most:
        start = f" from {least:g}" if least > -math.inf else ""
        end = f" to {most:g}" if most < math.inf else ""
        _refuse(name, value, f"a number{start}{end}", otherwise)
    return float(value)


def positive(name: str, value: Any, most: float = math.inf, *, otherwise: str = "", above: float = 0.0) -> float:
    """A finite number above 0, or above another number, up to `most`."""
    if not is_number(value) or not above < value <= most:
        end = f", at most {most:g}" if most < math.inf else ""
        _refuse(name, value, f"a number above {above:g}{end}", otherwise)
    return float(value)


def share(name: str, value: Any) -> float:
    """A number between 0 and 1, both excluded: a level of significance or of confidence, a power.

    >>> share("alpha", 2)
    Traceback (most recent call last):
    rankscope.errors.InputError: alpha=2
    1 problem; alpha is between 0 and 1, such as 0.05
    """
    if not is_number(value) or not 0 < value < 1:
        _refuse(name, value, "between 0 and 1" + (f", such as {_SUCH_AS[name]:g}" if name in _SUCH_AS else ""))
    return float(value)


def alpha(value: Any) -> float:
    """A level of significance."""
    return share("alpha", value)


def level(value: Any) -> float:
    """A level of confidence."""
    return share("level", value)


def one_of(name: str, value: Any, choices: Iterable[Choice]) -> Choice:
    """One of some texts.

    >>> one_of("ties", "tred", ("trec", "rank"))
    Traceback (most recent call last):
    rankscope.errors.InputError: ties='tred' is unknown
    1 problem; ties is one of trec, rank
    """
    known = tuple(choices)
    if not isinstance(value, str) or value not in known:
        raise InputError(f"{argument(name, value)} is unknown", f"{argument(name)} is one of {', '.join(known)}")
    return value


def some_of(name: str, values: Any, choices: Sequence[Choice]) -> tuple[Choice, ...]:
    """Some of some texts, each once, at least one; a text may stand alone.

    >>> some_of("tests", "t", ("t", "sign"))
    ('t',)
    """
    cure = f"{argument(name)} are {', '.join(choices)}"
    if not isinstance(values, Iterable):
        raise InputError(argument(name, values), cure)
    chosen: list[Any] = [values] if isinstance(values, str) else list(values)
    problems = [
        Problem(f"{argument(name)}: {value!r} is unknown{_nearest(value, choices)}", cure)
        for value in chosen
        if value not in choices
    ]
    if problems or not chosen:
        raise InputError(problems or [Problem(f"no {name}", cure)])
    return tuple(dict.fromkeys(chosen))


class Checks:
    """Calls checks one by one, and raises one error at the end with all that is wrong.

    >>> with Checks() as check:
    ...     level, depth = check(alpha, 2), check(whole_number, "depth", 0)
    Traceback (most recent call last):
    rankscope.errors.InputError: alpha=2
    depth=0
    2 problems; alpha is between 0 and 1, such as 0.05; depth is a whole number from 1
    """

    def __enter__(self) -> Checks:
        self._problems: list[Problem] = []
        return self

    def __call__(self, function: Callable[Passed, Checked], *args: Passed.args, **kwargs: Passed.kwargs) -> Checked:
        """Result of the check; None where it fails, which raises at the end of the block."""
        try:
            return function(*args, **kwargs)
        except InputError as error:
            self.add(*error.problems)
            return cast(Checked, None)

    def add(self, *problems: Problem) -> None:
        """Problems that no check has found, to be raised at the end of the block, too."""
        self._problems += problems

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._problems and error is None:
            raise InputError(self._problems)


def at_once(*checks: Callable[[], object]) -> None:
    """Run all checks, and raise one error with everything that is wrong.

    >>> at_once(lambda: alpha(2), lambda: whole_number("samples", 0))
    Traceback (most recent call last):
    rankscope.errors.InputError: alpha=2
    samples=0
    2 problems; alpha is between 0 and 1, such as 0.05; samples is a whole number from 1
    """
    with Checks() as check:
        for function in checks:
            check(function)


def extra(module: str, missing: Problem) -> Any:
    """A module of an optional package; an InputError with this problem where it is not installed.

    One that is installed and cannot be loaded, for want of memory say, is an ImportError: installing it cures nothing.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise InputError(missing) from error
    except ImportError as error:
        raise ImportError(f"{module} is installed and cannot be loaded ({error})") from error


def _refuse(name: str, value: object, expected: str, otherwise: str = "") -> None:
    if argument(name) != name:
        otherwise = otherwise.replace("None", "left out", 1)
    raise InputError(argument(name, value), f"{argument(name)} is {expected}" + f", or {otherwise}" * bool(otherwise))


def _nearest(name: object, known: Sequence[str]) -> str:
    from difflib import get_close_matches

    nearest = get_close_matches(str(name), known, 1)
    return f"; did you mean {nearest[0]}?" if nearest else ""
