"""Read the built site as a browser would: every link and anchor leads somewhere, and nothing is fetched from outside.

python docs/check_site.py build/site
"""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag

FETCHED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "video": "src", "audio": "src",
           "embed": "src", "object": "data", "image": "href", "use": "href"}  # fmt: skip
FETCHED_LINKS = {"stylesheet", "icon", "preload", "prefetch", "modulepreload", "manifest", "preconnect"}
OUTSIDE = ("http://", "https://", "//", "ftp://")


class Page(HTMLParser):
    """The anchors of a page, where it links to, and what a browser fetches to show it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = {"", "top"}
        self.links: list[str] = []
        self.fetched: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = {name: value or "" for name, value in attrs}
        self.anchors |= {told[name] for name in ("id", "name") if name in told}
        if tag == "a" and "href" in told:
            self.links.append(told["href"])
        if tag in FETCHED and told.get(FETCHED[tag], ""):
            self.fetched.append(told[FETCHED[tag]])
        if tag == "link" and FETCHED_LINKS & set(told.get("rel", "").split()):
            self.fetched.append(told.get("href", ""))
        style = told.get("style", "")
        if "url(" in style:
            self.fetched += [part.split(")")[0].strip("'\" ") for part in style.split("url(")[1:]]


def problems(site: Path) -> list[str]:
    """What is wrong with a built site, a line each."""
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}
    found = [] if pages else [f"{site}: no pages"]
    for path, page in pages.items():
        name = path.relative_to(site)
        for target in page.fetched:
            if target.startswith(OUTSIDE):
                found.append(f"{name}: fetches {target}")
            elif not target.startswith(("data:", "#")) and not _file(path, target).exists():
                found.append(f"{name}: {target} is not there")
        for target in page.links:
            if target.startswith((*OUTSIDE, "mailto:", "data:")):
                continue
            place, anchor = urldefrag(target)
            to = _file(path, place) if place else path
            to = to / "index.html" if to.is_dir() else to
            if not to.exists():
                found.append(f"{name}: link to {target}, which is not there")
            elif to in pages and unquote(anchor) not in pages[to].anchors:
                found.append(f"{name}: link to {target}, where there is no such anchor")
    for sheet in sorted(site.rglob("*.css")):
        text = sheet.read_text(encoding="utf-8")
        urls = [part.split(")")[0].strip("'\" ") for part in text.split("url(")[1:]]
        found += [f"{sheet.relative_to(site)}: fetches {url}" for url in urls if url.startswith(OUTSIDE)]
        found += [f"{sheet.relative_to(site)}: imports another sheet"] if "@import" in text else []
    return found


def _file(page: Path, target: str) -> Path:
    return (page.parent / unquote(target.split("?")[0])).resolve()


if __name__ == "__main__":
    wrong = problems(Path(sys.argv[1]).resolve())
    print("\n".join(wrong) or "every link leads somewhere, and nothing is fetched")
    sys.exit(bool(wrong))
