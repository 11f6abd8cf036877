"""How results show themselves: as text, as rows, as a frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl


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


def frame(columns: Mapping[str, Any]) -> pl.DataFrame:
    """A polars frame; polars is imported here, when somebody asks for one."""
    import polars

    return polars.DataFrame(columns)


class Shown:
    """A result that prints as a table, in a terminal and in a notebook."""

    __slots__ = ()

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Header and rows, as text."""
        raise NotImplementedError

    def __str__(self) -> str:
        return text_table(*self.table())

    def _repr_html_(self) -> str:
        header, rows = self.table()
        head = "".join(f"<th>{escape(cell)}</th>" for cell in header)
        body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
