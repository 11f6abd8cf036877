"""Features of rankings on which two measures disagree: which of the measures prefers more of a feature.

Table 4 of Jones, Thomas, Scholer and Sanderson (2015), exact for all rankings of a depth, with the features that the
paper leaves for later, and with those of the user.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from rankscope.arguments import some_of
from rankscope.arrays import Bools, Ints
from rankscope.errors import InputError
from rankscope.measures import Measure
from rankscope.measures.attainable import Levels, Places
from rankscope.parallel import Client, available_workers, map_units, on
from rankscope.progress import Progress, staged
from rankscope.results import records
from rankscope.universe.answers import Answered
from rankscope.universe.cost import refuse_if_too_large
from rankscope.universe.rankings import Universe
from rankscope.universe.score_ranks import Feature, placed, universe_and_measures
from rankscope.universe.two_measures.concordant_pairs import compared, with_feature

FeatureChoice: TypeAlias = str | Sequence[str] | Mapping[str, Feature] | None


def _first(hit: Bools) -> Ints:
    """Rank of the first hit, one past the end where there is none."""
    return np.where(hit.any(axis=1), hit.argmax(axis=1), hit.shape[1]) + 1


def _recall(level: Levels) -> Any:
    return np.count_nonzero(level, axis=1)


def _first_rel(level: Levels) -> Any:
    return -_first(level > 0)


def _first_irrel(level: Levels) -> Any:
    return -_first(level == 0)


def _lowest_rel(level: Levels) -> Any:
    hit = level > 0
    return np.where(hit.any(axis=1), level.shape[1] - hit[:, ::-1].argmax(axis=1), 0)


def _longest_run(level: Levels) -> Any:
    longest = run = np.zeros(len(level), np.int64)
    for column in level.T:
        run = np.where(column > 0, run + 1, 0)
        longest = np.maximum(longest, run)
    return longest


class Known(NamedTuple):
    """A feature: how much of it a ranking has, and what preferring more of it means."""

    of: Feature
    words: str
    reads: str


FEATURES: dict[str, Known] = {
    "recall": Known(_recall, "recall", "more relevant documents"),
    "first-rel": Known(_first_rel, "an early hit", "the first relevant document earlier; none is past the end"),
    "first-irrel": Known(_first_irrel, "an early miss", "the first irrelevant document earlier; none is past the end"),
    "lowest-rel": Known(_lowest_rel, "a deep hit", "the lowest-ranked relevant document lower; none is rank 0"),
    "longest-run": Known(_longest_run, "hits in a row", "the longest run of relevant documents longer"),
}
"""By name, the first three as in the paper."""
PAPER_FEATURES = ("recall", "first-rel", "first-irrel")


def register_feature(name: str, of: Callable[[Levels], Any], *, words: str = "", reads: str = "") -> None:
    """Make a feature of your own known by a name.

    of     maps rankings (lists, k) of grades to a number each; the higher one is preferred
    words  what is preferred, as in "prefers recall over an early hit"
    reads  what more of it is, in a sentence
    """
    FEATURES[name] = Known(of, words or name, reads or words or name)


class Row(NamedTuple):
    """Pairs of rankings that two measures order differently, by which measure prefers more of a feature."""

    a: str
    b: str
    feature: str
    disagreeing: int
    a_prefers: int
    b_prefers: int
    tied: int

    def percent(self, count: int) -> float:
        """In per cent of the disagreeing pairs, 0 where there are none."""
        return 100 * count / self.disagreeing if self.disagreeing else 0.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Features(Answered):
    """Features of disagreement: one row per two measures and each feature.

    Shares do not add to 100: where one measure has a tie it prefers neither ranking. `where` says which pairs of
    rankings were looked at.
    """

    where: str
    rows: tuple[Row, ...]

    def __getitem__(self, key: tuple[str, str, str]) -> Row:
        return next(row for row in self.rows if (row.a, row.b, row.feature) == key)

    def remarks(self) -> list[str]:
        """For each two measures, what choosing the first over the second prefers."""
        by_pair: dict[tuple[str, str], list[Row]] = {}
        for row in self.rows:
            by_pair.setdefault((row.a, row.b), []).append(row)
        return [_sentence(a, b, rows) for (a, b), rows in by_pair.items()]

    QUESTION = "What does each measure prefer where two disagree?"
    READING = (
        "A row is for two measures: how often each prefers the ranking with more of the feature, where they disagree.",
        "Shares do not add up to 100: where a measure has a tie, it prefers neither ranking.",
    )

    def answer(self) -> str:
        """What choosing one measure over another prefers, for the two that disagree most."""
        most = max(self.rows, key=lambda row: row.disagreeing)
        return _sentence(most.a, most.b, [row for row in self.rows if (row.a, row.b) == (most.a, most.b)])

    def table(self) -> tuple[list[str], list[list[str]]]:
        header = ["a", "b", "feature", "pairs", "a prefers %", "b prefers %", "feature tied %"]
        rows = [
            [r.a, r.b, r.feature, str(r.disagreeing), *(f"{r.percent(n):.2f}" for n in r[4:])]
            for r in self.rows
        ]  # fmt: skip
        return header, rows

    def heading(self) -> str:
        return f"{self.where}; of the pairs that two measures order differently, which one prefers more of a feature"

    def columns(self) -> dict[str, list[Any]]:
        """One row per two measures and each feature."""
        columns: dict[str, list[Any]] = {name: [getattr(row, name) for row in self.rows] for name in Row._fields}
        for name in ("a_prefers", "b_prefers", "tied"):
            columns[f"{name}_percent"] = [row.percent(getattr(row, name)) for row in self.rows]
        return columns

    def to_dict(self) -> dict[str, Any]:
        return {
            "where": self.where,
            "features": records(self.columns()),
            "words": self.remarks(),
        }


def features(
    measures: str | Measure | Sequence[str | Measure],
    *,
    depth: int = 10,
    of: FeatureChoice = None,
    grades: int = 1,
    recall_base: int | Sequence[int] | None = None,
    empty: bool = False,
    workers: int | None = None,
    memory: int | str | None = None,
    progress: Progress = None,
    client: Client = None,
) -> Features:
    """Features of all pairs of rankings that two measures order differently: how often each prefers more of one.

    of  names of features (default: all in FEATURES), or functions of your own by name, from rankings (lists, k) of
        grades to a number each, the higher one preferred. The rest is as in `disagreement`.

    >>> print(features(["AP", "DCG"], of=["recall", "first-rel"]).remarks()[0])
    Choosing AP over DCG prefers recall (52% v 22%) over an early hit (4% v 72%).
    """
    universe, named = universe_and_measures(measures, depth, grades, recall_base, empty)
    by_name = named_features(of)
    if not by_name:
        raise InputError("no feature is named", f"features are {', '.join(FEATURES)}")
    with on(client):
        return _features(universe, named, by_name, workers or available_workers(), memory, progress)


def _features(
    universe: Universe, measures: tuple[Measure, ...], by_name: dict[str, Feature], use: int, memory: int | str | None,
    progress: Progress,
) -> Features:  # fmt: skip
    two = list(combinations(range(len(measures)), 2))
    columns = len(measures) + len(by_name)
    refuse_if_too_large(universe, columns, 4 * len(two) * len(by_name), use, memory)
    scoring, counting = staged(progress, columns, 2.0 * len(two) * len(by_name))
    places = placed(universe, measures, by_name, workers=use, progress=scoring)
    by_measure = dict(zip(measures, places.measures, strict=True))
    by_feature = dict(zip(by_name, places.features, strict=True))
    return Features(where=universe.words(), rows=feature_rows(by_measure, by_feature, use, counting))


def feature_rows(
    measures: Mapping[Measure, Places], features: Mapping[str, Places], workers: int | None,
    progress: Progress = None,
) -> tuple[Row, ...]:  # fmt: skip
    """Rows of two measures and each feature, from the places of all rankings by each of them."""
    two = list(combinations(measures, 2))
    differ = {(a, b): compared(measures[a], measures[b]).differ for a, b in two}
    units = [(a, b, name) for a, b in two for name in features]
    split = map_units(
        lambda unit: with_feature(measures[unit[0]], measures[unit[1]], features[unit[2]]), units, workers=workers
    )
    rows = []
    for step, ((a, b, name), counts) in enumerate(zip(units, split, strict=True), 1):
        rows.append(Row(str(a), str(b), name, differ[a, b], *counts))
        if progress is not None:
            progress(step / len(units))
    return tuple(rows)


def named_features(of: FeatureChoice) -> dict[str, Feature]:
    """Features by name; all known ones where none is named."""
    if isinstance(of, Mapping):
        return dict(of)
    names = [of] if isinstance(of, str) else list(FEATURES if of is None else of)
    return {name: FEATURES[name].of for name in names and some_of("features", names, tuple(FEATURES))}


def _sentence(a: str, b: str, rows: Sequence[Row]) -> str:
    """Choosing a over b, in words: what each prefers more often than the other, the clearest first."""
    if not rows[0].disagreeing:
        return f"{a} and {b} never disagree."
    by_gap = sorted(rows, key=lambda row: -abs(row.a_prefers - row.b_prefers))
    more_by_a = [row for row in by_gap if row.a_prefers > row.b_prefers]
    more_by_b = [row for row in by_gap if row.b_prefers > row.a_prefers]
    if not more_by_a and not more_by_b:
        return f"Choosing {a} over {b} prefers none of these features."

    def listed(some: Sequence[Row], *, swapped: bool = False) -> str:
        shown = []
        for row in some:
            first, second = (row.percent(n) for n in ((row.b_prefers, row.a_prefers) if swapped else row[4:6]))
            shown.append(f"{_words(row.feature)} ({first:.0f}% v {second:.0f}%)")
        return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"

    if not more_by_b:
        return f"Choosing {a} over {b} prefers {listed(more_by_a)}."
    if not more_by_a:
        return f"Choosing {b} over {a} prefers {listed(more_by_b, swapped=True)}."
    return f"Choosing {a} over {b} prefers {listed(more_by_a)} over {listed(more_by_b)}."


def _words(feature: str) -> str:
    return FEATURES[feature].words if feature in FEATURES else feature
