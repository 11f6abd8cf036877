"""Figures of rankings say what rankings hold."""

import re

import numpy as np
import pytest
from drawings import FEW, QUIET, least_letters, plain, width

import rankscope as rs
from rankscope.comparisons import Leaderboard
from rankscope.figures import LIGHT
from rankscope.figures.chart import _lines
from rankscope.figures.rankings import critical_difference, groups_sheet, in_colour
from rankscope.measures.scores import Scores
from rankscope.statistics import nemenyi, t_all_pairs

pytestmark = QUIET


def test_ranks_are_those_of_the_means(results):
    scores = results[Scores]
    chart = scores.plot("ranks")
    mean = scores.mean().value
    for at in range(3):
        here = [i for i, one in enumerate(chart.table["at"]) if one == at]
        order = [scores.systems.index(chart.table["system"][i]) for i in here]
        assert [chart.table["rank"][i] for i in here] == list(range(1, 9))
        assert (np.diff(mean[at][order]) <= 1e-12).all()
        assert [chart.table["mean"][i] for i in here] == pytest.approx(mean[at][order])
    leaders = [scores.systems[row.argmax()] for row in mean]
    assert leaders[0] == leaders[1] != leaders[2]
    assert chart.title == (f"Highest mean: {leaders[0]} on nDCG@10 and AP(rel=1), {leaders[2]} on RR(rel=1)")
    assert scores.plot("ranks", measures=["nDCG@10", "AP"]).title == f"Highest mean: {leaders[0]}, on all 2 measures"
    best = scores.plot("ranks", top=3)
    assert sorted(set(best.table["rank"])) == [1, 2, 3]
    assert best.caption.startswith("the best 3 of 8 systems by nDCG@10, ranked among these; ")


def test_equal_means_share_a_rank_and_a_point():
    qrels = {t: {"a": 1, "b": 0} for t in "xyz"}
    up, down = {"a": 2.0, "b": 1.0}, {"a": 1.0, "b": 2.0}
    runs = {"one": dict.fromkeys("xyz", up), "two": dict.fromkeys("xyz", up), "three": dict.fromkeys("xyz", down)}
    chart = rs.evaluate(rs.load(qrels, runs), ["RR", "AP"]).plot("ranks")
    assert chart.table["rank"] == [1, 1, 3, 1, 1, 3]
    assert "; systems with the same mean share a rank" in chart.caption
    points = {row["place"] for part in chart.spec["layer"] if part["mark"].get("type") == "point"
              for row in part["data"]["values"] if row["rank"] == 1}  # fmt: skip
    assert points == {1.5}
    names = {row["row"] for part in chart.spec["layer"] if part["mark"].get("type") == "text"
             for row in part["data"]["values"]}  # fmt: skip
    assert names == {1, 2, 3}


def test_titles_of_ranks_say_of_how_many_systems(results):
    scores = results[Scores]
    assert scores.plot("ranks", top=3).title.startswith("Highest mean of all 8 systems: ")
    assert scores.plot("ranks").title.startswith("Highest mean: ")


def test_of_lines_that_move_as_far_those_with_a_colour_are_said():
    rows = [(f"s{i}", "AP", 0, 1 + i) for i in range(8)] + [(f"s{i}", "RR", 1, 8 - i) for i in range(8)]
    assert in_colour(rows).endswith("the 6 that move most")  # the two in the middle move less
    rows = [(f"s{i}", "AP", 0, 1 + i) for i in range(8)] + [(f"s{i}", "RR", 1, 1 + (i ^ 1)) for i in range(8)]
    assert in_colour(rows).endswith("the 6 that move most, of those that move as far the highest on the left")


def test_bars_that_go_on_beyond_what_is_drawn_have_arrows():
    words = ["a", "ab", "b", "b", "bc", "c"]
    sheet = groups_sheet([f"s{i}" for i in range(6)], [6.0, 5, 4, 3, 2, 1], words, 3, "mean", "9 topics", "at 0.05")
    assert sheet.subtitle.startswith("the best 3 of 6 systems; 9 topics; arrows: bars go on to others (b: 2)\n")
    assert sheet.columns["letters"] == ["a", "ab", "b"]
    marks = [part["mark"] for part in critical_difference(sheet, LIGHT)["layer"]]
    assert sum(mark.get("shape") == "triangle-left" for mark in marks) == 1
    one = groups_sheet(["x", "y", "z"], [3.0, 2, 1], ["k", "k", "k"], 2, "mean", "9 topics", "at 0.05")
    assert one.columns["letters"] == ["", ""]  # one bar joins all
    assert "; arrow: the bar goes on to 1 of the others\nthe bar joins all of these systems" in one.subtitle


def test_ranks_of_one_measure(results):
    with pytest.raises(rs.InputError, match="two measures"):
        results[Scores].plot("ranks", measures=["AP"])


def bars_of(chart):
    bars = chart.sheet.more.get("bars", {"bar": [], "system": []})
    groups = {}
    for bar, system in zip(bars["bar"], bars["system"], strict=True):
        groups.setdefault(bar, set()).add(system)
    return list(groups.values())


def pairs_below(groups, systems):
    """Pairs of systems that share no bar."""
    return {(a, b) for i, a in enumerate(systems) for b in systems[i + 1 :] if not any({a, b} <= g for g in groups)}


@pytest.mark.parametrize("top", [3, 8])
def test_bars_join_just_the_pairs_that_are_not_told_apart(results, top):
    board = results[Leaderboard]
    chart = board.plot("critical difference", top=top)
    shown = board.systems[:top]
    apart = {
        (board.systems[i], board.systems[j]) for i in range(top) for j in range(i + 1, top)
        if board.pvalues[i, j] < board.alpha
    }  # fmt: skip
    groups = bars_of(chart)
    assert pairs_below(groups, shown) == apart
    assert not any(one < other for one in groups for other in groups)
    others = int((board.pvalues[0, 1:] >= board.alpha).sum())
    assert chart.title == f"{board.systems[0]} is first; {others} others cannot be told apart from it"
    assert f"at {board.alpha:g}, all pairs at once: {board.method}" in chart.caption


def test_bars_of_nemenyi_are_as_long_as_the_critical_difference(results):
    scores = results[Scores]
    result = nemenyi(scores.matrix("nDCG@10"), systems=scores.systems)
    chart = result.plot("critical difference")
    location = dict(zip(result.systems, result.location.tolist(), strict=True))
    reach = result.critical * result.standard_error
    ordered = sorted(location, key=location.get, reverse=True)
    assert chart.table["system"] == ordered
    apart = {(a, b) for i, a in enumerate(ordered) for b in ordered[i + 1 :] if location[a] - location[b] > reach}
    assert pairs_below(bars_of(chart), ordered) == apart
    assert "Nemenyi" in chart.caption
    assert chart.sheet.words["x"].startswith("mean rank")


def test_a_leader_that_is_told_apart(judged):
    board = rs.rank(judged, measure="nDCG@10", systems=["hybrid-2", "lexical-1"], resampling=FEW, workers=1)
    chart = board.plot("critical difference")
    assert chart.title == "hybrid-2 is first, and told apart from the other"
    assert bars_of(chart) == []
    assert chart.to_svg().startswith("<svg")


@pytest.mark.parametrize("count", [2, 60])
def test_every_size_fits_a_column(count):
    generator = np.random.default_rng(3)
    topics = [f"t{i}" for i in range(12)]
    qrels = {t: {f"d{i}": i % 2 for i in range(6)} for t in topics}
    runs = {
        f"a-rather-long-name-{s}": {t: {f"d{i}": float(v) for i, v in enumerate(generator.random(6))} for t in topics}
        for s in range(count)
    }
    judged = rs.load(qrels, runs)
    board = rs.rank(judged, measure="AP", resampling=FEW, workers=1)
    for chart in (board.plot("critical difference"), rs.evaluate(judged, ["AP", "RR", "P@3"]).plot("ranks")):
        svg = chart.to_svg()
        assert width(svg) <= 482
        assert least_letters(svg) >= 6


@pytest.fixture(scope="module")
def long_names():
    """Lists of systems with names of 34 letters."""
    generator = np.random.default_rng(6)
    topics = [f"t{i}" for i in range(12)]
    runs = {
        f"a-system-whose-name-has-many-letters{s}": {
            t: {f"d{i}": float(v) for i, v in enumerate(generator.random(6))} for t in topics
        }
        for s in "abcdef"
    }
    return rs.load({t: {f"d{i}": i % 2 for i in range(6)} for t in topics}, runs)


def test_long_names_are_cut_and_ranks_and_titles_are_not(long_names):
    chart = rs.evaluate(long_names, ["AP", "RR", "P@3", "nDCG@5"]).plot("ranks", narrow=True)
    svg = chart.to_svg()
    assert width(svg) <= 482
    assert all(svg.count(f">{rank}</text>") == 2 for rank in range(1, 7))
    assert chart.title in " ".join(plain(re.sub(r"<[^>]*>", " ", svg)).split())


def test_long_names_leave_room_for_the_axis_of_means(long_names):
    chart = rs.rank(long_names, measure="AP", resampling=FEW, workers=1).plot("critical difference", narrow=True)
    assert chart.spec["width"] >= 160
    assert width(chart.to_svg()) <= 482


def test_names_of_a_matrix_that_would_overlap_are_places():
    systems = [f"a-system-with-a-name-{i:02}" for i in range(30)]
    values = np.random.default_rng(7).random((12, 30))
    pairs = t_all_pairs(values, systems=systems)
    assert f">{systems[0]}</text>" not in pairs.plot("pairs", narrow=True).to_svg()
    few = t_all_pairs(values[:, :8], systems=systems[:8]).plot("pairs", narrow=True)
    assert f">{few.spec['data']['values'][0]['first']}</text>" in few.to_svg()


def test_lines_keep_a_grade_together():
    for most in range(18, 40):
        assert all(
            line.count("(") == line.count(")") for line in _lines("Highest mean: x on AP (grade >= 1), y on RR", most)
        )
