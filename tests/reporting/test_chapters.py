"""Chapters on other choices: what the results print, on the page, and nothing where nothing was asked for."""

import base64
import csv
import html
import json
import random
import re
import warnings
import zlib
from io import StringIO
from pathlib import Path

import pytest
from pages import HOSTILE

import rankscope as rs
from rankscope.cli import main
from rankscope.formatting import minus_signs, plain, visible
from rankscope.layout import Table
from rankscope.simulation import embedded
from rankscope.simulation.embedded_collection import embedded_judges
from rankscope.statistics import Resampling
from rankscope.studies import judges

FEW = Resampling(50)
LOOKING = (Path(__file__).parent / "layout.js").read_text(encoding="utf-8")
SETTINGS = {"measures": ["AP", "RR"], "resampling": FEW, "workers": 1}
pytestmark = pytest.mark.filterwarnings("ignore::rankscope.DataWarning")


@pytest.fixture(scope="module")
def page():
    """A page with every chapter that can be asked for."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return rs.report(*embedded(), judges=embedded_judges(), by="relevant", **SETTINGS)


@pytest.fixture(scope="module")
def hostile_page():
    """The same of judges, slices and systems whose names would like to be more than names."""
    draw = random.Random(5)
    docs, topics = [f"d{i}" for i in range(20)], [str(t) for t in range(24)]

    def judgments():
        return {t: {d: draw.choice([0, 0, 1, 2]) for d in docs} for t in topics}

    runs = {name: {t: {d: draw.random() for d in draw.sample(docs, 12)} for t in topics} for name in HOSTILE[:6]}
    table = {HOSTILE[0]: {t: draw.choice(HOSTILE[:4]) for t in topics}}
    others = {name: judgments() for name in HOSTILE[:5]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return rs.report(judgments(), runs, judges=others, topics_table=table, by=HOSTILE[0], **SETTINGS)


def section(text: str, key: str) -> str:
    """A part of the page."""
    return text[text.index(f'<section id="{key}"') :].split("\n<section id=")[0]


def words(text: str) -> str:
    """A text as the page has it, without what keeps numbers together and breaks names."""
    return html.unescape(re.sub(r'<wbr>|<span class="whole">|</span>', "", text))


def csv_of(text: str) -> dict:
    """Tables that the page gives to whoever asks, by key."""
    packed = re.search(r'id="block-csv">([^<]*)<', text).group(1)
    return json.loads(zlib.decompress(base64.b64decode(packed), -15))


def test_judges_are_shown_as_they_are_printed(page):
    chapter = words(section(page.html, "judges"))
    study = judges(*embedded(), embedded_judges(), measure="AP", resampling=FEW, workers=1)
    for block in study.blocks("explain"):
        assert block.title in chapter
        for part in block.parts:
            if isinstance(part, Table):
                for cell in (*part.header, *(cell for row in part.rows for cell in row)):
                    assert plain(cell) in chapter or minus_signs(plain(cell)) in chapter
            else:
                assert visible(part) in chapter
        if any(isinstance(part, Table) for part in block.parts):
            assert all(visible(line) in chapter for line in block.explanation)
    drawn = re.findall(r'data-chart="figure-judges-([a-z]+)"', chapter)
    assert drawn == ["judges", "verdicts", "confusion", "leaderboards"]
    assert '<a href="#judges">Judges</a>' in page.html


def test_slices_are_those_of_compare(page):
    chapter = words(section(page.html, "slices"))
    judged = rs.load(*embedded(), keep_docs=True)
    best, second = rs.rank(judged, measure="AP", resampling=FEW, workers=1).systems[:2]
    comparison = rs.compare(judged, second, best, measure="AP", by="relevant", resampling=FEW, workers=1)
    groups = comparison.slices
    for sentence in (*groups.alarms(), groups.dependence(), comparison.sentence(), groups.note()):
        assert visible(sentence) in chapter.replace("\N{MINUS SIGN}", "-")
    assert "interval \N{MINUS SIGN}0" in chapter
    assert "picked from the leaderboard" in chapter
    rows = list(csv.DictReader(StringIO(csv_of(page.html)["slices"])))
    assert [row["slice"] for row in rows] == groups.columns()["slice"]
    assert [float(row["pvalue_adjusted"]) for row in rows] == groups.columns()["pvalue_adjusted"]


def test_a_planned_pair_has_its_slices_and_its_judges():
    pair = ("lexical-3", "hybrid-1")
    page = rs.report(*embedded(), judges=embedded_judges(), by="relevant", pair=pair, **SETTINGS)
    loaded = rs.load_judges(*embedded(), embedded_judges())
    comparison = rs.compare(
        rs.load(*embedded(), keep_docs=True), *pair, measure="AP", judges=loaded, by="relevant", resampling=FEW,
        workers=1,
    )  # fmt: skip
    assert visible(comparison.slices.dependence()) in words(section(page.html, "slices"))
    assert "picked from the leaderboard" not in page.html
    chapter = words(section(page.html, "comparison"))
    assert {r.name for r in comparison.repetitions if r.axis == "judge"} >= {"lenient"}
    assert "lenient" in chapter
    assert "Does the difference depend on" not in chapter  # once, in its own chapter


def test_nothing_is_added_where_nothing_was_asked_for():
    page = rs.report(*embedded(), **SETTINGS)
    for key in ("judges", "slices"):
        assert f'<section id="{key}"' not in page.html
        assert f'href="#{key}"' not in page.html


def test_loaded_judges_and_results_are_taken(page):
    qrels, runs = embedded()
    judged = rs.load(qrels, runs, keep_docs=True)
    loaded = rs.load_judges(qrels, runs, embedded_judges())
    study = judges(loaded, measure="AP", resampling=FEW, workers=1)
    chapters = [section(rs.report(judged, judges=source, **SETTINGS).html, "judges") for source in (loaded, study)]
    assert chapters[0] == chapters[1]


def test_the_command_makes_the_same_page(tmp_path, capsys):
    qrels, runs = embedded()
    table, path = tmp_path / "topics.csv", tmp_path / "page.html"
    topics = rs.load(qrels, runs).topics
    table.write_text("topic,kind\n" + "".join(f"{t},{'even' if i % 2 else 'odd'}\n" for i, t in enumerate(topics)))
    others = tmp_path / "judges"
    others.mkdir()
    for judge, grades in embedded_judges().items():
        lines = (f"{t} 0 {d} {grade}\n" for t, docs in grades.items() for d, grade in docs.items())
        (others / f"{judge}.txt").write_text("".join(lines))
    options = ["--judges", str(others), "--topics-table", str(table), "--by", "kind", "--resamples", "50"]
    command = ["report", str(qrels), *map(str, runs), "-m", "AP", "RR", "-o", str(path), "--workers", "1"]
    assert main([*command, *options]) == 0
    page = rs.report(qrels, runs, judges=others, topics_table=table, by="kind", **SETTINGS)
    assert path.read_text(encoding="utf-8") == page.html


@pytest.mark.parametrize(
    ("arguments", "cause"),
    [
        ({"judges": "judges"}, "judges beside lists"),
        ({"topics_table": {"kind": {"1": "a"}}}, "without a column"),
        ({"by": "kind"}, "no attribute of topics has that name"),
    ],
)
def test_what_is_refused(arguments, cause):
    with pytest.raises(rs.InputError, match=cause):
        rs.report(rs.load(*embedded(), keep_docs=True), **arguments, **SETTINGS)


def test_slices_of_one_system_are_refused():
    judged = rs.load({"1": {"a": 1}, "2": {"a": 1}}, {"only": {"1": ["a"], "2": ["a"]}})
    with pytest.raises(rs.InputError, match="too little to compare"):
        rs.report(judged, by="relevant", **SETTINGS)


@pytest.mark.parametrize("which", ["page", "hostile_page"])
@pytest.mark.parametrize("width", [360, 1280])
def test_no_fault_of_layout(which, width, request, opened, tmp_path):
    """Chapters are open, and so is what they fold; nothing is asked for, and nothing goes wrong (`opened`)."""
    path = request.getfixturevalue(which).save(tmp_path / "page.html")
    tab = opened(path, width=width, dark=which == "hostile_page", first=LOOKING)
    tab.ask("document.querySelectorAll('main details:not(.chip)').forEach(part => (part.open = true))")
    assert tab.ask("faults()") == []
