"""Figures of all possible rankings: words of titles, axes and captions."""

import re
from dataclasses import replace

import numpy as np
import pytest

from rankscope import studies, universe
from rankscope.figures import LIGHT
from rankscope.universe.two_measures.features import FEATURES, register_feature


@pytest.mark.parametrize(("first", "rank", "probability"), [(range(1, 50), 1, "0.01"), (range(5, 40), 5, "0.0096")])
def test_a_tie_is_likeliest_at_the_first_rank(first, rank, probability):
    chart = universe.tie_curve(1000, (5, 10), first).plot("tie probability")
    assert (
        chart.title
        == f"A tie in RR with a random ranking is likeliest at rank {rank}: probability {probability} for m = 10"
    )
    best = chart.table["probability"].index(max(chart.table["probability"]))
    assert (chart.table["p1"][best], chart.table["m"][best]) == (rank, "m = 10")
    line = next(part for part in chart.spec["layer"] if part["mark"]["type"] == "line")
    ticks = line["encoding"]["x"]["axis"]["values"]
    assert ticks[0] == rank  # the end of the axis where the title says that the largest value is
    assert ticks == sorted(set(ticks))
    assert 3 <= len(ticks) <= 7


def test_one_relevant_document_ties_alike_everywhere():
    chart = universe.tie_curve(100, 1, range(1, 9)).plot("tie probability")
    assert chart.title == "A tie in RR with a random ranking has a probability of at most 0.01"


def test_half_of_the_disagreements_has_a_tick():
    for measures in (["AP", "DCG"], ["AP", "DCG", "RR", "P"]):  # one panel, and six of them
        svg = universe.features(measures, depth=3).plot().to_svg()
        assert svg.count(">50</text>") == 2 * svg.count(">0</text>") > 0
        assert ">% of disagreements</text>" in svg


def test_measures_that_disagree_nearly_as_often_are_named(results):
    found = replace(results[universe.Frequencies], pairs=1000)

    def title(*counts):
        either = np.zeros_like(found.either)
        either[np.triu_indices(3, 1)] = counts
        return replace(found, either=either, strict=either).plot().title

    a, b, c = map(str, found.measures)
    first = f"{a} and {b} disagree most"
    assert f"{first}: they decide differently on 10.0 % " in title(100, 94, 3)
    assert title(100, 95, 3).endswith(f" (all in opposite order); next: {a} and {c}, 9.5 %")
    assert title(100, 98, 99).endswith("; next: 2 other pairs of measures, 9.8 % to 9.9 %")
    assert "next" not in title(100, 100, 3)


def test_caption_defines_each_feature_that_is_drawn():
    chart = universe.features(["AP", "DCG"], depth=4, of=["recall", "first-irrel"]).plot()
    assert chart.caption.endswith(
        "\nmore of a feature: recall: more relevant documents; an early miss: the first irrelevant document earlier"
    )


def test_a_feature_without_other_words_is_not_defined_by_its_name():
    register_feature("twice", lambda level: 2 * level.sum(axis=1))
    try:
        assert "\nmore of a feature: " not in universe.features(["AP", "DCG"], depth=4, of=["twice"]).plot().caption
    finally:
        del FEATURES["twice"]


def test_equal_shares_of_freedom_are_outlined_and_per_cent_have_a_space(results):
    chart = results[universe.Freedom].plot()
    assert chart.spec["mark"]["stroke"] == LIGHT.faint
    for kind in (universe.Freedom, universe.SeparabilityCounts, universe.ExpectedSeparability):
        svg = results[kind].plot().to_svg()
        assert ">100 %</text>" in svg
        assert ">100%</text>" not in svg


def test_undecided_pairs_have_one_name(results):
    kinds = (universe.Freedom, universe.SeparabilityCounts, universe.ExpectedSeparability, universe.Flips,
             universe.OrderGrid, studies.ObservedSeparability)  # fmt: skip
    for kind in kinds:
        chart = results[kind].plot()
        assert not re.search("free|separa", f"{chart.title} {chart.caption}"), kind
        assert "undecided" in f"{chart.title} {chart.caption}", kind


def test_a_grid_counts_pairs_of_different_rankings():
    chart = universe.order_grid(6, "AP", "nDCG").plot()
    assert chart.title == "IPSO leaves 18.1 % of the pairs of different rankings undecided"  # 728 of 64 times 63
    assert chart.caption.startswith(
        "64 binary rankings of 6 documents, each as A and as B; Kendall's tau between the two orders"
    )


@pytest.mark.parametrize("count", [1, 3, 4])
def test_features_leave_no_place_empty(count):
    found = universe.features(["AP", "DCG", "RR", "P"], depth=3)
    pairs = list(dict.fromkeys((row.a, row.b) for row in found.rows))[:count]
    spec = found.plot(pairs=pairs).spec
    assert count % spec["columns"] == 0
    counts = {f"A: {row.a}, B: {row.b}": row.disagreeing for row in found.rows}
    assert [panel["title"]["subtitle"] for panel in spec["concat"]] == [
        f"{counts[panel['title']['text']]:,} disagreement{'s' * (counts[panel['title']['text']] != 1)}"
        for panel in spec["concat"]
    ]


def test_rare_ranks_do_not_crowd_the_axis(results):
    ties = results[studies.TiedRankings]
    first, tied = ties.first_rank.copy(), ties.first_tied * 0
    first[:] = 0
    first[0], first[2], first[-1] = 9_993, 4, 3
    chart = replace(ties, first_rank=first, first_tied=tied).plot("first rank")
    assert chart.table["rank"] == [1]
    assert chart.caption.endswith("not drawn: ranks that less than 0.1 % of the lists have, below 0.1 % together")
    assert ">rank of the first relevant document (logarithmic)</" in chart.to_svg()
