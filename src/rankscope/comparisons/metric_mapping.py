"""The metric map: two systems compared under RBP of many persistences and depths, and under named measures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from rankscope import arguments
from rankscope.comparisons.effect import Effect, Procedure, Test
from rankscope.comparisons.exact_differences import scores_to_test
from rankscope.comparisons.scored import FEWEST, Scored, ScoredLists, no_deeper, scored, scored_apart
from rankscope.comparisons.sensitivity import MEANINGS, Outcome, outcome_of, verdict_of
from rankscope.errors import InputError, plural, quietly, reason
from rankscope.formatting import probability, score
from rankscope.judged import Judged, with_systems
from rankscope.measures import Measure, evaluate, measure, parse
from rankscope.measures.record import several_grades
from rankscope.results import Result

PERSISTENCE = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)
DEPTHS = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000)
LADDER = (
    "P@1", "RR", "ERR@20", "RBP(p=0.5)", "P@5", "nDCG@5", "RBP(p=0.8)", "P@10", "nDCG@10", "RBP(p=0.95)", "nDCG@100",
    "AP", "R@100",
)  # fmt: skip
"""Named measures, from those that look at the first ranks to those that look at all."""
EQUAL, A_AHEAD, B_AHEAD = "equal", "A ahead", "B ahead"
SURE = ", significant"  # after who is ahead
OUTCOMES = (A_AHEAD + SURE, A_AHEAD, EQUAL, B_AHEAD, B_AHEAD + SURE)


@dataclass(frozen=True, slots=True)
class MapCell:
    """One measure of the map.

    persistence, depth  of RBP; None for a named measure
    spread              standard deviation of B - A over topics
    """

    measure: str
    persistence: float | None
    depth: int | None
    effect: Effect
    spread: float
    outcome: str

    @property
    def verdict(self) -> int:
        """1 where B is shown to score higher, -1 where A is, 0 where neither."""
        return {OUTCOMES[0]: -1, OUTCOMES[-1]: 1}.get(self.outcome, 0)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MetricMap(Result):
    """B against A under RBP of every persistence and depth, and under named measures.

    All measures are computed on the same topics: none is evidence independent of another, and none decides here.

    missing  why a named measure could not be computed, by name
    longest  documents of the longest list
    relevant  lowest relevant grade of measures that name none; None where grades leave no choice
    """

    systems: tuple[str, str]
    grid: tuple[MapCell, ...]
    ladder: tuple[MapCell, ...]
    alpha: float
    test: Test
    missing: Mapping[str, str] = field(default_factory=dict)
    longest: int
    relevant: float | None = None

    def columns(self) -> dict[str, list[Any]]:
        """One row per measure: those of the grid, then those of the ladder."""
        cells = (*self.grid, *self.ladder)
        return {
            "measure": [cell.measure for cell in cells],
            "persistence": [cell.persistence for cell in cells],
            "depth": [cell.depth for cell in cells],
            "difference": [cell.effect.difference for cell in cells],
            "lower": [cell.effect.ends[0] for cell in cells],
            "upper": [cell.effect.ends[1] for cell in cells],
            "pvalue": [cell.effect.pvalue for cell in cells],
            "n_topics": [cell.effect.n_topics for cell in cells],
            "outcome": [cell.outcome for cell in cells],
        }

    def column_types(self) -> dict[str, Any]:
        """Types of columns that may hold nothing but nulls."""
        return {"persistence": float, "depth": int, "lower": float, "upper": float}

    @property
    def distinct(self) -> tuple[MapCell, ...]:
        """Settings of the grid that can differ: at depth 1 RBP is the gain of the first document times 1 - p."""
        first = next((cell for cell in self.grid if cell.depth == 1), None)
        return tuple(cell for cell in self.grid if cell.depth != 1 or cell is first)

    def counts(self) -> dict[str, int]:
        """Distinct settings of the grid by outcome."""
        return {name: sum(cell.outcome == name for cell in self.distinct) for name in OUTCOMES}

    def sentence(self) -> str:
        """Under how many settings of RBP each system scores higher, and under how many that is shown, in words."""
        counts = self.counts()
        ahead = {name: counts[word] + counts[word + SURE] for name, word in (("A", A_AHEAD), ("B", B_AHEAD))}
        sure = {"A": counts[A_AHEAD + SURE], "B": counts[B_AHEAD + SURE]}
        parts = [f"{name} scores higher under {n:,} (significant under {sure[name] or 'none'})" if n
                 else f"{name} scores higher under none"
                 for name, n in sorted(ahead.items(), key=lambda side: -side[1])]  # fmt: skip
        if counts[EQUAL]:
            parts.append(f"both score the same under {counts[EQUAL]:,}")
        return f"of {plural(len(self.distinct), 'mapped setting')} of RBP, {', '.join(parts)}"

    def agreement(self, verdict: int) -> dict[Outcome, int]:
        """In how many distinct settings of the grid a verdict (1, -1 or 0) holds, weakens, reverses or appears."""
        outcomes = [outcome_of(verdict, cell.verdict) for cell in self.distinct]
        return {word: outcomes.count(word) for word in MEANINGS if word in outcomes}

    def table(self) -> tuple[list[str], list[list[str]]]:
        """One row per named measure."""
        rows = [[cell.measure, score(cell.effect.difference), probability(cell.effect.pvalue), cell.outcome]
                for cell in self.ladder]  # fmt: skip
        return ["measure", "B - A", "p", "outcome"], rows

    def heading(self) -> str:
        """Both systems, and how much of the map agrees."""
        a, b = self.systems
        return f"{b} (B) against {a} (A): {self.sentence()}."

    def remarks(self) -> list[str]:
        """What the outcomes mean, and which measures are not on the map, and why."""
        return [
            f"significant: the p value is below {self.alpha:g}. All measures are computed on the same topics, so none "
            "of them is further evidence.",
            *self.threshold(),
            *no_deeper([cell.measure for cell in self.ladder], self.longest),
            *(f"{name} is not on the map: {why}" for name, why in self.missing.items()),
        ]

    def threshold(self) -> list[str]:
        """Which documents are relevant, where grades leave a choice."""
        return [] if self.relevant is None else [f"Relevant: grade {self.relevant:g} or more."]


def metric_map(
    judged: Judged,
    a: str,
    b: str,
    *,
    persistence: Sequence[float] = PERSISTENCE,
    depths: Sequence[int] | None = None,
    ladder: Sequence[str | Measure] = LADDER,
    test: Test = "t",
    alpha: float = 0.05,
) -> MetricMap:
    """Compare b with a under many measures: RBP of every persistence and depth, and named ones.

    depths  1, 2, 5, 10, ... by default, as far as lists go
    ladder  the named measures; one that cannot be computed is left out, and `missing` has the reason
    """
    arguments.alpha(alpha)
    loaded = judged.code.shape[-1]
    ranks = [k for k in DEPTHS if k <= loaded] if depths is None else list(depths)
    wrong = [k for k in ranks if not isinstance(k, int) or not 1 <= k <= loaded]
    if wrong or not ranks or not len(persistence):
        raise InputError(f"depths={wrong or ranks}, persistence={list(persistence)}",
                         f"give at least one of each, depths being whole numbers from 1 to {loaded}")  # fmt: skip
    two = with_systems(judged, (a, b))
    grid = [(p, k) for p in dict.fromkeys(persistence) for k in dict.fromkeys(ranks)]

    def cells(lists: ScoredLists, *records: Measure) -> list[MapCell]:
        return [_cell(scored(lists, record), test, alpha) for record in records or lists.scores.measures]

    missing: dict[str, str] = {}
    named: list[MapCell] = []
    with quietly():  # topics are counted in each cell
        rbp = cells(ScoredLists(two, evaluate(two, [measure(f"RBP(p={p!r})@{k}") for p, k in grid])))
        for scores in scored_apart(two, parse(list(ladder))):
            if isinstance(scores, tuple):
                missing[scores[0]] = scores[1]
                continue
            for record in scores.measures:
                try:
                    named += cells(ScoredLists(two, scores), record)
                except InputError as error:  # too few topics
                    missing[str(record)] = reason(error)
    return MetricMap(
        systems=(a, b),
        grid=tuple(replace(cell, persistence=p, depth=k) for cell, (p, k) in zip(rbp, grid, strict=True)),
        ladder=tuple(named),
        alpha=alpha,
        test=test,
        missing=missing,
        longest=loaded,
        relevant=float(judged.rules.rel) if several_grades(judged.grades) else None,
    )


def _cell(scores: Scored, test: Test, alpha: float) -> MapCell:
    """One measure, from scores of a and of b."""
    topics = len(scores.topics)
    if topics < FEWEST:
        raise InputError(
            f"{plural(topics, 'topic')} with a score of {scores.measure}", f"a map needs at least {FEWEST} topics"
        )
    a, b, exactly = scores_to_test(scores, 0, 1)
    tested = Procedure(test, 1 - alpha).effect(a, b, exactly=exactly)
    verdict = verdict_of(tested, alpha)
    outcome = OUTCOMES[2 + 2 * verdict if verdict else 2 + int(np.sign(tested.difference))]
    return MapCell(str(scores.record), None, None, tested, float(np.std(b - a, ddof=1)), outcome)
