"""The one place that maps work over workers. Results come in the order of the units, whoever did them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Unit = TypeVar("Unit")
Result = TypeVar("Result")


def available_workers() -> int:
    """Processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def map_units(
    work: Callable[[Unit], Result],
    units: Sequence[Unit],
    *,
    workers: int,
    done: Callable[[Unit], None] | None = None,
) -> Iterator[Result]:
    """Apply work to each unit, on threads where there is more than one worker; done() hears of each result."""

    def finished() -> Iterator[Result]:
        if workers <= 1 or len(units) <= 1:
            yield from map(work, units)
            return
        with ThreadPoolExecutor(min(workers, len(units))) as pool:
            yield from pool.map(work, units)

    for unit, result in zip(units, finished(), strict=True):
        if done is not None:
            done(unit)
        yield result
