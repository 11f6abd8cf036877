"""How far a study is, on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def telling(first: str) -> Iterator[Callable[[Any], None] | None]:
    """What hears of each unit of a study that is done; None where nobody looks."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console

    with Console(stderr=True).status(first) as status:
        yield lambda done: status.update(str(done))
