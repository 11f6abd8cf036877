"""Figures of rankings say what rankings hold."""

import re

import numpy as np
import pytest
from drawings import FEW, QUIET, least_letters, plain, width

import rankscope as rs
from rankscope.comparisons import Leaderboard
from rankscope.figures import DARK, LIGHT
from rankscope.figures.chart import _lines
from rankscope.figures.rankings import critical_difference, groups_sheet, in_colour, thick_lines
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
    assert scores.plot("ranks", measures=["nDCG@10", "AP"]).title == f"Highest mean: {leaders[0]}, on both measures"
    best = scores.plot("ranks", top=3)
    assert sorted(set(best.table["rank"])) == [1, 2, 3]
    assert best.caption.startswith("the best 3 of 8 systems by nDCG@10, ranked among these; ")


def test_equal_means_share_a_rank_and_a_point():
    qrels = {t: {"a": 1, "b": 0} for t in "xyz"}
    up, down = {"a": 2.0, "b": 1.0}, {"a": 1.0, "b": 2.0}
    runs = {"one": dict.fromkeys("xyz", up), "two": dict.fromkeys("xyz", up), "three": dict.fromkeys("xyz", down)}
    chart = rs.evaluate(rs.load(qrels, runs), ["RR", "AP"]).plot("ranks")
    assert chart.table["rank"] == [1, 1, 3, 1, 1, 3]
    shared = "systems with equal means share a rank, the best of their places; an open point is in the middle of these"
    assert f"; {shared}" in chart.caption
    points = [(row["place"], part["mark"]["color"], part["mark"].get("stroke")) for part in chart.spec["layer"]
              if part["mark"].get("type") == "point" for row in part["data"]["values"] if row["rank"] == 1]  # fmt: skip
    assert {*points} == {(1.5, LIGHT.ground, LIGHT.ink)}  # no system's colour
    assert len(points) == 4
    names = {row["row"] for part in chart.spec["layer"] if part["mark"].get("type") == "text"
             for row in part["data"]["values"]}  # fmt: skip
    assert names == {1, 2, 3}


def test_titles_of_ranks_say_of_how_many_systems(results):
    scores = results[Scores]
    assert scores.plot("ranks", top=3).title.startswith("Highest mean of all 8 systems: ")
    assert scores.plot("ranks").title.startswith("Highest mean: ")


def test_of_lines_that_move_as_far_those_with_a_colour_are_said():
    rows = [(f"s{i}", "AP", 0, 1 + i) for i in range(8)] + [(f"s{i}", "RR", 1, 8 - i) for i in range(8)]
    assert in_colour(rows).endswith("the 6 whose best and worst rank differ most")  # the two in the middle move less
    rows = [(f"s{i}", "AP", 0, 1 + i) for i in range(8)] + [(f"s{i}", "RR", 1, 1 + (i ^ 1)) for i in range(8)]
    assert in_colour(rows).endswith("rank differ most, the highest on the left where this is equal")


def test_bars_that_go_on_beyond_what_is_drawn_have_arrows():
    words = ["a", "ab", "b", "b", "bc", "c"]
    sheet = groups_sheet([f"s{i}" for i in range(6)], [6.0, 5, 4, 3, 2, 1], words, 3, "mean", "9 topics", "at 0.05")
    assert sheet.subtitle.startswith(
        "the best 3 of 6 systems; 9 topics; arrow: bar b goes on to 2 of the other systems\n"
    )
    assert sheet.columns["letters"] == ["a", "ab", "b"]
    marks = [part["mark"] for part in critical_difference(sheet, LIGHT)["layer"]]
    assert sum(mark.get("shape") == "triangle-left" for mark in marks) == 1
    one = groups_sheet(["x", "y", "z"], [3.0, 2, 1], ["k", "k", "k"], 2, "mean", "9 topics", "at 0.05")
    assert one.columns["letters"] == ["", ""]  # one bar joins all
    assert "; arrow: the bar goes on to 1 of the others\nthe bar joins all systems shown" in one.subtitle


def test_bars_are_of_the_systems_shown_alone():
    # the first three cannot be told apart, but each pair shares another letter because of those that are not drawn
    words = ["ab", "ac", "bc", "a", "b", "c"]
    sheet = groups_sheet([f"s{i}" for i in range(6)], [6.0, 5, 4, 3, 2, 1], words, 3, "mean", "9 topics", "at 0.05")
    assert sheet.columns["letters"] == ["", "", ""]  # one bar joins all
    assert "; arrow" not in sheet.subtitle  # none of the others is alike to all three
    assert sheet.title == "s0 is first; 4 others cannot be told apart from it"
    assert "; 2 more cannot be told apart from the first, but can be from others on the bar\n" in sheet.subtitle


def of_bars(sheet, look=LIGHT):
    """Layers of a figure of bars: the bars, ticks of their members, ticks of their ends, and letters."""
    layers = critical_difference(sheet, look)["layer"]
    (bar,) = (layer for layer in layers if layer["mark"]["type"] == "line" and layer["mark"]["strokeWidth"] > 2)
    members, ends = (layer for layer in layers if layer["mark"]["type"] == "tick")
    (letters,) = (layer for layer in layers if layer["encoding"].get("text") == {"field": "letter"})
    return bar, members, ends, letters


@pytest.mark.parametrize("look", [LIGHT, DARK], ids=lambda look: look.name)
def test_ticks_of_many_systems_leave_their_bar_visible(look):
    n = 40
    names, means = [f"s{i}" for i in range(n)], [1 - i / 1000 for i in range(n)]
    bar, members, _, _ = of_bars(groups_sheet(names, means, ["a"] * n, n, "mean", "9 topics", "at 0.05"), look)
    assert members["mark"]["size"] + 3 <= bar["mark"]["strokeWidth"]  # an edge of the bar above and below
    assert members["mark"]["thickness"] == 1
    assert (bar["mark"]["color"], members["mark"]["color"]) == (look.ink, look.ground)


def test_bars_end_at_their_outermost_members():
    words = ["a", "ab", "ab", "b", "b", "c"]
    means = [6.0, 5.5, 3, 2, 1, 0.5]
    sheet = groups_sheet([f"s{i}" for i in range(6)], means, words, 4, "mean", "9 topics", "at 0.05")
    bar, members, ends, _ = of_bars(sheet)
    assert "strokeCap" not in bar["mark"]  # nothing beyond both ends
    places = [(row["bar"], row["x"]) for row in bar["data"]["values"]]
    assert places == [(1, 6.0), (1, 5.5), (1, 3), (2, 5.5), (2, 3), (2, 2)]
    assert members["data"] == bar["data"]
    # the second bar goes on, with an arrow, to a system that is not drawn
    assert [(row["bar"], row["x"]) for row in ends["data"]["values"]] == [(1, 6.0), (1, 3), (2, 5.5)]
    assert ends["mark"]["thickness"] == 1


def test_a_bar_of_equal_means_is_seen():
    sheet = groups_sheet(["x", "y", "z"], [2.0, 2.0, 1.0], ["a", "a", "b"], 3, "mean", "9 topics", "at 0.05")
    bar, _, ends, _ = of_bars(sheet)
    assert ends["mark"]["size"] > bar["mark"]["strokeWidth"]
    assert "(a tick for each, those of equal or close means run together; the letter " in sheet.subtitle
    apart = groups_sheet(["x", "y", "z"], [3.0, 2.0, 1.0], ["a", "a", "b"], 3, "mean", "9 topics", "at 0.05")
    assert "(a tick for each; the letter of the bar is after each name)" in apart.subtitle


def test_letters_of_bars_stand_beside_all_lines():
    words = ["a", "ab", "b", "c"]
    sheet = groups_sheet([f"s{i}" for i in range(4)], [4.0, 3, 2, 1], words, 4, "mean", "9 topics", "at 0.05")
    spec = critical_difference(sheet, LIGHT)
    *_, letters = of_bars(sheet)
    edge = letters["encoding"]["x"]["scale"]["domain"][1]
    assert letters["encoding"]["x"]["field"] == "x2"
    assert {row["x2"] for row in letters["data"]["values"]} == {edge}
    assert not any(layer["mark"].get("stroke") == LIGHT.ground for layer in spec["layer"])  # no plate cuts a line


def test_systems_that_no_bar_joins_to_what_is_not_shown_are_counted():
    """The third system and the fifth cannot be told apart, but the bar of the third has members that can be."""
    names, means = [f"s{i}" for i in range(6)], [6.0, 5, 4, 3, 2, 1]
    words = ["a", "a", "ab", "c", "bc", "d"]
    sheet = groups_sheet(names, means, words, 4, "mean", "9 topics", "at 0.05")
    assert "arrow" not in sheet.subtitle
    left = "; 2 of the 4 systems shown cannot be told apart from systems not shown\n"
    assert left in sheet.subtitle
    assert "not shown" not in groups_sheet(names, means, words, 6, "mean", "9 topics", "at 0.05").subtitle
    joined = groups_sheet(names, means, ["a", "ab", "ab", "b", "b", "c"], 4, "mean", "9 topics", "at 0.05").subtitle
    assert "bar b goes on to 1 of the other systems\n" in joined  # all that are alike are on the bar


def test_the_caption_says_what_systems_without_a_bar_are():
    names, means = [f"s{i}" for i in range(6)], [6.0, 5, 4, 3, 2, 1]

    def ending(words, top=6):
        return groups_sheet(names, means, words, top, "mean", "9 topics", "at 0.05").subtitle.partition(" at 0.05")[2]

    without = "; a system without a bar is told apart from every other"
    letter = ", and its letter is left out"
    assert ending(["a", "ab", "b", "c", "d", "d"]) == without + letter
    assert ending(["a", "ab", "ab", "c", "c", "c"], 4) == f"{without} shown{letter}"
    assert ending(["a", "ab", "b", "bc", "cd", "d"]) == ""
    assert ending(["ab", "ab", "ab", "b", "b", "b"], 3) == ""
    assert ending(["a", "b", "c", "d", "e", "f"]) == ""  # each is told apart from every other


@pytest.mark.parametrize("look", [LIGHT, DARK], ids=lambda look: look.name)
def test_pale_lines_of_ranks_are_seen_and_stand_back(look, results):
    spec = results[Scores].plot("ranks", theme=look.name).spec
    lines = [layer["mark"] for layer in spec["layer"] if layer["mark"].get("type") == "line"]
    points = [layer["mark"] for layer in spec["layer"] if layer["mark"].get("type") == "point"]
    assert {line["strokeWidth"] for line in lines if line["color"] == look.pale} == {1}
    assert min(line["strokeWidth"] for line in lines if line["color"] != look.pale) >= 2.5
    assert all(mark.get("opacity", 1) == 1 for mark in lines + points)
    sizes = [{point["size"] for point in points if (point["color"] == look.pale) == pale} for pale in (True, False)]
    assert max(sizes[0]) * 2 < min(sizes[1])


def test_leaders_that_the_title_names_have_thick_lines():
    names = [f"s{i}" for i in range(9)]
    # the first one leads under the first measure and is second under the other, where the last leads
    ranks_of = {"AP": list(range(9)), "RR": [1, 2, 3, 4, 5, 6, 7, 8, 0]}
    rows = [(names[s], m, at, 1 + order[s]) for at, (m, order) in enumerate(ranks_of.items()) for s in range(9)]
    assert thick_lines(rows, ["s8"]) == in_colour(rows)
    assert thick_lines(rows, ["s6"]) == f"{in_colour(rows)}; thick line without a colour: s6"
    assert thick_lines(rows, ["s6", "s7"]) == f"{in_colour(rows)}; thick lines without a colour: s6 and s7"


def test_a_leader_without_a_colour_is_drawn_thick(judged):
    chart = rs.evaluate(judged, ["nDCG@10", "P@10"]).plot("ranks")
    leaders = chart.sheet.words["leaders"]
    assert leaders
    assert all(name in chart.title for name in leaders)
    lines = {layer["data"]["values"][0]["system"]: layer["mark"] for layer in chart.spec["layer"]
             if layer["mark"].get("type") == "line"}  # fmt: skip
    assert all(lines[name]["strokeWidth"] > 2 and lines[name]["color"] != LIGHT.pale for name in leaders)
    alike = [name for name in leaders if lines[name]["color"] == LIGHT.ink]
    assert ("without a colour" in chart.caption) == bool(alike)


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


@pytest.mark.parametrize("narrow", [False, True])
def test_names_are_whole_on_the_left_before_they_are_cut(narrow):
    generator = np.random.default_rng(5)
    topics = [f"t{i}" for i in range(12)]
    names = ["optimalobservedprecision", "optimalobservedantiprecision", "smootheditemaverage", "plsa"]
    runs = {name: {t: {f"d{i}": float(v) for i, v in enumerate(generator.random(6))} for t in topics} for name in names}
    judged = rs.load({t: {f"d{i}": i % 2 for i in range(6)} for t in topics}, runs)
    chart = rs.evaluate(judged, ["AP", "RR", "P@3", "nDCG@5"]).plot("ranks", narrow=narrow)
    svg = chart.to_svg()
    assert width(svg) <= 482
    for name in names:
        assert f">{name}</text>" in svg
    cut = re.findall(r">(optimal[^<]*…[^<]*)</text>", svg)
    assert len(set(cut)) == len(cut)  # and they differ where they are cut
    texts = [layer for layer in chart.spec["layer"] if layer["mark"]["type"] == "text"]
    assert all(layer["mark"]["tooltip"] == {"content": "data"} for layer in texts)
    assert {layer["data"]["values"][0]["system"] for layer in texts} == set(names)


def test_names_that_differ_in_the_middle_differ_where_they_are_cut():
    topics = [f"t{i}" for i in range(4)]
    names = [f"system-of-run-{s}-with-defaults" for s in "ab"]
    runs = {name: {t: {"a": 1.0, "b": 0.5 + i} for t in topics} for i, name in enumerate(names)}
    judged = rs.load({t: {"a": 0, "b": 1} for t in topics}, runs)
    svg = rs.evaluate(judged, ["AP", "RR", "P@3", "nDCG@5"]).plot("ranks").to_svg()
    shown = re.findall(r">(system[^<]*)</text>", svg)
    assert len(shown) == 4
    assert len(set(shown[::2])) == len(set(shown[1::2])) == 2


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
