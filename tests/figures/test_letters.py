"""Texts have the widths they were drawn for, whatever font there is."""

import json
import re

import pytest
from drawings import EACH, width

import rankscope as rs
from rankscope.comparisons import Comparison
from rankscope.figures.chart import VERSION
from rankscope.figures.letters import _MORE, held, text_width
from rankscope.figures.theme import FONTS

vl_convert = pytest.importorskip("vl_convert", reason="needs the extra `figures`")
TEXT = re.compile(r"<text([^>]*)(?<!/)>(.*?)</text>", re.DOTALL)


def drawn_width(text, weight):
    """Pixels of a text as vl-convert draws it, in letters of 10 px."""
    mark = {"type": "text", "align": "left", "font": FONTS, "fontSize": 10, "fontWeight": weight, "limit": 9999}
    spec = {"data": {"values": [{"text": text}]}, "mark": mark, "padding": 0, "width": 1, "height": 1,
            "view": {"stroke": None},
            "encoding": {"x": {"value": 0}, "text": {"field": "text"}}}  # fmt: skip
    return width(vl_convert.vegalite_to_svg(json.dumps(spec), vl_version=VERSION))


@pytest.mark.parametrize("weight", ["normal", "bold"])
def test_widths_of_letters_are_those_they_are_drawn_with(weight):
    for code in [*range(33, 127), *map(ord, _MORE)]:
        if chr(code).isspace():
            continue
        text = 100 * f"{chr(code)}|"  # the same letter twice may stand closer
        assert text_width(text, 10, bold=weight == "bold") == pytest.approx(drawn_width(text, weight), abs=4), chr(code)


@EACH
def test_every_text_of_a_picture_keeps_its_width(figure, results):
    svg = results[figure.of].plot(figure.name).to_svg()
    texts = TEXT.findall(svg)
    assert texts
    for attributes, text in texts:
        assert "<" not in text  # a text for each line
        if len(text) > 2 and text.isascii():
            assert 'lengthAdjust="spacingAndGlyphs"' in attributes, text


def test_lines_of_a_text_stay_where_they_were():
    place = 'transform="translate(1,2) rotate(-90)" font-size="10px"'
    lines = (
        f'<text {place}><tspan>B &lt; A</tspan><tspan x="0" dy="15">ßa</tspan><tspan x="0" dy="15">0.50</tspan></text>'
    )
    first, second, third = held(lines).replace("</text>", "</text>\n").splitlines()
    assert 'rotate(-90)"' in first
    assert f'textLength="{(667 + 584 + 667 + 2 * 278) / 100:g}"' in first
    assert 'rotate(-90) translate(0,15)"' in second
    assert "textLength" not in second  # the width of ß is not known
    assert 'rotate(-90) translate(0,30)"' in third
    assert 'textLength="19.46"' in third
    assert held('<text transform="translate(0,0)">abc</text>').count("textLength") == 0


def test_no_text_is_cut_where_a_wide_font_stands_in(results, browser):
    """Letters of one width are a quarter wider than Arial's."""
    tab = browser.new_page()
    for name in ("choices", "differences", "metric map"):
        svg = results[Comparison].plot(name).to_svg()
        tab.set_content(f"<style>svg text {{ font-family: monospace }}</style>{svg}")
        outside = tab.evaluate("""() => {
            const frame = document.querySelector("svg").getBoundingClientRect();
            return [...document.querySelectorAll("svg text")].filter((text) => {
                const box = text.getBoundingClientRect();
                return box.width > 0 && (box.left < frame.left - 1 || box.right > frame.right + 1);
            }).map((text) => text.textContent);
        }""")
        assert outside == [], name
    tab.close()


def test_names_of_any_letters_are_drawn():
    scores = rs.evaluate({"q": {"d": 1}}, {"größer": {"q": {"d": 1.0}}, "更好": {"q": {"d": 1.0}}}, "P@1")
    assert ">größer</text>" in scores.plot("distributions").to_svg()
