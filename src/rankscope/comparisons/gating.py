"""Gate of a pipeline: whether the candidate is worse than the baseline by more than a margin."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rankscope.arguments import whole_number
from rankscope.arrays import FIRST_GRADE, PADDING, Floats, Ints
from rankscope.comparisons.effect import Effect, PairedScores, Procedure, close_scores, interval_level, paired_scores
from rankscope.comparisons.gate_result import LOST, OVERALL, POWER, Check, Gate, LostTopic, Outcome, what_decides
from rankscope.comparisons.holes import HoleWarning, judged_shares, warning_of, with_estimated_grades
from rankscope.comparisons.human_topics import WithMachine, estimator, merged
from rankscope.comparisons.repeats import APART
from rankscope.comparisons.scored import Scored, cutoff_of, repeated, scored
from rankscope.comparisons.topic_attributes import QUANTILES, TopicPlan
from rankscope.errors import InputError, Problem, argument, plural
from rankscope.formatting import bounds, score
from rankscope.judged import Judged
from rankscope.judged.judges import Judges
from rankscope.judged.two_systems import two_systems
from rankscope.measures import Measure, Scores
from rankscope.measures.names import several
from rankscope.progress import Progress, heard, staged
from rankscope.statistics.equality import difference as difference_on_paper
from rankscope.statistics.pairs.gate_outcomes import (
    Chances,
    loss_reported,
    outcome_chances,
    topics_that_decide,
    topics_to_decide,
)
from rankscope.statistics.pairs.prediction_powered import PredictionPowered
from rankscope.statistics.special import stdtrit

MARGIN = 0.01
LOSSES = (1, 2, 3, 5)  # true losses that a gate says it would miss, in margins


def gate(
    source: Judged | Scores | Any,
    baseline: Any,
    candidate: Any,
    *,
    measure: str | Measure | None = None,
    also: Sequence[str | Measure] = (),
    all_decide: bool = False,
    margin: float | str = MARGIN,
    alpha: float = 0.05,
    level: float | None = None,
    slices: Mapping[str, Sequence[str]] | None = None,
    topics_table: Any = None,
    by: str | None = None,
    quantiles: int = QUANTILES,
    clusters: str | None = None,
    weights: str | None = None,
    most_lost: int | None = LOST,
    allow_missing: bool = False,
    judges: Judges | None = None,
    human_topics: bool = False,
    human_pairs: bool = False,
    repeats: Any = None,
    progress: Progress = None,
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
    also           further measures to report beside it, by the same rule and margin; each measure counts once
    all_decide     whether these decide as well, at the levels of Holm's procedure over all measures
    margin         the smallest loss that matters: points of the measure, or a share of the baseline's mean, as "2%"
    alpha          twice the chance of each of the two errors
    level          of the interval that decides; 1 - alpha unless given
    baseline, candidate  names of two systems; or two runs, as `load` takes them, and then the source is the judgments
    slices         {name: topics}: each checked as well, at the levels of Holm's procedure over the slices
    topics_table, by, quantiles, clusters, weights  attributes of topics, as of `compare`; slices of `by` are checked
    most_lost      how many of the topics that lost most are named; None for all that lost
    allow_missing  score judged topics that a run lacks as empty lists, and ignore topics without judgments; refused
                   otherwise, as half a run is no candidate
    repeats        which runs of the source are of one system, as for `compare`
    progress       hears which share of the work is done, as in `progress=Bar()`
    judges, human_topics  one machine that judged more topics than the human judge of the source (`load_judges`): means,
                   difference and interval of all topics are then those of prediction-powered inference
    human_pairs    the same where people judged pairs of topic and document, drawn at random from those of the machine;
                   the measures are P@k, DCG@k or RBP, and topics that lost most are those under the labels of both
    rules          those of `load`, for runs that are read here, such as ties="rank" or rel=2
    """
    read_margin(margin)
    plan = TopicPlan.of(topics_table, clusters, weights)
    if by is not None and slices is not None:
        raise InputError(f"{argument('by', by)} beside {argument('slices')}", "choose one of them")
    level = interval_level(alpha, level)
    if isinstance(source, Judges):
        judges, source = source, source.judged(source.reference)
    estimated = estimator(judges, human_topics, human_pairs, plan)
    if human_pairs and (by is not None or slices is not None):
        raise InputError("human pairs beside slices of topics", "leave out one of them: slices need whole topics")
    source, baseline, candidate = two_systems(source, baseline, candidate, scores=True, **rules)
    if human_pairs and judges is not None:
        source = merged(judges)
    by_names = APART if repeats is None and judges else repeats
    source = repeated(source, by_names, measure=measure, systems=(baseline, candidate))
    if baseline == candidate:
        raise InputError(f"{baseline!r} is both baseline and candidate", "name two systems")
    if most_lost is not None:
        whole_number("most_lost", most_lost, 0)
    systems = baseline, candidate
    measures = measure, *several(also)
    scoring, checking = staged(progress, 1, 1)
    every = heard((plan.applied(scored(source, each, systems)) for each in measures), len(measures), scoring)
    tables = list({table.record or table.measure: table for table in every}.values())  # each measure once
    for table in tables:
        _refuse_unusable(table, allow_missing or human_topics)
    machines: list[WithMachine | None] = [None] * len(tables)
    if estimated is not None and judges is not None:
        machines = [estimated(judges, _record(table), systems, level) for table in tables]
    levels = [level] * len(tables)
    if all_decide:
        levels = _levels([paired_scores(table) for table in tables], level, machines)
    groups: dict[str, Ints] = {}
    if by is not None:
        groups = plan.slices(tables[0], by, quantiles)
    elif slices is not None:
        from rankscope.comparisons.slices import listed

        groups = listed(tables[0], slices)
    parts: list[dict[str, Ints]] = [groups, *({} for _ in tables[1:])]
    if estimated is not None and judges is not None and all_decide:
        machines = [estimated(judges, _record(table), systems, own) for table, own in zip(tables, levels, strict=True)]
    gated = (
        _gated(table, margin, level, own, part, most_lost, by or "slices", machine)
        for table, own, part, machine in zip(tables, levels, parts, machines, strict=True)
    )
    deciding, *beside = heard(gated, len(tables), checking)
    sliced = deciding.slices
    if by is not None and sliced is not None:
        sliced = replace(sliced, meaning=plan.meaning(tables[0], by))
    return replace(deciding, slices=sliced, also=tuple(beside), all_decide=all_decide)


def _gated(
    table: Scored,
    margin: float | str,
    level: float,
    own_level: float,
    slices: Mapping[str, Ints],
    most_lost: int | None,
    by: str,
    machine: WithMachine | None = None,
) -> Gate:
    """The gate under one measure; `own_level` is that of the interval of all topics."""
    baseline, candidate = table.systems
    share, points = read_margin(margin)
    mean = table.of(baseline).mean() if table.design is None else table.mean()[0]
    mean = mean if machine is None else machine.means[0]
    limit = points if share is None else share * abs(float(mean))
    parts = [(name, table.at_rows(rows)) for name, rows in slices.items()]
    of_slices = {name: set(part.topics) for name, part in parts}
    tested = [None if part.sample().too_few else paired_scores(part) for _, part in parts]
    checks = [_check(OVERALL, table, paired_scores(table), limit, own_level, machine)]
    checks += [
        _check(name, part, scores, limit, each)
        for (name, part), scores, each in zip(parts, tested, _levels(tested, level), strict=True)
    ]
    named = [
        replace(check, lost=_lost(part, most_lost, of_slices))
        for check, part in zip(checks, [table, *(part for _, part in parts)], strict=True)
    ]
    main = checks[0].effect
    groups = None
    if parts and main is not None:
        from rankscope.comparisons.slices import sliced

        groups = sliced(table, parts, Procedure(level=level), by=by, alpha=1 - level, main=main)
    shares, holes = _unjudged(table, limit, own_level, checks[0].outcome)
    return Gate(
        judged=shares, holes=holes if machine is None else None, machine=machine, slices=groups,
        plan=None if table.design is None else table.design.plan,
        measure=table.measure, baseline=baseline, candidate=candidate, margin=limit, relative=share, level=level,
        checks=tuple(named), left_out=len(table.left_out), reasons=table.reasons,
        on_loading=() if table.judged is None else table.judged.notes,
        signature=table.signature,
        range=None if table.record is None else table.record.bounds, offer=table.offer,
    )  # fmt: skip


def _unjudged(
    table: Scored, margin: float, level: float, outcome: Outcome
) -> tuple[tuple[float, float] | None, HoleWarning | None]:
    """Shares of judged documents, and a warning where estimated grades of the others change the outcome."""
    if table.judged is None or table.record is None:
        return None, None
    base, new = judged_shares(table.judged, cutoff_of(table.record), table.at).tolist()
    estimated = with_estimated_grades(table)
    if estimated is None:
        return (base, new), None
    again = _check(OVERALL, estimated, paired_scores(estimated), margin, level).outcome
    instead = f"the outcome is {again.upper()}"
    return (base, new), None if again == outcome else warning_of(table, estimated, instead)


def _record(table: Scored) -> Measure:
    """The measure of lists; labels of a machine need them."""
    if table.record is None:
        raise InputError("human and machine labels beside scores", "give judgments and runs")
    return table.record


def _refuse_unusable(table: Scored, allow_missing: bool) -> None:
    """Refuse runs that cannot be compared, or on too few topics."""
    _refuse_incomplete(table, allow_missing)
    if (sample := table.sample()).too_few:
        cure = f"give at least {sample.fewest} topics that both runs have"
        if table.unit == "cluster":
            cure = f"give topics of at least {sample.fewest} clusters"
        raise InputError(f"{sample.are} too few for a verdict", cure + sample.otherwise)


def _lost(part: Scored, most: int | None, slices: Mapping[str, set[str]]) -> tuple[LostTopic, ...]:
    """The topics with the largest losses, the largest first; equal losses in the order of the topics."""
    change = difference_on_paper(part.value[:, 0], part.value[:, 1])[0]
    order = [int(t) for t in np.argsort(change, kind="stable") if change[t] < 0][:most]
    return tuple(
        LostTopic(
            part.topics[t], float(part.value[t, 0]), float(part.value[t, 1]), float(change[t]),
            tuple(name for name, topics in slices.items() if part.topics[t] in topics),
        )
        for t in order
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
        raise InputError(argument("margin", margin), cure)
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
        cure = f"complete the run or the judgments, or allow missing topics ({argument('allow_missing', True)})"
        raise InputError([Problem(cause, cure) for cause in causes])


def _levels(
    parts: Sequence[PairedScores | None], level: float, machines: Sequence[WithMachine | None] = ()
) -> list[float]:
    """Holm's levels: the smaller a slice's p value for having got worse, the wider its interval.

    That a slice's upper limit is below 0 then says what Holm's procedure on one-sided p values says. Once a slice
    is not below 0, the rest are judged at its level.
    """
    machines = machines or [None] * len(parts)
    worse = {
        i: _pvalue_worse(Procedure(level=level).effect_on(part) if machine is None else machine.result)
        for i, (part, machine) in enumerate(zip(parts, machines, strict=True))
        if part is not None
    }
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


def _pvalue_worse(effect: Effect | PredictionPowered) -> float:
    """One-sided p value of the hypothesis that the candidate is not worse."""
    return effect.pvalue / 2 if effect.difference < 0 else 1 - effect.pvalue / 2


def _check(
    name: str,
    part: Scored,
    tested: PairedScores | None,
    margin: float,
    level: float,
    machine: WithMachine | None = None,
) -> Check:
    """One row of the gate; without tested scores there are too few topics."""
    n = len(part.topics)
    means: Floats = part.mean() if n else np.full(2, math.nan)
    base, new = float(means[0]), float(means[1])
    if tested is None:
        sample = part.sample()
        reason = f"{sample.are} too few to say anything; {sample.fewest} are the least"
        return Check(name, "inconclusive", base, new, n, reason)
    e = Procedure(level=level).effect_on(tested)
    if e.constant and (machine is None or machine.result.lower == machine.result.upper):
        return _constant_check(Check(name, "inconclusive", base, new, n, "", e, 0.0), margin)
    count, sd = n, float(np.std(tested.b - tested.a, ddof=1))
    if tested.units is not None:  # as many independent units, with the standard error that these have
        count = tested.units.n_clusters
        sd = tested.units.robust()[0] * math.sqrt(count)
    by = ""
    if machine is not None:
        p, (base, new) = machine.result, machine.means
        # of topics that people judge alone, and that would have as short an interval
        sd = (p.upper - p.lower) / 2 / float(stdtrit(n - 1, (1 + level) / 2)) * math.sqrt(n)
        e = replace(e, difference=p.difference, lower=p.lower, upper=p.upper, pvalue=p.pvalue, method=p.method,
                    lean=(p.difference > 0) - (p.difference < 0), remark="")  # fmt: skip
        by = ", estimated from human and machine labels,"
    chances, reported = _chances_by_loss(sd, count, margin, level)
    interval = (
        f"the difference {score(e.difference)}{by} has the {100 * level:.4g} % interval {bounds(e.lower, e.upper)}"
    )
    if e.ends[0] is None:
        interval = f"the difference {score(e.difference)} has no {100 * level:.4g} % interval: {e.sample.are} too few"
    least = f"-{margin:.4g}" if margin else "0"
    outcome: Outcome = "inconclusive"
    settles, certain = None, None
    if e.lower > -margin + e.error:
        outcome, reason = "pass", f"{interval}, above {least}"
    elif e.upper < -e.error:
        outcome, reason = "regression", f"{interval}, below 0"
    else:
        settles = topics_to_decide(POWER, difference=e.difference, sd=sd, n_topics=count, margin=margin, level=level)
        certain = topics_that_decide(sd=sd, margin=margin, level=level)
        if count < n:  # topics, in clusters like these
            settles, certain = (None if c is None else round(c * n / count) for c in (settles, certain))
        around = "" if e.ends[0] is None else f", from below {least} to 0 or above"
        reason = f"{interval}{around}; {what_decides(settles, margin, machine)}"
    reason = "; ".join(filter(None, [reason, close_scores(e.exactly, e.merged)]))
    return Check(name, outcome, base, new, n, reason, e, sd, chances, reported, settles, certain)


def _constant_check(check: Check, margin: float) -> Check:
    """A check where the difference is the same on every topic, and the p of sign flips decides: docs/conventions.md."""
    e = check.effect
    assert e is not None
    enough = math.floor(math.log2(2 / (1 - e.level))) + 1  # topics whose p, one-sided, is below half of 1 - level
    passes, worse = e.difference > -margin + e.error, e.difference < -e.error
    reason = f"the difference is {score(e.difference)} on every topic"
    if e.n_clusters:
        reason = f"the mean difference is {score(e.difference)} in every cluster"
    if not passes and not worse:
        reason += ", and the margin is 0"
    elif e.n_units < enough:
        reason += f", but sign flips of fewer than {enough} {e.sample.unit}s show nothing at this level"
    reason = "; ".join(filter(None, [reason, close_scores(e.exactly, e.merged)]))
    if e.n_units < enough or not (passes or worse):
        needed = enough if passes or worse else None
        return replace(check, reason=reason, settles=needed, certain=needed)
    return replace(check, outcome="pass" if passes else "regression", reason=reason)


def _chances_by_loss(sd: float, topics: int, margin: float, level: float) -> tuple[tuple[Chances, ...], float | None]:
    """Chances of the outcomes by true loss, and the loss reported in 80 %; none without variance."""
    if sd == 0:
        return (), None
    losses = [times * margin for times in LOSSES if margin > 0]
    chances = (outcome_chances(loss, n_topics=topics, sd=sd, margin=margin, level=level) for loss in losses)
    return tuple(chances), loss_reported(POWER, n_topics=topics, sd=sd, margin=margin, level=level)
