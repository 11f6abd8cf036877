"""A Dask cluster gives what one thread gives, bit for bit, and says clearly what is wrong with it."""

from __future__ import annotations

import inspect
import os
import pickle
import signal
import socket
import sys
import threading
import time
import warnings
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankscope as rs
from rankscope import parallel, statistics, studies, universe
from rankscope.cli import main
from rankscope.parallel import cluster
from rankscope.simulation import Model, draw, truth
from rankscope.statistics import Resampling

whole_blocks = Resampling.blocks
METRICS = ["AP", "nDCG@10", "P@10", "RBP(p=0.8)", "RR"]

pytestmark = pytest.mark.usefixtures("far")


@pytest.fixture(scope="module")
def judged() -> rs.Judged:
    return draw(Model(), n_topics=30, seed=5)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    there = tmp_path_factory.mktemp("collection")
    assert main(["simulate", "-o", str(there / "c"), "--n-topics", "20", "--n-truth-topics", "50"]) == 0
    return there / "c"


def same(one: Any, other: Any) -> bool:
    """Whether two results print alike and hold the same arrays, bit for bit."""
    arrays = [name for name in type(one).__slots__ if isinstance(getattr(one, name), np.ndarray)]
    assert arrays
    return all(getattr(one, name).tobytes() == getattr(other, name).tobytes() for name in arrays)


def where(_: int) -> int:
    return os.getpid()


def test_units_are_done_by_workers_and_come_in_order(client: Any) -> None:
    with parallel.on(client):
        found = list(parallel.map_units(lambda unit: (unit, os.getpid()), range(40), workers=1))
    assert [unit for unit, _ in found] == list(range(40))
    assert len({pid for _, pid in found[1:]} - {os.getpid()}) == 2


def test_data_travel_once(client: Any) -> None:
    def opened() -> int:
        import builtins

        return getattr(builtins, "opened", 0)

    class Data:
        def __setstate__(self, state: Any) -> None:
            import builtins

            builtins.opened = getattr(builtins, "opened", 0) + 1  # type: ignore[attr-defined]
            self.__dict__ = state

    data = Data()
    data.values = list(range(30))  # type: ignore[attr-defined]
    with parallel.on(client):
        found = parallel.map_units(lambda unit: data.values[unit], range(30), workers=1, kind="long")  # type: ignore[attr-defined]
        assert list(found) == list(range(30))
    assert list(client.run(opened).values()) == [1, 1]


def test_what_is_mapped_within_a_task_stays_there_on_one_thread(client: Any) -> None:
    def inner(_: int) -> set[tuple[int, int]]:
        found = parallel.map_units(lambda __: (os.getpid(), threading.get_ident()), range(6), workers=4)
        return set(found)

    with parallel.on(client):
        assert [len(one) for one in parallel.map_units(inner, range(4), workers=2, kind="long")] == [1] * 4


def test_warnings_and_errors_come_back(client: Any) -> None:
    def warns(unit: int) -> int:
        warnings.warn(f"unit {unit}", rs.DataWarning, stacklevel=1)
        return unit

    def fails(unit: int) -> int:
        raise rs.InputError(f"unit {unit}", "do something")

    with parallel.on(client):
        with pytest.warns(rs.DataWarning, match=r"unit \d"):
            assert list(parallel.map_units(warns, range(3), workers=1, kind="long")) == [0, 1, 2]
        with pytest.raises(rs.InputError, match="unit"):
            list(parallel.map_units(fails, range(3), workers=1, kind="long"))


@pytest.mark.parametrize("n_workers", [1, 2])
def test_workers_within_this_process_leave_its_filters_alone(n_workers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Filters belong to the process: threads that change them at the same time would leave them changed."""
    distributed = pytest.importorskip("distributed", reason="the extra distributed is not installed")

    def warns(unit: int) -> int:
        warnings.warn(f"unit {unit}", rs.DataWarning, stacklevel=1)
        return threading.get_ident()

    monkeypatch.setattr(cluster, "overheard", None)  # what changes the filters
    with (
        distributed.LocalCluster(
            n_workers=n_workers, threads_per_worker=1, processes=False, dashboard_address=None, silence_logs=50
        ) as local,
        distributed.Client(local, set_as_default=False) as connected,
        parallel.on(connected),
        pytest.warns(rs.DataWarning, match=r"unit \d"),
    ):
        threads = list(parallel.map_units(warns, range(4), workers=1, kind="long"))
    assert threading.get_ident() not in threads


def test_loading_and_scoring(client: Any, folder: Path) -> None:
    here = rs.load(folder / "qrels.gz", folder / "runs", keep_docs=True, workers=1)
    there = rs.load(folder / "qrels.gz", folder / "runs", keep_docs=True, client=client)
    assert here.code.tobytes() == there.code.tobytes()
    assert here.systems == there.systems
    assert here.documents is not None
    assert there.documents is not None
    assert here.documents.ids == there.documents.ids
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rs.DataWarning)  # of topics without relevant documents
        assert same(rs.evaluate(here, METRICS, workers=1), rs.evaluate(there, METRICS, client=client))
        assert same(rs.bounds(here, METRICS, workers=1), rs.bounds(there, METRICS, client=client))


def test_remote_files_are_fetched_by_workers(client: Any, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    class Files(SimpleHTTPRequestHandler):
        def log_message(self, *_: Any) -> None:
            asked.append(self.path)

    monkeypatch.delenv("http_proxy", raising=False)
    names = [path.name for path in sorted((folder / "runs").iterdir())]
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Files, directory=str(folder))) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        base = f"http://127.0.0.1:{server.server_address[1]}"
        there = rs.load(f"{base}/qrels.gz", [f"{base}/runs/{name}" for name in names], client=client)
        server.shutdown()
        thread.join()
    here = rs.load(folder / "qrels.gz", folder / "runs")
    assert there.systems == here.systems
    assert there.code.tobytes() == here.code.tobytes()
    assert sorted(asked) == sorted(["/qrels.gz", *(f"/runs/{name}" for name in names)])


def test_paths_are_those_of_this_folder(client: Any, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    here, there = (rs.load("qrels.gz", "runs", **how) for how in ({"workers": 1}, {"client": client}))
    assert here.code.tobytes() == there.code.tobytes()


def test_files_that_workers_cannot_see(client: Any, folder: Path) -> None:
    def blind(eyes: bool) -> None:
        import pathlib

        if eyes:
            pathlib.Path.exists = pathlib.Path.seen  # type: ignore[attr-defined]
        else:
            pathlib.Path.seen = pathlib.Path.exists  # type: ignore[attr-defined]
            pathlib.Path.exists = lambda self, **_: False  # type: ignore[method-assign]

    client.run(blind, False)
    try:
        with pytest.raises(rs.InputError, match="cannot be seen by a worker") as raised:
            rs.load(folder / "qrels.gz", folder / "runs", client=client)
        assert "every worker of the cluster sees them by the same path" in str(raised.value)
    finally:
        client.run(blind, True)


def test_what_is_wrong_with_a_file_is_said_as_ever(client: Any, tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    for name in "xy":
        (tmp_path / f"{name}.run").write_text("1 Q0 a 1\n")
    with pytest.raises(rs.InputError) as raised:
        rs.load(tmp_path / "qrels", [tmp_path / "x.run", tmp_path / "y.run"], client=client)
    assert len(raised.value.problems) == 2


@pytest.mark.parametrize(
    ("method", "gains"), [("ipso", None), ("ipso", "binary"), ("ipso", "linear"), ("rrLP", None), ("rpp", None)]
)
def test_preferences(client: Any, judged: rs.Judged, method: Any, gains: Any) -> None:
    here, there = (
        rs.preferences.all_pairs(judged, method, gains=gains, **how) for how in ({"workers": 1}, {"client": client})
    )
    assert same(here, there)


def test_dominance(client: Any, judged: rs.Judged) -> None:
    options: dict[str, Any] = {"depth": 10, "gains": "linear", "test": "randomisation", "resampling": Resampling(500)}
    here, there = (
        rs.preferences.dominance_all_pairs(judged, **options, **how) for how in ({"workers": 1}, {"client": client})
    )
    assert same(here, there)
    assert here.method == there.method
    two = judged.systems[:2]
    ours, theirs = (rs.dominance(judged, *two, **options, **how) for how in ({"workers": 1}, {"client": client}))
    assert same(ours, theirs)


# functions of `statistics` that draw, by what they take, with further options
DRAWING: dict[str, dict[str, dict[str, Any]]] = {
    "matrix": {
        "bootstrap_max_t": {},
        "bootstrap_rank_intervals": {},
        "closed_testing": {},
        "clustered_hsd": {},
        "consistency": {},
        "leave_one_out": {},
        "max_t": {},
        "randomisation_all_pairs": {},
        "randomised_hsd": {"exact": False},
        "split_halves": {},
        "step_down_max_t": {},
        "swap_rate": {},
    },
    "two matrices": {"tau_over_topics": {}},
    "two systems": {
        "bootstrap_interval": {},
        "bootstrap_test": {},
        "clustered_bootstrap_interval": {},
        "clustered_randomisation_test": {"variant": "studentised"},
        "posterior": {"variant": "bootstrap"},
        "randomisation_interval": {"exact": False},
        "randomisation_test": {"exact": False},
        "tau_over_systems": {},
    },
    "preferences": {"randomised_hsd_preferences": {}},
    "collections": {"two_level_bootstrap": {}},
}


def test_no_resampling_is_left_out_below() -> None:
    drawing = {
        name for name in statistics.__all__
        if callable(function := getattr(statistics, name)) and "resampling" in inspect.signature(function).parameters
    }  # fmt: skip
    assert drawing == {name for functions in DRAWING.values() for name in functions}


@pytest.mark.parametrize(("what", "name"), [(what, name) for what, functions in DRAWING.items() for name in functions])
def test_every_resampling_travels(
    client: Any, judged: rs.Judged, what: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    scores = rs.evaluate(judged, ["AP", "P@10"], workers=1).value.swapaxes(1, 2)[:, :, :5].copy()
    matrix = scores[0]
    data = {"matrix": [matrix], "two matrices": list(scores), "two systems": list(matrix.T[:2]),
            "preferences": [matrix[:, None] - matrix[:, :, None]],
            "collections": [[matrix[:, 0] - matrix[:, 1], matrix[:20, 2] - matrix[:20, 3]]]}[what]  # fmt: skip
    monkeypatch.setattr(Resampling, "blocks", lambda self, _: whole_blocks(self, 300))  # else a single one, mostly
    travelled: list[int] = []
    completed = cluster.Cluster.completed

    def counted(self: Any, parcel: Any, todo: Any, each: float) -> Any:
        travelled.append(len(todo))
        return completed(self, parcel, todo, each)

    monkeypatch.setattr(cluster.Cluster, "completed", counted)
    function, options = getattr(statistics, name), {**DRAWING[what][name], "resampling": Resampling(1500)}
    here = function(*data, **options, workers=1)
    assert not travelled
    there = function(*data, **options, client=client)
    assert sum(travelled) >= 4
    assert pickle.dumps(here) == pickle.dumps(there)


def test_enumeration(client: Any) -> None:
    here, there = (universe.disagreement(["AP", "DCG", "RR"], depth=10, **how) for how in ({}, {"client": client}))
    assert same(here, there)
    ours, theirs = (universe.features(["AP", "DCG"], depth=8, **how) for how in ({}, {"client": client}))
    assert ours.rows == theirs.rows


def test_truth(client: Any) -> None:
    here, there = (truth(Model(), "AP", n_topics=1500, **how) for how in ({"workers": 1}, {"client": client}))
    assert str(here) == str(there)


@pytest.mark.parametrize("study", ["similarity", "consistency", "discriminative_power"])
def test_studies(client: Any, judged: rs.Judged, study: str, tmp_path: Path) -> None:
    run = getattr(studies, study)
    here = run(judged, METRICS, workers=1)
    there = run(judged, METRICS, client=client, checkpoints=tmp_path / "kept")
    assert same(here, there)
    assert str(here) == str(there)
    again = run(judged, METRICS, workers=1, checkpoints=tmp_path / "kept")  # from what was written on this side
    assert same(here, again)


@pytest.mark.filterwarnings("ignore::rankscope.DataWarning")
@pytest.mark.slow
def test_report(client: Any, folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A page with a leaderboard and a comparison is the same page; reading, ranking and comparing travel."""
    travelled: list[int] = []
    completed = cluster.Cluster.completed

    def counted(self: Any, parcel: Any, todo: Any, each: float) -> Any:
        travelled.append(len(todo))
        return completed(self, parcel, todo, each)

    monkeypatch.setattr(cluster.Cluster, "completed", counted)
    monkeypatch.setattr(Resampling, "blocks", lambda self, _: whole_blocks(self, 300))
    qrels, runs = folder / "qrels.gz", sorted((folder / "runs").iterdir())[:4]
    pair = rs.load(qrels, runs[:2], workers=1).systems
    options: dict[str, Any] = {"measures": METRICS[:2], "resampling": Resampling(1500), "pair": pair}
    here = rs.report(qrels, runs, **options, workers=1)
    assert not travelled
    there = rs.report(qrels, runs, **options, client=client)
    assert here.html == there.html
    assert travelled[0] >= 3  # runs, but for the first, on which it is tried how long they take
    assert sum(travelled) >= 10
    words = [
        "report",
        str(qrels),
        *map(str, runs),
        "-m",
        *METRICS[:2],
        "--resamples",
        "1500",
        "--for",
        "compare",
        *pair,
    ]
    page = tmp_path / "page.html"
    assert main([*words, "-o", str(page), "--cluster", client.scheduler.address]) == 0
    assert page.read_text(encoding="utf-8") == here.html


@pytest.mark.slow
def test_a_killed_worker_costs_only_its_unit(client: Any, tmp_path: Path) -> None:
    big = draw(Model(), n_topics=50, seed=3)
    names = [f"RBP(p={p / 100})" for p in range(50, 90)]
    resampling = Resampling(8000)
    here = studies.discriminative_power(big, names, resampling=resampling, workers=1)
    victim = min(client.run(os.getpid).values())
    killed: list[float] = []

    def kill(progress: studies.Progress) -> None:
        if progress.done == 4:
            os.kill(victim, signal.SIGKILL)
            killed.append(progress.left or 0.0)

    there = studies.discriminative_power(
        big, names, resampling=resampling, client=client, progress=kill, checkpoints=tmp_path / "kept"
    )
    assert killed
    assert same(here, there)
    assert len(list((tmp_path / "kept").glob("*.npz"))) == len(names)
    client.wait_for_workers(2, timeout=30)
    assert victim not in client.run(os.getpid).values()


@pytest.mark.slow
def test_data_are_sent_again_when_all_workers_die(client: Any) -> None:
    data = np.arange(50)

    def slow(unit: int) -> int:
        time.sleep(0.05)
        return int(data[unit])

    found = []
    with parallel.on(client):
        for result in parallel.map_units(slow, range(50), workers=1, kind="long"):
            found.append(result)
            if len(found) == 6:
                for pid in client.run(os.getpid).values():
                    os.kill(pid, signal.SIGKILL)
    assert found == data.tolist()
    client.wait_for_workers(2, timeout=30)


@pytest.mark.slow
def test_another_version_is_refused_by_address(client: Any) -> None:
    client.wait_for_workers(2, timeout=30)
    first, second = sorted(client.run(where, 0))

    def become(version: str) -> str:
        import rankscope.parallel.cluster
        import rankscope.version

        before = rankscope.version.__version__
        rankscope.version.__version__ = rankscope.parallel.cluster.__version__ = version
        return before

    before = client.run(become, "0.0.1", workers=[second])[second]
    parallel.cluster._checked.clear()
    try:
        with pytest.raises(rs.InputError) as raised, parallel.on(client):
            pass
        assert second in str(raised.value)
        assert "0.0.1" in str(raised.value)
        assert first not in str(raised.value)
        parallel.cluster._checked[client] = {first, second}  # as one that came after the look
        with pytest.raises(rs.InputError, match=r"0\.0\.1"), parallel.on(client):
            list(parallel.map_units(where, range(20), workers=1, kind="long"))
    finally:
        client.run(become, before, workers=[second])
        parallel.cluster._checked.clear()


def test_workers_of_another_python_are_refused(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = sorted(client.run(os.getpid))
    versions = client.get_versions()
    versions["workers"][second]["host"]["python"] = "3.10.4.final.0"
    monkeypatch.setattr(client, "get_versions", lambda: versions)
    parallel.cluster._checked.clear()
    with pytest.raises(rs.InputError) as raised, parallel.on(client):
        pass
    here = ".".join(map(str, sys.version_info[:2]))
    (problem,) = raised.value.problems
    assert problem.cause == f"worker {second} has Python 3.10, this is {here}"
    assert f"start workers with Python {here}" in problem.cure
    monkeypatch.setattr(parallel.cluster, "PYTHON", "3.10.4")  # as one that came after the look
    parallel.cluster._checked[client] = {first, second}
    with pytest.raises(rs.InputError, match=rf"has Python {here}, this is 3\.10"), parallel.on(client):
        list(parallel.map_units(where, range(20), workers=1, kind="long"))
    parallel.cluster._checked.clear()


def test_an_address_where_nobody_is() -> None:
    with (
        pytest.raises(rs.InputError, match=r"no Dask scheduler answers at tcp://127\.0\.0\.1:9 "),
        parallel.on("tcp://127.0.0.1:9"),
    ):
        pass


def test_an_address_that_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    assert parallel.cluster.ANSWERS < 10
    monkeypatch.setattr(parallel.cluster, "ANSWERS", 2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"tcp://127.0.0.1:{silent.getsockname()[1]}"
        begin = time.monotonic()
        with pytest.raises(rs.InputError, match=f"no Dask scheduler answers at {address}"), parallel.on(address):
            pass
        assert 1 < time.monotonic() - begin < 5


@pytest.mark.parametrize("address", ["nowhere", "tcp://host", "tcp://host:port", "tcp://host:99999999"])
def test_what_is_no_address(address: str) -> None:
    with pytest.raises(rs.InputError, match="is no address"), parallel.on(address):
        pass


def test_what_is_no_client() -> None:
    with pytest.raises(rs.InputError, match="client is a int"), parallel.on(3):
        pass


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "distributed", None)
    with pytest.raises(rs.InputError, match=r"pip install 'rankscope\[distributed\]'"), parallel.on("tcp://a:1"):
        pass


def test_an_address_on_the_command_line(client: Any, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["evaluate", str(folder / "qrels.gz"), str(folder / "runs"), "-m", "AP", "nDCG@10"]
    assert main([*command, "--workers", "1"]) == 0
    here = capsys.readouterr().out
    assert main([*command, "--cluster", client.scheduler.address]) == 0
    assert capsys.readouterr().out == here
    assert main([*command, "--cluster", "nowhere"]) == 2
    assert "is no address" in capsys.readouterr().err


@pytest.mark.slow
def test_every_command(client: Any, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    address = client.scheduler.address
    files = [str(folder / "qrels.gz"), str(folder / "runs")]
    two = [files[0], *map(str, sorted((folder / "runs").iterdir())[:2])]
    commands = [
        ["rank", *files, "--resamples", "500"],
        ["enumerate", "-k", "8", "-m", "AP", "DCG"],
        ["metrics", *files, "-m", "AP", "RR", "--resamples", "200", "--splits", "50"],
        ["compare", *two, "--test", "randomisation", "--resamples", "3000"],
        ["gate", *two],
        ["plan", *files, "--difference", "0.05"],
    ]
    for command in commands:
        assert main([*command, "--workers", "1"]) == 0
        here = capsys.readouterr().out
        assert main([*command, "--cluster", address]) == 0
        assert capsys.readouterr().out == here
    few = ["--figures", "none", "--resamples", "100", "--splits", "50"]
    for place in (["--workers", "1"], ["--cluster", address]):
        assert main(["reproduce", "cwla", *files, "-o", str(tmp_path / place[0]), *few, *place]) == 0
        capsys.readouterr()
    tables, far_tables = (
        {path.name: path.read_bytes() for path in (tmp_path / place).iterdir() if path.is_file()}
        for place in ("--workers", "--cluster")
    )
    assert len(tables) > 3
    assert tables == far_tables
