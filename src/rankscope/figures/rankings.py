"""Rankings of systems: ranks under several measures, and which systems cannot be told apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rankscope.arguments import whole_number
from rankscope.comparisons import Leaderboard
from rankscope.comparisons.scored import scored
from rankscope.errors import InputError, plural
from rankscope.figures import vega as vl
from rankscope.figures.chart import Sheet, columns_of, picked, unique
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
SHORT = 20  # letters of a name at both sides of ranks
MOVING = "; colours: systems that move most"
HEAD = 24  # and of one over them
AXIS = 160  # pixels of an axis of means on which its systems can be told apart


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
        tied |= len(set(places(mean).tolist())) < len(shown)
        for rank, s in enumerate(best_first(mean, names), 1):
            rows.append((names[s], table.measure, at, rank, float(mean[s])))
    every = plural(len(scores.systems), "system")
    fewer = f"the best {len(shown):,} of {every} by {tables[0].measure}, ranked among these; "
    of = fewer if len(shown) < len(scores.systems) else ""
    ties = "; systems with the same mean are in the order of their names" if tied else ""
    return Sheet(
        columns=columns_of(("system", "measure", "at", "rank", "mean"), rows),
        title=_leaders([table.measure for table in tables], means, scores.systems),
        subtitle=f"{of}ranks by mean over topics, not tested{ties}{MOVING}",
        words={"systems": names, "measures": [table.measure for table in tables]},
    )


def _leaders(measures: Sequence[str], means: Any, systems: Sequence[str]) -> str:
    """Which systems have the highest mean under which measures."""
    leads: dict[str, list[str]] = {}
    for measure, mean in zip(measures, means, strict=True):
        place = places(mean)
        first = np.flatnonzero(place == place.max()).tolist()
        name = vl.short(systems[first[0]]) if len(first) == 1 else f"{len(first):,} systems together"
        leads.setdefault(name, []).append(vl.short(measure))
    if len(leads) == 1:
        return f"Highest mean: {next(iter(leads))}, on all {plural(len(measures), 'measure')}"
    if len(leads) > 3 or len(measures) > 6:
        return f"The highest mean changes hands over {plural(len(measures), 'measure')}"
    parts = [f"{name} on {_listed(led)}" for name, led in leads.items()]
    return "Highest mean: " + ", ".join(parts)


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def ranks(sheet: Sheet, look: Theme) -> Spec:
    """A line per system from measure to measure; those that move most have colours."""
    systems, measures = sheet.words["systems"], sheet.words["measures"]
    by_system: dict[str, list[int]] = {name: [] for name in systems}
    for name, rank in zip(sheet.columns["system"], sheet.columns["rank"], strict=True):
        by_system[name].append(rank)
    moved = sorted(systems, key=lambda name: min(by_system[name]) - max(by_system[name]))  # stable: the best first
    bright = [name for name in moved if len(set(by_system[name])) > 1][:HIGHLIGHTED]
    n = len(systems)
    room = vl.room([f"{vl.middle(name, SHORT)} {n}" for name in systems], font=13, most=150) + 9  # bold ones are wider
    width = round(max(120.0, min(455.0 - 2 * room, 110.0 * (len(measures) - 1))))
    heads = len(measures) * (vl.room(measures, font=12) + 8) > width + room  # upright where they would overlap
    x = vl.category("at", axis={
        "orient": "top", "ticks": False, "domain": False, "grid": True, "labelAngle": -45 if heads else 0,
        "labelFontSize": 12, "labelLimit": 150, "labelOverlap": False,
        "labelExpr": f"[{','.join(vl.quoted(vl.middle(shortened(name), HEAD)) for name in measures)}][datum.value]",
    }, scale={"type": "point", "padding": 0})  # fmt: skip
    y = {"field": "rank", "type": "quantitative", "axis": None,
         "scale": {"domain": [0.5, n + 0.5], "reverse": True, "nice": False, "zero": False}}  # fmt: skip
    digits = 6 + 7 * len(str(n))  # pixels of a rank
    layer: list[Spec] = []
    for name in [*(name for name in systems if name not in bright), *reversed(bright)]:
        rows = picked(sheet.columns, [i for i, one in enumerate(sheet.columns["system"]) if one == name])
        at = bright.index(name) if name in bright else None
        colour = look.faint if at is None else look.lines[at]
        line = {"type": "line", "color": colour, "strokeWidth": 1 if at is None else 2.5,
                "strokeDash": list(DASHES[0 if at is None else at])}  # fmt: skip
        layer += [
            {"data": vl.values(rows), "mark": line, "encoding": {"x": x, "y": y}},
            {"data": vl.values(rows), "mark": vl.dot(40 if at is None else 70, colour), "encoding": {"x": x, "y": y}},
        ]
        for end, align, away in ((0, "right", -1), (len(measures) - 1, "left", 1)):
            data = vl.values({**picked(rows, [rows["at"].index(end)]), "shown": [vl.middle(name, SHORT)]})
            for field, dx in (("rank", 9), ("shown", 9 + digits)):  # long names are cut, and ranks are not
                text = {"type": "text", "align": align, "dx": away * dx, "fontSize": 12, "limit": 140,
                        "color": look.ink, "fontWeight": "normal" if at is None else "bold"}  # fmt: skip
                layer.append({"data": data, "mark": text, "encoding": {"x": x, "y": y, "text": {"field": field}}})
    return {"width": width, "height": ROW * n, "layer": layer}


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
    for s in shown:
        for word in words[s]:
            members.setdefault(word, set()).add(s)
    # of groups that others hold among those shown, one is enough
    groups = unique(tuple(sorted(group)) for group in members.values() if len(group) > 1)
    groups = [group for group in groups if not any(set(group) < set(other) for other in groups)]
    rows = [(bar, systems[s], mean[s]) for bar, group in enumerate(groups, 1) for s in group]
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
        },
        title=title,
        subtitle=f"{of}{topics}\na bar joins systems (its points) that cannot be told apart {by}",
        more={"bars": columns_of(("bar", "system", "mean"), rows)} if rows else {},
        words={"x": x, "decimals": 2 if x.startswith("mean rank within") else 4},
    )


def critical_difference(sheet: Sheet, look: Theme) -> Spec:
    """Systems on an axis of means, their names at both sides, and a bar below the axis for each group.

    Long names are all at the right: at both sides they would leave no room for the axis.
    """
    names, mean = sheet.columns["system"], sheet.columns["mean"]
    bars = sheet.more.get("bars", {"bar": [], "system": [], "mean": []})
    low, high = min(mean), max(mean)
    span = high - low or abs(high) or 1.0
    domain = [low - 0.04 * span, high + 0.04 * span]
    room = vl.room([f"{name}  0.0000" for name in names], font=12, most=200)
    width = round(474 - 2 * room)
    right = (len(names) + 1) // 2  # the best stand on the right, the best of them highest
    if width < AXIS:
        width, right = round(474 - room), len(names)
    gap, first = 10, 14
    count = max(bars["bar"], default=0)
    base = first + gap * count + 10
    height = base + ROW * right
    x = {"type": "quantitative", "title": sheet.words["x"],
         "scale": {"domain": domain, "nice": False, "zero": False},
         "axis": {"orient": "top", "grid": False, "tickCount": 4, "offset": 2}}  # fmt: skip
    y = {"type": "quantitative", "axis": None, "scale": {"domain": [0, height], "reverse": True, "nice": False}}
    elbows: list[tuple[Any, ...]] = []
    texts: dict[str, list[tuple[Any, ...]]] = {"left": [], "right": []}
    for i, (name, value) in enumerate(zip(names, mean, strict=True)):
        side = "right" if i < right else "left"
        row = i if side == "right" else len(names) - 1 - i
        at, edge = base + ROW * row, domain[1] if side == "right" else domain[0]
        elbows += [(i, 0, value, 0.0), (i, 1, value, float(at)), (i, 2, edge, float(at))]
        printed = f"{value:.{sheet.words['decimals']}f}"
        texts[side].append((f"{printed}  {name}" if side == "right" else f"{name}  {printed}", edge, float(at)))
    line = {"x": {"field": "x", **x}, "y": {"field": "y", **y}}
    tops = [float(first + gap * (bar - 1)) for bar in bars["bar"]]
    joined = {"bar": bars["bar"], "x": bars["mean"], "y": tops}
    layer: list[Spec] = [{
        "data": vl.values(columns_of(("system", "step", "x", "y"), elbows)),
        "mark": {"type": "line", "color": look.faint, "strokeWidth": 1},
        "encoding": {**line, "detail": {"field": "system"}, "order": {"field": "step"}},
    }]  # fmt: skip
    if count:
        layer += [
            {"data": vl.values(joined), "mark": {"type": "line", "color": look.ink, "strokeWidth": 3},
             "encoding": {**line, "detail": {"field": "bar"}}},
            {"data": vl.values(joined), "mark": vl.dot(34, look.ink), "encoding": line},
        ]  # fmt: skip
    for side, rows in texts.items():
        if rows:
            layer.append({
                "data": vl.values(columns_of(("label", "x", "y"), rows)),
                "mark": {"type": "text", "align": "left" if side == "right" else "right", "fontSize": 12,
                         "dx": 4 if side == "right" else -4, "limit": 200},
                "encoding": {**line, "text": {"field": "label"}},
            })  # fmt: skip
    return {"width": width, "height": height, "layer": layer}
