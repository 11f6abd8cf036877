"""Recall-paired preference: weighted share of recall levels at which one list is ahead of another.

Diaz and Ferraro, "Offline retrieval evaluation without evaluation metrics", SIGIR 2022.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from rankscope.arguments import one_of
from rankscope.arrays import FIRST_GRADE, Floats, Ints
from rankscope.errors import InputError
from rankscope.formatting import probability, score
from rankscope.judged import Judged
from rankscope.judged.two_systems import two_systems
from rankscope.preferences.classes import LABELS, Classes, favoured
from rankscope.preferences.gains import exact, exact_lists
from rankscope.preferences.recall_levels import Levels, if_lists_went_on, levels_of, plain_levels, relevant_from
from rankscope.preferences.selection import chosen, counted, depth_of
from rankscope.results import Result
from rankscope.statistics.pairs.difference_tests import even_odds

Weights: TypeAlias = Literal["uniform", "inverse", "dcg"]
_UNITS = 2.0**50  # of a weight of 1: weights are whole numbers, so that sums do not depend on their order


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RecallPaired(Result):
    """The preference between a and b on each topic, from -1 (for a) to 1 (for b).

    value            (topics) weight of the recall levels where b is ahead less that where a is, over all weight
    lowest, highest  (topics) the same at worst and at best for b, however lists that were cut may go on
    dominance        (topics) in IPSO's classes: who is at least as good at every level, so that no weighting disagrees
    """

    systems: tuple[str, str]
    topics: tuple[str, ...]
    value: Floats
    lowest: Floats
    highest: Floats
    dominance: Classes
    weights: str
    relevant: str
    depth: int
    left_out: int
    signature: str

    @property
    def mean(self) -> float:
        """Mean preference over topics."""
        return float(self.value.mean())

    @property
    def pvalue(self) -> float:
        """p of the sign test: exact, two-sided, ties left out."""
        return float(even_odds(np.count_nonzero(self.value > 0), np.count_nonzero(self.value < 0)))

    def columns(self) -> dict[str, list[Any]]:
        """One row per topic."""
        return {
            "topic": list(self.topics),
            "preference": self.value.tolist(),
            "favours": favoured(self.value, self.systems),
            "lowest": self.lowest.tolist(),
            "highest": self.highest.tolist(),
            "dominance": [LABELS[c] for c in self.dominance.tolist()],
        }

    def table(self) -> tuple[list[str], list[list[str]]]:
        """One row."""
        signs = [str(int(np.count_nonzero(np.sign(self.value) == s))) for s in (-1, 0, 1)]
        header = ["weights", "a preferred", "tied", "b preferred", "mean preference", "p"]
        return header, [[self.weights, *signs, score(self.mean), probability(self.pvalue)]]

    def heading(self) -> str:
        """Heading of the table: systems, depth, topics and relevance."""
        a, b = self.systems
        what = f"recall-paired preference of a = {a} against b = {b} to depth {self.depth}"
        return f"{what}; {counted(self.topics, self.left_out)}; {self.relevant}"

    def remarks(self) -> list[str]:
        """Remarks below the table."""
        return [if_lists_went_on(np.sign(self.lowest), np.sign(self.highest))]


def rpp(
    source: Judged | Any,
    a: Any,
    b: Any,
    *,
    weights: Weights = "uniform",
    depth: int | None = None,
    rel: float | None = None,
    graded: bool = False,
    **rules: Any,
) -> RecallPaired:
    """Share of recall levels at which the list of b is ahead of that of a, less the share at which it is behind.

    source, a, b  lists and the names of two systems; or judgments and two runs, as `load` takes them
    weights  of recall level i: "uniform", "inverse" (1 / i) or "dcg" (1 / log2(i + 1)), over their sum
    depth    ranks to compare; all that were loaded by default
    rel      the lowest relevant grade; by default that of the collection
    graded   one comparison for each distinct grade from rel on, of the documents with at least this grade, weighted
             by how many of them there are
    rules    those of `load`, for runs that are read here, such as ties="rank"

    Levels where neither list has found its document are ties, and count.
    """
    check_weights(weights)
    judged, a, b = two_systems(source, a, b, **rules)
    depth = depth_of(judged, depth)
    first, words, mark = relevant_from(judged, rel)
    lists = chosen(judged, (a, b), depth, first)
    steps = range(first, len(judged.grades) + FIRST_GRADE) if graded else [first]
    if graded and steps:
        words += ", graded by thresholds " + ", ".join(f"{judged.grades[s - FIRST_GRADE]:g}" for s in steps)
    signature = "|".join([f"RPP({weights})@{depth}", mark, *["graded"] * graded, *judged.rules.signature()])
    levels = [levels_of(lists, step) for step in steps]
    return _result((a, b), lists.topics, levels, weights, words, depth, lists.n_left_out, signature)


def rpp_of(a: Any, b: Any, *, weights: Weights = "uniform", total: Any = None, graded: bool = False) -> RecallPaired:
    """`rpp` of plain arrays of gains, ranks last; total is the number of relevant documents there are.

    Where graded, total is {gain: number of documents with at least this gain}.

    >>> rpp_of([1, 0, 1], [0, 1, 1], total=3).value.tolist()
    [-0.3333333333333333]
    """
    check_weights(weights)
    (first, second), unit = exact_lists(a, b)
    if graded:
        totals = _by_threshold(total)
        seen = {Fraction(int(gain), unit) for gain in {*first.ravel().tolist(), *second.ravel().tolist()} if gain}
        least = {step: ceil(step * unit) for step in sorted(seen | set(totals))}
        levels = [plain_levels(first >= g, second >= g, totals.get(step)) for step, g in least.items()]
    else:
        levels = [plain_levels(first, second, total)]
    *lists, depth = np.broadcast_shapes(first.shape, second.shape)
    topics = tuple(map(str, range(1, int(np.prod(lists, dtype=np.int64)) + 1)))
    return _result(("A", "B"), topics, levels, weights, "relevant where there is gain", depth, 0, f"RPP({weights})")


def _by_threshold(total: Any) -> dict[Fraction, Any]:
    """Relevant documents from each gain on, by the exact gain."""
    try:
        documents = {exact(gain): number for gain, number in ({} if total is None else total).items()}
    except (AttributeError, ValueError, TypeError):
        documents = {Fraction(0): total}
    if min(documents, default=1) <= 0:
        cure = "where graded, total is a map such as {1: 5, 2: 3}: documents with at least this gain, which is above 0"
        raise InputError(f"total={total!r}", cure)
    return documents


def check_weights(weights: str) -> None:
    """Refuse a name that no weights have."""
    one_of("weights", weights, get_args(Weights))


def weight_units(weights: str, levels: int) -> Ints:
    """Weights of the recall levels, as whole numbers."""
    level = np.arange(1.0, levels + 1)
    if weights == "uniform":
        return np.ones(levels, np.int64)
    return np.rint(_UNITS / (level if weights == "inverse" else np.log2(level + 1))).astype(np.int64)


def preference(votes: Sequence[Ints], totals: Sequence[Ints], weights: str) -> Floats:
    """Preferences from weighted votes at each threshold, topics first; totals are the relevant documents there."""
    most = max((int(total.max(initial=0)) for total in totals), default=0)
    reach = np.cumsum(weight_units(weights, most), dtype=np.float64)  # whole numbers might outgrow eight bytes
    reach = np.concatenate([[1.0], reach])  # of no levels: anything but 0
    each = (-1,) + (1,) * (votes[0].ndim - 1)
    documents = np.maximum(sum(totals), 1).reshape(each)
    if weights == "uniform":  # the number of documents over the sum of their weights is 1
        exact: Floats = sum(votes[1:], votes[0]).astype(np.float64)
        exact /= documents  # in place: for all pairs this is most of the memory
        return exact
    shares = [vote * (total / reach[total]).reshape(each) for vote, total in zip(votes, totals, strict=True)]
    value = sum(shares[1:], shares[0]) / documents
    # each weight is off by half a unit at most: 1/2 - 1/3 - 1/6 is a tie
    off = np.sum([total / 2 * (total / reach[total]) for total in totals], axis=0).reshape(each) / documents
    return np.where(np.abs(value) <= off, 0.0, value)


def _result(
    systems: tuple[str, str],
    topics: tuple[str, ...],
    thresholds: Sequence[Levels],
    weights: str,
    relevant: str,
    depth: int,
    left_out: int,
    signature: str,
) -> RecallPaired:
    def valued(pairs: Sequence[tuple[Ints, Ints]]) -> Floats:
        if not pairs:  # no gain, or no grade, counts as relevant
            return np.zeros(len(topics))
        votes = [np.sign(a - b) @ weight_units(weights, a.shape[-1]) for a, b in pairs]
        return preference(votes, [levels.total for levels in thresholds], weights)

    bounds = [levels.bounds() for levels in thresholds]
    classes = np.zeros(len(topics), np.uint8)
    for levels in thresholds:
        classes |= levels.classes()
    return RecallPaired(
        systems=systems,
        topics=topics,
        value=valued([(levels.a, levels.b) for levels in thresholds]),
        lowest=valued([worst for worst, _ in bounds]),
        highest=valued([best for _, best in bounds]),
        dominance=classes,
        weights=weights,
        relevant=relevant,
        depth=depth,
        left_out=left_out,
        signature=signature,
    )
