"""Two systems under other judges: the same comparison again for each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from rankscope.comparisons.effect import Procedure
from rankscope.comparisons.human_topics import WithMachine, under
from rankscope.comparisons.scored import FEWEST
from rankscope.comparisons.sensitivity import EVERY_JUDGE, NotRepeated, Repetition, outcome_of, verdict_of
from rankscope.errors import InputError, are, quietly, reason
from rankscope.judged.judges import Judges
from rankscope.measures import Measure
from rankscope.preferences import ipso
from rankscope.preferences.classes import EQUAL, NON_INFERIOR, NON_SUPERIOR
from rankscope.preferences.gains import Gains
from rankscope.statistics.pairs.difference_tests import even_odds

AXIS = "judge"


@dataclass(frozen=True, slots=True)
class AlikeTopics:
    """Topics on which every judge grants the same class of IPSO, and the sign test on those.

    compared  topics that every judge has judged, with relevant documents
    alike     of these, the ones with one class under all judges: b ahead, a ahead, equal, or open to the metric
    """

    judges: int
    compared: int
    alike: int
    ahead_b: int
    ahead_a: int
    equal: int
    open: int
    pvalue: float


def judge_repetitions(
    judges: Judges, main: int, measure: Measure, pair: tuple[str, str], procedure: Procedure, alpha: float
) -> list[Callable[[], Repetition | NotRepeated]]:
    """The comparison under every other judge: what computes each row, on its own.

    main  the verdict under the reference
    """

    def row(name: str) -> Callable[[], Repetition | NotRepeated]:
        def repeated() -> Repetition | NotRepeated:
            try:
                table = under(judges, name, measure, pair)
                if len(table.topics) < FEWEST:
                    few = f"{are(len(table.topics), 'topic')} too few; {FEWEST} are the least"
                    return NotRepeated(AXIS, name, few)
                effect = procedure.effect_of(table)
            except InputError as error:
                return NotRepeated(AXIS, name, reason(error))
            shown = verdict_of(effect, alpha)
            return Repetition(AXIS, name, effect, shown, outcome_of(main, shown), len(table.left_out))

        return repeated

    return [row(name) for name in judges.others]


def alike_topics(judges: Judges, pair: tuple[str, str], depth: int, gains: Gains) -> AlikeTopics | NotRepeated:
    """IPSO under every judge, and the topics on which all of them grant the same class."""
    classes: list[dict[str, int]] = []
    try:
        with quietly():
            for name in judges.names:
                result = ipso(judges.judged(name), *pair, depth=depth, gains=gains)
                classes.append(dict(zip(result.topics, result.outcome.tolist(), strict=True)))
    except InputError as error:
        return NotRepeated(AXIS, EVERY_JUDGE, reason(error))
    shared = [topic for topic in classes[0] if all(topic in each for each in classes)]
    outcome = [classes[0][topic] for topic in shared if len({each[topic] for each in classes}) == 1]
    b, a, equal = (outcome.count(code) for code in (NON_SUPERIOR, NON_INFERIOR, EQUAL))
    pvalue = float(np.asarray(even_odds(b, a)))
    rest = len(outcome) - a - b - equal
    return AlikeTopics(len(classes), len(shared), len(outcome), b, a, equal, rest, pvalue)


def plain_judges(alike: AlikeTopics | None, machine: WithMachine | None) -> dict[str, Any]:
    """Both as plain values, as for JSON."""
    return {
        "alike_under_all_judges": None if alike is None else asdict(alike),
        "prediction_powered": None if machine is None else machine.to_dict(),
    }
