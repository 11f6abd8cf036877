"""A real Dask cluster of two worker processes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from rankscope.parallel import mapping


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    """Its client; both end with the file: idle workers look about all the time."""
    distributed = pytest.importorskip("distributed", reason="the extra distributed is not installed")
    import dask

    with (
        # it takes copies of the data from workers that are idle when it looks, and how often data travel is counted
        dask.config.set({"distributed.scheduler.active-memory-manager.start": False}),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address="127.0.0.1:0", silence_logs=50
        ) as local,
        distributed.Client(local, set_as_default=False) as connected,
    ):
        yield connected


@pytest.fixture
def far(monkeypatch: pytest.MonkeyPatch) -> None:
    """However little work there is, it travels."""
    monkeypatch.setattr(mapping, "TRIED", 1e-9)
    monkeypatch.setattr(mapping, "WORTH", 0.0)
    monkeypatch.setattr(mapping, "RATE", float("inf"))
