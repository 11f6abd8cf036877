"""Processes of this machine beside this one, for work that holds the GIL.

A helper is a Python of its own that is sent the work once and then its units one by one, through pipes. This process
does units too: the first ones alone, to see whether helpers pay, and others while they start. Helpers do not run the
caller's script again, hear no Ctrl-C, and end when this process does. A helper that dies, or cannot load the work,
costs its unit: a thread of this process does that one, and those that would have followed.
"""

from __future__ import annotations

import atexit
import math
import os
import pickle
import subprocess
import sys
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import IO, Any

from rankscope.errors import InputError
from rankscope.parallel import mapping
from rankscope.parallel.mapping import WorkPlace
from rankscope.parallel.parcels import overheard, packed, repeat

_THREADS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "POLARS_MAX_THREADS",
)

_idle: list[Helper] = []  # started before, waiting for more
_alive: set[Helper] = set()


class Helper:
    """A process that does units of one piece of work at a time."""

    def __init__(self, threads: int) -> None:
        environment = {**os.environ, **dict.fromkeys(_THREADS, str(threads))}
        paths = [path or str(Path.cwd()) for path in sys.path if isinstance(path, str)]  # others are ignored by import
        environment["PYTHONPATH"] = os.pathsep.join(paths)
        self.owner, self.threads = os.getpid(), threads
        self.process = subprocess.Popen(
            # -P: modules that happen to lie in the working folder are not those of this process
            [sys.executable, "-P", "-c", f"from rankscope.parallel.processes import serve; serve({threads})"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment,
            start_new_session=True,  # Ctrl-C in the terminal is for this process, which then ends its helpers
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),  # the same on Windows
        )  # fmt: skip
        _alive.add(self)

    @classmethod
    def take(cls, threads: int) -> Helper:
        """An idle helper, or a new one."""
        while True:
            try:
                helper = _idle.pop()
            except IndexError:
                return cls(threads)
            if helper.owner == os.getpid() and helper.threads == threads and helper.process.poll() is None:
                return helper
            helper.end()

    def ask(self, what: str, payload: bytes = b"") -> tuple[str, Any]:
        """Send something and wait for the answer: "gone" where the helper is no more, or cannot be understood."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        try:
            pickle.dump((what, payload), self.process.stdin, 5)
            self.process.stdin.flush()
            answer: tuple[str, Any] = pickle.load(self.process.stdout)
        except Exception:  # an error that cannot be made from what it was packed as, say
            return "gone", None
        return answer

    def end(self) -> None:
        _alive.discard(self)
        if self.owner == os.getpid():  # not that of a process this one was forked from
            self.process.kill()
            self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            _close(pipe)


def _close(pipe: IO[bytes] | None) -> None:
    try:
        if pipe is not None:
            pipe.close()
    except OSError:  # something was left to be written
        pass


def _part() -> None:
    """End all helpers."""
    for helper in tuple(_alive):
        helper.end()


atexit.register(_part)


def waiting() -> bool:
    """Whether helpers are there already."""
    return any(helper.process.poll() is None for helper in _idle)


class Crew:
    """This process, and its helpers once they pay, doing units until none is left.

    work     may fill caches of what it refers to, so that it cannot always be packed while a unit is under way
    workers  processors for all: a unit here has them to itself, or its share once there are others
    stopped  Ctrl-C in the level above
    """

    def __init__(
        self, work: Callable[[Any], Any], todo: deque[tuple[int, Any]], workers: int, stopped: threading.Event
    ) -> None:
        self.work, self.todo, self.workers, self.left = work, todo, workers, len(todo)
        self.own_place = WorkPlace(threads=workers, stopped=stopped)
        self.helper_place = WorkPlace(threads=max(1, workers // len(todo)))
        self.ready: SimpleQueue[tuple[int, Any, list[Any]] | BaseException] = SimpleQueue()
        self.helpers: list[Helper] = []
        self.others = 0  # threads beside this one, each with a helper or in its place
        self.loaded: list[threading.Thread] = []  # those whose helper has loaded the work
        self.calling = threading.Lock()
        self.called = self.again = False
        self.due, self.over = math.inf, threading.Event()

    def completed(self, pays: float) -> Iterator[tuple[int, Any]]:
        """(number of the unit, its result), as they are finished.

        Helpers are called as soon as the units left seem to take longer than it pays, in seconds.
        """
        begun, spent = 0, 0.0
        try:
            threading.Thread(target=self._watch, args=[max(pays / 20, 0.001)], daemon=True).start()
            while self.left:
                if self.own_place.stopped.is_set():
                    raise KeyboardInterrupt
                begun, begin = begun + 1, time.perf_counter()
                each = pays / max(1, len(self.todo) - 1)  # seconds of a unit that make those left worth it:
                due = min(each, each * begun - spent)  # of the one under way, or of the mean one
                answer = self._next(max(due, pays / 20 - spent))
                spent += time.perf_counter() - begin
                if isinstance(answer, BaseException):
                    raise answer
                if answer is not None:
                    at, result, warned = answer
                    repeat(warned)
                    self.left -= 1
                    yield at, result
            for thread in self.loaded:
                thread.join(0.2)  # so that the next work finds their helpers waiting
        finally:
            self.over.set()
            if self.left:  # stopped before the end
                self.helper_place.stopped.set()
                self.todo.clear()
                with self.calling:  # whoever is being called is known by then
                    for helper in self.helpers:
                        helper.end()

    def _next(self, due: float) -> tuple[int, Any, list[Any]] | BaseException | None:
        """Next result: from helpers where one is ready, else of a unit done here, else from helpers soon, else None.

        due  seconds from now after which helpers are called, if there are units for them
        """
        try:
            return self.ready.get_nowait()
        except Empty:
            pass
        if due <= 0 or self.again:
            self._call(under_way=0)
        taken = self._taken()
        if taken is None:
            try:
                return self.ready.get(timeout=0.1)  # not for ever: so that Ctrl-C is heard above, and on Windows
            except Empty:
                return None
        at, unit = taken
        self.due = time.perf_counter() + due
        try:
            with mapping.placed(self.own_place):
                return at, self.work(unit), []
        finally:
            self.due = math.inf

    def _watch(self, every: float) -> None:
        """Call helpers when they are due while a unit is under way; a timer for each would cost half a millisecond."""
        while not (self.called or self.again or self.over.wait(every)):
            if time.perf_counter() >= self.due:
                self._call(under_way=1)

    def _taken(self) -> tuple[int, Any] | None:
        """The next unit and its number, None where there is none."""
        try:
            return self.todo.popleft()
        except IndexError:
            return None

    def _call(self, under_way: int) -> None:
        """Let helpers begin, or threads where the work cannot travel or there is no Python to start."""
        with self.calling:
            if self.called or self.over.is_set() or len(self.todo) + under_way < 2:
                return
            parcel = packed(self.work) if sys.executable and not hasattr(sys, "frozen") else None
            if parcel is None and under_way:  # a cache may have grown: tried once more before the next unit
                self.again = True
                return
            self.called, self.again = True, False
            self._share(min(self.workers, len(self.todo) + under_way) - 1)
            for _ in range(self.others):
                helper = None
                try:
                    if parcel is not None:
                        helper = Helper.take(self.helper_place.threads or 1)
                        self.helpers.append(helper)
                except Exception:  # whatever keeps it from starting: threads go on
                    parcel = None
                threading.Thread(target=self._drive, args=[helper, parcel or b""], daemon=True).start()

    def _share(self, others: int) -> None:
        """Share the processors with so many others."""
        self.others, self.own_place.threads = others, self.workers // (1 + others)

    def _drive(self, helper: Helper | None, parcel: bytes) -> None:
        """Give a helper units, and do them in its place once it is gone."""
        mapping.settle(self.helper_place)
        try:
            if helper is not None:
                if helper.ask("work", parcel)[0] == "ready":
                    self.loaded.append(threading.current_thread())
                else:
                    helper.end()
                    helper = None
            while (taken := self._taken()) is not None:
                (at, unit), what = taken, "unable"
                answer: Any = None
                if helper is not None and (sent := packed(unit)) is not None:
                    what, answer = helper.ask("unit", sent)
                if self.helper_place.stopped.is_set():
                    return
                if what == "failed":
                    raise answer
                if what == "gone" and helper is not None:
                    helper.end()
                    helper = None
                if what != "done":
                    answer = self.work(unit), []
                self.ready.put((at, *answer))
            if helper is not None:
                if helper.ask("forget")[0] == "ready":
                    _idle.append(helper)
                else:
                    helper.end()
        except BaseException as error:
            self.ready.put(error)
        finally:
            with self.calling:
                self._share(self.others - 1)


def serve(threads: int) -> None:
    """Main loop of a helper: do the units of its input and answer each, until the input ends."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what the work prints must not get among the answers,
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)  # nor may it read what is asked
    mapping.settle(WorkPlace(threads=threads))
    work: Any = None
    while True:
        try:
            what, payload = pickle.load(requests)
        except (EOFError, pickle.UnpicklingError):  # the owner is gone, maybe while it was asking
            return
        if what == "unit":
            answer = _done(work, payload)
        else:
            try:
                work, able = (pickle.loads(payload) if payload else None), True
            except Exception:  # a module that only the caller has, say
                work, able = None, False
            answer = pickle.dumps(("ready" if able else "unable", None), 5)
        try:
            answers.write(answer)
            answers.flush()
        except BrokenPipeError:
            return


def _done(work: Callable[[Any], Any], payload: bytes) -> bytes:
    """The answer to a unit: its result and what it warned of, or the error; neither where it cannot travel."""
    try:
        answer: tuple[str, Any] = "done", overheard(work, pickle.loads(payload))
    except Exception as error:
        if not isinstance(error, InputError):
            error.add_note(f"in a helper process:\n{''.join(traceback.format_tb(error.__traceback__))}")
        answer = "failed", error
    return packed(answer) or pickle.dumps(("unable", None))
