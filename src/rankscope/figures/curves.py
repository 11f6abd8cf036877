"""Lines of several metrics or systems, their names beside them, and which of them cover each other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankscope.arrays import Floats
from rankscope.figures import vega as vl
from rankscope.figures.chart import Columns, Sheet, rows_where, unique
from rankscope.figures.theme import DASHES, Spec, Theme

LABELLED = 6  # lines up to which each has its name beside it
BANDS = 3  # lines up to which each has a band
NEAR = 0.01  # of the axis: about the width of a line; curves that are no further apart cover each other
WIDEST, THINNEST = 2.8, 1.6  # pixels of the first line and of the last
EDGE = 0.7  # pixels of the edges of bands


def curves(
    sheet: Sheet, look: Theme, *, x: Spec, y: Spec, by: str, band: tuple[str, str] | None = None,
    panels: str | None = None, rule: float | None = None, clip: bool = False, listed: bool = False,
    over: Sequence[Spec] = (),
) -> Spec:  # fmt: skip
    """A line for each value of a column, told apart by colour and dashes, with bands where there are any.

    clip    where lines go on outside; else it would halve those at the edge
    listed  names stand at the right in the order of the rows, from the top, and are not joined to the ends of lines
    over    further layers on top
    """
    names = unique(sheet.columns[by])
    count = len(names)
    room = vl.room(map(str, names), font=12, most=170)
    labelled = count <= LABELLED
    colour = {"domain": names, "range": [look.lines[i % len(look.lines)] for i in range(count)]}
    # dashes go on where colours begin again
    dashes = [list(DASHES[(i + i // len(look.lines)) % len(DASHES)]) for i in range(count)]
    legend = {
        "title": None, "columns": vl.across(list(map(str, names))), "symbolType": "stroke", "symbolSize": 784,
        "symbolOpacity": 1, "labelLimit": 200, **vl.labels(map(str, names)),
    }  # fmt: skip
    paint = {"field": by, "type": "nominal", "sort": None, "scale": colour, "legend": None if labelled else legend}
    dash = {**paint, "scale": {"domain": names, "range": dashes}}
    thick = {"domain": names, "range": thicknesses(count)}
    if labelled:
        low, high = extent_of(sheet.columns, (y["field"], *(band if band and count <= BANDS else ())))
        scale = {"zero": True, "domain": [low, high], **y.get("scale", {})}
        if scale.pop("zero") and "domain" not in y.get("scale", {}):
            scale["domain"] = [min(0.0, low), max(0.0, high)]
        y = {**y, "scale": scale}
    layer: list[Spec] = []
    if rule is not None:
        layer.append(
            {"mark": {"type": "rule", "color": look.faint, "strokeDash": [3, 3]}, "encoding": {"y": {"datum": rule}}}
        )
    if band and count <= BANDS:
        layer.append({"mark": {"type": "area", "opacity": 0.15},
                      "encoding": {"x": x, "y": {**y, "field": band[0]}, "y2": {"field": band[1]},
                                   "color": paint}})  # fmt: skip
        if count > 1:  # edges tell bands apart that lie on each other
            layer += [{"mark": {"type": "line", "strokeWidth": EDGE, "opacity": 0.8},
                       "encoding": {"x": x, "y": {**y, "field": end}, "color": paint, "strokeDash": dash}}
                      for end in band]  # fmt: skip
    layer.append({"mark": {"type": "line", "tooltip": vl.TOOLTIP, "clip": clip},
                  "encoding": {"x": x, "y": y, "color": paint, "strokeDash": dash,
                               "strokeWidth": {**paint, "scale": thick}}})  # fmt: skip
    layer += over
    if not labelled:
        if panels is None:
            return {"data": vl.values(sheet.columns), "width": 400, "height": 220, "layer": layer}
        return vl.facets(sheet.columns, panels, {"width": 190, "height": 170, "layer": layer})

    def with_names(columns: Columns, width: float, height: int) -> Spec:
        lines: list[vl.Line] = []
        for i, name in enumerate(names):
            rows = rows_where(columns, by, name)
            known = [(at, value) for at, value in zip(rows[x["field"]], rows[y["field"]], strict=True)
                     if value is not None and value == value]  # fmt: skip
            if known:
                lines.append(vl.Line(str(name), sorted(known), look.lines[i], DASHES[i]))
        bottom, top = y["scale"]["domain"]
        beside = vl.end_labels(lines, x, y, 16 * (top - bottom) / height, top, listed=listed)
        return {"data": vl.values(columns), "width": round(width), "height": height, "layer": [*layer, *beside]}

    width = max(220.0, 415 - vl.BESIDE - room)
    if panels is None:
        return with_names(sheet.columns, width, 220)
    head = {"anchor": "middle", "frame": "group", "fontWeight": "normal", "fontSize": 12, "offset": 4}
    plots = [
        {"title": {"text": str(panel), **head}, **with_names(rows_where(sheet.columns, panels, panel), width, 150)}
        for panel in unique(sheet.columns[panels])
    ]
    return {"vconcat": plots, "spacing": 14}


def covered(names: Sequence[str], values: Floats, places: str = "levels", axis: float | None = None) -> list[str]:
    """Which curves cover each other at most of the levels, and at how many.

    values  levels x curves
    places  what the levels are called
    axis    length of the axis; from 0 to the highest value unless given
    """
    far = NEAR * (float(np.nanmax(values)) if axis is None else axis)

    def near(group: Sequence[int]) -> int:
        """Levels at which a group lies in one place."""
        return int(np.count_nonzero(np.ptp(values[:, group], axis=1) <= far))

    groups: list[list[int]] = []
    for s in range(len(names)):
        together = next((group for group in groups if 2 * near([*group, s]) > len(values)), None)
        if together is None:
            groups.append([s])
        else:
            together.append(s)
    return [f"{vl.listed([vl.short(names[s]) for s in group])} at {near(group):,} of {len(values):,} {places}"
            for group in groups if len(group) > 1]  # fmt: skip


def covering(found: Sequence[str], places: str = "levels") -> str:
    """The curves that cover each other, as a line of a caption; empty where none do.

    places  what the levels are called
    """
    near_by = f"curves that cover each other (within {100 * NEAR:g} % of the axis) at more than half of the {places}"
    return f"\n{near_by}: {'; '.join(found)}" if found else ""


def thicknesses(count: int) -> list[float]:
    """Pixels of so many lines: those drawn later are thinner, so that lines in one place are seen."""
    return [WIDEST - (WIDEST - THINNEST) * i / max(1, count - 1) for i in range(count)]


def extent_of(columns: Columns, names: Sequence[str]) -> tuple[float, float]:
    """Lowest and highest number of some columns."""
    numbers = [value for name in names for value in columns[name] if value is not None and value == value]
    low, high = min(numbers, default=0.0), max(numbers, default=1.0)
    return low, high if high > low else low + 1.0
