"""Every result of measures and of validation has the same forms, and survives pickling and copying."""

import copy
import json
import pickle

import numpy as np
import pytest

import rankscope as rs
from rankscope.formatting import markdown as escaped
from rankscope.measures.explanations.contrast import difference
from rankscope.measures.explanations.explain import Explanation, explain, overview
from rankscope.measures.explanations.signatures import read_signature
from rankscope.results import Layered, Result, finite
from rankscope.validation import Findings

QRELS = {"1": {"a": 2, "b": 0, "c": 1}, "2": {"a": 0, "b": 1}, "3": {"a": 0}}
RUNS = {
    "first": {"1": {"a": 3.0, "b": 2.0, "x": 1.0}, "2": {"b": 2.0, "a": 1.0}},
    "second": {"1": {"b": 3.0, "c": 2.0, "a": 1.0}, "2": {"a": 2.0, "b": 1.0}},
}


@pytest.fixture(scope="module")
def judged() -> rs.Judged:
    return rs.load(QRELS, RUNS)


FORMS = {
    "Scores": lambda judged: rs.evaluate(judged, ["AP", "nDCG@2"]),
    "Means": lambda judged: rs.evaluate(judged, ["AP", "nDCG@2"]).mean(),
    "Bounds": lambda judged: rs.bounds(judged, ["AP", "P@2"]),
    "BoundMeans": lambda judged: rs.bounds(judged, ["AP", "P@2"]).mean(),
    "Explanation": lambda judged: explain("nDCG@2", judged)[0],
    "Overview": lambda judged: overview(),
    "Signature": lambda judged: read_signature("nDCG@10|gain:linear|ties:file|n:49"),
    "MeasureContrast": lambda judged: difference("AP", "nDCG@2", judged),
    "Findings": lambda judged: rs.validate(QRELS, RUNS),
}


@pytest.fixture(params=FORMS)
def result(request: pytest.FixtureRequest, judged: rs.Judged) -> Result:
    example: Result = FORMS[request.param](judged)
    assert type(example).__name__ == request.param
    return example


def told_of_each_row(result: Result) -> list[list[str]]:
    """What Markdown must hold of each row of a result whose blocks are sentences and not its table."""
    if isinstance(result, Findings):
        assert len(result) > 1
        return [[f"{f.severity}: {f.title}", f.what, f.effect, f.cure, *f.each()] for f in result]
    assert isinstance(result, Explanation)
    rows = result.table()[1]
    assert len(rows) > 1
    return [[mean, what, *([] if call == "-" or own else [f"here {call}"])] for own, _, what, call, mean, _ in rows]


@pytest.mark.filterwarnings("ignore::rankscope.DataWarning")
def test_all_forms(result: Result) -> None:
    columns = result.columns()
    rows = {len(column) for column in columns.values()}
    assert len(rows) == 1
    assert rows != {0}
    frame = result.to_frame()
    assert frame.columns == list(columns)
    assert frame.height == rows.pop()
    json.dumps(finite(result.to_dict()), allow_nan=False)
    shown = result.mean() if isinstance(result, rs.Scores) else result  # whose tables are those of the means
    header, lines = shown.table()
    markdown, latex = result.to_markdown(), result.to_latex()
    if type(shown).to_markdown is Layered.to_markdown:  # the evidence, one heading per question
        titles = [block.title for block in shown.blocks("full") if block.title]
        assert titles
        assert [line for line in markdown.splitlines() if line.startswith("### ")] == [
            f"### {escaped(title)}" for title in titles
        ]
        for cells in told_of_each_row(shown):
            parts = markdown.split("### ") if isinstance(shown, Findings) else markdown.splitlines()
            assert any(all(escaped(cell) in part for cell in cells) for part in parts), cells
    else:
        assert len([line for line in markdown.splitlines() if line.startswith("| ")]) == len(lines) + 2
    assert latex.count(r" \\") == len(lines) + 1
    shape = "l" * shown.text_columns() + "r" * (len(header) - shown.text_columns())
    assert rf"\begin{{tabular}}{{{shape}}}" in latex.replace("@{}", "")
    for line in (result.heading(), *result.remarks()):
        assert "\n" not in line
    for value in result.metrics().values():
        assert type(value) in (int, float)


@pytest.mark.filterwarnings("ignore::rankscope.DataWarning")
@pytest.mark.parametrize(
    "duplicate", [lambda r: pickle.loads(pickle.dumps(r)), copy.copy, copy.deepcopy], ids=["pickle", "copy", "deepcopy"]
)
def test_results_pickle_and_copy(result: Result, duplicate) -> None:
    again = duplicate(result)
    assert type(again) is type(result)
    assert str(again) == str(result)
    np.testing.assert_equal(again.to_dict(), result.to_dict())


@pytest.mark.filterwarnings("ignore::rankscope.DataWarning")
def test_metrics_are_means_by_system_and_measure(judged: rs.Judged) -> None:
    scores = rs.evaluate(judged, ["AP", "P@2"])
    means = scores.mean()
    assert scores.metrics() == means.metrics()
    assert list(means.metrics()) == ["first.AP", "first.P@2", "second.AP", "second.P@2"]
    assert means.metrics()["second.P@2"] == means.value[1, 1] == 0.5  # one of two relevant, on both topics
    bounds = rs.bounds(judged, "P@2")
    assert bounds.metrics() == bounds.mean().metrics()
    assert list(bounds.metrics())[:3] == ["first.P@2.lower", "first.P@2.value", "first.P@2.upper"]


@pytest.mark.filterwarnings("ignore::rankscope.DataWarning")
def test_frames_keep_their_types_without_values(judged: rs.Judged) -> None:
    """A topic without relevant documents has no score, and its frame still stacks on one with scores."""
    import polars as pl

    empty = rs.load({"3": {"a": 0}}, {"first": {"3": {"a": 1.0}}})
    for of in (rs.evaluate, rs.bounds):
        unscored = of(empty, "AP").to_frame()
        assert unscored["value"].to_list() == [None]
        assert pl.concat([unscored, of(judged, "AP").to_frame()]).height == 7
    clean = rs.validate({"1": {"a": 1, "b": 0}, "2": {"a": 1, "b": 0}}, {"s": {"1": {"a": 1.0}, "2": {"b": 1.0}}})
    assert clean.to_frame().schema == rs.validate(QRELS, RUNS).to_frame().schema
