"""Sheets and charts: the columns of a figure, and the Vega-Lite specification made from them."""

from __future__ import annotations

import json
import math
import re
import sys
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen
from typing import Any, TypeAlias

from rankscope.arguments import extra, positive
from rankscope.errors import InputError, Problem
from rankscope.figures.letters import held
from rankscope.figures.theme import Spec, Theme, ThemeName, theme_of
from rankscope.figures.width import check_width, fitted, least_letters
from rankscope.formatting import html, minus, plain, script_json, visible
from rankscope.outputs import write_output
from rankscope.results import csv_text

Columns: TypeAlias = dict[str, list[Any]]
FORMATS = ("svg", "pdf", "png", "html", "json")
EXTRA = 'pip install "rankscope[figures]"'
VERSION = "5.20"  # of Vega-Lite: what notebooks know too
SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"  # a name, nothing that is fetched
NARROW, LETTERS = 480, 12  # pixels: of a figure for a column of 8.5 cm, or 241 points, and of letters of 6 pt in it
USUAL = 500  # pixels, about: what titles are broken into lines for
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
    needs  the setting without which there is nothing to draw, such as "cost"
    where  whether a result has what is drawn, for parts that few results have, such as slices
    """

    name: str
    of: type
    sheet: Callable[..., Sheet]
    drawing: Drawing
    needs: str = ""
    where: Callable[[Any], bool] = lambda result: True


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
        """Title of the figure, one line."""
        return self.sheet.title

    @property
    def caption(self) -> str:
        """Caption: the contents and how to read them, in a few lines; empty where the title suffices."""
        return self.sheet.subtitle

    @property
    def table(self) -> Columns:
        """Columns of the figure, one row per mark."""
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
        if scale is not None:
            positive("scale", scale, 20)
        content = (self if width is None else self.at_width(width)).rendered(kind, scale)
        return write_output(path, content)

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
        spec: Spec = needed("vl_convert").vegalite_to_vega(self.to_json(), vl_version=VERSION)
        return spec

    def compiled(self) -> Spec:
        """The same for a page that has Vega: without the schema's name, and the menu of a notebook."""
        return {key: value for key, value in self.to_vega().items() if key not in ("$schema", "usermeta")}

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
            return page(self.compiled(), visible(self.title)).encode()
        if kind == "png":
            return bytes(converter.vegalite_to_png(**spec, scale=scale or 3, allowed_base_urls=[]))
        svg = _scaled(str(converter.vegalite_to_svg(**spec, allowed_base_urls=[])), scale or 1)
        return held(svg).encode() if kind == "svg" else bytes(converter.svg_to_pdf(svg))

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        shown: dict[str, Any] = {"text/plain": repr(self), "application/vnd.vegalite.v5+json": self.spec}
        try:
            shown["image/svg+xml"] = self.to_svg()
        except (InputError, ImportError):  # without the extra, notebooks that know Vega-Lite still draw it
            return shown
        return shown

    def __repr__(self) -> str:
        rows = len(next(iter(self.sheet.columns.values()), []))
        return f"<figure: {visible(self.sheet.title)}, {rows} marks>"


Drawer: TypeAlias = Callable[[ThemeName], Chart]


def chart_of(figure: Figure, result: Any, *, theme: ThemeName = "light", title: bool = True, narrow: bool = False,
             **settings: Any) -> Chart:  # fmt: skip
    """The figure of a result; settings are those of its sheet."""
    return drawer(figure, result, title=title, narrow=narrow, **settings)(theme)


def drawer(figure: Figure, result: Any, *, title: bool = True, narrow: bool = False, **settings: Any) -> Drawer:
    """The figure of a result by theme; its sheet is computed once for all themes."""
    return partial(drawn, figure.name, figure.sheet(result, **settings), figure.drawing, title=title, narrow=narrow)


def drawn(
    name: str, sheet: Sheet, drawing: Drawing, theme: ThemeName, *, title: bool = True, narrow: bool = False
) -> Chart:
    """The drawing of a sheet.

    narrow  for a paper's column: no letter is smaller than 6 pt where the figure is 8.5 cm wide
    """
    if narrow:
        sheet = replace(sheet, words={**sheet.words, "narrow": True})
        return _narrowed(drawn(name, sheet, drawing, theme, title=title))
    look = theme_of(theme)
    sheet = replace(sheet, title=minus(sheet.title))
    head = {"title": _head(sheet)} if title else {}
    settings = {"config": look.config(), "padding": 8, "usermeta": {"embedOptions": {"actions": MENU}}}
    return Chart(name, sheet, _clean({"$schema": SCHEMA, **head, **_titles(drawing(sheet, look)), **settings}))


def _narrowed(chart: Chart) -> Chart:
    """The same at most so wide that its letters, none smaller than `LETTERS`, have 6 pt in a column."""
    config = {**chart.spec["config"], "legend": {**chart.spec["config"]["legend"], "labelLimit": 150}}
    chart = replace(chart, spec=least_letters({**chart.spec, "config": config}, LETTERS))
    for limit in (150, 110, 80):  # names are cut before letters become too small
        try:
            natural = float(re.search(r'\bwidth="([\d.]+)"', chart.to_svg())[1])  # type: ignore[index]
            return chart if natural <= NARROW else chart.at_width(NARROW)
        except InputError:
            spec = least_letters(chart.spec, LETTERS, limit)
            config = {**spec["config"], "title": chart.spec["config"]["title"]}  # the title has lines, and is not cut
            chart = replace(chart, spec={**spec, "config": config})
    return chart.at_width(NARROW)


def _head(sheet: Sheet, share: float = 1) -> Spec:
    """Title and subtitle in lines for this share of a figure's usual width: names may be long, and figures are not."""
    title, subtitle = _lines(sheet.title, round(60 * share)), _lines(minus(sheet.subtitle), round(84 * share))
    return {"text": title[0] if len(title) == 1 else title, **({"subtitle": subtitle} if subtitle else {})}


def _titles(value: Any) -> Any:
    """Titles of axes, legends and plots with minus signs, each line visible; guides with each of their values.

    Vega leaves some ticks out where it takes the axis for too short. All else is as it is.
    """
    if isinstance(value, list):
        return [_titles(part) for part in value]
    if not isinstance(value, dict):
        return value
    return {
        key: part if key in ("data", "datasets")
        else minus(visible(part)) if key == "title" and isinstance(part, str)
        else minus(part) if key == "text" and isinstance(part, str)
        else [minus(visible(line)) for line in part] if key == "title" and isinstance(part, list)
        else {"tickCount": len(part["values"]), **_titles(part), **_decimals(part)}
        if key == "axis" and part and part.get("values")
        else {**_titles(part), **_decimals(part)} if key == "legend" and part and part.get("values")
        else {name: _guide_title(name, _titles(channel)) for name, channel in part.items()} if key == "encoding"
        else _titles(part)
        for key, part in value.items()
    }  # fmt: skip


def _decimals(guide: Spec) -> Spec:
    """The format of a guide whose values are given: as many decimals as they need, unless it has a format of its own.

    Vega takes as many as tell apart the steps that it would have taken itself, which can be coarser.

    >>> _decimals({"values": [0.72, 0.84]}), _decimals({"values": [0.5, 0.75], "format": "~f"})
    ({'format': ',.2f'}, {'format': ',.2~f'})
    >>> _decimals({"values": [1, 2000]}), _decimals({"values": ["AP"]}), _decimals({"values": [0.5], "format": "d"})
    ({'format': ',.0f'}, {}, {})
    """
    if guide.get("format", "~f") != "~f" or not all(isinstance(value, int | float) for value in guide["values"]):
        return {}
    decimals = max(len(f"{value:.12f}".rstrip("0").partition(".")[2]) for value in guide["values"])
    return {"format": f",.{decimals}{guide.get('format', 'f')}"}


def _guide_title(name: str, channel: Any) -> Any:
    """A channel whose title, where it has a backslash, is the title of its axis or legend alone.

    Vega-Lite writes titles of channels into expressions, which would take the backslash for an escape.

    >>> _guide_title("x", {"field": "a", "title": "\\\\x1b"})
    {'field': 'a', 'title': None, 'axis': {'title': '\\\\x1b'}}
    """
    title = channel.get("title") if isinstance(channel, dict) else None
    if title is None or "\\" not in "".join(title):
        return channel
    guide = "axis" if name in ("x", "y") else "legend"
    shown = channel.get(guide, {})
    return {**channel, "title": None, guide: None if shown is None else {"title": title, **shown}}


_SNIPPET = "window.vegaEmbed = vegaEmbed;"
_scripts: list[str] = []


def runtime() -> str:
    """The script that draws: Vega with the interpreter that needs no eval, as vl-convert carries them."""
    if not _scripts:
        _scripts.append(needed("vl_convert").javascript_bundle(_SNIPPET, vl_version=VERSION))
    return _scripts[0]


@contextmanager
def runtime_ahead() -> Iterator[Callable[[], str]]:
    """A function that gives the script that draws; a process of its own writes it meanwhile.

    vl-convert takes more than a second for it, and lets no other thread of its process work.
    """
    if _scripts or not sys.executable:
        yield runtime
        return
    bundle = f"vl_convert.javascript_bundle({_SNIPPET!r}, {VERSION!r})"
    code = f"import sys, vl_convert; sys.stdout.buffer.write({bundle}.encode())"
    with Popen([sys.executable, "-I", "-c", code], stdin=DEVNULL, stdout=PIPE, stderr=DEVNULL) as process:

        def wait() -> str:
            script = process.communicate()[0].decode()
            if process.returncode == 0 and not _scripts:
                _scripts.append(script)
            return runtime()

        try:
            yield wait
        finally:
            process.kill()


DRAW = """
const { spec, options } = JSON.parse(document.getElementById("figure").textContent);
window.drawn = vegaEmbed(document.getElementById("view"), spec, options);
"""


def page(spec: Spec, title: str) -> str:
    """One HTML page that draws a specification and fetches nothing; what the specification holds is data to it."""
    scripts, options = (runtime(), DRAW), {"mode": "vega", "ast": True, "renderer": "svg", "actions": MENU}
    policy = content_policy(scripts, ("'unsafe-inline'",))
    run = "".join(f"<script>{script}</script>" for script in scripts)
    return (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{html(title)}</title>'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}"></head><body><div id="view"></div>'
        f'<script type="application/json" id="figure">{script_json({"spec": spec, "options": options})}</script>'
        f"{run}</body></html>"
    )


def content_policy(scripts: Iterable[str], styles: Iterable[str]) -> str:
    """Content security policy: nothing is fetched, and only these scripts are run.

    styles  sources of styles, in the words of the policy
    """
    allowed = {
        "default-src": ["'none'"],
        "script-src": map(source_hash, scripts),
        "style-src": styles,
        "img-src": ["data:", "blob:"],
        "base-uri": ["'none'"],
        "form-action": ["'none'"],
    }
    return "; ".join(f"{key} {' '.join(values)}" for key, values in allowed.items())


def source_hash(text: str) -> str:
    """A script or a style in the words of a content security policy."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def needed(module: str) -> Any:
    """A package of the extra, or how to get it."""
    name = {"vl_convert": "vl-convert-python"}.get(module, module)
    return extra(module, Problem(f"{name} is needed for this, and is not installed", EXTRA))


# tables of what is drawn


def unique(items: Iterable[Any]) -> list[Any]:
    """Each once, in the order of their first appearance."""
    return list(dict.fromkeys(items))


def columns_of(names: Sequence[str], rows: Iterable[Sequence[Any]]) -> Columns:
    """Columns by name, from rows."""
    cells = list(rows)
    return {name: [row[i] for row in cells] for i, name in enumerate(names)}


def picked(columns: Mapping[str, list[Any]], at: Iterable[int]) -> Columns:
    """Some rows."""
    rows = list(at)
    return {name: [column[i] for i in rows] for name, column in columns.items()}


def first_sentence(text: str) -> str:
    """The first sentence as a title, without its full stop.

    >>> first_sentence("nDCG@10 (p = 0.5) leads. All else follows.")
    'nDCG@10 (p = 0.5) leads'
    """
    return text.partition(". ")[0].rstrip(".")


def rows_where(columns: Columns, name: str, value: Any) -> Columns:
    """Rows with this value in a column."""
    return picked(columns, [i for i, cell in enumerate(columns[name]) if cell == value])


def _lines(text: str, width: int = 84) -> list[str]:
    """Lines of about the same length, as few as go."""
    from textwrap import wrap

    wrapped = partial(wrap, break_on_hyphens=False)  # names have hyphens
    lines = []
    # a number stays with what it counts, a name with its letter or its number
    places = r"(?<=\brank) (?=\d)|(?<=\bdepth) (?=\d)|(?<=\blevel) (?=\d)"
    together = re.sub(places + r"| (\(grade )?([<>]=|[<=]) |(?<=\d) (?=[%a-zA-Z])| (?=\((?:[AB]|[\d.,]+)\))"
                      r"|(?<=\b[AB]) (?=ahead)"
                      "|(?<=\\bB) (?=[-\N{MINUS SIGN}] A\\b)|(?<=\\bB [-\N{MINUS SIGN}]) (?=A\\b)",
                      lambda gap: gap[0].replace(" ", "\N{NO-BREAK SPACE}"), text)  # fmt: skip
    for part in together.splitlines():
        count = len(wrapped(part, width))
        longest = min(width, max(map(len, part.split(" "))))  # no word is broken that need not be
        widths = range(max(1, longest, len(part) // count), width + 1)
        least = next(w for w in widths if len(wrapped(part, w)) <= count)
        lines += wrapped(part, least)
    return lines


def _clean(value: Any) -> Any:
    """Replace what JSON, UTF-8 or Vega cannot hold: NaN by null, letters that are none or that control by escapes."""
    if isinstance(value, dict):
        return {key: _clean(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_clean(part) for part in value]
    if isinstance(value, str):
        return plain(value)
    number = value.item() if hasattr(value, "item") else value
    return None if isinstance(number, float) and not math.isfinite(number) else number


def smaller(svg: str) -> str:
    """The same picture in fewer letters: places to a hundredth of a pixel, without words that a mere image never says.

    >>> smaller('<g aria-label="x: 1" role="graphics-object"><path d="M0.123456,2"/></g>')
    '<g><path d="M0.12,2"/></g>'
    """
    silent = re.sub(r' (?:aria-[a-z]+|role)="[^"]*"', "", svg)

    def rounded(attribute: re.Match[str]) -> str:
        return re.sub(r"\d+\.\d{3,}", lambda number: f"{float(number[0]):.2f}", attribute[0])

    return re.sub(r' (?:d|transform|x|y|x1|x2|y1|y2|width|height)="[^"]*"', rounded, silent)


def _scaled(svg: str, scale: float) -> str:
    """The picture at another size; its view box stays."""

    def grown(size: re.Match[str]) -> str:
        return f'{size[1]}="{float(size[2]) * scale:g}"'

    head, _, body = svg.partition(">")
    return re.sub(r'\b(width|height)="([\d.]+)"', grown, head) + ">" + body
