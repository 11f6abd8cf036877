"""Plain words wherever people read: help, printed output, docstrings, pages. docs/conventions.md has the rules."""

from __future__ import annotations

import argparse
import ast
import importlib
import inspect
import re
import shlex
from pathlib import Path

import pytest
from commands import command
from readability import (
    markdown_paragraphs,
    option_text,
    printed_paragraphs,
    prose,
    unexplained_symbols,
)

import rankscope as rs
from rankscope.cli import COMMANDS, _parser
from rankscope.simulation import embedded
from rankscope.simulation.embedded_collection import COLLECTIONS, write_judges

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    ROOT / "README.md",
    *(ROOT / "docs" / f"{name}.md" for name in ("index", "tutorial", "glossary", "conventions")),
    *sorted((ROOT / "docs" / "how-to").glob("*.md")),
]
ROOMS = (
    "statistics", "preferences", "universe", "studies", "simulation", "figures", "measures", "judged", "io",
    "validation", "comparisons", "reporting",
)  # fmt: skip

# every command once or twice on the embedded collection; layers are added where a command has them
SCREENS = (
    "demo -o rankscope-demo",
    "validate qrels.gz runs",
    "evaluate qrels.gz runs",
    "trec_eval qrels.gz runs/hybrid-1.gz -m set",
    "evaluate qrels.gz runs/hybrid-1.gz --bounds",
    "compare qrels.gz runs lexical-3 hybrid-1",
    "compare qrels.gz runs dense-2 hybrid-1 -m AP",
    "compare qrels.gz runs lexical-1 hybrid-2 -m P@10 --topics 3",
    "rank qrels.gz runs",
    "rank qrels.gz runs --baseline lexical-3",
    "across collections.csv lexical-3 hybrid-1 --margin 0.05",
    "across collections.csv",
    "gate qrels.gz runs/lexical-3.gz runs/hybrid-1.gz",
    "gate qrels.gz runs/hybrid-2.gz runs/lexical-1.gz",
    "gate qrels.gz runs/dense-2.gz runs/lexical-3.gz",
    "plan qrels.gz runs/lexical-3.gz runs/hybrid-1.gz --difference 0.05",
    "judges qrels.gz runs --judges judges --resamples 100",
    "judge-next qrels.gz runs/dense-2.gz runs/lexical-3.gz -m P@50",
    "metrics qrels.gz runs --splits 50 --resamples 200",
    "ipso 1011101101 1110100110",
    "enumerate -k 4 -m AP nDCG@4 RR",
    "explain nDCG@10",
    "explain AP RR",
    "explain --all",
    "simulate -o drawn --force --n-topics 10 --n-truth-topics 100",
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("readability")
    qrels, runs = embedded()
    (folder / "qrels.gz").symlink_to(qrels)
    (folder / "runs").mkdir()
    for run in runs:
        (folder / "runs" / run.name).symlink_to(run)
    (folder / "collections.csv").symlink_to(COLLECTIONS)
    write_judges(folder / "judges")
    return folder


def parsers() -> dict[str, argparse.ArgumentParser]:
    return next(a for a in _parser()._actions if isinstance(a, argparse._SubParsersAction)).choices


def screens() -> list[str]:
    """Commands to look at, each in all its layers."""
    layered = {name for name, parser in parsers().items() if "--full" in parser._option_string_actions}
    return [
        f"{line}{layer}"
        for line in SCREENS
        for layer in (("", " --full", " --explain") if line.split()[0] in layered else ("",))
    ]


def check(wrong: list[str]) -> None:
    assert not wrong, "\n".join(wrong)


def test_every_command_is_looked_at():
    assert {line.split()[0] for line in SCREENS} == {*COMMANDS} - {"convert", "report", "reproduce"}


@pytest.mark.parametrize("name", COMMANDS)
def test_help(name):
    parser = parsers()[name]
    wrong = [line for text in (parser.description, parser.epilog.partition("Examples")[0]) for line in prose(text)]
    for action in parser._actions:
        has_default = action.option_strings and action.nargs != 0 and action.default not in (None, False, [])
        shown = action.dest != "help"
        wrong += [f"{name} {action.dest}: {w}" for w in option_text(action.help, default=has_default) if shown]
    check(wrong)


@pytest.mark.parametrize("line", screens())
def test_printed_output(line, folder):
    name, *words = shlex.split(line)
    done = command(name)(*words, cwd=folder)
    assert done.returncode in (0, 1), done.stderr
    wrong = [problem for paragraph in printed_paragraphs(done.stdout) for problem in prose(paragraph)]
    check([*wrong, *unexplained_symbols(done.stdout)])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_pages(page):
    check([problem for text in markdown_paragraphs(page.read_text(encoding="utf-8")) for problem in prose(text)])


def test_the_page_of_the_report():
    template = (ROOT / "src/rankscope/reporting/parts/page.html.j2").read_text(encoding="utf-8")
    texts = re.split(r"<[^>]*>|\{[%{].*?[%}]\}", template)
    check([problem for text in texts for problem in prose(text)])


def public_objects():
    """Names and docstrings of everything public."""
    for module in (rs, *(importlib.import_module(f"rankscope.{room}") for room in ROOMS)):
        for name in module.__all__:
            value = getattr(module, name)
            if inspect.isfunction(value) or inspect.isclass(value):
                yield f"{module.__name__}.{name}", inspect.getdoc(value) or ""


def test_first_lines_of_docstrings():
    wrong = []
    for name, text in public_objects():
        first = text.split("\n\n")[0]
        wrong += [f"{name}: {problem}" for problem in prose(first)]
    check(wrong)


def error_texts():
    """Places and texts of errors and warnings, as the source writes them."""
    for path in sorted((ROOT / "src").rglob("*.py")):
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            name = getattr(getattr(call, "func", None), "attr", getattr(getattr(call, "func", None), "id", ""))
            if isinstance(call, ast.Call) and name in ("InputError", "Problem", "warn", "note"):
                for text in map(written, call.args):
                    yield f"{path.relative_to(ROOT)}:{call.lineno}", text


def written(node: ast.expr) -> str:
    """A literal text; values that are put into it are X."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "X" for part in node.values)
    return ""


def test_errors_and_warnings():
    texts = list(error_texts())
    assert len(texts) > 500
    check([f"{place}: {problem}" for place, text in texts for problem in prose(text)])


@pytest.mark.parametrize(
    ("bad", "problems"),
    [
        ("of the difference (default: t)", option_text),
        ("whether --scores has one row per system", option_text),
        ("permutations", option_text),
        (" ".join(["word"] * 31) + ".", prose),
        ("A row a topic, one column per system.", prose),
        ("The table has one line a finding.", prose),
        ("hybrid-1  0.58  †", unexplained_symbols),
        ("ranks 1 to 3  ni\nranks 4 to 10  **", unexplained_symbols),
    ],
)
def test_planted(bad, problems):
    """Each kind of bad text is seen, in a text and on a screen or page around it."""
    assert problems(bad)
    if problems is prose:
        assert any(map(prose, markdown_paragraphs(f"# Title\n\nGood.\n\n- {bad}\n\n```text\ncode\n```\n")))
        assert any(map(prose, printed_paragraphs(f"Title\n  {bad}\n\n  a  1\n")))


@pytest.mark.parametrize(
    ("good", "problems"),
    [
        ("test of the difference between the two means: t or sign (default: t)", option_text),
        (" ".join(["word"] * 30) + ". " + " ".join(["Word"] * 30), prose),
        ("One row per topic; a list, a topic and its grade.", prose),
        ("hybrid-1  0.58  †\n† marks p below 0.05", unexplained_symbols),
        ("non-inferior (ni), non-superior (ns)\nni  ns  ni", unexplained_symbols),
        ("A **bold** word.", unexplained_symbols),
    ],
)
def test_good_text_passes(good, problems):
    assert not list(problems(good))


def test_a_default_is_told():
    assert option_text("number of random samples to draw", default=True)
    assert not option_text("number of random samples to draw (default: 10)", default=True)
