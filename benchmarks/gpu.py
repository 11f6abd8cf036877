"""Resampling on a graphics card beside the processors: the same counts, and how long each takes. One table.

    python benchmarks/gpu.py                # checks, then every row
    python benchmarks/page.py gpu           # and keeps them on the page

Needs a card and cupy. First every kernel is compared with its twin on the processors, bit for bit, over many shapes.
Then whole calls are timed, data in and results out, transfers included: the first call of a fresh process whose
kernels have still to be compiled, the median of warm calls, and within these the kernels alone (CUDA events).
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from statistics import median
from threading import Lock
from typing import Any

import numpy as np

SMALL, LARGE, MANY = (50, 129), (249, 110), (50, 1000)  # topics, systems
MILLION = 1_000_000


def scores(topics: int, systems: int) -> Any:
    """AP-like scores, seeded: difficulty by topic, quality by system."""
    rng = np.random.default_rng(4)
    theta = np.clip(rng.beta(1.2, 2.5, (topics, 1)) * rng.uniform(0.6, 1.2, systems), 0.01, 0.99)
    return rng.beta(6 * theta + 0.05, 6 * (1 - theta) + 0.05)


def hsd(x: Any, resampling: Any) -> Any:
    from rankscope.statistics import randomised_hsd

    return randomised_hsd(x, resampling=resampling, exact=False).count


def max_t(x: Any, resampling: Any) -> Any:
    from rankscope.statistics import bootstrap_max_t

    return bootstrap_max_t(x, resampling=resampling).pvalue


def hsd_preferences(x: Any, resampling: Any) -> Any:
    from rankscope.statistics import randomised_hsd_preferences

    return randomised_hsd_preferences(np.sign(x[:, None] - x[:, :, None]), resampling=resampling).count


def flips(x: Any, resampling: Any) -> Any:
    from rankscope.statistics import randomisation_test

    return randomisation_test(x[:, 0], x[:, 1], resampling=resampling, exact=False).pvalue


def flips_all(x: Any, resampling: Any) -> Any:
    from rankscope.statistics import randomisation_all_pairs

    return randomisation_all_pairs(x, resampling=resampling).pvalue


def bootstrap(x: Any, resampling: Any) -> Any:
    from rankscope.statistics import bootstrap_test

    return bootstrap_test(x[:, 0], x[:, 1], resampling=resampling).pvalue


def bootstrap_all(x: Any, resampling: Any) -> Any:
    from rankscope.statistics.pairs.difference_tests import bootstrap_tests

    first, second = np.triu_indices(x.shape[1], 1)
    return bootstrap_tests((x[:, second] - x[:, first]).T, resampling=resampling).pvalue


def split_halves(x: Any, resampling: Any) -> Any:
    from rankscope.statistics import consistency

    return consistency(x, resampling=resampling).taus


def interval(x: Any, resampling: Any) -> Any:
    from rankscope.statistics import bootstrap_interval

    interval = bootstrap_interval(x[:, 0], x[:, 1], resampling=resampling, exact=False)
    return interval.lower, interval.upper


def flips_interval(x: Any, resampling: Any) -> Any:
    from rankscope.statistics import randomisation_interval

    interval = randomisation_interval(x[:, 0], x[:, 1], resampling=resampling, exact=False)
    return interval.lower, interval.upper


@dataclass(frozen=True)
class Row:
    """A call on scores of a shape; bar: seconds that a warm call may take."""

    name: str
    what: str
    run: Callable[[Any, Any], Any]
    shape: tuple[int, int]
    resamples: int
    bar: float = 0.0

    def __call__(self, device: str, resamples: int = 0) -> Any:
        from rankscope.statistics import Resampling

        return self.run(scores(*self.shape), Resampling(resamples or self.resamples, device=device))


ROWS = [
    Row("hsd-50", "randomised HSD, 129 systems x 50 topics", hsd, SMALL, MILLION, 0.5),
    Row("hsd-249", "randomised HSD, 110 systems x 249 topics", hsd, LARGE, MILLION, 0.5),
    Row("max-t-50", "step-down bootstrap MaxT, 129 systems x 50 topics", max_t, SMALL, MILLION, 0.5),
    Row("max-t-249", "step-down bootstrap MaxT, 110 systems x 249 topics", max_t, LARGE, MILLION, 0.5),
    Row("max-t-1000", "step-down bootstrap MaxT, 1,000 systems x 50 topics", max_t, MANY, 10_000),
    Row("preferences", "randomised HSD for preferences, 110 x 249", hsd_preferences, LARGE, 10_000),
    Row("flips", "sign flips, one pair, 249 topics", flips, LARGE, MILLION),
    Row("flips-all", "sign flips, 5,995 pairs, 249 topics", flips_all, LARGE, MILLION),
    Row("flips-interval", "interval from sign flips, one pair, 249 topics", flips_interval, LARGE, MILLION),
    Row("bootstrap", "bootstrap test, one pair, 249 topics", bootstrap, LARGE, MILLION, 0.5),
    Row("bootstrap-all", "bootstrap test, 5,995 pairs, 249 topics", bootstrap_all, LARGE, MILLION, 0.5),
    Row("bca", "BCa interval, one pair, 249 topics", interval, LARGE, MILLION),
    Row("halves", "tau between halves of 249 topics, 110 systems", split_halves, LARGE, MILLION, 0.5),
]


def checks() -> dict[str, int]:
    """Every kernel against its twin: its name, and how many results agree; an error at the first that does not."""
    from rankscope.kernels import cpu, cuda
    from rankscope.statistics import Resampling
    from rankscope.statistics.draws.exact_sums import summable
    from rankscope.statistics.equality import PRECISION

    done: dict[str, int] = {}

    def same(name: str, *arguments: Any) -> None:
        got, expected = (getattr(where, name)(*arguments) for where in (cuda, cpu))
        if got.dtype != expected.dtype or not np.array_equal(got, expected):
            raise SystemExit(f"{name}: the card disagrees with the processors on {arguments[0].shape}")
        done[name] = done.get(name, 0) + 1

    rng = np.random.default_rng(0)
    shapes = [(1, 2), (2, 2), (3, 7), (31, 33), (50, 129), (64, 64), (127, 5), (128, 9), (129, 17), (249, 110),
              (257, 3), (300, 40), (1000, 12), (5, 400), (70, 1500), (3, 18_000)]  # fmt: skip
    work, cuda._WORK = cuda._WORK, 50 * 33 * 1000  # twenty blocks, on as many threads as there are processors
    got, expected = (hsd(scores(50, 33), Resampling(20_000, device=device)) for device in ("cuda", "cpu"))
    if not np.array_equal(got, expected):
        raise SystemExit("randomised HSD in twenty blocks: the card disagrees with the processors")
    cuda._WORK = work
    for topics, systems in shapes:
        trials = max(3, min(3000, 4_000_000 // (topics * systems)))
        for values in (rng.integers(-(2**50), 2**50, (topics, systems)), rng.integers(0, 2, (topics, systems))):
            for seed, first in ((42, 0), (2**64 - 1, 2**40 + 3)):
                same("permuted_ranges", values, seed, first, trials)
                same("drawn_sums", values, seed, first, trials)
                small = values // 256  # sums that are exact in floating point as well
                for which in (seed, None)[: 1 + (topics < 50)]:
                    same("flipped_sums", values, which, first, trials)
                    if systems <= 1500:
                        same("flipped_pairs", small.astype(np.float64), 2.5, which, first, trials)
        if systems <= 129:
            preferences = rng.integers(-2, 3, (topics, systems, systems))
            same("permuted_pairs", preferences - preferences.transpose(0, 2, 1), 7, 5, min(trials, 300))
        if topics > 1:
            values = rng.integers(-9, 10, (topics, systems)) / 8.0
            bar = np.abs(values.mean(axis=0))
            same("drawn_pairs", values, values**2, bar, None, 7, 5, trials)
            t = values.var(axis=0, ddof=1), np.full(systems, 1e-9)
            same("drawn_pairs", values, values**2, bar**2, t, 7, 5, trials)
        if topics > 1 and systems <= 400:
            values = rng.integers(0, 2**30, (topics, systems)).astype(np.float64)
            first, second = np.triu_indices(systems, 1)
            extra = 0.1 * topics * float(cpu.centred_squares(values, first, second).sum()) / len(first)
            bar = np.sort(rng.random(len(first))) / 4
            same("drawn_steps", values, first, second, bar, extra, 7, 5, min(trials, 300))
        if topics > 1:
            for values in (rng.random((topics, systems)), rng.integers(0, 11, (topics, systems)) / 10):
                same("halved_concordance", summable(values), PRECISION, 7, 5, min(trials, 300))
    return done


def against_enumeration() -> list[tuple[str, float, float, float]]:
    """(device, largest deviation of a p value from that over all permutations, its standard error, in these errors)."""
    from rankscope.statistics import Resampling, randomised_hsd

    x = np.array([[0.1, 0.4, 0.9, 0.3], [0.2, 0.1, 0.8, 0.5], [0.3, 0.6, 0.7, 0.2], [0.5, 0.6, 0.4, 0.9]])
    every = randomised_hsd(x, exact=True)
    errors = []
    for device in ("cpu", "cuda"):
        drawn = randomised_hsd(x, exact=False, resampling=Resampling(MILLION, device=device))  # type: ignore[arg-type]
        error = np.sqrt(np.maximum(every.pvalue * (1 - every.pvalue), 1e-12) / MILLION)
        away = np.abs(drawn.pvalue - every.pvalue)
        worst = int(np.argmax(away / error))
        errors.append((device, float(away[worst]), float(error[worst]), float((away / error)[worst])))
    return errors


def timed_kernels(run: Callable[[], Any]) -> float:
    """Seconds of a call's kernels and matrix products alone, one at a time."""
    import cupy

    from rankscope.kernels import cuda

    launch, dot, seconds, lock = cuda._launch, cupy.dot, [0.0], Lock()

    def with_events(work: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*arguments: Any) -> Any:
            with lock:
                begin, end = cupy.cuda.Event(), cupy.cuda.Event()
                begin.record()
                result = work(*arguments)
                end.record()
                end.synchronize()
                seconds[0] += cupy.cuda.get_elapsed_time(begin, end) / 1000
            return result

        return timed

    cuda._launch, cupy.dot = with_events(launch), with_events(dot)
    try:
        run()
    finally:
        cuda._launch, cupy.dot = launch, dot
    return seconds[0]


def clock(run: Callable[[], Any]) -> tuple[float, Any]:
    begin = time.perf_counter()
    result = run()
    return time.perf_counter() - begin, result


def cold(row: Row) -> list[float]:
    """Seconds of the first call of two processes, cupy's import included; the first has the kernels to compile too."""
    with tempfile.TemporaryDirectory() as folder:
        env = os.environ | {"CUPY_CACHE_DIR": folder, "CUDA_CACHE_PATH": folder}
        command = [sys.executable, __file__, "--first", row.name]
        done = [subprocess.run(command, capture_output=True, text=True, env=env, check=True) for _ in range(2)]
    return [float(json.loads(each.stdout.splitlines()[-1])) for each in done]


def measured(row: Row, *, repeats: int) -> list[str]:
    from rankscope import kernels

    try:
        first = " / ".join(f"{seconds:.2f}" for seconds in cold(row)) if row.bar else ""
        row("cuda", 1000)
        times = [clock(lambda: row("cuda")) for _ in range(repeats)]
        alone = median(timed_kernels(lambda: row("cuda")) for _ in range(3))
        scale = 1 if kernels.KIND == "compiled" else 100
        processors, expected = clock(lambda: row("cpu", row.resamples // scale))
        got = times[-1][1] if scale == 1 else row("cuda", row.resamples // scale)
        same = np.array_equal(got, expected)
    except ImportError as error:
        return [row.what, f"{row.resamples:,}", str(error), *[""] * 6]
    warm = median(t for t, _ in times)
    met = "" if not row.bar else f"{'yes' if warm <= row.bar else 'NO'} (at most {row.bar:g})"
    return [
        row.what, f"{row.resamples:,}", f"{alone:.4f}", f"{warm:.3f}", first,
        f"{processors * scale:.2f}", f"{processors * scale / warm:.0f}", "yes" if same else "NO", met,
    ]  # fmt: skip


@contextmanager
def two_processors() -> Iterator[None]:
    """Only two of the processors, from different ends of the list, so that they are no two halves of one."""
    allowed = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {allowed[0], allowed[len(allowed) // 2]})
    try:
        yield
    finally:
        os.sched_setaffinity(0, set(allowed))


def page(*, repeats: int, rows: list[Row]) -> Iterator[str]:
    import cupy

    from rankscope import kernels
    from rankscope.version import __version__

    card = cupy.cuda.runtime.getDeviceProperties(0)
    driver = cupy.cuda.runtime.driverGetVersion()
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    yield f"Measured on {datetime.now(UTC):%Y-%m-%d}: one {card['name'].decode()}, CUDA"
    yield f"{driver // 1000}.{driver % 1000 // 10}, cupy {cupy.__version__}, Python {platform.python_version()},"
    yield f"numpy {np.__version__}, rankscope {__version__}; beside it {cores} processor cores ({kernels.KIND} core)."
    yield ""
    yield "Seconds. *Kernels* is the work on the card alone, one kernel at a time; *call* a whole warm call,"
    yield f"data in and result out, transfers included, median of {repeats}; *first* the first call of a process, with"
    yield "the import of cupy and the start of CUDA: of the very first, which compiles the kernels, and of a later one."
    yield ""
    yield "| what | resamples | kernels | call | first | processors | ratio | same result | bar |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- | --- |"
    for row in rows:
        yield f"| {' | '.join(measured(row, repeats=repeats))} |"
    yield ""
    if hasattr(os, "sched_setaffinity") and kernels.KIND == "compiled":
        for row in rows:
            if row.run is hsd:
                with two_processors():
                    seconds = clock(lambda row=row: row("cpu"))[0]
                bar = " (bar: 90 s)" if row.shape == LARGE else ""
                yield f"On two of the processors, {row.what}, {row.resamples:,} resamples: {seconds:.1f} s{bar}."
        yield ""
    yield "Every kernel was compared with its twin on the processors, bit for bit, in up to 16 shapes from 1 x 2 to"
    yield "1,000 x 12 and 3 x 18,000 (and randomised HSD also in twenty blocks, on threads):"
    yield f"{'; '.join(f'`{name}` {count} times' for name, count in checks().items())}."
    yield ""
    yield "Against all (4!)^4 permutations of 4 systems on 4 topics, p values of 1,000,000 drawn ones are off by at"
    errors = against_enumeration()
    sizes = [f"{size:.2g} on {device} ({by:.1f} standard errors)" for device, size, _, by in errors]
    yield f"most {' and '.join(sizes)}."


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rows", nargs="*", metavar="ROW", help=f"{', '.join(r.name for r in ROWS)}; all by default")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--first", help=argparse.SUPPRESS)
    args = parser.parse_args()
    by_name = {row.name: row for row in ROWS}
    if args.first:
        row = by_name[args.first]
        print(json.dumps(clock(lambda: row("cuda"))[0]))
        return
    if unknown := set(args.rows) - by_name.keys():
        parser.error(f"no row named {', '.join(sorted(unknown))}")
    for line in page(repeats=args.repeats, rows=[by_name[n] for n in args.rows] or ROWS):
        print(line, flush=True)


if __name__ == "__main__":
    main()
