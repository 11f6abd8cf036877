"""Whether measures that share a property disagree less: Table 3 of Jones, Thomas, Scholer and Sanderson (2015)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankscope.arguments import whole_number
from rankscope.errors import InputError, Problem, plural
from rankscope.measures import Measure
from rankscope.measures.names import named_measures
from rankscope.statistics.families.tukey_hsd import tukey_kramer
from rankscope.universe.answers import Answered
from rankscope.universe.one_measure.properties import PROPERTIES, properties
from rankscope.universe.two_measures.disagreement import Disagreement

if TYPE_CHECKING:
    from rankscope.universe.two_measures.frequencies import Frequencies

ALPHA = 0.05  # a p value below it shows a difference
BUCKETS = {"has": "both have it", "cross": "one has it", "no": "neither has it"}


class Bucket(NamedTuple):
    """Pairs of measures and their mean disagreement, in per cent; NaN where there are none."""

    pairs: int
    mean: float


class BucketComparison(NamedTuple):
    """Two buckets, the difference of their means and its p value among all buckets of the property."""

    first: str
    second: str
    difference: float
    pvalue: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Property:
    """One property: its three buckets, one-way analysis of variance and Tukey's test, as Kramer has it for unequal
    sizes. `f` and `pvalue` are NaN where buckets leave nothing to compare.

    Pairs of measures share measures, so disagreements are not independent, as these tests take them to be: p values
    are those of the paper's method, not more.
    """

    name: str
    holders: tuple[str, ...]
    buckets: dict[str, Bucket]
    f: float
    pvalue: float
    tukey: tuple[BucketComparison, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Buckets(Answered):
    """Mean disagreement of two measures by whether both, one or neither has a property."""

    where: str
    measures: tuple[str, ...]
    properties: tuple[Property, ...]

    def __getitem__(self, name: str) -> Property:
        return next(property_ for property_ in self.properties if property_.name == name)

    QUESTION = "Do measures that share a property disagree less?"
    READING = (
        "Mean disagreement of two measures: both have the property (has), one has it (cross), neither has it (no).",
        "Where has is below cross, measures that share the property are more alike.",
    )

    def answer(self) -> str:
        """The property with the smallest p value, and its means."""
        tested = [row for row in self.properties if row.pvalue == row.pvalue]
        if not tested:
            return "No property divides these measures into buckets that can be compared."
        row = min(tested, key=lambda row: row.pvalue)
        words = {"has": "both have it", "cross": "one has it", "no": "neither has it"}
        parts = [f"{bucket.mean:.2f} % where {words.get(name, name)}"
                 for name, bucket in row.buckets.items() if bucket.pairs]  # fmt: skip
        means = f"Mean disagreement is {', '.join(parts)}."
        if row.pvalue >= ALPHA:
            some = f"{len(tested)} of {len(self.properties)} tested; " if len(tested) < len(self.properties) else ""
            smallest = f"{some}smallest p {row.pvalue:.2g}, {row.name}"
            return f"No property is shown to divide these measures ({smallest}). {means}"
        return f"{row.name} divides the measures most clearly. {means}"

    def short_table(self) -> tuple[list[str], list[list[str]]]:
        """Without numbers of pairs and tests of two buckets."""
        header, rows = self.table()
        kept = [0, 1, 3, 5, 8]
        return [header[i] for i in kept], [[row[i] for i in kept] for row in rows]

    def table(self) -> tuple[list[str], list[list[str]]]:
        header = ["property", "has %", "pairs", "cross %", "pairs", "no %", "pairs", "F", "p", f"Tukey p below {ALPHA}"]
        rows = []
        for row in self.properties:
            cells = [row.name]
            for bucket in row.buckets.values():
                cells += [_number(bucket.mean, ".2f"), str(bucket.pairs)]
            apart = [f"{t.first}-{t.second} {t.pvalue:.2g}" for t in row.tukey if t.pvalue < ALPHA]
            rows.append([*cells, _number(row.f, ".2f"), _number(row.pvalue, ".2g"), ", ".join(apart) or "-"])
        return header, rows

    def heading(self) -> str:
        return (
            f"{self.where}; {plural(len(self.measures), 'measure')}; mean disagreement of two measures where both have "
            "a property (has), one has it (cross), neither has it (no)"
        )

    def remarks(self) -> list[str]:
        return [self.caution]

    def cautions(self) -> list[str]:
        return [self.caution]

    def text_columns(self) -> int:
        return 1

    @property
    def caution(self) -> str:
        """Caution: limits of the p values."""
        return (
            "pairs of measures share measures and are not independent, and p values are not corrected for the number "
            f"of tests ({len(self.properties)}): take them with care"
        )

    def columns(self) -> dict[str, list[Any]]:
        """One row per property and bucket."""
        columns: dict[str, list[Any]] = {name: [] for name in ("property", "bucket", "pairs", "mean", "f", "pvalue")}
        for row in self.properties:
            for name, bucket in row.buckets.items():
                for key, value in zip(columns, (row.name, name, *bucket, row.f, row.pvalue), strict=True):
                    columns[key].append(value)
        return columns

    def to_dict(self) -> dict[str, Any]:
        return {
            "where": self.where,
            "measures": list(self.measures),
            "properties": [
                {
                    "property": row.name,
                    "measures": list(row.holders),
                    "buckets": {name: bucket._asdict() for name, bucket in row.buckets.items()},
                    "anova": {"f": row.f, "pvalue": row.pvalue},
                    "tukey": [t._asdict() for t in row.tukey],
                }
                for row in self.properties
            ],
        }


def buckets(
    disagreement: Disagreement | Frequencies,
    table: Mapping[str, Collection[str | Measure]] | None = None,
    *,
    combined: int = 1,
) -> Buckets:
    """Mean disagreement by whether both, one or neither of two measures has a property.

    disagreement  over all rankings, or as it occurs in runs
    table         measures that have each property; by default the seven of Moffat (2013), looked for by `properties`
    combined      properties that are also taken together, up to so many: a measure has a combination that has them all.
                  Combinations that no two measures share are left out
    """
    holders = _enumerated(disagreement.measures) if table is None else _understood(table, disagreement.measures)
    holders |= _together(holders, whole_number("combined", combined, 1, len(holders)))
    first, second = np.triu_indices(len(disagreement.measures), 1)
    share = disagreement.share[first, second]
    known = np.isfinite(share)
    compared = []
    for name, having in holders.items():
        has = np.array([m in having for m in disagreement.measures])
        number = has[first].astype(np.int64) + has[second]
        groups = {bucket: share[known & (number == n)] for bucket, n in zip(BUCKETS, (2, 1, 0), strict=True)}
        f, pvalue, pairs = tukey_kramer(groups)
        compared.append(
            Property(
                name=name,
                holders=tuple(str(m) for m in disagreement.measures if m in having),
                buckets={b: Bucket(len(x), float(x.mean()) if len(x) else float("nan")) for b, x in groups.items()},
                f=f,
                pvalue=pvalue,
                tukey=tuple(BucketComparison(*pair) for pair in pairs),
            )
        )
    return Buckets(
        where=disagreement.where, measures=tuple(map(str, disagreement.measures)), properties=tuple(compared)
    )


def _together(holders: Mapping[str, set[Measure]], most: int) -> dict[str, set[Measure]]:
    """Measures that have several properties, by names joined with +; of those that two measures share at least."""
    together = {}
    for size in range(2, most + 1):
        for names in combinations(holders, size):
            having = set.intersection(*(holders[name] for name in names))
            if len(having) > 1:
                together[" + ".join(names)] = having
    return together


def _enumerated(measures: Sequence[Measure]) -> dict[str, set[Measure]]:
    holders: dict[str, set[Measure]] = {name: set() for name in PROPERTIES}
    for measure in measures:
        for name in properties(measure).holding:
            holders[name].add(measure)
    return holders


def _understood(table: Mapping[str, Collection[str | Measure]], measures: Sequence[Measure]) -> dict[str, set[Measure]]:
    """The table with its names understood; a measure without a cutoff stands for the one that was cut."""
    holders: dict[str, set[Measure]] = {}
    problems: list[Problem] = []
    for name, some in table.items():
        try:
            members = named_measures(some)
        except InputError as error:
            problems += [Problem(f"property {name}: {p.cause}", p.cure) for p in error.problems]
            continue
        holders[name] = {m for m in measures for w in members if m == w or (w.cutoff is None and m == _at(w, m))}
    if problems:
        raise InputError(problems)
    return holders


def _at(wanted: Measure, like: Measure) -> Measure:
    return wanted if like.cutoff is None else wanted.at_depth(int(like.cutoff))


def _number(value: float, form: str) -> str:
    return "-" if np.isnan(value) else format(value, form)
