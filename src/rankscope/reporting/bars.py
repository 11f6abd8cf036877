"""Dots with their intervals, one per row, on one scale: places in per cent, so that a row can have any width."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, isfinite, log10


@dataclass(frozen=True, slots=True)
class Bar:
    """A dot with its interval in one row: per cent of the width; no interval where the ends are None.

    kind  class of its colour: lead, rest, a, b, open
    """

    kind: str
    dot: float
    lower: float | None
    upper: float | None


@dataclass(frozen=True, slots=True)
class Scale:
    """The scale of all rows: its ends, and its marks as (per cent, text, whether a narrow page leaves the text out)."""

    lower: float
    upper: float
    marks: tuple[tuple[float, str, bool], ...]

    @classmethod
    def of(cls, values: Sequence[float], limits: tuple[float, float] | None = None) -> Scale:
        """A scale that holds all values, within the limits of a measure, with some five marks; 0 keeps its text.

        >>> Scale.of([0.12, 0.74], (0, 1)).marks
        ((14.29, '0.2', False), (42.86, '0.4', True), (71.43, '0.6', False), (100.0, '0.8', True))
        """
        finite = [value for value in values if isfinite(value)] or [0.0]
        low, high = min(finite), max(finite)
        if limits is not None:
            low, high = max(low, limits[0]), min(high, limits[1])
        rough = (high - low) / 3.5
        if not rough > 1e-12 * max(abs(low), abs(high)):  # all the same
            low, high, rough = low - 0.5 * (abs(low) or 1), high + 0.5 * (abs(high) or 1), (abs(low) or 1) / 4
        unit = 10.0 ** floor(log10(rough))
        step = next(n * unit for n in (1, 2, 5, 10) if n * unit >= 0.8 * rough)
        low, high = floor(low / (step / 2) + 1e-9) * step / 2, ceil(high / (step / 2) - 1e-9) * step / 2
        digits = max(0, -floor(log10(step)))
        first, last = ceil(low / step - 1e-9), floor(high / step + 1e-9)
        scale = cls(low, high, ())
        form = f".{digits}f" if 1e-4 < step < 1e6 else "g"
        anchor = min(range(first, last + 1), key=abs) if first <= 0 <= last else first
        many = last - first > 2
        return cls(low, high, tuple(
            (scale.at(n * step), f"{n * step:{form}}".replace("-", "\N{MINUS SIGN}"), many and bool((n - anchor) % 2))
            for n in range(first, last + 1)
        ))  # fmt: skip

    def at(self, value: float) -> float:
        """The place of a value, per cent of the width."""
        return round(100 * min(1.0, max(0.0, (value - self.lower) / (self.upper - self.lower))), 2)

    def bar(self, kind: str, value: float, lower: float | None, upper: float | None) -> Bar:
        """The dot of a value with its interval."""
        if lower is None or upper is None or not lower < upper:
            return Bar(kind, self.at(value), None, None)
        return Bar(kind, self.at(value), self.at(lower), self.at(upper))
