"""Processes of this machine beside this one, for work that holds the GIL.

A helper is a Python of its own that is sent the work once and then its units one by one, through pipes. This process
does units too, so that it wastes no time while helpers start. Helpers do not run the caller's script again, hear no
Ctrl-C, and end when this process does. A helper that dies, or cannot load the work, costs its unit: a thread of this
process does that one, and those that would have followed.
"""

from __future__ import annotations

import atexit
import os
import pickle
import subprocess
import sys
import threading
import traceback
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import IO, Any

from rankscope.errors import InputError
from rankscope.parallel import mapping
from rankscope.parallel.mapping import Place
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
        environment["PYTHONPATH"] = os.pathsep.join(path or str(Path.cwd()) for path in sys.path)
        self.owner, self.threads = os.getpid(), threads
        self.process = subprocess.Popen(
            [sys.executable, "-c", f"from rankscope.parallel.processes import serve; serve({threads})"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment,
            start_new_session=True,  # Ctrl-C in the terminal is for this process, which then ends its helpers
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

    def ask(self, what: str, given: bytes) -> tuple[str, Any]:
        """Send something and wait for the answer; EOFError or OSError where the helper is no more."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        pickle.dump((what, given), self.process.stdin, 5)
        self.process.stdin.flush()
        answer: tuple[str, Any] = pickle.load(self.process.stdout)
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
    """This process and its helpers, doing units until none is left."""

    def __init__(
        self, work: Callable[[Any], Any], parcel: bytes, todo: deque[tuple[int, Any]], size: int, inside: Place
    ) -> None:
        self.work, self.parcel, self.todo, self.inside = work, parcel, todo, inside
        self.left = len(todo)
        self.ready: SimpleQueue[tuple[int, Any, list[Any]] | BaseException] = SimpleQueue()
        self.helpers = [Helper.take(inside.threads or 1) for _ in range(size - 1)]
        self.threads = [threading.Thread(target=self._drive, args=[helper], daemon=True) for helper in self.helpers]

    @classmethod
    def of(cls, work: Callable[[Any], Any], todo: deque[tuple[int, Any]], size: int, inside: Place) -> Crew | None:
        """A crew of this size; None where the work cannot travel, or there is no Python to start."""
        parcel = packed(work)
        try:
            return None if parcel is None or not sys.executable else cls(work, parcel, todo, size, inside)
        except OSError:
            return None

    def completed(self, stopped: Callable[[], bool]) -> Iterator[tuple[int, Any]]:
        """(number of the unit, its result), as they are finished."""
        for thread in self.threads:
            thread.start()
        try:
            while self.left:
                if stopped():
                    raise KeyboardInterrupt
                found = self._next()
                if isinstance(found, BaseException):
                    raise found
                at, result, said = found
                repeat(said)
                self.left -= 1
                yield at, result
            for thread in self.threads:
                thread.join(0.2)  # so that the next work finds them waiting; not for one that is still starting
        finally:
            if self.left:  # stopped before the end
                self.inside.stopped.set()
                self.todo.clear()
                for helper in self.helpers:
                    helper.end()

    def _next(self) -> tuple[int, Any, list[Any]] | BaseException:
        """What a helper has ready, or a unit done here, or else what a helper gives next."""
        try:
            return self.ready.get_nowait()
        except Empty:
            pass
        try:
            at, unit = self.todo.popleft()
        except IndexError:
            return self.ready.get()
        with mapping.placed(self.inside):
            return at, self.work(unit), []

    def _drive(self, helper: Helper) -> None:
        """Give a helper units, and do them in its place once it is gone."""
        mapping.settle(self.inside)
        able = self._asked(helper, "work", self.parcel) == ("ready", None)
        while True:
            try:
                at, unit = self.todo.popleft()
            except IndexError:
                break
            sent = packed(unit) if able else None
            answer: tuple[str, Any] = ("gone", None) if sent is None else self._asked(helper, "unit", sent)
            if self.inside.stopped.is_set():
                return
            if answer[0] == "done":
                self.ready.put((at, *answer[1]))
                continue
            if answer[0] == "failed":
                self.ready.put(answer[1])
                return
            able = able and answer[0] != "gone"
            try:
                self.ready.put((at, self.work(unit), []))
            except BaseException as error:
                self.ready.put(error)
                return
        if able and self._asked(helper, "forget", b"") == ("ready", None):
            _idle.append(helper)
        else:
            helper.end()

    @staticmethod
    def _asked(helper: Helper, what: str, given: bytes) -> tuple[str, Any]:
        try:
            return helper.ask(what, given)
        except (OSError, EOFError, ValueError, pickle.UnpicklingError):
            return "gone", None


def serve(threads: int) -> None:
    """The life of a helper: what stands in its input is done, and answered, until the input ends."""
    asked, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what the work prints must not get among the answers
    mapping.settle(Place(threads=threads))
    work: Any = None
    while True:
        try:
            what, given = pickle.load(asked)
        except EOFError:
            return
        if what == "unit":
            answer = _done(work, given)
        else:
            try:
                work, able = (pickle.loads(given) if given else None), True
            except Exception:  # a module that only the caller has, say
                work, able = None, False
            answer = pickle.dumps(("ready" if able else "unable", None), 5)
        try:
            answers.write(answer)
            answers.flush()
        except BrokenPipeError:
            return


def _done(work: Callable[[Any], Any], given: bytes) -> bytes:
    """The answer to a unit: its result and what it warned of, or the error; neither where it cannot travel."""
    try:
        answer: tuple[str, Any] = "done", overheard(work, pickle.loads(given))
    except Exception as error:
        if not isinstance(error, InputError):
            error.add_note(f"in a helper process:\n{''.join(traceback.format_tb(error.__traceback__))}")
        answer = "failed", error
    return packed(answer) or pickle.dumps(("unable", None))
