"""Options with numbers or lists: whatever stands there is used or refused in a sentence, in every command."""

import argparse
import re

import pytest
from commands import command

from rankscope.cli import COMMANDS, _parser

ODD = ("", "99999999999999999999", "-1", "nan", "1e999", "1,,2")
ARGUMENTS = {
    "validate": ["qrels", "a", "b"],
    "evaluate": ["qrels", "a", "b"],
    "trec_eval": ["qrels", "a"],
    "compare": ["qrels", "a", "b", "--resamples", "99"],
    "rank": ["qrels", "a", "b", "--resamples", "99"],
    "across": ["collections.csv", "a", "b", "--resamples", "99"],
    "gate": ["qrels", "a", "b"],
    "plan": ["qrels", "a", "b", "--difference", "0.1"],
    "judges": ["qrels", "a", "b", "--judges", "other", "--resamples", "99"],
    "judge-next": ["qrels", "a", "b", "--resamples", "9"],
    "enumerate": ["-m", "AP", "P", "-k", "3"],
    "ipso": ["101", "011"],
    "convert": ["a", "converted.json", "--force"],
    "explain": ["AP"],
    "simulate": ["-o", "simulated", "--force", "--n-topics", "3", "--n-truth-topics", "100", "-m", "AP"],
    "demo": [],  # no option takes a number
    "metrics": ["qrels", "a", "b", "-m", "AP", "--methods", "--studies", "ties", "--resamples", "9"],
    "reproduce": ["ipso", "qrels", "a", "b", "-o", "paper", "--force", "--figures", "none", "--resamples", "9"],
    "report": ["qrels", "a", "b", "-m", "AP", "-o", "page.html", "--force", "--resamples", "9"],
}


def options(name):
    """Options of a command that take numbers, lists or gains."""
    commands = next(a for a in _parser(name)._actions if isinstance(a, argparse._SubParsersAction))
    named = [a for a in commands.choices[name]._actions if a.option_strings and a.nargs != 0 and not a.choices]
    return [a.option_strings[-1] for a in named if a.type in (int, float) or a.nargs in ("+", "*") or a.dest == "gains"]


def test_every_command_is_here():
    assert {*ARGUMENTS} == {*COMMANDS}


@pytest.mark.parametrize(("name", "option"), [(name, option) for name in ARGUMENTS for option in options(name)])
def test_odd_values_are_used_or_refused(name, option, tmp_path):
    (tmp_path / "qrels").write_text("".join(f"{t} 0 d{d} {(t + d) % 3}\n" for t in range(6) for d in range(8)))
    for run, step in (("a", 3), ("b", 5)):
        lines = (f"{t} Q0 d{(t + step * i) % 8} {i} {9 - i} x\n" for t in range(6) for i in range(6))
        (tmp_path / run).write_text("".join(lines))
    (tmp_path / "other").write_text("".join(f"{t} 0 d{d} {(t + 2 * d) % 3}\n" for t in range(6) for d in range(8)))
    (tmp_path / "collections.csv").write_text("collection,qrels,runs\nfirst,qrels,[ab]\nsecond,other,[ab]\n")
    words = list(ARGUMENTS[name])
    if option in words:
        del words[words.index(option) : words.index(option) + 2]
    arguments = "|".join(argument.lstrip("-").replace("-", "_") for argument in options(name))
    for value in ODD:
        done = command(name)(*words, f"{option}={value}", cwd=tmp_path)
        assert done.returncode in (0, 1, 2), (value, done.stderr)
        assert "internal error" not in done.stderr, value
        assert done.returncode != 2 or done.stderr, value
        named = re.findall(rf"(?<![\w.-])(?:{arguments})=", re.sub(r"\w+\([^()]*\)", "", done.stderr))
        assert named == [], (value, done.stderr)  # options are spoken of as they are typed
