"""Kendall's tau of two orders of the same systems.

Scores that are equal on paper tie (`statistics.equality`). `tolerance` is the share of itself that each value may be
off: 0 compares doubles as they are.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from rankscope import arguments
from rankscope.arrays import Floats, Ints
from rankscope.errors import InputError, plural, warn
from rankscope.kernels import concordance
from rankscope.parallel import Client, available_workers, map_units, on
from rankscope.results import Result
from rankscope.statistics.equality import PRECISION, merged, merged_sentence, settled

ROWS = 1024  # rows a unit of work: with fewer, threads wait for each other most of the time
FEWEST = 5  # systems that Fieller's interval needs
_ALONE = 50_000_000  # comparisons that one thread makes in some 25 ms


@dataclass(frozen=True, slots=True, kw_only=True)
class Tau(Result):
    """Kendall's tau of two vectors, from counts of pairs."""

    concordant: int  # P
    discordant: int  # Q
    only_x: int  # T: tied in x alone
    only_y: int  # U: tied in y alone
    both: int
    n_systems: int
    merged: int = 0  # values that differ as doubles from one that they tie with

    @property
    def pairs(self) -> int:
        return self.n_systems * (self.n_systems - 1) // 2

    @property
    def a(self) -> float:
        """(P - Q) / all pairs."""
        return (self.concordant - self.discordant) / self.pairs

    @property
    def b(self) -> float:
        """(P - Q) / sqrt((P + Q + T)(P + Q + U)), Kendall's correction for ties."""
        ordered = self.concordant + self.discordant
        return (self.concordant - self.discordant) / math.sqrt((ordered + self.only_x) * (ordered + self.only_y))

    @property
    def agreement(self) -> float:
        """Share of the pairs that both order alike or both tie."""
        return (self.concordant + self.both) / self.pairs

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """tanh(atanh(tau-b) -+ z sqrt(0.437 / (n - 4))), after Fieller, Hartley and Pearson (1957).

        Made for bivariate normal values without many ties and |tau| below about 0.8; at tau = 1 it has no width. With
        real systems it may be short: 90 % from 20 of those of TREC-8 (docs/validity-real.md).
        """
        lower, upper = fieller_intervals(np.array([self.b]), self.n_systems, level=level)
        return float(lower[0]), float(upper[0])

    def columns(self) -> dict[str, list[Any]]:
        """One row: tau-a, tau-b and the counts of pairs."""
        return {"tau_a": [self.a], "tau_b": [self.b], **Result.columns(self)}

    def metrics(self) -> dict[str, float]:
        """tau-a, tau-b and the counts of pairs."""
        return {"tau_a": self.a, "tau_b": self.b, **Result.metrics(self)}

    def remarks(self) -> list[str]:
        return [merged_sentence(self.merged, "system")]


def fieller_intervals(correlations: Floats, n_systems: int, *, level: float = 0.95) -> tuple[Floats, Floats]:
    """Lower and upper ends for each tau-b of so many systems, as `Tau.interval`."""
    arguments.level(level)
    if n_systems < FEWEST:
        raise InputError(plural(n_systems, "value"), "Fieller's interval needs at least five; use a bootstrap")
    half = NormalDist().inv_cdf((1 + level) / 2) * math.sqrt(0.437 / (n_systems - 4))
    inside = np.abs(correlations) < 1
    z = np.arctanh(np.where(inside, correlations, 0.0))
    lower, upper = (np.where(inside, np.tanh(end), correlations) for end in (z - half, z + half))
    return lower, upper


def tau(x: ArrayLike, y: ArrayLike, *, tolerance: float = PRECISION) -> Tau:
    """Kendall's tau of two vectors, one value per system; a vector of equal values is refused.

    >>> tau([1, 2, 3, 4], [1, 3, 2, 4]).a == (5 - 1) / 6
    True
    """
    x_values, y_values = vectors(x, y, tolerance)
    counts = {name: int(values[0]) for name, values in _counts(x_values[None], y_values[None]).items()}
    return Tau(**counts, n_systems=len(x_values), merged=merged(x, tolerance) + merged(y, tolerance))


def agreement_rate(x: ArrayLike, y: ArrayLike, *, tolerance: float = PRECISION) -> float:
    """Share of the pairs of systems that both vectors order alike, or both tie.

    >>> agreement_rate([3, 2, 1], [3, 1, 2]) == 2 / 3
    True
    """
    return tau(x, y, tolerance=tolerance).agreement


def taus(
    x: ArrayLike,
    y: ArrayLike,
    *,
    variant: Literal["a", "b"] = "b",
    tolerance: float = PRECISION,
    workers: int | None = None,
    client: Client = None,
) -> Floats:
    """Kendall's tau of each row of x with the same row of y: rows x systems in, one tau per row out.

    One vector goes with every row of the other. tau-b is NaN for a row of equal values, with one warning per call.
    """
    x_values, y_values = np.atleast_2d(np.asarray(x, np.float64)), np.atleast_2d(np.asarray(y, np.float64))
    if x_values.ndim != 2 or y_values.ndim != 2 or x_values.shape[1] != y_values.shape[1]:
        raise InputError(f"shapes {np.shape(x)} and {np.shape(y)}", "give rows x systems twice, of the same systems")
    if len(x_values) != len(y_values) and 1 not in (len(x_values), len(y_values)):
        raise InputError(f"{len(x_values)} and {len(y_values)} rows", "give as many rows twice, or one vector")
    if x_values.shape[1] < 2:
        raise InputError(f"{x_values.shape[1]} system", "an order needs at least two systems")
    arguments.one_of("variant", variant, ("a", "b"))
    for values in (x_values, y_values):
        if not np.isfinite(values).all():
            row, system = np.argwhere(~np.isfinite(values))[0].tolist()
            raise InputError(f"row {row}, system {system}: the score is {values[row, system]}", "give it a score")
    rows = max(len(x_values), len(y_values))
    x_values, y_values = (np.broadcast_to(values, (rows, values.shape[1])) for values in (x_values, y_values))

    def block(part: slice) -> Floats:
        return taus_of_rows(x_values[part], y_values[part], variant=variant, tolerance=tolerance)

    blocks = [slice(start, start + ROWS) for start in range(0, rows, ROWS)]
    threads = threads_for(workers, rows, x_values.shape[1])
    with on(client):
        values = np.concatenate([np.empty(0), *map_units(block, blocks, workers=threads)])
    warn_of_ties(int(np.isnan(values).sum()), rows, "rows")
    return values


def vectors(x: ArrayLike, y: ArrayLike, tolerance: float) -> tuple[Floats, Floats]:
    """Two vectors of one value per system, equal where they are equal on paper, neither of them constant."""
    vectors = np.asarray(x, np.float64), np.asarray(y, np.float64)
    if any(v.ndim != 1 for v in vectors):
        raise InputError("values have more than one axis", "give one value per system; `taus` takes many rows")
    if len(vectors[0]) != len(vectors[1]):
        raise InputError(f"{len(vectors[0])} and {len(vectors[1])} values", "give both a value for every system")
    if len(vectors[0]) < 2:
        raise InputError(f"{len(vectors[0])} system", "an order needs at least two systems")
    for name, values in zip(("first", "second"), vectors, strict=True):
        if not np.isfinite(values).all():
            at = int(np.flatnonzero(~np.isfinite(values))[0])
            raise InputError(f"the {name} vector, system {at}: the value is {values[at]}", "give it a value")
    ties = settled(vectors[0], tolerance), settled(vectors[1], tolerance)
    for name, values in zip(("first", "second"), ties, strict=True):
        if (values == values[0]).all():
            raise InputError(f"all values of the {name} vector tie at {values[0]}", "a constant orders nothing")
    return ties


def threads_for(workers: int | None, rows: int, systems: int) -> int:
    """As many as asked for; unasked, one where the work is done before others have got going."""
    if workers is not None:
        return workers
    return available_workers() if rows * systems**2 > _ALONE else 1


def warn_of_ties(undefined: int, total: int, what: str) -> None:
    if undefined:
        message = f"{undefined} of {total} {what} tie all systems, where tau-b is undefined; they are NaN"
        warn(message, stacklevel=3)


def _counts(x: Floats, y: Floats) -> dict[str, Ints]:
    alike, apart, tied_x, tied_y = concordance(x, y)
    pairs = x.shape[1] * (x.shape[1] - 1) // 2
    both = alike + apart + tied_x + tied_y - pairs
    return {
        "concordant": alike, "discordant": apart, "only_x": tied_x - both, "only_y": tied_y - both, "both": both,
    }  # fmt: skip


def taus_of_rows(x: Floats, y: Floats, *, variant: str = "b", tolerance: float = PRECISION) -> Floats:
    """tau of each row, NaN where tau-b is undefined."""
    counts = concordance(settled(x, tolerance), settled(y, tolerance))
    return (
        tau_b(counts, x.shape[1]) if variant == "b" else (counts[0] - counts[1]) / (x.shape[1] * (x.shape[1] - 1) // 2)
    )


def tau_b(counts: Sequence[Ints] | Ints, n_systems: int) -> Floats:
    """tau-b from the counts of `kernels.concordance`; NaN where an order ties all systems."""
    alike, apart, tied_x, tied_y = counts
    pairs = n_systems * (n_systems - 1) // 2
    under = np.sqrt((pairs - tied_x).astype(np.float64) * (pairs - tied_y))
    return np.divide(alike - apart, under, out=np.full(len(alike), np.nan), where=under > 0)
