"""Units of work in, results out: on threads, on processes, or on a Dask cluster."""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar, copy_context
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeAlias, TypeVar, cast

from rankscope.arguments import whole_number
from rankscope.errors import is_quiet, settle_options, settle_quiet, spoken_options

if TYPE_CHECKING:
    from rankscope.parallel.cluster import Cluster

Unit = TypeVar("Unit")
Result = TypeVar("Result")

Client: TypeAlias = Any
"""A `distributed.Client`, the address of its scheduler, or None for this machine."""

UnitKind: TypeAlias = Literal["shared", "short", "long"]
"""What units are like.

shared  they work on memory or files of this process: threads, wherever the caller's work goes otherwise
short   some milliseconds in kernels that release the GIL: threads; or a cluster, if all of them take long enough
long    mostly Python, or a second and more: processes, if all of them take long enough; or a cluster
"""

TRIED = 0.1  # seconds of short units that are done here, to see whether others should travel
WORTH = 0.5  # seconds of work from which on travelling pays
RATE = 1e8  # bytes a second at which data travel


@dataclass(slots=True)
class WorkPlace:
    """Destination of work: a cluster, or a number of threads of this process."""

    cluster: Cluster | None = None
    threads: int | None = None  # None for as many as are asked for; fewer once helpers need their processors
    stopped: Event = field(default_factory=Event)  # Ctrl-C in the level above
    quiet: bool = field(default_factory=is_quiet)  # whether threads there leave out DataWarnings
    options: Mapping[str, str] | None = field(default_factory=spoken_options)  # of the command that errors speak to


_place: ContextVar[WorkPlace] = ContextVar("place", default=WorkPlace())  # noqa: B039  it is never changed


class Aside(Generic[Result]):
    """Work that a thread of its own has begun. `result` waits for it, and raises what it raised."""

    def __init__(self, work: Callable[[], Result]) -> None:
        self._outcome: list[Result] = []
        self._error: BaseException | None = None
        self._thread = Thread(target=copy_context().run, args=(self._run, work))
        self._thread.start()

    def _run(self, work: Callable[[], Result]) -> None:
        try:
            self._outcome.append(work())
        except BaseException as error:
            self._error = error

    def wait(self) -> None:
        self._thread.join()

    def result(self) -> Result:
        self.wait()
        if self._error is not None:
            raise self._error
        return self._outcome[0]


def available_workers() -> int:
    """Processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def check_workers(workers: Any) -> int:
    """A number of workers: all processors for None."""
    if workers is None:
        return available_workers()
    return whole_number("workers", workers, otherwise="None for all processors")


@contextmanager
def on(client: Client) -> Iterator[None]:
    """Send the long work of whatever is called within to a Dask cluster.

    client  a `distributed.Client`, or the address of a scheduler; None changes nothing

    Results are the same. Every worker must have this version of rankscope.
    """
    if client is None:
        yield
        return
    from rankscope.parallel.cluster import connected

    with connected(client) as cluster, placed(WorkPlace(cluster=cluster)):
        yield


@contextmanager
def placed(place: WorkPlace) -> Iterator[None]:
    """Send all work that is called within to this place."""
    token = _place.set(place)
    try:
        yield
    finally:
        _place.reset(token)


def elsewhere() -> bool:
    """Whether work goes to a cluster."""
    return _place.get().cluster is not None


def settle(place: WorkPlace) -> None:
    """Send all further work of this thread to this place."""
    _place.set(place)
    settle_quiet(place.quiet)
    settle_options(place.options)


def map_units(
    work: Callable[[Unit], Result],
    units: Sequence[Unit],
    *,
    workers: int | None,
    kind: UnitKind = "short",
    done: Callable[[Unit], None] | None = None,
) -> Iterator[Result]:
    """Results of work for each unit, in order; done() is called after each.

    Within work, further calls share the workers that are left to it.
    """
    early: dict[int, Result] = {}
    results = completed(work, units, workers=workers, kind=kind)
    for turn, unit in enumerate(units):
        while turn not in early:
            at, result = next(results)
            early[at] = result
        if done is not None:
            done(unit)
        yield early.pop(turn)
    for _ in results:  # there are none: it may tidy up
        pass


def completed(
    work: Callable[[Unit], Result], units: Sequence[Unit], *, workers: int | None, kind: UnitKind = "short"
) -> Iterator[tuple[int, Result]]:
    """(number of the unit, what work gives for it), as they are finished."""
    here = _place.get()
    use = check_workers(workers)
    use = use if here.threads is None else min(use, here.threads)
    todo = deque(enumerate(units))
    if len(units) <= 1:
        return _in_turn(work, todo, here)
    if here.cluster is not None and kind != "shared":
        return _on_cluster(here.cluster, work, todo, use, kind, here)
    if use <= 1:
        return _in_turn(work, todo, here)
    return _on_processes(work, todo, use, here) if kind == "long" else _on_threads(work, todo, use, here)


def _in_turn(
    work: Callable[[Unit], Result], todo: deque[tuple[int, Unit]], here: WorkPlace, seconds: float = float("inf")
) -> Iterator[tuple[int, Result]]:
    """Results of units one after the other, for so long."""
    spent = 0.0
    while todo and spent < seconds:
        if here.stopped.is_set():
            raise KeyboardInterrupt
        at, unit = todo.popleft()
        begin = time.perf_counter()
        result = work(unit)
        spent += time.perf_counter() - begin
        yield at, result


def _on_threads(
    work: Callable[[Unit], Result], todo: deque[tuple[int, Unit]], use: int, here: WorkPlace
) -> Iterator[tuple[int, Result]]:
    inside = WorkPlace(threads=max(1, use // max(1, len(todo))))
    units: SimpleQueue[tuple[int, Unit] | None] = SimpleQueue()
    results: SimpleQueue[tuple[int, Result | None, BaseException | None]] = SimpleQueue()

    def serve() -> None:
        settle(inside)
        while (numbered := units.get()) is not None:
            at, unit = numbered
            try:
                results.put((at, work(unit), None))
            except BaseException as error:
                results.put((at, None, error))

    threads = [Thread(target=serve) for _ in range(min(use, max(1, len(todo))))]
    waiting = 0
    try:
        for thread in threads:
            thread.start()
        while todo or waiting:
            if here.stopped.is_set():
                raise KeyboardInterrupt
            while todo and waiting < 4 * use:
                units.put(todo.popleft())
                waiting += 1
            at, result, error = results.get()
            waiting -= 1
            if error is not None:
                raise error
            yield at, cast(Result, result)
    except BaseException:
        inside.stopped.set()  # units that are under way end where they map work themselves
        raise
    finally:
        with suppress(Empty):  # those that nobody has begun
            while True:
                units.get_nowait()
        for _ in threads:
            units.put(None)
        for thread in threads:
            if thread.ident is not None:
                thread.join()


def _on_processes(
    work: Callable[[Unit], Result], todo: deque[tuple[int, Unit]], use: int, here: WorkPlace
) -> Iterator[tuple[int, Result]]:
    """Here, on all workers, until the units left are seen to take longer than processes to start; then on these too."""
    from rankscope.parallel import processes

    pays = WORTH / 2 if processes.waiting() else 2 * WORTH
    yield from processes.Crew(work, todo, use, here.stopped).completed(pays)


def _on_cluster(
    cluster: Cluster,
    work: Callable[[Unit], Result],
    todo: deque[tuple[int, Unit]],
    use: int,
    kind: UnitKind,
    here: WorkPlace,
) -> Iterator[tuple[int, Result]]:
    """Long units at once; short ones after some have been tried here, if the others are worth it."""
    each = 0.0
    parcel = None
    if kind == "short":
        count, begin = len(todo), time.perf_counter()
        with placed(WorkPlace(threads=use)):
            tried = list(_in_turn(work, todo, here, TRIED))
        each = (time.perf_counter() - begin) / (count - len(todo))
        yield from tried
        if each * len(todo) > WORTH:
            parcel = cluster.pack(work)
        if parcel is None or each * len(todo) < WORTH + parcel.nbytes / RATE:
            yield from _on_threads(work, todo, use, here) if use > 1 else _in_turn(work, todo, here)
            return
    yield from cluster.completed(parcel or cluster.pack(work), todo, each)
