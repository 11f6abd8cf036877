"""The numpy twins of the C loops: the same results from whole-file array operations.

They are what runs where no compiler was at hand, and what the C loops are tested against.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import ceil, log2
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankscope.arrays import UNJUDGED, AnyInts, Bools, Codes, Floats, Hashes, Ints, Spans, Text, cut, size
from rankscope.arrays import packed as packed
from rankscope.kernels.pure_inversions import rising_pairs as rising_pairs
from rankscope.kernels.pure_pairs import pair_classes as pair_classes
from rankscope.kernels.pure_pairs import pair_classes_graded as pair_classes_graded
from rankscope.kernels.pure_pairs import pair_levels as pair_levels
from rankscope.kernels.pure_pairs import pair_votes as pair_votes
from rankscope.kernels.pure_pairs import relevant_ranks as relevant_ranks
from rankscope.kernels.pure_ratio import largest_ratio as largest_ratio
from rankscope.kernels.shapes import EightBytes, Judgments, NumberedDocs, Order, Ordered, TieOrder, apart

_TAB, _LF, _CR, _BLANK = 9, 10, 13, 32
_DECIMAL = np.zeros(256, np.bool_)
_DECIMAL[list(b"0123456789.eE+-")] = True
_MATRIX_LIMIT = 1 << 28  # bytes of a matrix of numbers
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_STEPPED = 1 << 18  # statistics of samples held at a time
_SQUARES = 1 << 20  # squares held at a time
_PREFIX = 64  # bytes of an id that are compared as numbers


def scan(text: Text, fields: int) -> Spans | None:
    """Spans of the fields of every line, (rows, fields, 2); None where a line has another number of fields."""
    spans = _fields(text, 0, size(text))
    return None if spans is None else _rows(text, *spans, fields)


def decimals(text: Text, spans: Spans) -> Floats | None:
    """The decimal numbers in the spans; None where one is not a finite decimal number."""
    if not len(spans):
        return np.empty(0)
    width = int(spans[:, 1].max())
    if len(spans) * width > _MATRIX_LIMIT:  # a very long number somewhere: a few at a time
        if len(spans) == 1:
            raw = cut(text, spans)[0]
            fine = bool(_DECIMAL[np.frombuffer(raw, np.uint8)].all())
            return _finite([raw]) if fine else None
        parts = [decimals(text, part) for part in np.array_split(spans, 2)]
        return None if any(p is None for p in parts) else np.concatenate([p for p in parts if p is not None])
    matrix = _matrix(text, spans, max(width, 1))
    inside = np.arange(matrix.shape[1]) < spans[:, 1, None]
    if not (_DECIMAL[matrix] | ~inside).all():
        return None  # what is left has no inf, nan, hexadecimal or underscores, so Python's grammar is ours
    return _finite(matrix.view(f"S{matrix.shape[1]}").ravel())


def _finite(raw: list[bytes] | np.ndarray[tuple[int, ...], np.dtype[np.bytes_]]) -> Floats | None:
    try:
        with np.errstate(over="ignore"):  # too large a number is refused below
            values = np.asarray(raw).astype(np.float64)
    except ValueError:
        return None
    return values if np.isfinite(values).all() else None


def scan_json(text: Text) -> tuple[Spans, Spans, Floats, bool] | None:
    """Topic, document and number of each row of a plain JSON object of objects or lists; whether it has lists.

    None for JSON that is not so plain, which is for the json module to read; here, always.
    """
    return None


def scan_qrels(text: Text) -> tuple[Spans, Ints, Spans, Floats] | None:
    """Judgments of a text: spans of its topics, and by row the number of the topic, the document and the grade.

    None where a line has another number of fields than four, or a grade is no finite decimal number.
    """
    spans = scan(text, 4)
    grade = None if spans is None else decimals(text, spans[:, 3])
    if spans is None or grade is None:
        return None
    topic, first = intern(text, spans[:, 0])
    return spans[first, 0], topic, np.ascontiguousarray(spans[:, 2]), grade


def intern(text: Text, spans: Spans) -> tuple[Ints, Ints]:
    """A number for each id, in order of first appearance, and the row of each first appearance."""
    numbers: dict[bytes, int] = {}
    codes = np.fromiter((numbers.setdefault(raw, len(numbers)) for raw in cut(text, spans)), np.int64, len(spans))
    first = np.unique(codes, return_index=True)[1]
    return codes, first


def _numbered(text: Text, docs: Spans) -> NumberedDocs:
    number, first = intern(text, docs)
    return NumberedDocs(number.astype(np.int32), docs[first])


@dataclass(frozen=True, slots=True, eq=False)
class Index(Judgments):
    """Judgments with sorted hashes of (topic, document), no two of different pairs equal."""

    numbers: dict[bytes, int]  # of topics
    words: Hashes
    salt: int
    hashes: Hashes
    row: Ints


def index(text: Text, topics: Spans, docs: Spans, topic: Ints, code: Ints, value: Floats) -> Index:
    """Judgments laid out for look-up."""
    words = _words(text, docs)
    repeated = _repeated(text, docs, words, topic)
    kept = np.flatnonzero(~repeated)
    for salt in range(1000):
        hashes = _hashes(words[kept], docs[kept, 1], topic[kept], salt)
        order = np.argsort(hashes)
        if not (hashes[order][1:] == hashes[order][:-1]).any():
            break  # distinct pairs have distinct hashes, so one comparison of bytes settles a look-up
    numbers = {raw: n for n, raw in enumerate(cut(text, topics))}
    return Index(text, topics, docs, topic, code, value, repeated, numbers, words, salt, hashes[order], kept[order])


def find_topics(text: Text, spans: Spans, judged: Index) -> Ints:
    """Number of each topic among the judged ones, or -1."""
    return np.fromiter((judged.numbers.get(raw, -1) for raw in cut(text, spans)), np.int64, len(spans))


def topic_edge(text: Text, position: int) -> int:
    """Start of the first line, after the one at position, whose topic differs from the line before it."""
    data, end = text[: size(text)].tobytes(), size(text)
    if position:
        position = data.find(b"\n", position - 1) + 1 or end
    topic: bytes | None = None
    while position < end:
        after = data.find(b"\n", position) + 1 or end
        line = data[position:after].removesuffix(b"\n").removesuffix(b"\r")
        here = line.replace(b"\t", b" ").lstrip(b" ").split(b" ", 1)[0]
        if here:
            if topic is not None and here != topic:
                return position
            topic = here
        position = after
    return end


def order_text(text: Text, begin: int, end: int, judged: Index, order: Order) -> Ordered | None:
    """The lines from begin to end as a ranked run; None where something is wrong with a line."""
    field_spans = _fields(text, begin, end)
    spans = None if field_spans is None else _rows(text, *field_spans, 6)
    if spans is None:
        return None
    scores = decimals(text, spans[:, 4])
    ranks = decimals(text, spans[:, 3]) if order.ties is TieOrder.RANK or order.apart else None
    if scores is None or (order.ties is TieOrder.RANK and ranks is None):
        return None
    topics = spans[:, 0]
    first = np.append(_changes(text, topics), len(spans))
    heads = topics[first[:-1]]
    got = order_rows(text, spans[:, 2], scores, ranks, find_topics(text, heads, judged), first, judged, order)
    if got is None:
        return None
    starts = heads[:, 0]
    lines = np.flatnonzero(text[begin:end] == _LF) + begin + 1
    lines = np.concatenate([[begin], lines])
    start = lines[np.searchsorted(lines, starts, "right") - 1]
    hashes = _hashes(_words(text, heads), heads[:, 1], np.zeros(len(heads), np.int64), 0)
    return replace(got, start=start, hash=hashes)


def order_rows(
    text: Text, docs: Spans, scores: Floats, ranks: Floats | None, topic: Ints, first: Ints, judged: Index, order: Order
) -> Ordered | None:
    """Rows in segments (first[s] to first[s + 1]) of one topic each as a ranked run; None if a document repeats."""
    rows = len(docs)
    segment = np.repeat(np.arange(len(topic)), np.diff(first))
    words = _words(text, docs)
    repeated = _repeated(text, docs, words, segment)
    dropped = int(np.count_nonzero(repeated))
    if dropped and not order.first:
        return None
    line = np.arange(rows) - first[segment]
    order_of_lines = apart(scores, ranks, topic, first) if order.apart else ()
    if dropped:
        kept = ~repeated
        docs, scores, segment, words, line = docs[kept], scores[kept], segment[kept], words[kept], line[kept]
        ranks = None if ranks is None else ranks[kept]
    if order.single:
        with np.errstate(over="ignore"):  # beyond the largest float all scores tie, as in C
            scores = scores.astype(np.float32).astype(np.float64)

    code = _codes(docs, words, topic[segment], judged)
    wanted = (order.ties, TieOrder.BEST, TieOrder.WORST) if order.extremes else (order.ties,)
    keys = [_tie_key(ties, line, ranks, judged.value[code]) for ties in wanted]
    place, *others = (_ranking(segment, scores, key, lambda: _sortable(text, docs, words), docs[:, 1]) for key in keys)
    codes: Codes = np.stack([code[at] for at in (place, *others)]).astype(np.uint16 if order.wide else np.uint8)
    segment = segment[place]
    begin = np.searchsorted(segment, np.arange(len(topic)))
    rank = np.arange(len(segment)) - begin[segment]
    shown = (rank < order.depth) & (topic[segment] >= 0)
    return Ordered(
        topic,
        first[:-1],
        np.bincount(segment[shown], minlength=len(topic)),
        np.arange(len(topic), dtype=np.uint64),
        codes[0, shown],
        _numbered(text, np.ascontiguousarray(docs[place][shown & (rank < order.docs)])) if order.docs else None,
        rows,
        dropped,
        codes[1:, shown] if order.extremes else None,
        *order_of_lines,
    )


def flips(seed: int, first: int, trials: int, topics: int) -> Bools:
    """(trials, topics) a coin for each, trials numbered from first."""
    return (draws(draw_keys(seed, np.arange(first, first + trials)[:, None], np.arange(topics)), 0) & 1).astype(
        np.bool_
    )


def permuted_sums(values: Ints, seed: int, first: int, trials: int) -> Ints:
    """Column sums, (trials, systems), after the values of every row of (topics, systems) have been shuffled.

    Trials are numbered from first. Every swap is drawn from (seed, trial, topic, position), so any split of the
    trials gives the same sums.
    """
    return shuffled(values, seed, first, trials).sum(axis=1)


def shuffled(values: NDArray[EightBytes], seed: int, first: int, trials: int) -> NDArray[EightBytes]:
    """(trials, topics, systems): the rows of (topics, systems), shuffled as `permuted_sums` does it.

    Of rows 0, 1, 2, ... it gives the permutations themselves.
    """
    topics, systems = values.shape
    n = trials * topics
    rows = np.empty((systems, n), values.dtype)
    rows[:] = np.tile(values, (trials, 1)).T
    flat, column = rows.reshape(-1), np.arange(n)
    keys = draw_keys(seed, np.arange(first, first + trials)[:, None], np.arange(topics)).reshape(-1)
    for i in range(systems - 1, 0, -1):  # Fisher-Yates from the end, all trials and topics at once
        swap = ((draws(keys, i).astype(np.uint64) * np.uint64(i + 1)) >> np.uint64(32)).astype(np.int64)
        at = swap * n + column
        drawn = flat[at]
        flat[at] = rows[i]
        rows[i] = drawn
    return np.ascontiguousarray(rows.reshape(systems, trials, topics).transpose(1, 2, 0))


def stepped(often: Floats, values: Floats, a: AnyInts, b: AnyInts, bar: Floats, extra: float) -> AnyInts:
    """Number of samples in which the largest statistic of pairs so far reaches the bar of each pair.

    often   how often each sample has each topic, (trials, topics)
    values  the scores, (topics, systems): whole, as in `centred_squares`

    `cpu.drawn_steps` says what the statistic is.
    """
    trials, topics = often.shape
    count = np.empty(len(a), np.int32)
    sums = often @ values - values.sum(axis=0)
    most = np.zeros(trials)  # the largest statistic of each sample so far
    width = max(1, min(_STEPPED // trials, _SQUARES // topics))
    for start in range(0, len(a), width):
        part = slice(start, start + width)
        share = np.square(sums[:, a[part]] - sums[:, b[part]])
        spread = np.maximum(topics * (often @ centred_squares(values, a[part], b[part])) - share, 0.0)
        share /= spread + extra
        share[:, 0] = np.maximum(share[:, 0], most)
        np.maximum.accumulate(share, axis=1, out=share)
        most[:] = share[:, -1]
        count[part] = np.count_nonzero(share >= bar[part], axis=0)
    return count


def drawn(seed: int, first: int, trials: int, topics: int) -> Ints:
    """Topics drawn with replacement, (trials, topics)."""
    keys = draw_keys(seed, np.arange(first, first + trials)[:, None], np.arange(topics))
    return ((draws(keys, 0).astype(np.uint64) * np.uint64(topics)) >> np.uint64(32)).astype(np.int64)


def times(seed: int, first: int, trials: int, topics: int) -> Floats:
    """Number of times that each topic was drawn, (trials, topics)."""
    at = drawn(seed, first, trials, topics) + topics * np.arange(trials)[:, None]
    return np.bincount(at.ravel(), minlength=trials * topics).reshape(trials, topics).astype(np.float64)


def centred_squares(values: Floats, a: AnyInts, b: AnyInts) -> Floats:
    """Squares of the differences of pairs of columns about their means, (topics, pairs); sums over topics are exact.

    values are whole. A difference is constant, and its squares are 0, where it is so to within two units: a unit is at
    least 2^-50 of the largest score, and doubles of one fraction are a few 2^-53 apart.
    """
    topics = len(values)
    difference = values[:, a] - values[:, b]
    difference -= difference.sum(axis=0) / topics
    difference[:, np.abs(difference).max(axis=0) <= 2.0] = 0.0
    difference *= difference
    unit = np.ldexp(1.0, np.frexp(difference.max(axis=0))[1] + ceil(log2(max(2, topics))) - 52)
    difference /= unit
    np.rint(difference, out=difference)
    difference *= unit
    return difference


def draw_keys(seed: int, trial: Ints, topic: Ints) -> Hashes:
    """The key of each (trial, topic), from which positions are drawn."""
    start = _scramble(np.array([seed & (2**64 - 1)], np.uint64) ^ _GOLDEN)
    by_trial = _scramble(start + trial.astype(np.uint64) * np.uint64(0xD1B54A32D192ED03))
    return _scramble(by_trial + topic.astype(np.uint64) * np.uint64(0x8CB92BA72F3D8DD7))


def draws(keys: Hashes, position: int | Ints) -> NDArray[np.uint32]:
    """32 random bits of each key at a position."""
    at = np.atleast_1d(np.asarray(position, np.uint64))
    word = _scramble(keys + (at // np.uint64(2) + np.uint64(1)) * _GOLDEN)
    return (word >> (np.uint64(32) * (at % np.uint64(2)))).astype(np.uint32)


def _scramble(z: Hashes) -> Hashes:
    """SplitMix64's finaliser (Steele, Lea and Flood 2014)."""
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def concordance(x: Floats, y: Floats) -> tuple[Ints, Ints, Ints, Ints]:
    """Row by row, pairs of columns that x and y order alike, differently, that tie in x, and that tie in y."""
    i, j = np.tril_indices(x.shape[1], -1)
    counts = np.empty((4, len(x)), np.int64)
    for r, (row_x, row_y) in enumerate(zip(x, y, strict=True)):
        a, b = ((row[i] > row[j]).astype(np.int8) - (row[i] < row[j]) for row in (row_x, row_y))
        counts[:, r] = (a * b > 0).sum(), (a * b < 0).sum(), (a == 0).sum(), (b == 0).sum()
    return counts[0], counts[1], counts[2], counts[3]


def _tie_key(ties: TieOrder, line: Ints, ranks: Floats | None, grades: Floats) -> Floats | None:
    """Keys that order equal scores before the document id does, larger first."""
    if ties is TieOrder.RANK and ranks is not None:
        return -ranks
    if ties is TieOrder.FILE:
        return -line.astype(np.float64)
    if ties is TieOrder.BEST:
        return grades
    if ties is TieOrder.WORST:
        return -grades
    return None


def _ranking(segment: Ints, scores: Floats, key: Floats | None, sortable: Callable[[], Hashes], lengths: Ints) -> Ints:
    """Row numbers in ranked order: by segment, score, tie key and document id, the last three descending."""
    same = segment[1:] == segment[:-1]
    if not (same & (scores[1:] >= scores[:-1])).any():
        return np.arange(len(segment))  # as most runs come: in order, without ties
    keys: list[NDArray[Any]] = [~lengths, *(~sortable().T[::-1])]
    if key is not None:
        keys.append(-key)
    return np.lexsort((*keys, -scores, segment))


def _codes(docs: Spans, words: Hashes, topic: Ints, judged: Index) -> Ints:
    """Grade code of each document in its topic."""
    code = np.full(len(docs), UNJUDGED, np.int64)
    if not len(judged.hashes):
        return code
    hashes = _hashes(words, docs[:, 1], topic, judged.salt)
    at = np.minimum(np.searchsorted(judged.hashes, hashes), len(judged.hashes) - 1)
    hit = np.flatnonzero((judged.hashes[at] == hashes) & (topic >= 0))
    row = judged.row[at[hit]]
    wide = min(words.shape[1], judged.words.shape[1])
    equal = (judged.docs[row, 1] == docs[hit, 1]) & (judged.topic[row] == topic[hit])
    equal &= (judged.words[row, :wide] == words[hit, :wide]).all(axis=1)
    code[hit[equal]] = judged.code[row[equal]]
    return code


def _fields(text: Text, begin: int, end: int) -> tuple[Ints, Ints, Ints] | None:
    """Starts and ends of all fields between begin and end, and the line ends."""
    body = text[begin:end]
    lines = np.flatnonzero(body == _LF)
    apart = (body == _BLANK) | (body == _TAB)
    apart[lines] = True
    returns = np.flatnonzero(body == _CR)
    if returns.size:  # only right before a line end or the end of the text
        closing = (returns + 1 == len(body)) | (body[np.minimum(returns + 1, len(body) - 1)] == _LF)
        apart[returns[closing]] = True
    edges = np.flatnonzero(apart[1:] != apart[:-1]) + 1
    if len(body) and not apart[0]:
        edges = np.concatenate([[0], edges])
    if len(body) and not apart[-1]:
        edges = np.concatenate([edges, [len(body)]])
    return edges[0::2] + begin, edges[1::2] + begin, lines + begin


def _rows(text: Text, starts: Ints, ends: Ints, lines: Ints, fields: int) -> Spans | None:
    """Fields as (rows, fields, 2) when every line that is not blank has just that many."""
    rows, remainder = divmod(len(starts), fields)
    if remainder:
        return None
    spans = np.stack([starts, ends - starts], axis=1).reshape(rows, fields, 2)
    closed = text[ends[fields - 1 :: fields]] == _LF
    if not (closed.all() and len(lines) == rows):  # odd line ends: count fields a line
        line = np.searchsorted(lines, starts).reshape(rows, fields)
        if (line != line[:, :1]).any() or (line[1:, 0] == line[:-1, 0]).any():
            return None
    return spans


def _matrix(text: Text, spans: Spans, width: int) -> Text:
    """Ids as rows of bytes, filled up with zeros."""
    column = np.arange(width)
    inside = column < spans[:, 1, None]
    at = spans[:, 0, None] + column
    np.minimum(at, text.size - 1, out=at)
    matrix = text[at]
    matrix[~inside] = 0
    return matrix


def _words(text: Text, spans: Spans) -> Hashes:
    """Ids as rows of numbers; with the length, equal for equal ids. Absent columns count as 0.

    Columns are the first 64 bytes, eight at a time, which also sort like the bytes; where an id is longer,
    two more columns hold a digest of it.
    """
    longest = int(spans[:, 1].max(initial=1))
    words = _matrix(text, spans, min(-(-longest // 8) * 8, _PREFIX)).view(">u8").astype(np.uint64)
    if longest <= _PREFIX:
        return words
    long = np.flatnonzero(spans[:, 1] > _PREFIX)
    digest = np.zeros((len(spans), 2), np.uint64)
    from hashlib import blake2b  # here, for it takes longer to import than most lists to score

    raw = b"".join(blake2b(name, digest_size=16).digest() for name in cut(text, spans[long]))
    digest[long] = np.frombuffer(raw, np.uint64).reshape(-1, 2)
    return np.concatenate([words, digest], axis=1)


def _sortable(text: Text, spans: Spans, words: Hashes) -> Hashes:
    """Columns that, with the length after them, sort like the ids."""
    if spans[:, 1].max(initial=0) <= _PREFIX:
        return words
    raw = cut(text, spans)
    place = {name: n for n, name in enumerate(sorted(set(raw)))}
    return np.array([[place[name]] for name in raw], np.uint64)


def _hashes(words: Hashes, lengths: Ints, group: Ints, salt: int) -> Hashes:
    """A 64-bit hash of each (group, id), whatever the number of columns."""
    hashed = np.zeros(len(words), np.uint64)
    shift, odd = np.uint64(32), np.uint64(0x9E3779B97F4A7C15)
    for k, column in enumerate((group.astype(np.uint64), lengths.astype(np.uint64), *words.T)):
        mixed = column * np.uint64((0xD6E8FEB86659FD93 * (2 * (k + 31 * salt) + 1)) % 2**64)
        mixed ^= mixed >> shift
        mixed *= odd
        hashed += mixed ^ (mixed >> shift)  # a column of 0 adds nothing
    return hashed


def _repeated(text: Text, spans: Spans, words: Hashes, group: Ints) -> Bools:
    """Whether each row repeats an id of its group."""
    hashes = _hashes(words, spans[:, 1], group, 0)
    ordered = np.sort(hashes)
    repeated = np.zeros(len(spans), np.bool_)
    if (ordered[1:] == ordered[:-1]).any():
        seen: set[tuple[int, bytes]] = set()
        suspect = np.flatnonzero(np.isin(hashes, ordered[1:][ordered[1:] == ordered[:-1]]))
        for row, raw in zip(suspect.tolist(), cut(text, spans[suspect]), strict=True):
            pair = int(group[row]), raw
            repeated[row] = pair in seen
            seen.add(pair)
    return repeated


def _changes(text: Text, spans: Spans) -> Ints:
    """Rows whose id differs from the row before, the first row among them."""
    if not len(spans):
        return np.empty(0, np.int64)
    words, length = _words(text, spans), spans[:, 1]
    differs = (length[1:] != length[:-1]) | (words[1:] != words[:-1]).any(axis=1)
    return np.concatenate([[0], np.flatnonzero(differs) + 1])
