"""Gains for which a ratio is largest: the C loop, its numpy twin, and all assignments of gains."""

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankscope import kernels
from rankscope.kernels import pure

FEW = 5  # documents all of whose gains are tried


def question(seed: int, documents: int, layers: int, topics: int = 7):
    rng = np.random.default_rng(seed)
    grid = 4 if seed % 3 else 1000  # few values tie often
    coefficient = rng.integers(-grid, grid + 1, (topics, documents)) / grid
    there = rng.random((topics, documents)) < (0.7 if documents > 1 else 1.0)
    gain = rng.integers(1, 4, layers).astype(np.float64)
    have = np.sort(rng.integers(0, 4, (layers, topics)), axis=0)[::-1]
    ideal = np.append(0.0, np.cumsum(np.sort(rng.random(documents + 4))[::-1]))
    base = rng.normal(0, 1, topics) * (seed % 2)
    floor = rng.random(topics) * (seed % 5 > 1)
    return coefficient, there, base, floor, gain, have, ideal


def largest(c, there, base, floor, gain, have, ideal):
    """The largest ratio of one topic over all numbers of documents of each layer."""
    best = np.append(0.0, np.cumsum(np.sort(c[there])[::-1]))
    ratios = []
    for m in product(range(len(best)), repeat=len(gain)):
        if all(a >= b for a, b in pairwise(m)):
            above = base + sum(x * best[k] for x, k in zip(gain, m, strict=True))
            below = floor + sum(x * ideal[h + k] for x, h, k in zip(gain, have, m, strict=True))
            ratios.append(above / below if below > 0 else 0.0)
    return max(ratios)


@settings(max_examples=200)
@given(st.integers(0, 2**32 - 1), st.sampled_from([0, 1, 2, 5, 9, 31, 32, 33, 80]), st.integers(0, 4))
def test_twins(seed: int, documents: int, layers: int) -> None:
    asked = question(seed, documents, layers)
    for got, want in zip(kernels.largest_ratio(*asked), pure.largest_ratio(*asked), strict=True):
        np.testing.assert_array_equal(got, want)


@settings(max_examples=100)
@given(st.integers(0, 2**32 - 1), st.integers(1, FEW), st.integers(1, 3))
def test_no_assignment_has_a_larger_ratio(seed: int, documents: int, layers: int) -> None:
    coefficient, there, base, floor, gain, have, ideal = question(seed, documents, layers)
    floor = floor + 0.1  # a divisor on all topics
    level, ratio = kernels.largest_ratio(coefficient, there, base, floor, gain, have, ideal)
    for t in range(len(base)):
        want = largest(coefficient[t], there[t], base[t], floor[t], gain, have[:, t], ideal)
        assert ratio[t] == pytest.approx(want, rel=1e-12, abs=1e-12)
        total = [np.count_nonzero(level[t] > layer) for layer in range(layers)]
        above = base[t] + sum(x * coefficient[t, level[t] > layer].sum() for layer, x in enumerate(gain))
        below = floor[t] + sum(x * ideal[h + m] for x, h, m in zip(gain, have[:, t], total, strict=True))
        assert ratio[t] == pytest.approx(above / below, rel=1e-12, abs=1e-12)  # the gains have this ratio
        assert not level[t, ~there[t]].any()


def test_the_loop_refuses_what_does_not_fit() -> None:
    core = pytest.importorskip("rankscope.kernels._core", reason="the compiled core was not built")
    asked = [np.ascontiguousarray(each) for each in question(7, 4, 2)]
    out = [np.empty((7, 4), np.int64), np.empty(7), np.empty((4, 2)), np.empty(5), np.empty((2, 2), np.int64)]
    core.largest_ratio(*asked, 7, 4, 2, len(asked[-1]), *out)
    for sizes in ((8, 4, 2, 9), (7, 5, 2, 9), (7, 4, 3, 9), (7, 4, 2, 10), (2**61 + 7, 4, 2, 9)):
        with pytest.raises(ValueError, match="do not fit"):
            core.largest_ratio(*asked, *sizes, *out)
    for wrong in (-1, len(asked[-1]) - 4):
        beyond = [*asked[:5], np.full((2, 7), wrong), asked[6]]
        with pytest.raises(ValueError, match="do not fit"):
            core.largest_ratio(*beyond, 7, 4, 2, len(asked[-1]), *out)
    for at in range(len(out)):
        with pytest.raises(ValueError, match="do not fit"):
            core.largest_ratio(*asked, 7, 4, 2, len(asked[-1]), *out[:at], out[at][:-1], *out[at + 1 :])
