"""Figure 4 of Moffat and Mackenzie (2024): how two lists relate down to each rank."""

from __future__ import annotations

from itertools import accumulate

from rankscope.errors import InputError, did_you_mean
from rankscope.figures.chart import TOOLTIP, Columns, Sheet, coloured, columns_of, outlined, short, values
from rankscope.figures.theme import OUTCOMES, Spec, Theme
from rankscope.preferences import LABELS, Serps
from rankscope.preferences.ipso import sentence


def path_sheet(found: Serps, *, pair: str | None = None) -> Sheet:
    """A row a rank of one pair: both gains, how far A is ahead, and IPSO's class; of the first pair by default."""
    if pair is not None and pair not in found.topics:
        raise InputError(f"no pair is named {pair!r}", did_you_mean(pair, found.topics))
    at = 0 if pair is None else found.topics.index(pair)
    a, b = found.lists[at]
    codes = found.paths[at].tolist()
    ahead = accumulate(x - y for x, y in zip(a, b, strict=True))
    rows = [
        (rank, float(x), float(y), float(by), LABELS[code], OUTCOMES[code])
        for rank, (x, y, by, code) in enumerate(zip(a, b, ahead, codes, strict=True), 1)
    ]
    top = max(1.0, *map(float, (*a, *b)))
    lists = [(rank, side, g, g / top) for rank, *two, _, _, _ in rows for side, g in zip("AB", two, strict=True)]
    return Sheet(
        columns=columns_of(("rank", "A", "B", "ahead", "class", "outcome"), rows),
        title="IPSO of A against B, rank by rank" + (f": {short(found.topics[at])}" if len(found.topics) > 1 else ""),
        subtitle=sentence(found.paths[at]),
        more={"lists": columns_of(("rank", "list", "gain", "shade"), lists)},
    )


def path(sheet: Sheet, look: Theme) -> Spec:
    """How far A is ahead, coloured by the class so far, above the two lists."""
    ranks = sheet.columns["rank"]
    width = max(120, min(420, 28 * len(ranks)))
    shown = [rank for rank in ranks if len(ranks) <= 20 or rank == 1 or rank % (10 if len(ranks) <= 100 else 100) == 0]
    x: Spec = {"field": "rank", "type": "ordinal", "axis": None, "scale": {"padding": 0.5}}
    y: Spec = {"field": "ahead", "type": "quantitative", "title": "gain, A - B", "axis": {"tickCount": 4}}
    few = len(ranks) <= 50
    profile = {
        "data": values(dict(sheet.columns)), "width": width, "height": 130,
        "layer": [
            {"mark": {"type": "rule", "color": look.ink}, "encoding": {"y": {"datum": 0}}},
            {"mark": {"type": "line", "interpolate": "step", "color": look.faint}, "encoding": {"x": x, "y": y}},
            {"mark": outlined(110 if few else 30, look),
             "encoding": {"x": x, "y": y, "color": coloured("outcome", look.outcomes())}},
        ],
    }  # fmt: skip
    lists = {
        "data": values(_filled(sheet.more["lists"])), "width": width, "height": 44,
        "mark": {"type": "rect", "stroke": look.faint, "strokeWidth": 0.5 if few else 0, "tooltip": TOOLTIP},
        "encoding": {
            "x": {**x, "scale": {"padding": 0},
                  "axis": {"title": "rank; filled: relevant", "values": shown, "labelAngle": 0, "ticks": False,
                           "domain": False}},
            "y": {"field": "list", "type": "ordinal", "title": None, "scale": {"padding": 0},
                  "axis": {"ticks": False, "domain": False}},
            "fill": {"field": "shade", "type": "quantitative", "legend": None,
                     "scale": {"domain": [0, 1], "range": [look.rule, look.ink]}},
        },
    }  # fmt: skip
    return {"vconcat": [profile, lists], "spacing": 8}


def _filled(columns: Columns) -> Columns:
    """Gains that are not 0 are at least a quarter dark, so that they are seen."""
    return {**columns, "shade": [0.0 if s == 0 else 0.25 + 0.75 * s for s in columns["shade"]]}
