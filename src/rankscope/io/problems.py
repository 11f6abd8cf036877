"""Problems of a file, line by line.

The kernels only notice that something is wrong. This is the slow, literal reading that lists the problems, and the
one place where the rules for a line are spelled out in words.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from io import BytesIO
from typing import NamedTuple

import numpy as np

from rankscope import kernels
from rankscope.arrays import Text, decoded, padded, size
from rankscope.errors import Problem, argument, plural
from rankscope.io.column_names import IDS, ROLES, is_known, plain
from rankscope.io.columns import QrelsColumns, RunColumns, lines_of

LISTED = 1000  # problems described for one file; a file that is wrong throughout has no more to say

_LF, _STEP = ord("\n"), 1 << 18  # bytes counted at a time: they stay in the cache
_LOOK = 1 << 20  # bytes looked through at a time where something is wrong: what was seen takes many times as much
_LONG = 1 << 16  # bytes of a line from which its fields are counted before they are taken apart
_FEW = 16  # fields that a long line may have to be taken apart; there are 6 in the widest format
_DECIMAL = re.compile(rb"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_RUN = ("topic", "Q0", "document", "rank", "score", "tag")
_QRELS = ("topic", "iteration", "document", "grade")


def _first() -> str:
    return f"keep the first of each repeated document with {argument('duplicates', 'first')}"


def run_problems(text: Text, place: str, *, ranks: bool = False, first: bool = False) -> list[Problem]:
    """All problems of a run file."""
    problems = RunProblems(place, ranks=ranks, first=first)
    problems.add(text)
    return problems.all()


class RunProblems:
    """All problems of a run that comes in blocks of whole topics, line numbers as in one text."""

    def __init__(self, place: str, *, ranks: bool, first: bool) -> None:
        self.place, self.ranks, self.first = place, ranks, first
        self.lines = 0  # before the next block
        self._head: _Line | None = None
        self._widths: set[int] = set()
        self._listed = Listed()

    def skip(self, lines: int, *, blank: bool = False) -> None:
        """A block with nothing wrong."""
        self.lines += lines
        if not blank:
            self._widths.add(6)

    def add(self, text: Text) -> None:
        """A block in which something may be wrong."""
        numbers = ("score", "rank") if self.ranks else ("score",)
        self._listed.add(_line_problems(self._noted(text), self.place, _RUN, numbers, not self.first))

    def add_repeats(self, problems: Iterable[Problem], lines: int) -> None:
        """Problems of a block in which nothing is wrong but documents that are repeated."""
        self._listed.add(replace(p, line=None if p.line is None else p.line + self.lines) for p in problems)
        self.skip(lines)

    def _noted(self, text: Text) -> Iterator[_Line]:
        start = self.lines
        for line in _lines(text, start):
            self._head = self._head or line
            self._widths.add(line.width)
            yield line
        self.lines += count_lines(text)

    def all(self) -> list[Problem]:
        """The problems, or one that says what the file is instead of a run."""
        if not self._widths:
            return [Problem("is empty", "check how the run was written", self.place)]
        if self._widths == {4}:
            cause = f"4 fields on every line, expected 6 {_shown_names(_RUN)}: this looks like a judgments file"
            return [Problem(cause, "give the judgments first, then the runs", self.place)]
        if self._head is not None and (header := _header(self._head, self.place)) is not None:
            return [header]
        if self._widths == {5} and self._head is not None:
            return [_five(self._head, self.place)]
        if 6 not in self._widths and self._head is not None:
            return [_unlike(self._head, "a run", _RUN, self.place)]
        return self._listed.all()


def qrels_problems(text: Text, place: str, *, first: bool = False) -> list[Problem]:
    """All problems of a judgments file."""
    head = next(_lines(text), None)
    if head is None:
        return [Problem("is empty", "check how the judgments were written", place)]
    if (header := _header(head, place)) is not None:
        return [header]
    if head.width == 6 and all(line.width == 6 for line in _suspect(text, 6)):
        cause = f"6 fields on every line, expected 4 {_shown_names(_QRELS)}: this looks like a run"
        return [Problem(cause, "give the judgments first, then the runs", place)]
    if all(line.width != 4 for line in _lines(text)):
        return [_unlike(head, "judgments", _QRELS, place)]
    lines = _suspect(text, 4, (3,)) if first else _lines(text)
    return _listed(_line_problems(lines, place, _QRELS, ("grade",), not first))


def _header(line: _Line, place: str) -> Problem | None:
    """Problem of a first line that names columns; None where it does not."""
    names = [field.decode("utf-8", "replace") for field in line.fields]
    if not (plain(names[0]) in IDS and any(is_known(role, name) for role in ROLES[2:5] for name in names[1:])):
        return None
    cause = f"the first line is a header, {_shown(b' '.join(line.fields))}, and TREC text has none"
    return Problem(
        cause, "delete this line, or separate the columns by commas or tabs on every line", place, line.number
    )


def _five(line: _Line, place: str) -> Problem:
    """Problem of a run of which every line has five fields: which one is missing."""
    lacks = next((what for what, is_field in (
        ("Q0", line.fields[1] != b"Q0" and _is_number(line.fields[2]) and _is_number(line.fields[3])),
        ("the tag", _is_number(line.fields[3]) and _is_number(line.fields[4])),
        ("the rank or the score", not _is_number(line.fields[4])),
    ) if is_field), "one of them")  # fmt: skip
    cause = f"5 fields on every line, expected 6 {_shown_names(_RUN)}; {lacks} seems to be missing"
    cure = f"write all six, none of them with a blank in it; the first line is {_shown(b' '.join(line.fields))}"
    return Problem(cause, cure, place, line.number)


def _is_number(raw: bytes) -> bool:
    return _DECIMAL.fullmatch(raw) is not None


def row_problems(text: Text, place: str, names: tuple[str, ...]) -> list[Problem]:
    """All problems of lines with these fields, of which rank and score are numbers."""
    if next(_lines(text), None) is None:
        return [Problem("is empty", "check how the run was written", place)]

    at = [i for i, name in enumerate(names) if name in ("rank", "score")]
    lines = _suspect(text, len(names), at)
    return _listed(_line_problems(lines, place, names, [names[i] for i in at], unique=False))


def _line_problems(
    lines: Iterable[_Line], place: str, names: tuple[str, ...], numbers: Iterable[str], unique: bool
) -> Iterator[Problem]:
    """Problems of lines with these fields, some of which are numbers; `unique` where a topic has no document twice."""
    seen: dict[tuple[bytes, bytes], int] = {}
    for line in lines:
        if line.width != len(names):
            yield _wrong_count(line, names, place)
            continue
        by_name = dict(zip(names, line.fields, strict=True))
        for name in numbers:
            yield from _wrong_number(by_name[name], name, place, line.number)
        if unique:
            yield from _repeated(seen, by_name["topic"], by_name["document"], place, line.number)


class _Line(NamedTuple):
    """Number of a line, how many fields it has, and the fields: of a long line with many, the first."""

    number: int
    width: int
    fields: list[bytes]


def _lines(text: Text, before: int = 0) -> Iterator[_Line]:
    """Every line that is not blank, so many lines being before the text."""
    for start, stop in line_parts(text):
        for number, raw in enumerate(BytesIO(text[start:stop].tobytes()), before + 1):
            before = number
            line = raw.removesuffix(b"\n").removesuffix(b"\r").replace(b"\t", b" ")
            count = _count_fields(line) if len(line) > _LONG else 0
            fields = [f for f in line[: _LONG if count > _FEW else len(line)].split(b" ") if f]
            if fields or count:
                yield _Line(number, count or len(fields), fields)


def run_ids(text: Text, place: str) -> RunColumns:
    """Topics and documents of a run whose lines all have six fields, without its numbers."""
    spans = []
    for start, stop in line_parts(text):
        part = kernels.scan(padded(text[start:stop].data), len(_RUN))
        assert part is not None
        spans.append(part[:, (0, 2)] + np.array([start, 0]))
    ids = np.concatenate(spans)
    return RunColumns(place, text, ids[:, 0], ids[:, 1], np.empty(0), None, as_read=True)


def _count_fields(line: bytes) -> int:
    """How many fields a line has, without taking them apart."""
    count, within = 0, False
    for at in range(0, len(line), _LOOK):
        filled = np.frombuffer(line, np.uint8, min(_LOOK, len(line) - at), at) != ord(" ")
        count += int(np.count_nonzero(filled[1:] & ~filled[:-1])) + int(filled[0] and not within)
        within = bool(filled[-1])
    return count


def line_parts(text: Text) -> Iterator[tuple[int, int]]:
    """Start and end of parts of whole lines, each of about a megabyte."""
    start, end = 0, size(text)
    while start < end:
        stop = min(end, start + _LOOK)
        while stop < end and text[stop - 1] != _LF:
            ahead = text[stop : min(end, stop + _LOOK)].tobytes().find(b"\n")
            stop = stop + ahead + 1 if ahead >= 0 else min(end, stop + _LOOK)
        yield start, stop
        start = stop


def _suspect(text: Text, fields: int, numbers: Iterable[int] = ()) -> Iterator[_Line]:
    """Lines of the parts in which the kernels notice one without so many fields, or without a number in these."""
    before = 0
    for start, stop in line_parts(text):
        part = padded(text[start:stop].data)
        spans = kernels.scan(part, fields)
        if spans is None or any(kernels.decimals(part, spans[:, i]) is None for i in numbers):
            yield from _lines(part, before)
        before += count_lines(part)


def _unlike(line: _Line, what: str, names: tuple[str, ...], place: str) -> Problem:
    """One problem for a file of which no line is right, the first being this."""
    cause = f"no line has {len(names)} fields {_shown_names(names)}; the first is {_shown(b' '.join(line.fields))}"
    if any(b"\r" in field for field in line.fields):
        return Problem(cause, "end lines with a line feed, not with a carriage return alone", place, line.number)
    return Problem(cause, f"check that it is {what}, in a format that rankscope reads", place, line.number)


def _wrong_count(line: _Line, names: tuple[str, ...], place: str) -> Problem:
    expected = f"expected {len(names)} {_shown_names(names)}"
    cause = f"{plural(line.width, 'field')}, {expected}: {_shown(b' '.join(line.fields))}"
    return Problem(cause, f"give {len(names)} fields per line, none of them with a blank in it", place, line.number)


def _shown_names(names: tuple[str, ...]) -> str:
    return f"({' '.join(names)})"


def _wrong_number(raw: bytes, what: str, place: str, line: int) -> Iterator[Problem]:
    if not _DECIMAL.fullmatch(raw) or not math.isfinite(float(raw)):
        yield Problem(f"{what} {_shown(raw)} is no finite number", f"give every {what} as a number", place, line)


def _repeated(
    seen: dict[tuple[bytes, bytes], int], topic: bytes, doc: bytes, place: str, line: int
) -> Iterator[Problem]:
    before = seen.setdefault((topic, doc), line)
    if before != line:
        cause = f"document {_shown(doc)} appears twice in topic {_shown(topic)} (first at line {before})"
        yield Problem(cause, _first(), place, line)


def repeats(columns: RunColumns | QrelsColumns, first_row: int = 1) -> list[Problem]:
    """Problems of rows that repeat a document of their topic.

    Rows are named by their lines where those are known, else numbered from first_row.
    """
    topic, doc = (kernels.intern(columns.text, spans)[0] for spans in (columns.topic, columns.doc))
    _, first, back = np.unique(topic * (len(doc) + 1) + doc, return_index=True, return_inverse=True)
    before = first[back]
    later = np.flatnonzero(before != np.arange(len(doc)))
    shown = later[:LISTED]
    topics, docs = decoded(columns.text, columns.topic[shown]), decoded(columns.text, columns.doc[shown])
    line = lines_of(columns)

    def repeat(row: int, topic: str, doc: str) -> Problem:
        cause = f"document {doc!r} appears twice in topic {topic!r}"
        if line is None:
            cause = f"row {row + first_row}: {cause} (first in row {before[row] + first_row})"
            return Problem(cause, _first(), columns.place)
        return Problem(f"{cause} (first at line {line[before[row]]})", _first(), columns.place, int(line[row]))

    problems = [repeat(*repeated) for repeated in zip(shown.tolist(), topics, docs, strict=True)]
    if more := len(later) - len(shown):
        problems.append(Problem(f"{plural(more, 'more line')} of this kind", _first(), columns.place, count=more))
    return problems


class Listed:
    """The first problems of a file in full, the others counted by kind."""

    def __init__(self) -> None:
        self._shown: list[Problem] = []
        self._left: Counter[str] = Counter()

    def add(self, problems: Iterable[Problem]) -> None:
        for problem in problems:
            if problem.line is None and problem in self._shown:
                continue  # every block has it
            if len(self._shown) < LISTED:
                self._shown.append(problem)
            else:
                self._left[problem.cure] += 1

    def __bool__(self) -> bool:
        return bool(self._shown)

    def all(self) -> list[Problem]:
        return [
            *self._shown,
            *(
                Problem(f"{plural(n, 'more line')} of this kind", cure, self._shown[0].place, count=n)
                for cure, n in self._left.items()
            ),
        ]


def _listed(problems: Iterator[Problem]) -> list[Problem]:
    listed = Listed()
    listed.add(problems)
    return listed.all()


def count_lines(text: Text) -> int:
    """Lines of a text, the last whether it is closed or not."""
    end = size(text)
    closed = sum(int(np.count_nonzero(text[at : min(at + _STEP, end)] == _LF)) for at in range(0, end, _STEP))
    return closed + int(end > 0 and text[end - 1] != _LF)


def _shown(raw: bytes, most: int = 80) -> str:
    """Bytes as a person can read them."""
    text = raw[: 4 * most + 4].decode("utf-8", "backslashreplace")
    return repr(text if len(text) <= most else text[:most] + "...")
