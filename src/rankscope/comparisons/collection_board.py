"""Leaderboard over collections: means of systems over collections, and which of them can be told apart."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from rankscope.arrays import Floats
from rankscope.comparisons.collections import Collection, LeftOut, MeansTable, run_scores
from rankscope.comparisons.repeats import components_block, systems_of
from rankscope.comparisons.scored import MEASURE
from rankscope.errors import InputError, are, output, plural
from rankscope.formatting import bounds, p_value, short_probability, visible
from rankscope.judged.subsets import check_systems
from rankscope.layout import Block, Layer, Table, Toned, fitted, interval_bar, latex_table
from rankscope.measures import Measure
from rankscope.results import Layered, plain, records
from rankscope.statistics import (
    Resampling,
    adjust,
    bootstrap_max_t,
    friedman,
    letters,
    nemenyi,
    rank_intervals,
    repeated_all_pairs,
    t_all_pairs,
    variance_components,
)
from rankscope.statistics.equality import best_first, equal
from rankscope.statistics.families.rank_tests import RankTest
from rankscope.statistics.families.tukey_hsd import TukeyHSD
from rankscope.statistics.replications.repeated_runs import VarianceComponents
from rankscope.statistics.special import stdtrit

LETTERED = 52  # groups whose letters are shown
FEWEST = 6  # collections below which no family-wise p value can be below 0.05


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Two systems that follow each other in the ranking.

    won, lost, tied  collections on which the first has the higher mean, the lower, the same
    pvalue           Student's t over collections for this pair alone
    pvalue_adjusted  of the test of all pairs at once
    """

    first: str
    second: str
    difference: float
    won: int
    lost: int
    tied: int
    pvalue: float
    pvalue_adjusted: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CollectionBoard(Layered):
    """Systems by their means over collections, from the best to the last.

    value          means of each system on each collection, systems x collections
    lower, upper   Student's interval of each mean over collections; no basis for comparing two systems
    best, worst    places that are possible, all at once
    letters        systems that share one cannot be told apart at alpha, family-wise
    pvalues        of all pairs, family-wise
    highest        number of collections on which a system has the highest mean
    neighbours     each system and the next one
    friedman       Friedman's test of mean ranks within collections
    nemenyi        Nemenyi's comparisons of all pairs of mean ranks
    components     variance components, where systems are several runs
    unused         collections and systems that are not used, and why
    """

    measure: str
    systems: tuple[str, ...]
    collections: tuple[str, ...]
    value: Floats
    mean: Floats
    lower: Floats
    upper: Floats
    best: tuple[int, ...]
    worst: tuple[int, ...]
    letters: tuple[str, ...]
    groups: int
    pvalues: Floats
    highest: tuple[int, ...]
    neighbours: tuple[Neighbours, ...]
    friedman: RankTest | None
    nemenyi: TukeyHSD
    alpha: float
    level: float
    method: str
    means_only: bool
    n_runs: tuple[int, ...]
    components: VarianceComponents | None = None
    unused: tuple[LeftOut, ...] = ()

    @property
    def told_apart(self) -> int:
        """Number of neighbours that the test of all pairs tells apart."""
        return sum(pair.pvalue_adjusted < self.alpha for pair in self.neighbours)

    @property
    def told_apart_alone(self) -> int:
        """Number of neighbours with p below alpha where each pair is tested by itself, which is too many."""
        return sum(pair.pvalue < self.alpha for pair in self.neighbours)

    @property
    def critical_difference(self) -> float:
        """Nemenyi's critical difference of mean ranks at alpha (Demsar 2006)."""
        return self.nemenyi.critical * self.nemenyi.standard_error

    def headline(self) -> str:
        """Who leads, and how many others may be the best, in one sentence."""
        possible = sum(place == 1 for place in self.best) - 1
        others = len(self.systems) - 1
        where = visible(
            f"{self.systems[0]} has the highest mean {self.measure} over {len(self.collections)} collections"
        )
        if not possible:
            return f"{where}; each of the {others} other systems is ruled out as best."
        some = f"{possible} of {others} other systems" if possible < others else plural(others, "other system")
        return f"{where}; {some} cannot be ruled out as best."

    def apart(self) -> str:
        """How many neighbours can be told apart, in two sentences."""
        count = len(self.neighbours)
        alone = f"each pair tested by itself at {self.alpha:g}, it would be {self.told_apart_alone}"
        return (
            f"{self.told_apart} of {count} neighbours can be told apart over these collections, all pairs tested at "
            f"once. With {alone}{', which counts chance findings' if self.told_apart_alone else ''}."
        )

    def columns(self) -> dict[str, list[Any]]:
        """One row per system, from the best to the last; one column per collection at the end."""
        return {
            "rank": list(range(1, len(self.systems) + 1)),
            "system": list(self.systems),
            "mean": self.mean.tolist(),
            "lower": self.lower.tolist(),
            "upper": self.upper.tolist(),
            "best_rank": list(self.best),
            "worst_rank": list(self.worst),
            "group": list(self.letters),
            "mean_rank": self._mean_ranks().tolist(),
            "highest": list(self.highest),
            **{name: self.value[:, c].tolist() for c, name in enumerate(self.collections)},
        }

    def _mean_ranks(self) -> Floats:
        """Mean rank within collections, 1 the best."""
        return len(self.systems) + 1 - self.nemenyi.location

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as for JSON."""
        return {
            "measure": self.measure,
            "n_systems": len(self.systems),
            "n_collections": len(self.collections),
            "collections": list(self.collections),
            "alpha": self.alpha,
            "level": self.level,
            "method": self.method,
            "means_only": self.means_only,
            "told_apart": self.told_apart,
            "told_apart_alone": self.told_apart_alone,
            "friedman": None if self.friedman is None else {
                "statistic": self.friedman.statistic, "df": self.friedman.df, "pvalue": self.friedman.pvalue,
            },
            "critical_difference": self.critical_difference,
            "systems": records(self.columns()),
            "neighbours": [asdict(pair) for pair in self.neighbours],
            "runs": list(self.n_runs),
            "components": plain(self.components),
            "unused": [asdict(each) for each in self.unused],
        }  # fmt: skip

    def table(self) -> tuple[list[str], list[list[str]]]:
        lettered = self.groups <= LETTERED
        header = ["rank", "places", "system", *["group"] * lettered, self.measure, f"{100 * self.level:g} % interval",
                  "mean rank", "highest on"]  # fmt: skip
        ranks = self._mean_ranks()
        rows = []
        for s, name in enumerate(self.systems):
            places = f"{self.best[s]}-{self.worst[s]}" if self.best[s] != self.worst[s] else f"{self.best[s]}"
            interval = bounds(float(self.lower[s]), float(self.upper[s]))
            rows.append([f"{s + 1}", places, name, *[self.letters[s]] * lettered, f"{self.mean[s]:.4f}", interval,
                         f"{ranks[s]:.2f}", f"{self.highest[s]}"])  # fmt: skip
        return header, rows

    def text_columns(self) -> int:
        return 4 if self.groups <= LETTERED else 3

    def to_latex(self) -> str:
        """A booktabs table: one row per system."""
        return latex_table(*self.table(), caption=self._caption(), left=self.text_columns())

    def _caption(self) -> str:
        return visible(
            f"Means of {self.measure} over {len(self.collections)} collections with {100 * self.level:g} % intervals "
            f"(Student's t over collections); {self.method}, significance level {self.alpha:g}. Systems that share a "
            "letter are not shown to differ."
        )

    def blocks(self, layer: Layer) -> list[Block]:
        return self._short() if layer == "short" else self._full()

    def _short(self) -> list[Block]:
        return fitted(self._with_rows, len(self.systems))

    def _with_rows(self, count: int) -> list[Block]:
        more = len(self.systems) - count
        shown = [f"{plural(more, 'more system')}: {output('full')}."] if more else []
        notes = [f"bar: {100 * self.level:g} % interval of the mean (●) over collections, not a comparison of two."]
        if self.groups <= LETTERED and len(self.systems) > 2:
            notes.insert(0, "group: systems that share a letter are not shown to differ from each other.")
        notes += self._unused_lines()
        return [
            Block("", [Toned(self.headline(), "strong"), self.apart()]),
            Block("", [self._rows(count), *shown]),
            Block("", notes),
            Block("", [f"Next: name two systems to compare them over collections; {output('full')} has the evidence."]),
        ]

    def _rows(self, count: int) -> Table:
        scale = float(self.lower[:count].min()), float(self.upper[:count].max())
        grouped = self.groups <= LETTERED and len(self.systems) > 2
        ends = [f"{end:.2f}" for end in scale]
        header = ["rank", "system", *["group"] * grouped, self.measure, ends[0] + ends[1].rjust(24 - len(ends[0])),
                  "places"]  # fmt: skip
        rows = []
        for s in range(count):
            bar = interval_bar(*(float(end[s]) for end in (self.lower, self.mean, self.upper)), width=24, scale=scale,
                               marks={})  # fmt: skip
            places = f"{self.best[s]} to {self.worst[s]}"
            rows.append([f"{s + 1}", self.systems[s], *[self.letters[s]] * grouped, f"{self.mean[s]:.4f}", bar, places])
        return Table(header, rows, left=2 + grouped)

    def _unused_lines(self) -> list[str]:
        if not self.unused:
            return []
        listed = "; ".join(f"{each.name}: {each.reason}" for each in self.unused[:3])
        more = f"; and {len(self.unused) - 3} more" if len(self.unused) > 3 else ""
        return [f"Left out: {listed}{more}."]

    def _full(self) -> list[Block]:
        cells = [
            [pair.first, pair.second, f"{pair.difference:.4f}", f"{pair.won}-{pair.lost}-{pair.tied}",
             short_probability(pair.pvalue), short_probability(pair.pvalue_adjusted)]
            for pair in self.neighbours
        ]  # fmt: skip
        evidence = [
            Block("", [Toned(self.headline(), "strong"), self.apart()]),
            Block(
                "Which systems are shown to differ?",
                [Table(*self.table(), left=self.text_columns(), optional=(7 - (self.groups > LETTERED),)),
                 f"{self.method}, significance level {self.alpha:g} for all pairs at once."],
                ["One row per system. Places: those that are possible at once. Collections are the sample, so that the "
                 "claim is about further collections like these.",
                 "Systems that share a letter are not shown to differ; that is not to say that they are equal."],
            ),
            Block(
                "Do neighbours differ?",
                [Table(["system", "next", "difference", "won-lost-tied", "p alone", "p of all"], cells, left=2)],
                ["Won, lost and tied count collections. p alone is Student's t of this pair by itself.",
                 "p of all is corrected for all pairs; only p of all below the level tells two systems apart."],
            ),
        ]  # fmt: skip
        ranks = [f"Nemenyi's critical difference of mean ranks is {self.critical_difference:.2f}."]
        if self.friedman is not None:
            degrees = plural(self.friedman.df, "degree")
            ranks.insert(0, f"Friedman's test: chi-square {self.friedman.statistic:.4g}, {degrees} of "
                            f"freedom, {p_value(self.friedman.pvalue)}.")  # fmt: skip
        evidence.append(Block(
            "What do ranks say?", ranks,
            ["Friedman's test asks whether any system differs, by ranks within collections (Demsar 2006).",
             "Two systems differ by Nemenyi's test where their mean ranks are farther apart than the critical "
             "difference. It depends on which other systems are in the table."],
        ))  # fmt: skip
        if self.components is not None:
            evidence.append(components_block(self.components))
        limits = self._unused_lines()
        if self.means_only:
            limits.append("From means alone nothing can be said about a single collection, nor about heterogeneity.")
        if len(self.collections) < FEWEST:
            limits.append(f"{are(len(self.collections), 'collection')} too few to tell any two systems apart at 0.05; "
                          f"{FEWEST} are the least.")  # fmt: skip
        if limits:
            evidence.append(Block("What cannot be said?", limits))
        return evidence


def collection_board(
    collections: list[Collection] | MeansTable,
    left_out: Sequence[LeftOut],
    *,
    measure: str | Measure | None,
    systems: Sequence[str] | None,
    repeats: Any,
    alpha: float,
    level: float,
    resampling: Resampling | None,
    workers: int | None,
    progress: Callable[[float], Any] | None,
) -> CollectionBoard:
    """The leaderboard of systems that all collections have."""
    gone = list(left_out)
    runs: dict[str, Floats] = {}
    if isinstance(collections, MeansTable):
        label, names = collections.measure, collections.collections
        rows = dict(zip(collections.systems, collections.value, strict=True))
        groups = systems_of(collections.systems, repeats)
        runs = {name: np.stack([rows[run] for run in of], axis=1) for name, of in groups.items()}
        means_only = True
    else:
        wanted = MEASURE if measure is None and all(c.measure is None for c in collections) else measure
        shared = _shared(collections, repeats, systems, gone)
        scores, further = run_scores(collections, shared, wanted, repeats=repeats, progress=progress)
        gone += further
        label, names, means_only = scores[0].scored.measure, tuple(each.name for each in scores), False
        for system in shared:
            parts = [each.of(system).mean(axis=0) for each in scores]
            same = len({tuple(each.runs[system]) for each in scores}) == 1
            runs[system] = np.stack(parts) if same else np.array([[part.mean()] for part in parts])
    if systems is not None:
        check_systems(systems, tuple(runs))
        runs = {name: runs[name] for name in systems}
    complete = {name: part for name, part in runs.items() if np.isfinite(part).all()}
    gone += [
        LeftOut(name, f"no score on {plural(int((~np.isfinite(part)).any(axis=1).sum()), 'collection')}")
        for name, part in runs.items()
        if name not in complete
    ]
    if len(complete) < 2:
        reasons = "".join(f"; {each.name}: {each.reason}" for each in gone[:5])
        raise InputError(f"{are(len(complete), 'system')} on all collections{reasons}", "a ranking needs at least two")
    if len(names) < 2:
        raise InputError(f"{are(len(names), 'collection')} too few", "give at least two collections")
    return _board(complete, tuple(names), label, means_only, gone, alpha, level, resampling, workers)


def _shared(
    collections: Sequence[Collection], repeats: Any, systems: Sequence[str] | None, gone: list[LeftOut]
) -> list[str]:
    """Systems that every collection has; others are noted."""
    each = [list(systems_of(collection.runs, repeats)) for collection in collections]
    if systems is not None:
        return list(systems)
    every = list(dict.fromkeys(name for names in each for name in names))
    shared = [name for name in every if all(name in names for names in each)]
    for name in every:
        if name not in shared:
            lacking = [c.name for c, names in zip(collections, each, strict=True) if name not in names]
            gone.append(LeftOut(name, f"no run on {', '.join(lacking[:3])}{' and others' * (len(lacking) > 3)}"))
    if len(shared) < 2:
        cause = f"{are(len(shared), 'system')} common to all {len(collections)} collections"
        raise InputError(cause, "name two systems that some collections share, or map names of systems by mapping")
    return shared


def _board(
    runs: dict[str, Floats],
    collections: tuple[str, ...],
    measure: str,
    means_only: bool,
    gone: Sequence[LeftOut],
    alpha: float,
    level: float,
    resampling: Resampling | None,
    workers: int | None,
) -> CollectionBoard:
    names = tuple(runs)
    value = np.stack([part.mean(axis=1) for part in runs.values()])
    order = best_first(value.mean(axis=1), names)
    names, value = tuple(names[s] for s in order), value[order]
    matrix = np.ascontiguousarray(value.T)
    counts = tuple(runs[name].shape[1] for name in names)
    if max(counts) > 1:
        compared = adjust(repeated_all_pairs({name: runs[name] for name in names}), "holm")
        method = "Student's t over collections and runs, Holm's correction for all pairs"
    else:
        compared = bootstrap_max_t(matrix, systems=names, resampling=resampling, workers=workers)
        method = f"{compared.method} over collections, {compared.how.split('; ')[0]}"
    groups, possible, adjusted = letters(compared, alpha), rank_intervals(compared, alpha), compared.matrix()
    n = len(matrix)
    reach = stdtrit(n - 1, (1 + level) / 2) * matrix.std(axis=0, ddof=1) / np.sqrt(n)
    mean = matrix.mean(axis=0)
    alone = t_all_pairs(matrix, systems=names).matrix()
    neighbours = []
    for s in range(len(names) - 1):
        first, second = value[s], value[s + 1]
        same = equal(first, second)
        neighbours.append(Neighbours(
            names[s], names[s + 1], float(mean[s + 1] - mean[s]), int((~same & (first > second)).sum()),
            int((~same & (first < second)).sum()), int(same.sum()), float(alone[s, s + 1]), float(adjusted[s, s + 1]),
        ))  # fmt: skip
    try:
        ranked: RankTest | None = friedman(matrix, systems=names)
    except InputError:  # all systems are equal on every collection
        ranked = None
    top = value.max(axis=0)
    return CollectionBoard(
        measure=measure, systems=names, collections=collections, value=value, mean=mean, lower=mean - reach,
        upper=mean + reach, best=tuple(int(x) for x in possible.lower), worst=tuple(int(x) for x in possible.upper),
        letters=groups.letters, groups=len(groups.groups), pvalues=adjusted,
        highest=tuple(int(equal(row, top).sum()) for row in value), neighbours=tuple(neighbours), friedman=ranked,
        nemenyi=nemenyi(matrix, systems=names, level=1 - alpha), alpha=alpha, level=level, method=method,
        means_only=means_only, n_runs=counts, unused=tuple(gone),
        components=variance_components({name: runs[name] for name in names}) if max(counts) > 1 else None,
    )  # fmt: skip
