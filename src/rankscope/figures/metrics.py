"""Metrics themselves: how alike they rank, how steadily, how sharply, and what missing judgments do to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import ceil, floor, log
from textwrap import wrap
from typing import Any

import numpy as np

from rankscope.arguments import positive
from rankscope.arrays import Floats
from rankscope.errors import InputError, argument, plural
from rankscope.figures import vega as vl
from rankscope.figures.chart import LETTERS, NARROW, Columns, Sheet, columns_of, picked, rows_where, unique
from rankscope.figures.letters import text_width
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
from rankscope.studies.base import extent
from rankscope.studies.power import TESTS

PRINTED, SPACED = 9, 6  # metrics up to which a heat map prints intervals, and these with brackets
NUMBERED = 16  # and numbers
LABELLED = 6  # lines up to which each has its name beside it
RARE = 0.001  # of the lists: share from which a rank is drawn
FEW_RANKS = 8  # of the first relevant document, up to which each is a tick
LABEL = 0.08  # of a logarithmic axis of ranks: room of a label
SEEN_THROUGH = 0.6  # opacity of circles that may cover each other
TRIED = 6  # fractions up to which each is a tick
BANDS = 3  # lines up to which each has a band
NEAR = 0.01  # of the axis: about the width of a line; curves that are no further apart cover each other
WIDEST, THINNEST = 2.8, 1.6  # pixels of the first line and of the last
EDGE = 0.7  # pixels of the edges of bands
LEXIPRECISION = "lexiprecision compares two lists at the first recall level at which they differ"
_LEXIPRECISION = {"rrLP": "by the difference of reciprocal ranks", "sgnLP": "by its sign"}
_TESTS = {"topics": "jackknife over topics, Holm", "splits": "permutation test over splits"}
LEVELS = {"ranking": "pairs of lists", "system": "pairs of systems"}  # what is compared in a study of removal


# similarity


def similarity_sheet(study: Similarity) -> Sheet:
    """One row per pair and way: by mean scores below the diagonal, topic by topic above it."""
    rows = study.show().rows()
    overall = [(r["second"], r["first"], "by mean scores", r["tau"], r["lower"], r["upper"]) for r in rows]
    topics = [
        (r["first"], r["second"], "topic by topic", r["topic_tau"], r["topic_lower"], r["topic_upper"]) for r in rows
    ]
    columns = columns_of(("row", "column", "what", "tau", "lower", "upper"), overall + topics)
    # where all systems are ranked alike, formula and samples know no other tau
    columns["interval"] = [
        None if low is None or high is None else "" if low == high else minus(f"[{low:.2f}, {high:.2f}]")
        for low, high in zip(columns["lower"], columns["upper"], strict=True)
    ]
    flat = any(low is not None and low == high for low, high in zip(columns["lower"], columns["upper"], strict=True))
    below = [
        f"second line of a square: {100 * study.level:g} % interval",
        *wrap(f"(by {study.interval} for mean scores)", 52),
    ]
    below += ["(none where it would have no width)"] * flat
    return Sheet(
        columns=columns,
        title=_most_alike(rows),
        subtitle=f"tau-b of {plural(study.n_systems, 'system')}: below the diagonal by mean scores, "
        f"above it the mean over {_ordered_by_both(rows, len(study.topics))}{vl.relevance(study.settings)}",
        words={
            "names": list(study.candidates),
            "value": "tau",
            "legend": "tau-b",
            "below": below,
            "format": ".2f",
            "most": 1,
        },
    )


def _ordered_by_both(rows: Sequence[Mapping[str, Any]], n_topics: int) -> str:
    """The topics that have a tau-b, which is not defined where one of two metrics ties all systems."""
    counts = [row["n_topics"] for row in rows]
    every = plural(n_topics, "topic")
    if min(counts, default=n_topics) == n_topics:
        return every
    part = vl.span(*(f"{n:,}" for n in (min(counts), max(counts))))
    return f"those topics on which neither metric ties all systems, {part} of {every} by pair"


def _most_alike(rows: Sequence[Mapping[str, Any]]) -> str:
    """The two metrics whose rankings of systems agree most, and the two that agree least; pairs that print alike."""
    known = [row for row in rows if row["tau"] is not None and row["tau"] == row["tau"]]
    if len(known) < 2:
        return "How alike do metrics rank systems?"
    most, least = (pick(known, key=lambda row: row["tau"]) for pick in (max, min))
    printed = [vl.rounded(row["tau"], 2, 1) for row in known]
    if len(set(printed)) == 1:
        return f"All of these metrics rank systems equally much alike by mean scores: tau-b {printed[0]}"
    pairs = []
    for row in (most, least):
        tau = vl.rounded(row["tau"], 2, 1)
        others = [other for other, text in zip(known, printed, strict=True) if text == tau and other is not row]
        alike = f", as {plural(len(others), 'other pair')}" if others else ""
        if len(others) == 1:
            alike = f", as {vl.short(others[0]['first'])} and {vl.short(others[0]['second'])}"
        pairs.append(f"{vl.short(row['first'])} and {vl.short(row['second'])} ({tau}{alike})")
    return f"By mean scores most alike: {pairs[0]}; least alike: {pairs[1]}"


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
    decimals = int(sheet.words["format"][1])
    shown = ["" if number is None or number != number else vl.rounded(number, decimals, sheet.words["most"])
             for number in sheet.columns[value]]  # fmt: skip
    if narrow and n > PRINTED and sheet.words["most"] == 1:  # .54 takes less room than 0.54
        shown = [text.replace("0.", ".").replace("1.00", "1") for text in shown]
    widest = max((text_width(text, LETTERS) or 0.0 for text in shown), default=0.0)
    fits = (NARROW - 24 - vl.room(names, most=150)) / len(along) >= widest + 3
    printed = n <= NUMBERED and (n <= PRINTED or fits or not narrow)
    below = [number for number in defined if number < 0]
    title = [
        f"{sheet.words['legend']}, {low:g} to {high:g}"
        + ("; \N{MINUS SIGN}: below 0" if below and not printed else ""),
        *(sheet.words.get("below", ()) if intervals else ()),
    ]
    legend = {"gradientLength": 160, "format": sheet.words["format"], "titleLimit": 400}
    if below:
        shade = vl.on_both_sides(value, look, high, title, legend=legend)
    else:
        shade = vl.shaded(value, look, low, high, title, legend=legend)
    plain = {"ticks": False, "domain": False, "title": sheet.words.get("axis"), "labelLimit": 200, **vl.labels(names)}
    angle = -45 if max(map(len, names)) > 3 else 0
    x = {"field": "column", "type": "ordinal", "scale": {"domain": along, "padding": 0},
         "axis": {**plain, "labelAngle": angle}}  # fmt: skip
    y = {"field": "row", "type": "ordinal", "scale": {"domain": down, "padding": 0}, "axis": plain}
    ink = vl.on_shade(value, look, high)

    def text(field: str, size: int, dy: int, **more: Any) -> Spec:
        return {"mark": {"type": "text", "fontSize": size, "dy": dy, "baseline": "middle"},
                "encoding": {"x": x, "y": y, "text": {"field": field, **more}, "color": ink}}  # fmt: skip

    layer: list[Spec] = [{
        "mark": {"type": "rect", "stroke": look.ground, "strokeWidth": 1, "tooltip": vl.TOOLTIP},
        "encoding": {"x": x, "y": y, "color": shade},
    }]  # fmt: skip
    if printed:
        layer.append(text("shown", min(12, round(cell / 2.4)), -6 if intervals else 0, type="nominal"))
    elif below:  # in grey both sides of 0 are alike
        layer.append({"transform": [{"filter": f"datum.{value} < 0"}],
                      "mark": {"type": "point", "shape": "stroke", "size": (0.6 * cell) ** 2, "strokeWidth": 1.5},
                      "encoding": {"x": x, "y": y, "color": ink}})  # fmt: skip
    if intervals:
        layer.append(text("interval", min(11, round(cell / (5.9 if n <= SPACED else 4.3))), 8, type="nominal"))
    columns = {**sheet.columns, "shown": shown}
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
    splits = study.resampling.resamples
    of_splits = f", {plural(splits, 'split')}"
    if study.undefined:
        of_splits = f", {splits - study.undefined:,} of {splits:,} splits (the others tie all systems for some metric)"
    marks = "> k: significantly more consistent than k others; " if any(columns["mark"]) else ""
    return Sheet(
        columns={key: columns[key] for key in ("family", "measure", "tau", "lowest", "highest", "mark")},
        title=_steadiest(columns),
        subtitle=f"points: mean of tau-b between rankings of {plural(study.n_systems, 'system')} by two halves of "
        f"{plural(study.n_topics, 'topic')}{of_splits}; bars: their range"
        f"{_depths(columns['measure'])}{vl.relevance(study.settings)}\n"
        f"{marks}{_TESTS[study.test]}, p < {study.alpha:g}",
    )


def _depths(names: Sequence[str]) -> str:
    """The depths to which metrics are scored, by their names, where these differ.

    >>> _depths(["AP@10", "P@10", "ERR@20"]), _depths(["AP@10", "P@10"]), _depths(["AP"])
    ('; depth 10, of ERR@20: 20', '; depth 10', '')
    """
    depths = [name.rpartition("@")[2] if "@" in name else "" for name in names]
    usual = max(unique(depths), key=depths.count, default="")
    others = [(name, depth) for name, depth in zip(names, depths, strict=True) if depth != usual]
    if not usual.isdigit() or not all(depth.isdigit() for _, depth in others) or len(others) > 3:
        return ""
    return f"; depth {usual}" + "".join(f", of {vl.short(name)}: {depth}" for name, depth in others)


def _steadiest(columns: Columns) -> str:
    """The metrics with the highest mean tau; a single one with which others it is shown to beat.

    The tau has as many decimals as tell it from that of the next.
    """
    known = [i for i, tau in enumerate(columns["tau"]) if tau is not None]
    if len(known) < 2:
        return "How steadily do metrics rank systems?"
    highest = max(columns["tau"][i] for i in known)
    first = [i for i in known if highest - columns["tau"][i] < 1e-9]
    rest = [columns["tau"][i] for i in known if i not in first]
    decimals = next(n for n in range(2, 11) if not any(f"{tau:.{n}f}" == f"{highest:.{n}f}" for tau in rest))
    title = f"Highest mean tau-b of two halves: {vl.together([columns['measure'][i] for i in first])}"
    title += f", {highest:.{decimals}f}"
    if not any(columns["mark"]):
        family = " of its family" if len(unique(columns["family"])) > 1 else ""
        return f"{title}; no metric is significantly more consistent than any other{family}"
    if len(first) > 1:
        return title
    beaten = [name for name in columns["beats"][first[0]].split(", ") if name]
    others = columns["family"].count(columns["family"][first[0]]) - 1
    whom = vl.short(beaten[0]) if len(beaten) == 1 else f"{len(beaten):,} of {plural(others, 'other')}"
    if beaten:
        return f"{title}; significantly more consistent than {whom}"
    return f"{title}; not significantly more consistent than any other"


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
    panels: str | None = None, rule: float | None = None, clip: bool = False, listed: bool = False,
    over: Sequence[Spec] = (),
) -> Spec:  # fmt: skip
    """A line for each value of a column, told apart by colour and dashes, with bands where there are any.

    clip    where lines go on outside; else it would halve those at the edge
    listed  names stand at the right in the order of the rows, from the top, and are not joined to the ends of lines
    over    further layers on top
    """
    names = unique(sheet.columns[by])
    count = len(names)
    room = vl.room(map(str, names), font=12, most=170)
    labelled = count <= LABELLED
    colour = {"domain": names, "range": [look.lines[i % len(look.lines)] for i in range(count)]}
    # dashes go on where colours begin again
    dashes = [list(DASHES[(i + i // len(look.lines)) % len(DASHES)]) for i in range(count)]
    legend = {
        "title": None, "columns": vl.across(list(map(str, names))), "symbolType": "stroke", "symbolSize": 784,
        "symbolOpacity": 1, "labelLimit": 200, **vl.labels(map(str, names)),
    }  # fmt: skip
    paint = {"field": by, "type": "nominal", "sort": None, "scale": colour, "legend": None if labelled else legend}
    dash = {**paint, "scale": {"domain": names, "range": dashes}}
    thick = {"domain": names, "range": thicknesses(count)}
    if labelled:
        low, high = _extent(sheet.columns, (y["field"], *(band if band and count <= BANDS else ())))
        scale = {"zero": True, "domain": [low, high], **y.get("scale", {})}
        if scale.pop("zero") and "domain" not in y.get("scale", {}):
            scale["domain"] = [min(0.0, low), max(0.0, high)]
        y = {**y, "scale": scale}
    layer: list[Spec] = []
    if rule is not None:
        layer.append(
            {"mark": {"type": "rule", "color": look.faint, "strokeDash": [3, 3]}, "encoding": {"y": {"datum": rule}}}
        )
    if band and count <= BANDS:
        layer.append({"mark": {"type": "area", "opacity": 0.15},
                      "encoding": {"x": x, "y": {**y, "field": band[0]}, "y2": {"field": band[1]},
                                   "color": paint}})  # fmt: skip
        if count > 1:  # edges tell bands apart that lie on each other
            layer += [{"mark": {"type": "line", "strokeWidth": EDGE, "opacity": 0.8},
                       "encoding": {"x": x, "y": {**y, "field": end}, "color": paint, "strokeDash": dash}}
                      for end in band]  # fmt: skip
    layer.append({"mark": {"type": "line", "tooltip": vl.TOOLTIP, "clip": clip},
                  "encoding": {"x": x, "y": y, "color": paint, "strokeDash": dash,
                               "strokeWidth": {**paint, "scale": thick}}})  # fmt: skip
    layer += over
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
        beside = vl.end_labels(lines, x, y, 16 * (top - bottom) / height, top, listed=listed)
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


def covered(names: Sequence[str], values: Floats, places: str = "levels", axis: float | None = None) -> list[str]:
    """Which curves cover each other at most of the levels, and at how many.

    values  levels x curves
    places  what the levels are called
    axis    length of the axis; from 0 to the highest value unless given
    """
    far = NEAR * (float(np.nanmax(values)) if axis is None else axis)

    def near(group: Sequence[int]) -> int:
        """Levels at which a group lies in one place."""
        return int(np.count_nonzero(np.ptp(values[:, group], axis=1) <= far))

    groups: list[list[int]] = []
    for s in range(len(names)):
        together = next((group for group in groups if 2 * near([*group, s]) > len(values)), None)
        if together is None:
            groups.append([s])
        else:
            together.append(s)
    return [f"{vl.listed([vl.short(names[s]) for s in group])} at {near(group):,} of {len(values):,} {places}"
            for group in groups if len(group) > 1]  # fmt: skip


def covering(found: Sequence[str], places: str = "levels") -> str:
    """The curves that cover each other, as a line of a caption; empty where none do.

    places  what the levels are called
    """
    near_by = f"curves that cover each other (within {100 * NEAR:g} % of the axis) at more than half of the {places}"
    return f"\n{near_by}: {'; '.join(found)}" if found else ""


def thicknesses(count: int) -> list[float]:
    """Pixels of so many lines: those drawn later are thinner, so that lines in one place are seen."""
    return [WIDEST - (WIDEST - THINNEST) * i / max(1, count - 1) for i in range(count)]


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
    n = len(power.first)
    # the last above it is kept, so that curves come in at the top
    following = zip(columns["pair"][1:], columns["asl"][1:], strict=True)
    after = [*(1.0 if pair == 1 else asl for pair, asl in following), 1.0]  # pair 1 begins another curve
    at = [i for i, asl in enumerate(columns["asl"]) if asl <= upto or after[i] <= upto]
    if not at:
        raise InputError(f"no pair of systems has a p value up to {upto:g}", f"{argument('upto', 1.0)} draws all pairs")
    known = np.count_nonzero(power.pvalue == power.pvalue, axis=2).ravel().tolist()  # NaN stand last
    columns["pairs"] = [known[i // n] + 1 - pair for i, pair in enumerate(columns["pair"])]
    share = [int(count) for count in power.significant[0].tolist()]
    best = [name for name, count in zip(power.candidates, share, strict=True) if count == max(share)]
    drawn = picked(columns, at)
    first = f" ({power.tests[0]})" if len(power.tests) > 1 else ""
    above = f"above {upto:g} not drawn; " if upto < 1 else ""
    tests = [TESTS[test].partition(";")[0].replace(", permuted within topics", "") for test in power.tests]
    by = f"by {tests[0]}" if len(tests) == 1 else "; ".join(map(": ".join, zip(power.tests, tests, strict=True)))
    drawn_by = ""
    if set(power.tests) & {"randomised-hsd", "bootstrap"}:
        drawn_by = f", {power.resampling.resamples:,} resamples"
    start = _apart_from(drawn, upto)
    flat = ""
    if start > 1:
        most = max(asl for asl, pair in zip(drawn["asl"], drawn["pairs"], strict=True) if pair < start)
        flat = f"; pairs 1 to {start - 1:,}, with an ASL up to {most:.2g} by every metric, not drawn"
    return Sheet(
        columns=drawn,
        title=f"{vl.together(best)} {'tells' if len(best) == 1 else 'tell'} the most pairs of systems apart{first}: "
        f"{max(share):,} of {n:,}"
        if max(share)
        else f"No metric tells any two systems apart{first}",
        subtitle=f"achieved significance level (ASL, the p value) of {plural(n, 'pair')}, "
        f"{by}{drawn_by}; {above}a metric tells apart as many pairs as its line has below "
        f"{power.alpha:g} (thin dashed line){flat}{vl.relevance(power.settings)}"
        f"{_pairs_of_each(power, upto)}",
        words={
            "alpha": power.alpha,
            "upto": upto,
            "start": start,
            "order": [power.candidates[i] for i in sorted(range(len(share)), key=lambda i: -share[i])],
        },
    )


def _pairs_of_each(power: DiscriminativePower, upto: float) -> str:
    """How many pairs each metric tells apart by each test, and what has no line or no ASL, for a caption."""
    names = list(map(vl.short, power.candidates))
    parts, above, unknown = [], [], []
    for test, pvalue, counts in zip(power.tests, power.pvalue, power.significant.tolist(), strict=True):
        by = f" ({test})" if len(power.tests) > 1 else ""
        each = [f"{names[i]} ({counts[i]:,})" for i in sorted(range(len(names)), key=counts.__getitem__, reverse=True)]
        all_or_ends = ", ".join(each) if len(each) <= LABELLED else f"{each[0]} to {each[-1]}"
        parts.append(f"pairs told apart{by}: {all_or_ends}")
        for name, asl in zip(names, pvalue, strict=True):
            if not (asl <= upto).any():
                above.append(f"{name}{by}")
            if (asl != asl).any():
                unknown.append(f"{name}{by} ({np.count_nonzero(asl != asl):,})")
    if above:
        parts.append(f"no line, since no pair has an ASL up to {upto:g}: {vl.listed(above, LABELLED)}")
    if unknown:
        parts.append(f"pairs without an ASL: {vl.listed(unknown, LABELLED)}")
    return "\n" + "; ".join(parts)


def _apart_from(columns: Columns, upto: float) -> int:
    """The first pair to draw: before it no curve is a hundredth of the axis above the smallest ASL.

    Where the whole axis is asked for, all pairs are drawn.
    """
    flat = min(columns["asl"], default=0.0) + upto / 100
    first = min((pairs for pairs, asl in zip(columns["pairs"], columns["asl"], strict=True) if asl > flat), default=1)
    last = max(columns["pairs"])
    start = first - max(1, round(0.05 * (last - first)))
    return start if start > 0.1 * last and upto < 1 else 1


def asl_curves(sheet: Sheet, look: Theme) -> Spec:
    """One line per metric, one panel per test.

    Pairs are counted from the smallest ASL where the column `pairs` does so, else from the largest, as in papers.
    """
    counted = "pairs" in sheet.columns
    name, end = ("pairs", "smallest") if counted else ("pair", "largest")
    places = sheet.columns[name]
    first, last = min(places, default=1), max(places, default=1)
    start = sheet.words["start"] if counted else 1 if first < last / 10 else max(1, first - round(0.02 * last))
    few = {"values": list(range(start, last + 1)), "format": "d"} if last - start <= 10 else {}  # whole pairs
    x = {"field": name, "type": "quantitative", "title": f"pairs of systems, the {end} ASL first",
         "axis": {"grid": False, "tickCount": 6, **few},
         "scale": {"domain": [start, max(start + 1, last)], "nice": False}}  # fmt: skip
    upto, alpha = sheet.words["upto"], sheet.words["alpha"]
    y = vl.quantity("asl", "ASL", scale={"domain": [0, upto], "nice": False}, axis=_levels_axis(upto, alpha))
    several = len(unique(sheet.columns["test"])) > 1
    # names stand in the order in which lines cross the level, from the right
    order = sheet.words.get("order", unique(sheet.columns["measure"]))
    rows = [i for metric in order for i, one in enumerate(sheet.columns["measure"]) if one == metric]
    thinned = _thinned(picked(sheet.columns, rows), upto / 400)
    panels = "test" if several else None
    return curves(replace(sheet, columns=thinned), look, x=x, y=y, by="measure", rule=alpha, panels=panels, clip=True,
                  listed=counted)  # fmt: skip


def _levels_axis(upto: float, alpha: float | None) -> Spec:
    """An axis on which the level has a number, among its multiples where these have room."""
    if alpha is None or upto < alpha:
        return {"tickCount": 5}
    if upto <= 5 * alpha:
        return {"values": [round(i * alpha, 12) for i in range(round(upto / alpha) + 1)]}
    return {"values": [0, alpha, *(i / 5 for i in range(1, 6) if 2 * alpha < i / 5 <= upto)]}


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
        title=_least(
            columns, "tau", f"of the judgments ({study.sampling[0]})", "tau-b with the ranking by the whole pool"
        ),
        subtitle=f"tau-b with the ranking by the whole pool; {extent(study.settings)}{vl.relevance(study.settings)}; "
        f"{_ways(study.sampling)}{_bands(study.settings, columns)}{_hidden(columns, 'tau', 'sampling')}",
        words={
            "x": "judgments left, % of the pool",
            "y": "tau-b",
            "value": "tau",
            "panels": "sampling",
            "percent": True,
        },
    )


def _hidden(columns: Columns, value: str, panels: str = "", *, zero: bool = False) -> str:
    """Which lines over fractions cover each other in which panel, for a caption.

    zero  whether the axis begins at 0
    """
    low, high = _extent(columns, (value,))
    found = []
    for panel in unique(columns[panels]) if panels else [""]:
        drawn = rows_where(columns, panels, panel) if panels else columns
        names, fractions = unique(drawn["candidate"]), unique(drawn["fraction"])
        known = dict(zip(zip(drawn["fraction"], drawn["candidate"], strict=True), drawn[value], strict=True))
        table = np.array([[known.get((at, name)) for name in names] for at in fractions], np.float64)
        found += [f"{text} ({panel})" if panel else text
                  for text in covered(names, table, "fractions", high - (0.0 if zero else low))]  # fmt: skip
    return covering(found, "fractions")


def _ways(sampling: Sequence[str]) -> str:
    """How judgments are drawn, for a caption."""
    known = {"stratified": "drawn from each grade alike", "uniform": "drawn whatever their grade"}
    return "".join(f"{way}: {known[way]}; " for way in sampling)


def removal_sheet(study: Removal) -> Sheet:
    """Mean agreement with the reference by fraction of the labels or topics, with the range over samples."""
    columns = _kept(study.columns(), ("candidate", "level", "fraction", "agreement", "sd", "lowest", "highest"))
    columns["level"] = [LEVELS.get(level, level) for level in columns["level"]]
    whole = f"{vl.short(study.reference)} on all {study.removed}"
    return Sheet(
        columns=columns,
        title=_least(columns, "agreement", f"of the {study.removed}", f"agreement with {whole}"),
        subtitle=f"share of pairs in the order of {whole}, of those that it does not tie; a metric that ties a pair "
        f"does not agree on it; {extent(study.settings)}{vl.relevance(study.settings)}; "
        f"{_bands(study.settings, columns)}{methods(study.candidates)}{_hidden(columns, 'agreement', 'level')}",
        words={
            "x": f"{study.removed} left, %",
            "y": "agreement",
            "value": "agreement",
            "panels": "level",
            "percent": True,
        },
    )


def labels_sheet(ties: TiedRankings) -> Sheet:
    """Share of ties by fraction of the judgments, with the range over samples."""
    if not ties.fractions:
        raise InputError("ties were not counted with fewer judgments", "give fractions=(0.1, 0.2, ...) to `ties`")
    columns = _kept(ties.columns("labels"), ("candidate", "fraction", "share", "sd", "lowest", "highest"))
    return Sheet(
        columns=columns,
        title=_changed(columns),
        subtitle=f"share of {plural(ties.compared, 'pair')} of lists of two systems on one topic that tie"
        f"{vl.relevance(ties.settings)}; {_bands(ties.settings, columns)}{methods(ties.candidates)}"
        f"{_hidden(columns, 'share', zero=True)}",
        words={
            "x": "judgments left, %",
            "y": "share tied",
            "value": "share",
            "panels": None,
            "percent": True,
            "zero": True,
        },
    )


def methods(names: Sequence[str]) -> str:
    """What methods of lexiprecision among some names are."""
    known = {name: _LEXIPRECISION[name.partition("@")[0]] for name in names if name.partition("@")[0] in _LEXIPRECISION}
    listed = ", ".join(f"{name} {what}" for name, what in known.items())
    return f"\n{LEXIPRECISION}: {listed}" if known else ""


def _changed(columns: Columns) -> str:
    """Which candidates' shares of ties the judgments change most and least, from the fewest to the most of them."""
    ends = [rows_where(columns, "fraction", pick(columns["fraction"])) for pick in (min, max)]
    few, many = (100 * end["fraction"][0] for end in ends)
    if few == many:
        return _least(columns, "share", "of the judgments", "share of pairs that tie")
    shares = {
        name: (before, after)
        for name, before, after in zip(ends[0]["candidate"], ends[0]["share"], ends[1]["share"], strict=True)
    }

    if max(abs(after - before) for before, after in shares.values()) < 0.005:
        return _least(columns, "share", "of the judgments", "share of pairs that tie")
    text = {
        name: f"{low} at both ends" if low == high else f"{low} to {high}"
        for name, (low, high) in ((name, map(_two_decimals, pair)) for name, pair in shares.items())
    }
    by_change = sorted(shares, key=lambda name: abs(shares[name][1] - shares[name][0]))
    least, most = ([name for name in shares if text[name] == text[end]] for end in (by_change[0], by_change[-1]))
    title = f"From {few:g} % to {many:g} % of the judgments, the share of pairs that tie"
    if most == least:
        return f"{title}: {vl.together(most)} {text[most[0]]}"
    return (
        f"{title} changes most for {vl.together(most)} ({text[most[0]]}), least for {vl.together(least)} "
        f"({text[least[0]]})"
    )


def _least(columns: Columns, value: str, part: str, what: str) -> str:
    """The range of a value over candidates at the smallest fraction: of every level, of the first kind of sampling."""
    rows = rows_where(columns, "fraction", min(columns["fraction"]))
    if "sampling" in rows:
        rows = rows_where(rows, "sampling", rows["sampling"][0])
    levels = unique(rows["level"]) if "level" in rows else []
    if len(levels) > 1:
        whole, *others = (_least(rows_where(columns, "level", level), value, part, what) for level in levels)
        ranges = [
            f"{level}: {each.rpartition(f'{what} is ')[2]}" for level, each in zip(levels[1:], others, strict=True)
        ]
        return "; ".join([whole, *ranges])
    part += "".join(f", {level}" for level in levels)
    known = [(number, name) for number, name in zip(rows[value], rows["candidate"], strict=True) if number == number]
    if not known:
        return f"{what.capitalize()} is not defined with {100 * rows['fraction'][0]:g} % {part}"
    low, high = (_two_decimals(number) for number, _ in (min(known), max(known)))
    first, last = ([name for number, name in known if _two_decimals(number) == end] for end in (low, high))
    if low == high:
        span = f"{low} ({', '.join(map(vl.short, first)) if len(first) <= 3 else f'all {len(first):,}'})"
    else:
        span = f"from {low} ({vl.together(first)}) to {high} ({vl.together(last)})"
    return f"With {100 * rows['fraction'][0]:g} % {part}: {what} is {span}"


def _two_decimals(number: float) -> str:
    """A number to two decimals, or its first digit where these would show nothing but 0; 0 itself has no decimals.

    >>> _two_decimals(0.0), _two_decimals(0.25), _two_decimals(0.0043)
    ('0', '0.25', '0.004')
    """
    return "0" if number == 0 else f"{number:.2f}" if abs(number) >= 0.005 else f"{number:.1g}"


def fractions(sheet: Sheet, look: Theme) -> Spec:
    """One line per candidate over fractions, with bands where lines are few."""
    words = sheet.words
    unit = 100 if words.get("percent") else 1
    places = [unit * fraction for fraction in sheet.columns["fraction"]]
    low, high = min(places), max(places)
    # the title is of the lowest, so it has a number; so has the other end
    between = [unit * i / 5 for i in range(6) if low + unit / 10 <= unit * i / 5 <= high - unit / 10]
    tried = unique(places)
    ticks = tried if len(tried) <= TRIED else unique([low, *between, high])
    x = {"field": "place", "type": "quantitative", "title": words["x"],
         "scale": {"domain": [low, max(high, low + unit / 100)], "nice": False},
         "axis": {"grid": False, "values": ticks,
                  "labelExpr": "format(datum.value, '~g')"}}  # fmt: skip
    band = ("lowest", "highest")
    few = len(unique(sheet.columns["candidate"])) <= BANDS
    bottom, top = _extent(sheet.columns, (words["value"], *(band if few else ())))
    step = next((step for step in (0.01, 0.02, 0.05, 0.1) if top - bottom <= 5 * step), 0.2)
    ends = [0 if words.get("zero") else floor(bottom / step + 1e-9), ceil(top / step - 1e-9)]
    y = {"field": words["value"], "type": "quantitative", "title": words["y"],
         "scale": {"domain": [round(end * step, 2) for end in ends], "nice": False},
         "axis": {"values": [round(i * step, 2) for i in range(ends[0], ends[1] + 1)]}}  # fmt: skip
    panels = words["panels"]
    if panels and len(unique(sheet.columns[panels])) == 1:
        panels = None
    sheet = replace(sheet, columns={**sheet.columns, "place": places})
    return curves(sheet, look, x=x, y=y, by="candidate", band=band, panels=panels)


def levels_sheet(ties: TiedRankings) -> Sheet:
    """By recall level: pairs that tie there, and pairs that lexiprecision has decided by then."""
    table = ties.columns("levels")
    last = _last_change(table)
    rows = [
        (level, what, share)
        for key, what in (("tied", "tied at this level"), ("decided_of_all", "decided by this level"))
        for level, share in zip(table["level"][:last], table[key][:last], strict=True)
    ]
    deepest = max(table["level"])
    same = f"; levels {last + 1} to {deepest}, which change nothing, not drawn" if last < deepest else ""
    fewest = min(table["pairs"][:last])
    level = table["pairs"].index(fewest) + 1
    where = f"from level {level} on" if level < last else f"at level {level}"
    fewer = f" (down to {fewest:,} pairs {where})" if fewest < ties.compared else ""
    title, at = _decided(ties, last)
    decided = int(ties.deciding.sum())
    return Sheet(
        columns=columns_of(("level", "what", "share"), rows),
        title=title,
        subtitle="recall level i: where the i-th relevant document of a list is; decided: of "
        f"{plural(ties.compared, 'pair')} of lists of two systems on one topic, "
        f"{percent(decided / ties.compared, 1)} % at all levels together; tied at level i: of those on topics with at "
        f"least i relevant documents{fewer}: both lists have their i-th relevant document at the same rank, "
        f"or neither has one{same}{vl.relevance(ties.settings)}; {LEXIPRECISION}",
        words={"at": at},
    )


def _last_change(table: Columns) -> int:
    """The last level at which a line differs from its end by what could be seen."""
    drawn = [table[key] for key in ("tied", "decided_of_all")]
    ends = [next((share for share in reversed(line) if share is not None), None) for line in drawn]
    moved = [level for level, *shares in zip(table["level"], *drawn, strict=True)
             if any(None not in (share, end) and abs(share - end) > 0.0005
                    for share, end in zip(shares, ends, strict=True))]  # fmt: skip
    return min(max(moved, default=1) + 1, len(table["level"]))


def _decided(ties: TiedRankings, deepest: int) -> tuple[str, tuple[int, float] | None]:
    """Share of the pairs that lexiprecision decides by the level that nine tenths of these are decided by; where.

    deepest  level that is drawn; where nine tenths are not decided by then, it is this level
    """
    decided = int(ties.deciding.sum())
    if not decided:
        return "Lexiprecision decides none of the pairs of lists", None
    by_level = np.cumsum(ties.deciding)
    level = min(deepest, int(np.searchsorted(by_level, 0.9 * decided)) + 1)
    share = float(by_level[level - 1]) / ties.compared
    return f"Lexiprecision decides {percent(share, 1)} % of the pairs of lists by recall level {level}", (level, share)


def levels(sheet: Sheet, look: Theme) -> Spec:
    last = max(sheet.columns["level"])
    step = 1 if last <= 8 else 5
    ticks = [1, *(tick for tick in range(0, last + 1, step) if tick > 1)]
    x = {"field": "level", "type": "quantitative", "title": "recall level", "axis": {"grid": False, "values": ticks},
         "scale": {"domain": [1, max(2, last)], "nice": False}}  # fmt: skip
    y = {"field": "share", "type": "quantitative", "title": "share of pairs", "scale": {"domain": [0, 1]},
         "axis": dict(vl.PER_CENT)}  # fmt: skip
    over: list[Spec] = []
    if sheet.words.get("at"):  # the number in the title
        level, share = sheet.words["at"]
        at = {"x": {**x, "field": "level"}, "y": {**y, "field": "share"}}
        data = vl.values({"level": [level], "share": [share], "text": [f"{percent(share, 1)} %"]})
        text = {"type": "text", "baseline": "bottom", "dy": -6, "clip": False,
                "align": "right" if level > 0.8 * last else "left" if level < 0.2 * last else "center"}  # fmt: skip
        over = [
            {"data": data, "mark": vl.dot(50, look.ink), "encoding": at},
            {"data": data, "mark": text, "encoding": {**at, "text": {"field": "text", "type": "nominal"}}},
        ]
    return curves(sheet, look, x=x, y=y, by="what", over=over)


def first_rank_sheet(ties: TiedRankings) -> Sheet:
    """By the rank of the first relevant document: how likely another list has it there too; rare ranks are left out."""
    table = ties.columns("first")
    every = sum(table["pairs"])
    known = [i for i, rank in enumerate(table["rank"]) if rank is not None]
    at = [i for i in known if table["pairs"][i] >= RARE * every]
    rare = sum(table["pairs"][i] for i in known if i not in at)
    left_out = [
        f"lists without a relevant document, {percent(table['pairs'][i] / every, 1)} % of all, which tie with "
        f"{percent(table['tied'][i])} % of others"
        for i, rank in enumerate(table["rank"])
        if rank is None
    ]
    if rare:
        left_out.append(
            f"ranks that less than {100 * RARE:g} % of the lists have, {percent(rare / every, 1)} % together"
        )
    shown = picked(table, at)
    size = ""
    if at:
        areas = _areas(shown["pairs"])
        largest = f"the largest {percent(areas.most / every)} % of all"
        size = f"; area of a circle: number of comparisons of a list with another on its topic{areas.words}, {largest}"
    return Sheet(
        columns=shown,
        title=_usual_tie(shown),
        subtitle="probability that the list of another system has its first relevant document at the same rank, which "
        f"is a tie in RR{vl.relevance(ties.settings)}{size}" + "".join(f"; not drawn: {part}" for part in left_out),
    )


def _usual_tie(table: Columns) -> str:
    """The most frequent rank of the first relevant document, and how likely another list ties there."""
    if not table["rank"]:
        return "No list has a relevant document"
    most = max(range(len(table["rank"])), key=lambda i: table["pairs"][i])
    rank, tied = table["rank"][most], table["tied"][most]
    return (
        f"The first relevant document is most often at rank {rank}; RR ties such a list with {percent(tied)} % of the "
        "other lists on its topic"
    )


def _areas(pairs: Sequence[int]) -> vl.Areas:
    """Areas of circles by their pairs: each list with every other one on its topic."""
    return vl.Areas.of(pairs, 300, 300, 20)


def _round_ranks(last: int) -> list[int]:
    """Ticks of a logarithmic axis of ranks: round numbers, and the last rank where its label has room.

    >>> _round_ranks(126), _round_ranks(180)
    ([1, 2, 5, 10, 20, 50, 100], [1, 2, 5, 10, 20, 50, 100, 180])
    """
    ticks = [tick for e in range(len(str(last))) for m in (1, 2, 5) if (tick := m * 10**e) <= last]
    room = log(last / ticks[-1]) / log(last)  # as a share of the axis
    return [*ticks, last] if room >= LABEL else ticks


def first_rank(sheet: Sheet, look: Theme) -> Spec:
    ranks = sheet.columns["rank"]
    last = max([2, *ranks])
    ticks = ranks if len(ranks) <= FEW_RANKS else _round_ranks(last)
    x = {"field": "rank", "type": "quantitative", "title": "rank of the first relevant document (logarithmic)",
         "scale": {"type": "log", "nice": False, "domain": [1, last], "padding": 14},
         "axis": {"grid": False, "values": ticks, "labelOverlap": "greedy"}}  # fmt: skip
    y = {"field": "tied", "type": "quantitative", "title": "probability of a tie", "axis": dict(vl.PER_CENT),
         "scale": {"domain": [0, max([0.1, *sheet.columns["tied"]])], "nice": False, "padding": 10}}  # fmt: skip
    size = _areas(sheet.columns["pairs"]).channel("pairs", "comparisons")
    if "legend" in size:  # as the circles are drawn
        size["legend"] |= {"symbolFillColor": look.ink, "symbolStrokeWidth": 0, "symbolOpacity": SEEN_THROUGH}
    return {
        "data": vl.values(sheet.columns), "width": 400, "height": 220,
        "mark": {"type": "point", "filled": True, "opacity": SEEN_THROUGH, "color": look.ink, "tooltip": vl.TOOLTIP,
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
        subtitle="RR at recall level i: reciprocal rank of the i-th relevant document; Pearson's correlation, over "
        "pairs of lists on one topic, of their difference in RR at one level with that at another; "
        f"{extent(study.settings)}{vl.relevance(study.settings)}",
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
        f"Correlation of neighbouring recall levels: {vl.span(f'{near.min():.2f}', f'{near.max():.2f}')}; "
        f"of levels 1 and {last}: "
        f"{study.correlation[0, -1]:.2f}"
    )


def _bands(settings: Mapping[str, Any], columns: Columns) -> str:
    """What is drawn of samples; the widest range where lines are too many for bands."""
    samples = settings["resamples"]
    if samples == 1:
        return "one sample"
    if len(unique(columns["candidate"])) <= BANDS:
        ranges = zip(columns["lowest"], columns["highest"], strict=True)
        if max((high - low for low, high in ranges if None not in (low, high)), default=0.0) < 0.01:
            return f"lines: mean of {samples:,} samples, which range over less than 0.01"
        return f"lines: mean, bands: range of {samples:,} samples"
    panel = next((columns[name] for name in ("sampling", "level") if name in columns), [""] * len(columns["lowest"]))
    ends = zip(columns["lowest"], columns["highest"], columns["candidate"], columns["fraction"], panel, strict=True)
    known = [end for end in ends if end[0] is not None and end[1] is not None]
    if not known:
        return f"lines: mean of {samples:,} samples"
    low, high, name, fraction, where = max(known, key=lambda end: end[1] - end[0])
    of = f" ({where})" if len(set(panel)) > 1 else ""
    return (
        f"lines: mean of {samples:,} samples; widest range of samples: {_two_decimals(low)} to {_two_decimals(high)}, "
        f"{vl.short(name)} at {100 * fraction:g} %{of}"
    )


def _kept(columns: Columns, names: Sequence[str]) -> Columns:
    return {name: columns[name] for name in names}
