"""Checks of the arguments of studies: cause and cure, everything that is wrong at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from rankscope.arguments import Checks, is_number, whole_number
from rankscope.errors import InputError, Problem
from rankscope.statistics import Resampling
from rankscope.statistics.draws.resampling import resampling_of

Draws: TypeAlias = Resampling | Mapping[str, Resampling] | None
"""Resamples and seed of all that a study draws: one for all of it, some by name, or the usual ones."""
MOST_SAMPLES = 1 << 32


def samples_of(resampling: Resampling | None) -> Resampling:
    """Number and seed of the samples of judgments or topics; ten by default."""
    samples = resampling_of(resampling, Resampling(10))
    whole_number("resamples", samples.resamples, 1, MOST_SAMPLES - 1)
    return samples


def draws_of(resampling: Draws, usual: Mapping[str, Resampling]) -> dict[str, Resampling]:
    """Resamples and seed of each kind of draw: the usual ones, one for all, or some by name.

    >>> usual = {"splits": Resampling(1000), "permutations": Resampling(2000)}
    >>> draws_of({"splits": Resampling(50, seed=7)}, usual)["splits"]
    Resampling(resamples=50, seed=7)
    """
    if not isinstance(resampling, Mapping):
        return {name: resampling_of(resampling, draws) for name, draws in usual.items()}
    problems = [
        Problem(f"resampling of {name!r}", f"there are {', '.join(usual)}")
        for name in resampling if name not in usual
    ]  # fmt: skip
    if problems:
        raise InputError(problems)
    with Checks() as check:
        return {
            name: check(resampling_of, resampling.get(name), draws, name=f"resampling[{name!r}]")
            for name, draws in usual.items()
        }


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
