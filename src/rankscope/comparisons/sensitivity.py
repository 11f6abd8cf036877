"""Sensitivity of a verdict: comparisons with another test, metric or order of ties; bounds for unjudged documents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np

from rankscope.arrays import Bools, Floats
from rankscope.comparisons.effect import TESTS, Effect, Procedure, Test
from rankscope.comparisons.scored import FEWEST, Scored, ScoredLists, scored
from rankscope.comparisons.without_metric import cutoff_of
from rankscope.errors import InputError, quietly
from rankscope.judged import Judged
from rankscope.judged.subsets import rows_of
from rankscope.measures import Measure, bounds, evaluate
from rankscope.statistics.equality import difference

PALETTE = ("AP", "nDCG@10", "P@10", "RR", "RBP(p=0.8)", "ERR@20", "R@100")
FOR_A, FOR_B = "best for A, worst for B", "worst for A, best for B"

Outcome: TypeAlias = Literal["holds", "weakens", "reverses", "appears"]
MEANINGS: dict[Outcome, str] = {
    "holds": "the verdict is the same",
    "weakens": "the difference is no longer shown",
    "reverses": "the other system is shown to score higher",
    "appears": "a difference is shown that the verdict does not claim",
}
"""What a repetition of the comparison makes of the verdict. These words mean this everywhere."""


def topic_differences(
    compared: Scored, measures: Sequence[str | Measure] | None = None
) -> tuple[tuple[str, ...], Floats]:
    """B - A on each topic of the lists under several measures: their names, and (measures, topics) differences.

    measures  the one that decides and those of `PALETTE`, unless given
    """
    if compared.judged is None or compared.record is None:
        raise InputError("differences of other measures", "they need lists: compare what `load` returns")
    with quietly():  # said when systems were compared
        scores = evaluate(compared.judged, [compared.record, *PALETTE] if measures is None else list(measures))
    differences, _ = difference(scores.value[:, 0], scores.value[:, 1])
    return tuple(map(str, scores.measures)), differences


@dataclass(frozen=True, slots=True)
class Repetition:
    """The same comparison with one choice made otherwise.

    axis     what was chosen otherwise: "test", "metric" or "ties"
    verdict  1 where b is shown to score higher, -1 where a is, 0 where neither
    outcome  what that makes of the verdict, one of `MEANINGS`
    """

    axis: str
    name: str
    effect: Effect
    verdict: int
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class DifferenceBounds:
    """Outer bounds of the mean of b - a, whatever the grades of the unjudged documents.

    Each list is bounded by itself, with grades that favour one system most and the other least. A document in both
    lists is taken both ways, so not every value between the two can happen. Only a topic on which both lists hold the
    same documents in the same order, as far down as the metric looks, is bounded jointly: its difference is 0.

    identical  topics with such lists; None where the documents are not known
    """

    lower: float
    upper: float
    identical: int | None


def outcome_of(base: int, again: int) -> Outcome:
    """Outcome of a repetition with the verdict `again` for the verdict `base`; each is 1, -1 or 0."""
    if again == base:
        return "holds"
    if base == 0:
        return "appears"
    return "weakens" if again == 0 else "reverses"


def verdict_of(effect: Effect, alpha: float) -> int:
    """1 where b is shown to score higher, -1 where a is, 0 where neither; nor where test and mean are at odds."""
    return effect.lean if is_significant(effect, alpha) and not at_odds(effect) else 0


def is_significant(effect: Effect, alpha: float) -> bool:
    """Whether p is below alpha, and topics are enough to say so."""
    return effect.n_topics >= FEWEST and effect.pvalue < alpha


def at_odds(effect: Effect) -> bool:
    """Whether test and mean are at odds: the test does not lean to the system with the higher mean (signs, ranks)."""
    return effect.lean * effect.difference <= 0


def repetitions(
    table: Scored,
    main: Effect,
    procedure: Procedure,
    *,
    alpha: float,
    palette: Sequence[str | Measure] = PALETTE,
) -> tuple[Repetition, ...]:
    """The comparison repeated with every other choice, in turn.

    table  scores of the two systems; tied documents are tried in other orders where its lists have kept them
    """
    verdict = verdict_of(main, alpha)

    def repeated(axis: str, name: str, scores: Scored, test: Test = procedure.test) -> Repetition:
        again = replace(procedure, test=test).effect_of(scores)
        return Repetition(axis, name, again, verdict_of(again, alpha), outcome_of(verdict, verdict_of(again, alpha)))

    rows = [repeated("test", words, table, test) for test, words in TESTS.items() if test != main.test]
    if table.judged is None:
        return tuple(rows)
    with quietly():  # said once, of the metric that was chosen
        shown = {table.measure}
        lists = ScoredLists(table.judged, evaluate(table.judged, palette)) if palette else None
        for measure in lists.scores.measures if lists is not None else ():
            scores = scored(lists, measure)
            if scores.measure not in shown and len(scores.topics) >= FEWEST:
                rows.append(repeated("metric", scores.measure, scores))
            shown.add(scores.measure)
        rows += [repeated("ties", name, scores) for name, scores in _tied(table)]
    return tuple(rows)


def _tied(table: Scored) -> Iterator[tuple[str, Scored]]:
    """Tied documents in the order that favours one system most and the other least."""
    judged = table.judged
    if judged is None or judged.extremes is None or table.record is None:
        return
    best, worst = (scored(judged.with_ties(ties), table.record) for ties in ("best", "worst"))
    for name, first, second in ((FOR_A, best, worst), (FOR_B, worst, best)):
        yield name, replace(table, value=np.stack([first.value[:, 0], second.value[:, 1]], axis=1))


def unjudged(table: Scored, *, workers: int | None = None) -> DifferenceBounds | None:
    """Outer bounds of the mean difference from the missing judgments; None where there are none."""
    if table.judged is None or table.record is None:
        return None
    with quietly():  # said of the metric that was chosen
        ends = bounds(table.judged, table.record, workers=workers)
    kept = rows_of(table.topics, table.judged.topics)
    lower, upper = ends.lower[0][:, kept], ends.upper[0][:, kept]
    if np.isnan(lower).any() or np.isnan(upper).any():
        return None
    lowest, highest = lower[1] - upper[0], upper[1] - lower[0]
    same = _identical(table.judged, table.record)
    if same is not None:
        lowest, highest = (np.where(same[kept], 0.0, end) for end in (lowest, highest))
    count = None if same is None else int(np.count_nonzero(same[kept]))
    return DifferenceBounds(float(lowest.mean()), float(highest.mean()), count)


def _identical(judged: Judged, measure: Measure) -> Bools | None:
    """Topics on which both lists hold the same documents in the same order, as far down as the metric looks."""
    cutoff, ranks = cutoff_of(measure), judged.code.shape[-1]
    if judged.documents is None or judged.documents.number.shape[-1] < min(cutoff or ranks, ranks):
        return None
    seen = judged.documents.number[..., :cutoff]
    return np.asarray((seen[0] == seen[1]).all(axis=-1), np.bool_)
