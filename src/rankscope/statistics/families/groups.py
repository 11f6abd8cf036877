"""Groups of systems that cannot be told apart, and intervals for their ranks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count as counting
from itertools import islice, product
from string import ascii_letters, ascii_lowercase
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rankscope import arguments
from rankscope.arrays import Bools, Floats
from rankscope.errors import InputError, plural
from rankscope.parallel import Client
from rankscope.results import Result
from rankscope.statistics.draws.canonical_order import canonical_order
from rankscope.statistics.draws.exact_sums import FixedPoint
from rankscope.statistics.draws.resampling import Resampling, over_blocks, resampling_of
from rankscope.statistics.equality import error, midranks
from rankscope.statistics.families.comparisons import Comparisons, named
from rankscope.statistics.score_arrays import score_matrix

_ROOM = 1 << 21  # elements of an intermediate array


@dataclass(frozen=True, slots=True, kw_only=True)
class Letters(Result):
    """A compact letter display: two systems share a letter exactly where they cannot be told apart at alpha.

    `systems` are in the order given, `groups` from the best to the last, each with its members in ranked order.
    """

    method: str
    alpha: float
    systems: tuple[str, ...]
    letters: tuple[str, ...]
    groups: tuple[tuple[str, ...], ...]
    ranked: tuple[int, ...]

    def columns(self) -> dict[str, list[Any]]:
        """One row per system, from the best to the last: its letters."""
        return {
            "system": [self.systems[s] for s in self.ranked],
            "letters": [self.letters[s] for s in self.ranked],
        }

    def heading(self) -> str:
        return f"{self.method}; alpha {self.alpha:.4g}"


def letters(
    comparisons: Comparisons | ArrayLike,
    alpha: float = 0.05,
    *,
    location: ArrayLike | None = None,
    systems: Sequence[str] | None = None,
) -> Letters:
    """Letters for groups that cannot be told apart: systems that share one have p >= alpha, others p < alpha.

    comparisons is a result over all pairs, or a symmetric matrix of p values; with a matrix, `location` (means, or mean
    ranks) says which systems come first. The idea is Piepho's (2004). Groups are as large as they can be and none is
    given whose pairs all share another letter. Letters are a to z, A to Z; where these do not do, words apart: a, b,
    ..., z, aa, ab, ...
    """
    arguments.alpha(alpha)
    pvalue, place, names, method = _compared(comparisons, location, systems)
    ranked = np.argsort(-place, kind="stable")
    groups = _cover((pvalue >= alpha)[np.ix_(ranked, ranked)])
    words = _words(len(groups))
    apart = "" if len(groups) <= len(ascii_letters) else " "
    words_of: list[list[str]] = [[] for _ in names]
    for word, group in zip(words, groups, strict=True):
        for at in group:
            words_of[ranked[at]].append(word)
    return Letters(
        method=method,
        alpha=alpha,
        systems=names,
        letters=tuple(map(apart.join, words_of)),
        groups=tuple(tuple(names[ranked[at]] for at in group) for group in groups),
        ranked=tuple(ranked.tolist()),
    )


def parted(words: Sequence[str]) -> list[list[str]]:
    """The letters of each system one by one; they are apart where one has several characters.

    >>> parted(["ab", "b"]), parted(["a aa", "b"])
    ([['a', 'b'], ['b']], [['a', 'aa'], ['b']])
    """
    apart = any(" " in word for word in words)
    return [word.split() if apart else list(word) for word in words]


def joined(words: Sequence[Sequence[str]]) -> list[str]:
    """The letters of each system as one text, as `parted` takes them.

    >>> joined([["a", "b"], ["b"]]), joined([["a", "aa"], ["b"]])
    (['ab', 'b'], ['a aa', 'b'])
    """
    apart = " " if any(len(word) > 1 for own in words for word in own) else ""
    return [apart.join(own) for own in words]


def among(words: Sequence[Sequence[str]], count: int) -> list[list[str]]:
    """Letters of the first systems, given anew for groups of these alone.

    Two share a letter exactly where they did. Groups of more systems leave gaps that others cause, which are not drawn.

    >>> among([["a"], ["a", "b"], ["b", "c"], ["c"]], 3)
    [['a'], ['a', 'b'], ['b']]
    """
    if count in (1, len(words)):
        return [list(own) for own in words[:count]]
    alike = [[float(not {*own}.isdisjoint(other)) for other in words[:count]] for own in words[:count]]
    return parted(letters(alike, 0.5, location=-np.arange(count)).letters)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RankIntervals(Result):
    """Intervals of the ranks of systems, in the order given; rank 1 has the highest mean.

    `rank` is the rank seen, shared by systems that tie; `simultaneous` says whether all intervals hold at once.
    """

    method: str
    n_topics: int
    level: float
    simultaneous: bool
    systems: tuple[str, ...]
    rank: Floats
    lower: Floats
    upper: Floats
    resampling: Resampling | None

    def columns(self) -> dict[str, list[Any]]:
        """One row per system, from the best to the last."""
        order = np.argsort(self.rank, kind="stable")
        return {
            "system": [self.systems[s] for s in order.tolist()],
            "rank": self.rank[order].tolist(),
            "lower": self.lower[order].tolist(),
            "upper": self.upper[order].tolist(),
        }

    def heading(self) -> str:
        each = "all at once" if self.simultaneous else "each by itself"
        drawn = self.resampling
        how = "" if drawn is None else f"; {plural(drawn.resamples, 'resample')}, seed {drawn.seed}"
        return f"{self.method}; {plural(self.n_topics, 'topic')}; level {self.level:.4g}, {each}{how}"

    def table(self) -> tuple[list[str], list[list[str]]]:
        columns = self.columns()
        rows = [[c if isinstance(c, str) else f"{c:g}" for c in row] for row in zip(*columns.values(), strict=True)]
        return list(columns), rows


def rank_intervals(comparisons: Comparisons, alpha: float = 0.05) -> RankIntervals:
    """Intervals for all ranks at once, from comparisons of all pairs that hold at once.

    A system's rank is at least 1 + the number that are better at alpha, and at most the number of systems less those
    that are worse: Mogstad, Romano, Shaikh and Wilhelm (2024). The comparisons must control the family-wise error
    (Tukey's, randomised HSD, MaxT, closed testing).
    """
    arguments.alpha(alpha)
    if not comparisons.corrected:
        raise InputError("the p values are not corrected for the number of pairs", "pass adjust(comparisons, 'holm')")
    differs = comparisons.matrix() < alpha
    place = comparisons.location
    above = place[None, :] > place[:, None]
    count = len(place)
    return RankIntervals(
        method=f"ranks from {comparisons.method}",
        n_topics=comparisons.n_topics,
        level=1 - alpha,
        simultaneous=True,
        systems=comparisons.systems,
        rank=midranks(-place[None, :])[0][0],
        lower=1.0 + (differs & above).sum(axis=1),
        upper=count - (differs & above.T).sum(axis=1).astype(np.float64),
        resampling=None,
    )


def unsettled(comparisons: Comparisons, alpha: float) -> list[tuple[int, int]]:
    """Pairs whose p value, drawn by chance, is so close to alpha that more resamples could put it on the other side.

    Wilson's (1927) 99 % interval of the p value holds alpha. None where nothing was drawn.
    """
    arguments.alpha(alpha)
    if comparisons.resampling is None:
        return []
    reach = 2.5758293035489004 * np.sqrt(alpha * (1 - alpha) / comparisons.resampling.resamples)
    close = np.abs(comparisons.pvalue - alpha) <= reach
    return list(zip(comparisons.first[close].tolist(), comparisons.second[close].tolist(), strict=True))


def bootstrap_rank_intervals(
    matrix: ArrayLike,
    *,
    resampling: Resampling | None = None,
    level: float = 0.95,
    systems: Sequence[str] | None = None,
    workers: int | None = None,
    client: Client = None,
) -> RankIntervals:
    """Percentile intervals for the rank of each system by mean, over topics drawn with replacement (Efron 1979).

    matrix is topics x systems. Each interval stands by itself; where systems are close they are too short more often
    than the level says, and `rank_intervals` is the safe choice. Systems that tie in a resample share their mean rank.
    """
    scores = score_matrix(matrix, systems=systems)
    arguments.level(level)
    resampling = resampling_of(resampling)
    seed, sums_of = resampling.seed, resampling.kernels.drawn_sums
    topics, count = scores.shape
    fixed = FixedPoint.of(scores, 2 * topics, integers=True, finest=50, errors=topics * error(scores).max(axis=0))
    units = fixed.units[canonical_order(fixed.units, systems)[0]]

    def block(part: tuple[int, int]) -> Floats:
        return midranks(-sums_of(units, seed, *part), fixed.slack / 2)[0]

    room = _ROOM // max(topics, count)
    size = resampling.kernels.block(room, topics * count, 8 * count)  # the ranks themselves are found on the processors
    ranks = np.concatenate(list(over_blocks(block, resampling, size, workers, client)))
    tails = (1 - level) / 2
    lower, upper = np.quantile(ranks, [tails, 1 - tails], axis=0, method="inverted_cdf")
    return RankIntervals(
        method="ranks by bootstrap over topics",
        n_topics=topics,
        level=level,
        simultaneous=False,
        systems=named(systems, count),
        rank=midranks(-fixed.units.sum(axis=0)[None, :], fixed.slack / 2)[0][0],
        lower=lower,
        upper=upper,
        resampling=resampling,
    )


def _compared(
    comparisons: Comparisons | ArrayLike, location: ArrayLike | None, systems: Sequence[str] | None
) -> tuple[Floats, Floats, tuple[str, ...], str]:
    """p values, places, names and method of a result or of a bare matrix."""
    if isinstance(comparisons, Comparisons):
        return comparisons.matrix(), comparisons.location, comparisons.systems, comparisons.method
    pvalue = np.asarray(comparisons, np.float64)
    if pvalue.ndim != 2 or pvalue.shape[0] != pvalue.shape[1]:
        raise InputError(f"p values have shape {pvalue.shape}", "give a matrix of systems x systems")
    count = len(pvalue)
    beside = pvalue[~np.eye(count, dtype=np.bool_)]
    if not ((beside >= 0) & (beside <= 1)).all():
        raise InputError("a p value is not between 0 and 1", "give every pair of systems a p value")
    if not np.array_equal(np.triu(pvalue, 1), np.tril(pvalue, -1).T):
        raise InputError("the p values are not symmetric", "give a pair the same p value both ways")
    place = -np.arange(count, dtype=np.float64) if location is None else np.asarray(location, np.float64)
    if place.shape != (count,) or (systems is not None and len(systems) != count):
        raise InputError(f"places or names do not fit {count} systems", "give one per system")
    pvalue = pvalue.copy()
    np.fill_diagonal(pvalue, 1.0)
    return pvalue, place, named(systems, count), "p values as given"


def _cover(alike: Bools) -> list[list[int]]:
    """Groups whose members are all alike, such that each pair that is alike is together somewhere."""
    uncovered = np.triu(alike, 1)
    grouped = np.zeros(len(alike), np.bool_)
    groups: list[list[int]] = []
    for i in range(len(alike)):
        # the farthest first: a group that spans from i to j holds most of what lies between
        while (others := np.flatnonzero(uncovered[i])).size:
            group = _grown(alike, i, int(others[-1]))
            groups.append(group)
            grouped[group] = True
            uncovered[group] &= ~_mask(group, len(alike))
        if not grouped[i]:
            groups.append([i])
    return _needed(sorted(groups), len(alike))


def _grown(alike: Bools, low: int, high: int) -> list[int]:
    """The two with everything that is alike to all of the group, those between them first, then the nearest."""
    group, fits = [low, high], alike[low] & alike[high]
    candidates = np.flatnonzero(fits).tolist()
    for s in sorted(candidates, key=lambda s: (max(low - s, s - high, 0), s)):
        if s not in (low, high) and fits[s]:
            group.append(s)
            fits &= alike[s]
    return sorted(group)


def _needed(groups: list[list[int]], count: int) -> list[list[int]]:
    """Without groups whose every pair (or only member) is together in another."""
    shared = np.zeros((count, count), np.int32)
    for group in groups:
        shared[group] += _mask(group, count)
    kept = []
    for group in sorted(groups, key=lambda g: (len(g), g)):
        inside = _mask(group, count)
        if ((shared[group] > 1) | ~inside).all():
            shared[group] -= inside
        else:
            kept.append(group)
    return sorted(kept)


def _mask(group: list[int], count: int) -> Bools:
    """Whether each of so many is a member."""
    mask = np.zeros(count, np.bool_)
    mask[group] = True
    return mask


def _words(count: int) -> list[str]:
    if count <= len(ascii_letters):
        return list(ascii_letters[:count])
    endless = ("".join(word) for length in counting(1) for word in product(ascii_lowercase, repeat=length))
    return list(islice(endless, count))
