"""One screen for every answer: at most 24 lines, no wider than the terminal, the answer in the first three lines.

The embedded collection and, where it is at hand, TREC DL 2019; 80 and 120 columns.
"""

from __future__ import annotations

import argparse
import re

import pytest
from commands import command

from rankscope.cli import _parser
from rankscope.simulation import embedded
from rankscope.simulation.embedded_collection import COLLECTIONS, write_judges

LINES = 24

# words of a command on a collection of {qrels}, {runs}, {a} and {b}, and what the first three lines have to say
CALLS = {
    "compare": ("{qrels} {runs} {a} {b}", r"^(?=.*{a})(?=.*{b}).*(higher|better|[Nn]o difference)"),
    "rank": ("{qrels} {runs} --resamples 500", r"leads|no difference|cannot be ruled out"),
    "across": (f"{COLLECTIONS} lexical-3 hybrid-1", "[Nn]o difference between lexical-3 and hybrid-1"),
    "gate": ("{qrels} {runs}/{file_a} {runs}/{file_b}", r"(PASS|REGRESSION|INCONCLUSIVE).*{b}"),
    "evaluate": ("{qrels} {runs}", r"AP.*nDCG@10|highest"),
    "plan": ("{qrels} {runs} --difference 0.05", r"\d+ topics"),
    "judge-next": ("{qrels} {runs}/{file_a} {runs}/{file_b} -m P@50", r"certain|nothing to judge"),
    "judges": ("{qrels} {runs} --judges {judges}", r"judges? keeps?"),
    "metrics": ("{qrels} {runs} --resamples 500 --splits 100", r"no other measure"),
    "validate": ("{qrels} {runs}", r"\d+ findings? in|[Nn]othing odd|clean"),
    "ipso": ("1011101101 1110100110", r"[Mm]etrics? .*A and B"),
    "enumerate": ("-k 5", r"disagree|order"),
    "explain": ("nDCG@10", r"nDCG@10.*In words"),
    "demo": ("-o {demo}", r"hybrid-2.*lexical-3|lexical-3.*hybrid-2"),
}
DATA = ("compare", "rank", "gate", "evaluate", "plan", "metrics", "validate")


def test_every_layered_command_is_tried():
    commands = next(a for a in _parser()._actions if isinstance(a, argparse._SubParsersAction)).choices
    assert {name for name, parser in commands.items() if "--full" in parser._option_string_actions} == {*CALLS}


def check(name, columns, values, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(columns))
    words, answer = CALLS[name]
    done = command(name)(*words.format(**values).split())
    assert done.returncode in ((0, 1) if name == "gate" else (0,)), done.stderr
    lines = done.stdout.rstrip("\n").split("\n")
    assert len(lines) <= LINES, done.stdout
    assert max(map(len, lines)) <= columns, done.stdout
    first = " ".join(" ".join(lines[:3]).split())
    assert re.search(answer.format(**{key: re.escape(str(value)) for key, value in values.items()}), first), done.stdout


@pytest.mark.parametrize("columns", [80, 120])
@pytest.mark.parametrize("name", CALLS)
def test_embedded(name, columns, monkeypatch, tmp_path):
    qrels, runs = embedded()
    folder = tmp_path / "runs"
    folder.mkdir()
    for run in runs:
        (folder / run.name).symlink_to(run)
    values = {
        "qrels": qrels, "runs": folder, "a": "lexical-3", "b": "hybrid-1", "file_a": "lexical-3.gz",
        "file_b": "hybrid-1.gz", "demo": tmp_path / "demo", "judges": tmp_path / "judges",
    }  # fmt: skip
    write_judges(values["judges"])
    check(name, columns, values, monkeypatch)


@pytest.mark.parametrize("columns", [80, 120])
@pytest.mark.parametrize("name", DATA)
def test_real_collection(name, columns, data, monkeypatch):
    folder = data / "dl19-passage"
    first, second = sorted((folder / "runs").iterdir())[:2]
    values = {
        "qrels": folder / "qrels.gz", "runs": folder / "runs", "a": first.name.partition(".")[0],
        "b": second.name.partition(".")[0], "file_a": first.name, "file_b": second.name,
    }  # fmt: skip
    check(name, columns, values, monkeypatch)
