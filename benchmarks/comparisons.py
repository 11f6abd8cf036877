"""`compare` on two runs and `rank` on 110, 249 topics x 1000, files to verdict, beside `evaluate` on the same files.

    python benchmarks/comparisons.py                 # makes the bed `many` where it is missing, then two minutes
    python benchmarks/comparisons.py --data FOLDER --rounds 5

A time is that of a whole process as a user calls it. The two commands of a row take turns; ratios are medians over
rounds, each of two times of the same round, so that what else the machine does hits both alike. Ratios of processor
time, in brackets, stand even where the machine is busy. The bar in seconds is for one that has nothing else to do.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path
from statistics import median

from timing import Timed, measured, ratio

from rankscope import kernels
from rankscope.results import markdown_table

HERE = Path(__file__).parent
COMMAND = [sys.executable, "-c", "import sys; from rankscope.cli import main; sys.exit(main())"]
LIMIT = 600.0


def timed(commands: dict[str, list[str]], rounds: int) -> dict[str, Timed]:
    """Each command in turn, `rounds` times over."""
    found = {name: Timed() for name in commands}
    for _ in range(rounds):
        for name, words in commands.items():
            found[name].add(measured([[*COMMAND, *words]], LIMIT))
    for name, one in found.items():
        if one.problem:
            sys.exit(f"{name}: {one.problem}")
    return found


def row(name: str, slow: Timed, fast: Timed, bar: str, met: bool) -> list[str]:
    processor = median(s.processor / f.processor for s, f in zip(slow.outcomes, fast.outcomes, strict=True))
    cpu = median(o.processor for o in slow.outcomes)
    times = f"{ratio(slow, fast):.2f} ({processor:.2f})"
    return [name, times, f"{slow.seconds:.2f} ({cpu:.2f})", bar, "yes" if met else "no"]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, default=HERE / "data", help="where the bed `many` is or will be")
    parser.add_argument("--rounds", type=int, default=3, help="fresh processes a command (default: 3)")
    args = parser.parse_args()
    command = [sys.executable, str(HERE / "generate.py"), "many", "--out", str(args.data)]
    folder = Path(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()[-1])
    qrels, runs = str(folder / "qrels.txt"), sorted(map(str, folder.glob("run*.txt")))
    measure = ["-m", "nDCG@10"]
    two = timed(
        {"compare": ["compare", qrels, *runs[:2], *measure], "evaluate": ["evaluate", qrels, *runs[:2], *measure]},
        args.rounds,
    )
    many = timed(
        {
            "rank": ["rank", qrels, *runs, *measure, "--resamples", "100000"],
            "evaluate": ["evaluate", qrels, *runs, *measure],
        },
        args.rounds,
    )
    rows = [
        row("compare, 2 runs", two["compare"], two["evaluate"], "under 2 s", two["compare"].seconds < 2),
        row(f"rank, {len(runs)} runs, B = 100,000", many["rank"], many["evaluate"], "at most 4",
            ratio(many["rank"], many["evaluate"]) <= 4),
    ]  # fmt: skip
    print(f"kernels: {kernels.KIND}; {args.rounds} rounds\n")
    print(markdown_table(["command", "time / evaluate's (processor)", "seconds (processor)", "bar", "met"], rows))


if __name__ == "__main__":
    main()
