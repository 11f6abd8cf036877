"""Two workers against one on the studies, and what a Dask cluster's scheduling costs.

    python benchmarks/workers.py                          # a simulated collection
    python benchmarks/workers.py QRELS RUN...             # a real one, such as trec8-adhoc
    python benchmarks/workers.py --cluster                # a LocalCluster of two: share of the time that is no work

The cluster's second table counts what travels: the work with its data goes once to each worker, results come back.

Bars on two cores: 1.7 x or more over all studies together; scheduling below 5 %. "by processor" is what two idle cores
would give: the processor time of one worker over that of the busier of two processes. It holds on a busy machine too,
where seconds do not.
"""

from __future__ import annotations

import argparse
import os
import pickle
import platform
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

METRICS = ["P@10", "R@100", "AP", "nDCG@10", "nDCG", "RBP(p=0.5)", "RBP(p=0.8)", "ERR", "RR", "DCG@20", "Q", "Bpref"]
BAR = 1.7  # two workers by one, all studies together
UNCUT = ["P", "R", "AP", "nDCG", "RBP(p=0.8)"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("qrels", type=Path, nargs="?")
    parser.add_argument("runs", type=Path, nargs="*")
    parser.add_argument("--depth", type=int, help="ranks of each list that are read")
    parser.add_argument("--rounds", type=int, default=2, help="the quickest counts")
    parser.add_argument("--only", nargs="+", help="some of the studies")
    parser.add_argument("--cluster", action="store_true")
    args = parser.parse_args()
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}\n")
    if args.cluster:
        scheduling()
        travelling()
    else:
        compare(args)


def collection(args: argparse.Namespace) -> Any:
    import rankscope as rs

    if args.qrels is not None:
        return rs.load(args.qrels, args.runs, depth=args.depth, keep_docs=True)
    from tempfile import TemporaryDirectory

    from rankscope.simulation import Model, simulate
    from rankscope.simulation.embedded_collection import write

    families = {"lexical": (0.5, 0.6, 0.7, 0.8), "dense": (0.7, 0.8, 0.9, 1.0), "hybrid": (0.8, 0.9, 1.0, 1.1)}
    with TemporaryDirectory() as folder:
        write(Path(folder) / "c", simulate(Model(families=families), n_topics=100), runs="runs")
        return rs.load(Path(folder) / "c" / "qrels.gz", Path(folder) / "c" / "runs", keep_docs=True)


def compare(args: argparse.Namespace) -> None:
    import rankscope as rs
    from rankscope import studies
    from rankscope.statistics import Resampling

    warnings.simplefilter("ignore", rs.DataWarning)
    judged = collection(args)
    prepared = studies.material(judged, METRICS)
    some = Resampling(20_000)
    tasks: dict[str, Callable[[int], Any]] = {
        "similarity": lambda w: studies.similarity(prepared, resampling=Resampling(2000), workers=w),
        "consistency": lambda w: studies.consistency(prepared, resampling=Resampling(4000), workers=w),
        "power, randomised HSD": lambda w: studies.discriminative_power(prepared, resampling=some, workers=w),
        "power, bootstrap": lambda w: studies.discriminative_power(
            prepared, tests="bootstrap", resampling=some, workers=w
        ),
        "incompleteness": lambda w: studies.incompleteness(judged, METRICS, resampling=Resampling(10), workers=w),
        "removal": lambda w: studies.removal(judged, METRICS, resampling=Resampling(10), workers=w),
        "ties": lambda w: studies.ties(judged, METRICS, fractions=(0.5, 0.2), resampling=Resampling(10), workers=w),
        "agreement": lambda w: studies.agreement(judged, UNCUT, workers=w),
        "scales": lambda w: studies.scales(judged, METRICS[:5], workers=w),
    }
    tasks = {name: task for name, task in tasks.items() if args.only is None or name in args.only}
    systems, topics, depth = judged.code.shape
    print(f"{systems} systems, {topics} topics, depth {depth}, {len(METRICS)} metrics\n")
    print("| study | one worker, s | two, s | wall | processor s, one | two: this | other | by processor |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    total = [0.0] * 4
    for name, task in tasks.items():
        one, two = (min((spent(task, workers) for _ in range(args.rounds)), key=max_of) for workers in (1, 2))
        show(name, one, two)
        total = [a + b for a, b in zip(total, (one[0], two[0], one[1], max(two[1:])), strict=True)]
    print(f"| all | {total[0]:.2f} | {total[1]:.2f} | {total[0] / total[1]:.2f} x | {total[2]:.2f} | | | "
          f"{total[2] / total[3]:.2f} x |")  # fmt: skip
    faster = total[0] / total[1]
    print(f"\nall together {faster:.2f} x; bar: at least {BAR}; met: {'yes' if faster >= BAR else 'NO'}")


def max_of(measured: tuple[float, float, float]) -> float:
    return measured[0]


def show(name: str, one: tuple[float, float, float], two: tuple[float, float, float]) -> None:
    busier = one[1] / max(two[1], two[2])
    print(f"| {name} | {one[0]:.2f} | {two[0]:.2f} | {one[0] / two[0]:.2f} x | {one[1]:.2f} | {two[1]:.2f} | "
          f"{two[2]:.2f} | {busier:.2f} x |", flush=True)  # fmt: skip


def spent(task: Callable[[int], Any], workers: int) -> tuple[float, float, float]:
    """Seconds; processor seconds of this process; and of its helpers."""
    begin, mine, theirs = time.perf_counter(), time.process_time(), helpers()
    task(workers)
    return time.perf_counter() - begin, time.process_time() - mine, helpers() - theirs


def helpers() -> float:
    """Processor seconds of all helpers so far (Linux)."""
    from rankscope.parallel import processes

    ticks = 0
    for helper in tuple(processes._alive):
        fields = Path(f"/proc/{helper.process.pid}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


@contextmanager
def cluster() -> Iterator[Any]:
    """Client of two workers on this machine."""
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address="127.0.0.1:0") as local,
        Client(local) as client,
    ):
        yield client


def scheduling() -> None:
    """Units tell how long they took; what two workers' time holds beside that is the cluster's."""
    from rankscope.parallel import map_units, on

    print("| units | seconds each | kind | passed | in units | overhead | scheduler's and client's processor time | "
          "ms a unit |")  # fmt: skip
    print("| ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: |")
    with cluster() as client, on(client):
        sizes: tuple[tuple[int, float, Any], ...] = (
            (60, 0.2, "long"), (200, 0.05, "long"), (2000, 0.005, "short"), (8000, 0.001, "short"),
        )  # fmt: skip
        for count, each, kind in sizes:

            def unit(_: int, each: float = each) -> float:
                begin = time.perf_counter()
                time.sleep(each)  # needs no processor, so that workers do not get in each other's way
                return time.perf_counter() - begin

            begin, busy = time.perf_counter(), time.process_time()
            inside = sum(map_units(unit, range(count), workers=1, kind=kind))
            passed = time.perf_counter() - begin
            spent, share = time.process_time() - busy, 100 * (1 - inside / 2 / passed)
            print(f"| {count} | {each} | {kind} | {passed:.2f} | {inside:.2f} | {share:.1f} % | "
                  f"{100 * spent / inside:.1f} % of it | {1000 * spent / count:.2f} |")  # fmt: skip


@dataclass(slots=True)
class Traffic:
    """What a call sent to each worker and got back."""

    calls: int = 0
    units: int = 0
    tasks: int = 0
    sent: int = 0
    back: int = 0


@contextmanager
def watched() -> Iterator[Traffic]:
    """Counts what travels to a cluster; however little work there is, it travels."""
    from rankscope.parallel import mapping
    from rankscope.parallel.cluster import Cluster

    traffic = Traffic()
    completed, fetched = Cluster.completed, Cluster._fetched
    before = mapping.TRIED, mapping.WORTH, mapping.RATE

    def counted(self: Any, parcel: Any, todo: Any, each: float) -> Any:
        traffic.calls, traffic.units = traffic.calls + 1, traffic.units + len(todo)
        traffic.sent += parcel.nbytes
        return completed(self, parcel, todo, each)

    def weighed(self: Any, future: Any) -> Any:
        answer = fetched(self, future)
        if answer is not None:
            traffic.tasks += 1
            traffic.back += len(pickle.dumps(answer, 5))
        return answer

    Cluster.completed, Cluster._fetched = counted, weighed  # type: ignore[method-assign]
    mapping.TRIED, mapping.WORTH, mapping.RATE = 1e-9, 0.0, float("inf")
    try:
        yield traffic
    finally:
        Cluster.completed, Cluster._fetched = completed, fetched  # type: ignore[method-assign]
        mapping.TRIED, mapping.WORTH, mapping.RATE = before


def travelling() -> None:
    """Units, bytes and seconds of commands and resamplings on two workers."""
    import numpy as np
    from significance import scores

    import rankscope as rs
    from rankscope import statistics, studies
    from rankscope.statistics import Resampling

    warnings.simplefilter("ignore", rs.DataWarning)
    matrix = np.ascontiguousarray(scores())
    a, b = matrix[:, 0], matrix[:, 1]
    judged = collection(argparse.Namespace(qrels=None))
    some, many = Resampling(2000), Resampling(100_000)
    two = judged.systems[:2]
    tasks: dict[str, Callable[[Any], Any]] = {
        "randomised HSD, 110 x 249, B = 20,000": lambda c: statistics.randomised_hsd(
            matrix, resampling=Resampling(20_000), client=c),
        "bootstrap MaxT, 110 x 249, B = 10,000": lambda c: statistics.bootstrap_max_t(
            matrix, resampling=Resampling(10_000), client=c),
        "split halves, 110 x 249, B = 10,000": lambda c: statistics.split_halves(
            matrix, resampling=Resampling(10_000), client=c),
        "sign flips, one pair, 249 topics, B = 100,000": lambda c: statistics.randomisation_test(
            a, b, resampling=many, exact=False, client=c),
        "bootstrap interval, one pair, 249 topics, B = 100,000": lambda c: statistics.bootstrap_interval(
            a, b, resampling=many, client=c),
        "`compare`, 100 topics": lambda c: rs.compare(judged, *two, client=c),
        "`rank`, 12 x 100, B = 100,000": lambda c: rs.rank(judged, resampling=many, client=c),
        "`metrics`, 12 x 100, 4 metrics": lambda c: studies.metrics(
            judged, measures=METRICS[:4], resampling=some, client=c),
    }  # fmt: skip
    print(
        "\n| what | pieces of work | units | tasks | MB to each worker | kB back | workers' processor s | ms a unit |"
    )
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    with cluster() as client:
        for name, task in tasks.items():
            before = sum(client.run(time.process_time).values())
            with watched() as t:
                task(client)
            spent = sum(client.run(time.process_time).values()) - before
            print(f"| {name} | {t.calls} | {t.units} | {t.tasks} | {t.sent / 1e6:.2f} | {t.back / 1e3:.0f} | "
                  f"{spent:.2f} | {1000 * spent / max(1, t.units):.1f} |", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
