"""MaxT and closed testing: the largest of several paired t statistics, under permutation within topics."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rankscope import kernels
from rankscope.arrays import Bools, Floats, Ints
from rankscope.errors import InputError
from rankscope.kernels.cpu import products
from rankscope.parallel import Client
from rankscope.statistics.draws.canonical_order import canonical_order
from rankscope.statistics.draws.resampling import Resampling, over_blocks, resampling_of
from rankscope.statistics.equality import STATISTIC, difference
from rankscope.statistics.families.comparisons import Comparisons, baseline_of, named, pairs_of, pairs_with
from rankscope.statistics.pairs.difference_tests import t_tests
from rankscope.statistics.score_arrays import score_matrix

CLOSED = 6  # systems up to which closed testing is offered: 203 partitions
_ROOM = 1 << 19  # elements of an intermediate array


def max_t(
    matrix: ArrayLike,
    *,
    baseline: str | int | None = None,
    resampling: Resampling | None = None,
    systems: Sequence[str] | None = None,
    workers: int | None = None,
    client: Client = None,
) -> Comparisons:
    """Single-step MaxT (Westfall and Young 1993): each |t| against the largest |t| of the family under permutation.

    matrix is topics x systems. Scores are permuted within every topic and t is computed anew. The family is all pairs,
    or with a baseline (a name or a number) every other system against it.
    """
    family = _TestedFamily.of(matrix, baseline, resampling, systems, workers, client)
    rows = _sorted_rows(family.scores)
    first, second = (family.first, family.second) if baseline is None else pairs_with(0, rows.shape[1])
    largest = np.concatenate(
        list(family.over(rows, lambda shares: shares.max(axis=1), family.resampling.seed, first, second))
    )
    reached = np.searchsorted(np.sort(largest), _floor(family.share))
    return family.result("single-step MaxT", family.resampling.pvalue(len(largest) - reached))


def step_down_max_t(
    matrix: ArrayLike,
    *,
    baseline: str | int | None = None,
    resampling: Resampling | None = None,
    systems: Sequence[str] | None = None,
    workers: int | None = None,
    client: Client = None,
) -> Comparisons:
    """Step-down MaxT (Westfall and Young 1993), as Boytsov, Belova and Westfall (2013) used it in retrieval.

    Each |t| is compared with the largest among itself and the smaller ones only, and no p value is below that of a
    larger |t|. Never larger than `max_t` up to the permutations drawn. Against a baseline it agrees closely with
    `closed_testing`; for all pairs the closed test is the one whose error rate holds whichever pairs truly differ.
    """
    family = _TestedFamily.of(matrix, baseline, resampling, systems, workers, client)
    rows = _sorted_rows(family.scores)
    # which column stands for which system matters here
    column = np.argsort(canonical_order(family.scores)[1])
    order = np.argsort(family.share, kind="stable")
    first, second, share = column[family.first][order], column[family.second][order], family.share[order]
    floor = _floor(share)

    def reached(shares: Floats) -> Ints:
        running = np.maximum.accumulate(shares, axis=1)
        count: Ints = np.count_nonzero(running >= floor, axis=0)
        return count

    count = np.sum(list(family.over(rows, reached, family.resampling.seed, first, second)), axis=0)
    # statistics equal on paper share the larger count, in whatever order they were sorted
    new = np.concatenate([[True], np.diff(share) > share[1:] - floor[1:]])
    count = np.maximum.reduceat(count, np.flatnonzero(new))[np.cumsum(new) - 1]
    pvalue = np.empty(len(order))
    pvalue[order] = np.maximum.accumulate(family.resampling.pvalue(count)[::-1])[::-1]
    return family.result("step-down MaxT", pvalue)


def closed_testing(
    matrix: ArrayLike,
    *,
    baseline: str | int | None = None,
    resampling: Resampling | None = None,
    systems: Sequence[str] | None = None,
    workers: int | None = None,
    client: Client = None,
) -> Comparisons:
    """Closed testing (Marcus, Peritz and Gabriel 1976) with the largest |t|, as in Boytsov, Belova and Westfall (2013).

    A pair's p value is the largest among all hypotheses that imply the pair is equal: with a baseline, every set of
    systems equal to it; for all pairs, every division of the systems into groups of equals. Each is tested by permuting
    only among those it says are equal. For at most 6 systems.
    """
    family = _TestedFamily.of(matrix, baseline, resampling, systems, workers, client)
    count = family.scores.shape[1]
    if count > CLOSED:
        raise InputError(
            f"closed testing of {count} systems", f"at most {CLOSED}; use step_down_max_t or randomised_hsd"
        )
    base = None if baseline is None else baseline_of(baseline, family.systems)
    hypotheses = [[g for g in part if len(g) > 1] for part in _hypotheses(count, base)]
    groups = {g: _Group.of(family, g) for g in {g for part in hypotheses for g in part}}
    drawn: dict[tuple[bytes, int], Floats] = {}

    def largest(group: _Group, time: int) -> Floats:
        """The largest |t| within a group of equals, by trial: drawn by the group's scores, and anew for each group."""
        which = group.digest, time
        if which not in drawn:
            number = int.from_bytes(group.digest[:7], "big")
            keys = kernels.draw_keys(family.resampling.seed, np.array([number]), np.array([time]))
            size = group.rows.shape[1]
            pairs = pairs_of(size) if base is None else pairs_with(0, size)
            parts = family.over(group.rows, lambda shares: shares.max(axis=1), int(keys[0]), *pairs)
            drawn[which] = np.concatenate(list(parts))
        return drawn[which]

    pvalue = np.zeros(len(family.first))
    for part in hypotheses:
        equal = [groups[g] for g in part]
        implied = np.logical_or.reduce([g.pairs for g in equal])
        floor = _floor(family.share[implied].max(keepdims=True))
        taken = [g.digest for g in equal]
        null = np.maximum.reduce([largest(g, 1 + taken[:i].count(g.digest)) for i, g in enumerate(equal)])
        p = family.resampling.pvalue(np.array([np.count_nonzero(null >= floor)]))[0]
        pvalue[implied] = np.maximum(pvalue[implied], p)
    return family.result("closed testing with MaxT", pvalue)


@dataclass(frozen=True, slots=True)
class _TestedFamily:
    """Scores, the family of pairs, and the statistic of each as share = (sum d)^2 / sum d^2 of its differences d.

    With n topics t^2 = (n - 1) share / (n - share), so the share orders as |t| does, and it is never infinite.
    """

    scores: Floats
    systems: tuple[str, ...]
    first: Ints
    second: Ints
    share: Floats
    resampling: Resampling
    baseline: str | None
    workers: int | None
    client: Client

    @classmethod
    def of(
        cls,
        matrix: ArrayLike,
        baseline: str | int | None,
        resampling: Resampling | None,
        systems: Sequence[str] | None,
        workers: int | None,
        client: Client,
    ) -> _TestedFamily:
        scores = score_matrix(matrix, systems=systems)
        names = named(systems, scores.shape[1])
        base = None if baseline is None else baseline_of(baseline, names)
        first, second = pairs_of(len(names)) if base is None else pairs_with(base, len(names))
        d, _ = difference(scores[:, first], scores[:, second])
        squares = np.square(d).sum(axis=0)
        share = np.divide(np.square(d.sum(axis=0)), squares, out=np.zeros(len(squares)), where=squares > 0)
        base_name = None if base is None else names[base]
        return cls(scores, names, first, second, share, resampling_of(resampling), base_name, workers, client)

    def over(
        self,
        rows: Floats,
        use: Callable[[Floats], Any],
        seed: int,
        first: Ints,
        second: Ints,
    ) -> Iterator[Any]:
        """Results of use() on the shares (trials, pairs) of each block of permutations."""
        topics, count = rows.shape
        spread = np.square(rows).sum(axis=0).max()
        ones = np.ones(topics)

        def block(part: tuple[int, int]) -> Any:
            x = kernels.shuffled(rows, seed, *part)
            sums = ones @ x  # as .sum(axis=1), which is slow over a middle axis
            gram = products(x.transpose(0, 2, 1), x)
            own = np.diagonal(gram, axis1=1, axis2=2)
            d = sums[:, first] - sums[:, second]
            squares = own[:, first] + own[:, second] - 2 * gram[:, first, second]
            # own + own - 2 gram is 0 to within the rounding of its terms, which `spread` bounds
            return use(np.divide(d * d, squares, out=np.zeros_like(d), where=squares > 1e-13 * spread))

        size = max(1, _ROOM // max(topics * count, count * count, 1))
        return over_blocks(block, self.resampling, size, self.workers, self.client)

    def result(self, method: str, pvalue: Floats) -> Comparisons:
        d, errors = difference(self.scores[:, self.first], self.scores[:, self.second])
        return Comparisons(
            systems=self.systems,
            method=method,
            n_topics=len(d),
            location=self.scores.mean(axis=0),
            first=self.first,
            second=self.second,
            difference=d.mean(axis=0),
            pvalue=pvalue,
            statistic=t_tests(d.T, errors=errors.T).statistic,
            resampling=self.resampling,
            baseline=self.baseline,
        )


@dataclass(frozen=True, slots=True)
class _Group:
    """Systems said to be equal: their scores, in an order of their own, a name for these, and their pairs."""

    rows: Floats
    digest: bytes
    pairs: Bools

    @classmethod
    def of(cls, family: _TestedFamily, group: tuple[int, ...]) -> _Group:
        rows = _sorted_rows(family.scores[:, group])
        digest = blake2b(rows.tobytes(), digest_size=7).digest() + bytes([len(group)])
        return cls(rows, digest, np.isin(family.first, group) & np.isin(family.second, group))


def _floor(share: Floats) -> Floats:
    """Least statistic that counts as being as large."""
    return share * (1 - STATISTIC) - STATISTIC


def _sorted_rows(scores: Floats) -> Floats:
    """Scores of each topic sorted and about their mean, topics in order: the same however systems were given."""
    rows = np.sort(scores, axis=1)
    rows = rows[np.lexsort(rows.T[::-1])]
    return rows - rows.mean(axis=1, keepdims=True) + 0.0


def _hypotheses(count: int, baseline: int | None) -> Iterator[list[tuple[int, ...]]]:
    """Groups of equals: with a baseline one group that has it, else every division of the systems."""
    if baseline is None:
        yield from (groups for groups in _partitions(tuple(range(count))) if any(len(g) > 1 for g in groups))
        return
    others = [s for s in range(count) if s != baseline]
    for mask in range(1, 1 << len(others)):
        yield [(baseline, *(s for i, s in enumerate(others) if mask >> i & 1))]


def _partitions(items: tuple[int, ...]) -> Iterator[list[tuple[int, ...]]]:
    if not items:
        yield []
        return
    head, tail = items[0], items[1:]
    for mask in range(1 << len(tail)):
        group = (head, *(s for i, s in enumerate(tail) if mask >> i & 1))
        for groups in _partitions(tuple(s for s in tail if s not in group)):
            yield [group, *groups]
