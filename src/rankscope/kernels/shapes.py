"""Types of arguments and results that compiled and pure kernels share."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from rankscope.arrays import Bools, Codes, Floats, Hashes, Ints, Spans, Text

EightBytes = TypeVar("EightBytes", np.float64, np.int64)
PRODUCT = 1 << 18
"""Multiplications of a matrix product that the library does without threads of its own."""

SCORES_APART, RANKS_APART = 1, 2  # bits: scores that do not fall, as 32-bit floats, too; ranks that fall


class TieOrder(IntEnum):
    """Order of documents of equal score; remaining ties by document id, descending."""

    TREC = 0  # nothing but the document id
    RANK = 1  # the smaller rank column
    FILE = 2  # the earlier line
    BEST = 3  # the higher grade
    WORST = 4  # the lower grade


@dataclass(frozen=True, slots=True)
class Order:
    """Rules by which the lines of a topic become a ranking."""

    ties: TieOrder = TieOrder.TREC
    single: bool = False  # compare scores as 32-bit floats
    first: bool = False  # keep the first of repeated documents instead of refusing them
    depth: int = 2**62
    wide: bool = False  # two bytes a code
    docs: int = 0  # number so many documents of each list too
    extremes: bool = False  # give codes with ties at their best and at their worst too
    apart: bool = False  # say which segments have lines in another order than that of their scores and ranks
    least: int = 0  # codes below it are taken out of lists once they are in order

    def codes(self, room: int) -> Codes:
        """Room for so many codes."""
        return np.empty(room, np.uint16) if self.wide else np.empty(room, np.uint8)

    def known(self, length: Ints) -> int:
        """Number of documents of lists of these lengths that are numbered, repetitions counted."""
        return int(np.minimum(length, self.docs).sum())


@dataclass(frozen=True, slots=True, eq=False)
class Judgments:
    """Judgments laid out for look-up. `repeated` marks rows whose document came before in the topic."""

    text: Text
    topics: Spans
    docs: Spans
    topic: Ints  # topic of each row
    code: Ints  # code of each row
    value: Floats  # grade of each code; 0 for unjudged
    repeated: Bools


class NumberedDocs(NamedTuple):
    """Documents of rows: the number of each, in order of first appearance, and the span of each number."""

    number: NDArray[np.int32]
    spans: Spans


@dataclass(frozen=True, slots=True, eq=False)
class Ordered:
    """A run in ranked order: one segment for each stretch of lines of one topic."""

    topic: Ints  # number of the judged topic, or -1
    start: Ints  # where the segment's lines start in the text
    length: Ints  # codes of the segment; 0 for topics without judgments
    hash: Hashes  # equal for equal topic ids
    code: Codes  # of all segments, one after the other
    docs: NumberedDocs | None  # of the first `Order.docs` of each segment
    lines: int
    dropped: int  # repeated documents left out
    extremes: Codes | None = None  # (2, codes) with ties at their best and at their worst, where asked for
    apart: NDArray[np.uint8] | None = None  # SCORES_APART and RANKS_APART of each segment, where asked for
    lowest_rank: float = np.inf  # of judged topics, where asked for; NaN without ranks


def apart(scores: Floats, ranks: Floats | None, topic: Ints, first: Ints) -> tuple[NDArray[np.uint8], float]:
    """Bits of each segment of rows (first[s] to first[s + 1]), and the lowest rank of judged topics."""
    with np.errstate(over="ignore", under="ignore"):
        single = scores.astype(np.float32)
    segment = np.repeat(np.arange(len(topic)), np.diff(first))
    same = segment[1:] == segment[:-1]
    bits = np.zeros(len(topic), np.uint8)
    bits[segment[1:][same & ~(single[1:] < single[:-1])]] |= SCORES_APART
    if ranks is None:
        return bits, np.nan
    bits[segment[1:][same & ~(ranks[1:] >= ranks[:-1])]] |= RANKS_APART
    return bits, float(ranks[topic[segment] >= 0].min(initial=np.inf)) + 0.0  # not -0.0


A_AHEAD, B_AHEAD = 1, 2  # bits: the first list of a pair is ahead somewhere, the second is
DEEPEST = 2**15 - 2  # a rank below which two bytes hold every rank, and "later than all"
_CHUNK, _STRIDE = 16, 64  # ranks that the C loops compare together, codes that they read together


@dataclass(frozen=True, slots=True, eq=False)
class Ranks:
    """Ranks of relevant documents, (topics, systems, width) ascending; behind the `used` ones is a `late`."""

    rank: NDArray[np.signedinteger[Any]]
    used: NDArray[np.int32]  # (topics, systems)
    code: Codes | None  # of the documents at these ranks, where asked for

    @property
    def late(self) -> int:
        """Stands for a rank after everything."""
        return int(np.iinfo(self.rank.dtype).max)


def rank_rows(code: Codes, depth: int, levels: int, topics: int, *, codes: bool) -> Ranks:
    """Room for the ranks of so many relevant documents a list."""
    width = (-(-(levels + _STRIDE) // _CHUNK) | 1) * _CHUNK  # odd: rows a power of two apart would share cache lines
    shape = topics, code.shape[0], width
    ranks = np.empty(shape, np.int16) if depth <= DEEPEST else np.empty(shape, np.int32)
    return Ranks(ranks, np.empty(shape[:2], np.int32), np.empty(shape, code.dtype) if codes else None)
