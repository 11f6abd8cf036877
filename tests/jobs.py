"""Work for other processes: functions of a module that they can import."""

from __future__ import annotations

import os
import signal
import time
import warnings
from collections.abc import Callable
from typing import Any

from rankscope.errors import DataWarning, InputError


def sleeping(seconds: float) -> Callable[[Any], int]:
    """Who did it."""

    def work(_: Any) -> int:
        time.sleep(seconds)
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
