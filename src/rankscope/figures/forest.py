"""Forest plots: estimates with their intervals, one below the other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from rankscope.comparisons.metric_mapping import A_AHEAD, B_AHEAD
from rankscope.errors import InputError
from rankscope.figures import vega as vl
from rankscope.figures.chart import Columns, Sheet, columns_of
from rankscope.figures.theme import UNDECIDED, Spec, Theme
from rankscope.formatting import minus, score

STEP = 20  # pixels of a row
_COLUMNS = ("place", "name", "estimate", "lower", "upper", "group", "outcome", "summary")


class Row(NamedTuple):
    """One estimate of B - A.

    estimate  None for mere bounds, which are dashed and have no point
    group     heading above the rows that follow each other in the same group
    outcome   A_AHEAD, B_AHEAD or UNDECIDED; by default what an interval without 0 says
    summary   whether it is a summary of the others, which is drawn as a diamond
    """

    name: str
    estimate: float | None
    lower: float
    upper: float
    group: str = ""
    outcome: str | None = None
    summary: bool = False


def forest_sheet(rows: Sequence[Row], *, title: str, x: str, subtitle: str = "", margin: float | None = None) -> Sheet:
    """One row per estimate, in the order given; a row with a name alone above each group.

    x       what the estimates are, such as "B - A, nDCG@10"; positive is for B
    margin  the largest loss of B that is allowed, which a dashed line marks
    """
    if not rows:
        raise InputError("no estimates to draw")
    cells: list[tuple[Any, ...]] = []
    group = ""
    for row in rows:
        if row.group != group:
            group = row.group
            cells.append((len(cells) + 1, group, None, None, None, group, None, False))
        outcome = row.outcome
        if outcome is None and row.estimate is not None:
            outcome = B_AHEAD if row.lower > 0 else A_AHEAD if row.upper < 0 else UNDECIDED
        cells.append((len(cells) + 1, row.name, row.estimate, row.lower, row.upper, group, outcome, row.summary))
    words = {"x": x, "marks": [] if margin is None else [-margin]}
    return Sheet(columns=columns_of(_COLUMNS, cells), title=title, subtitle=subtitle, words=words)


def forest(sheet: Sheet, look: Theme) -> Spec:
    """Points and intervals about 0, their numbers at the right."""
    columns = sheet.columns
    names, n = columns["name"], len(columns["name"])
    heads = [at for at, low in zip(columns["place"], columns["lower"], strict=True) if low is None]
    numbers = _numbers(columns)
    room = vl.room(names, font=12, most=180) + vl.room(numbers, font=12)
    bold = {"condition": {"test": f"indexof({heads}, datum.value) >= 0", "value": "bold"}, "value": "normal"}
    axis = {**vl.names_axis(()), "labelLimit": 180, "labelFontSize": 12, "labelFontWeight": bold, **vl.numbered(names)}
    y = vl.category("place", axis=axis, scale={"domain": columns["place"]})
    ends = [end for key in ("lower", "upper") for end in columns[key] if end is not None and math.isfinite(end)]
    ends += sheet.words["marks"]
    x = vl.signed(ends, [sheet.words["x"], vl.FOR_B], 2 if room > 200 else 3)
    occurring = [word for word in (A_AHEAD, B_AHEAD, UNDECIDED) if word in columns["outcome"]]
    colour = vl.coloured("outcome", look.outcomes(*occurring)) if occurring else {"value": look.ink}
    shape = {"condition": {"test": "datum.summary", "value": "diamond"}, "value": "circle"}
    size = {"condition": {"test": "datum.summary", "value": 140}, "value": 55}
    return {
        "data": vl.values({**columns, "numbers": numbers}), "width": round(max(150.0, min(300.0, 440 - room))),
        "height": STEP * n,
        "layer": [
            vl.zero_line(look, "x"),
            *({"mark": {"type": "rule", "color": look.ink, "strokeDash": [5, 3]}, "encoding": {"x": {"datum": mark}}}
              for mark in sheet.words["marks"]),
            {**vl.interval_bar(look, y, x), "transform": [{"filter": "isValid(datum.estimate)"}]},
            {**vl.interval_bar(look, y, x, strokeDash=[3, 3]), "transform": [{"filter": "!isValid(datum.estimate)"}]},
            {"mark": vl.outlined(55, look), "transform": [{"filter": "isValid(datum.estimate)"}],
             "encoding": {"y": y, "x": {"field": "estimate", **x}, "color": colour, "shape": shape, "size": size}},
            {"mark": {"type": "text", "align": "left", "dx": 10, "fontSize": 12},
             "encoding": {"y": y, "x": {"value": "width"}, "text": {"field": "numbers", "type": "nominal"}}},
        ],
    }  # fmt: skip


def _numbers(columns: Columns) -> list[str]:
    """Each estimate with its interval, as text."""
    texts = []
    for estimate, lower, upper in zip(columns["estimate"], columns["lower"], columns["upper"], strict=True):
        known = lower is not None and math.isfinite(lower) and math.isfinite(upper)
        interval = f"[{score(lower)}, {score(upper)}]" if known else ""
        texts.append(minus(interval if estimate is None else f"{score(estimate)} {interval}"))
    return texts
