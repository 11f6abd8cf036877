"""A simulated collection as a user would hold it: judgments and runs by id."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from rankscope.simulation.collection_model import Model, check_sample
from rankscope.simulation.drawing import BLOCK, FIRST_TOPIC, TopicBlock, blocks


@dataclass(frozen=True, slots=True)
class Collection:
    """Judgments, runs, and the truth they were drawn from."""

    judgments: dict[str, dict[str, int]]  # topic -> document -> grade
    runs: dict[str, dict[str, dict[str, float]]]  # system -> topic -> document -> score, best first
    strength: dict[str, float]  # system -> its true strength
    family: dict[str, str]  # system -> its family
    odd: tuple[str, ...] = ()  # topics of the odd kind


def simulate(
    model: Model | None = None, *, n_topics: int = 50, barren: int = 1, seed: int = 1, **changes: Any
) -> Collection:
    """Draw a collection from a model; `changes` are fields of `Model` to set otherwise.

    In `barren` topics, chosen at random, no document is relevant. The result depends on the arguments alone.

    >>> small = simulate(n_topics=5, families={"a": (0.8, 1.2)}, judged=10)
    >>> list(small.runs)
    ['a-1', 'a-2']
    """
    model = replace(Model() if model is None else model, **changes)
    check_sample(n_topics=n_topics, barren=barren, seed=seed)
    judgments: dict[str, dict[str, int]] = {}
    runs: dict[str, dict[str, dict[str, float]]] = {system.name: {} for system in model.systems}
    odd: list[str] = []
    # one width for all, so that ids sort as bytes the way their numbers do
    width = max(5, len(str(n_topics * model.pool - 1)))
    for number, block in enumerate(blocks(model, n_topics, seed, barren)):
        for t in range(len(block.grade)):
            topic = number * BLOCK + t
            name = str(FIRST_TOPIC + topic)
            docs = [f"d{n:0{width}d}" for n in range(topic * model.pool, (topic + 1) * model.pool)]
            judgments[name] = _judgments(block, t, docs)
            for s, run in enumerate(runs.values()):
                ranked, score = block.ranked[s, t].tolist(), block.score[s, t].tolist()
                run[name] = {docs[d]: x for d, x in zip(ranked, score, strict=True)}
            if block.odd[t]:
                odd.append(name)
    return Collection(
        judgments=judgments,
        runs=runs,
        strength={system.name: float(system.strength) for system in model.systems},
        family={system.name: system.family for system in model.systems},
        odd=tuple(odd),
    )


def _judgments(block: TopicBlock, topic: int, docs: list[str]) -> dict[str, int]:
    """Judged documents of a topic and the grades given to them, by id."""
    return {docs[d]: int(block.assessed[topic, d]) for d in block.judged[topic].nonzero()[0]}
