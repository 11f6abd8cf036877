"""Work for other processes: functions of a module that they can import."""

from __future__ import annotations

import os
import signal
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rankscope.errors import DataWarning, InputError


def sleeping(seconds: float) -> Callable[[Any], int]:
    """Who did it."""

    def work(_: Any) -> int:
        time.sleep(seconds)
        return os.getpid()

    return work


def waiting_for_another(sign: Path) -> Callable[[int], int]:
    """Who did it; the first unit ends when another has been begun, or after a minute as nobody's."""

    def work(unit: int) -> int:
        if unit:
            sign.touch()
        end = time.monotonic() + 60
        while not sign.exists() and time.monotonic() < end:
            time.sleep(0.01)
        return os.getpid() if sign.exists() else 0

    return work


class Growing:
    """Something that grows while it is packed, now and then."""

    def __init__(self, times: int) -> None:
        self.times = times

    def __getstate__(self) -> dict[str, int]:
        self.times -= 1
        if self.times >= 0:
            raise RuntimeError("dictionary changed size during iteration")
        return {"times": 0}


def growing(times: int) -> Callable[[int], int]:
    """Who did it, by a function that can be packed only after so many attempts."""
    one = Growing(times)

    def work(_: int) -> int:
        assert one
        time.sleep(0.02)
        return os.getpid()

    return work


def elsewhere(here: int, happens: str) -> Callable[[int], int]:
    """Units that warn, fail, or kill their process unless it is that of the caller."""

    def work(unit: int) -> int:
        time.sleep(0.01)
        if os.getpid() != here:
            if happens == "warning":
                warnings.warn("from a helper", DataWarning, stacklevel=1)
            elif happens == "error":
                raise InputError("from a helper", "do something")
            elif happens == "print":
                print("among the answers", flush=True)
            elif unit == 100:
                os.kill(os.getpid(), signal.SIGKILL)
        return unit

    return work


def nested(workers: int) -> Callable[[Any], int]:
    """How many threads a call within a unit gets."""
    import threading

    from rankscope.parallel import map_units

    def outer(_: Any) -> int:
        def inner(_: int) -> int:
            time.sleep(0.005)
            return threading.get_ident()

        return len(set(map_units(inner, range(24), workers=workers)))

    return outer
