"""Every format: the reader that a text's own content asks for, with the C loops and with the numpy twins."""

from __future__ import annotations

from random import Random
from types import ModuleType
from typing import Any

from fuzz import json_text, texts
from fuzz.files import use
from fuzz.targets import Alone, differ
from fuzz.texts import Words
from rankscope import InputError
from rankscope.arrays import cut, padded
from rankscope.io import formats as readers
from rankscope.kernels import compiled, pure

HEADERS = (
    b"query_id doc_id score", b"qid docno rank score", b"query-id corpus-id score", b"user item rating rank",
    b"query_id doc_id relevance", b"topic document grade", b"qid docid relevance",
)  # fmt: skip


class Formats(Alone):
    """A text read as a run and as judgments: equal columns, or an InputError of equal words; nothing else."""

    name = "formats"
    cases = 32
    options = ("json", "lists", "mixed", "jsonl", "rows", "csv", "tsv", "3", "4", "6")

    def begin(self, option: str, words: Words) -> None:
        self.kind, self.words = option, words

    def make(self, rng: Random) -> bytes:
        if self.kind in ("json", "lists", "mixed"):
            return json_text.made(rng, self.words, self.kind)
        if self.kind in ("3", "4", "6"):
            return _msmarco(rng, self.words, int(self.kind))
        if self.kind in ("csv", "tsv"):
            return _delimited(rng, self.words, b"," if self.kind == "csv" else b"\t")
        return b"\n".join([_json_line(rng, self.words, self.kind) for _ in range(rng.randrange(5))]) + b"\n"

    def check(self, raw: bytes) -> str | None:
        for kind in ("run", "qrels"):
            ours, twin = _read(raw, kind, compiled), _read(raw, kind, pure)
            what = _differ(ours, twin)
            if what:
                return f"as {kind}: {what}"
        return None


def _read(raw: bytes, kind: Any, module: ModuleType) -> Any:
    use(module)
    try:
        text = padded(raw)
        return readers.detect(text, kind, "file").columns(text, kind, "file")
    except InputError as error:
        return error
    finally:
        use(compiled)


def _differ(ours: Any, twin: Any) -> str | None:
    if isinstance(ours, InputError) or isinstance(twin, InputError):
        if repr(ours) != repr(twin):
            return f"C gives {ours!r:.300}, twin {twin!r:.300}"
        return None if ours.problems and str(ours) else "refused without a word"
    for name in ("topic", "doc"):
        one, other = cut(ours.text, getattr(ours, name)), cut(twin.text, getattr(twin, name))
        if one != other:
            return f"{name}: C gives {one!r:.300}, twin {other!r:.300}"
    for name in ("score", "rank", "grade"):
        one, other = getattr(ours, name, None), getattr(twin, name, None)
        what = differ(one, other) if one is None or other is None else differ(one + 0.0, other + 0.0)  # no -0.0
        if what:
            return f"{name}: {what}"
    return None


def _msmarco(rng: Random, words: Words, fields: int) -> bytes:
    """Lines without a header; every second time with ranks that count from 0 or 1."""
    if rng.random() < 0.5:
        return texts.lines(rng, words, fields)
    first, topic = rng.randrange(2), rng.choice(words.topics)
    docs = rng.sample(words.docs, min(len(words.docs), rng.randrange(6)))
    last = [b"\t" + texts.number(rng) if fields > 3 else b"" for _ in docs]
    return b"".join(
        [b"%s\t%s\t%d%s\n" % (topic, d, n, x) for n, (d, x) in enumerate(zip(docs, last, strict=True), first)]
    )


def _delimited(rng: Random, words: Words, separator: bytes) -> bytes:
    """A table with a header, some ids quoted."""
    header = rng.choice(HEADERS).split()
    quote = b'"' if rng.random() < 0.5 else b""
    rows = [header]
    for _ in range(rng.randrange(5)):
        ids = [quote + rng.choice(pool) + quote for pool in (words.topics, words.docs)]
        rows.append(ids + [texts.number(rng) for _ in header[2:]])
    return rng.choice((b"\n", b"\r\n")).join([separator.join(row) for row in rows]) + b"\n" * rng.randrange(2)


def _json_line(rng: Random, words: Words, kind: str) -> bytes:
    """A ranked list, or a row."""
    topic = json_text.string(rng, rng.choice(words.topics))
    docs = [json_text.string(rng, doc) for doc in rng.choices(words.docs, k=rng.randrange(1, 4))]
    if kind == "jsonl":
        return b'{"query_id": %s, "doc_ids": [%s]}' % (topic, b", ".join(docs[1:]))
    return b'{"query_id": %s, "doc_id": %s, "%s": %s}' % (
        topic, docs[0], rng.choice((b"score", b"score", b"relevance")), json_text.value(rng),
    )  # fmt: skip
