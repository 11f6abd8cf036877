"""The ways into the kernels, one class each: what to feed, and how to see whether C and twin agree.

A target is set up for a batch (`begin`), then checks texts one at a time. `check` runs the C loop on that text
alone, in tight memory. Where the C loop refuses, the twin is asked about the same text alone. Where it accepts,
`check` may hold the text back: `end` gives all those held to the twin as one text and compares the answer, piece
by piece, with what the C loop said of each. A batch that differs is taken apart text by text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from random import Random
from typing import Any, Protocol

import numpy as np

from fuzz import texts
from fuzz.memory import Fenced, joined
from fuzz.texts import Words
from rankscope import arrays
from rankscope.arrays import padded
from rankscope.kernels import compiled, pure

LONG = 3000  # bytes from which a text is compared on its own
Wrong = tuple[bytes, str]  # a text, and in what C and twin differ


class Target(Protocol):
    """A way into the kernels."""

    name: str
    cases: int  # in a batch
    options: Sequence[Any]

    def begin(self, option: Any, words: Words) -> None: ...
    def make(self, rng: Random) -> bytes: ...
    def check(self, raw: bytes) -> str | None: ...
    def end(self) -> Iterator[Wrong]: ...


def differ(ours: Any, twin: Any) -> str | None:
    """In what two answers differ, to the bit; None for a refusal."""
    if ours is None or twin is None:
        return None if ours is twin else f"C {'refuses' if ours is None else 'accepts'}, the twin does not"
    ours, twin = np.asarray(ours), np.asarray(twin)
    if ours.shape == twin.shape and ours.dtype == twin.dtype and ours.tobytes() == twin.tobytes():
        return None
    return f"C gives {ours.tolist()!r:.500}, the twin {twin.tolist()!r:.500}"


class Alone:
    """A target that compares every text at once."""

    cases = 64

    def end(self) -> Iterator[Wrong]:
        return iter(())


class Held:
    """A target that holds accepted texts back for one call of the twin."""

    cases = 128

    def __init__(self) -> None:
        self.fence = Fenced()
        self.held: list[tuple[bytes, Any]] = []

    def check(self, raw: bytes) -> str | None:
        ours = self.ours(raw)
        if ours is not None and len(raw) < LONG:
            self.held.append((raw, ours))
            return None
        return self.compare(ours, self.twin(raw))

    def end(self) -> Iterator[Wrong]:
        held, self.held = self.held, []
        what = self.together(held) if held else None
        if what is None:
            return
        apart = [(raw, self.compare(ours, self.twin(raw))) for raw, ours in held]
        found = [(raw, one) for raw, one in apart if one is not None]
        yield from found or [(b"".join(raw for raw, _ in held), f"only together: {what}")]

    def ours(self, raw: bytes) -> Any: ...
    def twin(self, raw: bytes) -> Any: ...
    def compare(self, ours: Any, twin: Any) -> str | None:
        return differ(ours, twin)

    def together(self, held: list[tuple[bytes, Any]]) -> str | None: ...


def closed(raw: bytes) -> bytes:
    """The text with its last line ended, so that another can follow."""
    return raw if raw.endswith(b"\n") else raw + b"\n"


class Scan(Held):
    """Fields of lines. Texts follow each other line by line in the twin's text."""

    name = "scan"
    options = (6, 4, 1, 2, 3, 5)

    def begin(self, option: int, words: Words) -> None:
        self.fields, self.words = option, words

    def make(self, rng: Random) -> bytes:
        return texts.lines(rng, self.words, self.fields)

    def ours(self, raw: bytes) -> Any:
        return compiled.scan(self.fence.text(raw), self.fields)

    def twin(self, raw: bytes) -> Any:
        return pure.scan(padded(raw), self.fields)

    def together(self, held: list[tuple[bytes, Any]]) -> str | None:
        whole = [closed(raw) for raw, _ in held]
        moved = np.cumsum([0, *map(len, whole[:-1])])
        ours = [spans + np.array([at, 0]) for at, (_, spans) in zip(moved.tolist(), held, strict=True)]
        return differ(np.concatenate(ours), pure.scan(padded(b"".join(whole)), self.fields))


class Decimals(Held):
    """Numbers between blanks; Python's own float() is a second twin of what is accepted."""

    name = "decimals"
    options = (None,)

    def begin(self, option: None, words: Words) -> None:
        pass

    def make(self, rng: Random) -> bytes:
        return texts.numbers(rng)

    def ours(self, raw: bytes) -> Any:
        return compiled.decimals(*joined(self.fence, raw.split(b" ")))

    def twin(self, raw: bytes) -> Any:
        return pure.decimals(*arrays.joined(raw.split(b" ")))

    def compare(self, ours: Any, twin: Any) -> str | None:
        return differ(ours, twin)

    def together(self, held: list[tuple[bytes, Any]]) -> str | None:
        whole = [one for raw, _ in held for one in raw.split(b" ")]
        ours = np.concatenate([values for _, values in held])
        return differ(ours, pure.decimals(*arrays.joined(whole))) or differ(ours, [float(one) for one in whole])


class Intern(Alone):
    """Numbers for ids, and ids end to end."""

    name = "intern"
    options = (None,)

    def __init__(self) -> None:
        self.fence = Fenced()

    def begin(self, option: None, words: Words) -> None:
        self.pool = words.topics + words.docs

    def make(self, rng: Random) -> bytes:
        return texts.listed(rng, self.pool)

    def check(self, raw: bytes) -> str | None:
        ids = raw.split(b" ")
        ours, twin = (
            [*module.intern(text, spans), *module.packed(text, spans)]
            for module, (text, spans) in ((compiled, joined(self.fence, ids)), (pure, arrays.joined(ids)))
        )
        return next(filter(None, map(differ, ours, twin)), None)


class ScanQrels(Alone):
    """Lines of judgments, read in one pass."""

    name = "scan_qrels"
    options = (None,)

    def __init__(self) -> None:
        self.fence = Fenced()

    def begin(self, option: None, words: Words) -> None:
        self.words = words

    def make(self, rng: Random) -> bytes:
        return texts.lines(rng, self.words, 4)

    def check(self, raw: bytes) -> str | None:
        ours, twin = compiled.scan_qrels(self.fence.text(raw)), pure.scan_qrels(padded(raw))
        if ours is None or twin is None:
            return differ(ours, twin)
        return next((what for pair in zip(ours, twin, strict=True) if (what := differ(*pair))), None)


class Index(Alone):
    """Judgments: which repeat, and the topics found again, each second id a topic."""

    name = "index"
    options = (None,)

    def __init__(self) -> None:
        self.fences = Fenced(), Fenced()

    def begin(self, option: None, words: Words) -> None:
        self.words = words

    def make(self, rng: Random) -> bytes:
        n = rng.randint(1, 8)
        return b" ".join(
            [one for _ in range(n) for one in (rng.choice(self.words.topics), rng.choice(self.words.docs))]
        )

    def check(self, raw: bytes) -> str | None:
        ids = raw.split(b" ")
        ids += [b"d"] * (len(ids) % 2)
        sought = [*ids[::-1], b"", b"not there"]
        ours = self._answer(compiled, joined(self.fences[0], ids), joined(self.fences[1], sought))
        twin = self._answer(pure, arrays.joined(ids), arrays.joined(sought))
        return differ(ours[0], twin[0]) or differ(ours[1], twin[1])

    def _answer(self, module: Any, pairs: Any, sought: Any) -> tuple[Any, Any]:
        text, spans = pairs[0], pairs[1].reshape(-1, 2, 2)
        topic, heads = module.intern(text, spans[:, 0])
        code = 2 + np.arange(len(spans)) % 5
        index = module.index(text, spans[heads, 0], spans[:, 1], topic, code, np.arange(7.0))
        return index.repeated, module.find_topics(*sought, index)


class TopicEdge(Alone):
    """Where a text may be split, asked at four places."""

    name = "topic_edge"
    options = tuple(product((0.0, 0.2, 0.4, 0.6, 0.8, 0.95), (0, 1, 2)))

    def __init__(self) -> None:
        self.fence = Fenced()

    def begin(self, option: tuple[float, int], words: Words) -> None:
        self.at, self.words = option, words

    def make(self, rng: Random) -> bytes:
        return texts.lines(rng, self.words, 6)

    def check(self, raw: bytes) -> str | None:
        tight, text = self.fence.text(raw), padded(raw)
        part, more = self.at
        for at in (part, 1 - part, 0.5, 1):
            position = min(int(at * len(raw)) + more, len(raw))
            ours, twin = compiled.topic_edge(tight, position), pure.topic_edge(text, position)
            if ours != twin:
                return f"from {position}: C gives {ours}, the twin {twin}"
        return None
