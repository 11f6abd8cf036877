"""Figures for the page: one specification each, compiled, with what differs on dark ground beside it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from rankscope.errors import InputError
from rankscope.figures import figure_of
from rankscope.figures.chart import Drawer, drawer
from rankscope.formatting import plain, visible
from rankscope.reporting.packing import packed_json


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """One figure of the page.

    key    what its parts are called in the page
    specs  the Vega specification and, path by path, the values it has on dark ground, packed
    csv    what is drawn
    """

    key: str
    title: str
    subtitle: str
    specs: str
    csv: str


def on_both_grounds(drawer: Drawer, key: str) -> Drawn:
    """One figure of the page, light and dark."""
    light, dark = drawer("light"), drawer("dark")
    light_spec, dark_spec = (spanned(chart.compiled()) for chart in (light, dark))
    return Drawn(
        key=slug(f"figure {key}"),
        title=visible(light.title),
        subtitle="\n".join(map(visible, light.caption.splitlines())),
        specs=packed_json({"spec": light_spec, "dark": changes(light_spec, dark_spec)}),
        csv=plain(light.to_csv()),
    )


def all_drawn(result: Any, names: list[str], key: str) -> list[Drawn]:
    """Those figures of a result that can be drawn; one that cannot for want of data is left out."""
    figures = []
    for name in names:
        try:
            figures.append(on_both_grounds(drawer(figure_of(result, name), result, title=False), f"{key}-{name}"))
        except InputError:
            continue
    return figures


def spanned(spec: Any) -> Any:
    """A Vega specification whose scales span only fields that have a value somewhere; Vega warns of the others.

    >>> rows = {"name": "rows", "values": [{"mean": 1, "lower": None}]}
    >>> ends = [{"data": "rows", "field": "mean"}, {"data": "rows", "field": "lower"}]
    >>> spanned({"data": [rows], "scales": [{"name": "x", "domain": {"fields": ends}}]})["scales"][0]["domain"]
    {'fields': [{'data': 'rows', 'field': 'mean'}]}
    """
    tables = {table["name"]: table for table in _within(spec, "data")}

    def has_values(end: Any) -> bool:
        if not isinstance(end, dict) or not {"data", "field"} <= end.keys():
            return True
        needed, table = {end["field"]}, tables.get(end["data"], {})
        while "source" in table:
            needed |= {name for transform in table.get("transform", []) for name in _asked(transform)}
            table = tables.get(table["source"], {})
        rows = table.get("values")
        if not isinstance(rows, list):
            return True
        needed &= {name for row in rows for name in row}  # the others are computed
        return any(all(row.get(name) is not None for name in needed) for row in rows)

    for scale in _within(spec, "scales"):
        domain = scale.get("domain")
        if isinstance(domain, dict) and isinstance(domain.get("fields"), list):
            domain["fields"] = list(filter(has_values, domain["fields"])) or domain["fields"]
    return spec


def _asked(transform: dict[str, Any]) -> list[str]:
    """Fields without which a filter of Vega-Lite's compiler lets no row pass."""
    if transform["type"] != "filter" or "||" in transform["expr"]:
        return []
    return re.findall(r"(?<!!)isValid\(datum\[\"([^\"]*)\"\]\)", transform["expr"])


def _within(spec: Any, key: str) -> list[dict[str, Any]]:
    """Data sets or scales of a specification and of the plots within it."""
    return [*spec.get(key, []), *(one for mark in spec.get("marks", []) for one in _within(mark, key))]


def changes(light: Any, dark: Any, path: tuple[str | int, ...] = ()) -> list[tuple[tuple[str | int, ...], Any]]:
    """Differences of two plain values: paths, and the values of the second there.

    >>> changes({"a": 1, "b": [1, 2]}, {"a": 1, "b": [1, 3]})
    [(('b', 1), 3)]
    """
    if isinstance(light, dict) and isinstance(dark, dict) and light.keys() == dark.keys():
        return [change for key in light for change in changes(light[key], dark[key], (*path, key))]
    if isinstance(light, list) and isinstance(dark, list) and len(light) == len(dark):
        return [change for i in range(len(light)) for change in changes(light[i], dark[i], (*path, i))]
    return [] if light == dark else [(path, dark)]


def slug(text: str) -> str:
    """A name for the page's own use.

    >>> slug("metric map, 2")
    'metric-map-2'
    """
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
