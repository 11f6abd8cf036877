"""What can be wrong with an input, and the one exception that says so."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

SHOWN = 20


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong: where, what, and what would cure it."""

    cause: str
    cure: str = ""
    place: str = ""
    line: int | None = None

    def __str__(self) -> str:
        where = self.place if self.line is None else f"{self.place}:{self.line}"
        return f"{where}: {self.cause}" if where else self.cause


class InputError(ValueError):
    """Input that rankscope cannot use. `problems` lists everything that was found wrong with it.

    The message shows the first 20 problems, how many there are, and each cure once.

    >>> print(InputError([Problem("5 fields, expected 6", "give all six", "bm25.txt", 7)]))
    bm25.txt:7: 5 fields, expected 6
    1 problem; give all six
    """

    problems: tuple[Problem, ...]

    def __init__(self, problems: Iterable[Problem] | Problem | str, cure: str = "") -> None:
        if isinstance(problems, str):
            problems = Problem(problems, cure)
        self.problems = (problems,) if isinstance(problems, Problem) else tuple(problems)
        super().__init__(self._message())

    def _message(self) -> str:
        lines = [str(p) for p in self.problems[:SHOWN]]
        count = len(self.problems)
        if count > SHOWN:
            lines.append(f"... and {count - SHOWN} more")
        cures = list(dict.fromkeys(p.cure for p in self.problems if p.cure))
        if cures:
            lines.append(f"{count} problem{'s' * (count != 1)}; " + "; ".join(cures))
        return "\n".join(lines)

    def __reduce__(self) -> tuple[type[InputError], tuple[tuple[Problem, ...]]]:
        return type(self), (self.problems,)  # so that it survives the way back from a worker


class DataWarning(UserWarning):
    """Something was left out, filled or skipped: said once a call, with numbers."""


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """The nearest known names, or the first few where none is near.

    >>> did_you_mean("bm52", ["dense", "bm25"])
    'did you mean bm25?'
    """
    from difflib import get_close_matches

    names = list(known)
    return f"did you mean {', '.join(get_close_matches(str(name), names, 3) or names[:3])}?"
