"""The guard of `dev.py bench` sees a quadratic step."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.slow
def test_a_planted_quadratic_step_is_caught() -> None:
    """`compare` with a look-up of every topic in the list of all topics: 44,000 x 44,000 / 2 comparisons."""
    pytest.importorskip("pytrec_eval", reason="a peer of the benchmarks is not installed")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "benchmarks/growth.py", "--planted"],
        cwd=ROOT, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1, done.stdout + done.stderr
    assert "out of bounds: rankscope compare with a quadratic step by topics" in done.stderr
