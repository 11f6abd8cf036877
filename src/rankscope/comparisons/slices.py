"""Slices of topics: the same comparison on parts of them, and whether the effect depends on the part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from rankscope.arrays import Floats, Ints
from rankscope.comparisons.effect import Effect, Procedure, paired_scores
from rankscope.comparisons.scored import FEWEST, Sample, Scored
from rankscope.comparisons.sensitivity import Outcome, Repetition, outcome_of, verdict_of
from rankscope.comparisons.topic_attributes import OF_SCORES
from rankscope.errors import InputError, Problem, are, plural
from rankscope.formatting import p_value, probability, score, visible
from rankscope.results import Result
from rankscope.statistics import adjust
from rankscope.statistics.equality import difference
from rankscope.statistics.families.interaction import (
    Interaction,
    hotelling_interaction,
    shrunken,
    welch_interaction,
)

MANY = "Differences between the systems"
LISTED = "slices"  # in place of an attribute, where slices were listed


@dataclass(frozen=True, slots=True)
class Slice:
    """The comparison on some topics.

    effect    None where there are too few topics
    adjusted  p corrected over the slices by Holm's procedure
    shrunken  the difference drawn to that of the other slices, by how uncertain it is; None where it has no error
    verdict   1 where b is shown to score higher, -1 where a is, 0 where neither; by the corrected p
    outcome   what that makes of the verdict on all topics; None where there are too few topics
    """

    name: str
    n_topics: int
    means: tuple[float, float]
    sample: Sample
    effect: Effect | None = None
    adjusted: float | None = None
    shrunken: float | None = None
    verdict: int = 0
    outcome: Outcome | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Slices(Result):
    """A comparison by slices of topics.

    measure      under which systems are compared
    by           the attribute, or "slices" where they were listed
    interaction  test that the effect is the same in all slices; None where it cannot be computed
    no_interaction  why it cannot
    overall      the difference on all topics
    verdict      the verdict on all topics
    numbers      value of the attribute of each topic compared, NaN where there is none; None where it is no number
    meaning      what the attribute is, where it is a computed one, such as "number of relevant documents"
    """

    measure: str
    by: str
    systems: tuple[str, str]
    slices: tuple[Slice, ...]
    interaction: Interaction | None
    no_interaction: str
    overall: float
    verdict: int
    alpha: float
    numbers: Floats | None = None
    meaning: str = ""

    def label(self, name: str) -> str:
        """The name of a slice, after the attribute where there is one."""
        return name if self.by == LISTED else f"{self.by} {name}"

    @property
    def reversed(self) -> list[Slice]:
        """Slices on which the other system is shown to be better than on all topics."""
        return [part for part in self.slices if part.outcome == "reverses"]

    @property
    def equal_mean(self) -> float | None:
        """Mean of the differences of slices, each counted once.

        None for fewer than two slices, where one has too few topics, and where slices were listed: these may share
        topics, or leave some out.
        """
        differences = [part.effect.difference for part in self.slices if part.effect is not None]
        whole = self.by != LISTED and len(differences) == len(self.slices)
        return float(np.mean(differences)) if whole and len(differences) > 1 else None

    def columns(self) -> dict[str, list[Any]]:
        """One row per slice."""
        from rankscope.preferences.classes import favoured

        effects = [part.effect for part in self.slices]
        return {
            "slice": [part.name for part in self.slices],
            "n_topics": [part.n_topics for part in self.slices],
            "mean_a": [part.means[0] for part in self.slices],
            "mean_b": [part.means[1] for part in self.slices],
            "difference": [None if e is None else e.difference for e in effects],
            "lower": [None if e is None else e.ends[0] for e in effects],
            "upper": [None if e is None else e.ends[1] for e in effects],
            "pvalue": [None if e is None else e.pvalue for e in effects],
            "pvalue_adjusted": [part.adjusted for part in self.slices],
            "shrunken": [part.shrunken for part in self.slices],
            "favours": favoured([0 if e is None else e.lean for e in effects], self.systems),
            "outcome": [part.outcome for part in self.slices],
        }

    def heading(self) -> str:
        """Whether the difference depends on the attribute, after slices that contradict all topics together."""
        return " ".join([*self.alarms(), self.dependence()])

    def remarks(self) -> list[str]:
        """Systems, and how p values and intervals are to be read."""
        a, b = self.systems
        return [
            f"A: {a}, B: {b}; differences are B - A on {self.measure}, {score(self.overall)} over all topics.",
            self.note(),
        ]

    def repetitions(self) -> list[Repetition]:
        """Each slice with enough topics as a repetition of the comparison."""
        return [
            Repetition("slice", part.name, part.effect, part.verdict, part.outcome)
            for part in self.slices
            if part.effect is not None and part.outcome is not None
        ]

    def rows(self) -> tuple[list[str], list[list[str]]]:
        """Cells of a printed table, without the means."""
        header = [self.by, "topics", "B - A", "interval", "p (Holm)", "shrunken", "outcome"]
        rows = []
        for part in self.slices:
            e = part.effect
            cells = ["", "", "", "", f"too few {part.sample.unit}s"]
            if e is not None:
                drawn = "" if part.shrunken is None else score(part.shrunken)
                p = "" if part.adjusted is None else probability(part.adjusted)
                outcome: str = part.outcome or ""
                if not self.verdict:
                    outcome = {1: "B higher", -1: "A higher", 0: "not shown"}[part.verdict]
                cells = [score(e.difference), e.interval, p, drawn, outcome]
            rows.append([part.name, f"{part.n_topics:,}", *cells])
        return header, rows

    @property
    def attribute(self) -> str:
        """The attribute in words: what a computed one is, else the name of the column."""
        return attribute_words(self.by, self.meaning)

    def alarms(self) -> list[str]:
        """Where slices contradict all topics together, in sentences."""
        a, b = self.systems
        lines = []
        if self.reversed:
            higher, lower = (b, a) if self.verdict > 0 else (a, b)
            names = ", ".join(f"{part.name!r}" for part in self.reversed[:3])
            more = f" and {len(self.reversed) - 3} more" if len(self.reversed) > 3 else ""
            count = "a slice" if len(self.reversed) == 1 else f"{len(self.reversed)} slices"
            of = "" if self.by == LISTED else f" of {self.by}"
            lines.append(f"REVERSED in {count}{of}: {lower} is shown to score higher than {higher} on {names}{more}.")
        middle = self.equal_mean
        if self.verdict and middle is not None and middle * self.overall < 0:
            lines.append(
                f"SIMPSON'S PARADOX by {self.by}: {b} minus {a} is {score(self.overall)} over all topics, but "
                f"{score(middle)} if every slice counted the same. The sizes of the slices decide the sign."
            )
        return lines

    def dependence(self) -> str:
        """The test of interaction, in one sentence."""
        return dependence_of("difference", self.attribute, self.interaction, self.no_interaction, self.alpha)

    def note(self) -> str:
        """How p values and intervals of slices are to be read."""
        count = sum(part.effect is not None for part in self.slices)
        few = [f"{x.name} ({x.sample}; {x.sample.fewest} are the least)" for x in self.slices if x.effect is None]
        without = f" No verdict on {', '.join(few)}." if few else ""
        same = [part.name for part in self.slices if part.effect is not None and part.effect.constant]
        none = f" No interval on {', '.join(same)}: the difference is the same on every topic there" if same else ""
        if same and self.interaction is not None:
            none += ", so that the test of dependence and the shrunken estimates leave it out"
        none += "." if same else ""
        caution = caution_on(self.meaning)
        return (
            f"p is corrected over {plural(count, 'slice')} (Holm); intervals are of each slice alone.{none}{without}"
            + f" {caution}." * bool(caution)
        )


def attribute_words(by: str, meaning: str) -> str:
    """An attribute in words: what a computed one is, else the name of the column.

    >>> attribute_words("relevant", "number of relevant documents"), attribute_words("age", "")
    ('the number of relevant documents', 'age')
    """
    return f"the {meaning}" if meaning else by


def caution_on(meaning: str) -> str:
    """What to beware of where slices are made of the scores that are compared in them; empty elsewhere."""
    if meaning != OF_SCORES:
        return ""
    return (
        "These slices are made of the scores compared: scores that vary more for one system, or that are near an end "
        "of the scale, can alone produce such a dependence"
    )


def dependence_of(
    what: Literal["difference", "order"], by: str, interaction: Interaction | None, reason: str, alpha: float
) -> str:
    """What a test of interaction says about two systems or about many, in one sentence."""
    subject, be, do = ("The difference", "is", "depends") if what == "difference" else (MANY, "are", "depend")
    if interaction is None:
        clause = f"{subject[0].lower()}{subject[1:]} {do} on {by}"
        return visible(f"Whether {clause} was not tested: {reason}.")
    shown = f"{be} shown" if interaction.pvalue < alpha else f"{be} not shown"
    p = p_value(interaction.pvalue, exact=False)
    return visible(f"{subject} {shown} to depend on {by} ({interaction.method} over slices, {p}).")


def listed(table: Scored, slices: Mapping[str, Sequence[str]]) -> dict[str, Ints]:
    """Rows of the topics of each slice. A slice may name topics that are left out, but none that are unknown."""
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
    place = {topic: i for i, topic in enumerate(table.topics)}
    return {
        name: np.array(sorted(place[topic] for topic in set(topics) if topic in place), np.int64)
        for name, topics in slices.items()
    }


def sliced(
    table: Scored,
    parts: Sequence[tuple[str, Scored]],
    procedure: Procedure,
    *,
    by: str,
    alpha: float,
    main: Effect,
) -> Slices:
    """The comparison on each part of the topics.

    parts  names and scores, such as of `Scored.at_rows`
    main   the effect on all topics
    """
    a, b = table.systems
    base = verdict_of(main, alpha)
    flipped = procedure.test == "randomisation"
    samples = [part.sample(flipped=flipped) for _, part in parts]
    tested = {i: paired_scores(part) for i, (_, part) in enumerate(parts) if not samples[i].too_few}
    effects = {i: procedure.effect_on(scores) for i, scores in tested.items()}
    corrected = adjust([effect.pvalue for effect in effects.values()], "holm").adjusted.tolist() if effects else []
    adjusted = dict(zip(effects, corrected, strict=True))
    rows: list[Slice] = []
    for i, (name, part) in enumerate(parts):
        means = part.mean().tolist() if part.topics else [float("nan")] * 2
        row = Slice(name, len(part.topics), (means[0], means[1]), samples[i])
        if (effect := effects.get(i)) is not None:
            verdict = verdict_of(replace(effect, pvalue=adjusted[i]), alpha)
            row = replace(
                row, effect=effect, adjusted=adjusted[i], verdict=verdict, outcome=outcome_of(base, verdict)
            )  # fmt: skip
        rows.append(row)
    moments = {i: scores.all_units().robust() for i, scores in tested.items()}
    moments = {i: (error, df) for i, (error, df) in moments.items() if error > 0}
    estimates = [effects[i].difference for i in moments]
    if len(moments) > 1:
        drawn = shrunken(estimates, [error for error, _ in moments.values()])[0]
        for i, value in zip(moments, drawn.tolist(), strict=True):
            rows[i] = replace(rows[i], shrunken=value)
    interaction, reason = interaction_of(table, parts, estimates, moments)
    return Slices(
        measure=table.measure, by=by, systems=(a, b), slices=tuple(rows), interaction=interaction,
        no_interaction=reason, overall=main.difference, verdict=base, alpha=alpha,
    )  # fmt: skip


def interaction_of(
    table: Scored,
    parts: Sequence[tuple[str, Scored]],
    estimates: Sequence[float],
    moments: Mapping[int, tuple[float, float]],
) -> tuple[Interaction | None, str]:
    """The test of interaction over the slices whose differences vary, or why there is none."""
    if len(parts) < 2:
        return None, "there is one slice only"
    if len(moments) < 2:
        needed = f"{FEWEST} topics" if table.design is None else f"enough {table.unit}s"
        return None, f"fewer than two slices have {needed} whose differences vary"
    influences = _influences(table, [parts[i][1] for i in moments])
    if (np.count_nonzero(influences, axis=1) <= 1).all():  # no topic or cluster in two slices
        return welch_interaction(estimates, *zip(*moments.values(), strict=True)), ""
    tested = hotelling_interaction(estimates, influences)
    return tested, "" if tested else f"slices share topics or clusters, and {are(len(influences), 'unit')} too few"


def _influences(table: Scored, parts: Sequence[Scored]) -> Floats:
    """(units, slices) What each topic, or each cluster, adds to the mean difference of each slice beyond it."""
    influence = np.zeros((len(table.topics), len(parts)))
    for k, part in enumerate(parts):
        d = difference(part.value[:, 0], part.value[:, 1])[0]
        weight = np.ones(len(d)) if part.design is None or part.design.weights is None else part.design.weights
        weight = weight / weight.sum()
        influence[np.searchsorted(table.at, part.at), k] = weight * (d - weight @ d)
    if table.design is not None and table.design.clusters is not None:
        code = np.unique(table.design.clusters, return_inverse=True)[1]
        influence = np.stack([np.bincount(code, column) for column in influence.T], axis=1)
    return influence[(influence != 0).any(axis=1)]
