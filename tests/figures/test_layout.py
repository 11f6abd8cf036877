"""Words and marks have room, whatever there is to draw."""

import re
import warnings
from dataclasses import replace
from html import escape

import numpy as np
import pytest
from drawings import EACH, FEW, QUIET, least_letters, plain, width

import rankscope as rs
from rankscope import studies, universe
from rankscope.comparisons import Comparison, Leaderboard, metric_map
from rankscope.figures.chart import _lines
from rankscope.figures.metrics import _bands
from rankscope.figures.vega import across, room
from rankscope.measures.cwla.paper import shortened
from rankscope.preferences import serps
from rankscope.preferences.ipso import ipso_of


@EACH
def test_captions_are_written_well(figure, results):
    chart = results[figure.of].plot(figure.name)
    things = "topic|system|pair|list|document|sample|split|measure|metric|time"
    for text in (chart.title, chart.caption):
        assert not re.search(r"(?<![\d.])(?=\d*[2-9])\d{4,}", text)  # 1,143; rankings such as 1011 are no numbers
        assert not re.search(rf"(?<![\d,.])1 ({things})s\b", text)
        # true on dark ground too
        assert not re.search(r"\b(dark|pale|light|bright|black|white)", text)


def test_few_and_many_are_counted_well(judged):
    one = ipso_of(*np.array([[[1, 0]], [[0, 1]]])).plot()
    assert one.caption == "depth 2; 1 topic: 1 A ahead"
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
