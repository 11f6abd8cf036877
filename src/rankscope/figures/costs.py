"""Effectiveness against cost: systems that are the best for what they cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rankscope.comparisons.exact_differences import best_first
from rankscope.comparisons.scored import scored
from rankscope.errors import InputError, argument, plural
from rankscope.figures import vega as vl
from rankscope.figures.chart import Sheet, columns_of, picked, rows_where
from rankscope.figures.theme import Spec, Theme
from rankscope.measures.scores import Scores
from rankscope.statistics.equality import places

FRONT, BEATEN = "the best at its cost or less", "beaten by a system that costs no more"
NAMED = 10  # systems that are named: those that are not beaten, from the best
EVERY = 12  # systems up to which those that are beaten are named, too
SIZE = (340, 220)  # pixels of the plot
ROW = 16  # pixels of a name above the plot
POINT = 60  # square pixels of a point
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
        have = "have" if len(front) > 1 else "has"
        title = (
            f"{len(front):,} of {plural(len(rows), 'system')} {have} no cheaper or equally cheap system that scores "
            f"higher in mean {table.measure}"
        )
    without = len(table.systems) - len(rows)
    unknown = f"; {plural(without, 'system')} without a known cost" if without else ""
    line = "; line: from the cheapest to the best" if len(front) > 1 else ""
    names = f"; named: the best at {'their' if len(front) > 1 else 'its'} cost or less" if len(rows) > EVERY else ""
    shared = "; of several with the same mean, the cheapest counts" if len(front) < _highest_at_cost(rows) else ""
    return Sheet(
        columns=columns_of(("system", "cost", "mean", "standing"), rows),
        title=title,
        subtitle=f"means over {plural(len(table.topics), 'topic')}, not tested{line}{names}{shared}{unknown}"
        f"{_close([row[1] for row in rows], [row[2] for row in rows])}",
        words={"x": unit, "y": f"mean {table.measure}"},
    )


def _highest_at_cost(rows: Sequence[tuple[Any, ...]]) -> int:
    """Systems that none which costs no more scores higher than."""
    place = places([row[2] for row in rows])
    return sum(
        not any(other[1] <= row[1] and place[o] > place[s] for o, other in enumerate(rows))
        for s, row in enumerate(rows)
    )


def _logarithmic(costs: Sequence[float]) -> bool:
    """Whether costs are so far apart that they are drawn by magnitude."""
    return min(costs) > 0 and max(costs) > FOLD * min(costs)


def _close(costs: Sequence[float], means: Sequence[float]) -> str:
    """How many points cannot be told apart, for a caption."""
    at = np.log(costs) if _logarithmic(costs) else np.asarray(costs)
    x, y = (side * (each - each.min()) / (np.ptp(each) or 1.0)
            for side, each in zip(SIZE, (at, np.asarray(means)), strict=True))  # fmt: skip
    return vl.crowded(x.tolist(), y.tolist(), [POINT] * len(costs))


def cost(sheet: Sheet, look: Theme) -> Spec:
    """A point per system; those that are not beaten are joined, and named above the plot, as all are where few are.

    The cheapest has the highest name, so that no line from a point to its name crosses another name.
    """
    costs, means = sheet.columns["cost"], sheet.columns["mean"]
    log = _logarithmic(costs)
    ends = (min(costs) if log else 0.0, max(costs)), (min(means), max(means))
    (left, right), (low, high) = ((a, b if b > a else a + 1.0) for a, b in ends)
    front = rows_where(sheet.columns, "standing", FRONT)
    rows = range(len(costs))
    named = picked(sheet.columns, sorted(rows, key=lambda i: -costs[i])) if len(costs) <= EVERY else front
    n_named = min(len(named["system"]), EVERY if named is not front else NAMED)
    above = ROW * n_named
    height = SIZE[1] + above
    axis = {"grid": False, "tickCount": 4, **({"values": vl.magnitudes(left, right), "format": "~f"} if log else {})}
    scale = {"nice": False, "zero": False, "padding": EDGE}
    title = f"{sheet.words['x']} (logarithmic scale)" if log else sheet.words["x"]
    x = {"field": "cost", "type": "quantitative", "title": title, "axis": axis,
         "scale": {**scale, "domain": [left, right], "type": "log" if log else "linear"}}  # fmt: skip
    y = vl.quantity("mean", sheet.words["y"], axis={"tickCount": 5},
                    scale={**scale, "domain": [low, high], "range": [height, above]})  # fmt: skip
    colours = vl.occurring({FRONT: look.ink, BEATEN: look.faint}, sheet.columns["standing"])
    legend = {"columns": 1, "symbolType": "circle", "labelLimit": 420}
    stroke = vl.coloured("standing", colours, **legend)
    # rings, through which others are seen; they are many
    fill = vl.coloured("standing", {word: shade if word == FRONT else "transparent" for word, shade in colours.items()},
                       **legend)  # fmt: skip
    xy = {"x": x, "y": y}
    names: list[Spec] = []
    for i in range(n_named):
        data, at = vl.values(picked(named, [i])), above - ROW * (i + 0.5)
        names += [
            {"data": data, "mark": {"type": "rule", "color": look.faint, "strokeDash": [1, 3]},
             "encoding": {**xy, "y2": {"value": at}}},
            {"data": data, "mark": {"type": "text", "fontSize": 12, "limit": 150, "align": "left", "dx": 4},
             "encoding": {"x": x, "y": {"value": at}, "text": {"field": "system"}}},
        ]  # fmt: skip
    line = {"type": "line", "interpolate": "step-after", "color": look.faint}
    # systems that are not beaten are drawn last, over the others
    order = [i for word in (BEATEN, FRONT) for i in rows if sheet.columns["standing"][i] == word]
    return {
        "width": SIZE[0], "height": height, "data": vl.values(picked(sheet.columns, order)),
        "layer": [
            {"data": vl.values(front), "mark": line, "encoding": xy},
            *names,
            {"mark": vl.dot(POINT, strokeWidth=1.5), "encoding": {**xy, "stroke": stroke, "fill": fill}},
        ],
    }  # fmt: skip
