"""Places of all possible rankings by a measure's score: whole numbers that compare as the scores do."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from rankscope.arguments import at_once
from rankscope.arrays import Floats, Ints
from rankscope.errors import InputError
from rankscope.measures import Measure
from rankscope.measures.attainable import Levels, Places, apart, dense
from rankscope.measures.catalogue.ap import average_precision, self_normalised_ap, sum_of_precisions
from rankscope.measures.catalogue.p import precision
from rankscope.measures.catalogue.r import recall
from rankscope.measures.catalogue.rr import reciprocal_rank, success
from rankscope.measures.exact import dense_ranks
from rankscope.measures.names import named_measures, single_measure
from rankscope.parallel import available_workers, map_units
from rankscope.progress import Progress
from rankscope.universe.rankings import MOST_EXACT, Universe, comparable_rankings, rule_steps, written

Feature: TypeAlias = Callable[[Levels], Any]
"""From rankings (lists, k) of grades to a number each; the higher one is preferred."""

_CHECKED = 256  # ties that doubles see which are looked at in fractions


def universe_and_measures(
    measures: str | Measure | Sequence[str | Measure],
    depth: int,
    grades: int,
    recall_base: int | Sequence[int] | None,
    empty: bool,
) -> tuple[Universe, tuple[Measure, ...]]:
    """Rankings and at least two measures, or everything that is wrong with them at once."""

    def two_measures(cutoff: int) -> tuple[Measure, ...]:
        named = complete_measures(measures, cutoff)
        if len(named) < 2:
            raise InputError(f"{len(named)} measure: nothing can disagree with it", "give at least two")
        return named

    at_once(lambda: comparable_rankings(depth, grades, recall_base, empty), lambda: two_measures(1))
    return comparable_rankings(depth, grades, recall_base, empty), two_measures(depth)


def complete_measures(measures: str | Measure | Sequence[str | Measure], depth: int) -> tuple[Measure, ...]:
    """The measures that texts name, each once, cut at the depth where they need a cutoff."""
    named = named_measures(measures)
    return tuple(dict.fromkeys(measure if measure.complete else measure.at_depth(depth) for measure in named))


def measures_at(measures: str | Measure | Sequence[str | Measure], depth: int) -> list[Measure]:
    """The measures that texts name, one each, cut at the depth where they can be cut."""
    named = [measures] if isinstance(measures, str | Measure) else list(measures)
    if not named:
        raise InputError("no measure is given", "name at least one")
    return [single_measure(measure).at_depth(depth) for measure in named]


class Placed(NamedTuple):
    """Places of all rankings by each measure and each feature, and for which measures they are proved."""

    measures: tuple[Places, ...]
    features: tuple[Places, ...]
    exact: tuple[bool, ...]


def placed(
    universe: Universe,
    measures: Sequence[Measure],
    features: Mapping[str, Feature] | None = None,
    *,
    workers: int | None = None,
    progress: Progress = None,
) -> Placed:
    """Score all rankings, block by block, and number the scores of each measure upwards.

    Scores are compared as fractions where the measure has them and there are up to MOST_EXACT rankings, or as doubles
    where its scores are known to be further apart than rounding can move them: both are exact. Else as doubles, equal
    where rounding explains the difference, and an error where that is in doubt or fractions contradict.
    """
    features = features or {}
    use, names = workers or available_workers(), [*map(str, measures), *features]
    blocks = universe.blocks()
    done = 0

    def scored(block: Callable[[], Levels]) -> list[Any]:
        level = block()
        lists = universe.inputs(level)
        values = [numbers(feature(level), name, len(level)) for name, feature in features.items()]
        return [*(measure.compute(lists) for measure in measures), *values]

    columns = [np.empty(len(universe)) for _ in names]
    for step, scores in enumerate(map_units(scored, blocks, workers=use), 1):
        for column, values in zip(columns, scores, strict=True):
            column[done : done + len(values)] = values
        done += len(scores[0]) if scores else 0
        if progress is not None:
            progress(0.6 * step / len(blocks))
    universe.refuse_undefined(names, columns)

    def numbered(at: int) -> tuple[Places, bool]:
        values, columns[at] = columns[at], np.empty(0)  # one owner, so that the memory goes when it can
        if at >= len(measures):
            return dense(values, universe.depth, f"feature {names[at]}")[0], False
        exact = universe.exact_scores(measures[at])
        if exact is not None:
            return dense_ranks(exact).astype(np.int32), True
        size = float(np.abs(values).max())
        places, order, ties = dense(values, universe.depth, names[at])
        if smallest_step(measures[at], universe) > apart(size, universe.depth):
            return places, True
        _check_ties(universe, measures[at], places, order, ties)
        return places, False

    results = []
    for step, result in enumerate(map_units(numbered, range(len(columns)), workers=use, kind="shared"), 1):
        results.append(result)
        if progress is not None:
            progress(0.6 + 0.4 * step / len(columns))
    split = len(measures)
    return Placed(
        tuple(places for places, _ in results[:split]),
        tuple(places for places, _ in results[split:]),
        tuple(exact for _, exact in results[:split]),
    )


def numbers(values: Any, name: str, rows: int) -> Floats:
    """Values of a feature, checked: one number per ranking."""
    column = np.asarray(values, np.float64)
    if column.shape != (rows,):
        raise InputError(f"feature {name} gave numbers of shape {column.shape}, expected ({rows},)",
                         "a feature maps (lists, k) grades to (lists) numbers")  # fmt: skip
    return column


def smallest_step(measure: Measure, universe: Universe) -> float:
    """Lower bound of the distance of different scores of the measure; 0 where none is known.

    Scores of these are whole numbers over a common denominator, or over one up to k each.
    """
    k, rel = universe.depth, math.ceil(measure.values.get("rel", 1))
    total = sum(universe.available[max(0, rel - 1) :])
    precisions = math.lcm(*range(1, k + 1))
    parts = {
        average_precision: total * precisions,
        sum_of_precisions: precisions,
        self_normalised_ap: precisions * k * k,  # a / m and b / n differ by 1 / mn at least
        reciprocal_rank: k * k,
        precision: measure.cutoff,
        recall: total,
        success: 1,
    }.get(measure.kernel)
    return 1 / parts if parts else 0.0


def _check_ties(universe: Universe, measure: Measure, places: Places, order: Ints, ties: Ints) -> None:
    """Ties among doubles against fractions, some of them: scores that differ by less than doubles hold are refused."""
    if measure.exact is None or not len(ties):
        return
    some = ties[np.unique(np.linspace(0, len(ties) - 1, _CHECKED).astype(np.int64))]
    rows = np.unique(np.concatenate([order[some], order[some + 1]]))
    level = universe.rows(rows)
    try:
        exact = measure.exact_scores(universe.inputs(level)).tolist()
    except InputError:
        return
    first_of: dict[int, int] = {}
    for at, place in enumerate(places[rows].tolist()):
        first = first_of.setdefault(place, at)
        if exact[first] != exact[at]:
            pair = f"{written(level[first])} and {written(level[at])}"
            raise InputError(
                f"{measure}: the scores of {pair} differ by less than doubles can hold",
                f"take shorter lists: up to {MOST_EXACT} are compared in fractions",
            )


def isotone(universe: Universe, places: Places) -> bool | None:
    """Whether no ranking is placed below one that IPSO calls inferior to it, by grade thresholds; None where that was
    not looked at.

    Looked at are the pairs that one step of a rule sets apart, which bring all others with them.
    """
    base, depth = universe.grades + 1, universe.depth
    if base**depth > max(1 << 22, 16 * len(universe)) or not (universe.full or universe.grades == 1):
        return None  # a table of all would be mostly empty, or a step is no longer always there
    absent = -2  # rankings that the topic does not allow
    table = np.full(base**depth, absent, np.int32)
    table[0] = -1  # the empty one is below all others
    table[slice(len(table) - len(places), None) if universe.full else universe.number] = places
    return all(bool(((high >= low) | (high == absent)).all()) for low, high in rule_steps(table, base, depth))
