"""The doors for ranx and LensKit."""

import numpy as np
import pytest

import rankscope as rs

pytestmark = pytest.mark.filterwarnings("ignore::rankscope.errors.DataWarning")
QRELS = {f"q{i}": {"a": 1, "b": i % 3} for i in range(12)}
RUNS = {
    "first": {f"q{i}": {"a": 3.0, "b": 2.0, "c": 1.0} for i in range(12)},
    "second": {f"q{i}": {"c": 3.0, "b": 2.0 + i % 2, "a": 1.0} for i in range(12)},
}


@pytest.mark.filterwarnings("ignore:unsafe cast from uint64 to int64")  # of numba, when it compiles ranx
def test_the_table_of_ranx():
    ranx = pytest.importorskip("ranx")
    from rankscope.integrations.ranx import compare

    qrels, runs = ranx.Qrels(QRELS), [ranx.Run(lists, name=name) for name, lists in RUNS.items()]
    board = compare(qrels, runs, ["ndcg@10", "mrr"], max_p=0.01, n_permutations=199)
    assert set(board.systems) == set(RUNS)
    for name in board.systems:
        expected = ranx.evaluate(qrels, runs[list(RUNS).index(name)], "mrr")
        assert board.also_mean[0, board.systems.index(name)] == pytest.approx(expected, abs=1e-12)
    assert board.alpha == 0.01
    assert r"\toprule" in board.to_latex()
    with pytest.raises(ValueError, match="stat_test 'x'"):
        compare(qrels, runs, "mrr", stat_test="x")
    with pytest.raises(ValueError, match="same name"):
        compare(qrels, [runs[0], runs[0]], "mrr")


def test_collections_of_lenskit():
    data = pytest.importorskip("lenskit.data", reason="LensKit needs pandas 2 and torch, which are not installed here")
    import pandas as pd

    from rankscope.integrations import lenskit as door

    rows = [(t, d, s) for t, docs in RUNS["second"].items() for d, s in docs.items()]
    frame = pd.DataFrame(rows, columns=["user_id", "item_id", "score"])
    lists = data.ItemListCollection.from_df(frame, ["user_id"])
    again = door.run(lists)
    expected = rs.evaluate(rs.load(QRELS, {"x": RUNS["second"]}), "nDCG").value
    np.testing.assert_array_equal(rs.evaluate(rs.load(QRELS, {"x": again}), "nDCG").value, expected)
    out = door.collection(RUNS["second"])
    np.testing.assert_array_equal(rs.evaluate(rs.load(QRELS, {"x": door.run(out)}), "nDCG").value, expected)


def test_flat_numbers_of_results():
    """What MLflow's log_metrics and W&B's log take: names and plain numbers."""
    judged = rs.load(QRELS, RUNS)
    results = [rs.evaluate(judged, ["AP", "nDCG@10"]), rs.rank(judged, baseline="first"), rs.compare(judged, *RUNS),
               rs.gate(judged, *RUNS)]  # fmt: skip
    for result in results:
        numbers = result.metrics()
        assert numbers
        assert all(isinstance(name, str) and type(value) in (int, float) for name, value in numbers.items())
    scores, board, _, gate = (result.metrics() for result in results)
    assert board["systems.first.mean"] == pytest.approx(scores["first.nDCG@10"])
    assert {"systems.second.difference", "systems.second.pvalue_adjusted"} <= set(board)
    assert gate["checks.all topics.candidate"] == pytest.approx(scores["second.nDCG@10"])
