"""All pairs of 110 systems on 249 topics, 1,492,755 comparisons, from the loaded array: C loops and numpy twins.

    python benchmarks/preferences.py                 # every row, half a minute
    python benchmarks/preferences.py --rounds 9      # for a noisy machine

A round times each row once. Ratios to the twin are of medians; those of two rows are medians over rounds, each of two
times of the same round. The twin is the kernel that runs where no compiler was at hand, in the same function with the
same number of threads; it, too, compares ranks of relevant documents instead of whole lists. The dense column is what
one would write first: running sums of the gains down to every rank, a block of pairs at a time.
"""

from __future__ import annotations

import argparse
import os
import platform
import resource
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from statistics import median
from typing import Any

import numpy as np

from rankscope import kernels
from rankscope.judged import Judged
from rankscope.kernels import pure
from rankscope.preferences import all_pairs

SYSTEMS, TOPICS, DEPTH = 110, 249, 1000
LOOPS = ("relevant_ranks", "pair_classes", "pair_classes_graded", "pair_levels", "pair_votes")


def collection(systems: int = SYSTEMS, topics: int = TOPICS) -> Judged:
    """Seeded: relevant documents that are easy or hard to find, and systems that find them well or badly."""
    rng = np.random.default_rng(6)
    relevant = np.clip(rng.lognormal(np.log(45), 0.9, TOPICS), 3, 450).astype(int)  # as in a TREC track
    skill = rng.normal(0, 0.5, SYSTEMS)
    code = np.ones((SYSTEMS, TOPICS, DEPTH), np.uint8)
    available = np.zeros((TOPICS, 3), np.int64)
    for t, count in enumerate(relevant):
        ease = rng.uniform(0, np.log(2 * DEPTH), count)
        grade = 3 + (rng.random(count) < 0.3).astype(np.uint8)
        rank = np.exp(np.maximum(ease + skill[:, None] + rng.normal(0, 0.8, (SYSTEMS, count)), 0)).astype(int) - 1
        s, d = np.nonzero(rank < DEPTH)
        code[s, t, rank[s, d]] = grade[d]
        available[t] = 1250 - count, np.count_nonzero(grade == 3), np.count_nonzero(grade == 4)
    names = [tuple(f"{kind}{i}" for i in range(n)) for kind, n in (("s", systems), ("t", topics))]
    return Judged(
        names[0], names[1], np.ascontiguousarray(code[:systems, :topics]), np.array([0.0, 1.0, 2.0]),
        available[:topics],
    )  # fmt: skip


@contextmanager
def twins() -> Iterator[None]:
    """The numpy kernels in place of the compiled ones."""
    before = {name: getattr(kernels, name) for name in LOOPS}
    try:
        for name in LOOPS:
            setattr(kernels, name, getattr(pure, name))
        yield
    finally:
        for name, loop in before.items():
            setattr(kernels, name, loop)


def dense(judged: Judged, depth: int, tables: Any) -> Any:
    """IPSO by running sums over all ranks, in blocks of at most 2^22 cells; a table of gains for each threshold."""
    first, second = np.triu_indices(len(judged.systems), 1)
    kind = np.int16 if tables.max() * depth < 2**15 else np.int32
    out = np.zeros((len(judged.topics), len(first)), np.uint8)
    step = max(1, (1 << 22) // depth)
    for table in tables:
        for t in range(len(judged.topics)):
            sums = np.cumsum(table[judged.code[:, t, :depth]], axis=1, dtype=kind)
            for start in range(0, len(first), step):
                part = slice(start, start + step)
                ahead = sums[first[part]] - sums[second[part]]
                out[t, part] |= (ahead > 0).any(axis=1) + 2 * (ahead < 0).any(axis=1).astype(np.uint8)
    return out


def seconds(work: Callable[[], Any]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def twin_seconds(work: Callable[[], Any]) -> float:
    with twins():
        return seconds(work)


ROWS: dict[str, dict[str, Any]] = {
    "IPSO, binary, k = 10": {"method": "ipso", "depth": 10, "gains": "binary"},
    "IPSO, binary, k = 100": {"method": "ipso", "depth": 100, "gains": "binary"},
    "IPSO, binary, k = 1000": {"method": "ipso", "depth": 1000, "gains": "binary"},
    "IPSO, thresholds, k = 10": {"method": "ipso", "depth": 10},
    "IPSO, thresholds, k = 1000": {"method": "ipso", "depth": 1000},
    "IPSO, gain map, k = 1000": {"method": "ipso", "depth": 1000, "gains": {1: 0.3, 2: 1}},
    "lexiprecision, k = 1000": {"method": "sgnLP"},
    "rrLP, k = 1000": {"method": "rrLP"},
    "lexirecall, k = 1000": {"method": "lexirecall"},
    "RPP, uniform, k = 1000": {"method": "rpp"},
    "RPP, dcg, k = 1000": {"method": "rpp", "weights": "dcg"},
}
BARS = {
    "IPSO, binary, k = 10": 3,
    "IPSO, binary, k = 100": 4,
    "IPSO, binary, k = 1000": 10,
    "IPSO, thresholds, k = 10": 3,
    "IPSO, thresholds, k = 1000": 10,
    "IPSO, gain map, k = 1000": 2,
}
GROWTH = (
    "IPSO, binary, k = 1000",
    "IPSO, thresholds, k = 1000",
    "IPSO, gain map, k = 1000",
    "lexiprecision, k = 1000",
    "RPP, uniform, k = 1000",
)
WITHIN = {
    "lexiprecision, k = 1000": "IPSO, binary, k = 100",
    "RPP, uniform, k = 1000": "IPSO, binary, k = 1000",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--workers", type=int, default=None)
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    judged = collection()
    work = {name: lambda o=o: all_pairs(judged, workers=args.workers, **o) for name, o in ROWS.items()}  # type: ignore[misc]
    for call in work.values():
        call()  # once, so that no row pays for another's first pages
    rounds = [{name: seconds(call) for name, call in work.items()} for _ in range(args.rounds)]
    ours = {name: [one[name] for one in rounds] for name in work}
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    slow = {name: [twin_seconds(call) for _ in range(1 if "gain map" in name else 3)] for name, call in work.items()}
    tables = {
        "binary": np.array([[0, 0, 0, 1, 1]]), "thresholds": np.array([[0, 0, 0, 1, 1], [0, 0, 0, 0, 1]]),
        "gain map": np.array([[0, 0, 0, 3, 10]]),
    }  # fmt: skip
    print("| what | rankscope, s | numpy twin, s | twin / rankscope | bar | met | dense numpy, s |")
    print("| --- | ---: | ---: | ---: | --- | --- | ---: |")
    for name in ROWS:
        ratio = median(slow[name]) / median(ours[name])
        bar, met, first = "", "", ""
        if name in BARS:
            bar, met = f"at least {BARS[name]}", "yes" if ratio >= BARS[name] else "NO"
            kind, depth = name.split(", ")[1], ROWS[name]["depth"]
            first = f"{seconds(lambda k=depth, t=tables[kind]: dense(judged, k, t)):.2f}"  # type: ignore[misc]
        if name in WITHIN:
            other = WITHIN[name]
            share = median(a / b for a, b in zip(ours[name], ours[other], strict=True))
            bar, met = f"within {other}", f"{'yes' if share <= 1 else 'NO'} ({share:.2f})"
        cells = [name, f"{median(ours[name]):.4f}", f"{median(slow[name]):.3f}", f"{ratio:.1f}", bar, met, first]
        print(f"| {' | '.join(cells)} |", flush=True)
    print(f"\npeak memory of the compiled rows: {memory:.2f} GiB (bar: 1)")
    print("\nslopes of log time over log size, 1 for linear (systems: 2 for all pairs)\n")
    print("| what | systems 28 to 110 | topics 62 to 249 | depth 125 to 1000 |")
    print("| --- | ---: | ---: | ---: |")
    for name in GROWTH:
        print(f"| {name.split(', k')[0]} | {' | '.join(slopes(ROWS[name], args))} |", flush=True)
    cores = len(os.sched_getaffinity(0))
    print(f"\n{cores} cores, load {os.getloadavg()[0]:.1f}; Python {platform.python_version()}, numpy {np.__version__}")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"kernels: {kernels.KIND}; peak memory of all of this: {peak:.2f} GiB")


def slopes(options: dict[str, Any], args: argparse.Namespace) -> list[str]:
    """How time grows with systems, topics and depth."""
    ranges: list[list[tuple[int, Judged, int]]] = [
        [(n, collection(systems=n), DEPTH) for n in (28, 55, 110)],
        [(n, collection(topics=n), DEPTH) for n in (62, 125, 249)],
        [(n, collection(), n) for n in (125, 250, 500, 1000)],
    ]
    rows = []

    def fastest(judged: Judged, depth: int) -> float:
        settings = options | {"depth": depth, "workers": args.workers}
        return min(seconds(lambda: all_pairs(judged, **settings)) for _ in range(5))

    for sizes in ranges:
        times = [fastest(judged, depth) for _, judged, depth in sizes]
        rows.append(f"{np.polyfit(np.log([n for n, _, _ in sizes]), np.log(times), 1)[0]:.2f}")
    return rows


if __name__ == "__main__":
    main()
