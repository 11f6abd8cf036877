"""Work for other processes: functions of a module that they can import."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rankscope.errors import DataWarning, InputError
from rankscope.parallel import map_units


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


class Refusing:
    """Something that refuses to be packed, so many times."""

    def __init__(self, error: Exception, times: int) -> None:
        self.error, self.times, self.tried = error, times, 0

    def __getstate__(self) -> dict[str, int]:
        self.tried += 1
        if self.tried <= self.times:
            raise self.error
        return {"tried": self.tried}


def waiting_to_be_packed(thing: Refusing, sign: Path) -> Callable[[int], int]:
    """Who did it; the first unit ends when packing was tried, others when another process has one; or in a minute."""
    here = os.getpid()

    def work(unit: int) -> int:
        if os.getpid() != here:
            sign.touch()
        end = time.monotonic() + 60
        while not (sign.exists() if unit else thing.tried) and time.monotonic() < end:
            time.sleep(0.01)
        return os.getpid()

    return work


def holding(thing: Any, seconds: float = 0.02) -> Callable[[Any], int]:
    """Who did it, by a function that refers to something."""

    def work(_: Any) -> int:
        assert thing
        time.sleep(seconds)
        return os.getpid()

    return work


class Odd(Exception):
    """An error that cannot be made again from what it was packed as."""

    def __init__(self, one: int, other: int) -> None:
        super().__init__(f"{one} and {other}")


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
            elif happens == "read":
                assert sys.stdin.read() == ""
            elif happens == "odd error":
                raise Odd(1, 2)
            elif unit == 100:
                os.kill(os.getpid(), signal.SIGKILL)
        return unit

    return work


def until_alone(workers: int) -> Callable[[int], list[int]]:
    """How many threads calls within the first unit get, until it has shared them and got them back; or for a minute."""
    count = nested(workers)

    def work(unit: int) -> list[int]:
        found: list[int] = []
        if unit:
            time.sleep(0.3)
            return found
        end = time.monotonic() + 60
        while time.monotonic() < end and not (1 in found and found[-1] == workers):
            found.append(count(unit))
        return found

    return work


def nested(workers: int) -> Callable[[Any], int]:
    """How many threads a call within a unit gets."""

    def outer(_: Any) -> int:
        def inner(_: int) -> int:
            time.sleep(0.005)
            return threading.get_ident()

        return len(set(map_units(inner, range(24), workers=workers)))

    return outer
