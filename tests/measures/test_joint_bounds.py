"""Bounds of the difference of two systems against every assignment of grades to the documents of both lists."""

from itertools import product

import numpy as np
import pytest
from marks import slow
from measures.test_bounds import ALL

import rankscope as rs
from rankscope.arrays import FIRST_GRADE, PADDING, UNJUDGED
from rankscope.judged.model import Documents, Pooled
from rankscope.measures import MeasureInputs, measure
from rankscope.measures.bounding import difference, joint, open_pair
from rankscope.measures.bounding.joint import joint_ends
from rankscope.measures.bounding.open_pair import OpenPair
from rankscope.measures.bounding.possible_grades import with_zero
from rankscope.measures.bounding.run import ends_of

SCALES = [(0, 1, 2), (0, 1), (-1, 0, 2), *slow((0, 1, 2, 5), (1, 2), (0, 0.5, 1))]
OPEN = {2: 7, 3: 5, 4: 4}  # unjudged documents of a topic on a scale with so many grades


def collection(scale, seed, *, topics=24, depth=6):
    """Random pairs of short lists that share documents; some documents are unjudged, some lists are empty."""
    draw = np.random.default_rng(seed)
    grades = np.array(sorted(scale), float)
    code = np.zeros((2, topics, depth), np.uint8)
    number = np.full((2, topics, depth), -1, np.int32)
    available = np.zeros((topics, len(grades)), np.int64)
    most = OPEN[len(grades) + (grades.min() > 0)]
    for t in range(topics):
        pool = int(draw.integers(3, 11))
        kind = draw.integers(FIRST_GRADE, FIRST_GRADE + len(grades), pool)
        kind[draw.permutation(pool)[: draw.integers(0, most + 1)]] = UNJUDGED
        for grade in range(len(grades)):
            available[t, grade] = np.count_nonzero(kind == FIRST_GRADE + grade) + draw.integers(0, 3)
        for s in (0, 1):
            listed = draw.permutation(pool)[: draw.integers(0 if t % 8 == 0 else 2, depth + 1)]
            code[s, t, : len(listed)], number[s, t, : len(listed)] = kind[listed], listed + 100 * t
    empty = Pooled(np.empty(0, np.int64), (), np.empty(0, np.int64))
    documents = Documents([str(i) for i in range(100 * topics)], number, empty)
    return rs.Judged(("a", "b"), tuple(map(str, range(topics))), code, grades, available, documents=documents)


def every_difference(m, judged, t):
    """Score of b less that of a under every assignment of grades to the unjudged documents of both lists."""
    lists = with_zero(MeasureInputs(judged.code[:, [t]], judged.grades, judged.available[[t]]))
    code, number, scale = lists.code[:, 0], judged.documents.number[:, t], len(lists.grades)
    opened = sorted({int(d) for d, c in zip(number.ravel(), code.ravel(), strict=True) if c == UNJUDGED})
    codes, available = [], []
    for assigned in product(range(scale), repeat=len(opened)):
        grade = dict(zip(opened, assigned, strict=True))
        codes.append(
            [[FIRST_GRADE + grade[d] if c == UNJUDGED else c for c, d in zip(code[s], number[s], strict=True)]
             for s in (0, 1)]
        )  # fmt: skip
        available.append(lists.available[0] + np.bincount(list(assigned), minlength=scale))
    full = MeasureInputs(np.array(codes, np.uint8), lists.grades, np.array(available)[:, None])
    scores = np.where(full.defined(m), m.compute(full), 0.0)
    tail = np.zeros(2)
    if m.name in ("RBP", "gRBP"):  # all that follows the end of a list may have full gain
        n = np.count_nonzero(code[:, : m.cutoff] != PADDING, axis=-1)
        tail = lists.gain_table(m)[FIRST_GRADE:].max() * m.values["p"] ** n
    differences = scores[:, 1] - scores[:, 0]
    return differences.min() - tail[0], differences.max() + tail[1]


@pytest.fixture(params=["with enumeration", "by argument alone", "in groups"])
def limit(request, monkeypatch):
    if request.param == "in groups":
        monkeypatch.setattr(difference, "_PAIRED", 1)
        monkeypatch.setattr(difference, "_bands", lambda depth: np.array([1, 3, depth - 1]))
    if request.param != "with enumeration":
        for module in (joint, difference):
            monkeypatch.setattr(module, "LIMIT", 0 if module is joint else 4)
    return request.param


def outer(judged, m):
    """Ends of each list by itself, had the other list's documents no grade above the lowest."""
    lower, upper = (end[0] for end in ends_of(judged, [m])[:2])
    return lower[1] - upper[0], upper[1] - lower[0]


@pytest.mark.parametrize("scale", SCALES, ids=str)
@pytest.mark.filterwarnings("ignore::rankscope.errors.DataWarning")
def test_against_every_assignment(scale, limit):
    judged = collection(scale, 7 * len(scale) + int(scale[-1]))
    exact = set()
    for text in ["AP", "AP@4"] if limit == "in groups" else ALL:
        m = measure(text).relevant_from(1)
        ends = joint_ends(judged, m)
        by_itself = outer(judged, m)
        local = not joint.knows_recall_base(m)
        for t in range(len(judged.topics)):
            lowest, highest = every_difference(m, judged, t)
            where = f"{m} on {judged.code[:, t]} {judged.documents.number[:, t]} {judged.available[t]}"
            if ends.exact[t]:
                np.testing.assert_allclose(
                    [ends.lower[t], ends.upper[t]], [lowest, highest], rtol=1e-11, atol=1e-12, err_msg=where
                )
            elif not np.isnan(ends.lower[t]):
                assert ends.lower[t] <= lowest + 1e-12, where
                assert highest <= ends.upper[t] + 1e-12, where
            if local and not np.isnan(by_itself[0][t]):
                assert by_itself[0][t] <= ends.lower[t] + 1e-12, where
                assert ends.upper[t] <= by_itself[1][t] + 1e-12, where
        if ends.exact.all():
            exact.add(m.name)
    if limit == "with enumeration":
        assert exact == {measure(text).name for text in ALL}
    elif limit == "by argument alone":  # the others are bounds that need not be attained
        assert exact >= {
            "P", "SetP", "gP", "DCG", "SDCG", "RBP", "gRBP", "nDCG", "R", "R_cap", "SetR", "gR", "F", "SetF", "Rprec",
            "RR", "Success", "NumRel", "NumRelRet", "NumRet",
        }  # fmt: skip


def test_groups_of_documents_widen_ap_but_little(monkeypatch):
    """Deep lists with many unjudged documents: never narrower than by pairs, never wider than each list by itself."""
    draw = np.random.default_rng(5)
    depth, pool = 120, 160
    number = np.stack([[draw.permutation(pool)[:depth] for _ in range(4)] for _ in range(2)]).astype(np.int32)
    kind = draw.choice([UNJUDGED, FIRST_GRADE, FIRST_GRADE + 1], (4, pool), p=[0.7, 0.2, 0.1]).astype(np.uint8)
    code = np.stack([[kind[t][number[s, t]] for t in range(4)] for s in range(2)])
    empty = Pooled(np.empty(0, np.int64), (), np.empty(0, np.int64))
    available = np.stack([np.bincount(row, minlength=4)[2:] for row in kind])
    documents = Documents([str(i) for i in range(pool)], number, empty)
    judged = rs.Judged(("a", "b"), tuple("1234"), code, np.array([0.0, 1.0]), available, documents=documents)
    m = measure("AP").relevant_from(1)
    by_pairs = joint_ends(judged, m)
    monkeypatch.setattr(difference, "_PAIRED", 0)
    in_groups = joint_ends(judged, m)
    assert (in_groups.upper >= by_pairs.upper - 1e-12).all()
    assert (in_groups.lower <= by_pairs.lower + 1e-12).all()
    assert (in_groups.upper - in_groups.lower < 1.3 * (by_pairs.upper - by_pairs.lower)).all()


@pytest.mark.parametrize("near", [0, 32])
def test_ranks_in_the_other_list(near, monkeypatch):
    monkeypatch.setattr(open_pair, "_NEAR", near)
    judged, depth = collection((0, 1, 2), 3), 4
    pair = OpenPair.of(MeasureInputs(judged.code, judged.grades, judged.available), judged.documents.number)
    for side, t, r in np.ndindex(2, len(judged.topics), depth):
        there = judged.documents.number[1 - side, t, :depth].tolist()
        own = judged.documents.number[side, t, r]
        want = there.index(own) if judged.code[side, t, r] == UNJUDGED and own in there else depth
        assert pair.elsewhere(depth)[side, t, r] == want


@pytest.mark.parametrize("near", [0, 32])
@pytest.mark.parametrize("text", ["nDCG@4", "nDCG(gains={0: 0.5, 1: 1, 2: 3})@4", "nDCG(gains={0: 1, 1: 1, 2: 1})@4"])
def test_ndcg_whatever_its_lowest_gain_and_the_length_of_lists(text, near, monkeypatch):
    monkeypatch.setattr(open_pair, "_NEAR", near)
    monkeypatch.setattr(joint, "LIMIT", 0)
    judged, m = collection((0, 1, 2), 4), measure(text)
    ends = joint_ends(judged, m)
    assert ends.exact.all()
    every = [every_difference(m, judged, t) for t in range(len(judged.topics))]
    np.testing.assert_allclose(np.transpose([ends.lower, ends.upper]), every, rtol=1e-11, atol=1e-12)
    assert (ends.upper < 0).any()  # where documents that both lists lack matter, too
