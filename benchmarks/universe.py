"""Disagreement over all possible rankings: the bars of the room `universe`, and brute force beside it.

    python benchmarks/universe.py             # k = 10, 14, 20 and 24
    python benchmarks/universe.py --quick     # without 24

Each task runs in a process of its own, from nothing loaded to the result, so that its memory is its own; seconds are
those of the call. Brute force compares all pairs of lists of 14 documents in numpy, one list against all others at a
time, by scores that are already there; the ratio is its time by that of the same counts here, scoring included.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from statistics import median
from typing import Any

TASKS: dict[str, tuple[str, float | None]] = {
    "matrix10": ("matrix of 13 measures, k = 10", 1.0),
    "pair14": ("AP and DCG, k = 14", None),
    "brute14": ("AP and DCG, k = 14, brute force", None),
    "pair20": ("AP and DCG, k = 20", 2.0),
    "features20": ("AP and DCG with 5 features, k = 20", None),
    "pair24": ("AP and DCG, k = 24", 40.0),
}
MOST_MEMORY = 8.0  # GiB


def brute_force(depth: int) -> Any:
    import numpy as np

    from rankscope import measure
    from rankscope.universe.rankings import comparable_rankings

    universe = comparable_rankings(depth)
    scores = [universe.scores(measure(name)) for name in ("AP", "DCG")]

    def count() -> tuple[int, int]:
        strict = either = 0
        for i in range(len(universe)):
            signs = []
            for score in scores:
                apart = score[i + 1 :] - score[i]
                signs.append(np.where(np.abs(apart) < 1e-12, 0, np.sign(apart)))
            strict += int(np.count_nonzero(signs[0] * signs[1] < 0))
            either += int(np.count_nonzero(signs[0] != signs[1]))
        return strict, either

    return count


def task(name: str) -> Callable[[], Any]:
    from rankscope import universe

    if name.startswith("brute"):
        return brute_force(int(name[5:]))
    if name.startswith("matrix"):
        return lambda: universe.disagreement(depth=int(name[6:])).either.tolist()
    if name.startswith("features"):
        return lambda: [row[3:] for row in universe.features(["AP", "DCG"], depth=int(name[8:])).rows]

    def pair() -> tuple[int, int]:
        result = universe.disagreement(["AP", "DCG"], depth=int(name[4:]))
        return int(result.strict[0, 1]), int(result.either[0, 1])

    return pair


def child(name: str) -> None:
    work = task(name)
    start, cpu = time.perf_counter(), time.process_time()
    result = work()
    seconds, used = time.perf_counter() - start, time.process_time() - cpu
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(json.dumps({"seconds": seconds, "cpu": used, "memory": memory, "found": result}))


def measured(name: str) -> dict[str, Any]:
    done = subprocess.run([sys.executable, __file__, "--task", name], capture_output=True, text=True, check=True)
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--task", help=argparse.SUPPRESS)
    parser.add_argument("--quick", action="store_true", help="leave k = 24 out")
    parser.add_argument("--repeat", type=int, default=3)
    args = parser.parse_args()
    if args.task:
        child(args.task)
        return
    from rankscope import kernels

    names = [name for name in TASKS if not (args.quick and name == "pair24")]
    rounds: dict[str, list[dict[str, Any]]] = {name: [] for name in names}
    for _ in range(args.repeat):
        for name in names:
            rounds[name].append(measured(name))
    if rounds["brute14"][0]["found"] != rounds["pair14"][0]["found"]:
        raise SystemExit("brute force and sorting count differently")
    print(f"Python {platform.python_version()}, kernels: {kernels.KIND}, {os.cpu_count()} cores, ", end="")
    print(f"median of {args.repeat}\n\n| task | bar | met | seconds | cores | GiB |")
    print("| --- | ---: | --- | ---: | ---: | ---: |")
    missed = []
    for name, times in rounds.items():
        what, bar = TASKS[name]
        seconds, cpu, memory = (median(one[key] for one in times) for key in ("seconds", "cpu", "memory"))
        met = bar is None or (seconds < bar and memory < MOST_MEMORY)
        missed += [] if met else [what]
        bound = "" if bar is None else f"under {bar:g} s"
        print(f"| {what} | {bound} | {'' if bar is None else 'yes' if met else 'no'} | {seconds:.2f} |", end=" ")
        print(f"{cpu / seconds:.1f} | {memory:.2f} |")
    ratio = median(b["seconds"] / p["seconds"] for b, p in zip(rounds["brute14"], rounds["pair14"], strict=True))
    print(f"\nbrute force / sorting at k = 14: {ratio:.0f}")
    if missed:
        raise SystemExit(f"bars missed: {', '.join(missed)}")


if __name__ == "__main__":
    main()
