"""TREC's own formats: runs of six columns, judgments of four."""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np

from rankscope import kernels
from rankscope.arrays import Text, cut, decoded, padded, size
from rankscope.errors import InputError
from rankscope.io.columns import QrelsColumns, RunColumns, ranked_rows
from rankscope.io.problems import qrels_problems, run_problems

COMMENTS, COMMENT = 200, 500  # lines of comments that are kept of a file, and characters of each
_LOOK = 1 << 18  # bytes that are looked at together
_COMMENT = re.compile(rb"^[ \t]*#[^\n]*", re.MULTILINE)
_WIDE = re.compile(rb"^([ \t]*(?:[^ \t\r\n]+[ \t]+){5}[^ \t\r\n]+)[ \t]+[^ \t\r\n][^\n]*", re.MULTILINE)


def run_columns(text: Text, place: str) -> RunColumns:
    """A run as columns, rows in file order."""
    spans = kernels.scan(text, 6)
    score = None if spans is None or not len(spans) else kernels.decimals(text, spans[:, 4])
    if spans is None or score is None:
        raise InputError(run_problems(text, place, first=True))
    rank = kernels.decimals(text, spans[:, 3])
    return RunColumns(place, text, spans[:, 0], spans[:, 2], score, rank, as_read=True)


def qrels_columns(text: Text, place: str) -> QrelsColumns:
    """Judgments as columns, rows in file order."""
    spans = kernels.scan(text, 4)
    grade = None if spans is None or not len(spans) else kernels.decimals(text, spans[:, 3])
    if spans is None or grade is None:
        raise InputError(qrels_problems(text, place, first=True))
    return QrelsColumns(place, text, spans[:, 0], spans[:, 2], grade, as_read=True, subtopic=spans[:, 1])


def comments_apart(text: Text) -> tuple[Text, tuple[str, ...]]:
    """The text with blanks in place of lines that begin with #, perhaps after blanks; and the first of these lines."""
    end = size(text)
    if not any((text[start : min(end, start + _LOOK)] == ord("#")).any() for start in range(0, end, _LOOK)):
        return text, ()  # without a copy of it
    body = text[:end].tobytes()
    lines: list[str] = []

    def blank(line: re.Match[bytes]) -> bytes:
        if len(lines) < COMMENTS:
            lines.append(line[0].strip()[:COMMENT].decode("utf-8", "surrogateescape"))
        return b" " * len(line[0])

    return padded(_COMMENT.sub(blank, body)), tuple(lines)


def six_fields(text: Text) -> tuple[Text, int]:
    """A run without what follows the sixth field, as trec_eval reads it, and how many lines had more."""
    cut, count = _WIDE.subn(rb"\1", text[: size(text)].tobytes())
    return padded(cut), count


def looks_like_qrels(text: Text) -> bool:
    """Whether lines of four fields have one and the same iteration throughout and end in a grade."""
    spans = kernels.scan(text, 4)
    if spans is None or not len(spans) or kernels.decimals(text, spans[:, 3]) is None:
        return False
    return len(kernels.intern(text, spans[:, 1])[1]) == 1


def tags(text: Text, place: str) -> list[str]:
    """The different tags of a run."""
    spans = kernels.scan(text, 6)
    if spans is None or not len(spans):
        raise InputError(run_problems(text, place))
    _, heads = kernels.intern(text, spans[:, 5])
    return decoded(text, spans[heads, 5])


def write(columns: RunColumns | QrelsColumns, tag: str) -> bytes:
    """TREC text. Without a rank column, ranks follow trec_eval's order."""
    topics, docs = cut(columns.text, columns.topic), cut(columns.text, columns.doc)
    if isinstance(columns, QrelsColumns):
        grades = (_plain(g) for g in columns.grade.tolist())
        return lines((t, b"0", d, g) for t, d, g in zip(topics, docs, grades, strict=True))
    rank = columns.rank
    if rank is None:
        rank = np.empty(len(docs))
        by_rank, ranks = ranked_rows(columns)
        rank[by_rank] = ranks
    raw_tag = tag.encode("utf-8", "surrogateescape")
    rows = zip(topics, docs, rank.tolist(), columns.score.tolist(), strict=True)
    return lines((t, b"Q0", d, _plain(r), _plain(s), raw_tag) for t, d, r, s in rows)


def lines(rows: Iterable[tuple[bytes, ...]], separator: bytes = b" ") -> bytes:
    """Rows as lines of text; ids that could not be read back are refused."""
    out = []
    for fields in rows:
        if fields[0].startswith(b"#"):
            shown = fields[0][:80].decode("utf-8", "backslashreplace")
            cure = "a line that begins with # is a comment there; JSON or Parquet can hold it"
            raise InputError(f"topic {shown!r} cannot be written as plain text", cure)
        for field in fields:
            refuse_unreadable(field, "JSON or Parquet")
        out.append(separator.join(fields) + b"\n")
    return b"".join(out)


def refuse_unreadable(field: bytes, elsewhere: str, *, blanks: bool = False) -> None:
    """Refuse an id that would not be read back from a line of text as it is.

    elsewhere  formats that can hold it
    blanks     whether it may hold blanks, as the last of some columns
    """
    if not field or any(c in field for c in (b"\t\n" if blanks else b" \t\n")) or field.endswith(b"\r"):
        shown = field[:80].decode("utf-8", "backslashreplace")
        cure = f"ids there are not empty and hold no blanks or line ends; {elsewhere} can hold them"
        raise InputError(f"id {shown!r} cannot be written as plain text", cure)


def _plain(number: float) -> bytes:
    """The shortest text that reads back as the same number; whole numbers without a point."""
    integral = number == int(number) and abs(number) < 2**53
    return (str(int(number)) if integral else repr(number)).encode()
