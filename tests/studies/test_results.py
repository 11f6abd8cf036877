"""Results of studies and of all rankings: each has every form, and goes through pickle and copy unchanged."""

from __future__ import annotations

import copy
import inspect
import json
import math
import pickle
import warnings

import pytest

import rankscope as rs
from rankscope import studies, universe
from rankscope.results import Layered, Result, plain
from rankscope.simulation.embedded_collection import embedded_judges
from rankscope.statistics import Resampling
from rankscope.studies import Setting
from rankscope.studies.base import Table

FEW = Resampling(20)
ABSTRACT = {"Study"}


@pytest.fixture(scope="module")
def judged():
    return rs.load(*rs.simulation.embedded(), keep_docs=True)


@pytest.fixture(scope="module")
def results(judged, tmp_path_factory):
    """One result of every public class, by name."""
    measures = ["AP@10", "P@10", "RR"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rs.DataWarning)
        similarity = studies.similarity(judged, measures)
        consistency = studies.consistency(judged, measures, resampling=FEW)
        power = studies.discriminative_power(judged, measures, resampling=FEW)
        disagreement = universe.disagreement(["AP", "DCG", "RR"], depth=4)
        every = [
            similarity, similarity.show(), consistency, power,
            studies.alternatives(similarity, consistency, power, canonical="AP@10"),
            studies.agreement(judged, measures[:2], depths=[5], tests=["t"]),
            studies.separability(judged, depths=[5, 10]),
            studies.incompleteness(judged, measures, fractions=0.5, resampling=Resampling(2)),
            studies.removal(judged, fractions=0.5, resampling=Resampling(2)),
            studies.locality(judged),
            studies.reproduce("lexiprecision", tmp_path_factory.mktemp("paper") / "out", Setting()),
            studies.scales(judged, measures[:2], depth=4),
            studies.metrics(judged, measures=measures, methods=[], studies=("power", "ties"), resampling=FEW),
            studies.ties(judged),
            studies.judges(*rs.simulation.embedded(), embedded_judges(), resampling=FEW),
            disagreement, universe.buckets(disagreement), universe.features(["AP", "RR"], depth=4),
            universe.frequencies(judged, ["AP", "RR"], depth=4), universe.difference_structure(3),
            universe.distinct_values(["AP", "RR"], 4), universe.expected_separability(judged, [5], gains="binary"),
            universe.flips("100", "011"), universe.freedom(["AP", "RR"]), universe.hasse(3), universe.order_grid(3),
            universe.position_orders(6, 2), universe.possible_users((1, 3), (2, 3)), universe.properties("RR"),
            universe.scale("AP", depth=3), universe.separability([5]),
            universe.tie_curve(100, (5,), (1, 2)),
        ]  # fmt: skip
    return {type(result).__name__: result for result in every}


def public() -> set[str]:
    rooms = (studies, universe)
    classes = [getattr(room, name) for room in rooms for name in room.__all__]
    return {c.__name__ for c in classes if inspect.isclass(c) and issubclass(c, Result)} - ABSTRACT


def test_every_public_result_is_looked_at(results):
    assert set(results) == public()


@pytest.mark.parametrize("name", sorted(public()))
def test_forms(results, name):
    result = results[name]
    columns = result.columns()
    assert columns
    assert len({len(column) for column in columns.values()}) == 1
    assert result.to_frame().columns == list(columns)
    assert json.loads(json.dumps(plain(result.to_dict())))
    assert all(isinstance(value, int | float) for value in result.metrics().values())
    header, rows = result.table()
    assert rows
    assert {len(row) for row in rows} == {len(header)}
    text = result.to_text("full") if isinstance(result, Layered) else str(result)
    shown = " ".join(text.split()).lower()  # however lines are wrapped, and whether they are sentences
    for line in (result.heading(), *result.remarks()):
        assert all(" ".join(part.split()).lower() in shown for part in line.splitlines())
    assert "| ---" in result.to_markdown()
    assert r"\begin{tabular}" in result.to_latex()
    assert "<table>" in result._repr_html_()


@pytest.mark.parametrize("name", sorted(public()))
def test_pickle_and_copy(results, name):
    result = results[name]
    for twin in (pickle.loads(pickle.dumps(result)), copy.copy(result), copy.deepcopy(result)):
        assert type(twin) is type(result)
        assert str(twin) == str(result)
        assert same(plain(twin), plain(result))


def test_metrics_of_a_study(results):
    """Numbers of the main table, by row and column."""
    power = results["DiscriminativePower"]
    assert power.metrics()["randomised-hsd.RR.share"] == pytest.approx(100 * power.share("RR"))
    assert "5.equal" in results["ObservedSeparability"].metrics()
    assert Table(values={"a": ["x", "x"], "b": [1.0, 1.0]}, caption="").metrics() == {"1.b": 1.0, "2.b": 1.0}
    assert results["Agreement"].metrics()["AP@10.alike"] == results["Agreement"].show().rows()[0]["alike"]


def same(a, b):
    """Whether two plain values are equal, NaN to NaN."""
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(map(same, a, b))
    return a == b or (isinstance(a, float) and math.isnan(a) and math.isnan(b))
