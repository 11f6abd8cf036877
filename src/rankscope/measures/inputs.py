"""The arrays that kernels ask for by name, made from grade codes once and shared by all measures."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from rankscope.arrays import FIRST_GRADE, PADDING, UNJUDGED, Bools, Codes, Floats, Ints
from rankscope.errors import InputError
from rankscope.judged.subtopics import Subtopics, relevant_by_subtopic
from rankscope.measures.exact import over_one_unit, rational

if TYPE_CHECKING:
    from rankscope.measures.record import Measure

_HIGHEST = 1000  # grade of which 2^grade, and sums of it, are doubles
LARGEST_GAIN = 2.0**_HIGHEST
"""Gains up to it can be summed."""


class MeasureInputs:
    """Ranked lists of grade codes, (..., K), and the judged documents of each grade per topic, (..., G).

    The leading axes of `available` broadcast against those of `code`: topics come last.
    """

    def __init__(self, code: Codes, grades: Floats, available: Ints, subtopics: Subtopics | None = None) -> None:
        self.code, self.grades, self.available, self.subtopics = code, grades, available, subtopics
        self._arrays: dict[Any, Any] = {}

    @classmethod
    def from_grades(cls, gains: Any, available: Any = None) -> MeasureInputs:
        """Lists from plain grades, NaN for unjudged."""
        try:
            listed = np.asarray(gains, np.float64)
            pool = listed if available is None else np.asarray(available, np.float64)
        except (TypeError, ValueError):
            raise InputError("grades are no array of numbers", "give lists of equal length, NaN for unjudged") from None
        if listed.ndim == 0 or pool.ndim == 0:
            raise InputError("a list needs an axis of ranks", "give at least a one-dimensional array")
        both = np.concatenate([listed.ravel(), pool.ravel()])
        if np.isinf(both).any():
            raise InputError("a grade is infinite", "grades are finite numbers, or NaN for unjudged")
        grades = np.unique(both[~np.isnan(both)])
        code = np.where(np.isnan(listed), UNJUDGED, np.searchsorted(grades, listed) + FIRST_GRADE)
        counts = (pool[..., None] == grades).sum(axis=-2)
        if available is not None and ((listed[..., None] == grades).sum(axis=-2) > counts).any():
            raise InputError("a list holds more documents of a grade than are available",
                             "available lists the grades of all judged documents of the topic")  # fmt: skip
        return cls(code.astype(np.uint8 if len(grades) <= 254 else np.uint16), grades, counts)

    def input(self, name: str, measure: Measure) -> Any:
        """Input of a kernel by name; equal requests share one array."""
        build, decided_by = INPUTS[name]
        rel, alpha = measure.values.get("rel", 1), measure.values.get("alpha")
        choice = {"rel": (rel,), "gain": self._gain_key(measure), "alpha": (rel, alpha), "": ()}[decided_by]
        cutoff = None if measure.cutoff_rule == "recall" else measure.cutoff  # 1.0 there is not rank 1 here
        key = (name, choice, cutoff)
        if key not in self._arrays:
            array = build(self, measure)
            array.setflags(write=False)  # shared with every other measure
            self._arrays[key] = array
        return self._arrays[key]

    @cached_property
    def exact(self) -> ExactInputs:
        """The same lists for exact kernels, their gains as whole numbers."""
        return ExactInputs(self.code, self.grades, self.available)

    def defined(self, measure: Measure) -> Bools:
        """Whether the measure is defined for each list, (...)."""
        if measure.needs == "nothing":
            return np.ones(1, np.bool_)
        if measure.needs == "relevant":
            fine = self.total(measure) > 0
        else:
            fine = self.available[..., self.gain_table(measure)[FIRST_GRADE:] > 0].sum(axis=-1) > 0
        return np.broadcast_to(fine, self.code.shape[:-1])

    # shared by the builders below

    def cut(self, measure: Measure) -> Codes:
        """Codes down to the measure's cutoff."""
        if measure.cutoff is None or measure.cutoff_rule == "recall":
            return self.code
        return self.code[..., : int(measure.cutoff)]

    def threshold(self, measure: Measure) -> int:
        """The lowest code that counts as relevant."""
        return FIRST_GRADE + int(np.searchsorted(self.grades, measure.values.get("rel", 1)))

    def zero(self) -> int:
        """The lowest code of a grade that is not negative."""
        return FIRST_GRADE + int(np.searchsorted(self.grades, 0))

    def total(self, measure: Measure) -> Ints:
        relevant: Ints = self.available[..., self.threshold(measure) - FIRST_GRADE :].sum(axis=-1)
        return relevant

    def recall_base(self, measure: Measure) -> Any:
        return (self.available * _mapped(self.grades, measure)).sum(axis=-1)

    def gain_table(self, measure: Measure) -> Floats:
        """Gain of each code."""
        key = ("table", self._gain_key(measure))
        if key not in self._arrays:
            self._arrays[key] = np.concatenate([np.zeros(FIRST_GRADE), _gains(self.grades, measure)])
        table: Floats = self._arrays[key]
        return table

    @staticmethod
    def _gain_key(measure: Measure) -> tuple[Any, ...]:
        return measure.gain_kind, *(measure.values.get(p) for p in ("rel", "gains", "max_rel", "c"))

    def gain_words(self, measure: Measure) -> str:
        """Mapping of grades to gains, as a signature writes it."""
        kind = "linear" if measure.gain_kind == "grade" else measure.gain_kind
        if measure.values.get("gains") is not None:
            kind += "+map"
        if measure.gain_kind in ("linear", "exp"):
            kind += f"/{_top(self.grades, measure):g}"
        if measure.gain_kind == "degree":
            kind += f"/{_degrees(self.grades, measure)}"
        return kind


class ExactInputs(MeasureInputs):
    """Inputs of exact kernels: gains are whole numbers of 1/unit, a recall base is a fraction."""

    @property
    def exact(self) -> ExactInputs:
        return self

    def gain_table(self, measure: Measure) -> Any:
        return self._table(measure)[0]

    def unit(self, measure: Measure) -> int:
        """The whole number that stands for a gain of 1."""
        return self._table(measure)[1]

    def degrees(self, measure: Measure) -> int:
        """Number of degrees of relevance above not relevant."""
        return _degrees(self.grades, measure)

    def _table(self, measure: Measure) -> tuple[Any, int]:
        key = ("table", self._gain_key(measure))
        if key not in self._arrays:
            zero = [Fraction(0)] * FIRST_GRADE
            self._arrays[key] = over_one_unit([*zero, *_exact_gains(self.grades, measure)])
        table: tuple[Any, int] = self._arrays[key]
        return table

    def recall_base(self, measure: Measure) -> Any:
        level, unit = over_one_unit(_exactly_mapped(self.grades, measure))
        total = np.asarray((self.available * level).sum(axis=-1)).astype(object)
        return np.asarray(total * Fraction(1, unit), object)


def _top(grades: Floats, measure: Measure) -> float:
    """The grade that stands for full gain."""
    largest = measure.values.get("max_rel")
    mapped = _mapped(grades, measure)
    top = float(mapped.max(initial=0.0))
    if largest is not None and largest < top:
        raise InputError(
            f"{measure}: a grade of {top:g} is above max_rel={largest:g}", "give the largest grade there is"
        )
    return float(largest) if largest is not None else top


def _mapped(grades: Floats, measure: Measure) -> Floats:
    """Grades, those named in the measure's gain map replaced by it; none negative."""
    gains = dict(measure.values.get("gains") or ())
    return np.maximum(np.array([gains.get(g, g) for g in grades.tolist()], np.float64), 0.0)


def _gains(grades: Floats, measure: Measure) -> Floats:
    kind = measure.gain_kind
    if kind == "binary":
        return (grades >= measure.values.get("rel", 1)).astype(np.float64)
    level = _mapped(grades, measure)
    if kind == "degree":
        return np.array([float(gain) for gain in _exact_gains(grades, measure)])
    if kind == "grade":
        return level
    top = float(level.max(initial=0.0)) if kind == "exponential" else _top(grades, measure)
    if kind == "linear":
        return level / top if top else level
    if top > _HIGHEST:
        raise InputError(
            f"{measure}: 2^{top:g} is beyond all numbers", f"map grades to at most {_HIGHEST} by its gains"
        )
    if kind == "exponential":
        return np.exp2(level) - 1
    assert kind == "exp", kind
    return (np.exp2(level) - 1) / np.exp2(top)


def _exactly_mapped(grades: Floats, measure: Measure) -> list[Fraction]:
    """As `_mapped`, each number the rational that was typed."""
    return [Fraction(rational(level)) for level in _mapped(grades, measure).tolist()]


def _exact_gains(grades: Floats, measure: Measure) -> list[Fraction]:
    """As `_gains`, never rounded."""
    kind, level = measure.gain_kind, _exactly_mapped(grades, measure)
    if kind == "binary":
        return [Fraction(grade >= measure.values.get("rel", 1)) for grade in grades.tolist()]
    if kind == "degree":
        return _numbered(level, measure)
    if kind == "grade":
        return level
    top = Fraction(rational(_top(grades, measure)))
    if kind == "linear":
        return [gain / top for gain in level] if top else level
    if any(power.denominator > 1 for power in (*level, top)):
        raise InputError(f"{measure} has no exact form: 2^grade is no fraction where a grade is not whole",
                         "map grades to whole numbers by its gains")  # fmt: skip
    assert kind in ("exponential", "exp"), kind
    return [(2 ** int(gain) - 1) / Fraction(2 ** int(top) if kind == "exp" else 1) for gain in level]


def _numbered(level: list[Fraction], measure: Measure) -> list[Fraction]:
    """Degrees of relevance: the gains that occur, numbered upwards from 1, or as they are where c names the scale."""
    if measure.values.get("c") is not None:
        return level
    known = sorted({gain for gain in level if gain > 0})
    place = {gain: Fraction(number) for number, gain in enumerate([Fraction(0), *known])}
    return [place[gain] for gain in level]


def _degrees(grades: Floats, measure: Measure) -> int:
    """Number of degrees of relevance above not relevant, at least 1."""
    known = sorted({gain for gain in _mapped(grades, measure).tolist() if gain > 0})
    c, numbered = measure.values.get("c"), measure.gain_kind == "degree"
    if c is None:
        return max(1, len(known))
    if len(known) > c or (numbered and any(gain > c or gain % 1 for gain in known)):
        shown = f"{'grades' if numbered else 'weights'} {', '.join(f'{gain:g}' for gain in known)}"
        fit = f"whole grades from 0 to {c}" if numbered else f"at most {c} weights above 0"
        raise InputError(f"{measure}: {shown} do not fit a scale of c={c}",
                         f"{fit} do; give a larger c, or map grades by its gains")  # fmt: skip
    return int(c)


def _relevant(lists: MeasureInputs, measure: Measure) -> Bools:
    return lists.cut(measure) >= lists.threshold(measure)


def _nonrelevant(lists: MeasureInputs, measure: Measure) -> Bools:
    code = lists.cut(measure)
    return (code >= lists.zero()) & (code < lists.threshold(measure))


def _pooled(lists: MeasureInputs, measure: Measure) -> Bools:
    code = lists.cut(measure)
    return (code >= FIRST_GRADE) & (code < lists.zero())


def _judged(lists: MeasureInputs, measure: Measure) -> Bools:
    return lists.cut(measure) >= FIRST_GRADE


def _unjudged(lists: MeasureInputs, measure: Measure) -> Bools:
    return lists.cut(measure) == UNJUDGED


def _retrieved(lists: MeasureInputs, measure: Measure) -> Ints:
    counts: Ints = np.count_nonzero(lists.cut(measure) != PADDING, axis=-1)
    return counts


def _gain(lists: MeasureInputs, measure: Measure) -> Floats:
    return np.take(lists.gain_table(measure), lists.cut(measure))


def _ideal(lists: MeasureInputs, measure: Measure) -> Floats:
    """The topic's gains in the best order, cut where the measure is cut."""
    table = lists.gain_table(measure)[FIRST_GRADE:]
    best = np.argsort(-table, kind="stable")[: np.count_nonzero(table)]
    counts = lists.available[..., best]
    depth = int(counts.sum(axis=-1).max(initial=0))
    if measure.cutoff is not None:
        depth = min(depth, int(measure.cutoff))
    ends = np.cumsum(counts, axis=-1)
    level = (np.arange(depth) >= ends[..., None]).sum(axis=-2)  # how many grades are used up at each rank
    return np.append(table[best], table[:0].sum())[level]


def _recall_base(lists: MeasureInputs, measure: Measure) -> Any:
    return lists.recall_base(measure)


def _total(lists: MeasureInputs, measure: Measure) -> Ints:
    return lists.total(measure)


def _total_nonrelevant(lists: MeasureInputs, measure: Measure) -> Ints:
    counts: Ints = lists.available[..., lists.zero() - FIRST_GRADE : lists.threshold(measure) - FIRST_GRADE].sum(
        axis=-1
    )
    return counts


def _covered(lists: MeasureInputs, measure: Measure) -> Bools:
    """Relevance by subtopic; judgments without subtopics are of one."""
    if lists.subtopics is None:
        return _relevant(lists, measure)[..., None]
    table = relevant_by_subtopic(lists.subtopics.patterns, measure.values.get("rel", 1))
    depth = lists.cut(measure).shape[-1]
    return np.take(table, lists.subtopics.code[..., :depth], axis=0)


def _subtopic_total(lists: MeasureInputs, measure: Measure) -> Ints:
    if lists.subtopics is None:
        return lists.total(measure)[..., None]
    patterns = lists.subtopics.patterns
    relevant = relevant_by_subtopic(patterns, measure.values.get("rel", 1))[FIRST_GRADE:]
    totals = np.zeros((len(lists.available), relevant.shape[1]), np.int64)
    np.add.at(totals, patterns.topic, relevant[patterns.pattern])
    return totals


def _ideal_covered(lists: MeasureInputs, measure: Measure) -> Bools:
    """The list that takes the document of most novelty at each rank, of equal ones that with the highest id."""
    total = lists.total(measure)
    depth = int(total.max(initial=0))
    depth = depth if measure.cutoff is None else min(depth, int(measure.cutoff))
    if lists.subtopics is None:
        return (np.arange(depth) < total[..., None])[..., None]
    patterns, keep = lists.subtopics.patterns, 1 - float(measure.values["alpha"])
    relevant = relevant_by_subtopic(patterns, measure.values.get("rel", 1))[FIRST_GRADE:]
    chosen = np.zeros((len(lists.available), depth, relevant.shape[1]), np.bool_)
    for topic in range(len(chosen)):
        docs = relevant[patterns.pattern[patterns.topic == topic]]
        docs = docs[docs.any(axis=1)]
        worth = np.ones(docs.shape[1])
        for rank in range(min(depth, len(docs))):
            gain = docs @ worth
            best = int(np.argmax(gain >= gain.max() - 1e-12))
            chosen[topic, rank] = docs[best]
            worth = np.where(docs[best], worth * keep, worth)
            docs = np.delete(docs, best, axis=0)
    return chosen


INPUTS: dict[str, tuple[Callable[[MeasureInputs, Measure], Any], Literal["rel", "gain", "alpha", ""]]] = {
    "relevant": (_relevant, "rel"),  # (..., K) grade at least rel
    "nonrelevant": (_nonrelevant, "rel"),  # (..., K) judged, below rel, not negative
    "pooled": (_pooled, ""),  # (..., K) negative grade: in the pool but not judged
    "judged": (_judged, ""),  # (..., K) any grade
    "unjudged": (_unjudged, ""),  # (..., K) retrieved without a judgment
    "gain": (_gain, "gain"),  # (..., K) 0 where unjudged or padded
    "ideal": (_ideal, "gain"),  # (..., I) the topic's gains, best first
    "recall_base": (_recall_base, "gain"),  # (...) gain of all judged documents of the topic, grades as mapped
    "retrieved": (_retrieved, ""),  # (...) documents in the list, down to the cutoff
    "total": (_total, "rel"),  # (...) relevant documents of the topic
    "covered": (_covered, "rel"),  # (..., K, N) relevant for each subtopic of the topic
    "subtopic_total": (_subtopic_total, "rel"),  # (..., N) relevant documents of each subtopic
    "ideal_covered": (_ideal_covered, "alpha"),  # (..., I, N) the greedy ideal list, relevant for each subtopic
    "total_nonrelevant": (_total_nonrelevant, "rel"),  # (...) judged non-relevant documents of the topic
}
"""Builder of each input, and whether the threshold or the gain map decides it."""
