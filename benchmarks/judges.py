"""The table of judges: all judges and runs of TREC 2019 Deep Learning passages from files, and the growth with judges.

    python benchmarks/judges.py DATA      # DATA has dl19-passage and dl19-judges

Prints processor and wall seconds of `rankscope judges`, for 4, 8 and all judges; cost is to grow linearly. The table of
all judges and 37 runs is to take at most 15 seconds on two cores.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path


def seconds(words: list[str]) -> tuple[float, float]:
    """Processor seconds of a command and its threads, and seconds on the wall."""
    before, start = os.times(), time.perf_counter()
    subprocess.run([sys.executable, "-m", "rankscope", *words], check=True, capture_output=True)
    after = os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return used, time.perf_counter() - start


def main() -> None:
    data = Path(sys.argv[1])
    passages = data / "dl19-passage"
    judges = [*sorted((data / "dl19-judges").glob("*.gz")), *sorted((passages / "qrels-reannotated").glob("*.gz"))]
    counts = [4, 8, len(judges)]
    used = []
    for count in counts:
        names = [str(path) for path in judges[:count]]
        words = ["judges", str(passages / "qrels.gz"), str(passages / "runs"), "--judges", *names]
        processor, wall = seconds(words)
        used.append(processor)
        print(f"{count:>3} judges: {processor:.2f} s of processor time, {wall:.2f} s in all")
    for low, high in ((0, 1), (1, 2)):
        per_judge = (used[high] - used[low]) / (counts[high] - counts[low])
        print(f"a further judge, {counts[low]} to {counts[high]}: {per_judge:.3f} s of processor time")


if __name__ == "__main__":
    main()
