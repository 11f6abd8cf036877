"""Studies with a part of the judgments or topics: one line per metric over fractions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import ceil, floor
from typing import Any

import numpy as np

from rankscope.errors import InputError, plural
from rankscope.figures import vega as vl
from rankscope.figures.chart import Columns, Sheet, rows_where, unique
from rankscope.figures.curves import BANDS, covered, covering, curves, extent_of
from rankscope.figures.theme import Spec, Theme
from rankscope.studies import (
    Incompleteness,
    Removal,
    TiedRankings,
)
from rankscope.studies.base import extent, threshold

TRIED = 6  # fractions up to which each is a tick
LEXIPRECISION = "lexiprecision compares two lists at the first recall level at which they differ"
_LEXIPRECISION = {"rrLP": "by the difference of reciprocal ranks", "sgnLP": "by its sign"}
LEVELS = {"ranking": "pairs of lists", "system": "pairs of systems"}  # what is compared in a study of removal
# similarity


def incompleteness_sheet(study: Incompleteness) -> Sheet:
    """Mean tau by fraction of the pool, with the range over samples."""
    columns = _kept(study.columns(), ("candidate", "sampling", "fraction", "tau", "sd", "lowest", "highest"))
    return Sheet(
        columns=columns,
        title=_least(
            columns, "tau", f"of the judgments ({study.sampling[0]})", "tau-b with the ranking by the whole pool"
        ),
        subtitle=f"tau-b with the ranking by the whole pool; {extent(study.settings)}{threshold(study.settings)}; "
        f"{_ways(study.sampling)}{_bands(study.settings, columns)}{_hidden(columns, 'tau', 'sampling')}",
        words={
            "x": "judgments left, % of the pool",
            "y": "tau-b",
            "value": "tau",
            "panels": "sampling",
            "percent": True,
        },
    )


def _hidden(columns: Columns, value: str, panels: str = "", *, zero: bool = False) -> str:
    """Which lines over fractions cover each other in which panel, for a caption.

    zero  whether the axis begins at 0
    """
    low, high = extent_of(columns, (value,))
    found = []
    for panel in unique(columns[panels]) if panels else [""]:
        drawn = rows_where(columns, panels, panel) if panels else columns
        names, fractions = unique(drawn["candidate"]), unique(drawn["fraction"])
        known = dict(zip(zip(drawn["fraction"], drawn["candidate"], strict=True), drawn[value], strict=True))
        table = np.array([[known.get((at, name)) for name in names] for at in fractions], np.float64)
        found += [f"{text} ({panel})" if panel else text
                  for text in covered(names, table, "fractions", high - (0.0 if zero else low))]  # fmt: skip
    return covering(found, "fractions")


def _ways(sampling: Sequence[str]) -> str:
    """How judgments are drawn, for a caption."""
    known = {"stratified": "drawn from each grade alike", "uniform": "drawn whatever their grade"}
    return "".join(f"{way}: {known[way]}; " for way in sampling)


def removal_sheet(study: Removal) -> Sheet:
    """Mean agreement with the reference by fraction of the labels or topics, with the range over samples."""
    columns = _kept(study.columns(), ("candidate", "level", "fraction", "agreement", "sd", "lowest", "highest"))
    columns["level"] = [LEVELS.get(level, level) for level in columns["level"]]
    whole = f"{vl.short(study.reference)} on all {study.removed}"
    return Sheet(
        columns=columns,
        title=_least(columns, "agreement", f"of the {study.removed}", f"agreement with {whole}"),
        subtitle=f"share of pairs in the order of {whole}, of those that it does not tie; a metric that ties a pair "
        f"does not agree on it; {extent(study.settings)}{threshold(study.settings)}; "
        f"{_bands(study.settings, columns)}{methods(study.candidates)}{_hidden(columns, 'agreement', 'level')}",
        words={
            "x": f"{study.removed} left, %",
            "y": "agreement",
            "value": "agreement",
            "panels": "level",
            "percent": True,
        },
    )


def labels_sheet(ties: TiedRankings) -> Sheet:
    """Share of ties by fraction of the judgments, with the range over samples."""
    if not ties.fractions:
        raise InputError("ties were not counted with fewer judgments", "give fractions=(0.1, 0.2, ...) to `ties`")
    columns = _kept(ties.columns("labels"), ("candidate", "fraction", "share", "sd", "lowest", "highest"))
    return Sheet(
        columns=columns,
        title=_changed(columns),
        subtitle=f"share of {plural(ties.compared, 'pair')} of lists of two systems on one topic that tie"
        f"{threshold(ties.settings)}; {_bands(ties.settings, columns)}{methods(ties.candidates)}"
        f"{_hidden(columns, 'share', zero=True)}",
        words={
            "x": "judgments left, %",
            "y": "share tied",
            "value": "share",
            "panels": None,
            "percent": True,
            "zero": True,
        },
    )


def methods(names: Sequence[str]) -> str:
    """What methods of lexiprecision among some names are."""
    known = {name: _LEXIPRECISION[name.partition("@")[0]] for name in names if name.partition("@")[0] in _LEXIPRECISION}
    listed = ", ".join(f"{name} {what}" for name, what in known.items())
    return f"\n{LEXIPRECISION}: {listed}" if known else ""


def _changed(columns: Columns) -> str:
    """Which candidates' shares of ties the judgments change most and least, from the fewest to the most of them."""
    ends = [rows_where(columns, "fraction", pick(columns["fraction"])) for pick in (min, max)]
    few, many = (100 * end["fraction"][0] for end in ends)
    if few == many:
        return _least(columns, "share", "of the judgments", "share of pairs that tie")
    shares = {
        name: (before, after)
        for name, before, after in zip(ends[0]["candidate"], ends[0]["share"], ends[1]["share"], strict=True)
    }

    if max(abs(after - before) for before, after in shares.values()) < 0.005:
        return _least(columns, "share", "of the judgments", "share of pairs that tie")
    text = {
        name: f"{low} at both ends" if low == high else f"{low} to {high}"
        for name, (low, high) in ((name, map(_two_decimals, pair)) for name, pair in shares.items())
    }
    by_change = sorted(shares, key=lambda name: abs(shares[name][1] - shares[name][0]))
    least, most = ([name for name in shares if text[name] == text[end]] for end in (by_change[0], by_change[-1]))
    title = f"From {few:g} % to {many:g} % of the judgments, the share of pairs that tie"
    if most == least:
        return f"{title}: {vl.together(most)} {text[most[0]]}"
    return (
        f"{title} changes most for {vl.together(most)} ({text[most[0]]}), least for {vl.together(least)} "
        f"({text[least[0]]})"
    )


def _least(columns: Columns, value: str, part: str, what: str) -> str:
    """The range of a value over candidates at the smallest fraction: of every level, of the first kind of sampling."""
    rows = rows_where(columns, "fraction", min(columns["fraction"]))
    if "sampling" in rows:
        rows = rows_where(rows, "sampling", rows["sampling"][0])
    levels = unique(rows["level"]) if "level" in rows else []
    if len(levels) > 1:
        whole, *others = (_least(rows_where(columns, "level", level), value, part, what) for level in levels)
        ranges = [
            f"{level}: {each.rpartition(f'{what} is ')[2]}" for level, each in zip(levels[1:], others, strict=True)
        ]
        return "; ".join([whole, *ranges])
    part += "".join(f", {level}" for level in levels)
    known = [(number, name) for number, name in zip(rows[value], rows["candidate"], strict=True) if number == number]
    if not known:
        return f"{what.capitalize()} is not defined with {100 * rows['fraction'][0]:g} % {part}"
    low, high = (_two_decimals(number) for number, _ in (min(known), max(known)))
    first, last = ([name for number, name in known if _two_decimals(number) == end] for end in (low, high))
    if low == high:
        span = f"{low} ({', '.join(map(vl.short, first)) if len(first) <= 3 else f'all {len(first):,}'})"
    else:
        span = f"from {low} ({vl.together(first)}) to {high} ({vl.together(last)})"
    return f"With {100 * rows['fraction'][0]:g} % {part}: {what} is {span}"


def _two_decimals(number: float) -> str:
    """A number to two decimals, or its first digit where these would show nothing but 0; 0 itself has no decimals.

    >>> _two_decimals(0.0), _two_decimals(0.25), _two_decimals(0.0043)
    ('0', '0.25', '0.004')
    """
    return "0" if number == 0 else f"{number:.2f}" if abs(number) >= 0.005 else f"{number:.1g}"


def fractions(sheet: Sheet, look: Theme) -> Spec:
    """One line per candidate over fractions, with bands where lines are few."""
    words = sheet.words
    unit = 100 if words.get("percent") else 1
    places = [unit * fraction for fraction in sheet.columns["fraction"]]
    low, high = min(places), max(places)
    # the title is of the lowest, so it has a number; so has the other end
    between = [unit * i / 5 for i in range(6) if low + unit / 10 <= unit * i / 5 <= high - unit / 10]
    tried = unique(places)
    ticks = tried if len(tried) <= TRIED else unique([low, *between, high])
    x = {"field": "place", "type": "quantitative", "title": words["x"],
         "scale": {"domain": [low, max(high, low + unit / 100)], "nice": False},
         "axis": {"grid": False, "values": ticks,
                  "labelExpr": "format(datum.value, '~g')"}}  # fmt: skip
    band = ("lowest", "highest")
    few = len(unique(sheet.columns["candidate"])) <= BANDS
    bottom, top = extent_of(sheet.columns, (words["value"], *(band if few else ())))
    step = next((step for step in (0.01, 0.02, 0.05, 0.1) if top - bottom <= 5 * step), 0.2)
    ends = [0 if words.get("zero") else floor(bottom / step + 1e-9), ceil(top / step - 1e-9)]
    y = {"field": words["value"], "type": "quantitative", "title": words["y"],
         "scale": {"domain": [round(end * step, 2) for end in ends], "nice": False},
         "axis": {"values": [round(i * step, 2) for i in range(ends[0], ends[1] + 1)]}}  # fmt: skip
    panels = words["panels"]
    if panels and len(unique(sheet.columns[panels])) == 1:
        panels = None
    sheet = replace(sheet, columns={**sheet.columns, "place": places})
    return curves(sheet, look, x=x, y=y, by="candidate", band=band, panels=panels)


def _bands(settings: Mapping[str, Any], columns: Columns) -> str:
    """What is drawn of samples; the widest range where lines are too many for bands."""
    samples = settings["resamples"]
    if samples == 1:
        return "one sample"
    if len(unique(columns["candidate"])) <= BANDS:
        ranges = zip(columns["lowest"], columns["highest"], strict=True)
        if max((high - low for low, high in ranges if None not in (low, high)), default=0.0) < 0.01:
            return f"lines: mean of {samples:,} samples, which range over less than 0.01"
        return f"lines: mean, bands: range of {samples:,} samples"
    panel = next((columns[name] for name in ("sampling", "level") if name in columns), [""] * len(columns["lowest"]))
    ends = zip(columns["lowest"], columns["highest"], columns["candidate"], columns["fraction"], panel, strict=True)
    known = [end for end in ends if end[0] is not None and end[1] is not None]
    if not known:
        return f"lines: mean of {samples:,} samples"
    low, high, name, fraction, where = max(known, key=lambda end: end[1] - end[0])
    of = f" ({where})" if len(set(panel)) > 1 else ""
    return (
        f"lines: mean of {samples:,} samples; widest range of samples: {_two_decimals(low)} to {_two_decimals(high)}, "
        f"{vl.short(name)} at {100 * fraction:g} %{of}"
    )


def _kept(columns: Columns, names: Sequence[str]) -> Columns:
    return {name: columns[name] for name in names}
