"""How far a command is, on a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rankscope.progress import Bar


@contextmanager
def telling(first: str) -> Iterator[Callable[[Any], None] | None]:
    """What hears of each unit of work that is done; None where nobody looks."""
    with Bar(first) as bar:
        yield bar if bar.seen else None
