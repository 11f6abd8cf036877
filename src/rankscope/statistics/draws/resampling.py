"""Resampling, passed in: how many resamples, from which seed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np

from rankscope.arguments import at_once, whole_number
from rankscope.arrays import Floats, Ints
from rankscope.errors import InputError
from rankscope.kernels.devices import Device, Resampler, on
from rankscope.parallel import Client, UnitKind, map_units
from rankscope.parallel import on as on_cluster
from rankscope.progress import heard

Block = TypeVar("Block")
MOST = 10**10  # resamples: weeks of work, and counts that are exact


@dataclass(frozen=True, slots=True)
class Resampling:
    """A number of resamples and a seed. The same two give the same result, whoever computes it.

    Every draw is a function of (seed, trial, topic, position): see `kernels.draw_keys`. `device="cuda"` has the
    permutations, sign flips and bootstrap samples drawn on a graphics card (the extra gpu), where one must be; what has
    no kernel there is computed on the processors. It is no part of a result: all counts are the same.
    """

    resamples: int = 10_000
    seed: int = 42
    device: Device = field(default="cpu", kw_only=True, compare=False, repr=False)

    def __post_init__(self) -> None:
        at_once(
            lambda: whole_number("resamples", self.resamples, 1, MOST),
            lambda: whole_number("seed", self.seed, 0, 2**64 - 1),
            lambda: on(self.device),
        )

    @property
    def kernels(self) -> Resampler:
        """Kernels that draw and reduce blocks of trials on the device."""
        return on(self.device)

    def of(self, resamples: int) -> Resampling:
        """Another number of resamples, all else the same."""
        return replace(self, resamples=resamples)

    def blocks(self, size: int) -> list[tuple[int, int]]:
        """(first trial, number of trials) of blocks of at most this size."""
        return [(first, min(size, self.resamples - first)) for first in range(0, self.resamples, size)]

    def pvalue(self, extreme: Ints) -> Floats:
        """p values from counts of resamples at least as extreme; the data themselves are one more, so never 0."""
        return (np.asarray(extreme, np.float64) + 1) / (self.resamples + 1)


def resampling_of(
    resampling: Resampling | None, usual: Resampling | None = None, *, name: str = "resampling"
) -> Resampling:
    """The resampling that was passed in, or the usual one."""
    if resampling is None:
        return usual or Resampling()
    if not isinstance(resampling, Resampling):
        raise InputError(f"{name}={resampling!r}", f"{name} is a Resampling(resamples, seed), or None")
    return resampling


def over_blocks(
    work: Callable[[tuple[int, int]], Block],
    resampling: Resampling,
    size: int,
    workers: int | None,
    client: Client = None,
    progress: Callable[[float], Any] | None = None,
) -> Iterator[Block]:
    """Results of work(first trial, number of trials), block by block, on threads or a Dask cluster.

    progress  hears after each block which share of all is done
    """
    blocks = resampling.blocks(max(1, size))
    kind: UnitKind = "short" if resampling.device == "cpu" else "shared"  # the device is that of this machine
    if client is None:
        return heard(map_units(work, blocks, workers=workers, kind=kind), len(blocks), progress)
    with on_cluster(client):
        return iter(list(heard(map_units(work, blocks, workers=workers, kind=kind), len(blocks), progress)))


def drawn(resampling: Resampling, what: str) -> str:
    """Number and kind of draws and the seed, in words.

    >>> drawn(Resampling(10_000, 42), "sign flips")
    '10,000 random sign flips, seed 42'
    """
    return f"{resampling.resamples:,} random {what}, seed {resampling.seed}"
