"""Parameters of tests that --quick leaves out."""

from __future__ import annotations

from typing import Any

import pytest


def slow(*values: Any) -> list[Any]:
    """Parameters whose tests are marked slow: others show the same idea sooner."""
    return [pytest.param(value, marks=pytest.mark.slow) for value in values]
