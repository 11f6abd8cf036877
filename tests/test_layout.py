"""Printed output: width, colour, tables that do not fit, and the drawing of an interval."""

from __future__ import annotations

import re

import pytest

from rankscope import layout
from rankscope.layout import Block, Marked, Table, Toned, interval_bar, latex_table, markdown_table

WORDS = "the difference between the two systems is not shown on these topics and more topics are needed to show it"
TABLE = Table(
    ["system", "group", "nDCG@10"],
    [["a-system-with-a-very-long-name-that-goes-on-and-on", "abcdefghijklmnop", "0.5834"], ["b", "a", "0.1"]],
    left=2,
    optional=(1,),
)


@pytest.mark.parametrize("width", [60, 80, 120])
def test_no_line_is_wider_than_the_terminal(width):
    shown = layout.text(
        [Block("A question?", [WORDS * 3, TABLE, f"   {WORDS * 2}"], [WORDS])], width=width, explained=True
    )
    assert max(map(len, shown.splitlines())) <= width


def test_a_table_that_does_not_fit_loses_optional_columns_and_says_so():
    wide, narrow = (layout.text([Block("", [TABLE])], width=width) for width in (100, 60))
    assert "abcdefghijklmnop" in wide
    assert "…" not in wide
    assert "abcdefghijklmnop" not in narrow
    assert narrow.endswith("(no room for: group)")
    assert [line.split()[-1] for line in narrow.splitlines()[:3]] == ["nDCG@10", "0.5834", "0.1"]


def test_names_are_shortened_where_leaving_out_columns_is_not_enough():
    shown = layout.text([Block("", [Table(["system", "AP"], [["x" * 90, "0.25"]])])], width=60)
    assert max(map(len, shown.splitlines())) == 60
    assert "…" in shown
    assert shown.endswith("0.25")


def test_colour_is_escapes_around_the_same_text():
    block = Block("Would it hold?", [Toned("holds", "holds"), Table(["", "x"], [["a", Toned("weakens", "changes")]])])
    plain, coloured = (layout.text([block], colour=colour) for colour in (False, True))
    assert "\x1b" not in plain
    assert coloured.count("\x1b[0m") == 3
    assert layout.re.sub("\x1b\\[[0-9;]*m", "", coloured) == plain


def test_the_explanation_is_in_its_layer_alone():
    block = Block("A question?", ["an answer"], ["how to read it"])
    assert "how to read it" not in layout.text([block])
    assert layout.text([block], explained=True).endswith("\n  how to read it")


@pytest.mark.parametrize(("lower", "estimate", "upper"), [(-0.2, -0.1, 0.1), (0.1, 0.2, 0.3), (-3, -2, -1), (0, 0, 0)])
def test_an_interval_is_drawn_in_order(lower, estimate, upper):
    bar = layout.interval_bar(lower, estimate, upper, width=50)
    assert len(bar) == 50
    assert bar.count("●") == 1
    zero = bar.find("┿") if "┿" in bar else bar.find("│")
    if estimate:
        assert (zero < bar.index("●")) == (estimate > 0)
    if lower < 0 < upper:
        assert "┿" in bar
    elif lower != upper:
        assert "│" in bar
        assert bar.strip("│ ") == bar.strip("│ ").replace(" ", "")


@pytest.mark.parametrize(("lower", "upper"), [(1e-9, 0.5), (-0.5, -1e-9)])
def test_an_interval_close_to_zero_does_not_seem_to_hold_it(lower, upper):
    bar = layout.interval_bar(lower, (lower + upper) / 2, upper)
    assert "│" in bar
    assert "┿" not in bar


def test_a_table_without_header_and_words_in_its_last_column():
    table = Table([], [["tests", Toned("holds", "holds"), "3 of 3"], ["metrics", "weakens", WORDS]], left=2, prose=True)
    first, second, *more = layout.text([Block("Does it hold?", [table])], width=60).splitlines()[1:]
    assert first == "  tests    holds    3 of 3"
    assert second.startswith("  metrics  weakens  the difference")
    assert all(line.startswith(" " * 20) and len(line) <= 60 for line in more)
    assert layout.to_markdown([Block("", [table])]).splitlines()[:2] == ["|  |  |  |", "| --- | --- | --- |"]


def test_drawings_are_for_terminals_alone():
    block = Block("", [layout.Drawing("  │ ━●━ " * 30), "words"])
    assert "●" in layout.text([block], width=60)
    assert "●" not in layout.to_markdown([block]) + layout.to_html([block])


def test_html_shows_what_comes_from_outside():
    table = Table(["<i>"], [["<script>"]])
    shown = layout.to_html([Block("<b>", ["<u>", table], ["<s>"])], explained=True)
    assert re.findall(r"<(?:b|u|i|s|script)>", shown) == []
    assert "&lt;script&gt;" in shown


@pytest.mark.parametrize(("columns", "width"), [("20", 60), ("100", 100), ("400", 120)])
def test_width_of_the_terminal_within_bounds(monkeypatch, columns, width):
    monkeypatch.setenv("COLUMNS", columns)
    assert layout.terminal_width() == width


def test_letters_that_every_terminal_has():
    assert layout.ascii_only("━●│┿… †‡ ≥1").isascii()


def test_bars_on_a_common_scale_and_with_marks():
    assert interval_bar(0.25, 0.5, 0.75, width=9, scale=(0.0, 1.0), marks={}) == "  ━━●━━  "
    assert interval_bar(-0.5, 0.25, 1.0, width=9, scale=(-1.0, 1.0), marks={0.0: "│", -0.25: "┊"}) == "  ━┊┿●━━━"


def test_marks_stand_in_columns_of_their_own_in_latex():
    """Numbers are aligned whatever the marks are, and the best one is bold."""
    rows = [["a", Marked("0.51", "†", bold=True)], ["b", Marked("0.42")]]
    table = latex_table(["system", "AP"], rows, caption="Means.", label="tab:a b", comments=["AP|rel:1"], page=False)
    assert r"\textbf{0.51} & $^{\dagger}$ \\" in table
    assert r"b & 0.42 &  \\" in table
    assert r"system & \multicolumn{2}{c}{AP} \\" in table
    assert r"\begin{tabular}{@{}lr@{}l@{}}" in table
    assert r"\label{tab:a-b}" in table
    assert table.startswith("% AP|rel:1\n\\begin{table}\n\\centering\n")
    assert markdown_table(["system", "AP"], rows).splitlines()[2] == "| a | **0.51**† |"


def test_a_table_that_does_not_fit_says_so():
    wide = ["system", *(f"measure {i}" for i in range(12))]
    rows = [["a", *["0.1234"] * 12]]
    assert "pt wide, of 241" in latex_table(wide, rows, caption="x", page=False)
    assert "pt wide" not in latex_table(wide, rows, caption="x", page=True)
    assert r"\begin{table*}" in latex_table(wide, rows, caption="x", page=True)
