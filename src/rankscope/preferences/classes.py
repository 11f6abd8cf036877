"""The four relations of innate pairwise SERP orderings (IPSO), at every depth.

Moffat and Mackenzie, "How much freedom does an effectiveness metric really have?", JASIST 75(6), 2024.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rankscope.arrays import Ints
from rankscope.kernels import A_AHEAD, B_AHEAD
from rankscope.preferences.gains import Gains
from rankscope.preferences.ordering import Ordering, plain_ordering

Classes: TypeAlias = NDArray[np.uint8]

EQUAL, NON_INFERIOR, NON_SUPERIOR, NON_SEPARABLE = 0, A_AHEAD, B_AHEAD, A_AHEAD | B_AHEAD
LABELS = ("==", "ni", "ns", "**")
WORDS = ("equal to", "non-inferior to", "non-superior to", "non-separable from")
AHEAD = ("equal", "A ahead", "B ahead", "undecided")
LEGEND = "== means equal so far, ni means A ahead, ns means B ahead, ** means undecided: metrics may disagree."
"""Meaning of the classes, in the words of printed results."""
PREFERENCE = np.array([0, -1, 1, 0], np.int8)  # by class: positive for b, the second list
GROUPS = ("** after ns", "ns", "==", "ni", "** after ni")  # the sections of Figure 5, from the top


def path(a: Any, b: Any, gains: Gains = None) -> Classes:
    """Class of a against b down to each rank, (..., ranks), from plain arrays of grades, exact for typed decimals.

    gains  "thresholds" by default: every value above 0 is one; "linear" sums the values themselves

    >>> [LABELS[c] for c in path([2, 0], [1, 1]).tolist()]
    ['ni', '**']
    >>> [LABELS[c] for c in path([0.1, 0.2], [0.3, 0], gains="linear").tolist()]
    ['ns', 'ns']
    """
    (first, second), order = plain_ordering((a, b), gains)
    return path_of(first, second, order)


def path_of(a: Any, b: Any, order: Ordering) -> Classes:
    """Class of a against b down to each rank, from codes: ahead at one threshold is ahead."""
    a, b = np.broadcast_arrays(a, b)
    classes: Classes = np.zeros(a.shape, np.uint8)
    for (first, second), _ in order.summed(np.stack([a, b])):
        classes |= classes_of(np.cumsum(second - first, axis=-1))
    return classes


def classes_of(difference: Ints) -> Classes:
    """Classes from the running difference b - a of counts or gains: who has been ahead so far."""
    first = np.logical_or.accumulate(difference < 0, axis=-1)
    second = np.logical_or.accumulate(difference > 0, axis=-1)
    classes: Classes = (A_AHEAD * first + B_AHEAD * second).astype(np.uint8)
    return classes


def favoured(sign: Any, systems: tuple[str, str]) -> list[str | None]:
    """The system that each value favours: the second where it is positive, the first where negative, else None.

    >>> favoured([1, 0, -0.5], ("bm25", "dense"))
    ['dense', None, 'bm25']
    """
    names = (None, systems[1], systems[0])
    return [names[s] for s in np.sign(sign).astype(int).tolist()]


def first_advantage(paths: Classes) -> tuple[Ints, Ints]:
    """Rank of the first advantage, and whose it was: 1 for b, -1 for a; 0 and 0 where there was none."""
    apart = paths != EQUAL
    rank = _first(apart)
    at = np.take_along_axis(paths, np.maximum(rank - 1, 0)[..., None], axis=-1)[..., 0]
    return rank, np.where(rank > 0, PREFERENCE[at], 0).astype(np.int64)


def separability_lost(paths: Classes) -> Ints:
    """The rank from which the lists are non-separable, 0 where they never are."""
    return _first(paths == NON_SEPARABLE)


def groups_of(paths: Classes) -> Ints:
    """Section of Figure 5, 1 to 5: ** after ns, ns, ==, ni, ** after ni."""
    end, leader = paths[..., -1], first_advantage(paths)[1]
    mixed: Ints = np.where(leader > 0, 1, 5)
    return np.where(end == NON_SEPARABLE, mixed, 3 - PREFERENCE[end].astype(np.int64))


def rows_in_order(paths: Classes, topics: tuple[str, ...]) -> list[int]:
    """Rows as Figure 5 has them.

    In the section at the top lists that become non-separable sooner come first, in the one at the bottom later; among
    ns shorter stretches of == at the start come first, among ni longer ones; what still ties goes by topic.
    """
    group = groups_of(paths)
    mixed = np.count_nonzero(paths == NON_SEPARABLE, axis=-1)
    equal = np.count_nonzero(paths == EQUAL, axis=-1)
    up = np.where(group <= 2, 1, -1)
    numbers = all(topic.isdecimal() for topic in topics)
    names: list[Any] = [(int(topic), topic) if numbers else topic for topic in topics]
    keys = zip(group.tolist(), (-mixed * up).tolist(), (equal * up).tolist(), names, strict=True)
    return [row for _, row in sorted(zip(keys, range(len(topics)), strict=True))]


def _first(hit: NDArray[np.bool_]) -> Ints:
    """Place of the first True along the last axis, from 1; 0 without one."""
    place: Ints = np.where(hit.any(axis=-1), hit.argmax(axis=-1) + 1, 0)
    return place
