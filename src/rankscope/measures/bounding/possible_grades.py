"""Possible grades of unjudged documents, and lists in which every document has a grade."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from rankscope.arrays import FIRST_GRADE, UNJUDGED, Bools, Codes, Floats, Ints
from rankscope.errors import InputError, argument
from rankscope.judged import Judged
from rankscope.measures.catalogue.interval import Interval
from rankscope.measures.inputs import MeasureInputs
from rankscope.measures.record import Measure

LOCAL = frozenset({"relevant", "nonrelevant", "pooled", "judged", "unjudged", "gain", "retrieved", "degrees"})
"""Inputs that tell a kernel of the list alone, not of what else the topic has."""


def knows_recall_base(measure: Measure) -> bool:
    """Whether documents that the list does not show can matter: those of the topic, and those past the cutoff."""
    return isinstance(measure, Interval) or not {*measure.inputs} <= LOCAL


@dataclass(frozen=True, slots=True)
class Range:
    """Lowest and highest value of each list, whether they are attained, and by which argument if not.

    beyond  documents past the end of the list count too, so that its own do not settle the matter
    """

    lower: Floats
    upper: Floats
    exact: Bools
    how: str = ""
    beyond: bool = False


def refuse_condensed(judged: Judged) -> None:
    """Lists without their unjudged documents say nothing on the grades of these."""
    if judged.rules.unjudged == "condensed":
        cure = f"load whole lists: {argument('unjudged', 'keep')}"
        raise InputError("unjudged documents were taken out of the lists, and bounds are over their grades", cure)


def with_zero(lists: MeasureInputs) -> MeasureInputs:
    """The lists with grade 0 on their scale, where it has none that is not above 0.

    Judgments that name relevant documents only do not say that there are no others.
    """
    if (lists.grades <= 0).any():
        return lists
    wide = np.uint16 if len(lists.grades) >= 254 else lists.code.dtype
    code = lists.code.astype(wide) + (lists.code >= FIRST_GRADE).astype(wide)
    none = np.zeros((*lists.available.shape[:-1], 1), lists.available.dtype)
    return MeasureInputs(code, np.append(0.0, lists.grades), np.concatenate([none, lists.available], axis=-1))


@dataclass(frozen=True, slots=True)
class Classes:
    """Grades that a measure tells apart, as codes, from worst to best where `ordered`."""

    code: Ints
    relevant: Bools
    gain: Floats
    ordered: bool

    def __len__(self) -> int:
        return len(self.code)

    @property
    def worst(self) -> int:
        return int(self.code[0])

    @property
    def best(self) -> int:
        return int(self.code[-1])


def classes(lists: MeasureInputs, measure: Measure) -> Classes:
    """Grades that the measure tells apart, one of each class.

    Every input of the kernel is computed for lists of one document, with each grade in turn.
    """
    count = len(lists.grades)
    code = np.arange(FIRST_GRADE, FIRST_GRADE + count)
    probe = MeasureInputs(code[:, None].astype(lists.code.dtype), lists.grades, np.eye(count, dtype=np.int64))
    inputs = {name: np.asarray(probe.input(name, measure)).reshape(count, -1) for name in measure.inputs}
    # "ideal" is cut where gains end, so a document without gain may have no column there
    kind = [tuple(x for name in inputs for x in inputs[name][i].tolist()) for i in range(count)]
    relevant, gain = (
        np.asarray(inputs[name])[:, 0] if name in inputs else np.zeros(count) for name in ("relevant", "gain")
    )
    first = [i for i in range(count) if kind.index(kind[i]) == i]
    first.sort(key=lambda i: (relevant[i], gain[i]))
    pairs = [(relevant[i], gain[i]) for i in first]
    ordered = all(a != b and a[0] <= b[0] and a[1] <= b[1] for a, b in pairwise(pairs))
    return Classes(code[first], relevant[first].astype(bool), gain[first].astype(np.float64), ordered)


def unjudged(lists: MeasureInputs) -> Bools:
    return lists.code == UNJUDGED


def within(lists: MeasureInputs, measure: Measure) -> Bools:
    """(K) ranks that the measure looks at."""
    return np.arange(lists.code.shape[-1]) < lists.cut(measure).shape[-1]


def with_codes(lists: MeasureInputs, code: Codes) -> MeasureInputs:
    """The lists with these codes, unjudged documents and all; what was unjudged joins what the topic has."""
    new = unjudged(lists)
    available = np.broadcast_to(lists.available, (*code.shape[:-1], len(lists.grades))).copy()
    for grade_code in np.flatnonzero(np.bincount(code[new])).tolist():
        available[..., grade_code - FIRST_GRADE] += np.count_nonzero(new & (code == grade_code), axis=-1)
    return MeasureInputs(code, lists.grades, available)


def filled(lists: MeasureInputs, better: Bools | bool, worst: int, best: int) -> MeasureInputs:
    """Unjudged documents get the best grade where `better` says so, else the worst."""
    new = unjudged(lists)
    code = lists.code.copy()
    code[new] = worst
    code[new & better] = best
    return with_codes(lists, code)


def scored(lists: MeasureInputs, measure: Measure) -> Floats:
    """Scores, 0 where the measure has nothing to measure: whether such a topic counts is decided afterwards."""
    return np.where(lists.defined(measure), measure.compute(lists), 0.0)


def all_exact(lists: MeasureInputs) -> Bools:
    return np.ones(lists.code.shape[:-1], np.bool_)


def no_range(lists: MeasureInputs, why: str, beyond: bool = False) -> Range:
    """The range of lists of which nothing is known."""
    unknown = np.full(lists.code.shape[:-1], np.nan)
    return Range(unknown, unknown, ~all_exact(lists), why, beyond)
