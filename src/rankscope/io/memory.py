"""Sizes of memory: as bytes, as text, as used by this process, and as free."""

from __future__ import annotations

import os
import re
import sys
from contextlib import suppress
from pathlib import Path

from rankscope.arguments import is_whole
from rankscope.errors import InputError, Problem, argument

_UNITS = {"": 1, "B": 1} | {
    prefix + ending: base**power
    for power, prefix in enumerate("KMGT", 1)
    for ending, base in (("", 1024), ("iB", 1024), ("B", 1000))
}
_SIZE = re.compile(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*([a-zA-Z]*)\s*")
_USUAL = 100 << 20  # of an interpreter with numpy, where the system does not report it


def in_bytes(memory: int | str) -> int:
    """A size as whole bytes.

    >>> in_bytes("2GiB"), in_bytes("500MB"), in_bytes("1.5 k"), in_bytes(4096)
    (2147483648, 500000000, 1536, 4096)
    """
    cure = f"{argument('memory')} is a number of bytes, or with a unit, as in 2GiB, 500MB or 64M"
    if isinstance(memory, str):
        match = _SIZE.fullmatch(memory)
        units = {unit.lower(): size for unit, size in _UNITS.items()}
        if not match or match[2].lower() not in units:
            raise InputError(f"{argument('memory', memory)} is no size", cure)
        memory = int(float(match[1]) * units[match[2].lower()]) if "." in match[1] else (
            int(match[1]) * units[match[2].lower()]
        )  # fmt: skip
    if not is_whole(memory) or memory < 1:
        raise InputError(f"{argument('memory', memory)} is no size", cure)
    return memory


def size_text(size: int) -> str:
    """A size as text, rounded up.

    >>> size_text(2 << 30), size_text((64 << 20) + 1), size_text(1024), size_text(1)
    ('2048MiB', '65MiB', '1KiB', '1B')
    """
    unit, bits = next((unit for unit in (("MiB", 20), ("KiB", 10)) if size >= 1 << unit[1]), ("B", 0))
    return f"{-(-size >> bits)}{unit}"


def resident() -> int:
    """Bytes of memory that this process uses now; the peak so far where the system reports no more."""
    statm = Path("/proc/self/statm")
    if statm.exists():
        return int(statm.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    try:
        import resource
    except ImportError:  # Windows
        return _USUAL
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def free_memory() -> int | None:
    """Free memory in bytes, within the limit of a container; None where the system does not report it."""
    free = [size for size in (_free_of_machine(), _free_of_group()) if size is not None]
    return min(free) if free else None


def _free_of_machine() -> int | None:
    try:
        lines = dict(line.split(":", 1) for line in Path("/proc/meminfo").read_text("ascii").splitlines())
        return int(lines["MemAvailable"].split()[0]) * 1024
    except (OSError, KeyError, ValueError):
        if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
            return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        return None


def _free_of_group(groups: Path = Path("/sys/fs/cgroup"), own: Path = Path("/proc/self/cgroup")) -> int | None:
    """What the control groups (version 2) of this process leave to it; None where they set no limit.

    Copies of files that the system keeps in memory are counted as used, and give way to a process: they are free.
    """
    free = []
    with suppress(OSError):
        names = [line[3:] for line in own.read_text().splitlines() if line.startswith("0::")]
        for group in [folder for name in names for folder in (Path(name), *Path(name).parents)]:
            folder = groups / group.relative_to("/")
            with suppress(OSError, ValueError, KeyError):  # no such file, or "max"
                room = int((folder / "memory.max").read_text()) - int((folder / "memory.current").read_text())
                kinds = dict(line.split() for line in (folder / "memory.stat").read_text().splitlines())
                free.append(max(0, room + int(kinds["active_file"]) + int(kinds["inactive_file"])))
    return min(free, default=None)


def refuse_beyond_memory(bytes_needed: int, place: str = "") -> None:
    """Refuse, before it is read, what needs more memory than is free."""
    free = free_memory()
    if free is not None and bytes_needed > free:
        cause = f"its content takes {size_text(bytes_needed)} or more, and {size_text(free)} of memory are free"
        raise InputError(Problem(cause, f"check the file; runs can be read in blocks, by {argument('memory')}", place))
