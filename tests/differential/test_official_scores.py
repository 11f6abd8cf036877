"""Scores that the tracks published, to the four decimals they printed.

Only the columns that the runs here can give: most runs are cut at some depth, which leaves measures of the first
ranks as they were and moves the others.
"""

from __future__ import annotations

import csv
import math

import pytest

import rankscope as rs

HALF = 0.5e-4 + 1e-12  # half of the last digit


def table(data, collection: str) -> list[dict[str, str]]:
    with (data / collection / "official-scores.csv").open(newline="") as lines:
        return list(csv.DictReader(lines))


def compare(data, collection: str, columns: dict[str, str], told: dict[str, dict[str, str]], **rules) -> None:
    """columns: {theirs: ours}; told: {system: {column: value}}."""
    judged = rs.load(data / collection / "qrels.gz", data / collection / "runs", **rules)
    means = rs.evaluate(judged, columns.values()).mean().to_dict()
    assert told.keys() >= means.keys()
    wrong = [
        f"{system} {column}: {means[system][str(rs.measure(ours))]} {told[system][column]}"
        for system in means
        for column, ours in columns.items()
        if not math.isclose(means[system][str(rs.measure(ours))], float(told[system][column]), rel_tol=0, abs_tol=HALF)
    ]
    assert not wrong


def test_trec8(data):
    """Scored in single precision, as trec_eval did until version 9: it shows in one run (uwmt8a0)."""
    told = {row["run"]: row for row in table(data, "trec8-adhoc")}
    compare(data, "trec8-adhoc", {"P_15": "P@15", "P_100": "P@100"}, told, score_dtype="float32")


@pytest.mark.parametrize("rel", [1, 2])
def test_deep_learning_2019(data, rel):
    """Scored by trec_eval 9, which compares scores in single precision."""
    columns = {
        "map": f"AP(rel={rel})", "recip_rank": f"RR(rel={rel})",
        "P_10": f"P(rel={rel})@10", "P_100": f"P(rel={rel})@100", "ndcg_cut_10": "nDCG@10", "ndcg_cut_100": "nDCG@100",
    }  # fmt: skip
    told = {row["run"]: row for row in table(data, "dl19-passage") if row["binary_level"] == str(rel)}
    compare(data, "dl19-passage", columns, told, score_dtype="float32", undefined="zero")


def test_trec_covid(data):
    """In single precision too; rbp_p5 takes half the grade as gain."""
    columns = {"ndcg@20": "nDCG@20", "P@20": "P@20", "rbp_p5": 'RBP(p=0.5, gain="linear")'}
    told = {row["tag"].removesuffix(".txt"): row for row in table(data, "trec-covid-r5")}
    compare(data, "trec-covid-r5", columns, told, score_dtype="float32")
