"""Many systems: the leaderboard, and significance of all pairs by a metric and by IPSO."""

from __future__ import annotations

from rankscope.comparisons import Ranking
from rankscope.figures.chart import TOOLTIP, Sheet, coloured, columns_of, dot, unique, values
from rankscope.figures.theme import CATEGORIES, Spec, Theme
from rankscope.studies import Agreement
from rankscope.studies.pair_tests import WORDS, PairTest


def ranking_sheet(found: Ranking) -> Sheet:
    """Means with their intervals, best first, and a row a system and letter of its groups."""
    columns = found.columns()
    kept = ("rank", "system", "mean", "lower", "upper", "best_rank", "worst_rank", "group")
    apart = any(" " in word for word in found.letters)
    held = [
        (name, letter)
        for name, word in zip(found.systems, found.letters, strict=True)
        for letter in (word.split() if apart else word)
    ]
    return Sheet(
        columns={key: columns[key] for key in kept},
        title=f"{found.measure}, {len(found.systems)} systems",
        subtitle=f"{found.topics} topics; intervals of each mean by itself (95 %)\nsystems that share a column of"
        f" squares cannot be told apart at {found.alpha:g}, all pairs at once",
        more={"groups": columns_of(("system", "letter"), held)},
        words={"x": f"mean {found.measure}"},
    )


def leaderboard(sheet: Sheet, look: Theme) -> Spec:
    """Points and intervals, and beside them the groups."""
    systems = sheet.columns["system"]
    step = 18 if len(systems) <= 40 else 12
    height = step * len(systems)
    y: Spec = {"field": "system", "type": "ordinal", "sort": systems, "title": None,
               "axis": {"ticks": False, "domain": False, "grid": True,
                        "labelFontSize": 13 if step > 12 else 10}}  # fmt: skip
    x = {"type": "quantitative", "title": sheet.words["x"], "scale": {"zero": False}, "axis": {"grid": False}}
    bars = {"mark": {"type": "rule", "strokeWidth": 2, "color": look.faint},
            "encoding": {"y": y, "x": {"field": "lower", **x}, "x2": {"field": "upper"}}}  # fmt: skip
    points = {"mark": dot(70, look.ink),
              "encoding": {"y": y, "x": {"field": "mean", **x}}}  # fmt: skip
    letters = unique(sheet.more["groups"]["letter"])
    wide = max(4, min(16, 110 // max(1, len(letters))))
    axis = {"orient": "top", "title": "groups", "labelAngle": 0, "ticks": False, "domain": False,
            **({"labels": False} if wide < 10 else {})}  # fmt: skip
    cells = {
        "data": values(dict(sheet.more["groups"])), "width": wide * len(letters), "height": height,
        "mark": {"type": "rect", "color": look.faint, "stroke": look.ground, "strokeWidth": 1, "tooltip": TOOLTIP},
        "encoding": {
            "y": {**y, "axis": None, "scale": {"domain": systems}},
            "x": {"field": "letter", "type": "ordinal", "sort": letters, "axis": axis, "scale": {"padding": 0}},
        },
    }  # fmt: skip
    board = {"data": values(dict(sheet.columns)), "width": 270, "height": height, "layer": [bars, points]}
    return {"hconcat": [board, cells], "spacing": 14}


def triangle_sheet(
    found: Agreement,
    *,
    metric: str | None = None,
    depth: int | None = None,
    test: PairTest | None = None,
    alpha: float | None = None,
) -> Sheet:
    """A row a pair of systems, by their ranks; P at 10 and the first test by default, as in the paper."""
    metric = metric or ("P" if "P" in found.metrics else found.metrics[0])
    depth = depth or (10 if 10 in found.depths else found.depths[0])
    test = test or found.tests[0]
    table = found.triangle(metric, depth, test, alpha=alpha)
    level = found.alpha if alpha is None else alpha
    return Sheet(
        columns=table.columns(),
        title=f"{metric} at depth {depth} and IPSO: significance of all pairs",
        subtitle=f"{len(found.systems)} systems by mean {metric}; {WORDS[test]} and IPSO's sign test, p < {level:g}",
        words={"systems": len(found.systems)},
    )


def triangle(sheet: Sheet, look: Theme) -> Spec:
    """Figure 8: a square a pair."""
    n = sheet.words["systems"]
    size = (n - 1) * max(1, min(24, 380 // (n - 1)))  # whole pixels, so that no seams show
    ticks = [r for r in range(1, n + 1) if n <= 15 or r == 1 or r % (10 if n <= 60 else 20) == 0]
    axis = {"values": ticks, "labelAngle": 0, "ticks": False, "domain": False}
    x = {
        "field": "first_rank",
        "type": "ordinal",
        "title": "rank of the better system",
        "axis": axis,
        "scale": {"padding": 0},
    }
    y = {"field": "second_rank", "type": "ordinal", "title": "rank of the other", "sort": "descending", "axis": axis,
         "scale": {"padding": 0}}  # fmt: skip
    return {
        "data": values(dict(sheet.columns)), "width": size, "height": size,
        "mark": {"type": "rect", "stroke": look.ground, "strokeWidth": 0.5 if n <= 40 else 0, "tooltip": TOOLTIP},
        "encoding": {"x": x, "y": y, "color": _category(look)},
    }  # fmt: skip


def bars_sheet(found: Agreement) -> Sheet:
    """A row a part of a bar."""
    columns = dict(found.figures()["bars"])
    columns["order"] = [CATEGORIES.index(name) for name in columns["category"]]
    columns["test"] = [WORDS[test] for test in columns["test"]]
    return Sheet(
        columns=columns,
        title="Do a metric's test and IPSO's sign test agree?",
        subtitle=f"{found.ipso.shape[1]} pairs of systems, p < {found.alpha:g}",
    )


def bars(sheet: Sheet, look: Theme) -> Spec:
    """Figure 7: a panel a metric and test, a bar a depth."""
    depths, metrics = unique(sheet.columns["depth"]), unique(sheet.columns["metric"])
    tests = unique(sheet.columns["test"])
    inner: Spec = {
        "width": max(30, min(70, 14 * len(depths))), "height": 90,
        "mark": {"type": "bar", "tooltip": TOOLTIP},
        "encoding": {
            "x": {"field": "depth", "type": "ordinal", "title": None,
                  "axis": {"labelAngle": -90, "ticks": False, "labelFontSize": 10}},
            "y": {"field": "share", "type": "quantitative", "title": "share of pairs",
                  "scale": {"domain": [0, 1]}, "axis": {"format": ".0%", "values": [0, 0.5, 1], "titleFontSize": 11,
                                                         "labelFontSize": 10}},
            "color": _category(look), "order": {"field": "order", "type": "quantitative"},
        },
    }  # fmt: skip
    head = {"labelFontSize": 10, "labelLimit": 70, "title": None, "labelPadding": 4}
    side = {"labelFontSize": 11, "labelLimit": 110, "title": None, "labelOrient": "right", "labelAngle": 90}
    return {
        "data": values(dict(sheet.columns)), "spacing": {"row": 16, "column": 5},
        "facet": {
            "column": {"field": "metric", "type": "ordinal", "sort": metrics, "header": head},
            "row": {"field": "test", "type": "ordinal", "sort": tests, "header": side},
        },
        "spec": inner,
    }  # fmt: skip


def _category(look: Theme) -> Spec:
    return coloured("category", dict(zip(CATEGORIES, look.categories, strict=True)))
