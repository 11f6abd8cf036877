"""Base class of results: text, rows and frames."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from importlib import import_module
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from rankscope import layout
from rankscope.formatting import html, markdown, probability, score, visible
from rankscope.layout import Block, Layer, html_table, latex_table, markdown_table, terminal_width, text_table

if TYPE_CHECKING:
    import polars as pl

ROWS = 200  # of a table in a notebook, with those that can be opened
NO_MATHS = "tex2jax_ignore mathjax_ignore"  # classes of what a notebook does not read as formulas


def frame(columns: Mapping[str, Any], **types: Any) -> pl.DataFrame:
    """A polars frame; polars is imported here, when somebody asks for one.

    types  of columns that may hold nothing but nulls, so that frames of one kind can be stacked
    """
    import polars

    return polars.DataFrame(columns, schema_overrides=types)


def csv_text(columns: Mapping[str, Sequence[Any]], *, shown: bool = False, delimiter: str = ",") -> str:
    """Columns as comma-separated values; what there is no number for is left empty.

    shown      whether people will see it, so that text is written as it can be seen, not as it came in
    delimiter  what stands between values
    """
    if shown:
        columns = {
            visible(name): [visible(cell) if isinstance(cell, str) else cell for cell in column]
            for name, column in columns.items()
        }
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n", delimiter=delimiter)
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


def plain(value: Any) -> Any:
    """A value as plain Python: arrays and tuples become lists, dataclasses and mappings dictionaries, paths text."""
    if is_dataclass(value) and not isinstance(value, type):
        to_dict = getattr(value, "to_dict", None)
        return to_dict() if to_dict else {f.name: plain(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if hasattr(value, "tolist"):  # of numpy
        return plain(value.tolist())
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in value]
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


def cell(name: str, value: Any) -> str:
    """A value as a table prints it, by the name of its column.

    >>> cell("difference", 0.25), cell("pvalue", 0.0000012), cell("lower", None), cell("exact", True)
    ('0.2500', '1.2e-06', '', 'yes')
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return probability(value) if name == "p" or name.startswith("pvalue") else score(value)
    return str(value)


_LABELS = ("system", "name", "topics_of")  # what names a row of a result


def _numbers(value: Any, name: str) -> Iterator[tuple[str, float]]:
    """Single numbers in nested dictionaries, and in rows that have the name of a system or part, joined with dots."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _numbers(item, f"{name}.{key}" if name else key)
    elif isinstance(value, list):
        for row in value:
            labels = [row[key] for key in _LABELS if isinstance(row.get(key), str)] if isinstance(row, dict) else []
            if labels:
                yield from _numbers(row, f"{name}.{labels[0]}" if name else labels[0])
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield name, value


class Result:
    """A result: prints as a table in a terminal and in a notebook, and gives its numbers in every other form.

    A result is a frozen dataclass. Whatever a subclass does not define is derived from its fields: `columns` is one
    row of the fields that hold a single value; `to_frame`, the table, `to_markdown` and `to_latex` follow from
    `columns`; `to_dict` holds all fields; `metrics` holds all single numbers. `heading` is one line above the table,
    `remarks` are the lines below it.
    """

    __slots__ = ()

    def columns(self) -> dict[str, list[Any]]:
        """Plain values by column: one row of the fields that hold a single value; how it was drawn is in `to_dict`."""
        fields = {name: value for name, value in self.to_dict().items() if name != "resampling"}
        return {name: [value] for name, value in fields.items() if not isinstance(value, list | dict)}

    def column_types(self) -> dict[str, Any]:
        """Types of columns that may hold nothing but nulls, so that frames of one kind can be stacked."""
        return {}

    def heading(self) -> str:
        """One line above the table: what was computed, and from what."""
        return ""

    def remarks(self) -> list[str]:
        """Lines below the table."""
        return []

    def to_frame(self) -> pl.DataFrame:
        """`columns` as a polars frame."""
        columns = self.columns()
        named = {"favours": str} if "favours" in columns else {}  # None where nobody is favoured
        return frame(columns, **(named | self.column_types()))

    def to_dict(self) -> dict[str, Any]:
        """All fields as plain Python values, as for JSON."""
        return {field.name: plain(getattr(self, field.name)) for field in fields(cast(Any, self))}

    def metrics(self) -> dict[str, float]:
        """All single numbers by name, as experiment trackers take them; names of parts are joined by dots."""
        return dict(_numbers(self.to_dict(), ""))

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Header and rows, as text."""
        columns = self.columns()
        cells = [[cell(name, value) for value in column] for name, column in columns.items()]
        return list(columns), [list(row) for row in zip(*cells, strict=True)]

    def text_columns(self) -> int:
        """Number of leading columns of the table that are text and aligned left."""
        left = 0
        for column in self.columns().values():
            if not all(isinstance(value, str) for value in column):
                break
            left += 1
        return max(1, left)

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
        width: float | None = None,
        **settings: Any,
    ) -> Path:
        """Write the figure as SVG, PDF, PNG, HTML or JSON, by the path's ending; the path is returned.

        scale  of the picture with all its letters: 1 by default, 3 for PNG
        width  of the picture in pixels; letters keep their size
        """
        written: Path = self.plot(figure, theme=theme, title=title, **settings).save(path, scale=scale, width=width)
        return written

    def __str__(self) -> str:
        table = text_table(*self.table(), left=self.text_columns())
        return "\n".join(part for part in (visible(self.heading()), table, *map(visible, self.remarks())) if part)

    def to_markdown(self) -> str:
        """The table as GitHub shows it, with heading and remarks."""
        table = markdown_table(*self.table(), left=self.text_columns())
        remarks = "  \n".join(map(markdown, self.remarks()))
        return "\n\n".join(part for part in (markdown(self.heading()), table, remarks) if part)

    def to_latex(self) -> str:
        """The table for LaTeX's booktabs; heading and remarks are its caption."""
        caption = " ".join(part for part in (self.heading(), *self.remarks()) if part)
        return latex_table(*self.table(), caption=caption, left=self.text_columns())

    def _repr_html_(self) -> str:
        """In a notebook: heading, table, remarks, and the figure where there is one and the extra is installed."""
        header, rows = self.table()
        table = html_table(header, rows[:ROWS], left=self.text_columns())
        more = f"<p>{len(rows) - ROWS:,} more rows: <code>to_frame()</code> has all</p>" if len(rows) > ROWS else ""
        above = f"<p>{html(self.heading())}</p>" if self.heading() else ""
        below = "".join(f"<p>{html(line)}</p>" for line in self.remarks())
        image: str = import_module("rankscope.figures").image(self)
        return f'<div class="{NO_MATHS}">{above}{table}{more}{below}</div>{image}'

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        """In IPython on a terminal: the table, not the fields. HTML comes from `_repr_html_`, where it is shown."""
        return {"text/plain": str(self)}


class Layered(Result):
    """A result that is read in three layers: the answer, the evidence, and the evidence with how to read it."""

    __slots__ = ()

    def blocks(self, layer: Layer) -> list[Block]:
        """Printed blocks of a layer, in the order of reading; the answer is first."""
        raise NotImplementedError

    def to_text(self, layer: Layer = "short", *, width: int | None = None, colour: bool = False) -> str:
        """The result as text.

        layer   "short" for the answer, "full" for the evidence, "explain" for the evidence with how to read it
        width   in columns; that of the terminal unless given
        colour  whether holds, changes and undecided are coloured, by escapes of a terminal
        """
        columns = terminal_width() if width is None else width
        return layout.text(self.blocks(layer), width=columns, colour=colour, explained=layer == "explain")

    def __str__(self) -> str:
        return self.to_text()

    def to_markdown(self) -> str:
        """The evidence as Markdown, the answer first."""
        return layout.to_markdown(self.blocks("full"))

    def notebook_blocks(self) -> list[Block]:
        """The answer in a notebook, which has more room than a terminal and opens long tables."""
        return self.blocks("short")

    def _repr_html_(self) -> str:
        """In a notebook: the answer with one table, the figure where the extra is installed, evidence to be opened."""
        answer = layout.to_html(layout.with_one_table(self.notebook_blocks()))
        evidence = layout.to_html(self.blocks("full"))
        how = getattr(self, "signature", "")
        signature = f"<p><small>{html(how)}</small></p>" if isinstance(how, str) and how else ""
        image: str = import_module("rankscope.figures").image(self)
        full = f"<details><summary>Evidence</summary>{evidence}</details>"
        return f'<div class="{NO_MATHS}">{answer}{signature}</div>{image}<div class="{NO_MATHS}">{full}</div>'
