"""A result in the shape asked for: text, JSON, CSV, Markdown or LaTeX, to stdout or a file."""

from __future__ import annotations

import argparse
import csv
import io
import json
import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

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


def show(result: Any, args: argparse.Namespace) -> None:
    """Write a result as the options say."""
    made: dict[str, Callable[[], str]] = {
        "text": lambda: str(result),
        "json": lambda: json.dumps(finite({"rankscope": __version__, **result.to_dict()}), indent=1, allow_nan=False),
        "csv": lambda: as_csv(result.columns()),
        "markdown": lambda: result.to_markdown(),
        "latex": lambda: result.to_latex(),
    }
    put(made[args.shape]().rstrip("\n") + "\n", args.output)


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


def as_csv(columns: dict[str, list[Any]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([finite(v) for v in row] for row in zip(*columns.values(), strict=True))
    return out.getvalue()


def finite(value: Any) -> Any:
    """The same without what JSON has no word for: NaN and infinity become null."""
    if isinstance(value, dict):
        return {k: finite(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [finite(v) for v in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
