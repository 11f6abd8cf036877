"""Results of dominance, and their text."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np

from rankscope import arguments
from rankscope.arrays import Bools, Floats, Ints
from rankscope.errors import plural
from rankscope.formatting import bounds, probability, score
from rankscope.preferences.classes import favoured
from rankscope.preferences.dominance_arguments import MetricClass, ranges
from rankscope.results import Result
from rankscope.statistics.draws.resampling import Resampling
from rankscope.statistics.pairs.one_sided import BETTING, BOUNDED, BOUNDED_LARGE
from rankscope.statistics.pairs.saddlepoint import LARGE
from rankscope.version import __version__

UNGUARDED = 't tests and sign flips do not guard against losses that are rare and large; test="bounded" does'
GUARDED = (BOUNDED, BOUNDED_LARGE, BETTING)
_ROWS = 30  # of a table


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Dominance(Result):
    """D(j), the mean over topics of the gain of b down to rank j minus that of a, by rank: positive for b.

    ranks           j = equal_weights_to .. depth
    lower, upper    band at each rank by itself (Student's t), NaN where the topics do not vary
    lower_all, upper_all  band that holds all ranks at once (max-t over sign flips; over normal sums, with the same
                    covariances, beyond 10,000 topics)
    pvalues          one-sided p at each rank that b, the second system, has the higher mean
    pvalues_reverse  likewise that a, the first, has
    tied            ranks down to which every topic is a tie: p is 1 there
    alike           ranks at which every topic has the same difference, not 0: t has nothing to go by, and 2^-topics
                    stands in for its p value
    left_out        topics without a relevant document, or lacking in a run that is not scored 0 for it
    """

    systems: tuple[str, str]
    covers: MetricClass
    ranks: Ints
    difference: Floats
    lower: Floats
    upper: Floats
    lower_all: Floats
    upper_all: Floats
    level: float
    pvalues: Floats
    pvalues_reverse: Floats
    tied: tuple[int, ...]
    alike: tuple[int, ...]
    n_topics: int
    left_out: int
    method: str
    exact: bool
    resampling: Resampling
    rules: str

    @property
    def favours(self) -> str | None:
        """The system that is nowhere behind on these topics, and somewhere ahead; None where there is none."""
        a, b = self.systems
        return None if bool(self.fails) == bool(self.fails_reverse) else a if self.fails else b

    @property
    def pvalue(self) -> float:
        """Universal p that the mean of b is higher: the largest one-sided p of all ranks."""
        return float(self.pvalues.max())

    @property
    def pvalue_reverse(self) -> float:
        """Universal p that the mean of a is higher."""
        return float(self.pvalues_reverse.max())

    @property
    def fails(self) -> tuple[int, ...]:
        """Ranks where b is behind: some metric of the class has it lower in the mean."""
        return tuple(self.ranks[self.difference < 0].tolist())

    @property
    def fails_reverse(self) -> tuple[int, ...]:
        """Ranks where a is behind."""
        return tuple(self.ranks[self.difference > 0].tolist())

    @property
    def observed(self) -> str:
        """Observation on these topics, without a test."""
        a, b = self.systems
        if self.fails and self.fails_reverse:
            behind = f"{b} is behind at rank {ranges(self.fails)}, {a} at rank {ranges(self.fails_reverse)}"
            return f"On these topics metrics of the class disagree: {behind}."
        if not self.fails and not self.fails_reverse:
            return f"On these topics {a} and {b} have the same mean under every metric of the class."
        higher, lower = (a, b) if self.fails else (b, a)
        return f"On these topics the mean of {higher} is at least that of {lower} under every metric of the class."

    @property
    def claim(self) -> str:
        """The universal p values, the ranks that decide them, and for which metrics they speak."""
        both = ", ".join(
            f"{name} higher p = {probability(float(p.max()))} (rank {self.ranks[p.argmax()]})"
            for name, p in zip(self.systems[::-1], (self.pvalues, self.pvalues_reverse), strict=True)
        )
        return f"universal: {both}, for the mean of {self.covers}"

    @property
    def caution(self) -> str:
        """Caution about losses that the test does not guard against; empty where it does."""
        return "" if self.method in GUARDED else UNGUARDED

    def remarks(self) -> list[str]:
        """Remarks below the table."""
        lines = [self.observed, self.claim, *filter(None, [self.caution])]
        if (shown := len(self._shown())) < len(self.ranks):
            lines.insert(0, f"{shown} of {len(self.ranks)} ranks shown; to_frame() has all")
        if self.tied:
            ranks = "ranks" if len(self.tied) > 1 else "rank"
            lines.append(
                f"every topic is a tie down to {ranks} {ranges(self.tied)}: p is 1 there, whoever is ahead below"
            )
        if self.alike:
            stands = ", and 2^-topics stands in for the p value of t" * self.method.endswith("t tests")
            lines.append(f"every topic has the same difference at rank {ranges(self.alike)}{stands}")
        out = f", {self.left_out} left out" * (self.left_out > 0)
        largest = "p is the largest over ranks (intersection-union)"
        sums = "sign flips" if self.n_topics <= LARGE else "normal sums"
        bands = f"bands by Student's t (here) and max-t over {sums} (everywhere)"
        lines.append(f"{self.method}, {largest}; {bands}; {plural(self.n_topics, 'topic')}{out}; {self.signature}")
        return lines

    @property
    def signature(self) -> str:
        """Signature: rules, number of topics and version, in one line."""
        return f"{self.rules}|n:{self.n_topics}|rankscope:{__version__}"

    def table(self) -> tuple[list[str], list[list[str]]]:
        """One row per rank; of many ranks some, among them those that decide."""
        a, b = self.systems
        level = f"{100 * self.level:g} %"
        header = ["rank", "difference", f"{level} here", f"{level} everywhere", f"p {b} higher", f"p {a} higher"]
        shown = self._shown()
        ends = (self.lower, self.upper, self.lower_all, self.upper_all)
        columns = (self.difference, *ends, self.pvalues, self.pvalues_reverse)
        rows = [
            [f"{j}", score(d), _band(low, high), _band(low_all, high_all), probability(p), probability(q)]
            for j, d, low, high, low_all, high_all, p, q in zip(
                self.ranks.tolist(), *(c.tolist() for c in columns), strict=True
            )
            if j in shown
        ]
        return header, rows

    def _shown(self) -> set[int]:
        """Ranks whose rows are printed: 1 to 10, then ever fewer, the last, and where a p value is largest."""
        every = self.ranks.tolist()
        if len(every) <= _ROWS:
            return set(every)
        steps = {m * 10**e for e in range(1, len(str(every[-1]))) for m in (1, 2, 5)}
        decide = {every[int(p.argmax())] for p in (self.pvalues, self.pvalues_reverse)}
        return set(every[:10]) | steps & set(every) | {every[-1]} | decide

    def heading(self) -> str:
        """Heading of the table."""
        a, b = self.systems
        return f"gain of {b} minus gain of {a} down to each rank, in the mean over topics"

    def text_columns(self) -> int:
        """Columns of the table that are text."""
        return 0

    def columns(self) -> dict[str, list[Any]]:
        """One row per rank; positive for b."""
        return {
            "rank": self.ranks.tolist(),
            "difference": self.difference.tolist(),
            "lower": _plain(self.lower),
            "upper": _plain(self.upper),
            "lower_all": _plain(self.lower_all),
            "upper_all": _plain(self.upper_all),
            "pvalue": self.pvalues.tolist(),
            "pvalue_reverse": self.pvalues_reverse.tolist(),
        }

    def column_types(self) -> dict[str, Any]:
        """Types of columns that may hold nothing but nulls."""
        return {"lower": float, "upper": float, "lower_all": float, "upper_all": float}

    def to_dict(self) -> dict[str, Any]:
        """Everything, in plain Python; null stands for what there is none of."""
        return {
            "systems": list(self.systems),
            "favours": self.favours,
            "pvalue": self.pvalue,
            "pvalue_reverse": self.pvalue_reverse,
            "fails": list(self.fails),
            "fails_reverse": list(self.fails_reverse),
            "tied": list(self.tied),
            "alike": list(self.alike),
            "covers": str(self.covers),
            "profile": self.columns(),
            "level": self.level,
            "n_topics": self.n_topics,
            "left_out": self.left_out,
            "method": self.method,
            "signature": self.signature,
        }


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DominanceMatrix(Result):
    """Universal p values of all pairs, uncorrected: pvalue[i, j] that the mean of j is higher; 1 on the diagonal.

    ahead   (S, S) whether j is nowhere behind i on these topics, and somewhere ahead of it
    """

    systems: tuple[str, ...]
    covers: MetricClass
    pvalue: Floats
    ahead: Bools
    n_topics: int
    left_out: int
    method: str
    rules: str

    def share(self, alpha: float = 0.05) -> float:
        """Share of pairs for which one of the two universal p values is at most alpha / 2."""
        first, second = np.triu_indices(len(self.systems), 1)
        least = np.minimum(self.pvalue[first, second], self.pvalue[second, first])
        return float(np.mean(least <= alpha / 2))

    def by_standing(self, alpha: float = 0.05) -> list[int]:
        """Rows of the systems, those that are ahead of many first: significantly, then on these topics."""
        won = [for_second.sum(axis=0) - for_second.sum(axis=1) for for_second in (self.significant(alpha), self.ahead)]
        return sorted(range(len(self.systems)), key=lambda i: (-int(won[0][i]), -int(won[1][i]), i))

    def significant(self, alpha: float = 0.05) -> Bools:
        """(S, S) whether the mean of j is significantly higher; alpha is for both directions together."""
        arguments.alpha(alpha)
        return np.asarray(self.pvalue <= alpha / 2, np.bool_)

    @property
    def signature(self) -> str:
        """Signature: rules, number of topics and version, in one line."""
        return f"{self.rules}|n:{self.n_topics}|rankscope:{__version__}"

    def columns(self) -> dict[str, list[Any]]:
        """One row per pair, each once; `favours` is nowhere behind on these topics."""
        first, second = np.triu_indices(len(self.systems), 1)
        names = zip(first.tolist(), second.tolist(), strict=True)
        sign = self.ahead[first, second].astype(int) - self.ahead[second, first]
        return {
            "first": [self.systems[i] for i in first.tolist()],
            "second": [self.systems[i] for i in second.tolist()],
            "pvalue": self.pvalue[first, second].tolist(),
            "pvalue_reverse": self.pvalue[second, first].tolist(),
            "favours": [
                favoured([s], (self.systems[i], self.systems[j]))[0]
                for (i, j), s in zip(names, sign.tolist(), strict=True)
            ],
        }

    def to_dict(self) -> dict[str, Any]:
        """Everything, in plain Python."""
        return {
            "systems": list(self.systems),
            "pvalue": self.pvalue.tolist(),
            "ahead": self.ahead.tolist(),
            "covers": str(self.covers),
            "n_topics": self.n_topics,
            "left_out": self.left_out,
            "method": self.method,
            "signature": self.signature,
        }

    def table(self) -> tuple[list[str], list[list[str]]]:
        """One row per pair."""
        columns = self.columns()
        rows = [
            [a, b, probability(p), probability(q), favours or "-"]
            for a, b, p, q, favours in zip(*columns.values(), strict=True)
        ]
        return ["first", "second", "p second higher", "p first higher", "nowhere behind"], rows

    def remarks(self) -> list[str]:
        """Remarks below the table."""
        out = f", {self.left_out} left out" * (self.left_out > 0)
        return [
            f"universal p, for the mean of {self.covers}",
            *[UNGUARDED] * (self.method not in GUARDED),
            f"{self.method}, p is the largest over ranks (intersection-union), not corrected for the number of pairs; "
            f"{plural(self.n_topics, 'topic')}{out}; {self.signature}",
        ]

    def heading(self) -> str:
        """Heading of the table."""
        return f"dominance of all pairs of {len(self.systems)} systems to depth {self.covers.depth}"


def _band(lower: float, upper: float) -> str:
    return "-" if lower != lower else bounds(lower, upper)


def _plain(values: Floats) -> list[float | None]:
    """Numbers, None for what is none or not finite: JSON knows neither."""
    return [v if isfinite(v) else None for v in values.tolist()]
