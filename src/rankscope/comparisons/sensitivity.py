"""Sensitivity of a verdict: comparisons with another test, metric or order of ties; bounds for unjudged documents."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal, TypeAlias

import numpy as np

from rankscope.arrays import PADDING, Bools
from rankscope.comparisons.effect import TESTS, WEIGHTED, Effect, PairedScores, Procedure
from rankscope.comparisons.holes import judged_shares
from rankscope.comparisons.scored import FEWEST, Scored, ScoredLists, cutoff_of, scored, scored_apart
from rankscope.errors import InputError, are, quietly, reason
from rankscope.judged import Judged
from rankscope.measures import Measure, parse
from rankscope.measures.bounding.joint import joint_ends

PALETTE = ("AP", "nDCG@10", "P@10", "RR", "RBP(p=0.8)", "ERR@20", "R@100")
FOR_A, FOR_B = "best for A, worst for B", "worst for A, best for B"

Outcome: TypeAlias = Literal["holds", "weakens", "reverses", "appears"]
MEANINGS: dict[Outcome, str] = {
    "holds": "the verdict is the same",
    "weakens": "not shown with this choice; that does not show a smaller difference",
    "reverses": "the other system is shown to score higher",
    "appears": "a difference is shown that the verdict does not claim",
}
"""What a repetition of the comparison makes of the verdict. These words mean this everywhere."""


@dataclass(frozen=True, slots=True)
class Repetition:
    """The same comparison with one choice made otherwise.

    axis     what was chosen otherwise: "test", "metric", "ties", "judge", "topics" (all alike) or "slice" (some)
    verdict  1 where b is shown to score higher, -1 where a is, 0 where neither
    outcome  what that makes of the verdict, one of `MEANINGS`
    left_out topics of another judge that have no score, as they have no relevant documents under this judge
    """

    axis: str
    name: str
    effect: Effect
    verdict: int
    outcome: Outcome
    left_out: int = 0


ALIKE = "topics independent, of equal weight"
EVERY_JUDGE = "IPSO under every judge"  # no repetition under one of them
LISTS = "lists"
"""Axis of what needs no metric; others that are no repetitions are "unjudged" for bounds and "dominance"."""


@dataclass(frozen=True, slots=True)
class NotRepeated:
    """A choice that was not tried, and why; `axis` as of `Repetition`, or one of those below."""

    axis: str
    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class DifferenceBounds:
    """Lowest and highest mean of b - a over all grades that the unjudged documents of the two lists could have.

    A document has one grade, in both lists and among the relevant documents of the topic. A topic on which both lists
    hold the same documents in the same order, as far down as the metric looks, has the difference 0.

    exact      whether some grades reach each end; where not, the bounds are wide enough
    how        why they are not exact
    identical  topics with lists that are the same; None where the documents are not known
    judged     share of the documents of a and of b that are judged, as far down as the metric looks
    """

    lower: float
    upper: float
    exact: bool
    how: str
    identical: int | None
    judged: tuple[float, float]


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
    return not effect.sample.too_few and effect.pvalue < alpha


def at_odds(effect: Effect) -> bool:
    """Whether test and mean are at odds: the test does not lean to the system with the higher mean (signs, ranks)."""
    return effect.lean * effect.difference <= 0


def repetitions(
    table: Scored,
    main: Effect,
    procedure: Procedure,
    *,
    tested: PairedScores,
    alpha: float,
    palette: Sequence[str | Measure] = PALETTE,
) -> list[Callable[[], Repetition | NotRepeated]]:
    """The comparison repeated with every other choice: what computes each row, on its own. One that fails has a reason.

    table   scores of the two systems; tied documents are tried in other orders where its lists have kept them
    tested  the same scores, as the comparison tested them
    """
    verdict = verdict_of(main, alpha)

    def row(axis: str, name: str, effect: Callable[[], Effect]) -> Callable[[], Repetition | NotRepeated]:
        def repeated() -> Repetition | NotRepeated:
            try:
                again = effect()
            except InputError as error:
                return NotRepeated(axis, name, reason(error))
            if again.sample.too_few and not main.sample.too_few:
                return NotRepeated(axis, name, f"{again.sample.are} too few; {again.sample.fewest} are the least")
            shown = verdict_of(again, alpha)
            return Repetition(axis, name, again, shown, outcome_of(verdict, shown))

        return repeated

    tried = {main.test, *(WEIGHTED if main.unequal and main.test in WEIGHTED else ())}  # flips stand in for t
    rows = [
        row("test", words, partial(replace(procedure, test=test).effect_on, tested))
        for test, words in TESTS.items()
        if test not in tried
    ]
    if table.design is not None:
        rows.append(row("topics", ALIKE, partial(procedure.effect_of, replace(table, design=None))))
    if table.judged is None:
        return rows
    with quietly():  # said once, of the metric that was chosen
        for name, scores in _palette(table, palette):
            if isinstance(scores, str):
                rows.append(partial(NotRepeated, "metric", name, scores))
            else:
                rows.append(row("metric", name, partial(procedure.effect_of, scores)))
        for name, either in _tied(table):
            rows.append(row("ties", name, (lambda: main) if either is table else partial(procedure.effect_of, either)))
    return rows


def _palette(table: Scored, palette: Sequence[str | Measure]) -> Iterator[tuple[str, Scored | str]]:
    """Scores under the other metrics by their names, each once; or why there are none."""
    assert table.judged is not None
    shown = {table.measure}
    others = [m for m in parse(palette) if m.relevant_from(table.judged.rules.rel) != table.record]
    for scores in scored_apart(table.judged, others):
        if isinstance(scores, tuple):
            yield scores
            continue
        for measure in scores.measures:
            each = scored(ScoredLists(table.judged, scores), measure)
            if table.design is not None:
                same = each.topics == table.topics
                each = replace(each, design=table.design) if same else table.design.plan.applied(each)
            if each.measure not in shown:
                few = f"{are(len(each.topics), 'topic')} too few; {FEWEST} are the least"
                yield each.measure, each if len(each.topics) >= FEWEST else few
            shown.add(each.measure)


def _tied(table: Scored) -> Iterator[tuple[str, Scored]]:
    """Tied documents in the order that favours one system most and the other least."""
    judged = table.judged
    if judged is None or judged.extremes is None or table.record is None:
        return
    if all(np.array_equal(code, judged.code) for code in judged.extremes):  # no ties, or none that matters
        yield from ((name, table) for name in (FOR_A, FOR_B))
        return
    orders = (scored(judged.with_ties(ties), table.record) for ties in ("best", "worst"))
    best, worst = (order.at_rows(np.searchsorted(order.at, table.at)) for order in orders)  # no topics of weight 0
    for name, first, second in ((FOR_A, best, worst), (FOR_B, worst, best)):
        yield name, replace(table, value=np.stack([first.value[:, 0], second.value[:, 1]], axis=1))


def unjudged(table: Scored, *, workers: int | None = None) -> DifferenceBounds | NotRepeated | None:
    """Bounds of the mean difference from the missing judgments, or why not; None where there are none."""
    if table.judged is None or table.record is None:
        return None
    try:
        ends = joint_ends(table.judged, table.record, workers)
    except InputError as error:
        return NotRepeated("unjudged", "bounds", reason(error))
    lower, upper, exact = ends.lower[table.at], ends.upper[table.at], ends.exact[table.at]
    if np.isnan(lower).any() or np.isnan(upper).any():
        return None
    same = identical_lists(table.judged, table.record)
    count = None
    if same is not None:
        same = same[table.at]
        lower, upper, exact = np.where(same, 0.0, lower), np.where(same, 0.0, upper), exact | same
        count = int(np.count_nonzero(same))
    sure = bool(exact.all())
    a, b = judged_shares(table.judged, cutoff_of(table.record), table.at).tolist()
    return DifferenceBounds(
        float(table.mean(lower)), float(table.mean(upper)), sure, "" if sure else ends.how, count, (a, b)
    )


def identical_lists(judged: Judged, measure: Measure) -> Bools | None:
    """Topics on which both lists hold the same documents in the same order, as far down as the metric looks.

    None where documents were not kept as far down, and some lists could be the same: they have the same documents as
    far as is known, and the same grades below.
    """
    if judged.documents is None:
        return None
    depth = min(cutoff_of(measure) or judged.code.shape[-1], judged.code.shape[-1])
    seen = judged.documents.number[..., :depth]
    same: Bools = np.asarray((seen[0] == seen[1]).all(axis=-1), np.bool_)
    if seen.shape[-1] == depth:
        return same
    same &= (judged.code[0, :, :depth] == judged.code[1, :, :depth]).all(axis=-1)
    goes_on = judged.code[0, :, seen.shape[-1]] != PADDING
    return None if (same & goes_on).any() else same
