"""Strips: rows and their names in one piece or two, headings of sections, shades of grades, words of the caption."""

import re
from itertools import pairwise

import numpy as np
import pytest
from drawings import least_letters, width

import rankscope as rs
from rankscope.comparisons import Comparison
from rankscope.figures import DARK, LIGHT
from rankscope.figures.strips import _COLUMN, _FULL, DRAWN, FEW, LABELLED, _step
from rankscope.figures.theme import RELEVANCE, relevance_steps
from rankscope.preferences import Ipso, Serps, serps
from rankscope.preferences.ipso import ipso_of


def compared(topics, grades=3, name="q{}"):
    rng = np.random.default_rng(topics)
    names = [name.format(t) for t in range(topics)]
    qrels = {t: {f"d{d}": int(rng.integers(0, grades + 1)) for d in range(6)} | {"d0": grades} for t in names}
    runs = {system: {t: {f"d{d}": float(rng.random()) for d in range(6)} for t in names} for system in "ab"}
    return rs.compare(rs.load(qrels, runs), "a", "b", measure="nDCG@5", depth=5, others=False)


def panels_with(chart, key):
    """Panels with this column in their data."""
    return [panel for panel in chart.spec["hconcat"] if key in panel["data"]["values"][0]]


def size(svg):
    return [float(re.search(rf'\b{side}="([\d.]+)"', svg)[1]) for side in ("width", "height")]


@pytest.mark.parametrize("narrow", [False, True])
@pytest.mark.parametrize("topics", [60, 61, 100, 120])
def test_up_to_120_topics_have_their_names(topics, narrow):
    chart = compared(topics).plot("strips", narrow=narrow)
    names = [panel for panel in panels_with(chart, "label") if panel["mark"]["type"] == "text"]
    assert len(names) == (1 if topics <= FEW else 2)
    labels = [row["label"] for panel in names for row in panel["data"]["values"]]
    assert labels == chart.sheet.more["rows"]["topic"]
    # names have the room of a letter without its descender, and are not smaller than 6 pt in a column
    for panel in names:
        middles = [row["middle"] * panel["height"] / panel["encoding"]["y"]["scale"]["domain"][1]
                   for row in panel["data"]["values"]]  # fmt: skip
        assert min(b - a for a, b in pairwise(middles)) >= 0.8 * panel["mark"]["fontSize"]
    svg = chart.to_svg()
    wide, high = size(svg)
    assert high <= 1.75 * wide
    if narrow:
        assert width(svg) <= 480
        assert least_letters(svg) >= 6


@pytest.mark.parametrize("name", ["{}", "1{:06}", "PLAIN-{}", "a-rather-long-name-of-a-topic-{}"])
def test_names_beside_two_narrow_pieces_are_told_apart(name):
    found = compared(100, name=name)
    svg = found.plot("strips", narrow=True).to_svg()
    assert width(svg) <= 480
    labels = [row["label"] for panel in panels_with(found.plot("strips", narrow=True), "middle")
              for row in panel["data"]["values"]]  # fmt: skip
    assert len(set(labels)) == 100
    assert all(f">{label}</text>" in svg for label in labels)  # not cut once more at the end


def test_rows_shrink_from_17_to_2_px():
    for page in (_FULL, _COLUMN):
        heights = [_step(rows, page) for rows in range(1, FEW + 1)]
        assert heights == sorted(heights, reverse=True)
        assert heights[0] == 17
        heights = [_step(rows, page) for rows in range(LABELLED + 1, DRAWN + 1)]
        assert heights == sorted(heights, reverse=True)
        assert 2 <= heights[-1] <= 2.5


@pytest.mark.parametrize("topics", [121, 300, 1143])
@pytest.mark.parametrize("narrow", [False, True])
def test_many_topics_stand_in_two_pieces(topics, narrow):
    """As in Figure 6; both pieces have the same rows but for one, and what is drawn is all of them."""
    found = ipso_of(*np.random.default_rng(topics).integers(0, 2, (2, topics, 10)))
    chart = found.plot(narrow=narrow)
    pieces = panels_with(chart, "outcome")
    counts = [len({row["topic"] for row in panel["data"]["values"]}) for panel in pieces]
    assert len(counts) == 2
    assert counts[0] - counts[1] in (0, 1)
    assert sum(counts) == min(DRAWN, topics)
    high = pieces[0]["height"] / pieces[0]["layer"][0]["encoding"]["y"]["scale"]["domain"][1]
    assert high >= 2 - 0.01
    wide, tall = size(chart.to_svg())
    assert tall <= 1.75 * wide


@pytest.mark.parametrize("topics", [121, 300, 1143])
@pytest.mark.parametrize("narrow", [False, True])
def test_headings_of_sections_have_room(topics, narrow):
    lists = np.zeros((2, topics, 4), int)
    lists[0, 0], lists[1, 0] = (0, 1, 1, 0), (1, 0, 0, 0)  # a section of one topic next to another of one
    lists[1, 1] = 1
    found = []
    for panel in panels_with(ipso_of(*lists).plot(narrow=narrow), "outcome"):
        heads = panel["layer"][1]
        end = heads["encoding"]["y"]["scale"]["domain"][1]
        rows = [(row["top"] * panel["height"] / end, row["label"]) for row in heads["data"]["values"]]
        assert rows[0][0] >= heads["mark"]["fontSize"]  # below the ranks
        bottoms = [(row["bottom"] * panel["height"] / end) for row in panel["data"]["values"]]
        for (top, _), (lower, _) in pairwise(rows):
            above = max(bottom for bottom in bottoms if bottom <= lower - 1)
            assert above >= top
            assert lower - above >= 1.2 * heads["mark"]["fontSize"]
        found += [label for _, label in rows]
    alone = ["B ahead: 1"] if topics <= DRAWN else []  # of more topics this one is not drawn
    assert found == ["undecided after B ahead: 1", *alone, f"equal: {topics - 2:,}", "equal, continued"]


def test_narrow_pieces_have_the_first_metrics():
    found = compared(100)
    every = list(dict.fromkeys(found.plot("strips").sheet.more["differences"]["metric"]))
    for narrow in (False, True):
        first, second = panels_with(found.plot("strips", narrow=narrow), "metric")
        drawn = first["layer"][0]["encoding"]["x"]["scale"]["domain"]
        assert drawn == second["layer"][0]["encoding"]["x"]["scale"]["domain"]
        assert drawn == every[: len(drawn)]
        assert "nDCG@5" in drawn


@pytest.mark.parametrize("look", [LIGHT, DARK], ids=lambda look: look.name)
@pytest.mark.parametrize("grades", [1, 2, 3, 5])
def test_each_grade_has_its_own_shade(grades, look):
    chart = compared(20, grades=grades).plot("strips", theme=look.name)
    fill = next(p for p in panels_with(chart, "state"))["layer"][0]["encoding"]["fill"]["scale"]
    words = ["relevant"] if grades == 1 else [f"grade {grade}" for grade in range(grades, 0, -1)]
    assert fill["domain"][:grades] == words
    assert fill["range"][0] == look.relevance[-1]
    assert len(set(fill["range"])) == len(fill["range"])
    assert "shade" not in chart.caption


def test_grades_beyond_the_shades_are_named():
    chart = compared(20, grades=7).plot("strips")
    assert "; grades 2 to 3 and grades 5 to 6 have one shade, but are different grades to IPSO; " in chart.caption


def test_gains_that_grow_fast_have_shades_of_their_own():
    steps = relevance_steps([0, 1 / 31, 3 / 31, 7 / 31, 15 / 31, 1])
    assert list(steps.values()) == list(range(RELEVANCE))


def test_the_caption_says_the_order_of_rows(results):
    pairs = serps([("1011", "0111"), ("0000", "1000"), ("1010", "0100")])
    order = "; IPSO and order of rows: Moffat and Mackenzie (2024)"
    assert order in pairs.plot("strips").caption
    assert order in ipso_of(*np.random.default_rng(1).integers(0, 2, (2, 5, 4))).plot().caption
    assert "order of rows" not in serps([("10", "01")]).plot("strips").caption


def many_topics(topics):
    rng = np.random.default_rng(topics)
    qrels = {f"q{t}": {f"d{d}": int(rng.integers(0, 6)) for d in range(6)} | {"d0": 1} for t in range(topics)}
    runs = {name: {f"q{t}": {f"d{d}": float(rng.random()) for d in range(6)} for t in range(topics)} for name in "ab"}
    return rs.compare(rs.load(qrels, runs), "a", "b", measure="nDCG@5", depth=5, others=False)


@pytest.mark.parametrize("topics", [50, 61, 120, 121, 300, 500])
def test_strips_are_not_much_higher_than_wide(topics):
    found = many_topics(topics)
    for chart in (
        found.plot("strips"), found.plot("strips", narrow=True), found.without.ipso.plot(),
        found.without.ipso.plot(narrow=True),
    ):  # fmt: skip
        wide, high = (float(re.search(rf'\b{side}="([\d.]+)"', chart.to_svg())[1]) for side in ("width", "height"))
        assert high <= 1.75 * wide
        assert wide >= 440
    # two pieces hold more rows than one did
    assert ("; rows: 400 of these topics, evenly spaced" in found.plot("strips").caption) == (topics > 400)
    assert "one shade" not in found.plot("strips").caption  # five grades have five shades
    assert " 0 " not in found.plot("strips").caption


def test_the_only_panel_of_strips_has_the_width_of_the_caption(results):
    for narrow in (False, True):
        names, panel = results[Ipso].plot(narrow=narrow).spec["hconcat"]
        assert names["width"] + panel["width"] >= 440


def test_numbers_of_strips_are_as_large_as_names(results):
    names, *_, scores = results[Comparison].plot("strips").spec["hconcat"]
    assert scores["layer"][1]["mark"]["fontSize"] >= names["mark"]["fontSize"]


def test_scores_of_bare_lists_say_what_is_relevant(results):
    chart = results[Serps].plot()
    assert "RBP(p=0.5)" in chart.sheet.more["differences"]["metric"]
    assert chart.caption.endswith("\nscores: as if 4 documents were relevant, as many as a list has ranks")
