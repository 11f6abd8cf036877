"""Figures of judges say which of them they speak of."""

import re
from dataclasses import replace

import pytest
from drawings import EVERY, QUIET

import rankscope as rs
from rankscope import studies
from rankscope.figures.chart import drawn

pytestmark = QUIET


@pytest.mark.parametrize(("top", "most"), [(12, 7), (3, 7), (12, 1), (3, 1)])
def test_title_of_leaderboards_counts_the_judges_and_systems_that_are_drawn(results, top, most):
    study = results[studies.JudgeStudy]
    own = [row.judge for row in study.judges if row.judge not in study.aggregates]
    chart = study.plot("leaderboards", top=top, most=most)
    ranks = zip(chart.table["system"], chart.table["measure"], chart.table["rank"], strict=True)
    first = {judge: system for system, judge, rank in ranks if rank == 1}
    lead = first.pop(study.reference)
    alike = sum(system == lead for system in first.values())
    others = "other judge" if len(first) == 1 else "other judges"
    drawn = " shown here" if most < len(own) else ""
    assert chart.title.endswith(f"under qrels, and under {alike} of {len(first)} {others}{drawn}")
    assert chart.title.startswith(f"Of these {top} systems, {lead} " if top < len(study.systems) else f"{lead} ")
    at = study.systems.index(lead)
    every = sum(study.means[judge][at] == max(study.means[judge]) for judge in own)
    whole = f"\nof all {len(study.systems)} systems: highest under {every} of all {len(own)} other judges"
    assert chart.caption.endswith(whole) == (top < len(study.systems) or most < len(own))


def test_systems_with_equal_means_share_a_rank_under_a_judge(results):
    study = results[studies.JudgeStudy]
    means = {judge: tuple(own) for judge, own in study.means.items()}
    best = max(means[study.reference])
    first = means[study.reference].index(best)
    other = 1 - min(first, 1)
    tied = tuple(best if i in (first, other) else mean for i, mean in enumerate(means[study.reference]))
    chart = replace(study, means={**means, study.reference: tied}).plot("leaderboards")
    rows = [dict(zip(chart.table, row, strict=True)) for row in zip(*chart.table.values(), strict=True)]
    leading = {row["system"] for row in rows if row["measure"] == study.reference and row["rank"] == 1}
    assert leading == {study.systems[first], study.systems[other]}
    assert "; systems with equal means share a rank" in chart.caption
    assert {*chart.sheet.words["leaders"]} == leading
    assert all(name in chart.title for name in leading)
    assert "share a rank" not in study.plot("leaderboards").caption


@pytest.mark.parametrize("grades", [3, 20])
def test_numbers_in_squares_are_spoken_of_where_there_are_any(grades, results):
    study = results[studies.JudgeStudy]
    row = study.judges[0]
    table = row.agreement.confusion
    wide = replace(table, judge=tuple(range(grades)), counts=tuple((4, *[1] * (grades - 1)) for _ in table.reference))
    study = replace(study, judges=(replace(row, agreement=replace(row.agreement, confusion=wide)), *study.judges[1:]))
    chart = study.plot("confusion", judge=row.judge)
    drawn = any(layer["mark"]["type"] == "text" for layer in chart.spec["layer"])
    assert drawn == chart.caption.startswith("numbers: of ") == (grades <= 8)
    high = 1 if drawn else 4 / 23  # without numbers, the largest share has the strongest colour
    assert chart.spec["layer"][0]["encoding"]["color"]["scale"]["domain"] == [0, pytest.approx(high)]
    assert f"; colour: share of the row, from 0 to {high:.2g}" in chart.caption


def test_names_of_judges_are_whole():
    name = "binary-then-fourprompts-flant5-large"
    qrels, runs = rs.simulation.embedded()
    from rankscope.simulation.embedded_collection import embedded_judges

    study = studies.judges(qrels, runs, {name: embedded_judges()["strict"]}, resampling=rs.statistics.Resampling(50))
    for figure in ("judges", "verdicts"):
        assert f">{name}</text>" in study.plot(figure, narrow=True).to_svg()


@pytest.mark.parametrize("narrow", [False, True])
def test_names_of_judges_over_their_ranks_are_whole(narrow, results):
    figure = next(one for one in EVERY if one.of is studies.JudgeStudy and one.name == "leaderboards")
    sheet = figure.sheet(results[studies.JudgeStudy])
    names = ["qrels", *(f"binary-then-fourprompts-{i}-flant5-large" for i in range(len(sheet.words["measures"]) - 1))]
    sheet = replace(sheet, words={**sheet.words, "measures": names})
    svg = drawn("x", sheet, figure.drawing, "light", narrow=narrow).to_svg()
    assert all(f">{name}</text>" in svg for name in names)


@pytest.mark.parametrize("narrow", [False, True])
def test_judges_of_one_family_have_different_names_over_their_ranks(narrow):
    names = ["binary-then-fourprompts-flant5-large", "binary-then-fourprompts-flant5-small"]
    qrels, runs = rs.simulation.embedded()
    from rankscope.simulation.embedded_collection import embedded_judges

    grades = embedded_judges()["strict"]
    study = studies.judges(qrels, runs, dict.fromkeys(names, grades), resampling=rs.statistics.Resampling(50))
    texts = re.findall(r">(binary[^<]*)</text>", study.plot("leaderboards", narrow=narrow).to_svg())
    assert {text[-5:] for text in texts} == {"large", "small"}


def test_judges_are_counted_without_those_taken_together(results):
    study = results[studies.JudgeStudy]
    own = [row for row in study.judges if row.judge not in study.aggregates]
    chart = study.plot("leaderboards")
    assert not {*study.aggregates} & {*chart.table["measure"]}
    lead = study.means["qrels"].index(max(study.means["qrels"]))
    alike = sum(study.means[row.judge][lead] == max(study.means[row.judge]) for row in own)
    assert chart.title.endswith(f" under qrels, and under {alike} of {len(own)} other judges")
    assert f"the 1 of {len(own)} judges that keep the most" in study.plot("leaderboards", most=1).caption
    flattered = {name: (1.0,) * len(study.systems) for name in study.means}
    assert f"{len(study.systems) - 1} others share the" in replace(study, means=flattered).plot("leaderboards").title
    orders = [list(dict.fromkeys(study.plot(name).table["judge"])) for name in ("judges", "verdicts")]
    assert orders[0] == orders[1]
    assert {*orders[0][-2:]} == {*study.aggregates}
    shares = [study.row(judge).fidelity.share for judge in orders[0][:-2]]
    assert shares == sorted(shares, reverse=True)
    for name in ("judges", "verdicts"):
        line = study.plot(name).spec["layer"][-1]
        assert (line["mark"]["type"], line["data"]["values"][0]["judge"]) == ("rule", orders[0][-2])
        assert "Student's paired t, p < 0.05, not corrected" in study.plot(name).caption
        assert "Student's paired t, p < 0.05, not corrected" in study.caption()  # as it is printed
    assert study.plot("confusion").sheet.words["judge"] in {row.judge for row in own}
    assert "the judge with the highest quadratic kappa" in study.plot("confusion").caption
    assert "highest" not in study.plot("confusion", judge=study.aggregates[0]).caption
