"""All possible rankings: their order, how often metrics are free, and where they disagree."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankscope.comparisons.metric_mapping import A_AHEAD, B_AHEAD, EQUAL
from rankscope.errors import InputError, plural
from rankscope.figures import vega as vl
from rankscope.figures.chart import Columns, Sheet, columns_of, first_sentence, picked, rows_where, unique
from rankscope.figures.curves import curves
from rankscope.figures.theme import EITHER, OUTCOMES, UNDECIDED, WITHOUT_METRIC, Spec, Theme
from rankscope.formatting import percent
from rankscope.measures import Measure
from rankscope.preferences import LABELS
from rankscope.preferences.classes import WORDS
from rankscope.studies import ObservedSeparability
from rankscope.universe import (
    Disagreement,
    ExpectedSeparability,
    Features,
    Flips,
    Freedom,
    Frequencies,
    Hasse,
    OrderGrid,
    SeparabilityCounts,
    TieCurve,
)
from rankscope.universe.rankings import written
from rankscope.universe.two_measures.disagreement import most_disagreeing
from rankscope.universe.two_measures.features import FEATURES, Row

DRAWN = 64  # rankings up to which a diagram can be read
NEAR = 0.95  # of the largest share of disagreement: others from here on are nearly as large
PANELS = 6  # pairs of measures drawn unless they are chosen
FAMILIES = ("DCG", "nDCG", "SDCG", "SN_DCG", "AP", "SP", "SN_AP", "P", "R", "RBP", "RR")  # the order of heat maps
LESS_KNOWN = {
    "SDCG": "DCG as a share of that of full gain at all ranks",
    "SN_DCG": "DCG as a share of that of the same list in its best order",
    "SP": "AP times R", "SN_AP": "AP over the relevant documents of the list alone",
}  # fmt: skip
# how often random lists are relevant, by the model that is closest to what is observed first
CHANCE = {
    "observed": "observed", "odds by rank and topic": "random, by rank and topic", "odds by rank": "random, by rank",
    "fair coins": "random, all classes alike",
}  # fmt: skip


# the order itself


def hasse_sheet(diagram: Hasse) -> Sheet:
    """One row per ranking with its place, and one row per arrow with the places of both ends."""
    nodes, arrows = diagram.nodes(), diagram.columns()
    if len(nodes["ranking"]) > DRAWN:
        raise InputError(f"a diagram of {len(nodes['ranking'])} rankings cannot be read",
                         f"up to {DRAWN} are drawn, depth 6 where relevance is binary")  # fmt: skip
    x = _spread(nodes, arrows)
    height = dict(zip(nodes["ranking"], nodes["height"], strict=True))
    lines = [
        (low, high, x[low], height[low], x[high], height[high])
        for low, high in zip(arrows["lower"], arrows["upper"], strict=True)
    ]
    return Sheet(
        columns={**nodes, "x": [x[name] for name in nodes["ranking"]]},
        title=first_sentence(diagram.answer()),
        subtitle=_ending(
            f"{_digits(diagram.worth.grades)}; a ranking is better than all that can be reached from it downwards; "
            f"two rankings without such a path between them are undecided; {WITHOUT_METRIC}",
            diagram.worth.words,
        ),
        more={"arrows": columns_of(("lower", "upper", "x", "height", "x2", "height2"), lines)},
    )


def _digits(grades: int) -> str:
    """What the digits of rankings mean."""
    return "1: relevant, 0: not" if grades == 1 else "digits: grades"


def _ending(text: str, by: str) -> str:
    """Text followed by the order of graded rankings, where there is one."""
    return f"{text}; {by}" if by else text


def _spread(nodes: Columns, arrows: Columns) -> dict[str, float]:
    """Places from side to side: each near the mean of those it is joined to, so that few lines cross."""
    rows: dict[int, list[str]] = {}
    for name, height in zip(nodes["ranking"], nodes["height"], strict=True):
        rows.setdefault(height, []).append(name)
    joined: dict[str, list[str]] = {name: [] for name in nodes["ranking"]}
    for low, high in zip(arrows["lower"], arrows["upper"], strict=True):
        joined[low].append(high)
        joined[high].append(low)
    x = {name: i - (len(row) - 1) / 2 for row in rows.values() for i, name in enumerate(row)}
    for step in range(24):
        for height in sorted(rows, reverse=bool(step % 2)):
            row = sorted(rows[height], key=lambda n: (sum(x[m] for m in joined[n]) / max(1, len(joined[n])), n))
            rows[height] = row
            x |= {name: i - (len(row) - 1) / 2 for i, name in enumerate(row)}
    return x


def hasse(sheet: Sheet, look: Theme) -> Spec:
    """Figure 1: names joined by lines, better ones higher."""
    widest = max(abs(x) for x in sheet.columns["x"]) * 2 + 1
    deepest, longest = max(sheet.columns["height"]), max(map(len, sheet.columns["ranking"]))
    font = 12 if deepest <= 12 else 10
    unit = longest * 0.62 * font + 26
    width = max(380, round(widest * unit))
    x: Spec = {"type": "quantitative", "axis": None,
               "scale": {"domain": [-width / unit / 2, width / unit / 2], "nice": False}}  # fmt: skip
    y: Spec = {"type": "quantitative", "axis": None, "scale": {"domain": [-0.5, deepest + 0.5], "nice": False}}
    lines = {"data": vl.values(sheet.more["arrows"]), "mark": {"type": "rule", "color": look.faint},
             "encoding": {"x": {"field": "x", **x}, "y": {"field": "height", **y}, "x2": {"field": "x2"},
                          "y2": {"field": "height2"}}}  # fmt: skip
    where = {"x": {"field": "x", **x}, "y": {"field": "height", **y}}
    text = {"type": "text", "fontSize": font}
    names = [{"mark": mark, "encoding": {**where, "text": {"field": "ranking"}}}
             for mark in (vl.plated(text, look), {**text, "tooltip": vl.TOOLTIP})]  # fmt: skip
    return {
        "data": vl.values(sheet.columns), "width": width,
        "height": (deepest + 1) * (34 if deepest <= 8 else 26), "layer": [lines, *names],
    }  # fmt: skip


def grid_sheet(result: OrderGrid) -> Sheet:
    """One row per cell: places and rankings of row and column, and who is ahead."""
    rows, columns = result.names
    cells = [
        (i + 1, j + 1, row, column, LABELS[code], OUTCOMES[code])
        for i, (row, codes) in enumerate(zip(rows, result.classes.tolist(), strict=True))
        for j, (column, code) in enumerate(zip(columns, codes, strict=True))
    ]
    first, second = result.measures
    word = dict(zip(LABELS, OUTCOMES, strict=True))
    counts = ", ".join(f"{count:,} {word[label]}" for label, count in result.counts.items())
    open_ = next(count for label, count in result.counts.items() if word[label] == UNDECIDED)
    kind = "binary" if result.worth.grades == 1 else "graded"
    about = f"{plural(len(rows), f'{kind} ranking')} of {plural(result.universe.depth, 'document')}"
    return Sheet(
        columns=columns_of(("row", "column", "ranking_row", "ranking_column", "class", "outcome"), cells),
        title=f"IPSO leaves {percent(open_ / max(1, len(cells) - len(rows)), 1)} % of the pairs of different rankings "
        "undecided",
        subtitle=_ending(
            f"{about}, each as A and as B; Kendall's tau between the two orders {result.tau:.3f}\n"
            f"cells: {counts}; {WITHOUT_METRIC}",
            result.worth.words,
        ),
        words={"A": first, "B": second, "rows": rows, "columns": columns},
    )


def grid(sheet: Sheet, look: Theme) -> Spec:
    """Figures 2 and 3: one square per pair, best rankings at the top and at the left."""
    rows, columns = sheet.words["rows"], sheet.words["columns"]
    n = len(rows)
    size = n * (20 if n <= 16 else max(1, 384 // n))  # whole pixels, so that no seams show
    named = n <= 16

    def axis(side: str, names: list[str], angle: int) -> Spec:
        shown = {**vl.numbered(names), "labelFontSize": 11} if named else {"labels": False}
        return {"title": f"{side}: by {sheet.words[side]}, best first", "ticks": False, "domain": False,
                "labelAngle": angle, **shown}  # fmt: skip

    x = {"field": "column", "type": "ordinal", "axis": {**axis("B", columns, -90), "orient": "top"},
         "scale": {"padding": 0}}  # fmt: skip
    y = {"field": "row", "type": "ordinal", "axis": axis("A", rows, 0), "scale": {"padding": 0}}
    meaning = vl.occurring(look.outcomes(), sheet.columns["outcome"])
    return {
        "data": vl.values(sheet.columns), "width": size, "height": size,
        "mark": {"type": "rect", "stroke": look.ground, "strokeWidth": 0.7, "tooltip": vl.TOOLTIP} if named else
        vl.seamless("outcome"),
        "encoding": {"x": x, "y": y,
                     "color": vl.coloured("outcome", meaning, columns=4 if size > 300 else 2)},
    }  # fmt: skip


# how often metrics are free


def separability_sheet(counts: SeparabilityCounts) -> Sheet:
    """One row per depth and outcome."""
    table = counts.columns()
    parts = ((EQUAL, "equal"), (A_AHEAD, "non_inferior"), (B_AHEAD, "non_superior"), (UNDECIDED, "non_separable"))
    rows = [("", k, word, table[key][i]) for i, k in enumerate(table["k"]) for word, key in parts]
    open_ = [float(share.non_separable) for share in counts.shares]
    return _shares_sheet(rows, _undecided(counts.depths, open_, "rankings"), f"{counts.how}; {WITHOUT_METRIC}")


def expected_sheet(expected: ExpectedSeparability) -> Sheet:
    """One row per model, depth and outcome."""
    table = expected.columns()
    parts = ((EQUAL, "equal"), (EITHER, "separable"), (UNDECIDED, "non_separable"))
    rows = [
        (CHANCE[model], k, word, table[key][i])
        for model in CHANCE
        for i, k in enumerate(table["k"]) if table["model"][i] == model
        for word, key in parts
    ]  # fmt: skip
    chance, observed = (
        f"{percent(float(expected.models[model][0].non_separable), 2)} %"
        for model in ("odds by rank and topic", "observed")
    )
    title = (
        f"Down to rank {expected.depths[0]} IPSO by {expected.gains} leaves {observed} of pairs of lists undecided, "
        f"and {chance} of random pairs by rank and topic"
    )
    about = (
        f"observed: {plural(expected.pairs, 'pair')} of lists, {plural(expected.n_topics, 'topic')}; random: the "
        "class of relevance at a rank is drawn as often as the systems have it at that rank of that topic, or at that "
        f"rank of all topics, or all classes equally often; {WITHOUT_METRIC}; IPSO and classes are by {expected.gains}"
    )
    return _shares_sheet(rows, title, about)


def observed_sheet(observed: ObservedSeparability) -> Sheet:
    """One row per depth and outcome."""
    rows = [
        ("", k, word, share)
        for k, shares in zip(observed.depths, observed.share.tolist(), strict=True)
        for word, share in zip((EQUAL, EITHER, UNDECIDED), shares, strict=True)
    ]
    settings = observed.settings
    about = (f"{plural(int(observed.counts[0].sum()), 'pair')} of lists; {plural(settings['n_systems'], 'system')}, "
             f"{plural(settings['n_topics'], 'topic')}; {WITHOUT_METRIC}, by {settings['order']}")  # fmt: skip
    return _shares_sheet(rows, _undecided(observed.depths, observed.share[:, 2].tolist(), "lists"), about)


def _undecided(depths: Sequence[int], shares: Sequence[float], what: str) -> str:
    """How many pairs IPSO leaves undecided, at the first depth and at the last."""
    first, last = (f"{percent(shares[i], 1)} % at depth {depths[i]}" for i in (0, -1))
    return f"Pairs of {what} that IPSO leaves undecided: {first}" + (f", {last}" if len(depths) > 1 else "")


def _shares_sheet(rows: Sequence[tuple[str, int, str, float]], title: str, subtitle: str) -> Sheet:
    columns = columns_of(("model", "k", "outcome", "share"), rows)
    order = (EQUAL, A_AHEAD, EITHER, B_AHEAD, UNDECIDED)
    columns["order"] = [order.index(name) for name in columns["outcome"]]
    return Sheet(columns=columns, title=title, subtitle=f"{subtitle}; shares are of all pairs, equal ones among them")


def shares(sheet: Sheet, look: Theme) -> Spec:
    """One bar per depth, its parts by outcome; one panel per model."""
    models = unique(sheet.columns["model"])
    outcomes = [name for name in (EQUAL, A_AHEAD, EITHER, B_AHEAD, UNDECIDED) if name in sheet.columns["outcome"]]
    plot: Spec = {
        "width": 400 if len(models) == 1 else 190, "height": 200 if len(models) == 1 else 140,
        "mark": {"type": "bar", "tooltip": vl.TOOLTIP, "stroke": look.faint, "strokeWidth": 0.5},  # "equal" is pale
        "encoding": {
            "x": {"field": "k", "type": "ordinal", "title": "depth k", "scale": {"paddingInner": 0.1},
                  "axis": {"labelAngle": 0, "ticks": False, "labelOverlap": True}},
            "y": {"field": "share", "type": "quantitative", "title": "share of pairs", "scale": {"domain": [0, 1]},
                  "axis": {**vl.PER_CENT, "tickCount": 5}},
            "order": {"field": "order", "type": "quantitative"},
            "color": vl.coloured("outcome", look.outcomes(*outcomes)),
        },
    }  # fmt: skip
    if len(models) == 1:
        return {"data": vl.values(sheet.columns), **plot}
    return vl.facets(sheet.columns, "model", plot, labelLimit=190)


def freedom_sheet(result: Freedom) -> Sheet:
    """One row per measure and outcome: on how many of the pairs that IPSO leaves free."""
    counts, n = result.counts(), max(1, len(result.first))
    parts = (("first preferred", "greater"), ("the same", "equal"), ("second preferred", "less"))
    rows = [
        (name, word, counts[key][i], counts[key][i] / n, at)
        for i, name in enumerate(result.measures)
        for at, (word, key) in enumerate(parts)
    ]
    disputed = int(result.disputed.sum())
    by = f"by IPSO {result.by}".rstrip()
    if len(result.first) == 1:
        a, b = written(result.first[0]), written(result.second[0])
        title = f"IPSO leaves {a} and {b} undecided, and measures order them {'both ways' if disputed else 'one way'}"
        about = f"{a} (first) and {b} (second), undecided {by}"
    else:
        title = (
            f"IPSO leaves {plural(len(result.first), 'pair')} of rankings undecided; "
            f"on {disputed:,} of them some measure prefers the first and another the second"
        )
        documents = plural(result.first.shape[1], "document")
        about = (
            f"all pairs of rankings of {documents} undecided {by}; the first of a pair is the one with the higher "
            "grade at the first rank at which they differ"
        )
    about += f"\n{WITHOUT_METRIC}"
    return Sheet(
        columns=columns_of(("measure", "preferred", "pairs", "share", "order"), rows), title=title, subtitle=about
    )


def freedom_bars(sheet: Sheet, look: Theme) -> Spec:
    """One bar per measure, its parts by what it prefers."""
    names = unique(sheet.columns["measure"])
    meaning = {"first preferred": look.a, "the same": look.equal, "second preferred": look.b}
    shown = picked(sheet.columns, [i for i, share in enumerate(sheet.columns["share"]) if share > 0])
    return {
        "data": vl.values(shown), "width": round(max(200.0, min(300.0, 440 - vl.room(names)))),
        "height": (20 if len(names) <= 20 else 13) * len(names),
        "mark": {"type": "bar", "tooltip": vl.TOOLTIP, "stroke": look.faint, "strokeWidth": 0.5},  # "the same" is pale
        "encoding": {
            "y": {"field": "measure", "type": "ordinal", "title": None, **vl.ordered(names),
                  "axis": {"ticks": False, "domain": False, "labelLimit": 200, **vl.labels(names)}},
            "x": {"field": "share", "type": "quantitative", "title": "share of pairs", "scale": {"domain": [0, 1]},
                  "axis": {**vl.PER_CENT, "tickCount": 5}},
            "order": {"field": "order", "type": "quantitative"},
            "color": vl.coloured("preferred", vl.occurring(meaning, shown["preferred"])),
        },
    }  # fmt: skip


def flips_sheet(flips: Flips) -> Sheet:
    """One row per stretch of p and what RBP prefers there; on top the curve of the difference, and where it is 0."""
    stretches = flips.columns()
    word = {-1: A_AHEAD, 0: EQUAL, 1: B_AHEAD}
    columns: Columns = {**stretches, "outcome": [word[sign] for sign in stretches["preferred"]]}
    del columns["preferred"]
    p = [i / 200 for i in range(201)]
    first, second = (("" if max(map(len, row)) == 1 else ",").join(row) for row in (flips.first, flips.second))
    graded = len({*flips.first, *flips.second} - {"0"}) > 1
    by = "by IPSO's order of sums of these gains" if graded else "by IPSO"
    ipso = dict(zip(WORDS, ("A and B are equal", "A is ahead of B", "B is ahead of A", "A and B are undecided"),
                    strict=True))[flips.innate]  # fmt: skip
    digits = "" if graded else f"{_digits(1)}; "
    return Sheet(
        columns=columns,
        title=_preferring(flips),
        subtitle=f"A: {vl.short(first)}, B: {vl.short(second)}; {digits}{by} {ipso}; {WITHOUT_METRIC}",
        more={"curve": {"p": p, "difference": flips.differences(p)},
              "zeros": {"p": list(flips.roots), "label": [f"{root:.3f}" for root in flips.roots]}},
    )  # fmt: skip


def _preferring(flips: Flips) -> str:
    """Which of the two RBP prefers as its persistence grows."""
    crossing = zip(flips.roots, flips.crossings, flips.preferred[1:], strict=True)
    turns = [("B" if sign > 0 else "A", f"{root:.3f}") for root, crosses, sign in crossing if crosses]
    first = {-1: "A", 0: "neither ranking", 1: "B"}[flips.preferred[0]]
    if not turns:
        return f"RBP prefers {first} whatever its persistence"
    if len(turns) > 2:
        return f"RBP changes {len(turns)} times between A and B as its persistence p grows"
    return f"RBP prefers {first} up to p = {turns[0][1]}, " + " and ".join(f"{who} from {at} on" for who, at in turns)


def flips_drawing(sheet: Sheet, look: Theme) -> Spec:
    """The difference of both scores by p, above a bar of who is ahead."""
    x: Spec = {"type": "quantitative", "scale": {"domain": [0, 1], "nice": False}}
    y = vl.quantity("difference", ["RBP, B - A", vl.FOR_B], axis={"tickCount": 5})
    curve = vl.values(sheet.more["curve"])
    hidden = {"title": None, "labels": False, "ticks": False, "grid": False}
    profile: Spec = {
        "width": 380, "height": 150,
        "layer": [
            {"data": curve, **vl.zero_line(look, "y")},
            {"data": curve, "mark": {"type": "line", "color": look.ink, "strokeWidth": 2},
             "encoding": {"x": {"field": "p", **x, "axis": hidden}, "y": y}},
        ],
    }  # fmt: skip
    if sheet.more["zeros"]["p"]:
        zeros = vl.values(sheet.more["zeros"])
        where = {"x": {"field": "p", **x}, "y": {"datum": 0}}
        label = {"type": "text", "dy": -13, "fontSize": 12}
        profile["layer"] += [
            {"data": zeros, "mark": mark, "encoding": {**where, "text": {"field": "label"}}}
            for mark in (vl.plated(label, look), label)
        ]
        profile["layer"].append({"data": zeros, "mark": vl.dot(60, look.ink), "encoding": where})
    bar = {
        "data": vl.values(sheet.columns), "width": 380, "height": 16,
        "mark": {"type": "rect", "tooltip": vl.TOOLTIP},
        "encoding": {
            "x": {"field": "from", **x, "title": "persistence p", "axis": {"grid": False}}, "x2": {"field": "to"},
            "y": {"value": 0}, "y2": {"value": 16},
            "color": vl.coloured("outcome", vl.occurring(look.outcomes(), sheet.columns["outcome"])),
        },
    }  # fmt: skip
    return {"vconcat": [profile, bar], "spacing": 6}


# where they disagree


def frequencies_sheet(result: Frequencies) -> Sheet:
    """One row per pair and way: on lists below the diagonal, on means of systems above it; both in per cent."""
    table = result.columns()
    names = _by_family(result.measures)
    pairs = [sorted(pair, key=names.index) for pair in zip(table["a"], table["b"], strict=True)]
    below = [(b, a, "lists", value) for (a, b), value in zip(pairs, table["any_percent"], strict=True)]
    above = [(a, b, "means", value) for (a, b), value in zip(pairs, table["means_any_percent"], strict=True)]
    return Sheet(
        columns=columns_of(("row", "column", "what", "percent"), below + above),
        title=f"On lists, {_disagreeing(result, 'lists')}",
        subtitle=f"below the diagonal: per cent of {plural(result.pairs, 'pair')} of lists on one topic; above it: of "
        f"{plural(result.system_pairs, 'pair')} of systems by their means\n"
        f"{_DIFFERENTLY}; depth {result.depth}; {relevant_or_not(result)}"
        f"{_explained(result.measures)}",
        words={"names": names, "value": "percent", "legend": "% of pairs", "format": ".1f", "most": 100},
    )


def disagreement_sheet(result: Disagreement) -> Sheet:
    """One row per pair of measures: per cent of the pairs of rankings that they order differently."""
    table = result.columns()
    names = _by_family(result.measures)
    pairs = [sorted(pair, key=names.index) for pair in zip(table["a"], table["b"], strict=True)]
    return Sheet(
        columns={
            "row": [b for _, b in pairs],
            "column": [a for a, _ in pairs],
            "percent": table["any_percent"],
            "strict_percent": table["strict_percent"],
        },
        title=_disagreeing(result, "rankings"),
        subtitle=f"{result.where}: {plural(result.pairs, 'pair')}\n{_DIFFERENTLY}{_explained(result.measures)}",
        words={"names": names, "value": "percent", "legend": "% of pairs", "format": ".1f", "most": 100},
    )


def relevant_or_not(result: Frequencies) -> str:
    """What measures see of documents, for a caption."""
    return f"documents are relevant, from grade {result.rel:g} on, or not"


_DIFFERENTLY = "differently: in opposite order, or tied by one of the two"


def _by_family(measures: Sequence[Measure]) -> list[str]:
    """Names with those of one family together, others last."""
    place = {name: at for at, name in enumerate(FAMILIES)}
    return [str(m) for m in sorted(measures, key=lambda m: place.get(m.name, len(place)))]


def _explained(measures: Sequence[Measure]) -> str:
    """What less known measures are, on a line of a caption."""
    occurring = {m.name for m in measures}
    known = [f"{name}: {meaning}" for name, meaning in LESS_KNOWN.items() if name in occurring]
    return "\n" + "; ".join(known) if known else ""


def _disagreeing(result: Frequencies | Disagreement, what: str) -> str:
    """The two measures that disagree most, which come close, and how often in opposite order."""
    if not result.either.any():
        return first_sentence(result.answer())
    table = result.columns()
    counts = np.array(table["any"])
    most = most_disagreeing(list(zip(table["a"], table["b"], strict=True)), counts)
    shares = sorted({*(counts / result.pairs).tolist()}, reverse=True)
    # as many decimals as tell the highest from the next
    decimals = next((n for n in (1, 2) if len({percent(one, n) for one in shares[:2]}) == len(shares[:2])), 3)
    near = [i for i, count in enumerate(counts.tolist()) if NEAR * counts.max() <= count < counts.max()]
    close = ""
    if near:
        low, high = (f"{percent(pick(counts[near]) / result.pairs, decimals)} %" for pick in (min, max))
        others = f"{len(near):,} other pairs of measures"
        if len(near) == 1:
            others = f"{vl.short(table['a'][near[0]])} and {vl.short(table['b'][near[0]])}"
        close = f"; next: {others}, {vl.span(low, high)}"
    share = f"{percent(counts.max() / result.pairs, decimals)} % of the pairs of {what}"
    strict = {table["strict"][i] for i in np.flatnonzero(counts == counts.max()).tolist()}
    how = "in opposite order, or tied by one of the two"
    if len(strict) == 1:
        opposite = strict.pop()
        how = f"{percent(opposite / result.pairs, 1)} % in opposite order, others tied by one of the two"
        how = "all in opposite order" if opposite == counts.max() else how if opposite else "all tied by one of the two"
    return f"{most}: they decide differently on {share} ({how}){close}"


def features_sheet(result: Features, *, pairs: Sequence[tuple[str, str]] | None = None) -> Sheet:
    """One row per pair of measures, feature and side: per cent of disagreements where it has more of the feature.

    pairs  of measures to draw; the first six by default
    """
    all_pairs = unique((row.a, row.b) for row in result.rows)
    chosen = all_pairs[:PANELS] if pairs is None else [tuple(pair) for pair in pairs]
    unknown = [f"{a}, {b}" for a, b in chosen if (a, b) not in all_pairs]
    if unknown:
        examples = "; ".join(f"{a}, {b}" for a, b in all_pairs[:20])
        raise InputError(f"no pair {'; '.join(unknown)}", f"pairs are {examples}")
    rows = [
        (f"A: {row.a}, B: {row.b}", _plain(row.feature), side, sign * row.percent(count), row.disagreeing)
        for row in result.rows
        if (row.a, row.b) in chosen
        for side, sign, count in (("A prefers", -1, row.a_prefers), ("B prefers", 1, row.b_prefers))
    ]
    more = f"; {len(chosen)} of {len(all_pairs)} pairs of measures" if len(chosen) < len(all_pairs) else ""
    return Sheet(
        columns=columns_of(("pair", "feature", "side", "percent", "disagreeing"), rows),
        title=_preferred([row for row in result.rows if (row.a, row.b) in chosen]),
        subtitle=f"{result.where}{more}\nof the pairs of rankings on which A and B disagree: how often each prefers "
        "the ranking with more of a feature; not 100 % in sum, since both rankings may have equally much of it, or A "
        "or B may tie them"
        f"{_meanings(result)}",
    )


def _meanings(result: Features) -> str:
    """What more of each feature is, on a line of a caption; nothing of those that have no other words."""
    known = [FEATURES[name] for name in unique(row.feature for row in result.rows) if name in FEATURES]
    meanings = [f"{one.words}: {one.reads.partition(';')[0]}" for one in known if one.reads != one.words]
    return f"\nmore of a feature: {'; '.join(meanings)}" if meanings else ""


def _plain(feature: str) -> str:
    """A feature in plain words."""
    return FEATURES[feature].words if feature in FEATURES else feature


def _preferred(drawn: Sequence[Row]) -> str:
    """The largest contrast drawn: two measures, and the features that one of them prefers more often."""
    row = max(drawn, key=lambda row: abs(row.percent(row.a_prefers) - row.percent(row.b_prefers)))
    rows = [other for other in drawn if (other.a, other.b) == (row.a, row.b)]
    alike = [_plain(other.feature) for other in rows if other[4:6] == row[4:6]]
    (more, ahead), (less, _) = sorted([(row.a_prefers, row.a), (row.b_prefers, row.b)], reverse=True)
    if more == less:
        return f"{vl.short(row.a)} and {vl.short(row.b)} prefer no feature more often than each other"
    return (
        f"Of {vl.short(row.a)} and {vl.short(row.b)}, {vl.short(ahead)} prefers {vl.together(alike)} more often: in "
        f"{percent(row.percent(more) / 100)} % of disagreements against {percent(row.percent(less) / 100)} %, the "
        "largest contrast here"
    )


def features(sheet: Sheet, look: Theme) -> Spec:
    """Bars to the left for A, to the right for B."""
    panels, names = unique(sheet.columns["pair"]), unique(sheet.columns["feature"])
    alone = len(panels) in (1, 3)  # one below the other: no place stays empty
    y = {"field": "feature", "type": "ordinal", "sort": names, "title": None, "axis": {"ticks": False, "domain": False}}
    plot: Spec = {
        "width": 320 if alone else 150, "height": 17 * len(names),
        "mark": {"type": "bar", "tooltip": vl.TOOLTIP},
        "encoding": {
            "y": y,
            "x": {"field": "percent", "type": "quantitative", "title": "% of disagreements",
                  "scale": {"domain": [-100, 100]},
                  "axis": {"labelExpr": "abs(datum.value)", "values": [-100, -50, 0, 50, 100]}},
            "color": vl.coloured("side", {"A prefers": look.a, "B prefers": look.b}),
        },
    }  # fmt: skip
    # a panel each, not facets: these would draw the axis of a place that stays empty
    parts = []
    for i, panel in enumerate(panels):
        rows = rows_where(sheet.columns, "pair", panel)
        head = {"text": panel, "anchor": "middle", "frame": "group", "fontWeight": "normal", "fontSize": 11,
                "offset": 4, "limit": 320 if alone else 180, "subtitleFontSize": 11, "subtitlePadding": 1,
                "subtitle": plural(rows["disagreeing"][0], "disagreement")}  # fmt: skip
        named = {**plot, "encoding": {**plot["encoding"], "y": y if alone or i % 2 == 0 else {**y, "axis": None}}}
        parts.append({"data": vl.values(rows), "title": head, **named})
    return {"concat": parts, "columns": 1 if alone else 2, "spacing": {"row": 10, "column": 22}}


def tie_sheet(curve: TieCurve) -> Sheet:
    """One row per number of relevant documents and first rank."""
    columns = dict(curve.columns())
    columns["m"] = [f"m = {m}" for m in columns["m"]]
    return Sheet(
        columns=columns,
        title=_tie_title(columns),
        subtitle="probability that a random ranking ties with one whose first relevant document is at rank p1: its "
        f"own first is there, too; random: {plural(curve.documents, 'document')} in any order, m of them relevant; "
        "one line per m",
    )


def _tie_title(columns: Columns) -> str:
    """Where a tie is likeliest: at the lowest rank, unless there is one relevant document, which is anywhere."""
    most = max(columns["probability"])
    at = [i for i, probability in enumerate(columns["probability"]) if probability == most]
    if len(at) > 1:
        return f"A tie in RR with a random ranking has a probability of at most {most:.2g}"
    rank, m = columns["p1"][at[0]], columns["m"][at[0]]
    return f"A tie in RR with a random ranking is likeliest at rank {rank:,}: probability {most:.2g} for {m}"


def tie_curves(sheet: Sheet, look: Theme) -> Spec:
    """Figure 2 of Diaz (2023): one line per number of relevant documents."""
    ranks = sheet.columns["p1"]
    first, last = min(ranks), max(*ranks, min(ranks) + 1)
    step = next(m * 10**e for e in range(10) for m in (1, 2, 5) if last - first <= 5 * m * 10**e)
    ticks = [first, *range((first // step + 1) * step, last + 1, step)]  # the largest values are at the first
    x = {"field": "p1", "type": "quantitative", "title": "rank p1 of the first relevant document",
         "scale": {"domain": [first, last], "nice": False},
         "axis": {"grid": False, "values": ticks}}  # fmt: skip
    y = {"field": "probability", "type": "quantitative", "title": "probability of a tie"}
    return curves(sheet, look, x=x, y=y, by="m")
