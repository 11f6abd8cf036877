"""Lists behind scores: precision at recall levels, and unjudged documents beside scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rankscope.arguments import whole_number
from rankscope.arrays import Floats
from rankscope.comparisons import JudgeNext
from rankscope.comparisons.doubt import ZERO
from rankscope.comparisons.scored import cutoff_of, scored
from rankscope.errors import InputError, argument, plural
from rankscope.figures import vega as vl
from rankscope.figures.chart import Sheet, columns_of, picked, rows_where, unique
from rankscope.figures.curves import covered, covering, curves, thicknesses
from rankscope.figures.theme import DASHES, Spec, Theme
from rankscope.formatting import percent, score
from rankscope.measures.bounding.result import ROUNDING, BoundMeans, Bounds
from rankscope.measures.scores import Scores
from rankscope.statistics.equality import best_first, places

LABELLED = 4  # curves that are drawn unless systems are named, each with its name beside it
MOST = len(DASHES)  # curves that can be told apart
SHOWN = 30  # systems beside whose scores unjudged documents are drawn unless another number is asked for
BOUND = 8  # pixels of a bar of bounds; so much above its middle stands the mark of a mean
HEIGHT, LINE = 250, 16  # pixels of the plot, and of a name beside it
# of lines of doubt and of the points at their ends: none hides another that is drawn before it
DOTS = (130, 70, 30)


def recall_sheet(scores: Scores, *, systems: Sequence[str] | None = None) -> Sheet:
    """One row per system and recall level: interpolated precision, the mean over topics.

    systems  names; those with the highest mean over the levels by default
    """
    levels = sorted((m for m in scores.measures if m.name == "IPrec"), key=lambda m: m.cutoff or 0.0)
    if len(levels) < 2:
        raise InputError("precision at recall levels was not scored",
                         'score levels such as evaluate(judged, [f"IPrec@{i / 10}" for i in range(11)])')  # fmt: skip
    tables = [scored(scores, level, systems) for level in levels]
    means = np.array([table.value.mean(axis=0) for table in tables])  # levels x systems
    names = tables[0].systems
    if len(names) > MOST and systems is not None:
        raise InputError(f"{len(names):,} curves", f"name {MOST} systems at most: more cannot be told apart")
    shown = best_first(means.mean(axis=0), names)[: LABELLED if systems is None else MOST]
    rows = [
        (names[s], float(level.cutoff or 0.0), float(means[at, s])) for s in shown for at, level in enumerate(levels)
    ]
    of = f"the best {len(shown):,} of {plural(len(names), 'system')} by the mean of the levels; "
    return Sheet(
        columns=columns_of(("system", "recall", "precision"), rows),
        title=_highest([names[s] for s in shown], means[:, shown].mean(axis=0), len(levels)),
        subtitle=(of if len(shown) < len(names) else "") + f"mean over {plural(len(tables[0].topics), 'topic')} of "
        f"interpolated precision, the best precision from this recall on, 0 where a list ends before it"
        f"{_relevant(scores)}; not tested" + covering(covered([names[s] for s in shown], means[:, shown])),
    )


def _relevant(scores: Scores) -> str:
    """The lowest relevant grade, where grades leave a choice, for a caption."""
    label, measure = next(pair for pair in zip(scores.labels, scores.measures, strict=True) if pair[1].name == "IPrec")
    return f"; relevant: grade {measure.values['rel']:g} or more" if "rel=" in label else ""


def _highest(systems: Sequence[str], mean: Floats, levels: int) -> str:
    """Which of the systems drawn has the highest mean over the levels, and how far the others are below it."""
    if len(systems) == 1:
        return f"Interpolated precision of {vl.short(systems[0])} at {plural(levels, 'recall level')}"
    place = places(mean)
    first, last = ([systems[s] for s in np.flatnonzero(place == end).tolist()] for end in (place.max(), place.min()))
    over = f"mean precision over {plural(levels, 'recall level')}, {score(float(mean.max()))}"
    if len(first) == len(systems):
        return f"{'Both' if len(first) == 2 else f'All {len(first):,}'} systems have the same {over}"
    highest = f"{vl.together(first)} {'has' if len(first) == 1 else 'share'} the highest {over}"
    return f"{highest}; the lowest of these {len(systems):,} is {score(float(mean.min()))}, of {vl.together(last)}"


def recall_curves(sheet: Sheet, look: Theme) -> Spec:
    """A line per system with its name at the end."""
    names = unique(sheet.columns["system"])
    right = max(sheet.columns["recall"])
    room = vl.room(names, font=12, most=170)
    width = round(max(200.0, min(360.0, 420 - vl.BESIDE - room)))
    top = max(sheet.columns["precision"]) or 1.0
    x: Spec = {"type": "quantitative", "title": "recall", "axis": {"grid": False, "tickCount": 6},
               "scale": {"domain": [0, right], "nice": False}}  # fmt: skip
    y: Spec = {"type": "quantitative", "title": "interpolated precision", "axis": {"tickCount": 5},
               "scale": {"domain": [0, top], "nice": True}}  # fmt: skip
    layer: list[Spec] = []
    lines: list[vl.Line] = []
    for i, (name, wide) in enumerate(zip(names, thicknesses(len(names)), strict=True)):
        rows = rows_where(sheet.columns, "system", name)
        points = list(zip(rows["recall"], rows["precision"], strict=True))
        lines.append(vl.Line(name, points, look.lines[i], DASHES[i]))
        line = {"type": "line", "color": look.lines[i], "strokeWidth": wide, "strokeDash": list(DASHES[i])}
        xy = {"x": {"field": "recall", **x}, "y": {"field": "precision", **y}}
        layer.append({"data": vl.values(rows), "mark": line, "encoding": xy})
    beside = vl.end_labels(lines, x, y, LINE * top / HEIGHT, top)
    return {"width": width, "height": HEIGHT, "layer": [*layer, *beside]}


def unjudged_sheet(scores: Scores, *, measure: str | None = None, top: int = SHOWN) -> Sheet:
    """One row per system, best first: its mean score, and the share of unjudged documents in its lists.

    measure  one of those scored; the first by default
    top      only so many of the best
    """
    whole_number("top", top)
    share = next((m for m in scores.measures if m.name == "Judged"), None)
    if share is None:
        cure = 'score it too: evaluate(judged, ["nDCG@10", "Judged@10"])'
        raise InputError("the share of judged documents was not scored", cure)
    table = scored(scores, scores.measures[0] if measure is None else measure, None)
    judged = scored(scores, share, None)
    mean = table.value.mean(axis=0)
    unjudged = 100 * np.round(1 - judged.value.mean(axis=0), 12)  # no dust of rounding where all are judged
    order = best_first(mean, table.systems)[:top]
    rows: list[tuple[Any, ...]] = [(table.systems[s], float(mean[s]), float(unjudged[s] + 0.0)) for s in order]
    every = "the first document" if share.cutoff == 1 else f"the first {share.cutoff:g} documents"
    depth = "" if share.cutoff is None else f" of {every}"
    most = max(row[2] for row in rows)
    of = f"the best {len(order):,} of {plural(len(table.systems), 'system')}; " if len(order) < len(mean) else ""
    among = f"the best {len(order):,} systems" if of else "these systems"

    def worst(systems: Sequence[int]) -> str:
        high = max(unjudged[s] for s in systems)
        names = [table.systems[s] for s in systems if unjudged[s] == high]
        return f"{vl.together(names)}, {percent(high / 100, 1)} %"

    title = f"Most documents without a judgment{f' among {among}' if of else ''}: {worst(order)}{depth}"
    if most == 0:
        title = f"All{depth or ' documents'} are judged for {among}"
    others = [s for s in best_first(mean, table.systems)[top:] if unjudged[s] > most]
    if others:
        none_yet = " without a judgment" if most == 0 else ""
        title += f"; most{none_yet} among the {len(mean) - len(order):,} not shown: {worst(others)}"
    read = None if table.record is None else cutoff_of(table.record)
    deeper = share.cutoff is not None and (read is None or read > share.cutoff)
    below = f"; unjudged documents at deeper ranks, which {table.measure} may score, are not counted" * deeper
    none = "; dot in place of a bar: none" if any(row[2] == 0 for row in rows) else ""
    return Sheet(
        columns=columns_of(("system", "mean", "unjudged_percent"), rows),
        title=title,
        subtitle=f"{of}{plural(len(table.topics), 'topic')}{none}; unjudged documents count as not relevant "
        "in most measures, so that the score of a system with many of them may be too low; an empty list counts as "
        f"unjudged, ranks that a list lacks are not counted{below}",
        words={"x": f"mean {table.measure}", "unjudged": ["unjudged,", f"%{depth}{depth and ' retrieved'}"]},
    )


def bounds_sheet(bounds: Bounds, *, measure: str | None = None, top: int = SHOWN) -> Sheet:
    """One row per system, best first: its mean, and the lowest and highest over all grades of unjudged documents.

    measure  one of those scored; the first by default
    top      only so many: the best, and others that may be the best
    """
    return _bounds_sheet(bounds.mean(), 0 if measure is None else bounds.scores.at(measure), top)


def bound_means_sheet(means: BoundMeans, *, top: int = SHOWN) -> Sheet:
    """The same of means, under the first measure.

    top  only so many: the best, and others that may be the best
    """
    return _bounds_sheet(means, 0, top)


def _bounds_sheet(bounds: BoundMeans, at: int, top: int) -> Sheet:
    whole_number("top", top)
    means, lower, upper = bounds.means, bounds.lower[at], bounds.upper[at]
    if np.isnan(lower).any() or np.isnan(upper).any():
        raise InputError(f"no range of {means.labels[at]} is known", "choose a measure with bounds, such as P@10")
    value = means.value[at]
    order = list(best_first(value, means.systems))
    # systems whose ranges reach the highest lower end, which the title counts, are shown however low their means are
    near_first = [place for place, s in enumerate(order) if upper[s] >= lower.max() - ROUNDING]
    cut = next(n for n in range(min(top, len(order)), -1, -1)
               if n <= top - top // 2 or n + sum(place >= n for place in near_first) <= top)  # fmt: skip
    best = order[:cut]
    every_other = sorted((place for place in near_first if place >= cut), key=lambda place: -upper[order[place]])
    others = [order[place] for place in sorted(every_other[: top - cut])]
    rows = [(means.systems[s], float(value[s]), float(lower[s]), float(upper[s])) for s in (*best, *others)]
    every = plural(len(value), "system")
    of = f"the best {len(best):,} of {every}" if len(best) < len(value) else every
    part = f"{len(others):,} of {plural(len(every_other), 'other')}"
    part = part if len(others) < len(every_other) else plural(len(others), "other")
    highest_ends = ", those with the highest ends" * (len(others) < len(every_other))
    reach = "reaches" if part == "1 other" else "reach"
    of += f", and {part} that {reach} the highest lower end{highest_ends}" if others else ""
    topics = vl.span(*(f"{n:,}" for n in (means.n_topics[at].min(), means.n_topics[at].max())))
    of += f"{'; ' if others else ', '}{topics} topic{'s' * (topics != '1')}"
    title = bounds.answer(at).rstrip(".")
    exact = "" if bounds.how[at] == "exact" else "\nranges are not exact, or the mean can lie outside of them"
    # where several ranges reach the highest lower end, this is drawn
    highest = float(lower.max())
    near = int(np.count_nonzero(upper >= highest - ROUNDING))
    none = "; without a bar: one mean whatever the grades" if any(row[3] - row[2] <= ROUNDING for row in rows) else ""
    reached = f"; dashed line: {highest:.4f}, the highest lower end, which {near:,} of {len(value):,} ranges reach"
    return Sheet(
        columns=columns_of(("system", "mean", "lower", "upper"), rows),
        title=title,
        subtitle=f"{of}; triangle: the mean with unjudged documents as not relevant; bar: from the lowest to the "
        f"highest mean over all grades that these could have, for each system by itself{none}"
        f"{reached if near > 1 else ''}{exact}"
        + (
            "\nthe order of two systems can be certain where their bars overlap, since they share documents: their "
            "difference has bounds of its own"
            if near > 1
            else ""
        ),
        words={"x": f"mean {means.labels[at]}", "highest": highest if near > 1 else None},
    )


def bounds_bars(sheet: Sheet, look: Theme) -> Spec:
    """A bar per system from its lowest mean to its highest, and above it a triangle at its mean, which hides no bar."""
    systems = sheet.columns["system"]
    y = vl.category("system", **vl.ordered(systems), axis=vl.names_axis((), labelFontSize=12))
    drawn = [end for key in ("mean", "lower", "upper") for end in sheet.columns[key]]
    low, high = min(drawn), max(drawn)
    # no rounder ends, which may be values that no score has
    x = {"type": "quantitative", "title": sheet.words["x"], "axis": {"grid": False, "tickCount": 5},
         "scale": {"domain": [low, high if high > low else low + 1.0], "nice": False, "zero": False, "padding": 6},
         }  # fmt: skip
    highest = {"data": {"values": [{"highest": sheet.words["highest"]}]},
               "mark": {"type": "rule", "color": look.ink, "strokeDash": [4, 3]},
               "encoding": {"x": {"field": "highest", **x}}}  # fmt: skip
    return {
        "data": vl.values(sheet.columns), "height": 18 * len(systems),
        "width": round(max(180.0, min(340.0, 440 - vl.room(systems, font=12)))),
        "layer": [
            vl.interval_bar(look, y, x, strokeWidth=BOUND, strokeCap="butt", tooltip=vl.TOOLTIP),
            {"mark": vl.dot(45, look.ink, shape="triangle-down", yOffset=-BOUND),
             "encoding": {"y": y, "x": {"field": "mean", **x}}},
            *([] if sheet.words["highest"] is None else [highest]),
        ],
    }  # fmt: skip


def is_replay(result: JudgeNext) -> bool:
    """Whether known judgments were replayed."""
    return bool(result.curve)


def doubt_sheet(result: JudgeNext) -> Sheet:
    """One row per order and number of judgments: the doubt that is left, and whether the rule is met.

    A doubt of 0 need not be certain: no grades can turn the sign any more, but a difference of 0 is possible.
    """
    if result.curve and max(p.doubt for p in result.curve) <= 2 * ZERO:
        raise InputError(
            "no doubt is left from the first judgment on: no grades can turn the sign",
            "print the result: it says after how many judgments a difference of 0 is ruled out, too",
        )
    if not result.curve:
        raise InputError(
            "no judgments were replayed", f"{argument('judge')} takes judgments of documents that are unjudged so far"
        )
    last = [[p for p in result.curve if p.order == order][-1] for order in unique([p.order for p in result.curve])]
    ends = [f"{p.order} {'not within ' * (p.doubt > 0)}{p.judgments:,}" for p in last]
    ahead = "which system is ahead" if len(result.pairs) == 1 else "which systems are ahead"
    title = f"Judgments until it is {result.stop} {ahead}: {', '.join(ends)}"
    if len(last) > 1 and all(p.doubt > 0 and p.judgments == last[0].judgments for p in last):
        after = plural(last[0].judgments, "judgment")
        title = f"It is not {result.stop} {ahead} after {after} in any of {len(last)} orders"
    a, b = map(vl.short, result.systems[:2])
    pairs = f"mean over {len(result.pairs)} pairs" if len(result.pairs) > 1 else f"{b} minus {a}"
    meaning = (
        "doubt: how far the bounds of the mean difference reach beyond 0 on the nearer side"
        if result.stop == "certain"
        else "doubt: share of random grades with another verdict than the most frequent one"
    )
    # a bound of exactly 0 is in the result as a little more, since it does not settle the sign
    rows = [(p.order, p.judgments, p.doubt if p.doubt > 2 * ZERO else 0.0, p.doubt == 0) for p in result.curve]
    touching = [row for row in rows if row[2] == 0 and not row[3]]
    tie = touching and result.stop == "certain"
    unless = "; where the doubt is 0 and this is not certain, the difference may still be 0" if tie else ""
    own, most = last[0], max(p.judgments for p in last)
    early = own.order == "judge-next" and own.doubt > 0 and own.judgments < most and result.lacking
    ended = "\njudge-next ends where it asks for documents that the judgments lack" if early else ""
    if result.lacking and not early:
        ended = f"\njudge-next asks for {plural(result.lacking, 'document')} that the judgments lack, and goes on"
    settled = {p.doubt == 0 for p in last}
    points = f"{result.stop}" if settled == {True} else f"not {result.stop}" if settled == {False} else (
        f"full where {result.stop}, open where not")  # fmt: skip
    sizes = "; sizes of points mean nothing: large ones lie behind small ones" if len(last) > 1 else ""
    drawn = "; at random: one order that was drawn" if any(p.order == "at random" for p in last) else ""
    led = "; fine dots: from the end of a line to its name" if any(p.judgments < most for p in last) else ""
    return Sheet(
        columns=columns_of(("order", "judgments", "doubt", "settled"), rows),
        title=title,
        subtitle=f"{result.measure}, {plural(result.n_topics, 'topic')}; {pairs}\n{meaning}\n"
        f"last point: {points}{unless}{sizes}{drawn}{led}{_covering_orders(rows)}{ended}",
    )


def _covering_orders(rows: Sequence[tuple[Any, ...]]) -> str:
    """Which curves of doubt cover each other after most of the judgments that all orders have made.

    rows  of order, number of judgments and doubt, in this order of judgments
    """
    curves = {order: [row[1:3] for row in rows if row[0] == order] for order in unique([row[0] for row in rows])}
    made = np.arange(1, 1 + min(curve[-1][0] for curve in curves.values()))
    doubt = [np.array(left)[np.searchsorted(at, made, side="right") - 1]
             for at, left in (zip(*curve, strict=True) for curve in curves.values())]  # fmt: skip
    return covering(covered(list(curves), np.column_stack(doubt), "judgments"), "judgments") if len(made) else ""


def doubt_curves(sheet: Sheet, look: Theme) -> Spec:
    """A step line per order of judging, from the doubt before to that after the last judgment, where a dot is."""
    orders = unique(sheet.columns["order"])
    most = max(1, *sheet.columns["judgments"])
    x = vl.quantity("judgments", "judgments made", scale={"domain": [0, most], "nice": False},
                    axis={"grid": False, "tickCount": 5, "tickMinStep": 1})  # fmt: skip
    y = vl.quantity("doubt", "doubt that is left", axis={"tickCount": 4}, scale={"zero": True})
    spec = curves(sheet, look, x=x, y=y, by="order")
    spec["layer"][0]["mark"] |= {"interpolate": "step-after"}
    last = {order: max(rows_where(sheet.columns, "order", order)["judgments"]) for order in orders}
    ends = [i for i, at in enumerate(sheet.columns["judgments"]) if at == last[sheet.columns["order"][i]]]
    lines = spec["layer"][0]["encoding"]
    paint = {key: lines["color"][key] for key in ("field", "type", "scale")} | {"legend": None}
    fill = {"condition": {"test": "datum.settled", **paint}, "value": look.ground}
    spec["layer"].append({"data": vl.values(picked(sheet.columns, ends)), "mark": vl.dot(50, strokeWidth=2),
                          "encoding": {**{channel: lines[channel] for channel in ("x", "y")}, "stroke": paint,
                                       "fill": fill, "size": _by_order(orders, DOTS)}})  # fmt: skip
    return spec


def _by_order(orders: Sequence[str], sizes: Sequence[float]) -> Spec:
    """A size for each order of judging, the last one for the last."""
    scale = {"type": "ordinal", "domain": list(orders), "range": list(sizes[-len(orders) :])}
    return {"field": "order", "type": "nominal", "scale": scale, "legend": None}


def unjudged_panels(sheet: Sheet, look: Theme) -> Spec:
    """Scores as points on the left, unjudged documents as bars on the right.

    Both axes begin at 0: scores are there to be seen beside the shares, not to be told apart.
    """
    systems = sheet.columns["system"]
    y = vl.category("system", **vl.ordered(systems), axis=vl.names_axis((), labelFontSize=12))
    width = round(max(90.0, min(170.0, (420 - vl.room(systems, font=12)) / 2)))
    size = {"data": vl.values(sheet.columns), "height": 18 * len(systems), "width": width}
    sizes = {"labelFontSize": 12, "titleFontSize": 12}
    axis = {"grid": False, "tickCount": 3, **sizes}
    x = {"type": "quantitative", "axis": axis}
    most = max(1.0, *sheet.columns["unjudged_percent"])
    points = {
        **size, "mark": vl.dot(70, look.ink),
        "encoding": {"y": y, "x": {"field": "mean", **vl.signed(sheet.columns["mean"], sheet.words["x"], **sizes)}},
    }  # fmt: skip
    bars = {
        **size, "mark": {"type": "bar", "height": 10, "color": look.faint, "tooltip": vl.TOOLTIP},
        "encoding": {
            "y": {**y, "axis": {**vl.names_axis(()), "labels": False}},
            "x": {**x, "field": "unjudged_percent", "title": sheet.words["unjudged"], "stack": None,
                  "scale": {"domain": [0, 100 if most > 50 else most]}},
        },
    }  # fmt: skip
    # a dot in place of a bar of 0 %, which has no length
    none = {"transform": [{"filter": "datum.unjudged_percent == 0"}], "mark": vl.dot(30, look.faint)}
    layer = [{"mark": bars.pop("mark"), "encoding": bars["encoding"]}, {**none, "encoding": bars.pop("encoding")}]
    return {"hconcat": [points, {**bars, "layer": layer}], "spacing": 12}
