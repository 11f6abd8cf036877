"""From text to measures and back: ir_measures' notation, and the names of other tools."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Any, NamedTuple, TypeVar, overload

from rankscope.arguments import Checks
from rankscope.errors import InputError, Problem, argument, warn
from rankscope.measures import aliases
from rankscope.measures.catalogue.interval import Interval, unwrapped
from rankscope.measures.cwla.paper import SHORT
from rankscope.measures.record import Kernel, Measure

_HIGHEST_GRADE = 1000  # up to which min_rel becomes a map of gains

MEASURES: dict[str, Measure] = {}
"""All measures by name."""

KernelT = TypeVar("KernelT", bound=Kernel)


def add(record: Measure) -> Measure:
    """Register a measure under its name."""
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
    """Register a function as a measure, by its own name or `name=`; any field of `Measure` can be given.

    The function takes arrays by name (`relevant`, `gain`, `total`, ...: see `rankscope.measures.INPUTS`), ranks
    last, and gives a score for each list. Keyword-only arguments are its parameters. Lists are as long as the longest
    one that is loaded, filled up with False or 0; `retrieved` tells where each ends. Inputs are read-only.

    >>> @register(bounds=(0, 1))
    ... def FirstTwo(relevant, *, rel=1):
    ...     return relevant[..., :2].mean(axis=-1)
    >>> float(measure("FirstTwo").score([0, 1, 1]))
    0.5
    """

    def add_function(function: Any) -> Any:
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

    return add_function if kernel is None else add_function(kernel)


def measure(text: str | Measure) -> Measure:
    """The measure that a text like 'nDCG(dcg="exp-log2")@10' names."""
    measures = parse(text)
    if len(measures) != 1:
        raise InputError(f"{text} names {len(measures)} measures", "give one")
    return measures[0]


def parse(texts: str | Measure | Iterable[Any]) -> list[Measure]:
    """The measures that one or several texts name, in order, each once; 'P@[5,10]' names two.

    One InputError lists all problems. Where a name comes from a tool that computes something else under it, one
    DataWarning says so.
    """
    measures: dict[Measure, None] = {}
    remarks: dict[str, list[str]] = {}
    problems: list[Problem] = []
    for item in several(texts):
        text = str(item) if _of_ir_measures(item) else item
        try:
            if not isinstance(text, str | Measure):
                raise InputError(f"{text!r} is no measure", "name measures as text, as in nDCG@10")
            for measure, remark in [Resolved(text, "")] if isinstance(text, Measure) else resolve(text):
                if not measure.complete:
                    problems.append(Problem(f"{measure} needs a cutoff", f"write {measure}@{example(measure)}"))
                if remark:
                    remarks.setdefault(remark, []).append(f"{text} is {measure} here")
                measures[measure] = None
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    warn(*(f"{', '.join(dict.fromkeys(names))}: {remark}" for remark, names in remarks.items()), stacklevel=3)
    return list(measures)


def several(measures: Any) -> list[Any]:
    """Measures, or what is given for them: one, which is no list of them, or several."""
    one = isinstance(measures, str | Measure) or _of_ir_measures(measures) or not isinstance(measures, Iterable)
    return [measures] if one else list(measures)


def _of_ir_measures(item: Any) -> bool:
    """Whether this is a measure of ir_measures, whose text is a name here."""
    return type(item).__module__.split(".")[0] == "ir_measures"


def named_measures(texts: str | Measure | Iterable[str | Measure]) -> list[Measure]:
    """The measures that texts name, in order; they may still lack a cutoff. One InputError lists all problems."""
    with Checks() as check:
        named = [[text] if isinstance(text, Measure) else check(_without_remarks, str(text)) for text in several(texts)]
    return [measure for measures in named for measure in measures]


def _without_remarks(text: str) -> list[Measure]:
    return [resolved.measure for resolved in resolve(text)]


def single_measure(text: str | Measure) -> Measure:
    """The one measure that a text names; it may still lack a cutoff."""
    measures = named_measures(text)
    if len(measures) != 1:
        raise InputError(f"{text} names {len(measures)} measures", "give one")
    return measures[0]


class Resolved(NamedTuple):
    """A measure, and a remark where the tool that the name comes from computes something else."""

    measure: Measure
    remark: str


def resolve(text: str) -> list[Resolved]:
    """The measures that a text names, in our notation or another tool's; they may still lack a cutoff.

    >>> resolve("map_cut.5,10")
    [Resolved(measure=AP@5, remark=''), Resolved(measure=AP@10, remark='')]
    """
    text = text.strip()
    head, suffix = _head(text)
    if head in MEASURES:
        return _parsed(text)
    if within := unwrapped(text):
        return [Resolved(Interval.of(measure), remark) for measure, remark in resolve(within)]
    own = {known.lower(): known for known in MEASURES}.get(head.lower())
    # a spelling that is another tool's own goes before one of ours in other letters: rbp is trec_eval's RBP(p=0.9)
    if known := aliases.find(text):
        return _translated(known)
    if own:
        return _parsed(own + suffix)
    if known := aliases.find(text, fold=True):
        return _translated(known)
    spelt_out = aliases.spelt_out(text)
    return resolve(spelt_out) if spelt_out else _parsed(text)


def example(measure: Measure) -> str:
    """A cutoff that the measure could have."""
    return "0.1" if measure.cutoff_rule == "recall" else "10"


def _head(text: str) -> tuple[str, str]:
    """The name that a text in our notation starts with, and the rest; no name where it is written otherwise."""
    match = re.fullmatch(r"(\w+)\s*((?:[(@].*)?)", text, re.DOTALL)
    return (match[1], match[2]) if match else ("", text)


def _translated(known: aliases.ResolvedName) -> list[Resolved]:
    return [_at_level(Resolved(measure, known.remark), known.level) for measure, _ in _parsed(known.ours)]


def _at_level(resolved: Resolved, level: int | None) -> Resolved:
    """The measure with ranx's threshold: documents below it are as good as not relevant."""
    measure, remark = resolved
    if level is None or level == 1:
        return resolved
    if "rel" in measure.values:
        return Resolved(measure(rel=level), remark)
    if level == 0:
        return resolved
    own = f"grades below {level} gain nothing, as in ranx, while trec_eval's -l leaves {measure.name} alone"
    return Resolved(measure(gains=dict.fromkeys(range(1, level), 0)), f"{own}; {remark}")


def _parsed(text: str) -> list[Resolved]:
    """Measures named by a text in our notation; the name itself may be another tool's."""
    name, parameters, cutoffs = _split(text)
    if name in MEASURES:
        chosen = [Resolved(MEASURES[name], "")]
    elif parameters or len(cutoffs) > 1:
        texts = [f"{name}@{cutoff}" for cutoff in cutoffs] or [name]
        chosen, cutoffs = [resolved for alias in texts for resolved in resolve(alias)], []
    else:
        raise _unknown(name, "".join(f"@{cutoff}" for cutoff in cutoffs))
    resolved = [Resolved(_with(m, parameters), remark) for m, remark in chosen]
    for measure, _ in resolved:
        _ = measure.gain_kind  # raises where there is no such gain, before anything is scored
    if not cutoffs:
        return resolved
    return [Resolved(measure @ cutoff, remark) for cutoff in cutoffs for measure, remark in resolved]


def _with(measure: Measure, parameters: Mapping[str, Any]) -> Measure:
    """The measure with parameters in our words or in those of ir_measures."""
    settings, known = dict(parameters), dict(measure.parameters or ())
    if "judged_only" not in known and settings.pop("judged_only", False):
        cure = f"load lists without unjudged documents: {argument('unjudged', 'condensed')}"
        raise InputError(f"{measure.name}(judged_only=True): whether lists keep unjudged documents is no matter of one "
                         "measure here", cure)  # fmt: skip
    if "min_rel" not in known and "max_rel" in known and settings.get("min_rel") is not None:
        lowest, highest = settings.pop("min_rel"), settings.get("max_rel")
        if lowest != 0:  # the highest grade of gain 0, which a map of gains says here
            if not (isinstance(lowest, int) and isinstance(highest, int) and 0 < lowest < highest <= _HIGHEST_GRADE):
                raise InputError(f"{measure.name}(min_rel={lowest!r}): a whole number below max_rel is expected",
                                 "write gains={1: 0, 2: 1, 3: 2} for the gain of each grade")  # fmt: skip
            gains = {grade: max(0, grade - lowest) for grade in range(1, highest + 1)}
            settings = {"gains": gains} | settings | {"max_rel": highest - lowest}
    return measure(**settings) if settings else measure


def _split(text: str) -> tuple[str, dict[str, Any], list[Any]]:
    """Name, parameters and cutoffs."""
    try:
        node = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise _unreadable(text) from None
    cutoffs: list[Any] = []
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
        value = _literal(node.right, text)
        cutoffs = value if isinstance(value, list) else [value]
        node = node.left
    parameters: dict[str, Any] = {}
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        if node.args or any(k.arg is None for k in node.keywords):
            raise InputError(f"{text}: parameters need names", "write them as in RBP(p=0.8)")
        parameters = {str(k.arg): _value(k.value, text) for k in node.keywords}
        if len(parameters) < len(node.keywords):
            raise InputError(f"{text}: a parameter is given twice", "give each once")
        node = node.func
    if not isinstance(node, ast.Name):
        raise _unreadable(text)
    return node.id, parameters, cutoffs


def _value(node: ast.expr, text: str) -> Any:
    """A parameter; 1/3 is a fraction, which no decimal is."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        a, b = _literal(node.left, text), _literal(node.right, text)
        if type(a) is type(b) is int and b:
            return Fraction(a, b)
    return _literal(node, text)


def _literal(node: ast.expr, text: str) -> Any:
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        raise _unreadable(text) from None


def _unreadable(text: str) -> InputError:
    return InputError(f"{text!r} is no measure", "measures are written like AP, nDCG@10, AP(rel=2)@100 or P@[5,10]")


def _unknown(name: str, cutoff: str = "") -> InputError:
    """The error of an unknown name, with those that are nearest to it, at the same cutoff."""
    folded = {foreign.lower(): ours for foreign, ours in aliases.foreign_names().items()}
    folded |= {known.lower(): known for known in MEASURES}
    from difflib import get_close_matches

    alike = get_close_matches(name.lower(), folded, 3, 0.75) or get_close_matches(name.lower(), folded, 3, 0.5)
    near = dict.fromkeys(get_close_matches(name, SHORT, 2, 0.8)) | dict.fromkeys(folded[n] for n in alike)
    usual = all(n in MEASURES and MEASURES[n].cutoff_rule in ("optional", "required") for n in near)
    cutoff = cutoff if usual else ""
    cure = f"did you mean {', '.join(n + cutoff for n in near)}?" if near else f"known are {', '.join(MEASURES)}"
    return InputError(f"no measure is named {name!r}", cure)
