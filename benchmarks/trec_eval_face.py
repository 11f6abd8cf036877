"""`rankscope trec_eval` beside pytrec_eval: one run at a time, whole processes, the same measures printed.

    python benchmarks/trec_eval_face.py                # the beds `small` and `many`, made where they are missing
    python benchmarks/trec_eval_face.py --rounds 15 --runs 3 --data BEDS

pytrec_eval is a Python process that imports it, parses both files, evaluates the official measures of trec_eval and
prints their means. Processes take turns. The ratio is the median over rounds of pytrec_eval's time divided by that of
rankscope in the same round. Processor time is printed beside wall time, for machines that have other things to do.
Modules are compiled to bytecode first, as they are where a package is installed.
"""

from __future__ import annotations

import argparse
import compileall
import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

import rankscope

HERE = Path(__file__).parent
PEER = """
import sys
import pytrec_eval
OFFICIAL = {"num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref", "recip_rank",
            "iprec_at_recall", "P"}
with open(sys.argv[1]) as qrels, open(sys.argv[2]) as run:
    evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(qrels), OFFICIAL)
    scores = evaluator.evaluate(pytrec_eval.parse_run(run))
for name in next(iter(scores.values())):
    mean = pytrec_eval.compute_aggregated_measure(name, [topic[name] for topic in scores.values()])
    print(f"{name:<22}\\tall\\t{mean:6.4f}")
"""


def timed(command: list[str]) -> tuple[float, float]:
    """Wall time and processor time of a process, in seconds."""
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    after, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter() - begin
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=HERE / "data", help="folder of the beds, made where missing")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--runs", type=int, default=1, help="runs of `many`, one after the other in each round")
    args = parser.parse_args()
    compileall.compile_dir(str(Path(rankscope.__file__).parent), quiet=1)
    print("| bed | pytrec_eval s | rankscope s | times, wall | times, processor |\n| --- | --- | --- | --- | --- |")
    for bed in ("small", "many"):
        subprocess.run([sys.executable, str(HERE / "generate.py"), bed, "--out", str(args.data)], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip
        qrels, *runs = sorted(map(os.fspath, (args.data / bed).glob("*.txt")))
        rounds = []
        for _ in range(args.rounds):
            for run in runs[: args.runs]:
                peer = timed([sys.executable, "-c", PEER, qrels, run])
                rounds.append((peer, timed([sys.executable, "-m", "rankscope", "trec_eval", qrels, run])))
        walls, processors = ([(theirs[n], ours[n]) for theirs, ours in rounds] for n in (0, 1))
        theirs, ours = (median(times) for times in zip(*walls, strict=True))
        ratios = [median(a / b for a, b in pairs) for pairs in (walls, processors)]
        print(f"| {bed} | {theirs:.3f} | {ours:.3f} | {ratios[0]:.2f} | {ratios[1]:.2f} |")


if __name__ == "__main__":
    main()
