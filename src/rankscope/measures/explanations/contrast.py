"""Why two measures give two numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import Any, NamedTuple

import numpy as np

from rankscope.arrays import Floats
from rankscope.errors import InputError
from rankscope.judged import Judged
from rankscope.measures.explanations.explain import PARAMETERS, completed
from rankscope.measures.explanations.other_tools import swapped
from rankscope.measures.explanations.signatures import words
from rankscope.measures.inputs import MeasureInputs
from rankscope.measures.names import resolve
from rankscope.measures.record import Measure, written
from rankscope.measures.scores import number
from rankscope.measures.scoring import evaluate
from rankscope.results import Result, text_table
from rankscope.statistics.equality import equal

_SAID = ("dcg", "gain", "rel", "max_rel")  # parameters that a signature tells in words


class Contrast(NamedTuple):
    """Two measures on one system: means, topics where they differ, and where they do so most."""

    system: str
    means: tuple[float, float]
    topics: int
    most: str
    values: tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MeasureContrast(Result):
    """What two measures do otherwise, and by how much on a collection."""

    measures: tuple[Measure, Measure]
    reasons: tuple[str, ...]
    contrasts: tuple[Contrast, ...]
    topics: int
    swapped: int

    def table(self) -> tuple[list[str], list[list[str]]]:
        a, b = self.measures
        rows = [
            [c.system, number(c.means[0], a), number(c.means[1], b), f"{c.topics} of {self.topics}", c.most or "-",
             number(c.values[0], a), number(c.values[1], b)]
            for c in self.contrasts
        ]  # fmt: skip
        return ["system", str(a), str(b), "topics differ", "most at", "first there", "second there"], rows

    def __str__(self) -> str:
        pairs = len(self.contrasts) * (len(self.contrasts) - 1) // 2
        said = f"pairs of systems in another order: {self.swapped} of {pairs}"
        return "\n".join([*(f"- {reason}" for reason in self.reasons), "", text_table(*self.table()), "", said])

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"

    def to_dict(self) -> dict[str, Any]:
        return {
            "measures": [str(m) for m in self.measures],
            "reasons": list(self.reasons),
            "systems": [
                {"system": c.system, "means": _plain(c.means), "topics": c.topics, "most": c.most or None,
                 "values": _plain(c.values)}
                for c in self.contrasts
            ],
            "topics": self.topics,
            "swapped": self.swapped,
        }  # fmt: skip


def difference(one: str, other: str, judged: Judged) -> MeasureContrast:
    """Why two measures, named in any notation, give two numbers on this collection."""
    (a, said_a), (b, said_b) = _single(one, judged), _single(other, judged)
    scores = evaluate(judged, [a, b])
    values = scores.value[[scores.measures.index(a), scores.measures.index(b)]]
    means = scores.mean().value[[scores.measures.index(a), scores.measures.index(b)]]
    lists = MeasureInputs(judged.code, judged.grades, judged.available)
    remarks = dict.fromkeys(remark for remark in (said_a, said_b) if remark)
    return MeasureContrast(
        measures=(a, b),
        reasons=(*_reasons(a, b, lists), *remarks),
        contrasts=tuple(_contrast(s, name, means, values, judged) for s, name in enumerate(judged.systems)),
        topics=len(judged.topics),
        swapped=swapped(means[0], means[1]),
    )


def _single(text: str, judged: Judged) -> tuple[Measure, str]:
    found = resolve(text)
    if len(found) != 1:
        raise InputError(f"{text} names {len(found)} measures", "compare one with one")
    return completed(found[0].measure).relevant_from(judged.rules.rel), found[0].remark


def _reasons(a: Measure, b: Measure, lists: MeasureInputs) -> Iterator[str]:
    if a == b:
        yield f"both are {a} here"
        return
    if a.name != b.name:
        yield from (f"{m.name}: {m.user_model} {m.formula}".rstrip() for m in (a, b))
    if a.cutoff != b.cutoff:
        yield " and ".join(f"{m} counts {_depth(m)}" for m in (a, b))
    for name in dict.fromkeys([*a.values, *b.values]):
        told = [_value(m, name) for m in (a, b) if name in m.values]
        if name not in _SAID and len(set(told)) == 2:
            yield f"{' against '.join(told)}: {PARAMETERS.get(f'{a.name}.{name}', PARAMETERS.get(name, name))}"
    yield from _grades(a, b, lists)


def _grades(a: Measure, b: Measure, lists: MeasureInputs) -> Iterator[str]:
    """What each makes of grades, in the words of their signatures."""
    of_a, of_b = a.signature(lists)[1:], b.signature(lists)[1:]
    yield from (f"{a}: {words(part)}" for part in of_a if part not in of_b)
    yield from (f"{b}: {words(part)}" for part in of_b if part not in of_a)


def _value(measure: Measure, name: str) -> str:
    return f"{name}={written(measure.values[name])}"


def _depth(measure: Measure) -> str:
    if measure.cutoff is None:
        return "the whole list"
    return f"from recall {measure.cutoff} on" if measure.cutoff_rule == "recall" else f"the first {measure.cutoff}"


def _contrast(s: int, name: str, means: Floats, values: Floats, judged: Judged) -> Contrast:
    one, other = values[:, s]
    differ = ~equal(one, other) & ~(np.isnan(one) & np.isnan(other))  # one without a value differs
    gap = np.where(differ, np.nan_to_num(np.abs(one - other)), 0.0)
    most = int(gap.argmax()) if gap.any() else None
    return Contrast(
        system=name,
        means=(float(means[0, s]), float(means[1, s])),
        topics=int(np.count_nonzero(differ)),
        most="" if most is None else judged.topics[most],
        values=(np.nan, np.nan) if most is None else (float(one[most]), float(other[most])),
    )


def _plain(pair: tuple[float, float]) -> list[float | None]:
    return [None if value != value else value for value in pair]
