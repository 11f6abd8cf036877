"""Plain JSON: what the C loop reads has to be what Python's json module reads."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import numpy as np

from fuzz import texts
from fuzz.memory import Fenced
from fuzz.targets import Alone, differ
from fuzz.texts import Words
from rankscope.arrays import cut
from rankscope.kernels import compiled


class ScanJson(Alone):
    """Objects of objects or lists. The C loop may refuse what is valid, as others read it then, but not misread."""

    name = "scan_json"
    options = ("objects", "lists", "mixed")

    def __init__(self) -> None:
        self.fence = Fenced()

    def begin(self, option: str, words: Words) -> None:
        self.kind, self.words = option, words

    def make(self, rng: Random) -> bytes:
        return made(rng, self.words, self.kind)

    def check(self, raw: bytes) -> str | None:
        try:
            body = raw.decode("utf-8")
        except UnicodeDecodeError:
            body = ""  # refused before the kernel is asked; it still has to survive
        text = self.fence.text(raw)
        ours = compiled.scan_json(text)
        if ours is None or not body:
            return None
        try:
            outer = json.loads(body, object_pairs_hook=_Pairs, parse_int=float)
        except (ValueError, RecursionError) as error:
            return f"C accepts, the json module says: {error}"
        topics, docs, values, lists = ours
        rows = list(zip(cut(text, topics), cut(text, docs), values.tolist(), strict=True))
        expected = _rows(outer)
        if expected is None or rows != expected:
            return f"C gives {rows!r:.500}, the json module {expected!r:.500}"
        kinds = {type(inner) for _, inner in outer}
        return differ(np.bool_(lists), np.bool_(kinds == {list}))


class _Pairs(list[tuple[str, Any]]):
    """A JSON object with every key it has."""


def _rows(outer: Any) -> list[tuple[bytes, bytes, float]] | None:
    """Topic, document and number of each row; None for JSON of another shape."""
    rows: list[tuple[bytes, bytes, float]] = []
    if not isinstance(outer, _Pairs) or len({type(inner) for _, inner in outer}) > 1:
        return None
    for topic, inner in outer:
        pairs = inner if isinstance(inner, _Pairs) else [(doc, rank) for rank, doc in enumerate(inner, 1)]
        rows += [(topic.encode(), doc.encode(), float(value)) for doc, value in pairs]
    return rows


ODD_VALUES = (
    b"null", b"true", b'"1"', b"NaN", b"-Infinity", b"[]", b"{}", b"[1]", b'{"a": 1}', b"-", b"01", b"1.", b"-0",
    b"1E400", b"9223372036854775808", b"-9223372036854775809", b"18446744073709551616", b"1" + b"0" * 400,
    b"1" + b"0" * 5000,
    b"[" * 5000, b'{"a":' * 5000,
)  # fmt: skip
ODD_STRINGS = (
    rb'"\n"',
    rb'"\""',
    rb'"\ud800"',
    rb'"\udc80"',
    rb'"\ud83d\udcc4"',
    rb'"\x"',
    rb'"\u12"',
    b'"\x01"',
    b"7",
    b'""',
    b"'a'",
)


def value(rng: Random) -> bytes:
    """What stands for a number; one in thirty is odd."""
    return texts.number(rng) if rng.random() < 0.97 else rng.choice(ODD_VALUES)


def string(rng: Random, raw: bytes) -> bytes:
    """An id in quotes, as it is, with escapes, or one in fifty something odd instead."""
    kind = rng.random()
    if kind < 0.8:
        return b'"%s"' % raw
    return json.dumps(raw.decode("utf-8", "surrogateescape")).encode() if kind < 0.98 else rng.choice(ODD_STRINGS)


def made(rng: Random, words: Words, kind: str) -> bytes:
    """An object of objects or of lists, blanks in places."""
    gap, pair = rng.choice(((b",", b":"), (b", ", b": "), (b" ,\n\t", b" :\r\n")))

    def inner() -> bytes:
        docs = [string(rng, doc) for doc in rng.choices(words.docs, k=rng.randrange(5))]
        if kind == "lists" or (kind == "mixed" and rng.random() < 0.5):
            return b"[" + gap.join(docs) + b"]"
        return b"{" + gap.join([doc + pair + value(rng) for doc in docs]) + b"}"

    topics = rng.choices(words.topics, k=rng.randrange(4))
    return b"{" + gap.join([string(rng, topic) + pair + inner() for topic in topics]) + b"}"
