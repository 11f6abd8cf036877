"""Recall levels: where they decide, how often the first relevant document ties, and how levels correlate."""

from __future__ import annotations

from collections.abc import Sequence
from math import log

import numpy as np

from rankscope.errors import plural
from rankscope.figures import vega as vl
from rankscope.figures.chart import Columns, Sheet, columns_of, picked
from rankscope.figures.curves import curves
from rankscope.figures.fractions import LEXIPRECISION
from rankscope.figures.theme import Spec, Theme
from rankscope.formatting import percent
from rankscope.studies import (
    Locality,
    TiedRankings,
)
from rankscope.studies.base import extent, threshold

RARE = 0.001  # of the lists: share from which a rank is drawn
FEW_RANKS = 8  # of the first relevant document, up to which each is a tick
LABEL = 0.08  # of a logarithmic axis of ranks: room of a label
SEEN_THROUGH = 0.6  # opacity of circles that may cover each other


def levels_sheet(ties: TiedRankings) -> Sheet:
    """By recall level: pairs that tie there, and pairs that lexiprecision has decided by then."""
    table = ties.columns("levels")
    last = _last_change(table)
    rows = [
        (level, what, share)
        for key, what in (("tied", "tied at this level"), ("decided_of_all", "decided by this level"))
        for level, share in zip(table["level"][:last], table[key][:last], strict=True)
    ]
    deepest = max(table["level"])
    same = f"; levels {last + 1} to {deepest}, which change nothing, not drawn" if last < deepest else ""
    fewest = min(table["pairs"][:last])
    level = table["pairs"].index(fewest) + 1
    where = f"from level {level} on" if level < last else f"at level {level}"
    fewer = f" (down to {fewest:,} pairs {where})" if fewest < ties.compared else ""
    title, at = _decided(ties, last)
    decided = int(ties.deciding.sum())
    return Sheet(
        columns=columns_of(("level", "what", "share"), rows),
        title=title,
        subtitle="recall level i: where the i-th relevant document of a list is; decided: of "
        f"{plural(ties.compared, 'pair')} of lists of two systems on one topic, "
        f"{percent(decided / ties.compared, 1)} % at all levels together; tied at level i: of those on topics with at "
        f"least i relevant documents{fewer}: both lists have their i-th relevant document at the same rank, "
        f"or neither has one{same}{threshold(ties.settings)}; {LEXIPRECISION}",
        words={"at": at},
    )


def _last_change(table: Columns) -> int:
    """The last level at which a line differs from its end by what could be seen."""
    drawn = [table[key] for key in ("tied", "decided_of_all")]
    ends = [next((share for share in reversed(line) if share is not None), None) for line in drawn]
    moved = [level for level, *shares in zip(table["level"], *drawn, strict=True)
             if any(None not in (share, end) and abs(share - end) > 0.0005
                    for share, end in zip(shares, ends, strict=True))]  # fmt: skip
    return min(max(moved, default=1) + 1, len(table["level"]))


def _decided(ties: TiedRankings, deepest: int) -> tuple[str, tuple[int, float] | None]:
    """Share of the pairs that lexiprecision decides by the level that nine tenths of these are decided by; where.

    deepest  level that is drawn; where nine tenths are not decided by then, it is this level
    """
    decided = int(ties.deciding.sum())
    if not decided:
        return "Lexiprecision decides none of the pairs of lists", None
    by_level = np.cumsum(ties.deciding)
    level = min(deepest, int(np.searchsorted(by_level, 0.9 * decided)) + 1)
    share = float(by_level[level - 1]) / ties.compared
    return f"Lexiprecision decides {percent(share, 1)} % of the pairs of lists by recall level {level}", (level, share)


def levels(sheet: Sheet, look: Theme) -> Spec:
    last = max(sheet.columns["level"])
    step = 1 if last <= 8 else 5
    ticks = [1, *(tick for tick in range(0, last + 1, step) if tick > 1)]
    x = {"field": "level", "type": "quantitative", "title": "recall level", "axis": {"grid": False, "values": ticks},
         "scale": {"domain": [1, max(2, last)], "nice": False}}  # fmt: skip
    y = {"field": "share", "type": "quantitative", "title": "share of pairs", "scale": {"domain": [0, 1]},
         "axis": dict(vl.PER_CENT)}  # fmt: skip
    over: list[Spec] = []
    if sheet.words.get("at"):  # the number in the title
        level, share = sheet.words["at"]
        at = {"x": {**x, "field": "level"}, "y": {**y, "field": "share"}}
        data = vl.values({"level": [level], "share": [share], "text": [f"{percent(share, 1)} %"]})
        text = {"type": "text", "baseline": "bottom", "dy": -6, "clip": False,
                "align": "right" if level > 0.8 * last else "left" if level < 0.2 * last else "center"}  # fmt: skip
        over = [
            {"data": data, "mark": vl.dot(50, look.ink), "encoding": at},
            {"data": data, "mark": text, "encoding": {**at, "text": {"field": "text", "type": "nominal"}}},
        ]
    return curves(sheet, look, x=x, y=y, by="what", over=over)


def first_rank_sheet(ties: TiedRankings) -> Sheet:
    """By the rank of the first relevant document: how likely another list has it there too; rare ranks are left out."""
    table = ties.columns("first")
    every = sum(table["pairs"])
    known = [i for i, rank in enumerate(table["rank"]) if rank is not None]
    at = [i for i in known if table["pairs"][i] >= RARE * every]
    rare = sum(table["pairs"][i] for i in known if i not in at)
    left_out = [
        f"lists without a relevant document, {percent(table['pairs'][i] / every, 1)} % of all, which tie with "
        f"{percent(table['tied'][i])} % of others"
        for i, rank in enumerate(table["rank"])
        if rank is None
    ]
    if rare:
        left_out.append(
            f"ranks that less than {100 * RARE:g} % of the lists have, {percent(rare / every, 1)} % together"
        )
    shown = picked(table, at)
    size = ""
    if at:
        areas = _areas(shown["pairs"])
        largest = f"the largest {percent(areas.most / every)} % of all"
        size = f"; area of a circle: number of comparisons of a list with another on its topic{areas.words}, {largest}"
    return Sheet(
        columns=shown,
        title=_usual_tie(shown),
        subtitle="probability that the list of another system has its first relevant document at the same rank, which "
        f"is a tie in RR{threshold(ties.settings)}{size}" + "".join(f"; not drawn: {part}" for part in left_out),
    )


def _usual_tie(table: Columns) -> str:
    """The most frequent rank of the first relevant document, and how likely another list ties there."""
    if not table["rank"]:
        return "No list has a relevant document"
    most = max(range(len(table["rank"])), key=lambda i: table["pairs"][i])
    rank, tied = table["rank"][most], table["tied"][most]
    return (
        f"The first relevant document is most often at rank {rank}; RR ties such a list with {percent(tied)} % of the "
        "other lists on its topic"
    )


def _areas(pairs: Sequence[int]) -> vl.Areas:
    """Areas of circles by their pairs: each list with every other one on its topic."""
    return vl.Areas.of(pairs, 300, 300, 20)


def _round_ranks(last: int) -> list[int]:
    """Ticks of a logarithmic axis of ranks: round numbers, and the last rank where its label has room.

    >>> _round_ranks(126), _round_ranks(180)
    ([1, 2, 5, 10, 20, 50, 100], [1, 2, 5, 10, 20, 50, 100, 180])
    """
    ticks = [tick for e in range(len(str(last))) for m in (1, 2, 5) if (tick := m * 10**e) <= last]
    room = log(last / ticks[-1]) / log(last)  # as a share of the axis
    return [*ticks, last] if room >= LABEL else ticks


def first_rank(sheet: Sheet, look: Theme) -> Spec:
    ranks = sheet.columns["rank"]
    last = max([2, *ranks])
    ticks = ranks if len(ranks) <= FEW_RANKS else _round_ranks(last)
    x = {"field": "rank", "type": "quantitative", "title": "rank of the first relevant document (logarithmic)",
         "scale": {"type": "log", "nice": False, "domain": [1, last], "padding": 14},
         "axis": {"grid": False, "values": ticks, "labelOverlap": "greedy"}}  # fmt: skip
    y = {"field": "tied", "type": "quantitative", "title": "probability of a tie", "axis": dict(vl.PER_CENT),
         "scale": {"domain": [0, max([0.1, *sheet.columns["tied"]])], "nice": False, "padding": 10}}  # fmt: skip
    size = _areas(sheet.columns["pairs"]).channel("pairs", "comparisons")
    if "legend" in size:  # as the circles are drawn
        size["legend"] |= {"symbolFillColor": look.ink, "symbolStrokeWidth": 0, "symbolOpacity": SEEN_THROUGH}
    return {
        "data": vl.values(sheet.columns), "width": 400, "height": 220,
        "mark": {"type": "point", "filled": True, "opacity": SEEN_THROUGH, "color": look.ink, "tooltip": vl.TOOLTIP,
                 "clip": False},
        "encoding": {"x": x, "y": y, "size": size},
    }  # fmt: skip


def locality_sheet(study: Locality) -> Sheet:
    """Correlation of recall levels, below the diagonal."""
    correlations = study.figures()["correlation"]
    columns = {"row": list(map(str, correlations["level"])), "column": list(map(str, correlations["other"])),
               "correlation": correlations["correlation"]}  # fmt: skip
    return Sheet(
        columns=columns,
        title=_neighbours(study),
        subtitle="RR at recall level i: reciprocal rank of the i-th relevant document; Pearson's correlation, over "
        "pairs of lists on one topic, of their difference in RR at one level with that at another; "
        f"{extent(study.settings)}{threshold(study.settings)}",
        words={"names": [str(i + 1) for i in range(len(study.correlation))], "value": "correlation",
               "legend": "correlation", "format": ".2f", "most": 1, "axis": "recall level"},
    )  # fmt: skip


def _neighbours(study: Locality) -> str:
    """Correlations of recall levels that are neighbours, and of the first and the last."""
    near = np.diagonal(study.correlation, 1)
    if not near.size or not np.isfinite(near).all():
        return "How much does one recall level say of another?"
    last = len(study.correlation)
    return (
        f"Correlation of neighbouring recall levels: {vl.span(f'{near.min():.2f}', f'{near.max():.2f}')}; "
        f"of levels 1 and {last}: "
        f"{study.correlation[0, -1]:.2f}"
    )
