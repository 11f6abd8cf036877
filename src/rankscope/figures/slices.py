"""Slices of topics: the difference on each as a forest plot, and topic by topic against a numeric attribute."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from rankscope.comparisons import Comparison
from rankscope.comparisons.exact_differences import scores_to_test
from rankscope.comparisons.scored import FEWEST
from rankscope.comparisons.slices import Slices, caution_on
from rankscope.errors import InputError, are, argument, plural
from rankscope.figures import vega as vl
from rankscope.figures.chart import Sheet, columns_of, picked
from rankscope.figures.forest import Row, forest_sheet
from rankscope.figures.theme import Spec, Theme
from rankscope.figures.two_systems import AHEAD, DRAWN, attribute_words, outcome_word
from rankscope.formatting import p_value, score
from rankscope.statistics.equality import difference

SIZE = (400, 240)  # pixels of the plot of an attribute
MOST_POINTS = 200  # topics up to which points and means of slices share a panel
FOLD = 8  # times the median from which on the largest value of an attribute makes its axis logarithmic, or of roots


def are_known(comparison: Comparison) -> bool:
    """Whether topics were sliced."""
    return comparison.slices is not None


def are_numbers(comparison: Comparison) -> bool:
    """Whether they were sliced by numbers."""
    return comparison.slices is not None and comparison.slices.numbers is not None


def slices_sheet(groups: Slices) -> Sheet:
    """One row per slice: B - A with its interval, and whether it is significant by Holm's procedure over slices."""
    levels = {part.effect.level for part in groups.slices if part.effect}
    level = "".join(f"{100 * level:.4g} % intervals; " for level in levels)
    return _forest(groups, [], f"{level}over all topics {score(groups.overall)}")


def comparison_slices_sheet(comparison: Comparison) -> Sheet:
    """The same in a comparison, with all topics together below."""
    groups, e = _groups(comparison), comparison.effect
    verdict = outcome_word(comparison.verdict)
    every = Row(f"all topics ({e.n_topics:,})", e.difference, e.lower, e.upper, outcome=verdict, summary=True)
    return _forest(groups, [every], f"{100 * e.level:g} % intervals")


def _forest(groups: Slices, below: list[Row], about: str) -> Sheet:
    tested = [(f"{part.name} ({part.n_topics:,})", part.effect, part.verdict) for part in groups.slices if part.effect]
    if not tested:
        raise InputError(f"no slice of {groups.by} has {FEWEST} topics", "choose fewer slices")
    rows = [Row(name, e.difference, e.lower, e.upper, outcome=outcome_word(verdict)) for name, e, verdict in tested]
    a, b = map(vl.short, groups.systems)
    small = len(groups.slices) - len(tested)
    shown = any(verdict for *_, verdict in tested)
    ahead = f"; ahead: p below {groups.alpha:g}" if shown else f"; no difference shown: p of {groups.alpha:g} or more"
    ahead += " after Holm's correction over slices"
    left = f"; {are(small, 'slice')} too small to be drawn" if small else ""
    apart = any(e.ends[0] is not None and (e.lower > 0 or e.upper < 0) and not verdict for _, e, verdict in tested)
    uncorrected = "; an interval of one slice alone can exclude 0 where no difference is shown" if apart else ""
    return forest_sheet(
        [*rows, *below], title=_title(groups), x=f"B - A, {groups.measure}",
        subtitle=f"{b} (B) against {a} (A) by slices of {attribute_words(groups)}; {groups.measure}, {about}; number "
        f"of topics in brackets{left}\n"
        f"intervals are of each slice alone{ahead}{uncorrected}{_interaction(groups)}",
    )  # fmt: skip


def _title(groups: Slices) -> str:
    """A slice that reverses the verdict, else the answer of the test of interaction."""
    if groups.reversed:
        names, ahead = [part.name for part in groups.reversed], groups.systems[groups.verdict < 0]
        where = f"slice {vl.short(names[0])}" if len(names) == 1 else plural(len(names), "slice")
        return f"Reversed on {where} of {attribute_words(groups)}: {vl.short(ahead)} is shown to score higher there"
    if groups.interaction is None:
        return f"B - A by {attribute_words(groups)}"
    shown = "is shown to depend" if groups.interaction.pvalue < groups.alpha else "is not shown to depend"
    return f"The difference {shown} on {attribute_words(groups)}"


def _interaction(groups: Slices) -> str:
    """The test behind the answer, and what to beware of, for a caption."""
    tested = groups.interaction
    p = "" if tested is None else f"; {tested.method} over slices: {p_value(tested.pvalue, exact=False)}"
    caution = caution_on(groups.meaning)
    return p + (f"\n{caution[0].lower()}{caution[1:]}" if caution else "")


def attribute_sheet(comparison: Comparison) -> Sheet:
    """One row per topic: its attribute and B - A; in `slices` one row per slice with its mean and interval.

    Of more than `DRAWN` topics so many are drawn, evenly spaced in the order of the attribute.
    """
    groups = _groups(comparison)
    if groups.numbers is None:
        raise InputError(f"the values of {groups.by} are no numbers", "the figure 'slices' draws slices by name")
    apart, _ = difference(*scores_to_test(comparison.scored, 0, 1)[:2])
    known = np.flatnonzero(np.isfinite(groups.numbers))
    order = known[np.argsort(groups.numbers[known], kind="stable")]
    drawn = order[np.linspace(0, len(order) - 1, min(len(order), DRAWN)).round().astype(int)]
    rows = [
        (comparison.scored.topics[t], float(groups.numbers[t]), float(apart[t]), AHEAD[int(np.sign(apart[t])) + 1])
        for t in drawn.tolist()
    ]
    places = [(number, round(by, 9)) for _, number, by, _ in rows]
    together = Counter(places)
    areas = _areas(list(together.values()), len(drawn))
    of_drawn = " of those drawn" if len(drawn) < len(order) else ""
    several = ", or for several in one place; area of a point: its number of topics"
    shared = f"{several}{of_drawn}{areas.words}" if areas.most > 1 else ""
    if len(drawn) <= MOST_POINTS:
        shared += _close(together, areas)
    means, first = [], 0
    for part in groups.slices:  # in the order of the attribute
        own = groups.numbers[order[first : first + part.n_topics]]
        first += part.n_topics
        if part.effect is not None and len(own):
            ends = float(own[0]), float(own[-1])
            middle = float(own[(len(own) - 1) // 2])
            means.append((part.name, *ends, middle, part.n_topics, part.effect.difference, *part.effect.ends))
    a, b = map(vl.short, comparison.systems)
    thinned = f"; {len(drawn):,} of {len(order):,} topics, evenly spaced" if len(drawn) < len(order) else ""
    missing = len(groups.numbers) - len(known)
    without = f"; {plural(missing, 'topic')} without a value" if missing else ""
    bars = "bars" if len(drawn) <= MOST_POINTS else "bars below, on a scale of their own"
    return Sheet(
        columns={
            **columns_of(("topic", "attribute", "difference", "outcome"), rows),
            "topics": [together[place] for place in places],
        },
        title=_title(groups),
        subtitle=f"{b} (B) minus {a} (A), one point per topic{shared}{thinned}{without}\n"
        f"{bars}: the mean of each slice, with its {100 * comparison.effect.level:g} % interval at the middle topic"
        f"{_interaction(groups)}",
        more={"slices": columns_of(("slice", "from", "to", "middle", "n_topics", "mean", "lower", "upper"), means)},
        words={"x": groups.meaning or vl.short(groups.by), "y": [f"B - A, {comparison.measure}", vl.FOR_B],
               "area": f"topics{of_drawn}"},
    )  # fmt: skip


def _close(together: Counter[tuple[float, float]], areas: vl.Areas) -> str:
    """How many points cannot be told apart, for a caption.

    together  topics of each point, by the attribute and by B - A
    """
    x, y = (np.array(side) for side in zip(*together, strict=True))
    scale = _scale(sorted(number for number, _ in together.elements()))
    x = np.log(x) if scale == "log" else np.sqrt(x) if scale == "sqrt" else x
    x, y = (side * each / (np.ptp(each) or 1.0) for side, each in zip(SIZE, (x, y), strict=True))
    return vl.crowded(x.tolist(), y.tolist(), list(map(areas.area, together.values())))


def _areas(topics: Sequence[int], drawn: int) -> vl.Areas:
    """Areas of points by their topics."""
    return vl.Areas.of(topics, *((45, 420, 20) if drawn <= MOST_POINTS else (16, 420, 9)))


def attribute(sheet: Sheet, look: Theme) -> Spec:
    """A point per topic, a bar per slice at its mean, and the line of no difference.

    Bars would be lost in a cloud of many points, beside whose range the means are small: they have a panel below then.
    """
    numbers = sheet.columns["attribute"]
    x = _axis(numbers, sheet.words["x"])
    few = len(numbers) <= MOST_POINTS
    y = {"type": "quantitative", "title": sheet.words["y"], "axis": {"tickCount": 5}}
    means = sheet.more["slices"]
    of_means = y if few else vl.signed([*means["lower"], *means["upper"]], "mean of B - A")
    areas = _areas(sheet.columns["topics"], len(numbers))
    size = areas.channel("topics", sheet.words["area"])
    colour = vl.coloured("outcome", vl.occurring(look.outcomes(), sheet.columns["outcome"]))
    topics: Spec = {"mark": vl.outlined(45, look, few=few),
                    "encoding": {"x": {"field": "attribute", **x}, "y": {"field": "difference", **y},
                                 "color": colour, "size": size}}  # fmt: skip
    zero: Spec = {"data": {"values": [{}]}, **vl.zero_line(look, "y")}
    rule = {"type": "rule", "color": look.ink, "tooltip": vl.TOOLTIP}
    bars: list[Spec] = [
        {"data": vl.values(means), "mark": {**rule, "strokeWidth": 1.5},
         "encoding": {"x": {"field": "middle", **x}, "y": {"field": "lower", **of_means}, "y2": {"field": "upper"}}},
        {"data": vl.values(means), "mark": {**rule, "strokeWidth": 3, "xOffset": 1.5, "x2Offset": -1.5},
         "encoding": {"x": {"field": "from", **x}, "x2": {"field": "to"}, "y": {"field": "mean", **of_means}}},
        # ends that are seen above and below a point
        *({"data": vl.values(means),
           "mark": {**rule, "strokeWidth": 1.5, "xOffset": side, "yOffset": -7, "y2Offset": 7},
           "encoding": {"x": {"field": end, **x}, "y": {"field": "mean", **of_means}, "y2": {"field": "mean"}}}
          for end, side in (("from", 1.5), ("to", -1.5))),
    ]  # fmt: skip
    # one point per place, large ones below small ones
    places = dict(zip(zip(numbers, (round(by, 9) for by in sheet.columns["difference"]), strict=True),
                      range(len(numbers)), strict=True))  # fmt: skip
    equal = [outcome == AHEAD[1] for outcome in sheet.columns["outcome"]]  # below the others
    drawn = sorted(places.values(), key=lambda row: (-sheet.columns["topics"][row], not equal[row]))
    data, plot = vl.values(picked(sheet.columns, drawn)), dict(zip(("width", "height"), SIZE, strict=True))
    if few:  # points stand on the bars, so that none is hidden, but for the ends of intervals, which are wider
        ends: list[Spec] = [
            {"data": vl.values(means),
             "mark": {"type": "tick", "orient": "horizontal", "color": look.ink, "size": 16, "thickness": 1.5},
             "encoding": {"x": {"field": "middle", **x}, "y": {"field": end, **of_means}}}
            for end in ("lower", "upper")
        ]  # fmt: skip
        return {"data": data, **plot, "layer": [zero, *bars, *ends, topics]}
    topics["encoding"]["x"] = {**topics["encoding"]["x"], "axis": None}
    cloud = {**plot, "height": 190, "layer": [zero, topics]}
    return {"data": data, "vconcat": [cloud, {**plot, "height": 90, "layer": [zero, *bars]}], "spacing": 10}


def _axis(numbers: Sequence[float], words: str) -> Spec:
    """The axis of an attribute, whose values ascend: of magnitudes where few values are large, of roots from 0."""
    scale, ticks = _scale(numbers), {}
    if scale != "linear":
        words += " (logarithmic)" if scale == "log" else " (square-root scale)"
        values = vl.magnitudes(numbers[0], numbers[-1]) if scale == "log" else vl.squares(numbers[-1])
        ticks = {"values": values, "format": "~f"}
    # the name stands in the axis alone: Vega-Lite writes titles of channels into expressions
    return {"type": "quantitative", "title": None,
            "scale": {"type": scale, "zero": False, "nice": False, "padding": 8, "domain": [numbers[0], numbers[-1]]},
            "axis": {"title": words, "grid": False, "tickCount": 6, **ticks}}  # fmt: skip


def _scale(numbers: Sequence[float]) -> str:
    """Scale of an axis of these values, which ascend."""
    if not numbers[0] >= 0 or numbers[-1] <= FOLD * numbers[len(numbers) // 2]:
        return "linear"
    return "log" if numbers[0] > 0 else "sqrt"


def _groups(comparison: Comparison) -> Slices:
    if comparison.slices is None:
        cure = f"compare with {argument('by', 'relevant')}, which slices topics by their relevant documents"
        raise InputError("topics were not sliced", cure)
    return comparison.slices
