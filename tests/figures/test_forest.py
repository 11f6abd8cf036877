"""Forest plots: what each row says, and that 0 is on the axis."""

from dataclasses import replace

import pytest

import rankscope as rs
from rankscope import InputError
from rankscope.comparisons import Comparison, Gate
from rankscope.comparisons.slices import Slices
from rankscope.figures import DARK, LIGHT
from rankscope.figures.chart import drawn
from rankscope.figures.forest import SHAPED, Row, forest, forest_sheet
from rankscope.figures.vega import signed
from rankscope.formatting import minus

ROWS = [
    Row("robust", 0.05, 0.01, 0.09, "news"),
    Row("trec8", -0.02, -0.03, -0.01, "news"),
    Row("covid", 0.01, -0.02, 0.04, "science"),
    Row("bounds", None, -0.2, 0.3, "science"),
    Row("all", 0.02, 0.0, 0.04, "together", summary=True),
]


def chart(rows):
    return drawn("forest", forest_sheet(rows, title="Three collections", x="B - A, AP"), forest, "light")


def test_rows_and_headings():
    table = chart(ROWS).table
    assert table["name"] == ["news", "robust", "trec8", "science", "covid", "bounds", "together", "all"]
    assert table["place"] == list(range(1, 9))
    # an interval that ends at 0 does not leave 0 out
    neither = "no difference shown"
    assert table["outcome"] == [None, "B ahead", "A ahead", None, neither, None, None, neither]


def test_numbers_and_zero():
    svg = chart(ROWS[:1]).to_svg()
    assert "0.0500 [0.0100, 0.0900]" in svg
    assert ">0</text>" in svg  # although all lies above it
    assert minus("B - A, AP") == "B \N{MINUS SIGN} A, AP"
    assert minus("B - A, AP") in svg
    assert minus("-0.0200 [-0.0300, -0.0100]") in chart(ROWS[1:2]).to_svg()


def test_an_interval_that_is_not_known():
    svg = chart([ROWS[0], Row("same on all topics", 0.1, float("nan"), float("nan"), outcome="B ahead")]).to_svg()
    assert ">0.1000 </text>" in svg or ">0.1000</text>" in svg
    assert "nan" not in svg.lower()


@pytest.mark.parametrize(("ends", "least", "ticks"), [
    ((-0.5471, 0.5698), 2, [-0.5, 0.0, 0.5]), ((0.01, 0.07), 2, [0.0, 0.05]), ((-0.01, 0.06), 2, [0.0, 0.05]),
    ((-0.02, 0.06), 2, [-0.02, 0.0, 0.02, 0.04, 0.06]),
    ((-0.02, 0.06), 3, [-0.02, 0.0, 0.02, 0.04, 0.06]), ((), 3, [0.0, 0.5, 1.0]),
    ((-1e300, float("nan")), 2, [-1e300, 0.0]),
])  # fmt: skip
def test_zero_and_another_number_have_labels(ends, least, ticks):
    assert signed(ends, "", least)["axis"]["values"] == ticks


def test_nothing_to_draw():
    with pytest.raises(InputError, match="no estimates"):
        forest_sheet([], title="", x="")


@pytest.mark.parametrize("look", [LIGHT, DARK], ids=lambda look: look.name)
@pytest.mark.parametrize("narrow", [False, True])
def test_marks_of_a_gate_say_its_outcomes(look, narrow, results):
    """Not whether intervals contain 0; each outcome has a shape, since tones are alike in grey."""
    gate = results[Gate]
    words = [check.outcome for check in (*gate.checks, gate.also[0].checks[0])]
    assert len(set(words)) > 1
    chart = gate.plot("checks", theme=look.name, narrow=narrow)
    assert chart.table["outcome"] == words
    points = next(part for part in chart.spec["layer"] if "color" in part.get("encoding", {}))["encoding"]
    colours = dict(zip(("pass", "regression", "inconclusive"), look.tones, strict=True))
    domain = points["color"]["scale"]["domain"]
    assert set(domain) == set(words)
    assert points["color"]["scale"]["range"] == [colours[word] for word in domain]
    assert points["shape"]["scale"]["domain"] == domain
    assert len(set(points["shape"]["scale"]["range"])) == len(domain)
    svg = chart.to_svg()
    assert all(svg.count(f">{word}</text>") == 1 for word in domain)  # one legend of colours and shapes
    assert ">undecided</text>" not in svg


def test_shapes_of_a_gate_can_be_told_apart_on_short_intervals(results):
    gate = results[Gate]
    first, *others = gate.checks
    short = replace(first, effect=replace(first.effect, lower=first.effect.difference - 1e-6,
                                          upper=first.effect.difference + 1e-6))  # fmt: skip
    for checks in (gate.checks, (short, *others)):
        chart = replace(gate, checks=checks).plot("checks")
        data = chart.spec["data"]["values"]
        assert min(row["size"] for row in data) >= 3.14 * SHAPED**2 / 4


def test_the_row_of_another_measure_is_explained(results):
    gate = results[Gate]
    assert gate.plot("checks").caption.endswith("\nAP(rel=1), over all topics together: not part of the verdict")
    deciding = replace(gate, all_decide=True).plot("checks").caption
    assert deciding.endswith("\nAP(rel=1), over all topics together: counts for the verdict, too")
    assert "decide" not in replace(gate, also=()).plot("checks").caption


def test_a_forest_names_systems_measure_and_interval(results):
    result = results[rs.comparisons.Across]
    average = result.average
    chart = result.plot()
    assert all(name in chart.title for name in ("nDCG@10", "3 collections", "95 % interval ["))
    none = replace(result, claims=tuple(replace(claim, verdict=0) for claim in result.claims)).plot()
    assert none.title.startswith("Neither lexical-3 nor hybrid-1 is shown to be better in nDCG@10 on average over 3 ")
    assert f"{average.difference:.4f}" in none.title
    point = next(part["mark"] for part in chart.spec["layer"] if part["mark"]["type"] == "point")
    assert point["size"] <= 25  # it hides no short interval


def test_wide_bounds_leave_intervals_their_room():
    rows = [Row("as it is", 0.026, 0.017, 0.035), Row("bounds", None, -0.51, 0.53)]
    sheet = forest_sheet(rows, title="x", x="B - A", subtitle="y")
    assert sheet.subtitle.endswith("; arrows: on to the number at the right, beyond the axis")
    spec = drawn("x", sheet, forest, "light").spec
    row = spec["data"]["values"][1]
    assert (row["drawn_lower"], row["drawn_upper"]) == pytest.approx((-0.0175, 0.0525))
    assert row["numbers"] == "[\N{MINUS SIGN}0.5100, 0.5300]"
    assert "L" in row["lower_shape"] != row["upper_shape"]
    assert "arrows" not in forest_sheet([rows[0], Row("bounds", None, 0.01, 0.04)], title="x", x="x").subtitle


def test_points_of_forest_plots_leave_their_intervals_to_be_seen():
    """All points have one area: several would be taken for weights."""
    rows = [Row("long", 0.2, 0.0, 0.4), Row("short", 0.02, 0.018, 0.022), Row("all", 0.02, 0.018, 0.022, summary=True),
            Row("without spread", 0.1, 0.1, 0.1), Row("unknown", 0.1, float("nan"), float("nan"))]  # fmt: skip

    def areas(*rows):
        return [row["size"] for row in drawn("x", forest_sheet(rows, title="x", x="B - A"), forest, "light").spec[
            "data"]["values"]]  # fmt: skip

    assert 15 < areas(*rows)[0] < 17
    assert len(set(areas(*rows))) == 1
    assert min(areas(rows[0], *rows[3:])) > 50


def test_captions_of_choices_say_what_dashes_are(results):
    found = results[Comparison]
    for exact, words in (
        (True, "last row: from the lowest to the highest value with other grades of unjudged documents"),
        (False, "last row: no grades of unjudged documents give a value outside; "),
    ):
        chart = replace(found, unjudged=replace(found.unjudged, exact=exact)).plot("choices")
        assert f"; bars: 95 % intervals\n{words}" in chart.caption


def test_axes_of_forest_plots_name_their_measures(results):
    assert results[Comparison].plot("slices").sheet.words["x"] == "B - A, nDCG@10"
    assert results[Gate].plot("checks").sheet.words["x"] == "B - A, nDCG@10; last row: AP(rel=1)"


def test_ahead_is_defined_where_it_occurs(results):
    groups = results[Slices]
    for verdict in (0, 1):
        parts = tuple(replace(part, verdict=verdict) for part in groups.slices)
        assert ("; ahead: p below " in replace(groups, slices=parts).plot().caption) == bool(verdict)
