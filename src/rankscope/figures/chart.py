"""What is drawn, and the drawing: a sheet of plain columns, and the Vega-Lite specification made of it."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from rankscope.errors import InputError, Problem
from rankscope.figures.theme import FONT, Spec, Theme, ThemeName, theme_of
from rankscope.figures.width import check_width, fitted
from rankscope.measures.cwla.paper import shortened
from rankscope.results import csv_text

Columns: TypeAlias = dict[str, list[Any]]
FORMATS = ("svg", "pdf", "png", "html", "json")
EXTRA = 'pip install "rankscope[figures]"'
VERSION = "5.20"  # of Vega-Lite: what notebooks know too
SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"  # a name, nothing that is fetched
TOOLTIP = {"content": "data"}
USUAL = 500  # pixels, about: what titles are broken into lines for
# what every object of a browser has: Vega fails on an expression that holds one of these as a text
_TAKEN = {
    "constructor", "toString", "toLocaleString", "valueOf", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable",
    "__proto__", "__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__",
}  # fmt: skip
MENU = {"export": True, "source": False, "compiled": False, "editor": False}  # the editor is a page of the network


@dataclass(frozen=True, slots=True)
class Sheet:
    """Exactly what is drawn: columns of equal length, one row per mark, and the words around them.

    more   further columns that are drawn on top
    words  labels of axes, names of systems and the like, by what they are for
    """

    columns: Columns
    title: str
    subtitle: str = ""
    more: Mapping[str, Columns] = field(default_factory=dict)
    words: Mapping[str, Any] = field(default_factory=dict)


Drawing: TypeAlias = Callable[[Sheet, Theme], Spec]


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure of one kind of result: its table, and its drawing.

    sheet  takes the result, and settings by name
    """

    name: str
    of: type
    sheet: Callable[..., Sheet]
    drawing: Drawing


@dataclass(frozen=True, slots=True, eq=False)
class Chart:
    """A figure: its specification, in Vega-Lite's words, with all data inside.

    A notebook shows it (by its own Vega-Lite, else as SVG), `save` writes it, `to_altair` gives it to Altair for
    further work. Nothing is ever fetched.

    name  of the figure among those of its result, such as "metric map"
    spec  Vega-Lite, with all data inside
    """

    name: str
    sheet: Sheet
    spec: Spec

    @property
    def title(self) -> str:
        """What the figure asks or shows, in a line."""
        return self.sheet.title

    @property
    def caption(self) -> str:
        """What is drawn and how to read it, in a few lines; empty where the title says all."""
        return self.sheet.subtitle

    @property
    def table(self) -> Columns:
        """What is drawn, one row per mark."""
        return self.sheet.columns

    @property
    def tables(self) -> dict[str, Columns]:
        """The same and what is drawn on top, each by a name that can be a file's, such as "strips-lists"."""
        stem = self.name.lower().replace(" ", "-")
        return {stem: self.sheet.columns, **{f"{stem}-{name}": more for name, more in self.sheet.more.items()}}

    def to_csv(self) -> str:
        """The table as comma-separated values."""
        return csv_text(self.table)

    def save(self, path: str | Path, *, scale: float | None = None, width: float | None = None) -> Path:
        """Write SVG, PDF, PNG, HTML (interactive, in one file) or the specification (JSON), by the path's ending.

        scale  of the picture with all its letters: 1 by default, 3 for PNG
        width  of the picture in pixels, as in `at_width`; times `scale` where that is given
        """
        path = Path(path)
        kind = path.suffix[1:].lower()
        if kind not in FORMATS:
            raise InputError(Problem(f"no figure is written as {path.suffix!r}",
                                     f"name the file with one of .{', .'.join(FORMATS)}", str(path)))  # fmt: skip
        if scale is not None and not 0 < scale <= 20:
            raise InputError(f"scale={scale!r}", "scale is a number above 0, at most 20")
        content = (self if width is None else self.at_width(width)).rendered(kind, scale)
        try:
            path.write_bytes(content)
        except OSError as error:
            cause = f"cannot be written ({(error.strerror or str(error)).lower()})"
            raise InputError(Problem(cause, "choose another path", str(path))) from error
        return path

    def at_width(self, width: float) -> Chart:
        """The same figure so many pixels wide (points, of a PDF): plots grow or shrink, letters keep their size."""
        check_width(width)
        svg = partial(needed("vl_convert").vegalite_to_svg, vl_version=VERSION, allowed_base_urls=[])
        head = {"title": _clean(_head(self.sheet, width / USUAL))} if "title" in self.spec else {}
        config = {**self.spec["config"], "title": {**self.spec["config"]["title"], "limit": width}}
        return replace(self, spec=fitted({**self.spec, **head, "config": config}, width, svg))

    def to_svg(self) -> str:
        """The figure as SVG."""
        return self.rendered("svg", None).decode()

    def to_vega(self) -> Spec:
        """The same in the words of Vega, which draws it without Vega-Lite and without `eval`."""
        found: Spec = needed("vl_convert").vegalite_to_vega(self.to_json(), vl_version=VERSION)
        return found

    def to_json(self) -> str:
        """The specification, the same text for the same input."""
        return json.dumps(self.spec, ensure_ascii=False, indent=1)

    def to_altair(self) -> Any:
        """The same as a chart of Altair."""
        return needed("altair").Chart.from_dict(self.spec)

    def rendered(self, kind: str, scale: float | None = None) -> bytes:
        """The content of a file of this kind, one of `FORMATS`."""
        if kind == "json":
            return self.to_json().encode()
        converter = needed("vl_convert")
        spec = {"vl_spec": self.to_json(), "vl_version": VERSION}
        if kind == "html":
            return str(converter.vegalite_to_html(**spec, bundle=True)).encode()
        if kind == "png":
            return bytes(converter.vegalite_to_png(**spec, scale=scale or 3, allowed_base_urls=[]))
        svg = _scaled(str(converter.vegalite_to_svg(**spec, allowed_base_urls=[])), scale or 1)
        return svg.encode() if kind == "svg" else bytes(converter.svg_to_pdf(svg))

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        shown: dict[str, Any] = {"text/plain": repr(self), "application/vnd.vegalite.v5+json": self.spec}
        try:
            shown["image/svg+xml"] = self.to_svg()
        except InputError:  # without the extra, notebooks that know Vega-Lite still draw it
            return shown
        return shown

    def __repr__(self) -> str:
        rows = len(next(iter(self.sheet.columns.values()), []))
        return f"<figure: {self.sheet.title}, {rows} marks>"


def made(figure: Figure, result: Any, theme: ThemeName, title: bool, settings: Mapping[str, Any]) -> Chart:
    """The figure of a result."""
    look = theme_of(theme)
    sheet = figure.sheet(result, **settings)
    spec = figure.drawing(sheet, look)
    head = {"title": _head(sheet)} if title else {}
    rest = {"config": look.config(), "padding": 8, "usermeta": {"embedOptions": {"actions": MENU}}}
    return Chart(figure.name, sheet, _clean({"$schema": SCHEMA, **head, **spec, **rest}))


def _head(sheet: Sheet, share: float = 1) -> Spec:
    """Title and subtitle in lines for this share of a figure's usual width: names may be long, and figures are not."""
    title, subtitle = _lines(sheet.title, round(60 * share)), _lines(sheet.subtitle, round(84 * share))
    return {"text": title[0] if len(title) == 1 else title, **({"subtitle": subtitle} if subtitle else {})}


def needed(module: str) -> Any:
    """A package of the extra, or how to get it."""
    from importlib import import_module

    try:
        return import_module(module)
    except ImportError as error:
        name = {"vl_convert": "vl-convert-python"}.get(module, module)
        raise InputError(f"{name} is needed for this, and is not installed", EXTRA) from error


# words of Vega-Lite that figures share


def values(columns: Columns) -> Spec:
    """Inline data."""
    return {"values": [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]}


def scale_of(meaning: Mapping[str, str]) -> Spec:
    """Which colour stands for which word."""
    return {"domain": list(meaning), "range": list(meaning.values())}


def swatches(title: str | None = None, *, columns: int = 4, **more: Any) -> Spec:
    """A legend of squares."""
    return {"title": title, "symbolType": "square", "symbolStrokeWidth": 0, "columns": columns, **more}


def sides(a: str, b: str) -> str:
    """Whom the values below and above 0 favour, as the second line of an axis title; positive is for b.

    >>> sides("A", "B")
    '← for A | for B →'
    """
    return f"← for {a} | for {b} →"


def short(name: str, most: int = 32) -> str:
    """A name for a title: the short one of a metric, else its beginning, where it is long.

    >>> short("a" * 40, 5)
    'aaaa…'
    """
    name = shortened(name)
    return name if len(name) <= most else name[: most - 1] + "…"


def quoted(name: str) -> str:
    """A name inside an expression of Vega.

    >>> quoted('"')
    '"\\\\""'
    >>> quoted("constructor")
    '("c"+"onstructor")'
    """
    if name in _TAKEN:
        return f'("{name[0]}"+"{name[1:]}")'
    return json.dumps(name.encode("utf-8", "backslashreplace").decode())


def labels(names: Iterable[str]) -> Spec:
    """Short names of metrics on an axis or in a legend, where there are any; data keep the whole ones."""
    long = [name for name in names if shortened(name) != name]
    if not long:
        return {}
    # two lists, not an object: every object has a "constructor"
    whole, brief = (",".join(map(quoted, some)) for some in (long, map(shortened, long)))
    return {"labelExpr": f"[{brief}][indexof([{whole}], datum.label)] || datum.label"}


def room(names: Iterable[str], *, font: float = FONT, most: int = 200) -> float:
    """Pixels that the longest of these takes on an axis, about; longer ones are cut at `most`."""
    return min(float(most), 0.56 * font * max((len(shortened(str(name))) for name in names), default=0))


def across(names: Sequence[str], *, most: int = 4, width: float = 470, beside: int = 44) -> int:
    """Columns of a legend that give the fewest rows: entries go from left to right, each column as wide as its widest.

    beside  pixels that an entry takes beside its words
    """
    wide = [beside + room([name]) for name in names]
    fit = (n for n in range(most, 1, -1) if sum(max(wide[i::n], default=0.0) for i in range(n)) <= width)
    rows = math.ceil(len(names) / next(fit, 1))
    return math.ceil(len(names) / max(1, rows))


def ordered(names: Sequence[str], **scale: Any) -> Spec:
    """A scale's order of names from outside.

    The domain orders: sorting by a list puts names into expressions, where Vega fails on "constructor" and the like.
    """
    return {"sort": None, "scale": {"domain": list(names), **scale}}


def dot(size: int, colour: str | None = None, **more: Any) -> Spec:
    """A filled point."""
    painted = {} if colour is None else {"color": colour}
    return {"type": "point", "filled": True, "opacity": 1, "size": size, "tooltip": TOOLTIP, **painted, **more}


def outlined(size: int, look: Theme) -> Spec:
    """A filled point with a thin line around it, so that pale colours stand out."""
    return dot(size, stroke=look.ink, strokeWidth=0.7)


def coloured(field: str, meaning: Mapping[str, str], **legend: Any) -> Spec:
    """Colour by what a column says."""
    return {"field": field, "type": "nominal", "scale": scale_of(meaning), "legend": swatches(**legend)}


def plated(text: Spec, look: Theme) -> Spec:
    """What is drawn below words, so that lines keep off the letters."""
    return {**text, "stroke": look.ground, "strokeWidth": 6, "color": look.ground, "strokeJoin": "round"}


def seamless(field: str, width: float = 0.5, **more: Any) -> Spec:
    """A mark of cells that touch, coloured by a column: a little over their edges, where the ground would shine out.

    A channel for what is around cells would take their outline off the legend.
    """
    around = {"expr": f"scale('color', datum.{field})"}
    return {"type": "rect", "stroke": around, "strokeWidth": width, "tooltip": TOOLTIP, **more}


def unique(items: Iterable[Any]) -> list[Any]:
    """Each once, in the order of their first appearance."""
    return list(dict.fromkeys(items))


def columns_of(names: Sequence[str], rows: Iterable[Sequence[Any]]) -> Columns:
    """Columns by name, from rows."""
    whole = list(rows)
    return {name: [row[i] for row in whole] for i, name in enumerate(names)}


def picked(columns: Mapping[str, list[Any]], at: Iterable[int]) -> Columns:
    """Some rows."""
    rows = list(at)
    return {name: [column[i] for i in rows] for name, column in columns.items()}


def _lines(text: str, width: int = 84) -> list[str]:
    """Lines of about the same length, as few as go."""
    from textwrap import wrap

    wrapped = partial(wrap, break_on_hyphens=False)  # names have hyphens
    found = []
    # a number stays with what it counts, a name with its letter
    together = re.sub(r" ([<=]) |(?<=\d) (?=[%a-zA-Z])| (?=\([AB]\))|(?<=\b[AB]) (?=ahead)",
                      lambda gap: gap[0].replace(" ", "\N{NO-BREAK SPACE}"), text)  # fmt: skip
    for part in together.splitlines():
        count = len(wrapped(part, width))
        least = next(w for w in range(max(1, len(part) // count), width + 1) if len(wrapped(part, w)) <= count)
        found += wrapped(part, least)
    return found


def _clean(value: Any) -> Any:
    """What JSON, UTF-8 and Vega's expressions can hold: null for NaN, escapes for what is no text or ends a line."""
    if isinstance(value, dict):
        return {key: _clean(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_clean(one) for one in value]
    if isinstance(value, str):
        text = value.encode("utf-8", "backslashreplace").decode()
        return text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    plain = value.item() if hasattr(value, "item") else value
    return None if isinstance(plain, float) and not math.isfinite(plain) else plain


def _scaled(svg: str, scale: float) -> str:
    """The picture at another size; its view box stays."""

    def grown(found: re.Match[str]) -> str:
        return f'{found[1]}="{float(found[2]) * scale:g}"'

    head, _, rest = svg.partition(">")
    return re.sub(r'\b(width|height)="([\d.]+)"', grown, head) + ">" + rest
