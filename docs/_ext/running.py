"""Blocks of pages, run: each page has a folder that holds the embedded collection, and one Python namespace.

The build uses it (`executed.py`), and so does `docs/write_outputs.py`, which keeps the output in the pages.
"""

from __future__ import annotations

import ast
import gzip
import os
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
import traceback
import warnings
from collections.abc import Mapping
from contextlib import chdir, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

_LABELLED = re.compile(r"(\s*\S{1,12}(?: \S{1,12})? {2,})\S+(?: \S+){5,}")  # a label, a gap, and a sentence
_TIMEOUT = 300  # seconds a block may take
_WIDTH = 120  # columns of a line of words
os.environ["COLUMNS"] = "80"  # of Python's output, too, whatever terminal the build runs in


def keeps_output(page: str) -> bool:
    """Whether a page keeps its output, for readers of the Markdown."""
    return page == "tutorial" or page.startswith("how-to/")


def same_output(kept: str, text: str) -> bool:
    """Whether what a page keeps is what was printed; blanks at the ends of lines do not count."""
    return [line.rstrip() for line in kept.strip("\n").splitlines()] == [line.rstrip() for line in text.splitlines()]


class Failure(Exception):
    """A block that did not do what the page says."""


class Rooms:
    """A folder and a namespace for each page, made when its first block asks."""

    def __init__(self) -> None:
        self.folders: dict[str, Path] = {}
        self.names: dict[str, dict[str, Any]] = {}
        self.noted: dict[str, set[str]] = {}
        self.unkept: dict[str, str] = {}

    def folder(self, page: str) -> Path:
        if page not in self.folders:
            from rankscope.simulation import embedded
            from rankscope.simulation.embedded_collection import COLLECTIONS, write_judges

            qrels, runs = embedded()
            made = Path(tempfile.mkdtemp(prefix="rankscope-docs-"))
            (made / "runs").mkdir()
            shutil.copy(qrels, made / "qrels.gz")
            for run in runs:
                shutil.copy(run, made / "runs")
            write_judges(made / "judges")
            (made / "collections.csv").write_bytes(gzip.decompress(COLLECTIONS.read_bytes()))
            self.folders[page] = made
        return self.folders[page]

    def close(self) -> None:
        for folder in self.folders.values():
            shutil.rmtree(folder, ignore_errors=True)
        for known in (self.folders, self.names, self.noted, self.unkept):
            known.clear()


ROOMS = Rooms()


def command_output(lines: str, page: str, options: Mapping[str, Any]) -> str:
    """What lines of a shell print in the folder of a page; a failure where they end otherwise than the options say."""
    folder = ROOMS.folder(page)
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    env = os.environ | {"PATH": path, "PYTHONUTF8": "1", "NO_COLOR": "1", "COLUMNS": "80", "TERM": "dumb"}
    done = subprocess.run(
        ["bash", "-eu", "-c", lines], cwd=folder, env=env, timeout=_TIMEOUT, text=True, encoding="utf-8",
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    wanted = int(options.get("exit", 0))
    if done.returncode != wanted:
        raise Failure(f"exit code {done.returncode}, not {wanted}:\n{lines}\n{done.stdout}")
    text = without_places(done.stdout.strip("\n"), folder)
    return "" if {"hidden", "quiet"} & set(options) else part(text, options)


def python_output(code: str, page: str, options: Mapping[str, Any]) -> tuple[str, Any, Any]:
    """What Python prints in the namespace of a page, and the figure that its last line is, for light and dark pages."""
    folder = ROOMS.folder(page)
    space = ROOMS.names.setdefault(page, {"__name__": "__main__"})
    out = StringIO()
    try:
        with chdir(folder), redirect_stdout(out), warnings.catch_warnings(record=True) as noted:
            warnings.simplefilter("always")
            value, dark = executed(code, space)
    except Exception as error:
        if type(error).__name__ != options.get("raises"):
            raise Failure(f"this failed:\n{code}\n{traceback.format_exc()}") from error
        value, dark, noted = None, None, []
        out.write(f"{type(error).__name__}: {error}")
    else:
        if "raises" in options:
            raise Failure(f"{options['raises']} was expected:\n{code}")
    said = ROOMS.noted.setdefault(page, set())  # a warning is shown once, as Python does
    noted = [w for w in noted if not w.category.__module__.startswith("numba.")]  # they depend on numba's cache
    notes = dict.fromkeys(f"{w.category.__name__}: {w.message}\n" for w in noted)
    text = "".join(note for note in notes if note not in said)
    said.update(notes)
    drawn = type(value).__name__ == "Chart"
    text += out.getvalue() + ("" if value is None or drawn else _shown(value))
    text = without_places(text.strip("\n"), folder)
    shown = "" if "hidden" in options or not text else part(text, options)
    return (shown, value, dark) if drawn else (shown, None, None)


def part(text: str, options: Mapping[str, Any]) -> str:
    """The output, or the part that the options ask for."""
    lines = text.splitlines()
    first, last = 0, len(lines) - 1
    for option in ("from", "to"):
        wanted = options.get(option)
        if wanted is None:
            continue
        places = [at for at, line in enumerate(lines) if wanted in line and at >= first]
        if not places:
            raise Failure(f"{option}: {wanted!r} is not in the output\n{text}")
        first, last = (places[0], last) if option == "from" else (first, places[0])
    kept = [piece for line in lines[first : last + 1] for piece in wrapped(line)]
    return "\n".join([*(["..."] if first else []), *kept, *(["..."] if last + 1 < len(lines) else [])])


def executed(code: str, space: dict[str, Any]) -> tuple[Any, Any]:
    """The value of the last line, if it is an expression; of a figure also the one for dark pages."""
    tree = ast.parse(code)
    last = tree.body[-1] if tree.body else None
    if not isinstance(last, ast.Expr):
        exec(compile(tree, "<docs>", "exec"), space)
        return None, None
    tree.body.pop()
    exec(compile(tree, "<docs>", "exec"), space)
    value = eval(compile(ast.Expression(last.value), "<docs>", "eval"), space)
    dark = None
    if type(value).__name__ == "Chart" and isinstance(last.value, ast.Call):
        told = {word.arg for word in last.value.keywords}
        if "theme" not in told:
            last.value.keywords.append(ast.keyword("theme", ast.Constant("dark")))
            again = ast.fix_missing_locations(ast.Expression(last.value))
            dark = eval(compile(again, "<docs>", "eval"), space)
    return value, dark


def _shown(value: Any) -> str:
    """As a notebook or a prompt would: results as their table, all else by repr."""
    from rankscope.results import Result

    return str(value) if isinstance(value, Result) else repr(value)


def wrapped(line: str) -> list[str]:
    """A long line of words as a terminal would show it, below its label if it has one; tables stay as they are."""
    indent = line[: len(line) - len(line.lstrip())]
    if labelled := _LABELLED.fullmatch(line):
        indent = " " * len(labelled[1])
    elif "  " in line.strip():
        return [line]
    if len(line) <= _WIDTH:
        return [line]
    return textwrap.wrap(line, _WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def without_places(text: str, folder: Path) -> str:
    """Without the names of folders that only this machine has."""
    import rankscope

    home = str(Path(rankscope.__file__).parent)
    return text.replace(f"{folder}/", "").replace(str(folder), ".").replace(home, ".../rankscope")
