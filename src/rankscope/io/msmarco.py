"""Runs without a header in three or four columns, as MS MARCO's are."""

from __future__ import annotations

import numpy as np

from rankscope import kernels
from rankscope.arrays import Bools, Floats, Ints, Text, cut
from rankscope.errors import InputError, Problem
from rankscope.io.columns import QrelsColumns, RunColumns, ranked_rows
from rankscope.io.files import first_line
from rankscope.io.problems import row_problems
from rankscope.io.trec import lines

LAYOUTS: dict[str, tuple[str, ...]] = {
    "msmarco": ("topic", "document", "rank"),
    "msmarco-score": ("topic", "document", "score"),
    "msmarco-rank-score": ("topic", "document", "rank", "score"),
    "msmarco-score-rank": ("topic", "document", "score", "rank"),
}


def read(text: Text, place: str, layout: str) -> RunColumns:
    """A run in one of LAYOUTS. Without scores, the rank decides."""
    names = LAYOUTS[layout]
    spans = kernels.scan(text, len(names))
    fine = spans is not None and len(spans)
    columns = {n: kernels.decimals(text, spans[:, i]) for i, n in enumerate(names) if i > 1} if fine else {}
    if not fine or any(values is None for values in columns.values()):
        raise InputError(row_problems(text, place, names))
    rank, score = columns.get("rank"), columns.get("score")
    if score is None:
        assert rank is not None
        score = -rank
    return RunColumns(place, text, spans[:, 0], spans[:, 1], score, rank, as_read=True)


def write(columns: RunColumns | QrelsColumns, _tag: str) -> bytes:
    """A run as topic, document and rank."""
    if isinstance(columns, QrelsColumns):
        raise InputError("MS MARCO's run format holds no grades", "write judgments as TREC text, JSON, CSV or Parquet")
    topics, docs = cut(columns.text, columns.topic), cut(columns.text, columns.doc)
    rows = zip(*(column.tolist() for column in ranked_rows(columns)), strict=True)
    return lines(((topics[row], docs[row], b"%d" % rank) for row, rank in rows), separator=b"\t")


def detect(text: Text, place: str) -> str | None:
    """Layout of a text of three or four fields per line; None where it is none of them."""
    first = first_line(text).replace(b"\t", b" ").split()
    if len(first) not in (3, 4):
        return None
    layout = _layout(text, place)
    if layout is None and len(first) == 3 and first[2].isdigit():
        return "msmarco"  # something is wrong further down, and its reader will say where
    return layout


def _layout(text: Text, place: str) -> str | None:
    for fields in (3, 4):
        spans = kernels.scan(text, fields)
        if spans is None or not len(spans):
            continue
        numbers = [kernels.decimals(text, spans[:, i]) for i in range(2, fields)]
        if any(n is None for n in numbers):
            return None
        topic = kernels.intern(text, spans[:, 0])[0]
        ranks = [n is not None and _are_ranks(n, topic) for n in numbers]
        if fields == 3:
            return _three(numbers[0], ranks[0], place)
        return _four(ranks, place)
    return None


def _three(values: Floats, ranks: bool, place: str) -> str:
    if ranks:
        return "msmarco"
    if (values != np.floor(values)).any() or (values < 0).any():
        return "msmarco-score"
    raise _ambiguous("msmarco", "msmarco-score", place)


def _four(ranks: list[bool], place: str) -> str | None:
    if ranks == [True, False]:
        return "msmarco-rank-score"
    if ranks == [False, True]:
        return "msmarco-score-rank"
    if ranks == [True, True]:
        raise _ambiguous("msmarco-rank-score", "msmarco-score-rank", place)
    return None


def _are_ranks(values: Floats, topic: Ints) -> bool:
    """Whether the values of each topic, in order, are 1, 2, 3, ... or 0, 1, 2, ..."""
    by_topic = np.argsort(topic, kind="stable")
    ordered, group = values[by_topic], topic[by_topic]
    start: Bools = np.concatenate([[True], group[1:] != group[:-1]])
    with np.errstate(over="ignore"):  # scores may lie as far apart as they like
        steps = np.diff(ordered, prepend=ordered[:1] - 1) == 1
    return bool((steps | start).all() and np.isin(ordered[start], (0, 1)).all())


def _ambiguous(first: str, second: str, place: str) -> InputError:
    readings = " or as ".join(f"{name} ({' '.join(LAYOUTS[name])})" for name in (first, second))
    return InputError(Problem(f"can be read as {readings}", f"say which: run format {first} or {second}", place))
