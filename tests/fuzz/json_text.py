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
        gap, pair = rng.choice(((b",", b":"), (b", ", b": "), (b" ,\n\t", b" :\r\n")))
        topics = rng.choices(self.words.topics, k=rng.randrange(4))
        return b"{" + gap.join([_quoted(t) + pair + self._inner(rng, gap, pair) for t in topics]) + b"}"

    def _inner(self, rng: Random, gap: bytes, pair: bytes) -> bytes:
        docs = rng.choices(self.words.docs, k=rng.randrange(5))
        if self.kind == "lists" or (self.kind == "mixed" and rng.random() < 0.5):
            return b"[" + gap.join(map(_quoted, docs)) + b"]"
        return b"{" + gap.join([_quoted(doc) + pair + texts.number(rng) for doc in docs]) + b"}"

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
            outer = json.loads(body, object_pairs_hook=_Pairs)
        except ValueError as error:
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


def _quoted(raw: bytes) -> bytes:
    """Mostly plain, as the kernel likes it."""
    return b'"' + raw + b'"'
