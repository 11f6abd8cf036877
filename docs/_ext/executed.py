"""Code that the build runs: what a page shows is what came out.

`{command}` runs lines of a shell in a folder that holds the embedded collection (qrels.gz, runs/*.gz), one folder per
page, and shows what they print; a file that `:keep:` names becomes part of the site. `{python}` runs Python there, one
namespace per page, and shows what it prints, the value of the last line, or the figure that it is. `{shown}` shows code
that is not run, and says why. `{output}` keeps what the block before it printed, in the tutorial and the how-to pages;
one that is stale is an error. Any other block of code is an error, and so is a command that ends otherwise than the
page says.
"""

from __future__ import annotations

import re
import shutil
import time
from hashlib import sha256
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from running import ROOMS, Failure, command_output, keeps_output, python_output, same_output
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

log = logging.getLogger(__name__)

MADE = Path(__file__).resolve().parents[1] / "_made"
KEPT = MADE / "kept"  # copied into the site as it is
FORBIDDEN = {"{code-block}", "{code}", "{sourcecode}", "{code-cell}", "{literalinclude}"}
_FENCE = re.compile(r"^\s*(`{3,}|~{3,})\s*(\S*)(.*)$")
CURE = "python3 dev.py docs --write writes it anew"


class Block(SphinxDirective):
    """What all blocks have in common."""

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

    def output(self, text: str) -> list[nodes.Node]:
        """The block of what was printed; a page that keeps its output has it next, and is checked there."""
        page = self.env.docname
        if ROOMS.unkept.pop(page, ""):
            log.warning("the output of a block before this one is not kept; %s", CURE, location=self.get_location())
        if not text:
            return []
        if keeps_output(page):
            ROOMS.unkept[page] = text
        return [self.block(text, "text", "output")]

    def block(self, text: str, language: str, kind: str) -> nodes.literal_block:
        node = nodes.literal_block(text, text, language=language, classes=[kind])
        node["executed"] = True
        self.set_source_info(node)
        return node


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
        text = command_output(lines, self.env.docname, self.options)
        if "keep" in self.options:
            shutil.copy(ROOMS.folder(self.env.docname) / self.options["keep"], KEPT)
        if "hidden" in self.options:
            return []
        shown: list[nodes.Node] = [self.block(lines, "bash", "run")]
        return [*shown, *self.output(text)]


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
        text, light, dark = python_output(code, self.env.docname, self.options)
        if "hidden" in self.options:
            return []
        shown: list[nodes.Node] = [] if "only-figure" in self.options else [self.block(code, "python", "run")]
        shown += self.output(text)
        return [*shown, self.figure(light, dark)] if light is not None else shown

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


class Output(Block):
    """The output of the block before, kept for readers of the Markdown; shown by that block."""

    def made(self) -> list[nodes.Node]:
        text = ROOMS.unkept.pop(self.env.docname, "")
        if not same_output("\n".join(self.content), text):
            raise Failure(f"the kept output is stale; {CURE}; it is now:\n{text}")
        return []


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


def _last_output(app: Sphinx, _: nodes.document) -> None:
    if ROOMS.unkept.pop(app.env.docname, ""):
        log.warning("the output of the last block is not kept; %s", CURE, location=app.env.docname)


def _kept(app: Sphinx, config: Any) -> None:
    KEPT.mkdir(parents=True, exist_ok=True)
    config.html_extra_path = [*config.html_extra_path, KEPT.relative_to(app.srcdir).as_posix()]


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("config-inited", _kept, priority=100)
    app.add_config_value("not_run", {}, "env", dict)
    for name, directive in (("command", Command), ("python", Python), ("output", Output), ("shown", Unrun)):
        app.add_directive(name, directive)
    app.connect("source-read", _read, priority=900)
    app.connect("doctree-read", _last_output)
    app.connect("build-finished", lambda *_: ROOMS.close())
    return {"version": "1", "parallel_read_safe": False}
