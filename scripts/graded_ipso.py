"""IPSO of graded lists on real collections: what each order separates, whom it binds, and how metrics agree with it.

    python scripts/graded_ipso.py dl19-passage=QRELS,RUNS trec-covid-r5=QRELS,RUNS

Three tables for docs/papers.md: pairs of lists by class under counts at every grade threshold, sums of grades and
binary relevance; separable topics that a metric orders the other way; and the share of pairs of systems on which the
test of a metric (t, p < 0.05) and IPSO's sign test at depth 10 agree.
"""

from __future__ import annotations

import sys
import warnings
from typing import Any

import numpy as np

import rankscope as rs
from rankscope.judged import Judged
from rankscope.preferences import Preferences, all_pairs
from rankscope.preferences.classes import NON_SEPARABLE
from rankscope.studies import agreement

ORDERS = {"thresholds": "thresholds", "sums of grades": "linear", "binary, from grade 1": "binary"}
DEPTHS = (5, 10, 20)
K = 10
METRICS = ("AP@10", "nDCG@10", "P@10", "RR@10", "RBP(p=0.8)@10", "ERR@10", "Q@10")


def classes(judged: Judged, name: str) -> None:
    """Pairs of lists by class, and how many the thresholds leave free that sums separate."""
    for depth in DEPTHS:
        found = {order: all_pairs(judged, "ipso", depth=depth, gains=gains) for order, gains in ORDERS.items()}
        total = found["thresholds"].classes.size  # type: ignore[union-attr]
        for order, one in found.items():
            equal, ni, ns, mixed = (100 * one.counts.sum(axis=0) / total).tolist()
            print(f"| {name} | {depth} | {order} | {equal:.2f} | {ni + ns:.2f} | {mixed:.2f} |")
        free = found["thresholds"].classes == NON_SEPARABLE
        separated = found["sums of grades"].value != 0
        print(f"  of the pairs that sums separate, thresholds leave free: {share(free, separated)}", file=sys.stderr)


def share(hits: Any, among: Any) -> str:
    count, of = np.count_nonzero(hits & among), np.count_nonzero(among)
    return f"{count:,} of {of:,} ({100 * count / of:.2f} %)"


def reversals(judged: Judged, name: str) -> None:
    """Separable topics at depth K that a metric orders the other way."""
    for order, gains in ORDERS.items():
        kept = all_pairs(judged, "ipso", depth=K, gains=gains)
        cells = [share(_against(judged, metric, kept), kept.value != 0).split("(")[1].rstrip(")") for metric in METRICS]
        print(f"| {name} | {order} | {' | '.join(cells)} |")


def _against(judged: Judged, metric: str, kept: Preferences) -> Any:
    scores = rs.evaluate(judged, metric)
    value = scores.value[0][:, [scores.topics.index(topic) for topic in kept.topics]]
    first, second = value[kept.first], value[kept.second]
    apart = np.where(np.abs(first - second) <= 1e-12 * np.maximum(first, second), 0, np.sign(second - first))
    return apart * kept.value < 0


def agreements(judged: Judged, name: str) -> None:
    """Pairs of systems on which a metric and IPSO agree whether they differ."""
    for order, gains in ORDERS.items():
        found = agreement(judged, METRICS[:6], depths=[K], tests=["t"], gains=gains)
        alike = [100 * row for row in found.tables()["agreement"].values["alike"]]
        significant = 100 * float((found.ipso < found.alpha).mean())
        cells = " | ".join(f"{x:.1f}" for x in alike)
        print(f"| {name} | {order} | {significant:.1f} | {cells} |")


def main() -> None:
    warnings.simplefilter("ignore")
    collections = {}
    for given in sys.argv[1:]:
        name, _, files = given.partition("=")
        qrels, _, runs = files.partition(",")
        collections[name] = rs.load(qrels, runs)
    heads = {
        classes: "| collection | k | order | equal | separable | non-separable |",
        reversals: f"| collection | order | {' | '.join(METRICS)} |",
        agreements: f"| collection | order | significant by IPSO | {' | '.join(METRICS[:6])} |",
    }
    for table, head in heads.items():
        print(f"\n{head}\n|{' --- |' * (head.count('|') - 1)}")
        for name, judged in collections.items():
            table(judged, name)


if __name__ == "__main__":
    main()
