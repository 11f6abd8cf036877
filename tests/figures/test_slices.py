"""Slices: what the forest plot and the plot against an attribute hold, and the titles."""

from dataclasses import replace

import numpy as np
import pytest
from drawings import QUIET

import rankscope as rs
from rankscope import figures
from rankscope.comparisons import Comparison
from rankscope.comparisons.slices import Slices
from rankscope.figures import LIGHT
from rankscope.figures import vega as vl
from rankscope.figures.slices import _axis
from rankscope.formatting import minus


def test_forest_of_slices(results):
    comparison, groups = results[Comparison], results[Slices]
    table = comparison.plot("slices").table
    assert table["name"] == [f"{part.name} ({part.n_topics})" for part in groups.slices] + ["all topics (49)"]
    assert table["estimate"] == [*(part.effect.difference for part in groups.slices), comparison.effect.difference]
    assert table["summary"] == [False] * len(groups.slices) + [True]
    alone = groups.plot()
    assert alone.table["estimate"] == table["estimate"][:-1]
    assert f"over all topics {groups.overall:.4f}" in alone.caption


def test_slices_alone_name_the_measure(results):
    groups = results[Slices]
    assert groups.measure == results[Comparison].measure == "nDCG@10"
    assert groups.plot().sheet.words["x"] == "B - A, nDCG@10"
    assert "; nDCG@10, 95 % intervals; over all topics " in groups.plot().caption
    assert "differences are B - A on nDCG@10, " in str(groups)


def test_title_says_what_the_test_of_interaction_says(results):
    groups = results[Slices]
    words = "the number of documents of grade 1 or more"
    assert groups.dependence().startswith(groups.plot().title)
    sure = replace(groups, interaction=replace(groups.interaction, pvalue=0.01))
    assert sure.plot().title == f"The difference is shown to depend on {words}"
    assert sure.dependence().startswith(sure.plot().title)
    assert replace(sure, meaning="").plot().title == "The difference is shown to depend on relevant"
    untested = replace(groups, interaction=None, no_interaction="there is one slice only")
    assert untested.plot().title == minus(f"B - A by {words}")
    last = replace(groups.slices[-1], verdict=-1, outcome="reverses")
    reverse = replace(groups, verdict=1, slices=(*groups.slices[:-1], last))
    assert reverse.plot().title == f"Reversed on slice 24 to 51 of {words}: lexical-3 is shown to score higher there"
    assert reverse.plot().table["outcome"][-1] == "A ahead"


def test_an_interval_that_excludes_0_where_no_difference_is_shown_is_explained(results):
    groups = results[Slices]
    part = next(part for part in groups.slices if part.effect)
    note = "; an interval of one slice alone can exclude 0 where no difference is shown"

    def caption(verdict, lower, upper):
        effect = replace(part.effect, lower=lower, upper=upper)
        return replace(groups, slices=(replace(part, effect=effect, verdict=verdict),)).plot().caption

    assert note in caption(0, 0.01, 0.2)
    assert note in caption(0, -0.2, -0.01)
    assert note not in caption(1, 0.01, 0.2)
    assert note not in caption(0, -0.1, 0.2)


def test_attribute_holds_each_topic_and_the_means_of_slices(results):
    comparison, groups = results[Comparison], results[Slices]
    chart = comparison.plot("attribute")
    scored = comparison.scored
    apart = dict(zip(scored.topics, np.subtract(*scored.value.T[::-1]), strict=True))
    number = dict(zip(scored.topics, groups.numbers, strict=True))
    assert len(chart.table["topic"]) == 49
    for topic, value, d in zip(*(chart.table[key] for key in ("topic", "attribute", "difference")), strict=True):
        assert (value, d) == (number[topic], pytest.approx(apart[topic]))
    means = chart.tables["attribute-slices"]
    for i, part in enumerate(groups.slices):
        inside = [t for t in scored.topics if means["from"][i] <= number[t] <= means["to"][i]]
        assert (means["slice"][i], len(inside)) == (part.name, part.n_topics)
        assert means["mean"][i] == pytest.approx(np.mean([apart[t] for t in inside]))
        assert (means["lower"][i], means["upper"][i]) == part.effect.ends


@QUIET
def test_attributes_that_cannot_be_drawn(judged):
    plain = rs.compare(judged, "lexical-3", "hybrid-1", measure="RR", others=False, workers=1)
    for name in ("slices", "attribute"):
        assert name not in figures.names(plain)
        with pytest.raises(rs.InputError, match="topics were not sliced"):
            plain.plot(name)
    kind = {topic: ("odd", "even", "")[i % 3] for i, topic in enumerate(judged.topics)}
    with pytest.warns(rs.DataWarning, match="missing"):
        named = rs.compare(judged, "lexical-3", "hybrid-1", measure="RR", by="kind", topics_table={"kind": kind},
                           others=False, workers=1)  # fmt: skip
    assert [name.split(" (")[0] for name in named.plot("slices").table["name"]] == [
        "even", "odd", "missing", "all topics"]  # fmt: skip
    with pytest.raises(rs.InputError, match="no numbers"):
        named.plot("attribute")
    assert "slices" in figures.names(named)
    assert "attribute" not in figures.names(named)
    age = {topic: (i if i % 7 else "") for i, topic in enumerate(judged.topics)}
    with pytest.warns(rs.DataWarning, match="missing"):
        some = rs.compare(judged, "lexical-3", "hybrid-1", measure="RR", by="age", topics_table={"age": age},
                          others=False, workers=1)  # fmt: skip
    chart = some.plot("attribute")
    assert "topics without a value" in chart.caption
    assert "missing" not in chart.tables["attribute-slices"]["slice"]


def by_thirds():
    """Two systems on 60 topics, of which many have one value of the attribute and one difference."""
    table = {"n": {f"q{t}": t % 3 for t in range(60)}}
    qrels = {f"q{t}": {"a": 1, "b": 0} for t in range(60)}
    runs = {name: {f"q{t}": {"a": 1.0, "b": 2.0 if name == "x" and t % 5 == 0 else 0.5} for t in range(60)}
            for name in "xy"}  # fmt: skip
    return rs.compare(rs.load(qrels, runs), "x", "y", measure="RR", by="n", topics_table=table, others=False)


def test_sizes_of_points_have_a_legend():
    chart = by_thirds().plot("attribute", narrow=True)
    svg = chart.to_svg()
    assert ">topics</text>" in svg
    assert ">16</text>" in svg
    (size,) = (layer["encoding"]["size"] for layer in chart.spec["layer"] if "size" in layer["encoding"])
    (first, last), (least, largest) = size["scale"]["domain"], size["scale"]["range"]
    assert last == 16
    assert largest / last == pytest.approx(least / first)


@pytest.mark.parametrize(("values", "scale", "words"), [
    ([1, 2, 3, 90], "log", "x (logarithmic)"), ([0, 2, 3, 90], "sqrt", "x (square-root scale)"),
    ([0, 2, 3, 20], "linear", "x"), ([-1, 2, 3, 90], "linear", "x"),
])  # fmt: skip
def test_few_large_values_do_not_crowd_the_others(values, scale, words):
    """An attribute from 0 has no magnitudes: roots keep 0, 1, 2 apart beside 1,000."""
    x = _axis(values, "x")
    assert (x["scale"]["type"], x["axis"]["title"]) == (scale, words)
    assert x["scale"]["domain"] == [values[0], values[-1]]
    if scale == "sqrt":
        ticks = x["axis"]["values"]
        assert ticks[0] == 0
        assert all(values[0] <= tick <= values[-1] for tick in ticks)
        roots = np.sqrt(ticks)
        assert np.diff(roots).min() > 0.15 * roots[-1]


def test_outlines_of_many_points_leave_their_colours(results):
    comparison = results[Comparison]
    marks = [layer["mark"] for layer in comparison.plot("attribute").spec["layer"] if "size" in layer["encoding"]]
    assert [mark["stroke"] for mark in marks] == [LIGHT.ink]
    assert vl.outlined(45, LIGHT, few=False)["strokeWidth"] < marks[0]["strokeWidth"]


def test_points_of_an_attribute_grow_with_their_topics():
    chart = by_thirds().plot("attribute")
    assert len(chart.table["topic"]) == 60
    assert sorted(set(chart.table["topics"])) == [4, 16]
    assert ", or for several in one place; area of a point: its number of topics" in chart.caption
    assert len(chart.spec["data"]["values"]) == 6
    ends = [layer for layer in chart.spec["layer"] if layer["mark"]["type"] == "tick"]
    assert all(layer["mark"]["size"] >= 16 for layer in ends)
    assert len(ends) == 2


def test_points_of_topics_that_look_like_one_are_counted(results):
    found = results[Comparison]
    values = np.arange(len(found.scored.topics), dtype=float)
    near = replace(found, slices=replace(found.slices, numbers=np.where(values < 2, values / 100, values)))
    alike = replace(found.scored, value=np.where((values < 2)[:, None], [[0.3, 0.4]], found.scored.value))
    caption = replace(near, scored=alike).plot("attribute").caption
    assert "; 2 points are so close to another that both look like one" in caption
