"""Judgments as LETOR lines: a grade, qid:TOPIC, features, and the document in a comment."""

from __future__ import annotations

import re

import numpy as np

from rankscope.arrays import Text, joined, size
from rankscope.errors import InputError, Problem
from rankscope.io.columns import FileKind, QrelsColumns
from rankscope.io.files import first_line
from rankscope.io.problems import Listed

_LINE = re.compile(rb"\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s+qid:(\S+)(?:\s+\d+:\S+)*\s*(?:#(.*))?")
_DOCUMENT = re.compile(rb"\s*(?:docid|docno|doc_id)\s*[=:]\s*(\S+)")


def is_letor(text: Text, _kind: FileKind) -> bool:
    """Whether the first line is a grade and qid:TOPIC."""
    return re.match(rb"\s*[-+]?[\d.]+\s+qid:\S", first_line(text)) is not None


def read_qrels(text: Text, place: str) -> QrelsColumns:
    """Judgments from LETOR lines.

    The document is the docid of the comment, as in LETOR 3 and 4; a comment of one word is it, too. Where no line names
    one, documents are numbered from 0 within each topic, as RankLib's score files number them.
    """
    problems = Listed()
    rows: list[tuple[int, float, bytes, bytes | None]] = []
    for number, line in enumerate(text[: size(text)].tobytes().split(b"\n"), 1):
        if not line.strip() or line.lstrip().startswith(b"#"):
            continue
        match = _LINE.fullmatch(line.rstrip())
        if match is None:
            cause = f"no LETOR line: {line[:80].decode('utf-8', 'backslashreplace')!r}"
            problems.add([Problem(cause, "give GRADE qid:TOPIC 1:FEATURE ... # docid = DOCUMENT", place, number)])
            continue
        rows.append((number, float(match[1]), match[2], _document(match[3])))
    named = sum(document is not None for *_, document in rows)
    if rows and 0 < named < len(rows):
        line_number = next(number for number, *_, document in rows if document is None)
        cause = f"no document, where {named:,} of {len(rows):,} lines name one"
        problems.add([Problem(cause, "name it on every line, as in # docid = DOCUMENT", place, line_number)])
    if problems:
        raise InputError(problems.all())
    counts: dict[bytes, int] = {}
    documents: list[bytes] = []
    for *_, topic, document in rows:
        counts[topic] = counts.get(topic, -1) + 1
        documents.append(str(counts[topic]).encode() if document is None else document)
    ids, spans = joined([topic for _, _, topic, _ in rows] + documents)
    lines = np.array([number for number, *_ in rows], np.int64)
    grades = np.array([grade for _, grade, _, _ in rows])
    return QrelsColumns(place, ids, spans[: len(rows)], spans[len(rows) :], grades, lines)


def _document(comment: bytes | None) -> bytes | None:
    """The document that a comment names."""
    if comment is None:
        return None
    named = _DOCUMENT.match(comment)
    words = comment.split()
    return named[1] if named else words[0] if len(words) == 1 else None
