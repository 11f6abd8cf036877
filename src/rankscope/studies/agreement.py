"""Whether metrics find significant what IPSO does, over all pairs of systems (Moffat and Mackenzie 2024).

The four categories of Figure 7, the triangle of Figure 8, and separability by depth, Table 3.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rankscope import arguments
from rankscope.arguments import Checks, at_once
from rankscope.arrays import Bools, Floats, Ints
from rankscope.errors import InputError, plural, quietly
from rankscope.formatting import visible
from rankscope.judged import Judged, with_topics
from rankscope.measures.names import single_measure
from rankscope.parallel import Client, check_workers
from rankscope.preferences import all_pairs
from rankscope.preferences.gains import Gains
from rankscope.preferences.ordering import ordering_for
from rankscope.statistics.equality import best_first
from rankscope.statistics.families.comparisons import pairs_of
from rankscope.statistics.pairs.difference_tests import WORDS, PairTest, paired_tests, sign_tests
from rankscope.studies.base import Study, Table, crossed, extent, percent, place_of, threshold
from rankscope.studies.candidates import Measures, Source, StudyMaterial, at_depth, labelled, lists_of, material
from rankscope.studies.checkpoints import Arrays
from rankscope.studies.preference_lists import comparable, facts
from rankscope.studies.runner import Run, Tell, shaped

BOTH_YES, BOTH_NO, METRIC_YES, METRIC_NO = range(4)
CATEGORIES = ("Both: Yes", "Both: No", "Metric: Yes", "Metric: No")
MEASURES = ("RR", "P", "RBP(p=0.5)", "RBP(p=0.8)", "AP", "nDCG")
AS_IN_THE_PAPER = {
    "RR": "RR", "Prec": "P", "RBP(0.5)": "RBP(p=0.5)", "RBP(0.8)": "RBP(p=0.8)", "AP": "SP", "NDCG": "SDCG",
}  # fmt: skip
"""The same six as Moffat and Mackenzie (2024) define them: no recall base enters AP and NDCG, see their Figure 5."""
DEPTHS = (5, 10, 20, 50)
TABLE_DEPTHS = (5, 10, 15, 20, 50, 100)
TESTS: tuple[PairTest, ...] = ("t", "wilcoxon", "sign")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ObservedSeparability(Study):
    """Numbers of pairs of lists on one topic that are equal, separable and non-separable, down to each depth.

    counts  (depths, 3) equal, separable, non-separable
    """

    depths: tuple[int, ...]
    counts: Ints
    settings: Mapping[str, Any]
    name: str = "separability"

    @property
    def share(self) -> Floats:
        """(depths, 3) shares of all pairs of lists."""
        shares: Floats = self.counts / self.counts.sum(axis=1, keepdims=True)
        return shares

    def tables(self) -> dict[str, Table]:
        """separability: one row per depth."""
        equal, apart, mixed = self.share.T.tolist()
        values = {"depth": list(self.depths), "equal": equal, "separable": apart, "non-separable": mixed}
        caption = (
            f"Share of the {int(self.counts[0].sum()):,} pairs of lists on one topic that are equal to IPSO, separable "
            f"(one list is at least as good) or non-separable (metrics are free to disagree); {extent(self.settings)}. "
            f"IPSO: {self.settings['order']}."
        )
        return {"separability": Table(values=values, caption=caption, left=0)}

    def summary(self) -> str:
        """Findings in sentences."""
        shares = [percent(float(share[2])) for share in self.share]
        parts = [f"{share} at depth {k}" for k, share in zip(self.depths, shares, strict=True)]
        return f"Metrics are free to disagree on so many of the pairs of lists: {', '.join(parts)}."


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Agreement(Study):
    """Significance by IPSO's sign test beside that of a metric and a test, for all pairs of systems.

    ipso       (depths, pairs) p of IPSO's sign test
    ahead      (depths, pairs) topics for the second system (ns) minus topics for the first (ni)
    pvalue     (metrics, depths, tests, pairs) p of the metric's test
    toward     (metrics, depths, tests, pairs) 1 where the test points to the second system, -1 where to the first
    mean       (metrics, depths, systems) mean scores
    separability  of the same lists at the same depths
    """

    measures: tuple[str, ...]
    depths: tuple[int, ...]
    tests: tuple[PairTest, ...]
    systems: tuple[str, ...]
    ipso: Floats
    ahead: Ints
    pvalue: Floats
    toward: Ints
    mean: Floats
    separability: ObservedSeparability
    alpha: float
    settings: Mapping[str, Any]
    name: str = "agreement"

    def categories(self, alpha: float | None = None) -> Ints:
        """(metrics, depths, tests, pairs) category of each pair of systems, as a number into `CATEGORIES`."""
        level = self.alpha if alpha is None else arguments.alpha(alpha)
        measure, ipso = self.pvalue < level, (self.ipso < level)[None, :, None]
        category: Ints = np.where(measure, np.where(ipso, BOTH_YES, METRIC_YES), np.where(ipso, METRIC_NO, BOTH_NO))
        return category

    def against(self, alpha: float) -> Bools:
        """(metrics, depths, tests, pairs) whether both find a pair significant, in opposite directions."""
        turned: Bools = self.toward * self.ahead[None, :, None] < 0
        return turned & (self.categories(alpha) == BOTH_YES)

    @property
    def opposed(self) -> Ints:
        """(metrics, depths, tests) pairs of systems that both find significant, in opposite directions."""
        return np.count_nonzero(self.against(self.alpha), axis=-1)

    @property
    def alike(self) -> Floats:
        """(metrics, depths, tests) share of the pairs that both find significant in one direction, or neither does."""
        same = np.isin(self.categories(), (BOTH_YES, BOTH_NO)).sum(axis=-1) - self.opposed
        share: Floats = same / self.ipso.shape[1]
        return share

    def triangle(self, measure: str, depth: int, test: PairTest = "t", *, alpha: float | None = None) -> Table:
        """One row per pair of systems: their ranks by the metric's mean, best first, and the category (Figure 8)."""
        m = place_of(measure, self.measures, "measure")
        d, t = place_of(depth, self.depths, "depth"), place_of(test, self.tests, "test")
        category = self.categories(alpha)[m, d, t]
        # systems that score the same go by name, so that their order does not depend on how they were given
        order = best_first(self.mean[m, d], self.systems)
        rank = np.empty(len(order), np.int64)
        rank[order] = np.arange(1, len(order) + 1)
        first, second = pairs_of(len(self.systems))
        better, worse = np.minimum(rank[first], rank[second]), np.maximum(rank[first], rank[second])
        by = np.lexsort((worse, better)).tolist()
        names = [self.systems[s] for s in order]
        values = {
            "first": [names[better[i] - 1] for i in by],
            "second": [names[worse[i] - 1] for i in by],
            "first_rank": better[by].tolist(),
            "second_rank": worse[by].tolist(),
            "category": [CATEGORIES[category[i]] for i in by],
        }
        level = self.alpha if alpha is None else alpha
        caption = f"Pairs of systems by rank of their mean {measure} at depth {depth}; {WORDS[test]}, p < {level:g}."
        return Table(values=values, caption=caption, left=2)

    def tables(self) -> dict[str, Table]:
        """agreement: shares of categories, one row per measure, depth and test. separability: one row per depth."""
        share = self._shares().reshape(-1, len(CATEGORIES))
        values = crossed(measure=self.measures, depth=self.depths, test=self.tests)
        values |= {name: share[:, i].tolist() for i, name in enumerate(CATEGORIES)}
        values |= {"alike": self.alike.ravel().tolist(), "opposed": self.opposed.ravel().tolist()}
        caption = (
            f"Share of the {self.ipso.shape[1]:,} pairs of systems that the metric's test and IPSO's sign test find "
            f"significant (p < {self.alpha:g}, two-sided, uncorrected); "
            f"{extent(self.settings)}{threshold(self.settings)}. IPSO: {self.settings['order']}. Alike: both find a "
            "difference in one direction, or neither does. Metric: Yes: the metric's test alone finds it. Metric: No: "
            "IPSO's test alone. Opposed: both find a difference, in opposite directions."
        )
        return {"agreement": Table(values=values, caption=caption, left=1), **self.separability.tables()}

    def figures(self) -> dict[str, dict[str, list[Any]]]:
        """bars: one row per bar's part (Figure 7). triangle: of the first metric, depth and test (Figure 8)."""
        share = self._shares().transpose(2, 0, 1, 3)
        axes = crossed(test=self.tests, measure=self.measures, depth=self.depths, category=CATEGORIES)
        measure = "P" if "P" in self.measures else self.measures[0]
        depth = 10 if 10 in self.depths else self.depths[0]
        return {
            "bars": {**axes, "share": share.ravel().tolist()},
            "triangle": self.triangle(measure, depth, self.tests[0]).columns(),
        }

    def summary(self) -> str:
        """Findings in sentences."""
        alike = self.alike
        low, high = (np.unravel_index(int(f(alike)), alike.shape) for f in (np.argmin, np.argmax))
        opposed = int(self.opposed.max())
        sentence = (
            "No pair is significant for both in opposite directions."
            if not opposed
            else f"Up to {plural(opposed, 'pair')} are significant for both in opposite directions."
        )
        return (
            f"Of {plural(self.ipso.shape[1], 'pair')} of systems, a metric and IPSO agree on "
            f"{percent(float(alike.min()))} ({self._bar(low)}) to {percent(float(alike.max()))} ({self._bar(high)}): "
            f"both find a significant difference in one direction, or neither does. {sentence}\n"
            f"{self.separability.summary()}"
        )

    def _bar(self, at: Any) -> str:
        m, d, t = (int(i) for i in at)
        return f"{visible(self.measures[m])} at depth {self.depths[d]}, {WORDS[self.tests[t]]}"

    def _shares(self) -> Floats:
        """(metrics, depths, tests, categories)."""
        category = self.categories()
        shares: Floats = np.stack([(category == c).mean(axis=-1) for c in range(len(CATEGORIES))], axis=-1)
        return shares


def agreement(
    source: Source | StudyMaterial,
    measures: Measures = MEASURES,
    *,
    depths: int | Iterable[int] | None = None,
    tests: PairTest | Iterable[PairTest] = TESTS,
    alpha: float = 0.05,
    gains: Gains = None,
    checkpoints: str | Path | None = None,
    progress: Tell | None = None,
    workers: int | None = None,
    client: Client = None,
) -> Agreement:
    """Agreement of metrics with IPSO on the pairs of systems that differ significantly.

    source   lists; or their material, whose metrics and methods are held against IPSO at every depth as they are, on
             the topics that they are studied on
    measures  those that name no cutoff are cut at every depth, others are held against IPSO at each depth as they are
    depths   one or several; by default the cutoffs of the metrics where each names one, else 5, 10, 20 and 50, as far
             as lists go
    tests    one or several of "t", "wilcoxon" and "sign" on the metric's scores; IPSO always has the sign test
    alpha    significance, two-sided and uncorrected as in the paper

    gains    by what IPSO orders lists, as for `ipso`: "thresholds" by default

    A pair that differs nowhere has p = 1; one that differs by the same amount on every topic has the p of sign flips.
    """
    with Checks() as check:
        alpha = check(arguments.alpha, alpha)
        chosen = check(arguments.some_of, "tests", tests, TESTS)
        run = check(Run, checkpoints, progress, workers, client)
    studied = source if isinstance(source, StudyMaterial) else None
    records = studied.records if studied is not None else labelled(measures, read=single_measure)
    if not records and studied is None:
        raise InputError("no metrics", "name at least one")
    judged = lists_of(source)
    base = comparable(judged, n_topics=2)
    cutoffs: list[Any] = [record.cutoff for record in records.values()]
    named = [k for k in cutoffs if isinstance(k, int)]
    at = _check_depths(base, depths, named if named and len(named) == len(cutoffs) else DEPTHS)
    settings = {
        **(facts(judged, base) if studied is None else studied.settings()),
        "measures": {label: str(record) for label, record in records.items()}, "depths": at, "tests": chosen,
        "alpha": alpha, "order": _order(base, gains),
    }  # fmt: skip
    if studied is not None:
        kept = {*studied.topics}
        base = with_topics(base, [t for t, topic in enumerate(base.topics) if topic in kept])
    systems = tuple(sorted(base.systems))

    def work(unit: str, threads: int) -> Arrays:
        depth = int(unit.split()[1])
        counts, ahead, ipso = _ipso(base, systems, depth, gains, threads)
        cut = {str(i): at_depth(record, depth) for i, record in enumerate(records.values())}  # P may be P@5 twice
        compared = studied or material(base, cut, workers=threads)
        tested = [[paired_tests(d, test, errors=errors) for test in chosen]
                  for d, errors in (candidate.known_differences() for candidate in compared.candidates)]  # fmt: skip
        return {
            "counts": counts, "ahead": ahead, "ipso": ipso,
            "pvalue": np.array([[test.pvalue for test in by_test] for by_test in tested]),
            "toward": np.array([[np.sign(test.statistic) for test in by_test] for by_test in tested], np.int64),
            "mean": np.array([candidate.value.mean(axis=0) for candidate in compared.candidates]),
        }  # fmt: skip

    def finish(arrays_by_unit: dict[str, Arrays]) -> Agreement:
        done = tuple(int(unit.split()[1]) for unit in arrays_by_unit)
        together = {
            key: np.stack([arrays[key] for arrays in arrays_by_unit.values()])
            for key in next(iter(arrays_by_unit.values()))
        }
        return Agreement(
            measures=tuple(records) if studied is None else studied.names,
            depths=done,
            tests=chosen,
            systems=systems,
            ipso=together["ipso"],
            ahead=together["ahead"],
            pvalue=together["pvalue"].swapaxes(0, 1),
            toward=together["toward"].swapaxes(0, 1),
            mean=together["mean"].swapaxes(0, 1),
            separability=ObservedSeparability(depths=done, counts=together["counts"], settings=settings),
            alpha=alpha,
            settings=settings,
        )

    pairs, names = len(pairs_of(len(systems))[0]), records if studied is None else studied.names
    by_test = len(names), len(chosen), pairs
    fits = shaped(counts=(int, 3), ahead=(int, pairs), ipso=(float, pairs), pvalue=(float, *by_test),
                  toward=(int, *by_test), mean=(float, len(names), len(systems)))  # fmt: skip
    units = [f"depth {depth}" for depth in at]
    return run.conduct("agreement", units, work, finish, settings=settings, fits=fits)


def separability(
    source: Source | StudyMaterial,
    *,
    depths: int | Iterable[int] | None = None,
    gains: Gains = None,
    workers: int | None = None,
) -> ObservedSeparability:
    """Count pairs of lists that are equal, separable and non-separable at each depth (Table 3).

    source  lists, or their material
    depths  5, 10, 15, 20, 50 and 100 by default, as far as lists go
    gains   by what IPSO orders lists, as for `ipso`: "thresholds" by default
    """
    check_workers(workers)
    judged = lists_of(source)
    base = comparable(judged)
    at = _check_depths(base, depths, TABLE_DEPTHS)
    with quietly():
        counts = np.stack([_ipso(base, base.systems, depth, gains, workers)[0] for depth in at])
    settings = {**facts(judged, base), "depths": at, "order": _order(base, gains)}
    return ObservedSeparability(depths=at, counts=counts, settings=settings)


def _order(base: Judged, gains: Gains) -> str:
    """Order of lists by IPSO, in words."""
    return ordering_for(base, gains, None, base.code.shape[-1]).words


def _ipso(
    base: Judged, systems: Sequence[str], depth: int, gains: Gains, workers: int | None
) -> tuple[Ints, Ints, Floats]:
    """Counts of equal, separable and non-separable pairs of lists; and, by pair of systems, who is ahead and p."""
    preferences = all_pairs(base, "ipso", systems=systems, depth=depth, gains=gains, workers=workers)
    equal, ni, ns, mixed = preferences.counts.sum(axis=0).tolist()
    pvalue = sign_tests(preferences.value).pvalue if len(preferences.topics) > 1 else np.ones(len(preferences.value))
    return np.array([equal, ni + ns, mixed], np.int64), preferences.value.sum(axis=1, dtype=np.int64), pvalue


def _check_depths(base: Judged, depths: int | Iterable[int] | None, usual: Sequence[int]) -> tuple[int, ...]:
    """Depths of the lists, rising; the usual ones as far as lists go."""
    loaded = base.code.shape[-1]
    if depths is None:
        depths = [k for k in usual if k <= loaded] or [loaded]
    chosen: list[Any] = list(depths) if isinstance(depths, Iterable) else [depths]
    at_once(*(lambda k=k: arguments.whole_number("depth", k, 1, loaded) for k in chosen))
    if not chosen:
        raise InputError("no depths", f"depths are whole numbers from 1 to {loaded}")
    return tuple(sorted({int(k) for k in chosen}))
