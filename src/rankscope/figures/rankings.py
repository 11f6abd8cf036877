"""Rankings of systems: ranks under several measures, and which systems cannot be told apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Sequence
from itertools import chain, pairwise
from typing import Any

import numpy as np

from rankscope.arguments import whole_number
from rankscope.arrays import Floats
from rankscope.comparisons import Leaderboard
from rankscope.comparisons.scored import scored
from rankscope.errors import InputError, plural
from rankscope.figures import vega as vl
from rankscope.figures.chart import Columns, Sheet, columns_of, picked, rows_where, unique
from rankscope.figures.letters import text_width
from rankscope.figures.many_systems import location_words
from rankscope.figures.theme import DASHES, Spec, Theme
from rankscope.measures.cwla.paper import shortened
from rankscope.measures.scores import Scores
from rankscope.statistics.equality import best_first, places
from rankscope.statistics.families.comparisons import Comparisons
from rankscope.statistics.families.groups import among, joined, letters, parted

RANKED = 12  # systems whose ranks are drawn unless another number is asked for
COMPARED = 20  # the same of systems that bars join
HIGHLIGHTED = 6  # lines with a colour of their own: those that move most
ROW = 18  # pixels of a name
SHORT, WHOLE = 16, 32  # letters of a name at both sides of ranks, at least and at most
TIGHT = 0.7  # of the usual width of ranks, where names that are cut would be the same otherwise
TIE = 11  # pixels between a point and its rank
THICK, LEADER = 2.5, 4  # pixels of a line with a colour, and of one of a leader without: both may be solid in grey
HEAD = 44  # and of one over them
LONG = 270  # pixels of a name with its mean and its letters
AXIS = 105  # pixels of an axis of means on which its systems can be told apart
BAR, MEMBER, END = 8, 5, 12  # pixels of a bar of a group, of a tick of a member on it, and of a tick at its end


def ranks_sheet(scores: Scores, *, measures: Sequence[str] | None = None, top: int = RANKED) -> Sheet:
    """One row per system and measure: its mean, and its rank among the systems shown.

    measures  two or more of those scored; by default all but shares of judged documents and precision at recall levels
    top       only so many of the best under the first measure
    """
    whole_number("top", top, 2)
    wanted = measures or [str(m) for m in scores.measures if m.name not in ("Judged", "IPrec")]
    tables = [scored(scores, measure, None) for measure in wanted]
    if len(tables) < 2 or len(scores.systems) < 2:
        raise InputError("ranks of one measure, or of one system, have nothing to be compared with",
                         "score two systems or more under two measures or more")  # fmt: skip
    means = np.array([table.value.mean(axis=0) for table in tables])
    shown = best_first(means[0], scores.systems)[:top]
    names = [scores.systems[s] for s in shown]
    rows: list[tuple[Any, ...]] = []
    for at, (table, mean) in enumerate(zip(tables, means[:, shown], strict=True)):
        rows += [(name, table.measure, at, rank, own) for name, rank, own in ranked(names, mean)]
    every = plural(len(scores.systems), "system")
    fewer = f"the best {len(shown):,} of {every} by {tables[0].measure}, ranked among these; "
    cut = len(shown) < len(scores.systems)
    title, leading = _leaders(
        [table.measure for table in tables], means, scores.systems, f" of all {every}" if cut else "", names
    )
    leaders = [name for name in leading if name in names]
    return Sheet(
        columns=columns_of(("system", "measure", "at", "rank", "mean"), rows),
        title=title,
        subtitle=f"{fewer if cut else ''}ranks by mean over topics, not tested{shared_ranks(rows)}"
        f"{thick_lines(rows, leaders)}",
        words={"systems": names, "measures": [table.measure for table in tables], "leaders": leaders},
    )


def ranked(systems: Sequence[str], means: Floats) -> list[tuple[str, int, float]]:
    """Systems from the highest mean to the lowest, with rank and mean; equal means share the best of their ranks."""
    place = places(means)
    return [(systems[s], 1 + int((place > place[s]).sum()), float(means[s])) for s in best_first(means, list(systems))]


def shared_ranks(rows: Sequence[tuple[Any, ...]]) -> str:
    """What equal means do, for a caption, where there are any; rows are of system, measure, its number and the rank."""
    if len({(row[2], row[3]) for row in rows}) == len(rows):
        return ""
    return "; systems with equal means share a rank, the best of their places; an open point is in the middle of these"


def thick_lines(rows: Sequence[tuple[Any, ...]], leaders: Sequence[str]) -> str:
    """Which lines are thick, for a caption: those with a colour, and those of systems that the title names."""
    bright = coloured([row[0] for row in rows], [row[3] for row in rows])
    others = [vl.short(name) for name in leaders if name not in bright]
    if not others:
        return in_colour(rows)
    lines = "thick line" if len(others) == 1 else "thick lines"
    return f"{in_colour(rows)}; {lines} without a colour: {vl.listed(others)}"


def in_colour(rows: Sequence[tuple[Any, ...]]) -> str:
    """Which lines have colours, for a caption; rows are of system, measure, its number and the rank."""
    moves = _moves((row[0] for row in rows), (row[3] for row in rows))
    moving = sorted((move for move in moves.values() if move), reverse=True)
    if len(moving) <= HIGHLIGHTED:
        return "; thick lines in colour: systems whose rank changes" if moving else ""
    split = moving[HIGHLIGHTED - 1] == moving[HIGHLIGHTED]
    among = ", the highest on the left where this is equal" if split else ""
    return f"; thick lines in colour: the {HIGHLIGHTED} whose best and worst rank differ most{among}"


def coloured(systems: Sequence[str], ranks: Sequence[int]) -> list[str]:
    """Systems whose lines have colours, of columns of systems and their ranks: those that move most."""
    moves = _moves(systems, ranks)
    moved = sorted(moves, key=lambda name: -moves[name])  # stable: the best first
    return [name for name in moved if moves[name]][:HIGHLIGHTED]


def _moves(systems: Iterable[str], ranks: Iterable[int]) -> dict[str, int]:
    """From the best rank of each system to its worst."""
    of: dict[str, list[int]] = {}
    for name, rank in zip(systems, ranks, strict=True):
        of.setdefault(name, []).append(rank)
    return {name: max(own) - min(own) for name, own in of.items()}


def _leaders(
    measures: Sequence[str], means: Any, systems: Sequence[str], among: str, shown: Container[str]
) -> tuple[str, list[str]]:
    """Which systems have the highest mean under which measures, and the systems that this names.

    among  of how many, where not all are drawn
    shown  those that are drawn
    """
    leads: dict[str, list[str]] = {}
    named: list[str] = []
    for measure, mean in zip(measures, means, strict=True):
        place = places(mean)
        first = np.flatnonzero(place == place.max()).tolist()
        drawn = sum(systems[s] in shown for s in first)
        part = f" ({drawn:,} of them shown)" if drawn < len(first) else ""
        name = vl.short(systems[first[0]]) if len(first) == 1 else f"{len(first):,} systems together{part}"
        named += [systems[first[0]]] if len(first) == 1 else []
        leads.setdefault(name, []).append(vl.short(measure))
    if len(leads) == 1:
        every = "both measures" if len(measures) == 2 else f"all {plural(len(measures), 'measure')}"
        return f"Highest mean{among}: {next(iter(leads))}, on {every}", unique(named)
    if len(leads) > 3 or len(measures) > 6:
        return f"Which system has the highest mean{among} depends on the measure ({len(measures):,} measures)", []
    parts = [f"{name} on {vl.listed(led)}" for name, led in leads.items()]
    return f"Highest mean{among}: " + ", ".join(parts), unique(named)


def ranks(sheet: Sheet, look: Theme) -> Spec:
    """A line per system from measure to measure; those that move most have colours, and the leaders thick lines.

    Systems that share a rank share a point, which has no system's colour, and from which short lines lead to their
    names.
    """
    systems, measures = sheet.words["systems"], sheet.words["measures"]
    bright = coloured(sheet.columns["system"], sheet.columns["rank"])
    # those of the title are found without a colour, too
    black = [name for name in sheet.words["leaders"] if name not in bright]
    thick = {*bright, *black}
    n = len(systems)
    digits = 6 + 7 * len(str(n))  # pixels of a rank
    least = max(100.0, 30.0 * (len(measures) - 1))

    # names are cut where they would leave no room for the lines: first on the right, then on the left, too
    cut = {most: [vl.middle(name, most) for name in systems] for most in range(SHORT, WHOLE + 1)}
    beside = {
        most: max(_pixels(shown, bold=name in thick) for name, shown in zip(systems, names, strict=True))
        + TIE + digits + 3
        for most, names in cut.items()
    }  # fmt: skip
    sides = [(left, right) for room in (least, TIGHT * least) for left in reversed(cut)
             for right in range(left, SHORT - 1, -1) if 460 - beside[left] - beside[right] >= room]  # fmt: skip
    # no two systems have one name on one side, if that can be
    distinct = (two for two in sides if all(len({*cut[most]}) == n for most in two))
    left, right = next(distinct, sides[0] if sides else (SHORT, SHORT))
    free = 460 - beside[left] - beside[right]
    width = round(max(TIGHT * least if sides else least, min(free, 110.0 * (len(measures) - 1))))
    # upright where they would overlap
    widths = [vl.room([name], font=12) for name in measures]
    heads = max(map(sum, pairwise(widths))) / 2 + 8 > width / (len(measures) - 1)
    x = vl.category("at", axis={
        "orient": "top", "ticks": False, "domain": False, "grid": True, "labelAngle": -60 if heads else 0,
        "labelFontSize": 12, "labelLimit": 300, "labelOverlap": False,
        "labelExpr": f"[{','.join(vl.quoted(vl.middle(shortened(name), HEAD)) for name in measures)}][datum.value]",
    }, scale={"type": "point", "padding": 0})  # fmt: skip
    y = {"field": "place", "type": "quantitative", "axis": None,
         "scale": {"domain": [0.5, n + 0.5], "reverse": True, "nice": False, "zero": False}}  # fmt: skip
    columns = {**sheet.columns, **_rows(sheet.columns["at"], sheet.columns["rank"])}
    tied = [i for i, alone in enumerate(columns["alone"]) if not alone]
    layer: list[Spec] = []
    for name in [*sorted((name for name in systems if name not in bright), key=thick.__contains__), *reversed(bright)]:
        rows = rows_where(columns, "system", name)
        colour, at, wide = look.pale, 0, 1.0
        if name in bright:
            at, wide = bright.index(name), THICK
            colour = look.lines[at]
        elif name in black:
            colour, at, wide = look.ink, black.index(name), LEADER
        line = {"type": "line", "color": colour, "strokeWidth": wide, "strokeDash": list(DASHES[at])}
        layer += [
            {"data": vl.values(rows), "mark": line, "encoding": {"x": x, "y": y}},
            {"data": vl.values(rows_where(rows, "alone", True)), "mark": vl.dot(70 if name in thick else 30, colour),
             "encoding": {"x": x, "y": y}},
        ]  # fmt: skip
        for end, align, away, most in ((0, "right", -1, left), (len(measures) - 1, "left", 1, right)):
            last = picked(rows, [rows["at"].index(end)])
            data = vl.values({**last, "shown": [vl.middle(name, most)]})
            if last["row"] != last["place"]:
                layer.append({"data": data, "mark": {"type": "rule", "color": look.faint, "x2Offset": away * (TIE - 3)},
                              "encoding": {"x": x, "x2": {"field": "at"}, "y": y, "y2": {"field": "row"}}})  # fmt: skip
            for field, dx in (("rank", TIE), ("shown", TIE + digits)):  # long names are cut, and ranks are not
                text = {"type": "text", "align": align, "dx": away * dx, "fontSize": 12, "limit": 260,
                        "color": look.ink, "fontWeight": "bold" if name in thick else "normal",
                        "tooltip": vl.TOOLTIP}  # fmt: skip
                layer.append({"data": data, "mark": text,
                              "encoding": {"x": x, "y": {**y, "field": "row"}, "text": {"field": field}}})  # fmt: skip
    if tied:
        layer.append({"data": vl.values(picked(columns, tied)), "encoding": {"x": x, "y": y},
                      "mark": vl.dot(70, look.ground, stroke=look.ink, strokeWidth=1.2)})  # fmt: skip
    return {"width": width, "height": ROW * n, "layer": layer}


def _rows(at: Sequence[int], rank: Sequence[int]) -> Columns:
    """Where each name stands, one below the other; where its point is, in the middle of those with its rank; whether
    no other has this point.
    """
    seen: Counter[tuple[int, int]] = Counter()
    row = []
    for key in zip(at, rank, strict=True):
        row.append(key[1] + seen[key])
        seen[key] += 1
    keys = [*zip(at, rank, strict=True)]
    return {"row": row, "place": [key[1] + (seen[key] - 1) / 2 for key in keys],
            "alone": [seen[key] == 1 for key in keys]}  # fmt: skip


def board_groups_sheet(ranking: Leaderboard, *, top: int = COMPARED) -> Sheet:
    """One row per system with its mean; in `bars` one row per group and member.

    top  only so many of the best
    """
    columns = ranking.columns()
    return groups_sheet(
        ranking.systems, columns["mean"], parted(ranking.letters), top, f"mean {ranking.measure}",
        plural(ranking.n_topics, "topic"), f"at {ranking.alpha:g}, all pairs at once: {ranking.method}",
    )  # fmt: skip


def comparisons_groups_sheet(
    result: Comparisons, *, alpha: float = 0.05, top: int = COMPARED, measure: str | None = None
) -> Sheet:
    """The same by any procedure for all pairs, such as Nemenyi's of mean ranks.

    measure  name of what was scored, which the result does not know
    """
    order = best_first(result.location, result.systems)
    lettered = letters(result, alpha).columns()
    word_of = dict(zip(lettered["system"], lettered["letters"], strict=True))
    words = parted([word_of[name] for name in result.systems])
    corrected = "all pairs at once" if result.corrected else "each pair by itself, uncorrected"
    return groups_sheet(
        [result.systems[s] for s in order], [float(result.location[s]) for s in order], [words[s] for s in order], top,
        location_words(result, measure) + (", higher is better" if "ranks" in result.method else ""),
        plural(result.n_topics, "topic"), f"at {alpha:g}, {corrected}: {result.method}",
    )  # fmt: skip


def groups_sheet(
    systems: Sequence[str],
    mean: Sequence[float],
    words: Sequence[Sequence[str]],
    top: int,
    x: str,
    topics: str,
    by: str,
) -> Sheet:
    """One row per system with its mean; in `bars` one row per group, by its letters, and member."""
    whole_number("top", top, 2)
    shown = range(min(top, len(systems)))
    group_of: dict[str, list[int]] = {}
    for s, own in enumerate(among(words, len(shown))):
        for word in own:
            group_of.setdefault(word, []).append(s)
    groups = [tuple(group) for group in group_of.values() if len(group) > 1]
    owns = [{*own} for own in words]
    hidden = {other: own for other, own in enumerate(owns) if other >= len(shown)}
    reached = [{other for other, own in hidden.items() if all(own & owns[s] for s in group)} for group in groups]
    beyond = [len(other) for other in reached]
    left = sum(
        any(own & owns[s] and not any(s in group and other in on for group, on in zip(groups, reached, strict=True))
            for other, own in hidden.items())
        for s in shown
    )  # fmt: skip
    alone = len(groups) == 1 and len(groups[0]) == len(shown)  # one bar joins all, and letters would say nothing
    letter = [""] if alone else [word for word, group in group_of.items() if len(group) > 1]
    rows = [(bar, letter[bar - 1], more, systems[s], mean[s])
            for bar, (group, more) in enumerate(zip(groups, beyond, strict=True), 1) for s in group]  # fmt: skip
    everywhere = {s for letter in words[0] for s in range(len(systems)) if letter in words[s]} - {0}
    place = places(mean)
    first = [systems[s] for s in np.flatnonzero(place == place.max()).tolist()]
    lead = f"{vl.short(systems[0])} is first" if len(first) == 1 else f"{vl.together(first)} share the first place"
    other = "it" if len(first) == 1 else vl.short(systems[0])
    if everywhere:
        title = f"{lead}; {plural(len(everywhere), 'other')} cannot be told apart from {other}"
    else:
        others = "the other" if len(systems) == 2 else f"all {len(systems) - 1:,} others"
        title = f"{lead}, and told apart from {others}"
    of = "" if len(shown) == len(systems) else f"the best {len(shown):,} of {plural(len(systems), 'system')}; "
    return Sheet(
        columns={
            "place": [s + 1 for s in shown],
            "system": [systems[s] for s in shown],
            "mean": [mean[s] for s in shown],
            "letters": joined([[letter[i] for i, group in enumerate(groups) if s in group] for s in shown]),
        },
        title=title,
        subtitle=f"{of}{topics}{_beyond(letter, beyond)}{_unreached(left, len(shown), arrows=any(beyond))}"
        f"{_apart(groups, beyond, everywhere)}\n"
        f"{_joined(groups, [mean[s] for s in shown], alone)} {by}"
        f"{_without_bar(groups, len(shown), cut=bool(of))}",
        more={"bars": columns_of(("bar", "letter", "beyond", "system", "mean"), rows)} if rows else {},
        words={"x": x, "decimals": 2 if x.startswith("mean rank within") else 4},
    )


def _beyond(letter: Sequence[str], beyond: Sequence[int]) -> str:
    """How many systems that are not drawn the bars go on to."""
    on = [(name, count) for name, count in zip(letter, beyond, strict=True) if count]
    if not on:
        return ""
    if len(letter) == 1:
        return f"; arrow: the bar goes on to {on[0][1]:,} of the others"
    counts = {count for _, count in on}
    if len(on) > 1 and len(counts) == 1:
        return f"; arrows: bars {vl.listed([name for name, _ in on])} each go on to {on[0][1]:,} of the other systems"
    listed = ", ".join(f"bar {name} goes on to {count:,}" for name, count in on)
    return f"; arrow{'s' * (len(on) > 1)}: {listed} of the other systems"


def _unreached(count: int, shown: int, *, arrows: bool) -> str:
    """How many systems cannot be told apart from systems that are not drawn and that no bar of theirs goes on to.

    arrows  whether some bars go on
    """
    if not count:
        return ""
    which = f"all {shown:,}" if count == shown else f"{count:,} of the {shown:,}"
    others = (
        "still other systems, which are not shown and which no arrow of theirs reaches"
        if arrows
        else "systems not shown"
    )
    return f"; {which} systems shown cannot be told apart from {others}"


def _apart(groups: Sequence[tuple[int, ...]], beyond: Sequence[int], first: set[int]) -> str:
    """Systems that cannot be told apart from the first one but from another of its only bar."""
    if len(groups) != 1 or 0 not in groups[0]:
        return ""
    more = len(first) - (len(groups[0]) - 1 + beyond[0])
    return f"; {more:,} more cannot be told apart from the first, but can be from others on the bar" if more > 0 else ""


def _joined(groups: Sequence[tuple[int, ...]], mean: Sequence[float], alone: bool) -> str:
    """What bars and the ticks on them mean."""
    if not groups:
        return "each system is told apart from every other"
    pixel = (max(mean) - min(mean)) / AXIS  # at most
    close = any(abs(mean[a] - mean[b]) <= pixel for group in groups for a, b in pairwise(group))
    ticks = f"a tick for each{', those of equal or close means run together' if close else ''}"
    if alone:
        return f"the bar joins all systems shown ({ticks}), which cannot be told apart"
    return f"a bar joins systems that cannot be told apart ({ticks}; the letter of the bar is after each name)"


def _without_bar(groups: Sequence[tuple[int, ...]], shown: int, *, cut: bool) -> str:
    """What it means that a system is on no bar, where there is one."""
    without = shown - len({*chain.from_iterable(groups)})
    told = f"; a system without a bar is told apart from every other{' shown' * cut}, and its letter is left out"
    return told if groups and without else ""


def critical_difference(sheet: Sheet, look: Theme) -> Spec:
    """Systems on an axis of means, their names at both sides, and a bar below the axis for each group.

    Long names are all at the right: at both sides they would leave no room for the axis.
    """
    # points of close means cover each other, so letters say who is in a bar
    pairs = zip(sheet.columns["system"], sheet.columns["letters"], strict=True)
    names = [f"{name} ({letters})" if letters else name for name, letters in pairs]
    mean = sheet.columns["mean"]
    printed = [f"{value:.{sheet.words['decimals']}f}" for value in mean]
    bars = sheet.more.get("bars", {"bar": [], "letter": [], "beyond": [], "system": [], "mean": []})
    low, high = min(mean), max(mean)
    span = high - low or abs(high) or 1.0
    domain = [low - 0.04 * span, high + 0.04 * span]
    wide = [4 + min(LONG, _pixels(f"{name}  {number}")) for name, number in zip(names, printed, strict=True)]
    right = (len(names) + 1) // 2  # the best stand on the right, the best of them highest
    width = round(466 - max(wide[:right]) - max(wide[right:], default=0))
    if width < AXIS:
        width, right = round(466 - max(wide)), len(names)
    gap, first = 15, 16
    count = max(bars["bar"], default=0)
    base = first + gap * count + 10
    height = base + ROW * right
    x = {"type": "quantitative", "title": sheet.words["x"],
         "scale": {"domain": domain, "nice": False, "zero": False},
         "axis": {"orient": "top", "grid": False, "tickCount": 4, "offset": 2}}  # fmt: skip
    y = {"type": "quantitative", "axis": None, "scale": {"domain": [0, height], "reverse": True, "nice": False}}
    elbows: list[tuple[Any, ...]] = []
    texts: dict[str, list[tuple[Any, ...]]] = {"left": [], "right": []}
    for i, (name, value, number) in enumerate(zip(names, mean, printed, strict=True)):
        side = "right" if i < right else "left"
        # half a row apart, so that neighbours do not end at one height
        row = float(i) if side == "right" else len(names) - 1.5 - i + (len(names) % 2)
        at, edge = base + ROW * row, domain[1] if side == "right" else domain[0]
        elbows += [(i, 0, value, 0.0), (i, 1, value, float(at)), (i, 2, edge, float(at))]
        texts[side].append((f"{number}  {name}" if side == "right" else f"{name}  {number}", edge, float(at)))
    line = {"x": {"field": "x", **x}, "y": {"field": "y", **y}}
    tops = [float(first + gap * (bar - 1)) for bar in bars["bar"]]
    joined = {"bar": bars["bar"], "x": bars["mean"], "y": tops}
    ends = {bar: i for i, bar in reversed([*enumerate(bars["bar"])])}  # the best of each bar
    on = [i for i in ends.values() if bars["beyond"][i]]
    last = {bar: i for i, bar in enumerate(bars["bar"])}
    arrows = {"x": [domain[0]] * len(on), "x2": [bars["mean"][last[bars["bar"][i]]] for i in on],
              "y": [tops[i] for i in on]}  # fmt: skip
    closed = sorted({*ends.values(), *(i for i in last.values() if not bars["beyond"][i])})
    lettered = {"x": [domain[0]] * count, "x2": [domain[1]] * count, "y": [tops[i] for i in ends.values()],
                "letter": [bars["letter"][i] for i in ends.values()]}  # fmt: skip
    layer: list[Spec] = [{
        "data": vl.values(lettered), "mark": {"type": "rule", "color": look.rule},
        "encoding": {**line, "x2": {"field": "x2"}},
    }, {
        "data": vl.values(columns_of(("system", "step", "x", "y"), elbows)),
        "mark": {"type": "line", "color": look.faint, "strokeWidth": 1},
        "encoding": {**line, "detail": {"field": "system"}, "order": {"field": "step"}},
    }]  # fmt: skip
    if on:  # bars that go on to systems that are not drawn
        layer += [
            {"data": vl.values(arrows), "mark": {"type": "rule", "color": look.ink, "strokeWidth": BAR},
             "encoding": {**line, "x2": {"field": "x2"}}},
            {"data": vl.values(arrows), "mark": vl.dot(160, look.ink, shape="triangle-left"), "encoding": line},
        ]  # fmt: skip
    if count:
        tick = {"type": "tick", "orient": "vertical", "thickness": 1}
        layer += [
            {"data": vl.values(joined), "mark": {"type": "line", "color": look.ink, "strokeWidth": BAR},
             "encoding": {**line, "detail": {"field": "bar"}}},
            {"data": vl.values(joined), "mark": {**tick, "size": MEMBER, "color": look.ground}, "encoding": line},
            {"data": vl.values(picked(joined, closed)), "mark": {**tick, "size": END, "color": look.ink},
             "encoding": line},
            # beside the plot, where no other line is
            {"data": vl.values(lettered), "mark": {"type": "text", "align": "left", "dx": 4, "fontSize": 12},
             "encoding": {**line, "x": {**line["x"], "field": "x2"}, "text": {"field": "letter"}}},
        ]  # fmt: skip
    for side, rows in texts.items():
        if rows:
            layer.append({
                "data": vl.values(columns_of(("label", "x", "y"), rows)),
                "mark": {"type": "text", "align": "left" if side == "right" else "right", "fontSize": 12,
                         "dx": 4 if side == "right" else -4, "limit": LONG},
                "encoding": {**line, "text": {"field": "label"}},
            })  # fmt: skip
    return {"width": width, "height": height, "layer": layer}


def _pixels(text: str, *, bold: bool = False) -> float:
    """Width of a text of 12 px."""
    exact = text_width(text, 12, bold=bold)
    return vl.room([text], font=12, most=LONG) if exact is None else exact
