"""What figures of several collections draw."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

import rankscope as rs
from rankscope.comparisons import CollectionBoard
from rankscope.figures import draw, names
from rankscope.statistics.replications.repeated_runs import VarianceComponents

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
    few = "3 collections; at least 6 are needed to tell any two systems apart at 0.05\n"
    assert few in draw(board).caption
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


def test_signs_without_digits_are_explained():
    wide = draw(rs.across(SCORES, resampling=rs.statistics.Resampling(100)), "heat map")
    assert "alone:" not in wide.to_svg()
    close = {c: {s: {t: value / 200 for t, value in topics.items()} for s, topics in systems.items()}
             for c, systems in SCORES.items()}  # fmt: skip
    svg = draw(rs.across(close, resampling=rs.statistics.Resampling(100)), "heat map", narrow=True).to_svg()
    assert ">+</text>" in svg
    assert ">+ or \N{MINUS SIGN} alone: by less than 0.005</text>" in svg
    many = {f"{c}{i}": {s: {t: value + 0.01 * i for t, value in topics.items()} for s, topics in systems.items()}
            for i in range(6) for c, systems in SCORES.items()}  # fmt: skip
    svg = draw(rs.across(many, resampling=rs.statistics.Resampling(100)), "heat map").to_svg()
    assert ">\N{MINUS SIGN}</text>" in svg
    assert ">\N{MINUS SIGN}: below it</text>" in svg


def test_components_are_drawn_from_their_table():
    rng = np.random.default_rng(1)
    parts = rs.statistics.variance_components({"a": rng.random((9, 3)), "b": rng.random((9, 2))})
    assert draw(parts).table["source"] == ["system", "topic", "system by topic", "run", "run by topic"]
    assert sum(draw(parts).table["share"]) == pytest.approx(1)


def test_the_range_of_a_map_of_collections_is_said(results):
    board = results[CollectionBoard]
    above = board.plot("heat map").table["above"]
    svg = board.plot("heat map").to_svg()
    assert f">\N{MINUS SIGN}{-min(above):.2f} to {max(above):.2f}</text>" in svg


def test_components_are_drawn_as_shares(results):
    parts_of = replace(results[VarianceComponents], run=0.0)
    chart = parts_of.plot()
    bars = chart.spec["data"]["values"]
    assert [row["percent"] for row in bars] == pytest.approx([100 * share for share in chart.table["share"]])
    assert ">0 % (0)</text>" in chart.to_svg()
