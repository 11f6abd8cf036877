"""Metrics themselves: how alike they rank, how steadily, how sharply, and what missing judgments do to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from textwrap import wrap
from typing import Any

import numpy as np

from rankscope.arguments import positive
from rankscope.errors import InputError, argument, plural
from rankscope.figures import vega as vl
from rankscope.figures.chart import Columns, Sheet, columns_of, picked, rows_where, unique
from rankscope.figures.theme import DASHES, Spec, Theme
from rankscope.formatting import minus, percent
from rankscope.studies import (
    ConsistencyStudy,
    DiscriminativePower,
    Incompleteness,
    Locality,
    Removal,
    Similarity,
    TiedRankings,
)

PRINTED, SPACED = 9, 6  # metrics up to which a heat map prints intervals, and these with brackets
NUMBERED = 16  # and numbers
LABELLED = 6  # lines up to which each has its name beside it
_LEVELS = {"ranking": "pairs of lists", "system": "pairs of systems"}


# similarity


def similarity_sheet(study: Similarity) -> Sheet:
    """One row per pair and way: by mean scores below the diagonal, topic by topic above it."""
    rows = study.show().rows()
    overall = [(r["second"], r["first"], "by mean scores", r["tau"], r["lower"], r["upper"]) for r in rows]
    topics = [
        (r["first"], r["second"], "topic by topic", r["topic_tau"], r["topic_lower"], r["topic_upper"]) for r in rows
    ]
    columns = columns_of(("row", "column", "what", "tau", "lower", "upper"), overall + topics)
    columns["interval"] = [  # none at 1 or -1, where its ends fall together
        "" if low is None or high is None or low == high else minus(f"[{low:.2f}, {high:.2f}]")
        for low, high in zip(columns["lower"], columns["upper"], strict=True)
    ]
    flat = any(low is not None and low == high for low, high in zip(columns["lower"], columns["upper"], strict=True))
    below = [f"below it: {100 * study.level:g} % interval", *wrap(f"(of mean scores by {study.interval})", 52)]
    below += ["(none where it would have no width)"] * flat
    return Sheet(
        columns=columns,
        title=_most_alike(rows),
        subtitle=f"tau-b of {plural(study.n_systems, 'system')}: below the diagonal by mean scores, "
        f"above it the mean over {plural(len(study.topics), 'topic')}",
        words={
            "names": list(study.candidates),
            "value": "tau",
            "legend": "tau-b",
            "below": below,
            "format": ".2f",
            "most": 1,
        },
    )


def _most_alike(rows: Sequence[Mapping[str, Any]]) -> str:
    """The two metrics whose rankings of systems agree most, and the two that agree least; pairs that print alike."""
    known = [row for row in rows if row["tau"] is not None and row["tau"] == row["tau"]]
    if len(known) < 2:
        return "How alike do metrics rank systems?"
    alike: dict[str, list[str]] = {}  # by what is printed: of pairs that read the same, one is not named alone
    for row in sorted(known, key=lambda row: -row["tau"]):
        pair = f"{vl.short(row['first'])} and {vl.short(row['second'])}"
        alike.setdefault(vl.rounded(row["tau"], 2, 1), []).append(pair)
    if len(alike) == 1:
        return f"All of these metrics rank systems equally much alike: tau-b {next(iter(alike))}"
    pairs = [
        f"{', '.join(names) if len(names) < 3 else f'{len(names):,} pairs'} ({tau})" for tau, names in alike.items()
    ]
    return f"Most alike by mean scores: {pairs[0]}; least alike: {pairs[-1]}"


def heatmap(sheet: Sheet, look: Theme) -> Spec:
    """Squares shaded by a value, printed in them where there is room, with the interval below."""
    names, value = sheet.words["names"], sheet.words["value"]
    down = [name for name in names if name in set(sheet.columns["row"])]
    along = [name for name in names if name in set(sheet.columns["column"])]
    if not down:
        raise InputError(f"{names[0]} alone has nothing to be compared with", "give at least two")
    n = len(names)
    # what names leave of a column
    cell = int(min(400, 520 - vl.room(names))) // len(along) if n > 4 else 90
    size = len(along) * cell
    defined = [number for number in sheet.columns[value] if number is not None and number == number]  # NaN: no variance
    low, high = _scale(defined, sheet.words["most"])
    narrow = "narrow" in sheet.words
    intervals = "interval" in sheet.columns and n <= (4 if narrow else PRINTED)
    shade = vl.shaded(value, look, low, high, [f"{sheet.words['legend']}, {low:g} to {high:g}",
                                               *(sheet.words.get("below", ()) if intervals else ())],
                      legend={"gradientLength": 160, "format": sheet.words["format"], "titleLimit": 400})  # fmt: skip
    plain = {"ticks": False, "domain": False, "title": sheet.words.get("axis"), "labelLimit": 200, **vl.labels(names)}
    angle = -45 if max(map(len, names)) > 3 else 0
    x = {"field": "column", "type": "ordinal", "scale": {"domain": along, "padding": 0},
         "axis": {**plain, "labelAngle": angle}}  # fmt: skip
    y = {"field": "row", "type": "ordinal", "scale": {"domain": down, "padding": 0}, "axis": plain}
    ink = vl.on_shade(value, look, low, high)

    def text(field: str, size: int, dy: int, **more: Any) -> Spec:
        return {"mark": {"type": "text", "fontSize": size, "dy": dy, "baseline": "middle"},
                "encoding": {"x": x, "y": y, "text": {"field": field, **more}, "color": ink}}  # fmt: skip

    layer: list[Spec] = [{
        "mark": {"type": "rect", "stroke": look.ground, "strokeWidth": 1, "tooltip": vl.TOOLTIP},
        "encoding": {"x": x, "y": y, "color": shade},
    }]  # fmt: skip
    if n <= (PRINTED if narrow else NUMBERED):
        number = {"type": "quantitative", "format": sheet.words["format"]}
        layer.append(text(value, min(12, round(cell / 2.4)), -6 if intervals else 0, **number))
    if intervals:
        layer.append(text("interval", min(11, round(cell / (5.9 if n <= SPACED else 4.3))), 8, type="nominal"))
    columns = dict(sheet.columns)
    if intervals and n > SPACED:  # .54, 1 takes less room than [0.54, 1.00]
        columns["interval"] = [
            text and text.strip("[]").replace("0.", ".").replace("1.00", "1") for text in columns["interval"]
        ]
    return {
        "data": vl.values(columns),
        "transform": [{"filter": f"isValid(datum.{value})"}],
        "width": size,
        "height": len(down) * (size // len(down) if n > 4 else 60),
        "layer": layer,
        "resolve": {"scale": {"color": "independent"}},
    }


def _scale(numbers: Sequence[float], most: float) -> tuple[float, float]:
    """Ends of the shades: the same for all figures of one quantity, but for steps that few figures need.

    most  of the quantity: 1 for correlations, 100 for per cent

    >>> _scale([0.4, 0.9], 1), _scale([-0.2, 0.9], 1), _scale([0.0, 7.5], 100)
    ((0.0, 1.0), (-1.0, 1.0), (0.0, 10.0))
    """
    top = max(numbers, default=0.0)
    steps = (0.05, 0.1, 0.25, 0.5, 1.0) if most > 1 else (1.0,)
    high = next((most * step for step in steps if top <= most * step), float(most))
    return (-float(most) if min(numbers, default=0.0) < 0 else 0.0), float(high)


# consistency


def consistency_sheet(study: ConsistencyStudy) -> Sheet:
    """One row per metric: mean tau, the range over splits, and how many of its family it beats."""
    columns = dict(study.show().columns())
    columns.setdefault("family", [""] * len(columns["measure"]))
    marks = f"> k: significantly more consistent than k others ({study.alpha:g}, test over {study.test})"
    none = f"no metric is significantly more consistent than another ({study.alpha:g}, test over {study.test})"
    return Sheet(
        columns={key: columns[key] for key in ("family", "measure", "tau", "lowest", "highest", "mark")},
        title=_steadiest(columns),
        subtitle=f"mean tau-b between two halves of {plural(study.n_topics, 'topic')}, "
        f"{plural(study.resampling.resamples, 'split')}; bars: their range\n"
        + (marks if any(columns["mark"]) else none),
    )


def _steadiest(columns: Columns) -> str:
    """The metric with the highest mean tau."""
    known = [(tau, name) for tau, name in zip(columns["tau"], columns["measure"], strict=True) if tau is not None]
    if len(known) < 2:
        return "How steadily do metrics rank systems?"
    most = f"{max(known)[0]:.2f}"
    names = [vl.short(name) for tau, name in known if f"{tau:.2f}" == most]
    return f"Highest mean tau-b of two halves of the topics: {vl.listed(names, 'metric')} ({most})"


def consistency(sheet: Sheet, look: Theme) -> Spec:
    """One point per metric, with the range over splits and its mark of significance."""
    families = unique(sheet.columns["family"])
    many = len(sheet.columns["measure"]) > 40
    extremes = [v for key in ("lowest", "highest") for v in sheet.columns[key] if v is not None]
    low, high = min(extremes, default=0.0), max(extremes, default=1.0)
    step = 0.2 if high - low > 0.5 else 0.1 if high - low > 0.2 else 0.05
    span = high - low or 1
    ends = [low - 0.03 * span, high + 0.12 * span]  # the mark stands at the right
    ticks = [round(i * step, 2) for i in range(-20, 21) if ends[0] <= i * step <= 1]
    x: Spec = {"type": "quantitative", "title": "tau-b of two halves", "axis": {"grid": False, "values": ticks},
               "scale": {"zero": False, "domain": ends, "nice": False}}  # fmt: skip
    width = round(max(200.0, min(320.0, 430 - vl.room(sheet.columns["measure"]))))
    panels = []
    for i, family in enumerate(families):
        rows = rows_where(sheet.columns, "family", family)
        y = vl.category("measure", family or None, **vl.ordered(rows["measure"]), axis=vl.names_axis(rows["measure"]))
        x_axis = {**x, "axis": {**x["axis"], **({} if i == len(families) - 1 else {"labels": False, "title": None})}}
        panels.append({
            "data": vl.values(rows), "width": width, "height": (12 if many else 17) * len(rows["measure"]),
            "layer": [
                vl.interval_bar(look, y, x_axis, "lowest", "highest"),
                {"mark": vl.dot(70, look.ink), "encoding": {"y": y, "x": {"field": "tau", **x_axis}}},
                {"mark": {"type": "text", "align": "left", "dx": 6, "fontSize": 11}, "encoding": {
                    "y": y, "x": {"field": "highest", **x_axis}, "text": {"field": "mark", "type": "nominal"}}},
            ],
        })  # fmt: skip
    return panels[0] if len(panels) == 1 else {"vconcat": panels, "spacing": 8, "resolve": {"scale": {"x": "shared"}}}


# curves of several metrics


def curves(
    sheet: Sheet, look: Theme, *, x: Spec, y: Spec, by: str, band: tuple[str, str] | None = None,
    panels: str | None = None, rule: float | None = None, clip: bool = False
) -> Spec:  # fmt: skip
    """A line for each value of a column, told apart by colour and dashes, with bands where there are any.

    clip  where lines go on outside; else it would halve those at the edge
    """
    names = unique(sheet.columns[by])
    count = len(names)
    room = vl.room(map(str, names), font=12, most=170)
    labelled = count <= LABELLED
    colour = {"domain": names, "range": [look.lines[i % len(look.lines)] for i in range(count)]}
    # dashes go on where colours begin again
    dashes = [list(DASHES[(i + i // len(look.lines)) % len(DASHES)]) for i in range(count)]
    legend = {
        "title": None, "columns": vl.across(list(map(str, names))), "symbolType": "stroke", "symbolSize": 400,
        "symbolOpacity": 1, "labelLimit": 200, **vl.labels(map(str, names)),
    }  # fmt: skip
    paint = {"field": by, "type": "nominal", "sort": None, "scale": colour, "legend": None if labelled else legend}
    dash = {**paint, "scale": {"domain": names, "range": dashes}}
    if labelled:
        low, high = _extent(sheet.columns, (y["field"], *(band or ())))
        scale = {"zero": True, "domain": [low, high], **y.get("scale", {})}
        if scale.pop("zero") and "domain" not in y.get("scale", {}):
            scale["domain"] = [min(0.0, low), max(0.0, high)]
        y = {**y, "scale": scale}
    layer: list[Spec] = []
    if rule is not None:
        layer.append(
            {"mark": {"type": "rule", "color": look.faint, "strokeDash": [3, 3]}, "encoding": {"y": {"datum": rule}}}
        )
    if band:
        layer.append({"mark": {"type": "area", "opacity": 0.15 if count <= 3 else 0.09},
                      "encoding": {"x": x, "y": {**y, "field": band[0]}, "y2": {"field": band[1]},
                                   "color": paint}})  # fmt: skip
    layer.append({"mark": {"type": "line", "strokeWidth": 2, "tooltip": vl.TOOLTIP, "clip": clip},
                  "encoding": {"x": x, "y": y, "color": paint, "strokeDash": dash}})  # fmt: skip
    if not labelled:
        if panels is None:
            return {"data": vl.values(sheet.columns), "width": 400, "height": 220, "layer": layer}
        return vl.facets(sheet.columns, panels, {"width": 190, "height": 170, "layer": layer})

    def with_names(columns: Columns, width: float, height: int) -> Spec:
        lines: list[vl.Line] = []
        for i, name in enumerate(names):
            rows = rows_where(columns, by, name)
            known = [(at, value) for at, value in zip(rows[x["field"]], rows[y["field"]], strict=True)
                     if value is not None and value == value]  # fmt: skip
            if known:
                lines.append(vl.Line(str(name), sorted(known), look.lines[i], DASHES[i]))
        bottom, top = y["scale"]["domain"]
        beside = vl.end_labels(lines, x, y, 16 * (top - bottom) / height, top)
        return {"data": vl.values(columns), "width": round(width), "height": height, "layer": [*layer, *beside]}

    width = max(220.0, 415 - vl.BESIDE - room)
    if panels is None:
        return with_names(sheet.columns, width, 220)
    head = {"anchor": "middle", "frame": "group", "fontWeight": "normal", "fontSize": 12, "offset": 4}
    plots = [
        {"title": {"text": str(panel), **head}, **with_names(rows_where(sheet.columns, panels, panel), width, 150)}
        for panel in unique(sheet.columns[panels])
    ]
    return {"vconcat": plots, "spacing": 14}


def _extent(columns: Columns, names: Sequence[str]) -> tuple[float, float]:
    """Lowest and highest number of some columns."""
    numbers = [value for name in names for value in columns[name] if value is not None and value == value]
    low, high = min(numbers, default=0.0), max(numbers, default=1.0)
    return low, high if high > low else low + 1.0


def asl_sheet(power: DiscriminativePower, *, upto: float | None = None) -> Sheet:
    """ASL of all pairs by metric, from the largest to the smallest; those above `upto` are not drawn.

    upto  0.15 by default, and 1 where no pair has so small a p value
    """
    columns = power.figures()["asl_curves"]
    if upto is None:
        upto = 0.15 if min(columns["asl"]) <= 0.15 else 1.0
    positive("upto", upto, 1)
    # the last above it is kept, so that curves come in at the top
    after = [*columns["asl"][1:], 1.0]
    at = [i for i, asl in enumerate(columns["asl"]) if asl <= upto or after[i] <= upto]
    if not at:
        raise InputError(f"no pair of systems has a p value up to {upto:g}", f"{argument('upto', 1.0)} draws all pairs")
    share = [int(n) for n in power.significant[0].tolist()]
    best = [vl.short(name) for name, count in zip(power.candidates, share, strict=True) if count == max(share)]
    tell = "tells" if len(best) == 1 else "tell"
    drawn = f"; drawn up to {upto:g}" if upto < 1 else ""
    return Sheet(
        columns=picked(columns, at),
        title=f"{vl.listed(best, 'metric')} {tell} the most pairs of systems apart: {max(share):,} of "
        f"{len(power.first):,}",
        subtitle=f"achieved significance level (ASL) of {plural(len(power.first), 'pair')}, the largest first{drawn}; "
        f"further left is sharper; told apart: below {power.alpha:g}",
        words={"alpha": power.alpha, "upto": upto, "pairs": len(power.first)},
    )


def asl_curves(sheet: Sheet, look: Theme) -> Spec:
    """One line per metric, one panel per test."""
    pairs = sheet.words["pairs"]
    first = min(sheet.columns["pair"], default=1)
    start = 1 if first < pairs / 10 else max(1, first - round(0.02 * pairs))
    few = {"values": list(range(start, pairs + 1)), "format": "d"} if pairs - start <= 10 else {}  # whole pairs
    x = {"field": "pair", "type": "quantitative", "title": "pairs of systems, by ASL",
         "axis": {"grid": False, "tickCount": 6, **few},
         "scale": {"domain": [start, max(start + 1, pairs)], "nice": False}}  # fmt: skip
    y = vl.quantity("asl", "ASL", scale={"domain": [0, sheet.words["upto"]], "nice": False})
    several = len(unique(sheet.columns["test"])) > 1
    thinned = _thinned(sheet.columns, sheet.words["upto"] / 400)
    rule, panels = sheet.words["alpha"], "test" if several else None
    return curves(replace(sheet, columns=thinned), look, x=x, y=y, by="measure", rule=rule, panels=panels, clip=True)


def _thinned(columns: Columns, step: float) -> Columns:
    """Curves without the points that nobody would miss: thousands of pairs lie on one pixel.

    A point stays where it is more than a step below the last one kept, with the one before it, so that falls stay
    steep; so do the ends of each curve.
    """
    keys = list(zip(columns["test"], columns["measure"], strict=True))
    kept: list[int] = []
    for i, key in enumerate(keys):
        last = kept[-1] if kept else -1
        if last < 0 or keys[last] != key or i + 1 == len(keys) or keys[i + 1] != key:
            kept.append(i)
        elif abs(columns["asl"][i] - columns["asl"][last]) > step:
            kept += [i - 1, i] if i - 1 > last else [i]
    return picked(columns, kept)


def incompleteness_sheet(study: Incompleteness) -> Sheet:
    """Mean tau by fraction of the pool, with the range over samples."""
    columns = _kept(study.columns(), ("candidate", "sampling", "fraction", "tau", "sd", "lowest", "highest"))
    return Sheet(
        columns=columns,
        title=_least(columns, "tau", f"of the judgments ({study.sampling[0]})", "tau-b with the whole pool"),
        subtitle=f"tau-b with the ranking by the whole pool; {_size(study.settings)}; {_bands(study.settings)}",
        words={"x": "fraction of the pool", "y": "tau-b", "value": "tau", "panels": "sampling"},
    )


def removal_sheet(study: Removal) -> Sheet:
    """Mean agreement with the reference by fraction of the labels or topics, with the range over samples."""
    columns = _kept(study.columns(), ("candidate", "level", "fraction", "agreement", "sd", "lowest", "highest"))
    columns["level"] = [_LEVELS.get(level, level) for level in columns["level"]]
    return Sheet(
        columns=columns,
        title=_least(columns, "agreement", f"of the {study.removed}", f"agreement with {vl.short(study.reference)}"),
        subtitle=f"share of pairs preferred alike, a tie is a miss; {_size(study.settings)}; {_bands(study.settings)}",
        words={"x": f"fraction of the {study.removed}", "y": "agreement", "value": "agreement", "panels": "level"},
    )


def labels_sheet(ties: TiedRankings) -> Sheet:
    """Share of ties by fraction of the judgments, with the range over samples."""
    if not ties.fractions:
        raise InputError("ties were not counted with fewer judgments", "give fractions=(0.1, 0.2, ...) to `ties`")
    columns = _kept(ties.columns("labels"), ("candidate", "fraction", "share", "sd", "lowest", "highest"))
    return Sheet(
        columns=columns,
        title=_least(columns, "share", "of the judgments", "share of pairs that tie"),
        subtitle=f"{plural(ties.compared, 'pair')} of lists; {_bands(ties.settings)}",
        words={"x": "fraction of the judgments", "y": "share tied", "value": "share", "panels": None, "zero": True},
    )


def _least(columns: Columns, value: str, part: str, what: str) -> str:
    """The range of a value over candidates at the smallest fraction, in the first panel."""
    rows = rows_where(columns, "fraction", min(columns["fraction"]))
    panel = next((name for name in ("sampling", "level") if name in rows), None)
    if panel:
        rows = rows_where(rows, panel, rows[panel][0])
        part += f", {rows[panel][0]}" if panel == "level" else ""
    known = [(number, name) for number, name in zip(rows[value], rows["candidate"], strict=True) if number == number]
    if not known:
        return f"{what.capitalize()} is not defined with {100 * rows['fraction'][0]:g} % {part}"
    # all that read the same are named: one name would say that it differs from the others
    alike: dict[str, list[str]] = {}
    for number, name in sorted(known, key=lambda row: row[0]):
        alike.setdefault(_two_decimals(number), []).append(vl.short(name))
    ends = [f"{number} ({vl.listed(names, 'candidate')})" for number, names in alike.items()]
    return f"With {100 * rows['fraction'][0]:g} % {part}: {what} {vl.span(ends[0], ends[-1])}"


def _two_decimals(number: float) -> str:
    """A number to two decimals, or its first digit where these would show nothing but 0.

    >>> _two_decimals(0.0), _two_decimals(0.25), _two_decimals(0.0043)
    ('0.00', '0.25', '0.004')
    """
    return f"{number:.2f}" if number == 0 or abs(number) >= 0.005 else f"{number:.1g}"


def fractions(sheet: Sheet, look: Theme) -> Spec:
    """One line per candidate over fractions, with bands."""
    words = sheet.words
    x = {"field": "fraction", "type": "quantitative", "title": words["x"], "scale": {"zero": False, "nice": False},
         "axis": {"grid": False, "tickCount": 4}}  # fmt: skip
    y = {"field": words["value"], "type": "quantitative", "title": words["y"],
         "scale": {"zero": words.get("zero", False)}}  # fmt: skip
    panels = words["panels"]
    if panels and len(unique(sheet.columns[panels])) == 1:
        panels = None
    return curves(sheet, look, x=x, y=y, by="candidate", band=("lowest", "highest"), panels=panels)


def levels_sheet(ties: TiedRankings) -> Sheet:
    """By recall level: pairs that tie there, and pairs that lexiprecision has decided by then."""
    table = ties.columns("levels")
    rows = [
        (level, what, share)
        for key, what in (("tied", "tied at this level"), ("decided_of_all", "decided by this level"))
        for level, share in zip(table["level"], table[key], strict=True)
    ]
    fewest = min(table["pairs"])
    level = table["pairs"].index(fewest) + 1
    fewer = f" (down to {fewest:,} at level {level})" if fewest < ties.compared else ""
    return Sheet(
        columns=columns_of(("level", "what", "share"), rows),
        title=_decided(ties, max(table["level"])),
        subtitle=f"decided: of {plural(ties.compared, 'pair')} of lists of two systems on one topic; tied: of those on "
        f"topics with so many relevant documents{fewer}; two lists that both lack it tie",
    )


def _decided(ties: TiedRankings, deepest: int) -> str:
    """How many pairs lexiprecision decides, and how many of these by the level at which nine tenths are.

    deepest  level that is drawn, where nine tenths are not decided by then
    """
    decided = int(ties.deciding.sum())
    if not decided:
        return "Lexiprecision decides none of the pairs of lists"
    by_level = np.cumsum(ties.deciding)
    level = int(np.searchsorted(by_level, 0.9 * decided)) + 1
    level = min(level, deepest)
    part = float(by_level[level - 1]) / decided
    return (
        f"Lexiprecision decides {percent(decided / ties.compared, 1)} % of the pairs of lists, "
        f"and {percent(part)} % of these by recall level {level}"
    )


def levels(sheet: Sheet, look: Theme) -> Spec:
    x = {"field": "level", "type": "quantitative", "title": "recall level", "axis": {"grid": False, "tickMinStep": 1},
         "scale": {"domain": [1, max(2, *sheet.columns["level"])], "nice": False}}  # fmt: skip
    y = {"field": "share", "type": "quantitative", "title": "share of pairs", "scale": {"domain": [0, 1]},
         "axis": {"format": ".0%"}}  # fmt: skip
    return curves(sheet, look, x=x, y=y, by="what")


def first_rank_sheet(ties: TiedRankings) -> Sheet:
    """By the rank of the first relevant document: how likely another list has it there too."""
    table = ties.columns("first")
    at = [i for i, rank in enumerate(table["rank"]) if rank is not None]
    none = sum(pairs for rank, pairs in zip(table["rank"], table["pairs"], strict=True) if rank is None)
    without = f"; without one, and not drawn: {none:,} of {sum(table['pairs']):,} pairs of lists" if none else ""
    return Sheet(
        columns=picked(table, at),
        title=_usual_tie(picked(table, at), every=not none),
        subtitle=f"by the rank of the first relevant document; larger circles: more pairs of lists{without}",
    )


def _usual_tie(table: Columns, *, every: bool) -> str:
    """The most frequent rank of the first relevant document, and how likely another list ties there.

    every  whether each list has a relevant document
    """
    if not table["rank"]:
        return "No list has a relevant document"
    most = max(range(len(table["rank"])), key=lambda i: table["pairs"][i])
    rank, tied = table["rank"][most], table["tied"][most]
    first = "First relevant document" if every else "First relevant document, where there is one,"
    return f"{first} most often at rank {rank}: a tie in RR with {percent(tied)} % of other lists"


def first_rank(sheet: Sheet, look: Theme) -> Spec:
    last = max(2, *sheet.columns["rank"])
    ticks = [m * 10**e for e in range(6) for m in (1, 2, 5)]
    x = {"field": "rank", "type": "quantitative", "title": "rank of the first relevant document",
         "scale": {"type": "log", "nice": False, "domain": [1, last], "padding": 14},
         "axis": {"grid": False, "values": ticks}}  # fmt: skip
    y = {"field": "tied", "type": "quantitative", "title": "probability of a tie"}
    size = {"field": "pairs", "type": "quantitative", "scale": {"range": [12, 300]}, "legend": None}
    return {
        "data": vl.values(sheet.columns), "width": 400, "height": 220,
        "mark": {"type": "point", "filled": True, "opacity": 0.6, "color": look.ink, "tooltip": vl.TOOLTIP,
                 "clip": False},
        "encoding": {"x": x, "y": y, "size": size},
    }  # fmt: skip


def locality_sheet(study: Locality) -> Sheet:
    """Correlation of recall levels, below the diagonal."""
    correlations = study.figures()["correlation"]
    columns = {"row": list(map(str, correlations["level"])), "column": list(map(str, correlations["other"])),
               "correlation": correlations["correlation"]}  # fmt: skip
    return Sheet(
        columns=columns,
        title=_neighbours(study),
        subtitle=f"Pearson's correlation of differences of RR at two recall levels; {_size(study.settings)}",
        words={"names": [str(i + 1) for i in range(len(study.correlation))], "value": "correlation",
               "legend": "correlation", "format": ".2f", "most": 1, "axis": "recall level"},
    )  # fmt: skip


def _neighbours(study: Locality) -> str:
    """Correlations of recall levels that are neighbours, and of the first and the last."""
    near = np.diagonal(study.correlation, 1)
    if not near.size or not np.isfinite(near).all():
        return "How much does one recall level say of another?"
    last = len(study.correlation)
    return (
        f"Correlation of neighbouring recall levels: {near.min():.2f} to {near.max():.2f}; of levels 1 and {last}: "
        f"{study.correlation[0, -1]:.2f}"
    )


def _size(settings: Mapping[str, Any]) -> str:
    return f"{plural(settings['n_systems'], 'system')}, {plural(settings['n_topics'], 'topic')}"


def _bands(settings: Mapping[str, Any]) -> str:
    samples = settings["resamples"]
    return "one sample" if samples == 1 else f"bands: range of {samples:,} samples"


def _kept(columns: Columns, names: Sequence[str]) -> Columns:
    return {name: columns[name] for name in names}
