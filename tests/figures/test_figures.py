"""Every figure builds, exports and says what its result holds."""

import json
import runpy
import subprocess
import sys
import warnings
from html import escape
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import rankscope as rs
from rankscope import figures, studies, universe
from rankscope.comparisons import Comparison, Ranking
from rankscope.figures import FIGURES, metric_map
from rankscope.preferences import serps
from rankscope.preferences.ipso import ipso_of
from rankscope.statistics import Resampling

GALLERY = sorted((Path(__file__).parents[2] / "examples" / "gallery").glob("*.py"))
METRICS = ["AP", "nDCG@10", "P@10", "RR"]
FEW = Resampling(200)
QUIET = pytest.mark.filterwarnings("ignore::rankscope.DataWarning")  # one topic has no relevant document
HOSTILE = ("<img src=x onerror=alert(1)>&\"'", "a" * 10_000, "\u202eltr\u05d0\u05d1", "\udcff bytes", "new\nline")


@pytest.fixture(scope="module")
def judged():
    return rs.load(*rs.simulation.embedded(), keep_docs=True)


@pytest.fixture(scope="module")
def results(judged):
    """One result for every kind that has figures."""
    qrels, runs = rs.simulation.embedded()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rs.DataWarning)
        ties = {how: rs.load(qrels, runs, ties=how) for how in ("best", "worst")}
        every = [
            rs.compare(judged, "lexical-3", "hybrid-1", measure="nDCG@10", ties=ties, workers=1),
            rs.ipso(judged, "lexical-3", "hybrid-1", depth=10, gains="linear"),
            serps([("1011", "0111"), ("0000", "1000"), ("1010", "0100")]),
            rs.dominance(judged, "lexical-3", "hybrid-1", depth=10, gains="linear", workers=1),
            metric_map(judged, "lexical-3", "hybrid-1", persistence=(0.5, 0.8), depths=(1, 10)),
            rs.rank(judged, measure="nDCG@10", workers=1),
            studies.agreement(judged, ["P", "nDCG"], depths=[5, 10], workers=1),
            studies.similarity(judged, METRICS, workers=1),
            studies.consistency(judged, METRICS, splits=FEW, chance=FEW, workers=1),
            studies.discriminative_power(judged, METRICS, chance=FEW, workers=1),
            studies.incompleteness(judged, METRICS, fractions=(0.9, 0.5), samples=2, workers=1),
            studies.removal(judged, fractions=(0.5, 0.9), samples=2, workers=1),
            studies.ties(judged, fractions=(0.5, 1.0), samples=2, workers=1),
            studies.locality(judged),
            studies.separability(judged, workers=1),
            universe.separability([5, 10]),
            universe.expected_separability(judged, [5, 10], gains="binary"),
            universe.hasse(3),
            universe.order_grid(3, "RBP(p=0.5)", "RBP(p=0.8)"),
            universe.disagreement(["AP", "DCG", "P"], depth=5),
            universe.features(["AP", "DCG", "P"], depth=5),
            universe.tie_curve(1000, (5, 10), range(1, 50)),
        ]
    return {type(one): one for one in every}


EACH = pytest.mark.parametrize("figure", FIGURES, ids=lambda f: f"{f.name} of {f.of.__module__}.{f.of.__name__}")


@EACH
def test_every_figure_is_valid_vega_lite_and_the_same_again(figure, results):
    result = results[figure.of]
    chart = result.plot(figure.name)
    assert chart.to_json() == result.plot(figure.name).to_json()
    spec = chart.to_altair().to_dict()  # Altair checks it against the schema of Vega-Lite
    assert spec["title"]["text"] == chart.sheet.title
    assert "title" not in result.plot(figure.name, title=False).spec
    assert json.loads(chart.to_json()) == chart.spec


@EACH
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_figure_is_drawn(figure, results, theme):
    chart = results[figure.of].plot(figure.name, theme=theme)
    svg = chart.to_svg()
    assert svg.startswith("<svg")
    assert escape(chart.sheet.title, quote=False) in svg
    assert figures.THEMES[theme].ground in svg
    assert "<image" not in svg
    assert "NaN" not in svg
    assert "undefined" not in svg
    width = float(svg.split('width="')[1].split('"')[0])
    assert width <= 640  # so that letters can be read in a column of 8.5 cm


@EACH
def test_columns_are_plain_and_equally_long(figure, results):
    result = results[figure.of]
    sheet = figure.sheet(result)
    for columns in (sheet.columns, *sheet.more.values()):
        assert columns
        assert len({len(column) for column in columns.values()}) == 1
        kinds = {type(value) for column in columns.values() for value in column}
        assert kinds <= {str, int, float, bool, type(None)}
    assert figures.table(result, figure.name) == sheet.columns


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
    # of the metric that decides, A - B is what the comparison has as B - A
    shown = sheet.more["differences"]
    here = {
        t: d for t, m, d in zip(shown["topic"], shown["metric"], shown["difference"], strict=True) if m == "nDCG@10"
    }
    columns = found.columns()
    assert here == {t: -d for t, d in zip(columns["topic"], columns["difference"], strict=True)}
    word = {1: "A ahead", -1: "B ahead", 0: "equal"}
    assert shown["outcome"] == [word[int(np.sign(d))] for d in shown["difference"]]


def test_strips_show_the_lists(results, judged):
    found = results[Comparison]
    lists = figures.figure_of(found, "strips").sheet(found).more["lists"]
    rows = zip(*(lists[k] for k in ("topic", "system", "rank", "gain", "state")), strict=True)
    seen = {(topic, system, rank): (gain, state) for topic, system, rank, gain, state in rows}
    for side, name in zip("AB", found.systems, strict=True):
        for topic in found.without.ipso.topics:
            codes = judged.code[judged.systems.index(name), judged.topics.index(topic), :10].tolist()
            for rank, code in enumerate(codes, 1):
                if code == 0:
                    assert (topic, side, rank) not in seen
                    continue
                grade = 0.0 if code == 1 else max(0.0, judged.grades[code - 2])
                state = "unjudged" if code == 1 else "relevant" if grade > 0 else "not relevant"
                assert seen[topic, side, rank] == (pytest.approx(grade / 3), state)


def test_strips_of_bare_lists():
    found = serps([("10", "01"), ("00", "00")])
    sheet = figures.figure_of(found).sheet(found)
    assert sheet.columns["topic"] == ["2", "2", "1", "1"]
    assert sheet.columns["outcome"] == ["equal", "equal", "A ahead", "A ahead"]
    # RBP(0.5): 0.5 - 0.25
    at = list(zip(sheet.more["differences"]["topic"], sheet.more["differences"]["metric"], strict=True))
    assert sheet.more["differences"]["difference"][at.index(("1", "RBP(0.5)"))] == pytest.approx(0.25)


def test_path_of_one_pair():
    found = serps([("0.5,0,1", "1,0,0"), ("1", "0")], topics=["first", "second"])
    sheet = figures.figure_of(found, "path").sheet(found)
    assert sheet.columns["ahead"] == [-0.5, -0.5, 0.5]
    assert sheet.columns["class"] == ["ns", "ns", "**"]
    assert sheet.columns["outcome"] == ["B ahead", "B ahead", "undecided"]
    assert figures.table(found, "path", pair="second")["A"] == [1.0]
    with pytest.raises(rs.InputError, match="did you mean second"):
        found.plot("path", pair="secund")
    with pytest.raises(rs.InputError, match="one length"):
        found.plot("strips")


@pytest.mark.parametrize("topics", [1, 60, 61, 1143])
def test_strips_of_any_number_of_topics(topics):
    generator = np.random.default_rng(topics)
    found = ipso_of(*generator.integers(0, 2, (2, topics, 10)))
    svg = found.plot().to_svg()
    assert float(svg.split('height="')[1].split('"')[0]) < 1500


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
    columns = figures.table(found, "differences")
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
    columns = figures.table(found, "dominance")  # of B over A
    assert columns["difference"] == found.without.dominance.difference.tolist()
    assert set(columns["outcome"]) == {"B ahead"}
    alone = figures.table(results[rs.preferences.Dominance])  # of lexical-3, A here, over hybrid-1
    assert alone["difference"] == pytest.approx([-d for d in columns["difference"]])
    assert set(alone["outcome"]) == {"B ahead"}


def test_choices(results):
    found = results[Comparison]
    columns = figures.table(found, "choices")
    kept = [o for o in found.others if o.kind in ("ties", "unjudged")]
    assert len(kept) == 4
    assert columns["difference"] == [found.effect.difference, *(o.effect.difference for o in kept)]
    assert columns["outcome"][0] == "B ahead"


@QUIET
def test_metric_map_against_a_slow_twin(judged):
    from scipy.stats import ttest_rel

    found = metric_map(judged, "lexical-3", "hybrid-1", persistence=(0.5, 0.9), depths=(1, 20), ladder=("AP",))
    relevant = judged.code >= 2 + np.searchsorted(judged.grades, 1)
    has = judged.available[:, np.searchsorted(judged.grades, 1) :].sum(axis=1) > 0
    a, b = (relevant[judged.systems.index(name)][has] for name in found.systems)
    for place in found.grid:
        p, k = place.persistence, place.depth
        weight = (1 - p) * p ** np.arange(k)
        one, other = a[:, :k] @ weight, b[:, :k] @ weight
        assert place.effect.difference == pytest.approx((other - one).mean())
        pvalue = ttest_rel(other, one).pvalue
        assert place.effect.pvalue == pytest.approx(pvalue)
        side = "B ahead" if (other - one).mean() > 0 else "A ahead"
        assert place.outcome == (f"{side}, significant" if pvalue < 0.05 else side)
    assert sum(found.counts().values()) == 4
    assert [p.metric for p in found.ladder] == ["AP"]
    ladder = figures.figure_of(found).sheet(found).more["ladder"]
    ap = rs.evaluate(judged, "AP").matrix("AP")
    d = ap[:, judged.systems.index("hybrid-1")] - ap[:, judged.systems.index("lexical-3")]
    assert ladder["difference_sd"] == [pytest.approx(d.mean() / d.std(ddof=1))]


def test_metric_map_of_the_other_order_is_its_mirror(judged):
    given = {"persistence": (0.3, 0.95), "depths": (2, 100), "ladder": ()}
    one = metric_map(judged, "lexical-3", "hybrid-1", **given)
    other = metric_map(judged, "hybrid-1", "lexical-3", **given)
    turned = {"A": "B", "B": "A", "e": "e"}
    assert [turned[p.outcome[0]] + p.outcome[1:] for p in one.grid] == [p.outcome for p in other.grid]
    assert_allclose(one.columns()["difference"], -np.array(other.columns()["difference"]))
    twice = metric_map(judged, "lexical-3", "hybrid-1", persistence=(0.3, 0.3, 0.95), depths=(2, 2, 100), ladder=())
    assert twice.columns() == one.columns()
    same = metric_map(judged, "hybrid-1", "hybrid-1", **given)
    assert {p.outcome for p in same.grid} == {"equal"}
    same.plot().to_svg()


def test_metric_map_says_what_is_wrong(judged):
    with pytest.raises(rs.InputError, match="from 1 to 100"):
        metric_map(judged, "lexical-3", "hybrid-1", depths=(0, 1000))
    with pytest.raises(rs.InputError, match="alpha"):
        metric_map(judged, "lexical-3", "hybrid-1", alpha=2)
    with pytest.raises(rs.InputError, match="no system is named"):
        metric_map(judged, "lexical-3", "hybrid-9")


def test_leaderboard(results):
    found = results[Ranking]
    sheet = figures.figure_of(found).sheet(found)
    assert sheet.columns["system"] == list(found.systems)
    assert sheet.columns["lower"] == found.lower.tolist()
    held = {}
    for name, letter in zip(sheet.more["groups"]["system"], sheet.more["groups"]["letter"], strict=True):
        held[name] = held.get(name, "") + letter
    assert [held[name] for name in found.systems] == list(found.letters)


def test_agreement(results):
    found = results[studies.Agreement]
    columns = figures.table(found, "triangle", metric="nDCG", depth=5, test="sign")
    assert columns == found.triangle("nDCG", 5, "sign").columns()
    bars = figures.table(found, "bars")
    assert bars["share"] == found.figures()["bars"]["share"]
    assert sum(bars["share"]) == pytest.approx(len(bars["share"]) / 4)


def test_similarity(results):
    found = results[studies.Similarity]
    columns = figures.table(found)
    for row, column, what, tau in zip(*(columns[k] for k in ("row", "column", "what", "tau")), strict=True):
        pair = found.of(row, column)
        assert tau == pair["tau" if what == "by mean scores" else "topic_tau"]
        below = found.candidates.index(row) > found.candidates.index(column)
        assert below == (what == "by mean scores")


def test_studies(results):
    found = results[studies.Consistency]
    columns = figures.table(found)
    assert dict(zip(columns["metric"], columns["tau"], strict=True)) == pytest.approx(found.mean)
    found = results[studies.DiscriminativePower]
    columns = figures.table(found, upto=1.0)
    assert columns == found.figures()["asl_curves"]
    some = figures.table(found, upto=0.05)
    inside = [asl for asl in some["asl"] if asl <= 0.05]
    assert inside == [asl for asl in columns["asl"] if asl <= 0.05]
    assert 0 < len(some["asl"]) - len(inside) <= len(found.candidates)  # one a curve comes in from above
    for kind, value in ((studies.Incompleteness, "tau"), (studies.Removal, "agreement")):
        assert figures.table(results[kind])[value] == results[kind].columns()[value]
    found = results[studies.TiedRankings]
    assert figures.table(found, "labels")["share"] == found.columns("labels")["share"]
    columns = figures.table(found, "levels")
    tied = [s for s, what in zip(columns["share"], columns["what"], strict=True) if what == "tied at this level"]
    assert tied == found.columns("levels")["tied"]
    assert None not in figures.table(found, "first rank")["rank"]


def test_separability(results):
    for kind in (studies.Separability, universe.Separability, universe.ExpectedSeparability):
        columns = figures.table(results[kind])
        bars = {}
        for model, k, share in zip(columns["model"], columns["k"], columns["share"], strict=True):
            bars[model, k] = bars.get((model, k), 0.0) + share
        assert all(total == pytest.approx(1) for total in bars.values())
    columns = figures.table(results[universe.Separability])
    assert columns["share"][3] == results[universe.Separability].columns()["non_separable"][0]


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
    found = results[universe.Grid]
    columns = figures.table(found)
    assert [columns["class"].count(label) for label in found.counts] == list(found.counts.values())
    assert columns["ranking_row"] == found.columns()["row"]
    found = results[universe.Disagreement]
    assert figures.table(found)["percent"] == found.columns()["any_percent"]


def test_features(results):
    found = results[universe.Features]
    pair = (found.rows[0].a, found.rows[0].b)
    columns = figures.table(found, pairs=[pair])
    rows = [row for row in found.rows if (row.a, row.b) == pair]
    assert columns["percent"][::2] == [-row.percent(row.a_prefers) for row in rows]
    assert columns["percent"][1::2] == [row.percent(row.b_prefers) for row in rows]
    with pytest.raises(rs.InputError, match="no pair"):
        figures.table(found, pairs=[("AP", "nothing")])


# little, much and nothing to draw


@QUIET
def test_edges(judged, results):
    with pytest.raises(rs.InputError, match="alone has nothing"):
        studies.similarity(judged, ["AP"], workers=1).plot()
    charts = [
        results[studies.DiscriminativePower].plot(upto=1e-9),
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
    from dataclasses import replace

    found = results[studies.Similarity]
    tau = found.overall.copy()
    tau[0] = np.nan
    chart = replace(found, overall=tau).plot()
    assert chart.sheet.columns["tau"][0] is None
    assert "null" not in chart.to_svg()


def _two(judged):
    from rankscope.comparisons.scored import only

    return only(judged, judged.systems[:2])


# names from files, files, and what is missing


def test_hostile_names_are_escaped():
    generator = np.random.default_rng(3)
    run = {s: {t: {"d1": float(generator.random()), "d2": 0.5} for t in map(str, range(8))} for s in HOSTILE}
    qrels = {t: {"d1": 1, "d2": 0} for t in map(str, range(8))}
    judged = rs.load(qrels, run)
    charts = [rs.rank(judged, measure="AP", chance=FEW).plot()]
    found = rs.compare(judged, HOSTILE[0], HOSTILE[1], measure="AP", depth=2)
    charts += [found.plot(name) for name in figures.names(found)]
    charts += [rs.compare(judged, HOSTILE[2], HOSTILE[3], measure="AP", depth=2).plot("differences")]
    for chart in charts:
        svg = chart.to_svg()
        assert "<img" not in svg
        assert float(svg.split('width="')[1].split('"')[0]) < 800
    assert "&lt;img" in charts[0].to_svg()


def test_files(results, tmp_path):
    found = results[universe.TieCurve]
    starts = {"svg": b"<svg", "pdf": b"%PDF", "png": b"\x89PNG", "json": b"{", "html": b"<!DOCTYPE html>"}
    for kind, start in starts.items():
        path = found.save_plot(tmp_path / f"figure.{kind}")
        assert path.read_bytes().lstrip().startswith(start)
    page = (tmp_path / "figure.html").read_text()
    assert 'src="http' not in page  # all of it is inside
    small, large = (found.save_plot(tmp_path / f"{s}.svg", scale=s).read_text() for s in (1, 2))
    assert 2 * float(small.split('width="')[1].split('"')[0]) == float(large.split('width="')[1].split('"')[0])
    with pytest.raises(rs.InputError, match=r"one of \.svg, \.pdf"):
        found.save_plot(tmp_path / "figure.gif")
    with pytest.raises(rs.InputError, match="cannot be written"):
        found.save_plot(tmp_path / "nowhere" / "figure.svg")
    with pytest.raises(rs.InputError, match="scale"):
        found.save_plot(tmp_path / "figure.png", scale=0)


def test_without_the_extra(results, tmp_path, monkeypatch):
    for name in ("altair", "vl_convert"):
        monkeypatch.setitem(sys.modules, name, None)
    chart = results[universe.TieCurve].plot()
    cure = r'pip install "rankscope\[figures\]"'
    for ending in ("svg", "pdf", "png", "html"):
        with pytest.raises(rs.InputError, match=cure):
            chart.save(tmp_path / f"figure.{ending}")
    with pytest.raises(rs.InputError, match=cure):
        chart.to_altair()
    assert set(chart._repr_mimebundle_()) == {"text/plain", "application/vnd.vegalite.v5+json"}
    chart.save(tmp_path / "figure.json")


def test_in_a_notebook(results):
    shown = results[universe.Hasse].plot()._repr_mimebundle_()
    assert shown["image/svg+xml"].startswith("<svg")
    assert shown["application/vnd.vegalite.v5+json"]["data"]["values"]


@QUIET
def test_what_has_no_figure(results, judged):
    with pytest.raises(rs.InputError, match="no figure of a Scores"):
        rs.evaluate(judged, "AP").plot()
    with pytest.raises(rs.InputError, match="there is strips, differences"):
        results[Comparison].plot("strip")
    with pytest.raises(rs.InputError, match="theme 'blue' is unknown"):
        results[Comparison].plot(theme="blue")
    scores = rs.evaluate(judged, "AP")
    alone = rs.compare(scores, "lexical-3", "hybrid-1", measure="AP")
    alone.plot("differences").to_svg()
    for name in ("strips", "dominance", "metric map", "choices"):
        with pytest.raises(rs.InputError, match=r"load|lists"):
            alone.plot(name)


def test_figures_are_imported_when_asked_for():
    code = "import sys, rankscope.results, rankscope.comparisons; print('rankscope.figures' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


@pytest.mark.parametrize("script", GALLERY, ids=lambda path: path.stem)
def test_gallery(script, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rs.DataWarning)
        runpy.run_path(str(script))
    assert (tmp_path / f"{script.stem}.svg").read_text().startswith("<svg")


def test_the_gallery_has_every_figure():
    text = "".join(path.read_text() for path in GALLERY)
    assert len(GALLERY) >= 27
    for figure in FIGURES:
        several = len([one for one in FIGURES if one.of is figure.of]) > 1
        # a result with several figures is asked for each by name, unless another kind of result shows the same
        alike = any(one.drawing is figure.drawing and one.of is not figure.of for one in FIGURES)
        assert f'"{figure.name}"' in text or not several or alike
