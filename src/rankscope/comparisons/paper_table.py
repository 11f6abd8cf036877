"""The table of a paper: means of several measures, the best in bold, tested ones with daggers or letters."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from rankscope.arguments import whole_number
from rankscope.comparisons.leaderboard import LETTERED, MARKS, Leaderboard
from rankscope.errors import InputError, did_you_mean, plural
from rankscope.formatting import short_probability
from rankscope.layout import Marked, latex_table
from rankscope.measures import measure as named
from rankscope.statistics.equality import places
from rankscope.version import __version__

TEXT = ("rank", "system", "places")  # columns that are flush left, where they come first


def paper_table(board: Leaderboard, *, columns: Sequence[str] | None, decimals: int, page: bool, label: str) -> str:
    """LaTeX of a leaderboard and of its further measures; arguments as of `Leaderboard.to_latex`."""
    whole_number("decimals", decimals, 0, 15)
    measures = _measure_columns(board, decimals)
    available = _other_columns(board, decimals) | measures
    chosen = ["system", *measures] if columns is None else [_column(name, available) for name in columns]
    left = next((i for i, name in enumerate(chosen) if name not in TEXT), len(chosen))
    rows = [list(row) for row in zip(*(available[name] for name in chosen), strict=True)]
    boards = (board, *board.further)
    method = f"rankscope {__version__}; all pairs by {board.method}"
    return latex_table(
        [_head(name, board) for name in chosen], rows, caption=caption(board), left=left, label=label, page=page,
        comments=[method, *(each.signature for each in boards)],
    )  # fmt: skip


def caption(board: Leaderboard) -> str:
    """What the numbers and marks of the table are, with the number of comparisons that are corrected for."""
    boards = (board, *board.further)
    counts = sorted({each.n_topics for each in boards})
    topics = plural(counts[0], "topic") if len(counts) == 1 else f"{counts[0]:,} to {counts[-1]:,} topics"
    sentences = [f"Means on {topics}, best in bold."]
    n_others = len(board.systems) - 1
    each, n_measures = " per measure" if board.further else "", len(boards)
    if board.n_measures > 1:
        each += f", Bonferroni over {n_measures} measures"
    level = f"p < {board.alpha * board.n_measures:.4g}"
    if board.against is not None:
        test = board.against.method.removeprefix("Student's ")
        correction = f"{board.against.correction.title()} over {plural(board.compared, 'test')}{each}"
        marked = zip(MARKS, board.baselines, strict=False)
        differs = ", ".join(f"{mark} differs from {against.baseline}" for mark, against in marked)
        sentences.append(f"{differs} ({test}, {correction}; {level}).")
    elif board.groups <= LETTERED:
        method = f"{board.method.split(', ')[0]}, {plural(len(board.systems) * n_others // 2, 'pair')}{each}"
        sentences.append(f"Systems that share a letter are not shown to differ ({method}; {level}).")
    if board.also and not board.further:
        sentences.append(f"Only {board.measure} is tested.")
    return " ".join(sentences)


def _measure_columns(board: Leaderboard, decimals: int) -> dict[str, list[str]]:
    """Means by measure, in the order of the leaderboard, with marks where the measure was tested."""
    tested = {each.measure: each for each in (board, *board.further)}
    means = {board.measure: board.mean} | dict(zip(board.also, board.also_mean, strict=True))
    cells: dict[str, list[str]] = {}
    for name, values in means.items():
        known = np.nan_to_num(values, nan=-np.inf)
        best = places(known) == places(known).max() if np.isfinite(known).all() else known == known.max()
        marks = tested[name].marks() if name in tested else {}
        cells[name] = [
            Marked("-" if np.isnan(value) else f"{value:.{decimals}f}", marks.get(system, ""), bold=bool(top))
            for system, value, top in zip(board.systems, values.tolist(), best.tolist(), strict=True)
        ]
    return cells


def _other_columns(board: Leaderboard, decimals: int) -> dict[str, list[str]]:
    """Columns that are not means, by their names; those of the first measure."""
    columns: dict[str, list[str]] = {
        "rank": [f"{s + 1}" for s in range(len(board.systems))],
        "system": list(board.systems),
        "places": [f"{low}-{high}" if low != high else f"{low}"
                   for low, high in zip(board.best, board.worst, strict=True)],
        "interval": [f"[{low:.{decimals}f}, {high:.{decimals}f}]"
                     for low, high in zip(board.lower.tolist(), board.upper.tolist(), strict=True)],
    }  # fmt: skip
    if board.against is not None:
        effects = board.against.effects
        columns["difference"] = ["" if e is None else f"{e.difference:.{decimals}f}" for e in effects]
        columns["p"] = ["" if p != p else short_probability(p) for p in board.against.adjusted]
    return columns


def _column(name: str, available: dict[str, list[str]]) -> str:
    """The column that a name means: as it is shown, or a measure as it was asked for."""
    if name in available:
        return name
    try:
        asked = _plain(str(named(name)))
    except InputError:
        asked = name
    likely = [column for column in available if _plain(column) == asked]
    if len(likely) != 1:
        raise InputError(f"no column {name!r}", did_you_mean(name, tuple(available)))
    return likely[0]


def _plain(label: str) -> str:
    """A measure's name without its threshold."""
    return re.sub(r"\(rel=[^,()]*\)| \(grade .*\)$", "", label)


def _head(name: str, board: Leaderboard) -> str:
    """Head of a column."""
    if name == "interval":
        return board.interval
    return f"to {board.against.baseline}" if name == "difference" and board.against is not None else name
