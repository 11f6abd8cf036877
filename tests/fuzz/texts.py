"""Texts to feed the readers: made line by line from few ids and awkward numbers, then damaged."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

NUMBERS = (
    *b"0 1 2 3 -1 +1 1.0 1. .5 0.5 -0 -0.0 00 007 1e0 1E5 1e+5 1e-5 -3e2 0.1 0.30000000000000004".split(),
    *b"16777216.5 16777217 9007199254740992 9007199254740993 9007199254740992.5 18446744073709551615".split(),
    *b"9999999999999999999 99999999999999999999 0.9999999999999999999 1234567890123456789.5".split(),
    *b"123456789012345678901 100000000000000000000000 -1e308".split(),
    *b"1e22 1e23 1e-22 1e-23 8.5e-19 12345678901234567e-19 1e308 1.7976931348623157e308 1e-308 5e-324".split(),
    *b"2.2250738585072011e-308 3.4028235e38 1e-46 0e999 0.0000000000000000000000000000001".split(),
)  # fmt: skip
NO_NUMBERS = (
    *b"nan inf -inf NaN Infinity 1e400 -1e999 1.8e308 1e5000000000 0x1 0x1p3 1_0 - + . -. e5 .e5 1e 1e+".split(),
    *b"1ee5 1e5. 1.2.3 --1 ++1 +-1 1+ 1d5 1f one 1, $1 1\x00 \x001 1\r 1\x0b \xef\xbb\xbf1 \xd9\xa1 \xb2".split(b" "),
)  # fmt: skip
BYTES = (
    b"\x00\x01\x08\x09\x0a\x0b\x0c\x0d\x0e\x1b\x1c\x1d\x1e\x1f\x20\x21\x22,#-.+0159:EQ[\\]_ae{}\x7f\x80\x85\xa0\xe2\xff"
)
BLANKS = (b" ",) * 12 + (b"\t", b"  ", b" \t ")
ENDS = (b"\n",) * 12 + (b"\r\n", b" \n", b"\n\n", b"\t\r\n", b"\r\n\r\n")
ODD_ENDS = (b"\r", b"", b" ", b"\r\r\n", b"\n\r", b"\x00\n", b"\x0b", b"\x0c\n", b"\x85", b"\xe2\x80\xa8", b"\x1c")
IDS = (
    *b"d1 d10 d2 d01 D1 d 1 01 1.0 # #d1 d#1 - nan Q0 a,b {} \x00 \x00a a\x00 a\x00b a\x0bb \x0c \x1c".split(b" "),
    b"a\rb", b"\ra", b"\xef\xbb\xbfd", b"\xff", b"\x85", b"\xa0", b"\xc3\xa9", b"\xf0\x9f\x93\x84", b"a\r\r",
    b"\x1f\x8b",
    *(b"abcdefgh"[:n] for n in (6, 7, 8)), b"abcdefgi", b"abcdefghi", b"abcdefghj", b"abcdefgh\x00",
    *(b"x" * n + end for n in (14, 15, 16, 62, 63, 64, 65, 127) for end in (b"", b"1", b"2")),
)  # fmt: skip


@dataclass(frozen=True)
class Words:
    """The ids that the texts of a batch are made of: few, so that they meet."""

    topics: tuple[bytes, ...]
    docs: tuple[bytes, ...]


def words(rng: Random) -> Words:
    """Some of the awkward ids; now and then a very long one, or many."""
    docs = [*rng.sample(IDS, rng.randint(2, 9)), b"d%d" % rng.randrange(1000)]
    if rng.random() < 0.05:
        docs += [docs[0] * rng.randrange(1, 400) + b"%d" % n for n in range(2)]
    if rng.random() < 0.06:
        docs += [b"m%d" % n for n in range(rng.choice((40, 40, 300, 2500)))]
    return Words(tuple(rng.sample(IDS, rng.randint(1, 4))), tuple(docs))


def number(rng: Random, *, huge: bool = False) -> bytes:
    """A number; most of them awkward, one in fifty none at all, and if asked for some very long ones."""
    kind = rng.random()
    if huge and kind < 0.0003:
        return _huge(rng)
    if kind < 0.5:
        return rng.choice(NUMBERS)
    if kind < 0.7:
        return b"%d" % rng.randrange(4)
    if kind < 0.78:
        return repr(rng.uniform(-100, 100)).encode()
    if kind < 0.8:
        return _halfway(rng)
    if kind < 0.98:
        whole, part = rng.randrange(23), rng.randrange(26)
        digits = b"%0*d" % (whole + 1, rng.randrange(10 ** rng.randint(0, whole + 1)))
        if part:
            digits += b".%0*d" % (part, rng.randrange(10 ** rng.randint(0, part)))
        return digits + (b"e%d" % rng.randint(-345, 330) if rng.random() < 0.3 else b"")
    return rng.choice(NO_NUMBERS)


def _halfway(rng: Random) -> bytes:
    """As near as 19 digits come to the middle between two doubles: rounding hangs on the last bit."""
    places = rng.randrange(3, 20)
    middle = rng.randrange(2**53, 2**54) | 1
    digits = b"%0*d" % (places + 1, (middle * 10**places >> int((places - 2.8) / 0.30103)) + rng.randrange(2))
    return digits[:-places] + b"." + digits[-places:]


def _huge(rng: Random) -> bytes:
    """So many zeros that only a huge exponent brings the number back, or seems to."""
    zeros = rng.choice((400, 5000, 99_990, 100_010)) + rng.randrange(20)
    exponent = zeros * rng.choice((1, 1, 10)) + rng.randint(-25, 25)
    return b"0.%s1e%d" % (b"0" * zeros, exponent) if rng.random() < 0.5 else b"1%se-%d" % (b"0" * zeros, exponent)


def lines(rng: Random, words: Words, fields: int) -> bytes:
    """Lines of so many fields: topics mostly together, documents mostly once each."""
    many = len(words.docs) if rng.random() < 0.3 else 7
    n = min(int(rng.random() * (many + 1)), len(words.docs))
    topics = rng.choices(words.topics, k=n)
    if rng.random() < 0.8:
        topics.sort()
    docs = rng.sample(words.docs, n) if rng.random() < 0.8 else rng.choices(words.docs, k=n)
    few = [number(rng, huge=n < 10) for _ in range(4)]
    if rng.random() < 0.3:  # as most runs come: by rank, some scores equal
        tied = rng.choice((1, 2, 60))
        ranks, scores = [b"%d" % k for k in range(n)], [b"%d" % ((n - k) // tied) for k in range(n)]
    else:
        ranks, scores = rng.choices(few, k=n), rng.choices(few, k=n)
    columns = [topics, [b"Q0"] * n, docs, ranks, scores, [b"t"] * n][:fields]
    plain = rng.random() < 0.5
    blanks = (b" ",) * n if plain else rng.choices(BLANKS, k=n)
    ends = (b"\n",) * n if plain else rng.choices(ENDS, k=n)
    text = b"".join([gap.join(row) + end for gap, end, *row in zip(blanks, ends, *columns, strict=True)])
    return text if plain or rng.random() < 0.7 else text[: -rng.randint(1, 3)]


def listed(rng: Random, pool: tuple[bytes, ...]) -> bytes:
    """Ids with one blank between them; now and then all there are."""
    return b" ".join(rng.choices(pool, k=rng.randint(0, 9)) if rng.random() < 0.98 else [*pool, *pool[::3]])


def numbers(rng: Random) -> bytes:
    """Numbers with one blank between them."""
    return b" ".join([number(rng, huge=True) for _ in range(rng.randint(1, 4))])
