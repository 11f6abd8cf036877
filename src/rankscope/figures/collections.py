"""Several collections: a forest plot, means of systems on collections, and where the variance of scores comes from."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankscope.arguments import whole_number
from rankscope.comparisons import Across, CollectionBoard
from rankscope.comparisons.collection_board import FEWEST
from rankscope.comparisons.comparing_collections import AverageEffect
from rankscope.errors import plural
from rankscope.figures import vega as vl
from rankscope.figures.chart import Sheet, columns_of
from rankscope.figures.rankings import COMPARED, groups_sheet
from rankscope.figures.theme import Spec, Theme
from rankscope.formatting import bounds, percent, score
from rankscope.statistics.equality import places
from rankscope.statistics.families.groups import parted
from rankscope.statistics.replications.repeated_runs import VarianceComponents

ROW = 20  # pixels of a collection
CELL = 40  # pixels from which on a cell of the map has room for its number
MAPPED = 30  # systems of a map unless another number is asked for
MEAN, NEXT = "mean over collections", "next collection"


def forest_sheet(result: Across) -> Sheet:
    """One row per collection: difference and interval; then the mean, and the interval for the next collection."""
    average = result.average
    rows: list[tuple[object, ...]] = []
    if result.rows:
        rows = [(row.name, row.estimate, *result.ends(row), row.effect.n_topics, "collection") for row in result.rows]
    else:
        rows = [(name, value, None, None, None, "collection") for name, value in result.means.items()]
    rows.append((MEAN, average.difference, average.lower, average.upper, None, "mean"))
    rows.append((NEXT, None, average.next_lower, average.next_upper, None, "next"))
    a, b = map(vl.short, result.systems)
    level = f"{100 * average.level:g} %"
    return Sheet(
        columns=columns_of(("collection", "difference", "lower", "upper", "n_topics", "part"), rows),
        title=_title(result, average),
        subtitle=f"{'standardised ' * result.standardised}differences of {vl.short(result.measure)}, {b} (B) minus "
        f"{a} (A), {level} intervals\n"
        f"{NEXT}: {level} prediction interval of its {'true' if result.rows else 'observed'} difference",
        words={"x": ["difference B - A", vl.FOR_B]},
    )


def _title(result: Across, average: AverageEffect) -> str:
    claim = next(claim for claim in result.claims if claim.name == "on average")
    number = score(average.difference) if average.difference < 0 else f"+{score(average.difference)}"
    over = f"over {plural(result.n_collections, 'collection')}"
    mean = f"{number}, {100 * average.level:g} % interval {bounds(average.lower, average.upper)}"
    if not claim.verdict:
        a, b = map(vl.short, result.systems)
        return f"Neither {a} nor {b} is shown to be better in {vl.short(result.measure)} on average {over}: {mean}"
    better = vl.short(result.systems[claim.verdict > 0])
    return f"{better} is better in {vl.short(result.measure)} on average {over}: {mean}"


def forest(sheet: Sheet, look: Theme) -> Spec:
    """A point and an interval per collection, a diamond for the mean, and a dashed line for the next collection."""
    names = list(sheet.columns["collection"])
    drawn = [end for key in ("lower", "upper", "difference") for end in sheet.columns[key] if end is not None]
    x = vl.signed(drawn, sheet.words["x"])
    numbers = {**sheet.columns, "row": list(range(1, len(names) + 1))}
    y: Spec = {"field": "row", "type": "ordinal", "title": None, "sort": None,
               "axis": vl.names_axis(names) | vl.numbered(names)}  # fmt: skip

    def part(name: str, mark: Spec, channels: Spec) -> Spec:
        chosen = [i for i, kind in enumerate(numbers["part"]) if kind == name]
        data = {column: [values[i] for i in chosen] for column, values in numbers.items()}
        return {"data": vl.values(data), "mark": mark, "encoding": {"y": y, **channels}}

    def ends(name: str, **mark: object) -> Spec:
        return part(name, {"type": "rule", "strokeWidth": 2, "color": look.ink, "tooltip": vl.TOOLTIP, **mark},
                    {"x": {"field": "lower", **x}, "x2": {"field": "upper"}})  # fmt: skip

    point = {"x": {"field": "difference", **x}}
    return {
        "width": 320, "height": ROW * len(names),
        "layer": [
            {"data": {"values": [{}]}, **vl.zero_line(look, "x")},
            ends("collection", color=look.faint), ends("mean", strokeWidth=3), ends("next", strokeDash=[5, 3]),
            part("collection", vl.dot(22, look.ink), point),  # no larger than the smallest intervals
            part("mean", vl.dot(110, look.ink, shape="diamond"), point),
        ],
    }  # fmt: skip


def map_sheet(board: CollectionBoard, *, top: int = MAPPED) -> Sheet:
    """One row per system and collection: the mean, and how far it is from the mean of all systems there.

    top  only so many of the best systems
    """
    whole_number("top", top, 2)
    shown = range(min(top, len(board.systems)))
    middle, place = board.value.mean(axis=0), places(board.mean)
    first = [board.systems[s] for s in np.flatnonzero(place == place.max())]
    rows = [
        (board.systems[s], name, float(board.value[s, c]), float(board.value[s, c] - middle[c]))
        for s in shown
        for c, name in enumerate(board.collections)
    ]
    of = "" if len(shown) == len(board.systems) else f"the best {len(shown):,} of {len(board.systems):,} systems; "
    highest = "higher" if (len(board.systems), len(first)) == (2, 1) else "highest"
    every = "both" if len(board.systems) == 2 else f"all {len(board.systems):,}"
    return Sheet(
        columns=columns_of(("system", "collection", "mean", "above"), rows),
        title=f"{vl.together(first)} {'has' if len(first) == 1 else 'share'} the {highest} mean "
        f"{vl.short(board.measure)} over {plural(len(board.collections), 'collection')}",
        subtitle=f"{of}in cells: mean of the system minus that of {every} systems on the collection; not tested",
        words={
            "systems": [board.systems[s] for s in shown],
            "collections": list(board.collections),
            "legend": f"mean minus that of {every.split()[0]} systems",
        },
    )


def heat(sheet: Sheet, look: Theme) -> Spec:
    """A cell per system and collection, coloured by how far the system is above or below the others there."""
    systems, collections = sheet.words["systems"], sheet.words["collections"]
    low, high = min(sheet.columns["above"]), max(sheet.columns["above"])
    most = max(-low, high) or 1.0
    at = {"system": {name: i for i, name in enumerate(systems, 1)},
          "collection": {name: i for i, name in enumerate(collections, 1)}}  # fmt: skip
    columns = {
        **sheet.columns,
        "row": [at["system"][name] for name in sheet.columns["system"]],
        "column": [at["collection"][name] for name in sheet.columns["collection"]],
    }
    width = round(min(70.0, max(22.0, (440 - vl.room(systems, most=180)) / len(collections))))
    height = 24 if len(systems) <= 12 else 15
    columns["shown"] = [_signed(above, width >= CELL) for above in columns["above"]]
    signs = _signs(columns["shown"], width >= CELL)
    angle = 0 if vl.room(collections) + 6 <= width else -60
    axis = {"ticks": False, "domain": False, "labelLimit": 180, "labelOverlap": False}
    xy = {
        "x": {"field": "column", "type": "ordinal", "title": None, "sort": None,
              "axis": {**axis, **vl.numbered(collections), "labelAngle": angle, "orient": "bottom"}},
        "y": {"field": "row", "type": "ordinal", "title": None, "sort": None,
              "axis": {**axis, **vl.numbered(systems)}},
    }  # fmt: skip
    ticks = vl.signed((-most, most), "")["axis"]["values"]  # 0 is among them
    ink = vl.on_shade("above", look, most)
    return {
        "data": vl.values(columns), "width": width * len(collections), "height": height * len(systems),
        "view": {"stroke": look.rule},  # the mean of all systems has the colour of the ground
        "layer": [
            {"mark": {"type": "rect", "stroke": look.ground, "strokeWidth": 1, "tooltip": vl.TOOLTIP},
             "encoding": {
                 **xy,
                 "color": vl.on_both_sides("above", look, most,
                                           [sheet.words["legend"], f"{low:.2f} to {high:.2f}", *signs],
                                           legend={"gradientLength": 160, "titleLimit": 400, "values": ticks,
                                                   "format": "~f"}),
             }},
            {"mark": {"type": "text", "fontSize": 12},
             "encoding": {**xy, "text": {"field": "shown", "type": "nominal"}, "color": ink}},
        ],
    }  # fmt: skip


def _signed(above: float, room: bool) -> str:
    """A number of the map with its sign; the sign alone where digits would be 0, or of what is below 0 without room.

    >>> _signed(0.021, True), _signed(0.001, True), _signed(0.0, True), _signed(0.02, False)
    ('+0.02', '+', '0', '')
    """
    sign = "\N{MINUS SIGN}" if above < 0 else "+" if above > 0 else ""
    if not room:
        return sign.strip("+")
    return sign + (f"{abs(above):.2f}" if abs(above) >= 0.005 else "" if sign else "0")


def _signs(shown: Sequence[str], room: bool) -> list[str]:
    """What signs without digits say, for a legend.

    >>> _signs(["+0.02", "+"], True), _signs(["", "\N{MINUS SIGN}"], False), _signs(["+0.02", "0"], True)
    (['+ alone: by less than 0.005'], ['\N{MINUS SIGN}: below it'], [])
    """
    bare = [sign for sign in ("+", "\N{MINUS SIGN}") if sign in shown]
    if not bare:
        return []
    return [f"{' or '.join(bare)} alone: by less than 0.005" if room else f"{bare[0]}: below it"]


def board_groups_sheet(board: CollectionBoard, *, top: int = COMPARED) -> Sheet:
    """Systems with their means over collections, and groups that cannot be told apart; for the critical difference."""
    units = plural(len(board.collections), "collection")
    if len(board.collections) < FEWEST:
        units += f"; at least {FEWEST} are needed to tell any two systems apart at 0.05"
    return groups_sheet(
        board.systems, board.mean.tolist(), parted(board.letters), top,
        f"mean {vl.short(board.measure)} over collections", units,
        f"at {board.alpha:g}, all pairs at once: {board.method}",
    )  # fmt: skip


def components_sheet(parts: VarianceComponents, *, measure: str | None = None) -> Sheet:
    """One row per source of variance: its standard deviation, and its share of the variance.

    measure  name of what was scored, which the result does not know
    """
    columns = parts.columns()
    most = max(range(len(columns["share"])), key=lambda i: columns["share"][i])
    what = vl.short(measure) if measure else "scores"
    return Sheet(
        columns={name: columns[name] for name in ("source", "deviation", "share")},
        title=f"{columns['source'][most].capitalize()}: {percent(columns['share'][most])} % of the variance of {what}",
        subtitle=f"{plural(len(parts.systems), 'system')}, {plural(sum(parts.runs), 'run')}, "
        f"{plural(parts.n_topics, 'topic')}; variance components by the method of moments, where estimates below "
        "0 are 0; in brackets: square roots of the components",
        words={"x": f"% of the variance of {what}"},
    )


def components(sheet: Sheet, look: Theme) -> Spec:
    """A bar per source of variance, with its share and its standard deviation in numbers."""
    rows = zip(sheet.columns["share"], sheet.columns["deviation"], strict=True)
    columns = {
        **sheet.columns,
        "percent": [100 * share for share in sheet.columns["share"]],
        "text": [f"{percent(share)} % ({f'{deviation:.3f}' if deviation else 0})" for share, deviation in rows],
    }
    y = {"field": "source", "type": "nominal", "title": None, "sort": None, "axis": {"ticks": False}}
    x = vl.quantity("percent", sheet.words["x"], axis={"tickCount": 5, "grid": False})
    return {
        "data": vl.values(columns), "width": 280, "height": 24 * len(columns["source"]),
        "layer": [
            {"mark": {"type": "bar", "color": look.faint, "tooltip": vl.TOOLTIP}, "encoding": {"y": y, "x": x}},
            {"mark": {"type": "text", "align": "left", "dx": 5, "clip": False},
             "encoding": {"y": y, "x": x, "text": {"field": "text", "type": "nominal"}}},
        ],
    }  # fmt: skip
