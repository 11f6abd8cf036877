"""Records of a paper's tables and figures, each made by one function."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, TypeVar

from rankscope.judged import Judged
from rankscope.statistics import Resampling
from rankscope.studies.base import Table
from rankscope.studies.checks import Draws, draws_of

Shared = TypeVar("Shared")
Needs: TypeAlias = Literal["nothing", "lists", "documents"]
Parts: TypeAlias = Mapping[str, Table | str]
"""Parts of an item by letter, "" for the whole; a text says why a part is left out."""
DRAWS = {"permutations": Resampling(2000), "splits": Resampling(1000), "samples": Resampling(10)}
"""Draws that items make, and how many by default, as in the papers."""
Draw: TypeAlias = Callable[[str, Sequence[str], Sequence[Sequence[str]]], Mapping[str, bytes] | str]
"""From a drawing's name, and the header and rows of a file: contents of pictures by ending, or why there are none."""


@dataclass(frozen=True, slots=True)
class Pictures:
    """Drawing of figures, as `figures.papers.pictures` gives it: no study knows how to draw.

    formats  endings of the files
    """

    formats: tuple[str, ...]
    draw: Draw


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Setting:
    """Collection and settings of all items of a paper. Numbers of resamples are the papers' own by default.

    judged      the collection, None where there is none
    resampling  one for all draws, or by name; `DRAWS` by default: "permutations" of randomised Tukey HSD, "splits" of
                topics into halves, "samples" of judgments or topics taken away
    alpha       the level of significance
    """

    judged: Judged | None = None
    resampling: Draws = None
    alpha: float = 0.05
    workers: int | None = None
    _kept: dict[str, Any] = field(default_factory=dict, repr=False)

    @property
    def lists(self) -> Judged:
        """The collection, for items that need one."""
        assert self.judged is not None
        return self.judged

    def draws(self, name: str) -> Resampling:
        """Number and seed of the "permutations", "splits" or "samples"."""
        return draws_of(self.resampling, DRAWS)[name]

    def once(self, name: str, make: Callable[[], Shared]) -> Shared:
        """A result that several items share, computed when the first of them needs it."""
        if name not in self._kept:
            self._kept[name] = make()
        shared: Shared = self._kept[name]
        return shared


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A table or figure.

    number  as in the paper: "Table 3"
    title   what it shows
    make    its parts as tables
    needs   "nothing"; "lists" of a collection; or lists with their "documents", where judgments are taken away
    chosen  what was done where the paper is ambiguous, or prints something that does not come out
    drawn   as which of `figures.papers.DRAWINGS`; by part, where only some are drawn, or otherwise
    """

    number: str
    title: str
    make: Callable[[Setting], Parts]
    needs: Needs = "nothing"
    chosen: str = ""
    drawn: str | Mapping[str, str] = ""

    @property
    def stem(self) -> str:
        """Beginning of the names of its files: table-3."""
        return self.number.lower().replace(" ", "-").replace(".", "-")

    def drawing(self, part: str) -> str:
        """Name of the drawing of a part; "" for none."""
        return self.drawn if isinstance(self.drawn, str) else self.drawn.get(part, "")

    @property
    def files(self) -> tuple[str, ...]:
        """Endings of its files: tables come as LaTeX too, figures as their data, from which they are drawn."""
        return ("csv",) if self.number.startswith("Figure") else ("csv", "tex")


@dataclass(frozen=True, slots=True, kw_only=True)
class Paper:
    """A paper: how it is called, what it shows, and how many systems and topics it takes at least.

    uses  which of permutations, splits, samples and alpha its items look at
    """

    name: str
    reference: str
    items: tuple[Item, ...]
    n_systems: int = 2
    n_topics: int = 2
    uses: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def single_table(
    columns: Mapping[str, list[Any]], caption: str, *, left: int = 1, formats: Mapping[str, str] | None = None
) -> dict[str, Table]:
    """The parts of an item that is one table."""
    return {"": Table(values=columns, caption=caption, left=left, formats=formats or {})}
