"""Ways to damage a text, from one bit to whole lines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

from fuzz import texts

Mutation = Callable[[Random, bytes, Sequence[bytes]], bytes]


def mutated(rng: Random, raw: bytes, others: Sequence[bytes]) -> bytes:
    """The text after one to four mutations, mostly one; `others` are texts to take lines from."""
    for _ in range(rng.choice((1, 1, 1, 1, 2, 2, 3, 4))):
        raw = rng.choice(MUTATIONS)(rng, raw, others)
    return raw if len(raw) < 200_000 else raw[:200_000]


def _at(rng: Random, raw: bytes) -> int:
    return int(rng.random() * (len(raw) + 1))


def _stretch(rng: Random, raw: bytes) -> tuple[int, int]:
    start = _at(rng, raw)
    return start, start + int(rng.choice((2, 9, 40)) * rng.random()) + 1


def _instead(rng: Random, raw: bytes, old: bytes, new: bytes) -> bytes:
    """One occurrence of old, somewhere, as new."""
    at = raw.find(old, _at(rng, raw))
    at = raw.find(old) if at < 0 else at
    return raw if at < 0 else raw[:at] + new + raw[at + len(old) :]


def flip(rng: Random, raw: bytes, others: Sequence[bytes]) -> bytes:
    if not raw:
        return raw
    at = int(rng.random() * len(raw))
    return raw[:at] + bytes((raw[at] ^ 1 << rng.randrange(8),)) + raw[at + 1 :]


def put(rng: Random, raw: bytes, others: Sequence[bytes]) -> bytes:
    at = _at(rng, raw)
    return raw[:at] + bytes((rng.choice(texts.BYTES),)) + raw[at + rng.randrange(2) :]


def delete(rng: Random, raw: bytes, others: Sequence[bytes]) -> bytes:
    start, stop = _stretch(rng, raw)
    return raw[:start] + raw[stop:]


def duplicate(rng: Random, raw: bytes, others: Sequence[bytes]) -> bytes:
    start, stop = _stretch(rng, raw)
    return raw[:stop] + raw[start:]


def repeat(rng: Random, raw: bytes, others: Sequence[bytes]) -> bytes:
    """A stretch many times over: long ids, many digits, many blanks, many lines."""
    start, stop = _stretch(rng, raw)
    return raw[:stop] + raw[start:stop] * rng.choice((2, 7, 8, 9, 20, 64, 300)) + raw[stop:]


def blank(rng: Random, raw: bytes, others: Sequence[bytes]) -> bytes:
    return _instead(rng, raw, b" ", rng.choice((b"\t", b"  ", b"", b"\r", b"\n", bytes((rng.choice(texts.BYTES),)))))


def line_end(rng: Random, raw: bytes, others: Sequence[bytes]) -> bytes:
    return _instead(rng, raw, b"\n", rng.choice(texts.ENDS[11:] + texts.ODD_ENDS))


def end(rng: Random, raw: bytes, others: Sequence[bytes]) -> bytes:
    """Another end of the whole text."""
    return raw[: len(raw) - rng.randrange(3)] + rng.choice(texts.ENDS[11:] + texts.ODD_ENDS)


def cut_off(rng: Random, raw: bytes, others: Sequence[bytes]) -> bytes:
    at = _at(rng, raw)
    return raw[:at] if rng.random() < 0.5 else raw[at:]


def swap_lines(rng: Random, raw: bytes, others: Sequence[bytes]) -> bytes:
    parts = raw.split(b"\n")
    rng.shuffle(parts)
    return b"\n".join(parts)


def splice(rng: Random, raw: bytes, others: Sequence[bytes]) -> bytes:
    """Lines of another text in the middle of this one."""
    given = rng.choice(others).splitlines(keepends=True)
    first = rng.randrange(len(given) + 1)
    at = raw.find(b"\n", _at(rng, raw)) + 1
    return raw[:at] + b"".join(given[first : first + rng.randint(1, 3)]) + raw[at:]


def field(rng: Random, raw: bytes, others: Sequence[bytes]) -> bytes:
    """Another field where one stood: an id, a number or what looks like one."""
    parts = raw.split(b" ")
    new = rng.choice((rng.choice(texts.IDS), texts.number(rng), rng.choice(texts.NO_NUMBERS), b""))
    parts[int(rng.random() * len(parts))] = new
    return b" ".join(parts)


def digits(rng: Random, raw: bytes, others: Sequence[bytes]) -> bytes:
    """Many digits, or a big exponent, behind a digit."""
    more = b"%d" % rng.randrange(10 ** rng.randint(1, 30)) if rng.random() < 0.7 else b"e%d" % rng.randint(-400, 400)
    old = b"%d" % rng.randrange(10)
    return _instead(rng, raw, old, old + more)


MUTATIONS: tuple[Mutation, ...] = (
    flip, put, delete, duplicate, repeat, blank, line_end, end, cut_off, swap_lines, splice, field, digits,
)  # fmt: skip
