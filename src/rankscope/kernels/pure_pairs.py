"""All pairs of systems on each topic, from the ranks of their relevant documents: the numpy twins of _pairs.c."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankscope.arrays import Codes, Floats, Ints
from rankscope.kernels.shapes import A_AHEAD, B_AHEAD, Ranks, rank_rows

_ROOM = 1 << 22  # cells of an intermediate array: a few megabytes at a time


def relevant_ranks(
    code: Codes, first: int, depth: int, levels: int, start: int, stop: int, *, codes: bool = False
) -> Ranks:
    """Ranks of the codes from `first` on, down to `depth`, of the topics from start to stop.

    code is (systems, topics, ranks); no list may hold more than `levels` of them.
    """
    rows = np.ascontiguousarray(code[:, start:stop, :depth].transpose(1, 0, 2))
    hit = rows >= first
    used = np.count_nonzero(hit, axis=-1).astype(np.int32)
    if used.max(initial=0) > levels:
        raise ValueError("relevant_ranks: a list has more relevant documents than its topic")
    ranks = rank_rows(code, depth, levels, stop - start, codes=codes)
    late = np.iinfo(ranks.rank.dtype).max
    ranks.rank[:] = late
    t, s, r = np.nonzero(hit)
    ends = np.cumsum(used.ravel())
    level = np.arange(len(r)) - np.repeat(ends - used.ravel(), used.ravel())
    ranks.rank[t, s, level] = r + 1
    ranks.used[:] = used
    if ranks.code is not None:
        ranks.code[:] = 0
        ranks.code[t, s, level] = rows[t, s, r]
    return ranks


def pair_classes(ranks: Ranks, seen: NDArray[np.uint8] | None = None) -> NDArray[np.uint8]:
    """Lists that find the i-th relevant document earlier for some i: A_AHEAD, B_AHEAD, both or neither.

    seen  (topics, pairs) of another threshold: who is ahead here is added to it, in place
    """
    classes: NDArray[np.uint8] = _by_topic(ranks, np.uint8, _classes)
    return classes if seen is None else np.bitwise_or(classes, seen, out=seen)


def _classes(p: Any, q: Any, used: int) -> Any:
    p, q = p[:, :used], q[:, :used]
    return A_AHEAD * (p < q).any(axis=1) + B_AHEAD * (p > q).any(axis=1)


def pair_classes_graded(ranks: Ranks, gain: Ints) -> NDArray[np.uint8]:
    """Lists whose gains sum to more down to some rank: A_AHEAD, B_AHEAD, both or neither; `gain` by code."""
    assert ranks.code is not None
    topics, systems, _ = ranks.rank.shape
    first, second = np.triu_indices(systems, 1)
    out = np.empty((topics, len(first)), np.uint8)
    for t in range(topics):
        used = int(ranks.used[t].max(initial=0))
        here = ranks.rank[t, :, :used].astype(np.int64)
        depth = int(np.where(here < ranks.late, here, 0).max(initial=0))
        dense = np.zeros((systems, depth + 1), np.int64)
        s, level = np.nonzero(here < ranks.late)
        dense[s, here[s, level]] = gain[ranks.code[t, s, level]]
        # the difference can change only where some list has a relevant document
        changes = np.flatnonzero((dense != 0).any(axis=0))
        sums = np.cumsum(dense[:, changes], axis=1)
        sums = sums.astype(np.min_scalar_type(-1 - int(sums.max(initial=0))))  # the fewer bytes, the faster
        for part in _parts(len(first), max(1, len(changes))):
            ahead = sums[first[part]] - sums[second[part]]
            out[t, part] = A_AHEAD * (ahead > 0).any(axis=1) + B_AHEAD * (ahead < 0).any(axis=1)
    return out


def pair_levels(ranks: Ranks, *, last: bool, difference: bool) -> tuple[NDArray[Any], Floats | None]:
    """The first recall level that differs, or the last, negative where the second list is better there; 0 for a tie.

    With it, where asked for, the difference of the reciprocal ranks there.
    """

    def level(p: Any, q: Any, used: int) -> Any:
        p, q = p[:, :used], q[:, :used]
        apart = p != q
        if last:
            apart = apart[:, ::-1]
        at = apart.argmax(axis=1) if used else np.zeros(len(p), np.int64)
        at = used - 1 - at if last else at
        row = np.arange(len(p))
        ahead = np.sign(q[row, at].astype(np.int64) - p[row, at]) if used else at
        return ahead * (at + 1)

    levels = _by_topic(ranks, ranks.rank.dtype, level)
    if not difference:
        return levels, None
    topics, systems, _ = ranks.rank.shape
    first, second = np.triu_indices(systems, 1)
    at = np.abs(levels) - 1
    t = np.arange(topics)[:, None]
    p, q = ranks.rank[t, first, at], ranks.rank[t, second, at]
    apart = np.where(p < ranks.late, 1.0 / p, 0.0) - np.where(q < ranks.late, 1.0 / q, 0.0)
    return levels, np.where(levels != 0, apart, 0.0)


def pair_votes(ranks: Ranks, weight: Ints | None) -> NDArray[Any]:
    """The weight (1 by default) of the recall levels where the first list is ahead less that where the second is."""

    def votes(p: Any, q: Any, used: int) -> Any:
        p, q = p[:, :used], q[:, :used]
        if weight is None:
            return np.count_nonzero(p < q, axis=1) - np.count_nonzero(p > q, axis=1)
        return ((p < q).astype(np.int8) - (p > q)) @ weight[:used]

    return _by_topic(ranks, np.int32 if weight is None else np.int64, votes)


def _by_topic(ranks: Ranks, dtype: Any, compare: Callable[[Any, Any, int], Any]) -> Any:
    """(topics, pairs): compare(p, q, used) for blocks of pairs of rows."""
    topics, systems, _ = ranks.rank.shape
    first, second = np.triu_indices(systems, 1)
    out = np.empty((topics, len(first)), dtype)
    for t in range(topics):
        used = int(ranks.used[t].max(initial=0))
        rows = np.ascontiguousarray(ranks.rank[t, :, :used])
        for part in _parts(len(first), max(1, used)):
            out[t, part] = compare(rows[first[part]], rows[second[part]], used)
    return out


def _parts(pairs: int, cells: int) -> list[slice]:
    step = max(1, _ROOM // cells)
    return [slice(start, min(start + step, pairs)) for start in range(0, pairs, step)]
