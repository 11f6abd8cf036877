"""Forest plots: estimates with their intervals, one below the other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from rankscope.comparisons.metric_mapping import A_AHEAD, B_AHEAD
from rankscope.errors import InputError
from rankscope.figures import vega as vl
from rankscope.figures.chart import Columns, Sheet, columns_of
from rankscope.figures.letters import text_width
from rankscope.figures.theme import CHECKS, FONT, NOT_SHOWN, Spec, Theme
from rankscope.formatting import minus, score

STEP = 20  # pixels of a row
DOT, SUMMARY, LEAST = 8.4, 13.0, 4.5  # px: width of a point, of a diamond, and of either on a short interval
SHAPED = 7.5  # px: the least width where shapes tell classes apart
END, ARROW = "M0,-0.5L0,0.5", "M{0},-0.5L{1},0L{0},0.5"  # of bounds: where they end, where they go on
_SHAPES = dict(zip(CHECKS, ("circle", "triangle-down", "diamond"), strict=True))
_COLUMNS = ("place", "name", "estimate", "lower", "upper", "group", "outcome", "summary")


class Row(NamedTuple):
    """One estimate of B - A.

    estimate  None for mere bounds, which are dashed and have no point
    group     heading above the rows that follow each other in the same group
    outcome   A_AHEAD, B_AHEAD or NOT_SHOWN, or one of `CHECKS`; by default what an interval without 0 says
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
            outcome = B_AHEAD if row.lower > 0 else A_AHEAD if row.upper < 0 else NOT_SHOWN
        cells.append((len(cells) + 1, row.name, row.estimate, row.lower, row.upper, group, outcome, row.summary))
    words: dict[str, Any] = {"x": x, "marks": [] if margin is None else [-margin]}
    low, high = words["limits"] = _limits(rows, words["marks"])
    arrows = sum((row.lower < low) + (row.upper > high) for row in rows if row.estimate is None)
    if arrows:
        subtitle += f"; {'arrow' if arrows == 1 else 'arrows'}: on to the number at the right, beyond the axis"
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
    near = 1.5 * reach  # an end that is little further is drawn
    ends = [end for row in rows if row.estimate is None for end in (row.lower, row.upper) if math.isfinite(end)]
    lowest, highest = min([low, *ends]), max([high, *ends])
    return (lowest if lowest >= low - near else low - reach), (highest if highest <= high + near else high + reach)


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
    x["axis"] |= {**vl.only(_apart(x["axis"]["values"], scale)), "format": ".12~g"}
    checks = look.checks(*filter(None, columns["outcome"]))
    drawn = {**columns, **_with_spread(columns), "numbers": numbers, **_bounded(columns, low, high),
             "size": _sizes(columns, scale, SHAPED if checks else LEAST)}  # fmt: skip
    occurring = [word for word in (A_AHEAD, B_AHEAD, NOT_SHOWN) if word in columns["outcome"]]
    colour = vl.coloured("outcome", look.outcomes(*occurring)) if occurring else {"value": look.ink}
    shape: Spec = {"condition": {"test": "datum.summary", "value": "diamond"}, "value": "circle"}
    if checks:
        legend = {"legend": {key: value for key, value in vl.swatches().items() if key != "symbolType"}}
        shapes = {"domain": list(checks), "range": [_SHAPES[word] for word in checks]}
        colour, shape = (vl.category("outcome", scale=scale, **legend) for scale in (vl.scale_of(checks), shapes))
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
            vl.zero_line(look, "x", colour=look.faint if sheet.words["marks"] else look.ink),
            *({"mark": {"type": "rule", "color": look.ink, "strokeDash": [5, 3], "strokeWidth": 1.5},
               "encoding": {"x": {"datum": mark}}} for mark in sheet.words["marks"]),
            {**vl.interval_bar(look, y, x), "transform": known},
            *([{**vl.interval_bar(look, y, x, "drawn_lower", "drawn_upper", strokeDash=[4, 2]), "transform": bounds},
               *ends] if dashed else []),
            {"mark": vl.outlined(55, look), "transform": [{"filter": "isValid(datum.estimate)"}],
             "encoding": {"y": y, "x": {"field": "estimate", **x}, "color": colour, "shape": shape, "size": size}},
            {"mark": {"type": "text", "align": "left", "dx": 10, "fontSize": 12},
             "encoding": {"y": y, "x": {"value": "width"}, "text": {"field": "numbers", "type": "nominal"}}},
        ],
    }  # fmt: skip


def _apart(ticks: Sequence[float], scale: float) -> list[float]:
    """Ticks whose labels have room: every one, every second one from 0, and so on, and the end of a side without one.

    The end of a side is left without a label, too, where it is so close to 0 that labels would run together.

    scale  pixels of one unit

    >>> _apart([-0.02, 0.0, 0.02, 0.04], 3000), _apart([-0.02, 0.0, 0.02, 0.04], 1800), _apart([-0.02, 0.0], 900)
    ([-0.02, 0.0, 0.02, 0.04], [-0.02, 0.0, 0.04], [0.0])
    """
    wide = {tick: text_width(minus(f"{tick:g}"), FONT) or 0.0 for tick in ticks}
    step = min((b - a for a, b in pairwise(ticks)), default=1.0)
    every = math.ceil((max(wide.values()) + 7) / (step * scale))
    return [
        tick
        for tick in vl.from_zero(ticks, every)
        if (ticks.index(tick) - ticks.index(0.0)) % every == 0 or abs(tick) * scale > (wide[tick] + wide[0.0]) / 2 + 7
    ]


def _with_spread(columns: Columns) -> Columns:
    """Ends of intervals; none of a difference that is the same on every topic, which is a point."""
    rows = list(zip(columns["estimate"], columns["lower"], columns["upper"], strict=True))
    alone = [estimate is not None and low == high for estimate, low, high in rows]
    return {
        end: [None if none else value for none, value in zip(alone, columns[end], strict=True)]
        for end in ("lower", "upper")
    }


def _bounded(columns: Columns, low: float, high: float) -> Columns:
    """Ends as they are drawn, within the axis, and their marks."""
    lower, upper = columns["lower"], columns["upper"]
    return {
        "drawn_lower": [None if end is None else max(end, low) for end in lower],
        "drawn_upper": [None if end is None else min(end, high) for end in upper],
        "lower_shape": [ARROW.format(0.6, 0) if end is not None and end < low else END for end in lower],
        "upper_shape": [ARROW.format(-0.6, 0) if end is not None and end > high else END for end in upper],
    }


def _sizes(columns: Columns, scale: float, least: float) -> list[float]:
    """Area of each point, the same for all but summaries, since areas would be taken for weights.

    No point hides more than half of its interval, where this is longer than the smallest point.

    scale  pixels of one unit
    least  pixels across the smallest point
    """
    rows = list(zip(columns["estimate"], columns["lower"], columns["upper"], columns["summary"], strict=True))

    def area(most: float, of_summaries: bool) -> float:
        lengths = [
            upper - lower
            for estimate, lower, upper, summary in rows
            if estimate is not None and summary == of_summaries and lower < upper < math.inf and lower > -math.inf
        ]
        wide = max(least, min([most, *(scale * length / 2 for length in lengths)]))
        return round(math.pi * wide**2 / 4, 1)

    sizes = {False: area(DOT, False), True: area(SUMMARY, True)}
    return [sizes[bool(summary)] for *_, summary in rows]


def _numbers(columns: Columns) -> list[str]:
    """Each estimate with its interval, as text."""
    texts = []
    for estimate, lower, upper in zip(columns["estimate"], columns["lower"], columns["upper"], strict=True):
        known = lower is not None and math.isfinite(lower) and math.isfinite(upper)
        known = known and (estimate is None or lower < upper)  # a difference without spread has no interval
        interval = f"[{score(lower)}, {score(upper)}]" if known else ""
        texts.append(minus(interval if estimate is None else f"{score(estimate)} {interval}".rstrip()))
    return texts
