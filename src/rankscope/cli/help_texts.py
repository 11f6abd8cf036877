"""How help is laid out: sections of options, examples, and what each command answers."""

from __future__ import annotations

import argparse
from typing import Any, NoReturn

INPUT, METHOD, RULES, WORK, OUTPUT, HELP = "input", "method", "rules", "speed and memory", "output", "help"
SECTIONS = (INPUT, METHOD, RULES, WORK, OUTPUT, HELP)
COMMANDS = {
    "Try it": {
        "demo": "What does a verdict look like? Writes files to try commands on",
    },
    "Systems": {
        "evaluate": "How does each system score, by the numbers of trec_eval?",
        "trec_eval": "What does trec_eval 10 print? Its options and its output",
        "compare": "Does B score higher than A, beyond the luck of the topics?",
        "rank": "Which systems are shown to differ, and which are not?",
        "across": "Is B better than A over several collections, and on the next one?",
        "gate": "May the new version replace the old one? Exit code 1 stops a build",
        "judges": "Which verdicts would hold with the judgments of others?",
        "plan": "How many topics does a comparison need?",
        "judge-next": "Which unjudged documents would settle a comparison?",
        "report": "How do I show it to others? One interactive page",
    },
    "Files": {
        "validate": "What is odd in these files, and which numbers does it change?",
        "convert": "How do I get a run or judgments into another format?",
    },
    "Metrics": {
        "metrics": "How well does each metric tell these systems apart?",
        "explain": "What does a metric measure, and which tools compute it otherwise?",
        "ipso": "Can two result lists be compared without choosing a metric?",
        "enumerate": "Where can two metrics disagree, over all possible rankings?",
    },
    "Research": {
        "reproduce": "What do the tables of a paper look like on my collection?",
        "simulate": "Where do I get a collection whose true scores are known?",
    },
}
"""Every command by subject, and the question that it answers."""

GLOSSARY = "Terms are defined in docs/glossary.md."
USAGE = "rankscope COMMAND [options]"
OVERVIEW = f"""\
usage: {USAGE}

Does one ranking system score higher than another, beyond the luck of the
topics? Would another metric agree? rankscope answers from relevance judgments
and result lists.

{{commands}}

rankscope COMMAND --help   shows the options of a command, and two examples
rankscope --version        shows the version, and which kernels are in use
rankscope --completion SH  prints completion for a shell: bash, zsh or fish

Start with: rankscope demo
"""


class Parser(argparse.ArgumentParser):
    """A parser with our sections, whose errors show what was typed, and do not obey it."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **{"formatter_class": _Formatter, **options})
        self._positionals.title, self._optionals.title = INPUT, HELP

    def error(self, message: str) -> NoReturn:
        from rankscope.formatting import visible

        super().error(visible(message))


class MainParser(Parser):
    """The parser of `rankscope` itself: its help lists the commands by subject, each with its question."""

    def format_help(self) -> str:
        subjects = []
        for subject, commands in COMMANDS.items():
            subjects += [subject, *(f"  {name:<10} {question}" for name, question in commands.items())]
        return OVERVIEW.format(commands="\n".join(subjects))


class _Formatter(argparse.HelpFormatter):
    """Lines that begin with a blank, such as examples, stay as they are; all others are wrapped."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        lines = text.splitlines()
        return "\n".join(line if line[:1] == " " else super(_Formatter, self)._fill_text(line, width, indent)
                         for line in lines)  # fmt: skip


def section(parser: argparse.ArgumentParser, title: str, description: str = "") -> argparse._ArgumentGroup:
    """The section of this title, made where it is missing; sections that only one command has come after the method."""
    for group in parser._action_groups:
        if group.title == title:
            return group
    group = parser.add_argument_group(title, description or None)
    parser._action_groups.sort(key=lambda group: SECTIONS.index(group.title) if group.title in SECTIONS else 1.5)
    return group


def described(name: str, description: str, *examples: str, usage: str = "QRELS RUN [RUN ...]") -> dict[str, Any]:
    """Options of `add_parser`: what a command does, its usage, and examples that work as they are typed.

    examples  words after the command, for the folder that `rankscope demo` writes
    usage     what follows the options; one line for each form of the command
    """
    forms = usage.split("\n")
    calls = f"\n{' ' * len('usage: ')}".join(f"rankscope {name} [options] {form}".rstrip() for form in forms)
    questions = {command: question for commands in COMMANDS.values() for command, question in commands.items()}
    lines = [GLOSSARY, " ", "Examples, after `rankscope demo` and `cd rankscope-demo`:"]
    return {
        "help": questions[name],
        "description": description,
        "usage": calls,
        "epilog": "\n".join([*lines, *(f"  rankscope {name} {words}".rstrip() for words in examples)]),
    }
