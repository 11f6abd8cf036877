"""Further judges of a simulated collection: the same pairs, graded by somebody else."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np

from rankscope import arguments
from rankscope.arguments import Checks
from rankscope.errors import InputError, Problem

Judgments = Mapping[str, Mapping[str, float]]


def another_judge(
    judgments: Judgments,
    *,
    overrate: float = 0.0,
    underrate: float = 0.0,
    favoured: Mapping[str, Collection[str]] | None = None,
    favour: float = 0.0,
    highest: int | None = None,
    seed: int = 1,
) -> dict[str, dict[str, int]]:
    """Judgments of the same documents by another judge, who grades some one too high and some one too low.

    overrate   probability that a document below the highest grade is graded one higher
    underrate  probability that a document above grade 0 is graded one lower
    favoured   documents of each topic that the judge favours, such as those of one system
    favour     probability that one of these is graded one higher still
    highest    grade of the scale; the highest of the judgments unless given

    >>> another_judge({"7": {"a": 0, "b": 2}}, overrate=1.0)
    {'7': {'a': 1, 'b': 2}}
    """
    with Checks() as check:
        for name, value in (("overrate", overrate), ("underrate", underrate), ("favour", favour)):
            check(arguments.number, name, value, 0, 1)
        check(arguments.whole_number, "seed", seed, 0)
        if isinstance(overrate, float | int) and isinstance(underrate, float | int) and overrate + underrate > 1:
            check.add(Problem(f"overrate + underrate = {overrate + underrate:g}", "together they are at most 1"))
    grades = [grade for docs in judgments.values() for grade in docs.values()]
    if not grades:
        raise InputError("no judgments", "give {topic: {document: grade}}")
    most = int(max(grades)) if highest is None else highest
    rng = np.random.default_rng(seed)
    other: dict[str, dict[str, int]] = {}
    for topic, docs in judgments.items():
        drawn = rng.random((len(docs), 2))
        liked = set((favoured or {}).get(topic, ()))
        other[topic] = {}
        for (doc, grade), (rating, liking) in zip(docs.items(), drawn.tolist(), strict=True):
            step = 1 if rating < overrate else -1 if rating > 1 - underrate else 0
            step += doc in liked and liking < favour
            other[topic][doc] = int(min(most, max(0, grade + step)))
    return other
