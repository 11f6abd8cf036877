"""What IPSO promises: no metric that follows Rules 1 and 2 scores a non-inferior list lower."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import rankscope as rs
from rankscope.arrays import FIRST_GRADE, PADDING, UNJUDGED
from rankscope.measures import MEASURES, MeasureInputs, measure
from rankscope.measures.catalogue.subtopics import SUBTOPICS
from rankscope.preferences import path
from rankscope.preferences.classes import EQUAL, NON_INFERIOR, NON_SEPARABLE, NON_SUPERIOR

OBEDIENT = [name for name, m in MEASURES.items() if not m.breaks_ipso]
GRADED_ALONE = ["Q", "G", "ndcg_rel", "BPM"]  # keep the rules with binary relevance, and break them with several grades
BY_SUBTOPIC = [m.name for m in SUBTOPICS]  # keep the rules with one subtopic, where a document has one grade
BREAKERS = [n for n, m in MEASURES.items() if m.breaks_ipso and n not in GRADED_ALONE and n not in BY_SUBTOPIC]
LINEAR = ["DCG@{}", "nDCG@{}", 'RBP(gain="linear")@{}', "gP@{}", "gR@{}", "gRBP@{}", "SDCG@{}"]  # in the gain: grade


def at(name, k):
    """The measure cut at k, at several recall levels where it has one."""
    record = MEASURES[name]
    if record.cutoff_rule == "recall":
        return [record @ level for level in (0, 0.2, 0.5, 1.0)]
    return [record] if record.cutoff_rule == "none" else [record @ k]


def random_lists(seed, k, count=60, grades=(-1.0, 0.0, 1.0)):
    """Lists of relevant, judged, negatively judged and unjudged documents, some of which end before rank k.

    Beside them, which list is non-inferior to which: at least as many documents at every grade above 0 and every rank.
    """
    rng = np.random.default_rng(seed)
    codes = np.arange(2, 2 + len(grades))
    code = rng.choice([UNJUDGED, *codes, codes[-1]], (count, k)).astype(np.uint8)
    length = np.where(rng.random(count) < 0.5, k, rng.integers(0, k + 1, count))
    code[np.arange(k) >= length[:, None]] = PADDING
    positive = codes[np.array(grades) > 0]
    most = [max(1, int((code == one).sum(axis=1).max())) + int(rng.integers(0, 3)) for one in positive]
    available = np.array([k, k + 2, *most])
    return MeasureInputs(code, np.array(grades), available), pairs_of_non_inferior(code, positive)


def random_orders(seed, k, count=60):
    """Random orders of the same few documents, most of them relevant, cut at rank k; and the same pairs beside them.

    They hold most or all of the relevant documents of the topic, which lists of `random_lists` seldom do.
    """
    rng = np.random.default_rng(seed)
    grades = np.array([-1.0, 0.0, 1.0, 2.0, 3.0])
    lowest, zero, low, middle, high = range(FIRST_GRADE, FIRST_GRADE + len(grades))
    relevant = rng.choice([low, low, middle, high], rng.integers(3, k + 1))
    others = rng.choice([UNJUDGED, lowest, zero], rng.integers(0, 4))
    documents = np.concatenate([relevant, others]).astype(np.uint8)
    code = rng.permuted(np.tile(documents, (count, 1)), axis=1)[:, :k]
    available = np.bincount(documents, minlength=FIRST_GRADE + len(grades))[FIRST_GRADE:]
    return MeasureInputs(code, grades, available), pairs_of_non_inferior(code, [low, middle, high])


def pairs_of_non_inferior(code, positive):
    """Which list is non-inferior to which, (count, count)."""
    non_inferior = np.ones((len(code), len(code)), bool)
    for first in positive:
        reached = np.cumsum(code >= first, axis=1)
        non_inferior &= (reached[:, None] >= reached[None]).all(axis=-1)
    return non_inferior


def lower(scores):
    """Pairs of lists where the first scores lower."""
    with np.errstate(invalid="ignore"):
        return scores[:, None] < scores[None] - 1e-9


@pytest.mark.parametrize("name", [*OBEDIENT, *GRADED_ALONE, *BY_SUBTOPIC])
@settings(max_examples=25)
@given(seed=st.integers(0, 2**32 - 1), k=st.integers(1, 9))
def test_binary_relevance(name, seed, k):
    lists, non_inferior = random_lists(seed, k)
    for one in at(name, k):
        assert not (lower(one.compute(lists)) & non_inferior).any(), str(one)


@pytest.mark.parametrize("name", BREAKERS)
def test_a_measure_that_is_said_to_break_the_rules_does(name):
    broken = 0
    for seed in range(40):
        lists, non_inferior = random_lists(seed, 6)
        broken += sum((lower(one.compute(lists)) & non_inferior).any() for one in at(name, 6))
    assert broken


@pytest.mark.parametrize("name", GRADED_ALONE)
def test_a_measure_that_is_said_to_break_the_rules_on_graded_lists_does(name):
    assert "several grades" in MEASURES[name].breaks_ipso
    broken = 0
    for seed in range(40):
        lists, non_inferior = random_orders(seed, 6)
        broken += sum((lower(one.compute(lists)) & non_inferior).any() for one in at(name, 6))
    assert broken


@pytest.mark.filterwarnings("ignore:judgments have up to 2 subtopics")
@pytest.mark.parametrize("name", BY_SUBTOPIC)
def test_a_measure_of_subtopics_tells_apart_what_ipso_does_not(name):
    """Rules 1 and 2 speak of one grade per document; a measure of subtopics is no function of it.

    So two lists that IPSO calls equal, each non-inferior to the other, have different scores, and the lower one
    breaks the rules.
    """
    assert "one grade per document" in MEASURES[name].breaks_ipso
    qrels = {"1": {"subtopic 1": {"narrow": 1, "broad": 1}, "subtopic 2": {"broad": 1}}}
    judged = rs.load(qrels, {"A": {"1": ["narrow"]}, "B": {"1": ["broad"]}})
    code = judged.code[:, 0]
    assert int(path(*judged.grades[code - FIRST_GRADE])[-1]) == EQUAL
    (one,) = at(name, 1)
    scores = rs.evaluate(judged, [one]).to_dict()
    assert scores["A"]["1"][str(one)] < scores["B"]["1"][str(one)]


@pytest.mark.parametrize("name", OBEDIENT)
@settings(max_examples=25)
@given(seed=st.integers(0, 2**32 - 1), k=st.integers(1, 9))
def test_graded_relevance(name, seed, k):
    """Counts at every threshold bind every measure of the library that does not say why they cannot."""
    lists, non_inferior = random_lists(seed, k, grades=(-1.0, 0.0, 1.0, 2.0, 3.0))
    for base in at(name, k):
        for one in [base, *(base(gain=how) for how in ("linear", "exp") if "gain" in base.values)]:
            assert not (lower(one.compute(lists)) & non_inferior).any(), str(one)


@pytest.mark.parametrize("name", [name for name in OBEDIENT if "rel" in MEASURES[name].values])
@settings(max_examples=15)
@given(seed=st.integers(0, 2**32 - 1), k=st.integers(1, 9), rel=st.sampled_from([2, 3]))
def test_graded_relevance_from_a_higher_grade_on(name, seed, k, rel):
    lists, non_inferior = random_lists(seed, k, grades=(-1.0, 0.0, 1.0, 2.0, 3.0))
    binary = {"gain": "binary"} if "gain" in MEASURES[name].values else {}
    for base in at(name, k):
        assert not (lower(base(rel=rel, **binary).compute(lists)) & non_inferior).any(), str(base)


GRADES = (0, 1, 2, 3)


@settings(max_examples=150)
@given(st.data(), st.integers(1, 8))
def test_sums_of_gains_bind_measures_that_sum_them(data, k):
    a, b = (data.draw(st.lists(st.sampled_from(GRADES), min_size=k, max_size=k)) for _ in range(2))
    assume(not int(path(a, b, gains="linear")[-1]) & NON_SUPERIOR)  # b was ahead nowhere
    pool = [float(g) for g in GRADES for _ in range(8)]
    for name in LINEAR:
        x, y = measure(name.format(k)).score(np.array([a, b], float), [pool, pool])
        assert x >= y - 1e-12, name
    drops = data.draw(st.lists(st.floats(0, 1), min_size=k, max_size=k))
    weights = np.cumsum(drops[::-1])[::-1]  # any that never grow
    assert weights @ np.array(a) >= weights @ np.array(b) - 1e-9


def test_sums_of_gains_do_not_bind_err():
    """Two middling documents sum to as much as a poor one before a good one, and satisfy fewer readers."""
    a, b = [0, 0, 0, 0, 2, 2], [0, 0, 0, 0, 1, 3]
    assert not int(path(a, b, gains="linear")[-1]) & NON_SUPERIOR
    assert int(path(a, b)[-1]) == NON_SEPARABLE
    pool = [[4.0, 3.0, 2.0, 2.0, 1.0] + [0.0] * 4] * 2
    one, other = measure('ERR(gain="linear")@6').score(np.array([a, b], float), pool)
    # chances 1/2, 1/2 and 1/4, 3/4:  1/2/5 + 1/4/6  <  1/4/5 + 9/16/6
    assert one == pytest.approx(1 / 10 + 1 / 24)
    assert other == pytest.approx(1 / 20 + 9 / 96)
    assert one < other


def test_q_breaks_the_rules_on_graded_lists():
    """A document of grade 1 above one of grade 3 is counted before the gain of grade 3 is there."""
    a, b = [0, 0, 0, 1, 3, 0], [0, 0, 0, 0, 3, 1]
    assert int(path(a, b)[-1]) == NON_INFERIOR
    pool = [[3.0] * 4 + [2.0] * 4 + [1.0] * 4 + [0.0] * 4] * 2  # ideal gains sum to 12, 14 and 16 at ranks 4, 5 and 6
    one, other = measure("Q@6").score(np.array([a, b], float), pool)
    assert one == pytest.approx((2 / (4 + 12) + 6 / (5 + 14)) / 12)
    assert other == pytest.approx((4 / (5 + 14) + 6 / (6 + 16)) / 12)
    assert one < other


def test_g_breaks_the_rules_on_graded_lists():
    """The last documents, of grades 3 and 2, gain more than the ideal list there: the later one counts for more."""
    a, b = [1, 1, 3, 2], [1, 1, 2, 3]
    assert int(path(a, b)[-1]) == NON_INFERIOR
    one, other = measure("G").score(np.array([a, b], float), [[3.0, 2.0, 1.0, 1.0]] * 2)
    first_two = 1 / np.log2(2 + 2) + 1 / np.log2(2 + 3)  # behind by 2 and by 3
    assert one == pytest.approx((first_two + 3 / np.log2(2 + 1) + 2 / np.log2(2 + 0)) / 7)
    assert other == pytest.approx((first_two + 2 / np.log2(2 + 2) + 3 / np.log2(2 + 0)) / 7)
    assert one < other


def test_ndcg_rel_breaks_the_rules_on_graded_lists():
    """A document of grade 1 that is not found counts at the end; at rank 2, it counts before the gain of grade 3."""
    a, b = [0, 1, 3], [0, 0, 3]
    assert int(path(a, b)[-1]) == NON_INFERIOR
    one, other = measure("ndcg_rel").score(np.array([a, b], float), [[3.0, 1.0, 0.0, 0.0]] * 2)
    second, ideal = 1 / np.log2(3), 3 + 1 / np.log2(3)
    assert one == pytest.approx((second + second + 3 / 2) / ideal / 2)
    assert other == pytest.approx(3 / 2 / ideal)
    assert one < other


def test_bpm_breaks_the_rules_on_graded_lists():
    """A document of grade 2 instead of 1 ends the reading before the document of grade 3."""
    a, b = [1, 2, 3], [1, 1, 3]
    assert int(path(a, b)[-1]) == NON_INFERIOR
    one, other = measure("BPM@3").score(np.array([a, b], float), [[3.0, 2.0, 1.0, 1.0]] * 2)
    assert one == pytest.approx((1 + 2) / 3 / 2)
    assert other == pytest.approx((1 + 1 + 3) / 3 / 3)
    assert one < other
