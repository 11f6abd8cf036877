"""Recall of nuggets: the facts that an answer should hold, some of them vital."""

from __future__ import annotations

import numpy as np

from rankscope.arrays import Floats
from rankscope.errors import InputError
from rankscope.measures.catalogue.weights import rank_sum
from rankscope.measures.record import Measure

_OKAY = {"vital": 0.0, "all": 1.0, "weighted": 0.5}  # what a nugget that is not vital counts


def nugget_recall(gain: Floats, ideal: Floats, *, nuggets: str = "vital", strict: bool = True) -> Floats:
    """Share of the nuggets that an answer holds. Grades are those of `io.nuggets`: 4 and 2, and of parts 3 and 1."""
    if nuggets not in _OKAY:
        raise InputError(f"nuggets={nuggets!r} is unknown", f"nuggets is one of {', '.join(_OKAY)}")

    def worth(grade: Floats) -> Floats:
        counted = (grade == 2) | (grade == 4) | (not strict) & ((grade == 1) | (grade == 3))
        return rank_sum(np.where(grade >= 3, 1.0, _OKAY[nuggets]) * counted)

    possible = worth(ideal)
    return worth(gain) / np.where(possible > 0, possible, 1.0)


NuggetRecall = Measure(
    name="NuggetRecall",
    kernel=nugget_recall,
    formula=r"\sum_n w_n s_n \Big/ \sum_n w_n, \quad s_n = 1 \text{ for a nugget that the answer holds, } \tfrac12 "
    r"\text{ in part and not strict, else } 0",
    user_model="Wants every vital fact in the answer, wherever it stands.",
    bounds=(0.0, 1.0),
    needs="gain",
    cutoff_rule="none",
    gain_parameters=(),
    reference="pradeep2024nuggets",
    oracle="none: the slow twin",
    note="Of nugget assignments: NuggetRecall is V_strict of TREC's RAG track, strict_vital_score of its program "
    'nuggetizer. nuggets="all" counts those that are only okay, too (strict_all_score), nuggets="weighted" by a half, '
    "which nuggetizer does not print. strict=False counts a half for a nugget that is there in part (vital_score, "
    "all_score). A topic without vital nuggets scores 0, as in nuggetizer.",
)
