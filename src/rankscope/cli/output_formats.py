"""A result in the shape asked for: text, JSON, CSV, Markdown or LaTeX, to stdout or a file."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from rankscope.results import csv_text, finite
from rankscope.version import __version__

_HELP = {
    "json": "one JSON object",
    "csv": "comma-separated values",
    "markdown": "Markdown, as GitHub shows it",
    "latex": "LaTeX (booktabs), markers explained in the caption",
}


def add_shapes(parser: argparse.ArgumentParser, *shapes: str) -> None:
    """Options for these shapes, and for a file."""
    group = parser.add_mutually_exclusive_group()
    for shape in shapes:
        group.add_argument(f"--{shape}", dest="shape", action="store_const", const=shape, help=_HELP[shape])
    parser.add_argument("-o", "--output", metavar="FILE", help="write there instead of to stdout")
    parser.set_defaults(shape="text")


def show(result: Any, args: argparse.Namespace, further: Mapping[str, Any] | None = None) -> None:
    """Write a result as the options say; `further` ones, by name, go below it as text, JSON or Markdown."""
    more = further or {}
    made: dict[str, Callable[[], str]] = {
        "text": lambda: "\n\n".join([str(result), *(_text(one, args) for one in more.values())]),
        "json": lambda: _json(result.to_dict() | {name: one.to_dict() for name, one in more.items()}),
        "csv": lambda: csv_text(result.columns()),
        "markdown": lambda: "\n\n".join(one.to_markdown() for one in (result, *more.values())),
        "latex": lambda: result.to_latex(),
    }
    put(made[args.shape]().rstrip("\n") + "\n", args.output)


def _text(result: Any, args: argparse.Namespace) -> str:
    """In colour on a terminal, where a result can be."""
    colour = args.output is None and sys.stdout.isatty() and hasattr(result, "text")
    return str(result.text(colour=True)) if colour else str(result)


def _json(plain: dict[str, Any]) -> str:
    return json.dumps(finite({"rankscope": __version__, **plain}), indent=1, allow_nan=False)


def put(text: str, output: str | None, *, append: bool = False) -> None:
    """Write text to a file, or to stdout."""
    if output is None:
        sys.stdout.write(text)
        return
    from rankscope.errors import InputError, Problem

    try:
        with Path(output).open(
            "a" if append else "w", encoding="utf-8", errors="surrogateescape", newline="\n"
        ) as file:
            file.write(text)
    except OSError as error:
        cause = f"cannot be written ({(error.strerror or str(error)).lower()})"
        raise InputError(Problem(cause, "choose another file", output)) from error
