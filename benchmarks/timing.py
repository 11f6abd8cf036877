"""Wall time, processor time and peak memory of whole processes."""

from __future__ import annotations

import contextlib
import os
import signal
import statistics
import subprocess
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

Command = Sequence[str]


@dataclass(frozen=True, slots=True)
class Outcome:
    """One repetition: all processes of it together."""

    seconds: float
    processor: float
    memory: float  # MB at the peak; of several processes side by side, the sum of their peaks
    output: str
    problem: str = ""


@dataclass(slots=True)
class Timed:
    """All repetitions of one thing; what went wrong, if anything did."""

    outcomes: list[Outcome] = field(default_factory=list)
    problem: str = ""

    def add(self, outcome: Outcome) -> None:
        if outcome.problem:
            self.problem = outcome.problem
        else:
            self.outcomes.append(outcome)

    @property
    def known(self) -> bool:
        return bool(self.outcomes) and not self.problem

    @property
    def seconds(self) -> float:
        return statistics.median(o.seconds for o in self.outcomes)

    @property
    def cores(self) -> float:
        """How many processors were busy on average."""
        return statistics.median(o.processor / o.seconds for o in self.outcomes)

    @property
    def memory(self) -> float:
        return max(o.memory for o in self.outcomes)

    @property
    def usual_memory(self) -> float:
        return statistics.median(o.memory for o in self.outcomes)


def ratio(slow: Timed, fast: Timed) -> float:
    """How many times the time of `fast` the other takes: the median over rounds, each compared within itself."""
    return statistics.median(s.seconds / f.seconds for s, f in zip(slow.outcomes, fast.outcomes, strict=True))


def measured(commands: Sequence[Command], limit: float, environment: Mapping[str, str] | None = None) -> Outcome:
    """Start all commands at once and wait for the last; past the limit (seconds) all are ended."""
    variables = {**os.environ, **(environment or {})}
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        begin = time.perf_counter()
        processes = [
            subprocess.Popen(command, stdout=out, stderr=err, env=variables, start_new_session=True)
            for command in commands
        ]
        late = threading.Event()

        def stop() -> None:
            late.set()
            for process in processes:
                if process.returncode is None:
                    with contextlib.suppress(ProcessLookupError):  # it ended by itself just now
                        os.killpg(process.pid, signal.SIGKILL)

        timer = threading.Timer(limit, stop)
        timer.start()
        processor = memory = 0.0
        try:
            for process in processes:
                _, status, usage = os.wait4(process.pid, 0)  # its own children, if it had any, are counted too
                process.returncode = os.waitstatus_to_exitcode(status)
                processor += usage.ru_utime + usage.ru_stime
                memory += usage.ru_maxrss * 1024 / 1e6  # Linux counts in KiB
            seconds = time.perf_counter() - begin
        except BaseException:  # interrupted: leave nothing running
            stop()
            raise
        finally:
            timer.cancel()
        out.seek(0)
        err.seek(0)
        output = out.read().decode(errors="replace")
        messages = err.read().decode(errors="replace").strip().splitlines()
    problem = ""
    if late.is_set():
        problem = f"over {limit:g} s"
    elif any(process.returncode for process in processes):
        problem = messages[-1][:60] if messages else "failed"
    return Outcome(seconds, processor, memory, output, problem)
