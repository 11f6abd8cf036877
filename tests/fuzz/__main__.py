"""Feed C loops and twins the same bytes.

One execution is one text given to a C loop by itself, in memory that ends 8 bytes behind it, and compared with a
twin: the numpy kernel on the same text where the C loop refuses it; where it accepts it, the numpy kernel on up to
128 such texts laid end to end, whose answer is compared piece by piece. Runs are also read literally, by the
code that explains what is wrong with a file. For `load`, one execution is one pair of files read both ways; for
`checkpoints`, one file of a study that was damaged or forged.

Batches depend on the seed, their number and the corpus alone. A worker that dies, or that stays on a text for
longer than --limit seconds, is a finding; another goes on behind the batch.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from fuzz.engine import Box, Engine, Finding

SHOWN, ALIKE = 20, 3
KEPT: Counter[tuple[str, str]] = Counter()


def main() -> int:
    parser = argparse.ArgumentParser(prog="fuzz", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument(
        "--executions", type=int, default=300_000, metavar="N", help="texts to try (default %(default)s)"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=1, metavar="N")
    parser.add_argument("--target", metavar="NAME", help="only this way into the kernels")
    parser.add_argument("--batch", type=int, metavar="N", help="only this batch, as a finding names it")
    parser.add_argument(
        "--limit", type=float, default=10.0, metavar="SECONDS", help="for one text (default %(default)s)"
    )
    parser.add_argument("--findings", type=Path, default=Path("build/fuzz"), metavar="DIR", help="default %(default)s")
    parser.add_argument("--worker", nargs=3, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.worker:
        return work(args, int(args.worker[0]), int(args.worker[1]), Path(args.worker[2]))
    return watch(args)


def work(args: argparse.Namespace, start: int, executions: int, box: Path) -> int:
    """Run every so-manieth batch from start until so many texts were tried."""
    folder = box.with_suffix(".files")
    folder.mkdir(exist_ok=True)
    engine = Engine(args.seed, Box(box), folder, args.target)
    number = start
    while engine.done < executions:
        for finding in engine.batch(number):
            keep(args, finding, number)
        if args.batch is not None:
            break
        number += args.processes
    print(json.dumps({"done": engine.done, "counts": engine.counts}), flush=True)
    return 0


def keep(args: argparse.Namespace, finding: Finding, batch: int) -> None:
    """Write a finding where a person finds it; a few of each kind will do."""
    kind = finding.target, re.sub(r"[0-9]+|'.*'|\[.*\]", "", finding.what)[:80]
    KEPT[kind] += 1
    if KEPT[kind] > ALIKE:
        return
    args.findings.mkdir(parents=True, exist_ok=True)
    path = args.findings / f"{finding.target}-{hashlib.sha256(finding.raw).hexdigest()[:12]}"
    path.write_bytes(finding.raw)
    chosen = f" --target {args.target}" if args.target else ""
    path.with_suffix(".about").write_text(
        f"{finding.target} {finding.option}\n{finding.what}\n\n"
        f"again: python3 dev.py fuzz --seed {args.seed} --batch {batch}{chosen}\n"
        f"kept:  cp {path} tests/fuzz/corpus/NAME-OF-WHAT-IT-TESTS, then mend; pytest tests/fuzz replays it\n"
    )


class Worker:
    """A process, the box it writes to and what is left for it to do."""

    def __init__(self, args: argparse.Namespace, start: int, executions: int, folder: Path) -> None:
        self.args, self.left, self.done, self.finished = args, executions, 0, False
        self.path = folder / f"box{start}"
        self.box = Box(self.path)
        self.counts: Counter[str] = Counter()
        self.begin(start)

    def begin(self, start: int) -> None:
        self.box.note(0, start, "", b"")
        self.progress, self.since = -1, time.monotonic()
        self.looked = self.since
        command = [sys.executable, "-m", "fuzz", "--worker", str(start), str(self.left - self.done), str(self.path)]
        for name in ("seed", "processes", "findings", "target", "batch"):
            if getattr(self.args, name) is not None:
                command += [f"--{name}", str(getattr(self.args, name))]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)

    def running(self) -> bool:
        """Look after the process; False when its work is done."""
        if self.finished:  # the other worker may still be at it
            return False
        code = self.process.poll()
        done, batch, label, raw = self.box.read()
        if code is None:
            now, looked = time.monotonic(), self.looked
            self.looked = now
            if done != self.progress or now - looked > 2:  # so late a look means that everything stood still
                self.progress, self.since = done, now
            if now - self.since < self.args.limit:
                return True
            self.process.kill()
            code = self.process.wait()
            what = f"no answer within {self.args.limit:g} seconds"
        else:
            what = f"the process ended with code {code}"
        if code == 0 and self.process.stdout is not None:
            told = json.loads(self.process.stdout.read().splitlines()[-1])
            self.done += told["done"]
            self.counts.update(told["counts"])
            self.finished = True
            return False
        target, _, option = label.partition(" ")
        keep(self.args, Finding(target or "start", option, raw, what), batch)
        self.done += done
        if not target or self.args.batch is not None or self.done >= self.left:
            self.finished = True
            return False
        self.begin(batch + self.args.processes)
        return True


def watch(args: argparse.Namespace) -> int:
    """Start the workers, look after them, and say what came of it."""
    begun, clock = time.monotonic(), time.time()
    if args.batch is not None:
        args.processes = 1
    starts = range(args.processes) if args.batch is None else [args.batch]
    with tempfile.TemporaryDirectory(prefix="rankscope-fuzz-") as folder:
        workers = [Worker(args, n, -(-args.executions // args.processes), Path(folder)) for n in starts]
        told = begun
        try:
            while sum([worker.running() for worker in workers]):
                time.sleep(0.2)
                if time.monotonic() - told > 60:
                    told = time.monotonic()
                    tried = sum(w.done + (0 if w.finished else w.box.read()[0]) for w in workers)
                    print(f"{tried:,} executions after {told - begun:.0f} s", flush=True)
        finally:
            for worker in workers:
                worker.process.kill()
    taken = time.monotonic() - begun
    tried, counts = sum(w.done for w in workers), sum((w.counts for w in workers), Counter())
    found = sorted(path for path in args.findings.glob("*.about") if path.stat().st_mtime >= clock - 1)
    print(f"{tried:,} executions, seed {args.seed}, {args.processes} processes")
    print(f"{taken:.0f} s, {tried / taken:,.0f} executions a second")
    print(", ".join(f"{name} {n:,}" for name, n in counts.most_common()))
    print(f"{len(found)} findings" + (f" in {args.findings}, at most {ALIKE} of a kind and worker" if found else ""))
    for path in found[:SHOWN]:
        print(f"\n{path}\n{path.read_text()}")
    return 1 if found else 0


if __name__ == "__main__":
    os.environ.pop("RANKSCOPE_PURE", None)  # both kinds are wanted
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that workers end too
    sys.exit(main())
