"""Two systems from few human labels beside many of a machine."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rankscope.comparisons.scored import Scored, scored
from rankscope.errors import InputError, plural, quietly
from rankscope.judged.judges import Judges
from rankscope.measures import Measure
from rankscope.statistics.pairs.prediction_powered import (
    FEWEST,
    PredictionPowered,
    prediction_powered,
    prediction_powered_pairs,
)

SUMS = ("P", "DCG", "RBP")  # measures that are sums over ranks, with weights that no grade changes


@dataclass(frozen=True, slots=True)
class WithMachine:
    """The difference under the human judge, from the topics people judged and all that the machine judged."""

    human: str
    machine: str
    result: PredictionPowered

    def passed_over(self) -> list[str]:
        """What a comparison under the human judge alone makes of pairs that people did not judge."""
        p = self.result
        if p.unit == "topic":
            return []
        total = p.n_labelled + p.n_unlabelled
        return [f"People judged {p.n_labelled:,} of {total:,} pairs of topic and document. Without the machine, "
                "compare takes all others for not relevant."]  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as for JSON."""
        return {"human": self.human, "machine": self.machine, **self.result.to_dict()}


def under(judges: Judges, name: str, measure: Measure, pair: tuple[str, str]) -> Scored:
    """Scores of two systems under one judge."""
    with quietly():
        return scored(judges.judged(name), measure, pair)


def _refuse_machines(judges: Judges, units: str) -> None:
    if len(judges.others) != 1:
        cause = f"{plural(len(judges.others), 'machine')} beside human {units}"
        raise InputError(cause, f"name the judgments of one machine, which covers more {units} than people have judged")


def with_pairs(judges: Judges, measure: Measure, pair: tuple[str, str], level: float) -> WithMachine:
    """Prediction-powered inference where people have judged some of the machine's pairs of topic and document.

    Pairs that count are those among the documents that the measure sees in either list. Documents that the machine
    has not judged gain nothing, and a topic without relevant documents scores 0.
    """
    _refuse_machines(judges, "pairs")
    plain = measure.name != "RBP" or (measure.values["gain"] == "binary" and measure.values["gains"] is None)
    if measure.name not in SUMS or not plain:
        cause = f"{measure} is no sum over ranks of gains that single labels add to"
        cure = "choose P@10, DCG@10 or RBP; other measures divide or multiply grades, and a sample of pairs biases them"
        raise InputError(cause, cure)
    judges = judges.with_systems(pair)
    seen = judges.lists[:, :, : None if measure.cutoff is None else int(measure.cutoff)]
    human, machine = judges.grade
    among = np.zeros(len(machine), np.bool_)
    among[seen[seen >= 0]] = True
    among &= ~np.isnan(machine)
    both = among & ~np.isnan(human)
    n_topics = len(np.unique(judges.topic[both]))
    if n_topics < FEWEST:
        cause = f"people and {judges.others[0]} share pairs of {plural(n_topics, 'topic')} that {measure} sees"
        raise InputError(cause, f"give human labels of pairs from at least {FEWEST} topics")
    if both.sum() == among.sum():
        cause = f"people have judged all {plural(int(both.sum()), 'pair')} of {judges.others[0]} that {measure} sees"
        raise InputError(cause, "compare under the human judge alone: leave out the human pairs")
    rules = replace(judges.base.rules, undefined="zero")
    judges = replace(judges, base=replace(judges.base, rules=rules))
    apart = []
    for grade in (np.where(both, human, np.nan), np.where(both, machine, np.nan), machine):
        with quietly():
            table = scored(judges.recoded(grade), measure, pair)
        difference = dict(zip(table.topics, (table.value[:, 1] - table.value[:, 0]).tolist(), strict=True))
        apart.append(difference)
    labelled, predicted, alone = ([difference.get(topic, 0.0) for topic in apart[2]] for difference in apart)
    counts = int(both.sum()), int(among.sum())
    result = prediction_powered_pairs(labelled, predicted, alone, n_pairs=counts, level=level)
    return WithMachine(judges.reference, judges.others[0], result)


def with_machine(judges: Judges, measure: Measure, pair: tuple[str, str], level: float) -> WithMachine:
    """Prediction-powered inference: the reference is human, the one other judge the machine."""
    _refuse_machines(judges, "topics")
    human, machine = (under(judges, name, measure, pair) for name in judges.names)
    place = {topic: row for row, topic in enumerate(machine.topics)}
    both = [(row, place[topic]) for row, topic in enumerate(human.topics) if topic in place]
    apart = [np.asarray(table.value[:, 1] - table.value[:, 0]) for table in (human, machine)]
    labelled = apart[0][[row for row, _ in both]]
    known = np.zeros(len(machine.topics), np.bool_)
    known[[row for _, row in both]] = True
    if known.all():
        cause = f"people have judged all {plural(len(machine.topics), 'topic')} of {judges.others[0]}"
        raise InputError(cause, "compare under the human judge alone: leave out the human topics")
    result = prediction_powered(labelled, apart[1][[row for _, row in both]], apart[1][~known], level=level)
    return WithMachine(judges.reference, judges.others[0], result)
