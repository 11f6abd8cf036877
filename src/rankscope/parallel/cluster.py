"""Work on a Dask cluster: any that a `distributed.Client` can reach.

The work, with all its data, travels once: to every worker, before the first unit. (Dask's memory manager, which looks
every two seconds, may take it from a worker that has no unit at that moment; it then travels there again.) A worker
that dies costs the units it had under way, which Dask gives to others; where all that held the data died at once, they
are sent again.
"""

from __future__ import annotations

import logging
import os
import pickle
import socket
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from typing import Any, TypeAlias
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

import numpy as np

from rankscope.arguments import extra
from rankscope.errors import InputError, Problem
from rankscope.parallel import mapping
from rankscope.parallel.mapping import Client, WorkPlace
from rankscope.parallel.parcels import overheard, repeat
from rankscope.version import __version__

EXTRA = "pip install 'rankscope[distributed]'"
ANSWERS = 8  # seconds that a scheduler, or its first worker, has to answer
TASK = 0.2  # seconds of units that make a task: scheduling one takes about a thousandth
AHEAD = 3  # tasks sent for each thread of the cluster, so that none waits for the next
SENT = 5  # times that data are sent, where workers keep dying

PYTHON = sys.version.split()[0]

_checked: WeakKeyDictionary[Any, set[str]] = WeakKeyDictionary()  # workers whose version was seen


Done: TypeAlias = tuple[list[tuple[Any, list[Any]]], float]


def _extra(name: str) -> Any:
    """A package that comes with the extra."""
    return extra(name, Problem(f"a cluster needs the package {name}", EXTRA))


class Parcel:
    """Work that travels: opened once a worker, by the first of its units."""

    def __init__(self, work: Callable[[Any], Any]) -> None:
        cloudpickle = _extra("cloudpickle")
        buffers: list[pickle.PickleBuffer] = []
        try:
            self.body: bytes = cloudpickle.dumps(work, protocol=5, buffer_callback=buffers.append)
        except Exception as error:  # each kind of thing has its own way to refuse
            raise InputError(
                f"the work cannot be sent to a cluster: {error}", "leave out what cannot travel"
            ) from error
        self.buffers = [np.frombuffer(buffer.raw(), np.uint8) for buffer in buffers]
        self.work: Callable[[Any], Any] | None = None

    @property
    def nbytes(self) -> int:
        return len(self.body) + sum(buffer.nbytes for buffer in self.buffers)

    def open(self) -> Callable[[Any], Any]:
        if self.work is None:
            self.work = pickle.loads(self.body, buffers=self.buffers)
        return self.work

    def __getstate__(self) -> dict[str, Any]:
        return {"body": self.body, "buffers": self.buffers, "work": None}


def process() -> tuple[str, int]:
    """This machine and process."""
    return socket.gethostname(), os.getpid()


def do(parcel: Parcel, version: str, python: str, user: tuple[str, int], units: list[Any]) -> Done:
    """On a worker: results of some units, what they warned of, and how many seconds they took."""
    worker = _extra("distributed").get_worker()
    if minor(python) != minor(PYTHON):  # one that came after the others were looked at
        raise _other_pythons({worker.address: PYTHON}, python)
    if version != __version__:
        raise _other_versions({worker.address: __version__}, version)
    try:
        work = parcel.open()
    except Exception as error:
        cure = "install the module there, or client.upload_file() it"
        raise InputError(f"{worker.address} cannot load the work: {error!r}", cure) from error
    # what is warned of by several threads of a process cannot be told apart: it is said there
    alone = worker.state.nthreads == 1 and len(type(worker)._instances) == 1 and user != process()
    begin = time.perf_counter()
    with mapping.placed(WorkPlace(threads=1)):
        results = [overheard(work, unit) if alone else (work(unit), []) for unit in units]
    return results, time.perf_counter() - begin


class Cluster:
    """A Dask cluster whose workers all have this version."""

    def __init__(self, client: Any) -> None:
        self.client = client

    def pack(self, work: Callable[[Any], Any]) -> Parcel:
        return Parcel(work)

    def completed(self, parcel: Parcel, todo: deque[tuple[int, Any]], each: float) -> Iterator[tuple[int, Any]]:
        """(number of the unit, its result), as they are finished; each unit takes about so many seconds, if known."""
        threads = sum(self.client.nthreads().values()) or 1
        shared, sent = self._send(parcel), 1
        flying: dict[Any, list[tuple[int, Any]]] = {}
        landed = _extra("distributed").as_completed(loop=self.client.loop)

        def submit(batch: list[tuple[int, Any]]) -> None:
            units = [unit for _, unit in batch]
            future = self.client.submit(do, shared, __version__, PYTHON, process(), units, pure=False)
            flying[future] = batch
            landed.add(future)

        try:
            while todo or flying:
                while todo and len(flying) < AHEAD * threads:
                    size = min(int(TASK / each), len(todo) // (AHEAD * threads)) if each else 1
                    submit([todo.popleft() for _ in range(min(max(1, size), len(todo)))])
                future = next(landed)
                batch = flying.pop(future)
                if future.status == "error":
                    raise _told(future)
                answer = self._fetched(future)
                if answer is None:  # the data, or the result, went with the workers that held them
                    if shared.status != "finished":
                        if sent == SENT:
                            raise _dying(f"all workers died, {SENT} times")
                        shared, sent = self._send(parcel), sent + 1
                    submit(batch)
                    continue
                results, seconds = answer
                each = max(seconds / len(batch), 1e-6)
                for (at, _), (result, warned) in zip(batch, results, strict=True):
                    repeat(warned)
                    yield at, result
        finally:
            if flying:
                self.client.cancel(list(flying), force=True)

    def _send(self, parcel: Parcel) -> Any:
        """A copy of the work to every worker."""
        self.workers()
        try:
            (shared,) = self.client.scatter([parcel], broadcast=True, hash=False)
        except (OSError, TimeoutError) as error:
            raise _silent(self.client, error) from error
        return shared

    def _fetched(self, future: Any) -> Done | None:
        """Results of a task, or None where they are lost."""
        try:
            answer: Done = future.result()
        except CancelledError:
            return None
        except (OSError, TimeoutError) as error:
            raise _silent(self.client, error) from error
        return answer

    def workers(self) -> list[str]:
        """Addresses of the workers, at least one, all of them with this version."""
        try:
            if not self.client.nthreads():
                self.client.wait_for_workers(1, timeout=ANSWERS)
            addresses = set(self.client.nthreads())
        except TimeoutError:
            cause = f"the cluster at {_address(self.client)} has no workers"
            raise InputError(cause, "start some: dask worker ADDRESS, or cluster.scale(4)") from None
        except OSError as error:
            raise _silent(self.client, error) from error
        seen = _checked.setdefault(self.client, set())
        if new := sorted(addresses - seen):
            self._check(new)
            seen |= addresses
        return sorted(addresses)

    def _check(self, addresses: list[str]) -> None:
        """Refuse workers of another version; of another Python first, since functions do not travel between these."""
        about = self.client.get_versions()["workers"]
        pythons = {address: about[address]["host"]["python"] for address in addresses if about.get(address)}
        if other := {address: text for address, text in pythons.items() if minor(text) != minor(PYTHON)}:
            raise _other_pythons(other)

        def version() -> str:  # within: it travels as code, for the package may be missing there
            try:
                from rankscope.version import __version__ as installed
            except ImportError:
                return "none"
            return installed

        versions = self.client.run(version, workers=addresses)
        if other := {address: text for address, text in sorted(versions.items()) if text != __version__}:
            raise _other_versions(other)


@contextmanager
def connected(client: Client) -> Iterator[Cluster]:
    """The cluster of a client, or at an address, with workers that are fit for work."""
    distributed = _extra("distributed")
    if isinstance(client, str):
        with _opened(distributed, client) as own:
            yield _ready(own)
        return
    if not isinstance(client, distributed.Client):
        raise InputError(
            f"client is a {type(client).__name__}", "give a distributed.Client, or an address as tcp://host:port"
        )
    if client.asynchronous:
        raise InputError("client is asynchronous", "give one that is not: Client(address)")
    if client.status != "running":
        raise InputError(f"client is {client.status}", "give one that is connected to a cluster")
    yield _ready(client)


def _ready(client: Any) -> Cluster:
    cluster = Cluster(client)
    cluster.workers()
    return cluster


@contextmanager
def _opened(distributed: Any, address: str) -> Iterator[Any]:
    at = urlsplit(address if "://" in address else f"tcp://{address}")
    try:
        known = bool(at.hostname and at.port)
    except ValueError:  # a port that is no number, or too large
        known = False
    if not known:
        raise InputError(f"{address!r} is no address", "give that of a Dask scheduler, as tcp://host:port")
    log = logging.getLogger("distributed")
    level = log.level
    log.setLevel(logging.CRITICAL)  # what it would say is said below
    try:
        if at.scheme == "tcp":
            _knock(at.hostname or "", at.port or 0)
        client = distributed.Client(address, timeout=ANSWERS, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        why = str(error).splitlines()[0] if str(error) else type(error).__name__
        cure = "start one there with `dask scheduler`, and see that this machine may reach it"
        raise InputError(f"no Dask scheduler answers at {address} ({why})", cure) from error
    finally:
        log.setLevel(level)
    with client:
        yield client


def _knock(host: str, port: int) -> None:
    """Check that a scheduler answers: where none does, Dask would retry or wait for ever."""
    begin = time.monotonic()
    with socket.create_connection((host, port), timeout=ANSWERS) as door:
        door.settimeout(max(0.1, ANSWERS - (time.monotonic() - begin)))
        try:
            answer = door.recv(1)
        except TimeoutError:
            answer = b""
    if not answer:
        raise TimeoutError("something listens there, and says nothing")


def _address(client: Any) -> str:
    return str(client.scheduler.address) if client.scheduler is not None else "its address"


def _told(future: Any) -> BaseException:
    """Error of a failed task."""
    error: BaseException = future.exception()
    if isinstance(error, _extra("distributed").scheduler.KilledWorker):
        return _dying(f"a unit took {error.allowed_failures + 1} workers with it")
    return error


def _dying(cause: str) -> InputError:
    return InputError(cause, "give workers more memory, or look into their logs")


def _silent(client: Any, error: BaseException) -> InputError:
    return InputError(
        f"the cluster at {_address(client)} no longer answers ({error})", "see whether its scheduler runs"
    )


def minor(python: str) -> str:
    """Version of Python without its last number: code travels within it.

    >>> minor("3.11.7.final.0")
    '3.11'
    """
    return ".".join(python.split(".")[:2])


def _other_pythons(pythons: dict[str, str], here: str = PYTHON) -> InputError:
    cure = f"start workers with Python {minor(here)}: functions cannot travel to another version"
    return InputError(
        [
            Problem(f"worker {address} has Python {minor(python)}, this is {minor(here)}", cure)
            for address, python in pythons.items()
        ]
    )


def _other_versions(versions: dict[str, str], here: str = __version__) -> InputError:
    cure = f"install rankscope {here} on all workers; this is Python {PYTHON}"
    return InputError(
        [
            Problem(f"worker {address} has rankscope {version}, this is {here}", cure)
            for address, version in versions.items()
        ]
    )
