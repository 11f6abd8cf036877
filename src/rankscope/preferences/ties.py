"""How often reciprocal rank ties, and how many values it and lexiprecision have, counted exactly (Diaz 2023)."""

from __future__ import annotations

from fractions import Fraction
from math import comb

from rankscope.errors import InputError


def tie_probability(rank: int, relevant: int, documents: int) -> Fraction:
    """Chance that a random ranking of so many documents has its first relevant one at this rank.

    >>> tie_probability(1, 250, 50_000) == Fraction(250, 50_000)
    True
    """
    _check(relevant, documents)
    if not 1 <= rank <= documents:
        raise InputError(f"rank={rank}", f"a rank lies between 1 and {documents}")
    return Fraction(comb(documents - rank, relevant - 1), comb(documents, relevant))


def distinct_values(relevant: int, documents: int) -> tuple[int, int]:
    """How many values reciprocal rank has over all full rankings, and how many sets of ranks lexiprecision tells apart.

    >>> distinct_values(5, 12)
    (8, 792)
    """
    _check(relevant, documents)
    return documents - relevant + 1, comb(documents, relevant)


def growth(relevant: int, more: int, documents: int) -> Fraction:
    """By which factor the values of lexiprecision grow with so many more relevant documents: equation (1).

    >>> growth(3, 4, 20)
    Fraction(68, 1)
    """
    _check(relevant, documents)
    _check(relevant + more, documents)
    return Fraction(comb(documents, relevant + more), comb(documents, relevant))


def _check(relevant: int, documents: int) -> None:
    if not 1 <= relevant <= documents:
        raise InputError(f"{relevant} relevant of {documents} documents", f"from 1 to {documents} can be relevant")
