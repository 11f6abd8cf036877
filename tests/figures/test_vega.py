"""Parts that drawings share: names beside lines, ticks, widths."""

import json
from itertools import pairwise

import pytest
from drawings import QUIET, parts

import rankscope as rs
from rankscope import studies, universe
from rankscope.comparisons import JudgeNext
from rankscope.figures import LIGHT
from rankscope.figures import vega as vl
from rankscope.figures.theme import DASHES
from rankscope.measures.scores import Scores

pytestmark = QUIET


@pytest.mark.parametrize(("kind", "name", "by"), [
    (Scores, "precision-recall", "system"), (studies.DiscriminativePower, "ASL curves", "measure"),
    (studies.TiedRankings, "labels", "candidate"), (JudgeNext, "doubt", "order"),
    (universe.TieCurve, "tie probability", "m"),
])  # fmt: skip
def test_a_name_beside_a_line_has_a_sample_of_the_line(kind, name, by, results):
    chart = results[kind].plot(name)
    lines = list(dict.fromkeys(chart.table[by]))
    assert "legends" not in chart.to_vega()
    samples = [part for part in parts(chart.spec) if part.get("xOffset") == vl.JOIN]
    texts = [part for part in parts(chart.spec) if "dx" in part and part.get("type") == "text"]
    assert len(samples) == len(texts) == len(lines)
    assert {(tuple(sample["strokeDash"]), sample["color"]) for sample in samples} == {
        (DASHES[i], LIGHT.lines[i]) for i in range(len(lines))
    }
    assert min(sample["x2Offset"] - sample["xOffset"] for sample in samples) >= max(map(sum, DASHES[: len(lines)]))
    assert all(text["dx"] > sample["x2Offset"] for text, sample in zip(texts, samples, strict=True))


def test_lines_that_end_in_one_place_are_named_in_the_order_of_their_heights():
    def line(name, *heights):
        return vl.Line(name, [*enumerate(map(float, heights))], "#000000", (1, 0))

    lines = [line("low", 1, 1, 0.02), line("high", 9, 9, 0), line("middle", 5, 5, 0.01), line("apart", 0, 0, 4)]
    layer = vl.end_labels(lines, {"type": "quantitative"}, {"type": "quantitative"}, 1.0, 9.0)
    rows = [part["data"]["values"][0] for part in layer if part["mark"]["type"] == "text"]
    assert [row["name"] for row in sorted(rows, key=lambda row: row["y"])] == ["low", "middle", "high", "apart"]
    places = sorted(row["y"] for row in rows)
    assert all(after - before >= 1 for before, after in pairwise(places))
    assert vl.end_labels([], {}, {}, 1.0, 9.0) == []


def test_long_names_are_cut_in_the_middle_and_stay_different():
    names = ["optimalobservedantiprecision", "optimalobservedprecision"]
    assert len({vl.middle(name, 20) for name in names}) == 2
    assert all(len(vl.middle(name, 20)) == 20 for name in names)
    assert vl.middle("short") == "short"


def test_names_moved_away_from_the_ends_of_lines_are_joined_to_them():
    lines = [vl.Line(name, [(0.0, 0.5), (1.0, end)], "#000000", (1, 0)) for name, end in zip("abc", (0.97, 0.975, 0.98),
                                                                                          strict=True)]  # fmt: skip
    layer = vl.end_labels(lines, {"type": "quantitative"}, {"type": "quantitative"}, 0.1, 1.0)
    joins = [part["data"]["values"][0] for part in layer if "place" in part["data"]["values"][0]]
    assert [row["y"] for row in joins] == [0.97, 0.975, 0.98]
    assert [row["place"] for row in joins] == pytest.approx([0.8, 0.9, 1.0])
    listed = vl.end_labels(lines, {"type": "quantitative"}, {"type": "quantitative"}, 0.1, 1.0, listed=True)
    assert not any("place" in part["data"]["values"][0] for part in listed)


def test_ticks_of_magnitudes_are_even():
    assert vl.magnitudes(1, 1062) == [1, 10, 100, 1000]
    assert vl.magnitudes(0.3, 12) == [0.5, 1, 2, 5, 10]
    assert vl.signed([-0.2, 0.51], "", 3)["axis"]["values"] == [-0.2, 0.0, 0.2, 0.4]
    # not so many that a label would be left out, which may be that of 0; both sides have one
    assert vl.signed([-0.38, 0.68], "")["axis"]["values"] == [-0.2, 0.0, 0.2, 0.4, 0.6]
    axis = vl.signed([-0.28, 0.9], "", 2)["axis"]
    assert axis["values"] == [-0.2, 0.0, 0.2, 0.4, 0.6, 0.8]  # steps are equal, and labels at some of them
    assert axis["labelExpr"] == "indexof([-0.2, 0.0, 0.4, 0.8], datum.value) < 0 ? '' : datum.label"


def test_a_width_that_a_label_leaves_out_is_no_error():
    from rankscope.figures.width import fitted

    def draw(text):
        plot = json.loads(text)["width"]
        return f'<svg width="{plot + (100 if plot < 375 else 120)}">'  # from 375 on a further label is drawn

    assert json.loads(draw(json.dumps(fitted({"width": 300}, 480, draw))).split('"')[1]) in range(468, 481)
    with pytest.raises(rs.InputError, match="at most"):
        fitted({"width": 300}, 480, lambda text: '<svg width="400">')
