"""Devices that compute resampling: processors or a graphics card. Both give the same numbers."""

from __future__ import annotations

from typing import Literal, Protocol, TypeAlias, get_args

from numpy.typing import NDArray

from rankscope.arguments import one_of
from rankscope.arrays import AnyInts, Floats, Ints
from rankscope.kernels.shapes import EightBytes

Device: TypeAlias = Literal["cpu", "cuda"]
DEVICES: tuple[Device, ...] = get_args(Device)


class Resampler(Protocol):
    """Kernels that draw and reduce a block of trials, numbered from first. What they give: cpu.py."""

    def block(self, size: int, cells: int, results: int = 1) -> int:
        """Trials of a block where `size` would do for processors.

        cells    draws of a trial
        results  numbers that it leaves
        """

    def permuted_ranges(self, values: Ints, seed: int, first: int, trials: int) -> Ints: ...

    def permuted_pairs(self, values: Ints, seed: int, first: int, trials: int) -> Ints: ...

    def flipped_sums(
        self, values: NDArray[EightBytes], seed: int | None, first: int, trials: int
    ) -> NDArray[EightBytes]: ...

    def drawn_sums(self, values: NDArray[EightBytes], seed: int, first: int, trials: int) -> NDArray[EightBytes]: ...

    def flipped_pairs(self, values: Floats, slack: float, seed: int | None, first: int, trials: int) -> Ints: ...

    def drawn_pairs(
        self,
        values: Floats,
        squares: Floats,
        bar: Floats,
        t: tuple[Floats, Floats] | None,
        seed: int,
        first: int,
        trials: int,
    ) -> Ints: ...

    def drawn_steps(
        self, values: Floats, a: AnyInts, b: AnyInts, bar: Floats, extra: float, seed: int, first: int, trials: int
    ) -> AnyInts: ...

    def halved_concordance(self, values: Floats, tolerance: float, seed: int, first: int, trials: int) -> Ints: ...


def on(device: str) -> Resampler:
    """The kernels of a device; an error that says what was found where it is not there."""
    if one_of("device", device, DEVICES) == "cuda":
        from rankscope.kernels import cuda

        cuda.check()
        return cuda
    from rankscope.kernels import cpu

    return cpu
