"""The C loops of _core, with their outputs allocated. Meanings and twins: pure.py."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankscope.arrays import PAD, AnyInts, Bools, Codes, Floats, Hashes, Ints, Spans, Text, size
from rankscope.kernels import _core, pure_inversions, pure_pairs
from rankscope.kernels.shapes import (
    DEEPEST,
    PRODUCT,
    SCORES_APART,
    EightBytes,
    Judgments,
    NumberedDocs,
    Order,
    Ordered,
    Ranks,
    apart,
    rank_rows,
)

_LOOK = 1 << 18  # bytes in which lines are counted at a time
_NOTHING = np.empty(0, np.uint8)
_STEPS_WIDE, _STEPS_OFTEN, _STEPS_APART = 128, 8, 16000  # WIDE, OFTEN, APART of _steps.c
_STEPS_BOUND = 17  # doubles in the place of a Bound of _steps.c
_STEPS_TOPICS = 1024  # beyond them, bounds by a few topics say little
_STEPS_SQUARES = 1 << 21  # that are held at a time

SOURCES: int = getattr(_core, "SOURCES", -1)  # of the sources that it was built from; 0 where nobody said so


def scan(text: Text, fields: int) -> Spans | None:
    room = _lines(text)
    spans = np.empty((fields, room, 2), np.int64)  # the spans of one field lie together
    rows = _core.scan(text, size(text), fields, spans)
    return None if rows < 0 else spans.transpose(1, 0, 2)[:rows]


def decimals(text: Text, spans: Spans) -> Floats | None:
    values = np.empty(len(spans), np.float64)
    return values if _core.decimals(text, np.ascontiguousarray(spans), len(spans), values) else None


def scan_json(text: Text) -> tuple[Spans, Spans, Floats, bool] | None:
    room = int(np.count_nonzero(text == ord(","))) + 1
    topics, docs, values = np.empty((room, 2), np.int64), np.empty((room, 2), np.int64), np.empty(room)
    rows, lists = _core.scan_json(text, size(text), topics, docs, values)
    return None if rows < 0 else (topics[:rows], docs[:rows], values[:rows], bool(lists))


def scan_qrels(text: Text) -> tuple[Spans, Ints, Spans, Floats] | None:
    room = _lines(text)
    topics, docs = np.empty((room, 2), np.int64), np.empty((room, 2), np.int64)
    topic, grade = np.empty(room, np.int64), np.empty(room)
    rows, count = _core.scan_qrels(text, size(text), topics, topic, docs, grade)
    return None if rows < 0 else (topics[:count].copy(), topic[:rows], docs[:rows], grade[:rows])


def intern(text: Text, spans: Spans) -> tuple[Ints, Ints]:
    codes, first = np.empty(len(spans), np.int64), np.empty(len(spans), np.int64)
    count = _core.intern(text, np.ascontiguousarray(spans), len(spans), codes, first)
    return codes, first[:count].copy()


def packed(text: Text, spans: Spans) -> tuple[Text, Spans]:
    packed_text, places = np.zeros(int(spans[:, 1].sum()) + PAD, np.uint8), np.empty((len(spans), 2), np.int64)
    _core.pack(np.ascontiguousarray(text), np.ascontiguousarray(spans), len(spans), packed_text, places)
    return packed_text, places


@dataclass(frozen=True, slots=True, eq=False)
class Index(Judgments):
    """Judgments with one hash table for the topics and one for each topic's documents."""

    topic_table: Hashes
    core_view: tuple[Any, ...]  # the arguments of _core


def index(text: Text, topics: Spans, docs: Spans, topic: Ints, code: Ints, value: Floats) -> Index:
    topics, docs = np.ascontiguousarray(topics), np.ascontiguousarray(docs)
    topic_table = np.zeros((_room(len(topics)), 2), np.uint64)
    none = np.zeros(len(topics), np.int64)
    mask = np.array([len(topic_table) - 1])
    _core.fill(text, topics, len(topics), none, none, none[:1], mask, topic_table, np.empty(len(topics), np.uint8))

    count = np.bincount(topic, minlength=len(topics))
    rooms = 2 ** np.ceil(np.log2(np.maximum(1.5 * count, 2))).astype(np.int64)  # small tables stay in the cache
    base, mask = np.cumsum(rooms) - rooms, rooms - 1
    table = np.zeros((int(rooms.sum()), 2), np.uint64)
    repeated = np.zeros(len(docs), np.uint8)
    _core.fill(text, docs, len(docs), topic, code, base, mask, table, repeated)
    core_view = (text, topics, topic_table, len(topic_table) - 1, docs, base, mask, table, value)
    return Index(text, topics, docs, topic, code, value, repeated.view(np.bool_), topic_table, core_view)


def find_topics(text: Text, spans: Spans, judged: Index) -> Ints:
    rows = np.empty(len(spans), np.int64)
    table = judged.topic_table
    spans = np.ascontiguousarray(spans)
    _core.lookup(text, spans, len(spans), judged.text, judged.topics, table, len(table) - 1, rows)
    return rows


def topic_edge(text: Text, position: int) -> int:
    return int(_core.topic_edge(text, position, size(text)))


def order_text(text: Text, begin: int, end: int, judged: Index, order: Order) -> Ordered | None:
    room = (end - begin) // 12 + 2  # the shortest line of six fields has twelve bytes
    topic, start, length = (np.empty(room, np.int64) for _ in range(3))
    hashes = np.empty(room, np.uint64)
    code = order.codes(room)
    number, docs = _room_for_docs(room if order.docs else 0)
    extremes = order.codes(2 * room) if order.extremes else _NOTHING
    bits = np.empty(room, np.uint8) if order.apart else _NOTHING
    bad, lines, n, codes, distinct, dropped, lowest = _core.order_text(
        text, begin, end, judged.core_view, _rules(order), topic, start, length, hashes, code, number, docs, extremes,
        bits,
    )  # fmt: skip
    if bad:
        return None
    if np.isnan(lowest):
        bits &= SCORES_APART
    return Ordered(
        _cut(topic, n), _cut(start, n), _cut(length, n), _cut(hashes, n), _cut(code, codes),
        NumberedDocs(_cut(number, order.known(length[:n])), _cut(docs, distinct)) if order.docs else None,
        lines, dropped,
        extremes.reshape(2, -1)[:, :codes].copy() if order.extremes else None,
        _cut(bits, n) if order.apart else None, lowest + 0.0,  # not -0.0
    )  # fmt: skip


def _room_for_docs(rows: int) -> tuple[NDArray[np.int32], Spans]:
    """Room for the number of the document of each row, and for the span of each document."""
    return np.empty(rows, np.int32), np.empty((rows, 2), np.int64)


def _cut(roomy: NDArray[Any], rows: int) -> NDArray[Any]:
    """The first rows, where they are; the memory of the others is given back."""
    roomy.resize((rows, *roomy.shape[1:]), refcheck=False)
    return roomy


def order_rows(
    text: Text, docs: Spans, scores: Floats, ranks: Floats | None, topic: Ints, first: Ints, judged: Index, order: Order
) -> Ordered | None:
    length = np.zeros(len(topic), np.int64)
    code = order.codes(len(docs))
    number, spans = _room_for_docs(len(docs) if order.docs else 0)
    extremes = order.codes(2 * len(docs)) if order.extremes else _NOTHING
    bad, codes, distinct, dropped = _core.order_rows(
        text, np.ascontiguousarray(docs), scores, np.empty(0) if ranks is None else ranks, topic, first, len(topic),
        judged.core_view, _rules(order), length, code, number, spans, extremes,
    )  # fmt: skip
    if bad:
        return None
    return Ordered(
        topic, first[:-1], length, np.arange(len(topic), dtype=np.uint64), code[:codes],
        NumberedDocs(number[: order.known(length)], spans[:distinct]) if order.docs else None, len(docs), dropped,
        extremes.reshape(2, -1)[:, :codes] if order.extremes else None,
        *(apart(scores, ranks, topic, first) if order.apart else ()),
    )  # fmt: skip


def flips(seed: int, first: int, trials: int, topics: int) -> Bools:
    heads = np.empty((trials, topics), np.bool_)
    _core.flips(seed, first, trials, topics, heads)
    return heads


def drawn(seed: int, first: int, trials: int, topics: int) -> Ints:
    at = np.empty((trials, topics), np.int64)
    _core.drawn(seed, first, trials, topics, False, at)
    return at


def times(seed: int, first: int, trials: int, topics: int) -> Floats:
    counts = np.empty((trials, topics))
    _core.drawn(seed, first, trials, topics, True, counts)
    return counts


def permuted_sums(values: Ints, seed: int, first: int, trials: int) -> Ints:
    topics, systems = values.shape
    sums = np.empty((trials, systems), np.int64)
    _core.permuted_sums(np.ascontiguousarray(values), topics, systems, seed, first, trials, sums)
    return sums


def shuffled(values: NDArray[EightBytes], seed: int, first: int, trials: int) -> NDArray[EightBytes]:
    topics, systems = values.shape
    rows = np.empty((trials, topics, systems), values.dtype)
    _core.shuffled(np.ascontiguousarray(values), topics, systems, seed, first, trials, rows)
    return rows


def stepped(often: Floats, values: Floats, a: AnyInts, b: AnyInts, bar: Floats, extra: float) -> AnyInts:
    (trials, topics), systems, pairs = often.shape, values.shape[1], len(a)
    columns = np.ascontiguousarray(values.T)
    one, other = (np.ascontiguousarray(each, np.int32) for each in (a, b))
    many = topics > _STEPS_TOPICS
    short_often, short_sums, unit = (_NOTHING, _NOTHING, _NOTHING) if many else _short(often, columns)
    sums = np.empty((trials if many else 0, systems))
    chunk = min(pairs, max(1, _STEPS_SQUARES // max(topics, _STEPS_TOPICS)))
    count = np.empty(pairs + 1, np.int32)
    _core.stepped(
        np.ascontiguousarray(often), columns, short_often, short_sums, unit, one, other,
        np.ascontiguousarray(bar), extra, trials, topics, systems, pairs, chunk, sums, np.empty((chunk, topics)),
        np.empty((0 if many else chunk, _STEPS_BOUND)), np.empty(trials), np.empty(trials, np.int64), count,
    )  # fmt: skip
    return count[:-1]


def _short(often: Floats, columns: Floats) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """How often samples have topics, and their sums of (systems, topics), in two bytes; and the units of the sums."""
    (trials, topics), systems = often.shape, len(columns)
    tiles = -(-trials // _STEPS_WIDE)
    short_often = np.zeros((tiles, topics, _STEPS_WIDE), np.uint16)
    short_sums = np.zeros((tiles, systems, _STEPS_WIDE), np.int16)
    unit = np.zeros((tiles, _STEPS_WIDE))
    sums = np.empty((systems, _STEPS_WIDE))
    width = max(1, PRODUCT // (_STEPS_WIDE * topics))
    for tile in range(tiles):
        part = often[tile * _STEPS_WIDE : (tile + 1) * _STEPS_WIDE].T
        wide = part.shape[1]
        short_often[tile, :, :wide] = np.minimum(part, _STEPS_OFTEN)
        for at in range(0, systems, width):  # of a sample's scores, less those of the data
            sums[at : at + width, :wide] = columns[at : at + width] @ (part - 1.0)
        unit[tile, :wide] = np.maximum(sums[:, :wide].max(axis=0), -sums[:, :wide].min(axis=0)) / _STEPS_APART
        sums[:, :wide] /= np.where(unit[tile, :wide] > 0, unit[tile, :wide], 1.0)
        short_sums[tile, :, :wide] = np.rint(sums[:, :wide], out=sums[:, :wide])
    return short_often, short_sums, unit


def concordance(x: Floats, y: Floats) -> tuple[Ints, Ints, Ints, Ints]:
    rows, n = x.shape
    counts = tuple(np.empty(rows, np.int64) for _ in range(4))
    _core.concordance(np.ascontiguousarray(x), np.ascontiguousarray(y), rows, n, *counts)
    return counts[0], counts[1], counts[2], counts[3]


def relevant_ranks(
    code: Codes, first: int, depth: int, levels: int, start: int, stop: int, *, codes: bool = False
) -> Ranks:
    if depth > DEEPEST:  # the loops have two bytes for a rank
        return pure_pairs.relevant_ranks(code, first, depth, levels, start, stop, codes=codes)
    ranks = rank_rows(code, depth, levels, stop - start, codes=codes)
    systems, topics, length = code.shape
    _core.relevant_ranks(
        np.ascontiguousarray(code), code.itemsize - 1, systems, topics, length, first, depth, levels, start, stop,
        ranks.rank.shape[-1], ranks.rank, ranks.used, _NOTHING if ranks.code is None else ranks.code,
    )  # fmt: skip
    return ranks


def pair_classes(ranks: Ranks, seen: NDArray[np.uint8] | None = None) -> NDArray[np.uint8]:
    if ranks.rank.dtype != np.int16:
        return pure_pairs.pair_classes(ranks, seen)
    out = np.zeros(_pairs(ranks), np.uint8) if seen is None else seen
    _core.pair_classes(ranks.rank, ranks.used, *_sizes(ranks), out)
    return out


def pair_classes_graded(ranks: Ranks, gain: Ints) -> NDArray[np.uint8]:
    if ranks.rank.dtype != np.int16 or ranks.code is None:
        return pure_pairs.pair_classes_graded(ranks, gain)
    out = np.empty(_pairs(ranks), np.uint8)
    table = np.zeros(1 << 8 * ranks.code.itemsize, np.int64)  # an entry for every code there could be
    table[: len(gain)] = gain
    _core.pair_classes_graded(ranks.rank, ranks.used, *_sizes(ranks), ranks.code.itemsize - 1, ranks.code, table, out)
    return out


def pair_levels(ranks: Ranks, *, last: bool, difference: bool) -> tuple[NDArray[Any], Floats | None]:
    if ranks.rank.dtype != np.int16:
        return pure_pairs.pair_levels(ranks, last=last, difference=difference)
    level = np.empty(_pairs(ranks), np.int16)
    apart = np.empty(_pairs(ranks)) if difference else None
    _core.pair_levels(ranks.rank, ranks.used, *_sizes(ranks), int(last), level, _NOTHING if apart is None else apart)
    return level, apart


def pair_votes(ranks: Ranks, weight: Ints | None) -> NDArray[Any]:
    if ranks.rank.dtype != np.int16:
        return pure_pairs.pair_votes(ranks, weight)
    if weight is None:
        out = np.empty(_pairs(ranks), np.int32)
        _core.pair_votes(ranks.rank, ranks.used, *_sizes(ranks), _NOTHING, _NOTHING, out)
        return out
    width = ranks.rank.shape[-1]
    weights = np.zeros(width, np.int64)
    weights[: len(weight)] = weight[:width]
    before = np.concatenate([[0], np.cumsum(weights)])
    out = np.empty(_pairs(ranks), np.int64)
    _core.pair_votes(ranks.rank, ranks.used, *_sizes(ranks), weights, before, out)
    return out


def _sizes(ranks: Ranks) -> tuple[int, int, int]:
    topics, systems, width = ranks.rank.shape
    return topics, systems, width


def rising_pairs(first: Ints, second: Ints | None = None) -> int:
    key, levels, shift = np.array(first, np.int64), 0, 0  # a copy, since it is sorted on the way
    if second is not None and len(key):
        levels = int(second.max()) + 1
        shift = max(1, (levels - 1).bit_length())
        if int(key.max()).bit_length() + shift > 62:
            return pure_inversions.rising_pairs(first, second)
        key = key << shift | second
    return _core.rising_pairs(key, len(key), shift, levels, np.empty_like(key), np.zeros(levels + 1, np.int64))


def _pairs(ranks: Ranks) -> tuple[int, int]:
    topics, systems, _ = ranks.rank.shape
    return topics, systems * (systems - 1) // 2


def _lines(text: Text) -> int:
    """Lines of a text, counted some bytes at a time: fresh memory takes longer than counting."""
    return 1 + sum(int(np.count_nonzero(text[at : at + _LOOK] == ord("\n"))) for at in range(0, len(text), _LOOK))


def _room(ids: int) -> int:
    """A power of two that leaves a table of so many ids at most half full."""
    return 1 << max(2 * ids, 2).bit_length()


def _rules(order: Order) -> tuple[int, int, int, int, int, int]:
    return int(order.ties), int(order.single), int(order.first), order.depth, int(order.wide), order.docs


def largest_ratio(
    coefficient: Floats, there: Bools, base: Floats, floor: Floats, gain: Floats, have: Ints, ideal: Floats
) -> tuple[Ints, Floats]:
    (topics, documents), layers = coefficient.shape, len(gain)
    level, ratio = np.empty((topics, documents), np.int64), np.empty(topics)
    _core.largest_ratio(
        np.ascontiguousarray(coefficient), np.ascontiguousarray(there), np.ascontiguousarray(base),
        np.ascontiguousarray(floor), np.ascontiguousarray(gain), np.ascontiguousarray(have), ideal, topics, documents,
        layers, len(ideal), level, ratio, np.empty((documents, 2)), np.empty(documents + 1),
        np.empty((2, layers), np.int64),
    )  # fmt: skip
    return level, ratio
