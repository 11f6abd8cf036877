"""Many systems: the leaderboard, and significance of all pairs by a metric and by IPSO."""

from __future__ import annotations

from collections.abc import Sequence

from rankscope.arguments import share, whole_number
from rankscope.arrays import Bools, Floats
from rankscope.comparisons import Leaderboard
from rankscope.comparisons.metric_mapping import A_AHEAD, B_AHEAD, SURE
from rankscope.errors import InputError, argument, plural
from rankscope.figures import vega as vl
from rankscope.figures.chart import LETTERS, Sheet, columns_of, picked, unique
from rankscope.figures.letters import text_width
from rankscope.figures.theme import CATEGORIES, UNDECIDED, WITHOUT_METRIC, Spec, Theme
from rankscope.figures.two_systems import NOT_SURE
from rankscope.formatting import percent
from rankscope.measures.cwla.paper import shortened
from rankscope.preferences import DominanceMatrix
from rankscope.statistics.equality import best_first, places
from rankscope.statistics.families.comparisons import Comparisons, pairs_of
from rankscope.statistics.families.groups import among, joined, parted
from rankscope.statistics.pairs.difference_tests import WORDS, PairTest
from rankscope.studies import Agreement
from rankscope.studies.base import threshold

LEADERS = 30  # systems of a leaderboard unless another number is asked for
PRINTED = 9  # systems up to which a matrix prints differences and p values
_MOST = 300  # systems of a matrix, a square for each pair
LINED = 40  # systems up to which squares have lines between them, and room for a sign
NAMED = 3  # pairs of systems that a caption names
OPPOSED = "\N{MULTIPLICATION SIGN}"
_AGREE = "agree: both tests are significant in the same direction, or neither is significant"
_FOUND = ("both", "neither", "the metric alone", "IPSO alone")  # significant for which test, of `CATEGORIES`


def ranking_sheet(ranking: Leaderboard, *, top: int | None = LEADERS) -> Sheet:
    """Means with their intervals, best first, and one row per system and letter of its groups.

    top  only so many of the best; None for all
    """
    if top is not None:
        whole_number("top", top)
    columns = ranking.columns()
    shown = ("rank", "system", "mean", "lower", "upper", "best_rank", "worst_rank", "group")
    words = among(parted(ranking.letters), min(top or len(ranking.systems), len(ranking.systems)))
    groups = [(name, letter) for name, own in zip(ranking.systems[:top], words, strict=True) for letter in own]
    letters = joined(words)
    anew = "; letters are of the systems shown" if letters != columns["group"][:top] else ""
    every = plural(len(ranking.systems), "system")
    best = f"the best {top:,} of {every}; " if top is not None and top < len(ranking.systems) else ""
    return Sheet(
        columns={**{key: columns[key][:top] for key in shown}, "group": letters},
        title=ranking.headline().rpartition(" (")[0],
        subtitle=f"{best}{plural(ranking.n_topics, 'topic')}; intervals of each mean by itself "
        f"({100 * ranking.level:g} %)\n"
        f"systems {'shown ' * bool(best)}that share a column of marks cannot be told apart at {ranking.alpha:g}, all "
        f"pairs at once by {ranking.method}{anew}; "
        "ruled out as best: another is significantly better",
        more={"groups": columns_of(("system", "letter"), groups)},
        words={"x": f"mean {ranking.measure}"},
    )


def leaderboard(sheet: Sheet, look: Theme) -> Spec:
    """Points and intervals, and beside them the groups."""
    systems = sheet.columns["system"]
    many = len(systems) > 40
    step, font = (14, 11) if many else (18, 13)
    height = step * len(systems)
    y = vl.category("system", **vl.ordered(systems), axis=vl.names_axis((), labelFontSize=font))
    drawn = [end for key in ("mean", "lower", "upper") for end in sheet.columns[key]]
    low, high = min(drawn), max(drawn)
    # no rounder ends, which may be values that no score has
    x = {"type": "quantitative", "title": sheet.words["x"],
         "scale": {"domain": [low, high if high > low else low + 1.0], "nice": False, "zero": False, "padding": 6},
         "axis": {"grid": many, "tickCount": 5}}  # fmt: skip
    points = {"mark": vl.dot(20 if many else 36, look.ink), "encoding": {"y": y, "x": {"field": "mean", **x}}}
    # ends that stand out from points which are wider than their intervals
    ends = [{"mark": {"type": "tick", "thickness": 1.5, "height": step - 8, "color": look.faint},
             "encoding": {"y": y, "x": {"field": end, **x}}} for end in ("lower", "upper")]  # fmt: skip
    letters = unique(sheet.more["groups"]["letter"])
    wide = max(4, min(16, 130 // max(1, len(letters))))
    axis = {"orient": "top", "title": "groups", "labelAngle": 0, "ticks": False, "domain": False,
            **({"labels": False} if wide < 13 else {})}  # fmt: skip
    cells = {
        "data": vl.values(sheet.more["groups"]), "width": wide * len(letters), "height": height,
        "mark": {"type": "rect", "color": look.faint, "stroke": look.ground, "strokeWidth": 1, "tooltip": vl.TOOLTIP},
        "encoding": {
            # lines along which the squares of a name are found, below the squares
            "y": {**y, "axis": {**vl.names_axis((), zindex=0), "labels": False} if many else None},
            "x": {"field": "letter", "type": "ordinal", "sort": letters, "axis": axis, "scale": {"padding": 0}},
        },
    }  # fmt: skip
    # what names and groups leave of a column
    width = round(max(150.0, min(270.0, 432 - vl.room(systems, font=font) - wide * len(letters))))
    board = {
        "data": vl.values(sheet.columns),
        "width": width,
        "height": height,
        "layer": [vl.interval_bar(look, y, x), points, *ends],
    }
    return {"hconcat": [board, cells], "spacing": 14}


def triangle_sheet(
    result: Agreement,
    *,
    measure: str | None = None,
    depth: int | None = None,
    test: PairTest | None = None,
    alpha: float | None = None,
) -> Sheet:
    """One row per pair of systems, by their ranks; P at 10 and the first test by default, as in the paper."""
    measure = measure or ("P" if "P" in result.measures else result.measures[0])
    depth = depth or (10 if 10 in result.depths else result.depths[0])
    test = test or result.tests[0]
    table = result.triangle(measure, depth, test, alpha=alpha)
    level = result.alpha if alpha is None else alpha
    columns = table.columns()
    m, d, t = result.measures.index(measure), result.depths.index(depth), result.tests.index(test)
    opposed = {
        frozenset((result.systems[i], result.systems[j]))
        for i, j, turned in zip(*pairs_of(len(result.systems)), result.against(level)[m, d, t], strict=True)
        if turned
    }
    pairs = list(zip(columns["first"], columns["second"], strict=True))
    at = [i for i, pair in enumerate(pairs) if frozenset(pair) in opposed]
    alike = sum(word in CATEGORIES[:2] for word in columns["category"]) - len(at)
    title = f"{measure} at depth {depth} and IPSO agree on {alike:,} of {plural(len(pairs), 'pair')} of systems"
    marked = ""
    if at:
        title += f"; on {len(at):,} they are significant in opposite directions"
        named = [" and ".join(map(vl.short, pairs[i])) for i in at[:NAMED]]
        others = f" and {plural(len(at) - NAMED, 'other')}" if len(at) > NAMED else ""
        mark = f" ({OPPOSED})" if len(result.systems) <= LINED else ""
        marked = f"; in opposite directions{mark}: {', '.join(named)}{others}"
    return Sheet(
        columns=columns,
        title=title,
        subtitle=f"{plural(len(result.systems), 'system')} by mean {measure}; "
        f"{WORDS[test]} and IPSO's sign test, p < {level:g}, uncorrected{threshold(result.settings)}\n"
        f"{_AGREE}{marked}\n{_orders(result)}",
        more={"opposed": picked(columns, at)} if at else {},
        words={"systems": len(result.systems)},
    )


def triangle(sheet: Sheet, look: Theme) -> Spec:
    """Figure 8: one square per pair, the best at the top."""
    n = sheet.words["systems"]
    size = (n - 1) * max(1, min(24, 380 // (n - 1)))  # whole pixels, so that no seams show
    axis = {"values": _ticks(n), "labelAngle": 0, "ticks": False, "domain": False}
    x = vl.category("first_rank", "rank of the better system", axis=axis, scale={"padding": 0})
    y = vl.category("second_rank", "rank of the other", axis=axis, scale={"padding": 0})
    squares = {"mark": _cells("category", n, look), "encoding": {"x": x, "y": y, "color": _category(sheet, look)}}
    plot = {"data": vl.values(sheet.columns), "width": size, "height": size}
    if n > LINED or "opposed" not in sheet.more:
        return {**plot, **squares}
    crosses = {
        "data": vl.values(sheet.more["opposed"]),
        "mark": {"type": "text", "fontSize": max(11, size // (n - 1)), "color": look.ground},
        "encoding": {"x": x, "y": y, "text": {"value": OPPOSED}},
    }
    return {**plot, "layer": [squares, crosses]}


def _ticks(n: int) -> list[int]:
    """Ranks that are named of n."""
    step = 1 if n <= 15 else 5 if n <= 30 else 10 if n <= 60 else 20
    return [rank for rank in range(1, n + 1) if rank == 1 or rank % step == 0]


def _cells(field: str, n: int, look: Theme) -> Spec:
    """Squares with lines between them, where there is room for these."""
    if n > LINED:
        return vl.seamless(field)
    return {"type": "rect", "stroke": look.ground, "strokeWidth": 0.5, "tooltip": vl.TOOLTIP}


def matrix_sheet(result: DominanceMatrix, *, alpha: float = 0.05) -> Sheet:
    """One row per pair of systems: who is ahead for every static rank-weighted metric, and whether that is significant.

    Systems that are ahead of many come first. alpha is for both directions together, so that each has half of it.
    """
    sure, order = result.significant(alpha), result.by_standing(alpha)
    rows = []
    for place, i in enumerate(order):
        for under, j in enumerate(order[place + 1 :], place + 1):
            first, second = (result.ahead[pair] or sure[pair] for pair in ((j, i), (i, j)))
            ahead = B_AHEAD if second else A_AHEAD if first else UNDECIDED
            mark = ahead + SURE * bool(sure[i, j] or sure[j, i])
            p = float(result.pvalue[i, j]), float(result.pvalue[j, i])
            rows.append((place + 1, under + 1, result.systems[i], result.systems[j], *p, mark))
    names = ("first_place", "second_place", "first", "second", "pvalue", "pvalue_reverse", "outcome")
    count = sum(row[-1].endswith(SURE) for row in rows)
    return Sheet(
        columns=columns_of(names, rows),
        title=f"In {f'{count:,}' if count else 'none'} of {plural(len(rows), 'pair')} {'' if count else 'is '}one "
        f"system {'is ' if count else ''}significantly ahead for every static rank-weighted metric to depth "
        f"{result.covers.depth}",
        subtitle=f"{plural(len(result.systems), 'system')}, {plural(result.n_topics, 'topic')}; gain: "
        f"{result.covers.gains}; A ahead: at every rank down to {result.covers.depth}, the summed mean gain of A "
        f"is not below that of B; significant: universal p of one direction at most {alpha / 2:g}, uncorrected, "
        f"by {result.method}\n"
        "undecided: metrics differ, or all tie; static rank-weighted: weights do not rise with the rank\n"
        "order: number of systems that a system is significantly ahead of, less those significantly ahead of it"
        f"{_by_all_pairs(sure)}",
        words={"names": [result.systems[i] for i in order], "order": "significant wins less losses"},
    )


def _by_all_pairs(sure: Bools) -> str:
    """What orders systems that significant pairs leave in one place, for a caption, where there are any."""
    standing = (sure.sum(axis=0) - sure.sum(axis=1)).tolist()
    equal = len(set(standing)) < len(standing)
    return "; where this is equal: the same counts, significant or not" if equal else ""


def comparisons_sheet(
    result: Comparisons, *, alpha: float = 0.05, top: int | None = None, measure: str | None = None
) -> Sheet:
    """One row per pair of systems, best first: by how much the first is higher, and whether that is significant.

    top      only so many of the best
    measure  name of what was scored, which the result does not know
    """
    share("alpha", alpha)
    corrected = "all pairs at once" if result.corrected else "each pair by itself, uncorrected"
    return _pairs_sheet(
        result.systems, result.location, result.matrix(), alpha, top, location_words(result, measure),
        f"{plural(result.n_topics, 'topic')}", f"{corrected}\n{result.method}",
    )  # fmt: skip


def location_words(result: Comparisons, measure: str | None) -> str:
    """What the number of each system is, by which they are ordered."""
    if "ranks" in result.method:
        return "mean rank within topics" + (f" by {vl.short(measure)}" if measure else "")
    return f"mean {vl.short(measure)}" if measure else "the mean score"


def board_pairs_sheet(ranking: Leaderboard, *, top: int | None = None) -> Sheet:
    """The same of a leaderboard, by its measure and its procedure.

    top  only so many of the best
    """
    return _pairs_sheet(
        ranking.systems, ranking.mean, ranking.pvalues, ranking.alpha, top, f"mean {ranking.measure}",
        f"{plural(ranking.n_topics, 'topic')}", f"all pairs at once\n{ranking.method}",
    )  # fmt: skip


def _pairs_sheet(
    systems: Sequence[str],
    mean: Floats,
    pvalue: Floats,
    alpha: float,
    top: int | None,
    value: str,
    topics: str,
    how: str,
) -> Sheet:
    if top is not None:
        whole_number("top", top, 2)
    place = places(mean)
    order = best_first(mean, systems)[:top]
    if len(order) > _MOST:
        cure = f"{argument('top', _MOST)} shows the best {_MOST}"
        raise InputError(f"a square for each pair of {len(order):,} systems", cure)
    rows = []
    for at, i in enumerate(order):
        for under, j in enumerate(order[at + 1 :], at + 1):
            mark = A_AHEAD + SURE * bool(pvalue[i, j] < alpha) if place[i] > place[j] else UNDECIDED
            apart = float(mean[i] - mean[j]) if place[i] != place[j] else 0.0
            rows.append((at + 1, under + 1, systems[i], systems[j], apart, float(pvalue[i, j]), mark))
    best = "" if len(order) == len(systems) else f"the best {len(order):,} of {plural(len(systems), 'system')}; "
    ties = "; undecided: the same mean" if len(set(place[order].tolist())) < len(order) else ""
    sure = sum(row[-1].endswith(SURE) for row in rows)
    of = "the one pair" if len(rows) == 1 else f"{plural(len(rows), 'pair')}"
    printed = len(order) <= PRINTED
    better = " (higher is better)" if value.startswith("mean rank within") else ""
    numbers = f"upper number: column minus row in {value}; lower number: p\n" if printed else ""
    return Sheet(
        columns=columns_of(("first_place", "second_place", "first", "second", "difference", "pvalue", "outcome"), rows),
        title=f"{sure:,} of {of} of systems differ significantly",
        subtitle=f"{best}{topics}; A ahead: higher in {value}{better}, by which systems are ordered{ties}\n"
        f"{numbers}significant: p < {alpha:g}, {how}",
        words={"names": [systems[i] for i in order], "printed": printed, "order": value},
    )


def matrix(sheet: Sheet, look: Theme) -> Spec:
    """One square per pair, systems that are ahead of many first."""
    names = sheet.words["names"]
    n = len(names)
    # what names leave of a column
    most = 60 if sheet.words.get("printed") else 22
    cell = min(most, int(440 - vl.room(names, font=11)) // (n - 1))
    named = n <= 30 and cell >= (LETTERS if "narrow" in sheet.words else 11)
    cell = cell if named else max(2, min(most, 380 // (n - 1)))
    size = (n - 1) * cell
    ticks = list(range(1, n + 1)) if named else _ticks(n)
    axis: Spec = {"values": ticks, "ticks": False, "domain": False, "labelAngle": 0}
    if named:
        axis |= {**vl.numbered(names), "labelLimit": 200, "labelFontSize": 11}
    meaning = {
        A_AHEAD + SURE: look.a, A_AHEAD: look.a_faint, UNDECIDED: look.undecided, B_AHEAD: look.b_faint,
        B_AHEAD + SURE: look.b,
    }  # fmt: skip
    outcomes = {word: colour for word, colour in meaning.items() if word in sheet.columns["outcome"]}
    place = {"type": "ordinal", "scale": {"padding": 0}}
    x = {**place, "field": "first_place", "title": "A" if named else f"A: place by {sheet.words['order']}",
         "axis": {**axis, "labelAngle": -45 if named else 0}}  # fmt: skip
    y = {
        **place,
        "field": "second_place",
        "title": "B" if named else f"B: place by {sheet.words['order']}",
        "axis": axis,
    }
    words = [word + " not significant" * (word in (A_AHEAD, B_AHEAD)) for word in outcomes]
    row = sum(30 + (text_width(word, 13) or 0.0) for word in words) <= max(size, 250) + 40
    legend = vl.coloured("outcome", outcomes, columns=len(outcomes) if row else 2, labelExpr=NOT_SURE, labelLimit=200)
    layer: list[Spec] = []
    if cell < 8:  # a frame, without which pale squares at the edge would be lost
        at = enumerate(zip(sheet.columns["first_place"], sheet.columns["second_place"], strict=True))
        edge = [i for i, (first, second) in at if first == 1 or second in (first + 1, n)]
        frame = {"type": "rect", "stroke": look.faint, "strokeWidth": 2, "fill": look.faint}
        layer.append({"data": vl.values(picked(sheet.columns, edge)), "mark": frame, "encoding": {"x": x, "y": y}})
    layer.append({"mark": _cells("outcome", n, look), "encoding": {"x": x, "y": y, "color": legend}})
    behind = [i for i, outcome in enumerate(sheet.columns["outcome"]) if outcome.startswith(B_AHEAD)]
    if sheet.words.get("printed"):
        layer += _printed_pairs(x, y, look)
    if behind and cell >= 8:  # pale colours are alike in grey
        layer.append({
            "data": vl.values(picked(sheet.columns, behind)),
            "mark": {"type": "text", "fontSize": min(11, cell)},
            "encoding": {"x": x, "y": y, "text": {"value": "B"}},
        })  # fmt: skip
    columns = dict(sheet.columns)
    if sheet.words.get("printed"):
        columns["shown_difference"] = [f"{apart:.3f}" for apart in columns["difference"]]
        columns["shown_p"] = ["< .001" if p < 0.001 else f"{p:.3f}".lstrip("0") for p in columns["pvalue"]]
    return {"data": vl.values(columns), "width": size, "height": size, "layer": layer}


def _printed_pairs(x: Spec, y: Spec, look: Theme) -> list[Spec]:
    """The difference and p of each pair, in its square."""
    sure = f"datum.outcome == '{A_AHEAD + SURE}'"
    dark = f"datum.outcome == '{UNDECIDED}'"
    ink = {"condition": [{"test": sure, "value": look.on_a}, {"test": dark, "value": look.ground}], "value": look.ink}
    return [
        {"mark": {"type": "text", "fontSize": 11, "dy": dy},
         "encoding": {"x": x, "y": y, "text": {"field": name, "type": "nominal"}, "color": ink}}
        for name, dy in (("shown_difference", -6), ("shown_p", 7))
    ]  # fmt: skip


def bars_sheet(result: Agreement) -> Sheet:
    """One row per part of a bar."""
    columns = dict(result.figures()["bars"])
    columns["order"] = [CATEGORIES.index(name) for name in columns["category"]]
    columns["test"] = [WORDS[test] for test in columns["test"]]
    pairs = plural(result.ipso.shape[1], "pair")
    return Sheet(
        columns=columns,
        title=_agreement(result),
        subtitle=f"{pairs} of systems, p < {result.alpha:g}, uncorrected; "
        f"one bar per depth; rows: tests of the metric{threshold(result.settings)}"
        f"\n{_AGREE}{'; both: in either direction' if result.opposed.any() else ''}\n{_orders(result)}",
    )


def _orders(result: Agreement) -> str:
    """By what IPSO compares lists here."""
    return f"{WITHOUT_METRIC}, by {result.settings['order']}"


def _agreement(result: Agreement) -> str:
    """On how many pairs tests agree, by the lowest and the highest bar, and the most in opposite directions."""
    table, n = result.tables()["agreement"].columns(), result.ipso.shape[1]
    shares = vl.span(*(f"{percent(share)} %" for share in (min(table["alike"]), max(table["alike"]))))
    title = f"A metric's test and IPSO's sign test agree on {shares} of the pairs"
    most = max(table["opposed"])
    if not most:
        return title
    at = table["opposed"].index(most)
    bar = f"{vl.short(table['measure'][at])} at depth {table['depth'][at]}, {WORDS[table['test'][at]]}"
    return f"{title}; both are significant in opposite directions on up to {most:,} of {n:,} ({bar})"


def bars(sheet: Sheet, look: Theme) -> Spec:
    """Figure 7: one panel per metric and test, one bar per depth."""
    depths, metrics = unique(sheet.columns["depth"]), unique(sheet.columns["measure"])
    tests = unique(sheet.columns["test"])
    font = LETTERS if "narrow" in sheet.words else 10
    width = max(30, min(70, 14 * len(depths)))

    def fit(heads: float) -> bool:
        return heads <= width or len(metrics) * (heads + 5) <= 420

    # names over bars stand side by side, whole or in two lines, or else upright
    names = list(map(shortened, metrics))
    lines = [[name] for name in names]
    if not fit(vl.room(names, font=font)):
        lines = [[head, bracket + tail] if tail else [head] for head, bracket, tail in
                 (name.partition("(") for name in names)]  # fmt: skip
    heads = vl.room([line for name in lines for line in name], font=font)
    upright = not fit(heads)
    inner: Spec = {
        "width": width if upright else max(width, round(heads)), "height": 90,
        "mark": {"type": "bar", "tooltip": vl.TOOLTIP},
        "encoding": {
            "x": {"field": "depth", "type": "ordinal", "title": "depth",
                  "axis": {"labelAngle": -90, "ticks": False, "labelFontSize": 11, "titleFontSize": 11}},
            "y": {"field": "share", "type": "quantitative", "title": "share of pairs",
                  "scale": {"domain": [0, 1]}, "axis": {"values": [0, 0.5, 1], "titleFontSize": 11, "labelFontSize": 11,
                                                         "labelExpr": "100 * datum.value + ' %'"}},
            "color": _category(sheet, look), "order": {"field": "order", "type": "quantitative"},
        },
    }  # fmt: skip
    head = {"labelFontSize": font, "labelLimit": 140, "title": None, "labelPadding": 4, **vl.labels(metrics)}
    if any(len(name) > 1 for name in lines) and not upright:
        broken = ",".join(f"[{','.join(map(vl.quoted, name))}]" for name in lines)
        head["labelExpr"] = f"[{broken}][indexof([{','.join(map(vl.quoted, metrics))}], datum.label)]"
    if upright:
        head |= {"labelAngle": -90, "labelAlign": "right", "labelBaseline": "middle"}
    side = {"labelFontSize": 11, "labelLimit": 110, "title": None, "labelOrient": "right", "labelAngle": 90}
    placed = {**sheet.columns, "at": [metrics.index(measure) for measure in sheet.columns["measure"]]}
    return {
        "data": vl.values(placed), "spacing": {"row": 16, "column": 5},
        "facet": {
            "column": {"field": "measure", "type": "ordinal", "sort": {"field": "at", "op": "min"}, "header": head},
            "row": {"field": "test", "type": "ordinal", "sort": tests, "header": side},
        },
        "spec": inner,
    }  # fmt: skip


def _category(sheet: Sheet, look: Theme) -> Spec:
    meaning = vl.occurring(dict(zip(CATEGORIES, look.categories, strict=True)), sheet.columns["category"])
    words = [_FOUND[CATEGORIES.index(name)] for name in meaning]
    names, shown = (",".join(map(vl.quoted, which)) for which in (meaning, words))
    return vl.coloured("category", meaning, title="significant for", columns=vl.across(words, width=430, beside=30),
                       labelExpr=f"[{shown}][indexof([{names}], datum.label)]")  # fmt: skip
