"""Rankings of systems: ranks under several measures, and which systems cannot be told apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from string import ascii_letters
from typing import Any

import numpy as np

from rankscope.arguments import whole_number
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
from rankscope.statistics.families.groups import letters

RANKED = 12  # systems whose ranks are drawn unless another number is asked for
COMPARED = 20  # the same of systems that bars join
HIGHLIGHTED = 6  # lines with a colour of their own: those that move most
ROW = 18  # pixels of a name
SHORT, WHOLE = 20, 32  # letters of a name at both sides of ranks, at least and at most
TIE = 11  # pixels between a point and its rank
PALE = 0.5  # opacity of lines without a colour of their own, which are paler than any colour in grey, too
HEAD = 44  # and of one over them
LONG = 270  # pixels of a name with its mean and its letters
AXIS = 105  # pixels of an axis of means on which its systems can be told apart


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
    tied = False
    for at, (table, mean) in enumerate(zip(tables, means[:, shown], strict=True)):
        place = places(mean)
        tied |= len(set(place.tolist())) < len(shown)
        for s in best_first(mean, names):
            rows.append((names[s], table.measure, at, 1 + int((place > place[s]).sum()), float(mean[s])))
    every = plural(len(scores.systems), "system")
    fewer = f"the best {len(shown):,} of {every} by {tables[0].measure}, ranked among these; "
    cut = len(shown) < len(scores.systems)
    ties = "; systems with the same mean share a rank" if tied else ""
    return Sheet(
        columns=columns_of(("system", "measure", "at", "rank", "mean"), rows),
        title=_leaders([table.measure for table in tables], means, scores.systems, f" of all {every}" if cut else ""),
        subtitle=f"{fewer if cut else ''}ranks by mean over topics, not tested{ties}{in_colour(rows)}",
        words={"systems": names, "measures": [table.measure for table in tables]},
    )


def in_colour(rows: Sequence[tuple[Any, ...]]) -> str:
    """Which lines have colours, for a caption; rows are of system, measure, its number and the rank."""
    moves = _moves((row[0] for row in rows), (row[3] for row in rows))
    moving = sorted((move for move in moves.values() if move), reverse=True)
    if len(moving) <= HIGHLIGHTED:
        return "; thick lines in colour: those that move" if moving else ""
    split = moving[HIGHLIGHTED - 1] == moving[HIGHLIGHTED]
    among = ", of those that move as far the highest on the left" if split else ""
    return f"; thick lines in colour: the {HIGHLIGHTED} that move most{among}"


def _moves(systems: Iterable[str], ranks: Iterable[int]) -> dict[str, int]:
    """From the best rank of each system to its worst."""
    of: dict[str, list[int]] = {}
    for name, rank in zip(systems, ranks, strict=True):
        of.setdefault(name, []).append(rank)
    return {name: max(own) - min(own) for name, own in of.items()}


def _leaders(measures: Sequence[str], means: Any, systems: Sequence[str], among: str) -> str:
    """Which systems have the highest mean under which measures; among says of how many, where not all are drawn."""
    leads: dict[str, list[str]] = {}
    for measure, mean in zip(measures, means, strict=True):
        place = places(mean)
        first = np.flatnonzero(place == place.max()).tolist()
        name = vl.short(systems[first[0]]) if len(first) == 1 else f"{len(first):,} systems together"
        leads.setdefault(name, []).append(vl.short(measure))
    if len(leads) == 1:
        return f"Highest mean{among}: {next(iter(leads))}, on all {plural(len(measures), 'measure')}"
    if len(leads) > 3 or len(measures) > 6:
        return f"Which system has the highest mean{among} depends on the measure ({len(measures):,} measures)"
    parts = [f"{name} on {vl.listed(led)}" for name, led in leads.items()]
    return f"Highest mean{among}: " + ", ".join(parts)


def ranks(sheet: Sheet, look: Theme) -> Spec:
    """A line per system from measure to measure; those that move most have colours.

    Systems that share a rank share a point, from which short lines lead to their names.
    """
    systems, measures = sheet.words["systems"], sheet.words["measures"]
    moves = _moves(sheet.columns["system"], sheet.columns["rank"])
    moved = sorted(systems, key=lambda name: -moves[name])  # stable: the best first
    bright = [name for name in moved if moves[name]][:HIGHLIGHTED]
    n = len(systems)
    digits = 6 + 7 * len(str(n))  # pixels of a rank
    least = max(100.0, 30.0 * (len(measures) - 1))

    def beside(letters: int) -> float:
        """Pixels of names cut at so many letters, and of their ranks."""
        wide = (_pixels(vl.middle(name, letters), bold=name in bright) for name in systems)
        return max(wide) + TIE + digits + 3

    # names are cut where they would leave no room for the lines
    letters = next((most for most in range(WHOLE, SHORT, -1) if 460 - 2 * beside(most) >= least), SHORT)
    room = beside(letters)
    width = round(max(least, min(460 - 2 * room, 110.0 * (len(measures) - 1))))
    heads = len(measures) * (vl.room(measures, font=12) + 8) > width + room  # upright where they would overlap
    x = vl.category("at", axis={
        "orient": "top", "ticks": False, "domain": False, "grid": True, "labelAngle": -60 if heads else 0,
        "labelFontSize": 12, "labelLimit": 300, "labelOverlap": False,
        "labelExpr": f"[{','.join(vl.quoted(vl.middle(shortened(name), HEAD)) for name in measures)}][datum.value]",
    }, scale={"type": "point", "padding": 0})  # fmt: skip
    y = {"field": "place", "type": "quantitative", "axis": None,
         "scale": {"domain": [0.5, n + 0.5], "reverse": True, "nice": False, "zero": False}}  # fmt: skip
    columns = {**sheet.columns, **_rows(sheet.columns["at"], sheet.columns["rank"])}
    layer: list[Spec] = []
    for name in [*(name for name in systems if name not in bright), *reversed(bright)]:
        rows = rows_where(columns, "system", name)
        at = bright.index(name) if name in bright else None
        colour = look.faint if at is None else look.lines[at]
        pale = {"opacity": PALE} if at is None else {}
        line = {"type": "line", "color": colour, "strokeWidth": 1 if at is None else 2.5,
                "strokeDash": list(DASHES[0 if at is None else at]), **pale}  # fmt: skip
        layer += [
            {"data": vl.values(rows), "mark": line, "encoding": {"x": x, "y": y}},
            {"data": vl.values(rows), "mark": {**vl.dot(40 if at is None else 70, colour), **pale},
             "encoding": {"x": x, "y": y}},
        ]  # fmt: skip
        for end, align, away in ((0, "right", -1), (len(measures) - 1, "left", 1)):
            last = picked(rows, [rows["at"].index(end)])
            data = vl.values({**last, "shown": [vl.middle(name, letters)]})
            if last["row"] != last["place"]:
                layer.append({"data": data, "mark": {"type": "rule", "color": look.faint, "x2Offset": away * TIE},
                              "encoding": {"x": x, "x2": {"field": "at"}, "y": y, "y2": {"field": "row"}}})  # fmt: skip
            for field, dx in (("rank", TIE), ("shown", TIE + digits)):  # long names are cut, and ranks are not
                text = {"type": "text", "align": align, "dx": away * dx, "fontSize": 12, "limit": 200,
                        "color": look.ink, "fontWeight": "normal" if at is None else "bold"}  # fmt: skip
                layer.append({"data": data, "mark": text,
                              "encoding": {"x": x, "y": {**y, "field": "row"}, "text": {"field": field}}})  # fmt: skip
    return {"width": width, "height": ROW * n, "layer": layer}


def _rows(at: Sequence[int], rank: Sequence[int]) -> Columns:
    """Where each name stands, one below the other, and where its point is: in the middle of those with its rank."""
    seen: Counter[tuple[int, int]] = Counter()
    row = []
    for key in zip(at, rank, strict=True):
        row.append(key[1] + seen[key])
        seen[key] += 1
    return {"row": row, "place": [key[1] + (seen[key] - 1) / 2 for key in zip(at, rank, strict=True)]}


def board_groups_sheet(ranking: Leaderboard, *, top: int = COMPARED) -> Sheet:
    """One row per system with its mean; in `bars` one row per group and member.

    top  only so many of the best
    """
    columns = ranking.columns()
    apart = any(" " in word for word in ranking.letters)
    words = [word.split() if apart else list(word) for word in ranking.letters]
    return groups_sheet(
        ranking.systems, columns["mean"], words, top, f"mean {ranking.measure}", plural(ranking.n_topics, "topic"),
        f"at {ranking.alpha:g}, all pairs at once: {ranking.method}",
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
    apart = any(" " in word for word in word_of.values())
    words = [word_of[name].split() if apart else list(word_of[name]) for name in result.systems]
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
    members: dict[str, set[int]] = {}
    for s, own in enumerate(words):
        for word in own:
            members.setdefault(word, set()).add(s)
    # of groups that others hold among those shown, one is enough
    drawn = [(tuple(sorted(s for s in group if s in shown)), group) for group in members.values()]
    groups = unique(group for group, _ in drawn if len(group) > 1)
    groups = [group for group in groups if not any(set(group) < set(other) for other in groups)]
    beyond = [len(set().union(*(every for own, every in drawn if own == group)) - set(group)) for group in groups]
    alone = len(groups) == 1 and len(groups[0]) == len(shown)  # one bar joins all, and letters would say nothing
    short = len(groups) <= len(ascii_letters)
    letter = [""] if alone else [ascii_letters[i] if short else str(i + 1) for i in range(len(groups))]
    rows = [(bar, letter[bar - 1], more, systems[s], mean[s])
            for bar, (group, more) in enumerate(zip(groups, beyond, strict=True), 1) for s in group]  # fmt: skip
    between = "" if short else " "
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
            "letters": [between.join(letter[i] for i, group in enumerate(groups) if s in group) for s in shown],
        },
        title=title,
        subtitle=f"{of}{topics}{_beyond(letter, beyond)}\n{_joined(len(groups), alone)} {by}",
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
    return f"; arrows: bars go on to others ({', '.join(f'{name}: {count:,}' for name, count in on)})"


def _joined(bars: int, alone: bool) -> str:
    """What bars mean."""
    if bars == 0:
        return "each system is told apart from every other"
    if alone:
        return "the bar joins all of these systems, which cannot be told apart"
    return "a bar joins systems that cannot be told apart (those with a point on it and its letter behind their name)"


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
    gap, first = 14, 16
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
    last = dict(zip(bars["bar"], bars["mean"], strict=True))
    arrows = {"x": [domain[0]] * len(on), "x2": [last[bars["bar"][i]] for i in on], "y": [tops[i] for i in on]}
    letters = {"x": [bars["mean"][i] for i in ends.values()], "y": [tops[i] for i in ends.values()],
               "letter": [bars["letter"][i] for i in ends.values()]}  # fmt: skip
    layer: list[Spec] = [{
        "data": vl.values(columns_of(("system", "step", "x", "y"), elbows)),
        "mark": {"type": "line", "color": look.faint, "strokeWidth": 1},
        "encoding": {**line, "detail": {"field": "system"}, "order": {"field": "step"}},
    }]  # fmt: skip
    if on:  # bars that go on to systems that are not drawn
        layer += [
            {"data": vl.values(arrows), "mark": {"type": "rule", "color": look.ink, "strokeWidth": 3},
             "encoding": {**line, "x2": {"field": "x2"}}},
            {"data": vl.values(arrows), "mark": vl.dot(70, look.ink, shape="triangle-left"), "encoding": line},
        ]  # fmt: skip
    if count:
        text = {"type": "text", "align": "left", "dx": 6, "fontSize": 12}
        named = {"data": vl.values(letters), "encoding": {**line, "text": {"field": "letter"}}}
        layer += [
            {"data": vl.values(joined), "mark": {"type": "line", "color": look.ink, "strokeWidth": 3},
             "encoding": {**line, "detail": {"field": "bar"}}},
            {"data": vl.values(joined), "mark": vl.dot(20, look.ink, stroke=look.ground, strokeWidth=0.8),
             "encoding": line},
            *({**named, "mark": mark} for mark in (vl.plated(text, look), text) if any(letters["letter"])),
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
