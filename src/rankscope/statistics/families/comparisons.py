"""Results of comparisons of many systems: a family of pairs, each with a difference and a p value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankscope.arrays import Floats, Ints
from rankscope.errors import InputError, plural
from rankscope.results import Result
from rankscope.statistics.draws.resampling import Resampling


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Comparisons(Result):
    """Pairs of systems under one procedure.

    `first` and `second` number the systems of each pair, `difference` is location[second] - location[first].
    `corrected` says whether p values hold for the whole family of pairs listed, or each for its pair alone;
    `statistic` is t, infinite where a difference is the same on every topic and not 0; Tukey's q; or the difference
    itself, which is then not repeated in tables.
    """

    systems: tuple[str, ...]
    method: str
    n_topics: int
    location: Floats  # of each system: its mean, or mean rank
    first: Ints
    second: Ints
    difference: Floats
    statistic: Floats
    pvalue: Floats
    resampling: Resampling | None = None  # None where nothing was drawn
    baseline: str | None = None
    corrected: bool = True

    @property
    def favours(self) -> tuple[str | None, ...]:
        """The system of each pair that has the higher location; None where both have the same."""
        first, second = self.first.tolist(), self.second.tolist()
        signs = np.sign(self.difference).tolist()
        return tuple(
            None if not sign else self.systems[j if sign > 0 else i]
            for i, j, sign in zip(first, second, signs, strict=True)
        )

    @property
    def family(self) -> tuple[str, ...]:
        """The pairs that were compared, by name."""
        pairs = zip(self.first.tolist(), self.second.tolist(), strict=True)
        return tuple(f"{self.systems[j]} - {self.systems[i]}" for i, j in pairs)

    def matrix(self) -> Floats:
        """p values of all pairs as a symmetric matrix of systems x systems, 1 on the diagonal."""
        s = len(self.systems)
        if len(self.first) != s * (s - 1) // 2:
            cause = f"{len(self.first):,} of {s * (s - 1) // 2:,} pairs were compared"
            raise InputError(cause, "compare all pairs, without a baseline")
        square = np.ones((s, s))
        square[self.first, self.second] = square[self.second, self.first] = self.pvalue
        return square

    def below(self, alpha: float) -> int:
        """Number of pairs with a p value below alpha."""
        return int(np.count_nonzero(self.pvalue < alpha))

    @property
    def how(self) -> str:
        """Number of resamples and the seed, in words; empty where none were drawn."""
        drawn = self.resampling
        return "" if drawn is None else f"{plural(drawn.resamples, 'resample')}, seed {drawn.seed}"

    def heading(self) -> str:
        """Method, number of topics, family and resamples, in one line."""
        s, pairs = len(self.systems), len(self.first)
        every = f"all {pairs:,} pairs of {s:,} systems" if s > 2 else "one pair"
        what = every if pairs == s * (s - 1) // 2 else f"the {plural(pairs, 'pair')} below"
        against = "" if self.baseline is None else f"baseline {self.baseline}"
        family = f"{self.method}; {plural(self.n_topics, 'topic')}; family: {what}"
        return "; ".join(filter(None, [family, against, self.how]))

    def remarks(self) -> list[str]:
        return [] if self.corrected else ["p values are not corrected for the number of pairs"]

    def columns(self) -> dict[str, list[Any]]:
        """One row per pair: first, second, difference, what the procedure adds, p value."""
        return {
            "first": [self.systems[i] for i in self.first.tolist()],
            "second": [self.systems[i] for i in self.second.tolist()],
            "difference": self.difference.tolist(),
            **self._more(),
            **({} if np.array_equal(self.statistic, self.difference) else {"statistic": self.statistic.tolist()}),
            "pvalue": self.pvalue.tolist(),
        }

    def _more(self) -> dict[str, list[Any]]:
        """Further columns of one procedure."""
        return {}


def named(systems: Sequence[str] | None, count: int) -> tuple[str, ...]:
    """The systems' names, or their numbers."""
    return tuple(map(str, range(count))) if systems is None else tuple(map(str, systems))


def pairs_of(count: int) -> tuple[Ints, Ints]:
    """All pairs of so many systems, each once: (0, 1), (0, 2), ..., (1, 2), ..."""
    first, second = np.triu_indices(count, 1)
    return first.astype(np.int64, copy=False), second.astype(np.int64, copy=False)


def pairs_with(baseline: int, count: int) -> tuple[Ints, Ints]:
    """The baseline, and every other system."""
    return np.full(count - 1, baseline, np.int64), np.delete(np.arange(count, dtype=np.int64), baseline)


def baseline_of(baseline: str | int, systems: tuple[str, ...]) -> int:
    """Number of the baseline, given by name or number."""
    if isinstance(baseline, str):
        if baseline not in systems:
            raise InputError(f"baseline {baseline!r} is no system", f"systems are {', '.join(systems[:20])}")
        return systems.index(baseline)
    if not 0 <= baseline < len(systems):
        raise InputError(f"baseline {baseline} is no system", f"systems are numbered 0 to {len(systems) - 1}")
    return int(baseline)
