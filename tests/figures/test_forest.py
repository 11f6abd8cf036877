"""Forest plots: what each row says, and that 0 is on the axis."""

import pytest

from rankscope import InputError
from rankscope.figures.chart import drawn
from rankscope.figures.forest import Row, forest, forest_sheet
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
    assert table["outcome"] == [None, "B ahead", "A ahead", None, "undecided", None, None, "undecided"]


def test_numbers_and_zero():
    svg = chart(ROWS[:1]).to_svg()
    assert "0.0500 [0.0100, 0.0900]" in svg
    assert ">0.00</text>" in svg  # although all lies above it
    assert minus("B - A, AP") == "B \N{MINUS SIGN} A, AP"
    assert minus("B - A, AP") in svg
    assert minus("-0.0200 [-0.0300, -0.0100]") in chart(ROWS[1:2]).to_svg()


def test_an_interval_that_is_not_known():
    svg = chart([ROWS[0], Row("same on all topics", 0.1, float("nan"), float("nan"), outcome="B ahead")]).to_svg()
    assert ">0.1000 </text>" in svg or ">0.1000</text>" in svg
    assert "nan" not in svg.lower()


@pytest.mark.parametrize(("ends", "least", "ticks"), [
    ((-0.5471, 0.5698), 2, [-0.5, 0.0, 0.5]), ((0.01, 0.07), 2, [0.0, 0.05]), ((-0.01, 0.06), 2, [0.0, 0.05]),
    ((-0.02, 0.06), 2, [-0.02, 0.0, 0.04]),
    ((-0.02, 0.06), 3, [-0.02, 0.0, 0.04]), ((), 3, [0.0, 0.5, 1.0]),
    ((-1e300, float("nan")), 2, [-1e300, 0.0]),
])  # fmt: skip
def test_zero_and_another_number_have_labels(ends, least, ticks):
    assert signed(ends, "", least)["axis"]["values"] == ticks


def test_nothing_to_draw():
    with pytest.raises(InputError, match="no estimates"):
        forest_sheet([], title="", x="")
