"""Recall levels that speak for one another: pair by pair, and the printed table on the paper's own runs."""

import json
from itertools import combinations, permutations
from pathlib import Path

import numpy as np
import pytest

import rankscope as rs
from rankscope.errors import InputError
from rankscope.simulation import embedded
from rankscope.studies import locality

pytestmark = pytest.mark.filterwarnings("ignore::rankscope.errors.DataWarning")
GOLDEN = {
    e["id"]: e for e in json.loads((Path(__file__).parents[1] / "golden" / "lexi_dl19.json").read_text())["entries"]
}


@pytest.fixture(scope="module")
def judged():
    qrels, runs = embedded()
    return rs.load(qrels, runs)


def differences(judged, levels):
    """Differences of RR_i over all ordered pairs of lists, NaN where a topic has no such level; and the topic."""
    rows, topics = [], []
    for a, b in permutations(judged.systems, 2):
        one, other = rs.lexiprecision(judged, a, b).reciprocal_ranks
        apart = np.full((len(one), levels), np.nan)
        width = min(levels, one.shape[1])
        apart[:, :width] = (one - other)[:, :width]
        rows.append(apart)
        topics.append(np.arange(len(one)))
    return np.concatenate(rows), np.concatenate(topics)


def test_correlation_and_regression_over_all_pairs(judged):
    got = locality(judged, n_levels=6, targets=2, predictors=3)
    apart, topic = differences(judged, 6)
    for i in range(6):
        for j in range(6):
            here = ~np.isnan(apart[:, max(i, j)])
            wanted = np.corrcoef(apart[here, i], apart[here, j])[0, 1]
            assert got.correlation[i, j] == pytest.approx(wanted, abs=1e-10)
    for i in range(2):
        here = ~np.isnan(apart[:, i + 3])
        x, y = apart[here, i + 1 : i + 4], apart[here, i]
        coefficients, rest, *_ = np.linalg.lstsq(np.column_stack([x, np.ones(len(x))]), y)
        np.testing.assert_allclose(got.plain.coefficients[i], coefficients[:3], atol=1e-9)
        assert coefficients[3] == pytest.approx(0, abs=1e-12)  # both directions of a pair: no intercept
        assert got.plain.explained[i] == pytest.approx(1 - rest[0] / (y**2).sum(), abs=1e-10)
        np.testing.assert_allclose(got.plain.standardised[i], coefficients[:3] * x.std(axis=0) / y.std(), atol=1e-9)
        assert got.plain.n_topics[i] == len(np.unique(topic[here]))


def test_cascaded_and_sign_over_all_pairs(judged):
    """The two regressions that the paper's text speaks of: pairs that all earlier levels tie, and signs."""
    got = locality(judged, targets=3, predictors=2)
    apart, topic = differences(judged, 5)
    for i in range(3):
        here = ~np.isnan(apart[:, i + 2])
        tied = here & (apart[:, :i] == 0).all(axis=1)
        for found, rows, y in (
            (got.cascaded, tied, apart[tied, i]),
            (got.sign, here, np.sign(apart[here, i])),
        ):
            x = apart[rows, i + 1 : i + 3]
            coefficients, rest, *_ = np.linalg.lstsq(x, y)
            np.testing.assert_allclose(found.coefficients[i], coefficients, atol=1e-9)
            assert found.explained[i] == pytest.approx(1 - rest[0] / (y**2).sum(), abs=1e-10)
            np.testing.assert_allclose(found.standardised[i], coefficients * x.std(axis=0) / y.std(), atol=1e-9)
            assert found.pairs[i] == len(y) // 2
            assert found.n_topics[i] == len(np.unique(topic[here]))
    np.testing.assert_allclose(got.cascaded.coefficients[0], got.plain.coefficients[0], atol=1e-12)
    assert got.cascaded.pairs[2] < got.cascaded.pairs[1] < got.cascaded.pairs[0]


def test_metrics_that_do_not_see_the_first_relevant_document(judged):
    got = locality(judged, ["AP", "P@10"], "sgnLP")
    assert list(got.by_candidate) == ["AP", "P@10", "sgnLP"]
    assert got.by_candidate["sgnLP"] == got.by_rest  # the levels from the second on are what it sees then
    assert locality(judged, "AP").by_candidate == {"AP": got.by_candidate["AP"]}
    kept = [t for t, row in enumerate(judged.available) if row[1:].sum()]
    alike = 0
    for a, b in combinations(range(len(judged.systems)), 2):
        for t in kept:
            one, other = ((judged.code[s, t] >= 3).tolist() for s in (a, b))
            ranks = [row.index(True) if True in row else 10**6 for row in (one, other)]
            if ranks[0] != ranks[1]:
                hits = [sum(row[:10]) - (rank < 10) for row, rank in zip((one, other), ranks, strict=True)]
                alike += hits[0] != hits[1] and (hits[0] > hits[1]) == (ranks[0] < ranks[1])
    assert got.by_candidate["P@10"] == alike
    assert got.columns()["predictor"][-3:] == ["AP", "P@10", "sgnLP"]


def test_masked_agreement_pair_by_pair(judged):
    got = locality(judged, n_levels=4)
    masked = rest = 0
    levels = [0] * 3
    for a, b in permutations(judged.systems, 2):
        found = rs.lexiprecision(judged, a, b).levels
        for p, q in zip(found.a.tolist(), found.b.tolist(), strict=True):
            if p[0] == q[0]:
                continue
            masked += 1
            ahead = p[0] < q[0]
            rest += p[1:] != q[1:] and (p[1:] < q[1:]) == ahead
            for i in range(3):
                levels[i] += p[i + 1] != q[i + 1] and (p[i + 1] < q[i + 1]) == ahead
    assert (2 * got.masked, 2 * got.by_rest) == (masked, rest)
    assert (2 * got.by_level).tolist() == levels


def test_the_papers_table_2(data):
    folder = data / "dl19-passage"
    wanted = GOLDEN["table2"]["expected"]
    got = locality(rs.load(folder / "qrels.gz", folder / "runs", rel=1))  # the threshold of this table, not of Table 3
    assert round(100 * got.by_rest / got.masked, 2) == wanted["sgnLP_suffix_pct"]
    assert round(100 * int(got.by_level[0]) / got.masked, 2) == wanted["deltaRR2_pct"]


def test_locality_as_the_paper_finds_it(data):
    """On part of the paper's Robust 2004: near the printed Figure 7, and falling with distance."""
    folder = data / "robust04-part"
    got = locality(rs.load(folder / "qrels.gz", folder / "runs"))
    printed = [0.73, 0.62, 0.56, 0.51, 0.47, 0.44, 0.42]
    np.testing.assert_allclose(got.correlation[0, 1:], printed, atol=0.05)
    assert (np.diff(got.correlation[0]) < 0).all()
    np.testing.assert_allclose(got.plain.explained, [0.53, 0.70, 0.76, 0.83], atol=0.05)
    for way in (got.plain, got.cascaded, got.sign):  # "identical findings": the next level says the most
        assert (np.abs(way.standardised).argmax(axis=1) == 0).all()


def test_systems_in_any_order(judged):
    qrels, runs = embedded()
    other = locality(rs.load(qrels, list(reversed(runs))))
    got = locality(judged)
    assert got.by_rest == other.by_rest
    np.testing.assert_allclose(got.correlation, other.correlation, atol=1e-12)


def test_a_topic_with_one_relevant_document():
    judged = rs.load({"1": {"a": 1}}, {"r": {"1": ["a"]}, "s": {"1": ["b", "a"]}, "t": {"1": ["a", "c"]}})
    got = locality(judged)
    assert (got.masked, got.by_rest) == (2, 0)  # nothing is left to tell by, and that is a miss
    assert np.isnan(got.correlation[0, 1])
    assert np.isnan(got.plain.coefficients).all()
    assert "0.00 %" in got.summary()
    assert got.to_dict()["tables"]["correlation"][0]["RR_2"] is None


def test_bad_input(judged):
    for wrong in ({"n_levels": 1}, {"targets": 0}, {"predictors": 1.5}):
        with pytest.raises(InputError, match=next(iter(wrong))):
            locality(judged, **wrong)
    qrels, runs = embedded()
    with pytest.raises(InputError, match=r"^1 system\n"):
        locality(rs.load(qrels, runs[:1]))


def test_results_show_themselves(judged):
    got = locality(judged)
    assert set(got.tables()) == {"masked", "correlation", "regression", "cascaded", "sign"}
    assert len(got.figures()["correlation"]["level"]) == 28
    for way in ("regression", "cascaded", "sign"):
        assert len(got.figures()[way]["next"]) == 16
        assert got.to_frame(way).height == 4
    assert "With the first relevant document masked" in str(got)
