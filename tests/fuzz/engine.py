"""Batches of texts, each batch a function of the seed and its number alone."""

from __future__ import annotations

import mmap
import struct
import sys
import time
import traceback
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

from fuzz import checkpoints, damaged, files, formats, json_text, memory, mutations, ordering, targets, texts

CORPUS = Path(__file__).parent / "corpus"
TOO_LONG_FOR_A_FILE = {
    "number-zeros-outweigh-a-huge-exponent": b"0." + b"0" * 99_980 + b"1e1000000",
    "number-huge-exponent-outweighs-zeros": b"1" + b"0" * 100_000 + b"e-1000000",
}
SLOW = 4.0 if memory.SANITIZED else 1.0  # seconds of the processor, for a text of 200 kB at most
_HEAD = struct.Struct("<QQQQ")


@dataclass(frozen=True)
class Finding:
    """A text on which something went wrong."""

    target: str
    option: str
    raw: bytes
    what: str


class Box:
    """What is being done right now, in a file that outlives a crash."""

    def __init__(self, path: Path, room: int = 1 << 20) -> None:
        with path.open("r+b" if path.exists() else "w+b") as file:
            file.truncate(room)
            self.memory = mmap.mmap(file.fileno(), room)
        self.label = b""

    def note(self, done: int, batch: int, label: str, raw: bytes) -> None:
        if label.encode() != self.label:
            self.label = label.encode()
            self.memory[_HEAD.size : _HEAD.size + len(self.label)] = self.label
        start = _HEAD.size + len(self.label)
        self.memory[start : start + len(raw)] = raw
        self.memory[: _HEAD.size] = _HEAD.pack(done, batch, len(self.label), len(raw))

    def read(self) -> tuple[int, int, str, bytes]:
        """Texts done, batch, target and option, text."""
        done, batch, label, raw = _HEAD.unpack(self.memory[: _HEAD.size])
        start = _HEAD.size + label
        return done, batch, self.memory[_HEAD.size : start].decode(), self.memory[start : start + raw]


def all_targets(folder: Path) -> list[tuple[targets.Target, float]]:
    """Every way into the kernels, and its share of the batches. Files go into the folder."""
    return [
        (ordering.OrderText(), 60),
        (targets.Scan(), 8),
        (targets.Decimals(), 14),
        (targets.TopicEdge(), 8),
        (targets.Intern(), 6),
        (targets.ScanQrels(), 6),
        (targets.Index(), 5),
        (files.Files(folder), 6),
        (json_text.ScanJson(), 12),
        (formats.Formats(), 6),
        (damaged.Damaged(folder), 1),
        (checkpoints.StoredStudies(folder), 4),
    ]


def corpus() -> dict[str, bytes]:
    """Texts that are known to be awkward, by what they test."""
    return {path.name: path.read_bytes() for path in sorted(CORPUS.iterdir())} | TOO_LONG_FOR_A_FILE


class Engine:
    """Runs batches and counts the texts they are made of."""

    def __init__(self, seed: int, box: Box, folder: Path, only: str | None = None) -> None:
        self.seed, self.box = seed, box
        found = [(target, share) for target, share in all_targets(folder) if only in (None, target.name)]
        self.targets, self.weights = zip(*found, strict=True)
        self.known = list(corpus().values())
        self.done = 0
        self.counts: dict[str, int] = {}
        warnings.simplefilter("error")

    def batch(self, number: int) -> Iterator[Finding]:
        rng = Random(f"{self.seed}/{number}")
        target = rng.choices(self.targets, self.weights)[0]
        words = texts.words(rng)
        option = rng.choice(target.options)
        label = f"{target.name} {option}"
        target.begin(option, words)
        recent = rng.choices(self.known, k=8)
        for _ in range(target.cases):
            raw = target.make(rng) if rng.random() < 0.93 else rng.choice(self.known)
            recent[rng.randrange(8)] = raw
            if rng.random() < 0.6:
                raw = mutations.mutated(rng, raw, recent)
            self.box.note(self.done, number, label, raw)
            self.done += 1
            what = checked(target, raw)
            if what:
                yield Finding(target.name, repr(option), raw, what)
        self.counts[target.name] = self.counts.get(target.name, 0) + target.cases
        try:
            for raw, what in target.end():
                yield Finding(target.name, repr(option), raw, what)
        except Exception:
            yield Finding(target.name, repr(option), b"", f"comparing batch {number}: {_raised()}")


def checked(target: targets.Target, raw: bytes) -> str | None:
    """What the target says of a text; an exception is a finding too, and so is taking long."""
    begun = time.thread_time()
    try:
        what = target.check(raw)
    except BaseException as error:  # a panic of a library is no Exception
        if isinstance(error, KeyboardInterrupt | SystemExit):
            raise
        return _raised()
    taken = time.thread_time() - begun
    return what or (f"{taken:.1f} s for {len(raw)} bytes" if taken > SLOW else None)


def _raised() -> str:
    """The exception being handled and where it came from, in one line."""
    error = sys.exc_info()[1]
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__}: {error} ({Path(frame.filename).name}:{frame.lineno}, {frame.line})"
