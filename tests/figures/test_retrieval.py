"""Precision-recall curves and unjudged documents beside scores."""

from dataclasses import replace

import numpy as np
import pytest
from drawings import FEW, QUIET, least_letters, width

import rankscope as rs
from rankscope import figures
from rankscope.comparisons import JudgeNext
from rankscope.figures.retrieval import LINE
from rankscope.figures.vega import spread as apart
from rankscope.judged.subsets import Thinner, pool_of, with_systems
from rankscope.measures.bounding.result import Bounds
from rankscope.measures.scores import Scores

pytestmark = QUIET
LEVELS = [f"IPrec@{i / 10:g}" for i in range(11)]


def test_curves_are_the_means_of_interpolated_precision(results):
    scores = results[Scores]
    chart = scores.plot("precision-recall", systems=["lexical-3", "hybrid-1"])
    mean = scores.mean().to_dict()
    rows = zip(*(chart.table[key] for key in ("system", "recall", "precision")), strict=True)
    shown = {(system, round(10 * recall)): precision for system, recall, precision in rows}
    assert len(shown) == 22
    for (system, level), precision in shown.items():
        scored = next(value for name, value in mean[system].items() if name.startswith("IPrec") and
                      name.endswith(f"@{level / 10:g}"))  # fmt: skip
        assert precision == pytest.approx(scored)
    mean = {name: np.mean([shown[name, i] for i in range(11)]) for name in ("hybrid-1", "lexical-3")}
    assert chart.title == (
        f"hybrid-1 has the highest mean precision over 11 recall levels, {mean['hybrid-1']:.4f}; "
        f"the lowest of these 2 is {mean['lexical-3']:.4f}, of lexical-3"
    )


def test_the_best_are_drawn_and_it_is_said(results):
    chart = results[Scores].plot("precision-recall")
    assert len(set(chart.table["system"])) == 4
    assert chart.caption.startswith("the best 4 of 8 systems by the mean of the levels; ")
    svg = chart.to_svg()
    assert width(svg) <= 482
    assert least_letters(svg) >= 6
    assert all(f">{name}</text>" in svg for name in set(chart.table["system"]))


def test_names_beside_curves_do_not_overlap():
    assert apart([0.0, 0.0, 0.0], LINE, 99) == [0.0, LINE, 2 * LINE]
    generator = np.random.default_rng(2)
    for _ in range(50):
        spread = apart(generator.random(6).tolist(), 0.2, 9)
        assert np.diff(sorted(spread)).min() >= 0.2 - 1e-12


def test_what_was_not_scored(judged):
    scores = rs.evaluate(judged, ["nDCG@10", "IPrec@0.1"])
    with pytest.raises(rs.InputError, match="IPrec@"):
        scores.plot("precision-recall")
    with pytest.raises(rs.InputError, match="Judged@10"):
        scores.plot("unjudged")


def test_unjudged_documents_are_those_that_are_not_judged():
    qrels = {t: {"a": 1, "b": 0} for t in "vwxyz"}
    holes = {"none": "ab", "one": "ac", "two": "cd"}  # c and d are not judged
    runs = {name: {t: {d: float(-i) for i, d in enumerate(docs)} for t in qrels} for name, docs in holes.items()}
    runs["last"] = {t: {"b": 1.0, "a": 0.5} for t in qrels}
    scores = rs.evaluate(rs.load(qrels, runs), ["RR", "Judged@2"])
    chart = scores.plot("unjudged")
    assert chart.table["system"] == ["none", "one", "last", "two"]
    assert chart.table["mean"] == pytest.approx([1, 1, 0.5, 0])
    assert chart.table["unjudged_percent"] == pytest.approx([0, 50, 0, 100])
    assert chart.title == "Most documents without a judgment: two, 100.0 % of the first 2 documents"
    best = scores.plot("unjudged", top=2)
    assert best.title == (
        "Most documents without a judgment among the best 2 systems: one, 50.0 % of the first 2 documents; "
        "most without one among the others: two, 100.0 %"
    )
    assert "; dot in place of a bar: none; " in best.caption
    first = scores.plot("unjudged", top=1)
    assert first.title == (
        "All of the first 2 documents are judged for the best 1 systems; most without one among the others: two, "
        "100.0 %"
    )
    assert "hconcat" not in first.spec
    assert best.caption.startswith("the best 2 of 4 systems; 5 topics; ")


def test_nothing_unjudged():
    qrels = {t: {"a": 1, "b": 0} for t in "xyz"}
    scores = rs.evaluate(rs.load(qrels, {"one": {t: {"a": 2.0, "b": 1.0} for t in "xyz"}}), ["RR", "Judged@2"])
    chart = scores.plot("unjudged")
    assert chart.title == "All of the first 2 documents are judged for these systems"
    assert chart.to_svg().startswith("<svg")


def test_bounds_are_those_of_the_result(results):
    bounds = results[Bounds]
    means = bounds.mean()
    for measure, at in ((None, 0), ("RR", 1)):
        chart = bounds.plot(measure=measure)
        assert chart.table["mean"] == sorted(means.means.value[at], reverse=True)
        for name, *numbers in zip(*chart.table.values(), strict=True):
            s = means.means.systems.index(name)
            assert numbers == [means.means.value[at, s], means.lower[at, s], means.upper[at, s]]
        assert means.answer(at).startswith(chart.title)
        highest = means.lower[at].max()
        near = int((means.upper[at] >= highest - 1e-12).sum())
        line = f"dashed line: {highest:.4f}, the highest lower end, which {near} of 8 ranges reach"
        assert (line in chart.caption) == (near > 1) == (len(chart.spec["layer"]) == 3)
        assert "line: unjudged documents taken as not relevant" in chart.caption
        shared = "systems share documents: `compare` bounds the difference of a pair"
        assert chart.caption.endswith(shared) == (near > 1)
        scale = chart.spec["layer"][0]["encoding"]["x"]["scale"]
        assert (scale["domain"], scale["nice"]) == ([means.lower[at].min(), means.upper[at].max()], False)
    assert means.plot().table == bounds.plot().table
    best = bounds.plot(top=3)
    assert len(best.table["system"]) == 3
    assert best.caption.startswith("the best 2 of 8 systems, and 1 other that may be the best; ")
    with pytest.raises(rs.InputError, match="no range of"):
        replace(means, lower=np.full_like(means.lower, np.nan)).plot()


def test_doubt_is_that_of_the_replay(results):
    result = results[JudgeNext]
    chart = result.plot()
    own = [p.doubt for p in result.curve if p.order == "judge-next"]
    assert len(own) == len(result.replayed) + 1
    for step, doubt in zip(result.replayed, own[1:], strict=True):
        gap = min(-step.lower, step.upper)
        assert doubt == pytest.approx(gap if step.unsettled else 0, abs=1e-11)
    assert own[-1] == 0
    # where a bound is 0 the sign is open, and what reaches beyond 0 is nothing
    assert chart.table["doubt"] == [p.doubt if p.doubt > 1e-11 else 0 for p in result.curve]
    assert chart.table["settled"] == [p.doubt == 0 for p in result.curve]
    last = {p.order: p.judgments for p in result.curve}
    own = f"judge-next: certain after {last['judge-next']} judgments"
    others = f"by rank: certain after {last['by rank']}; at random: certain after {last['at random']}"
    assert chart.title == f"{own}; {others}"
    assert last["judge-next"] <= min(last.values())
    assert "<img" in result._repr_html_()
    fewer = replace(result, curve=tuple(p for p in result.curve if p.order != "judge-next" or p.doubt > 0))
    assert fewer.plot().title == f"judge-next: not certain after {last['judge-next'] - 1} judgments; {others}"
    nowhere = replace(result, curve=tuple(p for p in result.curve if p.judgments < 2))
    assert nowhere.plot().title == "Not certain after 1 judgment in any of 3 orders"
    none = replace(result, curve=())
    assert figures.names(none) == []
    assert "<img" not in none._repr_html_()
    with pytest.raises(rs.InputError, match="no judgments were replayed"):
        none.plot()


def test_a_doubt_of_0_is_not_called_certain_where_the_difference_may_be_0(results):
    result = results[JudgeNext]
    own = [p for p in result.curve if p.order == "judge-next"][:3]
    others = [p for p in result.curve if p.order != "judge-next"]
    touching = [*own[:2], own[2]._replace(doubt=1e-12) if hasattr(own[2], "_replace") else replace(own[2], doubt=1e-12)]
    chart = replace(result, curve=(*touching, *others), lacking=1).plot()
    assert chart.title.startswith("judge-next: not certain after 2 judgments; ")
    assert chart.table["doubt"][2] == 0
    assert "full where certain, open where not (at a doubt of 0: the difference may still be 0)" in chart.caption
    assert chart.caption.endswith("judge-next ends where it asks for documents that the judgments lack")
    line, *_, points = chart.spec["layer"]
    assert line["mark"]["interpolate"] == "step-after"
    assert len(set(line["encoding"]["strokeWidth"]["scale"]["range"])) == 3
    assert points["encoding"]["fill"]["condition"]["test"] == "datum.settled"
    # no line goes on to a name from where it ends early
    joins = [layer for layer in chart.spec["layer"] if layer["encoding"].get("x2") == {"value": "width"}
             and "field" in layer["encoding"]["x"]]  # fmt: skip
    assert all(join["data"]["values"][0]["x"] == max(chart.table["judgments"]) for join in joins)


def test_doubt_of_confidence_is_the_share_of_other_verdicts(judged):
    pair = with_systems(judged, ("lexical-3", "dense-3"))
    kept = np.arange(len(pool_of(pair).docs)) % 2 > 0
    result = rs.judge_next(Thinner.of(pair).thinned(kept), measure="P@5", judge=rs.simulation.embedded()[0], budget=4,
                           stop="confident", holds=0.999, resampling=FEW)  # fmt: skip
    assert result.replayed
    own = [p.doubt for p in result.curve if p.order == "judge-next"]
    assert own[1:] == pytest.approx([1 - step.share if step.unsettled else 0 for step in result.replayed])
    assert {p.order for p in result.curve} == {"judge-next", "by rank", "at random"}
    assert "share of random grades" in result.plot().caption
