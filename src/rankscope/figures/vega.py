"""Words of Vega-Lite that figures share."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from rankscope.figures.chart import Columns, unique
from rankscope.figures.theme import FONT, Spec, Theme
from rankscope.formatting import minus, plain
from rankscope.measures.cwla.paper import shortened

CLOSE = 1.5  # pixels between points, up to which they look like one
TOOLTIP = {"content": "data"}
PER_CENT = {"labelExpr": "round(100 * datum.value) + ' %'"}  # an axis of shares
# what every object of a browser has: Vega fails on an expression that holds one of these as a text
_TAKEN = {
    "constructor", "toString", "toLocaleString", "valueOf", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable",
    "__proto__", "__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__",
}  # fmt: skip


def values(columns: Columns) -> Spec:
    """Inline data."""
    return {"values": [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]}


def quantity(field: str, title: Any = None, **more: Any) -> Spec:
    """A channel of numbers."""
    return {"field": field, "type": "quantitative", "title": title, **more}


def category(field: str, title: Any = None, **more: Any) -> Spec:
    """A channel of names, or of numbers that are told apart alone."""
    return {"field": field, "type": "ordinal", "title": title, **more}


def scale_of(meaning: Mapping[str, str]) -> Spec:
    """Colour scale from {word: colour}."""
    return {"domain": list(meaning), "range": list(meaning.values())}


def swatches(title: str | None = None, *, columns: int = 4, **more: Any) -> Spec:
    """A legend of squares, whose colours are full where points let others shine through."""
    return {
        "title": title,
        "symbolType": "square",
        "symbolStrokeColor": "#8a8a8a",  # stands out from the palest colours on either ground
        "symbolStrokeWidth": 0.7,
        "symbolOpacity": 1,
        "columns": columns,
        **more,
    }


def span(low: str, high: str) -> str:
    """From the lowest to the highest as they are printed; once where both read the same.

    >>> span("0.21", "0.22"), span("0.22", "0.22")
    ('0.21 to 0.22', '0.22')
    """
    return low if low == high else f"{low} to {high}"


def rounded(number: float, decimals: int, most: float) -> str:
    """A number as it is printed, but 0 or `most` only where it is 0 or `most`.

    >>> rounded(0.25, 2, 1), rounded(0.998, 2, 1), rounded(1.0, 2, 1), rounded(0.01, 1, 100)
    ('0.25', '>0.99', '1.00', '<0.1')
    """
    text, least = f"{number + 0.0:.{decimals}f}", 10.0**-decimals
    if number < most and float(text) == most:
        return f">{most - least:.{decimals}f}"
    return f"<{least:.{decimals}f}" if number > 0 and float(text) == 0 else minus(text)


def listed(names: Sequence[str], most: int | None = None) -> str:
    """All names in a row, or the first `most` and how many more there are.

    >>> listed(["P@10", "AP", "RR"])
    'P@10, AP and RR'
    >>> listed(["P@10", "AP", "RR"], most=1)
    'P@10 and 2 more'
    """
    if most is not None and len(names) > most:
        return f"{', '.join(names[:most])} and {len(names) - most:,} more"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def short(name: str, most: int = 32) -> str:
    """A name for a title: the short one of a metric, else its beginning, where it is long.

    >>> short("a" * 40, 5)
    'aaaa…'
    """
    name = shortened(name)
    return name if len(name) <= most else name[: most - 1] + "…"


def together(names: Sequence[str]) -> str:
    """Names of those that share a place, for a title: of one or two, else of the first, and how many others there are.

    >>> together(["a"]), together(["a", "b"]), together(["a", "b", "c", "d"])
    ('a', 'a and b', 'a and 3 others')
    """
    first, *others = map(short, names)
    return first if not others else f"{first} and {others[0] if len(others) == 1 else f'{len(others):,} others'}"


def quoted(name: str) -> str:
    """A name inside an expression of Vega.

    >>> quoted('"')
    '"\\\\""'
    >>> quoted("constructor")
    '("c"+"onstructor")'
    """
    if name in _TAKEN:
        return f'("{name[0]}"+"{name[1:]}")'
    return json.dumps(plain(name))


def labels(names: Iterable[str]) -> Spec:
    """Short names of metrics on an axis or in a legend, where there are any; data keep the whole ones."""
    long = [name for name in names if shortened(name) != name]
    if not long:
        return {}
    # two lists, not an object: every object has a "constructor"
    full, brief = (",".join(map(quoted, names)) for names in (long, map(shortened, long)))
    return {"labelExpr": f"[{brief}][indexof([{full}], datum.label)] || datum.label"}


def numbered(names: Iterable[str]) -> Spec:
    """Names instead of the numbers 1, 2, ... on an axis."""
    return {"labelExpr": f"[{','.join(map(quoted, names))}][datum.value - 1]"}


def room(names: Iterable[str], *, font: float = FONT, most: int = 200) -> float:
    """Pixels that the longest of these takes on an axis, about; longer ones are cut at `most`."""
    return min(float(most), 0.56 * font * max((len(shortened(str(name))) for name in names), default=0))


def across(names: Sequence[str], *, most: int = 4, width: float = 470, beside: int = 44) -> int:
    """Columns of a legend that give the fewest rows: entries go from left to right, each column as wide as its widest.

    beside  pixels that an entry takes beside its words
    """
    wide = [beside + room([name]) for name in names]
    fit = (n for n in range(most, 1, -1) if sum(max(wide[i::n], default=0.0) for i in range(n)) <= width)
    rows = math.ceil(len(names) / next(fit, 1))
    return math.ceil(len(names) / max(1, rows))


def ordered(names: Sequence[str], **scale: Any) -> Spec:
    """A scale's order of names from outside.

    The domain orders: sorting by a list puts names into expressions, where Vega fails on "constructor" and the like.
    """
    return {"sort": None, "scale": {"domain": list(names), **scale}}


def dot(size: int, colour: str | None = None, **more: Any) -> Spec:
    """A filled point."""
    painted = {} if colour is None else {"color": colour}
    return {"type": "point", "filled": True, "opacity": 1, "size": size, "tooltip": TOOLTIP, **painted, **more}


def signed(numbers: Iterable[float], title: Any, least: int = 3, **axis: Any) -> Spec:
    """A channel of differences: few values have a label, and among them are 0 and one on each side that is drawn."""
    finite = [number for number in numbers if math.isfinite(number)]
    low, high = min([0.0, *finite]), max([0.0, *finite])
    high = high if high > low else low + 1.0
    ticks = signed_ticks(low, high, least)
    every = 2 if len(ticks) > max(4, 2 * least) else 1
    return {"type": "quantitative", "title": title, "scale": {"domain": [low, high], "nice": False, "padding": 6},
            "axis": {"grid": False, "values": ticks, **only(from_zero(ticks, every)), **axis}}  # fmt: skip


def signed_ticks(low: float, high: float, least: int = 3) -> list[float]:
    """At least `least` round numbers from low to high in equal steps.

    0 is among them, and so is one on each side that takes a fifth of the range.

    >>> signed_ticks(-0.38, 0.68), signed_ticks(0, 0.06)
    ([-0.2, 0.0, 0.2, 0.4, 0.6], [0.0, 0.02, 0.04, 0.06])
    """
    power, part = math.ceil(math.log10(high - low)), (high - low) / 5
    ticks: list[float] = []
    for step in (m * 10.0**e for e in range(power, power - 4, -1) for m in (5, 2, 1)):
        first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
        ticks = [round(i * step, 12) for i in range(first, last + 1)]
        if len(ticks) >= least and (first < 0 or -low < part) and (last > 0 or high < part):
            break
    return ticks


def from_zero(ticks: Sequence[float], every: int) -> list[float]:
    """Every so many ticks from 0 on, and the outermost of a side that would have none.

    >>> from_zero([-0.2, 0.0, 0.2, 0.4, 0.6], 2)
    [-0.2, 0.0, 0.4]
    """
    zero = ticks.index(0.0)
    kept = [tick for i, tick in enumerate(ticks) if (i - zero) % every == 0]
    return sorted({*kept, *(ticks[:1] if kept[0] == 0 else []), *(ticks[-1:] if kept[-1] == 0 else [])})


def only(labelled: Sequence[float]) -> Spec:
    """Labels of an axis at these ticks alone: the others show that steps are equal."""
    return {"labelExpr": f"indexof({json.dumps(list(labelled))}, datum.value) < 0 ? '' : datum.label",
            "labelOverlap": False}  # fmt: skip


def zero_line(look: Theme, channel: str, *, colour: str | None = None) -> Spec:
    """The line of no difference, across x or y."""
    return {"mark": {"type": "rule", "color": colour or look.ink}, "encoding": {channel: {"datum": 0}}}


def interval_bar(look: Theme, y: Spec, x: Spec, lower: str = "lower", upper: str = "upper", **mark: Any) -> Spec:
    """Intervals from one column to another, as bars along x."""
    return {
        "mark": {"type": "rule", "strokeWidth": 2, "color": look.faint, **mark},
        "encoding": {"y": y, "x": {"field": lower, **x}, "x2": {"field": upper}},
    }


def names_axis(names: Iterable[str], **more: Any) -> Spec:
    """An axis of names with lines across the plot."""
    return {
        "ticks": False,
        "domain": False,
        "grid": True,
        "labelLimit": 200,
        "labelPadding": 5,
        **labels(names),
        **more,
    }


def facets(columns: Columns, by: str, plot: Spec, **head: Any) -> Spec:
    """A panel for each value of a column, two side by side."""
    header = {"title": None, "labelFontSize": 12, **head}
    return {"data": values(columns), "columns": 2, "spacing": 14, "spec": plot,
            "facet": {"field": by, "type": "nominal", "sort": unique(columns[by]), "header": header}}  # fmt: skip


class Areas(NamedTuple):
    """Areas of points that stand for several each: in proportion to how many, but for those that would be too small.

    most    the highest number that one point stands for
    one     pixels of each
    least   pixels of the smallest points
    """

    most: int
    one: float
    least: float

    @classmethod
    def of(cls, numbers: Iterable[int], usual: float, largest: float, least: float) -> Areas:
        """Areas up to `largest`; a point that stands for one has the `usual` one where there is room for it.

        >>> Areas.of([1, 4], 50, 600, 15), Areas.of([1, 300], 50, 600, 15)
        (Areas(most=4, one=50, least=50), Areas(most=300, one=2.0, least=15))
        """
        most = max(numbers, default=1)
        one = min(usual, largest / most)
        return cls(most, one, max(one, least))

    @property
    def alike(self) -> int:
        """Up to this number, points have the smallest area."""
        return max(1, math.floor(self.least / self.one))

    def area(self, number: int) -> float:
        """Area of a point that stands for so many."""
        return max(self.least, self.one * number)

    @property
    def words(self) -> str:
        """Which areas are in no proportion, for a caption; empty where all are.

        >>> Areas.of([1, 300], 50, 600, 15).words, Areas.of([1, 4], 50, 600, 15).words
        (' (one size for 1 to 7)', '')
        """
        return f" (one size for 1 to {self.alike:,})" if self.alike > 1 else ""

    def channel(self, field: str, title: str) -> Spec:
        """The size of points; where there are several, a legend has the ends, and one between of many."""
        scale = {"domain": [self.least / self.one, self.most], "range": [self.least, self.one * self.most],
                 "clamp": True}  # fmt: skip
        if self.most == 1:
            return {"value": self.least}
        steps = [m * 10**e for e in range(len(str(self.most))) for m in (1, 2, 5)]
        middle = [step for step in steps if self.alike < step <= self.most / 2 and self.most >= 10][-1:]
        first = "1 to " if self.alike > 1 else ""
        shown = {"values": [self.alike, *middle, self.most], "orient": "top", "titleOrient": "left", "titlePadding": 10,
                 "symbolType": "circle", "symbolFillColor": "transparent", "symbolStrokeColor": "#8a8a8a",
                 "symbolStrokeWidth": 1, "symbolOpacity": 1, "labelExpr":
                 f"(datum.value == {self.alike} ? '{first}' : '') + format(datum.value, ',d')"}  # fmt: skip
        return quantity(field, legend={"title": title, **shown}, scale=scale)


def crowded(x: Sequence[float], y: Sequence[float], area: Sequence[float]) -> str:
    """How many points lie so close to another of about their size that both look like one, for a caption.

    x, y, area  pixels, and square pixels

    >>> crowded([10, 11, 40], [5, 5, 5], [50, 50, 50]), crowded([10, 40], [5, 5], [50, 50])
    ('; 2 points are so close to another that both look like one', '')
    """
    place, radius = np.column_stack([x, y]), np.sqrt(np.asarray(area) / np.pi)
    near = (np.abs(place[:, None] - place).max(axis=2) < CLOSE) & (np.abs(radius[:, None] - radius) < CLOSE)
    close = int(np.count_nonzero(near.sum(axis=1) > 1))
    return f"; {close:,} points are so close to another that both look like one" if close else ""


def outlined(size: int, look: Theme, *, few: bool = True) -> Spec:
    """A filled point with a thin line around it, so that pale colours stand out; lines of many would hide them."""
    return dot(size, stroke=look.ink, strokeWidth=0.7) if few else dot(size, stroke=look.faint, strokeWidth=0.3)


def coloured(field: str, meaning: Mapping[str, str], **legend: Any) -> Spec:
    """Colour by what a column says."""
    return {"field": field, "type": "nominal", "scale": scale_of(meaning), "legend": swatches(**legend)}


def shaded(field: str, look: Theme, low: float, high: float, title: Any = None, **more: Any) -> Spec:
    """Colour from the ground, at `low`, to much, at `high`."""
    scale = {"domain": [low, high], "clamp": True, "range": list(look.ramp), "interpolate": "rgb"}
    return quantity(field, title, scale=scale, **more)


def on_both_sides(field: str, look: Theme, most: float, title: Any = None, **more: Any) -> Spec:
    """Colour from the ground, at 0, to much, at `most`, and in another hue at -`most`.

    In grey both sides are alike, so whoever uses it marks what is below 0.
    """
    colours = [*reversed(look.below), *look.ramp[1:]]
    return quantity(field, title, scale={"domain": [-most, most], "range": colours, "interpolate": "rgb"}, **more)


def on_shade(field: str, look: Theme, most: float) -> Spec:
    """Colour of letters on what is shaded from 0 so."""
    much = f"abs(datum.{field}) > {look.turn * most}"
    return {"condition": {"test": much, "value": look.on_ramp[1]}, "value": look.on_ramp[0]}


def occurring(meaning: Mapping[str, str], *columns: Iterable[Any]) -> dict[str, str]:
    """Classes that are drawn, with their colours: a legend shows no others."""
    seen = {value for column in columns for value in column}
    return {word: colour for word, colour in meaning.items() if word in seen}


class Line(NamedTuple):
    """A line as it is drawn, its points from left to right."""

    name: str
    points: Sequence[tuple[float, float]]
    colour: str
    dash: Sequence[int]


FOR_B = "positive: for B"  # second line of the title of an axis of differences
JOIN, SAMPLE = 10, 28  # pixels from a line's end to a sample of the line, and of the sample
BESIDE = JOIN + SAMPLE + 4  # pixels between the plot and a name
LEADER = [1, 3]  # dots of a leader to the name of a line that ends before the right edge


def end_labels(lines: Sequence[Line], x: Spec, y: Spec, gap: float, top: float, *, listed: bool = False) -> list[Spec]:
    """Names beside the right ends of lines, each after a sample of its line that is joined to the end.

    Names stand in the order of the ends. Lines that end in one place are told apart by these samples, and their names
    stand in the order of their mean heights.
    A line that ends before the right edge has a fine dotted leader to its sample, which looks like no line; of several
    that end at one height, the one that ends first has the highest name, so that no leader crosses another.

    gap     between two names at least, and `top` the highest place of one, both in units of y
    listed  names stand in the order of the lines from the top, joined to nothing
    """
    if not lines:
        return []
    left, right = min(line.points[0][0] for line in lines), max(line.points[-1][0] for line in lines)
    across = np.linspace(left, right, 101)
    heights = [float(np.interp(across, *np.array(line.points).T).mean()) for line in lines]
    ends = {line.points[-1][1] for line in lines}
    first = {end: min(other for other in ends if end - gap / 12 <= other <= end) for end in ends}
    placed = sorted(
        zip([first[line.points[-1][1]] for line in lines], [line.points[-1][0] for line in lines], heights, lines,
            strict=True), key=lambda one: (one[0], -one[1], *one[2:])
    )  # fmt: skip
    layer: list[Spec] = []
    # the name of a line that ends early is a little higher than its end: a level leader would lie on a line of the grid
    places = spread([end + gap / 2 * (at < right) for end, at, *_ in placed], gap, top)
    if listed:
        placed, places = [(0.0, 0.0, 0.0, line) for line in lines], [top - gap * i for i in range(len(lines))]
    for (*_, line), at_name in zip(placed, places, strict=True):
        end, value = line.points[-1]
        at = {"x": {**x, "field": "x"}, "y": {**y, "field": "y"}}
        join = {"type": "rule", "color": line.colour, "clip": False, "x2Offset": JOIN}
        sample = {**join, "strokeWidth": 2, "strokeDash": list(line.dash), "xOffset": JOIN, "x2Offset": JOIN + SAMPLE}
        leader = {"strokeDash": LEADER} if end < right and not listed else {}
        joined = {"data": values({"x": [end], "y": [value], "place": [at_name]}), "mark": {**join, **leader},
                  "encoding": {**at, "x2": {"value": "width"}, "y2": {"field": "place"}}}  # fmt: skip
        layer += [
            *([] if listed else [joined]),
            {"data": values({"y": [at_name]}), "mark": sample,
             "encoding": {"x": {"value": "width"}, "x2": {"value": "width"}, "y": at["y"]}},
            {"data": values({"name": [middle(shortened(line.name))], "y": [at_name]}),
             "mark": {"type": "text", "align": "left", "dx": BESIDE, "fontSize": 12, "limit": 170, "clip": False},
             "encoding": {"x": {"value": "width"}, "y": at["y"], "text": {"field": "name"}}},
        ]  # fmt: skip
    return layer


def middle(name: str, most: int = 26) -> str:
    """A name without what follows its beginning, where it is long: names of one family differ at their ends.

    >>> middle("optimalobservedantiprecision", 20)
    'optimal…ntiprecision'
    """
    start = most // 3 + 1
    return name if len(name) <= most else f"{name[:start]}…{name[start + 1 - most :]}"


def squares(high: float) -> list[float]:
    """Ticks of an axis of square roots, from 0 on.

    >>> squares(0.5), squares(1062)
    ([0.0, 0.03, 0.1, 0.2, 0.5], [0.0, 60.0, 200.0, 500.0, 1000.0])
    """
    parts = [high * (i / 4) ** 2 for i in range(1, 5)]
    units = [10.0 ** math.floor(math.log10(part)) for part in parts]
    digits = [math.floor(part / unit + 1e-9) for part, unit in zip(parts, units, strict=True)]
    return [0.0, *(round(digit * unit, 12) for digit, unit in zip(digits, units, strict=True))]


def magnitudes(low: float, high: float) -> list[float]:
    """Ticks of a logarithmic axis: powers of ten, and steps between them where these are few.

    >>> magnitudes(1, 1000), magnitudes(2, 60)
    ([1.0, 10.0, 100.0, 1000.0], [2.0, 5.0, 10.0, 20.0, 50.0])
    """
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    steps: tuple[float, ...] = (1.0,) if high >= 100 * low else (1.0, 2.0, 5.0)
    return [tick for e in range(first, last + 1) for m in steps if low <= (tick := m * 10.0**e) <= high]


def spread(places: Sequence[float], gap: float, top: float) -> list[float]:
    """Places, moved up where they would be closer than `gap`, and down again where the last would be above `top`.

    >>> spread([0.0, 5.0, 0.5], 1.0, 9.0), spread([5.0, 5.0], 1.0, 5.0)
    ([0.0, 5.0, 1.0], [4.0, 5.0])
    """
    moved, order = list(places), sorted(range(len(places)), key=lambda i: places[i])
    for before, i in pairwise(order):
        moved[i] = max(moved[i], moved[before] + gap)
    limit = top
    for i in reversed(order):
        moved[i] = min(moved[i], limit)
        limit = moved[i] - gap
    return moved


def plated(text: Spec, look: Theme) -> Spec:
    """Outline in the ground's colour, drawn below a text so that lines do not touch its letters."""
    return {**text, "stroke": look.ground, "strokeWidth": 6, "color": look.ground, "strokeJoin": "round"}


def seamless(field: str, width: float = 0.5, *, channel: str = "color", **more: Any) -> Spec:
    """A mark of cells that touch, coloured by a column: a little over their edges, where the ground would shine out.

    A channel for what is around cells would take their outline off the legend.
    """
    around = {"expr": f"scale('{channel}', datum.{field})"}
    return {"type": "rect", "stroke": around, "strokeWidth": width, "tooltip": TOOLTIP, **more}
