"""Interval(AP@10): each score as its rank among all that lists of a topic can have."""

import itertools
import json
import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankscope import DataWarning, InputError, evaluate, load, measure, register
from rankscope.measures import MEASURES
from rankscope.measures.catalogue import interval
from rankscope.measures.explanations.explain import explain
from rankscope.measures.explanations.signatures import read_signature
from rankscope.simulation import embedded

NAMES = ["AP", "nDCG", "DCG", 'nDCG(dcg="exp-log2")', "P", "R", "F", "RR", "Success", "RBP(p=0.5)", "RBP(p=0.8)", "ERR",
         "Q", 'RBP(gain="linear")', "AP(rel=2)", "nDCG(gains={1:0})", "gP", "gR", "SBTO", "RBTO", "R_cap"]  # fmt: skip


def slow(name, k, pool):
    """Every value that a list of k documents of the pool, or of documents without a grade, can have, ascending."""
    plain = measure(f"{name}@{k}")
    documents = [*pool, *[np.nan] * k]
    lists = {tuple(str(g) for g in some): some for some in itertools.permutations(documents, k)}
    values = [float(plain.score(some, pool)) for some in lists.values()]
    return sorted({round(value, 10) for value in values if not np.isnan(value)})


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("pool", [[1.0], [1.0, 1.0, 0.0], [2.0, 1.0, 0.0], [3.0, 1.0, 1.0, -1.0], [2.0, 2.0, 2.0, 2.0]])
def test_against_all_permutations(name, pool):
    values = slow(name, 3, pool)
    if not values:
        assert np.isnan(measure(f"Interval({name}@3)").score([pool[0]], pool))
        return
    lists = list(itertools.permutations([*pool, np.nan, np.nan, np.nan], 3))
    plain = measure(f"{name}@3").score(lists, pool)
    ranks = measure(f"Interval({name}@3)").score(lists, pool)
    assert ranks.tolist() == [values.index(round(float(value), 10)) for value in plain]
    assert set(ranks.tolist()) == set(range(len(values)))


def test_by_hand():
    # AP@2 with two relevant documents: 00 0, 01 1/4, 10 1/2, 11 1
    assert measure("Interval(AP@2)").score([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 1, 1]).tolist() == [0, 1, 2, 3]
    # one relevant document: 11 is no list, and 10 comes right after 01
    assert measure("Interval(AP@2)").score([[0, 0], [0, 1], [1, 0]], [0, 0, 1]).tolist() == [0, 1, 2]
    # P@3 counts, RBP(p=0.5) counts all lists
    lists = np.array(list(itertools.product([0, 1], repeat=3)))
    pool = [0, 0, 0, 1, 1, 1]
    assert measure("Interval(P@3)").score(lists, pool).tolist() == lists.sum(axis=1).tolist()
    assert measure("Interval(RBP(p=0.5)@3)").score(lists, pool).tolist() == list(range(8))
    # short lists and documents without a grade are as good as documents that are not relevant
    assert measure("Interval(RR@3)").score([np.nan, 1], [1]) == 2


def test_ties_share_a_rank():
    # R = 3: 100 and 011 score 1/3 and (1/2 + 2/3) / 3, but of DCG(base=2), 1 for ranks 1 and 2, 10 and 01 are equal
    ranks = measure("Interval(DCG(base=2)@2)").score([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 1, 1])
    assert ranks.tolist() == [0, 1, 1, 2]


def test_as_many_scores_as_whole_numbers_say():
    # AP times R and lcm(1, ..., 14) is a whole number
    k = 14
    lists = ((np.arange(2**k)[:, None] >> np.arange(k)) & 1).astype(np.int64)
    whole = (lists * np.cumsum(lists, axis=1)) @ (math.lcm(*range(1, k + 1)) // np.arange(1, k + 1))
    ranks = measure(f"Interval(AP@{k})").score(lists, [0, 1] * k)
    np.testing.assert_array_equal(ranks, np.unique(whole, return_inverse=True)[1])


@settings(max_examples=60)
@given(st.data())
def test_ranks_keep_the_order(data):
    """Order and ties within a topic are those of the measure."""
    name = data.draw(st.sampled_from(["AP@5", "nDCG@4", "ERR@4", "Q@4", "RBP(p=0.7)@6"]))
    lists = np.array(data.draw(st.lists(st.lists(st.integers(0, 2), min_size=6, max_size=6), min_size=2, max_size=8)))
    pool = [0] * 6 + [1] * data.draw(st.integers(6, 9)) + [2] * data.draw(st.integers(6, 9))
    plain, ranks = measure(name).score(lists, pool), measure(f"Interval({name})").score(lists, pool)
    difference = plain[:, None] - plain
    np.testing.assert_array_equal(np.sign(np.where(np.abs(difference) < 1e-12, 0, difference)),
                                  np.sign(ranks[:, None] - ranks))  # fmt: skip


@pytest.mark.filterwarnings("ignore::rankscope.DataWarning")
@pytest.mark.parametrize("name", ["AP@4", "nDCG@3", "P@5", "RR@10", "Q@3"])
def test_whole_collections(name):
    judged = load(*embedded())
    scores = evaluate(judged, [name, f"Interval({name})"])
    plain, ranks = scores.value
    np.testing.assert_array_equal(np.isnan(plain), np.isnan(ranks))
    one = measure(f"Interval({name})")
    for t in range(len(judged.topics)):
        pool = np.repeat(judged.grades, judged.available[t])
        for s in (0, 5):
            codes = judged.code[s, t, : one.cutoff]
            grades = np.where(codes < 2, np.nan, judged.grades[np.maximum(codes, 2) - 2])
            expected = one.score(grades[codes > 0], pool)
            np.testing.assert_equal(ranks[s, t], float(expected))
    assert (ranks[~np.isnan(ranks)] % 1 == 0).all()


@pytest.mark.filterwarnings("ignore::rankscope.DataWarning")
def test_blocks_change_nothing(monkeypatch):
    judged = load(*embedded())
    whole = evaluate(judged, "Interval(AP@6)", workers=1).value
    monkeypatch.setattr("rankscope.measures.scoring._BLOCK", 1000)
    np.testing.assert_array_equal(evaluate(judged, "Interval(AP@6)", workers=2).value, whole)


def test_one_table_for_each_recall_base(monkeypatch):
    """Topics that a kernel cannot tell apart share a table, others never do."""
    made = []
    table = interval._table
    monkeypatch.setattr(interval, "_table", lambda *given: made.append(given) or table(*given))
    topics = {
        "1": {"a": 1, "b": 0},
        "2": {"a": 1, "c": 0},
        "3": {"a": 1, "b": 1},
        "4": {"a": 1, "b": 1, "c": 1, "d": 1},
    }
    run = {"x": {t: {"a": 2.0, "b": 1.0} for t in topics}}
    evaluate(load(topics, run), "Interval(AP@3)")
    assert len(made) == 3  # R is 1, 1, 2 and 4
    made.clear()
    evaluate(load(topics, run), "Interval(P@2)")
    assert len(made) == 2  # 2 and 4 are as good for two ranks


def test_notation():
    one = measure("Interval(AP@10)")
    assert str(one) == repr(one) == "Interval(AP@10)"
    assert measure("Interval(AP)@10") == measure("interval( AP@10 )") == one
    assert one != measure("AP@10")
    assert measure("AP@10") != one
    assert len({one, measure("AP@10"), measure(str(one))}) == 2
    assert (
        str(measure('Interval(nDCG(dcg="exp-log2",gains={1:0})@5)')) == 'Interval(nDCG(dcg="exp-log2",gains={1:0})@5)'
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        assert str(measure("Interval(ndcg_cut_10)")) == "Interval(nDCG@10)"
    assert str(measure("Interval(AP@10)")(rel=2)) == "Interval(AP(rel=2)@10)"
    assert str(measure("Interval(AP@10)") @ 5) == "Interval(AP@5)"


def test_a_threshold_of_the_collection_enters():
    judged = load({"1": {"a": 2, "b": 1, "c": 0}}, {"x": {"1": {"b": 2.0, "a": 1.0}}}, rel=2)
    scores = evaluate(judged, "Interval(AP@2)")
    assert str(scores.measures[0]) == "Interval(AP(rel=2)@2)"
    assert scores.value.tolist() == [[[1.0]]]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("Interval(AP)", "Interval(AP) needs a cutoff\n1 problem; write Interval(AP)@10"),
        ("Interval(Rprec)", "Rprec has no depth"),
        ("Interval(IPrec@0.5)", "IPrec has no depth"),
        ("Interval(Judged@5)", "Judged looks at more than relevance"),
        ("Interval(RBPResidual@5)", "RBPResidual looks at more than relevance (unjudged)"),
        ("Interval(Interval(AP@5))", "Interval(AP@5) counts steps already"),
        ("Interval(" * 2000 + "AP@5" + ")" * 2000, "counts steps already"),
        ("Interval()", "no measure is named\n1 problem; write Interval(AP@10)"),
        ("Interval(APP@5)", "no measure is named 'APP'"),
        ("Interval(AP@0)", "cutoff of AP is a whole number from 1"),
    ],
)
def test_what_cannot_be_had(text, says):
    with pytest.raises(InputError) as error:
        measure(text)
    assert says in str(error.value)


def test_too_many_lists():
    pool = [0] * 30 + [1] * 30 + [2] * 30
    with pytest.raises(InputError) as error:
        measure("Interval(AP@21)").score([1] * 21, pool)
    assert "2,097,152 lists of 21 documents are attainable, 1,048,576 can be enumerated" in str(error.value)
    assert "with 2 levels of gain take a cutoff from 1 to 20" in str(error.value)
    with pytest.raises(InputError, match="with 3 levels of gain take a cutoff from 1 to 12"):
        measure("Interval(nDCG@13)").score([1] * 13, pool)
    # few relevant documents make few lists, however deep: 100 places for each of two, or both
    assert measure("Interval(P@100)").score([1, 0, 1], [1, 1, 0]) == 2
    assert measure("Interval(RR@100)").score([1, 0, 1], [1, 1, 0]) == 100


def test_many_levels_of_gain():
    grades = np.arange(400) / 7
    ranks = measure("Interval(DCG@1)").score(grades[[[399], [300], [0]]], grades)
    assert ranks.tolist() == [399, 300, 0]


def test_a_measure_of_ones_own():
    before = dict(MEASURES)
    try:

        @register
        def Twice(relevant):
            return 2.0 * relevant.sum(axis=-1)

        @register
        def ByLength(relevant):
            return relevant.sum(axis=-1) / relevant.shape[-1]

        assert measure("Interval(Twice@4)").score([1, 0, 1], [0, 1, 1, 1]) == 2
        with pytest.raises(InputError, match="is the score of no list of 4 documents"):
            measure("Interval(ByLength@4)").score([1, 0, 1], [0, 1, 1, 1])
    finally:
        MEASURES.clear()
        MEASURES.update(before)


def test_whole_numbers_are_exact():
    one = measure("Interval(AP@2)")
    keys = one.exact_scores([[0, 0], [0, 1], [1, 1]]).tolist()
    assert keys == [None, 1, 3]
    assert all(isinstance(key, int) for key in keys[1:])
    assert one.order_keys([[0, 1], [1, 1], [1, 0]]).tolist() == [0, 2, 1]


@pytest.mark.filterwarnings("ignore::rankscope.DataWarning")
def test_it_is_explained():
    (found,) = explain("Interval(AP@5)", load(*embedded()))
    assert "Ferrante, Ferro and Fuhr (2021)" in str(found)
    assert "also read" not in found.facts
    assert found.facts["cutoff"] == "@k always"
    assert [r.call for r in found.readings if r.requested] == ["Interval(AP@5)"]
    json.dumps(found.to_dict(), allow_nan=False)
    signature = evaluate(load(*embedded()), "Interval(AP@5)").signature("Interval(AP@5)")
    assert signature.startswith("Interval(AP@5)|rel:1|")
    assert str(read_signature(signature).measure) == "Interval(AP@5)"
