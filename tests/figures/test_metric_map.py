"""The metric map: captions and interval."""

import re
from dataclasses import replace

from drawings import QUIET

from rankscope.comparisons import Comparison, MetricMap

pytestmark = QUIET


def test_the_interval_of_the_metric_map_has_its_level(results):
    for kind in (Comparison, MetricMap):
        svg = results[kind].plot("metric map").to_svg()
        assert re.search(r"in standard deviations, with its 95 % interval<", svg)


def test_the_map_of_metrics_explains_both_panels(results):
    caption = results[MetricMap].plot().caption
    assert "\nbelow: named measures; unit: the standard deviation of the differences over topics" in caption
    mapped = results[MetricMap]
    unsure = tuple(replace(cell, outcome="B ahead") for cell in mapped.grid)
    svg = replace(mapped, grid=unsure).plot().to_svg()
    assert ">B ahead, not significant</text>" in svg
    assert ">B ahead</text>" not in svg


def test_measures_that_no_list_is_deep_enough_for_are_named(results):
    mapped = results[MetricMap]
    assert "read no deeper" not in replace(mapped, longest=100).plot().caption
    shallow = replace(mapped, longest=20)
    said = "Lists have at most 20 documents: nDCG@100, R@100 read no deeper"
    assert f"\n{said}\n" in shallow.plot().caption
    assert f"{said}." in shallow.remarks()


def test_the_threshold_of_grades_is_said_where_there_is_a_choice(results):
    graded = results[MetricMap]
    assert "\nrelevant: grade 1 or more\n" in graded.plot().caption
    assert "Relevant: grade 1 or more." in graded.remarks()
    binary = replace(graded, relevant=None)
    assert "from grade" not in binary.plot().caption
    assert not any("from grade" in line for line in binary.remarks())
