"""Figure 4 of Moffat and Mackenzie (2024): how two lists relate down to each rank."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rankscope.errors import InputError, did_you_mean
from rankscope.figures import vega as vl
from rankscope.figures.chart import Columns, Sheet, columns_of, rows_where, unique
from rankscope.figures.theme import OUTCOMES, RELEVANCE, UNDECIDED, WITHOUT_METRIC, Spec, Theme, relevance_steps
from rankscope.preferences import LABELS, Serps
from rankscope.preferences.classes import Classes, separability_lost
from rankscope.preferences.ipso import sentence

DOCUMENTS = "relevant documents"


def path_sheet(pairs: Serps, *, pair: str | None = None) -> Sheet:
    """One row per rank and threshold of one pair: both grades, B - A so far, and IPSO's class; the first by default.

    Of binary lists there is one threshold, and none where gains are summed.
    """
    if pair is not None and pair not in pairs.topics:
        raise InputError(f"no pair is named {pair!r}", did_you_mean(pair, pairs.topics))
    at = 0 if pair is None else pairs.topics.index(pair)
    a, b = pairs.lists[at]
    codes = pairs.paths[at].tolist()
    ranks = range(1, len(a) + 1)
    rows = [
        (rank, float(x), float(y), name, float(by), LABELS[code], OUTCOMES[code])
        for name, ahead in pairs.ahead(at).items()
        for rank, x, y, by, code in zip(ranks, a, b, ahead, codes, strict=True)
    ]
    top = max(1.0, *map(float, (*a, *b)))
    lists = [(rank, side, float(g), float(g) / top) for rank, *two in zip(ranks, a, b, strict=True)
             for side, g in zip("AB", two, strict=True)]  # fmt: skip
    return Sheet(
        columns=columns_of(("rank", "A", "B", "what", "difference", "class", "outcome"), rows),
        title=_title(pairs.paths[at]),
        subtitle="IPSO of A against B"
        + (f", pair {vl.short(pairs.topics[at])}" if len(pairs.topics) > 1 else "")
        + "; colours: "
        + _meaning(rows)
        + (f"\nordered{pairs.order.caption}" if pairs.order.caption else ""),
        more={"lists": columns_of(("rank", "list", "gain", "shade"), lists)},
        words={
            "unit": DOCUMENTS if pairs.order.gain is None else "gain",
            "shade": "relevant" if pairs.order.binary else "relevant, most for the highest grade",
        },
    )


def path(sheet: Sheet, look: Theme) -> Spec:
    """B - A down to each rank, coloured by the class so far, above the two lists; a panel for each threshold."""
    ranks = unique(sheet.columns["rank"])
    width = max(120, min(420, 28 * len(ranks)))
    ticks = [rank for rank in ranks if len(ranks) <= 20 or rank == 1 or rank % (10 if len(ranks) <= 100 else 100) == 0]
    x: Spec = {"field": "rank", "type": "ordinal", "axis": None, "scale": {"padding": 0.5}}
    few = len(ranks) <= 50
    names = unique(sheet.columns["what"])
    differences = sheet.columns["difference"]
    ends = [min(0, *differences), max(0, *differences)]  # one scale for all panels
    step = {}
    if sheet.words["unit"] == DOCUMENTS and ends[1] - ends[0] <= 5:  # whole documents
        step = {"values": list(range(round(ends[0]), round(ends[1]) + 1)), "format": "d"}
    shade = "darker" if look.name == "light" else "lighter"
    profiles = []
    meaning = vl.occurring(look.outcomes(), sheet.columns["outcome"])
    for name in names:
        rows = rows_where(sheet.columns, "what", name)
        title = [sheet.words["unit"], "to this rank, B - A", vl.FOR_B] if len(names) == 1 else [name, vl.FOR_B]
        y: Spec = {"field": "difference", "type": "quantitative", "title": title,
                   "axis": {"tickCount": 4 if len(names) == 1 else 2, **step}, "scale": {"domain": ends}}  # fmt: skip
        profiles.append({
            "data": vl.values(rows), "width": width, "height": 130 if len(names) == 1 else 96,
            "layer": [
                vl.zero_line(look, "y"),
                {"mark": {"type": "line", "interpolate": "step", "color": look.faint}, "encoding": {"x": x, "y": y}},
                {"mark": vl.outlined(110 if few else 30, look),
                 "encoding": {"x": x, "y": y, "color": vl.coloured("outcome", meaning)}},
            ],
        })  # fmt: skip
    lists = {
        "data": vl.values(_filled(sheet.more["lists"])), "width": width, "height": 44,
        "mark": {"type": "rect", "stroke": look.faint, "strokeWidth": 0.5 if few else 0, "tooltip": vl.TOOLTIP},
        "encoding": {
            "x": {**x, "scale": {"padding": 0},
                  "axis": {"title": f"rank; {shade}: {sheet.words['shade']}", "values": ticks, "labelAngle": 0,
                           "ticks": False, "domain": False}},
            "y": {"field": "list", "type": "ordinal", "title": None, "scale": {"padding": 0},
                  "axis": {"ticks": False, "domain": False}},
            "fill": {"field": "step", "type": "ordinal", "legend": None,
                     "scale": {"domain": list(range(-1, RELEVANCE)), "range": [look.not_relevant, *look.relevance]}},
        },
    }  # fmt: skip
    return {"vconcat": [*profiles, lists], "spacing": 8}


def _title(path: Classes) -> str:
    """The outcome, in the word of the marks where each list has been ahead."""
    text, lost = sentence(path).rstrip("."), int(separability_lost(path))
    _, _, ahead = text.partition(": ")
    return f"Undecided from rank {lost} on: {ahead}" if lost and ahead else text


def _meaning(rows: Sequence[tuple[Any, ...]]) -> str:
    """What the colours say, from rows that end with the outcome."""
    words = "who has been ahead down to this rank"
    both = any(row[-1] == UNDECIDED for row in rows)
    return f"{words} ({WITHOUT_METRIC})" + f"; {UNDECIDED}: each has been ahead somewhere" * both


def _filled(columns: Columns) -> Columns:
    """Lists with the shade of each document; gain 0 has none."""
    steps = relevance_steps(columns["shade"])
    return {**columns, "step": [steps.get(share, -1) for share in columns["shade"]]}
