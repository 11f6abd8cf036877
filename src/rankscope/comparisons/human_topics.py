"""Two systems from few human labels beside many of a machine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rankscope.comparisons.scored import Scored, scored
from rankscope.errors import InputError, plural, quietly
from rankscope.judged.judges import Judges
from rankscope.measures import Measure
from rankscope.statistics.pairs.prediction_powered import PredictionPowered, prediction_powered


@dataclass(frozen=True, slots=True)
class WithMachine:
    """The difference under the human judge, from the topics people judged and all that the machine judged."""

    human: str
    machine: str
    result: PredictionPowered

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as for JSON."""
        return {"human": self.human, "machine": self.machine, **self.result.to_dict()}


def under(judges: Judges, name: str, measure: Measure, pair: tuple[str, str]) -> Scored:
    """Scores of two systems under one judge."""
    with quietly():
        return scored(judges.judged(name), measure, pair)


def with_machine(judges: Judges, measure: Measure, pair: tuple[str, str], level: float) -> WithMachine:
    """Prediction-powered inference: the reference is human, the one other judge the machine."""
    if len(judges.others) != 1:
        cause = f"{plural(len(judges.others), 'machine')} beside human topics"
        raise InputError(cause, "name the judgments of one machine, which covers more topics than people have judged")
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
