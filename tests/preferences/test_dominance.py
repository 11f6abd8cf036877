"""Dominance: slow twins, the theorem it rests on, what it refuses, real pairs, and a quick look at its validity."""

import importlib.util
import itertools
import json
import sys
from fractions import Fraction
from functools import cache
from math import prod, sqrt
from pathlib import Path

import numpy as np
import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import rankscope as rs
from rankscope.errors import InputError
from rankscope.preferences import dominance_all_pairs
from rankscope.statistics import Resampling, sign_test, t_all_pairs
from rankscope.statistics.pairs.gaffke import worst_case_pvalue
from rankscope.statistics.pairs.one_sided import one_sided, simultaneous_reach

pytestmark = pytest.mark.filterwarnings("ignore::rankscope.errors.DataWarning")


def collection(a, b, *, extra=None, **rules):
    """Two systems from grades by topic and rank; None is an unjudged document, a shorter list has ended.

    They are compared as ("b", "a") below, so that positive is for a.

    Every grade of either list, and those of extra, are judged documents of the topic.
    """
    qrels, runs = {}, {"a": {}, "b": {}}
    for t, lists in enumerate(zip(a, b, strict=True)):
        topic = f"q{t}"
        qrels[topic] = {f"none{t}": 0}
        for name, grades in zip("ab", lists, strict=True):
            for i, grade in enumerate(grades):
                doc = f"{name}{t}-{i}"
                if grade is not None:
                    qrels[topic][doc] = grade
                runs[name].setdefault(topic, {})[doc] = -i
        for i, grade in enumerate((extra or {}).get(t, ())):
            qrels[topic][f"extra{i}"] = grade
    return rs.load(qrels, runs, **rules)


# ---- by hand ----------------------------------------------------------------------------------------------


def test_by_hand():
    # gains to ranks 1, 2, 3:   a (1 1 2), (0 1 1), (1 1 1)     b (0 1 1), (0 0 1), (1 1 2)
    # differences:              (1 0 1), (0 1 0), (0 0 -1)      means 1/3, 1/3, 0
    judged = collection([[1, 0, 1], [0, 1, 0], [1, 0, 0]], [[0, 1, 0], [0, 0, 1], [1, 0, 1]])
    got = rs.dominance(judged, "b", "a", depth=3, test="randomisation")
    assert got.difference == pytest.approx([1 / 3, 1 / 3, 0])
    # one difference of 1: half of all flips have a sum of 1 or more. 1 and -1: three of four have 0 or more
    assert got.pvalues.tolist() == [0.5, 0.5, 0.75]
    assert got.pvalues_reverse.tolist() == [1.0, 1.0, 0.75]
    assert (got.pvalue, got.pvalue_reverse) == (0.75, 1.0)
    assert (got.fails, got.fails_reverse) == ((), (1, 2))
    assert "the mean of a is at least that of b under every metric of the class" in got.observed
    student = rs.dominance(judged, "b", "a", depth=3, test="t")
    # 1, 0, 0: mean 1/3, sd 1/sqrt 3, t = 1 with two degrees of freedom
    assert student.pvalues == pytest.approx([stats.t.sf(1, 2), stats.t.sf(1, 2), 0.5])
    bet = rs.dominance(judged, "b", "a", depth=3, test="betting")
    # rank 3: 1/3 and -1/3 of the bound, stakes s: (1 - s^2/9) in the mean over s = 1, 1/2, ..., 1/32
    assert bet.pvalues[0] == pytest.approx(1 / np.mean([1 + 2.0**-i for i in range(6)]))
    assert bet.pvalues[2] == 1.0
    bounded = rs.dominance(judged, "b", "a", depth=3)
    # exponential times: E is at most E' half the time, and at most 2 E' two times of three; it is at most E' + 3 E''
    # where it is at most E', and, for the other half, where it begins anew and is at most 3 E'': three times of four
    assert bounded.pvalues == pytest.approx([1 / 2, 2 / 3, 1 / 2 + 1 / 2 * 3 / 4], rel=1e-15)
    assert bounded.pvalues_reverse == pytest.approx([1, 1, 1 / 2 + 1 / 2 * 3 / 4], rel=1e-15)


def test_tied_and_alike_ranks_are_named():
    judged = collection([[0, 1, 1], [0, 1, 0], [1, 0, 1]], [[0, 0, 1], [0, 0, 1], [1, 0, 0]])
    got = rs.dominance(judged, "b", "a", depth=3, test="t")
    assert got.tied == (1,)
    assert got.pvalues[0] == got.pvalues_reverse[0] == got.pvalue == 1.0
    assert np.isnan(got.lower[0])
    assert "every topic is a tie down to rank 1" in str(got)
    judged = collection([[1, 0], [1, 0], [1, 1]], [[0, 0], [0, 1], [0, 0]])
    got = rs.dominance(judged, "b", "a", depth=2, test="t")
    assert got.alike == (1,)
    assert (got.pvalues[0], got.pvalues_reverse[0]) == (0.125, 1.0)  # 2^-3: one flip of eight is as extreme
    assert "2^-topics" in str(got)
    assert got.to_dict()["profile"]["lower"][0] is None
    bounded = rs.dominance(judged, "b", "a", depth=2)
    assert bounded.pvalues[0] == pytest.approx(0.125)  # the sign test: nothing has to stand in
    assert "2^-topics" not in str(bounded)
    same = rs.dominance(judged, "a", "a", depth=2)
    assert (same.pvalue, same.pvalue_reverse, same.tied) == (1.0, 1.0, (1, 2))
    assert "the same mean under every metric" in same.observed


def test_rare_losses_are_told_of():
    """12 of 20 topics won by gain 1, where 7 could be lost: t is sure, tests that know of the 7 are not."""
    judged = collection([[1]] * 12 + [[0]] * 8, [[0]] * 20, extra=dict.fromkeys(range(20), (3,)))
    options = {"depth": 1, "gains": "exp"}
    got = rs.dominance(judged, "b", "a", **options)
    # twelve times an exponential of mean 1 ends before one of mean 7
    assert got.pvalue == pytest.approx((7 / 8) ** 12)
    bet = rs.dominance(judged, "b", "a", test="betting", **options)
    # the purse grows by 1 + s / 7 on each topic won, in the mean over s = 1, 1/2, ..., 1/32
    assert bet.pvalue == pytest.approx(1 / np.mean([(1 + 2.0**-i / 7) ** 12 for i in range(6)]))
    student = rs.dominance(judged, "b", "a", test="t", **options)
    assert student.pvalue < 0.001 < 0.2 < got.pvalue < bet.pvalue
    told = 'rare and large; test="bounded" does'
    for test in ("bounded", "t", "randomisation", "betting"):
        guarded = test in ("bounded", "betting")
        one = rs.dominance(judged, "b", "a", test=test, **options)
        assert (told in str(one), told in str(dominance_all_pairs(judged, test=test, **options))) == (not guarded,) * 2
        assert ("rare and large" in one._repr_html_()) == (not guarded)
        assert "bands by Student's t" in str(one)  # whatever the test is


def test_a_grade_that_no_judgment_has_could_be_lost():
    """A map that names grade 3 says that a topic could hold it, whether one of these does or not."""
    judged = collection([[1]] * 6, [[0]] * 6, extra=dict.fromkeys(range(6), (2,)))
    for gains, most in (({1: 1, 2: 3}, 3), ({1: 1, 2: 3, 3: 7}, 7), ({1: 1, 2: 3, 3: "7.5"}, 7.5)):
        got = rs.dominance(judged, "b", "a", depth=1, gains=gains)
        assert got.pvalue == pytest.approx((most / (most + 1)) ** 6)
        assert (f"3={most}" in got.signature) == (3 in gains)
        assert got.difference == 1
    with pytest.raises(InputError, match="grade 3 has less"):
        rs.dominance(judged, "b", "a", depth=1, gains={1: 1, 2: 3, 3: 2})


def test_decimal_gains_tie_exactly():
    """0.1 + 0.2 is 0.3 down to rank 2, whatever floats think of it."""
    judged = collection([[1, 2], [1, 2]], [[3, 0], [3, 0]])
    got = rs.dominance(judged, "b", "a", depth=2, gains={1: 0.1, 2: 0.2, 3: 0.3})
    assert got.tied == (2,)
    assert got.difference[1] == 0
    # and the mean of 0.1, 0.2 and -0.3 over topics
    judged = collection([[1], [2], [0]], [[0], [0], [3]])
    got = rs.dominance(judged, "b", "a", depth=1, gains={1: 0.1, 2: 0.2, 3: 0.3}, test="t")
    assert got.difference.tolist() == [0.0]
    assert (got.fails, got.fails_reverse, got.tied) == ((), (), ())
    assert got.pvalues.tolist() == [0.5]


def test_which_topics_count():
    qrels = {"1": {"x": 1, "y": 0}, "2": {"x": 1}, "3": {"x": 0}, "4": {"y": 2, "z": 1}}
    runs = {"a": {"1": ["x", "y"], "2": ["x"], "3": ["x"], "4": ["z", "y"]}, "b": {"1": ["y", "x"], "4": ["y", "z"]}}
    judged = rs.load(qrels, runs)
    got = rs.dominance(judged, "b", "a", depth=2, gains="binary")
    assert (got.n_topics, got.left_out) == (3, 1)  # 3 has no relevant document, b has an empty list for 2
    assert got.difference == pytest.approx([2 / 3, 1 / 3])
    assert "3 topics, 1 left out" in str(got)
    got = rs.dominance(rs.load(qrels, runs, missing="drop"), "b", "a", depth=2, gains="binary")
    assert (got.n_topics, got.difference.tolist()) == (2, [0.5, 0.0])
    got = rs.dominance(rs.load(qrels, runs, undefined="zero"), "b", "a", depth=2, gains="binary")
    assert (got.n_topics, got.difference.tolist()) == (4, [0.5, 0.25])
    with pytest.raises(InputError, match="one topic is left to compare on: '4'"):
        rs.dominance(judged, "b", "a", depth=2, rel=2)
    assert rs.dominance(rs.load(qrels, runs, rel=1), "b", "a", depth=2, gains="linear").difference[0] == pytest.approx(
        (1 + 1 - 1) / 3
    )


def test_recall_base_and_factors():
    judged = collection([[1, 0], [1, 1]], [[0, 1], [0, 1]], extra={1: (1, 1)})
    # topics have 2 and 5 relevant documents; differences (1 0) / 2 and (1 1) / 5
    got = rs.dominance(judged, "b", "a", depth=2, normalise="recall base")
    assert got.difference == pytest.approx([(1 / 2 + 1 / 5) / 2, 1 / 10])
    assert "divided by the topic's number of documents with gain" in str(got)
    recall = rs.evaluate(judged, "R@2").of("R@2").mean(axis=1)
    assert got.difference[1] == pytest.approx(recall[0] - recall[1])
    told = rs.dominance(judged, "b", "a", depth=2, normalise={"q0": 0.5, "q1": 0.2})
    assert told.difference == pytest.approx(got.difference)
    with pytest.raises(InputError, match="topic 'q1' has factor None"):
        rs.dominance(judged, "b", "a", depth=2, normalise={"q0": 0.5})
    with pytest.raises(InputError, match='normalise is None, "recall base"'):
        rs.dominance(judged, "b", "a", depth=2, normalise="ideal")


# ---- slow twins -------------------------------------------------------------------------------------------


def literal(qrels, runs, a, b, depth, gain):
    """D(j) of each topic as fractions, {topic: [d(1), ...]}, from the definition."""
    found = {}
    for topic, judgments in qrels.items():
        if not any(gain(g) > 0 for g in judgments.values()):
            continue
        rows = []
        for name in (a, b):
            docs = runs[name].get(topic, {})
            order = sorted(docs, key=lambda d: (docs[d], d.encode()), reverse=True)[:depth]
            gains = [gain(judgments[d]) if d in judgments else Fraction(0) for d in order]
            gains += [Fraction(0)] * (depth - len(gains))
            rows.append(list(itertools.accumulate(gains)))
        found[topic] = [x - y for x, y in zip(*rows, strict=True)]
    return found


GAINS = {
    "binary": lambda g: Fraction(g >= 1),
    "linear": lambda g: max(Fraction(str(g)), Fraction(0)),
    "exp": lambda g: Fraction(2) ** max(int(g), 0) - 1,
}


def worst_case(d, bound):
    """Gaffke's p, exactly: P(sum of x E <= 0) over d and -bound, times E of mean 1, by what ends first."""
    gains, losses = [x for x in d if x > 0], [-x for x in d if x < 0] + [bound]

    @cache
    def probability(i, j):
        if i == len(gains):
            return Fraction(1)
        if j == len(losses):
            return Fraction(0)
        return (losses[j] * probability(i + 1, j) + gains[i] * probability(i, j + 1)) / (gains[i] + losses[j])

    return probability(0, 0)


def worst_case_by_parts(d, bound):
    """The same from partial fractions of the Laplace transform, where no two positive values are the same."""
    gains, others = [x for x in d if x > 0], [x for x in d if x < 0] + [-bound]
    above = Fraction(0)
    for g in gains:  # the chance of a sum above 0 is the residue at 1 / g
        above += prod((g / (g - x) for x in [*gains, *others] if x != g), start=Fraction(1))
    return 1 - above


@given(st.data())
def test_the_race_is_the_distribution_of_a_weighted_mean(data):
    values = st.fractions(-3, 3, max_denominator=7)
    d = data.draw(st.lists(values, min_size=2, max_size=14))
    bound = data.draw(st.fractions(3, 20, max_denominator=7))
    expected = worst_case(d, bound)
    gains = [x for x in d if x > 0]
    if len(set(gains)) == len(gains):
        assert worst_case_by_parts(d, bound) == expected
    columns = np.array([d, data.draw(st.permutations(d))], float).T
    got = worst_case_pvalue(columns, np.full(2, float(bound)))
    assert got == pytest.approx(float(expected), rel=1e-13)
    assert got[0] == got[1]
    more = np.vstack([columns, np.zeros((3, 2))])
    assert (worst_case_pvalue(more, np.full(2, float(bound))) == got).all()
    blocks = np.hstack([columns, -columns, 2 * columns])
    each = [worst_case_pvalue(blocks[:, [c]], np.full(1, 2.0 * float(bound)))[0] for c in range(6)]
    assert worst_case_pvalue(blocks, np.full(6, 2.0 * float(bound))) == pytest.approx(each, rel=1e-14)


def test_the_race_by_lot_and_by_the_binomial():
    rng = np.random.default_rng(4)
    d = np.round(rng.normal(0.2, 1, (30, 5)), 1).clip(-3, 3)
    weights = rng.dirichlet(np.ones(31), 40_000)
    share = np.mean(weights @ np.vstack([d, np.full(5, -3.0)]) <= 0, axis=0)
    assert worst_case_pvalue(d, np.full(5, 3.0)) == pytest.approx(share, abs=0.012)
    # wins and losses of the whole bound are the sign test; no loss at all is a power
    for won, lost in ((9, 3), (40, 60), (700, 500), (1500, 0)):
        d = np.repeat([1.0, -1.0, 0.0], [won, lost, 7])[:, None]
        p = worst_case_pvalue(d, np.ones(1))[0]
        assert p == pytest.approx(stats.binom.sf(won - 1, won + lost, 0.5), rel=1e-10, abs=1e-300)
    assert worst_case_pvalue(np.full((20, 1), 0.5), np.full(1, 2.0))[0] == pytest.approx(0.8**20, rel=1e-13)
    assert (worst_case_pvalue(np.zeros((4, 2)), np.ones(2)) == 1).all()
    assert (worst_case_pvalue(-np.ones((4, 2)), np.ones(2)) == 1).all()


@given(strategies.collections(grades=strategies.INTEGER_GRADES), st.sampled_from(sorted(GAINS)), st.integers(1, 12))
def test_matches_the_definition(drawn, gains, depth):
    qrels = drawn.qrels | {"more": {"d1": 1, "d2": 0}, "still more": {"d1": 3, "d2": 1}}
    runs = {name: drawn.runs.get(name, {}) | {"more": {"d1": -i, "d2": -1}} for i, name in enumerate("ab")}
    judged = rs.load(qrels, runs)
    depth = min(depth, judged.code.shape[-1])
    rows = literal(qrels, runs, "a", "b", depth, GAINS[gains])
    got = rs.dominance(judged, "b", "a", depth=depth, gains=gains, test="t")
    bounded = rs.dominance(judged, "b", "a", depth=depth, gains=gains)
    largest = GAINS[gains](max(g for judgments in qrels.values() for g in judgments.values()))
    flip = rs.dominance(judged, "b", "a", depth=depth, gains=gains, test="randomisation")
    assert got.n_topics == len(rows)
    for j in range(depth):
        d = [row[j] for row in rows.values()]
        assert got.difference[j] == pytest.approx(float(sum(d) / len(d)), abs=1e-15)
        assert (got.difference[j] > 0, got.difference[j] < 0) == (sum(d) > 0, sum(d) < 0)
        assert (j + 1 in got.tied) == (not any(d))
        for side, p in ((d, bounded.pvalues[j]), ([-x for x in d], bounded.pvalues_reverse[j])):
            assert p == pytest.approx(float(worst_case(side, (j + 1) * largest)), rel=1e-13) if any(d) else p == 1
        sums = [
            sum(s * x for s, x in zip(signs, d, strict=True)) for signs in itertools.product((1, -1), repeat=len(d))
        ]
        assert flip.pvalues[j] == np.mean([s >= sum(d) for s in sums])
        assert flip.pvalues_reverse[j] == np.mean([s <= sum(d) for s in sums])
        if len(set(d)) > 1:
            for side, p in (("greater", got.pvalues[j]), ("less", got.pvalues_reverse[j])):
                assert p == pytest.approx(stats.ttest_1samp(np.array(d, float), 0, alternative=side).pvalue, rel=1e-9)
    assert got.pvalue == got.pvalues.max()


@given(st.integers(0, 2**32), st.integers(2, 8), st.integers(1, 4))
def test_the_band_reaches_as_far_as_all_flips_say(seed, topics, columns):
    d = np.random.default_rng(seed).normal(size=(topics, columns))
    rest = d - d.mean(axis=0)
    largest = []
    for signs in itertools.product((1, -1), repeat=topics):
        x = np.array(signs)[:, None] * rest
        spread = x.std(axis=0, ddof=1)
        largest.append(
            max(
                abs(m) / (s / sqrt(topics)) if s > 1e-12 else np.inf
                for m, s in zip(x.mean(axis=0), spread, strict=True)
            )
        )
    expected = np.sort(largest)[int(np.ceil(0.9 * 2**topics)) - 1]
    expected = max(expected, stats.t.ppf(0.95, topics - 1))
    got = simultaneous_reach(d.T, 0.9, resampling=Resampling(2**topics))
    assert got == pytest.approx(expected, rel=1e-6) or (got == np.inf and expected > 1e5)


def test_drawn_and_exact_flips_agree():
    d = np.random.default_rng(3).integers(-2, 4, size=(60, 5)).astype(float)
    exact, some = (one_sided(d.T, test="randomisation", resampling=Resampling(20_000), exact=e) for e in (None, False))
    assert (exact.exact, some.exact) == (True, False)
    assert some.above == pytest.approx(exact.above, abs=0.02)
    assert some.below == pytest.approx(exact.below, abs=0.02)
    one_worker = one_sided(d.T, test="randomisation", resampling=Resampling(20_000), exact=False, workers=1)
    assert (one_worker.above == some.above).all()


# ---- the theorem ------------------------------------------------------------------------------------------


def pairs_of_lists(seed, topics, depth, top):
    """Grades of two systems that are as likely as not to be ordered in the mean: on some topics a has b's, sorted."""
    rng = np.random.default_rng(seed)
    a, b = rng.integers(0, top + 1, (2, topics, depth))
    sort = rng.random(topics) < rng.random()
    a[sort] = np.sort(b[sort], axis=1)[:, ::-1]
    return a, b


@given(st.integers(0, 2**32), st.integers(2, 12), st.integers(1, 10), st.sampled_from([1, 3]))
def test_never_behind_means_at_least_as_good_under_every_static_metric(seed, topics, depth, top):
    a, b = pairs_of_lists(seed, topics, depth, top)
    judged = collection(a.tolist(), b.tolist(), undefined="zero")
    got = rs.dominance(judged, "b", "a", depth=depth, gains="linear")
    rng = np.random.default_rng(seed)
    for same in (1, rng.integers(1, depth + 1)):
        some = rs.dominance(judged, "b", "a", depth=depth, gains="linear", equal_weights_to=int(same))
        weights = np.sort(rng.random((50, depth)) ** rng.integers(1, 9), axis=1)[:, ::-1]
        weights[:, :same] = weights[:, :1] if same > 1 else weights[:, :same]
        effect = ((a - b).mean(axis=0) * weights).sum(axis=1)
        if not some.fails:
            assert (effect >= -1e-12).all()
        if not some.fails_reverse:
            assert (effect <= 1e-12).all()
    binary = ["P@{}", "DCG@{}", "SDCG@{}", "RBP(p=0.5)@{}", "RBP(p=0.95)@{}"]
    graded = ["DCG@{}", "DCG(base=3)@{}", "SDCG@{}", 'RBP(p=0.7,gain="linear")@{}']
    measures = [name.format(depth) for name in (binary if top == 1 else graded)]
    scores = rs.evaluate(judged, measures)
    for first, second in (scores.of(m).mean(axis=1) for m in measures):
        if not got.fails:
            assert first >= second - 1e-12
        if not got.fails_reverse:
            assert second >= first - 1e-12
    # and the other way round: where it fails, a metric of the class shows it
    for rank in got.fails:
        assert a[:, :rank].mean() < b[:, :rank].mean()


def test_ndcg_is_not_covered():
    """A dominates, and B has the higher nDCG: the ideal of each topic is another factor."""
    # one more document on a topic with many relevant ones, against a better place on a topic with only one
    judged = collection([[1, 1, 1], [0, 1, 0]], [[0, 0, 0], [1, 0, 0]], extra={0: (1,) * 30})
    got = rs.dominance(judged, "b", "a", depth=3)
    assert got.fails == ()
    assert got.fails_reverse == (2, 3)
    scores = rs.evaluate(judged, ["nDCG@3", "AP"])
    assert scores.of("AP").mean(axis=1)[0] < scores.of("AP").mean(axis=1)[1]
    assert "not nDCG, AP, RR, ERR" in str(got)


# ---- one claim, however it is asked for ---------------------------------------------------------------------


def many(systems, topics, depth, seed=0):
    rng = np.random.default_rng(seed)
    docs = [f"d{i}" for i in range(30)]
    qrels = {f"{t}": {d: int(g) for d, g in zip(docs, rng.integers(0, 3, 30), strict=True)} for t in range(topics)}
    runs = {
        f"s{s}": {t: dict(zip(rng.permutation(docs)[:depth].tolist(), range(depth), strict=True)) for t in qrels}
        for s in range(systems)
    }
    return qrels, runs


@pytest.mark.parametrize("test", ["bounded", "t", "randomisation", "betting"])
@pytest.mark.parametrize("topics", [6, 25])
def test_all_pairs_are_the_pairs(test, topics):
    qrels, runs = many(5, topics, 8)
    judged = rs.load(qrels, runs)
    resampling = Resampling(500)
    options = {"depth": 8, "gains": {1: 0.3, 2: 0.7}, "test": test, "resampling": resampling}
    got = dominance_all_pairs(judged, **options)
    for i, j in itertools.permutations(range(5), 2):
        one = rs.dominance(judged, f"s{i}", f"s{j}", **options)
        near = 0.1 if test == "randomisation" and topics > 20 else 1e-12  # the pair is exact, on a grid of 0.1
        assert got.pvalue[i, j] == pytest.approx(one.pvalue, abs=near)
        assert got.ahead[i, j] == (not one.fails and bool(one.fails_reverse))
    assert (np.diag(got.pvalue) == 1).all()
    order = [3, 0, 4, 1, 2]
    turned = rs.load(dict(reversed(qrels.items())), {f"s{s}": runs[f"s{s}"] for s in order})
    again = dominance_all_pairs(turned, workers=1, **options)
    at = [again.systems.index(name) for name in got.systems]
    assert (again.pvalue[np.ix_(at, at)] == got.pvalue).all()
    assert got.to_frame().height == 10
    assert json.loads(json.dumps(got.to_dict()))["pvalue"][0][0] == 1.0
    assert "not corrected for the number of pairs" in str(got)
    assert "not nDCG, AP, RR, ERR" in str(got)
    assert "not nDCG, AP, RR, ERR" in got._repr_html_()


@pytest.mark.parametrize("test", ["bounded", "t", "randomisation", "betting"])
def test_turned_round(test):
    judged = rs.load(*many(2, 30, 6, seed=2))
    options = {"depth": 6, "test": test, "gains": "exp", "normalise": "recall base"}
    one, other = (rs.dominance(judged, *pair, **options) for pair in (("s0", "s1"), ("s1", "s0")))
    assert (one.difference == -other.difference).all()
    assert (one.pvalues == other.pvalues_reverse).all()
    assert (one.lower_all == -other.upper_all).all()
    assert (one.fails, one.pvalue_reverse) == (other.fails_reverse, other.pvalue)


def test_bands_and_what_is_printed():
    judged = rs.load(*many(2, 30, 6, seed=2))
    got = rs.dominance(judged, "s0", "s1", depth=6, rel=2, level=0.9)
    assert (got.lower_all <= got.lower).all()
    assert (got.lower < got.difference).all()
    assert (got.upper <= got.upper_all).all()
    text = str(got)
    for words in ("P@6, DCG@6, SDCG@6, RBP@6", "any static C/W/L", "not nDCG, AP, RR, ERR", "90 % everywhere",
                  "binary, relevant from grade 2", "largest over ranks", "|ties:trec|"):  # fmt: skip
        assert words in text
    assert "static C/W/L" in got._repr_html_()
    assert got.to_frame().columns[:2] == ["rank", "difference"]
    plain = json.loads(json.dumps(got.to_dict()))
    assert plain["pvalue"] == got.pvalue
    assert "static C/W/L" in plain["covers"]
    assert plain["profile"]["rank"] == [1, 2, 3, 4, 5, 6]
    some = rs.dominance(judged, "s0", "s1", depth=6, rel=2, equal_weights_to=3)
    assert some.ranks.tolist() == [3, 4, 5, 6]
    assert (some.difference == got.difference[2:]).all()
    assert "the same for ranks 1 to 3 (P@3 to P@6" in str(some)
    assert "not P@1 to 2, plain DCG, SDCG, RBP, nor nDCG" in str(some)
    last = rs.dominance(judged, "s0", "s1", depth=6, rel=1, equal_weights_to=6)
    assert "(P@6, with this gain; not P@1 to 5" in str(last)
    assert last.pvalue == last.pvalues[-1]


def test_a_long_profile_is_shown_in_part():
    rng = np.random.default_rng(5)
    judged = collection(rng.integers(0, 2, (8, 240)).tolist(), rng.integers(0, 2, (8, 240)).tolist())
    got = rs.dominance(judged, "b", "a", depth=240, resampling=Resampling(300))
    shown = [int(row[0]) for row in got.table()[1]]
    decide = {1 + int(got.pvalues.argmax()), 1 + int(got.pvalues_reverse.argmax())}
    assert set(shown) == {*range(1, 11), 20, 50, 100, 200, 240} | decide
    assert f"{len(shown)} of 240 ranks shown" in str(got)
    assert f"higher p = {got.pvalue:.4f} (rank {1 + int(got.pvalues.argmax())})" in str(got)
    assert got.to_frame().height == 240


# ---- bad input --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"a": "s00"}, "did you mean s0"),
        ({"depth": 7}, r"depth=7 is beyond what was loaded\n.*from 1 to 6"),
        ({"depth": 0}, "depth=0\n"),
        ({"depth": 2.0}, "depth=2.0\n"),
        ({"equal_weights_to": 7}, "equal_weights_to is a whole number from 1 to 6"),
        ({"gains": None}, r"the judgments are graded \(0, 1, 2\)"),
        ({"gains": {1: 1}}, "nothing is said of grade 2"),
        ({"gains": {1: 2, 2: 1}}, "gains do not fall as grades rise"),
        ({"gains": "linear", "rel": 2}, "rel goes with gains='binary'"),
        ({"test": "wilcoxon"}, "test is one of bounded, t, randomisation, betting"),
        ({"level": 95}, "level is between 0 and 1"),
        ({"resampling": Resampling(10)}, "too few for level 0.95"),
    ],
)
def test_bad_input(options, message):
    judged = rs.load(*many(2, 10, 6))
    options = {"a": "s0", "b": "s1", "depth": 6, "gains": "binary"} | options
    with pytest.raises(InputError, match=message):
        rs.dominance(judged, **options)


def test_one_system_alone():
    with pytest.raises(InputError, match="at least two systems"):
        dominance_all_pairs(rs.load(*many(1, 5, 6)), depth=6)


@pytest.mark.parametrize("test", ["bounded", "betting"])
def test_a_bound_is_given_and_holds(test):
    with pytest.raises(InputError, match="no bound"):
        one_sided(np.ones((1, 3)), test=test)
    with pytest.raises(InputError, match="larger than its bound"):
        one_sided(np.full((1, 3), 2.0), test=test, bound=1.0)


# ---- real collections ---------------------------------------------------------------------------------------

MEASURED = {  # measured independently: universal, P@10 alone, IPSO's sign test, in per cent of all pairs
    "trec8-adhoc": (1, 38.6, 58.2, 53.8),
    "dl19-passage": (2, 35.7, 71.9, 59.3),
    "trec-covid-r5": (1, 41.7, 75.3, 68.0),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", MEASURED)
def test_how_often_real_pairs_allow_a_universal_claim(data, name):
    rel, universal, precision, ipso = MEASURED[name]
    files = sorted((data / name / "runs").iterdir())
    judged = rs.load(data / name / "qrels.gz", files, rel=rel, depth=10)
    got = dominance_all_pairs(judged, depth=10, gains="binary", test="t")
    assert 100 * got.share() == pytest.approx(universal, abs=0.5)
    assert got.ahead[got.pvalue <= 0.025].all()
    bounded = dominance_all_pairs(judged, depth=10, gains="binary")
    assert 0.7 < bounded.share() / got.share() < 1  # what it costs to guard against rare losses
    assert (bounded.ahead == got.ahead).all()
    assert bounded.ahead[bounded.pvalue <= 0.025].all()
    scores = rs.evaluate(judged, "P@10").matrix("P@10")
    assert got.n_topics == len(scores)
    upper = np.triu_indices(len(judged.systems), 1)
    alone = t_all_pairs(scores).pvalue
    assert 100 * np.mean(alone <= 0.05) == pytest.approx(precision, abs=0.5)
    table = np.append([0, 0], judged.grades >= rel)
    reached = np.cumsum(table[judged.code], axis=-1)[:, judged.available[:, judged.grades >= rel].any(axis=1)]
    small = 0
    for i, j in zip(*upper, strict=True):
        d = reached[i] - reached[j]
        order = (d >= 0).all(axis=1).astype(int) - (d <= 0).all(axis=1)
        small += sign_test(np.zeros(len(order)), order).pvalue <= 0.05
    assert 100 * small / len(upper[0]) == pytest.approx(ipso, abs=0.5)


# ---- validity, in short: docs/validity-dominance.md has the whole ---------------------------------------------


@pytest.fixture(scope="module")
def validity():
    path = Path(__file__).parents[2] / "scripts" / "validity_dominance.py"
    spec = importlib.util.spec_from_file_location("validity_dominance", path)
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


def most(alpha, collections):
    """More than so many would be chance once in ten thousand times."""
    return stats.binom.ppf(1 - 1e-4, collections, alpha)


@pytest.mark.slow
def test_claims_that_are_not_true_are_rare(validity):
    collections, topics = 300, 50
    for null in validity.NULLS:
        assert null.truth.min() == pytest.approx(0, abs=1e-12)
        for test, pvalues in validity.universal(null, topics, collections).items():
            if test == validity.LAST or (null.skewed and test in ("t", "randomisation")):
                continue
            assert np.count_nonzero(pvalues <= 0.05) <= most(0.05, collections), (null.name, test)


def test_rare_losses_are_seen(validity):
    """The bound of the test above would notice: with rare losses t claims far too much at 20 topics."""
    collections = 300
    found = validity.universal(validity.NULLS[6], 20, collections)
    assert np.count_nonzero(found["t"] <= 0.05) > most(0.2, collections)
    for test in ("bounded", "betting"):
        assert np.count_nonzero(found[test] <= 0.05) <= most(0.05, collections)


def test_power_and_coverage(validity):
    better = validity.ALTERNATIVES[2]
    found = validity.universal(better, 200, 100)
    assert all((pvalues <= 0.05).mean() > 0.9 for pvalues in found.values())
    found = validity.universal(better, 50, 200)
    assert (found["bounded"] <= 0.05).mean() > 0.5 > 0.3 > (found["betting"] <= 0.05).mean()
    alone, together = validity.covered(better, 50, 200)
    assert alone < together
    assert 200 * (1 - together) <= most(0.05, 200)
