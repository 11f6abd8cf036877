"""Printed output: blocks of lines and tables, laid out for a terminal or as Markdown.

A result is read in three layers. The short layer is the answer, at most 24 lines of 80 columns. The full layer is the
evidence: one block per question. The explained layer is the full one with lines under each block that say what the
block is and how to read it.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from rankscope.formatting import html, latex, markdown, minus, visible

Layer: TypeAlias = Literal["short", "full", "explain"]
Tone: TypeAlias = Literal["holds", "changes", "undecided", "strong"]

WIDTH = 80  # columns, where no terminal says otherwise
LINES = 24  # of the short layer, at this width
NARROWEST, WIDEST = 60, 120  # columns of a terminal that are used
_TOGETHER = r"\bp [=<] [\d.e-]+|\bB - A\b|\b\d+ %"  # what stays on one line
SHORTEST = 8  # letters of a name that are kept in a narrow table
MARKED_ZERO = {0.0: "│"}
# blue, orange and grey differ in lightness, too, so that they can be told apart without seeing red or green
# seen on light and on dark ground
_HTML: dict[Tone, str] = {"holds": "#0a7cc4", "changes": "#c96a00", "undecided": "#808080"}
ROWS = 20  # of a table in a notebook, before those that can be opened
_ANSI: dict[Tone, str] = {"holds": "38;5;32", "changes": "38;5;208", "undecided": "38;5;245", "strong": "1"}


class Toned(str):
    """Text with a meaning that colour shows: it holds, it changes, it is undecided; or it is the main point."""

    __slots__ = ("tone",)
    tone: Tone

    def __new__(cls, text: str, tone: Tone) -> Toned:
        toned = super().__new__(cls, text)
        toned.tone = tone
        return toned


class Drawing(str):
    """A line of letters that draw something: for a terminal alone, and never wrapped."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Table:
    """A header and rows of cells.

    header    names of the columns; empty for a table without them
    left      number of leading columns that are flush left
    optional  indices of columns that are left out where the table is too wide, the first of them first
    prose     whether the last column is flush left and holds words, which go on below it where they do not fit
    """

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    left: int = 1
    optional: Sequence[int] = ()
    prose: bool = False


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
            elif isinstance(part, Drawing):
                lines.append(indent + part.rstrip())
            else:
                lines += _line(part, width, indent, colour)
        laid_out.append("\n".join(lines))
    return "\n\n".join(laid_out)


def fitted(blocks_of: Callable[[int], list[Block]], rows: int, *, least: int = 3) -> list[Block]:
    """Blocks of a short layer with as many rows of a table as fit into its lines.

    blocks_of  blocks with so many rows, which say what is left out
    least      rows that are shown in any case
    """
    for count in range(min(rows, LINES), min(rows, least), -1):
        if text(blocks := blocks_of(count)).count("\n") < LINES:
            return blocks
    return blocks_of(min(rows, least))


def panels(header: Sequence[str], rows: Sequence[Sequence[str]], *, left: int, width: int = WIDTH - 2) -> list[Table]:
    """A table, or several with some of its columns each, all with the first `left` ones, where it is too wide.

    >>> [table.header for table in panels(["", "one", "two"], [["a", "1", "2"]], left=1, width=7)]
    [['', 'one'], ['', 'two']]
    """
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    first = list(range(left))
    groups: list[list[int]] = [[]]
    for column in range(left, len(header)):
        taken = sum(widths[c] + 2 for c in (*first, *groups[-1], column)) - 2
        if taken > width and groups[-1]:
            groups.append([])
        groups[-1].append(column)
    return [
        Table([header[c] for c in (*first, *group)], [[row[c] for c in (*first, *group)] for row in rows], left=left)
        for group in groups
    ]


def _line(line: str, width: int, indent: str, colour: bool) -> list[str]:
    """One line, wrapped; blanks at its beginning are kept, and further lines are indented by two more."""
    shown = re.sub(_TOGETHER, lambda match: match[0].replace(" ", "\0"), visible(line))
    blanks = indent + " " * (len(shown) - len(shown.lstrip(" ")))
    wrapped = textwrap.wrap(
        shown.lstrip(" "), width, initial_indent=blanks, subsequent_indent=f"{blanks}  ", break_on_hyphens=False
    ) or [""]
    tone = line.tone if isinstance(line, Toned) else None
    return [_coloured(piece.replace("\0", " "), tone, colour) for piece in wrapped]


def _table(table: Table, width: int, indent: str, colour: bool) -> list[str]:
    """Columns under their names, without optional ones and with names shortened where they do not fit."""
    rows = [table.header, *table.rows] if table.header else list(table.rows)
    columns = list(range(len(rows[0]))) if rows else []
    cells = [[visible(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    room = width - len(indent)

    def taken() -> int:
        return sum(widths[c] for c in columns) + 2 * (len(columns) - 1)

    for column in table.optional:
        if taken() > room:
            columns.remove(column)
    if table.prose and columns:
        widths[-1] = max(min(widths[-1], 2 * SHORTEST), widths[-1] - max(0, taken() - room))
    named = [c for c in columns if c < table.left]
    while taken() > room and named and max(widths[c] for c in named) > SHORTEST:
        longest = max(named, key=lambda c: widths[c])
        widths[longest] = max(SHORTEST, widths[longest] - (taken() - room))
    lines = []
    for row, shown in zip(rows, cells, strict=True):
        pieces, further = [], []
        for c in columns:
            if table.prose and c == columns[-1]:
                piece, *further = textwrap.wrap(shown[c], widths[c], break_on_hyphens=False) or [""]
            else:
                piece = shortened(shown[c], widths[c])
                piece = piece.ljust(widths[c]) if c < table.left else piece.rjust(widths[c])
            pieces.append(_coloured(piece, getattr(row[c], "tone", None), colour))
        below = " " * (taken() - widths[columns[-1]])
        lines += [(indent + "  ".join(pieces)).rstrip(), *(f"{indent}{below}{line}" for line in further)]
    dropped = [str(table.header[c]) for c in range(len(table.header)) if c not in columns]
    return lines + ([f"{indent}(no room for: {', '.join(dropped)})"] if dropped else [])


def shortened(name: str, room: int) -> str:
    """A name in so many letters: its middle is left out where it is longer.

    >>> shortened("hybrid-model-2", 10)
    'hybri…el-2'
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
        for part in _readable(block, explained):
            if isinstance(part, Table):
                parts += ["\n".join(lines)] if lines else []
                parts.append(markdown_table(*_with_header(part), left=part.left, prose=part.prose))
                lines = []
            elif block.title:
                lines.append(f"- {markdown(part.strip())}")
            else:
                text = markdown(part.strip())
                lines.append(f"**{text}**  " if getattr(part, "tone", None) == "strong" else f"{text}  ")
        parts += ["\n".join(lines)] if lines else []
    return "\n\n".join(parts)


def to_html(blocks: Sequence[Block], *, explained: bool = False) -> str:
    """Blocks as HTML, for a notebook.

    >>> to_html([Block("Who leads?", [Toned("<b>", "strong")])])
    '<p><strong>Who leads?</strong></p><p><strong>&lt;b&gt;</strong></p>'
    """
    parts = []
    for block in blocks:
        if block.title:
            parts.append(f"<p><strong>{html(block.title)}</strong></p>")
        for part in _readable(block, explained):
            if isinstance(part, Table):
                parts.append(_html_table(part))
            else:
                parts.append(f"<p>{_html_words(part)}</p>")
    return "".join(parts)


def with_one_table(blocks: Sequence[Block]) -> list[Block]:
    """Blocks with their first table alone, and without the questions that another table answers.

    >>> first, second = (Block(title, [Table([], [[title]])]) for title in ("first?", "second?"))
    >>> [block.title for block in with_one_table([first, second, Block("", ["Next"])])]
    ['first?', '']
    """
    kept: list[Block] = []
    first: Table | None = None
    for block in blocks:
        tables = [part for part in block.parts if isinstance(part, Table)]
        first = first or next(iter(tables), None)
        parts = [part for part in block.parts if part is first or not isinstance(part, Table)]
        if len(parts) == len(block.parts) or (parts and (first in tables or not block.title)):
            kept.append(replace(block, parts=parts))
    return kept


def _html_words(text: str, signs: bool = True) -> str:
    """Text with the colour of its tone; bold where it is the main point.

    signs  whether numbers have minus signs in place of hyphens; names have none
    """
    if isinstance(text, Marked) and text.bold:
        return f"<strong>{html(text.number)}</strong>{html(text.mark)}"
    tone = getattr(text, "tone", None)
    if tone is None:
        return html(minus(text.strip()) if signs else text.strip())
    style = f' style="color: {_HTML[tone]}"' if tone in _HTML else ""
    return f"<strong{style}>{html(minus(text.strip()))}</strong>"


def html_table(header: Sequence[str], rows: Sequence[Sequence[str]], *, left: int = 0) -> str:
    """A table of the first rows; the others are below it, in one that can be opened.

    left  number of leading columns that are flush left

    >>> html_table(["n"], [["1"]])
    '<table><thead><tr><th>n</th></tr></thead><tbody><tr><td>1</td></tr></tbody></table>'
    """
    bars = {c for row in rows for c, cell in enumerate(row) if "●" in cell}  # drawn in letters of one width

    def cell(text: str, column: int, tag: str) -> str:
        if column in bars:
            return f'<{tag} style="white-space: pre; font-family: monospace; text-align: left">{html(text)}</{tag}>'
        style = ' style="text-align: left"' if column < left else ""
        return f"<{tag}{style}>{_html_words(text, signs=column >= left)}</{tag}>"

    def line(cells: Sequence[str], tag: str) -> str:
        return f"<tr>{''.join(cell(text, c, tag) for c, text in enumerate(cells))}</tr>"

    head = f"<thead>{line(header, 'th')}</thead>" if header else ""

    def body(lines: Sequence[Sequence[str]]) -> str:
        return f"<table>{head}<tbody>{''.join(line(cells, 'td') for cells in lines)}</tbody></table>"

    if len(rows) <= ROWS + 2:  # nobody opens a table for two rows
        return body(rows)
    summary = f"<summary>{len(rows) - ROWS:,} more rows</summary>"
    return f"{body(rows[:ROWS])}<details>{summary}{body(rows[ROWS:])}</details>"


def _html_table(table: Table) -> str:
    return html_table(table.header, table.rows, left=table.left)


def _readable(block: Block, explained: bool) -> list[str | Table]:
    """Parts of a block without what is drawn in letters."""
    parts = (*block.parts, *(block.explanation if explained else ()))
    return [part for part in parts if not isinstance(part, Drawing)]


def _with_header(table: Table) -> tuple[Sequence[str], Sequence[Sequence[str]]]:
    """Header and rows; a header of empty cells where there is none, which Markdown needs."""
    return table.header or [""] * max(map(len, table.rows), default=0), table.rows


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


def markdown_table(header: Sequence[str], rows: Sequence[Sequence[str]], *, left: int = 1, prose: bool = False) -> str:
    """The same as Markdown; with `prose` the last column is flush left, too.

    >>> print(markdown_table(["system", "AP"], [["a|b", "0.2"]]))
    | system | AP |
    | --- | ---: |
    | a\\|b | 0.2 |
    """
    last = len(header) - 1
    marks = ["---" if i < left or (prose and i == last) else "---:" for i in range(len(header))]
    lines = [list(map(_markdown_cell, row)) for row in (header, *rows)]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (lines[0], marks, *lines[1:]))


def _markdown_cell(cell: str) -> str:
    return f"**{cell.number}**{markdown(cell.mark)}" if isinstance(cell, Marked) and cell.bold else markdown(cell)


class Marked(str):
    """A number with the mark of a test beside it; the best one is bold."""

    __slots__ = ("bold", "mark", "number")
    number: str
    mark: str
    bold: bool

    def __new__(cls, number: str, mark: str = "", *, bold: bool = False) -> Marked:
        marked = super().__new__(cls, f"{number}{mark}")
        marked.number, marked.mark, marked.bold = number, mark, bold
        return marked


def latex_table(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    caption: str,
    left: int = 1,
    label: str | None = None,
    comments: Sequence[str] = (),
    page: bool | None = None,
) -> str:
    """The same as a table of LaTeX's booktabs.

    label     for references; none unless given
    comments  lines before the table that LaTeX does not print
    page      whether the table may be as wide as the page, not as a column of two; the letters are as small as that
              width needs, and a comment says where even the smallest do not fit. None: letters as in the text

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
    columns = list(zip(header, *rows, strict=True))
    marked = [any(getattr(cell, "mark", "") for cell in column) for column in columns]
    shape = "".join("l" if c < left else "r@{}l" if marked[c] else "r" for c in range(len(header)))
    heads = [rf"\multicolumn{{2}}{{c}}{{{latex(name)}}}" if marked[c] else latex(name) for c, name in enumerate(header)]
    body = [[_latex_cell(cell, marked[c]) for c, cell in enumerate(row)] for row in rows]
    # a row that began with [ or * would be an option of the line before it
    lines = [re.sub(r"^(?=[\[*])", "{}", " & ".join(cells)) + r" \\" for cells in (heads, *body)]
    kind = "table*" if page else "table"
    size: list[str] = []
    if page is not None:
        shape, size, remark = f"@{{}}{shape}@{{}}", *_fitting(columns, PAGE if page else COLUMN)
        comments = [*comments, *remark]
    return "\n".join([
        *(f"% {visible(comment)}" for comment in comments), rf"\begin{{{kind}}}",
        *([] if page is None else [r"\centering"]), rf"\caption{{{latex(caption)}}}",
        *([] if label is None else [rf"\label{{{_label(label)}}}"]), *size,
        rf"\begin{{tabular}}{{{shape}}}", r"\toprule", lines[0], r"\midrule", *lines[1:], r"\bottomrule",
        r"\end{tabular}", rf"\end{{{kind}}}",
    ])  # fmt: skip


COLUMN, PAGE = 241, 506  # points: a column and the width of two in the proceedings of ACM
_LETTERS = (("small", 4.7, 6), ("footnotesize", 4.2, 4), ("scriptsize", 3.7, 3))  # points a letter, and beside a column


def _fitting(columns: Sequence[Sequence[str]], room: int) -> tuple[list[str], list[str]]:
    """Commands for the largest letters with which a table fits, by the number of its letters; and a comment if none."""
    letters = sum(max(len(getattr(cell, "number", cell)) + 0.7 * len(getattr(cell, "mark", "")) for cell in column)
                  for column in columns)  # fmt: skip
    points = [letters * wide + 2 * beside * (len(columns) - 1) for _, wide, beside in _LETTERS]
    at = next((i for i, width in enumerate(points) if width <= room), len(points) - 1)
    name, _, beside = _LETTERS[at]
    too_wide = f"about {points[at]:.0f} pt wide, of {room}: name fewer columns, or the whole page"
    size = [rf"\{name}", rf"\setlength{{\tabcolsep}}{{{beside}pt}}"]
    return size, [too_wide] if points[at] > room else []


def _latex_cell(cell: str, marked: bool) -> str:
    """A cell; in a column with marks, the number and its mark are two, so that numbers are aligned."""
    if not isinstance(cell, Marked):
        return latex(cell) + " &" * marked
    number = rf"\textbf{{{latex(cell.number)}}}" if cell.bold else latex(cell.number)
    if not marked:
        return number
    mark = r"\dagger" if cell.mark == "†" else rf"\mathrm{{{latex(cell.mark)}}}"
    return f"{number} & " + (f"$^{{{mark}}}$" if cell.mark else "")


def _label(name: str) -> str:
    """A label that LaTeX can read: letters, digits and a few signs."""
    return re.sub(r"[^A-Za-z0-9:._-]", "-", name)


def interval_bar(
    lower: float,
    estimate: float,
    upper: float,
    *,
    width: int = 48,
    scale: tuple[float, float] | None = None,
    marks: Mapping[float, str] = MARKED_ZERO,
) -> str:
    """An interval and its estimate drawn on a line on which values are marked, 0 by default.

    scale  values at the ends of the line; a little beyond interval and marks unless given

    An interval that does not hold a marked value does not cover its mark, however close it is.

    >>> interval_bar(0.0158, 0.0757, 0.1355, width=24)
    '  │ ━━━━━━━━━●━━━━━━━━  '
    """
    ends = min([lower, *marks]), max([upper, *marks])
    span = (ends[1] - ends[0]) or 1.0
    start, stop = scale or (ends[0] - 0.1 * span, ends[1] + 0.1 * span)

    def place(value: float) -> int:
        return min(width - 1, max(0, round((value - start) / ((stop - start) or 1.0) * (width - 1))))

    cells = [" "] * width
    first, last = place(lower), place(upper)
    for value in marks:
        first = min(width - 1, place(value) + 1) if value < lower and place(value) == first else first
        last = max(0, place(value) - 1) if value > upper and place(value) == last else last
    for column in range(first, last + 1):
        cells[column] = "━"
    for value, mark in marks.items():
        cells[place(value)] = "┿" if mark == "│" and cells[place(value)] == "━" else mark
    cells[min(last, max(first, place(estimate)))] = "●"
    return "".join(cells)


_ASCII = {
    "━": "=", "●": "o", "│": "|", "┊": ":", "┿": "+", "…": "~", "†": "*", "‡": "**", "≥": ">=", "≤": "<=",
}  # fmt: skip


def ascii_only(shown: str) -> str:
    """The same in letters that every terminal has."""
    return "".join(_ASCII.get(letter, letter) for letter in shown)
