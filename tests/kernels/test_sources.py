"""The compiled core is used only where it was built from the sources that lie beside it."""

from __future__ import annotations

from pathlib import Path

import pytest

from rankscope import kernels

beside = [*Path(kernels.__file__).parent.glob("*.c")]


@pytest.mark.skipif(not beside, reason="an installed wheel has no sources of the core")
def test_a_core_of_other_sources_is_old():
    assert kernels._is_old(12345)
    assert kernels._is_old(-1)  # built before cores said what they were built from
    assert not kernels._is_old(0)  # built by hand, as for sanitizers


@pytest.mark.skipif(kernels.KIND != "compiled", reason="the compiled core is not in use")
def test_the_core_in_use_is_of_these_sources():
    from rankscope.kernels import compiled

    assert not kernels._is_old(compiled.SOURCES)
