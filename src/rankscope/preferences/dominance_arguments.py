"""Arguments of dominance: a class of metrics, and the gains of systems down to each rank."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from rankscope.arguments import is_number, whole_number
from rankscope.arrays import FIRST_GRADE, Floats, Ints
from rankscope.errors import InputError, Problem
from rankscope.judged import Judged
from rankscope.preferences.gains import GainMap, Gains, gain_map
from rankscope.preferences.selection import SelectedLists, chosen, depth_of

Normalise: TypeAlias = Mapping[str, float] | Literal["recall base"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricClass:
    """Class of metrics: sums of gains times weights that never grow with rank, cut at `depth`.

    gains             how grades become gains, in words
    normalise         by what the metric is divided or multiplied topic by topic, in words; empty for nothing
    equal_weights_to  ranks 1 to this one weigh the same; 1 asks nothing
    """

    depth: int
    equal_weights_to: int
    gains: str
    normalise: str

    def __str__(self) -> str:
        what = f"every metric that sums gain ({self.gains}) times {self.weights}"
        each = f"; each {self.normalise}" if self.normalise else ""
        return f"{what} ({self.members}, with this gain; not {self.strangers}{each})"

    @property
    def weights(self) -> str:
        """The weights that metrics of the class may have, in words."""
        same = self.equal_weights_to
        constant = f", and is the same for ranks 1 to {same}" if same > 1 else ""
        return f"a weight by rank that is never negative and never grows, cut at {self.depth}{constant}"

    @property
    def members(self) -> str:
        """Well-known metrics of the class."""
        k, same = self.depth, self.equal_weights_to
        if same == 1:
            return f"P@{k}, DCG@{k}, SDCG@{k}, RBP@{k} and any static C/W/L metric cut at {k}, or higher up"
        return f"P@{same}" + ("" if same == k else f" to P@{k}, and DCG@{k} whose discount starts after rank {same}")

    @property
    def strangers(self) -> str:
        """Well-known metrics that are not in the class."""
        few = f"P@{ranges(tuple(range(1, self.equal_weights_to)))}, plain DCG, SDCG, RBP, nor "
        return f"{few if self.equal_weights_to > 1 else ''}nDCG, AP, RR, ERR"


@dataclass(frozen=True, slots=True)
class DominanceQuestion:
    """Checked arguments: `reached` (systems, topics, ranks) is the gain down to each rank, in whole numbers.

    Topics stand in the order of their names, so that draws do not depend on the order they came in.
    """

    reached: Ints
    scale: Floats  # (topics, 1): what one of these whole numbers is worth
    ranks: Ints
    bound: Floats  # by rank: the largest difference that any topic could have
    covers: MetricClass
    left_out: int
    rules: str  # the signature without the number of topics

    @classmethod
    def of(
        cls,
        judged: Judged,
        systems: tuple[str, ...],
        depth: int,
        gains: Gains,
        rel: float | None,
        normalise: Normalise | None,
        equal_weights_to: int,
    ) -> DominanceQuestion:
        if len(systems) < 2:
            raise InputError(f"{len(systems)} system", "a comparison needs at least two systems")
        depth = depth_of(judged, depth)
        same = whole_number("equal_weights_to", equal_weights_to, 1, depth)
        gain = gain_map(judged, gains, rel, depth)
        lists = chosen(judged, systems, depth, gain.first, callers=2)
        if len(lists.topics) < 2:
            raise InputError(
                f"one topic is left to compare on: {lists.topics[0]!r}", "a test needs at least two topics"
            )
        order = sorted(range(len(lists.topics)), key=lists.topics.__getitem__)
        norm = _Norm.of(normalise, gain, lists, depth)
        reached = np.cumsum(gain.table[lists.code[:, order]], axis=-1)[..., same - 1 :]  # whole numbers: exact
        covers = MetricClass(depth=depth, equal_weights_to=same, gains=gain.words, normalise=norm.words)
        mark = [f"equal:1-{same}"] if same > 1 else []
        rules = [f"dominance@{depth}", gain.mark, *norm.mark, *mark, *judged.rules.signature()]
        return cls(
            reached,
            norm.factor[order, None] / gain.unit,
            np.arange(same, depth + 1),
            norm.bound[same - 1 :],
            covers,
            lists.n_left_out,
            "|".join(rules),
        )

    @property
    def n(self) -> int:
        """Topics."""
        return self.reached.shape[1]

    def differences(self, first: Ints, others: Ints) -> Floats:
        """others - first as gains (..., ranks, topics): positive for the others."""
        return np.ascontiguousarray(np.swapaxes((others - first) * self.scale, -1, -2))


@dataclass(frozen=True, slots=True)
class _Norm:
    """Factor of each topic, and the largest difference at each rank that a topic could then have."""

    factor: Floats
    bound: Floats
    words: str
    mark: tuple[str, ...]

    @classmethod
    def of(cls, normalise: Normalise | None, gain: GainMap, lists: SelectedLists, depth: int) -> _Norm:
        top = gain.most / gain.unit or 1.0
        bound = top * np.arange(1.0, depth + 1)
        if normalise is None:
            return cls(np.ones(len(lists.topics)), bound, "", ())
        if isinstance(normalise, str) and normalise == "recall base":
            words = "divided by the topic's number of documents with gain, as R@k is"
            share = 1 / np.maximum(lists.available[:, gain.first - FIRST_GRADE :].sum(axis=1), 1)
            return cls(share, np.full(depth, top), words, ("normalise:recall-base",))
        if not isinstance(normalise, Mapping):
            raise InputError(
                f"normalise={normalise!r}", 'normalise is None, "recall base", or a map of topics to factors'
            )
        factors: list[tuple[str, Any]] = [(topic, normalise.get(topic)) for topic in lists.topics]
        wrong = [
            f"topic {topic!r} has factor {factor!r}"
            for topic, factor in factors
            if not is_number(factor) or factor <= 0
        ]
        if wrong:
            raise InputError([Problem(cause, "give every topic a factor above 0") for cause in wrong])
        factor = np.array([float(factor) for _, factor in factors])
        return cls(factor, bound * factor.max(), "times the factor given for its topic", ("normalise:factors",))


def ranges(ranks: tuple[int, ...]) -> str:
    """Ranks in few words.

    >>> ranges((1, 2, 3, 7))
    '1 to 3, 7'
    """
    parts: list[list[int]] = []
    for rank in ranks:
        if parts and rank == parts[-1][-1] + 1:
            parts[-1].append(rank)
        else:
            parts.append([rank])
    return ", ".join(f"{p[0]}" if len(p) == 1 else f"{p[0]} to {p[-1]}" for p in parts)
