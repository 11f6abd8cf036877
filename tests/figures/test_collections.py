"""What figures of several collections draw."""

from __future__ import annotations

import re

import numpy as np
import pytest

import rankscope as rs
from rankscope.figures import draw, names

SCORES = {
    c: {s: {f"t{t}": 0.1 * at + 0.05 * t + 0.2 * (s == "b") + 0.01 * ((t * 7 + at) % 5) * (s == "b") for t in range(8)}
        for s in ("a", "b", "c")}
    for at, c in enumerate(("x", "y", "z"))
}  # fmt: skip


def test_the_forest_has_every_collection_the_mean_and_the_next():
    result = rs.across(SCORES, "a", "b", resampling=rs.statistics.Resampling(100))
    assert names(result) == ["forest"]
    table = draw(result).table
    assert list(table["collection"]) == ["x", "y", "z", "mean over collections", "next collection"]
    assert table["difference"][3] == result.average.difference
    assert (table["lower"][4], table["upper"][4]) == (result.average.next_lower, result.average.next_upper)
    assert table["difference"][4] is None


def test_the_map_and_the_groups_of_a_board():
    board = rs.across(SCORES, resampling=rs.statistics.Resampling(100))
    assert names(board) == ["critical difference", "heat map"]
    table = draw(board, "heat map").table
    assert len(table["mean"]) == 9
    assert np.mean(table["above"]) == pytest.approx(0)
    assert draw(board).table["system"] == list(board.systems)
    svg = draw(board, "heat map").to_svg()
    cells = re.findall(
        r">([+\N{MINUS SIGN}]?(?:\d\.\d\d)?)</text>", re.search(r"mark-text role-mark.*?</g>", svg, re.DOTALL)[0]
    )
    signs = ["\N{MINUS SIGN}" if above < 0 else "+" for above in table["above"]]
    assert cells == [sign + f"{abs(above):.2f}" for sign, above in zip(signs, table["above"], strict=True)]
    legend = re.search(r"role-legend-entry.*", svg, re.DOTALL)[0]
    numbers = re.findall(r">(.?\d+(?:\.\d+)?)</text>", legend)
    assert "0" in numbers
    assert len(numbers) == len(set(numbers))  # no two ticks of its legend are rounded to one number


def test_components_are_drawn_from_their_table():
    rng = np.random.default_rng(1)
    parts = rs.statistics.variance_components({"a": rng.random((9, 3)), "b": rng.random((9, 2))})
    assert draw(parts).table["source"] == ["system", "topic", "system by topic", "run", "run by topic"]
    assert sum(draw(parts).table["share"]) == pytest.approx(1)
