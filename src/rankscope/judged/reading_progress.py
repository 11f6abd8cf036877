"""Progress of reading runs."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from rankscope.errors import InputError
from rankscope.io.memory import size_text
from rankscope.io.tables import parts_of
from rankscope.judged.sources import Source
from rankscope.progress import clock


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingProgress:
    """Progress of a stream: the run being read, and the bytes on disk of all runs that have been scored."""

    system: str
    done: int
    total: int | None  # None where a run comes through a pipe
    elapsed: float  # seconds
    left: float | None  # seconds; None where nothing tells

    def __str__(self) -> str:
        of = "" if self.total is None else f" of {size_text(self.total)}"
        left = "" if self.left is None or self.done == self.total else f", {clock(self.left)} left"
        return f"{self.system}: {size_text(self.done)}{of} done{left}"


Hear: TypeAlias = Callable[[ReadingProgress], None]


class Reporter:
    """Reports the progress over all runs from the progress in each of them."""

    def __init__(self, sources: list[Source], hear: Hear | None) -> None:
        self._hear, self._start, self._before = hear, time.monotonic(), 0
        self._sizes = {source.name: _size(source) for source in sources} if hear else {}
        sizes = self._sizes.values()
        self._total = None if None in sizes else sum(size or 0 for size in sizes)

    def of(self, source: Source) -> Callable[[int], None] | None:
        """Callback that takes the bytes read of this run; the runs before it are done."""
        hear = self._hear
        if hear is None:
            return None
        before = self._before
        self._before += self._sizes[source.name] or 0

        def read(count: int) -> None:
            done, elapsed, total = before + count, time.monotonic() - self._start, self._total
            left = elapsed / done * max(0, total - done) if total is not None and done else None
            hear(ReadingProgress(system=source.name, done=done, total=total, elapsed=elapsed, left=left))

        return read

    def end(self, source: Source) -> None:
        """Report that the last run is done."""
        if self._hear and self._total:
            elapsed = time.monotonic() - self._start
            self._hear(
                ReadingProgress(system=source.name, done=self._total, total=self._total, elapsed=elapsed, left=0.0)
            )


def _size(source: Source) -> int | None:
    """Bytes of a run on disk: 0 for a run in memory, None for a pipe."""
    if not isinstance(source.run, Path):
        return 0
    try:
        parts = parts_of(source.run)
        return sum(part.stat().st_size for part in parts) if all(part.is_file() for part in parts) else None
    except (InputError, OSError):  # whoever reads it will say so
        return 0
