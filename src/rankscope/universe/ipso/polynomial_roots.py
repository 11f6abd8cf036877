"""Roots between 0 and 1 of polynomials with whole coefficients: none missed, none made up, to the nearest double.

Exact, since roots in doubles (`numpy.roots`) do not tell a double root, where an order stays, from two roots, where it
changes twice: of 2,000 random pairs of rankings of 10 documents they gave a wrong number of roots for 6.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import accumulate, pairwise
from math import gcd, lcm
from typing import NamedTuple, TypeAlias

Polynomial: TypeAlias = list[int]
"""Coefficients, the constant first, the last one not 0."""

_PRIME = 2**61 - 1


class Root(NamedTuple):
    """The nearest double, and whether the polynomial has another sign above the root than below it."""

    nearest: float
    crosses: bool


def roots(coefficients: Polynomial) -> list[Root]:
    """The different real roots in (0, 1), ascending; none of the zero polynomial.

    >>> roots([1, -1, -1])
    [Root(nearest=0.6180339887498949, crosses=True)]
    >>> roots([1, -4, 4])  # (1 - 2x)^2
    [Root(nearest=0.5, crosses=False)]
    """
    left = _trimmed(coefficients)
    while left and left[0] == 0:  # roots at 0 and 1 are not in between
        left = left[1:]
    while left and sum(left) == 0:
        left = _quotient(left, [-1, 1])
    return sorted(Root(x, times % 2 == 1) for factor, times in _by_multiplicity(left) for x in _single(factor))


def _single(polynomial: Polynomial) -> Iterator[float]:
    """Roots in (0, 1) of a polynomial that has each but once, and none at the ends.

    Halving with Descartes' rule of signs (Collins and Akritas 1976): without sign changes there is no root, with one
    there is one, with more the interval is halved.
    """
    met, apart = [], []
    unsettled = [(polynomial, Fraction(0), Fraction(1))]
    while unsettled:
        here, low, width = unsettled.pop()  # here(x), x in (0, 1), has the signs of the polynomial at low + x width
        changes = _changes(_shifted(here[::-1]))
        if changes == 1:
            apart.append((low, low + width))
        if changes < 2:
            continue
        width /= 2
        left = [c << (len(here) - 1 - i) for i, c in enumerate(here)]
        right = _shifted(left)
        if right[0] == 0:  # a root right in the middle
            met.append(low + width)
        unsettled += [(left, low, width), (right, low + width, width)]
    for x in met:  # then no end of an interval is a root
        polynomial = _quotient(polynomial, [-x.numerator, x.denominator])
        yield float(x)
    for low, high in apart:
        yield _refined(polynomial, low, high)


def _refined(polynomial: Polynomial, low: Fraction, high: Fraction) -> float:
    """The one root in between, halved until both ends round to one double."""
    below = sign_at(polynomial, low)
    while float(low) != float(high):
        middle = (low + high) / 2
        sign = sign_at(polynomial, middle)
        if sign == 0:
            return float(middle)
        low, high = (middle, high) if sign == below else (low, middle)
    return float(low)


def sign_at(polynomial: Polynomial, x: Fraction) -> int:
    """The sign of a polynomial at a fraction.

    >>> sign_at([1, -2], Fraction(1, 3)), sign_at([1, -2], Fraction(1, 2))
    (1, 0)
    """
    a, b = x.numerator, x.denominator
    total, power = 0, 1
    for c in reversed(polynomial):
        total = total * a + c * power
        power *= b
    return (total > 0) - (total < 0)


def _changes(polynomial: Polynomial) -> int:
    signs = [c > 0 for c in polynomial if c]
    return sum(before != after for before, after in pairwise(signs))


def _shifted(polynomial: Polynomial) -> Polynomial:
    """p(x + 1), by dividing by x - 1 again and again."""
    quotient, coefficients = polynomial[::-1], []
    while quotient:
        quotient = list(accumulate(quotient))
        coefficients.append(quotient.pop())
    return coefficients


def _by_multiplicity(polynomial: Polynomial) -> Iterator[tuple[Polynomial, int]]:
    """Factors with single roots, and how often each divides the polynomial (Musser 1971)."""
    if len(polynomial) < 2:
        return
    slope = [i * c for i, c in enumerate(polynomial)][1:]
    if _coprime(polynomial, slope):
        yield _primitive(polynomial), 1
        return
    common = _divisor(polynomial, slope)
    single, times = _quotient(polynomial, common), 1
    while len(single) > 1:
        again = _divisor(single, common)
        yield _quotient(single, again), times
        single, common, times = again, _quotient(common, again), times + 1


def _coprime(a: Polynomial, b: Polynomial) -> bool:
    """Whether two polynomials have no root in common for sure, since they have none modulo a prime.

    At degree 300 this takes a thirtieth of the time of `_divisor`.
    """
    a, b = ([c % _PRIME for c in p] for p in (a, b))
    if not a[-1] or not b[-1]:
        return False
    while len(b) > 1:
        scale = pow(b[-1], -1, _PRIME)
        while len(a) >= len(b):
            factor, offset = a[-1] * scale % _PRIME, len(a) - len(b)
            for i, c in enumerate(b):
                a[offset + i] = (a[offset + i] - factor * c) % _PRIME
            a = _trimmed(a)
        a, b = b, a
    return bool(b)


def _divisor(a: Polynomial, b: Polynomial) -> Polynomial:
    """The greatest common divisor, by remainders whose contents are divided out."""
    a, b = _primitive(a), _primitive(b)
    while b:
        while len(a) >= len(b):
            offset, factor, lead = len(a) - len(b), a[-1], b[-1]
            a = [c * lead - (factor * b[i - offset] if i >= offset else 0) for i, c in enumerate(a)]
            a = _trimmed(a)
        a, b = b, _primitive(a)
    return a


def _quotient(a: Polynomial, b: Polynomial) -> Polynomial:
    """a / b where that leaves nothing, as a primitive polynomial."""
    remainder, quotient = [Fraction(c) for c in a], []
    for at in range(len(a) - len(b), -1, -1):
        quotient.append(remainder[at + len(b) - 1] / b[-1])
        for i, c in enumerate(b):
            remainder[at + i] -= quotient[-1] * c
    unit = lcm(*(c.denominator for c in quotient))
    return _primitive([int(c * unit) for c in reversed(quotient)])


def _primitive(polynomial: Polynomial) -> Polynomial:
    trimmed = _trimmed(polynomial)
    content = gcd(*trimmed)
    return [c // content for c in trimmed]


def _trimmed(polynomial: Polynomial) -> Polynomial:
    end = len(polynomial)
    while end and polynomial[end - 1] == 0:
        end -= 1
    return list(polynomial[:end])
