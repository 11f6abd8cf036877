"""The kernels for a graphics card, without one: resampling.cu itself, its threads played by the processor's.

card.cpp compiles the very file that the card gets and runs block after block with a thread for each thread, barriers
and all; a module in place of cupy hands arrays over as cupy does. Whatever comes back must be what the processors
compute, to the last bit.
"""

import ctypes
import os
import pickle
import shutil
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rankscope.cli import main
from rankscope.errors import InputError
from rankscope.kernels import cpu, cuda
from rankscope.kernels.devices import on
from rankscope.statistics import (
    Resampling,
    bootstrap_interval,
    bootstrap_max_t,
    bootstrap_rank_intervals,
    bootstrap_test,
    consistency,
    randomisation_all_pairs,
    randomisation_interval,
    randomisation_test,
    randomised_hsd,
    randomised_hsd_preferences,
)
from rankscope.statistics.draws.exact_sums import summable
from rankscope.statistics.equality import PRECISION
from rankscope.statistics.pairs.difference_tests import bootstrap_tests
from rankscope.statistics.pairs.one_sided import one_sided

HERE = Path(__file__).parent
SOURCES = Path(cuda.__file__).parent
FIXED = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(scope="session")
def compiled_card(tmp_path_factory):
    compiler = None if os.name == "nt" else shutil.which("g++") or shutil.which("c++")
    if compiler is None:
        pytest.skip("no C++ compiler with POSIX threads on this machine")
    built = tmp_path_factory.mktemp("card") / "card.so"
    options = ["-O1", "-std=c++17", "-shared", "-fPIC", "-pthread", "-ffp-contract=off", "-Wno-unknown-pragmas"]
    subprocess.run([compiler, *options, f"-I{SOURCES}", HERE / "card.cpp", "-o", built], check=True)
    return ctypes.CDLL(str(built))


class Array(np.ndarray):
    """An array on the card: numpy's own functions do not take it."""

    def get(self):
        return np.array(self)

    def __array_function__(self, *_):
        raise TypeError("numpy was given an array of the card")


def card(launch, *, room=200 << 10, count=1, log=None):
    """A module like cupy, as far as it is used."""

    def asarray(values, dtype=None, order="K"):
        assert not isinstance(values, Array)
        return np.array(values, dtype, order=order).view(Array)

    class RawModule:
        def __init__(self, *, code, options):
            assert code == (SOURCES / "resampling.cu").read_text()
            assert "--fmad=false" in options

        def get_function(self, name):
            return Function(name)

    class Function:
        def __init__(self, name):
            self.name, self.max_dynamic_shared_size_bytes = name, 48 << 10

        def __call__(self, grid, block, arguments, *, shared_mem):
            assert shared_mem <= self.max_dynamic_shared_size_bytes <= max(room, 48 << 10)
            assert len(grid) == 1 or grid[1] <= 65_535
            for each in arguments:
                assert isinstance(each, np.generic | Array)
                assert not isinstance(each, Array) or each.flags.c_contiguous
            pointers = [ctypes.c_void_p(a.ctypes.data) if isinstance(a, Array) else a for a in arguments]
            cells = [np.array([p.value or 0], np.uint64) if isinstance(p, ctypes.c_void_p) else np.array([p])
                     for p in pointers]  # fmt: skip
            given = (ctypes.c_void_p * len(cells))(*(c.ctypes.data for c in cells))
            sizes = (ctypes.c_int * len(cells))(*(c.itemsize for c in cells))
            y = grid[1] if len(grid) > 1 else 1
            code = launch(self.name.encode(), grid[0], y, block[0], shared_mem, given, sizes, len(cells))
            assert code == 0, f"{self.name}: {code}"
            if log is not None:
                log.append((self.name, grid, block[0], shared_mem))

    cupy = ModuleType("cupy")
    cupy.__version__ = "0"
    cupy.asarray, cupy.RawModule = asarray, RawModule
    cupy.empty = lambda shape, dtype: np.full(shape, -77, dtype).view(Array)  # what nobody wrote is garbage
    cupy.zeros = lambda shape, dtype: np.zeros(shape, dtype).view(Array)
    cupy.dot = lambda x, y: np.ascontiguousarray(np.array(x) @ np.array(y)).view(Array)
    cupy.cuda = SimpleNamespace(
        runtime=SimpleNamespace(getDeviceCount=lambda: count),
        Device=lambda: SimpleNamespace(attributes={"MaxSharedMemoryPerBlockOptin": room}),
    )
    return cupy


def forget():
    cuda._module.cache_clear()
    cuda._function.cache_clear()


@pytest.fixture
def played(compiled_card, monkeypatch):
    """cuda.py on the played card; few threads, so that everything is done in several turns."""
    log = []
    monkeypatch.setitem(sys.modules, "cupy", card(compiled_card.launch, log=log))
    monkeypatch.setattr(cuda, "_THREADS", 8)
    monkeypatch.setattr(cuda, "_PAIRS", 8)
    forget()
    yield log
    forget()


@pytest.fixture
def tight(compiled_card, monkeypatch, played):
    """A card with little memory, whose launches have few blocks: nothing fits at once."""
    monkeypatch.setitem(sys.modules, "cupy", card(compiled_card.launch, room=1400, log=played))
    monkeypatch.setattr(cuda, "_BLOCKS", 2)
    return played


WHOLE = st.integers(-(2**40), 2**40)
SEEDS = st.integers(0, 2**64 - 1)


def table(data, rows, columns, cell=WHOLE):
    row = st.lists(cell, min_size=columns, max_size=columns)
    return np.array(data.draw(st.lists(row, min_size=rows, max_size=rows)), np.int64)


@FIXED
@given(st.data(), SEEDS, st.integers(0, 2**40), st.integers(1, 5))
def test_every_kernel_is_its_twin(played, data, seed, first, trials):
    topics, systems = data.draw(st.integers(1, 11)), data.draw(st.integers(2, 11))
    values = table(data, topics, systems, data.draw(st.sampled_from([WHOLE, st.integers(0, 1)])))
    same("permuted_ranges", values, seed, first, trials)
    same("flipped_sums", values, seed, first, trials)
    same("flipped_sums", values.astype(np.float64), seed, first, trials)
    same("flipped_sums", values, None, first, trials)
    same("drawn_sums", values, seed, first, trials)
    slack = data.draw(st.sampled_from([0.0, 0.5, 3.25]))
    same("flipped_pairs", values.astype(np.float64), slack, seed, first, trials)
    same("flipped_pairs", values.astype(np.float64), slack, None, first, trials)


def same(name, *arguments):
    got, expected = (getattr(where, name)(*arguments) for where in (cuda, cpu))
    assert got.dtype == expected.dtype
    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize(("topics", "systems"), [(1, 2), (2, 3), (7, 6), (13, 9), (30, 4), (9, 30)])
@pytest.mark.parametrize("where", ["played", "tight"])
def test_permutations_in_several_shapes(request, where, topics, systems):
    log = request.getfixturevalue(where)
    rng = np.random.default_rng(topics)
    same("permuted_ranges", rng.integers(-(2**50), 2**50, (topics, systems)), 2**63 + 5, 3, 7)
    preferences = rng.integers(-3, 4, (topics, systems, systems))
    same("permuted_pairs", preferences - preferences.transpose(0, 2, 1), 11, 2**33, 5)
    assert [name for name, *_ in log] == ["permuted_ranges", "permuted_pairs"]


@pytest.mark.parametrize("t", [False, True])
@pytest.mark.parametrize("where", ["played", "tight"])
def test_bootstrap_of_pairs_is_its_twin(request, where, t):
    request.getfixturevalue(where)
    rng = np.random.default_rng(3)
    for topics, pairs, trials in ((2, 1, 1), (7, 5, 20), (10, 19, 70)):
        values = rng.integers(-9, 10, (topics, pairs)) / 8.0
        bar = np.abs(values.mean(axis=0))  # reached exactly, now and then
        bar[0] = 0.0  # reached by every sample, and by none that was not drawn
        beside = (values.var(axis=0, ddof=1), np.where(bar > 0, 1e-9, 0.0)) if t else None
        same("drawn_pairs", values, values**2, bar**2 if t else bar, beside, 5, 9, trials)
        assert cuda.drawn_pairs(values, values**2, bar**2 if t else bar, beside, 5, 9, trials).any()


@pytest.mark.parametrize("where", ["played", "tight"])
def test_step_down_bootstrap_is_its_twin(request, where, monkeypatch):
    log = request.getfixturevalue(where)
    monkeypatch.setattr(cuda, "_STEPS", 8)
    rng = np.random.default_rng(8)
    for topics, systems, trials in ((2, 2, 1), (7, 5, 20), (12, 9, 45)):
        values = rng.integers(-(2**30), 2**30, (topics, systems)).astype(np.float64)
        one, other = np.triu_indices(systems, 1)
        extra = float(cpu.centred_squares(values, one, other).sum())
        bar = np.sort(rng.random(len(one))) / 4
        bar[0] = 0.0  # reached by every sample
        arguments = values, one, other, bar, extra, 5, 9, trials
        same("drawn_steps", *arguments)
        assert cuda.drawn_steps(*arguments)[0] == trials
        with monkeypatch.context() as patch:
            patch.setattr(cuda, "_RESULTS", 3 * max(topics, trials))  # three pairs at a time
            same("drawn_steps", *arguments)
    assert {"drawn_times", "centred_squares", "stepped"} == {name for name, *_ in log}


@pytest.mark.parametrize("where", ["played", "tight"])
def test_halves_of_topics_are_their_twin(request, where):
    log = request.getfixturevalue(where)
    rng = np.random.default_rng(6)
    for topics, systems, trials in ((2, 2, 3), (7, 5, 20), (20, 13, 9)):
        for scores in (rng.random((topics, systems)), rng.integers(0, 4, (topics, systems)) / 10):
            same("halved_concordance", summable(scores), PRECISION, 2**63 + 5, 2**33, trials)
    assert {"drawn_halves", "concordance"} == {name for name, *_ in log}


def test_chains_of_ties_are_the_same_on_the_card(played):
    """Means that are linked in a chain, whose ends alone are no tie."""
    step = 1.5 * PRECISION
    scores = np.array([[1, 1 + step, 1 + 2 * step, 1 + 3 * step, 1 + 9 * step, 2]] * 4)
    same("halved_concordance", summable(scores[:, [3, 0, 4, 2, 5, 1]]), PRECISION, 1, 0, 3)
    np.testing.assert_array_equal(cuda.halved_concordance(summable(scores), PRECISION, 1, 0, 1)[:, 0], [9, 0, 6, 6])


def test_too_many_systems_for_the_card(compiled_card, monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", card(compiled_card.launch, room=100))
    forget()
    same("halved_concordance", summable(scores(6, 5)), PRECISION, 1, 0, 3)
    forget()


def test_draws_do_not_depend_on_blocks(played, monkeypatch):
    values = np.random.default_rng(1).integers(0, 99, (10, 7))
    whole = cuda.permuted_ranges(values, 4, 0, 20)
    for threads in (3, 32):
        monkeypatch.setattr(cuda, "_THREADS", threads)
        parts = [cuda.permuted_ranges(values, 4, first, 5) for first in range(0, 20, 5)]
        np.testing.assert_array_equal(np.concatenate(parts), whole)


def test_many_blocks(played, monkeypatch):
    monkeypatch.setattr(cuda, "_WORK", 9 * 5 * 30)
    x = scores(9, 5)
    got = randomised_hsd(
        x, resampling=Resampling(100, device="cuda"), exact=False, workers=1
    )  # the played card has one
    equal(got, randomised_hsd(x, resampling=Resampling(100), exact=False))
    assert [grid for _, grid, *_ in played] == [(30,), (30,), (30,), (10,)]


def test_kernels_travel_by_name():
    """What is sent to other processes is the function's name: modules cannot be sent."""
    for name in (
        "permuted_ranges",
        "permuted_pairs",
        "flipped_sums",
        "drawn_sums",
        "flipped_pairs",
        "drawn_pairs",
        "drawn_steps",
        "halved_concordance",
    ):
        for where in (cuda, cpu):
            assert pickle.loads(pickle.dumps(getattr(where, name))) is getattr(where, name)


def scores(topics, systems, seed=0):
    return np.random.default_rng(seed).random((topics, systems)).round(2)


def equal(one, other):
    for name in (field.name for field in fields(one) if field.compare):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)


@pytest.mark.parametrize(
    "test",
    [
        lambda c: randomised_hsd(scores(9, 5), resampling=c, exact=False),
        lambda c: randomised_hsd(scores(2, 3), resampling=c),
        lambda c: randomised_hsd_preferences(np.sign(scores(6, 4)[:, None] - scores(6, 4)[:, :, None]), resampling=c),
        lambda c: randomisation_test(*scores(2, 50), resampling=c, exact=False),
        lambda c: randomisation_all_pairs(scores(12, 5), resampling=c),
        lambda c: randomisation_all_pairs(scores(5, 4), resampling=c),  # all 32 flips
        lambda c: randomisation_interval(*scores(2, 30), resampling=c),
        lambda c: randomisation_interval(*scores(2, 7), resampling=c),  # all subsets
        lambda c: bootstrap_test(*scores(2, 15), resampling=c),
        lambda c: bootstrap_test(*scores(2, 15), resampling=c, variant="shift"),
        lambda c: bootstrap_test(*scores(2, 15), resampling=c, alternative="greater"),
        lambda c: bootstrap_interval(*scores(2, 15), resampling=c, exact=False),
        lambda c: bootstrap_rank_intervals(scores(9, 5), resampling=c),
        lambda c: bootstrap_max_t(scores(9, 5), resampling=c),
        lambda c: consistency(scores(9, 5), resampling=c),
    ],
)
def test_results_are_the_same_on_the_card(played, test):
    equal(test(Resampling(99, 7, device="cuda")), test(Resampling(99, 7)))
    assert played or test(Resampling(99, 7)).resampling is None  # the card was asked, where anything was drawn


def test_pairs_of_the_bootstrap_are_the_same_on_the_card(played):
    d = scores(6, 12) - scores(6, 12, 1)
    for kind in ("studentised", "shift"):
        got, expected = (
            bootstrap_tests(d, resampling=Resampling(99, 7, device=device), variant=kind).pvalue
            for device in ("cuda", "cpu")
        )
        np.testing.assert_array_equal(got, expected)


def test_one_sided_flips_are_the_same_on_the_card(played):
    d = scores(3, 30) - scores(3, 30, 1)
    on_card, here = (
        one_sided(d, test="randomisation", resampling=Resampling(99, 7, device=device), exact=False)
        for device in ("cuda", "cpu")
    )
    np.testing.assert_array_equal([on_card.above, on_card.below], [here.above, here.below])
    assert played


def test_against_all_permutations(played):
    """Sampled on the card against the full enumeration of (3!)^3 permutations, within 4.5 standard errors."""
    x = np.array([[0.1, 0.4, 0.9], [0.2, 0.1, 0.8], [0.3, 0.6, 0.7]])
    every = randomised_hsd(x)
    assert every.resampling is None
    drawn = randomised_hsd(x, exact=False, resampling=Resampling(300, device="cuda"))
    error = np.sqrt(every.pvalue * (1 - every.pvalue) / 300)
    assert (np.abs(drawn.pvalue - every.pvalue) <= 4.5 * error + 1 / 301).all()


def test_device_is_no_part_of_a_result(played):
    assert Resampling(5, device="cuda") == Resampling(5)
    assert repr(Resampling(5, device="cuda")) == repr(Resampling(5))
    assert Resampling(5, device="cuda").of(7).device == "cuda"


def test_plans_fit():
    room = 227 << 10
    for topics in (1, 2, 31, 50, 127, 128, 129, 249, 1000, 10_000):
        for systems in (2, 3, 110, 129, 500, 5000, 18_000):
            how = cuda.plan(topics, systems, room)
            assert 8 * how.threads + 8 * how.groups * systems + 2 * how.stride * systems == how.shared <= room
            assert 1 <= how.tile <= min(topics, how.threads, how.stride)
            assert how.stride % 4 == 2
            assert how.threads % 32 == 0
            assert how.groups * systems <= max(how.threads, systems)
    for systems in (30_000, 1 << 20):
        with pytest.raises(InputError, match="device='cpu'"):
            cuda.plan(50, systems, room)


def test_blocks_are_bounded():
    assert cuda.block(5, 249 * 110) * 249 * 110 <= cuda._WORK
    assert cuda.block(5, 249, 110) * 110 <= cuda._RESULTS
    assert cuda.block(5, 2**60, 2**60) == 1
    assert cpu.block(5, 249, 110) == 5
    assert cpu.block(0, 249, 110) == 1


def test_an_unknown_device():
    with pytest.raises(InputError, match="device is one of cpu, cuda"):
        Resampling(device="tpu")
    with pytest.raises(InputError, match=r"(?s)resamples=0.*device='tpu'.*2 problems"):
        Resampling(0, device="tpu")


def test_without_cupy(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)
    forget()
    with pytest.raises(InputError, match=r"(?s)cupy is not installed.*rankscope\[gpu\].*cupy-cuda13x"):
        Resampling(device="cuda")


def test_without_a_card(monkeypatch):
    forget()
    monkeypatch.setitem(sys.modules, "cupy", card(None, count=0))
    with pytest.raises(InputError, match=r"(?s)cupy 0 finds no card.*device='cpu'"):
        Resampling(device="cuda")


def test_without_a_driver(monkeypatch):
    def none():
        raise RuntimeError("cudaErrorInsufficientDriver: CUDA driver version is insufficient")

    forget()
    cupy = card(None)
    cupy.cuda.runtime.getDeviceCount = none
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    with pytest.raises(InputError, match=r"finds no card \(cudaErrorInsufficientDriver"):
        on("cuda")


def test_a_card_that_is_newer_than_the_compiler(monkeypatch):
    """cupy's own kind of error is no RuntimeError."""

    class CompileError(Exception):
        pass

    def none(*_):
        raise CompileError("nvrtc: error: invalid value for --gpu-architecture (-arch)\n")

    forget()
    cupy = card(None)
    cupy.RawModule.get_function = none
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    with pytest.raises(InputError, match=r"(?s)cupy 0 cannot compile .*\(nvrtc: error: invalid value.*device='cpu'"):
        Resampling(device="cuda")


def test_without_memory_on_the_card(played, monkeypatch):
    def none(*_):
        raise MemoryError("out of memory allocating 8 bytes")

    monkeypatch.setattr(sys.modules["cupy"], "empty", none)
    with pytest.raises(InputError, match=r"(?s)MemoryError: out of memory.*device='cpu'"):
        cuda.permuted_ranges(np.ones((2, 2), np.int64), 1, 0, 1)


@pytest.mark.parametrize("command", [["rank", "--scores", "x.csv"], ["compare", "--scores", "x.csv", "a", "b"]])
def test_commands_say_that_there_is_no_card(monkeypatch, capsys, tmp_path, command):
    monkeypatch.setitem(sys.modules, "cupy", None)
    monkeypatch.chdir(tmp_path)
    Path("x.csv").write_text("topic,a,b\n1,0.1,0.2\n2,0.3,0.1\n3,0.4,0.9\n")
    forget()
    assert main([*command, "--device", "cuda"]) == 2
    assert "cupy is not installed" in capsys.readouterr().err


def test_rank_on_the_card(played, capsys, tmp_path):
    """The same page but for nothing."""
    path = tmp_path / "x.csv"
    rows = "\n".join(f"{t},{','.join(f'{v:.2f}' for v in row)}" for t, row in enumerate(scores(9, 4)))
    path.write_text(f"topic,a,b,c,d\n{rows}\n")
    for device in ("cpu", "cuda"):
        assert main(["rank", "--scores", str(path), "--resamples", "50", "--device", device]) == 0
    shown = capsys.readouterr().out
    assert shown[: len(shown) // 2] == shown[len(shown) // 2 :]
    assert played
