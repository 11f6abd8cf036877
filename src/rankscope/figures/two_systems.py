"""Two systems: differences topic by topic, and the dominance profile."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from rankscope.arguments import whole_number
from rankscope.comparisons import Comparison, Gate
from rankscope.comparisons.evidence import OUTER
from rankscope.comparisons.exact_differences import scores_to_test
from rankscope.comparisons.metric_mapping import A_AHEAD, B_AHEAD, EQUAL
from rankscope.comparisons.slices import Slices
from rankscope.errors import InputError, plural
from rankscope.figures import vega as vl
from rankscope.figures.chart import Columns, Sheet, unique
from rankscope.figures.forest import Row, forest_sheet
from rankscope.figures.theme import OUTCOMES, UNDECIDED, Spec, Theme
from rankscope.formatting import probability, score
from rankscope.preferences import Dominance
from rankscope.statistics.equality import difference

AHEAD = (A_AHEAD, EQUAL, B_AHEAD)  # by the sign of B - A, plus 1
NAMED = 30  # topics up to which they are named
APART = 150  # topics up to which there is room between their bars
DRAWN = 1000  # topics that are drawn, evenly spaced in their order: there are no more pixels


def differences_sheet(comparison: Comparison, *, most: int | None = None) -> Sheet:
    """B - A on each topic, the largest loss first, and IPSO's class of the topic where it is known.

    most  of more topics so many are drawn, evenly spaced from the largest loss to the largest gain; 1,000 by default
    """
    most = DRAWN if most is None else whole_number("most", most, 2)
    a, b, _ = scores_to_test(comparison.scored, 0, 1)
    apart, _ = difference(a, b)
    every = np.lexsort((np.arange(len(a)), apart))
    order = every[np.linspace(0, len(a) - 1, min(len(a), most)).round().astype(int)].tolist()
    sign = np.sign(apart).astype(int)
    columns: Columns = {
        "place": list(range(1, len(order) + 1)),
        "topic": [comparison.scored.topics[t] for t in order],
        "difference": apart[order].tolist(),
        "outcome": [AHEAD[sign[t] + 1] for t in order],
    }
    if comparison.without is not None:
        ipso = comparison.without.ipso
        classes = dict(zip(ipso.topics, ipso.outcome.tolist(), strict=True))
        columns["ipso"] = [OUTCOMES[classes[topic]] if topic in classes else None for topic in columns["topic"]]
    e = comparison.effect
    under = ["topics" if len(order) == len(a) else f"{len(order):,} of {len(a):,} topics, evenly spaced"]
    if comparison.without is not None:
        under.append(f"strip: IPSO to depth {comparison.without.ipso.depth}{comparison.without.ipso.order.caption}")
    return Sheet(
        columns=columns,
        title=verdict_title(comparison),
        subtitle=f"B minus A, topic by topic; dashed line: mean, band: its {100 * e.level:g} % interval\n"
        f"mean {score(e.difference)} [{score(e.lower)}, {score(e.upper)}], "
        f"p = {probability(e.pvalue)}; B higher on {plural(e.won, 'topic')}, A on {e.lost:,}, the same on {e.tied:,}",
        more={"mean": {"mean": [e.difference], "lower": [e.lower], "upper": [e.upper]}},
        words={"y": [f"B - A, {comparison.measure}", vl.FOR_B], "x": under},
    )


def verdict_title(comparison: Comparison) -> str:
    """The verdict of a comparison, with the letters of both systems."""
    a, b = (f"{vl.short(name)} ({letter})" for name, letter in zip(comparison.systems, "AB", strict=True))
    if comparison.verdict == 0:
        return f"No difference between {b} and {a} is shown on {comparison.measure}"
    ahead, other = (b, a) if comparison.verdict > 0 else (a, b)
    return f"{ahead} scores higher than {other} on {comparison.measure}"


def differences(sheet: Sheet, look: Theme) -> Spec:
    """Bars, the mean and its interval, and a strip of IPSO's classes below."""
    with_ipso = "ipso" in sheet.columns
    apart = len(sheet.columns["place"]) <= APART
    x: Spec = {"field": "place", "type": "ordinal",
               "scale": {"paddingInner": 0.15 if apart else 0, "paddingOuter": 0}}  # fmt: skip
    topic_axis = {**x, "axis": _topics(sheet)}
    mean = vl.values(sheet.more["mean"])
    y: Spec = {"type": "quantitative", "title": sheet.words["y"], "axis": {"tickCount": 6}}
    meaning = vl.occurring(look.outcomes(), sheet.columns["outcome"], sheet.columns.get("ipso", ()))
    bars: Spec = {
        "width": 420, "height": 210,
        "layer": [
            {"data": mean, "mark": {"type": "rect", "color": look.faint, "opacity": 0.25},
             "encoding": {"y": {"field": "lower", **y}, "y2": {"field": "upper"}}},
            {"mark": {"type": "bar", "tooltip": vl.TOOLTIP} if apart else vl.seamless("outcome", 0.3, type="bar"),
             "encoding": {"x": {**x, "axis": None} if with_ipso else topic_axis, "y": {"field": "difference", **y},
                          "color": vl.coloured("outcome", meaning)}},
            {"data": mean, **vl.zero_line(look, "y")},
            {"data": mean, "mark": {"type": "rule", "color": look.ink, "strokeDash": [5, 3], "strokeWidth": 1.5},
             "encoding": {"y": {"field": "mean", **y}}},
        ],
    }  # fmt: skip
    data = vl.values(sheet.columns)
    if not with_ipso:
        return {"data": data, **bars}
    strip = {
        "width": 420, "height": 14,
        "mark": {"type": "rect", "tooltip": vl.TOOLTIP} if apart else vl.seamless("ipso", 0.3),
        "encoding": {"x": topic_axis, "y": {"value": 0}, "y2": {"value": 14}, "color": vl.coloured("ipso", meaning)},
    }  # fmt: skip
    return {"data": data, "vconcat": [bars, strip], "spacing": 6, "resolve": {"scale": {"color": "shared"}}}


def _topics(sheet: Sheet) -> Spec:
    """Topics are named where there is room."""
    plain = {"title": sheet.words["x"], "ticks": False, "domain": False}
    names = sheet.columns["topic"]
    if len(names) > NAMED:
        return {**plain, "values": []}
    return {**plain, **vl.numbered(names), "labelAngle": -90, "labelLimit": 120}


def choices_sheet(comparison: Comparison) -> Sheet:
    """B - A as it is, with tied documents at their best for A and for B, and the bounds from unjudged documents.

    Bounds have no verdict, no interval and no point: outcome and estimate are None.
    """
    e = comparison.effect
    rows = [Row("as it is", e.difference, e.lower, e.upper, outcome=outcome_word(comparison.verdict))]
    for again in comparison.repetitions:
        if again.axis == "ties":
            tested = again.effect
            rows.append(Row(f"ties {again.name.split(',')[0]}", tested.difference, tested.lower, tested.upper,
                            outcome=outcome_word(again.verdict)))  # fmt: skip
    ends = comparison.unjudged
    if ends is not None:
        rows.append(Row("unjudged, bounds", None, ends.lower, ends.upper))
    if len(rows) == 1:
        raise InputError("nothing but the comparison itself was tried",
                         "compare lists, with others=True; for ties load them with keep_ties=True")  # fmt: skip
    a, b = map(vl.short, comparison.systems)
    return forest_sheet(
        rows, title=_choices_title(comparison), x=f"B - A, {comparison.measure}",
        subtitle=f"{b} (B) against {a} (A); {comparison.measure}, {100 * e.level:g} % intervals"
        + ("" if ends is None or ends.exact else f"\nbounds for unjudged documents are {OUTER}"),
    )  # fmt: skip


def _choices_title(comparison: Comparison) -> str:
    """Whether the verdict holds for both orders of ties, and whether grades of unjudged documents could turn it."""
    ties = [again for again in comparison.repetitions if again.axis == "ties"]
    same = sum(again.verdict == comparison.verdict for again in ties)
    parts = [f"the verdict is the same in {same} of {plural(len(ties), 'order')} of ties"] if ties else []
    if comparison.unjudged is not None:
        sign = comparison.unjudged.lower < 0 < comparison.unjudged.upper
        parts.append(f"unjudged documents {'could' if sign else 'cannot'} change the sign of the difference")
    text = "; ".join(parts)
    return text[0].upper() + text[1:]


def gate_sheet(gate: Gate) -> Sheet:
    """One row per check of a gate: candidate (B) minus baseline (A) with the interval that decides."""
    gates = [gate, *gate.also]
    rows = [
        Row(f"{name} ({check.n_topics:,})", check.effect.difference, check.effect.lower, check.effect.upper)
        for each in gates for check in each.checks if check.effect is not None
        for name in [check.name if each is gate else f"{each.measure}, {check.name}"]
    ]  # fmt: skip
    a, b = vl.short(gate.baseline), vl.short(gate.candidate)
    margin = gate.margin if {each.margin for each in gates} == {gate.margin} and gate.margin else None
    groups = gate.slices
    sliced = "" if groups is None else f", slices of {attribute_words(groups)}"
    named = None if groups is None else replace(groups, by=groups.meaning or groups.by)
    return forest_sheet(
        rows, title=replace(gate, baseline=a, candidate=b, slices=named).sentence().removesuffix("."),
        x="B - A" if gate.also else f"B - A, {gate.measure}", margin=margin,
        subtitle=f"{b}, candidate (B), against {a}, baseline (A), on {gate.measure}{sliced}; in brackets: topics\n"
        + _levels(gates)
        + (f"; dashed: a loss of the margin, {margin:.4g}" if margin else ""),
    )  # fmt: skip


def attribute_words(groups: Slices) -> str:
    """The attribute in words: what a computed one is, else the name of the column."""
    return f"the {groups.meaning}" if groups.meaning else vl.short(groups.by)


def _levels(gates: Sequence[Gate]) -> str:
    """Levels of the intervals of a gate: of all topics, and of slices where it is another."""
    effects = [[check.effect for check in part if check.effect is not None] for part in (
        [gate.checks[0] for gate in gates], [check for gate in gates for check in gate.checks[1:]])]  # fmt: skip
    every, slices = ([f"{100 * level:.4g}" for level in sorted({effect.level for effect in part})] for part in effects)
    if not slices or slices == every:
        return f"{' to '.join(unique([every[0], every[-1]]))} % intervals"
    span = " to ".join(unique([slices[0], slices[-1]]))
    return (
        f"{' to '.join(unique([every[0], every[-1]]))} % intervals of all topics, {span} % of slices, "
        "so that what is said of all slices holds together (Holm)"
    )


def outcome_word(verdict: int) -> str:
    """The verdict in the word of legends."""
    return {-1: A_AHEAD, 1: B_AHEAD, 0: UNDECIDED}[verdict]


def dominance_sheet(tested: Dominance) -> Sheet:
    """D(j), gain of the second system (B) minus that of the first (A) down to each rank, with both bands."""
    columns: Columns = dict(tested.columns())
    columns["outcome"] = [AHEAD[int(np.sign(d)) + 1] for d in columns["difference"]]
    a, b = map(vl.short, tested.systems)
    return Sheet(
        columns=columns,
        title=_dominance_title(tested, a, b),
        subtitle=f"universal p: {b} higher {_below_one(tested.pvalue)}, {a} higher "
        f"{_below_one(tested.pvalue_reverse)}; {plural(tested.n_topics, 'topic')}; colours: who is ahead on these "
        "topics, significant or not\n"
        f"p by {tested.method}; {100 * tested.level:g} % bands by Student's t: the inner one at each rank by itself, "
        "the outer one at all ranks at once",
        words={"y": ["gain to rank j, B - A", vl.FOR_B]},
    )


def _below_one(p: float) -> str:
    """A p value that is not rounded to 1."""
    return "> 0.9999" if 0.99995 <= p < 1 else probability(p)


def _dominance_title(tested: Dominance, a: str, b: str) -> str:
    """Who is nowhere behind on these topics, and the universal p."""
    a, b = f"{a} (A)", f"{b} (B)"
    if tested.favours is None:
        same = not tested.fails and not tested.fails_reverse
        return (
            f"{b} and {a} have the same gain to every rank" if same else f"Neither {b} nor {a} is ahead at every rank"
        )
    ahead, other, p = (b, a, tested.pvalue) if tested.fails_reverse else (a, b, tested.pvalue_reverse)
    return f"{ahead} is nowhere behind {other} on these topics; universal p {_below_one(p)}"


def comparison_dominance_sheet(comparison: Comparison) -> Sheet:
    """The same in a comparison."""
    if comparison.without is None:
        raise InputError("dominance was not tested", "it needs lists, and relevant documents in them")
    if comparison.without.dominance is None:
        raise InputError("dominance was not tested", comparison.without.no_dominance)
    return dominance_sheet(comparison.without.dominance)


def dominance(sheet: Sheet, look: Theme) -> Spec:
    """The profile, a band within a band, and the line of no difference."""
    ranks = sheet.columns["rank"]
    x: Spec = {"field": "rank", "type": "quantitative", "title": "down to rank j",
               "scale": {"domain": [ranks[0], max(ranks[-1], ranks[0] + 1)], "nice": False},
               "axis": {"grid": False, "tickMinStep": 1, "format": "d"}}  # fmt: skip
    if len(ranks) > 50 and ranks[0] > 0:
        x["scale"]["type"] = "log"
        x["axis"]["values"] = [r for r in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000) if ranks[0] <= r <= ranks[-1]]
    y = {"type": "quantitative", "title": sheet.words["y"]}

    def band(low: str, high: str, opacity: float) -> Spec:
        return {"mark": {"type": "area", "color": look.faint, "opacity": opacity},
                "encoding": {"x": x, "y": {"field": low, **y}, "y2": {"field": high}}}  # fmt: skip

    line = {"mark": {"type": "line", "color": look.ink}, "encoding": {"x": x, "y": {"field": "difference", **y}}}
    points = {
        "mark": vl.outlined(55 if len(ranks) <= 50 else 20, look),
        "encoding": {
            "x": x, "y": {"field": "difference", **y},
            "color": vl.coloured("outcome", vl.occurring(look.outcomes(), sheet.columns["outcome"])),
        },
    }  # fmt: skip
    zero = {"mark": {"type": "rule", "color": look.ink, "strokeWidth": 1.2}, "encoding": {"y": {"datum": 0}}}
    return {
        "data": vl.values(sheet.columns), "width": 400, "height": 220,
        "layer": [band("lower_all", "upper_all", 0.18), band("lower", "upper", 0.28), zero, line, points],
    }  # fmt: skip
