"""All C/W/L/A metrics of the paper's grid beside cwl-eval's six, both from lists in memory.

    python benchmarks/cwla.py QRELS RUN...         # trec-covid-r5, say: 126 runs x 50 topics, cut at 100

rankscope scores every run by the 39 pairs of 6 x 7 that are not constant, from the loaded array to scores. cwl-eval
scores five of the runs by its own six: Precision@10, NDCG-k@10, RBP, INST, AP, and for ERR, which it has not, the
reader of ERR who stops at the last rank. Its lists are gains in memory too, once as long as they are and once filled
up to 1000, as it does by default. Rounds take turns; the ratio is the median over rounds of cwl-eval's time by
rankscope's.
"""

from __future__ import annotations

import argparse
import os
import platform
import time
import warnings
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

DEPTH, RUNS = 100, 5


def timed(task: Callable[[], Any]) -> float:
    start = time.perf_counter()
    task()
    return time.perf_counter() - start


def theirs(gains: Any, length: int) -> Callable[[], Any]:
    """cwl-eval on (runs, topics, ranks) gains."""
    from cwl.ruler.measures.cwl_ap import APCWLMetric
    from cwl.ruler.measures.cwl_dcg import NDCGCWLMetric
    from cwl.ruler.measures.cwl_inst import INSTCWLMetric
    from cwl.ruler.measures.cwl_nerr import NERReq8CWLMetric
    from cwl.ruler.measures.cwl_precision import PrecisionCWLMetric
    from cwl.ruler.measures.cwl_rbp import RBPCWLMetric
    from cwl.ruler.ranking import Ranking

    metrics = [PrecisionCWLMetric(10), NDCGCWLMetric(10), RBPCWLMetric(0.8), INSTCWLMetric(2.25), APCWLMetric()]
    metrics.append(NERReq8CWLMetric(DEPTH))
    lists = [Ranking("", row.tolist(), [1.0] * DEPTH, max_n=length) for row in gains.reshape(-1, DEPTH)]
    return lambda: [metric.measure(one) for one in lists for metric in metrics]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("qrels", type=Path)
    parser.add_argument("runs", type=Path, nargs="+")
    parser.add_argument("--repeat", type=int, default=3)
    args = parser.parse_args()
    import rankscope as rs
    from rankscope.measures import MeasureInputs
    from rankscope.measures.cwla.paper import SHORT

    warnings.simplefilter("ignore", rs.DataWarning)
    judged = rs.load(args.qrels, args.runs, depth=DEPTH)
    lists = MeasureInputs(judged.code[:RUNS], judged.grades, judged.available)
    gains = np.zeros((*lists.code.shape[:2], DEPTH))
    gains[..., : lists.code.shape[2]] = np.take(lists.gain_table(rs.measure("RBP_ERG")), lists.code)
    tasks = {
        "rankscope": lambda: rs.evaluate(judged, list(SHORT)),
        "rankscope, one thread": lambda: rs.evaluate(judged, list(SHORT), workers=1),
        f"cwl-eval, lists of {DEPTH}": theirs(gains, DEPTH),
        "cwl-eval, lists of 1000": theirs(gains, 1000),
    }
    rounds: dict[str, list[float]] = {name: [] for name in tasks}
    for _ in range(args.repeat):
        for name, task in tasks.items():
            rounds[name].append(timed(task))
    s, t, k = judged.code.shape
    print(f"{s} runs x {t} topics x {k} by {len(SHORT)} metrics, cwl-eval {gains.shape[0]} runs by 6;", end=" ")
    print(f"Python {platform.python_version()}, cwl-eval {version('cwl-eval')}, {os.cpu_count()} cores\n")
    print("| tool | time / rankscope's | seconds |\n| --- | ---: | ---: |")
    for name, times in rounds.items():
        ratio = median(each / ours for each, ours in zip(times, rounds["rankscope"], strict=True))
        print(f"| {name} | {ratio:.2f} | {median(times):.2f} |")
    slower = median(a / b for a, b in zip(rounds[f"cwl-eval, lists of {DEPTH}"], rounds["rankscope"], strict=True))
    if slower <= 1:
        raise SystemExit("rankscope's grid took longer than cwl-eval's six metrics on five runs")


if __name__ == "__main__":
    main()
