"""Scores to compare: systems under one measure, on the topics that all of them have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import compress
from typing import Any, Literal, Protocol

import numpy as np

from rankscope.arrays import Bools, Floats, Ints
from rankscope.comparisons.repeats import APART, settled, systems_of
from rankscope.errors import InputError, argument, plural, quietly, reason
from rankscope.io.score_tables import ScoreTable, read_scores
from rankscope.judged import Judged, load
from rankscope.judged.sources import Runs, check_rules, runs_beside_lists
from rankscope.judged.subsets import check_systems, rows_of, with_systems
from rankscope.measures import Measure, Scores, evaluate, parse
from rankscope.measures import measure as named
from rankscope.measures.scores import signed
from rankscope.parallel import Client
from rankscope.statistics.pairs.clusters import Units

REASONS = {
    "lacking": "which a run lacks",
    "relevant": "without relevant documents",
    "gain": "where no judged document has gain",
    "undefined": "whose score is not a number",
    "score": "without a score of every system",
    "weight": "with weight 0",
}
"""Why a topic is left out, as it is said of topics."""
MEASURE = "nDCG@10"  # of lists, where none is named
FEWEST = 5  # topics from which significance is spoken of at all
EVEN = 0.9  # share of the degrees of freedom of equal clusters, below which sign flips stand in for the robust t
MANY = 100  # independent clusters, however alike topics of a cluster are, from which on the robust t needs no help
FEWEST_FLIPPED = 7  # clusters whose sign flips reject almost 5 %, 6/128; six reject 2/64 at most


@dataclass(frozen=True, slots=True)
class Sample:
    """Units that a test rests on, and whether they are enough for a verdict.

    unequal  in what units differ so much that sign flips stand in for the robust t; "" where they do not
    flipped  whether flips of clusters, or of weighted topics, were asked for
    """

    count: int
    unit: Literal["topic", "cluster"]
    unequal: Literal["", "size", "weight"] = ""
    flipped: bool = False

    def __str__(self) -> str:
        return plural(self.count, self.unit) + (f" of unequal {self.unequal}" if self.unequal else "")

    @property
    def are(self) -> str:
        """The units with their verb."""
        return f"{self} {'is' if self.count == 1 else 'are'}"

    @property
    def fewest(self) -> int:
        """Units that a verdict needs."""
        return FEWEST_FLIPPED if self.unequal or self.flipped else FEWEST

    @property
    def too_few(self) -> bool:
        """Whether the units are too few for a verdict."""
        return self.count < self.fewest

    @property
    def otherwise(self) -> str:
        """What fewer units would do, a clause; empty where none would."""
        if self.unequal:
            return "" if self.flipped else f", or {FEWEST} of about the same {self.unequal}"
        return f", or {FEWEST} with {argument('test', 't')}" if self.flipped else ""


class Plan(Protocol):
    """What gives topics their clusters and weights: `topic_attributes.TopicPlan`."""

    @property
    def clusters(self) -> str | None: ...

    @property
    def weights(self) -> str | None: ...

    def applied(self, scores: Scored) -> Scored: ...


@dataclass(frozen=True, eq=False)
class Design:
    """Cluster and weight of each topic, and the plan that they come from; None where there are none."""

    plan: Plan
    clusters: Ints | None
    weights: Floats | None

    def on(self, rows: Any) -> Design:
        """The same on some topics."""
        parts = (None if part is None else part[rows] for part in (self.clusters, self.weights))
        return Design(self.plan, *parts)

    @cached_property
    def n_clusters(self) -> int | None:
        """Clusters; None where topics are in none."""
        return None if self.clusters is None else int(np.count_nonzero(np.bincount(self.clusters)))

    @cached_property
    def unequal(self) -> Literal["", "size", "weight"]:
        """In what units differ too much for the robust t. Sizes and weights decide this, scores do not."""
        of_topics = self.weights if self.clusters is None else self.clusters
        if of_topics is None or (of_topics == of_topics[:1]).all():
            return ""
        none = np.zeros(len(of_topics))
        units = Units.of(none, none, self.clusters, self.weights)
        df = units.robust()[1]
        if df >= EVEN * (units.n_clusters - 1) or min(df, units.alike_clusters) >= MANY:
            return ""
        return "size" if self.weights is None else "weight"


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """Scores of systems on topics, (T, S); none missing.

    measure    its name, with the lowest relevant grade where the judgments leave a choice
    record     the measure itself, where scores were made here
    signature_stem  the signature without the number of topics
    left_out   topics that some system has no score for
    reasons    how many of these for which of `REASONS`
    runs       scores of each system, topics x runs, where systems are several runs; `value` then holds their means
    at         rows of the topics among those of the lists, or of the scores
    judged     the lists behind the scores, where there are any
    offer      the documented threshold of a known data set, where the measure has another one
    design     clusters and weights of the topics, where there are any
    """

    measure: str
    systems: tuple[str, ...]
    topics: tuple[str, ...]
    value: Floats
    signature_stem: str
    left_out: tuple[str, ...]
    reasons: Mapping[str, int] = field(default_factory=dict)
    record: Measure | None = None
    judged: Judged | None = None
    offer: str = ""
    runs: tuple[Floats, ...] = ()
    at: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    design: Design | None = None

    @property
    def signature(self) -> str:
        """Signature of the scores, with the number of topics."""
        return signed(self.signature_stem, len(self.topics))

    def of(self, system: str) -> Floats:
        """A system's scores."""
        scores: Floats = self.value[:, self.systems.index(system)]
        return scores

    def at_rows(self, rows: Sequence[int] | Ints) -> Scored:
        """The same on some topics, by their rows."""
        rows = np.asarray(rows, np.int64)
        design = None if self.design is None else self.design.on(rows)
        topics = tuple(map(self.topics.__getitem__, rows.tolist()))
        runs = tuple(part[rows] for part in self.runs)
        return replace(self, topics=topics, value=self.value[rows], at=self.at[rows], design=design, runs=runs)

    def on(self, topics: Sequence[str]) -> Scored:
        """The same on some topics, by their ids."""
        wanted = set(topics)
        return self.at_rows([i for i, topic in enumerate(self.topics) if topic in wanted])

    @property
    def unit(self) -> Literal["topic", "cluster"]:
        """What was drawn independently."""
        return "topic" if self.design is None or self.design.clusters is None else "cluster"

    @property
    def n_units(self) -> int:
        """Independent units: clusters, or topics."""
        clusters = None if self.design is None else self.design.n_clusters
        return len(self.topics) if clusters is None else clusters

    def sample(self, *, flipped: bool = False) -> Sample:
        """Units of a test, and whether they are enough for a verdict; `flipped` as of `Sample`."""
        if self.design is None:
            return Sample(self.n_units, self.unit)
        return Sample(self.n_units, self.unit, self.design.unequal, flipped)

    def mean(self, values: Floats | None = None) -> Floats:
        """Mean over topics of each system, or of other values (topics first); weighted where topics have weights."""
        values = self.value if values is None else values
        if self.design is None or self.design.weights is None:
            return np.asarray(values.mean(axis=0))
        return np.asarray(np.average(values, axis=0, weights=self.design.weights))

    def reordered(self, order: Sequence[int]) -> Scored:
        """The same with the systems in another order."""
        return replace(
            self, systems=tuple(self.systems[s] for s in order), value=self.value[:, order],
            runs=tuple(self.runs[s] for s in order) if self.runs else (),
        )  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class ScoredLists:
    """Lists, and scores of them under the measures that will be asked for, so that nothing is scored twice."""

    judged: Judged
    scores: Scores


@dataclass(frozen=True, slots=True, eq=False)
class Repeated:
    """Lists or scores of runs, and the system that each run is of."""

    source: Any
    groups: Mapping[str, Sequence[str]]

    @property
    def systems(self) -> tuple[str, ...]:
        """Names of the systems."""
        return tuple(self.groups)

    def scored(self, measure: str | Measure | None, systems: Sequence[str] | None) -> Scored:
        """Scores of systems, averaged over their runs; there are no lists of a mean."""
        names = self.systems if systems is None else tuple(systems)
        check_systems(names, self.systems)
        runs = [run for name in names for run in self.groups[name]]
        table = scored(self.source, measure, runs)
        parts = [table.value[:, [runs.index(run) for run in self.groups[name]]] for name in names]
        return replace(
            table, systems=names, value=np.stack([part.mean(axis=1) for part in parts], axis=1), judged=None,
            runs=tuple(parts),
        )  # fmt: skip


def repeated(
    source: Any,
    repeats: Any,
    *,
    measure: str | Measure | None = None,
    systems: Sequence[str] | None = None,
    apart: Sequence[str] = (),
) -> Any:
    """The source with its runs grouped to systems, as `settled` and `systems_of` say.

    It is the source itself where each of the systems that are compared is one run.
    """
    if isinstance(source, ScoredLists | Repeated) or repeats == APART:
        return source
    table = source
    if not isinstance(source, Judged | Scores | ScoreTable):
        with quietly():  # what is odd is said when scores are taken
            table = read_scores(source, measure=None if measure is None else str(measure))
    groups = systems_of(table.systems, settled(table.systems, repeats, systems, apart))
    several = any(len(groups[name]) > 1 for name in groups if systems is None or name in systems)
    return Repeated(table, groups) if several else source


def scored(source: Any, measure: str | Measure | None, systems: Sequence[str] | None = None) -> Scored:
    """Scores to compare, from lists, from scores, or from whatever `read_scores` reads.

    systems  only these, in this order; all by default
    """
    if isinstance(source, Judged):
        return _from_judged(source, measure or MEASURE, systems)
    if isinstance(source, Repeated):
        return source.scored(measure, systems)
    if isinstance(source, ScoredLists):
        judged = source.judged if systems is None else with_systems(source.judged, systems)
        return replace(_from_scores(source.scores, measure, systems), judged=judged)
    if isinstance(source, Scores):
        return _from_scores(source, measure, systems)
    table = read_scores(source, measure=None if measure is None else str(measure))
    return _complete_topics(table, systems, f"{table.measure}|scores:given")


def cutoff_of(measure: Measure) -> int | None:
    """The rank at which the metric is cut; None where it names none, or a recall level."""
    return None if measure.cutoff is None or measure.cutoff_rule == "recall" else int(measure.cutoff)


def no_deeper(names: Iterable[str], longest: int) -> list[str]:
    """Measures with a depth that no list reaches, in one sentence.

    >>> no_deeper(["AP", "P@10", "ERR@20"], 10)
    ['Lists have at most 10 documents: ERR@20 reads no deeper.']
    """
    deeper = [name for name in names if any((cutoff_of(one) or 0) > longest for one in parse(name))]
    if not deeper:
        return []
    return [f"Lists have at most {plural(longest, 'document')}: {', '.join(deeper)} "
            f"{'reads' if len(deeper) == 1 else 'read'} no deeper."]  # fmt: skip


def scored_apart(judged: Judged, measures: Sequence[Measure]) -> Iterator[Scores | tuple[str, str]]:
    """Scores under all measures at once; where that is refused, under each, or its name and why not."""
    if not measures:
        return
    try:
        yield evaluate(judged, measures)
    except InputError as error:
        if len(measures) == 1:
            yield str(measures[0]), reason(error)
        else:
            for measure in measures:
                yield from scored_apart(judged, [measure])


def lists_of_runs(
    source: Any, runs: Runs, rules: Mapping[str, Any], *, workers: int | None = None, client: Client = None
) -> Any:
    """The source itself, or lists where it is judgments beside runs, which are read by the rules of `load`."""
    check_rules(rules, read=runs is not None)
    if runs is None:
        return source
    if isinstance(source, Judged | Scores):
        raise runs_beside_lists()
    return load(source, runs, workers=workers, client=client, **rules)


def population(weights: str) -> str:
    """The population that weighted means speak of, in a sentence."""
    return (
        f"Means are weighted by {weights!r}: they speak of a population in which each topic has that weight, "
        "not of each topic once."
    )


def left_out(reasons: Mapping[str, int]) -> str:
    """Reasons for leaving out topics, as words that follow their number.

    >>> left_out({"lacking": 2}), left_out({"lacking": 2, "relevant": 1})
    ('left out, which a run lacks', 'left out: 2 which a run lacks, 1 without relevant documents')
    """
    if len(reasons) == 1:
        return f"left out, {REASONS[next(iter(reasons))]}"
    return f"left out: {', '.join(f'{count:,} {REASONS[reason]}' for reason, count in reasons.items())}"


def _from_judged(judged: Judged, measure: str | Measure, systems: Sequence[str] | None) -> Scored:
    chosen = judged if systems is None else with_systems(judged, systems)
    scores = evaluate(chosen, named(measure))  # one measure, not the several of a name such as P@[5,10]
    return replace(_from_scores(scores, scores.measures[0], None), judged=chosen)


def _from_scores(scores: Scores, measure: str | Measure | None, systems: Sequence[str] | None) -> Scored:
    if measure is None:
        if len(scores.measures) > 1:
            raise InputError(
                f"scores of {len(scores.measures)} measures", f"choose one of {', '.join(map(str, scores.measures))}"
            )
        measure = scores.measures[0]
    known = [m is measure for m in scores.measures]
    at = known.index(True) if any(known) else scores.at(measure)
    record = scores.measures[at]
    table = ScoreTable(scores.labels[at], scores.systems, scores.topics, scores.value[at], "scores")
    result = _complete_topics(table, systems, scores.signature_stems[at])
    rows = rows_of(result.systems, scores.systems)
    gone = np.delete(np.arange(len(scores.topics)), result.at)
    undefined = scores.undefined[at, gone] & (record.needs != "nothing")
    lacking = scores.lacking[rows][:, gone].any(axis=0) & ~undefined
    counts = int(np.count_nonzero(lacking)), int(np.count_nonzero(undefined))
    reasons = dict(zip(("lacking", record.needs, "undefined"), (*counts, len(gone) - sum(counts)), strict=True))
    offer = scores.offers[at] if scores.offers else ""
    return replace(
        result, record=record, offer=offer, reasons={reason: count for reason, count in reasons.items() if count}
    )


def _complete_topics(table: ScoreTable, systems: Sequence[str] | None, signature_stem: str) -> Scored:
    """Scores of these systems on the topics that each of them has."""
    names = table.systems if systems is None else tuple(systems)
    check_systems(names, table.systems)
    value = table.value[rows_of(names, table.systems)]
    here: Bools = np.asarray(np.isfinite(value).all(axis=0), np.bool_)
    topics, gone = (table.topics, ()) if here.all() else (tuple(compress(table.topics, kept)) for kept in (here, ~here))
    reasons = {"score": len(gone)} if gone else {}
    return Scored(
        table.measure, names, topics, np.ascontiguousarray(value[:, here].T), signature_stem, gone, reasons,
        at=np.flatnonzero(here),
    )  # fmt: skip
