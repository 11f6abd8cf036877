"""Two measures compared: how their definitions differ, and their scores on a collection."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from rankscope.arrays import Floats
from rankscope.errors import InputError
from rankscope.formatting import html_lines, visible
from rankscope.judged import Judged
from rankscope.layout import text_table
from rankscope.measures.explanations.explain import PARAMETERS, with_example_cutoff
from rankscope.measures.explanations.other_tools import swapped
from rankscope.measures.explanations.signatures import part_meaning
from rankscope.measures.inputs import MeasureInputs
from rankscope.measures.names import resolve
from rankscope.measures.record import Measure, parameter_text
from rankscope.measures.scores import number
from rankscope.measures.scoring import evaluate
from rankscope.results import Result
from rankscope.statistics.equality import equal

_IN_SIGNATURE = ("dcg", "gain", "rel", "max_rel")  # parameters that parts of the signature explain


class Contrast(NamedTuple):
    """Two measures on one system.

    means   the mean of each measure over topics
    differ  number of topics where the scores differ
    most    the topic where they differ most, or ""
    values  the scores there
    """

    system: str
    means: tuple[float, float]
    differ: int
    most: str
    values: tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MeasureContrast(Result):
    """Two measures compared on a collection.

    reasons    how their definitions differ, in sentences
    contrasts  one per system
    swapped    pairs of systems that the two measures order differently
    """

    measures: tuple[Measure, Measure]
    reasons: tuple[str, ...]
    contrasts: tuple[Contrast, ...]
    n_topics: int
    swapped: int

    def columns(self) -> dict[str, list[Any]]:
        """Columns system, mean_a, mean_b, differ, most, value_a, value_b; one row per system."""
        return {
            "system": [c.system for c in self.contrasts],
            "mean_a": [_plain(c.means)[0] for c in self.contrasts],
            "mean_b": [_plain(c.means)[1] for c in self.contrasts],
            "differ": [c.differ for c in self.contrasts],
            "most": [c.most or None for c in self.contrasts],
            "value_a": [_plain(c.values)[0] for c in self.contrasts],
            "value_b": [_plain(c.values)[1] for c in self.contrasts],
        }

    def column_types(self) -> dict[str, Any]:
        return {"mean_a": float, "mean_b": float, "most": str, "value_a": float, "value_b": float}

    def heading(self) -> str:
        return "; ".join(self.reasons)

    def remarks(self) -> list[str]:
        pairs = len(self.contrasts) * (len(self.contrasts) - 1) // 2
        return [f"pairs of systems in another order: {self.swapped} of {pairs}"]

    def table(self) -> tuple[list[str], list[list[str]]]:
        a, b = self.measures
        rows = [
            [c.system, number(c.means[0], a), number(c.means[1], b), f"{c.differ} of {self.n_topics}", c.most or "-",
             number(c.values[0], a), number(c.values[1], b)]
            for c in self.contrasts
        ]  # fmt: skip
        return ["system", str(a), str(b), "topics differ", "most at", "first there", "second there"], rows

    def __str__(self) -> str:
        reasons = [f"- {visible(reason)}" for reason in self.reasons]
        return "\n".join([*reasons, "", text_table(*self.table()), "", *map(visible, self.remarks())])

    def _repr_html_(self) -> str:
        return html_lines(str(self))

    def to_dict(self) -> dict[str, Any]:
        """Measures, reasons, numbers of each system; None where a number is undefined."""
        return {
            "measures": [str(m) for m in self.measures],
            "reasons": list(self.reasons),
            "systems": [
                {"system": c.system, "means": _plain(c.means), "differ": c.differ, "most": c.most or None,
                 "values": _plain(c.values)}
                for c in self.contrasts
            ],
            "n_topics": self.n_topics,
            "swapped": self.swapped,
        }  # fmt: skip


def difference(first: str, second: str, judged: Judged) -> MeasureContrast:
    """Two measures, named in any notation, compared on a collection."""
    (a, remark_a), (b, remark_b) = _single(first, judged), _single(second, judged)
    scores = evaluate(judged, [a, b])
    values = scores.value[[scores.measures.index(a), scores.measures.index(b)]]
    means = scores.mean().value[[scores.measures.index(a), scores.measures.index(b)]]
    lists = MeasureInputs(judged.code, judged.grades, judged.available)
    remarks = dict.fromkeys(remark for remark in (remark_a, remark_b) if remark)
    return MeasureContrast(
        measures=(a, b),
        reasons=(*_reasons(a, b, lists), *remarks),
        contrasts=tuple(_contrast(s, name, means, values, judged) for s, name in enumerate(judged.systems)),
        n_topics=len(judged.topics),
        swapped=swapped(means[0], means[1]),
    )


def _single(text: str, judged: Judged) -> tuple[Measure, str]:
    measures = resolve(text)
    if len(measures) != 1:
        raise InputError(f"{text} names {len(measures)} measures", "compare one with one")
    return with_example_cutoff(measures[0].measure).relevant_from(judged.rules.rel), measures[0].remark


def _reasons(a: Measure, b: Measure, lists: MeasureInputs) -> Iterator[str]:
    if a == b:
        yield f"both are {a} here"
        return
    if a.name != b.name:
        yield from (f"{m.name}: {m.user_model} {m.formula}".rstrip() for m in (a, b))
    if a.cutoff != b.cutoff:
        yield " and ".join(f"{m} counts {_depth(m)}" for m in (a, b))
    for name in dict.fromkeys([*a.values, *b.values]):
        values = [_value(m, name) for m in (a, b) if name in m.values]
        if name not in _IN_SIGNATURE and len(set(values)) == 2:
            yield f"{' against '.join(values)}: {PARAMETERS.get(f'{a.name}.{name}', PARAMETERS.get(name, name))}"
    yield from _grades(a, b, lists)


def _grades(a: Measure, b: Measure, lists: MeasureInputs) -> Iterator[str]:
    """Use of grades by each measure: the parts of its signature that the other lacks."""
    of_a, of_b = a.signature(lists)[1:], b.signature(lists)[1:]
    yield from (f"{a}: {part_meaning(part)}" for part in of_a if part not in of_b)
    yield from (f"{b}: {part_meaning(part)}" for part in of_b if part not in of_a)


def _value(measure: Measure, name: str) -> str:
    return f"{name}={parameter_text(measure.values[name])}"


def _depth(measure: Measure) -> str:
    if measure.cutoff is None:
        return "the whole list"
    return f"from recall {measure.cutoff} on" if measure.cutoff_rule == "recall" else f"the first {measure.cutoff}"


def _contrast(s: int, name: str, means: Floats, values: Floats, judged: Judged) -> Contrast:
    a, b = values[:, s]
    differ = ~equal(a, b) & ~(np.isnan(a) & np.isnan(b))  # a score and NaN differ
    gap = np.where(differ, np.nan_to_num(np.abs(b - a)), 0.0)
    most = int(gap.argmax()) if gap.any() else None
    return Contrast(
        system=name,
        means=(float(means[0, s]), float(means[1, s])),
        differ=int(np.count_nonzero(differ)),
        most="" if most is None else judged.topics[most],
        values=(np.nan, np.nan) if most is None else (float(a[most]), float(b[most])),
    )


def _plain(pair: tuple[float, float]) -> list[float | None]:
    return [None if value != value else value for value in pair]
