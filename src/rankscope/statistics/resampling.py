"""Chance, passed in: how many resamples, from which seed; and numbers whose sums are exact."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from rankscope.arrays import Floats, Ints
from rankscope.errors import InputError
from rankscope.parallel import available_workers, map_units

Block = TypeVar("Block")


@dataclass(frozen=True, slots=True)
class Resampling:
    """A number of resamples and a seed. The same two give the same result, whoever computes it.

    Every draw is a function of (seed, trial, topic, position): see `kernels.draw_keys`.
    """

    resamples: int = 10_000
    seed: int = 42

    def __post_init__(self) -> None:
        if not isinstance(self.resamples, int | np.integer) or self.resamples < 1:
            raise InputError(f"resamples={self.resamples!r}", "resamples is a whole number from 1")
        if not isinstance(self.seed, int | np.integer) or not 0 <= self.seed < 2**64:
            raise InputError(f"seed={self.seed!r}", "a seed is a whole number from 0 to 2^64 - 1")

    def blocks(self, size: int) -> list[tuple[int, int]]:
        """(first trial, number of trials) of blocks of at most this size."""
        return [(first, min(size, self.resamples - first)) for first in range(0, self.resamples, size)]

    def pvalue(self, extreme: Ints) -> Floats:
        """p values from counts of resamples at least as extreme; the data themselves are one more, so never 0."""
        return (np.asarray(extreme, np.float64) + 1) / (self.resamples + 1)


def over_blocks(
    work: Callable[[tuple[int, int]], Block], chance: Resampling, size: int, workers: int | None
) -> Iterator[Block]:
    """Results of work(first trial, number of trials), block by block, on threads."""
    blocks = chance.blocks(max(1, size))
    return map_units(work, blocks, workers=available_workers() if workers is None else workers)


@dataclass(frozen=True, slots=True)
class Exact:
    """Numbers as whole multiples of 2^-shift, so that sums come out the same in any order.

    Two sums of n values that are equal on paper differ by at most n units: comparisons allow for that.
    """

    units: Ints
    shift: int

    @classmethod
    def of(cls, values: Floats, terms: int) -> Exact:
        """The values with as many bits as sums of so many terms leave room for, at most 50 after the point."""
        largest = float(np.abs(values).max(initial=0.0)) or 1.0
        room = 61 - int(np.ceil(np.log2(largest))) - int(np.ceil(np.log2(max(terms, 1))))
        shift = min(50, room)
        return cls(np.rint(np.ldexp(values, shift)).astype(np.int64), shift)
