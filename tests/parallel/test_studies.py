"""Scorecards and reproductions: the same bits on one worker, on two, and on a cluster, which does their units."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from marks import slow

import rankscope as rs
from rankscope import studies
from rankscope.parallel.cluster import Cluster
from rankscope.simulation import embedded
from rankscope.statistics import Resampling
from rankscope.studies.columns import PARTS
from rankscope.studies.reproduce import Setting

pytestmark = [pytest.mark.usefixtures("far"), pytest.mark.filterwarnings("ignore::rankscope.DataWarning")]
FEW = {"power": Resampling(60), "ties": Resampling(60), "consistency": Resampling(30), "incompleteness": Resampling(2)}


@pytest.fixture(scope="module")
def judged() -> rs.Judged:
    qrels, runs = embedded()
    return rs.load(qrels, runs[:6], keep_docs=True, depth=20)


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Numbers of units that went to the cluster, call by call."""
    counts: list[int] = []
    completed = Cluster.completed

    def look(cluster: Cluster, parcel: Any, todo: Any, each: float) -> Any:
        counts.append(len(todo))
        return completed(cluster, parcel, todo, each)

    monkeypatch.setattr(Cluster, "completed", look)
    return counts


def plain(card: studies.Scorecard) -> str:
    """All numbers of a scorecard and of the studies behind it, to the last digit."""
    return json.dumps([card.to_dict(), {name: study.to_dict() for name, study in card.studied.items()}])


@pytest.mark.slow
def test_a_scorecard_is_the_same_everywhere(judged: rs.Judged, client: Any, sent: list[int]) -> None:
    wanted = {"measures": ["AP@5", "nDCG@5", "RR"], "methods": ["sgnLP"], "studies": PARTS, "resampling": FEW}
    serial, two = (plain(studies.metrics(judged, **wanted, workers=workers)) for workers in (1, 2))
    assert not sent
    there = plain(studies.metrics(judged, **wanted, client=client))
    assert serial == two == there
    # candidates of power, consistency, similarity, locality and scales; samples; permutations of ties
    assert len(sent) >= 7
    assert sum(sent) >= 5 * 3 + 4


@pytest.mark.parametrize("paper", slow("lexiprecision", "cwla"))
def test_a_reproduction_is_the_same_everywhere(
    paper: str, judged: rs.Judged, client: Any, sent: list[int], tmp_path: Path
) -> None:
    draws = {"permutations": Resampling(40), "splits": Resampling(20), "samples": Resampling(2)}
    for name, workers, cluster in (("serial", 1, None), ("two", 2, None), ("cluster", None, client)):
        setting = Setting(judged=judged, resampling=draws, workers=workers)
        studies.reproduce(paper, tmp_path / name, setting, client=cluster)
        assert bool(sent) == (name == "cluster")
    serial, two, there = (
        {path.name: path.read_bytes() for path in sorted((tmp_path / name).rglob("*")) if path.is_file()}
        for name in ("serial", "two", "cluster")
    )
    assert serial == two == there
