"""Effectiveness against cost: who is beaten, and what is refused."""

import re
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

import rankscope as rs
from rankscope.figures import LIGHT
from rankscope.figures.costs import BEATEN, FRONT
from rankscope.measures.scores import Scores


def test_systems_that_are_the_best_for_what_they_cost(results):
    scores = results[Scores]
    table = scores.plot("cost", cost=dict.fromkeys(scores.systems, 2.0)).table
    assert table["mean"] == sorted(table["mean"], reverse=True)
    assert table["standing"] == [FRONT, *[BEATEN] * 7]  # of equal cost, the best alone
    cheaper = {name: 8.0 - i for i, name in enumerate(table["system"])}
    chart = scores.plot("cost", cost=cheaper, unit="euros")
    assert set(chart.table["standing"]) == {FRONT}
    assert chart.title == ("8 of 8 systems have no cheaper or equally cheap system that scores higher in mean nDCG@10")
    dearer = {name: 1.0 + i for i, name in enumerate(table["system"])}
    best = scores.plot("cost", cost=dearer)
    assert best.title == f"{table['system'][0]} has the highest mean nDCG@10 and the lowest cost"


def test_few_systems_are_all_named_by_dotted_lines(results):
    scores = results[Scores]
    table = scores.plot("cost", cost=dict.fromkeys(scores.systems, 1.0)).table
    dearer = {name: 1.0 + 100 * i for i, name in enumerate(table["system"])}  # all but the best are beaten
    chart = scores.plot("cost", cost=dearer, unit="euros")
    svg = chart.to_svg()
    assert all(f">{name}</text>" in svg for name in scores.systems)
    assert ">euros (logarithmic scale)</text>" in svg
    rules = [part["mark"] for part in chart.spec["layer"] if part["mark"].get("type") == "rule"]
    assert len(rules) == 8
    assert all(rule["strokeDash"] == [1, 3] for rule in rules)
    points = re.findall(r'<path [^>]*aria-roledescription="point"[^>]*>', svg)
    assert len(points) == 8
    strokes, fills = (
        Counter(found[1] for one in points if (found := re.search(rf' {kind}="([^"]+)"', one)))
        for kind in ("stroke", "fill")
    )
    assert strokes == {LIGHT.ink: 1, LIGHT.faint: 7}
    assert fills == {LIGHT.ink: 1}  # the others are rings, through which others are seen
    assert chart.spec["data"]["values"][-1]["standing"] == FRONT  # drawn last


def test_systems_in_one_place_are_counted(results):
    scores = results[Scores]
    table = scores.plot("cost", cost=dict.fromkeys(scores.systems, 1.0)).table
    apart = dict(zip(table["system"], range(1, 9), strict=True))
    assert "look like one" not in scores.plot("cost", cost=apart).caption
    first, second = scores.at("nDCG@10"), np.array(scores.value)
    second[first, 1] = second[first, 0]
    twins = replace(scores, value=second).plot("cost", cost={**apart, scores.systems[1]: apart[scores.systems[0]]})
    assert "; 2 points are so close to another that both look like one" in twins.caption


def test_costs_of_some_systems(results):
    scores = results[Scores]
    two = dict.fromkeys(scores.systems[:2], 1.0)
    assert "6 systems without a known cost" in scores.plot("cost", cost=two).caption
    with pytest.raises(rs.InputError, match="no system has a known cost"):
        scores.plot("cost")
    with pytest.raises(rs.InputError, match="finite numbers"):
        scores.plot("cost", cost={scores.systems[0]: float("nan")})


@pytest.mark.parametrize("spread", [1.0, 5000.0])  # a plain scale, and one of magnitudes
def test_every_system_that_is_not_beaten_is_named(spread, results):
    scores = results[Scores]
    table = scores.plot("cost", cost=dict.fromkeys(scores.systems, 1.0)).table
    cost = {name: 1.0 + spread * (7 - i) for i, name in enumerate(table["system"])}
    chart = scores.plot("cost", cost=cost)
    svg = chart.to_svg()
    assert all(f">{name}</text>" in svg for name in scores.systems)
    names = [part for part in chart.spec["layer"] if part["mark"].get("type") == "text"]
    heights = [part["encoding"]["y"]["value"] for part in names]
    assert heights == sorted(heights, reverse=True)  # the best first: the cheapest is highest
    assert max(heights) < chart.spec["layer"][0]["encoding"]["y"]["scale"]["range"][1]  # above the plot
