"""Problems of an input, and the one exception that reports them."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from rankscope.formatting import plain, visible, without_secrets

SHOWN = 20


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem of an input: cause, cure, file and line; or `count` problems of one kind.

    place  path of the file; an address of the web is kept without what may be secret in it
    """

    cause: str
    cure: str = ""
    place: str = ""
    line: int | None = None
    count: int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "place", without_secrets(self.place))

    def __str__(self) -> str:
        where = self.place if self.line is None else f"{self.place}:{self.line}"
        return visible(f"{where}: {self.cause}" if where else self.cause)


class InputError(ValueError):
    """Input that rankscope cannot use. `problems` lists all problems.

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
        count = sum(p.count for p in self.problems)
        if more := sum(p.count for p in self.problems[SHOWN:]):
            lines.append(f"... and {more:,} more")
        cures = list(dict.fromkeys(visible(p.cure) for p in self.problems if p.cure))
        if cures:
            lines.append(f"{plural(count, 'problem')}; " + "; ".join(cures))
        return "\n".join(lines)

    def __reduce__(self) -> tuple[type[InputError], tuple[tuple[Problem, ...]]]:
        return type(self), (self.problems,)  # so that it survives the way back from a worker


class FileError(InputError):
    """A file or folder that cannot be written, or is not what it has to be.

    It ends the whole call. Other errors of a part, such as one study of several, may only leave that part out.
    """


def reason(error: InputError, cures: bool = False) -> str:
    """Causes of an error, with their cures if asked for, in one sentence without its full stop.

    >>> reason(InputError("2 topics", "give 3 or more"), cures=True)
    '2 topics (give 3 or more)'
    """
    return "; ".join(f"{p} ({visible(p.cure)})" if cures and p.cure else str(p) for p in error.problems)


class DataWarning(UserWarning):
    """Something was left out, filled or skipped: one warning per call, with numbers."""

    def __str__(self) -> str:
        return plain(super().__str__())


_quiet: ContextVar[bool] = ContextVar("quiet", default=False)


def warn(*notes: str, stacklevel: int = 1, category: type[Warning] = DataWarning) -> None:
    """Warn the caller, or one further up, of these notes, one line each; of none, where there are none.

    Within `quietly` no DataWarning is given. The filters of Python's warnings apply as usual.
    """
    if notes and not (_quiet.get() and issubclass(category, DataWarning)):
        warnings.warn("\n".join(map(visible, notes)), category, stacklevel=stacklevel + 1)


@contextmanager
def quietly(quiet: bool = True) -> Iterator[None]:
    """Without DataWarnings: for what was said before, or is said in a result.

    That holds for this thread, and for threads that `parallel` starts for it. The filters of Python's warnings belong
    to the whole process: two threads that change them and change them back in turn would leave them changed.
    """
    token = _quiet.set(quiet or _quiet.get())
    try:
        yield
    finally:
        _quiet.reset(token)


def is_quiet() -> bool:
    """Whether DataWarnings are left out in this thread."""
    return _quiet.get()


def settle_quiet(quiet: bool) -> None:
    """Leave out DataWarnings in all that this thread does from now on, or not."""
    _quiet.set(quiet)


_options: ContextVar[Mapping[str, str] | None] = ContextVar("options", default=None)  # of a command
_OPTIONS = {"checkpoints": "checkpoint", "measure": "measures", "transposed": "transpose", "client": "cluster",
            "width": "plot_width"}  # fmt: skip


def argument(name: str, value: object = ...) -> str:
    """An argument in the words of the caller: those of Python, or within `speaking` the option of a command.

    >>> argument("names", "tag"), argument("names")
    ("names='tag'", 'names')
    >>> with speaking({"names": "--names", "force": "--force"}):
    ...     print(argument("names", "tag"), argument("names"), argument("force", True), argument("depth", 3))
    --names tag --names --force depth=3
    """
    option = (_options.get() or {}).get(_OPTIONS.get(name, name))
    if option is None:
        return name if value is ... else f"{name}={value!r}"
    if value is ... or value is True:
        return option
    return option.replace("--", "--no-", 1) if value is False else f"{option} {typed(value)}"


def typed(value: object) -> str:
    """A value of an argument, as it is typed where the caller types it."""
    if _options.get() is None:
        return repr(value)
    if isinstance(value, Mapping):
        lists = {key: item if isinstance(item, list | tuple) else [item] for key, item in value.items()}
        return ",".join(f"{typed(key)}={typed(item)}" for key, items in lists.items() for item in items)
    if isinstance(value, list | tuple):
        return " ".join(map(typed, value))
    text = str(value)
    return text.removesuffix(".0") if isinstance(value, float) else text if text and " " not in text else repr(text)


_OUTPUTS = {"full": 'to_text("full")', "explain": 'to_text("explain")', "latex": "to_latex()", "topics": "deciding()"}


def output(name: str) -> str:
    """A further output of a result in the words of the caller: a method in Python, or the option of a command.

    >>> output("full")
    'to_text("full")'
    >>> with speaking({}):
    ...     print(output("full"))
    --full
    """
    return _OUTPUTS[name] if _options.get() is None else f"--{name}"


@contextmanager
def speaking(options: Mapping[str, str] | None) -> Iterator[None]:
    """Have errors and warnings speak of these options, by name of the argument; in this thread and those it starts."""
    token = _options.set(options)
    try:
        yield
    finally:
        _options.reset(token)


def spoken_options() -> Mapping[str, str] | None:
    """The options of the command that runs, None in Python."""
    return _options.get()


def settle_options(options: Mapping[str, str] | None) -> None:
    """Speak of these options in all that this thread does from now on."""
    _options.set(options)


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """The nearest known names, or the first few where none is near.

    >>> did_you_mean("bm52", ["dense", "bm25"])
    'did you mean bm25?'
    """
    from difflib import get_close_matches

    names = list(known)
    return f"did you mean {', '.join(get_close_matches(str(name), names, 3) or names[:3])}?"


def are(count: int, singular: str) -> str:
    """A count and a noun with "is" or "are".

    >>> are(1, "topic"), are(0, "topic")
    ('1 topic is', '0 topics are')
    """
    return f"{plural(count, singular)} {'is' if count == 1 else 'are'}"


def plural(count: float, singular: str, plural_form: str = "") -> str:
    """A count and a noun in singular or plural; `plural_form` where it is not the singular with an s.

    >>> plural(1, "topic"), plural(1153, "topic"), plural(2.5, "document"), plural(0, "study", "studies")
    ('1 topic', '1,153 topics', '2.5 documents', '0 studies')
    """
    return f"{count:,}".removesuffix(".0") + " " + (singular if count == 1 else plural_form or singular + "s")
