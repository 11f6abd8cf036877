"""Leaderboards, matrices of pairs, and agreement: marks, letters and what captions say."""

import re
from dataclasses import replace

import numpy as np
from drawings import EVERY, QUIET, ticks

import rankscope as rs
from rankscope import studies
from rankscope.comparisons import CollectionBoard, Leaderboard
from rankscope.figures import LIGHT
from rankscope.figures.chart import drawn

pytestmark = QUIET


def test_letters_of_groups_do_not_run_together(results):
    board = results[Leaderboard]
    for n in (4, 10, 16):
        letters = tuple("abcdefghijklmnop"[i % n] for i in range(len(board.systems)))
        sheet = next(one for one in EVERY if one.of is Leaderboard).sheet(replace(board, letters=letters))
        sheet = replace(
            sheet, more={"groups": {"system": [board.systems[0]] * n, "letter": list("abcdefghijklmnop"[:n])}}
        )
        cells = next(one for one in EVERY if one.of is Leaderboard).drawing(sheet, LIGHT)["hconcat"][1]
        named = cells["encoding"]["x"]["axis"].get("labels", True)
        assert not named or cells["width"] / n >= 13


def test_letters_say_which_systems_a_bar_joins(results):
    for kind in (Leaderboard, CollectionBoard):
        board = results[kind]
        board = replace(board, letters=("a", "ac", "c", "cd", "d", *["g"] * (len(board.systems) - 5)))
        chart = board.plot("critical difference")
        bars = chart.sheet.more["bars"]
        letters = dict(zip(chart.table["system"], chart.table["letters"], strict=True))
        groups = {}
        for bar, system in zip(bars["bar"], bars["system"], strict=True):
            groups.setdefault(bar, set()).add(system)
        by_letter = {}
        for system, word in letters.items():
            for letter in word:
                by_letter.setdefault(letter, set()).add(system)
        assert sorted(map(sorted, groups.values())) == sorted(map(sorted, by_letter.values()))
        assert f" ({letters[board.systems[0]]})</text>" in chart.to_svg()
        assert "".join(dict.fromkeys(bars["letter"])) == "acdg"[: len(groups)]  # as in the board


def test_equal_pairs_stand_out_from_the_ground(results):
    mark = results[studies.ObservedSeparability].plot().spec["mark"]
    assert (mark["stroke"], mark["strokeWidth"]) == (LIGHT.faint, 0.5)


def test_squares_of_many_systems_have_lines_to_their_names(results):
    figure = next(one for one in EVERY if one.of is Leaderboard and one.name == "leaderboard")
    sheet = figure.sheet(results[Leaderboard])
    for times, lined in ((1, False), (6, True)):
        columns = {name: column * times for name, column in sheet.columns.items()}
        columns["system"] = [f"{name} {i}" for i, name in enumerate(columns["system"])]
        board, cells = figure.drawing(replace(sheet, columns=columns), LIGHT)["hconcat"]
        assert board["layer"][1]["encoding"]["x"]["axis"]["grid"] == lined
        assert bool(cells["encoding"]["y"]["axis"] and cells["encoding"]["y"]["axis"]["grid"]) == lined


def test_a_leaderboard_draws_the_best_and_its_lines_below_the_squares(results):
    figure = next(one for one in EVERY if one.of is Leaderboard and one.name == "leaderboard")
    board = results[Leaderboard]
    names = tuple(f"{name} {i}" for i in range(6) for name in board.systems)
    times = {key: np.tile(getattr(board, key), 6) for key in ("mean", "lower", "upper")}
    many = replace(board, systems=names, letters=board.letters * 6, best=board.best * 6, worst=board.worst * 6, **times)
    sheet = figure.sheet(many)
    assert len(sheet.columns["system"]) == 30
    assert sheet.subtitle.startswith("the best 30 of 48 systems; ")
    whole, cells = figure.drawing(figure.sheet(many, top=None), LIGHT)["hconcat"]
    assert cells["encoding"]["y"]["axis"]["zindex"] == 0
    font = whole["layer"][0]["encoding"]["y"]["axis"]["labelFontSize"]
    assert whole["height"] / 48 >= font + 2


def test_no_mean_of_a_leaderboard_is_below_0_on_its_axis(results):
    figure = next(one for one in EVERY if one.of is Leaderboard and one.name == "leaderboard")
    sheet = figure.sheet(results[Leaderboard])
    n = len(sheet.columns["system"])
    low = {"lower": [0.0] * n, "mean": [0.001 + i / 100 for i in range(n)], "upper": [0.24] * n}
    svg = drawn("x", replace(sheet, columns={**sheet.columns, **low}), figure.drawing, "light").to_svg()
    labels = [text for axis in ticks(svg) for _, text, _ in axis]
    assert "0.00" in labels
    assert not any(text.startswith("\N{MINUS SIGN}") for text in labels)
    ends = [part["encoding"]["x"]["field"] for part in figure.drawing(sheet, LIGHT)["hconcat"][0]["layer"]
            if part["mark"]["type"] == "tick"]  # fmt: skip
    assert ends == ["lower", "upper"]  # which stand out from points that are wider than the interval


def test_a_matrix_says_by_what_it_is_ordered_and_has_a_frame():
    systems = [f"s{i}" for i in range(60)]
    values = np.random.default_rng(3).random((12, 60))
    chart = rs.statistics.nemenyi(values, systems=systems).plot("pairs")
    assert (
        "A ahead: higher in mean rank within topics (higher is better), by which systems are ordered" in chart.caption
    )
    svg = chart.to_svg()
    assert ">A: place by mean rank within topics</text>" in svg
    frame, cells = chart.spec["layer"]
    assert frame["mark"]["stroke"] == LIGHT.faint
    assert len(frame["data"]["values"]) == 3 * 59 - 3
    assert cells["encoding"]["color"]["legend"]["columns"] == len(cells["encoding"]["color"]["scale"]["domain"])


def test_classes_of_agreement_are_in_words_and_opposite_directions_are_counted(results):
    found = results[studies.Agreement]
    for name in ("bars", "triangle"):
        svg = found.plot(name).to_svg()
        assert ">significant for</text>" in svg
        assert ">neither</text>" in svg
        assert "Both: " not in re.sub(r'aria-label="[^"]*"', "", svg)
    ahead = np.where(found.categories()[0, :, 0] == 0, -found.toward[0, :, 0], found.ahead)
    turned = replace(found, ahead=ahead)
    m, d = found.measures.index("P"), found.depths.index(10)
    both = int((found.categories()[m, d, 0] == 0).sum())
    assert both == int(turned.opposed[m, d, 0]) > 0
    chart = turned.plot("triangle")
    neither = int((found.categories()[m, d, 0] == 1).sum())
    assert chart.title == (
        f"P at depth 10 and IPSO agree on {neither} of 28 pairs of systems; on {both} they are significant in opposite "
        "directions"
    )
    opposed = chart.tables["triangle-opposed"]
    assert opposed["category"] == ["Both: Yes"] * both
    named = ", ".join(f"{a} and {b}" for a, b in list(zip(opposed["first"], opposed["second"], strict=True))[:3])
    agree = "\nagree: both tests are significant in the same direction, or neither is significant"
    others = f" and {both - 3} others" if both > 3 else ""
    marked = f"; in opposite directions (\N{MULTIPLICATION SIGN}): {named}{others}"
    order = f"IPSO compares two lists without a metric, by {found.settings['order']}"
    assert chart.caption.endswith(f"{agree}{marked}\n{order}")
    assert "; relevant: grade 1 or more\n" in chart.caption
    assert found.plot("bars").caption.endswith(f"\n{order}")
    assert chart.to_svg().count(">\N{MULTIPLICATION SIGN}</text>") == both
    assert f"{agree}\n" in found.plot("triangle").caption
    table = turned.tables()["agreement"].columns()
    bars = turned.plot("bars")
    assert f" agree on {100 * min(table['alike']):.0f} % to " in bars.title
    assert f"; both are significant in opposite directions on up to {turned.opposed.max()} of 28 (" in bars.title
    assert f"{agree}; both: in either direction\n" in bars.caption
    assert ">100 %</text>" in found.plot("bars").to_svg()
    assert ">depth</text>" in found.plot("bars").to_svg()
    assert found.plot("triangle").spec["encoding"]["y"].get("sort") is None  # rank 1 is at the top


def test_letters_of_a_leaderboard_are_those_of_the_systems_shown(results):
    board = replace(results[Leaderboard], letters=("a", "ab", "ac", "b", "c", "d", "d", "d"))
    whole = board.plot("leaderboard")
    assert whole.table["group"] == list(board.letters)
    assert "letters are of the systems shown" not in whole.caption
    cut = board.plot("leaderboard", top=3)  # b and c join systems to others that are not shown
    assert cut.table["group"] == ["a", "a", "a"]
    assert "; letters are of the systems shown; " in cut.caption
    assert set(cut.sheet.more["groups"]["letter"]) == {"a"}
