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
    light_spec, dark_spec = light.compiled(), dark.compiled()
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
