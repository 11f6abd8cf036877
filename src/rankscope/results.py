"""How results show themselves: as text, as rows, as a frame."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Mapping, Sequence
from html import escape
from importlib import import_module
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import polars as pl

ROWS = 200  # of a table in a notebook


def text_table(header: Sequence[str], rows: Sequence[Sequence[str]], *, left: int = 1) -> str:
    """Columns under their names, the first `left` of them flush left.

    >>> print(text_table(["system", "AP"], [["bm25", "0.2"]]))
    system   AP
    bm25    0.2
    """
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    lines = []
    for row in (header, *rows):
        cells = [c.ljust(w) if i < left else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths, strict=True))]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def markdown(text: str) -> str:
    """Text that Markdown shows as it is.

    >>> print(markdown("<b> *"))
    \\<b> \\*
    """
    return re.sub(r"([\\`*<|])", r"\\\1", text)


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


_LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", "†": r"$\dagger$", "‡": r"$\ddagger$", "≥": r"$\geq$", "≤": r"$\leq$",
}  # fmt: skip


def latex(text: str) -> str:
    """Text that LaTeX prints as it is; a hyphen before a number that stands alone is a minus.

    >>> print(latex("50 % of a_1: -0.5"))
    50 \\% of a\\_1: $-$0.5
    """
    escaped = "".join(_LATEX.get(char, char) for char in text)
    return re.sub(r"(?<![\w.)-])-(?=\d)", "$-$", escaped)


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
    lines = [" & ".join(map(latex, row)) + r" \\" for row in (header, *rows)]
    return "\n".join([
        r"\begin{table}", rf"\caption{{{latex(caption)}}}", rf"\begin{{tabular}}{{{shape}}}", r"\toprule",
        lines[0], r"\midrule", *lines[1:], r"\bottomrule", r"\end{tabular}", r"\end{table}",
    ])  # fmt: skip


def frame(columns: Mapping[str, Any], **types: Any) -> pl.DataFrame:
    """A polars frame; polars is imported here, when somebody asks for one.

    types  of columns that may hold nothing but nulls, so that frames of one kind can be stacked
    """
    import polars

    return polars.DataFrame(columns, schema_overrides=types)


def csv_text(columns: Mapping[str, Sequence[Any]]) -> str:
    """Columns as comma-separated values; what there is no number for is left empty."""
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([finite(v) for v in row] for row in zip(*columns.values(), strict=True))
    return out.getvalue()


def records(columns: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """The same by rows.

    >>> records({"system": ["a", "b"], "AP": [0.5, 0.25]})
    [{'system': 'a', 'AP': 0.5}, {'system': 'b', 'AP': 0.25}]
    """
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def finite(value: Any) -> Any:
    """The same without what JSON has no word for: NaN and infinity become null."""
    if isinstance(value, dict):
        return {k: finite(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [finite(v) for v in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


class Shown:
    """A result that prints as a table, in a terminal and in a notebook."""

    __slots__ = ()

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Header and rows, as text."""
        raise NotImplementedError

    def plot(
        self,
        figure: str | None = None,
        *,
        theme: Literal["light", "dark"] = "light",
        title: bool = True,
        **settings: Any,
    ) -> Any:
        """The figure of this result, as a chart that notebooks show and that saves itself.

        figure    its name, where there are several
        title     whether a title is drawn
        settings  those of the figure itself
        """
        # the one step uphill, taken when somebody asks: decisions/0052
        return import_module("rankscope.figures").draw(self, figure, theme=theme, title=title, **settings)

    def save_plot(
        self,
        path: str | Path,
        figure: str | None = None,
        *,
        theme: Literal["light", "dark"] = "light",
        title: bool = True,
        scale: float | None = None,
        **settings: Any,
    ) -> Path:
        """Write the figure as SVG, PDF, PNG, HTML or JSON, by the path's ending; the path is returned."""
        written: Path = self.plot(figure, theme=theme, title=title, **settings).save(path, scale=scale)
        return written

    def __str__(self) -> str:
        return text_table(*self.table())

    def _repr_html_(self) -> str:
        """In a notebook: the table, and the figure where there is one and the extra is installed."""
        header, rows = self.table()
        head = "".join(f"<th>{escape(cell)}</th>" for cell in header)
        body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows[:ROWS])
        more = f"<p>{len(rows) - ROWS:,} more rows: <code>to_frame()</code> has all</p>" if len(rows) > ROWS else ""
        image: str = import_module("rankscope.figures").image(self)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}{image}"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        """In IPython on a terminal: the table, not the fields. HTML comes from `_repr_html_`, where it is shown."""
        return {"text/plain": str(self)}
