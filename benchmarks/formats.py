"""The run of the bed `sparse` (500,000 topics x 10) in every format: time from the file or frame to per-topic scores.

    python benchmarks/formats.py --data FOLDER

Each repetition is a fresh process; a frame is made before the clock starts. Ratios are to TREC text of the same round.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from typing import Any

MEASURES = ["AP", "P@10", "nDCG@10", "nDCG", "RR", "RBP(p=0.8)", "ERR@20"]
FILES = {"TREC text": "run000.txt", "JSON": "run.json", "Parquet": "run.parquet", "CSV": "run.csv"}
FRAMES = ("polars frame", "pandas frame", "dictionary")


def run_of(kind: str, bed: Path) -> Any:
    """The run, as a path or in memory."""
    if kind in FILES:
        return bed / FILES[kind]
    if kind == "dictionary":
        return json.loads((bed / "run.json").read_text())
    import polars as pl

    frame = pl.read_parquet(bed / "run.parquet")
    if kind == "polars frame":
        return frame
    import pandas as pd

    return pd.DataFrame({name: frame[name].to_list() for name in frame.columns})


def timed(kind: str, bed: Path) -> float:
    """Seconds of one load and evaluation."""
    import rankscope as rs

    run = run_of(kind, bed)
    start = time.perf_counter()
    rs.evaluate(rs.load(bed / "qrels.txt", {"run": run}), MEASURES)
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(__file__).parent / "data")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--kind", help=argparse.SUPPRESS)
    args = parser.parse_args()
    bed = args.data / "sparse"
    if args.kind:
        print(timed(args.kind, bed))
        return
    import rankscope as rs

    source = next(p for p in sorted(bed.glob("run*.txt")))
    FILES["TREC text"] = source.name
    for name in ("run.json", "run.parquet", "run.csv"):
        if not (bed / name).exists():
            rs.convert(source, bed / name)
    rounds: dict[str, list[float]] = {kind: [] for kind in (*FILES, *FRAMES)}
    for _ in range(args.repeat):
        for kind, times in rounds.items():
            command = [sys.executable, __file__, "--data", str(args.data), "--kind", kind]
            times.append(float(subprocess.run(command, capture_output=True, text=True, check=True).stdout))
    print("| format | time / TREC text's | seconds |\n| --- | ---: | ---: |")
    for kind, times in rounds.items():
        ratio = median(t / base for t, base in zip(times, rounds["TREC text"], strict=True))
        print(f"| {kind} | {ratio:.2f} | {median(times):.2f} |")


if __name__ == "__main__":
    main()
