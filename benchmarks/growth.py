"""How cost grows with systems, topics, depth, resamples and workers: slopes of log time over log size.

    python benchmarks/growth.py              # every row, two minutes
    python benchmarks/growth.py --smoke      # smaller sizes; exit code 1 where a slope or a ratio is out of bounds

1 is linear, 2 quadratic. Time is that of the processor, on one thread, the least of several calls: what else the
machine does hardly shows, so that the bounds can be checked anywhere. A bound is the slope that the work has on paper
and half a power more; small sizes, where some cost is fixed, stay below it. Ratios are times of a peer, or of the numpy
twin, by rankscope's. The last table is about wall time, which only a machine with nothing else to do can tell.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from preferences import collection, twins
from score import RANKSCOPE
from score import TOOLS as FROM_FILES
from significance import scores

import rankscope as rs
from rankscope.preferences import all_pairs
from rankscope.results import markdown_table
from rankscope.statistics import Resampling
from rankscope.statistics.families.randomised_hsd import randomised_hsd

SLACK = 0.5  # of a power; what is accidentally quadratic has a whole one
GRADED = {1: 0.3, 2: 1}
Work = Callable[[], object]


def processor(work: Work, calls: int = 5) -> float:
    """The least processor time of a few calls, after one that pays for first pages."""
    work()
    spent = []
    for _ in range(calls):
        start = time.process_time()
        work()
        spent.append(time.process_time() - start)
    return max(min(spent), 1e-6)


@dataclass(frozen=True, slots=True)
class Growth:
    """A family of tasks by size, and the power of the size that its work has on paper."""

    what: str
    by: str
    sizes: Sequence[int]
    task: Callable[[int], Work]
    power: float

    def slope(self) -> float:
        times = [processor(self.task(size)) for size in self.sizes]
        return float(np.polyfit(np.log(self.sizes), np.log(times), 1)[0])

    def row(self) -> tuple[list[str], bool]:
        slope = self.slope()
        held = slope <= self.power + SLACK
        sizes = f"{self.by}, {self.sizes[0]:,} to {self.sizes[-1]:,}"
        return [self.what, sizes, f"{self.power:g}", f"{slope:.2f}", "yes" if held else "NO"], held


def files(folder: Path, *, runs: int = 4, topics: int = 50, depth: int = 500) -> tuple[str, list[str]]:
    """TREC files of a size, seeded, in a folder of their own."""
    home = folder / f"{runs}-{topics}-{depth}"
    paths = [home / f"run{s}.txt" for s in range(runs)]
    if not home.exists():
        home.mkdir()
        rng = np.random.default_rng(1)
        judged = (f"{t} 0 d{d} {d % 3}\n" for t in range(topics) for d in range(0, 2 * depth, 3))
        (home / "qrels.txt").write_text("".join(judged))
        for path in paths:
            with path.open("w") as file:
                for t in range(topics):
                    drawn = enumerate(rng.permutation(2 * depth)[:depth].tolist())
                    file.writelines(f"{t} Q0 d{d} {r + 1} {depth - r}.5 x\n" for r, d in drawn)
    return str(home / "qrels.txt"), list(map(str, paths))


def read(folder: Path, **size: int) -> Work:
    qrels, runs = files(folder, **size)
    return lambda: rs.load(qrels, runs, workers=1)


def score(systems: int = 55, topics: int = 125, depth: int = 500) -> Work:
    judged = collection(systems=systems, topics=topics)
    cut = rs.Judged(judged.systems, judged.topics, judged.code[..., :depth].copy(), judged.grades, judged.available)
    return lambda: rs.evaluate(cut, RANKSCOPE, workers=1)


def pairs(systems: int = 55, topics: int = 125, depth: int = 1000, **options: Any) -> Work:
    judged = collection(systems=systems, topics=topics)
    return lambda: all_pairs(judged, depth=depth, workers=1, **({"method": "ipso", "gains": "binary"} | options))


def hsd(systems: int = 55, topics: int = 125, resamples: int = 2000, workers: int | None = 1) -> Work:
    x = np.ascontiguousarray(scores()[:topics, :systems])
    return lambda: randomised_hsd(x, resampling=Resampling(resamples), exact=False, workers=workers)


def growths(folder: Path, smoke: bool) -> list[Growth]:
    systems, topics, depths = (14, 28, 55, 110), (31, 62, 125, 249), (125, 250, 500, 1000)
    few = (2, 4, 8) if smoke else (2, 4, 8, 16)
    graded, levels = {"gains": GRADED}, {"method": "sgnLP", "gains": None}
    return [
        Growth("read TREC files", "runs", few, lambda n: read(folder, runs=n), 1),
        Growth("read TREC files", "topics", topics, lambda n: read(folder, topics=n), 1),
        Growth("read TREC files", "depth", depths, lambda n: read(folder, depth=n), 1),
        Growth("evaluate, 7 measures", "systems", systems, lambda n: score(systems=n), 1),
        Growth("evaluate, 7 measures", "topics", topics, lambda n: score(topics=n), 1),
        Growth("evaluate, 7 measures", "depth", depths, lambda n: score(depth=n), 1),
        Growth("IPSO, all pairs, binary", "systems", systems, lambda n: pairs(systems=n), 2),
        Growth("IPSO, all pairs, binary", "topics", topics, lambda n: pairs(topics=n), 1),
        Growth("IPSO, all pairs, binary", "depth", depths, lambda n: pairs(depth=n), 1),
        Growth("IPSO, all pairs, graded", "systems", systems[:3], lambda n: pairs(systems=n, **graded), 2),
        Growth("lexiprecision, all pairs", "systems", systems, lambda n: pairs(systems=n, **levels), 2),
        Growth("randomised HSD", "systems", systems, lambda n: hsd(systems=n), 1),
        Growth("randomised HSD", "topics", topics, lambda n: hsd(topics=n), 1),
        Growth("randomised HSD", "resamples", (500, 1000, 2000, 4000), lambda n: hsd(resamples=n), 1),
    ]  # fmt: skip


def permuted(resamples: int) -> Work:
    """Randomised HSD as one writes it in numpy."""
    x = scores()

    def run() -> object:
        rng = np.random.default_rng(0)
        return [np.ptp(rng.permuted(x, axis=1).mean(axis=0)) for _ in range(resamples)]

    return run


def twin(work: Work) -> Work:
    def run() -> None:
        with twins():
            work()

    return run


def ratios(folder: Path) -> list[tuple[str, Work, Work, float]]:
    """What, a peer's work, ours, and how many times ours the peer's must take: half of the bar on an idle machine."""
    qrels, runs = files(folder, runs=8, topics=62)
    return [
        ("files to scores: pytrec_eval", lambda: FROM_FILES["pytrec_eval"](qrels, runs),
         lambda: FROM_FILES["rankscope"](qrels, runs), 3),
        ("IPSO, binary, k = 100: numpy twin", twin(pairs(110, 249, 100)), pairs(110, 249, 100), 2),
        ("IPSO, graded, k = 1000: numpy twin", twin(pairs(28, gains=GRADED)), pairs(28, gains=GRADED), 1),
        ("randomised HSD, B = 500: rng.permuted", permuted(500), hsd(110, 249, 500), 4),
    ]  # fmt: skip


def speed_ups(workers: Sequence[int]) -> list[list[str]]:
    """Wall time on several workers, by that on one."""

    def wall(work: Work) -> float:
        spent = []
        for _ in range(3):
            start = time.perf_counter()
            work()
            spent.append(time.perf_counter() - start)
        return min(spent)

    judged = collection()
    tasks: dict[str, Callable[[int], Work]] = {
        "evaluate, 7 measures": lambda n: lambda: rs.evaluate(judged, RANKSCOPE, workers=n),
        "IPSO, all pairs, graded": lambda n: lambda: all_pairs(judged, method="ipso", gains=GRADED, workers=n),
        "randomised HSD, B = 20,000": lambda n: hsd(110, 249, 20_000, workers=n),
    }
    found = []
    for what, task in tasks.items():
        times = [wall(task(n)) for n in workers]
        found.append([what, *(f"{times[0] / each:.2f}" for each in times[1:])])
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--smoke", action="store_true", help="fewer rows; exit code 1 where a bound is not kept")
    args = parser.parse_args()
    warnings.simplefilter("ignore", rs.DataWarning)
    missed = []
    with tempfile.TemporaryDirectory() as scratch:
        rows = []
        for growth in growths(Path(scratch), args.smoke):
            row, held = growth.row()
            rows.append(row)
            missed += [] if held else [f"{growth.what} by {growth.by}"]
        print(markdown_table(["what", "by", "on paper", "slope", f"at most {SLACK} more"], rows), "\n", flush=True)
        rows = []
        for what, peer, ours, least in ratios(Path(scratch)):
            value = processor(peer, calls=2) / processor(ours)
            rows.append([what, f"{value:.1f}", f"at least {least}", "yes" if value >= least else "NO"])
            missed += [] if value >= least else [what]
        print(markdown_table(["processor time / rankscope's, one thread", "ratio", "bound", "met"], rows))
    cores = len(os.sched_getaffinity(0))
    if not args.smoke and cores > 1:
        counts = [n for n in (1, 2, 4, 8) if n <= cores]
        head = ["wall time, one worker's by", *(f"that of {n}" for n in counts[1:])]
        print("\n" + markdown_table(head, speed_ups(counts)))
    print(f"\n{cores} cores, load {os.getloadavg()[0]:.1f}")
    if missed:
        print(f"out of bounds: {', '.join(missed)}", file=sys.stderr)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
