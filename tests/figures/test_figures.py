"""Every figure builds, and says what its result holds."""

import csv
import json
import re
import warnings
from dataclasses import replace
from html import escape
from itertools import pairwise

import numpy as np
import pytest
from drawings import EACH, FEW, QUIET, least_letters, plain, width
from marks import slow

import rankscope as rs
from rankscope import figures, studies, universe
from rankscope.comparisons import Across, Comparison, Gate, Leaderboard, metric_map
from rankscope.figures import Chart, strips, two_systems
from rankscope.figures.metric_map import comparison_sheet
from rankscope.measures import MEASURES
from rankscope.preferences import serps
from rankscope.preferences.ipso import ipso_of
from rankscope.statistics import Resampling, adjust, max_t, t_all_pairs
from rankscope.statistics.families.comparisons import Comparisons
from rankscope.statistics.replications.repeated_runs import VarianceComponents


@pytest.mark.slow
@EACH
def test_every_figure_is_valid_vega_lite_and_the_same_again(figure, results):
    result = results[figure.of]
    chart = result.plot(figure.name)
    assert chart.to_json() == result.plot(figure.name).to_json()
    spec = chart.to_altair().to_dict()  # Altair checks it against the schema of Vega-Lite
    shown = spec["title"]["text"]
    assert plain(shown if isinstance(shown, str) else " ".join(shown)) == chart.title
    assert "title" not in result.plot(figure.name, title=False).spec
    assert json.loads(chart.to_json()) == chart.spec


@EACH
@pytest.mark.parametrize("theme", ["light", *slow("dark")])
def test_every_figure_is_drawn(figure, results, theme):
    chart = results[figure.of].plot(figure.name, theme=theme)
    svg = chart.to_svg()
    assert svg.startswith("<svg")
    assert all(escape(word, quote=False) in svg for word in chart.title.split())
    assert figures.THEMES[theme].ground in svg
    assert "<image" not in svg
    assert "NaN" not in svg
    assert "undefined" not in svg
    # strips with numbers in them are for a page, narrow ones for a column: a test below
    assert width(svg) <= 640
    assert figure.name == "strips" or least_letters(svg) >= 5.5


@EACH
def test_columns_are_plain_and_equally_long(figure, results):
    result = results[figure.of]
    sheet = figure.sheet(result)
    for columns in (sheet.columns, *sheet.more.values()):
        assert columns
        assert len({len(column) for column in columns.values()}) == 1
        kinds = {type(value) for column in columns.values() for value in column}
        assert kinds <= {str, int, float, bool, type(None)}
    assert result.plot(figure.name).table == sheet.columns


# tables hold what results hold


def test_strips(results):
    found = results[Comparison]
    sheet = figures.figure_of(found, "strips").sheet(found)
    ipso = found.without.ipso
    by_topic = ipso.columns()
    paths = {}
    for topic, rank, label in zip(*(sheet.columns[k] for k in ("topic", "rank", "class")), strict=True):
        paths.setdefault(topic, {})[rank] = label
    assert {t: "".join(p[r] for r in sorted(p)) for t, p in paths.items()} == dict(
        zip(by_topic["topic"], by_topic["path"], strict=True)
    )
    assert sheet.more["rows"]["topic"] == by_topic["topic"]  # the order of Figure 5
    tops = sheet.more["rows"]["top"]
    assert all(later >= earlier + 1 for earlier, later in pairwise(tops))
    # of the metric that decides, the comparison's own differences
    shown = sheet.more["differences"]
    here = {
        t: d for t, m, d in zip(shown["topic"], shown["metric"], shown["difference"], strict=True) if m == "nDCG@10"
    }
    columns = found.columns()
    assert here == dict(zip(columns["topic"], columns["difference"], strict=True))
    word = {1: "B ahead", -1: "A ahead", 0: "equal"}
    assert shown["outcome"] == [word[int(np.sign(d))] for d in shown["difference"]]
    assert found.plot("strips").spec["hconcat"][-1]["title"]["text"] == "B \N{MINUS SIGN} A"
    assert found.plot("strips", narrow=True).spec["hconcat"][-1]["title"]["text"] == "who scores higher"


def test_strips_show_the_lists(results, judged):
    code = judged.code.copy()
    code[:, ::2, 4:] = 0  # every second list ends at rank 4
    short = rs.Judged(judged.systems, judged.topics, code, judged.grades, judged.available, judged.rules)
    found = results[Comparison]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cut = rs.compare(short, *found.systems, measure="nDCG@10", palette=())
    for comparison, code in ((found, judged.code), (cut, short.code)):
        lists = figures.figure_of(comparison, "strips").sheet(comparison).more["lists"]
        rows = zip(*(lists[k] for k in ("topic", "system", "rank", "gain", "state")), strict=True)
        seen = {(topic, system, rank): (gain, state) for topic, system, rank, gain, state in rows}
        expected = {}
        for side, name in zip("AB", comparison.systems, strict=True):
            for topic in comparison.without.ipso.topics:
                codes = code[judged.systems.index(name), judged.topics.index(topic), :10].tolist()
                for rank, one in enumerate(codes, 1):
                    grade = 0.0 if one < 2 else max(0.0, judged.grades[one - 2])
                    state = "unjudged" if one == 1 else f"grade {grade:g}" if grade > 0 else "not relevant"
                    if one:
                        expected[topic, side, rank] = (pytest.approx(grade / 3), state)
        assert expected
        assert seen == expected


def test_captions_say_by_what_graded_lists_were_ordered(results, judged):
    found = results[Comparison]
    assert found.plot("strips").caption.endswith(
        "; by grade thresholds (1, 2, 3); relevant: grade 1 or more; \N{ALMOST EQUAL TO} 0: by less than 0.005"
    )
    assert "IPSO to depth 10 by grade thresholds (1, 2, 3)" in str(found.plot("differences").to_vega())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        by_sums, binary = (rs.ipso(judged, *judged.systems[:2], depth=5, gains=how) for how in ("linear", "binary"))
    assert by_sums.plot().caption.endswith("; by sums of gain (linear, the grade itself)")
    assert binary.plot().caption.endswith("; by relevance from grade 1")
    assert "by" not in serps([("10", "01")]).plot().caption
    assert universe.hasse(2, grades=2).plot().caption.endswith("; by grade thresholds")
    assert universe.hasse(2).plot().caption.endswith("are undecided; IPSO compares two lists without a metric")
    assert universe.order_grid(2, grades=2, gains="linear").plot().caption.endswith("; by sums of the gains 0, 1, 2")
    assert "undecided by IPSO by grade thresholds" in universe.freedom(["AP", "ERR"], 3, grades=2).plot().caption
    flips = universe.flips([2, 0, 1], [0, 1, 0]).plot().caption
    assert "; by IPSO's order of sums of these gains A is ahead of B; " in flips


def test_strips_of_bare_lists():
    found = serps([("10", "01"), ("00", "00")])
    sheet = figures.figure_of(found).sheet(found)
    assert sheet.columns["topic"] == ["2", "2", "1", "1"]
    assert sheet.columns["outcome"] == ["equal", "equal", "A ahead", "A ahead"]
    # RBP(0.5): 0.25 - 0.5
    at = list(zip(sheet.more["differences"]["topic"], sheet.more["differences"]["metric"], strict=True))
    here = at.index(("1", "RBP(p=0.5)"))
    assert sheet.more["differences"]["difference"][here] == pytest.approx(-0.25)
    assert sheet.more["differences"]["outcome"][here] == "A ahead"
    assert (
        found.plot().spec["hconcat"][-1]["title"]["text"] == "B \N{MINUS SIGN} A"
    )  # as in the result; the paper has A - B


def test_names_that_every_object_of_a_browser_has():
    topics = ["__proto__", "constructor", "valueOf", "4", "5", "6", "7"]
    qrels = {t: {"a": 1, "b": 0, "c": 2} for t in topics}
    runs = {
        "constructor": {t: {"a": 3, "b": 2, "c": i} for i, t in enumerate(topics)},
        "toString": {t: {"a": 1, "b": 2, "c": 0.5} for t in topics},
    }
    judged = rs.load(qrels, runs)
    board = rs.rank(judged, measure="P@2", resampling=Resampling(20))
    pair = rs.compare(judged, "constructor", "toString", measure="nDCG@3", resampling=Resampling(20))
    for chart in (board.plot("leaderboard"), pair.plot("differences"), pair.plot("strips")):
        svg = chart.to_svg()
        assert "[object" not in svg
        assert "constructor<" in svg


@pytest.fixture
def taken():
    """Metrics with names that every object of a browser has, as a plugin may have."""
    before = dict(MEASURES)
    for i, name in enumerate(("constructor", "toString", "__proto__", "valueOf")):

        def kernel(relevant, *, rel=1, p=0.5 + 0.1 * i):
            return relevant @ p ** np.arange(relevant.shape[-1])

        rs.measures.register(name=name, bounds=(0, 10))(kernel)
    yield ["constructor", "toString", "__proto__", "valueOf"]
    MEASURES.clear()
    MEASURES.update(before)


@QUIET
def test_metrics_with_names_that_every_object_of_a_browser_has(judged, taken):
    names = [*taken, "RBP_ERG@10"]  # and one with a short name, which labels go by
    given = {"resampling": FEW, "workers": 1}
    disagreement = universe.disagreement(names, depth=5)
    pair = rs.compare(judged, "lexical-3", "hybrid-1", measure="constructor", resampling=FEW, workers=1)
    charts = [
        studies.similarity(judged, names, workers=1).plot(),
        studies.consistency(judged, names, **given).plot(),
        studies.discriminative_power(judged, names, resampling=FEW, workers=1).plot(),
        studies.incompleteness(judged, names, fractions=(0.5, 0.9), resampling=Resampling(1), workers=1).plot(),
        studies.metrics(judged, measures=names, studies=("power", "ties"), **given).plot(),
        studies.agreement(judged, names[:-1], depths=[5, 10], workers=1).plot("bars"),
        studies.scales(judged, names[:-1], depth=5, workers=1).plot(),
        disagreement.plot(),
        universe.buckets(disagreement, {name: ["constructor", "valueOf"] for name in taken}).plot(),
        universe.frequencies(judged, names, depth=5).plot("occurrence"),
        universe.freedom(names, 5).plot(),
        metric_map(judged, "lexical-3", "hybrid-1", persistence=(0.5,), depths=(1,), ladder=names).plot(),
        pair.plot("strips", measures=names),
    ]
    for chart in charts:
        svg = chart.to_svg()
        words = " ".join(re.findall(r">([^<]+)</text>", svg))
        assert all(name in words for name in taken), chart.name
        assert not any(wrong in svg for wrong in ("[object", "function ", "native code", "undefined")), chart.name


def test_points_are_drawn_where_all_are_of_one_kind(results):
    found = results[studies.Alternatives]
    figure = figures.figure_of(found)
    sheet = figure.sheet(found)
    alike = replace(sheet, columns={**sheet.columns, "mark": ["ranks differently"] * len(sheet.columns["mark"])})
    svg = Chart(figure.name, alike, figure.drawing(alike, figures.THEMES["light"])).to_svg()
    points = [part for part in svg.split("<path ") if 'roledescription="point"' in part]
    assert len(points) == len(sheet.columns["mark"])
    assert all("NaN" not in part and 'd="M' in part for part in points)


def test_path_of_one_pair():
    found = serps([("0.5,0,1", "1,0,0"), ("1", "0")], topics=["first", "second"], gains="linear")
    sheet = figures.figure_of(found, "path").sheet(found)
    assert sheet.columns["difference"] == [0.5, 0.5, -0.5]
    assert sheet.columns["class"] == ["ns", "ns", "**"]
    assert sheet.columns["outcome"] == ["B ahead", "B ahead", "undecided"]
    assert sheet.words["unit"] == "gain"
    counted = serps([("0.5,0,1", "1,0,0"), ("1", "0")], topics=["first", "second"])  # a panel for each threshold
    sheet = figures.figure_of(counted, "path").sheet(counted)
    assert sheet.columns["what"] == ["B - A at 0.5"] * 3 + ["B - A at 1"] * 3
    assert sheet.columns["difference"] == [0, 0, -1, 1, 1, 0]
    assert sheet.columns["class"] == ["ns", "ns", "**"] * 2
    assert len(counted.plot("path").spec["vconcat"]) == 3
    assert counted.plot("path").caption.endswith("\nordered by grade thresholds (0.5, 1)")
    assert found.plot("path").caption.endswith("\nordered by sums of gain (linear, the grade itself)")
    assert "ordered" not in serps([("10", "01")]).plot("path").caption
    assert found.plot("path", pair="second").table["A"] == [1.0]
    with pytest.raises(rs.InputError, match="did you mean second"):
        found.plot("path", pair="secund")
    with pytest.raises(rs.InputError, match="one length"):
        found.plot("strips")


@pytest.mark.parametrize("topics", [1, 60, 61, 1143, 3000])
def test_strips_of_any_number_of_topics(topics):
    generator = np.random.default_rng(topics)
    found = ipso_of(*generator.integers(0, 2, (2, topics, 10)))
    svg = found.plot().to_svg()
    assert float(svg.split('height="')[1].split('"')[0]) < 1500


def test_cells_that_touch_show_no_seams(judged):
    """Renderers let the ground through between neighbours, unless each goes a little over its edge."""
    own = {"expr": "scale('color', datum.outcome)"}
    assert universe.order_grid(5).plot().spec["mark"]["stroke"] == own
    assert universe.order_grid(3).plot().spec["mark"]["stroke"] == figures.LIGHT.ground  # there are lines between
    many = ipso_of(*np.random.default_rng(0).integers(0, 2, (2, 200, 10))).plot().spec["hconcat"][-1]
    assert many["layer"][0]["mark"]["stroke"] == own
    svg = universe.order_grid(5).plot().to_svg()
    cells = re.findall(r'fill="(#\w+)" stroke="(#\w+)" stroke-width="0.5"', svg)
    assert len(cells) == 32**2
    assert all(fill == stroke for fill, stroke in cells)


def test_long_lists_are_drawn_in_few_pieces():
    generator = np.random.default_rng(0)
    found = ipso_of(*generator.integers(0, 2, (2, 30, 1000)))
    sheet = figures.figure_of(found).sheet(found)
    assert len(sheet.columns["rank"]) == 30_000
    cells = found.plot().spec["hconcat"][1]["data"]["values"]
    assert len(cells) <= 90  # equal, one ahead, undecided
    drawn = {}
    for cell in cells:
        drawn.setdefault(cell["topic"], []).append(cell["class"] * (cell["right"] - cell["left"]))
    paths = found.columns()
    assert {t: "".join(parts) for t, parts in drawn.items()} == dict(zip(paths["topic"], paths["path"], strict=True))


def test_differences(results):
    found = results[Comparison]
    columns = found.plot("differences").table
    whole = found.columns()
    assert columns["difference"] == sorted(whole["difference"])
    assert dict(zip(columns["topic"], columns["difference"], strict=True)) == dict(
        zip(whole["topic"], whole["difference"], strict=True)
    )
    assert columns["outcome"].count("B ahead") == found.effect.won
    assert columns["outcome"].count("A ahead") == found.effect.lost
    ni, ns, equal, mixed = found.without.counts
    counts = [columns["ipso"].count(word) for word in ("A ahead", "B ahead", "equal", "undecided")]
    assert counts == [ni, ns, equal, mixed]


def test_dominance_means_the_same_systems_in_a_comparison(results):
    found = results[Comparison]
    columns = found.plot("dominance").table  # B - A
    assert columns["difference"] == found.without.dominance.difference.tolist()
    assert set(columns["outcome"]) <= {"B ahead", "B ahead, significant"}
    # two tests: bands can leave 0 out where p claims nothing
    assert "p by Gaffke's test of bounded differences; 95 % bands by Student's t" in found.plot("dominance").caption
    alone = results[rs.preferences.Dominance].plot().table  # hybrid-1 - lexical-3, too
    assert alone["difference"] == pytest.approx(columns["difference"])
    assert set(alone["outcome"]) <= {"B ahead", "B ahead, significant"}


def test_choices(results):
    found = results[Comparison]
    columns = found.plot("choices").table
    kept = [r for r in found.repetitions if r.axis == "ties"]
    assert len(kept) == 2
    assert columns["estimate"] == [found.effect.difference, *(r.effect.difference for r in kept), None]
    assert columns["outcome"][0] == "B ahead"
    assert (columns["lower"][-1], columns["upper"][-1]) == (found.unjudged.lower, found.unjudged.upper)
    assert columns["outcome"][-1] is None


def test_metric_map_says_what_becomes_of_the_verdict(results):
    found = results[Comparison]
    sheet = comparison_sheet(found)
    # at depth 1 the settings of RBP differ by a factor alone, and are one metric
    first = [i for i, depth in enumerate(sheet.columns["depth"]) if depth == 1]
    assert len({sheet.columns["outcome"][i] for i in first}) == 1
    outcome = [word for i, word in enumerate(sheet.columns["outcome"]) if i not in first[1:]]
    assert re.search(f"(of|all) {len(outcome)} settings of RBP", sheet.title)
    assert found.verdict == 1
    holds, reverses = outcome.count("B ahead, significant"), outcome.count("A ahead, significant")
    words = {"holds": holds, "weakens": len(outcome) - holds - reverses, "reverses": reverses}
    shown = ", ".join(f"{word} in {count}" for word, count in words.items() if count)
    meaning = "; weakens: not significant" if words["weakens"] else ""
    assert sheet.subtitle.endswith(f"The verdict under {found.measure}, over these settings of RBP: {shown}{meaning}")
    assert sheet.title.endswith(f" ({holds} significant)")


@QUIET
def test_ladder_is_in_units_of_the_deviation_over_topics(judged):
    found = metric_map(judged, "lexical-3", "hybrid-1", persistence=(0.5,), depths=(1,), ladder=("AP",))
    ladder = figures.figure_of(found).sheet(found).more["ladder"]
    ap = rs.evaluate(judged, "AP").matrix("AP")
    d = ap[:, judged.systems.index("hybrid-1")] - ap[:, judged.systems.index("lexical-3")]
    assert ladder["difference_sd"] == [pytest.approx(d.mean() / d.std(ddof=1))]
    same = metric_map(judged, "hybrid-1", "hybrid-1", persistence=(0.3, 0.95), depths=(2, 100), ladder=())
    same.plot().to_svg()


def test_leaderboard(results):
    found = results[Leaderboard]
    sheet = figures.figure_of(found).sheet(found)
    assert sheet.columns["system"] == list(found.systems)
    assert sheet.columns["lower"] == found.lower.tolist()
    held = {}
    for name, letter in zip(sheet.more["groups"]["system"], sheet.more["groups"]["letter"], strict=True):
        held[name] = held.get(name, "") + letter
    assert [held[name] for name in found.systems] == list(found.letters)


def test_agreement(results):
    found = results[studies.Agreement]
    columns = found.plot("triangle", measure="nDCG", depth=5, test="sign").table
    assert columns == found.triangle("nDCG", 5, "sign").columns()
    bars = found.plot("bars").table
    assert bars["share"] == found.figures()["bars"]["share"]
    assert sum(bars["share"]) == pytest.approx(len(bars["share"]) / 4)


def test_similarity(results):
    found = results[studies.Similarity]
    columns = found.plot().table
    for row, column, what, tau in zip(*(columns[k] for k in ("row", "column", "what", "tau")), strict=True):
        pair = found.of(row, column)
        assert tau == pair["tau" if what == "by mean scores" else "topic_tau"]
        below = found.candidates.index(row) > found.candidates.index(column)
        assert below == (what == "by mean scores")


def test_studies(results):
    found = results[studies.ConsistencyStudy]
    columns = found.plot().table
    assert dict(zip(columns["measure"], columns["tau"], strict=True)) == pytest.approx(found.mean)
    found = results[studies.DiscriminativePower]
    columns = found.plot(upto=1.0).table
    n = len(found.first)
    assert columns == {**found.figures()["asl_curves"], "pairs": [n + 1 - pair for pair in columns["pair"]]}
    few = found.plot(upto=0.01).to_svg()  # below the level, which is on no tick then
    assert ">0.000</text>" in few
    assert ">0.010</text>" in few
    some = found.plot(upto=0.05).table
    inside = [asl for asl in some["asl"] if asl <= 0.05]
    assert inside == [asl for asl in columns["asl"] if asl <= 0.05]
    assert 0 < len(some["asl"]) - len(inside) <= len(found.candidates)  # one a curve comes in from above
    large = replace(found, pvalue=np.maximum(found.pvalue, 0.5))
    assert large.plot().table == large.plot(upto=1.0).table  # where none is small, all are drawn
    for kind, value in ((studies.Incompleteness, "tau"), (studies.Removal, "agreement")):
        assert results[kind].plot().table[value] == results[kind].columns()[value]
    found = results[studies.TiedRankings]
    assert found.plot("labels").table["share"] == found.columns("labels")["share"]
    columns = found.plot("levels").table
    tied = [s for s, what in zip(columns["share"], columns["what"], strict=True) if what == "tied at this level"]
    assert tied == found.columns("levels")["tied"]
    assert None not in found.plot("first rank").table["rank"]


def test_separability(results):
    for kind in (studies.ObservedSeparability, universe.SeparabilityCounts, universe.ExpectedSeparability):
        columns = results[kind].plot().table
        bars = {}
        for model, k, share in zip(columns["model"], columns["k"], columns["share"], strict=True):
            bars[model, k] = bars.get((model, k), 0.0) + share
        assert all(total == pytest.approx(1) for total in bars.values())
    columns = results[universe.SeparabilityCounts].plot().table
    assert columns["share"][3] == results[universe.SeparabilityCounts].columns()["non_separable"][0]


def test_hasse_lines_end_at_names(results):
    for found in (results[universe.Hasse], universe.hasse(5)):
        sheet = figures.figure_of(found).sheet(found)
        at = {name: (x, h) for name, x, h in zip(*(sheet.columns[k] for k in ("ranking", "x", "height")), strict=True)}
        assert len(set(at.values())) == len(at) == len(found.universe)
        arrows = sheet.more["arrows"]
        for low, high, x, h, x2, h2 in zip(*arrows.values(), strict=True):
            assert (at[low], at[high]) == ((x, h), (x2, h2))
            assert h < h2
        assert sorted(zip(arrows["upper"], arrows["lower"], strict=True)) == sorted(
            zip(*(found.columns()[k] for k in ("upper", "lower")), strict=True)
        )
    with pytest.raises(rs.InputError, match="up to 64"):
        universe.hasse(7).plot()


def test_grid_and_disagreement(results):
    found = results[universe.OrderGrid]
    columns = found.plot().table
    assert [columns["class"].count(label) for label in found.counts] == list(found.counts.values())
    assert columns["ranking_row"] == found.columns()["row"]
    found = results[universe.Disagreement]
    assert found.plot().table["percent"] == found.columns()["any_percent"]


def test_features(results):
    found = results[universe.Features]
    pair = (found.rows[0].a, found.rows[0].b)
    columns = found.plot(pairs=[pair]).table
    rows = [row for row in found.rows if (row.a, row.b) == pair]
    assert columns["percent"][::2] == [-row.percent(row.a_prefers) for row in rows]
    assert columns["percent"][1::2] == [row.percent(row.b_prefers) for row in rows]
    with pytest.raises(rs.InputError, match="no pair"):
        found.plot(pairs=[("AP", "nothing")])


def test_features_have_a_panel_a_pair_and_no_more(results):
    panels = results[universe.Features].plot().spec["concat"]
    assert [panel["title"]["text"] for panel in panels] == ["A: AP, B: DCG", "A: AP, B: P@5", "A: DCG, B: P@5"]


def test_scorecard(results):
    found = results[studies.Scorecard]
    columns = found.plot().table
    panel = {"power, %": "power", "consistency": "consistency", "tied, %": "tied", "as IPSO, %": "ipso"}
    assert set(columns["panel"]) == {*panel}
    at = {name: i for i, name in enumerate(found.candidates)}
    for row, name, value, mark in zip(*columns.values(), strict=True):
        column = panel[name]
        assert value == found.rows[column][at[row]]
        leaders = [one for one, n, m in zip(*(columns[k] for k in ("row", "panel", "mark")), strict=True)
                   if n == name and m == "leads"]  # fmt: skip
        best = (min if column == "tied" else max)(found.rows[column])
        assert (mark == "leads") == (row in leaders) == (value == pytest.approx(best))

        def behind(row, column=column, leaders=leaders):
            return any(
                d.column == column and row in (d.first, d.second) and d.favours in leaders and d.favours != row
                for d in found.differences
            )

        if column in ("power", "ipso"):
            assert mark in ("leads", "no test")
        elif mark == "behind it":
            assert behind(row)
        elif mark == "not told apart from it":
            assert not behind(row)
    assert "few" in found.plot().caption  # eight systems are
    bare = studies.Scorecard(rows={"candidate": ["AP"], "scale": ["neither"]}, differences=(), studied={}, warnings=(),
                             notes=(), alpha=0.05, settings=found.settings)  # fmt: skip
    with pytest.raises(rs.InputError, match="none of these studies"):
        bare.plot()


def test_alternatives(results):
    from dataclasses import replace

    found = results[studies.Alternatives]
    one = found.rows[0]
    made = replace(found, rows=(
        replace(one, measure="better", tau=0.95, consistency=-0.1, pvalue=0.5, gained=4, lost=1),
        replace(one, measure="no better", tau=0.95, consistency=0.1, pvalue=0.5, gained=1, lost=1),
        replace(one, measure="unlike", tau=0.5, consistency=0.1, pvalue=0.001, gained=9, lost=0),
    ))  # fmt: skip
    columns = made.plot().table
    assert columns["mark"][::3] == ["ranks alike, better", "ranks alike, no better", "ranks differently"]
    assert columns["value"] == [0.95, -0.1, 3.0, 0.95, 0.1, 0.0, 0.5, 0.1, 9.0]


def test_scales_and_buckets(results):
    found = results[studies.ScalesInPractice]
    columns = found.plot().table
    assert columns["value"] == [100 * share for share in found.figures()["significance"]["share"]]
    assert columns["row"][0] == f"AP@5 ({found.scale_of('AP@5')})"
    found = results[universe.Buckets]
    columns = found.plot().table
    drawn = {(r, m): v for r, m, v in zip(*(columns[k] for k in ("row", "mark", "value")), strict=True)}
    word = {"has": "both have it", "cross": "one has it", "no": "neither has it"}
    expected = {
        (one.name, word[name]): bucket.mean
        for one in found.properties
        for name, bucket in one.buckets.items()
        if bucket.pairs
    }
    assert drawn == expected


def test_frequencies(results):
    found = results[universe.Frequencies]
    columns, names, drawn_names = (
        found.plot().table,
        [str(m) for m in found.measures],
        found.plot().sheet.words["names"],
    )
    assert sorted(drawn_names) == sorted(names)
    for row, column, what, percent in zip(*columns.values(), strict=True):
        i, j = names.index(row), names.index(column)
        assert (what == "lists") == (drawn_names.index(row) > drawn_names.index(column))
        counts, pairs = (found.either, found.pairs) if what == "lists" else (found.means_either, found.system_pairs)
        assert percent == pytest.approx(100 * counts[i, j] / pairs)
    columns = found.plot("occurrence", pairs=1).table
    most = max(found.columns()["any_percent"])
    assert dict(zip(columns["mark"], columns["value"], strict=True))["lists that occur"] == most
    assert len(set(found.plot("occurrence").table["row"])) == 3
    with pytest.raises(rs.InputError, match="from 1"):
        found.plot("occurrence", pairs=0)


def test_freedom(results):
    found = results[universe.Freedom]
    columns, counts = found.plot().table, found.counts()
    for i, key in enumerate(("greater", "equal", "less")):
        assert columns["pairs"][i::3] == counts[key]
    alone = universe.freedom(["AP", "RR"])
    assert "100 (first) and 011 (second)" in alone.plot().caption


def test_flips(results):
    found = universe.flips("100", "011")  # 1 - p - p^2 is 0 where p is the golden ratio less 1
    sheet = figures.figure_of(found).sheet(found)
    assert sheet.columns["outcome"] == ["A ahead", "B ahead"]
    assert sheet.columns["to"] == [pytest.approx((5**0.5 - 1) / 2), 1.0]
    curve = dict(zip(sheet.more["curve"]["p"], sheet.more["curve"]["difference"], strict=True))
    assert curve[0.0] == -1.0  # B - A: A is ahead of B
    assert curve[0.5] == pytest.approx(-0.5 * (1 - 0.5 - 0.25))
    assert curve[1.0] == 0.0
    never = universe.flips("110", "011").plot()
    assert never.title == "RBP prefers A whatever its persistence"
    never.to_svg()
    assert universe.flips([0.5, 0, 1], [0, 1, 0]).plot().to_svg().startswith("<svg")
    assert universe.flips("10", "10").plot().table["outcome"] == ["equal"]


def test_dominance_matrix(results):
    found = results[rs.preferences.DominanceMatrix]
    columns = found.plot().table
    n = len(found.systems)
    assert len(columns["first"]) == n * (n - 1) // 2
    place = {name: i for i, name in enumerate(found.systems)}
    for row in zip(*columns.values(), strict=True):
        first_place, second_place, first, second, p, q, outcome = row
        i, j = place[first], place[second]
        assert first_place < second_place
        assert (p, q) == (found.pvalue[i, j], found.pvalue[j, i])
        assert ("significant" in outcome) == (min(p, q) <= 0.025)
        if outcome == "undecided":
            assert not found.ahead[i, j]
            assert not found.ahead[j, i]
        else:
            assert found.ahead[i, j] == outcome.startswith("B")
    with pytest.raises(rs.InputError, match="alpha"):
        found.plot(alpha=1)
    lists = {"1": {"x": 2, "y": 1}, "2": {"y": 2, "x": 1}}
    judged = rs.load({"1": {"x": 1}, "2": {"x": 1}}, {"a": lists, "b": lists})
    same = rs.preferences.dominance_all_pairs(judged, depth=1)
    assert same.plot().table["outcome"] == ["undecided"]
    assert "metrics differ, or all tie" in same.plot().caption


def test_comparisons_of_all_pairs(results):
    """Corrected or not, by any procedure: one square per pair, the better system first."""
    found = results[Comparisons]
    for compared, alpha in ((found, 0.05), (adjust(found, "holm"), 0.01)):
        columns = compared.plot(alpha=alpha).table
        n, pvalue = len(compared.systems), compared.matrix()
        assert len(columns["first"]) == n * (n - 1) // 2
        place = {name: i for i, name in enumerate(compared.systems)}
        for first_place, second_place, first, second, apart, p, outcome in zip(*columns.values(), strict=True):
            i, j = place[first], place[second]
            assert apart == compared.location[i] - compared.location[j]
            assert first_place < second_place
            assert compared.location[i] > compared.location[j]
            assert p == pvalue[i, j]
            assert outcome == ("A ahead, significant" if p < alpha else "A ahead")
        assert ("uncorrected" in compared.plot().caption) != compared.corrected
        assert compared.method in compared.plot().caption
    best = found.plot(top=3)
    assert best.caption.startswith(f"the best 3 of {n} systems; ")
    sure = best.table["outcome"].count("A ahead, significant")
    assert best.title == f"{sure} of 3 pairs of systems differ significantly"
    assert best.table["first_place"] == [1, 1, 2]


def test_comparisons_that_have_no_square_for_each_pair():
    scores = np.random.default_rng(0).random((5, 301))
    with pytest.raises(rs.InputError, match="top=300"):
        t_all_pairs(scores).plot()
    assert len(t_all_pairs(scores).plot(top=300).table["first"]) == 300 * 299 // 2
    with pytest.raises(rs.InputError, match="without a baseline"):
        max_t(scores[:, :4], baseline=0, resampling=Resampling(9)).plot()
    tied = t_all_pairs(scores[:, [0, 0]]).plot()
    assert tied.table["outcome"] == ["undecided"]
    assert "undecided: the same mean" in tied.caption


@EACH
def test_every_chart_has_what_pages_take(figure, results):
    chart = results[figure.of].plot(figure.name, theme="dark", title=False)
    assert chart.table == figure.sheet(results[figure.of]).columns
    assert chart.title
    assert "title" not in chart.spec
    assert list(chart.tables.values()) == [chart.table, *chart.sheet.more.values()]
    assert all(name == name.lower() and " " not in name for name in chart.tables)
    lines = list(csv.reader(chart.to_csv().splitlines()))
    assert lines[0] == list(chart.table)
    assert len(lines) == 1 + len(next(iter(chart.table.values())))
    assert chart.to_vega()["$schema"].startswith("https://vega.github.io/schema/vega/")


def test_recall_levels_that_no_topic_has():
    """Judgments of a few relevant documents leave correlations of deep levels open: no square, and a figure still."""
    qrels = {f"t{t}": {"d1": 1, "d2": 1, "d3": 0} for t in range(4)}
    runs = {name: {topic: dict(zip(docs, (3, 2, 1), strict=True)) for topic in qrels}
            for name, docs in (("a", ("d1", "d2", "d3")), ("b", ("d3", "d1", "d2")))}  # fmt: skip
    found = studies.locality(rs.load(qrels, runs), n_levels=4)
    assert np.isnan(found.correlation[3]).all()
    chart = found.plot()
    assert "nan" not in chart.to_json().lower()
    assert "<svg" in chart.to_svg()
    assert "<img" in found._repr_html_()


def test_of_many_topics_as_many_are_drawn_as_there_are_pixels(monkeypatch):
    """Evenly spaced, from one end of the order to the other; counts are of all topics."""
    rng = np.random.default_rng(3)
    qrels = {f"q{t}": {f"d{d}": int(rng.integers(0, 2)) for d in range(6)} | {"d0": 1} for t in range(50)}
    runs = {name: {f"q{t}": {f"d{d}": float(rng.random()) for d in range(6)} for t in range(50)} for name in "ab"}
    found = rs.compare(rs.load(qrels, runs), "a", "b")
    whole = {name: sheet(found) for name, sheet in (("bars", two_systems.differences_sheet),
                                                    ("strips", strips.comparison_sheet))}  # fmt: skip
    monkeypatch.setattr(two_systems, "BARS", 11)
    monkeypatch.setattr(strips, "DRAWN", 11)
    bars, rows = two_systems.differences_sheet(found), strips.comparison_sheet(found)
    every = whole["bars"].columns["difference"]
    assert len(bars.columns["difference"]) == 11
    assert (bars.columns["difference"][0], bars.columns["difference"][-1]) == (every[0], every[-1])
    assert set(bars.columns["difference"]) <= set(every)
    assert "11 of 50 topics, evenly spaced" in bars.words["x"]
    assert len(rows.more["rows"]["topic"]) == 11
    assert rows.subtitle == whole["strips"].subtitle.replace(" (one per row)", "").replace(
        "; \N{ALMOST EQUAL TO} 0: ", "; rows: 11 of these topics, evenly spaced; \N{ALMOST EQUAL TO} 0: "
    )
    assert rows.words["counts"] == whole["strips"].words["counts"]  # which labels of sections print
    cells = set(
        zip(*(whole["strips"].more["differences"][name] for name in ("topic", "metric", "difference")), strict=True)
    )
    assert (
        set(zip(*(rows.more["differences"][name] for name in ("topic", "metric", "difference")), strict=True)) <= cells
    )


def test_a_leaderboard_draws_its_pairs(results):
    board = results[Leaderboard]
    chart = board.plot("pairs")
    for first, second, apart, p in zip(*(chart.table[key] for key in ("first", "second", "difference", "pvalue")),
                                       strict=True):  # fmt: skip
        i, j = board.systems.index(first), board.systems.index(second)
        assert apart == board.mean[i] - board.mean[j] >= 0
        assert p == board.pvalues[i, j]
    svg = chart.to_svg()
    assert f">{chart.table['difference'][0]:.3f}</text>" in svg
    # of many systems, colours alone
    many = t_all_pairs(np.random.default_rng(0).random((9, 12))).plot()
    assert f">{many.table['difference'][0]:.3f}</text>" not in many.to_svg()


@EACH
def test_letters_of_narrow_figures_can_be_read(figure, results):
    """At 8.5 cm, which are 241 points."""
    svg = results[figure.of].plot(figure.name, narrow=True).to_svg()
    assert width(svg) <= 482
    assert least_letters(svg) >= 5.98


SIGNED = [("differences", Comparison), ("choices", Comparison), ("dominance", Comparison), ("metric map", Comparison),
          ("slices", Comparison), ("attribute", Comparison), ("forest", Across), ("checks", Gate),
          ("path", rs.preferences.Serps), ("flips", universe.Flips), ("features", universe.Features)]  # fmt: skip


@pytest.mark.parametrize(("name", "kind"), SIGNED)
def test_zero_is_labelled_where_signs_matter(name, kind, results):
    for narrow in (False, True):
        assert re.search(r">0(\.0+)?( %)?</text>", results[kind].plot(name, narrow=narrow).to_svg())


def test_captions_explain_the_marks_that_occur(results):
    for chart in (results[studies.ConsistencyStudy].plot(), results[studies.ConsistencyStudy].plot(narrow=True)):
        assert any(chart.table["mark"]) == ("> k:" in chart.caption)
        assert any(chart.table["mark"]) != ("no metric is significantly more consistent" in chart.title)
        assert "no metric" not in chart.caption  # which the title says


def test_legends_of_faint_points_are_not_faint(results):
    for name in ("scatter", "attribute"):
        layers = results[Comparison].plot(name).spec["layer"]
        legends = [part["encoding"]["color"]["legend"] for part in layers if "color" in part.get("encoding", {})]
        assert any(legend["symbolOpacity"] == 1 for legend in legends if legend)


def test_ticks_of_documents_are_whole(results):
    svg = results[rs.preferences.Serps].plot("path").to_svg()
    assert not re.search(r">.?0\.\d</text>", svg)


def test_legends_show_what_occurs(results):
    chart = results[Comparison].plot("differences")
    drawn = {*chart.table["outcome"], *chart.table["ipso"]} - {None}
    svg = chart.to_svg()
    for word in ("equal", "A ahead", "B ahead", "undecided"):
        assert (f">{word}</text>" in svg) == (word in drawn)


@pytest.mark.parametrize(("name", "kind", "by", "panels"), [
    ("labels", studies.TiedRankings, "candidate", 1), ("incompleteness", studies.Incompleteness, "candidate", 2),
    ("ASL curves", studies.DiscriminativePower, "measure", 1),
])  # fmt: skip
def test_up_to_six_lines_have_their_names_beside_them(name, kind, by, panels, results):
    chart = results[kind].plot(name)
    names = set(chart.table[by])
    assert len(names) <= 6
    assert "legends" not in chart.to_vega()
    svg = chart.to_svg()
    assert all(svg.count(f">{line}</text>") >= panels for line in names)


def test_judges_that_reverse_nothing_have_no_such_class_in_the_legend(results):
    chart = results[studies.JudgeStudy].plot("verdicts")
    assert "reversed" not in chart.table["outcome"]
    assert ">reversed</text>" not in chart.to_svg()
    heads = re.findall(r">([^<]+)<", results[studies.JudgeStudy].plot("judges").to_svg())
    assert {"verdicts", "kept", "tau,", "top 8"} <= set(heads)  # on two lines: side by side they would overlap


def test_labels_of_an_axis_do_not_touch(results):
    labels = re.findall(r">(\d+)</text>", results[VarianceComponents].plot().at_width(960).to_svg())
    assert 2 <= len(labels) <= 8
