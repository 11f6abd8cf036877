"""Arrays of scores, checked: a matrix of topics x systems, two systems on the same topics."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from rankscope.arrays import Floats
from rankscope.errors import InputError, Problem


def score_matrix(
    values: ArrayLike, *, topics: Sequence[str] | None = None, systems: Sequence[str] | None = None
) -> Floats:
    """A topics x systems matrix of finite scores, at least 2 x 2."""
    matrix = np.asarray(values, np.float64)
    if matrix.ndim != 2:
        raise InputError(f"scores have {matrix.ndim} axes", "give a matrix of topics x systems")
    _labelled(topics, matrix.shape[0], "topics")
    _labelled(systems, matrix.shape[1], "systems")
    _finite(matrix, topics, systems)
    if matrix.shape[0] < 2:
        raise InputError(f"{matrix.shape[0]} topic", "a test needs at least two topics")
    if matrix.shape[1] < 2:
        raise InputError(f"{matrix.shape[1]} system", "a comparison needs at least two systems")
    return matrix


def score_pair(a: ArrayLike, b: ArrayLike, *, topics: Sequence[str] | None = None) -> tuple[Floats, Floats]:
    """Scores of two systems on the same topics, at least two of them."""
    first, second = np.asarray(a, np.float64), np.asarray(b, np.float64)
    if first.ndim != 1 or second.ndim != 1:
        raise InputError("scores of a system have more than one axis", "give one score per topic")
    if len(first) != len(second):
        raise InputError(f"{len(first)} and {len(second)} scores", "give both systems a score on every topic")
    if len(first) < 2 or not (np.isfinite(first).all() and np.isfinite(second).all()):  # say what is wrong
        score_matrix(
            np.stack([first, second], axis=1), topics=topics, systems=("the first system", "the second system")
        )
    _labelled(topics, len(first), "topics")
    return first, second


def _labelled(labels: Sequence[str] | None, length: int, what: str) -> None:
    if labels is not None and len(labels) != length:
        raise InputError(f"{len(labels)} names for {length} {what}", f"name all {what} or none")


def _finite(matrix: Floats, topics: Sequence[str] | None, systems: Sequence[str] | None) -> None:
    finite = np.isfinite(matrix)
    if not finite.all():
        wrong = np.argwhere(~finite)
        cure = "leave the topic out for all systems, or give it a score"
        problems = []
        for t, s in wrong[:1000].tolist():
            topic = f"topic {t}" if topics is None else f"topic {topics[t]!r}"
            system = f"system {s}" if systems is None else f"system {systems[s]!r}"
            problems.append(Problem(f"{topic}, {system}: the score is {matrix[t, s]}", cure))
        raise InputError(problems)
