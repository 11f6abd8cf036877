"""Judgments taken away, and topics: the same as if they had never been there."""

import numpy as np
import pytest
import strategies
from hypothesis import given, settings
from hypothesis import strategies as st

import rankscope as rs
from rankscope.errors import InputError
from rankscope.judged import Thinner, with_topics
from rankscope.simulation import embedded

pytestmark = pytest.mark.filterwarnings("ignore::rankscope.errors.DataWarning")


def grades_of(judged):
    """Each cell's grade, None for unjudged and '' for padding."""
    table = ["", None, *judged.grades.tolist()]
    return [[[table[c] for c in ranks] for ranks in topics] for topics in judged.code.tolist()]


@settings(max_examples=60)
@given(strategies.collections(systems=3), st.randoms(use_true_random=False))
def test_what_is_left_is_what_was_kept(made, resampling):
    judged = rs.load(made.qrels, made.runs, keep_docs=True)
    pool = judged.documents.pool
    kept = np.array([resampling.random() < 0.5 for _ in pool.docs], np.bool_)
    left = {
        (judged.topics[t], d): judged.grades[c - 2]
        for t, d, c, k in zip(pool.topic, pool.docs, pool.code, kept, strict=True)
        if k
    }
    got = Thinner.of(judged).thinned(kept)
    ids = [*judged.documents.ids, None]
    for system, by_topic in zip(judged.documents.number.tolist(), grades_of(got), strict=True):
        for topic, numbers, found in zip(judged.topics, system, by_topic, strict=True):
            assert found == ["" if n < 0 else left.get((topic, ids[n])) for n in numbers]
    for topic, row in zip(judged.topics, got.available.tolist(), strict=True):
        mine = [g for (t, _), g in left.items() if t == topic]
        assert row == [mine.count(g) for g in judged.grades]
    assert len(got.documents.pool.docs) == len(left)


def test_every_judgment_is_in_the_pool_retrieved_or_not():
    judged = rs.load({"1": {"a": 1, "b": 0}, "2": {"a": 2}}, {"r": {"1": ["a"], "2": ["x"]}}, keep_docs=True)
    pool = judged.documents.pool
    assert [*zip(pool.topic.tolist(), pool.docs, pool.code.tolist(), strict=True)] == [
        (0, "a", 3),
        (0, "b", 2),
        (1, "a", 4),
    ]
    none = Thinner.of(judged).thinned(np.array([True, True, False]))
    assert none.available.tolist() == [[1, 1, 0], [0, 0, 0]]
    np.testing.assert_array_equal(none.code, judged.code)  # nobody retrieved it


def test_a_repeated_judgment_is_in_the_pool_once(tmp_path):
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 0\n1 0 a 0\n")
    judged = rs.load(tmp_path / "qrels", {"r": {"1": ["a", "b"]}}, keep_docs=True, duplicates="first")
    assert judged.documents.pool.docs == ("a", "b")
    gone = Thinner.of(judged).thinned(np.array([False, True]))
    assert grades_of(gone) == [[[None, 0.0]]]
    assert gone.available.tolist() == [[1, 0]]


def test_scores_are_those_of_smaller_judgments():
    qrels, runs = embedded()
    judged = rs.load(qrels, runs, keep_docs=True)
    pool = judged.documents.pool
    rows = [
        (judged.topics[t], d, int(judged.grades[c - 2]))
        for t, d, c in zip(pool.topic, pool.docs, pool.code, strict=True)
    ]
    kept = np.arange(len(rows)) % 3 > 0
    smaller = {}
    for (topic, doc, grade), keep in zip(rows, kept, strict=True):
        if keep:
            smaller.setdefault(topic, {})[doc] = grade
    again = rs.load(smaller, runs)
    measures = ["AP", "nDCG@10", "RR", "Bpref", "P@5", "Judged@10"]
    got, wanted = (rs.evaluate(one, measures) for one in (Thinner.of(judged).thinned(kept), again))
    places = [got.topics.index(topic) for topic in wanted.topics]
    np.testing.assert_array_equal(got.value[:, :, places], wanted.value)


def test_topics_alone():
    qrels, runs = embedded()
    judged = rs.load(qrels, runs, keep_docs=True)
    few = with_topics(judged, [5, 2])
    assert few.topics == (judged.topics[5], judged.topics[2])
    np.testing.assert_array_equal(rs.evaluate(few, "AP").value, rs.evaluate(judged, "AP").value[:, :, [5, 2]])
    thin = Thinner.of(few)
    np.testing.assert_array_equal(thin.thinned(np.ones(len(few.documents.pool.docs), np.bool_)).code, few.code)


def test_what_cannot_be_thinned():
    judged = rs.load({"1": {"a": 1}}, {"r": {"1": ["a"]}})
    with pytest.raises(InputError, match="keep_docs=True"):
        Thinner.of(judged)
    kept = rs.load({"1": {"a": 1}}, {"r": {"1": ["a"]}}, keep_docs=True)
    with pytest.raises(InputError, match="2 marks for 1 judgments"):
        Thinner.of(kept).thinned(np.ones(2, np.bool_))
