"""Scores by topic: two systems against each other, distributions, and a map of all topics and systems."""

from __future__ import annotations

from collections.abc import Sequence
from math import hypot
from typing import Any

import numpy as np

from rankscope.arguments import whole_number
from rankscope.arrays import Floats
from rankscope.comparisons import Comparison
from rankscope.comparisons.exact_differences import best_first, scores_to_test
from rankscope.comparisons.scored import Scored, scored
from rankscope.errors import InputError, argument, plural
from rankscope.figures import vega as vl
from rankscope.figures.chart import Columns, Sheet, columns_of, picked
from rankscope.figures.letters import text_width
from rankscope.figures.theme import Spec, Theme
from rankscope.figures.two_systems import AHEAD, DRAWN, effect_test
from rankscope.formatting import percent, score
from rankscope.measures.scores import Scores
from rankscope.statistics.equality import difference, places, settled

SHOWN = 30  # systems whose distributions are drawn unless another number is asked for
DOTS = 200  # points of a distribution, evenly spaced in the order of scores
CELLS = 200  # columns of a map: of more topics, neighbours in the order of difficulty share one
MOST_CELLS = 20_000  # of a map
NAMED = 40  # systems or topics up to which a map names them
POINTED = 4  # topics that a scatter plot names: those that differ most
SIDE, PADDING = 350, 14  # pixels of a scatter plot, and between its edge and the ends of its axes
_LISTED = 3  # topics that share a point and are named in its row


def scatter_sheet(scores: Scores, *, systems: Sequence[str] | None = None, measure: str | None = None) -> Sheet:
    """One row per point: the score of the first system (A) and of the second (B) on a topic.

    systems  two names; the two highest means by default
    measure  one of those scored; the first by default
    """
    if systems is None:
        table = _table(scores, measure)
        if len(table.systems) < 2:
            raise InputError(f"{table.systems[0]} alone has nothing to be compared with", "score two systems")
        systems = [table.systems[s] for s in best_first(table)[1::-1]]  # the best is B
    if isinstance(systems, str) or len(systems) != 2:
        raise InputError(argument("systems", systems), "two names of systems, the first of which is A")
    table = _table(scores, measure, systems)
    a, b = table.value.T
    means = f"mean {score(float(b.mean()))} (B) and {score(float(a.mean()))} (A), not tested"
    return _scatter_sheet(table, means)


def comparison_scatter_sheet(comparison: Comparison) -> Sheet:
    """The same of the systems compared."""
    e = comparison.effect
    interval = f"{100 * e.level:g} % interval [{score(e.lower)}, {score(e.upper)}]"
    return _scatter_sheet(
        comparison.scored, f"mean of B - A {score(e.difference)}, {interval}, {effect_test(comparison)}"
    )


def _scatter_sheet(table: Scored, means: str) -> Sheet:
    a, b = table.value.T
    apart, _ = difference(*scores_to_test(table, 0, 1)[:2])
    points, first, of = np.unique(np.stack([settled(a), settled(b)], 1), axis=0, return_index=True, return_inverse=True)
    members: list[list[str]] = [[] for _ in points]
    for topic, at in zip(table.topics, of.ravel().tolist(), strict=True):
        members[at].append(topic)
    every = sorted(range(len(points)), key=lambda i: (apart[first[i]], i))
    order = [every[i] for i in np.linspace(0, len(every) - 1, min(len(every), DRAWN)).round().astype(int)]
    rows: list[tuple[Any, ...]] = [
        (vl.listed(members[i], _LISTED), len(members[i]), *map(float, points[i]), float(apart[first[i]]),
         AHEAD[int(np.sign(apart[first[i]])) + 1])
        for i in order
    ]  # fmt: skip
    won, lost = int((apart > 0).sum()), int((apart < 0).sum())
    name_a, name_b = map(vl.short, table.systems)
    n = len(table.topics)
    ahead, behind = (f"{name_b} (B)", f"{name_a} (A)") if won >= lost else (f"{name_a} (A)", f"{name_b} (B)")
    same = f", the same on {n - won - lost:,}" if n > won + lost else ""
    leads = (
        f"{ahead} is higher than {behind} on {max(won, lost):,} of {plural(n, 'topic')}, lower on {min(won, lost):,}"
    )
    thinned = f"; {len(order):,} of {len(every):,} points, evenly spaced by B - A" if len(order) < len(every) else ""
    most = max(row[1] for row in rows)
    areas = _areas([row[1] for row in rows])
    together = ", or for several in one place" if most > 1 else ""
    shared = f"; area of a point: its number of topics, 1 to {most:,}{areas.words}" if most > 1 else ""
    columns = columns_of(("topic", "topics", "a", "b", "difference", "outcome"), rows)
    named = len(_pointed(vl.values(columns)["values"], *_span([*columns["a"], *columns["b"]])))
    far = "the largest difference" if named == 1 else f"the {named} largest differences"
    low, high = _span([*columns["a"], *columns["b"]])
    pixels = (SIDE - 2 * PADDING) / (high - low)
    shared += vl.crowded(
        [pixels * a for a in columns["a"]], [pixels * b for b in columns["b"]], list(map(areas.area, columns["topics"]))
    )
    shared += f"; named: {far}{' of those drawn' if thinned else ''}" if named else ""
    return Sheet(
        columns=columns,
        title=leads + same,
        subtitle=f"{table.measure}, one point per topic{together}; {means}{shared}{thinned}",
        words={"x": f"{table.measure} of A", "y": f"{table.measure} of B"},  # no names: Vega puts them into expressions
    )


def scatter(sheet: Sheet, look: Theme) -> Spec:
    """Points on both sides of the line on which the scores are equal."""
    low, high = _span([*sheet.columns["a"], *sheet.columns["b"]])
    few = len(sheet.columns["a"]) <= 200
    axis = {"grid": False, "tickCount": 5}
    scale = {"domain": [low, high], "nice": False, "zero": False, "padding": PADDING}
    x = vl.quantity("a", sheet.words["x"], scale=scale, axis=axis)
    y = vl.quantity("b", sheet.words["y"], scale=scale, axis=axis)
    occurring = [word for word in AHEAD if word in sheet.columns["outcome"]]
    # large points below small ones, which they would hide; of one size, equal scores are on top
    equal = [outcome == AHEAD[1] for outcome in sheet.columns["outcome"]]
    order = sorted(range(len(equal)), key=lambda i: (-sheet.columns["topics"][i], equal[i]))
    size = _areas(sheet.columns["topics"]).channel("topics", "topics")
    diagonal = vl.values({"a": [low, high], "b": [low, high]})
    return {
        "width": SIDE, "height": SIDE, "data": vl.values(picked(sheet.columns, order)),
        "layer": [
            {"data": diagonal, "mark": {"type": "line", "color": look.faint, "strokeDash": [5, 3], "strokeWidth": 1.2},
             "encoding": {"x": x, "y": y}},
            {"mark": vl.outlined(55, look, few=few),
             "encoding": {"x": x, "y": y, "size": size, "color": vl.coloured("outcome", look.outcomes(*occurring))}},
            *({"data": {"values": [row]}, "mark": {"type": "text", "fontSize": 12, "limit": 150, **at},
               "encoding": {"x": x, "y": y, "text": {"value": name}}}
              for row, name, at in _pointed(vl.values(sheet.columns)["values"], low, high)),
        ],
    }  # fmt: skip


def _areas(topics: Sequence[int]) -> vl.Areas:
    """Areas of points by their topics."""
    return vl.Areas.of(topics, 55 if len(topics) <= 200 else 22, 600, 18)


def _span(values: Sequence[float]) -> tuple[float, float]:
    """Ends of both axes of a scatter plot: those of the scores, or 0 where it is near."""
    low, high = min(values), max(values)
    low = 0.0 if 0 < low < (high - low) / 4 or low == high > 0 else low
    return low, high if high > low else low + 1.0


def _pointed(rows: Sequence[dict[str, Any]], low: float, high: float) -> list[tuple[dict[str, Any], str, Spec]]:
    """The topics that differ most, their names, and places of these that cover no point, no name and not the diagonal.

    No topic is named where one that differs more, or as much, has no name.
    """
    order = sorted((i for i, row in enumerate(rows) if row["difference"]), key=lambda i: -abs(rows[i]["difference"]))
    areas, pixels = _areas([row["topics"] for row in rows]), (SIDE - 2 * PADDING) / (high - low)
    circles = [
        (PADDING + (row["a"] - low) * pixels, PADDING + (row["b"] - low) * pixels,
         (areas.area(row["topics"]) / np.pi) ** 0.5)
        for row in rows
    ]  # fmt: skip
    named: list[tuple[int, str, Spec]] = []
    boxes: list[tuple[float, float, float, float]] = []

    def free(box: tuple[float, float, float, float], own: int) -> bool:
        left, right, bottom, top = box
        inside = left >= 3 and right <= SIDE and bottom >= 3 and top <= SIDE  # no name touches an axis
        diagonal = left <= top and right >= bottom
        points = any(left - r < x < right + r and bottom - r < y < top + r for x, y, r in circles)
        names = any(
            left < other[1] + 4 and other[0] < right + 4 and bottom < other[3] and other[2] < top for other in boxes
        )
        return inside and not (diagonal or points or names) and nearest(box, own)

    def nearest(box: tuple[float, float, float, float], own: int) -> bool:
        """Whether no other point is nearly as close to a name as its own."""
        left, right, bottom, top = box
        away = [hypot(max(left - x, 0, x - right), max(bottom - y, 0, y - top)) - r for x, y, r in circles]
        return all(gap > 2 * away[own] for i, gap in enumerate(away) if i != own)

    for i in order[:POINTED]:
        row, (x, y, r) = rows[i], circles[i]
        name = row["topic"] if row["topics"] <= 2 and len(row["topic"]) <= 24 else f"{row['topics']:,} topics"
        wide, away = (text_width(name, 12) or vl.room([name], font=12)) + 1, r + 4
        beside = [(-1, 0), (1, 0)] if row["difference"] > 0 else [(1, 0), (-1, 0)]  # away from the diagonal first
        for side, up in [*beside, (0, 1), (0, -1)]:
            start = x - wide / 2 if side == 0 else x + side * (away if up == 0 else 0) - (wide if side < 0 else 0)
            middle = y + up * (away + 6)
            box = (start, start + wide, middle - 6, middle + 6)
            if free(box, i):
                boxes.append(box)
                align = {-1: "right", 0: "center", 1: "left"}[side]
                shift = {"dx": side * away} if up == 0 else {"dy": -up * (away + 6)}
                named.append((i, name, {"align": align, "baseline": "middle", **shift}))
                break
        else:
            break
    last = abs(rows[order[len(named)]]["difference"]) if len(named) < len(order) else 0.0  # the largest without a name
    return [(rows[i], name, at) for i, name, at in named if abs(rows[i]["difference"]) > last + 1e-9]


def distributions_sheet(scores: Scores, *, measure: str | None = None, top: int = SHOWN) -> Sheet:
    """One row per point of a system: a score, and how many topics have it; in `boxes` one row per system.

    Of more than `DOTS` topics so many are drawn, evenly spaced from the lowest score to the highest.

    measure  one of those scored; the first by default
    top      only so many of the best
    """
    whole_number("top", top)
    table = _table(scores, measure)
    order = best_first(table)[:top]
    n = len(table.topics)
    rows: list[tuple[Any, ...]] = []
    boxes: list[tuple[Any, ...]] = []
    drawn = np.linspace(0, n - 1, min(n, DOTS)).round().astype(int)
    for s in order:
        value = table.value[:, s]
        points, counts = np.unique(settled(np.sort(value)[drawn]), return_counts=True)
        rows += [(table.systems[s], float(point), int(count)) for point, count in zip(points, counts, strict=True)]
        quartiles = map(float, np.quantile(value, (0.25, 0.5, 0.75)))
        boxes.append((table.systems[s], float(value.mean()), *quartiles, float(value.min()), float(value.max())))
    of = (
        ""
        if len(order) == len(table.systems)
        else f"the best {len(order):,} of {plural(len(table.systems), 'system')}; "
    )
    each = "one point per topic, or for several in one place"
    if len(drawn) < n:
        each = f"points: {len(drawn):,} of them for each system, evenly spaced by score"
    areas, what = _small_areas([row[2] for row in rows]), "topics" if len(drawn) == n else f"of these {len(drawn):,}"
    shared = f"; area of a point: how many {what} have the score{areas.words}" if areas.most > 1 else ""
    box = ("system", "mean", "lower_quartile", "median", "upper_quartile", "lowest", "highest")
    columns = columns_of(box, boxes)
    return Sheet(
        columns=columns_of(("system", "score", "topics"), rows),
        title=_highest(table, columns, len(order) < len(table.systems)),
        subtitle=f"{of}{plural(n, 'topic')}, {each}{shared}; their heights within a row mean nothing\n"
        "bar: the middle half of the topics; line: median; diamond: mean; not tested",
        more={"boxes": columns},
        words={"x": table.measure, "area": "topics" if len(drawn) == n else f"topics, of {len(drawn):,}"},
    )


def _small_areas(topics: Sequence[int]) -> vl.Areas:
    """Areas of points in rows by their topics."""
    return vl.Areas.of(topics, 9, 79, 7)


def _highest(table: Scored, boxes: Columns, cut: bool) -> str:
    """Who has the highest mean, and who the highest median of those drawn."""
    if len(table.systems) == 1:
        return f"{table.measure} of {vl.short(table.systems[0])}, topic by topic"

    def first(column: str) -> tuple[list[str], str]:
        """Systems whose number reads like the highest, and whether they are equal only as they are printed."""
        values = boxes[column]
        printed = score(max(values))
        alike = [s for s, value in enumerate(values) if score(value) == printed]
        rounded = len(set(places([values[s] for s in alike]).tolist())) > 1
        return [boxes["system"][s] for s in alike], f" ({printed} to four decimals)" * rounded

    (mean, by_mean), (median, by_median) = first("mean"), first("median")
    of = f" of these {len(boxes['system']):,} systems" if cut else ""
    head = f"{vl.together(mean)} {'has' if len(mean) == 1 else 'share'} the highest mean {table.measure}{by_mean}"
    if mean == median:
        return f"{head} and the highest median{by_median}{of}"
    return f"{head}, {vl.together(median)} the highest median{by_median}{of}"


def distributions(sheet: Sheet, look: Theme) -> Spec:
    """A row per system: points, spread in height so that dense ones can be seen, and below them quartiles and mean."""
    systems = sheet.more["boxes"]["system"]
    step, font = (24, 13) if len(systems) <= 30 else (18, 12)
    y = vl.category("system", **vl.ordered(systems), axis=vl.names_axis((), labelFontSize=font))
    low, high = _ends(sheet.columns["score"])
    axis = {"grid": False, "tickCount": 5}
    x = {"type": "quantitative", "title": sheet.words["x"], "axis": axis,
         "scale": {"domain": [low, high], "nice": False, "padding": 6}}  # fmt: skip
    boxes = vl.values(sheet.more["boxes"])
    size = _small_areas(sheet.columns["topics"]).channel("topics", sheet.words["area"])
    # heights that are even over any stretch of scores: the digits of 0, 1, 2, ... in base 2, turned around
    height = [int(f"{i % 64:06b}"[::-1], 2) / 64 for i in range(len(sheet.columns["score"]))]
    lane = {"field": "height", "type": "quantitative", "scale": {"domain": [0, 1], "range": [2, step - 11]}}
    low_lane = step / 2 - 5  # of the middle of quartiles below the middle of a row
    return {
        "width": round(max(180.0, min(380.0, 440 - vl.room(systems, font=font)))), "height": step * len(systems),
        "layer": [
            {"data": boxes, "mark": {"type": "rule", "strokeWidth": 6, "strokeCap": "butt", "color": look.faint,
                                     "opacity": 0.5, "yOffset": low_lane, "tooltip": vl.TOOLTIP},
             "encoding": {"y": y, "x": {"field": "lower_quartile", **x}, "x2": {"field": "upper_quartile"}}},
            {"data": vl.values({**sheet.columns, "height": height}),
             "mark": vl.dot(9, look.lines[0], opacity=0.75),
             "encoding": {"y": y, "yOffset": lane, "x": {"field": "score", **x}, "size": size}},
            {"data": boxes,
             "mark": {"type": "tick", "thickness": 2, "height": 9, "color": look.ink, "yOffset": low_lane},
             "encoding": {"y": y, "x": {"field": "median", **x}}},
            {"data": boxes,
             "mark": vl.dot(40, look.ground, shape="diamond", stroke=look.ink, strokeWidth=1.2, yOffset=low_lane),
             "encoding": {"y": y, "x": {"field": "mean", **x}}},
        ],
    }  # fmt: skip


def map_sheet(scores: Scores, *, measure: str | None = None) -> Sheet:
    """One row per cell: the score of a system on a topic; systems best first, topics from the hardest to the easiest.

    Of more than `CELLS` topics, or fewer with many systems, neighbours in this order share a cell, which has the mean
    of their scores.

    measure  one of those scored; the first by default
    """
    table = _table(scores, measure)
    order = best_first(table)
    value = table.value[:, order]
    hard = np.lexsort((np.arange(len(value)), settled(value.mean(axis=1))))
    parts = np.array_split(hard, min(len(hard), CELLS, max(20, MOST_CELLS // len(order))))
    rows = [
        (
            place,
            column,
            table.systems[s],
            vl.listed([table.topics[t] for t in part], _LISTED),
            float(value[part, place - 1].mean()),
        )
        for place, s in enumerate(order, 1)
        for column, part in enumerate(parts, 1)
    ]
    between_topics, between_systems = _shares(value)
    share = "" if between_topics is None else (
        f"Topics account for {percent(between_topics)} % of the variation of {table.measure}, "
        f"systems for {percent(between_systems)} %"
    )  # fmt: skip
    joined = "" if len(parts) == len(hard) else f" in {len(parts):,} columns: a cell is a mean of topics"
    return Sheet(
        columns=columns_of(("place", "column", "system", "topic", "score"), rows),
        title=share or f"{table.measure} of {plural(len(order), 'system')} by topic",
        subtitle=f"{plural(len(order), 'system')}, the highest mean at the top; {plural(len(hard), 'topic')}"
        f"{joined}, the lowest mean over systems on the left; "
        "variation: sum of squares about the mean of all scores",
        words={
            "systems": [table.systems[s] for s in order], "columns": len(parts), "measure": table.measure,
            "topics": [table.topics[t] for t in hard] if len(parts) == len(hard) else [],
        },
    )  # fmt: skip


def _shares(value: Floats) -> tuple[float | None, float]:
    """Shares of the sum of squares that lie between topics (rows) and between systems."""
    total = float(((value - value.mean()) ** 2).sum())
    if min(value.shape) < 2 or total <= 1e-12 * value.size * float(np.abs(value).max() or 1.0) ** 2:
        return None, 0.0
    topics, systems = (
        float(((value.mean(axis=axis) - value.mean()) ** 2).sum()) * value.shape[axis] / total for axis in (1, 0)
    )
    return topics, systems


def heat(sheet: Sheet, look: Theme) -> Spec:
    """A cell per system and topic, shaded by the score."""
    systems, topics = sheet.words["systems"], sheet.words["topics"]
    named, topical = len(systems) <= NAMED, 0 < len(topics) <= NAMED
    wide = 440 - vl.room(systems, font=12) if named else 410
    across = max(2, min(22, int(wide) // sheet.words["columns"]))
    down = max(3, min(18, 480 // len(systems))) if not named else 16
    low, high = _ends(sheet.columns["score"])
    shade = vl.shaded("score", look, low, high, f"{sheet.words['measure']}, {low:.2g} to {high:.2g}",
                      legend={"gradientLength": 240, "tickCount": 5})  # fmt: skip
    plain: Spec = {"ticks": False, "domain": False, "labelAngle": 0}
    ranks = [1, *range(20, len(systems) + 1, 20)]
    names = {**plain, "labelLimit": 200, "labelFontSize": 12, "labelPadding": 5}
    y_axis = {**names, **vl.numbered(systems)} if named else {**plain, "values": ranks}
    x_axis = {**names, **vl.numbered(topics), "labelAngle": -90, "labelLimit": 90} if topical else {
        **plain, "values": []}  # fmt: skip
    edge = {"expr": "scale('color', datum.score)"}
    return {
        "data": vl.values(sheet.columns), "width": across * sheet.words["columns"], "height": down * len(systems),
        "layer": [
            {
                "mark": {"type": "rect", "tooltip": vl.TOOLTIP, "stroke": edge, "strokeWidth": 0.5},
                "encoding": {
                    "x": vl.category("column", "topics, hardest first", axis=x_axis, scale={"padding": 0}),
                    "y": vl.category("place", None if named else "systems, by place", axis=y_axis,
                                     scale={"padding": 0}),
                    "color": shade,
                },
            },
            # a frame over the cells, since the lowest scores have the colour of the ground
            {"data": {"values": [{}]},
             "mark": {"type": "rect", "filled": False, "stroke": look.faint, "strokeWidth": 1},
             "encoding": {"x": {"value": 0}, "x2": {"value": "width"}, "y": {"value": 0}, "y2": {"value": "height"}}},
        ],
    }  # fmt: skip


def _table(scores: Scores, measure: str | None, systems: Sequence[str] | None = None) -> Scored:
    """Scores of one measure on the topics that all systems have."""
    return scored(scores, scores.measures[0] if measure is None else measure, systems)


def _ends(values: Sequence[float]) -> tuple[float, float]:
    """Ends of an axis of scores: 0 is one of them unless there are scores on both sides."""
    low, high = min(0.0, *values), max(0.0, *values)
    return low, high if high > low else low + 1.0
