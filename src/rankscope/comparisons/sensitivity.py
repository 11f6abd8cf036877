"""Would the verdict be another with another test, metric, order of ties, or with the judgments that are missing?"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from rankscope.comparisons.effect import TESTS, Effect, Test, effect
from rankscope.comparisons.scored import FEWEST, Scored, only, scored
from rankscope.errors import DataWarning
from rankscope.judged import Judged
from rankscope.measures import Measure, bounds
from rankscope.statistics import Resampling

PALETTE = ("AP", "nDCG@10", "P@10", "RR", "RBP(p=0.8)", "ERR@20", "R@100")
FOR_A, FOR_B = "best for A, worst for B", "worst for A, best for B"


@dataclass(frozen=True, slots=True)
class Other:
    """One choice that could have been made otherwise, and what it makes of the verdict.

    kind     "test", "metric", "ties" or "unjudged"
    verdict  1 where b is better beyond chance, -1 where a is, 0 where neither
    """

    kind: str
    name: str
    effect: Effect
    verdict: int
    holds: bool


def verdict_of(found: Effect, alpha: float) -> int:
    """1 where b is better beyond chance, -1 where a is, 0 where neither; nor where test and mean are at odds."""
    return found.favours if is_significant(found, alpha) and not at_odds(found) else 0


def is_significant(found: Effect, alpha: float) -> bool:
    """Whether p is below alpha, and topics are enough to say so."""
    return found.topics >= FEWEST and found.pvalue < alpha


def at_odds(found: Effect) -> bool:
    """Whether the test does not lean to the system with the higher mean, as tests of signs and ranks may not."""
    return found.favours * found.difference <= 0


def sensitivity(
    found: Scored,
    main: Effect,
    *,
    alpha: float,
    palette: Sequence[str | Measure] = PALETTE,
    ties: Mapping[str, Judged] | None = None,
    chance: Resampling | None = None,
    workers: int | None = None,
) -> tuple[Other, ...]:
    """Every other choice, in turn.

    found  scores of the two systems
    ties   the same lists with ties at their "best" and at their "worst", as `load(ties=...)` gives them
    """
    verdict = verdict_of(main, alpha)

    def other(kind: str, name: str, scores: Scored, test: Test = main.test) -> Other:
        value = scores.value
        got = effect(value[:, 0], value[:, 1], test=test, level=main.level, chance=chance, workers=workers)
        return Other(kind, name, got, verdict_of(got, alpha), verdict_of(got, alpha) == verdict)

    lines = [other("test", words, found, test) for test, words in TESTS.items() if test != main.test]
    if found.judged is None:
        return tuple(lines)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # said once, of the metric that was chosen
        for metric in palette:
            scores = scored(found.judged, metric)
            if scores.measure != found.measure and len(scores.topics) >= FEWEST:
                lines.append(other("metric", scores.measure, scores))
        lines += [other("ties", name, scores) for name, scores in _tied(found, ties or {})]
        lines += [other("unjudged", name, scores) for name, scores in _unjudged(found, workers)]
    return tuple(lines)


def _tied(found: Scored, ties: Mapping[str, Judged]) -> Iterator[tuple[str, Scored]]:
    """Tied documents in the order that favours one system most and the other least."""
    if not {"best", "worst"} <= set(ties) or found.record is None:
        return
    best, worst = (scored(only(ties[how], found.systems), found.record) for how in ("best", "worst"))
    for name, first, second in ((FOR_A, best, worst), (FOR_B, worst, best)):
        yield name, replace(found, value=np.stack([first.value[:, 0], second.value[:, 1]], axis=1))


def _unjudged(found: Scored, workers: int | None) -> Iterator[tuple[str, Scored]]:
    """Unjudged documents with the grades that favour one system most and the other least.

    Each list by itself: a document in both is taken both ways, so that the two ends hold whatever is possible.
    """
    if found.judged is None or found.record is None:
        return
    ends = bounds(found.judged, found.record, workers=workers)
    kept = [found.judged.topics.index(topic) for topic in found.topics]
    lower, upper = ends.lower[0][:, kept].T, ends.upper[0][:, kept].T
    if np.isnan(lower).any() or np.isnan(upper).any():
        return
    yield FOR_A, replace(found, value=np.stack([upper[:, 0], lower[:, 1]], axis=1))
    yield FOR_B, replace(found, value=np.stack([lower[:, 0], upper[:, 1]], axis=1))
