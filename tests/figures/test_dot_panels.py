"""Scorecards say what their columns are and how differences in them were tested; panels have numbers."""

import re
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from drawings import LOOKS, QUIET, parts, ticks

from rankscope import studies, universe
from rankscope.studies.columns import COLUMNS

pytestmark = QUIET


def test_caption_of_a_scorecard_explains_each_column_and_names_its_test(results):
    chart = results[studies.Scorecard].plot()
    names = {panel.removesuffix(", %") for panel in chart.table["panel"]}
    assert names == {"power", "consistency", "tied", "as IPSO"}
    for record in COLUMNS:
        name = "as IPSO" if record.heading == "ipso" else record.heading
        if name in names:
            assert f"{name} {record.test}" in chart.caption if record.test else True
            counted = record.counted.format(alpha=0.05)
            assert f"; {name}: {record.meaning}{': ' * bool(counted)}{counted}; " in chart.caption.replace("\n", "; ")
    assert "told apart by a test: randomised Tukey HSD, p < 0.05; " in chart.caption
    assert "none shown): Student's t or the sign test, against IPSO's sign test, p < 0.05; " in chart.caption
    assert "no test: power and as IPSO\nIPSO compares two lists without a metric" in chart.caption


def numbers_of_axes(svg):
    """Labels of the axes of numbers, panel by panel."""
    axes = re.findall(r'class="mark-text role-axis-label"[^>]*>(.*?)</g>', svg, re.DOTALL)
    labels = [re.findall(r">([^<]*\d[^<]*)</text>", axis) for axis in axes]
    return [axis for axis in labels if axis and not any("@" in label or "-" in label for label in axis)]


@pytest.mark.parametrize("gained", [(21, 14, 0), (3, -2, 0), (1200, 40, -900)])
@pytest.mark.parametrize("consistency", [(0.22, 0.11, -0.64), (0.031, 0.02, 0.0), (-0.2, 0.19, 0.0)])
def test_panels_of_alternatives_have_three_numbers_at_least(results, gained, consistency):
    found = results[studies.Alternatives]
    rows = tuple(
        replace(found.rows[0], measure=f"metric-{i}", gained=max(0, more), lost=max(0, -more), consistency=change)
        for i, (more, change) in enumerate(zip(gained, consistency, strict=True))
    )
    svg = replace(found, rows=rows).plot().to_svg()
    *_, changes, pairs = numbers_of_axes(svg)
    assert min(len(changes), len(pairs)) >= 3
    assert "0" in {*changes} & {*pairs}


@pytest.mark.parametrize("taus", [(0.42, 0.63, 0.75), (0.67, 0.84, 0.88), (0.2, 0.5, 0.97)])
def test_the_panel_of_tau_has_three_plain_numbers(results, taus):
    found = results[studies.Alternatives]
    rows = tuple(replace(found.rows[0], measure=f"metric-{i}", tau=tau) for i, tau in enumerate(taus))
    for chart in (replace(found, rows=rows).plot(), results[studies.Scorecard].plot()):
        for axis in numbers_of_axes(chart.to_svg()):
            assert all(re.fullmatch(r"\N{MINUS SIGN}?\d[\d.]*", number) for number in axis)
    assert len(numbers_of_axes(replace(found, rows=rows).plot().to_svg())[0]) >= 3


def test_axes_of_counts_have_whole_numbers(results):
    found = results[studies.Alternatives]
    one = replace(found.rows[0], gained=1, lost=0)
    *_, pairs = numbers_of_axes(replace(found, rows=(one, replace(one, measure="other", gained=0))).plot().to_svg())
    assert pairs == ["0", "1"]


def parts_with_points(spec):
    return [part for part in parts(spec) if part.get("mark", {}).get("type") == "point"]


def test_a_metric_is_better_only_in_what_it_is_better_in(results):
    found = results[studies.Alternatives]
    row = replace(found.rows[0], tau=0.95, consistency=0.05, pvalue=0.9, gained=4, lost=2)
    chart = replace(found, rows=(row, *found.rows[1:])).plot()
    marks = {panel: mark for name, panel, mark in zip(*(chart.table[k] for k in ("row", "panel", "mark")), strict=True)
             if name == row.measure}  # fmt: skip
    assert marks == {"tau": "ranks alike, better", "consistency": "ranks alike, no better",
                     "pairs told apart": "ranks alike, better"}  # fmt: skip
    assert chart.title.endswith("in discriminative power")


def test_measures_of_one_family_stand_together():
    found = universe.disagreement(["DCG", "SP", "P", "nDCG", "RR", "R", "AP", "RBP(p=0.5)"], depth=4)
    chart = found.plot()
    names = ["DCG", "nDCG", "AP", "SP", "P@4", "R@4", "RBP(p=0.5)", "RR"]
    assert chart.sheet.words["names"] == names
    rows = zip(*(chart.table[key] for key in ("row", "column", "percent")), strict=True)
    at = {str(measure): i for i, measure in enumerate(found.measures)}
    for row, column, percent in rows:
        assert names.index(row) > names.index(column)
        assert percent == found.share[at[row], at[column]]
    assert chart.caption.endswith("SP: AP times R")


def test_panels_of_one_quantity_have_one_scale(results):
    chart = results[studies.ScalesInPractice].plot()
    most = max(chart.table["value"])
    domains = [part["scale"]["domain"] for part in parts(chart.spec)
               if part.get("field") == "value" and "domain" in part.get("scale", {})]  # fmt: skip
    assert len(domains) >= 2
    assert all(domain == [0, most] for domain in domains)


@LOOKS
def test_marks_of_a_row_are_nested(look, results):
    """Those before the last are hollow and larger, so that points in one place are seen, and points beside them."""
    for kind, name in ((universe.Frequencies, "occurrence"), (studies.ScalesInPractice, "scales")):
        chart = results[kind].plot(name, theme=look.name)
        *_, points = parts_with_points(chart.spec)
        fill, size = (points["encoding"][key]["scale"]["range"] for key in ("fill", "size"))
        assert set(fill[:-1]) == {"transparent"}
        assert fill[-1] not in ("transparent", look.ground)
        assert (size[0] / np.pi) ** 0.5 >= (size[1] / 2) ** 0.5 + 1.5  # the corners of a square leave the circle free
        assert all(large >= 1.4 * small for large, small in pairwise(size))
        # what hides the line between marks is below all of them
        below = [part["mark"]["color"] for part in parts_with_points(chart.spec)[: len(size) - 1]]
        assert set(below) == {look.ground}
        assert len(re.findall(r'class="mark-symbol role-legend-symbol', chart.to_svg())) == len(size)


@pytest.mark.parametrize("narrow", [False, True])
def test_every_panel_of_a_scorecard_has_two_numbers(narrow, results):
    chart = results[studies.Scorecard].plot(narrow=narrow)
    svg = chart.to_svg()
    panels = ticks(svg)
    assert len(panels) == len(set(chart.table["panel"]))
    marks = [len(re.findall("<line", group)) for group in re.findall(r"role-axis-tick.*?</g>", svg, re.DOTALL)]
    assert sorted(len(panel) for panel in panels) == sorted(count for count in marks if count)
    assert ">against the leader of the column:</" in svg


def test_buckets_name_the_measures_and_those_with_each_property(results):
    caption = results[universe.Buckets].plot().caption
    assert "; 3 measures: AP, DCG and P@5; " in caption
    assert "top-weighted: AP and DCG, means of 1, 2 and 0 pairs; bounded: AP and P@5, means of " in caption


def test_a_scorecard_says_how_far_down_ipso_looks(results):
    caption = results[studies.Scorecard].plot().caption
    order = "counts of documents at every grade threshold (1, 2, 3)"
    assert (
        f"\nIPSO compares two lists without a metric, here down to rank 10 by {order}; measures without @ " in caption
    )
