"""Four claims about two systems on several collections, each with a test of its own.

Every claim is tested at alpha by itself. The verdict states the first that is shown, in the order mixed, on each, on
average, nowhere worse (decision 99).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Literal, TypeAlias

from rankscope.comparisons.effect import Effect
from rankscope.statistics.special import stdtr

ClaimName: TypeAlias = Literal["on average", "on each", "nowhere worse", "mixed"]
ClaimTest: TypeAlias = Literal["t", "intersection-union", "bonferroni"]
ORDER: tuple[ClaimName, ...] = ("mixed", "on each", "on average", "nowhere worse")


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim, whether it is shown, and for whom.

    verdict    1 where it is shown for b, -1 for a, 0 where it is shown for neither or for both
    pvalue     of the test of the claim; None where it cannot be tested
    test       name of the test; None where there is none
    method     how p is found, in words; where the claim cannot be tested, why
    """

    name: ClaimName
    shown: bool
    verdict: int
    pvalue: float | None
    test: ClaimTest | None
    method: str


def on_average(difference: float, pvalue: float, alpha: float, method: str) -> Claim:
    """The mean of the true effects is not 0."""
    shown = pvalue < alpha and difference != 0
    return Claim("on average", shown, (1 if difference > 0 else -1) * shown, pvalue, "t", method)


def on_each(effects: Sequence[Effect], alpha: float) -> Claim:
    """Better on each collection: every test is significant in one direction (intersection-union, Berger 1982)."""
    leans = {effect.lean if effect.lean * effect.difference > 0 else 0 for effect in effects}
    pvalue = max(effect.pvalue for effect in effects) if leans in ({1}, {-1}) else 1.0
    shown = pvalue < alpha
    method = f"the largest of {len(effects)} p values, all in one direction; no correction is needed"
    return Claim("on each", shown, leans.pop() if shown else 0, pvalue, "intersection-union", method)


def mixed(effects: Sequence[Effect], alpha: float) -> Claim:
    """Better on one collection and worse on another, each p corrected for their number (Bonferroni)."""
    best = {
        side: min((e.pvalue for e in effects if e.lean == side and e.difference * side > 0), default=1.0)
        for side in (1, -1)
    }
    pvalue = min(1.0, len(effects) * max(best.values()))
    method = f"the smallest p value in each direction, times {len(effects)}; the larger of the two"
    return Claim("mixed", pvalue < alpha, 0, pvalue, "bonferroni", method)


def nowhere_worse(effects: Sequence[Effect], variances: Sequence[float], margin: float | None, alpha: float) -> Claim:
    """On no collection worse by the margin: a one-sided test at alpha / 2 on each (intersection-union)."""
    if margin is None:
        return Claim("nowhere worse", False, 0, None, None, "no margin is named")
    sides = {side: max(_not_below(e, v, side, margin) for e, v in zip(effects, variances, strict=True))
             for side in (1, -1)}  # fmt: skip
    shown = [side for side, pvalue in sides.items() if pvalue < alpha]
    method = (
        f"the largest of {len(effects)} p values of one-sided t tests against -{margin:g}, doubled for two directions"
    )
    side = shown[0] if len(shown) == 1 else 0
    return Claim("nowhere worse", bool(shown), side, min(sides.values()), "intersection-union", method)


def _not_below(effect: Effect, variance: float, side: int, margin: float) -> float:
    """Twice the one-sided p value of a difference, towards one side, of no more than -margin."""
    above = side * effect.difference + margin
    if variance == 0:
        return min(1.0, 2 * 0.5**effect.n_topics) if above > 0 else 1.0
    tail = float(stdtr(effect.n_topics - 1, -above / sqrt(variance)))
    return min(1.0, 2 * tail)


def verdict(claims: Sequence[Claim]) -> Claim | None:
    """The claim that the verdict states; None where none is shown."""
    by_name = {claim.name: claim for claim in claims}
    return next((by_name[name] for name in ORDER if by_name[name].shown), None)
