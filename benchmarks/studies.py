"""How long the studies of metrics take.

    python benchmarks/studies.py cwla QRELS RUN...     # dl19-passage: 39 metrics, 1,000 splits, 2,000 permutations
    python benchmarks/studies.py power QRELS RUN...    # trec8-adhoc: 12 metrics, every test

From files to results, step by step. The bar for the first is 60 s on two cores, all steps together.
"""

from __future__ import annotations

import argparse
import os
import platform
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

METRICS = [
    "P@250", "R@250", "F@250", "SBTO@250", "RBTO@250", "RBP(p=0.2)", "RBP(p=0.5)", "RBP(p=0.8)", "AP", "DCG",
    "nDCG@10", "ERR",
]  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["cwla", "power"])
    parser.add_argument("qrels", type=Path)
    parser.add_argument("runs", type=Path, nargs="+")
    parser.add_argument("--workers", type=int)
    args = parser.parse_args()
    import rankscope as rs
    from rankscope import studies
    from rankscope.studies.power import TESTS

    warnings.simplefilter("ignore", rs.DataWarning)
    spent: dict[str, float] = {}

    def timed(step: str, task: Callable[[], Any]) -> Any:
        start = time.perf_counter()
        found = task()
        spent[step] = time.perf_counter() - start
        return found

    depth = None if args.what == "cwla" else 250
    judged = timed("read", lambda: rs.load(args.qrels, args.runs, depth=depth))
    metrics = studies.cwla_grid() if args.what == "cwla" else METRICS
    given = timed("score", lambda: studies.material(judged, metrics, workers=args.workers))
    if args.what == "cwla":
        timed("similarity", lambda: studies.similarity(given, workers=args.workers))
        timed("consistency", lambda: studies.consistency(given, workers=args.workers))
        timed("randomised-hsd", lambda: studies.discriminative_power(given, workers=args.workers))
    else:
        for test in TESTS:
            timed(test, lambda test=test: studies.discriminative_power(given, tests=test, workers=args.workers))
    s, t, k = judged.code.shape
    print(f"{s} runs x {t} topics x {k}, {len(given.names)} metrics; Python {platform.python_version()}, ", end="")
    print(f"{os.cpu_count()} cores\n\n| step | seconds |\n| --- | ---: |")
    for step, seconds in (spent | {"all": sum(spent.values())}).items():
        print(f"| {step} | {seconds:.2f} |")


if __name__ == "__main__":
    main()
