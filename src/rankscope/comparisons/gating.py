"""A verdict for a pipeline: did the candidate get worse, by more than matters?"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from rankscope.arrays import FIRST_GRADE, PADDING, Floats
from rankscope.comparisons.effect import Effect, effect
from rankscope.comparisons.scored import FEWEST, Scored, left_out, scored
from rankscope.comparisons.sources import paired
from rankscope.errors import InputError, Problem, are, plural
from rankscope.judged import Judged
from rankscope.measures import Measure, Scores
from rankscope.results import Shown, frame, markdown, markdown_table, records, text_table
from rankscope.statistics.differences import ROUNDING
from rankscope.statistics.digits import bounds, probability, score

if TYPE_CHECKING:
    import polars as pl

Outcome: TypeAlias = Literal["pass", "regression", "inconclusive"]

MARGIN = 0.01
OVERALL = "all topics"
MOST = 1_000_000  # topics beyond which nobody will collect any


@dataclass(frozen=True, slots=True)
class Check:
    """One set of topics: the interval of candidate - baseline, and what it says."""

    name: str
    outcome: Outcome
    baseline: float
    candidate: float
    effect: Effect | None  # None where there are too few topics
    topics: int
    settles: int | None  # topics that would decide, were difference and spread to stay as they are
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Gate(Shown):
    """Whether a candidate may replace a baseline: pass, regression or inconclusive.

    The outcome is the worst of all checks: of all topics together, and of each slice of topics.
    """

    measure: str
    baseline: str
    candidate: str
    margin: float
    level: float
    checks: tuple[Check, ...]
    left_out: int
    reasons: Mapping[str, int]  # why they were left out, see `scored.REASONS`
    on_loading: tuple[str, ...]  # what was missing, filled or ignored when runs and judgments were joined
    signature: str

    @property
    def outcome(self) -> Outcome:
        outcomes = {check.outcome for check in self.checks}
        return next(o for o in ("regression", "inconclusive", "pass") if o in outcomes)

    def exit_code(self, strict: bool = False) -> int:
        """0 pass, 1 regression; inconclusive is 0, or 3 where strict."""
        return {"pass": 0, "regression": 1, "inconclusive": 3 if strict else 0}[self.outcome]

    def columns(self) -> dict[str, list[Any]]:
        """A row a check."""
        effects = [check.effect for check in self.checks]
        return {
            "topics_of": [check.name for check in self.checks],
            "outcome": [check.outcome for check in self.checks],
            "topics": [check.topics for check in self.checks],
            "baseline": [_none(check.baseline) for check in self.checks],
            "candidate": [_none(check.candidate) for check in self.checks],
            "difference": [None if e is None else e.difference for e in effects],
            "lower": [None if e is None else e.lower for e in effects],
            "upper": [None if e is None else e.upper for e in effects],
            "level": [None if e is None else e.level for e in effects],
            "p": [None if e is None else e.pvalue for e in effects],
            "topics_to_settle": [check.settles for check in self.checks],
            "reason": [check.reason for check in self.checks],
        }

    def to_frame(self) -> pl.DataFrame:
        """A row a check: topics_of, outcome, topics, baseline, candidate, difference, lower, upper, level, p, ..."""
        return frame(self.columns())

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as for JSON."""
        return {
            "outcome": self.outcome,
            "measure": self.measure,
            "baseline": self.baseline,
            "candidate": self.candidate,
            "margin": self.margin,
            "level": self.level,
            "left_out": self.left_out,
            "left_out_because": dict(self.reasons),
            "notes": list(self.on_loading),
            "signature": self.signature,
            "checks": records(self.columns()),
        }

    def table(self) -> tuple[list[str], list[list[str]]]:
        header = ["topics of", "outcome", "topics", self.baseline, self.candidate, "difference", "interval", "p"]
        rows = []
        for check in self.checks:
            e = check.effect
            more = ["", "", ""] if e is None else [score(e.difference), bounds(e.lower, e.upper), probability(e.pvalue)]
            means = [_shown(check.baseline), _shown(check.candidate)]
            rows.append([check.name, check.outcome, f"{check.topics}", *means, *more])
        return header, rows

    def sentence(self) -> str:
        """The outcome and why, in one line."""
        worst = next(check for check in self.checks if check.outcome == self.outcome)
        where = "" if len(self.checks) == 1 else f" ({worst.name})"
        return f"{self.outcome.upper()}{where}: {worst.reason}"

    def notes(self) -> list[str]:
        levels = "" if len(self.checks) == 1 else "; slices by Holm's levels, for all slices at once"
        said = [
            f"{self.measure}, difference = {self.candidate} - {self.baseline}, margin {self.margin:g}, "
            f"{100 * self.level:g} % intervals (Student){levels}."
        ]
        if self.left_out:
            said.append(f"{plural(self.left_out, 'topic')} {left_out(self.reasons)}.")
        return [*said, *(f"{note[0].upper()}{note[1:]}." for note in self.on_loading), self.signature]

    def __str__(self) -> str:
        return "\n".join([self.sentence(), "", text_table(*self.table(), left=2), "", *self.notes()])

    def to_markdown(self) -> str:
        """A summary as GitHub shows it."""
        mark = {"pass": "✅", "regression": "❌", "inconclusive": "⚠️"}[self.outcome]
        notes = "  \n".join(map(markdown, self.notes()))
        return f"### {mark} {markdown(self.sentence())}\n\n{markdown_table(*self.table(), left=2)}\n\n{notes}"


def gate(
    source: Judged | Scores | Any,
    baseline: Any,
    candidate: Any,
    *,
    measure: str | Measure | None = None,
    margin: float = MARGIN,
    level: float = 0.95,
    slices: Mapping[str, Sequence[str]] | None = None,
    allow_missing: bool = False,
) -> Gate:
    """Is the candidate worse than the baseline by more than the margin? From the interval of the mean difference:

    pass          its lower limit is above -margin
    regression    else, its upper limit is below 0
    inconclusive  else; with the number of topics that would decide

    baseline, candidate  names of two systems; or two runs, as `load` takes them, and then the source is the judgments
    slices         {name: topics}: each checked as well, at the levels of Holm's procedure over the slices
    allow_missing  score judged topics that a run lacks as empty lists, and ignore topics without judgments; refused
                   otherwise, as half a run is no candidate
    """
    _check(margin, level)
    pair = paired(source, baseline, candidate, ties={})
    if pair.a == pair.b:
        raise InputError(f"{pair.a!r} is both baseline and candidate", "name two systems")
    found = scored(pair.source, measure, (pair.a, pair.b))
    _complete(found, allow_missing)
    if len(found.topics) < FEWEST:
        raise InputError(
            f"{are(len(found.topics), 'topic')} too few for a verdict",
            f"give at least {FEWEST} topics that both runs have",
        )
    parts = _parts(found, slices or {})
    checks = [_checked(OVERALL, found, margin, level)]
    checks += [
        _checked(name, part, margin, each)
        for (name, part), each in zip(parts, _levels([part for _, part in parts], level), strict=True)
    ]
    return Gate(
        measure=found.measure, baseline=pair.a, candidate=pair.b, margin=margin, level=level,
        checks=tuple(checks), left_out=len(found.left_out), reasons=found.reasons,
        on_loading=() if found.judged is None else found.judged.notes, signature=found.signature,
    )  # fmt: skip


def _check(margin: float, level: float) -> None:
    problems = []
    if not (isinstance(margin, int | float) and math.isfinite(margin) and margin >= 0):
        problems.append(Problem(f"margin={margin}", "a margin is a number from 0: the smallest loss that matters"))
    if not 0 < level < 1:
        problems.append(Problem(f"level={level}", "a level is between 0 and 1, such as 0.95"))
    if problems:
        raise InputError(problems)


def _complete(found: Scored, allowed: bool) -> None:
    """Refuse runs and judgments that lack each other's topics, or have no document in common.

    Topics that a run lacks would be scored 0 and called a regression, or left out and passed; judgments that were cut
    short would pass on the topics that are left, and those of other documents would always.
    """
    if found.judged is not None:
        strange = [
            n for n, rows in zip(found.systems, found.judged.code, strict=True) if not (rows >= FIRST_GRADE).any()
        ]
        if strange:
            cure = "check that documents have the same ids in runs and judgments"
            raise InputError([Problem(f"no document of {name} is judged", cure) for name in strange])
    if allowed:
        return
    causes = []
    if found.judged is not None:
        lacking = [int(np.count_nonzero((rows == PADDING).all(axis=-1))) for rows in found.judged.code]
        total = len(found.judged.topics)
        for name, n in zip(found.systems, lacking, strict=True):
            if n:
                causes.append(f"{name} lacks {n} of {total} judged topics")
            if ignored := found.judged.ignored.get(name):
                causes.append(f"{name} has {plural(ignored, 'topic')} without judgments")
    elif gone := found.reasons.get("lacking", 0) + found.reasons.get("score", 0):
        causes.append(f"{gone} of {len(found.left_out) + len(found.topics)} topics lack a score")
    if causes:
        cure = "complete the run or the judgments, or allow missing topics (--allow-missing)"
        raise InputError([Problem(cause, cure) for cause in causes])


def _parts(found: Scored, slices: Mapping[str, Sequence[str]]) -> list[tuple[str, Scored]]:
    """Each slice's scores. A slice may name topics that are left out, but none that are unknown."""
    known = set(found.topics) | set(found.left_out)
    problems = []
    for name, topics in slices.items():
        if unknown := [topic for topic in dict.fromkeys(topics) if topic not in known]:
            shown = ", ".join(unknown[:5]) + (" ..." if len(unknown) > 5 else "")
            problems.append(Problem(f"slice {name!r} names unknown topics: {shown}", "name topics of the judgments"))
        if not topics:
            problems.append(Problem(f"slice {name!r} is empty", "name its topics"))
    if problems:
        raise InputError(problems)
    return [(name, found.on(topics)) for name, topics in slices.items()]


def _levels(parts: list[Scored], level: float) -> list[float]:
    """Holm's levels: the smaller a slice's p value for having got worse, the wider its interval.

    That a slice's upper limit is below 0 then says what Holm's procedure on one-sided p values says. Once a slice
    is not below 0, the rest are judged at its level.
    """
    tested = [i for i, part in enumerate(parts) if len(part.topics) >= FEWEST]
    worse = {i: _worse(parts[i], level) for i in tested}
    order = sorted(tested, key=lambda i: worse[i])
    alpha = 1 - level
    share, going = 1.0, True
    levels = [level] * len(parts)
    for place, i in enumerate(order):
        if going:
            share = len(order) - place
        levels[i] = 1 - alpha / share
        going = going and worse[i] < alpha / 2 / share
    return levels


def _worse(part: Scored, level: float) -> float:
    """One-sided p value of the hypothesis that the candidate is not worse."""
    found = effect(part.value[:, 0], part.value[:, 1], level=level)
    return found.pvalue / 2 if found.difference < 0 else 1 - found.pvalue / 2


def _checked(name: str, part: Scored, margin: float, level: float) -> Check:
    n = len(part.topics)
    means: Floats = part.value.mean(axis=0) if n else np.full(2, math.nan)
    base, new = float(means[0]), float(means[1])
    if n < FEWEST:
        reason = f"{are(n, 'topic')} too few to say anything; {FEWEST} are the least"
        return Check(name, "inconclusive", base, new, None, n, None, reason)
    e = effect(part.value[:, 0], part.value[:, 1], level=level)
    moved = f"{score(e.difference)} {bounds(e.lower, e.upper)}"
    if e.lower > -margin + ROUNDING:
        outcome: Outcome = "pass"
        reason = f"the difference {moved} is above -{margin:g}"
        return Check(name, outcome, base, new, e, n, None, reason)
    if e.upper < -ROUNDING:
        return Check(name, "regression", base, new, e, n, None, f"the difference {moved} is below 0")
    more = _settling(e, float(np.std(part.value[:, 1] - part.value[:, 0], ddof=1)), margin)
    wanted = f"about {more:,} topics would decide" if more is not None else "no number of topics is likely to decide"
    reason = f"the difference {moved} reaches from below -{margin:g} to 0 or above; {wanted}"
    return Check(name, "inconclusive", base, new, e, n, more, reason)


def _settling(e: Effect, sd: float, margin: float) -> int | None:
    """The fewest topics with which this difference and spread would pass or be a regression."""
    from scipy.special import stdtrit

    room = max(e.difference + margin, -e.difference)  # the half width that decides
    if room <= 0:
        return None

    def enough(n: int) -> bool:
        return float(stdtrit(n - 1, (1 + e.level) / 2)) * sd / math.sqrt(n) < room

    low, high = e.topics, e.topics
    while not enough(high):
        low, high = high, 2 * high
        if high > MOST:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _none(value: float) -> float | None:
    return None if math.isnan(value) else value


def _shown(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.4f}"
