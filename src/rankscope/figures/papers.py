"""Figures of the five papers, drawn from the tables that `reproduce` writes: what is drawn is what stands there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from rankscope.errors import InputError
from rankscope.figures import ThemeName, lexiprecision, many_systems, metrics, universe
from rankscope.figures import draw as draw_result
from rankscope.figures.chart import Chart, Columns, Drawing, Sheet, columns_of, drawn, needed, picked, unique
from rankscope.figures.theme import CATEGORIES
from rankscope.preferences import serps
from rankscope.statistics.pairs.difference_tests import WORDS
from rankscope.studies.reproduce import Pictures
from rankscope.studies.reproduce.ipso import PANES
from rankscope.studies.reproduce.lexiprecision import RANKINGS
from rankscope.universe import hasse, order_grid, position_orders

Drawer: TypeAlias = Callable[[ThemeName], Chart]
Maker: TypeAlias = Callable[[Columns], Drawer | None]
_BANDS = ("sd", "lowest", "highest", "samples")


def drawer_of(header: Sequence[str], rows: Sequence[Sequence[str]]) -> Drawer | None:
    """What draws a table with these columns; None where nothing does, or where it would show something else.

    The table is that of a file, so all its cells are text. A drawer may raise InputError where there is
    too little to draw.
    """
    maker = next((make for names, make in MAKERS if tuple(header[: len(names)]) == names), None)
    if maker is None or not rows:
        return None
    return maker({name: list(cells) for name, cells in zip(header, zip(*rows, strict=True), strict=True)})


def pictures(formats: Sequence[str] = ("svg", "pdf")) -> Pictures:
    """What `reproduce` draws figures with; refused where the extra is not installed."""
    needed("vl_convert")

    def draw(header: Sequence[str], rows: Sequence[Sequence[str]]) -> dict[str, bytes] | str | None:
        try:
            drawer = drawer_of(header, rows)
            chart = drawer and drawer("light")
        except InputError as error:
            return error.problems[0].cause
        return None if chart is None else {ending: chart.rendered(ending) for ending in formats}

    return Pictures(tuple(formats), draw)


def _of(result: Any, figure: str) -> Drawer:
    return lambda theme: draw_result(result, figure, theme=theme, title=False)


def _as_it_stands(drawing: Drawing, columns: Columns, **words: Any) -> Drawer:
    sheet = Sheet(columns, "", words=words)
    return lambda theme: drawn("kept", sheet, drawing, theme=theme, title=False)


def _numbers(cells: Sequence[str]) -> list[Any]:
    """Whole numbers, others, and None where a cell is empty."""
    return [int(cell) if cell.isdecimal() else float(cell) if cell else None for cell in cells]


# what follows from rankings that stand in the table is found again, and drawn if it is the same


def _hasse(table: Columns) -> Drawer | None:
    found = hasse(len(table["upper"][0]))
    return _of(found, "Hasse diagram") if found.columns() == table else None


def _grid(table: Columns) -> Drawer | None:
    depth = len(table["row"][0])
    every = (order_grid(depth, *measures) for measures in [(), *PANES.values()])
    return next((_of(found, "grid") for found in every if found.columns() == table), None)


def _orders(table: Columns) -> Drawer | None:
    arrangements = [tuple(map(int, cell.split(","))) for cell in table["positions"]]
    found = position_orders(max(map(max, arrangements)), len(arrangements[0]))
    same = {name: list(map(str, cells)) for name, cells in found.columns().items()} == table
    sheet = lexiprecision.orders_sheet(found)
    return (lambda theme: drawn("orders", sheet, lexiprecision.orders, theme=theme, title=False)) if same else None


def _path(table: Columns) -> Drawer | None:
    found = serps([("".join(table["A"]), "".join(table["B"]))])
    return _of(found, "path") if found.table()[1] == list(map(list, zip(*table.values(), strict=True))) else None


def _strips(table: Columns) -> Drawer | None:
    found = serps(list(zip(table["A"], table["B"], strict=True)), table["topic"])
    same = all(found.columns()[name] == table[name] for name in ("topic", "A", "B", "path", "class"))
    return _of(found, "strips") if same else None


# the rest is drawn as it stands


def _bars(table: Columns) -> Drawer:
    numbers = {name: _numbers(table[name]) for name in ("depth", "share")}
    tests, order = [WORDS.get(test, test) for test in table["test"]], [CATEGORIES.index(c) for c in table["category"]]
    return _as_it_stands(many_systems.bars, {**table, **numbers, "test": tests, "order": order})


def _triangle(table: Columns) -> Drawer:
    ranks = {name: _numbers(table[name]) for name in ("first_rank", "second_rank")}
    return _as_it_stands(many_systems.triangle, {**table, **ranks}, systems=max(ranks["second_rank"]))


def _tie_curves(table: Columns) -> Drawer:
    numbers = {name: _numbers(table[name]) for name in ("p1", "probability")}
    return _as_it_stands(universe.tie_curves, {"m": [f"m = {m}" for m in table["m"]], **numbers})


def _first_rank(table: Columns) -> Drawer:
    columns = {name: _numbers(cells) for name, cells in table.items()}
    somewhere = [i for i, rank in enumerate(columns["rank"]) if rank is not None]
    return _as_it_stands(metrics.first_rank, picked(columns, somewhere))


def _levels(column: str, what: str) -> Maker:
    def maker(table: Columns) -> Drawer:
        levels, shares = _numbers(table["level"]), _numbers(table[column])
        rows = [(level, what, share) for level, share in zip(levels, shares, strict=True)]
        return _as_it_stands(metrics.levels, columns_of(("level", "what", "share"), rows))

    return maker


def _positions(table: Columns) -> Drawer:
    numbers = {name: _numbers(table[name]) for name in ("level", *RANKINGS)}
    return _as_it_stands(lexiprecision.positions, {**table, **numbers}, rankings=RANKINGS)


def _magnitudes(table: Columns) -> Drawer:
    return _as_it_stands(lexiprecision.magnitudes, {**table, "value": _numbers(table["value"])})


def _users(table: Columns) -> Drawer:
    columns = {name: _numbers(cells) for name, cells in table.items()}
    return _as_it_stands(lexiprecision.users, columns, rankings=RANKINGS)


def _regression(table: Columns) -> Drawer:
    names = [f"i = {level}, R\N{SUPERSCRIPT TWO} = {float(r):.2f}" if r else f"i = {level}"
             for level, r in zip(table["level"], table["R2"], strict=True)]  # fmt: skip
    numbers = {name: _numbers(table[name]) for name in ("next", "standardised")}
    return _as_it_stands(lexiprecision.regression, {"level": names, **numbers})


def _square(table: Columns) -> Drawer:
    """A square of one browsing model, each pair on both sides of the diagonal."""
    model = table["model"][0]
    first, second = ([name.removeprefix(f"{model}_") for name in table[side]] for side in ("first", "second"))
    cells = list(zip(_numbers(table["tau"]), _numbers(table["lower"]), _numbers(table["upper"]), strict=True))
    names = unique([*first, *second])
    pairs = [*zip(first, second, cells, strict=True), *zip(second, first, cells, strict=True)]
    rows = [(a, b, tau, "" if low is None or high is None else f"[{low:.2f}, {high:.2f}]")
            for a, b, (tau, low, high) in pairs] + [(name, name, 1.0, "") for name in names]  # fmt: skip
    columns = columns_of(("row", "column", "tau", "interval"), rows)
    return _as_it_stands(metrics.heatmap, columns, names=names, value="tau", legend="tau-b", format=".3f", domain=None,
                         axis=f"aggregations under {model}")  # fmt: skip


def _locality(table: Columns) -> Drawer:
    columns = {"row": table["level"], "column": table["other"], "correlation": _numbers(table["correlation"])}
    names = sorted({*table["level"], *table["other"]}, key=int)
    return _as_it_stands(metrics.heatmap, columns, names=names, value="correlation", legend="correlation",
                         format=".2f", domain=None, axis="recall level")  # fmt: skip


def _asl_curves(table: Columns) -> Drawer:
    """A panel a browsing model, so that its name is not said again with each line."""
    asl, upto = _numbers(table["asl"]), 0.15
    named = [name.removeprefix(f"{model}_") for model, name in zip(table["model"], table["measure"], strict=True)]
    columns = {"test": table["model"], "measure": [name.rstrip("*") for name in named],
               "pair": _numbers(table["pair"]), "asl": asl}  # fmt: skip
    # the last above it is kept, so that curves come in at the top
    near = [i for i, both in enumerate(zip(asl, [*asl[1:], 1.0], strict=True)) if min(both) <= upto]
    return _as_it_stands(metrics.asl_curves, picked(columns, near), alpha=None, upto=upto, pairs=max(columns["pair"]))


def _fractions(value: str, y: str, x: str, by: str = "candidate", panels: Sequence[str] = ()) -> Maker:
    """Lines over fractions, with bands, in a panel for what some columns say together."""

    def maker(table: Columns) -> Drawer:
        numbers = {name: _numbers(table[name]) for name in ("fraction", value, "lowest", "highest")}
        panel = [", ".join(cells) for cells in zip(*(table[name] for name in panels), strict=True)]
        several = {"panel": panel} if len(unique(panel)) > 1 else {}
        return _as_it_stands(metrics.fractions, {"candidate": table[by], **numbers, **several}, x=x, y=y, value=value,
                             panels=next(iter(several), None))  # fmt: skip

    return maker


MAKERS: tuple[tuple[tuple[str, ...], Maker], ...] = (
    (("positions", "rr_place", "lexiprecision_place"), _orders),
    (("level", *RANKINGS, "relation", "compared"), _positions),
    (("preference", "value"), _magnitudes),
    (("user", "level", *RANKINGS, "difference"), _users),
    (("level", "next", "coefficient", "standardised", "R2"), _regression),
    (("model", "first", "second", "tau", "lower", "upper"), _square),
    (("upper", "lower"), _hasse),
    (("row", "column", "class"), _grid),
    (("rank", "A", "B", "B - A", "class"), _path),
    (("topic", "A", "B", "path", "class"), _strips),
    (("test", "measure", "depth", "category", "share"), _bars),
    (("first", "second", "first_rank", "second_rank", "category"), _triangle),
    (("m", "p1", "probability"), _tie_curves),
    (("rank", "pairs", "tied"), _first_rank),
    (("level", "pairs", "tied"), _levels("tied", "tied at this level")),
    (("level", "decided_of_all", "decided"), _levels("decided_of_all", "decided by this level")),
    (("level", "other", "correlation"), _locality),
    (("model", "measure", "pair", "asl"), _asl_curves),
    (("level", "candidate", "fraction", "agreement", *_BANDS),
     _fractions("agreement", "agreement", "fraction that is left", panels=["level"])),
    (("candidate", "fraction", "share", *_BANDS), _fractions("share", "share tied", "fraction of the judgments")),
    (("relevance", "measure", "sampling", "fraction", "tau", *_BANDS),
     _fractions("tau", "tau-b", "fraction of the pool", "measure", ["relevance", "sampling"])),
)  # fmt: skip
"""Columns that a table begins with, and its figure."""
