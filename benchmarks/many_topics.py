"""Commands on many topics or many systems: time and memory as multiples of what `evaluate` takes.

    python benchmarks/many_topics.py                       # 200,000 topics: 220 MB of files, a minute
    python benchmarks/many_topics.py --topics 1000000      # 1.1 GB of files, and 4 GB of memory
    python benchmarks/many_topics.py --topics 1000000 --depth 5 --rounds 1   # a quarter of both
    python benchmarks/many_topics.py --systems 1000        # 50 topics, 100 documents each: `rank` with B = 10,000
    python benchmarks/many_topics.py --also metrics report --rounds 1        # further commands: their memory
    python benchmarks/many_topics.py --profile compare     # where its processor time goes, on one thread

The rows with --by and --clusters have a table of attributes with one row per topic: slices by quartiles of a number,
and clusters of four topics. A million topics may take them twice the time of `evaluate`.

Whole processes that take turns; the bars are meant for the wall time of two cores that have nothing else to do.
Processor time, in brackets, is less sensitive to other work on the machine.
"""

from __future__ import annotations

import argparse
import contextlib
import cProfile
import io
import os
import pstats
import statistics
import sys
import tempfile
import time
from math import inf
from pathlib import Path

from growth import files

from rankscope.cli import main as rankscope_command
from rankscope.results import markdown_table

BARS = {"compare": 4.0, "gate": 1.5, "rank": 3.0, "validate": 2.0}
OF_MANY_SYSTEMS = {"rank": 6.0}
BY_TOPICS = {"compare": 4.0, "gate": 2.0}  # with slices and clusters
BY_A_MILLION = {"compare": 2.0, "gate": 2.0}  # the same, of that many topics
OPTIONS = ["--by", "activity", "--clusters", "session", "--topics-table"]
MEMORY = 2.0  # of any command, by the peak of `evaluate`


def process(words: list[str]) -> tuple[float, float, float]:
    """Wall seconds, processor seconds and megabytes at most of a command as a process of its own."""
    start = time.perf_counter()
    child = os.posix_spawn(
        sys.executable,
        [sys.executable, "-m", "rankscope", *words],
        os.environ,
        file_actions=[
            (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
            (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
        ],
    )
    _, status, used = os.wait4(child, 0)
    if os.waitstatus_to_exitcode(status) not in (0, 1):  # 1 is an outcome of gate
        sys.exit(f"rankscope {' '.join(words)}: exit code {os.waitstatus_to_exitcode(status)}")
    return time.perf_counter() - start, used.ru_utime + used.ru_stime, used.ru_maxrss / 1e3


def attributes(folder: Path, topics: int) -> str:
    """A table of attributes of the topics 0, 1, ...: a number, and clusters of four."""
    path = folder / "topics.csv"
    rows = (f"{t},{t * 7919 % 1009},s{t // 4}\n" for t in range(topics))
    path.write_text("topic,activity,session\n" + "".join(rows))
    return str(path)


def table(rows: dict[str, list[str]], rounds: int, bars: dict[str, float]) -> str:
    """One row for each command line, by its name; memory has a bar in each but that of `evaluate`."""
    process(rows["evaluate"])  # the first command after files were written waits for the disk
    runs = [{name: process(words) for name, words in rows.items()} for _ in range(rounds)]
    cells = []
    for name in rows:
        ratios, values = (
            [statistics.median(run[name][i] / (run["evaluate"][i] if by else 1) for run in runs) for i in range(3)]
            for by in (True, False)
        )
        bar = bars.get(name, inf)
        met = ratios[0] <= bar and ratios[2] <= MEMORY
        cells.append([
            name, f"{ratios[0]:.2f} ({ratios[1]:.2f})", f"at most {bar:g}" if bar < inf else "",
            "" if name == "evaluate" else "yes" if met else "NO",
            f"{values[0]:.2f} ({values[1]:.2f})", f"{values[2]:,.0f}", f"{ratios[2]:.2f}",
        ])  # fmt: skip
    heads = [
        "command", "wall time / evaluate's (processor)", "bar", "met", "seconds (processor)", "MB", "MB / evaluate's",
    ]  # fmt: skip
    return markdown_table(heads, cells)


def profile(name: str, paths: list[str], most: int = 40) -> str:
    """The functions of rankscope in which most processor time is spent, those that they call included."""
    profiler = cProfile.Profile(time.thread_time)
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        profiler.runcall(rankscope_command, [name, *paths, "--workers", "1"])
    text = io.StringIO()
    pstats.Stats(profiler, stream=text).sort_stats("cumulative").print_stats("rankscope", most)
    return text.getvalue().strip()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--topics", type=int, help="default: 200,000 for two systems, else 50")
    parser.add_argument("--systems", type=int, default=2)
    parser.add_argument("--depth", type=int, help="documents of each list (default: 20 for two systems, else 100)")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument(
        "--also", metavar="COMMAND", nargs="+", default=[], help="further commands, without a bar of time"
    )
    parser.add_argument("--profile", metavar="COMMAND", help="instead: where the time of this command goes")
    parser.add_argument("--scratch", type=Path, help="where the files may lie (default: the system's)")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=args.scratch) as folder:
        two = args.systems == 2
        topics, depth = args.topics or (200_000 if two else 50), args.depth or (20 if two else 100)
        qrels, runs = files(Path(folder), runs=args.systems, topics=topics, depth=depth)
        if args.profile:
            print(profile(args.profile, [qrels, *runs]))
            return
        print(f"{args.systems:,} runs of {topics:,} topics, {depth} documents each; median of {args.rounds}\n")
        bars = dict(BARS if two else OF_MANY_SYSTEMS)
        rows = {name: [name, qrels, *runs] for name in ("evaluate", *bars, *args.also)}
        if "report" in rows:
            rows["report"] += ["-o", f"{folder}/report.html", "--force"]
        if two:
            by_topics = BY_A_MILLION if topics >= 1_000_000 else BY_TOPICS
            bars |= {f"{name} --by --clusters": bar for name, bar in by_topics.items()}
            more = [*OPTIONS, attributes(Path(folder), topics)]
            rows |= {f"{name} --by --clusters": [*rows[name], *more] for name in by_topics}
        print(table(rows, args.rounds, bars))
        print(f"\n{len(os.sched_getaffinity(0))} cores, load {os.getloadavg()[0]:.1f} after")


if __name__ == "__main__":
    main()
