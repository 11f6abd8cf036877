"""Explanations of measures: the definition in words, and the scores that other tools compute under the same name."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from rankscope.errors import output, plural
from rankscope.formatting import html_lines
from rankscope.judged import Judged
from rankscope.layout import Block, Layer, Toned
from rankscope.measures.aliases import spellings
from rankscope.measures.catalogue.interval import Interval
from rankscope.measures.cwla import model_facts
from rankscope.measures.explanations.bibliography import cited
from rankscope.measures.explanations.other_tools import Others, OtherToolScore, readings
from rankscope.measures.names import MEASURES, Resolved, resolve
from rankscope.measures.record import Measure, parameter_text
from rankscope.measures.scores import number
from rankscope.results import Layered, Result, records

PARAMETERS = {
    "rel": "lowest grade that counts as relevant",
    "p": "chance to go on to the next document",
    "dcg": 'gain is the grade ("log2") or 2^grade - 1 ("exp-log2")',
    "base": "with base b the discount is max(1, log_b i), without log2(i + 1)",
    "gain": '1 from rel on ("binary"), grade / largest grade ("linear") or (2^grade - 1) / 2^largest ("exp")',
    "gains": "gains by grade, as in {1:0,2:1}; grades that are not named keep theirs",
    "max_rel": "the largest grade; that of the judgments if none is given",
    "c": "how many grades the scale has above not relevant; as many as the judgments hold if none is given",
    "share": "whether to divide by the largest value there is",
    "beta": "how many times as much recall counts as precision",
    "Q.beta": "how much gain counts beside the number of relevant documents",
    "T": "how much gain the reader wants",
    "model": "Precision(k), DCG(k), RBP(p), INST(T), AP, ERR, RR, INSQ(T), or numbers: C(...), W(...), L(...)",
    "agg": "aggregation: ERG, ETG, avg, max, fin, PE(beta) or ERR",
    "tail": 'readers at the end of a list: not counted ("truncate"), made to "stop", or on for ever ("infinite"); else '
    "as the model has it",
    "CWLA.gain": '"linear", "exp" or "binary"; else as the model has it',
    "rounding": 'of x R: as in trec_eval 10 ("half-up") or 9 ("trec_eval-9", up from 0.1)',
}
CUTOFFS = {
    "none": "none: the whole list counts",
    "optional": "@k on request, else the whole list counts",
    "required": "@k always",
    "recall": "@x always, a recall level from 0 to 1",
}
UNDEFINED = {
    "relevant": "for topics without relevant documents",
    "gain": "for topics where no judged document has gain",
    "nothing": "never",
}
SYMBOLS = (
    "ranks i from 1, relevance r_i, gain g_i, R relevant and N judged non-relevant documents, cutoff k, list length n"
)
SHOWN = 5  # readings of the short layer
_SHORT = ("range", "undefined", "cutoff", "trec_eval", "beware", "reference")
_COMPUTED, _READINGS = "How is it computed?", "Do other tools compute another number under this name?"
_QUESTIONS = {
    _COMPUTED: ("formula", "symbols", "parameters", "cutoff", "exactly"),
    "Which values can it have?": ("range", "undefined", "topics", "note", "beware"),
    "Which comparisons of its scores make sense?": ("scale", "permits"),
    "How does it behave?": ("properties",),
    "Where does it come from, and how do others write it?": ("reference", "tested with", "trec_eval", "also read"),
}
"""Questions of the full layer, and the facts that answer them; a fact of another name is part of the computation."""

_READ = {
    _COMPUTED: (
        "The formula is written as in LaTeX. A parameter stands in brackets, as in RBP(p=0.8), a cutoff after @.",
    ),
    "Which values can it have?": ("Topics for which a measure is undefined are left out of means, and counted.",),
    "Which comparisons of its scores make sense?": (
        "A scale says whether only the order of scores has a meaning, or differences of scores as well.",
        "It depends on the order of rankings that scores are held against, so three orders are tried.",
    ),
    "How does it behave?": (
        "Each property was looked for in all short rankings. Where it fails, the two rankings that show it are named.",
    ),
    "Where does it come from, and how do others write it?": (
        "Names of other tools can be used here, too. Scores were tested against the tools that are named.",
    ),
    _READINGS: (
        "Tools give one name to different rules. Each line has the mean under one rule, what it does, and who does it.",
        "If your number differs from a published one, look for it here.",
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Explanation(Layered):
    """A measure explained on a collection.

    requested  the text that named the measure
    facts      its definition: paragraphs by name
    readings   what tools compute under the name, one score per tool or rule
    """

    requested: str
    measure: Measure
    facts: dict[str, str]
    readings: tuple[OtherToolScore, ...]
    n_systems: int
    n_topics: int

    def columns(self) -> dict[str, list[Any]]:
        """Columns requested, who, what, call, mean, swapped; one row per reading."""
        rows = [r._asdict() | {"mean": None if math.isnan(r.mean) else r.mean} for r in self.readings]
        return {name: [row[name] for row in rows] for name in ("requested", "who", "what", "call", "mean", "swapped")}

    def column_types(self) -> dict[str, Any]:
        return {"mean": float, "swapped": int}

    def heading(self) -> str:
        exact = self.requested == str(self.measure)
        return str(self.measure) if exact else f"{self.measure}, asked for as {self.requested}"

    def remarks(self) -> list[str]:
        pairs = self.n_systems * (self.n_systems - 1) // 2
        over = f"{plural(self.n_systems, 'system')} and {plural(self.n_topics, 'topic')}"
        return [
            f"Each number is a mean over {over}. Pairs of systems that another reading orders differently, of "
            f"{plural(pairs, 'pair')}, are counted behind it."
        ]

    def table(self) -> tuple[list[str], list[list[str]]]:
        rows = [
            ["*" if r.requested else "", r.who, r.what, r.call or "-", number(r.mean, self.measure), _count(r.swapped)]
            for r in self.readings
        ]
        return ["", "who", "what", "here", "mean", "swapped"], rows

    def text_columns(self) -> int:
        return 4

    def blocks(self, layer: Layer) -> list[Block]:
        words = self.facts.get("in words", "")
        answer = Block("", [Toned(self.heading(), "strong"), *([f"In words: {words}"] if words else [])])
        others = [_reading_line(reading, self.measure, call=layer != "short") for reading in self.readings]
        if layer == "short":
            facts = [f"{name:<11}{text}" for name, text in self.facts.items() if name in _SHORT]
            more = [f"{output('full')} has every reading."] if len(others) >= SHOWN else []
            next_ = (
                f"Next: {output('full')} shows formula, parameters, scale, properties and every other tool's number."
            )
            return [answer, Block("", facts), Block(_READINGS, [*others[:SHOWN], *more]), Block("", [next_])]
        known = {"in words", *(name for names in _QUESTIONS.values() for name in names)}
        blocks = [answer]
        for question, names in _QUESTIONS.items():
            wanted = [n for n in self.facts if n in names or (question == _COMPUTED and n not in known)]
            lines = [line for name in wanted for line in _labelled(name, self.facts[name])]
            if lines:
                blocks.append(Block(question, lines, _READ[question]))
        return [*blocks, Block(_READINGS, [*others, *self.remarks()], _READ[_READINGS])]

    def _repr_html_(self) -> str:
        return html_lines(self.to_text("full"))

    def to_dict(self) -> dict[str, Any]:
        """The definition and the readings as plain Python values."""
        return {
            "requested": self.requested,
            "measure": str(self.measure),
            "facts": self.facts,
            "n_systems": self.n_systems,
            "n_topics": self.n_topics,
            "readings": records(self.columns()),
        }


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Overview(Result):
    """All measures, one row per measure.

    more  further columns by name, one text per measure
    """

    measures: tuple[Measure, ...]
    more: Mapping[str, tuple[str, ...]]

    def columns(self) -> dict[str, list[Any]]:
        """Columns measure, range, trec_eval, those of `more`, and in words; one row per measure."""
        return {
            "measure": list(map(str, self.measures)),
            "range": list(map(bounds, self.measures)),
            "trec_eval": [trec_name(m) or "-" for m in self.measures],
            **{name: list(column) for name, column in self.more.items()},
            "in words": [m.user_model for m in self.measures],
        }

    def to_dict(self) -> dict[str, Any]:
        """One record per measure."""
        return {"measures": records(self.columns())}


def overview(more: Mapping[str, Callable[[Measure], str]] | None = None) -> Overview:
    """All measures of the catalogue, at an example of a cutoff where one is required.

    more  further columns: by name, a function from the measure to its text
    """
    measures = tuple(map(with_example_cutoff, MEASURES.values()))
    columns = {name: tuple(map(describe, measures)) for name, describe in (more or {}).items()}
    return Overview(measures=measures, more=columns)


def explain(
    text: str, judged: Judged, others: Callable[[], Others] = dict, *, short: bool = False
) -> list[Explanation]:
    """Explanations of the measures that a text names, with the scores of other tools' readings on a collection.

    others  reads the same collection under other options, keys as in `variants.RELOADED`
    short   with no more readings than the short layer shows
    """
    return [_explained(text, resolved, judged, others, short) for resolved in resolve(text)]


def _explained(text: str, resolved: Resolved, judged: Judged, others: Callable[[], Others], short: bool) -> Explanation:
    measure = with_example_cutoff(resolved.measure).relevant_from(judged.rules.rel)
    return Explanation(
        requested=text,
        measure=measure,
        facts=_facts(measure) | ({"beware": resolved.remark} if resolved.remark else {}),
        readings=readings(measure, judged, others, SHOWN if short else None),
        n_systems=len(judged.systems),
        n_topics=len(judged.topics),
    )


def with_example_cutoff(measure: Measure) -> Measure:
    """The measure, at an example of a cutoff where it needs one."""
    return measure if measure.complete else measure @ (0.1 if measure.cutoff_rule == "recall" else 10)


def bounds(measure: Measure) -> str:
    low, high = measure.bounds
    return f"{low:g} to {high:g}" if math.isfinite(high) else f"from {low:g}" if math.isfinite(low) else "any"


def trec_name(measure: Measure) -> str:
    """trec_eval's name for exactly this, or nothing."""
    known = measure.trec[measure.cutoff is not None]
    return measure.trec_name if known and not measure.settings else ""


def _facts(measure: Measure) -> dict[str, str]:
    names = [f"{', '.join(known)} ({tool})" for tool, known in spellings(measure.name).items()]
    if isinstance(measure, Interval):  # those are names of the measure within
        names = []
    facts = {
        "in words": measure.user_model,
        "formula": measure.formula,
        "symbols": SYMBOLS if measure.formula else "",
        "parameters": "\n".join(_parameters(measure)) or "none",
        "cutoff": CUTOFFS[measure.cutoff_rule],
        "range": bounds(measure),
        **model_facts(measure),
        "undefined": UNDEFINED[measure.needs],
        "topics": "summed" if measure.aggregate == "sum" else "averaged",
        "exactly": "as fractions by exact_scores, in their order by order_keys" if measure.exact else "",
        "note": measure.note,
        "reference": cited(measure.reference),
        "tested with": measure.oracle,
        "trec_eval": trec_name(measure) or "has no name for exactly this",
        "also read": "; ".join(names),
    }
    return {name: text for name, text in facts.items() if text}


def _parameters(measure: Measure) -> Iterable[str]:
    for name, default in measure.parameters or ():
        value = measure.values[name]
        text = f"{name}={parameter_text(value)}" + (f" (else {parameter_text(default)})" if value != default else "")
        words = PARAMETERS.get(f"{measure.name}.{name}", PARAMETERS.get(name))
        yield f"{text}, {words}" if words else text


def _labelled(name: str, text: str) -> list[str]:
    """A fact as lines: its name before the first, and further ones below it."""
    first, *others = text.splitlines()
    return [f"{name}: {first}", *(f"  {line}" for line in others)]


def _reading_line(reading: OtherToolScore, measure: Measure, *, call: bool) -> str:
    """The mean under one reading, what it does, and who does it; with `call`, how to compute it here."""
    who = reading.who[1:-1] if reading.who.startswith("(") else reading.who
    name = ": ".join(word for word in ("this measure" if reading.requested else "", reading.what) if word)
    parts = [name if who == "as asked" else f"{name} ({who})"]
    if call and reading.call and not reading.requested:
        parts.append(f"here {reading.call}")
    if reading.swapped:
        parts.append(f"{plural(reading.swapped, 'pair')} in another order")
    return f"{number(reading.mean, measure):>6}  {'; '.join(parts)}"


def _count(value: int | None) -> str:
    return "-" if value is None else str(value)
