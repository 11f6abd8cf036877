"""Words and marks have room, whatever there is to draw."""

import re
import warnings
from dataclasses import replace
from html import escape
from itertools import pairwise

import numpy as np
import pytest
from drawings import EACH, EVERY, FEW, LOOKS, QUIET, least_letters, parts, plain, ticks, width

import rankscope as rs
from rankscope import studies, universe
from rankscope.comparisons import CollectionBoard, Comparison, Leaderboard, MetricMap, metric_map
from rankscope.figures.chart import Sheet, _lines, drawn
from rankscope.figures.fractions import _bands
from rankscope.figures.vega import across, room
from rankscope.measures.cwla.paper import shortened
from rankscope.measures.scores import Scores
from rankscope.preferences import serps
from rankscope.preferences.ipso import ipso_of


@EACH
def test_captions_are_written_well(figure, results):
    chart = results[figure.of].plot(figure.name)
    things = "topic|system|pair|list|document|sample|split|measure|metric|time"
    for text in (chart.title, chart.caption):
        assert not re.search(r"(?<![\d.(])(?=\d*[2-9])\d{4,}", text)  # 1,143; rankings such as 1011 are no numbers
        assert not re.search(rf"(?<![\d,.])1 ({things})s\b", text)
        # true on dark ground too
        assert not re.search(r"\b(dark|pale|light|bright|black|white)", text)


def test_few_and_many_are_counted_well(judged):
    one = ipso_of(*np.array([[[1, 0]], [[0, 1]]])).plot()
    assert one.caption == "depth 2; 1 topic: 1 A ahead; IPSO: Moffat and Mackenzie (2024)"
    many = ipso_of(*np.ones((2, 1143, 2), int)).plot()
    assert "1,143 topics" in many.caption
    assert "1,143 equal" in many.caption
    assert serps([("10", "01")]).plot().caption.startswith("depth 2; 1 pair: ")
    assert _bands({"resamples": 1}, {}) == "one sample"
    assert "24,054 A ahead" in universe.order_grid(8, "AP", "RBP(p=0.8)").plot().caption
    assert universe.flips("100", "011").plot().title == "RBP prefers A up to p = 0.618, B from 0.618 on"
    assert universe.hasse(1).plot().title.startswith("IPSO orders 2 rankings of 1 document in 1 step")


def test_lines_part_no_number_from_what_it_counts():
    text = "tau-b with the ranking by the whole pool; 126 systems, 1,143 topics; bands: range of 2 samples, 95 % each"
    for most in range(20, 60):
        for line in _lines(text, most):
            assert not re.search(r"\d$", line)
    assert _lines("The first relevant document is at rank 1", 39)[-1].endswith("rank\N{NO-BREAK SPACE}1")
    lines = _lines("Dominance: a-rather-long-name-of-a-system (B) over another-name (A); B ahead", 48)
    assert [plain(line) for line in lines] == [
        "Dominance: a-rather-long-name-of-a-system (B)", "over another-name (A); B ahead"]  # fmt: skip
    counted = "pairs told apart: P@10 (1,021), nDCG@10 (14); most alike: AP and RR (0.92)"
    for most in range(20, 60):
        assert not any(line.startswith("(") for line in _lines(counted, most))


# little, much and nothing to draw


LONG = 'nDCG(dcg="exp-log2")@10'
SYSTEMS = ("optimalobservedantiprecision", "optimalobservedprecision", "smootheditemaverage", "plsa")


@QUIET
def test_long_names_are_whole(judged):
    generator = np.random.default_rng(1)
    topics = [f"t{i}" for i in range(9)]
    qrels = {t: {f"d{i}": int(i % 3 == 0) for i in range(9)} for t in topics}
    runs = {s: {t: {f"d{i}": float(generator.random()) for i in range(9)} for t in topics} for s in SYSTEMS}
    here = rs.load(qrels, runs)
    board = rs.rank(here, measure="AP", resampling=FEW).plot()
    matrix = rs.preferences.dominance_all_pairs(here, depth=3, gains="linear", workers=1).plot()
    for chart in (board, matrix):
        svg = chart.to_svg()
        assert all(name in svg for name in SYSTEMS[:3])
        assert width(svg) <= 500
        assert least_letters(svg) >= 5
    metrics = [LONG, "AP@10", "nDCG@10", "RBP(p=0.95)@10", "P@10"]
    charts = [
        studies.similarity(judged, metrics, workers=1).plot(),
        studies.consistency(judged, metrics, resampling=FEW, workers=1).plot(),
        studies.discriminative_power(judged, metrics, resampling=FEW, workers=1).plot(),
        universe.freedom(metrics, 4).plot(),
        metric_map(judged, "lexical-3", "hybrid-1", persistence=(0.5,), depths=(1,), ladder=metrics).plot(),
        rs.compare(judged, "lexical-3", "hybrid-1", measure=LONG, resampling=FEW, workers=1).plot("strips"),
    ]
    for chart in charts:
        svg = chart.to_svg()
        assert escape(LONG.split("@")[0], quote=False) in svg, chart.name
        assert "…" not in svg, chart.name
        assert width(svg) <= 640


@QUIET
def test_names_over_bars_do_not_overlap(judged):
    few = studies.agreement(judged, ["RR", "RBP(p=0.5)", "RBP(p=0.8)"], depths=[5, 10], workers=1).plot("bars").spec
    assert few["spec"]["width"] >= 56  # RBP(p=0.5) in letters of 10 px
    assert "labelAngle" not in few["facet"]["column"]["header"]
    names = [f"RBP(p=0.{i}5)" for i in range(1, 10)]
    many = studies.agreement(judged, names, depths=[5], tests=["sign"], workers=1).plot("bars")
    assert many.spec["facet"]["column"]["header"]["labelAngle"] == -90
    svg = many.to_svg()
    assert width(svg) <= 480
    order = [word for word in re.findall(r">([^<]+)</text>", svg) if word in names]
    assert order == names


def test_legends_have_as_few_rows_as_fit():
    assert across(["AP", "RR"]) == 2
    assert across(["AP", "nDCG@10", "P@10", "RR", "RBP(p=0.8)", "ERR@20"]) == 3  # two rows, as four columns have
    assert across(["x" * 60, "y" * 60]) == 1
    assert across([]) == 0
    assert room(["ab", "abcd"], font=10) == pytest.approx(22.4)
    assert room(["a" * 1000]) == 200


def test_lines_at_the_edge_are_whole(results):
    levels = results[studies.TiedRankings].plot("levels").spec["layer"]
    curves = results[studies.DiscriminativePower].plot().spec
    several = curves["layer"] if "layer" in curves else curves["vconcat"][0]["layer"]
    lines = [next(part["mark"] for part in layer if part["mark"]["type"] == "line") for layer in (levels, several)]
    assert lines[0]["clip"] is False  # all pairs are decided in the end, which is the edge
    assert lines[1]["clip"] is True  # these go on above
    first = results[studies.TiedRankings].plot("first rank").spec["encoding"]
    radius = (first["size"]["scale"]["range"][1] / np.pi) ** 0.5
    assert first["x"]["scale"]["padding"] > radius


def test_bars_of_many_topics_touch():
    generator = np.random.default_rng(2)
    topics = [f"t{i}" for i in range(200)]
    qrels = {t: {"a": 1, "b": 0} for t in topics}
    runs = {s: {t: {"a": float(generator.random()), "b": 0.5} for t in topics} for s in ("one", "two")}
    spec = rs.compare(rs.load(qrels, runs), "one", "two", measure="RR", depth=2).plot("differences").spec
    bars, strip = spec["vconcat"]
    assert bars["layer"][0]["encoding"]["x"]["scale"]["paddingInner"] == 0
    assert strip["mark"]["stroke"] == {"expr": "scale('color', datum.ipso)"}


def test_recall_levels_are_named(results):
    assert results[studies.Locality].plot().to_svg().count(">recall level</text>") == 2


@pytest.mark.parametrize("kind", [Comparison, rs.preferences.Ipso, rs.preferences.Serps])
def test_strips_fit_a_column(results, kind):
    narrow = results[kind].plot("strips", narrow=True)
    assert narrow.table == results[kind].plot("strips").table
    assert width(narrow.to_svg()) <= 480
    assert least_letters(narrow.to_svg()) >= 6


def test_leaderboard_of_the_best(results):
    found = results[Leaderboard]
    chart = found.plot(top=3)
    assert chart.table["system"] == list(found.systems[:3])
    assert set(chart.sheet.more["groups"]["system"]) == {*found.systems[:3]}
    assert chart.caption.startswith("the best 3 of 8 systems; ")
    with pytest.raises(rs.InputError, match="top"):
        found.plot(top=0)


def test_curves_of_many_pairs_are_thinned_where_nobody_sees_it():
    from rankscope.figures.metrics import _thinned

    generator = np.random.default_rng(5)
    n = 5000
    asl = np.sort(np.round(generator.random((2, n)) ** 3, 3))[:, ::-1]
    columns = {"test": ["t"] * 2 * n, "measure": ["a"] * n + ["b"] * n, "pair": [*range(1, n + 1)] * 2,
               "asl": asl.ravel().tolist()}  # fmt: skip
    kept = _thinned(columns, 1 / 400)
    assert len(kept["pair"]) < n / 2
    for metric, row in zip("ab", asl, strict=True):
        at = [i for i, name in enumerate(kept["measure"]) if name == metric]
        pair, value = [kept["pair"][i] for i in at], [kept["asl"][i] for i in at]
        assert (pair[0], pair[-1]) == (1, n)
        assert np.abs(np.interp(range(1, n + 1), pair, value) - row).max() <= 1 / 400 + 1e-9


@QUIET
@pytest.mark.slow
def test_edges(judged, results):
    with pytest.raises(rs.InputError, match="alone has nothing"):
        studies.similarity(judged, ["AP"], workers=1).plot()
    with pytest.raises(rs.InputError, match="no pair of systems has a p value up to 1e-09"):
        results[studies.DiscriminativePower].plot(upto=1e-9)
    charts = [
        results[studies.DiscriminativePower].plot(upto=1.0),
        rs.dominance(judged, "lexical-3", "hybrid-1", depth=1, gains="linear", workers=1).plot(),
        rs.ipso(judged, "lexical-3", "hybrid-1", depth=1, gains="linear").plot(),
        rs.rank(judged, measure="AP", systems=["lexical-1", "hybrid-2"], workers=1).plot(),
        studies.agreement(_two(judged), ["P"], depths=[1], tests=["sign"], workers=1).plot("triangle"),
        universe.hasse(1).plot(),
        universe.order_grid(1).plot(),
        universe.hasse(2, grades=2).plot(),
        universe.separability(1).plot(),
        universe.tie_curve(10, 2, [1]).plot(),
    ]
    for chart in charts:
        chart.to_altair().to_dict()
        assert chart.to_svg().startswith("<svg")


def test_a_correlation_that_is_not_defined_is_left_out(results):

    found = results[studies.Similarity]
    tau = found.overall.copy()
    tau[0] = np.nan
    chart = replace(found, overall=tau).plot()
    assert chart.sheet.columns["tau"][0] is None
    assert "null" not in chart.to_svg()


def _two(judged):
    from rankscope.judged import with_systems

    return with_systems(judged, judged.systems[:2])


# names of metrics


def test_user_models_have_short_names_in_figures_and_whole_ones_in_tables(judged):
    pairs = ["RBP_ERG@10", "RBP_max@10", "RBP_PE@10"]
    wanted = set(pairs)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rs.DataWarning)
        similarity = studies.similarity(judged, pairs, workers=1)
        consistency = studies.consistency(judged, pairs, resampling=FEW, workers=1)
        power = studies.discriminative_power(judged, pairs, methods=[], resampling=FEW, workers=1)
    others = studies.alternatives(similarity, consistency, power, canonical=str(rs.measure("RBP_ERG@10")))
    freedom = universe.freedom(["RBP_ERG", "RBP_max", "RBP_PE"], 4)
    cases = [
        (similarity, wanted),
        (consistency, wanted),
        (power, wanted),
        (others, wanted - {"RBP_ERG@10"}),
        (freedom, {"RBP_ERG@4", "RBP_max@4", "RBP_PE@4"}),
    ]
    for found, shown in cases:
        chart = found.plot()
        words = set(re.findall(r">([^<]+)</text>", chart.to_svg()))
        assert shown <= words
        assert not any(word.startswith("CWLA") for word in words)
        names = {str(rs.measure(name)) for name in shown}
        assert names <= {one for column in chart.table.values() for one in column if isinstance(one, str)}


def test_other_parameters_have_no_short_name():
    assert shortened(str(rs.measure("INST_ERR@20"))) == "INST_ERR@20"
    assert shortened(str(rs.measure("AP_ETG"))) == "AP_ETG"
    for name in ('CWLA(model="RBP(p=0.5)",agg="PE(beta=0.5)")@10', "nDCG@10", "AP", "a@b", "x@10", ""):
        assert shortened(name) == name


def guides(value):
    """Axes and legends of a drawing whose values are given."""
    if isinstance(value, dict):
        found = [value[key] for key in ("axis", "legend") if isinstance(value.get(key), dict)]
        yield from (guide for guide in found if guide.get("values"))
        value = [part for key, part in value.items() if key not in ("data", "datasets")]
    if isinstance(value, list):
        for part in value:
            yield from guides(part)


@EACH
def test_labels_of_given_values_have_all_their_decimals(figure, results):
    for guide in guides(results[figure.of].plot(figure.name).spec):
        if "format" in guide and not isinstance(guide["values"][0], str):
            decimals = int((re.findall(r"\.(\d+)~?[fg]", guide["format"]) or [0])[0])
            assert all(round(value, decimals) == pytest.approx(value, abs=1e-12) for value in guide["values"])


def test_an_axis_prints_its_values_where_their_own_steps_are_coarser():
    axis = {"values": [0.72, 0.84], "format": "~f"}
    x = {"field": "x", "type": "quantitative", "scale": {"domain": [0.7, 0.86]}, "axis": axis}
    sheet = Sheet(columns={"x": [0.75]}, title="", subtitle="")
    svg = drawn("one", sheet, lambda *_: {"data": {"values": [{"x": 0.75}]}, "mark": "point", "encoding": {"x": x}},
                "light").to_svg()  # fmt: skip
    assert {"0.72", "0.84"} <= {*re.findall(r">([\d.]+)</text>", svg)}


def test_plots_with_names_beside_them_keep_their_width(results):
    plots = results[studies.Incompleteness].plot(narrow=True).spec["vconcat"]
    assert len(plots) == 2
    assert min(plot["width"] for plot in plots) >= 200


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


@QUIET
@pytest.mark.parametrize("narrow", [False, True])
@pytest.mark.parametrize("metrics", [["AP", "RR"], [f"P@{k}" for k in range(1, 13)]], ids=len)
def test_intervals_are_named_where_they_are_drawn(narrow, metrics, judged):
    chart = studies.similarity(judged, metrics, workers=1).plot(narrow=narrow)
    svg = chart.to_svg()
    assert "interval" not in chart.caption
    few = len(metrics) == 2
    assert (">second line of a square: 95 % interval</" in svg) == few
    assert any("interval" in text for text in re.findall(r">([^<>]+)</text>", svg)) == few  # no word on others
    assert (">(by Fieller, Hartley and Pearson for mean scores)</" in svg) == few  # not cut
    assert "…" not in svg
    assert bool(re.search(r">\[[\N{MINUS SIGN}\d.]+, [\d.]+\]</text>", svg)) == few


def test_a_line_is_named_where_there_is_one(results):
    scores = results[Scores]
    systems = scores.plot("cost", cost=dict.fromkeys(scores.systems, 1.0)).table["system"]  # the best first
    for costs, lines in ((range(1, 9), False), (range(8, 0, -1), True)):
        chart = scores.plot("cost", cost=dict(zip(systems, map(float, costs), strict=True)))
        assert ("line: " in chart.caption) == lines


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


def test_points_have_the_colours_of_the_legend(results):
    for name in ("attribute", "scatter"):
        chart = results[Comparison].plot(name)
        assert len(chart.table["topic"]) <= 200
        points = [part for part in parts(chart.spec) if part.get("type") == "point"]
        assert [point["opacity"] for point in points] == [1]


def test_a_share_of_0_is_drawn(results):
    figure = next(one for one in EVERY if one.name == "unjudged")
    sheet = figure.sheet(results[Scores])
    n = len(sheet.columns["system"])
    for share, points in (([5.0, *[0.0] * (n - 1)], [n, n - 1]), ([0.0] * n, [n, n])):
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
