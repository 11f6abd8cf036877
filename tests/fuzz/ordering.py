"""The target that matters most: run lines to ordered grade codes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from random import Random
from typing import Any

import numpy as np

from fuzz import texts
from fuzz.memory import Fenced, joined
from fuzz.targets import Held, closed, differ
from fuzz.texts import Words
from rankscope import arrays
from rankscope.arrays import Text, padded
from rankscope.io.problems import run_problems
from rankscope.judged.ranked import documents_of
from rankscope.kernels import SCORES_APART, NumberedDocs, Order, Ordered, TieOrder, compiled, pure

ORDERS = tuple(
    Order(ties, single, first, depth, wide, docs, extremes=docs > 0, apart=single)
    for ties, single, first, depth, wide, docs in product(
        TieOrder, (False, True), (False, True), (2**62, 1, 3), (False, True), (0, 2, 2**62)
    )
)
PARTS = ("topic", "start", "length", "code", "lines", "dropped", "extremes", "apart", "lowest_rank")


def judgments(words: Words, wide: bool, module: Any, fence: Fenced | None) -> Any:
    """Every second document judged in all topics but the last of several; grades below and above 0."""
    topics, docs = list(dict.fromkeys(words.topics)), list(dict.fromkeys(words.docs))
    pairs = [(t, d) for t in topics[: max(1, len(topics) - 1)] for d in docs[::2]] or [(b"t", b"d")]
    ids = [one for pair in pairs for one in pair]
    text, spans = arrays.joined(ids) if fence is None else joined(fence, ids)
    spans = spans.reshape(-1, 2, 2)
    topic, heads = module.intern(text, spans[:, 0])
    grades = np.arange(700 if wide else 4) - 1.5
    code = 2 + np.arange(len(pairs)) * 7 % len(grades)
    value = np.concatenate([np.zeros(2), grades])
    return module.index(text, spans[heads, 0], spans[:, 1], topic, code, value)


class OrderText(Held):
    """A run's text. Texts held back follow each other in one text, a line of a topic of its own between any two.

    The literal reading of io.run_problems is asked about every text too: it has to find something where the kernels
    refuse, and nothing where they accept.
    """

    name = "order_text"
    options: Sequence[Order] = ORDERS

    def __init__(self) -> None:
        super().__init__()
        self.judged_fence = Fenced()

    def begin(self, option: Order, words: Words) -> None:
        self.order, self.words, self.held = option, words, []
        self.judged = judgments(words, option.wide, compiled, self.judged_fence)
        self.twin_judged = judgments(words, option.wide, pure, None)

    def make(self, rng: Random) -> bytes:
        return texts.lines(rng, self.words, 6)

    def check(self, raw: bytes) -> str | None:
        return super().check(raw) or self._diagnosed(raw)

    def ours(self, raw: bytes) -> Any:
        self.last = compiled.order_text(self.fence.text(raw), 0, len(raw), self.judged, self.order)
        return self.last

    def twin(self, raw: bytes) -> Any:
        return pure.order_text(padded(raw), 0, len(raw), self.twin_judged, self.order)

    def compare(self, ours: Any, twin: Any) -> str | None:
        if ours is None or twin is None:
            return differ(ours, twin)
        for name in PARTS:
            what = _differ_in(name, getattr(ours, name), getattr(twin, name))
            if what:
                return what
        for name, one, other in zip(("numbers", "documents"), *map(_docs, (ours, twin)), strict=True):
            what = _differ_in(name, one, other)
            if what:
                return what
        return _differ_in("equal hashes", _groups(ours), _groups(twin))

    def _diagnosed(self, raw: bytes) -> str | None:
        ranks = self.order.ties is TieOrder.RANK
        causes = [p.cause for p in run_problems(padded(raw), "", ranks=ranks, first=self.order.first)]
        if self.last is None:
            return None if causes else "the kernels refuse, the diagnosis finds nothing"
        if not self.last.lines:
            return None if causes == ["is empty"] else f"no lines, but the diagnosis finds {causes}"
        scattered = len(set(self.last.hash.tolist())) < len(self.last.hash)
        if scattered:  # only the join sees what is repeated between stretches of a topic
            causes = [cause for cause in causes if " appears twice in topic " not in cause]
        return f"the kernels accept, the diagnosis finds {causes[:3]}" if causes else None

    def together(self, held: list[tuple[bytes, Any]]) -> str | None:
        whole, at, answers, places = [], 0, [], []
        for n, (raw, ours) in enumerate(held):
            text, between = closed(raw), b"|between|%d 0 d 0 0 t\n" % n
            whole += [text, between]
            answers += [ours, _one_unjudged(self.order)]
            places += [at, at + len(text)]
            at += len(text) + len(between)
        raw = b"".join(whole)
        twin = self.twin(raw)
        what = self.compare(_chain(padded(raw), answers, places), twin)
        if what:
            return what
        text = self.fence.text(raw)
        whole_by_c = compiled.order_text(text, 0, len(raw), self.judged, self.order)
        return self.compare(whole_by_c, twin) or self.compare(self._from_columns(text, whole_by_c), twin)

    def _from_columns(self, text: Any, whole: Ordered) -> Ordered | None:
        """The same by order_rows, from the columns of the text."""
        spans = compiled.scan(text, 6)
        scores = compiled.decimals(text, spans[:, 4])
        wanted = self.order.ties is TieOrder.RANK or self.order.apart
        ranks = compiled.decimals(text, spans[:, 3]) if wanted else None
        first = np.searchsorted(spans[:, 0, 0], whole.start)
        first = np.append(first, len(spans))
        got = compiled.order_rows(text, spans[:, 2], scores, ranks, whole.topic, first, self.judged, self.order)
        if got is None:
            return None
        return replace(got, start=whole.start, hash=whole.hash)


def _differ_in(name: str, ours: Any, twin: Any) -> str | None:
    what = differ(ours, twin)
    return f"{name}: {what}" if what else None


def _docs(ordered: Ordered) -> Any:
    """Number of the document of each row and the span of each number, or None for both."""
    return (None, None) if ordered.docs is None else ordered.docs


def _groups(ordered: Ordered) -> Any:
    """Which segments have equal hashes, whatever the hashes are."""
    first = {h: n for n, h in reversed(list(enumerate(ordered.hash.tolist())))}
    return [first[h] for h in ordered.hash.tolist()]


def _one_unjudged(order: Order) -> Ordered:
    """What a single line of a topic without judgments gives."""
    none = np.zeros(1, np.int64)
    docs = NumberedDocs(np.empty(0, np.int32), np.empty((0, 2), np.int64)) if order.docs else None
    extremes = order.codes(0).reshape(2, 0) if order.extremes else None
    apart = np.zeros(1, np.uint8) if order.apart else None
    return Ordered(none - 1, none, none, none.astype(np.uint64), order.codes(0), docs, 1, 0, extremes, apart)


def _chain(text: Text, answers: list[Ordered], places: list[int]) -> Ordered:
    """The answer for texts laid end to end as `text`, from the answers for each."""
    hashes = [a.hash for a in answers]
    for n in range(1, len(hashes), 2):
        hashes[n] = np.array([n], np.uint64)  # every line between has a topic of its own
    both = list(zip(answers, places, strict=True))
    docs = None
    if answers[0].docs is not None:
        moved = [NumberedDocs(a.docs.number, a.docs.spans + np.array([at, 0])) for a, at in both if a.docs is not None]
        docs = documents_of(text, [replace(a, docs=d) for a, d in zip(answers, moved, strict=True)])
    lowest, apart = float(np.min([a.lowest_rank for a in answers])), None
    if answers[0].apart is not None:
        apart = np.concatenate([a.apart for a in answers]) & (SCORES_APART if np.isnan(lowest) else 0xFF)
    return Ordered(
        np.concatenate([a.topic for a in answers]),
        np.concatenate([a.start + at for a, at in both]),
        np.concatenate([a.length for a in answers]),
        np.concatenate(hashes),
        np.concatenate([a.code for a in answers]),
        docs,
        sum(a.lines for a in answers),
        sum(a.dropped for a in answers),
        None if answers[0].extremes is None else np.concatenate([a.extremes for a in answers], axis=1),
        apart,
        lowest,
    )
