"""How long the studies of metrics take.

    python benchmarks/studies.py cwla QRELS RUN...     # dl19-passage: 39 metrics, 1,000 splits, 2,000 permutations
    python benchmarks/studies.py power QRELS RUN...    # trec8-adhoc: 12 metrics, every test
    python benchmarks/studies.py reproduce QRELS RUN...  # `rankscope reproduce cwla` on dl19-passage, files written
    python benchmarks/studies.py metrics QRELS RUN...    # `rankscope metrics --all` on trec8-adhoc, 12 metrics

From files to results, step by step. Bars on two cores: 60 s for `cwla` and for `reproduce`, 4 minutes for `metrics`.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import tempfile
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
    parser.add_argument("what", choices=["cwla", "power", "reproduce", "metrics"])
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
        result = task()
        spent[step] = time.perf_counter() - start
        return result

    if args.what in ("reproduce", "metrics"):
        _command(args.what, args.qrels, args.runs, args.workers)
        return
    depth = None if args.what == "cwla" else 250
    judged = timed("read", lambda: rs.load(args.qrels, args.runs, depth=depth))
    metrics = studies.cwla_grid() if args.what == "cwla" else METRICS
    prepared = timed("score", lambda: studies.material(judged, metrics, workers=args.workers))
    if args.what == "cwla":
        timed("similarity", lambda: studies.similarity(prepared, workers=args.workers))
        timed("consistency", lambda: studies.consistency(prepared, workers=args.workers))
        timed("randomised-hsd", lambda: studies.discriminative_power(prepared, workers=args.workers))
    else:
        for test in TESTS:
            timed(test, lambda test=test: studies.discriminative_power(prepared, tests=test, workers=args.workers))
    s, t, k = judged.code.shape
    print(f"{s} runs x {t} topics x {k}, {len(prepared.names)} metrics; Python {platform.python_version()}, ", end="")
    print(f"{os.cpu_count()} cores\n\n| step | seconds |\n| --- | ---: |")
    for step, seconds in (spent | {"all": sum(spent.values())}).items():
        print(f"| {step} | {seconds:.2f} |")


def _command(what: str, qrels: Path, runs: list[Path], workers: int | None) -> None:
    """A whole command, from files to files, as a user runs it: in a process of its own."""
    files = [str(qrels), *map(str, runs)]
    use = [] if workers is None else ["--workers", str(workers)]
    with tempfile.TemporaryDirectory() as folder:
        out = str(Path(folder) / "out")
        command = {
            "reproduce": ["reproduce", "cwla", *files, "-o", out],
            "metrics": ["metrics", *files, "--depth", "250", "--all", "-o", out, "-m", *METRICS],
        }[what]
        load, start = os.getloadavg()[0], time.perf_counter()
        subprocess.run([sys.executable, "-m", "rankscope", *command, *use], check=True, stdout=subprocess.DEVNULL)
        spent = time.perf_counter() - start
    print(f"rankscope {what}: {spent:.1f} s; {os.cpu_count()} cores, load {load:.1f} before it began")


if __name__ == "__main__":
    main()
