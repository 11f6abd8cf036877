"""Slices: what the forest plot and the plot against an attribute hold, and the titles."""

from dataclasses import replace

import numpy as np
import pytest
from drawings import QUIET

import rankscope as rs
from rankscope import figures
from rankscope.comparisons import Comparison
from rankscope.comparisons.slices import Slices
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


def test_title_says_what_the_test_of_interaction_says(results):
    groups = results[Slices]
    words = "the number of relevant documents"
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
