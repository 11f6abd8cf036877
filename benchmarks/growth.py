"""How the cost of every command grows with systems, topics, depth, resamples: slopes of log time over log size.

    python benchmarks/growth.py              # every row, two minutes
    python benchmarks/growth.py --smoke      # smaller sizes; exit code 1 where a slope or a ratio is out of bounds
    python benchmarks/growth.py --planted    # `compare` with a quadratic step put into it: must end with exit code 1

1 is linear, 2 quadratic. Time is that of the processor, on one thread, the least of several calls: what else the
machine does hardly shows, so that the bounds can be checked anywhere. A bound is the slope that the work has on paper
and 0.4 more. Commands are called within this process, from files to output; sizes are such that the fixed cost of a
command is small beside the rest. A slope beyond its bound is measured once more before it counts. Ratios are times of a
peer, or of the numpy twin, by rankscope's. The last table is about wall time, which only a machine with nothing else to
do can tell.

`enumerate`, `reproduce` without files and `studies.scales` count all rankings of a depth, so that their cost is
exponential in it: they have no row.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from preferences import collection, twins
from score import RANKSCOPE
from score import TOOLS as FROM_FILES
from significance import scores

import rankscope as rs
from rankscope.cli import compare as compare_command
from rankscope.cli import main as rankscope_command
from rankscope.judged.model import Documents, Pooled
from rankscope.layout import markdown_table
from rankscope.measures.bounding.joint import joint_ends
from rankscope.preferences import all_pairs
from rankscope.statistics import Resampling, bootstrap_max_t, randomised_hsd, split_halves

SLACK = 0.4  # of a power; what is accidentally quadratic has a whole one
ENOUGH = 0.5  # seconds of calls that tell a least one
LONG = (22_000, 66_000)  # topics, beyond those from which on `compare` no longer draws
LESS, FEW = (2_000, 8_000), (500, 2_000)
MANY, SOME = (50, 200), (20, 80)  # systems
DEEP = (250, 1_000)
ONE_THREAD = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
GRADED = {1: 0.3, 2: 1}
FEW_DRAWS = Resampling(200)
Work = Callable[[], object]


def processor(work: Work, calls: int = 5) -> float:
    """The least processor time of a few calls, the first of which pays for imports and first pages."""
    spent: list[float] = []
    while len(spent) < min(calls, 2) or (len(spent) <= calls and sum(spent) < ENOUGH):
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
    calls: int = 5

    def slope(self) -> tuple[float, float]:
        """The slope, and the seconds of the largest size."""
        times = [processor(self.task(size), self.calls) for size in self.sizes]
        return float(np.polyfit(np.log(self.sizes), np.log(times), 1)[0]), times[-1]

    def row(self) -> tuple[list[str], bool]:
        slope, seconds = self.slope()
        if slope > self.power + SLACK and self.calls > 1:  # something may have been in the way: once more
            slope, seconds = min((slope, seconds), self.slope())
        within = slope <= self.power + SLACK
        sizes = f"{self.by}, {self.sizes[0]:,} to {self.sizes[-1]:,}"
        bound = f"{self.power:g} ({self.power + SLACK:g})"
        return [self.what, sizes, bound, f"{slope:.2f}", f"{seconds:.3f}", "yes" if within else "NO"], within


def files(folder: Path, *, runs: int = 4, topics: int = 50, depth: int = 500) -> tuple[str, list[str]]:
    """TREC files of a size, seeded, in a folder of their own; every third document of the pool is judged."""
    home = folder / f"{runs}-{topics}-{depth}"
    paths = [home / f"run{s}.txt" for s in range(runs)]
    if not home.exists():
        home.mkdir()
        rng = np.random.default_rng(1)
        judged = (f"{t} 0 d{d} {d // 3 % 3}\n" for t in range(topics) for d in range(0, 2 * depth, 3))
        (home / "qrels.txt").write_text("".join(judged))
        for path in paths:
            with path.open("w") as file:
                for t in range(topics):
                    drawn = enumerate(rng.permutation(2 * depth)[:depth].tolist())
                    file.writelines(f"{t} Q0 d{d} {r + 1} {depth - r}.5 x\n" for r, d in drawn)
    return str(home / "qrels.txt"), list(map(str, paths))


def called(*words: str) -> None:
    """A command, within this process; its output goes nowhere."""
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as complaints:
        code = rankscope_command(words)
    if code not in (0, 1):  # 1 is an outcome of gate
        sys.exit(f"rankscope {' '.join(words)}: {complaints.getvalue()}")


def command(folder: Path, line: str, **size: int) -> Work:
    """A command line on files of a size, which FILES stands for: QRELS and RUNS; NEW is a path that is free."""
    qrels, runs = files(folder, **size)
    files_of = {"QRELS": [qrels], "RUNS": runs, "RUN": runs[:1], "FILES": [qrels, *runs]}
    words = [word for part in line.split() for word in files_of.get(part, [part])]

    def run() -> None:
        with tempfile.TemporaryDirectory(dir=folder) as fresh:
            called(*(word.replace("NEW", f"{fresh}/new") for word in words))

    return run


def notebook(folder: Path, make: Callable[..., Any], **size: int) -> Work:
    """HTML that a notebook shows of a result."""
    qrels, runs = files(folder, **size)
    result = make(qrels, runs)
    return lambda: result._repr_html_()


def list_of_pairs(folder: Path, count: int, length: int = 10) -> Work:
    """`ipso` on a file of pairs of lists."""
    drawn = np.random.default_rng(1).integers(0, 2, (count, 2, length))
    path = folder / f"pairs-{count}-{length}.txt"
    path.write_text("".join(f"{n} {''.join(map(str, a))} {''.join(map(str, b))}\n" for n, (a, b) in enumerate(drawn)))
    return lambda: called("ipso", str(path), "--json")


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


def dominated(systems: int = 28, topics: int = 125) -> Work:
    judged = collection(systems=systems, topics=topics)
    return lambda: rs.preferences.dominance_all_pairs(judged, depth=100, gains="linear", workers=1)


def hsd(systems: int = 55, topics: int = 125, resamples: int = 2000, workers: int | None = 1) -> Work:
    return resampled(partial(randomised_hsd, exact=False), systems, topics, resamples, workers)


def resampled(
    test: Callable[..., Any], systems: int = 55, topics: int = 125, resamples: int = 2000, workers: int | None = 1
) -> Work:
    x = np.ascontiguousarray(scores()[:topics, :systems])
    return lambda: test(x, resampling=Resampling(resamples), workers=workers)


def bounded(name: str, topics: int = 20, depth: int = 250) -> Work:
    """Joint bounds of a difference; 70 % of the documents are unjudged, and most stand in both lists."""
    rng = np.random.default_rng(1)
    pool = depth * 7 // 5
    number = rng.permuted(np.tile(np.arange(pool, dtype=np.int32), (2, topics, 1)), axis=-1)[..., :depth]
    kind = rng.choice([1, 2, 3], (topics, pool), p=[0.7, 0.2, 0.1]).astype(np.uint8)
    code = kind[np.arange(topics)[:, None], number]
    available = np.stack([np.count_nonzero(kind == grade, axis=1) for grade in (2, 3)], axis=1)
    none = Pooled(np.empty(0, np.int64), (), np.empty(0, np.int64))
    documents = Documents([str(n) for n in range(pool)], number, none)
    names = tuple(map(str, range(topics)))
    pair = rs.Judged(("a", "b"), names, code, np.array([0.0, 1.0]), available, documents=documents)
    measure = rs.measure(name).relevant_from(1)
    return lambda: joint_ends(pair, measure, 1)


UNCUT = ["AP", "nDCG", "RBP(p=0.8)"]  # measures that look at whole lists
STUDIES: dict[str, Callable[[rs.Judged], object]] = {
    "similarity": lambda judged: rs.studies.similarity(judged, UNCUT, resampling=Resampling(100), workers=1),
    "consistency": lambda judged: rs.studies.consistency(judged, UNCUT, depth=None, resampling=FEW_DRAWS, workers=1),
    "discriminative_power": lambda judged: rs.studies.discriminative_power(
        judged, UNCUT, resampling=FEW_DRAWS, workers=1
    ),
    "incompleteness": lambda judged: rs.studies.incompleteness(judged, UNCUT, resampling=Resampling(2), workers=1),
    "removal": lambda judged: rs.studies.removal(judged, UNCUT, resampling=Resampling(2), workers=1),
    "ties": lambda judged: rs.studies.ties(judged, UNCUT, fractions=0.5, resampling=Resampling(2), workers=1),
    "agreement": lambda judged: rs.studies.agreement(judged, UNCUT, depths=judged.code.shape[-1], workers=1),
    "separability": lambda judged: rs.studies.separability(judged, depths=judged.code.shape[-1], workers=1),
    "locality": lambda judged: rs.studies.locality(judged, UNCUT, workers=1),
}

# line of a command; sizes and power by topics, systems and depth, each beside a fixed size of the others
COMMANDS: list[tuple[str, dict[str, tuple[tuple[int, int], float]]]] = [
    ("evaluate FILES", {"topics": ((8_000, 32_000), 1), "systems": (MANY, 1), "depth": (DEEP, 1)}),
    ("evaluate FILES -q --json", {"topics": (LESS, 1), "systems": (MANY, 1)}),
    ("evaluate FILES -q --csv", {"topics": (LESS, 1), "systems": (MANY, 1)}),
    ("validate FILES", {"topics": (LESS, 1), "systems": (MANY, 1), "depth": (DEEP, 1)}),
    ("gate FILES", {"topics": (LONG, 1), "depth": (DEEP, 1)}),
    ("compare FILES", {"topics": (LESS, 1), "depth": (DEEP, 1)}),
    ("compare FILES --csv", {"topics": (LONG, 1)}),
    ("compare FILES --json --topics 5", {"topics": (LONG, 1)}),
    ("rank FILES --resamples 1000", {"topics": (LESS, 1), "systems": (MANY, 2), "depth": (DEEP, 1)}),
    ("rank FILES --json", {"systems": (MANY, 2)}),
    ("plan FILES --difference 0.02", {"topics": (LESS, 1)}),
    ("explain nDCG@10 --qrels QRELS --runs RUNS", {"topics": (LESS, 1), "systems": (MANY, 1), "depth": (DEEP, 1)}),
    ("metrics FILES -m AP nDCG@10 --resamples 500 --splits 200 --samples 2", {
        "topics": (FEW, 1), "systems": (SOME, 2), "depth": (DEEP, 1)}),
    ("reproduce cwla FILES -o NEW --figures none --resamples 200 --splits 100", {
        "topics": ((60, 240), 1), "systems": ((10, 40), 2)}),
    ("report FILES -o NEW.html", {"topics": (FEW, 1), "systems": (SOME, 2), "depth": (DEEP, 1)}),
    ("convert RUN NEW.json", {"topics": (LESS, 1), "depth": (DEEP, 1)}),
]  # fmt: skip


def growths_of_commands(folder: Path) -> list[Growth]:
    beside = {"topics": {"depth": 20}, "systems": {"topics": 50, "depth": 20}, "depth": {"topics": 200}}
    named = {"topics": "topics", "systems": "runs", "depth": "depth"}
    rows = []
    for line, dimensions in COMMANDS:
        what, few = f"rankscope {line}", 6 if line.startswith("reproduce") else 2
        line += "" if line.startswith(("explain", "convert")) else " --workers 1"
        for by, (sizes, power) in dimensions.items():

            def task(n: int, line: str = line, by: str = by, few: int = few) -> Work:
                return command(folder, line, **({"runs": few} | beside[by] | {named[by]: n}))

            rows.append(Growth(what, by, sizes, task, power))
    return rows


def growths_of_studies(folder: Path) -> list[Growth]:
    """Studies by depth, on lists in memory."""

    def task(depth: int, study: Callable[[rs.Judged], object]) -> Work:
        qrels, runs = files(folder, runs=6, topics=50, depth=depth)
        judged = rs.load(qrels, runs, keep_docs=True, workers=1)
        return lambda: study(judged)

    return [Growth(f"studies.{name}", "depth", DEEP, partial(task, study=study), 1) for name, study in STUDIES.items()]


def growths_of_notebooks(folder: Path) -> list[Growth]:
    def html(make: Callable[..., Any], **size: int) -> Work:
        return notebook(folder, make, **size)

    def compared(qrels: str, runs: list[str]) -> Any:
        return rs.compare(qrels, *runs, workers=1)

    def ranked(qrels: str, runs: list[str]) -> Any:
        return rs.rank(qrels, runs, resampling=Resampling(100), workers=1)

    return [
        Growth("HTML of a comparison", "topics", LESS, lambda n: html(compared, runs=2, topics=n, depth=20), 1),
        Growth("HTML of a ranking", "systems", MANY, lambda n: html(ranked, runs=n, topics=50, depth=20), 2),
    ]


def growths(folder: Path, smoke: bool) -> list[Growth]:
    systems, topics, depths = (14, 28, 55, 110), (31, 62, 125, 249), (125, 250, 500, 1000)
    few = (2, 4, 8) if smoke else (2, 4, 8, 16)
    graded, levels = {"gains": GRADED}, {"method": "sgnLP", "gains": None}
    max_t, halves = partial(resampled, bootstrap_max_t), partial(resampled, split_halves)
    return [
        Growth("read TREC files", "runs", few, lambda n: read(folder, runs=n), 1),
        Growth("read TREC files", "topics", topics, lambda n: read(folder, topics=n), 1),
        Growth("read TREC files", "depth", depths, lambda n: read(folder, depth=n), 1),
        Growth("7 measures, lists in memory", "systems", systems, lambda n: score(systems=n), 1),
        Growth("7 measures, lists in memory", "topics", topics, lambda n: score(topics=n), 1),
        Growth("7 measures, lists in memory", "depth", depths, lambda n: score(depth=n), 1),
        *growths_of_commands(folder),
        *growths_of_studies(folder),
        *growths_of_notebooks(folder),
        Growth("rankscope ipso FILE --json", "pairs of lists", (300, 1200), lambda n: list_of_pairs(folder, n), 1),
        Growth("rankscope ipso FILE --json", "length of lists", (25, 100), lambda n: list_of_pairs(folder, 100, n), 1),
        Growth("IPSO, all pairs, binary", "systems", systems, lambda n: pairs(systems=n), 2),
        Growth("IPSO, all pairs, binary", "topics", topics, lambda n: pairs(topics=n), 1),
        Growth("IPSO, all pairs, binary", "depth", depths, lambda n: pairs(depth=n), 1),
        Growth("IPSO, all pairs, graded", "systems", systems[:3], lambda n: pairs(systems=n, **graded), 2),
        Growth("lexiprecision, all pairs", "systems", systems, lambda n: pairs(systems=n, **levels), 2),
        Growth("dominance, all pairs", "systems", (14, 55), lambda n: dominated(systems=n), 2),
        Growth("dominance, all pairs", "topics", (62, 249), lambda n: dominated(topics=n), 2),  # gains x losses
        Growth("step-down bootstrap MaxT", "systems", systems, lambda n: max_t(systems=n), 2),
        Growth("step-down bootstrap MaxT", "topics", topics, lambda n: max_t(topics=n), 1),
        Growth("step-down bootstrap MaxT", "resamples", (500, 1000, 2000, 4000), lambda n: max_t(resamples=n), 1),
        Growth("randomised HSD", "systems", systems, lambda n: hsd(systems=n), 1),
        Growth("randomised HSD", "topics", topics, lambda n: hsd(topics=n), 1),
        Growth("randomised HSD", "resamples", (500, 1000, 2000, 4000), lambda n: hsd(resamples=n), 1),
        Growth("split halves", "systems", systems, lambda n: halves(systems=n), 1),
        Growth("split halves", "topics", topics, lambda n: halves(topics=n), 1),
        Growth("joint bounds, nDCG@10", "topics", LESS, lambda n: bounded("nDCG@10", topics=n, depth=20), 1),
        Growth("joint bounds, nDCG", "depth", DEEP, lambda n: bounded("nDCG", depth=n), 1),
        Growth("joint bounds, AP", "topics", (20, 80), lambda n: bounded("AP", topics=n), 1),
        Growth("joint bounds, AP", "depth", (500, 2_000), lambda n: bounded("AP", topics=4, depth=n), 1),
    ]  # fmt: skip


def planted(folder: Path) -> Growth:
    """`compare` with a step that looks every topic up in the list of topics: it must not pass."""
    load = compare_command.load_collection

    def quadratic(*args: Any, **options: Any) -> rs.Judged:
        judged = load(*args, **options)
        assert [judged.topics.index(topic) for topic in judged.topics][-1] == len(judged.topics) - 1
        return judged

    def task(n: int) -> Work:
        work = command(folder, "compare FILES --workers 1", runs=2, depth=20, topics=n)

        def run() -> None:
            compare_command.load_collection = quadratic
            try:
                work()
            finally:
                compare_command.load_collection = load

        return run

    command(folder, "compare FILES --workers 1", runs=2, depth=20, topics=100)()  # imports
    return Growth("rankscope compare with a quadratic step", "topics", (11_000, 44_000), task, 1, calls=1)


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
    rows = []
    for what, task in tasks.items():
        times = [wall(task(n)) for n in workers]
        rows.append([what, *(f"{times[0] / each:.2f}" for each in times[1:])])
    return rows


def checked(rows: Sequence[Growth]) -> list[str]:
    """Print a table; those beyond their bounds."""
    lines, missed = [], []
    for growth in rows:
        row, within = growth.row()
        print(" | ".join(row), file=sys.stderr, flush=True)
        lines.append(row)
        missed += [] if within else [f"{growth.what} by {growth.by}"]
    heads = ["what", "by", "power on paper (bound)", "slope", "seconds, largest size", "met"]
    print(markdown_table(heads, lines), flush=True)
    return missed


def compared_with_peers(folder: Path) -> list[str]:
    """Print ratios to peers; those beyond their bounds."""
    lines, missed = [], []
    for what, peer, ours, least in ratios(folder):
        value = processor(peer, calls=2) / processor(ours)
        lines.append([what, f"{value:.1f}", f"at least {least}", "yes" if value >= least else "NO"])
        missed += [] if value >= least else [what]
    print("\n" + markdown_table(["processor time / rankscope's, one thread", "ratio", "bound", "met"], lines))
    return missed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--smoke", action="store_true", help="fewer rows; exit code 1 where a bound is not kept")
    parser.add_argument("--planted", action="store_true", help="only `compare` with a quadratic step")
    parser.add_argument("--only", metavar="TEXT", help="only rows whose name contains TEXT")
    args = parser.parse_args()
    if os.environ.get("OPENBLAS_NUM_THREADS") != "1":  # threads of BLAS that wait count as busy
        return subprocess.call([sys.executable, *sys.argv], env={**os.environ, **dict.fromkeys(ONE_THREAD, "1")})
    warnings.simplefilter("ignore", rs.DataWarning)
    cores = len(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        rows = [planted(folder)] if args.planted else growths(folder, args.smoke)
        missed = checked([row for row in rows if args.only is None or args.only in row.what])
        if not args.planted and args.only is None:
            missed += compared_with_peers(folder)
            if not args.smoke and cores > 1:
                counts = [n for n in (1, 2, 4, 8) if n <= cores]
                head = ["wall time, one worker's by", *(f"that of {n}" for n in counts[1:])]
                print("\n" + markdown_table(head, speed_ups(counts)))
    print(f"\n{time.process_time():.0f} s of processor time; {cores} cores, load {os.getloadavg()[0]:.1f}")
    if missed:
        print(f"out of bounds: {', '.join(missed)}", file=sys.stderr)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
