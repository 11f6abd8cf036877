"""Nothing in a figure is cut, covered, illegible or misleading: faults that were seen, each with its test."""

import json
import re
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from drawings import EVERY, QUIET

import rankscope as rs
from rankscope import preferences, studies, universe
from rankscope.comparisons import CollectionBoard, Comparison, Gate, JudgeNext, Leaderboard, MetricMap
from rankscope.comparisons.slices import Slices
from rankscope.figures import DARK, LIGHT
from rankscope.figures import vega as vl
from rankscope.figures.chart import drawn
from rankscope.figures.forest import Row, forest, forest_sheet
from rankscope.figures.theme import DASHES
from rankscope.measures.bounding.result import BoundMeans
from rankscope.measures.scores import Scores
from rankscope.preferences import Dominance, Ipso, Serps
from rankscope.statistics.equality import best_first
from rankscope.statistics.replications.repeated_runs import VarianceComponents

pytestmark = QUIET
LOOKS = pytest.mark.parametrize("look", [LIGHT, DARK], ids=lambda look: look.name)


def parts(value):
    """Every dictionary of a specification, data aside."""
    if isinstance(value, dict):
        yield value
        for key, part in value.items():
            if key not in ("data", "datasets"):
                yield from parts(part)
    elif isinstance(value, list):
        for part in value:
            yield from parts(part)


# names beside lines


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


def test_plots_with_names_beside_them_keep_their_width(results):
    plots = results[studies.Incompleteness].plot(narrow=True).spec["vconcat"]
    assert len(plots) == 2
    assert min(plot["width"] for plot in plots) >= 200


def test_long_names_are_cut_in_the_middle_and_stay_different():
    names = ["optimalobservedantiprecision", "optimalobservedprecision"]
    assert len({vl.middle(name, 20) for name in names}) == 2
    assert all(len(vl.middle(name, 20)) == 20 for name in names)
    assert vl.middle("short") == "short"


# marks


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
    assert [part["mark"]["type"] for part in means["layer"]] == ["rule", "rule", "rule"]
    assert cloud["layer"][1]["encoding"]["x"]["scale"] == means["layer"][1]["encoding"]["x"]["scale"]


def test_large_points_are_drawn_below_small_ones(results):
    order = results[Comparison].plot("scatter").spec["layer"][1]["encoding"]["order"]
    assert (order["field"], order["sort"]) == ("topics", "descending")


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


@LOOKS
def test_what_is_printed_as_0_has_no_tint(look, results):
    assert look.ramp[0] == look.ground
    kinds = {studies.Similarity: "similarity", studies.Locality: "locality", universe.Disagreement: "disagreement",
             universe.Frequencies: "frequencies", studies.JudgeStudy: "confusion", Scores: "heat map",
             CollectionBoard: "heat map"}  # fmt: skip
    for kind, name in kinds.items():
        spec = results[kind].plot(name, theme=look.name).spec
        both = [*reversed(look.below), *look.ramp[1:]]
        ramps = [part for part in parts(spec) if part.get("range") in (list(look.ramp), both)]
        assert ramps, name
        assert all(ramp["range"] != both or sum(ramp["domain"]) == 0 for ramp in ramps), name
        # shades between the colours of the ramp are those on which letters were tested
        assert all(ramp["interpolate"] == "rgb" for ramp in ramps), name
    study = results[studies.JudgeStudy]
    shades = [
        part for part in parts(study.plot("judges", theme=look.name).spec) if part.get("range") == list(look.ramp)
    ]
    assert [shade["domain"] for shade in shades] == [[0, 1]]
    assert study.plot("judges").caption.endswith("colours from 0 to 1")


@LOOKS
@pytest.mark.parametrize("narrow", [False, True])
@pytest.mark.parametrize("kind", [studies.Similarity, studies.Locality])
def test_a_correlation_of_0_has_no_tint_where_others_are_below_0(kind, narrow, look, results):
    figure = next(one for one in EVERY if one.of is kind)
    sheet = figure.sheet(results[kind])
    value = [(0.0, -0.5, 0.8)[i % 3] for i in range(len(sheet.columns[sheet.words["value"]]))]
    sheet = replace(sheet, columns={**sheet.columns, sheet.words["value"]: value})
    names = [*sheet.words["names"], *(f"other {i}" for i in range(14))]  # too many for numbers in the squares
    for shown in (sheet, replace(sheet, words={**sheet.words, "names": names})):
        svg = drawn("x", shown, figure.drawing, look.name, narrow=narrow).to_svg()
        cells = re.search(r'<g class="mark-rect role-mark.*?</g>', svg, re.DOTALL)[0]
        fills = [tuple(map(int, rgb)) for rgb in re.findall(r'fill="rgb\((\d+), (\d+), (\d+)\)"', cells)]
        ground = tuple(int(look.ground[i : i + 2], 16) for i in (1, 3, 5))
        assert [fill == ground for fill in fills] == [number == 0 for number in value]
        # in grey both sides of 0 may be alike, so what is below 0 has a sign
        signs = len(re.findall(r">\N{MINUS SIGN}0\.50?</text>", svg)) or svg.count('aria-roledescription="point"')
        assert signs == value.count(-0.5)


def test_the_range_of_a_map_of_collections_is_said(results):
    board = results[CollectionBoard]
    above = board.plot("heat map").table["above"]
    svg = board.plot("heat map").to_svg()
    assert f">\N{MINUS SIGN}{-min(above):.2f} to {max(above):.2f}</text>" in svg


def test_systems_that_may_be_the_best_are_shown(results):
    means = results[BoundMeans]
    last = best_first(means.means.value[0], means.means.systems)[-1]
    upper = means.lower.copy()
    upper[0, last] = 0.99
    chart = replace(means, upper=upper).plot(top=3)
    assert chart.title.startswith("Ranges over all grades of unjudged documents leave open which system")
    assert chart.table["system"][-1] == means.means.systems[last]
    assert chart.caption.startswith("the best 2 of 8 systems, and 1 other that may be the best; ")
    assert replace(means, upper=means.lower).plot(top=3).caption.startswith("the best 3 of 8 systems; ")


# axes


def ticks(svg):
    """Labels of the x axes of a picture: place, text and size of the letters, by group."""
    found = []
    for group in re.findall(r'<g class="mark-text role-axis-label".*?</g>', svg, re.DOTALL):
        rows = re.findall(r'text-anchor="(\w+)" transform="translate\(([-\d.]+),([-\d.]+)\)"[^>]*font-size="([\d.]+)px"'
                          r'([^>]*)>([^<]+)<', group)  # fmt: skip
        shown = [(float(x), float(y), text, float(size)) for anchor, x, y, size, more, text in rows
                 if anchor == "middle" and 'opacity="0"' not in more]  # fmt: skip
        if len(shown) > 1 and len({row[1] for row in shown}) == 1:
            found.append([(x, text, size) for x, _, text, size in shown])
    return found


@pytest.mark.parametrize("narrow", [False, True])
def test_numbers_of_an_axis_do_not_run_together(narrow, results):
    from rankscope.figures.letters import text_width

    axes = 0
    for figure in EVERY:
        svg = results[figure.of].plot(figure.name, narrow=narrow).to_svg()
        for labels in ticks(svg):
            labels = [row for row in labels if re.fullmatch(r"[\N{MINUS SIGN}\d.,%]+", row[1])]
            axes += len(labels) > 1
            for (x, text, size), (x2, text2, _) in pairwise(labels):
                gap = x2 - x - (text_width(text, size) + text_width(text2, size)) / 2
                assert gap >= 3, (figure.name, text, text2)
    assert axes >= 20


def test_shares_of_ties_begin_at_0(results):
    figure = next(one for one in EVERY if one.of is studies.TiedRankings and one.name == "labels")
    sheet = figure.sheet(results[studies.TiedRankings])
    columns = {key: [0.3 + value / 2 for value in sheet.columns[key]] for key in ("share", "lowest", "highest")}
    chart = drawn("labels", replace(sheet, columns={**sheet.columns, **columns}), figure.drawing, "light")
    scales = [part["scale"]["domain"] for part in parts(chart.spec)
              if part.get("field") == "share" and "domain" in part.get("scale", {})]  # fmt: skip
    assert scales
    assert all(low == 0 for low, _ in scales)
    assert ">0.0</text>" in chart.to_svg()


def test_no_share_is_below_0(results):
    """The axis has room at the left of 0, and no number there."""
    for kind, name in ((universe.Frequencies, "occurrence"), (universe.Buckets, "buckets"),
                       (studies.ScalesInPractice, "scales")):  # fmt: skip
        figure = next(one for one in EVERY if one.of is kind and one.name == name)
        sheet = figure.sheet(results[kind])
        value = [0.4, *(67.8 for _ in sheet.columns["value"][1:])]
        chart = drawn(name, replace(sheet, columns={**sheet.columns, "value": value}), figure.drawing, "light")
        labels = [text for axis in ticks(chart.to_svg()) for _, text, _ in axis]
        assert "0" in labels
        assert not any(text.startswith("\N{MINUS SIGN}") for text in labels)


@pytest.mark.parametrize("narrow", [False, True])
def test_0_is_labelled_where_signs_matter(narrow, results):
    figures = [(Comparison, "choices"), (Comparison, "slices"), (Comparison, "metric map"), (MetricMap, "metric map"),
               (Comparison, "differences"), (Comparison, "attribute"), (Comparison, "dominance")]  # fmt: skip
    for kind, name in figures:
        svg = results[kind].plot(name, narrow=narrow).to_svg()
        assert re.search(r">0(\.0+)?</text>", svg), name
    figure = next(one for one in EVERY if one.of is studies.Alternatives)
    sheet = figure.sheet(results[studies.Alternatives])
    row = [f"{name} of a long name" for name in sheet.columns["row"]]  # which leaves little room for the panels
    sheet = replace(sheet, columns={**sheet.columns, "row": row})
    for values in ((-0.0122, 0.0118), (-0.061, 0.02), (0.001, 0.002), (-21.0, -3.0)):
        value = [values[i % 2] for i in range(len(sheet.columns["value"]))]
        chart = drawn(
            "x", replace(sheet, columns={**sheet.columns, "value": value}), figure.drawing, "light", narrow=narrow
        )
        panels = ticks(chart.to_svg())
        assert len(panels) == 3
        for labels in panels[1:]:  # consistency, and pairs told apart
            assert any(float(text.replace("\N{MINUS SIGN}", "-").replace(",", "")) == 0 for _, text, _ in labels), (
                values
            )


@pytest.mark.parametrize("narrow", [False, True])
def test_scores_beside_unjudged_documents_have_three_numbers_at_least(narrow, results):
    figure = next(one for one in EVERY if one.name == "unjudged")
    sheet = figure.sheet(results[Scores])
    systems = [f"{name} of a long name" for name in sheet.columns["system"]]
    for most in (0.87, 0.49, 1.0, 0.031):
        mean = [most * (1 - i / 50) for i in range(len(systems))]
        changed = replace(sheet, columns={**sheet.columns, "system": systems, "mean": mean})
        labels = ticks(drawn("x", changed, figure.drawing, "light", narrow=narrow).to_svg())[0]
        assert len(labels) >= 3
        assert float(labels[0][1]) == 0


def test_ticks_of_magnitudes_are_even():
    assert vl.magnitudes(1, 1062) == [1, 10, 100, 1000]
    assert vl.magnitudes(0.3, 12) == [0.5, 1, 2, 5, 10]
    assert vl.signed([-0.2, 0.51], "", 3)["axis"]["values"] == [-0.2, 0.0, 0.2, 0.4]
    # not so many that a label would be left out, which may be that of 0; both sides have one
    assert vl.signed([-0.38, 0.68], "")["axis"]["values"] == [-0.2, 0.0, 0.4]
    assert vl.signed([-0.28, 0.9], "", 2)["axis"]["values"] == [-0.2, 0.0, 0.4, 0.8]


# words


def test_a_small_probability_is_not_rounded_up():
    assert universe.tie_curve(50_000, (10, 250), range(1, 50)).plot().title.endswith("of up to 0.005")


def test_a_difference_of_systems_has_no_hyphen(results):
    caption = results[JudgeNext].plot("doubt").caption
    assert " minus " in caption
    assert " - " not in caption


def test_names_over_narrow_bars_stand_apart(judged):
    found = studies.agreement(judged, ["RR", "P", "RBP(p=0.5)", "RBP(p=0.8)", "AP", "nDCG"], depths=[5, 10, 20, 50],
                              workers=1)  # fmt: skip
    wide, narrow = (found.plot("bars", narrow=one).spec["facet"]["column"]["header"] for one in (False, True))
    assert "labelAngle" not in wide
    assert "labelAngle" not in narrow  # two long names leave no empty band over the others
    assert '["RBP","(p=0.5)"]' in narrow["labelExpr"]
    svg = found.plot("bars", narrow=True).to_svg()
    assert svg.count(">(p=0.5)<") == svg.count(">(p=0.8)<") == 1


def test_letters_of_groups_do_not_run_together(results):
    board = results[Leaderboard]
    for n in (4, 10, 16):
        letters = tuple("abcdefghijklmnop"[i % n] for i in range(len(board.systems)))
        sheet = next(one for one in EVERY if one.of is Leaderboard).sheet(replace(board, letters=letters))
        sheet = replace(
            sheet, more={"groups": {"system": [board.systems[0]] * n, "letter": list("abcdefghijklmnop"[:n])}}
        )
        cells = next(one for one in EVERY if one.of is Leaderboard).drawing(sheet, LIGHT)["hconcat"][1]
        named = cells["encoding"]["x"]["axis"].get("labels", True)
        assert not named or cells["width"] / n >= 13


def test_names_of_judges_are_whole():
    name = "binary-then-fourprompts-flant5-large"
    qrels, runs = rs.simulation.embedded()
    from rankscope.simulation.embedded_collection import embedded_judges

    study = studies.judges(qrels, runs, {name: embedded_judges()["strict"]}, resampling=rs.statistics.Resampling(50))
    for figure in ("judges", "verdicts"):
        assert f">{name}</text>" in study.plot(figure, narrow=True).to_svg()


@pytest.mark.parametrize("narrow", [False, True])
def test_names_of_judges_over_their_ranks_are_whole(narrow, results):
    figure = next(one for one in EVERY if one.of is studies.JudgeStudy and one.name == "leaderboards")
    sheet = figure.sheet(results[studies.JudgeStudy])
    names = ["qrels", *(f"binary-then-fourprompts-{i}-flant5-large" for i in range(len(sheet.words["measures"]) - 1))]
    sheet = replace(sheet, words={**sheet.words, "measures": names})
    svg = drawn("x", sheet, figure.drawing, "light", narrow=narrow).to_svg()
    assert all(f">{name}</text>" in svg for name in names)


@pytest.mark.parametrize("narrow", [False, True])
def test_judges_of_one_family_have_different_names_over_their_ranks(narrow):
    names = ["binary-then-fourprompts-flant5-large", "binary-then-fourprompts-flant5-small"]
    qrels, runs = rs.simulation.embedded()
    from rankscope.simulation.embedded_collection import embedded_judges

    grades = embedded_judges()["strict"]
    study = studies.judges(qrels, runs, dict.fromkeys(names, grades), resampling=rs.statistics.Resampling(50))
    texts = re.findall(r">(binary[^<]*)</text>", study.plot("leaderboards", narrow=narrow).to_svg())
    assert {text[-5:] for text in texts} == {"large", "small"}


@pytest.mark.parametrize("narrow", [False, True])
@pytest.mark.parametrize("metrics", [["AP", "RR"], [f"P@{k}" for k in range(1, 13)]], ids=len)
def test_intervals_are_named_where_they_are_drawn(narrow, metrics, judged):
    chart = studies.similarity(judged, metrics, workers=1).plot(narrow=narrow)
    svg = chart.to_svg()
    assert "interval" not in chart.caption
    few = len(metrics) == 2
    assert (">second line of a square: 95 % interval</" in svg) == few
    assert (">intervals: in the table of this figure</" in svg) != few
    assert (">(of mean scores by Fieller, Hartley and Pearson)</" in svg) == few  # not cut
    assert "…" not in svg
    assert bool(re.search(r">\[[\N{MINUS SIGN}\d.]+, [\d.]+\]</text>", svg)) == few


def test_the_method_of_intervals_is_not_cut(results):
    study = replace(results[studies.Similarity], interval="basic bootstrap over topics, 10,000 samples, seed 42")
    for narrow in (False, True):
        assert "…" not in study.plot(narrow=narrow).to_svg()


def test_a_line_is_named_where_there_is_one(results):
    scores = results[Scores]
    systems = scores.plot("cost", cost=dict.fromkeys(scores.systems, 1.0)).table["system"]  # the best first
    for costs, lines in ((range(1, 9), False), (range(8, 0, -1), True)):
        chart = scores.plot("cost", cost=dict(zip(systems, map(float, costs), strict=True)))
        assert ("line: " in chart.caption) == lines


def test_a_small_share_is_not_printed_as_0(results):
    figure = next(one for one in EVERY if one.of is studies.TiedRankings and one.name == "labels")
    ties = results[studies.TiedRankings]

    class Rare(type(ties)):
        def columns(self, name):
            found = super().columns(name)
            return {**found, "share": [0.0043 for _ in found["share"]]}

    rare = Rare(**{name: getattr(ties, name) for name in ties.__dataclass_fields__})
    assert "share of pairs that tie 0.004 (" in figure.sheet(rare).title


def test_a_share_is_100_or_0_per_cent_only_where_it_is(results):
    ties = results[studies.TiedRankings]
    deciding = ties.deciding * 0
    for decided, share in ((9_999, "over 99.9 %"), (10_000, "100.0 %"), (1, "below 0.1 %")):
        deciding[0] = decided
        title = replace(ties, compared=10_000, deciding=deciding).plot("levels").title
        assert title.startswith(f"Lexiprecision decides {share} of the pairs")
    figure = next(one for one in EVERY if one.name == "unjudged")
    scores = results[Scores]
    at = [measure.name for measure in scores.measures].index("Judged")
    value = scores.value.copy()
    value[at] = 1.0
    value[at, 0, 0] = 0.99
    sheet = figure.sheet(replace(scores, value=value))
    assert sheet.title.startswith(f"Most documents without a judgment: {scores.systems[0]}, below 0.1 %")


def test_a_range_whose_ends_read_the_same_is_no_range(results):
    figure = next(one for one in EVERY if one.of is studies.Removal)
    removal = results[studies.Removal]

    class Close(type(removal)):
        def columns(self, *names):
            found = super().columns(*names)
            return {**found, "agreement": [0.2201 + i / 100_000 for i in range(len(found["agreement"]))]}

    close = Close(**{name: getattr(removal, name) for name in removal.__dataclass_fields__})
    assert figure.sheet(close).title.endswith("agreement with RR on all labels 0.22 (RR, rrLP, sgnLP)")
    study = results[studies.JudgeStudy]
    judges = tuple(replace(row, fidelity=study.judges[0].fidelity) for row in study.judges)
    assert " to " not in replace(study, judges=judges).plot("judges").title


@LOOKS
def test_a_difference_printed_as_0_has_no_tint(look, results):
    for narrow in (False, True):  # the same cell has the same class in both
        panel = results[Comparison].plot("strips", theme=look.name, narrow=narrow).spec["hconcat"][-1]
        scale = panel["layer"][0]["encoding"]["color"]["scale"]
        colours = dict(zip(scale["domain"], scale["range"], strict=True))
        tints = {"A scores higher": look.a_faint, "B scores higher": look.b_faint, "under 0.005": look.ground}
        for row in panel["data"]["values"]:
            assert colours[row["printed"]] == tints[row["printed"]]
            assert (row["printed"] == "under 0.005") == (abs(row["difference"]) < 0.005)
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


# titles that are true of what is drawn


def test_pairs_that_read_the_same_are_named_together(results):
    figure = next(one for one in EVERY if one.of is studies.Similarity)
    study = results[studies.Similarity]

    class Alike(type(study)):
        taus = ()

        def show(self):
            found = super().show()
            rows = [{**row, "tau": tau} for row, tau in zip(found.rows(), self.taus, strict=True)]
            return type("Shown", (), {"rows": lambda _: rows})()

    alike = Alike(**{name: getattr(study, name) for name in study.__dataclass_fields__})
    names = [f"{vl.short(row['first'])} and {vl.short(row['second'])}" for row in study.show().rows()]
    head = "By mean scores most alike: "
    for taus, title in (
        ((1.0, 0.5, 0.6, 0.7, 0.8, 0.9), f"{names[0]} (1.00); least alike: {names[1]} (0.50)"),
        ((1.0, 1.0, 1.0, 0.7, 0.8, 0.9), f"{names[0]} (1.00, as 2 other pairs); least alike: {names[3]} (0.70)"),
        ((0.998, 0.5, 0.6, 0.7, 0.8, 0.9), f"{names[0]} (>0.99); least alike: {names[1]} (0.50)"),
    ):
        Alike.taus = taus
        assert figure.sheet(alike).title == head + title


def test_no_correlation_below_1_is_printed_as_1(results):
    figure = next(one for one in EVERY if one.of is studies.Similarity)
    sheet = figure.sheet(results[studies.Similarity])
    value = [0.998, 1.0, 0.004, *(0.5 for _ in sheet.columns["tau"][3:])]
    svg = drawn("x", replace(sheet, columns={**sheet.columns, "tau": value}), figure.drawing, "light").to_svg()
    cells = re.findall(r">((?:&gt;|&lt;)?\d\.\d\d)</text>", svg.partition("role-legend")[0])
    assert {"&gt;0.99", "1.00", "&lt;0.01"} <= set(cells)


def test_an_interval_without_a_width_is_not_printed(judged):
    chart = studies.similarity(judged, ["RR", "RR@100", "P@10"], workers=1).plot()  # RR ranks like RR@100
    assert any(tau == 1 for tau in chart.table["tau"])
    svg = chart.to_svg()
    assert "[1.00, 1.00]" not in svg
    assert "null" not in svg
    assert re.search(r">\[0\.\d\d, [01]\.\d\d\]</text>", svg)


def test_the_interval_of_the_metric_map_has_its_level(results):
    for kind in (Comparison, MetricMap):
        svg = results[kind].plot("metric map").to_svg()
        assert re.search(r"in standard deviations, with its 95 % interval<", svg)


def test_every_order_of_judging_is_in_the_title(results):
    chart = results[JudgeNext].plot("doubt")
    for order in dict.fromkeys(chart.table["order"]):
        ends = [doubt for name, doubt in zip(chart.table["order"], chart.table["doubt"], strict=True) if name == order]
        assert re.search(rf"{order}: (certain )?after" if ends[-1] == 0 else rf"{order}: not ", chart.title)
    sizes = next(part["range"] for part in parts(chart.spec) if part.get("range") == [130, 70, 30])
    assert sizes == sorted(sizes, reverse=True)  # drawn in this order, so that none is hidden


def test_a_metric_is_better_only_in_what_it_is_better_in(results):
    found = results[studies.Alternatives]
    row = replace(found.rows[0], tau=0.95, consistency=0.05, pvalue=0.9, gained=4, lost=2)
    chart = replace(found, rows=(row, *found.rows[1:])).plot()
    marks = {panel: mark for name, panel, mark in zip(*(chart.table[k] for k in ("row", "panel", "mark")), strict=True)
             if name == row.measure}  # fmt: skip
    assert marks == {"tau": "ranks alike, better", "consistency": "ranks alike, no better",
                     "pairs told apart": "ranks alike, better"}  # fmt: skip
    assert chart.title.endswith("in discriminative power")


def test_letters_say_which_systems_a_bar_joins(results):
    for kind in (Leaderboard, CollectionBoard):
        board = results[kind]
        board = replace(board, letters=("a", "ac", "c", "cd", "d", *["g"] * (len(board.systems) - 5)))
        chart = board.plot("critical difference")
        bars = chart.sheet.more["bars"]
        letters = dict(zip(chart.table["system"], chart.table["letters"], strict=True))
        groups = {}
        for bar, system in zip(bars["bar"], bars["system"], strict=True):
            groups.setdefault(bar, set()).add(system)
        by_letter = {}
        for system, word in letters.items():
            for letter in word:
                by_letter.setdefault(letter, set()).add(system)
        assert sorted(map(sorted, groups.values())) == sorted(map(sorted, by_letter.values()))
        assert f" ({letters[board.systems[0]]})</text>" in chart.to_svg()
        assert "".join(dict.fromkeys(bars["letter"])) == "abcdefgh"[: len(groups)]  # none is left out


def test_a_width_that_a_label_leaves_out_is_no_error():
    from rankscope.figures.width import fitted

    def draw(text):
        plot = json.loads(text)["width"]
        return f'<svg width="{plot + (100 if plot < 375 else 120)}">'  # from 375 on a further label is drawn

    assert json.loads(draw(json.dumps(fitted({"width": 300}, 480, draw))).split('"')[1]) in range(468, 481)
    with pytest.raises(rs.InputError, match="at most"):
        fitted({"width": 300}, 480, lambda text: '<svg width="400">')


# marks that mislead


def test_the_area_of_a_point_grows_with_its_topics(results):
    figure = next(one for one in EVERY if one.of is Comparison and one.name == "scatter")
    sheet = figure.sheet(results[Comparison])
    for most, largest in ((2, 110), (5, 275), (300, 420)):
        topics = [most, *(1 for _ in sheet.columns["topics"][1:])]
        spec = drawn("x", replace(sheet, columns={**sheet.columns, "topics": topics}), figure.drawing, "light").spec
        scale = spec["layer"][1]["encoding"]["size"]["scale"]
        assert (scale["domain"], scale["range"]) == ([1, most], [55, largest])


def test_points_have_the_colours_of_the_legend(results):
    for name in ("attribute", "scatter"):
        chart = results[Comparison].plot(name)
        assert len(chart.table["topic"]) <= 200
        points = [part for part in parts(chart.spec) if part.get("type") == "point"]
        assert [point["opacity"] for point in points] == [1]


def test_short_bars_are_not_hidden_by_marks_of_means(results):
    bar, mean, _ = results[BoundMeans].plot().spec["layer"]
    assert mean["mark"]["type"] == "tick"
    assert mean["mark"]["height"] < bar["mark"]["strokeWidth"]
    assert mean["mark"]["thickness"] <= 2


def test_a_share_of_0_is_drawn(results):
    figure = next(one for one in EVERY if one.name == "unjudged")
    sheet = figure.sheet(results[Scores])
    n = len(sheet.columns["system"])
    for share, points in (([5.0, *[0.0] * (n - 1)], [n, n - 1]), ([0.0] * n, [n])):  # no panel where all are 0
        svg = drawn(
            "x", replace(sheet, columns={**sheet.columns, "unjudged_percent": share}), figure.drawing, "light"
        ).to_svg()
        groups = re.findall(r'<g class="mark-symbol role-mark[^>]*>(.*?)</g>', svg, re.DOTALL)
        assert [group.count("<path") for group in groups] == points


@pytest.mark.parametrize("narrow", [False, True])
def test_numbers_stand_below_their_ticks(narrow, results):
    for kind, name in ((studies.Scorecard, "scorecard"), (studies.Alternatives, "alternatives")):
        svg = results[kind].plot(name, narrow=narrow).to_svg()
        assert len(ticks(svg)) >= 3  # only numbers in the middle of their ticks are found
        anchors = re.findall(r"role-axis-label.*?</g>", svg, re.DOTALL)
        numbers = [re.findall(r'text-anchor="(\w+)"[^>]*>[\N{MINUS SIGN}\d.]+<', group) for group in anchors]
        assert all(anchor == "middle" for group in numbers for anchor in group)


def test_the_fraction_of_the_title_is_on_the_axis(results):
    figure = next(one for one in EVERY if one.of is studies.Incompleteness)
    sheet = figure.sheet(results[studies.Incompleteness])
    fraction = [{0.5: 0.05, 0.9: 0.9}[one] for one in sheet.columns["fraction"]]
    svg = drawn("x", replace(sheet, columns={**sheet.columns, "fraction": fraction}), figure.drawing, "light").to_svg()
    labels = {text for axis in ticks(svg) for _, text, _ in axis}
    assert labels >= {"5", "20", "80", "90"}  # in per cent, as in the title, and at both ends
    assert ">judgments left, % of the pool</" in svg


def test_what_was_thinned_out_is_not_said_to_be_drawn():
    rng = range(250)
    qrels = {f"t{i}": {"a": 1, "b": 1} for i in rng}
    run = {f"t{i}": {"a": 1.0 + i % 3, "x": 2.0, "b": 0.5} for i in rng}
    chart = rs.evaluate(rs.load(qrels, {"one": run}), "AP").plot("distributions")
    assert chart.caption.startswith("250 topics, points: 200 of them for each system, evenly spaced by score")


def test_equal_pairs_stand_out_from_the_ground(results):
    mark = results[studies.ObservedSeparability].plot().spec["mark"]
    assert (mark["stroke"], mark["strokeWidth"]) == (LIGHT.faint, 0.5)


def test_squares_of_many_systems_have_lines_to_their_names(results):
    figure = next(one for one in EVERY if one.of is Leaderboard and one.name == "leaderboard")
    sheet = figure.sheet(results[Leaderboard])
    for times, lined in ((1, False), (6, True)):
        columns = {name: column * times for name, column in sheet.columns.items()}
        columns["system"] = [f"{name} {i}" for i, name in enumerate(columns["system"])]
        board, cells = figure.drawing(replace(sheet, columns=columns), LIGHT)["hconcat"]
        assert board["layer"][1]["encoding"]["x"]["axis"]["grid"] == lined
        assert bool(cells["encoding"]["y"]["axis"] and cells["encoding"]["y"]["axis"]["grid"]) == lined


@pytest.mark.parametrize("narrow", [False, True])
def test_squares_of_twelve_measures_hold_their_numbers(narrow, judged):
    from rankscope.figures.letters import text_width

    chart = studies.similarity(judged, [f"P@{k}" for k in range(1, 13)], workers=1).plot(narrow=narrow)
    svg = chart.to_svg()
    texts = re.findall(r'font-size="(\d+)px"[^>]*>(&gt;|\N{MINUS SIGN})?(0?\.\d\d|1(?:\.00)?)</text>',
                       svg.partition("role-legend")[0])  # fmt: skip
    assert len(texts) >= 12 * 11
    cell = float(re.search(r'<path aria-label="[^"]*" role="graphics-symbol" aria-roledescription="rect mark" '
                           r'd="M[\d.,-]+h([\d.]+)', svg)[1])  # fmt: skip
    assert max(text_width(sign.replace("&gt;", ">") + text, float(size)) for size, sign, text in texts) <= cell


def test_percentages_of_many_measures_keep_their_digits(results):
    figure = next(one for one in EVERY if one.of is universe.Frequencies and one.name == "frequencies")
    sheet = figure.sheet(results[universe.Frequencies])
    names = [*sheet.words["names"], *(f"P@{i}" for i in range(8))]
    percent = [10.4, 20.0, *(0.0 for _ in sheet.columns["percent"][2:])]
    sheet = replace(sheet, columns={**sheet.columns, "percent": percent}, words={**sheet.words, "names": names})
    svg = drawn("x", sheet, figure.drawing, "light", narrow=True).to_svg()
    assert all(f">{number}</text>" in svg for number in ("10.4", "20.0", "0.0"))


# judges, all rankings and collections


def test_judges_are_counted_without_those_taken_together(results):
    study = results[studies.JudgeStudy]
    own = [row for row in study.judges if row.judge not in study.aggregates]
    chart = study.plot("leaderboards")
    assert not {*study.aggregates} & {*chart.table["measure"]}
    lead = study.means["qrels"].index(max(study.means["qrels"]))
    alike = sum(study.means[row.judge][lead] == max(study.means[row.judge]) for row in own)
    assert chart.title.endswith(f" under qrels, and under {alike} of {len(own)} other judges")
    assert study.plot("leaderboards", most=1).title == chart.title  # whoever is drawn
    assert f"the 1 of {len(own)} judges that keep the most" in study.plot("leaderboards", most=1).caption
    flattered = {name: (1.0,) * len(study.systems) for name in study.means}
    assert f"{len(study.systems) - 1} others share the" in replace(study, means=flattered).plot("leaderboards").title
    orders = [list(dict.fromkeys(study.plot(name).table["judge"])) for name in ("judges", "verdicts")]
    assert orders[0] == orders[1]
    assert {*orders[0][-2:]} == {*study.aggregates}
    shares = [study.row(judge).fidelity.share for judge in orders[0][:-2]]
    assert shares == sorted(shares, reverse=True)
    for name in ("judges", "verdicts"):
        line = study.plot(name).spec["layer"][-1]
        assert (line["mark"]["type"], line["data"]["values"][0]["judge"]) == ("rule", orders[0][-2])
        assert "Student's paired t, p < 0.05, not corrected" in study.plot(name).caption
        assert "Student's paired t, p < 0.05, not corrected" in study.caption()  # as it is printed
    assert study.plot("confusion").sheet.words["judge"] in {row.judge for row in own}
    assert "the judge with the highest quadratic kappa" in study.plot("confusion").caption
    assert "highest" not in study.plot("confusion", judge=study.aggregates[0]).caption


@LOOKS
def test_agreement_below_0_has_another_hue(look, results):
    study = results[studies.JudgeStudy]
    first = study.judges[0]
    low = replace(first, agreement=replace(first.agreement, alpha_ordinal=-0.1))
    chart = replace(study, judges=(low, *study.judges[1:])).plot("judges", theme=look.name)
    assert chart.caption.endswith("colours from -1 to 1")
    assert any(part.get("range") == [*reversed(look.below), *look.ramp[1:]] for part in parts(chart.spec))


def test_equal_shares_of_freedom_are_outlined_and_per_cent_have_a_space(results):
    chart = results[universe.Freedom].plot()
    assert chart.spec["mark"]["stroke"] == LIGHT.faint
    for kind in (universe.Freedom, universe.SeparabilityCounts, universe.ExpectedSeparability):
        svg = results[kind].plot().to_svg()
        assert ">100 %</text>" in svg
        assert ">100%</text>" not in svg


def test_undecided_pairs_have_one_name(results):
    kinds = (universe.Freedom, universe.SeparabilityCounts, universe.ExpectedSeparability, universe.Flips,
             universe.OrderGrid, studies.ObservedSeparability)  # fmt: skip
    for kind in kinds:
        chart = results[kind].plot()
        assert not re.search("free|separa", f"{chart.title} {chart.caption}"), kind
        assert "undecided" in f"{chart.title} {chart.caption}", kind


def test_a_grid_counts_pairs_of_different_rankings():
    chart = universe.order_grid(6, "AP", "nDCG").plot()
    assert chart.title == "IPSO leaves 18.1 % of the pairs of different rankings undecided"  # 728 of 64 times 63
    assert chart.caption.startswith(
        "64 binary rankings of 6 documents, each as A and as B; Kendall's tau of both orders"
    )


def test_measures_of_one_family_stand_together():
    found = universe.disagreement(["DCG", "SP", "P", "nDCG", "RR", "R", "AP", "RBP(p=0.5)"], depth=4)
    chart = found.plot()
    names = ["DCG", "nDCG", "AP", "SP", "P@4", "R@4", "RBP(p=0.5)", "RR"]
    assert chart.sheet.words["names"] == names
    rows = zip(*(chart.table[key] for key in ("row", "column", "percent")), strict=True)
    at = {str(measure): i for i, measure in enumerate(found.measures)}
    for row, column, percent in rows:
        assert names.index(row) > names.index(column)
        assert percent == found.share[at[row], at[column]]
    assert chart.caption.endswith("SP: AP times R")


@pytest.mark.parametrize("count", [1, 3, 4])
def test_features_leave_no_place_empty(count):
    found = universe.features(["AP", "DCG", "RR", "P"], depth=3)
    pairs = list(dict.fromkeys((row.a, row.b) for row in found.rows))[:count]
    spec = found.plot(pairs=pairs).spec
    assert count % spec["columns"] == 0
    counts = {f"A: {row.a}, B: {row.b}": row.disagreeing for row in found.rows}
    assert [panel["title"]["subtitle"] for panel in spec["concat"]] == [
        f"{counts[panel['title']['text']]:,} disagreement{'s' * (counts[panel['title']['text']] != 1)}"
        for panel in spec["concat"]
    ]


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


# strips, forest plots and figures of two systems


def many_topics(topics):
    rng = np.random.default_rng(topics)
    qrels = {f"q{t}": {f"d{d}": int(rng.integers(0, 6)) for d in range(6)} | {"d0": 1} for t in range(topics)}
    runs = {name: {f"q{t}": {f"d{d}": float(rng.random()) for d in range(6)} for t in range(topics)} for name in "ab"}
    return rs.compare(rs.load(qrels, runs), "a", "b", measure="nDCG@5", depth=5, others=False)


@pytest.mark.parametrize("topics", [50, 61, 300])
def test_strips_are_not_much_higher_than_wide(topics):
    found = many_topics(topics)
    for chart in (
        found.plot("strips"), found.plot("strips", narrow=True), found.without.ipso.plot(),
        found.without.ipso.plot(narrow=True),
    ):  # fmt: skip
        wide, high = (float(re.search(rf'\b{side}="([\d.]+)"', chart.to_svg())[1]) for side in ("width", "height"))
        assert high <= 1.75 * wide
        assert wide >= 440
    assert ("; rows: 250 of these topics, evenly spaced" in found.plot("strips").caption) == (topics > 250)
    assert "; grades 4 to 5 have one shade, but are different grades to IPSO" in found.plot("strips").caption
    assert " 0 " not in found.plot("strips").caption


def test_the_only_panel_of_strips_has_the_width_of_the_caption(results):
    for narrow in (False, True):
        names, panel = results[Ipso].plot(narrow=narrow).spec["hconcat"]
        assert names["width"] + panel["width"] >= 440


def test_numbers_of_strips_are_as_large_as_names(results):
    names, *_, scores = results[Comparison].plot("strips").spec["hconcat"]
    assert scores["layer"][1]["mark"]["fontSize"] >= names["mark"]["fontSize"]


def test_scores_of_bare_lists_say_what_is_relevant(results):
    chart = results[Serps].plot()
    assert "RBP(p=0.5)" in chart.sheet.more["differences"]["metric"]
    assert chart.caption.endswith("\nscores: as if 4 documents were relevant, as many as a list has ranks")


def test_wide_bounds_leave_intervals_their_room():
    rows = [Row("as it is", 0.026, 0.017, 0.035), Row("bounds", None, -0.51, 0.53)]
    sheet = forest_sheet(rows, title="x", x="B - A", subtitle="y")
    assert sheet.subtitle.endswith("; arrows: on to the numbers beside them, beyond the axis")
    spec = drawn("x", sheet, forest, "light").spec
    row = spec["data"]["values"][1]
    assert (row["drawn_lower"], row["drawn_upper"]) == pytest.approx((-0.0175, 0.0525))
    assert row["numbers"] == "[\N{MINUS SIGN}0.5100, 0.5300]"
    assert "L" in row["lower_shape"] != row["upper_shape"]
    assert "arrows" not in forest_sheet([rows[0], Row("bounds", None, 0.01, 0.04)], title="x", x="x").subtitle


def test_points_of_forest_plots_leave_their_intervals_to_be_seen():
    rows = [Row("long", 0.2, 0.0, 0.4), Row("short", 0.02, 0.018, 0.022), Row("all", 0.02, 0.018, 0.022, summary=True)]
    spec = drawn("x", forest_sheet(rows, title="x", x="B - A"), forest, "light").spec
    long, short, summary = (row["size"] for row in spec["data"]["values"])
    assert long > 50
    assert 12 < short == summary < 14


def test_captions_of_choices_say_what_dashes_are(results):
    found = results[Comparison]
    for exact, words in ((True, "dashed: from the lowest to the highest value with other grades of unjudged documents"),
                         (False, "dashed: no grades of unjudged documents give a value outside; ")):  # fmt: skip
        chart = replace(found, unjudged=replace(found.unjudged, exact=exact)).plot("choices")
        assert f"; bars: 95 % intervals\n{words}" in chart.caption


def test_axes_of_forest_plots_name_their_measures(results):
    assert results[Comparison].plot("slices").sheet.words["x"] == "B - A, nDCG@10"
    assert results[Gate].plot("checks").sheet.words["x"] == "B - A, nDCG@10; last row: AP(rel=1)"


def test_ahead_is_defined_where_it_occurs(results):
    groups = results[Slices]
    for verdict in (0, 1):
        parts = tuple(replace(part, verdict=verdict) for part in groups.slices)
        assert ("; ahead: significant at" in replace(groups, slices=parts).plot().caption) == bool(verdict)


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
    assert ", p < 0.0001\nB higher on " in caption  # on a line of its own, which is never broken


def test_the_interval_of_differences_is_beside_the_bars(results):
    bars = results[Comparison].plot("differences").spec["vconcat"][0]["layer"]
    assert bars[-1]["encoding"]["x"] == {"value": "width"}
    assert (bars[-3]["mark"]["color"], bars[-2]["mark"]["strokeDash"]) == (LIGHT.ground, [5, 3])


def test_the_map_of_metrics_explains_both_panels(results):
    caption = results[MetricMap].plot().caption
    assert "\nbelow: named measures, from those of the first ranks to those of all; unit: the standard dev" in caption
    mapped = results[MetricMap]
    unsure = tuple(replace(cell, outcome="B ahead") for cell in mapped.grid)
    svg = replace(mapped, grid=unsure).plot().to_svg()
    assert ">B ahead, not significant</text>" in svg
    assert ">B ahead</text>" not in svg


def test_points_of_an_attribute_grow_with_their_topics():
    table = {"n": {f"q{t}": t % 3 for t in range(60)}}
    qrels = {f"q{t}": {"a": 1, "b": 0} for t in range(60)}
    runs = {name: {f"q{t}": {"a": 1.0, "b": 2.0 if name == "x" and t % 5 == 0 else 0.5} for t in range(60)}
            for name in "xy"}  # fmt: skip
    chart = rs.compare(rs.load(qrels, runs), "x", "y", measure="RR", by="n", topics_table=table,
                       others=False).plot("attribute")  # fmt: skip
    assert len(chart.table["topic"]) == 60
    assert sorted(set(chart.table["topics"])) == [4, 16]
    assert "; larger points: several topics" in chart.caption
    assert len(chart.spec["data"]["values"]) == 6
    ends = [layer for layer in chart.spec["layer"] if layer["mark"]["type"] == "tick"]
    assert all(layer["mark"]["size"] >= 16 for layer in ends)
    assert len(ends) == 2


def test_the_path_says_in_its_title_what_its_marks_say():
    found = preferences.serps([("0101", "1001"), ("1001", "0110")], topics=["one", "two"])
    chart = found.plot("path", pair="two")
    assert chart.table["outcome"] == ["A ahead", "A ahead", "undecided", "undecided"]
    assert chart.title == "Undecided from rank 3 on: A is ahead first, at rank 1, and B at rank 3"
    assert chart.caption == (
        "IPSO of A against B, pair two; colours: who has been ahead so far; undecided: each has been ahead somewhere"
    )
    assert chart.spec["vconcat"][0]["layer"][1]["encoding"]["y"]["title"][0] == "relevant documents"


# many systems


def test_a_leaderboard_draws_the_best_and_its_lines_below_the_squares(results):
    figure = next(one for one in EVERY if one.of is Leaderboard and one.name == "leaderboard")
    board = results[Leaderboard]
    names = tuple(f"{name} {i}" for i in range(6) for name in board.systems)
    times = {key: np.tile(getattr(board, key), 6) for key in ("mean", "lower", "upper")}
    many = replace(board, systems=names, letters=board.letters * 6, best=board.best * 6, worst=board.worst * 6, **times)
    sheet = figure.sheet(many)
    assert len(sheet.columns["system"]) == 30
    assert sheet.subtitle.startswith("the best 30 of 48 systems; ")
    whole, cells = figure.drawing(figure.sheet(many, top=None), LIGHT)["hconcat"]
    assert cells["encoding"]["y"]["axis"]["zindex"] == 0
    font = whole["layer"][0]["encoding"]["y"]["axis"]["labelFontSize"]
    assert whole["height"] / 48 >= font + 2


def test_no_mean_of_a_leaderboard_is_below_0_on_its_axis(results):
    figure = next(one for one in EVERY if one.of is Leaderboard and one.name == "leaderboard")
    sheet = figure.sheet(results[Leaderboard])
    n = len(sheet.columns["system"])
    low = {"lower": [0.0] * n, "mean": [0.001 + i / 100 for i in range(n)], "upper": [0.24] * n}
    svg = drawn("x", replace(sheet, columns={**sheet.columns, **low}), figure.drawing, "light").to_svg()
    labels = [text for axis in ticks(svg) for _, text, _ in axis]
    assert "0.00" in labels
    assert not any(text.startswith("\N{MINUS SIGN}") for text in labels)
    ends = [part["encoding"]["x"]["field"] for part in figure.drawing(sheet, LIGHT)["hconcat"][0]["layer"]
            if part["mark"]["type"] == "tick"]  # fmt: skip
    assert ends == ["lower", "upper"]  # which stand out from points that are wider than the interval


def test_a_matrix_says_by_what_it_is_ordered_and_has_a_frame():
    systems = [f"s{i}" for i in range(60)]
    values = np.random.default_rng(3).random((12, 60))
    chart = rs.statistics.nemenyi(values, systems=systems).plot("pairs")
    assert (
        "A ahead: higher in mean rank within topics (higher is better), by which systems are ordered" in chart.caption
    )
    svg = chart.to_svg()
    assert ">A: place by mean rank within topics</text>" in svg
    frame, cells = chart.spec["layer"]
    assert frame["mark"]["stroke"] == LIGHT.faint
    assert len(frame["data"]["values"]) == 3 * 59 - 3
    assert cells["encoding"]["color"]["legend"]["columns"] == len(cells["encoding"]["color"]["scale"]["domain"])


def test_classes_of_agreement_are_in_words_and_opposite_directions_are_counted(results):
    found = results[studies.Agreement]
    for name in ("bars", "triangle"):
        svg = found.plot(name).to_svg()
        assert ">significant for</text>" in svg
        assert ">neither</text>" in svg
        assert "Both: " not in re.sub(r'aria-label="[^"]*"', "", svg)
    ahead = np.where(found.categories()[0, :, 0] == 0, -found.toward[0, :, 0], found.ahead)
    turned = replace(found, ahead=ahead)
    m, d = found.measures.index("P"), found.depths.index(10)
    both = int((found.categories()[m, d, 0] == 0).sum())
    assert both == int(turned.opposed[m, d, 0]) > 0
    caption = turned.plot("triangle").caption
    assert caption.endswith(f"\nagree: both tests are significant, {both} in opposite directions, or neither is")
    assert f"of which up to {turned.opposed.max()} of 28 pairs in opposite directions" in turned.plot("bars").caption
    assert ">100 %</text>" in found.plot("bars").to_svg()
    assert ">depth</text>" in found.plot("bars").to_svg()
    assert found.plot("triangle").spec["encoding"]["y"].get("sort") is None  # rank 1 is at the top


# metrics


def test_components_are_drawn_as_shares(results):
    parts_of = replace(results[VarianceComponents], run=0.0)
    chart = parts_of.plot()
    bars = chart.spec["data"]["values"]
    assert [row["percent"] for row in bars] == pytest.approx([100 * share for share in chart.table["share"]])
    assert ">0 % (0)</text>" in chart.to_svg()


def test_the_number_of_pairs_told_apart_is_on_the_axis(results):
    power = results[studies.DiscriminativePower]
    chart = power.plot(upto=1.0)
    rows = list(zip(*(chart.table[key] for key in ("pairs", "asl", "measure")), strict=True))
    for name, count in zip(power.candidates, power.significant[0], strict=True):
        told_apart = [pairs for pairs, asl, measure in rows if measure == name and asl < power.alpha]
        assert max(told_apart, default=0) == count
    names = [name for name in re.findall(r">([^<>]+)</text>", power.plot().to_svg()) if name in power.candidates]
    counts = [int(power.significant[0][power.candidates.index(name)]) for name in names]
    assert counts == sorted(counts, reverse=True)  # from the top, as lines cross the level from the right


def test_flat_beginnings_of_lines_are_not_drawn(results):
    power = results[studies.DiscriminativePower]
    pvalue = power.pvalue.copy()
    pvalue[:] = 0.001
    pvalue[..., -3:] = (0.02, 0.06, 0.5)
    chart = replace(power, pvalue=pvalue).plot()
    n = len(power.first)
    start = chart.sheet.words["start"]
    assert n - 6 <= start < n - 2
    assert f"; pairs 1 to {start - 1}, with an ASL up to 0.001 by every metric, not drawn" in chart.caption


def test_panels_of_one_quantity_have_one_scale(results):
    chart = results[studies.ScalesInPractice].plot()
    most = max(chart.table["value"])
    domains = [part["scale"]["domain"] for part in parts(chart.spec)
               if part.get("field") == "value" and "domain" in part.get("scale", {})]  # fmt: skip
    assert len(domains) >= 2
    assert all(domain == [0, most] for domain in domains)


@LOOKS
def test_marks_of_a_row_are_nested(look, results):
    """Those before the last are hollow and larger, so that points in one place are seen."""
    for kind, name in ((universe.Frequencies, "occurrence"), (studies.ScalesInPractice, "scales")):
        chart = results[kind].plot(name, theme=look.name)
        *_, points = [part for part in parts(chart.spec) if part.get("mark", {}).get("type") == "point"]
        fill, size = (points["encoding"][key]["scale"]["range"] for key in ("fill", "size"))
        assert set(fill[:-1]) == {look.ground}
        assert fill[-1] != look.ground
        assert all(large >= 1.4 * small for large, small in pairwise(size))


def test_many_lines_have_no_bands_and_the_caption_says_how_wide_they_would_be(results):
    few, many = (results[kind].plot() for kind in (studies.Removal, studies.Incompleteness))
    assert len(set(many.table["candidate"])) > 3 >= len(set(few.table["candidate"]))
    for chart, drawn_so in ((few, True), (many, False)):
        assert any(part.get("type") == "area" for part in parts(chart.spec)) == drawn_so
        assert ("bands: range of 2 samples" in chart.caption) == drawn_so
    widest = max(high - low for low, high in zip(many.table["lowest"], many.table["highest"], strict=True))
    low, high = map(float, re.search(r"widest range of samples: ([\d.]+) to ([\d.]+), ", many.caption).groups())
    assert high - low == pytest.approx(widest, abs=0.011)


def test_lines_in_one_place_differ_in_width(results):
    """The first drawn is the widest."""
    widths = [part["strokeWidth"]["scale"]["range"] for part in parts(results[studies.Removal].plot().spec)
              if isinstance(part.get("strokeWidth"), dict)]  # fmt: skip
    assert widths
    for one in widths:
        assert len(set(one)) == 3
        assert one == sorted(one, reverse=True)


def test_levels_end_where_nothing_changes(results):
    ties = results[studies.TiedRankings]
    tied, pairs = ties.level_tied.copy(), ties.level_pairs.copy()
    tied[3:], pairs[3:] = pairs[3:], pairs[3:]
    chart = replace(ties, level_tied=tied, deciding=ties.deciding[:2]).plot("levels")
    assert max(chart.table["level"]) == 4
    assert chart.caption.endswith(f"; levels 5 to {len(pairs)}, which change nothing, not drawn")
    assert "1" in {text for axis in ticks(chart.to_svg()) for _, text, _ in axis}


def test_rare_ranks_do_not_crowd_the_axis(results):
    ties = results[studies.TiedRankings]
    first, tied = ties.first_rank.copy(), ties.first_tied * 0
    first[:] = 0
    first[0], first[2], first[-1] = 9_993, 4, 3
    chart = replace(ties, first_rank=first, first_tied=tied).plot("first rank")
    assert chart.table["rank"] == [1]
    assert chart.caption.endswith("not drawn: ranks of below 0.1 % of the lists each, below 0.1 % in all")
    assert ">rank of the first relevant document (logarithmic)</" in chart.to_svg()


@pytest.mark.parametrize("narrow", [False, True])
def test_every_panel_of_a_scorecard_has_two_numbers(narrow, results):
    chart = results[studies.Scorecard].plot(narrow=narrow)
    svg = chart.to_svg()
    panels = ticks(svg)
    assert len(panels) == len(set(chart.table["panel"]))
    marks = [len(re.findall("<line", group)) for group in re.findall(r"role-axis-tick.*?</g>", svg, re.DOTALL)]
    assert sorted(len(panel) for panel in panels) == sorted(count for count in marks if count)
    assert ">against the leader of the column:</" in svg


def test_depths_of_metrics_are_said(judged):
    given = {"resampling": rs.statistics.Resampling(20), "workers": 1}
    assert (
        "; depth 10, of ERR@20: 20\n" in studies.consistency(judged, ["AP", "P@10", "ERR@20"], **given).plot().caption
    )
