"""Base class of studies: tables, the data of figures, and findings in sentences."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import isnan
from typing import TYPE_CHECKING, Any

from rankscope import layout
from rankscope.errors import InputError, plural
from rankscope.formatting import visible
from rankscope.layout import Block, Layer, fitted
from rankscope.results import Layered, Result, records

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Table(Result):
    """A table: columns of equal length by name.

    caption  what it shows, in a sentence or two
    left     how many columns are text, flush left
    formats  how numbers of a column are printed, as in {"share": ".2f"}; four decimals where it is silent
    """

    values: Mapping[str, list[Any]]
    caption: str
    left: int = 1
    formats: Mapping[str, str] = field(default_factory=dict)

    def columns(self) -> dict[str, list[Any]]:
        """Plain values by column; None where there is none."""
        return {name: [_plain(value) for value in column] for name, column in self.values.items()}

    def rows(self) -> list[dict[str, Any]]:
        """One dictionary per row, as for JSON."""
        return records(self.columns())

    def to_dict(self) -> dict[str, Any]:
        """Rows and caption."""
        return {"rows": self.rows(), "caption": self.caption}

    def metrics(self) -> dict[str, float]:
        """All numbers, by the row's first columns and the column's name; as many of these as tell rows apart."""
        columns = self.columns()
        rows = list(zip(*columns.values(), strict=True))
        apart = [n for n in range(max(1, self.left), len(columns)) if len({row[:n] for row in rows}) == len(rows)]
        keys = apart[0] if apart else 0
        return {
            ".".join([*(map(str, row[:keys]) if apart else [str(number)]), name]): value
            for number, row in enumerate(rows, 1)
            for name, value in list(zip(columns, row, strict=True))[keys:]
            if isinstance(value, int | float) and not isinstance(value, bool)
        }

    def table(self) -> tuple[list[str], list[list[str]]]:
        shown = [[self._cell(name, value) for value in column] for name, column in self.columns().items()]
        return list(self.values), [list(row) for row in zip(*shown, strict=True)]

    def text_columns(self) -> int:
        return self.left

    def remarks(self) -> list[str]:
        """The caption."""
        return self.caption.splitlines()

    def laid_out(self, rows: int | None = None) -> layout.Table:
        """The table for printing, or its first rows."""
        header, cells = self.table()
        return layout.Table(header, cells[:rows], left=self.left)

    def _cell(self, name: str, value: Any) -> str:
        if value is None:
            return ""
        return format(value, self.formats.get(name, ".4f")) if isinstance(value, float) else str(value)


class Study(Layered):
    """The result of a study: findings in sentences, tables, and the data of figures. The first table is the main one.

    The short layer has the findings and the main table, the full one all tables.
    """

    __slots__ = ()
    name: str
    settings: Mapping[str, Any]

    def tables(self) -> dict[str, Table]:
        """All tables by name, the main one first."""
        raise NotImplementedError

    def figures(self) -> dict[str, dict[str, list[Any]]]:
        """Data of each figure, as plain columns."""
        return {}

    def summary(self) -> str:
        """Findings in sentences."""
        raise NotImplementedError

    def show(self, table: str | None = None) -> Table:
        """A table by name; the main one by default."""
        tables = self.tables()
        chosen = next(iter(tables)) if table is None else table
        if chosen not in tables:
            raise InputError(f"{self.name} has no table {table!r}", f"tables are {', '.join(tables)}")
        return tables[chosen]

    def columns(self, table: str | None = None) -> dict[str, list[Any]]:
        """Plain values by column."""
        return self.show(table).columns()

    def to_frame(self, table: str | None = None) -> pl.DataFrame:
        """A table as a polars frame; the main one by default."""
        return self.show(table).to_frame()

    def to_markdown(self, table: str | None = None) -> str:
        """A table as GitHub shows it."""
        return self.show(table).to_markdown()

    def to_latex(self, table: str | None = None) -> str:
        """A table of LaTeX's booktabs."""
        return self.show(table).to_latex()

    def to_dict(self) -> dict[str, Any]:
        """Everything in plain values, as for JSON."""
        return {
            "study": self.name,
            "settings": dict(self.settings),
            "summary": self.summary(),
            "tables": {name: table.rows() for name, table in self.tables().items()},
            "figures": {
                name: {key: [_plain(value) for value in column] for key, column in columns.items()}
                for name, columns in self.figures().items()
            },
        }

    def metrics(self) -> dict[str, float]:
        """All numbers of the main table, by row and column."""
        return self.show().metrics()

    def table(self) -> tuple[list[str], list[list[str]]]:
        return self.show().table()

    def text_columns(self) -> int:
        return self.show().left

    def remarks(self) -> list[str]:
        """The caption of the main table, and what was found."""
        return [*self.show().remarks(), *self.summary().splitlines()]

    def blocks(self, layer: Layer) -> list[Block]:
        """Findings first, then tables with what they show."""
        findings = Block("", self.summary().splitlines())
        if layer != "short":
            tables = self.tables().items()
            return [findings, *(Block(name, [table.laid_out(), *table.remarks()]) for name, table in tables)]
        main, n_rows = self.show(), len(self.show().table()[1])

        def with_rows(count: int) -> list[Block]:
            more = [f"({n_rows - count:,} more rows in the full layer)"] if count < n_rows else []
            return [findings, Block("", [main.laid_out(count), *more]), Block("", main.remarks())]

        return fitted(with_rows, n_rows, least=10)


def _plain(value: Any) -> Any:
    """A value of Python; None for what is not a number."""
    plain = value.item() if hasattr(value, "item") else value
    return None if isinstance(plain, float) and isnan(plain) else plain


def by_rows(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> dict[str, list[Any]]:
    """Rows as columns by name."""
    return {name: [row[i] for row in rows] for i, name in enumerate(names)}


def crossed(**factors: Sequence[Any]) -> dict[str, list[Any]]:
    """Columns of all combinations of some factors; the last one varies fastest.

    >>> crossed(measure=("AP", "RR"), depth=(5, 10))
    {'measure': ['AP', 'AP', 'RR', 'RR'], 'depth': [5, 10, 5, 10]}
    """
    return by_rows(list(factors), list(product(*factors.values())))


def panels(columns: Mapping[str, list[Any]], factor: str) -> dict[str, dict[str, list[Any]]]:
    """The other columns, by the levels of one factor."""
    return {
        level: {name: [value for value, at in zip(column, columns[factor], strict=True) if at == level]
                for name, column in columns.items() if name != factor}
        for level in dict.fromkeys(columns[factor])
    }  # fmt: skip


def place_of(value: Any, values: Sequence[Any], what: str) -> int:
    """Index of a value; an InputError that lists the values where it is none of them."""
    if value not in values:
        raise InputError(f"no {what} {value!r}", f"there are {', '.join(map(str, values))}")
    return list(values).index(value)


def extent(settings: Mapping[str, Any]) -> str:
    """Numbers of systems and topics, for captions."""
    return f"{plural(settings['n_systems'], 'system')}, {plural(settings['n_topics'], 'topic')}"


def threshold(settings: Mapping[str, Any]) -> str:
    """Which documents are relevant to metrics that name no grade, for captions; empty for scores alone.

    >>> threshold({"relevant_from": 1.0}), threshold({})
    ('; relevant: grade 1 or more', '')
    """
    return f"; relevant: grade {settings['relevant_from']:g} or more" if "relevant_from" in settings else ""


def joined(sentences: Iterable[str]) -> str:
    """Sentences of a summary, one line each, whatever names are in them."""
    return "\n".join(map(visible, sentences))


def percent(share: float) -> str:
    """A share as people read it.

    >>> percent(0.17417)
    '17.42 %'
    """
    return in_words(100 * share, ".2f", " %")


def in_words(value: float, digits: str, unit: str = "") -> str:
    """A number in a sentence; one that is none is undefined.

    >>> in_words(0.25, ".1f"), in_words(float("nan"), ".1f", " %")
    ('0.2', 'undefined')
    """
    return "undefined" if isnan(value) else f"{value:{digits}}{unit}"
