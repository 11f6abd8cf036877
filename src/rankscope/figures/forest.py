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
DOT, SUMMARY, LEAST = 8.4, 13.0, 4.0  # px: width of a point, of a diamond, and of either on a short interval
BESIDE_0 = 44  # px from 0 to the next label, so that that of 0 is printed
END, ARROW = "M0,-0.5L0,0.5", "M{0},-0.5L{1},0L{0},0.5"  # of bounds: where they end, where they go on
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
    words: dict[str, Any] = {"x": x, "marks": [] if margin is None else [-margin]}
    low, high = words["limits"] = _limits(rows, words["marks"])
    if any(row.estimate is None and (row.lower < low or row.upper > high) for row in rows):
        subtitle += "; arrows: on to the numbers beside them, beyond the axis"
    return Sheet(columns=columns_of(_COLUMNS, cells), title=title, subtitle=subtitle, words=words)


def _limits(rows: Sequence[Row], marks: Sequence[float]) -> tuple[float, float]:
    """Ends of the axis: wide bounds would make all intervals shorter than their points.

    >>> _limits([Row("a", 0.02, 0.01, 0.03), Row("bounds", None, -0.5, 0.5)], [])
    (-0.015, 0.045)
    >>> _limits([Row("a", 0.02, 0.01, 0.03), Row("bounds", None, -0.01, 0.5)], [])
    (-0.01, 0.045)
    """
    own = [0.0, *marks, *(end for row in rows if row.estimate is not None
                          for end in (row.estimate, row.lower, row.upper) if math.isfinite(end))]  # fmt: skip
    low, high = min(own), max(own)
    reach = (high - low) / 2 or math.inf
    ends = [end for row in rows if row.estimate is None for end in (row.lower, row.upper) if math.isfinite(end)]
    return max(low - reach, min([low, *ends])), min(high + reach, max([high, *ends]))


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
    low, high = sheet.words["limits"]
    x = vl.signed((low, high), [sheet.words["x"], vl.FOR_B], 2 if room > 200 else 3)
    width = round(max(150.0, min(300.0, 440 - room)))
    scale = (width - 2 * x["scale"]["padding"]) / ((high - low) or 1.0)
    x["axis"]["values"] = [tick for tick in x["axis"]["values"] if tick == 0 or abs(tick) * scale >= BESIDE_0]
    drawn = {**columns, "numbers": numbers, **_bounded(columns, low, high),
             "size": _sizes(columns, scale)}  # fmt: skip
    occurring = [word for word in (A_AHEAD, B_AHEAD, UNDECIDED) if word in columns["outcome"]]
    colour = vl.coloured("outcome", look.outcomes(*occurring)) if occurring else {"value": look.ink}
    shape = {"condition": {"test": "datum.summary", "value": "diamond"}, "value": "circle"}
    size = {"field": "size", "type": "quantitative", "scale": None}
    dashed = any(e is None and low is not None for e, low in zip(columns["estimate"], columns["lower"], strict=True))
    known, bounds = ([{"filter": f"{sign}isValid(datum.estimate) && isValid(datum.lower)"}] for sign in ("", "!"))
    end_mark = {"type": "point", "filled": False, "stroke": look.faint, "strokeWidth": 2, "size": 90, "opacity": 1}
    ends = [
        {
            "mark": end_mark,
            "transform": bounds,
            "encoding": {
                "y": y, "x": {"field": f"drawn_{end}", **x},
                "shape": {"field": f"{end}_shape", "type": "nominal", "scale": None},
            },
        }
        for end in ("lower", "upper")
    ]  # fmt: skip
    return {
        "data": vl.values(drawn), "width": width,
        "height": STEP * n,
        "layer": [
            vl.zero_line(look, "x"),
            *({"mark": {"type": "rule", "color": look.ink, "strokeDash": [5, 3]}, "encoding": {"x": {"datum": mark}}}
              for mark in sheet.words["marks"]),
            {**vl.interval_bar(look, y, x), "transform": known},
            *([{**vl.interval_bar(look, y, x, "drawn_lower", "drawn_upper", strokeDash=[4, 2]), "transform": bounds},
               *ends] if dashed else []),
            {"mark": vl.outlined(55, look), "transform": [{"filter": "isValid(datum.estimate)"}],
             "encoding": {"y": y, "x": {"field": "estimate", **x}, "color": colour, "shape": shape, "size": size}},
            {"mark": {"type": "text", "align": "left", "dx": 10, "fontSize": 12},
             "encoding": {"y": y, "x": {"value": "width"}, "text": {"field": "numbers", "type": "nominal"}}},
        ],
    }  # fmt: skip


def _bounded(columns: Columns, low: float, high: float) -> Columns:
    """Ends as they are drawn, within the axis, and their marks."""
    lower, upper = columns["lower"], columns["upper"]
    return {
        "drawn_lower": [None if end is None else max(end, low) for end in lower],
        "drawn_upper": [None if end is None else min(end, high) for end in upper],
        "lower_shape": [ARROW.format(0.6, 0) if end is not None and end < low else END for end in lower],
        "upper_shape": [ARROW.format(-0.6, 0) if end is not None and end > high else END for end in upper],
    }


def _sizes(columns: Columns, scale: float) -> list[float]:
    """Area of each point, which hides at most half of its interval, where this is longer than the smallest point.

    scale  pixels of one unit
    """
    sizes = []
    for lower, upper, summary in zip(columns["lower"], columns["upper"], columns["summary"], strict=True):
        most = SUMMARY if summary else DOT
        long = lower is not None and math.isfinite(lower) and math.isfinite(upper)
        wide = max(LEAST, min(most, scale * (upper - lower) / 2)) if long else most
        sizes.append(round(math.pi * wide**2 / 4, 1))
    return sizes


def _numbers(columns: Columns) -> list[str]:
    """Each estimate with its interval, as text."""
    texts = []
    for estimate, lower, upper in zip(columns["estimate"], columns["lower"], columns["upper"], strict=True):
        known = lower is not None and math.isfinite(lower) and math.isfinite(upper)
        interval = f"[{score(lower)}, {score(upper)}]" if known else ""
        texts.append(minus(interval if estimate is None else f"{score(estimate)} {interval}"))
    return texts
