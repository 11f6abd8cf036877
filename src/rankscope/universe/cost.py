"""Memory and time that an enumeration needs, estimated before it starts."""

from __future__ import annotations

import math

from rankscope.errors import InputError
from rankscope.io.memory import free_memory, in_bytes
from rankscope.universe.rankings import Universe


def memory_needed(universe: Universe, columns: int, workers: int) -> int:
    """Bytes, roughly: scores and places of all columns, and what sorting takes beside them."""
    rows = 6 * universe.depth + 48 * universe.grades if universe.sparse else 0
    return universe.size * (12 * columns + 56 * max(1, min(workers, columns)) + rows) + (64 << 20)


def seconds_needed(universe: Universe, columns: int, pairs: int, workers: int) -> float:
    """Seconds, roughly, on one of today's processors."""
    n = universe.size
    log = math.log2(max(2, n))
    return n * (columns * (30e-9 * universe.depth + 12e-9 * log) + pairs * 25e-9 * log) / max(1, workers)


def refuse_if_too_large(universe: Universe, columns: int, pairs: int, workers: int, memory: int | str | None) -> None:
    """An error with the estimates where the memory would not suffice."""
    needed, free = memory_needed(universe, columns, workers), free_memory() if memory is None else in_bytes(memory)
    if free is not None and needed > free:
        time = spoken_time(seconds_needed(universe, columns, pairs, workers))
        raise InputError(
            f"{universe.words()}: about {_gib(needed)} of memory and {time} are needed, {_gib(free)} are there",
            "take shorter lists, fewer grades, a smaller recall base or fewer measures",
        )


def _gib(size: int) -> str:
    return f"{size / 2**30:.1f} GiB" if size < 2**60 else f"{size / 2**30:.2g} GiB"


def spoken_time(seconds: float) -> str:
    """A time in words, rounded to one unit.

    >>> spoken_time(0.2), spoken_time(90), spoken_time(9900), spoken_time(1e20)
    ('a second', '2 minutes', '3 hours', 'over a million years')
    """
    if seconds > 1e6 * 31557600:
        return "over a million years"
    for unit, size in (("year", 31557600), ("day", 86400), ("hour", 3600), ("minute", 60)):
        if seconds >= size:
            number = round(seconds / size)
            return f"{number} {unit}{'s' * (number != 1)}"
    number = max(1, round(seconds))
    return "a second" if number == 1 else f"{number} seconds"
