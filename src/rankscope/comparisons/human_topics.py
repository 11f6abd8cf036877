"""Two systems from few human labels beside many of a machine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from rankscope.arrays import Floats, Ints
from rankscope.comparisons.scored import Plan, Scored, scored
from rankscope.errors import InputError, argument, plural, quietly
from rankscope.formatting import p_value, score, visible
from rankscope.judged import Judged
from rankscope.judged.judges import Judges
from rankscope.measures import Measure
from rankscope.measures.catalogue.weights import logarithmic
from rankscope.statistics.pairs.prediction_powered import (
    FEWEST,
    PredictionPowered,
    prediction_powered,
    prediction_powered_pairs,
)

SUMS = ("P", "DCG", "RBP")  # measures that are sums over ranks, with weights that no grade changes


@dataclass(frozen=True, slots=True)
class WithMachine:
    """The difference under the human judge, from what people judged and all that the machine judged.

    means  of both systems under the human judge, estimated like their difference
    """

    human: str
    machine: str
    result: PredictionPowered
    means: tuple[float, float]

    def source(self) -> str:
        """Which labels the estimate rests on, in one sentence."""
        p = self.result
        labels = f"{plural(p.n_labelled, p.unit)} that people judged and the labels of {self.machine}"
        return f"Estimated from {labels} on {p.n_unlabelled:,} more."

    def verdict(self, pair: tuple[str, str], measure: str, alpha: float) -> str:
        """What both labels show together, in one sentence."""
        p = self.result
        higher, lower = pair[p.difference > 0], pair[p.difference <= 0]
        size, chance = score(abs(p.difference)), p_value(p.pvalue, exact=False)
        labels = f"with the labels of people and {self.machine}"
        if p.pvalue < alpha:
            return f"{higher} scores higher than {lower} on {measure}, {labels}: by {size}, {chance}."
        by = f"{higher} scores {size} higher, {chance}"
        return f"No difference between {higher} and {lower} is shown on {measure}, {labels}: {by}."

    def alone(self) -> str:
        """What a comparison rests on that leaves out the machine, in one sentence."""
        p = self.result
        if p.unit == "topic":
            return f"What follows rests on the {plural(p.n_labelled, 'topic')} of people alone."
        return f"What follows takes {plural(p.n_unlabelled, 'pair')} that people did not judge for not relevant."

    def next_step(self, alpha: float) -> str:
        """What to do with the estimate, in one line."""
        p = self.result
        if p.pvalue < alpha:
            return f"report the first line, and how the {p.unit}s that people judged were drawn."
        if p.settles is None:
            return f"add topics; human labels for all {p.unit}s of {self.machine} are unlikely to do."
        return f"human labels for about {plural(p.settles, f'more {p.unit}')} show some difference in about 80 %."

    def passed_over(self) -> list[str]:
        """What a comparison under the human judge alone makes of pairs that people did not judge."""
        p = self.result
        if p.unit == "topic":
            return []
        total = p.n_labelled + p.n_unlabelled
        return [f"People judged {p.n_labelled:,} of {total:,} pairs of topic and document. Without the machine, "
                "compare takes all others for not relevant."]  # fmt: skip

    def warnings(self, pair: tuple[str, str], *, brief: bool = False) -> list[str]:
        """Warning where the machine's errors differ between the two systems."""
        p = self.result
        if not p.warnings():
            return []
        favoured = f"{pair[p.bias < 0]} by {score(abs(p.bias))} ({p_value(p.bias_pvalue)})"
        corrects = "" if brief else f" The estimate from both corrects for them; {self.machine} alone does not."
        return [visible(f"Warning: {self.machine}'s errors favour {favoured}.{corrects}")]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as for JSON."""
        judges = {"human_judge": self.human, "machine_judge": self.machine}
        return {**judges, "means": list(self.means), **self.result.to_dict()}


Estimator: TypeAlias = Callable[[Judges, Measure, tuple[str, str], float], WithMachine]


def estimator(judges: Judges | None, human_topics: bool, human_pairs: bool, plan: Plan) -> Estimator | None:
    """What estimates a difference from few human and many machine labels; None where nobody asked for it."""
    if judges is not None and not isinstance(judges, Judges):
        cause = f"{argument('judges')} is a {type(judges).__name__}, not judgments that are joined with runs"
        raise InputError(cause, "give what load_judges(qrels, runs, judges) returns")
    if not (human_topics or human_pairs):
        return None
    units = "topics" if human_topics else "pairs"
    if judges is None:
        raise InputError(f"human {units} without a machine", f"give its judgments by {argument('judges')}")
    if human_topics and human_pairs:
        raise InputError("human topics beside human pairs", "choose what people judged: whole topics or single pairs")
    if plan.clusters is not None or plan.weights is not None:
        raise InputError(f"human {units} beside clusters or weights of topics", "leave out one of them")
    return with_machine if human_topics else with_pairs


def merged(judges: Judges) -> Judged:
    """Lists under the labels of people, and under those of the machine where people judged nothing.

    Pairs that the machine has not judged are unjudged. A topic without relevant documents scores 0.
    """
    _refuse_machines(judges, "pairs")
    human, machine = judges.grade
    base = replace(judges.base, rules=replace(judges.base.rules, undefined="zero"))
    return replace(judges, base=base).recoded(np.where(np.isnan(human) | np.isnan(machine), machine, human))


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
    human, machine = judges.grade
    seen = judges.lists[:, :, : None if measure.cutoff is None else int(measure.cutoff)]
    known = ~np.isnan(machine)
    among = np.zeros(len(machine), np.bool_)
    among[seen[seen >= 0]] = True
    among &= known
    both = among & ~np.isnan(human)
    n_topics = len(np.unique(judges.topic[both]))
    if n_topics < FEWEST:
        cause = f"people and {judges.others[0]} share pairs of {plural(n_topics, 'topic')} that {measure} sees"
        raise InputError(cause, f"give human labels of pairs from at least {FEWEST} topics")
    if both.sum() == among.sum():
        cause = f"people have judged all {plural(int(both.sum()), 'pair')} of {judges.others[0]} that {measure} sees"
        raise InputError(cause, "compare under the human judge alone: leave out the human pairs")
    ranks = _weights(seen, len(machine), measure)
    people, same, alone = (
        ranks * np.where(pairs, _gains(grade, measure.relevant_from(judges.base.rules.rel)), 0.0)
        for grade, pairs in ((human, both), (machine, both), (machine, among))
    )
    topics = np.unique(judges.topic[known])
    if judges.base.rules.missing == "drop":
        topics = topics[(judges.lists[:, topics] != -1).any(axis=-1).all(axis=0)]
    by_topic = [
        np.array([np.bincount(judges.topic, of, minlength=len(judges.topics))[topics] for of in each])
        for each in (people, same, alone)
    ]
    h, m = (of[1] - of[0] for of in (people, same))
    counts = int(both.sum()), int(among.sum())
    result = prediction_powered_pairs(
        *(of[1] - of[0] for of in by_topic), n_pairs=counts, squares=(h @ h, h @ m, m @ m), level=level
    )
    drawn = counts[0] / counts[1]
    y, f, u = (of.mean(axis=1) for of in by_topic)
    a, b = (y / drawn - result.weight * (f / drawn - u)).tolist()
    return WithMachine(judges.reference, judges.others[0], result, (a, b))


def _weights(seen: Ints, n_pairs: int, measure: Measure) -> Floats:
    """(systems, pairs) weight of the rank that a system gives to the document, over that of rank 1; 0 if unseen."""
    depth, values = seen.shape[-1], measure.values
    if measure.name == "DCG":
        weight = logarithmic(depth, values["base"])
    else:
        weight = np.power(float(values.get("p", 1.0)), np.arange(depth, dtype=np.float64))
    result = np.zeros((len(seen), n_pairs))
    system, _, rank = np.nonzero(seen >= 0)
    result[system, seen[seen >= 0]] = weight[rank]
    return result


def _gains(grade: Floats, measure: Measure) -> Floats:
    """What a document of each grade adds at rank 1; 0 where there is none."""
    grades, index = np.unique(np.where(np.isnan(grade), -np.inf, grade), return_inverse=True)
    known = grades > -np.inf
    gain = np.zeros(len(grades))
    gain[known] = np.nan_to_num(measure.score(grades[known, None]))  # NaN: nothing to gain
    return gain[index]


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
    rows = [row for _, row in both]
    result = prediction_powered(labelled, apart[1][rows], apart[1][~known], level=level)
    slope = result.weight * (1 + len(both) / np.count_nonzero(~known))
    off = machine.value.mean(axis=0) - machine.value[rows].mean(axis=0)
    a, b = (human.value[[row for row, _ in both]].mean(axis=0) + slope * off).tolist()
    return WithMachine(judges.reference, judges.others[0], result, (a, b))
