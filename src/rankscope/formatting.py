"""Numbers as results print them."""

from __future__ import annotations


def score(value: float) -> str:
    """A score, a difference or a statistic, to four decimals.

    >>> score(0.25), score(0.000012)
    ('0.2500', '1.20e-05')
    """
    return f"{value:.4f}" if value == 0 or abs(value) >= 0.001 else f"{value:.2e}"


def probability(value: float) -> str:
    """A p value or another probability; a small one keeps its magnitude.

    >>> probability(0.0659), probability(0.0000012)
    ('0.0659', '1.2e-06')
    """
    return f"{value:.4f}" if value == 0 or value >= 0.0001 else f"{value:.1e}"


def bounds(lower: float, upper: float) -> str:
    """The two ends of an interval.

    >>> bounds(-0.01, 0.05)
    '[-0.0100, 0.0500]'
    """
    return f"[{score(lower)}, {score(upper)}]"
