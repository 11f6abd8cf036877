"""The page without a browser: what it holds, what it leaves out, and that nothing in it can act."""

import base64
import csv
import hashlib
import json
import re
import shutil
import subprocess
import tomllib
import warnings
import zlib
from fnmatch import fnmatch
from html.parser import HTMLParser
from importlib.resources import files
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from pages import HOSTILE, MEASURES, made

import rankscope as rs
from rankscope import figures
from rankscope.comparisons.ranking import METHODS
from rankscope.errors import InputError
from rankscope.figures import names
from rankscope.figures.chart import Sheet
from rankscope.figures.vega import values
from rankscope.preferences import serps
from rankscope.preferences.ordering import RULES
from rankscope.reporting import assembling, chapters, folders, page_contents
from rankscope.reporting.assembling import assembled
from rankscope.reporting.charts import all_drawn, changes
from rankscope.reporting.folders import redrawn
from rankscope.reporting.packing import packed_array
from rankscope.simulation import embedded
from rankscope.statistics import Resampling
from rankscope.studies import Checkpoints, Setting, metrics, reproduce
from rankscope.studies.checkpoints import read_manifest, write_manifest
from rankscope.studies.reproduce import Item

FEW = Resampling(50)


class Parsed(HTMLParser):
    """Elements with their attributes, and the texts of scripts and styles."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {"script": [], "style": []}
        self.inside = ""
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        self.inside = tag
        if tag in self.texts:
            self.texts[tag].append("")

    def handle_endtag(self, tag):
        self.inside = ""

    def handle_data(self, data):
        if self.inside in self.texts:
            self.texts[self.inside][-1] += data

    def facts(self):
        return json.loads(self.of("facts"))

    def of(self, name: str) -> str:
        scripts = [attributes for tag, attributes in self.elements if tag == "script"]
        return self.texts["script"][[one.get("id") for one in scripts].index(name)]

    def array(self, name, dtype):
        """A block as the page unpacks it."""
        planes = np.frombuffer(unpacked(self.of(f"block-{name}")), np.uint8)
        return np.ascontiguousarray(planes.reshape(np.dtype(dtype).itemsize, -1).T).view(dtype).ravel()


def unpacked(text: str) -> bytes:
    return zlib.decompress(base64.b64decode(text), -15)


def small(systems=4, topics=6, docs=12, grades=(0, 1, 2), keep_docs=True):
    """Lists and judgments without chance."""
    qrels = {f"t{t}": {f"d{d}": grades[(d * 7 + t) % len(grades)] for d in range(docs)} for t in range(topics)}
    runs = {
        f"s{s}": {f"t{t}": {f"d{(d * (s + 1) + t) % (docs + 1)}": -d for d in range(docs // 2)} for t in range(topics)}
        for s in range(systems)
    }
    judged = rs.load(qrels, runs, keep_docs=keep_docs)
    return judged, rs.evaluate(judged, ["nDCG@10", "AP"])


@pytest.fixture(scope="module")
def parsed(hostile) -> Parsed:
    return Parsed(hostile.path.read_text(encoding="utf-8"))


def test_the_policy_lets_nothing_in(parsed):
    policies = [a["content"] for tag, a in parsed.elements if a.get("http-equiv") == "Content-Security-Policy"]
    rules = dict(part.split(" ", 1) for part in policies[0].split("; "))
    assert rules["default-src"] == "'none'"
    assert set(rules) == {"default-src", "script-src", "style-src", "img-src", "base-uri", "form-action"}
    assert "unsafe" not in policies[0]

    def hashes(texts):
        return {f"'sha256-{base64.b64encode(hashlib.sha256(t.encode()).digest()).decode()}'" for t in texts}

    kinds = [a.get("type") for tag, a in parsed.elements if tag == "script"]
    active = [text for kind, text in zip(kinds, parsed.texts["script"], strict=True) if kind == "module"]
    assert len(active) == 2
    assert set(kinds) == {"module", "application/json", "application/x-deflate"}
    assert set(rules["script-src"].split()) == hashes(active)
    assert set(rules["style-src"].split()) == hashes(parsed.texts["style"])


def test_nothing_from_files_can_act(parsed):
    for tag, attributes in parsed.elements:
        assert tag not in ("img", "iframe", "object", "embed", "form") or attributes.get("id") == "choices"
        assert not [name for name in attributes if name.startswith("on") or name == "style"]
        for name in ("src", "href", "action"):
            assert (attributes.get(name) or "#").startswith(("#", "data:,"))
    # the names are there, as text
    shown = parsed.facts()["systems"]
    assert HOSTILE[0] in shown
    assert "caf\\udce9" in shown
    assert "<" not in parsed.of("facts")


def test_scripts_make_no_markup():
    parts = files("rankscope.reporting") / "parts"
    for name in assembling.SCRIPTS:
        text = (parts / f"{name}.js").read_text(encoding="utf-8")
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b\(|new Function", text)
    assert {one.name for one in parts.iterdir() if one.name.endswith(".js")} == {f"{n}.js" for n in assembling.SCRIPTS}


def test_parts_are_packed():
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))
    patterns = project["tool"]["setuptools"]["package-data"]["rankscope"]
    for one in (files("rankscope.reporting") / "parts").iterdir():
        assert any(fnmatch(f"reporting/parts/{one.name}", pattern) for pattern in patterns)


@pytest.mark.skipif(shutil.which("node") is None, reason="no node on this machine")
def test_scripts_are_well_formed(tmp_path):
    for name in assembling.SCRIPTS:
        text = (files("rankscope.reporting") / "parts" / f"{name}.js").read_text(encoding="utf-8")
        (tmp_path / f"{name}.mjs").write_text(text)
    (tmp_path / "whole.mjs").write_text(assembling.script())  # names that two parts share would show here
    for one in sorted(tmp_path.iterdir()):
        done = subprocess.run(["node", "--check", one], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    assert "import " not in assembling.script().replace("import.meta", "").split("//")[0]


def test_arrays_come_back(shipped):
    parsed = Parsed(shipped.path.read_text(encoding="utf-8"))
    facts, judged = parsed.facts(), shipped.judged
    rows = [judged.systems.index(name) for name in facts["systems"]]
    shape = len(rows), len(facts["topics"]), facts["depth"]
    codes = parsed.array("codes", np.uint8).reshape(shape)
    assert np.array_equal(codes, judged.code[rows][:, :, : facts["depth"]])
    scores = parsed.array("scores", "<f8").reshape(len(MEASURES), *shape[:2])
    assert np.array_equal(scores, shipped.scores.value[:, rows], equal_nan=True)
    ids = json.loads(unpacked(parsed.of("block-ids")))
    places = parsed.array("places", "<u2").reshape(*shape[:2], facts["named"])
    for s, t, k in [(0, 0, 0), (3, 17, 40), (7, 49, facts["named"] - 1)]:
        number = judged.documents.number[rows[s], t, k]
        expected = None if number < 0 else judged.documents.ids[number]
        assert (ids[t][places[s, t, k] - 1] if places[s, t, k] else None) == expected


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.float64])
def test_packing_keeps_every_bit(dtype):
    array = np.arange(24, dtype=dtype).reshape(2, 3, 4)[:, ::-1]
    planes = np.frombuffer(unpacked(packed_array(array)), np.uint8)
    back = np.ascontiguousarray(planes.reshape(array.itemsize, -1).T).view(np.dtype(dtype).newbyteorder("<")).ravel()
    assert np.array_equal(back.reshape(array.shape), array)


def test_what_does_not_fit_is_said(monkeypatch):
    judged, scores = small(systems=6, topics=9)
    monkeypatch.setattr(page_contents, "SYSTEMS", 4)
    monkeypatch.setattr(page_contents, "LISTS", 4 * 5)
    monkeypatch.setattr(page_contents, "CELLS", 4 * 5 * 3)
    monkeypatch.setattr(page_contents, "NAMED", 4 * 5 * 2)
    page = assembled(judged, scores, ranking=rs.rank(judged, measure="AP", resampling=FEW))
    parsed = Parsed(page.html)
    facts = parsed.facts()
    assert (len(facts["systems"]), len(facts["topics"]), facts["depth"], facts["named"]) == (4, 5, 3, 2)
    assert parsed.array("codes", np.uint8).size == 4 * 5 * 3
    assert "The explorer holds the first 4 of 6 systems." in page.left_out
    assert "The explorer holds the first 5 of 9 topics." in page.left_out
    assert "The explorer holds the first 3 ranks of each list, not 6." in page.left_out
    assert "Documents have their ids down to rank 2; below it, grades alone." in page.left_out
    for line in page.left_out:
        assert line in page.html
    # systems that stay are the best ones
    assert tuple(facts["systems"]) == rs.rank(judged, measure="AP", resampling=FEW).systems[:4]


def test_repeats_are_named():
    """A page shows runs; what other commands take as repeats of one system is said."""
    run = {"q1": {"d1": 2.0, "d2": 1.0}}
    runs = dict.fromkeys(("bge@1", "bge@2", "bm25"), run)
    page = rs.report(rs.load({"q1": {"d1": 1}}, runs))
    assert any(line.startswith("2 runs such as bge@1 and bge@2 are repeats by their names.") for line in page.left_out)


def test_gains_that_a_browser_cannot_sum_are_not_offered():
    judged, scores = small(grades=(0, 1, 52))
    page = assembled(judged, scores)
    words = [one["name"] for one in Parsed(page.html).facts()["orders"]]
    assert "sums of gain (linear, the grade itself)" in words
    assert not any("exp" in word for word in words)
    assert any("exp" in line and "too large" in line for line in page.left_out)


def test_thresholds_come_first_then_the_measures_gains_in_whole_numbers():
    judged, _ = small(grades=(0, 1, 0.1, 0.3))
    scores = rs.evaluate(judged, ["nDCG@10"])
    first, second, *others = Parsed(assembled(judged, scores).html).facts()["orders"]
    assert first["name"] == "grade thresholds (0.1, 0.3, 1)"
    assert first["binds"] == RULES
    assert first["who"] == "that keeps the two rules"
    assert (first["first"], first["firsts"], first["table"]) == (3, [3, 4, 5], None)
    assert first["shade"] == [0, 0, 0, 1, 3, 5]
    assert second["name"] == "sums of gain (linear, the grade itself)"
    assert second["who"].startswith("that sums these gains, each times a weight that is never negative")
    assert (second["first"], second["table"], second["shade"]) == (3, [0, 0, 0, 1, 3, 10], [0, 0, 0, 1, 3, 5])
    assert [one["name"] for one in others[:3]] == [f"relevance from grade {grade}" for grade in ("1", "0.1", "0.3")]
    assert "instead of grade thresholds" in assembled(judged, scores).html
    assert {one["who"] for one in others} == {"of this binary relevance that keeps the two rules"}
    own = Parsed(assembled(judged, scores, gains={0.1: "0.5", 0.3: 1, 1: 1}).html).facts()["orders"]
    assert own[0]["table"] == [0, 0, 0, 1, 2, 2]
    assert own[1]["mark"] == "order:thresholds"
    with pytest.raises(rs.InputError, match="gains='log' is unknown"):
        assembled(judged, scores, gains="log")


def test_binary_judgments_have_one_order():
    judged, scores = small(grades=(0, 1))
    (only,) = Parsed(assembled(judged, scores).html).facts()["orders"]
    assert (only["name"], only["who"]) == ("relevance from grade 1", "that keeps the two rules")
    assert "instead of grade thresholds" not in assembled(judged, scores).html


def test_one_system_and_few_topics():
    judged, scores = small(systems=1, topics=2)
    page = assembled(judged, scores)
    assert 'id="explorer"' not in page.html
    assert "One system alone cannot be ranked." in page.html
    two, scores = small(systems=2, topics=2)
    page = assembled(two, scores)
    assert 'id="explorer"' in page.html
    assert "too few topics" in page.html


def test_without_documents():
    judged, scores = small(keep_docs=False)
    parsed = Parsed(assembled(judged, scores).html)
    assert parsed.facts()["named"] == 0
    assert "block-ids" not in [a.get("id") for _, a in parsed.elements]


def test_more_grades_than_a_byte_holds():
    grades = tuple(range(300))
    qrels = {"1": {f"d{g}": g for g in grades}, "2": {f"d{g}": g for g in grades}}
    runs = {s: {t: {f"d{g}": -abs(g - at) for g in grades} for t in qrels} for s, at in (("a", 299), ("b", 20))}
    judged = rs.load(qrels, runs)
    parsed = Parsed(assembled(judged, rs.evaluate(judged, ["P@5"])).html)
    facts = parsed.facts()
    assert facts["width"] == 2
    codes = parsed.array("codes", "<u2").reshape(2, 2, facts["depth"])
    rows = [judged.systems.index(name) for name in facts["systems"]]
    assert np.array_equal(codes, judged.code[rows][..., : facts["depth"]])


def test_changes_turn_one_into_the_other():
    light = {"a": [1, {"b": "white"}], "c": 3, "d": [1]}
    dark = {"a": [1, {"b": "black"}], "c": 3, "d": [1, 2]}
    found = changes(light, dark)
    assert found == [(("a", 1, "b"), "black"), (("d",), [1, 2])]
    for path, value in found:
        inner = light
        for key in path[:-1]:
            inner = inner[key]
        inner[path[-1]] = value
    assert light == dark


def test_figures_that_cannot_be_drawn_are_left_out():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scores = rs.evaluate(rs.load(*embedded()), "AP")
        comparison = rs.compare(scores, "lexical-3", "hybrid-1", measure="AP")
    drawn = [one.key for one in all_drawn(comparison, names(comparison), "pair")]
    assert drawn == ["figure-pair-differences", "figure-pair-scatter"]
    means = scores.mean()
    assert all_drawn(means, names(means), "scores") == []


def test_what_is_drawn_is_computed_once_for_both_grounds(monkeypatch):
    sheets = []

    def sheet(result):
        sheets.append(result)
        return Sheet(columns={"x": [1, 2]}, title="one and two")

    def drawing(sheet, look):
        return {"data": values(sheet.columns), "mark": {"type": "point", "color": look.ink}}

    monkeypatch.setattr(figures, "FIGURES", (figures.Figure("points", str, sheet, drawing),))
    (figure,) = all_drawn("result", ["points"], "key")
    assert sheets == ["result"]
    assert json.loads(zlib.decompress(base64.b64decode(figure.specs), -15))["dark"]


def test_summary_in_plain_words(shipped):
    html = shipped.path.read_text(encoding="utf-8")
    assert "hybrid-2 leads on nDCG@10; 2 of 7 other systems cannot be ruled out as best.</bdi></h1>" in html
    assert "49 topics, all 28 pairs, significance level 0.05." in html
    assert "1 topic could not be scored" in html


def test_methods_carry_signatures_and_references(shipped):
    html = shipped.path.read_text(encoding="utf-8")
    for measure in MEASURES:
        assert shipped.scores.signature(measure) in html
    assert "How much freedom does an effectiveness metric really have?" in html
    assert "Romano and Wolf" in METHODS["bootstrap"]  # by which the leaderboard is made, so it is cited, and HSD is not
    assert "step-down bootstrap MaxT" in html
    assert html.count("<li>J. P. Romano and M. Wolf (2005). ") == 1
    assert "Carterette (2012)" not in html
    works = {"nDCG@10": "Järvelin and Kekäläinen (2002)", "AP": "Buckley and Voorhees (2000)",
             "RR": "Kantor and Voorhees (2000)"}  # fmt: skip
    assert list(works) == MEASURES
    for work in works.values():
        assert html.count(f"<li>{work}, ") == 1


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """Two folders of studies of the embedded collection."""
    judged = rs.load(*embedded(), keep_docs=True)
    card, paper = tmp_path_factory.mktemp("card"), tmp_path_factory.mktemp("paper")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        whole = metrics(
            judged, measures=["AP", "RR"], methods=["sgnLP"], studies=["power", "consistency", "ties"],
            resampling={"power": FEW, "ties": FEW, "consistency": Resampling(20)}, checkpoints=card, workers=1,
        )  # fmt: skip
        draws = {"permutations": FEW, "splits": Resampling(10), "samples": Resampling(1)}
        reproduce("lexiprecision", paper, Setting(judged=judged, resampling=draws))
    return judged, card, paper, whole


def test_studies_come_from_their_folders(kept):
    judged, card, paper, whole = kept
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = folders.from_folder(card, judged, workers=1)
    assert found.candidates == whole.candidates
    assert str(found) == str(whole)
    shown = chapters.study_chapter(found)
    assert shown.grids[0].header[0] == "candidate"
    assert {figure.key for figure in shown.figures} >= {"figure-study-scorecard-power-asl-curves"}
    again = folders.from_folder(paper, judged)
    assert again.title == "Reproduced: lexiprecision"
    assert {one.csv for one in again.grids} == {one.read_text() for one in paper.glob("*.csv")}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scores = rs.evaluate(judged, ["AP"])
    html = assembled(judged, scores, studies=[found, again]).html
    parsed = Parsed(html)
    keys = [a["data-csv"] for _, a in parsed.elements if "data-csv" in a]
    assert len(keys) == len(set(keys))
    assert set(keys) <= json.loads(unpacked(parsed.of("block-csv"))).keys()
    with pytest.raises(InputError, match="two studies of one kind"):
        assembled(judged, scores, studies=[found, found])


PANES = ("1", "2", "3", "4a", "4b", "5", "6", "7a", "7b", "7b-cascaded", "7b-sign", "8a", "8b", "9")


def test_figures_of_papers_are_drawn_from_their_tables(kept):
    shown = folders.from_folder(kept[2], kept[0])
    tables = {one.key: list(csv.DictReader(StringIO(one.csv))) for one in shown.grids}
    drawn = {one.key.removeprefix("figure-"): list(csv.DictReader(StringIO(one.csv))) for one in shown.figures}
    assert set(drawn) == {*(f"lexiprecision-figure-{n}-csv" for n in PANES), "lexiprecision-section-3-4b-csv"}
    for key, column, stored in [
        ("2", "probability", "probability"), ("5", "share", "tied"), ("6", "share", "decided_of_all"),
        ("4b", "value", "value"), ("7a", "correlation", "correlation"), ("7b", "standardised", "standardised"),
        ("8a", "agreement", "agreement"), ("9", "highest", "highest"),
    ]:  # fmt: skip
        name = f"lexiprecision-figure-{key}-csv"
        assert [float(row[column]) for row in drawn[name]] == [float(row[stored]) for row in tables[name]]
    assert shown.figures[1].title == "Figure 2: Probability of a tie in reciprocal rank (figure-2)"


def test_a_table_is_drawn_only_as_what_it_is(tmp_path):
    reproduce("ipso", tmp_path / "paper", Setting())
    shown = folders.from_folder(tmp_path / "paper", None)
    panes = ("1", "2", "3a", "3b", "3c", "3d", "4")
    assert [one.key for one in shown.figures] == [f"figure-ipso-figure-{pane}-csv" for pane in panes]
    drawings = {"figure-1": "Hasse diagram", "figure-2": "grid", "figure-3c": "grid", "figure-4": "path"}
    for name, drawing in drawings.items():
        header, *rows = csv.reader(StringIO((tmp_path / "paper" / f"{name}.csv").read_text(encoding="utf-8")))
        assert redrawn("key", drawing, header, rows) is not None
        assert redrawn("key", drawing, header, rows[1:]) is None
        assert redrawn("key", drawing, [*header[:-1], "another"], rows) is None
        assert redrawn("key", drawing, header, []) is None
        for other in set(drawings.values()) - {drawing}:
            assert redrawn("key", other, header, rows) is None
    pairs = [("7", "0110", "0011"), ("8", "1100", "0011")]
    columns = serps([pair[1:] for pair in pairs], [pair[0] for pair in pairs]).columns()
    rows = [list(map(str, row)) for row in zip(*columns.values(), strict=True)]
    assert redrawn("key", "strips", list(columns), rows) is not None
    at = list(columns).index("class")
    rows[0][at] = "ni" if rows[0][at] == "**" else "**"
    assert redrawn("key", "strips", list(columns), rows) is None


@pytest.mark.slow
def test_a_figure_is_known_by_its_record_and_not_by_its_columns(tmp_path, monkeypatch):
    reproduce("ipso", tmp_path / "paper", Setting())
    shown = folders.from_folder(tmp_path / "paper", None)
    assert "figure-ipso-figure-2-csv" in [figure.key for figure in shown.figures]
    monkeypatch.setattr(Item, "drawing", lambda item, part: "" if item.number == "Figure 2" else item.drawn)
    reproduce("ipso", tmp_path / "other", Setting())
    keys = [figure.key for figure in folders.from_folder(tmp_path / "other", None).figures]
    shown = folders.from_folder(tmp_path / "other", None)
    assert "figure-ipso-figure-2-csv" not in keys
    assert len(keys) > 2
    assert "ipso-figure-2-csv" in [table.key for table in shown.grids]


@pytest.mark.parametrize(
    ("drawing", "table", "column", "drawn"),
    [
        ("bars",
         "test,measure,depth,category,share\nt,AP,5,Both: Yes,0.25\nt,AP,5,Both: No,0.75", "order", ["0", "1"]),
        ("triangle",
         "first,second,first_rank,second_rank,category\na,b,1,2,Both: No\na,c,1,3,Both: Yes",
         "second_rank", ["2", "3"]),
        ("ASL curves",
         "model,measure,pair,asl\nAP,AP_ERG*,1,0.9\nAP,AP_ERG*,2,0.4\nAP,AP_ERG*,3,0.1\nDCG,DCG_ETG,1,0.05",
         "asl", ["0.4", "0.1", "0.05"]),
        ("ASL curves",
         "model,measure,pair,asl\nAP,AP_ERG*,1,0.9\nAP,AP_ERG*,2,0.1", "measure", ["ERG", "ERG"]),
        ("square",
         "model,first,second,tau,lower,upper\nAP,AP_ERG*,AP_avg,0.9,0.8,0.95", "tau", ["0.9", "0.9", "1.0", "1.0"]),
        ("square",
         "model,first,second,tau,lower,upper\nAP,AP_ERG*,AP_avg,0.9,0.8,0.95",
         "interval", ["[0.80, 0.95]", "[0.80, 0.95]", "", ""]),
        ("regression",
         "level,next,coefficient,standardised,R2\n1,1,1.5,0.7,0.69\n1,2,0.1,,0.69", "standardised", ["0.7", ""]),
        ("incompleteness",
         "relevance,measure,sampling,fraction,tau,sd,lowest,highest,samples\nbinary,P,stratified,1.0,1.0,0.0,1.0,1.0,2\n"
         "graded,P,uniform,0.5,0.8,0.1,0.7,0.9,2", "panel", ["binary, stratified", "graded, uniform"]),
    ],
)  # fmt: skip
def test_tables_are_drawn_as_they_stand(drawing, table, column, drawn):
    header, *rows = csv.reader(StringIO(table))
    figure = redrawn("key", drawing, header, rows)
    assert figure is not None
    assert [row[column] for row in csv.DictReader(StringIO(figure.csv))] == drawn


def test_folders_that_hold_no_study(tmp_path, kept):
    for wrong in (tmp_path, tmp_path / "nothing"):
        with pytest.raises(InputError, match="metrics --checkpoint"):
            folders.check_folder(wrong)
    (tmp_path / "study.json").write_text("[1]")
    with pytest.raises(InputError, match="no manifest"):
        folders.from_folder(tmp_path, kept[0])
    other, _ = small(systems=5, topics=8)
    with pytest.raises(InputError, match="another study's checkpoint"):
        folders.from_folder(kept[1], other, workers=1)


@pytest.mark.parametrize(
    "change",
    [
        {"units": None},
        {"units": 5},
        {"study": "reproduce <img src=x>"},
    ],
)
def test_reproductions_that_cannot_be_read(tmp_path, kept, change):
    shutil.copytree(kept[2], tmp_path / "paper")
    checkpoints = tmp_path / "paper" / "checkpoints"
    found = {**read_manifest(checkpoints), **change}
    write_manifest(checkpoints, {key: value for key, value in found.items() if value is not None})
    with pytest.raises(InputError, match=r"rankscope reproduce|papers are"):
        folders.from_folder(tmp_path / "paper", kept[0])


@pytest.mark.parametrize("text", [None, "", "a,b\n1\n2,3,4\n"])
def test_tables_that_are_none(tmp_path, kept, text):
    shutil.copytree(kept[2], tmp_path / "paper")
    checkpoints = tmp_path / "paper" / "checkpoints"
    units = Checkpoints.of(checkpoints, read_manifest(checkpoints))
    for unit in units.units:
        made = json.loads(units.get(unit)["files"].tobytes())
        made = {} if text is None else {**made, "files": dict.fromkeys(made["files"], text)}
        units.put(unit, {"files": np.frombuffer(json.dumps(made).encode(), np.uint8)})
    chapter = folders.from_folder(tmp_path / "paper", kept[0])
    assert not chapter.grids
    assert dict(chapter.notes)["Left out"][0].endswith("was not made, or its file is damaged.")


def test_words_from_a_folder_turn_nothing_and_can_be_written(tmp_path, kept):
    shutil.copytree(kept[2], tmp_path / "paper")
    checkpoints = tmp_path / "paper" / "checkpoints"
    spoiled = {"\u202e\ud800</script>": {"resamples": 1, "seed": 7}}
    write_manifest(checkpoints, {**read_manifest(checkpoints), "resampling": spoiled})
    chapter = folders.from_folder(tmp_path / "paper", kept[0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scores = rs.evaluate(kept[0], ["AP"])
    path = assembled(kept[0], scores, studies=[chapter]).save(tmp_path / "r.html")
    assert "\\u202e\\ud800&lt;/script&gt;: 1, seed 7" in path.read_text(encoding="utf-8")


def test_counts_have_their_number():
    judged, scores = small(systems=1, topics=1)
    html = assembled(judged, scores).html
    assert "<bdi>1 system on 1 topic</bdi>" in html
    assert "1 system, 1 topic; grades" in html
    judged, _ = small(systems=2, topics=1143)
    assert "2 systems on 1,143 topics" in assembled(judged, rs.evaluate(judged, ["P@1"])).html


def test_where_no_topic_can_be_scored():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        judged, scores = small(grades=(0, 0))
    html = assembled(judged, scores).html
    assert "No topic could be scored under nDCG@10, AP: none has a relevant document." in html


def test_save_keeps_what_is_there(tmp_path):
    judged, scores = small()
    page = assembled(judged, scores)
    path = page.save(tmp_path / "r.html")
    path.write_text("mine")
    with pytest.raises(InputError, match="exists already"):
        page.save(path)
    assert path.read_text() == "mine"
    page.save(path, force=True)
    assert path.read_text(encoding="utf-8") == page.html


def test_the_same_input_gives_the_same_page(tmp_path):
    first = made(tmp_path, *embedded()).path.read_text(encoding="utf-8")
    (tmp_path / "again").mkdir()
    assert made(tmp_path / "again", *embedded()).path.read_text(encoding="utf-8") == first
