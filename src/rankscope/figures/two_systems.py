"""Two systems: differences topic by topic, and the dominance profile."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from rankscope.arguments import whole_number
from rankscope.comparisons import Comparison, Gate
from rankscope.comparisons.exact_differences import scores_to_test
from rankscope.comparisons.metric_mapping import A_AHEAD, B_AHEAD, EQUAL, SURE
from rankscope.comparisons.slices import Slices
from rankscope.errors import InputError, plural
from rankscope.figures import vega as vl
from rankscope.figures.chart import Columns, Sheet, unique
from rankscope.figures.forest import Row, forest_sheet
from rankscope.figures.theme import NOT_SHOWN, OUTCOMES, WITHOUT_METRIC, Spec, Theme
from rankscope.formatting import p_value, score, short_probability
from rankscope.preferences import Dominance
from rankscope.statistics.equality import difference

AHEAD = (A_AHEAD, EQUAL, B_AHEAD)  # by the sign of B - A, plus 1
NOT_SURE = "datum.label + (slice(datum.label, -6) == ' ahead' ? ', not significant' : '')"
"""What legends add to the classes that `SURE` marks as significant."""
NAMED = 30  # topics up to which they are named
APART = 150  # topics up to which there is room between their bars
DRAWN = 1000  # points that are drawn, evenly spaced in their order
NEAR = 0.03  # of the range of differences, within which the line of the mean is close to 0
BARS = 420  # topics that are drawn as bars, evenly spaced in their order: there are no more pixels


def differences_sheet(comparison: Comparison, *, most: int | None = None) -> Sheet:
    """B - A on each topic, the largest loss first, and IPSO's class of the topic where it is known.

    most  of more topics so many are drawn, evenly spaced from the largest loss to the largest gain; 420 by default
    """
    most = BARS if most is None else whole_number("most", most, 2)
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
        subtitle=f"B minus A, topic by topic; dashed line: mean, bar at its right end: {100 * e.level:g} % interval\n"
        f"mean {score(e.difference)} [{score(e.lower)}, {score(e.upper)}], {effect_test(comparison)}\n"
        f"B higher on {plural(e.won, 'topic')}, A on {e.lost:,}, the same on {e.tied:,}"
        + ("" if comparison.without is None else f"\n{WITHOUT_METRIC}"),
        more={"mean": {"mean": [e.difference], "lower": [e.lower], "upper": [e.upper]}},
        words={"y": [f"B - A, {comparison.measure}", vl.FOR_B], "x": under},
    )


def effect_test(comparison: Comparison) -> str:
    """The p value of a comparison, and by which test."""
    e, n = comparison.effect, comparison.n_systems
    planned = f"; one planned pair of {n * (n - 1) // 2:,}, not corrected" if n > 2 else ""
    return f"{p_value(e.pvalue, exact=False)} ({e.test_name}{planned})"


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
            {"mark": {"type": "bar", "tooltip": vl.TOOLTIP} if apart else vl.seamless("outcome", 0.3, type="bar"),
             "encoding": {"x": {**x, "axis": None} if with_ipso else topic_axis, "y": {"field": "difference", **y},
                          "color": vl.coloured("outcome", meaning)}},
            {"data": mean, **vl.zero_line(look, "y")},
            *({"data": mean, "mark": {"type": "rule", "strokeDash": [5, 3], **line},
               "encoding": {"y": {"field": "mean", **y}}} for line in _mean_line(sheet, look)),
            {"data": mean, "mark": {"type": "rule", "color": look.ink, "strokeWidth": 5, "xOffset": 9, "clip": False,
                                    "tooltip": vl.TOOLTIP},
             "encoding": {"x": {"value": "width"}, "y": {"field": "lower", **y}, "y2": {"field": "upper"}}},
        ],
    }  # fmt: skip
    data = vl.values(sheet.columns)
    if not with_ipso:
        return {"data": data, **bars}
    strip = {
        "width": 420, "height": 14,
        "mark": {"type": "rect", "tooltip": vl.TOOLTIP} if apart else vl.seamless("ipso", 0.6),
        "encoding": {"x": topic_axis, "y": {"value": 0}, "y2": {"value": 14}, "color": vl.coloured("ipso", meaning)},
    }  # fmt: skip
    return {"data": data, "vconcat": [bars, strip], "spacing": 6, "resolve": {"scale": {"color": "shared"}}}


def _mean_line(sheet: Sheet, look: Theme) -> list[Spec]:
    """The line of the mean, outlined, so that it is seen on bars of any colour; close to 0 that would hide them."""
    (mean,), differences = sheet.more["mean"]["mean"], [0.0, *sheet.columns["difference"]]
    close = abs(mean) < NEAR * (max(differences) - min(differences))
    outline: Spec = {"color": look.ground, "strokeWidth": 3.5}
    return [*([] if close else [outline]), {"color": look.ink, "strokeWidth": 1 if close else 1.5}]


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
        subtitle=f"{b} (B) against {a} (A); {comparison.measure}; bars: {100 * e.level:g} % intervals"
        + ("" if ends is None else f"\n{_bounds(ends.exact)}"),
    )  # fmt: skip


def _bounds(exact: bool) -> str:
    """What the row of unjudged documents is."""
    if exact:
        return "last row: from the lowest to the highest value with other grades of unjudged documents"
    return "last row: no grades of unjudged documents give a value outside; values near its ends may be impossible"


def _choices_title(comparison: Comparison) -> str:
    """Whether the verdict holds for both orders of ties, and whether grades of unjudged documents could turn it."""
    ties = [again for again in comparison.repetitions if again.axis == "ties"]
    same = sum(again.verdict == comparison.verdict for again in ties)
    parts = [f"the verdict is the same in {same} of {plural(len(ties), 'order')} of ties"] if ties else []
    if comparison.unjudged is not None:
        ends = comparison.unjudged
        if not ends.lower < 0 < ends.upper:
            parts.append("unjudged documents cannot change the sign of the difference")
        elif ends.exact:
            parts.append("unjudged documents could change the sign of the difference")
        else:
            parts.append("the bounds from unjudged documents include 0")
    text = "; ".join(parts)
    return text[0].upper() + text[1:]


def gate_sheet(gate: Gate) -> Sheet:
    """One row per check of a gate: candidate (B) minus baseline (A) with the interval that decides."""
    gates = [gate, *gate.also]
    rows = [
        Row(f"{name} ({check.n_topics:,})", check.effect.difference, check.effect.lower, check.effect.upper,
            outcome=check.outcome)
        for each in gates for check in each.checks if check.effect is not None
        for name in [check.name if each is gate else f"{each.measure}, {check.name}"]
    ]  # fmt: skip
    a, b = vl.short(gate.baseline), vl.short(gate.candidate)
    margin = gate.margin if {each.margin for each in gates} == {gate.margin} and gate.margin else None
    groups = gate.slices
    sliced = "" if groups is None else f", slices of {attribute_words(groups)}"
    named = None if groups is None else replace(groups, by=groups.meaning or groups.by)
    return forest_sheet(
        rows, title=_gate_title(replace(gate, baseline=a, candidate=b, slices=named)),
        x=f"B - A, {gate.measure}{_others(gate)}", margin=margin,
        subtitle=f"{b}, candidate (B), against {a}, baseline (A), on {gate.measure}{sliced}; in brackets: topics\n"
        f"{_levels(gates)}\n{_pass(gates, margin)}{_role(gate)}",
    )  # fmt: skip


def _gate_title(gate: Gate) -> str:
    """The outcome, and how all topics together and the slices stand to it."""
    deciding = next(check for _, check in gate.deciding if check.outcome == gate.outcome)
    every, *slices = gate.checks
    if deciding.effect is None or not any(deciding is check for check in slices):
        return gate.sentence().removesuffix(".")
    named = [check.name for check in slices if check.outcome == gate.outcome]
    one = len(named) == 1
    where = f"slice {vl.short(named[0])}" if one else f"{len(named):,} of {len(slices):,} slices"
    open_ = f"{where} {'is' if one else 'are'} inconclusive"
    found = open_ if gate.outcome == "inconclusive" else f"is worse than {gate.baseline} on {where}"
    whole = "passes" if every.outcome == "pass" else "is inconclusive"
    return f"{gate.outcome.upper()}: {gate.candidate} {whole} over all topics together, but {found}"


def _others(gate: Gate) -> str:
    """Which measures the last rows of a gate have, for the title of the axis."""
    names = [other.measure for other in gate.also if other.checks[0].effect is not None]
    rows = "last row" if len(names) == 1 else f"last {len(names):,} rows"
    return f"; {rows}: {', '.join(map(vl.short, names))}" if names else ""


def _role(gate: Gate) -> str:
    """What rows of further measures are beside the checks."""
    names = [other.measure for other in gate.also if other.checks[0].effect is not None]
    if not names:
        return ""
    few = vl.listed(list(map(vl.short, names)))
    counts = "counts" if len(names) == 1 else "count"
    role = f"{counts} for the verdict, too" if gate.all_decide else "not part of the verdict"
    return f"\n{few}, over all topics together: {role}"


def _pass(gates: Sequence[Gate], margin: float | None) -> str:
    """What the outcomes of a gate say of intervals."""
    least = f"the dashed line, a loss of {margin:.4g}" if margin else "0"
    if not margin and any(gate.margin for gate in gates):
        least = "minus the margin"
    return f"pass: the interval is above {least}; regression: otherwise, if it is below 0; inconclusive: neither"


def attribute_words(groups: Slices) -> str:
    """The attribute in the words of the result; a long name of a column is cut."""
    return groups.attribute if groups.meaning else vl.short(groups.by)


def _levels(gates: Sequence[Gate]) -> str:
    """Levels of the intervals of a gate: of all topics, and of slices where it is another."""
    effects = [[check.effect for check in part if check.effect is not None] for part in (
        [gate.checks[0] for gate in gates], [check for gate in gates for check in gate.checks[1:]])]  # fmt: skip
    every, slices = ([f"{100 * level:.4g}" for level in sorted({effect.level for effect in part})] for part in effects)
    if not slices or slices == every:
        return f"intervals: {' to '.join(unique([every[0], every[-1]]))} %"
    span = " to ".join(unique([slices[0], slices[-1]]))
    return (
        f"intervals: {' to '.join(unique([every[0], every[-1]]))} % for all topics, {span} % for each slice, "
        "as several slices are tested (Holm's correction)"
    )


def outcome_word(verdict: int) -> str:
    """The verdict in the word of legends."""
    return {-1: A_AHEAD, 1: B_AHEAD, 0: NOT_SHOWN}[verdict]


def dominance_sheet(tested: Dominance) -> Sheet:
    """D(j), gain of the second system (B) minus that of the first (A) down to each rank, with both bands."""
    columns: Columns = dict(tested.columns())
    alpha = (1 - tested.level) / 2  # of one direction
    columns["outcome"] = [
        AHEAD[int(np.sign(d)) + 1] + SURE * bool(d and min(p, reverse) <= alpha)
        for d, p, reverse in zip(columns["difference"], tested.pvalues, tested.pvalues_reverse, strict=True)
    ]
    a, b = map(vl.short, tested.systems)
    return Sheet(
        columns=columns,
        title=_dominance_title(tested, f"{a} (A)", f"{b} (B)"),
        subtitle=f"means over {plural(tested.n_topics, 'topic')}; gain: {tested.covers.gains}\n"
        f"significant: p of one direction at most {alpha:.4g}, uncorrected; of a point: p for the sum to this rank; of "
        f"all ranks: universal p, the largest of these, which is {short_probability(tested.pvalue)} in the test for B "
        f"ahead and {short_probability(tested.pvalue_reverse)} in the test for A ahead\n"
        f"p by {tested.method}; {100 * tested.level:g} % bands by Student's t, which can differ from p: "
        + _bands(tested),
        words={"y": ["mean of summed gain, B - A", vl.FOR_B]},
    )


def _bands(tested: Dominance) -> str:
    """Which band is which; ranks down to which all topics tie have none."""
    if np.array_equal(tested.lower, tested.lower_all, equal_nan=True):
        return "the one at each rank by itself and the one at all ranks at once are the same here"
    return "the inner one at each rank by itself, the outer one at all ranks at once"


def _dominance_title(tested: Dominance, a: str, b: str) -> str:
    """Whose gain, summed from the first rank, is on average nowhere below the other's."""
    depth = max(tested.ranks)
    if tested.favours is None:
        same = not tested.fails and not tested.fails_reverse
        return (
            f"At every rank down to {depth}, the summed mean gains of {b} and {a} are equal" if same
            else f"Neither {b} nor {a} is ahead in mean gain summed down to every rank to {depth}"
        )  # fmt: skip
    ahead, other = (b, a) if tested.fails_reverse else (a, b)
    p = tested.pvalue if tested.fails_reverse else tested.pvalue_reverse
    sure = "" if p <= (1 - tested.level) / 2 else "not "
    of_all = f"({sure}significant: universal {p_value(p, exact=False)})"
    return f"At every rank down to {depth}, the summed mean gain of {ahead} is not below that of {other} {of_all}"


def significances(look: Theme) -> dict[str, str]:
    """Colours of who is ahead, paler where that is not significant."""
    return {
        A_AHEAD + SURE: look.a, A_AHEAD: look.a_faint, EQUAL: look.equal, B_AHEAD: look.b_faint, B_AHEAD + SURE: look.b,
    }  # fmt: skip


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
    x: Spec = {"field": "rank", "type": "quantitative", "title": "summed down to rank",
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
            "color": vl.coloured("outcome", vl.occurring(significances(look), sheet.columns["outcome"]),
                                 labelExpr=NOT_SURE, labelLimit=200, columns=2, symbolType="circle",
                                 symbolStrokeColor=look.ink),
        },
    }  # fmt: skip
    zero = {"mark": {"type": "rule", "color": look.ink, "strokeWidth": 1.2}, "encoding": {"y": {"datum": 0}}}
    return {
        "data": vl.values(sheet.columns), "width": 400, "height": 220,
        "layer": [band("lower_all", "upper_all", 0.28), band("lower", "upper", 0.36), zero, line, points],
    }  # fmt: skip
