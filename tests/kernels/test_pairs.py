"""The C loops over all pairs and their numpy twins give the same results."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankscope.kernels import pure

compiled = pytest.importorskip("rankscope.kernels.compiled", reason="the compiled core was not built")


@st.composite
def lists(draw):
    """Grade codes; systems are often alike for a long stretch, as runs of one group are."""
    seed, systems, topics = draw(st.integers(0, 2**32 - 1)), draw(st.integers(1, 5)), draw(st.integers(1, 3))
    length = draw(st.sampled_from([1, 3, 15, 16, 17, 63, 64, 65, 130, 300]))
    share = draw(st.sampled_from([0.0, 0.02, 0.3, 1.0]))
    rng = np.random.default_rng(seed)
    code = rng.integers(0, 3, (systems, topics, length))
    code[rng.random(code.shape) < share] = 4
    code[rng.random(code.shape) < share / 3] = 5
    if draw(st.booleans()):
        same = rng.integers(0, length + 1)
        code[..., :same] = code[:1, :, :same]
    if draw(st.booleans()):
        code[rng.integers(0, systems)] = code[0]
    return code.astype(draw(st.sampled_from([np.uint8, np.uint16]))), draw(st.integers(1, length))


def both(code, depth, **options):
    levels = int((code[..., :depth] >= 3).sum(axis=-1).max())
    return [m.relevant_ranks(code, 3, depth, levels, 0, code.shape[1], **options) for m in (compiled, pure)]


def alike(a, b):
    """Equal where a row has ranks, and behind them the sign of the end."""
    np.testing.assert_array_equal(a.used, b.used)
    there = np.arange(a.rank.shape[-1]) < a.used[..., None]
    np.testing.assert_array_equal(a.rank[there], b.rank[there])
    end = np.arange(a.rank.shape[-1]) == a.used[..., None]
    assert (a.rank[end] == a.late).all()
    assert (b.rank[~there] == b.late).all()
    if a.code is not None:
        np.testing.assert_array_equal(a.code[there], b.code[there])


@settings(max_examples=300)
@given(lists(), st.data())
def test_all_loops(made, data):
    code, depth = made
    ranks = both(code, depth, codes=True)
    alike(*ranks)
    start = data.draw(st.integers(0, code.shape[1] - 1))
    part = compiled.relevant_ranks(code, 3, depth, depth, start, code.shape[1])
    np.testing.assert_array_equal(part.used, ranks[0].used[start:])
    gain = np.array([0, 0, 0, 0, 1, data.draw(st.integers(1, 2**40))])
    weight = np.random.default_rng(data.draw(st.integers(0, 99))).integers(0, 2**50, depth)
    calls = {
        "classes": lambda m, r: m.pair_classes(r),
        "graded": lambda m, r: m.pair_classes_graded(r, gain),
        "first": lambda m, r: m.pair_levels(r, last=False, difference=True),
        "last": lambda m, r: m.pair_levels(r, last=True, difference=True),
        "sign only": lambda m, r: m.pair_levels(r, last=False, difference=False)[:1],
        "votes": lambda m, r: m.pair_votes(r, None),
        "weighted": lambda m, r: m.pair_votes(r, weight),
    }
    higher = [m.relevant_ranks(code, 4, depth, depth, 0, code.shape[1]) for m in (compiled, pure)]
    seen = [m.pair_classes(r) for m, r in zip((compiled, pure), ranks, strict=True)]
    alone = compiled.pair_classes(higher[0]) | seen[0]  # who is ahead at either threshold
    for m, r, before in zip((compiled, pure), higher, seen, strict=True):
        assert m.pair_classes(r, before) is before
        np.testing.assert_array_equal(before, alone)
    for name, call in calls.items():
        got, twin = call(compiled, ranks[0]), call(pure, ranks[1])
        for a, b in zip(*((x,) if isinstance(x, np.ndarray) else x for x in (got, twin)), strict=True):
            assert a.dtype == b.dtype, name
            np.testing.assert_array_equal(a, b, err_msg=name)


def test_ranks_beyond_two_bytes():
    code = np.zeros((2, 1, 40_000), np.uint8)
    code[0, 0, [5, 39_999]] = code[1, 0, [5, 39_998]] = 3
    ranks = both(code, 40_000)
    assert ranks[0].rank.dtype == np.int32
    assert compiled.pair_levels(ranks[0], last=False, difference=True)[0].tolist() == [[-2]]
    assert compiled.pair_classes(ranks[0]).tolist() == [[2]]
    assert compiled.pair_votes(ranks[0], None).tolist() == [[-1]]
    deepest = both(code, 32_766)
    assert deepest[0].rank.dtype == np.int16
    alike(*deepest)


@pytest.mark.parametrize("module", [compiled, pure])
def test_too_many_relevant_documents(module):
    with pytest.raises(ValueError, match="more relevant documents than its topic"):
        module.relevant_ranks(np.full((1, 1, 200), 3, np.uint8), 3, 200, 100, 0, 1)


def test_sizes_are_checked():
    from rankscope.kernels import _core

    ranks = compiled.relevant_ranks(np.full((2, 3, 20), 3, np.uint8), 3, 20, 20, 0, 3)
    out = np.empty((3, 1), np.uint8)
    shape = ranks.rank.shape
    _core.pair_classes(ranks.rank, ranks.used, *shape, out)
    huge = 2**62  # whose product with others overflows to sizes that would fit
    for wrong in (
        (shape[0] + 1, *shape[1:]), (*shape[:2], shape[2] - 16), (3, 2, 7), (-3, -2, shape[2]), (3 + huge, *shape[1:]),
        (huge, 4, shape[2]), (0, huge, shape[2]), (0, 2**33, 2**33),
    ):  # fmt: skip
        with pytest.raises(ValueError, match="do not fit"):
            _core.pair_classes(ranks.rank, ranks.used, *wrong, out)
    with pytest.raises(ValueError, match="do not fit"):
        _core.relevant_ranks(np.full((2, 3, 20), 3, np.uint8), 0, 2, 3, 20, 3, 20, 2**63 - 1, 0, 3, shape[2],
                             ranks.rank, ranks.used, out[:0])  # fmt: skip
    ranks.used[0, 0] = shape[2]
    with pytest.raises(ValueError, match="do not fit"):
        _core.pair_classes(ranks.rank, ranks.used, *shape, out)
