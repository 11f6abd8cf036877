"""Scores by topic: two systems against each other, distributions, and a map of all topics and systems."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rankscope.arguments import whole_number
from rankscope.arrays import Floats
from rankscope.comparisons import Comparison
from rankscope.comparisons.exact_differences import best_first, scores_to_test
from rankscope.comparisons.scored import Scored, scored
from rankscope.errors import InputError, argument, plural
from rankscope.figures import vega as vl
from rankscope.figures.chart import Sheet, columns_of, unique
from rankscope.figures.theme import Spec, Theme
from rankscope.figures.two_systems import AHEAD, DRAWN
from rankscope.formatting import p_value, score
from rankscope.measures.scores import Scores
from rankscope.statistics.equality import difference, places, settled

SHOWN = 30  # systems whose distributions are drawn unless another number is asked for
DOTS = 200  # points of a distribution, evenly spaced in the order of scores
CELLS = 200  # columns of a map: of more topics, neighbours in the order of difficulty share one
MOST_CELLS = 20_000  # of a map
NAMED = 40  # systems or topics up to which a map names them
POINTED = 2  # topics on each side that a scatter plot names: those that differ most
SIDE = 350  # pixels of a scatter plot
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
    interval = f"{100 * e.level:g} % [{score(e.lower)}, {score(e.upper)}]"
    return _scatter_sheet(comparison.scored, f"mean of B - A {score(e.difference)}, {interval}, {p_value(e.pvalue)}")


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
        (_listed(members[i]), len(members[i]), *map(float, points[i]), float(apart[first[i]]),
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
    shared = "; larger points: several topics" if any(row[1] > 1 for row in rows) else ""
    return Sheet(
        columns=columns_of(("topic", "topics", "a", "b", "difference", "outcome"), rows),
        title=leads + same,
        subtitle=f"{table.measure}, one point per topic, some with its name; {means}{shared}{thinned}",
        words={"x": f"{table.measure} of A", "y": f"{table.measure} of B"},  # no names: Vega puts them into expressions
    )


def _listed(topics: Sequence[str]) -> str:
    """Topics of one point."""
    more = f" and {len(topics) - _LISTED:,} more" if len(topics) > _LISTED else ""
    return ", ".join(topics[:_LISTED]) + more


def scatter(sheet: Sheet, look: Theme) -> Spec:
    """Points on both sides of the line on which the scores are equal."""
    low, high = _ends([*sheet.columns["a"], *sheet.columns["b"]])
    few = len(sheet.columns["a"]) <= 200
    axis = {"grid": False, "tickCount": 5}
    scale = {"domain": [low, high], "nice": False, "zero": False, "padding": 7}
    x = vl.quantity("a", sheet.words["x"], scale=scale, axis=axis)
    y = vl.quantity("b", sheet.words["y"], scale=scale, axis=axis)
    occurring = [word for word in AHEAD if word in sheet.columns["outcome"]]
    most = max(sheet.columns["topics"])
    size: Spec = {"field": "topics", "type": "quantitative", "legend": None,
                  "scale": {"domain": [1, max(2, most)], "range": [55 if few else 22, 420]}}  # fmt: skip
    diagonal = vl.values({"a": [low, high], "b": [low, high]})
    return {
        "width": SIDE, "height": SIDE, "data": vl.values(sheet.columns),
        "layer": [
            {"data": diagonal, "mark": {"type": "line", "color": look.faint, "strokeDash": [5, 3], "strokeWidth": 1.2},
             "encoding": {"x": x, "y": y}},
            {"mark": {**vl.outlined(55, look), "opacity": 0.85 if few else 0.6},
             "encoding": {"x": x, "y": y, "size": size, "color": vl.coloured("outcome", look.outcomes(*occurring)),
                          "order": {"field": "topics", "type": "quantitative", "sort": "descending"}}},
            *({"data": {"values": [row]}, "mark": {"type": "text", "fontSize": 12, "limit": 150, **at},
               "encoding": {"x": x, "y": y, "text": {"field": "topic"}}}
              for row, at in _pointed(vl.values(sheet.columns)["values"], low, high)),
        ],
    }  # fmt: skip


def _pointed(rows: Sequence[dict[str, Any]], low: float, high: float) -> list[tuple[dict[str, Any], Spec]]:
    """Topics that differ most, from both ends of the rows, where their names cover no point and no other name.

    Names stand on the side of their point that is away from the line of equal scores.
    """
    pixels = SIDE / (high - low)
    points = [((row["a"] - low) * pixels, (row["b"] - low) * pixels) for row in rows]
    named: list[tuple[dict[str, Any], Spec]] = []
    for i in unique([*range(min(POINTED, len(rows))), *range(max(0, len(rows) - POINTED), len(rows))]):
        row, (x, y) = rows[i], points[i]
        if row["topics"] > 1 or row["difference"] == 0:
            continue
        above, wide = row["difference"] > 0, vl.room([row["topic"]], font=12, most=150) + 10
        outer = x > wide if above else x < SIDE - wide  # there is room beside the point, else above or below it
        align = "right" if above == outer else "left"
        left = x - wide if align == "right" else x
        middle = y if outer else y + (14 if above else -14)
        if middle < 8:  # it would be on the axis
            continue
        if any(j != i and left - 5 < u < left + wide + 5 and abs(v - middle) < 12 for j, (u, v) in enumerate(points)):
            continue
        shift = {"dx": -8 if align == "right" else 8} if outer else {"dx": 0, "dy": -14 if above else 14}
        named.append((row, {"align": align, "baseline": "middle", **shift}))
        points += [(left + part * wide, middle) for part in (0.0, 0.25, 0.5, 0.75, 1.0)]
    return named


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
    topics = f"{len(drawn):,} of {plural(n, 'topic')}, evenly spaced by score" if len(drawn) < n else plural(n, "topic")
    shared = ", larger where several have the same score" if any(row[2] > 1 for row in rows) else ""
    box = ("system", "mean", "lower_quartile", "median", "upper_quartile", "lowest", "highest")
    return Sheet(
        columns=columns_of(("system", "score", "topics"), rows),
        title=_leader(table),
        subtitle=f"{of}{topics}, one point per topic{shared}\n"
        f"bar: the middle half of {'all ' * (len(drawn) < n)}topics; line: median; diamond: mean",
        more={"boxes": columns_of(box, boxes)},
        words={"x": table.measure},
    )


def _leader(table: Scored) -> str:
    """Who has the highest mean, and on how many topics alone the highest score of all systems."""
    if len(table.systems) == 1:
        return f"{table.measure} of {vl.short(table.systems[0])}, topic by topic"
    place = places(table.value.mean(axis=0))
    first = np.flatnonzero(place == place.max())
    if len(first) > 1:
        return f"{len(first):,} systems share the highest mean {table.measure}"
    place = places(table.value)
    highest = place == place.max(axis=1, keepdims=True)
    alone = highest[highest.sum(axis=1) == 1].sum(axis=0)
    more = [table.systems[s] for s in np.flatnonzero(alone == alone.max())] if alone.max() > alone[first[0]] else []
    beside = f", {vl.together(more)} on {alone.max():,}{' each' * (len(more) > 1)}" if more else ""
    return (
        f"{vl.short(table.systems[first[0]])} has the highest mean {table.measure}, and alone the highest score of all "
        f"systems on {alone[first[0]]:,} of {plural(len(table.topics), 'topic')}{beside}"
    )


def distributions(sheet: Sheet, look: Theme) -> Spec:
    """A row per system: points, a bar from quartile to quartile, the median and the mean."""
    systems = sheet.more["boxes"]["system"]
    step, font = (22, 13) if len(systems) <= 30 else (15, 12)
    y = vl.category("system", **vl.ordered(systems), axis=vl.names_axis((), labelFontSize=font))
    low, high = _ends(sheet.columns["score"])
    axis = {"grid": False, "tickCount": 5}
    x = {"type": "quantitative", "title": sheet.words["x"], "axis": axis,
         "scale": {"domain": [low, high], "nice": False, "padding": 6}}  # fmt: skip
    boxes = vl.values(sheet.more["boxes"])
    most = max(sheet.columns["topics"])
    size: Spec = {"field": "topics", "type": "quantitative", "legend": None,
                  "scale": {"domain": [1, max(2, most)], "range": [14, 14 + min(160, 14 * (most - 1))]}}  # fmt: skip
    return {
        "width": round(max(180.0, min(380.0, 440 - vl.room(systems, font=font)))), "height": step * len(systems),
        "layer": [
            {"data": boxes, "mark": {"type": "bar", "height": step - 8, "color": look.equal, "tooltip": vl.TOOLTIP},
             "encoding": {"y": y, "x": {"field": "lower_quartile", **x}, "x2": {"field": "upper_quartile"}}},
            {"data": vl.values(sheet.columns), "mark": vl.dot(14, look.lines[0], opacity=0.55),
             "encoding": {"y": y, "x": {"field": "score", **x}, "size": size}},
            {"data": boxes, "mark": {"type": "tick", "thickness": 2, "height": step - 6, "color": look.ink},
             "encoding": {"y": y, "x": {"field": "median", **x}}},
            {"data": boxes, "mark": vl.dot(80, look.ground, shape="diamond", stroke=look.ink, strokeWidth=1.5),
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
            _listed([table.topics[t] for t in part]),
            float(value[part, place - 1].mean()),
        )
        for place, s in enumerate(order, 1)
        for column, part in enumerate(parts, 1)
    ]
    between_topics, between_systems = _shares(value)
    share = "" if between_topics is None else (
        f"Topics account for {100 * between_topics:.0f} % of the variation of {table.measure}, "
        f"systems for {100 * between_systems:.0f} %"
    )  # fmt: skip
    joined = "" if len(parts) == len(hard) else (
        f"; {len(hard):,} topics in {len(parts):,} columns of neighbours, with their mean"
    )  # fmt: skip
    return Sheet(
        columns=columns_of(("place", "column", "system", "topic", "score"), rows),
        title=share or f"{table.measure} of {plural(len(order), 'system')} by topic",
        subtitle=f"{plural(len(order), 'system')}, the highest mean at the top; {plural(len(hard), 'topic')}, "
        f"the lowest mean over systems on the left{joined}",
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
        "view": {"stroke": look.rule},  # the lowest scores have the colour of the ground
        "mark": {"type": "rect", "tooltip": vl.TOOLTIP, "stroke": edge, "strokeWidth": 0.5},
        "encoding": {
            "x": vl.category("column", "topics, hardest first", axis=x_axis, scale={"padding": 0}),
            "y": vl.category("place", None if named else "systems, by place", axis=y_axis, scale={"padding": 0}),
            "color": shade,
        },
    }  # fmt: skip


def _table(scores: Scores, measure: str | None, systems: Sequence[str] | None = None) -> Scored:
    """Scores of one measure on the topics that all systems have."""
    return scored(scores, scores.measures[0] if measure is None else measure, systems)


def _ends(values: Sequence[float]) -> tuple[float, float]:
    """Ends of an axis of scores: 0 is one of them unless there are scores on both sides."""
    low, high = min(0.0, *values), max(0.0, *values)
    return low, high if high > low else low + 1.0
