"""Printed output that is kept in files, so that a change of words is seen in a review."""

from __future__ import annotations

from pathlib import Path

import pytest

import rankscope as rs

FOLDER = Path(__file__).parent / "cli" / "snapshots"


def check_snapshot(name: str, text: str) -> None:
    """Compare text with the file of this name. To renew: delete the file and run the test twice."""
    shown = text.replace(rs.__version__, "VERSION")
    file = FOLDER / f"{name}.txt"
    if not file.exists():
        file.write_text(shown)
        pytest.fail(f"{file.name} was missing and has been written: read it")
    assert shown == file.read_text()


def check_short(text: str, *, width: int, verdict: str) -> None:
    """The limits of a short layer: 24 lines, the width, and the verdict in the first three lines."""
    lines = text.rstrip("\n").split("\n")
    assert len(lines) <= 24, text
    assert max(map(len, lines)) <= width, text
    assert verdict in " ".join(line.strip() for line in lines[:3]), text
