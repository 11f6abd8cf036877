"""Many systems: the leaderboard, and significance of all pairs by a metric and by IPSO."""

from __future__ import annotations

from rankscope.comparisons import Leaderboard
from rankscope.comparisons.metrics_mapped import A_AHEAD, B_AHEAD, SURE
from rankscope.errors import InputError, plural
from rankscope.figures.chart import (
    TOOLTIP,
    Sheet,
    coloured,
    columns_of,
    dot,
    labels,
    ordered,
    picked,
    quoted,
    room,
    seamless,
    unique,
    values,
)
from rankscope.figures.theme import CATEGORIES, UNDECIDED, Spec, Theme
from rankscope.preferences import DominanceMatrix
from rankscope.statistics.pairs.difference_tests import WORDS, PairTest
from rankscope.studies import Agreement

_MEANT = "Both: significant, or not, for both tests; Metric: Yes, for the metric's alone; Metric: No, for IPSO's alone"


def ranking_sheet(found: Leaderboard, *, top: int | None = None) -> Sheet:
    """Means with their intervals, best first, and one row per system and letter of its groups.

    top  only so many of the best
    """
    if top is not None and (isinstance(top, bool) or not isinstance(top, int) or top < 1):
        raise InputError(f"top={top!r}", "top is a whole number from 1")
    columns = found.columns()
    kept = ("rank", "system", "mean", "lower", "upper", "best_rank", "worst_rank", "group")
    apart = any(" " in word for word in found.letters)
    held = [
        (name, letter)
        for name, word in list(zip(found.systems, found.letters, strict=True))[:top]
        for letter in (word.split() if apart else word)
    ]
    every, best = plural(len(found.systems), "system"), "" if top is None else f"the best {top:,} of "
    return Sheet(
        columns={key: columns[key][:top] for key in kept},
        title=f"{found.measure}, {best}{every}",
        subtitle=f"{plural(found.n_topics, 'topic')}; intervals of each mean by itself ({100 * found.level:g} %)\n"
        f"systems that share a column of squares cannot be told apart at {found.alpha:g}, all pairs at once",
        more={"groups": columns_of(("system", "letter"), held)},
        words={"x": f"mean {found.measure}"},
    )


def leaderboard(sheet: Sheet, look: Theme) -> Spec:
    """Points and intervals, and beside them the groups."""
    systems = sheet.columns["system"]
    step, font = (18, 13) if len(systems) <= 40 else (12, 11)
    height = step * len(systems)
    y: Spec = {"field": "system", "type": "ordinal", "title": None, **ordered(systems),
               "axis": {"ticks": False, "domain": False, "grid": True, "labelFontSize": font, "labelLimit": 200,
                        "labelPadding": 5}}  # fmt: skip
    x = {"type": "quantitative", "title": sheet.words["x"], "scale": {"zero": False, "padding": 6},
         "axis": {"grid": False, "tickCount": 5}}  # fmt: skip
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
            "y": {**y, "axis": None},
            "x": {"field": "letter", "type": "ordinal", "sort": letters, "axis": axis, "scale": {"padding": 0}},
        },
    }  # fmt: skip
    # what names and groups leave of a column
    width = round(max(150.0, min(270.0, 432 - room(systems, font=font) - wide * len(letters))))
    board = {"data": values(dict(sheet.columns)), "width": width, "height": height, "layer": [bars, points]}
    return {"hconcat": [board, cells], "spacing": 14}


def triangle_sheet(
    found: Agreement,
    *,
    measure: str | None = None,
    depth: int | None = None,
    test: PairTest | None = None,
    alpha: float | None = None,
) -> Sheet:
    """One row per pair of systems, by their ranks; P at 10 and the first test by default, as in the paper."""
    measure = measure or ("P" if "P" in found.measures else found.measures[0])
    depth = depth or (10 if 10 in found.depths else found.depths[0])
    test = test or found.tests[0]
    table = found.triangle(measure, depth, test, alpha=alpha)
    level = found.alpha if alpha is None else alpha
    return Sheet(
        columns=table.columns(),
        title=f"{measure} at depth {depth} and IPSO: significance of all pairs",
        subtitle=f"{plural(len(found.systems), 'system')} by mean {measure}; {WORDS[test]} and IPSO's sign test, "
        f"p < {level:g}\n{_MEANT}",
        words={"systems": len(found.systems)},
    )


def triangle(sheet: Sheet, look: Theme) -> Spec:
    """Figure 8: a square a pair."""
    n = sheet.words["systems"]
    size = (n - 1) * max(1, min(24, 380 // (n - 1)))  # whole pixels, so that no seams show
    axis = {"values": _ticks(n), "labelAngle": 0, "ticks": False, "domain": False}
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
        "data": values(dict(sheet.columns)), "width": size, "height": size, "mark": _cells("category", n, look),
        "encoding": {"x": x, "y": y, "color": _category(look)},
    }  # fmt: skip


def _ticks(n: int) -> list[int]:
    """Ranks that are named of n."""
    step = 1 if n <= 15 else 5 if n <= 30 else 10 if n <= 60 else 20
    return [rank for rank in range(1, n + 1) if rank == 1 or rank % step == 0]


def _cells(field: str, n: int, look: Theme) -> Spec:
    """Squares with lines between them, where there is room for these."""
    if n > 40:
        return seamless(field)
    return {"type": "rect", "stroke": look.ground, "strokeWidth": 0.5, "tooltip": TOOLTIP}


def matrix_sheet(found: DominanceMatrix, *, alpha: float = 0.05) -> Sheet:
    """One row per pair of systems: who is ahead for every static rank-weighted metric, and whether beyond chance.

    Systems that are ahead of many come first. alpha is for both directions together, so that each has half of it.
    """
    if not 0 < alpha < 1:
        raise InputError(f"alpha={alpha}", "alpha is between 0 and 1, such as 0.05")
    sure = found.pvalue <= alpha / 2
    won = (sure.sum(axis=0) - sure.sum(axis=1), found.ahead.sum(axis=0) - found.ahead.sum(axis=1))  # [i, j]: for j
    order = sorted(range(len(found.systems)), key=lambda i: (-int(won[0][i]), -int(won[1][i]), i))
    rows = []
    for place, i in enumerate(order):
        for under, j in enumerate(order[place + 1 :], place + 1):
            ahead = B_AHEAD if found.ahead[i, j] or sure[i, j] else A_AHEAD if found.ahead[j, i] or sure[j, i] else None
            mark = ahead + SURE if ahead and (sure[i, j] or sure[j, i]) else ahead or UNDECIDED
            p = float(found.pvalue[i, j]), float(found.pvalue[j, i])
            rows.append((place + 1, under + 1, found.systems[i], found.systems[j], *p, mark))
    names = ("first_place", "second_place", "first", "second", "pvalue", "pvalue_reverse", "outcome")
    return Sheet(
        columns=columns_of(names, rows),
        title=f"Dominance of all pairs of {plural(len(found.systems), 'system')}",
        subtitle=f"A ahead: nowhere behind B to depth {found.covers.depth} in mean gain over "
        f"{plural(found.n_topics, 'topic')}; "
        f"significant: universal p of one direction at most {alpha / 2:g}, uncorrected, by {found.method}\n"
        "undecided: metrics differ, or all tie",
        words={"names": [found.systems[i] for i in order]},
    )


def matrix(sheet: Sheet, look: Theme) -> Spec:
    """A square a pair, systems that are ahead of many first."""
    names = sheet.words["names"]
    n = len(names)
    named = n <= 30
    # what names leave of a column
    cell = max(2, min(22, int(440 - room(names, font=11)) // (n - 1) if named else 380 // (n - 1)))
    size = (n - 1) * cell
    ticks = list(range(1, n + 1)) if named else _ticks(n)
    listed = ",".join(map(quoted, names))
    axis: Spec = {"values": ticks, "ticks": False, "domain": False, "labelAngle": 0}
    if named:
        axis |= {"labelExpr": f"[{listed}][datum.value - 1]", "labelLimit": 200, "labelFontSize": 11}
    meaning = {
        A_AHEAD + SURE: look.a, A_AHEAD: look.a_faint, UNDECIDED: look.undecided, B_AHEAD: look.b_faint,
        B_AHEAD + SURE: look.b,
    }  # fmt: skip
    shown = {word: colour for word, colour in meaning.items() if word in sheet.columns["outcome"]}
    place = {"type": "ordinal", "scale": {"padding": 0}}
    x = {**place, "field": "first_place", "title": "A" if named else "A, by place",
         "axis": {**axis, "labelAngle": -45 if named else 0}}  # fmt: skip
    y = {**place, "field": "second_place", "title": "B" if named else "B, by place", "axis": axis}
    layer: list[Spec] = [{
        "mark": _cells("outcome", n, look),
        "encoding": {"x": x, "y": y, "color": coloured("outcome", shown, columns=3 if size > 300 else 2)},
    }]  # fmt: skip
    behind = [i for i, outcome in enumerate(sheet.columns["outcome"]) if outcome.startswith(B_AHEAD)]
    if behind and cell >= 8:  # pale colours are alike in grey
        layer.append({
            "data": values(picked(sheet.columns, behind)),
            "mark": {"type": "text", "fontSize": min(11, cell)},
            "encoding": {"x": x, "y": y, "text": {"value": "B"}},
        })  # fmt: skip
    return {"data": values(dict(sheet.columns)), "width": size, "height": size, "layer": layer}


def bars_sheet(found: Agreement) -> Sheet:
    """One row per part of a bar."""
    columns = dict(found.figures()["bars"])
    columns["order"] = [CATEGORIES.index(name) for name in columns["category"]]
    columns["test"] = [WORDS[test] for test in columns["test"]]
    return Sheet(
        columns=columns,
        title="Do a metric's test and IPSO's sign test agree?",
        subtitle=f"{plural(found.ipso.shape[1], 'pair')} of systems, p < {found.alpha:g}; a bar a depth\n{_MEANT}",
    )


def bars(sheet: Sheet, look: Theme) -> Spec:
    """Figure 7: a panel a metric and test, a bar a depth."""
    depths, metrics = unique(sheet.columns["depth"]), unique(sheet.columns["measure"])
    tests = unique(sheet.columns["test"])
    width, heads = max(30, min(70, 14 * len(depths))), room(metrics, font=10)
    # names over bars stand side by side, or else upright
    upright = heads > width and len(metrics) * (heads + 5) > 420
    inner: Spec = {
        "width": width if upright else max(width, round(heads)), "height": 90,
        "mark": {"type": "bar", "tooltip": TOOLTIP},
        "encoding": {
            "x": {"field": "depth", "type": "ordinal", "title": None,
                  "axis": {"labelAngle": -90, "ticks": False, "labelFontSize": 11}},
            "y": {"field": "share", "type": "quantitative", "title": "share of pairs",
                  "scale": {"domain": [0, 1]}, "axis": {"format": ".0%", "values": [0, 0.5, 1], "titleFontSize": 11,
                                                         "labelFontSize": 11}},
            "color": _category(look), "order": {"field": "order", "type": "quantitative"},
        },
    }  # fmt: skip
    head = {"labelFontSize": 10, "labelLimit": 140, "title": None, "labelPadding": 4, **labels(metrics)}
    if upright:
        head |= {"labelAngle": -90, "labelAlign": "right", "labelBaseline": "middle"}
    side = {"labelFontSize": 11, "labelLimit": 110, "title": None, "labelOrient": "right", "labelAngle": 90}
    placed = {**sheet.columns, "at": [metrics.index(measure) for measure in sheet.columns["measure"]]}
    return {
        "data": values(placed), "spacing": {"row": 16, "column": 5},
        "facet": {
            "column": {"field": "measure", "type": "ordinal", "sort": {"field": "at", "op": "min"}, "header": head},
            "row": {"field": "test", "type": "ordinal", "sort": tests, "header": side},
        },
        "spec": inner,
    }  # fmt: skip


def _category(look: Theme) -> Spec:
    return coloured("category", dict(zip(CATEGORIES, look.categories, strict=True)))
