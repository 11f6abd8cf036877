"""What is compared: scores of systems under one measure, on the topics that every one of them has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from rankscope.arrays import Bools, Floats
from rankscope.errors import InputError, Problem, did_you_mean
from rankscope.io.score_tables import ScoreTable, read_scores
from rankscope.judged import Judged
from rankscope.measures import Measure, Scores, evaluate
from rankscope.measures import measure as named
from rankscope.measures.scores import signed

REASONS = {
    "lacking": "which a run lacks",
    "relevant": "without relevant documents",
    "gain": "where no judged document has gain",
    "undefined": "whose score is not a number",
    "score": "without a score of every system",
}
"""Why a topic is left out, as it is said of topics."""
MEASURE = "nDCG@10"  # of lists, where none is named
FEWEST = 5  # topics from which significance is spoken of at all


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """Scores of systems on topics, (T, S); none missing.

    measure    its name, with the lowest relevant grade where the judgments leave a choice
    record     the measure itself, where scores were made here
    signature_stem  the signature without the number of topics
    left_out   topics that some system has no score for
    reasons    how many of these for which of `REASONS`
    judged     the lists behind the scores, where there are any
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

    @property
    def signature(self) -> str:
        """How the scores were made, and of how many topics they are."""
        return signed(self.signature_stem, len(self.topics))

    def of(self, system: str) -> Floats:
        """A system's scores."""
        scores: Floats = self.value[:, self.systems.index(system)]
        return scores

    def on(self, topics: Sequence[str]) -> Scored:
        """The same on some topics."""
        wanted = set(topics)
        keep = [i for i, topic in enumerate(self.topics) if topic in wanted]
        return replace(self, topics=tuple(self.topics[i] for i in keep), value=self.value[keep])


@dataclass(frozen=True, slots=True, eq=False)
class ScoredLists:
    """Lists, and scores of them under the measures that will be asked for, so that nothing is scored twice."""

    judged: Judged
    scores: Scores


def scored(source: Any, measure: str | Measure | None, systems: Sequence[str] | None = None) -> Scored:
    """Scores to compare, from lists, from scores, or from whatever `read_scores` reads.

    systems  only these, in this order; all by default
    """
    if isinstance(source, Judged):
        return _from_judged(source, measure or MEASURE, systems)
    if isinstance(source, ScoredLists):
        judged = source.judged if systems is None else only(source.judged, systems)
        return replace(_from_scores(source.scores, measure, systems), judged=judged)
    if isinstance(source, Scores):
        return _from_scores(source, measure, systems)
    table = read_scores(source, measure=None if measure is None else str(measure))
    return _whole(table, systems, f"{table.measure}|scores:given")


def left_out(reasons: Mapping[str, int]) -> str:
    """Why topics are left out, to be said after their number.

    >>> left_out({"lacking": 2}), left_out({"lacking": 2, "relevant": 1})
    ('left out, which a run lacks', 'left out: 2 which a run lacks, 1 without relevant documents')
    """
    if len(reasons) == 1:
        return f"left out, {REASONS[next(iter(reasons))]}"
    return f"left out: {', '.join(f'{count:,} {REASONS[reason]}' for reason, count in reasons.items())}"


def _from_judged(judged: Judged, measure: str | Measure, systems: Sequence[str] | None) -> Scored:
    record = named(measure)
    chosen = judged if systems is None else only(judged, systems)
    scores = evaluate(chosen, record)
    return replace(_from_scores(scores, scores.measures[0], None), judged=chosen)


def _from_scores(scores: Scores, measure: str | Measure | None, systems: Sequence[str] | None) -> Scored:
    if measure is None:
        if len(scores.measures) > 1:
            raise InputError(
                f"scores of {len(scores.measures)} measures", f"choose one of {', '.join(map(str, scores.measures))}"
            )
        measure = scores.measures[0]
    at = scores.at(measure)
    record = scores.measures[at]
    table = ScoreTable(scores.labels[at], scores.systems, scores.topics, scores.value[at], "scores")
    result = _whole(table, systems, scores.signature_stems[at])
    rows = rows_of(result.systems, scores.systems)
    gone = rows_of(result.left_out, scores.topics)
    undefined = scores.undefined[at, gone] & (record.needs != "nothing")
    lacking = scores.lacking[np.ix_(rows, gone)].any(axis=0) & ~undefined
    counts = int(np.count_nonzero(lacking)), int(np.count_nonzero(undefined))
    reasons = dict(zip(("lacking", record.needs, "undefined"), (*counts, len(gone) - sum(counts)), strict=True))
    return replace(result, record=record, reasons={reason: count for reason, count in reasons.items() if count})


def only(judged: Judged, systems: Sequence[str]) -> Judged:
    """The collection with these systems alone."""
    _all_known(systems, judged.systems)
    rows = rows_of(systems, judged.systems)
    documents, extremes = judged.documents, judged.extremes
    if documents is not None:
        documents = replace(documents, number=documents.number[rows])
    if extremes is not None:
        extremes = extremes[0][rows], extremes[1][rows]
    return replace(judged, systems=tuple(systems), code=judged.code[rows], documents=documents, extremes=extremes)


def _whole(table: ScoreTable, systems: Sequence[str] | None, signature_stem: str) -> Scored:
    """Topics that no system lacks."""
    names = table.systems if systems is None else tuple(systems)
    _all_known(names, table.systems)
    value = table.value[rows_of(names, table.systems)].T
    here: Bools = np.asarray(np.isfinite(value).all(axis=1), np.bool_)
    topics = tuple(topic for topic, kept in zip(table.topics, here.tolist(), strict=True) if kept)
    gone = tuple(topic for topic, kept in zip(table.topics, here.tolist(), strict=True) if not kept)
    reasons = {"score": len(gone)} if gone else {}
    return Scored(table.measure, names, topics, np.ascontiguousarray(value[here]), signature_stem, gone, reasons)


def rows_of(names: Sequence[str], known: Sequence[str]) -> list[int]:
    """Places of names among known ones, which are distinct."""
    rows = {name: row for row, name in enumerate(known)}
    return [rows[name] for name in names]


def _all_known(wanted: Sequence[str], known: Sequence[str]) -> None:
    problems = [
        Problem(f"no system is named {name!r}", did_you_mean(name, known))
        for name in dict.fromkeys(wanted)
        if name not in known
    ]
    if problems:
        raise InputError(problems)
