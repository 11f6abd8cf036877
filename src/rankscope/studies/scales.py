"""Scales in practice: what kind of number a metric gives, and what it changes to take it for another.

Ferrante, Ferro and Losiouk 2020, section 5.3: Kruskal-Wallis asks for an ordinal scale, ANOVA for an interval scale.
Interval-scaled versions: Ferrante, Ferro and Fuhr 2021.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rankscope import arguments
from rankscope.arguments import Checks
from rankscope.arrays import Bools, Floats
from rankscope.errors import InputError, Problem, plural
from rankscope.measures import Measure
from rankscope.measures.catalogue.interval import Interval
from rankscope.parallel import Client
from rankscope.statistics import anova_two_way, kruskal_wallis, tau
from rankscope.statistics.families.comparisons import pairs_of
from rankscope.statistics.families.studentised_range import quantile
from rankscope.studies.base import Study, Table, by_rows, in_words, joined, percent, threshold
from rankscope.studies.candidates import (
    Candidate,
    Measures,
    Source,
    StudyMaterial,
    lists_of,
    material,
    material_of_lists,
)
from rankscope.studies.checkpoints import Arrays
from rankscope.studies.runner import Run, Tell, shaped
from rankscope.universe import scale
from rankscope.universe.one_measure.scales import Order

TESTS = ("Kruskal-Wallis", "ANOVA")
_GRADED = {"gain", "ideal", "recall_base", "degrees"}  # inputs of metrics that tell relevant documents apart
_ORDERS: tuple[Order, Order] = ("set", "rank")
SUITS = {"ratio": (True, True), "interval": (True, True), "ordinal": (True, False), "neither": (False, False)}
"""Whether a scale has what each of the tests asks for, to those who hold that it must."""
_MANY = "are enumerated"  # how the reason ends where there are more lists than can be looked at


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Verdict:
    """Scale type of a metric on one order of rankings: at a small depth, and by theorem.

    grades  relevance grades above 0 of these rankings: 1 for a metric that takes relevance as binary
    """

    order: str
    grades: int
    label: str
    reason: str
    theorem: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ScalesInPractice(Study):
    """Metrics beside their interval-scaled versions: significant pairs by two tests, and rankings of systems.

    verdicts     by metric, on the set-based and on the rank-based total order
    significant  (metrics, tests, pairs) p < alpha
    steps        (metrics, tests, pairs) the same for Interval(metric); nothing for a metric that has none
    defined      (metrics) which metrics have an interval-scaled version here
    tau          (metrics) tau-b between the rankings of systems by both, NaN where there is none
    why_not      why a metric has no interval-scaled version, by metric
    """

    measures: tuple[str, ...]
    verdicts: Mapping[str, tuple[Verdict, Verdict]]
    significant: Bools
    steps: Bools
    defined: Bools
    tau: Floats
    why_not: Mapping[str, str]
    alpha: float
    settings: Mapping[str, Any]
    name: str = "scales"

    @property
    def share(self) -> Floats:
        """(metrics, tests) share of the pairs of systems that differ significantly."""
        shares: Floats = self.significant.mean(axis=-1)
        return shares

    def scale_of(self, measure: str) -> str:
        """The better of the two labels: an interval scale on either order is one."""
        rank = list(SUITS)
        return min((verdict.label for verdict in self.verdicts[measure]), key=rank.index)

    def suits(self, measure: str) -> tuple[bool, bool]:
        """Whether the metric's scale is what Kruskal-Wallis and ANOVA ask for."""
        return SUITS[self.scale_of(measure)]

    def tables(self) -> dict[str, Table]:
        """significance: one row per measure, with its interval-scaled version. scales: one per measure and order."""
        steps = np.where(self.defined[:, None], self.steps.mean(axis=-1), np.nan)
        changed = np.where(self.defined[:, None], (self.significant != self.steps).mean(axis=-1), np.nan)
        values: dict[str, list[Any]] = {
            "measure": list(self.measures),
            "scale": [self.scale_of(measure) for measure in self.measures],
        }
        for t, test in enumerate(TESTS):
            values[test] = self.share[:, t].tolist()
            values[f"{test}, Interval"] = steps[:, t].tolist()
            values[f"{test}, changed"] = changed[:, t].tolist()
        values["tau"] = self.tau.tolist()
        s = self.settings
        caption = (
            f"Share of the {self.significant.shape[-1]:,} pairs of systems with p < {self.alpha:g} by Tukey's HSD "
            "after "
            "Kruskal-Wallis and after ANOVA (systems and topics), for a metric and for its interval-scaled version "
            "(Interval). changed: share of the pairs whose verdict changes. tau: tau-b between both rankings of the "
            f"{s['n_systems']:,} systems; {plural(s['n_topics'], 'topic')}{threshold(s)}. Metrics that name no "
            f"cutoff are cut at {s['depth']}. Scales were "
            f"decided over all rankings of {plural(s['documents'], 'document')}."
        )
        verdicts = [
            (measure, verdict.order, verdict.grades, verdict.label, verdict.reason, verdict.theorem)
            for measure in self.measures for verdict in self.verdicts[measure]
        ]  # fmt: skip
        return {
            "significance": Table(values=values, caption=caption, left=2),
            "scales": Table(
                values=by_rows(("measure", "order", "grades", "scale", "since", "theorem"), verdicts),
                caption=f"The scale of each metric on two total orders of all rankings of {s['documents']} documents.",
                left=6,
            ),
        }

    def figures(self) -> dict[str, dict[str, list[Any]]]:
        """significance: one row per metric, version and test."""
        rows = [
            (measure, version, test, float(marks[i, t].mean()))
            for i, measure in enumerate(self.measures)
            for version, marks in (("original", self.significant), ("interval", self.steps))
            if version == "original" or self.defined[i]
            for t, test in enumerate(TESTS)
        ]
        return {"significance": by_rows(("measure", "version", "test", "share"), rows)}

    def summary(self) -> str:
        """Findings in sentences."""
        lines = []
        for i, measure in enumerate(self.measures):
            kruskal, anova = self.share[i].tolist()
            sentence = (
                f"{measure} (scale: {self.scale_of(measure)}): Kruskal-Wallis tells {percent(kruskal)} of the pairs "
                f"apart, ANOVA {percent(anova)}"
            )
            if self.defined[i]:
                steps = self.steps[i].mean(axis=-1).tolist()
                sentence += (
                    f"; interval-scaled, they tell {percent(steps[0])} and {percent(steps[1])} apart, and tau "
                    f"between both rankings of systems is {in_words(self.tau[i], '.3f')}"
                )
            lines.append(f"{sentence}.")
        many = [measure for measure, why in self.why_not.items() if why.endswith(_MANY)]
        if many:
            lines.append("No interval-scaled version here, since too many lists are attainable to number their "
                         f"scores: {', '.join(many)}. With a lower cutoff there is one.")  # fmt: skip
        lines += [
            f"{measure} has no interval-scaled version here: {why}."
            for measure, why in self.why_not.items() if measure not in many
        ]  # fmt: skip
        lines.append(
            "Whether means and t tests need an interval scale is disputed; these numbers show what the choice moves."
        )
        return joined(lines)


def scales(
    source: Source | StudyMaterial,
    measures: Measures | None = None,
    *,
    depth: int = 10,
    documents: int = 5,
    alpha: float = 0.05,
    checkpoints: str | Path | None = None,
    progress: Tell | None = None,
    workers: int | None = None,
    client: Client = None,
) -> ScalesInPractice:
    """The scale of each metric, and what Kruskal-Wallis and ANOVA find with it and with its interval-scaled version.

    source     lists, or their material, whose metrics are studied
    depth      how deep lists are looked at by measures that name no cutoff; interval-scaled versions enumerate all
               rankings of that depth
    documents  of the rankings over which the scale is decided
    alpha      significance after Tukey's HSD over all pairs of systems
    """
    with Checks() as check:
        alpha = check(arguments.alpha, alpha)
        depth = check(arguments.whole_number, "depth", depth)
        documents = check(arguments.whole_number, "documents", documents)
        run = check(Run, checkpoints, progress, workers, client)
    if isinstance(source, StudyMaterial):
        measures, source = source.records, lists_of(source)
    studied = material_of_lists(source, measures, depth=depth, n_topics=2, workers=workers)
    base = lists_of(studied)
    grades = max(1, int(np.count_nonzero(base.grades > 0)))
    settings = {
        **studied.settings(), "depth": depth, "documents": documents, "grades": grades, "alpha": alpha,
    }  # fmt: skip
    _check_varied(studied.candidates)
    versions = {candidate.name: _interval(candidate) for candidate in studied.candidates}
    pairs = len(studied.pairs[0])

    def work(unit: str, threads: int) -> Arrays:
        candidate = studied.of(unit)
        (version, why), steps, correlation = versions[unit], np.zeros((len(TESTS), pairs), np.bool_), np.nan
        if version is not None:
            try:
                value = material(base, {unit: version}, workers=threads).candidates[0].value
            except InputError as error:  # more lists are attainable than can be enumerated
                why = str(error).splitlines()[0]
            else:
                steps = _significant(value, alpha)
                correlation = tau(candidate.value.mean(axis=0), value.mean(axis=0)).b
        return {
            "significant": _significant(candidate.value, alpha), "steps": steps, "tau": np.array(correlation),
            "why_not": np.array(why),
        }  # fmt: skip

    def finish(units: dict[str, Arrays]) -> ScalesInPractice:
        why_not = {name: str(arrays["why_not"]) for name, arrays in units.items()}
        return ScalesInPractice(
            measures=tuple(units),
            verdicts={name: _verdicts(studied.of(name), documents, grades) for name in units},
            significant=np.stack([arrays["significant"] for arrays in units.values()]),
            steps=np.stack([arrays["steps"] for arrays in units.values()]),
            defined=np.array([not why for why in why_not.values()]),
            tau=np.array([float(arrays["tau"]) for arrays in units.values()]),
            why_not={name: why for name, why in why_not.items() if why},
            alpha=alpha,
            settings=settings,
        )

    marks = bool, len(TESTS), pairs
    fits = shaped(significant=marks, steps=marks, tau=(float,), why_not=(str,))
    return run.conduct("scales", studied.names, work, finish, settings=settings, fits=fits)


def _significant(value: Floats, alpha: float) -> Bools:
    """(tests, pairs) of a topics x systems matrix: Tukey's HSD after both tests.

    What matters is on which side of the critical value a pair lies; thousands of p values would take far longer.
    """
    ranks = kruskal_wallis(value, level=1 - alpha).comparisons
    error, (topics, count) = anova_two_way(value), value.shape
    first, second = pairs_of(count)
    mean = value.mean(axis=0)
    q = np.abs(mean[first] - mean[second]) / np.sqrt(error.ms_error / topics)
    return np.stack([ranks.statistic > ranks.critical, q > quantile(1 - alpha, count, float(error.df_error))])


def _interval(candidate: Candidate) -> tuple[Measure | None, str]:
    """The interval-scaled version of a metric, or why there is none."""
    assert candidate.record is not None
    if isinstance(candidate.record, Interval):
        return None, "it counts steps already"
    try:
        return Interval.of(candidate.record), ""
    except InputError as error:
        return None, str(error).splitlines()[0]


def _verdicts(candidate: Candidate, documents: int, grades: int) -> tuple[Verdict, Verdict]:
    """On the set-based and on the rank-based order; where relevance is binary to a metric, so are the rankings."""
    assert candidate.record is not None
    record = candidate.record.at_depth(documents)
    if not _GRADED & {*record.inputs}:
        record, grades = record(rel=1) if "rel" in record.values else record, 1
    by_set, by_rank = (
        Verdict(order=order, grades=grades, label=got.label, reason=got.reason, theorem=got.theorem)
        for order in _ORDERS
        for got in [scale(record, depth=documents, grades=grades, order=order)]
    )
    return by_set, by_rank


def _check_varied(candidates: tuple[Candidate, ...]) -> None:
    """Refuse a metric that gives every list the same score."""
    problems = [
        Problem(f"{candidate.name} gives every list the same score", "leave it out")
        for candidate in candidates
        if np.ptp(candidate.value) == 0
    ]
    if problems:
        raise InputError(problems)
