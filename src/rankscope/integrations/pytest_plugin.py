"""A plug-in for pytest: the fixture `rankscope_gate` fails a test whose run is worse than the stored baseline.

pytest loads this module whenever it starts, so rankscope itself is imported when the fixture is called.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest


def pytest_addoption(parser: Any) -> None:
    """The option that rewrites baselines, and the setting for inconclusive gates."""
    group = parser.getgroup("rankscope")
    group.addoption(
        "--rankscope-update",
        action="store_true",
        help="write the candidate run of each rankscope_gate over its stored baseline, and compare nothing",
    )
    parser.addini("rankscope_inconclusive", "what an inconclusive rankscope_gate does: warn or fail", default="warn")


class InconclusiveGate(UserWarning):
    """A gate for which the topics do not suffice to decide."""


@pytest.fixture
def rankscope_gate(request: Any) -> Callable[..., Any]:
    """A function that compares a candidate run with a stored baseline; a regression fails the test.

    The result is that of `rankscope.gate`, or None where the baseline was written by --rankscope-update.
    """

    def gate(
        qrels: Any,
        candidate: Any,
        baseline: str | Path,
        measure: str = "nDCG@10",
        margin: float | str = 0.01,
        slices: Mapping[str, Sequence[str]] | None = None,
        **settings: Any,
    ) -> Any:
        __tracebackhide__ = True
        stored = Path(baseline)
        if not stored.is_absolute():
            stored = request.path.parent / stored
        if request.config.getoption("--rankscope-update"):
            return _store(candidate, stored)
        if not stored.exists():
            pytest.fail(f"no stored baseline {stored}; pytest --rankscope-update writes the candidate there", False)
        import rankscope as rs

        name = stored.name.split(".")[0]
        judged = rs.load(qrels, {f"{name} (stored)": stored, "candidate": candidate})
        result = rs.gate(judged, *judged.systems, measure=measure, margin=margin, slices=slices, **settings)
        if result.outcome == "regression":
            pytest.fail(result.to_text("short", width=100), False)
        if result.outcome == "inconclusive":
            if request.config.getini("rankscope_inconclusive") == "fail":
                pytest.fail(result.to_text("short", width=100), False)
            request.node.warn(InconclusiveGate(result.to_text("short", width=100)))
        return result

    return gate


def _store(candidate: Any, stored: Path) -> None:
    """Write the candidate over the baseline: a file of the same ending as it is, anything else in the stored format."""
    stored.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(candidate, str | Path) and Path(candidate).suffixes == stored.suffixes:
        shutil.copyfile(candidate, stored)
    else:
        from rankscope.io import write_run

        write_run(stored, candidate)
