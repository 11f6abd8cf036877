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
TOPICS = ("1", "01", "10", "#1", "q", "q1", "тема")
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
    *, grades: Sequence[float] = GRADES, systems: int = 2, depth: int = 12
) -> st.SearchStrategy[Collection]:
    """Up to four topics; at least one is judged and has a list in every run, the rest may lack either."""
    doc, number = st.sampled_from(DOCS), st.integers(1, systems)
    # any list of documents, and one that is not empty
    judged, some_judged = (st.dictionaries(doc, st.sampled_from(grades), min_size=n, max_size=depth) for n in (0, 1))
    ranked, some_ranked = (st.dictionaries(doc, scores(), min_size=n, max_size=depth) for n in (0, 1))
    topics = st.lists(st.sampled_from(TOPICS), min_size=1, max_size=4, unique=True)
    others = st.dictionaries(st.sampled_from((*TOPICS, *OTHER_TOPICS)), ranked, max_size=4)

    @st.composite
    def made(draw: st.DrawFn) -> Collection:
        first, *rest = draw(topics)
        qrels = {first: draw(some_judged)} | {topic: draw(judged) for topic in rest}
        runs = {name: draw(others) | {first: draw(some_ranked)} for name in "abcdefgh"[: draw(number)]}
        return Collection(qrels, runs)

    return made()


@st.composite
def gains(
    draw: st.DrawFn, *, grades: Sequence[float] = GRADES, systems: int = 3, depth: int = 12, unjudged: bool = True
) -> NDArray[Any]:
    """(systems, ranks) grades of documents, NaN for unjudged; a list may be empty."""
    cell = st.sampled_from((*grades, float("nan")) if unjudged else tuple(grades))
    ranks = draw(st.integers(0, depth))
    rows = draw(st.lists(st.lists(cell, min_size=ranks, max_size=ranks), min_size=1, max_size=systems))
    return np.array(rows, np.float64).reshape(len(rows), ranks)
