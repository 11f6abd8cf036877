"""The strips of Figures 5 and 6 of Moffat and Mackenzie (2024): lists, classes by rank, differences of metrics.

Up to `FEW` rows stand in one piece, more in two pieces side by side, as in Figure 6. A column of 8.5 cm holds two
pieces as well, so that up to `LABELLED` rows have names in letters of 6 pt and the figure is at most 1.75 times as high
as it is wide; each piece then has the first metrics alone, as many as leave the lists room. Three pieces would leave
none. More rows are thinner, down to 2 px, without names; their sections have headings, which need no room beside them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import ceil, floor
from typing import Any, NamedTuple

import numpy as np

from rankscope.arrays import PADDING, UNJUDGED
from rankscope.comparisons import Comparison
from rankscope.comparisons.metric_mapping import A_AHEAD, B_AHEAD, EQUAL
from rankscope.comparisons.topic_differences import topic_differences
from rankscope.errors import InputError, plural
from rankscope.figures import vega as vl
from rankscope.figures.chart import Columns, Sheet, columns_of, picked, rows_where, unique
from rankscope.figures.letters import text_width
from rankscope.figures.theme import OUTCOMES, UNDECIDED, Spec, Theme, relevance_steps
from rankscope.judged.subsets import rows_of
from rankscope.measures import Measure
from rankscope.measures.record import several_grades
from rankscope.preferences import LABELS, Ipso, Serps
from rankscope.preferences.classes import EQUAL as CLASS_EQUAL
from rankscope.preferences.classes import NON_SEPARABLE, rows_in_order
from rankscope.preferences.serps import METRICS
from rankscope.statistics.equality import PRECISION

RELEVANT, NOT_RELEVANT, NOT_JUDGED = ("relevant", "not relevant", "unjudged")
SECTIONS = (f"{UNDECIDED} after {B_AHEAD}", B_AHEAD, EQUAL, A_AHEAD, f"{UNDECIDED} after {A_AHEAD}")
"""The groups of Figure 5 from the top, in the words of the legend."""
FEW = 60  # rows of a piece with names; differences are printed where there is but one piece
LABELLED = 2 * FEW  # rows up to which topics are named
LESS, WHO = "B - A", "who scores higher"
SAME = "B \N{MINUS SIGN} A \N{ALMOST EQUAL TO} 0"
NEAR = 0.005  # differences nearer to 0 are printed as 0.00
HIGHER = {A_AHEAD: "A scores higher", B_AHEAD: "B scores higher", EQUAL: SAME}
"""Classes of a difference of one metric, which is no statement about all metrics, in paler colours than these."""
DRAWN = 400  # rows that are drawn, so that none is thinner than 2 px
CELLS = 20  # ranks up to which each has its own cell
_ROWS, _HEADING = 500, 16  # px: all rows of a piece together, about, and the heading of a section
_BETWEEN = 12  # px between pieces without names
_TALLEST, _LEAST = 17.0, 2.0  # px: a row of few, and of many
_WIDE = 444  # px: names and the only panel, where there is but one


class _Page(NamedTuple):
    """What depends on the width of the page; lengths in px.

    shorter  factor of the heights of rows
    named    the least height of a row with a name: its letters have no room for descenders in a column
    letters  of names
    pieces   width of both pieces with what is between them
    names    the widest names beside a piece; longer ones are cut
    panel    the narrowest panel of one of two pieces
    metric   a column of a metric there
    apart    between panels there
    """

    shorter: float
    named: float
    letters: int
    pieces: float
    names: float
    panel: float
    metric: float
    apart: float


_FULL = _Page(shorter=1, named=11.5, letters=10, pieces=744, names=80, panel=56, metric=16, apart=6)
_COLUMN = _Page(shorter=0.8, named=9.7, letters=12, pieces=463, names=70, panel=42, metric=14, apart=4)


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
    return (
        f"Without a metric (IPSO), {ahead} is ahead on {most:,} of {plural(len(ipso.topics), row)}, {other} on "
        f"{least:,}" + "".join(f"; {part}" for part in rest)
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
    lists = _lists(ipso, ipso.order.share(code), code == UNJUDGED, code == PADDING, _grade_words(relevant))
    differences = _differences(ipso, list(names), apart.T)
    least = f"; relevant: grade {judged.rules.rel:g} or more" if several_grades(judged.grades) else ""
    return replace(
        sheet, subtitle=sheet.subtitle + _one_shade(relevant) + least + _near_0(differences),
        words={**sheet.words, "shades": _shade_of(relevant)},
        more={**sheet.more, "lists": lists, "differences": differences},
    )  # fmt: skip


def _near_0(differences: Columns) -> str:
    """What counts as no difference here, where there are some that are none."""
    near = any(
        word == SAME and value for word, value in zip(differences["printed"], differences["difference"], strict=True)
    )
    return f"; \N{ALMOST EQUAL TO} 0: by less than {NEAR:g}" if near else ""


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
    lists = _lists(ipso, gains / most, none, none, _grade_words(relevant))
    more, about = {**sheet.more, "lists": lists}, _one_shade(relevant)
    if pairs.differences is not None:
        scores = np.where(np.abs(pairs.differences) <= 2 * PRECISION, 0.0, pairs.differences)  # none above 1
        more["differences"] = _differences(ipso, [name.format(ipso.depth) for name in METRICS.values()], scores)
        about += f"\nscores: as if {plural(ipso.depth, 'document')} were relevant, as many as a list has ranks"
    return replace(
        sheet, subtitle=sheet.subtitle + about, more=more, words={**sheet.words, "shades": _shade_of(relevant)}
    )


def _counts(ipso: Ipso) -> dict[str, int]:
    """How many topics there are in each section."""
    return dict(zip(SECTIONS, ipso.counts[-1].tolist(), strict=True))


def _counted(ipso: Ipso, row: str, drawn: int) -> str:
    parts = ", ".join(f"{n:,} {label}" for label, n in _counts(ipso).items() if n)
    by = f";{ipso.order.caption}" if ipso.order.caption else ""
    count = len(ipso.topics)
    rows = " (one per row)" if LABELLED < count == drawn else ""  # names say it
    paper = f"; IPSO{' and order of rows' if count > 1 else ''}: Moffat and Mackenzie (2024)"
    fewer = f"; rows: {drawn:,} of these {row}s, evenly spaced" if drawn < count else ""
    return f"depth {ipso.depth:,}; {plural(count, row)}{rows}: {parts}{paper}{fewer}{by}"


def _pieces(rows: int) -> int:
    return 1 if rows <= FEW else 2


def _step(rows: int, page: _Page) -> float:
    """Height of a row, px: the more a piece has, the less.

    >>> [_step(rows, _FULL) for rows in (20, 50, 80, 200, 400)]
    [17.0, 11.5, 12.5, 5.0, 2.5]
    """
    least = page.named if rows <= LABELLED else _LEAST
    return min(_TALLEST, max(least, page.shorter * _ROWS / ceil(rows / _pieces(rows))))


def _rows(ipso: Ipso) -> Columns:
    """One row per topic: its piece and where it stands there, with a gap or a heading between the sections."""
    order = rows_in_order(ipso.path, ipso.topics)
    group = [int(g) for g in ipso.group[order]]
    named = len(order) <= LABELLED
    gap = 0.7 if named else _HEADING / min(_step(len(order), page) for page in (_FULL, _COLUMN))
    each = ceil(len(order) / _pieces(len(order)))
    tops: list[float] = []
    for i in range(len(order)):
        first = i % each == 0
        apart = gap * (not named) if first else gap * (group[i] != group[i - 1])
        tops.append(apart if first else tops[-1] + 1 + apart)
    return {
        "topic": [ipso.topics[r] for r in order],
        "group": [SECTIONS[g - 1] for g in group],
        "piece": [1 + i // each for i in range(len(order))],
        "top": tops,
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


def _by_shade(shares: Sequence[tuple[float, float]]) -> dict[int, list[tuple[float, float]]]:
    """Grades, with the share of the highest relevance that each has, by their shade."""
    steps = relevance_steps(share for _, share in shares)
    groups: dict[int, list[tuple[float, float]]] = {}
    for grade, share in sorted(shares):
        groups.setdefault(steps[share], []).append((grade, share))
    return groups


def _group_words(groups: Mapping[int, list[tuple[float, float]]]) -> dict[int, str]:
    """The grades of each shade in words; those of the only one are relevant."""
    if len(groups) == 1:
        return dict.fromkeys(groups, RELEVANT)
    return {
        step: f"grade {group[0][0]:g}" if len(group) == 1 else f"grades {group[0][0]:g} to {group[-1][0]:g}"
        for step, group in groups.items()
    }


def _grade_words(shares: Sequence[tuple[float, float]]) -> dict[float, str]:
    """Classes of relevant documents by the share of the highest relevance that each grade has.

    >>> _grade_words([(1, 0.5), (2, 1.0)])
    {0.5: 'grade 1', 1.0: 'grade 2'}
    >>> _grade_words([(1, 1.0), (2, 1.0)])
    {1.0: 'relevant'}
    """
    groups = _by_shade(shares)
    words = _group_words(groups)
    return {share: words[step] for step, group in groups.items() for _, share in group}


def _shade_of(shares: Sequence[tuple[float, float]]) -> dict[str, int]:
    """The shade of each class of relevant documents, the most relevant first."""
    words = _group_words(_by_shade(shares))
    return {words[step]: step for step in sorted(words, reverse=True)}


def _one_shade(shares: Sequence[tuple[float, float]]) -> str:
    """Which grades look the same although IPSO tells them apart.

    >>> [_one_shade([(grade, grade / most) for grade in range(1, most + 1)]) for most in (5, 6)]
    ['', '; grades 3 to 4 have one shade, but are different grades to IPSO']
    """
    groups = _by_shade(shares)
    words = _group_words(groups)
    merged = [words[step] for step, group in groups.items() if len({share for _, share in group}) > 1]
    return f"; {vl.listed(merged)} have one shade, but are different grades to IPSO" if merged else ""


def _lists(ipso: Ipso, gain: Any, unjudged: Any, ended: Any, words: Mapping[float, str]) -> Columns:
    """One row per document: its share of the thresholds, or of the largest gain, (2, topics, ranks)."""

    def state(share: float) -> str:
        return words[share] if share > 0 else NOT_RELEVANT

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
                printed = SAME if abs(value) < NEAR else HIGHER[outcome]
                cells.append((topic, top, name, value, outcome, printed))
    return columns_of(("topic", "top", "metric", "difference", "outcome", "printed"), cells)


def strips(sheet: Sheet, look: Theme) -> Spec:
    """Panels side by side: topics, both lists, classes by rank, metrics; of many topics two such pieces."""
    rows, narrow = sheet.more["rows"], "narrow" in sheet.words
    page, count, end = _COLUMN if narrow else _FULL, len(rows["topic"]), max(rows["top"]) + 1
    named, pieces = count <= LABELLED, rows["piece"][-1]
    numbers, font = pieces == 1 and not narrow, page.letters  # differences are else colours without numbers
    height = round(end * _step(count, page))
    depth = max(sheet.columns["rank"])
    # lines between cells that are but a few pixels wide would hide them
    lined = named and depth <= (CELLS if pieces == 1 else CELLS // 2)
    # panels share two scales, so that there are two legends: of documents, and of who is ahead
    shades = _shades(sheet, look) if "lists" in sheet.more else {}
    measured = _first_metrics(sheet, page, named) if pieces > 1 else sheet.more.get("differences")
    printed = vl.occurring(
        {HIGHER[A_AHEAD]: look.a_faint, HIGHER[B_AHEAD]: look.b_faint, SAME: look.ground},
        measured["printed"] if measured else (),
    )
    ahead = vl.occurring(look.outcomes(), sheet.columns["outcome"]) | printed
    scales = {"fill": vl.scale_of(shades), "color": vl.scale_of(ahead)}
    legends = {
        "fill": {**vl.swatches(columns=vl.across(list(shades), most=6, beside=20)), "orient": "top", "offset": 6},
        "color": vl.swatches(columns=vl.across(list(ahead), width=470 if narrow else 560, beside=26), offset=8),
    }
    if printed and pieces == 1:  # beside the slanted names of metrics there is room for the legend of documents
        across = vl.across(list(shades), most=3, width=300)
        place = {"legendX": 0, "legendY": -34 - 20 * ceil(len(shades) / across)}
        legends["fill"] |= {"orient": "none", "direction": "horizontal", "columns": across, **place}
    y: Spec = {"type": "quantitative", "axis": None, "scale": {"domain": [0, end], "reverse": True, "nice": False}}

    heading = {"anchor": "middle", "fontWeight": "normal", "fontSize": 12, "offset": 4, "frame": "group"}

    def panel(columns: Columns, width: float, title: str, encoding: Spec, *over: Spec, stroke: str) -> Spec:
        if lined or (named and "metric" in columns):
            mark: Spec = {"type": "rect", "stroke": stroke, "strokeWidth": 0.5, "tooltip": vl.TOOLTIP}
        else:
            channel = "fill" if "fill" in encoding else "color"
            mark = vl.seamless(encoding[channel]["field"], channel=channel)
        cells = {"mark": mark, "encoding": {"y": {"field": "top", **y}, "y2": {"field": "bottom"}, **encoding}}
        return {
            "data": vl.values({**columns, "bottom": [top + 1 for top in columns["top"]]}),
            **({"title": {"text": title, **heading}} if title else {}),
            "width": width, "height": height, "layer": [cells, *over],
        }  # fmt: skip

    def coloured(field: str, channel: str = "color") -> Spec:
        return {channel: {"field": field, "type": "nominal", "scale": scales[channel], "legend": legends[channel]}}

    room = _names_room(rows["topic"], page) if named else 0.0
    metrics = len(unique(measured["metric"])) if measured else 0
    alone = "lists" not in sheet.more  # it has the room of the others then
    if pieces == 1:
        scored = metrics * (30.0 if numbers else 18.0)
        spare = min(110.0, (_WIDE - room - scored - 40) / 3)  # where metrics are few
        each = max(60.0, min(72.0 if narrow else 150.0, 8.0 * depth), spare)
        wide = _WIDE - room if alone else each if narrow else max(each, 110.0)
    else:
        scored = metrics * page.metric
        each = wide = floor((_piece(page, named) - room - scored) / (1 if alone else 3)) - page.apart
    title = "IPSO to each rank" if wide >= 110 else "IPSO"
    panels: list[Spec] = []
    before = ""
    for piece in range(1, pieces + 1):
        here = rows_where(rows, "piece", piece)
        topics = set(here["topic"])

        def of_piece(columns: Columns, topics: set[str] = topics) -> Columns:
            return picked(columns, [i for i, topic in enumerate(columns["topic"]) if topic in topics])

        if named:
            labels = {"label": [_cut(topic, room, font) for topic in here["topic"]],
                      "middle": [top + 0.5 for top in here["top"]]}  # fmt: skip
            mark = {"type": "text", "align": "right", "baseline": "middle", "fontSize": font, "limit": 1.3 * room}
            beside = {"y": {"field": "middle", **y}, "text": {"field": "label"}, "x": {"value": room}}
            panels.append({"data": vl.values(labels), "width": room, "height": height, "mark": mark,
                           "encoding": beside})  # fmt: skip
        elif piece > 1:
            between = {"mark": {"type": "text", "text": ""}, "encoding": {"x": {"value": 0}}}
            panels.append({"data": {"values": [{}]}, "width": _BETWEEN, "height": height, **between})
        heads = [] if named else [_headings(here, before, sheet.words["counts"], y, font)]
        before = here["group"][-1]
        ranks = _ranks(depth, font, None if pieces == 1 else each)
        for side in "" if alone else "AB":
            cells = of_piece(rows_where(sheet.more["lists"], "system", side))
            over = heads if side == "A" else []
            panels.append(panel(_spans(cells, joined=not lined), each, side, {**ranks, **coloured("state", "fill")},
                                *over, stroke=look.faint))  # fmt: skip
        cells = _spans(of_piece(dict(sheet.columns)), joined=not lined)
        over = heads if alone else []
        panels.append(panel(cells, wide, title, {**ranks, **coloured("outcome")}, *over, stroke=look.ground))
        if measured:
            # steeper where columns are narrow, upright where the next piece follows
            x = _metric_axis(measured, font, -90 if pieces > 1 else -50 if numbers else -60)
            over = [_numbers(x, y)] if numbers else []
            words = "" if pieces > 1 else LESS if numbers else WHO
            panels.append(panel(of_piece(measured), scored, words, {"x": x, **coloured("printed")}, *over,
                                stroke=look.ground))  # fmt: skip
    shared = {"scale": {"color": "shared", "fill": "shared"}}
    return {"hconcat": panels, "spacing": 10 if pieces == 1 else page.apart, "bounds": "flush", "resolve": shared}


def _piece(page: _Page, named: bool) -> float:
    """Width of one of two pieces without what is left between its names and its metrics."""
    return (page.pieces - page.apart if named else page.pieces - _BETWEEN - page.apart) / 2 - page.apart


def _names_room(names: Sequence[str], page: _Page) -> float:
    """Pixels that names of topics take beside their rows, at most `page.names`."""
    widths = [text_width(name, page.letters) or 0.6 * page.letters * len(name) for name in names]
    return min(page.names, max(24.0, ceil(max(widths)) + 2.0))


def _cut(name: str, room: float, font: int) -> str:
    """A name without what follows its beginning, where it is wider than the room."""
    wide = text_width(name, font) or 0.6 * font * len(name)
    return name if wide <= room else vl.middle(name, max(5, floor(len(name) * (room - font) / wide)))


def _first_metrics(sheet: Sheet, page: _Page, named: bool) -> Columns | None:
    """Differences of the first metrics, as many as leave three panels their room in one of two pieces."""
    columns = sheet.more.get("differences")
    if columns is None:
        return None
    names = unique(columns["metric"])
    room = _piece(page, named) - (_names_room(sheet.more["rows"]["topic"], page) if named else 0)
    most = max(1, floor((room - 3 * (page.panel + page.apart)) / page.metric))
    return picked(columns, [i for i, name in enumerate(columns["metric"]) if name in names[:most]])


def _headings(rows: Columns, before: str, counts: Mapping[str, int], y: Spec, font: int) -> Spec:
    """Names of the sections of a piece above their first rows, with how many topics each holds.

    before  section at the end of the piece before
    """
    names = unique(rows["group"])
    tops = [next(top for top, group in zip(rows["top"], rows["group"], strict=True) if group == name) for name in names]
    labels = [f"{name}, continued" if name == before else f"{name}: {counts[name]:,}" for name in names]
    return {
        "data": vl.values({"label": labels, "top": tops}),
        "mark": {"type": "text", "align": "left", "baseline": "bottom", "fontSize": font, "dy": -1, "clip": False},
        "encoding": {"y": {"field": "top", **y}, "text": {"field": "label"}, "x": {"value": 0}},
    }  # fmt: skip


def _shades(sheet: Sheet, look: Theme) -> dict[str, str]:
    """Colours of the classes of documents that occur, the most relevant first."""
    relevant = {word: look.relevance[step] for word, step in sheet.words["shades"].items()}
    others = {NOT_RELEVANT: look.not_relevant, NOT_JUDGED: look.unjudged}
    return vl.occurring(relevant | others, sheet.more["lists"]["state"])


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


def _ranks(depth: int, font: int, width: float | None = None) -> Spec:
    """Ranks from left to right; no label comes to the edge of a panel of this width, where another begins."""
    step = 5 if depth <= CELLS else 10 if depth <= 50 else 20 if depth <= 100 else 50 if depth <= 200 else depth // 2
    last = depth if depth <= CELLS else depth - step // 2  # no label at the edge, where the next panel begins
    labelled = [1, *range(step, last + 1, step)]
    if width is not None:
        labelled = [r for r in labelled if (r - 0.5) * width / depth + 0.28 * font * len(str(r)) <= width - 4]
    axis = {
        "orient": "top", "title": None, "values": [r - 0.5 for r in labelled],
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
