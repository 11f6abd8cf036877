"""One vocabulary: a word means the same in every public signature, in every public result and in every parser.

docs/conventions.md says it for readers. An exception is one line here, with its reason; an exception that is no longer
needed fails.
"""

from __future__ import annotations

import argparse
import dataclasses
import importlib
import inspect
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args, get_origin, get_type_hints

import rankscope as rs
from rankscope import cli
from rankscope.comparisons.scored import MEASURE
from rankscope.statistics import Resampling

ROOMS = (
    "statistics", "preferences", "universe", "studies", "simulation", "figures", "measures", "judged", "io",
    "validation", "comparisons", "reporting",
)  # fmt: skip

REQUIRED = "required"


class Word(NamedTuple):
    """What a word may be in a signature: annotations as written, defaults as `repr` prints them."""

    types: tuple[str, ...]
    defaults: tuple[str, ...] = (REQUIRED, "None")


NAMES = ("Sequence[str] | None", "Sequence[str]", "tuple[str, ...]", "tuple[str, str]")
ARRAY = ("Any", "ArrayLike")

ARGUMENTS = {
    "a": Word(("str", *ARRAY), (REQUIRED,)),
    "b": Word(("str", *ARRAY), (REQUIRED,)),
    "alpha": Word(("float",), (REQUIRED, "0.05")),
    "alternative": Word(("Alternative",), ("'two-sided'",)),
    "baseline": Word(("str", "str | None", "str | int | None", *ARRAY)),
    "by": Word(("str | None",), ("None",)),
    "client": Word(("Client",), ("None",)),
    "depth": Word(("int", "int | None")),
    "force": Word(("bool",), (REQUIRED, "False")),
    "gains": Word(("Gains", "GradeGains")),
    "judged": Word(("Judged", "Judged | RunStream"), (REQUIRED,)),
    "left_out": Word(("int",), (REQUIRED,)),
    "level": Word(("float", "float | None"), (REQUIRED, "0.95", "None")),
    "margin": Word(("float", "float | str")),
    "matrix": Word(ARRAY, (REQUIRED,)),
    "measure": Word(("str", "Measure", "str | Measure", "str | Measure | None", "str | None")),
    "memory": Word(("int | str", "int | str | None"), (REQUIRED, "None", "'2GiB'")),
    "n_systems": Word(("int",), (REQUIRED,)),
    "n_topics": Word(("int",), (REQUIRED,)),
    "rel": Word(("float", "float | None")),
    "repeats": Word(("Any",), ("None",)),
    "resampling": Word(("Resampling", "Resampling | None")),
    "signature": Word(("str",), (REQUIRED,)),
    "systems": Word(NAMES),
    "topics": Word(NAMES),
    "topics_table": Word(("Any",), ("None",)),
    "workers": Word(("int | None",), ("None",)),
}

NUMBER = ("float", "Floats")

FIELDS = {
    "alpha": Word(("float",), (REQUIRED, "0.05")),
    "depth": Word(("int", "int | None"), (REQUIRED, "None")),
    "left_out": Word(("int",), (REQUIRED, "0")),
    "level": Word(("float",), (REQUIRED,)),
    "lower": Word(NUMBER, (REQUIRED,)),
    "measure": Word(("str", "Measure"), (REQUIRED,)),
    "measures": Word(("tuple[str, ...]", "tuple[str, str]", "tuple[Measure, ...]"), (REQUIRED,)),
    "n_systems": Word(("int",), (REQUIRED,)),
    "n_topics": Word(("int", "Ints"), (REQUIRED,)),
    "pvalue": Word(NUMBER, (REQUIRED,)),
    "resampling": Word(("Resampling", "Resampling | None")),
    "signature": Word(("str", "tuple[str, ...]"), (REQUIRED,)),
    "statistic": Word(NUMBER, (REQUIRED,)),
    "systems": Word(NAMES[2:], (REQUIRED,)),
    "topics": Word(NAMES[2:], (REQUIRED,)),
    "upper": Word(NUMBER, (REQUIRED,)),
}

FORBIDDEN = {
    "asked": "a noun of the field",
    "chance": "resampling",
    "cut": "depth",
    "cutoff": "depth",
    "found": "a noun of the field",
    "given": "a noun of the field",
    "held": "a noun of the field",
    "ipso_depth": "depth",
    "kind": "variant",
    "made": "signature",
    "metric": "measure",
    "metrics": "measures",
    "n": "n_topics or n_systems",
    "one": "a noun of the field",
    "p_value": "pvalue",
    "permutations": "resampling",
    "pools": "incompleteness",
    "robustness": "incompleteness",
    "said": "a noun of the field",
    "samples": "resampling",
    "self_tau": "incompleteness",
    "splits": "resampling",
    "told": "a noun of the field",
    "whole": "a noun of the field",
}

OPTIONS = {  # type, number of arguments, default
    "alpha": (float, None, 0.05),
    "depth": (int, None, None),
    "level": (float, None, None),
    "measures": (None, "+", None),
    "memory": (None, None, None),
    "n_topics": (int, None, None),
    "rel": (float, None, None),
    "resamples": (int, None, Resampling().resamples),
    "seed": (int, None, Resampling().seed),
    "workers": (int, None, None),
}

KIND_OF_FILE = "run or qrels: a kind of file, no variant of a method"
LISTABLE = "a default for which all rankings can be listed in a moment"
BY_NAME = "what was left out is named, not counted"
BY_PART = "one for all parts of the study, or one for each by name"
MONTE_CARLO = "enough topics for a small Monte Carlo error"
RECALL_LEVEL = "the recall level at which two rankings differ, as in the papers"

# what a signature may do although the tables above say otherwise: place(word), and why
EXCEPTIONS = {
    "Measure(cutoff)": "a measure's own @k",
    "Measure.score(gains)": "gains of lists, not of grades",
    "explain(signature)": "one to be read back; None where measures are explained",
    "rank(baseline)": "one baseline, or several whose comparisons are one family",
    "convert(kind)": KIND_OF_FILE,
    "figures.Chart.rendered(kind)": "svg, png or pdf: a kind of file",
    "across(a)": "None: all systems are ranked",
    "across(b)": "None: all systems are ranked",
    "across(margin)": "None: without a margin the claim that needs one is not tested",
    "gate(margin)": "0.01: without a margin no gate can pass",
    "io.Converted(kind)": KIND_OF_FILE,
    "io.Format.columns(kind)": KIND_OF_FILE,
    "measures.MeasureInputs.from_grades(gains)": "gains of lists, not of grades",
    "preferences.Lexicographic(level)": RECALL_LEVEL,
    "preferences.Preferences(level)": RECALL_LEVEL,
    "reporting.Page(left_out)": BY_NAME,
    "simulation.Model(depth)": "100: the depth of the runs that are written",
    "simulation.check_truth(n_topics)": MONTE_CARLO,
    "simulation.levelled(measure)": "a model has to be levelled under some measure; the default is that of the demo",
    "simulation.levelled(n_topics)": MONTE_CARLO,
    "simulation.simulate(n_topics)": "50: as many as in a track of TREC",
    "simulation.truth(n_topics)": MONTE_CARLO,
    "statistics.posterior(margin)": "0.0: the probability of any difference",
    "statistics.replication(n_topics)": "None: a new sample of as many topics",
    "studies.Agreement.categories(alpha)": "None: that of the study",
    "studies.Agreement.triangle(alpha)": "None: that of the study",
    "studies.Reproduction(left_out)": BY_NAME,
    "studies.Setting(resampling)": BY_PART,
    "studies.StudyMaterial(left_out)": BY_NAME,
    "studies.consistency(depth)": "10: as in Chen and Sakai (2023)",
    "studies.consistency(resampling)": BY_PART,
    "studies.cwla_grid(depth)": "10: as in Chen and Sakai (2023)",
    "studies.scales(depth)": "10: interval-scaled versions enumerate all rankings of that depth",
    "metrics(resampling)": BY_PART,
    "universe.DifferenceStructure(measure)": "None: the structure of an order without a measure",
    "universe.Hasse(lower)": "the lower ends of edges, not of an interval",
    "universe.Hasse(upper)": "the upper ends of edges, not of an interval",
    "universe.disagreement(depth)": LISTABLE,
    "universe.distinct_values(depth)": "one depth or several",
    "universe.expected_separability(depth)": "one depth or several",
    "universe.features(depth)": LISTABLE,
    "universe.freedom(depth)": LISTABLE,
    "universe.frequencies(depth)": LISTABLE,
    "universe.hasse(depth)": LISTABLE,
    "universe.order_grid(depth)": LISTABLE,
    "universe.properties(depth)": LISTABLE,
    "universe.separability(depth)": "one depth or several",
    "validation.Finding(kind)": "the kind of a finding, no variant of a method",
}

TWO_ROOMS = "a noun of two rooms that never meet in one call"

# arguments outside the tables that have several types or defaults
SEVERAL = {
    "against": TWO_ROOMS,
    "barren": "a simulated collection has one topic without relevant documents, a sample for a test none",
    "columns": "names of columns of a file by role; in order_grid() the measure across the grid",
    "clusters": "the name of an attribute; in statistics, one label per topic",
    "collections": "report() takes what across() takes; in statistics, names",
    "comparisons": "letters() also takes a plain matrix of p values",
    "correction": "scipy's name for the continuity correction of wilcoxon(); elsewhere for multiple comparisons",
    "depths": "figures take a sequence, studies one depth or several",
    "documents": "a number of documents; each default is its paper's",
    "empty": "papers differ in whether the list without relevant documents counts; each default is its paper's",
    "first": TWO_ROOMS,
    "folder": "functions behind the command line take a Path, public ones also text",
    "fractions": "each default is its paper's",
    "groups": "a number of groups of topics in leave_one_out(); groups of systems, by name, in judges()",
    "interval": "each method has intervals of its own",
    "judges": "judgments of others in any form, or what load_judges() has made of them",
    "measures": "each default is the set of the paper that the function follows",
    "method": "scipy's name for how wilcoxon() computes p; elsewhere the method by name",
    "methods": "each default is the set of the paper that the function follows",
    "n_levels": "each default is its paper's",
    "of": TWO_ROOMS,
    "power": "a probability when planning; a study for alternatives()",
    "progress": "each room calls it with what it knows: a share, bytes read, units done",
    "qrels": "what is written may be any form of judgments in memory",
    "recall_base": "properties() looks at one recall base, other functions at several",
    "reference": "scores in tau_ap(), a measure in removal()",
    "relevant": "one number of relevant documents or several",
    "rows": TWO_ROOMS,
    "second": TWO_ROOMS,
    "source": TWO_ROOMS,
    "studies": "names of studies to conduct, or results to show",
    "test": "tests differ by what is tested; each room lists its own",
    "tests": "tests differ by what is tested; each room lists its own",
    "title": "whether a figure has one, or what a page is called",
    "weights": "of recall levels in rpp(); the name of an attribute of topics; in statistics, one number per topic",
    "variant": "each method has variants of its own",
    "x": "rbo() takes rankings with ties, not scores",
    "y": "rbo() takes rankings with ties, not scores",
}

PART = "the resampling of one part of the study, by the name that the part has in `resampling`"

OPTION_EXCEPTIONS = {
    "convert --qrels": KIND_OF_FILE,
    "convert --run": KIND_OF_FILE,
    "enumerate --depth": "all rankings of some depth; there is no list whose depth could be meant",
    "judges --resamples": "1000: intervals of every number for every judge",
    "judge-next --resamples": "200: grades are drawn again after every judgment",
    "metrics --resamples": "2000: one study resamples for every measure",
    "metrics --samples": PART,
    "metrics --splits": PART,
    "reproduce --resamples": "2000: as the papers",
    "reproduce --samples": PART,
    "reproduce --splits": PART,
    "simulate --n-topics": "50: as many as in a track of TREC",
    "simulate --seed": "1: the seed of the embedded collection",
    "trec_eval --measure": "trec_eval's own option; one measure each time",
}

SEVERAL_OPTIONS = {
    "--decimals": "of a table's numbers, or of the scores of runs, for which several values can be drawn from",
    "--grades": "how many grades there are, or what share of relevant documents has each",
    "--json": "simulate writes a folder, and prints nothing else that could have a format",
    "--margin": "across tests no margin unless one is named; gate has one, which may also be a share",
    "--output": "demo and report have a name to write to; other commands print",
    "--qrels": "convert: that the file is of judgments; explain: the judgments",
}


class Use(NamedTuple):
    """A word in a signature: where, and what it is there."""

    place: str
    word: str
    type: str
    default: str
    beside: frozenset[str]
    """The other words of the signature."""
    of: Literal["function", "method", "class"]


def signature_of(
    place: str, called: Callable[..., Any], of: Literal["function", "method", "class"] = "function"
) -> Iterator[Use]:
    """The words of one signature; those of a class are its fields."""
    parameters = [p for p in inspect.signature(called).parameters.values() if p.name not in ("self", "cls")]
    words = frozenset(p.name for p in parameters)
    for p in parameters:
        annotation = p.annotation if isinstance(p.annotation, str) else getattr(p.annotation, "__name__", "")
        default = REQUIRED if p.default is p.empty else repr(p.default)
        yield Use(place, p.name, annotation, default, words, of)


def methods(class_: type) -> Iterator[tuple[str, Callable[..., Any]]]:
    for name, method in vars(class_).items():
        method = getattr(method, "__func__", method)
        if inspect.isfunction(method) and not name.startswith("_"):
            yield name, method


def public() -> dict[str, Any]:
    """Everything public by its shortest name, and the classes of what public functions give."""
    things: dict[int, tuple[str, Any]] = {}
    for room in ("rankscope", *(f"rankscope.{room}" for room in ROOMS)):
        module = importlib.import_module(room)
        for name in module.__all__:
            thing = getattr(module, name)
            if inspect.isclass(thing) or inspect.isfunction(thing):
                things.setdefault(id(thing), (f"{room}.{name}".removeprefix("rankscope."), thing))
    for _, thing in list(things.values()):
        result = returned(thing) if inspect.isfunction(thing) else None
        if result is not None:
            things.setdefault(id(result), (f"{result.__module__}.{result.__name__}".removeprefix("rankscope."), result))
    return dict(things.values())


def returned(function: Callable[..., Any]) -> type | None:
    """The class of the project that a function's result has."""
    text = function.__annotations__.get("return", "")
    result = getattr(inspect.getmodule(function), text, None) if isinstance(text, str) else text
    return result if inspect.isclass(result) and result.__module__.startswith("rankscope") else None


def uses() -> Iterator[Use]:
    """Every word of the public face."""
    for place, thing in public().items():
        if inspect.isfunction(thing):
            yield from signature_of(place, thing)
            continue
        if dataclasses.is_dataclass(thing) or not issubclass(thing, Exception | Warning):
            yield from signature_of(place, thing, "class")
        for name, method in methods(thing):
            yield from signature_of(f"{place}.{name}", method, "method")


def violations(words: Iterable[Use]) -> dict[str, str]:
    """What is wrong, by place(word)."""
    wrong = {}
    for use in words:
        key = f"{use.place}({use.word})"
        rule = (FIELDS if use.of == "class" else ARGUMENTS).get(use.word)
        if use.word in FORBIDDEN:
            wrong[key] = f"the word is {FORBIDDEN[use.word]}"
        elif rule is not None and use.type not in rule.types:
            wrong[key] = f"its type is {use.type}, not {' or '.join(rule.types)}"
        elif rule is not None and use.default not in rule.defaults:
            wrong[key] = f"its default is {use.default}, not {' or '.join(rule.defaults)}"
        elif use.word == "level" and use.of != "class" and "alpha" in use.beside and use.default != "None":
            wrong[key] = f"alpha is beside it, so its default is None, not {use.default}"
        elif use.word == "seed" and "resampling" in use.beside:
            wrong[key] = "resampling is beside it and has the seed"
    return wrong


def several(words: Iterable[Use]) -> dict[str, str]:
    """Arguments outside the tables that public functions use with different types, or with different defaults."""
    types: dict[str, dict[str, str]] = defaultdict(dict)
    defaults: dict[str, dict[str, str]] = defaultdict(dict)
    for use in words:
        if use.of != "function" or use.word in ARGUMENTS or use.word in FORBIDDEN:
            continue
        types[use.word].setdefault(use.type.removesuffix(" | None"), use.place)
        if use.default not in (REQUIRED, "None"):
            defaults[use.word].setdefault(use.default, use.place)
    return {
        word: "; ".join(f"{place}: {form}" for form, place in (types[word] | defaults[word]).items())
        for word in types
        if len(types[word]) > 1 or len(defaults[word]) > 1
    }


class Option(NamedTuple):
    """An option or argument of a command."""

    command: str
    names: tuple[str, ...]
    word: str
    destination: str
    form: tuple[Any, ...]
    """Type, number of arguments, default, choices."""


def options(parser: argparse.ArgumentParser, command: str = "") -> Iterator[Option]:
    """Every option and argument of a parser and of the commands below it."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, below in action.choices.items():
                yield from options(below, f"{command} {name}".strip())
        elif not isinstance(action, argparse._HelpAction):
            long = max(action.option_strings, key=len, default=action.dest).removeprefix("--").replace("-", "_")
            choices = None if action.choices is None else tuple(action.choices)
            default = tuple(action.default) if isinstance(action.default, list) else action.default
            form = (action.type, action.nargs, default, choices)
            yield Option(command, tuple(action.option_strings), long, action.dest, form)


def option_violations(all_options: Iterable[Option]) -> dict[str, str]:
    """What is wrong with options, by command and option."""
    wrong = {}
    for option in all_options:
        key = f"{option.command} {max(option.names, key=len, default=option.word)}"
        rule = OPTIONS.get(option.word)
        forbidden = next((word for word in (option.word, option.destination) if word in FORBIDDEN), None)
        if forbidden is not None:
            wrong[key] = f"not {forbidden}: the word is {FORBIDDEN[forbidden]}"
        elif option.word == "topics" and option.form[0] is int:
            wrong[key] = "topics are ids; a count is n-topics"
        elif rule is not None and option.form[:3] != rule:
            wrong[key] = f"type, number of arguments and default are {option.form[:3]}, not {rule}"
        elif "-m" in option.names and option.word != "measures":
            wrong[key] = "-m is --measures"
    return wrong


def option_forms(all_options: Iterable[Option]) -> dict[str, str]:
    """Options outside the table that two commands use in different forms."""
    forms: dict[str, dict[tuple[Any, ...], str]] = defaultdict(dict)
    for option in all_options:
        if option.names and option.word not in OPTIONS:
            forms[max(option.names, key=len)].setdefault((option.destination, *option.form), option.command)
    return {
        name: "; ".join(f"{command}: {form}" for form, command in form.items())
        for name, form in forms.items()
        if len(form) > 1
    }


def report(wrong: dict[str, str]) -> str:
    return "\n".join(f"{key}: {text}" for key, text in sorted(wrong.items()))


def check(wrong: dict[str, str], exceptions: dict[str, str]) -> None:
    """Nothing is wrong but the exceptions, and every exception is one."""
    rest = {key: text for key, text in wrong.items() if key not in exceptions}
    assert not rest, report(rest)
    assert set(exceptions) <= set(wrong), f"no longer needed: {sorted(set(exceptions) - set(wrong))}"


def test_signatures():
    check(violations(uses()), EXCEPTIONS)


def test_one_form_of_every_argument():
    check(several(uses()), SEVERAL)


def test_options():
    check(option_violations(options(cli._parser())), OPTION_EXCEPTIONS)


def test_one_form_of_every_option():
    check(option_forms(options(cli._parser())), SEVERAL_OPTIONS)


def test_choices_are_those_of_the_call():
    """The parser repeats the words that a call takes, so that help is quick; here both are compared."""
    compared = 0
    for option in options(cli._parser()):
        calls = [call for call in (getattr(rs, option.command, None), rs.load) if inspect.isfunction(call)]
        hints = [get_type_hints(call).get(option.destination) for call in calls]
        words = next((words for hint in hints if (words := literals(hint))), None)
        if option.form[3] is not None and words is not None:
            assert set(option.form[3]) == words, f"{option.command} --{option.word}"
            compared += 1
    assert compared > 40


def test_defaults_are_those_of_the_call():
    compared = 0
    for option in options(cli._parser()):
        for call in filter(inspect.isfunction, (getattr(rs, option.command, None), rs.load)):
            given = inspect.signature(call).parameters.get(option.destination)
            if given is not None and given.default not in (None, given.empty) and option.form[2] is not None:
                assert str(option.form[2]) == str(given.default), f"{option.command} --{option.word}"  # 0.01 is typed
                compared += 1
                break
    assert compared > 40
    for name in ("compare", "gate", "plan", "rank"):
        assert importlib.import_module(f"rankscope.cli.{name}").DEFAULT == [MEASURE]


def literals(hint: Any) -> set[Any]:
    """All words of a type that names some."""
    if get_origin(hint) is Literal:
        return set(get_args(hint))
    return set().union(*map(literals, get_args(hint)))


def test_every_exception_has_a_reason():
    assert all(
        len(text) > 10 for table in (EXCEPTIONS, SEVERAL, OPTION_EXCEPTIONS, SEVERAL_OPTIONS) for text in table.values()
    )


def planted_function(a: str, b: str, *, topics: int, n: int, metric: str, alpha: float = 0.01, level: float = 0.95): ...


@dataclasses.dataclass
class Planted:
    systems: int
    made: str
    lower: str


def test_planted_signatures_are_caught():
    assert violations(signature_of("planted", planted_function)).keys() == {
        "planted(topics)", "planted(n)", "planted(metric)", "planted(alpha)", "planted(level)",
    }  # fmt: skip
    assert violations(signature_of("Planted", Planted, "class")).keys() == {
        "Planted(systems)", "Planted(made)", "Planted(lower)",
    }  # fmt: skip

    def seeded(*, resampling: Resampling | None = None, seed: int = 42): ...

    assert violations(signature_of("seeded", seeded)).keys() == {"seeded(seed)"}

    def first(*, order: str = "rank"): ...
    def second(*, order: bool = True): ...

    assert several([*signature_of("first", first), *signature_of("second", second)]).keys() == {"order"}


def test_planted_options_are_caught():
    parser = argparse.ArgumentParser()
    commands = parser.add_subparsers()
    good, bad = commands.add_parser("good"), commands.add_parser("bad")
    good.add_argument("--alpha", type=float, default=0.05)
    good.add_argument("--depth", type=int)
    good.add_argument("--summary")
    assert not option_violations(options(parser))
    bad.add_argument("--alpha", type=float, default=0.01)
    bad.add_argument("--depth", type=int, dest="cut")
    bad.add_argument("--topics", type=int)
    bad.add_argument("-m", "--metric")
    bad.add_argument("--summary", action="store_true")
    assert option_violations(options(parser)).keys() == {"bad --alpha", "bad --depth", "bad --topics", "bad --metric"}
    assert option_forms(options(parser)).keys() == {"--summary"}


def test_the_page_says_the_same():
    """Every word of the table of arguments is a row of docs/conventions.md, with its default."""
    page = Path(__file__).parents[2] / "docs" / "conventions.md"
    rows = re.findall(r"^\| (.*?) \| (.*?) \| (.*?) \| (.*?) \|$", page.read_text(encoding="utf-8"), re.MULTILINE)
    written = {word: default for words, _, _, default in rows for word in re.findall(r"`(\w+)`", words)}
    assert not (set(ARGUMENTS) | set(FIELDS)) - set(written)
    for word, rule in ARGUMENTS.items():
        for default in re.findall(r"`([^`]+)`", written[word]):
            assert default in rule.defaults, (word, default)
