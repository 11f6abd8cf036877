"""Rates of every part at 100 items a user, and what 10^9 users would take at these rates.

    python benchmarks/internet_scale.py                  # 100,000 users: two runs of 10 million lines, 500 MB
    python benchmarks/internet_scale.py --users 20000

Seconds are processor time of one core. What is fetched comes from a web server on this machine, so that it shows what
fetching costs a core, not what a network can carry.
"""

from __future__ import annotations

import argparse
import gzip
import os
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np

import rankscope as rs
from rankscope.cli import main as command
from rankscope.io.files import read_text
from rankscope.layout import markdown_table
from rankscope.statistics import Resampling, randomisation_test

ITEMS, JUDGED = 100, 10  # of a user
CATALOGUE = 10_007  # items, a prime: steps through it do not repeat
USERS = 10**9
MEASURE = "nDCG@10"


def spent(work: Callable[[], object]) -> float:
    """Processor seconds, the lesser of two calls."""
    times = []
    for _ in range(2):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def write(folder: Path, users: int) -> tuple[Path, list[Path]]:
    """Judgments and two runs, seeded."""
    rng = np.random.default_rng(1)
    qrels, runs = folder / "qrels.txt", [folder / "a.run", folder / "b.run"]
    with qrels.open("w") as file:
        for user in range(users):
            items = rng.integers(0, CATALOGUE, JUDGED)
            file.writelines(f"u{user} 0 i{item} 1\n" for item in sorted(set(items.tolist())))
    for run in runs:
        with run.open("w") as file:
            for user in range(users):
                start, step = rng.integers(1, CATALOGUE, 2)
                file.writelines(
                    f"u{user} Q0 i{(start + step * n) % CATALOGUE} {n + 1} {ITEMS - n} x\n" for n in range(ITEMS)
                )
    return qrels, runs


def first_items(run: Path, items: int) -> Path:
    """The run with so many items of each user."""
    if items == ITEMS:
        return run
    short = run.with_suffix(f".{items}.run")
    with run.open() as lines, short.open("w") as file:
        file.writelines(line for number, line in enumerate(lines) if number % ITEMS < items)
    return short


def peak(*words: str, call: str = "main(sys.argv[1:])") -> int:
    """Bytes that a command takes at most, or another call."""
    # not ru_maxrss, which a process inherits from the one that started it
    code = (
        f"import sys; import rankscope as rs; from rankscope.cli import main; code = {call}; "
        "print(*(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')), file=sys.stderr); "
        "sys.exit(code if code in (0, 1) else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, check=True)
    return 1024 * int(done.stderr.splitlines()[-1])


def peak_of_scores(folder: Path, users: int) -> list[str]:
    """A row: what reading scores of two runs takes, in columns measure, system, topic, value."""

    def taken(count: int) -> int:
        path = folder / "two.csv"
        with path.open("w") as file:
            file.write("measure,system,topic,value\n")
            file.writelines(
                f"{MEASURE},{name},u{user},0.{user % 9973:04d}61\n" for name in "ab" for user in range(count)
            )
        return peak(str(path), call="rs.read_scores(sys.argv[1])")

    more, less = taken(users), taken(users // 2)
    each = (more - less) / (users - users // 2)
    return ["read_scores, two runs", f"{more / 1e6:,.0f}", f"{each:,.0f}", f"{each * USERS / 1e12:.2f}"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--users", type=int, default=100_000)
    parser.add_argument("--scratch", type=Path, help="where the files may lie (default: the system's)")
    args = parser.parse_args()
    warnings.simplefilter("ignore", rs.DataWarning)
    with tempfile.TemporaryDirectory(dir=args.scratch) as folder:
        measure(Path(folder), args.users)


def measure(folder: Path, users: int) -> None:
    qrels, (run, other) = write(folder, users)
    lines = users * ITEMS
    size = run.stat().st_size
    packed, table = folder / "a.run.gz", folder / "a.parquet"
    packed.write_bytes(gzip.compress(run.read_bytes(), 6))
    rs.convert(run, table, kind="run")
    rows: list[list[str]] = []

    def add(what: str, seconds: float, per: float, unit: str, times: float, note: str = "") -> None:
        """A row: seconds for so many units here, and hours for as many as 10^9 users have."""
        hours = seconds / per * times / 3600
        rows.append([what, f"{per / seconds:,.3g} {unit} a second", f"{hours:,.0f}" if hours >= 10 else f"{hours:.1f}",
                     note])  # fmt: skip

    with subprocess.Popen(
        [sys.executable, "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory", str(folder)],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env={**os.environ, "PYTHONUNBUFFERED": "1"},
    ) as server:  # fmt: skip
        assert server.stdout is not None
        port = server.stdout.readline().split(" port ")[1].split()[0]
        fetched = spent(lambda: read_text(f"http://127.0.0.1:{port}/a.run"))
        server.terminate()
    total = USERS * ITEMS
    add("fetching one run into memory", fetched, size / 1e6, "MB", total * size / lines / 1e6, "from this machine")
    judged = rs.load(qrels, run, workers=1)
    for what, path in (("text", run), ("gzip", packed), ("Parquet", table)):
        seconds = spent(lambda path=path: rs.load(qrels, path, workers=1))  # type: ignore[misc]
        note = f"{path.stat().st_size / lines:.1f} bytes a line"
        add(f"reading and joining one run, {what}", seconds, lines, "lines", total, note)
    add(f"scoring one run, {MEASURE}", spent(lambda: rs.evaluate(judged, MEASURE, workers=1)), lines, "lines", total)
    both = rs.load(qrels, [run, other], keep_docs=10, keep_ties=True, workers=1)
    compared = spent(lambda: rs.compare(both, "a", "b", measure=MEASURE, workers=1))
    add("comparing two runs, lists loaded", compared, users, "users", USERS)
    scores = rs.evaluate(both, MEASURE, workers=1)
    alone = spent(lambda: rs.compare(scores, "a", "b", workers=1))
    add("comparing two runs, scores alone", alone, users, "users", USERS)
    called = ["evaluate", str(qrels), str(run), str(other), "-m", MEASURE, "-q", "--csv", "-o", str(folder / "s.csv")]
    add(
        "writing scores of two runs as CSV",
        spent(lambda: command([*called, "--force"])) - spent(lambda: rs.evaluate(qrels, [run, other], MEASURE)),
        users,
        "users",
        USERS,
    )
    add("reading them again", spent(lambda: rs.read_scores(folder / "s.csv")), users, "users", USERS)
    a, b = scores.value[0]
    defined = ~np.isnan(a + b)
    drawn = spent(
        lambda: randomisation_test(a[defined], b[defined], resampling=Resampling(100), exact=False, workers=1)
    )
    flips = int(defined.sum()) * 100
    add("drawing 10,000 sign flips of each user", drawn, flips, "flips", USERS * 1e4, "not done beyond 10,000 users")
    print(f"{users:,} users, {ITEMS} items each, {JUDGED} judged; one core\n")
    print(markdown_table(["part", "rate of a core", "core hours at 10^9 users", ""], rows), "\n")
    half = folder / "half"
    half.mkdir()
    half_qrels, (half_run, _) = write(half, users // 2)
    rows = []
    for what, items in (("evaluate, 100 items a user", ITEMS), ("the same, 1 item a user", 1)):
        more, less = (
            peak("evaluate", str(q), str(first_items(r, items)), "-m", MEASURE, "--workers", "1")
            for q, r in ((qrels, run), (half_qrels, half_run))
        )
        each = max(0, more - less) / (users - users // 2)
        rows.append([what, f"{more / 1e6:,.0f}", f"{each:,.0f}", f"{each * USERS / 1e12:.2f}"])
    rows.append(peak_of_scores(folder, users))
    rows.append(["scores, one measure, one run", "", "8", f"{8 * USERS / 1e12:.3f}"])
    print(markdown_table(["memory", "MB here", "bytes for each user", "TB at 10^9 users"], rows))
    text = total * size / lines / 1e12
    print(f"\none run of 10^9 users: {total:.0e} lines, {text:.2f} TB of text, "
          f"{total * packed.stat().st_size / lines / 1e12:.2f} TB gzip, "
          f"{total * table.stat().st_size / lines / 1e12:.2f} TB Parquet")  # fmt: skip
    busy = resource.getrusage(resource.RUSAGE_SELF)
    print(f"{busy.ru_utime + busy.ru_stime:.0f} s of processor time in all, load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
