"""Titles state findings, with the numbers of the result and no stronger than its own sentences."""

import re
from dataclasses import replace

import numpy as np
import pytest
from drawings import EACH

from rankscope import studies, universe
from rankscope.comparisons import Comparison
from rankscope.figures.chart import first_sentence
from rankscope.figures.fractions import _changed
from rankscope.formatting import p_value
from rankscope.preferences import Dominance, DominanceMatrix, Ipso, Serps


@EACH
def test_titles_are_no_questions(figure, results):
    title = results[figure.of].plot(figure.name).title
    assert "?" not in title
    assert not title.endswith(".")


def test_the_first_sentence_of_the_answer(results):
    assert results[universe.Hasse].plot().title == first_sentence(results[universe.Hasse].answer())


def test_lists_and_chance(results):
    found = results[universe.ExpectedSeparability]
    chart = found.plot()
    models = list(dict.fromkeys(chart.table["model"]))
    assert models[0] == "observed"
    assert len(models) == len(found.models)
    shares = re.findall(r"[\d.]+ %", found.answer())
    assert re.findall(r"[\d.]+ %", chart.title) == shares
    assert chart.title.startswith(
        f"Down to rank {found.depths[0]} IPSO by {found.gains} leaves {shares[0]} of pairs of lists undecided, and "
    )


@pytest.mark.parametrize("kind", [universe.Frequencies, universe.Disagreement])
def test_the_number_in_the_title_is_that_in_the_cell(kind, results):
    chart, found = results[kind].plot(), results[kind]
    assert chart.title.removeprefix("On lists, ").startswith(found.answer(decimals=1).partition(":")[0])
    below = [value for what, value in zip(chart.table.get("what", []), chart.table["percent"], strict=False)
             if what == "lists"] or chart.table["percent"]  # fmt: skip
    assert f" decide differently on {max(below):{chart.sheet.words['format']}} % of the pairs" in chart.title
    strict = {*found.strict[found.either == found.either.max()].tolist()}
    opposite = f"{100 * min(strict) / found.pairs:.1f} % in opposite order, others" if len(strict) == 1 else (
        "in opposite order, or")  # fmt: skip
    assert f" ({opposite} tied by one of the two)" in chart.title
    tied = replace(found, strict=np.zeros_like(found.strict)).plot().title
    assert "(all tied by one of the two)" in tied
    assert "(all in opposite order)" in replace(found, strict=found.either).plot().title


def test_strips_count_topics(results):
    for kind in (Comparison, Ipso):
        found = results[kind]
        ipso = found.without.ipso if kind is Comparison else found
        later, for_b, _, for_a, sooner = ipso.counts[-1]
        assert found.plot("strips").title == (
            f"Without a metric (IPSO), hybrid-1 (B) is ahead on {for_b} of 49 topics, lexical-3 (A) on {for_a}; "
            f"{later + sooner} undecided"
        )  # fmt: skip
    assert results[Serps].plot("strips").title == "Without a metric (IPSO), A is ahead on 2 of 3 pairs, B on 1"


def test_dominance(results):
    tested = results[Dominance]
    assert (tested.favours, tested.fails) == ("hybrid-1", ())
    said = "At every rank down to 10, the summed mean gain of hybrid-1 (B) is not below that of lexical-3 (A)"
    assert tested.plot().title == f"{said} (not significant: universal {p_value(tested.pvalue)})"
    sure = replace(tested, pvalues=np.full(len(tested.ranks), 0.02))
    assert sure.plot().title == f"{said} (significant: universal p = 0.0200)"
    turned = replace(tested, difference=-tested.difference, pvalues_reverse=tested.pvalues)
    assert turned.plot().title == tested.plot().title.replace("hybrid-1 (B)", "x").replace(
        "lexical-3 (A)", "hybrid-1 (B)").replace("x", "lexical-3 (A)")  # fmt: skip
    mixed = replace(tested, difference=np.where(tested.ranks < 3, -1.0, 1.0))
    assert (
        mixed.plot().title
        == "Neither hybrid-1 (B) nor lexical-3 (A) is ahead in mean gain summed down to every rank to 10"
    )
    same = replace(tested, difference=np.zeros(len(tested.ranks)))
    assert (
        same.plot().title
        == "At every rank down to 10, the summed mean gains of hybrid-1 (B) and lexical-3 (A) are equal"
    )
    matrix = results[DominanceMatrix]
    count = round(matrix.share() * 28)
    assert matrix.plot().title.startswith(f"In {count} of 28 pairs one system is significantly ahead")


def test_scorecard(results):
    card = results[studies.Scorecard]
    names, found, _ = card.answer(named=5).partition(": no other measure here did at least as well")
    assert found
    assert card.plot().title == f"{names}: against any one other measure, each has the better number in some column"
    same = {name: [*values[:1], *values[:1], *values[2:]] for name, values in card.rows.items() if name != "candidate"}
    twins = replace(card, rows={"candidate": card.rows["candidate"], **same})
    assert twins.plot().title.endswith(", or equal in all")
    one = {name: [values[0]] for name, values in card.rows.items()}
    assert replace(card, rows=one).plot().title == first_sentence(replace(card, rows=one).answer(named=5))


def test_agreement(results):
    found = results[studies.Agreement]
    alike = found.tables()["agreement"].columns()["alike"]
    assert found.plot("bars").title.endswith(
        f"agree on {100 * min(alike):.0f} % to {100 * max(alike):.0f} % of the pairs"
    )
    place = found.measures.index("P"), found.depths.index(10), 0
    assert found.plot("triangle").title == (
        f"P at depth 10 and IPSO agree on {np.count_nonzero(found.categories()[place] < 2)} of 28 pairs of systems"
    )


def test_separability(results):
    for kind, what in ((universe.SeparabilityCounts, "rankings"), (studies.ObservedSeparability, "lists")):
        chart = results[kind].plot()
        rows = zip(*(chart.table[key] for key in ("k", "outcome", "share")), strict=True)
        parts = [f"{100 * share:.1f} % at depth {k}" for k, outcome, share in rows if outcome == "undecided"]
        assert chart.title == f"Pairs of {what} that IPSO leaves undecided: {parts[0]}, {parts[-1]}"


@pytest.mark.parametrize(("kind", "name", "value"), [
    (studies.Incompleteness, "incompleteness", "tau"), (studies.Removal, "removal", "agreement"),
])  # fmt: skip
def test_curves_say_their_ends(kind, name, value, results):
    chart = results[kind].plot(name)
    panel = next((key for key in ("sampling", "level") if key in chart.table), "fraction")
    first = chart.table[panel][0] if panel != "fraction" else min(chart.table["fraction"])
    ends = [number for number, fraction, at in zip(*(chart.table[k] for k in (value, "fraction", panel)), strict=True)
            if fraction == 0.5 and at == first]  # fmt: skip
    assert chart.title.startswith("With 50 % of the ")
    assert f" {min(ends):.2f} (" in chart.title
    assert f" to {max(ends):.2f} (" in chart.title


def test_ties_say_what_judgments_change():
    columns = {"candidate": ["RR", "RR", "rrLP", "rrLP"], "fraction": [1.0, 0.2] * 2, "share": [0.7, 0.2, 0.0, 0.01]}
    head = "From 20 % to 100 % of the judgments, the share of pairs that tie"
    assert _changed(columns) == f"{head} changes most for RR (0.20 to 0.70), least for rrLP (0.01 to 0)"
    assert _changed({**columns, "share": [0.7, 0.2] * 2}) == f"{head}: RR and rrLP 0.20 to 0.70"
    assert _changed({**columns, "fraction": [0.2] * 4}).startswith(
        "With 20 % of the judgments: share of pairs that tie"
    )


def test_levels_and_first_ranks(results):
    ties = results[studies.TiedRankings]
    for number in ties.summary().split("Lexiprecision decides ")[1].replace("level ", "level  ").split():
        if number.rstrip(".").isdigit():
            assert number.rstrip(".") in ties.plot("levels").title
    late = replace(ties, deciding=np.array([*[1] * 20, *[10] * 4]))  # most pairs are decided below what is drawn
    share = f"{100 * 20 / ties.compared:.1f} %"
    assert late.plot("levels").title == f"Lexiprecision decides {share} of the pairs of lists by recall level 20"
    assert f">{share}</text>" in late.plot("levels").to_svg()  # beside its point
    first = ties.columns("first")
    known = [i for i, rank in enumerate(first["rank"]) if rank is not None]
    most = max(known, key=lambda i: first["pairs"][i])
    usual = f"at rank {first['rank'][most]}; RR ties such a list with {100 * first['tied'][most]:.0f} %"
    assert usual in ties.plot("first rank").title


def test_judges(results):
    study = results[studies.JudgeStudy]
    shares = [row.fidelity.share for row in study.judges if row.judge not in study.aggregates]
    kept = f"{100 * min(shares):.0f} % to {100 * max(shares):.0f} %"
    assert study.plot("judges").title == f"Other judges keep {kept} of the {study.shown} differences that qrels shows"
    assert study.plot("verdicts").title == f"No judge reverses one of the {study.shown} differences that qrels shows"
    turned = {judge: (2, *codes[1:]) for judge, codes in study.outcomes.items()}
    pair = f": {study.systems[0]} against {study.systems[1]}"
    title = replace(study, outcomes=turned).plot("verdicts").title
    assert (
        title
        == f"{len(shares)} of {len(shares)} judges reverse 1 of the {study.shown} differences that qrels shows{pair}"
    )
    last = len(study.outcomes[study.judges[0].judge]) - 1
    one = {**study.outcomes, study.judges[0].judge: (*study.outcomes[study.judges[0].judge][:last], 2)}
    chart = replace(study, outcomes=one).plot("verdicts", pairs=3)
    assert chart.title.startswith(f"{study.judges[0].judge} reverses 1 of the ")
    assert "reversed" in chart.table["outcome"]  # what the title is about is drawn
    assert ">reversed</text>" in chart.to_svg()
    together = {**study.outcomes, study.aggregates[0]: (2, *study.outcomes[study.aggregates[0]][1:])}
    assert replace(study, outcomes=together).plot("verdicts").title.startswith("No judge reverses")
    row = study.judges[0]
    chart = study.plot("confusion", judge=row.judge)
    same = sum(n for own, other, n in zip(*(chart.table[k] for k in ("reference", "judge", "pairs")), strict=True)
               if own == other)  # fmt: skip
    assert f"{100 * same / row.agreement.pairs:.0f} %" in chart.title


def test_choices(results):
    found = results[Comparison]
    ends = found.unjudged
    title = found.plot("choices").title
    assert title.startswith("The verdict is the same in 2 of 2 orders of ties; unjudged documents ")
    assert ("could change" in title) == (ends.lower < 0 < ends.upper)
    wide = replace(found, unjudged=replace(ends, lower=-1.0, upper=1.0))
    assert wide.plot("choices").title.endswith("unjudged documents could change the sign of the difference")


def test_metrics_that_rank_equally_much_alike(results):
    found = results[studies.Similarity]
    one = replace(found, overall=np.ones_like(found.overall))
    assert one.plot().title == "All of these metrics rank systems equally much alike by mean scores: tau-b 1.00"
