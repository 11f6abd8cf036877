"""Blocks of resamples, drawn and reduced on a graphics card by the kernels of resampling.cu, through cupy.

The functions are those of cpu.py: the same arguments, the same results to the last bit. What a block takes on the card
is bounded by `block`. Whole numbers are summed as int64, or by products of matrices of doubles (cuBLAS), which are
exact in any order.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from math import ceil, log2
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankscope.arrays import AnyInts, Floats, Ints
from rankscope.errors import InputError, argument
from rankscope.kernels import cpu
from rankscope.kernels.shapes import EightBytes

_SOURCE = Path(__file__).with_name("resampling.cu")
_OPTIONS = ("--std=c++14", "--fmad=false")  # nothing fused, so that doubles are rounded as on the processors
_THREADS = 128  # of a block that shuffles, at most
_PAIRS = 256  # of one that goes over pairs or trials
_BLOCKS = 1 << 20  # of a launch, at most; those that there are go on with the trials left
_RESULTS = 1 << 25  # numbers of a block of trials on the card, at most: 256 MiB
_WORK = 1 << 38  # draws of a block of trials, at most: a moment, so that Ctrl-C is heard
_FLIPPED, _EVERY, _DRAWN = range(3)
_STEPS = 64  # threads of a block that goes over trials, each by itself


class Plan(NamedTuple):
    """Layout of a block of threads: topics per tile, distance of rows, threads that sum each column."""

    threads: int
    tile: int
    stride: int
    groups: int
    shared: int  # bytes


def _otherwise() -> str:
    return f"{argument('device', 'cpu')} gives the same numbers, more slowly"


def _install() -> str:
    return f'pip install "rankscope[gpu]", or "cupy-cuda13x[ctk]" for CUDA 13; {_otherwise()}'


def plan(topics: int, systems: int, room: int) -> Plan:
    """A plan that fits into `room` bytes of the memory that a block of threads shares."""
    tile = -(-topics // -(-topics // _THREADS))  # as even as can be
    while tile:
        threads = max(32, -(-tile // 32) * 32)
        groups = max(1, threads // systems)
        stride = tile + (2 - tile) % 4  # two more than a multiple of four: neighbouring rows lie in different banks
        shared = 8 * threads + 8 * groups * systems + 2 * stride * systems
        if shared <= room and systems <= 1 << 16:
            return Plan(threads, tile, stride, groups, shared)
        tile //= 2
    raise InputError(f"{systems} systems are too many to be shuffled on this card", _otherwise())


def block(size: int, cells: int, results: int = 1) -> int:
    """Trials of a block: what its memory and a moment's work allow, whatever processors would take."""
    return max(1, min(_WORK // max(1, cells), _RESULTS // max(1, results)))


def check() -> None:
    """Compile the kernels; an error that says what was found where there is no card for them."""
    _module()


def permuted_ranges(values: Ints, seed: int, first: int, trials: int) -> Ints:
    topics, systems = values.shape
    with _on_card() as cupy:
        how = plan(topics, systems, _room(cupy))
        ranges = cupy.empty(trials, np.int64)
        _launch(
            "permuted_ranges", min(trials, _BLOCKS), how.threads, how.shared, cupy.asarray(values, np.int64, order="C"),
            topics, systems, how.tile, how.stride, how.groups, np.uint64(seed), np.uint64(first), np.int64(trials),
            ranges,
        )  # fmt: skip
        return _back(ranges)


def permuted_pairs(values: Ints, seed: int, first: int, trials: int) -> Ints:
    topics, systems, _ = values.shape
    a, b = np.triu_indices(systems, 1)
    with _on_card() as cupy:
        how = plan(topics, systems, _room(cupy))
        largest = cupy.empty(trials, np.int64)
        _launch(
            "permuted_pairs", min(trials, _BLOCKS), how.threads, how.shared, cupy.asarray(values, np.int64, order="C"),
            cupy.asarray(a, np.int32), cupy.asarray(b, np.int32), len(a), topics, systems, how.tile,
            how.stride, np.uint64(seed), np.uint64(first), np.int64(trials), largest,
        )  # fmt: skip
        return _back(largest)


def flipped_sums(values: NDArray[EightBytes], seed: int | None, first: int, trials: int) -> NDArray[EightBytes]:
    with _on_card() as cupy:
        sums = _picked(cupy, values, _EVERY if seed is None else _FLIPPED, seed or 0, first, trials)
        return _back(sums).astype(values.dtype, copy=False)


def drawn_sums(values: NDArray[EightBytes], seed: int, first: int, trials: int) -> NDArray[EightBytes]:
    with _on_card() as cupy:
        return _back(_picked(cupy, values, _DRAWN, seed, first, trials)).astype(values.dtype, copy=False)


def flipped_pairs(values: Floats, slack: float, seed: int | None, first: int, trials: int) -> Ints:
    count = values.shape[1]
    total = values.sum(axis=0)
    bar = np.ceil(np.abs(total[:, None] - total) - slack)  # whole numbers reach the one just where they reach the other
    with _on_card() as cupy:
        sums = _picked(cupy, values, _EVERY if seed is None else _FLIPPED, seed or 0, first, trials)
        counts = cupy.zeros((count, count), np.uint64)
        _launch(
            "flipped_pairs", (-(-count * count // _PAIRS), min(1024, trials)), _PAIRS, 0, sums,
            cupy.asarray(total.astype(np.int64)), cupy.asarray(bar.astype(np.int64)), count, np.int64(trials), counts,
        )  # fmt: skip
        return _back(counts).astype(np.int64)


def drawn_pairs(
    values: Floats, squares: Floats, bar: Floats, t: tuple[Floats, Floats] | None, seed: int, first: int, trials: int
) -> Ints:
    topics, pairs = values.shape
    with _on_card() as cupy:
        times = _times(cupy, topics, seed, first, trials)
        counts = cupy.zeros(pairs, np.uint64)
        for part in _parts(pairs, trials):
            terms = [cupy.asarray(each[part], np.float64) for each in (bar, *(t or (bar, bar)))]
            sums = cupy.dot(cupy.asarray(values[:, part], np.float64, order="C").T, times)
            beside = sums if t is None else cupy.dot(cupy.asarray(squares[:, part], np.float64, order="C").T, times)
            grid = len(sums), min(64, -(-trials // _PAIRS))
            _launch(
                "reached_pairs", grid, _PAIRS, 0, sums, beside, *terms, int(t is not None), topics, len(sums),
                np.int64(trials), counts[part],
            )  # fmt: skip
        return _back(counts).astype(np.int64)


def drawn_steps(
    values: Floats, a: AnyInts, b: AnyInts, bar: Floats, extra: float, seed: int, first: int, trials: int
) -> AnyInts:
    topics, systems = values.shape
    bits = ceil(log2(max(2, topics))) - 52
    with _on_card() as cupy:
        units = cupy.asarray(values, np.float64, order="C")
        times = _times(cupy, topics, seed, first, trials)
        sums = cupy.dot(units.T, times)
        sums -= cupy.asarray(values.sum(axis=0))[:, None]
        most = cupy.zeros(trials, np.float64)
        counts = cupy.zeros(len(a), np.uint64)
        for part in _parts(len(a), max(topics, trials)):
            systems_of = [cupy.asarray(each[part], np.int32) for each in (a, b)]
            pairs = len(systems_of[0])
            squares = cupy.empty((topics, pairs), np.float64)
            _launch(
                "centred_squares", -(-pairs // _PAIRS), _PAIRS, 0, units, *systems_of, topics, systems, pairs, bits,
                squares,
            )  # fmt: skip
            _launch(
                "stepped", min(-(-trials // _STEPS), _BLOCKS), _STEPS, 0, cupy.dot(squares.T, times), sums, *systems_of,
                cupy.asarray(bar[part], np.float64), np.float64(extra), topics, pairs, np.int64(trials), most,
                counts[part],
            )  # fmt: skip
        return _back(counts).astype(np.int32)


def halved_concordance(values: Floats, tolerance: float, seed: int, first: int, trials: int) -> Ints:
    topics, systems = values.shape[0], values.shape[1] // 2
    shared = 32 * systems + 16
    with _on_card() as cupy:
        if shared > _room(cupy):
            return cpu.halved_concordance(values, tolerance, seed, first, trials)
        half = cupy.empty((trials, topics), np.float64)
        _launch(
            "drawn_halves", min(trials, _BLOCKS), _PAIRS, 0, topics, np.uint64(seed), np.uint64(first),
            np.int64(trials), half,
        )  # fmt: skip
        sums = cupy.dot(half, cupy.asarray(values, np.float64, order="C"))
        counts = cupy.empty((4, trials), np.int32)
        _launch(
            "concordance", min(trials, _BLOCKS), _THREADS, shared, sums, cupy.asarray(values.sum(axis=0)), systems,
            topics, np.float64(tolerance), np.int64(trials), counts,
        )  # fmt: skip
        return _back(counts).astype(np.int64)


def _times(cupy: Any, topics: int, seed: int, first: int, trials: int) -> Any:
    """How often each topic is drawn in each trial, (topics, trials), still on the card."""
    times = cupy.zeros((topics, trials), np.float64)
    _launch(
        "drawn_times", min(-(-topics * trials // _PAIRS), _BLOCKS), _PAIRS, 0, topics, np.uint64(seed),
        np.uint64(first), np.int64(trials), times,
    )  # fmt: skip
    return times


def _parts(pairs: int, numbers: int) -> list[slice]:
    """Pairs, so many at a time that arrays with so many numbers of each are bounded."""
    width = max(1, _RESULTS // numbers)
    return [slice(start, start + width) for start in range(0, pairs, width)]


def _picked(cupy: Any, values: NDArray[EightBytes], kind: int, seed: int, first: int, trials: int) -> Any:
    """Sums over the topics that count, (trials, columns), still on the card."""
    topics, columns = values.shape
    sums = cupy.empty((trials, columns), np.int64)
    threads = trials * -(-columns // 8)
    _launch(
        "picked_sums", min(-(-threads // _PAIRS), _BLOCKS), _PAIRS, 0,
        cupy.asarray(np.ascontiguousarray(values, np.int64)), topics, columns, kind, np.uint64(seed), np.uint64(first),
        np.int64(trials), sums,
    )  # fmt: skip
    return sums


def _launch(name: str, grid: int | tuple[int, int], threads: int, shared: int, *arguments: Any) -> None:
    function = _function(name)
    if shared > 48 << 10:  # beyond what every card grants without being asked
        function.max_dynamic_shared_size_bytes = shared
    plain = tuple(np.int32(each) if isinstance(each, int) else each for each in arguments)
    function(grid if isinstance(grid, tuple) else (grid,), (threads,), plain, shared_mem=shared)


def _back(array: Any) -> Any:
    """Copy an array from the card, once it has been computed."""
    return array.get()


def _room(cupy: Any) -> int:
    """Bytes that a block of threads can share."""
    return int(cupy.cuda.Device().attributes["MaxSharedMemoryPerBlockOptin"])


@cache
def _function(name: str) -> Any:
    return _module().get_function(name)


@cache
def _module() -> Any:
    """The compiled kernels."""
    with _on_card() as cupy:
        try:
            count = cupy.cuda.runtime.getDeviceCount()
        except RuntimeError as error:
            raise InputError(
                f"{argument('device', 'cuda')}: cupy {cupy.__version__} finds no card ({error})", _otherwise()
            ) from error
        if not count:
            raise InputError(f"{argument('device', 'cuda')}: cupy {cupy.__version__} finds no card", _otherwise())
        module = cupy.RawModule(code=_SOURCE.read_text(encoding="utf-8"), options=_OPTIONS)
        try:
            module.get_function("permuted_ranges")  # compiles
        except Exception as error:  # of many kinds; a card newer than the compiler, for one
            why = next(iter(str(error).strip().splitlines()), "")
            cause = f"{argument('device', 'cuda')}: cupy {cupy.__version__} cannot compile for this card ({why})"
            raise InputError(cause, _install()) from error
        return module


@contextmanager
def _on_card() -> Iterator[Any]:
    """cupy; what goes wrong with it or the card is said as an error of input."""
    try:
        import cupy
    except ModuleNotFoundError as error:
        raise InputError(
            f"{argument('device', 'cuda')}: the module {error.name} is not installed", _install()
        ) from error
    except ImportError as error:
        raise InputError(f"{argument('device', 'cuda')}: cupy cannot be imported ({error})", _install()) from error
    try:
        yield cupy
    except (RuntimeError, MemoryError, ImportError, OSError) as error:  # of cupy's own kinds
        raise InputError(f"{argument('device', 'cuda')}: {type(error).__name__}: {error}", _otherwise()) from error
