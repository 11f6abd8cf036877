"""The strips of Figures 5 and 6 of Moffat and Mackenzie (2024): lists, classes by rank, differences of metrics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import ceil
from typing import Any

import numpy as np

from rankscope.arrays import PADDING, UNJUDGED
from rankscope.comparisons import Comparison
from rankscope.comparisons.metric_mapping import A_AHEAD, B_AHEAD, EQUAL
from rankscope.comparisons.topic_differences import topic_differences
from rankscope.errors import InputError, plural
from rankscope.figures import vega as vl
from rankscope.figures.chart import Columns, Sheet, columns_of, rows_where, unique
from rankscope.figures.theme import OUTCOMES, UNDECIDED, Spec, Theme, relevance_step
from rankscope.judged.subsets import rows_of
from rankscope.measures import Measure
from rankscope.preferences import LABELS, Ipso, Serps
from rankscope.preferences.classes import EQUAL as CLASS_EQUAL
from rankscope.preferences.classes import NON_SEPARABLE, rows_in_order
from rankscope.preferences.serps import METRICS
from rankscope.statistics.equality import PRECISION

RELEVANT, NOT_RELEVANT, NOT_JUDGED = ("relevant", "not relevant", "unjudged")
SECTIONS = (f"{UNDECIDED} after {B_AHEAD}", B_AHEAD, EQUAL, A_AHEAD, f"{UNDECIDED} after {A_AHEAD}")
"""The groups of Figure 5 from the top, in the words of the legend."""
FEW = 60  # rows up to which topics are named and differences printed
LESS, WHO = "B - A", "who scores higher"
SAME = "under 0.005"
HIGHER = {A_AHEAD: "A scores higher", B_AHEAD: "B scores higher", EQUAL: SAME}
"""Classes of a difference of one metric, which is no statement about all metrics, in paler colours than these."""
DRAWN = 250  # rows that are drawn, so that none is thinner than 2 px
CELLS = 20  # ranks up to which each has its own cell
_ROWS, _GAP = 500, 28  # px: all rows together, about, and between the sections of rows without names
_TALLEST, _NAMED, _LEAST = 17.0, 11.5, 2.0  # px: a row of few, one with a name, any other
_SHORTER, _NAMED_NARROW = 0.72, 10.8  # in a column: heights of rows without names, and px of one with a name
_WIDE = 444  # px: names and the only panel, where there is but one


def ipso_sheet(ipso: Ipso) -> Sheet:
    """Classes by topic and rank, in the order of Figure 5."""
    return _sheet(thinned(ipso), "topic", of=ipso)


def thinned(ipso: Ipso) -> Ipso:
    """The topics that are drawn: all up to `DRAWN`, else so many, evenly spaced in the order of Figure 5."""
    count = len(ipso.topics)
    if count <= DRAWN:
        return ipso
    mixed, equal = (np.count_nonzero(ipso.path == code, axis=-1) for code in (NON_SEPARABLE, CLASS_EQUAL))
    up = np.where(ipso.group <= 2, 1, -1)
    order = np.lexsort((equal * up, -mixed * up, ipso.group))
    rows = order[np.linspace(0, count - 1, DRAWN).round().astype(int)]
    return replace(ipso, topics=tuple(ipso.topics[row] for row in rows.tolist()), path=ipso.path[rows])


def _sheet(ipso: Ipso, row: str, of: Ipso | None = None) -> Sheet:
    """A sheet of the rows that are drawn, `of` all that there are."""
    a, b = map(vl.short, ipso.systems)
    return Sheet(
        columns=_paths(ipso),
        title=_title(of or ipso, row, a, b),
        subtitle=_counted(of or ipso, row, len(ipso.topics)),
        more={"rows": _rows(ipso)},
        words={"A": a, "B": b, "counts": _counts(of or ipso)},
    )


def _title(ipso: Ipso, row: str, a: str, b: str) -> str:
    """On how many topics each system is ahead for all metrics, and how many are left to metrics."""
    later, for_b, equal, for_a, sooner = ipso.counts[-1].tolist()
    a, b = (name if name == letter else f"{name} ({letter})" for name, letter in ((a, "A"), (b, "B")))
    (most, ahead), (least, other) = ((for_b, b), (for_a, a)) if for_b >= for_a else ((for_a, a), (for_b, b))
    rest = [f"{count:,} {word}" for count, word in ((equal, EQUAL), (later + sooner, UNDECIDED)) if count]
    return f"IPSO: {ahead} is ahead on {most:,} of {plural(len(ipso.topics), row)}, {other} on {least:,}" + "".join(
        f"; {part}" for part in rest
    )


def comparison_sheet(comparison: Comparison, *, measures: Sequence[str | Measure] | None = None) -> Sheet:
    """The same beside both lists and the differences B - A of the metric that decides and of others.

    measures  instead of those that `compare` looks at
    """
    judged = comparison.scored.judged
    if comparison.without is None or judged is None:
        raise InputError("strips without IPSO", "strips show lists, and relevant documents in them")
    ipso = thinned(comparison.without.ipso)
    topics = rows_of(ipso.topics, judged.topics)
    names, apart = topic_differences(comparison.scored, measures, topics)
    code = judged.code[:, topics, : ipso.depth]
    sheet = ipso_sheet(comparison.without.ipso)
    shares = ipso.order.share(np.arange(2, 2 + len(judged.grades))).tolist()
    relevant = [(grade, share) for grade, share in zip(judged.grades, shares, strict=True) if share > 0]
    words = _grade_words(relevant)
    lists = _lists(ipso, ipso.order.share(code), code == UNJUDGED, code == PADDING, words)
    differences = _differences(ipso, list(names), apart.T)
    return replace(
        sheet, subtitle=sheet.subtitle + _one_shade(relevant, words),
        more={**sheet.more, "lists": lists, "differences": differences},
    )  # fmt: skip


def serps_sheet(pairs: Serps) -> Sheet:
    """The same of bare lists; differences are B - A, as in the result (Figure 5 of the paper has A - B)."""
    ipso = pairs.alike
    if ipso is None:
        raise InputError("lists of different lengths have no common ranks to be drawn at",
                         "give lists of one length")  # fmt: skip
    gains = np.array([[[float(g) for g in grades] for grades in pair] for pair in pairs.lists]).transpose(1, 0, 2)
    none, most = np.zeros(gains.shape, np.bool_), max(1.0, float(gains.max()))
    sheet = _sheet(ipso, "pair")
    relevant = [(grade, grade / most) for grade in np.unique(gains).tolist() if grade > 0]
    words = _grade_words(relevant)
    more, about = {**sheet.more, "lists": _lists(ipso, gains / most, none, none, words)}, _one_shade(relevant, words)
    if pairs.differences is not None:
        scores = np.where(np.abs(pairs.differences) <= 2 * PRECISION, 0.0, pairs.differences)  # none above 1
        more["differences"] = _differences(ipso, [name.format(ipso.depth) for name in METRICS.values()], scores)
        about += f"\nscores: as if {plural(ipso.depth, 'document')} were relevant, as many as a list has ranks"
    return replace(sheet, subtitle=sheet.subtitle + about, more=more)


def _counts(ipso: Ipso) -> dict[str, int]:
    """How many topics there are in each section."""
    return dict(zip(SECTIONS, ipso.counts[-1].tolist(), strict=True))


def _counted(ipso: Ipso, row: str, drawn: int) -> str:
    parts = ", ".join(f"{n:,} {label}" for label, n in _counts(ipso).items() if n)
    by = f";{ipso.order.caption}" if ipso.order.caption else ""
    count = len(ipso.topics)
    rows = " (one per row)" if 1 < count == drawn else ""
    fewer = f"; rows: {drawn:,} of these {row}s, evenly spaced" if drawn < count else ""
    return f"depth {ipso.depth:,}; {plural(count, row)}{rows}: {parts}{fewer}{by}"


def _step(rows: int, *, narrow: bool = False) -> float:
    """Height of a row, px: the more there are, the less."""
    if rows <= FEW:
        return min(_TALLEST, max(_NAMED_NARROW if narrow else _NAMED, (_SHORTER if narrow else 1) * _ROWS / rows))
    return max(_LEAST, _ROWS / rows) * (_SHORTER if narrow else 1)


def _rows(ipso: Ipso) -> Columns:
    """One row per topic: where it stands, with a gap between the sections."""
    order = rows_in_order(ipso.path, ipso.topics)
    group = [int(g) for g in ipso.group[order]]
    gap = 0.7 if len(order) <= FEW else float(ceil(_GAP / _step(len(order))))
    passed = np.cumsum(np.diff(group, prepend=group[:1]) != 0) * gap
    return {
        "topic": [ipso.topics[r] for r in order],
        "group": [SECTIONS[g - 1] for g in group],
        "top": (np.arange(len(order)) + passed).tolist(),
    }


def _placed(ipso: Ipso) -> list[tuple[int, str, float]]:
    """Row among the topics, name and place of each topic, from the top."""
    rows = _rows(ipso)
    order = rows_in_order(ipso.path, ipso.topics)
    return list(zip(order, rows["topic"], rows["top"], strict=True))


def _paths(ipso: Ipso) -> Columns:
    cells = [
        (topic, top, rank, LABELS[code], OUTCOMES[code])
        for row, topic, top in _placed(ipso)
        for rank, code in enumerate(ipso.path[row].tolist(), 1)
    ]
    return columns_of(("topic", "top", "rank", "class", "outcome"), cells)


def _grade_words(shares: Sequence[tuple[float, float]]) -> dict[int, str]:
    """Classes of relevant documents by their shade, from grades and the share of the highest relevance that each has.

    >>> _grade_words([(1, 0.5), (2, 1.0)])
    {1: 'grade 1', 3: 'grade 2'}
    >>> _grade_words([(1, 1.0), (2, 1.0)])
    {3: 'relevant'}
    """
    grades: dict[int, list[float]] = {}
    for grade, share in sorted(shares):
        grades.setdefault(relevance_step(share), []).append(grade)
    if len(grades) == 1:
        return dict.fromkeys(grades, RELEVANT)
    return {
        step: f"grade {group[0]:g}" if len(group) == 1 else f"grades {group[0]:g} to {group[-1]:g}"
        for step, group in grades.items()
    }


def _one_shade(shares: Sequence[tuple[float, float]], words: Mapping[int, str]) -> str:
    """Which grades look the same although IPSO tells them apart.

    >>> shares = [(grade, grade / 5) for grade in range(1, 6)]
    >>> _one_shade(shares, _grade_words(shares))
    '; grades 4 to 5 have one shade, but are different grades to IPSO'
    """
    merged = [
        word for step, word in words.items()
        if len({share for _, share in shares if relevance_step(share) == step}) > 1
    ]  # fmt: skip
    return f"; {vl.listed(merged)} have one shade, but are different grades to IPSO" if merged else ""


def _lists(ipso: Ipso, gain: Any, unjudged: Any, ended: Any, words: Mapping[int, str]) -> Columns:
    """One row per document: its share of the thresholds, or of the largest gain, (2, topics, ranks)."""

    def state(share: float) -> str:
        return words[relevance_step(share)] if share > 0 else NOT_RELEVANT

    cells = [
        (topic, top, "AB"[s], rank + 1, float(gain[s, row, rank]),
         NOT_JUDGED if unjudged[s, row, rank] else state(float(gain[s, row, rank])))
        for row, topic, top in _placed(ipso)
        for s in range(2)
        for rank in range(gain.shape[2])
        if not ended[s, row, rank]
    ]  # fmt: skip
    return columns_of(("topic", "top", "system", "rank", "gain", "state"), cells)


def _differences(ipso: Ipso, names: list[str], difference: Any) -> Columns:
    """One row per topic and metric: (topics, metrics), undefined ones left out."""
    cells = []
    for row, topic, top in _placed(ipso):
        for m, name in enumerate(names):
            value = float(difference[row, m])
            if value == value:
                outcome = EQUAL if value == 0 else B_AHEAD if value > 0 else A_AHEAD
                printed = SAME if abs(value) < 0.005 else HIGHER[outcome]
                cells.append((topic, top, name, value, outcome, printed))
    return columns_of(("topic", "top", "metric", "difference", "outcome", "printed"), cells)


def strips(sheet: Sheet, look: Theme) -> Spec:
    """Panels side by side: topics, both lists, classes by rank, metrics."""
    rows, narrow = sheet.more["rows"], "narrow" in sheet.words
    few = len(rows["topic"]) <= FEW
    numbers, font = few and not narrow, 12 if narrow else 10  # differences are else colours without numbers
    end = rows["top"][-1] + 1
    height = round(end * _step(len(rows["topic"]), narrow=narrow))
    depth = max(sheet.columns["rank"])
    lined = few and depth <= CELLS  # lines between cells that are but a few pixels wide would hide them
    # panels share two scales, so that there are two legends: of documents, and of who is ahead
    shades = _shades(sheet.more["lists"], look) if "lists" in sheet.more else {}
    printed = vl.occurring(
        {HIGHER[A_AHEAD]: look.a_faint, HIGHER[B_AHEAD]: look.b_faint, SAME: look.ground},
        sheet.more.get("differences", {}).get("printed", ()),
    )
    ahead = vl.occurring(look.outcomes(), sheet.columns["outcome"]) | printed
    scales = {"fill": vl.scale_of(shades), "color": vl.scale_of(ahead)}
    legends = {
        "fill": {**vl.swatches(columns=vl.across(list(shades), most=6)), "orient": "top"},
        "color": vl.swatches(columns=vl.across(list(ahead), width=470 if narrow else 560)),
    }
    if printed:  # beside the slanted names of metrics there is room for the legend of documents
        across = vl.across(list(shades), most=3, width=300)
        place = {"legendX": 0, "legendY": -34 - 20 * ceil(len(shades) / across)}
        legends["fill"] |= {"orient": "none", "direction": "horizontal", "columns": across, **place}
    y: Spec = {"type": "quantitative", "axis": None, "scale": {"domain": [0, end], "reverse": True, "nice": False}}

    def panel(columns: Columns, width: float, title: str, encoding: Spec, *over: Spec, stroke: str) -> Spec:
        if lined or (few and "metric" in columns):
            mark: Spec = {"type": "rect", "stroke": stroke, "strokeWidth": 0.5, "tooltip": vl.TOOLTIP}
        else:
            channel = "fill" if "fill" in encoding else "color"
            mark = vl.seamless(encoding[channel]["field"], channel=channel)
        cells = {"mark": mark, "encoding": {"y": {"field": "top", **y}, "y2": {"field": "bottom"}, **encoding}}
        return {
            "data": vl.values({**columns, "bottom": [top + 1 for top in columns["top"]]}),
            "title": {"text": title, "anchor": "middle", "fontWeight": "normal", "fontSize": 12, "offset": 4,
                      "frame": "group"},
            "width": width, "height": height, "layer": [cells, *over],
        }  # fmt: skip

    def coloured(field: str, channel: str = "color") -> Spec:
        return {channel: {"field": field, "type": "nominal", "scale": scales[channel], "legend": legends[channel]}}

    room = 48 if few and narrow else 62 if few else 100 if narrow else 90
    # names of sections are two lines, a list; Vega would draw the second below the middle
    names = {
        "mark": {"type": "text", "align": "right", "baseline": "middle", "fontSize": font, "limit": room,
                 "dy": {"expr": f"isArray(datum.label) ? {-0.6 * font:g} : 0"}},
        "encoding": {"y": {"field": "middle", **y}, "text": {"field": "label"}, "x": {"value": room}},
    }  # fmt: skip
    labels = vl.values(_labels(rows, few, sheet.words["counts"]))
    panels: list[Spec] = [{"data": labels, "width": room, "height": height, **names}]
    scored = len(unique(sheet.more.get("differences", {}).get("metric", ()))) * (30 if numbers else 18)
    spare = min(110.0, (_WIDE - room - scored - 40) / 3)  # where metrics are few
    each = max(60.0, min(72.0 if narrow else 150.0, 8.0 * depth), spare)
    if "lists" in sheet.more:
        lists = sheet.more["lists"]
        for side in "AB":
            encoding = {**_ranks(depth, font), **coloured("state", "fill")}
            panels.append(
                panel(
                    _spans(rows_where(lists, "system", side), joined=not lined),
                    each,
                    side,
                    encoding,
                    stroke=look.faint,
                )
            )
    encoding = {**_ranks(depth, font), **coloured("outcome")}
    alone = "lists" not in sheet.more  # it has the room of the others then
    wide, title = (each, "IPSO") if narrow and not alone else (max(each, 110.0), "IPSO to each rank")
    if alone:
        wide = _WIDE - room
    panels.append(panel(_spans(dict(sheet.columns), joined=not lined), wide, title, encoding, stroke=look.ground))
    if "differences" in sheet.more:
        columns = sheet.more["differences"]
        x = _metric_axis(columns, font, -50 if numbers else -60)  # steeper where columns are narrow
        over = [_numbers(x, y)] if numbers else []
        panels.append(
            panel(columns, scored, LESS if numbers else WHO, {"x": x, **coloured("printed")}, *over, stroke=look.ground)
        )
    shared = {"scale": {"color": "shared", "fill": "shared"}}
    return {"hconcat": panels, "spacing": 10, "bounds": "flush", "resolve": shared}


def _shades(lists: Columns, look: Theme) -> dict[str, str]:
    """Colours of the classes of documents that occur, the most relevant first."""
    steps = {word: share for share, word in sorted(zip(lists["gain"], lists["state"], strict=True))}
    order = sorted((w for w in steps if w not in (NOT_RELEVANT, NOT_JUDGED)), key=lambda word: -steps[word])
    shades = {word: look.relevance[relevance_step(steps[word])] for word in order}
    others = {NOT_RELEVANT: look.not_relevant, NOT_JUDGED: look.unjudged}
    return shades | {word: shade for word, shade in others.items() if word in steps}


def _spans(columns: Columns, *, joined: bool) -> Columns:
    """Cells from left to right; those next to each other that are alike become one, where no line parts them."""
    rows = [
        {**dict(zip(columns, row, strict=True)), "left": rank - 1, "right": rank}
        for row, rank in zip(zip(*columns.values(), strict=True), columns["rank"], strict=True)
    ]
    if joined:
        spans: list[dict[str, Any]] = []
        kept = [key for key in columns if key != "rank"]
        for row in rows:
            last = spans[-1] if spans else None
            if last and last["right"] == row["left"] and all(last[key] == row[key] for key in kept):
                last["right"] = row["right"]
            else:
                spans.append(row)
        rows = spans
    return {key: [row[key] for row in rows] for key in (*columns, "left", "right")}


def _ranks(depth: int, font: int) -> Spec:
    step = 5 if depth <= CELLS else 10 if depth <= 50 else 20 if depth <= 100 else 50 if depth <= 200 else depth // 2
    last = depth if depth <= CELLS else depth - step // 2  # no label at the edge, where the next panel begins
    axis = {
        "orient": "top", "title": None, "values": [r - 0.5 for r in (1, *range(step, last + 1, step))],
        "labelExpr": "datum.value + 0.5", "ticks": False, "domain": False, "grid": False, "labelFontSize": font,
        "labelPadding": 2, "labelFlush": False,
    }  # fmt: skip
    scale = {"domain": [0, depth], "nice": False}
    return {"x": {"field": "left", "type": "quantitative", "axis": axis, "scale": scale}, "x2": {"field": "right"}}


def _metric_axis(columns: Columns, font: int, angle: int) -> Spec:
    names = unique(columns["metric"])
    axis = {
        "orient": "top", "title": None, "labelAngle": angle, "labelFontSize": font, "ticks": False, "domain": False,
        "labelLimit": 140, "labelAlign": "left", "labelBaseline": "middle", "labelPadding": font - 5,
        **vl.labels(names),
    }  # fmt: skip
    return {"field": "metric", "type": "ordinal", "axis": axis, **vl.ordered(names, paddingInner=0, paddingOuter=0)}


def _numbers(x: Spec, y: Spec) -> Spec:
    return {
        "transform": [{"calculate": "datum.top + 0.5", "as": "middle"}],
        "mark": {"type": "text", "fontSize": 10, "baseline": "middle"},
        "encoding": {
            "x": x, "y": {"field": "middle", **y},
            "text": {"field": "difference", "type": "quantitative", "format": ".2f"},
        },
    }  # fmt: skip


def _labels(rows: Columns, few: bool, counts: Mapping[str, int]) -> Columns:
    """Names of the topics; where they are many, of the sections in one line or two, with how many topics each holds."""
    if few:
        return {"label": rows["topic"], "middle": [top + 0.5 for top in rows["top"]]}
    label: list[Any] = []
    middle = []
    for name in SECTIONS:
        tops = [top for top, group in zip(rows["top"], rows["group"], strict=True) if group == name]
        if tops:
            lines = f"{name}: {counts[name]:,}".replace("after ", "after\n").splitlines()
            label.append(lines if len(lines) > 1 else lines[0])
            middle.append((tops[0] + tops[-1] + 1) / 2)
    return {"label": label, "middle": middle}
