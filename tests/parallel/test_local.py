"""Threads and processes of this machine give what one thread gives, share what there is, and end when told to."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time
import warnings
from collections import deque
from pathlib import Path
from typing import Any

import jobs
import numpy as np
import pytest

import rankscope as rs
from rankscope import parallel, studies
from rankscope.errors import quietly, warn
from rankscope.parallel import UnitKind, mapping, processes
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
    return draw(Model(), n_topics=30, seed=5)


def arrays(found: Any) -> list[bytes]:
    values = [getattr(found, name) for name in type(found).__slots__]
    kept = [one.tobytes() for one in values if isinstance(one, np.ndarray)]
    assert kept
    return kept


@pytest.mark.parametrize("kind", ["shared", "short", "long"])
@pytest.mark.parametrize("workers", [1, 2, 4, 8, None])
@pytest.mark.usefixtures("eager")
def test_results_come_in_the_order_of_the_units(kind: UnitKind, workers: int | None) -> None:
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


def test_work_that_fills_a_cache_meanwhile_is_packed_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mapping, "WORTH", 0.01)  # a moment after the first unit has begun
    growing = jobs.Refusing(RuntimeError("dictionary changed size during iteration"), times=1)
    work = jobs.waiting_to_be_packed(growing, tmp_path / "sign")
    found = set(parallel.map_units(work, range(4), workers=2, kind="long"))
    assert len(found) == 2
    assert growing.tried == 2


@pytest.mark.parametrize("worth", [0.0, 0.01])
@pytest.mark.parametrize("error", [RuntimeError("no"), KeyError("no"), MemoryError(), OSError("no")], ids=repr)
def test_work_that_refuses_to_be_packed_is_done_by_threads(
    helper: int, error: Exception, worth: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mapping, "WORTH", worth)
    never = jobs.Refusing(error, times=1000)
    assert set(parallel.map_units(jobs.holding(never), range(20), workers=2, kind="long")) == {os.getpid()}
    assert never.tried <= 2  # while a unit was under way, then for good


@pytest.mark.parametrize("error", [RuntimeError("no"), KeyError("no")], ids=repr)
def test_units_that_refuse_to_be_packed_are_done_by_threads(helper: int, error: Exception) -> None:
    units = [jobs.Refusing(error, times=1000) for _ in range(20)]
    assert set(parallel.map_units(jobs.sleeping(0.02), units, workers=2, kind="long")) == {os.getpid()}
    assert any(unit.tried for unit in units)


@pytest.mark.parametrize("worth", [0.0, 0.01])
@pytest.mark.parametrize("what", ["none", "elsewhere", "frozen"])
def test_where_no_python_can_be_started_threads_work(what: str, worth: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mapping, "WORTH", worth)
    monkeypatch.setattr(processes, "_idle", [])
    before = set(processes._alive)
    if what == "frozen":  # the executable is the whole application
        monkeypatch.setattr(sys, "frozen", True, raising=False)
    else:
        monkeypatch.setattr(sys, "executable", None if what == "none" else "/nowhere/python")
    assert set(parallel.map_units(jobs.sleeping(0.01), range(20), workers=3, kind="long")) == {os.getpid()}
    assert processes._alive <= before


def test_helpers_import_what_this_process_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Whatever lies in the working folder, and though something in the path is no text."""
    monkeypatch.setattr(mapping, "WORTH", 0.0)
    monkeypatch.setattr(processes, "_idle", [])
    monkeypatch.setattr(sys, "path", [*filter(None, sys.path), tmp_path])
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pickle.py").write_text("raise SystemExit('of the working folder')\n")
    found: set[int] = set()
    for _ in range(100):
        found |= set(parallel.map_units(jobs.sleeping(0.02), range(20), workers=2, kind="long"))
        if len(found) > 1:
            break
    assert len(found) > 1
    assert not capfd.readouterr().err


@pytest.mark.parametrize(("units", "under_way", "helpers"), [(3, 1, 3), (3, 0, 2), (1, 0, 0), (0, 1, 0), (20, 1, 7)])
def test_as_many_helpers_as_units_are_left(units: int, under_way: int, helpers: int) -> None:
    crew = processes.Crew(jobs.sleeping(0.01), deque(enumerate(range(30))), 8, threading.Event())
    while len(crew.todo) > units:
        crew.todo.popleft()
    crew.left = units
    crew._call(under_way)
    assert len(crew.helpers) == helpers
    assert crew.own_place.threads == 8 // (1 + helpers) or len(crew.todo) < units  # unless they are done already
    assert len(list(crew.completed(60.0))) == units


def test_processors_of_helpers_come_back_when_no_unit_is_left(helper: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mapping, "WORTH", 0.1)
    first, *_ = parallel.map_units(jobs.until_alone(2), range(4), workers=2, kind="long")
    assert 1 in first
    assert first[-1] == 2


def test_little_work_starts_no_process() -> None:
    found = parallel.map_units(lambda _: os.getpid(), range(100), workers=2, kind="long")
    assert set(found) == {os.getpid()}


@pytest.mark.parametrize("kind", ["short", "long"])
@pytest.mark.parametrize(("workers", "inside"), [(2, 1), (8, 2)])
@pytest.mark.usefixtures("eager")
def test_nested_calls_share_the_workers(kind: UnitKind, workers: int, inside: int) -> None:
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
        studies.discriminative_power(judged, METRICS, tests=tests, resampling=Resampling(200), workers=workers)
        for workers in (1, 2)
    )
    assert arrays(one) == arrays(two)


def test_warnings_and_errors_of_another_process_come_back(helper: int) -> None:
    with pytest.warns(rs.DataWarning, match="from a helper"):
        list(parallel.map_units(jobs.elsewhere(os.getpid(), "warning"), range(50), workers=2, kind="long"))
    with pytest.raises(rs.InputError, match="from a helper"):
        list(parallel.map_units(jobs.elsewhere(os.getpid(), "error"), range(50), workers=2, kind="long"))


@pytest.mark.parametrize("happens", ["print", "read", "odd error"])
def test_what_does_not_get_among_the_answers(helper: int, happens: str, capfd: pytest.CaptureFixture[str]) -> None:
    """What work prints or reads; and an error that cannot be unpacked: its unit is done again here."""
    found = list(parallel.map_units(jobs.elsewhere(os.getpid(), happens), range(50), workers=2, kind="long"))
    assert found == list(range(50))


@pytest.mark.usefixtures("eager")
def test_units_on_threads_leave_the_filters_of_warnings_as_they_were() -> None:
    lock, before = threading.Lock(), list(warnings.filters)

    def work(_: int) -> None:
        assert lock
        with quietly():
            time.sleep(0.001)
            warn("not heard")

    for _ in range(10):
        list(parallel.map_units(work, range(20), workers=2, kind="long"))
        assert list(warnings.filters) == before


def test_two_pieces_of_work_at_once(helper: int) -> None:
    found: list[list[int]] = []

    def one() -> None:
        found.append(list(parallel.map_units(abs, range(-500, 0), workers=2, kind="long")))

    threads = [threading.Thread(target=one) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert found == [list(range(500, 0, -1))] * 3


@pytest.mark.parametrize("worth", [0.0, 0.01])
def test_what_is_closed_early_leaves_nobody_at_work(worth: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mapping, "WORTH", worth)
    monkeypatch.setattr(processes, "_idle", [])
    before = set(processes._alive)
    for count in range(1, 8):
        results = parallel.completed(jobs.sleeping(0.02), range(1000), workers=3, kind="long")
        for _ in range(count):
            next(results)
        results.close()  # type: ignore[attr-defined]
        assert processes._alive <= before


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
    outer.kept = {3: 6}  # type: ignore[attr-defined]
    parcel = packed(outer)
    assert parcel is not None
    assert pickle.loads(parcel).kept == {3: 6}
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


@pytest.mark.slow
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


@pytest.mark.slow
def test_ctrl_c_in_a_study_keeps_what_is_done_and_ends_helpers(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        textwrap.dedent("""
        import sys
        from rankscope import studies
        from rankscope.simulation import Model, draw
        from rankscope.statistics import Resampling

        judged = draw(Model(), n_topics=50, seed=3)
        names = [f"RBP(p={p / 100})" for p in range(50, 90)]
        studies.discriminative_power(
            judged, names, tests=("randomised-hsd", "bootstrap"), resampling=Resampling(40_000), workers=2,
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


def test_ctrl_c_while_a_helper_is_being_called(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        textwrap.dedent("""
        import sys, time
        sys.path += PATH
        import jobs
        from rankscope.parallel import map_units, mapping, processes

        class Slow(processes.Helper):
            def __init__(self, threads):
                print("calling", flush=True)
                time.sleep(0.3)
                super().__init__(threads)
                print(self.process.pid, flush=True)
                time.sleep(0.3)

        mapping.WORTH, processes.Helper = float(sys.argv[1]), Slow
        list(map_units(jobs.sleeping(1), range(100), workers=3, kind="long"))
        """).replace("PATH", repr(sys.path))
    )
    for worth, lines in (("0.1", 1), ("0.1", 2), ("0", 1), ("0", 2)):  # by the timer, or between units
        with _started(script, worth) as process:
            assert process.stdout is not None
            said = [process.stdout.readline() for _ in range(lines)]
            process.send_signal(signal.SIGINT)
            rest, errors = process.communicate(timeout=30)
        assert process.returncode != 0
        assert errors.count("KeyboardInterrupt") == 1
        assert "in thread" not in errors
        children = [line for line in [*said, *rest.split()] if line.strip().isdigit()]
        assert not any(Path(f"/proc/{child.strip()}").exists() for child in children)


def test_a_helper_ends_quietly_when_its_owner_dies_while_asking() -> None:
    code = "from rankscope.parallel.processes import serve; serve(1)"
    for cut in (1, 100):
        asked = pickle.dumps(("work", bytes(1000)), 5)[:-cut]
        done = subprocess.run([sys.executable, "-c", code], input=asked, capture_output=True, timeout=60)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def _started(script: Path, *given: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, str(script), *given],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=_heeds_ctrl_c,
    )


def _heeds_ctrl_c() -> None:
    """What a shell starts in the background ignores Ctrl-C, and so would every process that it starts."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


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
