"""Formulas as MathML, which browsers draw by themselves: no script, no font, nothing fetched."""

from __future__ import annotations

from html import escape
from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.util import logging

log = logging.getLogger(__name__)


def mathml(latex: str, *, display: bool = False) -> str:
    """A formula as MathML, with its LaTeX beside it for those who copy it."""
    drawn = convert(latex, display="block" if display else "inline")
    source = f'<annotation encoding="application/x-tex">{escape(latex)}</annotation>'
    head, body = drawn.split(">", 1)
    return f"{head}><semantics>{body.removesuffix('</math>')}{source}</semantics></math>"


def _visit(self: Any, node: nodes.Element, *, display: bool) -> None:
    latex = node.astext().strip()
    try:
        drawn = mathml(latex, display=display)
    except Exception as error:  # of whatever kind: the formula is named and the build fails
        log.warning("a formula cannot be drawn: %s (%s)", latex, error, location=node)
        raise nodes.SkipNode from error
    if display:
        label = f' id="{node["ids"][0]}"' if node["ids"] else ""
        drawn = f'<div class="formula"{label}>{drawn}</div>'
    self.body.append(drawn)
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_html_math_renderer(
        "mathml",
        inline_renderers=(lambda self, node: _visit(self, node, display=False), None),
        block_renderers=(lambda self, node: _visit(self, node, display=True), None),
    )
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
