"""Figures of two systems: lines that hide nothing, captions that say what is drawn."""

from dataclasses import replace

import numpy as np
from drawings import EVERY, LOOKS, QUIET

from rankscope import studies, universe
from rankscope.comparisons import Comparison, JudgeNext
from rankscope.figures import LIGHT
from rankscope.figures.chart import drawn
from rankscope.figures.strips import SAME
from rankscope.figures.two_systems import NEAR, dominance_sheet
from rankscope.preferences import Dominance


def lines_of_the_mean(comparison, mean):
    chart = replace(comparison, effect=replace(comparison.effect, difference=mean)).plot("differences")
    layers = chart.spec["vconcat"][0]["layer"] if "vconcat" in chart.spec else chart.spec["layer"]
    return [layer["mark"] for layer in layers if layer["encoding"].get("y", {}).get("field") == "mean"]


def test_the_line_of_a_mean_close_to_0_hides_no_bars(results):
    """Elsewhere the line has an outline, so that it is seen on bars of any colour."""
    comparison = results[Comparison]
    wide = np.ptp([0.0, *comparison.plot("differences").table["difference"]])
    outline, line = lines_of_the_mean(comparison, 1.5 * NEAR * wide)
    assert (outline["color"], line["color"]) == (LIGHT.ground, LIGHT.ink)
    (thin,) = lines_of_the_mean(comparison, 0.5 * NEAR * wide)
    assert thin["strokeWidth"] < line["strokeWidth"]


def test_dominance_says_when_two_bands_are_one(results):
    tested = results[Dominance]
    assert (
        "the inner one at each rank by itself, the outer one at all ranks at once" in dominance_sheet(tested).subtitle
    )
    alike = dominance_sheet(replace(tested, lower_all=tested.lower, upper_all=tested.upper)).subtitle
    assert "inner" not in alike
    assert "the one at each rank by itself and the one at all ranks at once are the same here" in alike


def test_the_legend_of_dominance_shows_the_points(results):
    """Circles with a line around them, not squares."""
    layer = next(layer for layer in results[Dominance].plot().spec["layer"] if "color" in layer["encoding"])
    legend = layer["encoding"]["color"]["legend"]
    assert (legend["symbolType"], legend["symbolStrokeColor"]) == ("circle", LIGHT.ink)


def test_a_small_probability_is_not_rounded_up():
    assert universe.tie_curve(50_000, (10, 250), range(1, 50)).plot().title.endswith(": probability 0.005 for m = 250")


def test_a_difference_of_systems_has_no_hyphen(results):
    caption = results[JudgeNext].plot("doubt").caption
    assert " minus " in caption
    assert " - " not in caption


@QUIET
def test_names_over_narrow_bars_stand_apart(judged):
    found = studies.agreement(judged, ["RR", "P", "RBP(p=0.5)", "RBP(p=0.8)", "AP", "nDCG"], depths=[5, 10, 20, 50],
                              workers=1)  # fmt: skip
    wide, narrow = (found.plot("bars", narrow=one).spec["facet"]["column"]["header"] for one in (False, True))
    assert "labelAngle" not in wide
    assert "labelAngle" not in narrow  # two long names leave no empty band over the others
    assert '["RBP","(p=0.5)"]' in narrow["labelExpr"]
    svg = found.plot("bars", narrow=True).to_svg()
    assert svg.count(">(p=0.5)<") == svg.count(">(p=0.8)<") == 1


@LOOKS
def test_a_difference_printed_as_0_has_no_tint(look, results):
    for narrow in (False, True):  # the same cell has the same class in both
        panel = results[Comparison].plot("strips", theme=look.name, narrow=narrow).spec["hconcat"][-1]
        scale = panel["layer"][0]["encoding"]["color"]["scale"]
        colours = dict(zip(scale["domain"], scale["range"], strict=True))
        tints = {"A scores higher": look.a_faint, "B scores higher": look.b_faint, SAME: look.ground}
        for row in panel["data"]["values"]:
            assert colours[row["printed"]] == tints[row["printed"]]
            assert (row["printed"] == SAME) == (abs(row["difference"]) < 0.005)
    # a class that only numbers have is not in the legend
    figure = next(one for one in EVERY if one.of is Comparison and one.name == "strips")
    sheet = figure.sheet(results[Comparison])
    ahead = ["B ahead" if word == "equal" else word for word in sheet.columns["outcome"]]
    sheet = replace(sheet, columns={**sheet.columns, "outcome": ahead})
    assert "equal" in sheet.more["differences"]["outcome"]
    for narrow in (False, True):
        svg = drawn("strips", sheet, figure.drawing, look.name, narrow=narrow).to_svg()
        assert ">equal</text>" not in svg
        assert all(f">{word}</text>" in svg for word in sheet.more["differences"]["printed"])


def test_points_of_dominance_say_what_is_significant(results):
    tested = results[Dominance]
    p = np.where(tested.ranks < 3, 0.02, 0.03)
    outcome = replace(tested, pvalues=p).plot().table["outcome"]
    assert [word.endswith(", significant") for word in outcome] == [rank < 3 for rank in tested.ranks]
    svg = replace(tested, pvalues=p).plot().to_svg()
    assert ">B ahead, significant</text>" in svg
    assert ">B ahead, not significant</text>" in svg


def test_small_probabilities_of_differences_are_no_notation_of_programs(results):
    found = results[Comparison]
    caption = replace(found, effect=replace(found.effect, pvalue=1.6e-6)).plot("differences").caption
    assert (
        ", p < 0.0001 (Student's paired t; one planned pair of 28, not corrected)\nB higher on " in caption
    )  # on a line of its own, which is never broken


def test_the_interval_of_differences_is_beside_the_bars(results):
    bars = results[Comparison].plot("differences").spec["vconcat"][0]["layer"]
    assert bars[-1]["encoding"]["x"] == {"value": "width"}
    assert (bars[-3]["mark"]["color"], bars[-2]["mark"]["strokeDash"]) == (LIGHT.ground, [5, 3])
