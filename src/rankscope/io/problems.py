"""Problems of a file, line by line.

The kernels only notice that something is wrong. This is the slow, literal reading that lists the problems, and the
one place where the rules for a line are spelled out in words.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from io import BytesIO

import numpy as np

from rankscope import kernels
from rankscope.arrays import Text, decoded, size
from rankscope.errors import Problem, plural
from rankscope.io.columns import QrelsColumns, RunColumns, lines_of

LISTED = 1000  # problems described for one file; a file that is wrong throughout has no more to say

_LF, _STEP = ord("\n"), 1 << 18  # bytes counted at a time: they stay in the cache
_DECIMAL = re.compile(rb"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_RUN = ("topic", "Q0", "document", "rank", "score", "tag")
_QRELS = ("topic", "iteration", "document", "grade")
_FIRST = "keep the first of each repeated document with duplicates=first"


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
        self._head: tuple[int, list[bytes]] | None = None
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

    def _noted(self, text: Text) -> Iterator[tuple[int, list[bytes]]]:
        start = self.lines
        for number, fields in _lines(text):
            self._head = self._head or (start + number, fields)
            self._widths.add(len(fields))
            yield start + number, fields
        self.lines += count_lines(text)

    def all(self) -> list[Problem]:
        """The problems, or one that says what the file is instead of a run."""
        if not self._widths:
            return [Problem("is empty", "check how the run was written", self.place)]
        if self._widths == {4}:
            cause = f"4 fields on every line, expected 6 {_shown_names(_RUN)}: this looks like a judgments file"
            return [Problem(cause, "give the judgments first, then the runs", self.place)]
        if 6 not in self._widths and self._head is not None:
            return [_unlike(*self._head, "a run", _RUN, self.place)]
        return self._listed.all()


def qrels_problems(text: Text, place: str, *, first: bool = False) -> list[Problem]:
    """All problems of a judgments file."""
    if next(_lines(text), None) is None:
        return [Problem("is empty", "check how the judgments were written", place)]
    if all(len(fields) == 6 for _, fields in _lines(text)):
        cause = f"6 fields on every line, expected 4 {_shown_names(_QRELS)}: this looks like a run"
        return [Problem(cause, "give the judgments first, then the runs", place)]
    if all(len(fields) != 4 for _, fields in _lines(text)):
        return [_unlike(*next(_lines(text)), "judgments", _QRELS, place)]
    return _listed(_line_problems(_lines(text), place, _QRELS, ("grade",), not first))


def row_problems(text: Text, place: str, names: tuple[str, ...]) -> list[Problem]:
    """All problems of lines with these fields, of which rank and score are numbers."""
    if next(_lines(text), None) is None:
        return [Problem("is empty", "check how the run was written", place)]

    numbers = [name for name in names if name in ("rank", "score")]
    return _listed(_line_problems(_lines(text), place, names, numbers, unique=False))


def _line_problems(
    lines: Iterable[tuple[int, list[bytes]]], place: str, names: tuple[str, ...], numbers: Iterable[str], unique: bool
) -> Iterator[Problem]:
    """Problems of lines with these fields, some of which are numbers; `unique` where a topic has no document twice."""
    seen: dict[tuple[bytes, bytes], int] = {}
    for line, fields in lines:
        if len(fields) != len(names):
            yield _wrong_count(fields, names, place, line)
            continue
        by_name = dict(zip(names, fields, strict=True))
        for name in numbers:
            yield from _wrong_number(by_name[name], name, place, line)
        if unique:
            yield from _repeated(seen, by_name["topic"], by_name["document"], place, line)


def _lines(text: Text) -> Iterator[tuple[int, list[bytes]]]:
    """Number and fields of every line that is not blank."""
    for number, line in enumerate(BytesIO(text[: size(text)].tobytes()), 1):
        fields = [f for f in line.removesuffix(b"\n").removesuffix(b"\r").replace(b"\t", b" ").split(b" ") if f]
        if fields:
            yield number, fields


def _unlike(line: int, fields: list[bytes], what: str, names: tuple[str, ...], place: str) -> Problem:
    """One problem for a file of which no line is right, the first being this."""
    cause = f"no line has {len(names)} fields {_shown_names(names)}; the first is {_shown(b' '.join(fields))}"
    if any(b"\r" in field for field in fields):
        return Problem(cause, "end lines with a line feed, not with a carriage return alone", place, line)
    return Problem(cause, f"check that it is {what}, in a format that rankscope reads", place, line)


def _wrong_count(fields: list[bytes], names: tuple[str, ...], place: str, line: int) -> Problem:
    expected = f"expected {len(names)} {_shown_names(names)}"
    cause = f"{plural(len(fields), 'field')}, {expected}: {_shown(b' '.join(fields))}"
    return Problem(cause, f"give {len(names)} fields a line, none of them with a blank in it", place, line)


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
        yield Problem(cause, _FIRST, place, line)


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
            return Problem(cause, _FIRST, columns.place)
        return Problem(f"{cause} (first at line {line[before[row]]})", _FIRST, columns.place, int(line[row]))

    problems = [repeat(*repeated) for repeated in zip(shown.tolist(), topics, docs, strict=True)]
    if more := len(later) - len(shown):
        problems.append(Problem(f"{plural(more, 'more line')} of this kind", _FIRST, columns.place, count=more))
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
    text = raw.decode("utf-8", "backslashreplace")
    return repr(text if len(text) <= most else text[:most] + "...")
