"""Judged lists and measures in, scores out."""

from __future__ import annotations

import warnings
from collections.abc import Iterable

import numpy as np

from rankscope.arrays import PADDING
from rankscope.errors import DataWarning, InputError
from rankscope.judged import Judged
from rankscope.measures.lists import Lists
from rankscope.measures.measure import Measure
from rankscope.measures.names import parse
from rankscope.measures.scores import Scores
from rankscope.parallel import available_workers, map_units

_BLOCK = 1 << 18  # cells scored at a time: the arrays of a block stay in the cache


def evaluate(
    judged: Judged, measures: str | Measure | Iterable[str | Measure], *, workers: int | None = None
) -> Scores:
    """Score every system on every topic.

    A topic where a measure has nothing to measure (no relevant document, say) is NaN and left out of means, or 0
    where `undefined="zero"` was chosen on loading. How many, is said in one DataWarning.
    """
    wanted = tuple(parse([measures] if isinstance(measures, str | Measure) else measures))
    if not wanted:
        raise InputError("no measures", "name at least one")
    s, t, k = judged.code.shape
    value = np.empty((len(wanted), s, t))
    step = max(1, _BLOCK // max(1, s * k))
    blocks = [slice(start, min(start + step, t)) for start in range(0, t, step)]

    def score(block: slice) -> None:
        lists = Lists(judged.code[:, block], judged.grades, judged.available[block])
        for m, measure in enumerate(wanted):
            value[m, :, block] = measure.compute(lists)

    for _ in map_units(score, blocks, workers=available_workers() if workers is None else workers):
        pass
    note = _apply_policies(value, wanted, judged)
    if note:
        warnings.warn(note, DataWarning, stacklevel=2)
    whole = Lists(judged.code, judged.grades, judged.available)
    made = tuple("|".join([*m.signature(whole), *judged.rules.signature()]) for m in wanted)
    return Scores(measures=wanted, systems=judged.systems, topics=judged.topics, value=value, made=made)


def _apply_policies(value: np.ndarray, measures: tuple[Measure, ...], judged: Judged) -> str:
    """Fill or drop what is undefined or missing; says how many topics are undefined for which measures."""
    left_out: dict[int, list[str]] = {}
    undefined = np.isnan(value).any(axis=1)
    for measure, topics in zip(measures, undefined, strict=True):
        if count := int(np.count_nonzero(topics)):
            left_out.setdefault(count, []).append(str(measure))
    if judged.rules.undefined == "zero":
        value[np.isnan(value)] = 0.0
    if judged.rules.missing == "drop":
        value[:, ~(judged.code != PADDING).any(axis=-1)] = np.nan
    done = "left out" if judged.rules.undefined == "drop" else "scored 0"
    parts = [f"{count} of {len(judged.topics)} for {', '.join(names)}" for count, names in left_out.items()]
    return f"topics without relevant documents, {done}: {'; '.join(parts)}" if parts else ""
