"""Width of a picture: plots become wider or narrower, letters keep their size."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from rankscope.errors import InputError, argument
from rankscope.figures.theme import Spec

NARROWEST, WIDEST = 0.3, 40.0  # of a plot's own width
GAP = 12  # pixels that a picture may be narrower where no width between is drawn
PARTS = ("hconcat", "vconcat", "concat", "layer")


def check_width(width: float) -> None:
    """Refuse, before any work, what is no width of a picture."""
    if isinstance(width, bool) or not 100 <= width <= 5000:
        raise InputError(argument("width", width), "the width of a picture is a number of pixels from 100 to 5000")


def fitted(spec: Spec, width: float, draw: Callable[[str], str]) -> Spec:
    """The specification whose picture is `width` pixels wide, to within a pixel or two; `draw` gives SVG.

    Where a label that comes or goes leaves a gap there, it is a little narrower.
    Room that axes, labels and legends take does not grow with a plot, so the factor of the plots is found by secants.
    Legends that are wider than the picture get fewer columns. The title has no part in it: its lines are broken to fit.
    """
    head = {"title": spec["title"]} if "title" in spec else {}
    spec = {key: part for key, part in spec.items() if key != "title"}
    while True:
        factor, drawn = 1.0, _width(draw, spec)
        tried = {factor: drawn}
        step = width / drawn
        for _ in range(20):  # more than a few only where a legend is wider than the plots
            step = min(WIDEST, max(NARROWEST, step))
            if abs(drawn - width) <= 1 or step == factor:
                break
            before, (factor, drawn) = (factor, drawn), (step, _width(draw, scaled(spec, step)))
            tried[factor] = drawn
            slope = (drawn - before[1]) / (factor - before[0])
            step = factor + (width - drawn) / slope if slope > 1 else factor * width / drawn
        if abs(drawn - width) <= 2:
            return scaled({**head, **spec}, factor)
        close = [one for one, drawn_so in tried.items() if width - GAP <= drawn_so <= width]
        if close:
            return scaled({**head, **spec}, max(close, key=tried.__getitem__))
        fewer = _fewer_columns(spec)
        if drawn < width or fewer == spec:
            limit = "at least" if drawn > width else "at most"
            raise InputError(argument("width", width), f"this figure is {limit} {drawn:.0f} pixels wide")
        spec = fewer


def scaled(spec: Spec, factor: float) -> Spec:
    """Plots that are so much wider; squares stay squares, and columns of words stay as they are."""
    changed = dict(spec)
    for key in PARTS:
        if key in spec:
            changed[key] = [scaled(part, factor) for part in spec[key]]
    if isinstance(spec.get("spec"), dict):
        changed["spec"] = scaled(spec["spec"], factor)
    words = "value" in spec.get("encoding", {}).get("x", {})
    if "width" in spec and not words:
        changed["width"] = max(min(spec["width"], _printed(spec)), round(spec["width"] * factor))
        if spec.get("height") == spec["width"]:
            changed["height"] = changed["width"]
    return changed


def least_letters(value: Any, least: float, limit: float | None = None) -> Any:
    """The same with no letters smaller than `least` pixels, and no name longer than `limit`; data stay as they are."""
    if isinstance(value, list):
        return [least_letters(part, least, limit) for part in value]
    if not isinstance(value, dict):
        return value
    changed = {}
    for key, part in value.items():
        if key in ("fontSize", "labelFontSize", "titleFontSize", "subtitleFontSize") and isinstance(part, int | float):
            changed[key] = max(part, least)
        elif key in ("limit", "labelLimit") and limit is not None and isinstance(part, int | float):
            changed[key] = min(part, limit)
        else:
            changed[key] = part if key == "data" else least_letters(part, least, limit)
    return changed


def _printed(plot: Spec) -> int:
    """Pixels that the title of a plot and the words in its cells, side by side, need, about; 1 without such."""
    least = 1.0
    title = plot.get("title")
    if isinstance(title, dict) and "fontSize" in title:  # that of a whole figure has none, and is broken to fit
        least = 0.5 * title["fontSize"] * len(title["text"])
    for layer in plot.get("layer", ()):
        text, x = (layer.get("encoding", {}).get(channel, {}) for channel in ("text", "x"))
        if "field" in text and x.get("type") == "ordinal":
            rows = (layer if "data" in layer else plot)["data"]["values"]
            printed = [
                format(row[text["field"]], text.get("format", "")) for row in rows if row[text["field"]] is not None
            ]
            letters = max(map(len, printed), default=0)
            least = max(least, len({row[x["field"]] for row in rows}) * 0.56 * layer["mark"]["fontSize"] * letters)
    return round(least)


def _width(draw: Callable[[str], str], spec: Spec) -> float:
    head = draw(json.dumps(spec)).partition(">")[0]
    match = re.search(r'\bwidth="([\d.]+)"', head)
    assert match is not None
    return float(match[1])


def _fewer_columns(value: Any) -> Any:
    """Legends with one column fewer, where they have several."""
    if isinstance(value, list):
        return [_fewer_columns(part) for part in value]
    if not isinstance(value, dict):
        return value
    changed = {key: part if key == "data" else _fewer_columns(part) for key, part in value.items()}
    legend = value.get("legend")
    if isinstance(legend, dict) and legend.get("columns", 1) > 1:
        changed["legend"] = {**legend, "columns": legend["columns"] - 1}
    return changed
