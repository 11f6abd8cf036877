"""Names from files, files of figures, notebooks, the gallery, and what is missing."""

import json
import re
import runpy
import subprocess
import sys
import warnings
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from drawings import EACH, FEW, QUIET, least_letters, width
from marks import slow

import rankscope as rs
from rankscope import figures, studies, universe
from rankscope.comparisons import Comparison, Leaderboard
from rankscope.figures import FIGURES
from rankscope.figures.chart import NARROW
from rankscope.formatting import visible
from rankscope.preferences import serps

GALLERY = sorted((Path(__file__).parents[2] / "examples" / "gallery").glob("*.py"))
HOSTILE = ("<img src=x onerror=alert(1)>&\"'", "a" * 10_000, "\u202eltr\u05d0\u05d1", "\udcff bytes", "new\nline")


@pytest.mark.parametrize("measure", ["new\nline", "\x1b[31mred", "back\\x1bslash", 'a "quote"'])
def test_hostile_names_of_measures_are_in_no_expression(measure):
    generator = np.random.default_rng(4)
    values = {system: {topic: float(generator.random()) for topic in "12345678"} for system in "abc"}
    scores = rs.read_scores(values, measure=measure)
    comparison, board = rs.compare(scores, "a", "b", resampling=FEW), rs.rank(scores, resampling=FEW)
    charts = [comparison.plot(name) for name in ("differences", "scatter")]
    charts += [board.plot(name) for name in ("leaderboard", "critical difference")]
    for chart in charts:
        root = ElementTree.fromstring(chart.to_svg())
        assert visible(measure) in "".join(root.itertext()).replace("\N{NO-BREAK SPACE}", " ")
        assert not any("\x1b" in text for element in root.iter() for text in element.attrib.values())


@pytest.mark.slow
def test_hostile_names_are_escaped():
    generator = np.random.default_rng(3)
    run = {s: {t: {"d1": float(generator.random()), "d2": 0.5} for t in map(str, range(8))} for s in HOSTILE}
    qrels = {t: {"d1": 1, "d2": 0} for t in map(str, range(8))}
    judged = rs.load(qrels, run)
    charts = [rs.rank(judged, measure="AP", resampling=FEW).plot()]
    scores = rs.evaluate(judged, ["AP", "RR", "Judged@2", "IPrec@0", "IPrec@1"])
    charts += [scores.plot(name) for name in figures.names(scores)]
    found = rs.compare(judged, HOSTILE[0], HOSTILE[1], measure="AP", depth=2)
    charts += [found.plot(name) for name in figures.names(found)]
    charts += [rs.compare(judged, HOSTILE[2], HOSTILE[3], measure="AP", depth=2).plot("differences")]
    for chart in charts:
        svg = chart.to_svg()
        assert "<img" not in svg
        assert width(svg) < 700
    assert "&lt;img" in charts[0].to_svg()


def test_files(results, tmp_path):
    found = results[universe.TieCurve]
    starts = {"svg": b"<svg", "pdf": b"%PDF", "png": b"\x89PNG", "json": b"{", "html": b"<!DOCTYPE html>"}
    for kind, start in starts.items():
        path = found.save_plot(tmp_path / f"figure.{kind}")
        assert path.read_bytes().lstrip().startswith(start)
    page = (tmp_path / "figure.html").read_text()
    assert 'src="http' not in page  # all of it is inside
    assert '"editor":false' in page.replace(" ", "").replace("\n", "")  # nor is it sent away by a click
    small, large = (found.save_plot(tmp_path / f"{s}.svg", scale=s).read_text() for s in (1, 2))
    assert 2 * float(small.split('width="')[1].split('"')[0]) == float(large.split('width="')[1].split('"')[0])
    with pytest.raises(rs.InputError, match=r"one of \.svg, \.pdf"):
        found.save_plot(tmp_path / "figure.gif")
    with pytest.raises(rs.InputError, match="cannot be written"):
        found.save_plot(tmp_path / "nowhere" / "figure.svg")
    with pytest.raises(rs.InputError, match="scale"):
        found.save_plot(tmp_path / "figure.png", scale=0)


@pytest.mark.parametrize(
    "kind", [Leaderboard, universe.Hasse, *slow(Comparison, universe.Features, studies.Similarity)]
)
def test_width_is_that_of_the_picture_and_letters_keep_their_size(results, kind):
    chart = results[kind].plot()
    usual = chart.to_svg()
    for wide in (0.9 * width(usual), 500, 900):
        svg = chart.at_width(wide).to_svg()
        assert abs(width(svg) - wide) <= 2
        assert set(re.findall(r'font-size="[^"]*"', svg)) == set(re.findall(r'font-size="[^"]*"', usual))


def test_width_in_every_format(results, tmp_path):
    board = results[Leaderboard]
    written = {kind: board.save_plot(tmp_path / f"figure.{kind}", width=640).read_bytes() for kind in figures.FORMATS}
    _, _, wide, _ = map(float, re.search(rb"/MediaBox ?\[([^]]*)\]", written["pdf"])[1].split())
    assert abs(wide - 640) <= 2
    assert abs(int.from_bytes(written["png"][16:20], "big") / 3 - 640) <= 2
    assert abs(width(written["svg"].decode()) - 640) <= 2
    assert written["json"].decode() == board.plot().at_width(640).to_json()
    wider = {part["width"] for part in json.loads(written["json"])["hconcat"]}
    assert all(f'_width","value":{part}' in written["html"].decode() for part in wider)
    _, _, wide, _ = map(float, re.search(rb"/MediaBox ?\[([^]]*)\]", board.plot().rendered("pdf", 2))[1].split())
    assert abs(wide - 2 * width(board.plot().to_svg())) <= 2  # scale, too, is that of a PDF


@pytest.mark.slow
def test_width_that_a_figure_cannot_have(results):
    with pytest.raises(rs.InputError, match="from 100 to 5000"):
        results[Leaderboard].plot().at_width(20)
    with pytest.raises(rs.InputError, match=r"at least \d+ pixels"):  # numbers in its cells would overlap
        results[studies.Similarity].plot().at_width(150)
    with pytest.raises(rs.InputError, match=r"at least \d+ pixels"):  # titles of its panels would overlap
        results[Comparison].plot().at_width(380)


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


def test_results_in_a_notebook(results, monkeypatch):
    found = results[universe.Hasse]
    html = found._repr_html_()
    assert "<table>" in html
    assert html.count('alt="IPSO') == 2  # for light and for dark ground
    assert found._repr_mimebundle_() == {"text/plain": str(found)}
    assert "<img" not in serps([("10", "01"), ("1", "0")])._repr_html_()  # strips need one length, and it is no error
    monkeypatch.setattr(figures, "LARGE", 100)
    assert "<img" not in found._repr_html_()
    assert "plot('Hasse diagram')" in found._repr_html_()
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    assert "Hasse diagram" not in found._repr_html_()


def test_long_tables_in_a_notebook():
    html = studies.Table(values={"rank": list(range(1300))}, caption="")._repr_html_()
    assert html.count("<tr>") == 2 + 200  # the first 20 rows, and those that are opened
    assert "<summary>180 more rows</summary>" in html
    assert "1,100 more rows" in html


def test_in_a_notebook(results):
    shown = results[universe.Hasse].plot()._repr_mimebundle_()
    assert shown["image/svg+xml"].startswith("<svg")
    assert shown["application/vnd.vegalite.v5+json"]["data"]["values"]


@QUIET
def test_what_has_no_figure(results, judged):
    with pytest.raises(rs.InputError, match="no figure of a Means"):
        rs.evaluate(judged, "AP").mean().plot()
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


@pytest.fixture(scope="module")
def gallery(tmp_path_factory):
    """Runs a script once: the folder it wrote to, and the figures it drew, as (kind of result, name)."""
    draw = figures.draw

    @cache
    def run(script):
        folder, drawn = tmp_path_factory.mktemp(script.stem), set()

        def noting(result, figure=None, **settings):
            drawn.add((type(result), figures.figure_of(result, figure).name))
            return draw(result, figure, **settings)

        with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
            warnings.simplefilter("ignore", rs.DataWarning)
            patch.chdir(folder)
            patch.setattr(figures, "draw", noting)
            runpy.run_path(str(script))
        return folder, drawn

    return run


@pytest.mark.slow
@pytest.mark.parametrize("script", GALLERY, ids=lambda path: path.stem)
def test_gallery(script, gallery):
    folder, drawn = gallery(script)
    assert (folder / f"{script.stem}.svg").read_text().startswith("<svg")
    assert len(drawn) == 1
    assert len(script.read_text().splitlines()) <= 16


@pytest.mark.slow
def test_the_gallery_has_every_figure(gallery):
    drawn = set().union(*(gallery(script)[1] for script in GALLERY))
    names = {name for _, name in drawn}
    for figure in FIGURES:
        # a figure that another kind of result shows too is there once
        assert figure.name in names
        assert (figure.of, figure.name) in drawn or sum(one.name == figure.name for one in FIGURES) > 1


@EACH
@pytest.mark.slow
def test_every_figure_has_the_width_that_is_asked_for(figure, results, tmp_path):
    """A column of 8.5 cm with letters of 6 pt at least, and a full page."""
    for wide, narrow in ((NARROW, True), (2 * NARROW, False)):
        path = results[figure.of].save_plot(tmp_path / f"{wide}.svg", figure.name, width=wide, narrow=narrow)
        svg = path.read_text(encoding="utf-8")
        assert abs(width(svg) - wide) <= 2
        assert not narrow or least_letters(svg) >= 5.98
