"""The documentation: what its extensions make of text, and that no block of code stands on a page by accident."""

from __future__ import annotations

import importlib.util
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


def load(path: str) -> ModuleType:
    if (folder := str(ROOT / "docs" / "_ext")) not in sys.path:
        sys.path.append(folder)
    spec = importlib.util.spec_from_file_location(f"docs_{Path(path).stem}", ROOT / path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def executed():
    pytest.importorskip("sphinx", reason="the group docs is not installed")
    return load("docs/_ext/executed.py")


@pytest.fixture(scope="module")
def running():
    return load("docs/_ext/running.py")


@pytest.fixture(scope="module")
def outputs():
    return load("docs/write_outputs.py")


@pytest.fixture(scope="module")
def records():
    pytest.importorskip("sphinx", reason="the group docs is not installed")
    return load("docs/_ext/records.py")


@pytest.fixture(scope="module")
def woven():
    pytest.importorskip("sphinx", reason="the group docs is not installed")
    return load("docs/_ext/woven.py")


class TestBlocks:
    def test_bare_blocks_are_found(self, executed):
        text = "```python\nx\n```\n\n```{command}\nls\n```\n\n~~~bash\nls\n~~~\n\n```\nls\n```\n\n```text\nwords\n```\n"
        assert executed.unmarked(text) == [(1, "```python"), (9, "~~~bash"), (13, "```")]

    def test_a_block_within_a_block_is_its_own_affair(self, executed):
        assert executed.unmarked("````{shown} text\n```python\nx\n```\n````\n") == []

    def test_sphinx_own_blocks_are_no_way_around(self, executed):
        assert executed.unmarked("```{code-block} python\nx\n```\n") == [(1, "```{code-block}")]

    def test_marking_leaves_nothing_bare(self, executed):
        marked = executed.marked("# T\n\n```\nls\n```\n\n```python\nx\n```\n", "it takes hours")
        assert executed.unmarked(marked) == []
        assert marked.count(":not-run: it takes hours") == 2
        assert "```{shown} python\n" in marked

    @pytest.mark.parametrize("page", sorted((ROOT / "docs").rglob("*.md")), ids=lambda p: p.name)
    def test_pages_written_by_hand(self, executed, page):
        bare = executed.unmarked(page.read_text(encoding="utf-8"))
        conf = (ROOT / "docs" / "conf.py").read_text(encoding="utf-8")
        name = page.relative_to(ROOT / "docs").with_suffix("").as_posix()
        assert not bare or f'"{name}": "' in conf  # there with the reason


def test_the_architecture_names_every_room():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = settings["tool"]["importlinter"]["contracts"][0]["layers"]
    rooms = [room for layer in reversed(layers) for room in layer.split(" | ")]
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    rows = [line.split("|")[1] for line in text.splitlines() if line.startswith("| `")]
    places = [next((at for at, row in enumerate(rows) if f"`{room}`" in row), None) for room in rooms]
    assert None not in places
    assert places == sorted(places)  # a room imports only rooms above it in the table


class TestRunning:
    def test_the_last_line_is_the_value(self, running):
        space: dict[str, object] = {}
        assert running.executed("x = 2\nx + 1", space) == (3, None)
        assert running.executed("y = x", space) == (None, None)
        assert space["y"] == 2

    def test_long_lines_of_words_are_wrapped_and_tables_are_not(self, running):
        words = "  " + "word " * 40
        assert all(len(line) <= 120 and line.startswith("  ") for line in running.wrapped(words))
        table = "a" * 60 + "  " + "b" * 70
        assert running.wrapped(table) == [table]
        table = "   ".join(["two words"] * 14)
        assert running.wrapped(table) == [table]

    def test_a_sentence_is_wrapped_below_its_label(self, running):
        first, *others = running.wrapped("for it    " + "word " * 30 + "end")
        assert first.startswith("for it    word")
        assert others == [" " * 10 + others[0].strip()]
        assert len(first) <= 120


class TestKeptOutput:
    PAGE = "# T\n\n```{command}\nwc -l < lines\n```\n\nText.\n"

    def test_output_is_written_behind_its_block_and_written_anew(self, outputs, monkeypatch):
        monkeypatch.setattr(outputs, "command_output", lambda lines, page, options: f"{lines} on {page}")
        page = outputs.written(self.PAGE, "tutorial")
        assert "```\n\n```{output}\nwc -l < lines on tutorial\n```\n\nText.\n" in page
        assert outputs.written(page, "tutorial") == page
        assert outputs.written(page.replace("on tutorial", "stale"), "tutorial") == page

    def test_a_comment_names_the_command_of_a_block_of_text(self, outputs, monkeypatch):
        monkeypatch.setattr(outputs, "command_output", lambda lines, page, options: f"ran {lines}")
        text = "<!-- output: rankscope demo -->\n```text\nold\n```\n"
        assert outputs.written(text, "README") == text.replace("old", "ran rankscope demo")

    def test_blanks_at_the_ends_of_lines_do_not_count(self, running):
        assert running.same_output("\n  a \nb\n", "  a\nb")
        assert not running.same_output("a\nb", "a\nc")

    def test_the_readme_is_fresh(self, outputs):
        text = (ROOT / "README.md").read_text(encoding="utf-8")
        assert "<!-- output: " in text
        assert outputs.written(text, "README") == text, "python3 dev.py docs --write"


class TestDocstrings:
    def test_columns_become_fields(self, records):
        lines = ["Does it.", "", "a, b     two systems", "measure  the one that decides,", "         as text",
                 "longest_ close by"]  # fmt: skip
        made = [line.replace(records.AS_WRITTEN, "") for line in records.fields(lines)]
        assert made == [
            "Does it.", "", ":a, b: two systems", ":measure: the one that decides, as text", r":longest\_: close by",
            "",
        ]  # fmt: skip

    def test_names_of_fields_are_left_as_they_are_written(self, records):
        from docutils import nodes

        tree = nodes.field_list("", nodes.field("", nodes.field_name("", f"{records.AS_WRITTEN}run_format, names")))
        records._as_written(None, tree)
        assert tree.astext() == "run_format, names"

    def test_arrays_have_our_names(self, records):
        array = "~numpy.ndarray[tuple[~typing.Any, ...], ~numpy.dtype[~numpy.{}]]"
        told = f"(a: {array.format('float64')}, n: int) -> {array.format('int64')}"
        assert records.arrays(told) == "(a: Floats, n: int) -> Ints"
        assert records.arrays(None) is None
        codes = array.format("unsignedinteger[~typing.Any]")
        assert records.arrays(f"(code: {codes}, notes: tuple = <factory>)") == "(code: ndarray, notes: tuple = ...)"

    def test_words_are_no_markup(self, records):
        assert records._plain("|t| of `*args` and **") == r"\|t\| of `*args` and \*\*"

    def test_every_public_docstring_can_be_read(self, records):
        import rankscope as rs

        for name in rs.__all__:
            lines = (getattr(rs, name).__doc__ or "").splitlines()
            assert all(isinstance(line, str) for line in records.fields(lines))

    def test_measures_have_places_of_their_own(self, records):
        from rankscope.measures import MEASURES

        places = [records.anchor(name) for name in MEASURES]
        assert len(set(places)) == len(places)


class TestWoven:
    def test_links_of_the_forge_lead_to_pages(self, woven):
        assert woven.relinked("[d](../decisions/0011-ndcg.md#x)", "papers") == "[d](decisions/0011-ndcg.md#x)"
        assert woven.relinked("[d](../../decisions/README.md)", "how-to/gate-in-ci") == "[d](../decisions/index.md)"
        assert woven.relinked("[v](docs/validity.md)", "project/contributing") == "[v](../validity.md)"
        assert woven.relinked("[e](ERRATA.md)", "project/changelog") == "[e](errata.md)"

    def test_others_are_left_alone(self, woven):
        for text in ("[a](https://example.org/x.md)", "[a](#here)", "![a](x.svg)"):
            assert woven.relinked(text, "index") == text

    def test_every_decision_has_a_page(self, woven):
        found = {path.name for path in (ROOT / "decisions").glob("[0-9]*.md")}
        assert {Path(source).name for source in woven.pages() if source.startswith("decisions/0")} == found

    def test_a_page_that_may_not_be_there(self, woven):
        assert woven.settled("index?\nnowhere?\nReally so?\n", "index") == "index\nReally so?\n"


class TestMathML:
    def test_a_formula_keeps_its_source(self):
        pytest.importorskip("latex2mathml", reason="the group docs is not installed")
        drawn = load("docs/_ext/mathml.py").mathml(r"\frac{a}{b} < c")
        assert drawn.startswith("<math")
        assert "<mfrac>" in drawn
        assert r"\frac{a}{b} &lt; c</annotation></semantics></math>" in drawn

    def test_every_formula_of_a_record_can_be_drawn(self):
        pytest.importorskip("latex2mathml", reason="the group docs is not installed")
        from rankscope.measures import MEASURES

        mathml = load("docs/_ext/mathml.py").mathml
        assert all("<math" in mathml(one.formula, display=True) for one in MEASURES.values() if one.formula)


class TestSite:
    GOOD = (
        '<html><link rel="stylesheet" href="s.css"><a href="b.html#x">b</a><a href="https://example.org">o</a></html>'
    )

    @pytest.fixture
    def site(self, tmp_path):
        (tmp_path / "s.css").write_text("body { margin: 0 }", encoding="utf-8")
        (tmp_path / "b.html").write_text('<p id="x">', encoding="utf-8")
        (tmp_path / "a.html").write_text(self.GOOD, encoding="utf-8")
        return tmp_path

    def test_a_sound_site(self, site):
        assert load("docs/check_site.py").problems(site) == []

    @pytest.mark.parametrize(
        ("page", "said"),
        [
            ('<a href="c.html">', "link to c.html, which is not there"),
            ('<a href="b.html#y">', "no such anchor"),
            ('<a href="#y">', "no such anchor"),
            ('<script src="https://cdn.example/x.js"></script>', "fetches https://cdn.example/x.js"),
            ('<link rel="preload stylesheet" href="//fonts.example/x.css">', "fetches //fonts.example"),
            ('<img src="gone.svg">', "gone.svg is not there"),
            ("<p style=\"background: url('https://x.example/y.png')\">", "fetches https://x.example/y.png"),
        ],
    )
    def test_what_is_wrong_is_found(self, site, page, said):
        (site / "a.html").write_text(page, encoding="utf-8")
        found = load("docs/check_site.py").problems(site)
        assert len(found) == 1
        assert said in found[0]

    def test_fonts_of_style_sheets(self, site):
        (site / "s.css").write_text("@font-face { src: url(https://fonts.example/f.woff2) }", encoding="utf-8")
        assert load("docs/check_site.py").problems(site) == ["s.css: fetches https://fonts.example/f.woff2"]

    def test_an_empty_folder_is_no_site(self, tmp_path):
        assert load("docs/check_site.py").problems(tmp_path) == [f"{tmp_path}: no pages"]
