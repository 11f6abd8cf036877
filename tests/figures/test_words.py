"""Words of figures: ties and counts in titles, levels of intervals, and what names and signs in a figure mean."""

import re
from dataclasses import replace

import numpy as np
import pytest
from drawings import QUIET

import rankscope as rs
from rankscope import studies, universe
from rankscope.comparisons import CollectionBoard, Comparison, Gate, Leaderboard, MetricMap
from rankscope.comparisons.slices import Slices
from rankscope.comparisons.topic_attributes import TopicPlan
from rankscope.figures import vega as vl
from rankscope.figures.dot_panels import _moved
from rankscope.figures.metrics import _steadiest
from rankscope.measures.bounding.result import BoundMeans
from rankscope.measures.scores import Scores
from rankscope.preferences import Dominance, DominanceMatrix
from rankscope.statistics import nemenyi
from rankscope.statistics.families.comparisons import Comparisons
from rankscope.statistics.replications.repeated_runs import VarianceComponents
from rankscope.universe.two_measures.buckets import Bucket

pytestmark = QUIET
RELEVANT = "number of documents of grade 1 or more"


# two systems


def test_intervals_of_a_gate_have_their_levels(results):
    gate = results[Gate]
    levels = {check.effect.level for check in gate.checks[1:]}
    assert len(levels) == 1
    slices = f"{100 * levels.pop():.4g} % for each slice"
    assert slices != "95 % for each slice"
    assert f"\nintervals: 95 % for all topics, {slices}, as several" in gate.plot("checks").caption
    alone = replace(gate, checks=gate.checks[:1], slices=None).plot("checks")
    assert "\nintervals: 95 %\npass: the interval is above the dashed line, a loss of " in alone.caption


def test_a_gate_counts_the_slices_that_decide(results):
    gate = replace(results[Gate], also=())
    every, *slices = gate.checks

    def title(outcome, count, groups=gate.slices):
        words = [outcome] * count + ["pass"] * (len(slices) - count)
        parts = [replace(part, outcome=word) for part, word in zip(slices, words, strict=True)]
        return replace(gate, checks=(replace(every, outcome="pass"), *parts), slices=groups).plot("checks").title

    n, whole = len(slices), "hybrid-1 passes over all topics together, but"
    assert title("inconclusive", 2) == f"INCONCLUSIVE: {whole} 2 of {n} slices are inconclusive"
    assert title("inconclusive", n) == f"INCONCLUSIVE: {whole} {n} of {n} slices are inconclusive"
    assert title("regression", 2) == f"REGRESSION: {whole} is worse than lexical-3 on 2 of {n} slices"
    assert title("inconclusive", 1) == f"INCONCLUSIVE: {whole} slice {slices[0].name} is inconclusive"
    assert title("pass", n).startswith("PASS: hybrid-1 ")
    listed = replace(gate.slices, by="slices", meaning="")
    assert title("inconclusive", 2, listed) == title("inconclusive", 2)


def test_a_computed_attribute_is_in_words_and_a_column_keeps_its_name(judged, results):
    comparison = results[Comparison]
    assert comparison.slices.meaning == RELEVANT
    for figure in ("slices", "attribute"):
        assert comparison.plot(figure).title.endswith(f"to depend on the {RELEVANT}")
    assert comparison.plot("attribute").sheet.words["x"] == RELEVANT
    assert f"slices of the {RELEVANT}" in results[Gate].plot("checks").caption
    values = {topic: i for i, topic in enumerate(judged.topics)}
    own = {"relevant": values}
    assert TopicPlan.of(own).meaning(results[Comparison].scored, "relevant") == ""
    named = rs.compare(judged, "lexical-3", "hybrid-1", measure="nDCG@10", topics_table=own, by="relevant", workers=1)
    assert named.plot("attribute").sheet.words["x"] == "relevant"
    assert named.plot("slices").title.endswith("to depend on relevant")
    gated = rs.gate(judged, "lexical-3", "hybrid-1", measure="nDCG@10", topics_table=own, by="relevant")
    assert "slices of relevant;" in gated.plot("checks").caption


def test_slices_by_themselves_have_a_level(results):
    assert ", 95 % intervals; over all topics " in results[Slices].plot().caption


def test_rows_of_strips_are_said_to_be_topics(results):
    assert "; 49 topics: " in results[Comparison].plot("strips").caption


def test_line_and_bar_of_differences_are_named(results):
    caption = results[Comparison].plot("differences").caption
    assert "; dashed line: mean, bar at its right end: 95 % interval\n" in caption


def test_a_probability_below_1_is_not_printed_as_1(results):
    tested = results[Dominance]
    near = replace(tested, pvalues_reverse=np.full(len(tested.ranks), 0.9999998)).plot().caption
    assert " in the test for B ahead and > 0.9999 in the test for A ahead\n" in near
    one = replace(tested, pvalues_reverse=np.ones(len(tested.ranks))).plot().caption
    assert " in the test for B ahead and 1.0000 in the test for A ahead\n" in one
    assert "significant: p of one direction at most 0.025, uncorrected; of a point: p for the sum to this rank; " in one


def test_the_map_of_metrics_says_level_and_verdict(results):
    mapped = results[MetricMap]
    assert mapped.plot().to_svg().count("in standard deviations, with its 95 % interval") >= 1
    assert "bold" in mapped.plot().caption
    unsure = replace(
        mapped, grid=tuple(replace(cell, outcome=cell.outcome.split(",")[0]) for cell in mapped.grid)
    )  # fmt: skip
    assert "bold" not in unsure.plot().caption
    comparison = results[Comparison]
    assert "The verdict under nDCG@10, over these settings of RBP: holds in " in comparison.plot("metric map").caption
    chart = replace(comparison, effect=replace(comparison.effect, pvalue=0.5)).plot("metric map")
    cells = list(zip(chart.table["depth"], chart.table["outcome"], strict=True))
    first = next(cell for cell in cells if cell[0] == 1)  # all of depth 1 are one
    sure = ["significant" in outcome for depth, outcome in [first, *(cell for cell in cells if cell[0] > 1)]]
    assert 0 < sum(sure) < len(sure)
    assert chart.caption.endswith(
        f"The verdict under nDCG@10: no difference is shown. Nor is one under {sure.count(False)} of these settings of "
        f"RBP; under the other {sure.count(True)} one is shown"
    )


def test_names_beside_points_are_explained_where_there_are_any(results):
    chart = results[Comparison].plot("scatter")
    texts = [layer for layer in chart.spec["layer"] if layer["mark"]["type"] == "text"]
    assert texts
    assert f"named: the {len(texts)} largest differences" in chart.caption
    qrels = {t: {"a": 1, "b": 0} for t in "xyz"}
    run = {t: {"a": 2.0, "b": 1.0} for t in "xyz"}
    alike = rs.evaluate(rs.load(qrels, {"one": run, "two": run}), "RR").plot("scatter")
    assert "named: " not in alike.caption


# many systems


def test_the_highest_mean_and_median_are_those_of_systems_that_are_drawn():
    qrels = {t: {"a": 1} for t in "uvwxyz"}

    def run(found):
        return {t: {"a": 1.0} if t in found else {"b": 1.0, "a": 0.5} for t in qrels}

    scores = rs.evaluate(rs.load(qrels, {"one": run("uvwx"), "two": run("uvw"), "three": run("u")}), "RR")
    assert scores.plot("distributions").title == "one has the highest mean RR and the highest median"
    value = scores.value.copy()
    value[0, 1] = [0.7, 0.7, 0.7, 0.7, 0.0, 0.0]
    value[0, 0] = [1.0, 1.0, 1.0, 0.3, 0.3, 0.3]
    value[0, 2] = [0.8, 0.8, 0.8, 0.8, -1.0, -1.0]  # not among the best two
    title = replace(scores, value=value).plot("distributions", top=2).title
    assert (
        title
        == f"{scores.systems[0]} has the highest mean RR, {scores.systems[1]} the highest median of these 2 systems"
    )


def test_precision_is_compared_among_the_systems_that_are_drawn(results):
    scores = results[Scores]
    levels = [i for i, measure in enumerate(scores.measures) if measure.name == "IPrec"]
    value = scores.value.copy()
    value[levels] = 0.1
    value[levels, -1] = 0.9  # a system that is not drawn

    def title():
        changed = replace(scores, value=np.where(np.isnan(scores.value), np.nan, value))
        return changed.plot("precision-recall", systems=list(scores.systems[:3])).title

    first, second, third = scores.systems[:3]
    assert title() == "All 3 systems have the same mean precision over 11 recall levels, 0.1000"
    value[levels, :2] = 0.6
    assert title() == (
        f"{first} and {second} share the highest mean precision over 11 recall levels, 0.6000; "
        f"the lowest of these 3 is 0.1000, of {third}"
    )


def test_names_that_share_a_place_are_few(results):
    scores = results[Scores]
    at = [measure.name for measure in scores.measures].index("Judged")
    value = scores.value.copy()
    value[at] = 1.0
    value[at, :3] = 0.5
    first = replace(scores, value=value).plot("unjudged")
    assert "and 2 others, 50.0 %" in first.title


def test_the_first_place_may_be_shared(results):
    board = results[Leaderboard]
    shared = board.mean.copy()
    shared[1] = shared[0]
    title = replace(board, mean=shared).plot("critical difference").title
    assert title.startswith(f"{board.systems[0]} and {board.systems[1]} share the first place; ")
    assert title.endswith(f" cannot be told apart from {board.systems[0]}")
    over = results[CollectionBoard]
    both = replace(over, mean=np.full(len(over.systems), 0.5)).plot("heat map").title
    assert both.startswith(f"{over.systems[0]} and {len(over.systems) - 1} others share the highest mean nDCG@10")


def test_a_measure_is_named(results):
    over = results[CollectionBoard].plot("critical difference")
    assert over.sheet.words["x"] == "mean nDCG@10 over collections"
    pairs = results[Comparisons]
    assert "A ahead: higher in the mean score" in pairs.plot("pairs").caption
    assert "A ahead: higher in mean nDCG@10" in pairs.plot("pairs", measure="nDCG@10").caption
    assert pairs.plot("critical difference", measure="nDCG@10").sheet.words["x"] == "mean nDCG@10"
    ranks = nemenyi([[0.1, 0.4, 0.5], [0.2, 0.3, 0.6], [0.1, 0.2, 0.5]], systems=["a", "b", "c"])
    words = ranks.plot("critical difference", measure="nDCG@10").sheet.words
    assert words["x"] == "mean rank within topics by nDCG@10, higher is better"
    assert words["decimals"] == 2
    parts = results[VarianceComponents]
    assert parts.plot().title.endswith("of the variance of scores")
    assert parts.plot(measure="nDCG@10").title.endswith("of the variance of nDCG@10")


def test_what_is_ruled_out_and_what_is_in_colour_is_said(results):
    assert results[Leaderboard].plot().caption.endswith("ruled out as best: another is significantly better")
    ranks = results[Scores].plot("ranks")
    moved = {
        name for name in ranks.table["system"]
        if len({r for s, r in zip(ranks.table["system"], ranks.table["rank"], strict=True) if s == name}) > 1
    }  # fmt: skip
    said = "the 6 whose best and worst rank differ most" if len(moved) > 6 else "systems whose rank changes"
    assert moved
    assert f"; thick lines in colour: {said}" in ranks.caption
    assert "by itself" in results[BoundMeans].plot().caption


# metrics


def test_metrics_that_are_alike_are_counted_and_by_what(results):
    study = results[studies.Similarity]
    tied = replace(study, overall=np.array([1.0, 1.0, 0.5, 0.7, 0.5, 0.6]))
    (a, b), (c, d) = study.pairs[0], study.pairs[2]
    assert tied.plot().title == (
        f"By mean scores most alike: {a} and {b} (1.00, as {' and '.join(study.pairs[1])}); least alike: {c} and {d} "
        f"(0.50, as {' and '.join(study.pairs[4])})"
    )
    one = replace(study, overall=np.array([0.9, 0.8, 0.5, 0.7, 0.6, 0.6])).plot().title
    assert ", as " not in one


def test_an_interval_without_a_width_is_not_printed(results):
    study = results[studies.Similarity]
    ends = [end.copy() for end in (study.lower, study.upper)]
    for end in ends:
        end[0] = 1.0
    svg = replace(study, lower=ends[0], upper=ends[1]).plot().to_svg()
    assert "[1.00, 1.00]" not in svg
    assert "null" not in svg
    assert ">(none where it would have no width)</" in svg
    apart = replace(study, lower=study.overall - 0.1, upper=study.overall + 0.1).plot()
    assert not any("no width" in line for line in apart.sheet.words["below"])


def test_the_most_consistent_metric_is_as_far_ahead_as_its_test_shows():
    columns = {"family": [""] * 3, "measure": ["AP", "P", "RR"], "tau": [0.91, 0.8, 0.7], "mark": ["> 1", "", ""],
               "beats": ["RR", "", ""]}  # fmt: skip
    head = "Highest mean tau-b of two halves: "
    assert _steadiest(columns) == f"{head}AP, 0.91; significantly more consistent than RR"
    more = {**columns, "mark": ["> 2", "", ""], "beats": ["P, RR", "", ""]}
    assert _steadiest(more) == f"{head}AP, 0.91; significantly more consistent than 2 of 2 others"
    more = {**columns, "mark": ["", "> 1", ""], "beats": ["", "RR", ""]}
    assert _steadiest(more) == f"{head}AP, 0.91; not significantly more consistent than any other"
    columns["mark"] = columns["beats"] = [""] * 3
    none = "; no metric is significantly more consistent than any other"
    assert _steadiest(columns) == f"{head}AP, 0.91{none}"
    columns["tau"] = [0.911, 0.909, 0.7]  # points that are drawn in two places share none
    assert _steadiest(columns) == f"{head}AP, 0.911{none}"
    columns["tau"] = [0.911, 0.911, 0.7]
    assert _steadiest(columns) == f"{head}AP and P, 0.91{none}"


def test_metrics_that_are_equally_sharp_are_named(results):
    power = results[studies.DiscriminativePower]
    pvalue = power.pvalue.copy()
    pvalue[:, 1] = pvalue[:, 0] = 0.001
    pvalue[:, 2:] = 0.2
    chart = replace(power, pvalue=pvalue).plot()
    n = len(power.first)
    both = " and ".join(power.candidates[:2])
    assert chart.title == f"{both} tell the most pairs of systems apart: {n} of {n}"
    assert "; above 0.15 not drawn; " in chart.caption
    assert "not drawn" not in power.plot(upto=1.0).caption


def test_what_is_compared_stands_over_the_panels_of_removal(results):
    chart = results[studies.Removal].plot()
    panels = list(dict.fromkeys(chart.table["level"]))
    assert panels == ["pairs of lists", "pairs of systems"]
    assert all(f">{panel}</text>" in chart.to_svg() for panel in panels)
    assert f", {panels[0]}: " in chart.title


def test_ends_that_read_the_same_are_named_together(results):
    ties = results[studies.TiedRankings]

    class Tied(type(ties)):
        def columns(self, name):
            found = super().columns(name)
            share = {"RR": 0.4, "rrLP": 0.101, "sgnLP": 0.1}
            return {**found, "share": [share[candidate] for candidate in found["candidate"]]}

    tied = Tied(**{name: getattr(ties, name) for name in ties.__dataclass_fields__})
    assert tied.plot("labels").title.endswith("share of pairs that tie is from 0.10 (rrLP and sgnLP) to 0.40 (RR)")


def test_shares_of_ties_have_their_bases(results):
    ties = results[studies.TiedRankings]
    pairs = ties.level_pairs.copy()
    pairs[:] = ties.compared
    whole = replace(ties, level_pairs=pairs).plot("levels").caption
    assert whole.startswith(
        f"recall level i: where the i-th relevant document of a list is; decided: of {ties.compared:,} pairs of lists "
        "of two systems on one topic, "
    )
    assert "; tied at level i: of those on topics with at least i relevant documents: both lists " in whole
    pairs[4:] = ties.compared // 2
    caption = replace(ties, level_pairs=pairs).plot("levels").caption
    assert f"(down to {ties.compared // 2:,} pairs from level 5 on)" in caption
    deciding = np.array([60, 35, 5])
    title = replace(ties, deciding=deciding).plot("levels").title
    assert title.endswith(f"decides {100 * 95 / ties.compared:.1f} % of the pairs of lists by recall level 2")
    assert "and 95.00 % of these at recall level 2 or before" in replace(ties, deciding=deciding).summary()


def test_lists_without_a_relevant_document_are_not_forgotten(results):
    ties = results[studies.TiedRankings]
    first, tied = ties.first_rank.copy(), ties.first_tied.copy()
    first[:], tied[:] = 0, 0
    first[0], tied[0], first[-1], tied[-1] = 60, 30, 140, 91
    chart = replace(ties, first_rank=first, first_tied=tied).plot("first rank")
    assert chart.title.startswith("The first relevant document is most often at rank 1; RR ties such a list with 50 %")
    assert chart.caption.endswith("lists without a relevant document, 70.0 % of all, which tie with 65 % of others")
    first[-1] = 0
    assert "not drawn" not in replace(ties, first_rank=first).plot("first rank").caption


def test_better_metrics_are_better_in_something(results):
    found = results[studies.Alternatives]
    row = replace(found.rows[0], tau=0.99, consistency=0.1, pvalue=0.5, gained=3, lost=1)

    def title(*rows):
        return replace(found, rows=rows).plot().title

    head = f"Ranking systems like {row.canonical}, and better: "
    assert title(row) == f"{head}{row.measure} in discriminative power"
    both = replace(row, measure="other", pvalue=0.001)
    assert title(row, both) == (
        f"{head}{row.measure} in discriminative power; other in consistency and discriminative power"
    )
    none = replace(row, gained=0)
    alike = f"systems like {row.canonical}"
    no_better = "is not shown to be more consistent and tells no more pairs apart"
    assert title(none) == f"The only metric compared ranks {alike}, but {no_better}"
    assert title(none, replace(row, tau=0.5)) == f"1 of 2 metrics compared ranks {alike}; it {no_better}"
    assert title(none, none).startswith(f"2 of 2 metrics compared rank {alike}; none is shown to be more consistent")
    close = replace(row, tau=0.898)
    limit = f"highest tau 0.898 ({row.measure}), below 0.9"
    assert title(close) == f"The only metric compared does not rank {alike}: {limit}"
    assert title(close, replace(row, tau=0.5)) == f"Neither of the 2 metrics compared ranks {alike}: {limit}"
    svg = found.plot().to_svg()
    assert ">difference</" in svg
    assert ">gained minus lost</" in svg


def test_kinds_of_scales_are_said_to_be_such(results):
    card = results[studies.Scorecard]
    kinds = "scale: kind of scale of the scores"
    for values, more in (
        (["ratio"] * 3, ""),
        (["neither", "ratio", "ratio"], " (neither: not ordinal, and so not interval)"),
        ([None, "ratio", "ratio"], ", blank for methods without scores"),
    ):
        scale = (values + ["ratio"] * len(card.candidates))[: len(card.candidates)]
        caption = replace(card, rows={**card.rows, "scale": scale}).plot().caption
        assert caption.split("\n")[0].endswith(f"; {kinds}{more}")
    assert "in brackets: kind of scale of the scores" in results[studies.ScalesInPractice].plot().caption


def test_metrics_that_an_interval_scale_moves_as_far_are_counted():
    columns = {
        "measure": ["AP", "AP", "P", "P", "RR", "RR"], "test": ["ANOVA"] * 6, "version": ["original", "interval"] * 3,
        "share": [0.1, 0.3, 0.2, 0.4, 0.5, 0.6],
    }  # fmt: skip
    head = "An interval scale raises the share of pairs told apart by up to "
    assert _moved(columns, 120) == f"{head}20.0 points (24 of 120 pairs): AP after ANOVA and P after ANOVA"
    columns["share"][1] = 0.0
    assert _moved(columns, 10) == (
        "An interval scale moves the share of pairs told apart by -10.0 points (AP after ANOVA) to +20.0 points "
        "(P after ANOVA)"
    )
    columns["share"][1] = 0.1
    assert _moved(columns, 10) == f"{head}20.0 points (2 of 10 pairs): P after ANOVA"
    columns["share"] = [0.1, 0.1, 0.2, 0.2, 0.3, 0.3]
    assert _moved(columns, 10) == "An interval scale moves no metric's share of pairs told apart, by either test"


def test_one_more_is_named():
    from rankscope.studies.scorecard import _listed

    assert _listed(["a", "b", "c"], 2) == "a, b, c"
    assert _listed(["a", "b", "c", "d"], 2) == "a, b and 2 more"


# all rankings


@pytest.mark.parametrize("kind", [universe.Frequencies, universe.Disagreement])
def test_measures_that_disagree_as_often_are_named(kind, results):
    result = results[kind]
    names = [str(measure) for measure in result.measures]
    either = np.zeros_like(result.either)
    either[0, 1] = either[1, 0] = 7
    assert (
        replace(result, either=either)
        .plot(result_name(kind))
        .title.removeprefix("On lists, ")
        .startswith(f"{names[0]} and {names[1]} disagree most: they decide differently on ")
    )
    either[0, 2] = either[2, 0] = 7
    two = (
        f"{names[0]} and {names[1]} disagree most, {names[0]} and {names[2]} equally often: they decide differently on "
    )
    assert replace(result, either=either).plot(result_name(kind)).title.removeprefix("On lists, ").startswith(two)
    either[1, 2] = either[2, 1] = 7
    three = f"{names[0]} and {names[1]} disagree most, 2 other pairs of measures equally often: "
    assert replace(result, either=either).plot(result_name(kind)).title.removeprefix("On lists, ").startswith(three)


def result_name(kind):
    return {universe.Frequencies: "frequencies", universe.Disagreement: "disagreement"}[kind]


def test_pairs_of_measures_that_are_drawn_are_those_that_disagree_most(results):
    chart = results[universe.Frequencies].plot("occurrence", pairs=2)
    assert chart.caption.endswith("; the 2 of 3 pairs of measures that disagree most on lists")


def test_ties_of_one_measure_are_no_opposite_orders(results):
    found = results[universe.Frequencies]
    chart = found.plot("occurrence")
    either = "(opposite order, or one of the two ties)"
    assert f" of pairs of lists {either}, and on " in chart.title
    assert f"decide differently {either}" in chart.caption
    table = found.columns()
    first = max(range(len(table["a"])), key=lambda i: table["any_percent"][i])
    assert f"opposite order on {table['strict_percent'][first]:.1f} % of pairs of lists" in chart.caption
    assert not any(f"@{found.depth}" in name for name in chart.table["row"])
    assert f"depth {found.depth}" in chart.caption


def test_what_buckets_are_of_is_said(results):
    found = results[universe.Buckets]
    chart = found.plot()
    svg = chart.to_svg()
    assert ">the property in the row:</" in svg
    assert ">mean disagreement of two measures,</" in svg
    assert ("not corrected for " in chart.caption) == (sum(one.pvalue == one.pvalue for one in found.properties) > 1)
    assert re.fullmatch(
        r"(top-weighted|bounded) is not shown to divide these measures \(p = 0\.\d{4}\); "
        r"(top-weighted|bounded) could not be tested", chart.title
    )  # fmt: skip


def test_titles_of_buckets_are_true_for_any_p(results):
    found = results[universe.Buckets]
    nan = float("nan")
    one = replace(found.properties[0], name="one", buckets={
        "has": Bucket(1, 2.0), "cross": Bucket(2, 8.04), "no": Bucket(0, nan),
    })  # fmt: skip

    def title(*pvalues):
        rows = [replace(one, name=name, pvalue=p) for name, p in zip(("one", "two", "three"), pvalues, strict=False)]
        return replace(found, properties=tuple(rows)).plot().title

    shown = "is shown to divide these measures (lowest p = 0.2000, two)"
    assert title(0.67, nan) == "one is not shown to divide these measures (p = 0.6700); two could not be tested"
    assert title(0.67, nan, nan).endswith("(p = 0.6700); two and three could not be tested")
    assert title(0.67) == "one is not shown to divide these measures (p = 0.6700)"
    assert title(0.4, 0.2) == f"Neither two nor one {shown}"
    assert title(0.4, 0.2, 0.3) == f"None of 3 properties {shown}"
    assert title(0.4, 0.2, nan) == f"Neither two nor one {shown}; three could not be tested"
    means = "mean disagreement is 2.0 % where both have it, 8.0 % where one has it"
    assert title(0.4, 0.00001, nan) == f"two divides these measures most clearly (p < 0.0001): {means}"
    assert title(0.002, 0.002, 0.04) == "one and two divide these measures most clearly (p = 0.0020)"
    assert title(nan) == "one could not be tested: there are no groups that can be compared"
    assert title(nan, nan) == "None of 2 properties could be tested: there are no groups that can be compared"


def test_the_panels_of_alternatives_are_explained(results):
    found = results[studies.Alternatives]
    s = found.settings
    usual = found.rows[0].canonical
    caption = found.plot().caption
    assert caption.startswith(f"{s['n_systems']} systems, {s['n_systems'] * (s['n_systems'] - 1) // 2} pairs of them, ")
    assert "tau: tau-b between the rankings of systems by the metric and by AP@10, alike: 0.9 or more; " in caption
    assert (
        f"consistency: mean tau-b between rankings on two halves of the topics, minus that of {usual} (test: "
        in caption
    )
    assert "; pairs told apart: those that the metric alone tells apart, minus those that " in caption
    assert f", p < {s['power_alpha']:g})" in caption


def test_the_test_of_alternatives_has_an_outcome(results):
    found = results[studies.Alternatives]

    def outcome(*rows):
        made = [replace(found.rows[0], measure=name, consistency=by, pvalue=p) for name, by, p in rows]
        return replace(found, rows=tuple(made)).plot().caption

    assert ", p < 0.05; significantly more consistent: none); pairs told apart: " in outcome(("AP", 0.1, 0.2))
    both = outcome(("AP", 0.1, 0.01), ("P", -0.1, 0.02), ("RR", 0.1, 0.04), ("ERR", -0.2, 0.06))
    assert "; significantly more consistent: AP and RR; significantly less: P); " in both


def test_shares_that_an_interval_scale_moves_are_not_tested(results):
    assert "; differences of these shares: not tested; " in results[studies.ScalesInPractice].plot().caption


def test_the_order_of_systems_with_as_many_significant_wins_is_said(results):
    matrix = results[DominanceMatrix]
    n = len(matrix.systems)
    tied = "; where this is equal: the same counts, significant or not"
    assert replace(matrix, pvalue=np.ones((n, n))).plot().caption.endswith(tied)
    apart = np.where(np.tri(n, k=-1) > 0, 0.001, 1.0)  # the first beats all others, the second all but the first, ...
    assert tied not in replace(matrix, pvalue=apart).plot().caption


def test_settings_of_rbp_in_a_title_are_those_of_the_upper_panel(results):
    mapped = results[MetricMap]
    assert " settings of RBP in the upper panel" in mapped.plot().title
    others = tuple(cell for cell in mapped.ladder if not cell.measure.startswith("RBP"))
    assert "upper panel" not in replace(mapped, ladder=others).plot().title
    assert f"of {len(mapped.distinct)} mapped settings of RBP, " in mapped.sentence()


def test_metrics_of_agreement_and_their_methods_are_explained(results):
    caption = results[studies.Removal].plot().caption
    assert "share of pairs in the order of RR on all labels, of those that it does not tie; " in caption
    assert "differ: rrLP by the difference of reciprocal ranks, sgnLP by its sign" in caption


def test_significance_levels_have_their_test(results):
    power = results[studies.DiscriminativePower]
    assert ", by randomised Tukey HSD, 200 resamples; " in power.plot().caption


def test_the_title_is_about_a_pair_that_is_drawn(results):
    found = results[universe.Features]
    most = max(found.rows, key=lambda row: row.disagreeing)
    other = next((row.a, row.b) for row in found.rows if (row.a, row.b) != (most.a, most.b))
    assert found.plot(pairs=[other]).title.startswith(f"Of {other[0]} and {other[1]}, ")
    rows = [row for row in found.rows if (row.a, row.b) == other]
    alike = replace(found, rows=tuple(row._replace(a_prefers=3, b_prefers=1) for row in rows))
    assert f"prefers {rows[0].feature} and {len(rows) - 1} others more often: " in alike.plot().title
    # the largest contrast drawn, in plain words
    clear = rows[1]._replace(a_prefers=0, b_prefers=rows[1].disagreeing)
    chart = replace(found, rows=tuple(clear if row == rows[1] else row for row in found.rows)).plot()
    assert f"Of {other[0]} and {other[1]}, {other[1]} prefers an early hit more often: in 100 % of" in chart.title
    assert "first-rel" not in chart.table["feature"]
    assert chart.caption.startswith(found.where)


def test_separability_says_by_what_and_of_which_pairs(results):
    observed = results[studies.ObservedSeparability]
    assert observed.settings["order"] in observed.plot().caption
    for kind in (studies.ObservedSeparability, universe.ExpectedSeparability, universe.SeparabilityCounts):
        assert results[kind].plot().caption.endswith("; shares are of all pairs, equal ones among them")


def test_names_of_one_or_two_or_many():
    long = "a" * 40
    assert vl.together([long]) == vl.short(long)
    assert vl.together(["a", "b", "c"]) == "a and 2 others"
