"""Figures of the five papers, drawn from the tables that `reproduce` writes: what is drawn is what stands there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeAlias

from rankscope.errors import InputError
from rankscope.figures import figure_of, fractions, lexiprecision, many_systems, metrics, recall_levels, universe
from rankscope.figures.chart import Columns, Drawer, Drawing, Sheet, columns_of, drawer, drawn, needed, picked, unique
from rankscope.figures.theme import CATEGORIES
from rankscope.preferences import serps
from rankscope.statistics.pairs.difference_tests import WORDS
from rankscope.studies.reproduce import Pictures
from rankscope.studies.reproduce.ipso import PANES
from rankscope.studies.reproduce.lexiprecision import RANKINGS
from rankscope.universe import hasse, order_grid, position_orders

Maker: TypeAlias = Callable[[Columns], Drawer | None]


def drawer_of(drawing: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> Drawer:
    """Drawer of a table read from a file, whose cells are all text.

    drawing  as what, one of `DRAWINGS`

    Raises InputError where the table is not one of this drawing, or holds too little to draw.
    """
    if drawing not in DRAWINGS:
        raise InputError(f"no drawing is named {drawing!r}", f"drawings are {', '.join(DRAWINGS)}")
    try:
        columns = {name: list(cells) for name, cells in zip(header, zip(*rows, strict=True), strict=True)}
        drawer = DRAWINGS[drawing](columns)
    except (IndexError, KeyError, ValueError) as error:
        raise InputError(f"its table has not the columns of the drawing {drawing!r}") from error
    if drawer is None:
        raise InputError("its table does not hold what follows from its rankings")
    return drawer


def pictures(formats: Sequence[str] = ("svg", "pdf")) -> Pictures:
    """Renderer of figures for `reproduce`; an InputError where the extra is not installed."""
    needed("vl_convert")

    def draw(drawing: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> dict[str, bytes] | str:
        try:
            chart = drawer_of(drawing, header, rows)("light")
        except InputError as error:
            return error.problems[0].cause
        return {ending: chart.rendered(ending) for ending in formats}

    return Pictures(tuple(formats), draw)


def _of(result: Any, figure: str) -> Drawer:
    return drawer(figure_of(result, figure), result, title=False)


def _as_it_stands(drawing: Drawing, columns: Columns, **words: Any) -> Drawer:
    return partial(drawn, "kept", Sheet(columns, "", words=words), drawing, title=False)


def _numbers(cells: Sequence[str]) -> list[Any]:
    """Whole numbers, others, and None where a cell is empty."""
    return [int(cell) if cell.isdecimal() else float(cell) if cell else None for cell in cells]


# what follows from rankings that stand in the table is computed again, and drawn if it is the same


def _hasse(table: Columns) -> Drawer | None:
    diagram = hasse(len(table["upper"][0]))
    return _of(diagram, "Hasse diagram") if diagram.columns() == table else None


def _grid(table: Columns) -> Drawer | None:
    depth = len(table["row"][0])
    grids = (order_grid(depth, *measures) for measures in [(), *PANES.values()])
    return next((_of(grid, "grid") for grid in grids if grid.columns() == table), None)


def _orders(table: Columns) -> Drawer | None:
    arrangements = [tuple(map(int, cell.split(","))) for cell in table["positions"]]
    both = position_orders(max(map(max, arrangements)), len(arrangements[0]))
    same = {name: list(map(str, cells)) for name, cells in both.columns().items()} == table
    sheet = lexiprecision.orders_sheet(both)
    return partial(drawn, "orders", sheet, lexiprecision.orders, title=False) if same else None


def _path(table: Columns) -> Drawer | None:
    pair = serps([("".join(table["A"]), "".join(table["B"]))])
    same = pair.table() == (list(table), list(map(list, zip(*table.values(), strict=True))))
    return _of(pair, "path") if same else None


def _strips(table: Columns) -> Drawer | None:
    pairs = serps(list(zip(table["A"], table["B"], strict=True)), table["topic"])
    same = all(pairs.columns()[name] == table[name] for name in ("topic", "A", "B", "path", "class"))
    return _of(pairs, "strips") if same else None


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
    return _as_it_stands(recall_levels.first_rank, picked(columns, somewhere))


def _levels(column: str, what: str) -> Maker:
    def maker(table: Columns) -> Drawer:
        levels, shares = _numbers(table["level"]), _numbers(table[column])
        rows = [(level, what, share) for level, share in zip(levels, shares, strict=True)]
        return _as_it_stands(recall_levels.levels, columns_of(("level", "what", "share"), rows))

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
    return _as_it_stands(metrics.heatmap, columns, names=names, value="tau", legend="tau-b", format=".3f", most=1,
                         axis=f"aggregations under {model}")  # fmt: skip


def _locality(table: Columns) -> Drawer:
    columns = {"row": table["level"], "column": table["other"], "correlation": _numbers(table["correlation"])}
    names = sorted({*table["level"], *table["other"]}, key=int)
    return _as_it_stands(metrics.heatmap, columns, names=names, value="correlation", legend="correlation",
                         format=".2f", most=1, axis="recall level")  # fmt: skip


def _asl_curves(table: Columns) -> Drawer:
    """One panel per browsing model, so that its name is not said again with each line."""
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
        return _as_it_stands(fractions.fractions, {"candidate": table[by], **numbers, **several}, x=x, y=y, value=value,
                             panels=next(iter(several), None))  # fmt: skip

    return maker


DRAWINGS: dict[str, Maker] = {
    "Hasse diagram": _hasse,
    "grid": _grid,
    "orders": _orders,
    "path": _path,
    "strips": _strips,
    "bars": _bars,
    "triangle": _triangle,
    "tie curves": _tie_curves,
    "first rank": _first_rank,
    "tied levels": _levels("tied", "tied at this level"),
    "deciding levels": _levels("decided_of_all", "decided by this level"),
    "positions": _positions,
    "magnitudes": _magnitudes,
    "users": _users,
    "regression": _regression,
    "square": _square,
    "locality": _locality,
    "ASL curves": _asl_curves,
    "removal": _fractions("agreement", "agreement", "fraction that is left", panels=["level"]),
    "labels": _fractions("share", "share tied", "fraction of the judgments"),
    "incompleteness": _fractions("tau", "tau-b", "fraction of the pool", "measure", ["relevance", "sampling"]),
}
"""What draws a table, by the name that an item of a paper gives its drawing."""
