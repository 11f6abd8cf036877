"""Time rankscope beside its peers and print one table.

    python benchmarks/run.py [many sparse users start memory] [--climit climit.c] [--data FOLDER] > table.md

A time is that of a whole process, from the start of the interpreter to its end, files to per-topic scores; every
repetition is a fresh process, and the tools take turns, so that what else the machine does hits all alike. Beds that
are missing are generated first. What each row means is told in the README beside this file.
"""

from __future__ import annotations

import argparse
import datetime
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import table
from score import RANKSCOPE
from timing import Outcome, Timed, measured

HERE = Path(__file__).parent
TOOLS = ("rankscope", "pure", "pytrec_eval", "ranx", "climit")
SECTIONS = ("many", "sparse", "users", "start", "memory")

CLIMIT_HELP = """a C program (source, or the binary) that shows what the machine allows: it parses every line, looks
each grade up and orders each topic, and computes no measure. Called as `climit 3 QRELS RUN...`, two processes with
half of the runs each; timed until both have ended"""


@dataclass(frozen=True, slots=True)
class Bench:
    """What was asked for."""

    tools: tuple[str, ...]
    repeat: int
    limit: float
    data: Path
    scale: float
    climit: str | None

    def folder(self, bed: str) -> Path:
        """Made in another process, to keep this one small: a child's peak memory is never below its parent's."""
        command = [sys.executable, str(HERE / "generate.py"), bed, "--out", str(self.data), "--scale", str(self.scale)]
        output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
        return Path(output.splitlines()[-1])

    def once(self, tool: str, qrels: Path, runs: list[Path]) -> Outcome:
        if tool == "climit":
            halves = [half for half in (runs[::2], runs[1::2]) if half]
            return measured([[str(self.climit), "3", str(qrels), *map(str, half)] for half in halves], self.limit)
        name = "rankscope" if tool == "pure" else tool
        command = [sys.executable, str(HERE / "score.py"), name, str(qrels), *map(str, runs)]
        return measured([command], self.limit, {"RANKSCOPE_PURE": "1" if tool == "pure" else ""})

    def absent(self, tool: str) -> str:
        if tool == "climit":
            return "" if self.climit else "not given (--climit)"
        return "" if tool == "pure" or importlib.util.find_spec(tool) else "not installed"


def rounds(turns: Mapping[str, Callable[[], Outcome]], label: str, repeat: int) -> dict[str, Timed]:
    """Everything in turn, `repeat` times over; what fails once is not tried again."""
    timed = {name: Timed() for name in turns}
    for number in range(1, repeat + 1):
        for name, turn in turns.items():
            if not timed[name].problem:
                outcome = turn()
                timed[name].add(outcome)
                say(f"{label} {number}/{repeat}, {name}: {outcome.problem or f'{outcome.seconds:.2f} s'}")
    return timed


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def bed_rows(bench: Bench, bed: str) -> list[table.Row]:
    """The tools side by side on one bed."""
    small, folder = bench.folder("small"), bench.folder(bed)
    qrels, runs = folder / "qrels.txt", sorted(folder.glob("run*.txt"))
    timed: dict[str, Timed] = {}
    for tool in bench.tools:
        if why := bench.absent(tool):
            timed[tool] = Timed(problem=why)
        elif tool == "ranx":  # its JIT compiles anew for every length of ids, so only the bed itself fills its cache
            say(f"{bed}: filling the JIT cache of ranx")
            timed[tool] = Timed(problem=bench.once(tool, qrels, runs).problem)
        else:  # untimed, for caches of bytecode and the like
            timed[tool] = Timed(problem=bench.once(tool, small / "qrels.txt", [small / "run000.txt"]).problem)
    turns = {tool: partial(bench.once, tool, qrels, runs) for tool, one in timed.items() if not one.problem}
    timed |= rounds(turns, bed, bench.repeat)
    compare_answers(bed, timed)
    return [table.tool_row(bed, tool, timed) for tool in bench.tools]


def compare_answers(bed: str, timed: dict[str, Timed]) -> None:
    """Stop where the wrong kernels were timed, or two tools did not score the same lists alike."""
    known = {tool: one.outcomes[-1] for tool, one in timed.items() if one.known and tool != "climit"}
    answers = {tool: json.loads(outcome.output.splitlines()[-1]) for tool, outcome in known.items()}
    for tool, answer in answers.items():
        kernels = answer.get("kernels", "")
        if kernels and (kernels == "compiled") != (tool == "rankscope"):
            sys.exit(f"{tool} was timed with these kernels: {kernels}")
        for peer, other in answers.items():
            # ties fall differently in some tools, which moves a score a little
            if answer["lists"] != other["lists"] or abs(answer["ap"] / other["ap"] - 1) > 1e-3:
                sys.exit(f"{bed}: {tool} and {peer} disagree: {answer}, {other}")


def start_rows(bench: Bench) -> list[table.Row]:
    """Start-up of the command line, in seconds; the bare interpreter and numpy's import for comparison."""
    folder = bench.folder("small")
    measures = [word for name in RANKSCOPE for word in ("-m", name)]
    files = [str(folder / "qrels.txt"), str(folder / "run000.txt")]
    commands = {
        "python -c pass": ["-c", "pass"],
        "python -c 'import numpy'": ["-c", "import numpy"],
        "rankscope --help": ["-m", "rankscope", "--help"],
        "rankscope evaluate, 50 x 1000": ["-m", "rankscope", "evaluate", *files, *measures],
    }
    turns = {name: partial(measured, [[sys.executable, *words]], bench.limit) for name, words in commands.items()}
    return [table.start_row(name, one) for name, one in rounds(turns, "start", 3 * bench.repeat).items()]


def memory_rows(bench: Bench) -> list[table.Row]:
    """Peak memory on `many` by number of runs, and whether it grows by more than the array of grade codes does."""
    folder = bench.folder("many")
    qrels, runs = folder / "qrels.txt", sorted(folder.glob("run*.txt"))
    numbers = (10, 55, len(runs))
    turns = {f"rankscope, {n} runs": partial(bench.once, "rankscope", qrels, runs[:n]) for n in numbers}
    timed = rounds(turns, "memory", bench.repeat)
    rows: list[table.Row] = [("memory", name, "", "", "", *table.spent(one)) for name, one in timed.items()]
    bed = json.loads((folder / "complete.json").read_text())
    array = (numbers[-1] - numbers[0]) * bed["topics"] * bed["depth"] / 1e6  # one byte per cell
    few, *_, whole = timed.values()
    return [*rows, table.growth_row(few, whole, array)]


def compiled(given: str, folder: Path) -> str:
    """The binary of climit, from its source or as it is."""
    if not given.endswith(".c"):
        return str(Path(given).resolve())
    binary = str(folder / "climit")
    compiler = shutil.which(os.environ.get("CC", "gcc")) or sys.exit("climit.c needs a C compiler: set CC")
    subprocess.run([compiler, "-O3", "-march=native", "-o", binary, given], check=True)
    return binary


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Time rankscope beside its peers and print one table.")
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=f"{', '.join(SECTIONS)}; all by default")
    parser.add_argument("--tools", nargs="+", choices=TOOLS, default=TOOLS, help="all by default")
    parser.add_argument("--repeat", type=int, default=3, help="fresh processes a tool (default: 3)")
    parser.add_argument("--limit", type=float, default=300, help="seconds a process may take (default: 300)")
    parser.add_argument("--data", type=Path, default=HERE / "data", help="folder of the beds, made where missing")
    parser.add_argument("--scale", type=float, default=1.0, help="share of the topics, for a quick look")
    parser.add_argument("--climit", metavar="FILE", help=CLIMIT_HELP)
    args = parser.parse_args()
    if unknown := set(args.sections) - set(SECTIONS):
        parser.error(f"no section named {', '.join(sorted(unknown))}; there are {', '.join(SECTIONS)}")
    return args


def load() -> str:
    return f"{os.getloadavg()[0]:.1f}"


def main() -> None:
    args = arguments()
    before = load()
    rows: list[table.Row] = []
    with tempfile.TemporaryDirectory() as scratch:
        climit = compiled(args.climit, Path(scratch)) if args.climit else None
        bench = Bench(tuple(args.tools), args.repeat, args.limit, args.data, args.scale, climit)
        for section in args.sections or SECTIONS:
            if section == "start":
                rows += start_rows(bench)
            elif section == "memory":
                rows += memory_rows(bench)
            else:
                rows += bed_rows(bench, section)
    table.show(rows)
    print(f"\n{datetime.date.today()}; {len(os.sched_getaffinity(0))} cores; median of {args.repeat} (range);", end=" ")
    print(f"load {before} before, {load()} after; {table.versions()}")
    if args.scale != 1:
        print(f"At scale {args.scale:g}: the bars are meant for scale 1.")


if __name__ == "__main__":
    main()
