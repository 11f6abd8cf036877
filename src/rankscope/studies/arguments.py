"""What studies refuse of their arguments: cause and cure, and all of it at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from rankscope.errors import InputError, Problem
from rankscope.statistics import Resampling
from rankscope.statistics.draws.resampling import resampling_of

Name = TypeVar("Name", bound=str)
MOST_SAMPLES = 1 << 32


def check_numbers(*, resamples: int, splits: int, samples: int, seed: int, alpha: float) -> None:
    """The numbers that commands take, before files are read."""
    at_once(
        lambda: Resampling(resamples, seed),
        lambda: check_whole(splits, "splits"),
        lambda: check_whole(samples, "samples", 1, MOST_SAMPLES - 1),
        lambda: check_alpha(alpha),
    )


def at_once(*looks: Callable[[], object]) -> None:
    """Look at everything, and raise one error with all that is wrong.

    >>> at_once(lambda: check_alpha(2), lambda: check_whole(0, "samples"))
    Traceback (most recent call last):
    rankscope.errors.InputError: alpha=2
    samples=0
    2 problems; alpha is between 0 and 1, such as 0.05; samples is a whole number from 1
    """
    problems: list[Problem] = []
    for look in looks:
        try:
            look()
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)


def reread(items: Any) -> Any:
    """The same, to be gone through more than once: an iterator gives its items only once.

    >>> reread(iter("ab")), reread(("a", "b"))
    (['a', 'b'], ('a', 'b'))
    """
    return list(items) if isinstance(items, Iterator) else items


def is_number(value: object) -> bool:
    """An integer or a float, of Python or numpy."""
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)


def check_alpha(alpha: Any) -> float:
    """A level of significance."""
    if not is_number(alpha) or not 0 < alpha < 1:
        raise InputError(f"alpha={alpha!r}", "alpha is between 0 and 1, such as 0.05")
    return float(alpha)


def check_level(level: Any) -> float:
    """A level of confidence."""
    if not is_number(level) or not 0 < level < 1:
        raise InputError(f"level={level!r}", "a level lies between 0 and 1, as 0.95 does")
    return float(level)


def check_whole(value: Any, name: str, least: int = 1, most: int | None = None) -> int:
    """A whole number in a range."""
    integral = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not integral or value < least or (most is not None and value > most):
        upto = "" if most is None else f" to {most}"
        raise InputError(f"{name}={value!r}", f"{name} is a whole number from {least}{upto}")
    return int(value)


def samples_of(resampling: Resampling | None) -> Resampling:
    """Number and seed of the samples of judgments or topics; ten by default."""
    samples = resampling_of(resampling, Resampling(10))
    check_whole(samples.resamples, "resamples", 1, MOST_SAMPLES - 1)
    return samples


def draws_of(
    resampling: Resampling | Mapping[str, Resampling] | None, usual: Mapping[str, Resampling]
) -> dict[str, Resampling]:
    """Resamples and seed of each kind of draw: the usual ones, one for all, or some by name.

    >>> usual = {"splits": Resampling(1000), "permutations": Resampling(2000)}
    >>> draws_of({"splits": Resampling(50, seed=7)}, usual)["splits"]
    Resampling(resamples=50, seed=7)
    """
    if resampling is None:
        return dict(usual)
    if not isinstance(resampling, Mapping):
        return dict.fromkeys(usual, resampling_of(resampling))
    problems = [
        Problem(f"resampling of {name!r}", f"there are {', '.join(usual)}")
        for name in resampling if name not in usual
    ]  # fmt: skip
    if problems:
        raise InputError(problems)
    at_once(*(lambda name=name: resampling_of(resampling[name], name=f"resampling[{name!r}]") for name in resampling))
    return {name: resampling_of(resampling.get(name), draws) for name, draws in usual.items()}


def check_fractions(fractions: float | Iterable[float]) -> tuple[float, ...]:
    """Shares in (0, 1], falling; one may stand alone."""
    cure = "a fraction of the judgments or topics is above 0 and at most 1"
    if is_number(fractions):
        shares: list[Any] = [fractions]
    elif isinstance(fractions, str) or not isinstance(fractions, Iterable):
        raise InputError(f"fractions={fractions!r}", cure)
    else:
        shares = list(fractions)
    problems = [Problem(f"fraction {share!r}", cure) for share in shares if not is_number(share) or not 0 < share <= 1]
    if not shares:
        problems.append(Problem("no fractions", "name at least one, above 0 and at most 1"))
    if problems:
        raise InputError(problems)
    return tuple(sorted(map(float, set(shares)), reverse=True))


def some_of(chosen: Any, known: Sequence[Name], singular: str, plural: str) -> tuple[Name, ...]:
    """Known names, each once; one may stand alone.

    >>> some_of("t", ("t", "sign"), "test", "tests")
    ('t',)
    """
    cure = f"{plural} are {', '.join(known)}"
    if not isinstance(chosen, Iterable):
        raise InputError(f"{singular} {chosen!r} is unknown", cure)
    names: list[Any] = [chosen] if isinstance(chosen, str) else list(chosen)
    problems = [
        Problem(f"{singular} {name!r} is unknown{_near(name, known)}", cure) for name in names if name not in known
    ]
    if problems or not names:
        raise InputError(problems or [Problem(f"no {plural}", cure)])
    return tuple(dict.fromkeys(names))


def _near(name: object, known: Sequence[str]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(str(name), known, 1)
    return f"; did you mean {near[0]}?" if near else ""
