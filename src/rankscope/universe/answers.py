"""Printed counts over rankings: an answer in a sentence, a table, and remarks."""

from __future__ import annotations

from typing import ClassVar

from rankscope.errors import output
from rankscope.layout import Block, Layer, Table, Toned, fitted, panels
from rankscope.results import Layered, Result


class Answered(Layered):
    """A result with an answer. The short layer has it and a table, the full one all tables and remarks."""

    __slots__ = ()
    QUESTION: ClassVar[str]  # which the table answers
    READING: ClassVar[tuple[str, ...]]  # what the table is, and how to read it

    def answer(self) -> str:
        """The main finding in one or two sentences."""
        raise NotImplementedError

    def short_table(self) -> tuple[list[str], list[list[str]]]:
        """Header and rows of the short layer, the most telling rows first."""
        return self.table()

    def cautions(self) -> list[str]:
        """Remarks without which the short layer would say too much."""
        return []

    def short_blocks(self, n_rows: int) -> list[Block]:
        """The short layer with so many rows."""
        header, rows = self.short_table()
        more = [f"({len(rows) - n_rows:,} more rows: {output('full')})"] if n_rows < len(rows) else []
        numbers = (i for i, cell in enumerate(rows[0] if rows else header) if _is_number(cell))
        left = self.text_columns() if header == self.table()[0] else next(numbers, len(header))
        caption = [f"{as_sentence(self.heading())}"] if self.heading() else []
        return [
            Block("", [Toned(self.answer(), "strong")]),
            Block("", [Table(header, rows[:n_rows], left=left), *more]),
            Block(
                "",
                [
                    *caption,
                    *map(as_sentence, self.cautions()),
                    f"Next: {output('full')} has all numbers, {output('explain')} how to read them.",
                ],
            ),
        ]

    def further_blocks(self) -> list[Block]:
        """Blocks of the full layer below the table."""
        remarks = list(map(as_sentence, self.remarks()))
        return [Block("What else was found?", remarks)] if remarks else []

    def to_markdown(self) -> str:
        """The whole table as GitHub shows it, with heading and remarks."""
        return Result.to_markdown(self)

    def blocks(self, layer: Layer) -> list[Block]:
        """Short: answer and table. Full: one block per question."""
        if layer == "short":
            return fitted(self.short_blocks, len(self.short_table()[1]))
        caption = [f"{as_sentence(self.heading())}"] if self.heading() else []
        main: list[str | Table] = [*panels(*self.table(), left=self.text_columns()), *caption]
        answer = Block("", [Toned(self.answer(), "strong")])
        return [answer, Block(self.QUESTION, main, self.READING), *self.further_blocks()]


def as_sentence(text: str) -> str:
    """Text with a full stop, and a capital where it begins with a word that is no name.

    >>> as_sentence("all rankings; exact"), as_sentence("nDCG and AP agree")
    ('All rankings; exact.', 'nDCG and AP agree.')
    """
    word = text.split(" ", 1)[0]
    start = text[:1].upper() if word.isalpha() and word.islower() else text[:1]
    return f"{start}{text[1:]}{'' if text.endswith(('.', ':')) else '.'}"


def _is_number(cell: str) -> bool:
    return cell.replace(",", "").replace(".", "").replace("%", "").strip().lstrip("-").isdigit() or cell == "-"
