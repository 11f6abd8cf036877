"""Random small collections and lists, made of what goes wrong in practice.

Ties are frequent, some of them only in single precision; ids are prefixes of one another, hold `#` and other odd
characters, or differ only after many bytes; topics lack relevant documents, judgments or a list.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

DOCS = (
    "d1", "d10", "d2", "d01", "D1", "d", "1", "01", "1.0", "#", "#d1", "d#1", "-", "nan", '"q"', "a,b",
    "é", "e\u0301", "日本", "\U0001f4c4", "\u00ff", "x" * 64, "x" * 64 + "1", "x" * 64 + "2", "x" * 63 + "y",
)  # fmt: skip
TOPICS = ("1", "01", "10", "1#", "q", "q1", "тема")
OTHER_TOPICS = ("2", "1.0", "Q")
INTEGER_GRADES = (0, 1, 2, 3, -1, -2)
GRADES = (0.0, 1.0, 2.0, 3.0, 0.5, 0.25, 1.5, 0.1, 2.7, -1.0, -0.5)
TYING_SCORES = (
    0.0, -0.0, 1.0, -1.0, 2.5,
    1 + 1e-9, 0.1, float(np.float32(0.1)), 2.0**24, 2.0**24 + 1, 1e-50, -1e-50, 1e39, 2e39,  # tie as 32-bit floats
)  # fmt: skip


@dataclass(frozen=True)
class Collection:
    """Judgments {topic: {document: grade}} and runs {system: {topic: {document: score}}}."""

    qrels: dict[str, dict[str, float]]
    runs: dict[str, dict[str, dict[str, float]]]


def scores() -> st.SearchStrategy[float]:
    """Scores of a run, most of which tie with others."""
    return st.sampled_from(TYING_SCORES) | st.floats(allow_nan=False, allow_infinity=False)


def collections(
    *, grades: Sequence[float] = GRADES, fewest: int = 1, systems: int = 2, depth: int = 12
) -> st.SearchStrategy[Collection]:
    """Up to four topics; at least one is judged and has a list in every run, the rest may lack either."""
    topics = st.lists(st.sampled_from(TOPICS), min_size=1, max_size=4, unique=True)
    number = st.integers(fewest, systems)

    def each(size: int) -> tuple[st.SearchStrategy[Any], ...]:
        """So many documents, and what each of them has, if anything: a grade, a score."""
        docs = st.lists(st.sampled_from(DOCS), min_size=size, max_size=size, unique=True)
        judged = st.lists(st.sampled_from((None, None, *grades)), min_size=size, max_size=size)
        ranked = st.lists(st.none() | scores(), min_size=size, max_size=size)
        others = st.dictionaries(st.sampled_from((*TOPICS, *OTHER_TOPICS)), st.just([]) | ranked | ranked, max_size=3)
        return docs, judged, st.just([]) | judged | judged | judged, ranked, others

    by_size = [each(size) for size in range(1, depth + 1)]

    @st.composite
    def made(draw: st.DrawFn) -> Collection:
        docs, judged, perhaps_judged, ranked, others = draw(st.sampled_from(by_size))
        known = draw(docs)

        def given(values: Sequence[float | None]) -> dict[str, float]:
            return {doc: value for doc, value in zip(known, values, strict=False) if value is not None}

        first, *rest = draw(topics)
        qrels = {first: given(draw(judged)) or {known[0]: grades[0]}}
        qrels |= {topic: given(draw(perhaps_judged)) for topic in rest}
        runs = {
            name: {topic: given(values) for topic, values in draw(others).items()}
            | {first: given(draw(ranked)) or {known[0]: 1.0}}
            for name in "abcdefgh"[: draw(number)]
        }
        return Collection(qrels, runs)

    return made()


def has_relevant(judged: Any) -> bool:
    """Whether a topic has a relevant document, so that systems can be compared."""
    return bool((judged.available[:, judged.grades >= 1] > 0).any())


@st.composite
def gains(
    draw: st.DrawFn, *, grades: Sequence[float] = GRADES, systems: int = 3, depth: int = 12, unjudged: bool = True
) -> NDArray[Any]:
    """(systems, ranks) grades of documents, NaN for unjudged; a list may be empty."""
    cell = st.sampled_from((*grades, float("nan")) if unjudged else tuple(grades))
    ranks = draw(st.integers(0, depth))
    rows = draw(st.lists(st.lists(cell, min_size=ranks, max_size=ranks), min_size=1, max_size=systems))
    return np.array(rows, np.float64).reshape(len(rows), ranks)
