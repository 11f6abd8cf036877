"""Scores of runs that are larger than memory: of each block of lists nothing but its scores is kept."""

from __future__ import annotations

import numpy as np

from rankscope.arrays import Floats
from rankscope.errors import warn
from rankscope.judged import Portion, RunStream
from rankscope.measures.inputs import MeasureInputs
from rankscope.measures.record import Measure
from rankscope.parallel import map_units

_ARRAYS = 6  # of doubles that measures share or make on the way, beside one each


def score_stream(stream: RunStream, measures: tuple[Measure, ...], workers: int | None) -> Floats:
    """(M, S, T) scores; what was left out or filled on the way is said in one DataWarning.

    No score depends on the lists that are scored with it, nor on how long they are: see decisions/0017.
    """
    value = np.empty((len(measures), len(stream.systems), len(stream.topics)))

    def score(portion: Portion) -> None:
        part = portion.judged()
        lists = MeasureInputs(part.code, part.grades, part.available)
        for m, measure in enumerate(measures):
            value[m, portion.system, portion.topic] = measure.compute(lists)[0]

    reserved = 2 * value.nbytes  # once more for their means
    for portions in stream.portions(reserved=reserved, arrays=_ARRAYS + len(measures)):
        for _ in map_units(score, portions, workers=stream.workers if workers is None else workers, kind="shared"):
            pass
    warn(*stream.notes, stacklevel=3)
    return value
