"""Code that the build runs: what a page shows is what came out.

`{command}` runs lines of a shell in a folder that holds the embedded collection (qrels.gz, runs/*.gz), one folder a
page, and shows what they print; a file that `:keep:` names becomes part of the site. `{python}` runs Python there, one
namespace a page, and shows what it prints, the value of the last line, or the figure that it is. `{shown}` shows code
that is not run, and says why. Any other block of code is an error, and so is a command that ends otherwise than the
page says.
"""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
import time
import traceback
import warnings
from contextlib import chdir, redirect_stdout
from hashlib import sha256
from io import StringIO
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

log = logging.getLogger(__name__)

MADE = Path(__file__).resolve().parents[1] / "_made"
KEPT = MADE / "kept"  # copied into the site as it is
FORBIDDEN = {"{code-block}", "{code}", "{sourcecode}", "{code-cell}", "{literalinclude}"}
_LABELLED = re.compile(r"(\s*\S{1,12}(?: \S{1,12})? {2,})\S+(?: \S+){5,}")  # a label, a gap, and a sentence
_FENCE = re.compile(r"^\s*(`{3,}|~{3,})\s*(\S*)(.*)$")
_TIMEOUT = 300  # seconds a block may take
_WIDTH = 120  # columns of a line of words


class Failure(Exception):
    """A block that did not do what the page says."""


class Rooms:
    """A folder and a namespace for each page, made when its first block asks."""

    def __init__(self) -> None:
        self.folders: dict[str, Path] = {}
        self.names: dict[str, dict[str, Any]] = {}
        self.noted: dict[str, set[str]] = {}

    def folder(self, page: str) -> Path:
        if page not in self.folders:
            from rankscope.simulation import embedded

            qrels, runs = embedded()
            made = Path(tempfile.mkdtemp(prefix="rankscope-docs-"))
            (made / "runs").mkdir()
            shutil.copy(qrels, made / "qrels.gz")
            for run in runs:
                shutil.copy(run, made / "runs")
            self.folders[page] = made
        return self.folders[page]

    def close(self) -> None:
        for folder in self.folders.values():
            shutil.rmtree(folder, ignore_errors=True)
        for known in (self.folders, self.names, self.noted):
            known.clear()


ROOMS = Rooms()


class Block(SphinxDirective):
    """What the three have in common."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        began = time.monotonic()
        try:
            made = self.made()
        except Failure as failure:  # a warning, and so an error of the build, that lets other pages show theirs
            log.warning("%s", failure, location=self.get_location())
            return []
        log.verbose("%s: %.1f s", self.get_location(), time.monotonic() - began)
        return made

    def made(self) -> list[nodes.Node]:
        """What the page shows."""
        raise NotImplementedError

    def block(self, text: str, language: str, kind: str) -> nodes.literal_block:
        node = nodes.literal_block(text, text, language=language, classes=[kind])
        node["executed"] = True
        self.set_source_info(node)
        return node

    def part(self, text: str) -> str:
        """The output, or the part that the options ask for."""
        lines = text.splitlines()
        first, last = 0, len(lines) - 1
        for option in ("from", "to"):
            wanted = self.options.get(option)
            if wanted is None:
                continue
            found = [at for at, line in enumerate(lines) if wanted in line and at >= first]
            if not found:
                raise Failure(f"{option}: {wanted!r} is not in the output\n{text}")
            first, last = (found[0], last) if option == "from" else (first, found[0])
        kept = [part for line in lines[first : last + 1] for part in _wrapped(line)]
        return "\n".join([*(["..."] if first else []), *kept, *(["..."] if last + 1 < len(lines) else [])])


class Command(Block):
    """Lines of a shell, run."""

    option_spec: ClassVar[dict[str, Any]] = {
        "exit": directives.nonnegative_int,
        "from": directives.unchanged,
        "to": directives.unchanged,
        "quiet": directives.flag,
        "keep": directives.unchanged,
        "hidden": directives.flag,
    }

    def made(self) -> list[nodes.Node]:
        lines = "\n".join(self.content)
        folder = ROOMS.folder(self.env.docname)
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        env = os.environ | {"PATH": path, "PYTHONUTF8": "1", "NO_COLOR": "1", "COLUMNS": "80", "TERM": "dumb"}
        done = subprocess.run(
            ["bash", "-eu", "-c", lines], cwd=folder, env=env, timeout=_TIMEOUT, text=True, encoding="utf-8",
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        wanted = self.options.get("exit", 0)
        if done.returncode != wanted:
            raise Failure(f"exit code {done.returncode}, not {wanted}:\n{lines}\n{done.stdout}")
        if "keep" in self.options:
            shutil.copy(folder / self.options["keep"], KEPT)
        if "hidden" in self.options:
            return []
        made: list[nodes.Node] = [self.block(lines, "bash", "run")]
        text = _without_places(done.stdout.strip("\n"), folder)
        if text and "quiet" not in self.options:
            made.append(self.block(self.part(text), "text", "output"))
        return made


class Python(Block):
    """Python, run."""

    option_spec: ClassVar[dict[str, Any]] = {
        "from": directives.unchanged,
        "to": directives.unchanged,
        "alt": directives.unchanged,
        "caption": directives.unchanged,
        "hidden": directives.flag,
        "only-figure": directives.flag,
        "raises": directives.unchanged,
    }

    def made(self) -> list[nodes.Node]:
        code = "\n".join(self.content)
        page = self.env.docname
        folder = ROOMS.folder(page)
        space = ROOMS.names.setdefault(page, {"__name__": "__main__"})
        out = StringIO()
        try:
            with chdir(folder), redirect_stdout(out), warnings.catch_warnings(record=True) as noted:
                warnings.simplefilter("always")
                value, dark = _executed(code, space)
        except Exception as error:
            if type(error).__name__ != self.options.get("raises"):
                raise Failure(f"this failed:\n{code}\n{traceback.format_exc()}") from error
            value, dark, noted = None, None, []
            out.write(f"{type(error).__name__}: {error}")
        else:
            if "raises" in self.options:
                raise Failure(f"{self.options['raises']} was expected:\n{code}")
        said = ROOMS.noted.setdefault(page, set())  # a warning is shown once, as Python does
        notes = dict.fromkeys(f"{w.category.__name__}: {w.message}\n" for w in noted)
        text = "".join(note for note in notes if note not in said)
        said.update(notes)
        if "hidden" in self.options:
            return []
        made: list[nodes.Node] = [] if "only-figure" in self.options else [self.block(code, "python", "run")]
        drawn = type(value).__name__ == "Chart"
        text += out.getvalue() + ("" if value is None or drawn else _shown(value))
        text = _without_places(text.strip("\n"), folder)
        if text:
            made.append(self.block(self.part(text), "text", "output"))
        if drawn:
            made.append(self.figure(value, dark))
        return made

    def figure(self, light: Any, dark: Any) -> nodes.Node:
        if "alt" not in self.options:
            raise Failure("a figure needs :alt:, what it shows in words")
        figure = nodes.figure("", classes=["drawn"])
        for chart, theme in ((light, "only-light"), (dark, "only-dark")):
            if chart is not None:
                classes = [theme] if dark is not None else []
                figure += nodes.image(uri=self.saved(chart), alt=self.options["alt"], classes=classes)
        if "caption" in self.options:
            parsed, messages = self.parse_inline(self.options["caption"])
            figure += nodes.caption("", "", *parsed, *messages)
        return figure

    def saved(self, chart: Any) -> str:
        """The figure as a file that Sphinx takes over."""
        svg = chart.to_svg()
        MADE.mkdir(exist_ok=True)
        path = MADE / f"{self.env.docname.replace('/', '-')}-{sha256(svg.encode()).hexdigest()[:12]}.svg"
        path.write_text(svg, encoding="utf-8")
        return "/" + path.relative_to(Path(self.env.srcdir)).as_posix()


class Unrun(Block):
    """Code that is shown and not run, for a reason."""

    required_arguments = 1
    option_spec: ClassVar[dict[str, Any]] = {"not-run": directives.unchanged_required}

    def made(self) -> list[nodes.Node]:
        reason = self.options.get("not-run", "").strip()
        if not reason:
            raise Failure("a block that is not run says why: `:not-run: reason`")
        note = nodes.paragraph("", f"Not run by the build: {reason}.", classes=["not-run"])
        return [self.block("\n".join(self.content), self.arguments[0], "shown"), note]


def _executed(code: str, space: dict[str, Any]) -> tuple[Any, Any]:
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


def _wrapped(line: str) -> list[str]:
    """A long line of words as a terminal would show it, below its label if it has one; tables stay as they are."""
    indent = line[: len(line) - len(line.lstrip())]
    if labelled := _LABELLED.fullmatch(line):
        indent = " " * len(labelled[1])
    elif "  " in line.strip():
        return [line]
    if len(line) <= _WIDTH:
        return [line]
    return textwrap.wrap(line, _WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def _without_places(text: str, folder: Path) -> str:
    """Without the names of folders that only this machine has."""
    import rankscope

    home = str(Path(rankscope.__file__).parent)
    return text.replace(f"{folder}/", "").replace(str(folder), ".").replace(home, ".../rankscope")


def unmarked(text: str) -> list[tuple[int, str]]:
    """Blocks of code that are neither run nor marked: line and what opens them; ```text is no code."""
    found, fence = [], ""
    for number, line in enumerate(text.splitlines(), 1):
        match = _FENCE.match(line)
        if not match:
            continue
        marks, info = match[1], match[2]
        if fence:
            if marks.startswith(fence) and not info:
                fence = ""
            continue
        fence = marks
        if (not info.startswith("{") and info != "text") or info in FORBIDDEN:
            found.append((number, f"{marks}{info}"))
    return found


def marked(text: str, reason: str) -> str:
    """The same with every bare block marked as not run."""
    lines = text.splitlines()
    for number, opened in reversed(unmarked(text)):
        language = opened.strip("`~") or "text"
        marks = opened[: len(opened) - len(opened.lstrip("`~"))]
        lines[number - 1 : number] = [f"{marks}{{shown}} {language}", f":not-run: {reason}", ""]
    return "\n".join(lines) + "\n"


def _read(app: Sphinx, page: str, content: list[str]) -> None:
    reasons: dict[str, str] = app.config.not_run
    if page in reasons:
        content[0] = marked(content[0], reasons[page])
    if bare := unmarked(content[0]):
        where = app.env.doc2path(page)
        told = "\n".join(f"{where}:{number}: {opened}" for number, opened in bare)
        raise ExtensionError(f"code that is neither run nor marked; use {{command}}, {{python}}, {{shown}}:\n{told}")


def _kept(app: Sphinx, config: Any) -> None:
    KEPT.mkdir(parents=True, exist_ok=True)
    config.html_extra_path = [*config.html_extra_path, KEPT.relative_to(app.srcdir).as_posix()]


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("config-inited", _kept, priority=100)
    app.add_config_value("not_run", {}, "env", dict)
    for name, directive in (("command", Command), ("python", Python), ("shown", Unrun)):
        app.add_directive(name, directive)
    app.connect("source-read", _read, priority=900)
    app.connect("build-finished", lambda *_: ROOMS.close())
    return {"version": "1", "parallel_read_safe": False}
