"""`compare` on two runs and `rank` on 110, 249 topics x 1000, files to verdict, beside `evaluate` on the same files.

    python benchmarks/comparisons.py                 # makes the bed `many` where it is missing, then two minutes
    python benchmarks/comparisons.py --data FOLDER --rounds 9

A time is that of a whole process as a user calls it, with compiled modules in the cache. The two commands of a row take
turns; ratios are of the best rounds, so that what else the machine does counts least. Ratios of processor time, in
brackets, stand even where the machine is busy.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

from timing import Timed, measured

from rankscope import kernels
from rankscope.layout import markdown_table

HERE = Path(__file__).parent
COMMAND = [sys.executable, "-c", "import sys; from rankscope.cli import main; sys.exit(main())"]
LIMIT = 600.0


def timed(commands: dict[str, list[str]], rounds: int) -> dict[str, Timed]:
    """Each command in turn, `rounds` times over."""
    times = {name: Timed() for name in commands}
    for _ in range(rounds):
        for name, words in commands.items():
            times[name].add(measured([[*COMMAND, *words]], LIMIT, {"PYTHONDONTWRITEBYTECODE": ""}))
    for name, command in times.items():
        if command.problem:
            sys.exit(f"{name}: {command.problem}")
    return times


def row(name: str, slow: Timed, fast: Timed, bar: float) -> list[str]:
    (slow_seconds, slow_processor), (fast_seconds, fast_processor) = best(slow), best(fast)
    ratio = slow_seconds / fast_seconds
    ratios = f"{ratio:.2f} ({slow_processor / fast_processor:.2f})"
    return [
        name,
        ratios,
        f"{slow_seconds:.2f} ({slow_processor:.2f})",
        f"at most {bar:g}",
        "yes" if ratio <= bar else "no",
    ]


def best(command: Timed) -> tuple[float, float]:
    """Least wall time and least processor time of all rounds."""
    return min(o.seconds for o in command.outcomes), min(o.processor for o in command.outcomes)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, default=HERE / "data", help="where the bed `many` is or will be")
    parser.add_argument("--rounds", type=int, default=5, help="fresh processes a command (default: 5)")
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
        row("compare, 2 runs", two["compare"], two["evaluate"], 1.6),
        row(f"rank, {len(runs)} runs, B = 100,000", many["rank"], many["evaluate"], 4),
    ]
    print(f"kernels: {kernels.KIND}; {args.rounds} rounds\n")
    print(markdown_table(["command", "time / evaluate's (processor)", "seconds (processor)", "bar", "met"], rows))


if __name__ == "__main__":
    main()
