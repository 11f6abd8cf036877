"""Rows of points in panels side by side: scorecards, alternatives, scales, properties, disagreement as it occurs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from math import ceil, floor, isclose, log10
from typing import Any

from rankscope.arguments import whole_number
from rankscope.errors import InputError, argument, plural
from rankscope.figures import vega as vl
from rankscope.figures.chart import LETTERS, Columns, Sheet, columns_of, first_sentence, picked, rows_where, unique
from rankscope.figures.fractions import methods
from rankscope.figures.letters import text_width
from rankscope.figures.theme import WITHOUT_METRIC, Spec, Theme
from rankscope.figures.universe import relevant_or_not
from rankscope.formatting import minus, p_value, percent
from rankscope.studies import Alternatives, ScalesInPractice, Scorecard
from rankscope.studies.alternatives import CONSISTENCY, POWER
from rankscope.studies.base import extent, threshold
from rankscope.studies.columns import COLUMNS
from rankscope.studies.consistency import TESTS as CONSISTENCY_TESTS
from rankscope.studies.power import TESTS as POWER_TESTS
from rankscope.studies.scales import TESTS
from rankscope.studies.scorecard import BEHIND, LEADS, LEVEL, UNTESTED
from rankscope.universe import Buckets, Frequencies
from rankscope.universe.two_measures.buckets import ALPHA, BUCKETS

BETTER, ALIKE, OTHERWISE = "ranks alike, better", "ranks alike, no better", "ranks differently"
SHAPES = ("circle", "square", "triangle-up")
PAIRS = 40  # of measures, drawn unless fewer are asked for
LEFT_OUT = 6  # names of metrics that a caption lists
_UNITS = {"power": "power, %", "tied": "tied, %", "ipso": "as IPSO, %"}
_NAMES = {"ipso": "as IPSO"}
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
    records = [record for name in panels for record in COLUMNS if record.heading == name]
    meanings = "; ".join(
        f"{_NAMES.get(record.heading, record.heading)}: {record.meaning}"
        + (f": {record.counted.format(alpha=card.alpha)}" if record.counted else "")
        for record in records
    )
    tests = "; ".join(f"{_NAMES.get(r.heading, r.heading)} {r.test}" for r in records if r.test)
    without = [_NAMES.get(record.heading, record.heading) for record in records if not record.test]
    none = f"no test: {vl.listed(without)}" if without else ""
    tested = f"behind: p < {card.alpha:g} by a test ({tests}); " if tests else ""
    return Sheet(
        columns=columns_of(_KEYS, rows),
        title=_undominated(card),
        subtitle=f"{extent(s)}{threshold(s)}; {meanings}{kinds}\n"
        f"{(tested + none).removesuffix('; ')}{_ipso(card, panels)}{methods(card.candidates)}{caution}",
        words={
            "marks": [LEADS, LEVEL, BEHIND, UNTESTED],
            "standing": True,
            "below": way,
            "texts": texts,
            "legend": "against the leader of the column:",
        },
    )


def _ipso(card: Scorecard, panels: Sequence[str]) -> str:
    """What IPSO is, where a column is held against it, and how far down it looks."""
    if "ipso" not in panels:
        return ""
    settings = card.settings["columns"]["agreement"]
    return (
        f"\n{WITHOUT_METRIC}, here down to rank {settings['depth']} by {settings['order']}; measures without @ look at "
        "whole lists"
    )


def _undominated(card: Scorecard) -> str:
    """The measures that no other leaves behind, in plain words; where there are none to compare, the answer."""
    title, behind = first_sentence(card.answer(named=5)), card.behind()
    names, found, _ = title.partition(": no other measure here did at least as well in every column")
    if not found:
        return title
    columns = [card.rows[name] for name in BETTER_WHERE if name in card.rows]
    numbers = [row for row, others in zip(zip(*columns, strict=True), behind.values(), strict=True) if not others]
    known = [row for row in numbers if None not in row]
    tied = ", or equal in all" if len({*known}) < len(known) else ""
    which = "each" if len(known) > 1 else "it"
    return f"{names}: against any one other measure, {which} has the better number in some column{tied}"


def _kinds(scales: Iterable[str | None]) -> str:
    """What the words for scales are, in words."""
    known = {scale or "" for scale in scales}
    words = "kind of scale of the scores"
    words += " (neither: not ordinal, and so not interval)" if "neither" in known else ""
    return words + (", blank for methods without scores" if "" in known else "")


def alternatives_sheet(result: Alternatives) -> Sheet:
    """One row per metric and what it is held against the canonical one of its family in."""
    if not result.rows:
        raise InputError("no metric but the canonical one is in all three studies", "give them the same metrics")
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
    canonical = unique(vl.short(metric.canonical) for metric in result.rows)
    usual = ", ".join(canonical)
    one = usual if len(canonical) == 1 else "the canonical one"
    s = result.settings
    left_out = ""
    if result.not_compared:
        names = list(map(vl.short, result.not_compared))
        left_out = f"\nleft out, since not in all three studies: {vl.listed(names, LEFT_OUT)}"
    meaning = ""
    if any(row[-1] == BETTER for row in rows):
        meaning = (
            f"\nbetter: more consistent (p < {result.alpha:g}) or more pairs gained than lost, which is not tested"
        )
    return Sheet(
        columns=columns_of(_KEYS, rows),
        title=_replaceable(result),
        subtitle=f"{plural(s['n_systems'], 'system')}, {plural(s['n_pairs'], 'pair')} of them, "
        f"{plural(s['n_topics'], 'topic')}; against {usual}{threshold(s)}\n"
        f"tau: tau-b between the rankings of systems by the metric and by {one}, alike: {result.similar:g} or more; "
        "consistency: mean "
        f"tau-b between rankings on two halves of the topics, minus that of {one} (test: "
        f"{CONSISTENCY_TESTS[s['consistency']].partition(';')[0]}, p < {result.alpha:g}; {_consistent(result)}); "
        "pairs told apart: those that the "
        f"metric alone tells apart, minus those that {one} alone does ({POWER_TESTS[s['test']].partition(';')[0]}, p < "
        f"{s['power_alpha']:g}){meaning}{left_out}",
        words={
            "marks": [BETTER, ALIKE, OTHERWISE], "standing": True,
            "texts": {"tau": {metric.measure: _beside(metric.tau, result.similar) for metric in result.rows}},
            "rules": {"tau": result.similar, "consistency": 0.0, "pairs told apart": 0.0},
            "below": {"tau": f"with {usual}", "consistency": "difference", "pairs told apart": "gained minus lost"},
        },
    )  # fmt: skip


def _consistent(result: Alternatives) -> str:
    """Which metrics the test shows to be more consistent than the canonical one, and which less, for a caption."""
    sure = [row for row in result.rows if row.pvalue < result.alpha]
    more = [vl.short(row.measure) for row in sure if row.consistency > 0]
    less = [vl.short(row.measure) for row in sure if row.consistency < 0]
    text = f"significantly more consistent: {vl.listed(more, LEFT_OUT) if more else 'none'}"
    return text + (f"; significantly less: {vl.listed(less, LEFT_OUT)}" if less else "")


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
        title=_moved(significance, scales.significant.shape[-1]),
        subtitle=f"per cent of {plural(scales.significant.shape[-1], 'pair')} of systems with p < {scales.alpha:g} by "
        f"Tukey's HSD after {TESTS[0]} and after {TESTS[1]}; "
        f"{plural(scales.settings['n_topics'], 'topic')}{threshold(scales.settings)}; "
        "differences of these shares: not tested; "
        f"in brackets: {_kinds(map(scales.scale_of, scales.measures))}",
        words={"marks": list(words.values()), "joined": True, "x": "% of pairs", "shared": True},
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
    several = f", not corrected for {len(tests):,} tests" if len(tests) > 1 else ""
    none = ""
    if len(tests) < len(result.properties):
        none = "; no p where there is one group alone, or where disagreement does not vary within groups"
    return Sheet(
        columns=picked(columns, defined),
        title=_dividing(result),
        subtitle=f"{result.where}; {_divided(result)}\n"
        f"divides: p < {ALPHA:g} by analysis of variance{several}, to be taken with care: pairs share measures{none}",
        words={
            "marks": list(BUCKETS.values()),
            "joined": True,
            "notes": notes,
            "x": ["mean disagreement of two measures,", "% of pairs of rankings"],
            "legend": "the property in the row:",
        },
    )


def _divided(result: Buckets) -> str:
    """The measures, those with each property, and how many pairs each mean is of; for a caption."""
    measures = [vl.short(measure) for measure in result.measures]
    parts = [f"{plural(len(measures), 'measure')}: {vl.listed(measures, LEFT_OUT)}"]
    for one in result.properties:
        having = [vl.short(name) for name in one.holders]
        counts = [f"{bucket.pairs:,}" for bucket in one.buckets.values()]
        parts.append(
            f"{one.name}: {vl.listed(having, LEFT_OUT) if having else 'none'}, means of {vl.listed(counts)} pairs"
        )
    return "; ".join(parts)


def _dividing(result: Buckets) -> str:
    """Which property divides the measures most clearly, or that none is shown to, and which could not be tested."""
    tested = sorted((one for one in result.properties if one.pvalue == one.pvalue), key=lambda one: one.pvalue)
    untested = [one.name for one in result.properties if one.pvalue != one.pvalue]
    if not tested:
        names = untested[0] if len(untested) == 1 else f"None of {len(untested):,} properties"
        return f"{names} could {'not ' * (len(untested) == 1)}be tested: there are no groups that can be compared"
    best = tested[0]
    least = p_value(best.pvalue, exact=False)
    if best.pvalue >= ALPHA:
        left_out = ""
        if untested:
            left_out = vl.listed(untested) if len(untested) <= 2 else plural(len(untested), "property", "properties")
            left_out = f"; {left_out} could not be tested"
        if len(tested) == 1:
            return f"{best.name} is not shown to divide these measures ({least}){left_out}"
        names = " nor ".join(one.name for one in tested)
        none = f"Neither {names}" if len(tested) == 2 else f"None of {len(tested):,} properties"
        return f"{none} is shown to divide these measures (lowest {least}, {best.name}){left_out}"
    alike = [one.name for one in tested if isclose(one.pvalue, best.pvalue)]
    if len(alike) > 1:
        return f"{vl.listed(alike)} divide these measures most clearly ({least})"
    means = [f"{bucket.mean:.1f} % where {BUCKETS[name]}" for name, bucket in best.buckets.items() if bucket.pairs]
    return f"{best.name} divides these measures most clearly ({least}): mean disagreement is {', '.join(means)}"


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
        (f"{_uncut(table['a'][i], result.depth)}, {_uncut(table['b'][i], result.depth)}", "", table[key][i], word)
        for i in order[:pairs]
        for key, word in kinds.items()
        if table[key][i] is not None
    ]
    named = any("@" in _uncut(name, result.depth) for name in table["a"] + table["b"])
    fewer = ""
    if pairs < len(order):
        fewer = f"; the {pairs:,} of {len(order):,} pairs of measures that disagree most on lists"
    return Sheet(
        columns=columns_of(_KEYS, rows),
        title=_occurring(table, order[0], result.depth),
        subtitle="how often two measures decide differently (opposite order, or one of the two ties): all "
        f"rankings that are possible ({relevant_or_not(result)}); lists of two systems on one topic; means of two "
        "systems; "
        f"{plural(result.n_systems, 'system')}, {plural(result.n_topics, 'topic')}, measures at depth "
        f"{result.depth}{' unless they name another' if named else ''}; the pair in the title: opposite order on "
        f"{percent(table['strict_percent'][order[0]] / 100, 1)} % of pairs of lists{fewer}",
        words={"marks": list(kinds.values()), "joined": True, "x": "% of pairs decided differently"},
    )


def _replaceable(result: Alternatives) -> str:
    """How many metrics rank like the canonical one and are better, and in what."""
    several, n = len({row.canonical for row in result.rows}) > 1, len(result.rows)
    usual = "the canonical one of their family" if several else vl.short(result.rows[0].canonical)
    if not any(row.tau >= result.similar for row in result.rows):
        return _unlike(result, usual)
    if not result.better:
        alike = sum(row.tau >= result.similar for row in result.rows)
        no_better = "is not shown to be more consistent and tells no more pairs apart"
        if n == 1:
            return f"The only metric compared ranks systems like {usual}, but {no_better}"
        if alike == 1:
            return f"1 of {n:,} metrics compared ranks systems like {usual}; it {no_better}"
        return (
            f"{alike:,} of {n:,} metrics compared rank systems like {usual}; none is shown to be more consistent or "
            "tells more pairs apart"
        )
    named: dict[str, list[str]] = {}
    for row in result.better:
        named.setdefault(" and ".join(row.improves(result.similar, result.alpha)), []).append(vl.short(row.measure))
    listed = [
        f"{', '.join(names) if len(names) <= 3 else plural(len(names), 'metric')} in {what}"
        for what, names in named.items()
    ]
    return f"Ranking systems like {usual}, and better: {'; '.join(listed)}"


def _unlike(result: Alternatives, usual: str) -> str:
    """That no metric ranks systems like the canonical one, and how far the closest is from it."""
    known = [row for row in result.rows if row.tau == row.tau]  # NaN where a metric ties all systems
    closest = max(known, key=lambda row: row.tau, default=None)
    limit = ""
    if closest is not None:
        limit = f": highest tau {_beside(closest.tau, result.similar)} ({vl.short(closest.measure)}), "
        limit += f"below {result.similar:g}"
    if len(result.rows) == 1:
        return f"The only metric compared does not rank systems like {usual}{limit}"
    none = "Neither" if len(result.rows) == 2 else "None"
    return f"{none} of the {len(result.rows):,} metrics compared ranks systems like {usual}{limit}"


def _beside(tau: float, limit: float) -> str:
    """A tau with the decimals that tell it from a limit above it.

    >>> _beside(0.8976, 0.9), _beside(0.89996, 0.9), _beside(0.95, 0.9)
    ('0.898', '0.89996', '0.950')
    """
    return next((text for n in range(3, 17) if float(text := f"{tau:.{n}f}") < limit or tau >= limit), "")


def _moved(significance: Columns, pairs: int) -> str:
    """The metric and test whose share of significant pairs the interval scale moves most.

    pairs  of systems
    """
    shares: dict[tuple[str, str], dict[str, float]] = {}
    for metric, test, version, share in zip(*(significance[k] for k in ("measure", "test", "version", "share")),
                                            strict=True):  # fmt: skip
        shares.setdefault((metric, test), {})[version] = share
    moves = {key: both["interval"] - both["original"] for key, both in shares.items() if len(both) == 2}
    if not moves:
        return "None of these metrics has an interval-scaled version here"
    if not any(moves.values()):
        return "An interval scale moves no metric's share of pairs told apart, by either test"
    furthest = max(moves.values(), key=abs)

    def those(end: float) -> str:
        """The metrics and tests whose share moves as far."""
        moved = [f"{metric} after {test}" for (metric, test), move in moves.items() if f"{end:+.4f}" == f"{move:+.4f}"]
        return vl.together(moved)

    low, high = min(moves.values()), max(moves.values())
    if low < 0 < high:
        ends = [f"{100 * end:+.1f} points ({those(end)})" for end in (low, high)]
        return f"An interval scale moves the share of pairs told apart by {ends[0]} to {ends[1]}"
    how = "raises" if furthest > 0 else "lowers"
    return (
        f"An interval scale {how} the share of pairs told apart by up to {100 * abs(furthest):.1f} points "
        f"({abs(round(furthest * pairs)):,} of {plural(pairs, 'pair')}): {those(furthest)}"
    )


def _occurring(table: Columns, first: int, depth: int) -> str:
    """How often the two measures that disagree most on lists do so, on lists and on means."""
    lists, means = (f"{percent(table[key][first] / 100, 1)} %" for key in ("any_percent", "means_any_percent"))
    pair = " and ".join(vl.short(_uncut(table[key][first], depth)) for key in ("a", "b"))
    return (
        f"{pair} decide differently on {lists} of pairs of lists (opposite order, or one of the two ties), "
        f"and on {means} of pairs of systems by their means"
    )


def _uncut(name: str, depth: int) -> str:
    """The name of a measure without the depth that all measures have.

    >>> _uncut("RBP(p=0.8)@10", 10), _uncut("P@10", 100)
    ('RBP(p=0.8)', 'P@10')
    """
    return name.removesuffix(f"@{depth}")


def dots(sheet: Sheet, look: Theme) -> Spec:
    """One panel per column, one point per row and mark."""
    words = sheet.words
    names, panels = unique(sheet.columns["row"]), unique(sheet.columns["panel"])
    marks = [mark for mark in words["marks"] if mark in sheet.columns["mark"]]
    standing, many = bool(words.get("standing")), len(names) > 30
    paint = _standings(words["marks"], marks, look) if standing else _nested(marks, look, many)
    legend = {"title": words.get("legend"), "titleLimit": 400, "columns": vl.across(marks, width=380),
              "symbolStrokeWidth": 1 if standing else 1.5}  # fmt: skip
    if standing:
        legend |= {"symbolStrokeColor": look.ink, "symbolSize": 100}
    channels = {
        channel: {"field": "mark", "type": "nominal", "legend": legend, "scale": {"domain": marks, "range": scale}}
        for channel, scale in paint.items()
    }
    height = (13 if many else 19) * len(names)
    width = {1: 300, 2: 150, 3: 110, 4: 80}.get(len(panels), 62)
    y: Spec = {"field": "row", "type": "ordinal", "title": None, **vl.ordered(names)}
    point: Spec = {"type": "point", "strokeWidth": 1.5}
    if standing:
        point = {"type": "point", "filled": True, "size": 80, "stroke": look.ink, "strokeWidth": 1}
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
        if words.get("shared"):
            x["scale"]["domain"] = [0, max(sheet.columns["value"], default=0) or 1]
        if words.get("rules", {}).get(panel) == 0.0:  # signs matter, so 0 has a label
            x |= vl.signed(cells["value"], title, titleFontSize=12, labelFontSize=12, format="~f")
            if all(float(value).is_integer() for value in cells["value"]):  # counts
                x["axis"]["values"] = [tick for tick in x["axis"]["values"] if tick.is_integer()]
            x["axis"] |= vl.only(_around_0(x, 70 if "narrow" in words else width))
        elif standing:
            # an axis begins at 0 where it is near
            x["scale"]["zero"] = 0 <= min(cells["value"]) <= 0.1 * max(cells["value"])
            rule = [words["rules"][panel]] if panel in words.get("rules", {}) else []
            among = [*cells["value"], *rule, *[0.0] * x["scale"]["zero"]]
            ticks, labelled = _numbered(among, 0.8 * width - 16, 3 if rule else 1)
            x["axis"] |= {"values": ticks, "tickCount": len(ticks), "format": "~f", **vl.only(labelled)}
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
        place = {"y": y_axis, "x": {"field": "value", **x}}
        if not standing:  # hollow marks hide the line that joins them, and no other mark
            for mark, shape, size in zip(marks[:-1], paint["shape"], paint["size"], strict=False):
                layer.append({"data": vl.values(rows_where(cells, "mark", mark)), "encoding": place,
                              "mark": vl.dot(size, look.ground, shape=shape)})  # fmt: skip
        layer.append({"mark": {**point, "opacity": 1, "tooltip": vl.TOOLTIP}, "encoding": {**place, **channels}})
        parts.append({"data": vl.values(cells), "width": width, "height": height, "layer": layer})
    for title, notes in {**words.get("texts", {}), "": words.get("notes")}.items():
        if notes:
            parts.append(_text(names, notes, title, y, height))
    return {"hconcat": parts, "spacing": 10, "resolve": {"scale": {"y": "shared"}}} if len(parts) > 1 else parts[0]


def _standings(every: Sequence[str], marks: Sequence[str], look: Theme) -> dict[str, list[Any]]:
    """Colour and shape of marks that say how one stands to the best, the same in all figures."""
    colours = dict(zip(every, (look.ink, look.ground, look.faint, look.rule), strict=False))
    shapes = dict(zip(every, ("circle", "circle", "triangle-down", "square"), strict=False))
    return {"color": [colours[mark] for mark in marks], "shape": [shapes[mark] for mark in marks]}


def _nested(marks: Sequence[str], look: Theme, many: bool) -> dict[str, list[Any]]:
    """Marks of which later ones, drawn on top, fit into those before them: all but the last are hollow, without a fill,
    so that none hides another at nearly the same value.
    """
    colours = list(look.lines[: len(marks)])
    sizes = [130, 50, 28] if many else [220, 80, 45]
    return {"stroke": colours, "fill": ["transparent"] * (len(marks) - 1) + colours[-1:],
            "shape": list(SHAPES[: len(marks)]), "size": sizes[: len(marks)]}  # fmt: skip


def _numbered(values: Sequence[float], room: float, most: int = 1) -> tuple[list[float], list[float]]:
    """Round numbers in equal steps within the range of some values, and those that have labels in so many pixels.

    Three labels or four where there is room for them, on one of up to `most` numbers; else two.

    >>> _numbered([8.1, 35.0], 60), _numbered([8.1, 35.0], 30), _numbered([7.0, 7.0], 30)
    (([10.0, 20.0, 30.0], [10.0, 20.0, 30.0]), ([10.0, 30.0], [10.0, 30.0]), ([7.0], [7.0]))
    >>> _numbered([0.42, 0.9], 72, 3)
    ([0.5, 0.6, 0.7, 0.8, 0.9], [0.5, 0.7, 0.9])
    """
    low, high = min(values), max(values)
    if low == high:
        return [low], [low]
    power = floor(log10(high - low)) - 1
    by_step = {}
    for step in (m * 10.0**e for e in range(power, power + 3) for m in (1, 2, 5)):
        by_step[step] = [round(i * step, 12) for i in range(ceil(low / step - 1e-9), floor(high / step + 1e-9) + 1)]
    for least, every in (*((3, step) for step in range(1, most + 1)), (2, 1)):
        for step, ticks in by_step.items():
            shown = ticks[::every]
            wide = max((text_width(f"{tick:g}", LETTERS) or 0.0 for tick in shown), default=0.0)
            if least <= len(shown) <= 4 and every * step / (high - low) * room >= wide + 8:
                return ticks, shown
    # the outer two of the coarsest that span most of the range
    wide_apart = [ticks for ticks in by_step.values() if ticks and ticks[-1] - ticks[0] >= 0.6 * (high - low)]
    outer = [wide_apart[-1][0], wide_apart[-1][-1]]
    return outer, outer


def _around_0(x: Spec, width: float) -> list[float]:
    """Ticks of a narrow panel that have a label: 0, and as many others in equal steps as there is room for."""
    ticks, (low, high) = x["axis"]["values"], x["scale"]["domain"]
    pixels = (width - 2 * x["scale"]["padding"]) / (high - low)
    wide = {tick: text_width(minus(f"{tick:g}"), LETTERS) or 0.0 for tick in ticks}
    for every in range(1, len(ticks)):
        shown = vl.from_zero(ticks, every)
        if all((b - a) * pixels >= (wide[a] + wide[b]) / 2 + 6 for a, b in pairwise(shown)):
            return shown
    return sorted({0.0, max(ticks, key=abs)})


def _text(names: Sequence[str], words: dict[str, Any], title: str, y: Spec, height: int) -> Spec:
    """A column of words beside the panels."""
    text: Columns = {"row": list(names), "text": [words.get(name) or "" for name in names]}
    head = {"title": {"text": title, "fontWeight": "normal", "fontSize": 12, "orient": "bottom", "anchor": "start",
                      "frame": "group"}} if title else {}  # fmt: skip
    return {
        "data": vl.values(text), "width": round(max(54, vl.room(text["text"], font=12))), "height": height, **head,
        "mark": {"type": "text", "align": "left", "fontSize": 12},
        "encoding": {"y": {**y, "axis": None}, "x": {"value": 0}, "text": {"field": "text", "type": "nominal"}},
    }  # fmt: skip
