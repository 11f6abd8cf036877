"""Plugins: Python files that register measures or features."""

from __future__ import annotations

import argparse
from pathlib import Path

from rankscope.cli.help_texts import INPUT, section


def add_plugins(parser: argparse.ArgumentParser, registered: str = "measures") -> None:
    """The option --plugin."""
    section(parser, INPUT).add_argument("--plugin", action="append", default=[], metavar="FILE.py",
                                        help=f"Python file that registers {registered} of your own")  # fmt: skip


def load_plugins(paths: list[str]) -> None:
    """Run Python files for what they register."""
    if not paths:
        return
    import runpy

    from rankscope.errors import InputError, Problem

    for path in paths:
        if not Path(path).is_file():
            raise InputError(Problem("no such file", "--plugin takes a Python file", path))
        try:
            runpy.run_path(path)
        except InputError:
            raise
        except (Exception, SystemExit) as error:
            cause = f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else 'no message'}"
            raise InputError(Problem(cause, "correct the plugin", path)) from error
