"""Chapters on other choices: what the results print, on the page, and nothing where nothing was asked for."""

import base64
import csv
import dataclasses
import html
import json
import random
import re
import shutil
import warnings
import zlib
from io import StringIO
from pathlib import Path

import pytest
from pages import HOSTILE

import rankscope as rs
from rankscope.cli import main
from rankscope.formatting import plain, visible
from rankscope.judged.subsets import with_systems
from rankscope.layout import Drawing, Table
from rankscope.reporting import summary
from rankscope.simulation import embedded
from rankscope.simulation.embedded_collection import embedded_judges
from rankscope.statistics import Resampling
from rankscope.studies import judges

FEW = Resampling(50)
LOOKING = (Path(__file__).parent / "layout.js").read_text(encoding="utf-8")
SETTINGS = {"measures": ["AP", "RR"], "resampling": FEW, "workers": 1}
pytestmark = pytest.mark.filterwarnings("ignore::rankscope.DataWarning")


def gathered(names, systems):
    """A collection of each name, with lists of these systems by chance."""
    draw = random.Random(3)
    docs, topics = [f"d{i}" for i in range(12)], [str(t) for t in range(8)]
    return {
        name: rs.load(
            {t: {d: draw.choice([0, 1]) for d in docs} for t in topics},
            {system: {t: {d: draw.random() for d in docs} for t in topics} for system in systems},
        )
        for name in names
    }


@pytest.fixture(scope="module")
def page():
    """A page with every chapter that can be asked for."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        others = gathered(["news", "web", "wiki"], ["old", "new", "newer"])
        return rs.report(
            *embedded(), judges=embedded_judges(), by="relevant", collections=others, holes=True, **SETTINGS
        )  # fmt: skip


@pytest.fixture(scope="module")
def hostile_page():
    """The same of judges, slices and systems whose names would like to be more than names."""
    draw = random.Random(5)
    first, later = [f"d{i}" for i in range(16)], HOSTILE[:8]
    topics = [str(t) for t in range(24)]

    def judgments(docs=first):
        return {t: {d: draw.choice([0, 0, 1, 2]) for d in docs} for t in topics}

    runs = {
        name: {t: {d: draw.random() for d in draw.sample([*first, *later], 12)} for t in topics} for name in HOSTILE[:6]
    }
    table = {HOSTILE[0]: {t: draw.choice(HOSTILE[:4]) for t in topics}}
    others = {name: judgments() for name in HOSTILE[:5]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        judged = rs.load(judgments(), runs, keep_docs=True)
        loaded = rs.load_judges(judgments(), runs, others)
        return rs.report(
            dataclasses.replace(judged, comments=dict.fromkeys(HOSTILE, tuple(HOSTILE))), judges=loaded,
            topics_table=table, by=HOSTILE[0], collections=gathered(HOSTILE[:4], HOSTILE[:5]), holes=judgments(later),
            **SETTINGS,
        )  # fmt: skip


def section(text: str, key: str) -> str:
    """A part of the page."""
    return text[text.index(f'<section id="{key}"') :].split("\n<section id=")[0]


def words(text: str) -> str:
    """A text as the page has it, without what keeps numbers together and breaks names."""
    return html.unescape(re.sub(r'<wbr>|<span class="whole">|</span>', "", text)).replace("\N{MINUS SIGN}", "-")


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
                    assert plain(cell) in chapter
            else:
                assert visible(part) in chapter
        if any(isinstance(part, Table) for part in block.parts):
            assert all(visible(line) in chapter for line in block.explanation)
    drawn = re.findall(r'data-chart="figure-judges-([a-z]+)"', chapter)
    assert drawn == ["judges", "verdicts", "confusion", "leaderboards"]
    assert '<a href="#judges">Judges</a>' in page.html


def printed(result) -> list[str]:
    """Lines and cells of the evidence, as they are seen."""
    return [
        visible(text)
        for block in result.blocks("full")
        for part in block.parts
        for text in ([part] if isinstance(part, str) else [cell for row in part.rows for cell in row])
        if not isinstance(part, Drawing)
    ]


def test_collections_are_those_of_across(page):
    others = gathered(["news", "web", "wiki"], ["old", "new", "newer"])
    board = rs.across(others, measure="AP", resampling=FEW, workers=1)
    chapter = words(section(page.html, "collections"))
    assert [text for text in printed(board) if text not in chapter] == []
    pair = rs.across(others, "old", "new", measure="AP", resampling=FEW, workers=1)
    chapter = words(section(rs.report(rs.load(*embedded()), collections=pair, **SETTINGS).html, "collections"))
    assert [text for text in printed(pair) if text not in chapter] == []
    assert 'data-chart="figure-collections-forest"' in chapter


def test_holes_are_those_of_judge_next_and_of_bounds(page):
    judged = rs.load(*embedded(), keep_docs=True)
    best, second = rs.rank(judged, measure="AP", resampling=FEW, workers=1).systems[:2]
    doubt = rs.judge_next(with_systems(judged, (second, best)), baseline=second, measure="AP")
    chapter = words(section(page.html, "holes"))
    texts = printed(doubt) + printed(rs.bounds(judged, ["AP"]).mean())
    assert [text for text in texts if text not in chapter] == []
    assert 'data-chart="figure-holes-1-bounds"' in chapter


def test_score_ranges_stand_best_first(page):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ranking = rs.rank(rs.load(*embedded()), measure="AP", resampling=FEW, workers=1)
    key = next(k for k, text in csv_of(page.html).items() if text.startswith("system,mean,lower,upper"))
    assert [row["system"] for row in csv.DictReader(StringIO(csv_of(page.html)[key]))] == list(ranking.systems)


def test_later_judgments_are_replayed(tmp_path, opened):
    topics = [str(t) for t in range(6)]
    old = {t: ["a", "b", "c"] if int(t) % 2 else ["b", "a", "c"] for t in topics}
    runs = {"old": old, "new": {t: ["c", "a", "d"] for t in topics}}
    before = {t: {"a": 1, "b": 0} for t in topics}
    later = {t: {"c": 1, "d": 0} for t in topics}
    judged = rs.load(before, runs, keep_docs=True)
    replay = rs.judge_next(judged, baseline="old", measure="RR", judge=later, budget=1000)
    assert replay.replayed
    page = rs.report(judged, measures="RR", holes=later, pair=("old", "new"))
    chapter = words(section(page.html, "holes"))
    assert [text for text in printed(replay) if text not in chapter] == []
    assert "Without these judgments: The ranges alone do not show which system is best on mean RR: " in chapter
    assert words(section(rs.report(judged, measures="RR", holes=True).html, "holes")).count("Without these") == 0
    tab = opened(rs.report(judged, measures="RR", holes=later).save(tmp_path / "page.html")).tab
    tab.locator("#holes").scroll_into_view_if_needed()
    figure = tab.locator("#holes figure", has_text=replay.plot().title)
    figure.locator("svg .mark-line path").first.wait_for(state="attached")
    assert figure.locator("svg .mark-line path").count() == 3


def test_comment_lines_of_files_are_kept(tmp_path):
    (tmp_path / "qrels").write_text("# judged by <b>us</b>\n" + "".join(f"{t} 0 a 1\n" for t in range(6)))
    for name in ("old", "new"):
        lines = "".join(f"{t} Q0 {doc} 1 1 {name}\n" for t in range(6) for doc in "ab")
        (tmp_path / name).write_text(f"# ir_metadata.start\n#   team: {name} & <script>\n# ir_metadata.end\n{lines}")
    text = rs.report(tmp_path / "qrels", [tmp_path / "old", tmp_path / "new"], measures="RR").html
    methods = section(text, "methods")
    assert "# judged by &lt;b&gt;us&lt;/b&gt;" in methods
    for name in ("old", "new"):
        assert f"#   team: {name} &amp; &lt;script&gt;" in methods
    assert methods.count('<details class="comments">') == 3
    for key in ("judges", "slices", "collections", "holes"):  # nothing is added where nothing was asked for
        assert f'<section id="{key}"' not in text
        assert f'href="#{key}"' not in text


def test_many_comment_lines_leave_room():
    judged = rs.load({"1": {"a": 1}}, {"new": {"1": ["a"]}})
    assert summary.comments(dataclasses.replace(judged, comments={"new": ("# x",) * 60}))[0][1][-2:] == [
        "# x", "... and 10 more lines",
    ]  # fmt: skip
    many = {f"s{i}": ("#" * 500,) * 200 for i in range(100)}
    shown = summary.comments(dataclasses.replace(judged, comments=many))
    assert sum(len(line) for _, lines in shown for line in lines) < 1.1 * summary.COMMENTED
    assert shown[-1][0] == f"{100 - len(shown) + 1} more files with comment lines"


def test_slices_are_those_of_compare(page):
    chapter = words(section(page.html, "slices"))
    judged = rs.load(*embedded(), keep_docs=True)
    best, second = rs.rank(judged, measure="AP", resampling=FEW, workers=1).systems[:2]
    comparison = rs.compare(judged, second, best, measure="AP", by="relevant", resampling=FEW, workers=1)
    groups = comparison.slices
    for sentence in (*groups.alarms(), groups.dependence(), comparison.sentence(), groups.note()):
        assert visible(sentence) in chapter.replace("\N{MINUS SIGN}", "-")
    assert "interval [\N{MINUS SIGN}0" in re.sub(r"<[^>]*>", "", section(page.html, "slices"))
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


def text_of(page):
    """What a reader sees of a page before its script has run."""
    body = re.sub(r"<(script|style)\b.*?</\1>", " ", page.html, flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", body)).split())


def test_numbers_have_minus_signs_and_no_mark_is_unexplained(page):
    """Names have hyphens, and so have lines of files; numbers and differences have not."""
    pair = rs.report(*embedded(), pair=("hybrid-1", "lexical-2"), by="relevant", holes=True, **SETTINGS)
    for text in map(text_of, (page, pair)):
        assert re.search("\N{MINUS SIGN}\\d", text)
        assert not re.search(r"[ \[(]-\d|\b[ABab] - [ABab]\b", text)
        assert not set("†‡§¶") & set(text)


def test_the_slices_of_a_planned_pair_do_not_repeat_its_verdict():
    pair = rs.report(*embedded(), pair=("hybrid-1", "lexical-2"), by="relevant", **SETTINGS)
    comparison = rs.compare(rs.load(*embedded()), "hybrid-1", "lexical-2", measure="AP", workers=1, resampling=FEW)
    assert text_of(pair).count(comparison.sentence().split(". ")[0].split(" (")[0]) == 2  # headline and chapter


def test_a_study_of_judges_is_taken(page):
    judged = rs.load(*embedded(), keep_docs=True)
    study = judges(*embedded(), embedded_judges(), measure="AP", resampling=FEW, workers=1)
    again = rs.report(judged, judges=study, **SETTINGS)
    assert section(again.html, "judges") == section(page.html, "judges")


def test_the_command_makes_the_same_page(tmp_path, capsys):
    qrels, runs = embedded()
    table, path = tmp_path / "topics.csv", tmp_path / "page.html"
    topics = rs.load(qrels, runs).topics
    table.write_text("topic,kind\n" + "".join(f"{t},{'even' if i % 2 else 'odd'}\n" for i, t in enumerate(topics)))
    listed = tmp_path / "collections"
    for name, some in (("one", runs[:2]), ("two", runs[2:4])):
        (listed / name / "runs").mkdir(parents=True)
        shutil.copy(qrels, listed / name / "qrels.gz")
        for place, run in enumerate(some):
            shutil.copy(run, listed / name / "runs" / f"s{place}.gz")
    others = tmp_path / "judges"
    others.mkdir()
    for judge, grades in embedded_judges().items():
        lines = (f"{t} 0 {d} {grade}\n" for t, docs in grades.items() for d, grade in docs.items())
        (others / f"{judge}.txt").write_text("".join(lines))
    options = ["--holes", str(qrels), "--collections", str(listed), "--judges", str(others), "--topics-table",
               str(table), "--by", "kind", "--resamples", "50"]  # fmt: skip
    command = ["report", str(qrels), *map(str, runs), "-m", "AP", "RR", "-o", str(path), "--workers", "1"]
    assert main([*command, *options]) == 0
    page = rs.report(qrels, runs, judges=others, topics_table=table, by="kind",
                     holes=qrels, collections=listed, **SETTINGS)  # fmt: skip
    assert path.read_text(encoding="utf-8") == page.html


@pytest.mark.parametrize(
    ("arguments", "cause"),
    [
        ({"judges": "judges"}, "judges beside lists"),
        ({"topics_table": {"kind": {"1": "a"}}}, "without a column"),
        ({"holes": "nowhere.txt"}, "nowhere.txt"),
        ({"collections": "nowhere"}, "nowhere"),
        ({"by": "kind"}, "no attribute of topics has that name"),
    ],
)
def test_what_is_refused(arguments, cause):
    with pytest.raises(rs.InputError, match=cause):
        rs.report(rs.load(*embedded(), keep_docs=True), **arguments, **SETTINGS)


def test_slices_of_one_system_are_refused():
    judged = rs.load({"1": {"a": 1}, "2": {"a": 1}}, {"only": {"1": ["a"], "2": ["a"]}})
    for argument in ({"by": "relevant"}, {"holes": True}):
        with pytest.raises(rs.InputError, match="too little to compare"):
            rs.report(judged, **argument, **SETTINGS)


@pytest.mark.parametrize(
    ("which", "width"),
    [("page", 1280), ("hostile_page", 360),
     *(pytest.param(*case, marks=pytest.mark.slow) for case in (("page", 360), ("hostile_page", 1280)))],
)  # fmt: skip
def test_no_fault_of_layout(which, width, request, opened, tmp_path):
    """Chapters are open, and so is what they fold; nothing is asked for, and nothing goes wrong (`opened`)."""
    path = request.getfixturevalue(which).save(tmp_path / "page.html")
    tab = opened(path, width=width, dark=which == "hostile_page", first=LOOKING)
    tab.ask("document.querySelectorAll('main details:not(.chip)').forEach(part => (part.open = true))")
    assert tab.ask("faults()") == []
