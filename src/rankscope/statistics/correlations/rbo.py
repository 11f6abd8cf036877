"""Rank-biased overlap of two rankings that may have ties and may end at different depths."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from rankscope.arguments import one_of, share
from rankscope.arrays import Floats, Ints
from rankscope.errors import InputError
from rankscope.results import Result
from rankscope.statistics.equality import PRECISION, places

TiedRanking: TypeAlias = Sequence[Hashable | set[Hashable] | frozenset[Hashable]]
"""Items from the top; items that tie are one set."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RBO(Result):
    """Rank-biased overlap: extrapolated, and the bounds that whatever comes below the rankings leaves possible."""

    variant: Literal["w", "a", "b"]
    p: float  # persistence
    extrapolated: float
    minimum: float
    maximum: float

    @property
    def residual(self) -> float:
        return self.maximum - self.minimum

    def columns(self) -> dict[str, list[Any]]:
        """One row, with the residual."""
        return {**Result.columns(self), "residual": [self.residual]}


@dataclass(frozen=True, slots=True)
class _Flat:
    """A ranking without its sets: items, and first and last rank of the group of each, from 1."""

    items: list[Hashable]
    top: Ints
    bottom: Ints


def rbo(x: TiedRanking, y: TiedRanking, *, p: float = 0.9, variant: Literal["w", "a", "b"] = "a") -> RBO:
    """Rank-biased overlap of two rankings (Webber, Moffat and Zobel 2010), ties as in Corsi and Urbano (SIGIR 2024).

    - `w`: a tie means equal rank; all items of a group are there from its first rank on.
    - `a`: a tie means not knowing; the mean over all orders within groups.
    - `b`: `a` divided by what the ties leave possible, so that a ranking overlaps with itself by 1.

    The shorter ranking is continued, without ties, by what the longer one has in it (maximum), by nothing of it
    (minimum), or in the proportion seen at its end (extrapolated).

    >>> round(rbo(["a", {"b", "c"}], [{"a", "b"}, "c"], p=0.9, variant="w").extrapolated, 6)
    0.948667
    """
    share("p", p)
    one_of("variant", variant, ("w", "a", "b"))
    short, long = sorted((_flat(x), _flat(y)), key=lambda ranking: len(ranking.items))
    s, depth = len(short.items), len(long.items)
    number = {item: n for n, item in enumerate(dict.fromkeys([*short.items, *long.items]))}
    in_short, in_long = (_contributions(ranking, number, depth, equal=variant == "w") for ranking in (short, long))

    ranks = np.arange(1.0, depth + 1)
    overlap = (in_short * in_long).sum(axis=0)
    later = slice(s, None)  # ranks that only the longer ranking has
    beyond = in_long[[number[item] for item in long.items if number[item] >= s], later]  # its items not in the shorter
    possible = _possible(in_short, in_long, ranks, s, variant)
    agreement = overlap / possible
    seen = float(agreement[s - 1])

    # one more item a rank: at best the next one of the longer ranking
    room = depth - s
    best = np.triu(beyond[:room]).sum(axis=0)
    active = (beyond > 0).sum(axis=0)
    usual = (ranks[later] - s) * seen * beyond.sum(axis=0) / np.maximum(active, 1)
    at_best, at_usual = agreement.copy(), agreement.copy()
    at_best[later] += best / possible[later]
    at_usual[later] += usual / possible[later]

    weight = p**ranks
    last = float(overlap[-1])  # every group has ended there, so this is a number of items
    full = round(depth + s - last)  # from this rank on everything may agree
    more = np.arange(depth + 1, full + 1)
    tail_min = last * (-math.log1p(-p) - float((weight / ranks).sum()))
    tail_max = float(((2 * more - depth - s + last) / more * p ** more.astype(np.float64)).sum())
    tail_max += p ** (full + 1) / (1 - p)
    tail = (last + room * seen) / depth * p ** (depth + 1) / (1 - p)
    scale = (1 - p) / p
    return RBO(
        extrapolated=scale * (float(at_usual @ weight) + tail),
        minimum=scale * (float(agreement @ weight) + tail_min),
        maximum=scale * (float(at_best @ weight) + tail_max),
        p=p,
        variant=variant,
    )


def tied_ranking(scores: Mapping[Hashable, float], *, tolerance: float = PRECISION) -> list[frozenset[Hashable]]:
    """Items by descending score, those with equal scores in one set; as `rbo` takes it.

    Scores that are equal on paper are equal; `tolerance` is the share of itself that each may be off.

    >>> [sorted(group) for group in tied_ranking({"a": 0.1, "b": 0.3, "c": 0.1 + 0.2})]
    [['b', 'c'], ['a']]
    """
    for item, score in scores.items():
        if not math.isfinite(score):
            raise InputError(f"{item!r}: the score is {score}", "give it a score")
    groups: dict[int, list[Hashable]] = {}
    for item, place in zip(scores, places(list(scores.values()), tolerance).tolist(), strict=True):
        groups.setdefault(place, []).append(item)
    return [frozenset(groups[place]) for place in sorted(groups, reverse=True)]


def _flat(ranking: TiedRanking) -> _Flat:
    items: list[Hashable] = []
    top: list[int] = []
    bottom: list[int] = []
    if isinstance(ranking, str):
        raise InputError(f"a string as a ranking: {ranking!r}", "give a list of items, with sets for ties")
    for entry in ranking:
        group: Iterable[Hashable] = entry if isinstance(entry, set | frozenset) else (entry,)
        start = len(items)
        items.extend(group)
        size = len(items) - start
        top += [start + 1] * size
        bottom += [len(items)] * size
    if not items:
        raise InputError("an empty ranking", "give at least one item")
    if len(set(items)) < len(items):
        twice = next(item for n, item in enumerate(items) if item in items[:n])
        raise InputError(f"{twice!r} is in a ranking twice", "give each item one place")
    return _Flat(items, np.array(top), np.array(bottom))


def _contributions(ranking: _Flat, number: Mapping[Hashable, int], depth: int, *, equal: bool) -> Floats:
    """Items x ranks: how much of each item the ranking has at each rank; within a group ever more, unless equal."""
    ranks = np.arange(1, depth + 1)
    top, bottom = ranking.top[:, None], ranking.bottom[:, None]
    here = (ranks >= top).astype(np.float64) if equal else np.clip((ranks - top + 1) / (bottom - top + 1), 0.0, 1.0)
    placed = np.zeros((len(number), depth))
    placed[[number[item] for item in ranking.items]] = here
    return placed


def _possible(in_short: Floats, in_long: Floats, ranks: Floats, s: int, ties: str) -> Floats:
    """The largest overlap at each rank; below its end the shorter ranking has one more item a rank, without ties."""
    if ties == "a":
        return ranks
    if ties == "w":
        sizes = in_short.sum(axis=0)
        sizes[s:] = ranks[s:]
        return (sizes + in_long.sum(axis=0)) / 2
    squares = (in_short**2).sum(axis=0)
    squares[s:] = ranks[s:]
    return np.sqrt(squares * (in_long**2).sum(axis=0))
