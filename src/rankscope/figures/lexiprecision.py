"""Figures of Diaz (2023) that show how lexiprecision compares: both orders, two rankings, and their possible users."""

from __future__ import annotations

from rankscope.figures import vega as vl
from rankscope.figures.chart import Sheet, columns_of, unique
from rankscope.figures.curves import curves
from rankscope.figures.theme import Spec, Theme
from rankscope.universe import PositionOrders

ORDERS = ("reciprocal rank", "lexicographic precision")


def orders_sheet(result: PositionOrders) -> Sheet:
    """One row per node of Figure 1: the ends of both orders, best first, and what is left out between them as dots."""
    _, rows = result.table()
    nodes = [
        (order, place, "\N{MIDLINE HORIZONTAL ELLIPSIS}" if cell == "..." else cell)
        for at, order in ((0, ORDERS[0]), (2, ORDERS[1]))
        for place, cell in enumerate(row[at] for row in rows if row[at])
    ]
    arrows = [(order, place - 1, place) for order, place, _ in nodes if place]
    return Sheet(
        columns=columns_of(("order", "place", "positions"), nodes),
        title="How reciprocal rank and lexiprecision order rankings",
        subtitle=f"{result.relevant} relevant among {result.documents} documents, best on top; *: any position",
        more={"arrows": columns_of(("order", "place", "next"), arrows)},
    )


def orders(sheet: Sheet, look: Theme) -> Spec:
    """Figure 1: one column per order, each arrangement joined to the next worse one."""
    count = max(sheet.columns["place"]) + 1
    x: Spec = {"field": "order", "type": "ordinal", **vl.ordered(ORDERS, padding=0.2),
               "axis": {"title": None, "labelAngle": 0, "ticks": False, "domain": False, "orient": "top"}}  # fmt: skip
    y: Spec = {"type": "quantitative", "axis": None, "scale": {"domain": [-0.4, count - 0.6], "reverse": True,
                                                                "nice": False}}  # fmt: skip
    text = {"type": "text", "font": "Liberation Mono, monospace", "fontSize": 12}
    lines = {"data": vl.values(sheet.more["arrows"]), "mark": {"type": "rule", "color": look.faint},
             "encoding": {"x": x, "y": {"field": "place", **y}, "y2": {"field": "next"}}}  # fmt: skip
    names = [{"mark": mark, "encoding": {"x": x, "y": {"field": "place", **y}, "text": {"field": "positions"}}}
             for mark in (vl.plated(text, look), {**text, "tooltip": vl.TOOLTIP})]  # fmt: skip
    return {"data": vl.values(sheet.columns), "width": 400, "height": 40 * count, "layer": [lines, *names]}


def positions(sheet: Sheet, look: Theme) -> Spec:
    """Figure 4(a): the positions of the relevant documents of two rankings, level by level; the one that decides."""
    sides, levels = sheet.words["rankings"], unique(sheet.columns["level"])
    rows = [
        (level, side, sheet.columns[side][i], sheet.columns["compared"][i])
        for i, level in enumerate(sheet.columns["level"])
        for side in sides
    ]
    meaning = {"tied": look.equal, "decides": look.a, "not looked at": look.ground}
    x: Spec = {"field": "level", "type": "ordinal", "sort": None, "scale": {"padding": 0.08},
               "axis": {"title": "recall level", "labelAngle": 0, "ticks": False, "domain": False}}  # fmt: skip
    y: Spec = {"field": "ranking", "type": "ordinal", "title": None, **vl.ordered(sides, padding=0.3),
               "axis": {"ticks": False, "domain": False, "labelFontSize": 14}}  # fmt: skip
    fill = {"field": "compared", "type": "nominal", "scale": {"domain": list(meaning), "range": list(meaning.values())},
            "legend": {"title": None, "symbolType": "square", "symbolStrokeColor": look.faint,
                       "symbolStrokeWidth": 1}}  # fmt: skip
    ink = {"condition": {"test": "datum.compared == 'decides'", "value": look.on_a}, "value": look.ink}
    between = {"mark": {"type": "text", "fontSize": 16}, "data": vl.values(sheet.columns),
               "encoding": {"x": x, "y": {"value": 65}, "text": {"field": "relation"}}}  # fmt: skip
    return {
        "data": vl.values(columns_of(("level", "ranking", "position", "compared"), rows)),
        "width": 72 * len(levels), "height": 130,
        "layer": [
            {"mark": {"type": "rect", "stroke": look.faint, "tooltip": vl.TOOLTIP},
             "encoding": {"x": x, "y": y, "fill": fill}},
            {"mark": {"type": "text", "fontSize": 14},
             "encoding": {"x": x, "y": y, "text": {"field": "position"}, "color": ink}},
            between,
        ],
    }  # fmt: skip


def magnitudes(sheet: Sheet, look: Theme) -> Spec:
    """Figure 4(b): how far the first ranking is ahead, by each way to say it."""
    names = sheet.columns["preference"]
    y = {"field": "preference", "type": "ordinal", "title": None, **vl.ordered(names),
         "axis": {"ticks": False, "domain": False}}  # fmt: skip
    x: Spec = {"field": "value", "type": "quantitative", "title": "first ranking - second",
               "scale": {"domain": [-1, 1.25], "nice": False}, "axis": {"values": [-1, 0, 1]}}  # fmt: skip
    label = {"type": "text", "align": "left", "dx": 8}
    return {
        "data": vl.values(sheet.columns), "width": 300, "height": 26 * len(names),
        "layer": [
            vl.zero_line(look, "x"),
            {"mark": {"type": "rule", "strokeWidth": 2, "color": look.a},
             "encoding": {"y": y, "x": x, "x2": {"datum": 0}}},
            {"mark": vl.dot(70, look.a), "encoding": {"y": y, "x": x}},
            {"mark": label, "encoding": {"y": y, "x": x, "text": {"field": "value", "format": "+.3~f"}}},
        ],
    }  # fmt: skip


def users(sheet: Sheet, look: Theme) -> Spec:
    """Section 3.4: utilities of all possible users, best first; a dot within a ring where both are the same."""
    sides = sheet.words["rankings"]
    first = next((i for i, d in enumerate(sheet.columns["difference"]) if d), None)
    x: Spec = {"field": "user", "type": "quantitative", "title": "possible users, best served first",
               "scale": {"domain": [0, max(sheet.columns["user"]) + 1], "nice": False},
               "axis": {"grid": False, "tickMinStep": 1}}  # fmt: skip
    y: Spec = {"field": "utility", "type": "quantitative", "title": "reciprocal rank for the user",
               "scale": {"domainMin": 0}}  # fmt: skip
    rows = [
        (user, level, side, sheet.columns[side][i])
        for i, (user, level) in enumerate(zip(sheet.columns["user"], sheet.columns["level"], strict=True))
        for side in sides
    ]
    colour: Spec = {"field": "ranking", "type": "nominal", "sort": None,
                    "scale": {"domain": list(sides), "range": [look.a, look.b]}, "legend": {"title": None}}  # fmt: skip
    size = {"field": "ranking", "type": "nominal", "scale": {"domain": list(sides), "range": [90, 18]}, "legend": None}
    layer: list[Spec] = []
    if first is not None:
        at = {"datum": sheet.columns["user"][first]}
        layer.append({"data": {"values": [{}]}, "mark": {"type": "rule", "color": look.faint, "strokeDash": [3, 3]},
                      "encoding": {"x": at}})  # fmt: skip
        words = {"type": "text", "align": "left", "dx": 6, "baseline": "top", "text": "first user served differently"}
        layer.append({"data": {"values": [{}]}, "mark": words, "encoding": {"x": at, "y": {"value": 4}}})
    layer.append({"mark": {"type": "point", "filled": False, "strokeWidth": 2, "opacity": 1, "tooltip": vl.TOOLTIP},
                  "encoding": {"x": x, "y": y, "color": colour, "size": size}})  # fmt: skip
    return {"data": vl.values(columns_of(("user", "level", "ranking", "utility"), rows)), "width": 420, "height": 200,
            "layer": layer}  # fmt: skip


def regression(sheet: Sheet, look: Theme) -> Spec:
    """Figure 7(b): coefficients of the levels that follow, one line per level that is predicted."""
    x = {"field": "next", "type": "quantitative", "title": "j: level i is predicted by levels i + 1, i + 2, ...",
         "axis": {"grid": False, "values": unique(sheet.columns["next"]), "format": "d"}}  # fmt: skip
    defined = [value for value in sheet.columns["standardised"] if value is not None]
    y = {"field": "standardised", "type": "quantitative", "title": "standardised coefficient",
         "scale": {"domain": [min(0.0, *defined), max(1.0, *defined)]}}  # fmt: skip
    return curves(sheet, look, x=x, y=y, by="level")
