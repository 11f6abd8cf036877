"""Figures of reproduced papers for the page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rankscope.errors import InputError
from rankscope.figures.papers import drawer_of
from rankscope.reporting.charts import Drawn, on_both_grounds


def redrawn(key: str, title: str, caption: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> Drawn | None:
    """The figure of a table with these columns; none where there is none, or where it would show something else."""
    try:
        drawer = drawer_of(header, rows)
        return drawer and replace(on_both_grounds(drawer, key), title=title, subtitle=caption)
    except InputError:
        return None
