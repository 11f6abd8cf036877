"""Arithmetic that never rounds: scores as Python's whole numbers and fractions, and the order they give."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from rankscope.arrays import ExactNumbers, Floats, Ints
from rankscope.errors import InputError

if TYPE_CHECKING:
    from rankscope.measures.record import Measure

_LARGEST = 2**63 - 1
LARGEST_FOR_TESTS = 2**500  # sums of squares stay below 2^1024
TOO_LARGE = "a score is above 2^500, and tests of such doubles overflow"

_fraction: Any = lru_cache(1 << 12)(lambda a, b: Fraction(a, b) if b else None)
quotient: Any = np.frompyfunc(_fraction, 2, 1)
"""Numerators over denominators, element by element, as fractions; None over 0."""


def rational(value: Any) -> Any:
    """A number as the user typed it: 0.8 is 4/5, not the double beside it. What is no number stays as it is."""
    if isinstance(value, np.generic):
        value = value.item()
    return Fraction(repr(value)) if isinstance(value, float) else value


def objects(values: Any) -> ExactNumbers:
    """Whole numbers of numpy as Python's, which have no largest."""
    return np.asarray(values).astype(object)


def over(numerator: ExactNumbers, denominator: int) -> ExactNumbers:
    """Whole numbers over one denominator; they stay whole over 1."""
    return numerator if denominator == 1 else np.asarray(quotient(numerator, denominator), object)


def whole_sum(terms: Any) -> ExactNumbers:
    """Sum over ranks of whole numbers, none negative."""
    if terms.dtype != object and int(terms.max(initial=0)) * terms.shape[-1] > _LARGEST:
        terms = terms.astype(object)
    return objects(terms.sum(axis=-1))


def over_one_unit(values: Sequence[Fraction]) -> tuple[Any, int]:
    """Fractions as whole numbers of 1/unit, in 64 bits where they fit."""
    unit = math.lcm(*(value.denominator for value in values))
    numerators = [int(value * unit) for value in values]
    return np.array(numerators, np.int64 if max(numerators, default=0) <= _LARGEST else object), unit


def in_powers(digits: Any, a: int, b: int, depth: int) -> ExactNumbers:
    """Sum over ranks of digit_i a^(i-1) b^(depth-i), from digits (..., K), none negative, K at most `depth`.

    As many ranks at a time as fit 64 bits are summed by numpy; Python's numbers only join these blocks.
    """
    total = objects(np.zeros(digits.shape[:-1], np.int64))
    ranks, width = digits.shape[-1], 1
    if digits.dtype != object:
        room = _LARGEST // max(1, int(digits.max(initial=0)))
        while width < ranks and (width + 1) * max(a, b) ** width <= room:
            width += 1
    for start in range(0, ranks, width):
        block = digits[..., start : start + width]
        inner = [a**j * b ** (block.shape[-1] - 1 - j) for j in range(block.shape[-1])]
        outer = a**start * b ** (depth - start - block.shape[-1])
        # one rank alone may have digits beyond 64 bits, its own weight is 1
        part = objects(block[..., 0] if block.shape[-1] == 1 else block @ np.array(inner, np.int64))
        total = total + part * outer
    return total


def harmonic(terms: Ints) -> ExactNumbers:
    """Sum over ranks of term_i / i, from terms (..., K)."""
    unit = math.lcm(*range(1, terms.shape[-1] + 1))
    total = objects(np.zeros(terms.shape[:-1], np.int64))
    for i in range(terms.shape[-1]):
        total = total + objects(terms[..., i]) * (unit // (i + 1))
    return quotient(total, unit)


def dense_ranks(scores: ExactNumbers) -> Ints:
    """Place of each score among those along the first axis, 0 the lowest, equal where equal; -1 for None."""
    rows = np.atleast_1d(scores)
    flat = rows.reshape(len(rows), math.prod(rows.shape[1:]))
    keys = np.empty(flat.shape, np.int64)
    for j, column in enumerate(flat.T.tolist()):  # Python's numbers are sorted by Python
        place = {score: key for key, score in enumerate(sorted(set(column) - {None}))} | {None: -1}
        keys[:, j] = [place[score] for score in column]
    return keys.reshape(scores.shape)


def nearest_doubles(scores: ExactNumbers, measure: Measure) -> Floats:
    """Each score as the nearest double, NaN for None; refused where its square, which tests need, would outgrow it."""
    if any(score > LARGEST_FOR_TESTS for score in scores.ravel().tolist() if score is not None):
        cure = "ask for share=True" if "share" in measure.values else "choose a smaller cutoff"
        raise InputError(f"{measure}: {TOO_LARGE}",
                         f"{cure}, or take exact_scores or order_keys")  # fmt: skip
    return np.asarray(scores, np.float64)
