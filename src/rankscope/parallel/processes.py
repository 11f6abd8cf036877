"""Processes of this machine beside this one, for work that holds the GIL.

A helper is a Python of its own that is sent the work once and then its units one by one, through pipes. This process
does units too: the first ones alone, to see whether helpers pay, and others while they start. Helpers do not run the
caller's script again, hear no Ctrl-C, and end when this process does. A helper that dies, or cannot load the work,
costs its unit: a thread of this process does that one, and those that would have followed.
"""

from __future__ import annotations

import atexit
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
    """This process, and its helpers once they pay, doing units until none is left.

    work    may fill caches of what it refers to, so that it cannot always be packed while a unit is under way
    alone   where units are done before there are helpers; it becomes as narrow as inside when they are called
    inside  where they are done from then on
    """

    def __init__(
        self, work: Callable[[Any], Any], todo: deque[tuple[int, Any]], size: int, alone: Place, inside: Place
    ) -> None:
        self.work, self.todo, self.size, self.alone, self.inside = work, todo, size, alone, inside
        self.left = len(todo)
        self.ready: SimpleQueue[tuple[int, Any, list[Any]] | BaseException] = SimpleQueue()
        self.helpers: list[Helper] = []
        self.at_work: list[threading.Thread] = []  # those that drive a helper which has loaded the work
        self.calling = threading.Lock()
        self.called = self.over = False

    def completed(self, pays: float) -> Iterator[tuple[int, Any]]:
        """(number of the unit, its result), as they are finished.

        Helpers are called as soon as the units left seem to take longer than it pays, in seconds.
        """
        begun, spent = 0, 0.0
        try:
            while self.left:
                if self.alone.stopped.is_set():
                    raise KeyboardInterrupt
                begun, begin = begun + 1, time.perf_counter()
                due = max(pays / 20, pays * begun / max(1, len(self.todo) - 1))  # by the mean of the units begun
                found = self._next(due - spent)
                spent += time.perf_counter() - begin
                if isinstance(found, BaseException):
                    raise found
                at, result, said = found
                repeat(said)
                self.left -= 1
                yield at, result
            for thread in self.at_work:
                thread.join(0.2)  # so that the next work finds their helpers waiting
        finally:
            with self.calling:
                self.over = True
            if self.left:  # stopped before the end
                self.inside.stopped.set()
                self.todo.clear()
                for helper in self.helpers:
                    helper.end()

    def _next(self, due: float) -> tuple[int, Any, list[Any]] | BaseException:
        """What a helper has ready, or a unit done here, or else what a helper gives next.

        due  seconds from now after which helpers are called, if there are units for them
        """
        try:
            return self.ready.get_nowait()
        except Empty:
            pass
        if due <= 0 and len(self.todo) > 1:
            self._call()
        try:
            at, unit = self.todo.popleft()
        except IndexError:
            return self.ready.get()
        caller = threading.Timer(due, self._call)
        caller.daemon = True
        if self.todo and not self.called:
            caller.start()
        try:
            with mapping.placed(self.alone):
                return at, self.work(unit), []
        finally:
            caller.cancel()

    def _call(self) -> None:
        """Let helpers begin, or threads where the work cannot travel or there is no Python to start."""
        with self.calling:
            if self.called or self.over:
                return
            try:
                parcel = packed(self.work) if sys.executable else None
            except RuntimeError:  # a cache grew meanwhile: when the next unit begins, or later
                return
            self.called, self.alone.threads = True, self.inside.threads
            try:
                while parcel is not None and len(self.helpers) < self.size - 1:
                    self.helpers.append(Helper.take(self.inside.threads or 1))
            except OSError:
                pass
            for helper in [*self.helpers, *[None] * (self.size - 1 - len(self.helpers))]:
                threading.Thread(target=self._drive, args=[helper, parcel], daemon=True).start()

    def _drive(self, helper: Helper | None, parcel: bytes | None) -> None:
        """Give a helper units, and do them in its place once it is gone."""
        mapping.settle(self.inside)
        able = helper is not None and parcel is not None and self._asked(helper, "work", parcel) == ("ready", None)
        if able:
            self.at_work.append(threading.current_thread())
        while True:
            try:
                at, unit = self.todo.popleft()
            except IndexError:
                break
            sent = packed(unit) if able else None
            answer: tuple[str, Any] = ("gone", None)
            if helper is not None and sent is not None:
                answer = self._asked(helper, "unit", sent)
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
        if helper is None:
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
