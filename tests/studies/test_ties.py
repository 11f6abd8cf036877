"""Tied lists: pair by pair on a small collection, and the printed table on the paper's own runs."""

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
import strategies
from hypothesis import assume, given, settings

import rankscope as rs
from rankscope.errors import DataWarning, InputError
from rankscope.simulation import embedded
from rankscope.statistics import Resampling
from rankscope.statistics.equality import tied_pairs
from rankscope.studies import material, ties
from rankscope.studies.recall_level_ranks import RecallLevelRanks

pytestmark = pytest.mark.filterwarnings("ignore::rankscope.errors.DataWarning")
GOLDEN = {
    e["id"]: e for e in json.loads((Path(__file__).parents[1] / "golden" / "lexi_dl19.json").read_text())["entries"]
}


@pytest.fixture(scope="module")
def judged():
    qrels, runs = embedded()
    return rs.load(qrels, runs, keep_docs=True)


def positions(judged):
    """Ranks of the relevant documents of each list, None for those never retrieved: {(system, topic): [...]}."""
    found = {}
    total = judged.available[:, judged.grades >= judged.rules.rel].sum(axis=1)
    first = 2 + int((judged.grades < judged.rules.rel).sum())
    for s, system in enumerate(judged.systems):
        for t, topic in enumerate(judged.topics):
            if total[t]:
                ranks = [r + 1 for r, code in enumerate(judged.code[s, t].tolist()) if code >= first]
                found[system, topic] = ranks + [None] * (int(total[t]) - len(ranks))
    return found


def slow(judged, levels):
    """Everything counted pair by pair."""
    where = positions(judged)
    topics = list(dict.fromkeys(topic for _, topic in where))
    count = {"compared": 0, "RR": 0, "LP": 0}
    tied, pairs, deciding = [0] * levels, [0] * levels, {}
    first, first_tied = {}, {}
    for topic in topics:
        for a, b in combinations(judged.systems, 2):
            p, q = where[a, topic], where[b, topic]
            count["compared"] += 1
            count["RR"] += p[0] == q[0]
            count["LP"] += p == q
            apart = [i for i, (x, y) in enumerate(zip(p, q, strict=True)) if x != y]
            if apart:
                deciding[apart[0]] = deciding.get(apart[0], 0) + 1
            for i in range(min(levels, len(p))):
                pairs[i] += 1
                tied[i] += p[i] == q[i]
            for one, other in ((p, q), (q, p)):
                first[one[0]] = first.get(one[0], 0) + 1
                first_tied[one[0]] = first_tied.get(one[0], 0) + (one[0] == other[0])
    return count, tied, pairs, deciding, first, first_tied


def check(judged, n_levels=6):
    got = ties(judged, n_levels=n_levels)
    count, tied, pairs, deciding, first, first_tied = slow(judged, n_levels)
    assert got.compared == count["compared"]
    assert dict(zip(got.candidates, got.tied.tolist(), strict=True)) == {
        "RR": count["RR"],
        "rrLP": count["LP"],
        "sgnLP": count["LP"],
    }
    assert got.level_tied.tolist() == tied
    assert got.level_pairs.tolist() == pairs
    assert {i: n for i, n in enumerate(got.deciding.tolist()) if n} == deciding
    table = got.columns("first")
    assert dict(zip(table["rank"], table["pairs"], strict=True)) == first
    for rank, share in zip(table["rank"], table["tied"], strict=True):
        assert share == pytest.approx(first_tied[rank] / first[rank])


def test_pair_by_pair(judged):
    check(judged)


@settings(max_examples=60)
@given(strategies.collections(fewest=2, systems=4))
def test_any_collection_pair_by_pair(made):
    judged = rs.load(made.qrels, made.runs)
    assume(strategies.has_relevant(judged))
    check(judged, n_levels=4)


def test_the_papers_table_3(data):
    folder = data / "dl19-passage"
    wanted = GOLDEN["table3"]["expected"]
    got = ties(rs.load(folder / "qrels.gz", folder / "runs", rel=2))  # the threshold of this table, not of Table 2
    assert got.compared == 666 * 43
    share = dict(zip(got.candidates, (100 * got.share).round(2).tolist(), strict=True))
    assert share == {"RR": wanted["RR_pct"], "rrLP": wanted["lexiprecision_pct"], "sgnLP": wanted["lexiprecision_pct"]}
    assert got.deciding.sum() + got.tied[1] == got.compared


def test_other_collections_tie_less_than_rr(data):
    """Far less where lists are long; lists of ten recommendations hold few relevant items, so both tie often."""
    for name, most in (("robust04-part", 0.05), ("trec-covid-r5", 0.05), ("recsys-ml1m-time", 0.75)):
        got = ties(rs.load(data / name / "qrels.gz", data / name / "runs"), methods=("sgnLP",))
        rr, lp = got.share.tolist()
        assert lp < most * rr, name


def test_by_labels(judged):
    got = ties(judged, fractions=(1.0, 0.5, 0.1), resampling=Resampling(3))
    assert (got.by_labels[:, 0] == got.share[:, None]).all()
    rr, lp = got.by_labels[0].mean(axis=1), got.by_labels[1].mean(axis=1)
    assert (lp <= rr).all()
    assert lp[0] < lp[2]  # fewer labels, more ties for lexiprecision
    np.testing.assert_array_equal(got.by_labels[1], got.by_labels[2])  # sgnLP ties where rrLP does
    assert got.to_frame("labels").height == 9


def test_one_two_and_four_workers(judged):
    one, two, four = (ties(judged, fractions=(0.5,), resampling=Resampling(3), workers=w).to_dict() for w in (1, 2, 4))
    assert one == two == four


def test_a_cutoff_cuts_everything(judged):
    got = ties(judged, depth=3)
    assert got.candidates == ("RR@3", "rrLP@3", "sgnLP@3")
    assert got.deciding.sum() + got.tied[1] == got.compared
    assert len(got.first_rank) == 4  # three ranks, and none


def test_counts_of_equal_values():
    values = np.random.default_rng(3).integers(0, 4, (5, 7))
    wanted = [sum(a == b for a, b in combinations(row, 2)) for row in values.tolist()]
    assert tied_pairs(values).tolist() == wanted


def test_places_are_the_order_of_lexiprecision(judged):
    place = RecallLevelRanks.of(judged).places_from(0)
    total = judged.available[:, judged.grades >= 1].sum(axis=1)
    for a, b in [(0, 1), (2, 5)]:
        got = rs.lexiprecision(judged, judged.systems[a], judged.systems[b])
        np.testing.assert_array_equal(np.sign(place[:, a] - place[:, b])[total > 0], got.sign)


def test_topics_that_cannot_count_are_said():
    qrels = {"1": {"a": 1}, "2": {"a": 0}}
    judged = rs.load(qrels, {"r": {"1": ["a"], "2": ["a"]}, "s": {"1": ["b"], "2": ["a"]}})
    with pytest.warns(DataWarning, match="left out: 1 of 2"):
        got = ties(judged)
    assert (got.compared, got.settings["left_out"]) == (1, 1)


def test_ties_are_counted_on_paper(judged):
    """RBP tells any two lists apart that differ somewhere, at whatever depth: as lexiprecision does, unlike doubles."""
    got = ties(judged, ["RBP(p=0.1)"], ["sgnLP"], fractions=0.3, resampling=Resampling(2))
    assert got.tied[0] == got.tied[1]
    np.testing.assert_array_equal(got.by_labels[0], got.by_labels[1])
    value = material(judged, "RBP(p=0.1)").candidates[0].differences()
    assert np.count_nonzero(np.abs(value) <= 1e-12) > got.tied[0]


def test_bad_input(judged):
    qrels, runs = embedded()
    with pytest.raises(InputError, match="keep_docs=True"):
        ties(rs.load(qrels, runs), fractions=(0.5,))
    with pytest.raises(InputError, match="n_levels=0"):
        ties(judged, n_levels=0)
    with pytest.raises(InputError, match="fraction 2"):
        ties(judged, fractions=(2,))


def test_results_show_themselves(judged):
    got = ties(judged, fractions=(0.5,), resampling=Resampling(2))
    assert set(got.figures()) == {"first_rank", "level", "deciding", "labels"}
    assert got.figures()["deciding"]["decided"][-1] <= 1
    assert "fewest first: rrLP" in got.summary()
    level = next(i for i, share in enumerate(got.figures()["deciding"]["decided"]) if share >= 0.9)
    share = f"{100 * got.figures()['deciding']['decided'][level]:.2f} %"
    assert f"and {share} of these at recall level {level + 1} or before" in " ".join(str(got).split())
