"""Warning of unjudged documents: where estimated grades change a verdict, and nowhere else."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import rankscope as rs
from rankscope.comparisons.holes import (
    BELIEF,
    HoleWarning,
    _statistics,
    warning_lines,
    with_estimated_grades,
)
from rankscope.comparisons.scored import scored
from rankscope.statistics import bootstrap_max_t

pytestmark = pytest.mark.filterwarnings("ignore::rankscope.DataWarning")


def pair(unjudged, names=("old", "new")):
    """Twelve topics: the new system has relevant documents at ranks 1 to 4, then some whose grades may be unknown."""
    old = {str(t): [f"r{i}" for i in range(4 + t % 2)] + [f"n{i}" for i in range(6 - t % 2)] for t in range(12)}
    new = {str(t): [f"s{i}" for i in range(4)] + [f"u{i}" for i in range(4)] + ["n0", "n1"] for t in range(12)}
    qrels = {}
    for t in old:
        known = {f"r{i}": 1 for i in range(6)} | {f"n{i}": 0 for i in range(6)} | {f"s{i}": 1 for i in range(4)}
        qrels[t] = known if unjudged else known | {f"u{i}": 0 for i in range(4)}
    return qrels, dict(zip(names, (old, new), strict=True))


def test_a_verdict_that_hangs_on_unjudged_documents_is_warned_of():
    qrels, runs = pair(unjudged=True)
    result = rs.compare(qrels, runs["old"], runs["new"], measure="P@10", palette=())
    warning = result.holes
    assert result.verdict == -1
    assert warning.judged == (1.0, 0.6)
    assert (warning.lower, warning.upper) == pytest.approx((-0.05, 0.35))
    assert warning.estimate > 0 > warning.difference
    words = " ".join(result.to_text("full").split())
    assert "Unjudged documents may decide: 100 % of A's and 60 % of B's documents at ranks 1 to 10 are judged." in words
    assert "Next: rankscope judge-next: 100 % of A's and 60 % of B's documents" in " ".join(str(result).split())
    assert result.to_dict()["holes"]["judged"] == (1.0, 0.6)


def test_no_unjudged_documents_or_no_change_is_quiet():
    qrels, runs = pair(unjudged=False)
    judged = rs.load(qrels, runs)
    assert rs.compare(judged, "old", "new", measure="P@10", palette=()).holes is None
    assert rs.rank(judged, measure="P@10").holes == ()
    assert rs.gate(judged, "old", "new", measure="P@10").holes is None
    qrels, runs = pair(unjudged=True)
    assert rs.compare(rs.load(qrels, runs), "old", "new", measure="RR", palette=()).holes is None
    condensed = rs.load(qrels, runs, unjudged="condensed")
    assert rs.compare(condensed, "old", "new", measure="P@10", palette=()).holes is None


def test_rank_and_gate_warn_of_the_same():
    qrels, runs = pair(unjudged=True)
    judged = rs.load(qrels, runs, keep_docs=True)
    estimate = rs.compare(judged, "old", "new", measure="P@10", palette=()).holes.estimate
    ranking = rs.rank(judged, measure="P@10")
    (warning,) = ranking.holes
    assert (warning.a, warning.b, warning.estimate) == ("new", "old", pytest.approx(-estimate))
    assert "Unjudged documents may decide: 60 % of new's and 100 % of old's" in " ".join(str(ranking).split())
    assert ranking.columns()["judged"] == [1.0, 0.6]
    (against,) = rs.rank(judged, measure="P@10", baseline="old").holes
    assert against.estimate == warning.estimate
    gate = rs.gate(judged, "old", "new", measure="P@10")
    assert gate.outcome == "regression"
    assert gate.holes.instead == "the outcome is INCONCLUSIVE"
    assert gate.judged == (1.0, 0.6)
    words = " ".join(str(gate).split())
    assert "and the outcome is INCONCLUSIVE. Whatever their grades, it is within [-0.0500, 0.3500]." in words
    assert json.loads(json.dumps(gate.to_dict()))["holes"]["instead"] == "the outcome is INCONCLUSIVE"


def test_a_ranking_is_asked_by_the_statistic_of_its_own_test():
    """The moderated t of `bootstrap_max_t`: a plain t orders pairs otherwise, and finds limits that no test has."""
    table = scored(rs.load(*rs.simulation.embedded()), "nDCG@10")
    tested = bootstrap_max_t(table.value, systems=table.systems, resampling=rs.statistics.Resampling(50))
    ours = np.concatenate([part for _, part in _statistics(table, tested.second, tested.first, "moderated t")])
    np.testing.assert_allclose(ours, tested.statistic, rtol=1e-9)


def test_a_ranking_is_warned_of_where_the_test_of_estimated_scores_has_another_verdict(data):
    """The twin tests all pairs twice, as judged and with estimates. Only pairs near the limit may be missed."""
    folder = data / "trec8-adhoc"
    judged = rs.load(folder / "qrels.gz", sorted(map(str, (folder / "runs").iterdir())))
    some = rs.statistics.Resampling(10_000)
    changed, warned = [], []
    for measure in ("nDCG@10", "AP"):
        board = rs.rank(judged, measure=measure, resampling=some)
        table = scored(judged, measure)
        leader = table.systems.index(board.systems[0])
        p, again = (
            bootstrap_max_t(scores.value, systems=table.systems, resampling=some).matrix()[leader]
            for scores in (table, with_estimated_grades(table))
        )
        changed.append({name for name, x, y in zip(table.systems, p, again, strict=True) if (x < 0.05) != (y < 0.05)})
        warned.append({w.a if w.b == board.systems[0] else w.b for w in board.holes})
    assert changed[0] == warned[0] == set()
    assert len(changed[1]) >= len(warned[1]) >= 4
    assert warned[1] <= changed[1]


def test_of_several_pairs_the_one_that_estimates_move_most_is_named():
    """Of 500 documents one is unjudged: that is not all of them."""
    hardly = HoleWarning("old", "new", 10, (1.0, 0.998), 0.2173, 0.2172, 0.217, 0.2173, "no difference is shown")
    much = HoleWarning("bm25", "new", 10, (0.9, 0.998), 0.2454, 0.2301, -0.2, 0.26, "no difference is shown")
    (line,) = warning_lines([hardly, much])
    assert line == (
        "With estimated grades of unjudged documents 2 pairs have another verdict: no difference is shown. Most "
        "changed: new minus bm25, 0.2454 as judged, 0.2301 estimated, within [-0.2000, 0.2600]."
    )
    better = replace(hardly, instead="new is better than old")
    (line,) = warning_lines([hardly, better, much])
    assert " 3 pairs have another verdict: no difference is shown (2 of 3). Most changed: " in line
    assert warning_lines([hardly]) == hardly.sentences()


def test_estimated_scores_against_the_definition():
    """P is a mean of grades: an unjudged document adds the share of relevant ones among judged documents near it."""
    qrels, runs = pair(unjudged=True)
    table = scored(rs.load(qrels, runs), "P@10")
    change = (with_estimated_grades(table).value - table.value) / BELIEF
    assert change[:, 0].tolist() == [0.0] * 12
    # ranks 1 to 3 hold 36 relevant documents over all topics; ranks 4 to 10 hold 12 relevant ones and 24 others
    overall = 12.5 / 37.0
    share = (1 + 5 * overall) / (3 + 5)
    assert change[:, 1].mean() == pytest.approx(4 * share / 10, abs=0.004)


def test_names_are_shown_and_not_obeyed():
    names = ("\x1b[31m<b>old</b>", "new\\end{table}")
    qrels, runs = pair(unjudged=True, names=names)
    judged = rs.load(qrels, runs)
    for result in (rs.rank(judged, measure="P@10"), rs.gate(judged, *names, measure="P@10")):
        assert "\x1b" not in result.to_text("full")
        assert "Unjudged documents may decide" in result.to_text("full")


def test_differences_before_and_after_the_holes_were_judged(data):
    """Real holes: means, shares of judged documents and verdicts before and after 980 documents were judged."""
    folder = data / "trec-covid-holes"
    golden = json.loads((Path(__file__).parents[1] / "golden" / "repeat.json").read_text())
    expected = next(e for e in golden["entries"] if e["id"] == "trec_covid_holes")["expected"]
    runs = sorted(map(str, (folder / "runs").iterdir()))
    verdicts = []
    for side in ("before", "after"):
        judged = rs.load(folder / f"qrels-{side}.gz", runs, depth=10)
        table = scored(judged, "nDCG@10")
        shares = rs.evaluate(judged, "Judged@10").mean().to_dict()
        for name, row in expected["runs"].items():
            assert table.of(name).mean() == pytest.approx(row[side], abs=1e-9)
            if row["topics"] == 50:
                assert shares[name]["Judged@10"] == pytest.approx(row[f"judged@10_{side}"], abs=1e-9)
        pairs = [(a, b) for i, a in enumerate(judged.systems) for b in judged.systems[i + 1 :]]
        verdicts.append([rs.compare(judged, a, b, measure="nDCG@10", others=False).verdict for a, b in pairs])
    before, after = np.array(verdicts)
    assert np.count_nonzero(before) == expected["significant_reference"]
    assert np.count_nonzero(after) == expected["significant_judge"]
    assert np.count_nonzero(before & (before == after)) == expected["kept"]
