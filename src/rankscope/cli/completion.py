"""Completion of commands, options, their choices and names of measures in bash, zsh and fish."""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

SHELLS = ("bash", "zsh", "fish")
_MEASURES = ("-m", "--measures")


class Option(NamedTuple):
    """An option of a command: its spellings, the words that may follow it, and what it is for."""

    words: tuple[str, ...]
    choices: tuple[str, ...]
    takes_value: bool
    help: str


def script(shell: str, parsers: Mapping[str, argparse.ArgumentParser], texts: Mapping[str, str]) -> str:
    """The text that a shell reads to complete `rankscope`; `texts` say what each command is for."""
    measures = _measure_names()
    commands = {name: _options(parser, measures) for name, parser in parsers.items()}
    if shell == "fish":
        return _fish(commands, texts)
    bash = _bash(commands)
    return bash if shell == "bash" else f"autoload -Uz compinit bashcompinit\ncompinit -u\nbashcompinit\n{bash}"


def _measure_names() -> tuple[str, ...]:
    from rankscope.measures.names import MEASURES, example

    names = [name if measure.complete else f"{name}@{example(measure)}" for name, measure in sorted(MEASURES.items())]
    return tuple(dict.fromkeys([*names, "nDCG@10", "RR@10", "AP@100", "R@1000"]))


def _options(parser: argparse.ArgumentParser, measures: tuple[str, ...]) -> list[Option]:
    options = []
    for action in parser._actions:
        if not action.option_strings or action.help == argparse.SUPPRESS:
            continue
        words = tuple(action.option_strings)
        choices = measures if set(words) & set(_MEASURES) else tuple(map(str, action.choices or ()))
        text = re.split(r"[:;(]|\. ", action.help or "", maxsplit=1)[0].replace("%%", "%").strip()
        options.append(Option(words, choices, action.nargs != 0, text))
    return options


def _bash(commands: Mapping[str, Sequence[Option]]) -> str:
    """A function that completes the last word; shells read it as it is, and nothing of rankscope runs."""
    lines = [
        "_rankscope() {",
        '  local cur="${COMP_WORDS[COMP_CWORD]}" command="${COMP_WORDS[1]}" option="" i words=""',
        "  if [ \"$COMP_CWORD\" -eq 1 ]; then",
        f'    COMPREPLY=($(compgen -W "{" ".join((*commands, "--help", "--version"))}" -- "$cur"))',
        "    return",
        "  fi",
        '  for ((i = COMP_CWORD - 1; i > 1; i--)); do',
        '    case "${COMP_WORDS[i]}" in -*) option="${COMP_WORDS[i]}"; break ;; esac',
        "  done",
        "  if [ \"$i\" -lt $((COMP_CWORD - 1)) ]; then",
        '    case "$option" in -m|--measures) ;; *) option="" ;; esac',
        "  fi",
        '  case "$cur" in',
        "  -*)",
        '    case "$command" in',
        *(f'    {name}) words="{" ".join(word for option in options for word in option.words)}" ;;'
          for name, options in commands.items()),
        "    esac ;;",
        "  *)",
        '    case "$command $option" in',
        *(f"    {'|'.join(_quoted(f'{name} {word}') for word in option.words)}) words={_choices(option)} ;;"
          for name, options in commands.items() for option in options if option.choices),
        "    esac ;;",
        "  esac",
        '  COMPREPLY=()',
        '  [ -z "$words" ] || COMPREPLY=($(compgen -W "$words" -- "$cur"))',
        "}",
        "complete -o default -o bashdefault -F _rankscope rankscope",
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def _fish(commands: Mapping[str, Sequence[Option]], texts: Mapping[str, str]) -> str:
    lines = []
    for name in commands:
        lines.append(f"complete -c rankscope -n __fish_use_subcommand -f -a {name} -d {_quoted(texts.get(name, ''))}")
    for name, options in commands.items():
        seen = f"complete -c rankscope -n '__fish_seen_subcommand_from {name}'"
        for option in options:
            flags = [f"-l {word[2:]}" if word.startswith("--") else f"-s {word[1:]}" for word in option.words]
            values = f" -x -a {_choices(option)}" if option.choices else " -r" * option.takes_value
            lines.append(f"{seen} {' '.join(flags)}{values} -d {_quoted(option.help)}")
            if set(option.words) & set(_MEASURES):  # several may follow
                further = seen.replace(f"from {name}", f"from {name}; and __fish_contains_opt -s m measures")
                lines.append(f"{further} -a {_choices(option)}")
    return "\n".join(lines) + "\n"


def _choices(option: Option) -> str:
    return _quoted(" ".join(option.choices))


def _quoted(text: str) -> str:
    """Text in single quotes, for every shell: what would end them is left out."""
    return "'" + text.replace("\\", "").replace("'", "") + "'"
