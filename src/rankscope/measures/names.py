"""From text to measures and back: ir_measures' notation."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from typing import Any, TypeVar, overload

from rankscope.errors import InputError, Problem
from rankscope.measures.record import Kernel, Measure

MEASURES: dict[str, Measure] = {}
"""Every measure there is, by name."""

ALIASES = {"HIT": "Success"}
"""Other names for them; our own is the one that is printed."""

KernelT = TypeVar("KernelT", bound=Kernel)


def add(record: Measure) -> Measure:
    """Make a measure known by its name."""
    if record.name in MEASURES:
        raise InputError(f"a measure is named {record.name} already", "choose another name")
    if not record.name.isidentifier():
        raise InputError(f"{record.name!r} cannot be a measure's name", "use letters, digits and _")
    MEASURES[record.name] = record
    return record


@overload
def register(kernel: KernelT, /) -> KernelT: ...
@overload
def register(**record: Any) -> Callable[[KernelT], KernelT]: ...
def register(kernel: Any = None, /, **record: Any) -> Any:
    """Make a function a measure, by its own name or `name=`; any field of `Measure` can be given.

    The function takes arrays by name (`relevant`, `gain`, `total`, ...: see `rankscope.measures.INPUTS`), ranks
    last, and gives a score for each list. Keyword-only arguments are its parameters.

    >>> @register(bounds=(0, 1))
    ... def FirstTwo(relevant, *, rel=1):
    ...     return relevant[..., :2].mean(axis=-1)
    >>> float(measure("FirstTwo").score([0, 1, 1]))
    0.5
    """

    def made(function: Any) -> Any:
        lines = (function.__doc__ or "").strip().splitlines()
        defaults: dict[str, Any] = {
            "name": function.__name__,
            "formula": "",
            "user_model": lines[0] if lines else "",
            "bounds": (float("-inf"), float("inf")),
            "reference": "",
            "oracle": "",
        }
        add(Measure(kernel=function, **(defaults | record)))
        return function

    return made if kernel is None else made(kernel)


def measure(text: str | Measure) -> Measure:
    """The measure that a text like 'nDCG(dcg="exp-log2")@10' names."""
    found = parse([text])
    if len(found) != 1:
        raise InputError(f"{text} names {len(found)} measures", "give one")
    return found[0]


def parse(texts: Iterable[str | Measure]) -> list[Measure]:
    """The measures that texts name, in order, each once; 'P@[5,10]' names two. All that is wrong is said at once."""
    found: dict[Measure, None] = {}
    problems: list[Problem] = []
    for text in texts:
        try:
            one = [text] if isinstance(text, Measure) else _parsed(text)
            problems += [Problem(f"{m} needs a cutoff", f"write {m}@{_example(m)}") for m in one if not m.complete]
            found |= dict.fromkeys(one)
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    return list(found)


def _example(measure: Measure) -> str:
    return "0.1" if measure.cutoff_rule == "recall" else "10"


def _parsed(text: str) -> list[Measure]:
    try:
        node = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise _unreadable(text) from None
    cutoffs: list[Any] = []
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
        value = _literal(node.right, text)
        cutoffs = value if isinstance(value, list) else [value]
        node = node.left
    given: dict[str, Any] = {}
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        if node.args or any(k.arg is None for k in node.keywords):
            raise InputError(f"{text}: parameters need names", "write them as in RBP(p=0.8)")
        given = {str(k.arg): _literal(k.value, text) for k in node.keywords}
        node = node.func
    if not isinstance(node, ast.Name):
        raise _unreadable(text)
    name = ALIASES.get(node.id, node.id)
    if name not in MEASURES:
        raise _unknown(name)
    chosen = MEASURES[name](**given) if given else MEASURES[name]
    _ = chosen.gain_kind  # a gain that does not exist is said now, not when scores are wanted
    return [chosen @ cutoff for cutoff in cutoffs] if cutoffs else [chosen]


def _literal(node: ast.expr, text: str) -> Any:
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        raise _unreadable(text) from None


def _unreadable(text: str) -> InputError:
    return InputError(f"{text!r} is no measure", "measures are written like AP, nDCG@10, AP(rel=2)@100 or P@[5,10]")


def _unknown(name: str) -> InputError:
    folded = {known.lower(): known for known in MEASURES}
    near = [folded[n] for n in get_close_matches(name.lower(), folded, 3, 0.5)]
    cure = f"did you mean {', '.join(near)}?" if near else f"known are {', '.join(MEASURES)}"
    return InputError(f"no measure is named {name!r}", cure)
