"""One run of 100 million lines within 2 GiB, beside the same work in memory at a size that fits.

    python benchmarks/larger_than_memory.py [--lines 100_000_000] [--fits 10_000_000] [--memory 2GiB] [--data FOLDER]
    python benchmarks/larger_than_memory.py --lines 1_000_000 --fits 500_000 --memory 256MiB --repeat 1    # seconds

A topic has 1,000 lines, of which some are judged. Each repetition is a fresh process, and what is compared takes turns.
A rate is lines a second from files to per-topic scores of the whole process, start of the interpreter included. `pipe`
is a run that is written while it is read and never lies on disk; `gz` and `parquet` are at the size that fits, beside
the same file in memory. Peaks of memory are those that the system counts for the whole process.
"""

from __future__ import annotations

import argparse
import gzip
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from score import RANKSCOPE
from table import verdict
from timing import Outcome, measured

DEPTH, JUDGED = 1000, 10  # lines of a topic, and how many documents of it are judged
TOPICS = 1000  # written at a time
SHARE = 0.7  # of the rate in memory, at least
SEED = 2026

Array = np.ndarray[Any, Any]


FOUR = np.array([list(b"%04d" % n) for n in range(10_000)], np.uint8)


def digits(number: Array, width: int) -> Array:
    """Whole numbers as rows of decimal digits, looked up four at a time."""
    parts = [FOUR[number // 10_000**k % 10_000] for k in reversed(range(-(-width // 4)))]
    return np.concatenate(parts, axis=1)[:, -width:]


def joined(*columns: Array | bytes) -> Array:
    """Columns of digits, and text that is the same in every row, as lines: a row of bytes each."""
    rows = next(len(column) for column in columns if not isinstance(column, bytes))
    parts = [
        np.broadcast_to(np.frombuffer(column, np.uint8), (rows, len(column))) if isinstance(column, bytes) else column
        for column in columns
    ]
    return np.concatenate(parts, axis=1)


def documents(first: int, last: int, depth: int) -> Array:
    """Of topics first to last, equal steps around a circle of prime length: none twice in a topic.

    After so many topics they come again, so that a run can be written faster than it is read.
    """
    topic = np.arange(first, last, dtype=np.int64)[:, None] % TOPICS
    return (topic * 7_919 + (1 + topic % 1_000) * 104_729 * np.arange(depth)) % 99_999_989


def run_lines(topics: int) -> Iterator[bytes]:
    """The run, so many topics at a time; scores fall, and a few tie."""
    score = np.sort(np.random.default_rng(SEED).integers(0, 10**7, (TOPICS, DEPTH)), axis=1)[:, ::-1].ravel()
    rank = digits(np.tile(np.arange(1, DEPTH + 1), TOPICS), 4)
    doc = digits(documents(0, TOPICS, DEPTH).ravel(), 8)
    whole, part = digits(score // 10**6, 2), digits(score % 10**6, 6)
    lines = joined(b"000000 Q0 D", doc, b" ", rank, b" ", whole, b".", part, b" system\n")
    for first in range(0, topics, TOPICS):
        count = min(TOPICS, topics - first) * DEPTH
        lines[:count, :6] = np.repeat(digits(np.arange(first, min(first + TOPICS, topics)), 6), DEPTH, axis=0)
        yield lines[:count].tobytes()


def qrels_lines(topics: int) -> Iterator[bytes]:
    """Judgments of every hundredth document and some that were not retrieved, grades 0 to 2."""
    for first in range(0, topics, TOPICS):
        last = min(first + TOPICS, topics)
        rng = np.random.default_rng([SEED, first, 1])
        doc = np.take_along_axis(
            documents(first, last, 2 * DEPTH), rng.integers(0, 50, (last - first, JUDGED)) + np.arange(JUDGED) * 50, 1
        )
        topic = np.repeat(np.arange(first, last), JUDGED)
        grade = rng.integers(0, 3, doc.size)
        yield joined(digits(topic, 6), b" 0 D", digits(doc.ravel(), 8), b" ", digits(grade, 1), b"\n").tobytes()


def write(path: Path, parts: Iterator[bytes]) -> None:
    with path.open("wb") as file:
        file.writelines(parts)


def made(path: Path, what: str, topics: int) -> Path:
    """The run or its judgments, written first where they are not there.

    By a process of its own, as all that takes memory here: a child's peak of memory is never below its parent's.
    """
    if not path.exists():
        print(f"writing {path}", file=sys.stderr)
        unfinished = path.with_suffix(".part")
        lines = ["--lines", str(topics * DEPTH)]
        subprocess.run([sys.executable, __file__, "--write", what, str(unfinished), *lines], check=True)
        unfinished.rename(path)
    return path


def packed(path: Path, source: Path) -> Path:
    """The same file, compressed by gzip."""
    if not path.exists():
        print(f"writing {path}", file=sys.stderr)
        with source.open("rb") as plain, gzip.open(path, "wb", compresslevel=1) as out:
            shutil.copyfileobj(plain, out, 1 << 20)
    return path


def table(path: Path, source: Path) -> Path:
    """The same run as Parquet."""
    if not path.exists():
        print(f"writing {path}", file=sys.stderr)
        subprocess.run([sys.executable, "-c", PARQUET, str(source), str(path)], check=True)
    return path


PARQUET = """
import sys
import polars as pl
names = ["query_id", "iteration", "doc_id", "rank", "score", "tag"]
text = pl.scan_csv(sys.argv[1], has_header=False, separator=" ", new_columns=names, infer_schema=False)
text.select("query_id", "doc_id", pl.col("score").cast(pl.Float64)).sink_parquet(sys.argv[2])
"""
SCORED = """
import json, resource, sys
import rankscope as rs
how, qrels, run, memory, *measures = sys.argv[1:]
runs = rs.load(qrels, run) if how == "memory" else rs.stream(qrels, run, memory=memory)
print(rs.evaluate(runs, measures).mean().value.tolist())
"""


def scored(how: str, qrels: Path, run: Path, memory: str) -> Outcome:
    """One process, from files to scores."""
    command = [sys.executable, "-c", SCORED, how, str(qrels), str(run), memory, *RANKSCOPE]
    return measured([command], limit=3600)


def piped(qrels: Path, topics: int, memory: str) -> Outcome:
    """The same from a pipe that another process fills while it is read."""
    with tempfile.TemporaryDirectory() as folder:
        pipe = Path(folder) / "run.txt"
        os.mkfifo(pipe)
        with subprocess.Popen([sys.executable, __file__, "--write", "run", str(pipe), "--lines", str(topics * DEPTH)]):
            return scored("stream", qrels, pipe, memory)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", type=int, default=100_000_000, help="of the run that is larger than memory")
    parser.add_argument("--fits", type=int, default=10_000_000, help="of the run that is also read in memory")
    parser.add_argument("--memory", default="2GiB", help="what the process may take")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--data", type=Path, default=Path(__file__).parent / "data" / "larger")
    parser.add_argument("--rows", nargs="+", choices=ROWS, default=ROWS, help="all by default")
    parser.add_argument("--write", nargs=2, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.write:
        what, path = args.write
        write(Path(path), (run_lines if what == "run" else qrels_lines)(args.lines // DEPTH))
        return
    args.data.mkdir(parents=True, exist_ok=True)
    small, large = args.fits // DEPTH, args.lines // DEPTH
    few, many = (made(args.data / f"qrels-{n}.txt", "qrels", n) for n in (small, large))
    fits = made(args.data / f"run-{small}.txt", "run", small)
    turns: dict[str, tuple[int, str, Callable[[], Outcome]]] = {
        "memory": (small, "", partial(scored, "memory", few, fits, ""))
    }
    for row in args.rows:
        if row == "stream":
            beyond = made(args.data / f"run-{large}.txt", "run", large)
            turns[row] = large, "memory", partial(scored, "stream", many, beyond, args.memory)
        elif row == "pipe":
            turns[row] = large, "memory", partial(piped, many, large, args.memory)
        else:
            run = packed(fits.with_suffix(".gz"), fits) if row == "gz" else table(fits.with_suffix(".parquet"), fits)
            turns[f"{row}, memory"] = small, "", partial(scored, "memory", few, run, "")
            turns[row] = small, f"{row}, memory", partial(scored, "stream", few, run, args.memory)
    outcomes: dict[str, list[Outcome]] = {name: [] for name in turns}
    for _ in range(args.repeat):
        for name, (_, _, turn) in turns.items():
            outcomes[name].append(turn())
            print(f"{name}: {outcomes[name][-1].problem or f'{outcomes[name][-1].seconds:.1f} s'}", file=sys.stderr)
    check(outcomes)
    print(
        "| run | lines | lines a second | by the rate in memory | processor time a line, by that in memory | MB | met |"
    )
    print("| --- | ---: | ---: | ---: | ---: | ---: | --- |")
    for name, (topics, base, _) in turns.items():
        print(row_of(name, topics, base, outcomes, turns, args.memory))


ROWS = ("stream", "pipe", "gz", "parquet")


def check(outcomes: dict[str, list[Outcome]]) -> None:
    """Stop where something failed, or the same lines got other scores."""
    if problems := [f"{name}: {o.problem}" for name, all_ in outcomes.items() for o in all_ if o.problem]:
        sys.exit("\n".join(problems))
    for group in (("memory", "gz", "gz, memory", "parquet", "parquet, memory"), ("stream", "pipe")):
        if len({o.output for name in group for o in outcomes.get(name, [])}) > 1:
            sys.exit(f"{', '.join(group)}: scores differ")


def row_of(
    name: str, topics: int, base: str, outcomes: dict[str, list[Outcome]], turns: dict[str, Any], memory: str
) -> str:
    here, rate, work = outcomes[name], "", ""
    met: bool | None = None
    if base:
        scale = topics / turns[base][0]
        pairs = list(zip(here, outcomes[base], strict=True))
        faster = statistics.median(scale * b.seconds / o.seconds for o, b in pairs)
        rate = f"{faster:.2f}"
        work = f"{statistics.median(o.processor / scale / b.processor for o, b in pairs):.2f}"
        met = max(o.memory for o in here) <= size(memory) / 1e6 and (name not in ("stream", "pipe") or faster >= SHARE)
    speed = topics * DEPTH / statistics.median(o.seconds for o in here)
    peak = max(o.memory for o in here)
    return f"| {name} | {topics * DEPTH:,} | {speed / 1e6:.2f} M | {rate} | {work} | {peak:.0f} | {verdict(met)} |"


def size(memory: str) -> int:
    from rankscope.io.memory import in_bytes

    return in_bytes(memory)


if __name__ == "__main__":
    main()
