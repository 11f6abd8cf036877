"""Pages that live elsewhere in the repository, woven in: one text, read on the forge and on the site.

Copies are made before each build, in folders that git ignores. Links between files of the repository, as the forge
follows them, are turned into links between pages.
"""

from __future__ import annotations

import posixpath
import re
from importlib import import_module
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.util.nodes import make_refnode

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "docs"
PAGES = {
    "CHANGELOG.md": "project/changelog",
    "CONTRIBUTING.md": "project/contributing",
    "ERRATA.md": "project/errata",
    "benchmarks/README.md": "project/benchmarks",
    "decisions/README.md": "decisions/index",
}
_LINK = re.compile(r"(?<!!)\]\((?![a-z]+:|#)([^)\s#]+)(#[^)\s]*)?\)")


def pages() -> dict[str, str]:
    """Where each woven file of the repository stands on the site."""
    decisions = sorted(path for path in (ROOT / "decisions").glob("[0-9]*.md"))
    return PAGES | {f"decisions/{path.name}": f"decisions/{path.stem}" for path in decisions}


def copied(app: Sphinx) -> None:
    """Copy what has changed; what is gone goes."""
    wanted = {SITE / f"{page}.md": (ROOT / source).read_text(encoding="utf-8") for source, page in pages().items()}
    nowhere = "\n\n```{toctree}\n:hidden:\n:glob:\n\n0*\n```\n"
    wanted[SITE / "decisions/index.md"] += nowhere
    for folder in {path.parent for path in wanted}:
        folder.mkdir(exist_ok=True)
        for stale in set(folder.glob("*.md")) - set(wanted):
            stale.unlink()
    for path, text in wanted.items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def relinked(text: str, page: str) -> str:
    """Links to files of the repository as links to pages."""
    known = pages()
    homes = {page: source for source, page in known.items()}
    home = homes.get(page, f"docs/{page}.md")

    def link(found: re.Match[str]) -> str:
        target, anchor = found[1], found[2] or ""
        meant = posixpath.normpath(posixpath.join(posixpath.dirname(home), target))
        if meant in known:
            to = known[meant] + ".md"
        elif meant.startswith("docs/") and (ROOT / meant).exists():
            to = meant.removeprefix("docs/")
        else:
            return found[0]  # nothing of ours: the build complains
        return f"]({posixpath.relpath(to, posixpath.dirname(page) or '.')}{anchor})"

    return _LINK.sub(link, text)


def _there(line: str, here: Path) -> bool:
    return not line.endswith("?") or " " in line or (here / f"{line[:-1]}.md").exists()


def settled(text: str, page: str) -> str:
    """Entries `page?` of a table of contents, for pages that may not be there yet."""
    here = SITE / posixpath.dirname(page)
    kept = (line for line in text.splitlines() if _there(line, here))
    return "\n".join(line[:-1] if line.endswith("?") and " " not in line else line for line in kept) + "\n"


def _read(app: Sphinx, page: str, content: list[str]) -> None:
    content[0] = relinked(settled(content[0], page), page)


def named(app: Sphinx, env: Any, node: Any, content: Any) -> Any:
    """Types by their public name: rankscope.preferences.ipso.Ipso is on the page of rankscope.preferences.

    A type that exists and has no entry of its own is left as text.
    """
    target = node.get("reftarget", "")
    if node.get("refdomain") != "py" or not target.startswith("rankscope."):
        return None
    name = target.rsplit(".", 1)[-1]
    known = env.domains["py"].objects
    for place in (f"rankscope.{target.split('.')[1]}.{name}", f"rankscope.{name}"):
        if place in known:
            entry = known[place]
            return make_refnode(app.builder, node["refdoc"], entry.docname, entry.node_id, content, place)
    return content if _exists(target) else None


def _exists(target: str) -> bool:
    module, _, name = target.rpartition(".")
    try:
        return hasattr(import_module(module), name)
    except ImportError:
        return False


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("builder-inited", copied)
    app.connect("source-read", _read)
    app.connect("missing-reference", named)
    return {"version": "1", "parallel_read_safe": True}
