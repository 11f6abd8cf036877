"""A measure in words, and what its name stands for elsewhere, in numbers."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

from rankscope.errors import plural
from rankscope.judged import Judged
from rankscope.measures.aliases import spellings
from rankscope.measures.catalogue.interval import Interval
from rankscope.measures.cwla import told
from rankscope.measures.explanations.bibliography import cited
from rankscope.measures.explanations.other_tools import Others, OtherToolScore, readings
from rankscope.measures.names import MEASURES, Resolved, resolve
from rankscope.measures.record import Measure, written
from rankscope.measures.scores import number
from rankscope.results import Result, records, text_table

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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Explanation(Result):
    """The record of a measure, and other readings of its name on a collection."""

    asked: str
    measure: Measure
    facts: dict[str, str]
    readings: tuple[OtherToolScore, ...]
    systems: int
    topics: int

    def table(self) -> tuple[list[str], list[list[str]]]:
        rows = [
            ["*" if r.asked else "", r.who, r.what, r.call or "-", number(r.mean, self.measure), _count(r.swapped)]
            for r in self.readings
        ]
        return ["", "who", "what", "here", "mean", "swapped"], rows

    def __str__(self) -> str:
        title = str(self.measure) if self.asked == str(self.measure) else f"{self.measure}, asked for as {self.asked}"
        width = max(map(len, self.facts)) + 2
        lines = [_indented(name, text, width) for name, text in self.facts.items()]
        pairs = self.systems * (self.systems - 1) // 2
        over = f"{plural(self.systems, 'system')} and {plural(self.topics, 'topic')}"
        said = f"means over {over}; swapped: of {plural(pairs, 'pair')} of systems"
        return "\n".join([title, "", *lines, "", said, "", text_table(*self.table(), left=4)])

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as for JSON."""
        readings = [r._asdict() | {"mean": None if math.isnan(r.mean) else r.mean} for r in self.readings]
        return {
            "asked": self.asked,
            "measure": str(self.measure),
            "facts": self.facts,
            "systems": self.systems,
            "topics": self.topics,
            "readings": readings,
        }


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Overview(Result):
    """Every measure in one line.

    more  further columns by name, a text for each measure
    """

    measures: tuple[Measure, ...]
    more: Mapping[str, tuple[str, ...]]

    def table(self) -> tuple[list[str], list[list[str]]]:
        rows = [
            [str(m), bounds(m), trec_name(m) or "-", *(column[at] for column in self.more.values()), m.user_model]
            for at, m in enumerate(self.measures)
        ]
        return ["measure", "range", "trec_eval", *self.more, "in words"], rows

    def __str__(self) -> str:
        header, rows = self.table()
        return text_table(header, rows, left=len(header))

    def columns(self) -> dict[str, list[Any]]:
        """One row per measure."""
        header, rows = self.table()
        return {name: [row[at] for row in rows] for at, name in enumerate(header)}

    def to_dict(self) -> dict[str, Any]:
        """One record per measure."""
        return {"measures": records(self.columns())}


def overview(more: Mapping[str, Callable[[Measure], str]] | None = None) -> Overview:
    """Every measure there is, at an example of a cutoff where it needs one.

    more  what else to say of a measure, by column
    """
    measures = tuple(map(completed, MEASURES.values()))
    return Overview(measures=measures, more={name: tuple(map(say, measures)) for name, say in (more or {}).items()})


def explain(text: str, judged: Judged, others: Others | None = None) -> list[Explanation]:
    """What the measures that a text names are, and what others call so, in numbers of this collection.

    others  the same collection under other options, keys as in `variants.RELOADED`
    """
    return [_explained(text, found, judged, others or {}) for found in resolve(text)]


def _explained(text: str, found: Resolved, judged: Judged, others: Others) -> Explanation:
    measure = completed(found.measure).relevant_from(judged.rules.rel)
    return Explanation(
        asked=text,
        measure=measure,
        facts=_facts(measure) | ({"beware": found.remark} if found.remark else {}),
        readings=readings(measure, judged, others),
        systems=len(judged.systems),
        topics=len(judged.topics),
    )


def completed(measure: Measure) -> Measure:
    """The measure, at an example of a cutoff where it needs one."""
    return measure if measure.complete else measure @ (0.1 if measure.cutoff_rule == "recall" else 10)


def bounds(measure: Measure) -> str:
    low, high = measure.bounds
    return f"{low:g} to {high:g}" if math.isfinite(high) else f"from {low:g}" if math.isfinite(low) else "any"


def trec_name(measure: Measure) -> str:
    """trec_eval's name for exactly this, or nothing."""
    known = measure.trec[measure.cutoff is not None]
    return measure.trec_name if known and not measure.given else ""


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
        **told(measure),
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
        text = f"{name}={written(value)}" + (f" (else {written(default)})" if value != default else "")
        words = PARAMETERS.get(f"{measure.name}.{name}", PARAMETERS.get(name))
        yield f"{text}, {words}" if words else text


def _indented(name: str, text: str, width: int) -> str:
    filled = textwrap.TextWrapper(110 - width, break_long_words=False, break_on_hyphens=False)
    lines = [text] if name == "formula" else [line for part in text.splitlines() for line in filled.wrap(part)]
    return name.ljust(width) + ("\n" + " " * width).join(lines)


def _count(value: int | None) -> str:
    return "-" if value is None else str(value)
