"""Effectiveness against cost: systems that are the best for what they cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rankscope.comparisons.exact_differences import best_first
from rankscope.comparisons.scored import scored
from rankscope.errors import InputError, argument, plural
from rankscope.figures import vega as vl
from rankscope.figures.chart import Columns, Sheet, columns_of, picked, rows_where
from rankscope.figures.theme import Spec, Theme
from rankscope.measures.scores import Scores
from rankscope.statistics.equality import places

FRONT, BEATEN = "the best at its cost or less", "beaten by a system that costs no more"
NAMED = 10  # systems that are named: those that are not beaten, from the cheapest
SIZE = (340, 260)  # pixels of the plot
# of a name beside its point: how it is aligned, and pixels from the point
_PLACES = (("right", -7, -11), ("left", 7, -11), ("center", 0, -15), ("left", 8, 0), ("left", 7, 11), ("center", 0, 15),
           ("right", -7, 11), ("left", 12, -20), ("left", 12, 20))  # fmt: skip
EDGE = 14  # pixels between the plot's edge and a point
FOLD = 30  # of the cheapest, from which on costs are on a scale of magnitudes


def cost_sheet(
    scores: Scores, *, cost: Mapping[str, float] | None = None, unit: str = "cost", measure: str | None = None
) -> Sheet:
    """One row per system: its cost, its mean score, and whether a system that costs no more beats it.

    cost     of each system by its name, such as milliseconds per query; less is better
    unit     what the cost is, in words
    measure  one of those scored; the first by default
    """
    table = scored(scores, scores.measures[0] if measure is None else measure, None)
    known = {name: float(value) for name, value in (cost or {}).items() if name in table.systems}
    if not known:
        cure = f'name the cost of each system: {argument("cost")} such as {{"{vl.short(table.systems[0])}": 1.5, ...}}'
        raise InputError("no system has a known cost", cure)
    bad = [name for name, value in known.items() if not np.isfinite(value) or value < 0]
    if bad:
        raise InputError(f"the cost of {bad[0]} is {known[bad[0]]:g}", "costs are finite numbers from 0 on")
    mean, place = table.value.mean(axis=0), places(table.value.mean(axis=0))
    order = [s for s in best_first(table) if table.systems[s] in known]

    def beaten(s: int) -> bool:
        here = known[table.systems[s]]
        return any(
            known[table.systems[o]] <= here and place[o] >= place[s]
            and (known[table.systems[o]] < here or place[o] > place[s])
            for o in order
        )  # fmt: skip

    rows: list[tuple[Any, ...]] = [
        (table.systems[s], known[table.systems[s]], float(mean[s]), BEATEN if beaten(s) else FRONT) for s in order
    ]
    front = [row for row in rows if row[3] == FRONT]
    if len(front) == 1:
        title = f"{vl.short(front[0][0])} has the highest mean {table.measure} and the lowest cost"
    else:
        title = f"{len(front):,} of {plural(len(rows), 'system')} are the best in {table.measure} for what they cost"
    without = len(table.systems) - len(rows)
    unknown = f"; {plural(without, 'system')} without a known cost" if without else ""
    return Sheet(
        columns=columns_of(("system", "cost", "mean", "standing"), rows),
        title=title,
        subtitle=f"means over {plural(len(table.topics), 'topic')}, not tested; "
        f"line: from the cheapest to the best{unknown}",
        words={"x": unit, "y": f"mean {table.measure}"},
    )


def cost(sheet: Sheet, look: Theme) -> Spec:
    """A point per system; those that are not beaten are joined and named."""
    costs, means = sheet.columns["cost"], sheet.columns["mean"]
    log = min(costs) > 0 and max(costs) > FOLD * min(costs)
    ends = (min(costs) if log else 0.0, max(costs)), (min(means), max(means))
    (left, right), (low, high) = ((a, b if b > a else a + 1.0) for a, b in ends)
    axis = {"grid": False, "tickCount": 4, "labelOverlap": "greedy", "labelSeparation": 6}
    scale = {"nice": False, "zero": False, "padding": EDGE}
    x = {"field": "cost", "type": "quantitative", "title": sheet.words["x"], "axis": axis,
         "scale": {**scale, "domain": [left, right], "type": "log" if log else "linear"}}  # fmt: skip
    y = vl.quantity("mean", sheet.words["y"], scale={**scale, "domain": [low, high]}, axis={"tickCount": 5})
    colours = vl.occurring({FRONT: look.ink, BEATEN: look.faint}, sheet.columns["standing"])
    colour = vl.coloured("standing", colours, columns=1, symbolType="circle", labelLimit=420)
    front = rows_where(sheet.columns, "standing", FRONT)
    across = [(np.log(c / left) / np.log(right / left) if log else (c - left) / (right - left)) for c in costs]
    points = [
        (EDGE + (SIZE[0] - 2 * EDGE) * u, EDGE + (SIZE[1] - 2 * EDGE) * (high - m) / (high - low))
        for u, m in zip(across, means, strict=True)
    ]
    xy = {"x": x, "y": y}
    texts: list[Spec] = []
    for i, place in _named(sheet.columns, points):
        label = {"type": "text", "fontSize": 12, "limit": 150, **place}
        texts += [
            {"data": vl.values(picked(sheet.columns, [i])), "mark": mark,
             "encoding": {**xy, "text": {"field": "system"}}}
            for mark in (vl.plated(label, look), label)
        ]  # fmt: skip
    line = {"type": "line", "interpolate": "step-after", "color": look.faint}
    return {
        "width": SIZE[0], "height": SIZE[1], "data": vl.values(sheet.columns),
        "layer": [
            {"data": vl.values(front), "mark": line, "encoding": xy},
            {"mark": vl.dot(70), "encoding": {**xy, "color": colour}},
            *texts,
        ],
    }  # fmt: skip


def _named(columns: Columns, points: Sequence[tuple[float, float]]) -> list[tuple[int, Spec]]:
    """Rows of the unbeaten that have room for a name, and where it stands; up and to the left is nobody."""
    taken = [(px - 5, py - 5, px + 5, py + 5) for px, py in points]
    named: list[tuple[int, Spec]] = []
    for i in [i for i, standing in enumerate(columns["standing"]) if standing == FRONT][:NAMED]:
        (px, py), wide = points[i], vl.room([columns["system"][i]], font=12, most=150) + 4
        for align, dx, dy in _PLACES:
            start = px + dx - (wide if align == "right" else wide / 2 if align == "center" else 0)
            box = start, py + dy - 7, start + wide, py + dy + 7
            free = not any(box[0] < b[2] and b[0] < box[2] and box[1] < b[3] and b[1] < box[3] for b in taken)
            if free and box[0] >= 0 and box[2] <= SIZE[0] + 40:
                named.append((i, {"align": align, "dx": dx, "baseline": "middle", "dy": dy}))
                taken.append(box)
                break
    return named
