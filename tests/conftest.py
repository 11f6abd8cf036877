"""What every test can use: the strategies by name, and the real collections where they are at hand."""

from __future__ import annotations

import os
import shutil
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

sys.path.append(str(Path(__file__).parent))  # so that tests in any folder can `import strategies`

os.environ["COLUMNS"] = "80"  # the width of printed results, whatever the terminal of who runs the tests

settings.register_profile("full", deadline=None, print_blob=True)
settings.register_profile("quick", settings.get_profile("full"), max_examples=10)
settings.load_profile("full")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--quick", action="store_true", help="no test marked slow, and a tenth of hypothesis' examples")


def pytest_configure(config: pytest.Config) -> None:
    if config.option.quick:
        settings.load_profile("quick")
        config.option.markexpr = config.option.markexpr or "not slow"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Function]) -> None:
    """A tenth of the examples, 5 to 20, also where a test has a number of its own, which no profile can change."""
    if config.option.quick:
        for test in {item.function for item in items if hasattr(item.function, "hypothesis")}:
            own = test._hypothesis_internal_use_settings
            if own.max_examples > 10:
                test._hypothesis_internal_use_settings = settings(
                    own, max_examples=min(20, max(5, own.max_examples // 10))
                )


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """One line for each reason, with the number of tests that were skipped for it."""
    reasons = Counter(report.longrepr[2] for report in terminalreporter.stats.get("skipped", []))
    for reason, count in reasons.most_common():
        terminalreporter.write_line(f"{count} skipped: {reason.removeprefix('Skipped: ')}")


DATA = Path(os.environ.get("RANKSCOPE_DATA") or Path(__file__).parents[2] / "shared" / "data")


@dataclass(frozen=True)
class OnDisk:
    """A real collection: its judgments and the folder of its runs."""

    qrels: Path
    runs: Path

    def files(self) -> list[Path]:
        return sorted(self.runs.iterdir())


RUNS = [
    "trec8-adhoc/runs",
    "dl19-passage/runs",
    "dl19-passage/runs-later",
    "trec-covid-r5/runs",
    "robust04-part/runs",
    "core17-queryvariants/runs",
    "recsys-ml1m-time/runs",
]


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real collections; without it the test is skipped."""
    if not DATA.is_dir():
        pytest.skip(f"the real collections are not here: {DATA} is no folder (RANKSCOPE_DATA names another)")
    return DATA


@pytest.fixture(scope="session", params=RUNS)
def on_disk(request: pytest.FixtureRequest, data: Path) -> OnDisk:
    """Each real collection in turn."""
    runs = data / request.param
    return OnDisk(runs.parent / "qrels.gz", runs)


BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-dev-shm-usage",
    "--no-first-run",
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """The system's browser; without one, or without Playwright, the test is skipped."""
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        pytest.skip(f"no browser on this machine: none of {', '.join(BROWSERS)}")
    playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    with playwright.sync_playwright() as driver:
        running = driver.chromium.launch(executable_path=program, args=FLAGS)
        yield running
        running.close()
