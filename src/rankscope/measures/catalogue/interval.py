"""Scores as steps: which of all attainable scores it is, counted from the lowest."""

from __future__ import annotations

import re
from dataclasses import fields
from functools import lru_cache
from typing import Any

import numpy as np

from rankscope.arrays import FIRST_GRADE, UNJUDGED, Bools, Codes, ExactNumbers, Floats, Ints
from rankscope.errors import InputError, plural
from rankscope.judged import Judged
from rankscope.measures.attainable import LIMIT, Levels, apart, attainable, count, deepest, distinct
from rankscope.measures.inputs import MeasureInputs
from rankscope.measures.record import Measure

_BY_GAIN = ("gain", "ideal", "recall_base")
_BY_THRESHOLD = ("relevant", "total")
_OF_TOPIC = ("total", "ideal", "recall_base")
_KNOWN = (*_BY_THRESHOLD, *_BY_GAIN, "degrees", "retrieved")  # nothing that tells unjudged from not relevant
_WRITTEN = re.compile(r"interval\s*\((.*)\)\s*(@.*)?", re.DOTALL | re.IGNORECASE)

ON_MEANS = (
    "A mean, and a test of means, takes equal differences of score as equal. Whether that needs an interval scale is "
    "disputed. The sign test uses the order of scores alone. Interval(M) averages steps of M's own order"
)
"""What the debate on scales means to whoever compares systems, as `compare` and `explain` both say it."""


class Interval(Measure):
    """A measure at a depth, each score replaced by its rank, from 0, among all that are attainable there.

    Attainable are the scores of all lists of k documents that hold, of each level of gain, at most as many documents
    as the topic has; documents without gain never run out. Equal scores share a rank, so steps are of one size
    within a topic, and the highest rank differs between topics. For how many lists this is done, `attainable.LIMIT`
    says.

    >>> from rankscope.measures import measure
    >>> measure("Interval(RR@3)").score([[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 0, 1]], [0, 0, 0, 1, 1]).tolist()
    [0.0, 1.0, 2.0, 3.0]
    """

    __slots__ = ()

    @classmethod
    def of(cls, measure: Measure) -> Interval:
        """The measure, interval-scaled."""
        name = f"Interval({measure})"
        if isinstance(measure, Interval):
            raise InputError(*_twice(measure))
        if measure.cutoff_rule in ("none", "recall"):
            raise InputError(f"{name}: {measure.name} has no depth", "take one that can be cut at a rank, as AP@10")
        if odd := [name for name in measure.inputs if name not in _KNOWN]:
            raise InputError(
                f"{name}: {measure.name} looks at more than relevance ({', '.join(odd)})",
                f"take a measure whose inputs are among {', '.join(_KNOWN)}",
            )
        own: dict[str, Any] = {
            "formula": r"|\{ v : v \text{ attainable}, v < \text{" + measure.name + r"} \}|",
            "user_model": f"Counts the scores of {measure.name} that lists of k documents can have and that are lower.",
            "bounds": (0.0, float("inf")),
            "reference": "ferrante2021meaningful",
            "oracle": "none: the slow twin",
            "trec": (None, None),
            "note": f"Steps are even on the order that {measure.name} itself makes of rankings. The highest step "
            "differs between topics with other recall bases, and means over topics weigh them so.",
            "cutoff_rule": "required",
        }
        return cls(**_fields(measure) | own)

    @property
    def plain(self) -> Measure:
        """The measure whose scores are counted."""
        return Measure(**_fields(self))

    def __str__(self) -> str:
        return f"Interval({super().__str__()})"

    __repr__ = __str__

    @property
    def _identity(self) -> tuple[Any, ...]:
        return "Interval", *super()._identity

    def compute(self, lists: MeasureInputs) -> Floats:
        """Ranks of the scores of all lists, NaN where the measure is not defined."""
        if not self.complete:
            raise InputError(f"{self} needs a cutoff", f"write {self}@10")
        plain = self.plain
        scores = plain.compute(lists)
        kind, examples = _topics(plain, lists)
        steps = np.full(scores.shape, np.nan)
        for number, available in enumerate(examples):
            here = np.broadcast_to(kind == number, scores.shape) & ~np.isnan(scores)
            if here.any():
                table = _table(plain, tuple(lists.grades.tolist()), available)
                steps[here] = self._ranks(scores[here], table)
        return steps

    def exact_scores(self, lists: Any, available: Any = None) -> ExactNumbers:
        """Ranks of the scores as whole numbers, None where the measure is not defined."""
        if isinstance(lists, Judged):
            return super().exact_scores(lists)  # comes back here with its lists
        ranks = self.compute(lists if isinstance(lists, MeasureInputs) else MeasureInputs.from_grades(lists, available))
        undefined = np.isnan(ranks)
        steps: ExactNumbers = np.where(undefined, 0, ranks).astype(np.int64).astype(object)
        steps[undefined] = None
        return steps

    def _ranks(self, scores: Floats, table: Floats) -> Floats:
        """Ranks of scores among the attainable ones, up to rounding."""
        near = apart(float(np.abs(table[[0, -1]]).max()), int(self.cutoff or 0)) / 2
        rank = np.searchsorted(table, scores + near, side="right") - 1
        strange = np.abs(scores - table[rank]) > near
        if strange.any() or (rank < 0).any():
            value = float(scores[strange | (rank < 0)][0])
            long = plural(self.cutoff or 0, "document")
            raise InputError(
                f"{self}: {value!r} is the score of no list of {long}",
                f"{self.name} must not depend on how long lists are, or all must have {long}",
            )
        return rank.astype(np.float64)


def unwrapped(text: str) -> str:
    """The measure within 'Interval(AP@10)' or 'Interval(AP)@10', or nothing.

    >>> unwrapped("Interval(AP)@10"), unwrapped("AP@10")
    ('AP@10', '')
    """
    match = _WRITTEN.fullmatch(text.strip())
    if not match:
        return ""
    within = match[1].strip()
    if not within:
        raise InputError(f"{text}: no measure is named", "write Interval(AP@10)")
    if _WRITTEN.fullmatch(within):
        raise InputError(*_twice(within))
    return within + (match[2] or "")


def _twice(measure: Any) -> tuple[str, str]:
    return f"Interval({measure}): {measure} counts steps already", f"write {measure}"


def _fields(measure: Measure) -> dict[str, Any]:
    return {field.name: getattr(measure, field.name) for field in fields(Measure)}


def _levels(measure: Measure, lists: MeasureInputs) -> list[Bools]:
    """The grades of each level that the measure tells from the others and from no gain at all, as masks."""
    looks = [np.zeros(len(lists.grades))]
    if {*_BY_GAIN} & {*measure.inputs}:
        looks.append(lists.gain_table(measure)[FIRST_GRADE:])
    if {*_BY_THRESHOLD} & {*measure.inputs}:
        looks.append((np.arange(len(lists.grades)) + FIRST_GRADE >= lists.threshold(measure)).astype(np.float64))
    look = np.stack(looks, axis=1)
    return [mask for level in np.unique(look, axis=0) if level.any() for mask in [(look == level).all(axis=1)]]


def _topics(measure: Measure, lists: MeasureInputs) -> tuple[Ints, list[tuple[int, ...]]]:
    """Number of the table of attainable scores of each topic, and an example of `available` for each table.

    A kernel sees of a topic only what is compared here: the inputs that are the topic's, and the documents of each
    level as far as k ranks can hold them.
    """
    depth, pool = int(measure.cutoff or 0), lists.available.reshape(-1, len(lists.grades))
    lead = lists.available.shape[:-1]
    seen: list[Any] = [np.zeros(lead)]
    seen += [np.minimum(lists.available[..., mask].sum(axis=-1), depth) for mask in _levels(measure, lists)]
    seen += [lists.input(name, measure) for name in _OF_TOPIC if name in measure.inputs]
    columns = [np.asarray(values, np.float64).reshape(len(pool), -1) for values in seen]
    _, first, number = np.unique(np.hstack(columns), axis=0, return_index=True, return_inverse=True)
    return number.reshape(lead), [tuple(pool[at].tolist()) for at in first]


@lru_cache(maxsize=2)
def _enumerated(depth: int, counts: tuple[int, ...]) -> Levels:
    """Lists that topics share which differ in their recall base alone."""
    lists = attainable(depth, counts)
    lists.setflags(write=False)
    return lists


@lru_cache(maxsize=64)
def _table(measure: Measure, grades: tuple[float, ...], available: tuple[int, ...]) -> Floats:
    """All different scores that lists of a topic can have, ascending."""
    depth = int(measure.cutoff or 0)
    topic = MeasureInputs(np.zeros((1, 0), np.uint8), np.array(grades), np.array(available, np.int64))
    masks = _levels(measure, topic)
    counts = [min(depth, int(topic.available[mask].sum())) for mask in masks]
    number = count(depth, counts)
    if number > LIMIT:
        most = deepest(len(counts) + 1)
        raise InputError(
            f"Interval({measure}): {number:,} lists of {depth} documents are attainable, {LIMIT:,} can be enumerated",
            f"with {len(counts) + 1} levels of gain take a cutoff from 1 to {most}",
        )
    codes = [UNJUDGED, *(FIRST_GRADE + int(mask.argmax()) for mask in masks)]
    lists = _enumerated(depth, tuple(counts))
    step = max(1, (1 << 20) // max(1, depth))
    code: Codes = np.array(codes, np.uint8 if len(grades) <= 254 else np.uint16)
    parts = [
        measure.compute(MeasureInputs(code.take(lists[at : at + step]), topic.grades, topic.available))
        for at in range(0, len(lists), step)
    ]
    table = distinct(np.concatenate(parts), depth, f"Interval({measure})")
    table.setflags(write=False)
    return table
