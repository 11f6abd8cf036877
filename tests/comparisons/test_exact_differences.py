"""Lists whose scores doubles cannot tell apart, and lists whose equal scores they split."""

import warnings

import numpy as np
import pytest

import rankscope as rs
from rankscope.comparisons.effect import Procedure
from rankscope.comparisons.exact_differences import best_first, scores_to_test
from rankscope.comparisons.scored import scored

DEPTH = 40


def judged(lists, depth=DEPTH):
    """A collection from {system: {topic: ranks of the relevant documents}}; every topic has the same ones."""
    qrels, runs = {}, {}
    for system, topics in lists.items():
        for topic, ranks in topics.items():
            relevant = iter(range(1000))
            documents = [f"r{next(relevant)}" if rank in ranks else f"n{rank}" for rank in range(1, depth + 1)]
            runs.setdefault(system, {})[topic] = {doc: float(depth - i) for i, doc in enumerate(documents)}
            qrels.setdefault(topic, {}).update({f"r{i}": 1 for i in range(6)})
    return rs.load(qrels, runs)


def deep(first, topics=15):
    """Two systems alike down to a rank from which on B is better on most topics; how far down differs by topic."""
    a = {f"t{t}": {1, 3, first + t % 5 + 1} for t in range(topics)}
    b = {f"t{t}": {1, 3, first + t % 5 + (2 if t % 7 == 6 else 0)} for t in range(topics)}
    return judged({"A": a, "B": b})


@pytest.mark.parametrize("first", [21, 30])  # 0.2^20 is 10^-14
def test_a_metric_of_the_top_sees_what_is_deep_down(first):
    collection = deep(first)
    shallow = rs.compare(collection, "A", "B", measure="RBP(p=0.2)", test="sign")
    flat = rs.compare(collection, "A", "B", measure="RBP(p=0.5)", test="sign")
    assert (shallow.effect.won, shallow.effect.lost, shallow.effect.tied) == (13, 2, 0)
    assert shallow.effect.pvalue == flat.effect.pvalue < 0.01
    assert shallow.verdict == 1
    assert shallow.effect.exactly == 15
    assert "15 topics: the scores differ by less than doubles can show, and were compared exactly" in (
        " ".join(str(shallow).split())
    )
    assert "exactly" not in str(flat)


def test_the_t_test_has_the_exact_differences():
    found = scored(deep(30), "RBP(p=0.2)")
    a, b, exactly = scores_to_test(found, 0, 1)
    exact = rs.measure("RBP(p=0.2)").exact_scores(found.judged)
    wanted = [float(y - x) for x, y in exact.T.tolist()]
    assert (b - a).tolist() == wanted
    assert exactly == len(wanted)
    assert rs.compare(found.judged, "A", "B", measure="RBP(p=0.2)").effect.pvalue < 1
    assert (found.value[:, 0] == found.value[:, 1]).all()  # doubles have nothing to say


def test_differences_too_small_for_any_double_have_a_sign():
    lists = {"A": {f"t{t}": {1, 520} for t in range(6)}, "B": {f"t{t}": {1, 519} for t in range(6)}}
    found = rs.compare(judged(lists, 600), "A", "B", measure="RBP(p=0.2)", test="sign")
    assert (found.effect.won, found.effect.lost) == (6, 0)


def test_ties_that_doubles_split_are_ties():
    """Relevant at ranks 1, 3, 36 or at 1, 4, 12: 1/1 + 2/3 + 3/36 = 1/1 + 2/4 + 3/12, but not as doubles."""
    equal = [({1, 3, 36}, {1, 4, 12}), ({1, 4, 18}, {1, 6, 9}), ({1, 5, 20}, {1, 8, 10}), ({1, 6, 30}, {3, 4, 5})]
    sides = [{f"t{t}": pair[side] for t, pair in enumerate([*equal, ({1}, {2}), ({3}, {2})])} for side in (0, 1)]
    collection = judged({"A": sides[0], "B": sides[1]})
    found = scored(collection, "AP")
    assert (found.value[:4, 0] != found.value[:4, 1]).all()
    a, b, exactly = scores_to_test(found, 0, 1)
    assert np.sign(b - a).tolist() == [0, 0, 0, 0, -1, 1]
    assert exactly == 0
    e = rs.compare(collection, "A", "B", measure="AP").effect
    assert (e.won, e.lost, e.tied, e.merged, e.remark) == (1, 1, 4, 0, "")
    scores = rs.compare(rs.evaluate(collection, "AP"), "A", "B").effect  # without lists, by the tolerance
    assert (scores.won, scores.lost, scores.tied, scores.merged) == (1, 1, 4, 4)


def test_scores_without_lists_are_merged_and_it_is_said():
    scores = rs.evaluate(deep(22), "RBP(p=0.2)")
    found = rs.compare(scores, "A", "B")
    assert found.effect.exactly == 0
    assert found.effect.merged + int((scores.of("RBP(p=0.2)")[0] == scores.of("RBP(p=0.2)")[1]).sum()) == 15


def test_merged_topics_are_counted():
    a, b = np.array([0.3, 0.5, 0.2, 0.4, 0.7, 0.1]), np.array([0.1 + 0.2, 0.6, 0.5, 0.3, 0.8, 0.4])
    found = Procedure().effect(a, b)
    assert (found.merged, found.tied) == (1, 1)
    assert found.remark == "1 topic: scores that differ by less than rounding can explain count as equal"
    assert Procedure().effect(a, b + 0.001).remark == ""


def test_equal_means_are_ordered_by_exact_scores():
    collection = deep(30)
    found = scored(collection, "RBP(p=0.2)")
    assert found.value.mean(axis=0)[0] == found.value.mean(axis=0)[1]
    assert [found.systems[s] for s in best_first(found)] == ["B", "A"]
    ranking = rs.rank(collection, measure="RBP(p=0.2)", baseline="A")
    assert ranking.systems[0] == "B"
    assert "15 topics: the scores differ by less than doubles can show" in ranking.caption()
    same = judged({"b": {"t": {1, 3}}, "a": {"t": {1, 3}}})
    assert [same.systems[s] for s in best_first(scored(same, "RBP(p=0.2)"))] == ["a", "b"]


def test_ap_with_rbto_topic_by_topic(data):
    folder = data / "trec8-adhoc"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        collection = rs.load(folder / "qrels.gz", sorted((folder / "runs").iterdir()), depth=250)
        found = rs.studies.similarity(collection, ["AP", "RBTO@250"], exact=False)
        exact = rs.studies.similarity(collection, ["AP", "RBTO@250"])
    assert found.of("AP", "RBTO@250")["topic_tau"] == pytest.approx(0.5956, abs=5e-5)
    assert exact.of("AP", "RBTO@250")["topic_tau"] == pytest.approx(0.5956, abs=5e-5)


def test_gate_sees_a_loss_deep_down():
    lists = {"A": {f"t{t}": {1, 32} for t in range(6)}, "B": {f"t{t}": {1, 31} for t in range(6)}}
    check = rs.gate(judged(lists), "B", "A", measure="RBP(p=0.2)", margin=1e-30).checks[0]
    assert check.outcome == "regression"
    assert check.effect.exactly == 6
    assert "6 topics: the scores differ by less than doubles can show" in check.reason
