"""Figures of scores say what the scores are."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from drawings import EVERY, FEW, LOOKS, QUIET, least_letters, width

import rankscope as rs
from rankscope import figures
from rankscope.comparisons import Comparison
from rankscope.comparisons.scored import scored
from rankscope.figures import LIGHT
from rankscope.figures.chart import drawn
from rankscope.figures.scores import CELLS, DOTS, MOST_CELLS, PADDING, SIDE, _highest, _pointed, _span
from rankscope.figures.two_systems import DRAWN
from rankscope.measures.bounding.result import BoundMeans
from rankscope.measures.scores import Scores

pytestmark = QUIET


@pytest.fixture(scope="module")
def scores(results):
    return results[Scores]


def evaluated(n_systems, n_topics, grades=(0, 1)):
    """Scores as `evaluate` makes them, of short lists."""
    generator = np.random.default_rng(7)
    topics = [f"t{i}" for i in range(n_topics)]
    qrels = {
        t: {f"d{i}": int(generator.integers(grades[0], grades[1] + 1)) for i in range(5)} | {"d9": 1} for t in topics
    }
    runs = {
        f"system-{s}": {t: {f"d{i}": float(g) for i, g in enumerate(generator.random(5))} for t in topics}
        for s in range(n_systems)
    }
    return rs.evaluate(rs.load(qrels, runs), ["nDCG@3", "P@3", "Judged@3", "IPrec@0", "IPrec@1"])


# two systems


def test_scatter_holds_both_scores_of_each_topic(scores):
    pair = ("lexical-3", "hybrid-1")
    chart = scores.plot("scatter", systems=pair)
    by_system = scores.to_dict()
    rows = dict(zip(chart.table["topic"], zip(chart.table["a"], chart.table["b"], strict=True), strict=True))
    assert len(rows) == 49
    for topic, point in rows.items():
        assert point == pytest.approx([by_system[name][topic]["nDCG@10"] for name in pair], rel=1e-12)
    counts = Counter(chart.table["outcome"])
    assert f"on {counts['B ahead']} of 49 topics, lower on {counts['A ahead']}" in chart.title
    assert chart.title.startswith("hybrid-1 (B) is higher than lexical-3 (A)")
    turned = scores.plot("scatter", systems=pair[::-1])
    assert turned.title.startswith("hybrid-1 (A) is higher than lexical-3 (B)")


def test_scatter_is_of_the_two_best_unless_others_are_named(scores):
    mean = dict(zip(scores.systems, scores.mean().value[scores.at("AP")], strict=True))
    best = sorted(mean, key=mean.get)[-2:]
    sheet = figures.figure_of(scores, "scatter").sheet(scores, measure="AP")
    assert all(f"{name} ({letter})" in sheet.title for letter, name in zip("AB", best, strict=True))


def test_scatter_of_a_comparison_has_its_numbers(results):
    found = results[Comparison]
    chart = found.plot("scatter")
    assert sorted(chart.table["difference"]) == pytest.approx(sorted(found.columns()["difference"]))
    e = found.effect
    assert f"on {e.won} of {e.n_topics} topics, lower on {e.lost}" in chart.title
    assert f"[{e.lower:.4f}, {e.upper:.4f}]" in chart.caption


def test_topics_with_the_same_scores_are_one_point():
    scores = evaluated(2, 300)
    chart = scores.plot("scatter", measure="P@3")
    values = Counter(map(tuple, np.round(scores.of("P@3").T, 9).tolist()))
    shown = dict(zip(zip(np.round(chart.table["a"], 9), np.round(chart.table["b"], 9), strict=True),
                     chart.table["topics"], strict=True))  # fmt: skip
    turned = {key[::-1]: count for key, count in values.items()}
    assert shown in (dict(values), turned)  # which of the two is the best is A or B
    assert sum(chart.table["topics"]) == 300
    most = max(chart.table["topics"])
    assert f"; area of a point: its number of topics, 1 to {most}; " in chart.caption.replace(
        " (one size for 1 to 1)", ""
    )
    assert "one point per topic, or for several in one place; " in chart.caption
    size = next(layer["encoding"]["size"] for layer in chart.spec["layer"] if "size" in layer["encoding"])
    assert size["legend"]["values"][0] == 1
    assert size["legend"]["values"][-1] == most
    (first, last), (least, largest) = size["scale"]["domain"], size["scale"]["range"]
    assert least / first == pytest.approx(largest / last)
    assert any(topic.endswith(" more") for topic in chart.table["topic"])


def points_of(*rows):
    return [{"a": a, "b": b, "difference": b - a, "topics": n, "topic": topic} for a, b, n, topic in rows]


def test_names_of_points_cover_nothing():
    rows = points_of((0.0, 0.9, 1, "401"), (0.9, 0.1, 2, "7, 8"), (0.15, 0.85, 5, "1, 2, 3 and 2 more"),
                     (0.5, 0.5, 1, "9"), (0.3, 0.35, 1, "10"))  # fmt: skip
    named = [(name, at["align"], at.get("dy", 0)) for _, name, at in _pointed(rows, 0.0, 1.0)]
    # to the other side at the left edge, or where another point is near; several topics have a name, too; not over the
    # diagonal
    assert named == [("401", "left", 0), ("7, 8", "left", 0), ("5 topics", "left", 0), ("10", "right", 0)]
    # above or below where another point is beside
    above = points_of((0.0, 0.9, 1, "401"), (0.08, 0.9, 1, "402"))
    assert _pointed(above, 0.0, 1.0)[0][2]["dy"] != 0


def test_a_name_is_clearly_nearest_to_its_own_point():
    """Two points one above the other: a name between both could be of either."""
    close = points_of((0.2, 0.9, 1, "1182"), (0.25, 0.93, 1, "1137"), (0.9, 0.5, 1, "7"))
    scale = SIDE - 2 * PADDING
    for row, _, at in _pointed(close, 0.0, 1.0):
        x, y = (PADDING + scale * row[side] for side in "ab")
        start = x + at.get("dx", 0) - (24 if at["align"] == "right" else 12 if at["align"] == "center" else 0)
        gaps = {}
        for other in close:
            there = [PADDING + scale * other[side] for side in "ab"]
            beside = max(start - there[0], 0, there[0] - start - 24)
            gaps[other["topic"]] = max(beside, abs(y - at.get("dy", 0) - there[1]) - 6, 0)
        assert min(gaps, key=gaps.get) == row["topic"]


def test_no_topic_is_named_where_one_that_differs_more_has_no_name():
    crowd = [(x / 100, 0.9 + y / 100, 1, "12345678") for x in range(0, 40, 2) for y in range(-10, 10, 2)]
    rows = points_of((0.2, 1.0, 1, "12345678"), *crowd, (0.9, 0.5, 1, "far"))
    named = [name for _, name, _ in _pointed(rows, 0.0, 1.0)]
    assert "far" not in named
    alike = points_of(*((0.1 * i, 0.1 * i + 0.3, 1, str(i)) for i in range(6)))
    assert _pointed(alike, 0.0, 1.0) == []  # which four of these six?


def test_both_axes_of_a_scatter_plot_have_the_range_of_the_scores():
    assert _span([0.7, 0.9, 1.0]) == (0.7, 1.0)
    assert _span([0.1, 0.9]) == (0.0, 0.9)
    assert _span([-0.2, 0.9]) == (-0.2, 0.9)
    assert _span([0.5]) == (0.0, 0.5)


@pytest.mark.parametrize("systems", ["lexical-3", ["lexical-3"], ["lexical-3", "hybrid-1", "hybrid-2"]])
def test_scatter_needs_two_systems(scores, systems):
    with pytest.raises(rs.InputError, match="systems"):
        scores.plot("scatter", systems=systems)
    with pytest.raises(rs.InputError, match="did you mean hybrid-1"):
        scores.plot("scatter", systems=["lexical-3", "hybird-1"])
    with pytest.raises(rs.InputError, match="alone"):
        evaluated(1, 3).plot("scatter")


# distributions


def test_distributions(scores):
    chart = scores.plot("distributions", measure="AP")
    of = scores.of("AP")
    complete = of[:, ~np.isnan(of).any(axis=0)]
    boxes = chart.sheet.more["boxes"]
    assert boxes["mean"] == sorted(boxes["mean"], reverse=True)
    for i, name in enumerate(boxes["system"]):
        value = complete[scores.systems.index(name)]
        ends = [np.mean(value), *np.percentile(value, [25, 50, 75]), value.min(), value.max()]
        assert [boxes[key][i] for key in list(boxes)[1:]] == pytest.approx(ends)
        here = [j for j, system in enumerate(chart.table["system"]) if system == name]
        drawn = [chart.table["score"][j] for j in here for _ in range(chart.table["topics"][j])]
        assert drawn == pytest.approx(sorted(value))
    assert boxes["median"].index(max(boxes["median"])) == 0
    assert chart.title == f"{boxes['system'][0]} has the highest mean AP(rel=1) and the highest median"


def test_distributions_of_the_best(scores):
    chart = scores.plot("distributions", top=3)
    assert len(chart.sheet.more["boxes"]["system"]) == 3
    assert chart.caption.startswith("the best 3 of 8 systems; ")
    assert chart.title.endswith(" of these 3 systems")
    heights = [row["height"] for row in chart.spec["layer"][1]["data"]["values"]]
    assert len(set(heights)) == 64  # dense points do not merge
    with pytest.raises(rs.InputError, match="top"):
        scores.plot("distributions", top=0)


def test_a_lead_that_is_shared_is_said_to_be():
    qrels = {t: {"a": 1, "b": 0} for t in "xyz"}
    run = {t: {"a": 2.0, "b": 1.0} for t in "xyz"}
    chart = rs.evaluate(rs.load(qrels, {"one": run, "two": run}), "RR").plot("distributions")
    assert chart.title == "one and two share the highest mean RR and the highest median"
    assert chart.to_svg().startswith("<svg")


def test_a_lead_that_is_not_printed_is_none():
    """A winner is named alone only where no other number reads the same to four decimals."""
    table = scored(evaluated(3, 4), "nDCG@3")

    def title(*means):
        boxes = {"system": ["x", "y", "z"], "mean": list(means), "median": [0.3, 0.2, 0.1]}
        return _highest(replace(table, measure="AP"), boxes, False)

    assert title(0.50001, 0.50004, 0.1) == (
        "x and y share the highest mean AP (0.5000 to four decimals), x the highest median"
    )
    assert title(0.5, 0.5, 0.1) == "x and y share the highest mean AP, x the highest median"
    assert title(0.5, 0.4999, 0.1) == "x has the highest mean AP and the highest median"


# the map


def test_heat_map_is_sorted_both_ways(scores):
    chart = scores.plot("heat map")
    of = scores.of("nDCG@10")
    complete = of[:, ~np.isnan(of).any(axis=0)]
    table = np.zeros(complete.shape)
    for place, column, value in zip(*(chart.table[key] for key in ("place", "column", "score")), strict=True):
        table[place - 1, column - 1] = value
    assert (np.diff(table.mean(axis=1)) <= 1e-12).all()
    assert (np.diff(table.mean(axis=0)) >= -1e-12).all()
    assert sorted(table.ravel()) == pytest.approx(sorted(complete.ravel()))
    total = ((table - table.mean()) ** 2).sum()
    topics = ((table.mean(axis=0) - table.mean()) ** 2).sum() * len(table) / total
    systems = ((table.mean(axis=1) - table.mean()) ** 2).sum() * table.shape[1] / total
    assert chart.title == (
        f"Topics account for {100 * topics:.0f} % of the variation of nDCG@10, systems for {100 * systems:.0f} %"
    )

    frame = chart.spec["layer"][-1]  # over the cells, of which the lowest have the colour of the ground
    assert (frame["mark"]["filled"], frame["encoding"]["x2"]) == (False, {"value": "width"})


# sizes


@pytest.mark.parametrize(("n_systems", "n_topics"), [(1, 2), (2, 2), (60, 30), (260, 60), (3, 3000)])
def test_every_size_fits_a_column(n_systems, n_topics):
    scores = evaluated(n_systems, n_topics)
    for name in figures.names(scores):
        if n_systems == 1 and name in ("scatter", "ranks"):
            with pytest.raises(rs.InputError):
                scores.plot(name)
            continue
        svg = scores.plot(name).to_svg()
        assert width(svg) <= 482, name
        assert least_letters(svg) >= 6, name
        assert len(svg) < 6_000_000, name


def test_many_topics_are_thinned_and_it_is_said():
    scores = evaluated(3, 3000, (0, 40))
    points = scores.plot("scatter")
    assert len(points.table["a"]) == DRAWN
    assert f"; {DRAWN:,} of " in points.caption
    dots = scores.plot("distributions")
    assert sum(dots.table["topics"]) == 3 * DOTS
    assert f"3,000 topics, points: {DOTS} of them for each system, evenly spaced by score" in dots.caption
    assert "one point per topic" not in dots.caption
    cells = scores.plot("heat map")
    assert len(cells.table["score"]) == 3 * CELLS
    assert f"3,000 topics in {CELLS} columns: a cell is a mean of topics" in cells.caption
    assert len(evaluated(260, 100).plot("heat map").table["score"]) <= MOST_CELLS


def test_minus_signs_are_minus_signs(judged):
    found = rs.compare(judged, "hybrid-1", "lexical-3", measure="nDCG@10", resampling=FEW, workers=1)
    svg = found.plot("scatter").to_svg()
    assert found.effect.difference < 0
    assert f"\N{MINUS SIGN}{abs(found.effect.difference):.4f}" in svg
    assert f"-{abs(found.effect.difference):.4f}" not in svg
    assert "lexical-3" in svg


def test_points_of_topics_are_not_below_the_bars_of_means(results):
    spec = results[Comparison].plot("attribute").spec
    marks = [layer["mark"] for layer in spec["layer"]]
    points = next(i for i, mark in enumerate(marks) if mark["type"] == "point")
    assert len(spec["data"]["values"]) <= 200
    assert points == len(marks) - 1
    assert all(mark.get("color") != LIGHT.ground for mark in marks)  # a seam would hide points, too


def test_bars_of_means_hide_no_point_of_many(results):
    figure = next(one for one in EVERY if one.name == "attribute")
    sheet = figure.sheet(results[Comparison])
    many = 1 + 200 // len(sheet.columns["topic"])
    sheet = replace(
        sheet, columns={name: [v for v in column for _ in range(many)] for name, column in sheet.columns.items()}
    )
    cloud, means = drawn("x", sheet, figure.drawing, "light").spec["vconcat"]
    assert [part["mark"]["type"] for part in cloud["layer"]] == ["rule", "point"]
    assert [part["mark"]["type"] for part in means["layer"]] == ["rule"] * 5
    assert cloud["layer"][1]["encoding"]["x"]["scale"] == means["layer"][1]["encoding"]["x"]["scale"]


def test_large_points_are_drawn_below_small_ones_and_equal_scores_on_top():
    topics = [f"q{t}" for t in range(12)]
    # b is first, as in the other system, second, or third
    runs = {"x": {t: {"a": 1.0, "b": 2.0, "c": 0.5} for t in topics},
            "y": {t: {"a": 1.0, "b": (2.0, 0.7, 0.7, 0.2)[i % 4], "c": 0.5} for i, t in enumerate(topics)}}  # fmt: skip
    scores = rs.evaluate(rs.load({t: {"b": 1} for t in topics}, runs), "RR")
    spec = scores.plot("scatter").spec
    assert "order" not in spec["layer"][1]["encoding"]  # they are drawn in the order of the data
    drawn_as = [(row["outcome"] == "equal", -row["topics"]) for row in spec["data"]["values"]]
    assert drawn_as == sorted(drawn_as)
    assert drawn_as == [(False, -6), (False, -3), (True, -3)]


@LOOKS
def test_a_mean_is_told_from_points_in_grey(look, results):
    def light(colour):
        red, green, blue = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
        return 0.299 * red + 0.587 * green + 0.114 * blue

    layer = results[Scores].plot("distributions", theme=look.name).spec["layer"]
    box, points, mean = (layer[i]["mark"] for i in (0, 1, 3))
    assert mean["shape"] == "diamond"
    point = points["opacity"] * light(points["color"]) + (1 - points["opacity"]) * light(box["color"])
    assert abs(light(mean["color"]) - point) >= 0.3
    assert abs(light(mean["stroke"]) - light(mean["color"])) >= 0.8


def test_the_area_of_a_point_grows_with_its_topics(results):
    figure = next(one for one in EVERY if one.of is Comparison and one.name == "scatter")
    sheet = figure.sheet(results[Comparison])
    for most, first, least, largest in ((2, 1, 55, 110), (5, 1, 55, 275), (300, 9, 18, 600)):
        topics = [most, *(1 for _ in sheet.columns["topics"][1:])]
        spec = drawn("x", replace(sheet, columns={**sheet.columns, "topics": topics}), figure.drawing, "light").spec
        scale = spec["layer"][1]["encoding"]["size"]["scale"]
        assert (scale["domain"], scale["range"]) == ([first, most], [least, largest])
        assert least / first == pytest.approx(largest / most)


def test_short_bars_are_not_hidden_by_marks_of_means(results):
    bar, mean, _ = results[BoundMeans].plot().spec["layer"]
    assert mean["mark"]["shape"] == "triangle-down"
    half = mean["mark"]["size"] ** 0.5 / 2  # it stands above the bar
    assert mean["mark"]["yOffset"] + half <= 0.5 - bar["mark"]["strokeWidth"] / 2
