"""Pairs of a sequence that rise, by one number or by two at once: the numpy twin of _inversions.c."""

from __future__ import annotations

import numpy as np

from rankscope.arrays import Bools, Ints


def rising_pairs(first: Ints, second: Ints | None = None) -> int:
    """Pairs i < j with first[i] < first[j] and, where there is a second number, second[i] < second[j].

    Numbers are whole and not negative.

    >>> rising_pairs(np.array([0, 2, 1, 2])), rising_pairs(np.array([0, 2, 1, 2]), np.array([1, 0, 0, 2]))
    (4, 2)
    """
    first = np.asarray(first, np.int64)
    n, bits = len(first), int(first.max(initial=0)).bit_length()
    if second is None:
        every = np.ones(n, np.bool_)
        return _crossing(first, bits, every, every)
    count = 0
    for bit in range(int(second.max(initial=0)).bit_length()):  # the highest bit where the two differ
        above, is_one = second >> (bit + 1), (second >> bit & 1).astype(np.bool_)
        order = np.argsort(above, kind="stable")
        inner = (above << bits | first)[order]
        count += _crossing(inner, bits, ~is_one[order], is_one[order])
    return count


def _crossing(number: Ints, bits: int, low: Bools, high: Bools) -> int:
    """Pairs i < j, i in low and j in high, equal above the lowest `bits`, with number[i] < number[j].

    Numbers that are equal above the bits must stand together. From the highest bit down: a pair counts at the first
    bit where it differs, then the zeros of each group go before its ones.
    """
    n, count = len(number), 0
    if not n:
        return 0
    for bit in range(bits - 1, -1, -1):
        is_one = (number >> bit & 1).astype(np.bool_)
        begins = np.append(True, number[1:] >> (bit + 1) != number[:-1] >> (bit + 1))
        start = np.flatnonzero(begins)
        group = np.cumsum(begins) - 1
        lower, zeros = np.cumsum(low & ~is_one), np.append(0, np.cumsum(~is_one))
        before = np.append(0, lower)[start]
        asking = high & is_one
        count += int((lower[asking] - before[group[asking]]).sum())
        ends = np.append(start[1:], n)
        zeros_before = zeros[:-1] - zeros[start][group]
        zeros_in_group = (zeros[ends] - zeros[start])[group]
        inside = np.arange(n) - start[group]
        place = start[group] + np.where(is_one, zeros_in_group + inside - zeros_before, zeros_before)
        moved, low_moved, high_moved = np.empty_like(number), np.empty_like(low), np.empty_like(high)
        moved[place], low_moved[place], high_moved[place] = number, low, high
        number, low, high = moved, low_moved, high_moved
    return count
