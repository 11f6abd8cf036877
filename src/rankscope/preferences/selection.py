"""Selection of lists from a collection: systems by name, a depth, the topics that count; and its description."""

from __future__ import annotations

from collections.abc import Sequence, Sized
from dataclasses import dataclass
from itertools import compress

import numpy as np

from rankscope.arguments import whole_number
from rankscope.arrays import FIRST_GRADE, PADDING, Bools, Codes, Ints
from rankscope.errors import InputError, argument, warn
from rankscope.judged import Judged
from rankscope.judged.subsets import one_grade


@dataclass(frozen=True, slots=True, eq=False)
class SelectedLists:
    """Lists that are compared: code (systems, topics, ranks) of the topics that count.

    all_codes  the same down to the loaded depth, in one piece
    at         the topics' rows among those that were loaded
    available  (topics, grades) judged documents
    """

    systems: tuple[str, ...]
    topics: tuple[str, ...]
    code: Codes
    all_codes: Codes
    at: Ints
    available: Ints
    n_left_out: int


def counted(topics: Sized, left_out: int) -> str:
    """Numbers of topics compared and left out, in words.

    >>> counted(("1",), 3)
    '1 topic, 3 left out'
    """
    return f"{len(topics)} topic{'s' * (len(topics) != 1)}, {left_out} left out"


def depth_of(judged: Judged, depth: int | None) -> int:
    """Ranks that are compared; all that were loaded by default. Judgments by subtopic are refused."""
    one_grade(judged)
    loaded = judged.code.shape[-1]
    if depth is None:
        return loaded
    if whole_number("depth", depth, otherwise="None for all") > loaded:
        raise InputError(
            f"{argument('depth', depth)} is beyond what was loaded",
            f"{argument('depth')} is a whole number from 1 to {loaded}",
        )
    return int(depth)


def chosen(judged: Judged, names: Sequence[str], depth: int, first: int, *, callers: int = 1) -> SelectedLists:
    """The lists of these systems; `first` is the lowest code that counts as relevant.

    callers  functions between this one and the line that shall be warned

    Topics without a relevant document are left out, and so are those that a run lacks where `missing="drop"` was
    chosen on loading. How many, is said in one DataWarning.
    """
    rows = [judged.system(name) for name in names]
    keep, notes = _kept(judged, rows, first)
    warn(*notes, stacklevel=2 + callers)
    if not keep.any():
        raise InputError("no topic is left to compare on", "a topic needs a relevant document, and a list in each run")
    at = np.flatnonzero(keep)
    everything = len(rows) == len(judged.systems) and keep.all() and rows == list(range(len(rows)))
    code = np.ascontiguousarray(judged.code if everything else judged.code[np.array(rows)[:, None], at])
    return SelectedLists(
        tuple(names),
        judged.topics if len(at) == len(judged.topics) else tuple(compress(judged.topics, keep)),
        code[..., :depth],
        code,
        at,
        judged.available[at],
        len(judged.topics) - len(at),
    )


def _kept(judged: Judged, rows: list[int], first: int) -> tuple[Bools, list[str]]:
    total = len(judged.topics)
    keep, notes = np.ones(total, np.bool_), []
    if judged.rules.undefined == "drop":
        relevant = judged.available[:, max(0, first - FIRST_GRADE) :].sum(axis=1) > 0
        if not relevant.all():
            notes.append(
                f"topics without relevant documents, left out: {total - np.count_nonzero(relevant)} of {total}"
            )
        keep &= relevant
    if judged.rules.missing == "drop":
        retrieved = (judged.code[rows, :, :1] != PADDING).all(axis=(0, 2))
        if not retrieved.all():
            notes.append(f"topics that a run lacks, left out: {total - np.count_nonzero(retrieved)} of {total}")
        keep &= retrieved
    return keep, notes
