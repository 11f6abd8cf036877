"""The record of a measure: kernel, parameters, cutoff, and what is known of it."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from functools import cache
from types import FunctionType, MappingProxyType
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np

from rankscope.arguments import is_number, number, whole_number
from rankscope.arrays import ExactNumbers, Floats, Ints
from rankscope.errors import InputError, Problem
from rankscope.judged import Judged
from rankscope.measures.exact import LARGEST_FOR_TESTS, TOO_LARGE, dense_ranks, nearest_doubles, rational
from rankscope.measures.inputs import INPUTS, MeasureInputs

Kernel: TypeAlias = Callable[..., Any]
CutoffRule: TypeAlias = Literal["none", "optional", "required", "recall"]


_CHOICES = {
    "needs": ("relevant", "gain", "nothing"),
    "cutoff_rule": ("none", "optional", "required", "recall"),
    "gain": ("grade", "exponential", "binary", "linear", "exp", "degree"),
    "aggregate": ("mean", "sum", "geometric"),
    "improves": ("", "grades", "swaps"),
}


class Part:
    """A parameter that is an object, such as a user model; str() is its text, which reads back where it is `typed`."""

    __slots__ = ()
    name: ClassVar[str]
    typed: ClassVar[bool] = True

    def __str__(self) -> str:
        inner = ",".join(f"{f.name}={parameter_text(getattr(self, f.name))}" for f in fields(self))  # type: ignore[arg-type]
        return f"{self.name}({inner})" if inner else self.name


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Measure:
    """A measure. Call it to set parameters, `@` a cutoff: `RBP(p=0.5) @ 10`.

    name        as the literature writes it
    kernel      pure function. Its positional arguments are arrays, asked for by name (see `inputs.INPUTS`), ranks
                last; its keyword arguments are the measure's parameters, and `cutoff` if it needs to know it
    formula     LaTeX, over ranks i = 1, 2, ... with gain g_i, relevance r_i, R relevant documents
    user_model  who would feel like this
    bounds      lowest and highest value
    needs       what a topic must have for the measure to be defined: a "relevant" document, a document with
                "gain", or nothing
    cutoff_rule whether `@k` can or must be given; "recall" measures take a recall level instead of a rank
    gain        for kernels that take gains: how grades become gains ("grade", "exponential", "binary",
                "linear" over the largest grade, "exp" likewise, "degree" the number of the grade on its scale), or
                a function of the parameters that says so
    gain_parameters  which of rel, gain, gains, max_rel and c the user may set for that
    aggregate   how topics are put together: "mean", "sum" for counts, or "geometric" where the score of a topic is a
                logarithm and the mean over topics is e to its mean
    reference   key in references.bib beside this file
    oracle      the outside tool and name that the tests compare with
    trec        trec_eval's name without and with a cutoff, where it has one
    improves    what is known of better judgments, for `bounds`: by "grades" if a better grade of a document within the
                cutoff never lowers the score and one of a document past it never raises it; by "swaps" if, of
                relevance alone, only this holds: a relevant document that trades places with one above it that is
                not never lowers the score, and one more past the cutoff never raises it
    breaks_ipso why, at its default parameters, it can score a list lower that IPSO calls non-inferior (Moffat and
                Mackenzie 2024, Rules 1 and 2); empty where it never does
    exact       the same measure in whole numbers and fractions, where it has such a form: a kernel whose gains are
                whole numbers of 1/`unit`, whose parameters are the rationals that the user typed, and which gives an
                object array. It may also ask for `degrees`, how many the scale has above not relevant. A measure
                whose kernel is exact itself is rounded once, at the end
    """

    name: str
    kernel: Kernel
    formula: str
    user_model: str
    bounds: tuple[float, float]
    reference: str
    oracle: str
    needs: Literal["relevant", "gain", "nothing"] = "relevant"
    cutoff_rule: CutoffRule = "optional"
    gain: str | Callable[[Mapping[str, Any]], str] = "grade"
    gain_parameters: tuple[str, ...] = ("gains",)
    aggregate: Literal["mean", "sum", "geometric"] = "mean"
    trec: tuple[str | None, str | None] = (None, None)
    note: str = ""
    improves: Literal["", "grades", "swaps"] = ""
    breaks_ipso: str = ""
    exact: Kernel | None = None
    within: tuple[tuple[str, tuple[float, float]], ...] = ()  # between what a parameter has to lie
    parameters: tuple[tuple[str, Any], ...] | None = None  # names and defaults; read off the kernel
    settings: tuple[tuple[str, Any], ...] = ()  # parameters that were set, by name
    cutoff: float | None = None

    def __post_init__(self) -> None:
        problems = [
            Problem(
                f"measure {self.name}: {field}={getattr(self, field)!r} is unknown",
                f"{field} is one of {', '.join(known)}",
            )
            for field, known in _CHOICES.items()
            if not callable(getattr(self, field)) and getattr(self, field) not in known
        ]
        if problems:
            raise InputError(problems)
        if self.parameters is None:
            object.__setattr__(self, "parameters", _parameters(self))

    def __call__(self, **settings: Any) -> Measure:
        """The measure with these parameters."""
        allowed = dict(self.parameters or ())
        problems = [
            Problem(f"{self.name} has no parameter {name!r}",
                    f"{self.name} takes {', '.join(allowed)}" if allowed else f"{self.name} takes no parameters")
            for name in settings if name not in allowed
        ]  # fmt: skip
        for name, value in settings.items():
            if name in allowed and (cause := _refused(name, value, allowed[name], dict(self.within))):
                problems.append(Problem(f"{self.name}({name}={value!r}): {cause}"))
        if problems:
            raise InputError(problems)
        idle = _idle(self.name, self.values | settings, settings)
        if idle:
            raise InputError(idle)
        settings = {k: str(v) if isinstance(v, Part) and v.typed else v for k, v in settings.items()}
        frozen = {k: tuple(sorted(v.items())) if isinstance(v, Mapping) else v for k, v in settings.items()}
        merged = dict(self.settings) | frozen
        return replace(self, settings=tuple(merged.items()))

    def __matmul__(self, cutoff: float) -> Measure:
        """The measure at this cutoff."""
        if isinstance(cutoff, np.generic):
            cutoff = cutoff.item()
        if self.cutoff_rule == "none":
            raise InputError(f"{self.name} takes no cutoff", f"write {self.name} without @{cutoff}")
        if self.cutoff_rule == "recall":
            number(f"recall level of {self.name}", cutoff, 0, 1)
        else:
            whole_number(f"cutoff of {self.name}", cutoff, 1, 2**31 - 1)
        return replace(self, cutoff=cutoff)

    def at_depth(self, depth: int) -> Measure:
        """The measure at this cutoff, where it can be cut at a rank; else the measure itself."""
        return self @ int(depth) if self.cutoff_rule in ("optional", "required") else self

    @property
    def values(self) -> dict[str, Any]:
        """All parameters with their values."""
        return dict(self.parameters or ()) | dict(self.settings)

    def __str__(self) -> str:
        inner = ",".join(f"{name}={parameter_text(value)}" for name, value in self.settings)
        at = "" if self.cutoff is None else f"@{self.cutoff}"
        return f"{self.name}({inner}){at}" if inner else f"{self.name}{at}"

    __repr__ = __str__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Measure) and self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self._identity)

    @property
    def _identity(self) -> tuple[Any, ...]:
        return self.kernel, self.cutoff, frozenset(self.settings)

    @property
    def complete(self) -> bool:
        """Whether everything it needs to be computed has been given."""
        return self.cutoff is not None or self.cutoff_rule in ("none", "optional")

    @property
    def threshold(self) -> float | None:
        """The lowest grade that counts as relevant, where the measure has such a threshold."""
        return self.values.get("rel") if self._thresholds else None

    def relevant_from(self, rel: float) -> Measure:
        """The measure with this threshold, where it has one and was given none."""
        settled = rel == 1 or "rel" not in self.values or "rel" in dict(self.settings) or not self._thresholds
        return self if settled else self(rel=rel)

    def label(self, grades: Floats) -> str:
        """Name in a table, with the lowest relevant grade where the measure has a threshold and grades leave a choice.

        >>> from rankscope.measures import measure
        >>> measure("AP").label(np.array([0.0, 1.0, 2.0])), measure("AP").label(np.array([0.0, 1.0]))
        ('AP(rel=1)', 'AP')
        """
        silent = self._thresholds and "rel" in self.values and "rel" not in dict(self.settings)
        return str(self(rel=self.values["rel"])) if silent and several_grades(grades) else str(self)

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of the arrays that the kernel asks for."""
        return _inputs(self.kernel)

    @property
    def _thresholds(self) -> bool:
        inputs = _inputs(self.kernel)
        binary = "gain" in inputs and self.gain_kind == "binary"
        return binary or any(INPUTS[name][1] in ("rel", "alpha") for name in inputs)

    @property
    def gain_kind(self) -> str:
        """Name of the mapping of grades to gains for these parameters."""
        return self.gain(self.values) if callable(self.gain) else self.values.get("gain", self.gain)

    @property
    def trec_name(self) -> str:
        """trec_eval's name for exactly this, or our own."""
        plain, cut = self.trec
        if self.settings or (self.cutoff is None and plain is None) or (self.cutoff is not None and cut is None):
            return str(self)
        return (plain or "") if self.cutoff is None else (cut or "").format(self.cutoff)

    def signature(self, lists: MeasureInputs) -> list[str]:
        """The part of a signature that the measure answers for."""
        inputs = _inputs(self.kernel)
        parts = [str(self)]
        if "gain" in inputs or "ideal" in inputs:
            parts.append(f"gain:{lists.gain_words(self)}")
        if self._thresholds:
            parts.append(f"rel:{self.values.get('rel', 1)}")
        return parts

    def compute(self, lists: MeasureInputs) -> Floats:
        """Scores of all lists, NaN where the measure is not defined."""
        if self.kernel is self.exact:
            return nearest_doubles(self.exact_scores(lists), self)
        if not self.complete:
            raise InputError(*_incomplete(self))
        inputs = [lists.input(name, self) for name in _inputs(self.kernel)]
        own = {name: float(value) if isinstance(value, Fraction) else value for name, value in self.values.items()
               if name in _keywords(self.kernel)}  # fmt: skip
        if "cutoff" in _keywords(self.kernel):
            own["cutoff"] = self.cutoff
        with np.errstate(all="ignore"):  # 0/0 is settled right below
            scores = np.asarray(self.kernel(*inputs, **own), np.float64)
        self._check(scores.shape, lists)
        summed = {"gain", "ideal"} & {*self.inputs}
        if summed and scores.max(initial=0.0, where=~np.isnan(scores)) > LARGEST_FOR_TESTS:
            raise InputError(f"{self}: {TOO_LARGE}", "map grades to smaller numbers by its gains")
        defined = lists.defined(self)
        return scores if defined.all() else np.where(defined, scores, np.nan)

    def exact_scores(self, lists: Any, available: Any = None) -> ExactNumbers:
        """Scores of all lists as whole numbers and fractions, None where the measure is not defined.

        lists      `MeasureInputs`, a collection, or a plain array of grades, ranks last
        available  for such an array, as in `score`

        >>> from rankscope.measures import measure
        >>> measure("RBP(p=0.8)").exact_scores([[1, 0, 0], [0, 1, 1]]).tolist()
        [Fraction(1, 5), Fraction(36, 125)]
        """
        if not self.complete:
            raise InputError(*_incomplete(self))
        if self.exact is None:
            raise InputError(f"{self.name} has no exact form", "its scores are doubles: use score or evaluate")
        if isinstance(lists, Judged):
            return _under_rules(self.relevant_from(lists.rules.rel), lists)
        lists = lists if isinstance(lists, MeasureInputs) else MeasureInputs.from_grades(lists, available)
        exact_lists = lists.exact
        inputs = [exact_lists.input(name, self) for name in _inputs(self.exact)]
        own = {name: rational(value) for name, value in self.values.items() if name in _keywords(self.exact)}
        supplied = {"cutoff": lambda _: self.cutoff, "unit": exact_lists.unit, "degrees": exact_lists.degrees}
        own |= {name: tell(self) for name, tell in supplied.items() if name in _keywords(self.exact)}
        scores = np.asarray(self.exact(*inputs, **own), object)
        self._check(scores.shape, lists)
        defined = lists.defined(self)
        return scores if defined.all() else np.where(defined, scores, np.array(None))

    def order_keys(self, lists: Any, available: Any = None) -> Ints:
        """Place of each list among those along the first axis by its exact score: 0 the lowest, equal where equal.

        Of a collection these are systems x topics: the order of the systems on each topic. -1 where the measure is
        not defined.

        >>> from rankscope.measures import measure
        >>> measure("P@3").order_keys([[1, 0, 0], [1, 1, 0], [0, 1, 0]])
        array([0, 1, 0])
        """
        return dense_ranks(self.exact_scores(lists, available))

    def _check(self, shape: tuple[int, ...], lists: MeasureInputs) -> None:
        expected = lists.code.shape[:-1]
        if shape != expected:
            raise InputError(f"{self.name} gave scores of shape {shape}, expected {expected}",
                             "a kernel maps (..., ranks) to (...)")  # fmt: skip

    def score(self, gains: Any, available: Any = None) -> Floats:
        """Scores of plain arrays of grades, ranks last; NaN stands for an unjudged document.

        available  grades of all judged documents of the topic, likewise; by default those in the list

        >>> from rankscope.measures import measure
        >>> float(measure("AP").score([1, 0, 1], available=[1, 1, 1, 0]))
        0.5555555555555555
        """
        return self.compute(MeasureInputs.from_grades(gains, available))


def several_grades(grades: Floats) -> bool:
    """Whether grades above 0 leave a choice which of them counts as relevant."""
    return int(np.count_nonzero(np.asarray(grades) > 0)) > 1


def _under_rules(measure: Measure, judged: Judged) -> ExactNumbers:
    """Exact scores of a collection, with what is undefined or missing treated as it was loaded."""
    scores = measure.exact_scores(MeasureInputs(judged.code, judged.grades, judged.available))
    if judged.rules.undefined == "zero":
        scores[scores == None] = 0  # noqa: E711  element by element
    if judged.rules.missing == "drop":
        scores[judged.retrieved == 0] = None
    return scores


def _incomplete(measure: Measure) -> tuple[str, str]:
    example = "0.1" if measure.cutoff_rule == "recall" else "10"
    return f"{measure} needs a cutoff", f"write {measure}@{example}"


@cache
def _signature(kernel: Kernel) -> tuple[tuple[str, ...], Mapping[str, Any]]:
    """Names of the arrays that a kernel takes, and its keyword-only parameters with their defaults."""
    if isinstance(kernel, FunctionType):  # without a signature, which takes long to make
        code, defaults = kernel.__code__, kernel.__kwdefaults__ or {}
        names = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
        own = {name: defaults.get(name, inspect.Parameter.empty) for name in names}
        return code.co_varnames[: code.co_argcount], MappingProxyType(own)
    arrays = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    parameters = inspect.signature(kernel).parameters.values()
    keywords = {p.name: p.default for p in parameters if p.kind is inspect.Parameter.KEYWORD_ONLY}
    return tuple(p.name for p in parameters if p.kind in arrays), MappingProxyType(keywords)


def _inputs(kernel: Kernel) -> tuple[str, ...]:
    return _signature(kernel)[0]


def _keywords(kernel: Kernel) -> Mapping[str, Any]:
    return _signature(kernel)[1]


def _parameters(measure: Measure) -> tuple[tuple[str, Any], ...]:
    """Parameters and defaults: the kernel's own, then those that its inputs bring."""
    name, inputs, own = measure.name, _inputs(measure.kernel), dict(_keywords(measure.kernel))
    supplied = ("cutoff", "unit", "degrees") if measure.kernel is measure.exact else ("cutoff",)
    problems = [
        Problem(f"measure {name}: unknown input {key!r}", f"inputs are {', '.join(INPUTS)}")
        for key in inputs
        if key not in INPUTS
    ]
    problems += [
        Problem(f"measure {name}: parameter {key!r} has no default", "give every parameter a default")
        for key, default in own.items()
        if default is inspect.Parameter.empty and key not in supplied
    ]
    if problems:
        raise InputError(problems)
    for key in supplied:
        own.pop(key, None)
    decided_by = {INPUTS[key][1] for key in inputs}
    if decided_by & {"rel", "alpha"}:
        own.setdefault("rel", 1)
    if "gain" in decided_by:
        defaults = {"rel": 1, "gain": measure.gain, "gains": None, "max_rel": None, "c": None}
        own = {key: defaults[key] for key in measure.gain_parameters} | own
    return tuple(own.items())


def _refused(name: str, value: Any, default: Any, within: Mapping[str, tuple[float, float]]) -> str:
    """The reason why a value is refused, or an empty text."""
    finite = is_number(value) and (not isinstance(value, Fraction) or isinstance(default, float))
    if name == "gains":
        fine = isinstance(value, Mapping) and all(
            isinstance(x, int | float) and math.isfinite(x) for pair in value.items() for x in pair
        )
        if not fine:
            return "gains map grades to numbers, as in gains={1:0,2:1}; grades that are not named keep theirs"
        return "a gain is not negative" if min(value.values(), default=0) < 0 else ""
    if name == "gain" and value not in ("binary", "linear", "exp"):
        return "gain is one of binary, linear, exp"
    if isinstance(default, str) and not isinstance(value, str | Part):
        return "expected text"
    if isinstance(default, bool) and not isinstance(value, bool):
        return "expected True or False"
    if name == "c" and default is None and not (type(value) is int and 1 <= value < 2**16):
        return "c counts the grades above not relevant, a whole number from 1 to 65535"
    if (
        (name in ("base", "max_rel") or isinstance(default, float | int))
        and not isinstance(default, bool)
        and not finite
    ):
        return "expected a finite number"
    if name in within and not within[name][0] < value < within[name][1]:
        return f"expected a number between {within[name][0]:g} and {within[name][1]:g}"
    return ""


def _idle(name: str, values: Mapping[str, Any], settings: Mapping[str, Any]) -> list[Problem]:
    """Parameters that would have no effect beside the others."""
    idle: tuple[str, ...]
    if values.get("gain") == "binary":
        idle, only = ("gains", "max_rel"), 'gain="linear" or gain="exp"'
    elif "gain" in values:
        idle, only = ("rel",), 'gain="binary"'
    else:
        return []
    return [
        Problem(f"{name}: {key} has no effect with gain={values['gain']!r}", f"{key} goes with {only}")
        for key in idle
        if key in settings
    ]


def parameter_text(value: Any) -> str:
    """A parameter as the user would type it."""
    if isinstance(value, str | Part):
        return '"' + str(value).replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(value, tuple):
        return "{" + ",".join(f"{parameter_text(key)}:{parameter_text(gain)}" for key, gain in value) + "}"
    plain = value.item() if isinstance(value, np.generic) else value
    if isinstance(plain, Fraction):
        return str(plain)
    return repr(int(plain) if isinstance(plain, float) and plain == int(plain) else plain)
