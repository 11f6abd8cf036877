"""TREC's own formats: runs of six columns, judgments of four."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from rankscope import kernels
from rankscope.arrays import Text, cut
from rankscope.errors import InputError
from rankscope.io.columns import QrelsColumns, RunColumns
from rankscope.io.problems import qrels_problems, run_problems


def run_columns(text: Text, place: str) -> RunColumns:
    """A run as columns, rows in file order."""
    spans = kernels.scan(text, 6)
    score = None if spans is None or not len(spans) else kernels.decimals(text, spans[:, 4])
    if spans is None or score is None:
        raise InputError(run_problems(text, place, first=True))
    return RunColumns(place, text, spans[:, 0], spans[:, 2], score, kernels.decimals(text, spans[:, 3]))


def qrels_columns(text: Text, place: str) -> QrelsColumns:
    """Judgments as columns, rows in file order."""
    spans = kernels.scan(text, 4)
    grade = None if spans is None or not len(spans) else kernels.decimals(text, spans[:, 3])
    if spans is None or grade is None:
        raise InputError(qrels_problems(text, place, first=True))
    return QrelsColumns(place, text, spans[:, 0], spans[:, 2], grade)


def looks_like_qrels(text: Text) -> bool:
    """Whether lines of four fields have one and the same iteration throughout and end in a grade."""
    spans = kernels.scan(text, 4)
    if spans is None or not len(spans) or kernels.decimals(text, spans[:, 3]) is None:
        return False
    return len(kernels.intern(text, spans[:, 1])[1]) == 1


def write(columns: RunColumns | QrelsColumns, tag: str) -> bytes:
    """TREC text. Without a rank column, ranks follow trec_eval's order."""
    topics, docs = cut(columns.text, columns.topic), cut(columns.text, columns.doc)
    if isinstance(columns, QrelsColumns):
        grades = (_plain(g) for g in columns.grade.tolist())
        return lines((t, b"0", d, g) for t, d, g in zip(topics, docs, grades, strict=True))
    scores = columns.score.tolist()
    ranks = _trec_ranks(topics, docs, scores) if columns.rank is None else columns.rank.tolist()
    raw_tag = tag.encode("utf-8", "surrogateescape")
    rows = zip(topics, docs, ranks, scores, strict=True)
    return lines((t, b"Q0", d, _plain(r), _plain(s), raw_tag) for t, d, r, s in rows)


def lines(rows: Iterable[tuple[bytes, ...]], separator: bytes = b" ") -> bytes:
    """Rows as lines of text; ids that could not be read back are refused."""
    out = []
    for fields in rows:
        for field in fields:
            if not field or any(c in field for c in b" \t\n") or field.endswith(b"\r"):
                shown = field[:80].decode("utf-8", "backslashreplace")
                cure = "ids there are not empty and hold no blanks or line ends; JSON or Parquet can hold them"
                raise InputError(f"id {shown!r} cannot be written as plain text", cure)
        out.append(separator.join(fields) + b"\n")
    return b"".join(out)


def _trec_ranks(topics: list[bytes], docs: list[bytes], scores: list[float]) -> list[int]:
    """Rank of each row in its topic: score descending, then document id descending."""
    rank = np.empty(len(topics), np.int64)
    seen: dict[bytes, int] = {}
    by_score = sorted(range(len(topics)), key=lambda i: (scores[i], docs[i]), reverse=True)
    for row in by_score:
        rank[row] = seen[topics[row]] = seen.get(topics[row], 0) + 1
    return rank.tolist()


def _plain(number: float) -> bytes:
    """The shortest text that reads back as the same number; whole numbers without a point."""
    integral = number == int(number) and abs(number) < 2**53
    return (str(int(number)) if integral else repr(number)).encode()
