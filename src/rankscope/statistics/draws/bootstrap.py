"""What the samples of a paired bootstrap test are held against, for one pair of systems or many."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from rankscope.arrays import Bools, Floats
from rankscope.errors import InputError
from rankscope.kernels.cpu import reached
from rankscope.statistics.draws.resampling import integer_columns
from rankscope.statistics.equality import PRECISION

BootstrapVariant: TypeAlias = Literal["studentised", "shift"]


@dataclass(frozen=True, slots=True)
class Bars:
    """Differences shifted to mean 0, their squares (topics, pairs), and what the samples of each pair must reach.

    Sums of either are exact in float64, whoever adds them up and in whatever order.
    """

    values: Floats
    squares: Floats
    least: Floats  # what a mean must reach
    bar: Floats  # that, or its square, as the kernels want it
    t: tuple[Floats, Floats] | None

    @classmethod
    def of(cls, differences: Floats, mean: Floats, error: Floats, variant: BootstrapVariant) -> Bars:
        """Of (topics, pairs) differences with these means, which are known to within the errors."""
        if variant not in ("studentised", "shift"):
            raise InputError(f"variant={variant!r}", "variant is studentised or shift")
        n = len(differences)
        centred = differences - mean
        least = np.maximum(np.abs(mean) - error, 0.0)
        values, squares = (
            np.ldexp(units, -shift) for units, shift in (integer_columns(centred, n), integer_columns(centred**2, n))
        )
        if variant == "shift":
            return cls(values, squares, least, least, None)
        # t of a sample against the t observed, both squared; the sample's mean is 0 on paper below the error
        variance = np.var(centred, axis=0, ddof=1)
        return cls(values, squares, least, least**2 * (1 - 4 * PRECISION), (variance, variance * error**2))

    def reached(self, sums: Floats, squares: Floats) -> Bools:
        """Which samples (trials, pairs), by their sums of values and of squares, reach the bar."""
        return reached(sums, squares, len(self.values), self.bar, self.t)
