"""The topics that decide: both lists as strips, their IPSO path and what metrics make of them, as Figure 5 has it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rankscope.arrays import FIRST_GRADE, PADDING, UNJUDGED, Codes, Floats
from rankscope.comparisons.comparing import Comparison
from rankscope.comparisons.without_metric import gains_of
from rankscope.errors import InputError, plural
from rankscope.formatting import markdown
from rankscope.judged import Judged
from rankscope.judged.subsets import rows_of
from rankscope.layout import Block, Layer, markdown_table, terminal_width, text, text_table
from rankscope.preferences import LABELS
from rankscope.preferences.classes import LEGEND, favoured, rows_in_order
from rankscope.preferences.serps import METRICS, metric_differences
from rankscope.results import Result, records

_FIXED = 5  # columns before the metrics: topic, A, B, path, difference
_PATH = 3  # the column of the path
_FEWEST_RANKS = 10  # of strips, however narrow the terminal is
UNKNOWN, NOTHING, END = "?", "·", " "
_BACKGROUND = (("30;47", NOTHING), ("97;45", UNKNOWN))  # white and magenta
_GREENS = ("30;48;5;194", "30;48;5;150", "30;48;5;107", "97;48;5;65", "97;48;5;22")  # the deeper the better
_PATHS = {"==": "37;44", "ni": "30;43", "ns": "30;46", "**": "97;41"}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Deciding(Result):
    """Topics with the largest change of the metric, in the order of Figure 5 of Moffat and Mackenzie (2024).

    a, b         one letter per rank: the grade, · judged and without gain, ? unjudged; nothing after the end of a list
    path         IPSO's class of a against b at every rank
    change       of the metric that was chosen, b - a
    differences  (topics, 6) of the figure's metrics, b - a (the figure has a - b), for binary gains; None otherwise
    """

    measure: str
    systems: tuple[str, str]
    topics: tuple[str, ...]
    a: tuple[str, ...]
    b: tuple[str, ...]
    path: tuple[tuple[str, ...], ...]
    change: Floats
    differences: Floats | None
    of: int

    def columns(self) -> dict[str, list[Any]]:
        """One row per topic."""
        columns: dict[str, list[Any]] = {
            "topic": list(self.topics),
            "A": list(self.a),
            "B": list(self.b),
            "path": ["".join(classes) for classes in self.path],
            "favours": favoured(self.change, self.systems),
            f"{self.measure}, B - A": self.change.tolist(),
        }
        if self.differences is not None:
            columns |= {name: self.differences[:, m].tolist() for m, name in enumerate(METRICS)}
        return columns

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as for JSON."""
        return {"of": self.of, "topics": records(self.columns())}

    def to_markdown(self) -> str:
        """A table as GitHub shows it."""
        return "\n\n".join([markdown_table(*self.table(), left=4), "  \n".join(map(markdown, self.notes()))])

    def table(self) -> tuple[list[str], list[list[str]]]:
        columns = self.columns()
        del columns["favours"]
        rows = [[c if isinstance(c, str) else _number(c) for c in row] for row in zip(*columns.values(), strict=True)]
        return list(columns), rows

    def to_text(self, layer: Layer = "short", *, width: int | None = None, colour: bool = False) -> str:
        """The table, the same in every layer; with colour, strips and paths are painted for a terminal.

        Metrics and the path are left out where there is no room for them, then ranks at the end of the strips.
        """
        header, rows = self.table()
        room = terminal_width() if width is None else width
        columns = list(range(len(header)))

        def laid_out() -> list[str]:
            cells = [[row[c] for c in columns] for row in (header, *rows)]
            return text_table(cells[0], cells[1:], left=sum(c <= _PATH for c in columns)).splitlines()

        lines = laid_out()
        for dropped in (*range(len(header) - 1, _FIXED - 1, -1), _PATH):
            if max(map(len, lines)) > room:
                columns.remove(dropped)
                lines = laid_out()
        depth = ranks = max(map(len, self.a + self.b), default=0)
        if (beyond := max(map(len, lines)) - room) > 0:
            ranks = max(_FEWEST_RANKS, depth - (beyond + 1) // 2)
            rows = [[row[0], row[1][:ranks], row[2][:ranks], *row[3:]] for row in rows]
            lines = laid_out()
        if colour:
            names = [name for name in ("A", "B", "path") if _PATH in columns or name != "path"]
            starts = [lines[0].index(f"  {name}") + 2 for name in names]
            lines[1:] = [self._painted(line, starts, row, ranks) for row, line in enumerate(lines[1:])]
        left_out = [name for c, name in enumerate(header) if c not in columns]
        notes = [f"(no room for: {', '.join(left_out)})"] if left_out else []
        notes += [f"Ranks 1 to {ranks} of {depth} are shown, for which there is room."] if ranks < depth else []
        notes += self.notes()[: None if _PATH in columns else -1]  # the last one is on the path
        return "\n".join([*lines, text([Block("", notes)], width=room)])

    def __str__(self) -> str:
        return self.to_text()

    def notes(self) -> list[str]:
        """Notes below the table: the selection of topics, the letters of strips, the classes of the path."""
        a, b = self.systems
        shown = len(self.topics)
        some = f"{shown:,} of {self.of:,} topics, those with the largest differences." if shown < self.of else ""
        return [
            f"{some or 'All topics.'} A is {a}, B is {b}.",
            f"A, B: the grade at each rank; {NOTHING} is judged without gain, {UNKNOWN} is unjudged.",
            f"path: who is ahead down to each rank. {LEGEND}",
        ]

    def _painted(self, line: str, starts: list[int], row: int, ranks: int) -> str:
        a, b, path = self.a[row][:ranks], self.b[row][:ranks], self.path[row]
        cells = [_strip(a), _strip(b), "".join(_paint(_PATHS[c], c) for c in path)]
        lengths = [len(a), len(b), 2 * len(path)]
        parts, at = [], 0
        for start, length, cell in zip(starts, lengths, cells, strict=False):  # the path may have no room
            parts += [line[at:start], cell]
            at = start + length
        return "".join([*parts, line[at:]])


def deciding(comparison: Comparison, count: int | None = 10) -> Deciding:
    """The topics that change most; all of them where count is None."""
    if comparison.without is None or comparison.scored.judged is None:
        raise InputError("only scores were given, or nothing is relevant", "topics are drawn where IPSO compares lists")
    if count is not None and count < 1:
        raise InputError(plural(count, "topic"), "ask for at least one topic")
    judged, ipso = comparison.scored.judged, comparison.without.ipso
    a, b = comparison.scored.value.T
    change = dict(zip(comparison.scored.topics, (b - a).tolist(), strict=True))
    known = [t for t, topic in enumerate(ipso.topics) if topic in change]
    largest = sorted(known, key=lambda t: (-abs(change[ipso.topics[t]]), t))[:count]
    order = [largest[i] for i in rows_in_order(ipso.path[largest], tuple(ipso.topics[t] for t in largest))]
    topics = tuple(ipso.topics[t] for t in order)
    rows = rows_of(topics, judged.topics)
    code = judged.code[:, rows, : ipso.depth]
    return Deciding(
        measure=comparison.measure,
        systems=comparison.systems,
        topics=topics,
        a=tuple(_letters(judged, codes) for codes in code[0].tolist()),
        b=tuple(_letters(judged, codes) for codes in code[1].tolist()),
        path=tuple(tuple(LABELS[c] for c in ipso.path[t].tolist()) for t in order),
        change=np.array([change[topic] for topic in topics]),
        differences=_differences(comparison, code),
        of=len(known),
    )


def _differences(comparison: Comparison, code: Codes) -> Floats | None:
    """(topics, 6) of the figure's metrics, where the metric that decides takes relevance as binary."""
    record, judged = comparison.scored.record, comparison.scored.judged
    assert record is not None
    assert judged is not None
    gains = gains_of(judged, record)
    if gains["gains"] != "binary":
        return None
    a, b = code >= FIRST_GRADE + np.searchsorted(judged.grades, gains["rel"])
    return metric_differences(a, b)


def _letters(judged: Judged, codes: list[int]) -> str:
    """A list as a strip, a letter a rank."""
    letters = {PADDING: END, UNJUDGED: UNKNOWN}
    for i, grade in enumerate(judged.grades.tolist()):
        one_digit = grade == int(grade) and grade < 10
        letters[FIRST_GRADE + i] = NOTHING if grade <= 0 else f"{int(grade)}" if one_digit else "+"
    return "".join(letters[c] for c in codes)


def _strip(letters: str) -> str:
    fixed = {letter: code for code, letter in _BACKGROUND}
    grades = sorted({c for c in letters if c not in (*fixed, END)})
    shades = {g: _GREENS[min(int(g), len(_GREENS)) - 1] if g.isdigit() else _GREENS[-1] for g in grades}
    return "".join(_paint(fixed.get(c) or shades[c], c) if c != END else c for c in letters)


def _paint(code: str, letters: str) -> str:
    return f"\x1b[{code}m{letters}\x1b[0m"


def _number(value: float) -> str:
    return f"{value:.2f}" if abs(value) >= 0.005 else "0.00"
