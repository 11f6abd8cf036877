"""Calls on several threads leave nothing behind: the filters of Python's warnings are the user's."""

from __future__ import annotations

import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

import rankscope as rs
from rankscope.errors import DataWarning, quietly, warn
from rankscope.parallel import map_units

QRELS = {f"q{t}": {"d1": 1, "d2": 0} for t in range(8)} | {"none": {"d1": 0}}
RUNS = {name: {f"q{t}": {"d1": 1.0 * (t % k), "d2": 0.5} for t in range(8)} | {"none": {"d1": 1.0}} for name, k in
        (("a", 2), ("b", 3))}  # fmt: skip


@pytest.mark.filterwarnings("always::rankscope.errors.DataWarning")
def test_eight_threads_leave_the_filters_alone() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        judged = rs.load(QRELS, RUNS)
    before, show = list(warnings.filters), warnings.showwarning
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    start = Barrier(8)

    def work(_: int) -> None:
        start.wait()
        for _ in range(5):
            rs.compare(judged, "a", "b", measure="AP")

    try:
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(work, range(8)))
    finally:
        sys.setswitchinterval(interval)
    assert warnings.filters == before
    assert warnings.showwarning is show
    with pytest.warns(DataWarning, match="left out"):
        rs.evaluate(judged, "AP")


def test_quiet_is_of_a_thread_and_of_those_started_for_it() -> None:
    def speak(_: int) -> None:
        warn("a note")

    with warnings.catch_warnings(record=True) as caught, quietly():
        warnings.simplefilter("always")
        list(map_units(speak, range(4), workers=2))
        with quietly(False):  # what is quiet stays so
            speak(0)
    assert not caught
    with ThreadPoolExecutor(1) as pool, quietly(), pytest.warns(DataWarning, match="a note"):
        pool.submit(speak, 0).result()
    with pytest.warns(DataWarning, match="a note") as noted:
        speak(0)
    assert noted[0].filename == __file__


def test_no_module_changes_what_is_of_the_whole_process() -> None:
    """Each exception is named: the face of the command line, and helpers, which are processes of their own."""
    allowed = {"cli/__init__.py", "parallel/parcels.py"}
    source = Path(rs.__file__).parent
    words = ("catch_warnings", "simplefilter", "filterwarnings", "setlocale", "random.seed", "os.environ[", "os.putenv",
             "warnings.filters", "seterr(", "set_printoptions", "getcontext(")  # fmt: skip
    places = {
        path.relative_to(source).as_posix()
        for path in source.rglob("*.py")
        if any(word in path.read_text() for word in words)
    }
    assert places == allowed
