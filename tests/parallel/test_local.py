"""Threads and processes of this machine give what one thread gives, share what there is, and end when told to."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path
from typing import Any

import jobs
import numpy as np
import pytest

import rankscope as rs
from rankscope import parallel, studies
from rankscope.parallel import Kind, mapping, processes
from rankscope.parallel.parcels import packed
from rankscope.simulation import Model, draw
from rankscope.statistics import Resampling

METRICS = ["AP", "nDCG@10", "P@10", "RBP(p=0.8)", "RR"]


@pytest.fixture
def eager(monkeypatch: pytest.MonkeyPatch) -> None:
    """However little work there is, processes are started for it."""
    monkeypatch.setattr(mapping, "WORTH", 0.0)


@pytest.fixture(scope="module")
def judged() -> rs.Judged:
    return draw(Model(), topics=30, seed=5)


def arrays(found: Any) -> list[bytes]:
    values = [getattr(found, name) for name in type(found).__slots__]
    kept = [one.tobytes() for one in values if isinstance(one, np.ndarray)]
    assert kept
    return kept


@pytest.mark.parametrize("kind", ["shared", "short", "long"])
@pytest.mark.parametrize("workers", [1, 2, 4, 8, None])
@pytest.mark.usefixtures("eager")
def test_results_come_in_the_order_of_the_units(kind: Kind, workers: int | None) -> None:
    heard: list[int] = []
    found = parallel.map_units(lambda unit: unit * unit, range(50), workers=workers, kind=kind, done=heard.append)
    assert list(found) == [unit * unit for unit in range(50)]
    assert heard == list(range(50))


@pytest.mark.parametrize("count", [0, 1])
def test_none_and_one(count: int) -> None:
    assert list(parallel.map_units(str, range(count), workers=4, kind="long")) == ["0"] * count


@pytest.fixture
def helper(eager: None) -> int:
    """A helper that is there, by its number."""
    for _ in range(100):
        found = set(parallel.map_units(jobs.sleeping(0.02), range(20), workers=2, kind="long"))
        if others := found - {os.getpid()}:
            return others.pop()
    raise AssertionError("no helper came")


def test_helpers_are_kept_for_the_next_work(helper: int) -> None:
    before = {one.process.pid for one in processes._alive}
    found = set(parallel.map_units(jobs.sleeping(0.02), range(40), workers=2, kind="long"))
    assert helper in before
    assert {one.process.pid for one in processes._alive} == before
    assert len(found & before) == 1


def test_helpers_begin_while_the_first_unit_is_under_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mapping, "WORTH", 0.1)
    first, *others = parallel.map_units(
        jobs.waiting_for_another(tmp_path / "sign"), range(4), workers=2, kind="long"
    )  # fmt: skip
    assert first == os.getpid()
    assert any(other != first for other in others)


@pytest.mark.parametrize("times", [1, 3])
def test_work_that_fills_a_cache_meanwhile_is_packed_again(helper: int, times: int) -> None:
    found = set(parallel.map_units(jobs.growing(times), range(60), workers=2, kind="long"))
    assert len(found) == 2


def test_where_no_python_can_be_started_threads_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mapping, "WORTH", 0.0)
    monkeypatch.setattr(processes, "_idle", [])
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    assert set(parallel.map_units(jobs.sleeping(0.01), range(20), workers=3, kind="long")) == {os.getpid()}


def test_little_work_starts_no_process() -> None:
    found = parallel.map_units(lambda _: os.getpid(), range(100), workers=2, kind="long")
    assert set(found) == {os.getpid()}


@pytest.mark.parametrize("kind", ["short", "long"])
@pytest.mark.parametrize(("workers", "inside"), [(2, 1), (8, 2)])
@pytest.mark.usefixtures("eager")
def test_nested_calls_share_the_workers(kind: Kind, workers: int, inside: int) -> None:
    found = list(parallel.map_units(jobs.nested(workers), range(5), workers=workers, kind=kind))
    assert max(found[1:]) <= inside  # the first long one has all workers to itself


@pytest.mark.parametrize("study", ["similarity", "consistency", "discriminative_power"])
@pytest.mark.usefixtures("eager")
def test_studies_are_the_same_for_any_number_of_workers(judged: rs.Judged, study: str) -> None:
    run = getattr(studies, study)
    one = run(judged, METRICS, workers=1)
    for workers in (2, 4, 8):
        assert arrays(run(judged, METRICS, workers=workers)) == arrays(one)


@pytest.mark.usefixtures("eager")
def test_blas_on_one_thread_gives_the_same_bits(judged: rs.Judged) -> None:
    """Helpers and Dask workers give the linear algebra library one thread."""
    tests: Any = ("bootstrap", "t", "sign", "tukey", "kruskal-wallis")
    one, two = (
        studies.discriminative_power(judged, METRICS, tests=tests, chance=Resampling(200), workers=workers)
        for workers in (1, 2)
    )
    assert arrays(one) == arrays(two)


def test_warnings_and_errors_of_another_process_come_back(helper: int) -> None:
    with pytest.warns(rs.DataWarning, match="from a helper"):
        list(parallel.map_units(jobs.elsewhere(os.getpid(), "warning"), range(50), workers=2, kind="long"))
    with pytest.raises(rs.InputError, match="from a helper"):
        list(parallel.map_units(jobs.elsewhere(os.getpid(), "error"), range(50), workers=2, kind="long"))


def test_what_work_prints_does_not_get_among_the_answers(helper: int, capfd: pytest.CaptureFixture[str]) -> None:
    found = list(parallel.map_units(jobs.elsewhere(os.getpid(), "print"), range(50), workers=2, kind="long"))
    assert found == list(range(50))


def test_a_killed_helper_costs_only_its_unit(helper: int) -> None:
    work = jobs.elsewhere(os.getpid(), "death")
    assert list(parallel.map_units(work, range(200), workers=3, kind="long")) == list(range(200))
    assert list(parallel.map_units(work, range(99), workers=3, kind="long")) == list(range(99))


@pytest.mark.usefixtures("eager")
def test_what_cannot_travel_is_done_by_threads() -> None:
    lock = threading.Lock()

    def work(unit: int) -> tuple[int, int]:
        with lock:
            return unit, os.getpid()

    assert packed(work) is None
    found = list(parallel.map_units(work, range(20), workers=2, kind="long"))
    assert found == [(unit, os.getpid()) for unit in range(20)]


@pytest.mark.usefixtures("eager")
def test_what_a_helper_cannot_load_is_done_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib.util

    (tmp_path / "only_here.py").write_text("def kernel(x):\n    return x + 1\n")
    spec = importlib.util.spec_from_file_location("only_here", tmp_path / "only_here.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setitem(sys.modules, "only_here", module)
    kernel = module.kernel
    assert packed(lambda x: kernel(x)) is not None
    assert list(parallel.map_units(lambda x: kernel(x), range(20), workers=2, kind="long")) == list(range(1, 21))


def test_functions_within_functions_travel() -> None:
    import pickle

    def outer(n: int) -> int:
        return 1 if n == 0 else n * outer(n - 1)  # closes over itself

    def unset() -> None:
        return later  # its cell is empty

    if not METRICS:
        later = None
    for function, given, expected in ((outer, (5,), 120), (lambda a, *, b=2: a + b, (1,), 3)):
        parcel = packed(function)
        assert parcel is not None
        assert pickle.loads(parcel)(*given) == expected
    assert packed(unset) is not None


@pytest.mark.parametrize("workers", [0, -1, 1.5, True, "two"])
def test_what_is_no_number_of_workers(workers: Any) -> None:
    with pytest.raises(rs.InputError, match="workers is a whole number from 1"):
        parallel.check_workers(workers)


SCRIPT = """
    import os, sys, time
    from rankscope.parallel import map_units, mapping
    mapping.WORTH = 0.0

    def run(kind):
        def slow(unit):
            print("unit", flush=True)
            def inner(_):
                time.sleep(0.05)
            for _ in map_units(inner, range(2000), workers=4):
                pass
        for _ in map_units(slow, range(8), workers=2, kind=kind):
            pass

    run(sys.argv[1])
"""


@pytest.mark.parametrize("kind", ["short", "long"])
def test_ctrl_c_ends_promptly(kind: str, tmp_path: Path) -> None:
    """What a script defines itself stays on its threads; the next test is about helpers."""
    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent(SCRIPT))
    with _started(script, kind) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("unit")
        time.sleep(0.5)
        begin = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=20)
        assert time.monotonic() - begin < 5
    assert process.returncode != 0
    assert said.count("KeyboardInterrupt") >= 1


def test_ctrl_c_in_a_study_keeps_what_is_done_and_ends_helpers(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        textwrap.dedent("""
        import sys
        from rankscope import studies
        from rankscope.simulation import Model, draw
        from rankscope.statistics import Resampling

        judged = draw(Model(), topics=50, seed=3)
        names = [f"RBP(p={p / 100})" for p in range(50, 90)]
        studies.discriminative_power(
            judged, names, tests=("randomised-hsd", "bootstrap"), chance=Resampling(40_000), workers=2,
            checkpoints=sys.argv[1], progress=lambda told: print(told.done, flush=True),
        )
        """)
    )
    kept = tmp_path / "kept"
    with _started(script, str(kept)) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if int(line) >= 3:
                break
        children = _children(process.pid)
        begin = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=30)
        assert time.monotonic() - begin < 10
    assert "stopped after" in said
    assert len(list(kept.glob("*.npz"))) >= 3
    assert children
    assert not any(Path(f"/proc/{child}").exists() for child in children)


def _started(script: Path, *given: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, str(script), *given], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def _children(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()


def test_helpers_end_with_their_owner() -> None:
    code = """
        import sys
        sys.path += PATH
        import jobs
        from rankscope.parallel import map_units, mapping, processes
        mapping.WORTH = 0.0
        while not processes.waiting():
            list(map_units(jobs.sleeping(0.02), range(10), workers=2, kind="long"))
        print(*(helper.process.pid for helper in processes._alive), flush=True)
    """.replace("PATH", repr(sys.path))
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split()
    assert not any(Path(f"/proc/{pid}").exists() for pid in done.stdout.split())
    assert not done.stderr
