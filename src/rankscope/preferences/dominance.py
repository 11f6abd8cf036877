"""Dominance: one claim for every static rank-weighted metric at once.

A metric that sums gain times a weight which depends on the rank alone, and never grows with it, is a sum of the gains
down to each rank j times the drop of the weight after j, which is not negative. So where the mean gain down to j of A
is at least that of B for every j <= k, A is at least as good in the mean under every such metric cut at k; and where
each of these k differences is shown to be above 0, so is every such metric's: an intersection-union test (Berger 1982),
whose p value is the largest of the k one-sided ones, without a further correction.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from math import isfinite
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from rankscope.arrays import FIRST_GRADE, Bools, Floats, Ints
from rankscope.errors import InputError, Problem
from rankscope.judged import Judged
from rankscope.parallel import available_workers, map_units
from rankscope.preferences.gains import GainMap, Gains, gain_map
from rankscope.preferences.lists import Chosen, Worded, chosen, depth_of
from rankscope.results import frame, text_table
from rankscope.statistics.differences import ROUNDING, between
from rankscope.statistics.digits import bounds, probability, score
from rankscope.statistics.one_sided import (
    BETTING,
    STUDENT,
    OneSidedTest,
    most_of_all_pairs,
    one_sided,
    simultaneous_reach,
    standard_error,
)
from rankscope.statistics.resampling import Resampling
from rankscope.version import __version__

if TYPE_CHECKING:
    import polars as pl

Normalise: TypeAlias = Mapping[str, float] | Literal["recall base"]
UNGUARDED = 't tests and sign flips do not guard against losses that are rare and large; test="betting" does'
_ROWS = 30  # of a table
_CELLS = 1 << 21  # differences held at a time


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricClass:
    """Which metrics a claim is about: gains times weights that never grow with rank, cut at `depth`.

    gains             how grades become gains, in words
    normalise         by what the metric is divided or multiplied topic by topic, in words; empty for nothing
    equal_weights_to  ranks 1 to this one weigh the same; 1 asks nothing
    """

    depth: int
    equal_weights_to: int
    gains: str
    normalise: str

    def __str__(self) -> str:
        k, same = self.depth, self.equal_weights_to
        what = (
            f"every metric that sums gain ({self.gains}) times a weight by rank that is never negative and never grows"
        )
        what += f", cut at {k}"
        if same == 1:
            some = f"P@{k}, DCG@{k}, SDCG@{k}, RBP@{k} and any static C/W/L metric cut at {k}, or higher up"
            never = "not nDCG, AP, RR, ERR"
        else:
            what += f", and is the same for ranks 1 to {same}"
            shallow = "" if same == k else f" to P@{k}, and DCG@{k} whose discount starts after rank {same}"
            some = f"P@{same}{shallow}"
            never = f"not P@{_ranges(tuple(range(1, same)))}, plain DCG, SDCG, RBP, nor nDCG, AP, RR, ERR"
        each = f"; each {self.normalise}" if self.normalise else ""
        return f"{what} ({some}, with this gain; {never}{each})"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Dominance(Worded):
    """D(j), the mean over topics of the gain of the first system down to rank j minus that of the second, by rank.

    ranks           j = equal_weights_to .. depth
    lower, upper    band at each rank by itself (Student's t), NaN where the topics do not vary
    lower_all, upper_all  band that holds all ranks at once (max-t over sign flips)
    p_first, p_second     one-sided p at each rank that the first, or the second, is the better one
    bet             universal p of both, whatever the test was, by betting: it guards against rare large losses too
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
    p_first: Floats
    p_second: Floats
    bet: tuple[float, float]
    tied: tuple[int, ...]
    alike: tuple[int, ...]
    n_topics: int
    left_out: int
    method: str
    exact: bool
    chance: Resampling
    made: str

    @property
    def pvalue(self) -> float:
        """Universal p that the first system is better: the largest one-sided p of all ranks."""
        return float(self.p_first.max())

    @property
    def pvalue_reverse(self) -> float:
        """Universal p that the second system is better."""
        return float(self.p_second.max())

    @property
    def fails(self) -> tuple[int, ...]:
        """Ranks where the first system is behind: some metric of the class has it lower in the mean."""
        return tuple(self.ranks[self.difference < 0].tolist())

    @property
    def fails_reverse(self) -> tuple[int, ...]:
        """Ranks where the second system is behind."""
        return tuple(self.ranks[self.difference > 0].tolist())

    @property
    def observed(self) -> str:
        """What these topics show, without a test."""
        first, second = self.systems
        if self.fails and self.fails_reverse:
            ahead = f"{first} is behind at rank {_ranges(self.fails)}, {second} at {_ranges(self.fails_reverse)}"
            return f"on these topics metrics of the class disagree: {ahead}"
        if not self.fails and not self.fails_reverse:
            return f"on these topics {first} and {second} have the same mean under every metric of the class"
        better, worse = (second, first) if self.fails else (first, second)
        return f"on these topics {better} has a mean at least that of {worse} under every metric of the class"

    @property
    def claim(self) -> str:
        """The universal p values, the ranks that decide them, and for which metrics they speak."""
        both = ", ".join(
            f"{name} better p = {probability(float(p.max()))} (rank {self.ranks[p.argmax()]})"
            for name, p in zip(self.systems, (self.p_first, self.p_second), strict=True)
        )
        return f"universal: {both}, for the mean of {self.covers}"

    @property
    def caution(self) -> str:
        """Which losses the test does not guard against, and what a test says that does; empty where that was taken."""
        if self.method == BETTING:
            return ""
        both = ", ".join(f"{name} better p = {probability(p)}" for name, p in zip(self.systems, self.bet, strict=True))
        return f"{UNGUARDED}: {both}"

    def words(self) -> list[str]:
        """What stands below the table."""
        said = [self.observed, self.claim, *filter(None, [self.caution])]
        if (shown := len(self._shown())) < len(self.ranks):
            said.insert(0, f"{shown} of {len(self.ranks)} ranks shown; to_frame() has all")
        if self.tied:
            ranks = "ranks" if len(self.tied) > 1 else "rank"
            said.append(
                f"every topic is a tie down to {ranks} {_ranges(self.tied)}: p is 1 there, whoever is ahead below"
            )
        if self.alike:
            stands = ", and 2^-topics stands in for the p value of t" * self.method.endswith("t tests")
            said.append(f"every topic has the same difference at rank {_ranges(self.alike)}{stands}")
        out = f", {self.left_out} left out" * (self.left_out > 0)
        largest = "p is the largest over ranks (intersection-union)"
        said.append(f"{self.method}, {largest}; {self.n_topics} topics{out}; {self.signature}")
        return said

    @property
    def signature(self) -> str:
        """How the numbers were made, in one line."""
        return f"{self.made}|n:{self.n_topics}|rankscope:{__version__}"

    def table(self) -> tuple[list[str], list[list[str]]]:
        """A row a rank; of many ranks some, among them those that decide."""
        first, second = self.systems
        level = f"{100 * self.level:g} %"
        header = ["rank", "difference", f"{level} here", f"{level} everywhere", f"p {first} better"]
        shown = self._shown()
        columns = (self.difference, self.lower, self.upper, self.lower_all, self.upper_all, self.p_first, self.p_second)
        rows = [
            [f"{j}", score(d), _band(low, high), _band(low_all, high_all), probability(p), probability(q)]
            for j, d, low, high, low_all, high_all, p, q in zip(
                self.ranks.tolist(), *(c.tolist() for c in columns), strict=True
            )
            if j in shown
        ]
        return [*header, f"p {second} better"], rows

    def _shown(self) -> set[int]:
        """Ranks whose rows are printed: 1 to 10, then ever fewer, the last, and where a p value is largest."""
        every = self.ranks.tolist()
        if len(every) <= _ROWS:
            return set(every)
        steps = {m * 10**e for e in range(1, len(str(every[-1]))) for m in (1, 2, 5)}
        decide = {every[int(p.argmax())] for p in (self.p_first, self.p_second)}
        return set(every[:10]) | steps & set(every) | {every[-1]} | decide

    def head(self) -> str:
        """What the table shows."""
        first, second = self.systems
        return f"gain of {first} minus gain of {second} down to each rank, in the mean over topics"

    def __str__(self) -> str:
        return "\n".join([self.head(), text_table(*self.table(), left=0), *self.words()])

    def columns(self) -> dict[str, list[Any]]:
        """A row a rank."""
        return {
            "rank": self.ranks.tolist(),
            "difference": self.difference.tolist(),
            "lower": _plain(self.lower),
            "upper": _plain(self.upper),
            "lower_all": _plain(self.lower_all),
            "upper_all": _plain(self.upper_all),
            "p_first": self.p_first.tolist(),
            "p_second": self.p_second.tolist(),
        }

    def to_frame(self) -> pl.DataFrame:
        """Columns rank, difference, lower, upper, lower_all, upper_all, p_first, p_second."""
        return frame(self.columns(), lower=float, upper=float, lower_all=float, upper_all=float)

    def to_dict(self) -> dict[str, Any]:
        """Everything, in plain Python; null stands for what there is none of."""
        return {
            "systems": list(self.systems),
            "pvalue": self.pvalue,
            "pvalue_reverse": self.pvalue_reverse,
            "betting": list(self.bet),
            "fails": list(self.fails),
            "fails_reverse": list(self.fails_reverse),
            "tied": list(self.tied),
            "alike": list(self.alike),
            "covers": str(self.covers),
            "profile": self.columns(),
            "level": self.level,
            "topics": self.n_topics,
            "left_out": self.left_out,
            "method": self.method,
            "signature": self.signature,
        }


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DominanceMatrix(Worded):
    """Universal p values of all pairs, uncorrected: pvalue[i, j] that system i is better than j; 1 on the diagonal.

    ahead   (S, S) whether i is nowhere behind j on these topics, and somewhere before it
    """

    systems: tuple[str, ...]
    covers: MetricClass
    pvalue: Floats
    ahead: Bools
    n_topics: int
    left_out: int
    method: str
    made: str

    def share(self, alpha: float = 0.05) -> float:
        """Share of pairs for which one of the two universal p values is at most alpha / 2."""
        first, second = np.triu_indices(len(self.systems), 1)
        least = np.minimum(self.pvalue[first, second], self.pvalue[second, first])
        return float(np.mean(least <= alpha / 2))

    @property
    def signature(self) -> str:
        """How the numbers were made, in one line."""
        return f"{self.made}|n:{self.n_topics}|rankscope:{__version__}"

    def columns(self) -> dict[str, list[Any]]:
        """A row a pair, each once."""
        first, second = np.triu_indices(len(self.systems), 1)
        return {
            "first": [self.systems[i] for i in first.tolist()],
            "second": [self.systems[i] for i in second.tolist()],
            "p_first": self.pvalue[first, second].tolist(),
            "p_second": self.pvalue[second, first].tolist(),
            "first_ahead": self.ahead[first, second].tolist(),
            "second_ahead": self.ahead[second, first].tolist(),
        }

    def to_frame(self) -> pl.DataFrame:
        """Columns first, second, p_first, p_second, first_ahead, second_ahead."""
        return frame(self.columns())

    def to_dict(self) -> dict[str, Any]:
        """Everything, in plain Python."""
        return {
            "systems": list(self.systems),
            "pvalue": self.pvalue.tolist(),
            "ahead": self.ahead.tolist(),
            "covers": str(self.covers),
            "topics": self.n_topics,
            "left_out": self.left_out,
            "method": self.method,
            "signature": self.signature,
        }

    def table(self) -> tuple[list[str], list[list[str]]]:
        """A row a pair."""
        columns = self.columns()
        rows = [
            [a, b, probability(p), probability(q), a if x else b if y else "-"]
            for a, b, p, q, x, y in zip(*columns.values(), strict=True)
        ]
        return ["first", "second", "p first better", "p second better", "nowhere behind"], rows

    def words(self) -> list[str]:
        """What stands below the table."""
        out = f", {self.left_out} left out" * (self.left_out > 0)
        return [
            f"universal p, for the mean of {self.covers}",
            *[UNGUARDED] * (self.method != BETTING),
            f"{self.method}, p is the largest over ranks (intersection-union), not corrected for the number of pairs; "
            f"{self.n_topics} topics{out}; {self.signature}",
        ]

    def head(self) -> str:
        """What the table shows."""
        return f"dominance of all pairs of {len(self.systems)} systems to depth {self.covers.depth}"

    def __str__(self) -> str:
        return "\n".join([self.head(), text_table(*self.table(), left=2), *self.words()])


def dominance(
    judged: Judged,
    a: str,
    b: str,
    *,
    depth: int,
    gains: Gains | None = None,
    rel: float | None = None,
    normalise: Normalise | None = None,
    equal_weights_to: int = 1,
    test: OneSidedTest = "t",
    level: float = 0.95,
    chance: Resampling | None = None,
    workers: int | None = None,
) -> Dominance:
    """Is a better than b in the mean under every static rank-weighted metric cut at `depth`, whatever its weights?

    gains      "binary", "linear" (the grade), "exp" (2^grade - 1), or a map of grades to gains that names every grade
               above 0 and never falls; judgments of one grade above 0 need none, others need this or rel
    rel        the lowest relevant grade, for binary gain; by default the one chosen on loading
    normalise  "recall base" divides the gains of a topic by its number of documents with gain, so that the claim is
               about R@k and the like; {topic: factor} multiplies them
    equal_weights_to  asks about fewer metrics: those that weigh ranks 1 to this one the same
    test       "t"; "randomisation" (sign flips); "betting", which holds for any number of topics and any distribution,
               rare large losses included, where the other two do not (docs/validity-dominance.md)
    level      of the bands
    chance     of the sign flips: for the band over all ranks, and for the randomisation test

    Topics without a document that has gain are left out, and a topic that a run lacks is an empty list, unless other
    rules were chosen on loading.
    """
    between(level, "level")
    asked = _Asked.of(judged, (a, b), depth, gains, rel, normalise, equal_weights_to)
    chance = chance or Resampling()
    first, second = asked.reached
    d, tolerance = asked.differences(first, second)
    found = one_sided(d, test=test, tolerance=tolerance, bound=asked.bound, chance=chance, workers=workers)
    bet = found if test == "betting" else one_sided(d, test="betting", tolerance=tolerance, bound=asked.bound)
    bands = _bands(d, found.mean, found.tied | found.alike, level, chance, workers)
    return Dominance(
        systems=(a, b),
        covers=asked.covers,
        ranks=asked.ranks,
        difference=found.mean,
        lower=bands[0],
        upper=bands[1],
        lower_all=bands[2],
        upper_all=bands[3],
        level=level,
        p_first=found.above,
        p_second=found.below,
        bet=(float(bet.above.max()), float(bet.below.max())),
        tied=tuple(asked.ranks[found.tied].tolist()),
        alike=tuple(asked.ranks[found.alike].tolist()),
        n_topics=asked.n,
        left_out=asked.left_out,
        method=found.method,
        exact=found.exact,
        chance=chance,
        made=asked.made,
    )


def dominance_all_pairs(
    judged: Judged,
    *,
    depth: int,
    gains: Gains | None = None,
    rel: float | None = None,
    normalise: Normalise | None = None,
    equal_weights_to: int = 1,
    test: OneSidedTest = "t",
    chance: Resampling | None = None,
    workers: int | None = None,
) -> DominanceMatrix:
    """`dominance` for all pairs of systems: universal p values, systems x systems, uncorrected.

    Sign flips of the randomisation test are shared by all pairs, and drawn unless all of them can be taken.
    """
    asked = _Asked.of(judged, judged.systems, depth, gains, rel, normalise, equal_weights_to)
    quick = most_of_all_pairs(asked.reached) if test == "t" and normalise is None else None
    if quick is not None:
        (pvalue, ahead), said = quick, STUDENT
    else:
        pvalue, ahead, said = _one_by_one(asked, test, chance, workers)
    return DominanceMatrix(
        systems=judged.systems,
        covers=asked.covers,
        pvalue=pvalue,
        ahead=ahead,
        n_topics=asked.n,
        left_out=asked.left_out,
        method=said,
        made=asked.made,
    )


def _one_by_one(
    asked: _Asked, test: OneSidedTest, chance: Resampling | None, workers: int | None
) -> tuple[Floats, Bools, str]:
    """Universal p values of all pairs, who is ahead, and by which method: one system and some others at a time."""
    count = len(asked.reached)
    pvalue, ahead = np.ones((count, count)), np.zeros((count, count), np.bool_)
    step = max(1, _CELLS // max(1, asked.reached[0].size))
    units = [(i, j, min(j + step, count)) for i in range(count) for j in range(i + 1, count, step)]
    test_some = partial(one_sided, test=test, bound=asked.bound, chance=chance, exact=False, workers=1)

    def work(unit: tuple[int, int, int]) -> str:
        i, start, stop = unit
        d, tolerance = asked.differences(asked.reached[i], asked.reached[start:stop])
        found = test_some(d, tolerance=tolerance)
        pvalue[i, start:stop], pvalue[start:stop, i] = found.above.max(axis=-1), found.below.max(axis=-1)
        up, down = (found.mean > 0).any(axis=-1), (found.mean < 0).any(axis=-1)
        ahead[i, start:stop], ahead[start:stop, i] = up & ~down, down & ~up
        return found.method

    *_, said = map_units(work, units, workers=available_workers() if workers is None else workers)
    return pvalue, ahead, said


@dataclass(frozen=True, slots=True)
class _Asked:
    """What was asked for, checked: `reached` (systems, topics, ranks) is the gain down to each rank, in whole numbers.

    Topics stand in the order of their names, so that draws do not depend on the order they came in.
    """

    reached: Ints
    scale: Floats  # (topics, 1): what one of these whole numbers is worth
    ranks: Ints
    bound: Floats  # by rank: the largest difference that any topic could have
    covers: MetricClass
    left_out: int
    made: str

    @classmethod
    def of(
        cls,
        judged: Judged,
        systems: tuple[str, ...],
        depth: int,
        gains: Gains | None,
        rel: float | None,
        normalise: Normalise | None,
        equal_weights_to: int,
    ) -> _Asked:
        if len(systems) < 2:
            raise InputError(f"{len(systems)} system", "a comparison needs at least two systems")
        depth = depth_of(judged, depth)
        same = _check_equal(equal_weights_to, depth)
        gain = gain_map(judged, gains, rel, depth)
        lists = chosen(judged, systems, depth, gain.first, callers=2)
        if len(lists.topics) < 2:
            raise InputError(
                f"one topic is left to compare on: {lists.topics[0]!r}", "a test needs at least two topics"
            )
        order = sorted(range(len(lists.topics)), key=lists.topics.__getitem__)
        norm = _Norm.of(normalise, gain, lists, depth)
        reached = np.cumsum(gain.table[lists.code[:, order]], axis=-1)[..., same - 1 :]  # whole numbers: exact
        covers = MetricClass(depth=depth, equal_weights_to=same, gains=gain.words, normalise=norm.words)
        mark = [f"equal:1-{same}"] if same > 1 else []
        made = [f"dominance@{depth}", gain.mark, *norm.mark, *mark, *judged.rules.signature()]
        return cls(
            reached,
            norm.factor[order, None] / gain.unit,
            np.arange(same, depth + 1),
            norm.bound[same - 1 :],
            covers,
            lists.n_left_out,
            "|".join(made),
        )

    @property
    def n(self) -> int:
        """Topics."""
        return self.reached.shape[1]

    def differences(self, first: Ints, others: Ints) -> tuple[Floats, float]:
        """first - others as gains, and to within what means of them are known."""
        d = (first - others) * self.scale
        return d, ROUNDING * float(np.abs(d).max(initial=0.0))


def _check_equal(equal_weights_to: Any, depth: int) -> int:
    whole = isinstance(equal_weights_to, int | np.integer) and not isinstance(equal_weights_to, bool)
    if not whole or not 1 <= equal_weights_to <= depth:
        cure = f"equal_weights_to is a whole number from 1 to {depth}, the depth"
        raise InputError(f"equal_weights_to={equal_weights_to!r}", cure)
    return int(equal_weights_to)


@dataclass(frozen=True, slots=True)
class _Norm:
    """Factor of each topic, and the largest difference at each rank that a topic could then have."""

    factor: Floats
    bound: Floats
    words: str
    mark: tuple[str, ...]

    @classmethod
    def of(cls, normalise: Normalise | None, gain: GainMap, lists: Chosen, depth: int) -> _Norm:
        top = gain.most / gain.unit or 1.0
        bound = top * np.arange(1.0, depth + 1)
        if normalise is None:
            return cls(np.ones(len(lists.topics)), bound, "", ())
        if isinstance(normalise, str) and normalise == "recall base":
            words = "divided by the topic's number of documents with gain, as R@k is"
            share = 1 / np.maximum(lists.available[:, gain.first - FIRST_GRADE :].sum(axis=1), 1)
            return cls(share, np.full(depth, top), words, ("normalise:recall-base",))
        if not isinstance(normalise, Mapping):
            raise InputError(
                f"normalise={normalise!r}", 'normalise is None, "recall base", or a map of topics to factors'
            )
        given: list[tuple[str, Any]] = [(topic, normalise.get(topic)) for topic in lists.topics]
        wrong = [f"topic {topic!r} has factor {factor!r}" for topic, factor in given if not _is_factor(factor)]
        if wrong:
            raise InputError([Problem(one, "give every topic a factor above 0") for one in wrong])
        factor = np.array([float(factor) for _, factor in given])
        return cls(factor, bound * factor.max(), "times the factor given for its topic", ("normalise:factors",))


def _is_factor(given: Any) -> bool:
    return isinstance(given, int | float | np.integer | np.floating) and bool(isfinite(given) and given > 0)


def _bands(
    d: Floats, mean: Floats, flat: Bools, level: float, chance: Resampling, workers: int | None
) -> tuple[Floats, Floats, Floats, Floats]:
    """Lower and upper ends at each rank, then over all ranks; NaN where topics do not vary."""
    from scipy.special import stdtrit

    n = len(d)
    error = np.where(flat, np.nan, standard_error(d, mean))
    here = float(stdtrit(n - 1, (1 + level) / 2)) * error
    if flat.all():
        return mean - here, mean + here, mean - here, mean + here
    everywhere = simultaneous_reach(d[:, ~flat], level, chance=chance, workers=workers) * error
    return mean - here, mean + here, mean - everywhere, mean + everywhere


def _band(lower: float, upper: float) -> str:
    return "-" if lower != lower else bounds(lower, upper)


def _plain(values: Floats) -> list[float | None]:
    """Numbers, None for what is none or not finite: JSON knows neither."""
    return [v if isfinite(v) else None for v in values.tolist()]


def _ranges(ranks: tuple[int, ...]) -> str:
    """Ranks in few words.

    >>> _ranges((1, 2, 3, 7))
    '1 to 3, 7'
    """
    parts: list[list[int]] = []
    for rank in ranks:
        if parts and rank == parts[-1][-1] + 1:
            parts[-1].append(rank)
        else:
            parts.append([rank])
    return ", ".join(f"{p[0]}" if len(p) == 1 else f"{p[0]} to {p[-1]}" for p in parts)
