"""Figures of metrics say in which panel something is, and how large a point is."""

import re
from dataclasses import replace

import numpy as np
import pytest
from drawings import EVERY, LOOKS, QUIET, parts, ticks

import rankscope as rs
from rankscope import studies, universe
from rankscope.figures import LIGHT, names
from rankscope.figures import vega as vl
from rankscope.figures.chart import drawn
from rankscope.figures.curves import thicknesses
from rankscope.figures.fractions import _hidden
from rankscope.figures.vega import Areas
from rankscope.studies import TiedRankings

pytestmark = QUIET


def test_the_widest_range_of_samples_is_said_to_be_in_its_panel(results):
    chart = results[studies.Incompleteness].plot()
    table = chart.table
    widest = max(range(len(table["tau"])), key=lambda i: table["highest"][i] - table["lowest"][i])
    assert len(set(table["sampling"])) == 2
    assert chart.caption.endswith(f" at {100 * table['fraction'][widest]:g} % ({table['sampling'][widest]})")


def test_later_lines_are_thinner():
    assert thicknesses(3) == sorted(set(thicknesses(3)), reverse=True)


@pytest.mark.parametrize("numbers", [[1, 2], [1, 4, 40], [1, 308], [7, 100_000]])
def test_areas_are_in_proportion_from_the_least_on(numbers):
    areas = Areas.of(numbers, 55, 600, 18)
    most = max(numbers)
    assert areas.area(most) <= 600
    for number in numbers:
        if number > areas.alike:
            assert areas.area(number) / areas.area(most) == pytest.approx(number / most)
    assert areas.area(areas.alike) == pytest.approx(areas.area(1)) == pytest.approx(areas.least)
    channel = areas.channel("topics", "topics")
    assert channel["scale"]["domain"][0] / channel["scale"]["range"][0] == pytest.approx(
        channel["scale"]["domain"][1] / channel["scale"]["range"][1]
    )
    shown = channel["legend"]["values"]
    assert 2 <= len(shown) <= 3
    assert shown == sorted(set(shown))
    assert (shown[0], shown[-1]) == (areas.alike, most)
    assert (f"1 to {areas.alike:,}" in areas.words) == (areas.alike > 1)


def test_bands_have_edges_that_look_like_their_lines(results):
    panel = results[studies.Removal].plot().spec["vconcat"][0]
    lines = [layer for layer in panel["layer"] if layer["mark"]["type"] == "line"]
    assert [line["encoding"]["y"]["field"] for line in lines] == ["lowest", "highest", "agreement"]
    for key in ("color", "strokeDash"):
        assert all(line["encoding"][key] == lines[-1]["encoding"][key] for line in lines)
    assert lines[0]["mark"]["strokeWidth"] == lines[1]["mark"]["strokeWidth"] < thicknesses(3)[-1]


@pytest.mark.parametrize(
    ("ranks", "ticks"),
    [([1, 2, 3, 7], [1, 2, 3, 7]), ([1, 2, 3, 4, 6, 7, 8, 9, 10, 30], [1, 2, 5, 10, 20, 30]), ([1], [1]),
     ([1, 2, 3, 4, 6, 7, 8, 9, 11], [1, 2, 5, 10])],
)  # fmt: skip
def test_ticks_of_few_first_ranks_are_those_and_of_many_round_numbers(ranks, ticks, results):
    ties = results[TiedRankings]
    first = ties.first_rank * 0
    first[[rank - 1 for rank in ranks]] = 100
    spec = replace(ties, first_rank=first, first_tied=first // 2).plot("first rank").spec
    assert spec["encoding"]["x"]["axis"]["values"] == ticks


def test_consistency_counts_systems_and_topics(results):
    study = results[studies.ConsistencyStudy]
    counts = f"rankings of {study.n_systems} systems by two halves of {study.n_topics} topics, "
    assert counts in study.plot().caption


def test_circles_of_ranks_have_a_legend_of_sizes(results):
    chart = results[TiedRankings].plot("first rank")
    most = max(chart.table["pairs"])
    assert "; area of a circle: number of comparisons of a list with another" in chart.caption
    legend = chart.spec["encoding"]["size"]["legend"]
    assert (legend["symbolOpacity"], legend["symbolFillColor"]) == (chart.spec["mark"]["opacity"], LIGHT.ink)
    svg = chart.to_svg()
    assert f">{most:,}</text>" in svg
    assert ">comparisons</text>" in svg


def test_shares_of_ties_begin_at_0(results):
    figure = next(one for one in EVERY if one.of is studies.TiedRankings and one.name == "labels")
    sheet = figure.sheet(results[studies.TiedRankings])
    columns = {key: [0.3 + value / 2 for value in sheet.columns[key]] for key in ("share", "lowest", "highest")}
    chart = drawn("labels", replace(sheet, columns={**sheet.columns, **columns}), figure.drawing, "light")
    scales = [part["scale"]["domain"] for part in parts(chart.spec)
              if part.get("field") == "share" and "domain" in part.get("scale", {})]  # fmt: skip
    assert scales
    assert all(low == 0 for low, _ in scales)
    assert ">0.0</text>" in chart.to_svg()


def test_the_method_of_intervals_is_not_cut(results):
    study = replace(results[studies.Similarity], interval="basic bootstrap over topics, 10,000 samples, seed 42")
    for narrow in (False, True):
        assert "…" not in study.plot(narrow=narrow).to_svg()


def test_a_small_share_is_not_printed_as_0(results):
    figure = next(one for one in EVERY if one.of is studies.TiedRankings and one.name == "labels")
    ties = results[studies.TiedRankings]

    class Rare(type(ties)):
        def columns(self, name):
            found = super().columns(name)
            return {**found, "share": [0.0043 for _ in found["share"]]}

    rare = Rare(**{name: getattr(ties, name) for name in ties.__dataclass_fields__})
    assert "share of pairs that tie is 0.004 (" in figure.sheet(rare).title


def test_a_range_whose_ends_read_the_same_is_no_range(results):
    figure = next(one for one in EVERY if one.of is studies.Removal)
    removal = results[studies.Removal]

    class Close(type(removal)):
        def columns(self, *names):
            found = super().columns(*names)
            return {**found, "agreement": [0.2201 + i / 100_000 for i in range(len(found["agreement"]))]}

    close = Close(**{name: getattr(removal, name) for name in removal.__dataclass_fields__})
    assert figure.sheet(close).title.endswith(
        "agreement with RR on all labels is 0.22 (RR, rrLP, sgnLP); pairs of systems: 0.22 (RR, rrLP, sgnLP)"
    )
    study = results[studies.JudgeStudy]
    judges = tuple(replace(row, fidelity=study.judges[0].fidelity) for row in study.judges)
    assert " to " not in replace(study, judges=judges).plot("judges").title


def test_pairs_that_read_the_same_are_named_together(results):
    figure = next(one for one in EVERY if one.of is studies.Similarity)
    study = results[studies.Similarity]

    class Alike(type(study)):
        taus = ()

        def show(self):
            found = super().show()
            rows = [{**row, "tau": tau} for row, tau in zip(found.rows(), self.taus, strict=True)]
            return type("Shown", (), {"rows": lambda _: rows})()

    alike = Alike(**{name: getattr(study, name) for name in study.__dataclass_fields__})
    names = [f"{vl.short(row['first'])} and {vl.short(row['second'])}" for row in study.show().rows()]
    head = "By mean scores most alike: "
    for taus, title in (
        ((1.0, 0.5, 0.6, 0.7, 0.8, 0.9), f"{names[0]} (1.00); least alike: {names[1]} (0.50)"),
        ((1.0, 1.0, 1.0, 0.7, 0.8, 0.9), f"{names[0]} (1.00, as 2 other pairs); least alike: {names[3]} (0.70)"),
        ((0.998, 0.5, 0.6, 0.7, 0.8, 0.9), f"{names[0]} (>0.99); least alike: {names[1]} (0.50)"),
    ):
        Alike.taus = taus
        assert figure.sheet(alike).title == head + title


def test_no_correlation_below_1_is_printed_as_1(results):
    figure = next(one for one in EVERY if one.of is studies.Similarity)
    sheet = figure.sheet(results[studies.Similarity])
    value = [0.998, 1.0, 0.004, *(0.5 for _ in sheet.columns["tau"][3:])]
    svg = drawn("x", replace(sheet, columns={**sheet.columns, "tau": value}), figure.drawing, "light").to_svg()
    cells = re.findall(r">((?:&gt;|&lt;)?\d\.\d\d)</text>", svg.partition("role-legend")[0])
    assert {"&gt;0.99", "1.00", "&lt;0.01"} <= set(cells)


def test_an_interval_without_a_width_is_not_printed(judged):
    chart = studies.similarity(judged, ["RR", "RR@100", "P@10"], workers=1).plot()  # RR ranks like RR@100
    assert any(tau == 1 for tau in chart.table["tau"])
    svg = chart.to_svg()
    assert "[1.00, 1.00]" not in svg
    assert "null" not in svg
    assert re.search(r">\[0\.\d\d, [01]\.\d\d\]</text>", svg)


def test_the_fraction_of_the_title_is_on_the_axis(results):
    figure = next(one for one in EVERY if one.of is studies.Incompleteness)
    sheet = figure.sheet(results[studies.Incompleteness])
    fraction = [{0.5: 0.05, 0.9: 0.9}[one] for one in sheet.columns["fraction"]]
    svg = drawn("x", replace(sheet, columns={**sheet.columns, "fraction": fraction}), figure.drawing, "light").to_svg()
    labels = {text for axis in ticks(svg) for _, text, _ in axis}
    assert labels >= {"5", "90"}  # in per cent, as in the title, and at both ends
    assert ">judgments left, % of the pool</" in svg


@pytest.mark.parametrize("narrow", [False, True])
def test_squares_of_twelve_measures_hold_their_numbers(narrow, judged):
    from rankscope.figures.letters import text_width

    chart = studies.similarity(judged, [f"P@{k}" for k in range(1, 13)], workers=1).plot(narrow=narrow)
    svg = chart.to_svg()
    texts = re.findall(r'font-size="(\d+)px"[^>]*>(&gt;|\N{MINUS SIGN})?(0?\.\d\d|1(?:\.00)?)</text>',
                       svg.partition("role-legend")[0])  # fmt: skip
    assert len(texts) >= 12 * 11
    cell = float(re.search(r'<path aria-label="[^"]*" role="graphics-symbol" aria-roledescription="rect mark" '
                           r'd="M[\d.,-]+h([\d.]+)', svg)[1])  # fmt: skip
    assert max(text_width(sign.replace("&gt;", ">") + text, float(size)) for size, sign, text in texts) <= cell


def test_percentages_of_many_measures_keep_their_digits(results):
    figure = next(one for one in EVERY if one.of is universe.Frequencies and one.name == "frequencies")
    sheet = figure.sheet(results[universe.Frequencies])
    names = [*sheet.words["names"], *(f"P@{i}" for i in range(8))]
    percent = [10.4, 20.0, *(0.0 for _ in sheet.columns["percent"][2:])]
    sheet = replace(sheet, columns={**sheet.columns, "percent": percent}, words={**sheet.words, "names": names})
    svg = drawn("x", sheet, figure.drawing, "light", narrow=True).to_svg()
    assert all(f">{number}</text>" in svg for number in ("10.4", "20.0", "0.0"))


@LOOKS
def test_agreement_below_0_has_another_hue(look, results):
    study = results[studies.JudgeStudy]
    first = study.judges[0]
    low = replace(first, agreement=replace(first.agreement, alpha_ordinal=-0.1))
    chart = replace(study, judges=(low, *study.judges[1:])).plot("judges", theme=look.name)
    assert chart.caption.endswith("colours from -1 to 1")
    assert any(part.get("range") == [*reversed(look.below), *look.ramp[1:]] for part in parts(chart.spec))


def test_the_number_of_pairs_told_apart_is_on_the_axis(results):
    power = results[studies.DiscriminativePower]
    chart = power.plot(upto=1.0)
    rows = list(zip(*(chart.table[key] for key in ("pairs", "asl", "measure")), strict=True))
    for name, count in zip(power.candidates, power.significant[0], strict=True):
        told_apart = [pairs for pairs, asl, measure in rows if measure == name and asl < power.alpha]
        assert max(told_apart, default=0) == count
    names = [name for name in re.findall(r">([^<>]+)</text>", power.plot().to_svg()) if name in power.candidates]
    counts = [int(power.significant[0][power.candidates.index(name)]) for name in names]
    assert counts == sorted(counts, reverse=True)  # from the top, as lines cross the level from the right


def test_metrics_without_a_line_are_named_and_pairs_of_each_are_counted(results):
    power = results[studies.DiscriminativePower]
    pvalue, n = power.pvalue.copy(), len(power.first)
    pvalue[:] = 0.2
    pvalue[0, 1] = 0.1  # its whole line is below the limit; that of the metric before it is above
    pvalue[0, 1, :3] = 0.001
    pvalue[0, 3, :2] = np.nan
    a, b, c, d = power.candidates
    chart = replace(power, pvalue=pvalue).plot()
    assert chart.caption.endswith(
        f"\npairs told apart: {b} (3), {a} (0), {c} (0), {d} (0); no line, since no pair has an ASL up to 0.15: {a}, "
        f"{c} and {d}; pairs without an ASL: {d} (2)"
    )
    assert set(chart.table["measure"]) == {b}
    assert len(chart.table["measure"]) == n
    pvalue[:] = 0.01
    assert chart.title == f"{b} tells the most pairs of systems apart: 3 of {n}"
    chart = replace(power, pvalue=pvalue).plot()
    assert chart.caption.endswith(f"\npairs told apart: {a} ({n}), {b} ({n}), {c} ({n}), {d} ({n})")
    both = replace(power, tests=("t", "randomised-hsd"), pvalue=np.concatenate([pvalue, pvalue + 0.2])).plot().caption
    assert both.endswith(
        f"; pairs told apart (randomised-hsd): {a} (0), {b} (0), {c} (0), {d} (0); no line, since no pair has an ASL "
        f"up to 0.15: {a} (randomised-hsd), {b} (randomised-hsd), {c} (randomised-hsd) and {d} (randomised-hsd)"
    )
    pvalue[:] = 0.1
    assert replace(power, pvalue=pvalue).plot().title == "No metric tells any two systems apart"


def test_flat_beginnings_of_lines_are_not_drawn(results):
    power = results[studies.DiscriminativePower]
    pvalue = power.pvalue.copy()
    pvalue[:] = 0.001
    pvalue[..., -3:] = (0.02, 0.06, 0.5)
    chart = replace(power, pvalue=pvalue).plot()
    n = len(power.first)
    start = chart.sheet.words["start"]
    assert n - 6 <= start < n - 2
    assert f"; pairs 1 to {start - 1}, with an ASL up to 0.001 by every metric, not drawn" in chart.caption


def test_levels_end_where_nothing_changes(results):
    ties = results[studies.TiedRankings]
    tied, pairs = ties.level_tied.copy(), ties.level_pairs.copy()
    tied[3:], pairs[3:] = pairs[3:], pairs[3:]
    chart = replace(ties, level_tied=tied, deciding=ties.deciding[:2]).plot("levels")
    assert max(chart.table["level"]) == 4
    assert f"; levels 5 to {len(pairs)}, which change nothing, not drawn; " in chart.caption
    assert "1" in {text for axis in ticks(chart.to_svg()) for _, text, _ in axis}


def test_depths_of_metrics_are_said(judged):
    given = {"resampling": rs.statistics.Resampling(20), "workers": 1}
    assert (
        "; depth 10, of ERR@20: 20; relevant: grade 1 or more;\n"
        in studies.consistency(judged, ["AP", "P@10", "ERR@20"], **given).plot().caption
    )


METRIC_STUDIES = [
    studies.Agreement, studies.Similarity, studies.ConsistencyStudy, studies.DiscriminativePower, studies.Alternatives,
    studies.ScalesInPractice, studies.Scorecard, studies.Incompleteness, studies.Removal, studies.TiedRankings,
    studies.Locality,
]  # fmt: skip


@pytest.mark.parametrize("kind", METRIC_STUDIES, ids=lambda kind: kind.__name__)
def test_captions_of_studies_say_which_documents_are_relevant(kind, results):
    found = results[kind]
    for name in names(found):
        assert "; relevant: grade 1 or more" in found.plot(name).caption, name
    stricter = replace(found, settings={**found.settings, "relevant_from": 2.0})
    assert "; relevant: grade 2 or more" in stricter.plot().caption
    scores = {key: value for key, value in found.settings.items() if key != "relevant_from"}
    assert "relevant from" not in replace(found, settings=scores).plot().caption


def test_lines_that_cover_each_other_are_named():
    columns = {
        "candidate": ["x", "x", "x", "y", "y", "y", "z", "z", "z"], "fraction": [0.1, 0.5, 1.0] * 3,
        "level": ["pairs of lists"] * 9, "share": [0.2, 0.4, 0.9, 0.2, 0.401, 0.9, 0.5, 0.6, None],
    }  # fmt: skip
    head = "\ncurves that cover each other (within 1 % of the axis) at more than half of the fractions: "
    assert _hidden(columns, "share") == f"{head}x and y at 3 of 3 fractions"
    assert _hidden(columns, "share", "level") == f"{head}x and y at 3 of 3 fractions (pairs of lists)"
    columns["share"][3:6] = [0.3, 0.45, 0.8]
    assert _hidden(columns, "share") == ""
