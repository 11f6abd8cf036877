"""Seven numeric properties of a measure (Moffat 2013), looked for in all binary rankings up to a depth."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from rankscope.arguments import at_once, whole_number
from rankscope.arrays import FIRST_GRADE, Floats, Ints
from rankscope.measures import Measure, MeasureInputs
from rankscope.measures.attainable import Levels, attainable, certain_signs, doubtful
from rankscope.measures.names import single_measure
from rankscope.results import Result
from rankscope.universe.rankings import written

PROPERTIES = {
    "bounded": "scores lie between 0 and 1",
    "monotone": "one more document at the end never lowers the score",
    "convergent": "a relevant document in place of one that is not raises the score",
    "top-weighted": "a relevant document that moves up past one that is not raises the score",
    "localised": "the score does not depend on R, the number of relevant documents that there are",
    "complete": "there is a score where R is 0",
    "realisable": "for every k and R some ranking reaches the highest score",
}
MOST_DEPTH, MOST_RECALL_BASE = 12, 100


class PropertyFinding(NamedTuple):
    """Whether a property holds; if not, rankings with their R and scores that show it, and the same in words."""

    name: str
    holds: bool
    rankings: tuple[tuple[int, ...], ...] = ()
    recall_bases: tuple[int, ...] = ()
    scores: tuple[float, ...] = ()
    words: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Properties(Result):
    """The seven properties of a measure: each holds for all rankings up to k and R, or has a counterexample."""

    measure: Measure
    depth: int
    recall_base: int
    findings: tuple[PropertyFinding, ...]

    def __getitem__(self, name: str) -> PropertyFinding:
        return next(finding for finding in self.findings if finding.name == name)

    @property
    def holding(self) -> tuple[str, ...]:
        """Names of those that hold."""
        return tuple(finding.name for finding in self.findings if finding.holds)

    def table(self) -> tuple[list[str], list[list[str]]]:
        upto = f"holds up to k = {self.depth}, R = {self.recall_base}"
        rows = [[f.name, PROPERTIES[f.name], upto if f.holds else f"no: {f.words}"] for f in self.findings]
        return ["property", "meaning", str(self.measure)], rows

    def text_columns(self) -> int:
        return 3

    def to_dict(self) -> dict[str, Any]:
        return {
            "measure": str(self.measure),
            "k": self.depth,
            "R": self.recall_base,
            "properties": {
                f.name: {"holds": f.holds, "counterexample": f.words or None} for f in self.findings
            },
        }  # fmt: skip

    def columns(self) -> dict[str, list[Any]]:
        """Columns property, holds, counterexample: one row per property."""
        return {
            "property": [f.name for f in self.findings],
            "holds": [f.holds for f in self.findings],
            "counterexample": [f.words or None for f in self.findings],
        }

    def column_types(self) -> dict[str, Any]:
        return {"counterexample": str}


def properties(measure: str | Measure, *, depth: int = 5, recall_base: int = 8) -> Properties:
    """Seven numeric properties of a measure, checked for all binary rankings.

    depth        k: rankings have 1 to k documents, and the measure is cut at their length where it can be cut
    recall_base  R: topics have 0 to R relevant documents, at least as many as the ranking holds

    Undefined scores are what the formula gives: a measure is complete if that is a number where R is 0, although
    rankscope leaves such topics out of means.

    >>> properties("RR").holding
    ('bounded', 'monotone', 'localised', 'complete', 'realisable')
    >>> properties("P@5")["top-weighted"].words
    '01 scores 0.5, 10 scores 0.5 (R = 1)'
    """
    at_once(
        lambda: whole_number("depth", depth, 1, MOST_DEPTH),
        lambda: whole_number("recall_base", recall_base, 1, MOST_RECALL_BASE),
    )
    scores = _Scores(single_measure(measure), depth, recall_base)
    findings = tuple(_finding(scores, name, look(scores)) for name, look in _LOOKS.items())
    return Properties(measure=scores.measure, depth=depth, recall_base=recall_base, findings=findings)


class _Scores:
    """Scores of all binary rankings of k documents where R are relevant, by k and R; NaN where they hold more."""

    def __init__(self, measure: Measure, depth: int, recall_base: int) -> None:
        self.measure, self.depth, self.recall_base = measure, depth, recall_base
        self.level = {k: attainable(k, [k]) for k in range(1, depth + 1)}
        self.by_topic = {(k, r): self._scored(k, r) for k in self.level for r in range(recall_base + 1)}
        finite = np.concatenate([known[np.isfinite(known)] for known in self.by_topic.values()])
        self.size = float(np.abs(finite).max(initial=0.0))

    def _scored(self, k: int, r: int) -> Floats:
        fits = self.level[k].sum(axis=1) <= r
        grade = max(1, self.measure.values.get("rel", 1))
        code = self.level[k][fits] + np.uint8(FIRST_GRADE)
        raw = replace(self.measure.at_depth(k), needs="nothing")  # the formula's own word on R = 0
        scores = np.full(len(fits), np.nan)
        scores[fits] = raw.compute(MeasureInputs(code, np.array([0.0, grade]), np.array([k, r], np.int64)))
        return scores

    def topics(self) -> Iterator[tuple[int, int, Levels, Floats]]:
        """k, R, rankings and scores, for all topics with a relevant document."""
        for (k, r), scores in self.by_topic.items():
            if r:
                yield k, r, self.level[k], scores

    def sign(self, after: Floats, before: Floats) -> Ints:
        """Whether scores rise, stay or fall; a score that is none falls."""
        difference = after - before
        known = np.isfinite(difference)
        sign, doubt = certain_signs(np.where(known, difference, -1.0), self.size, self.depth)
        if (doubt & known).any():
            at = int((doubt & known).argmax())
            raise doubtful(str(self.measure), float(before[at]), float(after[at]))
        return sign


class _Case(NamedTuple):
    """Counterexample to a property, as rows of the arrays."""

    rankings: tuple[Any, ...]
    recall_bases: tuple[int, ...]
    scores: tuple[float, ...]
    words: str = ""


def _finding(scores: _Scores, name: str, case: _Case | None) -> PropertyFinding:
    if case is None:
        return PropertyFinding(name, True)
    rankings = tuple(tuple(int(g) for g in row) for row in case.rankings)
    several = len(set(case.recall_bases)) > 1
    parts = [
        f"{written(row)} scores {_number(score)}" + (f" with R = {r}" if several else "")
        for row, r, score in zip(rankings, case.recall_bases, case.scores, strict=True)
    ]
    plain = ", ".join(parts) + ("" if several or not parts else f" (R = {case.recall_bases[0]})")
    return PropertyFinding(name, False, rankings, case.recall_bases, case.scores, case.words or plain)


def _number(score: float) -> str:
    return f"{score:.4g}" if np.isfinite(score) else "no number"


def _bounded(scores: _Scores) -> _Case | None:
    for _, r, level, score in scores.topics():
        here = np.flatnonzero(level.sum(axis=1) <= r)
        over = scores.sign(score[here], np.ones(len(here))) > 0
        under = scores.sign(np.zeros(len(here)), score[here]) > 0
        outside = over | under | ~np.isfinite(score[here])
        if outside.any():
            at = here[int(outside.argmax())]
            return _Case((level[at],), (r,), (float(score[at]),))
    return None


def _pairs(
    scores: _Scores, moved: Callable[[Levels, int], Iterator[tuple[Ints, Ints]]], strictly: bool
) -> _Case | None:
    """The first ranking whose score does not rise (or, not strictly, falls) when it is changed within its length."""
    for k, r, level, score in scores.topics():
        few = level.sum(axis=1) <= r
        for before, after in moved(level, k):
            fits = few[before] & few[after]
            before, after = before[fits], after[fits]
            wrong = scores.sign(score[after], score[before]) < int(strictly)
            if wrong.any():
                at = int(wrong.argmax())
                low, high = before[at], after[at]
                return _Case((level[low], level[high]), (r, r), (float(score[low]), float(score[high])))
    return None


def _replaced(level: Levels, k: int) -> Iterator[tuple[Ints, Ints]]:
    """Each ranking with those where one document more is relevant."""
    for i in range(k):
        before = np.flatnonzero(level[:, i] == 0)
        yield before, before + (1 << (k - 1 - i))  # rankings are in the order of the numbers they write


def _raised(level: Levels, k: int) -> Iterator[tuple[Ints, Ints]]:
    """Each ranking with those where a relevant document has changed places with the one above it."""
    for i in range(k - 1):
        before = np.flatnonzero((level[:, i] == 0) & (level[:, i + 1] == 1))
        yield before, before + (1 << (k - 1 - i)) - (1 << (k - 2 - i))


def _monotone(scores: _Scores) -> _Case | None:
    for k, r, level, score in scores.topics():
        if k == scores.depth:
            continue
        longer, long_score = scores.level[k + 1], scores.by_topic[k + 1, r]
        for last in (0, 1):
            before = np.flatnonzero(level.sum(axis=1) + last <= r)
            after = 2 * before + last
            wrong = scores.sign(long_score[after], score[before]) < 0
            if wrong.any():
                at = int(wrong.argmax())
                low, high = before[at], after[at]
                return _Case((level[low], longer[high]), (r, r), (float(score[low]), float(long_score[high])))
    return None


def _localised(scores: _Scores) -> _Case | None:
    for k, r, level, score in scores.topics():
        if r == scores.recall_base:
            continue
        here, other = np.flatnonzero(level.sum(axis=1) <= r), scores.by_topic[k, r + 1]
        differs = (scores.sign(other[here], score[here]) != 0) & ~(np.isnan(other[here]) & np.isnan(score[here]))
        if differs.any():
            at = here[int(differs.argmax())]
            return _Case((level[at], level[at]), (r, r + 1), (float(score[at]), float(other[at])))
    return None


def _complete(scores: _Scores) -> _Case | None:
    for k, level in scores.level.items():
        if not np.isfinite(scores.by_topic[k, 0][0]):
            return _Case((level[0],), (0,), (float("nan"),))
    return None


def _realisable(scores: _Scores) -> _Case | None:
    if _bounded(scores) is not None:
        return _Case((), (), (), "scores have no highest value")
    for k, r, level, score in scores.topics():
        best = int(np.nanargmax(score))
        if scores.sign(score[best : best + 1], np.ones(1))[0] < 0:
            words = f"with k = {k} and R = {r} no ranking scores above {_number(float(score[best]))}"
            return _Case((level[best],), (r,), (float(score[best]),), words)
    return None


_LOOKS: dict[str, Callable[[_Scores], _Case | None]] = {
    "bounded": _bounded,
    "monotone": _monotone,
    "convergent": lambda scores: _pairs(scores, _replaced, strictly=True),
    "top-weighted": lambda scores: _pairs(scores, _raised, strictly=True),
    "localised": _localised,
    "complete": _complete,
    "realisable": _realisable,
}
