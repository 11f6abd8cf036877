"""Each method for all pairs of systems on all topics, in one call."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from rankscope import kernels
from rankscope.arguments import one_of
from rankscope.arrays import FIRST_GRADE, Codes, Floats, Ints
from rankscope.errors import InputError, did_you_mean, plural
from rankscope.formatting import probability, score
from rankscope.judged import Judged
from rankscope.kernels import A_AHEAD, B_AHEAD, Ranks
from rankscope.parallel import Client, check_workers, elsewhere, map_units, on
from rankscope.preferences.classes import EQUAL, LABELS, NON_SEPARABLE, Classes, favoured
from rankscope.preferences.gains import Gains
from rankscope.preferences.ordering import Ordering, ordering_for
from rankscope.preferences.recall_levels import relevant_from
from rankscope.preferences.rpp import Weights, check_weights, preference, weight_units
from rankscope.preferences.selection import SelectedLists, chosen, counted, depth_of
from rankscope.preferences.votes import PreferenceRanking, ranking
from rankscope.results import Result
from rankscope.statistics.draws.resampling import Resampling
from rankscope.statistics.equality import error
from rankscope.statistics.families.comparisons import pairs_of
from rankscope.statistics.families.randomised_hsd import RandomisedHSD, randomised_hsd_preferences
from rankscope.statistics.pairs.difference_tests import even_odds

Method: TypeAlias = Literal["ipso", "sgnLP", "rrLP", "lexirecall", "rpp"]
_ROWS = 1 << 20  # ranks that a block of topics may hold: it stays in the cache
_PARTS = 4  # blocks a worker, at least, so that none waits long for the others


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Preferences(Result):
    """Preferences between the two systems of each pair, on each topic.

    value    (pairs, topics) positive where the second system is preferred, negative where the first is
    classes  (pairs, topics) for IPSO: 0 where equal is not the same as 0 where non-separable; else None
    level    (pairs, topics) for lexiprecision and lexirecall: the recall level that decided, 0 for a tie; else None
    """

    method: str
    systems: tuple[str, ...]
    topics: tuple[str, ...]
    first: Ints
    second: Ints
    value: NDArray[Any]
    classes: Classes | None
    level: NDArray[Any] | None
    how: str
    depth: int
    left_out: int
    signature: str

    @property
    def ties(self) -> Ints:
        """(pairs) topics without a preference."""
        return np.count_nonzero(self.value == 0, axis=1)

    @property
    def counts(self) -> Ints:
        """(pairs, 4) for IPSO: topics of each class, in the order ==, ni, ns, **."""
        if self.classes is None:
            raise InputError(f"{self.method} has no classes", 'classes are those of "ipso"')
        return np.stack([np.count_nonzero(self.classes == c, axis=1) for c in range(len(LABELS))], axis=1)

    def between(self, a: str, b: str) -> NDArray[Any]:
        """(topics) preferences, positive for b."""
        i, j = (self._row(name) for name in (a, b))
        if i == j:
            return np.zeros_like(self.value[0]) if len(self.value) else np.zeros(len(self.topics))
        low, high = min(i, j), max(i, j)
        value = self.value[np.flatnonzero((self.first == low) & (self.second == high))[0]]
        return value if i < j else -value

    def square(self) -> Floats:
        """(topics, systems, systems) preferences [t, i, j] on topic t, positive for j."""
        count = len(self.systems)
        square = np.zeros((len(self.topics), count, count))
        square[:, self.first, self.second] = self.value.T
        square[:, self.second, self.first] = -self.value.T
        return square

    def scores(self) -> Floats:
        """(systems, topics) mean preference over all other systems: a score, for ANOVA."""
        return self._per_system(-self.value, self.value)

    def ranking(self, how: Literal["mean", "borda"] = "mean") -> PreferenceRanking:
        """The systems, best first, by mean preference or by Borda count; systems that tie share their ranks."""
        sizes = np.abs(self.value)  # of the terms: a mean near 0 is known no better than they are
        return ranking(self.scores(), error(self._per_system(sizes, sizes)), self.systems, how)

    def _per_system(self, of_first: Floats, of_second: Floats) -> Floats:
        """(systems, topics) mean over all pairs that a system is in."""
        total = np.zeros((len(self.systems), len(self.topics)))
        np.add.at(total, self.first, of_first)
        np.add.at(total, self.second, of_second)
        return np.asarray(total / max(1, len(self.systems) - 1))

    def hsd(
        self, *, resampling: Resampling | None = None, strict: bool = False, workers: int | None = None
    ) -> RandomisedHSD:
        """Randomised HSD on the preferences themselves (Diaz 2023, Table 4a): `randomised_hsd_preferences`."""
        return randomised_hsd_preferences(
            self.square(), resampling=resampling, systems=self.systems, strict=strict, workers=workers
        )

    def columns(self) -> dict[str, list[Any]]:
        """One row per pair."""
        for_first, for_second = (np.count_nonzero(side, axis=1) for side in (self.value < 0, self.value > 0))
        mean = self.value.mean(axis=1)
        sign = np.where(np.abs(mean) <= error(np.abs(self.value)).mean(axis=1), 0, mean)  # 0 but for rounding is 0
        pairs = zip(self.first.tolist(), self.second.tolist(), sign.tolist(), strict=True)
        return {
            "first": [self.systems[i] for i in self.first.tolist()],
            "second": [self.systems[j] for j in self.second.tolist()],
            "for_first": for_first.tolist(),
            "tied": self.ties.tolist(),
            "for_second": for_second.tolist(),
            "mean": mean.tolist(),
            "favours": [favoured([x], (self.systems[i], self.systems[j]))[0] for i, j, x in pairs],
            "pvalue": even_odds(for_second, for_first).tolist(),
        }

    def table(self) -> tuple[list[str], list[list[str]]]:
        columns = self.columns()
        del columns["favours"]
        shown = {**columns, "mean": map(score, columns["mean"]), "pvalue": map(probability, columns["pvalue"])}
        return [*list(columns)[:-1], "p"], [list(map(str, row)) for row in zip(*shown.values(), strict=True)]

    def heading(self) -> str:
        """Heading of the table: method, depth, topics and rule."""
        return f"{self.method} to depth {self.depth}; {counted(self.topics, self.left_out)}; {self.how}"

    def remarks(self) -> list[str]:
        """Remarks below the table: shares of ties."""
        tied = f"{_share(self.value == 0)} of all comparisons are ties"
        if self.classes is not None:
            equal, mixed = (_share(self.classes == c) for c in (EQUAL, NON_SEPARABLE))
            tied += f": {equal} are equal (==), {mixed} non-separable (**)"
        return [tied]

    def _row(self, name: str) -> int:
        if name not in self.systems:
            raise InputError(f"no system is named {name!r}", did_you_mean(name, self.systems))
        return self.systems.index(name)


def all_pairs(
    judged: Judged,
    method: Method = "ipso",
    *,
    systems: Sequence[str] | None = None,
    depth: int | None = None,
    gains: Gains = None,
    rel: float | None = None,
    weights: Weights = "uniform",
    graded: bool = False,
    workers: int | None = None,
    client: Client = None,
) -> Preferences:
    """Compare all pairs of systems on all topics.

    method   "ipso"; "sgnLP" and "rrLP" (lexiprecision); "lexirecall"; "rpp"
    systems  those to compare, in this order; all by default
    gains    for ipso, as there: "thresholds" by default
    rel      the lowest relevant grade; by default that of the collection
    weights, graded  for rpp, as there
    workers  threads; all processors by default
    client   a Dask cluster for the topics, where that is worth the way
    """
    one_of("method", method, get_args(Method))
    names = judged.systems if systems is None else tuple(systems)
    if len(names) < 2 or len(set(names)) < len(names):
        cause = f"{plural(len(names), 'system')}, {len(set(names))} of them different"
        raise InputError(cause, "name at least two, each once")
    check_weights(weights)
    own = ("gains", gains is not None, "ipso"), ("graded", graded, "rpp"), ("weights", weights != "uniform", "rpp")
    for option, chosen_otherwise, owner in own:
        if chosen_otherwise and method != owner:
            raise InputError(f"{option} has no effect on {method}", f'{option} goes with method="{owner}"')
    depth = depth_of(judged, depth)
    work = _Work(depth, check_workers(workers), client)
    if method == "ipso":
        order = ordering_for(judged, gains, rel, depth)
        lists = chosen(judged, names, depth, order.first)
        classes = _classes(work, lists, order)
        value: NDArray[Any] = (classes // B_AHEAD).view(np.int8) - (classes & A_AHEAD).view(np.int8)
        return _preferences(method, lists, value, order.words, order.mark, judged, depth, classes=classes.T)
    first, words, mark = relevant_from(judged, rel)
    lists = chosen(judged, names, depth, first)
    if method == "rpp":
        words += f", {weights} weights" + (", graded" if graded else "")
        mark += "|graded" * graded
        return _preferences(
            f"rpp ({weights})", lists, _paired(work, lists, first, weights, graded), words, mark, judged, depth
        )
    last, sized = method == "lexirecall", method == "rrLP"
    level, *difference = work.over(lists, first, lambda r, _: _levels(r, last=last, difference=sized))
    # kernels are positive for the first list: the sign is turned here, and in `_paired`
    value = 0.0 - difference[0] if sized else np.sign(-level).astype(np.int8)
    return _preferences(method, lists, value, words, mark, judged, depth, level=np.abs(level).T)


@dataclass(frozen=True, slots=True, eq=False)
class PairPreferences:
    """(topics) preferences between two systems by recall levels, from one pass over their lists; positive for b."""

    rpp: Floats
    sgn_lp: Floats
    rr_lp: Floats
    sgn_lr: Floats


def pair_preferences(
    judged: Judged, a: str, b: str, *, rel: float | None = None, workers: int | None = None
) -> PairPreferences:
    """`rpp`, `lexiprecision` and `lexirecall` of two systems on whole lists, their values alone."""
    depth = depth_of(judged, None)
    first, _, _ = relevant_from(judged, rel)
    lists = chosen(judged, (a, b), depth, first)

    def compare(ranks: Ranks, total: Ints) -> tuple[NDArray[Any], ...]:
        votes = preference([-kernels.pair_votes(ranks, None)], [total], "uniform")
        return votes, *_levels(ranks, last=False, difference=True), *_levels(ranks, last=True, difference=False)

    work = _Work(depth, check_workers(workers), None)
    votes, lp, difference, lr = (column[:, 0] for column in work.over(lists, first, compare))
    return PairPreferences(
        votes, np.sign(-lp).astype(np.float64), 0.0 - difference, np.sign(-lr).astype(np.float64)
    )  # kernels are positive for the first list


def _share(hit: NDArray[np.bool_]) -> str:
    return f"{100 * np.count_nonzero(hit) / max(1, hit.size):.2f} %"


def _classes(work: _Work, lists: SelectedLists, order: Ordering) -> Classes:
    """(topics, pairs) IPSO's classes."""
    gain = order.gain
    if gain is not None:
        (classes,) = work.over(
            lists, order.first, lambda r, _: (kernels.pair_classes_graded(r, gain.table),), codes=True
        )
        return classes

    rows = _Rows.of(lists, work.depth)

    def block(start: int, stop: int) -> tuple[NDArray[Any], ...]:
        judged = rows.available[start:stop].sum(axis=0)
        first, *higher = order.telling(np.concatenate([np.zeros(FIRST_GRADE, np.int64), judged]))
        classes = kernels.pair_classes(rows.ranks(first, start, stop))
        for first in higher:
            kernels.pair_classes(rows.ranks(first, start, stop), classes)
        return (classes,)

    (classes,) = work.by_block(lists, order.first, block)
    return classes


def _levels(ranks: Ranks, *, last: bool, difference: bool) -> tuple[NDArray[Any], ...]:
    level, apart = kernels.pair_levels(ranks, last=last, difference=difference)
    return (level,) if apart is None else (level, apart)


def _paired(work: _Work, lists: SelectedLists, first: int, weights: str, graded: bool) -> Floats:
    """(topics, pairs) recall-paired preferences, positive for the second list; the kernels' are for the first."""
    weight = None if weights == "uniform" else weight_units(weights, work.depth)
    if not graded:
        (value,) = work.over(
            lists, first, lambda r, total: (preference([-kernels.pair_votes(r, weight)], [total], weights),)
        )
        return value
    steps = range(first, lists.available.shape[1] + FIRST_GRADE) or [first]  # of no grade: one without a document
    votes = [work.over(lists, step, lambda r, _: (-kernels.pair_votes(r, weight),))[0] for step in steps]
    return preference(votes, [lists.available[:, step - FIRST_GRADE :].sum(axis=1) for step in steps], weights)


@dataclass(frozen=True, slots=True)
class _Rows:
    """Rows of codes and counts of judged documents that a block is computed from."""

    all_codes: Codes
    available: Ints
    depth: int

    @classmethod
    def of(cls, lists: SelectedLists, depth: int) -> _Rows:
        return cls(lists.all_codes, lists.available, depth)

    def total(self, first: int) -> Ints:
        """(topics) how many judged documents have a code from `first` on."""
        total: Ints = self.available[:, first - FIRST_GRADE :].sum(axis=1)
        return total

    def ranks(self, first: int, start: int, stop: int, *, codes: bool = False) -> Ranks:
        """Ranks of the codes from `first` on, of the topics from start to stop."""
        levels = min(self.depth, int(self.total(first)[start:stop].max(initial=0)))
        return kernels.relevant_ranks(self.all_codes, first, self.depth, levels, start, stop, codes=codes)


@dataclass(frozen=True, slots=True)
class _Work:
    """Topics by blocks, on threads."""

    depth: int
    workers: int
    client: Client

    def over(
        self,
        lists: SelectedLists,
        first: int,
        compare: Callable[[Ranks, Ints], tuple[NDArray[Any], ...]],
        *,
        codes: bool = False,
    ) -> list[NDArray[Any]]:
        """(topics, pairs) what compare() makes of the ranks of the codes from `first` on, and of how many there are."""
        rows = _Rows.of(lists, self.depth)

        def block(start: int, stop: int) -> tuple[NDArray[Any], ...]:
            return compare(rows.ranks(first, start, stop, codes=codes), rows.total(first)[start:stop])

        return self.by_block(lists, first, block)

    def by_block(
        self, lists: SelectedLists, first: int, block: Callable[[int, int], tuple[NDArray[Any], ...]]
    ) -> list[NDArray[Any]]:
        """(topics, pairs) what block() makes of topics from start to stop; `first` is the lowest code it asks for."""
        topics, count = len(lists.topics), len(lists.systems)
        step = _ROWS // max(1, count * min(self.depth, int(_Rows.of(lists, self.depth).total(first).max(initial=1))))
        step = max(1, min(step, -(-topics // (_PARTS * self.workers))))
        blocks = [(start, min(start + step, topics)) for start in range(0, topics, step)]
        results = [np.empty((topics, none.shape[1]), none.dtype) for none in block(0, 0)]

        def put(part: tuple[int, int], pieces: tuple[NDArray[Any], ...]) -> None:
            for value, piece in zip(results, pieces, strict=True):
                value[slice(*part)] = piece

        with on(self.client):
            if elsewhere():
                far = map_units(lambda part: block(*part), blocks, workers=self.workers)
                for part, pieces in zip(blocks, far, strict=True):
                    put(part, pieces)
            else:  # each thread puts its pieces where they belong
                here = map_units(lambda part: put(part, block(*part)), blocks, workers=self.workers, kind="shared")
                deque(here, maxlen=0)
        return results


def _preferences(
    method: str,
    lists: SelectedLists,
    value: NDArray[Any],
    how: str,
    mark: str,
    judged: Judged,
    depth: int,
    *,
    classes: Classes | None = None,
    level: NDArray[Any] | None = None,
) -> Preferences:
    first, second = pairs_of(len(lists.systems))
    return Preferences(
        method=method,
        systems=lists.systems,
        topics=lists.topics,
        first=first,
        second=second,
        value=value.T,
        classes=classes,
        level=level,
        how=how,
        depth=depth,
        left_out=lists.n_left_out,
        signature="|".join([f"{method}@{depth}", mark, *judged.rules.signature()]),
    )
