"""An order of topics and systems that does not depend on how they were given, so that draws do not either."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankscope.arrays import Ints


def canonical_order(matrix: NDArray[Any], names: Sequence[str] | None = None) -> tuple[Ints, Ints]:
    """An order of topics and one of systems that do not depend on how a topics x systems matrix was given.

    Systems are told apart by their scores and the topics of these, topics by theirs and the systems of these, again
    and again (colour refinement). Systems that are alike even then, yet not the same on every topic, go by name, or
    without names in the order they came in.
    """
    values = np.unique(matrix, return_inverse=True)[1].reshape(matrix.shape).astype(np.int64)
    count = matrix.shape[1]
    by_name = np.arange(count) if names is None else np.argsort(np.argsort(np.array(names)))
    topic, system = _refined(values, np.zeros(count, np.int64))
    while (alike := _alike(values, system)) is not None:
        system = 2 * system
        system[alike[np.argmin(by_name[alike])]] -= 1
        topic, system = _refined(values, _classes(system[:, None]))
    by_system = np.argsort(system, kind="stable")
    return np.lexsort((*values[:, by_system].T[::-1], topic)), by_system


def _refined(values: Ints, system: Ints) -> tuple[Ints, Ints]:
    """Classes of topics and of systems, starting from classes of systems."""
    base = int(values.max()) + 1
    known = -1
    while True:
        topic = _classes(np.sort(system * base + values, axis=1))
        columns = np.sort(topic[:, None] * base + values, axis=0)
        system = _classes(np.vstack([system, columns]).T)
        classes = int(topic.max() + system.max())
        if classes == known:
            return topic, system
        known = classes


def _alike(values: Ints, system: Ints) -> Ints | None:
    """The first class of systems that are not told apart and differ on some topic."""
    for group in np.flatnonzero(np.bincount(system) > 1):
        members = np.flatnonzero(system == group)
        if (values[:, members] != values[:, members[:1]]).any():
            return members
    return None


def canonical_preferences(units: Ints) -> tuple[Ints, Ints]:
    """The same for preferences, topics x systems x systems."""
    values = np.unique(units, return_inverse=True)[1].reshape(units.shape).astype(np.int64)
    topic, system = _refined_preferences(values, np.zeros(units.shape[1], np.int64))
    while (alike := _alike_preferences(values, system)) is not None:
        system = 2 * system
        system[alike[0]] -= 1
        topic, system = _refined_preferences(values, _classes(system[:, None]))
    by_system = np.argsort(system, kind="stable")
    ordered = values[:, by_system][:, :, by_system].reshape(len(values), -1)
    return np.lexsort((*ordered.T[::-1], topic)), by_system


def _refined_preferences(values: Ints, system: Ints) -> tuple[Ints, Ints]:
    topics, count, _ = values.shape
    base, known = int(values.max()) + 1, -1
    while True:
        rows = np.sort(system * base + values, axis=2).reshape(topics * count, count)
        signature = _classes(np.column_stack([np.tile(system, topics), rows])).reshape(topics, count)
        topic = _classes(np.sort(signature, axis=1))
        columns = np.sort(topic[:, None] * (topics * count) + signature, axis=0)
        system = _classes(np.vstack([system, columns]).T)
        if int(system.max()) == known:
            return topic, system
        known = int(system.max())


def _alike_preferences(values: Ints, system: Ints) -> Ints | None:
    """The first class of systems that are not told apart, and that cannot be exchanged on every topic."""
    for group in np.flatnonzero(np.bincount(system) > 1):
        members = np.flatnonzero(system == group)
        for other in members[1:].tolist():
            swap = np.arange(len(system))
            swap[[members[0], other]] = other, members[0]
            if (values[:, members[0]] != values[:, other][:, swap]).any():
                return members
    return None


def _classes(rows: Ints) -> Ints:
    """Number of each row among the distinct rows, in lexicographic order."""
    # as bytes, the most significant first, rows compare at once and not number by number
    words = (rows - rows.min()).astype(">i8", order="C").view(f"S{8 * rows.shape[1]}").ravel()
    numbers: Ints = np.unique(words, return_inverse=True)[1].astype(np.int64)
    return numbers
