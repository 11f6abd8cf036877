"""Gate of a pipeline: whether the candidate is worse than the baseline by more than a margin."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np

from rankscope.arrays import FIRST_GRADE, PADDING, Floats
from rankscope.comparisons.effect import Effect, PairedScores, Procedure, close_scores, interval_level, paired_scores
from rankscope.comparisons.scored import FEWEST, Scored, left_out, scored
from rankscope.errors import InputError, Problem, are, plural
from rankscope.formatting import bounds, markdown, probability, score, visible
from rankscope.judged import Judged
from rankscope.judged.two_systems import two_systems
from rankscope.layout import markdown_table, text_table
from rankscope.measures import Measure, Scores
from rankscope.results import Result, records
from rankscope.statistics.pairs.gate_outcomes import (
    MOST_TOPICS,
    Chances,
    loss_reported,
    outcome_chances,
    topics_that_decide,
    topics_to_decide,
)

Outcome: TypeAlias = Literal["pass", "regression", "inconclusive"]

MARGIN = 0.01
OVERALL = "all topics"
LOSSES = (1, 2, 3, 5)  # true losses that a gate says it would miss, in margins
POWER = 0.8  # chance with which a fresh set of topics is to decide, or a loss to be reported


@dataclass(frozen=True, slots=True)
class Check:
    """Outcome on one set of topics: the interval of candidate - baseline, and which losses it could have missed.

    sd        standard deviation of the differences
    chances   of each outcome at some true losses, for a gate with so many topics and this sd
    reported  the true loss that such a gate reports as a regression in 80 %
    settles   topics of a fresh set that would decide in 80 %, averaged over the true differences that are left open;
              None where this one decided, or where none would
    certain   topics that would decide whatever the true difference, with this sd; None as for settles
    """

    name: str
    outcome: Outcome
    baseline: float
    candidate: float
    n_topics: int
    reason: str
    effect: Effect | None = None  # None where there are too few topics
    sd: float | None = None
    chances: tuple[Chances, ...] = ()  # none where differences do not vary
    reported: float | None = None
    settles: int | None = None
    certain: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Gate(Result):
    """Whether a candidate may replace a baseline: pass, regression or inconclusive.

    The outcome is the worst of all checks: of all topics together, and of each slice of topics.
    """

    measure: str
    baseline: str
    candidate: str
    margin: float  # in points of the measure
    relative: float | None  # the margin as a share of the baseline's mean, where it was given so
    level: float
    checks: tuple[Check, ...]
    left_out: int
    reasons: Mapping[str, int]  # why they were left out, see `scored.REASONS`
    on_loading: tuple[str, ...]  # what was missing, filled or ignored when runs and judgments were joined
    signature: str
    also: tuple[Gate, ...] = ()  # the same under further measures, all topics together; they do not decide

    @property
    def outcome(self) -> Outcome:
        outcomes = {check.outcome for check in self.checks}
        return next(o for o in ("regression", "inconclusive", "pass") if o in outcomes)

    def exit_code(self, strict: bool = False) -> int:
        """0 pass, 1 regression; inconclusive is 0, or 3 where strict."""
        return {"pass": 0, "regression": 1, "inconclusive": 3 if strict else 0}[self.outcome]

    def columns(self) -> dict[str, list[Any]]:
        """One row per check."""
        from rankscope.preferences.classes import favoured

        effects = [check.effect for check in self.checks]
        return {
            "topics_of": [check.name for check in self.checks],
            "outcome": [check.outcome for check in self.checks],
            "n_topics": [check.n_topics for check in self.checks],
            "baseline": [_number_or_none(check.baseline) for check in self.checks],
            "candidate": [_number_or_none(check.candidate) for check in self.checks],
            "difference": [None if e is None else e.difference for e in effects],
            "lower": [None if e is None else e.lower for e in effects],
            "upper": [None if e is None else e.upper for e in effects],
            "level": [None if e is None else e.level for e in effects],
            "pvalue": [None if e is None else e.pvalue for e in effects],
            "favours": favoured([0 if e is None else e.lean for e in effects], (self.baseline, self.candidate)),
            "sd": [check.sd for check in self.checks],
            "loss_reported_in_80_percent": [check.reported for check in self.checks],
            "topics_to_settle_in_80_percent": [check.settles for check in self.checks],
            "topics_that_settle": [check.certain for check in self.checks],
            "reason": [check.reason for check in self.checks],
        }

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as for JSON; of each check also `chances`, the probability of every outcome by true loss."""
        checks = [
            row | {"chances": [_chances(chances) for chances in check.chances]}
            for row, check in zip(records(self.columns()), self.checks, strict=True)
        ]
        return {
            "outcome": self.outcome,
            "measure": self.measure,
            "baseline": self.baseline,
            "candidate": self.candidate,
            "margin": self.margin,
            "relative_margin": self.relative,
            "level": self.level,
            "left_out": self.left_out,
            "left_out_because": dict(self.reasons),
            "notes": list(self.on_loading),
            "signature": self.signature,
            "checks": checks,
            "also": [{"measure": other.measure, **other.to_dict()["checks"][0]} for other in self.also],
        }

    def table(self) -> tuple[list[str], list[list[str]]]:
        header = ["topics of", "outcome", "topics", self.baseline, self.candidate, "difference", "interval", "p"]
        if not self.also:
            return header, [_cells(check.name, check) for check in self.checks]
        header[0] = "measure *, topics of"
        rows = [_cells(f"{self.measure} *, {check.name}", check) for check in self.checks]
        return header, rows + [_cells(f"{other.measure}, {OVERALL}", other.checks[0]) for other in self.also]

    def sentence(self) -> str:
        """The outcome and why, in one line."""
        worst = next(check for check in self.checks if check.outcome == self.outcome)
        where = "" if len(self.checks) == 1 else f" ({worst.name})"
        return visible(f"{self.outcome.upper()}{where}: {worst.reason}")

    def notes(self) -> list[str]:
        levels = "" if len(self.checks) == 1 else "; slices by Holm's levels, for all slices at once"
        share = f"{100 * (1 - self.level) / 2:.3g} %"
        lines = [
            f"{self.measure}, difference = {self.candidate} - {self.baseline}, margin {self._margin()}, "
            f"{100 * self.level:g} % intervals (Student){levels}.",
            f"A loss of the margin or more passes in at most about {share} of gates, a candidate that is no worse is "
            f"called a regression in at most about {share}.",
            *self._misses(),
        ]
        if self.also:
            lines.append("* the measure that decides; the others are shown by the same rule, and do not decide.")
        if self.left_out:
            lines.append(f"{plural(self.left_out, 'topic')} {left_out(self.reasons)}.")
        return [*lines, *(f"{note[0].upper()}{note[1:]}." for note in self.on_loading), self.signature]

    def _margin(self) -> str:
        points = f"{self.margin:.4g}"
        if self.relative is None:
            return points
        return f"{points} ({100 * self.relative:g} % of the {self.checks[0].baseline:.4f} of {self.baseline})"

    def _misses(self) -> list[str]:
        """Losses that a gate with these topics would miss, in sentences."""
        check = self.checks[0]
        lines = []
        if check.chances:
            losses = _listed([f"{chances.loss:.4g}" for chances in check.chances])
            missed = _listed([_percent(chances.missed) for chances in check.chances])
            lines.append(
                f"If the true loss were {losses}, a gate with {check.n_topics} such topics would report no regression "
                f"in about {missed} %."
            )
        if check.reported is not None:
            lines.append(
                f"It reports a regression in {100 * POWER:g} % from a true loss of about {check.reported:.2g} on "
                f"(standard deviation of the differences: {check.sd:.4f})."
            )
        if check.settles is not None and check.certain is not None:
            lines.append(
                f"The {100 * POWER:g} % of {check.settles:,} fresh topics are an average over the true differences "
                f"that the data leave open; about {check.certain:,} would decide whatever the difference."
            )
        return lines

    def __str__(self) -> str:
        notes = map(visible, self.notes())
        return "\n".join([self.sentence(), "", text_table(*self.table(), left=2), "", *notes])

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
    also: Sequence[str | Measure] = (),
    margin: float | str = MARGIN,
    alpha: float = 0.05,
    level: float | None = None,
    slices: Mapping[str, Sequence[str]] | None = None,
    allow_missing: bool = False,
    **rules: Any,
) -> Gate:
    """Is the candidate worse than the baseline by more than the margin? From the interval of the mean difference:

    pass          its lower limit is above -margin
    regression    else, its upper limit is below 0
    inconclusive  else; with the number of topics of a fresh set that would decide in 80 %

    At level 0.95 a true loss of the margin passes in at most about 2.5 %, and a candidate that is no worse is called a
    regression in at most about 2.5 %. How often a loss is missed depends on topics and spread: the result says it, and
    docs/validity-gate.md measures it.

    measure        the one that decides (nDCG@10 for lists)
    also           further measures to report beside it, by the same rule and margin; they do not decide
    margin         the smallest loss that matters: points of the measure, or a share of the baseline's mean, as "2%"
    alpha          twice the chance of each of the two errors
    level          of the interval that decides; 1 - alpha unless given
    baseline, candidate  names of two systems; or two runs, as `load` takes them, and then the source is the judgments
    slices         {name: topics}: each checked as well, at the levels of Holm's procedure over the slices
    allow_missing  score judged topics that a run lacks as empty lists, and ignore topics without judgments; refused
                   otherwise, as half a run is no candidate
    rules          those of `load`, for runs that are read here, such as ties="rank" or rel=2
    """
    read_margin(margin)
    level = interval_level(alpha, level)
    source, baseline, candidate = two_systems(source, baseline, candidate, scores=True, **rules)
    if baseline == candidate:
        raise InputError(f"{baseline!r} is both baseline and candidate", "name two systems")
    systems = baseline, candidate
    deciding = _gated(scored(source, measure, systems), margin, level, slices or {}, allow_missing)
    beside = (_gated(scored(source, other, systems), margin, level, {}, allow_missing) for other in also)
    return replace(deciding, also=tuple(beside))


def _gated(
    table: Scored, margin: float | str, level: float, slices: Mapping[str, Sequence[str]], allow_missing: bool
) -> Gate:
    """The gate under one measure."""
    baseline, candidate = table.systems
    share, points = read_margin(margin)
    _refuse_incomplete(table, allow_missing)
    if len(table.topics) < FEWEST:
        raise InputError(
            f"{are(len(table.topics), 'topic')} too few for a verdict",
            f"give at least {FEWEST} topics that both runs have",
        )
    limit = points if share is None else share * abs(float(table.of(baseline).mean()))
    parts = _parts(table, slices)
    tested = [paired_scores(part) if len(part.topics) >= FEWEST else None for _, part in parts]
    checks = [_check(OVERALL, table, paired_scores(table), limit, level)]
    checks += [
        _check(name, part, scores, limit, each)
        for (name, part), scores, each in zip(parts, tested, _levels(tested, level), strict=True)
    ]
    return Gate(
        measure=table.measure, baseline=baseline, candidate=candidate, margin=limit, relative=share, level=level,
        checks=tuple(checks), left_out=len(table.left_out), reasons=table.reasons,
        on_loading=() if table.judged is None else table.judged.notes, signature=table.signature,
    )  # fmt: skip


def read_margin(margin: float | str) -> tuple[float | None, float]:
    """A share of the baseline's mean, or None; and points of the measure.

    >>> read_margin("2%"), read_margin(0.01), read_margin("0.01")
    ((0.02, 0.0), (None, 0.01), (None, 0.01))
    """
    text = str(margin).strip()
    relative = text.endswith("%")
    try:
        value = math.nan if isinstance(margin, bool) else float(text.removesuffix("%"))
    except ValueError:
        value = math.nan
    if not 0 <= value < (100 if relative else math.inf):
        cure = (
            "a margin is a number from 0, the smallest loss that matters, or a share of the baseline's mean such as 2%"
        )
        raise InputError(f"margin={margin}", cure)
    return (value / 100, 0.0) if relative else (None, value)


def _refuse_incomplete(table: Scored, allowed: bool) -> None:
    """Refuse runs and judgments that lack each other's topics, or have no document in common.

    Topics that a run lacks would be scored 0 and called a regression, or left out and passed; judgments that were cut
    short would pass on the topics that are left, and those of other documents would always.
    """
    if table.judged is not None:
        strange = [
            n for n, rows in zip(table.systems, table.judged.code, strict=True) if not (rows >= FIRST_GRADE).any()
        ]
        if strange:
            cure = "check that documents have the same ids in runs and judgments"
            raise InputError([Problem(f"no document of {name} is judged", cure) for name in strange])
    if allowed:
        return
    causes = []
    if table.judged is not None:
        lacking = [int(np.count_nonzero((rows == PADDING).all(axis=-1))) for rows in table.judged.code]
        total = len(table.judged.topics)
        for name, n in zip(table.systems, lacking, strict=True):
            if n:
                causes.append(f"{name} lacks {n} of {total} judged topics")
            if ignored := table.judged.ignored.get(name):
                causes.append(f"{name} has {plural(ignored, 'topic')} without judgments")
    elif gone := table.reasons.get("lacking", 0) + table.reasons.get("score", 0):
        causes.append(f"{gone} of {len(table.left_out) + len(table.topics)} topics lack a score")
    if causes:
        cure = "complete the run or the judgments, or allow missing topics (--allow-missing)"
        raise InputError([Problem(cause, cure) for cause in causes])


def _parts(table: Scored, slices: Mapping[str, Sequence[str]]) -> list[tuple[str, Scored]]:
    """Each slice's scores. A slice may name topics that are left out, but none that are unknown."""
    known = set(table.topics) | set(table.left_out)
    problems = []
    for name, topics in slices.items():
        if unknown := [topic for topic in dict.fromkeys(topics) if topic not in known]:
            shown = ", ".join(unknown[:5]) + (" ..." if len(unknown) > 5 else "")
            problems.append(Problem(f"slice {name!r} names unknown topics: {shown}", "name topics of the judgments"))
        if not topics:
            problems.append(Problem(f"slice {name!r} is empty", "name its topics"))
    if problems:
        raise InputError(problems)
    return [(name, table.on(topics)) for name, topics in slices.items()]


def _levels(parts: list[PairedScores | None], level: float) -> list[float]:
    """Holm's levels: the smaller a slice's p value for having got worse, the wider its interval.

    That a slice's upper limit is below 0 then says what Holm's procedure on one-sided p values says. Once a slice
    is not below 0, the rest are judged at its level.
    """
    worse = {i: _pvalue_worse(part, level) for i, part in enumerate(parts) if part is not None}
    order = sorted(worse, key=lambda i: worse[i])
    alpha = 1 - level
    share, going = 1.0, True
    levels = [level] * len(parts)
    for place, i in enumerate(order):
        if going:
            share = len(order) - place
        levels[i] = 1 - alpha / share
        going = going and worse[i] < alpha / 2 / share
    return levels


def _pvalue_worse(part: PairedScores, level: float) -> float:
    """One-sided p value of the hypothesis that the candidate is not worse."""
    effect = Procedure(level=level).effect_on(part)
    return effect.pvalue / 2 if effect.difference < 0 else 1 - effect.pvalue / 2


def _check(name: str, part: Scored, tested: PairedScores | None, margin: float, level: float) -> Check:
    """One row of the gate; without tested scores there are too few topics."""
    n = len(part.topics)
    means: Floats = part.value.mean(axis=0) if n else np.full(2, math.nan)
    base, new = float(means[0]), float(means[1])
    if tested is None:
        reason = f"{are(n, 'topic')} too few to say anything; {FEWEST} are the least"
        return Check(name, "inconclusive", base, new, n, reason)
    e = Procedure(level=level).effect_on(tested)
    sd = 0.0 if e.lower == e.upper else float(np.std(tested.b - tested.a, ddof=1))
    chances, reported = _chances_by_loss(sd, n, margin, level)
    interval = f"the difference {score(e.difference)} has the {100 * level:.4g} % interval {bounds(e.lower, e.upper)}"
    least = f"-{margin:.4g}" if margin else "0"
    outcome: Outcome = "inconclusive"
    settles, certain = None, None
    if e.lower > -margin + e.error:
        outcome, reason = "pass", f"{interval}, above {least}"
    elif e.upper < -e.error:
        outcome, reason = "regression", f"{interval}, below 0"
    else:
        settles = topics_to_decide(POWER, difference=e.difference, sd=sd, n_topics=n, margin=margin, level=level)
        certain = topics_that_decide(sd=sd, margin=margin, level=level)
        wanted = f"more than {MOST_TOPICS:,}" if settles is None else f"about {settles:,}"
        decided = f"{wanted} fresh topics would decide with a chance of {100 * POWER:g} %"
        reason = f"{interval}, from below {least} to 0 or above; {decided}"
    reason = "; ".join(filter(None, [reason, close_scores(e.exactly, e.merged)]))
    return Check(name, outcome, base, new, n, reason, e, sd, chances, reported, settles, certain)


def _cells(name: str, check: Check) -> list[str]:
    """One row of the table."""
    e = check.effect
    more = ["", "", ""] if e is None else [score(e.difference), bounds(e.lower, e.upper), probability(e.pvalue)]
    return [name, check.outcome, f"{check.n_topics}", _shown(check.baseline), _shown(check.candidate), *more]


def _chances_by_loss(sd: float, topics: int, margin: float, level: float) -> tuple[tuple[Chances, ...], float | None]:
    """Chances of the outcomes by true loss, and the loss reported in 80 %; none without variance."""
    if sd == 0:
        return (), None
    losses = [times * margin for times in LOSSES if margin > 0]
    chances = (outcome_chances(loss, n_topics=topics, sd=sd, margin=margin, level=level) for loss in losses)
    return tuple(chances), loss_reported(POWER, n_topics=topics, sd=sd, margin=margin, level=level)


def _chances(chances: Chances) -> dict[str, float]:
    return {
        "true_loss": chances.loss, "pass": chances.passed, "regression": chances.regression,
        "inconclusive": chances.inconclusive, "missed": chances.missed,
    }  # fmt: skip


def _percent(share: float) -> str:
    """A share in per cent, rounded, but to 0 or 100 only where it is 0 or 1.

    >>> _percent(0.704), _percent(0.9999), _percent(0.001)
    ('70', 'over 99', 'below 1')
    """
    if 0.995 <= share < 1:
        return "over 99"
    return "below 1" if 0 < share < 0.005 else f"{100 * share:.0f}"


def _listed(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def _number_or_none(value: float) -> float | None:
    return None if math.isnan(value) else value


def _shown(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.4f}"
