"""Errors and notes speak the words of whoever called: options on the command line, arguments in Python."""

import argparse
import ast
import inspect
import re
from pathlib import Path

import pytest
from commands import command

import rankscope as rs
from rankscope.cli import COMMANDS, _parser
from rankscope.errors import InputError, argument, speaking, spoken_options
from rankscope.io.score_tables import read_scores
from rankscope.parallel import map_units
from rankscope.validation.wording import OPTIONS

SOURCE = Path(rs.__file__).parent
IN_MEASURE = r"\w+\([^()]*\)"  # AP(rel=2) is a measure, and rel= its parameter


def options(name):
    """Arguments of a command that have an option."""
    commands = next(a for a in _parser(name)._actions if isinstance(a, argparse._SubParsersAction))
    return {a.dest for a in commands.choices[name]._actions if a.option_strings}


def python_words(text, names):
    """Arguments of Python in a text that a command has options for."""
    return re.findall(rf"(?<![\w.-])(?:{'|'.join(sorted(names))})=(?!=)", re.sub(IN_MEASURE, "", text))


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text("".join(f"{t} 0 d{d} {(t + d) % 4}\n" for t in range(6) for d in range(8)))
    for run, step in (("a", 3), ("b", 5), ("c", 7)):
        lines = (f"{t} Q0 d{(t + step * i) % 8} {i} {9 - i} {run}\n" for t in range(6) for i in range(6))
        Path(run).write_text("".join(lines))
    Path("sub").mkdir()
    Path("sub/a").write_text(Path("a").read_text())
    Path("twice").write_text(Path("a").read_text() * 2)
    Path("a.json").write_text('{"1": {"d1": 2.0, "d2": 1.0}}')
    Path("scores.csv").write_text("x,a,b\n1,0.1,0.2\n2,0.3,0.4\n")
    Path("short").write_text("0 Q0 d1 1 2.5 x\n")
    Path("either").write_text("1 Q0 d1 1 2.5 x\n".replace("Q0 ", "0 ").replace(" 1 2.5 x", " 1"))
    Path("there.txt").write_text("mine")
    Path("full").mkdir()
    Path("full/mine").write_text("mine")
    rows = [[f"s{s}" for s in range(40)], *([f"{t + s % 3 / 1000}" for s in range(39)] + [f"{-t}"] for t in range(6))]
    heads = ["topic", *"123456"]
    Path("unequal.csv").write_text("".join(f"{t},{','.join(row)}\n" for t, row in zip(heads, rows, strict=True)))
    return tmp_path


# what is typed, and what the answer says
SAID = [
    ("evaluate qrels a sub/a", "(--names tag, --names path)"),
    ("evaluate qrels a.json --names tag", "(--names file, --names path)"),
    ("evaluate qrels a --names tag --memory 2GiB", "--names tag reads every run to its end first"),
    ("evaluate qrels twice", "with --duplicates first"),
    ("evaluate qrels a --memory much", "--memory much is no size\n1 problem; --memory is a number of bytes"),
    ("evaluate qrels a --memory 1KiB", "--memory 1KiB is too little"),
    ("evaluate qrels a --depth 0", "--depth 0\n1 problem; --depth is a whole number from 1"),
    ("evaluate qrels a --workers 0", "--workers is a whole number from 1, or left out for all processors"),
    ("evaluate qrels a -m nDCG@3 --rel 2", "note: --rel 2 is for measures with a threshold"),
    ("evaluate qrels a -o there.txt", "choose another file, or --force to write over it"),
    ("compare qrels a b --alpha 2", "--alpha 2\n1 problem; --alpha is between 0 and 1, such as 0.05"),
    ("compare qrels a b --level 1", "--level 1\n1 problem; --level is between 0 and 1"),
    ("compare qrels a b --resamples 0", "--resamples 0\n1 problem; --resamples is a whole number from 1"),
    ("compare qrels a b --gains much", "--gains much is unknown"),
    ("compare qrels a b --plot p.svg --plot-width 7", "--plot-width 7\n1 problem; the width of a picture"),
    ("compare qrels a b --device cuda --test randomisation", "--device cuda: "),
    ("compare --scores scores.csv a b", "a system (--transpose) or a topic (--no-transpose)"),
    ("rank --scores unequal.csv --method hsd --resamples 99", "--method bootstrap needs no such assumption"),
    ("rank qrels a b c --depth 0", "--depth is a whole number from 1"),
    ("gate qrels a b --margin much", "--margin much\n1 problem; a margin is a number from 0"),
    ("gate qrels a short", "allow missing topics (--allow-missing)"),
    ("plan qrels a b c --difference 0", "--difference 0\n1 problem; the difference to find is a number other than 0"),
    ("plan qrels a b c --n-topics 1 --difference 0.1", "--n-topics"),
    ("metrics qrels a b --studies much", "--studies: 'much' is unknown"),
    ("metrics qrels a b --samples 0", "--samples 0\n1 problem; --samples is a whole number from 1"),
    ("enumerate -m AP P -k 3 --recall-base 0", "--recall-base 0\n1 problem; --recall-base is a whole number from 1"),
    ("enumerate -m AP -k 0", "--depth 0"),
    ("enumerate --separability -k 3 --gains much", "--gains much is unknown"),
    ("ipso 101 011 --gains much", "--gains much is unknown"),
    ("convert short out.json --from much", "much"),
    ("simulate -o full --n-topics 3", "write into it with --force"),
    ("simulate -o new --grades 0 0", "--grades 0 0\n1 problem; --grades are 1 to 20 shares"),
    ("reproduce ipso -o full", "take it over with --force"),
    ("report qrels a b -o there.html --resamples 0", "--resamples 0"),
]  # fmt: skip


@pytest.mark.parametrize(("words", "said"), SAID, ids=[words for words, _ in SAID])
def test_commands_say_options(words, said, files):
    name, *rest = words.split()
    done = command(name)(*rest)
    assert said in done.stderr, done.stderr
    assert python_words(done.stdout + done.stderr, options(name)) == []
    assert spoken_options() is None


@pytest.mark.filterwarnings("ignore::rankscope.DataWarning")
def test_python_says_arguments(files):
    with pytest.raises(InputError, match=r"names='tag', names='path'"):
        rs.load("qrels", ["a", "sub/a"])
    with pytest.raises(InputError, match=r"workers is a whole number from 1, or None for all processors"):
        rs.load("qrels", ["a"], workers=0)
    with pytest.raises(InputError, match=r"duplicates='first'"):
        rs.load("qrels", ["twice"])
    with pytest.raises(InputError, match=r"allow_missing=True"):
        rs.gate(rs.load("qrels", ["a", "short"]), "a", "short")
    with pytest.raises(InputError, match=r"transposed=True"):
        read_scores("scores.csv")
    with pytest.raises(InputError, match=r"choose another file, or force=True to write over it"):
        rs.io.convert("a", "there.txt")


def test_cures_of_findings(files):
    """Options of commands that read collections, whether validate has them or not; in Python arguments of `load`."""
    Path("tied").write_text("".join(f"{t} Q0 d{d} {d} 1 tied\n" for t in range(5) for d in range(3)))
    Path("other").write_text("".join(f"{t} Q0 d{d} {d} {1 - d / 1e9} other\n" for t in range(6) for d in range(8)))
    words = {
        "rel": ("--rel 2", "rel=2"), "ties": ("--ties rank", "ties='rank'"),
        "missing": ("--missing drop", "missing='drop'"),
        "score_dtype": ("--score-dtype float32", "score_dtype='float32'"),
    }  # fmt: skip
    printed = " ".join(command("validate")("qrels", "tied", "other", "--full").stdout.split())
    in_python = " ".join(rs.validate("qrels", ["tied", "other"]).to_text("full").split())
    for name, (option, keyword) in words.items():
        assert name in inspect.signature(rs.load).parameters
        assert (f"Use {option} " in printed, f"Use {keyword} " in in_python) == (True, True), name
    assert "--" not in in_python
    assert python_words(printed, options("evaluate")) == []
    assert {*OPTIONS} <= options("evaluate") & {*inspect.signature(rs.load).parameters}


@pytest.mark.parametrize("name", COMMANDS)
def test_no_string_of_a_command_is_for_python(name):
    """Help texts, too."""
    assert python_words(_parser(name).format_help(), options(name)) == []


# strings with an argument of Python that no command shows; and patterns, which nobody reads
ONLY_PYTHON = {
    "comparisons/paper_table.py",
    "io/conversion.py",  # chooses the words
    "measures/names.py", "measures/record.py",  # parameters of measures
    "measures/catalogue/generalised.py", "measures/catalogue/nuggets.py", "measures/catalogue/rbp.py",
    "measures/catalogue/total_orders.py", "measures/explanations/signatures.py", "measures/cwla/metric.py",
    "preferences/all_pairs.py", "preferences/dominance_results.py",
    "statistics/pairs/paired_tests.py",  # functions of arrays
    "universe/ipso/separability.py",
}  # fmt: skip


def strings(path):
    """Strings of a module that are no docstrings, those with values in them as one."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    silent = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    joined = [node for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)]
    silent |= {id(part) for node in joined for part in ast.walk(node) if part is not node}
    for node in ast.walk(tree):
        if id(node) not in silent and isinstance(node, ast.Constant | ast.JoinedStr):
            parts = node.values if isinstance(node, ast.JoinedStr) else [node]
            texts = [part.value if isinstance(part, ast.Constant) else "{}" for part in parts]
            yield "".join(text for text in texts if isinstance(text, str))


def test_sentences_ask_for_the_words():
    """A string that names an argument uses `argument`, or is in a module of the list above."""
    every = {option for name in COMMANDS for option in options(name)} | {"transposed", "checkpoints"}
    wrong = {
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*.py")
        for text in strings(path)
        if " " in text and python_words(text, every)
    }
    assert wrong == ONLY_PYTHON


def test_words_of_a_command_reach_its_threads_and_no_others():
    with speaking({"names": "--names", "gains": "--gains"}):
        heard = list(map_units(lambda _: argument("names", "tag"), range(8), workers=4, kind="shared"))
        assert {*heard} == {"--names tag"}
        assert argument("gains", {1.0: "0.5", 2.0: 1}) == "--gains 1=0.5,2=1"
        assert argument("gains", "") == "--gains ''"
    assert argument("names", "tag") == "names='tag'"


@pytest.mark.parametrize(
    "call",
    [
        lambda judged: rs.evaluate(judged, 5), lambda judged: rs.rank(judged, measure=5),
        lambda judged: rs.metrics(judged, measures=5), lambda judged: rs.bounds(judged, 5),
        lambda judged: rs.gate(judged, "a", "b", also=5), lambda judged: rs.compare(judged, "a", "b", palette=5),
        lambda judged: rs.report(judged, measures=5),
    ],
)  # fmt: skip
def test_a_number_is_no_measure(call, files):
    judged = rs.load("qrels", ["a", "b"])
    with pytest.raises(InputError, match="5 is no measure"):
        call(judged)
