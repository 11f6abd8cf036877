"""The table of judges: all judges and runs of TREC 2019 Deep Learning passages from files, and the growth with judges.

    python benchmarks/judges.py DATA      # DATA has dl19-passage and dl19-judges

Prints processor seconds of `rankscope judges`, for 4, 8 and 16 judges; cost is to grow linearly.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def seconds(words: list[str]) -> float:
    """Processor seconds of a command and its threads."""
    before = os.times()
    subprocess.run([sys.executable, "-m", "rankscope", *words], check=True, capture_output=True)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def main() -> None:
    data = Path(sys.argv[1])
    passages, judges = data / "dl19-passage", sorted((data / "dl19-judges").glob("*.gz"))
    for count in (4, 8, 16):
        names = [str(path) for path in judges[:count]]
        words = ["judges", str(passages / "qrels.gz"), str(passages / "runs"), "--judges", *names]
        print(f"{count:>3} judges: {seconds(words):.2f} s of processor time")


if __name__ == "__main__":
    main()
