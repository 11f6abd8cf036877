"""Help: usage lines are right, options have sections, and every example works as it is typed."""

from __future__ import annotations

import argparse
import re
import shlex

import pytest
from marks import slow

from rankscope.cli import COMMANDS, _parser, main
from rankscope.cli.help_texts import HELP, SECTIONS


def command_parser(name: str) -> argparse.ArgumentParser:
    commands = next(a for a in _parser(name)._actions if isinstance(a, argparse._SubParsersAction))
    return commands.choices[name]


def examples(name: str) -> list[str]:
    """The lines that the help of a command ends with."""
    epilog = command_parser(name).format_help().partition("Examples, ")[2]
    return [line.strip() for line in epilog.splitlines()[1:]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo") / "rankscope-demo"
    assert main(["demo", "-o", str(folder)]) == 0
    return folder


LONG = ("report", "reproduce", "simulate")


@pytest.mark.parametrize("name", [*(name for name in COMMANDS if name not in LONG), *slow(*LONG)])
def test_examples_work_as_typed(name, folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    lines = examples(name)
    assert len(lines) == 2
    for line in lines:
        program, *words = shlex.split(line)
        assert program == "rankscope"
        assert len(line) <= 78
        assert words[0] == name
        assert main(words) in ((0, 3) if "--strict" in words else (0,)), capsys.readouterr().err
    assert any(capsys.readouterr())


@pytest.mark.parametrize("name", COMMANDS)
def test_usage_names_every_argument_and_required_option(name):
    parser = command_parser(name)
    usage = parser.format_usage()
    assert usage.startswith(f"usage: rankscope {name} [options]")
    for action in parser._actions:
        if not action.option_strings:
            for word in re.findall(r"\w+", str(action.metavar)):
                assert re.search(rf"\b{word}\b", usage), word
        elif action.required:
            assert action.option_strings[0] in usage
    for group in parser._mutually_exclusive_groups:
        if group.required:
            assert all(action.option_strings[0] in usage for action in group._group_actions)
    assert max(map(len, usage.splitlines())) <= 80


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_has_a_section(name):
    parser = command_parser(name)
    titles = [group.title for group in parser._action_groups]
    assert sorted(titles, key=lambda title: SECTIONS.index(title) if title in SECTIONS else 1.5) == titles
    [loose] = [group for group in parser._action_groups if group.title == HELP]
    assert [action.dest for action in loose._group_actions] == ["help"]


def test_the_first_help_fits_on_a_screen(capsys):
    with pytest.raises(SystemExit):
        main(["--help"])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) <= 36
    assert max(map(len, lines)) <= 80
    for name in COMMANDS:
        assert sum(line.startswith(f"  {name} ") for line in lines) == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["comprae"], "rankscope: error: no command is named 'comprae'; did you mean compare?"),
        (["zzz"], "rankscope: error: no command is named 'zzz'; commands are demo, evaluate, trec_eval,"),
        (["gate", "qrels"], "rankscope gate: error: the following arguments are required: BASELINE, CANDIDATE"),
        (["plan", "qrels", "run"], "rankscope plan: error: one of the arguments --difference --width is required"),
    ],
)
def test_errors_of_usage_name_the_command(words, message, capsys):
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 2
    assert message in capsys.readouterr().err
