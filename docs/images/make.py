"""The picture of the README, the first screen of a report on the embedded collection: python docs/images/make.py.

It needs Chromium, and playwright to drive it.
"""

import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

import rankscope as rs
from rankscope.errors import quietly

HERE = Path(__file__).parent
PROGRAM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


def main() -> None:
    """Write the picture in light and in dark colours."""
    with quietly(), tempfile.TemporaryDirectory() as folder:
        page = rs.report(*rs.simulation.embedded(), pair=("lexical-3", "hybrid-1")).save(Path(folder) / "report.html")
        with sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=PROGRAM, args=["--no-sandbox"])
            for theme, name in (("light", "first-screen.png"), ("dark", "first-screen-dark.png")):
                tab = browser.new_context(viewport={"width": 1240, "height": 800}, color_scheme=theme).new_page()
                tab.goto(page.as_uri())
                tab.evaluate("window.rankscope.ready")
                tab.evaluate("window.rankscope.drawn")
                bottom = tab.evaluate("document.querySelector('.chips').getBoundingClientRect().bottom")
                tab.screenshot(path=HERE / name, clip={"x": 0, "y": 52, "width": 1240, "height": bottom - 40})
            browser.close()


if __name__ == "__main__":
    main()
