"""Lexiprecision and lexirecall: the first, or the last, recall level where two lists differ decides.

Diaz, "Best-case retrieval evaluation: improving the sensitivity of reciprocal rank with lexicographic precision", 2023;
Diaz, Ekstrand and Mitra, "Recall, robustness, and lexicographic evaluation", 2023.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan
from typing import TYPE_CHECKING, Any

import numpy as np

from rankscope.arrays import Floats, Ints
from rankscope.formatting import probability, score
from rankscope.judged import Judged
from rankscope.judged.two_systems import two_systems
from rankscope.preferences.classes import LABELS, Classes, favoured
from rankscope.preferences.recall_levels import LATE, Levels, if_lists_went_on, levels_of, plain_levels, relevant_from
from rankscope.preferences.selection import chosen, counted, depth_of
from rankscope.results import Result, frame
from rankscope.statistics.pairs.difference_tests import even_odds

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Lexicographic(Result):
    """The preference between a and b on each topic, by the recall level that decided; positive for b.

    level         (topics) the deciding level, 0 for a tie
    sign          (topics) 1 where b is preferred, -1 where a is: sgnLP, or sgnLR for lexirecall
    difference    (topics) RR_b - RR_a at the deciding level: rrLP
    lowest, highest  (topics) the sign at worst and at best for b, however lists that were cut may go on
    levels        the ranks at every recall level
    """

    method: str
    systems: tuple[str, str]
    topics: tuple[str, ...]
    level: Ints
    sign: Ints
    difference: Floats
    lowest: Ints
    highest: Ints
    levels: Levels
    relevant: str
    depth: int
    left_out: int
    signature: str

    @property
    def dominance(self) -> Classes:
        """(topics) dominance over all recall levels, in IPSO's classes."""
        return self.levels.classes()

    @property
    def reciprocal_ranks(self) -> tuple[Floats, Floats]:
        """RR_i of a and of b, (topics, levels): 0 where unretrieved, NaN where the topic has fewer relevant."""
        return self.levels.reciprocal()

    @property
    def search_lengths(self) -> tuple[Floats, Floats]:
        """ESL_i of a and of b, (topics, levels): NaN where unretrieved."""
        return self.levels.search_length()

    @property
    def pvalue(self) -> float:
        """p of the sign test: exact, two-sided, ties left out."""
        return float(even_odds(np.count_nonzero(self.sign > 0), np.count_nonzero(self.sign < 0)))

    def columns(self) -> dict[str, list[Any]]:
        """One row per topic."""
        return {
            "topic": list(self.topics),
            "sign": self.sign.tolist(),
            "favours": favoured(self.sign, self.systems),
            "level": [level or None for level in self.level.tolist()],
            "difference": self.difference.tolist(),
            "lowest": self.lowest.tolist(),
            "highest": self.highest.tolist(),
            "dominance": [LABELS[c] for c in self.dominance.tolist()],
        }

    def column_types(self) -> dict[str, Any]:
        """Types of columns that may hold nothing but nulls."""
        return {"level": int}

    def by_level(self) -> pl.DataFrame:
        """One row per topic and recall level: RR_i and ESL_i of both; ESL_i is null where unretrieved."""
        t, i = np.nonzero(np.arange(self.levels.a.shape[-1]) < self.levels.total[:, None])
        columns: dict[str, Any] = {"topic": [self.topics[x] for x in t.tolist()], "level": (i + 1).tolist()}
        sides = zip("ab", self.reciprocal_ranks, self.search_lengths, strict=True)
        for side, reciprocal, length in sides:
            columns[f"RR_{side}"] = reciprocal[t, i].tolist()
            columns[f"ESL_{side}"] = [None if isnan(x) else int(x) for x in length[t, i].tolist()]
        return frame(columns, ESL_a=int, ESL_b=int)

    def table(self) -> tuple[list[str], list[list[str]]]:
        """One row."""
        wins = [int(np.count_nonzero(self.sign == s)) for s in (-1, 0, 1)]
        means = [float(self.sign.mean()), float(self.difference.mean())]
        header = ["method", "a preferred", "tied", "b preferred", "mean sign", "mean difference of RR", "p"]
        return header, [[self.method, *map(str, wins), *map(score, means), probability(self.pvalue)]]

    def heading(self) -> str:
        """Heading of the table: method, systems, depth, topics and relevance."""
        a, b = self.systems
        what = f"{self.method} of a = {a} against b = {b} to depth {self.depth}"
        return f"{what}; {counted(self.topics, self.left_out)}; {self.relevant}"

    def remarks(self) -> list[str]:
        """Remarks below the table."""
        return [if_lists_went_on(self.lowest, self.highest)]


def lexiprecision(
    source: Judged | Any, a: Any, b: Any, *, depth: int | None = None, rel: float | None = None, **rules: Any
) -> Lexicographic:
    """Prefer the list that finds its first relevant document earlier; where both do so alike, the second; and so on.

    source, a, b  lists and the names of two systems; or judgments and two runs, as `load` takes them
    depth  ranks to compare; all that were loaded by default
    rel    the lowest relevant grade; by default that of the collection
    rules  those of `load`, for runs that are read here, such as ties="rank"

    Never contradicts reciprocal rank, and ties only where all relevant documents stand at the same ranks.
    """
    return _compared("lexiprecision", two_systems(source, a, b, **rules), depth, rel, last=False)


def lexirecall(
    source: Judged | Any, a: Any, b: Any, *, depth: int | None = None, rel: float | None = None, **rules: Any
) -> Lexicographic:
    """Prefer the list that finds its last relevant document earlier; where both do so alike, the last but one, ...

    More relevant documents retrieved always win: it never contradicts recall. Options as for `lexiprecision`.
    """
    return _compared("lexirecall", two_systems(source, a, b, **rules), depth, rel, last=True)


def lexiprecision_of(a: Any, b: Any, *, total: Any = None) -> Lexicographic:
    """`lexiprecision` of plain arrays of gains, ranks last; total is the number of relevant documents there are.

    >>> got = lexiprecision_of([0, 1, 0, 1], [0, 1, 1, 0])
    >>> got.sign.tolist(), got.level.tolist()
    ([1], [2])
    """
    return _plain("lexiprecision", plain_levels(a, b, total), last=False)


def lexirecall_of(a: Any, b: Any, *, total: Any = None) -> Lexicographic:
    """`lexirecall` of plain arrays of gains, ranks last; total is the number of relevant documents there are."""
    return _plain("lexirecall", plain_levels(a, b, total), last=True)


def decided(a: Ints, b: Ints, *, last: bool) -> tuple[Ints, Ints]:
    """The first level, or the last, where ranks differ (0 for none), and who is better there: 1 for b, -1 for a."""
    apart = a != b
    count = a.shape[-1]
    if not count:
        none = np.zeros(a.shape[:-1], np.int64)
        return none, none
    at = count - 1 - apart[..., ::-1].argmax(axis=-1) if last else apart.argmax(axis=-1)
    here = at[..., None]
    better = np.sign(np.take_along_axis(a, here, -1) - np.take_along_axis(b, here, -1))[..., 0]
    return np.where(better != 0, at + 1, 0), better


def _compared(
    method: str, lists_and_names: tuple[Judged, str, str], depth: int | None, rel: float | None, *, last: bool
) -> Lexicographic:
    judged, a, b = lists_and_names
    depth = depth_of(judged, depth)
    first, words, mark = relevant_from(judged, rel)
    lists = chosen(judged, (a, b), depth, first, callers=2)
    signature = "|".join([f"{method}@{depth}", mark, *judged.rules.signature()])
    levels = levels_of(lists, first)
    return _result(method, (a, b), lists.topics, levels, words, depth, lists.n_left_out, signature, last=last)


def _plain(method: str, levels: Levels, *, last: bool) -> Lexicographic:
    topics = tuple(map(str, range(1, len(levels.total) + 1)))
    depth = int(levels.length.max(initial=0))
    return _result(method, ("A", "B"), topics, levels, "relevant where there is gain", depth, 0, method, last=last)


def _result(
    method: str,
    systems: tuple[str, str],
    topics: tuple[str, ...],
    levels: Levels,
    relevant: str,
    depth: int,
    left_out: int,
    signature: str,
    *,
    last: bool,
) -> Lexicographic:
    level, sign = decided(levels.a, levels.b, last=last)
    at = np.maximum(level - 1, 0)[:, None]
    difference = np.zeros(len(topics))
    if levels.a.shape[-1]:
        a, b = (np.take_along_axis(r, at, -1)[:, 0] for r in (levels.a, levels.b))
        difference = np.where(b < LATE, 1.0 / b, 0.0) - np.where(a < LATE, 1.0 / a, 0.0)
    worst, best = (decided(*ranks, last=last)[1] for ranks in levels.bounds())
    return Lexicographic(
        method=method,
        systems=systems,
        topics=topics,
        level=level,
        sign=sign,
        difference=np.where(level > 0, difference, 0.0),
        lowest=worst,
        highest=best,
        levels=levels,
        relevant=relevant,
        depth=depth,
        left_out=left_out,
        signature=signature,
    )
