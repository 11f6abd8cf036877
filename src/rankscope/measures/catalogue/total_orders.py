"""The place of a list among all possible lists: the set-based and the rank-based total order, and lexiprecision's."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import accumulate
from typing import Any

import numpy as np

from rankscope.arrays import Bools, ExactNumbers, Ints
from rankscope.measures.exact import in_powers, objects, over, quotient
from rankscope.measures.record import Measure


def set_based_total_order(gain: Ints, *, cutoff: int, unit: int, degrees: int, share: bool = False) -> ExactNumbers:
    """Number of multisets of `cutoff` degrees that come before that of the list.

    The published sum over documents, best first, telescopes over those of one degree: with s_j documents of degree j
    or more, degree j adds C(j + N - s_(j+1), j) - C(j + N - s_j, j), the ways to fill the rest.
    """
    place = objects(np.zeros(gain.shape[:-1], np.int64))
    left = np.full(gain.shape[:-1], cutoff)
    for degree in range(degrees, 0, -1):
        fewer = cutoff - np.count_nonzero(gain >= degree * unit, axis=-1)
        place = place + _multisets(left, degree) - _multisets(fewer, degree)
        left = fewer
    return over(place, math.comb(cutoff + degrees, degrees) - 1) if share else place


def _multisets(size: Ints, degree: int) -> ExactNumbers:
    """Number of multisets of each size, of degrees up to this one."""
    distinct, where = np.unique(size, return_inverse=True)
    counts = np.array([math.comb(degree + n, degree) for n in distinct.tolist()], object)
    return counts[np.ravel(where)].reshape(np.shape(size))


def rank_based_total_order(gain: Any, *, cutoff: int, unit: int, degrees: int, share: bool = False) -> ExactNumbers:
    """The list read as a number in base c + 1, first rank first."""
    base = degrees + 1
    place = over(in_powers(gain, 1, base, cutoff), unit)
    return over(place, base**cutoff - 1) if share else place


def lexiprecision_total_order(relevant: Bools, total: Ints, *, cutoff: int, share: bool = False) -> ExactNumbers:
    """Number of lists of `cutoff` documents with at most `total` relevant ones that come before the list.

    Those that first differ at a relevant document of the list have none there, and below it at most the relevant ones
    that are left: the sum of C(k - p, t) over t up to their number, for a document at rank p.
    """
    rows = relevant.reshape(math.prod(relevant.shape[:-1]), relevant.shape[-1])
    of_topic = np.broadcast_to(total, relevant.shape[:-1]).ravel()
    left = of_topic[:, None] - np.cumsum(rows, axis=1) + rows  # relevant documents from this rank on
    most, below = int(of_topic.max(initial=0)), cutoff - rows.shape[1]
    place = objects(np.zeros(len(rows), np.int64))
    ways = [math.comb(below, t) for t in range(min(below, most) + 1)]  # C(below, t)
    for rank in range(rows.shape[1] - 1, -1, -1):
        here = rows[:, rank]
        if here.any():
            place[here] += _up_to(ways)[np.minimum(left[here, rank], len(ways) - 1)]
        ways = [a + b for a, b in zip([*ways, 0], [0, *ways], strict=True)][: most + 1]
    if share:
        place = quotient(place, _up_to(ways)[np.minimum(of_topic, len(ways) - 1)] - 1)
    return place.reshape(relevant.shape[:-1])


def _up_to(ways: list[int]) -> ExactNumbers:
    """Sums of the first so many."""
    return np.array(list(accumulate(ways)), object)


def _weights(values: Mapping[str, Any]) -> str:
    """Degrees by number, unless the user weighs them."""
    return "degree" if values["gains"] is None else "grade"


_SCALE = (
    "Degrees are 0 for unjudged, negative and zero grades and ranks past the end, then 1, 2, ... for the grades above "
    "0 that the judgments of the collection hold; c=3 names a scale of grades 0 to 3, whether all occur or not. "
)
_ROUNDING = (
    "Computed in whole numbers of any size. Scores for means and tests are the nearest doubles, 53 bits: lists {} get "
    "one score; exact_scores and order_keys keep them apart. Scores above 2^500, whose squares tests could not hold, "
    "are refused; share=True divides by the largest value."
)

SBTO = Measure(
    name="SBTO",
    kernel=set_based_total_order,
    exact=set_based_total_order,
    formula=r"\sum_{i=1}^{k} \binom{d_i + k - i}{k - i + 1}, \quad d_1 \ge d_2 \ge \dots \text{ the degrees, sorted}",
    user_model="Reads k documents in any order; one of a higher degree outweighs any number of lower ones.",
    bounds=(0.0, float("inf")),
    needs="gain",
    cutoff_rule="required",
    gain="degree",
    improves="grades",
    gain_parameters=("gains", "c"),
    reference="ferrante2020interval",
    oracle="none: the slow twin",
    note=_SCALE + "Of gains= only the order counts. " + _ROUNDING.format("whose places agree in 53 bits"),
)

RBTO = Measure(
    name="RBTO",
    kernel=rank_based_total_order,
    exact=rank_based_total_order,
    formula=r"\sum_{i=1}^{k} d_i \, (c+1)^{k-i}, \quad d_i \in \{0, \dots, c\} \text{ the degrees}",
    user_model="Reads from the top; a better document at one rank outweighs whatever follows.",
    bounds=(0.0, float("inf")),
    needs="gain",
    cutoff_rule="required",
    gain=_weights,
    improves="grades",
    gain_parameters=("gains", "c"),
    reference="ferrante2020interval",
    oracle="none: the slow twin",
    note=_SCALE + "gains={1:1,2:3} weighs degrees otherwise, and c counts the weights. "
    + _ROUNDING.format("that first differ some 53 / log2(c+1) ranks below their first relevant document"),
)  # fmt: skip

LPTO = Measure(
    name="LPTO",
    kernel=lexiprecision_total_order,
    exact=lexiprecision_total_order,
    formula=r"\sum_{j \ge 1} \sum_{t=0}^{R-j+1} \binom{k - p_j}{t}, \quad p_1 < p_2 < \dots \le k \text{ the relevant "
    r"ranks}",
    user_model="Wants the first relevant document as early as can be; where that is the same, the second, and so on.",
    bounds=(0.0, float("inf")),
    cutoff_rule="required",
    reference="diaz2023lexiprecision",
    oracle="none: the slow twin",
    note="Lexiprecision as an interval scale: the place of the list, by lexiprecision, among all lists of k documents "
    "with at most R relevant ones. On one topic it orders lists as lexiprecision and as binary RBTO do; steps are even "
    "where R < k too, and it equals RBTO from R = k - 1 on. The highest place differs between topics, as with recall; "
    "share=True divides by it. Computed in whole numbers of any size, as RBTO.",
)
