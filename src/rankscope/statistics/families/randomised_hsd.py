"""Permutation within topics: what differences between systems arise when the labels mean nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import permutations
from math import factorial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rankscope.arrays import Floats, Ints
from rankscope.errors import InputError, plural
from rankscope.parallel import Client
from rankscope.statistics import equality
from rankscope.statistics.draws.canonical_order import canonical_preferences
from rankscope.statistics.draws.exact_sums import FixedPoint
from rankscope.statistics.draws.resampling import Resampling, over_blocks, resampling_of
from rankscope.statistics.families.comparisons import Comparisons, named, pairs_of
from rankscope.statistics.score_arrays import score_matrix

ENUMERATED = 1 << 20  # permutations up to which all are tried
_ROOM = 1 << 22  # elements of an intermediate array


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RandomisedHSD(Comparisons):
    """All pairs against the distribution of the largest difference of all.

    `largest` is that distribution, ascending, in units of the means; `count` how many of it are at least as large as
    the difference of each pair (larger, where `strict`). `resampling` is None where all permutations were tried.
    """

    count: Ints
    n_permutations: int
    strict: bool
    largest: Floats

    def critical(self, alpha: float) -> float:
        """Differences beyond this have p below alpha; infinite where so few permutations cannot show that."""
        n = len(self.largest)
        allowed = int(np.ceil(alpha * n)) - 1 if self.resampling is None else int(np.ceil(alpha * (n + 1))) - 2
        return float(self.largest[n - 1 - allowed]) if allowed >= 0 else float("inf")

    @property
    def how(self) -> str:
        """Number of permutations, seed and treatment of ties, in words."""
        drawn, count = self.resampling, f"{self.n_permutations:,}"
        how = f"all {count} permutations" if drawn is None else f"{count} permutations, seed {drawn.seed}"
        return f"{how}; {'ties not counted' if self.strict else 'ties counted'}"

    def _more(self) -> dict[str, list[Any]]:
        return {"count": self.count.tolist()}


def randomised_hsd(
    matrix: ArrayLike,
    *,
    resampling: Resampling | None = None,
    systems: Sequence[str] | None = None,
    strict: bool = False,
    exact: bool | None = None,
    aligned: bool = False,
    workers: int | None = None,
    client: Client = None,
    progress: Callable[[float], Any] | None = None,
) -> RandomisedHSD:
    """Randomised Tukey HSD (Carterette 2012): permute the scores within every topic, keep the largest difference.

    matrix is topics x systems. The p value of a pair is the share of permutations whose largest difference of means
    is at least that of the pair, which holds for all pairs at once. Differences equal on paper count as equal;
    `strict` leaves them out. All (systems!)^topics permutations are tried where these are few (`exact` decides
    otherwise), else those of `resampling`, and the data count as one more. `aligned` draws by the place of topics and
    systems in the matrix, so that matrices of the same topics and systems share their permutations. `progress` hears
    which share of the permutations is drawn, as in `progress=Bar()`.
    """
    scores = score_matrix(matrix, systems=systems)
    topics, count = scores.shape
    fixed = FixedPoint.of(
        scores, 2 * topics, integers=True, finest=50, errors=2 * equality.error(scores).max(axis=1).sum()
    )
    # a permuted row does not remember its order: sorted, the rows are the same however systems were given
    rows = np.sort(fixed.units, axis=1)
    rows = np.ascontiguousarray(fixed.units if aligned else rows[np.lexsort(rows.T[::-1])])
    total = factorial(count) ** topics
    if exact is None:
        exact = total <= ENUMERATED
    if exact:
        if total > 64 * ENUMERATED:
            raise InputError(f"{total:.3g} permutations are too many to try all", "leave out exact=True")
        resampling = None
        largest, times = _all_ranges(rows)
    else:
        resampling = resampling_of(resampling)
        times = 1
        seed, ranges = resampling.seed, resampling.kernels.permuted_ranges
        size = resampling.kernels.block(_block(rows.size), rows.size)

        def block(part: tuple[int, int]) -> Ints:
            return ranges(rows, seed, *part)

        largest = np.concatenate(list(over_blocks(block, resampling, size, workers, client, progress)))
    sums = fixed.units.sum(axis=0)
    first, second = pairs_of(count)
    return _counted(
        "randomised Tukey HSD",
        named(systems, count),
        scores.mean(axis=0),
        fixed,
        sums[second] - sums[first],
        largest,
        resampling,
        strict,
        times,
    )


def randomised_hsd_preferences(
    preferences: ArrayLike,
    *,
    resampling: Resampling | None = None,
    systems: Sequence[str] | None = None,
    strict: bool = False,
    aligned: bool = False,
    workers: int | None = None,
    client: Client = None,
) -> RandomisedHSD:
    """The randomised HSD for preferences that come from no score.

    preferences is topics x systems x systems: how much the second system is preferred to the first on a topic, the
    opposite the other way round. The labels are permuted within every topic, and the largest absolute mean
    preference is kept, as Diaz (2023) did for lexicographic precision. `location` is a system's mean preference over
    the others. `aligned` as for `randomised_hsd`, with which it then shares its permutations.
    """
    over = 0.0 - checked_preferences(preferences, systems)  # of the row's system over the column's
    topics, count, _ = over.shape
    fixed = FixedPoint.of(
        over, 2 * topics, integers=True, finest=50, errors=equality.error(over).max(axis=(1, 2)).sum()
    )
    resampling = resampling_of(resampling)
    seed, largest_of = resampling.seed, resampling.kernels.permuted_pairs
    as_given = np.arange(topics), np.arange(count)
    topic_order, system_order = as_given if aligned else canonical_preferences(fixed.units)
    ordered = fixed.units[topic_order][:, system_order][:, :, system_order]
    first, second = pairs_of(count)

    def block(part: tuple[int, int]) -> Ints:
        return largest_of(ordered, seed, *part)

    size = resampling.kernels.block(min(_ROOM // (topics * count), _ROOM // (8 * len(first))), topics * len(first))
    largest = np.concatenate(list(over_blocks(block, resampling, size, workers, client)))
    return _counted(
        "randomised Tukey HSD on preferences",
        named(systems, count),
        over.mean(axis=0).sum(axis=1) / (count - 1),
        fixed,
        fixed.units.sum(axis=0)[second, first],
        largest,
        resampling,
        strict,
    )


def checked_preferences(preferences: ArrayLike, systems: Sequence[str] | None) -> Floats:
    """A topics x systems x systems array of finite, antisymmetric preferences."""
    array = np.asarray(preferences, np.float64)
    if array.ndim != 3 or array.shape[1] != array.shape[2]:
        raise InputError(f"preferences have shape {array.shape}", "give an array of topics x systems x systems")
    topics, count, _ = array.shape
    if topics < 2 or count < 2:
        cause = f"{plural(topics, 'topic')} and {plural(count, 'system')}"
        raise InputError(cause, "a test needs at least two topics and two systems")
    if systems is not None and len(systems) != count:
        raise InputError(f"{plural(len(systems), 'name')} for {plural(count, 'system')}", "name all systems or none")
    names = named(systems, count)
    wrong = np.argwhere(~np.isfinite(array))
    if len(wrong):
        t, i, j = wrong[0].tolist()
        raise InputError(
            f"topic {t}, {names[i]} against {names[j]}: the preference is {array[t, i, j]}", "leave the topic out"
        )
    wrong = np.argwhere(equality.difference(-array.transpose(0, 2, 1), array)[0])
    if len(wrong):
        t, i, j = wrong[0].tolist()
        raise InputError(
            f"topic {t}: {names[i]} against {names[j]} is {array[t, i, j]}, the other way round {array[t, j, i]}",
            "a preference is the opposite of the one the other way round",
        )
    return array


def _counted(
    method: str,
    systems: tuple[str, ...],
    location: Floats,
    fixed: FixedPoint,
    observed: Ints,
    largest: Ints,
    resampling: Resampling | None,
    strict: bool,
    times: int = 1,
) -> RandomisedHSD:
    """All pairs by how many permutations reach their differences.

    observed  differences of sums over topics, one per pair, in units of `fixed`
    largest   the largest difference in each permutation, each of which stands for so many `times`
    """
    first, second = pairs_of(len(systems))
    topics, largest = len(fixed.units), np.sort(largest)
    size, slack = np.abs(observed), int(fixed.slack)
    short = np.searchsorted(largest, size + slack, "right") if strict else np.searchsorted(largest, size - slack)
    count, total = (len(largest) - short) * times, len(largest) * times
    difference = fixed.numbers(observed) / topics
    return RandomisedHSD(
        systems=systems,
        method=method,
        n_topics=topics,
        location=location,
        first=first,
        second=second,
        difference=difference,
        statistic=difference,
        pvalue=count / total if resampling is None else resampling.pvalue(count),
        count=count,
        n_permutations=total,
        resampling=resampling,
        strict=strict,
        largest=fixed.numbers(largest) / topics,
    )


def _all_ranges(rows: Ints) -> tuple[Ints, int]:
    """Largest minus least column sum under every permutation of every row but the first, and how often each counts.

    The first row can stay as it is: to permute it too only gives the columns other names.
    """
    topics, systems = rows.shape
    sums = rows[:1]
    for t in range(1, topics):
        ways = np.array(list(permutations(rows[t].tolist())), np.int64)
        sums = (sums[:, None, :] + ways).reshape(-1, systems)
    return sums.max(axis=1) - sums.min(axis=1), factorial(systems)


def _block(cells: int) -> int:
    """Trials of a block: some milliseconds of work, so that workers end together, and small in the numpy twin."""
    return max(1, min(1000, (1 << 21) // cells))
