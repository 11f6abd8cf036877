"""Statistics beside their peers, 249 topics x 110 systems: one table of ratios.

    python benchmarks/significance.py                # every row, a few minutes
    python benchmarks/significance.py hsd tau        # some of them

Each repetition is a fresh process. Its modules are imported first; then comes the first call, which nothing has warmed
up, and then a second one. An untimed process goes before, for whatever a peer's JIT keeps on disk. Ratios are medians
over rounds of the peer's time by rankscope's of the same round; the bars are for first calls.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from statistics import median
from typing import Any

import numpy as np

TOPICS, SYSTEMS = 249, 110
Task = Callable[[], Any]


def scores() -> Any:
    """AP-like scores, seeded: difficulty by topic, quality by system."""
    rng = np.random.default_rng(4)
    theta = np.clip(rng.beta(1.2, 2.5, (TOPICS, 1)) * rng.uniform(0.6, 1.2, SYSTEMS), 0.01, 0.99)
    return rng.beta(6 * theta + 0.05, 6 * (1 - theta) + 0.05)


# A task imports, prepares, and gives back what is timed.


def hsd_ours(resamples: int) -> Task:
    from rankscope.statistics import Resampling
    from rankscope.statistics.families.randomised_hsd import randomised_hsd

    x = scores()
    return lambda: randomised_hsd(x, resampling=Resampling(resamples), exact=False)


def hsd_numpy(resamples: int) -> Task:
    x = scores()

    def run(trials: int = resamples) -> Any:
        rng = np.random.default_rng(0)
        i, j = np.triu_indices(SYSTEMS, 1)
        means = x.mean(axis=0)
        largest = np.sort([np.ptp(rng.permuted(x, axis=1).mean(axis=0)) for _ in range(trials)])
        reached = trials - np.searchsorted(largest, np.abs(means[i] - means[j]) - 1e-12)
        return (reached + 1) / (trials + 1)

    return run


def flips_ours() -> Task:
    from rankscope.statistics import Resampling, randomisation_all_pairs

    x = scores()
    return lambda: randomisation_all_pairs(x, resampling=Resampling(10_000))


def flips_ranx() -> Task:
    from ranx.statistical_tests import fisher_randomization_test

    x = scores()
    pairs = list(zip(*np.triu_indices(SYSTEMS, 1), strict=True))[:100]
    columns = [np.ascontiguousarray(c) for c in x.T]
    return lambda: [fisher_randomization_test(columns[i], columns[j], 1000) for i, j in pairs]


def t_ours() -> Task:
    import scipy.special  # noqa: F401 as all modules, imported before the clock starts

    from rankscope.statistics import t_all_pairs

    x = scores()[:, :20]
    return lambda: t_all_pairs(x)


def t_ranx_compare() -> Task:
    from ranx import Qrels, Run, compare

    rng = np.random.default_rng(4)  # ten documents a topic, one metric: as little scoring as there can be
    documents = [f"d{i}" for i in range(10)]
    names = [f"t{t}" for t in range(TOPICS)]
    qrels = Qrels({t: dict.fromkeys(documents[:4], 1) for t in names})
    runs = [
        Run({t: dict(zip(documents, rng.random(10), strict=True)) for t in names}, name=f"run{s}") for s in range(20)
    ]
    return lambda: compare(qrels, runs, ["mrr"], stat_test="student")


def t_ranx_test() -> Task:
    from ranx.statistical_tests import compute_statistical_significance

    x = scores()[:, :20]
    names = [f"run{s}" for s in range(20)]
    by_name = {name: {"ap": np.ascontiguousarray(c)} for name, c in zip(names, x.T, strict=True)}
    return lambda: compute_statistical_significance(names, by_name, stat_test="student")


def halves() -> tuple[Any, Any]:
    """Mean scores on 1,000 random halves of the topics, and on the others."""
    x, rng = scores(), np.random.default_rng(0)
    orders = [rng.permutation(TOPICS) for _ in range(1000)]
    half = TOPICS // 2
    return np.stack([x[o[:half]].mean(axis=0) for o in orders]), np.stack([x[o[half:]].mean(axis=0) for o in orders])


def tau_ours() -> Task:
    from rankscope.statistics import taus

    first, second = halves()
    return lambda: taus(first, second)


def tau_scipy() -> Task:
    from scipy.stats import kendalltau

    first, second = halves()
    return lambda: [kendalltau(x, y).statistic for x, y in zip(first, second, strict=True)]


def consistency_ours() -> Task:
    from rankscope.statistics import Resampling, consistency

    x = scores()
    return lambda: consistency(x, resampling=Resampling(1000))


def consistency_scipy() -> Task:
    from scipy.stats import kendalltau

    return lambda: [kendalltau(x, y).statistic for x, y in zip(*halves(), strict=True)]


@dataclass(frozen=True)
class Row:
    """What is compared with what; bar: the peer's time by ours, at least."""

    name: str
    what: str
    ours: str
    peer: str = ""
    bar: float = 0.0
    rounds: int = 3


TASKS: dict[str, Callable[[], Task]] = {
    "hsd ours": lambda: hsd_ours(10_000),
    "hsd numpy": lambda: hsd_numpy(10_000),
    "hsd ours 1,000": lambda: hsd_ours(1000),
    "hsd numpy 1,000": lambda: hsd_numpy(1000),
    "hsd ours 100,000": lambda: hsd_ours(100_000),
    "flips ours": flips_ours,
    "flips ranx": flips_ranx,
    "t ours": t_ours,
    "t ranx.compare": t_ranx_compare,
    "t ranx test": t_ranx_test,
    "tau ours": tau_ours,
    "tau scipy": tau_scipy,
    "consistency ours": consistency_ours,
    "consistency scipy": consistency_scipy,
}
ROWS = [
    Row("hsd", "randomised HSD, B = 10,000, against numpy's rng.permuted", "hsd ours", "hsd numpy", 8),
    Row("hsd-1k", "the same, B = 1,000", "hsd ours 1,000", "hsd numpy 1,000", 8, rounds=7),
    Row("hsd-100k", "randomised HSD, B = 100,000", "hsd ours 100,000", rounds=1),
    Row("flips", "sign flips, 5,995 pairs, B = 10,000; ranx: 100 pairs, B = 1,000", "flips ours", "flips ranx", 1),
    Row("t", "t, all pairs of 20 systems, against ranx.compare (scoring included)", "t ours", "t ranx.compare", 20),
    Row("t-alone", "the same, against ranx's test alone", "t ours", "t ranx test"),
    Row("tau", "1,000 split-half taus, against a loop over scipy's kendalltau", "tau ours", "tau scipy", 30, rounds=7),
    Row("consistency", "the same, drawing the halves included", "consistency ours", "consistency scipy", 30, rounds=7),
]  # fmt: skip


def seconds(task: str) -> tuple[float, float]:
    """Times of a first and a second call in a process of its own."""
    done = subprocess.run([sys.executable, __file__, "--task", task], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{task}: {done.stderr.strip().splitlines()[-1]}")
    first, second = json.loads(done.stdout.splitlines()[-1])
    return first, second


def measured(row: Row) -> tuple[str, ...]:
    if not row.peer:
        ours = [seconds(row.ours)[0] for _ in range(row.rounds)]
        return row.what, f"{median(ours):.3f}", "", "", "", "", ""
    if row.peer.split()[1].startswith("ranx"):
        seconds(row.peer)
    times = [(*seconds(row.ours), *seconds(row.peer)) for _ in range(row.rounds)]
    first, second = (median(t[2 + call] / t[call] for t in times) for call in (0, 1))
    bar = f"at least {row.bar:g}" if row.bar else ""
    met = ("yes" if first >= row.bar else "NO") if row.bar else ""
    mine, peers = (f"{median(t[k] for t in times):.3f}" for k in (0, 2))
    return row.what, mine, peers, f"{first:.1f}", bar, met, f"{second:.1f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rows", nargs="*", metavar="ROW", help=f"{', '.join(r.name for r in ROWS)}; all by default")
    parser.add_argument("--task", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.task:
        run = TASKS[args.task]()
        times = []
        for _ in range(1 if "100,000" in args.task else 2):
            start = time.perf_counter()
            run()
            times.append(time.perf_counter() - start)
        print(json.dumps([times[0], times[-1]]))
        return
    if unknown := set(args.rows) - {row.name for row in ROWS}:
        parser.error(f"no row named {', '.join(sorted(unknown))}")
    before = load()
    print("| what | rankscope, s | peer, s | peer's time / rankscope's | bar | met | second call |")
    print("| --- | ---: | ---: | ---: | --- | --- | ---: |")
    for row in ROWS:
        if not args.rows or row.name in args.rows:
            try:
                cells = measured(row)
            except RuntimeError as problem:
                cells = (row.what, str(problem), "", "", "", "", "")
            print(f"| {' | '.join(cells)} |", flush=True)
    packages = ("rankscope", "numpy", "scipy", "ranx")
    tools = ", ".join(f"{name} {version(name)}" for name in packages)
    print(
        f"\n{len(os.sched_getaffinity(0))} cores; Python {platform.python_version()}, {tools}; load {before} before,",
        end=" ",
    )
    print(f"{load()} after.")


def load() -> str:
    return f"{os.getloadavg()[0]:.1f}"


if __name__ == "__main__":
    main()
