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
from rankscope.figures.chart import LETTERS, NARROW, Columns, Sheet, columns_of, picked, rows_where, unique
from rankscope.figures.curves import LABELLED, curves
from rankscope.figures.letters import text_width
from rankscope.figures.theme import Spec, Theme
from rankscope.formatting import minus
from rankscope.studies import (
    ConsistencyStudy,
    DiscriminativePower,
    Similarity,
)
from rankscope.studies.base import threshold
from rankscope.studies.power import TESTS

PRINTED, SPACED = 9, 6  # metrics up to which a heat map prints intervals, and these with brackets
NUMBERED = 16  # and numbers
_TESTS = {"topics": "jackknife over topics, Holm", "splits": "permutation test over splits"}


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
        f"above it the mean over {_ordered_by_both(rows, len(study.topics))}{threshold(study.settings)}",
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
        f"{_depths(columns['measure'])}{threshold(study.settings)};\n"
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
        f"{power.alpha:g} (thin dashed line){flat}{threshold(power.settings)}"
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
