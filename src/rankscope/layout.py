"""Printed output: blocks of lines and tables, laid out for a terminal or as Markdown.

A result is read in three layers. The short layer is the answer, at most 24 lines of 80 columns. The full layer is the
evidence: one block per question. The explained layer is the full one with lines under each block that say what the
block is and how to read it.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from rankscope.formatting import latex, markdown, visible

Layer: TypeAlias = Literal["short", "full", "explain"]
Tone: TypeAlias = Literal["holds", "changes", "undecided", "strong"]

WIDTH = 80  # columns, where no terminal says otherwise
NARROWEST, WIDEST = 60, 120  # columns of a terminal that are used
SHORTEST = 8  # letters of a name that are kept in a narrow table
# blue, orange and grey differ in lightness, too, so that they can be told apart without seeing red or green
_ANSI: dict[Tone, str] = {"holds": "38;5;32", "changes": "38;5;208", "undecided": "38;5;245", "strong": "1"}


class Toned(str):
    """Text with a meaning that colour shows: it holds, it changes, it is undecided; or it is the main point."""

    __slots__ = ("tone",)
    tone: Tone

    def __new__(cls, text: str, tone: Tone) -> Toned:
        toned = super().__new__(cls, text)
        toned.tone = tone
        return toned


@dataclass(frozen=True, slots=True)
class Table:
    """A header and rows of cells.

    left      number of leading columns that are flush left
    optional  indices of columns that are left out where the table is too wide, the first of them first
    """

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    left: int = 1
    optional: Sequence[int] = ()


@dataclass(frozen=True, slots=True)
class Block:
    """Lines and tables, in order, under a title: the question that they answer.

    explanation  what the block is and how to read it, for the explained layer
    """

    title: str
    parts: Sequence[str | Table]
    explanation: Sequence[str] = ()


def terminal_width() -> int:
    """Columns of the terminal, within bounds; 80 where there is none, or as the variable COLUMNS says."""
    from shutil import get_terminal_size

    return min(WIDEST, max(NARROWEST, get_terminal_size((WIDTH, 24)).columns))


def text(blocks: Sequence[Block], *, width: int = WIDTH, colour: bool = False, explained: bool = False) -> str:
    """Blocks for a terminal, a blank line between any two.

    >>> print(text([Block("Who leads?", ["hybrid-1 leads."]), Block("", ["49 topics"])]))
    Who leads?
      hybrid-1 leads.
    <BLANKLINE>
    49 topics
    """
    laid_out = []
    for block in blocks:
        indent = "  " if block.title else ""
        lines = [_coloured(visible(block.title), "strong", colour)] if block.title else []
        for part in (*block.parts, *(block.explanation if explained else ())):
            if isinstance(part, Table):
                lines += _table(part, width, indent, colour)
            else:
                lines += _line(part, width, indent, colour)
        laid_out.append("\n".join(lines))
    return "\n\n".join(laid_out)


def _line(line: str, width: int, indent: str, colour: bool) -> list[str]:
    """One line, wrapped; blanks at its beginning are kept, and further lines are indented by two more."""
    shown = visible(line)
    blanks = indent + " " * (len(shown) - len(shown.lstrip(" ")))
    wrapped = textwrap.wrap(
        shown.lstrip(" "), width, initial_indent=blanks, subsequent_indent=f"{blanks}  ", break_on_hyphens=False
    ) or [""]
    tone = line.tone if isinstance(line, Toned) else None
    return [_coloured(piece, tone, colour) for piece in wrapped]


def _table(table: Table, width: int, indent: str, colour: bool) -> list[str]:
    """Columns under their names, without optional ones and with names shortened where they do not fit."""
    columns = list(range(len(table.header)))
    cells = [[visible(cell) for cell in row] for row in (table.header, *table.rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    room = width - len(indent)

    def taken() -> int:
        return sum(widths[c] for c in columns) + 2 * (len(columns) - 1)

    for column in table.optional:
        if taken() > room:
            columns.remove(column)
    named = [c for c in columns if c < table.left]
    while taken() > room and named and max(widths[c] for c in named) > SHORTEST:
        longest = max(named, key=lambda c: widths[c])
        widths[longest] = max(SHORTEST, widths[longest] - (taken() - room))
    lines = []
    for row, shown in zip((table.header, *table.rows), cells, strict=True):
        pieces = []
        for c in columns:
            piece = shortened(shown[c], widths[c])
            piece = piece.ljust(widths[c]) if c < table.left else piece.rjust(widths[c])
            pieces.append(_coloured(piece, getattr(row[c], "tone", None), colour))
        lines.append((indent + "  ".join(pieces)).rstrip())
    dropped = [str(table.header[c]) for c in range(len(table.header)) if c not in columns]
    return lines + ([f"{indent}(no room for: {', '.join(dropped)})"] if dropped else [])


def shortened(name: str, room: int) -> str:
    """A name in so many letters: its middle is left out where it is longer.

    >>> shortened("srchvrs_ps_run2", 10)
    'srchv…run2'
    """
    if len(name) <= room:
        return name
    tail = (room - 1) // 2
    return f"{name[: room - 1 - tail]}…{name[len(name) - tail :]}"


def _coloured(line: str, tone: Tone | None, colour: bool) -> str:
    return f"\x1b[{_ANSI[tone]}m{line}\x1b[0m" if colour and tone is not None and line.strip() else line


def to_markdown(blocks: Sequence[Block], *, explained: bool = False) -> str:
    """Blocks as Markdown, each under a heading."""
    parts = []
    for block in blocks:
        if block.title:
            parts.append(f"### {markdown(block.title)}")
        lines: list[str] = []
        for part in (*block.parts, *(block.explanation if explained else ())):
            if isinstance(part, Table):
                parts += ["\n".join(lines)] if lines else []
                parts.append(markdown_table(part.header, part.rows, left=part.left))
                lines = []
            else:
                lines.append(f"- {markdown(part.strip())}" if block.title else f"{markdown(part.strip())}  ")
        parts += ["\n".join(lines)] if lines else []
    return "\n\n".join(parts)


def text_table(header: Sequence[str], rows: Sequence[Sequence[str]], *, left: int = 1) -> str:
    """Columns under their names, the first `left` of them flush left; what cells hold is seen, and stays in them.

    >>> print(text_table(["system", "AP"], [["bm25", "0.2"]]))
    system   AP
    bm25    0.2
    """
    table = [list(map(visible, row)) for row in (header, *rows)]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    lines = []
    for row in table:
        cells = [c.ljust(w) if i < left else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths, strict=True))]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def markdown_table(header: Sequence[str], rows: Sequence[Sequence[str]], *, left: int = 1) -> str:
    """The same as Markdown.

    >>> print(markdown_table(["system", "AP"], [["a|b", "0.2"]]))
    | system | AP |
    | --- | ---: |
    | a\\|b | 0.2 |
    """
    marks = ["---" if i < left else "---:" for i in range(len(header))]
    lines = [list(map(markdown, row)) for row in (header, *rows)]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (lines[0], marks, *lines[1:]))


def latex_table(header: Sequence[str], rows: Sequence[Sequence[str]], *, caption: str, left: int = 1) -> str:
    """The same as a table of LaTeX's booktabs.

    >>> print(latex_table(["system"], [["a_1"]], caption="All systems."))
    \\begin{table}
    \\caption{All systems.}
    \\begin{tabular}{l}
    \\toprule
    system \\\\
    \\midrule
    a\\_1 \\\\
    \\bottomrule
    \\end{tabular}
    \\end{table}
    """
    shape = "l" * left + "r" * (len(header) - left)
    # a row that began with [ or * would be an option of the line before it
    lines = [re.sub(r"^(?=[\[*])", "{}", " & ".join(map(latex, row))) + r" \\" for row in (header, *rows)]
    return "\n".join([
        r"\begin{table}", rf"\caption{{{latex(caption)}}}", rf"\begin{{tabular}}{{{shape}}}", r"\toprule",
        lines[0], r"\midrule", *lines[1:], r"\bottomrule", r"\end{tabular}", r"\end{table}",
    ])  # fmt: skip


def interval_bar(lower: float, estimate: float, upper: float, *, width: int = 48) -> str:
    """An interval and its estimate drawn on a line on which 0 is marked; the line ends a little beyond both.

    >>> interval_bar(0.0158, 0.0757, 0.1355, width=24)
    '  │ ━━━━━━━━━●━━━━━━━━  '
    """
    ends = min(lower, 0.0), max(upper, 0.0)
    span = (ends[1] - ends[0]) or 1.0
    start, stop = ends[0] - 0.1 * span, ends[1] + 0.1 * span

    def place(value: float) -> int:
        return min(width - 1, max(0, round((value - start) / (stop - start) * (width - 1))))

    cells = [" "] * width
    for column in range(place(lower), place(upper) + 1):
        cells[column] = "━"
    cells[place(0.0)] = "┿" if cells[place(0.0)] == "━" else "│"
    cells[place(estimate)] = "●"
    return "".join(cells)


_ASCII = {
    "━": "=", "●": "o", "│": "|", "┿": "+", "…": "~", "†": "*", "‡": "**", "≥": ">=", "≤": "<=",
}  # fmt: skip


def ascii_only(shown: str) -> str:
    """The same in letters that every terminal has."""
    return "".join(_ASCII.get(letter, letter) for letter in shown)
