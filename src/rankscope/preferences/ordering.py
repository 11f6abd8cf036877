"""Orders of two lists for IPSO: counts at every grade threshold, or sums of one gain map.

Rule 1 of Moffat and Mackenzie (2024, section 2.2) prefers a list whose every document is at least as good as the one
of the other list at its rank, Rule 2 a list in which a better document has changed places with a worse one above it.
One list can be reached from another by these two rules if and only if, for every grade g and every depth, it has at
least as many documents of grade g or more (proof in docs/methods/ipso.md). Nothing is added up but documents, so the
order needs no gain map, and it binds every metric that keeps both rules. Sums of gains order more pairs and bind fewer
metrics. For binary judgments the two are one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from rankscope.arrays import FIRST_GRADE, Floats, Ints
from rankscope.errors import InputError, argument, typed
from rankscope.judged import Judged
from rankscope.preferences.gains import (
    THRESHOLDS,
    GainMap,
    Gains,
    check_rel,
    exact_lists,
    lowest_relevant,
    map_of,
    shown,
)

_KEEPS = "to this depth that keeps Rules 1 and 2 of Moffat and Mackenzie (2024)"
RULES = f"every metric {_KEEPS}"
BINARY = f"every metric of this binary relevance {_KEEPS}"
SUMS = "every metric to this depth that sums this gain times a weight that is never negative and never grows with rank"
_METRICS = {
    RULES: "metrics to this depth under which a better document, or a better one moved up, never lowers the score",
    BINARY: "metrics to this depth of this binary relevance under which a relevant document, or one moved up, never "
    "lowers the score",
    SUMS: SUMS.replace("every metric", "metrics", 1).replace("sums", "sum", 1),
}
"""The same metrics, by what they are rather than by the number of a rule."""
_MARK = "order:thresholds"
_SHOWN = 8  # thresholds that are named one by one


@dataclass(frozen=True, slots=True, eq=False)
class Ordering:
    """Order of two lists: by counts at grade thresholds, or by sums of gains.

    gain    the gain map whose sums are compared; None where documents are counted
    firsts  the lowest code of each threshold at which documents are counted
    names   the grades of these thresholds, as one would type them
    words   the order in words
    binds   metrics that score a list that is ahead at least as high as the other list
    mark    the order in a signature
    """

    gain: GainMap | None
    firsts: Ints
    names: tuple[str, ...]
    words: str
    binds: str
    mark: str

    @property
    def binary(self) -> bool:
        """Whether documents are relevant or not, and nothing else matters."""
        return self.gain is None and len(self.firsts) == 1

    @property
    def meaning(self) -> str:
        """Meaning of being ahead on a topic, in one sentence."""
        return f"{self.binds[0].upper()}{self.binds[1:]} scores the list that is ahead at least as high as the other."

    def outcome(self, ahead: str) -> str:
        """What metrics say of two lists of which one is ahead, or of two undecided lists where none is named.

        >>> plain_ordering(([1, 0], [0, 1]), None)[1].outcome("A").removeprefix("Metrics to this depth under which ")
        'a better document, or a better one moved up, never lowers the score agree that A is at least as good.'
        """
        metrics = _METRICS[self.binds]
        if not ahead:
            return f"Even {metrics} may disagree here."
        return f"{metrics[0].upper()}{metrics[1:]} agree that {ahead} is at least as good."

    @property
    def short(self) -> str:
        """The order in fewer words, for a choice or a caption.

        >>> plain_ordering(([1, 0], [0, 2]), None)[1].short
        'grade thresholds (1, 2)'
        """
        if self.mark == _MARK:
            return self.words.removeprefix("counts of documents at every ").replace("threshold", "thresholds", 1)
        return f"relevance from grade {self.names[0]}" if self.mark.startswith("gain:binary") else self.words

    @property
    def caption(self) -> str:
        """Addition to "IPSO" in a caption; empty where judgments are binary."""
        return "" if self.binary and self.binds == RULES else f" by {self.short}"

    @property
    def first(self) -> int:
        """The lowest code that counts."""
        return int(self.firsts[0]) if self.gain is None else self.gain.first

    def summed(self, code: Any) -> Iterator[tuple[Ints, int]]:
        """Terms that are summed down the ranks of these lists, each with the most that one more document could add.

        One array for a gain map; for thresholds one for each that tells some of these documents apart, and the highest
        one, which unjudged documents might reach.
        """
        if self.gain is not None:
            yield np.take(self.gain.table, code), self.gain.most
            return
        for first in self.telling(np.bincount(code.ravel(), minlength=int(self.firsts[-1]) + 1)):
            yield (code >= first).astype(np.int64), 1

    def telling(self, count: Ints) -> list[int]:
        """The lowest codes of the thresholds that tell documents apart of which there are so many with each code.

        A threshold whose own grade nobody has counts what the next higher one does. The highest is always there.
        """
        has_documents = count[self.firsts[:-1]] > 0
        return [*self.firsts[:-1][has_documents].tolist(), int(self.firsts[-1])]

    def share(self, code: Any) -> Floats:
        """Of each document, the part of the thresholds that it reaches, or of the largest gain that it has."""
        if self.gain is not None:
            return np.take(self.gain.table, code) / max(1, self.gain.most)
        return np.searchsorted(self.firsts, code, side="right") / len(self.firsts)


def ordering_for(judged: Judged, gains: Gains, rel: float | None, depth: int) -> Ordering:
    """The order of a collection's lists: by thresholds, unless gains or a lowest relevant grade are named.

    Thresholds are the judged grades above 0, and from the collection's lowest relevant grade on where that is lower.
    """
    if gains is None:
        gains = THRESHOLDS if rel is None else "binary"
    check_rel(gains, rel)
    grades = judged.grades
    if gains == "binary":
        return _binary(grades, lowest_relevant(judged, rel), BINARY)
    if gains == THRESHOLDS:
        return _thresholds(grades, min([judged.rules.rel, *grades[grades > 0][:1].tolist()]))
    return _by_gains(grades, gains, depth)


def plain_ordering(lists: Any, gains: Gains) -> tuple[list[Ints], Ordering]:
    """Plain arrays of grades, ranks last, as codes; and their order. Every value above 0 is a threshold."""
    values, unit = exact_lists(*lists)
    distinct = np.unique(np.concatenate([array.ravel() for array in values]))
    grades = np.array([Fraction(value, unit) for value in distinct.tolist()], object)
    codes = [FIRST_GRADE + np.searchsorted(distinct, array) for array in values]
    least = min((grade for grade in grades.tolist() if grade > 0), default=Fraction(1))
    if gains == "binary":
        return codes, _binary(grades, least, BINARY)
    if gains is None or gains == THRESHOLDS:
        return codes, _thresholds(grades, least)
    return codes, _by_gains(grades, gains, values[0].shape[-1])


def _thresholds(grades: Any, least: Any) -> Ordering:
    """Counts at every grade from the least one on."""
    at = np.flatnonzero(grades >= least)
    if len(at) < 2:
        return _binary(grades, grades[at[0]] if len(at) else least, RULES)
    names = tuple(map(_typed, grades[at].tolist()))
    listed = ", ".join(names) if len(names) <= _SHOWN else f"{names[0]}, {names[1]}, ..., {names[-1]}: {len(names)}"
    words = f"counts of documents at every grade threshold ({listed})"
    return Ordering(None, FIRST_GRADE + at, names, words, RULES, _MARK)


def _binary(grades: Any, least: Any, binds: str) -> Ordering:
    """Counts of the documents from one grade on."""
    name = _typed(least)
    first = FIRST_GRADE + np.count_nonzero(grades < least)
    words = f"counts of documents of grade {name} or more"
    return Ordering(None, np.array([first]), (name,), words, binds, f"gain:binary|rel:{name}")


def _by_gains(grades: Any, gains: Gains, depth: int) -> Ordering:
    """Sums of a gain map; counts where there is but one gain."""
    if not isinstance(gains, Mapping) and gains not in ("linear", "exp"):
        cure = f"gains are thresholds, binary, linear, exp, or a map such as {typed({1: 0.5, 2: 1})}"
        raise InputError(f"{argument('gains', gains)} is unknown", cure)
    gain = map_of(grades, gains, None, depth)
    names, first = (gain.words,), np.array([gain.first])
    if gain.binary:
        return Ordering(None, first, names, f"counts of documents with gain ({gain.words})", BINARY, gain.mark)
    return Ordering(gain, first, names, f"sums of gain ({gain.words})", SUMS, gain.mark)


def _typed(grade: Any) -> str:
    return shown(grade) if isinstance(grade, Fraction) else f"{grade:g}"
