"""Rows of points in panels side by side: scorecards, alternatives, scales, properties, disagreement as it occurs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from rankscope.arguments import whole_number
from rankscope.errors import InputError, argument, plural
from rankscope.figures import vega as vl
from rankscope.figures.chart import Columns, Sheet, columns_of, first_sentence, picked, rows_where, unique
from rankscope.figures.theme import Spec, Theme
from rankscope.formatting import p_value, percent
from rankscope.studies import Alternatives, ScalesInPractice, Scorecard
from rankscope.studies.alternatives import CONSISTENCY, POWER
from rankscope.studies.columns import COLUMNS
from rankscope.studies.scales import TESTS
from rankscope.studies.scorecard import BEHIND, LEADS, LEVEL, UNTESTED
from rankscope.universe import Buckets, Frequencies
from rankscope.universe.two_measures.buckets import BUCKETS

BETTER, ALIKE, OTHERWISE = "ranks alike, better", "ranks alike, no better", "ranks otherwise"
SHAPES = ("circle", "square", "triangle-up", "diamond")
PAIRS = 40  # of measures, drawn unless fewer are asked for
_UNITS = {"power": "power, %", "tied": "tied, %", "ipso": "as IPSO, %"}
_KEYS = ("row", "panel", "value", "mark")
BETTER_WHERE = {column.heading: column.better for column in COLUMNS if column.better}
"""Columns of a scorecard in which one can be better: 1 where more is, -1 where less is."""


def scorecard_sheet(card: Scorecard) -> Sheet:
    """One row per candidate and column in which one can be better: its value, and how it stands to the leader there."""
    panels = [name for name in BETTER_WHERE if name in card.rows]
    if not panels:
        cure = f"add one of power, consistency, incompleteness, ties, agreement to {argument('studies')}"
        raise InputError("none of these studies says which candidate is better", cure)
    rows = []
    for name in panels:
        standing = card.standings(name)
        rows += [
            (candidate, _UNITS.get(name, name), float(value), standing[candidate])
            for candidate, value in zip(card.candidates, card.rows[name], strict=True)
            if value is not None
        ]
    way = {_UNITS.get(name, name): "better \u2192" if BETTER_WHERE[name] > 0 else "\u2190 better" for name in panels}
    texts = {"scale": dict(zip(card.candidates, card.rows["scale"], strict=True))} if "scale" in card.rows else {}
    kinds = f"; scale: {_kinds(texts['scale'].values())}" if texts else ""
    s = card.settings
    caution = "".join(f"\ncaution: {text}" for text in card.warnings)
    return Sheet(
        columns=columns_of(_KEYS, rows),
        title=first_sentence(card.answer(named=5)),
        subtitle=f"{plural(s['n_systems'], 'system')}, {plural(s['n_topics'], 'topic')}; told apart: "
        f"randomised Tukey HSD, p < {card.alpha:g}; differences in power and agreement with IPSO have no "
        f"test{kinds}{caution}",
        words={"marks": [LEADS, LEVEL, BEHIND, UNTESTED], "standing": True, "below": way, "texts": texts},
    )


def _kinds(scales: Iterable[str | None]) -> str:
    """What the words for scales are, in words."""
    known = {scale or "" for scale in scales}
    words = "kind of scale of the scores"
    words += " (neither: not even ordinal)" if "neither" in known else ""
    return words + (", none where a bare ranking has no score" if "" in known else "")


def alternatives_sheet(result: Alternatives) -> Sheet:
    """One row per metric and what it is held against the canonical one of its family in."""
    rows = []
    for metric in result.rows:
        better = metric.improves(result.similar, result.alpha)
        other = ALIKE if metric.tau >= result.similar else OTHERWISE
        cells = {
            "tau": (metric.tau, bool(better)),
            "consistency": (metric.consistency, CONSISTENCY in better),
            "pairs told apart": (float(metric.gained - metric.lost), POWER in better),
        }
        rows += [(metric.measure, name, value, BETTER if so else other) for name, (value, so) in cells.items()]
    usual = ", ".join(unique(vl.short(metric.canonical) for metric in result.rows))
    return Sheet(
        columns=columns_of(_KEYS, rows),
        title=_replaceable(result),
        subtitle=f"against {usual}: tau of the rankings of systems; difference of consistency; pairs told apart, "
        f"gained minus lost. Better: tau from {result.similar:g}, and more consistent (p < {result.alpha:g}) or more "
        "pairs gained than lost, not tested",
        words={
            "marks": [BETTER, ALIKE, OTHERWISE], "standing": True,
            "rules": {"tau": result.similar, "consistency": 0.0, "pairs told apart": 0.0},
            "below": {"tau": f"with {usual}", "consistency": "difference", "pairs told apart": "gained minus lost"},
        },
    )  # fmt: skip


def scales_sheet(scales: ScalesInPractice) -> Sheet:
    """One row per metric, version and test: share of the pairs of systems that differ significantly."""
    significance = scales.figures()["significance"]
    words = {"original": "as it is", "interval": "interval-scaled"}
    label = {metric: f"{metric} ({scales.scale_of(metric)})" for metric in scales.measures}
    columns: Columns = {
        "row": [label[metric] for metric in significance["measure"]],
        "panel": significance["test"],
        "value": [100 * share for share in significance["share"]],
        "mark": [words[version] for version in significance["version"]],
    }
    return Sheet(
        columns=columns,
        title=_moved(significance),
        subtitle=f"per cent of {plural(scales.significant.shape[-1], 'pair')} of systems with p < {scales.alpha:g} by "
        f"Tukey's HSD after {TESTS[0]} and after {TESTS[1]}; {plural(scales.settings['n_topics'], 'topic')}; "
        f"in brackets: {_kinds(map(scales.scale_of, scales.measures))}, as it is",
        words={"marks": list(words.values()), "joined": True, "x": "% of pairs"},
    )


def buckets_sheet(result: Buckets) -> Sheet:
    """One row per property and bucket: mean disagreement of two measures of which both, one or neither has it."""
    table = result.columns()
    columns: Columns = {
        "row": table["property"],
        "panel": [""] * len(table["mean"]),
        "value": table["mean"],
        "mark": [BUCKETS[name] for name in table["bucket"]],
        "pairs": table["pairs"],
    }
    defined = [i for i, value in enumerate(columns["value"]) if value == value]
    tests = [tested for tested in result.properties if tested.pvalue == tested.pvalue]
    notes = {tested.name: p_value(tested.pvalue, exact=False) for tested in tests}
    return Sheet(
        columns=picked(columns, defined),
        title=result.answer().rstrip(".").replace(". Mean", ": mean"),
        subtitle=f"{result.where}; {plural(len(result.measures), 'measure')}\n"
        "mean disagreement of two of them; p by analysis of variance, to be taken with care: pairs share measures",
        words={"marks": list(BUCKETS.values()), "joined": True, "x": "% of pairs of rankings", "notes": notes},
    )


def occurrence_sheet(result: Frequencies, *, pairs: int = PAIRS) -> Sheet:
    """One row per two measures and kind: how often they disagree on all rankings, on lists that occur, on means.

    pairs  of measures, those that disagree most on lists; 40 by default
    """
    whole_number("pairs", pairs)
    table = result.columns()
    kinds = {
        "possible_percent": "all rankings", "any_percent": "lists that occur", "means_any_percent": "means of systems",
    }  # fmt: skip
    order = sorted(range(len(table["a"])), key=lambda i: (-table["any_percent"][i], i))
    rows = [
        (f"{table['a'][i]}, {table['b'][i]}", "", table[key][i], word)
        for i in order[:pairs]
        for key, word in kinds.items()
        if table[key][i] is not None
    ]
    fewer = ""
    if pairs < len(order):
        fewer = f"; the {pairs:,} of {len(order):,} pairs of measures that disagree most on lists"
    return Sheet(
        columns=columns_of(_KEYS, rows),
        title=_occurring(table, order),
        subtitle=f"how often two measures order differently: all possible rankings, lists of two systems on one "
        f"topic, means over topics; {plural(result.n_systems, 'system')}, {plural(result.n_topics, 'topic')}, "
        f"depth {result.depth}{fewer}",
        words={"marks": list(kinds.values()), "joined": True, "x": "% of pairs"},
    )


def _replaceable(result: Alternatives) -> str:
    """How many metrics rank like the canonical one and are better, and in what."""
    usual = "the usual one" if len({row.canonical for row in result.rows}) > 1 else vl.short(result.rows[0].canonical)
    if not result.better:
        return f"No metric that ranks systems like {usual} is shown to be more consistent or tells more pairs apart"
    named: dict[str, list[str]] = {}
    for row in result.better:
        named.setdefault(" and ".join(row.improves(result.similar, result.alpha)), []).append(vl.short(row.measure))
    listed = [
        f"{', '.join(names) if len(names) <= 3 else plural(len(names), 'metric')} in {what}"
        for what, names in named.items()
    ]
    return f"Ranking systems like {usual}, and better: {'; '.join(listed)}"


def _moved(significance: Columns) -> str:
    """The metric and test whose share of significant pairs the interval scale moves most."""
    shares: dict[tuple[str, str], dict[str, float]] = {}
    for metric, test, version, share in zip(*(significance[k] for k in ("measure", "test", "version", "share")),
                                            strict=True):  # fmt: skip
        shares.setdefault((metric, test), {})[version] = share
    moves = {key: both["interval"] - both["original"] for key, both in shares.items() if len(both) == 2}
    if not moves:
        return "None of these metrics has an interval-scaled version here"
    most = f"{100 * max(moves.values(), key=abs):+.1f}"
    moved = [f"{metric}, {test}" for (metric, test), move in moves.items() if f"{100 * move:+.1f}" == most]
    return f"An interval scale moves the share of pairs told apart by up to {most} points: {vl.together(moved)}"


def _occurring(table: Columns, order: Sequence[int]) -> str:
    """How often the two measures that disagree most on lists do so, on lists and on means."""
    first = order[0]
    lists, means = table["any_percent"][first], table["means_any_percent"][first]
    pair = f"{vl.short(table['a'][first])} and {vl.short(table['b'][first])}"
    on_lists, on_means = (f"{percent(share / 100, 1)} % of the pairs of" for share in (lists, means))
    return f"{pair} disagree on {on_lists} lists, and on {on_means} means"


def dots(sheet: Sheet, look: Theme) -> Spec:
    """One panel per column, one point per row and mark."""
    words = sheet.words
    names, panels = unique(sheet.columns["row"]), unique(sheet.columns["panel"])
    marks = [mark for mark in words["marks"] if mark in sheet.columns["mark"]]
    standing = bool(words.get("standing"))
    tones = dict(zip(words["marks"], (look.ink, look.ground, look.faint, look.rule) if standing else look.lines,
                     strict=False))  # fmt: skip
    shapes = dict(zip(words["marks"], SHAPES if not standing else ("circle", "circle", "triangle-down", "square"),
                      strict=False))  # fmt: skip
    edge = look.ink if standing else look.ground
    legend = {"title": None, "columns": vl.across(marks, width=380), "symbolStrokeColor": edge,
              "symbolStrokeWidth": 1, "symbolSize": 100}  # fmt: skip
    mark = {"field": "mark", "type": "nominal", "legend": legend}
    colour = {**mark, "scale": {"domain": marks, "range": [tones[cells] for cells in marks]}}
    shape = {**mark, "scale": {"domain": marks, "range": [shapes[cells] for cells in marks]}}
    many = len(names) > 30
    # later ones are smaller, so that no point hides another
    sizes = [80, 80, 80, 80] if standing else [130, 90, 50] if many else [200, 110, 50]
    size = {**mark, "legend": None, "scale": {"type": "ordinal", "domain": marks, "range": sizes[: len(marks)]}}
    height = (13 if many else 19) * len(names)
    width = {1: 300, 2: 150, 3: 110, 4: 80}.get(len(panels), 62)
    y: Spec = {"field": "row", "type": "ordinal", "title": None, **vl.ordered(names)}
    axis = vl.names_axis(names, labelLimit=220, labelPadding=8, labelFontSize=11 if many else 13)
    parts: list[Spec] = []
    for i, panel in enumerate(panels):
        cells = rows_where(sheet.columns, "panel", panel)
        title = [part for part in (panel, words.get("below", {}).get(panel)) if part] or words.get("x")
        x: Spec = {"type": "quantitative", "title": title,
                   # shares begin at 0, and there are none below it
                   "scale": {"zero": "x" in words, "nice": False, "padding": 8},
                   "axis": {"grid": False, "tickCount": 6 if width > 200 else 3, "titleFontSize": 12,
                            "labelFontSize": 12}}  # fmt: skip
        if words.get("rules", {}).get(panel) == 0.0:  # signs matter, so 0 has a label
            x |= vl.signed(cells["value"], title, 2, titleFontSize=12, labelFontSize=12, format="~f")
            x["axis"]["values"] = _around_0(x, 70 if "narrow" in words else width)
        if words.get("x") and panel:
            x["title"] = [panel, words["x"]]
        y_axis = {**y, "axis": axis if i == 0 else {**axis, "labels": False}}
        layer: list[Spec] = []
        if panel in words.get("rules", {}):
            layer.append({"mark": {"type": "rule", "color": look.faint, "strokeDash": [4, 3]},
                          "encoding": {"x": {"datum": words["rules"][panel]}}})  # fmt: skip
        if words.get("joined"):
            layer.append({"mark": {"type": "rule", "color": look.faint, "strokeWidth": 1.5},
                          "encoding": {"y": y_axis, "x": {"aggregate": "min", "field": "value", **x},
                                       "x2": {"aggregate": "max", "field": "value"}}})  # fmt: skip
        layer.append({"mark": {"type": "point", "filled": True, "opacity": 1, "stroke": edge,
                               "strokeWidth": 1 if standing else 0.7, "tooltip": vl.TOOLTIP},
                      "encoding": {"y": y_axis, "x": {"field": "value", **x}, "color": colour, "shape": shape,
                                   "size": size}})  # fmt: skip
        parts.append({"data": vl.values(cells), "width": width, "height": height, "layer": layer})
    for title, notes in {**words.get("texts", {}), "": words.get("notes")}.items():
        if notes:
            parts.append(_text(names, notes, title, y, height))
    return {"hconcat": parts, "spacing": 10, "resolve": {"scale": {"y": "shared"}}} if len(parts) > 1 else parts[0]


def _around_0(x: Spec, width: float) -> list[float]:
    """Ticks of a narrow panel: 0, the one furthest from it, and the furthest on the other side where there is room."""
    ticks, (low, high) = x["axis"]["values"], x["scale"]["domain"]
    first = max(ticks, key=abs)
    other = min(ticks) if first > 0 else max(ticks)
    room = abs(other) / (high - low) * (width - 2 * x["scale"]["padding"]) >= 11 + 3.5 * len(f"{other:g}")
    return sorted({0.0, first, other} if room else {0.0, first})


def _text(names: Sequence[str], words: dict[str, Any], title: str, y: Spec, height: int) -> Spec:
    """A column of words beside the panels."""
    text: Columns = {"row": list(names), "text": [words.get(name) or "" for name in names]}
    head = {"title": {"text": title, "fontWeight": "normal", "fontSize": 12, "orient": "bottom", "anchor": "start",
                      "frame": "group"}} if title else {}  # fmt: skip
    return {
        "data": vl.values(text), "width": 54, "height": height, **head,
        "mark": {"type": "text", "align": "left", "fontSize": 12},
        "encoding": {"y": {**y, "axis": None}, "x": {"value": 0}, "text": {"field": "text", "type": "nominal"}},
    }  # fmt: skip
