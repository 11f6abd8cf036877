"""Halves of the topics: how alike they order the systems, and how often one turns a pair around."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations, islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rankscope.arrays import Floats, Ints
from rankscope.errors import InputError
from rankscope.kernels import draw_keys
from rankscope.kernels.cpu import half_means, halves, products, together
from rankscope.parallel import Client
from rankscope.results import Result
from rankscope.statistics.correlations.kendall import ROWS, tau_b, taus_of_rows, threads_for, warn_of_ties
from rankscope.statistics.draws.exact_sums import canonical_topics, summable
from rankscope.statistics.draws.resampling import Resampling, over_blocks, resampling_of
from rankscope.statistics.equality import PRECISION, difference
from rankscope.statistics.pairs.saddlepoint import LARGE
from rankscope.statistics.score_arrays import score_matrix

MOST_SPLITS = 200_000
GROUPS = 1000  # of topics that are left out together where there are more than `LARGE`
_CELLS = 1 << 22  # trials times topics that are drawn at a time, by a thread: some 100 MB
EDGES = tuple(hundredth / 100 for hundredth in range(21))


class Halves(NamedTuple):
    """Mean scores on two halves of the topics, trials x systems each."""

    first: Floats
    second: Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitConsistency(Result):
    """tau-b between the orders of the systems on two halves of the topics, over many splits."""

    mean: float
    lowest: float
    highest: float
    n_splits: int
    undefined: int  # splits on which a half ties all systems; left out
    resampling: Resampling | None  # None: every split there is
    taus: Floats = field(repr=False)

    def heading(self) -> str:
        return "all splits" if self.resampling is None else f"random splits, seed {self.resampling.seed}"


@dataclass(frozen=True, slots=True, kw_only=True)
class SwapRates(Result):
    """Swap rates: share of pairs of systems that the second half of topics reverses, by the difference on the first.

    Bin i holds differences from edges[i] up to, and without, edges[i + 1]; the last has no end.
    """

    edges: Floats
    pairs: Ints  # of systems, over all splits
    swaps: Ints  # the order turned around
    ties: Ints  # no difference on the second half
    n_topics: int  # in a half
    resampling: Resampling

    @property
    def rates(self) -> Floats:
        """Swaps / pairs; NaN where no pair fell into the bin."""
        return np.divide(self.swaps, self.pairs, out=np.full(len(self.pairs), np.nan), where=self.pairs > 0)

    @property
    def overall(self) -> float:
        return float(self.swaps.sum() / self.pairs.sum())

    def needed(self, rate: float = 0.05) -> float | None:
        """The smallest edge from which on every bin swaps at most at this rate, or None."""
        wrong = np.flatnonzero(self.rates > rate)
        first = 0 if not len(wrong) else int(wrong[-1]) + 1
        return float(self.edges[first]) if first < len(self.edges) and self.pairs[first:].any() else None

    def columns(self) -> dict[str, list[Any]]:
        """One row per bin: the difference from which it holds pairs, pairs, swaps, ties and the rate of swaps."""
        return {
            "difference": self.edges.tolist(), "pairs": self.pairs.tolist(), "swaps": self.swaps.tolist(),
            "ties": self.ties.tolist(), "rate": self.rates.tolist(),
        }  # fmt: skip


def split_halves(
    matrix: ArrayLike,
    *,
    resampling: Resampling,
    aligned: bool = False,
    workers: int | None = None,
    client: Client = None,
) -> Halves:
    """Mean scores of the systems on two random halves of the topics, for each trial.

    The first half has floor(n / 2) of the n topics. Topics are put into an order of their own first, so the halves
    do not depend on the order they come in. `aligned` leaves them as they are, so that matrices of the same topics
    share their halves.
    """
    scores, resampling = score_matrix(matrix), resampling_of(resampling)
    values = summable(scores if aligned else canonical_topics(scores)[0])

    def block(part: tuple[int, int]) -> Halves:
        return Halves(*half_means(values, halves(resampling.seed, *part, len(values))))

    threads = threads_for(workers, resampling.resamples, values.shape[1] // 2)
    blocks = list(over_blocks(block, resampling, _rows(len(values)), threads, client))
    return Halves(np.concatenate([b.first for b in blocks]), np.concatenate([b.second for b in blocks]))


def consistency(
    matrix: ArrayLike,
    *,
    resampling: Resampling | None = None,
    workers: int | None = None,
    client: Client = None,
) -> SplitConsistency:
    """Mean tau-b between the orders of the systems on two halves of the topics.

    Without chance, over all C(n, floor(n / 2)) splits, as long as there are at most 200,000 of them (20 topics).
    """
    values = summable(*canonical_topics(score_matrix(matrix)))
    topics = len(values)

    if resampling is None:
        count = math.comb(topics, topics // 2)
        if count > MOST_SPLITS:
            raise InputError(f"{topics} topics have {count} splits", "pass resampling=Resampling(...) to draw some")
        split_taus = np.concatenate([taus_of_rows(*half_means(values, half)) for half in _all_halves(topics)])
    else:
        drawn = resampling_of(resampling)
        systems = values.shape[1] // 2
        size = drawn.kernels.block(_rows(topics), values.size, sum(values.shape))
        counts, seed = drawn.kernels.halved_concordance, drawn.seed

        def block(part: tuple[int, int]) -> Floats:
            return tau_b(counts(values, PRECISION, seed, *part), systems)

        threads = threads_for(workers, drawn.resamples, systems)
        split_taus = np.concatenate(list(over_blocks(block, drawn, size, threads, client)))
    defined = split_taus[~np.isnan(split_taus)]
    undefined = len(split_taus) - len(defined)
    warn_of_ties(undefined, len(split_taus), "splits")
    if not len(defined):
        raise InputError("no split orders the systems", "give systems that differ")
    return SplitConsistency(
        mean=float(defined.mean()),
        lowest=float(defined.min()),
        highest=float(defined.max()),
        n_splits=len(split_taus),
        undefined=undefined,
        resampling=resampling,
        taus=split_taus,
    )


def leave_one_out(
    matrix: ArrayLike,
    *,
    resampling: Resampling,
    aligned: bool = False,
    groups: int | None = None,
    workers: int | None = None,
    client: Client = None,
) -> tuple[float, Floats]:
    """Mean tau-b between two halves of the topics, and by how much each topic that is left out changes it.

    groups  leave out so many random groups of topics in turn; None for single topics, and for 1,000 groups where there
            are more than 10,000 topics

    The jackknife: for statistics that do not depend on the order of the topics, n - 1 times the mean square of the
    changes about their mean is, on average, at least the variance over samples of topics (Efron and Stein, "The
    jackknife estimate of variance", 1981). A topic is taken out of the larger half, so that what is left are two halves
    again, and the change is that of the same split; splits on which either tau is undefined are left out. A group is
    taken out of both halves; groups are as good as topics to the argument of Efron and Stein, and the changes are those
    of groups then (Wolter, *Introduction to Variance Estimation*, 2007, section 4.2).
    """
    scores, resampling = score_matrix(matrix), resampling_of(resampling)
    values = summable(scores if aligned else canonical_topics(scores)[0])
    topics = len(values)
    members = _groups(topics, resampling, groups_left_out(topics) if groups is None else groups)

    def block(part: tuple[int, int]) -> tuple[Floats, Floats, Ints]:
        half = halves(resampling.seed, *part, topics)
        total, count = np.zeros(len(members)), np.zeros(len(members), np.int64)
        first = products(half, values)
        second = values.sum(axis=0) - first
        split_taus = taus_of_rows(together(first) / (topics // 2), together(second) / (topics - topics // 2))
        for group, rows in enumerate(members):
            change = _without(half, values, first, second, rows) - split_taus
            change = change[~np.isnan(change)]
            count[group] = len(change)
            total[group] = np.append(0.0, change).cumsum()[-1]  # one split after the other
        return split_taus, total, count

    threads = threads_for(workers, resampling.resamples * len(members) // 2, values.shape[1] // 2)
    blocks = list(over_blocks(block, resampling, _rows(topics), threads, client))
    split_taus = np.concatenate([block_taus for block_taus, _, _ in blocks])
    total, count = (np.sum([block[i] for block in blocks], axis=0) for i in (1, 2))
    changes = np.divide(total, count, out=np.full(len(members), np.nan), where=count > 0)
    some = split_taus[~np.isnan(split_taus)]
    return (float(some.mean()) if len(some) else float("nan")), changes


def groups_left_out(topics: int) -> int:
    """Number of groups of topics that `leave_one_out` leaves out in turn: one for each topic, as far as that goes."""
    return topics if topics <= LARGE else GROUPS


def _groups(topics: int, resampling: Resampling, count: int) -> list[Ints]:
    """Random groups of topics, whose sizes differ by one at most; or single topics, in their order."""
    if count >= topics:
        return [np.array([topic]) for topic in range(topics)]
    unused = np.array([[resampling.resamples]])  # a number that no split has
    order = np.argsort(draw_keys(resampling.seed, unused, np.arange(topics))[0])
    return [np.sort(order[group::count]) for group in range(count)]


def _without(half: Floats, values: Floats, first: Floats, second: Floats, group: Ints) -> Floats:
    """tau-b of each split without a group of topics; NaN where a single topic is not in the larger half.

    first, second  sums of the values over the halves
    """
    topics, out = len(values), half[:, group]
    if len(group) == 1:
        rows = np.flatnonzero(out[:, 0] == 0)
        taus = np.full(len(half), np.nan)
        left = together(second[rows] - values[group]) / (topics - topics // 2 - 1)
        taus[rows] = taus_of_rows(together(first[rows]) / (topics // 2), left)
        return taus
    sums, count = products(out, values[group]), out.sum(axis=1, keepdims=True)
    rest = values[group].sum(axis=0) - sums
    n_first, n_second = topics // 2 - count, topics - topics // 2 - (len(group) - count)
    return taus_of_rows(together(first - sums) / n_first, together(second - rest) / n_second)


def _rows(topics: int) -> int:
    """Splits that are drawn at a time: as many as fit."""
    return max(1, min(ROWS, _CELLS // topics))


def swap_rate(
    matrix: ArrayLike,
    *,
    resampling: Resampling,
    edges: Sequence[float] = EDGES,
    workers: int | None = None,
    client: Client = None,
) -> SwapRates:
    """Rate at which two halves of the topics order two systems differently, by the difference on the first half.

    Voorhees and Buckley (SIGIR 2002), in bins of 0.01 as there; pairs without a difference on the first half have no
    order to turn around and are left out. `SwapRates.needed` is the difference from which swaps stay rare.
    """
    values, resampling = summable(*canonical_topics(score_matrix(matrix))), resampling_of(resampling)
    bounds = np.asarray(edges, np.float64)
    if bounds.ndim != 1 or not len(bounds) or not (bounds[0] >= 0 and (np.diff(bounds) > 0).all()):
        raise InputError(f"edges={edges!r}", "edges ascend from 0 or more")
    i, j = np.tril_indices(values.shape[1] // 2, -1)

    def block(part: tuple[int, int]) -> Ints:
        means = half_means(values, halves(resampling.seed, *part, len(values)))
        (first, error), (second, _) = (difference(m[:, i], m[:, j]) for m in means)
        ordered = (first != 0) & (np.abs(first) >= bounds[0] - error)
        place = np.searchsorted(bounds, np.abs(first[ordered]) + error[ordered], "right") - 1
        tied = second[ordered] == 0
        swapped = np.sign(first[ordered]) * np.sign(second[ordered]) < 0
        size = len(bounds)
        return np.stack([np.bincount(place[chosen], minlength=size) for chosen in (slice(None), swapped, tied)])

    rows = max(1, min(2_000_000 // max(1, len(i)), _CELLS // len(values)))
    pairs, swaps, ties = sum(
        over_blocks(block, resampling, rows, workers, client), np.zeros((3, len(bounds)), np.int64)
    )
    if not pairs.sum():
        raise InputError(
            "no two systems differ by as much as the first edge", "give systems that differ, or more edges"
        )
    return SwapRates(
        edges=bounds, pairs=pairs, swaps=swaps, ties=ties, n_topics=len(values) // 2, resampling=resampling
    )


def _all_halves(topics: int) -> Iterator[Floats]:
    """Ones for the topics of the first half, block by block, for every split there is."""
    splits = combinations(range(topics), topics // 2)
    while block := list(islice(splits, 4096)):
        half = np.zeros((len(block), topics))
        half[np.arange(len(block))[:, None], np.array(block)] = 1.0
        yield half
