"""IPSO under missing judgments: every choice of the unknown gains, tried one by one."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankscope as rs
from rankscope.errors import InputError
from rankscope.preferences import ipso_unjudged
from rankscope.preferences.unjudged import VERDICTS

DOCS = "abcdef"


@st.composite
def topics(draw):
    """Two lists over few documents, so that they share some, and judgments of some of them."""
    one, other = (draw(st.lists(st.sampled_from(DOCS), min_size=1, max_size=5, unique=True)) for _ in range(2))
    judged = {d: g for d in DOCS if (g := draw(st.sampled_from([None, 0, 1, 2]))) is not None}
    return one, other, judged | {"elsewhere": 2}


def literal(one, other, judged, depth, values, thresholds=(None,)):
    """The classes that occur at each depth, over all grades of the unjudged documents.

    thresholds  at which documents are counted; None sums grades
    """
    unknown = [d for d in dict.fromkeys(one + other) if d not in judged]
    seen = [set() for _ in range(depth)]
    for choice in product(values, repeat=len(unknown)):
        gain = {**judged, **dict(zip(unknown, choice, strict=True))}
        worth = [{d: g if t is None else int(g >= t) for d, g in gain.items()} for t in thresholds]
        up, down = False, False
        for j in range(depth):
            for table in worth:
                ahead = sum(table[d] for d in one[: j + 1]) - sum(table[d] for d in other[: j + 1])
                up, down = up or ahead > 0, down or ahead < 0
            seen[j].add("**" if up and down else "ni" if up else "ns" if down else "==")
    return seen


def expected(seen):
    if seen == {"=="}:
        return "certainly equal"
    if seen == {"**"}:
        return "certainly **"
    for label in ("ni", "ns"):
        if seen <= {label, "=="}:
            return f"certainly {label}"
    return "open"


@settings(max_examples=150)
@given(topics())
def test_every_choice_of_the_unknown_gains(topic):
    one, other, judged = topic
    loaded = rs.load({"t": judged}, {"a": {"t": one}, "b": {"t": other}}, keep_docs=True)
    depth = loaded.code.shape[-1]
    thresholds = sorted({g for g in judged.values() if g > 0})
    for gains, counted in (("linear", (None,)), (None, thresholds)):
        got = ipso_unjudged(loaded, "a", "b", gains=gains)
        for j, seen in enumerate(literal(one, other, judged, depth, (0, 1, 2), counted)):
            assert VERDICTS[got.verdict[0, j]] == expected(seen)
            assert got.may_be_ni[0, j] == bool(seen & {"ni", "=="})
            assert got.may_be_ns[0, j] == bool(seen & {"ns", "=="})
        swapped = ipso_unjudged(loaded, "b", "a", gains=gains)
        np.testing.assert_array_equal(swapped.may_be_ni, got.may_be_ns)
        cut = ipso_unjudged(loaded, "a", "b", gains=gains, depth=1)
        np.testing.assert_array_equal(cut.verdict, got.verdict[:, :1])


def test_a_shared_document_matters_only_between_its_ranks():
    # u stands at rank 1 of a and at rank 2 of b: a may be ahead at rank 1 alone, and is never behind
    loaded = rs.load(
        {"t": {"r": 1, "n": 0}}, {"a": {"t": ["u", "r", "n"]}, "b": {"t": ["n", "u", "r"]}}, keep_docs=True
    )
    got = ipso_unjudged(loaded, "a", "b")
    assert [VERDICTS[v] for v in got.verdict[0]] == ["certainly ni"] * 3
    assert "certainly ni" in str(got)
    assert got.to_frame().row(0) == ("t", "certainly ni", "a", True, False)


def test_documents_have_to_be_known():
    loaded = rs.load({"t": {"r": 1}}, {"a": {"t": ["r"]}, "b": {"t": ["u"]}})
    with pytest.raises(InputError, match="keep_docs=True"):
        ipso_unjudged(loaded, "a", "b")
