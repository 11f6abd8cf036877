"""Pages of several collections, and the system's own browser to open them in."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from pages import HOSTILE, Report, made

from rankscope.simulation import embedded


@dataclass
class Opened:
    """A page in the browser, and all that it did which it should not."""

    tab: Any
    wrong: list[str] = field(default_factory=list)

    def ask(self, script: str, given: Any = None) -> Any:
        return self.tab.evaluate(script, given)


@pytest.fixture
def opened(browser: Any) -> Iterator[Any]:
    """Opens a page; at the end nothing may have left it, and nothing gone wrong in it."""
    contexts, pages = [], []

    def open_(path: Path, *, width: int = 1280, dark: bool = False, first: str = "") -> Opened:
        scheme = "dark" if dark else "light"
        context = browser.new_context(
            viewport={"width": width, "height": 800}, color_scheme=scheme, accept_downloads=True
        )
        tab = context.new_page()
        one = Opened(tab)
        contexts.append(context)
        pages.append(one)
        tab.on("console", lambda m: one.wrong.append(f"{m.type}: {m.text}") if m.type in ("error", "warning") else None)
        tab.on("pageerror", lambda e: one.wrong.append(f"error: {e}"))
        tab.on("dialog", lambda d: (one.wrong.append(f"dialog: {d.message}"), d.dismiss()))
        tab.on(
            "request",
            lambda r: None if r.url.startswith(("file:", "data:", "blob:")) else one.wrong.append(f"request: {r.url}"),
        )
        tab.add_init_script(
            "document.addEventListener('securitypolicyviolation', e => console.error('policy: ' + e.violatedDirective))"
        )
        tab.add_init_script(first)
        tab.goto(path.as_uri())
        tab.evaluate("window.rankscope.ready")
        tab.evaluate("window.rankscope.drawn")
        return one

    yield open_
    for one in pages:
        assert one.wrong == []
    for context in contexts:
        context.close()


@pytest.fixture(scope="session")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """The embedded collection: graded, 8 systems, 50 topics, one of them without a relevant document."""
    return made(tmp_path_factory.mktemp("shipped"), *embedded())


@pytest.fixture(scope="session")
def about_two(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """The same, around one comparison, with slices of topics to choose from."""
    slices = {"type = how-to": [str(t) for t in range(101, 130)], f"type = {'of many words ' * 9}": ["140", "141"]}
    return made(tmp_path_factory.mktemp("two"), *embedded(), pair=("hybrid-1", "lexical-2"), slices=slices)


@pytest.fixture(scope="session")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """A small collection with fractional and negative grades, lists of all lengths, some of them missing."""
    resampling = random.Random(7)
    docs = [f"d{i}" for i in range(40)]
    topics = ["t10", "t9", *map(str, range(1, 15))]
    qrels = {
        t: {d: resampling.choice([-1, 0, 0, 0.1, 0.2, 0.3, 2]) for d in resampling.sample(docs, 25)} for t in topics
    }
    runs = {
        f"s{s}": {t: {d: resampling.random() for d in resampling.sample(docs, resampling.randint(1, 40))}
                  for t in topics if resampling.random() < 0.9}
        for s in range(6)
    }  # fmt: skip
    return made(tmp_path_factory.mktemp("odd"), qrels, runs, missing="drop")


@pytest.fixture(scope="session")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """Names of systems, topics and documents that would like to be more than names."""
    resampling = random.Random(1)
    docs = [*HOSTILE, *(f"d{i}" for i in range(30))]
    topics = [*map(str, range(1, 8)), "<svg onload=alert(4)>", "z" * 3000, "__proto__"]
    qrels = {t: {d: resampling.choice([0, 0, 1, 2, 3]) for d in resampling.sample(docs, 25)} for t in topics}
    runs = {
        name: {t: {d: resampling.random() for d in resampling.sample(docs, 20)} for t in topics} for name in HOSTILE
    }
    slices = {f"type = {name}": topics[:6] for name in HOSTILE}
    return made(tmp_path_factory.mktemp("hostile"), qrels, runs, pair=(HOSTILE[0], HOSTILE[2]), slices=slices)


@pytest.fixture(scope="session")
def simulated(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """As many topics as a recommender's users."""
    return made(tmp_path_factory.mktemp("simulated"), *_simulated())


@pytest.fixture(scope="session")
def trec8(tmp_path_factory: pytest.TempPathFactory, data: Path) -> Report:
    """A real collection: 118 systems, 50 topics."""
    folder = data / "trec8-adhoc"
    return made(tmp_path_factory.mktemp("trec8"), str(folder / "qrels.gz"), str(folder / "runs" / "*.gz"))


def _simulated() -> tuple[Any, Any]:
    resampling = random.Random(3)
    docs = [f"i{i}" for i in range(60)]
    topics = [f"u{t}" for t in range(120)]
    qrels = {t: dict.fromkeys(resampling.sample(docs, 6), 1) for t in topics}
    runs = {
        f"s{s}": {
            t: {d: resampling.random() + 0.1 * s * (d in qrels[t]) for d in resampling.sample(docs, 10)} for t in topics
        }
        for s in range(5)
    }
    return qrels, runs
