"""What every test can use: the strategies by name, and the real collections where they are at hand."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import settings

sys.path.append(str(Path(__file__).parent))  # so that tests in any folder can `import strategies`

settings.register_profile("rankscope", deadline=None, print_blob=True)
settings.load_profile("rankscope")

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
